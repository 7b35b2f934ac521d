//! `endonym import`

mod report;

use std::{
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};

use indicatif::{ProgressBar, ProgressStyle};
use report::Report;

use super::{Failure, Outcome, institution, output, page_ref};
use crate::{
    app::{
        Actor, App, Error,
        imports::{self, CallPolicy, Input, Mapping, Options, Recordings, Run, SheetFault, Target, Undone},
        name_pages,
    },
    config::{self, Storage},
    domain::ids::{InstitutionId, NamePageId},
    mail::Mailer,
};

/// Import people from a CSV, XLSX, ODS or OneRoster file, and their recordings
///
/// One of the first ten rows names the columns, in any order: first_name, last_name, email, institution_id, phonetic, notes,
/// phone_number, directory_hold, legal_first_name and so on for legal names, and custom_… for custom fields. Headings in other languages are
/// understood as well ("E-Mail", "Vorname", "Surname"); --column overrides what they seem to mean. CSV files are UTF-8, UTF-16 or
/// Windows-1252, with commas, semicolons or tabs, and of any length. In a spreadsheet, the first visible sheet is read. Spreadsheets and
/// OneRoster bundles may have up to 200,000 rows.
///
/// The import is an upsert: people who are already on the page are updated, and empty cells change nothing. The whole file is checked
/// first. Every row is reported; an invalid row does not stop the import. --undo reverts the last import of a page within 24 hours, as
/// long as nobody has changed what it imported.
///
/// A OneRoster bundle (version 1.1 or 1.2) is a ZIP file; without --class, all of its users are imported.
///
/// Recordings are audio files named after a person's email or institution_id: ana@example.edu.wav, S-1001.m4a.
///
/// For example: endonym import --institution example-university --name-page class-of-2027 people.xlsx --dry-run
#[derive(Debug, clap::Args)]
#[command(mut_args(hide_call_settings))]
pub struct Import {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// The page's id, slug, event code or access code
    #[arg(long, value_name = "REF")]
    name_page: String,
    #[arg(value_name = "FILE", required_unless_present_any = ["recordings", "undo"])]
    file: Option<PathBuf>,
    /// Directory or ZIP file of recordings
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// What a column is, if its heading does not say so: "Private mail=email", or "Mail=" to ignore it
    #[arg(long, value_name = "HEADING=FIELD")]
    column: Vec<String>,
    /// The class of a OneRoster bundle, by its sourcedId
    #[arg(long, value_name = "SOURCED_ID")]
    class: Option<String>,
    /// Call people whose row has a phone number, to record their names
    #[arg(long)]
    call: bool,
    /// Print what would happen, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Undo the last import of the page
    #[arg(long, conflicts_with_all = ["file", "recordings", "column", "class", "call", "dry_run"])]
    undo: bool,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    media: config::Media,
    #[command(flatten)]
    phone: config::Phone,
}

