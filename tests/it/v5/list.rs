//! Version 5: `GET /participants`.

use std::collections::HashSet;

use endonym::app::{self, Actor, custom_fields};
use serde_json::{Value, json};

use super::{JULY, SECOND, hex, meta, people, record, sorted, unprocessable};
use crate::support::{Setup, World, emails, keys};

#[tokio::test]
async fn a_list_is_wrapped_in_response_and_has_every_base_key_with_null_where_there_is_no_value() {
    let world = World::new().await;
    world.person("Ana", "Ana@Example.edu").await;
    let body = world.get("/v5/participants").await.expect(200);
    assert_eq!(
        world.shown(&body),
        json!({ "Response": {
            "participants": [record(&world, json!({
                "first_name": "Ana",
                "email": "ana@example.edu",
            }))],
            "meta": {
                "self_url": "{base}/api/private/v5/participants?format=json&page=1&per_page=10",
                "total_count": 1,
                "total_pages": 1,
                "count": 1,
            },
        }})
    );
}

#[tokio::test]
async fn every_value_of_a_record_is_shown() {
    let world = World::new().await;
    let participant = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org", "institution_id": "S-1",
        "phonetic": "AH-na", "notes": "Two\nlines", "phone_number": "+12025550123",
    });
    world.person_on(&world.page, participant).await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = world.get("/v5/participants").await.expect(200);
    let link = format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a'));
    assert_eq!(
        world.shown(&people(&body)[0]),
        record(
            &world,
            json!({
                "first_name": "Ana",
                "last_name": "Lima",
                "email": "ana@x.org",
                "recording_url": link,
                "recording_link": link,
                "recording_id": format!("recording_{}", hex('a')),
                "institution_id": "S-1",
                "phonetic_spelling": "AH-na",
                "notes": "Two\nlines",
            })
        )
    );
}

#[tokio::test]
async fn a_time_that_matches_nobody_is_an_empty_list_without_pages() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let body = world.get("/v5/participants?updated_after=2100-01-01T00:00:00Z").await.expect(200);
    assert_eq!(people(&body), &json!([]));
    let meta = meta(&body);
    assert_eq!(
        (&meta["total_count"], &meta["total_pages"], &meta["count"]),
        (&json!(0), &json!(0), &json!(0))
    );
}

#[tokio::test]
async fn people_without_an_email_are_shown_with_null_and_found_by_what_they_have() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.without_email("p0@x.org").await;
    let list = world.get("/v5/participants").await.expect(200);
    let record = &people(&list)[0];
    assert_eq!(record.get("email"), Some(&Value::Null));
    let by_id = world.get("/v5/participants?institution_id_list=I0").await.expect(200);
    assert_eq!(people(&by_id)[0], *record);
    for token in ["I0", &World::registration_token(record)] {
        let latest = world.get(&format!("/v5/participants/latest?tokens={token}")).await.expect(200);
        assert_eq!(latest["participants"][0]["institution_id"], "I0");
        let shown = world.get(&format!("/v4/participants/{token}")).await.expect(200);
        assert_eq!(shown["participant"]["email"], Value::Null);
    }
    let body = json!({ "identifiers": [{ "institution_id": "I0", "email": null }] });
    let found = world.post("/v5/pronunciations/search", body).await.expect(200);
    assert_eq!(found["Response"]["pronunciations"][0]["email"], Value::Null);
}

#[tokio::test]
async fn an_institution_id_of_somebody_without_an_email_is_taken() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.without_email("p0@x.org").await;
    let participant = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "I0" });
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    let answer = world.post("/v5/participants", body).await.expect(422);
    assert_eq!(answer, unprocessable(json!({ "institution_id": ["has already been taken"] })));
}

// Filters

