//! Access tokens: made, listed, revoked by the operator.

use super::{App, Error, Missing, Result};
use crate::{
    domain::{
        text::{self, BLANK, Lines, longest},
        token::{self, Token},
    },
    store::tokens,
};

/// The token itself is in the answer and nowhere else: we keep its digest.
pub async fn create(app: &App, institution: i64, name: String, days: Option<u32>) -> Result<(Token, String)> {
    if text::is_blank(&name) {
        return Err(Error::invalid("name", BLANK));
    }
    if let Some(fault) = text::fault(&name, longest::NAME, Lines::One) {
        return Err(Error::invalid("name", fault));
    }
    let now = app.clock.now();
    let secret = app.ids.access_token();
    let digest = token::hex(&token::digest(&secret));
    let made = Token {
        id: app.ids.id(now),
        name,
        created_at: now,
        expires_at: days.map(|days| now.plus_days(i64::from(days))),
        revoked_at: None,
        last_used_at: None,
    };
    app.db
        .write(move |sql| {
            Box::pin(async move {
                tokens::insert(sql, institution, &made, &digest).await?;
                Ok((made, secret))
            })
        })
        .await
}

pub async fn all(app: &App, institution: i64) -> Result<Vec<Token>> {
    Ok(tokens::all(&mut app.db.read(), institution).await?)
}

pub async fn revoke(app: &App, institution: i64, id: i64) -> Result<()> {
    let now = app.clock.now();
    let revoked = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(tokens::revoke(sql, institution, id, now).await?) })
        })
        .await?;
    if revoked { Ok(()) } else { Err(Error::Missing(Missing::Token)) }
}
