//! Inside a learning system: launches, rejections, and the resulting pages.

mod browser;
mod forgery;
mod handover;
pub mod institutions;
mod keys;
mod languages;
mod launches;
pub mod library;
mod one_course;
mod own;
mod pages;
mod recording;
mod registration;
mod security;
mod staff;

use std::sync::LazyLock;

use axum::{Router, routing::get};
use endonym::{
    app::{Actor, tool_consumers},
    domain::{
        consent::BUILT_IN,
        institution::origin_of,
        tool_consumer::{LmsKind, Registration, ToolConsumer},
    },
    jwt::keys::SigningKey,
};
use reqwest::{Response, header};
use serde_json::{Value, json};

use crate::support::{Setup, World};

/// A fake platform that publishes its keys and signs whatever a test needs.
struct Platform {
    world: World,
    consumer: ToolConsumer,
    key: SigningKey,
    /// The URL of its keys, which is also its issuer.
    address: String,
    client: reqwest::Client,
}

/// Generating a key takes a while.
static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::make("platform-1".into()).unwrap());

const CLAIM: &str = "https://purl.imsglobal.org/spec/lti/claim/";
const INSTRUCTOR: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor";
const LEARNER: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner";

/// The state of a browser after a login.
struct Login {
    cookie: String,
    state: String,
    nonce: String,
}

impl Platform {
    async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    async fn with(setup: Setup) -> Self {
        let world = World::with(setup).await;
        let key = KEY.clone();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let keys = json!({ "keys": [key.public().unwrap()] }).to_string();
        let router = Router::new().route("/jwks", get(async || keys));
        tokio::spawn(async { axum::serve(listener, router).await });
        let consumer = register(&world, &address, &address, "tool-1").await;
        let client = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .unwrap();
        Self { world, consumer, key, address, client }
    }

    /// The path of the institution that platforms use.
    fn at(&self, name: &str) -> String {
        format!("/lti/{}/{name}", self.world.institution.slug)
    }

    fn url(&self, name: &str) -> String {
        format!("{}{}", self.world.base, self.at(name))
    }

    fn login_query(&self) -> Vec<(&'static str, String)> {
        vec![
            ("iss", self.address.clone()),
            ("client_id", "tool-1".into()),
            ("login_hint", "u7".into()),
            ("target_link_uri", self.url("launch")),
            ("lti_message_hint", "{\"a\":\"b&c\"}".into()),
        ]
    }

    async fn get(&self, path: &str, cookie: Option<&str>) -> Response {
        let request = self.client.get(format!("{}{path}", self.world.base));
        let request =
            cookie.into_iter().fold(request, |request, cookie| request.header(header::COOKIE, cookie));
        request.send().await.unwrap()
    }

    async fn login(&self) -> Login {
        let answer = self.login_answer(&self.login_query(), None).await;
        assert_eq!(answer.status(), 302);
        Login::of(&answer)
    }

    async fn login_answer(&self, query: &[(&str, String)], cookie: Option<&str>) -> Response {
        let url = reqwest::Url::parse_with_params(&self.url("login"), query).unwrap();
        let request = self.client.get(url);
        let request =
            cookie.into_iter().fold(request, |request, cookie| request.header(header::COOKIE, cookie));
        request.send().await.unwrap()
    }

    /// The claims of a valid launch.
    fn claims(&self, login: &Login, roles: &[&str]) -> Value {
        let now = self.world.app.clock.now().micros() / 1_000_000;
        // Staff and students have different user ids.
        let (sub, first, last, email, identifier) = if roles.contains(&INSTRUCTOR) {
            ("t1", "Rosa", "Klein", "rosa@example.edu", "T1")
        } else {
            ("u7", "Siobhán", "Ní Bhriain", "siobhan@example.edu", "S7")
        };
        json!({
            "iss": self.address, "aud": "tool-1", "sub": sub, "nonce": login.nonce, "iat": now, "exp": now + 60,
            "given_name": first, "family_name": last, "name": format!("{first} {last}"), "email": email,
            claim("version"): "1.3.0",
            claim("message_type"): "LtiResourceLinkRequest",
            claim("deployment_id"): "d1",
            claim("target_link_uri"): self.url("launch"),
            claim("roles"): roles,
            claim("resource_link"): { "id": "r1" },
            claim("context"): { "id": "c1", "title": "Irish Literature" },
            claim("lis"): { "person_sourcedid": identifier },
            claim("tool_platform"): { "product_family_code": "Sakai" },
        })
    }

    async fn launch(&self, login: &Login, token: &str) -> Response {
        let form = [("id_token", token), ("state", &login.state)];
        self.send_launch(&form, Some(&login.cookie)).await
    }

    async fn send_launch(&self, form: &[(&str, &str)], cookie: Option<&str>) -> Response {
        self.post(&self.at("launch"), form, cookie).await
    }

