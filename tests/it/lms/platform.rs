//! A fake LTI 1.3 platform: service tokens for assertions signed with our key, memberships in pages, with a switch for
//! every failure. Real third-party platforms are tested elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    response::Response,
};
use endonym::jwt::keys::SigningKey;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use serde_json::{Value, json};

use super::people::{Avatar, Person};

pub const CLIENT: &str = "client-7";
pub const DEPLOYMENTS: [&str; 2] = ["4", "5"];

/// Regardless of the request.
const MAX_PER_PAGE: usize = 100;

/// The current failure, until `heal`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Hang,
    /// The token endpoint returns this error.
    NoToken {
        status: u16,
        error: &'static str,
    },
    /// The token endpoint fails this many times.
    TokenFails {
        times: usize,
    },
    /// All tokens are rejected, though new ones are issued.
    TokenNeverGood,
    Forbidden,
    /// This page fails this many times; pages count from 1.
    PageFails {
        page: usize,
        times: usize,
    },
    Throttled {
        times: usize,
    },
    Loop,
    NextAt(String),
    Shifted,
    Maintenance,
    /// A proxy in front of it responds with this status and HTML.
    Front {
        status: u16,
    },
    /// This page is a 404.
    PageGone {
        page: usize,
    },
    /// Returns everything in one large page, regardless of the limit.
    Large,
}

/// The format of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    Short,
    Full,
}

struct Course {
    title: String,
    people: Vec<Person>,
}

struct Inner {
    courses: BTreeMap<u64, Course>,
    fault: Option<Fault>,
    requests: Vec<String>,
    /// Valid tokens.
    good: BTreeSet<String>,
    given: usize,
    seen_assertions: BTreeSet<String>,
    expires_in: u64,
    audience: Option<String>,
    words: Words,
    anonymous: bool,
}

#[derive(Clone)]
pub struct Platform {
    url: String,
    key: SigningKey,
    inner: Arc<Mutex<Inner>>,
}

