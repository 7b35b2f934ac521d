//! Mail: the operator's mail server or a directory, what a message looks like on the wire, and its texts. Nothing here knows
//! tenants or the database.

mod outgoing;
pub mod render;
mod smtp;

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use crate::domain::language::Language;
use crate::domain::{account::Account, mail_pace::MailPace};
pub use outgoing::{Mailbox, OutgoingMail};
use percent_encoding::percent_decode_str;
pub use render::Rendered;
use smtp::{Client, Security};
use url::Url;

/// Why a message was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Another attempt may succeed.
    Temporary(String),
    /// The server has rejected this message.
    Permanent(String),
    /// There is no way to this recipient, for any message.
    Recipient(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Temporary(why) | Self::Permanent(why) | Self::Recipient(why) => f.write_str(why),
        }
    }
}

/// The end of an attempt to hand a message over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handover {
    /// With the server's answer.
    Accepted(String),
    Refused(Fault),
    /// The answer was lost: the server may have accepted the message.
    Unknown(String),
}

/// The settings as given by the operator.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub url: String,
    pub from: String,
    pub timeout: Duration,
    pub ca_file: Option<PathBuf>,
    /// Messages that the mail server gets in a minute.
    pub per_minute: u32,
}

/// Sends messages. Cheap to clone.
#[derive(Clone, Default)]
pub struct Mailer {
    transport: Transport,
    pace: MailPace,
}

#[derive(Clone, Default)]
enum Transport {
    /// Mail is not configured.
    #[default]
    None,
    Smtp(Arc<Client>, Mailbox),
    /// Writes each message to a file, for trying out.
    Directory(PathBuf, Mailbox),
}

const NOT_CONFIGURED: &str = "mail is not configured: set mail_url";

impl Mailer {
    /// The error is a sentence without secrets.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let url = settings.url.trim();
        if url.is_empty() {
            return Ok(Self::default());
        }
        let from = Mailbox::parse(&settings.from).ok_or_else(|| match settings.from.trim() {
            "" => {
                "mail_url needs mail_from, the sender, like `Names at Example <names@example.edu>`".to_owned()
            }
            given => {
                format!("mail_from must look like `Names at Example <names@example.edu>`, not `{given}`")
            }
        })?;
        let pace = MailPace::new(settings.per_minute);
        if let Some(directory) = url.strip_prefix("file:") {
            return Ok(Self { transport: directory_transport(directory, from)?, pace });
        }
        let smtp = smtp_settings(url, settings.timeout, settings.ca_file.clone())?;
        Ok(Self { transport: Transport::Smtp(Arc::new(Client::new(smtp)?), from), pace })
    }

    pub fn is_configured(&self) -> bool {
        !matches!(self.transport, Transport::None)
    }

    /// For display, without secrets.
    pub fn shown(&self) -> String {
        match &self.transport {
            Transport::None => "none".to_owned(),
            Transport::Smtp(client, from) => format!("{} as {}", client.shown(), from.address()),
            Transport::Directory(path, _) => format!("files in {}", path.display()),
        }
    }

    /// How fast messages of the outbox are to be sent.
    pub const fn pace(&self) -> MailPace {
        self.pace
    }

    /// Does everything that can be done without the message being accepted.
    pub async fn prepare(&self, mail: &OutgoingMail) -> Result<Prepared, Fault> {
        match &self.transport {
            Transport::None => Err(Fault::Temporary(NOT_CONFIGURED.to_owned())),
            Transport::Smtp(client, from) => {
                let formatted = mail.format(from)?;
                client.prepare(formatted).await.map(|prepared| Prepared::Smtp(Box::new(prepared)))
            }
            Transport::Directory(path, from) => {
                let bytes = mail.format(from)?.bytes;
                Ok(Prepared::File { path: path.join(format!("{}.eml", mail.id)), bytes })
            }
        }
    }

    /// Sends a message without an outbox. Returns the server's answer.
    pub async fn send(&self, mail: &OutgoingMail) -> Result<String, String> {
        let prepared = self.prepare(mail).await.map_err(|fault| fault.to_string())?;
        match prepared.send().await {
            Handover::Accepted(answer) => Ok(answer),
            Handover::Refused(fault) => Err(fault.to_string()),
            Handover::Unknown(why) => Err(format!("the message may have been sent, but: {why}")),
        }
    }

    /// Connects and authenticates without sending anything. Returns the server's answer.
    pub async fn check(&self) -> Result<String, String> {
        match &self.transport {
            Transport::None => Err(NOT_CONFIGURED.to_owned()),
            Transport::Smtp(client, _) => client.check().await,
            Transport::Directory(path, _) => {
                let probe = path.join(".endonym-doctor");
                let written = std::fs::write(&probe, b"").and_then(|()| std::fs::remove_file(&probe));
                written
                    .map_err(|error| cannot_write(path, &error))
                    .map(|()| "the directory is writable".into())
            }
        }
    }
}

/// A message that is ready to be handed over.
pub enum Prepared {
    Smtp(Box<smtp::Prepared>),
    File { path: PathBuf, bytes: Vec<u8> },
}

impl Prepared {
    pub async fn send(self) -> Handover {
        match self {
            Self::Smtp(prepared) => prepared.send().await,
            Self::File { path, bytes } => match write(&path, &bytes).await {
                Ok(()) => Handover::Accepted(format!("written to {}", path.display())),
                Err(error) => Handover::Refused(Fault::Temporary(cannot_write(&path, &error))),
            },
        }
    }
}

