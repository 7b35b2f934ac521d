//! Keeps the search index of people up to date. Writers of people do not maintain it: it follows the changes by their time. Lists of the
//! console index the last few changes themselves; if there are many, such as after an import, a job does.

use std::time::Duration;

use super::{App, Error, Result, jobs};
use crate::{
    domain::{ids::InstitutionId, job::Job, moment::Moment},
    store::{
        Sql,
        people_index::{self, Changed, Position},
        rolls,
    },
};

/// People in one transaction, which holds the institution's lock.
const GROUP: i64 = 200;
/// Transactions commit in another order than they read the time, and clocks of nodes differ. People who changed more recently than this
/// are looked at again.
const OVERLAP: Duration = Duration::from_secs(30);

/// Indexes the last changes. Returns false if there are too many for somebody who waits: then a job goes on, and some people are not in
/// the index yet.
pub(super) async fn catch_up(app: &App, institution: InstitutionId) -> Result<bool> {
    let sql = &mut app.db.read();
    let position = people_index::position(sql, institution).await?;
    let changed = people_index::changed(sql, institution, position, GROUP).await?;
    if changed.iter().any(Changed::is_stale) {
        step(app, institution, position).await?;
    }
    let is_complete = (changed.len() as i64) < GROUP;
    if !is_complete {
        enqueue(app, institution).await?;
    }
    Ok(is_complete)
}

async fn enqueue(app: &App, institution: InstitutionId) -> Result<()> {
    let now = app.clock.now();
    let id = app.ids.id(now);
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move { jobs::enqueue(sql, id, &Job::IndexPeople { institution }, now, now).await })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// Indexes everybody who has changed. It can be interrupted and repeated.
pub async fn run(app: &App, institution: InstitutionId) -> Result<()> {
    let mut at = people_index::position(&mut app.db.read(), institution).await?;
    while let Some(next) = step(app, institution, at).await? {
        at = next;
    }
    Ok(())
}

/// Indexes one group behind a position. Returns where it ends; `None` at the end.
async fn step(app: &App, institution: InstitutionId, behind: Position) -> Result<Option<Position>> {
    let settled = app.clock.now().minus(OVERLAP);
    app.db
        .write_bookkeeping::<_, Error>(move |sql| {
            Box::pin(async move {
                // With the lock nobody is erased between reading and writing.
                if !rolls::lock_if_there(sql, institution).await? {
                    return Ok(None);
                }
                let changed = people_index::changed(sql, institution, behind, GROUP).await?;
                let stale: Vec<&Changed> = changed.iter().filter(|person| person.is_stale()).collect();
                people_index::put(sql, institution, &stale).await?;
                advance(sql, institution, &changed, settled).await?;
                let last = changed.last().map(|last| last.position);
                Ok(last.filter(|_| changed.len() as i64 == GROUP))
            })
        })
        .await
}

/// Notes how far the index is, up to changes that nothing can precede any more.
async fn advance(
    sql: &mut Sql,
    institution: InstitutionId,
    changed: &[Changed],
    settled: Moment,
) -> Result<()> {
    let mut positions = changed.iter().map(|person| person.position);
    let Some(last) = positions.rfind(|position| position.changed_at <= settled.micros()) else {
        return Ok(());
    };
    if people_index::position(sql, institution).await? < last {
        people_index::set_position(sql, institution, last).await?;
    }
    Ok(())
}
