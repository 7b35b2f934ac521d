//! Recordings that people make themselves. A recording is shared by all registrations of its maker, unless they made it for
//! one page only. What an API client or an import attached to a registration stays with that registration. See
//! [ADR 16](../../docs/adr/0016-own-recordings.md).
//!
//! Each registration has its own copy, with separate bytes and link. As everywhere, bytes are stored before rows: the owners
//! are looked up first, and again in the transaction. If the transaction finds an owner without stored bytes, it rolls back,
//! and the write is retried (optimistic concurrency).

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use endonym_media::sound::Refusal;
use futures_util::StreamExt;

use super::{
    App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    calls::{self, Attempt, CallChange},
    consents, kept_recordings,
    media::{self, keys},
    moderation,
    own_entry::Owner,
    studio::TAKE_MARGIN,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        audit::{Act, Who},
        call::Reason,
        fault::{Fault, Field},
        ids::{InstitutionId, ModerationId, ParticipantId},
        media::{Incoming, Kind, Media, MediaFault, Origin},
        moment::Moment,
        own_recording::{People, Registration, Start},
        participant::Draft,
    },
    store::{self, Sql, audiences, directory_holds, own_recordings, page_settings, participants, rolls},
};

/// Which registrations of a person a recording is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    All,
    /// The registration where they made it.
    ThisPage,
}

/// How a person makes a recording.
#[derive(Debug, Clone)]
pub enum Maker {
    /// In a browser. They must have agreed to the text about recordings.
    Owner,
    /// As `Owner`, on the page of the entry itself: a take that is too long for this page is rejected, also if it is for all pages.
    OnPage,
    /// In this call. The recording ends it; if it is already over, the recording is discarded.
    Call(Attempt),
}

