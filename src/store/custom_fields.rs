//! Custom fields. Values are stored with the participant, keyed by field id.

use super::{Result, Sql, Value};
use crate::domain::{custom_field::CustomField, ids::InstitutionId, moment::Moment};

pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    field: &CustomField,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO custom_fields (institution_id, id, name, label, editable, created_at) VALUES ($1, $2, $3, $4, $5, $6)";
    let params: [Value<'_>; 6] = [
        institution.into(),
        field.id.into(),
        (&field.name).into(),
        (&field.label).into(),
        field.editable.into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Ordered by name, like in API responses.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<CustomField>> {
    let text = "SELECT id, name, label, editable FROM custom_fields WHERE institution_id = $1 ORDER BY name";
    sql.rows(text, &[institution.into()], |row| {
        Ok(CustomField { id: row.id(0)?, name: row.text(1)?, label: row.text(2)?, editable: row.bool(3)? })
    })
    .await
}

/// Changes the label and whether people may edit it.
pub async fn update(sql: &mut Sql, institution: InstitutionId, field: &CustomField) -> Result<()> {
    let text = "UPDATE custom_fields SET label = $1, editable = $2 WHERE institution_id = $3 AND id = $4";
    let params: [Value<'_>; 4] =
        [(&field.label).into(), field.editable.into(), institution.into(), field.id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, institution: InstitutionId, name: &str) -> Result<bool> {
    let text = "DELETE FROM custom_fields WHERE institution_id = $1 AND name = $2";
    Ok(sql.execute(text, &[institution.into(), name.into()]).await? == 1)
}
