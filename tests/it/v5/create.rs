//! Version 5: `POST /participants`.

use endonym::app::{Actor, custom_fields};
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::{message, meta, on_page, people, record, unprocessable};
use crate::support::{Answer, World, emails, keys};

async fn create(world: &World, participant: Value) -> Answer {
    world.post("/v5/participants", on_page(world, participant)).await
}

/// The validation errors of this participant.
async fn errors(world: &World, participant: Value) -> Value {
    let body = create(world, participant).await.expect(422);
    assert_eq!(body["message"], "Unprocessable entity");
    body["errors"].clone()
}

async fn head_count(world: &World) -> u64 {
    meta(&world.get("/v5/participants").await.expect(200))["total_count"].as_u64().unwrap()
}

#[tokio::test]
async fn the_least_that_can_be_created_is_a_name_and_an_email() {
    let world = World::new().await;
    let answer = create(&world, json!({ "first_name": "Ana", "email": "Ana@Example.edu" })).await.expect(201);
    assert_eq!(
        world.shown(&answer),
        json!({ "participant": record(&world, json!({
            "first_name": "Ana",
            "email": "Ana@Example.edu",
            "event_code": world.page.event_code,
            "custom_objects": {},
        }))})
    );
}

#[tokio::test]
async fn everything_that_can_be_created_is_shown() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let participant = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org", "institution_id": "S-1",
        "notes": "Two\nlines", "phonetic": "AH-na", "phone_number": "+44 20 7946 0958",
        "custom_fields": { "custom_gender_pronouns": "she/her" },
        "pronunciation": {}, "avatar": null,
    });
    let answer = create(&world, participant).await.expect(201);
    assert_eq!(
        world.shown(&answer),
        json!({ "participant": record(&world, json!({
            "first_name": "Ana",
            "last_name": "Lima",
            "email": "ana@x.org",
            "event_code": world.page.event_code,
            "institution_id": "S-1",
            "phonetic_spelling": "AH-na",
            "notes": "Two\nlines",
            "gender_pronouns": "she/her",
            "custom_objects": { "gender_pronouns": "she/her" },
        }))})
    );
}

#[tokio::test]
async fn whoever_is_created_is_found_again() {
    let world = World::new().await;
    world.person("Ana", "Ana@Example.edu").await;
    let found = world.get("/v5/participants/latest?tokens=ana@example.EDU").await.expect(200);
    assert_eq!(emails(&found["participants"]), ["ana@example.EDU"]);
}

// The page

#[tokio::test]
async fn a_page_is_named_by_its_id_slug_event_code_or_access_code_in_any_case() {
    let world = World::new().await;
    let page = &world.page;
    let names = [
        page.id.to_string(),
        page.slug.clone(),
        page.event_code.clone(),
        page.access_code.clone(),
        page.slug.to_uppercase(),
        page.event_code.to_lowercase(),
        page.access_code.to_lowercase(),
    ];
    for (n, name) in names.iter().enumerate() {
        let participant = json!({ "first_name": "Ana", "email": format!("ana{n}@x.org") });
        let body = json!({ "name_page_id": name, "participant": participant });
        let made = world.post("/v5/participants", body).await.expect(201);
        assert_eq!(made["participant"]["event_slug"], json!(page.slug), "{name}");
    }
}

#[tokio::test]
async fn a_page_that_is_missing_or_unknown_is_not_found() {
    let world = World::new().await;
    let participant = json!({ "first_name": "Ana", "email": "ana@x.org" });
    for body in [
        json!({ "participant": participant }),
        json!({ "participant": participant, "name_page_id": null }),
        json!({ "participant": participant, "name_page_id": "" }),
        json!({ "participant": participant, "name_page_id": "elsewhere" }),
        json!({ "participant": participant, "name_page_id": 7 }),
        json!({ "participant": participant, "name_page_id": ["x"] }),
        json!({ "participant": participant, "name_page_id": "x".repeat(5_000) }),
        json!({ "participant": participant, "name_page_id": "\u{0}" }),
        json!({ "participant": participant, "name_page_id": world.institution.access_code }),
        json!({}),
    ] {
        let answer = world.post("/v5/participants", body.clone()).await.expect(404);
        assert_eq!(answer, message("Name page not found"), "{body}");
    }
}

// The body

