//! The SMTP client: connections to the operator's mail server, and the dialog for one message. The dialog is conducted command by
//! command, because the caller must know whether the server can have accepted the message.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use lettre::transport::smtp::{
    self,
    authentication::{Credentials, Mechanism},
    client::{AsyncSmtpConnection, Certificate, TlsParameters},
    commands::{Data, Mail, Noop, Rcpt},
    extension::{ClientId, Extension, MailParameter},
    response::Response,
};

use super::{Fault, Handover, outgoing::Formatted};
use crate::domain::account::Account;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub account: Option<Account>,
    pub timeout: Duration,
    /// PEM file with certificates to trust besides those of the system.
    pub ca_file: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// Unencrypted, for a mail server on this machine.
    Plain,
    /// Starts unencrypted, and continues only with TLS.
    StartTls,
    /// TLS from the first byte.
    Tls,
}

/// Idle connections to keep. A process never has more of them than workers.
const IDLE: usize = 4;

/// The longest reply that is stored or shown.
const LONGEST_ANSWER: usize = 500;

pub struct Client {
    settings: Settings,
    tls: Option<TlsParameters>,
    hello: ClientId,
    /// Connections that are ready for another message.
    idle: Mutex<Vec<AsyncSmtpConnection>>,
}

/// A failed step of the dialog.
enum Failure {
    /// The server's reply: 4xx or 5xx.
    Reply { permanent: bool, text: String },
    /// No reply: the connection failed, or the time is up.
    Broken(String),
}

impl Client {
    pub fn new(settings: Settings) -> Result<Self, String> {
        let tls = match settings.security {
            Security::Plain => None,
            Security::StartTls | Security::Tls => Some(tls(&settings)?),
        };
        Ok(Self { settings, tls, hello: ClientId::default(), idle: Mutex::default() })
    }

    /// For display, without secrets.
    pub fn shown(&self) -> String {
        let Settings { host, port, security, .. } = &self.settings;
        let how = match security {
            Security::Plain => "unencrypted",
            Security::StartTls => "STARTTLS",
            Security::Tls => "TLS",
        };
        format!("{host}:{port} ({how})")
    }

    /// Conducts the dialog up to the recipient. Nothing is accepted until `Prepared::send`.
    pub async fn prepare(self: &Arc<Self>, formatted: Formatted) -> Result<Prepared, Fault> {
        let mut connection = match self.idle_connection().await {
            Some(connection) => connection,
            // Whatever the server answers here is not about this message, so it is worth another attempt.
            None => self.connect().await.map_err(Fault::Temporary)?,
        };
        let mut parameters = Vec::new();
        if !(formatted.from.as_ref() as &str).is_ascii() || !(formatted.to.as_ref() as &str).is_ascii() {
            if !connection.server_info().supports_feature(Extension::SmtpUtfEight) {
                self.keep(connection);
                return Err(Fault::Recipient(format!(
                    "the mail server does not support SMTPUTF8, which the address `{}` requires",
                    formatted.to
                )));
            }
            parameters.push(MailParameter::SmtpUtfEight);
        }
        let mail = Mail::new(Some(formatted.from.clone()), parameters);
        let rcpt = Rcpt::new(formatted.to.clone(), Vec::new());
        let fault = match self.within(connection.command(mail)).await {
            Ok(_) => match self.within(connection.command(rcpt)).await {
                Ok(_) => return Ok(Prepared { client: self.clone(), connection, formatted }),
                Err(failure) => failure.of_recipient(),
            },
            Err(failure) => failure.into(),
        };
        self.close(connection).await;
        Err(fault)
    }

    /// Connects, authenticates and sends NOOP. Returns the server's answer.
    pub async fn check(&self) -> Result<String, String> {
        let mut connection = self.connect().await?;
        let answer = self.within(connection.command(Noop)).await;
        self.close(connection).await;
        answer.map(|answer| shown(&answer)).map_err(Failure::into_text)
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let Settings { host, port, security, account, timeout, .. } = &self.settings;
        let at_once = self.tls.clone().filter(|_| *security == Security::Tls);
        let address = (host.trim_matches(['[', ']']), *port);
        let connecting =
            AsyncSmtpConnection::connect_tokio1(address, Some(*timeout), &self.hello, at_once, None);
        let failed =
            |what: &str, failure: Failure| format!("{what} {host}:{port} failed: {}", failure.into_text());
        let connected = self.within(connecting).await;
        let mut connection = connected.map_err(|failure| failed("connecting to", failure))?;
        if let (Security::StartTls, Some(tls)) = (security, &self.tls) {
            if !connection.can_starttls() {
                self.close(connection).await;
                return Err(format!("{host}:{port} does not offer STARTTLS, so nothing is sent"));
            }
            self.within(connection.starttls(tls.clone(), &self.hello))
                .await
                .map_err(|failure| failed("TLS with", failure))?;
        }
        if let Some(Account { user, password }) = account {
            let credentials = Credentials::new(user.clone(), password.clone());
            let mechanisms = [Mechanism::Plain, Mechanism::Login];
            if let Err(failure) = self.within(connection.auth(&mechanisms, &credentials)).await {
                self.close(connection).await;
                return Err(failed(&format!("authentication as `{user}` at"), failure));
            }
        }
        Ok(connection)
    }

