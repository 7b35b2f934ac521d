//! `endonym person …`

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Subcommand;
use serde_json::json;

use super::{Failure, Outcome, institution, output};
use crate::{
    app::{
        Actor, App, Error, audiences, directory_holds,
        persons::{self, Archive, Erased, Files, Rewrite},
        refused_people,
        streams::Chunks,
    },
    domain::{audience::Audience, email::email_key, session::PersonId},
};

/// Export or erase everything stored about a person, change who may hear them, or let somebody in again
#[derive(Debug, Subcommand)]
pub enum Person {
    /// Write everything stored about a person to a ZIP file
    ///
    /// The file holds person.json with every stored row, and their recordings, originals and pictures. For example:
    /// endonym person export ana@example.edu --institution example-university --out ana.zip
    Export {
        /// The person's email address
        email: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// The file to create; it must not exist
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[arg(long)]
        json: bool,
    },
    /// Change who may hear a person's recordings
    ///
    /// `public`: anyone with the link. `institution`: API clients, embeds and signed-in members. `paused`: nobody for now; the
    /// recordings are kept, and their links are dead. For example:
    /// endonym person update ana@example.edu --institution example-university --audience paused
    ///
    /// Or: endonym person update ana@example.edu --institution example-university --directory-hold true
    Update {
        /// The person's email address
        email: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(
            long,
            value_name = "AUDIENCE",
            value_parser = ["public", "institution", "paused"],
            required_unless_present = "hold"
        )]
        audience: Option<String>,
        /// Tell the public nothing about the person (FERPA), or end that: only those hear them who teach or listen for one of their name
        /// pages, signed in
        #[arg(id = "hold", long = "directory-hold", value_name = "true|false")]
        directory_hold: Option<bool>,
        #[arg(long)]
        json: bool,
    },
    /// Let somebody in again whom a directory has disabled or deleted
    ///
    /// A directory that disables somebody ends their sessions and invitations, and they cannot register any more, not even with a new
    /// invitation, until the directory enables them or this command lets them in. Without an address, lists who is refused. For
    /// example: endonym person readmit ana@example.edu --institution example-university
    Readmit {
        /// The person's email address
        email: Option<String>,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        #[arg(long)]
        json: bool,
    },
    /// Erase a person from every name page, including courses they have left
    ///
    /// Removes their registrations, recordings, originals, pictures and calls, and their rows in stored exports. Pending calls are
    /// canceled. Backups made earlier are not changed. For example:
    /// endonym person delete ana@example.edu --institution example-university
    Delete {
        /// The person's email address
        email: String,
        #[arg(long, value_name = "SLUG")]
        institution: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
        #[arg(long)]
        json: bool,
    },
}

impl Person {
    pub async fn run(&self, app: &App) -> Outcome {
        match self {
            Self::Export { email, institution, out, json } => {
                export(app, email, institution, out, *json).await
            }
            Self::Update { email, institution, audience, directory_hold, json } => {
                update(app, email, institution, (audience.as_deref(), *directory_hold), *json).await
            }
            Self::Readmit { email: Some(email), institution, json } => {
                readmit(app, email, institution, *json).await
            }
            Self::Readmit { email: None, institution, json } => refused(app, institution, *json).await,
            Self::Delete { email, institution, yes, json } => {
                delete(app, email, institution, *yes, *json).await
            }
        }
    }
}

fn nobody<'a>(email: &'a str, slug: &'a str) -> impl Fn(Error) -> Failure + 'a {
    move |error| match error {
        Error::Missing(_) => Failure(format!("nobody in `{slug}` has the email {email}")),
        other => other.into(),
    }
}

