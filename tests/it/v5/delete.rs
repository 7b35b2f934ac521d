//! Version 5: `DELETE /participants/{user_email}`.

use reqwest::Method;
use serde_json::{Value, json};

use super::{message, meta, people};
use crate::support::{Answer, World, database::execute, emails};

async fn delete(world: &World, email: &str) -> Answer {
    world.delete(&format!("/v5/participants/{email}"), json!({ "name_page_id": world.page.slug })).await
}

fn nobody() -> Value {
    message("Registered participant not found")
}

#[tokio::test]
async fn a_deletion_answers_with_no_content_and_the_person_is_gone_from_everywhere() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let answer = delete(&world, "p1@x.org").await;
    assert_eq!((answer.status.as_u16(), &answer.body), (200, &Value::Null));
    let list = world.get("/v5/participants").await.expect(200);
    assert_eq!(emails(people(&list)), ["p0@x.org", "p2@x.org"]);
    assert_eq!(meta(&list)["total_count"], 2);
    let by_email = world.get("/v5/participants?email_list=p1@x.org").await.expect(200);
    assert_eq!(people(&by_email), &json!([]));
    let latest = world.get("/v5/participants/latest?tokens=I1").await.expect(200);
    assert_eq!(latest["participants"], json!([]));
    let on_page = world.get(&format!("/v4/name_pages/{}/participants", world.page.slug)).await.expect(200);
    assert_eq!(on_page["meta"]["total_count"], 2);
}

/// Deleting does not depend on reading what is deleted.
#[tokio::test]
async fn a_person_whose_custom_values_cannot_be_read_can_be_deleted() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let cut_off = "UPDATE participants SET custom = '{\"7\":\"cut o' WHERE email_key = 'p0@x.org'";
    assert_eq!(execute(&world.app.db, cut_off, vec![]).await, 1);
    delete(&world, "p0@x.org").await.expect(200);
    let list = world.get("/v5/participants").await.expect(200);
    assert_eq!(emails(people(&list)), ["p1@x.org"]);
}

#[tokio::test]
async fn the_page_may_be_named_in_the_query_for_clients_that_drop_the_body() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let (slug, code) = (&world.page.slug, &world.page.event_code);
    let path = format!("/v5/participants/p0@x.org?name_page_id={slug}");
    Answer::of(world.request(Method::DELETE, &path)).await.expect(200);
    let path = format!("/v5/participants/p1@x.org/?name_page_id={code}");
    Answer::of(world.request(Method::DELETE, &path).json(&json!({}))).await.expect(200);
}

#[tokio::test]
async fn the_page_in_the_body_wins_over_the_one_in_the_query() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world.person("Ana", "ana@x.org").await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    let path = format!("/v5/participants/ana@x.org?name_page_id={}", world.page.slug);
    world.delete(&path, json!({ "name_page_id": other.slug })).await.expect(200);
    let list = world.get("/v5/participants").await.expect(200);
    assert_eq!(people(&list)[0]["event_slug"], json!(world.page.slug));
    assert_eq!(meta(&list)["total_count"], 1);
}

#[tokio::test]
async fn a_page_is_named_by_any_of_its_names() {
    let world = World::new().await;
    world.crowd(&world.page, 0..4).await;
    let page = &world.page;
    let names = [
        page.id.to_string(),
        page.slug.to_uppercase(),
        page.event_code.to_lowercase(),
        page.access_code.clone(),
    ];
    for (n, name) in names.iter().enumerate() {
        world
            .delete(&format!("/v5/participants/p{n}@x.org"), json!({ "name_page_id": name }))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn a_page_that_is_missing_or_unknown_has_nobody_registered() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for body in [
        json!({}),
        json!({ "name_page_id": null }),
        json!({ "name_page_id": "" }),
        json!({ "name_page_id": "elsewhere" }),
        json!({ "name_page_id": "\u{0}" }),
        json!({ "name_page_id": [] }),
        json!({ "name_page_id": world.institution.access_code }),
    ] {
        let answer = world.delete("/v5/participants/ana@x.org", body.clone()).await.expect(404);
        assert_eq!(answer, nobody(), "{body}");
    }
    assert_eq!(
        Answer::of(world.request(Method::DELETE, "/v5/participants/ana@x.org")).await.expect(404),
        nobody()
    );
}

#[tokio::test]
async fn somebody_who_is_not_on_that_page_is_not_found() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world
        .person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" }))
        .await;
    for email in ["ana@x.org", "nobody@x.org", "S1", "%00", "%FF"] {
        assert_eq!(delete(&world, email).await.expect(404), nobody(), "{email}");
    }
}

#[tokio::test]
async fn somebody_can_be_deleted_once() {
    let world = World::new().await;
    world.person("Ana", "Ana@x.org").await;
    delete(&world, "aNA@x.org").await.expect(200);
    assert_eq!(delete(&world, "ana@x.org").await.expect(404), nobody());
}

#[tokio::test]
async fn other_registrations_of_the_same_person_stay() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world.person("Ana", "ana@x.org").await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    delete(&world, "ana@x.org").await.expect(200);
    let left = world.get("/v5/participants?email_list=ana@x.org").await.expect(200);
    assert_eq!(people(&left)[0]["event_slug"], json!(other.slug));
}

#[tokio::test]
async fn whoever_was_deleted_can_be_registered_again_under_a_new_token() {
    let world = World::new().await;
    let first = world.person("Ana", "ana@x.org").await;
    delete(&world, "ana@x.org").await.expect(200);
    let second = world.person("Ana", "ana@x.org").await;
    assert_ne!(World::registration_token(&first), World::registration_token(&second));
    let by_old = world.get(&format!("/v4/participants/{}", World::registration_token(&first))).await;
    by_old.expect(404);
}

#[tokio::test]
async fn the_institution_id_of_whoever_was_deleted_is_free() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" }))
        .await;
    delete(&world, "ana@x.org").await.expect(200);
    world
        .person_on(&world.page, json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": "S1" }))
        .await;
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_a_bad_request() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for text in ["{", "[]", "x"] {
        let path = format!("/v5/participants/ana@x.org?name_page_id={}", world.page.slug);
        let request = world.request(Method::DELETE, &path).body(text);
        assert_eq!(Answer::of(request).await.expect(400), message("Bad Request"), "{text}");
    }
}

#[tokio::test]
async fn of_many_deletions_of_one_person_at_once_exactly_one_succeeds() {
    let world = std::sync::Arc::new(World::new().await);
    world.crowd(&world.page, 0..2).await;
    let sent: Vec<_> = (0..12)
        .map(|_| {
            let world = world.clone();
            tokio::spawn(async move { delete(&world, "p0@x.org").await.status.as_u16() })
        })
        .collect();
    let mut statuses = Vec::new();
    for one in sent {
        statuses.push(one.await.unwrap());
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200], vec![404; 11]].concat());
    assert_eq!(meta(&world.get("/v5/participants").await.expect(200))["total_count"], 1);
}
