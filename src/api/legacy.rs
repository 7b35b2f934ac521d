//! What versions 3 and 2 have in common: any page may call them, their answers are `{"result":…}`, and they say that
//! newer versions have come after them.

use std::net::IpAddr;

use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, Uri, header},
    response::Response,
};
use serde::Serialize;

use super::{
    ask::{Sent, has_body},
    face,
    listing::Frame,
    problem::{Problem, Told},
};
use crate::http::client;
use crate::http::reply;
use crate::{
    app::{App, callers, limiter::Standing, names::Person},
    domain::{email::Spellings, field_errors::FieldErrors, ids::InstitutionId, name_page::NamePageRef},
    http::{
        body::{self, Room, Whole},
        embeds::Icon,
        params::{Params, encoded},
    },
};

pub const FRAME: Frame = Frame { open: "{\"result\":\"success\",\"data\":[", close: "}" };
const HIGHEST_ICON: u64 = 2;

/// Both had been followed by newer versions before there was this program. The day is the first of the year in which it
/// began, the same in every installation, so that whoever watches for changes sees none.
const DEPRECATED_SINCE: HeaderValue = HeaderValue::from_static("@1767225600");
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const ANY: HeaderValue = HeaderValue::from_static("*");
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Nc-Rate-Limit-Limit, Nc-Rate-Limit-Remaining, Nc-Rate-Limit-Reset, Retry-After, X-Request-Id, Deprecation, Link",
);

/// What comes after an old path where nothing is closer to it. Behind `/api/private`, as all successors here.
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

    /// Whose path this is, if it is one of ours.
    pub fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix(super::ROOT)?.strip_prefix('/')?;
        let first = rest.split('/').next();
        [Self::V3, Self::V2].into_iter().find(|version| first == Some(version.name()))
    }

    /// For paths and methods that there are not. A page may ask before it calls them, and then read the refusal.
    pub fn refuse(self, app: &App, method: &Method, told: Told) -> Response {
        let response = if *method == Method::OPTIONS { allowed() } else { refusal(told) };
        self.finish(app, response, PARTICIPANTS, None)
    }

    /// What every answer has: its standing, who may read it, and what has come after this version. A handler that knows
    /// better than its route has put the successor there already.
    pub fn finish(
        self,
        app: &App,
        mut response: Response,
        successor: &str,
        standing: Option<Standing>,
    ) -> Response {
        let headers = response.headers_mut();
        if let Some(standing) = standing {
            face::tell_standing(headers, standing);
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

/// Names version 4's list of the same page as what has come after this answer; version 5 has none of a page.
pub fn succeeded_by_page(app: &App, code: &NamePageRef, response: &mut Response) {
    let path = format!("/v4/name_pages/{}/participants", encoded(code.key()));
    if let Ok(link) = HeaderValue::from_str(&succeeded_by(app, &path)) {
        response.headers_mut().insert(header::LINK, link);
    }
}

/// Any page may call these versions: whoever wrote one has the token or the code.
pub async fn preflight(State(app): State<App>, route: MatchedPath, uri: Uri) -> Response {
    let response = reply::named(Some(route), allowed());
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
    // The star stands for all but `Authorization`; older browsers need the usual ones by name.
    let asked =
        HeaderValue::from_static("*, Authorization, Accept, Content-Type, X-Request-Id, X-Requested-With");
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

#[derive(Serialize)]
struct Refusal<'a> {
    result: &'static str,
    message: &'a str,
}

/// What went wrong, in the shape of versions 3 and 2.
pub fn refusal(told: Told) -> Response {
    let response = reply::json(told.status, &Refusal { result: "error", message: &told.message });
    told.beside(response)
}

/// The same where no version finishes the answer: any page may read it.
pub fn open_refusal(told: Told) -> Response {
    let mut response = refusal(told);
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    response
}

/// A request, read before anybody knows whose it is: the token may stand in the body.
pub struct Call {
    pub route: Option<MatchedPath>,
    /// Whom failures are counted for.
    pub client: IpAddr,
    /// Of body and query together; of the query alone where the body cannot be read.
    pub params: Params,
    /// Why it cannot.
    pub fault: Option<Problem>,
    _room: Option<Room>,
}

impl Call {
    pub async fn read(app: &App, request: Request) -> Self {
        let (parts, body) = request.into_parts();
        let route = parts.extensions.get::<MatchedPath>().cloned();
        let client = client::address(&parts.extensions);
        let query = Params::from_query(parts.uri.query().unwrap_or_default());
        if !has_body(&parts.method) {
            return Self { route, client, params: query, fault: None, _room: None };
        }
        let read = match institution(app, &query, client).await {
            Some(institution) => body::read(&parts.extensions, institution, body).await,
            None => {
                // The token may stand in the body, in front of a list that is longer than what is read for anybody.
                let know = |start: Vec<u8>| async move {
                    let end = start.iter().rposition(|byte| *byte == b'&')?;
                    institution(app, &Params::from_query(&String::from_utf8_lossy(&start[..end])), client)
                        .await
                };
                body::read_introduced(&parts.extensions, body, know).await
            }
        };
        let read = read.map_err(Problem::from);
        let read = read.and_then(|Whole { bytes, room }| Ok((Sent::new(&parts, bytes).params()?, room)));
        let (params, room, fault) = match read {
            Ok((params, room)) => (params, Some(room), None),
            Err(problem) => (query, None, Some(problem)),
        };
        Self { route, client, params, fault, _room: room }
    }
}

/// Whose token is among these.
async fn institution(app: &App, params: &Params, client: IpAddr) -> Option<InstitutionId> {
    let token = params.text("auth_token")?;
    callers::identify(app, &token, Some(client)).await.ok().map(|caller| caller.institution.id)
}

/// Who is asked for by email and identifier.
pub fn person(params: &Params) -> Person {
    let key = |name: &str| params.mark(name);
    Person {
        email: key("email").map(|mark| mark.as_email),
        identifier: key("institution_id").map(|mark| mark.as_given),
        ..Person::default()
    }
}

/// The email as the request spelled it, if it has one.
pub fn spellings(params: &Params) -> Spellings {
    params.mark("email").map(|mark| Spellings::one(&mark.spelled)).unwrap_or_default()
}

/// Did the client mean one person, even if what it sent is no more than `null`? It must not get everybody then: it
/// would show the first one's name.
pub fn means_one(params: &Params) -> bool {
    ["email", "institution_id"].iter().any(|name| params.text(name).is_some())
}

pub fn icon_code(params: &Params, errors: &mut FieldErrors) -> Option<u64> {
    Icon::read_code(params, "icon", HIGHEST_ICON, errors)
}
