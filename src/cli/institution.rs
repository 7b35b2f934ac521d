//! `endonym institution …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{Actor, App, institutions, looks, sso},
    domain::{self, language::Language, sso::SsoOnly},
};

/// Create, list, update and delete institutions (tenants)
#[derive(Debug, Subcommand)]
// There is one of them.
#[allow(clippy::large_enum_variant)]
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
        /// Language of its pages for visitors whose browser prefers none of en, es, fr, de, pt, zh, ar; empty resets it to en
        #[arg(long, value_name = "LANGUAGE")]
        language: Option<String>,
        /// Let new registrations start with the person's newest recording on another page: on (the default) or off
        #[arg(long, value_name = "on|off", value_parser = on_or_off)]
        starts_with_newest: Option<bool>,
        /// Show notes on name badges, which anybody can read who has their address: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        notes_on_badge: Option<bool>,
        /// Days for which entries of the audit log are kept from now on, at least 30 (the default is 730), or `forever`; earlier entries keep
        /// the time that was set when they were written, those that were to be kept forever end after 730 days
        #[arg(long, value_name = "N|forever")]
        audit_days: Option<String>,
        /// Who must sign in through the OpenID provider or the proxy, and gets neither a code nor a link by mail. Their mailed sessions end.
        /// `endonym sign-in-link` lets somebody in when the provider is away
        #[arg(long, value_name = "WHO", value_parser = SsoOnly::WORDS)]
        sso_only: Option<String>,
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
            Self::List { json } => list(app, &institutions::all(app, &Actor::Operator).await?, json).await?,
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
                language,
                starts_with_newest,
                notes_on_badge,
                audit_days,
                sso_only,
                accent,
                logo,
                json,
            } => {
                institution(app, &slug).await?;
                let rate_limit = match token_rate_limit.as_deref() {
                    None => None,
                    Some("default") => Some(None),
                    Some(number) => Some(Some(number.parse().map_err(|_| {
                        Failure(format!("the rate limit must be a number or `default`, not `{number}`"))
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
                    language,
                    starts_with_newest,
                    notes_on_badge,
                    audit_days: audit_days.as_deref().map(days).transpose()?,
                    sso_only,
                    look: looks::Change {
                        accent: accent.map(|color| (color != "none").then_some(color)),
                        logo: logo.map(read_logo).transpose()?,
                    },
                    based_on: None,
                };
                let requires = change.sso_only.as_deref().is_some_and(|word| word != SsoOnly::Off.word());
                let changed = institutions::update(app, &Actor::Operator, &slug, change).await?;
                if requires && sso::all(app, &Actor::Operator, Some(changed.id)).await?.is_empty() {
                    eprintln!(
                        "note: `{slug}` has no connection to a provider yet, so only a proxy or `endonym sign-in-link` lets people in: \
                         see `endonym sso create --help`"
                    );
                }
                if json {
                    output::print_json(&shown(app, &changed).await?);
                } else {
                    list(app, &[changed], false).await?;
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

/// `None` for the word `forever`.
fn days(given: &str) -> Result<Option<u32>, Failure> {
    if given == "forever" {
        return Ok(None);
    }
    let number = given.parse().map(Some);
    number.map_err(|_| Failure(format!("the days must be a number or `forever`, not `{given}`")))
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("use `on` or `off`".to_owned()),
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

async fn shown(app: &App, institution: &domain::institution::Institution) -> Result<Value, Failure> {
    let starts_with_newest = institutions::starts_with_newest(app, &Actor::Operator, institution.id).await?;
    let notes_on_badge = institutions::notes_on_badge(app, &Actor::Operator, institution.id).await?;
    let look = looks::find(app, institution.id).await?;
    let audit_days = institutions::audit_days(app, &Actor::Operator, institution.id).await?;
    let sso_only = institutions::sso_only(app, institution.id).await?;
    Ok(json!({
        "id": institution.id.to_string(),
        "slug": institution.slug,
        "name": institution.name,
        "access_code": institution.access_code,
        "time_zone": institution.time_zone.iana_name(),
        "multiple_recordings": institution.multiple_recordings,
        "rate_limit": institution.rate_limit,
        "allowed_origins": institution.allowed_origins,
        "phone_language": institution.phone_language,
        "language": institution.language.map(Language::tag),
        "starts_with_newest": starts_with_newest,
        "notes_on_badge": notes_on_badge,
        "audit_days": audit_days,
        "sso_only": sso_only.word(),
        "accent": look.accent.map(|accent| accent.light.to_string()),
        "logo": look.logo.is_some(),
        "created_at": output::time(institution.created_at),
    }))
}

async fn list(app: &App, all: &[domain::institution::Institution], json: bool) -> Result<(), Failure> {
    if json {
        let mut institutions = Vec::new();
        for one in all {
            institutions.push(shown(app, one).await?);
        }
        output::print_json(&json!({ "institutions": institutions }));
        return Ok(());
    }
    let mut rows = Vec::new();
    for one in all {
        let look = looks::find(app, one.id).await?;
        rows.push(vec![
            one.slug.clone(),
            one.name.clone(),
            one.access_code.clone(),
            one.time_zone.iana_name().unwrap_or("UTC").to_owned(),
            if one.multiple_recordings { "yes" } else { "no" }.to_owned(),
            look.accent.map(|accent| accent.light.to_string()).unwrap_or_default(),
            if look.logo.is_some() { "yes" } else { "no" }.to_owned(),
            one.rate_limit.map_or_else(|| "default".to_owned(), |limit| limit.to_string()),
            one.phone_language.clone().unwrap_or_default(),
            one.allowed_origins.join(" "),
        ]);
    }
    output::print_table(
        &[
            "SLUG",
            "NAME",
            "ACCESS CODE",
            "TIME ZONE",
            "LEGAL NAMES",
            "ACCENT",
            "LOGO",
            "TOKEN RATE LIMIT",
            "CALL LANGUAGE",
            "ALLOWED ORIGINS",
        ],
        &rows,
    );
    Ok(())
}
