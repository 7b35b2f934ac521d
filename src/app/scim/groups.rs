//! Groups of a directory, and what they stand for.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::{
    Listed, Lookup, Matches, Query, compared,
    log::{Moved, of_group},
    lookup,
    settle::Settling,
    taken,
    write::{Change, Written, catch_up, unexpected, write},
};
use crate::{
    app::{Actor, App, Error, Missing, Result, audit, name_pages},
    domain::{
        access::MAX_PAGES,
        audit::Act,
        fault::{Fault as SettingFault, Field, SetupFault},
        ids::{InstitutionId, NamePageId, ScimGroupId, ScimUserId},
        matching::clean,
        member::Role,
        name_page::{NamePage, NamePageRef},
        scim::{
            Fault,
            group::{Group, GroupPatch, Mapping, MemberChange, StoredGroup, display_name_key},
            schema::GROUPS,
        },
        text::longest,
    },
    store::{self, Sql, scim_groups, scim_users},
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
    pub members: i64,
    pub role: Option<Role>,
    /// The name page, or those of the role.
    pub pages: Vec<NamePage>,
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

/// All groups, with what they stand for.
pub async fn summaries(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<GroupSummary>> {
    actor.own(institution)?;
    let sql = &mut app.db.read();
    let mut counts = scim_groups::member_counts(sql, institution).await?;
    let mut pages: HashMap<NamePageId, NamePage> = HashMap::new();
    for archived in [false, true] {
        let all = store::name_pages::all(sql, institution, archived).await?;
        pages.extend(all.into_iter().map(|(page, _)| (page.id, page)));
    }
    let summary = |group: StoredGroup| {
        let (role, ids) = match group.mapping {
            Mapping::Nothing => (None, Vec::new()),
            Mapping::Page(page) => (None, vec![page]),
            Mapping::Role(role, pages) => (Some(role), pages),
        };
        GroupSummary {
            id: group.id,
            display_name: group.group.display_name,
            members: counts.remove(&group.id).unwrap_or(0),
            role,
            pages: ids.iter().filter_map(|id| pages.get(id).cloned()).collect(),
        }
    };
    let all = scim_groups::after(sql, institution, ScimGroupId::new(i64::MIN), i64::MAX).await?;
    Ok(all.into_iter().map(summary).collect())
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

/// Sets what a group stands for. Registrations and roles of all members follow.
pub async fn map(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    id: ScimGroupId,
    target: Target,
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
    write(app, actor, institution, Change::Map(id, target)).await.map(drop)
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

async fn page_id(sql: &mut Sql, institution: InstitutionId, page: &NamePageRef) -> Result<NamePageId> {
    let found = store::name_pages::find(sql, institution, page).await?;
    Ok(found.ok_or(Error::Missing(Missing::NamePage))?.id)
}

/// The following run in the transaction of `write`.
impl Settling {
    pub(super) async fn create_group(
        &mut self,
        sql: &mut Sql,
        group: Group,
        members: Vec<ScimUserId>,
    ) -> Result<ScimGroupId> {
        let (institution, now) = (self.context.institution, self.context.now);
        let id = self.context.app.ids.id(now);
        let mut new = StoredGroup {
            id,
            connection: self.context.connection,
            group,
            mapping: Mapping::Nothing,
            created_at: now,
            updated_at: now,
        };
        check_free(sql, institution, &new).await?;
        scim_groups::insert(sql, institution, &new).await?;
        if self.context.makes_pages
            && let Some(title) = clean(&new.group.display_name, longest::TITLE)
        {
            let page = name_pages::create_in(sql, &self.context.app, institution, &title, now).await?;
            new.mapping = Mapping::Page(page.id);
            scim_groups::map(sql, institution, id, &new.mapping).await?;
            let record = name_pages::about(self.context.record(Act::NamePageCreated), &page);
            let after = json!({ "title": page.title, "slug": page.slug });
            audit::write(sql, &[record.change(Value::Null, after)]).await?;
        }
        let moved = self.add_members(sql, id, members).await?;
        let values = (Value::Null, audit::with(of_group(&new), moved.values()));
        self.context.log_group(sql, Act::ScimGroupCreated, &new, values).await?;
        Ok(id)
    }

    pub(super) async fn replace_group(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        group: Group,
        members: Option<Vec<ScimUserId>>,
    ) -> Result<()> {
        let stored = found(sql, self.context.institution, id).await?;
        self.update_group(sql, &stored, group).await?;
        let moved = match members {
            Some(members) => self.replace_members(sql, id, members).await?,
            None => Moved::default(),
        };
        self.log_update(sql, &stored, moved).await
    }

    pub(super) async fn patch_group(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        patch: GroupPatch,
    ) -> Result<()> {
        let stored = found(sql, self.context.institution, id).await?;
        let changed = stored.group.patched(patch.rest)?;
        self.update_group(sql, &stored, changed).await?;
        let mut moved = Moved::default();
        for change in patch.members {
            moved = moved.and(match change {
                MemberChange::Add(ids) => self.add_members(sql, id, users(&ids)?).await?,
                MemberChange::Replace(ids) => self.replace_members(sql, id, users(&ids)?).await?,
                // Whoever is not there has left already.
                MemberChange::Remove(ids) => {
                    let ids: Vec<ScimUserId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
                    self.remove_members(sql, id, &ids).await?
                }
            });
        }
        self.log_update(sql, &stored, moved).await
    }

    /// Writes what has become of a group since it was read. A directory that sends the same again fills no log.
    async fn log_update(&self, sql: &mut Sql, before: &StoredGroup, moved: Moved) -> Result<()> {
        let after = found(sql, self.context.institution, before.id).await?;
        if after.group == before.group && moved.is_nobody() {
            return Ok(());
        }
        let values = (of_group(before), audit::with(of_group(&after), moved.values()));
        self.context.log_group(sql, Act::ScimGroupUpdated, &after, values).await
    }

    /// The title of a name page stays: people know it.
    async fn update_group(&mut self, sql: &mut Sql, stored: &StoredGroup, changed: Group) -> Result<()> {
        if stored.group == changed {
            return Ok(());
        }
        let changed = StoredGroup { group: changed, updated_at: self.context.now, ..stored.clone() };
        check_free(sql, self.context.institution, &changed).await?;
        Ok(scim_groups::update(sql, self.context.institution, &changed).await?)
    }

    pub(super) async fn delete_group(&mut self, sql: &mut Sql, id: ScimGroupId) -> Result<()> {
        let institution = self.context.institution;
        let gone = found(sql, institution, id).await?;
        let members = scim_groups::members(sql, institution, id).await?;
        scim_groups::delete(sql, institution, id).await?;
        self.context.log_group(sql, Act::ScimGroupDeleted, &gone, (of_group(&gone), Value::Null)).await?;
        Ok(scim_users::set_pending(sql, institution, &members, true).await?)
    }

    pub(super) async fn map_group(&mut self, sql: &mut Sql, id: ScimGroupId, target: Target) -> Result<()> {
        let institution = self.context.institution;
        let before = found(sql, institution, id).await?;
        let mapping = match target {
            Target::Nothing => Mapping::Nothing,
            Target::Page(page) => Mapping::Page(page_id(sql, institution, &page).await?),
            Target::Role(role, pages) => {
                let mut ids = Vec::with_capacity(pages.len());
                for page in &pages {
                    ids.push(page_id(sql, institution, page).await?);
                }
                ids.sort_unstable();
                ids.dedup();
                Mapping::Role(role, ids)
            }
        };
        scim_groups::map(sql, institution, id, &mapping).await?;
        if mapping != before.mapping {
            let after = StoredGroup { mapping, ..before.clone() };
            let values = (of_group(&before), of_group(&after));
            self.context.log_group(sql, Act::ScimGroupUpdated, &after, values).await?;
        }
        let members = scim_groups::members(sql, institution, id).await?;
        Ok(scim_users::set_pending(sql, institution, &members, true).await?)
    }

    async fn add_members(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        mut users: Vec<ScimUserId>,
    ) -> Result<Moved> {
        let institution = self.context.institution;
        users.sort_unstable();
        users.dedup();
        let existing = scim_users::existing(sql, institution, &users).await?;
        let existing: HashSet<ScimUserId> = existing.into_iter().collect();
        if let Some(missing) = users.iter().find(|user| !existing.contains(user)) {
            return Err(nobody(&missing.to_string()).into());
        }
        let added = scim_groups::add_members(sql, institution, id, &users).await?;
        scim_users::set_pending(sql, institution, &users, true).await?;
        Ok(Moved { added, removed: 0 })
    }

    async fn remove_members(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        users: &[ScimUserId],
    ) -> Result<Moved> {
        let removed = scim_groups::remove_members(sql, self.context.institution, id, users).await?;
        scim_users::set_pending(sql, self.context.institution, users, true).await?;
        Ok(Moved { added: 0, removed })
    }

    async fn replace_members(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        users: Vec<ScimUserId>,
    ) -> Result<Moved> {
        let now = scim_groups::members(sql, self.context.institution, id).await?;
        let wanted: HashSet<ScimUserId> = users.iter().copied().collect();
        let leaving: Vec<ScimUserId> = now.into_iter().filter(|user| !wanted.contains(user)).collect();
        let removed = self.remove_members(sql, id, &leaving).await?;
        Ok(removed.and(self.add_members(sql, id, users).await?))
    }
}

async fn check_free(sql: &mut Sql, institution: InstitutionId, group: &StoredGroup) -> Result<()> {
    match scim_groups::by_name(sql, institution, &group.group.key()).await? {
        Some(other) if other.id != group.id => Err(taken("displayName").into()),
        _ => Ok(()),
    }
}
