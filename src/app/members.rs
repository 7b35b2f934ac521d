//! Members of an institution: who runs its name pages, and with which role. The role is looked up at each request, so that one
//! that was taken away ends at once.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    scim, tokens,
};
use crate::{
    domain::{
        access::MAX_PAGES,
        audit::{Act, SubjectKind},
        email::{Email, email_key},
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, NamePageId},
        member::{Member, Role},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        session::PersonId,
        token::{OnLeaving, Token},
        version::{check_base, version_of},
    },
    store::{
        Sql, members, name_pages, persons, rolls, scim_registrations, sessions, sign_ins, sso_groups,
        versions,
    },
};

/// Name pages that are shown to a member at once.
const MOST_PAGES: usize = 200;

/// Makes somebody a member, or replaces the role and the pages that they have. A new member is signed out everywhere: their
/// sessions were opened before anything depended on them.
pub async fn set(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email: Email,
    role: Role,
    pages: Vec<NamePageRef>,
) -> Result<Member> {
    replace(app, actor, institution, email, role, pages, Change::default()).await
}

/// What else is said when a member is changed.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// What was seen of them (`version`): if they are something else by now, nothing is changed (`SetupFault::Outdated`).
    pub base: Option<String>,
    /// What becomes of their access tokens if they administer the institution no more. Without it, nothing is changed if there are
    /// tokens (`SetupFault::TokensUndecided`).
    pub tokens: Option<OnLeaving>,
}

/// Tells whether somebody still has the same role and pages. `None` for somebody who is no member.
pub fn version(member: Option<&Member>) -> String {
    version_of(&member.map(|member| (member.role, &member.pages)))
}

/// `set`, and more.
pub async fn replace(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email: Email,
    role: Role,
    pages: Vec<NamePageRef>,
    change: Change,
) -> Result<Member> {
    actor.own(institution)?;
    // Another mailbox has the same key, and would share the role.
    if email.is_lookalike() {
        return Err(Error::invalid(Field::Email, Fault::Invalid));
    }
    if role.has_all_pages() && !pages.is_empty() {
        return Err(Error::invalid(Field::NamePages, SetupFault::AllNamePages));
    }
    if pages.len() > MAX_PAGES {
        return Err(Error::invalid(Field::NamePages, SetupFault::TooManyNamePages { most: MAX_PAGES }));
    }
    let (record, now) = (Record::new(app, actor, institution, Act::MemberSet), app.clock.now());
    let owned_app = app.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // With the lock, of two owners who are demoted at once the second one stays.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Err(Error::Missing(Missing::Institution));
                }
                let person = PersonId { institution, email_key: email.key().to_owned() };
                let before = members::find(sql, &person).await?;
                check_base(change.base.as_deref(), &version(before.as_ref()))?;
                if role != Role::Owner {
                    keep_an_owner(sql, before.as_ref()).await?;
                }
                let member = Member {
                    pages: ids(sql, institution, &pages).await?,
                    email: email.as_given().to_owned(),
                    created_at: before.as_ref().map_or(now, |before| before.created_at),
                    person,
                    role,
                };
                let old = before.as_ref().map_or(Json::Null, values);
                let log = record.clone();
                let left = tokens::left_behind(sql, before.as_ref(), Some(&member), now).await?;
                let kept = settle(sql, &owned_app, &record, &left, change.tokens, now).await?;
                let record = about(record, &member).change(old, audit::with(values(&member), kept));
                set_in(sql, &member, before.as_ref()).await?;
                // Whoever decides by hand decides for good: the role does not follow a group of a directory any more.
                scim_registrations::unmark_role(sql, institution, &member.person.email_key).await?;
                audit::write_change(sql, record).await?;
                if role == Role::Owner {
                    scim::release_owners(sql, &owned_app, institution, log).await?;
                }
                if !left.is_empty() {
                    versions::callers_changed(sql).await?;
                }
                Ok(member)
            })
        })
        .await
}

