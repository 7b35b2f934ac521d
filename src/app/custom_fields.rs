//! Custom fields, which the operator creates and deletes.

use super::{Actor, App, Error, Missing, Result};
use crate::{
    domain::{
        access::{Access, Action},
        custom_field::{CustomField, name_fault},
        fault::{Fault, Field},
        ids::InstitutionId,
        text::{self, Lines, longest},
    },
    store::{self, custom_fields},
};

pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    label: Option<String>,
) -> Result<CustomField> {
    actor.administer(institution)?;
    if let Some(fault) = name_fault(&name) {
        return Err(Error::invalid(Field::Name, fault));
    }
    let label = label.unwrap_or_else(|| name.replace('_', " "));
    if let Some(fault) = text::fault(&label, longest::TITLE, Lines::One) {
        return Err(Error::invalid(Field::Label, fault));
    }
    let now = app.clock.now();
    let field = CustomField { id: app.ids.id(now), name, label };
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                custom_fields::insert(sql, institution, &field, now).await?;
                Ok(field)
            })
        })
        .await;
    made.map_err(|error| match error {
        store::Error::Conflict => Error::invalid(Field::Name, Fault::Taken),
        other => other.into(),
    })
}

pub async fn all(app: &App, access: &Access) -> Result<Vec<CustomField>> {
    access.check(Action::Read)?;
    Ok(custom_fields::all(&mut app.db.read(), access.institution).await?)
}

pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, name: String) -> Result<()> {
    actor.administer(institution)?;
    let deleted = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(custom_fields::delete(sql, institution, &name).await?) })
        })
        .await?;
    if deleted { Ok(()) } else { Err(Error::Missing(Missing::CustomField)) }
}
