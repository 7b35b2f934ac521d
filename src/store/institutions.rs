//! Institutions and their allowed web origins (CORS).

use jiff::tz::TimeZone;

use super::{Result, Row, Sql, Value, audit_seals, rolls, tokens};
use crate::domain::{
    ids::{InstitutionId, ParticipantId},
    institution::Institution,
    language::Language,
    moment::Moment,
    name_page::code_key,
    sso::SsoOnly,
};

pub const COLUMNS: &str = "i.id, i.slug, i.name, i.access_code, i.time_zone, i.multiple_recordings, i.rate_limit, i.created_at, i.phone_language, i.language";

/// Reads `COLUMNS` starting at `first`, without the allowed origins.
pub fn from_row(row: &Row<'_>, first: usize) -> Result<Institution> {
    Ok(Institution {
        id: row.id(first)?,
        slug: row.text(first + 1)?,
        name: row.text(first + 2)?,
        access_code: row.text(first + 3)?,
        time_zone: TimeZone::get(&row.text(first + 4)?).unwrap_or(TimeZone::UTC),
        multiple_recordings: row.bool(first + 5)?,
        rate_limit: row.opt_int(first + 6)?.and_then(|limit| u32::try_from(limit).ok()),
        allowed_origins: Vec::new(),
        created_at: Moment::from_micros(row.int(first + 7)?),
        phone_language: row.opt_text(first + 8)?,
        language: row.opt_text(first + 9)?.as_deref().and_then(Language::parse),
    })
}

pub async fn insert(sql: &mut Sql, institution: &Institution, time_zone: &str) -> Result<()> {
    let text = "INSERT INTO institutions (id, slug, name, access_code, time_zone, multiple_recordings, rate_limit, created_at, phone_language) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let params: [Value<'_>; 9] = [
        institution.id.into(),
        (&institution.slug).into(),
        (&institution.name).into(),
        (&institution.access_code).into(),
        time_zone.into(),
        institution.multiple_recordings.into(),
        institution.rate_limit.map(i64::from).into(),
        institution.created_at.micros().into(),
        institution.phone_language.as_deref().into(),
    ];
    sql.execute(text, &params).await?;
    let code = "INSERT INTO codes (code, institution_id, name_page_id) VALUES ($1, $2, 0)";
    sql.execute(code, &[code_key(&institution.access_code).into(), institution.id.into()]).await?;
    rolls::open(sql, institution.id, rolls::INSTITUTION).await
}

pub async fn by_slug(sql: &mut Sql, slug: &str) -> Result<Option<Institution>> {
    let text = format!("SELECT {COLUMNS} FROM institutions i WHERE i.slug = $1");
    let Some(mut found) = sql.one(&text, &[slug.into()], |row| from_row(row, 0)).await? else {
        return Ok(None);
    };
    found.allowed_origins = origins(sql, found.id).await?;
    Ok(Some(found))
}

/// Without the allowed origins, which callers by id do not need.
pub async fn by_id(sql: &mut Sql, id: InstitutionId) -> Result<Option<Institution>> {
    let text = format!("SELECT {COLUMNS} FROM institutions i WHERE i.id = $1");
    sql.one(&text, &[id.into()], |row| from_row(row, 0)).await
}

/// The only institution; `None` if there are several, or none. Without the allowed origins.
pub async fn only(sql: &mut Sql) -> Result<Option<Institution>> {
    let text = format!("SELECT {COLUMNS} FROM institutions i ORDER BY i.id LIMIT 2");
    let mut found = sql.rows(&text, &[], |row| from_row(row, 0)).await?;
    Ok(if found.len() == 1 { found.pop() } else { None })
}

/// The ids of all institutions.
pub async fn ids(sql: &mut Sql) -> Result<Vec<InstitutionId>> {
    sql.rows("SELECT id FROM institutions ORDER BY id", &[], |row| row.id(0)).await
}

/// How many people and name pages an institution has, for the operator.
#[derive(Debug, Clone)]
pub struct Size {
    pub slug: String,
    pub name: String,
    pub people: i64,
    pub pages: i64,
}

