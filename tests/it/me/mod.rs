//! Pages for people: signing in and out, and their own page.

mod changes;
mod consent;
mod data;
mod details;
mod language;
mod legal_name;
pub mod own;
mod photo;
mod recorder;
mod search;
mod security;
mod sign_in;
pub mod sso;

use std::{collections::BTreeMap, sync::Mutex};

use endonym::{
    app::{
        Error, sessions,
        sign_in::{self as app_sign_in, SignInMail},
    },
    domain::{ids::SignInRequestId, session::Session},
};
use reqwest::{Method, StatusCode, header, redirect};

use crate::support::World;

/// A browser: it keeps cookies, follows no redirects by itself, and reads the CSRF token of the last page with a form.
pub struct Browser<'a> {
    /// The address of the server.
    base: &'a str,
    /// `None` where the server is a process of its own.
    world: Option<&'a World>,
    client: reqwest::Client,
    cookies: Mutex<BTreeMap<String, String>>,
    csrf: Mutex<String>,
    /// Headers of every request.
    pub headers: Vec<(&'static str, String)>,
}

/// What a browser received.
#[derive(Debug)]
pub struct Seen {
    pub status: StatusCode,
    pub headers: header::HeaderMap,
    pub body: String,
}

impl Seen {
    pub fn location(&self) -> &str {
        self.headers.get(header::LOCATION).map_or("", |value| value.to_str().unwrap())
    }

    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    pub fn redirects_to(self, path: &str) -> Self {
        assert_eq!((self.status, self.location()), (StatusCode::SEE_OTHER, path), "{}", self.body);
        self
    }
}

impl<'a> Browser<'a> {
    pub fn new(world: &'a World) -> Self {
        Self { world: Some(world), ..Self::at(&world.base) }
    }

    /// For the server at this address.
    pub fn at(base: &'a str) -> Self {
        let builder = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let client = builder.redirect(redirect::Policy::none()).build().unwrap();
        let (cookies, csrf) = (Mutex::default(), Mutex::default());
        Self { base, world: None, client, cookies, csrf, headers: Vec::new() }
    }

