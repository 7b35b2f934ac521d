//! Answers to lookups, and recordings that are played, are kept until the database changes, whoever changes it.

use std::{sync::Arc, time::Duration};

use endonym::{
    app::{
        Actor, institutions,
        limiter::{Leases, Policy, Sharing},
        media, name_pages,
    },
    domain::name_page::NamePageRef,
    store::valkey::Valkey,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    Setup, World,
    media::{file, wav},
    node::Node,
    process::{Installation, PATIENCE},
    until,
    valkey::ValkeyServer,
};

const PATHS: [&str; 10] = [
    "/api/private/v5/participants/latest?tokens=ana@example.edu",
    "/api/private/v4/participants/ana@example.edu",
    "/api/private/v4/name_pages/class/participants/ana@example.edu",
    "/api/private/v3/names?auth_token={token}&access_code=class&email=ana@example.edu",
    "/api/private/v2/names?access_code={code}&email=ana@example.edu",
    "/api/private/v5/participants?per_page=5",
    "/api/private/v5/participants/search?email_list=ana@example.edu",
    "/api/private/v4/participants",
    "/api/private/v4/participants/search?email_list=ana@example.edu",
    "/api/private/v4/name_pages/class/participants?include=embeddables",
];

async fn get(address: &str, path: &str, token: &str) -> (u16, String) {
    let request = reqwest::Client::new().get(format!("http://{address}{path}"));
    let answer = request.header("authorization", token).send().await.unwrap();
    (answer.status().as_u16(), answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_process_writes_is_in_the_next_answer() {
    let (here, token) = Installation::with_token().await;
    here.import("email,first_name\nana@example.edu,Ana 0\n");
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2"]);
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let code = pages["name_pages"][0]["access_code"].as_str().unwrap();
    let paths = PATHS.map(|path| path.replace("{token}", &token).replace("{code}", code));
    let server = here.serve(&["--workers", "0"]);
    for turn in 1..=3 {
        for path in &paths {
            // The second one is kept, and so the third one is a kept answer.
            let first = get(server.address(), path, &token).await;
            assert_eq!(first.0, 200, "{}", first.1);
            for _ in 0..2 {
                assert_eq!(get(server.address(), path, &token).await, first);
            }
            assert!(first.1.contains(&format!("\"Ana {}\"", turn - 1)), "{turn}: {}", first.1);
        }
        here.import(&format!("email,first_name\nana@example.edu,Ana {turn}\n"));
    }
    // The page is closed to version 2, and the token is revoked: kept answers are of no use to anybody.
    let (v3, v2) = (&paths[3], &paths[4]);
    assert_eq!(get(server.address(), v2, "").await.0, 200);
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2", "false"]);
    assert_eq!(get(server.address(), v2, "").await.0, 404);
    assert_eq!(get(server.address(), v3, "").await.0, 200);
    let tokens = here.json(&["token", "list", "--institution", "example", "--json"]);
    let id = tokens["tokens"][0]["id"].as_str().unwrap();
    here.succeed(&["token", "revoke", "--institution", "example", id]);
    until("the token is refused", || async { get(server.address(), v3, "").await.0 == 401 }).await;
}

const DIRECTORY: &str = "https://directory.example.edu";

/// The version of the API in a path.
fn version(path: &str) -> &str {
    path.split('/').nth(3).unwrap()
}

/// Its page may be read by version 2.
async fn open_world(setup: Setup) -> World {
    let world = World::with(setup).await;
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    name_pages::allow_v2(&world.app, &Actor::Operator, world.institution.id, &page, true).await.unwrap();
    world
}

/// `PATHS` in a world.
fn paths(world: &World) -> [String; PATHS.len()] {
    PATHS.map(|path| {
        let path = path.replace("{token}", &world.token).replace("{code}", &world.page.access_code);
        path.replace("/class/", &format!("/{}/", world.page.slug))
            .replace("access_code=class", &format!("access_code={}", world.page.slug))
    })
}

/// A kept answer is sent before the request is routed.
#[tokio::test]
async fn a_kept_answer_is_the_same_to_the_letter_as_one_that_is_made_and_it_is_counted() {
    let world = open_world(Setup { sqlite: true, ..Setup::default() }).await;
    let origins = institutions::Change { allow_origins: vec![DIRECTORY.to_owned()], ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, origins).await.unwrap();
    world.person("Ana", "ana@example.edu").await;
    let (client, mut turn) = (reqwest::Client::new(), 0);
    for path in paths(&world) {
        let headers: [&[(&str, &str)]; 4] = [
            &[],
            &[("origin", DIRECTORY)],
            &[("origin", "https://elsewhere.example")],
            &[("accept-encoding", "gzip"), ("x-request-id", "mine")],
        ];
        for headers in headers {
            turn += 1;
            let change = json!({ "name_page_id": world.page.slug, "participant": { "notes": format!("Turn {turn}") } });
            world.put("/v5/participants/ana@example.edu", change).await.expect(200);
            // From then on, answers are kept: the token is read again.
            world.advance(Duration::from_secs(1));
            let mut remaining = Vec::new();
            let mut ask = async |method: Method| {
                let mut request = client.request(method, format!("{}{path}", world.base));
                request = request.header("authorization", &world.token);
                for (name, value) in headers {
                    request = request.header(*name, *value);
                }
                let answer = request.send().await.unwrap();
                let status = answer.status().as_u16();
                let mut shown = Vec::new();
                for (name, value) in answer.headers() {
                    let value = value.to_str().unwrap();
                    match name.as_str() {
                        "nc-rate-limit-remaining" => remaining.push(value.parse::<u32>().unwrap()),
                        "x-request-id" if value != "mine" => {}
                        "date" | "nc-rate-limit-reset" => {}
                        name => shown.push(format!("{name}: {value}")),
                    }
                }
                shown.sort_unstable();
                (status, shown, answer.bytes().await.unwrap())
            };
            let made = ask(Method::GET).await;
            assert_eq!(made.0, 200, "{path}");
            for _ in 0..3 {
                assert_eq!(ask(Method::GET).await, made, "{path} {headers:?}");
            }
            let (status, shown, body) = ask(Method::HEAD).await;
            assert_eq!((status, body.len()), (200, 0), "{path}");
            let length = |line: &&String| {
                !line.starts_with("content-length") && !line.starts_with("transfer-encoding")
            };
            assert_eq!(
                shown.iter().filter(length).collect::<Vec<_>>(),
                made.1.iter().filter(length).collect::<Vec<_>>(),
                "{path} {headers:?}"
            );
            let first = remaining[0];
            assert_eq!(remaining, (0..5).map(|n| first - n).collect::<Vec<_>>(), "{path}");
            let request = axum::http::Request::get(&path).header("authorization", &world.token);
            let request = request.body(axum::body::Body::empty()).unwrap();
            assert!(endonym::api::at_once(&world.app, &request).is_some(), "{path}");
        }
    }
}

#[tokio::test]
async fn past_the_ceiling_a_kept_answer_is_refused_like_any_other() {
    let quarter = Duration::from_secs(900);
    let policy = Policy { ceiling: 8, window: quarter, throttle: quarter };
    for number in 0..5 {
        let world = open_world(Setup { sqlite: true, rate_limit: policy, ..Setup::default() }).await;
        world.person("Ana", "ana@example.edu").await;
        world.advance(Duration::from_secs(1));
        let path = paths(&world)[number].clone();
        let mut accepted = 0;
        let refused = loop {
            let (status, body) = get(world.base.trim_start_matches("http://"), &path, &world.token).await;
            if status != 200 {
                break (status, body);
            }
            accepted += 1;
        };
        // The person was created with the token.
        assert_eq!(accepted, if version(&path) == "v2" { 8 } else { 7 }, "{path}");
        assert_eq!(refused.0, 429, "{path}");
        // Somebody else was never looked up.
        let other = path.replace("ana@example.edu", "nobody@example.edu");
        assert_eq!(
            get(world.base.trim_start_matches("http://"), &other, &world.token).await,
            refused,
            "{path}"
        );
    }
}

/// If nodes share limits, a kept answer is not sent before its request has been counted in their store.
#[tokio::test]
async fn kept_answers_are_counted_in_the_store_that_nodes_share() {
    let valkey = ValkeyServer::start();
    let quarter = Duration::from_secs(900);
    let setup = || {
        let leases = Leases::Valkey(Arc::new(Valkey::new(&valkey.url(), PATIENCE).unwrap()));
        let rate_limit = Policy { ceiling: 8, window: quarter, throttle: quarter };
        Setup { sqlite: true, rate_limit, sharing: Some(Sharing { leases, nodes: 2 }), ..Setup::default() }
    };
    let world = World::with(setup()).await;
    let other = Node::start(&world, setup()).await;
    world.person("Ana", "ana@example.edu").await;
    world.advance(Duration::from_secs(1));
    let ask = async |base: &str| get(base.trim_start_matches("http://"), PATHS[0], &world.token).await.0;
    for _ in 0..7 {
        assert_eq!(ask(&world.base).await, 200);
    }
    let request = axum::http::Request::get(PATHS[0]).header("authorization", &world.token);
    let request = request.body(axum::body::Body::empty()).unwrap();
    assert!(endonym::api::at_once(&world.app, &request).is_none());
    for base in [&world.base, &other.base] {
        assert_eq!(ask(base).await, 429);
    }
}

#[tokio::test]
async fn an_answer_follows_a_write_at_once_and_bookkeeping_keeps_it() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let name = |answer: &Value| answer["participants"][0]["first_name"].as_str().unwrap().to_owned();
    let path = "/v5/participants/latest?tokens=ana@x.org";
    for turn in 0..20 {
        let wanted = format!("Ana {turn}");
        let change = serde_json::json!({
            "name_page_id": world.page.slug,
            "participant": { "first_name": wanted },
        });
        world.put("/v5/participants/ana@x.org", change).await.expect(200);
        for _ in 0..3 {
            assert_eq!(name(&world.get(path).await.expect(200)), wanted);
        }
        // The token is read again, and its time of last use is written.
        world.advance(Duration::from_secs(1));
        endonym::app::callers::store_usage(&world.app).await.unwrap();
        assert_eq!(name(&world.get(path).await.expect(200)), wanted);
    }
}

#[tokio::test]
async fn bookkeeping_does_not_change_the_version_and_other_writes_do() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@x.org").await;
    world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    let before = world.app.db.version();
    assert!(before.is_some());
    endonym::app::callers::store_usage(&world.app).await.unwrap();
    assert_eq!(world.app.db.version(), before);
    world.person("Bea", "bea@x.org").await;
    assert!(world.app.db.version() > before);
}

