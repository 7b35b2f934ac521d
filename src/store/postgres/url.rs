//! The URL of a PostgreSQL server. The driver refuses parameters that it does not know: those of libpq about TLS, and
//! `pgbouncer`, are read here.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
};

use super::{
    tls::{Check, Identity, Roots, Tls},
    values::with_sources,
    without_password,
};
use crate::store::db::{Error, Result};

/// What a path in a query, between single quotes of a shell, cannot contain as it is.
const IN_QUERY: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'&').add(b'\'').add(b'#');

#[derive(Debug)]
pub struct DatabaseUrl {
    pub config: Config,
    pub tls: Tls,
    /// Do connections lead to PgBouncer or another pooler? `None` if the URL does not say so.
    pub is_pooled: Option<bool>,
}

impl DatabaseUrl {
    /// `ca_file` is for a URL without `sslrootcert`.
    pub fn parse(url: &str, ca_file: Option<&Path>) -> Result<Self> {
        let (url, parameters) = Parameters::take_from(url)?;
        let parsed = url.parse().map_err(|error: tokio_postgres::Error| invalid(&with_sources(&error)));
        let mut config: Config = parsed?;
        if config.get_hosts().is_empty() {
            // For TLS, the driver needs a name.
            for address in config.get_hostaddrs().to_vec() {
                config.host(address.to_string());
            }
        }
        let (mode, check) = parameters.security(ca_file)?;
        config.ssl_mode(if is_local(&config) { SslMode::Disable } else { mode });
        let (identity, is_pooled) = (parameters.identity()?, parameters.is_pooled()?);
        Ok(Self { config, tls: Tls { check, identity }, is_pooled })
    }
}

/// PostgreSQL has no TLS over Unix sockets, and libpq ignores the mode there. An address takes precedence over a socket.
pub fn is_local(config: &Config) -> bool {
    let hosts = config.get_hosts();
    let has_address = !config.get_hostaddrs().is_empty();
    !has_address && !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)))
}

fn invalid(why: &dyn std::fmt::Display) -> Error {
    Error::Broken(format!("invalid database URL: {why}"))
}

/// Parameters that the driver does not know. An empty value is none, except for the mode.
#[derive(Debug, Default)]
struct Parameters<'a> {
    mode: Option<Cow<'a, str>>,
    root_certificate: Option<Cow<'a, str>>,
    certificate: Option<Cow<'a, str>>,
    key: Option<Cow<'a, str>>,
    pgbouncer: Option<Cow<'a, str>>,
}

impl<'a> Parameters<'a> {
    /// Returns the URL without them, too.
    fn take_from(url: &'a str) -> Result<(Cow<'a, str>, Self)> {
        let mut taken = Self::default();
        // The driver splits in the same way. A password may contain `?`.
        let start = url.find('@').unwrap_or(0);
        let Some((before, query)) = url.split_at_checked(start).and_then(|(credentials, rest)| {
            let (place, query) = rest.split_once('?')?;
            Some((format!("{credentials}{place}"), query))
        }) else {
            return Ok((Cow::Borrowed(url), taken));
        };
        let mut left = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key = decoded(key)?;
            let place = match &*key {
                "sslmode" => &mut taken.mode,
                "sslrootcert" => &mut taken.root_certificate,
                "sslcert" => &mut taken.certificate,
                "sslkey" => &mut taken.key,
                "pgbouncer" => &mut taken.pgbouncer,
                _ => {
                    left.push(pair);
                    continue;
                }
            };
            // An empty mode is a mistake, for example a variable that is not set. It must not mean `prefer`.
            *place = Some(decoded(value)?).filter(|value| !value.is_empty() || key == "sslmode");
        }
        let question = if left.is_empty() { "" } else { "?" };
        Ok((Cow::Owned(format!("{before}{question}{}", left.join("&"))), taken))
    }

    /// The meanings of libpq, with one exception: if the server's certificate is not trusted, `prefer` with a root
    /// certificate fails. libpq would go on without encryption.
    fn security(&self, ca_file: Option<&Path>) -> Result<(SslMode, Check)> {
        let is_system = self.root_certificate.as_deref() == Some("system");
        let named = self.root_certificate.as_deref().filter(|_| !is_system).map(PathBuf::from);
        let file = named.or_else(|| ca_file.filter(|_| !is_system).map(Path::to_owned));
        let default = if is_system { "verify-full" } else { "prefer" };
        let mode = self.mode.as_deref().unwrap_or(default);
        if is_system && mode != "verify-full" {
            return Err(invalid(
                &"sslrootcert=system needs sslmode=verify-full: a weaker mode would trust every server that has a \
                  certificate of a public CA",
            ));
        }
        let chain = |file: Option<PathBuf>| file.map_or(Check::Nothing, Check::Chain);
        Ok(match (mode, file) {
            ("disable", _) => (SslMode::Disable, Check::Nothing),
            ("prefer", file) => (SslMode::Prefer, chain(file)),
            ("require", file) => (SslMode::Require, chain(file)),
            ("verify-ca", Some(file)) => (SslMode::Require, Check::Chain(file)),
            ("verify-ca", None) => {
                return Err(invalid(
                    &"sslmode=verify-ca needs the certificate of a CA: set sslrootcert=FILE or database_ca_file, or \
                      use sslmode=verify-full, which trusts the system's",
                ));
            }
            ("verify-full", file) => {
                (SslMode::Require, Check::ChainAndName(file.map_or(Roots::System, Roots::File)))
            }
            (other, _) => {
                return Err(invalid(&format_args!(
                    "sslmode={other} is not supported: use disable, prefer, require, verify-ca or verify-full"
                )));
            }
        })
    }

    fn identity(&self) -> Result<Option<Identity>> {
        match (self.certificate.as_deref(), self.key.as_deref()) {
            (None, None) => Ok(None),
            (Some(certificate), Some(key)) => {
                Ok(Some(Identity { certificate: certificate.into(), key: key.into() }))
            }
            _ => Err(invalid(&"sslcert and sslkey belong together: set both, or none")),
        }
    }

    fn is_pooled(&self) -> Result<Option<bool>> {
        match self.pgbouncer.as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(invalid(&"pgbouncer is true or false")),
        }
    }
}