/// Institutions behind a slug, in order. People are counted by the roll.
pub async fn sizes(sql: &mut Sql, behind: &str, most: i64) -> Result<Vec<Size>> {
    let text = "SELECT id, slug, name FROM institutions WHERE slug > $1 ORDER BY slug LIMIT $2";
    let read = |row: &Row<'_>| Ok((row.id::<InstitutionId>(0)?, row.text(1)?, row.text(2)?));
    let mut sizes = Vec::new();
    for (id, slug, name) in sql.rows(text, &[behind.into(), most.into()], read).await? {
        let text = "SELECT r.members, (SELECT COUNT(*) FROM name_pages n WHERE n.institution_id = $1) FROM rolls r \
                    WHERE r.institution_id = $1 AND r.name_page_id = 0";
        let counts = sql.one(text, &[id.into()], |row| Ok((row.int(0)?, row.int(1)?))).await?;
        let (people, pages) = counts.unwrap_or_default();
        sizes.push(Size { slug, name, people, pages });
    }
    Ok(sizes)
}

/// Has somebody closed the first steps of a new institution?
pub async fn is_start_dismissed(sql: &mut Sql, id: InstitutionId) -> Result<bool> {
    let text = "SELECT start_dismissed FROM institutions WHERE id = $1";
    Ok(sql.one(text, &[id.into()], |row| row.bool(0)).await?.unwrap_or(false))
}

pub async fn dismiss_start(sql: &mut Sql, id: InstitutionId) -> Result<()> {
    let text = "UPDATE institutions SET start_dismissed = TRUE WHERE id = $1";
    sql.execute(text, &[id.into()]).await.map(|_| ())
}

pub async fn all(sql: &mut Sql) -> Result<Vec<Institution>> {
    let mut found = sql
        .rows(&format!("SELECT {COLUMNS} FROM institutions i ORDER BY i.slug"), &[], |row| from_row(row, 0))
        .await?;
    for institution in &mut found {
        institution.allowed_origins = origins(sql, institution.id).await?;
    }
    Ok(found)
}

