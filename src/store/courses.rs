//! Courses of learning systems, and the state of their synchronization. Their members are in `members`.

pub mod aliases;
pub mod members;
pub mod staff;

use super::{Result, Row, Sql, Value};
use crate::domain::{
    course::{Course, Sync},
    ids::{CourseId, InstitutionId, JobId, ToolConsumerId},
    job,
    moment::Moment,
};

const READ: &str = "SELECT c.id, c.tool_consumer_id, c.external_id, c.title, c.name_page_id, c.memberships_url, c.synced_at, \
     c.error, c.note, j.state, j.failures, c.job_id, c.next_sync_at, c.platform_key \
     FROM courses c LEFT JOIN jobs j ON j.id = c.job_id \
     WHERE c.institution_id = $1";

/// With the last job that synchronized it, if any.
fn from_row(row: &Row<'_>) -> Result<(Course, Option<JobId>)> {
    let (state, failures) = (row.opt_text(9)?, row.opt_int(10)?.unwrap_or(0));
    let is = |wanted: job::State| state.as_deref() == Some(wanted.word());
    let sync = if is(job::State::Running) || (is(job::State::Waiting) && failures == 0) {
        Sync::Running
    } else if is(job::State::Waiting) {
        Sync::Resting
    } else {
        Sync::Idle
    };
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
        next_sync_at: row.opt_int(12)?.map(Moment::from_micros),
        sync,
        platform_key: row.opt_text(13)?,
    };
    Ok((course, row.opt_id(11)?))
}

pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    id: CourseId,
) -> Result<Option<(Course, Option<JobId>)>> {
    sql.one(&format!("{READ} AND c.id = $2"), &[institution.into(), id.into()], from_row).await
}

/// By the learning system's id. The course may belong to another tool consumer that reaches the same course (an alias).
pub async fn by_external_id(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    external_id: &str,
) -> Result<Option<(Course, Option<JobId>)>> {
    let text = format!("{READ} AND c.tool_consumer_id = $2 AND c.external_id = $3");
    let params = [institution.into(), tool_consumer.into(), external_id.into()];
    if let Some(own) = sql.one(&text, &params, from_row).await? {
        return Ok(Some(own));
    }
    match aliases::find(sql, institution, tool_consumer, external_id).await? {
        Some(alias) => find(sql, institution, alias.course).await,
        None => Ok(None),
    }
}

/// The first course with this platform key, which identifies a course across tool consumers.
pub async fn by_platform_key(
    sql: &mut Sql,
    institution: InstitutionId,
    key: &str,
) -> Result<Option<(Course, Option<JobId>)>> {
    let text = format!("{READ} AND c.platform_key = $2 ORDER BY c.id LIMIT 1");
    sql.one(&text, &[institution.into(), key.into()], from_row).await
}

/// In the order in which they were added.
pub async fn all(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<Vec<Course>> {
    let text = format!("{READ} AND c.tool_consumer_id = $2 ORDER BY c.id");
    let read = |row: &Row<'_>| from_row(row).map(|(course, _)| course);
    sql.rows(&text, &[institution.into(), tool_consumer.into()], read).await
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
    let text = format!("{READ} AND c.platform_key IS NULL AND c.external_id = $2 ORDER BY c.id");
    let read = |row: &Row<'_>| from_row(row).map(|(course, _)| course);
    sql.rows(&text, &[institution.into(), external_id.into()], read).await
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
    let of_courses = |what: &str| {
        format!("(SELECT c.{what} FROM courses c WHERE c.institution_id = $1 AND c.{column} = $2)")
    };
    let text = format!("DELETE FROM jobs WHERE state <> 'running' AND id IN {}", of_courses("job_id"));
    sql.execute(&text, &key_params).await?;
    for table in ["course_members", "course_aliases", "course_identities", "course_staff"] {
        let text =
            format!("DELETE FROM {table} WHERE institution_id = $1 AND course_id IN {}", of_courses("id"));
        sql.execute(&text, &key_params).await?;
    }
    let text = format!("DELETE FROM courses WHERE institution_id = $1 AND {column} = $2");
    sql.execute(&text, &key_params).await.map(|_| ())
}

/// Deletes a course that was merged into another, including its queued jobs.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: CourseId) -> Result<()> {
    let this = [Value::from(institution), Value::from(id)];
    for text in [
        "DELETE FROM jobs WHERE state <> 'running' AND id IN \
         (SELECT c.job_id FROM courses c WHERE c.institution_id = $1 AND c.id = $2)",
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

/// Courses key_params scheduled synchronization is due, the longest overdue first.
pub async fn due(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    now: Moment,
    most: usize,
) -> Result<Vec<Course>> {
    let text = format!(
        "{READ} AND c.tool_consumer_id = $2 AND c.next_sync_at <= $3 ORDER BY c.next_sync_at, c.id LIMIT $4"
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let params = [institution.into(), tool_consumer.into(), now.micros().into(), most.into()];
    sql.rows(&text, &params, |row| from_row(row).map(|(course, _)| course)).await
}

/// The ids of courses key_params next synchronization has not been scheduled yet.
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
    let text = "SELECT COUNT(*), COALESCE(SUM(CASE WHEN j.failures > 0 THEN 1 ELSE 0 END), 0) FROM courses c \
                JOIN jobs j ON j.id = c.job_id \
                WHERE c.institution_id = $1 AND c.tool_consumer_id = $2 AND j.state <> $3";
    let params = [institution.into(), tool_consumer.into(), job::State::Dead.word().into()];
    let count = |number: i64| usize::try_from(number).unwrap_or(0);
    let found = sql.one(text, &params, |row| Ok((count(row.int(0)?), count(row.int(1)?)))).await?;
    Ok(found.unwrap_or_default())
}
