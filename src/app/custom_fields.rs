//! Custom fields: created, changed, put in order and deleted.

use std::collections::HashMap;

use serde::de::IgnoredAny;
use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        access::{Access, Action},
        audit::{Act, SubjectKind},
        custom_field::{CustomField, FieldKind, name_fault, parse_options, sort_for_pages},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{CustomFieldId, InstitutionId, ParticipantId},
        name_page::NamePage,
        page_settings::{Asking, PageSettings},
        text::{self, Lines, longest},
        version::{check_base, version_of},
    },
    store::{self, Sql, custom_fields, page_lists, rolls, stored_json},
};

/// A field to be created.
#[derive(Debug, Clone, Default)]
pub struct New {
    pub name: String,
    /// Derived from the name if absent.
    pub label: Option<String>,
    pub editable: bool,
    pub kind: FieldKind,
    /// As typed, for the kinds that have options.
    pub options: Vec<String>,
    pub asked: Asking,
    pub on_badge: bool,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, new: New) -> Result<CustomField> {
    actor.administer(institution)?;
    let New { name, label, editable, kind, options, asked, on_badge } = new;
    let mut errors = FieldErrors::default();
    if let Some(fault) = name_fault(&name) {
        errors.add(Field::Name, fault);
    }
    let label = label.unwrap_or_else(|| name.replace('_', " "));
    check_label(&label, &mut errors);
    let options = checked_options(kind, &options, &mut errors);
    errors.into_result()?;
    let now = app.clock.now();
    let field =
        CustomField { id: app.ids.id(now), name, label, editable, kind, options, asked, on_badge, place: 0 };
    let record = Record::new(app, actor, institution, Act::CustomFieldCreated);
    let record = about(record, &field).change(Json::Null, values(&field));
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                let all = custom_fields::all(sql, institution).await?;
                // Behind all others, if somebody has put those in order.
                let last = all.iter().map(|one| one.place).max().unwrap_or_default();
                let field = CustomField { place: if last > 0 { last + 1 } else { 0 }, ..field };
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
    json!({
        "name": field.name,
        "label": field.label,
        "editable": field.editable,
        "kind": field.kind.word(),
        "options": field.options,
        "asked": field.asked.word(),
        "on_badge": field.on_badge,
    })
}

fn check_label(label: &str, errors: &mut FieldErrors) {
    if text::is_invisible(label) {
        errors.add(Field::Label, Fault::Blank);
    } else if let Some(fault) = text::fault(label, longest::TITLE, Lines::One) {
        errors.add(Field::Label, fault);
    }
}

/// The options of a kind that has some. For others, they are dropped.
fn checked_options(kind: FieldKind, given: &[String], errors: &mut FieldErrors) -> Vec<String> {
    if !kind.has_options() {
        return Vec::new();
    }
    match parse_options(given.iter().map(String::as_str)) {
        Ok(options) => {
            if options.is_empty() {
                errors.add(Field::Options, SetupFault::OptionsNeeded);
            }
            options
        }
        Err(fault) => {
            errors.add(Field::Options, fault);
            Vec::new()
        }
    }
}

/// A change of a field; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct Change {
    pub label: Option<String>,
    pub editable: Option<bool>,
    pub kind: Option<FieldKind>,
    /// As typed. Replaces all of them.
    pub options: Option<Vec<String>>,
    pub asked: Option<Asking>,
    pub on_badge: Option<bool>,
    /// What the change is based on (`version`). If the field has another one by now, nothing is changed: `SetupFault::Outdated`.
    pub base: Option<String>,
}

/// Tells whether a field is still the same, wherever it stands.
pub fn version(field: &CustomField) -> String {
    let CustomField { id, name: _, label, editable, kind, options, asked, on_badge, place: _ } = field;
    version_of(&(id, label, editable, kind, options, asked, on_badge))
}

pub async fn update(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    change: Change,
) -> Result<CustomField> {
    actor.administer(institution)?;
    let mut errors = FieldErrors::default();
    if let Some(label) = &change.label {
        check_label(label, &mut errors);
    }
    let record = Record::new(app, actor, institution, Act::CustomFieldUpdated);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = named(sql, institution, &name).await?;
                check_base(change.base.as_deref(), &version(&old))?;
                let before = values(&old);
                let kind = change.kind.unwrap_or(old.kind);
                let options = change.options.unwrap_or_else(|| old.options.clone());
                let field = CustomField {
                    label: change.label.unwrap_or_else(|| old.label.clone()),
                    editable: change.editable.unwrap_or(old.editable),
                    options: checked_options(kind, &options, &mut errors),
                    asked: change.asked.unwrap_or(old.asked),
                    on_badge: change.on_badge.unwrap_or(old.on_badge),
                    kind,
                    ..old
                };
                errors.into_result()?;
                custom_fields::update(sql, institution, &field).await?;
                audit::write_change(sql, about(record, &field).change(before, values(&field))).await?;
                Ok(field)
            })
        })
        .await
}

