//! Retention: recordings are deleted some days after the date of their page. People are told 14 days before, and nothing is deleted that
//! its owner has not been told about for 14 days: who records late, or whose page gets another date, is told first.
//!
//! Both steps work in batches, each in one transaction, and find out from the database what is left. So they can be killed at any time.

use jiff::tz::TimeZone;

use super::{
    App, Error, Result,
    audit::{self, MediaChange, Record},
    media, outbox,
};
use crate::{
    domain::{
        audit::{Act, Who},
        email::Email,
        media::Media,
        message::Message,
        moment::Moment,
        page_settings::{NOTICE, deletes_at},
    },
    store::{
        self, Sql, institutions,
        page_settings::Changes,
        retention::{self, Plan, TABLES},
        rolls,
    },
};

/// How many people are told in one transaction.
const TOLD: i64 = 200;
/// Of how many people recordings are deleted in one transaction.
const DELETED: i64 = 100;

/// Tells people and deletes recordings on all pages where it is time. A page where that fails does not keep the others waiting; the next
/// run tries it again.
pub async fn run(app: &App) -> Result<()> {
    for plan in retention::plans(&mut app.db.read()).await? {
        if let Err(error) = carry_out(app, plan).await {
            tracing::error!(
                institution = plan.institution.get(),
                page = plan.page.get(),
                %error,
                "the retention of a page failed"
            );
        }
    }
    Ok(())
}

async fn carry_out(app: &App, plan: Plan) -> Result<()> {
    let zone = match institutions::by_id(&mut app.db.read(), plan.institution).await? {
        Some(institution) => institution.time_zone,
        // Deleted meanwhile.
        None => return Ok(()),
    };
    let Some(deletion) = deletes_at(plan.date, plan.days, &zone) else { return Ok(()) };
    let now = app.clock.now();
    if now < deletion.minus(NOTICE) {
        return Ok(());
    }
    let mut done = 0;
    for table in TABLES {
        if now >= deletion {
            done += delete(app, plan, table).await?;
        }
        tell(app, plan, table, (deletion, &zone)).await?;
    }
    if done > 0 {
        tracing::info!(
            institution = plan.institution.get(),
            page = plan.page.get(),
            recordings = done,
            "recordings were deleted at the end of their retention"
        );
    }
    Ok(())
}

/// Is this still the plan? The caller holds the institution's lock.
async fn is_current(sql: &mut Sql, plan: Plan) -> Result<bool> {
    let settings = store::page_settings::find(sql, plan.institution, plan.page).await?;
    Ok(settings.is_some_and(|now| (now.date, now.delete_after_days) == (Some(plan.date), Some(plan.days))))
}

/// Tells people about recordings that they have not been told about.
async fn tell(
    app: &App,
    plan: Plan,
    table: &'static str,
    (deletion, zone): (Moment, &TimeZone),
) -> Result<()> {
    let mut place = 0;
    loop {
        // This runs every hour as long as the page exists, and mostly there is nothing to do. The read avoids taking the lock.
        let from = (table, place);
        if retention::untold(&mut app.db.read(), plan.institution, plan.page, from, 1).await?.is_empty() {
            return Ok(());
        }
        let now = app.clock.now();
        let on = deletion.max(now.plus(NOTICE)).date_in(zone).to_string();
        let owned_app = app.clone();
        let next = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move { tell_in(sql, &owned_app, plan, from, on, now).await })
            })
            .await?;
        app.queue.wake();
        match next {
            Some(next) => place = next,
            None => return Ok(()),
        }
    }
}

/// Tells a batch of people. Returns the place to continue from, if there may be more.
async fn tell_in(
    sql: &mut Sql,
    app: &App,
    plan: Plan,
    from: (&str, i64),
    on: String,
    now: Moment,
) -> Result<Option<i64>> {
    let Plan { institution, page, .. } = plan;
    rolls::lock(sql, institution).await?;
    if !is_current(sql, plan).await? {
        return Ok(None);
    }
    let people = retention::untold(sql, institution, page, from, TOLD).await?;
    if people.is_empty() {
        return Ok(None);
    }
    for one in &people {
        retention::tell(sql, institution, page, one.id, now).await?;
        let email = one.email.as_deref().filter(|_| !one.is_opted_out).and_then(Email::parse);
        if let Some(email) = email {
            let base_url = app.links.base().to_owned();
            let message = Message::Retention { participant: one.id, on: on.clone(), base_url };
            outbox::enqueue_page_mail(sql, &app.ids, (institution, page), email, message, now).await?;
        }
    }
    let settings = store::page_settings::find(sql, institution, page).await?;
    if settings.is_some_and(|settings| settings.announced_at.is_none()) {
        let changes = Changes { announced_at: Some(Some(now)), ..Changes::default() };
        store::page_settings::update(sql, institution, page, &changes).await?;
    }
    let is_full = i64::try_from(people.len()).is_ok_and(|count| count == TOLD);
    Ok(people.last().filter(|_| is_full).map(|last| last.place + 1))
}

/// Deletes recordings whose owners have been told long enough ago. Returns how many they were.
async fn delete(app: &App, plan: Plan, table: &'static str) -> Result<usize> {
    let (mut place, mut done) = (0, 0);
    loop {
        let (Plan { institution, page, .. }, from, now) = (plan, (table, place), app.clock.now());
        // As in `tell`.
        let told_before = now.minus(NOTICE);
        if retention::due(&mut app.db.read(), institution, page, from, told_before, 1).await?.is_empty() {
            return Ok(done);
        }
        let owned_app = app.clone();
        let (gone, next) = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move { delete_in(sql, &owned_app, plan, from, now).await })
            })
            .await?;
        done += gone.len();
        // What is left if this is interrupted is removed by the sweep.
        media::discard_now(app, plan.institution, &gone).await;
        match next {
            Some(next) => place = next,
            None => return Ok(done),
        }
    }
}

/// Deletes a batch. Returns what was deleted, and the place to continue from, if there may be more.
async fn delete_in(
    sql: &mut Sql,
    app: &App,
    plan: Plan,
    from: (&str, i64),
    now: Moment,
) -> Result<(Vec<Media>, Option<i64>)> {
    let Plan { institution, page, .. } = plan;
    rolls::lock(sql, institution).await?;
    if !is_current(sql, plan).await? {
        return Ok((Vec::new(), None));
    }
    let due = retention::due(sql, institution, page, from, now.minus(NOTICE), DELETED).await?;
    let (mut gone, mut changes) = (Vec::new(), Vec::new());
    for one in &due {
        for kind in &one.kinds {
            let old = store::media::detach(sql, institution, one.id, *kind, now).await?;
            changes.extend(MediaChange::deleted(one.id, &old));
            gone.extend(old);
        }
        retention::forget(sql, institution, one.id).await?;
    }
    let record = Record::by(app, Who::SYSTEM, institution, Act::RecordingDeleted);
    audit::write_media(sql, &record, &app.ids, &changes).await?;
    let is_full = i64::try_from(due.len()).is_ok_and(|count| count == DELETED);
    let next = due.last().filter(|_| is_full).map(|last| last.place + 1);
    Ok((gone, next))
}
