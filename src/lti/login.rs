//! `/lti/{slug}/login`, and `/lti/login` for registrations of before: a platform redirects a browser here to start a launch (OIDC third-party initiated login).

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};

use super::{
    cookie, institution_in,
    pages::{self, Appearance},
};
use crate::{
    app::{
        App,
        lti::{
            Refusal,
            entrance::Entrance,
            logins::{self, LoginRequest, Next, RETRIED, Visitor},
        },
    },
    domain::client_address::Client,
    http::{
        form::{self, Form},
        html::root,
        reply,
    },
};

pub async fn from_query(State(app): State<App>, request: Request) -> Response {
    if !admits(&app, request.extensions().get().copied()).await {
        return pages::fault(&app, Appearance::of(request.headers()), Refusal::TooMany.into());
    }
    let uri = request.uri();
    begin(&app, uri.path(), &Form::from_query(uri.query().unwrap_or_default()), request.headers()).await
}

pub async fn from_form(State(app): State<App>, request: Request) -> Response {
    if !admits(&app, request.extensions().get().copied()).await {
        return pages::fault(&app, Appearance::of(request.headers()), Refusal::TooMany.into());
    }
    let (headers, path) = (request.headers().clone(), request.uri().path().to_owned());
    match form::read_anonymous(request).await {
        Ok(form) => begin(&app, &path, &form, &headers).await,
        Err(status) => pages::unreadable(&app, Appearance::of(&headers).language, status, &[]),
    }
}

/// Rate limit: anyone can start a launch, and each one is stored.
async fn admits(app: &App, client: Option<Client>) -> bool {
    match client {
        Some(client) => logins::admits(app, client).await,
        None => true,
    }
}

async fn begin(app: &App, path: &str, form: &Form, headers: &HeaderMap) -> Response {
    let at = match Entrance::find(app, institution_in(path)).await {
        Ok(at) => at,
        Err(fault) => return pages::fault(app, Appearance::of(headers), fault),
    };
    let must = |name: &str| form.text(name).unwrap_or_default();
    let request = LoginRequest {
        iss: must("iss"),
        login_hint: must("login_hint"),
        target_link_uri: must("target_link_uri"),
        client_id: form.text("client_id"),
        lti_message_hint: form.text("lti_message_hint"),
        lti_deployment_id: form.text("lti_deployment_id"),
    };
    let visitor = Visitor {
        browsers: &cookie::read(headers),
        is_framed: is_framed(headers),
        is_again: form.get(RETRIED.0) == Some(RETRIED.1),
    };
    match logins::begin(app, &at, request, visitor).await {
        Ok(begun) => {
            let (status, address) = match begun.next {
                Next::Platform(address) => (StatusCode::FOUND, address),
                // Parameters from a form are repeated as a query.
                Next::Again(query) => (StatusCode::SEE_OTHER, format!("{}{path}?{query}", root(&app.links))),
            };
            let is_address = HeaderValue::from_str(&address).is_ok();
            let Some(cookie) = cookie::set(app, &begun.browser).filter(|_| is_address) else {
                let language = Appearance::of(headers).language;
                return pages::unreadable(app, language, StatusCode::BAD_REQUEST, &[]);
            };
            let mut response = reply::redirect(status, &address);
            let headers = response.headers_mut();
            headers.insert(header::SET_COOKIE, cookie);
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
            response
        }
        Err(fault) => pages::fault(app, Appearance::of(headers), fault),
    }
}

/// Whether the browser reports that it shows us in a frame. All current browsers send this header; others are redirected at once.
fn is_framed(headers: &HeaderMap) -> bool {
    let place = headers.get("sec-fetch-dest").and_then(|value| value.to_str().ok());
    place.is_some_and(|place| matches!(place, "iframe" | "frame" | "embed" | "object"))
}
