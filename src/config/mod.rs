//! Settings. Each setting is a flag, and `layers` gives it its default. The types here hold the parsed flags.

mod layers;

pub use layers::{DEFAULTS, layered, traces_wanted};

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use clap::{ArgAction, Args};
use endonym_media::{picture, sound};

use crate::{
    app::{
        calls, invitations,
        limiter::{Leases, Policy, Sharing},
        sign_in::{self, ProxyAuth},
        streams, studio,
    },
    blobs::{self, Delivery},
    clock::Clock,
    domain::{client_address::TrustedProxies, countries::Countries, quiet_hours::QuietHours},
    http::body::BodyLimits,
    jobs,
    mail::{self, Mailer},
    outbound::{Allowed, Outbound},
    phone::{self, Prompts, Provider},
    server::Limits,
    site,
    store::{
        self, Db,
        secrets::Secrets,
        valkey::{self, Valkey},
    },
};

/// Storage settings. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Storage")]
pub struct Storage {
    /// Directory for the SQLite database, recordings and pictures
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: PathBuf,
    /// `postgres://…` or `sqlite:PATH`; when empty, SQLite in the data directory
    #[arg(long, value_name = "URL", global = true)]
    database_url: Option<String>,
    /// PEM file with certificates to trust for TLS connections to PostgreSQL
    #[arg(long, value_name = "FILE", global = true)]
    database_ca_file: Option<String>,
    /// Number of database connections
    #[arg(long, value_name = "N", global = true)]
    database_connections: usize,
    /// Timeout for one PostgreSQL statement, in seconds
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds)]
    database_timeout_seconds: Duration,
    /// `s3://bucket?endpoint=…` or `file:PATH` for recordings and pictures; when empty, the data directory
    #[arg(long, value_name = "URL", global = true)]
    blobs_url: Option<String>,
    /// How files on S3 are delivered: `stream` through this server, or `redirect` to a presigned URL
    #[arg(long, value_name = "HOW", global = true, value_parser = ["stream", "redirect"])]
    blobs_delivery: String,
    /// Timeout for one operation on S3, and for each part of a file that is streamed, in seconds
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds)]
    blobs_timeout_seconds: Duration,
    #[command(flatten)]
    outside: OutboundSettings,
}

impl Storage {
    pub fn options(&self) -> store::Options {
        store::Options {
            url: set(&self.database_url),
            data_dir: self.data_dir.clone(),
            ca_file: set(&self.database_ca_file).map(PathBuf::from),
            connections: self.database_connections,
            // `serve` sets it.
            threads: 0,
            timeout: self.database_timeout_seconds,
        }
    }

    pub fn blobs(&self) -> blobs::Options {
        blobs::Options {
            url: set(&self.blobs_url),
            data_dir: self.data_dir.clone(),
            delivery: if self.blobs_delivery == "redirect" { Delivery::Redirect } else { Delivery::Stream },
            timeout: self.blobs_timeout_seconds.max(MIN_BLOBS_TIMEOUT),
            clock: Clock::system(),
        }
    }

    pub fn secrets(&self) -> Secrets {
        let key = set(&self.outside.secret_key);
        if key.as_ref().is_some_and(|key| key.trim().chars().count() < MIN_SECRET_BYTES) {
            tracing::warn!(
                "the secret key is short enough to be guessed: use at least {MIN_SECRET_BYTES} random characters"
            );
        }
        Secrets::new(key, &self.data_dir)
    }

    pub fn outbound(&self) -> Result<Outbound, String> {
        Outbound::new(Allowed::parse(&set(&self.outside.outbound_allow).unwrap_or_default())?)
    }
}

/// Settings for outbound connections to learning systems. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Learning systems")]
struct OutboundSettings {
    /// Encrypts credentials in the database: at least 32 random characters, the same in every process; when empty, generated
    /// once in the data directory
    #[arg(long, value_name = "SECRET", global = true)]
    secret_key: Option<String>,
    /// Networks besides public ones that outbound requests may go to, also over plain http, like 10.20.0.0/16,127.0.0.0/8
    #[arg(long, value_name = "NETWORKS", global = true)]
    outbound_allow: Option<String>,
}