#[tokio::test]
async fn a_missing_participant_is_an_empty_one() {
    let world = World::new().await;
    let wanted = unprocessable(json!({ "email": ["can't be blank"], "first_name": ["can't be blank"] }));
    for body in [
        json!({ "name_page_id": world.page.slug }),
        json!({ "name_page_id": world.page.slug, "participant": null }),
        json!({ "name_page_id": world.page.slug, "participant": {} }),
    ] {
        assert_eq!(world.post("/v5/participants", body.clone()).await.expect(422), wanted, "{body}");
    }
}

#[tokio::test]
async fn json_that_cannot_be_read_or_is_no_object_is_a_bad_request() {
    let world = World::new().await;
    let page = &world.page.slug;
    let deep = format!("{{\"name_page_id\":\"{page}\",\"participant\":{}}}", "[".repeat(50_000));
    let deep_closed =
        format!("{{\"name_page_id\":\"{page}\",\"x\":{}{}}}", "[".repeat(9_000), "]".repeat(9_000));
    let half = format!("{{\"name_page_id\":\"{page}\"");
    for text in ["", "{", "[]", "null", "5", "name_page_id=x", &half, &deep, &deep_closed] {
        let request = world
            .request(Method::POST, "/v5/participants")
            .header("Content-Type", "application/json")
            .body(text.to_owned());
        assert_eq!(Answer::of(request).await.expect(400), message("Bad Request"), "{text:.40}");
    }
}

#[tokio::test]
async fn fields_that_nobody_knows_are_ignored() {
    let world = World::new().await;
    let participant = json!({ "first_name": "Ana", "email": "ana@x.org", "shoe_size": 38, "recording_link": "x", "photo": [] });
    let made = create(&world, participant).await.expect(201);
    assert_eq!(made["participant"]["recording_link"], Value::Null);
    assert!(made["participant"].get("shoe_size").is_none());
}

#[tokio::test]
async fn a_blank_pronunciation_or_avatar_is_not_given() {
    let world = World::new().await;
    let blanks = [
        json!(null),
        json!(""),
        json!({}),
        json!({ "base64_str": "" }),
        json!({ "base64_set": "", "base64_str": null }),
    ];
    for (n, blank) in blanks.into_iter().enumerate() {
        let email = format!("a{n}@x.org");
        let participant =
            json!({ "first_name": "Ana", "email": email, "pronunciation": blank, "avatar": blank });
        let made = create(&world, participant).await.expect(201);
        assert_eq!(
            (&made["participant"]["recording_link"], &made["participant"]["photo"]),
            (&Value::Null, &Value::Null)
        );
    }
}

// Who somebody is

#[tokio::test]
async fn an_email_must_be_there() {
    let world = World::new().await;
    for participant in [
        json!({ "first_name": "Ana" }),
        json!({ "first_name": "Ana", "email": null }),
        json!({ "first_name": "Ana", "email": "" }),
        json!({ "first_name": "Ana", "email": "  " }),
    ] {
        assert_eq!(errors(&world, participant).await, json!({ "email": ["can't be blank"] }));
    }
}

#[tokio::test]
async fn an_email_must_be_valid() {
    let world = World::new().await;
    let long = format!("{}@x.org", "a".repeat(300));
    for email in [
        "ana",
        "ana@",
        "@x.org",
        "a b@x.org",
        "a@b@c",
        "a,b@x.org",
        "a@x..org",
        "a@.org",
        "<a@x.org>",
        "a@x.org,b@x.org",
        "a\u{0}@x.org",
        "a\n@x.org",
        "a\u{85}@x.org",
        &long,
    ] {
        let wrong = errors(&world, json!({ "first_name": "Ana", "email": email })).await;
        assert_eq!(wrong, json!({ "email": ["is invalid"] }), "{email:?}");
    }
}

#[tokio::test]
async fn addresses_of_any_script_and_with_signs_are_valid() {
    let world = World::new().await;
    for email in [
        "ana+roll@x.org",
        "o'brien@x.ie",
        "用户@例子.中国",
        "münchen@exämple.de",
        "ana@localhost",
        "`tick`@x.org",
    ] {
        let made = create(&world, json!({ "first_name": "Ana", "email": email })).await.expect(201);
        assert_eq!(made["participant"]["email"], email);
    }
}

