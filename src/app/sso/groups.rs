//! Roles by group: the rules of a connection, and what they do when somebody signs in.

use serde_json::{Value as Json, json};

use super::{
    super::{
        Actor, App, Error, Missing, Result,
        audit::{self, Record},
        members::{self, keep_an_owner},
        scim, tokens,
    },
    find,
};
use crate::{
    domain::{
        access::MAX_PAGES,
        audit::{Act, SubjectKind, Who, WhoKind},
        email::Email,
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, NamePageId, SsoConnectionId},
        member::{Member, Role},
        moment::Moment,
        name_page::NamePageRef,
        session::PersonId,
        sso::Connection,
        sso_groups::{GroupRole, role_of},
        text::{self, Lines, longest},
        version::{check_base, version_of},
    },
    store::{self, Sql, persons, rolls, scim_users, sessions, sign_ins, sso_groups},
};

/// How a connection gives roles.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// The claim with the groups of a person.
    pub claim: String,
    pub rules: Vec<GroupRole>,
}

impl Mapping {
    /// Tells whether it is still the same.
    pub fn version(&self) -> String {
        version_of(&(&self.claim, &self.rules))
    }
}

pub async fn mapping(app: &App, actor: &Actor, id: SsoConnectionId) -> Result<Mapping> {
    let institution = find(app, actor, id).await?.institution;
    mapping_in(&mut app.db.read(), institution, id).await
}

async fn mapping_in(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<Mapping> {
    let claim = sso_groups::claim(sql, institution, id).await?;
    let claim = claim.ok_or(Error::Missing(Missing::SsoConnection))?;
    Ok(Mapping { claim, rules: sso_groups::rules(sql, institution, id).await? })
}

fn check_name(name: &str) -> Result<()> {
    let fault = match text::is_blank(name) {
        true => Some(Fault::Blank),
        false => text::fault(name, longest::NAME, Lines::One),
    };
    fault.map_or(Ok(()), |fault| Err(Error::invalid(Field::Name, fault)))
}

fn values(rule: &GroupRole) -> Json {
    let pages: Vec<String> = rule.pages.iter().map(ToString::to_string).collect();
    json!({ "group": rule.group, "role": rule.role.word(), "name_pages": (!pages.is_empty()).then_some(pages) })
}

fn record(app: &App, actor: &Actor, connection: &Connection) -> Record {
    let record = Record::new(app, actor, connection.institution, Act::SsoUpdated);
    record.about(SubjectKind::SsoConnection, connection.id, &connection.name)
}

/// Gives everybody in a group a role, from their next sign-in on. Replaces the rule of the same group. `base` is the version of the
/// mapping that was seen: if it has another one by now, nothing is changed (`SetupFault::Outdated`).
pub async fn map_group(
    app: &App,
    actor: &Actor,
    id: SsoConnectionId,
    group: &str,
    role: Role,
    pages: Vec<NamePageRef>,
    base: Option<String>,
) -> Result<GroupRole> {
    let connection = find(app, actor, id).await?;
    let (institution, group) = (connection.institution, group.trim().to_owned());
    check_name(&group)?;
    if role.has_all_pages() && !pages.is_empty() {
        return Err(Error::invalid(Field::NamePages, SetupFault::AllNamePages));
    }
    if pages.len() > MAX_PAGES {
        return Err(Error::invalid(Field::NamePages, SetupFault::TooManyNamePages { most: MAX_PAGES }));
    }
    let record = record(app, actor, &connection);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let known = store::sso::lock(sql, institution, id).await?;
                known.ok_or(Error::Missing(Missing::SsoConnection))?;
                let before = mapping_in(sql, institution, id).await?;
                check_base(base.as_deref(), &before.version())?;
                let before = before.rules.into_iter().find(|rule| rule.group == group);
                let rule = GroupRole { pages: members::ids(sql, institution, &pages).await?, group, role };
                sso_groups::set(sql, institution, id, &rule).await?;
                let record = record.change(before.as_ref().map_or(Json::Null, values), values(&rule));
                audit::write_change(sql, record).await?;
                Ok(rule)
            })
        })
        .await
}

/// Deletes the rule of a group. Who has their role from it loses it with their next sign-in.
pub async fn unmap_group(app: &App, actor: &Actor, id: SsoConnectionId, group: &str) -> Result<()> {
    let connection = find(app, actor, id).await?;
    let (institution, group) = (connection.institution, group.trim().to_owned());
    let record = record(app, actor, &connection);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let before = sso_groups::rules(sql, institution, id).await?;
                let Some(rule) = before.into_iter().find(|rule| rule.group == group) else { return Ok(()) };
                sso_groups::delete(sql, institution, id, &rule.group).await?;
                Ok(audit::write(sql, &[record.change(values(&rule), Json::Null)]).await?)
            })
        })
        .await
}

/// Sets the claim with the groups of a person. `base` is as in `map_group`.
pub async fn set_groups_claim(
    app: &App,
    actor: &Actor,
    id: SsoConnectionId,
    claim: &str,
    base: Option<String>,
) -> Result<()> {
    let connection = find(app, actor, id).await?;
    let (institution, claim) = (connection.institution, claim.trim().to_owned());
    check_name(&claim)?;
    let record = record(app, actor, &connection);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let before = mapping_in(sql, institution, id).await?;
                check_base(base.as_deref(), &before.version())?;
                sso_groups::set_claim(sql, institution, id, &claim).await?;
                let before = json!({ "groups_claim": before.claim });
                let record = record.change(before, json!({ "groups_claim": claim }));
                audit::write_change(sql, record).await
            })
        })
        .await
}

