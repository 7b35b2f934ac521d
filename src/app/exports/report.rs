//! Reads a finished report part by part.

use std::collections::HashSet;

use serde::{Deserialize, de::IgnoredAny};

use super::key;
use crate::{
    app::{
        Actor, App, Error, Links, Result,
        audit::{self, Record},
        streams::Slot,
    },
    domain::{
        access::Action,
        audit::{Act, SubjectKind},
        export::{Export, State},
        ids::{ExportId, InstitutionId},
        report::Part,
    },
    store::exports::{self, PartRow},
    tasks,
};

pub struct Report {
    app: App,
    institution: InstitutionId,
    export: ExportId,
    next: i64,
    include_held: bool,
    /// Held until the client has read the report.
    _slot: Slot,
}

/// A part may be rewritten while it is read; more often than this is not a coincidence.
const MAX_READS: u32 = 10;

impl Report {
    /// Opens the report of an export that the actor has found. The log says so: a report leaves the house.
    pub async fn open(app: &App, actor: &Actor, institution: InstitutionId, export: &Export) -> Result<Self> {
        actor.permit(Action::Read, institution)?;
        let slot = app.streams.slot(institution).await?;
        let record = Record::new(app, actor, institution, Act::ReportDownloaded);
        let record = record.about(SubjectKind::Export, export.id, "");
        app.db
            .write_bookkeeping::<_, Error>(move |sql| {
                Box::pin(async move { Ok(audit::write(sql, &[record]).await?) })
            })
            .await?;
        Ok(Self {
            app: app.clone(),
            institution,
            export: export.id,
            next: 0,
            include_held: export.include_held,
            _slot: slot,
        })
    }

    /// The next part, without people who have been deleted.
    pub async fn next(&mut self) -> Result<Option<Part>> {
        let mut looks = 0;
        while looks < MAX_READS {
            looks += 1;
            let sql = &mut self.app.db.read();
            let look = exports::part_from(sql, self.institution, self.export, self.next).await?;
            let Some(row) = look else { return self.check_end().await };
            let departed = exports::departed(sql, self.institution, &row).await?;
            // Of people who got a directory hold after the report was built.
            let held = match self.include_held {
                true => Vec::new(),
                false => exports::with_hold(sql, self.institution, &row).await?,
            };
            let Some(part) = read_part(&self.app, self.institution, &row).await? else { continue };
            // Scrubbing deletes departures once the parts are rewritten: either they are still listed here, or the
            // part has changed.
            let now = exports::part_from(sql, self.institution, self.export, self.next).await?;
            if now.as_ref() != Some(&row) {
                continue;
            }
            self.next = row.number + 1;
            looks = 0;
            if departed.is_empty() && held.is_empty() {
                return Ok(Some(part));
            }
            if let Some(part) = without(part, departed, held).await? {
                return Ok(Some(part));
            }
        }
        Err(Error::Unavailable("a part of a report is missing from the blob store".to_owned()))
    }

    /// No part is left: either this is the end, or the report expired and its parts were removed.
    async fn check_end(&self) -> Result<Option<Part>> {
        let export = exports::find(&mut self.app.db.read(), self.institution, self.export).await?;
        match export {
            Some(export) if export.state == State::Completed => Ok(None),
            _ => Err(Error::Unavailable("a report expired while it was read".to_owned())),
        }
    }
}

pub(super) async fn read_part(app: &App, institution: InstitutionId, row: &PartRow) -> Result<Option<Part>> {
    let bytes = app.blobs.read(&key(institution, &row.hex)).await?;
    Ok(bytes.map(|bytes| Part {
        compressed: bytes.into(),
        sum: row.sum,
        first_id: row.first_id,
        last_id: row.last_id,
        records: row.records,
    }))
}

/// Removes people from a part: those who have departed, and of those with a directory hold the records that tell of their media. Records
/// identify a person by the badge link.
pub(super) async fn without(part: Part, departed: Vec<String>, held: Vec<String>) -> Result<Option<Part>> {
    #[derive(Deserialize)]
    struct Record<'a> {
        name_badge_link: &'a str,
        #[serde(default)]
        recording_link: Option<IgnoredAny>,
        #[serde(default)]
        photo: Option<IgnoredAny>,
    }
    let work = move || {
        let departed: HashSet<String> = departed.into_iter().collect();
        let held: HashSet<String> = held.into_iter().collect();
        part.without(|record| {
            let record = serde_json::from_slice::<Record<'_>>(record)?;
            let token = Links::token_of_badge(record.name_badge_link);
            let tells = record.recording_link.is_some() || record.photo.is_some();
            Ok(departed.contains(token) || (tells && held.contains(token)))
        })
    };
    let left = tasks::spawn_blocking(work).await.map_err(|error| Error::Internal(error.to_string()))?;
    left.map_err(|error| Error::Internal(error.to_string()))
}
