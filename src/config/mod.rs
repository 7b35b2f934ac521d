//! Settings. Each one is a flag; its default comes from `config.default.toml`, and the file, the environment and the
//! command line may change it, in that order. One walk over the command tree sees to that for every flag there is.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use clap::{Arg, ArgAction, Args, Command, builder::BoolishValueParser};
use endonym_media::{picture, sound};
use toml::{Table, Value};

use crate::{
    app::{calls, limiter::Policy, streams, studio},
    blobs::{self, Delivery},
    domain::{client_address::TrustedProxies, countries::Countries, quiet_hours::QuietHours},
    http::body::BodyLimits,
    jobs,
    outbound::{Allowed, Outbound},
    phone::{self, Prompts, Provider},
    server::Limits,
    site,
    store::{self, secrets::Secrets},
};

pub const DEFAULTS: &str = include_str!("../../config.default.toml");

/// Where things are kept. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Storage")]
pub struct Storage {
    /// Folder for the SQLite database, recordings and pictures
    #[arg(long, value_name = "DIR", global = true)]
    pub data_dir: PathBuf,
    /// `postgres://…` or `sqlite:PATH`; SQLite in the data folder when empty
    #[arg(long, value_name = "URL", global = true)]
    database_url: Option<String>,
    /// PEM file of certificates to trust for PostgreSQL over TLS
    #[arg(long, value_name = "FILE", global = true)]
    database_ca_file: Option<String>,
    /// Connections to the database
    #[arg(long, value_name = "N", global = true)]
    database_connections: usize,
    /// Seconds that PostgreSQL may take for one statement
    #[arg(long, value_name = "SECONDS", global = true, value_parser = seconds)]
    database_timeout_seconds: Duration,
    /// `s3://bucket?endpoint=…` or `file:PATH` for recordings and pictures; the data folder when empty
    #[arg(long, value_name = "URL", global = true)]
    blobs_url: Option<String>,
    /// How files on S3 are handed out: `stream` through this server, or `redirect` to the S3 server
    #[arg(long, value_name = "HOW", global = true, value_parser = ["stream", "redirect"])]
    blobs_delivery: String,
    #[command(flatten)]
    outside: Outside,
}

impl Storage {
    pub fn options(&self) -> store::Options {
        store::Options {
            url: set(&self.database_url),
            data_dir: self.data_dir.clone(),
            ca_file: set(&self.database_ca_file).map(PathBuf::from),
            connections: self.database_connections,
            timeout: self.database_timeout_seconds,
        }
    }

    pub fn blobs(&self) -> blobs::Options {
        blobs::Options {
            url: set(&self.blobs_url),
            data_dir: self.data_dir.clone(),
            delivery: if self.blobs_delivery == "redirect" { Delivery::Redirect } else { Delivery::Stream },
        }
    }

    pub fn secrets(&self) -> Secrets {
        let key = set(&self.outside.secret_key);
        if key.as_ref().is_some_and(|key| key.trim().chars().count() < LONG_ENOUGH) {
            tracing::warn!(
                "the secret key is short enough to be guessed: {LONG_ENOUGH} characters of chance are not"
            );
        }
        Secrets::new(key, &self.data_dir)
    }

    pub fn outbound(&self) -> Result<Outbound, String> {
        Outbound::new(Allowed::parse(&set(&self.outside.outbound_allow).unwrap_or_default())?)
    }
}

/// Other systems that we speak to, and what lets us in there. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Learning systems")]
struct Outside {
    /// Seals credentials in the database: 32 characters of chance, the same in every process; made once in the data folder when
    /// empty
    #[arg(long, value_name = "SECRET", global = true)]
    secret_key: Option<String>,
    /// Networks that a learning system may be in besides public ones, like 10.20.0.0/16,127.0.0.0/8; plain http is taken there
    /// too
    #[arg(long, value_name = "NETWORKS", global = true)]
    outbound_allow: Option<String>,
}

