//! Access tokens. Only their digests are stored.

use std::collections::HashMap;

use super::{Error, Result, Row, Sql, Value, in_power_of_two_chunks, institutions, value_rows};
use crate::domain::{
    access::{Access, TokenScope},
    audit::{Who, WhoKind},
    ids::{InstitutionId, NamePageId, TokenId},
    institution::Institution,
    moment::Moment,
    token::{Maker, Token},
};

/// The token that a digest belongs to.
pub struct TokenRecord {
    pub token_id: TokenId,
    pub digest: String,
    pub expires_at: Option<Moment>,
    pub access: Access,
    pub institution: Institution,
}

fn scope(row: &Row<'_>, column: usize) -> Result<TokenScope> {
    let unknown = || Error::Broken("a token has a scope that this binary does not know".to_owned());
    TokenScope::parse(&row.text(column)?).ok_or_else(unknown)
}

/// Takes no institution: the digest determines it.
pub async fn by_digest(sql: &mut Sql, digest: &str) -> Result<Option<TokenRecord>> {
    let text = format!(
        "SELECT t.id, t.digest, t.expires_at, t.scope, t.newest_only, t.pages_limited, t.name, t.include_held, {} FROM tokens t JOIN institutions i ON i.id = t.institution_id \
         WHERE t.digest = $1 AND t.revoked_at IS NULL",
        institutions::COLUMNS
    );
    let found = sql
        .one(&text, &[digest.into()], |row| {
            let institution = institutions::from_row(row, 8)?;
            let by = Who::named(WhoKind::Token, &row.text(6)?).with_id(row.int(0)?);
            let (scope, newest_only, include_held) = (scope(row, 3)?, row.bool(4)?, row.bool(7)?);
            let found = TokenRecord {
                token_id: row.id(0)?,
                digest: row.text(1)?,
                expires_at: row.opt_int(2)?.map(Moment::from_micros),
                access: Access::new(institution.id, scope, None, newest_only)
                    .including_held(include_held)
                    .by(by),
                institution,
            };
            Ok((found, row.bool(5)?.then_some((scope, newest_only))))
        })
        .await?;
    let Some((mut found, limited)) = found else { return Ok(None) };
    if let Some((scope, newest_only)) = limited {
        let pages = pages(sql, found.institution.id, found.token_id).await?;
        let access = Access::new(found.institution.id, scope, Some(pages), newest_only);
        let access = access.including_held(found.access.includes_held());
        found.access = access.by(found.access.by);
    }
    found.institution.allowed_origins = institutions::origins(sql, found.institution.id).await?;
    Ok(Some(found))
}

async fn pages(sql: &mut Sql, institution: InstitutionId, token: TokenId) -> Result<Vec<NamePageId>> {
    let text = "SELECT name_page_id FROM token_pages WHERE institution_id = $1 AND token_id = $2 ORDER BY name_page_id";
    sql.rows(text, &[institution.into(), token.into()], |row| row.id(0)).await
}

/// `pages` limits the token to these name pages. `None` means all.
pub async fn insert(
    sql: &mut Sql,
    institution: InstitutionId,
    token: &Token,
    pages: Option<&[NamePageId]>,
    digest: &str,
) -> Result<()> {
    let text = "INSERT INTO tokens (institution_id, id, name, digest, created_at, expires_at, scope, newest_only, \
                pages_limited, created_by, maker_key, include_held) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let params: [Value<'_>; 12] = [
        institution.into(),
        token.id.into(),
        (&token.name).into(),
        digest.into(),
        token.created_at.micros().into(),
        token.expires_at.map(Moment::micros).into(),
        token.scope.word().into(),
        token.newest_only.into(),
        pages.is_some().into(),
        token.maker.name.as_deref().into(),
        token.maker.email_key.as_deref().into(),
        token.include_held.into(),
    ];
    sql.execute(text, &params).await?;
    for page in pages.unwrap_or_default() {
        limit(sql, institution, token.id, *page).await?;
    }
    Ok(())
}

async fn limit(sql: &mut Sql, institution: InstitutionId, token: TokenId, page: NamePageId) -> Result<()> {
    let text = "INSERT INTO token_pages (institution_id, token_id, name_page_id) VALUES ($1, $2, $3)";
    sql.execute(text, &[institution.into(), token.into(), page.into()]).await.map(|_| ())
}

/// Without `Maker::has_left`.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<Token>> {
    let text = "SELECT t.token_id, n.slug FROM token_pages t \
                JOIN name_pages n ON n.institution_id = t.institution_id AND n.id = t.name_page_id \
                WHERE t.institution_id = $1 ORDER BY t.token_id, n.slug";
    let mut pages: HashMap<TokenId, Vec<String>> = HashMap::new();
    for (token, slug) in sql.rows(text, &[institution.into()], |row| Ok((row.id(0)?, row.text(1)?))).await? {
        pages.entry(token).or_default().push(slug);
    }
    let text = "SELECT id, name, created_at, expires_at, revoked_at, last_used_at, scope, newest_only, pages_limited, \
                replaced_by, created_by, maker_key, include_held FROM tokens WHERE institution_id = $1 ORDER BY id";
    sql.rows(text, &[institution.into()], |row| {
        let moment = |column| row.opt_int(column).map(|micros| micros.map(Moment::from_micros));
        let id = row.id(0)?;
        Ok(Token {
            id,
            name: row.text(1)?,
            scope: scope(row, 6)?,
            pages: row.bool(8)?.then(|| pages.get(&id).cloned().unwrap_or_default()),
            newest_only: row.bool(7)?,
            include_held: row.bool(12)?,
            maker: Maker { name: row.opt_text(10)?, email_key: row.opt_text(11)?, has_left: false },
            created_at: Moment::from_micros(row.int(2)?),
            expires_at: moment(3)?,
            revoked_at: moment(4)?,
            last_used_at: moment(5)?,
            replaced_by: row.opt_id(9)?,
        })
    })
    .await
}