#[tokio::test]
async fn a_first_or_a_last_name_is_enough() {
    let world = World::new().await;
    for participant in [
        json!({ "first_name": "Ana", "email": "a@x.org" }),
        json!({ "last_name": "Lima", "email": "b@x.org" }),
        json!({ "first_name": "", "last_name": "Lima", "email": "c@x.org" }),
    ] {
        create(&world, participant).await.expect(201);
    }
}

#[tokio::test]
async fn without_any_name_the_error_stands_on_first_name() {
    let world = World::new().await;
    for participant in [
        json!({ "email": "a@x.org" }),
        json!({ "email": "a@x.org", "first_name": "", "last_name": null }),
        json!({ "email": "a@x.org", "first_name": "  ", "last_name": "\u{a0}" }),
        json!({ "email": "a@x.org", "first_name": "\u{200b}\u{feff}", "last_name": "\u{2800}" }),
        json!({ "email": "a@x.org", "first_name": "\u{3164}", "last_name": " \u{200d}\u{202e}" }),
    ] {
        assert_eq!(errors(&world, participant).await, json!({ "first_name": ["can't be blank"] }));
    }
}

#[tokio::test]
async fn an_invisible_name_is_none_and_joiners_among_letters_stay() {
    let world = World::new().await;
    let person =
        json!({ "first_name": "می\u{200c}خواهم", "last_name": "\u{ad}\u{fe0f}", "email": "a@x.org" });
    let made = create(&world, person).await.expect(201)["participant"].clone();
    assert_eq!((&made["first_name"], &made["last_name"]), (&json!("می\u{200c}خواهم"), &json!(null)));
}

#[tokio::test]
async fn an_email_is_unique_on_a_page_without_regard_to_case_or_composition() {
    let world = World::new().await;
    world.person("Ana", "Re\u{301}ne@x.org").await;
    for email in ["Re\u{301}ne@x.org", "r\u{e9}ne@X.ORG", "R\u{c9}NE@x.org", " r\u{e9}ne@x.org "] {
        let wrong = errors(&world, json!({ "first_name": "Bo", "email": email })).await;
        assert_eq!(wrong, json!({ "email": ["has already been taken"] }), "{email}");
    }
    assert_eq!(head_count(&world).await, 1);
}

#[tokio::test]
async fn the_same_email_may_be_on_another_page() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let other = world.page("Other").await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    assert_eq!(head_count(&world).await, 2);
}

#[tokio::test]
async fn an_institution_id_belongs_to_one_email_in_the_whole_institution() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "e\u{301}1" });
    world.person_on(&world.page, ana).await;
    let other = world.page("Other").await;
    for page in [&world.page, &other] {
        for id in ["e\u{301}1", "\u{e9}1", " \u{e9}1 "] {
            let bo = json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": id });
            let body = json!({ "name_page_id": page.slug, "participant": bo });
            let answer = world.post("/v5/participants", body).await.expect(422);
            assert_eq!(answer["errors"], json!({ "institution_id": ["has already been taken"] }), "{id}");
        }
    }
}

#[tokio::test]
async fn the_same_email_may_have_its_institution_id_on_every_page() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" }))
        .await;
    world
        .person_on(&other, json!({ "first_name": "Ana", "email": "ANA@X.org", "institution_id": "S1" }))
        .await;
}

#[tokio::test]
async fn institution_ids_that_differ_in_case_are_different() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "s1" }))
        .await;
    world
        .person_on(&world.page, json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": "S1" }))
        .await;
}

#[tokio::test]
async fn an_institution_id_of_another_institution_is_free() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" });
    world.person_on(&world.page, ana).await;
    let bo = json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": "S1" });
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": bo });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
}

