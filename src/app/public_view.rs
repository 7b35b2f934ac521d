//! What may be shown to somebody without a credential: a visitor who has not signed in, or a request without a token (decision 47
//! of the contract). Listening pages, version 2, badges, and players that the token of a badge addresses ask here and nowhere else,
//! so that a rule that is added here holds for all of them. Credentials are sessions, tokens, and the links with a name of their own
//! that an API client was given (`links/secret.rs`); for these, only a pause counts.

use std::collections::HashMap;

use super::{Result, audiences};
use crate::{
    domain::{
        audience::Audience,
        ids::{InstitutionId, ParticipantId},
        participant::Participant,
    },
    store::Sql,
};

/// What a registration shows to somebody without a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicView {
    /// Its owner is heard by anybody.
    Voice,
    /// The name, as of somebody who has not recorded.
    NameOnly,
    /// Not even that there is such a person: the institution has set a directory hold.
    Nothing,
}

impl PublicView {
    const fn of(person: &Participant, audience: Audience) -> Self {
        match audience {
            _ if person.directory_hold => Self::Nothing,
            Audience::Public => Self::Voice,
            Audience::Institution | Audience::Paused => Self::NameOnly,
        }
    }

    pub const fn is_heard(self) -> bool {
        matches!(self, Self::Voice)
    }
}

/// What each of these people shows.
pub(super) async fn of(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashMap<ParticipantId, PublicView>> {
    let audiences = audiences::of_all(sql, institution, people).await?;
    let view = |one: &&Participant| Some((one.id, PublicView::of(one, *audiences.get(&one.id)?)));
    Ok(people.iter().filter_map(view).collect())
}

/// These people as somebody without a credential sees them, in the same order, without those of whom nothing is shown. Nobody sees an entry
/// that is held (`app/moderation.rs`).
pub(super) async fn reduced(
    sql: &mut Sql,
    institution: InstitutionId,
    mut people: Vec<Participant>,
) -> Result<Vec<Participant>> {
    people.retain(|one| !one.is_held);
    let everybody: Vec<&Participant> = people.iter().collect();
    let views = of(sql, institution, &everybody).await?;
    people.retain(|one| views.get(&one.id) != Some(&PublicView::Nothing));
    for one in &mut people {
        if !views.get(&one.id).is_some_and(|view| view.is_heard()) {
            one.recording = None;
            one.legal.recording = None;
        }
    }
    Ok(people)
}
