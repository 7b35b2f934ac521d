//! A fake Canvas, written from its documentation: the REST API for rosters, with a switch for every failure.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde_json::{Value, json};

use super::people::{Avatar, Person};

const TOKEN: &str = "7~canvasTokenThatNobodyMaySee";

/// How Canvas signals throttling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Throttle {
    /// 403 with a message.
    Words,
    /// 429 with `Retry-After`.
    TooMany,
    /// The same, with an hour.
    AnHour,
}

/// The current failure, until `heal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Never responds.
    Hang,
    /// The next requests get this status, this many times.
    Fails {
        status: u16,
        times: usize,
    },
    /// This page of a roster fails this many times; pages count from 1.
    PageFails {
        page: usize,
        times: usize,
    },
    /// This page is HTML with status 200, this many times.
    PageGarbled {
        page: usize,
        times: usize,
    },
    /// This page is a 404.
    PageGone {
        page: usize,
    },
    /// The response is truncated.
    BrokenLinks,
    /// A proxy in front of Canvas responds with this status and HTML.
    Front {
        status: u16,
    },
    /// This page never arrives.
    PageHangs {
        page: usize,
    },
    /// The second page links to the first as the next one.
    Loop,
    /// Somebody was enrolled during pagination: each page starts with the last person of the previous one.
    Shifted,
    /// The next page is at this origin.
    NextAt(String),
    TokenDead,
    /// The token is valid, but its user may see no courses.
    NoPermission,
    Throttled {
        how: Throttle,
        times: usize,
    },
    /// HTML with status 200.
    Maintenance,
    /// Every response is a redirect.
    Redirect(String),
}

struct Course {
    id: u64,
    sis_id: Option<String>,
    title: String,
    people: Vec<Person>,
}

#[derive(Default)]
struct Inner {
    courses: BTreeMap<u64, Course>,
    fault: Option<Fault>,
    /// The maximum page size, regardless of the request.
    most_per_page: Option<usize>,
    requests: Vec<String>,
    /// The number of picture requests that had a token.
    tokens_shown: usize,
}

#[derive(Clone)]
pub struct Canvas {
    url: String,
    inner: Arc<Mutex<Inner>>,
}

