//! The public URL of the server.

use std::net::SocketAddr;

use clap::Args;

use super::{set, web_address};

/// The public URL of a server with the same settings, for commands that print links to it.
#[derive(Debug, Clone, Args)]
pub struct PublicUrl {
    /// Public URL of the server, like https://names.example.edu
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[arg(long, value_name = "ADDRESS:PORT", hide = true)]
    listen: String,
}

impl PublicUrl {
    pub fn base_url(&self) -> Result<String, String> {
        match self.listen.parse() {
            Ok(listening) => base_url(&self.base_url, listening),
            Err(_) if set(&self.base_url).is_none() => {
                Err("set the public URL of the server with --base-url".to_owned())
            }
            Err(_) => base_url(&self.base_url, SocketAddr::from(([127, 0, 0, 1], 0))),
        }
    }
}

/// As set, or derived from the listen address.
pub(super) fn base_url(given: &Option<String>, listening: SocketAddr) -> Result<String, String> {
    if let Some(url) = set(given) {
        return web_address("base URL", &url);
    }
    Ok(if listening.ip().is_unspecified() {
        format!("http://localhost:{}", listening.port())
    } else {
        format!("http://{listening}")
    })
}