#[tokio::test]
async fn identifiers_match_exactly() {
    let world = World::new().await;
    world
        .person_on(&world.page, json!({ "first_name": "A", "email": "a@x.org", "institution_id": "ab1" }))
        .await;
    world
        .person_on(&world.page, json!({ "first_name": "B", "email": "b@x.org", "institution_id": "AB1" }))
        .await;
    let body = world.get("/v5/participants?institution_id_list=AB1").await.expect(200);
    assert_eq!(emails(people(&body)), ["b@x.org"]);
}

#[tokio::test]
async fn letters_match_however_they_were_composed() {
    let world = World::new().await;
    let decomposed =
        json!({ "first_name": "Rene\u{301}", "email": "rene\u{301}@x.org", "institution_id": "e\u{301}1" });
    world.person_on(&world.page, decomposed).await;
    for (query, email) in [
        ("email_list=REN%C3%89@x.org", "REN\u{c9}@x.org"),
        ("email_list=rene%CC%81@X.org", "rene\u{301}@X.org"),
        ("institution_id_list=%C3%A91", "rene\u{301}@x.org"),
        ("institution_id_list=e%CC%811", "rene\u{301}@x.org"),
    ] {
        let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
        assert_eq!(people(&body)[0]["first_name"], "Rene\u{301}", "{query}");
        assert_eq!(people(&body)[0]["email"], email, "{query}");
        assert_eq!(people(&body)[0]["institution_id"], "e\u{301}1", "{query}");
    }
}

#[tokio::test]
async fn both_bounds_of_a_change_are_exclusive() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for (person, at) in [("p0@x.org", JULY - SECOND), ("p1@x.org", JULY), ("p2@x.org", JULY + SECOND)] {
        world.changed_at(person, at).await;
    }
    for (query, wanted) in [
        ("updated_after=2026-07-01T12:00:00Z", vec!["p2@x.org"]),
        ("updated_before=2026-07-01T12:00:00Z", vec!["p0@x.org"]),
        ("updated_after=2026-07-01T11:59:59Z&updated_before=2026-07-01T12:00:01Z", vec!["p1@x.org"]),
        ("updated_after=2026-07-01T11:59:59.999Z", vec!["p1@x.org", "p2@x.org"]),
        ("updated_after=2026-07-01T14:00:00%2B02:00", vec!["p2@x.org"]),
        ("updated_after=2026-07-01T12:00:01Z", vec![]),
    ] {
        let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
        assert_eq!(sorted(emails(people(&body))), wanted, "{query}");
        assert_eq!(meta(&body)["total_count"], wanted.len(), "{query}");
    }
}

#[tokio::test]
async fn bounds_and_lists_must_both_hold() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.changed_at("p1@x.org", JULY).await;
    let query = "email_list=p0@x.org,p1@x.org&updated_before=2026-07-01T12:00:01Z";
    world.changed_at("p0@x.org", JULY + 2 * SECOND).await;
    let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
    assert_eq!(emails(people(&body)), ["p1@x.org"]);
}

#[tokio::test]
async fn somebody_who_is_updated_has_changed() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    world.changed_at("p0@x.org", 1_000 * SECOND).await;
    world.changed_at("p1@x.org", 1_000 * SECOND).await;
    let body = json!({ "name_page_id": world.page.slug, "participant": { "notes": "new" } });
    world.put("/v5/participants/p1@x.org", body).await.expect(200);
    let body = world.get("/v5/participants?updated_after=2020-01-01T00:00:00Z").await.expect(200);
    assert_eq!(emails(people(&body)), ["p1@x.org"]);
}

#[tokio::test]
async fn a_time_without_a_zone_or_that_is_none_is_an_error_on_that_field() {
    let world = World::new().await;
    for field in ["updated_after", "updated_before"] {
        for time in ["yesterday", "2026-07-01", "2026-07-01T12:00:00", "1782907200", "2026-02-30T00:00:00Z"] {
            let body = world.get(&format!("/v5/participants?{field}={time}")).await.expect(422);
            assert_eq!(body["message"], "Unprocessable entity");
            assert_eq!(keys(&body["errors"]), [field], "{time}");
        }
    }
}

