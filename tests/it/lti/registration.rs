//! Dynamic registration: a platform registers itself with the operator's invitation link.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    http::{HeaderMap, StatusCode},
    response::Html,
    routing::{get, post},
};
use endonym::{
    app::{Actor, lti::registrations, tool_consumers},
    store::lti_keys::{self, KeyOwner},
};
use serde_json::{Value, json};

use crate::support::{World, database::execute, process::Installation};

const MINUTE: Duration = Duration::from_secs(60);

/// What it was told, and what it shall answer.
#[derive(Default)]
pub struct Told {
    tool: Value,
    bearer: String,
    answer: Value,
    configuration: Value,
}

/// Where administrators register tools, the platform shows the URL after the `#` in an iframe.
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
    let answer = visited(world, invite, platform, token).await;
    (answer.status().as_u16(), answer.text().await.unwrap())
}

async fn visited(world: &World, invite: &str, platform: &str, token: &str) -> reqwest::Response {
    let configuration = format!("{platform}/.well-known/openid-configuration");
    let query = [("openid_configuration", configuration.as_str()), ("registration_token", token)];
    let url = registrations::invitation(&world.base, invite);
    world.client.get(reqwest::Url::parse_with_params(&url, query).unwrap()).send().await.unwrap()
}

#[tokio::test]
async fn a_platform_registers_itself_once() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let (status, text) = visit(&world, &invite, &platform, "reg-token").await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("Registered") && text.contains("data-close"), "{text}");
    {
        let told = told.lock().unwrap();
        assert_eq!(told.bearer, "Bearer reg-token");
        assert_eq!(
            told.tool["redirect_uris"][0],
            format!("{}/lti/{}/launch", world.base, world.institution.slug)
        );
        assert_eq!(told.tool["token_endpoint_auth_method"], "private_key_jwt");
        let tool = &told.tool["https://purl.imsglobal.org/spec/lti-tool-configuration"];
        assert_eq!(tool["domain"], world.base.trim_start_matches("http://"));
        assert_eq!(tool["messages"][0]["placements"], json!(["course_navigation"]));
        assert_eq!(tool["messages"][1]["type"], "LtiDeepLinkingRequest");
    }
    let all = tool_consumers::all(&world.app, &Actor::Operator, Some(world.institution.id)).await.unwrap();
    assert_eq!(all.len(), 1);
    let lti = all[0].lti.clone().unwrap();
    assert_eq!((all[0].url.as_str(), all[0].product.as_deref()), (platform.as_str(), Some("moodle")));
    assert_eq!((lti.client_id.as_str(), &lti.deployments[..]), ("client-7", &["12".to_owned()][..]));
    assert_eq!(lti.frame_ancestors, std::slice::from_ref(&platform));
    // The link is used up, however long ago it was.
    world.advance(MINUTE * 10);
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 404);
    assert_eq!(visit(&world, &"0".repeat(64), &platform, "").await.0, 404);
}

#[tokio::test]
async fn a_registration_that_fails_leaves_the_link_as_it_was() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
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
    assert!(tool_consumers::all(&world.app, &Actor::Operator, None).await.unwrap().is_empty());
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
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let by_hand = world.client.get(registrations::invitation(&world.base, &invite)).send().await.unwrap();
    assert_eq!(by_hand.status(), 400);
    assert!(by_hand.text().await.unwrap().contains("Give this link to your learning system"));
    let nothing = world.client.get(format!("{}/lti/register", world.base)).send().await.unwrap();
    assert_eq!(nothing.status(), 404);
    // A registration that used it was interrupted before it completed.
    let used = "UPDATE lti_invites SET used_at = $1";
    execute(&world.app.db, used, vec![world.app.clock.now().micros().into()]).await;
    world.advance(MINUTE * 4);
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 404, "it may still be running");
    world.advance(MINUTE * 2);
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 200);
}

