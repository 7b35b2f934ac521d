//! Version 5: `POST /participants/search`, and `GET`.

use std::collections::HashSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, hex, meta, numbered, path, people, record, unprocessable};
use crate::support::{Answer, World, emails};

async fn search(world: &World, body: Value) -> Value {
    world.post("/v5/participants/search", body).await.expect(200)
}

#[tokio::test]
async fn a_search_answers_like_a_list() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.record(&world.page, "p1@x.org", &hex('a'), JULY).await;
    let body = search(&world, json!({ "email_list": ["p1@x.org"], "include": "embeddables" })).await;
    let found = people(&body)[0].clone();
    let link = format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a'));
    assert_eq!(
        world.shown(&body),
        json!({ "Response": {
            "participants": [record(&world, json!({
                "first_name": "P1",
                "email": "p1@x.org",
                "recording_url": link,
                "recording_link": link,
                "recording_id": format!("recording_{}", hex('a')),
                "institution_id": "I1",
                "embed_image": world.shown(&found)["embed_image"],
                "embed_iframe": world.shown(&found)["embed_iframe"],
            }))],
            "meta": {
                "self_url": "{base}/api/private/v5/participants/search\
                             ?email_list=p1%40x.org&format=json&include=embeddables&page=1&per_page=10",
                "total_count": 1,
                "total_pages": 1,
                "count": 1,
            },
        }})
    );
}

#[tokio::test]
async fn nobody_found_is_an_empty_list_without_pages() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let body = search(&world, json!({ "institution_id_list": ["X"] })).await;
    assert_eq!(
        world.shown(&body),
        json!({ "Response": {
            "participants": [],
            "meta": {
                "self_url": "{base}/api/private/v5/participants/search\
                             ?format=json&institution_id_list=X&page=1&per_page=10",
                "total_count": 0,
                "total_pages": 0,
                "count": 0,
            },
        }})
    );
}

#[tokio::test]
async fn both_lists_absent_or_blank_is_an_error_on_both() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let errors = json!({ "email_list": ["can't be blank"], "institution_id_list": ["can't be blank"] });
    for body in [
        json!({}),
        json!({ "email_list": "" }),
        json!({ "email_list": [], "institution_id_list": [] }),
        json!({ "email_list": [null, "", "null"], "institution_id_list": " , " }),
        json!({ "email_list": null, "institution_id_list": null }),
        json!({ "updated_after": "2001-01-01T00:00:00Z", "page": 1 }),
    ] {
        let answer = world.post("/v5/participants/search", body.clone()).await.expect(422);
        assert_eq!(answer, unprocessable(errors.clone()), "{body}");
    }
}

#[tokio::test]
async fn identifiers_may_be_numbers_and_in_an_array_hold_commas() {
    let world = World::new().await;
    for (email, id) in [("a@x.org", json!("A,1")), ("b@x.org", json!("42")), ("c@x.org", json!("A"))] {
        let participant = json!({ "first_name": "X", "email": email, "institution_id": id });
        world.person_on(&world.page, participant).await;
    }
    let found = search(&world, json!({ "institution_id_list": ["A,1", 42] })).await;
    let mut found = emails(people(&found));
    found.sort_unstable();
    assert_eq!(found, ["a@x.org", "b@x.org"]);
}

#[tokio::test]
async fn a_search_is_paged_although_it_is_filtered() {
    let world = World::new().await;
    world.crowd(&world.page, 0..12).await;
    let body = json!({ "email_list": numbered(12), "page": 2, "per_page": 5 });
    let found = search(&world, body).await;
    assert_eq!(emails(people(&found)).len(), 5);
    let meta = meta(&found);
    assert_eq!(
        (&meta["total_count"], &meta["total_pages"], &meta["count"]),
        (&json!(12), &json!(3), &json!(5))
    );
    assert!(meta["self_url"].as_str().unwrap().ends_with("page=2&per_page=5"));
    assert!(meta["next_page_url"].as_str().unwrap().ends_with("page=3&per_page=5"));
}

#[tokio::test]
async fn a_search_shows_ten_unless_told_otherwise() {
    let world = World::new().await;
    world.crowd(&world.page, 0..12).await;
    let found = search(&world, json!({ "email_list": numbered(12) })).await;
    assert_eq!((emails(people(&found)).len(), &meta(&found)["total_pages"]), (10, &json!(2)));
}

#[tokio::test]
async fn the_address_of_a_search_page_works_by_get_and_by_post_without_a_body() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let first = search(&world, json!({ "email_list": numbered(5), "per_page": 2 })).await;
    let next = path(&meta(&first)["next_page_url"]);
    let by_get = world.get(next).await.expect(200);
    let by_post = Answer::of(world.request(Method::POST, next)).await.expect(200);
    assert_eq!(by_get, by_post);
    assert_eq!((emails(people(&by_get)).len(), &meta(&by_get)["total_count"]), (2, &json!(5)));
    assert_ne!(people(&by_get), people(&first));
}

