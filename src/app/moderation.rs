//! Moderation of a name page: recordings and entries that wait for a manager's approval, complaints of listeners, and what managers
//! decide.
//!
//! A held recording is a row of `media` with the kind `Held`; a rejected or removed one has the kind `Removed`. Such rows are always
//! hidden, so no public link leads to them. What was rejected or removed is kept for 30 days (`KEPT`) and can be restored; what its
//! owner or an API client deletes is deleted at once, with everything that is held or removed (`store::media::detach`).
//!
//! The entry of a stranger is held as a whole (`entries.rs`, `Participant::is_held`): tokens of the institution read it, and nobody else.
//!
//! Pausing and withdrawing consent beat moderation: managers neither hear nor approve what the person has silenced.

mod decisions;
mod entries;
mod mail;
mod purge;
mod reports;

use bytes::Bytes;

pub use decisions::{Decision, Explanation, Outcome, Target, decide};
pub use entries::EntryStanding;
pub(super) use entries::{hold_entries, silenced};
pub use mail::rejection_mail;
pub use purge::purge;
pub use reports::{Report, Reported, report};

use super::{Actor, App, Error, Missing, Result, name_pages::managed};
pub use crate::store::moderation::Listed;
use crate::store::moderation::Pages;
use crate::{
    blobs::{Key, Shelf},
    domain::{
        custom_field::{CustomField, sort_for_pages},
        ids::{InstitutionId, ModerationId, NamePageId, ParticipantId},
        media::{Kind, Media},
        moderation::{About, Case},
        moment::Moment,
        name_page::NamePageRef,
        participant::Participant,
    },
    store::{self, Sql, moderation as cases},
};

/// Cases on one page of the queue.
pub const PER_PAGE: usize = 50;

#[derive(Default)]
pub struct Queue {
    pub entries: Vec<Entry>,
    /// The institution's custom fields, in the order of pages, if an entry is to be decided about.
    pub fields: Vec<CustomField>,
    /// There are more cases behind this one.
    pub next: Option<ModerationId>,
}

/// A case, and the person whose recording or entry it is about.
pub struct Entry {
    pub case: Case,
    pub person: Participant,
    /// The person has paused their recordings or withdrawn their consent, so managers do not hear what the case is about.
    pub is_silenced: bool,
}

impl Entry {
    /// Can others hear the recording or see the entry, so that it can be removed?
    pub fn is_public(&self) -> bool {
        match self.case.about {
            About::Recording => {
                self.person.recording.as_ref().is_some_and(|recording| recording.hex == self.case.hex)
            }
            About::Entry => !self.person.is_held,
        }
    }
}

/// Lists the cases of a page, or of all pages that the actor runs, behind a case.
pub async fn queue(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: Option<&NamePageRef>,
    listed: Listed,
    behind: Option<ModerationId>,
) -> Result<Queue> {
    let sql = &mut app.db.read();
    let pages = match page {
        Some(page) => Pages::One(managed(app, actor, institution, page).await?.id),
        None => actor.managed(institution)?.map_or(Pages::All, Pages::These),
    };
    let count = i64::try_from(PER_PAGE + 1).unwrap_or(i64::MAX);
    let mut found = cases::list(sql, institution, pages, listed, behind, count).await?;
    let next = (found.len() > PER_PAGE).then(|| found[PER_PAGE - 1].id);
    found.truncate(PER_PAGE);
    let ids: Vec<ParticipantId> = found.iter().map(|case| case.participant).collect();
    let people = store::participants::by_ids(sql, institution, &ids).await?;
    // The actor runs the pages, and so hears people with a directory hold.
    let people: Vec<Participant> = people.into_iter().map(Participant::unveiled).collect();
    let silenced = silenced(sql, institution, &ids).await?;
    let mut fields = Vec::new();
    if found.iter().any(|case| case.about == About::Entry) {
        fields = store::custom_fields::all(sql, institution).await?;
        sort_for_pages(&mut fields);
    }
    let entry = |case: Case| {
        let person = people.iter().find(|person| person.id == case.participant)?.clone();
        let is_silenced = case.about == About::Recording && silenced.contains(&case.participant);
        Some(Entry { case, person, is_silenced })
    };
    Ok(Queue { entries: found.into_iter().filter_map(entry).collect(), fields, next })
}

