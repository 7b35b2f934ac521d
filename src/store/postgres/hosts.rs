//! The hosts in a database URL. All connections go to one of them, the one that accepts writes. A watcher finds out when
//! that is another one. All connections to the former are closed then: a frozen server neither responds nor closes anything.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use deadpool_postgres::Connect;
use futures_util::{
    StreamExt,
    future::{BoxFuture, join, join_all},
    stream::FuturesUnordered,
};
use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep, timeout, timeout_at},
};
use tokio_postgres::{Client, Config, SimpleQueryMessage, error::SqlState};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_util::task::AbortOnDropHandle;

use super::{host_configs, values::with_sources};
use crate::store::db::{Error, Result};
use crate::tasks;

/// How long a search lasts at most. Then it is reported what is wrong: at the start to the caller, later in the log.
const SEARCH: Duration = Duration::from_secs(2);
/// Pause before a host is asked again.
const PAUSE: Duration = Duration::from_millis(200);
/// When one host can be used, the others have this time to show that they were promoted later.
const GRACE: Duration = Duration::from_millis(300);
/// How often the watcher asks the host in use, and how long it waits for the response. If that host responds to the
/// search that follows, nothing happens. So the time can be short.
const PING_INTERVAL: Duration = Duration::from_secs(1);
const PING_TIMEOUT: Duration = Duration::from_secs(1);
/// How often the log repeats the same warning.
const REPEAT: Duration = Duration::from_secs(60);

type Opened = std::result::Result<(Client, JoinHandle<()>), tokio_postgres::Error>;

#[derive(Clone)]
pub struct Hosts(Arc<Shared>);

struct Shared {
    /// One configuration for each host.
    configs: Vec<Config>,
    tls: MakeRustlsConnect,
    /// Connection timeout for each host.
    timeout: Duration,
    /// The host in use. When it changes, the tasks of all connections end: statements in progress fail, and the pools drop
    /// the connections.
    chosen: watch::Sender<Chosen>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Chosen {
    host: usize,
    history: History,
}

/// Which data a server has. Each promotion starts a new timeline, so a former primary that still accepts writes has a lower one.
/// Parts are empty if the server does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct History {
    /// Equal for a primary and its standbys. Timelines of different systems cannot be compared.
    system: String,
    /// Hexadecimal, with eight digits.
    timeline: String,
}

impl History {
    async fn of(client: &Client) -> std::result::Result<Self, tokio_postgres::Error> {
        let system = told(client, "SELECT system_identifier FROM pg_control_system()").await?;
        let timeline = told(client, "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)").await?;
        Ok(Self { system, timeline })
    }

    /// Was this server promoted later?
    fn supersedes(&self, other: &Self) -> bool {
        !other.timeline.is_empty() && self.system == other.system && self.timeline > other.timeline
    }
}

impl Hosts {
    pub fn new(config: &Config, tls: &MakeRustlsConnect, timeout: Duration) -> Result<Self> {
        let configs = host_configs::split(config)?;
        let chosen = watch::Sender::new(Chosen::default());
        Ok(Self(Arc::new(Shared { configs, tls: tls.clone(), timeout, chosen })))
    }

    /// With several hosts: finds the one to use, and watches it over a connection of its own until the handle is dropped.
    pub async fn watch(&self) -> Result<Option<AbortOnDropHandle<()>>> {
        if self.0.configs.len() == 1 {
            return Ok(None);
        }
        let link = self.find().await?;
        self.choose(&link);
        Ok(Some(AbortOnDropHandle::new(tasks::spawn(self.clone().keep_watching(link)))))
    }

    async fn keep_watching(self, mut link: Link) {
        let (mut news, mut asks_others) = (News::default(), false);
        loop {
            sleep(PING_INTERVAL).await;
            asks_others = !asks_others && !link.history.timeline.is_empty();
            let newer = async { if asks_others { self.newer(&link, &mut news).await } else { None } };
            let (responds, newer) = join(link.responds(), newer).await;
            if let Some(newer) = newer {
                link = newer;
            } else if responds {
                continue;
            } else {
                tracing::warn!(host = self.name(link.host), "the database server does not respond");
                // Its connection counts, so it is closed first.
                drop(link);
                link = self.find_again(&mut news).await;
            }
            let host = self.name(link.host);
            if self.choose(&link) {
                tracing::warn!(host, "using another database server");
            } else {
                tracing::info!(host, "the database server responds again");
            }
        }
    }

