//! Moderation of a name page: recordings that wait for a manager's approval, complaints of listeners, and what managers decide.
//!
//! A held recording is a row of `media` with the kind `Held`; a rejected or removed one has the kind `Removed`. Such rows are always
//! hidden, so no public link leads to them. What was rejected or removed is kept for 30 days (`KEPT`) and can be restored; what its
//! owner or an API client deletes is deleted at once, with everything that is held or removed (`store::media::detach`).

use std::time::Duration;

use bytes::Bytes;

use super::{
    Actor, App, Error, Missing, Result,
    limiter::{LimitKey, Policy},
    media,
    name_pages::PublicPage,
    outbox, participants,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        client_address::Client,
        email::Email,
        ids::{InstitutionId, ModerationId, NamePageId, ParticipantId},
        media::{Kind, Media},
        message::Message,
        moderation::{self, Case, CaseKind, CaseState, Complaint, KEPT, REASON, SENTENCE},
        moment::Moment,
        name_page::NamePageRef,
        participant::Participant,
        session::PersonId,
    },
    mail::render::{self, PageLetter},
    store::{
        self, Sql,
        moderation::{self as cases, Verdict},
        name_pages, rolls,
    },
};

pub use crate::store::moderation::Listed;

/// Cases on one page of the queue.
pub const PER_PAGE: usize = 50;

pub struct Queue {
    pub entries: Vec<Entry>,
    /// There are more cases behind this one.
    pub next: Option<ModerationId>,
}

/// A case, and the person whose recording it is about.
pub struct Entry {
    pub case: Case,
    pub person: Participant,
}

impl Entry {
    /// Can others hear the recording, so that it can be removed?
    pub fn is_audible(&self) -> bool {
        self.person.recording.as_ref().is_some_and(|recording| recording.hex == self.case.hex)
    }
}

/// Lists the cases of a page, or of all pages of an institution, behind a case.
pub async fn queue(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: Option<&NamePageRef>,
    listed: Listed,
    behind: Option<ModerationId>,
) -> Result<Queue> {
    let sql = &mut app.db.read();
    let page = match page {
        Some(page) => {
            let found = name_pages::find(sql, institution, page).await?;
            Some(found.ok_or(Error::Missing(Missing::NamePage))?.id)
        }
        None => None,
    };
    check(actor, institution, page)?;
    let count = i64::try_from(PER_PAGE + 1).unwrap_or(i64::MAX);
    let mut found = cases::list(sql, institution, page, listed, behind, count).await?;
    let next = (found.len() > PER_PAGE).then(|| found[PER_PAGE - 1].id);
    found.truncate(PER_PAGE);
    let ids: Vec<ParticipantId> = found.iter().map(|case| case.participant).collect();
    let people = store::participants::by_ids(sql, institution, &ids).await?;
    let entry = |case: Case| {
        let person = people.iter().find(|person| person.id == case.participant)?.clone();
        Some(Entry { case, person })
    };
    Ok(Queue { entries: found.into_iter().filter_map(entry).collect(), next })
}

fn check(actor: &Actor, institution: InstitutionId, page: Option<NamePageId>) -> Result<()> {
    match page {
        Some(page) => actor.manage(institution, page),
        None => actor.administer(institution),
    }
}

/// The case that a manager decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub case: ModerationId,
    /// The page that the manager works on. `None` stands for all pages, for those who administer the institution.
    pub page: Option<NamePageId>,
    /// The recording that the manager has heard, if known: a newer one is not decided about unheard.
    pub heard: Option<String>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done(Case),
    /// Somebody else has decided in the meantime, or the case never was one for this decision. Nothing was changed.
    Decided(Case),
    /// There is a newer recording. Nothing was changed.
    Newer(Case),
}

/// Lets everybody hear a held recording. It replaces the earlier one.
pub async fn approve(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
) -> Result<Outcome> {
    decide(app, actor, institution, target, Decision::Approve).await
}

