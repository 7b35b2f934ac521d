//! Shared by versions 3 and 2: CORS for every origin, responses of the form `{"result":…}`, their records, and deprecation
//! headers that name the successor.

use std::net::IpAddr;

use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header, uri::PathAndQuery},
    response::Response,
};
use serde::Serialize;

use super::{
    face,
    listing::Frame,
    problem::{ErrorReply, Problem},
    request::{RequestInput, has_body},
    view::View,
};
use crate::http::client;
use crate::http::reply;
use crate::{
    app::{App, callers, limiter::Quota, names::Person},
    domain::{
        email::Spellings, field_errors::FieldErrors, ids::InstitutionId, name_page::NamePageRef,
        participant::Participant,
    },
    http::{
        body::{self, BufferedBody, Reservation},
        embeds::Icon,
        json::Object,
        params::{Params, encoded},
    },
};

pub const FRAME: Frame = Frame { open: "{\"result\":\"success\",\"data\":[", close: "}" };
const HIGHEST_ICON: u64 = 2;

/// Both versions were superseded before this program existed. The date is January 1 of the year the project started.
/// It is the same in every installation, so that monitoring sees a stable value.
const DEPRECATED_SINCE: HeaderValue = HeaderValue::from_static("@1767225600");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const ANY: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id, Deprecation, Link",
);

/// The default successor, relative to `/api/private` like all successors here.
pub const PARTICIPANTS: &str = "/v5/participants";
pub const DOCUMENT: &str = "/v5/openapi.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    V3,
    V2,
}

impl Version {
    const fn name(self) -> &'static str {
        match self {
            Self::V3 => "v3",
            Self::V2 => "v2",
        }
    }

    /// The version that a path belongs to, if it is one of these two.
    pub fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(super::ROOT)?.strip_prefix('/')?;
        let first = rest.split('/').next();
        [Self::V3, Self::V2].into_iter().find(|version| first == Some(version.name()))
    }

    /// Unknown paths and methods. Preflight requests succeed, so that a page may read the error.
    pub fn refuse(self, app: &App, method: &Method, reply: ErrorReply) -> Response {
        let response = if *method == Method::OPTIONS { allowed() } else { refusal(reply) };
        self.finish(app, response, PARTICIPANTS, None)
    }

    /// Adds the headers of every response: rate limit, CORS, deprecation. A handler may already have set a more
    /// specific successor link.
    pub fn finish(
        self,
        app: &App,
        mut response: Response,
        successor: &str,
        quota: Option<Quota>,
    ) -> Response {
        let headers = response.headers_mut();
        if let Some(quota) = quota {
            face::add_rate_limit_headers(headers, quota);
        }
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        headers.insert(DEPRECATION, DEPRECATED_SINCE);
        let base = app.links.base();
        let links = [
            (!headers.contains_key(header::LINK)).then(|| succeeded_by(app, successor)),
            Some(format!("<{base}/docs/{}>; rel=\"deprecation\"; type=\"text/html\"", self.name())),
        ];
        for link in links.into_iter().flatten() {
            if let Ok(link) = HeaderValue::from_str(&link) {
                headers.append(header::LINK, link);
            }
        }
        response
    }
}

fn succeeded_by(app: &App, path: &str) -> String {
    format!("<{}{}{path}>; rel=\"successor-version\"", app.links.base(), super::ROOT)
}

/// Sets version 4's list of the same name page as the successor; version 5 has no list per page.
pub fn succeeded_by_page(app: &App, code: &NamePageRef, response: &mut Response) {
    let path = format!("/v4/name_pages/{}/participants", encoded(code.key()));
    if let Ok(link) = HeaderValue::from_str(&succeeded_by(app, &path)) {
        response.headers_mut().insert(header::LINK, link);
    }
}

/// CORS preflight. Any origin may call these versions, because a page that does so carries the token or the access
/// code.
pub async fn preflight(State(app): State<App>, route: MatchedPath, uri: Uri) -> Response {
    let response = reply::with_route(Some(route), allowed());
    match Version::of(uri.path()) {
        Some(version) => version.finish(&app, response, PARTICIPANTS, None),
        None => response,
    }
}

fn allowed() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD, POST"));
    // `*` does not cover `Authorization`, and older browsers need the common headers by name.
    let allowed =
        HeaderValue::from_static("*, Authorization, Accept, Content-Type, X-Request-Id, X-Requested-With");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

#[derive(Serialize)]
struct Refusal<'a> {
    result: &'static str,
    message: &'a str,
}

