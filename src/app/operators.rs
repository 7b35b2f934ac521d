//! The operator in the browser. A command on the server prints a link that works once (`endonym sign-in-link --operator`), and the session
//! that it opens is short. Nobody else becomes the operator in a browser.

use std::time::Duration;

use super::{Actor, App, Error, Result, sessions::Secret};
use crate::{domain::moment::Moment, store::operators};

const LINK_LIFE: Duration = Duration::from_secs(3_600);
const SESSION_LIFE: Duration = Duration::from_secs(8 * 3_600);

/// The lifetime of the cookie.
pub const COOKIE_SECONDS: i64 = SESSION_LIFE.as_secs().cast_signed();

/// Makes a link that opens an operator's session.
pub async fn link(app: &App, actor: &Actor, base_url: &str) -> Result<(String, Moment)> {
    actor.operate()?;
    let (secret, now) = (Secret::generate(app), app.clock.now());
    let (digest, expires_at) = (secret.digest(), now.plus(LINK_LIFE));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                operators::delete_expired(sql, now).await?;
                Ok(operators::insert_link(sql, &digest, now, expires_at).await?)
            })
        })
        .await?;
    Ok((format!("{base_url}/operator/link/{}", secret.as_str()), expires_at))
}

/// Can this link be spent? Reading changes nothing, because chat programs open links.
pub async fn is_link(app: &App, link: &Secret) -> Result<bool> {
    Ok(operators::has_link(&mut app.db.read(), &link.digest(), app.clock.now()).await?)
}

/// Spends a link and opens a session. `None` if it is unknown, expired or spent.
pub async fn open(app: &App, link: &Secret) -> Result<Option<Secret>> {
    // The read is cheap, and avoids occupying the database's single writer: anybody can send this form.
    if !is_link(app, link).await? {
        return Ok(None);
    }
    let (secret, now) = (Secret::generate(app), app.clock.now());
    let (spent, digest) = (link.digest(), secret.digest());
    let is_open = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                if !operators::spend_link(sql, &spent, now).await? {
                    return Ok(false);
                }
                operators::delete_expired(sql, now).await?;
                operators::insert_session(sql, &digest, now, now.plus(SESSION_LIFE)).await?;
                Ok(true)
            })
        })
        .await?;
    Ok(is_open.then_some(secret))
}

/// The secret of the session that one of these cookies has.
pub async fn find(app: &App, cookies: &[&str]) -> Result<Option<Secret>> {
    let now = app.clock.now();
    for secret in cookies.iter().filter_map(|text| Secret::parse(text)) {
        if operators::has_session(&mut app.db.read(), &secret.digest(), now).await? {
            return Ok(Some(secret));
        }
    }
    Ok(None)
}

pub async fn end(app: &App, secret: &Secret) -> Result<()> {
    let digest = secret.digest();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(operators::delete_session(sql, &digest).await?) })
        })
        .await
}
