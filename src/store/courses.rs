//! Courses of learning systems, and the state of their synchronization. Their members are in `members`.

pub mod aliases;
pub mod members;
pub mod staff;

use std::collections::{HashMap, HashSet};

use super::{Result, Row, Sql, Value, jobs, padded, placeholders};
use crate::domain::{
    course::{Course, CourseFigures, Sync},
    ids::{CourseId, InstitutionId, JobId, ToolConsumerId},
    job,
    moment::Moment,
};

/// What `from_row` reads.
const COLUMNS: &str = "c.id, c.tool_consumer_id, c.external_id, c.title, c.name_page_id, c.memberships_url, c.synced_at, \
     c.error, c.note, c.job_id, c.next_sync_at, c.platform_key";

/// A course, and the last job that synchronized it, if any.
type WithJob = (Course, Option<JobId>);

/// The courses of the institution `$1` that this condition selects.
async fn read(sql: &mut Sql, which: &str, params: &[Value<'_>]) -> Result<Vec<WithJob>> {
    if sql.is_citus() {
        return read_in_steps(sql, which, params).await;
    }
    let text = format!(
        "SELECT {COLUMNS}, j.state, j.failures FROM courses c LEFT JOIN jobs j ON j.id = c.job_id \
         WHERE c.institution_id = $1 AND {which}"
    );
    let read = |row: &Row<'_>| {
        let (mut course, job) = from_row(row)?;
        if let (Some(state), Some(failures)) = (row.opt_text(12)?, row.opt_int(13)?) {
            course.sync = sync(&state, failures);
        }
        Ok((course, job))
    };
    sql.rows(&text, params, read).await
}

/// The same on Citus: one statement cannot read the queue, which belongs to the whole installation, and the shard of an institution
/// (ADR 3). The courses are read after their jobs, so that the result of a job that has ended is there.
async fn read_in_steps(sql: &mut Sql, which: &str, params: &[Value<'_>]) -> Result<Vec<WithJob>> {
    let text = format!("SELECT {COLUMNS} FROM courses c WHERE c.institution_id = $1 AND {which}");
    let mut progress = HashMap::new();
    let mut known: Vec<JobId> = Vec::new();
    loop {
        let mut found = sql.rows(&text, params, from_row).await?;
        let ids: Vec<JobId> = found.iter().filter_map(|(_, job)| *job).collect();
        if ids != known {
            progress = jobs::progress(sql, &ids).await?;
            known = ids;
            continue;
        }
        for (course, job) in &mut found {
            if let Some((state, failures)) = job.and_then(|job| progress.get(&job)) {
                course.sync = sync(state, *failures);
            }
        }
        return Ok(found);
    }
}

/// What a job in this state means for its course.
fn sync(state: &str, failures: i64) -> Sync {
    let is = |wanted: job::State| state == wanted.word();
    if is(job::State::Running) || (is(job::State::Waiting) && failures == 0) {
        Sync::Running
    } else if is(job::State::Waiting) {
        Sync::Resting
    } else {
        Sync::Idle
    }
}

fn from_row(row: &Row<'_>) -> Result<WithJob> {
    let course = Course {
        id: row.id(0)?,
        tool_consumer: row.id(1)?,
        external_id: row.text(2)?,
        title: row.text(3)?,
        name_page: row.id(4)?,
        memberships_url: row.opt_text(5)?,
        synced_at: row.opt_int(6)?.map(Moment::from_micros),
        error: row.opt_text(7)?,
        note: row.opt_text(8)?,
        next_sync_at: row.opt_int(10)?.map(Moment::from_micros),
        sync: Sync::Idle,
        platform_key: row.opt_text(11)?,
    };
    Ok((course, row.opt_id(9)?))
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: CourseId) -> Result<Option<WithJob>> {
    Ok(read(sql, "c.id = $2", &[institution.into(), id.into()]).await?.pop())
}

/// By the learning system's id. The course may belong to another tool consumer that reaches the same course (an alias).
pub async fn by_external_id(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    external_id: &str,
) -> Result<Option<WithJob>> {
    let which = "c.tool_consumer_id = $2 AND c.external_id = $3";
    let params = [institution.into(), tool_consumer.into(), external_id.into()];
    if let Some(own) = read(sql, which, &params).await?.pop() {
        return Ok(Some(own));
    }
    match aliases::find(sql, institution, tool_consumer, external_id).await? {
        Some(alias) => find(sql, institution, alias.course).await,
        None => Ok(None),
    }
}

/// Those of these courses that the tool consumer synchronizes.
pub async fn by_external_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    external_ids: &[&str],
) -> Result<Vec<Course>> {
    let mut found = Vec::new();
    for group in padded(external_ids) {
        let list = placeholders(3, group.len());
        let which = format!("c.tool_consumer_id = $2 AND c.external_id IN ({list})");
        let params = [institution.into(), tool_consumer.into()];
        let params: Vec<Value<'_>> = params.into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(read(sql, &which, &params).await?.into_iter().map(|(course, _)| course));
    }
    Ok(found)
}

