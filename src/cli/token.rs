//! `endonym token …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{App, Error, tokens},
    domain,
};

/// Make, list and revoke access tokens
#[derive(Debug, Subcommand)]
pub enum Token {
    /// Make a token; this is the only time that it is shown
    ///
    /// For example: endonym token create --institution example-university --name "Learning system" --expires-in-days 365
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// What the token is for
        #[arg(long)]
        name: String,
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
        expires_in_days: Option<u32>,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's tokens, without the tokens themselves
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Make a token useless, within a second, on every node
    Revoke {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        id: String,
    },
}

impl Token {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: slug, name, expires_in_days, json } => {
                let owner = institution(app, &slug).await?;
                let (made, secret) = tokens::create(app, owner.id, name, expires_in_days).await?;
                if json {
                    output::print_json(&json!({ "id": made.id.to_string(), "token": secret }));
                } else {
                    output::print_line(&format!(
                        "Token {} ({}), shown only now:\n{secret}",
                        made.id, made.name
                    ));
                }
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&tokens::all(app, owner.id).await?, json);
            }
            Self::Revoke { institution: slug, id } => {
                let owner = institution(app, &slug).await?;
                let unknown = || {
                    Failure(format!(
                        "`{slug}` has no live token `{id}`: `endonym token list --institution {slug}` shows them"
                    ))
                };
                let number = id.parse().map_err(|_| unknown())?;
                match tokens::revoke(app, owner.id, number).await {
                    Err(Error::Missing(_)) => return Err(unknown()),
                    other => other?,
                }
                output::print_line(&format!("Revoked token {id}."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(all: &[domain::token::Token], json: bool) {
    if json {
        let shown = |token: &domain::token::Token| {
            json!({
                "id": token.id.to_string(),
                "name": token.name,
                "created_at": output::time(token.created_at),
                "expires_at": token.expires_at.map(output::time),
                "revoked_at": token.revoked_at.map(output::time),
                "last_used_at": token.last_used_at.map(output::time),
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
                when(Some(token.created_at)),
                when(token.expires_at),
                when(token.revoked_at),
                when(token.last_used_at),
            ]
        })
        .collect();
    output::print_table(&["ID", "NAME", "CREATED", "EXPIRES", "REVOKED", "LAST USED"], &rows);
}
