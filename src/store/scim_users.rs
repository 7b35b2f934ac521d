//! Users as directories have sent them.

use super::{
    Error, Result, Row, Sql, Value, in_power_of_two_chunks, padded, placeholders, stored_json, value_rows,
};
use crate::domain::{
    ids::{InstitutionId, ScimConnectionId, ScimUserId},
    moment::Moment,
    scim::user::{StoredUser, User},
};

const COLUMNS: &str = "u.id, u.connection_id, u.resource, u.active, u.created_at, u.updated_at";

fn from_row(row: &Row<'_>) -> Result<StoredUser> {
    let id: ScimUserId = row.id(0)?;
    let resource = stored_json(("scim_users", "resource", id), &row.text(2)?)?;
    let mut user = User::of(resource)
        .map_err(|fault| Error::Broken(format!("the user {id} of a directory is unreadable: {fault}")))?;
    user.active = row.bool(3)?;
    Ok(StoredUser {
        id,
        connection: row.opt_id(1)?,
        user,
        created_at: Moment::from_micros(row.int(4)?),
        updated_at: Moment::from_micros(row.int(5)?),
    })
}

fn json(user: &User) -> Result<String> {
    serde_json::to_string(&user.resource).map_err(|error| Error::Broken(error.to_string()))
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &StoredUser) -> Result<()> {
    let text = "INSERT INTO scim_users (institution_id, id, connection_id, user_name_key, external_id, active, email_key, \
                resource, pending, created_at, updated_at, emails_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, TRUE, $9, $10, $10)";
    let user = &new.user;
    let params: [Value<'_>; 10] = [
        institution.into(),
        new.id.into(),
        new.connection.into(),
        (&user.user_name_key).into(),
        user.external_id.as_ref().into(),
        user.active.into(),
        user.email.as_ref().map(|email| email.key()).into(),
        json(user)?.into(),
        new.created_at.micros().into(),
        new.updated_at.micros().into(),
    ];
    sql.execute(text, &params).await?;
    insert_emails(sql, institution, new).await
}

/// Writes what can change. Registrations and roles have to follow.
pub async fn update(sql: &mut Sql, institution: InstitutionId, changed: &StoredUser) -> Result<()> {
    let text = "UPDATE scim_users SET user_name_key = $1, external_id = $2, active = $3, email_key = $4, resource = $5, \
                pending = TRUE, updated_at = $6, emails_at = $6 WHERE institution_id = $7 AND id = $8";
    let user = &changed.user;
    let params: [Value<'_>; 8] = [
        (&user.user_name_key).into(),
        user.external_id.as_ref().into(),
        user.active.into(),
        user.email.as_ref().map(|email| email.key()).into(),
        json(user)?.into(),
        changed.updated_at.micros().into(),
        institution.into(),
        changed.id.into(),
    ];
    sql.execute(text, &params).await?;
    delete_emails(sql, institution, changed.id).await?;
    insert_emails(sql, institution, changed).await
}

async fn delete_emails(sql: &mut Sql, institution: InstitutionId, id: ScimUserId) -> Result<()> {
    let text = "DELETE FROM scim_user_emails WHERE institution_id = $1 AND user_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

async fn insert_emails(sql: &mut Sql, institution: InstitutionId, stored: &StoredUser) -> Result<()> {
    let keys: Vec<String> = stored.user.email_values().into_iter().collect();
    for chunk in in_power_of_two_chunks(&keys) {
        let text = format!(
            "INSERT INTO scim_user_emails (institution_id, value_key, user_id) VALUES {}",
            value_rows(1, chunk.len(), 3)
        );
        let params: Vec<Value<'_>> = chunk
            .iter()
            .flat_map(|key| [Value::from(institution), Value::from(key), Value::from(stored.id)])
            .collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Users whose emails are not in the index: an older version has written them.
pub async fn without_emails(
    sql: &mut Sql,
    institution: InstitutionId,
    limit: i64,
) -> Result<Vec<StoredUser>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.emails_at <> u.updated_at \
         ORDER BY u.id LIMIT $2"
    );
    sql.rows(&text, &[institution.into(), limit.into()], from_row).await
}

/// Puts the emails of a user into the index. The caller holds the institution's lock.
pub async fn add_emails(sql: &mut Sql, institution: InstitutionId, stored: &StoredUser) -> Result<()> {
    delete_emails(sql, institution, stored.id).await?;
    insert_emails(sql, institution, stored).await?;
    let text = "UPDATE scim_users SET emails_at = updated_at WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), stored.id.into()]).await.map(|_| ())
}

/// The next users with this email, in the order of their creation. Keys are cut, so others may be among them.
pub async fn with_email(
    sql: &mut Sql,
    institution: InstitutionId,
    key: &str,
    last: ScimUserId,
    limit: i64,
) -> Result<Vec<StoredUser>> {
    let params: [Value<'_>; 4] = [institution.into(), key.into(), last.into(), limit.into()];
    sql.rows(&with_email_text(), &params, from_row).await
}

fn with_email_text() -> String {
    format!(
        "SELECT {COLUMNS} FROM scim_user_emails e \
         JOIN scim_users u ON u.institution_id = e.institution_id AND u.id = e.user_id \
         WHERE e.institution_id = $1 AND e.value_key = $2 AND e.user_id > $3 ORDER BY e.user_id LIMIT $4"
    )
}

/// For the test of query plans.
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let institution = Value::from(InstitutionId::new(1));
    vec![(
        "scim users with an email",
        with_email_text(),
        vec![institution, "a@x.org".into(), 0.into(), 9.into()],
    )]
}

/// With the memberships in groups.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: ScimUserId) -> Result<()> {
    sql.scrub_wal();
    for text in [
        "DELETE FROM scim_group_members WHERE institution_id = $1 AND user_id = $2",
        "DELETE FROM scim_registrations WHERE institution_id = $1 AND user_id = $2 AND parked = FALSE",
        "DELETE FROM scim_user_emails WHERE institution_id = $1 AND user_id = $2",
        "DELETE FROM scim_users WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &[institution.into(), id.into()]).await?;
    }
    Ok(())
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: ScimUserId) -> Result<Option<StoredUser>> {
    let text = format!("SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.id = $2");
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

pub async fn by_user_name(
    sql: &mut Sql,
    institution: InstitutionId,
    key: &str,
) -> Result<Option<StoredUser>> {
    let text =
        format!("SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.user_name_key = $2");
    sql.one(&text, &[institution.into(), key.into()], from_row).await
}

/// Of all connections: a directory whose token was replaced finds its users again.
pub async fn by_external_id(
    sql: &mut Sql,
    institution: InstitutionId,
    external_id: &str,
) -> Result<Vec<StoredUser>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.external_id = $2 ORDER BY u.id LIMIT 200"
    );
    sql.rows(&text, &[institution.into(), external_id.into()], from_row).await
}

