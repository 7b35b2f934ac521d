//! What an access token may do, and whose records it reaches.

use super::ids::{InstitutionId, NamePageId};
use std::sync::Arc;

/// What a request does, as far as tokens are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Read,
    /// Creates, changes or deletes people, or has the server prepare an export.
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

/// The most name pages that a token can be limited to: they all stand in one SQL statement.
pub const MOST_PAGES: usize = 256;

/// The records of an institution that a caller may see and change.
#[derive(Debug, Clone)]
pub struct Access {
    pub institution: InstitutionId,
    pages: Option<Arc<[NamePageId]>>,
    /// One record per person in answers to requests that name people by email or identifier.
    pub newest_only: bool,
}

impl Access {
    /// Everything: for operators, and for tokens without limits.
    pub const fn whole(institution: InstitutionId) -> Self {
        Self { institution, pages: None, newest_only: false }
    }

    /// With `None` all pages, those to come included; with no page at all, nobody.
    pub fn new(institution: InstitutionId, pages: Option<Vec<NamePageId>>, newest_only: bool) -> Self {
        Self { institution, pages: pages.map(Into::into), newest_only }
    }

    /// The only pages that it reaches, where it does not reach all.
    pub fn pages(&self) -> Option<&[NamePageId]> {
        self.pages.as_deref()
    }

    pub fn reaches(&self, page: NamePageId) -> bool {
        self.pages.as_ref().is_none_or(|pages| pages.contains(&page))
    }

    /// Where people are looked for when a request names no page.
    pub fn within(&self) -> Within<'_> {
        match &self.pages {
            Some(pages) => Within::Pages(pages),
            None => Within::Institution,
        }
    }
}

/// Where people are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within<'a> {
    Institution,
    Page(NamePageId),
    /// `MOST_PAGES` at most.
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
        assert!(Access::new(institution, Some(vec![page]), false).reaches(page));
        assert!(!Access::new(institution, Some(vec![NamePageId::new(8)]), false).reaches(page));
        let none = Access::new(institution, Some(Vec::new()), false);
        assert!(!none.reaches(page));
        assert_eq!(none.within(), Within::Pages(&[]));
    }
}