/// An import schedules calls but does not make them: it accepts the settings for making calls, and hides them in its help.
fn hide_call_settings(arg: clap::Arg) -> clap::Arg {
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
        let page =
            name_pages::find(app, &Actor::Operator, owner.id, &page).await.map(|page| page.id).map_err(
                |error| match error {
                    Error::Missing(_) => Failure(format!(
                        "`{0}` has no name page `{1}`: run `endonym name-page list --institution {0}` to see all pages",
                        self.institution, self.name_page
                    )),
                    other => other.into(),
                },
            )?;
        if self.undo {
            return self.undo(app, owner.id, page).await;
        }
        let recordings = self.recordings.as_deref().map(open_recordings).transpose()?;
        let mut people = None;
        if let Some(file) = &self.file {
            let input = Input::File(file.clone());
            let mapping = Mapping::parse(&self.column).map_err(Failure)?;
            let options =
                imports::options(app, &Actor::Operator, &owner, page, (mapping, self.class.clone())).await?;
            let rows = self.check(&input, &options, file).await?;
            people = Some((input, options, file, rows));
        }
        let mut report = Report::new(self.json, self.dry_run);
        let target = if self.dry_run {
            Target::Rehearsal
        } else {
            let name = self.file.as_ref().or(self.recordings.as_ref());
            let name = name.and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy();
            let rows = people.as_ref().map_or(0, |(_, _, _, rows)| *rows)
                + recordings.as_ref().map_or(0, |files| files.len() as u64);
            Target::Import(imports::begin(app, &Actor::Operator, (owner.id, page), &name, rows).await?)
        };
        let calling = if self.call { CallPolicy::WithNumber } else { CallPolicy::Nobody };
        let run =
            Run { institution: owner.id, page, target, calling, starts_with_newest: true, rows_done: 0 };
        if let Some((input, options, file, rows)) = &people {
            report.begin();
            let progress = progress(*rows);
            let mut each = |done: Vec<imports::RowReport>| {
                progress.inc(done.len() as u64);
                progress.suspend(|| done.iter().for_each(|row| report.row(row)));
            };
            let imported = imports::people(app, &Actor::Operator, run, (input, options), &mut each).await?;
            imported.map_err(|fault| self.worded(fault, file))?;
            progress.finish_and_clear();
        }
        report.end_of_rows();
        if let Some(files) = recordings {
            report.begin_files();
            let expected = report.expected();
            let would_exist = |file: &str| expected.has(file);
            let mut each = |name: &str, outcome| report.file(name, outcome);
            imports::recordings(app, &Actor::Operator, run, &files, &would_exist, &mut each).await?;
        }
        imports::finish(app, &Actor::Operator, run).await?;
        Ok(report.end())
    }

    /// Reads the whole file before anything is changed. Returns the number of its rows.
    async fn check(&self, input: &Input, options: &Options, file: &Path) -> Result<u64, Failure> {
        let overview = imports::check(input, options).await?.map_err(|fault| self.worded(fault, file))?;
        if !overview.columns.unknown.is_empty() {
            let unknown: Vec<String> =
                overview.columns.unknown.iter().map(|heading| format!("`{heading}`")).collect();
            eprintln!("note: ignoring unknown columns: {}", unknown.join(", "));
        }
        if overview.numeric_ids > 0 {
            eprintln!(
                "note: {} cells of `institution_id` are numbers: check whether they have lost leading zeros",
                overview.numeric_ids
            );
        }
        Ok(overview.rows)
    }

    async fn undo(&self, app: &App, institution: InstitutionId, page: NamePageId) -> Outcome {
        let (last, _) = imports::last(app, &Actor::Operator, institution, page).await?;
        match imports::undo(app, &Actor::Operator, institution, page).await? {
            Undone::Done { deleted, restored, kept } => {
                if let Some(last) = last.filter(|last| last.has_changed()) {
                    let (file, at) = (&last.file_name, output::time(last.created_at));
                    eprintln!("note: this was the import of `{file}` at {at}");
                }
                if self.json {
                    let object =
                        serde_json::json!({ "deleted": deleted, "restored": restored, "kept": kept });
                    output::print_line(&object.to_string());
                } else {
                    output::print_line(&format!("{deleted} people deleted, {restored} restored"));
                    for name in &kept {
                        output::print_line(&format!("kept, because somebody changed them meanwhile: {name}"));
                    }
                }
                Ok(if kept.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
            }
            Undone::Nothing => Err(Failure("this page has no import that can be undone".to_owned())),
            Undone::TooLate => Err(Failure(
                "the last import of this page is more than 24 hours old and cannot be undone".to_owned(),
            )),
            Undone::Changed(names) => Err(Failure(format!(
                "the import cannot be undone, because these people have been changed since: {}",
                names.join("; ")
            ))),
            Undone::Replaced => Err(Failure(
                "the import cannot be undone, because it replaced recordings, which are gone".to_owned(),
            )),
        }
    }

    fn worded(&self, fault: SheetFault, file: &Path) -> Failure {
        Failure(match fault {
            SheetFault::Io(error) => format!("cannot read {}: {error}", file.display()),
            SheetFault::UnknownCustomField { heading, name } => format!(
                "column `{heading}` is not a custom field of `{0}`: define it first with `endonym custom-field create --institution {0} --name {name}`",
                self.institution
            ),
            SheetFault::Duplicate(heading) => format!("duplicate column `{heading}`"),
            SheetFault::MissingColumns { headings } => format!(
                "the first line must name the columns, including `email` and `first_name` or `last_name`; found: {} (use --column to say what a column is)",
                headings.join(" | ")
            ),
            SheetFault::NoTable => {
                format!(
                    "{} contains no list of people: use --recordings for a ZIP file of recordings",
                    file.display()
                )
            }
            SheetFault::NotOneRoster => {
                format!("--class is for OneRoster bundles, and {} is none", file.display())
            }
            SheetFault::TooLarge(_)
            | SheetFault::TooManyRows
            | SheetFault::TooManyEmptyRows
            | SheetFault::TooManyCells(_) => {
                format!("{}: {fault}: split the file, or save the list as CSV", file.display())
            }
            other @ (SheetFault::Damaged(_)
            | SheetFault::Unsupported(_)
            | SheetFault::Encrypted
            | SheetFault::TooManyColumns { .. }
            | SheetFault::NoClass(_)
            | SheetFault::Mapping(_)
            | SheetFault::TooManyUploads
            | SheetFault::Stopped) => format!("{}: {other}", file.display()),
        })
    }
}

fn open_recordings(path: &Path) -> Result<Recordings, Failure> {
    let cannot = |fault: SheetFault| Failure(format!("cannot read directory {}: {fault}", path.display()));
    let files = Recordings::open(path).map_err(cannot)?;
    for name in &files.skipped {
        eprintln!("note: skipping directory `{name}`");
    }
    Ok(files)
}

fn progress(rows: u64) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(rows);
    let style = ProgressStyle::with_template("{bar:40} {percent}% {pos} of {len} rows, {eta} left");
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}
