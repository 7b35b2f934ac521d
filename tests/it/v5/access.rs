//! Versions 5 and 4: authentication, and errors for unknown paths and methods.

use std::time::Duration;

use endonym::app::{Actor, tokens};
use reqwest::Method;
use serde_json::json;

use super::{every_endpoint, message};
use crate::support::{Answer, World, until};

#[tokio::test]
async fn every_endpoint_answers_whoever_has_a_token() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for call in every_endpoint(&world) {
        let answer = Answer::of(call.send(world.request(call.method.clone(), &call.path))).await;
        assert_eq!(answer.status, call.status, "{call}: {}", answer.body);
    }
}

#[tokio::test]
async fn without_a_token_or_with_a_wrong_one_nothing_is_authorized() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let short = &world.token[..world.token.len() - 1];
    let long = format!("{}x", world.token);
    let huge = "x".repeat(5_000);
    let scheme = format!("Basic {}", world.token);
    let wrong = ["", " ", "nonsense", "Bearer", "Bearer ", "Token token=", short, &long, &huge, &scheme];
    for call in every_endpoint(&world) {
        let answer =
            Answer::of(call.send(world.request_without_token(call.method.clone(), &call.path))).await;
        assert_eq!(answer.expect(401), message("Not Authorized"), "{call}");
        for token in wrong {
            let answer =
                Answer::of(call.send(world.request_as(token, call.method.clone(), &call.path))).await;
            assert_eq!(answer.expect(401), message("Not Authorized"), "{call} with {token:.20}");
        }
    }
    let list = world.get("/v5/participants").await.expect(200);
    assert_eq!(list["Response"]["participants"][0]["email"], "ana@x.org");
    assert_eq!(list["Response"]["meta"]["total_count"], 1);
}

#[tokio::test]
async fn a_token_stands_alone_or_behind_bearer_or_token() {
    let world = World::new().await;
    let token = &world.token;
    for value in [
        token.clone(),
        format!("Bearer {token}"),
        format!("bearer {token}"),
        format!("Token token={token}"),
        format!("Token token=\"{token}\""),
    ] {
        for path in ["/v5/participants", "/v4/participants"] {
            Answer::of(world.request_as(&value, Method::GET, path)).await.expect(200);
        }
    }
}

#[tokio::test]
async fn a_revoked_token_is_dead_within_a_second() {
    let world = World::new().await;
    let (made, token) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "second".into(), None)
            .await
            .unwrap();
    let ask = async || Answer::of(world.request_as(&token, Method::GET, "/v5/participants")).await.status;
    assert_eq!(ask().await, 200);
    tokens::revoke(&world.app, &Actor::Operator, world.institution.id, made.id).await.unwrap();
    world.advance(Duration::from_secs(1));
    assert_eq!(ask().await, 401);
}

#[tokio::test]
async fn an_expired_token_is_dead() {
    let world = World::new().await;
    let (_, token) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "today".into(), Some(1))
            .await
            .unwrap();
    let ask = async || Answer::of(world.request_as(&token, Method::GET, "/v4/participants")).await;
    let half_a_day = Duration::from_secs(12 * 3_600);
    ask().await.expect(200);
    world.advance(half_a_day);
    ask().await.expect(200);
    world.advance(half_a_day);
    assert_eq!(ask().await.expect(401), message("Not Authorized"));
}

#[tokio::test]
async fn an_unknown_path_says_so_with_and_without_a_token() {
    let world = World::new().await;
    for path in [
        "",
        "/v5",
        "/v5/",
        "/v5/people",
        "/v5/participants/a@x.org/pronunciations",
        "/v4/name_pages",
        "/v4/name_pages/x",
        "/v4/participants/a/b",
        "/v6/participants",
        "/v5/name_pages/x/participants",
        "/v4/pronunciations/search",
    ] {
        for method in [Method::GET, Method::POST] {
            let version = path.split('/').nth(1).filter(|version| ["v5", "v4"].contains(version));
            let docs = version.map(|version| format!("/{version}")).unwrap_or_default();
            let told = message(&format!("No such endpoint: see {}/docs{docs}", world.base));
            let with = Answer::of(world.request(method.clone(), path)).await;
            assert_eq!(with.expect(404), told, "{method} {path}");
            let without = Answer::of(world.request_without_token(method.clone(), path)).await;
            assert_eq!(without.expect(404), told, "{method} {path}");
        }
    }
    for path in ["/api", "/api/", "/api/nothing", "/api/private/v55/participants"] {
        let elsewhere = Answer::of(world.client.get(format!("{}{path}", world.base))).await;
        let told = message(&format!("No such endpoint: see {}/docs", world.base));
        assert_eq!(elsewhere.expect(404), told, "{path}");
    }
    for docs in ["/docs", "/docs/v5", "/docs/v4", "/docs/v3", "/docs/v2"] {
        let page = world.client.get(format!("{}{docs}", world.base)).send().await.unwrap();
        assert_eq!(page.status(), 200, "{docs}");
    }
}

