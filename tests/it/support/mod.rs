//! What tests stand on: a world with a server, an institution, a token and a name page.

pub mod database;
pub mod openapi;

use std::time::Duration;

use endonym::{
    api::face::BodyLimits,
    app::{self, App, Links, institutions, limiter::Policy, name_pages, tokens},
    domain::{institution::Institution, name_page::NamePage},
    server::{self, Draining, Limits},
    web,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use database::TestDatabase;

pub struct World {
    pub app: App,
    pub base: String,
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
    pub client: reqwest::Client,
    stop: CancellationToken,
    _database: TestDatabase,
}

/// What a test may want to be different.
pub struct Setup {
    pub rate_limit: Policy,
    pub limits: Limits,
    pub time_zone: &'static str,
    pub multiple_recordings: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            rate_limit: Policy {
                ceiling: 1_000_000,
                window: Duration::from_secs(900),
                throttle: Duration::from_secs(1),
            },
            limits: Limits {
                body: BodyLimits::default(),
                head_time: Duration::from_secs(30),
                write_time: Duration::from_secs(30),
                connections: 1_000,
                grace: Duration::from_secs(5),
            },
            time_zone: "America/New_York",
            multiple_recordings: false,
        }
    }
}

impl World {
    pub async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        let database = TestDatabase::new().await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let app = App::new(database.db.clone(), Links::new(&base), setup.rate_limit);
        let institution = institutions::create(
            &app,
            institutions::New {
                name: "Example University".into(),
                slug: Some("example".into()),
                time_zone: setup.time_zone.into(),
                multiple_recordings: setup.multiple_recordings,
            },
        )
        .await
        .unwrap();
        let (_, token) = tokens::create(&app, institution.id, "tests".into(), None).await.unwrap();
        let page = new_page(&app, &institution, "Class of 2027").await;
        let stop = CancellationToken::new();
        let router = web::router(app.clone(), Draining::default());
        tokio::spawn(server::run(listener, router, setup.limits, stop.clone()));
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { app, base, institution, page, token, client, stop, _database: database }
    }

    /// Another institution of the same installation, with a token and a page of its own.
    pub async fn neighbour(&self) -> Neighbour {
        let institution = institutions::create(
            &self.app,
            institutions::New {
                name: "Another College".into(),
                slug: None,
                time_zone: "UTC".into(),
                multiple_recordings: false,
            },
        )
        .await
        .unwrap();
        let (_, token) = tokens::create(&self.app, institution.id, "tests".into(), None).await.unwrap();
        let page = new_page(&self.app, &institution, "Their page").await;
        Neighbour { institution, page, token }
    }

    pub async fn page(&self, title: &str) -> NamePage {
        new_page(&self.app, &self.institution, title).await
    }

    pub async fn custom_field(&self, name: &str) {
        app::custom_fields::create(&self.app, self.institution.id, name.into(), None).await.unwrap();
    }

    /// A request with this world's token. `path` starts behind `/api/private`.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let address = format!("{}/api/private{path}", self.base);
        self.client.request(method, address).header("Authorization", &self.token)
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str, body: Value) -> Answer {
        Answer::of(self.request(Method::DELETE, path).json(&body)).await
    }

    /// Registers somebody on this world's page.
    pub async fn person(&self, first_name: &str, email: &str) -> Value {
        self.person_on(&self.page, json!({ "first_name": first_name, "email": email })).await
    }

    pub async fn person_on(&self, page: &NamePage, participant: Value) -> Value {
        let body = json!({ "name_page_id": page.slug, "participant": participant });
        let answer = self.post("/v5/participants", body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
        answer.body["participant"].clone()
    }

    /// Gives somebody a recording, as the sound pipeline will. `when` is in microseconds since 1970.
    pub async fn record(&self, page: &NamePage, email: &str, hex: &str, when: i64) {
        let (institution, page) = (self.institution.id, page.id);
        let (email, hex) = (email.to_lowercase(), hex.to_owned());
        let text = "UPDATE participants SET recording = $1, recorded_at = $2 \
                    WHERE institution_id = $3 AND name_page_id = $4 AND email_key = $5";
        let changed = self
            .app
            .db
            .write::<_, endonym::store::Error>(move |sql| {
                Box::pin(async move {
                    let params = [hex.into(), when.into(), institution.into(), page.into(), email.into()];
                    sql.execute(text, &params).await
                })
            })
            .await;
        assert_eq!(changed.unwrap(), 1);
    }

    /// The token of a registration, as the name badge's address has it.
    pub fn registration_token(participant: &Value) -> String {
        participant["name_badge_link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub struct Neighbour {
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
}

async fn new_page(app: &App, institution: &Institution, title: &str) -> NamePage {
    let new = name_pages::New { title: title.into(), slug: None, access_code: None, allow_v2: false };
    name_pages::create(app, institution.id, new).await.unwrap()
}

/// An answer, read whole. Every one under `/api/` is held against the OpenAPI documents.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub body: Value,
}

impl Answer {
    pub async fn of(request: reqwest::RequestBuilder) -> Self {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, url) = (request.method().clone(), request.url().clone());
        let response = client.execute(request).await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).unwrap_or(Value::String(text))
        };
        if url.path().starts_with("/api/") {
            assert_eq!(headers["content-type"], "application/json; charset=utf-8", "{method} {url}");
            openapi::check(&method, url.path(), status.as_u16(), &body);
        }
        assert!(headers.contains_key("x-request-id"));
        Self { status, headers, body }
    }

    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// The emails of a list of participants.
pub fn emails(participants: &Value) -> Vec<&str> {
    participants.as_array().unwrap().iter().map(|one| one["email"].as_str().unwrap()).collect()
}