    fn world(&self) -> &'a World {
        self.world.expect("a browser that was made for a world")
    }

    /// The address of the server.
    pub fn base(&self) -> &str {
        self.base
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        self.cookies.lock().unwrap().get(name).cloned()
    }

    pub fn set_cookie(&self, name: &str, value: &str) {
        self.cookies.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }

    pub fn csrf(&self) -> String {
        self.csrf.lock().unwrap().clone()
    }

    /// The status, the headers and the bytes of a file.
    pub async fn file(&self, path: &str, headers: &[(&str, &str)]) -> (u16, header::HeaderMap, Vec<u8>) {
        let mut request = self.client.get(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.with_cookies(request).send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        (status, headers, response.bytes().await.unwrap().to_vec())
    }

    fn with_cookies(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        let cookies: Vec<String> =
            self.cookies.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header(header::COOKIE, cookies.join("; ")) }
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Seen {
        let mut request = self.with_cookies(request);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.text().await.unwrap();
        for line in headers.get_all(header::SET_COOKIE) {
            let line = line.to_str().unwrap();
            let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
            let mut cookies = self.cookies.lock().unwrap();
            if line.contains("Max-Age=0") {
                cookies.remove(name);
            } else {
                cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        if let Some((_, rest)) = body.split_once("name=\"csrf\" value=\"") {
            *self.csrf.lock().unwrap() = rest.split('"').next().unwrap().to_owned();
        }
        Seen { status, headers, body }
    }

    pub async fn ask_for(&self, method: Method, path: &str) -> Seen {
        self.send(self.client.request(method, format!("{}{path}", self.base))).await
    }

    pub async fn get(&self, path: &str) -> Seen {
        self.ask_for(Method::GET, path).await
    }

    /// A response whose body may take long, or never end.
    pub async fn stream(&self, path: &str) -> reqwest::Response {
        let mut request = self.with_cookies(self.client.get(format!("{}{path}", self.base)));
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request.send().await.unwrap()
    }

    /// Sends exactly these fields.
    pub async fn post_bare(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Seen {
        let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let mut request = self
            .client
            .post(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }

    /// Sends this body, whatever it is, from our own site.
    pub async fn post_body(&self, path: &str, kind: Option<&str>, body: Vec<u8>) -> Seen {
        let request = self.client.post(format!("{}{path}", self.base));
        let request = request.header("origin", self.base).header("sec-fetch-site", "same-origin");
        let request = match kind {
            Some(kind) => request.header(header::CONTENT_TYPE, kind),
            None => request,
        };
        self.send(request.body(body)).await
    }

    /// Sends a form of the last page, as a browser does.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let csrf = self.csrf();
        let fields = [&[("csrf", csrf.as_str())], fields].concat();
        let headers = [("origin", self.base), ("sec-fetch-site", "same-origin")];
        self.post_bare(path, &fields, &headers).await
    }

    /// Sends a form with a file, with exactly these fields and headers.
    pub async fn post_file(
        &self,
        path: &str,
        (name, file): (&str, &[u8]),
        fields: &[(&str, &str)],
        headers: &[(&str, &str)],
    ) -> Seen {
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!("--b1\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        let head = format!(
            "--b1\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"name.webm\"\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(b"\r\n--b1--\r\n");
        let mut request = self
            .client
            .post(format!("{}{path}", self.base))
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=b1")
            .body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.send(request).await
    }

    /// Asks for a sign-in mail.
    pub async fn ask(&self, query: &str, email: &str) -> Seen {
        self.get(&format!("/sign-in{query}")).await.expect(200);
        let pairs: Vec<(String, String)> =
            form_urlencoded::parse(query.trim_start_matches('?').as_bytes()).into_owned().collect();
        let mut fields: Vec<(&str, &str)> =
            pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        fields.push(("email", email));
        self.post("/sign-in", &fields).await
    }

    /// Asks for a sign-in mail and reads it.
    pub async fn mailed(&self, query: &str, email: &str) -> Mailed {
        self.ask(query, email).await.redirects_to("/sign-in/code");
        newest_mail(self.world()).await.expect("a message")
    }

    pub async fn enter_code(&self, code: &str) -> Seen {
        self.get("/sign-in/code").await.expect(200);
        self.post("/sign-in/code", &[("code", code)]).await
    }

    /// Opens a link and presses the button.
    pub async fn follow(&self, link: &str) -> Seen {
        let path = link.strip_prefix(self.base).unwrap();
        self.get(path).await.expect(200);
        self.post(path, &[]).await
    }

    /// The session of this browser.
    pub async fn session(&self) -> Option<Session> {
        let cookie = self.cookie("endonym")?;
        sessions::find(&self.world().app, &[&cookie]).await.unwrap().map(|(_, session)| session)
    }
}

pub struct Mailed {
    pub to: String,
    pub code: String,
    pub link: String,
    pub institution_name: Option<String>,
}

/// The mail of the newest request. `None` if none is sent.
pub async fn newest_mail(world: &World) -> Option<Mailed> {
    let text = "SELECT id FROM sign_in_requests ORDER BY created_at DESC, id DESC LIMIT 1";
    let id = world.app.db.read().one(text, &[], |row| row.id::<SignInRequestId>(0)).await.unwrap().unwrap();
    let message = app_sign_in::message(&world.app, id, &world.base).await.unwrap()?;
    let SignInMail { to, content: mail, digests } = message;
    let now = world.app.clock.now();
    let stored = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { app_sign_in::store_digests(sql, &digests, now).await })
    });
    stored.await.unwrap().then_some(Mailed {
        to: to.as_given().to_owned(),
        code: mail.code,
        link: mail.link,
        institution_name: mail.institution_name,
    })
}