#[tokio::test]
async fn a_filter_returns_every_match_in_one_page() {
    let world = World::new().await;
    world.crowd(&world.page, 0..25).await;
    let twelve: Vec<String> = (0..12).map(|n| format!("p{n}@x.org")).collect();
    let ids: Vec<String> = (0..12).map(|n| format!("I{n}")).collect();
    for (filter, wanted) in [
        (format!("email_list={}", twelve.join(",")), 12),
        (format!("institution_id_list={}", ids.join(",")), 12),
        ("updated_after=2001-01-01T00:00:00Z".to_owned(), 25),
        ("updated_before=2101-01-01T00:00:00Z".to_owned(), 25),
    ] {
        let body = world.get(&format!("/v5/participants?{filter}&page=3&per_page=2")).await.expect(200);
        assert_eq!(emails(people(&body)).len(), wanted, "{filter}");
        let meta = meta(&body);
        assert_eq!(keys(meta), ["count", "self_url", "total_count", "total_pages"]);
        assert_eq!(
            (&meta["total_count"], &meta["total_pages"], &meta["count"]),
            (&json!(wanted), &json!(1), &json!(wanted))
        );
        assert!(!meta["self_url"].as_str().unwrap().contains("page="), "{meta}");
    }
}

#[tokio::test]
async fn even_a_page_that_is_no_number_is_ignored_with_a_filter() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let body = world.get("/v5/participants?email_list=ana@x.org&page=0&per_page=many").await.expect(200);
    assert_eq!(emails(people(&body)), ["ana@x.org"]);
}

#[tokio::test]
async fn two_and_a_half_thousand_matches_of_a_time_are_streamed_in_one_page() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2_500).await;
    let body = world.get("/v5/participants?updated_after=2001-01-01T00:00:00Z").await.expect(200);
    everyone_once(&body, 2_500);
}

#[tokio::test]
async fn two_and_a_half_thousand_matches_of_a_list_are_streamed_in_one_page() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2_500).await;
    let ids: Vec<String> = (0..2_500).map(|n| format!("I{n}")).collect();
    let body =
        world.get(&format!("/v5/participants?institution_id_list={}", ids.join(","))).await.expect(200);
    everyone_once(&body, 2_500);
}

fn everyone_once(body: &Value, wanted: usize) {
    let all = emails(people(body));
    assert_eq!(all.len(), wanted);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), wanted);
    let meta = meta(body);
    assert_eq!(
        (&meta["total_count"], &meta["total_pages"], &meta["count"]),
        (&json!(wanted), &json!(1), &json!(wanted))
    );
}

// Order

#[tokio::test]
async fn the_first_record_of_a_person_on_many_pages_is_the_one_with_the_newest_recording() {
    let world = World::new().await;
    let pages = [world.page("One").await, world.page("Two").await, world.page("Three").await];
    for page in &pages {
        world.person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    }
    world.record(&pages[0], "ana@x.org", &hex('0'), JULY).await;
    world.record(&pages[1], "ana@x.org", &hex('1'), JULY + SECOND).await;
    let body = world.get("/v5/participants?email_list=ana@x.org").await.expect(200);
    let titles: Vec<&Value> =
        people(&body).as_array().unwrap().iter().map(|one| &one["event_title"]).collect();
    assert_eq!(titles, ["Two", "One", "Three"]);
}

// Optional keys

#[tokio::test]
async fn custom_attributes_stand_at_top_level_and_in_custom_objects_under_their_plain_names() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    world.custom_field("degree").await;
    let custom = json!({ "custom_gender_pronouns": "she/her" });
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": custom });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    let body = world.get("/v5/participants?include=custom_attributes").await.expect(200);
    assert_eq!(people(&body)[0]["gender_pronouns"], "she/her");
    assert_eq!(people(&body)[0]["custom_objects"], json!({ "gender_pronouns": "she/her" }));
    assert_eq!(people(&body)[1]["custom_objects"], json!({}));
}