const MIN_SECRET_BYTES: usize = 32;
/// Shorter, every operation would fail.
const MIN_BLOBS_TIMEOUT: Duration = Duration::from_millis(100);

/// Limits and processing of recordings and pictures.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Recordings and pictures")]
pub struct Media {
    /// Maximum length of an uploaded recording, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_longest_seconds: Duration,
    /// Minimum length of a recording after trimming, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_shortest_seconds: Duration,
    /// Maximum length of a take that is recorded in a browser, in seconds: 3 to 60, and at most the maximum length of a recording
    /// less one second
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(3..=60))]
    recording_limit_seconds: u64,
    /// Maximum size of a recording, in bytes
    #[arg(long, value_name = "BYTES")]
    recording_bytes: usize,
    /// Keep the uploaded originals: true or false
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    keep_originals: bool,
    /// Maximum size of a picture, in bytes
    #[arg(long, value_name = "BYTES")]
    picture_bytes: usize,
    /// Maximum size of a picture, in pixels
    #[arg(long, value_name = "N")]
    picture_pixels: u64,
    /// Threads that process recordings and pictures; 0 for one per core
    #[arg(long, value_name = "N")]
    media_workers: usize,
    /// Maximum length of the processing queue for recordings and pictures
    #[arg(long, value_name = "N")]
    media_queue: usize,
}

impl Media {
    pub fn settings(&self) -> studio::Settings {
        studio::Settings {
            workers: self.media_workers,
            queue: self.media_queue,
            sound: sound::Limits {
                bytes: self.recording_bytes,
                longest: self.recording_longest_seconds,
                shortest: self.recording_shortest_seconds,
            },
            picture: picture::Limits { bytes: self.picture_bytes, pixels: self.picture_pixels },
            keep_originals: self.keep_originals,
            take: Duration::from_secs(self.recording_limit_seconds),
        }
    }
}

/// Seconds with or without a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim().parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "must be a number of seconds, 0 or more".to_owned())
}

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
    /// Retention of export reports, in seconds
    #[arg(long, value_name = "SECONDS", help_heading = "Background jobs")]
    export_seconds: u64,
    /// Pending exports per institution; further requests get 429
    #[arg(long, value_name = "N", help_heading = "Background jobs", value_parser = clap::value_parser!(u32).range(1..))]
    pub exports_waiting: u32,
}

/// How several nodes share rate limits.
#[derive(Debug, Clone, Args)]
pub struct SharedLimits {
    /// Where the rate limits of all nodes are counted: `redis://user:password@host:6379/0`, `rediss://…` for TLS, or `local` for each
    /// process by itself; when empty, in PostgreSQL, and with SQLite in memory
    #[arg(long, value_name = "URL", help_heading = "Limits")]
    limits_url: Option<String>,
    /// Number of nodes: while the store of rate limits is away, each goes on with what was left divided by it
    #[arg(long, value_name = "N", help_heading = "Limits", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limits_nodes: u32,
}

impl SharedLimits {
    /// The Valkey or Redis server, if there is one, and how long it may take to answer. The error message does not contain secrets.
    pub fn valkey(&self, deadline: Duration) -> Result<Option<Valkey>, String> {
        let url = set(&self.limits_url).filter(|url| url.trim() != "local");
        let opened = url.map(|url| Valkey::new(url.trim(), deadline)).transpose();
        opened.map_err(|error| format!("--limits-url: {error}"))
    }

    pub fn sharing(&self, db: &Db) -> Result<Sharing, String> {
        let sharing = match self.valkey(valkey::DEADLINE)? {
            Some(valkey) => Sharing { leases: Leases::Valkey(Arc::new(valkey)), nodes: 1 },
            None if set(&self.limits_url).is_some() => Sharing::local(),
            None => Sharing::in_database(db),
        };
        Ok(Sharing { nodes: self.limits_nodes, ..sharing })
    }
}