/// Does with the tokens of somebody who leaves what was decided. Returns what the log says of them. The caller ends the transaction with
/// `versions::callers_changed`.
async fn settle(
    sql: &mut Sql,
    app: &App,
    record: &Record,
    left: &[Token],
    decided: Option<OnLeaving>,
    now: Moment,
) -> Result<Json> {
    match decided {
        _ if left.is_empty() => Ok(json!({})),
        None => Err(Error::invalid(Field::Tokens, SetupFault::TokensUndecided)),
        Some(OnLeaving::Keep) => Ok(tokens::kept(left)),
        Some(OnLeaving::Revoke) => {
            tokens::revoke_in(sql, app, record, left, now).await?;
            Ok(json!({}))
        }
    }
}

pub(super) fn about(record: Record, member: &Member) -> Record {
    let key = &member.person.email_key;
    record.about(SubjectKind::Person, key, &member.email).person(key)
}

pub(super) fn values(member: &Member) -> Json {
    let pages: Vec<String> = member.pages.iter().map(ToString::to_string).collect();
    json!({ "email": member.email, "role": member.role.word(), "name_pages": (!pages.is_empty()).then_some(pages) })
}

/// Writes a member inside a transaction that holds the institution's lock and has kept an owner.
pub(super) async fn set_in(sql: &mut Sql, member: &Member, before: Option<&Member>) -> Result<()> {
    members::set(sql, member).await?;
    if before.is_none_or(|before| !before.email.eq_ignore_ascii_case(&member.email)) {
        sessions::delete_all_of(sql, member.person.institution, &member.person.email_key).await?;
        sign_ins::delete_of(sql, &member.person).await?;
    }
    Ok(())
}

pub(super) async fn ids(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageRef],
) -> Result<Vec<NamePageId>> {
    let mut ids = Vec::with_capacity(pages.len());
    for page in pages {
        let found = name_pages::find(sql, institution, page).await?;
        ids.push(found.ok_or(Error::Missing(Missing::NamePage))?.id);
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Fails if this member is the only owner. The caller holds the institution's lock.
pub(super) async fn keep_an_owner(sql: &mut Sql, leaving: Option<&Member>) -> Result<()> {
    if let Some(leaving) = leaving
        && is_last_owner(sql, leaving).await?
    {
        return Err(Error::invalid(Field::Role, SetupFault::LastOwner));
    }
    Ok(())
}

pub(super) async fn is_last_owner(sql: &mut Sql, member: &Member) -> Result<bool> {
    Ok(member.role == Role::Owner && members::owners(sql, member.person.institution).await? <= 1)
}

/// All members, each with the slugs of their pages. Owners and admins have all pages, and none is listed.
pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<(Member, Vec<String>)>> {
    actor.own(institution)?;
    let sql = &mut app.db.read();
    let all = members::all(sql, institution).await?;
    let mut pages: Vec<NamePageId> = all.iter().flat_map(|member| member.pages.iter().copied()).collect();
    pages.sort_unstable();
    pages.dedup();
    let pages = name_pages::by_ids(sql, institution, &pages).await?;
    let slugs: HashMap<NamePageId, String> = pages.into_iter().map(|page| (page.id, page.slug)).collect();
    Ok(all
        .into_iter()
        .map(|member| {
            let of_member = member.pages.iter().filter_map(|page| slugs.get(page).cloned()).collect();
            (member, of_member)
        })
        .collect())
}

/// A part of the members of an institution, by email.
#[derive(Debug, Default)]
pub struct Listed {
    /// Each with the titles of their pages. Owners and admins have all pages, and none is listed.
    pub members: Vec<(Member, Vec<String>)>,
    /// The keys of those who have their role from a group of single sign-on.
    pub by_group: HashSet<String>,
    /// How many owners the institution has.
    pub owners: i64,
}

/// Members behind this key of an email address, for admins too: they see who has a role, and change nothing. The pages of the members
/// are left out, except for their titles.
pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    behind: &str,
    most: usize,
) -> Result<Listed> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let found = members::behind(sql, institution, behind, i64::try_from(most).unwrap_or(i64::MAX)).await?;
    let (mut titles, by_group) = match (found.first(), found.last()) {
        (Some(first), Some(last)) => {
            let range = (first.person.email_key.as_str(), last.person.email_key.as_str());
            let titles = members::titles(sql, institution, range).await?;
            (titles, sso_groups::members(sql, institution, range).await?)
        }
        _ => (HashMap::new(), HashSet::new()),
    };
    let owners = members::owners(sql, institution).await?;
    let with_titles = |member: Member| {
        let of_member = titles.remove(&member.person.email_key).unwrap_or_default();
        (member, of_member)
    };
    Ok(Listed { members: found.into_iter().map(with_titles).collect(), by_group, owners })
}