/// The file appears under its name only when it is complete.
async fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let unfinished = path.with_extension("tmp");
    tokio::fs::write(&unfinished, bytes).await?;
    tokio::fs::rename(&unfinished, path).await
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write mail to {}: {error}", path.display())
}

fn directory_transport(directory: &str, from: Mailbox) -> Result<Transport, String> {
    let path = PathBuf::from(directory.strip_prefix("//").unwrap_or(directory));
    if path.as_os_str().is_empty() {
        return Err("mail_url needs a directory, like `file:outgoing-mail`".to_owned());
    }
    std::fs::create_dir_all(&path).map_err(|error| cannot_write(&path, &error))?;
    Ok(Transport::Directory(path, from))
}

const URL_FORM: &str = "mail_url must look like `smtp://user:password@host:587`, `smtps://host:465` or `file:DIR`, with \
                        special characters in user and password percent-encoded";

fn smtp_settings(url: &str, timeout: Duration, ca_file: Option<PathBuf>) -> Result<smtp::Settings, String> {
    let bad = |why: &str| format!("{why}: {URL_FORM}");
    let parsed = Url::parse(url).map_err(|error| bad(&error.to_string()))?;
    let (is_wrapped, default_port) = match parsed.scheme() {
        "smtp" => (false, 587),
        "smtps" => (true, 465),
        other => return Err(bad(&format!("`{other}:` is not a mail protocol"))),
    };
    let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(|| bad("there is no host"))?;
    if !matches!(parsed.path(), "" | "/") || parsed.query().is_some() || parsed.fragment().is_some() {
        return Err(bad("there is something behind the host"));
    }
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(String::from);
    let account = match (parsed.username(), parsed.password()) {
        ("", None) => None,
        ("", Some(_)) => return Err(bad("there is a password without a user")),
        (_, None) => return Err(bad("there is a user without a password")),
        (user, Some(password)) => Some(Account {
            user: decoded(user).map_err(|_| bad("the user is not UTF-8"))?,
            password: decoded(password).map_err(|_| bad("the password is not UTF-8"))?,
        }),
    };
    if timeout.is_zero() {
        return Err("mail_timeout_seconds must be above 0".to_owned());
    }
    let security = match (is_wrapped, is_here(host) && ca_file.is_none()) {
        (true, _) => Security::Tls,
        (false, true) => Security::Plain,
        (false, false) => Security::StartTls,
    };
    let port = parsed.port().unwrap_or(default_port);
    Ok(smtp::Settings { host: host.to_owned(), port, security, account, timeout, ca_file })
}

/// Is the host this machine?
fn is_here(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    address.map_or_else(|_| host.eq_ignore_ascii_case("localhost"), |address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Result<smtp::Settings, String> {
        smtp_settings(url, Duration::from_secs(30), None)
    }

    #[test]
    fn a_url_names_host_port_account_and_protection() {
        let settings = parsed("smtp://names%40example.edu:p%3A%2F%23%C3%A9@mail.example.edu").unwrap();
        assert_eq!((settings.host.as_str(), settings.port), ("mail.example.edu", 587));
        assert_eq!(settings.security, Security::StartTls);
        let account = settings.account.unwrap();
        assert_eq!((account.user.as_str(), account.password.as_str()), ("names@example.edu", "p:/#é"));
        let settings = parsed("smtps://mail.example.edu").unwrap();
        assert_eq!((settings.port, settings.security, settings.account), (465, Security::Tls, None));
        assert_eq!(parsed("smtp://mail.example.edu:25/").unwrap().port, 25);
    }

    #[test]
    fn only_this_machine_is_reached_without_encryption() {
        for (host, security) in [
            ("localhost", Security::Plain),
            ("127.0.0.1", Security::Plain),
            ("[::1]", Security::Plain),
            ("127.0.0.1.example.edu", Security::StartTls),
            ("10.0.0.1", Security::StartTls),
            ("localhost.example.edu", Security::StartTls),
        ] {
            assert_eq!(parsed(&format!("smtp://{host}:2525")).unwrap().security, security, "{host}");
        }
        let with_ca = smtp_settings("smtp://localhost", Duration::from_secs(1), Some("ca.pem".into()));
        assert_eq!(with_ca.unwrap().security, Security::StartTls);
    }

    #[test]
    fn a_bad_url_is_refused_without_naming_the_password() {
        for url in [
            "mail.example.edu",
            "http://mail.example.edu",
            "smtp://",
            "smtp://user@mail.example.edu",
            "smtp://:s3cret@mail.example.edu",
            "smtp://user:s3cret/x@mail.example.edu",
            "smtp://user:s3cret@mail.example.edu/inbox",
            "smtp://user:s3cret@mail.example.edu?tls=no",
            "smtp://user:s3cret@mail.example.edu:70000",
        ] {
            let why = parsed(url).expect_err(url);
            assert!(why.contains("smtp://user:password@host:587") && !why.contains("s3cret"), "{why}");
        }
    }

    #[test]
    fn a_sender_is_required() {
        let settings = |from: &str| Settings {
            url: "smtp://localhost".into(),
            from: from.into(),
            timeout: Duration::from_secs(1),
            ca_file: None,
            per_minute: 600,
        };
        for from in ["", "Names at Example", "names@"] {
            assert!(Mailer::new(&settings(from)).is_err_and(|why| why.contains("mail_from")), "{from}");
        }
        assert!(
            Mailer::new(&settings("Names <names@example.edu>")).is_ok_and(|mailer| mailer.is_configured())
        );
        assert!(Mailer::new(&Settings::default()).is_ok_and(|mailer| !mailer.is_configured()));
    }
}
