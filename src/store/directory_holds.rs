//! Directory holds: who has one, and what follows for their media.
//!
//! The links to the media of somebody with a hold are dead (`media.hidden`), so no query for a link has to know about it, and a
//! `Participant` is read without them. Code that attaches media, adds registrations, or gives them another email keeps both true with
//! `spread` and `keep`. The caller holds the institution's lock.

use super::{
    Result, Row, Sql, Value,
    media::{self, kind_at},
    padded, placeholders,
};
use crate::domain::{
    ids::{InstitutionId, NamePageId, ParticipantId},
    media::Kind,
};

const TABLES: [&str; 2] = ["participants", "hidden_participants"];

fn params(institution: InstitutionId, ids: Vec<ParticipantId>) -> Vec<Value<'static>> {
    [institution.into()].into_iter().chain(ids.into_iter().map(Value::from)).collect()
}

/// Has anybody of the institution a hold? Most institutions have none, and are spared the other statements.
pub async fn any(sql: &mut Sql, institution: InstitutionId) -> Result<bool> {
    for table in TABLES {
        let text = any_text(table);
        if sql.one(&text, &[institution.into()], |_| Ok(())).await?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Those of these registrations that have a hold.
pub async fn held(
    sql: &mut Sql,
    institution: InstitutionId,
    ids: &[ParticipantId],
) -> Result<Vec<ParticipantId>> {
    let mut found = Vec::new();
    for group in padded(ids) {
        for table in TABLES {
            let text = held_text(table, group.len());
            let ids = params(institution, group.clone());
            found.extend(sql.rows(&text, &ids, |row| row.id::<ParticipantId>(0)).await?);
        }
    }
    Ok(found)
}

fn any_text(table: &str) -> String {
    format!("SELECT 1 FROM {table} WHERE institution_id = $1 AND directory_hold = TRUE LIMIT 1")
}

fn held_text(table: &str, count: usize) -> String {
    format!(
        "SELECT id FROM {table} WHERE institution_id = $1 AND id IN ({}) AND directory_hold = TRUE",
        placeholders(2, count)
    )
}

/// Gives these registrations a hold, or takes it from them.
pub async fn set(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId], held: bool) -> Result<()> {
    for group in padded(ids) {
        for table in TABLES {
            let text = format!(
                "UPDATE {table} SET directory_hold = {} WHERE institution_id = $1 AND id IN ({})",
                if held { "TRUE" } else { "FALSE" },
                placeholders(2, group.len())
            );
            sql.execute(&text, &params(institution, group.clone())).await?;
        }
    }
    if held { keep(sql, institution, ids).await } else { show(sql, institution, ids).await }
}

/// Disables the links to the media of those of these registrations that have a hold. To be called after media was attached or shown.
pub async fn keep(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let these = placeholders(2, group.len());
        let text = format!(
            "UPDATE media SET hidden = TRUE WHERE institution_id = $1 AND participant_id IN ({these}) \
             AND participant_id IN (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id IN ({these}) \
             AND p.directory_hold = TRUE)"
        );
        sql.execute(&text, &params(institution, group)).await?;
    }
    Ok(())
}

/// Enables the links again, as far as nothing else disables them.
async fn show(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    for group in padded(ids) {
        let these = placeholders(2, group.len());
        let text = format!(
            "UPDATE media SET hidden = FALSE WHERE institution_id = $1 AND participant_id IN ({these}) \
             AND participant_id IN (SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.id IN ({these})) \
             AND (kind = 'photo' OR kind IN ('recording', 'legal_recording') AND participant_id NOT IN \
             (SELECT q.participant_id FROM paused_participants q WHERE q.institution_id = $1 AND q.participant_id IN ({these})))"
        );
        sql.execute(&text, &params(institution, group)).await?;
    }
    Ok(())
}

/// The persons with these registrations have a hold on all of their registrations if they have it on one. To be called after
/// registrations were added, merged, or got another email.
pub async fn spread(sql: &mut Sql, institution: InstitutionId, ids: &[ParticipantId]) -> Result<()> {
    if !any(sql, institution).await? {
        return Ok(());
    }
    let mut emails = Vec::new();
    for group in padded(ids) {
        let of = |table: &str| {
            format!(
                "SELECT email_key FROM {table} WHERE institution_id = $1 AND id IN ({}) AND email_key IS NOT NULL",
                placeholders(2, group.len())
            )
        };
        let text = format!("{} UNION {}", of(TABLES[0]), of(TABLES[1]));
        emails.extend(sql.rows(&text, &params(institution, group), |row| row.text(0)).await?);
    }
    emails.sort_unstable();
    emails.dedup();
    let (held, open) =
        (by_email(sql, institution, &emails, true).await?, by_email(sql, institution, &emails, false).await?);
    let is_held = |(_, email_key): &(ParticipantId, String)| held.iter().any(|(_, held)| held == email_key);
    let open: Vec<ParticipantId> = open.into_iter().filter(is_held).map(|(id, _)| id).collect();
    if open.is_empty() { Ok(()) } else { set(sql, institution, &open, true).await }
}

