//! What is done with many people at once.

use super::{Error, Result, Row, Sql, Value, in_power_of_two_chunks, stored_json, value_rows};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId, PeopleTaskId},
    moment::Moment,
    people_task::{PeopleTask, TaskOutcome, TaskState},
};

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::Broken(error.to_string()))
}

/// Writes a task with these people.
pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    task: &PeopleTask,
    people: &[ParticipantId],
) -> Result<()> {
    let text = "INSERT INTO people_tasks (institution_id, id, action, pages, state, rows_done, rows_total, created_by, created_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let params: [Value<'_>; 9] = [
        institution.into(),
        task.id.into(),
        json(&task.action)?.into(),
        task.pages.as_ref().map(json).transpose()?.into(),
        task.state.word().into(),
        number(task.rows_done).into(),
        number(task.rows_total).into(),
        (&task.created_by).into(),
        task.created_at.micros().into(),
    ];
    sql.execute(text, &params).await?;
    let rows: Vec<(i64, ParticipantId)> = (0..).zip(people.iter().copied()).collect();
    for group in in_power_of_two_chunks(&rows) {
        let text = format!(
            "INSERT INTO people_task_rows (institution_id, task_id, number, participant_id) VALUES {}",
            value_rows(1, group.len(), 4)
        );
        let mut params: Vec<Value<'_>> = Vec::with_capacity(group.len() * 4);
        for (number, id) in group {
            params.extend([institution.into(), task.id.into(), (*number).into(), (*id).into()]);
        }
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

const COLUMNS: &str = "id, action, pages, state, rows_done, rows_total, created_by, created_at";

fn from_row(row: &Row<'_>) -> Result<PeopleTask> {
    let id: PeopleTaskId = row.id(0)?;
    let unknown = || Error::Broken("a state of a task that this binary does not know".to_owned());
    let pages: Option<Vec<NamePageId>> = match row.opt_text(2)? {
        Some(pages) => Some(stored_json(("people_tasks", "pages", id), &pages)?),
        None => None,
    };
    Ok(PeopleTask {
        id,
        action: stored_json(("people_tasks", "action", id), &row.text(1)?)?,
        pages,
        state: TaskState::parse(&row.text(3)?).ok_or_else(unknown)?,
        rows_done: row.int(4)?.unsigned_abs(),
        rows_total: row.int(5)?.unsigned_abs(),
        created_by: row.text(6)?,
        created_at: Moment::from_micros(row.int(7)?),
    })
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, id: PeopleTaskId) -> Result<Option<PeopleTask>> {
    let text = format!("SELECT {COLUMNS} FROM people_tasks WHERE institution_id = $1 AND id = $2");
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// The newest tasks.
pub async fn newest(sql: &mut Sql, institution: InstitutionId, count: i64) -> Result<Vec<PeopleTask>> {
    let text =
        format!("SELECT {COLUMNS} FROM people_tasks WHERE institution_id = $1 ORDER BY id DESC LIMIT $2");
    sql.rows(&text, &[institution.into(), count.into()], from_row).await
}

/// The next people whose turn it is, each with their number.
pub async fn next(
    sql: &mut Sql,
    institution: InstitutionId,
    id: PeopleTaskId,
    count: i64,
) -> Result<Vec<(i64, ParticipantId)>> {
    let text = "SELECT number, participant_id FROM people_task_rows WHERE institution_id = $1 AND task_id = $2 \
                AND outcome IS NULL ORDER BY number LIMIT $3";
    let params = [institution.into(), id.into(), count.into()];
    sql.rows(text, &params, |row| Ok((row.int(0)?, row.id(1)?))).await
}

/// Writes what has become of somebody, if nobody else has done so.
pub async fn settle(
    sql: &mut Sql,
    institution: InstitutionId,
    id: PeopleTaskId,
    (number, outcome): (i64, TaskOutcome),
) -> Result<()> {
    let text = "UPDATE people_task_rows SET outcome = $1 WHERE institution_id = $2 AND task_id = $3 AND number = $4 \
                AND outcome IS NULL";
    let params: [Value<'_>; 4] = [outcome.word().into(), institution.into(), id.into(), number.into()];
    if sql.execute(text, &params).await? == 1 {
        let text = "UPDATE people_tasks SET rows_done = rows_done + 1 WHERE institution_id = $1 AND id = $2";
        sql.execute(text, &[institution.into(), id.into()]).await?;
    }
    Ok(())
}

/// Ends a task that is not over yet. Of people who were erased or merged meanwhile, there are no rows anymore.
pub async fn end(
    sql: &mut Sql,
    institution: InstitutionId,
    id: PeopleTaskId,
    state: TaskState,
) -> Result<()> {
    let text = "UPDATE people_tasks SET state = $1 WHERE institution_id = $2 AND id = $3 AND state <> 'done'";
    let params: [Value<'_>; 3] = [state.word().into(), institution.into(), id.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// How often each outcome was.
pub async fn outcomes(
    sql: &mut Sql,
    institution: InstitutionId,
    id: PeopleTaskId,
) -> Result<Vec<(TaskOutcome, u64)>> {
    let text = "SELECT outcome, COUNT(*) FROM people_task_rows WHERE institution_id = $1 AND task_id = $2 \
                AND outcome IS NOT NULL GROUP BY outcome";
    let read = |row: &Row<'_>| Ok((row.text(0)?, row.int(1)?.unsigned_abs()));
    let found = sql.rows(text, &[institution.into(), id.into()], read).await?;
    let known = found.into_iter().filter_map(|(word, count)| Some((TaskOutcome::parse(&word)?, count)));
    let mut known: Vec<(TaskOutcome, u64)> = known.collect();
    known.sort_unstable();
    Ok(known)
}

/// Those with whom the task has done what it was to do.
pub async fn done(sql: &mut Sql, institution: InstitutionId, id: PeopleTaskId) -> Result<Vec<ParticipantId>> {
    let text = "SELECT participant_id FROM people_task_rows WHERE institution_id = $1 AND task_id = $2 \
                AND outcome = 'done' ORDER BY number";
    sql.rows(text, &[institution.into(), id.into()], |row| row.id(0)).await
}

/// Some of the tasks of before this time, of all institutions, the oldest first.
pub async fn before(sql: &mut Sql, before: Moment) -> Result<Vec<(InstitutionId, PeopleTaskId)>> {
    let text =
        "SELECT institution_id, id FROM people_tasks WHERE created_at < $1 ORDER BY created_at LIMIT 1000";
    sql.rows(text, &[before.micros().into()], |row| Ok((row.id(0)?, row.id(1)?))).await
}

/// Deletes a task. The caller holds the institution's lock.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, id: PeopleTaskId) -> Result<()> {
    for text in [
        "DELETE FROM people_task_rows WHERE institution_id = $1 AND task_id = $2",
        "DELETE FROM people_tasks WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &[institution.into(), id.into()]).await?;
    }
    Ok(())
}