#[tokio::test]
async fn an_address_of_eight_thousand_characters_has_the_lists_and_a_longer_one_leaves_them_out() {
    let world = World::new().await;
    let without = search(&world, json!({ "institution_id_list": ["A"] })).await;
    let short = meta(&without)["self_url"].as_str().unwrap().len();
    for (letters, has_list) in [(8_000 - short + 1, true), (8_000 - short + 2, false)] {
        let body = json!({ "institution_id_list": ["A".repeat(letters)], "include": "" });
        let found = search(&world, body).await;
        let address = meta(&found)["self_url"].as_str().unwrap();
        assert_eq!(address.contains("institution_id_list="), has_list, "{letters} letters");
        assert!(address.len() <= 8_000);
    }
}

#[tokio::test]
async fn a_search_whose_address_would_be_too_long_is_gone_through_by_posting_the_same_body() {
    let world = World::new().await;
    world.crowd(&world.page, 0..600).await;
    let body = json!({ "email_list": numbered(600), "per_page": 250, "include": "custom_attributes" });
    let mut answer = search(&world, body.clone()).await;
    let mut seen: HashSet<String> = HashSet::new();
    let mut addresses = Vec::new();
    loop {
        seen.extend(emails(people(&answer)).into_iter().map(str::to_owned));
        assert_eq!(meta(&answer)["total_count"], 600);
        let Some(next) = meta(&answer)["next_page_url"].as_str() else { break };
        addresses.push(world.shown(&json!(next)));
        answer = world.post(path(&json!(next)), body.clone()).await.expect(200);
    }
    assert_eq!(seen.len(), 600);
    assert_eq!(
        addresses,
        [2, 3].map(|page| json!(format!(
            "{{base}}/api/private/v5/participants/search?format=json&include=custom_attributes&page={page}&per_page=250"
        )))
    );
}

#[tokio::test]
async fn the_body_wins_and_the_query_fills_the_rest() {
    let world = World::new().await;
    world.crowd(&world.page, 0..9).await;
    let body = json!({ "email_list": numbered(9), "page": 2 });
    let found = world
        .post(
            "/v5/participants/search?page=1&per_page=4&email_list=nobody@x.org&include=custom_attributes",
            body,
        )
        .await
        .expect(200);
    assert_eq!(meta(&found)["total_count"], 9);
    assert!(meta(&found)["self_url"].as_str().unwrap().contains("&page=2&per_page=4"));
    assert!(people(&found)[0].get("custom_objects").is_some());
}

#[tokio::test]
async fn a_form_is_as_good_as_json() {
    let world = World::new().await;
    world.person("Ana", "ana+roll@x.org").await;
    world.crowd(&world.page, 0..3).await;
    for form in [
        "email_list=ana%2Broll%40x.org,p1@x.org",
        "email_list=ana+roll@x.org,p1@x.org",
        "email_list[]=ana%2Broll@x.org&email_list[]=p1@x.org",
        "email_list%5B0%5D=p1%40x.org&email_list%5B1%5D=ana%2Broll%40x.org&per_page=2",
        "email_list=p1@x.org&institution_id_list=none&email_list=ana%2Broll@x.org",
    ] {
        let request = world
            .request(Method::POST, "/v5/participants/search")
            .header("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
            .body(form);
        let found = Answer::of(request).await.expect(200);
        let mut found = emails(people(&found));
        found.sort_unstable();
        assert_eq!(found, ["ana+roll@x.org", "p1@x.org"], "{form}");
    }
}

#[tokio::test]
async fn numbers_may_be_numeric_strings() {
    let world = World::new().await;
    world.crowd(&world.page, 0..9).await;
    let body = json!({ "email_list": numbered(9), "page": "2", "per_page": "4", "icon_code": "1" });
    let found = search(&world, body).await;
    assert_eq!(emails(people(&found)).len(), 4);
    assert!(meta(&found)["self_url"].as_str().unwrap().contains("icon_code=1&page=2&per_page=4"));
}

#[tokio::test]
async fn ten_thousand_people_are_found_in_one_page() {
    let world = World::new().await;
    world.crowd(&world.page, 0..10_000).await;
    let found = search(&world, json!({ "email_list": numbered(10_000), "per_page": 10_000 })).await;
    assert_eq!(emails(people(&found)).into_iter().collect::<HashSet<_>>().len(), 10_000);
    assert_eq!(meta(&found)["count"], 10_000);
}

#[tokio::test]
async fn text_that_is_no_utf_8_is_a_bad_request() {
    let world = World::new().await;
    let request = world
        .request(Method::POST, "/v5/participants/search")
        .header("Content-Type", "application/json")
        .body(b"{\"email_list\":[\"\xff\xfe@x.org\"]}".to_vec());
    Answer::of(request).await.expect(400);
}

#[tokio::test]
async fn a_parameter_that_nobody_knows_is_ignored_in_a_body_too() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let body = json!({ "email_list": ["p0@x.org"], "colour": { "deep": [1, 2] }, "format": "xml" });
    let found = search(&world, body).await;
    assert_eq!(emails(people(&found)), ["p0@x.org"]);
}
