//! Tokens, tenants and limits.

use std::time::Duration;

use endonym::app::{Actor, Error, limiter::Policy, scim::connections};
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Directory, id};
use crate::support::{Answer, Setup, World};

async fn asked(world: &World, slug: &str, path: &str, token: &str) -> Answer {
    let url = format!("{}/scim/v2/{slug}{path}", world.base);
    Answer::of(world.client.get(url).bearer_auth(token)).await
}

#[tokio::test]
async fn only_the_token_of_a_connection_works_and_only_for_its_institution() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let neighbor = world.neighbor().await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let new = connections::New { name: "Theirs".into(), pages_from_groups: false };
    let theirs =
        connections::create(&world.app, &Actor::Operator, neighbor.institution.id, new).await.unwrap().1;
    let (own, other) = (world.institution.slug.as_str(), neighbor.institution.slug.as_str());
    let own_user = format!("/Users/{ana}");
    let paths = [
        "/Users",
        "/Groups",
        "/ServiceProviderConfig",
        "/Schemas",
        "/ResourceTypes",
        "/Me",
        own_user.as_str(),
    ];
    let mut bodies = Vec::new();
    for path in paths {
        for (slug, token) in [
            (own, ""),
            (own, "endonym_nothing"),
            (own, world.token.as_str()),
            (own, theirs.as_str()),
            (other, directory.token.as_str()),
            ("nowhere", directory.token.as_str()),
        ] {
            let answer = asked(&world, slug, path, token).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{slug} {path} {token}");
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            bodies.push(answer.body);
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "nothing tells them apart");
    let foreign = asked(&world, other, &format!("/Users/{ana}"), &theirs).await;
    assert_eq!(foreign.status, StatusCode::NOT_FOUND);
    assert_eq!(asked(&world, other, "/Users", &theirs).await.expect(200)["totalResults"], 0);
    // The API does not accept it either.
    let api = Answer::of(world.request_as(&directory.token, Method::GET, "/v5/participants")).await;
    assert_eq!(api.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_revoked_connection_stops_at_once_and_what_it_made_stays() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let (app, institution) = (&world.app, world.institution.id);
    let all = connections::all(app, &Actor::Operator, institution).await.unwrap();
    assert!(all[0].last_used_at.is_some() && all[0].revoked_at.is_none());
    let revoke = || connections::revoke(app, &Actor::Operator, institution, directory.connection.id);
    revoke().await.unwrap();
    assert!(matches!(revoke().await, Err(Error::Missing(_))));
    assert_eq!(directory.get("/Users").await.status, StatusCode::UNAUTHORIZED);
    let next = Directory::new(&world).await;
    assert_eq!(id(&next.get(&format!("/Users/{ana}")).await.expect(200)), ana, "another one goes on");
}

#[tokio::test]
async fn requests_and_failures_are_limited() {
    let rate_limit =
        Policy { ceiling: 3, window: Duration::from_secs(900), throttle: Duration::from_secs(900) };
    let world = World::with(Setup { rate_limit, auth_failures: 2, ..Setup::default() }).await;
    let directory = Directory::new(&world).await;
    let mut refused = directory.get("/Users").await;
    assert_eq!(refused.status, StatusCode::OK);
    for number in 0..10 {
        refused = directory.post("/Users", json!({ "userName": format!("u{number}") })).await;
    }
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(!refused.header("retry-after").is_empty());
    let slug = world.institution.slug.as_str();
    let mut last = asked(&world, slug, "/Users", "wrong").await;
    for _ in 0..10 {
        last = asked(&world, slug, "/Users", "wrong").await;
    }
    assert_eq!(last.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(last.body["status"], "429");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_in_the_shape_of_scim() {
    let world = World::on_sqlite().await;
    let directory = Directory::new(&world).await;
    let huge = json!({ "userName": "x".repeat(33 << 20) });
    assert_eq!(directory.post("/Users", huge).await.status, StatusCode::PAYLOAD_TOO_LARGE);
}
