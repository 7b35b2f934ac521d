//! The tenants whose records an action may access. (For the permissions of access tokens see `access::TokenScope`.)

use super::ids::InstitutionId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One tenant: records of other tenants are not found.
    Institution(InstitutionId),
    /// All tenants. Only `app::Actor` grants it, to operators and to the server's own background work.
    Installation,
}

impl Scope {
    pub fn includes(self, institution: InstitutionId) -> bool {
        match self {
            Self::Institution(own) => own == institution,
            Self::Installation => true,
        }
    }
}
