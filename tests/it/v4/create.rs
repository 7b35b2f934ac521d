//! Version 4: `POST /name_pages/{id}/participants`.

use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};

use super::{not_found, path, unprocessable};
use crate::support::{Answer, World, emails, keys};

fn on_page(world: &World) -> String {
    format!("/v4/name_pages/{}/participants", world.page.slug)
}

async fn create(world: &World, participant: Value) -> Answer {
    world.post(&on_page(world), json!({ "participant": participant })).await
}

async fn errors(world: &World, participant: Value) -> Value {
    let body = create(world, participant).await.expect(422);
    assert_eq!(body["message"], "Unprocessable entity");
    body["errors"].clone()
}

#[tokio::test]
async fn whoever_is_created_is_answered_with_custom_objects_and_a_link() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let participant = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "Ana@x.org", "notes": "Two\nlines", "phone_number": "+12025550123",
        "custom_objects": { "custom_gender_pronouns": "she/her" },
    });
    let body = create(&world, participant).await.expect(201);
    assert_eq!(
        world.shown(&body),
        json!({
            "participant": {
                "first_name": "Ana",
                "last_name": "Lima",
                "email": "Ana@x.org",
                "recording_link": null,
                "event_title": "Class of 2027",
                "event_slug": world.page.slug,
                "event_access_code": world.page.access_code,
                "institution_id": null,
                "photo": null,
                "name_badge_link": "{base}/badges/{institution}/{token}",
                "phonetic_spelling": null,
                "notes": "Two\nlines",
                "custom_objects": { "gender_pronouns": "she/her" },
            },
            "meta": {
                "link": format!("{{base}}/api/private/v4/name_pages/{}/participants/{{token}}", world.page.slug),
            },
        })
    );
}

#[tokio::test]
async fn custom_objects_are_there_though_empty() {
    let world = World::new().await;
    let body = create(&world, json!({ "last_name": "Lima", "email": "ana@x.org" })).await.expect(201);
    assert_eq!(body["participant"]["custom_objects"], json!({}));
    assert_eq!(keys(&body), ["meta", "participant"]);
}

#[tokio::test]
async fn the_link_leads_to_whoever_was_created_and_ends_in_their_token() {
    let world = World::new().await;
    let made = create(&world, json!({ "first_name": "Ana", "email": "ana@x.org" })).await.expect(201);
    let link = made["meta"]["link"].as_str().unwrap();
    let token = link.rsplit('/').next().unwrap();
    let found = world.get(path(&made["meta"]["link"])).await.expect(200);
    assert_eq!(found["participant"], made["participant"]);
    for path in [format!("/v4/participants/{token}"), format!("/v4/participants/latest?token={token}")] {
        assert_eq!(world.get(&path).await.expect(200)["participant"]["email"], "ana@x.org", "{path}");
    }
    let latest = world.get(&format!("/v5/participants/latest?tokens={token}")).await.expect(200);
    assert_eq!(emails(&latest["participants"]), ["ana@x.org"]);
}

#[tokio::test]
async fn tokens_cannot_be_guessed_from_one_another() {
    let world = World::new().await;
    let mut tokens = Vec::new();
    for n in 0..4 {
        let made =
            create(&world, json!({ "first_name": "A", "email": format!("a{n}@x.org") })).await.expect(201);
        tokens.push(World::registration_token(&made["participant"]));
    }
    for (n, token) in tokens.iter().enumerate() {
        assert!(token.len() >= 32 && token.bytes().all(|b| b.is_ascii_hexdigit()), "{token}");
        let alike = |other: &String| token.bytes().zip(other.bytes()).filter(|(a, b)| a == b).count();
        assert!(tokens[..n].iter().all(|other| alike(other) < 16), "{tokens:?}");
    }
}

#[tokio::test]
async fn a_page_is_named_by_any_of_its_names_and_the_link_works_by_it() {
    let world = World::new().await;
    let page = &world.page;
    let names = [
        page.id.to_string(),
        page.slug.to_uppercase(),
        page.event_code.to_lowercase(),
        page.access_code.clone(),
    ];
    for (n, name) in names.iter().enumerate() {
        let body = json!({ "participant": { "first_name": "A", "email": format!("a{n}@x.org") } });
        let made = world.post(&format!("/v4/name_pages/{name}/participants"), body).await.expect(201);
        world.get(path(&made["meta"]["link"])).await.expect(200);
    }
}

