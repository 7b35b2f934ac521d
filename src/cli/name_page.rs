//! `endonym name-page …`

mod settings;
mod shown;

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use serde_json::json;

use self::{
    settings::Settings,
    shown::{created, list, show, told_of_v2},
};
use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error, Links, coverage, name_pages,
        page_exports::{self, Format, PageExport},
        page_settings::{self, Change},
        streams::Chunks,
    },
    config::PublicUrl,
};

/// Create, list, update, copy, archive and delete name pages
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
        /// Access code for API versions 2 and 3, of at least 8 characters [default: generated]
        #[arg(long, value_name = "CODE")]
        access_code: Option<String>,
        /// Enable API version 2: anyone who knows the access code can read everyone on the page without a token
        #[arg(long)]
        allow_v2: bool,
        #[command(flatten)]
        settings: Box<Settings>,
        #[arg(long)]
        json: bool,
    },
    /// List an institution's name pages
    List {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// List the archived name pages instead
        #[arg(long)]
        archived: bool,
        #[arg(long)]
        json: bool,
    },
    /// Show a name page with its settings and figures
    ///
    /// For example: endonym name-page show --institution example-university class-of-2027
    Show {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long)]
        json: bool,
    },
    /// Update a name page
    ///
    /// For example: endonym name-page update --institution example-university class-of-2027 --register domain
    /// --domains example.edu --closes 2027-05-31T18:00
    Update {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Enable API version 2, where the access code alone is enough to read everyone on the page: true or false
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        allow_v2: Option<bool>,
        #[arg(long = "title", value_name = "TITLE")]
        page_title: Option<String>,
        #[command(flatten)]
        settings: Box<Settings>,
        #[arg(long)]
        json: bool,
    },
    /// Copy a name page with its settings, and without recordings
    ///
    /// For example: endonym name-page copy --institution example-university class-of-2027 --title "Class of 2028"
    Copy {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The id, slug, event code or access code of the page to copy
        #[arg(value_name = "REF")]
        page: String,
        #[arg(long)]
        title: String,
        /// Short name for URLs [default: derived from the title]
        #[arg(long)]
        slug: Option<String>,
        /// Also copy everybody who has an email, without their recordings, in the background
        #[arg(long)]
        with_people: bool,
        #[arg(long)]
        json: bool,
    },
    /// Archive a name page: it takes no registrations and recordings, sends no reminders, and is not listed
    ///
    /// For example: endonym name-page archive --institution example-university class-of-2026
    Archive {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The page's id, slug, event code or access code
        #[arg(value_name = "REF")]
        page: String,
        /// Take it out of the archive
        #[arg(long)]
        undo: bool,
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
            Self::Create { institution: owner, title, slug, access_code, allow_v2, settings, json } => {
                let owner = institution(app, &owner).await?;
                let new = name_pages::New { title, slug, access_code, allow_v2 };
                let change = settings.change()?;
                let made = name_pages::create_with(app, &Actor::Operator, owner.id, new, change).await?;
                created(&owner, &made, json);
            }
            Self::List { institution: owner, archived, json } => {
                let owner = institution(app, &owner).await?;
                list(&coverage::all(app, &Actor::Operator, owner.id, archived).await?, json);
            }
            Self::Show { institution: slug, page, json } => {
                let owner = institution(app, &slug).await?;
                show(app, &owner, &page_ref(&page)?, json)
                    .await
                    .map_err(|error| unknown(error, &slug, &page))?;
            }
            Self::Update { institution: slug, page, allow_v2, page_title, settings, json } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let has_settings = page_title.is_some() || !settings.is_empty();
                if allow_v2.is_none() && !has_settings {
                    let hint = "nothing to change: run `endonym name-page update --help` to see all settings";
                    return Err(Failure(hint.to_owned()));
                }
                let changed = if has_settings {
                    let change = Change { title: page_title, allow_v2, ..settings.change()? };
                    page_settings::update(app, &Actor::Operator, owner.id, &reference, change).await
                } else {
                    let allow = allow_v2.unwrap_or_default();
                    name_pages::allow_v2(app, &Actor::Operator, owner.id, &reference, allow).await
                };
                let changed = changed.map_err(|error| unknown(error, &slug, &page))?;
                if let Some(allow) = allow_v2 {
                    told_of_v2(&owner, &changed, allow, json);
                }
                if has_settings || json {
                    show(app, &owner, &reference, json).await?;
                }
            }
            Self::Copy { institution: slug, page, title, slug: wanted, with_people, json } => {
                let owner = institution(app, &slug).await?;
                let (operator, reference) = (&Actor::Operator, page_ref(&page)?);
                let made = if with_people {
                    name_pages::copy_with_people(app, operator, owner.id, &reference, title, wanted).await
                } else {
                    name_pages::copy(app, operator, owner.id, &reference, title, wanted).await
                };
                created(&owner, &made.map_err(|error| unknown(error, &slug, &page))?, json);
            }
            Self::Archive { institution: slug, page, undo } => {
                let owner = institution(app, &slug).await?;
                let reference = page_ref(&page)?;
                let done = name_pages::archive(app, &Actor::Operator, owner.id, &reference, !undo).await;
                let done = done.map_err(|error| unknown(error, &slug, &page))?;
                let what = if undo { "is not archived any more" } else { "is archived" };
                output::print_line(&format!("Name page `{}` {what}.", done.slug));
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

fn unknown(error: Error, slug: &str, page: &str) -> Failure {
    match error {
        Error::Missing(_) => Failure(format!(
            "`{slug}` has no name page `{page}`: run `endonym name-page list --institution {slug}` to see all pages"
        )),
        other => other.into(),
    }
}
