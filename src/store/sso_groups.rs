//! Roles by group: the rules of a connection, and which roles came from them.

use std::collections::HashSet;

use super::{Error, Result, Row, Sql, Value, stored_json};
use crate::domain::{
    ids::{InstitutionId, NamePageId, SsoConnectionId},
    member::Role,
    session::PersonId,
    sso_groups::GroupRole,
};

/// The claim with the groups of a person.
pub async fn claim(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<Option<String>> {
    let text = "SELECT groups_claim FROM sso_connections WHERE institution_id = $1 AND id = $2";
    sql.one(text, &[institution.into(), id.into()], |row| row.text(0)).await
}

pub async fn set_claim(
    sql: &mut Sql,
    institution: InstitutionId,
    id: SsoConnectionId,
    claim: &str,
) -> Result<()> {
    let text = "UPDATE sso_connections SET groups_claim = $1 WHERE institution_id = $2 AND id = $3";
    let params: [Value<'_>; 3] = [claim.into(), institution.into(), id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// The rules of a connection, by group.
pub async fn rules(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<Vec<GroupRole>> {
    let text = "SELECT group_name, role, pages FROM sso_group_roles \
         WHERE institution_id = $1 AND connection_id = $2 ORDER BY group_name";
    sql.rows(text, &[institution.into(), id.into()], from_row).await
}

fn from_row(row: &Row<'_>) -> Result<GroupRole> {
    let (group, role) = (row.text(0)?, row.text(1)?);
    let pages: Vec<i64> = stored_json(("sso_group_roles", "pages", &group), &row.text(2)?)?;
    let unknown = || Error::Broken(format!("a group has an unknown role: {role}"));
    Ok(GroupRole {
        role: Role::parse(&role).ok_or_else(unknown)?,
        pages: pages.into_iter().map(NamePageId::new).collect(),
        group,
    })
}

/// Inserts a rule, or replaces that of the same group.
pub async fn set(
    sql: &mut Sql,
    institution: InstitutionId,
    id: SsoConnectionId,
    rule: &GroupRole,
) -> Result<()> {
    let text = "INSERT INTO sso_group_roles (institution_id, connection_id, group_name, role, pages) \
         VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (institution_id, connection_id, group_name) DO UPDATE SET role = $4, pages = $5";
    let pages: Vec<i64> = rule.pages.iter().map(|page| page.get()).collect();
    let params: [Value<'_>; 5] = [
        institution.into(),
        id.into(),
        (&rule.group).into(),
        rule.role.word().into(),
        serde_json::Value::from(pages).to_string().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// False if there is no such rule.
pub async fn delete(
    sql: &mut Sql,
    institution: InstitutionId,
    id: SsoConnectionId,
    group: &str,
) -> Result<bool> {
    let text =
        "DELETE FROM sso_group_roles WHERE institution_id = $1 AND connection_id = $2 AND group_name = $3";
    let params: [Value<'_>; 3] = [institution.into(), id.into(), group.into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Deletes the rules of a connection that is deleted. The roles that it gave stay, as if they were given by hand.
pub async fn delete_all(sql: &mut Sql, institution: InstitutionId, id: SsoConnectionId) -> Result<()> {
    let params = [Value::from(institution), Value::from(id)];
    for text in [
        "DELETE FROM sso_group_roles WHERE institution_id = $1 AND connection_id = $2",
        "UPDATE members SET source = 'hand', connection_id = NULL WHERE institution_id = $1 AND connection_id = $2",
    ] {
        sql.execute(text, &params).await?;
    }
    Ok(())
}

/// The keys of members from one key to another who have their role from a group.
pub async fn members(
    sql: &mut Sql,
    institution: InstitutionId,
    (first, last): (&str, &str),
) -> Result<HashSet<String>> {
    let text = "SELECT email_key FROM members WHERE institution_id = $1 AND email_key >= $2 AND email_key <= $3 \
         AND source = 'group'";
    let params: [Value<'_>; 3] = [institution.into(), first.into(), last.into()];
    Ok(sql.rows(text, &params, |row| row.text(0)).await?.into_iter().collect())
}

/// Has this connection given the member their role?
pub async fn gave(sql: &mut Sql, person: &PersonId, id: SsoConnectionId) -> Result<bool> {
    let text = "SELECT 1 FROM members WHERE institution_id = $1 AND email_key = $2 AND source = 'group' \
         AND connection_id = $3";
    let params: [Value<'_>; 3] = [person.institution.into(), (&person.email_key).into(), id.into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// Notes that this connection has given the member their role.
pub async fn mark(sql: &mut Sql, person: &PersonId, id: SsoConnectionId) -> Result<()> {
    let text = "UPDATE members SET source = 'group', connection_id = $1 WHERE institution_id = $2 AND email_key = $3";
    let params: [Value<'_>; 3] = [id.into(), person.institution.into(), (&person.email_key).into()];
    sql.execute(text, &params).await.map(|_| ())
}