pub async fn origins(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<String>> {
    let text = "SELECT origin FROM allowed_origins WHERE institution_id = $1 ORDER BY origin";
    sql.rows(text, &[institution.into()], |row| row.text(0)).await
}

/// The origins that any institution allows.
pub async fn all_origins(sql: &mut Sql) -> Result<Vec<String>> {
    sql.rows("SELECT DISTINCT origin FROM allowed_origins", &[], |row| row.text(0)).await
}

/// What the names of registrations in links are derived from (ADR 29). `None` for an institution that does not exist.
pub async fn link_secret(sql: &mut Sql, id: InstitutionId) -> Result<Option<Option<String>>> {
    let text = "SELECT link_secret FROM institutions WHERE id = $1";
    sql.one(text, &[id.into()], |row| row.opt_text(0)).await
}

/// Never replaces one: links with names that were derived from it are on other sites.
pub async fn set_link_secret(sql: &mut Sql, id: InstitutionId, secret: &str) -> Result<()> {
    let text = "UPDATE institutions SET link_secret = $1 WHERE id = $2 AND link_secret IS NULL";
    sql.execute(text, &[secret.into(), id.into()]).await.map(|_| ())
}

/// Do new registrations start with the person's newest recording?
pub async fn starts_with_newest(sql: &mut Sql, id: InstitutionId) -> Result<Option<bool>> {
    let text = "SELECT starts_with_newest FROM institutions WHERE id = $1";
    sql.one(text, &[id.into()], |row| row.bool(0)).await
}

/// Who must sign in through the provider. A word that only a newer version knows means everybody.
pub async fn sso_only(sql: &mut Sql, id: InstitutionId) -> Result<Option<SsoOnly>> {
    let text = "SELECT sso_only FROM institutions WHERE id = $1";
    let word = sql.one(text, &[id.into()], |row| row.text(0)).await?;
    Ok(word.map(|word| SsoOnly::parse(&word).unwrap_or(SsoOnly::Everybody)))
}

/// Do badges show notes?
pub async fn notes_on_badge(sql: &mut Sql, id: InstitutionId) -> Result<Option<bool>> {
    let text = "SELECT notes_on_badge FROM institutions WHERE id = $1";
    sql.one(text, &[id.into()], |row| row.bool(0)).await
}

/// A validated change. `None` or an empty list leaves the value unchanged.
#[derive(Debug, Default)]
pub struct Changes {
    pub name: Option<String>,
    pub time_zone: Option<String>,
    pub multiple_recordings: Option<bool>,
    pub rate_limit: Option<Option<u32>>,
    pub phone_language: Option<Option<String>>,
    pub language: Option<Option<Language>>,
    pub starts_with_newest: Option<bool>,
    pub notes_on_badge: Option<bool>,
    pub audit_days: Option<Option<u32>>,
    pub sso_only: Option<SsoOnly>,
    pub allow_origins: Vec<String>,
    pub forbid_origins: Vec<String>,
}

/// Writes only the columns in the change: concurrent updates keep each other's fields, and a stored value that this binary
/// does not understand, such as a time zone, is not overwritten with a default.
pub async fn update(sql: &mut Sql, institution: InstitutionId, changes: &Changes) -> Result<()> {
    let columns: [(&str, Option<Value<'_>>); 10] = [
        ("name", changes.name.as_ref().map(Value::from)),
        ("time_zone", changes.time_zone.as_ref().map(Value::from)),
        ("multiple_recordings", changes.multiple_recordings.map(Value::from)),
        ("rate_limit", changes.rate_limit.map(|limit| limit.map(i64::from).into())),
        ("phone_language", changes.phone_language.as_ref().map(|language| language.as_deref().into())),
        ("language", changes.language.map(|language| language.map(Language::tag).into())),
        ("starts_with_newest", changes.starts_with_newest.map(Value::from)),
        ("notes_on_badge", changes.notes_on_badge.map(Value::from)),
        ("audit_days", changes.audit_days.map(|days| days.map(i64::from).into())),
        ("sso_only", changes.sso_only.map(|only| only.word().into())),
    ];
    let (mut set, mut params) = (Vec::new(), Vec::new());
    for (column, value) in columns {
        if let Some(value) = value {
            params.push(value);
            set.push(format!("{column} = ${}", params.len()));
        }
    }
    if let Some(days) = changes.audit_days {
        audit_seals::retention_changes(sql, institution, days.map(i64::from)).await?;
    }
    if !set.is_empty() {
        params.push(institution.into());
        let text = format!("UPDATE institutions SET {} WHERE id = ${}", set.join(", "), params.len());
        sql.execute(&text, &params).await?;
    }
    for origin in &changes.allow_origins {
        let text =
            "INSERT INTO allowed_origins (institution_id, origin) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        sql.execute(text, &[institution.into(), origin.into()]).await?;
    }
    for origin in &changes.forbid_origins {
        let text = "DELETE FROM allowed_origins WHERE institution_id = $1 AND origin = $2";
        sql.execute(text, &[institution.into(), origin.into()]).await?;
    }
    Ok(())
}

/// Revokes all access first, so that nothing is added while the rest is deleted in small steps.
pub async fn close_access(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    tokens::lock_all(sql, institution).await?;
    for text in [
        "DELETE FROM token_pages WHERE institution_id = $1",
        "DELETE FROM idempotency_keys WHERE institution_id = $1",
        "DELETE FROM tokens WHERE institution_id = $1",
        "DELETE FROM scim_connections WHERE institution_id = $1",
        "DELETE FROM codes WHERE institution_id = $1",
        // A synchronization in progress finds nothing to update.
        "DELETE FROM course_members WHERE institution_id = $1",
        "DELETE FROM course_aliases WHERE institution_id = $1",
        "DELETE FROM course_identities WHERE institution_id = $1",
        "DELETE FROM course_staff WHERE institution_id = $1",
        "DELETE FROM courses WHERE institution_id = $1",
        "DELETE FROM lti_sessions WHERE institution_id = $1",
        "DELETE FROM lti_logins WHERE institution_id = $1",
        "DELETE FROM lti_invites WHERE institution_id = $1",
        "DELETE FROM lti_deployments WHERE institution_id = $1",
        "DELETE FROM lti_registrations WHERE institution_id = $1",
        "DELETE FROM institution_lti_keys WHERE institution_id = $1",
        "DELETE FROM tool_consumers WHERE institution_id = $1",
        "DELETE FROM member_pages WHERE institution_id = $1",
        "DELETE FROM members WHERE institution_id = $1",
        "DELETE FROM sessions WHERE institution_id = $1",
        // In this order, as whoever sends a code, and whoever enters it.
        "DELETE FROM outbox WHERE institution_id = $1",
        "DELETE FROM sign_in_requests WHERE institution_id = $1",
        "DELETE FROM admissions WHERE institution_id = $1",
        "DELETE FROM sign_in_links WHERE institution_id = $1",
        "DELETE FROM sso_logins WHERE institution_id = $1",
        "DELETE FROM sso_group_roles WHERE institution_id = $1",
        "DELETE FROM sso_connections WHERE institution_id = $1",
        "DELETE FROM sso_short_redirect WHERE institution_id = $1",
        "DELETE FROM invitations WHERE institution_id = $1",
    ] {
        sql.execute(text, &[institution.into()]).await?;
    }
    Ok(())
}

pub async fn delete_people(sql: &mut Sql, institution: InstitutionId, up_to: ParticipantId) -> Result<u64> {
    let mut gone = 0;
    sql.scrub_wal();
    for table in ["participants", "hidden_participants"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND id < $2");
        gone += sql.execute(&text, &[institution.into(), up_to.into()]).await?;
    }
    Ok(gone)
}

/// The end of the institution's roll: every participant id is below it.
pub async fn people_end(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT next_place FROM rolls WHERE institution_id = $1 AND name_page_id = 0";
    Ok(sql.one(text, &[institution.into()], |row| row.int(0)).await?.unwrap_or(0))
}

pub async fn delete_rest(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    for text in [
        "DELETE FROM participants WHERE institution_id = $1",
        "DELETE FROM hidden_participants WHERE institution_id = $1",
        "DELETE FROM course_members WHERE institution_id = $1",
        "DELETE FROM course_aliases WHERE institution_id = $1",
        "DELETE FROM course_identities WHERE institution_id = $1",
        "DELETE FROM course_staff WHERE institution_id = $1",
        "DELETE FROM courses WHERE institution_id = $1",
        "DELETE FROM lti_sessions WHERE institution_id = $1",
        "DELETE FROM lti_logins WHERE institution_id = $1",
        "DELETE FROM lti_invites WHERE institution_id = $1",
        "DELETE FROM lti_deployments WHERE institution_id = $1",
        "DELETE FROM lti_registrations WHERE institution_id = $1",
        "DELETE FROM institution_lti_keys WHERE institution_id = $1",
        "DELETE FROM tool_consumers WHERE institution_id = $1",
        "DELETE FROM member_pages WHERE institution_id = $1",
        "DELETE FROM members WHERE institution_id = $1",
        "DELETE FROM sessions WHERE institution_id = $1",
        // As in `close_access`.
        "DELETE FROM outbox WHERE institution_id = $1",
        "DELETE FROM sign_in_requests WHERE institution_id = $1",
        "DELETE FROM admissions WHERE institution_id = $1",
        "DELETE FROM sign_in_links WHERE institution_id = $1",
        "DELETE FROM sso_logins WHERE institution_id = $1",
        "DELETE FROM sso_group_roles WHERE institution_id = $1",
        "DELETE FROM sso_connections WHERE institution_id = $1",
        "DELETE FROM sso_short_redirect WHERE institution_id = $1",
        "DELETE FROM persons WHERE institution_id = $1",
        "DELETE FROM audience_defaults WHERE institution_id = $1",
        "DELETE FROM audit WHERE institution_id = $1",
        "DELETE FROM audit_seals WHERE institution_id = $1",
        "DELETE FROM audit_chains WHERE institution_id = $1",
        "DELETE FROM paused_participants WHERE institution_id = $1",
        "DELETE FROM outsiders WHERE institution_id = $1",
        "DELETE FROM people_words WHERE institution_id = $1",
        "DELETE FROM people_names WHERE institution_id = $1",
        "DELETE FROM people_indexed WHERE institution_id = $1",
        "DELETE FROM deleted_people WHERE institution_id = $1",
        "DELETE FROM people_task_rows WHERE institution_id = $1",
        "DELETE FROM people_tasks WHERE institution_id = $1",
        "DELETE FROM consents WHERE institution_id = $1",
        "DELETE FROM participant_consents WHERE institution_id = $1",
        "DELETE FROM consent_texts WHERE institution_id = $1",
        "DELETE FROM invitations WHERE institution_id = $1",
        "DELETE FROM mail_opt_outs WHERE institution_id = $1",
        "DELETE FROM mail_bounces WHERE institution_id = $1",
        "DELETE FROM mail_texts WHERE institution_id = $1",
        "DELETE FROM recording_requests WHERE institution_id = $1",
        "DELETE FROM refused_people WHERE institution_id = $1",
        "DELETE FROM entry_cases WHERE institution_id = $1",
        "DELETE FROM retention_notices WHERE institution_id = $1",
        "DELETE FROM coverage WHERE institution_id = $1",
        "DELETE FROM coverage_days WHERE institution_id = $1",
        "DELETE FROM plays WHERE institution_id = $1",
        "DELETE FROM media WHERE institution_id = $1",
        "DELETE FROM moderation WHERE institution_id = $1",
        "DELETE FROM kept_recordings WHERE institution_id = $1",
        "DELETE FROM recording_makers WHERE institution_id = $1",
        "DELETE FROM replaced_recordings WHERE institution_id = $1",
        "DELETE FROM departures WHERE institution_id = $1",
        "DELETE FROM export_parts WHERE institution_id = $1",
        "DELETE FROM export_pages WHERE institution_id = $1",
        "DELETE FROM exports WHERE institution_id = $1",
        // As an import that ends.
        "DELETE FROM imports WHERE institution_id = $1",
        "DELETE FROM import_files WHERE institution_id = $1",
        "DELETE FROM import_changes WHERE institution_id = $1",
        "DELETE FROM roll_gaps WHERE institution_id = $1",
        "DELETE FROM rolls WHERE institution_id = $1",
        "DELETE FROM custom_fields WHERE institution_id = $1",
        "DELETE FROM name_pages WHERE institution_id = $1",
        "DELETE FROM allowed_origins WHERE institution_id = $1",
        "DELETE FROM token_days WHERE institution_id = $1",
        "DELETE FROM token_pages WHERE institution_id = $1",
        "DELETE FROM idempotency_keys WHERE institution_id = $1",
        "DELETE FROM tokens WHERE institution_id = $1",
        "DELETE FROM scim_connections WHERE institution_id = $1",
        "DELETE FROM scim_registrations WHERE institution_id = $1",
        "DELETE FROM scim_roles WHERE institution_id = $1",
        "DELETE FROM scim_group_members WHERE institution_id = $1",
        "DELETE FROM scim_group_pages WHERE institution_id = $1",
        "DELETE FROM scim_groups WHERE institution_id = $1",
        "DELETE FROM scim_user_emails WHERE institution_id = $1",
        "DELETE FROM scim_users WHERE institution_id = $1",
        "DELETE FROM codes WHERE institution_id = $1",
        "DELETE FROM institutions WHERE id = $1",
    ] {
        sql.execute(text, &[institution.into()]).await?;
    }
    Ok(())
}
