//! Version 4: `POST /participants/search`, and `GET`.

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, SECOND, hex, numbered, path, sorted};
use crate::support::{Answer, World, emails, keys};

async fn search(world: &World, body: Value) -> Value {
    world.post("/v4/participants/search", body).await.expect(200)
}

#[tokio::test]
async fn a_search_answers_like_a_list() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.record(&world.page, "p1@x.org", &hex('a'), JULY).await;
    let body = search(&world, json!({ "institution_id_list": ["I1"], "include": "custom_attributes" })).await;
    assert_eq!(
        world.shown(&body),
        json!({
            "participants": [{
                "first_name": "P1",
                "last_name": null,
                "email": "p1@x.org",
                "recording_link": format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a')),
                "event_title": "Class of 2027",
                "event_slug": world.page.slug,
                "event_access_code": world.page.access_code,
                "institution_id": "I1",
                "photo": null,
                "name_badge_link": "{base}/badges/{institution}/{token}",
                "phonetic_spelling": null,
                "notes": null,
                "custom_objects": {},
            }],
            "meta": {
                "self_url": "{base}/api/private/v4/participants/search\
                             ?format=json&include=custom_attributes&institution_id_list=I1&page=1&per_page=10",
                "total_count": 1,
                "total_pages": 1,
                "count": 1,
            },
        })
    );
}

#[tokio::test]
async fn without_lists_it_is_everybody_paged() {
    let world = World::new().await;
    world.crowd(&world.page, 0..12).await;
    for body in [
        json!({}),
        json!({ "email_list": [] }),
        json!({ "email_list": "", "institution_id_list": null }),
        json!({ "email_list": [null, "", " "], "institution_id_list": "," }),
    ] {
        let found = search(&world, body.clone()).await;
        assert_eq!(
            (emails(&found["participants"]).len(), &found["meta"]["total_count"]),
            (10, &json!(12)),
            "{body}"
        );
    }
    let empty = Answer::of(world.request(Method::POST, "/v4/participants/search?page=2")).await.expect(200);
    assert_eq!(emails(&empty["participants"]).len(), 2);
}

#[tokio::test]
async fn a_search_takes_its_parameters_from_query_form_and_json_together() {
    let world = World::new().await;
    world.crowd(&world.page, 0..6).await;
    let query = "/v4/participants/search?email_list=p0@x.org,p1@x.org&per_page=1";
    assert_eq!(emails(&world.get(query).await.expect(200)["participants"]).len(), 1);
    let json = world.post(query, json!({ "email_list": ["p2@x.org", "p3@x.org"] })).await.expect(200);
    assert_eq!((&json["meta"]["total_count"], &json["meta"]["count"]), (&json!(2), &json!(1)));
    assert!(["p2@x.org", "p3@x.org"].contains(&emails(&json["participants"])[0]));
    let form = world
        .request(Method::POST, query)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("email_list[]=p4@x.org&email_list[]=p5%40x.org&per_page=5");
    let form = Answer::of(form).await.expect(200);
    assert_eq!(sorted(emails(&form["participants"])), ["p4@x.org", "p5@x.org"]);
}

#[tokio::test]
async fn without_lists_the_next_page_is_got_by_posting_an_empty_body() {
    let world = World::new().await;
    world.crowd(&world.page, 0..25).await;
    let mut answer = search(&world, json!({})).await;
    let mut seen: HashSet<String> = HashSet::new();
    loop {
        seen.extend(emails(&answer["participants"]).into_iter().map(str::to_owned));
        let Some(next) = answer["meta"].get("next_page_url") else { break };
        answer = world.post(path(next), json!({})).await.expect(200);
    }
    assert_eq!(seen.len(), 25);
}

#[tokio::test]
async fn version_5s_icon_3_is_an_error() {
    let world = World::new().await;
    let answer = world.post("/v4/participants/search", json!({ "icon_code": 3 })).await.expect(422);
    assert_eq!(keys(&answer["errors"]), ["icon_code"]);
}

#[tokio::test]
async fn the_address_of_a_search_page_works_by_get() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let first = search(&world, json!({ "email_list": numbered(5), "per_page": 3 })).await;
    let second = world.get(path(&first["meta"]["next_page_url"])).await.expect(200);
    assert_eq!(emails(&second["participants"]).len(), 2);
    let all: HashSet<&str> =
        emails(&first["participants"]).into_iter().chain(emails(&second["participants"])).collect();
    assert_eq!(all.len(), 5);
}

#[tokio::test]
async fn a_search_whose_address_would_be_too_long_is_gone_through_by_posting_the_same_body() {
    let world = World::new().await;
    world.crowd(&world.page, 0..605).await;
    let body = json!({ "email_list": numbered(600), "institution_id_list": ["I600"], "per_page": 400 });
    let first = search(&world, body.clone()).await;
    assert_eq!(
        world.shown(&first["meta"]),
        json!({
            "self_url": "{base}/api/private/v4/participants/search?format=json&page=1&per_page=400",
            "next_page_url": "{base}/api/private/v4/participants/search?format=json&page=2&per_page=400",
            "total_count": 601,
            "total_pages": 2,
            "count": 400,
        })
    );
    let second = world.post(path(&first["meta"]["next_page_url"]), body).await.expect(200);
    assert_eq!((&second["meta"]["count"], &second["meta"]["total_count"]), (&json!(201), &json!(601)));
}

#[tokio::test]
async fn times_bound_a_search_without_lists_exclusively() {
    let world = World::new().await;
    world.crowd(&world.page, 0..4).await;
    for (n, at) in [JULY - SECOND, JULY, JULY + SECOND].into_iter().enumerate() {
        world.changed_at(&format!("p{n}@x.org"), at).await;
    }
    world.changed_at("p3@x.org", JULY + 9 * SECOND).await;
    for (after, before, wanted) in [
        ("2026-07-01T11:59:59Z", "2026-07-01T12:00:01Z", vec!["p1@x.org"]),
        ("2026-07-01T11:59:59.000Z", "2026-07-01T08:00:01.001-04:00", vec!["p1@x.org", "p2@x.org"]),
        ("", "2026-07-01T14:00:00+02:00", vec!["p0@x.org"]),
    ] {
        let found = search(&world, json!({ "updated_after": after, "updated_before": before })).await;
        assert_eq!(sorted(emails(&found["participants"])), wanted, "after {after} and before {before}");
        assert_eq!(found["meta"]["total_count"], wanted.len());
    }
}

#[tokio::test]
async fn whoever_changes_between_two_pages_pushes_nobody_out() {
    let world = World::new().await;
    world.crowd(&world.page, 0..9).await;
    let body = json!({ "updated_after": "2001-01-01T00:00:00Z", "per_page": 5 });
    let first = search(&world, body.clone()).await;
    let changed = emails(&first["participants"])[0];
    let change = json!({ "name_page_id": world.page.slug, "participant": { "notes": "n" } });
    world.put(&format!("/v5/participants/{changed}"), change).await.expect(200);
    let second = world.post(path(&first["meta"]["next_page_url"]), body).await.expect(200);
    let all: HashSet<&str> =
        emails(&first["participants"]).into_iter().chain(emails(&second["participants"])).collect();
    assert_eq!(all.len(), 9);
}
