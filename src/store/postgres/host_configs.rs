//! What a database URL with several hosts means, and the configuration for each of them.

use std::time::Duration;

use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

use super::{CONNECT, url::is_local};
use crate::store::db::{Error, Result};

/// Connection timeout for each of several hosts, and the longest that a URL may ask for: nodes must find a promoted standby within
/// seconds.
const CONNECT_TO_EACH: Duration = Duration::from_secs(1);
const LONGEST_TO_EACH: Duration = Duration::from_secs(2);

/// Connection timeout for one host, including authentication: the kernel of a frozen server still accepts connections.
/// To be called before `connect_timeout` is given a default.
pub fn connect_timeout(config: &Config) -> Duration {
    let (default, longest) =
        if count(config) > 1 { (CONNECT_TO_EACH, LONGEST_TO_EACH) } else { (CONNECT, CONNECT) };
    config.get_connect_timeout().copied().unwrap_or(default).min(longest)
}

/// With several hosts, the one that accepts writes is wanted.
pub fn want_writes(config: &mut Config, url: &str) -> Result<()> {
    if count(config) < 2 {
        return Ok(());
    }
    let is_given = url.contains("target_session_attrs=");
    if is_given && config.get_target_session_attrs() != TargetSessionAttrs::ReadWrite {
        let why = "with several hosts in the database URL, target_session_attrs must be read-write, which is the default: \
            all connections go to the host that accepts writes";
        return Err(Error::Broken(why.to_owned()));
    }
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    Ok(())
}

/// The host of a configuration, for messages.
pub fn name(config: &Config) -> String {
    let name = match (config.get_hosts().first(), config.get_hostaddrs().first()) {
        (Some(Host::Tcp(name)), _) => name.clone(),
        (Some(Host::Unix(path)), _) => path.display().to_string(),
        (None, Some(address)) => address.to_string(),
        (None, None) => String::new(),
    };
    config.get_ports().first().map_or_else(|| name.clone(), |port| format!("{name}:{port}"))
}

fn count(config: &Config) -> usize {
    config.get_hosts().len().max(config.get_hostaddrs().len())
}

/// One configuration for each host. The driver would try them one after the other for each new connection.
pub fn split(config: &Config) -> Result<Vec<Config>> {
    let count = count(config);
    if count < 2 {
        return Ok(vec![config.clone()]);
    }
    let fits = |given: usize| given == 0 || given == count;
    let ports = config.get_ports().len();
    if !fits(config.get_hosts().len()) || !fits(config.get_hostaddrs().len()) || ports != 1 && !fits(ports) {
        let why = "the database URL has different numbers of hosts, addresses and ports";
        return Err(Error::Broken(why.to_owned()));
    }
    Ok((0..count).map(|host| config_of(config, host)).collect())
}

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
    let mode = if is_local(&one) { SslMode::Disable } else { config.get_ssl_mode() };
    one.keepalives(config.get_keepalives())
        .keepalives_idle(config.get_keepalives_idle())
        .ssl_mode(mode)
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
        want_writes(&mut config, url).unwrap();
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
    fn only_a_unix_socket_has_no_tls() {
        let url = "postgres://me@%2Frun%2Fpostgresql,db/names?sslmode=require";
        let modes =
            |url: &str| split(&parsed(url)).unwrap().iter().map(Config::get_ssl_mode).collect::<Vec<_>>();
        assert_eq!(modes(url), [SslMode::Disable, SslMode::Require]);
        // The driver connects to the addresses.
        let url = format!("{url}&hostaddr=10.0.0.1,10.0.0.2");
        assert_eq!(modes(&url), [SslMode::Require, SslMode::Require]);
    }

    #[test]
    fn of_several_hosts_the_one_that_accepts_writes_is_wanted() {
        for (url, wanted) in [
            ("postgres://a/db", TargetSessionAttrs::Any),
            ("postgres://a,b/db", TargetSessionAttrs::ReadWrite),
            ("postgres://a,b/db?target_session_attrs=read-write", TargetSessionAttrs::ReadWrite),
            ("postgres://a/db?target_session_attrs=read-write", TargetSessionAttrs::ReadWrite),
        ] {
            assert_eq!(parsed(url).get_target_session_attrs(), wanted, "{url}");
        }
        for other in ["any", "read-only"] {
            let url = format!("postgres://a,b/db?target_session_attrs={other}");
            let refused = want_writes(&mut url.parse().unwrap(), &url).unwrap_err().to_string();
            assert!(refused.contains("must be read-write"), "{refused}");
        }
    }

    #[test]
    fn one_of_several_hosts_has_less_time() {
        for (url, time) in [
            ("postgres://a/db", CONNECT),
            ("postgres://a,b/db", CONNECT_TO_EACH),
            ("postgres://a/db?connect_timeout=3", Duration::from_secs(3)),
            ("postgres://a/db?connect_timeout=60", CONNECT),
            ("postgres://a,b/db?connect_timeout=2", Duration::from_secs(2)),
            ("postgres://a,b/db?connect_timeout=60", LONGEST_TO_EACH),
        ] {
            assert_eq!(connect_timeout(&parsed(url)), time, "{url}");
        }
    }
}
