//! `endonym institution …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Outcome, institution, output};
use crate::{
    app::{
        Actor, App, institutions,
        looks::{self, Look},
    },
    domain,
};

/// Create, list, update and delete institutions (tenants)
#[derive(Debug, Subcommand)]
pub enum Institution {
    /// Create an institution
    ///
    /// For example: endonym institution create --name "Example University" --time-zone America/New_York
    Create {
        #[arg(long)]
        name: String,
        /// Short name for commands [default: derived from the name]
        #[arg(long)]
        slug: Option<String>,
        /// Time zone of the times in API responses, like Europe/Paris
        #[arg(long, default_value = "UTC")]
        time_zone: String,
        /// Allow a legal name in addition to the preferred name
        #[arg(long)]
        multiple_recordings: bool,
        /// Language of its phone calls, like fr [default: the installation's]
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
    /// Update an institution
    ///
    /// For example: endonym institution update example-university --allow-origin https://directory.example.edu
    Update {
        slug: String,
        #[arg(long)]
        name: Option<String>,
        #[arg(long)]
        time_zone: Option<String>,
        /// Allow a legal name in addition to the preferred name: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        multiple_recordings: Option<bool>,
        /// Allow this web origin to call API versions 5 and 4 from a browser (CORS); can be repeated
        #[arg(long, value_name = "URL")]
        allow_origin: Vec<String>,
        /// Remove a web origin from the CORS list; can be repeated
        #[arg(long, value_name = "URL")]
        forbid_origin: Vec<String>,
        /// Rate limit: requests per token in a window; `default` for the installation's limit
        #[arg(long, value_name = "N|default")]
        token_rate_limit: Option<String>,
        /// Audiences that people may choose for their recordings: public, institution, paused
        #[arg(long, value_name = "AUDIENCES")]
        audiences: Option<String>,
        /// Audience of people who are registered from now on: public or institution
        #[arg(long, value_name = "AUDIENCE")]
        default_audience: Option<String>,
        /// Accent color of its pages, like '#7a1f3d'; `none` for the default color
        #[arg(long, value_name = "COLOR|none")]
        accent: Option<String>,
        /// Logo on its pages: a PNG, JPEG or WebP file; `none` removes it
        #[arg(long, value_name = "FILE|none")]
        logo: Option<std::path::PathBuf>,
        /// Language of its phone calls, like fr; empty resets it to the installation's
        #[arg(long = "phone-language", value_name = "LANGUAGE")]
        its_phone_language: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Delete an institution and all its data
    Delete {
        slug: String,
        /// Do not ask for confirmation
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
                let made = institutions::create(app, &Actor::Operator, new).await?;
                if json {
                    output::print_json(&json!({
                        "id": made.id.to_string(), "slug": made.slug, "access_code": made.access_code,
                    }));
                } else {
                    output::print_line(&format!(
                        "Created institution `{}` with access code {}.",
                        made.slug, made.access_code
                    ));
                    output::print_line(&format!(
                        "Next: endonym token create --institution {} --name \"My integration\"",
                        made.slug
                    ));
                }
            }
            Self::List { json } => {
                let mut all = Vec::new();
                for one in institutions::all(app, &Actor::Operator).await? {
                    let look = looks::find(app, one.id).await?;
                    all.push((one, look));
                }
                list(&all, json);
            }
            Self::Update {
                slug,
                name,
                time_zone,
                multiple_recordings,
                allow_origin,
                forbid_origin,
                token_rate_limit,
                its_phone_language,
                audiences,
                default_audience,
                accent,
                logo,
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
                    audiences,
                    default_audience,
                    look: looks::Change {
                        accent: accent.map(|color| (color != "none").then_some(color)),
                        logo: logo.map(read_logo).transpose()?,
                    },
                };
                let changed = institutions::update(app, &Actor::Operator, &slug, change).await?;
                let look = looks::find(app, changed.id).await?;
                if json {
                    output::print_json(&shown(&changed, &look));
                } else {
                    list(&[(changed, look)], false);
                }
            }
            Self::Delete { slug, yes } => {
                let found = institution(app, &slug).await?;
                let what = format!(
                    "This permanently deletes institution `{slug}` ({}) with all its pages and people.",
                    found.name
                );
                output::confirm(yes, &what)?;
                institutions::delete(app, &Actor::Operator, &slug).await?;
                output::print_line(&format!("Deleted institution `{slug}`."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// `None` for the word `none`.
fn read_logo(path: std::path::PathBuf) -> Result<Option<Vec<u8>>, super::Failure> {
    if path.as_os_str() == "none" {
        return Ok(None);
    }
    let read = std::fs::read(&path);
    read.map(Some).map_err(|error| super::Failure(format!("cannot read {}: {error}", path.display())))
}

fn shown(institution: &domain::institution::Institution, look: &Look) -> serde_json::Value {
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
        "accent": look.accent.map(|accent| accent.light.to_string()),
        "logo": look.logo.is_some(),
        "created_at": output::time(institution.created_at),
    })
}

fn list(all: &[(domain::institution::Institution, Look)], json: bool) {
    if json {
        output::print_json(
            &json!({ "institutions": all.iter().map(|(one, look)| shown(one, look)).collect::<Vec<_>>() }),
        );
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(one, look)| {
            vec![
                one.slug.clone(),
                one.name.clone(),
                one.access_code.clone(),
                one.time_zone.iana_name().unwrap_or("UTC").to_owned(),
                if one.multiple_recordings { "yes" } else { "no" }.to_owned(),
                look.accent.map(|accent| accent.light.to_string()).unwrap_or_default(),
                if look.logo.is_some() { "yes" } else { "no" }.to_owned(),
                one.phone_language.clone().unwrap_or_default(),
                one.allowed_origins.join(" "),
            ]
        })
        .collect();
    output::print_table(
        &[
            "SLUG",
            "NAME",
            "ACCESS CODE",
            "TIME ZONE",
            "LEGAL NAMES",
            "ACCENT",
            "LOGO",
            "CALL LANGUAGE",
            "ALLOWED ORIGINS",
        ],
        &rows,
    );
}
