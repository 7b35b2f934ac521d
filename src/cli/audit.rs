//! `endonym audit …`

use std::{
    fs::{File, OpenOptions},
    io::Write,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, Subcommand};
use jiff::{civil::Date, tz::TimeZone};
use serde_json::{Value, json};

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{
        Actor, App,
        audit::{self, AuditExport, Broken, Format, Query, Verdict},
        streams::Chunks,
    },
    domain::{
        audit::{Act, Cursor, Entry},
        institution::Institution,
        moment::Moment,
    },
};

/// Show who changed what in an institution, when and from where
#[derive(Debug, Subcommand)]
pub enum Audit {
    /// List changes, the newest first
    ///
    /// For example: endonym audit list --institution example-university --search ana@example.edu
    ///
    /// Commands on this server are changes by the `operator`, from the `shell`. How long changes are kept is set with
    /// `endonym institution update --audit-days`.
    List {
        #[command(flatten)]
        wanted: Wanted,
        /// Maximum number of changes to list
        #[arg(long, value_name = "N", default_value_t = 50)]
        most: usize,
        #[arg(long)]
        json: bool,
    },
    /// Write changes to a file, the newest first
    ///
    /// For example: endonym audit export --institution example-university --out audit.csv
    Export {
        #[command(flatten)]
        wanted: Wanted,
        #[arg(long, value_name = "FORMAT", value_parser = Format::WORDS, default_value = "csv")]
        format: String,
        /// The file to create; it must not exist
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Check that no change was removed from the log or altered in it
    ///
    /// For example: endonym audit verify --institution example-university
    ///
    /// Exits with 1 and prints the id and the time of the first entry where the chain of hashes breaks. The server logs the newest hash of
    /// each institution once a day: with --hash and one that is kept elsewhere, the command also notices a chain that was made anew.
    Verify {
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// A hash from the server's log that must be in the chain
        #[arg(long, value_name = "HASH")]
        hash: Option<String>,
        #[arg(long)]
        json: bool,
    },
}

/// Which changes are wanted. Everything that is given must apply.
#[derive(Debug, Args)]
pub struct Wanted {
    #[arg(long, value_name = "SLUG")]
    institution: String,
    /// A text in any part of the change
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    search: String,
    /// What was done, like participant.updated
    #[arg(long, value_name = "ACT")]
    act: Option<String>,
    /// Who did it: a part of the name, or a kind like token or operator
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// The email address of the person whose data was changed
    #[arg(long, value_name = "EMAIL")]
    person: Option<String>,
    /// Not before this day in the institution's time zone, or this time, like 2026-07-01 or 2026-07-01T12:00:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this day or time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl Wanted {
    async fn query(self, app: &App) -> Result<(Institution, Query), Failure> {
        let owner = institution(app, &self.institution).await?;
        let act = match self.act {
            Some(word) => {
                let unknown = || Failure(format!("no change is called `{word}`: see docs/audit.md"));
                Some(Act::parse(&word).ok_or_else(unknown)?)
            }
            None => None,
        };
        let time = |given: Option<String>| given.map(|given| moment(&given, &owner.time_zone)).transpose();
        let query = Query {
            search: self.search,
            act,
            who: self.who,
            person: self.person,
            from: time(self.since)?,
            to: time(self.until)?,
            ..Query::default()
        };
        Ok((owner, query))
    }
}

fn moment(given: &str, zone: &TimeZone) -> Result<Moment, Failure> {
    let day = || {
        let start = given.trim().parse::<Date>().ok()?.to_zoned(zone.clone()).ok()?;
        Some(Moment::from_timestamp(start.timestamp()))
    };
    let unreadable =
        || Failure(format!("`{given}` is not a time: write it like 2026-07-01 or 2026-07-01T12:00:00Z"));
    Moment::parse(given).or_else(day).ok_or_else(unreadable)
}

impl Audit {
    pub async fn run(self, app: &App) -> Outcome {
        match self {
            Self::List { wanted, most, json } => {
                let (owner, query) = wanted.query(app).await?;
                let (entries, next) = found(app, &owner, query, most).await?;
                list(&entries, next, json);
            }
            Self::Export { wanted, format, out, json } => {
                let format =
                    Format::parse(&format).ok_or_else(|| Failure(format!("{format} is not a format")))?;
                let (owner, query) = wanted.query(app).await?;
                let begun = audit::export(app, &Actor::Operator, owner.id, query, format).await?;
                let bytes = write(begun, &out).await?;
                if json {
                    output::print_json(&json!({ "out": out, "bytes": bytes }));
                } else {
                    output::print_line(&format!("{}: {bytes} bytes", out.display()));
                }
            }
            Self::Verify { institution: slug, hash, json } => {
                let owner = institution(app, &slug).await?;
                let hash = hash.as_deref().map(str::trim);
                let verdict = audit::verify(app, &Actor::Operator, owner.id, hash).await?;
                return Ok(verdict_shown(&verdict, json));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn verdict_shown(verdict: &Verdict, json: bool) -> ExitCode {
    if json {
        let broken = verdict.broken.as_ref().map(|broken| {
            json!({
                "id": broken.id.map(|id| id.to_string()),
                "at": broken.at.map(|at| at.shown_in(&TimeZone::UTC)),
                "why": broken.why,
            })
        });
        output::print_json(&json!({
            "intact": verdict.broken.is_none(),
            "entries": verdict.entries,
            "forgotten": verdict.forgotten,
            "waiting": verdict.waiting,
            "number": verdict.number,
            "hash": verdict.hash,
            "broken": broken,
        }));
    } else {
        output::print_line(&in_words(verdict));
    }
    if verdict.broken.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn in_words(verdict: &Verdict) -> String {
    if let Some(Broken { id, at, why }) = &verdict.broken {
        let id = id.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        let at = at.map_or_else(|| "unknown".to_owned(), |at| at.shown_in(&TimeZone::UTC));
        return format!("The chain breaks at entry {id}, time {at}: {why}.");
    }
    let Verdict { entries, forgotten, waiting, number, hash, .. } = verdict;
    let waiting = match waiting {
        0 => String::new(),
        _ => format!(" Not in the chain yet, because an older version has written them: {waiting}."),
    };
    format!(
        "Nothing is missing. Entries: {entries}, of which {forgotten} without personal data.{waiting} Newest hash, number {number}: {hash}"
    )
}

/// The newest entries, and where older ones begin.
async fn found(
    app: &App,
    owner: &Institution,
    mut query: Query,
    most: usize,
) -> Result<(Vec<Entry>, Option<Cursor>), Failure> {
    let mut entries = Vec::new();
    loop {
        let page = audit::list(app, &Actor::Operator, owner.id, &query).await?;
        entries.extend(page.entries);
        if entries.len() > most {
            entries.truncate(most);
            return Ok((entries, None));
        }
        match page.next {
            Some(next) if entries.len() < most => query.cursor = Some(next),
            next => return Ok((entries, next)),
        }
    }
}

fn list(entries: &[Entry], next: Option<Cursor>, json: bool) {
    if json {
        let shown: Vec<Value> = entries.iter().map(audit::as_json).collect();
        let next = next.map(|next| next.to_string());
        output::print_json(&json!({ "entries": shown, "next": next }));
        return;
    }
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    output::print_table(&["AT", "WHO", "FROM", "ACT", "SUBJECT", "PERSON", "FIELDS"], &rows);
}

fn row(entry: &Entry) -> Vec<String> {
    let who = match entry.who.name() {
        "" => entry.who.kind.word().to_owned(),
        name => format!("{} {name}", entry.who.kind.word()),
    };
    let subject = match entry.subject.label.as_str() {
        "" => format!("{} {}", entry.subject.kind, entry.subject.id),
        label => label.to_owned(),
    };
    vec![
        output::time(entry.at),
        who,
        entry.origin.clone().unwrap_or_default(),
        entry.act.to_string(),
        subject,
        entry.person.clone().unwrap_or_default(),
        entry.fields().join(" "),
    ]
}

/// Returns the size of the file.
async fn write(export: AuditExport, out: &Path) -> Result<u64, Failure> {
    let cannot = |why: String| Failure(format!("cannot write {}: {why}", out.display()));
    // Readable only by the user who asked for it: it holds personal data.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out);
    let file = file.map_err(|error| cannot(error.to_string()))?;
    let written = write_all(export, file).await;
    if written.is_err() {
        let _ = std::fs::remove_file(out);
    }
    written.map_err(|failure| cannot(failure.0))
}

async fn write_all(mut export: AuditExport, mut file: File) -> Result<u64, Failure> {
    let mut bytes = 0;
    while let Some(chunk) = export.next().await? {
        file.write_all(&chunk)?;
        bytes += chunk.len() as u64;
    }
    file.sync_all()?;
    Ok(bytes)
}
