//! Who acts. Faces and workers make an `Actor`; use cases take it, or the `Scope` or `Access` that it gives out, and never
//! a bare id of something that belongs to an institution ([ADR 17](../../docs/adr/0017-actors-and-scopes.md)).
//!
//! To add a kind of actor (members of an institution who sign in to a console, say): add a variant that holds what was
//! authenticated, answer for it in `scope` and `access`, and make it where its session is looked up. What only some actors
//! may do is checked by the use case, on the actor that it was given.

use std::sync::Arc;

use super::{Caller, Error, Missing, Result};
use crate::domain::{access::Access, ids::InstitutionId, scope::Scope};

#[derive(Debug, Clone)]
pub enum Actor {
    /// A client of the API, authenticated by its access token.
    Token(Arc<Caller>),
    /// Whoever runs commands on the server.
    Operator,
    /// The server itself: background jobs, schedules, and webhooks whose signature is checked.
    System,
}

impl Actor {
    /// Everything that this actor reaches.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Token(caller) => Scope::Institution(caller.institution.id),
            Self::Operator | Self::System => Scope::Installation,
        }
    }

    /// The same within one institution, if one is named. One that is out of reach is missing.
    pub fn within(&self, only: Option<InstitutionId>) -> Result<Scope> {
        let Some(institution) = only else { return Ok(self.scope()) };
        if !self.scope().includes(institution) {
            return Err(Error::Missing(Missing::Institution));
        }
        Ok(Scope::Institution(institution))
    }

    /// The people of an institution whom this actor may see and change.
    pub fn access(&self, institution: InstitutionId) -> Result<Access> {
        self.within(Some(institution))?;
        Ok(match self {
            Self::Token(caller) => caller.access.clone(),
            Self::Operator | Self::System => Access::whole(institution),
        })
    }
}
