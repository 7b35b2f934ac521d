//! Version 5: paging through everybody while people join and leave. Versions 5 and 4 read the same rolls.

use serde_json::json;

use super::{JULY, hex, meta, people};
use crate::support::{World, emails};

/// Everybody, read by following `next_page_url`.
async fn everybody(world: &World, per_page: usize) -> Vec<String> {
    let mut next = Some(format!("/v5/participants?per_page={per_page}"));
    let (mut all, mut total) = (Vec::new(), 0);
    while let Some(path) = next {
        let body = world.get(&path).await.expect(200);
        all.extend(emails(people(&body)).into_iter().map(str::to_owned));
        total = meta(&body)["total_count"].as_u64().unwrap();
        next = meta(&body)["next_page_url"]
            .as_str()
            .map(|address| address.split("/api/private").nth(1).unwrap().to_owned());
    }
    assert_eq!(all.len() as u64, total);
    all
}

async fn leave(world: &World, email: &str) {
    world
        .delete(&format!("/v5/participants/{email}"), json!({ "name_page_id": world.page.slug }))
        .await
        .expect(200);
}

#[tokio::test]
async fn following_next_page_url_meets_everybody_once() {
    let world = World::new().await;
    world.crowd(&world.page, 0..53).await;
    let mut all = everybody(&world, 10).await;
    assert_eq!(all.len(), 53);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 53);
}

#[tokio::test]
async fn the_order_is_the_same_whatever_happens_to_people() {
    let world = World::new().await;
    world.crowd(&world.page, 0..20).await;
    let before = everybody(&world, 6).await;
    world.record(&world.page, "p3@x.org", &hex('a'), JULY).await;
    let change = json!({ "name_page_id": world.page.slug, "participant": { "first_name": "Aaa" } });
    world.put("/v5/participants/p17@x.org", change).await.expect(200);
    assert_eq!(everybody(&world, 7).await, before);
}

#[tokio::test]
async fn whoever_stays_is_met_once_and_in_the_same_order_after_others_have_left() {
    let world = World::new().await;
    world.crowd(&world.page, 0..300).await;
    let before = everybody(&world, 100).await;
    let gone = |n: usize| matches!(n, 0 | 1 | 5 | 100..=140 | 255..=260 | 299);
    for n in (0..300).filter(|n| gone(*n)) {
        leave(&world, &before[n]).await;
    }
    let stayed: Vec<String> =
        before.iter().enumerate().filter(|(n, _)| !gone(*n)).map(|(_, email)| email.clone()).collect();
    for per_page in [1_000, 7, 64] {
        assert_eq!(everybody(&world, per_page).await, stayed, "{per_page} in a page");
    }
}

#[tokio::test]
async fn every_page_tells_the_right_total_after_deletions() {
    let world = World::new().await;
    world.crowd(&world.page, 0..30).await;
    for n in [3, 9, 29] {
        leave(&world, &format!("p{n}@x.org")).await;
    }
    for (page, count) in [(1, 10), (2, 10), (3, 7), (4, 0)] {
        let body = world.get(&format!("/v5/participants?page={page}")).await.expect(200);
        let meta = meta(&body);
        assert_eq!(emails(people(&body)).len(), count);
        assert_eq!(
            (&meta["total_count"], &meta["total_pages"], &meta["count"]),
            (&json!(27), &json!(3), &json!(count))
        );
    }
}

#[tokio::test]
async fn somebody_who_comes_between_two_pages_pushes_nobody_out() {
    let world = World::new().await;
    world.crowd(&world.page, 0..15).await;
    let first = world.get("/v5/participants").await.expect(200);
    world.person("Late", "late@x.org").await;
    let second = world.get("/v5/participants?page=2").await.expect(200);
    let mut all = [emails(people(&first)), emails(people(&second))].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 16);
    assert_eq!(meta(&second)["total_count"], 16);
}

#[tokio::test]
async fn everybody_can_leave_and_others_come_after_them() {
    let world = World::new().await;
    world.crowd(&world.page, 0..4).await;
    for n in 0..4 {
        leave(&world, &format!("p{n}@x.org")).await;
    }
    assert_eq!(everybody(&world, 10).await, [] as [&str; 0]);
    world.crowd(&world.page, 2..6).await;
    let mut all = everybody(&world, 3).await;
    all.sort();
    assert_eq!(all, ["p2@x.org", "p3@x.org", "p4@x.org", "p5@x.org"]);
}

#[tokio::test]
async fn a_page_beyond_the_end_is_empty_and_keeps_the_totals() {
    let world = World::new().await;
    world.crowd(&world.page, 0..12).await;
    for page in ["3", "1000", "18446744073709551615", "99999999999999999999999"] {
        let body = world.get(&format!("/v5/participants?page={page}")).await.expect(200);
        assert_eq!(people(&body), &json!([]));
        let mut meta = meta(&body).clone();
        meta.as_object_mut().unwrap().remove("self_url");
        assert_eq!(meta, json!({ "total_count": 12, "total_pages": 2, "count": 0 }), "{page}");
    }
}

#[tokio::test]
async fn a_page_of_two_and_a_half_thousand_has_them_all() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2_500).await;
    leave(&world, "p700@x.org").await;
    let body = world.get("/v5/participants?per_page=10000").await.expect(200);
    let mut all = emails(people(&body));
    assert_eq!(meta(&body)["count"], 2_499);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 2_499);
}

#[tokio::test]
async fn totals_and_pages_are_right_after_many_came_and_went_at_once() {
    let world = std::sync::Arc::new(World::new().await);
    world.crowd(&world.page, 0..40).await;
    let coming = (40..70).map(|n| {
        let world = world.clone();
        tokio::spawn(async move { drop(world.person("Late", &format!("p{n}@x.org")).await) })
    });
    let going = (0..40).filter(|n| n % 2 == 0).map(|n| {
        let world = world.clone();
        tokio::spawn(async move { leave(&world, &format!("p{n}@x.org")).await })
    });
    let both: Vec<_> = coming.chain(going).collect();
    for one in both {
        one.await.unwrap();
    }
    let mut wanted: Vec<String> =
        (0..70).filter(|n| *n >= 40 || n % 2 == 1).map(|n| format!("p{n}@x.org")).collect();
    wanted.sort();
    for per_page in [7, 100] {
        let mut all = everybody(&world, per_page).await;
        all.sort();
        assert_eq!(all, wanted, "{per_page} in a page");
    }
}