/// Forgets the address of somebody who made tokens, and not that they are gone.
pub async fn forget_maker(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<()> {
    let text =
        "UPDATE tokens SET created_by = NULL, maker_key = '' WHERE institution_id = $1 AND maker_key = $2";
    sql.execute(text, &[institution.into(), email_key.into()]).await.map(|_| ())
}

pub async fn name(sql: &mut Sql, institution: InstitutionId, id: TokenId) -> Result<Option<String>> {
    let text = "SELECT name FROM tokens WHERE institution_id = $1 AND id = $2";
    sql.one(text, &[institution.into(), id.into()], |row| row.text(0)).await
}

/// False if there is no such token, or it was already revoked.
pub async fn revoke(sql: &mut Sql, institution: InstitutionId, id: TokenId, now: Moment) -> Result<bool> {
    let text =
        "UPDATE tokens SET revoked_at = $1 WHERE institution_id = $2 AND id = $3 AND revoked_at IS NULL";
    Ok(sql.execute(text, &[now.micros().into(), institution.into(), id.into()]).await? == 1)
}

/// Notes which token replaces this one, and when this one expires. False if there is no such token, it was revoked, or has been
/// replaced already.
pub async fn replace(
    sql: &mut Sql,
    institution: InstitutionId,
    id: TokenId,
    (replacement, expires_at): (TokenId, Moment),
) -> Result<bool> {
    let text = "UPDATE tokens SET replaced_by = $1, expires_at = $2 WHERE institution_id = $3 AND id = $4 \
                AND revoked_at IS NULL AND replaced_by IS NULL";
    let params: [Value<'_>; 4] =
        [replacement.into(), expires_at.micros().into(), institution.into(), id.into()];
    Ok(sql.execute(text, &params).await? == 1)
}

/// Limits a token to the same name pages as another.
pub async fn copy_pages(
    sql: &mut Sql,
    institution: InstitutionId,
    (from, to): (TokenId, TokenId),
) -> Result<()> {
    for page in pages(sql, institution, from).await? {
        limit(sql, institution, to, page).await?;
    }
    Ok(())
}

/// Locks the tokens of an institution before they are deleted, in the order of `used`.
pub async fn lock_all(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    if sql.is_postgres() {
        let text = "SELECT id FROM tokens WHERE institution_id = $1 ORDER BY id FOR UPDATE";
        sql.rows(text, &[institution.into()], |_| Ok(())).await?;
    }
    Ok(())
}

/// Stores when tokens were last used, with one statement for many of them. They are sorted by institution and id. Returns those that
/// exist.
pub async fn used(
    sql: &mut Sql,
    used: &[(InstitutionId, TokenId, Moment)],
) -> Result<Vec<(InstitutionId, TokenId)>> {
    let mut there = Vec::with_capacity(used.len());
    for group in in_power_of_two_chunks(used) {
        if sql.is_postgres() {
            // The update locks rows in the order of its plan. Two processes that lock the same tokens in different orders would deadlock.
            let text = format!(
                "SELECT last_used_at FROM tokens WHERE (institution_id, id) IN ({}) ORDER BY institution_id, id FOR UPDATE",
                value_rows(1, group.len(), 2)
            );
            let keys =
                group.iter().flat_map(|(institution, id, _)| [Value::from(*institution), Value::from(*id)]);
            sql.rows(&text, &keys.collect::<Vec<_>>(), |_| Ok(())).await?;
        }
        // PostgreSQL treats parameters in VALUES as text unless they are cast.
        let row = |number: usize| {
            let [institution, id, at] =
                [1, 2, 3].map(|column| format!("CAST(${} AS BIGINT)", number * 3 + column));
            format!("({institution}, {id}, {at})")
        };
        let rows: Vec<String> = (0..group.len()).map(row).collect();
        // Another process may have stored a later time.
        let text = format!(
            "WITH used(owner, token, used_at) AS (VALUES {}) UPDATE tokens SET last_used_at = \
             CASE WHEN tokens.last_used_at > used.used_at THEN tokens.last_used_at ELSE used.used_at END FROM used \
             WHERE tokens.institution_id = used.owner AND tokens.id = used.token RETURNING institution_id, id",
            rows.join(", ")
        );
        let mut params: Vec<Value<'_>> = Vec::with_capacity(group.len() * 3);
        for (institution, id, at) in group {
            params.extend([Value::from(*institution), Value::from(*id), Value::from(at.micros())]);
        }
        there.extend(sql.rows(&text, &params, |row| Ok((row.id(0)?, row.id(1)?))).await?);
    }
    Ok(there)
}
