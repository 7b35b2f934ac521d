//! `endonym invitation …`

use std::{collections::HashMap, process::ExitCode};

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, invite::Sending, output, page_ref, unknown_page};
use crate::{
    app::{
        Actor, App, Error, Missing,
        invitations::{self, Cursor, Listed, Resent},
    },
    domain::{
        email::Email,
        ids::InvitationId,
        invitation::{Invitation as Invited, InvitationState},
    },
};

/// List invitations to a name page, withdraw them, and send them again
#[derive(Debug, Subcommand)]
pub enum Invitation {
    /// List the people of a name page with their states
    ///
    /// For example: endonym invitation list --institution example-university --name-page class-of-2027 --state bounced
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(long, value_name = "REF")]
        name_page: String,
        /// Only people in this state
        #[arg(long, value_name = "STATE", value_parser = InvitationState::ALL.map(InvitationState::word))]
        state: Option<String>,
        /// Maximum number of people to list
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        most: u32,
        #[arg(long)]
        json: bool,
    },
    /// Withdraw an invitation: its link is no longer valid, and no reminder is sent
    Withdraw {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(long, value_name = "REF")]
        name_page: String,
        /// The invitation's id, from the list
        id: String,
        #[arg(long)]
        json: bool,
    },
    Resend(Box<Resend>),
}

/// Send invitations again, with a new link, which voids the previous one
///
/// Addresses that a mail server had rejected get another chance. People who were invited without reminders get none.
///
/// For example: endonym invitation resend --institution example-university --name-page class-of-2027 ada@example.edu
#[derive(Debug, clap::Args)]
pub struct Resend {
    /// Addresses that have an invitation
    #[arg(value_name = "EMAIL", required = true)]
    emails: Vec<String>,
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sending: Sending,
}

impl Invitation {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::List { institution: slug, name_page, state, most, json } => {
                let owner = institution(app, slug).await?;
                let page = page_ref(name_page)?;
                let state = state.as_deref().and_then(InvitationState::parse);
                let part = (Cursor::Start, usize::try_from(*most).unwrap_or(usize::MAX));
                let found = invitations::all(app, &Actor::Operator, owner.id, &page, state, part).await;
                list(&found.map_err(|error| unknown_page(error, slug, name_page))?.people, *json);
            }
            Self::Withdraw { institution: slug, name_page, id, json } => {
                let owner = institution(app, slug).await?;
                let page = page_ref(name_page)?;
                let unknown = || {
                    Failure(format!(
                        "no invitation `{id}`: run `endonym invitation list --institution {slug} --name-page {name_page}` to see \
                         all of them"
                    ))
                };
                let number: InvitationId = id.parse().map_err(|_| unknown())?;
                let withdrawn = invitations::withdraw(app, &Actor::Operator, owner.id, &page, number).await;
                withdrawn.map_err(|error| match error {
                    Error::Missing(Missing::Invitation) => unknown(),
                    other => unknown_page(other, slug, name_page),
                })?;
                if *json {
                    output::print_json(&json!({ "id": id }));
                } else {
                    output::print_line(&format!("Invitation {id} is withdrawn."));
                }
            }
            Self::Resend(resend) => return resend.run(app).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Resend {
    async fn run(&self, app: &App) -> Outcome {
        let Self { institution: slug, name_page, .. } = self;
        self.sending.require_mail(" first")?;
        let terms = self.sending.terms()?;
        let owner = institution(app, slug).await?;
        let page = page_ref(name_page)?;
        let unknown = |error| unknown_page(error, slug, name_page);
        let everybody = (Cursor::Start, usize::MAX);
        let found = invitations::all(app, &Actor::Operator, owner.id, &page, None, everybody).await;
        let invited = found.map_err(unknown)?.people.into_iter().filter_map(|one| one.guest.invitation);
        let ids: HashMap<String, InvitationId> = invited.map(|one| (one.email_key, one.id)).collect();
        let (mut sent, mut unwanted, mut just_sent, mut not_invited) = (0, 0, 0, Vec::new());
        for email in &self.emails {
            let key = Email::parse(email).map(|email| email.key().to_owned());
            let Some(id) = key.and_then(|key| ids.get(&key)) else {
                eprintln!("not sent: {email}: no invitation with this address");
                not_invited.push(email);
                continue;
            };
            let resent = invitations::resend(app, &Actor::Operator, owner.id, &page, *id, &terms).await;
            match resent.map_err(unknown)? {
                Resent::Sent => sent += 1,
                Resent::Unwanted => unwanted += 1,
                Resent::JustSent => just_sent += 1,
            }
        }
        if self.json {
            output::print_json(&json!({
                "sent": sent,
                "unwanted": unwanted,
                "just_sent": just_sent,
                "not_invited": not_invited,
            }));
        } else {
            output::print_line(&format!("Sent again: {sent}"));
            let others = [
                ("Recorded already, or want no mail", unwanted),
                ("Sent again less than a minute ago", just_sent),
                ("Not invited", not_invited.len()),
            ];
            for (label, count) in others.into_iter().filter(|(_, count)| *count > 0) {
                output::print_line(&format!("{label}: {count}"));
            }
        }
        Ok(if not_invited.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn list(all: &[Listed], json: bool) {
    if json {
        output::print_json(&json!({ "people": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let row = |one: &Listed| {
        let invitation = one.guest.invitation.as_ref();
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        vec![
            or_none(invitation.map(|invitation| invitation.id.to_string())),
            or_none(one.guest.email.clone()),
            one.name(),
            one.state.word().to_owned(),
            validity(one).to_owned(),
            or_none(invitation.map(|invitation| invitation.reminders.to_string())),
        ]
    };
    let headings = ["ID", "EMAIL", "NAME", "STATE", "LINK", "REMINDERS"];
    output::print_table(&headings, &all.iter().map(row).collect::<Vec<_>>());
}

fn validity(one: &Listed) -> &'static str {
    match (&one.guest.invitation, &one.link) {
        (None, _) => "none",
        (Some(_), Some(_)) => "valid",
        (Some(_), None) if one.is_withdrawn() => "withdrawn",
        (Some(_), None) => "expired",
    }
}

fn shown(one: &Listed) -> Value {
    let invitation = |invitation: &Invited| {
        json!({
            "id": invitation.id.to_string(),
            "created_at": output::time(invitation.created_at),
            "expires_at": output::time(invitation.expires_at),
            "sent_at": invitation.sent_at.map(output::time),
            "opened_at": invitation.opened_at.map(output::time),
            "withdrawn_at": invitation.withdrawn_at.map(output::time),
            "reminders": invitation.reminders,
            "next_reminder_at": invitation.next_reminder_at.map(output::time),
        })
    };
    json!({
        "email": one.guest.email,
        "first_name": one.guest.first_name,
        "last_name": one.guest.last_name,
        "state": one.state.word(),
        "link": validity(one),
        "invitation": one.guest.invitation.as_ref().map(invitation),
    })
}
