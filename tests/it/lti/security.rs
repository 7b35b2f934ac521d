//! What others must not be able to do with the pages inside a learning system. Every route of the face is covered: a new form fails a
//! test until it is in the table.

use std::collections::BTreeSet;

use endonym::{
    app::{
        Actor, Error, calls,
        tool_consumers::{self, Change},
    },
    domain::{
        countries::Countries,
        quiet_hours::QuietHours,
        roster::Role,
        tool_consumer::{LmsKind, Registration},
    },
};
use reqwest::{Response, StatusCode, header};
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, claim, institutions::make_shared, policy, register};
use crate::{
    pages::SOUND,
    support::{Setup, World, routes, snapshot::rows},
};

/// Who sends a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// The learning system, which has no token. A launch is protected by its state, its nonce and the cookie of its login:
    /// see `forgery.rs`.
    Platform,
    Student,
    /// The same, with a file.
    Upload,
    Teacher,
    DeepLink,
}

/// Every POST route of the face.
const FORMS: &[(&str, Form)] = &[
    ("/lti/login", Form::Platform),
    ("/lti/launch", Form::Platform),
    ("/lti/{slug}/login", Form::Platform),
    ("/lti/{slug}/launch", Form::Platform),
    ("/lti/s/login", Form::Platform),
    ("/lti/s/launch", Form::Platform),
    ("/lti/register/login", Form::Platform),
    ("/lti/register/launch", Form::Platform),
    ("/lti/s/{session}/sync", Form::Teacher),
    ("/lti/s/{session}/me", Form::Teacher),
    ("/lti/s/{session}/details", Form::Student),
    ("/lti/s/{session}/recording", Form::Upload),
    ("/lti/s/{session}/recording/delete", Form::Student),
    ("/lti/s/{session}/call", Form::Student),
    ("/lti/s/{session}/consent", Form::Student),
    ("/lti/s/{session}/handover", Form::Student),
    ("/lti/s/{session}/consent/withdraw", Form::Student),
    ("/lti/s/{session}/link", Form::DeepLink),
];

/// The name of a session, with its cookie and the token of its forms.
struct Session {
    name: String,
    cookie: String,
    csrf: String,
}

async fn session(platform: &Platform, form: Form) -> Session {
    let deep_link = |claims: &mut Value| {
        claims[claim("message_type")] = json!("LtiDeepLinkingRequest");
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] =
            json!({ "deep_link_return_url": "https://lms.example.edu/dl", "data": "d" });
    };
    let (path, cookie) = match form {
        Form::Student | Form::Upload => platform.session(|_| {}, &[LEARNER]).await,
        Form::DeepLink => platform.session(deep_link, &[INSTRUCTOR]).await,
        Form::Teacher | Form::Platform => platform.session(|_| {}, &[INSTRUCTOR]).await,
    };
    let csrf = platform.csrf(&path, &cookie).await;
    assert_eq!(csrf.len(), 64, "{path}");
    Session { name: path.split('/').nth(3).unwrap().to_owned(), cookie, csrf }
}

