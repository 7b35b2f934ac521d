//! Copies the people of a name page to its copy, without their recordings, in the background.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::{
    App, Error, Result,
    audit::{self, Record as AuditRecord},
};
use crate::{
    domain::{
        access::SearchScope,
        audit::{Act, Who},
        email::email_key,
        ids::{InstitutionId, ModerationId, NamePageId, ParticipantId},
        moment::Moment,
        participant::{Legal, Participant},
        text,
    },
    store::{
        Sql, custom_fields, imports, moderation, outsiders, page_settings,
        participants::{self, KeyFilter, KeyKind, Record},
        rolls::{self, Start},
    },
};

/// People who are copied in one transaction.
const BATCH: usize = 200;

/// Which people are copied, and where to.
#[derive(Debug, Clone, Copy)]
pub struct PeopleCopy {
    pub institution: InstitutionId,
    pub from: NamePageId,
    pub to: NamePageId,
}

/// Copies everybody with an email who is not there yet, so that it can be interrupted and run again. Nobody is called or written to.
pub async fn run(app: &App, copy: PeopleCopy) -> Result<()> {
    let mut place = 0;
    loop {
        let now = app.clock.now();
        let new = (0..BATCH).map(|_| (app.ids.hex(), app.ids.id(now))).collect();
        let record = AuditRecord::by(app, Who::SYSTEM, copy.institution, Act::ParticipantCreated);
        let owned_app = app.clone();
        let next = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    let (next, new) = copy_part(sql, copy, place, new, now).await?;
                    log(sql, &owned_app, &record, &new).await?;
                    Ok(next)
                })
            })
            .await?;
        match next {
            Some(next) => place = next,
            None => return Ok(()),
        }
    }
}

/// Writes that these people were registered.
async fn log(sql: &mut Sql, app: &App, record: &AuditRecord, new: &[ParticipantId]) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let fields = custom_fields::all(sql, record.institution()).await?;
    let people = participants::by_ids(sql, record.institution(), new).await?;
    let record = |person: &Participant| {
        let record = record.another(&app.ids).participant(person);
        record.change(Json::Null, audit::of_participant(person, &fields))
    };
    let records: Vec<AuditRecord> = people.iter().map(record).collect();
    Ok(audit::write(sql, &records).await?)
}

/// Copies the people from a place on. Returns where to continue, if there may be more, and who is new.
async fn copy_part(
    sql: &mut Sql,
    PeopleCopy { institution, from, to }: PeopleCopy,
    place: i64,
    tokens: Vec<(String, ModerationId)>,
    now: Moment,
) -> Result<(Option<i64>, Vec<ParticipantId>)> {
    rolls::lock(sql, institution).await?;
    // It may have been deleted since.
    if page_settings::find(sql, institution, to).await?.is_none() {
        return Ok((None, Vec::new()));
    }
    let start = Start { place, pass: 0 };
    let found = participants::in_roll(sql, institution, Some(from), start, BATCH as u64).await?;
    let next = found.last().filter(|_| found.len() == BATCH).map(|last| last.page_place + 1);
    let new = missing_on(sql, institution, to, found).await?;
    let ids: Vec<ParticipantId> = new.iter().map(|person| person.id).collect();
    let mut phones = imports::phone_numbers(sql, institution, &ids).await?;
    let outside: HashSet<ParticipantId> =
        outsiders::among(sql, institution, &ids).await?.into_iter().collect();
    let count = i64::try_from(new.len()).unwrap_or(i64::MAX);
    if count == 0 {
        return Ok((next, Vec::new()));
    }
    let first = rolls::join_all(sql, institution, rolls::INSTITUTION, count).await?;
    let first_place = rolls::join_all(sql, institution, to, count).await?;
    let (mut records, mut marked, mut held) = (Vec::with_capacity(new.len()), Vec::new(), Vec::new());
    for (at, (person, (token, case))) in (0_i64..).zip(new.into_iter().zip(tokens)) {
        let id = ParticipantId::new(first + at);
        if outside.contains(&person.id) {
            marked.push(id);
        }
        if person.is_held {
            held.push((id, case));
        }
        records.push(Record {
            name_page_id: to,
            email_key: person.email.as_deref().map(email_key),
            identifier_key: person.identifier.as_deref().map(text::nfc),
            phone_number: phones.remove(&person.id),
            person: Participant {
                id,
                page_place: first_place + at,
                token,
                recording: None,
                photo: None,
                legal: Legal { recording: None, ..person.legal },
                ..person
            },
            now,
        });
    }
    participants::insert_all(sql, institution, &records).await?;
    for id in marked {
        outsiders::mark(sql, institution, id).await?;
    }
    // What waits for approval there waits here, too.
    for (id, case) in held {
        moderation::hold_entry(sql, institution, (id, to), case, now).await?;
    }
    Ok((next, records.iter().map(|record| record.person.id).collect()))
}

/// Those with an email who are not on the page yet.
async fn missing_on(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    people: Vec<Participant>,
) -> Result<Vec<Participant>> {
    let keys: Vec<String> =
        people.iter().filter_map(|person| person.email.as_deref().map(email_key)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let filter = KeyFilter::new(SearchScope::Page(page), KeyKind::Email, &keys);
    let there = participants::by_keys(sql, institution, filter).await?;
    let there: HashSet<String> =
        there.iter().filter_map(|person| person.email.as_deref().map(email_key)).collect();
    let is_new = |person: &Participant| {
        person.email.as_deref().map(email_key).is_some_and(|key| !there.contains(&key))
    };
    Ok(people.into_iter().filter(is_new).collect())
}
