//! Courses of learning systems: which they are, and what becomes of their synchronisation. Who is in one is `members`.

pub mod members;

use super::{Result, Row, Sql, Value};
use crate::domain::{
    course::{Course, Sync},
    job,
    moment::Moment,
};

const READ: &str = "SELECT c.id, c.tool_consumer_id, c.external_id, c.title, c.name_page_id, c.memberships_url, c.synced_at, \
     c.error, c.note, j.state, j.failures, c.job_id FROM courses c LEFT JOIN jobs j ON j.id = c.job_id \
     WHERE c.institution_id = $1";

/// With the job that synchronises it, or once did.
fn from_row(row: &Row<'_>) -> Result<(Course, Option<i64>)> {
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
        id: row.int(0)?,
        tool_consumer: row.int(1)?,
        external_id: row.text(2)?,
        title: row.text(3)?,
        name_page: row.int(4)?,
        memberships_url: row.opt_text(5)?,
        synced_at: row.opt_int(6)?.map(Moment::from_micros),
        error: row.opt_text(7)?,
        note: row.opt_text(8)?,
        sync,
    };
    Ok((course, row.opt_int(11)?))
}

pub async fn find(sql: &mut Sql, institution: i64, id: i64) -> Result<Option<(Course, Option<i64>)>> {
    sql.one(&format!("{READ} AND c.id = $2"), &[institution.into(), id.into()], from_row).await
}

/// The one that the learning system calls so.
pub async fn by_external_id(
    sql: &mut Sql,
    institution: i64,
    tool_consumer: i64,
    external_id: &str,
) -> Result<Option<(Course, Option<i64>)>> {
    let text = format!("{READ} AND c.tool_consumer_id = $2 AND c.external_id = $3");
    let params = [institution.into(), tool_consumer.into(), external_id.into()];
    sql.one(&text, &params, from_row).await
}

/// In the order in which they came.
pub async fn all(sql: &mut Sql, institution: i64, tool_consumer: i64) -> Result<Vec<Course>> {
    let text = format!("{READ} AND c.tool_consumer_id = $2 ORDER BY c.id");
    let read = |row: &Row<'_>| from_row(row).map(|(course, _)| course);
    sql.rows(&text, &[institution.into(), tool_consumer.into()], read).await
}

pub async fn insert(sql: &mut Sql, institution: i64, new: &Course, now: Moment) -> Result<()> {
    let text = "INSERT INTO courses (institution_id, id, tool_consumer_id, external_id, title, name_page_id, memberships_url, \
                created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let params: [Value<'_>; 8] = [
        institution.into(),
        new.id.into(),
        new.tool_consumer.into(),
        (&new.external_id).into(),
        (&new.title).into(),
        new.name_page.into(),
        new.memberships_url.as_ref().into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// What the learning system says of it today. An address that it does not tell stays as it was.
pub async fn describe(
    sql: &mut Sql,
    institution: i64,
    id: i64,
    title: &str,
    memberships_url: Option<&str>,
) -> Result<()> {
    let text = "UPDATE courses SET title = $1, memberships_url = COALESCE($2, memberships_url) \
                WHERE institution_id = $3 AND id = $4";
    sql.execute(text, &[title.into(), memberships_url.into(), institution.into(), id.into()])
        .await
        .map(|_| ())
}

pub async fn set_job(sql: &mut Sql, institution: i64, id: i64, job: i64) -> Result<()> {
    let text = "UPDATE courses SET job_id = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[job.into(), institution.into(), id.into()]).await.map(|_| ())
}

/// What has become of an attempt.
pub enum Ended<'a> {
    Synced(Moment, Option<&'a str>),
    Failed(&'a str),
}

pub async fn end(sql: &mut Sql, institution: i64, id: i64, how: Ended<'_>) -> Result<()> {
    match how {
        Ended::Synced(now, note) => {
            let text = "UPDATE courses SET synced_at = $1, note = $2, error = NULL WHERE institution_id = $3 AND id = $4";
            sql.execute(text, &[now.micros().into(), note.into(), institution.into(), id.into()]).await?;
        }
        Ended::Failed(why) => {
            let text = "UPDATE courses SET error = $1 WHERE institution_id = $2 AND id = $3";
            sql.execute(text, &[why.into(), institution.into(), id.into()]).await?;
        }
    }
    Ok(())
}
