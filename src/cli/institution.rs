//! `endonym institution …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, institution, output};
use crate::{
    app::{App, institutions},
    domain,
};

/// Make, list, change and delete institutions
#[derive(Debug, Subcommand)]
pub enum Institution {
    /// Make an institution
    ///
    /// For example: endonym institution create --name "Example University" --time-zone America/New_York
    Create {
        #[arg(long)]
        name: String,
        /// Short name for commands; made from the name when left out
        #[arg(long)]
        slug: Option<String>,
        /// Time zone in which answers show times, like Europe/Paris
        #[arg(long, default_value = "UTC")]
        time_zone: String,
        /// Let people have a legal name beside the one they go by
        #[arg(long)]
        multiple_recordings: bool,
        /// Language of its phone calls, like fr; the installation's when left out
        #[arg(long = "phone-language", value_name = "LANGUAGE")]
        its_phone_language: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// List all institutions
    List {
        #[arg(long)]
        json: bool,
    },
    /// Change an institution
    ///
    /// For example: endonym institution update example-university --allow-origin https://directory.example.edu
    Update {
        slug: String,
        #[arg(long)]
        name: Option<String>,
        #[arg(long)]
        time_zone: Option<String>,
        /// Whether people may have a legal name: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        multiple_recordings: Option<bool>,
        /// Let pages of this web origin call versions 5 and 4; may be given several times
        #[arg(long, value_name = "URL")]
        allow_origin: Vec<String>,
        /// Take a web origin off the list
        #[arg(long, value_name = "URL")]
        forbid_origin: Vec<String>,
        /// Requests of one token in a window; `default` for the ceiling that all share
        #[arg(long, value_name = "N|default")]
        token_rate_limit: Option<String>,
        /// Language of its phone calls, like fr; empty for the installation's
        #[arg(long = "phone-language", value_name = "LANGUAGE")]
        its_phone_language: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Delete an institution with everything it has
    Delete {
        slug: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl Institution {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { name, slug, time_zone, multiple_recordings, its_phone_language, json } => {
                let phone_language = its_phone_language.unwrap_or_default();
                let new = institutions::New { name, slug, time_zone, multiple_recordings, phone_language };
                let made = institutions::create(app, new).await?;
                if json {
                    output::print_json(&json!({
                        "id": made.id.to_string(), "slug": made.slug, "access_code": made.access_code,
                    }));
                } else {
                    output::print_line(&format!(
                        "Made institution `{}` with access code {}.",
                        made.slug, made.access_code
                    ));
                    output::print_line(&format!(
                        "Next: endonym token create --institution {} --name \"My integration\"",
                        made.slug
                    ));
                }
            }
            Self::List { json } => list(&institutions::all(app).await?, json),
            Self::Update {
                slug,
                name,
                time_zone,
                multiple_recordings,
                allow_origin,
                forbid_origin,
                token_rate_limit,
                its_phone_language,
                json,
            } => {
                institution(app, &slug).await?;
                let rate_limit = match token_rate_limit.as_deref() {
                    None => None,
                    Some("default") => Some(None),
                    Some(number) => Some(Some(number.parse().map_err(|_| {
                        super::Failure(format!(
                            "the rate limit must be a number or `default`, not `{number}`"
                        ))
                    })?)),
                };
                let change = institutions::Change {
                    name,
                    time_zone,
                    multiple_recordings,
                    rate_limit,
                    allow_origins: allow_origin,
                    forbid_origins: forbid_origin,
                    phone_language: its_phone_language,
                };
                let changed = institutions::update(app, &slug, change).await?;
                if json {
                    output::print_json(&shown(&changed));
                } else {
                    list(&[changed], false);
                }
            }
            Self::Delete { slug, yes } => {
                let found = institution(app, &slug).await?;
                let what = format!(
                    "This deletes institution `{slug}` ({}) with all its pages and people for good.",
                    found.name
                );
                output::confirm(yes, &what)?;
                institutions::delete(app, &slug).await?;
                output::print_line(&format!("Deleted institution `{slug}`."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn shown(institution: &domain::institution::Institution) -> serde_json::Value {
    json!({
        "id": institution.id.to_string(),
        "slug": institution.slug,
        "name": institution.name,
        "access_code": institution.access_code,
        "time_zone": institution.time_zone.iana_name(),
        "multiple_recordings": institution.multiple_recordings,
        "rate_limit": institution.rate_limit,
        "allowed_origins": institution.allowed_origins,
        "phone_language": institution.phone_language,
        "created_at": output::time(institution.created_at),
    })
}

fn list(all: &[domain::institution::Institution], json: bool) {
    if json {
        output::print_json(&json!({ "institutions": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|one| {
            vec![
                one.slug.clone(),
                one.name.clone(),
                one.access_code.clone(),
                one.time_zone.iana_name().unwrap_or("UTC").to_owned(),
                if one.multiple_recordings { "yes" } else { "no" }.to_owned(),
                one.phone_language.clone().unwrap_or_default(),
                one.allowed_origins.join(" "),
            ]
        })
        .collect();
    output::print_table(
        &["SLUG", "NAME", "ACCESS CODE", "TIME ZONE", "LEGAL NAMES", "CALLS IN", "ALLOWED ORIGINS"],
        &rows,
    );
}