const LONG_ENOUGH: usize = 32;

/// What is taken of sound and pictures, and how they are processed.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Sound and pictures")]
pub struct Media {
    /// Longest recording, in seconds as it comes
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_longest_seconds: Duration,
    /// Shortest recording, in seconds after trimming
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    recording_shortest_seconds: Duration,
    /// Largest recording, in bytes
    #[arg(long, value_name = "BYTES")]
    recording_bytes: usize,
    /// Keep what was sent beside what it became: true or false
    #[arg(long, value_name = "BOOL", action = ArgAction::Set)]
    keep_originals: bool,
    /// Largest picture, in bytes
    #[arg(long, value_name = "BYTES")]
    picture_bytes: usize,
    /// Largest picture, in pixels
    #[arg(long, value_name = "N")]
    picture_pixels: u64,
    /// Threads that process sound and pictures; 0 for one on each core
    #[arg(long, value_name = "N")]
    media_workers: usize,
    /// Recordings and pictures that may wait to be processed
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
        }
    }
}

/// Seconds with or without a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.trim().parse().map_err(|_| "must be a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "must be a number of seconds, not below 0".to_owned())
}

/// Where and how the server answers.
#[derive(Debug, Clone, Args)]
pub struct Serving {
    /// Address and port to listen on; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: String,
    /// How the outside world reaches this server, like https://names.example.edu
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Make a demonstration institution, once, and say how to try it
    #[arg(long)]
    pub demo: bool,
    /// Largest body of a request, in bytes
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    body_limit: usize,
    /// Seconds for a body to arrive
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    body_seconds: u64,
    /// Seconds for the head of a request to arrive
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    head_seconds: u64,
    /// Seconds for a client to take the next piece of an answer
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    write_seconds: u64,
    /// Bytes a second that a client must take of an answer, on average over that time; 0 for any
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    write_rate: u64,
    /// Long answers that are sent at the same time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    streams: usize,
    /// Long answers that are sent to one institution at the same time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    streams_per_institution: usize,
    /// Bytes that must be free on disk for the server to be ready; 64 MiB, or 5 % of a small disk, when empty
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    disk_reserve: Option<u64>,
    /// Connections at the same time
    #[arg(long, value_name = "N", help_heading = "Limits")]
    connections: usize,
    /// Connections at the same time from one address that is not a trusted proxy; 0 for half of them
    #[arg(long, value_name = "N", help_heading = "Limits")]
    connections_per_address: usize,
    /// Networks of proxies whose X-Forwarded-For header is believed; `none` for none
    #[arg(long, value_name = "NETWORKS", help_heading = "Limits")]
    trusted_proxies: String,
    /// Memory for bodies that are being read at the same time, in bytes; more wait
    #[arg(long, value_name = "BYTES", help_heading = "Limits")]
    body_memory: usize,
    /// Requests of one token in a window
    #[arg(long, value_name = "N", help_heading = "Limits")]
    rate_limit: u32,
    /// Seconds that a window lasts
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    rate_limit_window_seconds: u64,
    /// Seconds between two requests once the window's are used up
    #[arg(long, value_name = "SECONDS", help_heading = "Limits")]
    rate_limit_throttle_seconds: u64,
    /// Requests of one address without a valid token in a window; more get 429
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub auth_failures: u32,
    /// Seconds that the report of an export is kept
    #[arg(long, value_name = "SECONDS", help_heading = "Work in the background")]
    export_seconds: u64,
    /// Exports of one institution that may wait to be built; more are refused
    #[arg(long, value_name = "N", help_heading = "Work in the background", value_parser = clap::value_parser!(u32).range(1..))]
    pub exports_waiting: u32,
}

