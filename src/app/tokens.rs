//! Access tokens, which the operator creates, lists and revokes.

use jiff::tz::TimeZone;
use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        access::{MAX_PAGES, TokenScope},
        audit::{Act, SubjectKind},
        fault::{Fault, Field, SetupFault},
        ids::{InstitutionId, NamePageId, TokenId},
        name_page::NamePage,
        text::{self, Lines, longest},
        token::{self, Token},
    },
    store::{tokens, versions},
};

#[derive(Debug, Default)]
pub struct New {
    pub name: String,
    pub expires_in_days: Option<u32>,
    pub scope: TokenScope,
    /// The name pages that the token is limited to; `None` for all.
    pub pages: Option<Vec<NamePage>>,
    pub newest_only: bool,
}

/// Creates a token without restrictions.
pub async fn create(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    name: String,
    days: Option<u32>,
) -> Result<(Token, String)> {
    create_with(app, actor, institution, New { name, expires_in_days: days, ..New::default() }).await
}

/// Creates a token. Returns its plaintext, which cannot be read again, because only the digest is stored.
pub async fn create_with(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
) -> Result<(Token, String)> {
    actor.administer(institution)?;
    let New { name, expires_in_days: days, scope, pages, newest_only } = new;
    if text::is_blank(&name) {
        return Err(Error::invalid(Field::Name, Fault::Blank));
    }
    if let Some(fault) = text::fault(&name, longest::NAME, Lines::One) {
        return Err(Error::invalid(Field::Name, fault));
    }
    let mut pages = pages;
    if let Some(pages) = &mut pages {
        pages.sort_by_key(|page| page.id);
        pages.dedup_by_key(|page| page.id);
        if pages.len() > MAX_PAGES {
            let fault = SetupFault::TooManyNamePages { most: MAX_PAGES };
            return Err(Error::invalid(Field::NamePages, fault));
        }
    }
    let slugs = pages.as_ref().map(|pages| {
        let mut slugs: Vec<String> = pages.iter().map(|page| page.slug.clone()).collect();
        slugs.sort();
        slugs
    });
    let pages: Option<Vec<NamePageId>> = pages.map(|pages| pages.iter().map(|page| page.id).collect());
    let now = app.clock.now();
    let secret = app.ids.access_token();
    let digest = token::hex(&token::digest(&secret));
    let made = Token {
        id: app.ids.id(now),
        name,
        scope,
        pages: slugs,
        newest_only,
        created_at: now,
        expires_at: days.map(|days| now.plus_days(i64::from(days))),
        revoked_at: None,
        last_used_at: None,
    };
    let record = Record::new(app, actor, institution, Act::TokenCreated);
    let record = record.about(SubjectKind::Token, made.id, &made.name).change(Json::Null, values(&made));
    app.db
        .write(move |sql| {
            Box::pin(async move {
                tokens::insert(sql, institution, &made, pages.as_deref(), &digest).await?;
                audit::write(sql, &[record]).await?;
                Ok((made, secret))
            })
        })
        .await
}

fn values(token: &Token) -> Json {
    json!({
        "name": token.name,
        "scope": token.scope.word(),
        "name_pages": token.pages,
        "newest_only": token.newest_only,
        "expires_at": token.expires_at.map(|at| at.shown_in(&TimeZone::UTC)),
    })
}

pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<Token>> {
    actor.administer(institution)?;
    Ok(tokens::all(&mut app.db.read(), institution).await?)
}

pub async fn revoke(app: &App, actor: &Actor, institution: InstitutionId, id: TokenId) -> Result<()> {
    actor.administer(institution)?;
    let now = app.clock.now();
    let record = Record::new(app, actor, institution, Act::TokenRevoked);
    let revoked = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let revoked = tokens::revoke(sql, institution, id, now).await?;
                if revoked {
                    let name = tokens::name(sql, institution, id).await?.unwrap_or_default();
                    audit::write(sql, &[record.about(SubjectKind::Token, id, name)]).await?;
                    versions::callers_changed(sql).await?;
                }
                Ok(revoked)
            })
        })
        .await?;
    if revoked { Ok(()) } else { Err(Error::Missing(Missing::Token)) }
}