impl Platform {
    /// Registers the tool with its public key.
    pub async fn start(key: &SigningKey) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inner = Inner {
            courses: BTreeMap::new(),
            fault: None,
            requests: Vec::new(),
            good: BTreeSet::new(),
            given: 0,
            seen_assertions: BTreeSet::new(),
            expires_in: 3_600,
            audience: None,
            words: Words::Short,
            anonymous: false,
        };
        let platform = Self { url, key: key.clone(), inner: Arc::new(Mutex::new(inner)) };
        let router = Router::new().fallback(answer).with_state(platform.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        platform
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn token_url(&self) -> String {
        format!("{}/token", self.url)
    }

    pub fn jwks_url(&self) -> String {
        format!("{}/jwks", self.url)
    }

    /// The roster URL that a launch would report.
    pub fn memberships_url(&self, course: u64) -> String {
        format!("{}/memberships/{course}?rlid=a%26b", self.url)
    }

    pub fn course(&self, id: u64, title: &str) {
        let empty = Course { title: String::new(), people: Vec::new() };
        self.inner().courses.entry(id).or_insert(empty).title = title.to_owned();
    }

    pub fn remove_course(&self, id: u64) {
        self.inner().courses.remove(&id);
    }

    pub fn enrol(&self, course: u64, person: Person) {
        self.inner().courses.get_mut(&course).unwrap().people.push(person);
    }

    pub fn drop_person(&self, course: u64, person: u64) {
        self.inner().courses.get_mut(&course).unwrap().people.retain(|known| known.id != person);
    }

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

    pub fn words(&self, words: Words) {
        self.inner().words = words;
    }

    /// Like a Moodle whose tool setting for the launcher's name and email is "Never", without idnumbers.
    pub fn shares_nothing(&self) {
        self.inner().anonymous = true;
    }

    pub fn expires_in(&self, seconds: u64) {
        self.inner().expires_in = seconds;
    }

    /// The expected audience of an assertion, if it is not the token endpoint.
    pub fn audience(&self, audience: &str) {
        self.inner().audience = Some(audience.to_owned());
    }

    /// Revokes every issued token.
    pub fn forget_tokens(&self) {
        self.inner().good.clear();
    }

    pub fn tokens_given(&self) -> usize {
        self.inner().given
    }

    pub fn requests(&self) -> Vec<String> {
        self.inner().requests.clone()
    }
}

fn told(status: u16, body: &Value) -> Response {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}

fn query(text: &str) -> Vec<(String, String)> {
    reqwest::Url::parse(&format!("http://x/?{text}")).unwrap().query_pairs().into_owned().collect()
}

async fn answer(State(platform): State<Platform>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    platform.inner().requests.push(format!("{} {}", parts.method, parts.uri));
    let fault = platform.inner().fault.clone();
    match fault {
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Front { status }) if parts.uri.path() != "/token" => {
            let response =
                Response::builder().status(status).header("content-type", "text/html; charset=utf-8");
            return response.body(Body::from("<html><h1>Request blocked</h1></html>")).unwrap();
        }
        Some(Fault::Maintenance) => return Response::new(Body::from("<html>Back soon</html>")),
        _ => {}
    }
    if parts.uri.path() == "/jwks" {
        return told(200, &json!({"keys": [{"kty": "RSA", "kid": "p1", "n": "AQAB", "e": "AQAB"}]}));
    }
    if parts.uri.path() == "/token" {
        let body = to_bytes(body, 1 << 20).await.unwrap();
        return platform.give_token(&query(std::str::from_utf8(&body).unwrap()));
    }
    let token = parts.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_good = platform.inner().good.contains(token.trim_start_matches("Bearer "));
    if !is_good || fault == Some(Fault::TokenNeverGood) {
        return told(401, &json!({"status": 401, "reason": "Unauthorized"}));
    }
    if fault == Some(Fault::Forbidden) {
        return told(403, &json!({"status": 403, "reason": "Forbidden"}));
    }
    let accept = parts.headers.get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accept != "application/vnd.ims.lti-nrps.v2.membershipcontainer+json" {
        return told(406, &json!({"status": 406}));
    }
    let pieces: Vec<&str> = parts.uri.path().trim_start_matches('/').split('/').collect();
    let course = match pieces[..] {
        ["memberships", course] | ["api", "lti", "courses", course, "names_and_roles"] => course,
        ["mod", "lti", "services.php", "CourseSection", course, "bindings", deployment, "memberships"]
            if deployment == DEPLOYMENTS[1] =>
        {
            course
        }
        _ => return told(404, &json!({"status": 404, "reason": "Not Found"})),
    };
    platform.memberships(course, parts.uri.path(), &query(parts.uri.query().unwrap_or_default()))
}

