//! The actor behind a request. Faces (HTTP, command line) and workers create an `Actor`; use cases take it, or the `Access`
//! derived from it, and never a bare id of something that belongs to an institution (tenant). See
//! [ADR 17](../../docs/adr/0017-actors-and-scopes.md).
//!
//! A use case starts with one of these checks:
//!
//! | check | for |
//! |---|---|
//! | `administer(institution)` | managing one institution: its pages, tokens, learning systems, calls |
//! | `own(institution)` | what only owners may: members and their roles, single sign-on, deleting the institution |
//! | `manage(institution, page)` | running one name page: settings, people, invitations, moderation, exports |
//! | `managed(institution)` | lists over all name pages that the actor runs; returns which these are |
//! | `hear(institution, page)` | hearing everybody on one name page, whoever else may |
//! | `administered(only)` | lists of what is managed, of one institution or of all that the actor administers |
//! | `operate()` | managing the installation |
//! | `visit(institution)` | what everybody sees who comes to the institution's public pages |
//! | `represent(person)` | what a person does with their own data: the person, or an administrator |
//! | `provision(institution)` | users and groups of a directory: its connection, or an owner |
//! | `permit(action, institution)` | people, exports and courses; returns the `Access` with the actor's name pages |
//!
//! An institution that the actor does not reach is `Missing`; a reachable one where the actor lacks the permission is
//! `Forbidden`. A record that is named by its id alone is looked up within `reach`, then its institution is checked.
//!
//! To add a kind of actor, add a variant that holds the authenticated identity and create it where its session is looked up.
//! The private functions at the end of this file match all variants without a wildcard, so the build breaks until each of them
//! has an answer: which institutions the actor reaches, whether it administers or owns them, which name pages it runs,
//! whether it operates the installation, and which people it may read and change. Do not match on `Actor` elsewhere. If an
//! answer depends on more than the actor, add the parameter to the check.

use std::sync::Arc;

use super::{Caller, Error, Forbidden, Missing, Result};
use crate::domain::{
    access::{Access, Action, TokenScope},
    audit::{Who, WhoKind},
    ids::{InstitutionId, NamePageId},
    member::{Member, Role},
    scim::Connection,
    scope::Scope,
    session::PersonId,
};

#[derive(Debug, Clone)]
pub enum Actor {
    /// A client of the API, authenticated by its access token.
    Token(Arc<Caller>),
    /// A person who signed in, and acts for themselves.
    Person(PersonId),
    /// A person who signed in and has a role in the institution, as it is at this request (`members::actor_of`).
    Member(Arc<Member>),
    /// A directory that provisions people, authenticated by the token of its SCIM connection.
    Scim(Arc<Connection>),
    /// Somebody who has not signed in, on the public pages of this institution. Whoever they are has been proven by nothing.
    Visitor(InstitutionId),
    /// The operator, who runs commands on the server, or has a session that one of them has opened (`app/operators.rs`).
    Operator,
    /// The server itself: background jobs, schedules, and webhooks with a verified signature.
    System,
}

impl Actor {
    /// Checks that the actor may administer this institution.
    pub fn administer(&self, institution: InstitutionId) -> Result<()> {
        self.check_reach(institution)?;
        if self.is_administrator() { Ok(()) } else { Err(Error::Forbidden(Forbidden::Administration)) }
    }

    /// Checks that the actor may do what is reserved for owners of this institution.
    pub fn own(&self, institution: InstitutionId) -> Result<()> {
        self.administer(institution)?;
        if self.is_owner() { Ok(()) } else { Err(Error::Forbidden(Forbidden::Ownership)) }
    }

    /// Checks that the actor may run this name page of the institution. The page must be one of this institution.
    pub fn manage(&self, institution: InstitutionId, page: NamePageId) -> Result<()> {
        self.check_reach(institution)?;
        if self.is_administrator() || self.is_member(|member| member.manages(page)) {
            Ok(())
        } else {
            Err(Error::Forbidden(Forbidden::Administration))
        }
    }

    /// Checks that the actor runs name pages of the institution. Returns those that it is limited to, which may be none, or `None` for all.
    pub fn managed(&self, institution: InstitutionId) -> Result<Option<&[NamePageId]>> {
        self.check_reach(institution)?;
        if self.is_administrator() {
            return Ok(None);
        }
        let own = self.own_pages().ok_or(Error::Forbidden(Forbidden::Administration))?;
        Ok(Some(own))
    }

