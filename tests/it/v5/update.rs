//! Version 5: `PUT /participants/{user_email}`.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, hex, message, on_page, people, record, unprocessable};
use crate::support::{Answer, World, keys};

async fn update(world: &World, email: &str, participant: Value) -> Answer {
    world.put(&format!("/v5/participants/{email}"), on_page(world, participant)).await
}

/// A person with a value in every field.
async fn ana(world: &World) -> Value {
    world.custom_field("degree").await;
    world.custom_field("gender_pronouns").await;
    let participant = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "Ana@x.org", "institution_id": "S1", "phonetic": "AH-na",
        "notes": "Notes", "phone_number": "+12025550123",
        "custom_fields": { "custom_degree": "BA", "custom_gender_pronouns": "she/her" },
    });
    world.person_on(&world.page, participant).await
}

#[tokio::test]
async fn an_update_changes_what_is_given_and_answers_with_the_whole() {
    let world = World::new().await;
    ana(&world).await;
    let change = json!({
        "first_name": "Anna", "notes": "New\nnotes", "phonetic": "AN-na", "phone_number": "+442079460958",
        "custom_fields": { "custom_degree": "MA" },
    });
    let body = update(&world, "aNa@x.org", change).await.expect(200);
    assert_eq!(
        world.shown(&body),
        json!({ "participant": record(&world, json!({
            "first_name": "Anna",
            "last_name": "Lima",
            "email": "aNa@x.org",
            "event_code": world.page.event_code,
            "institution_id": "S1",
            "phonetic_spelling": "AN-na",
            "notes": "New\nnotes",
            "degree": "MA",
            "gender_pronouns": "she/her",
            "custom_objects": { "degree": "MA", "gender_pronouns": "she/her" },
        }))})
    );
}

#[tokio::test]
async fn what_an_update_answers_is_what_is_read_afterwards() {
    let world = World::new().await;
    ana(&world).await;
    let change = json!({ "last_name": null, "custom_fields": { "custom_degree": "" } });
    let mut answered = update(&world, "ana@x.org", change).await.expect(200)["participant"].clone();
    answered.as_object_mut().unwrap().remove("event_code");
    let read = world.get("/v5/participants?include=custom_attributes").await.expect(200);
    assert_eq!(people(&read)[0], answered);
}

#[tokio::test]
async fn null_or_an_empty_text_clears_an_optional_field() {
    for blank in [json!(null), json!(""), json!("   ")] {
        let world = World::new().await;
        ana(&world).await;
        let change = json!({ "last_name": blank, "phonetic": blank, "notes": blank, "phone_number": blank });
        let body = update(&world, "ana@x.org", change).await.expect(200);
        for field in ["last_name", "phonetic_spelling", "notes"] {
            assert_eq!(body["participant"][field], Value::Null, "{field}: {blank}");
        }
        assert_eq!(body["participant"]["first_name"], "Ana");
    }
}

#[tokio::test]
async fn custom_fields_are_merged_key_by_key() {
    let world = World::new().await;
    ana(&world).await;
    for (given, wanted) in [
        (json!({}), json!({ "degree": "BA", "gender_pronouns": "she/her" })),
        (json!(null), json!({ "degree": "BA", "gender_pronouns": "she/her" })),
        (json!({ "custom_degree": "MA" }), json!({ "degree": "MA", "gender_pronouns": "she/her" })),
        (json!({ "custom_degree": null }), json!({ "gender_pronouns": "she/her" })),
        (json!({ "custom_gender_pronouns": "", "custom_degree": "PhD" }), json!({ "degree": "PhD" })),
    ] {
        let body = update(&world, "ana@x.org", json!({ "custom_fields": given })).await.expect(200);
        assert_eq!(body["participant"]["custom_objects"], wanted, "{given}");
    }
}

#[tokio::test]
async fn clearing_both_names_is_an_error_on_first_name_and_clearing_one_is_not() {
    let world = World::new().await;
    ana(&world).await;
    let blank = unprocessable(json!({ "first_name": ["can't be blank"] }));
    let both = json!({ "first_name": "", "last_name": null });
    assert_eq!(update(&world, "ana@x.org", both).await.expect(422), blank);
    update(&world, "ana@x.org", json!({ "first_name": null })).await.expect(200);
    assert_eq!(update(&world, "ana@x.org", json!({ "last_name": " " })).await.expect(422), blank);
    let invisible = json!({ "first_name": "\u{200b}", "last_name": "\u{3164}\u{2800}" });
    assert_eq!(update(&world, "ana@x.org", invisible).await.expect(422), blank);
}