impl Platform {
    fn give_token(&self, form: &[(String, String)]) -> Response {
        let mut inner = self.inner();
        match &mut inner.fault {
            Some(Fault::NoToken { status, error }) => return told(*status, &json!({"error": error})),
            Some(Fault::TokenFails { times }) if *times > 0 => {
                *times -= 1;
                return told(500, &json!({}));
            }
            _ => {}
        }
        let given =
            |name: &str| form.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.as_str());
        let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
        if given("grant_type") != "client_credentials" || given("client_assertion_type") != kind {
            return told(400, &json!({"error": "invalid_request"}));
        }
        if given("scope") != "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly" {
            return told(400, &json!({"error": "invalid_scope"}));
        }
        let mut checks = Validation::new(Algorithm::RS256);
        checks.set_audience(&[inner.audience.clone().unwrap_or_else(|| self.token_url())]);
        checks.set_issuer(&[CLIENT]);
        let public = serde_json::from_value(self.key.public().unwrap()).unwrap();
        let key = DecodingKey::from_jwk(&public).unwrap();
        let Ok(assertion) = jsonwebtoken::decode::<Value>(given("client_assertion"), &key, &checks) else {
            return told(400, &json!({"error": "invalid_client"}));
        };
        let claims = assertion.claims;
        let lives = claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap();
        let is_new = inner.seen_assertions.insert(claims["jti"].as_str().unwrap().to_owned());
        if claims["sub"] != CLIENT || lives > 300 || !is_new {
            return told(400, &json!({"error": "invalid_client"}));
        }
        inner.given += 1;
        let token = format!("service-token-{}", inner.given);
        inner.good.insert(token.clone());
        told(
            200,
            &json!({
                "access_token": token, "token_type": "Bearer", "expires_in": inner.expires_in, "scope": given("scope"),
            }),
        )
    }

    fn memberships(&self, course: &str, path: &str, query: &[(String, String)]) -> Response {
        let number = |name: &str| {
            let found = query.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.parse::<usize>().ok())
        };
        let mut inner = self.inner();
        let (from, limit) = (number("from").unwrap_or(0), number("limit").unwrap_or(MAX_PER_PAGE));
        let limit = limit.min(MAX_PER_PAGE);
        let page = from.div_ceil(limit) + 1;
        match &mut inner.fault {
            Some(Fault::PageFails { page: which, times }) if *which == page && *times > 0 => {
                *times -= 1;
                return told(500, &json!({}));
            }
            Some(Fault::PageGone { page: which }) if *which == page => return told(404, &json!({})),
            Some(Fault::Throttled { times }) if *times > 0 => {
                *times -= 1;
                return told(429, &json!({}));
            }
            _ => {}
        }
        let Some((id, course)) =
            course.parse::<u64>().ok().and_then(|id| Some((id, inner.courses.get(&id)?)))
        else {
            return told(
                404,
                &json!({"status": 404, "reason": format!("Not Found: Course {course} doesn't exist")}),
            );
        };
        let shift = usize::from(from > 0 && inner.fault == Some(Fault::Shifted));
        let shown = course.people.iter().skip(from - shift).take(limit.saturating_add(shift));
        let mut members: Vec<Value> = shown.map(|person| member(person, inner.words)).collect();
        if inner.anonymous {
            for row in &mut members {
                let kept = ["user_id", "roles", "status"];
                row.as_object_mut().unwrap().retain(|key, _| kept.contains(&key.as_str()));
            }
        }
        let mut response = told(
            200,
            &json!({
                "id": format!("{}{path}", self.url),
                "context": {"id": id.to_string(), "label": format!("C{id}"), "title": course.title},
                "members": members,
                "padding": "x".repeat(if inner.fault == Some(Fault::Large) { 1 << 20 } else { 0 }),
            }),
        );
        let origin = match &inner.fault {
            Some(Fault::NextAt(origin)) => origin.as_str(),
            _ => &self.url,
        };
        let next = match inner.fault {
            Some(Fault::Loop) => Some(0),
            _ => Some(from.saturating_add(limit)).filter(|next| *next < course.people.len()),
        };
        if let Some(next) = next {
            let mut url = reqwest::Url::parse(&format!("{origin}{path}")).unwrap();
            let kept = query.iter().filter(|(name, _)| name != "from");
            url.query_pairs_mut().extend_pairs(kept).append_pair("from", &next.to_string());
            response.headers_mut().insert("link", format!("<{url}>; rel=\"next\"").parse().unwrap());
        }
        response
    }
}

fn member(person: &Person, words: Words) -> Value {
    let roles: &[&str] = match (person.role.as_str(), words) {
        ("student", Words::Short) => &["Learner"],
        ("student", Words::Full) => &["http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"],
        ("teacher", Words::Short) => &["Instructor"],
        ("teacher", Words::Full) => &["http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"],
        ("ta", _) => &[
            "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor",
            "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant",
        ],
        (other, _) => panic!("what is {other}?"),
    };
    let mut row = json!({
        "user_id": person.id.to_string(), "roles": roles, "given_name": person.first,
        "family_name": person.last, "name": format!("{} {}", person.first, person.last).trim(),
    });
    // Active by default.
    if !person.active {
        row["status"] = json!("Inactive");
    } else if words == Words::Full {
        row["status"] = json!("Active");
    }
    if let Some(email) = &person.email {
        row["email"] = json!(email);
    }
    if let Some(identifier) = &person.identifier {
        row["lis_person_sourcedid"] = json!(identifier);
    }
    if let Avatar::At(url) = &person.avatar {
        row["picture"] = json!(url);
    }
    row
}
