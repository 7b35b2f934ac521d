//! `--newest-only`: one row per person when people are selected by email or identifier.

use endonym::app::tokens::New;
use serde_json::{Value, json};

use super::{get, post, records, token};
use crate::support::World;

const JULY: i64 = 1_782_907_200_000_000;

/// Ana has recorded on two of her three pages, most recently on the choir's; Bo on neither of his two; both joined the
/// world's page first.
async fn scene() -> (World, String) {
    let world = World::new().await;
    let (choir, chess) = (world.page("Choir").await, world.page("Chess").await);
    for page in [&world.page, &choir, &chess] {
        let ana = json!({ "first_name": "Ana", "email": "Ana@x.org", "institution_id": "A1" });
        world.person_on(page, ana).await;
    }
    world.record(&world.page, "ana@x.org", &"a".repeat(32), JULY).await;
    world.record(&choir, "ana@x.org", &"b".repeat(32), JULY + 1).await;
    for page in [&world.page, &chess] {
        let bo = json!({ "first_name": "Bo", "email": "bo@x.org", "institution_id": "B1" });
        world.person_on(page, bo).await;
    }
    let token = token(&world, New { newest_only: true, ..New::default() }).await;
    (world, token)
}

/// The first name of each row, and its page.
fn rows(body: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    records(body)
        .iter()
        .map(|one| format!("{} {}", text(&one["first_name"]), text(&one["event_slug"])))
        .collect()
}

#[tokio::test]
async fn a_filter_by_email_or_identifier_gives_one_row_per_person() {
    let (world, token) = scene().await;
    let both = ["Ana choir", "Bo chess"];
    for path in [
        "/v5/participants?email_list=bo@x.org,ANA@x.org",
        "/v5/participants?institution_id_list=A1,B1",
        "/v5/participants?email_list=ana@x.org&institution_id_list=A1,B1",
        "/v5/participants?email_list=bo@x.org,ana@x.org&updated_after=2020-01-01T00:00:00Z",
        "/v5/participants/search?email_list=bo@x.org,ana@x.org",
        "/v4/participants?email_list=bo@x.org,ana@x.org",
        "/v4/participants/search?institution_id_list=A1,B1&email_list=ana@x.org",
        "/v3/names/search?email_list=bo@x.org,ana@x.org&include_extended_attributes=1",
        "/v3/names/search?institution_id_list=A1&email_list=bo@x.org&include_extended_attributes=1",
    ] {
        let body = get(&world, &token, path).await.expect(200);
        assert_eq!(rows(&body), both, "{path}");
        let meta = body.pointer("/Response/meta").or(body.get("meta"));
        assert!(meta.is_none_or(|meta| meta["total_count"] == 2), "{path}: {body}");
        let everything = get(&world, &world.token, path).await.expect(200);
        assert_eq!(records(&everything).len(), 5, "other tokens get every registration: {path}");
    }
    let code = &world.institution.access_code;
    for path in [
        format!("/v3/names?access_code={code}&email=ana@x.org"),
        format!("/v3/names?access_code={code}&institution_id=A1"),
        "/v3/name?email=ana@x.org&x=1".to_owned(),
        "/v3/name?email=ana@x.org&first_name=ana&institution_id=A1".to_owned(),
    ] {
        let body = get(&world, &token, &format!("{path}&include_extended_attributes=1")).await.expect(200);
        assert_eq!(rows(&body), ["Ana choir"], "{path}");
    }
    let identifiers = json!({ "identifiers": [{ "email": "ana@x.org", "institution_id": "A1" }, { "institution_id": "B1" }] });
    let found = post(&world, &token, "/v5/pronunciations/search", identifiers).await.expect(200);
    let links: Vec<bool> = records(&found).iter().map(|one| one["recording_link"].is_string()).collect();
    assert_eq!(links, [true, false]);
    assert!(found.to_string().contains(&"b".repeat(32)));
}

#[tokio::test]
async fn pages_of_such_a_list_are_pages_of_people() {
    let (world, token) = scene().await;
    for (page, wanted) in [(1, vec!["Ana choir"]), (2, vec!["Bo chess"]), (3, vec![])] {
        let path = format!("/v5/participants/search?institution_id_list=A1,B1&per_page=1&page={page}");
        let body = get(&world, &token, &path).await.expect(200);
        assert_eq!(rows(&body), wanted);
        let meta = &body["Response"]["meta"];
        assert_eq!((&meta["total_count"], &meta["total_pages"]), (&json!(2), &json!(2)));
        assert_eq!(meta["next_page_url"].is_string(), page == 1);
    }
}

#[tokio::test]
async fn only_registrations_that_match_are_chosen_from() {
    let (world, token) = scene().await;
    let home = format!("/v4/name_pages/{}/participants?email_list=ana@x.org", world.page.slug);
    assert_eq!(rows(&get(&world, &token, &home).await.expect(200)), ["Ana class-of-2027"]);
    world.changed_at("ana@x.org", JULY - 1_000_000_000).await;
    let early = "/v5/participants?email_list=ana@x.org&updated_before=2026-07-01T12:00:00Z";
    assert_eq!(rows(&get(&world, &token, early).await.expect(200)), ["Ana class-of-2027"]);
    let pages = vec![world.page.clone()];
    let narrow = super::token(&world, New { newest_only: true, pages: Some(pages), ..New::default() }).await;
    let of_home = get(&world, &narrow, "/v5/participants?institution_id_list=A1").await.expect(200);
    assert_eq!(rows(&of_home), ["Ana class-of-2027"]);
}

#[tokio::test]
async fn without_such_a_filter_every_registration_is_there() {
    let (world, token) = scene().await;
    for path in
        ["/v5/participants", "/v5/participants?updated_after=2020-01-01T00:00:00Z", "/v4/participants/search"]
    {
        assert_eq!(records(&get(&world, &token, path).await.expect(200)).len(), 5, "{path}");
    }
    let named = get(&world, &token, "/v3/name?first_name=Ana").await.expect(200);
    assert_eq!(records(&named).len(), 3, "a name is nobody's own");
}