    /// A kept connection that the server has not closed in the meantime.
    async fn idle_connection(&self) -> Option<AsyncSmtpConnection> {
        loop {
            let mut connection = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if self.within(connection.command(Noop)).await.is_ok() {
                return Some(connection);
            }
        }
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE {
            idle.push(connection);
        }
    }

    async fn close(&self, mut connection: AsyncSmtpConnection) {
        let _ = tokio::time::timeout(self.settings.timeout, connection.abort()).await;
    }

    async fn within<T>(&self, step: impl Future<Output = Result<T, smtp::Error>>) -> Result<T, Failure> {
        match tokio::time::timeout(self.settings.timeout, step).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(Failure::of(&error)),
            Err(_) => {
                Err(Failure::Broken(format!("no answer within {} s", self.settings.timeout.as_secs_f64())))
            }
        }
    }
}

/// A message whose sender and recipient the server has accepted.
pub struct Prepared {
    client: Arc<Client>,
    connection: AsyncSmtpConnection,
    formatted: Formatted,
}

impl Prepared {
    pub async fn send(mut self) -> Handover {
        // A refusal of the command itself comes before any content.
        if let Err(failure) = self.client.within(self.connection.command(Data)).await {
            self.client.close(self.connection).await;
            return Handover::Refused(failure.into());
        }
        match self.client.within(self.connection.message(&self.formatted.bytes)).await {
            Ok(answer) => {
                self.client.keep(self.connection);
                Handover::Accepted(shown(&answer))
            }
            Err(failure @ Failure::Reply { .. }) => {
                self.client.close(self.connection).await;
                Handover::Refused(failure.into())
            }
            // The content may have arrived completely.
            Err(Failure::Broken(why)) => Handover::Unknown(why),
        }
    }
}

impl Failure {
    fn of(error: &smtp::Error) -> Self {
        let source = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
        match error.status() {
            Some(code) => {
                Self::Reply { permanent: error.is_permanent(), text: clipped(&format!("{code} {source}")) }
            }
            None if source.is_empty() => Self::Broken(error.to_string()),
            None => Self::Broken(clipped(&source)),
        }
    }

    /// The fault if the recipient was not accepted.
    fn of_recipient(self) -> Fault {
        match self {
            Self::Reply { permanent: true, text } if is_about_address(&text) => Fault::Recipient(text),
            other => other.into(),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Reply { text, .. } | Self::Broken(text) => text,
        }
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Reply { permanent: true, text } => Self::Permanent(text),
            Failure::Reply { permanent: false, text } | Failure::Broken(text) => Self::Temporary(text),
        }
    }
}

/// Does a 5xx reply to `RCPT` say that the address does not exist? Others are about us, such as a relay that requires a password, and say
/// nothing about the address. The enhanced status code (RFC 3463) tells, if there is one.
fn is_about_address(reply: &str) -> bool {
    let mut words = reply.split_whitespace();
    let code = words.next().unwrap_or_default();
    let enhanced = words.next().and_then(|word| word.strip_prefix("5."));
    match enhanced.and_then(|rest| rest.split_once('.')) {
        // Addresses, except the sender's; the mailbox is disabled; Exchange rejects unknown recipients with 5.4.1.
        Some((subject, detail)) if is_number(subject) && is_number(detail) => match subject {
            "1" => !matches!(detail, "7" | "8"),
            "2" => matches!(detail, "0" | "1"),
            "4" => detail == "1",
            _ => false,
        },
        // Errors of syntax, and demands for authentication.
        _ => !code.starts_with("50") && !code.starts_with("53"),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

fn shown(answer: &Response) -> String {
    clipped(&format!("{} {}", answer.code(), answer.message().collect::<Vec<_>>().join(" ")))
}

/// On one line, and short enough to store.
fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(LONGEST_ANSWER).collect()
}

fn tls(settings: &Settings) -> Result<TlsParameters, String> {
    let host = settings.host.trim_matches(['[', ']']);
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(file) = &settings.ca_file {
        let unusable = |why: String| format!("cannot use mail_ca_file {}: {why}", file.display());
        let pem = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
        let certificate = Certificate::from_pem(&pem).map_err(|error| unusable(error.to_string()))?;
        builder = builder.add_root_certificate(certificate);
    }
    builder.build().map_err(|error| format!("TLS cannot be used for mail: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_replies_about_the_address_mark_it() {
        for (reply, is_about) in [
            ("550 5.1.1 There is no such mailbox", true),
            ("550 5.1.10 Recipient not found", true),
            ("550 5.2.1 Mailbox disabled", true),
            ("550 5.4.1 Recipient address rejected: Access denied", true),
            ("550 No such user here", true),
            ("551 User not local", true),
            ("553 Unknown", true),
            ("550", true),
            ("550 5.1.8 Sender address rejected", false),
            ("550 5.7.1 Relaying denied", false),
            ("554 5.7.1 Blocked", false),
            ("552 5.2.2 Mailbox full", false),
            ("530 Authentication required", false),
            ("503 Bad sequence of commands", false),
        ] {
            assert_eq!(is_about_address(reply), is_about, "{reply}");
        }
    }
}
