//! One synchronization of a course: fetches the whole roster, then applies it in one transaction.

use super::{apply, photos, staff};
use crate::{
    app::{App, Error, Missing, Result, own_recordings::Attempts, tool_consumers},
    domain::{
        course::Course,
        ids::{CourseId, InstitutionId},
        job::Claim,
        scope::Scope,
        tool_consumer::ToolConsumer,
    },
    lms::{self, Connection, Found},
    store::{
        self,
        courses::{self, SyncResult},
        rolls,
    },
};

/// Runs the synchronization job of a course. Permanent errors are recorded on the course and complete the job; others are
/// retried.
pub async fn run(app: &App, claim: &Claim, institution: InstitutionId, id: CourseId) -> Result<()> {
    let mut last_owner = None;
    let error = loop {
        let Some((course, job)) = courses::find(&mut app.db.read(), institution, id).await? else {
            return Ok(());
        };
        // A newer job has replaced this one.
        if job != Some(claim.id) {
            return Ok(());
        }
        let outcome = async {
            let scope = Scope::Institution(institution);
            let consumer = match tool_consumers::find_within(app, scope, course.tool_consumer).await {
                Err(Error::Missing(Missing::ToolConsumer)) => return Ok(()),
                other => other?,
            };
            if !consumer.is_open() {
                return Err(Error::ToolConsumerDisabled);
            }
            import(app, claim, &consumer, &course).await
        };
        let Err(error) = outcome.await else { return Ok(()) };
        // The error is moot if another tool consumer has taken the course over in the meantime: retry with that one.
        let there = courses::find(&mut app.db.read(), institution, id).await?;
        let owner = there.map(|(course, _)| course.tool_consumer);
        if owner.is_none_or(|owner| owner == course.tool_consumer) || last_owner == owner {
            break error;
        }
        last_owner = Some(course.tool_consumer);
    };
    failed(app, claim, institution, id, error.to_string()).await?;
    match error {
        Error::ToolConsumerDisabled
        | Error::LearningSystem(lms::Error::Refused(_) | lms::Error::Denied(_) | lms::Error::Missing) => {
            tracing::warn!(course = id.get(), %error, "course synchronization failed");
            Ok(())
        }
        other => Err(other),
    }
}

async fn import(app: &App, claim: &Claim, consumer: &ToolConsumer, course: &Course) -> Result<()> {
    let connection: Connection = tool_consumers::connect(app, consumer).await?;
    let found = Found {
        id: course.external_id.clone(),
        title: course.title.clone(),
        memberships_url: course.memberships_url.clone(),
    };
    // People who launch after this moment may be missing from the roster.
    let requested_at = app.clock.now();
    let mut roster = match connection.roster(&found, &consumer.roles).await {
        Err(lms::Error::Missing) => {
            return Err(lms::Error::Denied(connection.why_missing().to_owned()).into());
        }
        other => other?,
    };
    let mut attempts = Attempts::default();
    let applied = loop {
        staff::exclude_staff(&mut app.db.read(), consumer, course, &mut roster, requested_at).await?;
        let copies = apply::prepare(app, consumer.institution, course, &roster.members, requested_at).await?;
        let applied = apply::apply(app, claim, consumer, course, roster.clone(), copies, requested_at).await;
        match applied {
            // Somebody may have recorded their name or launched as staff since the copies were prepared.
            Err(error) => attempts.again(error)?,
            Ok(applied) => break applied,
        }
    };
    let (counts, photos) = match applied {
        apply::Applied::Written { counts, photos } => (counts, photos),
        apply::Applied::HeldBack(why) => {
            tracing::warn!(course = course.id.get(), why, "a roster was held back");
            return Ok(());
        }
    };
    tracing::info!(
        course = course.id.get(),
        new = counts.new,
        changed = counts.changed,
        back = counts.back,
        left = counts.left,
        identifiers_taken = counts.identifiers_taken,
        "course synchronized"
    );
    photos::follow(app, &connection, consumer, photos).await;
    app.switchboard.wake();
    app.queue.wake();
    Ok(())
}

/// Records the error, as long as we hold the job's lease.
async fn failed(
    app: &App,
    claim: &Claim,
    institution: InstitutionId,
    id: CourseId,
    why: String,
) -> Result<()> {
    let claim = claim.clone();
    app.db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if store::jobs::holds_lease(sql, &claim).await? {
                    courses::end(sql, institution, id, SyncResult::Failed(&why)).await?;
                }
                Ok(())
            })
        })
        .await
}
