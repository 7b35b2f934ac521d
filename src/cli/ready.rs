//! `endonym ready`

use std::{process::ExitCode, time::Duration};

use super::{Failure, Outcome, output};

/// Check whether the server at this address is ready for traffic
///
/// For health checks in environments without curl. Exits with 0 if `/readyz` answers 200.
#[derive(Debug, clap::Args)]
pub struct Ready {
    /// Listen address of the server
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: String,
}

/// Longer than the server's own timeout for its database.
const TIMEOUT: Duration = Duration::from_secs(7);

impl Ready {
    pub async fn run(&self) -> Outcome {
        let address = reachable(&self.listen);
        let cannot = |error: reqwest::Error| Failure(format!("no response from {address}: {error}"));
        // The server is on this machine, so a proxy for outbound requests does not apply.
        let client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT).build()?;
        let answer = client.get(format!("http://{address}/readyz")).send().await;
        let answer = answer.map_err(|error| cannot(error.without_url()))?;
        let status = answer.status();
        let body = answer.text().await.map_err(|error| cannot(error.without_url()))?;
        if !status.is_success() {
            return Err(Failure(format!("not ready: {address} responded with {status}: {body}")));
        }
        output::print_line(&body);
        Ok(ExitCode::SUCCESS)
    }
}

/// A server that listens on all addresses is reached through loopback.
fn reachable(listen: &str) -> String {
    let (host, port) = listen.rsplit_once(':').unwrap_or((listen, "8080"));
    match host {
        "0.0.0.0" => format!("127.0.0.1:{port}"),
        "[::]" => format!("[::1]:{port}"),
        _ => listen.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_address_is_this_machine() {
        for (listen, reached) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("localhost:80", "localhost:80"),
        ] {
            assert_eq!(super::reachable(listen), reached);
        }
    }
}
