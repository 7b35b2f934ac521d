//! `endonym mail …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, open, output};
use crate::{
    app::{Actor, App, Clock, Ids, bounces, outbox, studio},
    config::{self, Storage},
    domain::{
        bounce::Bounce,
        email::Email,
        message::{OutboxMessage, State, Stored},
    },
    mail::{Language, OutgoingMail, render},
};

/// Test the mail server, list messages, and send failed ones again
#[derive(Debug, Subcommand)]
pub enum Mail {
    /// Send a test message now, and print the mail server's answer
    ///
    /// Nothing is stored.
    ///
    /// For example: endonym mail test you@example.edu
    Test {
        #[arg(value_name = "ADDRESS")]
        address: String,
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        mail: config::Mail,
    },
    /// List the messages of the last 30 days, newest first
    ///
    /// For example: endonym mail list --state failed
    List {
        /// Only messages in this state
        #[arg(long, value_name = "STATE", value_parser = State::ALL.map(State::word))]
        state: Option<String>,
        /// Maximum number of messages to list
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        most: u32,
        #[arg(long)]
        json: bool,
    },
    /// Send a message again that failed, expired or is unconfirmed
    ///
    /// The recipient of an unconfirmed message may get it twice.
    Retry {
        id: String,
        #[arg(long)]
        json: bool,
    },
    /// Addresses that the mail server has rejected for good
    ///
    /// They get no invitations, reminders or other bulk messages. Codes to sign in are still sent, and one that is accepted clears the address.
    #[command(subcommand)]
    Bounces(Bounces),
}

#[derive(Debug, Subcommand)]
pub enum Bounces {
    /// List them, the newest first, with the mail server's answer
    List {
        /// Only those of this institution
        #[arg(long, value_name = "SLUG")]
        institution: Option<String>,
        /// Maximum number of addresses to list
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        most: u32,
        #[arg(long)]
        json: bool,
    },
    /// Let messages to an address be sent again, or to all of them
    ///
    /// For example: endonym mail bounces clear --institution example-university ana@example.edu
    Clear {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(value_name = "ADDRESS", required_unless_present = "all")]
        address: Option<String>,
        /// All addresses of the institution
        #[arg(long, conflicts_with = "address")]
        all: bool,
        #[arg(long)]
        json: bool,
    },
}

impl Mail {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        match self {
            Self::Test { address, json, mail } => test(address, *json, mail).await?,
            Self::List { state, most, json } => {
                let state = state.as_deref().and_then(State::parse);
                let app = open(storage, studio::Settings::default()).await?;
                list(&outbox::all(&app, &Actor::Operator, state, i64::from(*most)).await?, *json);
            }
            Self::Retry { id, json } => {
                retry(&open(storage, studio::Settings::default()).await?, id, *json).await?;
            }
            Self::Bounces(command) => {
                command.run(&open(storage, studio::Settings::default()).await?).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Bounces {
    async fn run(&self, app: &App) -> Result<(), Failure> {
        match self {
            Self::List { institution: slug, most, json } => {
                let only = match slug {
                    Some(slug) => Some(institution(app, slug).await?.id),
                    None => None,
                };
                list_bounces(&bounces::all(app, &Actor::Operator, only, i64::from(*most)).await?, *json);
            }
            Self::Clear { institution: slug, address, all, json } => {
                let owner = institution(app, slug).await?.id;
                let cleared = match (address, all) {
                    (Some(address), _) if bounces::clear(app, &Actor::Operator, owner, address).await? => 1,
                    (Some(address), _) => {
                        return Err(Failure(format!(
                            "`{address}` is not marked: run `endonym mail bounces list` to see all addresses"
                        )));
                    }
                    (None, true) => bounces::clear_all(app, &Actor::Operator, owner).await?,
                    (None, false) => 0,
                };
                if *json {
                    output::print_json(&json!({ "cleared": cleared }));
                } else {
                    output::print_line(&format!("{cleared} cleared."));
                }
            }
        }
        Ok(())
    }
}

fn list_bounces(all: &[Bounce], json: bool) {
    if json {
        let shown = |one: &Bounce| {
            json!({
                "institution": one.institution,
                "email": one.email,
                "bounced_at": output::time(one.bounced_at),
                "answer": one.answer,
            })
        };
        output::print_json(&json!({ "bounces": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let row = |one: &Bounce| {
        vec![one.email.clone(), one.institution.clone(), output::time(one.bounced_at), one.answer.clone()]
    };
    let headings = ["EMAIL", "INSTITUTION", "BOUNCED", "ANSWER"];
    output::print_table(&headings, &all.iter().map(row).collect::<Vec<_>>());
}

async fn test(address: &str, json: bool, mail: &config::Mail) -> Result<(), Failure> {
    let to =
        Email::parse(address).ok_or_else(|| Failure(format!("`{address}` is not a valid email address")))?;
    let mailer = mail.mailer().map_err(Failure)?;
    if !mailer.is_configured() {
        return Err(Failure("mail is not configured: set --mail-url (ENDONYM_MAIL_URL) first".to_owned()));
    }
    let date = Clock::system().now();
    let content = render::test(Language::English)?;
    let mail = OutgoingMail { id: Ids::new().id(date), to, reply_to: None, content, unsubscribe: None, date };
    let answer = mailer.send(&mail).await;
    let answer = answer.map_err(|why| Failure(format!("{}: {why}", mailer.shown())))?;
    if json {
        output::print_json(&json!({ "to": mail.to.as_given(), "answer": answer }));
    } else {
        output::print_line(&format!("Sent to {} through {}.", mail.to.as_given(), mailer.shown()));
        output::print_line(&format!("Answer: {answer}"));
    }
    Ok(())
}

fn list(all: &[(OutboxMessage, Option<String>)], json: bool) {
    if json {
        let shown = |(message, institution): &(OutboxMessage, Option<String>)| {
            json!({
                "id": message.id.to_string(),
                "kind": message.message.kind(),
                "institution": institution,
                "to": message.to.as_given(),
                "state": message.state.word(),
                "attempts": message.attempts,
                "created_at": output::time(message.created_at),
                "changed_at": output::time(message.changed_at),
                "expires_at": output::time(message.expires_at),
                "answer": message.answer,
            })
        };
        output::print_json(&json!({ "messages": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let row = |(message, institution): &(OutboxMessage, Option<String>)| {
        vec![
            message.id.to_string(),
            kind(&message.message),
            or_none(institution),
            message.to.as_given().to_owned(),
            message.state.word().to_owned(),
            message.attempts.to_string(),
            output::time(message.changed_at),
            or_none(&message.answer),
        ]
    };
    let headings = ["ID", "KIND", "INSTITUTION", "TO", "STATE", "ATTEMPTS", "CHANGED", "ANSWER"];
    output::print_table(&headings, &all.iter().map(row).collect::<Vec<_>>());
}

fn kind(message: &Stored) -> String {
    match message {
        Stored::Known(message) => message.kind().to_owned(),
        Stored::Newer { kind } => format!("{kind} (of a newer version)"),
    }
}

async fn retry(app: &App, id: &str, json: bool) -> Result<(), Failure> {
    let unknown = || {
        Failure(format!(
            "no message `{id}` that failed, expired or is unconfirmed: run `endonym mail list` to see all messages"
        ))
    };
    let number = id.parse().map_err(|_| unknown())?;
    if !outbox::retry(app, &Actor::Operator, None, number).await? {
        return Err(unknown());
    }
    if json {
        output::print_json(&json!({ "id": id }));
    } else {
        output::print_line(&format!("Message {id} is queued again."));
    }
    Ok(())
}
