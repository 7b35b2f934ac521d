//! Test fixtures: a world with a server, an institution, a token and a name page.

pub mod browser;
pub mod correlation;
pub mod database;
pub mod fixture;
pub mod forms;
pub mod html;
pub mod import;
pub mod media;
pub mod node;
pub mod openapi;
pub mod postgres;
pub mod process;
pub mod proxy;
pub mod routes;
pub mod s3;
pub mod sheets;
pub mod snapshot;
pub mod speech;
pub mod valkey;

use std::{future::Future, ops::Range, path::Path, time::Duration};

use endonym::{
    app::{
        Actor, App, Clock, Links, Parts, calls, consents, custom_fields, institutions, invitations,
        limiter::{Policy, Sharing},
        links::secret::{self, Purpose},
        media::Removal,
        name_pages, participants, sign_in, streams, studio, tokens,
    },
    blobs::{self, Blobs, Delivery, Key, Shelf},
    domain::{
        consent,
        ids::InstitutionId,
        institution::Institution,
        language::Language,
        media::{Kind, Media, Origin, Waveform},
        name_page::NamePage,
        report,
        security_txt::SecurityTxt,
        session::PersonId,
    },
    http::service::Draining,
    jobs,
    mail::Mailer,
    outbound::{self, Outbound},
    phone::Phone,
    server::{self, Limits},
    site,
    store::{self, Db, secrets::Secrets},
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use database::TestDatabase;
use fixture::Fixture;
use proxy::Proxy;

pub struct World {
    pub app: App,
    pub base: String,
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
    pub client: reqwest::Client,
    stop: CancellationToken,
    pub database: TestDatabase,
    /// In front of the server, with `Setup::proxied`.
    pub proxy: Option<Proxy>,
    /// The directory of blobs stored on disk.
    pub folder: tempfile::TempDir,
}

/// Settings that a test can override.
pub struct Setup {
    /// SQLite, whatever database the other tests use: for tests of what does not depend on it, which `./test` then runs
    /// once.
    pub sqlite: bool,
    pub rate_limit: Policy,
    /// As in production, if there is none: in PostgreSQL, or in memory.
    pub sharing: Option<Sharing>,
    pub auth_failures: u32,
    pub streams: streams::Settings,
    pub disk_reserve: Option<u64>,
    pub limits: Limits,
    pub time_zone: &'static str,
    pub multiple_recordings: bool,
    pub studio: studio::Settings,
    pub blobs_url: Option<String>,
    pub delivery: Delivery,
    pub blobs_timeout: Duration,
    pub export_life: Duration,
    pub exports_waiting: u32,
    pub export_part_bytes: u64,
    pub calling: calls::Rules,
    pub phone: Phone,
    pub sign_in: sign_in::Settings,
    pub invitations: invitations::Settings,
    /// The public URL, if it is not that of the server.
    pub base_url: Option<&'static str>,
    pub security_txt: Option<SecurityTxt>,
    pub mail: Mailer,
    /// Networks in which learning systems may be.
    pub outbound: &'static str,
    pub outbound_limits: outbound::Limits,
    /// Clients reach the server through a `Proxy`, which can cut their connections.
    pub proxied: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            sqlite: false,
            rate_limit: Policy {
                ceiling: 1_000_000,
                window: Duration::from_secs(900),
                throttle: Duration::from_secs(1),
            },
            sharing: None,
            auth_failures: 1_000_000,
            streams: streams::Settings::default(),
            disk_reserve: None,
            limits: Limits::default(),
            time_zone: "America/New_York",
            multiple_recordings: false,
            studio: studio::Settings::default(),
            blobs_url: None,
            delivery: Delivery::Stream,
            blobs_timeout: Duration::from_secs(10),
            export_life: Duration::from_secs(7 * 24 * 3_600),
            exports_waiting: 20,
            export_part_bytes: report::PART_BYTES,
            calling: calls::Rules::nobody(),
            phone: Phone::default(),
            sign_in: sign_in::Settings::default(),
            invitations: invitations::Settings::default(),
            base_url: None,
            security_txt: None,
            mail: Mailer::default(),
            outbound: "127.0.0.0/8",
            outbound_limits: outbound::Limits::default(),
            proxied: false,
        }
    }
}

