//! Recordings that people make themselves. One is its maker's on all of their registrations, unless they make it for one page
//! alone; what an API client or an import gave to a registration stays that registration's
//! ([ADR 16](../../docs/adr/0016-own-recordings.md)).
//!
//! Each registration has a recording of its own, with its own bytes and link. Bytes are stored before the rows, as everywhere:
//! whose they will be is looked up first, and again in the transaction. When that finds somebody whose bytes are not there, it
//! writes nothing, and all begins anew.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;

use super::{
    App, Error, Missing, Result,
    calls::{self, Attempt, Wish},
    media::{self, keys},
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        call::Reason,
        ids::{InstitutionId, ParticipantId},
        media::{Incoming, Kind, Media, Origin},
        own_recording::{People, Registration, Start},
        participant::Draft,
    },
    store::{self, Sql, own_recordings, participants, rolls},
};

/// For which of their registrations somebody has recorded their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    All,
    /// The one where they did.
    ThisPage,
}

/// Gives somebody what they have recorded. Whoever gets it need not be called any more. What was said on a call ends it; when
/// the call is over already, it is not theirs.
pub async fn record(
    app: &App,
    (institution, participant): (InstitutionId, ParticipantId),
    sound: Incoming,
    scope: Scope,
    call: Option<Attempt>,
) -> Result<()> {
    let now = app.clock.now();
    let mut draft = Draft { media: vec![(Kind::Recording, sound)], ..Draft::default() };
    let take = media::process(app, &mut draft, now).await?;
    draft.errors.into_result()?;
    let mut attempts = Attempts::default();
    loop {
        let whose = owners(&mut app.db.read(), institution, participant, scope).await?;
        let origin = if scope == Scope::All { Origin::Shared } else { Origin::Page };
        let copies = take.copies(app, whose.len(), origin);
        let (at_hand, call) = (app.clone(), call.clone());
        let write = move |made: Vec<Media>| async move {
            let db = at_hand.db.clone();
            db.write(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    let whose = owners(sql, institution, participant, scope).await?;
                    if whose.len() > made.len() {
                        return Err(unprepared());
                    }
                    if let Some(attempt) = call
                        && !calls::recorded_in(sql, &attempt, now).await?
                    {
                        return Err(Error::Missing(Missing::Call));
                    }
                    let mut made = made.into_iter();
                    let mut gone = Vec::new();
                    for (owner, recording) in whose.into_iter().zip(made.by_ref()) {
                        let (rules, ids) = (&at_hand.calling, calls::Ids::new(&at_hand, now));
                        let wish = Wish::Cancel(Reason::RecordedElsewhere);
                        calls::settle(sql, rules, (institution, owner), wish, ids, now).await?;
                        gone.extend(store::media::attach(sql, institution, owner, &recording, now).await?);
                    }
                    gone.extend(made);
                    Ok(((), gone))
                })
            })
            .await
        };
        match media::store_and(app, institution, copies, write).await {
            Err(error) => attempts.again(error)?,
            Ok(()) => break,
        }
    }
    // Calls that were under way are hung up by a job, and others may have their turn.
    app.queue.wake();
    app.switchboard.wake();
    Ok(())
}

/// Whoever gets what is recorded by this participant, who comes first.
async fn owners(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    scope: Scope,
) -> Result<Vec<ParticipantId>> {
    let missing = || Error::Missing(Missing::Participant);
    participants::by_ids(sql, institution, &[participant]).await?.pop().ok_or_else(missing)?;
    let mut owners = vec![participant];
    if scope == Scope::All {
        let own = own_recordings::find(sql, institution, participant).await?.ok_or_else(missing)?;
        let all = own_recordings::around(sql, institution, vec![own]).await?;
        owners.extend(People::new(&all).followers(0));
    }
    Ok(owners)
}

/// A transaction needs bytes that are not there. Nobody but this file and its callers sees it.
pub(super) fn unprepared() -> Error {
    Error::Missing(Missing::Recording)
}

/// How often a write has begun anew because bytes were not there.
#[derive(Default)]
pub(super) struct Attempts(usize);

impl Attempts {
    /// Each time somebody must have recorded their name or been registered at the same moment.
    const MOST: usize = 10;

    /// Is the write to begin anew after this?
    pub(super) fn again(&mut self, error: Error) -> Result<()> {
        match error {
            Error::Missing(Missing::Recording) if self.0 < Self::MOST => {
                self.0 += 1;
                Ok(())
            }
            Error::Missing(Missing::Recording) => Err(Error::Busy),
            other => Err(other),
        }
    }
}

/// A copy of somebody's recording, for a registration of theirs that is yet to be made.
#[derive(Debug, Clone)]
pub(super) struct Copy {
    /// The hex of what was copied.
    of: String,
    /// `None` where the bytes are lost.
    media: Option<Media>,
}

/// By the place of a registration among those that were asked about.
pub(super) type Copies = HashMap<usize, Copy>;

/// What a new registration starts with.
pub(super) struct Started {
    pub media: Media,
    /// How whoever said it writes it.
    pub phonetic: Option<String>,
}