    /// Checks that the actor may hear everybody on this name page of the institution, even if only its managers may.
    pub fn hear(&self, institution: InstitutionId, page: NamePageId) -> Result<()> {
        self.check_reach(institution)?;
        if self.is_administrator() || self.is_member(|member| member.hears(page)) {
            Ok(())
        } else {
            Err(Error::Forbidden(Forbidden::Administration))
        }
    }

    /// Returns the institutions that the actor may administer, narrowed to one if given.
    pub fn administered(&self, only: Option<InstitutionId>) -> Result<Scope> {
        if let Some(institution) = only {
            self.administer(institution)?;
            return Ok(Scope::Institution(institution));
        }
        if self.is_administrator() {
            Ok(self.reach())
        } else {
            Err(Error::Forbidden(Forbidden::Administration))
        }
    }

    /// Returns the institutions that the actor owns, narrowed to one if given.
    pub fn owned(&self, only: Option<InstitutionId>) -> Result<Scope> {
        let scope = self.administered(only)?;
        if self.is_owner() { Ok(scope) } else { Err(Error::Forbidden(Forbidden::Ownership)) }
    }

    /// Checks that the actor may administer the installation with all its institutions.
    pub fn operate(&self) -> Result<()> {
        if self.is_operator() { Ok(()) } else { Err(Error::Forbidden(Forbidden::Administration)) }
    }

    /// Checks that the actor may see what the institution shows to everybody who comes to its pages.
    pub fn visit(&self, institution: InstitutionId) -> Result<()> {
        self.check_reach(institution)
    }

    /// Checks that the actor is this person, or administers their institution.
    pub fn represent(&self, person: &PersonId) -> Result<()> {
        if self.is_person(person) { Ok(()) } else { self.administer(person.institution) }
    }

    /// Checks that the actor may change users and groups of the institution's directory. Owners may do what they stand for, and more.
    pub fn provision(&self, institution: InstitutionId) -> Result<()> {
        self.check_reach(institution)?;
        if self.connection().is_some() { Ok(()) } else { self.own(institution) }
    }

    /// Returns which people of an institution the actor may access, if it may do this with people at all.
    pub fn permit(&self, action: Action, institution: InstitutionId) -> Result<Access> {
        let access = self.access(institution)?;
        access.check(action)?;
        Ok(access)
    }

    /// Returns which people of an institution the actor may access, for use cases that take an `Access`. They check the
    /// action.
    pub fn access(&self, institution: InstitutionId) -> Result<Access> {
        self.check_reach(institution)?;
        Ok(self.people(institution))
    }

    /// The actor's name in records of who has decided something.
    pub fn signature(&self) -> String {
        match self {
            Self::Token(_) => "api".to_owned(),
            Self::Person(person) => person.email_key.clone(),
            Self::Member(member) => member.email.clone(),
            Self::Scim(_) => "scim".to_owned(),
            Self::Visitor(_) => "visitor".to_owned(),
            Self::Operator => "operator".to_owned(),
            Self::System => "system".to_owned(),
        }
    }

    /// The actor in the audit log.
    pub(super) fn who(&self) -> Who {
        match self {
            Self::Token(caller) => caller.access.by.clone(),
            Self::Person(person) => Who::named(WhoKind::Person, &person.email_key),
            Self::Member(member) => Who::named(WhoKind::Member, &member.email),
            Self::Scim(connection) => Who::named(WhoKind::Scim, &connection.name),
            Self::Visitor(_) => Who::VISITOR,
            Self::Operator => Who::OPERATOR,
            Self::System => Who::SYSTEM,
        }
    }

    /// Do the records of this institution exist for the actor?
    pub(super) fn reaches(&self, institution: InstitutionId) -> bool {
        self.reach().includes(institution)
    }

    /// The person who has signed in, if the actor is one.
    pub(super) fn person(&self) -> Option<&PersonId> {
        match self {
            Self::Person(person) => Some(person),
            Self::Member(member) => Some(&member.person),
            Self::Token(_) | Self::Scim(_) | Self::Visitor(_) | Self::Operator | Self::System => None,
        }
    }

