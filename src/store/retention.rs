//! Deleting recordings some days after the date of their page, and the notices before that. A recording may be deleted if the person
//! was told after it was made.

use jiff::civil::Date;

use super::{Result, Row, Sql, Value};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    media::Kind,
    moment::Moment,
    page_settings::parse_date,
};

/// A page whose recordings are to be deleted some days after its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub institution: InstitutionId,
    pub page: NamePageId,
    pub date: Date,
    pub days: u32,
}

/// All of them, in all institutions.
pub async fn plans(sql: &mut Sql) -> Result<Vec<Plan>> {
    let read = |row: &Row<'_>| Ok((row.id(0)?, row.id(1)?, row.opt_text(2)?, row.int(3)?));
    let found = sql.rows(PLANS, &[], read).await?;
    let plan = |(institution, page, date, days): (InstitutionId, NamePageId, Option<String>, i64)| {
        let (date, days) = (parse_date(date.as_deref()?)?, u32::try_from(days).ok()?);
        Some(Plan { institution, page, date, days })
    };
    Ok(found.into_iter().filter_map(plan).collect())
}

const PLANS: &str = "SELECT institution_id, id, date, delete_after_days FROM name_pages WHERE delete_after_days IS NOT NULL \
     ORDER BY institution_id, id";

/// A person who has not been told about one of their recordings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untold {
    pub id: ParticipantId,
    pub place: i64,
    pub email: Option<String>,
    /// They want no mail.
    pub is_opted_out: bool,
}

/// The tables with people of a page. Hidden people have left; their recordings are deleted, too.
pub const TABLES: [&str; 2] = ["participants", "hidden_participants"];

/// People on a page with recordings that they have not been told about, from this place on. A recording that a manager has removed
/// is deleted anyway.
pub async fn untold(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    (table, place): (&str, i64),
    count: i64,
) -> Result<Vec<Untold>> {
    let params = [institution.into(), page.into(), place.into(), count.into()];
    let read = |row: &Row<'_>| {
        Ok(Untold {
            id: row.id(0)?,
            place: row.int(1)?,
            email: row.opt_text(2)?,
            is_opted_out: row.opt_text(3)?.is_some(),
        })
    };
    sql.rows(&untold_text(table), &params, read).await
}

fn untold_text(table: &str) -> String {
    format!(
        "SELECT p.id, p.page_place, p.email, o.email_key FROM {table} p \
         LEFT JOIN mail_opt_outs o ON o.institution_id = p.institution_id AND o.email_key = p.email_key \
         LEFT JOIN retention_notices r ON r.institution_id = p.institution_id AND r.participant_id = p.id \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place >= $3 AND EXISTS (SELECT 1 FROM media m \
         WHERE m.institution_id = $1 AND m.participant_id = p.id AND m.kind <> 'photo' AND m.kind NOT LIKE 'removed%' \
         AND (r.announced_at IS NULL OR m.created_at > r.announced_at)) ORDER BY p.page_place LIMIT $4"
    )
}

/// Records that a person has been told now.
pub async fn tell(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    id: ParticipantId,
    now: Moment,
) -> Result<()> {
    let text = "INSERT INTO retention_notices (institution_id, participant_id, name_page_id, announced_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (institution_id, participant_id) DO UPDATE SET name_page_id = excluded.name_page_id, \
         announced_at = excluded.announced_at";
    let params = [institution.into(), id.into(), page.into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// A person with recordings that may be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    pub id: ParticipantId,
    pub place: i64,
    /// `Recording` includes those that are held or removed: they are deleted with the audible one.
    pub kinds: Vec<Kind>,
}

/// People on a page who were told before `told_before` about all their recordings of a kind, from this place on.
pub async fn due(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    (table, place): (&str, i64),
    told_before: Moment,
    count: i64,
) -> Result<Vec<Due>> {
    let params = [institution.into(), page.into(), place.into(), told_before.micros().into(), count.into()];
    let read = |row: &Row<'_>| {
        let announced_at = row.int(2)?;
        let newest = [(Kind::Recording, row.opt_int(3)?), (Kind::LegalRecording, row.opt_int(4)?)];
        let is_told = |newest: Option<i64>| newest.is_some_and(|newest| newest <= announced_at);
        let kinds = newest.into_iter().filter(|(_, newest)| is_told(*newest)).map(|(kind, _)| kind).collect();
        Ok(Due { id: row.id(0)?, place: row.int(1)?, kinds })
    };
    sql.rows(&due_text(table), &params, read).await
}

/// Nobody is told about a recording that was removed, so its age does not matter.
fn due_text(table: &str) -> String {
    let of = "FROM media m WHERE m.institution_id = $1 AND m.participant_id = p.id AND m.kind";
    format!(
        "SELECT d.id, d.page_place, d.announced_at, d.recording, d.legal FROM (SELECT p.id, p.page_place, r.announced_at, \
         (SELECT MAX(CASE WHEN m.kind LIKE 'removed%' THEN 0 ELSE m.created_at END) {of} NOT IN ('legal_recording', 'photo')) AS recording, \
         (SELECT MAX(m.created_at) {of} = 'legal_recording') AS legal FROM {table} p \
         JOIN retention_notices r ON r.institution_id = p.institution_id AND r.participant_id = p.id \
         WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place >= $3 AND r.announced_at <= $4) d \
         WHERE d.recording <= d.announced_at OR d.legal <= d.announced_at ORDER BY d.page_place LIMIT $5"
    )
}

/// A person's recordings are gone, or on another page: a later one needs a notice of its own.
pub async fn forget(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<()> {
    let text = "DELETE FROM retention_notices WHERE institution_id = $1 AND participant_id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// The date has changed: everybody on the page must be told again.
pub async fn forget_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    let text = "DELETE FROM retention_notices WHERE institution_id = $1 AND name_page_id = $2";
    sql.execute(text, &[institution.into(), page.into()]).await.map(|_| ())
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let start = [Value::Int(1), Value::Int(1), Value::Int(0)];
    vec![
        ("who has not been told", untold_text("participants"), [&start[..], &[Value::Int(500)]].concat()),
        (
            "what is due for deletion",
            due_text("participants"),
            [&start[..], &[Value::Int(1), Value::Int(500)]].concat(),
        ),
    ]
}