/// The telephony provider, and the limits on calls.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Phone")]
pub struct Phone {
    /// `sip://user:password@trunk?from=…`, `twilio://account:token@api.twilio.com?from=…`, `signalwire://…`; when
    /// empty, nobody is called
    #[arg(long, value_name = "URL")]
    phone_url: Option<String>,
    /// URL at which the cloud provider's webhooks reach this server; when empty, the base URL
    #[arg(long, value_name = "URL")]
    phone_callback_url: Option<String>,
    /// Maximum attempts per call
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    phone_attempts: u32,
    /// Seconds between the end of an attempt and the next one
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    phone_retry_after_seconds: Duration,
    /// Hours in which nobody is called, in the phone number's local time, like 21:00-08:00; `off` for none
    #[arg(long, value_name = "HOURS")]
    phone_quiet_hours: String,
    /// Seconds to let a phone ring
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    phone_ring_seconds: u32,
    /// Concurrent calls, for the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_at_once: u32,
    /// Calls started per minute, for the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_per_minute: u32,
    /// Calls started per 24 hours, for each institution
    #[arg(long, value_name = "N")]
    phone_max_per_day: u32,
    /// Countries whose numbers may be called, like US,CA,IE; when empty, all
    #[arg(long, value_name = "CODES")]
    phone_countries: Option<String>,
    /// Language of the prompts, unless the institution has its own
    #[arg(long, value_name = "LANGUAGE")]
    phone_language: String,
    /// Directory with WAV files that replace the built-in prompts
    #[arg(long, value_name = "DIR")]
    phone_prompts: Option<String>,
    /// Text-to-speech command for institution names: reads text, writes WAV
    #[arg(long, value_name = "COMMAND")]
    phone_voice: Option<String>,
}

impl Phone {
    /// The error message does not contain secrets.
    pub fn provider(&self) -> Result<Provider, String> {
        Provider::parse(&set(&self.phone_url).unwrap_or_default())
    }

    /// The telephony provider, for a process with this public URL, if it has one.
    pub fn phone(&self, base_url: &str) -> Result<phone::Phone, String> {
        let callback = set(&self.phone_callback_url).map(|url| web_address("phone callback URL", &url));
        let folder = set(&self.phone_prompts).map(PathBuf::from);
        Ok(phone::Phone {
            provider: self.provider()?,
            prompts: Prompts::open(folder, &self.phone_language, set(&self.phone_voice))?,
            callback_base: callback.transpose()?.unwrap_or_else(|| base_url.to_owned()),
            ..phone::Phone::default()
        })
    }

    pub fn rules(&self) -> Result<calls::Rules, String> {
        Ok(calls::Rules {
            enabled: self.provider()? != Provider::None,
            attempts: self.phone_attempts,
            retry_after: self.phone_retry_after_seconds,
            quiet_hours: QuietHours::parse(&self.phone_quiet_hours)?,
            ring: Duration::from_secs(self.phone_ring_seconds.into()),
            max_at_once: self.phone_max_at_once,
            max_per_minute: self.phone_max_per_minute,
            max_per_day: self.phone_max_per_day,
            countries: Countries::parse(&set(&self.phone_countries).unwrap_or_default())?,
        })
    }
}

/// The mail server.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Mail")]
pub struct Mail {
    /// `smtp://user:password@host:587`, `smtps://host:465`, or `file:DIR` to write messages to files; when empty, nothing is mailed
    #[arg(long, value_name = "URL")]
    mail_url: Option<String>,
    /// Sender, like `Names at Example <names@example.edu>`
    #[arg(long, value_name = "SENDER")]
    mail_from: Option<String>,
    /// Timeout for connecting to the mail server and for each of its answers, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    mail_timeout_seconds: Duration,
    /// PEM file with certificates to trust besides the system's; with it, TLS is required on this machine too
    #[arg(long, value_name = "FILE")]
    mail_ca_file: Option<String>,
    /// Pace of mail: messages that all processes together send in a minute; sign-in codes count and never wait
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    mail_per_minute: u32,
}

impl Mail {
    /// The error message does not contain secrets.
    pub fn mailer(&self) -> Result<Mailer, String> {
        Mailer::new(&mail::Settings {
            url: set(&self.mail_url).unwrap_or_default(),
            from: set(&self.mail_from).unwrap_or_default(),
            timeout: self.mail_timeout_seconds,
            ca_file: set(&self.mail_ca_file).map(PathBuf::from),
            per_minute: self.mail_per_minute,
        })
    }
}

