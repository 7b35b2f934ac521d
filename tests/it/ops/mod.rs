//! What operators use: metrics, traces, and the files under `deploy/`.

mod deploy;
mod exposition;
mod frozen;
mod metrics;
mod pgbouncer;
mod ready;
mod tls;
mod traces;
