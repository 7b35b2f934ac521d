//! The sections of the console, and which roles see them.

use super::member::Role;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    Overview,
    People,
    NamePages,
    Moderation,
    CustomFields,
    Tokens,
    LearningSystems,
    Directories,
    Phone,
    Messages,
    Jobs,
    Settings,
    Members,
    Audit,
}

impl Section {
    /// In the order of the menu.
    pub const ALL: [Self; 14] = [
        Self::Overview,
        Self::People,
        Self::NamePages,
        Self::Moderation,
        Self::CustomFields,
        Self::Tokens,
        Self::LearningSystems,
        Self::Directories,
        Self::Phone,
        Self::Messages,
        Self::Jobs,
        Self::Settings,
        Self::Members,
        Self::Audit,
    ];

    /// Its path below `/console/{slug}`.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Overview => "",
            Self::People => "/people",
            Self::NamePages => "/name-pages",
            Self::Moderation => "/moderation",
            Self::CustomFields => "/custom-fields",
            Self::Tokens => "/tokens",
            Self::LearningSystems => "/learning-systems",
            Self::Directories => "/directories",
            Self::Phone => "/phone",
            Self::Messages => "/messages",
            Self::Jobs => "/jobs",
            Self::Settings => "/settings",
            Self::Members => "/members",
            Self::Audit => "/audit",
        }
    }

    /// Managers work with the people of their pages. Everything that concerns the whole institution is for admins and owners; directories
    /// are only for owners, because they give roles.
    /// Readers see none of it: they listen on the pages that they are given.
    pub const fn is_for(self, role: Role) -> bool {
        match role {
            Role::Owner => true,
            Role::Admin => !matches!(self, Self::Directories),
            Role::Manager => matches!(
                self,
                Self::Overview
                    | Self::People
                    | Self::NamePages
                    | Self::Moderation
                    | Self::Messages
                    | Self::Jobs
            ),
            Role::Reader => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_a_path_of_its_own() {
        let mut paths = Section::ALL.map(Section::path).to_vec();
        paths.sort_unstable();
        paths.dedup();
        assert_eq!(paths.len(), Section::ALL.len());
    }

    #[test]
    fn a_role_sees_what_it_may_use() {
        let seen = |role| Section::ALL.into_iter().filter(|section| section.is_for(role)).count();
        assert_eq!([Role::Owner, Role::Admin, Role::Manager, Role::Reader].map(seen), [14, 13, 6, 0]);
    }
}