fn ana_with_recording(page: &str) -> Value {
    let ana = json!({ "first_name": "Ana", "email": "ana@example.edu", "pronunciation": file(wav(1.0)) });
    json!({ "name_page_id": page, "participant": ana })
}

/// The status, the headers, without those that differ each time, and the body.
async fn played(link: &str, method: Method, headers: &[(&str, &str)]) -> (u16, Vec<String>, Vec<u8>) {
    let mut request = reqwest::Client::new().request(method, link);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    let shown =
        answer.headers().iter().filter(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
    let shown = shown.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    (answer.status().as_u16(), shown, answer.bytes().await.unwrap().to_vec())
}

#[tokio::test]
async fn a_kept_recording_is_answered_to_the_letter_like_any_other_and_leaves_the_memory_when_it_is_deleted()
{
    let world = World::on_sqlite().await;
    let made = world.post("/v5/participants", ana_with_recording(&world.page.slug)).await.expect(201);
    let link = made["participant"]["recording_link"].as_str().unwrap();
    let id = made["participant"]["recording_id"].as_str().unwrap();
    let hex = id.strip_prefix("recording_").unwrap();
    let is_kept = || media::kept(&world.app, world.institution.id, hex).is_some();
    let quoted = format!("\"{hex}\"");
    let etag = quoted.as_str();
    let range = ("range", "bytes=0-99");
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let requests: [(Method, Headers<'_>, u16); 13] = [
        (Method::GET, &[], 200),
        (Method::HEAD, &[], 200),
        (Method::GET, &[range], 206),
        (Method::HEAD, &[range], 206),
        (Method::GET, &[("range", "bytes=-50")], 206),
        (Method::GET, &[("range", "bytes=50-")], 206),
        (Method::GET, &[("range", "bytes=0-1,5-6")], 200),
        (Method::GET, &[("range", "bytes=99999999-")], 416),
        (Method::GET, &[("if-none-match", etag)], 304),
        (Method::HEAD, &[("if-none-match", "*"), range], 304),
        (Method::GET, &[("if-none-match", "\"other\"")], 200),
        (Method::GET, &[("if-range", etag), range], 206),
        (Method::GET, &[("if-range", "\"other\""), range], 200),
    ];
    for (n, (method, headers, status)) in requests.into_iter().enumerate() {
        let change =
            json!({ "name_page_id": world.page.slug, "participant": { "first_name": format!("Ana {n}") } });
        world.put("/v5/participants/ana@example.edu", change).await.expect(200);
        assert!(!is_kept(), "there was a write");
        let first = played(link, method.clone(), headers).await;
        assert_eq!(first.0, status, "{method} {headers:?}");
        played(link, Method::GET, &[]).await;
        assert!(is_kept());
        assert_eq!(played(link, method.clone(), headers).await, first, "{method} {headers:?}");
    }
    world
        .delete(&format!("/v5/participants/ana@example.edu/pronunciations/{id}"), json!({}))
        .await
        .expect(200);
    assert!(!is_kept());
    assert_eq!(played(link, Method::GET, &[]).await.0, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_that_was_just_played_is_gone_when_another_process_erases_the_person() {
    let (here, token) = Installation::with_token().await;
    let server = here.serve(&["--workers", "0"]);
    let request =
        reqwest::Client::new().post(format!("http://{}/api/private/v5/participants", server.address()));
    let made =
        request.header("authorization", &token).json(&ana_with_recording("class")).send().await.unwrap();
    let made: Value = made.json().await.unwrap();
    let link = made["participant"]["recording_link"].as_str().unwrap();
    let path = link.splitn(4, '/').nth(3).unwrap();
    let link = format!("http://{}/{path}", server.address());
    for _ in 0..3 {
        assert_eq!(played(&link, Method::GET, &[]).await.0, 200);
    }
    here.succeed(&["person", "delete", "ana@example.edu", "--institution", "example", "--yes"]);
    assert_eq!(played(&link, Method::GET, &[]).await.0, 404);
}
