//! How many people of a page are registered, recorded and invited: from counters, without counting rows.

use super::{Actor, App, Error, Result, name_pages::managed};
use crate::{
    domain::{
        access::Action,
        coverage::{Coverage, Noted, day_of, trend},
        ids::InstitutionId,
        name_page::{NamePage, NamePageRef},
    },
    store::{coverage, coverage_days, institutions, name_pages, rolls},
};

/// The figures of one page.
pub async fn of(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<Coverage> {
    let page = managed(app, actor, institution, page).await?.id;
    Ok(coverage::of(&mut app.db.read(), institution, page).await?)
}

/// All pages of an institution with their figures: those that are archived, or the others.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    archived: bool,
) -> Result<Vec<(NamePage, Coverage)>> {
    actor.administer(institution)?;
    Ok(name_pages::all(&mut app.db.read(), institution, archived).await?)
}

/// The figures of the pages that an actor has, now and on earlier days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    pub now: Coverage,
    /// Days since January 1, 1970, the oldest first. The last one is today.
    pub days: Vec<(i64, Coverage)>,
}

/// How many days a history goes back.
pub const DAYS: i64 = 90;
/// How many days the figures of an institution are kept.
const KEPT_DAYS: i64 = 3 * 366;

/// The figures of all pages that the actor may read, and how they have become what they are. An administrator has those of the whole
/// institution.
pub async fn history(app: &App, actor: &Actor, institution: InstitutionId) -> Result<History> {
    let access = actor.permit(Action::Read, institution)?;
    let (sql, today) = (&mut app.db.read(), day_of(app.clock.now()));
    let now = match access.pages() {
        Some(pages) => coverage::of_pages(sql, institution, pages).await?,
        None => coverage::of_institution(sql, institution).await?,
    };
    let (whole, first) = ([rolls::INSTITUTION], today - DAYS);
    let pages = access.pages().unwrap_or(&whole);
    let before = coverage_days::before(sql, institution, pages, first).await?;
    let noted = coverage_days::since(sql, institution, pages, first).await?;
    let mut days = trend(first, before, &noted, today - 1);
    days.push((today, now));
    Ok(History { now, days })
}

/// Notes the figures of today. Runs several times a day; the last one counts. An institution where that fails does not keep the others
/// waiting.
pub async fn note_day(app: &App) -> Result<()> {
    for institution in institutions::ids(&mut app.db.read()).await? {
        if let Err(error) = note(app, institution).await {
            tracing::error!(institution = institution.get(), %error, "recording the daily coverage failed");
        }
    }
    Ok(())
}

async fn note(app: &App, institution: InstitutionId) -> Result<()> {
    let day = day_of(app.clock.now());
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                // The counters change under this lock.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Ok(());
                }
                for (page, coverage) in coverage_days::changed(sql, institution).await? {
                    coverage_days::note(sql, institution, Noted { page, day, coverage }).await?;
                }
                let coverage = coverage::of_institution(sql, institution).await?;
                let whole = Noted { page: rolls::INSTITUTION, day, coverage };
                coverage_days::note(sql, institution, whole).await?;
                Ok(coverage_days::delete_before(sql, institution, day - KEPT_DAYS).await?)
            })
        })
        .await
}
