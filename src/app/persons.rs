//! A person with all of their registrations, those of courses that they have left among them: what is stored about them is
//! handed out, or erased.

mod export;

pub use export::{Export, File, export};

use super::{
    App, Error, Missing, Result, calls,
    calls::cancel_in,
    exports, jobs, media,
    participants::{Mark, page_of},
};
use crate::{
    domain::{
        access::{Access, Within},
        call::Reason,
        ids::{InstitutionId, JobId, NamePageId, ParticipantId},
        institution::Institution,
        job::Job,
        media::Media,
        moment::Moment,
        name_page::NamePageRef,
    },
    store::{
        self, Sql, call_takes,
        exports::Leaving,
        lti_logins, lti_sessions,
        participants::{self, By, hidden},
        persons::{self, Registration},
        rolls,
    },
};

/// What an erasure has done, and what it could not do at once.
#[derive(Debug, Clone)]
pub struct Erased {
    pub registrations: usize,
    /// Of courses that they had left.
    pub hidden: usize,
    /// Recordings and pictures.
    pub media: usize,
    /// Files that could not be removed: the sweep tries again.
    pub files_left: usize,
    /// A report with them is being built: it is shown without them, and written anew when it is there.
    pub report_under_way: bool,
    /// Recordings that a cloud still has; jobs remove them there.
    pub takes_left: usize,
    pub files: Files,
}

/// What remains in the database's own files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// Nothing: they were written anew.
    Clean,
    /// That is for PostgreSQL's own tools.
    Postgres,
    /// They could not be written anew, and why.
    Failed(String),
}

/// Who somebody is, for whoever has to confirm that they are to be erased.
pub async fn find(app: &App, institution: InstitutionId, email_key: &str) -> Result<Vec<Registration>> {
    let found = persons::registrations(&mut app.db.read(), institution, email_key).await?;
    if found.is_empty() { Err(Error::Missing(Missing::Participant)) } else { Ok(found) }
}

/// Removes every trace of whoever has this email. Pending calls are cancelled. Rows go in one transaction, which takes the
/// institution's lock as every write of people does: whatever runs at the same time finds them whole or not at all. What lies
/// outside of the database goes afterwards; should this be cut short, the sweep and the job that rewrites reports do it.
pub async fn erase(app: &App, institution: &Institution, email_key: String) -> Result<Erased> {
    let (institution, now, at_hand) = (institution.id, app.clock.now(), app.clone());
    let (whose, gone, takes_left) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let whose = persons::registrations(sql, institution, &email_key).await?;
                if whose.is_empty() {
                    return Err(Error::Missing(Missing::Participant));
                }
                let mut takes = 0;
                for one in &whose {
                    takes += end_calls(sql, &at_hand, institution, *one, now).await?;
                    store::courses::staff::delete_of(sql, institution, one.id).await?;
                }
                lti_logins::forget(sql, now).await?;
                lti_sessions::forget(sql, now).await?;
                let gone = erase_in(sql, at_hand.ids.id(now), institution, &whose, now).await?;
                Ok((whose, gone, takes))
            })
        })
        .await?;
    app.queue.wake();
    let files_left = media::discard(app, institution, &gone).await;
    let reports = leave_reports(app, institution, &whose).await;
    let files = match app.db.rewrite().await {
        Ok(true) => Files::Clean,
        Ok(false) => Files::Postgres,
        Err(error) => Files::Failed(error.to_string()),
    };
    // Only now: whatever happens to reports, the database file no longer has them.
    let report_under_way = reports?;
    Ok(Erased {
        registrations: whose.len(),
        hidden: whose.iter().filter(|one| one.hidden).count(),
        media: gone.len(),
        files_left,
        report_under_way,
        takes_left,
        files,
    })
}

