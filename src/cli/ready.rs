//! `endonym ready`

use std::{process::ExitCode, time::Duration};

use super::{Failure, Outcome, output};

/// Ask the server at this address whether it may get traffic
///
/// For health checks where there is no curl. Ends with 0 when `/readyz` answers 200.
#[derive(Debug, clap::Args)]
pub struct Ready {
    /// Address that the server listens on
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: String,
}

/// The server itself gives its database five seconds.
const PATIENCE: Duration = Duration::from_secs(7);

impl Ready {
    pub async fn run(&self) -> Outcome {
        let address = reachable(&self.listen);
        let cannot = |error: reqwest::Error| Failure(format!("nobody answers at {address}: {error}"));
        // The server is on this machine, whatever the way out of it.
        let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
        let answer = client.get(format!("http://{address}/readyz")).send().await;
        let answer = answer.map_err(|error| cannot(error.without_url()))?;
        let status = answer.status();
        let said = answer.text().await.map_err(|error| cannot(error.without_url()))?;
        if !status.is_success() {
            return Err(Failure(format!("not ready: {address} answers {status}: {said}")));
        }
        output::print_line(&said);
        Ok(ExitCode::SUCCESS)
    }
}

/// Who listens on every address is reached on this machine's own.
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
