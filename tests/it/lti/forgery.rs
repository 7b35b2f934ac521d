//! Every check of a launch, each with a launch that violates only that check.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use endonym::{
    app::{
        Actor,
        tool_consumers::{self, Change},
    },
    jwt::keys::SigningKey,
};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::Response;
use serde_json::{Value, json};
use sha2::Sha256;

use super::{INSTRUCTOR, Login, Platform, claim, policy};

/// The launch is rejected with a page that the platform may embed and that reveals nothing about the course.
async fn refused(answer: Response, what: &str) -> String {
    assert!(answer.status().is_client_error(), "{what}: {}", answer.status());
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8", "{what}");
    let text = answer.text().await.unwrap();
    assert!(!text.contains("Irish Literature") && !text.contains("Siobh"), "{what}: {text}");
    text
}

/// Launches with one invalid claim each.
async fn with(platform: &Platform, change: impl FnOnce(&mut Value)) -> Response {
    let login = platform.login().await;
    let mut claims = platform.claims(&login, &[INSTRUCTOR]);
    change(&mut claims);
    platform.launch(&login, &platform.key.sign(&claims).unwrap()).await
}

fn unsigned(head: &Value, claims: &Value) -> String {
    format!("{}.{}", BASE64.encode(head.to_string()), BASE64.encode(claims.to_string()))
}

#[tokio::test]
async fn a_launch_is_refused_for_each_claim_that_is_wrong() {
    let platform = Platform::new().await;
    let now = platform.world.app.clock.now().micros() / 1_000_000;
    let wrong: Vec<(&str, Vec<(String, Value)>)> = vec![
        ("another issuer", vec![("iss".into(), json!("https://evil.example"))]),
        ("another audience", vec![("aud".into(), json!("tool-2"))]),
        ("several audiences and no azp", vec![("aud".into(), json!(["tool-1", "tool-2"]))]),
        ("another azp", vec![("azp".into(), json!("tool-2"))]),
        ("expired", vec![("exp".into(), json!(now - 120)), ("iat".into(), json!(now - 180))]),
        ("too old", vec![("iat".into(), json!(now - 7_200))]),
        ("no expiry", vec![("exp".into(), Value::Null)]),
        ("from the future", vec![("iat".into(), json!(now + 600)), ("exp".into(), json!(now + 900))]),
        ("not yet", vec![("nbf".into(), json!(now + 600))]),
        ("another nonce", vec![("nonce".into(), json!("0".repeat(64)))]),
        ("no nonce", vec![("nonce".into(), Value::Null)]),
        ("a foreign deployment", vec![(claim("deployment_id"), json!("d2"))]),
        ("no deployment", vec![(claim("deployment_id"), Value::Null)]),
        ("another version", vec![(claim("version"), json!("1.1"))]),
        ("a message of another kind", vec![(claim("message_type"), json!("LtiSubmissionReviewRequest"))]),
        ("no roles", vec![(claim("roles"), Value::Null)]),
        ("roles that are no list", vec![(claim("roles"), json!(INSTRUCTOR))]),
        ("a foreign target", vec![(claim("target_link_uri"), json!("https://evil.example/lti/launch"))]),
        ("no resource link", vec![(claim("resource_link"), json!({}))]),
        ("no course", vec![(claim("context"), Value::Null)]),
    ];
    for (what, changes) in wrong {
        let answer = with(&platform, |claims| {
            changes.into_iter().for_each(|(key, value)| claims[key] = value);
        })
        .await;
        assert!(policy(&answer).contains(&format!("frame-ancestors {}", platform.address)), "{what}");
        let text = refused(answer, what).await;
        if what == "a foreign deployment" {
            assert!(text.contains("d2") && text.contains("--deployment-id"), "{text}");
        }
    }
    assert_eq!(with(&platform, |_| {}).await.status(), 303, "and one with nothing wrong is not");
}

#[tokio::test]
async fn only_the_platforms_own_key_and_rs256_are_believed() {
    let platform = Platform::new().await;
    // A state is valid once, so each attempt starts with a new, valid login.
    let fresh = async || {
        let login = platform.login().await;
        let claims = platform.claims(&login, &[INSTRUCTOR]);
        (login, claims)
    };

    for alg in ["none", "None", "RS512"] {
        let (login, claims) = fresh().await;
        let token = unsigned(&json!({ "alg": alg, "kid": "platform-1" }), &claims);
        let signature = platform.key.sign(&claims).unwrap().rsplit('.').next().unwrap().to_owned();
        for signature in ["", &signature] {
            refused(platform.launch(&login, &format!("{token}.{signature}")).await, alg).await;
        }
    }
    let (login, _) = fresh().await;
    refused(platform.launch(&login, "not a token").await, "no token").await;

    // The public key as HMAC secret, in the formats that libraries use (algorithm confusion).
    let public = platform.key.public().unwrap();
    for secret in [public.to_string(), public["n"].as_str().unwrap().to_owned()] {
        let (login, claims) = fresh().await;
        let signed = unsigned(&json!({ "alg": "HS256", "kid": "platform-1" }), &claims);
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
        mac.update(signed.as_bytes());
        let token = format!("{signed}.{}", BASE64.encode(mac.finalize().into_bytes()));
        refused(platform.launch(&login, &token).await, "HS256").await;
    }

    // Another key: with its own key id, and with the platform's.
    let other = SigningKey::make("mine".into()).unwrap();
    for kid in ["mine", "platform-1"] {
        let (login, claims) = fresh().await;
        let token = SigningKey::from_der(kid.into(), other.der().to_vec()).sign(&claims).unwrap();
        refused(platform.launch(&login, &token).await, "another key").await;
    }

    // A valid signature on modified content.
    let (login, claims) = fresh().await;
    let token = platform.key.sign(&claims).unwrap();
    let mut other = claims.clone();
    other["sub"] = json!("u8");
    let parts: Vec<&str> = token.split('.').collect();
    let token = format!("{}.{}.{}", parts[0], BASE64.encode(other.to_string()), parts[2]);
    refused(platform.launch(&login, &token).await, "changed").await;
}

