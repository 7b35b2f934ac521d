//! What operators use: metrics, traces, and the files under `deploy/`.

mod deploy;
mod exposition;
mod frozen;
mod limits;
mod metrics;
mod ready;
mod traces;