#[tokio::test]
async fn an_institution_id_may_be_a_number() {
    let world = World::new().await;
    let made =
        create(&world, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": 90210 })).await;
    assert_eq!(made.expect(201)["participant"]["institution_id"], "90210");
    let found = world.get("/v5/participants?institution_id_list=90210").await.expect(200);
    assert_eq!(emails(people(&found)), ["ana@x.org"]);
}

// Everything else

#[tokio::test]
async fn all_errors_of_a_request_come_together() {
    let world = World::new().await;
    let taken = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" });
    world.person_on(&world.page, taken).await;
    world.person("Bo", "bo@x.org").await;
    let wrong = json!({
        "first_name": "a\u{7}", "last_name": "b\n", "email": "bo@x.org", "institution_id": "S1", "phonetic": "\u{1b}",
        "notes": "\u{0}", "phone_number": "911", "custom_fields": { "custom_unknown": "x", "colour": "red" },
    });
    assert_eq!(
        create(&world, wrong).await.expect(422),
        unprocessable(json!({
            "first_name": ["is invalid"],
            "last_name": ["is invalid"],
            "email": ["has already been taken"],
            "institution_id": ["has already been taken"],
            "phonetic": ["is invalid"],
            "notes": ["is invalid"],
            "phone_number": ["Is not valid."],
            "custom_unknown": ["is invalid"],
            "colour": ["is invalid"],
        }))
    );
}

#[tokio::test]
async fn a_taken_institution_id_is_told_beside_a_wrong_email() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" }))
        .await;
    for (email, fault) in [("nonsense", "is invalid"), ("", "can't be blank")] {
        let wrong =
            errors(&world, json!({ "first_name": "Bo", "email": email, "institution_id": "S1" })).await;
        assert_eq!(wrong, json!({ "email": [fault], "institution_id": ["has already been taken"] }));
    }
}

#[tokio::test]
async fn whoever_is_refused_leaves_no_trace() {
    let world = World::new().await;
    errors(&world, json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": "1" })).await;
    assert_eq!(head_count(&world).await, 0);
    create(&world, json!({ "first_name": "Ana", "email": "ana@x.org" })).await.expect(201);
}

#[tokio::test]
async fn line_breaks_and_tabs_are_allowed_in_notes_alone() {
    let world = World::new().await;
    world.custom_field("degree").await;
    for space in ["\n", "\r", "\t"] {
        let text = format!("a{space}b");
        let wrong = errors(
            &world,
            json!({
                "first_name": text, "last_name": text, "institution_id": text, "phonetic": text, "notes": text,
                "email": "ana@x.org", "custom_fields": { "custom_degree": text },
            }),
        )
        .await;
        assert_eq!(keys(&wrong), ["custom_degree", "first_name", "institution_id", "last_name", "phonetic"]);
    }
    let notes = "one\r\n\ttwo\nthree";
    let made = create(&world, json!({ "first_name": "Ana", "email": "ana@x.org", "notes": notes }))
        .await
        .expect(201);
    assert_eq!(made["participant"]["notes"], notes);
}

#[tokio::test]
async fn other_control_characters_are_invalid_everywhere() {
    let world = World::new().await;
    world.custom_field("degree").await;
    for control in [
        "\u{0}", "\u{1}", "\u{7}", "\u{8}", "\u{b}", "\u{1b}", "\u{1f}", "\u{7f}", "\u{80}", "\u{85}",
        "\u{9f}",
    ] {
        let text = format!("a{control}b");
        let wrong = errors(
            &world,
            json!({
                "first_name": text, "last_name": text, "institution_id": text, "phonetic": text, "notes": text,
                "email": format!("{text}@x.org"), "custom_fields": { "custom_degree": text },
            }),
        )
        .await;
        let invalid = json!(["is invalid"]);
        for field in
            ["first_name", "last_name", "institution_id", "phonetic", "notes", "email", "custom_degree"]
        {
            assert_eq!(wrong[field], invalid, "{field} with {control:?}");
        }
    }
}

#[tokio::test]
async fn any_script_is_stored_as_given() {
    let world = World::new().await;
    let names = [
        "Nguyễn Thị Ánh",
        "محمد",
        "क्षत्रिय\u{200d}",
        "می\u{200c}خواهم",
        "李小龍",
        "\u{202b}שרה\u{202c}",
        "\u{200f}שרה",
        "O’Brien",
        "ʻOkina",
        "Zoe\u{308}",
        "Zo\u{eb}",
        "👩🏽‍🎤",
        "ⵜⴰⵎⴰⵣⵉⵖⵜ",
        "𐐀𐐁",
        "!Xóõ",
        " Ana  Maria ",
    ];
    for (n, name) in names.iter().enumerate() {
        let fields = json!({ "first_name": name, "last_name": name, "phonetic": name, "notes": name, "email": format!("a{n}@x.org") });
        create(&world, fields).await.expect(201);
        let found = world.get(&format!("/v5/participants?email_list=a{n}@x.org")).await.expect(200);
        for field in ["first_name", "last_name", "phonetic_spelling", "notes"] {
            assert_eq!(people(&found)[0][field], *name, "{field}");
        }
    }
}

#[tokio::test]
async fn names_have_200_characters_and_notes_10000_however_many_bytes() {
    let world = World::new().await;
    let limits = [("first_name", 200), ("last_name", 200), ("notes", 10_000)];
    let text_of = |extra: usize| {
        let mut fields = json!({ "email": format!("a{extra}@x.org") });
        for (field, longest) in limits {
            fields[field] = json!("é".repeat(longest + extra));
        }
        fields
    };
    create(&world, text_of(0)).await.expect(201);
    let wrong = errors(&world, text_of(1)).await;
    assert_eq!(keys(&wrong), ["first_name", "last_name", "notes"]);
    assert_eq!(wrong["first_name"], json!(["is too long (maximum is 200 characters)"]));
    assert_eq!(wrong["notes"], json!(["is too long (maximum is 10000 characters)"]));
}

#[tokio::test]
async fn every_text_has_an_end() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let endless = "a".repeat(100_000);
    let wrong = errors(
        &world,
        json!({
            "first_name": endless, "last_name": endless, "institution_id": endless, "phonetic": endless, "notes": endless,
            "email": format!("{endless}@x.org"), "phone_number": format!("+1{endless}"), "custom_fields": { "custom_degree": endless },
        }),
    )
    .await;
    let fields = [
        "custom_degree",
        "email",
        "first_name",
        "institution_id",
        "last_name",
        "notes",
        "phone_number",
        "phonetic",
    ];
    assert_eq!(keys(&wrong), fields);
}

