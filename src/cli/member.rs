//! `endonym member …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{Actor, App, Error, Missing, members, tokens},
    domain::{
        self,
        email::{Email, email_key},
        fault::Field,
        ids::InstitutionId,
        member::Role,
        name_page::NamePageRef,
        token::{OnLeaving, Token},
    },
};

/// Add, list and remove members, who run an institution's name pages
#[derive(Debug, Subcommand)]
pub enum Member {
    /// Give somebody a role, or replace the one they have
    ///
    /// For example: endonym member add --institution example-university --role admin ana@example.edu
    ///
    /// Members sign in like everybody else, whether or not they are registered on a name page.
    ///
    /// Roles: `owner` may do everything; `admin` too, except managing members and single sign-on and deleting the institution;
    /// `manager` runs the given name pages; `reader` may hear everybody on them.
    Add {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long, value_name = "ROLE", value_parser = Role::WORDS)]
        role: String,
        /// A name page of a manager or reader, by id, slug, event code or access code; can be repeated
        #[arg(long = "name-page", value_name = "REF")]
        pages: Vec<String>,
        /// What becomes of the access tokens of an owner or admin who gets a lower role
        #[arg(long = "tokens", value_name = "WHAT", value_parser = OnLeaving::WORDS)]
        their_tokens: Option<String>,
        /// The member's email address
        email: String,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's members
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Take the role from a member; it ends at once
    ///
    /// For example: endonym member remove --institution example-university ana@example.edu
    ///
    /// Registrations on name pages are kept. If the member made access tokens that still work, say what becomes of them: without
    /// --tokens, they are listed, and nothing is changed.
    Remove {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// What becomes of the access tokens that the member made
        #[arg(long = "tokens", value_name = "WHAT", value_parser = OnLeaving::WORDS)]
        their_tokens: Option<String>,
        /// The member's email address
        email: String,
    },
}

impl Member {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Add { institution: slug, role, pages, their_tokens, email, json } => {
                let decided = their_tokens.as_deref().and_then(OnLeaving::parse);
                add(app, &slug, &role, &pages, decided, &email, json).await?;
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&members::all(app, &Actor::Operator, owner.id).await?, json);
            }
            Self::Remove { institution: slug, their_tokens, email } => {
                let owner = institution(app, &slug).await?;
                let decided = their_tokens.as_deref().and_then(OnLeaving::parse);
                match members::remove(app, &Actor::Operator, owner.id, &email, decided).await {
                    Ok(()) => {}
                    Err(Error::Missing(Missing::Member)) => {
                        return Err(Failure(format!(
                            "`{slug}` has no member {email}: run `endonym member list --institution {slug}` to see all members"
                        )));
                    }
                    Err(error) => return Err(undecided(app, owner.id, &email, error).await),
                }
                output::print_line(&format!("{email} is no longer a member of `{slug}`."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Names the tokens about which nobody has decided.
async fn undecided(app: &App, institution: InstitutionId, email: &str, error: Error) -> Failure {
    match &error {
        Error::Invalid(errors) if errors.has(&Field::Tokens) => {}
        _ => return error.into(),
    }
    let made = match tokens::made_by(app, &Actor::Operator, institution, &email_key(email)).await {
        Ok(made) => made,
        Err(error) => return error.into(),
    };
    let now = app.clock.now();
    let line = |token: &Token| {
        let used = token
            .last_used_at
            .map_or_else(|| "never used".to_owned(), |at| format!("last used {}", output::time(at)));
        format!("  {} ({}), {} days old, {used}", token.id, token.name, token.days(now))
    };
    let lines: Vec<String> = made.iter().map(line).collect();
    Failure(format!(
        "{email} made access tokens that still work, and knows them:\n{}\nPass --tokens revoke to revoke them, or --tokens keep. \
         To keep a program running with a secret that nobody else knows, run `endonym token rotate` first.",
        lines.join("\n")
    ))
}

async fn add(
    app: &App,
    slug: &str,
    role: &str,
    pages: &[String],
    decided: Option<OnLeaving>,
    email: &str,
    json: bool,
) -> Result<(), Failure> {
    let owner = institution(app, slug).await?;
    let role = Role::parse(role).ok_or_else(|| Failure(format!("{role} is not a role")))?;
    let address = Email::parse(email).ok_or_else(|| Failure(format!("`{email}` is not an email address")))?;
    let refs = pages.iter().map(|page| page_ref(page)).collect::<Result<Vec<NamePageRef>, Failure>>()?;
    let change = members::Change { tokens: decided, ..members::Change::default() };
    let made = match members::replace(app, &Actor::Operator, owner.id, address, role, refs, change).await {
        Ok(made) => made,
        Err(Error::Missing(Missing::NamePage)) => {
            return Err(Failure(format!(
                "`{slug}` does not have all of these name pages: run `endonym name-page list --institution {slug}` to see all pages"
            )));
        }
        Err(error) => return Err(undecided(app, owner.id, email, error).await),
    };
    if json {
        output::print_json(&json!({
            "email": made.email,
            "role": made.role.word(),
            "name_pages": made.pages.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    let pages = match (role.has_all_pages(), made.pages.len()) {
        (true, _) => "all name pages".to_owned(),
        (false, 1) => "1 name page".to_owned(),
        (false, count) => format!("{count} name pages"),
    };
    output::print_line(&format!("{} is {} of `{slug}`, with {pages}.", made.email, role.word()));
    Ok(())
}

fn list(all: &[(domain::member::Member, Vec<String>)], json: bool) {
    if json {
        let shown = |(member, slugs): &(domain::member::Member, Vec<String>)| {
            json!({
                "email": member.email,
                "role": member.role.word(),
                "name_pages": (!member.role.has_all_pages()).then_some(slugs),
                "created_at": output::time(member.created_at),
            })
        };
        output::print_json(&json!({ "members": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(member, slugs)| {
            let pages = match &slugs[..] {
                _ if member.role.has_all_pages() => "all".to_owned(),
                [] => "none".to_owned(),
                slugs => slugs.join(", "),
            };
            vec![member.email.clone(), member.role.word().to_owned(), pages, output::time(member.created_at)]
        })
        .collect();
    output::print_table(&["EMAIL", "ROLE", "NAME PAGES", "CREATED"], &rows);
}
