//! So many requests for each page, whoever asks; codes that open nothing count for the address that they come from.

use std::time::Duration;

use endonym::app::{
    institutions::{self, Change},
    limiter::Policy,
};

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
async fn a_page_has_one_bucket_whatever_it_is_called_and_other_pages_have_theirs() {
    let world = limited(3).await;
    let choir = world.page("Choir").await;
    open(&world, &world.page).await;
    open(&world, &choir).await;
    for (code, left) in
        [(&world.page.access_code, "2"), (&world.page.slug, "1"), (&world.page.event_code, "0")]
    {
        let answer = get(&world, &format!("access_code={code}")).await;
        assert_eq!(standing(&answer), ("3", left));
        answer.expect(200);
    }
    let answer = get(&world, &format!("access_code={}", world.page.slug)).await;
    assert_eq!(standing(&answer), ("3", "0"));
    assert!((290..=300).contains(&answer.header("Retry-After").parse::<u64>().unwrap()));
    assert_eq!(answer.expect(429), error("Too Many Requests"));
    assert_eq!(standing(&get(&world, "access_code=choir").await), ("3", "2"));
    let everywhere = get(&world, &format!("access_code={}", world.institution.access_code)).await;
    assert_eq!(standing(&everywhere), ("3", "2"), "the institution's own code has one too");
    assert_eq!(standing(&get(&world, "access_code=choir&icon=9").await), ("3", "1"), "errors count");
    assert_eq!(standing(&world.get("/v5/participants").await), ("3", "2"), "tokens are counted apart");
}

#[tokio::test]
async fn codes_that_open_nothing_share_one_bucket_per_address() {
    let world = limited(3).await;
    let closed = world.page("Closed").await;
    open(&world, &world.page).await;
    for code in ["nothing", "nowhere", &closed.slug] {
        assert_eq!(get(&world, &format!("access_code={code}")).await.expect(404), error("Not Found"));
    }
    for code in ["nothing", "another", &closed.access_code] {
        let answer = get(&world, &format!("access_code={code}")).await;
        assert!(!answer.header("Retry-After").is_empty());
        assert_eq!(answer.expect(429), error("Too Many Requests"), "{code}");
    }
    get(&world, &format!("access_code={}", world.page.slug)).await.expect(200);
    let from_elsewhere =
        reqwest::Client::builder().no_proxy().local_address(std::net::IpAddr::from([127, 0, 0, 2]));
    let address = format!("{}/api/private/v2/names?access_code=nothing", world.base);
    let answer = from_elsewhere.build().unwrap().get(address).send().await.unwrap();
    assert_eq!(answer.status(), 404, "another address has its own");
}

#[tokio::test]
async fn an_institutions_own_ceiling_is_that_of_its_pages() {
    let world = limited(1).await;
    let change = Change { rate_limit: Some(Some(5)), ..Change::default() };
    institutions::update(&world.app, &world.institution.slug, change).await.unwrap();
    open(&world, &world.page).await;
    assert_eq!(standing(&get(&world, &format!("access_code={}", world.page.slug)).await), ("5", "4"));
}
