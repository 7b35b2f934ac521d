//! The actor behind a request. Faces (HTTP, command line) and workers create an `Actor`. Use cases take the actor, or the
//! `Scope` or `Access` derived from it, and never a bare id of something that belongs to an institution (tenant). See
//! [ADR 17](../../docs/adr/0017-actors-and-scopes.md).
//!
//! To add a kind of actor (for example, members of an institution who sign in to a console), add a variant that holds the
//! authenticated identity, handle it in `scope` and `access`, and create it where its session is looked up. Each use case
//! checks on the given actor what only some actors may do.

use std::sync::Arc;

use super::{Caller, Error, Missing, Result};
use crate::domain::{access::Access, ids::InstitutionId, scope::Scope};

#[derive(Debug, Clone)]
pub enum Actor {
    /// A client of the API, authenticated by its access token.
    Token(Arc<Caller>),
    /// The operator, who runs commands on the server.
    Operator,
    /// The server itself: background jobs, schedules, and webhooks with a verified signature.
    System,
}

impl Actor {
    /// Returns everything within this actor's reach.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Token(caller) => Scope::Institution(caller.institution.id),
            Self::Operator | Self::System => Scope::Installation,
        }
    }

    /// Narrows the scope to one institution, if given. Returns `Missing` if the actor does not reach that institution.
    pub fn within(&self, only: Option<InstitutionId>) -> Result<Scope> {
        let Some(institution) = only else { return Ok(self.scope()) };
        if !self.scope().includes(institution) {
            return Err(Error::Missing(Missing::Institution));
        }
        Ok(Scope::Institution(institution))
    }

    /// Returns which people of an institution this actor may read and change.
    pub fn access(&self, institution: InstitutionId) -> Result<Access> {
        self.within(Some(institution))?;
        Ok(match self {
            Self::Token(caller) => caller.access.clone(),
            Self::Operator | Self::System => Access::whole(institution),
        })
    }
}