impl Setup {
    /// The parts of an app with these settings, which is reached at `base` and keeps its files in `folder`.
    pub fn parts(self, db: Db, base: &str, folder: &Path, clock: Clock) -> Parts {
        let blobs = blobs::Options {
            url: self.blobs_url,
            data_dir: folder.to_owned(),
            delivery: self.delivery,
            timeout: self.blobs_timeout,
            clock: clock.clone(),
        };
        let allowed = outbound::Allowed::parse(self.outbound).unwrap();
        Parts {
            blobs: Blobs::open(&blobs).unwrap(),
            removal: Removal::Afterwards,
            clock,
            studio: self.studio,
            links: Links::new(self.base_url.unwrap_or(base)),
            limits: self.rate_limit,
            sharing: self.sharing.unwrap_or_else(|| Sharing::in_database(&db)),
            db,
            auth_failures: self.auth_failures,
            streams: self.streams,
            disk_reserve: self.disk_reserve,
            export_life: self.export_life,
            exports_waiting: self.exports_waiting,
            export_part_bytes: self.export_part_bytes,
            calling: self.calling,
            // The callback URL is known only now.
            phone: Phone { callback_base: base.to_owned(), ..self.phone },
            sign_in: self.sign_in,
            invitations: self.invitations,
            mail: self.mail,
            secrets: Secrets::new(None, folder),
            security_txt: self.security_txt,
            outbound: Outbound::with_limits(allowed, self.outbound_limits).unwrap(),
        }
    }
}

impl World {
    pub async fn new() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn on_sqlite() -> Self {
        Self::with(Setup { sqlite: true, ..Setup::default() }).await
    }

    pub async fn with(setup: Setup) -> Self {
        let (database, Fixture { institution, page, token }) = fixture::copy(&setup).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let proxy = if setup.proxied { Some(Proxy::start(address).await) } else { None };
        let base = proxy.as_ref().map_or_else(|| format!("http://{address}"), |proxy| proxy.base.clone());
        let (folder, clock) = (tempfile::tempdir().unwrap(), Clock::adjustable());
        let limits = setup.limits.clone();
        let app = App::new(setup.parts(database.db.clone(), &base, folder.path(), clock));
        let stop = CancellationToken::new();
        let site = site::site(app.clone(), Draining::default());
        tokio::spawn(server::run(listener, site, limits, stop.clone()));
        // Plain http needs no root certificates, and loading them is slow.
        let client = reqwest::Client::builder().no_proxy().tls_certs_only([]).build().unwrap();
        Self { app, base, institution, page, token, client, stop, database, proxy, folder }
    }

    /// Another tenant of the same installation, with its own token and page.
    pub async fn neighbor(&self) -> Neighbor {
        self.neighbor_named("Another College").await
    }

    pub async fn neighbor_named(&self, name: &str) -> Neighbor {
        let institution = institutions::create(
            &self.app,
            &Actor::Operator,
            institutions::New {
                name: name.into(),
                slug: None,
                time_zone: "UTC".into(),
                multiple_recordings: false,
                phone_language: String::new(),
            },
        )
        .await
        .unwrap();
        let (_, token) =
            tokens::create(&self.app, &Actor::Operator, institution.id, "tests".into(), None).await.unwrap();
        let page = new_page(&self.app, &institution, "Their page").await;
        Neighbor { institution, page, token }
    }

    pub async fn page(&self, title: &str) -> NamePage {
        new_page(&self.app, &self.institution, title).await
    }

    pub async fn custom_field(&self, name: &str) {
        self.new_custom_field(custom_fields::New { name: name.into(), ..Default::default() }).await;
    }

    /// A custom field that people may change in their own entries.
    pub async fn editable_field(&self, name: &str, label: &str) {
        let new = custom_fields::New {
            name: name.into(),
            label: Some(label.into()),
            editable: true,
            ..Default::default()
        };
        self.new_custom_field(new).await;
    }

    pub async fn new_custom_field(&self, new: custom_fields::New) {
        custom_fields::create(&self.app, &Actor::Operator, self.institution.id, new).await.unwrap();
    }

    /// Starts workers that run background jobs.
    pub fn work(&self, workers: usize) {
        let settings = jobs::Settings {
            workers,
            lease: Duration::from_secs(5),
            grace: Duration::ZERO,
            sweep_every: Duration::ZERO,
            orphans_older_than: Duration::from_secs(3_600),
            report_format: endonym::site::report_format,
        };
        tokio::spawn(jobs::run(self.app.clone(), settings, self.stop.clone()));
    }

    /// Advances the clock of the server and its workers.
    pub fn advance(&self, time: Duration) {
        self.app.clock.advance(time);
    }

