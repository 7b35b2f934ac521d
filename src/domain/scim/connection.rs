//! A directory that may provision people of an institution.

use crate::domain::{
    ids::{InstitutionId, ScimConnectionId},
    moment::Moment,
};

/// As listed, without its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    pub id: ScimConnectionId,
    pub institution: InstitutionId,
    pub name: String,
    /// Each group that it creates gets a name page of the same title.
    pub pages_from_groups: bool,
    pub created_at: Moment,
    pub revoked_at: Option<Moment>,
    pub last_used_at: Option<Moment>,
}
