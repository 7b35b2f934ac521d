//! A platform registers itself, by a link that the operator has made.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    http::{HeaderMap, StatusCode},
    response::Html,
    routing::{get, post},
};
use endonym::app::{lti::registrations, tool_consumers};
use serde_json::{Value, json};

use crate::support::{World, database::execute, process::Installation};

/// What it was told, and what it shall answer.
#[derive(Default)]
pub struct Told {
    tool: Value,
    bearer: String,
    answer: Value,
    configuration: Value,
}

/// Where its administrators register tools, it shows what stands behind the `#` inside its own page.
pub async fn platform() -> (String, Arc<Mutex<Told>>) {
    let told = Arc::new(Mutex::new(Told::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    {
        let mut told = told.lock().unwrap();
        told.configuration = json!({
            "issuer": base,
            "authorization_endpoint": format!("{base}/auth"),
            "token_endpoint": format!("{base}/token"),
            "jwks_uri": format!("{base}/jwks"),
            "registration_endpoint": format!("{base}/register"),
            "https://purl.imsglobal.org/spec/lti-platform-configuration": { "product_family_code": "moodle" },
        });
        told.answer = json!({
            "client_id": "client-7",
            "https://purl.imsglobal.org/spec/lti-tool-configuration": { "deployment_id": "12" },
        });
    }
    let (shown, taken) = (told.clone(), told.clone());
    let configuration = async move || shown.lock().unwrap().configuration.to_string();
    let register = async move |headers: HeaderMap, body: String| {
        let mut told = taken.lock().unwrap();
        told.bearer = headers.get("authorization").map_or("", |value| value.to_str().unwrap()).to_owned();
        told.tool = serde_json::from_str(&body).unwrap();
        let status = if told.answer.is_null() { StatusCode::UNAUTHORIZED } else { StatusCode::OK };
        (status, told.answer.to_string())
    };
    let tools = async || {
        Html(
            "<!doctype html><html lang=\"en\"><title>Tools</title><iframe title=\"A tool\"></iframe><script>\
             addEventListener('message', (event) => { document.title = event.data.subject });\
             document.querySelector('iframe').src = location.hash.slice(1)</script></html>",
        )
    };
    let router = Router::new()
        .route("/tools", get(tools))
        .route("/.well-known/openid-configuration", get(configuration))
        .route("/register", post(register));
    tokio::spawn(async { axum::serve(listener, router).await });
    (base, told)
}

async fn visit(world: &World, invite: &str, platform: &str, token: &str) -> (u16, String) {
    let configuration = format!("{platform}/.well-known/openid-configuration");
    let query = [("openid_configuration", configuration.as_str()), ("registration_token", token)];
    let url = registrations::invitation(&world.base, invite);
    let answer =
        world.client.get(reqwest::Url::parse_with_params(&url, query).unwrap()).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test]
async fn a_platform_registers_itself_once() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) = registrations::invite(&world.app, world.institution.id).await.unwrap();
    let (status, text) = visit(&world, &invite, &platform, "reg-token").await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("Registered") && text.contains("data-close"), "{text}");
    {
        let told = told.lock().unwrap();
        assert_eq!(told.bearer, "Bearer reg-token");
        assert_eq!(told.tool["redirect_uris"][0], format!("{}/lti/launch", world.base));
        assert_eq!(told.tool["token_endpoint_auth_method"], "private_key_jwt");
        let tool = &told.tool["https://purl.imsglobal.org/spec/lti-tool-configuration"];
        assert_eq!(tool["domain"], world.base.trim_start_matches("http://"));
        assert_eq!(tool["messages"][0]["placements"], json!(["course_navigation"]));
        assert_eq!(tool["messages"][1]["type"], "LtiDeepLinkingRequest");
    }
    let all = tool_consumers::all(&world.app, Some(world.institution.id)).await.unwrap();
    assert_eq!(all.len(), 1);
    let lti = all[0].lti.clone().unwrap();
    assert_eq!((all[0].url.as_str(), all[0].product.as_deref()), (platform.as_str(), Some("moodle")));
    assert_eq!((lti.client_id.as_str(), &lti.deployments[..]), ("client-7", &["12".to_owned()][..]));
    assert_eq!(lti.frame_ancestors, std::slice::from_ref(&platform));
    // The link is used up, however long ago it was.
    execute(&world.app.db, "UPDATE lti_invites SET used_at = used_at - 600000000", vec![]).await;
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 404);
    assert_eq!(visit(&world, &"0".repeat(64), &platform, "").await.0, 404);
}

