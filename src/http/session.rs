//! Who sends a request: a person with a session, or a visitor who has not signed in.

use askama::Template;
use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header, request::Parts},
    response::Response,
};

use super::{
    body,
    cookie::{FirstParty, SESSION},
    csrf,
    form::{self, Form},
    html::root,
    language::Preferred,
    notice,
    page::{self, Look, Microphone, Page},
    policy::{Forms, Policy},
    reply,
};
use crate::{
    app::{
        Actor, App, Result as AppResult, languages, looks, members,
        sessions::{self, Opened, Secret},
        sign_in::Asker,
        sign_in_marks::{self, Marks},
        sso,
    },
    domain::{
        client_address::Client,
        language::{Language, LanguageSettings},
        session::{How, PersonId, Session},
        sign_in::{AGAIN, ReturnTo},
    },
    words::Words,
};

/// The cookie of a visitor who has not signed in: it binds a request for a sign-in mail to the browser.
const VISITOR: FirstParty = FirstParty("endonym-visitor");
const VISITOR_SECONDS: i64 = 3_600;
/// The cookie with the marks of a browser in which somebody has signed in. It survives signing out.
const MARKS: FirstParty = FirstParty("endonym-known");

/// A person with a session. Without one, a GET request is redirected to the sign-in page, and comes back after signing in.
pub struct SignedIn {
    pub secret: Secret,
    pub session: Session,
    pub preferred: Preferred,
    language: Language,
    /// The request was sent by a script, which reads JSON.
    pub is_script: bool,
    /// The institution's; the default one for a script.
    look: Look,
}

impl SignedIn {
    /// The person with a session, if there is one: for pages that everybody may see.
    pub async fn find(parts: &Parts, app: &App) -> AppResult<Option<Self>> {
        let Some((secret, session, settings)) = find(app, &parts.headers).await? else { return Ok(None) };
        let (preferred, is_script) = (preferred(parts), reply::is_json_wanted(&parts.headers));
        let language = preferred.language(settings.personal, settings.institution.unwrap_or_default());
        // Without its look, a page is still useful.
        let look = match is_script {
            true => None,
            false => looks::find(app, session.person.institution)
                .await
                .inspect_err(|error| tracing::warn!(%error, "the look of an institution cannot be read"))
                .ok(),
        };
        let look = look.as_ref().map(Look::of).unwrap_or_default();
        Ok(Some(Self { secret, session, preferred, language, is_script, look }))
    }

    /// The person, without the role that they may have: for what people do with their own data.
    pub fn actor(&self) -> Actor {
        Actor::Person(self.session.person.clone())
    }

    /// The member who the person is, or only the person: for pages that depend on a role. A session that a QR code or an
    /// invitation has opened is for recording, and has no role.
    pub async fn member_actor(&self, app: &App) -> AppResult<Actor> {
        match self.session.how {
            How::Handover | How::Invitation => Ok(self.actor()),
            How::Mail | How::Link | How::Oidc | How::Proxy => {
                members::actor_of(app, &self.session.person).await
            }
        }
    }

    pub fn language(&self) -> Language {
        self.language
    }

    pub fn page<'a>(&self, app: &'a App, path: &'a str) -> Page<'a> {
        Page {
            csrf: csrf::token(&self.secret),
            signed_in: Some(self.session.person.email_key.clone()),
            look: self.look.clone(),
            ..Page::new(&app.links, self.language(), path)
        }
    }

    /// Was this device let in by a QR code or by an invitation? It may only record (`How::is_restricted`).
    pub fn is_restricted(&self) -> bool {
        self.session.how.is_restricted()
    }

    /// Was this session opened by an invitation? It is for the pages that the person is invited to (`invitations::admits`), and not for
    /// their own page with all the others.
    pub fn is_invited(&self) -> bool {
        self.session.how == How::Invitation
    }

    /// Has the person proven who they are just now? Dangerous acts and files with the data of people need it.
    pub fn is_fresh(&self, app: &App) -> bool {
        self.session.is_fresh(app.clock.now())
    }

