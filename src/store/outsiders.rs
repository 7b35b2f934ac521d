//! Registrations that people have made themselves where everybody can, and for which nobody vouches. `sign_ins::belongs` does not
//! count them.

use super::{Result, Sql, Value, padded, placeholders};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    session::PersonId,
};

pub async fn mark(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<()> {
    let text = "INSERT INTO outsiders (institution_id, participant_id) VALUES ($1, $2)";
    sql.execute(text, &[institution.into(), participant.into()]).await.map(|_| ())
}

/// Those of these registrations for which nobody vouches.
pub async fn among(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        let text = format!(
            "SELECT participant_id FROM outsiders WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| row.id::<ParticipantId>(0)).await?);
    }
    Ok(found)
}

/// The institution vouches for a person on a page from now on.
pub async fn admit(sql: &mut Sql, person: &PersonId, page: NamePageId) -> Result<()> {
    let text = "DELETE FROM outsiders WHERE institution_id = $1 AND participant_id IN (SELECT p.id FROM participants p \
                WHERE p.institution_id = $1 AND p.email_key = $2 AND p.name_page_id = $3)";
    let params = [person.institution.into(), (&person.email_key).into(), page.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// The same for all of these registrations.
pub async fn admit_all(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let text = format!(
            "DELETE FROM outsiders WHERE institution_id = $1 AND participant_id IN ({})",
            placeholders(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// The second of two registrations of a person is about to be merged into the first. Whoever was vouched for with one of them, is.
pub async fn merge(
    sql: &mut Sql,
    institution: InstitutionId,
    (own, other): (ParticipantId, ParticipantId),
) -> Result<()> {
    let text = "DELETE FROM outsiders WHERE institution_id = $1 AND participant_id = $2 AND NOT EXISTS \
                (SELECT 1 FROM outsiders o WHERE o.institution_id = $1 AND o.participant_id = $3)";
    sql.execute(text, &[institution.into(), own.into(), other.into()]).await?;
    let text = "DELETE FROM outsiders WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), other.into()]).await.map(|_| ())
}
