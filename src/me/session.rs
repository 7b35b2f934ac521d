//! Who sends a request: a person with a session, or a visitor who has not signed in.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};

use super::notice;
use crate::{
    app::{
        App,
        sessions::{self, Secret},
    },
    domain::{language::Language, session::Session},
    http::{
        cookie::{FirstParty, SESSION},
        csrf,
        language::Preferred,
        page::Page,
        reply,
    },
};

/// The cookie of a visitor who has not signed in: it binds a request for a sign-in mail to the browser.
const VISITOR: FirstParty = FirstParty("endonym-visitor");
const VISITOR_SECONDS: i64 = 3_600;

/// A person with a session. Without one, a GET request is redirected to the sign-in page, and comes back after signing in.
pub struct SignedIn {
    pub secret: Secret,
    pub session: Session,
    pub preferred: Preferred,
}

impl SignedIn {
    pub fn page<'a>(&self, app: &'a App, path: &'a str, language: Language) -> Page<'a> {
        Page {
            csrf: csrf::token(&self.secret),
            signed_in: Some(self.session.person.email_key.clone()),
            ..Page::new(&app.links, language, path)
        }
    }

    /// Is this the CSRF token of the session's forms?
    pub fn is_own_form(&self, token: Option<&str>) -> bool {
        token.is_some_and(|token| csrf::is_token(&self.secret, token))
    }
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let preferred = preferred(parts);
        let language = preferred.language(None, Language::default());
        let found = sessions::find(app, &SESSION.read(&app.links, &parts.headers)).await;
        match found {
            Ok(Some((secret, session))) => Ok(Self { secret, session, preferred }),
            Ok(None) => Err(reply::see_other(&sign_in_address(app, parts))),
            Err(error) => Err(notice::fault(Page::new(&app.links, language, "/"), &error)),
        }
    }
}

/// The sign-in page, with the way back. Only a GET request is repeated.
fn sign_in_address(app: &App, parts: &Parts) -> String {
    let root = crate::http::html::root(&app.links);
    if parts.method != axum::http::Method::GET {
        return format!("{root}/sign-in");
    }
    let path = parts.uri.path_and_query().map_or("/me", |path| path.as_str());
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("return_to", path).finish();
    format!("{root}/sign-in?{query}")
}

/// Like `SignedIn`, for a form or a script of our own pages only (CSRF protection). The browser must report our own origin. A script
/// sends the token in a header; for a form, the handler checks the hidden input with `is_own_form` after reading the body.
pub struct SentForm(pub SignedIn);

impl FromRequestParts<App> for SentForm {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        let header = parts.headers.get(csrf::HEADER).map(|value| value.to_str().unwrap_or_default());
        let is_forged = header.is_some_and(|token| !signed_in.is_own_form(Some(token)));
        if is_forged || csrf::is_cross_origin(&app.links, &parts.headers) {
            return Err(forged(app, signed_in.preferred));
        }
        Ok(Self(signed_in))
    }
}

/// The response to a form of another site, or of a session that has ended.
pub fn forged(app: &App, preferred: Preferred) -> Response {
    let page = Page::new(&app.links, preferred.language(None, Language::default()), "/");
    notice::show(StatusCode::FORBIDDEN, page, "shared-form-expired-title", "shared-form-expired")
}

/// What the middleware found out about the language.
pub fn preferred(parts: &Parts) -> Preferred {
    parts.extensions.get::<Preferred>().copied().unwrap_or_default()
}

/// Adds the cookie of a new session, and removes the visitor's.
pub fn set_cookie(app: &App, response: &mut Response, secret: &Secret, session: &Session) {
    let seconds = sessions::cookie_seconds(session.how);
    append(response, SESSION.set(&app.links, secret.as_str(), seconds));
    append(response, VISITOR.set(&app.links, "", 0));
}

pub fn remove_cookie(app: &App, response: &mut Response) {
    append(response, SESSION.set(&app.links, "", 0));
}

/// The visitor's secret: the one in the cookie, or a new one, which `set_visitor` must add to the response.
pub fn visitor(app: &App, headers: &HeaderMap) -> Secret {
    let known = VISITOR.read(&app.links, headers).into_iter().find_map(Secret::parse);
    known.unwrap_or_else(|| Secret::generate(app))
}

pub fn set_visitor(app: &App, response: &mut Response, secret: &Secret) {
    append(response, VISITOR.set(&app.links, secret.as_str(), VISITOR_SECONDS));
}

fn append(response: &mut Response, cookie: Option<HeaderValue>) {
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