/// Stores a recording that a person made, and cancels the pending calls of everybody who gets it. On pages that hold new recordings, it
/// waits for a manager's approval, and the earlier one stays. Pages for which it is too long keep what they have.
pub async fn record(
    app: &App,
    (institution, participant): (InstitutionId, ParticipantId),
    who: Who,
    sound: Incoming,
    sharing: Sharing,
    maker: Maker,
) -> Result<()> {
    let now = app.clock.now();
    let record = Record::by(app, who, institution, Act::RecordingReplaced);
    let mut draft = Draft { media: vec![(Kind::Recording, sound)], ..Draft::default() };
    let take = media::process(app, institution, &mut draft, now).await?;
    draft.errors.into_result()?;
    let length = take.duration();
    let mut attempts = Attempts::default();
    loop {
        let scope = (sharing, &maker, length, now);
        let recipients = owners(&mut app.db.read(), institution, participant, scope).await?;
        let origin = if sharing == Sharing::All { Origin::Shared } else { Origin::Page };
        let copies = take.copies(app, recipients.len(), origin);
        let (owned_app, maker, record) = (app.clone(), maker.clone(), record.clone());
        let write = move |made: Vec<Media>| async move {
            let db = owned_app.db.clone();
            db.write(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    let scope = (sharing, &maker, length, now);
                    let recipients = owners(sql, institution, participant, scope).await?;
                    if recipients.len() > made.len() {
                        return Err(Error::FilesNeeded);
                    }
                    match maker {
                        // They may have withdrawn their consent while the sound was processed.
                        Maker::Owner | Maker::OnPage => {
                            let owner = Owner { institution, participant };
                            consents::require(sql, owner, Field::Recording).await?;
                        }
                        Maker::Call(attempt) => {
                            if !calls::recorded_in(sql, &attempt, now).await? {
                                return Err(Error::Missing(Missing::Call));
                            }
                        }
                    }
                    let holding = store::moderation::holding(sql, institution, &recipients).await?;
                    // Whoever opens a learning system with somebody's address is not yet that person.
                    let who = kept_recordings::maker(sql, institution, participant, record.who()).await?;
                    let is_owner =
                        kept_recordings::is_owner(sql, institution, &recipients, who.as_deref()).await?;
                    let mut kept = Vec::new();
                    let mut made = made.into_iter();
                    let (mut gone, mut changes) = (Vec::new(), Vec::new());
                    for (owner, recording) in recipients.iter().copied().zip(made.by_ref()) {
                        let (rules, ids) = (&owned_app.calling, calls::Ids::new(&owned_app, now));
                        let call_change = CallChange::Cancel(Reason::RecordedElsewhere);
                        calls::settle(sql, rules, (institution, owner), call_change, ids, now).await?;
                        let (kind, new) = (holding.get(&owner).map(|_| Kind::Held), recording.clone());
                        let is_kept = !is_owner && !holding.contains_key(&owner);
                        let aside = match is_kept {
                            true => kept_recordings::keep(sql, institution, owner, now).await?,
                            false => None,
                        };
                        kept.extend(aside.iter().map(|_| owner));
                        store::kept_recordings::set_maker(sql, institution, owner, who.as_deref()).await?;
                        let old = match holding.get(&owner) {
                            Some(page) => {
                                let case = owned_app.ids.id(now);
                                moderation::hold(sql, institution, (owner, *page), recording, case, now)
                                    .await?
                            }
                            None => store::media::attach(sql, institution, owner, &recording, now).await?,
                        };
                        let after = Some(Media { kind: kind.unwrap_or(new.kind), ..new });
                        let before = aside.iter().chain(&old).cloned().collect();
                        changes.push(MediaChange { participant: owner, before, after });
                        gone.extend(old);
                    }
                    audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                    kept_recordings::tell(sql, &owned_app, institution, &kept, now).await?;
                    follow_pause(sql, institution, &recipients).await?;
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
    // A job hangs up calls in progress, and the next calls can start.
    app.queue.wake();
    app.switchboard.wake();
    Ok(())
}

/// Returns the participants who get the recording: this one first, then the others who share it. Pages that are closed or archived, and
/// those for which it is too long, keep what they have; but whoever is called was asked to record, and whoever records on a page wants
/// to be heard there.
async fn owners(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    (sharing, maker, length, now): (Sharing, &Maker, Duration, Moment),
) -> Result<Vec<ParticipantId>> {
    let missing = || Error::Missing(Missing::Participant);
    participants::by_ids(sql, institution, &[participant]).await?.pop().ok_or_else(missing)?;
    let mut owners = vec![participant];
    if sharing == Sharing::All {
        let own = own_recordings::find(sql, institution, participant).await?.ok_or_else(missing)?;
        let all = own_recordings::around(sql, institution, vec![own]).await?;
        let followers = People::new(&all).followers(0);
        // What they made for one page only stays, also while it waits for approval.
        let only_there = store::moderation::held_only_here(sql, institution, &followers).await?;
        owners.extend(followers.into_iter().filter(|id| !only_there.contains(id)));
    }
    let closed = page_settings::closed(sql, institution, &owners, now).await?;
    let is_called = |id: ParticipantId| id == participant && matches!(maker, Maker::Call(_));
    owners.retain(|id| !closed.contains(id) || is_called(*id));
    if owners.is_empty() {
        return Err(Error::invalid(Field::Recording, Fault::Closed));
    }
    let limits = page_settings::take_limits(sql, institution, &owners).await?;
    let limit = |id: &ParticipantId| limits.get(id).map(|seconds| Duration::from_secs(*seconds));
    let fits = |id: &ParticipantId| limit(id).is_none_or(|limit| length <= limit + TAKE_MARGIN);
    let too_long = |longest: Duration| {
        let fault = MediaFault::Sound(Refusal::TooLong { longest });
        Err(Error::invalid(Field::Recording, Fault::Media(fault)))
    };
    if matches!(maker, Maker::OnPage) && !fits(&participant) {
        return too_long(limit(&participant).unwrap_or_default());
    }
    // The most that any of these pages takes, for the message.
    let longest = owners.iter().filter_map(limit).max().unwrap_or_default();
    owners.retain(|id| fits(id) || is_called(*id));
    if owners.is_empty() { too_long(longest) } else { Ok(owners) }
}

/// For each of these registrations that has no email: those whose owners decide for it, as their institution_id or their user in the
/// learning system shows.
pub(super) async fn deciding(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashMap<ParticipantId, Vec<ParticipantId>>> {
    let these = own_recordings::without_email(sql, institution, ids).await?;
    if these.is_empty() {
        return Ok(HashMap::new());
    }
    let count = these.len();
    let all = own_recordings::around(sql, institution, these).await?;
    let people = People::new(&all);
    let ids = all.iter().take(count).enumerate();
    Ok(ids.filter_map(|(at, one)| Some((one.id?, people.deciding(at)))).collect())
}

/// Pauses those of these registrations that have no email and belong to a person who has paused, and gives those a directory hold that
/// belong to a person who has one. To be called after they were created or recorded: `keep_paused` and `spread` recognize only the
/// person's email, and registrations that existed then.
pub(super) async fn follow_pause(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<()> {
    let deciding = deciding(sql, institution, ids).await?;
    let deciders: Vec<ParticipantId> = deciding.values().flatten().copied().collect();
    let paused = audiences::paused(sql, institution, &deciders).await?;
    let withheld = directory_holds::held(sql, institution, &deciders).await?;
    let following = |leading: &[ParticipantId]| -> Vec<ParticipantId> {
        let follow = deciding.iter().filter(|(_, deciders)| deciders.iter().any(|id| leading.contains(id)));
        follow.map(|(id, _)| *id).collect()
    };
    directory_holds::set(sql, institution, &following(&withheld), true).await?;
    Ok(audiences::pause(sql, institution, &following(&paused)).await?)
}

/// Counts retries because of missing bytes.
#[derive(Default)]
pub(super) struct Attempts(usize);

impl Attempts {
    /// Each retry means that a recording or a registration of the person was added concurrently.
    const MAX_RETRIES: usize = 10;

    /// Returns `Ok` if the write is to be retried after this error.
    pub(super) fn again(&mut self, error: Error) -> Result<()> {
        match error {
            Error::FilesNeeded if self.0 < Self::MAX_RETRIES => {
                self.0 += 1;
                Ok(())
            }
            Error::FilesNeeded => Err(Error::Busy),
            other => Err(other),
        }
    }
}

/// A copy of a person's recording, for a registration that is about to be created.
#[derive(Debug, Clone)]
pub(super) struct Copy {
    /// The hex of the copied recording.
    of: String,
    /// `None` if the bytes are lost.
    media: Option<Media>,
    /// The id of the case, should the copy have to wait for approval.
    case: ModerationId,
}

/// Keyed by the index of the registration in the request.
pub(super) type Copies = HashMap<usize, Copy>;

/// The recording that a new registration starts with.
pub(super) struct Started {
    pub media: Media,
    /// The copied recording is paused, so the copy must be, too.
    pub is_paused: bool,
    /// Its owner has a directory hold, so the copy must have it, too.
    pub is_withheld: bool,
    /// The phonetic spelling at the registration that the recording was copied from.
    pub phonetic: Option<String>,
    case: ModerationId,
}

impl Started {
    /// Keeps silent what must be, before the copy is attached to this registration or held.
    pub(super) async fn follow(
        &self,
        sql: &mut Sql,
        institution: InstitutionId,
        id: ParticipantId,
    ) -> Result<()> {
        if self.is_withheld {
            directory_holds::set(sql, institution, &[id], true).await?;
        }
        if self.is_paused {
            audiences::pause(sql, institution, &[id]).await?;
        }
        Ok(())
    }
}

/// Holds those of these recordings that were made by people, where the page holds new recordings, and returns whose they are. All
/// others are to be attached. Recordings that an institution has given are not held: it vouches for them.
pub(super) async fn hold_started(
    sql: &mut Sql,
    institution: InstitutionId,
    started: &[(ParticipantId, &Started)],
    now: Moment,
) -> Result<HashSet<ParticipantId>> {
    let made_by_people = started.iter().filter(|(_, one)| one.media.origin == Origin::Shared);
    let ids: Vec<ParticipantId> = made_by_people.map(|(id, _)| *id).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let holding = store::moderation::holding(sql, institution, &ids).await?;
    let mut held = HashSet::new();
    for (id, one) in started.iter().filter(|(_, one)| one.media.origin == Origin::Shared) {
        if let Some(page) = holding.get(id) {
            held.insert(*id);
            // A recording that they have made there themselves is not replaced by a copy; the sweep removes that.
            if store::media::of(sql, institution, *id, Kind::Held).await?.is_some() {
                continue;
            }
            moderation::hold(sql, institution, (*id, *page), one.media.clone(), one.case, now).await?;
        }
    }
    Ok(held)
}

/// Copies the recordings that these registrations start with.
pub(super) async fn prepare(
    app: &App,
    institution: InstitutionId,
    these: &[(usize, Registration)],
    start: Start,
) -> Result<Copies> {
    const CONCURRENT_COPIES: usize = 8;
    let sources = sources(&mut app.db.read(), institution, these, start).await?;
    if !sources.is_empty() {
        // A retry registers them with their recording; without it, they would silently have none there.
        app.blobs.ensure_available().await?;
    }
    let copying = sources.into_iter().map(|(place, source)| async move {
        let media = copy(app, institution, &source.media, source.origin).await?;
        Ok((place, Copy { of: source.media.hex, media, case: app.ids.id(app.clock.now()) }))
    });
    let copied: Vec<Result<(usize, Copy)>> =
        futures_util::stream::iter(copying).buffer_unordered(CONCURRENT_COPIES).collect().await;
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

/// Returns what these registrations start with, inside the transaction that creates them. Copies of recordings that were
/// replaced or deleted since are not used.
pub(super) async fn start(
    sql: &mut Sql,
    institution: InstitutionId,
    these: &[(usize, Registration)],
    start: Start,
    copies: &Copies,
) -> Result<HashMap<usize, Started>> {
    let mut started = HashMap::new();
    let sources = sources(sql, institution, these, start).await?;
    let ids: Vec<ParticipantId> = sources.values().map(|source| source.id).collect();
    let paused = audiences::paused(sql, institution, &ids).await?;
    let paused: HashSet<ParticipantId> = paused.into_iter().collect();
    let withheld = directory_holds::held(sql, institution, &ids).await?;
    for (place, source) in sources {
        let copy = copies.get(&place).filter(|copy| copy.of == source.media.hex);
        let copy = copy.ok_or(Error::FilesNeeded)?;
        if let Some(media) = copy.media.clone() {
            let (is_paused, is_withheld) = (paused.contains(&source.id), withheld.contains(&source.id));
            let (phonetic, case) = (source.phonetic, copy.case);
            started.insert(place, Started { media, is_paused, is_withheld, phonetic, case });
        }
    }
    Ok(started)
}

struct Source {
    /// The registration that it is copied from.
    id: ParticipantId,
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
    // Nothing is looked up where nobody asks, or where the institution does not want it.
    if these.is_empty() || store::institutions::starts_with_newest(sql, institution).await? != Some(true) {
        return Ok(HashMap::new());
    }
    let registrations: Vec<Registration> = these.iter().map(|(_, one)| one.clone()).collect();
    let all = own_recordings::around(sql, institution, registrations).await?;
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
        let (id, media) = (one.id?, (*media.get(recording.hex.as_str())?).clone());
        Some((place, Source { id, media, origin, phonetic: one.phonetic.clone() }))
    };
    Ok(chosen.into_iter().filter_map(source).collect())
}

pub(super) fn files(copies: &Copies) -> Vec<Media> {
    copies.values().filter_map(|copy| copy.media.clone()).collect()
}

/// Deletes unused copies; all of them if nothing was written.
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
            if error.is_rolled_back() {
                media::discard(app, institution, &made).await;
            }
            Err(error)
        }
    }
}

/// Copies the bytes of a recording. Returns `None` if they are gone. A missing original is skipped.
pub(super) async fn copy(
    app: &App,
    institution: InstitutionId,
    of: &Media,
    origin: Origin,
) -> Result<Option<Media>> {
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