/// Does not accept a held recording. The person receives the reason, with a link to record again that starts with the base URL.
pub async fn reject(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
    reason: &str,
    base_url: &str,
) -> Result<Outcome> {
    decide(app, actor, institution, target, Decision::Reject(explained(reason, base_url))).await
}

/// Takes away a recording that others can hear: one that was reported, or approved by mistake. The person receives the reason.
pub async fn remove(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
    reason: &str,
    base_url: &str,
) -> Result<Outcome> {
    decide(app, actor, institution, target, Decision::Remove(explained(reason, base_url))).await
}

/// Closes a report without consequences.
pub async fn dismiss(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
) -> Result<Outcome> {
    decide(app, actor, institution, target, Decision::Dismiss).await
}

/// Lets everybody hear a recording that was rejected or removed, unless the person has a newer one.
pub async fn restore(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
) -> Result<Outcome> {
    decide(app, actor, institution, target, Decision::Restore).await
}

#[derive(Debug, Clone)]
enum Decision {
    Approve,
    Reject(Explanation),
    Remove(Explanation),
    Dismiss,
    Restore,
}

/// Why, as typed, and the base URL of the link in the message.
#[derive(Debug, Clone)]
struct Explanation {
    reason: String,
    base_url: String,
}

fn explained(reason: &str, base_url: &str) -> Explanation {
    Explanation { reason: reason.to_owned(), base_url: base_url.to_owned() }
}

impl Decision {
    /// May this be decided about the case?
    fn fits(&self, case: &Case) -> bool {
        match self {
            Self::Approve | Self::Reject(_) => case.kind == CaseKind::Held && case.is_open(),
            Self::Remove(_) => case.can_be_removed(),
            Self::Dismiss => case.kind == CaseKind::Report && case.is_open(),
            Self::Restore => case.can_be_restored(),
        }
    }

    const fn state(&self) -> CaseState {
        match self {
            Self::Approve => CaseState::Approved,
            Self::Reject(_) => CaseState::Rejected,
            Self::Remove(_) => CaseState::Removed,
            Self::Dismiss => CaseState::Dismissed,
            Self::Restore => CaseState::Restored,
        }
    }

    fn explanation(&self) -> Option<&Explanation> {
        match self {
            Self::Reject(explanation) | Self::Remove(explanation) => Some(explanation),
            Self::Approve | Self::Dismiss | Self::Restore => None,
        }
    }
}