/// Invitations to name pages.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Invitations")]
pub struct Invitations {
    /// Days for which the personal link of an invitation is valid: 1 to 3650
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u64).range(1..=3_650))]
    invitation_days: u64,
}

impl Invitations {
    pub fn life(&self) -> Duration {
        Duration::from_secs(self.invitation_days * 24 * 3_600)
    }

    pub fn settings(&self) -> invitations::Settings {
        invitations::Settings { life: self.life(), ..invitations::Settings::default() }
    }
}

/// Background jobs and metrics.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Background jobs")]
pub struct JobSettings {
    /// Separate address and port for /metrics; when empty, the main port; `off` for none
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Options")]
    metrics_listen: Option<String>,
    /// Concurrent background jobs; 0 for none
    #[arg(long, value_name = "N")]
    pub workers: usize,
    /// Lease of a job, in seconds: when a worker stops renewing it, another one takes over the job
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=60))]
    job_lease_seconds: u64,
    /// Interval of the sweep for orphaned files, in seconds; 0 for none
    #[arg(long, value_name = "SECONDS")]
    sweep_seconds: u64,
    /// Minimum age of an orphaned file before it is removed, in seconds
    #[arg(long, value_name = "SECONDS")]
    orphan_seconds: u64,
    /// Grace period for a shutdown: seconds that requests and jobs in progress get to finish
    #[arg(long, value_name = "SECONDS")]
    grace_seconds: u64,
}

impl JobSettings {
    pub fn settings(&self) -> jobs::Settings {
        jobs::Settings {
            workers: self.workers,
            lease: Duration::from_secs(self.job_lease_seconds),
            grace: self.grace(),
            sweep_every: Duration::from_secs(self.sweep_seconds),
            orphans_older_than: Duration::from_secs(self.orphan_seconds),
            report_format: site::report_format,
        }
    }

    pub fn grace(&self) -> Duration {
        Duration::from_secs(self.grace_seconds)
    }

    pub fn metrics_at(&self) -> MetricsAt {
        match set(&self.metrics_listen) {
            None => MetricsAt::MainPort,
            Some(word) if word.trim() == "off" => MetricsAt::Nowhere,
            Some(address) => MetricsAt::Own(address.trim().to_owned()),
        }
    }
}

/// Where `/metrics` is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MetricsAt {
    MainPort,
    Own(String),
    Nowhere,
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

    /// As set, or derived from the listen address.
    pub fn base_url(&self, listening: SocketAddr) -> Result<String, String> {
        base_url(&self.base_url, listening)
    }
}

fn base_url(given: &Option<String>, listening: SocketAddr) -> Result<String, String> {
    if let Some(url) = set(given) {
        return web_address("base URL", &url);
    }
    Ok(if listening.ip().is_unspecified() {
        format!("http://localhost:{}", listening.port())
    } else {
        format!("http://{listening}")
    })
}

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

fn web_address(what: &str, url: &str) -> Result<String, String> {
    let web =
        ["http://", "https://"].iter().any(|scheme| url.len() > scheme.len() && url.starts_with(scheme));
    if web && !url.contains(['?', '#', ' ']) {
        Ok(url.trim_end_matches('/').to_owned())
    } else {
        Err(format!("the {what} must look like https://names.example.edu, not `{url}`"))
    }
}

/// Empty means not set.
fn set(value: &Option<String>) -> Option<String> {
    value.clone().filter(|text| !text.trim().is_empty())
}

/// Log settings. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Logs")]
pub struct Logging {
    /// Log level: error, warn, info or debug
    #[arg(long, value_name = "LEVEL", global = true, value_parser = ["error", "warn", "info", "debug"])]
    pub log: String,
    /// Log format: json, text, or auto (text on a terminal, JSON otherwise)
    #[arg(long, value_name = "FORMAT", global = true, value_parser = ["auto", "json", "text"])]
    pub log_format: String,
}
