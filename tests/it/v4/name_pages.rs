//! Version 4: `GET /name_pages/{id}/participants` and `GET /name_pages/{id}/participants/{id_or_email}`.

use std::collections::HashSet;

use endonym::app::{
    Actor,
    name_pages::{self, New},
};
use serde_json::{Value, json};

use super::{JULY, SECOND, hex, not_found, path, sorted};
use crate::support::{World, emails, keys};

fn on(page: &str) -> String {
    format!("/v4/name_pages/{page}/participants")
}

/// Two people on the world's page, and two others on another one.
async fn two_pages(world: &World) -> endonym::domain::name_page::NamePage {
    let other = world.page("Other").await;
    world.crowd(&world.page, 0..2).await;
    world.crowd(&other, 2..4).await;
    other
}

#[tokio::test]
async fn a_pages_list_has_custom_objects_always() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana = json!({
        "first_name": "Ana", "last_name": "Lima", "email": "ana@x.org", "institution_id": "S1", "phonetic": "AH-na", "notes": "N",
        "custom_fields": { "custom_degree": "BA" },
    });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = world.get(&on(&world.page.slug)).await.expect(200);
    assert_eq!(
        world.shown(&body),
        json!({
            "participants": [
                {
                    "first_name": "Ana",
                    "last_name": "Lima",
                    "email": "ana@x.org",
                    "recording_link": format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a')),
                    "event_title": "Class of 2027",
                    "event_slug": world.page.slug,
                    "event_access_code": world.page.access_code,
                    "institution_id": "S1",
                    "photo": null,
                    "name_badge_link": "{base}/badges/{institution}/{token}",
                    "phonetic_spelling": "AH-na",
                    "notes": "N",
                    "custom_objects": { "degree": "BA" },
                },
                {
                    "first_name": "Bo",
                    "last_name": null,
                    "email": "bo@x.org",
                    "recording_link": null,
                    "event_title": "Class of 2027",
                    "event_slug": world.page.slug,
                    "event_access_code": world.page.access_code,
                    "institution_id": null,
                    "photo": null,
                    "name_badge_link": "{base}/badges/{institution}/{token}",
                    "phonetic_spelling": null,
                    "notes": null,
                    "custom_objects": {},
                },
            ],
            "meta": {
                "self_url": format!("{{base}}/api/private/v4/name_pages/{}/participants?format=json&page=1&per_page=10", world.page.slug),
                "total_count": 2,
                "total_pages": 1,
                "count": 2,
            },
        })
    );
}

#[tokio::test]
async fn one_of_a_pages_people_has_custom_objects_always() {
    let world = World::new().await;
    world.person("Ana", "Ana@x.org").await;
    let body = world.get(&format!("{}/ana@x.org", on(&world.page.slug))).await.expect(200);
    assert_eq!(
        world.shown(&body),
        json!({ "participant": {
            "first_name": "Ana",
            "last_name": null,
            "email": "ana@x.org",
            "recording_link": null,
            "event_title": "Class of 2027",
            "event_slug": world.page.slug,
            "event_access_code": world.page.access_code,
            "institution_id": null,
            "photo": null,
            "name_badge_link": "{base}/badges/{institution}/{token}",
            "phonetic_spelling": null,
            "notes": null,
            "custom_objects": {},
        }})
    );
}

#[tokio::test]
async fn a_page_is_named_by_its_id_slug_event_code_or_access_code_in_any_case() {
    let world = World::new().await;
    two_pages(&world).await;
    let page = &world.page;
    for name in [
        page.id.to_string(),
        page.slug.clone(),
        page.event_code.clone(),
        page.access_code.clone(),
        page.slug.to_uppercase(),
        page.event_code.to_lowercase(),
        page.access_code.to_lowercase(),
    ] {
        let list = world.get(&on(&name)).await.expect(200);
        assert_eq!(sorted(emails(&list["participants"])), ["p0@x.org", "p1@x.org"], "{name}");
        let one = world.get(&format!("{}/I1", on(&name))).await.expect(200);
        assert_eq!(one["participant"]["email"], "p1@x.org", "{name}");
    }
}

