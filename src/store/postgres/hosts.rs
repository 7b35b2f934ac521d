//! The hosts in a database URL. All connections go to one of them, the one that accepts writes. A watcher finds out when
//! that is another one, and closes all connections to the former: a frozen server neither responds nor closes anything.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deadpool_postgres::Connect;
use futures_util::future::{BoxFuture, join_all, select_ok};
use tokio::{
    task::{AbortHandle, JoinHandle},
    time::{Instant, sleep, timeout},
};
use tokio_postgres::{
    Client, Config, SimpleQueryMessage,
    config::{Host, TargetSessionAttrs},
};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

use super::{host_configs, with_sources};
use crate::store::db::{Error, Result};

/// A search asks the host in use first, and the others after this time. The first one that can be used is taken. Only at the
/// start are all of them asked at once, and the one with the latest timeline is taken.
const HEAD_START: Duration = Duration::from_millis(200);
/// Pause between two searches.
const PAUSE: Duration = Duration::from_millis(200);
/// How often the watcher asks the host in use, and how long it waits for the response. If that host responds to the
/// search that follows, nothing happens. So the time can be short.
const PING_INTERVAL: Duration = Duration::from_secs(1);
const PING_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Hosts(Arc<Shared>);

struct Shared {
    /// One configuration for each host.
    configs: Vec<Config>,
    tls: MakeRustlsConnect,
    /// Connection timeout for each host.
    timeout: Duration,
    current: Mutex<Current>,
}

/// The host in use.
struct Current {
    host: usize,
    /// Its timeline when it was found; `None` before the first search.
    timeline: Option<String>,
    /// The tasks of the pools' connections to it. If such a task ends, the connection is closed: its statement fails, and the
    /// pool drops it.
    connections: Vec<AbortHandle>,
}

impl Hosts {
    pub fn new(config: &Config, tls: &MakeRustlsConnect, timeout: Duration) -> Result<Self> {
        let configs = host_configs::split(config)?;
        let current = Mutex::new(Current { host: 0, timeline: None, connections: Vec::new() });
        Ok(Self(Arc::new(Shared { configs, tls: tls.clone(), timeout, current })))
    }

    /// With several hosts: finds the one to use, and watches it over a connection of its own until the handle is dropped.
    pub async fn watch(&self, patience: Duration) -> Result<Option<AbortOnDropHandle<()>>> {
        if self.0.configs.len() == 1 {
            return Ok(None);
        }
        let link = self.find(patience).await?;
        self.switch_to(&link);
        Ok(Some(AbortOnDropHandle::new(tokio::spawn(self.clone().keep_watching(link)))))
    }

    async fn keep_watching(self, mut link: Link) {
        loop {
            while link.responds().await {
                sleep(PING_INTERVAL).await;
            }
            tracing::warn!(host = self.name(link.host), "the database server does not respond");
            // Its connection counts, so it is closed first.
            drop(link);
            link = loop {
                if let Ok(found) = self.find(Duration::MAX).await {
                    break found;
                }
            };
            self.switch_to(&link);
        }
    }

    /// Searches until there is a host that can be used, or until `patience` ends.
    async fn find(&self, patience: Duration) -> Result<Link> {
        let started = Instant::now();
        loop {
            match self.search().await {
                Err(error) if started.elapsed() < patience => {
                    tracing::debug!(%error, "no database server accepts writes");
                    sleep(PAUSE).await;
                }
                found => return found,
            }
        }
    }

    async fn search(&self) -> Result<Link> {
        let hosts = 0..self.0.configs.len();
        let (first, is_start) = {
            let current = self.current();
            (current.host, current.timeline.is_none())
        };
        if is_start {
            return latest(join_all(hosts.map(|host| self.attempt(host))).await);
        }
        let attempts = hosts.map(|host| {
            Box::pin(async move {
                if host != first {
                    sleep(HEAD_START).await;
                }
                self.attempt(host).await
            })
        });
        let (link, _) = select_ok(attempts).await?;
        Ok(link)
    }