/// Who calls people who gave a number instead of a recording, and within which bounds.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Phone")]
pub struct Phone {
    /// `sip://user:password@trunk?from=…`, `twilio://account:token@api.twilio.com?from=…`, `signalwire://…`; nobody is
    /// called when empty
    #[arg(long, value_name = "URL")]
    phone_url: Option<String>,
    /// How the cloud reaches this server; the base URL when empty
    #[arg(long, value_name = "URL")]
    phone_callback_url: Option<String>,
    /// Attempts to call somebody, in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20))]
    phone_attempts: u32,
    /// Seconds from the end of an attempt to the next
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    phone_retry_after_seconds: Duration,
    /// Hours in which nobody is called, where they live, like 21:00-08:00; `off` for none
    #[arg(long, value_name = "HOURS")]
    phone_quiet_hours: String,
    /// Seconds that a phone rings
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    phone_ring_seconds: u32,
    /// Calls at the same time, over the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_at_once: u32,
    /// Calls that are begun in a minute, over the whole installation
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    phone_max_per_minute: u32,
    /// Calls that are begun in 24 hours, for each institution
    #[arg(long, value_name = "N")]
    phone_max_per_day: u32,
    /// Countries whose numbers may be called, like US,CA,IE; all when empty
    #[arg(long, value_name = "CODES")]
    phone_countries: Option<String>,
    /// Language of what is said, where an institution has none of its own
    #[arg(long, value_name = "LANGUAGE")]
    phone_language: String,
    /// Folder of WAV files that are said instead of ours
    #[arg(long, value_name = "DIR")]
    phone_prompts: Option<String>,
    /// Command that reads a text and writes it as spoken WAV, for names of institutions
    #[arg(long, value_name = "COMMAND")]
    phone_voice: Option<String>,
}

impl Phone {
    /// What is wrong is told without the secrets in it.
    pub fn provider(&self) -> Result<Provider, String> {
        Provider::parse(&set(&self.phone_url).unwrap_or_default())
    }

    /// Whom we call with, for a process that the outside world reaches at this address, if it does.
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

/// How work in the background is done, and where its figures are to be had.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Work in the background")]
pub struct Working {
    /// Address and port for /metrics alone; empty for the port of everything else, `off` for nowhere
    #[arg(long, value_name = "ADDRESS:PORT", help_heading = "Options")]
    metrics_listen: Option<String>,
    /// Jobs that are done at the same time; 0 for none
    #[arg(long, value_name = "N")]
    pub workers: usize,
    /// Seconds after which a worker that says nothing more is taken for dead, and its job is another's
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=60))]
    job_lease_seconds: u64,
    /// Seconds between two searches for files that nobody links to any more; 0 for none
    #[arg(long, value_name = "SECONDS")]
    sweep_seconds: u64,
    /// Seconds after which a file that nobody links to is removed
    #[arg(long, value_name = "SECONDS")]
    orphan_seconds: u64,
    /// Seconds for what is under way to end when told to stop
    #[arg(long, value_name = "SECONDS")]
    grace_seconds: u64,
}

impl Working {
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

/// Where the figures are to be had.
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