/// The titles of these courses.
pub async fn titles(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[CourseId],
) -> Result<HashMap<CourseId, String>> {
    let mut found = HashMap::new();
    for group in padded(ids) {
        let list = placeholders(2, group.len());
        let text = format!("SELECT id, title FROM courses WHERE institution_id = $1 AND id IN ({list})");
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, |row| Ok((row.id(0)?, row.text(1)?))).await?);
    }
    Ok(found)
}

/// The first course with this platform key, which identifies a course across tool consumers.
pub async fn by_platform_key(
    sql: &mut Sql,
    institution: InstitutionId,
    key: &str,
) -> Result<Option<WithJob>> {
    let which = "c.platform_key = $2 ORDER BY c.id LIMIT 1";
    Ok(read(sql, which, &[institution.into(), key.into()]).await?.pop())
}

/// In the order in which they were added.
pub async fn all(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<Vec<Course>> {
    let which = "c.tool_consumer_id = $2 ORDER BY c.id";
    let found = read(sql, which, &[institution.into(), tool_consumer.into()]).await?;
    Ok(found.into_iter().map(|(course, _)| course).collect())
}

/// Courses of a tool consumer in the order of their external ids, from after one of these on.
pub async fn listed(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    after: &str,
    most: usize,
) -> Result<Vec<Course>> {
    let which = "c.tool_consumer_id = $2 AND c.external_id > $3 ORDER BY c.external_id LIMIT $4";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let params = [institution.into(), tool_consumer.into(), after.into(), most.into()];
    Ok(read(sql, which, &params).await?.into_iter().map(|(course, _)| course).collect())
}

/// Of each tool consumer: how many courses it has, how many of them failed, and when one was last synchronized.
pub async fn figures(
    sql: &mut Sql,
    institution: InstitutionId,
) -> Result<Vec<(ToolConsumerId, CourseFigures)>> {
    let text = "SELECT tool_consumer_id, COUNT(*), COUNT(error), MAX(synced_at) FROM courses WHERE institution_id = $1 \
                GROUP BY tool_consumer_id";
    let count = |number: i64| u64::try_from(number).unwrap_or(0);
    sql.rows(text, &[institution.into()], |row| {
        let (courses, failed) = (count(row.int(1)?), count(row.int(2)?));
        let synced_at = row.opt_int(3)?.map(Moment::from_micros);
        Ok((row.id(0)?, CourseFigures { courses, failed, synced_at }))
    })
    .await
}

pub async fn insert(sql: &mut Sql, institution: InstitutionId, new: &Course, now: Moment) -> Result<()> {
    let text = "INSERT INTO courses (institution_id, id, tool_consumer_id, external_id, title, name_page_id, memberships_url, \
                platform_key, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let params: [Value<'_>; 9] = [
        institution.into(),
        new.id.into(),
        new.tool_consumer.into(),
        (&new.external_id).into(),
        (&new.title).into(),
        new.name_page.into(),
        new.memberships_url.as_ref().into(),
        new.platform_key.as_ref().into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Courses with this id that predate platform keys, of any tool consumer.
pub async fn without_key(
    sql: &mut Sql,
    institution: InstitutionId,
    external_id: &str,
) -> Result<Vec<Course>> {
    let which = "c.platform_key IS NULL AND c.external_id = $2 ORDER BY c.id";
    let found = read(sql, which, &[institution.into(), external_id.into()]).await?;
    Ok(found.into_iter().map(|(course, _)| course).collect())
}

pub async fn set_platform_key(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
    key: &str,
) -> Result<()> {
    let text = "UPDATE courses SET platform_key = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[key.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Makes this tool consumer the one that synchronizes the course.
pub async fn transfer(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
    (tool_consumer, external_id): (ToolConsumerId, &str),
    memberships_url: Option<&str>,
) -> Result<()> {
    let text = "UPDATE courses SET tool_consumer_id = $1, external_id = $2, memberships_url = $3 \
                WHERE institution_id = $4 AND id = $5";
    let params: [Value<'_>; 5] =
        [tool_consumer.into(), external_id.into(), memberships_url.into(), institution.into(), id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Deletes the courses of a name page or a tool consumer, with all their data. `column` selects which of the two.
pub(super) async fn delete_all(
    sql: &mut Sql,
    institution: InstitutionId,
    (column, id): (&str, i64),
) -> Result<()> {
    let key_params = [Value::from(institution), Value::from(id)];
    let course_ids = format!("SELECT c.id FROM courses c WHERE c.institution_id = $1 AND c.{column} = $2");
    remove_jobs(sql, column, &key_params).await?;
    for table in ["course_members", "course_aliases", "course_identities", "course_staff"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND course_id IN ({course_ids})");
        sql.execute(&text, &key_params).await?;
    }
    let text = format!("DELETE FROM courses WHERE institution_id = $1 AND {column} = $2");
    sql.execute(&text, &key_params).await.map(|_| ())
}

/// Deletes the jobs of the courses that have `$2` in this column, except those that are running.
async fn remove_jobs(sql: &mut Sql, column: &str, params: &[Value<'_>]) -> Result<()> {
    let job_ids = format!(
        "SELECT c.job_id FROM courses c WHERE c.institution_id = $1 AND c.{column} = $2 AND c.job_id IS NOT NULL"
    );
    if sql.is_citus() {
        let ids: Vec<JobId> = sql.rows(&job_ids, params, |row| row.id(0)).await?;
        return jobs::remove_idle(sql, &ids).await;
    }
    let text = format!("DELETE FROM jobs WHERE state <> 'running' AND id IN ({job_ids})");
    sql.execute(&text, params).await.map(|_| ())
}

/// Deletes a course that was merged into another, including its queued jobs.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: CourseId) -> Result<()> {
    let this = [Value::from(institution), Value::from(id)];
    remove_jobs(sql, "id", &this).await?;
    for text in [
        "DELETE FROM course_members WHERE institution_id = $1 AND course_id = $2",
        "DELETE FROM course_aliases WHERE institution_id = $1 AND course_id = $2",
        "DELETE FROM course_identities WHERE institution_id = $1 AND course_id = $2",
        "DELETE FROM course_staff WHERE institution_id = $1 AND course_id = $2",
        "DELETE FROM lti_sessions WHERE institution_id = $1 AND course_id = $2",
        "DELETE FROM courses WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &this).await?;
    }
    Ok(())
}

/// Updates the title and roster URL from the learning system. A missing URL keeps the stored one.
pub async fn describe(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
    title: &str,
    memberships_url: Option<&str>,
) -> Result<()> {
    let text = "UPDATE courses SET title = $1, memberships_url = COALESCE($2, memberships_url) \
                WHERE institution_id = $3 AND id = $4";
    sql.execute(text, &[title.into(), memberships_url.into(), institution.into(), id.into()])
        .await
        .map(|_| ())
}

pub async fn set_job(sql: &mut Sql, institution: InstitutionId, id: CourseId, job: JobId) -> Result<()> {
    let text = "UPDATE courses SET job_id = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[job.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Sets whether the current synchronization, including its retries, may remove any number of people.
pub async fn accept_losses(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
    accepts: bool,
) -> Result<()> {
    let text = "UPDATE courses SET accept_losses = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[accepts.into(), institution.into(), id.into()]).await.map(|_| ())
}

pub async fn accepts_losses(sql: &mut Sql, institution: InstitutionId, id: CourseId) -> Result<bool> {
    let text = "SELECT accept_losses FROM courses WHERE institution_id = $1 AND id = $2";
    let accepts = sql.one(text, &[institution.into(), id.into()], |row| row.bool(0)).await?;
    Ok(accepts.unwrap_or(false))
}

/// Outcome of an attempt.
pub enum SyncResult<'a> {
    Synced(Moment, Option<&'a str>),
    Failed(&'a str),
}

pub async fn end(sql: &mut Sql, institution: InstitutionId, id: CourseId, how: SyncResult<'_>) -> Result<()> {
    match how {
        SyncResult::Synced(now, note) => {
            let text = "UPDATE courses SET synced_at = $1, note = $2, error = NULL, accept_losses = FALSE \
                        WHERE institution_id = $3 AND id = $4";
            sql.execute(text, &[now.micros().into(), note.into(), institution.into(), id.into()]).await?;
        }
        SyncResult::Failed(why) => {
            let text = "UPDATE courses SET error = $1 WHERE institution_id = $2 AND id = $3";
            sql.execute(text, &[why.into(), institution.into(), id.into()]).await?;
        }
    }
    Ok(())
}

/// Courses whose scheduled synchronization is due, the longest overdue first.
pub async fn due(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    now: Moment,
    most: usize,
) -> Result<Vec<Course>> {
    let which = "c.tool_consumer_id = $2 AND c.next_sync_at <= $3 ORDER BY c.next_sync_at, c.id LIMIT $4";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let params = [institution.into(), tool_consumer.into(), now.micros().into(), most.into()];
    Ok(read(sql, which, &params).await?.into_iter().map(|(course, _)| course).collect())
}

/// Makes all courses of a tool consumer due.
pub async fn make_due(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    now: Moment,
) -> Result<u64> {
    let text = "UPDATE courses SET next_sync_at = $1 WHERE institution_id = $2 AND tool_consumer_id = $3";
    sql.execute(text, &[now.micros().into(), institution.into(), tool_consumer.into()]).await
}

/// The ids of courses whose next synchronization has not been scheduled yet.
pub async fn unscheduled(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    most: usize,
) -> Result<Vec<CourseId>> {
    let text = "SELECT id FROM courses WHERE institution_id = $1 AND tool_consumer_id = $2 AND next_sync_at IS NULL \
                ORDER BY id LIMIT $3";
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    sql.rows(text, &[institution.into(), tool_consumer.into(), most.into()], |row| row.id(0)).await
}

pub async fn schedule(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
    next: Option<Moment>,
) -> Result<()> {
    let text = "UPDATE courses SET next_sync_at = $1 WHERE institution_id = $2 AND id = $3";
    let next = next.map(Moment::micros);
    sql.execute(text, &[next.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// Clears the schedule of all courses, after the tool consumer's schedule has changed.
pub async fn unschedule_all(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<()> {
    let text = "UPDATE courses SET next_sync_at = NULL WHERE institution_id = $1 AND tool_consumer_id = $2";
    sql.execute(text, &[institution.into(), tool_consumer.into()]).await.map(|_| ())
}

/// Number of a tool consumer's courses with a waiting or running job, and how many of these jobs are retries.
pub async fn under_way(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<(usize, usize)> {
    if sql.is_citus() {
        return under_way_in_steps(sql, institution, tool_consumer).await;
    }
    let text = "SELECT COUNT(*), COALESCE(SUM(CASE WHEN j.failures > 0 THEN 1 ELSE 0 END), 0) FROM courses c \
                JOIN jobs j ON j.id = c.job_id \
                WHERE c.institution_id = $1 AND c.tool_consumer_id = $2 AND j.state <> $3";
    let params = [institution.into(), tool_consumer.into(), job::State::Dead.word().into()];
    let count = |number: i64| usize::try_from(number).unwrap_or(0);
    let found = sql.one(text, &params, |row| Ok((count(row.int(0)?), count(row.int(1)?)))).await?;
    Ok(found.unwrap_or_default())
}

/// The same on Citus. It begins with the queue, which is short: most courses are idle.
async fn under_way_in_steps(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<(usize, usize)> {
    let failures = jobs::alive(sql, institution, job::Kind::SyncCourse).await?;
    let ids: Vec<JobId> = failures.keys().copied().collect();
    let mut found: HashSet<JobId> = HashSet::new();
    for group in padded(&ids) {
        let text = format!(
            "SELECT job_id FROM courses WHERE institution_id = $1 AND tool_consumer_id = $2 AND job_id IN ({})",
            placeholders(3, group.len())
        );
        let mut params: Vec<Value<'_>> = vec![institution.into(), tool_consumer.into()];
        params.extend(group.into_iter().map(Value::from));
        found.extend(sql.rows(&text, &params, |row| row.id::<JobId>(0)).await?);
    }
    let retries = found.iter().filter(|id| failures.get(*id).is_some_and(|count| *count > 0)).count();
    Ok((found.len(), retries))
}
