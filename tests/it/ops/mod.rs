//! What operators look at and start: figures, traces, and the files under `deploy/`.

mod deploy;
mod exposition;
mod frozen;
mod metrics;
mod ready;
mod traces;
