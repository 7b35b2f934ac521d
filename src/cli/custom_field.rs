//! `endonym custom-field …`

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{Actor, App, Error, custom_fields},
    domain,
};

/// Define, list and delete custom fields
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
            Self::Create { institution: slug, name, label, json } => {
                let owner = institution(app, &slug).await?;
                let made = custom_fields::create(app, &Actor::Operator, owner.id, name, label).await?;
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
            Self::List { institution: slug, json } => {
                let owner = institution(app, &slug).await?;
                list(&custom_fields::all(app, &Actor::Operator.access(owner.id)?).await?, json);
            }
            Self::Delete { institution: slug, name, yes } => {
                let owner = institution(app, &slug).await?;
                let unknown = || {
                    Failure(format!(
                        "`{slug}` has no custom field `{name}`: run `endonym custom-field list --institution {slug}` to see all fields"
                    ))
                };
                if !custom_fields::all(app, &Actor::Operator.access(owner.id)?)
                    .await?
                    .iter()
                    .any(|field| field.name == name)
                {
                    return Err(unknown());
                }
                output::confirm(
                    yes,
                    &format!("This permanently deletes custom field `{name}` and all its values."),
                )?;
                match custom_fields::delete(app, &Actor::Operator, owner.id, name.clone()).await {
                    Err(Error::Missing(_)) => return Err(unknown()),
                    other => other?,
                }
                output::print_line(&format!("Deleted custom field `{name}`."));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn list(all: &[domain::custom_field::CustomField], json: bool) {
    if json {
        let shown = |field: &domain::custom_field::CustomField| json!({ "name": field.name, "label": field.label, "import_key": field.import_key() });
        output::print_json(&json!({ "custom_fields": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> =
        all.iter().map(|field| vec![field.name.clone(), field.label.clone(), field.import_key()]).collect();
    output::print_table(&["NAME", "LABEL", "IMPORT KEY"], &rows);
}
