//! Groups of a directory, and what they stand for.

mod changes;

use std::{collections::HashMap, slice};

use serde_json::Value;

use super::{
    Listed, Lookup, Matches, Query, compared, lookup,
    write::{Change, Written, catch_up, unexpected, write},
};
use crate::{
    app::{Actor, App, Error, Missing, Result},
    domain::{
        access::MAX_PAGES,
        fault::{Fault as SettingFault, Field, SetupFault},
        ids::{InstitutionId, NamePageId, ScimGroupId, ScimUserId},
        member::Role,
        name_page::{NamePage, NamePageRef},
        scim::{
            Fault,
            group::{Group, GroupPatch, Mapping, StoredGroup, display_name_key},
            schema::GROUPS,
        },
        version::version_of,
    },
    store::{self, Sql, scim_groups},
};

/// A group with its members, unless nobody wants to know them.
#[derive(Debug)]
pub struct GroupView {
    pub stored: StoredGroup,
    pub members: Option<Vec<ScimUserId>>,
}

/// A group as the operator and owners see it.
#[derive(Debug)]
pub struct GroupSummary {
    pub id: ScimGroupId,
    pub display_name: String,
    pub role: Option<Role>,
    /// The name page, or those of the role.
    pub pages: Vec<NamePage>,
    /// Changes with what it stands for.
    pub version: String,
}

impl GroupSummary {
    /// The pages of the group are among these.
    fn new(group: StoredGroup, pages: &HashMap<NamePageId, NamePage>) -> Self {
        Self {
            id: group.id,
            display_name: group.group.display_name,
            role: group.mapping.role(),
            pages: group.mapping.pages().iter().filter_map(|id| pages.get(id).cloned()).collect(),
            version: version(&group.mapping),
        }
    }
}

/// What a group shall stand for.
#[derive(Debug, Clone)]
pub enum Target {
    Nothing,
    Page(NamePageRef),
    /// A manager or reader has pages, others have all of them.
    Role(Role, Vec<NamePageRef>),
}

/// A part of a list ends when its groups have so many members, which are all in memory.
const MOST_MEMBERS: usize = 100_000;

pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    body: &Value,
    with_members: bool,
) -> Result<GroupView> {
    actor.provision(institution)?;
    let (group, members) = Group::read(body)?;
    let members = users(&members.unwrap_or_default())?;
    viewed(write(app, actor, institution, Change::CreateGroup { group, members, with_members }).await?)
}

pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
    with_members: bool,
) -> Result<GroupView> {
    actor.provision(institution)?;
    view(&mut app.db.read(), institution, id, with_members).await
}

pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    query: &Query,
    with_members: bool,
) -> Result<Listed<GroupView>> {
    actor.provision(institution)?;
    catch_up(app, actor, institution).await?;
    let sql = &mut app.db.read();
    let Listed { total, resources } = matching(sql, institution, query).await?;
    let (mut views, mut members) = (Vec::with_capacity(resources.len()), 0);
    for stored in resources {
        // Fewer resources than asked for are possible (RFC 7644, 3.4.2.4): the next part of the list begins with this one.
        if members >= MOST_MEMBERS {
            break;
        }
        let view = with(sql, institution, stored, with_members).await?;
        members += view.members.as_ref().map_or(0, Vec::len);
        views.push(view);
    }
    Ok(Listed { total, resources: views })
}

/// Without members in the body, those of the group stay.
pub async fn replace(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
    body: &Value,
    with_members: bool,
) -> Result<GroupView> {
    actor.provision(institution)?;
    let (group, members) = Group::read(body)?;
    let members = members.map(|members| users(&members)).transpose()?;
    viewed(write(app, actor, institution, Change::ReplaceGroup { id, group, members, with_members }).await?)
}

/// Returns nothing: the group may have very many members.
pub async fn patch(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
    body: &Value,
) -> Result<()> {
    actor.provision(institution)?;
    write(app, actor, institution, Change::PatchGroup(id, GroupPatch::parse(body)?)).await.map(drop)
}

/// Whoever was registered because of it is hidden, unless another group says otherwise. The name page stays.
pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, id: ScimGroupId) -> Result<()> {
    actor.provision(institution)?;
    write(app, actor, institution, Change::DeleteGroup(id)).await.map(drop)
}

/// Groups behind this one in the order of their creation, with what they stand for and the numbers of their members.
pub async fn summaries(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    after: Option<ScimGroupId>,
    most: usize,
) -> Result<Vec<(GroupSummary, i64)>> {
    actor.own(institution)?;
    let sql = &mut app.db.read();
    let after = after.unwrap_or(ScimGroupId::new(i64::MIN));
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let groups = scim_groups::after(sql, institution, after, most).await?;
    let ids: Vec<ScimGroupId> = groups.iter().map(|group| group.id).collect();
    let counts = scim_groups::member_counts(sql, institution, &ids).await?;
    let pages = pages_of(sql, institution, &groups).await?;
    let summary = |group: StoredGroup| {
        let members = counts.get(&group.id).copied().unwrap_or(0);
        (GroupSummary::new(group, &pages), members)
    };
    Ok(groups.into_iter().map(summary).collect())
}

