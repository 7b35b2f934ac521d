//! What operators look at and start: figures, and the files under `deploy/`.

mod exposition;
mod metrics;