async fn export(app: &App, email: &str, slug: &str, out: &Path, json: bool) -> Outcome {
    let owner = institution(app, slug).await?;
    let found = persons::export(app, &Actor::Operator, &owner, email_key(email))
        .await
        .map_err(nobody(email, slug))?;
    let cannot = |error: io::Error| Failure(format!("cannot write {}: {error}", out.display()));
    // Readable only by the user who asked for it: it holds personal data.
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(out).map_err(cannot)?;
    let (files, registrations) =
        (found.files.len(), found.about["registrations"].as_array().map_or(0, Vec::len));
    let written = write_zip(Archive::new(app, found), file).await;
    let missing = match written {
        Ok(missing) => missing,
        Err(failure) => {
            let _ = std::fs::remove_file(out);
            return Err(Failure(format!("cannot write {}: {}", out.display(), failure.0)));
        }
    };
    let files = files - missing.len();
    if json {
        output::print_json(&json!({ "email": email, "out": out, "files": files, "missing": missing }));
    } else {
        output::print_line(&format!(
            "{}: {registrations} registrations and {files} files of {email}",
            out.display()
        ));
        for name in missing {
            eprintln!("note: {name} is not in the blob store");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `wanted` is the audience and the directory hold, each if it is to change. The hold comes first if it is given, and last if it is ended:
/// at no moment is more heard than before and after.
async fn update(
    app: &App,
    email: &str,
    slug: &str,
    wanted: (Option<&str>, Option<bool>),
    json: bool,
) -> Outcome {
    let institution = institution(app, slug).await?.id;
    let person = PersonId { institution, email_key: email_key(email) };
    let (mut said, mut lines) = (json!({ "email": email }), Vec::new());
    let (audience, hold) = wanted;
    if hold == Some(true) {
        set_hold(app, email, slug, &person, true).await?;
    }
    if let Some(word) = audience {
        let audience = Audience::parse(word).ok_or_else(|| Failure(format!("{word} is not an audience")))?;
        let chosen = audiences::choose(app, &Actor::Operator, person.clone(), audience).await;
        chosen.map_err(|error| match error {
            Error::Invalid(_) => Failure(format!("`{slug}` does not permit the audience `{word}`")),
            other => nobody(email, slug)(other),
        })?;
        said["audience"] = json!(word);
        lines.push(format!("the audience of {email} is now `{word}`"));
    }
    if hold == Some(false) {
        set_hold(app, email, slug, &person, false).await?;
    }
    if let Some(held) = hold {
        said["directory_hold"] = json!(held);
        lines.push(format!("{email} has {} directory hold now", if held { "a" } else { "no" }));
    }
    if json {
        output::print_json(&said);
    } else {
        lines.iter().for_each(|line| output::print_line(line));
    }
    Ok(ExitCode::SUCCESS)
}

async fn readmit(app: &App, email: &str, slug: &str, json: bool) -> Outcome {
    let institution = institution(app, slug).await?.id;
    refused_people::readmit(app, &Actor::Operator, institution, email).await.map_err(
        |error| match error {
            Error::Missing(_) => Failure(format!("no directory of `{slug}` has disabled {email}")),
            other => other.into(),
        },
    )?;
    if json {
        output::print_json(&json!({ "email": email, "readmitted": true }));
    } else {
        output::print_line(&format!(
            "{email} can be invited to `{slug}` again. Invitations that were withdrawn stay so, and what the directory has hidden stays hidden"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

async fn refused(app: &App, slug: &str, json: bool) -> Outcome {
    let institution = institution(app, slug).await?.id;
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let (part, is_more) = refused_people::list(app, &Actor::Operator, institution, &after).await?;
        all.extend(part);
        match all.last() {
            Some(last) if is_more => after.clone_from(&last.email_key),
            _ => break,
        }
    }
    if json {
        let all = all.iter().map(|one| json!({ "email": one.email_key, "since": output::time(one.at) }));
        output::print_json(&json!({ "refused": all.collect::<Vec<_>>() }));
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Vec<String>> =
        all.into_iter().map(|one| vec![one.email_key, output::time(one.at)]).collect();
    output::print_table(&["EMAIL", "DISABLED"], &rows);
    Ok(ExitCode::SUCCESS)
}

async fn set_hold(app: &App, email: &str, slug: &str, person: &PersonId, held: bool) -> Result<(), Failure> {
    directory_holds::set(app, &Actor::Operator, person.clone(), held).await.map_err(nobody(email, slug))
}

/// Returns the files that the blob store does not have.
async fn write_zip(mut archive: Archive, mut file: File) -> Result<Vec<String>, Failure> {
    while let Some(chunk) = archive.next().await? {
        file.write_all(&chunk)?;
    }
    file.sync_all()?;
    Ok(archive.missing)
}

async fn delete(app: &App, email: &str, slug: &str, yes: bool, json: bool) -> Outcome {
    let owner = institution(app, slug).await?;
    let found = persons::find(app, &Actor::Operator, owner.id, &email_key(email))
        .await
        .map_err(nobody(email, slug))?;
    let what = format!(
        "This erases {email} from `{slug}` for good: {} registrations with their recordings, pictures and calls.",
        found.len()
    );
    output::confirm(yes, &what)?;
    let erased = persons::erase(app, &Actor::Operator, owner.id, email_key(email), Rewrite::Now)
        .await
        .map_err(nobody(email, slug))?;
    let failed =
        erased.files_left > 0 || erased.reports_failed.is_some() || matches!(erased.files, Files::Failed(_));
    if json {
        output::print_json(&json!({
            "email": email,
            "registrations": erased.registrations,
            "hidden": erased.hidden,
            "media": erased.media,
            "files_left": erased.files_left,
            "export_in_progress": erased.report_under_way,
            "provider_recordings_pending": erased.takes_left,
            "database_rewritten": erased.files == Files::Clean,
        }));
    } else {
        print_summary(email, slug, &erased);
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print_summary(email: &str, slug: &str, erased: &Erased) {
    let line = output::print_line;
    line(&format!(
        "erased {email} from `{slug}`: {} registrations ({} of courses they had left), {} recordings and pictures",
        erased.registrations, erased.hidden, erased.media
    ));
    if let Some(why) = &erased.reports_failed {
        line(&format!(
            "stored exports are served without them, but could not be rewritten: {why}. A background job retries (`endonym jobs list`)"
        ));
    } else if erased.report_under_way {
        line(
            "an export is being built: it is served without them, and its file is rewritten when it is complete",
        );
    } else {
        line("stored exports no longer contain them");
    }
    if erased.takes_left > 0 {
        line(&format!(
            "{} calls have recordings at the phone provider: background jobs delete them there (`endonym jobs list`)",
            erased.takes_left
        ));
    }
    if erased.files_left > 0 {
        line(&format!(
            "{} recordings or pictures could not be removed from the blob store: run `endonym blobs sweep`",
            erased.files_left
        ));
    }
    match &erased.files {
        Files::Clean => line("the database file was rewritten and its write-ahead log emptied"),
        Files::Postgres => line(
            "PostgreSQL keeps deleted rows on disk until VACUUM: see “Erasing a person” in docs/operations.md",
        ),
        Files::Kept => line("remains of them may be in the database file until the next VACUUM"),
        Files::Failed(why) => line(&format!(
            "the rows are deleted, but the database file could not be rewritten, so remains of them may be in it: {why}. \
             Run `VACUUM; PRAGMA wal_checkpoint(TRUNCATE);` on it with sqlite3"
        )),
    }
    line("backups made before now still contain them");
}