#[tokio::test]
async fn an_email_and_an_institution_id_in_an_update_are_ignored_whatever_they_are() {
    let world = World::new().await;
    ana(&world).await;
    world
        .person_on(&world.page, json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": "S2" }))
        .await;
    for (email, id) in [
        (json!("new@x.org"), json!("S9")),
        (json!("bo@x.org"), json!("S2")),
        (json!("no email"), json!("\u{0}")),
        (json!([]), json!({})),
        (json!(null), json!("")),
    ] {
        let change = json!({ "email": email, "institution_id": id, "notes": "n" });
        let body = update(&world, "ana@x.org", change).await.expect(200);
        assert_eq!(
            (&body["participant"]["email"], &body["participant"]["institution_id"]),
            (&json!("ana@x.org"), &json!("S1"))
        );
    }
}

#[tokio::test]
async fn an_update_without_anything_changes_nothing() {
    let world = World::new().await;
    let before = ana(&world).await;
    for body in [
        json!({ "name_page_id": world.page.slug }),
        json!({ "name_page_id": world.page.slug, "participant": null }),
        json!({ "name_page_id": world.page.slug, "participant": {} }),
        json!({ "name_page_id": world.page.slug, "participant": { "unknown": 1, "pronunciation": { "base64_str": "" }, "avatar": "" } }),
    ] {
        let after = world.put("/v5/participants/Ana@x.org", body).await.expect(200);
        assert_eq!(after["participant"], before);
    }
}

#[tokio::test]
async fn a_recording_and_the_badge_stay_with_whoever_is_updated() {
    let world = World::new().await;
    let before = ana(&world).await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let after =
        update(&world, "ana@x.org", json!({ "first_name": "Anna", "pronunciation": null })).await.expect(200);
    assert_eq!(after["participant"]["recording_id"], format!("recording_{}", hex('a')));
    assert_eq!(after["participant"]["name_badge_link"], before["name_badge_link"]);
}

#[tokio::test]
async fn the_email_in_the_path_matches_without_regard_to_case_and_in_every_encoding() {
    let world = World::new().await;
    world.person("Ana", "Ana+Roll@x.org").await;
    world.person("Rene", "re\u{301}ne@x.org").await;
    for email in
        ["ANA+roll@X.org", "ana%2Broll%40x.org", "ana+roll@x.org/", "R%C3%89NE@x.org", "re%CC%81ne@x.org"]
    {
        update(&world, email, json!({ "notes": "n" })).await.expect(200);
    }
}

#[tokio::test]
async fn a_plus_in_the_path_is_no_blank() {
    let world = World::new().await;
    world.person("Ana", "ana+roll@x.org").await;
    let answer = update(&world, "ana%20roll@x.org", json!({ "notes": "n" })).await.expect(404);
    assert_eq!(answer, message("Registered participant not found"));
}

#[tokio::test]
async fn a_page_is_named_by_any_of_its_names() {
    let world = World::new().await;
    ana(&world).await;
    let page = &world.page;
    for name in [
        page.id.to_string(),
        page.slug.to_uppercase(),
        page.event_code.to_lowercase(),
        page.access_code.clone(),
    ] {
        let body = json!({ "name_page_id": name, "participant": { "notes": name } });
        let changed = world.put("/v5/participants/ana@x.org", body).await.expect(200);
        assert_eq!(changed["participant"]["notes"], name);
    }
}

#[tokio::test]
async fn a_page_that_is_missing_or_unknown_is_not_found() {
    let world = World::new().await;
    ana(&world).await;
    for body in [
        json!({ "participant": { "notes": "n" } }),
        json!({ "participant": { "notes": "n" }, "name_page_id": null }),
        json!({ "participant": { "notes": "n" }, "name_page_id": "elsewhere" }),
        json!({ "participant": { "notes": "n" }, "name_page_id": "\u{0}" }),
        json!({ "participant": { "notes": "n" }, "name_page_id": world.institution.access_code }),
        json!({}),
    ] {
        let answer = world.put("/v5/participants/ana@x.org", body.clone()).await.expect(404);
        assert_eq!(answer, message("Name page not found"), "{body}");
    }
}

#[tokio::test]
async fn somebody_who_is_not_on_that_page_is_not_found() {
    let world = World::new().await;
    ana(&world).await;
    let other = world.page("Other").await;
    let body = json!({ "name_page_id": other.slug, "participant": { "notes": "n" } });
    let nobody = message("Registered participant not found");
    assert_eq!(world.put("/v5/participants/ana@x.org", body).await.expect(404), nobody);
    for email in ["nobody@x.org", "S1", "%00", "%FF", "%20"] {
        assert_eq!(update(&world, email, json!({ "notes": "n" })).await.expect(404), nobody, "{email}");
    }
}

#[tokio::test]
async fn only_the_registration_on_that_page_is_changed() {
    let world = World::new().await;
    let other = world.page("Other").await;
    ana(&world).await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    update(&world, "ana@x.org", json!({ "first_name": "Anna" })).await.expect(200);
    let body = world.get("/v5/participants").await.expect(200);
    let names: Vec<&Value> = people(&body).as_array().unwrap().iter().map(|one| &one["first_name"]).collect();
    assert_eq!(names, ["Anna", "Ana"]);
}

#[tokio::test]
async fn all_errors_come_together_and_nothing_is_changed() {
    let world = World::new().await;
    let before = ana(&world).await;
    let wrong = json!({
        "first_name": "a\u{7}", "last_name": "b\n", "phonetic": true, "notes": "n".repeat(10_001), "phone_number": "911",
        "custom_fields": { "custom_degree": [], "custom_unknown": "x", "custom_gender_pronouns": "they/them" },
    });
    assert_eq!(
        update(&world, "ana@x.org", wrong).await.expect(422),
        unprocessable(json!({
            "first_name": ["is invalid"],
            "last_name": ["is invalid"],
            "phonetic": ["is invalid"],
            "notes": ["is too long (maximum is 10000 characters)"],
            "phone_number": ["Is not valid."],
            "custom_degree": ["is invalid"],
            "custom_unknown": ["is invalid"],
        }))
    );
    let after = update(&world, "Ana@x.org", json!({})).await.expect(200);
    assert_eq!(after["participant"], before);
}

#[tokio::test]
async fn a_value_of_another_type_is_an_error_on_its_field() {
    let world = World::new().await;
    ana(&world).await;
    for wrong in [json!(true), json!([]), json!({ "text": "x" })] {
        let change = json!({ "first_name": wrong, "last_name": wrong, "notes": wrong, "phonetic": wrong, "phone_number": wrong });
        let body = update(&world, "ana@x.org", change).await.expect(422);
        assert_eq!(keys(&body["errors"]), ["first_name", "last_name", "notes", "phone_number", "phonetic"]);
    }
}

#[tokio::test]
async fn json_that_cannot_be_read_or_is_no_object_is_a_bad_request() {
    let world = World::new().await;
    ana(&world).await;
    for text in ["", "{", "[]", "null"] {
        let request = world.request(Method::PUT, "/v5/participants/ana@x.org").body(text);
        assert_eq!(Answer::of(request).await.expect(400), message("Bad Request"), "{text}");
    }
}

#[tokio::test]
async fn updates_of_different_fields_at_once_are_all_kept() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for n in 0..16 {
        world.custom_field(&format!("field_{n}")).await;
    }
    let world = Arc::new(world);
    let sent: Vec<_> = (0..16)
        .map(|n| {
            let world = world.clone();
            let change = json!({ "custom_fields": { format!("custom_field_{n}"): n.to_string() } });
            tokio::spawn(async move { update(&world, "ana@x.org", change).await.expect(200) })
        })
        .collect();
    for one in sent {
        one.await.unwrap();
    }
    let after = update(&world, "ana@x.org", json!({})).await.expect(200);
    assert_eq!(keys(&after["participant"]["custom_objects"]).len(), 16);
}
