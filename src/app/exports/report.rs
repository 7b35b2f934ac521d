//! A finished report, read part by part.

use std::collections::HashSet;

use serde::Deserialize;

use super::key;
use crate::{
    app::{App, Error, Links, Result, streams::Slot},
    domain::{
        export::{Export, State},
        report::Part,
    },
    store::exports::{self, PartRow},
};

pub struct Report {
    app: App,
    institution: i64,
    export: i64,
    next: i64,
    /// Until the client has read it.
    _slot: Slot,
}

/// A part may be written anew while it is read; more often than this it is not chance.
const MOST_LOOKS: u32 = 10;

impl Report {
    pub async fn open(app: &App, institution: i64, export: &Export) -> Result<Self> {
        let slot = app.streams.slot(institution).await?;
        Ok(Self { app: app.clone(), institution, export: export.id, next: 0, _slot: slot })
    }

    /// The next part, without people who are deleted by now.
    pub async fn next(&mut self) -> Result<Option<Part>> {
        let mut looks = 0;
        while looks < MOST_LOOKS {
            looks += 1;
            let sql = &mut self.app.db.read();
            let look = exports::part_from(sql, self.institution, self.export, self.next).await?;
            let Some(row) = look else { return self.is_whole().await };
            let departed = exports::departed(sql, self.institution, &row).await?;
            let Some(part) = read_part(&self.app, self.institution, &row).await? else { continue };
            // Whoever takes the departed out forgets them then. So they are known here, or the part is another by now.
            let now = exports::part_from(sql, self.institution, self.export, self.next).await?;
            if now.as_ref() != Some(&row) {
                continue;
            }
            self.next = row.number + 1;
            looks = 0;
            if departed.is_empty() {
                return Ok(Some(part));
            }
            if let Some(part) = without(part, departed).await? {
                return Ok(Some(part));
            }
        }
        Err(Error::Unavailable("a part of a report is not in the store".to_owned()))
    }

    /// No part is left: because this is the end, or because the report is over and all are gone.
    async fn is_whole(&self) -> Result<Option<Part>> {
        let export = exports::find(&mut self.app.db.read(), self.institution, self.export).await?;
        match export {
            Some(export) if export.state == State::Completed => Ok(None),
            _ => Err(Error::Unavailable("a report was over before it was read".to_owned())),
        }
    }
}

pub(super) async fn read_part(app: &App, institution: i64, row: &PartRow) -> Result<Option<Part>> {
    let bytes = app.blobs.read(&key(institution, &row.hex)).await?;
    Ok(bytes.map(|bytes| Part {
        compressed: bytes.into(),
        sum: row.sum,
        first_id: row.first_id,
        last_id: row.last_id,
    }))
}

/// Takes people out of a part. Records tell who they are by the address of their badge.
pub(super) async fn without(part: Part, departed: Vec<String>) -> Result<Option<Part>> {
    #[derive(Deserialize)]
    struct Record<'a> {
        name_badge_link: &'a str,
    }
    let work = move || {
        let departed: HashSet<String> = departed.into_iter().collect();
        part.without(|record| {
            let record = serde_json::from_slice::<Record<'_>>(record)?;
            Ok(departed.contains(Links::token_of_badge(record.name_badge_link)))
        })
    };
    let left = tokio::task::spawn_blocking(work).await.map_err(|error| Error::Internal(error.to_string()))?;
    left.map_err(|error| Error::Internal(error.to_string()))
}
