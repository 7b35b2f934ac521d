//! What operators use: metrics, traces, and the files under `deploy/`.

mod committed;
mod connections;
mod deploy;
mod exposition;
mod failover;
mod frozen;
mod kubernetes;
mod limits;
mod lost_limits;
mod metrics;
mod nginx;
mod pgbouncer;
mod ready;
mod replication;
mod silent_s3;
mod stalled_s3;
mod tls;
mod traces;
