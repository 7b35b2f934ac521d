//! The server: its address, its limits, and signing in.

use std::{net::SocketAddr, time::Duration};

use clap::Args;

use super::{public_url::base_url, set};
use crate::{
    app::{
        limiter::Policy,
        sign_in::{self, ProxyAuth},
        streams,
    },
    domain::{client_address::TrustedProxies, security_txt::SecurityTxt},
    http::body::BodyLimits,
    server::Limits,
};

/// Network settings and limits of the server.
#[derive(Debug, Clone, Args)]
pub struct Serving {
    /// Address and port to listen on; port 0 picks any free port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: String,
    /// Public URL of this server, like https://names.example.edu
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Create a demo institution on the first start, and print how to try it
    #[arg(long)]
    pub demo: bool,
    /// Maximum request body, in bytes
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    body_limit: usize,
    /// Timeout for receiving a request body, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    body_seconds: u64,
    /// Timeout for receiving a request head, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    head_seconds: u64,
    /// Timeout for a client to accept the next part of a response, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    write_seconds: u64,
    /// Minimum rate at which a client must read a response, in bytes per second, over the write timeout; 0 for none
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    write_rate: u64,
    /// Concurrent long responses
    #[arg(long, value_name = "N", help_heading = "Limits")]
    streams: usize,
    /// Concurrent long responses per institution
    #[arg(long, value_name = "N", help_heading = "Limits")]
    streams_per_institution: usize,
    /// Free disk space below which the server reports not ready, in bytes; when empty, 64 MiB or 5 % of a small disk
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    disk_reserve: Option<u64>,
    /// Concurrent connections
    #[arg(long, value_name = "N", help_heading = "Limits")]
    connections: usize,
    /// Concurrent connections per client address, except trusted proxies; 0 for half of all connections
    #[arg(long, value_name = "N", help_heading = "Limits")]
    connections_per_address: usize,
    /// Networks of trusted proxies, whose X-Forwarded-For header sets the client address; `none` for none
    #[arg(long, value_name = "NETWORKS", help_heading = "Limits")]
    trusted_proxies: String,
    /// Memory for request bodies in progress, in bytes; further requests wait
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    body_memory: usize,
    /// Requests per token in a window
    #[arg(long, value_name = "N", help_heading = "Limits")]
    rate_limit: u32,
    /// Length of the rate-limit window, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    rate_limit_window_seconds: u64,
    /// Seconds between two requests once the limit is reached
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    rate_limit_throttle_seconds: u64,
    /// Requests per client address without a valid token in a window; further ones get 429
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub auth_failures: u32,
    /// Sign-in messages that one client network may request in 15 minutes; further requests get 429
    #[arg(long, value_name = "N", help_heading = "Sign-in")]
    sign_in_limit: u32,
    /// Header in which a reverse proxy sends the email of the person it has authenticated, like X-Remote-User-Email
    #[arg(long, value_name = "NAME", help_heading = "Sign-in")]
    proxy_auth_header: Option<String>,
    /// Networks from which that proxy connects, like 10.20.0.5/32; required with --proxy-auth-header
    #[arg(long, value_name = "NETWORKS", help_heading = "Sign-in")]
    proxy_auth_networks: Option<String>,
    /// Slug of the institution whose people the proxy authenticates
    #[arg(long, value_name = "SLUG", help_heading = "Sign-in")]
    proxy_auth_institution: Option<String>,
    /// Where vulnerabilities of this server are reported: email addresses, https:// URLs or tel: numbers, separated by commas; shown in
    /// /.well-known/security.txt
    #[arg(long, value_name = "CONTACTS", help_heading = "Security")]
    security_contact: Option<String>,
    /// https:// URL of the policy for such reports
    #[arg(long, value_name = "URL", help_heading = "Security")]
    security_policy_url: Option<String>,
    /// Retention of export reports, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Background jobs")]
    export_seconds: u64,
    /// Pending exports per institution; further requests get 429
    #[arg(long, value_name = "N", help_heading = "Background jobs", value_parser = clap::value_parser!(u32).range(1..))]
    pub exports_waiting: u32,
}

impl Serving {
    pub fn export_life(&self) -> Duration {
        Duration::from_secs(self.export_seconds)
    }

    pub fn streams(&self) -> streams::Settings {
        let usual = streams::Settings::default();
        streams::Settings { at_once: self.streams, per_institution: self.streams_per_institution, ..usual }
    }

    pub fn disk_reserve(&self) -> Option<u64> {
        self.disk_reserve
    }

    pub fn rate_limits(&self) -> Policy {
        Policy {
            ceiling: self.rate_limit,
            window: Duration::from_secs(self.rate_limit_window_seconds),
            throttle: Duration::from_secs(self.rate_limit_throttle_seconds),
        }
    }

    pub fn limits(&self, grace: Duration) -> Result<Limits, String> {
        let trusted_proxies = TrustedProxies::parse(&self.trusted_proxies);
        Ok(Limits {
            body: BodyLimits::new(
                self.body_limit,
                Duration::from_secs(self.body_seconds),
                self.body_memory.max(self.body_limit),
            ),
            head_time: Duration::from_secs(self.head_seconds.max(1)),
            write_time: Duration::from_secs(self.write_seconds.max(1)),
            write_rate: self.write_rate,
            connections: self.connections.max(1),
            connections_per_address: Some(self.connections_per_address).filter(|count| *count > 0),
            trusted_proxies: trusted_proxies.map_err(|e| format!("--trusted-proxies: {e}"))?,
            grace,
        })
    }

    pub fn sign_in(&self) -> Result<sign_in::Settings, String> {
        Ok(sign_in::Settings { limit: self.sign_in_limit, proxy: self.proxy_auth()? })
    }

    fn proxy_auth(&self) -> Result<Option<ProxyAuth>, String> {
        let Some(header) = set(&self.proxy_auth_header) else { return Ok(None) };
        let header = header.trim().to_ascii_lowercase();
        if !header.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
            return Err(format!(
                "--proxy-auth-header: `{header}` must consist of letters, digits and dashes; proxies confuse underscores with dashes"
            ));
        }
        let institution = set(&self.proxy_auth_institution)
            .ok_or("--proxy-auth-header needs --proxy-auth-institution: the slug of an institution")?;
        // Also on a loopback address: other programs of the machine connect from there.
        let networks = set(&self.proxy_auth_networks).ok_or(
            "--proxy-auth-header needs --proxy-auth-networks: the networks from which the proxy connects, like 127.0.0.1/32; others \
             could send the header, too",
        )?;
        let networks = TrustedProxies::parse(&networks).map_err(|e| format!("--proxy-auth-networks: {e}"))?;
        Ok(Some(ProxyAuth { header, networks, institution: institution.trim().to_owned() }))
    }

    pub fn security_txt(&self) -> Result<Option<SecurityTxt>, String> {
        let contacts = self.security_contact.as_deref().unwrap_or_default();
        SecurityTxt::parse(contacts, self.security_policy_url.as_deref())
    }

    /// As set, or derived from the listen address.
    pub fn base_url(&self, listening: SocketAddr) -> Result<String, String> {
        base_url(&self.base_url, listening)
    }
}
