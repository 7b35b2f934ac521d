//! Logs, Prometheus metrics and OpenTelemetry traces. Every layer above `domain` may call the functions here; only
//! this module uses the libraries behind them.

pub mod logs;
pub mod metrics;
mod process;
mod requests;
pub mod traces;