/// Takes the role from somebody. If they are registered on no name page, they are signed out everywhere. `decided` is what becomes of
/// the access tokens that they made and know: without it, nothing is changed if there are any (`SetupFault::TokensUndecided`).
pub async fn remove(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    email: &str,
    decided: Option<OnLeaving>,
) -> Result<()> {
    actor.own(institution)?;
    let (now, owned_app) = (app.clock.now(), app.clone());
    let person = PersonId { institution, email_key: email_key(email) };
    let record = Record::new(app, actor, institution, Act::MemberRemoved);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let member = members::find(sql, &person).await?.ok_or(Error::Missing(Missing::Member))?;
                keep_an_owner(sql, Some(&member)).await?;
                let left = tokens::left_behind(sql, Some(&member), None, now).await?;
                let kept = settle(sql, &owned_app, &record, &left, decided, now).await?;
                remove_in(sql, &person).await?;
                let record = about(record, &member).change(values(&member), kept);
                audit::write(sql, &[record]).await?;
                if !left.is_empty() {
                    versions::callers_changed(sql).await?;
                }
                Ok(())
            })
        })
        .await
}

/// `remove` inside a transaction that holds the institution's lock and has kept an owner.
pub(super) async fn remove_in(sql: &mut Sql, person: &PersonId) -> Result<()> {
    members::delete(sql, person).await?;
    scim_registrations::unmark_role(sql, person.institution, &person.email_key).await?;
    persons::delete_unregistered(sql, person.institution, &person.email_key).await?;
    Ok(())
}

/// The member who this person is, if they are one.
pub async fn find(app: &App, person: &PersonId) -> Result<Option<Member>> {
    Ok(members::find(&mut app.db.read(), person).await?)
}

/// Who acts when this person has signed in: the member that they are, or only the person. Not for sessions that were opened by
/// something weaker than a proof of the address; see `SignedIn::member_actor`.
pub async fn actor_of(app: &App, person: &PersonId) -> Result<Actor> {
    Ok(match find(app, person).await? {
        Some(member) => Actor::Member(Arc::new(member)),
        None => Actor::Person(person.clone()),
    })
}

/// The name pages that concern a person who may be registered on none of them.
#[derive(Debug, Default)]
pub struct OwnPages {
    pub role: Option<Role>,
    /// Those that they run or hear by their role, newest first.
    pub of_role: Vec<NamePage>,
    /// Those on which they may register.
    pub open: Vec<NamePage>,
}

impl OwnPages {
    pub fn is_empty(&self) -> bool {
        self.of_role.is_empty() && self.open.is_empty()
    }

    /// Are there, or may there be, older pages than those of `of_role`?
    pub fn is_cut(&self) -> bool {
        self.of_role.len() >= MOST_PAGES
    }
}

/// The pages that a person runs, hears or may register on. Archived ones are left out.
pub async fn own_pages(app: &App, actor: &Actor, person: &PersonId) -> Result<OwnPages> {
    actor.represent(person)?;
    let sql = &mut app.db.read();
    let role = members::find(sql, person).await?.map(|member| member.role);
    let of_role = match role {
        None => Vec::new(),
        Some(role) if role.has_all_pages() => {
            members::newest_pages(sql, person.institution, MOST_PAGES as i64).await?
        }
        Some(_) => members::pages_of(sql, person, MOST_PAGES as i64).await?,
    };
    let open = members::open_to(sql, person, app.clock.now()).await?;
    Ok(OwnPages { role, of_role, open })
}
