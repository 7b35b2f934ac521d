//! Addresses that a mail server has rejected for good: they no longer receive bulk mail.

use serde_json::json;

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
};
use crate::{
    domain::{
        audit::Act, bounce::Bounce, email::email_key, ids::InstitutionId, moment::Moment, session::PersonId,
    },
    store::bounces,
};

/// Of one institution, or of all that the actor administers; the newest first.
pub async fn all(
    app: &App,
    actor: &Actor,
    institution: Option<InstitutionId>,
    most: i64,
) -> Result<Vec<Bounce>> {
    Ok(bounces::all(&mut app.db.read(), actor.administered(institution)?, most).await?)
}

/// Addresses of an institution, in alphabetical order, behind this one, each with the answer of the mail server and its time. Managers
/// see those of people on their pages.
pub async fn behind(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    behind: &str,
    most: i64,
) -> Result<Vec<(String, String, Moment)>> {
    let pages = actor.managed(institution)?;
    Ok(bounces::behind(&mut app.db.read(), institution, pages, behind, most).await?)
}

/// Lets messages to an address be tried again. False if it was not marked.
pub async fn clear(app: &App, actor: &Actor, institution: InstitutionId, email: &str) -> Result<bool> {
    actor.administer(institution)?;
    let person = PersonId { institution, email_key: email_key(email) };
    let record = Record::new(app, actor, institution, Act::BouncesCleared).of_person(&person);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let is_cleared = bounces::clear(sql, institution, &person.email_key).await?;
                if is_cleared {
                    audit::write(sql, &[record]).await?;
                }
                Ok(is_cleared)
            })
        })
        .await
}

/// Lets messages to all addresses be tried again, such as after a mistake in the settings of the mail server. Returns how many were
/// marked.
pub async fn clear_all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<u64> {
    actor.administer(institution)?;
    let record = Record::new(app, actor, institution, Act::BouncesCleared);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let cleared = bounces::clear_all(sql, institution).await?;
                if cleared > 0 {
                    let record = record.change(json!({ "addresses": cleared }), json!({}));
                    audit::write(sql, &[record]).await?;
                }
                Ok(cleared)
            })
        })
        .await
}
