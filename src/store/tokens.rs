//! Access tokens, by digest alone.

use super::{Result, Sql, Value, institutions};
use crate::domain::{institution::Institution, moment::Moment, token::Token};

/// What a digest stands for.
pub struct Found {
    pub token_id: i64,
    pub digest: String,
    pub expires_at: Option<Moment>,
    pub institution: Institution,
}

/// The one read that starts without an institution: it is what tells us which one.
pub async fn by_digest(sql: &mut Sql, digest: &str) -> Result<Option<Found>> {
    let text = format!(
        "SELECT t.id, t.digest, t.expires_at, {} FROM tokens t JOIN institutions i ON i.id = t.institution_id \
         WHERE t.digest = $1 AND t.revoked_at IS NULL",
        institutions::COLUMNS
    );
    let found = sql
        .one(&text, &[digest.into()], |row| {
            Ok(Found {
                token_id: row.int(0)?,
                digest: row.text(1)?,
                expires_at: row.opt_int(2)?.map(Moment::from_micros),
                institution: institutions::from_row(row, 3)?,
            })
        })
        .await?;
    let Some(mut found) = found else { return Ok(None) };
    found.institution.allowed_origins = institutions::origins(sql, found.institution.id).await?;
    Ok(Some(found))
}

pub async fn insert(sql: &mut Sql, institution: i64, token: &Token, digest: &str) -> Result<()> {
    let text = "INSERT INTO tokens (institution_id, id, name, digest, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";
    let params: [Value<'_>; 6] = [
        institution.into(),
        token.id.into(),
        (&token.name).into(),
        digest.into(),
        token.created_at.micros().into(),
        token.expires_at.map(Moment::micros).into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn all(sql: &mut Sql, institution: i64) -> Result<Vec<Token>> {
    let text = "SELECT id, name, created_at, expires_at, revoked_at, last_used_at FROM tokens \
                WHERE institution_id = $1 ORDER BY id";
    sql.rows(text, &[institution.into()], |row| {
        let moment = |column| row.opt_int(column).map(|micros| micros.map(Moment::from_micros));
        Ok(Token {
            id: row.int(0)?,
            name: row.text(1)?,
            created_at: Moment::from_micros(row.int(2)?),
            expires_at: moment(3)?,
            revoked_at: moment(4)?,
            last_used_at: moment(5)?,
        })
    })
    .await
}

/// False when there is no such token, or it was revoked before.
pub async fn revoke(sql: &mut Sql, institution: i64, id: i64, now: Moment) -> Result<bool> {
    let text =
        "UPDATE tokens SET revoked_at = $1 WHERE institution_id = $2 AND id = $3 AND revoked_at IS NULL";
    Ok(sql.execute(text, &[now.micros().into(), institution.into(), id.into()]).await? == 1)
}

pub async fn used(sql: &mut Sql, institution: i64, id: i64, at: Moment) -> Result<()> {
    let text = "UPDATE tokens SET last_used_at = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[at.micros().into(), institution.into(), id.into()]).await.map(|_| ())
}
