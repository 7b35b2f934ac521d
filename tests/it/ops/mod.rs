//! What operators use: metrics, traces, and the files under `deploy/`.

mod deploy;
mod exposition;
mod frozen;
mod kubernetes;
mod metrics;
mod nginx;
mod ready;
mod replication;
mod traces;
