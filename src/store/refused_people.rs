//! People whom a directory has disabled or deleted, and who cannot come back by themselves. Whoever is only in `readmitted_at` may.

use super::{Result, Row, Sql, Value, padded, placeholders};
use crate::domain::{ids::InstitutionId, moment::Moment, session::PersonId};

/// A condition for the person with this key (`here` and `key` are placeholders or columns): nothing refuses them.
pub fn is_welcome(here: &str, key: &str) -> String {
    format!(
        "(SELECT x.refused_at FROM refused_people x WHERE x.institution_id = {here} AND x.email_key = {key} \
         AND x.readmitted_at IS NULL) IS NULL"
    )
}

pub async fn is_refused(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let text =
        "SELECT 1 FROM refused_people WHERE institution_id = $1 AND email_key = $2 AND readmitted_at IS NULL";
    let params = [person.institution.into(), (&person.email_key).into()];
    Ok(sql.one(text, &params, |_| Ok(())).await?.is_some())
}

/// The directory has no active user with this email. False if an admin has let them in since it said so.
pub async fn refuse(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<bool> {
    let text = "INSERT INTO refused_people (institution_id, email_key, refused_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, email_key) DO NOTHING";
    let params = [person.institution.into(), (&person.email_key).into(), now.micros().into()];
    sql.execute(text, &params).await?;
    is_refused(sql, person).await
}

/// The directory has active users with these emails.
pub async fn forget(sql: &mut Sql, institution: InstitutionId, email_keys: &[&str]) -> Result<()> {
    for group in padded(email_keys) {
        let text = format!(
            "DELETE FROM refused_people WHERE institution_id = $1 AND email_key IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// False if nothing refuses them.
pub async fn readmit(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<bool> {
    let text = "UPDATE refused_people SET readmitted_at = $1 WHERE institution_id = $2 AND email_key = $3 \
                AND readmitted_at IS NULL";
    let params = [now.micros().into(), person.institution.into(), (&person.email_key).into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Somebody who is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub email_key: String,
    pub at: Moment,
}

const LIST: &str = "SELECT email_key, refused_at FROM refused_people WHERE institution_id = $1 \
     AND readmitted_at IS NULL AND email_key > $2 ORDER BY email_key LIMIT $3";

/// Those behind this email, in the order of the emails.
pub async fn after(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    limit: i64,
) -> Result<Vec<Refused>> {
    let read = |row: &Row<'_>| Ok(Refused { email_key: row.text(0)?, at: Moment::from_micros(row.int(1)?) });
    sql.rows(LIST, &[institution.into(), email_key.into(), limit.into()], read).await
}