#[tokio::test]
async fn the_old_address_of_the_documentation_leads_to_the_reference() {
    let world = World::new().await;
    let client =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    for version in ["v5", "v4"] {
        for path in [format!("/{version}/documentation"), format!("/{version}/documentation/")] {
            let answer = Answer::of(client.get(format!("{}/api/private{path}", world.base))).await;
            assert_eq!(answer.header("location"), format!("{}/docs/{version}", world.base));
            assert_eq!(answer.expect(302), serde_json::Value::Null);
            let page = world.client.get(format!("{}/api/private{path}", world.base)).send().await.unwrap();
            assert_eq!(page.status(), 200);
            let kind = page.headers()["content-type"].to_str().unwrap().to_owned();
            assert!(kind.starts_with("text/html"), "{kind}");
        }
    }
    for version in ["v3", "v2"] {
        let path = format!("/{version}/documentation");
        Answer::of(world.request_without_token(Method::GET, &path)).await.expect(404);
    }
}

#[tokio::test]
async fn a_wrong_method_is_405_with_a_message_with_and_without_a_token() {
    let world = World::new().await;
    for (method, path) in [
        (Method::DELETE, "/v5/participants"),
        (Method::PUT, "/v5/participants"),
        (Method::PATCH, "/v5/participants/ana@x.org"),
        (Method::POST, "/v5/participants/ana@x.org"),
        (Method::GET, "/v5/participants/ana@x.org"),
        (Method::PUT, "/v5/participants/search"),
        (Method::POST, "/v5/participants/latest"),
        (Method::GET, "/v5/pronunciations/search"),
        (Method::POST, "/v4/participants"),
        (Method::DELETE, "/v4/participants/ana@x.org"),
        (Method::PUT, "/v4/participants/ana@x.org"),
        (Method::POST, "/v4/participants/latest"),
        (Method::PUT, "/v4/name_pages/x/participants"),
        (Method::POST, "/v4/name_pages/x/participants/ana@x.org"),
    ] {
        for request in
            [world.request(method.clone(), path), world.request_without_token(method.clone(), path)]
        {
            let answer = Answer::of(request).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            assert!(answer.body["message"].as_str().is_some_and(|text| !text.is_empty()));
        }
    }
}

#[tokio::test]
async fn whatever_a_client_accepts_it_gets_json_and_never_406() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for accept in ["text/html", "application/xml", "image/png;q=0.1", "nonsense", "application/json;q=0", ""]
    {
        for path in
            ["/v5/participants", "/v4/participants/ana@x.org", "/v4/participants/nobody@x.org", "/v5/nothing"]
        {
            let answer = Answer::of(world.request(Method::GET, path).header("Accept", accept)).await;
            assert!(matches!(answer.status.as_u16(), 200 | 404), "{path} {accept}: {}", answer.status);
        }
    }
}

#[tokio::test]
async fn every_answer_is_json_errors_among_them() {
    // `Answer` itself checks the content type of everything that it reads.
    let world = World::new().await;
    world.get("/v5/participants").await.expect(200);
    world.get("/v5/participants?page=0").await.expect(422);
    world.post("/v5/participants", json!([])).await.expect(400);
    world.post("/v4/name_pages/x/participants", json!([])).await.expect(420);
    world.get("/v4/participants/nobody").await.expect(404);
    world.delete("/v5/participants/nobody", json!({})).await.expect(404);
}

#[tokio::test]
async fn no_answer_is_kept_in_a_cache_or_taken_for_something_else_than_it_is() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    crate::v2::open(&world, &world.page).await;
    let not_kept = |answer: &Answer, what: &str| {
        assert_eq!(answer.header("Cache-Control"), "no-store", "{what}");
        assert_eq!(answer.header("X-Content-Type-Options"), "nosniff", "{what}");
    };
    for call in every_endpoint(&world) {
        let with = Answer::of(call.send(world.request(call.method.clone(), &call.path))).await;
        not_kept(&with, &call.to_string());
        let without = world.request_without_token(call.method.clone(), &call.path);
        not_kept(&Answer::of(without).await, &call.to_string());
    }
    let (code, token) = (&world.page.access_code, &world.token);
    for path in [
        "/nothing".to_owned(),
        "/v4/exports".to_owned(),
        "/v4/exports/1".to_owned(),
        "/v5/participants?page=x".to_owned(),
        format!("/v3/names?access_code={code}&auth_token={token}"),
        "/v3/names".to_owned(),
        "/v3/nothing".to_owned(),
        format!("/v2/names?access_code={code}"),
        "/v2/names?access_code=nothing".to_owned(),
    ] {
        not_kept(&world.get(&path).await, &path);
        not_kept(&Answer::of(world.request(Method::PATCH, &path)).await, &path);
    }
    not_kept(&world.raw(&format!("GET /v5/participants?x={}", "x".repeat(70_000)), &[]).await, "414");
    world.work(1);
    let asked = json!({ "export": { "name_page_id": world.page.slug } });
    let id = world.post("/v4/exports", asked).await.expect(202)["export"]["id"].as_str().unwrap().to_owned();
    let path = format!("{}/api/private/v4/exports/{id}.csv", world.base);
    until("there is a report", || async {
        let report = world.client.get(&path).header("Authorization", token).send().await.unwrap();
        let header = |name: &str| report.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("cache-control") + &header("x-content-type-options"), "no-storenosniff");
        report.status() == 200
    })
    .await;
}

#[tokio::test]
async fn the_openapi_documents_need_no_token() {
    let world = World::new().await;
    for version in ["v5", "v4"] {
        let path = format!("/{version}/openapi.json");
        let document = Answer::of(world.request_without_token(Method::GET, &path)).await.expect(200);
        assert!(document["paths"].is_object());
    }
}