    async fn attempt(&self, host: usize) -> Result<Link> {
        let unusable = |why: String| Error::Unavailable(format!("{}: {why}", self.name(host)));
        let link = match timeout(self.0.timeout, self.link(host)).await {
            Ok(linked) => linked.map_err(|error| unusable(with_sources(&error)))?,
            Err(_) => return Err(unusable(format!("no response within {:?}", self.0.timeout))),
        };
        if self.current().timeline.as_ref().is_some_and(|known| link.timeline < *known) {
            return Err(unusable("it was the primary before another server was promoted".to_owned()));
        }
        Ok(link)
    }

    async fn link(&self, host: usize) -> std::result::Result<Link, tokio_postgres::Error> {
        let (client, task) = self.open(host).await?;
        let task = AbortOnDropHandle::new(task);
        let wants_writes = self.0.configs[host].get_target_session_attrs() == TargetSessionAttrs::ReadWrite;
        let timeline = if wants_writes { timeline(&client).await? } else { String::new() };
        Ok(Link { host, client, wants_writes, timeline, _task: task })
    }

    async fn open(
        &self,
        host: usize,
    ) -> std::result::Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        let (client, connection) = self.0.configs[host].connect(self.0.tls.clone()).await?;
        let task = tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(%error, "a database connection failed");
            }
        });
        Ok((client, task))
    }

    /// All connections go to this host from now on. Those to the former one are closed, also if they are in use.
    fn switch_to(&self, link: &Link) {
        let mut current = self.current();
        current.timeline = Some(link.timeline.clone());
        if current.host == link.host {
            return;
        }
        for connection in current.connections.drain(..) {
            connection.abort();
        }
        current.host = link.host;
        drop(current);
        tracing::warn!(host = self.name(link.host), "using another database server");
    }

    /// Notes a connection, so that it can be closed.
    fn note(&self, host: usize, task: &JoinHandle<()>) {
        let mut current = self.current();
        if current.host != host {
            task.abort();
            return;
        }
        current.connections.retain(|connection| !connection.is_finished());
        current.connections.push(task.abort_handle());
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.0.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For messages.
    fn name(&self, host: usize) -> String {
        let config = &self.0.configs[host];
        let name = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
            (Some(Host::Tcp(name)), _) => name.clone(),
            (Some(Host::Unix(path)), _) => path.display().to_string(),
            (None, Some(address)) => address.to_string(),
            (None, None) => String::new(),
        };
        config.get_ports().first().map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
    }
}

/// The pools connect to the host in use.
impl Connect for Hosts {
    fn connect(
        &self,
        _: &Config,
    ) -> BoxFuture<'_, std::result::Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        Box::pin(async move {
            let host = self.current().host;
            let (client, task) = self.open(host).await?;
            self.note(host, &task);
            Ok((client, task))
        })
    }
}

/// The watcher's connection.
struct Link {
    host: usize,
    client: Client,
    wants_writes: bool,
    timeline: String,
    _task: AbortOnDropHandle<()>,
}

impl Link {
    async fn responds(&self) -> bool {
        let question = self.client.simple_query("SHOW transaction_read_only");
        let Ok(Ok(answer)) = timeout(PING_TIMEOUT, question).await else { return false };
        !(self.wants_writes && value(&answer) == Some("on"))
    }
}

/// Each promotion starts a new timeline, so a former primary that still accepts writes has a lower one. Empty if the
/// server does not tell.
async fn timeline(client: &Client) -> std::result::Result<String, tokio_postgres::Error> {
    let question = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
    match client.simple_query(question).await {
        Ok(answer) => Ok(value(&answer).unwrap_or_default().to_owned()),
        Err(error) if error.as_db_error().is_some() => Ok(String::new()),
        Err(error) => Err(error),
    }
}

fn value(answer: &[SimpleQueryMessage]) -> Option<&str> {
    answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten(),
        _ => None,
    })
}

/// The link with the latest timeline.
fn latest(found: Vec<Result<Link>>) -> Result<Link> {
    let mut best: Result<Link> = Err(Error::Unavailable("the database URL has no host".to_owned()));
    for one in found {
        best = match (best, one) {
            (Ok(best), Ok(one)) if one.timeline > best.timeline => Ok(one),
            (Ok(best), _) => Ok(best),
            (Err(_), one) => one,
        };
    }
    best
}
