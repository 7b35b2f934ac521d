//! What an honest provider would never send, from a provider whose tokens a test makes.

use std::{
    collections::BTreeMap,
    future::ready,
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::{
    Router,
    routing::{get, post},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use endonym::{
    app::{Actor, sessions::Secret, sso},
    domain::sso::Connection,
    jwt::keys::SigningKey,
};
use serde_json::{Value, json};

use super::{CLIENT, Visitor, connect, is_refused, new};
use crate::support::World;

pub static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::make("published".into()).unwrap());
static OTHER_KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::make("published".into()).unwrap());

/// A provider that issues whatever it is told to.
pub struct Forger {
    pub issuer: String,
    pub id_token: Arc<Mutex<String>>,
    user_info: Arc<Mutex<Value>>,
    /// How many codes were redeemed.
    redeemed: Arc<AtomicUsize>,
}

impl Forger {
    pub async fn start() -> Self {
        Self::announcing(json!({ "authorization_response_iss_parameter_supported": true })).await
    }

    /// With this in its configuration document.
    pub async fn announcing(more: Value) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let mut document = json!({
            "issuer": issuer,
            "authorization_endpoint": format!("{issuer}/auth"),
            "token_endpoint": format!("{issuer}/token"),
            "jwks_uri": format!("{issuer}/jwks"),
            "userinfo_endpoint": format!("{issuer}/me"),
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        });
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (id_token, user_info) = (Arc::<Mutex<String>>::default(), Arc::<Mutex<Value>>::default());
        let (token, info) = (id_token.clone(), user_info.clone());
        let redeemed = Arc::<AtomicUsize>::default();
        let count = redeemed.clone();
        let issued = move || {
            count.fetch_add(1, Ordering::Relaxed);
            let id_token = token.lock().unwrap().clone();
            json!({ "access_token": "a", "token_type": "Bearer", "id_token": id_token }).to_string()
        };
        let keys = json!({ "keys": [KEY.public().unwrap()] }).to_string();
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(move || ready(document.to_string())))
            .route("/jwks", get(move || ready(keys)))
            .route("/token", post(move || ready(issued())))
            .route("/me", get(move || ready(info.lock().unwrap().to_string())));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { issuer, id_token, user_info, redeemed }
    }
}

/// A sign-in that has reached the provider.
pub struct Asked {
    state: String,
    nonce: String,
    /// The query of the provider's URL.
    pub query: BTreeMap<String, String>,
}

async fn ask(visitor: &Visitor<'_>, connection: &Connection) -> Asked {
    asked(&visitor.start(connection).await)
}

/// What the provider's URL says.
pub fn asked(address: &str) -> Asked {
    let query = address.split_once('?').unwrap().1;
    let query: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    Asked { state: query["state"].clone(), nonce: query["nonce"].clone(), query }
}

pub fn seconds(world: &World) -> i64 {
    world.app.clock.now().micros() / 1_000_000
}

pub fn claims(world: &World, forger: &Forger, asked: &Asked) -> Value {
    json!({
        "iss": forger.issuer,
        "aud": CLIENT,
        "sub": "u7",
        "nonce": asked.nonce,
        "iat": seconds(world),
        "exp": seconds(world) + 300,
        "email": "ana@example.edu",
        "email_verified": true,
    })
}

fn unsigned(head: &Value, claims: &Value, signature: &str) -> String {
    let encoded = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{signature}", encoded(head), encoded(claims))
}

pub fn path(issuer: &str, asked: &Asked) -> String {
    let query: String = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("code", "c"), ("state", &asked.state), ("iss", issuer)])
        .finish();
    format!("/sso/callback?{query}")
}

pub async fn scene() -> (World, Forger, Connection) {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let forger = Forger::start().await;
    let connection = connect(&world, new(&forger.issuer)).await;
    (world, forger, connection)
}

const REFUSED: &str = "We could not sign you in";

