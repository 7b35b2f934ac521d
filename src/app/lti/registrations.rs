//! LTI dynamic registration: platforms register themselves through an invitation link that the operator created for an
//! institution.

use std::time::Duration;

use super::{Refusal, RegistrationFault, Result, entrance::Entrance};
use crate::{
    app::{
        Actor, App, Error,
        audit::{self, Record},
        institutions, platforms,
        sessions::Secret,
        tool_consumers,
    },
    domain::{
        audit::Act,
        ids::InstitutionId,
        institution::origin_of,
        moment::Moment,
        roster::Role,
        tool_consumer::{LmsKind, Registration, ToolConsumer, product_word},
    },
    lms::registration::{self, Configuration},
    store::lti_invites,
    tasks,
};

/// How long an invitation is valid.
const LIFE_DAYS: i64 = 7;
/// A registration that takes longer than this was interrupted by a restart, and the invitation can be used again.
const ABANDONED_AFTER: Duration = Duration::from_secs(5 * 60);

/// Creates an invitation. Returns its secret, which cannot be read again, and when it expires.
pub async fn invite(app: &App, actor: &Actor, institution: InstitutionId) -> Result<(String, Moment), Error> {
    actor.administer(institution)?;
    let (name, now) = (Secret::generate(app), app.clock.now());
    let (kept, until) = (name.digest(), now.plus_days(LIFE_DAYS));
    let record = Record::new(app, actor, institution, Act::ToolConsumerInvited);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                lti_invites::delete_expired(sql, now.plus_days(-LIFE_DAYS)).await?;
                lti_invites::insert(sql, &kept, institution, until, now).await?;
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await?;
    Ok((name.into_string(), until))
}

/// Returns the URL of an invitation.
pub fn invitation(base_url: &str, name: &str) -> String {
    format!("{}/lti/register/{name}", base_url.trim_end_matches('/'))
}

/// Returns whether the invitation can still be used.
pub async fn is_open(app: &App, invite: &str) -> Result<bool, Error> {
    let Some(invite) = Secret::parse(invite) else { return Ok(false) };
    let now = app.clock.now();
    let found =
        lti_invites::find(&mut app.db.read(), &invite.digest(), now, now.minus(ABANDONED_AFTER)).await?;
    Ok(found.is_some())
}

/// The request of a platform's administrator.
pub struct RegistrationRequest {
    pub invite: String,
    pub configuration_url: String,
    pub token: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Registered {
    pub consumer: ToolConsumer,
    /// The platform was registered before.
    pub is_update: bool,
}

/// Registers the platform with this configuration document. If that fails, the invitation can be used again. Runs in its own
/// task, so that it completes even if the browser disconnects: the platform may have stored its side of the registration
/// already.
pub async fn register(app: &App, request: RegistrationRequest) -> Result<Registered> {
    let app = app.clone();
    let work = async move { register_uncanceled(&app, &request).await };
    let registering = tasks::spawn(audit::within(audit::origin(), work));
    registering.await.map_err(|error| Error::Internal(error.to_string()))?
}

async fn register_uncanceled(app: &App, request: &RegistrationRequest) -> Result<Registered> {
    let invite = Secret::parse(&request.invite).ok_or(Refusal::UnknownInvite)?.digest();
    let (kept, now) = (invite.clone(), app.clock.now());
    let taken = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { Ok(lti_invites::take(sql, &kept, now, now.minus(ABANDONED_AFTER)).await?) })
    });
    let institution = taken.await?.ok_or(Refusal::UnknownInvite)?;
    let made = attempt(app, institution, request, invite.clone()).await;
    if made.is_err() {
        let given_back = app.db.write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(lti_invites::give_back(sql, &invite).await?) })
        });
        if let Err(error) = given_back.await {
            // It is free again later.
            tracing::warn!(%error, "the invitation of a failed registration could not be given back");
        }
    }
    made
}

async fn attempt(
    app: &App,
    institution: InstitutionId,
    request: &RegistrationRequest,
    invite: String,
) -> Result<Registered> {
    let refused = |why: String| Refusal::Registration(RegistrationFault::Platform(why));
    let platform = registration::configuration(&app.outbound, &request.configuration_url)
        .await
        .map_err(|error| refused(error.to_string()))?;
    // Check before the platform creates a client that we would reject.
    for url in [&platform.auth_url, &platform.token_url, &platform.jwks_url] {
        app.outbound.permits(url).await.map_err(|error| refused(error.to_string()))?;
    }
    let product = platform.product_family.as_deref().and_then(product_word);
    let entrance = Entrance::Of(institutions::by_id(app, institution).await?);
    let tool = registration::tool(app.links.base(), &entrance.urls(app), product.as_deref());
    let registered = registration::register(&app.outbound, &platform, request.token.as_deref(), &tool)
        .await
        .map_err(|error| refused(error.to_string()))?;
    let new = tool_consumers::New {
        name: name(&platform),
        kind: LmsKind::Lti,
        url: platform.issuer.clone(),
        product,
        roles: vec![Role::Student],
        access_token: None,
        lti: Some(Registration {
            client_id: registered.client_id,
            deployments: registered.deployment.into_iter().collect(),
            frame_ancestors: origins(
                [&platform.issuer, &platform.auth_url].into_iter().chain(&platform.registration_url),
            ),
            auth_url: platform.auth_url,
            token_url: platform.token_url,
            token_audience: platform.token_audience,
            jwks_url: platform.jwks_url,
        }),
    };
    let proof = platforms::proof_at(&request.configuration_url, &platform.issuer);
    match tool_consumers::register(app, institution, new, proof, invite).await {
        Err(Error::Invalid(errors)) => Err(Refusal::Registration(RegistrationFault::Invalid(errors)).into()),
        Ok((consumer, is_update)) => {
            tracing::info!(
                consumer = consumer.id.get(),
                institution = institution.get(),
                is_update,
                "an LTI platform registered"
            );
            Ok(Registered { consumer, is_update })
        }
        Err(other) => Err(other.into()),
    }
}

/// The display name in the operator's lists.
fn name(platform: &Configuration) -> String {
    let host = registration::host(&platform.issuer).unwrap_or_default();
    match platform.product_family.as_deref().and_then(product_word) {
        Some(product) => format!("{product} at {host}"),
        None => host,
    }
}

/// Returns the distinct origins of these addresses.
pub fn origins<'a>(addresses: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut all: Vec<String> = addresses.into_iter().filter_map(|address| origin_of(address)).collect();
    all.sort();
    all.dedup();
    all
}

/// The JSON configuration from which an administrator of Canvas creates a developer key manually.
pub fn canvas(app: &App, at: &Entrance) -> serde_json::Value {
    registration::canvas(app.links.base(), &at.urls(app))
}