    async fn post(&self, path: &str, form: &[(&str, &str)], cookie: Option<&str>) -> Response {
        let body = reqwest::Url::parse_with_params("http://x/", form).unwrap();
        let request = self
            .client
            .post(format!("{}{path}", self.world.base))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body.query().unwrap_or_default().to_owned());
        let request =
            cookie.into_iter().fold(request, |request, cookie| request.header(header::COOKIE, cookie));
        request.send().await.unwrap()
    }

    /// Submits a form of a session, with the CSRF token of its page.
    async fn submit(&self, session: &str, action: &str, form: &[(&str, &str)], cookie: &str) -> Response {
        let token = self.csrf(session, cookie).await;
        let form = [form, &[("csrf", &token)]].concat();
        self.post(&format!("{session}{action}"), &form, Some(cookie)).await
    }

    /// The CSRF token in the forms of a session's page; empty if it has none.
    async fn csrf(&self, session: &str, cookie: &str) -> String {
        csrf_in(&self.get(session, Some(cookie)).await.text().await.unwrap())
    }

    /// A complete launch; returns the path of the session, and its cookie.
    async fn session(&self, change: impl FnOnce(&mut Value), roles: &[&str]) -> (String, String) {
        self.session_in(None, change, roles).await
    }

    /// The same in a browser that already has cookies. Students agree to the text about recordings.
    async fn session_in(
        &self,
        cookie: Option<&str>,
        change: impl FnOnce(&mut Value),
        roles: &[&str],
    ) -> (String, String) {
        let (session, cookie) = self.first_session_in(cookie, change, roles).await;
        if roles.contains(&LEARNER) && self.text_of(&session, &cookie).await.contains("action=\"consent\"") {
            self.agree(&session, &cookie).await;
        }
        (session, cookie)
    }

    /// Agrees to the text about recordings.
    async fn agree(&self, session: &str, cookie: &str) {
        let mut token = self.csrf(session, cookie).await;
        if token.is_empty() {
            // The own entry of staff is on another page.
            token = self.csrf(&format!("{session}me"), cookie).await;
        }
        let form = [("version", BUILT_IN), ("language", "en"), ("csrf", &token)];
        let answer = self.post(&format!("{session}consent"), &form, Some(cookie)).await;
        assert_eq!(answer.status(), 303);
    }

    /// A complete launch, and nothing else.
    async fn first_session_in(
        &self,
        cookie: Option<&str>,
        change: impl FnOnce(&mut Value),
        roles: &[&str],
    ) -> (String, String) {
        let login = Login::of(&self.login_answer(&self.login_query(), cookie).await);
        let mut claims = self.claims(&login, roles);
        change(&mut claims);
        let answer = self.launch(&login, &self.key.sign(&claims).unwrap()).await;
        let status = answer.status();
        let place = answer.headers().get(header::LOCATION).map(|place| place.to_str().unwrap().to_owned());
        assert_eq!(status, 303, "{}", answer.text().await.unwrap());
        (place.unwrap(), login.cookie)
    }
}

impl Platform {
    /// A launch by another registration with the same keys; returns its target and the cookie.
    async fn launch_by(
        &self,
        (issuer, client_id): (&str, &str),
        change: impl FnOnce(&mut Value),
        roles: &[&str],
    ) -> (Response, String) {
        let mut query = self.login_query();
        query[0].1 = issuer.to_owned();
        query[1].1 = client_id.to_owned();
        let login = Login::of(&self.login_answer(&query, None).await);
        let mut claims = self.claims(&login, roles);
        claims["iss"] = json!(issuer);
        claims["aud"] = json!(client_id);
        change(&mut claims);
        (self.launch(&login, &self.key.sign(&claims).unwrap()).await, login.cookie)
    }

    async fn session_by(
        &self,
        registration: (&str, &str),
        change: impl FnOnce(&mut Value),
        roles: &[&str],
    ) -> (String, String) {
        let (answer, cookie) = self.launch_by(registration, change, roles).await;
        let place = answer.headers().get(header::LOCATION).map(|place| place.to_str().unwrap().to_owned());
        assert_eq!(answer.status(), 303, "{}", answer.text().await.unwrap());
        (place.unwrap(), cookie)
    }

    async fn text_of(&self, path: &str, cookie: &str) -> String {
        let answer = self.get(path, Some(cookie)).await;
        assert_eq!(answer.status(), 200, "{path}");
        answer.text().await.unwrap()
    }
}

impl Login {
    fn of(answer: &Response) -> Self {
        let place = answer.headers()[header::LOCATION].to_str().unwrap();
        let place = reqwest::Url::parse(place).unwrap();
        let query = |name: &str| {
            place.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap()
        };
        let cookie = answer.headers()[header::SET_COOKIE].to_str().unwrap();
        Self {
            cookie: cookie.split(';').next().unwrap().to_owned(),
            state: query("state"),
            nonce: query("nonce"),
        }
    }
}

fn claim(name: &str) -> String {
    format!("{CLAIM}{name}")
}

/// Registers a platform whose keys are at `keys`, and whose issuer frames our pages.
async fn register(world: &World, issuer: &str, keys: &str, client_id: &str) -> ToolConsumer {
    let lti = Registration {
        client_id: client_id.into(),
        deployments: vec!["d1".into()],
        auth_url: format!("{keys}/auth?tenant=1"),
        token_url: format!("{keys}/token"),
        token_audience: None,
        jwks_url: format!("{keys}/jwks"),
        frame_ancestors: vec![origin_of(issuer).unwrap()],
    };
    let new = tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Lti,
        url: issuer.into(),
        product: None,
        roles: vec![endonym::domain::roster::Role::Student],
        access_token: None,
        lti: Some(lti),
    };
    tool_consumers::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap().0
}

/// The CSRF token in the forms of a page; empty if it has none.
fn csrf_in(page: &str) -> String {
    let rest = page.split("name=\"csrf\" value=\"").nth(1).unwrap_or_default();
    rest.split('"').next().unwrap_or_default().to_owned()
}

fn policy(answer: &Response) -> String {
    answer.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned()
}
