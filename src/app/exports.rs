//! Exports: requested through the API or the console, built by a job, readable until they expire.

mod build;
mod departures;
mod report;

pub use build::{ReportFormat, Write, build};
pub use departures::scrub;
pub use report::Report;

pub(super) use build::give_up;
pub(super) use departures::{come_back, leave};

use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Forbidden, Missing, Result,
    audit::{self, Record},
    idempotency::{self, Creation},
    jobs, media, name_pages as pages,
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        access::{Access, Action},
        audit::{Act, SubjectKind},
        export::{Export, Filters, Page, State},
        fault::{Fault, Field},
        field_errors::FieldErrors,
        idempotency::{Made, RequestKey},
        ids::{ExportId, InstitutionId, NamePageId},
        job::Job,
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
    },
    store::{
        exports::{self, Limit},
        name_pages, rolls,
    },
};

/// The parameters of a new export; `name_page_id` is not resolved yet.
#[derive(Debug, Default)]
pub struct ExportRequest {
    pub created_after: Option<Moment>,
    pub updated_after: Option<Moment>,
    pub name_page_id: Option<String>,
    /// Errors from parsing the parameters.
    pub errors: FieldErrors,
}

/// States of exports that have not been built yet.
/// After how many seconds somebody may ask again, if too many exports are pending.
pub const RETRY_SECONDS: u64 = 30;
const PENDING: [State; 2] = [State::Initial, State::InProgress];

/// Without a page, the export covers all pages that the caller may access.
pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    request: ExportRequest,
    key: Option<RequestKey>,
) -> Result<Creation<Export>> {
    let access = actor.permit(Action::Write, institution)?;
    let make = make(app, &access, request, key.clone());
    idempotency::once(app, key.as_ref(), make, |made| created(app, actor, institution, made)).await
}

async fn created(app: &App, actor: &Actor, institution: InstitutionId, made: Made) -> Result<Export> {
    let Made::Export(id) = made else { return Err(idempotency::other_kind()) };
    find(app, actor, institution, id).await
}

fn values(filters: &Filters) -> Json {
    let time = |moment: Moment| moment.shown_in(&TimeZone::UTC);
    json!({
        "created_after": filters.created_after.map(time),
        "updated_after": filters.updated_after.map(time),
        "name_page": filters.page.as_ref().map(|page| page.given.as_str()),
    })
}

async fn make(app: &App, access: &Access, request: ExportRequest, key: Option<RequestKey>) -> Result<Export> {
    let institution = access.institution;
    let ExportRequest { created_after, updated_after, name_page_id, mut errors } = request;
    if created_after.is_none() && updated_after.is_none() && name_page_id.is_none() && errors.is_empty() {
        for field in ["created_after", "updated_after", "name_page_id"] {
            errors.add(Field::Parameter(field), Fault::Blank);
        }
    }
    let page = match name_page_id {
        Some(given) => {
            let found = match NamePageRef::parse(&given) {
                Some(page) => name_pages::find(&mut app.db.read(), institution, &page).await?,
                None => None,
            };
            if let Some(page) = &found {
                pages::check(access, page.id)?;
            } else {
                errors.add(Field::Parameter("name_page_id"), Fault::NotFound);
            }
            found.map(|page| Page { given, id: page.id })
        }
        None => None,
    };
    errors.into_result()?;
    let now = app.clock.now();
    let filters = Filters { created_after, updated_after, page };
    let mut export = Export::request(app.ids.id(now), filters, now, app.export_life);
    let only = access.pages().filter(|_| export.filters.page.is_none()).map(<[NamePageId]>::to_vec);
    export.pages_limited = only.is_some();
    export.include_held = access.includes_held();
    let most = app.exports_waiting;
    let job = Job::BuildExport { institution, export: export.id, base_url: app.links.base().to_owned() };
    let job_id = app.ids.id(now);
    let record = Record::of(app, access, Act::ExportRequested).about(SubjectKind::Export, export.id, "");
    let record = record.change(Json::Null, values(&export.filters));
    let made = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Serialized, so that the count is exact.
                rolls::lock(sql, institution).await?;
                if let Some(key) = &key {
                    idempotency::claim(sql, key, &Made::Export(export.id), now).await?;
                }
                if exports::at_least_in(sql, institution, &PENDING, most).await? {
                    return Err(Error::TooManyPendingExports { most });
                }
                exports::insert(sql, institution, &export, &only.unwrap_or_default()).await?;
                jobs::enqueue(sql, job_id, &job, now, now).await?;
                audit::write(sql, &[record]).await?;
                Ok(export)
            })
        })
        .await?;
    app.queue.wake();
    Ok(made)
}

pub async fn find(app: &App, actor: &Actor, institution: InstitutionId, id: ExportId) -> Result<Export> {
    let access = actor.permit(Action::Read, institution)?;
    let sql = &mut app.db.read();
    let found = exports::find(sql, institution, id).await?.ok_or(Error::Missing(Missing::Export))?;
    if let Some(limit) = limit(actor, &access)
        && !exports::is_of_pages(sql, institution, id, limit).await?
    {
        return Err(Error::Forbidden(Forbidden::Export));
    }
    if found.include_held && actor.is_token() && !access.includes_held() {
        return Err(Error::Forbidden(Forbidden::Export));
    }
    Ok(found)
}

pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    window: Window,
) -> Result<(Vec<Export>, u64)> {
    let access = actor.permit(Action::Read, institution)?;
    Ok(exports::list(&mut app.db.read(), institution, limit(actor, &access), window).await?)
}

/// An export whose pages are all gone may be of any token whose pages are all gone, which finds what it has requested. Of members, only
/// those who have all pages do.
fn limit<'a>(actor: &Actor, access: &'a Access) -> Option<Limit<'a>> {
    let pages = access.pages()?;
    Some(Limit { pages, finds_orphans: actor.is_token() && pages.is_empty() })
}

fn key(institution: InstitutionId, hex: &str) -> Key {
    Key { shelf: Shelf::Exports, institution, hex: hex.to_owned() }
}

/// Removes the files of reports. The sweep removes what could not be removed now.
pub(super) async fn discard(app: &App, institution: InstitutionId, hexes: &[String]) {
    media::remove(app, hexes.iter().map(|hex| key(institution, hex)).collect()).await;
}

const EXPIRY_BATCH: i64 = 100;

/// Removes expired reports.
pub async fn expire(app: &App) -> Result<()> {
    loop {
        let now = app.clock.now();
        let over = exports::over(&mut app.db.read(), State::Completed, now, EXPIRY_BATCH).await?;
        if over.is_empty() {
            return Ok(());
        }
        for (institution, id) in over {
            let gone = app
                .db
                .write::<_, Error>(move |sql| {
                    Box::pin(async move {
                        // Whoever deletes the institution locks its parts before its reports.
                        rolls::lock(sql, institution).await?;
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
