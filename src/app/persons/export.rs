//! Exports everything stored about a person, for that person.

use std::collections::VecDeque;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::{
    app::{
        Actor, App, Error, Missing, Result, audiences,
        audit::{self, Record as AuditRecord},
        media::keys,
        streams::Chunks,
        zip_stream::ZipStream,
    },
    blobs::{Key, Shelf},
    domain::{
        audit::Act, custom_field::CustomField, ids::InstitutionId, ids::ParticipantId,
        institution::Institution, media::Media, moment::Moment, name_page::NamePageRef, session::PersonId,
    },
    store::{
        self, Sql, consents, custom_fields, name_pages,
        persons::{self, Record, Registration},
        rolls,
    },
};

/// Entries of the audit log.
const MOST_CHANGES: usize = 10_000;

/// All rows as JSON, and the files.
pub struct Export {
    pub about: Value,
    pub files: Vec<File>,
}

/// A recording, its original upload, a picture or its thumbnail.
pub struct File {
    pub name: String,
    key: Key,
}

impl File {
    /// Returns `None` if the file was deleted or replaced since.
    pub async fn read(&self, app: &App) -> Result<Option<Bytes>> {
        Ok(app.blobs.read(&self.key).await?)
    }
}

/// The export as a ZIP file, in chunks: only one file is in memory at a time.
pub struct Archive {
    app: App,
    about: Option<Value>,
    files: VecDeque<File>,
    zip: ZipStream,
    /// The files that the blob store does not have.
    pub missing: Vec<String>,
}

impl Archive {
    pub fn new(app: &App, export: Export) -> Self {
        Self {
            app: app.clone(),
            about: Some(export.about),
            files: export.files.into(),
            zip: ZipStream::default(),
            missing: Vec::new(),
        }
    }
}

impl Chunks for Archive {
    async fn next(&mut self) -> Result<Option<Bytes>> {
        loop {
            let (name, bytes) = if let Some(about) = self.about.take() {
                let json = serde_json::to_vec_pretty(&about);
                let json = json.map_err(|error| Error::Internal(error.to_string()))?;
                ("person.json".to_owned(), Bytes::from(json))
            } else if let Some(file) = self.files.pop_front() {
                let Some(bytes) = file.read(&self.app).await? else {
                    self.missing.push(file.name);
                    continue;
                };
                (file.name, bytes)
            } else {
                return self.zip.finish();
            };
            return Ok(Some(self.zip.add(&name, &bytes)?));
        }
    }
}

/// Exports everything about the person with this email, as a consistent snapshot. People can do this themselves.
pub async fn export(
    app: &App,
    actor: &Actor,
    institution: &Institution,
    email_key: String,
) -> Result<Export> {
    let person = PersonId { institution: institution.id, email_key: email_key.clone() };
    actor.represent(&person)?;
    let record = AuditRecord::new(app, actor, institution.id, Act::PersonExported).of_person(&person);
    let (owner, now) = (institution.clone(), app.clock.now());
    let (about, media) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // The lock blocks writers, so that all rows are from one snapshot.
                rolls::lock(sql, owner.id).await?;
                let found = everything(sql, &owner, &email_key, now).await?;
                audit::write(sql, &[record]).await?;
                Ok(found)
            })
        })
        .await?;
    let files = media.iter().flat_map(|one| keys(institution.id, one)).map(file).collect();
    Ok(Export { about, files })
}

