//! Version 4: `GET /participants/{id_or_email}`.

use serde_json::{Value, json};

use super::{JULY, SECOND, hex, not_found};
use crate::support::{World, keys};

async fn show(world: &World, mark: &str) -> Value {
    world.get(&format!("/v4/participants/{mark}")).await.expect(200)
}

#[tokio::test]
async fn one_participant_has_every_base_key_with_null_where_there_is_no_value() {
    let world = World::new().await;
    world.person("Ana", "Ana@Example.edu").await;
    assert_eq!(
        world.shown(&show(&world, "ana@example.edu").await),
        json!({ "participant": {
            "first_name": "Ana",
            "last_name": null,
            "email": "ana@example.edu",
            "recording_link": null,
            "event_title": "Class of 2027",
            "event_slug": world.page.slug,
            "event_access_code": world.page.access_code,
            "institution_id": null,
            "photo": null,
            "name_badge_link": "{base}/badges/{institution}/{token}",
            "phonetic_spelling": null,
            "notes": null,
        }})
    );
}

#[tokio::test]
async fn custom_attributes_and_embeddables_are_there_when_asked_for() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana =
        json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { "custom_degree": "BA" } });
    world.person_on(&world.page, ana).await;
    let plain = show(&world, "ana@x.org").await;
    let full = show(&world, "ana@x.org?include=custom_attributes,embeddables&icon_code=1").await;
    assert_eq!(full["participant"]["custom_objects"], json!({ "degree": "BA" }));
    assert_eq!(full["participant"]["embed_image"], Value::Null);
    let added: Vec<&str> = keys(&full["participant"])
        .into_iter()
        .filter(|key| plain["participant"].get(key).is_none())
        .collect();
    assert_eq!(added, ["custom_objects", "embed_iframe", "embed_image"]);
}

#[tokio::test]
async fn somebody_is_found_by_email_by_token_and_by_institution_id() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "Ana@x.org", "institution_id": "S 1/a,b" });
    let made = world.person_on(&world.page, ana).await;
    let token = World::registration_token(&made);
    for (mark, email) in [
        ("ANA@x.org", "ANA@x.org"),
        ("aNa%40x.org", "aNa@x.org"),
        (&token, "ana@x.org"),
        ("S%201%2Fa,b", "ana@x.org"),
    ] {
        assert_eq!(show(&world, mark).await["participant"]["email"], email, "{mark}");
    }
}

#[tokio::test]
async fn an_email_is_tried_before_a_token_and_a_token_before_an_institution_id() {
    let world = World::new().await;
    let bo = world.person("Bo", "bo@x.org").await;
    let token = World::registration_token(&bo);
    let named_like =
        |email: &str, id: &str| json!({ "first_name": "X", "email": email, "institution_id": id });
    world.person_on(&world.page, named_like("like-email@x.org", "bo@x.org")).await;
    world.person_on(&world.page, named_like("like-token@x.org", &token)).await;
    for mark in ["bo@x.org", &token] {
        assert_eq!(show(&world, mark).await["participant"]["email"], "bo@x.org", "{mark}");
    }
}

#[tokio::test]
async fn an_institution_id_matches_exactly_but_for_composition() {
    let world = World::new().await;
    world
        .person_on(
            &world.page,
            json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "Re\u{301}1" }),
        )
        .await;
    show(&world, "R%C3%A91").await;
    world.get("/v4/participants/r%C3%A91").await.expect(404);
}

#[tokio::test]
async fn of_a_person_on_many_pages_the_newest_recording_is_shown() {
    let world = World::new().await;
    let pages = [world.page("One").await, world.page("Two").await, world.page("Three").await];
    for page in &pages {
        let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" });
        world.person_on(page, ana).await;
    }
    world.record(&pages[0], "ana@x.org", &hex('0'), JULY + SECOND).await;
    world.record(&pages[1], "ana@x.org", &hex('1'), JULY).await;
    for mark in ["ana@x.org", "S1"] {
        assert_eq!(show(&world, mark).await["participant"]["event_title"], "One", "{mark}");
    }
}

#[tokio::test]
async fn a_token_names_one_registration() {
    let world = World::new().await;
    let other = world.page("Other").await;
    let first = world.person("Ana", "ana@x.org").await;
    let second = world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    for made in [first, second] {
        let shown = show(&world, &World::registration_token(&made)).await;
        assert_eq!(shown["participant"]["event_slug"], made["event_slug"]);
    }
}

#[tokio::test]
async fn whoever_is_missing_is_exactly_not_found() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for mark in ["nobody@x.org", "S9", "00000000000000000000000000000000", "ana", "%20", "ana@x.org,bo@x.org"]
    {
        let answer = world.get(&format!("/v4/participants/{mark}")).await;
        assert_eq!(answer.expect(404), not_found(), "{mark}");
    }
}

#[tokio::test]
async fn wrong_icons_are_errors() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for (query, field) in [("icon_code=3", "icon_code"), ("play_button_img_url=x", "play_button_img_url")] {
        let body = world.get(&format!("/v4/participants/ana@x.org?{query}")).await.expect(422);
        assert_eq!(keys(&body["errors"]), [field]);
    }
}
