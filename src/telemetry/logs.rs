//! Logging to standard error: JSON, or text on a terminal. A separate thread writes, so that no request waits for it.

use std::io::IsTerminal;

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

/// Lines that wait for a slow reader of standard error; later ones are dropped. The room for them is taken at the start.
const WAITING_LINES: usize = 16_384;

/// Flushes pending lines on drop.
#[must_use]
pub struct Logs(#[allow(dead_code)] WorkerGuard);

pub fn start(level: &str, format: &str) -> Result<Logs, String> {
    // Debug lines of libraries may contain personal data: those of the PostgreSQL driver contain emails.
    let libraries = if level == "error" { "error" } else { "warn" };
    // Anybody can send packets to a SIP port, and the SIP stack would log each malformed one in full. Decoders log
    // each damaged upload as an error, although the client already gets the error. A name here is a prefix.
    let filter = EnvFilter::try_new(format!("{libraries},endonym={level},rsipstack=off,symphonia=off"))
        .map_err(|e| format!("invalid log level `{level}`: {e}"))?;
    let (writer, guard) =
        NonBlockingBuilder::default().buffered_lines_limit(WAITING_LINES).finish(std::io::stderr());
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
