//! Groups of directories: their members, and what they stand for.

use std::collections::HashMap;

use super::{
    Error, Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, stored_json, value_rows,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ScimGroupId, ScimUserId},
    member::Role,
    moment::Moment,
    scim::group::{Group, Mapping, StoredGroup},
};

const COLUMNS: &str = "g.id, g.connection_id, g.resource, g.role, g.created_at, g.updated_at";

fn role(word: Option<String>) -> Result<Option<Role>> {
    let Some(word) = word else { return Ok(None) };
    let unknown = || Error::Broken(format!("a group stands for an unknown role: {word}"));
    Role::parse(&word).ok_or_else(unknown).map(Some)
}

/// Without the pages.
fn from_row(row: &Row<'_>) -> Result<StoredGroup> {
    let id: ScimGroupId = row.id(0)?;
    let resource = stored_json(("scim_groups", "resource", id), &row.text(2)?)?;
    let group = Group::of(resource)
        .map_err(|fault| Error::Broken(format!("the group {id} of a directory is unreadable: {fault}")))?;
    let mapping = role(row.opt_text(3)?)?.map_or(Mapping::Nothing, |role| Mapping::Role(role, Vec::new()));
    Ok(StoredGroup {
        id,
        connection: row.opt_id(1)?,
        group,
        mapping,
        created_at: Moment::from_micros(row.int(4)?),
        updated_at: Moment::from_micros(row.int(5)?),
    })
}

async fn with_pages(
    sql: &mut Sql,
    institution: InstitutionId,
    mut groups: Vec<StoredGroup>,
) -> Result<Vec<StoredGroup>> {
    let ids: Vec<ScimGroupId> = groups.iter().map(|group| group.id).collect();
    let mut pages = pages(sql, institution, &ids).await?;
    for group in &mut groups {
        let pages = pages.remove(&group.id).unwrap_or_default();
        match &mut group.mapping {
            Mapping::Role(_, own) => *own = pages,
            mapping => *mapping = pages.first().map_or(Mapping::Nothing, |page| Mapping::Page(*page)),
        }
    }
    Ok(groups)
}

/// The name pages of groups, in the order of their ids.
pub async fn pages(
    sql: &mut Sql,
    institution: InstitutionId,
    groups: &[ScimGroupId],
) -> Result<HashMap<ScimGroupId, Vec<NamePageId>>> {
    let mut found: HashMap<ScimGroupId, Vec<NamePageId>> = HashMap::new();
    for chunk in padded(groups) {
        let text = format!(
            "SELECT group_id, name_page_id FROM scim_group_pages WHERE institution_id = $1 AND group_id IN ({}) \
             ORDER BY group_id, name_page_id",
            placeholders(2, chunk.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(chunk.into_iter().map(Value::from)).collect();
        for (group, page) in sql.rows(&text, &params, |row| Ok((row.id(0)?, row.id(1)?))).await? {
            found.entry(group).or_default().push(page);
        }
    }
    Ok(found)
}

fn json(group: &Group) -> Result<String> {
    serde_json::to_string(&group.resource).map_err(|error| Error::Broken(error.to_string()))
}

/// Without members, and without a mapping.
pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &StoredGroup) -> Result<()> {
    let text = "INSERT INTO scim_groups (institution_id, id, connection_id, display_name_key, external_id, resource, \
                created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let params: [Value<'_>; 8] = [
        institution.into(),
        new.id.into(),
        new.connection.into(),
        new.group.key().into(),
        new.group.external_id.as_ref().into(),
        json(&new.group)?.into(),
        new.created_at.micros().into(),
        new.updated_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// The group itself; neither members nor mapping.
pub async fn update(sql: &mut Sql, institution: InstitutionId, changed: &StoredGroup) -> Result<()> {
    let text = "UPDATE scim_groups SET display_name_key = $1, external_id = $2, resource = $3, updated_at = $4 \
                WHERE institution_id = $5 AND id = $6";
    let params: [Value<'_>; 6] = [
        changed.group.key().into(),
        changed.group.external_id.as_ref().into(),
        json(&changed.group)?.into(),
        changed.updated_at.micros().into(),
        institution.into(),
        changed.id.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: ScimGroupId) -> Result<()> {
    for text in [
        "DELETE FROM scim_group_members WHERE institution_id = $1 AND group_id = $2",
        "DELETE FROM scim_group_pages WHERE institution_id = $1 AND group_id = $2",
        "DELETE FROM scim_groups WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &[institution.into(), id.into()]).await?;
    }
    Ok(())
}

pub async fn map(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ScimGroupId,
    mapping: &Mapping,
) -> Result<()> {
    let text = "UPDATE scim_groups SET role = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[mapping.role().map(Role::word).into(), institution.into(), id.into()]).await?;
    let text = "DELETE FROM scim_group_pages WHERE institution_id = $1 AND group_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await?;
    for page in mapping.pages() {
        let text =
            "INSERT INTO scim_group_pages (institution_id, group_id, name_page_id) VALUES ($1, $2, $3)";
        sql.execute(text, &[institution.into(), id.into(), (*page).into()]).await?;
    }
    Ok(())
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: ScimGroupId) -> Result<Option<StoredGroup>> {
    Ok(by_ids(sql, institution, &[id]).await?.pop())
}

pub async fn by_name(sql: &mut Sql, institution: InstitutionId, key: &str) -> Result<Option<StoredGroup>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_groups g WHERE g.institution_id = $1 AND g.display_name_key = $2"
    );
    let found = sql.rows(&text, &[institution.into(), key.into()], from_row).await?;
    Ok(with_pages(sql, institution, found).await?.pop())
}

pub async fn by_external_id(
    sql: &mut Sql,
    institution: InstitutionId,
    external_id: &str,
) -> Result<Vec<StoredGroup>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_groups g WHERE g.institution_id = $1 AND g.external_id = $2 ORDER BY g.id LIMIT 200"
    );
    let found = sql.rows(&text, &[institution.into(), external_id.into()], from_row).await?;
    with_pages(sql, institution, found).await
}

