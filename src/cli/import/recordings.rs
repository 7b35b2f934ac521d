//! `endonym import --recordings DIR`

use std::{
    collections::HashMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use futures_util::{StreamExt, stream};

use super::{
    super::Failure,
    report::{FileOutcome, Report},
};
use crate::{
    app::{Actor, App, Error, imports},
    domain::ids::{InstitutionId, NamePageId, ParticipantId},
};

/// The files of a folder, in order of their names.
pub struct Folder {
    path: PathBuf,
    names: Vec<String>,
}

/// Being processed or read at the same time.
const CONCURRENT_FILES: usize = 8;

impl Folder {
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let cannot = |e: std::io::Error| Failure(format!("cannot read directory {}: {e}", path.display()));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                eprintln!("note: skipping directory `{name}`");
            } else if !name.starts_with('.') {
                // Skip hidden files.
                names.push(name);
            }
        }
        names.sort();
        Ok(Self { path: path.to_owned(), names })
    }

    pub async fn import(
        &self,
        app: &App,
        institution: InstitutionId,
        page: NamePageId,
        report: &mut Report,
    ) -> Result<(), Failure> {
        report.begin_files();
        // Find the owners first and in order, to detect two files of one person.
        let mut first_file: HashMap<ParticipantId, &str> = HashMap::new();
        let mut owners = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let person = imports::owner(app, &Actor::Operator, institution, page, name).await?;
            let earlier = person.as_ref().and_then(|person| {
                let first = *first_file.entry(person.id).or_insert(name);
                (first != name).then_some(first)
            });
            owners.push((name, person, earlier, report.would_exist(name)));
        }
        let rehearse = report.dry_run;
        let work = stream::iter(owners).map(|(name, person, earlier, would_be_there)| async move {
            if person.is_none() && !would_be_there {
                return Ok((name, FileOutcome::Nobody));
            }
            let email = person.as_ref().and_then(|person| person.email.clone());
            if let Some(earlier) = earlier {
                let why = format!("`{earlier}` belongs to the same person");
                return Ok((name, FileOutcome::Refused { email, why }));
            }
            let outcome = match contents(&self.path.join(name), app.studio.settings.sound.bytes) {
                Err(error) => FileOutcome::Refused { email, why: format!("unreadable: {error}") },
                Ok(bytes) => {
                    match imports::recording(
                        app,
                        &Actor::Operator,
                        institution,
                        person.as_ref(),
                        bytes,
                        rehearse,
                    )
                    .await?
                    {
                        Ok(()) => FileOutcome::Stored { email },
                        Err(fault) => FileOutcome::Refused { email, why: fault.to_string() },
                    }
                }
            };
            Ok::<_, Error>((name, outcome))
        });
        let mut work = std::pin::pin!(work.buffered(CONCURRENT_FILES));
        while let Some(done) = work.next().await {
            let (name, outcome) = done?;
            report.file(name, outcome);
        }
        Ok(())
    }
}

/// No more than it takes to see that it is too much.
fn contents(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