/// Has another user this name, or this external id of the same connection?
pub async fn taken(
    sql: &mut Sql,
    institution: InstitutionId,
    connection: Option<ScimConnectionId>,
    user: &User,
    own: ScimUserId,
) -> Result<Option<&'static str>> {
    let text = "SELECT 1 FROM scim_users WHERE institution_id = $1 AND user_name_key = $2 AND id <> $3";
    let params: [Value<'_>; 3] = [institution.into(), (&user.user_name_key).into(), own.into()];
    if sql.one(text, &params, |_| Ok(())).await?.is_some() {
        return Ok(Some("userName"));
    }
    let (Some(external_id), Some(connection)) = (&user.external_id, connection) else { return Ok(None) };
    let text = "SELECT 1 FROM scim_users WHERE institution_id = $1 AND external_id = $2 AND connection_id = $3 AND id <> $4 LIMIT 1";
    let params: [Value<'_>; 4] = [institution.into(), external_id.into(), connection.into(), own.into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.map(|()| "externalId"))
}

/// Counts the entries of an index. Directories ask for it seldom.
pub async fn count(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM scim_users WHERE institution_id = $1";
    Ok(sql.one(text, &[institution.into()], |row| row.int(0)).await?.unwrap_or(0))
}

/// A page of all users in the order of their creation. The offset reads the primary key only.
pub async fn page(
    sql: &mut Sql,
    institution: InstitutionId,
    (offset, limit): (i64, i64),
) -> Result<Vec<StoredUser>> {
    let text = "SELECT id FROM scim_users WHERE institution_id = $1 ORDER BY id LIMIT $2 OFFSET $3";
    let ids = sql.rows(text, &[institution.into(), limit.into(), offset.into()], |row| row.id(0)).await?;
    by_ids(sql, institution, &ids).await
}

/// The next users in the order of their creation.
pub async fn after(
    sql: &mut Sql,
    institution: InstitutionId,
    last: ScimUserId,
    limit: i64,
) -> Result<Vec<StoredUser>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.id > $2 ORDER BY u.id LIMIT $3"
    );
    sql.rows(&text, &[institution.into(), last.into(), limit.into()], from_row).await
}

/// In the order of their creation.
pub async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ScimUserId],
) -> Result<Vec<StoredUser>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let text = format!(
            "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.id IN ({}) ORDER BY u.id",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

/// Everybody with one of these emails.
pub async fn by_emails(
    sql: &mut Sql,
    institution: InstitutionId,
    email_keys: &[&str],
) -> Result<Vec<StoredUser>> {
    let mut found = Vec::with_capacity(email_keys.len());
    for group in padded(email_keys) {
        let text = format!(
            "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.email_key IN ({}) ORDER BY u.id",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

/// Which of these users exist?
pub async fn existing(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ScimUserId],
) -> Result<Vec<ScimUserId>> {
    let mut found = Vec::with_capacity(ids.len());
    for group in padded(ids) {
        let text = format!(
            "SELECT id FROM scim_users WHERE institution_id = $1 AND id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.id::<ScimUserId>(0)).await?);
    }
    Ok(found)
}

/// Users whose registrations and roles do not follow them yet.
pub async fn pending(sql: &mut Sql, institution: InstitutionId, limit: i64) -> Result<Vec<StoredUser>> {
    let text = format!(
        "SELECT {COLUMNS} FROM scim_users u WHERE u.institution_id = $1 AND u.pending = TRUE ORDER BY u.id LIMIT $2"
    );
    sql.rows(&text, &[institution.into(), limit.into()], from_row).await
}

pub async fn set_pending(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ScimUserId],
    pending: bool,
) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "UPDATE scim_users SET pending = $1 WHERE institution_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let params: Vec<Value<'_>> = [pending.into(), institution.into()]
            .into_iter()
            .chain(group.into_iter().map(Value::from))
            .collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Deletes the memberships and emails of users who are about to be erased with their email.
pub async fn leave(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    for table in ["scim_group_members", "scim_user_emails"] {
        let text = format!(
            "DELETE FROM {table} WHERE institution_id = $1 AND user_id IN \
             (SELECT u.id FROM scim_users u WHERE u.institution_id = $1 AND u.email_key = $2)"
        );
        sql.execute(&text, &[institution.into(), email_key.into()]).await?;
    }
    Ok(())
}
