//! `endonym consent …`

use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{
        Actor, App,
        consents::{self, ConsentState},
    },
    domain::{consent::ConsentText, institution::Institution, language::Language},
    http::consent::ShownText,
    words::Words,
};

/// The text that people agree to before they record their name themselves
#[derive(Debug, Subcommand)]
pub enum Consent {
    /// Replace the built-in text by the institution's own, or add a language to it
    ///
    /// The file is plain text in UTF-8; blank lines separate paragraphs. A changed text is a new version: people are asked again
    /// before their next recording, and existing recordings are not affected. A language that the text lacks is added to the
    /// same version. For example: endonym consent set --institution example-university --file consent.txt --language de
    Set {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long, value_name = "FILE")]
        file: PathBuf,
        /// Language of the text: en, es, fr, de, pt, zh or ar [default: the institution's language]
        #[arg(long, value_name = "LANGUAGE")]
        language: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Print the text in force
    Show {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Language of the reader [default: the institution's language]
        #[arg(long, value_name = "LANGUAGE")]
        language: Option<String>,
        #[arg(long)]
        json: bool,
    },
    /// Go back to the built-in text
    Reset {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// List who has agreed to which version, and how many
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
}

impl Consent {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::Set { institution: slug, file, language, json } => {
                let owner = institution(app, slug).await?;
                let language = chosen(&owner, language.as_deref())?;
                let cannot = |error| Failure(format!("cannot read {}: {error}", file.display()));
                let bytes = std::fs::read(file).map_err(cannot)?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| Failure(format!("{} is not UTF-8 text", file.display())))?;
                let set = consents::set(app, &Actor::Operator, owner.id, language, &text).await?;
                report(slug, &set, *json);
            }
            Self::Show { institution: slug, language, json } => {
                let owner = institution(app, slug).await?;
                let language = chosen(&owner, language.as_deref())?;
                let state = consents::find(app, &Actor::Operator, owner.id).await?;
                show(&owner, &state, language, *json);
            }
            Self::Reset { institution: slug, json } => {
                let owner = institution(app, slug).await?;
                let text = consents::reset(app, &Actor::Operator, owner.id).await?;
                report(slug, &text, *json);
            }
            Self::List { institution: slug, json } => {
                let owner = institution(app, slug).await?;
                list(app, &owner, *json).await?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn chosen(owner: &Institution, given: Option<&str>) -> Result<Language, Failure> {
    match given {
        Some(tag) => Language::ALL.into_iter().find(|language| language.tag() == tag).ok_or_else(|| {
            let tags: Vec<&str> = Language::ALL.into_iter().map(Language::tag).collect();
            Failure(format!("the language must be one of {}, not `{tag}`", tags.join(", ")))
        }),
        None => Ok(owner.language.unwrap_or_default()),
    }
}

fn languages(text: &ConsentText) -> Vec<String> {
    if text.is_built_in() {
        return Language::ALL.into_iter().map(|language| language.tag().to_owned()).collect();
    }
    text.texts.keys().cloned().collect()
}

fn report(slug: &str, text: &ConsentText, json: bool) {
    let languages = languages(text);
    if json {
        output::print_json(&json!({
            "version": text.version, "languages": languages, "built_in": text.is_built_in(),
        }));
    } else {
        output::print_line(&format!(
            "people of `{slug}` agree to version {} ({}) before they record",
            text.version,
            languages.join(", ")
        ));
    }
}

fn show(owner: &Institution, state: &ConsentState, language: Language, json: bool) {
    let shown = ShownText::new(state, Words::new(language), &owner.name);
    let text = shown.paragraphs.join("\n\n");
    // Isolating characters are for browsers.
    let text: String = text.chars().filter(|c| !matches!(c, '\u{2066}'..='\u{2069}')).collect();
    if json {
        output::print_json(&json!({
            "version": shown.version,
            "language": shown.language.tag(),
            "languages": languages(&state.text),
            "built_in": state.text.is_built_in(),
            "text": text,
        }));
    } else {
        output::print_line(&text);
    }
}

/// How many have agreed to a version, and how many of them have withdrawn.
#[derive(Default)]
struct Count {
    agreed: usize,
    withdrawn: usize,
}

async fn list(app: &App, owner: &Institution, json: bool) -> Result<(), Failure> {
    let all = consents::all(app, &Actor::Operator, owner.id).await?;
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for (_, one) in &all {
        let count = counts.entry(&one.version).or_default();
        *(if one.withdrawn_at.is_some() { &mut count.withdrawn } else { &mut count.agreed }) += 1;
    }
    if json {
        let versions = counts.iter().map(|(version, count)| {
            json!({ "version": version, "agreed": count.agreed, "withdrawn": count.withdrawn })
        });
        let consents = all.iter().map(|(who, one)| {
            let is_email = who.contains('@');
            json!({
                "email": is_email.then_some(who),
                "participant": (!is_email).then_some(who),
                "version": one.version,
                "language": one.language.tag(),
                "consented_at": output::time(one.consented_at),
                "withdrawn_at": one.withdrawn_at.map(output::time),
                "via": one.via.word(),
            })
        });
        output::print_json(&json!({
            "versions": versions.collect::<Vec<_>>(),
            "consents": consents.collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(who, one)| {
            vec![
                who.clone(),
                one.version.clone(),
                one.language.tag().to_owned(),
                output::time(one.consented_at),
                one.withdrawn_at.map(output::time).unwrap_or_default(),
                one.via.word().unwrap_or_default().to_owned(),
            ]
        })
        .collect();
    output::print_table(&["WHO", "VERSION", "LANGUAGE", "AGREED", "WITHDRAWN", "VIA"], &rows);
    for (version, Count { agreed, withdrawn }) in counts {
        output::print_line(&format!("version {version}: {agreed} agreed, {withdrawn} withdrawn"));
    }
    Ok(())
}