impl Canvas {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let canvas = Self { url, inner: Arc::default() };
        let router = Router::new().fallback(answer).with_state(canvas.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        canvas
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Adds a course; if it exists, changes its title.
    pub fn course(&self, id: u64, sis_id: Option<&str>, title: &str) {
        let mut inner = self.inner();
        let course = inner.courses.entry(id).or_insert_with(|| Course {
            id,
            sis_id: None,
            title: String::new(),
            people: Vec::new(),
        });
        course.title = title.to_owned();
        course.sis_id = sis_id.map(str::to_owned);
    }

    pub fn remove_course(&self, id: u64) {
        self.inner().courses.remove(&id);
    }

    pub fn enrol(&self, course: u64, person: Person) {
        self.inner().courses.get_mut(&course).unwrap().people.push(person);
    }

    /// Removes the enrollments of the user with this id.
    pub fn drop_person(&self, course: u64, person: u64) {
        self.inner().courses.get_mut(&course).unwrap().people.retain(|known| known.id != person);
    }

    /// Changes a user's data.
    pub fn change(&self, course: u64, person: u64, change: impl Fn(&mut Person)) {
        let mut inner = self.inner();
        let people = &mut inner.courses.get_mut(&course).unwrap().people;
        people.iter_mut().filter(|known| known.id == person).for_each(change);
    }

    pub fn fault(&self, fault: Fault) {
        self.inner().fault = Some(fault);
    }

    pub fn heal(&self) {
        self.inner().fault = None;
    }

    pub fn most_per_page(&self, most: usize) {
        self.inner().most_per_page = Some(most);
    }

    /// The requests so far, like `GET /api/v1/courses/101`.
    pub fn requests(&self) -> Vec<String> {
        self.inner().requests.clone()
    }

    /// The number of picture requests that had a token.
    pub fn tokens_shown_to_pictures(&self) -> usize {
        self.inner().tokens_shown
    }
}

fn told(status: u16, kind: &str, body: String) -> Response {
    let response = Response::builder().status(status).header("content-type", kind);
    response.body(Body::from(body)).unwrap()
}

fn json_told(status: u16, body: &Value) -> Response {
    told(status, "application/json; charset=utf-8", body.to_string())
}

fn missing() -> Response {
    json_told(404, &json!({"errors": [{"message": "The specified resource does not exist."}]}))
}

async fn answer(State(canvas): State<Canvas>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    canvas.inner().requests.push(format!("{} {}", parts.method, parts.uri));
    if parts.method != "GET" {
        return json_told(405, &json!({"message": "method not allowed"}));
    }
    if let Some(response) = canvas.trouble().await {
        return response;
    }
    let path = parts.uri.path().to_owned();
    if let Some(picture) = path.strip_prefix("/images/thumbnails/") {
        canvas.inner().tokens_shown += usize::from(parts.headers.contains_key("authorization"));
        return canvas.picture(picture);
    }
    let Some(path) = path.strip_prefix("/api/v1/") else { return missing() };
    if let Some(refusal) = canvas.refusal(&parts.headers) {
        return refusal;
    }
    let strings = parts.headers.get("accept").is_some_and(|accept| {
        accept.to_str().unwrap_or_default().contains("application/json+canvas-string-ids")
    });
    let parts_of_path: Vec<String> = path
        .split('/')
        .map(|part| percent_encoding::percent_decode_str(part).decode_utf8_lossy().into_owned())
        .collect();
    let parts_of_path: Vec<&str> = parts_of_path.iter().map(String::as_str).collect();
    let query: Vec<(String, String)> =
        reqwest::Url::parse(&format!("http://x/?{}", parts.uri.query().unwrap_or_default()))
            .unwrap()
            .query_pairs()
            .into_owned()
            .collect();
    match parts_of_path[..] {
        ["users", "self"] => json_told(200, &json!({"id": number(1, strings), "name": "Rosa Registrar"})),
        ["courses"] => {
            let inner = canvas.inner();
            let shown: Vec<Value> = inner.courses.values().take(1).map(|one| one.shown(strings)).collect();
            json_told(200, &json!(shown))
        }
        ["courses", id] => {
            let inner = canvas.inner();
            inner.named(id).map_or_else(missing, |course| json_told(200, &course.shown(strings)))
        }
        ["courses", id, "users"] => canvas.users(id, &query, strings).await,
        _ => missing(),
    }
}

fn number(id: u64, strings: bool) -> Value {
    if strings { json!(id.to_string()) } else { json!(id) }
}

impl Course {
    fn shown(&self, strings: bool) -> Value {
        json!({
            "id": number(self.id, strings), "name": self.title, "course_code": format!("C{}", self.id),
            "sis_course_id": self.sis_id, "workflow_state": "available", "account_id": number(1, strings),
            "uuid": format!("uuid{}", self.id), "enrollment_term_id": number(1, strings),
        })
    }
}

impl Inner {
    fn named(&self, id: &str) -> Option<&Course> {
        match id.split_once(':') {
            None => self.courses.get(&id.parse().ok()?),
            Some(("sis_course_id", sis)) => {
                self.courses.values().find(|course| course.sis_id.as_deref() == Some(sis))
            }
            Some(("lti_context_id", context)) => {
                self.courses.values().find(|course| context == format!("context{}", course.id))
            }
            Some(_) => None,
        }
    }

    /// The failure for this request: for this page of a roster, or for any request.
    fn trouble(&mut self, page: Option<usize>) -> Option<Fault> {
        let counted = match self.fault.as_mut()? {
            Fault::Fails { times, .. } | Fault::Throttled { times, .. } if page.is_none() => Some(times),
            Fault::PageFails { page: which, times } | Fault::PageGarbled { page: which, times }
                if page == Some(*which) =>
            {
                Some(times)
            }
            _ => None,
        };
        if let Some(times) = counted {
            *times = times.checked_sub(1)?;
        }
        self.fault.clone()
    }
}

impl Canvas {
    fn refusal(&self, headers: &HeaderMap) -> Option<Response> {
        let inner = self.inner();
        let known =
            headers.get("authorization").is_some_and(|given| given == format!("Bearer {TOKEN}").as_str());
        if !known || inner.fault == Some(Fault::TokenDead) {
            let mut response = json_told(401, &json!({"errors": [{"message": "Invalid access token."}]}));
            response.headers_mut().insert("www-authenticate", "Bearer realm=\"canvas-lms\"".parse().unwrap());
            return Some(response);
        }
        (inner.fault == Some(Fault::NoPermission)).then(|| {
            let message = "user not authorized to perform that action";
            json_told(401, &json!({"status": "unauthorized", "errors": [{"message": message}]}))
        })
    }

