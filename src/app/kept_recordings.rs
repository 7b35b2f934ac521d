//! Recordings that their owners have made and somebody else has replaced: an API client, an import, a member, or a visitor of a learning
//! system with the same address. They are kept for 30 days, nobody hears them, and their owners put them back on `/me`.

use std::collections::{BTreeSet, HashSet};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, MediaChange, Record},
    media, moderation, outbox, own_recordings as copying,
};
pub use crate::store::kept_recordings::Kept;
use crate::{
    domain::{
        audit::{Act, Who, WhoKind},
        digest,
        email::Email,
        ids::{InstitutionId, ParticipantId},
        media::{Kind, Media, Origin},
        message::{Message, Warning},
        moment::Moment,
        session::PersonId,
    },
    store::{
        self, Sql, institutions, kept_recordings, languages, own_recordings, participants, persons, rolls,
    },
};

/// How long a recording can be put back, in days.
pub const KEPT_DAYS: i64 = 30;
/// Recordings that are deleted in one part.
const BATCH: i64 = 100;

/// Did the owner of the registration make this recording?
const fn is_own(recording: &Media) -> bool {
    matches!(recording.origin, Origin::Shared | Origin::Page)
}

/// Sets aside a recording that its owner has made, before somebody else replaces it, and returns it. What an institution has given may be
/// replaced every night. The caller holds the institution's lock, calls `tell`, and wakes the queue after the commit.
pub(super) async fn keep(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    now: Moment,
) -> Result<Option<Media>> {
    let current = store::media::of(sql, institution, participant, Kind::Recording).await?;
    if !current.as_ref().is_some_and(is_own) {
        return Ok(None);
    }
    let taken = store::media::take_out(sql, institution, participant, Kind::Recording, now).await?;
    let Some(taken) = taken else { return Ok(None) };
    // Its link leads to the one that replaces it.
    store::media::replaced(sql, institution, participant, &taken).await?;
    let aside = Media { kind: Kind::Removed, ..taken.clone() };
    store::media::set_aside(sql, institution, participant, &aside).await?;
    let kept = Kept { participant, hex: taken.hex.clone(), kept_at: now, purge_at: now.plus_days(KEPT_DAYS) };
    kept_recordings::insert(sql, institution, &kept).await?;
    Ok(Some(taken))
}

/// Tells the owners of these registrations that somebody else has replaced their recordings: one mail to each address.
pub(super) async fn tell(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    replaced: &[ParticipantId],
    now: Moment,
) -> Result<()> {
    if replaced.is_empty() {
        return Ok(());
    }
    let owner = institutions::by_id(sql, institution).await?.ok_or(Error::Missing(Missing::Institution))?;
    let until: String =
        now.plus_days(KEPT_DAYS).shown_in(&owner.time_zone).chars().take("2027-01-31".len()).collect();
    let mut told = BTreeSet::new();
    for entry in participants::by_ids(sql, institution, replaced).await? {
        let Some(to) = entry.email.as_deref().and_then(Email::parse) else { continue };
        if told.insert(to.key().to_owned()) {
            let (page, until) = (entry.page.title.clone(), until.clone());
            warn(sql, app, institution, to, Warning::RecordingReplaced { page, until }, now).await?;
        }
    }
    Ok(())
}

/// Enqueues a mail that tells somebody what has happened to their data.
pub(super) async fn warn(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    to: Email,
    about: Warning,
    now: Moment,
) -> Result<()> {
    let person = PersonId { institution, email_key: to.key().to_owned() };
    let settings = languages::find(sql, &person).await?;
    let language = settings.personal.or(settings.institution).unwrap_or_default().tag().to_owned();
    let message = Message::Warning { about, language, base_url: app.links.base().to_owned() };
    outbox::enqueue(sql, &app.ids, Some(institution), to, message, now).await.map(drop)
}

/// Who has made a recording in a learning system: one user of one system. `None` for a person who has signed in here, or was called.
pub(super) async fn maker(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    who: &Who,
) -> Result<Option<String>> {
    if who.kind != WhoKind::Lti {
        return Ok(None);
    }
    let own = own_recordings::find(sql, institution, participant).await?;
    let users: BTreeSet<_> = own.map(|own| own.users).unwrap_or_default().into_iter().collect();
    // The ids of users may be names.
    Ok(Some(match users.first() {
        Some((consumer, user)) => digest::hex(&digest::of(&format!("{consumer} {user}"))),
        None => format!("registration {participant}"),
    }))
}

/// Is somebody who records in a learning system the one who has made what these registrations have? Whoever makes the first recording
/// there is.
pub(super) async fn is_owner(
    sql: &mut Sql,
    institution: InstitutionId,
    registrations: &[ParticipantId],
    maker: Option<&str>,
) -> Result<bool> {
    let Some(maker) = maker else { return Ok(true) };
    let known = kept_recordings::makers(sql, institution, registrations).await?;
    Ok(!known.is_empty() && known.iter().all(|known| known == maker))
}

/// Recordings that were replaced at once, and that their owner can put back at once.
pub struct OwnKept {
    /// One of them.
    pub hex: String,
    /// The titles of their name pages.
    pub titles: Vec<String>,
    pub kept_at: Moment,
    pub purge_at: Moment,
}

