//! `endonym custom-field …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{Actor, App, Error, Missing, custom_fields},
    domain::{self, custom_field::FieldKind, page_settings::Asking},
};

/// Define, list, update and delete custom fields
#[derive(Debug, Subcommand)]
pub enum CustomField {
    /// Define a custom field for the people of an institution
    ///
    /// For example: endonym custom-field create --institution example-university --name gender_pronouns --label Pronouns
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Key in API responses: lowercase letters, digits, underscores
        #[arg(long)]
        name: String,
        /// Label shown to people
        #[arg(long)]
        label: Option<String>,
        /// Let people change it in their own entries
        #[arg(long)]
        editable: bool,
        /// How people enter it on pages. Clients of the API and imports write any text
        #[arg(long, value_name = "KIND", value_parser = FieldKind::WORDS, default_value = "text")]
        kind: String,
        /// An option to choose from, for the kinds choice and choices; can be repeated
        #[arg(long = "option", value_name = "TEXT")]
        options: Vec<String>,
        /// How name pages ask for it, unless they say otherwise
        #[arg(long, value_name = "HOW", value_parser = Asking::ALL.map(Asking::word), default_value = "off")]
        asked: String,
        /// Show it on name badges, which anybody can read who has their address. Pronouns are always there
        #[arg(long)]
        on_badge: bool,
        #[arg(long)]
        json: bool,
    },
    /// Update a custom field
    ///
    /// For example: endonym custom-field update --institution example-university degree --editable true --on-badge true
    Update {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        name: String,
        /// Label shown to people
        #[arg(long)]
        label: Option<String>,
        /// Let people change it in their own entries: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        editable: Option<bool>,
        /// How people enter it on pages. Existing values stay as they are
        #[arg(long, value_name = "KIND", value_parser = FieldKind::WORDS)]
        kind: Option<String>,
        /// An option to choose from, for the kinds choice and choices; can be repeated, and replaces all options
        #[arg(long = "option", value_name = "TEXT")]
        options: Vec<String>,
        /// How name pages ask for it, unless they say otherwise
        #[arg(long, value_name = "HOW", value_parser = Asking::ALL.map(Asking::word))]
        asked: Option<String>,
        /// Show it on name badges, which anybody can read who has their address: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        on_badge: Option<bool>,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's custom fields
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Delete a custom field and all its values
    Delete {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        name: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

impl CustomField {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create {
                institution: slug,
                name,
                label,
                editable,
                kind,
                options,
                asked,
                on_badge,
                json,
            } => {
                let owner = institution(app, &slug).await?;
                let kind = FieldKind::parse(&kind).unwrap_or_default();
                let asked = Asking::parse(&asked).unwrap_or_default();
                let new = custom_fields::New { name, label, editable, kind, options, asked, on_badge };
                let made = custom_fields::create(app, &Actor::Operator, owner.id, new).await?;
                if json {
                    output::print_json(&json!({ "name": made.name, "import_key": made.import_key() }));
                } else {
                    output::print_line(&format!(
                        "Created custom field `{}`. Its key in requests and CSV files is `{}`.",
                        made.name,
                        made.import_key()
                    ));
                }
            }
            Self::Update {
                institution: slug,
                name,
                label,
                editable,
                kind,
                options,
                asked,
                on_badge,
                json,
            } => {
                let owner = institution(app, &slug).await?;
                let change = custom_fields::Change {
                    label,
                    editable,
                    kind: kind.as_deref().and_then(FieldKind::parse),
                    options: (!options.is_empty()).then_some(options),
                    asked: asked.as_deref().and_then(Asking::parse),
                    on_badge,
                    base: None,
                };
                let updated =
                    custom_fields::update(app, &Actor::Operator, owner.id, name.clone(), change).await;
                let field = match updated {
                    Err(Error::Missing(Missing::CustomField)) => return Err(unknown(&slug, &name)),
                    other => other?,
                };
                if json {
                    output::print_json(&shown(&field));
                } else {
                    list(&[field], false);
                }
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&custom_fields::all(app, &Actor::Operator.access(owner.id)?).await?, json);
            }
            Self::Delete { institution: slug, name, yes } => {
                let owner = institution(app, &slug).await?;
                if !custom_fields::all(app, &Actor::Operator.access(owner.id)?)
                    .await?
                    .iter()
                    .any(|field| field.name == name)
                {
                    return Err(unknown(&slug, &name));
                }
                output::confirm(
                    yes,
                    &format!("This permanently deletes custom field `{name}` and all its values."),
                )?;
                match custom_fields::delete(app, &Actor::Operator, owner.id, name.clone()).await {
                    Err(Error::Missing(_)) => return Err(unknown(&slug, &name)),
                    other => other?,
                }
                output::print_line(&format!("Deleted custom field `{name}`."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn unknown(slug: &str, name: &str) -> Failure {
    Failure(format!(
        "`{slug}` has no custom field `{name}`: run `endonym custom-field list --institution {slug}` to see all fields"
    ))
}

fn shown(field: &domain::custom_field::CustomField) -> serde_json::Value {
    json!({
        "name": field.name,
        "label": field.label,
        "import_key": field.import_key(),
        "editable": field.editable,
        "kind": field.kind.word(),
        "options": field.options,
        "asked": field.asked.word(),
        "on_badge": field.on_badge,
    })
}

fn list(all: &[domain::custom_field::CustomField], json: bool) {
    if json {
        output::print_json(&json!({ "custom_fields": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let row = |field: &domain::custom_field::CustomField| {
        let yes = |is_set: bool| if is_set { "yes" } else { "no" }.to_owned();
        vec![
            field.name.clone(),
            field.label.clone(),
            field.import_key(),
            yes(field.editable),
            field.kind.word().to_owned(),
            field.asked.word().to_owned(),
            if field.is_pronouns() { "always".to_owned() } else { yes(field.on_badge) },
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    output::print_table(&["NAME", "LABEL", "IMPORT KEY", "EDITABLE", "KIND", "ASKED", "ON BADGE"], &rows);
}