/// What a sign-in through a connection looks at.
pub(super) struct Wanted {
    pub claim: String,
    rules: Vec<GroupRole>,
}

/// `None` if the connection gives no roles, and has given none to this person.
pub(super) async fn wanted(app: &App, connection: &Connection, person: &PersonId) -> Result<Option<Wanted>> {
    let sql = &mut app.db.read();
    let rules = sso_groups::rules(sql, connection.institution, connection.id).await?;
    if rules.is_empty() && !sso_groups::gave(sql, person, connection.id).await? {
        return Ok(None);
    }
    let claim = sso_groups::claim(sql, connection.institution, connection.id).await?;
    Ok(claim.map(|claim| Wanted { claim, rules }))
}

/// Gives somebody who signs in the role of their groups, or takes it away. A role that was given by hand, or by another connection,
/// stays, and so does the last owner. Whom a directory has disabled gets none.
pub(super) async fn apply(
    app: &App,
    connection: &Connection,
    email: &Email,
    wanted: &Wanted,
    groups: &[String],
) -> Result<()> {
    let (institution, id, now) = (connection.institution, connection.id, app.clock.now());
    let person = PersonId { institution, email_key: email.key().to_owned() };
    let role = match scim_users::is_disabled(&mut app.db.read(), &person).await? {
        true => None,
        false => role_of(&wanted.rules, groups),
    };
    // The reads avoid occupying the database's single writer at every sign-in.
    let before = store::members::find(&mut app.db.read(), &person).await?;
    let is_given = sso_groups::gave(&mut app.db.read(), &person, id).await?;
    let is_same = match (&before, &role) {
        (None, None) => true,
        (Some(before), Some((role, pages))) => before.role == *role && before.pages == *pages,
        _ => false,
    };
    if is_same || (before.is_some() && !is_given) {
        return Ok(());
    }
    let who = Who::named(WhoKind::System, &connection.name);
    let act = if role.is_some() { Act::MemberSet } else { Act::MemberRemoved };
    let record = Record::by(app, who, institution, act);
    let (address, owned_app) = (email.as_given().to_owned(), app.clone());
    let changed = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            if !rolls::lock_if_there(sql, institution).await? {
                return Err(Error::Missing(Missing::Institution));
            }
            // A directory may have disabled them since the read above.
            if role.is_some() && scim_users::is_disabled(sql, &person).await? {
                return Ok(());
            }
            let before = store::members::find(sql, &person).await?;
            if before.is_some() && !sso_groups::gave(sql, &person, id).await? {
                return Ok(());
            }
            if role.as_ref().is_none_or(|(role, _)| *role != Role::Owner) {
                keep_an_owner(sql, before.as_ref()).await?;
            }
            let Some((role, pages)) = role else { return take(sql, record, before, now).await };
            let member = Member {
                pages: existing(sql, &person, pages).await?,
                email: before.as_ref().map_or(address, |before| before.email.clone()),
                created_at: before.as_ref().map_or(now, |before| before.created_at),
                person,
                role,
            };
            store::members::set(sql, &member).await?;
            sso_groups::mark(sql, &member.person, id).await?;
            if before.is_none() {
                // Their sessions were opened before anything depended on them.
                sessions::delete_all_of(sql, institution, &member.person.email_key).await?;
                sign_ins::delete_of(sql, &member.person).await?;
            }
            let (old, log) = (before.as_ref().map_or(Json::Null, members::values), record.clone());
            // Nobody can be asked about their tokens.
            let kept = tokens::kept(&tokens::left_behind(sql, before.as_ref(), Some(&member), now).await?);
            let new = audit::with(members::values(&member), kept);
            audit::write_change(sql, members::about(record, &member).change(old, new)).await?;
            if role == Role::Owner {
                scim::release_owners(sql, &owned_app, institution, log).await?;
            }
            Ok(())
        })
    });
    match changed.await {
        Err(Error::Invalid(errors)) if errors.has(&Field::Role) => {
            tracing::warn!(connection = %id, "the last owner keeps the role, although no group gives it");
            Ok(())
        }
        other => other,
    }
}

/// Without pages that were deleted since the rule was made, and not more than a member may have.
async fn existing(sql: &mut Sql, person: &PersonId, pages: Vec<NamePageId>) -> Result<Vec<NamePageId>> {
    let mut found = Vec::with_capacity(pages.len());
    for page in pages.into_iter().take(MAX_PAGES) {
        let Some(reference) = NamePageRef::parse(&page.to_string()) else { continue };
        if store::name_pages::find(sql, person.institution, &reference)
            .await?
            .is_some_and(|one| one.id == page)
        {
            found.push(page);
        }
    }
    Ok(found)
}

async fn take(sql: &mut Sql, record: Record, before: Option<Member>, now: Moment) -> Result<()> {
    let Some(member) = before else { return Ok(()) };
    let person = &member.person;
    store::members::delete(sql, person).await?;
    persons::delete_unregistered(sql, person.institution, &person.email_key).await?;
    let kept = tokens::kept(&tokens::left_behind(sql, Some(&member), None, now).await?);
    let record = members::about(record, &member).change(members::values(&member), kept);
    Ok(audit::write(sql, &[record]).await?)
}
