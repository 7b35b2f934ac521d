//! Directories that provision people. Only the digests of their tokens are stored.

use super::{Result, Row, Sql, Value, institutions};
use crate::domain::{
    ids::{InstitutionId, ScimConnectionId},
    institution::Institution,
    moment::Moment,
    scim::Connection,
};

const COLUMNS: &str =
    "c.id, c.institution_id, c.name, c.pages_from_groups, c.created_at, c.revoked_at, c.last_used_at";
const COUNT: usize = 7;

fn from_row(row: &Row<'_>) -> Result<Connection> {
    let moment = |column| row.opt_int(column).map(|micros| micros.map(Moment::from_micros));
    Ok(Connection {
        id: row.id(0)?,
        institution: row.id(1)?,
        name: row.text(2)?,
        pages_from_groups: row.bool(3)?,
        created_at: Moment::from_micros(row.int(4)?),
        revoked_at: moment(5)?,
        last_used_at: moment(6)?,
    })
}

pub async fn insert(sql: &mut Sql, connection: &Connection, digest: &str) -> Result<()> {
    let text = "INSERT INTO scim_connections (institution_id, id, name, digest, pages_from_groups, created_at) \
                VALUES ($1, $2, $3, $4, $5, $6)";
    let params: [Value<'_>; 6] = [
        connection.institution.into(),
        connection.id.into(),
        (&connection.name).into(),
        digest.into(),
        connection.pages_from_groups.into(),
        connection.created_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<Connection>> {
    let text = format!("SELECT {COLUMNS} FROM scim_connections c WHERE c.institution_id = $1 ORDER BY c.id");
    sql.rows(&text, &[institution.into()], from_row).await
}

/// Takes no institution: the digest determines it. Also returns the digest as stored, and the institution without its allowed origins.
pub async fn by_digest(sql: &mut Sql, digest: &str) -> Result<Option<(Connection, String, Institution)>> {
    let text = format!(
        "SELECT {COLUMNS}, c.digest, {} FROM scim_connections c JOIN institutions i ON i.id = c.institution_id \
         WHERE c.digest = $1 AND c.revoked_at IS NULL",
        institutions::COLUMNS
    );
    let read =
        |row: &Row<'_>| Ok((from_row(row)?, row.text(COUNT)?, institutions::from_row(row, COUNT + 1)?));
    sql.one(&text, &[digest.into()], read).await
}

/// False if there is no such connection, or it was already revoked.
pub async fn revoke(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ScimConnectionId,
    now: Moment,
) -> Result<bool> {
    let text = "UPDATE scim_connections SET revoked_at = $1 WHERE institution_id = $2 AND id = $3 AND revoked_at IS NULL";
    Ok(sql.execute(text, &[now.micros().into(), institution.into(), id.into()]).await? == 1)
}

pub async fn used(
    sql: &mut Sql,
    institution: InstitutionId,
    id: ScimConnectionId,
    now: Moment,
) -> Result<()> {
    let text = "UPDATE scim_connections SET last_used_at = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[now.micros().into(), institution.into(), id.into()]).await.map(|_| ())
}