    /// The response to somebody who has to sign in again, and comes back to this path.
    pub fn ask_again(&self, app: &App, slug: &str, return_to: &str) -> Response {
        if self.is_script {
            let text = Words::new(self.language()).text("console-sign-in-again");
            return reply::message(StatusCode::FORBIDDEN, &text);
        }
        reply::see_other(&sign_in_page(app, slug, return_to, Some(AGAIN)))
    }

    /// Is this the CSRF token of the session's forms?
    pub fn is_own_form(&self, token: Option<&str>) -> bool {
        token.is_some_and(|token| csrf::is_token(&self.secret, token))
    }
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let language = preferred(parts).language(None, Language::default());
        match Self::find(parts, app).await {
            Ok(Some(signed_in)) => Ok(signed_in),
            Ok(None) if reply::is_json_wanted(&parts.headers) => Err(signed_out(language)),
            Ok(None) => Err(reply::see_other(&sign_in_address(app, parts))),
            Err(error) => Err(notice::fault(Page::new(&app.links, language, "/"), &error)),
        }
    }
}

/// The session of a request, and the language settings of the person and of their institution.
async fn find(app: &App, headers: &HeaderMap) -> AppResult<Option<(Secret, Session, LanguageSettings)>> {
    let Some((secret, session)) = sessions::find(app, &SESSION.read(&app.links, headers)).await? else {
        return Ok(None);
    };
    let actor = Actor::Person(session.person.clone());
    let settings = languages::find(app, &actor, &session.person).await?;
    Ok(Some((secret, session, settings)))
}

/// The response to a script whose session is over.
pub fn signed_out(language: Language) -> Response {
    reply::message(StatusCode::UNAUTHORIZED, &Words::new(language).text("recorder-signed-out"))
}

/// The sign-in page, with the way back. Only a GET request is repeated.
fn sign_in_address(app: &App, parts: &Parts) -> String {
    let root = root(&app.links);
    if parts.method != axum::http::Method::GET {
        return format!("{root}/sign-in");
    }
    let path = parts.uri.path_and_query().map_or("/me", |path| path.as_str());
    let query: String =
        form_urlencoded::Serializer::new(String::new()).append_pair("return_to", path).finish();
    format!("{root}/sign-in?{query}")
}

/// The sign-in page of an institution, with the way back. `why` is said on the page.
pub fn sign_in_page(app: &App, slug: &str, return_to: &str, why: Option<&str>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("institution", slug).append_pair("return_to", return_to);
    query.extend_pairs(why.map(|why| ("why", why)));
    format!("{}/sign-in?{}", root(&app.links), query.finish())
}

/// Like `SignedIn`, for a form or a script of our own pages only (CSRF protection). The browser must report our own origin. A script
/// sends the token in a header; for a form, the handler checks the hidden input with `is_own` after reading the body. `OwnForm` does
/// both, for forms without files.
pub struct SentForm {
    pub signed_in: SignedIn,
    has_token: bool,
}

impl SentForm {
    /// Was the token of the session's forms sent, in the header or in this hidden input?
    pub fn is_own(&self, input: Option<&str>) -> bool {
        self.has_token || self.signed_in.is_own_form(input)
    }
}

impl SentForm {
    /// Checks what can be checked before the body is read. If that is refused, the body is discarded: a browser that is still sending
    /// a recording would not read the response otherwise.
    pub async fn check(request: Request, app: &App) -> Result<(Self, Request), Response> {
        let (mut parts, body) = request.into_parts();
        match Self::check_parts(&mut parts, app).await {
            Ok(sent) => Ok((sent, Request::from_parts(parts, body))),
            Err(refusal) => {
                body::discard_anonymous(&parts.extensions, body).await;
                Err(refusal)
            }
        }
    }