#[tokio::test]
async fn a_link_is_valid_for_a_week() {
    let world = World::new().await;
    let (platform, _) = platform().await;
    let (first, _) = registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    world.advance(MINUTE);
    let (second, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    world.advance(MINUTE * 60 * 24 * 7 - MINUTE);
    assert_eq!(visit(&world, &first, &platform, "").await.0, 404, "expired");
    assert_eq!(visit(&world, &second, &platform, "").await.0, 200);
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
    assert!(unknown.contains("no institution `nobody`"), "{unknown}");
    let first = installation.json(&["tool-consumer", "rotate-key", "--json"])["kid"].clone();
    assert_ne!(installation.json(&["tool-consumer", "rotate-key", "--json"])["kid"], first);
    let kept = lti_keys::all(&mut installation.database().await.read(), KeyOwner::Shared).await.unwrap();
    assert_eq!(kept.len(), 2);
}

#[tokio::test]
async fn a_platform_that_registers_again_updates_what_is_there() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let register = async || {
        let (invite, _) =
            registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
        visit(&world, &invite, &platform, "reg-token").await
    };
    assert_eq!(register().await.0, 200);
    let all = async || tool_consumers::all(&world.app, &Actor::Operator, None).await.unwrap();
    let first = all().await.remove(0);
    // The operator's later settings are kept.
    let change = tool_consumers::Change {
        name: Some("Our Moodle".into()),
        enabled: Some(false),
        frame_ancestors: tool_consumers::ListChange {
            add: vec!["https://www.example.edu".into()],
            remove: vec![],
        },
        ..tool_consumers::Change::default()
    };
    tool_consumers::update(&world.app, &Actor::Operator, first.id, change).await.unwrap();
    told.lock().unwrap().configuration["jwks_uri"] = json!(format!("{platform}/jwks2"));
    told.lock().unwrap().answer["https://purl.imsglobal.org/spec/lti-tool-configuration"]["deployment_id"] =
        json!("13");
    let (status, text) = register().await;
    assert_eq!(status, 200, "{text}");
    assert!(text.contains("<h1>Updated</h1>") && text.contains("data-close"), "{text}");
    let found = all().await;
    assert_eq!(found.len(), 1);
    let (one, lti) = (&found[0], found[0].lti.clone().unwrap());
    assert_eq!((one.id, one.name.as_str(), one.enabled), (first.id, "Our Moodle", false));
    assert_eq!(lti.jwks_url, format!("{platform}/jwks2"));
    assert_eq!(lti.deployments, ["12", "13"]);
    assert_eq!(lti.frame_ancestors, [platform.as_str(), "https://www.example.edu"]);

    // The registration of another institution is its own, also with the same client of the same platform.
    let neighbor = world.neighbor().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, neighbor.institution.id).await.unwrap();
    told.lock().unwrap().configuration["jwks_uri"] = json!(format!("{platform}/jwks3"));
    let (status, text) = visit(&world, &invite, &platform, "").await;
    assert_eq!(status, 200, "{text}");
    let found = all().await;
    assert_eq!(found.len(), 2);
    assert_eq!((found[1].institution, found[1].id != first.id), (neighbor.institution.id, true));
    assert_eq!(found[1].lti.clone().unwrap().jwks_url, format!("{platform}/jwks3"));
    assert_eq!(found[0].lti.clone().unwrap().jwks_url, format!("{platform}/jwks2"));
}

