//! Addresses that a mail server has rejected for good.

use super::{Result, Sql, Value, opt_outs::on_pages, within};
use crate::domain::{
    bounce::Bounce,
    ids::{InstitutionId, NamePageId},
    moment::Moment,
    scope::Scope,
};

pub async fn mark(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    answer: &str,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, $2, $3, $4) \
                ON CONFLICT (institution_id, email_key) \
                DO UPDATE SET answer = excluded.answer, bounced_at = excluded.bounced_at";
    let params: [Value<'_>; 4] = [institution.into(), email_key.into(), answer.into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// False if the address was not marked.
pub async fn clear(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let text = "DELETE FROM mail_bounces WHERE institution_id = $1 AND email_key = $2";
    Ok(sql.execute(text, &[institution.into(), email_key.into()]).await? == 1)
}

/// Returns how many addresses were marked.
pub async fn clear_all(sql: &mut Sql, institution: InstitutionId) -> Result<u64> {
    sql.execute("DELETE FROM mail_bounces WHERE institution_id = $1", &[institution.into()]).await
}

/// Addresses of an institution, in alphabetical order, behind this one. With pages, only those of people of these pages.
pub async fn behind(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    behind: &str,
    most: i64,
) -> Result<Vec<(String, String, Moment)>> {
    let mut params: Vec<Value<'_>> = vec![institution.into(), behind.into()];
    let on_pages = on_pages("b", pages, &mut params);
    params.push(most.into());
    let text = format!(
        "SELECT b.email_key, b.answer, b.bounced_at FROM mail_bounces b WHERE b.institution_id = $1 AND b.email_key > $2{on_pages} \
         ORDER BY b.email_key LIMIT ${}",
        params.len()
    );
    sql.rows(&text, &params, |row| Ok((row.text(0)?, row.text(1)?, Moment::from_micros(row.int(2)?)))).await
}

/// The newest first.
pub async fn all(sql: &mut Sql, scope: Scope, most: i64) -> Result<Vec<Bounce>> {
    let mut params: Vec<Value<'_>> = Vec::new();
    let within = within(scope, "b.institution_id", &mut params);
    params.push(most.into());
    let text = format!(
        "SELECT i.slug, b.email_key, b.answer, b.bounced_at FROM mail_bounces b \
         JOIN institutions i ON i.id = b.institution_id WHERE {within} \
         ORDER BY b.bounced_at DESC, b.institution_id, b.email_key LIMIT ${}",
        params.len()
    );
    sql.rows(&text, &params, |row| {
        Ok(Bounce {
            institution: row.text(0)?,
            email: row.text(1)?,
            answer: row.text(2)?,
            bounced_at: Moment::from_micros(row.int(3)?),
        })
    })
    .await
}
