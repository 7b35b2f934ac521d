//! Entries of strangers, which are held as a whole until a manager approves them.

use std::collections::HashSet;

use super::super::{Ids, Result};
use crate::{
    domain::{
        ids::{InstitutionId, ParticipantId},
        moderation::{Case, CaseKind, CaseState},
        moment::Moment,
    },
    store::{Sql, audiences, consents, moderation as cases, participants},
};

/// Holds those of these entries, which their owners have just made or changed, that nobody has vouched for on a page that holds, and those
/// that are held already. Runs in the transaction of the write.
pub(in crate::app) async fn hold_entries(
    sql: &mut Sql,
    made: &Ids,
    institution: InstitutionId,
    ids: &[ParticipantId],
    now: Moment,
) -> Result<()> {
    for place in cases::holding_entries(sql, institution, ids).await? {
        cases::hold_entry(sql, institution, place, made.id(now), now).await?;
    }
    Ok(())
}

/// Shows or hides an entry as decided.
pub(super) async fn carry_out(
    sql: &mut Sql,
    institution: InstitutionId,
    case: &Case,
    state: CaseState,
    now: Moment,
) -> Result<()> {
    let held = match state {
        CaseState::Approved | CaseState::Restored => false,
        CaseState::Rejected | CaseState::Removed => true,
        CaseState::Open | CaseState::Dismissed => return Ok(()),
    };
    Ok(participants::set_held(sql, institution, case.participant, held, now).await?)
}

/// How an entry stands, as its owner sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EntryStanding {
    /// Others see it.
    #[default]
    Shown,
    /// It waits for approval.
    Held,
    /// It was rejected or removed, for this reason, and the person has not changed it since.
    Refused(Option<String>),
}

impl EntryStanding {
    /// `cases` are all cases of the entry, which is held.
    pub(super) fn of_held(cases: &[Case]) -> Self {
        let refused = cases.iter().filter(|case| case.can_be_restored());
        let is_waiting = cases.iter().any(|case| case.kind == CaseKind::Held && case.is_open());
        match refused.max_by_key(|case| case.decided_at) {
            Some(case) if !is_waiting => Self::Refused(case.reason.clone()),
            _ => Self::Held,
        }
    }

    pub fn is_held(&self) -> bool {
        *self == Self::Held
    }

    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Refused(reason) => Some(reason.as_deref().unwrap_or("–")),
            Self::Shown | Self::Held => None,
        }
    }
}

/// Those of these people whose recordings nobody but they themselves may hear, whatever managers decide: they have paused them, or
/// have withdrawn their consent and not given it again.
pub(in crate::app) async fn silenced(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<HashSet<ParticipantId>> {
    let mut found: HashSet<ParticipantId> =
        audiences::paused(sql, institution, ids).await?.into_iter().collect();
    found.extend(consents::withdrawn(sql, institution, ids).await?);
    Ok(found)
}
