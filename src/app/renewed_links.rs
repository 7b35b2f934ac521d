//! New links for recordings that anybody could play and that are now for fewer people. Whoever has an old link, from a badge or a
//! listening page, gets nothing there: not the recording, and not a redirect to it, as after a replacement.
//!
//! A link contains the name of its file, so a new link needs a copy of the file. Copies are made before the transaction, which only
//! exchanges names; what is not used afterwards is deleted.

use std::collections::HashSet;

use super::{
    App, Error, Result, audiences, media,
    own_recordings::{self, Attempts},
};
use crate::{
    domain::{
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media},
        moment::Moment,
        participant::Participant,
    },
    store::{Sql, audiences as stored_audiences, media as stored, participants, rolls},
};

/// A recording that was removed may be restored, with the link that it has.
const KINDS: [Kind; 3] = [Kind::Recording, Kind::LegalRecording, Kind::Removed];

/// The recordings of these people, each with a copy that has a link of its own.
#[derive(Clone, Default)]
pub(super) struct Copies(Vec<Copy>);

#[derive(Clone)]
struct Copy {
    of: String,
    made: Media,
}

/// The files that nothing refers to after a renewal.
#[derive(Default)]
pub(super) struct Renewed {
    /// Of the old links.
    pub gone: Vec<Media>,
    /// The copies in use.
    pub used: HashSet<String>,
}

impl Copies {
    pub(super) fn files(&self) -> Vec<Media> {
        self.0.iter().map(|copy| copy.made.clone()).collect()
    }
}

pub(super) async fn prepare(
    app: &App,
    institution: InstitutionId,
    people: &[ParticipantId],
) -> Result<Copies> {
    let mut copies = Copies::default();
    for old in recordings(&mut app.db.read(), institution, people).await? {
        match own_recordings::copy(app, institution, &old.1, old.1.origin).await {
            // Without its bytes, the link is dead, and its successor will be as well.
            Ok(copied) => {
                let made = copied.unwrap_or_else(|| Media { hex: app.ids.hex(), ..old.1.clone() });
                copies.0.push(Copy { of: old.1.hex, made });
            }
            Err(error) => {
                media::discard(app, institution, &copies.files()).await;
                return Err(error);
            }
        }
    }
    Ok(copies)
}

/// Exchanges the links of these people, in the transaction that narrows their audience. The caller holds the institution's lock. A
/// recording that was made since the copies is missing among them (`Error::FilesNeeded`): then the caller prepares again.
pub(super) async fn renew(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[ParticipantId],
    copies: &Copies,
    now: Moment,
) -> Result<Renewed> {
    let mut renewed = Renewed::default();
    for (participant, old) in recordings(sql, institution, people).await? {
        let copy = copies.0.iter().find(|copy| copy.of == old.hex).ok_or(Error::FilesNeeded)?;
        stored::rename(sql, institution, participant, &old, &copy.made, now).await?;
        renewed.used.insert(copy.made.hex.clone());
        renewed.gone.push(old);
    }
    Ok(renewed)
}

async fn recordings(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[ParticipantId],
) -> Result<Vec<(ParticipantId, Media)>> {
    let mut found = Vec::new();
    for participant in people {
        let mut media = stored::all_of(sql, institution, *participant).await?;
        media.retain(|one| KINDS.contains(&one.kind));
        found.extend(media.into_iter().map(|one| (*participant, one)));
    }
    Ok(found)
}

/// How many people are looked at in one piece.
const BATCH: u64 = 100;
const HIDDEN_BATCH: i64 = 100;

/// Renews the links of everybody in an institution whose choice was "everybody" and is narrowed by what the institution permits.
/// Whoever has paused is renewed when they choose again. If it is interrupted and begins again, some links are renewed twice.
pub(super) async fn renew_all(app: &App, institution: InstitutionId) -> Result<()> {
    let mut place = 0;
    loop {
        let start = rolls::Start { place, pass: 0 };
        let batch = participants::in_roll(&mut app.db.read(), institution, None, start, BATCH).await?;
        let Some(last) = batch.last() else { break };
        place = last.id.get() + 1;
        // Links that a directory hold disables work again when it ends.
        let batch: Vec<Participant> = batch.into_iter().map(Participant::unveiled).collect();
        let heard = |one: &&Participant| one.recording.is_some() || one.legal.recording.is_some();
        let heard: Vec<&Participant> = batch.iter().filter(heard).collect();
        let narrowed = audiences::narrowed(&mut app.db.read(), institution, &heard).await?;
        if !narrowed.is_empty() {
            renew_some(app, institution, narrowed).await?;
        }
    }
    renew_hidden(app, institution).await
}

/// Whoever has left a course, or was deleted by mistake, may come back with their links.
async fn renew_hidden(app: &App, institution: InstitutionId) -> Result<()> {
    let mut behind = ParticipantId::new(i64::MIN);
    while !audiences::permits_public(&mut app.db.read(), institution).await? {
        let sql = &mut app.db.read();
        let batch = stored_audiences::hidden_and_heard(sql, institution, behind, HIDDEN_BATCH).await?;
        let Some(last) = batch.last() else { break };
        behind = *last;
        renew_some(app, institution, batch).await?;
    }
    Ok(())
}

async fn renew_some(app: &App, institution: InstitutionId, people: Vec<ParticipantId>) -> Result<()> {
    let mut attempts = Attempts::default();
    loop {
        let copies = prepare(app, institution, &people).await?;
        let (made, people, now) = (copies.files(), people.clone(), app.clock.now());
        let written = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    renew(sql, institution, &people, &copies, now).await
                })
            })
            .await;
        let written = written.map(|Renewed { gone, used }| (gone, used));
        match own_recordings::settle(app, institution, made, written).await {
            Err(error) => attempts.again(error)?,
            Ok(gone) => {
                media::discard(app, institution, &gone).await;
                return Ok(());
            }
        }
    }
}
