//! Records of recordings and pictures that registrations got or lost.

use std::collections::HashMap;

use super::{Record, of_media, write};
use crate::{
    app::{Ids, Result},
    domain::{
        audit::{Act, SubjectKind},
        ids::ParticipantId,
        media::{Kind, Media},
        participant::Participant,
    },
    store::{Sql, participants},
};

/// What a registration had, and what it has now.
pub struct MediaChange {
    pub participant: ParticipantId,
    pub before: Vec<Media>,
    pub after: Option<Media>,
}

impl MediaChange {
    /// `None` if there was nothing to delete.
    pub fn deleted(participant: ParticipantId, gone: &[Media]) -> Option<Self> {
        (!gone.is_empty()).then(|| Self { participant, before: gone.to_vec(), after: None })
    }

    fn act(&self) -> Act {
        let kind = self.after.as_ref().or(self.before.first()).map(|one| one.kind);
        match (kind, &self.after) {
            (Some(Kind::Photo), Some(_)) => Act::PhotoReplaced,
            (Some(Kind::Photo), None) => Act::PhotoDeleted,
            (Some(Kind::Held), Some(_)) => Act::RecordingHeld,
            (_, Some(_)) => Act::RecordingReplaced,
            (_, None) => Act::RecordingDeleted,
        }
    }
}

/// Writes a record of each change. The act of the given one does not matter.
pub async fn write_media(sql: &mut Sql, record: &Record, ids: &Ids, changes: &[MediaChange]) -> Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let wanted: Vec<ParticipantId> = changes.iter().map(|change| change.participant).collect();
    let people = participants::by_ids(sql, record.institution(), &wanted).await?;
    let people: HashMap<ParticipantId, Participant> = people.into_iter().map(|one| (one.id, one)).collect();
    let records: Vec<Record> = changes
        .iter()
        .map(|change| {
            let record = record.then(ids, change.act());
            let record = match people.get(&change.participant) {
                Some(person) => record.participant(person),
                // They have left the course.
                None => record.about(SubjectKind::Participant, change.participant, ""),
            };
            record.change(of_media(&change.before), of_media(&change.after))
        })
        .collect();
    Ok(write(sql, &records).await?)
}
