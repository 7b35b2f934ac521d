//! Exports: asked for, built by a job, read until their time is over.

use std::{collections::HashSet, thread::JoinHandle, time::Duration};

use serde::Deserialize;
use tokio::sync::mpsc;

use super::{App, Error, Links, Missing, Result, jobs};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        custom_field::CustomField,
        export::{Export, Filters, Page, State},
        field_errors::FieldErrors,
        institution::Institution,
        job::{Held, Job},
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
        participant::Participant,
        report::{Part, Press},
        text::BLANK,
    },
    store::{
        self, RowStream, Sql, custom_fields,
        exports::{self, Leaving, PartRow},
        institutions, name_pages, rolls,
    },
};

/// What a request says; `name_page_id` as it came.
#[derive(Debug, Default)]
pub struct Asked {
    pub created_after: Option<Moment>,
    pub updated_after: Option<Moment>,
    pub name_page_id: Option<String>,
    /// What could not be read.
    pub errors: FieldErrors,
}

pub async fn create(app: &App, institution: i64, asked: Asked) -> Result<Export> {
    let Asked { created_after, updated_after, name_page_id, mut errors } = asked;
    if created_after.is_none() && updated_after.is_none() && name_page_id.is_none() && errors.is_empty() {
        for field in ["created_after", "updated_after", "name_page_id"] {
            errors.add(field, BLANK);
        }
    }
    let page = match name_page_id {
        Some(given) => {
            let found = match NamePageRef::parse(&given) {
                Some(page) => name_pages::find(&mut app.db.read(), institution, &page).await?,
                None => None,
            };
            if found.is_none() {
                errors.add("name_page_id", "is not found");
            }
            found.map(|page| Page { given, id: page.id })
        }
        None => None,
    };
    errors.into_result()?;
    let now = app.clock.now();
    let filters = Filters { created_after, updated_after, page };
    let export = Export::request(app.ids.id(now), filters, now, app.export_life);
    let job = Job::BuildExport { institution, export: export.id, base_url: app.links.base().to_owned() };
    let job_id = app.ids.id(now);
    let made = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                exports::insert(sql, institution, &export).await?;
                jobs::enqueue(sql, job_id, &job, now, now).await?;
                Ok(export)
            })
        })
        .await?;
    app.queue.wake();
    Ok(made)
}

pub async fn find(app: &App, institution: i64, id: i64) -> Result<Export> {
    exports::find(&mut app.db.read(), institution, id).await?.ok_or(Error::Missing(Missing::Export))
}

pub async fn list(app: &App, institution: i64, window: Window) -> Result<(Vec<Export>, u64)> {
    Ok(exports::list(&mut app.db.read(), institution, window).await?)
}

/// A finished report, read part by part.
pub struct Report {
    app: App,
    institution: i64,
    export: i64,
    next: i64,
}

/// A part may be written anew while it is read; more often than this it is not chance.
const MOST_LOOKS: u32 = 10;

impl Report {
    pub fn new(app: &App, institution: i64, export: &Export) -> Self {
        Self { app: app.clone(), institution, export: export.id, next: 0 }
    }

    /// The next part, without people who are deleted by now.
    pub async fn next(&mut self) -> Result<Option<Part>> {
        let mut looks = 0;
        while looks < MOST_LOOKS {
            looks += 1;
            let sql = &mut self.app.db.read();
            let look = exports::part_from(sql, self.institution, self.export, self.next).await?;
            let Some(row) = look else { return self.is_whole().await };
            let departed = exports::departed(sql, self.institution, &row).await?;
            let Some(part) = read_part(&self.app, self.institution, &row).await? else { continue };
            // Whoever takes the departed out forgets them then. So they are known here, or the part is another by now.
            let now = exports::part_from(sql, self.institution, self.export, self.next).await?;
            if now.as_ref() != Some(&row) {
                continue;
            }
            self.next = row.number + 1;
            looks = 0;
            if departed.is_empty() {
                return Ok(Some(part));
            }
            if let Some(part) = without(part, departed).await? {
                return Ok(Some(part));
            }
        }
        Err(Error::Unavailable("a part of a report is not in the store".to_owned()))
    }

    /// No part is left: because this is the end, or because the report is over and all are gone.
    async fn is_whole(&self) -> Result<Option<Part>> {
        let export = exports::find(&mut self.app.db.read(), self.institution, self.export).await?;
        match export {
            Some(export) if export.state == State::Completed => Ok(None),
            _ => Err(Error::Unavailable("a report was over before it was read".to_owned())),
        }
    }
}