async fn everything(
    sql: &mut Sql,
    owner: &Institution,
    email_key: &str,
    now: Moment,
) -> Result<(Value, Vec<Media>)> {
    let entries = super::registrations(sql, owner.id, email_key).await?;
    let fields = custom_fields::all(sql, owner.id).await?;
    let (mut registrations, mut media, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for one in entries {
        registrations.push(registration(sql, owner, &fields, one).await?);
        media.extend(store::media::all_of(sql, owner.id, one.id).await?);
        numbers.extend(persons::phone_numbers(sql, owner.id, one).await?);
    }
    let mut not_to_call = Vec::new();
    for number in numbers {
        if store::calls::is_opted_out(sql, owner.id, &number).await? && !not_to_call.contains(&number) {
            not_to_call.push(number);
        }
    }
    let id = PersonId { institution: owner.id, email_key: email_key.to_owned() };
    let is_known_elsewhere = store::sign_ins::is_known_elsewhere(sql, &id).await?;
    let messages = store::outbox::records_of(sql, &id, !is_known_elsewhere).await?;
    let mut person = Map::new();
    for table in persons::PERSON_TABLES {
        let rows = persons::rows_of_person(sql, owner.id, email_key, table).await?;
        person.insert(table.into(), rows.into_iter().map(|row| shown(without_secrets(row), owner)).collect());
    }
    let audience = audiences::find_in(sql, owner.id, email_key).await?.audience;
    let consent_texts = consent_texts(sql, owner.id, &person).await?;
    let changes = audit::told(sql, &id, MOST_CHANGES).await?;
    let changes: Vec<Value> = changes.iter().map(|change| change.as_json(&owner.time_zone)).collect();
    let about = json!({
        "institution": owner.name,
        "email": email_key,
        "audience": audience.word(),
        "exported_at": now.shown_in(&owner.time_zone),
        "registrations": registrations,
        "do_not_call": not_to_call,
        "messages": messages.into_iter().map(|row| shown(row, owner)).collect::<Vec<_>>(),
        "consent_texts": consent_texts,
        "changes": changes,
        "person": person,
    });
    Ok((about, media))
}

/// The institution's texts that they have agreed to. The built-in one is not stored.
async fn consent_texts(
    sql: &mut Sql,
    institution: InstitutionId,
    person: &Map<String, Value>,
) -> Result<Vec<Value>> {
    let mut found = Vec::new();
    for consent in person.get("consents").and_then(Value::as_array).into_iter().flatten() {
        let version = consent["version"].as_str().unwrap_or_default();
        if let Some(text) = consents::text(sql, institution, version).await? {
            let language = consent["language"].as_str().unwrap_or_default();
            found.push(json!({ "version": version, "language": language, "text": text.texts.get(language) }));
        }
    }
    Ok(found)
}

/// Digests and tokens of sessions say nothing about the person.
fn without_secrets(mut row: Record) -> Record {
    row.retain(|name, _| !name.contains("digest") && name != "id_token" && name != "sso_session");
    row
}

/// Which manager has decided about a recording is that person's data.
fn without_others(mut row: Record) -> Record {
    row.remove("decided_by");
    row
}

async fn registration(
    sql: &mut Sql,
    owner: &Institution,
    fields: &[CustomField],
    registration: Registration,
) -> Result<Value> {
    let missing = || Error::Missing(Missing::Participant);
    let mut row = persons::record(sql, owner.id, registration).await?.ok_or_else(missing)?;
    let custom = custom_values(row.remove("custom"), registration.id, fields)?;
    let page = match NamePageRef::parse(&registration.page.to_string()) {
        Some(page) => name_pages::find(sql, owner.id, &page).await?,
        None => None,
    };
    let mut about = Map::new();
    about.insert(
        "name_page".into(),
        json!(page.map(|page| json!({ "title": page.title, "slug": page.slug }))),
    );
    about.insert("left_the_course".into(), json!(registration.hidden));
    about.insert("participant".into(), shown(row, owner));
    about.insert("custom_attributes".into(), custom);
    for (table, _) in persons::TABLES {
        let rows = persons::rows_in(sql, owner.id, registration.id, table).await?;
        let rows = rows.into_iter().map(without_others);
        about.insert(table.into(), rows.map(|row| shown(row, owner)).collect());
    }
    let attempts = persons::attempts(sql, owner.id, registration.id).await?;
    about.insert("call_attempts".into(), attempts.into_iter().map(|row| shown(row, owner)).collect());
    Ok(Value::Object(about))
}

/// Keys the values by field name instead of id. Values of deleted fields keep the id.
fn custom_values(custom: Option<Value>, participant: ParticipantId, fields: &[CustomField]) -> Result<Value> {
    let values: Map<String, Value> = match custom.as_ref().and_then(Value::as_str) {
        Some(json) => store::stored_json(("participants", "custom", participant), json)?,
        None => Map::new(),
    };
    let named = values.into_iter().map(|(id, value)| {
        let field = fields.iter().find(|field| field.id.to_string() == id);
        (field.map_or(id, |field| field.name.clone()), value)
    });
    Ok(Value::Object(named.collect()))
}

/// Formats times for people, and integers that stand for booleans as booleans, the same on both databases.
fn shown(row: Record, owner: &Institution) -> Value {
    let columns = row.into_iter().filter(|(name, _)| name != "institution_id");
    let columns = columns.map(|(name, value)| {
        let value = match value.as_i64() {
            Some(0) if name.ends_with("recorded_at") => Value::Null,
            Some(micros) if name.ends_with("_at") || name == "until" => {
                Moment::from_micros(micros).shown_in(&owner.time_zone).into()
            }
            Some(number) if matches!(name.as_str(), "hidden" | "original" | "badge_listed") => {
                (number != 0).into()
            }
            _ => value,
        };
        (name, value)
    });
    Value::Object(columns.collect())
}

fn file(key: Key) -> File {
    let hex = &key.hex;
    let name = match key.shelf {
        Shelf::Recordings => format!("recordings/recording_{hex}.mp3"),
        Shelf::Originals => format!("originals/original_{hex}"),
        Shelf::Photos => format!("photos/photo_{hex}.jpg"),
        Shelf::Thumbnails => format!("photos/photo_{hex}_128.jpg"),
        Shelf::Exports => format!("exports/{hex}"),
    };
    File { name, key }
}
