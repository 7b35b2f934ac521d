//! Members of an institution, who run its name pages, and their roles.

use super::{ids::NamePageId, moment::Moment, session::PersonId};

/// | role | members, single sign-on, deleting the institution | everything else of the institution | own pages |
/// |---|---|---|---|
/// | owner | yes | yes | all |
/// | admin | | yes | all |
/// | manager | | | manages them |
/// | reader | | | hears them |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Owner,
    Admin,
    Manager,
    Reader,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Manager, Self::Reader];
    pub const WORDS: [&'static str; 4] = ["owner", "admin", "manager", "reader"];

    /// The value in the database and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Manager => "manager",
            Self::Reader => "reader",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }

    /// Does the role include all name pages, those of the future too?
    pub const fn has_all_pages(self) -> bool {
        match self {
            Self::Owner | Self::Admin => true,
            Self::Manager | Self::Reader => false,
        }
    }
}

/// Somebody with a role in an institution, registered on a name page or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub person: PersonId,
    /// The address to which sign-in mails are sent.
    pub email: String,
    pub role: Role,
    /// The pages of a manager or reader. Owners and admins have all pages, and none here.
    pub pages: Vec<NamePageId>,
    pub created_at: Moment,
}

impl Member {
    /// May they change this page of their institution, and see all of it?
    pub fn manages(&self, page: NamePageId) -> bool {
        match self.role {
            Role::Owner | Role::Admin => true,
            Role::Manager => self.pages.contains(&page),
            Role::Reader => false,
        }
    }

    /// May they hear everybody on this page of their institution, whoever else may?
    pub fn hears(&self, page: NamePageId) -> bool {
        self.role.has_all_pages() || self.pages.contains(&page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::InstitutionId;

    fn member(role: Role, pages: &[i64]) -> Member {
        Member {
            person: PersonId { institution: InstitutionId::new(1), email_key: "a@example.edu".into() },
            email: "a@example.edu".into(),
            role,
            pages: pages.iter().map(|id| NamePageId::new(*id)).collect(),
            created_at: Moment::from_micros(0),
        }
    }

    #[test]
    fn every_role_has_its_word() {
        assert_eq!(Role::ALL.map(Role::word), Role::WORDS);
        assert!(Role::ALL.into_iter().all(|role| Role::parse(role.word()) == Some(role)));
        assert_eq!(Role::parse("Owner"), None);
    }

    #[test]
    fn owners_and_admins_have_all_pages_and_others_those_they_are_given() {
        let (own, other) = (NamePageId::new(7), NamePageId::new(8));
        for role in [Role::Owner, Role::Admin] {
            assert!(member(role, &[]).manages(own) && member(role, &[]).hears(other), "{role:?}");
        }
        let manager = member(Role::Manager, &[7]);
        assert!(manager.manages(own) && manager.hears(own));
        assert!(!manager.manages(other) && !manager.hears(other));
        let reader = member(Role::Reader, &[7]);
        assert!(!reader.manages(own) && reader.hears(own));
        assert!(!reader.hears(other));
    }
}
