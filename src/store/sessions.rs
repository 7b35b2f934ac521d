//! Browser sessions outside of learning systems. Only digests of their secrets are stored.

use super::{Error, Result, Row, Sql, Value, expiry};
use crate::domain::{
    ids::InstitutionId,
    moment::Moment,
    session::{How, PersonId, ProviderSession, Session},
};

const COLUMNS: &str =
    "institution_id, email_key, how, created_at, last_used_at, expires_at, authenticated_at, vouched";

fn from_row(row: &Row<'_>) -> Result<Session> {
    let how = row.text(2)?;
    let how = How::parse(&how).ok_or_else(|| Error::Broken(format!("a session by unknown means: {how}")))?;
    let created_at = Moment::from_micros(row.int(3)?);
    // Nodes of an earlier version do not write it.
    let at_opening = how.proves_at_opening().then_some(created_at);
    Ok(Session {
        person: PersonId { institution: row.id(0)?, email_key: row.text(1)? },
        how,
        created_at,
        last_used_at: Moment::from_micros(row.int(4)?),
        expires_at: Moment::from_micros(row.int(5)?),
        authenticated_at: row.opt_int(6)?.map(Moment::from_micros).or(at_opening),
        is_vouched: how == How::Proxy || row.bool(7)?,
    })
}

pub async fn insert(sql: &mut Sql, digest: &str, session: &Session) -> Result<()> {
    let text =
        format!("INSERT INTO sessions (digest, {COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)");
    let params: [Value<'_>; 9] = [
        digest.into(),
        session.person.institution.into(),
        (&session.person.email_key).into(),
        session.how.word().into(),
        session.created_at.micros().into(),
        session.last_used_at.micros().into(),
        session.expires_at.micros().into(),
        session.authenticated_at.map(Moment::micros).into(),
        session.is_vouched.into(),
    ];
    sql.execute(&text, &params).await.map(|_| ())
}

pub async fn find(sql: &mut Sql, digest: &str) -> Result<Option<Session>> {
    let text = format!("SELECT {COLUMNS} FROM sessions WHERE digest = $1");
    sql.one(&text, &[digest.into()], from_row).await
}

/// Keeps what signing out at the provider needs.
pub async fn set_provider(sql: &mut Sql, digest: &str, provider: &ProviderSession) -> Result<()> {
    let text = "UPDATE sessions SET sso_id = $1, id_token = $2 WHERE digest = $3";
    let params: [Value<'_>; 3] =
        [provider.connection.into(), provider.sealed_id_token.as_ref().into(), digest.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// What `set_provider` has kept.
pub async fn provider(sql: &mut Sql, digest: &str) -> Result<Option<ProviderSession>> {
    let text = "SELECT sso_id, id_token FROM sessions WHERE digest = $1 AND sso_id IS NOT NULL";
    let read =
        |row: &Row<'_>| Ok(ProviderSession { connection: row.id(0)?, sealed_id_token: row.opt_text(1)? });
    sql.one(text, &[digest.into()], read).await
}

pub async fn touch(sql: &mut Sql, digest: &str, now: Moment, expires_at: Moment) -> Result<()> {
    let text = "UPDATE sessions SET last_used_at = $1, expires_at = $2 WHERE digest = $3";
    sql.execute(text, &[now.micros().into(), expires_at.micros().into(), digest.into()]).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, digest: &str) -> Result<()> {
    sql.execute("DELETE FROM sessions WHERE digest = $1", &[digest.into()]).await.map(|_| ())
}

/// Deletes all sessions of a person that have not expired, but this one and the newest others.
pub async fn keep_newest(
    sql: &mut Sql,
    digest: &str,
    person: &PersonId,
    others: i64,
    now: Moment,
) -> Result<()> {
    let text = "SELECT digest FROM sessions WHERE institution_id = $1 AND email_key = $2 AND digest <> $3 \
                AND expires_at >= $4 ORDER BY created_at DESC, digest";
    let params: [Value<'_>; 4] =
        [person.institution.into(), (&person.email_key).into(), digest.into(), now.micros().into()];
    let all = sql.rows(text, &params, |row| row.text(0)).await?;
    for old in all.iter().skip(usize::try_from(others).unwrap_or(0)) {
        delete(sql, old).await?;
    }
    Ok(())
}

/// Signs a person out everywhere.
pub async fn delete_all_of(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<u64> {
    let text = "DELETE FROM sessions WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[institution.into(), email_key.into()]).await
}

/// The people of an institution with sessions that a mailed code or link has opened.
pub async fn mailed(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<String>> {
    let text =
        "SELECT DISTINCT email_key FROM sessions WHERE institution_id = $1 AND how = $2 ORDER BY email_key";
    sql.rows(text, &[institution.into(), How::Mail.word().into()], |row| row.text(0)).await
}

/// Ends the sessions of a person that a mailed code or link has opened.
pub async fn delete_mailed(sql: &mut Sql, person: &PersonId) -> Result<()> {
    let text = "DELETE FROM sessions WHERE institution_id = $1 AND email_key = $2 AND how = $3";
    let params: [Value<'_>; 3] =
        [person.institution.into(), (&person.email_key).into(), How::Mail.word().into()];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn any_expired(sql: &mut Sql, now: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM sessions WHERE expires_at < $1 LIMIT 1";
    Ok(sql.one(text, &[now.micros().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_expired(sql: &mut Sql, now: Moment) -> Result<()> {
    expiry::remove(sql, "sessions", "expires_at < $1", &[now.micros().into()]).await.map(|_| ())
}
