//! A rate limit for each page, for all clients together; unknown codes count against the client's address.

use std::time::Duration;

use endonym::{
    app::{
        Actor,
        institutions::{self, Change},
        limiter::Policy,
    },
    domain::client_address::TrustedProxies,
};
use reqwest::Method;

use super::{error, get, open};
use crate::support::{Answer, Setup, World};

async fn limited(ceiling: u32) -> World {
    let (window, throttle) = (Duration::from_secs(900), Duration::from_secs(300));
    World::with(Setup { rate_limit: Policy { ceiling, window, throttle }, ..Setup::default() }).await
}

fn standing(answer: &Answer) -> (&str, &str) {
    (answer.header("Nc-Rate-Limit-Limit"), answer.header("Nc-Rate-Limit-Remaining"))
}

#[tokio::test]
async fn a_page_has_one_bucket_and_other_pages_have_theirs() {
    let world = limited(3).await;
    let choir = world.page("Choir").await;
    open(&world, &world.page).await;
    open(&world, &choir).await;
    let (code, choir) = (&world.page.access_code, &choir.access_code);
    for (spelled, left) in [(code.clone(), "2"), (code.to_lowercase(), "1"), (code.clone(), "0")] {
        let answer = get(&world, &format!("access_code={spelled}")).await;
        assert_eq!(standing(&answer), ("3", left));
        answer.expect(200);
    }
    let answer = get(&world, &format!("access_code={code}")).await;
    assert_eq!(standing(&answer), ("3", "0"));
    assert!((240..=300).contains(&answer.header("Retry-After").parse::<u64>().unwrap()));
    assert_eq!(answer.expect(429), error("Too Many Requests"));
    assert_eq!(standing(&get(&world, &format!("access_code={choir}")).await), ("3", "2"));
    let everywhere = get(&world, &format!("access_code={}", world.institution.access_code)).await;
    assert_eq!(standing(&everywhere), ("3", "2"), "the institution's own code has one too");
    let wrong = get(&world, &format!("access_code={choir}&icon=9")).await;
    assert_eq!(standing(&wrong), ("3", "1"), "errors count");
    assert_eq!(standing(&world.get("/v5/participants").await), ("3", "2"), "tokens are counted apart");
}

#[tokio::test]
async fn an_address_that_has_guessed_too_often_is_refused_before_anybody_looks_at_its_code() {
    let world = limited(3).await;
    let closed = world.page("Closed").await;
    open(&world, &world.page).await;
    let right = format!("access_code={}", world.page.access_code);
    for _ in 0..2 {
        get(&world, &right).await.expect(200);
    }
    for (code, left) in [("nothing", "2"), ("nowhere", "1"), (&closed.slug, "0")] {
        let answer = get(&world, &format!("access_code={code}")).await;
        assert_eq!(standing(&answer), ("3", left), "right codes are no guesses");
        assert_eq!(answer.expect(404), error("Not Found"));
    }
    for query in ["access_code=nothing", &format!("access_code={}", closed.access_code), &right] {
        let answer = get(&world, query).await;
        assert!((240..=300).contains(&answer.header("Retry-After").parse::<u64>().unwrap()));
        assert_eq!(standing(&answer), ("3", "0"));
        assert_eq!(answer.expect(429), error("Too Many Requests"), "{query}");
    }
    world.get("/v5/participants").await.expect(200);
    let elsewhere = from(&world, [127, 0, 0, 2], &right).await;
    assert_eq!(elsewhere, 200, "another address has its own");
    assert_eq!(from(&world, [127, 0, 0, 2], "access_code=nothing").await, 404);
}

#[tokio::test]
async fn past_its_limit_an_address_has_one_guess_in_each_throttle_time() {
    let (window, throttle) = (Duration::from_secs(900), Duration::from_secs(100));
    let rate_limit = Policy { ceiling: 2, window, throttle };
    let world = World::with(Setup { rate_limit, ..Setup::default() }).await;
    open(&world, &world.page).await;
    for _ in 0..2 {
        get(&world, "access_code=nothing").await.expect(404);
    }
    let right = format!("access_code={}", world.page.access_code);
    get(&world, &right).await.expect(429);
    world.advance(throttle / 2);
    get(&world, &right).await.expect(429);
    world.advance(throttle / 2);
    get(&world, &right).await.expect(200);
    assert_eq!(get(&world, &right).await.status, 429, "that was the one");
}

/// The status for a client at another address.
async fn from(world: &World, address: [u8; 4], query: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().local_address(std::net::IpAddr::from(address));
    let url = format!("{}/api/private/v2/names?{query}", world.base);
    client.build().unwrap().get(url).send().await.unwrap().status().as_u16()
}

/// Behind a proxy, the client is the address that the proxy adds; values sent by the client come before it.
#[tokio::test]
async fn clients_behind_a_trusted_proxy_are_counted_apart() {
    let world = limited(2).await;
    let ask = async |forwarded: &'static str| {
        let request = world.request_without_token(Method::GET, "/v2/names?access_code=nothing");
        Answer::of(request.header("X-Forwarded-For", forwarded)).await.status.as_u16()
    };
    for forwarded in ["192.0.2.7", "203.0.113.1, 192.0.2.7", "203.0.113.2, 192.0.2.7, 10.0.0.1"] {
        let status = ask(forwarded).await;
        assert!([404, 429].contains(&status), "{forwarded}");
    }
    assert_eq!(ask("203.0.113.3, 192.0.2.7").await, 429, "two were all, whatever stands before the address");
    assert_eq!(ask("192.0.2.8").await, 404);
    assert_eq!(ask("2001:db8::1").await, 404);
    assert_eq!(ask("2001:db8::2").await, 404);
    assert_eq!(ask("2001:db8::3").await, 429, "a /64 is one client");
}

#[tokio::test]
async fn a_client_that_is_no_trusted_proxy_cannot_choose_its_address() {
    let (window, throttle) = (Duration::from_secs(900), Duration::from_secs(300));
    let rate_limit = Policy { ceiling: 1, window, throttle };
    let mut setup = Setup { rate_limit, ..Setup::default() };
    setup.limits.trusted_proxies = TrustedProxies::parse("none").unwrap();
    let world = World::with(setup).await;
    let mut statuses = Vec::new();
    for forwarded in ["192.0.2.1", "192.0.2.2"] {
        let request = world.request_without_token(Method::GET, "/v2/names?access_code=nothing");
        statuses.push(Answer::of(request.header("X-Forwarded-For", forwarded)).await.status.as_u16());
    }
    assert_eq!(statuses, [404, 429]);
}

#[tokio::test]
async fn an_institutions_own_ceiling_is_that_of_its_pages() {
    let world = limited(1).await;
    let change = Change { rate_limit: Some(Some(5)), ..Change::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
    open(&world, &world.page).await;
    assert_eq!(standing(&get(&world, &format!("access_code={}", world.page.access_code)).await), ("5", "4"));
}
