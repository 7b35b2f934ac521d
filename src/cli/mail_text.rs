//! `endonym mail-text …`

use std::{path::PathBuf, process::ExitCode};

use clap::{Args, Subcommand};
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{
        Actor, App,
        mail_texts::{self, TextInForce},
    },
    domain::{email::Email, ids::InstitutionId, language::Language, mail_text::PageMailKind},
};

/// Subjects and texts of invitations, reminders and other messages about name pages
#[derive(Debug, Subcommand)]
pub enum MailText {
    /// Replace a message's subject and text, in one language
    ///
    /// The file is plain text in UTF-8; blank lines separate paragraphs. Placeholders in braces are filled in: {name}, {page}, {institution},
    /// {link} and {closes}, in a rejection also {reason}, and for retention {date} instead of {closes}. A line with a placeholder that has no
    /// value is left out. The text must contain {link}. The subject may contain {page} and {institution}. What is not given stays as it is.
    /// For example: endonym mail-text set --institution example-university --message invitation --language de --subject "Dein Name: {page}"
    /// --file invitation.txt
    Set {
        #[command(flatten)]
        target: Target,
        #[arg(long, value_name = "TEXT")]
        subject: Option<String>,
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        #[arg(long)]
        json: bool,
    },
    /// Print the subject and text in force, with placeholders
    Show {
        #[command(flatten)]
        target: Target,
        #[arg(long)]
        json: bool,
    },
    /// Print the message with made-up contents, as it would be sent
    Preview {
        #[command(flatten)]
        target: Target,
        /// Print the HTML part instead of the plain text
        #[arg(long)]
        html: bool,
        #[arg(long, conflicts_with = "html")]
        json: bool,
    },
    /// Send the message with made-up contents to an address
    ///
    /// A running server or `endonym work` delivers it. For example: endonym mail-text test --institution example-university --message reminder
    /// --language en you@example.edu
    Test {
        #[command(flatten)]
        target: Target,
        #[arg(value_name = "ADDRESS")]
        address: String,
        #[arg(long)]
        json: bool,
    },
    /// Go back to the built-in subject and text
    Reset {
        #[command(flatten)]
        target: Target,
        #[arg(long)]
        json: bool,
    },
    /// List the texts that the institution has replaced
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
}

/// Which text.
#[derive(Debug, Args)]
pub struct Target {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    #[arg(long, value_name = "KIND", value_parser = PageMailKind::ALL.map(PageMailKind::word))]
    message: String,
    /// Language of the recipient
    #[arg(long, value_name = "TAG", value_parser = Language::ALL.map(Language::tag))]
    language: String,
}

impl Target {
    async fn find(&self, app: &App) -> Result<(InstitutionId, PageMailKind, Language), Failure> {
        let owner = institution(app, &self.institution).await?.id;
        let kind = PageMailKind::parse(&self.message);
        let kind = kind.ok_or_else(|| Failure(format!("there is no message `{}`", self.message)))?;
        Ok((owner, kind, Language::parse(&self.language).unwrap_or_default()))
    }
}

impl MailText {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::Set { target, subject, file, json } => {
                set(app, target, subject.as_deref(), file.as_ref(), *json).await?;
            }
            Self::Show { target, json } => {
                let (owner, kind, language) = target.find(app).await?;
                let shown = mail_texts::find(app, &Actor::Operator, owner, kind, language).await?;
                show(target, &shown, *json);
            }
            Self::Preview { target, html, json } => {
                let (owner, kind, language) = target.find(app).await?;
                let written = mail_texts::preview(app, &Actor::Operator, owner, kind, language, None).await?;
                if *json {
                    output::print_json(&json!({
                        "subject": written.subject, "text": written.text, "html": written.html,
                    }));
                } else if *html {
                    output::print_line(&written.html);
                } else {
                    output::print_line(&format!("Subject: {}\n\n{}", written.subject, written.text));
                }
            }
            Self::Test { target, address, json } => {
                let (owner, kind, language) = target.find(app).await?;
                let to = Email::parse(address)
                    .ok_or_else(|| Failure(format!("`{address}` is not a valid email address")))?;
                mail_texts::send_test(app, &Actor::Operator, owner, kind, language, to).await?;
                if *json {
                    output::print_json(&json!({ "to": address }));
                } else {
                    output::print_line(&format!("A test message to {address} is queued."));
                }
            }
            Self::Reset { target, json } => {
                let (owner, kind, language) = target.find(app).await?;
                mail_texts::reset(app, &Actor::Operator, owner, kind, language).await?;
                let shown = mail_texts::find(app, &Actor::Operator, owner, kind, language).await?;
                report(target, &shown, *json);
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, slug).await?.id;
                list(&mail_texts::all(app, &Actor::Operator, owner).await?, *json);
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn set(
    app: &App,
    target: &Target,
    subject: Option<&str>,
    file: Option<&PathBuf>,
    json: bool,
) -> Result<(), Failure> {
    let (owner, kind, language) = target.find(app).await?;
    if subject.is_none() && file.is_none() {
        return Err(Failure("nothing to change: give --subject, --file or both".to_owned()));
    }
    let text = match file {
        Some(file) => {
            let cannot = |error| Failure(format!("cannot read {}: {error}", file.display()));
            let bytes = std::fs::read(file).map_err(cannot)?;
            let text = String::from_utf8(bytes);
            Some(text.map_err(|_| Failure(format!("{} is not UTF-8 text", file.display())))?)
        }
        None => None,
    };
    let before = mail_texts::find(app, &Actor::Operator, owner, kind, language).await?.text;
    let subject = subject.unwrap_or(&before.subject);
    let text = text.as_deref().unwrap_or(&before.text);
    let text = mail_texts::set(app, &Actor::Operator, owner, kind, language, subject, text).await?;
    report(target, &TextInForce { text, is_own: true }, json);
    Ok(())
}

fn shown_as_json(target: &Target, shown: &TextInForce) -> serde_json::Value {
    json!({
        "message": target.message,
        "language": target.language,
        "built_in": !shown.is_own,
        "subject": shown.text.subject,
        "text": shown.text.text,
    })
}

fn show(target: &Target, shown: &TextInForce, json: bool) {
    if json {
        output::print_json(&shown_as_json(target, shown));
    } else {
        output::print_line(&format!("Subject: {}\n\n{}", shown.text.subject, shown.text.text));
    }
}

fn report(target: &Target, shown: &TextInForce, json: bool) {
    if json {
        output::print_json(&shown_as_json(target, shown));
        return;
    }
    let whose = if shown.is_own { "its own text" } else { "the built-in text" };
    output::print_line(&format!(
        "`{}` sends {whose} of {} in {}",
        target.institution, target.message, target.language
    ));
}

fn list(all: &[(PageMailKind, Language)], json: bool) {
    if json {
        let texts = all
            .iter()
            .map(|(kind, language)| json!({ "message": kind.word(), "language": language.tag() }))
            .collect::<Vec<_>>();
        output::print_json(&json!({ "texts": texts }));
        return;
    }
    let row =
        |(kind, language): &(PageMailKind, Language)| vec![kind.word().to_owned(), language.tag().to_owned()];
    output::print_table(&["MESSAGE", "LANGUAGE"], &all.iter().map(row).collect::<Vec<_>>());
}
