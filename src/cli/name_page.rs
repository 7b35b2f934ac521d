//! `endonym name-page …`

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error, Links, name_pages,
        page_exports::{self, Format, PageExport},
    },
    config::PublicUrl,
    domain,
};

/// Create, list, update and delete name pages
#[derive(Debug, Subcommand)]
pub enum NamePage {
    /// Create a name page
    ///
    /// For example: endonym name-page create --institution example-university --title "Class of 2027"
    Create {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        title: String,
        /// Short name for URLs [default: derived from the title]
        #[arg(long)]
        slug: Option<String>,
        /// Access code for API versions 2 and 3 [default: generated]
        #[arg(long, value_name = "CODE")]
        access_code: Option<String>,
        /// Enable API version 2: anyone who knows the access code can read everyone on the page without a token
        #[arg(long)]
        allow_v2: bool,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's name pages
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Update a name page
    ///
    /// For example: endonym name-page update --institution example-university class-of-2027 --allow-v2 false
    Update {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Enable API version 2, where the access code alone is enough to read everyone on the page: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", action = clap::ArgAction::Set)]
        allow_v2: bool,
    },
    /// Write everybody on a name page to a file
    ///
    /// For example: endonym name-page export class-of-2027 --institution example-university --format xlsx --out class.xlsx
    ///
    /// `xlsx` and `csv` have a row for each person, `zip` has the recordings as MP3 files named Last_First.mp3, and `vcard` has cards
    /// for address books. Recordings that are paused or held are left out.
    Export {
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long, value_name = "FORMAT", value_parser = Format::WORDS)]
        format: String,
        /// The file to create; it must not exist
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reached: PublicUrl,
    },
    /// Delete a name page and all registrations on it
    Delete {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

impl NamePage {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::Create { institution: owner, title, slug, access_code, allow_v2, json } => {
                let owner = institution(app, &owner).await?;
                let new = name_pages::New { title, slug, access_code, allow_v2 };
                let made = name_pages::create(app, &Actor::Operator, owner.id, new).await?;
                let notice = allow_v2.then(|| v2_notice(&owner, &made));
                if json {
                    if let Some(notice) = notice {
                        eprintln!("{notice}");
                    }
                    output::print_json(&json!({
                        "id": made.id.to_string(), "slug": made.slug,
                        "event_code": made.event_code, "access_code": made.access_code,
                    }));
                } else {
                    output::print_line(&format!(
                        "Created name page `{}` with event code {} and access code {}.",
                        made.slug, made.event_code, made.access_code
                    ));
                    if let Some(notice) = notice {
                        output::print_line(&notice);
                    }
                }
            }
            Self::List { institution: owner, json } => {
                let owner = institution(app, &owner).await?;
                list(&name_pages::all(app, &Actor::Operator, owner.id).await?, json);
            }
            Self::Update { institution: slug, page, allow_v2 } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let changed =
                    name_pages::allow_v2(app, &Actor::Operator, owner.id, &reference, allow_v2).await;
                let changed = changed.map_err(|error| unknown(error, &slug, &page))?;
                let answers = if allow_v2 { "answers" } else { "does not answer" };
                output::print_line(&format!("Name page `{}` {answers} version 2.", changed.slug));
                if allow_v2 {
                    output::print_line(&v2_notice(&owner, &changed));
                }
            }
            Self::Export { page, institution: slug, format, out, json, reached } => {
                let format =
                    Format::parse(&format).ok_or_else(|| Failure(format!("{format} is not a format")))?;
                let links = Links::new(&reached.base_url().map_err(Failure)?);
                export(app, (&slug, &page), format, &links, &out, json).await?;
            }
            Self::Delete { institution: slug, page, yes } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let found = name_pages::find(app, &Actor::Operator, owner.id, &reference).await;
                let found = found.map_err(|error| unknown(error, &slug, &page))?;
                let what = format!(
                    "This permanently deletes name page `{}` ({}) with all its people.",
                    found.slug, found.title
                );
                output::confirm(yes, &what)?;
                let people = name_pages::delete(app, &Actor::Operator, owner.id, &reference).await?;
                output::print_line(&format!("Deleted name page `{}` with {people} people.", found.slug));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

async fn export(
    app: &App,
    (slug, page): (&str, &str),
    format: Format,
    links: &Links,
    out: &Path,
    json: bool,
) -> Result<(), Failure> {
    let owner = institution(app, slug).await?;
    let language = owner.language.unwrap_or_default();
    let reference = page_ref(page)?;
    let begun =
        page_exports::export(app, &Actor::Operator, owner.id, &reference, format, links, language).await;
    let begun = begun.map_err(|error| unknown(error, slug, page))?;
    let cannot = |why: String| Failure(format!("cannot write {}: {why}", out.display()));
    // Readable only by the user who asked for it: it holds personal data.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out);
    let file = file.map_err(|error| cannot(error.to_string()))?;
    let (bytes, missing) = match write(begun, file).await {
        Ok(written) => written,
        Err(failure) => {
            let _ = std::fs::remove_file(out);
            return Err(cannot(failure.0));
        }
    };
    if json {
        output::print_json(&json!({ "out": out, "bytes": bytes, "missing": missing }));
    } else {
        output::print_line(&format!("{}: {bytes} bytes", out.display()));
        for name in missing {
            eprintln!("note: the recording for {name} is not in the blob store");
        }
    }
    Ok(())
}

/// Returns the size of the file, and the recordings that the blob store does not have.
async fn write(mut export: PageExport, mut file: File) -> Result<(u64, Vec<String>), Failure> {
    let mut bytes = 0;
    while let Some(chunk) = export.next().await? {
        file.write_all(&chunk)?;
        bytes += chunk.len() as u64;
    }
    file.sync_all()?;
    Ok((bytes, export.missing))
}

/// Warns who can now read the page.
fn v2_notice(owner: &domain::institution::Institution, page: &domain::name_page::NamePage) -> String {
    format!(
        "API version 2 does not require a token. Anyone who knows the access code {page_code} can now read the names, email \
         addresses, recordings and badge links of everyone on this page, also from scripts on any website. So can \
         anyone who knows the institution's access code {own_code}. Treat both codes as passwords. To disable version 2 again:\n  \
         endonym name-page update --institution {slug} {page} --allow-v2 false",
        page_code = page.access_code,
        own_code = owner.access_code,
        slug = owner.slug,
        page = page.slug,
    )
}

fn unknown(error: Error, slug: &str, page: &str) -> Failure {
    match error {
        Error::Missing(_) => Failure(format!(
            "`{slug}` has no name page `{page}`: run `endonym name-page list --institution {slug}` to see all pages"
        )),
        other => other.into(),
    }
}

fn list(all: &[(domain::name_page::NamePage, i64)], json: bool) {
    if json {
        let shown = |(page, people): &(domain::name_page::NamePage, i64)| {
            json!({
                "id": page.id.to_string(),
                "title": page.title,
                "slug": page.slug,
                "event_code": page.event_code,
                "access_code": page.access_code,
                "allow_v2": page.allow_v2,
                "participants": people,
                "created_at": output::time(page.created_at),
            })
        };
        output::print_json(&json!({ "name_pages": all.iter().map(shown).collect::<Vec<_>>() }));
        return;
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .map(|(page, people)| {
            vec![
                page.slug.clone(),
                page.title.clone(),
                page.event_code.clone(),
                page.access_code.clone(),
                if page.allow_v2 { "yes" } else { "no" }.to_owned(),
                people.to_string(),
            ]
        })
        .collect();
    output::print_table(&["SLUG", "TITLE", "EVENT CODE", "ACCESS CODE", "VERSION 2", "PEOPLE"], &rows);
}