#[tokio::test]
async fn an_address_with_line_breaks_is_not_registered() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    for key in ["authorization_endpoint", "token_endpoint", "jwks_uri", "registration_endpoint", "issuer"] {
        let good = told.lock().unwrap().configuration[key].clone();
        let bad = format!("{}\r\nSet-Cookie: a=b", good.as_str().unwrap());
        told.lock().unwrap().configuration[key] = json!(bad);
        let (status, text) = visit(&world, &invite, &platform, "").await;
        assert_eq!(status, 400, "{key}: {text}");
        told.lock().unwrap().configuration[key] = good;
    }
    told.lock().unwrap().answer["client_id"] = json!("client\r\n7");
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 400);
    assert!(tool_consumers::all(&world.app, &Actor::Operator, None).await.unwrap().is_empty());
    told.lock().unwrap().answer["client_id"] = json!("client-7");
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 200, "the link is good for another attempt");
    // Nor by an operator's hand, but for the end of the line that was pasted with it.
    let id = tool_consumers::all(&world.app, &Actor::Operator, None).await.unwrap()[0].id;
    let change = |url: &str| tool_consumers::Change { auth_url: Some(url.into()), ..Default::default() };
    let refused =
        tool_consumers::update(&world.app, &Actor::Operator, id, change(&format!("{platform}/a\r\nb"))).await;
    assert!(refused.unwrap_err().to_string().contains("line breaks"));
    let taken =
        tool_consumers::update(&world.app, &Actor::Operator, id, change(&format!("{platform}/a\r\n")))
            .await
            .unwrap();
    assert_eq!(taken.lti.unwrap().auth_url, format!("{platform}/a"));
}

#[tokio::test]
async fn a_refusal_can_be_read_inside_any_frame_when_nobody_knows_whose_it_is() {
    let world = World::new().await;
    let (platform, _) = platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 200);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let get = async |path: &str| client.get(format!("{}{path}", world.base)).send().await.unwrap();
    let login = "/lti/login?iss=https://unknown.example&login_hint=u&target_link_uri=";
    let mut answers = vec![
        ("a used invitation", visited(&world, &invite, &platform, "").await),
        ("an invitation that never was", get("/lti/register").await),
        ("an unknown registration", get(&format!("{login}{}/lti/launch", world.base)).await),
        ("a login without anything", get("/lti/login").await),
        ("a launch by hand", get("/lti/launch").await),
        ("a session that never was", get(&format!("/lti/s/{}/", "0".repeat(64))).await),
    ];
    let post = async |path: &str, body: &'static str, kind: &'static str| {
        let request = client.post(format!("{}{path}", world.base)).header("content-type", kind);
        request.body(body).send().await.unwrap()
    };
    let form = "application/x-www-form-urlencoded";
    let state = "id_token=x.y.z&state=0000000000000000000000000000000000000000000000000000000000000000";
    answers.push(("a launch that nobody began", post("/lti/launch", state, form).await));
    answers.push(("a launch that cannot be read", post("/lti/launch", "{}", "application/json").await));
    answers.push(("a form of no session", post(&format!("/lti/s/{}/link", "0".repeat(64)), "", form).await));
    for (what, answer) in answers {
        assert!(answer.status().is_client_error(), "{what}: {}", answer.status());
        let policy = super::policy(&answer);
        assert!(
            policy.contains("frame-ancestors *") && policy.contains("form-action 'none'"),
            "{what}: {policy}"
        );
        let text = answer.text().await.unwrap();
        assert!(text.contains("<h1>") && !text.contains("<form"), "{what}: {text}");
    }
}

#[tokio::test]
async fn a_registration_sends_an_icon_that_is_there() {
    let world = World::new().await;
    let (platform, told) = platform().await;
    let (invite, _) =
        registrations::invite(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert_eq!(visit(&world, &invite, &platform, "").await.0, 200);
    let tool = told.lock().unwrap().tool.clone();
    let messages = &tool["https://purl.imsglobal.org/spec/lti-tool-configuration"]["messages"];
    for icon in [&tool["logo_uri"], &messages[0]["icon_uri"], &messages[1]["icon_uri"]] {
        let answer = world.client.get(icon.as_str().unwrap()).send().await.unwrap();
        assert_eq!(
            (answer.status().as_u16(), answer.headers()["content-type"].to_str().unwrap()),
            (200, "image/png")
        );
        assert!(answer.bytes().await.unwrap().starts_with(b"\x89PNG\r\n"));
    }
}