    async fn check_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let signed_in = SignedIn::from_request_parts(parts, app).await?;
        let header = parts.headers.get(csrf::HEADER).map(|value| value.to_str().unwrap_or_default());
        let has_token = signed_in.is_own_form(header);
        let is_forged = header.is_some() && !has_token;
        if is_forged || csrf::is_cross_origin(&app.links, &parts.headers) {
            return Err(forged_by(app, &signed_in));
        }
        Ok(Self { signed_in, has_token })
    }
}

/// A form without files that a signed-in person sent from one of our own pages, or the request of a script without a body.
pub struct OwnForm {
    pub signed_in: SignedIn,
    pub form: Form,
}

impl FromRequest<App> for OwnForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (sent, request) = SentForm::check(request, app).await?;
        let form = if sent.has_token && !request.headers().contains_key(header::CONTENT_TYPE) {
            Ok(Form::default())
        } else {
            form::read(request, sent.signed_in.session.person.institution).await
        };
        match form {
            Ok(form) if sent.is_own(form.get(csrf::FIELD)) => Ok(Self { signed_in: sent.signed_in, form }),
            _ => Err(forged_by(app, &sent.signed_in)),
        }
    }
}

/// `forged`, as JSON for a script.
pub fn forged_by(app: &App, signed_in: &SignedIn) -> Response {
    if signed_in.is_script {
        let text = Words::new(signed_in.language()).text("shared-form-expired");
        return reply::message(StatusCode::FORBIDDEN, &text);
    }
    form_expired(app, signed_in.language())
}

/// The response to a form of another site, or of a session that has ended.
pub fn forged(app: &App, preferred: Preferred) -> Response {
    form_expired(app, preferred.language(None, Language::default()))
}

fn form_expired(app: &App, language: Language) -> Response {
    let page = Page::new(&app.links, language, "/");
    let (title, sentence) = ("shared-form-expired-title", "shared-form-expired");
    notice::show_with(StatusCode::FORBIDDEN, page, title, sentence, notice::Way::Home)
}

/// What the middleware found out about the language.
pub fn preferred(parts: &Parts) -> Preferred {
    parts.extensions.get::<Preferred>().copied().unwrap_or_default()
}

/// Opens a session for a person who has proven who they are, and goes where they wanted to go. The browser's old session ends; its
/// cookies never become the new one's (session fixation).
pub async fn begin(
    app: &App,
    headers: &HeaderMap,
    person: PersonId,
    how: How,
    return_to: &ReturnTo,
) -> AppResult<Response> {
    let opened = sessions::open(app, person, how, &old_sessions(app, headers)).await?;
    Ok(begun(app, headers, &opened, return_to))
}

/// Like `begin`, for a person whom an OpenID provider has authenticated.
pub async fn begin_sso(app: &App, headers: &HeaderMap, signed_in: sso::SignedIn) -> AppResult<Response> {
    let return_to = signed_in.return_to.clone();
    let opened = sso::open_session(app, signed_in, &old_sessions(app, headers)).await?;
    Ok(begun(app, headers, &opened, &return_to))
}

/// The sessions that the browser has. They end when another one begins.
pub fn old_sessions(app: &App, headers: &HeaderMap) -> Vec<Secret> {
    SESSION.read(&app.links, headers).into_iter().filter_map(Secret::parse).collect()
}

/// Hands the browser a session that was opened, and goes where the person wanted to go.
pub fn begun(app: &App, headers: &HeaderMap, opened: &Opened, return_to: &ReturnTo) -> Response {
    let mut response = reply::see_other(&format!("{}{}", root(&app.links), return_to.as_str()));
    let Opened { secret, how, email_key } = opened;
    append(&mut response, SESSION.set(&app.links, secret.as_str(), sessions::cookie_seconds(*how)));
    append(&mut response, VISITOR.set(&app.links, "", 0));
    // Whoever holds a QR code or an invitation has not proven that the address is theirs.
    if !how.is_restricted() {
        mark(app, headers, email_key, &mut response);
    }
    response
}

