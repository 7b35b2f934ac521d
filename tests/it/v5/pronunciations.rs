//! Version 5: `POST /pronunciations/search`.

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, SECOND, hex, message, unprocessable};
use crate::support::{Answer, World, emails, keys};

async fn search(world: &World, identifiers: Value) -> Value {
    let body = json!({ "identifiers": identifiers });
    let answer = world.post("/v5/pronunciations/search", body).await.expect(200);
    answer["Response"]["pronunciations"].clone()
}

fn sorted(found: &Value) -> Vec<&str> {
    let mut found = emails(found);
    found.sort_unstable();
    found
}

#[tokio::test]
async fn pronunciations_are_wrapped_in_response_and_people_without_a_recording_have_nulls() {
    let world = World::new().await;
    world
        .person_on(
            &world.page,
            json!({ "first_name": "Ana", "last_name": "Lima", "email": "Ana@x.org", "institution_id": "S1" }),
        )
        .await;
    world.person("Bo", "bo@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = json!({ "identifiers": [{ "email": "bo@x.org", "institution_id": null }, { "email": "ana@x.org", "institution_id": "S1" }] });
    let answer = world.post("/v5/pronunciations/search", body).await.expect(200);
    assert_eq!(
        world.shown(&answer),
        json!({ "Response": { "pronunciations": [
            {
                "first_name": "Ana",
                "last_name": "Lima",
                "email": "ana@x.org",
                "recording_link": format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a')),
                "institution_id": "S1",
                "recorded_at": "2026-07-01T08:00:00.000-04:00",
            },
            {
                "first_name": "Bo",
                "last_name": null,
                "email": "bo@x.org",
                "recording_link": null,
                "institution_id": null,
                "recorded_at": null,
            },
        ]}})
    );
}

#[tokio::test]
async fn nobody_found_is_an_empty_list() {
    let world = World::new().await;
    let body = json!({ "identifiers": [{ "email": "nobody@x.org" }] });
    let answer = world.post("/v5/pronunciations/search", body).await.expect(200);
    assert_eq!(answer, json!({ "Response": { "pronunciations": [] } }));
}

#[tokio::test]
async fn an_identifier_may_have_either_key_or_both_and_then_either_may_match() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let identifiers = json!([
        { "email": "p0@x.org" },
        { "institution_id": "I1" },
        { "email": "nobody@x.org", "institution_id": "I2" },
        { "email": "p3@x.org", "institution_id": "none" },
        { "email": "", "institution_id": null },
    ]);
    assert_eq!(sorted(&search(&world, identifiers).await), ["p0@x.org", "p1@x.org", "p2@x.org", "p3@x.org"]);
}

#[tokio::test]
async fn both_keys_of_two_people_give_both() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let found = search(&world, json!([{ "email": "p0@x.org", "institution_id": "I1" }])).await;
    assert_eq!(sorted(&found), ["p0@x.org", "p1@x.org"]);
}

#[tokio::test]
async fn a_person_asked_for_twice_is_found_once() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let identifiers = json!([{ "email": "p0@x.org", "institution_id": "I0" }, { "email": "P0@X.org" }, { "institution_id": "I0" }]);
    assert_eq!(sorted(&search(&world, identifiers).await), ["p0@x.org"]);
}

#[tokio::test]
async fn an_institution_id_may_be_a_number() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "42" }))
        .await;
    assert_eq!(sorted(&search(&world, json!([{ "institution_id": 42 }])).await), ["ana@x.org"]);
}

#[tokio::test]
async fn every_registration_is_a_record_and_the_newest_recording_comes_first() {
    let world = World::new().await;
    let pages = [world.page("One").await, world.page("Two").await, world.page("Three").await];
    for (page, name) in pages.iter().zip(["One", "Two", "Three"]) {
        world.person_on(page, json!({ "first_name": name, "email": "ana@x.org" })).await;
    }
    world.record(&pages[0], "ana@x.org", &hex('1'), JULY).await;
    world.record(&pages[1], "ana@x.org", &hex('2'), JULY + SECOND).await;
    let found = search(&world, json!([{ "email": "ana@x.org" }])).await;
    let names: Vec<&Value> = found.as_array().unwrap().iter().map(|one| &one["first_name"]).collect();
    assert_eq!(names, ["Two", "One", "Three"]);
}