/// Cancels what is pending, has a cloud forget what it has recorded, and keeps that somebody is not to be called without
/// keeping their number. Says how many attempts a cloud has recordings of.
async fn end_calls(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    whose: Registration,
    now: Moment,
) -> Result<usize> {
    let pending = store::calls::pending_of(sql, institution, whose.id).await?;
    cancel_in(sql, pending, Reason::ByOperator, app.ids.id(now), now).await?;
    let takes = end_takes(sql, app, institution, whose, now).await?;
    for number in persons::phone_numbers(sql, institution, whose).await? {
        store::calls::erase_opt_out(sql, institution, &number).await?;
    }
    Ok(takes)
}

/// Has a cloud forget what it has recorded of somebody. Says of how many attempts.
async fn end_takes(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    whose: Registration,
    now: Moment,
) -> Result<usize> {
    let attempts = call_takes::attempts_of(sql, institution, whose.id).await?;
    for attempt in &attempts {
        let job = Job::DeleteTakes { institution, attempt: *attempt };
        jobs::enqueue(sql, app.ids.id(now), &job, now, now).await?;
    }
    Ok(attempts.len())
}

/// Takes somebody out of kept reports now instead of by the job that is written down for it. True when one is being built.
async fn leave_reports(app: &App, institution: InstitutionId, whose: &[Registration]) -> Result<bool> {
    match exports::scrub(app, institution).await {
        // A worker is at it.
        Ok(()) | Err(Error::Unavailable(_)) => {}
        Err(other) => return Err(other),
    }
    let departed = store::exports::departures(&mut app.db.read(), institution).await?;
    Ok(whose.iter().any(|one| departed.contains(&one.id)))
}

/// Deletes registrations with everything that belongs to them, inside a transaction that holds the institution's lock. Says
/// whose files are to be removed afterwards.
async fn erase_in(
    sql: &mut Sql,
    job: JobId,
    institution: InstitutionId,
    whose: &[Registration],
    now: Moment,
) -> Result<Vec<Media>> {
    // Whoever is hidden has left reports already.
    let seen: Vec<ParticipantId> = whose.iter().filter(|one| !one.hidden).map(|one| one.id).collect();
    exports::leave(sql, job, institution, Leaving::These(seen), now).await?;
    let mut gone = Vec::new();
    for one in whose {
        if one.hidden {
            hidden::delete(sql, institution, one.id).await?;
        } else {
            participants::delete(sql, institution, one.page, one.id).await?;
        }
        store::calls::delete_of(sql, institution, one.id).await?;
        persons::delete_belongings(sql, institution, one.id).await?;
        gone.extend(store::media::delete_of(sql, institution, one.id).await?);
    }
    Ok(gone)
}

/// Deletes somebody from a page: who is registered there with this email, and who has left it again and has this email, token
/// or identifier.
pub async fn delete_from_page(app: &App, access: &Access, page: NamePageRef, mark: Mark) -> Result<()> {
    let (institution, now, access) = (access.institution, app.clock.now(), access.clone());
    let at_hand = app.clone();
    let job = app.ids.id(now);
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, &access, &page).await?;
                let whose = on_page(sql, institution, page, &mark).await?;
                for one in &whose {
                    if calls::is_pending(sql, institution, one.id).await? {
                        return Err(Error::PendingCalls);
                    }
                }
                for one in &whose {
                    end_takes(sql, &at_hand, institution, *one, now).await?;
                }
                erase_in(sql, job, institution, &whose, now).await
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(())
}

async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    mark: &Mark,
) -> Result<Vec<Registration>> {
    for (by, key) in mark.by() {
        let mut whose = Vec::new();
        if by == By::Email {
            let found = participants::best(sql, institution, Within::Page(page), by, key).await?;
            whose.extend(found.map(|found| Registration { id: found.id, page, hidden: false }));
        }
        let left = hidden::on_page(sql, institution, page, by, key).await?;
        whose.extend(left.into_iter().map(|id| Registration { id, page, hidden: true }));
        if !whose.is_empty() {
            return Ok(whose);
        }
    }
    Err(Error::Missing(Missing::Participant))
}