#[tokio::test]
async fn no_custom_field_can_be_called_like_a_key_that_every_participant_has() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let made = world.person("Ana", "ana@x.org").await;
    let all = "include=custom_attributes,embeddables,legal_embeddables";
    let latest = world.get(&format!("/v5/participants/latest?tokens=ana@x.org&{all}")).await.expect(200);
    let shown = world.get(&format!("/v4/participants/ana@x.org?{all}")).await.expect(200);
    for record in [&made, &latest["participants"][0], &shown["participant"]] {
        for key in keys(record) {
            let new = custom_fields::New { name: key.into(), ..Default::default() };
            let defined =
                custom_fields::create(&world.app, &Actor::Operator, world.institution.id, new).await;
            assert!(matches!(defined, Err(app::Error::Invalid(_))), "{key}");
        }
    }
}

#[tokio::test]
async fn without_include_there_are_neither_custom_attributes_nor_embeddables() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana =
        json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { "custom_degree": "BA" } });
    world.person_on(&world.page, ana).await;
    let body = world.get("/v5/participants").await.expect(200);
    for key in ["degree", "custom_objects", "embed_image", "embed_iframe"] {
        assert!(people(&body)[0].get(key).is_none(), "{key}");
    }
}

#[tokio::test]
async fn the_player_of_somebody_without_a_recording_says_so() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let body = world.get("/v5/participants?include=embeddables").await.expect(200);
    let iframe = people(&body)[0]["embed_iframe"].as_str().unwrap();
    let address = iframe.split('"').nth(1).unwrap().replace("&amp;", "&");
    let page = world.client.get(address).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().to_lowercase().contains("no recording"));
}

#[tokio::test]
async fn include_is_a_comma_separated_string_or_an_array_and_unknown_words_are_ignored() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    for include in [
        "include=custom_attributes,embeddables",
        "include=%20embeddables%20,%20custom_attributes,everything",
        "include[]=custom_attributes&include[]=embeddables&include[]=x",
        "include=[%22custom_attributes%22,%22embeddables%22]",
    ] {
        let body = world.get(&format!("/v5/participants?{include}")).await.expect(200);
        let record = &people(&body)[0];
        for key in ["custom_objects", "embed_image", "embed_iframe"] {
            assert!(record.get(key).is_some(), "{include}: {key}");
        }
        let self_url = meta(&body)["self_url"].as_str().unwrap();
        assert!(self_url.contains("include=custom_attributes%2Cembeddables&"), "{self_url}");
    }
}

#[tokio::test]
async fn icon_three_is_another_name_of_two_and_every_code_has_its_picture() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.record(&world.page, "p0@x.org", &hex('a'), JULY).await;
    let mut images = Vec::new();
    for code in ["0", "1", "2", "3"] {
        let body =
            world.get(&format!("/v5/participants?include=embeddables&icon_code={code}")).await.expect(200);
        images.push(picture(&people(&body)[0]["embed_image"]));
    }
    let default = world.get("/v5/participants?include=embeddables").await.expect(200);
    assert_eq!(picture(&people(&default)[0]["embed_image"]), images[0]);
    assert_eq!(images[2], images[3]);
    assert_eq!(images.iter().collect::<HashSet<_>>().len(), 3);
}

/// Ids are unique per rendering; the image is not.
fn picture(html: &Value) -> String {
    let html = html.as_str().unwrap();
    html[html.find("<svg").unwrap()..html.find("</svg>").unwrap()].to_owned()
}