async fn decide(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    target: &Target,
    decision: Decision,
) -> Result<Outcome> {
    check(actor, institution, target.page)?;
    let reason = match decision.explanation() {
        Some(explanation) => {
            let reason = moderation::reason(&explanation.reason);
            Some(reason.map_err(|fault| Error::invalid(REASON, fault))?)
        }
        None => None,
    };
    let now = app.clock.now();
    let verdict =
        Verdict { state: decision.state(), by: actor.signature(), reason, at: now, purge_at: now.plus(KEPT) };
    let (target, owned_app) = (target.clone(), app.clone());
    let (outcome, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let case = find_in(sql, institution, target.case, target.page).await?;
                if !decision.fits(&case) {
                    return Ok((Outcome::Decided(case), Vec::new()));
                }
                if target.heard.is_some_and(|heard| heard != case.hex) {
                    return Ok((Outcome::Newer(case), Vec::new()));
                }
                let Some(gone) = carry_out(sql, institution, &case, &decision, now).await? else {
                    return Ok((Outcome::Newer(case), Vec::new()));
                };
                cases::decide(sql, institution, case.id, &verdict).await?;
                // A recording may have several reports. It is gone for all of them, or back.
                let about = (case.participant, case.hex.as_str());
                let together: &[CaseState] = match decision {
                    Decision::Remove(_) => &[CaseState::Open],
                    Decision::Restore => &[CaseState::Rejected, CaseState::Removed],
                    Decision::Approve | Decision::Reject(_) | Decision::Dismiss => &[],
                };
                cases::decide_about(sql, institution, about, together, &verdict).await?;
                if let Some(Explanation { base_url, .. }) = decision.explanation() {
                    tell(sql, &owned_app, institution, &case, base_url.clone(), now).await?;
                }
                let decided = find_in(sql, institution, case.id, None).await?;
                Ok((Outcome::Done(decided), gone))
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(outcome)
}

async fn find_in(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ModerationId,
    page: Option<NamePageId>,
) -> Result<Case> {
    let found = cases::find(sql, institution, id).await?;
    let found = found.filter(|case| page.is_none_or(|page| case.page == page));
    found.ok_or(Error::Missing(Missing::Recording))
}

/// Moves the recording to where it belongs after this decision, and returns what it replaces. `None` if it is not the newest one, so
/// that nothing may be done.
async fn carry_out(
    sql: &mut Sql,
    institution: InstitutionId,
    case: &Case,
    decision: &Decision,
    now: Moment,
) -> Result<Option<Vec<Media>>> {
    let owner = case.participant;
    match decision {
        Decision::Dismiss => Ok(Some(Vec::new())),
        Decision::Approve => {
            let Some(held) = newest(sql, institution, case, Kind::Held, now).await? else { return Ok(None) };
            let audible = Media { kind: Kind::Recording, ..held };
            let replaced = store::media::attach(sql, institution, owner, &audible, now).await?;
            Ok(Some(replaced.into_iter().collect()))
        }
        Decision::Reject(_) => set_aside(sql, institution, case, Kind::Held, now).await,
        Decision::Remove(_) => set_aside(sql, institution, case, Kind::Recording, now).await,
        Decision::Restore => {
            let removed = store::media::find_removed(sql, institution, owner, &case.hex).await?;
            let removed = removed.ok_or(Error::Missing(Missing::Recording))?;
            let current = store::media::of(sql, institution, owner, Kind::Recording).await?;
            if current.is_some_and(|current| current.created_at > removed.created_at) {
                return Ok(None);
            }
            store::media::take_removed(sql, institution, owner, &case.hex).await?;
            let audible = Media { kind: Kind::Recording, ..removed };
            let replaced = store::media::attach(sql, institution, owner, &audible, now).await?;
            Ok(Some(replaced.into_iter().collect()))
        }
    }
}

/// Takes out the recording that a case is about. `None` if there is a newer one of this kind, or none.
async fn newest(
    sql: &mut Sql,
    institution: InstitutionId,
    case: &Case,
    kind: Kind,
    now: Moment,
) -> Result<Option<Media>> {
    let found = store::media::of(sql, institution, case.participant, kind).await?;
    if found.is_none_or(|found| found.hex != case.hex) {
        return Ok(None);
    }
    Ok(store::media::take_out(sql, institution, case.participant, kind, now).await?)
}

async fn set_aside(
    sql: &mut Sql,
    institution: InstitutionId,
    case: &Case,
    kind: Kind,
    now: Moment,
) -> Result<Option<Vec<Media>>> {
    let Some(taken) = newest(sql, institution, case, kind, now).await? else { return Ok(None) };
    let removed = Media { kind: Kind::Removed, ..taken };
    store::media::set_aside(sql, institution, case.participant, &removed).await?;
    Ok(Some(Vec::new()))
}

/// Sends the reason to the person. Without an email, they read it on their own page.
async fn tell(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    case: &Case,
    base_url: String,
    now: Moment,
) -> Result<()> {
    let person = store::participants::by_ids(sql, institution, &[case.participant]).await?.pop();
    let email = person.and_then(|person| person.email).as_deref().and_then(Email::parse);
    if let Some(email) = email {
        let message = Message::Rejection { case: case.id, decided_at: now.micros(), base_url };
        outbox::enqueue(sql, &app.ids, Some(institution), email, message, now).await?;
    }
    Ok(())
}

/// What the message about a rejected or removed recording says. `None` if it was restored or deleted in the meantime.
pub async fn rejection_letter(
    app: &App,
    institution: InstitutionId,
    case: ModerationId,
) -> Result<Option<PageLetter>> {
    let sql = &mut app.db.read();
    let case = cases::find(sql, institution, case).await?.filter(Case::can_be_restored);
    let Some(case) = case else { return Ok(None) };
    let person = store::participants::by_ids(sql, institution, &[case.participant]).await?.pop();
    let Some(person) = person else { return Ok(None) };
    let Some(to) = person.email.as_deref().and_then(Email::parse) else { return Ok(None) };
    let Some(owner) = store::institutions::by_id(sql, institution).await? else { return Ok(None) };
    let id = PersonId { institution, email_key: to.key().to_owned() };
    let languages = store::languages::find(sql, &id).await?;
    let settings = store::page_settings::find(sql, institution, case.page).await?;
    let closes_at = settings.and_then(|settings| settings.closes_at);
    Ok(Some(PageLetter {
        to,
        name: Some(person.full_name()).filter(|name| !name.is_empty()),
        institution_name: owner.name,
        page_title: person.page.title.clone(),
        link: format!("/p/{}/own", person.page.slug),
        language: languages.personal.or(languages.institution).unwrap_or_default(),
        closes: closes_at.map(|at| render::minute(at, &owner.time_zone)),
        reason: case.reason,
        date: None,
    }))
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

/// The MP3 file of the recording that a case is about, for managers of its page.
pub async fn sound(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: NamePageId,
    case: ModerationId,
) -> Result<Bytes> {
    actor.manage(institution, page)?;
    let missing = || Error::Missing(Missing::Recording);
    let sql = &mut app.db.read();
    let case = find_in(sql, institution, case, Some(page)).await?;
    // It may have been replaced or deleted since.
    let found =
        store::media::kept(sql, institution, &[case.hex.as_str()]).await?.pop().ok_or_else(missing)?;
    // Managers hear what is held or removed. What others can hear is silent for them, too, while the person pauses it.
    if found.kind == Kind::Recording
        && store::media::owner(sql, institution, &found.hex).await? != Some(case.participant)
    {
        return Err(missing());
    }
    let key = Key { shelf: Shelf::Recordings, institution, hex: found.hex };
    app.blobs.read(&key).await?.ok_or_else(missing)
}

/// How the newest recording of an entry stands, as its owner sees it.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// It waits for approval.
    pub held: Option<Media>,
    /// It was rejected or removed, for this reason, and the person has not recorded again since.
    pub refusal: Option<String>,
}

/// `audible` is the entry's recording that others can hear, or could while it is paused.
pub(super) async fn standing(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
    audible: Option<&Media>,
) -> Result<Standing> {
    let all = cases::of(sql, institution, participant).await?;
    if all.is_empty() {
        return Ok(Standing::default());
    }
    let held = store::media::of(sql, institution, participant, Kind::Held).await?;
    let refused = all.into_iter().filter(Case::can_be_restored).max_by_key(|case| case.decided_at);
    let is_newest = |case: &Case| {
        let newer = |media: &Media| case.decided_at.is_some_and(|decided_at| media.created_at > decided_at);
        held.is_none() && !audible.is_some_and(newer)
    };
    let refusal = refused.filter(is_newest).and_then(|case| case.reason);
    Ok(Standing { held, refusal })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reported {
    Accepted,
    /// Too many reports from this network.
    TooMany {
        retry_after: u64,
    },
}

const REPORTS: u32 = 20;
const REPORTS_IN: Duration = Duration::from_secs(15 * 60);
/// A proxy that does not forward the client's address stands for many clients.
const PROXY_FACTOR: u32 = 10;

/// A listener complains about a recording that they can hear. The face has checked that they may listen. Reports of the same kind
/// about the same recording are one case.
pub async fn report(
    app: &App,
    public: &PublicPage,
    token: &str,
    complaint: Complaint,
    sentence: &str,
    client: Option<Client>,
) -> Result<Reported> {
    let sentence = moderation::sentence(sentence).map_err(|fault| Error::invalid(SENTENCE, fault))?;
    let (institution, page) = (public.institution.id, public.page.id);
    let person = participants::by_token(app, institution, token).await?;
    if person.page.slug != public.page.slug {
        return Err(Error::Missing(Missing::Participant));
    }
    if person.recording.is_none() {
        return Err(Error::Missing(Missing::Recording));
    }
    if let Some(retry_after) = is_refused(app, client).await {
        return Ok(Reported::TooMany { retry_after });
    }
    let (id, now, participant) = (app.ids.id(app.clock.now()), app.clock.now(), person.id);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // It may have been replaced in the meantime.
                let person = store::participants::by_ids(sql, institution, &[participant]).await?.pop();
                let recording = person.and_then(|person| person.recording);
                let hex = recording.ok_or(Error::Missing(Missing::Recording))?.hex;
                let open = cases::open_report(sql, institution, participant, &hex, complaint).await?;
                if let Some(open) = open {
                    let sentence = moderation::with_sentence(open.sentence, sentence);
                    return Ok(cases::add_report(sql, institution, open.id, sentence.as_deref()).await?);
                }
                let new = Case {
                    id,
                    page,
                    participant,
                    kind: CaseKind::Report,
                    hex,
                    state: CaseState::Open,
                    complaint: Some(complaint),
                    sentence,
                    reports: 1,
                    created_at: now,
                    decided_at: None,
                    decided_by: None,
                    reason: None,
                    purge_at: None,
                };
                Ok(cases::insert(sql, institution, &new).await?)
            })
        })
        .await?;
    Ok(Reported::Accepted)
}