/// The URL for PostgreSQL's own programs: without its password, and with the certificates that we trust. They know nothing
/// of `database_ca_file`, and `verify-full` alone does not make them trust those of the system.
pub fn url_for_programs(url: &str, ca_file: Option<&Path>) -> String {
    let shown = without_password(url);
    let Ok((_, parameters)) = Parameters::take_from(url) else { return shown };
    if parameters.root_certificate.is_some() {
        return shown;
    }
    let trusted = match ca_file {
        Some(file) => utf8_percent_encode(&file.to_string_lossy(), IN_QUERY).to_string(),
        None if parameters.mode.as_deref() == Some("verify-full") => "system".to_owned(),
        None => return shown,
    };
    let separator = if shown.contains('?') { '&' } else { '?' };
    format!("{shown}{separator}sslrootcert={trusted}")
}

fn decoded(text: &str) -> Result<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().map_err(|error| invalid(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(query: &str, ca_file: Option<&str>) -> Result<DatabaseUrl> {
        DatabaseUrl::parse(&format!("postgres://me:pass@db/names?{query}"), ca_file.map(Path::new))
    }

    fn refused(query: &str) -> String {
        parsed(query, None).unwrap_err().to_string()
    }

    #[test]
    fn modes_have_the_meanings_of_libpq() {
        let (chain, full) = (|file: &str| Check::Chain(file.into()), Check::ChainAndName);
        let file = |name: &str| Roots::File(name.into());
        for (query, ca_file, mode, check) in [
            ("", None, SslMode::Prefer, Check::Nothing),
            ("sslmode=disable", None, SslMode::Disable, Check::Nothing),
            ("sslmode=disable&sslrootcert=a.pem", None, SslMode::Disable, Check::Nothing),
            ("sslmode=prefer", None, SslMode::Prefer, Check::Nothing),
            ("sslmode=require", None, SslMode::Require, Check::Nothing),
            // With a root certificate, the chain is checked.
            ("sslrootcert=a.pem", None, SslMode::Prefer, chain("a.pem")),
            ("sslmode=require&sslrootcert=a.pem", None, SslMode::Require, chain("a.pem")),
            ("sslmode=require", Some("b.pem"), SslMode::Require, chain("b.pem")),
            ("sslmode=verify-ca&sslrootcert=a.pem", None, SslMode::Require, chain("a.pem")),
            ("sslmode=verify-ca", Some("b.pem"), SslMode::Require, chain("b.pem")),
            ("sslmode=verify-full&sslrootcert=a.pem", None, SslMode::Require, full(file("a.pem"))),
            ("sslmode=verify-full", Some("b.pem"), SslMode::Require, full(file("b.pem"))),
            // The URL takes precedence.
            ("sslmode=verify-full&sslrootcert=a.pem", Some("b.pem"), SslMode::Require, full(file("a.pem"))),
            ("sslmode=verify-full&sslrootcert=", Some("b.pem"), SslMode::Require, full(file("b.pem"))),
            ("sslmode=verify-full", None, SslMode::Require, full(Roots::System)),
            ("sslrootcert=system", None, SslMode::Require, full(Roots::System)),
            ("sslrootcert=system&sslmode=verify-full", Some("b.pem"), SslMode::Require, full(Roots::System)),
        ] {
            let url = parsed(query, ca_file).unwrap();
            assert_eq!((url.config.get_ssl_mode(), url.tls.check), (mode, check), "{query} {ca_file:?}");
        }
    }

    #[test]
    fn what_would_check_less_than_it_seems_to_is_refused() {
        for (query, expected) in [
            ("sslmode=verify-ca", "set sslrootcert=FILE or database_ca_file"),
            ("sslmode=require&sslrootcert=system", "needs sslmode=verify-full"),
            ("sslmode=allow", "use disable, prefer, require, verify-ca or verify-full"),
            ("sslmode=verify_full", "sslmode=verify_full is not supported"),
            ("sslmode=", "sslmode= is not supported"),
            ("sslmode", "sslmode= is not supported"),
            ("sslcert=me.pem", "belong together"),
            ("pgbouncer=yes", "pgbouncer is true or false"),
            ("sslrootcert=%ff", "invalid database URL"),
            ("sslrootcet=a.pem", "invalid database URL"),
        ] {
            let said = refused(query);
            assert!(said.contains(expected), "{query}: {said}");
        }
    }

    #[test]
    fn the_driver_gets_everything_else() {
        let query = "connect_timeout=7&sslrootcert=%2Fetc%2Fca%20file.pem&pgbouncer=true&application_name=x&sslmode=verify-ca";
        let url = DatabaseUrl::parse(&format!("postgres://me:a?sslmode=x@one:1,two:2/names?{query}"), None);
        let DatabaseUrl { config, tls, is_pooled } = url.unwrap();
        assert_eq!(config.get_hosts(), [Host::Tcp("one".to_owned()), Host::Tcp("two".to_owned())]);
        assert_eq!((config.get_user(), config.get_dbname()), (Some("me"), Some("names")));
        assert_eq!(config.get_password(), Some(b"a?sslmode=x".as_slice()));
        assert_eq!(config.get_connect_timeout(), Some(&std::time::Duration::from_secs(7)));
        assert_eq!(config.get_application_name(), Some("x"));
        assert_eq!(tls.check, Check::Chain("/etc/ca file.pem".into()));
        assert_eq!(is_pooled, Some(true));

        let url = parsed("pgbouncer=false&sslcert=me.pem&sslkey=me.key", None).unwrap();
        let identity = Identity { certificate: "me.pem".into(), key: "me.key".into() };
        assert_eq!((url.is_pooled, url.tls.identity), (Some(false), Some(identity)));
        assert_eq!(DatabaseUrl::parse("postgres://db/names", None).unwrap().is_pooled, None);
    }

    #[test]
    fn unix_sockets_have_no_tls() {
        for (address, mode) in [
            ("/names?host=/run/postgresql", SslMode::Disable),
            ("%2Frun%2Fpostgresql,%2Ftmp/names?connect_timeout=1", SslMode::Disable),
            // The driver connects to the address.
            ("/names?host=/run/postgresql&hostaddr=10.0.0.1", SslMode::Require),
            // Decided for each of them.
            ("%2Frun%2Fpostgresql,db/names?connect_timeout=1", SslMode::Require),
        ] {
            let url = format!("postgres://{address}&sslmode=verify-full");
            let DatabaseUrl { config, .. } = DatabaseUrl::parse(&url, None).unwrap();
            assert_eq!(config.get_ssl_mode(), mode, "{address}");
        }
    }

    #[test]
    fn an_address_without_a_name_is_its_own_name() {
        let url = "postgres:///names?hostaddr=10.0.0.1,::1&sslmode=verify-full";
        let DatabaseUrl { config, .. } = DatabaseUrl::parse(url, None).unwrap();
        assert_eq!(config.get_hosts(), [Host::Tcp("10.0.0.1".to_owned()), Host::Tcp("::1".to_owned())]);
        assert_eq!(config.get_hostaddrs().len(), 2);
    }

    #[test]
    fn programs_of_postgresql_trust_the_same_certificates() {
        for (query, ca_file, expected) in [
            ("", None, ""),
            ("?sslmode=require", None, "?sslmode=require"),
            ("?sslmode=require", Some("/etc/ca.pem"), "?sslmode=require&sslrootcert=/etc/ca.pem"),
            ("", Some("/etc/our 'ca'.pem"), "?sslrootcert=/etc/our%20%27ca%27.pem"),
            ("?pgbouncer=true", Some("ca.pem"), "?sslrootcert=ca.pem"),
            ("?sslrootcert=a.pem", Some("b.pem"), "?sslrootcert=a.pem"),
            ("?sslmode=verify-full", None, "?sslmode=verify-full&sslrootcert=system"),
            ("?sslmode=verify-full&sslrootcert=a.pem", None, "?sslmode=verify-full&sslrootcert=a.pem"),
        ] {
            let url = format!("postgres://me:secret@db/names{query}");
            let shown = url_for_programs(&url, ca_file.map(Path::new));
            assert_eq!(shown, format!("postgres://me@db/names{expected}"));
        }
    }
}
