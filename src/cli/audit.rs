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
        audit::{self, AuditExport, Format, Query},
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
        }
        Ok(ExitCode::SUCCESS)
    }
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