#[tokio::test]
async fn an_image_address_wins_over_the_icon_code() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.record(&world.page, "p0@x.org", &hex('a'), JULY).await;
    let image = "https://cdn.example.edu/a.png?x=1%26y=2";
    let query = format!("include=embeddables&icon_code=1&play_button_img_url={image}");
    let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
    let embed = people(&body)[0]["embed_image"].as_str().unwrap();
    assert!(embed.contains("https://cdn.example.edu/a.png?x=1&amp;y=2"), "{embed}");
    assert!(!embed.contains("<svg"), "{embed}");
}

// Pages and meta

#[tokio::test]
async fn the_last_page_has_no_next_page_url() {
    let world = World::new().await;
    world.crowd(&world.page, 0..12).await;
    let body = world.get("/v5/participants?page=2").await.expect(200);
    assert_eq!(
        world.shown(meta(&body)),
        json!({
            "self_url": "{base}/api/private/v5/participants?format=json&page=2&per_page=10",
            "total_count": 12,
            "total_pages": 2,
            "count": 2,
        })
    );
}

#[tokio::test]
async fn meta_echoes_everything_that_shaped_the_answer_sorted_by_name_and_encoded() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let query = "updated_before=2100-01-01T00:00:00%2B05:30&play_button_img_url=https://x.org/a%2520b.png%3Fc&include=embeddables\
                 &institution_id_list=I0,caf%C3%A9&icon_code=2&updated_after=2001-01-01T00:00:00Z&nonsense=1&email_list=p0@x.org,p%2B1@x.org";
    let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
    assert_eq!(
        world.shown(&meta(&body)["self_url"]),
        "{base}/api/private/v5/participants?email_list=p0%40x.org%2Cp%2B1%40x.org&format=json&icon_code=2&include=embeddables\
         &institution_id_list=I0%2Ccaf%C3%A9&play_button_img_url=https%3A%2F%2Fx.org%2Fa%2520b.png%3Fc\
         &updated_after=2001-01-01T00%3A00%3A00Z&updated_before=2100-01-01T00%3A00%3A00%2B05%3A30"
    );
}

#[tokio::test]
async fn the_address_of_an_answer_gives_the_same_answer() {
    let world = World::new().await;
    world.crowd(&world.page, 0..7).await;
    for query in [
        "page=2&per_page=3&include=embeddables&icon_code=1",
        "email_list=p1@x.org,%20P4@x.org&include=custom_attributes",
        "updated_after=2001-01-01T00:00:00+02:00",
    ] {
        let body = world.get(&format!("/v5/participants?{query}")).await.expect(200);
        let address = meta(&body)["self_url"].as_str().unwrap();
        let again = world.get(address.split("/api/private").nth(1).unwrap()).await.expect(200);
        assert_eq!(again, body, "{query}");
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_a_list_is_told_together() {
    let world = World::new().await;
    let query = "page=0&per_page=x&icon_code=9&play_button_img_url=x&updated_after=x&updated_before=y";
    let body = world.get(&format!("/v5/participants?{query}")).await.expect(422);
    let wanted = ["icon_code", "page", "per_page", "play_button_img_url", "updated_after", "updated_before"];
    assert_eq!(keys(&body["errors"]), wanted);
    let messages = body["errors"].as_object().unwrap().values().cloned().collect::<Vec<_>>();
    assert!(messages.iter().all(|list| list[0].is_string()), "{body}");
    assert_eq!(body, unprocessable(body["errors"].clone()));
}

#[tokio::test]
async fn ten_thousand_in_a_page_is_the_most_and_more_is_clamped() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for (asked, honoured) in [
        ("999", 999),
        ("2000", 2_000),
        ("10000", 10_000),
        ("10001", 10_000),
        ("99999999999999999999", 10_000),
    ] {
        let body = world.get(&format!("/v5/participants?per_page={asked}")).await.expect(200);
        assert_eq!(emails(people(&body)).len(), 3);
        let self_url = meta(&body)["self_url"].as_str().unwrap();
        assert!(self_url.ends_with(&format!("per_page={honoured}")), "{self_url}");
    }
}