async fn read_part(app: &App, institution: i64, row: &PartRow) -> Result<Option<Part>> {
    let bytes = app.blobs.read(&key(institution, &row.hex)).await?;
    Ok(bytes.map(|bytes| Part {
        compressed: bytes.into(),
        sum: row.sum,
        first_id: row.first_id,
        last_id: row.last_id,
    }))
}

/// Takes people out of a part. Records tell who they are by the address of their badge.
async fn without(part: Part, departed: Vec<String>) -> Result<Option<Part>> {
    #[derive(Deserialize)]
    struct Record<'a> {
        name_badge_link: &'a str,
    }
    let work = move || {
        let departed: HashSet<String> = departed.into_iter().collect();
        part.without(|record| {
            let record = serde_json::from_slice::<Record<'_>>(record);
            record.is_ok_and(|record| departed.contains(Links::token_of_badge(record.name_badge_link)))
        })
    };
    let left = tokio::task::spawn_blocking(work).await.map_err(|error| Error::Internal(error.to_string()))?;
    left.map_err(|error| Error::Internal(error.to_string()))
}

fn key(institution: i64, hex: &str) -> Key {
    Key { shelf: Shelf::Exports, institution, hex: hex.to_owned() }
}

/// Removes files of reports. What cannot be removed now is the sweep's.
pub(super) async fn discard(app: &App, institution: i64, hexes: &[String]) {
    for hex in hexes {
        if let Err(error) = app.blobs.remove(&key(institution, hex)).await {
            tracing::warn!(%error, "a part of a report could not be removed; the next sweep will");
        }
    }
}

/// Writes one record.
pub type Write = Box<dyn Fn(&Participant, &mut Vec<u8>) + Send>;

/// Builds a report. `writer` is told whose people they are and which custom fields they have.
pub async fn build(
    app: &App,
    held: &Held,
    institution: i64,
    export: i64,
    writer: impl Fn(Institution, Vec<CustomField>) -> Write,
) -> Result<()> {
    let Some((owner, filters)) = start(app, held, institution, export).await? else { return Ok(()) };
    let (fields, people) = picture(app, institution, &filters).await?;
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let (mut parts, pressing) = press(people, writer(owner, fields))?;
    let mut number = 0;
    while let Some(part) = parts.recv().await {
        let part = part?;
        let row = PartRow {
            number,
            hex: app.ids.hex(),
            first_id: part.first_id,
            last_id: part.last_id,
            sum: part.sum,
        };
        number += 1;
        app.blobs.put(&key(institution, &row.hex), part.compressed.into()).await?;
        let held = held.clone();
        app.db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    still_ours(sql, &held).await?;
                    Ok(exports::insert_part(sql, institution, export, &row).await?)
                })
            })
            .await?;
    }
    // The end of the parts is the end of the report only if the thread that made them came to its own.
    let ended = tokio::task::spawn_blocking(move || pressing.join()).await;
    if !matches!(ended, Ok(Ok(()))) {
        return Err(Error::Internal("the thread that writes reports has broken".to_owned()));
    }
    complete(app, held, institution, export, names).await
}

async fn still_ours(sql: &mut Sql, held: &Held) -> Result<()> {
    if store::jobs::is_held(sql, held).await? {
        Ok(())
    } else {
        Err(Error::Unavailable("the job has gone to another worker".to_owned()))
    }
}

/// `None` when there is nothing to build any more.
async fn start(app: &App, held: &Held, institution: i64, id: i64) -> Result<Option<(Institution, Filters)>> {
    let (held, now) = (held.clone(), app.clock.now());
    let scrub_job = app.ids.id(now);
    let (begun, left) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Whoever is deleted from here on sees that a report may have them.
                rolls::lock(sql, institution).await?;
                still_ours(sql, &held).await?;
                let owner = institutions::by_id(sql, institution).await?;
                let (Some(owner), Some(export)) = (owner, exports::find(sql, institution, id).await?) else {
                    return Ok((None, Vec::new()));
                };
                let next = if export.is_over(now) { State::Expired } else { State::InProgress };
                let Ok(next) = export.state.to(next) else { return Ok((None, Vec::new())) };
                exports::set_state(sql, institution, id, next).await?;
                // What an attempt that was cut short has left.
                let left = exports::delete_parts(sql, institution, id).await?;
                if next == State::Expired {
                    scrub_if_needed(sql, scrub_job, institution, now).await?;
                }
                Ok(((next == State::InProgress).then_some((owner, export.filters)), left))
            })
        })
        .await?;
    discard(app, institution, &left).await;
    Ok(begun)
}

