//! Repeated requests with unknown tokens from one address.

use std::{net::IpAddr, time::Duration};

use endonym::app::{Actor, limiter::Policy, tokens};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::get;
use crate::support::{Answer, Setup, World};

const MESSAGE: &str = "Too Many Requests";

async fn world(auth_failures: u32) -> World {
    let (window, throttle) = (Duration::from_secs(900), Duration::from_secs(300));
    let rate_limit = Policy { ceiling: 1_000, window, throttle };
    World::with(Setup { rate_limit, auth_failures, ..Setup::default() }).await
}

async fn new_token(world: &World) -> String {
    tokens::create(&world.app, &Actor::Operator, world.institution.id, "new".into(), None).await.unwrap().1
}

#[tokio::test]
async fn past_the_limit_unknown_tokens_are_429_and_valid_ones_work_as_ever() {
    let world = world(4).await;
    for (token, path) in [
        ("wrong", "/v5/participants"),
        ("", "/v4/exports"),
        ("wrong", "/v3/name?x=1"),
        ("other", "/v5/participants"),
    ] {
        get(&world, token, path).await.expect(401);
    }
    for (token, path) in [("wrong", "/v5/participants"), ("", "/v4/participants"), ("fifth", "/v4/exports")] {
        let answer = get(&world, token, path).await;
        assert!((240..=300).contains(&answer.header("Retry-After").parse::<u64>().unwrap()));
        assert_eq!(answer.header("Nc-Rate-Limit-Limit"), "", "there is no token to count for");
        assert_eq!(answer.expect(429), json!({ "message": MESSAGE }), "{path}");
    }
    let refused = get(&world, "wrong", "/v3/name?x=1").await;
    assert_eq!(refused.expect(429), json!({ "result": "error", "message": MESSAGE }));
    for _ in 0..2 {
        world.get("/v5/participants").await.expect(200);
        let fresh = new_token(&world).await;
        get(&world, &fresh, "/v4/participants").await.expect(200);
        get(&world, &new_token(&world).await, "/v3/name?email=a@x.org").await.expect(200);
    }
    let elsewhere = reqwest::Client::builder().no_proxy().local_address(IpAddr::from([127, 0, 0, 2]));
    let address = format!("{}/api/private/v5/participants", world.base);
    let answer =
        elsewhere.build().unwrap().get(address).header("Authorization", "wrong").send().await.unwrap();
    assert_eq!(answer.status(), 401, "another address has its own count");
}

#[tokio::test]
async fn a_flood_of_unknown_tokens_does_not_hold_up_a_token_that_is_new() {
    let world = world(10).await;
    let tokens: Vec<String> = join_all((0..5).map(|_| new_token(&world))).await;
    let wrong = (0..300).map(|n| {
        let token = format!("endonym_{n}");
        let request = world.request_as(&token, Method::GET, "/v5/participants");
        async move { Answer::of(request).await.status.as_u16() }
    });
    let (refused, accepted) = tokio::join!(
        join_all(wrong),
        join_all(tokens.iter().map(|token| get(&world, token, "/v5/participants")))
    );
    assert_eq!(refused.iter().filter(|status| **status == 401).count(), 10);
    assert_eq!(refused.iter().filter(|status| **status == 429).count(), 290);
    for answer in accepted {
        answer.expect(200);
    }
}

#[tokio::test]
async fn a_revoked_token_is_a_failure_like_any_other() {
    let world = world(2).await;
    let (made, token) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "goes".into(), None)
            .await
            .unwrap();
    get(&world, &token, "/v5/participants").await.expect(200);
    tokens::revoke(&world.app, &Actor::Operator, world.institution.id, made.id).await.unwrap();
    world.advance(Duration::from_secs(1));
    for status in [401, 401, 429] {
        get(&world, &token, "/v5/participants").await.expect(status);
    }
    world.get("/v5/participants").await.expect(200);
}