/// Counts a report. If there are too many from this network, returns how many seconds to wait.
async fn is_refused(app: &App, client: Option<Client>) -> Option<u64> {
    let client = client?;
    let ceiling = if client.is_proxy { REPORTS * PROXY_FACTOR } else { REPORTS };
    let policy = Policy { ceiling, window: REPORTS_IN, throttle: REPORTS_IN };
    let key = LimitKey::reports(client.address);
    app.limiter.take_with_policy(key, policy, app.clock.instant()).await.retry_after
}

const PURGE_BATCH: i64 = 100;

/// Deletes decided cases after 30 days, with the recordings that were rejected or removed, and reports about recordings that were
/// replaced. Returns how many recordings were deleted.
pub async fn purge(app: &App) -> Result<usize> {
    let now = app.clock.now();
    let mut deleted = 0;
    loop {
        let mut due = cases::due(&mut app.db.read(), now, PURGE_BATCH).await?;
        if due.is_empty() {
            break;
        }
        due.sort_by_key(|(institution, _)| *institution);
        for group in due.chunk_by(|(a, _), (b, _)| a == b) {
            let (institution, ids) = (group[0].0, group.iter().map(|(_, case)| case.id).collect());
            let gone = purge_these(app, institution, ids, now).await?;
            deleted += gone.len();
            media::discard(app, institution, &gone).await;
        }
    }
    app.db.write::<_, Error>(|sql| Box::pin(async move { Ok(cases::delete_obsolete(sql).await?) })).await?;
    Ok(deleted)
}

async fn purge_these(
    app: &App,
    institution: InstitutionId,
    ids: Vec<ModerationId>,
    now: Moment,
) -> Result<Vec<Media>> {
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let mut gone = Vec::new();
                for id in ids {
                    // It may have been restored in the meantime, and decided about again.
                    let case = cases::find(sql, institution, id).await?;
                    let is_due = |case: &Case| case.purge_at.is_some_and(|purge_at| purge_at <= now);
                    let Some(case) = case.filter(is_due) else { continue };
                    if case.can_be_restored() {
                        let owner = case.participant;
                        gone.extend(store::media::take_removed(sql, institution, owner, &case.hex).await?);
                    }
                    cases::delete(sql, institution, id).await?;
                }
                Ok(gone)
            })
        })
        .await
}