/// Makes the copies that these registrations start with.
pub(super) async fn prepare(
    app: &App,
    institution: InstitutionId,
    these: &[(usize, Registration)],
    start: Start,
) -> Result<Copies> {
    const COPIED_AT_ONCE: usize = 8;
    let sources = sources(&mut app.db.read(), institution, these, start).await?;
    let copying = sources.into_iter().map(|(place, source)| async move {
        let media = copy(app, institution, &source.media, source.origin).await?;
        Ok((place, Copy { of: source.media.hex, media }))
    });
    let copied: Vec<Result<(usize, Copy)>> =
        futures_util::stream::iter(copying).buffer_unordered(COPIED_AT_ONCE).collect().await;
    let (mut copies, mut failed) = (Copies::new(), None);
    for one in copied {
        match one {
            Ok((place, copy)) => {
                copies.insert(place, copy);
            }
            Err(error) => failed = Some(error),
        }
    }
    match failed {
        Some(error) => {
            media::discard(app, institution, &files(&copies)).await;
            Err(error)
        }
        None => Ok(copies),
    }
}

/// What these registrations start with, in the transaction that makes them. Copies of what was replaced or deleted since they
/// were made are not used.
pub(super) async fn start(
    sql: &mut Sql,
    institution: InstitutionId,
    these: &[(usize, Registration)],
    start: Start,
    copies: &Copies,
) -> Result<HashMap<usize, Started>> {
    let mut started = HashMap::new();
    for (place, source) in sources(sql, institution, these, start).await? {
        let copy = copies.get(&place).filter(|copy| copy.of == source.media.hex).ok_or_else(unprepared)?;
        if let Some(media) = copy.media.clone() {
            started.insert(place, Started { media, phonetic: source.phonetic });
        }
    }
    Ok(started)
}

struct Source {
    media: Media,
    origin: Origin,
    phonetic: Option<String>,
}

async fn sources(
    sql: &mut Sql,
    institution: InstitutionId,
    these: &[(usize, Registration)],
    start: Start,
) -> Result<HashMap<usize, Source>> {
    let asked: Vec<Registration> = these.iter().map(|(_, one)| one.clone()).collect();
    let all = own_recordings::around(sql, institution, asked).await?;
    let people = People::new(&all);
    let chosen: Vec<(usize, &Registration)> = these
        .iter()
        .enumerate()
        .filter_map(|(at, (place, _))| Some((*place, people.source(at, start)?)))
        .collect();
    let hexes: Vec<&str> =
        chosen.iter().filter_map(|(_, one)| Some(one.recording.as_ref()?.hex.as_str())).collect();
    let media = store::media::kept(sql, institution, &hexes).await?;
    let media: HashMap<&str, &Media> = media.iter().map(|one| (one.hex.as_str(), one)).collect();
    let source = |(place, one): (usize, &Registration)| {
        let recording = one.recording.as_ref()?;
        let origin = if recording.origin == Origin::Shared { Origin::Shared } else { Origin::Copied };
        let media = (*media.get(recording.hex.as_str())?).clone();
        Some((place, Source { media, origin, phonetic: one.phonetic.clone() }))
    };
    Ok(chosen.into_iter().filter_map(source).collect())
}

pub(super) fn files(copies: &Copies) -> Vec<Media> {
    copies.values().filter_map(|copy| copy.media.clone()).collect()
}

/// Removes what nobody has got in the end; all, when nothing was written.
pub(super) async fn settle<T>(
    app: &App,
    institution: InstitutionId,
    made: Vec<Media>,
    written: Result<(T, HashSet<String>)>,
) -> Result<T> {
    match written {
        Ok((done, used)) => {
            let unused: Vec<Media> = made.into_iter().filter(|one| !used.contains(&one.hex)).collect();
            media::discard(app, institution, &unused).await;
            Ok(done)
        }
        Err(error) => {
            // A commit whose answer was lost may have happened: then the sweep, which asks the database, decides.
            if matches!(error, Error::Invalid(_) | Error::Missing(_)) {
                media::discard(app, institution, &made).await;
            }
            Err(error)
        }
    }
}

/// `None` when it is gone by now. Without what was sent once, where that is.
async fn copy(app: &App, institution: InstitutionId, of: &Media, origin: Origin) -> Result<Option<Media>> {
    let mut made = Media { hex: app.ids.hex(), original: false, origin, ..of.clone() };
    for from in keys(institution, of) {
        let is_original = from.shelf == Shelf::Originals;
        let put = match app.blobs.read(&from).await {
            Ok(Some(bytes)) => app.blobs.put(&Key { hex: made.hex.clone(), ..from }, bytes).await,
            Ok(None) if is_original => continue,
            Ok(None) => return Ok(None),
            Err(error) => Err(error),
        };
        if let Err(error) = put {
            media::discard(app, institution, &[Media { original: true, ..made }]).await;
            return Err(error.into());
        }
        made.original |= is_original;
    }
    Ok(Some(made))
}
