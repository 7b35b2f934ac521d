//! Where data is: the database, recordings and pictures, and what every command needs besides.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use super::{seconds, set};
use crate::{
    blobs::{self, Delivery},
    clock::Clock,
    outbound::{Allowed, Outbound},
    store::{self, secrets::Secrets},
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
        Secrets::replacing(key, set(&self.outside.secret_key_old), &self.data_dir)
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
    /// The key that --secret-key has replaced: it opens what it has sealed. `endonym secrets rotate` seals all stored credentials anew
    #[arg(long, value_name = "SECRET", global = true)]
    secret_key_old: Option<String>,
    /// Networks besides public ones that outbound requests may go to, also over plain http, like 10.20.0.0/16,127.0.0.0/8
    #[arg(long, value_name = "NETWORKS", global = true)]
    outbound_allow: Option<String>,
}

const MIN_SECRET_BYTES: usize = 32;
/// Shorter, every operation would fail.
const MIN_BLOBS_TIMEOUT: Duration = Duration::from_millis(100);