impl Platform {
    async fn send_form(
        &self,
        form: Form,
        path: &str,
        cookie: Option<&str>,
        token: Option<&str>,
        headers: &[(&str, &str)],
    ) -> Response {
        let mut request = self.client.post(format!("{}{path}", self.world.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        let (kind, body) = if form == Form::Upload {
            let field = |token: &str| {
                format!("--b1\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{token}\r\n")
            };
            let head =
                "--b1\r\nContent-Disposition: form-data; name=\"recording\"; filename=\"a.mp3\"\r\n\r\n";
            let token = token.map(field).unwrap_or_default();
            let body = [token.as_bytes(), head.as_bytes(), SOUND, b"\r\n--b1--\r\n"].concat();
            ("multipart/form-data; boundary=b1", body)
        } else {
            let token = token.map(|token| format!("&csrf={token}")).unwrap_or_default();
            let body = format!("phonetic=forged&title=forged&phone_number=forged{token}").into_bytes();
            ("application/x-www-form-urlencoded", body)
        };
        request.header(header::CONTENT_TYPE, kind).body(body).send().await.unwrap()
    }
}

/// The response to a form of another site, session or browser.
async fn is_closed(answer: Response) -> bool {
    let status = answer.status();
    status == StatusCode::FORBIDDEN && answer.text().await.unwrap().contains("open it again from your course")
}

async fn platform() -> Platform {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    Platform::with(Setup { calling, sqlite: true, ..Setup::default() }).await
}

#[test]
fn every_form_of_the_face_is_in_the_table() {
    let declared = routes::of("lti").into_iter().filter(|route| route.has_post).map(|route| route.path);
    let listed = FORMS.iter().map(|(path, _)| (*path).to_owned());
    assert_eq!(declared.collect::<BTreeSet<_>>(), listed.collect::<BTreeSet<_>>());
}

#[tokio::test]
async fn a_form_of_another_site_or_browser_changes_nothing() {
    let platform = platform().await;
    let base = platform.world.base.clone();
    for (path, form) in FORMS.iter().filter(|(_, form)| *form != Form::Platform) {
        let (own, other) = (session(&platform, *form).await, session(&platform, *form).await);
        let path = path.replace("{session}", &own.name);
        let before = rows(&platform.world, None).await;
        let cookie = Some(own.cookie.as_str());
        let same_origin = ("sec-fetch-site", "same-origin");
        for (cookie, token, headers) in [
            (cookie, None, vec![]),
            (cookie, Some(""), vec![]),
            (cookie, Some(other.csrf.as_str()), vec![("origin", base.as_str()), same_origin]),
            (cookie, None, vec![("x-csrf-token", other.csrf.as_str())]),
            (cookie, Some(own.csrf.as_str()), vec![("origin", "https://evil.example")]),
            // Not even the platform around the frame.
            (cookie, Some(own.csrf.as_str()), vec![("origin", platform.address.as_str())]),
            (cookie, Some(own.csrf.as_str()), vec![("origin", "null")]),
            (cookie, Some(own.csrf.as_str()), vec![("sec-fetch-site", "cross-site")]),
            (
                cookie,
                Some(own.csrf.as_str()),
                vec![("sec-fetch-site", "same-site"), ("origin", base.as_str())],
            ),
            (None, Some(own.csrf.as_str()), vec![]),
            (Some(other.cookie.as_str()), Some(own.csrf.as_str()), vec![]),
            (Some(other.cookie.as_str()), Some(other.csrf.as_str()), vec![]),
        ] {
            let answer = platform.send_form(*form, &path, cookie, token, &headers).await;
            assert!(is_closed(answer).await, "{path} {token:?} {headers:?}");
        }
        assert_eq!(rows(&platform.world, None).await, before, "{path}");
        let headers = [("origin", base.as_str()), same_origin];
        let answer = platform.send_form(*form, &path, cookie, Some(own.csrf.as_str()), &headers).await;
        assert!(!is_closed(answer).await, "{path}");
    }
}

/// A page with a session can be shown by the platform only, and one that anybody can show has nothing to press.
#[tokio::test]
async fn every_page_has_the_headers_that_protect_it() {
    let platform = platform().await;
    let mut seen = 0;
    for form in [Form::Student, Form::Teacher, Form::DeepLink] {
        let own = session(&platform, form).await;
        for route in routes::of("lti").iter().filter(|route| route.has_get) {
            for cookie in [Some(own.cookie.as_str()), None] {
                let path = route.filled(&own.name);
                let answer = platform.get(&path, cookie).await;
                let header = |name: &str| {
                    answer
                        .headers()
                        .get(name)
                        .map(|value| value.to_str().unwrap().to_owned())
                        .unwrap_or_default()
                };
                if !header("content-type").starts_with("text/html") {
                    continue;
                }
                seen += 1;
                for (name, value) in [
                    ("cache-control", "no-store"),
                    ("referrer-policy", "same-origin"),
                    ("x-content-type-options", "nosniff"),
                    ("x-robots-tag", "noindex"),
                ] {
                    assert_eq!(header(name), value, "{path}: {name}");
                }
                assert!(header("permissions-policy").starts_with("microphone=("), "{path}");
                let rules = policy(&answer);
                for part in ["default-src 'none'", "base-uri 'none'"] {
                    assert!(rules.split("; ").any(|found| found == part), "{path}: {part} in {rules}");
                }
                assert!(!rules.contains("unsafe"), "{path}: {rules}");
                let is_own = format!("frame-ancestors {}", platform.address);
                let is_private = rules.split("; ").any(|found| found == is_own);
                let body = answer.text().await.unwrap();
                if !is_private {
                    assert!(
                        rules.contains("form-action 'none'") && !body.contains("<form"),
                        "{path}: {rules}"
                    );
                    assert!(!body.contains("Bhriain") && !body.contains("Rosa"), "{path}: {body}");
                }
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

/// Registrations with shared addresses are signed with the same keys: whoever had that of another could read its rosters.
#[tokio::test]
async fn nobody_moves_a_shared_registration_to_the_platform_of_another_institution() {
    let world = World::on_sqlite().await;
    let (theirs, own) = ("http://127.0.0.1:9", "http://127.0.0.1:10");
    make_shared(&world, &register(&world, theirs, theirs, "endonym").await).await;
    let there = world.neighbor().await.institution.id;
    let lti = Registration {
        client_id: "endonym".into(),
        deployments: vec!["d1".into()],
        auth_url: format!("{own}/auth"),
        token_url: format!("{own}/token"),
        token_audience: None,
        jwks_url: format!("{own}/jwks"),
        frame_ancestors: Vec::new(),
    };
    let new = tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Lti,
        url: own.into(),
        product: None,
        roles: vec![Role::Student],
        access_token: None,
        lti: Some(lti),
    };
    let made = tool_consumers::create(&world.app, &Actor::Operator, there, new).await.unwrap().0;
    let change =
        async |change: Change| tool_consumers::update(&world.app, &Actor::Operator, made.id, change).await;
    let taken = |error: Error| assert!(error.to_string().contains("has already been taken"), "{error}");
    let at_theirs = format!("{theirs}/other/../token?x");
    make_shared(&world, &made).await;
    taken(change(Change { token_url: Some(at_theirs.clone()), ..Change::default() }).await.unwrap_err());
    taken(change(Change { token_audience: Some(at_theirs.clone()), ..Change::default() }).await.unwrap_err());
    change(Change { enabled: Some(false), ..Change::default() }).await.unwrap();
    // With keys of its own, the platform of the other one believes nothing that it signs.
    tool_consumers::renew(&world.app, &Actor::Operator, made.id).await.unwrap();
    change(Change { token_url: Some(at_theirs), ..Change::default() }).await.unwrap();
}