#[tokio::test]
async fn an_unknown_page_is_exactly_not_found() {
    let world = World::new().await;
    for page in ["elsewhere", &world.institution.access_code, "%00"] {
        let body = json!({ "participant": { "first_name": "Ana", "email": "ana@x.org" } });
        let answer = world.post(&format!("/v4/name_pages/{page}/participants"), body).await;
        assert_eq!(answer.expect(404), not_found(), "{page}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_420_bad_request() {
    let world = World::new().await;
    let deep = format!("{{\"participant\":{}", "[".repeat(50_000));
    for text in [
        "",
        "{",
        "[]",
        "null",
        "5",
        "{}",
        "{\"participant\":null}",
        "{\"participant\":[]}",
        "{\"participant\":\"Ana\"}",
        "{\"first_name\":\"Ana\",\"email\":\"ana@x.org\"}",
        "first_name=Ana",
        &deep,
    ] {
        let request = world.request(Method::POST, &on_page(&world)).body(text.to_owned());
        let answer = Answer::of(request).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body),
            (420, &json!({ "message": "Bad Request" })),
            "{text:.40}"
        );
    }
    let raw = world.raw(&format!("POST {}", on_page(&world)), &["Content-Length: 0"]).await;
    assert_eq!(raw.status, 420);
}

#[tokio::test]
async fn an_empty_participant_is_told_what_it_lacks() {
    let world = World::new().await;
    let wanted = json!({ "email": ["can't be blank"], "first_name": ["can't be blank"] });
    assert_eq!(create(&world, json!({})).await.expect(422), unprocessable(wanted));
}

#[tokio::test]
async fn fields_of_version_5_are_unknown_here_and_so_ignored() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let participant = json!({
        "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1", "phonetic": "AH-na", "legal_first_name": "Mariana",
        "custom_fields": { "custom_degree": "BA", "custom_unknown": "x" }, "pronunciation": { "base64_str": "x" },
    });
    let body = create(&world, participant).await.expect(201);
    let made = &body["participant"];
    assert_eq!((&made["institution_id"], &made["phonetic_spelling"]), (&Value::Null, &Value::Null));
    assert_eq!(made["custom_objects"], json!({}));
}

#[tokio::test]
async fn all_errors_of_a_request_come_together() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let wrong = json!({
        "first_name": "a\u{7}", "last_name": "b\n", "email": "ANA@x.org", "notes": "\u{0}", "phone_number": "911",
        "custom_objects": { "custom_unknown": "x" },
    });
    assert_eq!(
        create(&world, wrong).await.expect(422),
        unprocessable(json!({
            "first_name": ["is invalid"],
            "last_name": ["is invalid"],
            "email": ["has already been taken"],
            "notes": ["is invalid"],
            "phone_number": ["Is not valid."],
            "custom_unknown": ["is invalid"],
        }))
    );
}

#[tokio::test]
async fn an_email_must_be_valid_and_free_on_the_page() {
    let world = World::new().await;
    create(&world, json!({ "first_name": "Ana", "email": "ana@x.org" })).await.expect(201);
    for (email, fault) in
        [("ana", "is invalid"), ("", "can't be blank"), ("ANA@X.org", "has already been taken")]
    {
        let wrong = errors(&world, json!({ "first_name": "Ana", "email": email })).await;
        assert_eq!(wrong, json!({ "email": [fault] }));
    }
}

#[tokio::test]
async fn a_value_of_another_type_is_an_error_on_its_field() {
    let world = World::new().await;
    world.custom_field("degree").await;
    for wrong in [json!(true), json!([]), json!({ "text": "Ana" })] {
        for field in ["first_name", "last_name", "email", "notes"] {
            let mut participant = json!({ "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org" });
            participant[field] = wrong.clone();
            assert_eq!(errors(&world, participant).await, json!({ field: ["is invalid"] }), "{wrong}");
        }
        let participant = json!({
            "first_name": "Ana", "email": "ana@x.org", "phone_number": wrong, "custom_objects": { "custom_degree": wrong },
        });
        let wanted = json!({ "phone_number": ["Is not valid."], "custom_degree": ["is invalid"] });
        assert_eq!(errors(&world, participant).await, wanted, "{wrong}");
    }
    let participant = json!({ "first_name": "Ana", "email": "ana@x.org", "custom_objects": "x" });
    assert_eq!(errors(&world, participant).await, json!({ "custom_objects": ["is invalid"] }));
}

#[tokio::test]
async fn texts_end_where_they_do_in_version_5() {
    let world = World::new().await;
    let fields = |extra: usize| json!({ "first_name": "é".repeat(200 + extra), "notes": "é".repeat(10_000 + extra), "email": format!("a{extra}@x.org") });
    create(&world, fields(0)).await.expect(201);
    assert_eq!(keys(&errors(&world, fields(1)).await), ["first_name", "notes"]);
}

#[tokio::test]
async fn of_many_creates_of_one_email_in_both_versions_at_once_exactly_one_succeeds() {
    let world = Arc::new(World::new().await);
    let sent: Vec<_> = (0..20)
        .map(|n| {
            let world = world.clone();
            let participant = json!({ "first_name": "Ana", "email": "ana@x.org" });
            tokio::spawn(async move {
                if n % 2 == 0 {
                    create(&world, participant).await.status
                } else {
                    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
                    world.post("/v5/participants", body).await.status
                }
            })
        })
        .collect();
    let mut statuses = Vec::new();
    for one in sent {
        statuses.push(one.await.unwrap().as_u16());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![201], vec![422; 19]].concat());
}
