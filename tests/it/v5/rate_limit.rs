//! Versions 5 and 4: a burst of requests per token, then one per second.

use std::time::Duration;

use endonym::app::{
    Actor,
    institutions::{self, Change},
    limiter::Policy,
    tokens,
};
use reqwest::Method;
use serde_json::json;

use super::{every_endpoint, message, meta};
use crate::support::{Answer, Setup, World};

async fn limited(ceiling: u32, window: Duration, throttle: Duration) -> World {
    World::with(Setup { rate_limit: Policy { ceiling, window, throttle }, ..Setup::default() }).await
}

const QUARTER: Duration = Duration::from_secs(900);
const LONG: Duration = Duration::from_secs(300);

fn number(answer: &Answer, header: &str) -> u64 {
    answer.header(header).parse().unwrap_or_else(|_| panic!("{header}: {:?}", answer.headers))
}

#[tokio::test]
async fn every_answer_tells_the_ceiling_what_is_left_and_when_the_window_ends() {
    let world = limited(50, QUARTER, LONG).await;
    world.person("Ana", "ana@x.org").await;
    for (n, call) in every_endpoint(&world).into_iter().enumerate() {
        let answer = Answer::of(call.send(world.request(call.method.clone(), &call.path))).await;
        assert_eq!(answer.status, call.status, "{call}");
        assert_eq!(number(&answer, "Nc-Rate-Limit-Limit"), 50, "{call}");
        assert_eq!(number(&answer, "Nc-Rate-Limit-Remaining"), 48 - n as u64, "{call}");
        assert!((800..=900).contains(&number(&answer, "Nc-Rate-Limit-Reset")), "{call}");
        assert_eq!(answer.header("Retry-After"), "", "{call}");
    }
}

#[tokio::test]
async fn errors_count_and_tell_the_same() {
    let world = limited(10, QUARTER, LONG).await;
    for (n, path) in ["/v5/participants?page=0", "/v4/participants/nobody@x.org", "/v5/participants/latest"]
        .iter()
        .enumerate()
    {
        let answer = world.get(path).await;
        assert!(answer.status.is_client_error());
        assert_eq!(number(&answer, "Nc-Rate-Limit-Remaining"), 9 - n as u64, "{path}");
    }
}

#[tokio::test]
async fn past_the_ceiling_it_is_too_many_requests_with_a_time_to_wait() {
    let world = limited(2, QUARTER, LONG).await;
    world.get("/v5/participants").await.expect(200);
    assert_eq!(number(&world.get("/v5/participants").await, "Nc-Rate-Limit-Remaining"), 0);
    let answer = world.get("/v5/participants").await;
    assert_eq!(number(&answer, "Nc-Rate-Limit-Limit"), 2);
    assert_eq!(number(&answer, "Nc-Rate-Limit-Remaining"), 0);
    assert!((800..=900).contains(&number(&answer, "Nc-Rate-Limit-Reset")));
    assert!((240..=300).contains(&number(&answer, "Retry-After")));
    assert_eq!(answer.expect(429), message("Too Many Requests"));
}

#[tokio::test]
async fn versions_5_and_4_share_one_bucket() {
    let world = limited(3, QUARTER, LONG).await;
    world.get("/v5/participants").await.expect(200);
    world.get("/v4/participants").await.expect(200);
    world.post("/v4/participants/search", json!({})).await.expect(200);
    for call in every_endpoint(&world) {
        let answer = Answer::of(call.send(world.request(call.method.clone(), &call.path))).await;
        assert_eq!(answer.expect(429), message("Too Many Requests"), "{call}");
    }
}

#[tokio::test]
async fn what_is_refused_is_not_done() {
    let world = limited(1, QUARTER, LONG).await;
    let create = json!({ "name_page_id": world.page.slug, "participant": { "first_name": "Ana", "email": "ana@x.org" } });
    world.get("/v5/participants").await.expect(200);
    world.post("/v5/participants", create.clone()).await.expect(429);
    world.advance(LONG);
    let total = meta(&world.get("/v5/participants").await.expect(200))["total_count"].clone();
    assert_eq!(total, 0, "it was refused");
    world.advance(LONG);
    world.post("/v5/participants", create).await.expect(201);
}

