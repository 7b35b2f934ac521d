//! The hosts in a database URL. All connections go to one of them, the one that accepts writes. A watcher finds out when
//! that is another one, and closes all connections to the former: a frozen server neither responds nor closes anything.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deadpool_postgres::Connect;
use futures_util::future::{BoxFuture, select_ok};
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

use super::{CONNECT, with_sources};
use crate::store::db::{Error, Result};

/// Connection timeout for each of several hosts.
const CONNECT_TO_EACH: Duration = Duration::from_secs(1);
/// A search asks the host in use first, and the others after this time.
const HEAD_START: Duration = Duration::from_millis(200);
/// Pause between two searches.
const PAUSE: Duration = Duration::from_millis(200);
/// How often the watcher asks the host in use, and how long it waits for the response. If that host responds to the
/// search that follows, nothing happens. So the time can be short.
const PING_INTERVAL: Duration = Duration::from_secs(1);
const PING_TIMEOUT: Duration = Duration::from_secs(1);

/// Connection timeout for one host, including authentication: the kernel of a frozen server still accepts connections.
/// To be called before `connect_timeout` is given a default.
pub fn connect_timeout(config: &Config) -> Duration {
    let default = if count(config) > 1 { CONNECT_TO_EACH } else { CONNECT };
    config.get_connect_timeout().copied().unwrap_or(default)
}

/// With several hosts, the one that accepts writes is wanted, unless the URL says otherwise.
pub fn want_writes(config: &mut Config, url: &str) {
    if count(config) > 1 && !url.contains("target_session_attrs=") {
        config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    }
}

fn count(config: &Config) -> usize {
    config.get_hosts().len().max(config.get_hostaddrs().len())
}

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
    /// The tasks of the pools' connections to it. If such a task ends, the connection is closed: its statement fails, and the
    /// pool drops it.
    connections: Vec<AbortHandle>,
}

impl Hosts {
    pub fn new(config: &Config, tls: &MakeRustlsConnect, timeout: Duration) -> Result<Self> {
        let configs = match count(config) {
            0 => return Err(Error::Broken("the database URL has no host".to_owned())),
            1 => vec![config.clone()],
            count => {
                let fits = |given: usize| given == 0 || given == count;
                let ports = config.get_ports().len();
                if !fits(config.get_hosts().len())
                    || !fits(config.get_hostaddrs().len())
                    || ports != 1 && !fits(ports)
                {
                    let why = "the database URL has different numbers of hosts, addresses and ports";
                    return Err(Error::Broken(why.to_owned()));
                }
                (0..count).map(|host| config_of(config, host)).collect()
            }
        };
        let current = Mutex::new(Current { host: 0, connections: Vec::new() });
        Ok(Self(Arc::new(Shared { configs, tls: tls.clone(), timeout, current })))
    }

    /// With several hosts: finds the one to use, and watches it over a connection of its own until the handle is dropped.
    pub async fn watch(&self, patience: Duration) -> Result<Option<AbortOnDropHandle<()>>> {
        if self.0.configs.len() == 1 {
            return Ok(None);
        }
        let mut link = self.find(patience).await?;
        self.switch_to(link.host);
        let hosts = self.clone();
        Ok(Some(AbortOnDropHandle::new(tokio::spawn(async move {
            loop {
                while link.responds().await {
                    sleep(PING_INTERVAL).await;
                }
                tracing::warn!(host = hosts.name(link.host), "the database server does not respond");
                // Its connection counts, so it is closed first.
                drop(link);
                link = loop {
                    if let Ok(found) = hosts.find(Duration::MAX).await {
                        break found;
                    }
                };
                hosts.switch_to(link.host);
            }
        }))))
    }

    /// Searches until a host can be used, or until `patience` ends.
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

