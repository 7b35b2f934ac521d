//! Courses that several tool consumers reach: the ids that the others use for the course and its members.

use crate::{
    domain::ids::{CourseId, InstitutionId, ParticipantId, ToolConsumerId},
    store::{Result, Row, Sql, Value, padded, placeholders},
};

/// The id of a course at a tool consumer other than its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    pub tool_consumer: ToolConsumerId,
    pub external_id: String,
    pub course: CourseId,
    pub memberships_url: Option<String>,
}

const COLUMNS: &str = "tool_consumer_id, external_id, course_id, memberships_url";

fn from_row(row: &Row<'_>) -> Result<Alias> {
    Ok(Alias {
        tool_consumer: row.id(0)?,
        external_id: row.text(1)?,
        course: row.id(2)?,
        memberships_url: row.opt_text(3)?,
    })
}

pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    external_id: &str,
) -> Result<Option<Alias>> {
    let text = format!(
        "SELECT {COLUMNS} FROM course_aliases WHERE institution_id = $1 AND tool_consumer_id = $2 AND external_id = $3"
    );
    let params = [institution.into(), tool_consumer.into(), external_id.into()];
    sql.one(&text, &params, from_row).await
}

/// Those of a tool consumer for these courses.
pub async fn find_all(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
    external_ids: &[&str],
) -> Result<Vec<Alias>> {
    let mut found = Vec::new();
    for group in padded(external_ids) {
        let text = format!(
            "SELECT {COLUMNS} FROM course_aliases WHERE institution_id = $1 AND tool_consumer_id = $2 AND external_id IN ({})",
            placeholders(3, group.len())
        );
        let params = [institution.into(), tool_consumer.into()];
        let params: Vec<Value<'_>> = params.into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

pub async fn of_course(sql: &mut Sql, institution: InstitutionId, course: CourseId) -> Result<Vec<Alias>> {
    let text = format!(
        "SELECT {COLUMNS} FROM course_aliases WHERE institution_id = $1 AND course_id = $2 \
         ORDER BY tool_consumer_id, external_id"
    );
    sql.rows(&text, &[institution.into(), course.into()], from_row).await
}

pub async fn of_consumer(
    sql: &mut Sql,
    institution: InstitutionId,
    tool_consumer: ToolConsumerId,
) -> Result<Vec<Alias>> {
    let text = format!(
        "SELECT {COLUMNS} FROM course_aliases WHERE institution_id = $1 AND tool_consumer_id = $2 ORDER BY course_id"
    );
    sql.rows(&text, &[institution.into(), tool_consumer.into()], from_row).await
}

/// Upsert. A missing URL keeps the stored one.
pub async fn set(sql: &mut Sql, institution: InstitutionId, alias: &Alias) -> Result<()> {
    let text = "INSERT INTO course_aliases (institution_id, tool_consumer_id, external_id, course_id, memberships_url) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (institution_id, tool_consumer_id, external_id) DO UPDATE \
         SET course_id = excluded.course_id, memberships_url = COALESCE(excluded.memberships_url, course_aliases.memberships_url)";
    let params: [Value<'_>; 5] = [
        institution.into(),
        alias.tool_consumer.into(),
        (&alias.external_id).into(),
        alias.course.into(),
        alias.memberships_url.as_ref().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn remove(sql: &mut Sql, institution: InstitutionId, alias: &Alias) -> Result<()> {
    let text =
        "DELETE FROM course_aliases WHERE institution_id = $1 AND tool_consumer_id = $2 AND external_id = $3";
    let params = [institution.into(), alias.tool_consumer.into(), (&alias.external_id).into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// The id of a course member at a tool consumer whose ids the course does not use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub tool_consumer: ToolConsumerId,
    pub user_id: String,
    pub participant: ParticipantId,
}

pub async fn identities(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
) -> Result<Vec<Identity>> {
    let text = "SELECT tool_consumer_id, user_id, participant_id FROM course_identities \
                WHERE institution_id = $1 AND course_id = $2 ORDER BY tool_consumer_id, user_id";
    let read = |row: &Row<'_>| {
        Ok(Identity { tool_consumer: row.id(0)?, user_id: row.text(1)?, participant: row.id(2)? })
    };
    sql.rows(text, &[institution.into(), course.into()], read).await
}

pub async fn identify(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    who: &Identity,
) -> Result<()> {
    let text = "INSERT INTO course_identities (institution_id, course_id, tool_consumer_id, user_id, participant_id) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (institution_id, course_id, tool_consumer_id, user_id) \
         DO UPDATE SET participant_id = excluded.participant_id";
    let params: [Value<'_>; 5] = [
        institution.into(),
        course.into(),
        who.tool_consumer.into(),
        (&who.user_id).into(),
        who.participant.into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Deletes the ids of one tool consumer, once the course itself uses them.
pub async fn delete_identities(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    tool_consumer: ToolConsumerId,
) -> Result<()> {
    let text = "DELETE FROM course_identities WHERE institution_id = $1 AND course_id = $2 AND tool_consumer_id = $3";
    sql.execute(text, &[institution.into(), course.into(), tool_consumer.into()]).await.map(|_| ())
}
