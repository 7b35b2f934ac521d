//! Staff of a course, known from their own launches, and their own entries there.

use crate::{
    domain::{
        ids::{CourseId, InstitutionId, ParticipantId},
        moment::Moment,
    },
    store::{Result, Row, Sql, Value},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staff {
    /// The user id in the course.
    pub user_id: String,
    /// Their own entry on the course's page.
    pub participant: Option<ParticipantId>,
    /// Time of their last launch as staff.
    pub seen_at: Moment,
}

const READ: &str =
    "SELECT user_id, participant_id, seen_at FROM course_staff WHERE institution_id = $1 AND course_id = $2";

fn from_row(row: &Row<'_>) -> Result<Staff> {
    Ok(Staff {
        user_id: row.text(0)?,
        participant: row.opt_id(1)?,
        seen_at: Moment::from_micros(row.int(2)?),
    })
}

pub async fn all(sql: &mut Sql, institution: InstitutionId, course: CourseId) -> Result<Vec<Staff>> {
    sql.rows(&format!("{READ} ORDER BY user_id"), &[institution.into(), course.into()], from_row).await
}

pub async fn find(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    user_id: &str,
) -> Result<Option<Staff>> {
    let text = format!("{READ} AND user_id = $3");
    sql.one(&text, &[institution.into(), course.into(), user_id.into()], from_row).await
}

/// Upsert. A missing entry keeps the stored one.
pub async fn set(sql: &mut Sql, institution: InstitutionId, course: CourseId, one: &Staff) -> Result<()> {
    let text = "INSERT INTO course_staff (institution_id, course_id, user_id, participant_id, seen_at) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (institution_id, course_id, user_id) DO UPDATE \
         SET participant_id = COALESCE(excluded.participant_id, course_staff.participant_id), seen_at = excluded.seen_at";
    let params: [Value<'_>; 5] = [
        institution.into(),
        course.into(),
        (&one.user_id).into(),
        one.participant.into(),
        one.seen_at.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

/// Changes the user id of a staff member.
pub async fn rename(
    sql: &mut Sql,
    institution: InstitutionId,
    course: CourseId,
    (old, new): (&str, &str),
) -> Result<()> {
    let text =
        "UPDATE course_staff SET user_id = $1 WHERE institution_id = $2 AND course_id = $3 AND user_id = $4";
    sql.execute(text, &[new.into(), institution.into(), course.into(), old.into()]).await.map(|_| ())
}

/// Unlinks an entry that was deleted, or that is now a student's.
pub async fn unlink_entry(
    sql: &mut Sql,
    institution: InstitutionId,
    participant: ParticipantId,
) -> Result<()> {
    let text =
        "UPDATE course_staff SET participant_id = NULL WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), participant.into()]).await.map(|_| ())
}

/// Deletes the staff record of an erased person: it is personal data too.
pub async fn delete_of(sql: &mut Sql, institution: InstitutionId, participant: ParticipantId) -> Result<()> {
    let text = "DELETE FROM course_staff WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), participant.into()]).await.map(|_| ())
}
