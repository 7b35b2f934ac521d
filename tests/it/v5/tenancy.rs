//! Versions 5 and 4: a token sees only its own institution.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, hex, message, meta, people};
use crate::support::{Answer, World, openapi};

const NO_PAGE: &str = "Name page not found";
const NOBODY: &str = "Registered participant not found";

/// The expected response to the other tenant.
enum Expect {
    NotFound(&'static str),
    /// No record at this JSON path, and a total of 0 if there is one.
    Empty(&'static str),
}
use Expect::{Empty, NotFound};

/// Endpoints that are not in the table below, with the tests that another institution finds nothing there.
const ELSEWHERE: [(&str, &str); 6] = [
    (
        "v5 DELETE /participants/{user_email}/pronunciations/{recording_id}",
        "v5::media::only_ones_own_recording_can_be_deleted",
    ),
    (
        "v5 POST /lti/{lms}/courses/synchronize",
        "courses::endpoint::another_institutions_tool_consumer_is_not_found",
    ),
    (
        "v4 POST /lti/{lms}/courses/synchronize",
        "courses::endpoint::another_institutions_tool_consumer_is_not_found",
    ),
    ("v4 POST /exports", "v4::exports::errors_of_an_export_come_together_by_field"),
    ("v4 GET /exports", "v4::exports::another_institutions_export_is_not_found"),
    ("v4 GET /exports/{id}", "v4::exports::another_institutions_export_is_not_found"),
];

fn check_that_all_are_asked(asked: &BTreeSet<String>) {
    let elsewhere = ELSEWHERE.map(|(operation, _)| operation);
    let documented: BTreeSet<String> = ["v5", "v4"].into_iter().flat_map(openapi::operations).collect();
    let missing: Vec<&String> = documented
        .iter()
        .filter(|operation| !asked.contains(*operation) && !elsewhere.contains(&operation.as_str()))
        .collect();
    assert!(missing.is_empty(), "add calls to the table in tests/it/v5/tenancy.rs: {missing:?}");
    for operation in elsewhere {
        assert!(documented.contains(operation) && !asked.contains(operation), "{operation}");
    }
}

#[tokio::test]
async fn nothing_of_another_institution_is_ever_seen_or_changed() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let person = json!({
        "first_name": "Zebulon", "last_name": "Quux", "email": "zeb@x.org", "institution_id": "S1", "notes": "secret",
        "custom_fields": { "custom_degree": "BA" },
    });
    let made = world.person_on(&world.page, person).await;
    world.record(&world.page, "zeb@x.org", &hex('a'), JULY).await;
    let token = World::registration_token(&made);
    let before = world.get("/v5/participants?include=custom_attributes").await.expect(200);
    let neighbor = world.neighbor().await;

    let own = &neighbor.page.slug;
    let mut calls: Vec<(Method, String, Value, Expect)> = Vec::new();
    let mut call =
        |method: Method, path: String, body: Value, expect: Expect| calls.push((method, path, body, expect));
    let people_at = |version: &str| if version == "v5" { "/Response/participants" } else { "/participants" };
    for version in ["v5", "v4"] {
        for query in [
            "",
            "?email_list=zeb@x.org",
            "?institution_id_list=S1",
            "?updated_after=2001-01-01T00:00:00Z",
            "?per_page=10000",
        ] {
            call(
                Method::GET,
                format!("/{version}/participants{query}"),
                json!(null),
                Empty(people_at(version)),
            );
        }
        for query in [
            "email_list=zeb@x.org",
            "institution_id_list=S1",
            "email_list=zeb@x.org&updated_before=2100-01-01T00:00:00Z",
        ] {
            call(
                Method::GET,
                format!("/{version}/participants/search?{query}"),
                json!(null),
                Empty(people_at(version)),
            );
        }
        let lists = json!({ "email_list": ["zeb@x.org"], "institution_id_list": ["S1", token] });
        call(Method::POST, format!("/{version}/participants/search"), lists, Empty(people_at(version)));
    }
    call(Method::POST, "/v4/participants/search".into(), json!({}), Empty("/participants"));
    let identifiers = json!({ "identifiers": [{ "email": "zeb@x.org", "institution_id": "S1" }] });
    call(Method::POST, "/v5/pronunciations/search".into(), identifiers, Empty("/Response/pronunciations"));
    for mark in ["zeb@x.org", "S1", &token] {
        call(
            Method::GET,
            format!("/v5/participants/latest?tokens={mark}"),
            json!(null),
            Empty("/participants"),
        );
        call(
            Method::GET,
            format!("/v4/participants/latest?token={mark}"),
            json!(null),
            NotFound("Not Found"),
        );
        call(Method::GET, format!("/v4/participants/{mark}"), json!(null), NotFound("Not Found"));
        call(
            Method::GET,
            format!("/v4/name_pages/{own}/participants/{mark}"),
            json!(null),
            NotFound("Not Found"),
        );
    }
    let page = &world.page;
    let names = [
        page.id.to_string(),
        page.slug.clone(),
        page.event_code.clone(),
        page.access_code.clone(),
        world.institution.access_code.clone(),
    ];
    for name in &names {
        let participant = json!({ "first_name": "Intruder", "email": "intruder@x.org" });
        let with_page = json!({ "name_page_id": name, "participant": participant });
        let on_page = format!("/v4/name_pages/{name}/participants");
        call(Method::POST, "/v5/participants".into(), with_page.clone(), NotFound(NO_PAGE));
        call(Method::PUT, "/v5/participants/zeb@x.org".into(), with_page.clone(), NotFound(NO_PAGE));
        call(Method::DELETE, "/v5/participants/zeb@x.org".into(), with_page, NotFound(NOBODY));
        call(
            Method::DELETE,
            format!("/v5/participants/zeb@x.org?name_page_id={name}"),
            json!(null),
            NotFound(NOBODY),
        );
        call(Method::GET, on_page.clone(), json!(null), NotFound("Not Found"));
        call(Method::GET, format!("{on_page}?email_list=zeb@x.org"), json!(null), NotFound("Not Found"));
        call(Method::GET, format!("{on_page}/zeb@x.org"), json!(null), NotFound("Not Found"));
        call(Method::POST, on_page, json!({ "participant": participant }), NotFound("Not Found"));
    }
    let on_own = json!({ "name_page_id": own, "participant": { "notes": "changed" } });
    call(Method::PUT, "/v5/participants/zeb@x.org".into(), on_own.clone(), NotFound(NOBODY));
    call(Method::DELETE, "/v5/participants/zeb@x.org".into(), on_own, NotFound(NOBODY));
    for query in ["", "?email_list=zeb@x.org", "?updated_after=2001-01-01T00:00:00Z"] {
        call(
            Method::GET,
            format!("/v4/name_pages/{own}/participants{query}"),
            json!(null),
            Empty("/participants"),
        );
    }

    let asked: BTreeSet<String> =
        calls.iter().map(|(method, path, _, _)| openapi::operation(method, path)).collect();
    check_that_all_are_asked(&asked);
    for (method, path, body, expect) in calls {
        let request = world.request_as(&neighbor.token, method.clone(), &path);
        let request = if body.is_null() { request } else { request.json(&body) };
        let answer = Answer::of(request).await;
        let at = format!("{method} {path}: {}", answer.body);
        match expect {
            NotFound(words) => {
                assert_eq!((answer.status.as_u16(), &answer.body), (404, &message(words)), "{at}")
            }
            Empty(list) => {
                assert_eq!(answer.status, 200, "{at}");
                assert_eq!(answer.body.pointer(list), Some(&json!([])), "{at}");
                let (around, _) = list.rsplit_once('/').unwrap();
                if let Some(meta) = answer.body.pointer(&format!("{around}/meta")) {
                    assert_eq!((&meta["total_count"], &meta["total_pages"]), (&json!(0), &json!(0)), "{at}");
                }
            }
        }
        let text = answer.body.to_string();
        assert!(!["Zebulon", "Quux", "secret", &hex('a')].iter().any(|word| text.contains(word)), "{at}");
    }

    let after = world.get("/v5/participants?include=custom_attributes").await.expect(200);
    assert_eq!(after, before);
}

#[tokio::test]
async fn the_same_person_in_two_institutions_is_two_people() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" });
    world.person_on(&world.page, ana).await;
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Their Ana", "email": "ana@x.org", "institution_id": "S1" } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&theirs);
    Answer::of(request).await.expect(201);
    for (token, name) in [(&world.token, "Ana"), (&neighbor.token, "Their Ana")] {
        for path in ["/v5/participants", "/v5/participants?email_list=ana@x.org&institution_id_list=S1"] {
            let body = Answer::of(world.request_as(token, Method::GET, path)).await.expect(200);
            assert_eq!(people(&body)[0]["first_name"], name);
            assert_eq!(meta(&body)["total_count"], 1);
        }
    }
    let body = json!({ "name_page_id": neighbor.page.slug });
    let request = world.request_as(&neighbor.token, Method::DELETE, "/v5/participants/ana@x.org").json(&body);
    Answer::of(request).await.expect(200);
    assert_eq!(meta(&world.get("/v5/participants").await.expect(200))["total_count"], 1);
}

#[tokio::test]
async fn latest_never_finds_the_recording_of_a_namesake_elsewhere() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.person("Ana", "ana@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Ana", "email": "ana@x.org" } });
    Answer::of(world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&theirs))
        .await
        .expect(201);
    let request = world.request_as(&neighbor.token, Method::GET, "/v5/participants/latest?tokens=ana@x.org");
    let body = Answer::of(request).await.expect(200);
    assert_eq!(body["participants"][0]["recording_link"], Value::Null);
    assert_eq!(body["participants"][0]["event_slug"], json!(neighbor.page.slug));
}