#[tokio::test]
async fn a_registration_that_fails_leaves_the_link_as_it_was() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) = registrations::invite(&world.app, world.institution.id).await.unwrap();
    let good = told.lock().unwrap().answer.take();
    let (status, text) = visit(&world, &invite, &platform, "").await;
    assert_eq!(status, 400, "{text}");
    assert_eq!(told.lock().unwrap().bearer, "", "no token is sent where none came");
    let issuer = told.lock().unwrap().configuration["issuer"].take();
    told.lock().unwrap().configuration["issuer"] = json!("https://lms.example.edu");
    let (status, text) = visit(&world, &invite, &platform, "").await;
    assert!(status == 400 && text.contains("another host"), "{text}");
    told.lock().unwrap().configuration["issuer"] = issuer;
    told.lock().unwrap().configuration["jwks_uri"] = json!("http://10.1.2.3/jwks");
    told.lock().unwrap().answer = good.clone();
    told.lock().unwrap().tool = Value::Null;
    let (status, text) = visit(&world, &invite, &platform, "").await;
    assert_eq!(status, 400, "an address that we may not go to: {text}");
    assert_eq!(told.lock().unwrap().tool, Value::Null, "and the platform is not told of us");
    assert!(tool_consumers::all(&world.app, None).await.unwrap().is_empty());
    // Without a deployment it is registered, and the page says what is missing.
    told.lock().unwrap().configuration["jwks_uri"] = json!(format!("{platform}/jwks"));
    told.lock().unwrap().answer = json!({ "client_id": "client-8" });
    let (status, text) = visit(&world, &invite, &platform, "").await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("--deployment-id") && !text.contains("data-close"), "{text}");
}

#[tokio::test]
async fn a_link_that_is_opened_by_hand_is_explained_and_not_used() {
    let world = World::new().await;
    let (platform, _) = platform().await;
    let (invite, _) = registrations::invite(&world.app, world.institution.id).await.unwrap();
    let by_hand = world.client.get(registrations::invitation(&world.base, &invite)).send().await.unwrap();
    assert_eq!(by_hand.status(), 400);
    assert!(by_hand.text().await.unwrap().contains("Give this link to your learning system"));
    let nothing = world.client.get(format!("{}/lti/register", world.base)).send().await.unwrap();
    assert_eq!(nothing.status(), 404);
    let text = "UPDATE lti_invites SET expires_at = $1".to_owned();
    let now = world.app.clock.now().micros();
    execute(&world.app.db, text.clone(), vec![now.into()]).await;
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 404, "too old");
    // Somebody has used it, and was stopped before anything came of it.
    let minutes_ago = |minutes: i64| vec![(now - minutes * 60_000_000).into()];
    let used = "UPDATE lti_invites SET used_at = $1";
    execute(&world.app.db, text.clone(), vec![(now + 60_000_000).into()]).await;
    execute(&world.app.db, used, minutes_ago(4)).await;
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 404, "they may still be at it");
    execute(&world.app.db, used, minutes_ago(6)).await;
    execute(&world.app.db, text, vec![(now + 60_000_000).into()]).await;
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 200);
}

#[tokio::test]
async fn canvas_is_told_how_to_make_a_key_by_hand() {
    let world = World::new().await;
    let answer = world.client.get(format!("{}/lti/config.json", world.base)).send().await.unwrap();
    let config: Value = answer.json().await.unwrap();
    assert_eq!(config["oidc_initiation_url"], format!("{}/lti/login", world.base));
    assert_eq!(config["public_jwk_url"], format!("{}/lti/jwks.json", world.base));
    assert_eq!(config["extensions"][0]["platform"], "canvas.instructure.com");
}

#[tokio::test]
async fn an_operator_prints_a_link_and_makes_a_new_key() {
    let (installation, _) = Installation::with_token().await;
    let invite = |words: &[&str]| {
        let all = [&["tool-consumer", "invite", "--institution", "example"], words].concat();
        installation.succeed(&all)
    };
    let said: Value =
        serde_json::from_str(&invite(&["--json", "--base-url", "https://names.example.edu/app/"])).unwrap();
    let url = said["url"].as_str().unwrap();
    let (start, secret) = url.rsplit_once('/').unwrap();
    assert_eq!((start, secret.len()), ("https://names.example.edu/app/lti/register", 64));
    assert!(invite(&["--listen", "127.0.0.1:9"]).contains("http://127.0.0.1:9/lti/register/"));
    let unknown = installation.refuse(&["tool-consumer", "invite", "--institution", "nobody"]);
    assert!(unknown.contains("there is no institution `nobody`"), "{unknown}");
    let first = installation.json(&["tool-consumer", "rotate-key", "--json"])["kid"].clone();
    assert_ne!(installation.json(&["tool-consumer", "rotate-key", "--json"])["kid"], first);
    let kept = endonym::store::lti_keys::all(&mut installation.database().await.read()).await.unwrap();
    assert_eq!(kept.len(), 2);
}
