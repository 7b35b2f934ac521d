//! What the program writes down about its own work: logs for people, figures for Prometheus, traces for a collector.
//! Every room above `domain` may call the small functions here; the libraries behind them are known nowhere else.

pub mod logs;
pub mod metrics;
mod process;
mod requests;
pub mod traces;
