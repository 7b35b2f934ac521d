//! Periodic synchronization of courses, according to the schedule of their tool consumer.

use super::{LossPolicy, backfill_key, enqueue, lock};
use crate::{
    app::{Actor, App, Error, Result, institutions, tool_consumers},
    domain::{
        course::{Course, Sync},
        ids::CourseId,
        schedule::Schedule,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    store::courses,
};

/// The schedule starts no more while this many synchronizations of a tool consumer are queued or running, so that a large
/// institution cannot fill the shared queue.
const MAX_RUNNING: usize = 20;
/// With this many failing synchronizations the learning system may be down: starts one at a time until it recovers (circuit
/// breaker).
const FAILURE_THRESHOLD: usize = 3;
/// How many new courses are scheduled in one transaction.
const SCHEDULE_BATCH: usize = 500;

/// Starts due synchronizations. Safe to interrupt and repeat: a course is enqueued and rescheduled in one transaction.
pub async fn run_due(app: &App) -> Result<()> {
    for consumer in tool_consumers::all(app, &Actor::System, None).await? {
        if !consumer.is_open() || consumer.schedule == Schedule::Off {
            continue;
        }
        match run_due_of(app, &consumer).await {
            // Deleted concurrently: the tool consumer or its institution.
            Err(Error::Missing(_)) => {}
            other => other?,
        }
    }
    Ok(())
}

async fn run_due_of(app: &App, consumer: &ToolConsumer) -> Result<()> {
    let sql = &mut app.db.read();
    let (institution, id) = (consumer.institution, consumer.id);
    let new = courses::unscheduled(sql, institution, id, SCHEDULE_BATCH).await?;
    let mut due = courses::due(sql, institution, id, app.clock.now(), MAX_RUNNING).await?;
    if !due.is_empty() {
        let (under_way, failing) = courses::under_way(sql, institution, id).await?;
        let room = MAX_RUNNING.saturating_sub(under_way);
        let is_tried = under_way > failing;
        due.truncate(if failing >= FAILURE_THRESHOLD { room.min(usize::from(!is_tried)) } else { room });
    }
    if new.is_empty() && due.is_empty() {
        return Ok(());
    }
    let zone = institutions::by_id(app, institution).await?.time_zone;
    let (owned_app, now) = (app.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let consumer = lock(sql, institution, id).await?;
                let next = |course: CourseId| consumer.schedule.next(now, &zone, course);
                for course in due {
                    let Some((course, job)) = courses::find(sql, institution, course.id).await? else {
                        continue;
                    };
                    backfill_key(sql, &consumer, &course).await?;
                    if consumer.is_open() && can_start(&consumer, &course) {
                        let losses = LossPolicy::HeldBack;
                        enqueue(sql, &owned_app, institution, (course.id, job), losses, now).await?;
                    }
                    courses::schedule(sql, institution, course.id, next(course.id)).await?;
                }
                for course in new {
                    courses::schedule(sql, institution, course, next(course)).await?;
                }
                Ok(())
            })
        })
        .await?;
    app.queue.wake();
    Ok(())
}

/// Failed synchronizations are retried by the queue. LTI courses without a memberships URL cannot be queried.
fn can_start(consumer: &ToolConsumer, course: &Course) -> bool {
    course.sync == Sync::Idle && (consumer.kind != LmsKind::Lti || course.memberships_url.is_some())
}
