//! What operators look at and start: figures, traces, and the files under `deploy/`.

mod exposition;
mod metrics;
mod traces;
