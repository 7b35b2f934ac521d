//! Version 4: `GET /participants`.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{JULY, hex, path};
use crate::support::{World, emails, keys};

async fn list(world: &World, query: &str) -> Value {
    world.get(&format!("/v4/participants?{query}")).await.expect(200)
}

#[tokio::test]
async fn a_list_has_no_wrapper_and_every_base_key_with_null_where_there_is_no_value() {
    let world = World::new().await;
    world.person("Ana", "Ana@Example.edu").await;
    let body = world.get("/v4/participants").await.expect(200);
    assert_eq!(
        world.shown(&body),
        json!({
            "participants": [{
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
            }],
            "meta": {
                "self_url": "{base}/api/private/v4/participants?format=json&page=1&per_page=10",
                "total_count": 1,
                "total_pages": 1,
                "count": 1,
            },
        })
    );
}

#[tokio::test]
async fn every_value_of_a_record_is_shown() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let participant = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org", "institution_id": "S-1",
        "phonetic": "AH-na", "notes": "Two\nlines", "custom_fields": { "custom_degree": "BA" },
    });
    world.person_on(&world.page, participant).await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = list(&world, "include=custom_attributes").await;
    assert_eq!(
        world.shown(&body["participants"][0]),
        json!({
            "first_name": "Ana",
            "last_name": "Lima",
            "email": "ana@x.org",
            "recording_link": format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a')),
            "event_title": "Class of 2027",
            "event_slug": world.page.slug,
            "event_access_code": world.page.access_code,
            "institution_id": "S-1",
            "photo": null,
            "name_badge_link": "{base}/badges/{institution}/{token}",
            "phonetic_spelling": "AH-na",
            "notes": "Two\nlines",
            "custom_objects": { "degree": "BA" },
        })
    );
}

#[tokio::test]
async fn custom_objects_are_an_object_even_when_empty_and_absent_unless_asked_for() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    assert_eq!(
        list(&world, "include=custom_attributes").await["participants"][0]["custom_objects"],
        json!({})
    );
    assert!(list(&world, "").await["participants"][0].get("custom_objects").is_none());
}

#[tokio::test]
async fn legal_names_are_version_5s_affair() {
    let setup = crate::support::Setup { multiple_recordings: true, ..Default::default() };
    let world = World::with(setup).await;
    world
        .person_on(
            &world.page,
            json!({ "first_name": "Ana", "email": "ana@x.org", "legal_first_name": "Mariana" }),
        )
        .await;
    let body = list(&world, "include=legal_embeddables,embeddables").await;
    assert!(!keys(&body["participants"][0]).iter().any(|key| key.starts_with("legal_")), "{body}");
    assert!(!body.to_string().contains("Mariana"));
    let self_url = body["meta"]["self_url"].as_str().unwrap();
    assert!(self_url.contains("include=embeddables&"), "an unknown word is ignored: {self_url}");
}

#[tokio::test]
async fn a_filter_is_paged_too() {
    let world = World::new().await;
    world.crowd(&world.page, 0..9).await;
    let asked: Vec<String> = (0..7).map(|n| format!("p{n}@x.org")).collect();
    let first = list(&world, &format!("email_list={}&per_page=5", asked.join(","))).await;
    let second = world.get(path(&first["meta"]["next_page_url"])).await.expect(200);
    assert_eq!((emails(&first["participants"]).len(), emails(&second["participants"]).len()), (5, 2));
    assert_eq!((&second["meta"]["total_count"], &second["meta"]["total_pages"]), (&json!(7), &json!(2)));
    assert!(second["meta"].get("next_page_url").is_none());
    let all: HashSet<&str> =
        emails(&first["participants"]).into_iter().chain(emails(&second["participants"])).collect();
    assert_eq!(all.len(), 7);
}

#[tokio::test]
async fn the_next_page_of_a_get_that_carried_a_thousand_emails_has_nobody_else() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1_003).await;
    let asked: Vec<String> = (0..1_000).map(|n| format!("p{n}@x.org")).collect();
    let first = list(&world, &format!("per_page=998&email_list={}", asked.join(","))).await;
    assert_eq!(first["meta"]["total_count"], 1_000);
    let second = world.get(path(&first["meta"]["next_page_url"])).await.expect(200);
    assert_eq!(second["meta"]["total_count"], 1_000);
    let all: HashSet<&str> =
        emails(&first["participants"]).into_iter().chain(emails(&second["participants"])).collect();
    assert_eq!(all, asked.iter().map(String::as_str).collect());
}

#[tokio::test]
async fn meta_echoes_everything_that_shaped_the_answer_sorted_by_name_and_encoded() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let query = "per_page=1&play_button_img_url=http://x.org/a.png&institution_id_list=I0,I1&include=embeddables,custom_attributes&icon_code=2\
                 &nonsense=1&email_list=p2@x.org";
    let body = list(&world, query).await;
    let address = |page: u32| {
        format!(
            "{{base}}/api/private/v4/participants?email_list=p2%40x.org&format=json&icon_code=2&include=custom_attributes%2Cembeddables\
             &institution_id_list=I0%2CI1&page={page}&per_page=1&play_button_img_url=http%3A%2F%2Fx.org%2Fa.png"
        )
    };
    assert_eq!(
        world.shown(&body["meta"]),
        json!({ "self_url": address(1), "next_page_url": address(2), "total_count": 3, "total_pages": 3, "count": 1 })
    );
}

#[tokio::test]
async fn the_times_of_a_search_are_unknown_to_the_list_and_so_ignored() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for query in [
        "updated_after=2100-01-01T00:00:00Z",
        "updated_before=2001-01-01T00:00:00Z",
        "updated_after=yesterday",
    ] {
        assert_eq!(list(&world, query).await["meta"]["total_count"], 3, "{query}");
    }
}

#[tokio::test]
async fn version_5s_icon_3_is_an_error() {
    let world = World::new().await;
    let body = world.get("/v4/participants?icon_code=3").await.expect(422);
    assert_eq!(body["message"], "Unprocessable entity");
    assert_eq!(keys(&body["errors"]), ["icon_code"]);
}

#[tokio::test]
async fn icons_0_1_and_2_are_three_pictures() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    world.record(&world.page, "p0@x.org", &hex('a'), JULY).await;
    let mut pictures = HashSet::new();
    for code in 0..3 {
        let body = list(&world, &format!("include=embeddables&icon_code={code}")).await;
        let html = body["participants"][0]["embed_image"].as_str().unwrap();
        pictures.insert(html[html.find("<svg").unwrap()..html.find("</svg>").unwrap()].to_owned());
    }
    assert_eq!(pictures.len(), 3);
}

#[tokio::test]
async fn a_page_beyond_the_end_is_empty_and_keeps_the_totals() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for query in ["page=2", "page=9999999999999999999999", "page=2&email_list=p0@x.org,p1@x.org,p2@x.org"] {
        let body = list(&world, query).await;
        assert_eq!(body["participants"], json!([]), "{query}");
        assert_eq!((&body["meta"]["total_count"], &body["meta"]["count"]), (&json!(3), &json!(0)), "{query}");
        assert!(body["meta"].get("next_page_url").is_none(), "{query}");
    }
}

#[tokio::test]
async fn two_thousand_fit_into_one_page() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2_001).await;
    let body = list(&world, "per_page=2000").await;
    assert_eq!(emails(&body["participants"]).into_iter().collect::<HashSet<_>>().len(), 2_000);
    assert_eq!(body["meta"]["total_pages"], 2);
}