/// A group, with what it stands for.
pub async fn summary(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
) -> Result<GroupSummary> {
    actor.own(institution)?;
    let sql = &mut app.db.read();
    let group = found(sql, institution, id).await?;
    let pages = pages_of(sql, institution, slice::from_ref(&group)).await?;
    Ok(GroupSummary::new(group, &pages))
}

async fn pages_of(
    sql: &mut Sql,
    institution: InstitutionId,
    groups: &[StoredGroup],
) -> Result<HashMap<NamePageId, NamePage>> {
    let mut ids: Vec<NamePageId> =
        groups.iter().flat_map(|group| group.mapping.pages().iter().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    let pages = store::name_pages::by_ids(sql, institution, &ids).await?;
    Ok(pages.into_iter().map(|page| (page.id, page)).collect())
}

/// Finds a group by its name, or by its id.
pub async fn named(app: &App, actor: &Actor, institution: InstitutionId, name: &str) -> Result<ScimGroupId> {
    actor.own(institution)?;
    let sql = &mut app.db.read();
    let mut found = scim_groups::by_name(sql, institution, &display_name_key(name)).await?;
    if found.is_none()
        && let Ok(id) = name.parse()
    {
        found = scim_groups::find(sql, institution, id).await?;
    }
    Ok(found.ok_or(Error::Missing(Missing::ScimGroup))?.id)
}

/// Identifies what a group stands for.
fn version(mapping: &Mapping) -> String {
    version_of(mapping)
}

/// Sets what a group stands for. Registrations and roles of all members follow. `base` is the version that was seen: if the group
/// has another one by now, nothing is changed (`SetupFault::Outdated`).
pub async fn map(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
    target: Target,
    base: Option<String>,
) -> Result<()> {
    actor.own(institution)?;
    if let Target::Role(role, pages) = &target {
        if role.has_all_pages() && !pages.is_empty() {
            return Err(Error::invalid(Field::NamePages, SetupFault::AllNamePages));
        }
        if !role.has_all_pages() && pages.is_empty() {
            return Err(Error::invalid(Field::NamePages, SettingFault::Blank));
        }
        if pages.len() > MAX_PAGES {
            return Err(Error::invalid(Field::NamePages, SetupFault::TooManyNamePages { most: MAX_PAGES }));
        }
    }
    write(app, actor, institution, Change::Map(id, target, base)).await.map(drop)
}

fn viewed(written: Written) -> Result<GroupView> {
    match written {
        Written::Group(view) => Ok(*view),
        Written::User(_) | Written::Nothing => Err(unexpected()),
    }
}

/// The ids of users who are to be members.
fn users(ids: &[String]) -> Result<Vec<ScimUserId>> {
    let parsed = ids.iter().map(|id| id.parse().map_err(|_| nobody(id)));
    Ok(parsed.collect::<Result<Vec<ScimUserId>, Fault>>()?)
}

fn nobody(id: &str) -> Fault {
    Fault::value(format!("there is no user with the id {id}"))
}

async fn matching(sql: &mut Sql, institution: InstitutionId, query: &Query) -> Result<Listed<StoredGroup>> {
    let Some(filter) = &query.filter else {
        let total = usize::try_from(scim_groups::count(sql, institution).await?).unwrap_or_default();
        let place = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
        let part = (place(query.skipped), place(query.most));
        return Ok(Listed { total, resources: scim_groups::page(sql, institution, part).await? });
    };
    let mut matches = Matches::new(query);
    if let Some(lookup) = lookup(&GROUPS, filter) {
        let found: Vec<StoredGroup> = match lookup {
            Lookup::Id(id) => match id.parse() {
                Ok(id) => scim_groups::find(sql, institution, id).await?.into_iter().collect(),
                Err(_) => Vec::new(),
            },
            Lookup::ExternalId(id) => scim_groups::by_external_id(sql, institution, id).await?,
            Lookup::Name(name) => {
                let found = scim_groups::by_name(sql, institution, &display_name_key(name)).await?;
                found.into_iter().collect()
            }
        };
        found.into_iter().for_each(|one| matches.add(one));
        return Ok(matches.listed);
    }
    let mut last = ScimGroupId::new(i64::MIN);
    loop {
        let group = scim_groups::after(sql, institution, last, super::COMPARED).await?;
        let Some(end) = group.last() else { return Ok(matches.listed) };
        last = end.id;
        matches.check(group.len())?;
        for one in group {
            let whole = compared(&one.group.resource, one.id.to_string(), (one.created_at, one.updated_at));
            if filter.matches(&GROUPS, &whole) {
                matches.add(one);
            }
        }
        // With SQLite, nothing else would run on this thread.
        tokio::task::yield_now().await;
    }
}

async fn with(
    sql: &mut Sql,
    institution: InstitutionId,
    stored: StoredGroup,
    with_members: bool,
) -> Result<GroupView> {
    let members = match with_members {
        true => Some(scim_groups::members(sql, institution, stored.id).await?),
        false => None,
    };
    Ok(GroupView { stored, members })
}

pub(super) async fn view(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ScimGroupId,
    with_members: bool,
) -> Result<GroupView> {
    let stored = found(sql, institution, id).await?;
    with(sql, institution, stored, with_members).await
}

async fn found(sql: &mut Sql, institution: InstitutionId, id: ScimGroupId) -> Result<StoredGroup> {
    scim_groups::find(sql, institution, id).await?.ok_or(Error::Missing(Missing::ScimGroup))
}
