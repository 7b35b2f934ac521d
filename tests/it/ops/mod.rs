//! What operators use: metrics, traces, and the files under `deploy/`.

mod committed;
mod connections;
mod deploy;
mod exposition;
mod failover;
mod frozen;
mod metrics;
mod pgbouncer;
mod ready;
mod silent_s3;
mod tls;
mod traces;