#[tokio::test]
async fn a_code_matches_without_regard_to_blanks_in_every_version() {
    let world = World::new().await;
    let new = New { title: "Hall".into(), slug: None, access_code: Some("R99EJJFY".into()), allow_v2: true };
    let page = name_pages::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap();
    world.crowd(&page, 0..1).await;
    let event = &page.event_code;
    let (start, end) = event.split_at(event.len() / 2);
    for code in
        ["r99e jjfy".to_owned(), " R99E\u{a0}JJ FY\t".to_owned(), format!("{start} {}", end.to_lowercase())]
    {
        let escaped = endonym::http::params::encoded(&code);
        let list = world.get(&on(&escaped)).await.expect(200);
        assert_eq!(emails(&list["participants"]), ["p0@x.org"], "{code:?}");
        let one = world.get(&format!("{}/I0", on(&escaped))).await.expect(200);
        assert_eq!(one["participant"]["event_access_code"], "R99EJJFY", "{code:?}");
        for path in [
            format!("/v3/names?access_code={escaped}&auth_token={}", world.token),
            format!("/v3/names/search?access_code={escaped}&auth_token={}&email_list=p0@x.org", world.token),
        ] {
            assert_eq!(emails(&world.get(&path).await.expect(200)["data"]), ["p0@x.org"], "{path}");
        }
        let change = json!({ "name_page_id": code, "participant": { "notes": "n" } });
        world.put("/v5/participants/p0@x.org", change).await.expect(200);
        let export =
            world.post("/v4/exports", json!({ "export": { "name_page_id": code } })).await.expect(202);
        assert_eq!(export["export"]["name_page_id"], code.trim(), "it is echoed as it was given");
    }
    let open = world.get("/v2/names?access_code=r99e+jjfy").await.expect(200);
    assert_eq!(emails(&open["data"]), ["p0@x.org"]);
    let everywhere = &world.institution.access_code;
    let (start, end) = everywhere.split_at(4);
    let path = format!("/v3/names?access_code={start}+{end}&auth_token={}", world.token);
    assert_eq!(emails(&world.get(&path).await.expect(200)["data"]), ["p0@x.org"], "an institution's own");
}

#[tokio::test]
async fn a_code_of_any_visible_characters_can_stand_in_the_path() {
    let world = World::new().await;
    let new =
        New { title: "Odd".into(), slug: None, access_code: Some("Ä/B?c\"d`e".into()), allow_v2: false };
    let page = name_pages::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap();
    world.crowd(&page, 0..12).await;
    let first = world.get(&on("%C3%A4%2Fb%3FC%22D%60E")).await.expect(200);
    assert_eq!(first["meta"]["total_count"], 12);
    let second = world.get(path(&first["meta"]["next_page_url"])).await.expect(200);
    assert_eq!(emails(&second["participants"]).len(), 2);
}

#[tokio::test]
async fn a_page_that_is_unknown_is_exactly_not_found() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    for name in
        ["elsewhere", "%20", "7", &world.institution.access_code, &world.institution.slug, &"x".repeat(5_000)]
    {
        assert_eq!(world.get(&on(name)).await.expect(404), not_found(), "{name:.20}");
        assert_eq!(
            world.get(&format!("{}/ana@x.org", on(name))).await.expect(404),
            not_found(),
            "{name:.20}"
        );
    }
}

#[tokio::test]
async fn a_page_never_shows_the_people_of_another_page() {
    let world = World::new().await;
    let other = two_pages(&world).await;
    for query in [
        "",
        "?per_page=10000",
        "?email_list=p0@x.org,p1@x.org,p2@x.org,p3@x.org",
        "?institution_id_list=I3,I2,I1,I0",
        "?email_list=p0@x.org,p3@x.org&institution_id_list=I1,I2",
        "?updated_after=2001-01-01T00:00:00Z",
        "?updated_before=2100-01-01T00:00:00Z",
        "?updated_after=2001-01-01T00:00:00Z&email_list=p0@x.org,p1@x.org,p2@x.org",
    ] {
        let body = world.get(&format!("{}{query}", on(&world.page.slug))).await.expect(200);
        assert_eq!(sorted(emails(&body["participants"])), ["p0@x.org", "p1@x.org"], "{query}");
        assert_eq!(body["meta"]["total_count"], 2, "{query}");
    }
    let body = world.get(&on(&other.slug)).await.expect(200);
    assert_eq!(sorted(emails(&body["participants"])), ["p2@x.org", "p3@x.org"]);
}

#[tokio::test]
async fn an_empty_page_is_an_empty_list_without_pages() {
    let world = World::new().await;
    let body = world.get(&on(&world.page.slug)).await.expect(200);
    assert_eq!(body["participants"], json!([]));
    let meta = &body["meta"];
    assert_eq!(
        (&meta["total_count"], &meta["total_pages"], &meta["count"]),
        (&json!(0), &json!(0), &json!(0))
    );
}

#[tokio::test]
async fn a_pages_list_is_paged_and_echoes_what_shaped_it() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let slug = &world.page.slug;
    let query = "per_page=2&include=embeddables&icon_code=1&email_list=p0@x.org,p1@x.org,p2@x.org";
    let body = world.get(&format!("{}?{query}", on(slug))).await.expect(200);
    let address = |page: u32| {
        format!(
            "{{base}}/api/private/v4/name_pages/{slug}/participants?email_list=p0%40x.org%2Cp1%40x.org%2Cp2%40x.org\
             &format=json&icon_code=1&include=embeddables&page={page}&per_page=2"
        )
    };
    assert_eq!(
        world.shown(&body["meta"]),
        json!({ "self_url": address(1), "next_page_url": address(2), "total_count": 3, "total_pages": 2, "count": 2 })
    );
    let second = world.get(path(&body["meta"]["next_page_url"])).await.expect(200);
    assert_eq!(emails(&second["participants"]).len(), 1);
    assert!(second["participants"][0].get("embed_iframe").is_some());
}

