//! The session of a request, and its page: the course for staff, their own entry for students.

use axum::{
    extract::{FromRequest, FromRequestParts, RawQuery, Request, State},
    http::{HeaderMap, header, request::Parts},
    response::{IntoResponse, Response},
};

use super::{
    cookie, course, deep_link, launch, own,
    pages::{self, Appearance, Colors},
};
use crate::{
    app::{
        App,
        lti::{
            Refusal,
            sessions::{self, Open, SessionTarget},
        },
    },
    http::{
        csrf,
        form::{self, Form},
        language::Preferred,
        path::Path,
    },
};

/// The session of a request. The rejection is a page that explains why there is none.
pub struct Visit {
    pub name: String,
    pub open: Open,
}

impl FromRequestParts<App> for Visit {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let read = Path::<String>::from_request_parts(parts, app).await;
        let Path(name) = read.map_err(IntoResponse::into_response)?;
        visit(app, name, &parts.headers).await
    }
}

/// The session of this name, for routes with more parameters than that.
pub async fn visit(app: &App, name: String, headers: &HeaderMap) -> Result<Visit, Response> {
    let open = find(app, &name, headers).await?;
    Ok(Visit { name, open })
}

/// Like `Visit`, for requests from our own origin only (CSRF protection). The handler reads the body and checks its token.
pub struct OwnOrigin(pub Visit);

impl FromRequestParts<App> for OwnOrigin {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Response> {
        let visit = Visit::from_request_parts(parts, app).await?;
        if csrf::is_cross_origin(&app.links, &parts.headers) {
            return Err(forged(app, &visit.open));
        }
        Ok(Self(visit))
    }
}

/// A form that was submitted on one of our own pages: from our origin, with the token of the browser's cookie (CSRF protection).
pub struct SubmittedForm {
    pub visit: Visit,
    pub form: Form,
}

impl FromRequest<App> for SubmittedForm {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let OwnOrigin(visit) = OwnOrigin::from_request_parts(&mut parts, app).await?;
        // A script sends the token as a header, and may send nothing else.
        let token = parts.headers.get(csrf::HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let is_empty = token.is_some() && !parts.headers.contains_key(header::CONTENT_TYPE);
        let read = if is_empty {
            Ok(Form::default())
        } else {
            form::read(Request::from_parts(parts, body), visit.open.institution.id).await
        };
        let form = read.map_err(|status| {
            pages::unreadable(app, pages::language(&visit.open), status, &visit.open.frames())
        })?;
        if is_own_form(&visit.open, token.as_deref().or_else(|| form.get(csrf::FIELD))) {
            Ok(Self { visit, form })
        } else {
            Err(forged(app, &visit.open))
        }
    }
}

/// Is this the CSRF token of the session's forms?
pub fn is_own_form(open: &Open, token: Option<&str>) -> bool {
    token.is_some_and(|token| csrf::is_token(&open.browser, token))
}

/// The response to a form of another site.
pub fn forged(app: &App, open: &Open) -> Response {
    pages::fault_in(app, open, Refusal::NoSession)
}

/// Finds the session, and sets the theme and the language of its pages. What the visitor has chosen in the menu comes before the
/// language of the platform's page, and that before what the browser accepts.
async fn find(app: &App, session: &str, headers: &HeaderMap) -> Result<Open, Response> {
    match sessions::find(app, session, &cookie::read(headers)).await {
        Ok(mut open) => {
            open.theme = match Colors::of(headers, open.theme) {
                Colors::System => None,
                Colors::Only(theme) => Some(theme),
            };
            let Preferred { chosen, accepted, .. } = Preferred::of(None, headers);
            open.language = chosen.or(open.language).or(accepted).or(open.institution.language);
            Ok(open)
        }
        Err(fault) => Err(pages::fault(app, Appearance::of(headers), fault)),
    }
}

pub async fn add_slash(State(app): State<App>, Path(session): Path<String>) -> Response {
    // The name goes into a header, so it is limited to the characters of valid session names.
    let name: String = session.chars().filter(char::is_ascii_alphanumeric).collect();
    launch::to_session(&app, &name, "")
}

pub async fn show(State(app): State<App>, visit: Visit, RawQuery(query): RawQuery) -> Response {
    let (open, form) = (visit.open, Form::from_query(&query.unwrap_or_default()));
    match &open.what {
        SessionTarget::Course { course, .. } => course::show(&app, &open, course, &form).await,
        SessionTarget::Own { course, owner } => own::show(&app, &open, course, *owner, &form).await,
        SessionTarget::DeepLink(_) => deep_link::show(&app, &open),
    }
}

/// Shows a staff member's own entry.
pub async fn show_own(State(app): State<App>, visit: Visit, RawQuery(query): RawQuery) -> Response {
    let Visit { name, open } = visit;
    match open.own() {
        Some((course, owner)) => {
            let form = Form::from_query(&query.unwrap_or_default());
            own::show(&app, &open, course, owner, &form).await
        }
        None => launch::to_session(&app, &name, ""),
    }
}

/// Creates a staff member's own entry.
pub async fn add_own(State(app): State<App>, SubmittedForm { visit, .. }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let SessionTarget::Course { course, own } = &open.what else {
        return pages::fault_in(&app, &open, Refusal::NoSession);
    };
    if own.is_none()
        && let Err(fault) = sessions::add_own_entry(&app, &open, course).await
    {
        return pages::fault_in(&app, &open, fault);
    }
    launch::to_session(&app, &name, "me")
}
