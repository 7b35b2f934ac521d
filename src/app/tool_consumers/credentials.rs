//! The credentials of learning systems, and clients that have them.

use crate::{
    app::{App, Error, Result, lti},
    domain::{
        course::Course,
        ids::ToolConsumerId,
        tool_consumer::{LmsKind, ToolConsumer},
    },
    lms::{self, Access, LtiAccess},
    store,
};

pub(super) fn sealed(app: &App, id: ToolConsumerId, access_token: Option<String>) -> Result<Option<String>> {
    let seal = |token: String| app.secrets.seal(&purpose(id), token.as_bytes());
    Ok(access_token.map(seal).transpose()?)
}

fn purpose(id: ToolConsumerId) -> String {
    format!("access token of tool consumer {id}")
}

/// Returns whether the credentials for the learning system can be decrypted. Does not generate LTI keys.
pub(in crate::app) async fn opens(app: &App, consumer: &ToolConsumer) -> Result<bool> {
    match (&consumer.sealed_access_token, consumer.kind) {
        (_, LmsKind::Lti) => lti::keys::open(app, lti::keys::owner_of(consumer)).await,
        (Some(sealed), _) => Ok(opened(app, consumer.id, sealed).is_ok()),
        (None, _) => Ok(false),
    }
}

/// Returns the credentials for the learning system.
pub async fn access(app: &App, consumer: &ToolConsumer) -> Result<Access> {
    let url = consumer.url.clone();
    match (consumer.kind, &consumer.sealed_access_token, &consumer.lti) {
        (LmsKind::Canvas, Some(sealed), _) => {
            Ok(Access::Canvas { url, token: opened(app, consumer.id, sealed)? })
        }
        (LmsKind::Moodle, Some(sealed), _) => {
            Ok(Access::Moodle { url, token: opened(app, consumer.id, sealed)? })
        }
        (LmsKind::Lti, _, Some(lti)) => Ok(Access::Lti(Box::new(LtiAccess {
            tool_consumer: consumer.id,
            issuer: url,
            client_id: lti.client_id.clone(),
            deployments: lti.deployments.clone(),
            token_url: lti.token_url.clone(),
            token_audience: lti.token_audience.clone(),
            product: consumer.product.clone(),
            jwks_url: lti.jwks_url.clone(),
            known_roster: known_courses(app, consumer)
                .await?
                .into_iter()
                .find_map(|course| course.memberships_url),
            key: lti::keys::signing(app, lti::keys::owner_of(consumer)).await?,
            service_tokens: app.service_tokens.clone(),
        }))),
        _ => Err(Error::Unavailable("this learning system has no credentials".to_owned())),
    }
}

fn opened(app: &App, id: ToolConsumerId, sealed: &str) -> Result<String> {
    let plain =
        app.secrets.open(&purpose(id), sealed).map_err(|error| Error::Unavailable(error.to_string()))?;
    String::from_utf8(plain)
        .map_err(|_| Error::Internal("the stored access token is not valid UTF-8".to_owned()))
}

/// Returns the known courses of the tool consumer, newest first.
pub(super) async fn known_courses(app: &App, consumer: &ToolConsumer) -> Result<Vec<Course>> {
    let mut all = store::courses::all(&mut app.db.read(), consumer.institution, consumer.id).await?;
    all.reverse();
    Ok(all)
}

/// Returns a client for the learning system, with its credentials.
pub(in crate::app) async fn connect(app: &App, consumer: &ToolConsumer) -> Result<lms::Connection> {
    Ok(lms::Connection::new(&app.outbound, access(app, consumer).await?))
}
