//! Custom fields, which the operator creates, updates and deletes.

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        access::{Access, Action},
        audit::{Act, SubjectKind},
        custom_field::{CustomField, name_fault},
        fault::{Fault, Field},
        ids::InstitutionId,
        text::{self, Lines, longest},
    },
    store::{self, Sql, custom_fields, rolls},
};

/// A field to be created.
#[derive(Debug, Clone, Default)]
pub struct New {
    pub name: String,
    /// Derived from the name if absent.
    pub label: Option<String>,
    pub editable: bool,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, new: New) -> Result<CustomField> {
    actor.administer(institution)?;
    let New { name, label, editable } = new;
    if let Some(fault) = name_fault(&name) {
        return Err(Error::invalid(Field::Name, fault));
    }
    let label = label.unwrap_or_else(|| name.replace('_', " "));
    check_label(&label)?;
    let now = app.clock.now();
    let field = CustomField { id: app.ids.id(now), name, label, editable };
    let record = Record::new(app, actor, institution, Act::CustomFieldCreated);
    let record = about(record, &field).change(Json::Null, values(&field));
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                custom_fields::insert(sql, institution, &field, now).await?;
                audit::write(sql, &[record]).await?;
                Ok(field)
            })
        })
        .await;
    made.map_err(|error| match error {
        store::Error::Conflict => Error::invalid(Field::Name, Fault::Taken),
        other => other.into(),
    })
}

fn about(record: Record, field: &CustomField) -> Record {
    record.about(SubjectKind::CustomField, field.id, &field.name)
}

fn values(field: &CustomField) -> Json {
    json!({ "name": field.name, "label": field.label, "editable": field.editable })
}

fn check_label(label: &str) -> Result<()> {
    match text::fault(label, longest::TITLE, Lines::One) {
        Some(fault) => Err(Error::invalid(Field::Label, fault)),
        None => Ok(()),
    }
}

/// A change of a field; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub label: Option<String>,
    pub editable: Option<bool>,
}

pub async fn update(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    change: Change,
) -> Result<CustomField> {
    actor.administer(institution)?;
    let Change { label, editable } = change;
    if let Some(label) = &label {
        check_label(label)?;
    }
    let record = Record::new(app, actor, institution, Act::CustomFieldUpdated);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old =
                    found(sql, institution, &name).await?.ok_or(Error::Missing(Missing::CustomField))?;
                let before = values(&old);
                let field = CustomField {
                    label: label.unwrap_or(old.label),
                    editable: editable.unwrap_or(old.editable),
                    ..old
                };
                custom_fields::update(sql, institution, &field).await?;
                audit::write_change(sql, about(record, &field).change(before, values(&field))).await?;
                Ok(field)
            })
        })
        .await
}

async fn found(sql: &mut Sql, institution: InstitutionId, name: &str) -> Result<Option<CustomField>> {
    let all = custom_fields::all(sql, institution).await?;
    Ok(all.into_iter().find(|field| field.name == name))
}

pub async fn all(app: &App, access: &Access) -> Result<Vec<CustomField>> {
    access.check(Action::Read)?;
    Ok(custom_fields::all(&mut app.db.read(), access.institution).await?)
}

pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, name: String) -> Result<()> {
    actor.administer(institution)?;
    let record = Record::new(app, actor, institution, Act::CustomFieldDeleted);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let old =
                    found(sql, institution, &name).await?.ok_or(Error::Missing(Missing::CustomField))?;
                if !custom_fields::delete(sql, institution, &name).await? {
                    return Err(Error::Missing(Missing::CustomField));
                }
                Ok(audit::write(sql, &[about(record, &old).change(values(&old), Json::Null)]).await?)
            })
        })
        .await
}
