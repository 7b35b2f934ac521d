//! What changes of groups write, in the transaction of `write`.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Target, found, nobody, users, version};
use crate::{
    app::{
        Error, Missing, Result, audit, name_pages,
        scim::{
            log::{Moved, of_group},
            settle::Settling,
            taken,
        },
    },
    domain::{
        audit::Act,
        ids::{InstitutionId, NamePageId, ScimGroupId, ScimUserId},
        matching::clean,
        name_page::NamePageRef,
        scim::group::{Group, GroupPatch, Mapping, MemberChange, StoredGroup},
        text::longest,
        version::check_base,
    },
    store::{self, Sql, scim_groups, scim_users},
};

impl Settling {
    pub(in crate::app::scim) async fn create_group(
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

    pub(in crate::app::scim) async fn replace_group(
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

    pub(in crate::app::scim) async fn patch_group(
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

    pub(in crate::app::scim) async fn delete_group(&mut self, sql: &mut Sql, id: ScimGroupId) -> Result<()> {
        let institution = self.context.institution;
        let gone = found(sql, institution, id).await?;
        let members = scim_groups::members(sql, institution, id).await?;
        scim_groups::delete(sql, institution, id).await?;
        self.context.log_group(sql, Act::ScimGroupDeleted, &gone, (of_group(&gone), Value::Null)).await?;
        Ok(scim_users::set_pending(sql, institution, &members, true).await?)
    }

    pub(in crate::app::scim) async fn map_group(
        &mut self,
        sql: &mut Sql,
        id: ScimGroupId,
        target: Target,
        base: Option<String>,
    ) -> Result<()> {
        let institution = self.context.institution;
        let before = found(sql, institution, id).await?;
        check_base(base.as_deref(), &version(&before.mapping))?;
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

async fn page_id(sql: &mut Sql, institution: InstitutionId, page: &NamePageRef) -> Result<NamePageId> {
    let found = store::name_pages::find(sql, institution, page).await?;
    Ok(found.ok_or(Error::Missing(Missing::NamePage))?.id)
}
