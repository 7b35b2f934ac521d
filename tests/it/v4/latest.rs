//! Version 4: `GET /participants/latest`.

use serde_json::{Value, json};

use super::{JULY, SECOND, hex, not_found, unprocessable};
use crate::support::{World, keys};

async fn latest(world: &World, token: &str) -> Value {
    world.get(&format!("/v4/participants/latest?token={token}")).await.expect(200)
}

#[tokio::test]
async fn the_latest_is_one_participant_with_both_dates() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    assert_eq!(
        world.shown(&latest(&world, "ana@x.org").await),
        json!({ "participant": {
            "first_name": "Ana",
            "last_name": null,
            "email": "ana@x.org",
            "recording_link": format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a')),
            "recording_date": "2026-07-01T08:00:00.000-04:00",
            "custom_objects_recorded_date": null,
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
async fn dates_are_null_where_there_is_none() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let body = latest(&world, "ana@x.org").await;
    for key in ["recording_date", "custom_objects_recorded_date"] {
        assert_eq!(body["participant"].get(key), Some(&Value::Null), "{key}");
    }
}

#[tokio::test]
async fn the_date_of_custom_objects_is_told() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana =
        json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { "custom_degree": "BA" } });
    world.person_on(&world.page, ana).await;
    let body = latest(&world, "ana@x.org&include=custom_attributes,embeddables").await;
    assert_eq!(body["participant"]["custom_objects"], json!({ "degree": "BA" }));
    let date = body["participant"]["custom_objects_recorded_date"].as_str().unwrap();
    assert!(date.len() == 29 && (date.ends_with("-04:00") || date.ends_with("-05:00")), "{date}");
    assert_eq!(body["participant"]["embed_image"], Value::Null);
}

#[tokio::test]
async fn somebody_is_found_by_email_by_token_and_by_institution_id() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "Ana@x.org", "institution_id": "S1" });
    let made = world.person_on(&world.page, ana).await;
    let registration = World::registration_token(&made);
    for (token, email) in [("aNA@x.org", "aNA@x.org"), ("S1", "ana@x.org"), (&registration, "ana@x.org")] {
        assert_eq!(latest(&world, token).await["participant"]["email"], email, "{token}");
    }
}

#[tokio::test]
async fn a_token_is_one_and_may_hold_a_comma() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "A", "email": "a@x.org", "institution_id": "S" }))
        .await;
    world
        .person_on(&world.page, json!({ "first_name": "B", "email": "b@x.org", "institution_id": "S,1" }))
        .await;
    assert_eq!(latest(&world, "S,1").await["participant"]["email"], "b@x.org");
}

#[tokio::test]
async fn the_newest_recording_else_the_newest_registration_is_the_latest() {
    let world = World::new().await;
    let pages = [world.page("One").await, world.page("Two").await, world.page("Three").await];
    let mut tokens = Vec::new();
    for page in &pages {
        let made = world
            .person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" }))
            .await;
        tokens.push(World::registration_token(&made));
    }
    for token in ["ana@x.org", "S1", &tokens[0], &tokens[1]] {
        assert_eq!(latest(&world, token).await["participant"]["event_title"], "Three", "{token}");
    }
    world.record(&pages[1], "ana@x.org", &hex('1'), JULY).await;
    world.record(&pages[0], "ana@x.org", &hex('0'), JULY - SECOND).await;
    for token in ["ana@x.org", "S1", &tokens[0], &tokens[2]] {
        assert_eq!(latest(&world, token).await["participant"]["event_title"], "Two", "{token}");
    }
}

#[tokio::test]
async fn whoever_is_missing_is_exactly_not_found() {
    let world = World::new().await;
    for token in ["nobody@x.org", "S1", "00000000000000000000000000000000"] {
        let answer = world.get(&format!("/v4/participants/latest?token={token}")).await;
        assert_eq!(answer.expect(404), not_found(), "{token}");
    }
}

#[tokio::test]
async fn no_token_at_all_is_an_error() {
    let world = World::new().await;
    for query in ["", "token=", "token=%20", "token=null"] {
        let body = world.get(&format!("/v4/participants/latest?{query}")).await.expect(422);
        assert_eq!(body, unprocessable(json!({ "token": ["can't be blank"] })), "{query}");
    }
}

#[tokio::test]
async fn wrong_icons_are_errors() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for (query, field) in
        [("icon_code=3", "icon_code"), ("play_button_img_url=ftp://x", "play_button_img_url")]
    {
        let body = world.get(&format!("/v4/participants/latest?token=ana@x.org&{query}")).await.expect(422);
        assert_eq!(keys(&body["errors"]), [field]);
    }
}