#[tokio::test]
async fn a_value_of_another_type_is_an_error_on_its_field() {
    let world = World::new().await;
    world.custom_field("degree").await;
    for wrong in [json!(true), json!([]), json!(["Ana"]), json!({ "text": "Ana" })] {
        for field in ["first_name", "last_name", "email", "institution_id", "notes", "phonetic"] {
            let mut participant = json!({ "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org" });
            participant[field] = wrong.clone();
            assert_eq!(
                errors(&world, participant).await,
                json!({ field: ["is invalid"] }),
                "{field}: {wrong}"
            );
        }
        let participant = json!({
            "first_name": "Ana", "email": "ana@x.org", "phone_number": wrong, "custom_fields": { "custom_degree": wrong },
        });
        assert_eq!(
            errors(&world, participant).await,
            json!({ "phone_number": ["Is not valid."], "custom_degree": ["is invalid"] }),
            "{wrong}"
        );
    }
    for wrong in [json!(true), json!("degree"), json!(["custom_degree"]), json!(5)] {
        let participant = json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": wrong });
        assert_eq!(errors(&world, participant).await, json!({ "custom_fields": ["is invalid"] }), "{wrong}");
    }
    assert_eq!(head_count(&world).await, 0);
}

#[tokio::test]
async fn a_participant_that_is_no_object_is_refused() {
    let world = World::new().await;
    for wrong in [json!(true), json!("Ana"), json!([]), json!(5)] {
        let answer = create(&world, wrong.clone()).await;
        assert!(matches!(answer.status.as_u16(), 400 | 422), "{wrong}: {}", answer.status);
        assert!(answer.body["message"].is_string());
    }
}

#[tokio::test]
async fn custom_fields_are_sent_by_import_key_and_an_unknown_one_is_an_error_as_sent() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    for key in [
        "gender_pronouns",
        "custom_degree",
        "custom_",
        "Custom_Gender_Pronouns",
        "custom_custom_gender_pronouns",
        "",
        "\u{0}",
    ] {
        let wrong = errors(
            &world,
            json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { key: "x" } }),
        )
        .await;
        assert_eq!(wrong, json!({ key: ["is invalid"] }));
    }
}

#[tokio::test]
async fn the_custom_fields_of_another_institution_are_unknown() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let degree = custom_fields::New { name: "degree".into(), ..Default::default() };
    custom_fields::create(&world.app, &Actor::Operator, neighbor.institution.id, degree).await.unwrap();
    let wrong = errors(
        &world,
        json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { "custom_degree": "x" } }),
    )
    .await;
    assert_eq!(wrong, json!({ "custom_degree": ["is invalid"] }));
}

