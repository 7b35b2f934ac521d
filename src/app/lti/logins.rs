//! The first step of a launch (OpenID Connect third-party initiated login): the platform sends the browser here, and we
//! redirect it back with a state and a nonce that are bound to this browser.

use std::time::Duration;

use super::{Refusal, Result, check_open, entrance::Entrance, query};
use crate::{
    app::{
        App, Error,
        limiter::{LimitKey, Policy},
        sessions::Secret,
        tool_consumers,
    },
    domain::{client_address::Client, lti::is_under},
    store::{
        lti_logins::{self, Login},
        lti_sessions,
    },
};

pub(super) const LIFE: Duration = Duration::from_secs(10 * 60);
/// Expired rows are kept this long, so that error pages can still be embedded by the platform's pages.
const LOGIN_RETENTION: Duration = Duration::from_secs(3_600);
const SESSION_RETENTION: Duration = Duration::from_secs(24 * 3_600);

const MAX_PARAMETER: usize = 4_096;
/// Canvas and others put whole tokens into the hints.
const MAX_HINT: usize = 16 << 10;
/// Longer queries are not stored: anybody can start logins, and each one is a row.
const MAX_STORED_QUERY: usize = 4 << 10;

/// A whole campus may share one address (NAT).
const CLIENT_LIMIT: u32 = 600;
/// A proxy that does not forward the client's address.
const PROXY_LIMIT: u32 = 6_000;
const MINUTE: Duration = Duration::from_secs(60);

/// Counts one login against the client's rate limit. Returns false if the limit is exceeded.
pub async fn admits(app: &App, client: Client) -> bool {
    let ceiling = if client.is_proxy { PROXY_LIMIT } else { CLIENT_LIMIT };
    let policy = Policy { ceiling, window: MINUTE, throttle: Duration::from_secs(1) };
    let standing =
        app.limiter.take_with_policy(LimitKey::launches(client.address), policy, app.clock.instant()).await;
    standing.retry_after.is_none()
}

/// The parameters of a login request.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    pub iss: String,
    pub login_hint: String,
    pub target_link_uri: String,
    pub client_id: Option<String>,
    pub lti_message_hint: Option<String>,
    pub lti_deployment_id: Option<String>,
}

impl LoginRequest {
    fn pairs(&self) -> Vec<(&'static str, &str)> {
        let must = [
            ("iss", Some(self.iss.as_str())),
            ("login_hint", Some(&self.login_hint)),
            ("target_link_uri", Some(&self.target_link_uri)),
        ];
        let may = [
            ("client_id", self.client_id.as_deref()),
            ("lti_message_hint", self.lti_message_hint.as_deref()),
            ("lti_deployment_id", self.lti_deployment_id.as_deref()),
        ];
        must.into_iter().chain(may).filter_map(|(key, value)| Some((key, value?))).collect()
    }

    fn check(&self) -> Result<(), Refusal> {
        for (key, value) in self.pairs() {
            let is_hint = matches!(key, "login_hint" | "lti_message_hint");
            let is_needed = matches!(key, "iss" | "login_hint" | "target_link_uri");
            if (value.len() > MAX_PARAMETER && !is_hint) || (is_needed && value.is_empty()) {
                return Err(Refusal::Incomplete(key));
            }
        }
        let hints = self.login_hint.len() + self.lti_message_hint.as_ref().map_or(0, String::len);
        if hints > MAX_HINT { Err(Refusal::Incomplete("a hint")) } else { Ok(()) }
    }
}

/// Where to redirect the browser, and the value of its cookie.
pub struct LoginStart {
    pub next: Next,
    pub browser: String,
}

pub enum Next {
    Platform(String),
    /// Back to this endpoint, with these parameters, to test whether the browser stores our cookie.
    Again(String),
}

/// The browser that starts a login.
pub struct Visitor<'a> {
    /// The values of its cookies, from an earlier launch or from the cookie test.
    pub browsers: &'a [&'a str],
    /// We are embedded in another page, where browsers may block our cookies.
    pub is_framed: bool,
    /// This request is the second one of the cookie test.
    pub is_again: bool,
}

/// The query parameter that marks the second request of the cookie test.
pub const RETRIED: (&str, &str) = ("again", "1");

/// The URL that starts a login again with these parameters.
pub(super) fn again_at(app: &App, at: &Entrance, query: &str) -> String {
    format!("{}?{query}", at.urls(app).login)
}

/// Starts a login. The platform's hints can be used only once, so a browser that blocks our cookie is rejected before they are
/// spent.
pub async fn begin(
    app: &App,
    at: &Entrance,
    asked: LoginRequest,
    visitor: Visitor<'_>,
) -> Result<LoginStart> {
    asked.check()?;
    let found = tool_consumers::by_issuer(app, at, &asked.iss, asked.client_id.as_deref()).await;
    let consumer = match found {
        Err(Error::Missing(_)) => return Err(Refusal::UnknownPlatform.into()),
        other => other?,
    };
    let Some(lti) = &consumer.lti else { return Err(Refusal::UnknownPlatform.into()) };
    check_open(&consumer)?;
    if !is_under(&asked.target_link_uri, app.links.base()) {
        return Err(Refusal::ForeignTarget.to(&consumer));
    }
    // One secret per browser, so that a second tab does not invalidate the login in the first.
    let known = visitor.browsers.iter().find_map(|text| Secret::parse(text));
    let is_known = known.is_some();
    let browser = known.unwrap_or_else(|| Secret::generate(app));
    if !is_known && visitor.is_framed {
        let mut pairs = asked.pairs();
        if visitor.is_again {
            return Err(Refusal::OtherBrowser(again_at(app, at, &query(&pairs))).to(&consumer));
        }
        pairs.push(RETRIED);
        return Ok(LoginStart { next: Next::Again(query(&pairs)), browser: browser.into_string() });
    }
    let (state, nonce) = (Secret::generate(app), Secret::generate(app).into_string());
    let now = app.clock.now();
    let login = Login {
        state_digest: state.digest(),
        browser_digest: browser.digest(),
        institution: consumer.institution,
        tool_consumer: consumer.id,
        nonce: nonce.clone(),
        asked: Some(query(&asked.pairs()))
            .filter(|query| query.len() <= MAX_STORED_QUERY)
            .unwrap_or_default(),
        expires_at: now.plus(LIFE),
    };
    let (old, old_session) = (now.minus(LOGIN_RETENTION), now.minus(SESSION_RETENTION));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                lti_logins::delete_expired(sql, old).await?;
                lti_sessions::delete_expired(sql, old_session).await?;
                Ok(lti_logins::insert(sql, &login).await?)
            })
        })
        .await?;
    let (redirect, state) = (at.urls(app).launch, state.into_string());
    let mut question = vec![
        ("scope", "openid"),
        ("response_type", "id_token"),
        ("response_mode", "form_post"),
        ("prompt", "none"),
        ("client_id", &lti.client_id),
        ("redirect_uri", &redirect),
        ("login_hint", &asked.login_hint),
        ("state", &state),
        ("nonce", &nonce),
    ];
    question.extend(asked.lti_message_hint.as_deref().map(|hint| ("lti_message_hint", hint)));
    let separator = if lti.auth_url.contains('?') { '&' } else { '?' };
    let address = format!("{}{separator}{}", lti.auth_url, query(&question));
    Ok(LoginStart { next: Next::Platform(address), browser: browser.into_string() })
}