#[tokio::test]
async fn a_state_is_good_once() {
    let platform = Platform::new().await;
    let login = platform.login().await;
    let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
    assert_eq!(platform.launch(&login, &token).await.status(), 303);
    let again = platform.launch(&login, &token).await;
    assert!(
        policy(&again).contains(&format!("frame-ancestors {}", platform.address)),
        "it is seen in its frame"
    );
    let text = refused(again, "the same again").await;
    assert!(text.contains("This has been opened already"), "{text}");
    // Nor is its nonce valid for another state.
    let other = platform.login().await;
    refused(platform.launch(&other, &token).await, "an old nonce with a new state").await;
    // A rejected launch consumes its state, too.
    let login = platform.login().await;
    let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
    refused(platform.launch(&login, "x.y.z").await, "no token").await;
    refused(platform.launch(&login, &token).await, "after a refusal").await;
}

#[tokio::test]
async fn a_state_that_is_too_old_is_refused() {
    let platform = Platform::new().await;
    let login = platform.login().await;
    platform.world.advance(std::time::Duration::from_secs(10 * 60));
    let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
    refused(platform.launch(&login, &token).await, "too old").await;
}

#[tokio::test]
async fn a_launch_in_another_browser_shows_nothing_and_offers_its_own_window() {
    let platform = Platform::new().await;
    let other = platform.login().await;
    for cookie in [None, Some(other.cookie.as_str()), Some("endonym_lti="), Some("endonym_lti=x")] {
        let login = platform.login().await;
        let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
        let form = [("id_token", token.as_str()), ("state", &login.state)];
        let answer = platform.send_launch(&form, cookie).await;
        assert_eq!(answer.status(), 403);
        assert!(policy(&answer).contains(&format!("frame-ancestors {}", platform.address)));
        let text = refused(answer, "another browser").await;
        let start = format!("href=\"{}?", platform.url("login"));
        let link = text.split(&start).nth(1).unwrap_or_else(|| panic!("{text}")).split('"').next().unwrap();
        assert!(text.contains("target=\"_blank\"") && !text.contains(&login.state), "{text}");
        // It restarts with the platform's login parameters.
        let again =
            platform.get(&format!("{}?{}", platform.at("login"), link.replace("&#38;", "&")), None).await;
        assert_eq!(again.status(), 302);
        let place = again.headers()["location"].to_str().unwrap();
        let place = reqwest::Url::parse(place).unwrap();
        assert!(
            place.query_pairs().any(|pair| pair == ("lti_message_hint".into(), "{\"a\":\"b&c\"}".into()))
        );
        // A login that was used in another browser is consumed for the right one as well.
        refused(platform.launch(&login, &token).await, "afterwards").await;
    }
}

#[tokio::test]
async fn a_state_of_another_platform_is_of_no_use() {
    let platform = Platform::new().await;
    let keys = platform.address.clone();
    super::register(&platform.world, "https://other.example", &keys, "tool-9").await;
    let mut query = platform.login_query();
    query[0].1 = "https://other.example".into();
    query[1].1 = "tool-9".into();
    let login = Login::of(&platform.login_answer(&query, None).await);
    // Our platform's claims do not work for the other's launch, although both publish the same keys.
    let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
    refused(platform.launch(&login, &token).await, "another platform's state").await;
}

#[tokio::test]
async fn a_platform_that_is_switched_off_is_refused_everywhere() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let login = platform.login().await;
    let change = Change { enabled: Some(false), ..Change::default() };
    tool_consumers::update(&platform.world.app, &Actor::Operator, platform.consumer.id, change)
        .await
        .unwrap();
    let token = platform.key.sign(&platform.claims(&login, &[INSTRUCTOR])).unwrap();
    refused(platform.launch(&login, &token).await, "its launch").await;
    refused(platform.login_answer(&platform.login_query(), None).await, "its login").await;
    refused(platform.get(&session, Some(&cookie)).await, "its session").await;
}

#[tokio::test]
async fn what_is_no_launch_at_all_is_refused() {
    let platform = Platform::new().await;
    let login = platform.login().await;
    let state = login.state.as_str();
    let unknown = "0".repeat(64);
    for form in [
        vec![],
        vec![("state", state)],
        vec![("id_token", "x.y.z")],
        vec![("id_token", ""), ("state", state)],
        vec![("id_token", "x.y.z"), ("state", unknown.as_str())],
        vec![("id_token", "x.y.z"), ("state", "'; DROP TABLE lti_logins")],
        vec![("error", "access_denied"), ("state", unknown.as_str())],
    ] {
        refused(platform.send_launch(&form, Some(&login.cookie)).await, "no launch").await;
    }
    let said = [("error", "login_required"), ("error_description", "<b>Log in</b> first"), ("state", state)];
    let text = refused(platform.send_launch(&said, Some(&login.cookie)).await, "the platform's no").await;
    assert!(text.contains("&#60;b&#62;Log in"), "{text}");
    let launch = platform.url("launch");
    let json = platform.client.post(&launch).header("content-type", "application/json").body("{}");
    refused(json.send().await.unwrap(), "JSON").await;
    let huge = platform.post(&platform.at("launch"), &[("id_token", &"x".repeat(129 << 10))], None).await;
    assert_eq!(huge.status(), 413);
    refused(platform.get(&platform.at("launch"), None).await, "by hand").await;
}