/// People as the database had them at one moment, with the first group at hand, and the custom fields of that moment:
/// they were the same before and after it began.
async fn picture(app: &App, institution: i64, filters: &Filters) -> Result<(Vec<CustomField>, Picture)> {
    loop {
        let before = custom_fields::all(&mut app.db.read(), institution).await?;
        let mut rest = exports::people(&app.db, institution, filters);
        let first = rest.next().await.transpose()?;
        let after = custom_fields::all(&mut app.db.read(), institution).await?;
        if before == after {
            return Ok((before, Picture { first, rest }));
        }
    }
}

struct Picture {
    first: Option<Vec<Participant>>,
    rest: RowStream<Participant>,
}

/// Whoever looks a name up comes first, and an export comes to its end all the same: at 19 it would get next to nothing of a
/// busy machine.
const PRIORITY: i32 = 10;

/// Writes and compresses on a thread of its own, of low priority.
fn press(mut people: Picture, write: Write) -> Result<(mpsc::Receiver<Result<Part>>, JoinHandle<()>)> {
    let (sender, parts) = mpsc::channel(1);
    let work = move || {
        let _ = rustix::process::nice(PRIORITY);
        let (mut press, mut record) = (Press::default(), Vec::new());
        let groups = people.first.take().map(Ok).into_iter();
        let rest = std::iter::from_fn(|| people.rest.blocking_next());
        for group in groups.chain(rest) {
            let group = match group {
                Ok(group) => group,
                Err(error) => return drop(sender.blocking_send(Err(error.into()))),
            };
            for person in group {
                record.clear();
                write(&person, &mut record);
                press.add(person.id, &record);
                if press.is_full()
                    && let Some(part) = press.finish()
                    && sender.blocking_send(Ok(part)).is_err()
                {
                    return;
                }
            }
        }
        if let Some(part) = press.finish() {
            let _ = sender.blocking_send(Ok(part));
        }
    };
    let started = std::thread::Builder::new().name("report".to_owned()).spawn(work);
    started.map(|thread| (parts, thread)).map_err(|error| Error::Unavailable(error.to_string()))
}

/// The report is there, and its job is done, in one step.
async fn complete(app: &App, held: &Held, institution: i64, id: i64, fields: Vec<String>) -> Result<()> {
    let (held, now) = (held.clone(), app.clock.now());
    let scrub = app.ids.id(now);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                still_ours(sql, &held).await?;
                let export = exports::find(sql, institution, id).await?;
                let export = export.ok_or(Error::Missing(Missing::Export))?;
                let done = export.state.to(State::Completed).map_err(|wrong| {
                    Error::Internal(format!("an export cannot go from {:?} to {:?}", wrong.from, wrong.to))
                })?;
                exports::set_state(sql, institution, id, done).await?;
                let names: Vec<&str> = fields.iter().map(String::as_str).collect();
                exports::set_custom_fields(sql, institution, id, &names).await?;
                // Somebody who was in the picture may have been deleted since.
                scrub_if_needed(sql, scrub, institution, now).await?;
                Ok(store::jobs::remove(sql, &held).await?)
            })
        })
        .await
}

/// An export is not in progress any more: whoever left meanwhile can be taken out, and forgotten.
async fn scrub_if_needed(sql: &mut Sql, job: i64, institution: i64, now: Moment) -> Result<()> {
    if exports::any_departed(sql, institution).await? {
        jobs::enqueue(sql, job, &Job::ScrubExports { institution }, now, now).await?;
    }
    Ok(())
}

/// The last attempt has failed. Says which files nobody needs any more.
pub(super) async fn give_up(
    sql: &mut Sql,
    job: i64,
    institution: i64,
    id: i64,
    now: Moment,
) -> Result<Vec<String>> {
    if let Some(export) = exports::find(sql, institution, id).await?
        && let Ok(failed) = export.state.to(State::Failed)
    {
        exports::set_state(sql, institution, id, failed).await?;
        scrub_if_needed(sql, job, institution, now).await?;
        return Ok(exports::delete_parts(sql, institution, id).await?);
    }
    Ok(Vec::new())
}

