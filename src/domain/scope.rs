//! Which institutions' records an action may touch. (What an access token may do is `access::TokenScope`.)

use super::ids::InstitutionId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One tenant: records of any other are missing.
    Institution(InstitutionId),
    /// Every tenant. Only `app::Actor` gives it out, to operators and to the server's own background work.
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