/// An error response in the format of versions 3 and 2.
pub fn refusal(reply: ErrorReply) -> Response {
    let response = reply::json(reply.status, &Refusal { result: "error", message: &reply.message });
    reply.add_headers(response)
}

/// An error response that does not pass through `Version::finish`: still readable by any origin.
pub fn open_refusal(reply: ErrorReply) -> Response {
    let mut response = refusal(reply);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    response
}

/// A request that was read before its caller was known, because the token may be in the body.
pub struct LegacyRequest {
    pub route: Option<MatchedPath>,
    /// The client address, for rate limiting failures.
    pub client: IpAddr,
    /// As sent, of a request without a body.
    pub target: Option<PathAndQuery>,
    /// Body and query merged; the query only if the body could not be read.
    pub params: Params,
    /// Why the body could not be read.
    pub fault: Option<Problem>,
    _reservation: Option<Reservation>,
}

impl LegacyRequest {
    pub async fn read(app: &App, request: Request) -> Self {
        let (parts, body) = request.into_parts();
        let route = parts.extensions.get::<MatchedPath>().cloned();
        let client = client::address(&parts.extensions);
        let query = Params::from_query(parts.uri.query().unwrap_or_default());
        if !has_body(&parts.method) {
            let target = parts.uri.path_and_query().cloned();
            return Self { route, client, target, params: query, fault: None, _reservation: None };
        }
        let read = match institution(app, &query, client).await {
            Some(institution) => body::read(&parts.extensions, institution, body).await,
            None => {
                // The token may precede a list that exceeds the limit for unauthenticated bodies.
                let identify = |start: Vec<u8>| async move {
                    let end = start.iter().rposition(|byte| *byte == b'&')?;
                    institution(app, &Params::from_query(&String::from_utf8_lossy(&start[..end])), client)
                        .await
                };
                body::read_with_credentials(&parts.extensions, body, identify).await
            }
        };
        let read = read.map_err(Problem::from);
        let read = read.and_then(|BufferedBody { bytes, reservation }| {
            Ok((RequestInput::new(&parts, bytes).params()?, reservation))
        });
        let (params, reservation, fault) = match read {
            Ok((params, reservation)) => (params, Some(reservation), None),
            Err(problem) => (query, None, Some(problem)),
        };
        Self { route, client, target: None, params, fault, _reservation: reservation }
    }
}

/// The institution of the token among these parameters.
async fn institution(app: &App, params: &Params, client: IpAddr) -> Option<InstitutionId> {
    let token = params.text("auth_token")?;
    callers::identify(app, &token, Some(client)).await.ok().map(|caller| caller.institution.id)
}

/// Writes a record. `extended` adds the fields of `include_extended_attributes`, which version 2 does not have.
pub fn write_name(view: &View, person: &Participant, extended: bool, out: &mut Vec<u8>) {
    Object::write(out, |object| {
        object.opt_text("first_name", person.first_name.as_deref());
        object.opt_text("last_name", person.last_name.as_deref());
        object.opt_text("email", view.email(person).as_deref());
        view.write_embeds(person, object);
        view.write_recording_link("recording_link", &person.recording, object);
        view.write_name_badge_link(person, object);
        if extended {
            object.opt_text("institution_id", person.identifier.as_deref());
            object.text("event_title", &person.page.title);
            object.text("event_slug", &person.page.slug);
            object.text("event_access_code", &person.page.access_code);
            view.write_photo(person, object);
            view.write_custom_objects(person, object);
        }
    });
}

/// The person filter from email and identifier.
pub fn person(params: &Params) -> Person {
    let key = |name: &str| params.person_key(name);
    Person {
        email: key("email").map(|person_key| person_key.as_email),
        identifier: key("institution_id").map(|person_key| person_key.as_given),
        ..Person::default()
    }
}

/// The email as the request spelled it, if there is one.
pub fn spellings(params: &Params) -> Spellings {
    params.person_key("email").map(|person_key| Spellings::one(&person_key.spelled)).unwrap_or_default()
}

/// Does the request name one person, even if only as `null`? Then it must not get the whole list: such clients
/// display the first record.
pub fn names_one_person(params: &Params) -> bool {
    ["email", "institution_id"].iter().any(|name| params.text(name).is_some())
}

pub fn icon_code(params: &Params, errors: &mut FieldErrors) -> Option<u64> {
    Icon::read_code(params, "icon", HIGHEST_ICON, errors)
}