    /// The SCIM connection, if the actor is one.
    pub(super) fn connection(&self) -> Option<&Connection> {
        match self {
            Self::Scim(connection) => Some(connection),
            Self::Token(_)
            | Self::Person(_)
            | Self::Member(_)
            | Self::Visitor(_)
            | Self::Operator
            | Self::System => None,
        }
    }

    fn check_reach(&self, institution: InstitutionId) -> Result<()> {
        if self.reach().includes(institution) { Ok(()) } else { Err(Error::Missing(Missing::Institution)) }
    }

    /// Returns the institutions whose records exist for this actor. It does not follow that the actor may read or change
    /// them.
    pub(super) fn reach(&self) -> Scope {
        match self {
            Self::Token(caller) => Scope::Institution(caller.institution.id),
            Self::Person(person) => Scope::Institution(person.institution),
            Self::Member(member) => Scope::Institution(member.person.institution),
            Self::Scim(connection) => Scope::Institution(connection.institution),
            Self::Visitor(institution) => Scope::Institution(*institution),
            Self::Operator | Self::System => Scope::Installation,
        }
    }

    /// Returns whether the actor administers the institutions that it reaches. No token does: otherwise the holder of a
    /// token could create another with more permissions.
    fn is_administrator(&self) -> bool {
        match self {
            Self::Token(_) | Self::Person(_) | Self::Scim(_) | Self::Visitor(_) => false,
            Self::Member(member) => matches!(member.role, Role::Owner | Role::Admin),
            Self::Operator | Self::System => true,
        }
    }

    /// Returns whether the actor owns the institutions that it administers.
    fn is_owner(&self) -> bool {
        match self {
            Self::Token(_) | Self::Person(_) | Self::Scim(_) | Self::Visitor(_) => false,
            Self::Member(member) => member.role == Role::Owner,
            Self::Operator | Self::System => true,
        }
    }

    /// Returns whether the actor is a member who may do this in the institution that they reach.
    fn is_member(&self, may: impl FnOnce(&Member) -> bool) -> bool {
        match self {
            Self::Member(member) => may(member),
            Self::Token(_)
            | Self::Person(_)
            | Self::Scim(_)
            | Self::Visitor(_)
            | Self::Operator
            | Self::System => false,
        }
    }

    /// Returns the pages that the actor runs without being an administrator.
    fn own_pages(&self) -> Option<&[NamePageId]> {
        match self {
            Self::Member(member) => match member.role {
                Role::Manager => Some(&member.pages),
                Role::Owner | Role::Admin | Role::Reader => None,
            },
            Self::Token(_)
            | Self::Person(_)
            | Self::Scim(_)
            | Self::Visitor(_)
            | Self::Operator
            | Self::System => None,
        }
    }

    pub(super) fn is_person(&self, person: &PersonId) -> bool {
        match self {
            Self::Person(own) => own == person,
            Self::Member(member) => member.person == *person,
            Self::Token(_) | Self::Scim(_) | Self::Visitor(_) | Self::Operator | Self::System => false,
        }
    }

    pub(super) fn is_token(&self) -> bool {
        match self {
            Self::Token(_) => true,
            Self::Person(_)
            | Self::Member(_)
            | Self::Scim(_)
            | Self::Visitor(_)
            | Self::Operator
            | Self::System => false,
        }
    }

    fn is_operator(&self) -> bool {
        match self {
            Self::Token(_) | Self::Person(_) | Self::Member(_) | Self::Scim(_) | Self::Visitor(_) => false,
            Self::Operator | Self::System => true,
        }
    }

    /// Returns the people of a reachable institution that the actor may access, and the permitted actions.
    fn people(&self, institution: InstitutionId) -> Access {
        let people = match self {
            Self::Token(caller) => return caller.access.clone(),
            // People reach their own entries through `represent`, directories through `provision`, and visitors reach nobody.
            Self::Person(_) | Self::Scim(_) | Self::Visitor(_) => {
                Access::new(institution, TokenScope::Read, Some(Vec::new()), false)
            }
            Self::Member(member) => match member.role {
                Role::Owner | Role::Admin => Access::whole(institution),
                Role::Manager => {
                    Access::new(institution, TokenScope::Write, Some(member.pages.clone()), false)
                }
                Role::Reader => Access::new(institution, TokenScope::Read, Some(member.pages.clone()), false),
            },
            Self::Operator | Self::System => Access::whole(institution),
        };
        people.by(self.who())
    }
}