    /// The first host that responds and can be used.
    async fn search(&self) -> Result<Link> {
        let (first, limit) = (self.current().host, self.0.timeout);
        let attempts = (0..self.0.configs.len()).map(|host| {
            Box::pin(async move {
                if host != first {
                    sleep(HEAD_START).await;
                }
                match timeout(limit, self.open(host)).await {
                    Ok(Ok((client, task))) => Ok(Link {
                        host,
                        client,
                        _task: AbortOnDropHandle::new(task),
                        wants_writes: self.0.configs[host].get_target_session_attrs()
                            == TargetSessionAttrs::ReadWrite,
                    }),
                    Ok(Err(error)) => {
                        Err(Error::Unavailable(format!("{}: {}", self.name(host), with_sources(&error))))
                    }
                    Err(_) => Err(Error::Unavailable(format!(
                        "{} did not respond within {limit:?}",
                        self.name(host)
                    ))),
                }
            })
        });
        let (link, _) = select_ok(attempts).await?;
        Ok(link)
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

    /// All connections go to this host from now on, and those to the former one are closed, also if they are in use.
    fn switch_to(&self, host: usize) {
        let mut current = self.current();
        if current.host == host {
            return;
        }
        for connection in current.connections.drain(..) {
            connection.abort();
        }
        current.host = host;
        drop(current);
        tracing::warn!(host = self.name(host), "using another database server");
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
    _task: AbortOnDropHandle<()>,
}

impl Link {
    async fn responds(&self) -> bool {
        let answer = timeout(PING_TIMEOUT, self.client.simple_query("SHOW transaction_read_only")).await;
        let Ok(Ok(messages)) = answer else { return false };
        let is_read_only = messages.iter().any(
            |message| matches!(message, SimpleQueryMessage::Row(row) if row.try_get(0).is_ok_and(|value| value == Some("on"))),
        );
        !(self.wants_writes && is_read_only)
    }
}

/// The configuration for one of several hosts. The driver would try them one after the other for each new connection.
fn config_of(config: &Config, host: usize) -> Config {
    let mut one = Config::new();
    match config.get_hosts().get(host) {
        Some(Host::Tcp(name)) => {
            one.host(name);
        }
        Some(Host::Unix(path)) => {
            one.host_path(path);
        }
        None => {}
    }
    if let Some(address) = config.get_hostaddrs().get(host) {
        one.hostaddr(*address);
    }
    if let Some(port) = config.get_ports().get(host).or_else(|| config.get_ports().first()) {
        one.port(*port);
    }
    if let Some(user) = config.get_user() {
        one.user(user);
    }
    if let Some(password) = config.get_password() {
        one.password(password);
    }
    if let Some(name) = config.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = config.get_options() {
        one.options(options);
    }
    if let Some(name) = config.get_application_name() {
        one.application_name(name);
    }
    if let Some(time) = config.get_connect_timeout() {
        one.connect_timeout(*time);
    }
    if let Some(time) = config.get_tcp_user_timeout() {
        one.tcp_user_timeout(*time);
    }
    if let Some(time) = config.get_keepalives_interval() {
        one.keepalives_interval(time);
    }
    if let Some(probes) = config.get_keepalives_retries() {
        one.keepalives_retries(probes);
    }
    one.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(config.get_ssl_mode())
        .ssl_negotiation(config.get_ssl_negotiation())
        .channel_binding(config.get_channel_binding())
        .load_balance_hosts(config.get_load_balance_hosts())
        .target_session_attrs(config.get_target_session_attrs());
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Config {
        let mut config: Config = url.parse().unwrap();
        want_writes(&mut config, url);
        config
    }

    #[test]
    fn the_configuration_for_a_host_has_every_parameter() {
        let one = "postgres://me:secret@a:1/db?options=-c%20x%3D1&application_name=endonym&sslmode=require&sslnegotiation=direct\
            &connect_timeout=3&tcp_user_timeout=4&keepalives=1&keepalives_idle=5&keepalives_interval=6&keepalives_retries=7\
            &target_session_attrs=read-write&channel_binding=require&load_balance_hosts=random&hostaddr=127.0.0.1";
        let config = parsed(one);
        assert_eq!(config_of(&config, 0), config);
        let several = parsed(&one.replace("a:1", "a:1,b:2").replace("127.0.0.1", "127.0.0.1,127.0.0.2"));
        assert_eq!(config_of(&several, 0), config);
        assert_eq!(
            config_of(&several, 1),
            parsed(&one.replace("a:1", "b:2").replace("127.0.0.1", "127.0.0.2"))
        );
    }

    #[test]
    fn of_several_hosts_the_one_that_accepts_writes_is_wanted() {
        for (url, wanted) in [
            ("postgres://a/db", TargetSessionAttrs::Any),
            ("postgres://a,b/db", TargetSessionAttrs::ReadWrite),
            ("postgres://a,b/db?target_session_attrs=any", TargetSessionAttrs::Any),
            ("postgres://a,b/db?target_session_attrs=read-only", TargetSessionAttrs::ReadOnly),
        ] {
            assert_eq!(parsed(url).get_target_session_attrs(), wanted, "{url}");
        }
    }

    #[test]
    fn one_of_several_hosts_has_less_time_unless_the_url_says_otherwise() {
        for (url, time) in [
            ("postgres://a/db", CONNECT),
            ("postgres://a,b/db", CONNECT_TO_EACH),
            ("postgres://a/db?connect_timeout=3", Duration::from_secs(3)),
            ("postgres://a,b/db?connect_timeout=3", Duration::from_secs(3)),
        ] {
            assert_eq!(connect_timeout(&parsed(url)), time, "{url}");
        }
    }
}
