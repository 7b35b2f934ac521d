//! Logs: to standard error, as JSON for machines or as text for a person at a terminal, written by a thread of their
//! own so that no request waits for them.

use std::io::IsTerminal;

use tracing_appender::non_blocking::WorkerGuard;
use tracing_subscriber::EnvFilter;

/// Writes out what is waiting when it is dropped.
#[must_use]
pub struct Logs(#[allow(dead_code)] WorkerGuard);

pub fn start(level: &str, format: &str) -> Result<Logs, String> {
    // Libraries say more than may be written down: PostgreSQL's driver has people's emails in its debug lines.
    let libraries = if level == "error" { "error" } else { "warn" };
    // Anybody may send packets to a phone, and SIP's would warn of each that cannot be read, and show it whole. Decoders call
    // each damaged upload an error: that is its sender's, who is told. A name here stands for all that begin with it.
    let filter = EnvFilter::try_new(format!("{libraries},endonym={level},rsipstack=off,symphonia=off"))
        .map_err(|e| format!("the log level `{level}` cannot be read: {e}"))?;
    let (writer, guard) = tracing_appender::non_blocking(std::io::stderr());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_target(false);
    let json = match format {
        "json" => true,
        "text" => false,
        _ => !std::io::stderr().is_terminal(),
    };
    if json {
        logs.json().flatten_event(true).init();
    } else {
        logs.with_ansi(std::io::stderr().is_terminal()).init();
    }
    Ok(Logs(guard))
}
