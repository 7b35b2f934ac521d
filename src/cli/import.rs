//! `endonym import`

mod recordings;
mod report;

use std::{
    fs::File,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
};

use indicatif::{ProgressBar, ProgressStyle};
use report::Report;

use super::{Failure, Outcome, institution, page_ref};
use crate::{
    app::{
        App, Error, custom_fields,
        imports::{self, Calling, Sheet, SheetFault},
        name_pages,
    },
    config::{self, Storage},
    domain::{institution::Institution, name_page::NamePageRef, participant::LegalNames},
    mail::Mailer,
};

/// Import people from a CSV file, and their recordings from a directory
///
/// The first line names the columns, in any order: first_name, last_name, email, institution_id, phonetic, notes,
/// phone_number, legal_first_name and so on for legal names, and custom_… for custom fields. Columns are separated by commas,
/// semicolons or tabs. The import is an upsert: people who are already on the page are updated, and empty cells change nothing.
/// Every row is reported; an invalid row does not stop the import.
///
/// Recordings are audio files named after a person's email or institution_id: ana@example.edu.wav, S-1001.m4a.
///
/// For example: endonym import --institution example-university --name-page class-of-2027 people.csv --dry-run
#[derive(Debug, clap::Args)]
#[command(mut_args(without_what_others_do))]
pub struct Import {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    #[arg(value_name = "FILE.csv", required_unless_present = "recordings")]
    file: Option<PathBuf>,
    /// Directory of recordings
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// Call people whose row has a phone number, to record their names
    #[arg(long)]
    call: bool,
    /// Print what would happen, without changing anything
    #[arg(long)]
    dry_run: bool,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    media: config::Media,
    #[command(flatten)]
    phone: config::Phone,
}

/// An import schedules calls but does not make them: it accepts the settings for making calls, and hides them in its help.
fn without_what_others_do(arg: clap::Arg) -> clap::Arg {
    let ours = ["phone_url", "phone_quiet_hours", "phone_countries"];
    let id = arg.get_id().as_str();
    let is_others = id.starts_with("phone_") && !ours.contains(&id);
    if is_others { arg.hide(true) } else { arg }
}

impl Import {
    pub async fn run(&self, storage: &Storage) -> Outcome {
        let rules = self.phone.rules().map_err(Failure)?;
        if self.call && !rules.enabled {
            return Err(Failure(
                "cannot call anyone: no telephony is configured; set --phone-url (ENDONYM_PHONE_URL)"
                    .to_owned(),
            ));
        }
        let phone = self.phone.phone("").map_err(Failure)?;
        let app = &super::open_with(storage, self.media.settings(), rules, phone, Mailer::default()).await?;
        let owner = institution(app, &self.institution).await?;
        let page = page_ref(&self.name_page)?;
        let page_id =
            name_pages::find(app, owner.id, &page).await.map(|page| page.id).map_err(
                |error| match error {
                    Error::Missing(_) => Failure(format!(
                        "`{0}` has no name page `{1}`: run `endonym name-page list --institution {0}` to see all pages",
                        self.institution, self.name_page
                    )),
                    other => other.into(),
                },
            )?;
        let recordings = self.recordings.as_deref().map(recordings::Folder::read).transpose()?;
        let mut report = Report::new(self.json, self.dry_run);
        if let Some(file) = &self.file {
            self.rows(app, &owner, &page, file, &mut report).await?;
        }
        report.end_of_rows();
        if let Some(folder) = recordings {
            folder.bring_in(app, owner.id, page_id, &mut report).await?;
        }
        Ok(report.end())
    }

    async fn rows(
        &self,
        app: &App,
        owner: &Institution,
        page: &NamePageRef,
        file: &Path,
        report: &mut Report,
    ) -> Result<(), Failure> {
        let fields = custom_fields::all(app, owner.id).await?;
        let legal = if owner.multiple_recordings { LegalNames::Permitted } else { LegalNames::Ignored };
        let source = File::open(file).map_err(|error| self.worded(SheetFault::Io(error), file))?;
        let mut sheet = Sheet::open(source, &fields, legal).map_err(|fault| self.worded(fault, file))?;
        if !sheet.ignored.is_empty() {
            let ignored: Vec<String> = sheet.ignored.iter().map(|heading| format!("`{heading}`")).collect();
            eprintln!("note: ignoring unknown columns: {}", ignored.join(", "));
        }
        let progress = progress(file);
        report.begin();
        let calling = if self.call { Calling::Those } else { Calling::Nobody };
        let mut group = Vec::with_capacity(imports::GROUP);
        loop {
            let row = sheet.next_row().map_err(|fault| self.worded(fault, file))?;
            let more = row.is_some();
            progress.set_position(sheet.position());
            group.extend(row);
            if group.len() == imports::GROUP || !more {
                let rows = std::mem::take(&mut group);
                let done = imports::rows(app, owner.id, page.clone(), rows, calling, self.dry_run).await?;
                progress.suspend(|| done.iter().for_each(|row| report.row(row)));
            }
            if !more {
                break;
            }
        }
        progress.finish_and_clear();
        Ok(())
    }

    fn worded(&self, fault: SheetFault, file: &Path) -> Failure {
        Failure(match fault {
            SheetFault::Io(error) => format!("cannot read {}: {error}", file.display()),
            SheetFault::Csv(error) => error.to_string(),
            SheetFault::Utf16 => format!("{} is UTF-16: save it as “CSV UTF-8”", file.display()),
            SheetFault::Headings => {
                "the first line is not readable text: save the file as “CSV UTF-8”".to_owned()
            }
            SheetFault::UnknownCustomField { heading, name } => format!(
                "column `{heading}` is not a custom field of `{0}`: define it first with `endonym custom-field create --institution {0} --name {name}`",
                self.institution
            ),
            SheetFault::Duplicate(heading) => format!("duplicate column `{heading}`"),
            SheetFault::MissingColumns { headings } => format!(
                "the first line must name the columns, including `email` and `first_name` or `last_name`; found: {}",
                headings.join(" | ")
            ),
        })
    }
}

fn progress(path: &Path) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(path.metadata().map_or(0, |metadata| metadata.len()));
    let style = ProgressStyle::with_template("{bar:40} {percent}% {bytes} of {total_bytes}, {eta} left");
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}