/// The recordings that a person can put back, the newest first.
pub async fn of_person(app: &App, actor: &Actor, person: &PersonId) -> Result<Vec<OwnKept>> {
    actor.represent(person)?;
    let (sql, institution) = (&mut app.db.read(), person.institution);
    let ids = visible(sql, person).await?;
    let kept = kept_recordings::of(sql, institution, &ids).await?;
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let entries = participants::by_ids(sql, institution, &ids).await?;
    let title = |one: &Kept| {
        let entry = entries.iter().find(|entry| entry.id == one.participant);
        entry.map(|entry| entry.page.title.clone()).unwrap_or_default()
    };
    let own = |group: &[Kept]| {
        let first = group.first()?;
        Some(OwnKept {
            hex: first.hex.clone(),
            titles: group.iter().map(title).collect(),
            kept_at: first.kept_at,
            purge_at: first.purge_at,
        })
    };
    Ok(kept.chunk_by(|a, b| a.kept_at == b.kept_at).filter_map(own).collect())
}

async fn visible(sql: &mut Sql, person: &PersonId) -> Result<Vec<ParticipantId>> {
    let all = persons::registrations(sql, person.institution, &person.email_key).await?;
    Ok(all.into_iter().filter(|one| !one.hidden).map(|one| one.id).collect())
}

/// Puts a recording back in the place of the one that has replaced it, and with it those that were replaced with it. A person who has
/// paused stays so, and where recordings are held, it waits for approval. One that is gone is `Missing::Recording`. It gets a new link:
/// whoever has the old one may not hear it any more, if the person has chosen so meanwhile.
pub async fn put_back(app: &App, actor: &Actor, person: &PersonId, hex: &str) -> Result<()> {
    actor.represent(person)?;
    let record = Record::new(app, actor, person.institution, Act::RecordingReplaced);
    let copies = copies(app, person, hex).await?;
    let made: Vec<Media> = copies.iter().map(|(_, made)| made.clone()).collect();
    let (owned_app, institution, now) = (app.clone(), person.institution, app.clock.now());
    let written = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let (mut gone, mut changes, mut used) = (Vec::new(), Vec::new(), HashSet::new());
                let ids: Vec<ParticipantId> = copies.iter().map(|(kept, _)| kept.participant).collect();
                // A manager may have replaced it because it was no name.
                let holding = store::moderation::holding(sql, institution, &ids).await?;
                for (kept, own) in copies {
                    let id = kept.participant;
                    // Its owner may have deleted it meanwhile, or put it back in another tab.
                    if !kept_recordings::delete(sql, institution, &kept.hex).await? {
                        continue;
                    }
                    gone.extend(store::media::take_removed(sql, institution, id, &kept.hex).await?);
                    kept_recordings::set_maker(sql, institution, id, None).await?;
                    used.insert(own.hex.clone());
                    let (old, kind) = match holding.get(&id) {
                        Some(page) => {
                            let (case, held) = (owned_app.ids.id(now), own.clone());
                            let place = (id, *page);
                            (moderation::hold(sql, institution, place, held, case, now).await?, Kind::Held)
                        }
                        None => {
                            (store::media::attach(sql, institution, id, &own, now).await?, Kind::Recording)
                        }
                    };
                    let before = old.iter().cloned().collect();
                    changes.push(MediaChange { participant: id, before, after: Some(Media { kind, ..own }) });
                    gone.extend(old);
                }
                if changes.is_empty() {
                    return Err(Error::Missing(Missing::Recording));
                }
                audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                Ok((gone, used))
            })
        })
        .await;
    let gone = copying::settle(app, institution, made, written).await?;
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// The recordings that are put back with this one, each with a copy of its file.
async fn copies(app: &App, person: &PersonId, hex: &str) -> Result<Vec<(Kept, Media)>> {
    let (sql, institution) = (&mut app.db.read(), person.institution);
    let ids = visible(sql, person).await?;
    let mut kept = kept_recordings::of(sql, institution, &ids).await?;
    let at = kept.iter().find(|one| one.hex == hex).map(|one| one.kept_at);
    kept.retain(|one| Some(one.kept_at) == at);
    let mut copies = Vec::with_capacity(kept.len());
    for one in kept {
        let found = store::media::find_removed(sql, institution, one.participant, &one.hex).await?;
        let Some(found) = found.map(|found| Media { kind: Kind::Recording, ..found }) else { continue };
        // Without its bytes, there is nothing to put back.
        if let Some(made) = copying::copy(app, institution, &found, found.origin).await? {
            copies.push((one, made));
        }
    }
    Ok(copies)
}

/// Forgets what could be put back at a registration: its owner has withdrawn their consent. Returns the recordings, whose files are to be
/// removed.
pub(super) async fn forget(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<Vec<Media>> {
    let mut gone = Vec::new();
    for one in kept_recordings::of(sql, institution, &[participant]).await? {
        gone.extend(store::media::take_removed(sql, institution, participant, &one.hex).await?);
    }
    kept_recordings::delete_of(sql, institution, participant).await?;
    Ok(gone)
}

/// Deletes what nobody has put back in 30 days. Returns how many recordings were deleted.
pub async fn purge(app: &App) -> Result<usize> {
    let (now, mut deleted) = (app.clock.now(), 0);
    loop {
        let due = kept_recordings::due(&mut app.db.read(), now, BATCH).await?;
        if due.is_empty() {
            return Ok(deleted);
        }
        for (institution, one) in due {
            let gone = app
                .db
                .write::<_, Error>(move |sql| {
                    Box::pin(async move {
                        rolls::lock(sql, institution).await?;
                        // Its owner may have put it back meanwhile.
                        if !kept_recordings::delete(sql, institution, &one.hex).await? {
                            return Ok(None);
                        }
                        let taken =
                            store::media::take_removed(sql, institution, one.participant, &one.hex).await?;
                        Ok(taken)
                    })
                })
                .await?;
            let gone: Vec<Media> = gone.into_iter().collect();
            deleted += gone.len();
            media::discard_now(app, institution, &gone).await;
        }
    }
}
