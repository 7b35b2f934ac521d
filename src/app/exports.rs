//! Exports: asked for, built by a job, read until their time is over.

mod build;
mod departures;
mod report;

pub use build::{Write, build};
pub use departures::scrub;
pub use report::Report;

pub(super) use build::give_up;
pub(super) use departures::{come_back, leave};

use super::{App, Error, Missing, Result, jobs};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        export::{Export, Filters, Page, State},
        field_errors::FieldErrors,
        job::Job,
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
        text::BLANK,
    },
    store::{exports, name_pages},
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
