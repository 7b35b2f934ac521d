//! Versions 3 and 2: authentication, and the errors without it.

use std::time::Duration;

use endonym::{
    app::{Actor, tokens},
    http::body::BodyLimits,
};
use reqwest::Method;
use serde_json::json;

use super::{error, get, get_as};
use crate::support::{Answer, Setup, World, database::execute};

async fn ask(world: &World, method: Method, path: &str) -> Answer {
    Answer::of(world.request_without_token(method, path)).await
}

#[tokio::test]
async fn without_a_valid_token_it_is_not_authorized_whatever_else_is_wrong() {
    let world = World::new().await;
    let code = &world.page.access_code;
    for path in [
        format!("/names?access_code={code}"),
        "/names?access_code=nothing".to_owned(),
        "/names?icon=9".to_owned(),
        "/name?x=1".to_owned(),
        "/names/search?x=1".to_owned(),
    ] {
        let long = "x".repeat(1_000);
        for token in ["", "%20", "nonsense", "endonym_nonsense", &format!("Bearer%20{}", world.token), &long]
        {
            let answer = get_as(&world, token, &path).await;
            assert_eq!(answer.header("Nc-Rate-Limit-Limit"), "", "{path}");
            assert_eq!(answer.expect(401), error("Not Authorized"), "{path} {token}");
        }
        let answer = ask(&world, Method::GET, &format!("/v3{path}")).await;
        assert_eq!(answer.expect(401), error("Not Authorized"), "{path}");
        // Version 3 ignores the header of versions 4 and 5.
        let answer = Answer::of(world.request(Method::GET, &format!("/v3{path}"))).await;
        assert_eq!(answer.expect(401), error("Not Authorized"), "{path}");
    }
    let answer = ask(&world, Method::POST, "/v3/names/search").await;
    assert_eq!(answer.expect(401), error("Not Authorized"));
}

#[tokio::test]
async fn a_revoked_token_is_dead() {
    let world = World::new().await;
    let (made, token) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "web".into(), None).await.unwrap();
    let address = format!("/names?access_code={}", world.page.slug);
    get_as(&world, &token, &address).await.expect(200);
    tokens::revoke(&world.app, &Actor::Operator, world.institution.id, made.id).await.unwrap();
    world.advance(Duration::from_secs(1));
    get_as(&world, &token, &address).await.expect(401);
    get(&world, &address).await.expect(200);
}

#[tokio::test]
async fn unknown_paths_and_wrong_methods_have_the_shape_of_these_versions() {
    let world = World::new().await;
    for version in ["v3", "v2"] {
        for path in ["", "/", "/nothing", "/names/1/2", "/participants", "/names/search/x", "/Names"] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                let answer = ask(&world, method, &format!("/{version}{path}")).await;
                let told = format!("No such endpoint: see {}/docs/{version}", world.base);
                assert_eq!(answer.expect(404), error(&told), "{version}{path}");
            }
        }
        for (method, path) in [
            (Method::POST, "/names"),
            (Method::PUT, "/names"),
            (Method::DELETE, "/names/"),
            (Method::PATCH, "/names"),
            (Method::POST, "/openapi.json"),
        ] {
            let answer = ask(&world, method.clone(), &format!("/{version}{path}")).await;
            assert!(answer.header("Allow").contains("GET"), "{version} {method} {path}");
            let message = format!("Method Not Allowed: {method} is not offered here");
            assert_eq!(answer.expect(405), error(&message), "{version} {method} {path}");
        }
    }
    for (path, docs) in [("/v4/nothing", "/docs/v4"), ("/v33/names", "/docs"), ("/v", "/docs")] {
        let body = ask(&world, Method::GET, path).await.expect(404);
        let told = format!("No such endpoint: see {}{docs}", world.base);
        assert_eq!(body, json!({ "message": told }), "{path} has its own shape");
    }
    for version in ["v3", "v2"] {
        let document = ask(&world, Method::GET, &format!("/{version}/openapi.json")).await.expect(200);
        assert_eq!(document["info"]["version"], version.trim_start_matches('v'));
        assert!(document["servers"][0]["url"].as_str().unwrap().starts_with(&world.base));
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_or_too_slow() {
    let mut setup = Setup::default();
    setup.limits.body = BodyLimits::new(2_000, Duration::from_secs(1), 1 << 20);
    let world = World::with(setup).await;
    let path = format!("/v3/names/search?auth_token={}", world.token);
    let request = world.request_without_token(Method::POST, &path).body("x".repeat(3_000));
    let message = "Payload Too Large: a body may have 2000 bytes at most";
    assert_eq!(Answer::of(request).await.expect(413), error(message));
    let request = world.request_without_token(Method::POST, "/v3/names/search").body("x".repeat(3_000));
    assert_eq!(Answer::of(request).await.expect(413), error(message), "with the token in it");
    let answer = world.raw(&format!("POST {path}"), &["Content-Length: 100"]).await;
    assert_eq!(answer.expect(408), error("Request Timeout: the body did not arrive in time"));
}

#[tokio::test]
async fn a_request_line_that_is_too_long_has_the_shape_of_these_versions() {
    let world = World::new().await;
    let long = "x".repeat(70_000);
    for version in ["v3", "v2"] {
        let answer = world.raw(&format!("GET /{version}/names?access_code={long}"), &[]).await;
        assert_eq!(answer.header("Access-Control-Allow-Origin"), "*");
        let message = "URI Too Long: a request line may have 64 KB at most; send the lists in a POST";
        assert_eq!(answer.expect(414), error(message));
    }
    let body = world.raw(&format!("GET /v4/participants?x={long}"), &[]).await.expect(414);
    assert_eq!(body["result"], json!(null));
}

#[tokio::test]
async fn a_fault_of_ours_has_the_shape_of_these_versions_and_tells_nothing() {
    let world = World::new().await;
    execute(&world.app.db, "ALTER TABLE codes RENAME TO lost", vec![]).await;
    let code = &world.page.access_code;
    let asked = [
        get(&world, &format!("/names?access_code={code}")).await,
        ask(&world, Method::GET, &format!("/v2/names?access_code={code}")).await,
    ];
    for answer in asked {
        assert_eq!(answer.header("Access-Control-Allow-Origin"), "*");
        let message = "Internal Server Error: the log has the cause under this answer's X-Request-Id";
        assert_eq!(answer.expect(500), error(message));
    }
}