#[tokio::test]
async fn a_blank_custom_value_is_none() {
    let world = World::new().await;
    world.custom_field("degree").await;
    for (n, blank) in [json!(null), json!(""), json!("  ")].into_iter().enumerate() {
        let email = format!("a{n}@x.org");
        let made = create(
            &world,
            json!({ "first_name": "A", "email": email, "custom_fields": { "custom_degree": blank } }),
        )
        .await;
        assert_eq!(made.expect(201)["participant"]["custom_objects"], json!({}));
    }
}

#[tokio::test]
async fn phone_numbers_are_checked_against_real_numbering_plans() {
    let world = World::new().await;
    let valid = [
        "+12025550123",
        "+1 (202) 555-0123",
        "+44 20 7946 0958",
        "+353 85 012 3456",
        "+81 3-1234-5678",
        "+5511987654321",
    ];
    for (n, number) in valid.iter().enumerate() {
        let participant =
            json!({ "first_name": "Ana", "email": format!("a{n}@x.org"), "phone_number": number });
        create(&world, participant).await.expect(201);
    }
    for number in [
        "2025550123",
        "12025550123",
        "+1202555012",
        "+120255501234",
        "+999123456789",
        "+1",
        "+",
        "phone",
        "+1202555O123",
        "0044 20 7946 0958",
    ] {
        let wrong =
            errors(&world, json!({ "first_name": "Ana", "email": "x@x.org", "phone_number": number })).await;
        assert_eq!(wrong, json!({ "phone_number": ["Is not valid."] }), "{number}");
    }
}

#[tokio::test]
async fn a_blank_phone_number_is_none() {
    let world = World::new().await;
    for (n, blank) in [json!(null), json!(""), json!(" ")].into_iter().enumerate() {
        let participant =
            json!({ "first_name": "Ana", "email": format!("a{n}@x.org"), "phone_number": blank });
        create(&world, participant).await.expect(201);
    }
}

// At the same time

#[tokio::test]
async fn of_many_creates_of_one_email_at_once_exactly_one_succeeds() {
    let world = Arc::new(World::new().await);
    let outcomes = at_once(&world, 24, |n| {
        let email = if n % 2 == 0 { "ana@x.org" } else { "ANA@x.org" };
        json!({ "first_name": format!("Ana {n}"), "email": email })
    })
    .await;
    one_success(&outcomes, &json!({ "email": ["has already been taken"] }));
    assert_eq!(head_count(&world).await, 1);
}

#[tokio::test]
async fn of_many_emails_with_one_institution_id_at_once_exactly_one_succeeds() {
    let world = Arc::new(World::new().await);
    let outcomes = at_once(
        &world,
        24,
        |n| json!({ "first_name": "Ana", "email": format!("a{n}@x.org"), "institution_id": "S1" }),
    )
    .await;
    one_success(&outcomes, &json!({ "institution_id": ["has already been taken"] }));
    assert_eq!(head_count(&world).await, 1);
}

#[tokio::test]
async fn many_different_people_at_once_all_succeed_and_are_counted() {
    let world = Arc::new(World::new().await);
    let outcomes =
        at_once(&world, 60, |n| json!({ "first_name": "Ana", "email": format!("a{n}@x.org") })).await;
    assert!(outcomes.iter().all(|answer| answer.status == 201));
    let body = world.get("/v5/participants?per_page=100").await.expect(200);
    let mut all = emails(people(&body));
    all.sort_unstable();
    all.dedup();
    assert_eq!((all.len(), &meta(&body)["total_count"]), (60, &json!(60)));
}

async fn at_once(world: &Arc<World>, count: usize, participant: impl Fn(usize) -> Value) -> Vec<Answer> {
    let sent: Vec<_> = (0..count)
        .map(|n| {
            let (world, participant) = (world.clone(), participant(n));
            tokio::spawn(async move { create(&world, participant).await })
        })
        .collect();
    let mut answers = Vec::new();
    for one in sent {
        answers.push(one.await.unwrap());
    }
    answers
}

fn one_success(answers: &[Answer], others: &Value) {
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!((answer.status.as_u16(), &answer.body["errors"]), (422, others));
    }
}