/// The registrations with these emails that have a hold, or have none.
async fn by_email(
    sql: &mut Sql,
    institution: InstitutionId,
    emails: &[String],
    held: bool,
) -> Result<Vec<(ParticipantId, String)>> {
    let emails: Vec<&str> = emails.iter().map(String::as_str).collect();
    let mut found = Vec::new();
    for group in padded(&emails) {
        for table in TABLES {
            let text = format!(
                "SELECT id, email_key FROM {table} WHERE institution_id = $1 AND email_key IN ({}) AND directory_hold = {}",
                placeholders(2, group.len()),
                if held { "TRUE" } else { "FALSE" }
            );
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.iter().map(|key| Value::from(*key))).collect();
            found.extend(sql.rows(&text, &params, |row| Ok((row.id(0)?, row.text(1)?))).await?);
        }
    }
    Ok(found)
}

/// The registrations on other pages of those of these people who have a hold, by the key of their email.
pub async fn elsewhere(
    sql: &mut Sql,
    institution: InstitutionId,
    emails: &[&str],
    page: NamePageId,
) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for group in padded(emails) {
        for table in TABLES {
            let text = format!(
                "SELECT email_key, name_page_id FROM {table} WHERE institution_id = $1 AND email_key IN ({}) \
                 AND directory_hold = TRUE",
                placeholders(2, group.len())
            );
            let params: Vec<Value<'_>> =
                [institution.into()].into_iter().chain(group.iter().map(|key| Value::from(*key))).collect();
            let read = |row: &Row<'_>| Ok((row.text(0)?, row.id::<NamePageId>(1)?));
            let rows = sql.rows(&text, &params, read).await?;
            found.extend(rows.into_iter().filter(|(_, on)| *on != page).map(|(email_key, _)| email_key));
        }
    }
    Ok(found)
}

/// Everybody on a page who has a hold.
pub async fn on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
) -> Result<Vec<ParticipantId>> {
    sql.rows(ON_PAGE, &[institution.into(), page.into()], |row| row.id(0)).await
}

const ON_PAGE: &str = "SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.directory_hold = TRUE AND +p.name_page_id = $2";

/// Media of somebody with a hold, whose link works for few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    pub participant: ParticipantId,
    pub page: NamePageId,
    pub email_key: Option<String>,
    pub kind: Kind,
    pub bytes: u64,
}

/// Whose media it is, unless something else than a hold disables its link.
pub async fn owner(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<ParticipantId>> {
    match media::owner(sql, institution, hex).await? {
        Some(owner) => Ok(Some(owner)),
        None => Ok(find(sql, institution, hex).await?.map(|found| found.participant)),
    }
}

/// The media behind a link that only a hold disables.
pub async fn find(sql: &mut Sql, institution: InstitutionId, hex: &str) -> Result<Option<Withheld>> {
    let read = |row: &Row<'_>| {
        Ok(Withheld {
            kind: kind_at(row, 0)?,
            bytes: row.int(1)?.unsigned_abs(),
            participant: row.id(2)?,
            page: row.id(3)?,
            email_key: row.opt_text(4)?,
        })
    };
    sql.one(FIND, &[institution.into(), hex.into()], read).await
}

const FIND: &str = "SELECT m.kind, m.bytes, p.id, p.name_page_id, p.email_key FROM media m \
     JOIN participants p ON p.institution_id = m.institution_id AND p.id = m.participant_id \
     LEFT JOIN paused_participants q ON q.institution_id = m.institution_id AND q.participant_id = m.participant_id \
     WHERE m.institution_id = $1 AND m.hex = $2 AND p.directory_hold = TRUE \
     AND (m.kind = 'photo' OR m.kind IN ('recording', 'legal_recording') AND q.participant_id IS NULL)";

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let ids = || params(InstitutionId::new(1), (1..=64).map(ParticipantId::new).collect());
    vec![
        ("somebody with a hold", any_text("participants"), vec![1_i64.into()]),
        ("those with a hold", held_text("participants", 64), ids()),
        ("everybody on a page with a hold", ON_PAGE.to_owned(), vec![1_i64.into(), 1_i64.into()]),
        ("withheld media", FIND.to_owned(), vec![1_i64.into(), "hex10".into()]),
    ]
}