/// Several who are deleted one after the other are taken out of reports at once.
const TOGETHER: Duration = Duration::from_secs(2);

/// Called while they are still there, in the transaction that deletes them; it holds the institution's lock.
pub(super) async fn leave(
    sql: &mut Sql,
    job: i64,
    institution: i64,
    leaving: Leaving,
    now: Moment,
) -> Result<()> {
    if exports::any_in(sql, institution, &[State::InProgress, State::Completed]).await? {
        exports::depart(sql, institution, leaving).await?;
        jobs::enqueue(sql, job, &Job::ScrubExports { institution }, now.plus(TOGETHER), now).await?;
    }
    Ok(())
}

/// More often than this it is not chance that others write the same parts anew.
const MOST_PASSES: u32 = 10;

/// Takes deleted people out of the reports that are kept.
pub async fn scrub(app: &App, institution: i64) -> Result<()> {
    // In this order. Whoever is known here is not in any report that begins later; one that is being built now may have
    // them, and asks for this again when it is there; all others are looked at below.
    let departed = exports::departures(&mut app.db.read(), institution).await?;
    let building = exports::any_in(&mut app.db.read(), institution, &[State::InProgress]).await?;
    for _ in 0..MOST_PASSES {
        if scrub_parts(app, institution).await? {
            if !building {
                forget(app, institution, departed).await?;
            }
            return Ok(());
        }
    }
    Err(Error::Unavailable(
        "parts of reports are written anew all the time, or are not in the store".to_owned(),
    ))
}

/// False when a part was not as it had been listed, and so may have somebody still.
async fn scrub_parts(app: &App, institution: i64) -> Result<bool> {
    let mut all = true;
    for (export, row) in exports::touched(&mut app.db.read(), institution).await? {
        let tokens = exports::departed(&mut app.db.read(), institution, &row).await?;
        let Some(part) = read_part(app, institution, &row).await? else {
            all = false;
            continue;
        };
        let before = part.sum;
        let left = without(part, tokens).await?;
        if left.as_ref().is_none_or(|left| left.sum != before) {
            all &= replace_part(app, institution, export, row, left).await?;
        }
    }
    Ok(all)
}

async fn forget(app: &App, institution: i64, departed: Vec<i64>) -> Result<()> {
    app.db
        .write(move |sql| {
            Box::pin(async move { Ok(exports::forget_departures(sql, institution, &departed).await?) })
        })
        .await
}

/// False when it has become another part, or is gone.
async fn replace_part(
    app: &App,
    institution: i64,
    export: i64,
    old: PartRow,
    left: Option<Part>,
) -> Result<bool> {
    let (old_hex, mut new_hex) = (old.hex.clone(), None);
    let new = match left {
        Some(part) => {
            let row = PartRow { hex: app.ids.hex(), sum: part.sum, ..old.clone() };
            new_hex = Some(row.hex.clone());
            app.blobs.put(&key(institution, &row.hex), part.compressed.into()).await?;
            Some(row)
        }
        None => None,
    };
    let replaced = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                Ok(match &new {
                    Some(new) => exports::replace_part(sql, institution, export, &old, new).await?,
                    None => exports::delete_part(sql, institution, export, &old).await?,
                })
            })
        })
        .await?;
    let useless = if replaced { Some(old_hex) } else { new_hex };
    discard(app, institution, useless.as_slice()).await;
    Ok(replaced)
}

const EXPIRED_AT_ONCE: i64 = 100;

/// Removes the reports whose time is over.
pub async fn expire(app: &App) -> Result<()> {
    loop {
        let now = app.clock.now();
        let over = exports::over(&mut app.db.read(), State::Completed, now, EXPIRED_AT_ONCE).await?;
        if over.is_empty() {
            return Ok(());
        }
        for (institution, id) in over {
            let gone = app
                .db
                .write::<_, Error>(move |sql| {
                    Box::pin(async move {
                        let export = exports::find(sql, institution, id).await?;
                        if let Some(Ok(over)) = export.map(|export| export.state.to(State::Expired)) {
                            exports::set_state(sql, institution, id, over).await?;
                        }
                        Ok(exports::delete_parts(sql, institution, id).await?)
                    })
                })
                .await?;
            discard(app, institution, &gone).await;
        }
    }
}