/// From now on, this browser asks for messages to the address on its own account.
fn mark(app: &App, headers: &HeaderMap, email_key: &str, response: &mut Response) {
    match marks(app, headers).renewed(app, email_key) {
        Ok(marks) => {
            let seconds = sign_in_marks::LIFE.as_secs().cast_signed();
            append(response, MARKS.set(&app.links, &marks.text(), seconds));
        }
        // They are signed in. The mark is for another time.
        Err(error) => tracing::warn!(%error, "a browser could not be marked as known"),
    }
}

fn marks(app: &App, headers: &HeaderMap) -> Marks {
    Marks::parse(&MARKS.read(&app.links, headers))
}

pub fn remove_cookie(app: &App, response: &mut Response) {
    append(response, SESSION.set(&app.links, "", 0));
}

/// Somebody on the pages for signing in. Their secret is the one in the visitor's cookie, or a new one, which `show` adds to the
/// response.
pub struct Visitor {
    pub secret: Secret,
    /// The browser has sent the cookie. In a frame on another site it never does.
    pub has_cookie: bool,
    pub preferred: Preferred,
    pub client: Option<Client>,
    pub headers: HeaderMap,
}

impl Visitor {
    pub fn language(&self) -> Language {
        self.language_or(Language::default())
    }

    /// `default` is the language of the institution that the page is about.
    pub fn language_or(&self, default: Language) -> Language {
        self.preferred.language(None, default)
    }

    /// Their browser, which asks for a sign-in mail.
    pub fn asker(&self, app: &App) -> Asker {
        Asker { client: self.client, browser: self.secret.clone(), marks: marks(app, &self.headers) }
    }

    pub fn page<'a>(&self, app: &'a App, path: &'a str) -> Page<'a> {
        Page { csrf: csrf::token(&self.secret), ..Page::new(&app.links, self.language(), path) }
    }

    /// A page with a form.
    pub fn show(&self, app: &App, status: StatusCode, page: &impl Template) -> Response {
        let policy = Policy { forms: Forms::SelfOnly, ..Policy::default() };
        let mut response = page::private(status, page, policy, Microphone::Unused);
        set_visitor(app, &mut response, &self.secret);
        response
    }

    /// Sends the browser elsewhere; it comes back with the visitor's cookie.
    pub fn redirect(&self, app: &App, address: &str) -> Response {
        let mut response = reply::see_other(address);
        append(&mut response, VISITOR.set(&app.links, self.secret.as_str(), VISITOR_SECONDS));
        response
    }
}

pub fn set_visitor(app: &App, response: &mut Response, secret: &Secret) {
    append(response, VISITOR.set(&app.links, secret.as_str(), VISITOR_SECONDS));
}

impl FromRequestParts<App> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Self::Rejection> {
        let known = VISITOR.read(&app.links, &parts.headers).into_iter().find_map(Secret::parse);
        Ok(Self {
            has_cookie: known.is_some(),
            secret: known.unwrap_or_else(|| Secret::generate(app)),
            preferred: preferred(parts),
            client: parts.extensions.get().copied(),
            headers: parts.headers.clone(),
        })
    }
}

/// A form that a visitor sent from one of our own pages (CSRF protection): with the token of the visitor's cookie, and from our
/// origin.
pub struct VisitorForm {
    pub visitor: Visitor,
    pub form: Form,
}

impl FromRequest<App> for VisitorForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let Ok(visitor) = Visitor::from_request_parts(&mut parts, app).await;
        let is_cross_origin = csrf::is_cross_origin(&app.links, &parts.headers);
        let Ok(form) = form::read_anonymous(Request::from_parts(parts, body)).await else {
            return Err(forged(app, visitor.preferred));
        };
        let is_own = form.get(csrf::FIELD).is_some_and(|token| csrf::is_token(&visitor.secret, token));
        if is_cross_origin || !is_own {
            return Err(forged(app, visitor.preferred));
        }
        Ok(Self { visitor, form })
    }
}

fn append(response: &mut Response, cookie: Option<HeaderValue>) {
    if let Some(cookie) = cookie {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
}
