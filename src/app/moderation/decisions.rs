//! What managers decide about a case.

use serde_json::{Value as Json, json};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        media, outbox,
    },
    check, entries, find_in,
};
use crate::{
    domain::{
        audit::Act,
        email::Email,
        ids::{InstitutionId, ModerationId, NamePageId},
        media::{Kind, Media},
        message::Message,
        moderation::{self, About, Case, CaseKind, CaseState, KEPT, REASON},
        moment::Moment,
    },
    store::{
        self, Sql,
        moderation::{self as cases, Verdict},
        rolls,
    },
};

/// The case that a manager decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub case: ModerationId,
    /// The page that the manager works on. `None` stands for all pages that they run.
    pub page: Option<NamePageId>,
    /// The recording that the manager has heard, or the change of the entry that they have seen, if known: a newer one is not decided about
    /// unheard or unseen.
    pub heard: Option<String>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done(Case),
    /// Somebody else has decided in the meantime, or the case never was one for this decision. Nothing was changed.
    Decided(Case),
    /// There is a newer recording, or the entry has changed. Nothing was changed.
    Newer(Case),
    /// The person has paused the recording or withdrawn their consent, so nobody can let others hear it. Nothing was changed.
    Silenced(Case),
}

#[derive(Debug, Clone)]
pub enum Decision {
    /// Lets everybody hear a held recording, which replaces the earlier one, or see a held entry.
    Approve,
    /// Does not accept a held recording or entry. The person receives the reason, with a link to record again or to change the entry.
    Reject(Explanation),
    /// Takes away a recording or an entry that others can hear or see: one that was reported, or approved by mistake. The person receives
    /// the reason.
    Remove(Explanation),
    /// Closes a report without consequences.
    Dismiss,
    /// Lets everybody hear or see what was rejected or removed, unless there is something newer.
    Restore,
}

/// What the person receives.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// As typed.
    pub reason: String,
    /// What the link to record again starts with.
    pub base_url: String,
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

    const fn act(&self) -> Act {
        match self {
            Self::Approve => Act::ModerationApproved,
            Self::Reject(_) => Act::ModerationRejected,
            Self::Remove(_) => Act::ModerationRemoved,
            Self::Dismiss => Act::ModerationDismissed,
            Self::Restore => Act::ModerationRestored,
        }
    }

    /// Does it let others hear a recording?
    fn makes_audible(&self, case: &Case) -> bool {
        case.about == About::Recording && matches!(self, Self::Approve | Self::Restore)
    }

    fn explanation(&self) -> Option<&Explanation> {
        match self {
            Self::Reject(explanation) | Self::Remove(explanation) => Some(explanation),
            Self::Approve | Self::Dismiss | Self::Restore => None,
        }
    }
}

pub async fn decide(
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
    let record = Record::new(app, actor, institution, decision.act());
    let mut verdict =
        Verdict { state: decision.state(), by: actor.signature(), reason, at: now, purge_at: None };
    let explained = verdict.reason.clone();
    let (target, owned_app, actor) = (target.clone(), app.clone(), actor.clone());
    let (outcome, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let case = find_in(sql, &actor, institution, target.case, target.page).await?;
                if !decision.fits(&case) {
                    return Ok((Outcome::Decided(case), Vec::new()));
                }
                if target.heard.is_some_and(|heard| heard != case.hex) {
                    return Ok((Outcome::Newer(case), Vec::new()));
                }
                let silenced = entries::silenced(sql, institution, &[case.participant]).await?;
                if decision.makes_audible(&case) && silenced.contains(&case.participant) {
                    return Ok((Outcome::Silenced(case), Vec::new()));
                }
                // An entry that was refused stays held, so its case stays, too.
                let is_kept = case.about == About::Entry && decision.explanation().is_some();
                verdict.purge_at = (!is_kept).then(|| now.plus(KEPT));
                let Some(gone) = carry_out(sql, institution, &case, &decision, now).await? else {
                    return Ok((Outcome::Newer(case), Vec::new()));
                };
                cases::decide(sql, institution, (case.about, case.id), &verdict).await?;
                // A recording or an entry may have several reports. It is gone for all of them, or back.
                let together: &[CaseState] = match decision {
                    Decision::Remove(_) => &[CaseState::Open],
                    Decision::Restore => &[CaseState::Rejected, CaseState::Removed],
                    Decision::Approve | Decision::Reject(_) | Decision::Dismiss => &[],
                };
                cases::decide_about(sql, institution, &case, together, &verdict).await?;
                if let Some(Explanation { base_url, .. }) = decision.explanation() {
                    tell(sql, &owned_app, institution, &case, base_url.clone(), now).await?;
                }
                let decided = find_in(sql, &actor, institution, case.id, None).await?;
                let record =
                    record.change(Json::Null, json!({ "about": case.about.word(), "reason": explained }));
                let record = audit::of_registration(sql, record, case.participant).await?;
                audit::write(sql, &[record]).await?;
                Ok((Outcome::Done(decided), gone))
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(outcome)
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
    if case.about == About::Entry {
        entries::carry_out(sql, institution, case, decision.state(), now).await?;
        return Ok(Some(Vec::new()));
    }
    match decision {
        Decision::Dismiss => Ok(Some(Vec::new())),
        Decision::Approve => {
            let held = store::media::of(sql, institution, owner, Kind::Held).await?;
            // An API client or an import may have set a recording since.
            if let Some(held) = held
                && is_outdated(sql, institution, case, &held).await?
            {
                return Ok(None);
            }
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
            if is_outdated(sql, institution, case, &removed).await? {
                return Ok(None);
            }
            store::media::take_removed(sql, institution, owner, &case.hex).await?;
            let audible = Media { kind: Kind::Recording, ..removed };
            let replaced = store::media::attach(sql, institution, owner, &audible, now).await?;
            Ok(Some(replaced.into_iter().collect()))
        }
    }
}

/// Is the recording that others can hear, or could while it is paused, newer than this one? Then it is not replaced.
async fn is_outdated(sql: &mut Sql, institution: InstitutionId, case: &Case, kept: &Media) -> Result<bool> {
    let current = store::media::of(sql, institution, case.participant, Kind::Recording).await?;
    Ok(current.is_some_and(|current| current.created_at > kept.created_at))
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
        let (id, decided_at) = (case.id, now.micros());
        let message = match case.about {
            About::Recording => Message::Rejection { case: id, decided_at, base_url },
            About::Entry => Message::EntryRejection { case: id, decided_at, base_url },
        };
        outbox::enqueue_page_mail(sql, &app.ids, (institution, case.page), email, message, now).await?;
    }
    Ok(())
}
