//! `endonym token …`

use std::{process::ExitCode, time::Duration};

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{Actor, App, Error, name_pages, tokens},
    domain::{self, access::TokenScope, ids::InstitutionId, name_page::NamePage},
};

/// Create, list, rotate and revoke access tokens
#[derive(Debug, Subcommand)]
pub enum Token {
    /// Create a token and print it; it cannot be shown again
    ///
    /// For example: endonym token create --institution example-university --name "Moodle plugin" --scope read
    ///
    /// Scopes: `read` permits listing and searching people and reading exports; `write` also permits creating, updating and
    /// deleting people and creating exports; `sync` only permits synchronizing courses; `all` permits everything.
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// What the token is for
        #[arg(long)]
        name: String,
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
        expires_in_days: Option<u32>,
        /// What the token may do
        #[arg(long = "scope", value_name = "SCOPE", default_value = "all", value_parser = TokenScope::WORDS)]
        token_scope: String,
        /// Restrict the token to this name page, by id, slug, event code or access code; can be repeated
        #[arg(long = "allow-page", value_name = "REF")]
        pages: Vec<String>,
        /// In requests with an email or identifier filter, return one row per person: the one with the newest recording
        #[arg(long = "newest-only")]
        one_row: bool,
        /// Give the token the recordings of people with a directory hold (FERPA), which other tokens do not get
        #[arg(long = "include-held")]
        with_held: bool,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's tokens, without their secrets
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Replace a token: print a new secret, while the old one works for some more hours
    ///
    /// The new token has the same name, scope, name pages and lifetime.
    Rotate {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// How long the old secret works
        #[arg(long, value_name = "HOURS", default_value_t = 24, value_parser = clap::value_parser!(u64).range(0..=720))]
        overlap_hours: u64,
        #[arg(long)]
        json: bool,
        id: String,
    },
    /// Revoke a token; it stops working on every node within a second
    Revoke {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        id: String,
    },
}

impl Token {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create {
                institution: slug,
                name,
                expires_in_days,
                token_scope,
                pages,
                one_row,
                with_held,
                json,
            } => {
                let owner = institution(app, &slug).await?;
                let new = tokens::New {
                    name,
                    expires_in_days,
                    scope: TokenScope::parse(&token_scope).unwrap_or_default(),
                    pages: allowed_pages(app, owner.id, &slug, &pages).await?,
                    newest_only: one_row,
                    include_held: with_held,
                };
                let (made, secret) = tokens::create_with(app, &Actor::Operator, owner.id, new).await?;
                print_made(&made, &secret, json);
            }
            Self::Rotate { institution: slug, overlap_hours, json, id } => {
                let owner = institution(app, &slug).await?;
                let number = id.parse().map_err(|_| unknown(&slug, &id))?;
                let overlap = Duration::from_secs(overlap_hours * 3_600);
                let made = tokens::rotate(app, &Actor::Operator, owner.id, number, overlap).await;
                let (made, secret) = made.map_err(|error| known(error, &slug, &id))?;
                print_made(&made, &secret, json);
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&tokens::all(app, &Actor::Operator, owner.id).await?, app.clock.now(), json);
            }
            Self::Revoke { institution: slug, id } => {
                let owner = institution(app, &slug).await?;
                let number = id.parse().map_err(|_| unknown(&slug, &id))?;
                let revoked = tokens::revoke(app, &Actor::Operator, owner.id, number).await;
                revoked.map_err(|error| known(error, &slug, &id))?;
                output::print_line(&format!("Revoked token {id}."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn unknown(slug: &str, id: &str) -> Failure {
    Failure(format!(
        "`{slug}` has no active token `{id}`: run `endonym token list --institution {slug}` to see all tokens"
    ))
}

fn known(error: Error, slug: &str, id: &str) -> Failure {
    match error {
        Error::Missing(_) => unknown(slug, id),
        other => other.into(),
    }
}

fn print_made(made: &domain::token::Token, secret: &str, json: bool) {
    if json {
        output::print_json(&json!({ "id": made.id.to_string(), "token": secret }));
    } else {
        output::print_line(&format!(
            "Token {} ({}), scope {}, name pages: {}, shown only now:\n{secret}",
            made.id,
            made.name,
            scope(made),
            pages_of(made)
        ));
    }
}

/// `None` if no page is named: the token reaches all pages.
async fn allowed_pages(
    app: &App,
    institution: InstitutionId,
    slug: &str,
    given: &[String],
) -> Result<Option<Vec<NamePage>>, Failure> {
    let mut pages = Vec::with_capacity(given.len());
    for one in given {
        let found = name_pages::find(app, &Actor::Operator, institution, &page_ref(one)?).await;
        pages.push(found.map_err(|error| match error {
            Error::Missing(_) => Failure(format!(
                "`{slug}` has no name page `{one}`: run `endonym name-page list --institution {slug}` to see all pages"
            )),
            other => other.into(),
        })?);
    }
    Ok((!given.is_empty()).then_some(pages))
}

fn scope(token: &domain::token::Token) -> String {
    let more = [(token.newest_only, ", newest only"), (token.include_held, ", include held")];
    let more: String = more.into_iter().filter_map(|(is, words)| is.then_some(words)).collect();
    format!("{}{more}", token.scope.word())
}

fn pages_of(token: &domain::token::Token) -> String {
    match token.pages.as_deref() {
        None => "all".to_owned(),
        // All pages of the token have been deleted.
        Some([]) => "none".to_owned(),
        Some(slugs) => slugs.join(", "),
    }
}

fn made_by(token: &domain::token::Token) -> String {
    let name = token.maker.name.as_deref().unwrap_or("-");
    if token.maker.has_left { format!("{name} (has left)") } else { name.to_owned() }
}

fn list(all: &[domain::token::Token], now: domain::moment::Moment, json: bool) {
    if json {
        let shown = |token: &domain::token::Token| {
            json!({
                "id": token.id.to_string(),
                "name": token.name,
                "scope": token.scope.word(),
                "name_pages": token.pages,
                "newest_only": token.newest_only,
                "include_held": token.include_held,
                "created_by": token.maker.name,
                "maker_left": token.maker.has_left,
                "created_at": output::time(token.created_at),
                "expires_at": token.expires_at.map(output::time),
                "revoked_at": token.revoked_at.map(output::time),
                "last_used_at": token.last_used_at.map(output::time),
                "replaced_by": token.replaced_by.map(|id| id.to_string()),
            })
        };
        output::print_json(&json!({ "tokens": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let when = |moment: Option<domain::moment::Moment>| moment.map_or_else(|| "-".to_owned(), output::time);
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|token| {
            vec![
                token.id.to_string(),
                token.name.clone(),
                scope(token),
                pages_of(token),
                made_by(token),
                when(Some(token.created_at)),
                format!("{} days", token.days(now)),
                when(token.expires_at),
                when(token.revoked_at),
                when(token.last_used_at),
            ]
        })
        .collect();
    output::print_table(
        &[
            "ID",
            "NAME",
            "SCOPE",
            "NAME PAGES",
            "CREATED BY",
            "CREATED",
            "AGE",
            "EXPIRES",
            "REVOKED",
            "LAST USED",
        ],
        &rows,
    );
}
