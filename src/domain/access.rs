//! Token scopes, and which records of the tenant a token can access.

use super::{
    audit::Who,
    ids::{InstitutionId, NamePageId},
};
use std::sync::Arc;

/// The permission that a request requires of its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    /// Creates, updates or deletes people, or requests an export.
    Write,
    /// Synchronizes courses.
    Sync,
}

impl Action {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
        }
    }
}

/// | scope | read | write | sync |
/// |---|---|---|---|
/// | read | yes | | |
/// | write | yes | yes | |
/// | sync | | | yes |
/// | all | yes | yes | yes |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TokenScope {
    Read,
    Write,
    Sync,
    #[default]
    All,
}

impl TokenScope {
    pub const WORDS: [&'static str; 4] = ["read", "write", "sync", "all"];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Sync => "sync",
            Self::All => "all",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Sync, Self::All].into_iter().find(|scope| scope.word() == word)
    }

    pub const fn permits(self, action: Action) -> bool {
        match self {
            Self::Read => matches!(action, Action::Read),
            Self::Write => matches!(action, Action::Read | Action::Write),
            Self::Sync => matches!(action, Action::Sync),
            Self::All => true,
        }
    }
}

/// The most name pages that a token can be limited to: all of them are bound in one SQL statement.
pub const MAX_PAGES: usize = 256;

/// The scope of an access token does not permit an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsufficientScope {
    pub has: TokenScope,
    pub needs: Action,
}

/// The records of an institution that a caller may access, and what the caller may do with them.
#[derive(Debug, Clone)]
pub struct Access {
    pub institution: InstitutionId,
    scope: TokenScope,
    pages: Option<Arc<[NamePageId]>>,
    /// Return one record per person when a request looks people up by email or identifier.
    pub newest_only: bool,
    /// There is no credential behind it.
    is_public: bool,
    /// Show recordings of people with a directory hold.
    includes_held: bool,
    /// Whose access it is, for the audit log.
    pub by: Who,
}

impl Access {
    /// Unrestricted access to the institution: for operators and tokens without limits.
    pub const fn whole(institution: InstitutionId) -> Self {
        let (scope, by) = (TokenScope::All, Who::SYSTEM);
        Self {
            institution,
            scope,
            pages: None,
            newest_only: false,
            is_public: false,
            includes_held: false,
            by,
        }
    }

    /// What somebody may read who has not signed in, such as in version 2: there is no credential, so only what is public is shown.
    /// Which of the institution's people they find, the caller limits.
    pub const fn of_visitor(institution: InstitutionId) -> Self {
        let (scope, by) = (TokenScope::Read, Who::VISITOR);
        Self {
            institution,
            scope,
            pages: None,
            newest_only: false,
            is_public: true,
            includes_held: false,
            by,
        }
    }

    /// `None` grants all pages, including future ones; an empty list grants none.
    pub fn new(
        institution: InstitutionId,
        scope: TokenScope,
        pages: Option<Vec<NamePageId>>,
        newest_only: bool,
    ) -> Self {
        let pages = pages.map(Into::into);
        Self {
            institution,
            scope,
            pages,
            newest_only,
            is_public: false,
            includes_held: false,
            by: Who::SYSTEM,
        }
    }

    /// The same, for somebody. Otherwise it is the server that acts.
    pub fn by(self, by: Who) -> Self {
        Self { by, ..self }
    }

    /// The same, with the recordings of people with a directory hold, or without them.
    pub fn including_held(self, includes_held: bool) -> Self {
        Self { includes_held, ..self }
    }

    pub const fn includes_held(&self) -> bool {
        self.includes_held
    }

    /// Checks that the caller may do this at all. Every use case that takes an `Access` calls it first.
    pub const fn check(&self, needs: Action) -> Result<(), InsufficientScope> {
        if self.scope.permits(needs) { Ok(()) } else { Err(InsufficientScope { has: self.scope, needs }) }
    }

    pub const fn is_public(&self) -> bool {
        self.is_public
    }

    /// The pages that access is limited to, or `None` if it is unlimited.
    pub fn pages(&self) -> Option<&[NamePageId]> {
        self.pages.as_deref()
    }

    pub fn reaches(&self, page: NamePageId) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(&page))
    }

    /// The search scope when a request names no page.
    pub fn within(&self) -> SearchScope<'_> {
        match &self.pages {
            Some(pages) => SearchScope::Pages(pages),
            None => SearchScope::Institution,
        }
    }
}

/// The scope of a search for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchScope<'a> {
    Institution,
    Page(NamePageId),
    /// At most `MAX_PAGES` for a token. Groups of a directory may give a member more.
    Pages(&'a [NamePageId]),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scope_permits_what_it_says_and_nothing_else() {
        let permitted = |word: &str| {
            let scope = TokenScope::parse(word).unwrap();
            assert_eq!(scope.word(), word);
            [Action::Read, Action::Write, Action::Sync].map(|action| scope.permits(action))
        };
        assert_eq!(permitted("read"), [true, false, false]);
        assert_eq!(permitted("write"), [true, true, false]);
        assert_eq!(permitted("sync"), [false, false, true]);
        assert_eq!(permitted("all"), [true, true, true]);
        assert_eq!(TokenScope::WORDS.map(|word| TokenScope::parse(word).is_some()), [true; 4]);
        assert_eq!([TokenScope::parse(""), TokenScope::parse("ALL"), TokenScope::parse("admin")], [None; 3]);
    }

    #[test]
    fn a_limit_without_pages_reaches_nobody() {
        let (institution, page) = (InstitutionId::new(1), NamePageId::new(7));
        assert!(Access::whole(institution).reaches(page));
        assert!(Access::new(institution, TokenScope::All, Some(vec![page]), false).reaches(page));
        assert!(
            !Access::new(institution, TokenScope::All, Some(vec![NamePageId::new(8)]), false).reaches(page)
        );
        let none = Access::new(institution, TokenScope::All, Some(Vec::new()), false);
        assert!(!none.reaches(page));
        assert_eq!(none.within(), SearchScope::Pages(&[]));
    }
}