/// In the order of their creation.
pub async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ScimGroupId],
) -> Result<Vec<StoredGroup>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let text = format!(
            "SELECT {COLUMNS} FROM scim_groups g WHERE g.institution_id = $1 AND g.id IN ({}) ORDER BY g.id",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    with_pages(sql, institution, found).await
}

pub async fn count(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM scim_groups WHERE institution_id = $1";
    Ok(sql.one(text, &[institution.into()], |row| row.int(0)).await?.unwrap_or(0))
}

/// A page of all groups in the order of their creation. The offset reads the primary key only.
pub async fn page(
    sql: &mut Sql,
    institution: InstitutionId,
    (offset, limit): (i64, i64),
) -> Result<Vec<StoredGroup>> {
    let text = "SELECT id FROM scim_groups WHERE institution_id = $1 ORDER BY id LIMIT $2 OFFSET $3";
    let ids = sql.rows(text, &[institution.into(), limit.into(), offset.into()], |row| row.id(0)).await?;
    by_ids(sql, institution, &ids).await
}

/// The next groups in the order of their creation.
pub async fn after(
    sql: &mut Sql,
    institution: InstitutionId,
    last: ScimGroupId,
    limit: i64,
) -> Result<Vec<StoredGroup>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_groups g WHERE g.institution_id = $1 AND g.id > $2 ORDER BY g.id LIMIT $3"
    );
    let found = sql.rows(&text, &[institution.into(), last.into(), limit.into()], from_row).await?;
    with_pages(sql, institution, found).await
}

pub async fn members(
    sql: &mut Sql,
    institution: InstitutionId,
    group: ScimGroupId,
) -> Result<Vec<ScimUserId>> {
    let text =
        "SELECT user_id FROM scim_group_members WHERE institution_id = $1 AND group_id = $2 ORDER BY user_id";
    sql.rows(text, &[institution.into(), group.into()], |row| row.id(0)).await
}

/// How many members each of these groups has. Groups without members are left out.
pub async fn member_counts(
    sql: &mut Sql,
    institution: InstitutionId,
    groups: &[ScimGroupId],
) -> Result<HashMap<ScimGroupId, i64>> {
    let mut counts = HashMap::new();
    for chunk in padded(groups) {
        let text = format!(
            "SELECT group_id, COUNT(*) FROM scim_group_members WHERE institution_id = $1 AND group_id IN ({}) GROUP BY group_id",
            placeholders(2, chunk.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(chunk.into_iter().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.id::<ScimGroupId>(0)?, row.int(1)?));
        counts.extend(sql.rows(&text, &params, read).await?);
    }
    Ok(counts)
}

/// Whoever is a member already stays one.
/// Returns how many were no members before.
pub async fn add_members(
    sql: &mut Sql,
    institution: InstitutionId,
    group: ScimGroupId,
    users: &[ScimUserId],
) -> Result<u64> {
    let mut added = 0;
    for chunk in in_power_of_two_chunks(users) {
        let text = format!(
            "INSERT INTO scim_group_members (institution_id, group_id, user_id) VALUES {} \
             ON CONFLICT (institution_id, group_id, user_id) DO NOTHING",
            value_rows(1, chunk.len(), 3)
        );
        let params: Vec<Value<'_>> = chunk
            .iter()
            .flat_map(|user| [Value::from(institution), Value::from(group), Value::from(*user)])
            .collect();
        added += sql.execute(&text, &params).await?;
    }
    Ok(added)
}

/// Returns how many were members.
pub async fn remove_members(
    sql: &mut Sql,
    institution: InstitutionId,
    group: ScimGroupId,
    users: &[ScimUserId],
) -> Result<u64> {
    let mut removed = 0;
    for chunk in padded(users) {
        let text = format!(
            "DELETE FROM scim_group_members WHERE institution_id = $1 AND group_id = $2 AND user_id IN ({})",
            placeholders(3, chunk.len())
        );
        let params: Vec<Value<'_>> = [institution.into(), group.into()]
            .into_iter()
            .chain(chunk.into_iter().map(Value::from))
            .collect();
        removed += sql.execute(&text, &params).await?;
    }
    Ok(removed)
}

/// The groups of users, without their name pages.
pub async fn of_users(
    sql: &mut Sql,
    institution: InstitutionId,
    users: &[ScimUserId],
) -> Result<Vec<(ScimUserId, StoredGroup)>> {
    let mut found = Vec::new();
    for chunk in padded(users) {
        let text = format!(
            "SELECT {COLUMNS}, m.user_id FROM scim_group_members m \
             JOIN scim_groups g ON g.institution_id = m.institution_id AND g.id = m.group_id \
             WHERE m.institution_id = $1 AND m.user_id IN ({}) ORDER BY m.user_id, g.id",
            placeholders(2, chunk.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(chunk.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| Ok((row.id(6)?, from_row(row)?))).await?);
    }
    Ok(found)
}
