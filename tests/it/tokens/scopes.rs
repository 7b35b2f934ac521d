//! `--scope read|write|sync|all`.

use std::collections::BTreeSet;

use endonym::domain::access::TokenScope;
use reqwest::Method;
use serde_json::{Value, json};

use super::{get, post, scoped, send};
use crate::{
    support::{World, openapi},
    v5::every_endpoint,
};

/// Every endpoint that requires a token, with the scope that it requires.
fn endpoints(world: &World) -> Vec<(&'static str, Method, String, Option<Value>)> {
    let mut all = Vec::new();
    for call in every_endpoint(world) {
        let reads = call.method == Method::GET || call.path.contains("search");
        all.push((if reads { "read" } else { "write" }, call.method, call.path, call.body));
    }
    let recording = "/v5/participants/ana@x.org/pronunciations/recording_0";
    all.push(("write", Method::DELETE, recording.into(), None));
    let export = json!({ "export": { "name_page_id": world.page.slug } });
    all.push(("write", Method::POST, "/v4/exports".into(), Some(export)));
    all.push(("read", Method::GET, "/v4/exports".into(), None));
    all.push(("read", Method::GET, "/v4/exports/1".into(), None));
    for version in ["v5", "v4"] {
        let path = format!("/{version}/lti/lms/courses/synchronize");
        all.push(("sync", Method::POST, path, Some(json!({ "api_token": "none" }))));
    }
    let code = &world.page.access_code;
    all.push(("read", Method::GET, format!("/v3/names?access_code={code}"), None));
    all.push(("read", Method::GET, "/v3/name?email=ana@x.org".into(), None));
    all.push(("read", Method::GET, "/v3/names/search?email_list=ana@x.org".into(), None));
    all.push(("read", Method::POST, "/v3/names/search?email_list=ana@x.org".into(), None));
    all
}

#[tokio::test]
async fn every_endpoint_that_requires_a_token_is_listed() {
    let world = World::on_sqlite().await;
    let listed = endpoints(&world);
    let listed: BTreeSet<String> =
        listed.iter().map(|(_, method, path, _)| openapi::operation(method, path)).collect();
    let documented = ["v5", "v4", "v3"].into_iter().flat_map(openapi::operations);
    let missing: Vec<String> = documented.filter(|operation| !listed.contains(operation)).collect();
    assert!(
        missing.is_empty(),
        "add to `every_endpoint` in tests/it/v5/mod.rs if it succeeds with nothing but `ana@x.org` on the page, or else to `endpoints` in \
         tests/it/tokens/scopes.rs: {missing:?}"
    );
}

#[tokio::test]
async fn a_token_does_what_its_scope_says_and_everything_else_is_403_with_a_message() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for (scope, permitted) in [
        (TokenScope::Sync, vec!["sync"]),
        (TokenScope::Read, vec!["read"]),
        (TokenScope::Write, vec!["read", "write"]),
        (TokenScope::All, vec!["read", "write", "sync"]),
    ] {
        let token = scoped(&world, scope).await;
        for (needs, method, path, body) in endpoints(&world) {
            let answer = send(&world, &token, method.clone(), &path, body.as_ref()).await;
            let what = format!("{scope:?}: {method} {path}");
            assert!(!answer.header("Nc-Rate-Limit-Remaining").is_empty(), "{what}: it counts");
            if permitted.contains(&needs) {
                assert_ne!(answer.status, 403, "{what}");
                continue;
            }
            let has = scope.word();
            let message = format!(
                "Forbidden: this request needs an access token with the scope `{needs}`, and this one has `{has}`"
            );
            let wanted = if path.starts_with("/v3") {
                json!({ "result": "error", "message": message })
            } else {
                json!({ "message": message })
            };
            assert_eq!(answer.expect(403), wanted, "{what}");
        }
        if !permitted.contains(&"write") {
            let list = world.get("/v5/participants").await.expect(200);
            assert_eq!(list["Response"]["meta"]["total_count"], 1, "{scope:?} has changed nobody");
            assert_eq!(world.get("/v4/exports").await.expect(200)["exports"], json!([]));
        }
    }
}

#[tokio::test]
async fn what_a_token_may_not_do_is_refused_before_its_body_is_read() {
    let world = World::new().await;
    let token = scoped(&world, TokenScope::Read).await;
    for body in ["{", "[]", &"x".repeat(3 << 20)] {
        let request = world.request_as(&token, Method::POST, "/v5/participants").body(body.to_owned());
        assert_eq!(crate::support::Answer::of(request).await.status, 403);
    }
    // A phone number is a write like any other.
    let call = json!({ "name_page_id": world.page.slug, "participant": { "phone_number": "+12025550123" } });
    send(&world, &token, Method::PUT, "/v5/participants/ana@x.org", Some(&call)).await.expect(403);
}

#[tokio::test]
async fn a_token_that_reads_reads_reports_that_another_has_asked_for() {
    let world = World::new().await;
    let (reads, writes) = (scoped(&world, TokenScope::Read).await, scoped(&world, TokenScope::Write).await);
    let export = json!({ "export": { "name_page_id": world.page.slug } });
    let made = post(&world, &writes, "/v4/exports", export).await.expect(202);
    let id = made["export"]["id"].as_str().unwrap();
    assert_eq!(
        get(&world, &reads, &format!("/v4/exports/{id}")).await.expect(200),
        json!({ "export": made["export"] })
    );
}

#[tokio::test]
async fn another_institutions_things_stay_not_found_whatever_the_scope() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let token = scoped(&world, TokenScope::Write).await;
    let path = format!("/v4/name_pages/{}/participants", neighbor.page.slug);
    get(&world, &token, &path).await.expect(404);
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "A", "email": "a@x.org" } });
    post(&world, &token, "/v5/participants", body).await.expect(404);
}