#[tokio::test]
async fn without_identifiers_it_is_an_error() {
    let world = World::new().await;
    let blank = unprocessable(json!({ "identifiers": ["can't be blank"] }));
    for body in [
        json!({}),
        json!({ "identifiers": [] }),
        json!({ "identifiers": null }),
        json!({ "identifiers": "" }),
        json!({ "identifiers": [{}] }),
        json!({ "identifiers": [{ "email": "", "institution_id": null }] }),
        json!({ "email_list": ["p0@x.org"] }),
    ] {
        assert_eq!(world.post("/v5/pronunciations/search", body.clone()).await.expect(422), blank, "{body}");
    }
    let answer = Answer::of(world.request(Method::POST, "/v5/pronunciations/search")).await;
    assert_eq!(answer.expect(422), blank);
}

#[tokio::test]
async fn identifiers_of_another_type_are_an_error() {
    let world = World::new().await;
    for wrong in [
        json!(true),
        json!(5),
        json!("p0@x.org"),
        json!({ "email": "p0@x.org" }),
        json!(["p0@x.org"]),
        json!([1]),
        json!([["a"]]),
    ] {
        let answer =
            world.post("/v5/pronunciations/search", json!({ "identifiers": wrong })).await.expect(422);
        assert_eq!(keys(&answer["errors"]), ["identifiers"], "{wrong}");
    }
}

#[tokio::test]
async fn ten_thousand_identifiers_are_searched_and_one_more_is_an_error() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let mut identifiers: Vec<Value> = (0..10_001)
        .map(|n| json!({ "email": format!("p{n}@x.org"), "institution_id": format!("I{n}") }))
        .collect();
    let body = json!({ "identifiers": identifiers });
    let answer = world.post("/v5/pronunciations/search", body).await.expect(422);
    assert_eq!(keys(&answer["errors"]), ["identifiers"]);
    identifiers.pop();
    assert_eq!(sorted(&search(&world, json!(identifiers)).await).len(), 3);
}

#[tokio::test]
async fn every_match_comes_in_one_answer() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1_200).await;
    let identifiers: Vec<Value> = (0..1_200).map(|n| json!({ "institution_id": format!("I{n}") })).collect();
    let found = search(&world, json!(identifiers)).await;
    let mut found = sorted(&found);
    found.dedup();
    assert_eq!(found.len(), 1_200);
}

#[tokio::test]
async fn identifiers_come_as_a_form_and_in_the_query_too() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let form = "identifiers[0][email]=p0%40x.org&identifiers[1][institution_id]=I2";
    let by_form = world
        .request(Method::POST, "/v5/pronunciations/search")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(form);
    let by_query = world.request(Method::POST, &format!("/v5/pronunciations/search?{form}"));
    let in_text = "identifiers=[{%22email%22:%22p0@x.org%22},{%22institution_id%22:%22I2%22}]";
    let by_text = world.request(Method::POST, &format!("/v5/pronunciations/search?{in_text}"));
    for request in [by_form, by_query, by_text] {
        let answer = Answer::of(request).await.expect(200);
        assert_eq!(sorted(&answer["Response"]["pronunciations"]), ["p0@x.org", "p2@x.org"]);
    }
}

#[tokio::test]
async fn json_that_cannot_be_read_or_is_no_object_is_a_bad_request() {
    let world = World::new().await;
    for text in ["{", "[]", "[{\"email\":\"p0@x.org\"}]", "null"] {
        let request = world.request(Method::POST, "/v5/pronunciations/search").body(text);
        assert_eq!(Answer::of(request).await.expect(400), message("Bad Request"), "{text}");
    }
}

#[tokio::test]
async fn a_pronunciation_search_is_post_alone() {
    let world = World::new().await;
    let answer = world.get("/v5/pronunciations/search?identifiers[0][email]=a@x.org").await;
    assert!(answer.expect(405)["message"].is_string());
}
