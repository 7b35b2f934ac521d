//! Versions 5 and 4: tokens are secrets of servers, so only origins that the institution lists may call (CORS).

use endonym::app::{
    Actor,
    institutions::{self, Change},
};
use reqwest::Method;

use super::every_endpoint;
use crate::support::{Answer, World, until};

const DIRECTORY: &str = "https://directory.example.edu";

async fn listing(origin: &str) -> World {
    let world = World::new().await;
    let change = Change { allow_origins: vec![origin.to_owned()], ..Change::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
    world
}

/// A preflight request.
async fn preflight(world: &World, path: &str, origin: &str) -> reqwest::Response {
    let request = world
        .request_without_token(Method::OPTIONS, path)
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "authorization,content-type");
    request.send().await.unwrap()
}

fn header<'a>(headers: &'a reqwest::header::HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_listed_origin_may_read_every_answer_and_its_rate_limit() {
    let world = listing(DIRECTORY).await;
    world.person("Ana", "ana@x.org").await;
    for call in every_endpoint(&world) {
        let request = world.request(call.method.clone(), &call.path).header("Origin", DIRECTORY);
        let answer = Answer::of(call.send(request)).await;
        assert_eq!(answer.status, call.status, "{call}");
        assert_eq!(answer.header("access-control-allow-origin"), DIRECTORY, "{call}");
        let exposed = answer.header("access-control-expose-headers").to_lowercase();
        for name in [
            "nc-rate-limit-limit",
            "nc-rate-limit-remaining",
            "nc-rate-limit-reset",
            "retry-after",
            "idempotency-replayed",
        ] {
            assert!(exposed.contains(name), "{call}: {exposed}");
        }
        assert_eq!(answer.header("vary").to_lowercase(), "origin", "{call}");
    }
}

#[tokio::test]
async fn errors_are_readable_by_a_listed_origin_too() {
    let world = listing(DIRECTORY).await;
    for path in ["/v5/participants?page=0", "/v4/participants/nobody@x.org"] {
        let answer = Answer::of(world.request(Method::GET, path).header("Origin", DIRECTORY)).await;
        assert!(answer.status.is_client_error());
        assert_eq!(answer.header("access-control-allow-origin"), DIRECTORY, "{path}");
    }
}

#[tokio::test]
async fn other_origins_may_read_nothing() {
    let world = listing(DIRECTORY).await;
    world.person("Ana", "ana@x.org").await;
    let origins = [
        "https://evil.example",
        "http://directory.example.edu",
        "https://directory.example.edu:8443",
        "https://directory.example.edu.evil.example",
        "https://sub.directory.example.edu",
        "null",
        "*",
    ];
    for origin in origins {
        for path in ["/v5/participants", "/v4/participants/ana@x.org"] {
            let answer = Answer::of(world.request(Method::GET, path).header("Origin", origin)).await;
            assert_eq!(answer.header("access-control-allow-origin"), "", "{origin}");
            let asked = preflight(&world, path, origin).await;
            assert_eq!(header(asked.headers(), "access-control-allow-origin"), "", "{origin}");
        }
    }
}

/// Anybody can send preflights. What they are answered from is read once, and again when an institution has changed its list.
#[tokio::test]
async fn preflights_are_answered_from_memory_until_a_list_changes() {
    let world = listing(DIRECTORY).await;
    let listed = async |origin: &str| {
        let answer = preflight(&world, "/v5/participants", origin).await;
        header(answer.headers(), "access-control-allow-origin") == origin
    };
    assert!(listed(DIRECTORY).await);
    let new = "https://new.example.edu";
    let change = |add: &str, remove: &str| Change {
        allow_origins: vec![add.to_owned()],
        forbid_origins: vec![remove.to_owned()],
        ..Change::default()
    };
    for (add, remove) in [(new, DIRECTORY), (DIRECTORY, new)] {
        let (app, slug) = (&world.app, &world.institution.slug);
        institutions::update(app, &Actor::Operator, slug, change(add, remove)).await.unwrap();
        until("the list is read again", || async { listed(add).await && !listed(remove).await }).await;
    }
}

#[tokio::test]
async fn without_a_list_no_origin_may_read() {
    let world = World::new().await;
    let answer = Answer::of(world.request(Method::GET, "/v5/participants").header("Origin", DIRECTORY)).await;
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn a_request_without_an_origin_gets_no_such_headers() {
    let world = listing(DIRECTORY).await;
    let answer = world.get("/v5/participants").await;
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn a_preflight_of_a_listed_origin_is_answered_without_a_token() {
    let world = listing(DIRECTORY).await;
    for path in every_endpoint(&world).iter().map(|call| call.path.as_str()) {
        let answer = preflight(&world, path, DIRECTORY).await;
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        let headers = answer.headers();
        assert_eq!(header(headers, "access-control-allow-origin"), DIRECTORY, "{path}");
        let methods = header(headers, "access-control-allow-methods");
        assert!(["GET", "POST", "PUT", "DELETE"].iter().all(|method| methods.contains(method)), "{methods}");
        let allowed = header(headers, "access-control-allow-headers").to_lowercase();
        for name in ["authorization", "content-type", "idempotency-key"] {
            assert!(allowed.contains(name), "{allowed}");
        }
    }
}

#[tokio::test]
async fn the_origin_of_another_institution_may_not_read_this_ones_answers() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let change = Change { allow_origins: vec![DIRECTORY.to_owned()], ..Change::default() };
    institutions::update(&world.app, &Actor::Operator, &neighbor.institution.slug, change).await.unwrap();
    let ours = Answer::of(world.request(Method::GET, "/v5/participants").header("Origin", DIRECTORY)).await;
    assert_eq!(ours.header("access-control-allow-origin"), "");
    let theirs =
        world.request_as(&neighbor.token, Method::GET, "/v5/participants").header("Origin", DIRECTORY);
    assert_eq!(Answer::of(theirs).await.header("access-control-allow-origin"), DIRECTORY);
}

#[tokio::test]
async fn an_origin_that_is_taken_off_the_list_may_no_longer_read() {
    let world = listing(DIRECTORY).await;
    let change = Change { forbid_origins: vec![DIRECTORY.to_owned()], ..Change::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
    let answer = Answer::of(world.request(Method::GET, "/v5/participants").header("Origin", DIRECTORY)).await;
    assert_eq!(answer.header("access-control-allow-origin"), "");
}
