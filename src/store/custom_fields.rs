//! Custom fields. Values are stored with the participant, keyed by field id.

use std::sync::LazyLock;

use super::{
    Error, Result, Row, Sql, Value,
    lookup::{Lookup, Param},
    stored_json,
};
use crate::domain::{
    custom_field::{CustomField, FieldKind},
    ids::{CustomFieldId, InstitutionId, ParticipantId},
    moment::Moment,
    page_settings::Asking,
};

pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    field: &CustomField,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO custom_fields (institution_id, id, name, label, editable, kind, options, asked, place, created_at, on_badge) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let params: [Value<'_>; 11] = [
        institution.into(),
        field.id.into(),
        (&field.name).into(),
        (&field.label).into(),
        field.editable.into(),
        field.kind.word().into(),
        options_json(field)?.into(),
        field.asked.word().into(),
        field.place.into(),
        now.micros().into(),
        field.on_badge.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

fn options_json(field: &CustomField) -> Result<String> {
    serde_json::to_string(&field.options).map_err(|error| Error::Broken(error.to_string()))
}

/// Ordered by name, like in API responses.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<CustomField>> {
    sql.look_up(&ALL, &[institution.into()], from_row).await
}

static ALL: LazyLock<Lookup> = LazyLock::new(|| {
    let text = "SELECT id, name, label, editable, kind, options, asked, place, on_badge FROM custom_fields \
                WHERE institution_id = $1 ORDER BY name";
    Lookup::new(text.to_owned(), &[Param::Int])
});

fn from_row(row: &Row<'_>) -> Result<CustomField> {
    let id: CustomFieldId = row.id(0)?;
    let unknown = |column: &str, value: &str| {
        Error::Broken(format!("custom_fields.{column} of row {id} is unreadable: `{value}`"))
    };
    let (kind, options, asked) = (row.text(4)?, row.text(5)?, row.text(6)?);
    Ok(CustomField {
        id,
        name: row.text(1)?,
        label: row.text(2)?,
        editable: row.bool(3)?,
        kind: FieldKind::parse(&kind).ok_or_else(|| unknown("kind", &kind))?,
        options: stored_json(("custom_fields", "options", id), &options)?,
        asked: Asking::parse(&asked).ok_or_else(|| unknown("asked", &asked))?,
        place: row.int(7)?,
        on_badge: row.bool(8)?,
    })
}

/// Changes everything but the name.
pub async fn update(sql: &mut Sql, institution: InstitutionId, field: &CustomField) -> Result<()> {
    let text = "UPDATE custom_fields SET label = $1, editable = $2, kind = $3, options = $4, asked = $5, place = $6, on_badge = $7 \
                WHERE institution_id = $8 AND id = $9";
    let params: [Value<'_>; 9] = [
        (&field.label).into(),
        field.editable.into(),
        field.kind.word().into(),
        options_json(field)?.into(),
        field.asked.word().into(),
        field.place.into(),
        field.on_badge.into(),
        institution.into(),
        field.id.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, institution: InstitutionId, name: &str) -> Result<bool> {
    let text = "DELETE FROM custom_fields WHERE institution_id = $1 AND name = $2";
    Ok(sql.execute(text, &[institution.into(), name.into()]).await? == 1)
}

const VALUES: &str =
    "SELECT id, custom FROM participants WHERE institution_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3";

/// The custom values of people, as JSON, newest people first: of those before an id.
pub async fn values(
    sql: &mut Sql,
    institution: InstitutionId,
    before: ParticipantId,
    count: i64,
) -> Result<Vec<(ParticipantId, Option<String>)>> {
    let params = [institution.into(), before.into(), count.into()];
    sql.rows(VALUES, &params, |row| Ok((row.id(0)?, row.opt_text(1)?))).await
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let params = [1, 3_000, 500].map(Value::Int).to_vec();
    vec![("custom values of the newest people", VALUES.to_owned(), params)]
}