#[tokio::test]
async fn past_the_ceiling_a_request_is_accepted_when_the_throttle_has_gone_by() {
    let world = limited(1, QUARTER, LONG).await;
    world.get("/v5/participants").await.expect(200);
    let answer = world.get("/v5/participants").await;
    assert!((240..=300).contains(&number(&answer, "Retry-After")), "whole seconds");
    answer.expect(429);
    world.advance(LONG / 2);
    world.get("/v5/participants").await.expect(429);
    world.advance(LONG / 2);
    let answer = world.get("/v4/participants").await;
    assert_eq!(number(&answer, "Nc-Rate-Limit-Remaining"), 0);
    answer.expect(200);
    world.get("/v5/participants").await.expect(429);
}

#[tokio::test]
async fn a_window_starts_with_its_first_request_and_the_next_one_is_fresh() {
    let world = limited(2, QUARTER, QUARTER).await;
    let first = world.get("/v5/participants").await;
    assert_eq!((number(&first, "Nc-Rate-Limit-Reset"), number(&first, "Nc-Rate-Limit-Remaining")), (900, 1));
    world.advance(QUARTER / 2);
    world.get("/v5/participants").await.expect(200);
    world.get("/v5/participants").await.expect(429);
    world.advance(QUARTER / 2);
    let answer = world.get("/v5/participants").await;
    assert_eq!(number(&answer, "Nc-Rate-Limit-Remaining"), 1);
    answer.expect(200);
}

#[tokio::test]
async fn each_token_has_its_own_bucket() {
    let world = limited(1, QUARTER, LONG).await;
    let (_, second) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "second".into(), None)
            .await
            .unwrap();
    world.get("/v5/participants").await.expect(200);
    world.get("/v5/participants").await.expect(429);
    Answer::of(world.request_as(&second, Method::GET, "/v5/participants")).await.expect(200);
}

#[tokio::test]
async fn one_token_in_different_dress_has_one_bucket() {
    let world = limited(1, QUARTER, LONG).await;
    world.get("/v5/participants").await.expect(200);
    let dressed = format!("Bearer {}", world.token);
    Answer::of(world.request_as(&dressed, Method::GET, "/v5/participants")).await.expect(429);
}

#[tokio::test]
async fn an_institution_can_have_a_ceiling_of_its_own() {
    let world = limited(1, QUARTER, LONG).await;
    let neighbor = world.neighbor().await;
    let change = Change { rate_limit: Some(Some(3)), ..Change::default() };
    institutions::update(&world.app, &Actor::Operator, &neighbor.institution.slug, change).await.unwrap();
    for left in [2, 1, 0] {
        let answer = Answer::of(world.request_as(&neighbor.token, Method::GET, "/v5/participants")).await;
        assert_eq!(
            (number(&answer, "Nc-Rate-Limit-Limit"), number(&answer, "Nc-Rate-Limit-Remaining")),
            (3, left)
        );
        answer.expect(200);
    }
    Answer::of(world.request_as(&neighbor.token, Method::GET, "/v5/participants")).await.expect(429);
    assert_eq!(number(&world.get("/v5/participants").await, "Nc-Rate-Limit-Limit"), 1);
}

#[tokio::test]
async fn without_a_valid_token_nothing_is_counted_or_told() {
    let world = limited(1, QUARTER, LONG).await;
    for _ in 0..3 {
        let answer = Answer::of(world.request_as("nonsense", Method::GET, "/v5/participants")).await;
        assert_eq!(answer.header("Nc-Rate-Limit-Limit"), "");
        answer.expect(401);
    }
    world.get("/v5/participants").await.expect(200);
}

#[tokio::test]
async fn of_many_requests_at_once_no_more_than_the_ceiling_pass() {
    let world = std::sync::Arc::new(limited(10, QUARTER, LONG).await);
    let sent: Vec<_> = (0..40)
        .map(|_| {
            let world = world.clone();
            tokio::spawn(async move { world.get("/v5/participants").await.status })
        })
        .collect();
    let mut passed = 0;
    for one in sent {
        passed += usize::from(one.await.unwrap() == 200);
    }
    assert_eq!(passed, 10);
}