    /// As set, or from the address that we listen on.
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

/// How the world reaches a server that runs with the same settings, for commands that print links to it.
#[derive(Debug, Clone, Args)]
pub struct Reached {
    /// How the outside world reaches the server, like https://names.example.edu
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    #[arg(long, value_name = "ADDRESS:PORT", hide = true)]
    listen: String,
}

impl Reached {
    pub fn base_url(&self) -> Result<String, String> {
        match self.listen.parse() {
            Ok(listening) => base_url(&self.base_url, listening),
            Err(_) if set(&self.base_url).is_none() => {
                Err("say with --base-url how the server is reached".to_owned())
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

/// An empty text is no setting.
fn set(value: &Option<String>) -> Option<String> {
    value.clone().filter(|text| !text.trim().is_empty())
}

/// How and how much is logged. Every command has these.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Logs")]
pub struct Logging {
    /// error, warn, info or debug
    #[arg(long, value_name = "LEVEL", global = true, value_parser = ["error", "warn", "info", "debug"])]
    pub log: String,
    /// json, text, or auto: text on a terminal and JSON elsewhere
    #[arg(long, value_name = "FORMAT", global = true, value_parser = ["auto", "json", "text"])]
    pub log_format: String,
}

/// Gives every flag of the tree its environment variable and its default from the settings file.
pub fn layered(command: Command, arguments: &[String]) -> Result<Command, String> {
    let defaults: Table = DEFAULTS.parse().map_err(|e| format!("config.default.toml: {e}"))?;
    let (path, file) = match file(arguments) {
        Some(path) => {
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let table: Table = text.parse().map_err(|e| format!("{} cannot be read: {e}", path.display()))?;
            (path, table)
        }
        None => (PathBuf::new(), Table::new()),
    };
    let mut known = Vec::new();
    let command = layer(command, &defaults, &file, &mut known);
    match file.keys().find(|key| !known.contains(key)) {
        Some(key) => Err(format!("{} has a setting `{key}` that Endonym does not know", path.display())),
        None => Ok(command),
    }
}

fn layer(command: Command, defaults: &Table, file: &Table, known: &mut Vec<String>) -> Command {
    let command = command.mut_args(|arg| {
        let Some(key) = arg.get_long().map(|long| long.replace('-', "_")) else { return arg };
        // Called by another name inside: a flag about one thing, which a setting of the installation has the name of.
        if arg.get_id().as_str() != key {
            return arg;
        }
        let variable = format!("ENDONYM_{}", key.to_uppercase());
        let is_flag = matches!(arg.get_action(), ArgAction::SetTrue);
        let mut arg: Arg = arg.hide_env_values(true);
        if !is_empty(&variable) {
            arg = arg.env(variable);
        }
        if is_flag {
            arg = arg.value_parser(BoolishValueParser::new());
        }
        let from_file = file.get(&key).map(plain).filter(|value| !value.is_empty());
        // What an operator has set may be a secret, and help is no place for those.
        arg = arg.hide_default_value(from_file.is_some() && !is_flag);
        let built_in = || defaults.get(&key).map(plain).filter(|value| !value.is_empty());
        if let Some(value) = from_file.or_else(built_in) {
            arg = arg.required(false).default_value(value);
        }
        known.push(key);
        arg
    });
    command.mut_subcommands(|sub| layer(sub, defaults, file, known))
}

/// A variable that is set to nothing is no setting.
#[allow(clippy::disallowed_methods)]
fn is_empty(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value.is_empty())
}

/// A setting as it would stand on the command line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Float(number) => number.to_string(),
        // Nothing on a command line looks like these; the text makes the refusal readable.
        Value::Datetime(_) | Value::Array(_) | Value::Table(_) => format!("{value:?}"),
    }
}

/// Is there somebody to send traces to? The variables are those of OpenTelemetry, whose library reads the others itself.
#[allow(clippy::disallowed_methods)]
pub fn traces_wanted() -> bool {
    let said = |name: &str| std::env::var(name).unwrap_or_default().trim().to_lowercase();
    let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
    endpoint.iter().any(|name| !said(name).is_empty())
        && said("OTEL_SDK_DISABLED") != "true"
        && said("OTEL_TRACES_EXPORTER") != "none"
}

/// The file named by flag or environment, or the first that is there.
#[allow(clippy::disallowed_methods)]
fn file(arguments: &[String]) -> Option<PathBuf> {
    let named =
        arguments.iter().enumerate().find_map(|(at, argument)| match argument.strip_prefix("--config") {
            Some("") => arguments.get(at + 1).cloned(),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        });
    let named = named.or_else(|| std::env::var("ENDONYM_CONFIG").ok()).filter(|path| !path.is_empty());
    let usual =
        || ["endonym.toml", "/etc/endonym.toml"].map(PathBuf::from).into_iter().find(|path| path.is_file());
    named.map(PathBuf::from).or_else(usual)
}