    /// A server that was promoted although the one in use still responds.
    async fn newer(&self, link: &Link, news: &mut News) -> Option<Link> {
        let others = (0..self.0.configs.len()).filter(|host| *host != link.host);
        let mut newer: Option<Link> = None;
        // A standby refuses at once.
        for other in join_all(others.map(|host| self.attempt(host))).await.into_iter().flatten() {
            let latest = newer.as_ref().map_or(&link.history, |newer| &newer.history);
            if other.history.supersedes(latest) {
                newer = Some(other);
            } else if latest.supersedes(&other.history) && news.is_new(&self.former(other.host)) {
                tracing::warn!(
                    host = self.name(other.host),
                    "a former primary still accepts writes: stop it"
                );
            }
        }
        newer
    }

    async fn find_again(&self, news: &mut News) -> Link {
        loop {
            match self.find().await {
                Ok(link) => return link,
                Err(error) if news.is_new(&error.to_string()) => {
                    tracing::warn!(%error, "no database server accepts writes");
                }
                Err(_) => {}
            }
        }
    }

    /// Asks all hosts at once, each again and again: a frozen one delays no other. Takes the one that was promoted last; of equal
    /// ones, the one in use.
    async fn find(&self) -> Result<Link> {
        let hosts = 0..self.0.configs.len();
        let known = self.0.chosen.borrow().clone();
        let mut faults: BTreeMap<usize, String> =
            hosts.clone().map(|host| (host, format!("{}: no response", self.name(host)))).collect();
        let mut attempts: FuturesUnordered<_> =
            hosts.map(|host| self.attempt_after(Duration::ZERO, host)).collect();
        let mut best: Option<Link> = None;
        let mut end = Instant::now() + SEARCH;
        while let Ok(Some((host, attempted))) = timeout_at(end, attempts.next()).await {
            let usable = match attempted {
                Ok(link) if known.history.supersedes(&link.history) => Err(self.former(host)),
                attempted => attempted,
            };
            match usable {
                Ok(link) if link.history.supersedes(&known.history) => return Ok(link),
                Ok(link) => {
                    if best.is_none() {
                        end = Instant::now() + GRACE;
                    }
                    let is_better = best.as_ref().is_none_or(|best| {
                        let is_in_use = host == known.host && !best.history.supersedes(&link.history);
                        is_in_use || link.history.supersedes(&best.history)
                    });
                    if is_better {
                        best = Some(link);
                    }
                }
                // It has had its say.
                Err(_) if best.is_some() => {}
                Err(fault) => {
                    faults.insert(host, fault);
                    attempts.push(self.attempt_after(PAUSE, host));
                }
            }
        }
        best.ok_or_else(|| Error::Unavailable(faults.into_values().collect::<Vec<_>>().join("; ")))
    }

    async fn attempt_after(
        &self,
        pause: Duration,
        host: usize,
    ) -> (usize, std::result::Result<Link, String>) {
        sleep(pause).await;
        (host, self.attempt(host).await)
    }

    async fn attempt(&self, host: usize) -> std::result::Result<Link, String> {
        let limit = self.0.timeout;
        match timeout(limit, self.link(host)).await {
            Ok(Ok(link)) => Ok(link),
            Ok(Err(error)) => Err(format!("{}: {}", self.name(host), with_sources(&error))),
            Err(_) => Err(format!("{}: no response within {limit:?}", self.name(host))),
        }
    }

    async fn link(&self, host: usize) -> std::result::Result<Link, tokio_postgres::Error> {
        let (client, task) = self.open(host, None).await?;
        let task = AbortOnDropHandle::new(task);
        let history = History::of(&client).await?;
        Ok(Link { host, client, history, _task: task })
    }

    /// With `changes`, the connection is closed when another host is chosen.
    async fn open(&self, host: usize, changes: Option<watch::Receiver<Chosen>>) -> Opened {
        let (client, connection) = self.0.configs[host].connect(self.0.tls.clone()).await?;
        let task = tasks::spawn(async move {
            let ended = match changes {
                None => connection.await,
                Some(mut changes) => tokio::select! {
                    biased;
                    ended = connection => ended,
                    Ok(()) = changes.changed() => Ok(()),
                },
            };
            if let Err(error) = ended {
                tracing::warn!(error = with_sources(&error), "a database connection failed");
            }
        });
        Ok((client, task))
    }