    /// The failure for every request.
    async fn trouble(&self) -> Option<Response> {
        let fault = self.inner().trouble(None);
        match fault? {
            Fault::Hang => std::future::pending().await,
            Fault::Fails { status, .. } => Some(json_told(
                status,
                &json!({"errors": [{"message": "An error occurred.", "error_code": "internal_server_error"}]}),
            )),
            Fault::Throttled { how: Throttle::Words, .. } => {
                let mut response =
                    told(403, "text/plain", "403 Forbidden (Rate Limit Exceeded)\n".to_owned());
                response.headers_mut().insert("x-rate-limit-remaining", "0.0".parse().unwrap());
                Some(response)
            }
            Fault::Throttled { how: Throttle::TooMany, .. } => {
                let mut response =
                    told(429, "text/plain", "429 Too Many Requests (Rate Limit Exceeded)\n".to_owned());
                response.headers_mut().insert("retry-after", "0".parse().unwrap());
                Some(response)
            }
            Fault::Throttled { how: Throttle::AnHour, .. } => {
                let mut response = told(429, "text/plain", String::new());
                response.headers_mut().insert("retry-after", "3600".parse().unwrap());
                Some(response)
            }
            Fault::Front { status } => {
                Some(told(status, "text/html", "<html><h1>Request blocked</h1></html>".to_owned()))
            }
            Fault::Maintenance => {
                let page =
                    "<!DOCTYPE html><html><title>Page Unavailable</title><body>Canvas is down.</body></html>";
                Some(told(200, "text/html", page.to_owned()))
            }
            Fault::Redirect(to) => {
                let mut response = told(302, "text/html", String::new());
                response.headers_mut().insert("location", to.parse().unwrap());
                Some(response)
            }
            _ => None,
        }
    }

    /// One row per user, with the URL of the next page in `Link`.
    async fn users(&self, course: &str, query: &[(String, String)], strings: bool) -> Response {
        let all = |name: &str| -> Vec<&str> {
            query.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
        };
        let first = |name: &str| all(name).first().and_then(|text| text.parse::<usize>().ok());
        // The form of page URLs is opaque: clients must not depend on it.
        let page =
            all("page").first().map_or(1, |word| word.trim_start_matches("bookmark:").parse().unwrap());
        let (includes, kinds, states) =
            (all("include[]"), all("enrollment_type[]"), all("enrollment_state[]"));
        let fault = self.inner().trouble(Some(page));
        match &fault {
            Some(Fault::PageFails { page: which, .. }) if *which == page => {
                return json_told(
                    500,
                    &json!({"errors": [{"message": "An error occurred."}], "error_report_id": 7}),
                );
            }
            Some(Fault::PageGarbled { page: which, .. }) if *which == page => {
                return told(200, "text/html", "<html>One moment</html>".to_owned());
            }
            Some(Fault::PageGone { page: which }) if *which == page => return missing(),
            Some(Fault::PageHangs { page: which }) if *which == page => std::future::pending().await,
            _ => {}
        }
        let inner = self.inner();
        let Some(course) = inner.named(course) else { return missing() };
        let mut users: BTreeMap<u64, Vec<&Person>> = BTreeMap::new();
        for person in &course.people {
            let asked_for = |words: &[&str], word: &str| words.is_empty() || words.contains(&word);
            if asked_for(&kinds, &person.role) && asked_for(&states, state(person)) {
                users.entry(person.id).or_default().push(person);
            }
        }
        let most = inner.most_per_page.unwrap_or(100);
        let per_page = first("per_page").unwrap_or(10).clamp(1, most);
        let from = (page - 1) * per_page - usize::from(page > 1 && fault == Some(Fault::Shifted));
        let shown = users.values().skip(from).take(page * per_page - from);
        let shown: Vec<Value> =
            shown.map(|enrolled| self.row(course.id, enrolled, &includes, strings)).collect();
        let mut response = json_told(200, &json!(shown));
        let at = |origin: &str, number: usize| {
            let kept = query.iter().filter(|(name, _)| name != "page");
            let mut url =
                reqwest::Url::parse(&format!("{origin}/api/v1/courses/{}/users", course.id)).unwrap();
            url.query_pairs_mut().extend_pairs(kept).append_pair("page", &format!("bookmark:{number}"));
            url.to_string()
        };
        let mut links = vec![format!("<{}>; rel=\"current\"", at(&self.url, page))];
        let more = page * per_page < users.len();
        match &fault {
            Some(Fault::Loop) if page == 2 => links.push(format!("<{}>; rel=\"next\"", at(&self.url, 1))),
            Some(Fault::Loop) if page == 1 => links.push(format!("<{}>; rel=\"next\"", at(&self.url, 2))),
            Some(Fault::NextAt(origin)) if more => {
                links.push(format!("<{}>; rel=\"next\"", at(origin, page + 1)))
            }
            _ if more => links.push(format!("<{}>; rel=\"next\"", at(&self.url, page + 1))),
            _ => {}
        }
        links.push(format!("<{}>; rel=\"first\"", at(&self.url, 1)));
        match &fault {
            Some(Fault::BrokenLinks) => {
                response.headers_mut().insert("link", links[0].trim_end_matches('"').parse().unwrap());
            }
            _ => {
                response.headers_mut().insert("link", links.join(",").parse().unwrap());
            }
        }
        response
    }