/// Checks that the actor runs this page, or any page.
fn check(actor: &Actor, institution: InstitutionId, page: Option<NamePageId>) -> Result<()> {
    match page {
        Some(page) => actor.manage(institution, page),
        None => actor.managed(institution).map(drop),
    }
}

/// A case of this page, or of any page that the actor runs. Others do not exist for them.
async fn find_in(
    sql: &mut Sql,
    actor: &Actor,
    institution: InstitutionId,
    id: ModerationId,
    page: Option<NamePageId>,
) -> Result<Case> {
    let found = cases::find(sql, institution, id).await?;
    let found = found.filter(|case| page.is_none_or(|page| case.page == page));
    let found = found.filter(|case| actor.manage(institution, case.page).is_ok());
    found.ok_or(Error::Missing(Missing::Recording))
}

/// Holds a recording that a person made, and returns the held one that it replaces. Runs in the transaction of the write.
pub(super) async fn hold(
    sql: &mut Sql,
    institution: InstitutionId,
    place: (ParticipantId, NamePageId),
    recording: Media,
    new_case: ModerationId,
    now: Moment,
) -> Result<Option<Media>> {
    let held = Media { kind: Kind::Held, ..recording };
    Ok(cases::hold(sql, institution, place, &held, new_case, now).await?)
}

/// The MP3 file of the recording that a case is about, for managers of its page. Without a page, the case may be of any page that the
/// actor runs.
pub async fn sound(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: Option<NamePageId>,
    case: ModerationId,
) -> Result<Bytes> {
    check(actor, institution, page)?;
    let missing = || Error::Missing(Missing::Recording);
    let sql = &mut app.db.read();
    let case = find_in(sql, actor, institution, case, page).await?;
    if case.about != About::Recording
        || silenced(sql, institution, &[case.participant]).await?.contains(&case.participant)
    {
        return Err(missing());
    }
    // It may have been replaced or deleted since.
    let found =
        store::media::kept(sql, institution, &[case.hex.as_str()]).await?.pop().ok_or_else(missing)?;
    if found.kind == Kind::Recording
        && store::directory_holds::owner(sql, institution, &found.hex).await? != Some(case.participant)
    {
        return Err(missing());
    }
    let key = Key { shelf: Shelf::Recordings, institution, hex: found.hex };
    app.blobs.read(&key).await?.ok_or_else(missing)
}

/// The picture of the entry that a case is about, for managers of its page: its link is dead while the entry is held.
pub async fn picture(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: Option<NamePageId>,
    case: ModerationId,
) -> Result<Bytes> {
    check(actor, institution, page)?;
    let missing = || Error::Missing(Missing::Recording);
    let sql = &mut app.db.read();
    let case = find_in(sql, actor, institution, case, page).await?;
    if case.about != About::Entry {
        return Err(missing());
    }
    let found = store::media::of(sql, institution, case.participant, Kind::Photo).await?;
    let key = Key { shelf: Shelf::Photos, institution, hex: found.ok_or_else(missing)?.hex };
    app.blobs.read(&key).await?.ok_or_else(missing)
}

/// How an entry and its newest recording stand, as their owner sees it.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    pub entry: EntryStanding,
    /// It waits for approval.
    pub held: Option<Media>,
    /// It was rejected or removed, for this reason, and the person has not recorded again since.
    pub refusal: Option<String>,
}

/// `audible` is the entry's recording that others can hear, or could while it is paused.
pub(super) async fn standing(
    sql: &mut Sql,
    institution: InstitutionId,
    person: &Participant,
    audible: Option<&Media>,
) -> Result<Standing> {
    let participant = person.id;
    let all = cases::of(sql, institution, participant).await?;
    let (entry, all): (Vec<Case>, Vec<Case>) = all.into_iter().partition(|case| case.about == About::Entry);
    let entry = if person.is_held { EntryStanding::of_held(&entry) } else { EntryStanding::Shown };
    if all.is_empty() {
        return Ok(Standing { entry, ..Standing::default() });
    }
    let held = store::media::of(sql, institution, participant, Kind::Held).await?;
    let refused = all.into_iter().filter(Case::can_be_restored).max_by_key(|case| case.decided_at);
    let is_newest = |case: &Case| {
        let newer = |media: &Media| case.decided_at.is_some_and(|decided_at| media.created_at > decided_at);
        held.is_none() && !audible.is_some_and(newer)
    };
    let refusal = refused.filter(is_newest).and_then(|case| case.reason);
    Ok(Standing { entry, held, refusal })
}