async fn named(sql: &mut Sql, institution: InstitutionId, name: &str) -> Result<CustomField> {
    let all = custom_fields::all(sql, institution).await?;
    all.into_iter().find(|field| field.name == name).ok_or(Error::Missing(Missing::CustomField))
}

/// Where a field goes in the order of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Up,
    Down,
}

/// Moves a field by one place. The first one stays where it is when it moves up.
pub async fn reorder(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    direction: Direction,
) -> Result<()> {
    actor.administer(institution)?;
    let record = Record::new(app, actor, institution, Act::CustomFieldUpdated);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let mut all = custom_fields::all(sql, institution).await?;
                sort_for_pages(&mut all);
                let at = all.iter().position(|field| field.name == name);
                let at = at.ok_or(Error::Missing(Missing::CustomField))?;
                let to = match direction {
                    Direction::Up => at.saturating_sub(1),
                    Direction::Down => (at + 1).min(all.len() - 1),
                };
                let (before, after) = (json!({ "place": at + 1 }), json!({ "place": to + 1 }));
                let moved = about(record, &all[at]).change(before, after);
                all.swap(at, to);
                for (place, field) in (1..).zip(all) {
                    if field.place != place {
                        custom_fields::update(sql, institution, &CustomField { place, ..field }).await?;
                    }
                }
                audit::write_change(sql, moved).await
            })
        })
        .await
}

pub async fn all(app: &App, access: &Access) -> Result<Vec<CustomField>> {
    access.check(Action::Read)?;
    Ok(custom_fields::all(&mut app.db.read(), access.institution).await?)
}

/// A field, as those see it who define it.
pub async fn find(app: &App, actor: &Actor, institution: InstitutionId, name: &str) -> Result<CustomField> {
    actor.administer(institution)?;
    named(&mut app.db.read(), institution, name).await
}

/// The pages that say themselves how they ask for a field, newest first, without archived ones.
pub async fn pages(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: &str,
) -> Result<Vec<(NamePage, Asking)>> {
    actor.administer(institution)?;
    let found = page_lists::asking(&mut app.db.read(), institution, name).await?;
    let asking = |(page, settings): (NamePage, PageSettings)| {
        let asking = settings.asked.custom.get(name).copied().unwrap_or_default();
        (page, asking)
    };
    Ok(found.into_iter().map(asking).collect())
}

/// How many people have a value of a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    pub values: u64,
    /// How many people were looked at, the newest first.
    pub people: u64,
    /// The institution has more people than that.
    pub is_partial: bool,
}

/// People who are looked at in one statement, and altogether: nobody waits for a count of a million.
const COUNTED: i64 = 1_000;
const MOST_COUNTED: u64 = 20_000;

pub async fn usage(app: &App, actor: &Actor, institution: InstitutionId, name: &str) -> Result<Usage> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let field = named(sql, institution, name).await?;
    let (mut usage, mut before) = (Usage::default(), ParticipantId::new(i64::MAX));
    loop {
        let found = custom_fields::values(sql, institution, before, COUNTED).await?;
        let Some((last, _)) = found.last() else { return Ok(usage) };
        if usage.people >= MOST_COUNTED {
            usage.is_partial = true;
            return Ok(usage);
        }
        before = *last;
        usage.people += found.len() as u64;
        for (person, json) in &found {
            usage.values += u64::from(has_value(*person, json.as_deref(), field.id)?);
        }
    }
}

/// Whether the custom values of a person, in JSON, have one of this field. Ids are the keys.
fn has_value(person: ParticipantId, json: Option<&str>, field: CustomFieldId) -> Result<bool> {
    let Some(json) = json else { return Ok(false) };
    let values: HashMap<String, IgnoredAny> = stored_json(("participants", "custom", person), json)?;
    Ok(values.contains_key(&field.to_string()))
}

pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, name: String) -> Result<()> {
    actor.administer(institution)?;
    let record = Record::new(app, actor, institution, Act::CustomFieldDeleted);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let old = named(sql, institution, &name).await?;
                if !custom_fields::delete(sql, institution, &name).await? {
                    return Err(Error::Missing(Missing::CustomField));
                }
                Ok(audit::write(sql, &[about(record, &old).change(values(&old), Json::Null)]).await?)
            })
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_the_id_of_its_field_only() {
        let has = |json, field| has_value(ParticipantId::new(1), json, CustomFieldId::new(field));
        let json = Some(r#"{"12":"7","3":"a \"7\": b"}"#);
        for (field, is_there) in [(12, true), (3, true), (7, false), (1, false)] {
            assert_eq!(has(json, field).unwrap(), is_there, "{field}");
        }
        assert!(!has(None, 7).unwrap());
        assert!(has(Some("x"), 7).is_err());
    }
}