    fn row(&self, course: u64, enrolled: &[&Person], includes: &[&str], strings: bool) -> Value {
        let person = enrolled[0];
        let has_last = !person.last.is_empty();
        let sortable =
            if has_last { format!("{}, {}", person.last, person.first) } else { person.first.clone() };
        let mut row = json!({
            "id": number(person.id, strings), "name": format!("{} {}", person.first, person.last).trim(),
            "created_at": "2026-08-01T10:00:00Z", "sortable_name": sortable,
            "short_name": person.first, "sis_user_id": person.identifier, "integration_id": null,
            "login_id": format!("login{}", person.id),
        });
        if includes.contains(&"email") && person.email.is_some() {
            row["email"] = json!(person.email);
        }
        if includes.contains(&"enrollments") {
            let enrollments = enrolled.iter().enumerate().map(|(section, one)| {
                json!({
                    "id": number(9_000 + one.id, strings), "course_id": number(course, strings),
                    "user_id": number(one.id, strings), "type": kind(&one.role),
                    "enrollment_state": state(one), "course_section_id": number(section as u64, strings),
                })
            });
            row["enrollments"] = enrollments.collect();
        }
        if includes.contains(&"avatar_url") {
            row["avatar_url"] = match &person.avatar {
                Avatar::None => Value::Null,
                Avatar::Default => json!(format!("{}/images/messages/avatar-50.png", self.url)),
                Avatar::Own(_) => json!(format!("{}/images/thumbnails/{}/aBc", self.url, person.id)),
                Avatar::At(url) => json!(url),
            };
        }
        row
    }

    fn picture(&self, path: &str) -> Response {
        let id = path.split('/').next().and_then(|id| id.parse::<u64>().ok());
        let inner = self.inner();
        let mut people = inner.courses.values().flat_map(|course| &course.people);
        match people.find(|person| Some(person.id) == id).map(|person| &person.avatar) {
            Some(Avatar::Own(bytes)) => {
                let mut response = Response::new(Body::from(bytes.clone()));
                response.headers_mut().insert("content-type", "image/png".parse().unwrap());
                response
            }
            _ => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::NOT_FOUND;
                response
            }
        }
    }
}

fn state(person: &Person) -> &'static str {
    if person.active { "active" } else { "inactive" }
}

fn kind(role: &str) -> &'static str {
    match role {
        "student" => "StudentEnrollment",
        "teacher" => "TeacherEnrollment",
        "ta" => "TaEnrollment",
        "designer" => "DesignerEnrollment",
        "observer" => "ObserverEnrollment",
        other => panic!("Canvas knows no {other}"),
    }
}
