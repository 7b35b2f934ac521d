//! The overview of the console: the newest recordings, and what needs attention. `coverage::history` has the figures.

use std::collections::HashMap;

use super::{Actor, App, Result, people, tokens, tool_consumers};
use crate::{
    domain::{access::Action, ids::InstitutionId, participant::Participant},
    store::{newest, participants, progress},
};

/// People with a recording that can be heard, the newest first.
pub struct Newest {
    pub people: Vec<Participant>,
    /// A URL of media, if browsers load them from the blob store directly.
    pub media_address: Option<String>,
}

/// The newest recordings on the pages that the actor may read. Those that are paused or wait for a decision are left out.
pub async fn newest(app: &App, actor: &Actor, institution: InstitutionId, most: usize) -> Result<Newest> {
    let access = actor.permit(Action::Read, institution)?;
    let sql = &mut app.db.read();
    let ids = newest::recorded(sql, institution, access.pages(), most).await?;
    let people = participants::by_ids(sql, institution, &ids).await?;
    // The actor runs the pages, and so hears people with a directory hold.
    let mut people: Vec<Participant> = people.into_iter().map(Participant::unveiled).collect();
    // Somebody may have paused since.
    people.retain(|one| one.recording.is_some());
    let everybody: Vec<&Participant> = people.iter().collect();
    let media_address = people::media_address(app, institution, &everybody, &HashMap::new()).await?;
    Ok(Newest { people, media_address })
}

/// How much there is to do. Counting ends at `progress::MOST`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Attention {
    /// Recordings and complaints that wait for a decision.
    pub cases: u64,
    /// Addresses that a mail server has rejected.
    pub bounces: u64,
    /// Jobs that have been given up.
    pub dead_jobs: u64,
    pub disabled_systems: u64,
    /// Access tokens that stop working soon.
    pub expiring_tokens: u64,
}

/// What needs attention: on the actor's pages and, for administrators, in the institution.
pub async fn attention(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Attention> {
    let access = actor.permit(Action::Write, institution)?;
    let sql = &mut app.db.read();
    let cases = progress::cases(sql, institution, access.pages()).await?;
    let bounces = progress::bounces(sql, institution, access.pages()).await?;
    if actor.administer(institution).is_err() {
        return Ok(Attention { cases, bounces, ..Attention::default() });
    }
    let systems = tool_consumers::all(app, actor, Some(institution)).await?;
    Ok(Attention {
        cases,
        bounces,
        dead_jobs: progress::dead(sql, institution).await?,
        disabled_systems: systems.iter().filter(|system| !system.enabled).count() as u64,
        expiring_tokens: tokens::expiring(app, actor, institution).await?.len() as u64,
    })
}