/// Otherwise the provider of one institution could send people on to the provider of another, and have their codes redeemed at itself
/// (mix-up attack).
#[tokio::test]
async fn a_code_that_was_sent_to_the_redirect_uri_of_another_institution_is_not_redeemed() {
    let (world, _forger, first) = scene().await;
    let (there, second) = (world.neighbor().await, Forger::announcing(json!({})).await);
    let theirs = sso::create(&world.app, &Actor::Operator, there.institution.id, new(&second.issuer)).await;
    let theirs = theirs.unwrap();
    let visitor = Visitor::new(&world);
    let own = format!("/sso/callback/{}", there.institution.id);
    for (connection, path) in [(&first, "/sso/callback"), (&theirs, own.as_str())] {
        let address = visitor.start(connection).await;
        let query = address.split_once('?').unwrap().1;
        let sent = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "redirect_uri").unwrap();
        assert_eq!(sent.1, format!("{}{path}", world.base));
    }
    let of_the_first = format!("/sso/callback/{}", world.institution.id);
    for elsewhere in ["/sso/callback", &of_the_first, "/sso/callback/x"] {
        let asked = ask(&visitor, &theirs).await;
        let seen = visitor.browser.get(&format!("{elsewhere}?code=c&state={}", asked.state)).await;
        is_refused(&visitor, seen, 403, REFUSED).await;
    }
    assert_eq!(second.redeemed.load(Ordering::Relaxed), 0);
    let asked = ask(&visitor, &theirs).await;
    *second.id_token.lock().unwrap() = KEY.sign(&claims(&world, &second, &asked)).unwrap();
    // Ana is not registered there.
    visitor.browser.get(&format!("{own}?code=c&state={}", asked.state)).await.expect(403);
    assert_eq!(second.redeemed.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_token_with_a_wrong_claim_signs_nobody_in() {
    let (world, forger, connection) = scene().await;
    let visitor = Visitor::new(&world);
    for change in [
        json!({ "nonce": Secret::generate(&world.app).as_str() }),
        json!({ "nonce": null }),
        json!({ "iss": "https://evil.example" }),
        json!({ "aud": "another client" }),
        json!({ "aud": [CLIENT, "another client"] }),
        json!({ "azp": "another client" }),
        json!({ "exp": seconds(&world) - 3_600 }),
        json!({ "iat": seconds(&world) + 3_600 }),
        json!({ "sub": "" }),
    ] {
        let asked = ask(&visitor, &connection).await;
        let mut claims = claims(&world, &forger, &asked);
        claims.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        *forger.id_token.lock().unwrap() = KEY.sign(&claims).unwrap();
        let seen = visitor.browser.get(&path(&forger.issuer, &asked)).await;
        is_refused(&visitor, seen, 403, REFUSED).await;
    }
    let asked = ask(&visitor, &connection).await;
    *forger.id_token.lock().unwrap() = KEY.sign(&claims(&world, &forger, &asked)).unwrap();
    visitor.browser.get(&path(&forger.issuer, &asked)).await.redirects_to("/me");
}

#[tokio::test]
async fn a_token_that_the_provider_has_not_signed_signs_nobody_in() {
    let (world, forger, connection) = scene().await;
    let visitor = Visitor::new(&world);
    let forgeries: [fn(&Value) -> String; 5] = [
        |claims| OTHER_KEY.sign(claims).unwrap(),
        |claims| unsigned(&json!({ "alg": "none" }), claims, ""),
        |claims| unsigned(&json!({ "alg": "HS256", "kid": "published" }), claims, "c2lnbmF0dXJl"),
        |claims| {
            let signed = KEY.sign(&json!({})).unwrap();
            let (head, signature) = (signed.split('.').next().unwrap(), signed.rsplit('.').next().unwrap());
            format!("{head}.{}.{signature}", BASE64_URL_SAFE_NO_PAD.encode(claims.to_string()))
        },
        |_| "no token".to_owned(),
    ];
    for forged in forgeries {
        let asked = ask(&visitor, &connection).await;
        *forger.id_token.lock().unwrap() = forged(&claims(&world, &forger, &asked));
        let seen = visitor.browser.get(&path(&forger.issuer, &asked)).await;
        is_refused(&visitor, seen, 403, REFUSED).await;
    }
}

/// A response of another provider (mix-up attack), or of nobody.
#[tokio::test]
async fn a_response_must_name_the_issuer() {
    let (world, forger, connection) = scene().await;
    let visitor = Visitor::new(&world);
    for without in [false, true] {
        let asked = ask(&visitor, &connection).await;
        *forger.id_token.lock().unwrap() = KEY.sign(&claims(&world, &forger, &asked)).unwrap();
        let path = path("https://evil.example", &asked);
        let path = if without { path.split("&iss=").next().unwrap() } else { &path };
        let seen = visitor.browser.get(path).await;
        is_refused(&visitor, seen, 403, REFUSED).await;
    }
}

#[tokio::test]
async fn the_user_info_of_somebody_else_is_not_used() {
    let (world, forger, connection) = scene().await;
    let visitor = Visitor::new(&world);
    for (subject, is_own) in [("u8", false), ("u7", true)] {
        *forger.user_info.lock().unwrap() =
            json!({ "sub": subject, "email": "ana@example.edu", "email_verified": true });
        let asked = ask(&visitor, &connection).await;
        let mut claims = claims(&world, &forger, &asked);
        claims.as_object_mut().unwrap().remove("email");
        *forger.id_token.lock().unwrap() = KEY.sign(&claims).unwrap();
        let seen = visitor.browser.get(&path(&forger.issuer, &asked)).await;
        if is_own {
            seen.redirects_to("/me");
        } else {
            is_refused(&visitor, seen, 403, REFUSED).await;
        }
    }
}

/// The Kelvin sign folds to `k`, but it is the mailbox of somebody else.
#[tokio::test]
async fn an_address_that_only_folds_to_a_registered_one_signs_nobody_in() {
    let (world, forger, connection) = scene().await;
    world.person("Kim", "kim@example.edu").await;
    let visitor = Visitor::new(&world);
    for (email, is_own) in [("\u{212a}im@example.edu", false), ("Kim@example.edu", true)] {
        let asked = ask(&visitor, &connection).await;
        let mut claims = claims(&world, &forger, &asked);
        claims["email"] = json!(email);
        *forger.id_token.lock().unwrap() = KEY.sign(&claims).unwrap();
        let seen = visitor.browser.get(&path(&forger.issuer, &asked)).await;
        if is_own {
            seen.redirects_to("/me");
        } else {
            is_refused(&visitor, seen, 403, REFUSED).await;
        }
    }
}

/// The provider's words in a URL are not shown, and not mistaken for a code.
#[tokio::test]
async fn an_error_of_the_provider_is_a_page() {
    let (world, forger, connection) = scene().await;
    let visitor = Visitor::new(&world);
    for error in ["access_denied", "server_error", "<script>alert(1)</script>"] {
        let asked = ask(&visitor, &connection).await;
        *forger.id_token.lock().unwrap() = KEY.sign(&claims(&world, &forger, &asked)).unwrap();
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("error", error).finish();
        let seen = visitor.browser.get(&format!("{}&{query}", path(&forger.issuer, &asked))).await;
        assert!(!seen.body.contains("alert(1)"), "{}", seen.body);
        is_refused(&visitor, seen, 403, "You are not signed in").await;
    }
}
