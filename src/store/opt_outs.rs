//! People who want no messages of an institution, except to sign in.

use super::{Result, Row, Sql, Value};
use crate::domain::{ids::InstitutionId, moment::Moment, session::PersonId};

pub async fn exists(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let text = "SELECT 1 FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2";
    Ok(sql.one(text, &[institution.into(), email_key.into()], |_| Ok(())).await?.is_some())
}

pub async fn insert(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<()> {
    let text = "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, email_key) DO NOTHING";
    let params: [Value<'_>; 3] = [person.institution.into(), (&person.email_key).into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, person: &PersonId) -> Result<()> {
    let text = "DELETE FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[person.institution.into(), (&person.email_key).into()]).await.map(|_| ())
}

/// People of an institution, in alphabetical order, behind this one.
pub async fn behind(
    sql: &mut Sql,
    institution: InstitutionId,
    behind: &str,
    most: i64,
) -> Result<Vec<(String, Moment)>> {
    let text = "SELECT email_key, created_at FROM mail_opt_outs WHERE institution_id = $1 AND email_key > $2 \
                ORDER BY email_key LIMIT $3";
    let read = |row: &Row<'_>| Ok((row.text(0)?, Moment::from_micros(row.int(1)?)));
    sql.rows(text, &[institution.into(), behind.into(), most.into()], read).await
}
