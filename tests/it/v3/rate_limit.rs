//! Version 3 shares its rate limit with versions 5 and 4.

use std::time::Duration;

use endonym::app::limiter::Policy;

use super::{error, get, get_as, post_form};
use crate::support::{Answer, Setup, World};

async fn limited(ceiling: u32) -> World {
    let (window, throttle) = (Duration::from_secs(900), Duration::from_secs(300));
    World::with(Setup { rate_limit: Policy { ceiling, window, throttle }, ..Setup::default() }).await
}

fn left(answer: &Answer) -> &str {
    answer.header("Nc-Rate-Limit-Remaining")
}

#[tokio::test]
async fn versions_5_4_and_3_share_one_bucket_per_token() {
    let world = limited(6).await;
    let names = format!("/names?access_code={}", world.page.slug);
    assert_eq!(left(&world.get("/v5/participants").await), "5");
    let answer = get(&world, &names).await;
    assert_eq!((answer.header("Nc-Rate-Limit-Limit"), left(&answer)), ("6", "4"));
    assert!((800..=900).contains(&answer.header("Nc-Rate-Limit-Reset").parse::<u64>().unwrap()));
    assert_eq!(left(&world.get("/v4/participants").await), "3");
    assert_eq!(left(&get(&world, "/name?x=1").await), "2", "errors count too");
    assert_eq!(left(&get(&world, "/names?access_code=nothing").await), "1");
    assert_eq!(left(&post_form(&world, "email_list=a@x.org").await), "0");
    for answer in [get(&world, &names).await, get(&world, "/name?x=1").await, post_form(&world, "").await] {
        assert_eq!(left(&answer), "0");
        assert!((240..=300).contains(&answer.header("Retry-After").parse::<u64>().unwrap()));
        assert_eq!(answer.header("Access-Control-Allow-Origin"), "*");
        assert_eq!(answer.expect(429), error("Too Many Requests"));
    }
    world.get("/v5/participants").await.expect(429);
    get_as(&world, "nonsense", &names).await.expect(401);
}