#[tokio::test]
async fn going_through_a_page_meets_everybody_once_after_others_have_left() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world.crowd(&world.page, 0..200).await;
    world.crowd(&other, 200..230).await;
    for n in (0..200).filter(|n| n % 3 == 0 || (130..140).contains(n)) {
        let body = json!({ "name_page_id": world.page.slug });
        world.delete(&format!("/v5/participants/p{n}@x.org"), body).await.expect(200);
    }
    let left: HashSet<String> =
        (0..200).filter(|n| n % 3 != 0 && !(130..140).contains(n)).map(|n| format!("p{n}@x.org")).collect();
    let mut all = Vec::new();
    let mut next = Some(format!("{}?per_page=9", on(&world.page.slug)));
    while let Some(address) = next {
        let body = world.get(&address).await.expect(200);
        assert_eq!(body["meta"]["total_count"], left.len());
        all.extend(emails(&body["participants"]).into_iter().map(str::to_owned));
        next = body["meta"].get("next_page_url").map(|address| path(address).to_owned());
    }
    assert_eq!(all.len(), left.len());
    assert_eq!(all.into_iter().collect::<HashSet<_>>(), left);
}

#[tokio::test]
async fn a_page_beyond_the_end_is_empty_and_keeps_the_totals() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    let body = world.get(&format!("{}?page=5&per_page=2", on(&world.page.slug))).await.expect(200);
    assert_eq!(body["participants"], json!([]));
    let mut meta = body["meta"].clone();
    meta.as_object_mut().unwrap().remove("self_url");
    assert_eq!(meta, json!({ "total_count": 3, "total_pages": 2, "count": 0 }));
}

#[tokio::test]
async fn with_a_filter_the_newest_recording_comes_first() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.record(&world.page, "p1@x.org", &hex('1'), JULY).await;
    world.record(&world.page, "p2@x.org", &hex('2'), JULY - SECOND).await;
    let query = "?institution_id_list=I0,I1,I2";
    let body = world.get(&format!("{}{query}", on(&world.page.slug))).await.expect(200);
    assert_eq!(emails(&body["participants"]), ["p1@x.org", "p2@x.org", "p0@x.org"]);
}

#[tokio::test]
async fn one_of_a_pages_people_is_found_by_email_by_token_and_by_institution_id() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "Ana@x.org", "institution_id": "S1" });
    let made = world.person_on(&world.page, ana).await;
    let token = World::registration_token(&made);
    for (mark, email) in [("aNA@x.org", "aNA@x.org"), ("S1", "ana@x.org"), (&token, "ana@x.org")] {
        let body = world.get(&format!("{}/{mark}", on(&world.page.slug))).await.expect(200);
        assert_eq!(body["participant"]["email"], email, "{mark}");
    }
}

#[tokio::test]
async fn somebody_on_another_page_alone_is_exactly_not_found() {
    let world = World::new().await;
    let other = two_pages(&world).await;
    let on_other = world.get(&format!("{}/p2@x.org", on(&other.slug))).await.expect(200);
    let token = World::registration_token(&on_other["participant"]);
    for mark in ["p2@x.org", "I2", &token, "nobody@x.org"] {
        let answer = world.get(&format!("{}/{mark}", on(&world.page.slug))).await;
        assert_eq!(answer.expect(404), not_found(), "{mark}");
    }
}

#[tokio::test]
async fn of_a_person_on_two_pages_the_registration_on_the_page_is_shown() {
    let world = World::new().await;
    let other = world.page("Other").await;
    world.person("Here", "ana@x.org").await;
    world.person_on(&other, json!({ "first_name": "There", "email": "ana@x.org" })).await;
    world.record(&other, "ana@x.org", &hex('a'), JULY).await;
    let body = world.get(&format!("{}/ana@x.org", on(&world.page.slug))).await.expect(200);
    assert_eq!(body["participant"]["first_name"], "Here");
    assert_eq!(body["participant"]["recording_link"], Value::Null);
}

#[tokio::test]
async fn embeddables_and_icons_are_as_in_the_institutions_lists() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    for path in [on(&world.page.slug), format!("{}/p0@x.org", on(&world.page.slug))] {
        let body = world.get(&format!("{path}?include=embeddables")).await.expect(200);
        let record =
            if body["participant"].is_null() { &body["participants"][0] } else { &body["participant"] };
        assert_eq!(record.get("embed_image"), Some(&Value::Null), "{path}");
        assert!(record["embed_iframe"].is_string(), "{path}");
        for (query, field) in [("icon_code=3", "icon_code"), ("play_button_img_url=x", "play_button_img_url")]
        {
            let body = world.get(&format!("{path}?{query}")).await.expect(422);
            assert_eq!(keys(&body["errors"]), [field], "{path}");
        }
    }
}

#[tokio::test]
async fn wrong_pages_are_errors_on_their_fields() {
    let world = World::new().await;
    for (query, field) in [("page=0", "page"), ("per_page=x", "per_page")] {
        let body = world.get(&format!("{}?{query}", on(&world.page.slug))).await.expect(422);
        assert_eq!(keys(&body["errors"]), [field]);
    }
}