    /// A request with this world's token. `path` is relative to `/api/private`.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.request_as(&self.token, method, path)
    }

    pub fn request_as(&self, token: &str, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.request_without_token(method, path).header("Authorization", token)
    }

    pub fn request_without_token(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("{}/api/private{path}", self.base))
    }

    /// Sends a request verbatim, for input that HTTP libraries would encode or reject. `start` is the method and the path
    /// relative to `/api/private`; `lines` are additional header lines.
    pub async fn raw(&self, start: &str, lines: &[&str]) -> Answer {
        let (method, path) = start.split_once(' ').unwrap();
        let head = format!(
            "{method} /api/private{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {}\r\n{}\r\n",
            self.token,
            lines.iter().map(|line| format!("{line}\r\n")).collect::<String>()
        );
        let address = self.base.trim_start_matches("http://");
        let (mut reader, mut writer) = tokio::net::TcpStream::connect(address).await.unwrap().into_split();
        let writing = tokio::spawn(async move {
            writer.write_all(head.as_bytes()).await.unwrap();
            writer
        });
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).await.expect("an answer and no reset");
        let _open_until_now = writing.await.expect("everything could be sent");
        Answer::read(&String::from_utf8(bytes).unwrap())
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

    /// Registers a person on this world's page.
    pub async fn person(&self, first_name: &str, email: &str) -> Value {
        self.person_on(&self.page, json!({ "first_name": first_name, "email": email })).await
    }

    pub async fn person_on(&self, page: &NamePage, participant: Value) -> Value {
        let body = json!({ "name_page_id": page.slug, "participant": participant });
        let answer = self.post("/v5/participants", body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
        answer.body["participant"].clone()
    }

    /// Sets a person's recording in the database, without audio. `when` is in microseconds since 1970.
    pub async fn record(&self, page: &NamePage, email: &str, hex: &str, when: i64) {
        self.set(page, email, "recording = $1, recorded_at = $2", vec![hex.to_owned().into(), when.into()])
            .await;
    }

    /// Like `record`, for the legal name.
    pub async fn record_legal(&self, page: &NamePage, email: &str, hex: &str, when: i64) {
        let values = vec![hex.to_owned().into(), when.into()];
        self.set(page, email, "legal_recording = $1, legal_recorded_at = $2", values).await;
    }

    /// Stores playable audio or a picture for a person, including file, row and link. Returns its hex id.
    pub async fn give(&self, person: &Value, kind: Kind, bytes: &'static [u8]) -> String {
        let token = Self::registration_token(person);
        let owner = participants::by_token(&self.app, self.institution.id, &token).await.unwrap();
        let hex = self.app.ids.hex();
        let shelves = match kind {
            Kind::Photo => vec![Shelf::Photos, Shelf::Thumbnails],
            Kind::Recording | Kind::LegalRecording | Kind::Held | Kind::Removed => vec![Shelf::Recordings],
        };
        for shelf in shelves {
            let key = Key { shelf, institution: self.institution.id, hex: hex.clone() };
            self.app.blobs.put(&key, bytes.into()).await.unwrap();
        }
        let peaks = (0..64_u32).map(|n| u8::try_from(20 + n * 37 % 230).unwrap()).collect();
        let new = Media {
            hex: hex.clone(),
            kind,
            bytes: bytes.len() as u64,
            waveform: kind.is_sound().then_some(Waveform { duration_ms: 6_000, peaks }),
            original: false,
            origin: Origin::Given,
            created_at: self.app.clock.now(),
        };
        let institution = self.institution.id;
        let given = self.app.db.write::<_, endonym::store::Error>(move |sql| {
            Box::pin(
                async move { store::media::attach(sql, institution, owner.id, &new, new.created_at).await },
            )
        });
        given.await.unwrap();
        hex
    }

    /// A person agrees to the built-in text about recordings, as everybody must who records in a browser.
    pub async fn agree(&self, institution: InstitutionId, email: &str) {
        let person = PersonId { institution, email_key: email.to_owned() };
        let (version, language) = (consent::BUILT_IN, Language::English);
        let agreed = consents::agree(&self.app, &Actor::Operator, &person, version, language).await;
        assert!(agreed.unwrap());
    }

    /// Lets search engines index a person's badge.
    pub async fn list_badge(&self, email: &str) {
        self.set(&self.page, email, "badge_listed = TRUE", Vec::new()).await;
    }

    /// Sets the time of a record's last change. `when` is in microseconds since 1970.
    pub async fn changed_at(&self, email: &str, when: i64) {
        self.set(&self.page, email, "updated_at = $1", vec![when.into()]).await;
    }

    /// Removes a person's email: people from a learning system may have none.
    pub async fn without_email(&self, email: &str) {
        self.set(&self.page, email, "email = NULL, email_key = NULL", Vec::new()).await;
    }

    async fn set(
        &self,
        page: &NamePage,
        email: &str,
        change: &str,
        mut values: Vec<endonym::store::Value<'static>>,
    ) {
        let n = values.len();
        let text = format!(
            "UPDATE participants SET {change} WHERE institution_id = ${} AND name_page_id = ${} AND email_key = ${}",
            n + 1,
            n + 2,
            n + 3
        );
        values.extend([self.institution.id.into(), page.id.into(), email.to_lowercase().into()]);
        let changed = self
            .app
            .db
            .write::<_, endonym::store::Error>(move |sql| {
                Box::pin(async move { sql.execute(&text, &values).await })
            })
            .await;
        assert_eq!(changed.unwrap(), 1);
    }

    /// Registers many people at once: `P0` with the email `p0@x.org` and the identifier `I0`, and so on.
    pub async fn crowd(&self, page: &NamePage, numbers: Range<usize>) {
        self.crowd_with_notes(page, numbers, "").await;
    }

    pub async fn crowd_with_notes(&self, page: &NamePage, numbers: Range<usize>, notes: &str) {
        let now = self.app.clock.now();
        database::crowd(&self.app.db, self.institution.id, page.id, numbers, notes, now).await;
    }

    /// Replaces what differs between runs with placeholders: `{base}`, `{institution}` and, for the token of each registration,
    /// `{token}`.
    pub fn shown(&self, body: &Value) -> Value {
        let start = format!("{}/badges/{}/", self.base, self.institution.id);
        let mut text = body.to_string();
        let tokens: Vec<String> =
            text.match_indices(&start).map(|(at, _)| text[at + start.len()..][..32].to_owned()).collect();
        for token in tokens {
            text = text.replace(&token, "{token}");
        }
        let text = text
            .replace(&self.base, "{base}")
            .replace(&format!("/{}/", self.institution.id), "/{institution}/");
        serde_json::from_str(&text).unwrap()
    }

    /// What the forms of a listening page call somebody.
    pub async fn listed_id(&self, page: &NamePage, participant: &Value) -> String {
        let (institution, token) = (self.institution.id, Self::registration_token(participant));
        let id = participants::by_token(&self.app, institution, &token).await.unwrap().id;
        let secret = secret::find(&self.app, institution).await.unwrap();
        secret.name(Purpose::Listening(page.id), id)
    }

    /// The token of a registration, from the name badge's URL.
    pub fn registration_token(participant: &Value) -> String {
        participant["name_badge_link"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

pub struct Neighbor {
    pub institution: Institution,
    pub page: NamePage,
    pub token: String,
}

async fn new_page(app: &App, institution: &Institution, title: &str) -> NamePage {
    let new = name_pages::New { title: title.into(), slug: None, access_code: None, allow_v2: false };
    name_pages::create(app, &Actor::Operator, institution.id, new).await.unwrap()
}

/// A complete response. Every response under `/api/` is validated against the OpenAPI documents.
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

    /// Parses a raw HTTP response.
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap();
        let pair = |line: &str| {
            let (name, value) = line.split_once(':').unwrap();
            let name: reqwest::header::HeaderName = name.parse().unwrap();
            (name, value.trim().parse().unwrap())
        };
        let headers: reqwest::header::HeaderMap = lines.map(pair).collect();
        assert_eq!(headers["content-type"], "application/json; charset=utf-8");
        let body = if headers.contains_key("transfer-encoding") { joined(body) } else { body.to_owned() };
        let body = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{text}"));
        Self { status: status.parse().unwrap(), headers, body }
    }

    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Decodes a chunked body.
fn joined(mut pieces: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = pieces.split_once("\r\n") {
        let (piece, rest) = rest.split_at(usize::from_str_radix(length, 16).unwrap());
        whole.push_str(piece);
        pieces = rest.trim_start_matches("\r\n");
    }
    whole
}

/// Polls until the condition holds. A condition that costs much, such as a command, is checked less often.
pub async fn until<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    let asking = async {
        let mut asked = Instant::now();
        while !is_so().await {
            tokio::time::sleep(
                (asked.elapsed() * 3).clamp(Duration::from_millis(20), Duration::from_millis(500)),
            )
            .await;
            asked = Instant::now();
        }
    };
    tokio::time::timeout(Duration::from_secs(60), asking).await.unwrap_or_else(|_| panic!("never: {what}"));
}

/// The sorted keys of an object.
pub fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The emails of a list of participants.
pub fn emails(participants: &Value) -> Vec<&str> {
    participants.as_array().unwrap().iter().map(|one| one["email"].as_str().unwrap()).collect()
}
