//! Rate limits that nodes share.

use std::{sync::Arc, time::Duration};

use clap::Args;

use super::set;
use crate::{
    app::limiter::{Leases, Sharing},
    store::{
        Db,
        valkey::{self, Valkey},
    },
};

/// How several nodes share rate limits.
#[derive(Debug, Clone, Args)]
pub struct SharedLimits {
    /// Where the rate limits of all nodes are counted: `redis://user:password@host:6379/0`, `rediss://…` for TLS, or `local` for each
    /// process by itself; when empty, in PostgreSQL, and with SQLite in memory
    #[arg(long, value_name = "URL", help_heading = "Limits")]
    limits_url: Option<String>,
    /// Number of nodes: while the store of rate limits does not answer, each accepts what was left divided by it
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