    /// All connections go to this host from now on. If it is another one, or if it has other data than before, those that are
    /// open are closed, also if they are in use. Returns true then.
    fn choose(&self, link: &Link) -> bool {
        let chosen = Chosen { host: link.host, history: link.history.clone() };
        self.0.chosen.send_if_modified(|current| {
            let is_changed = *current != chosen;
            *current = chosen;
            is_changed
        })
    }

    fn former(&self, host: usize) -> String {
        format!("{}: it was the primary before another server was promoted", self.name(host))
    }

    fn name(&self, host: usize) -> String {
        host_configs::name(&self.0.configs[host])
    }
}

/// The pools connect to the host in use.
impl Connect for Hosts {
    fn connect(&self, _: &Config) -> BoxFuture<'_, Opened> {
        Box::pin(async move {
            if self.0.configs.len() == 1 {
                return self.open(0, None).await;
            }
            let mut changes = self.0.chosen.subscribe();
            loop {
                let host = changes.borrow_and_update().host;
                // It has seen the same changes, so none is missed.
                let later = changes.clone();
                tokio::select! {
                    biased;
                    Ok(()) = changes.changed() => {}
                    opened = self.open(host, Some(later)) => return opened,
                }
            }
        })
    }
}

/// The watcher's connection.
struct Link {
    host: usize,
    client: Client,
    history: History,
    _task: AbortOnDropHandle<()>,
}

impl Link {
    /// Does it still accept writes?
    async fn responds(&self) -> bool {
        let question = self.client.simple_query("SHOW transaction_read_only");
        let answer = timeout(PING_TIMEOUT, question).await;
        answer.is_ok_and(|answer| answer.is_ok_and(|answer| value(&answer) == Some("off")))
    }
}

/// Keeps the log from repeating itself.
#[derive(Default)]
struct News(Option<(String, Instant)>);

impl News {
    fn is_new(&mut self, text: &str) -> bool {
        let is_old = self.0.as_ref().is_some_and(|(last, at)| last == text && at.elapsed() < REPEAT);
        if !is_old {
            self.0 = Some((text.to_owned(), Instant::now()));
        }
        !is_old
    }
}

/// Empty if this role may not ask, or if the server does not know the function. Any other error may be temporary.
async fn told(client: &Client, question: &str) -> std::result::Result<String, tokio_postgres::Error> {
    let never =
        [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::UNDEFINED_FUNCTION, SqlState::FEATURE_NOT_SUPPORTED];
    match client.simple_query(question).await {
        Ok(answer) => Ok(value(&answer).unwrap_or_default().to_owned()),
        Err(error) if error.code().is_some_and(|code| never.contains(code)) => Ok(String::new()),
        Err(error) => Err(error),
    }
}

fn value(answer: &[SimpleQueryMessage]) -> Option<&str> {
    answer.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.try_get(0).ok().flatten(),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(system: &str, timeline: &str) -> History {
        History { system: system.to_owned(), timeline: timeline.to_owned() }
    }

    #[test]
    fn a_later_timeline_of_the_same_system_supersedes() {
        for (one, other, expected) in [
            (history("7", "00000002"), history("7", "00000001"), true),
            (history("7", "00000010"), history("7", "0000000F"), true),
            (history("7", "00000001"), history("7", "00000001"), false),
            (history("7", "00000001"), history("7", "00000002"), false),
            // Another system.
            (history("8", "00000002"), history("7", "00000001"), false),
            // What the role may not read.
            (history("", "00000002"), history("", "00000001"), true),
            (history("", "00000002"), history("", ""), false),
        ] {
            assert_eq!(one.supersedes(&other), expected, "{one:?}, {other:?}");
        }
    }

    #[test]
    fn the_same_warning_is_not_news() {
        let mut news = News::default();
        let are_news: Vec<bool> = ["a", "a", "b", "b", "a"].iter().map(|text| news.is_new(text)).collect();
        assert_eq!(are_news, [true, false, true, false, true]);
    }
}
