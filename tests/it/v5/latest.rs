//! Version 5: `GET /participants/latest`.

use reqwest::Method;
use serde_json::{Value, json};

use super::{JULY, SECOND, hex, record, unprocessable};
use crate::support::{Answer, Setup, World, emails, keys};

async fn latest(world: &World, query: &str) -> Value {
    world.get(&format!("/v5/participants/latest?{query}")).await.expect(200)
}

#[tokio::test]
async fn the_latest_have_both_dates_and_no_wrapper() {
    let world = World::new().await;
    world.custom_field("degree").await;
    let ana =
        json!({ "first_name": "Ana", "email": "ana@x.org", "custom_fields": { "custom_degree": "BA" } });
    world.person_on(&world.page, ana).await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = latest(&world, "tokens=ana@x.org&include=custom_attributes").await;
    let changed = body["participants"][0]["custom_objects_recorded_date"].clone();
    let link = format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a'));
    assert_eq!(
        world.shown(&body),
        json!({ "participants": [record(&world, json!({
            "first_name": "Ana",
            "email": "ana@x.org",
            "recording_url": link,
            "recording_link": link,
            "recording_id": format!("recording_{}", hex('a')),
            "recording_date": "2026-07-01T08:00:00.000-04:00",
            "custom_objects_recorded_date": changed,
            "degree": "BA",
            "custom_objects": { "degree": "BA" },
        }))]})
    );
    assert!(is_time(changed.as_str().unwrap()), "{changed}");
}

/// `YYYY-MM-DDThh:mm:ss.sss±hh:mm`
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    matches!(shape.as_str(), "0000-00-00T00:00:00.000+00:00" | "0000-00-00T00:00:00.000-00:00")
}

#[tokio::test]
async fn dates_are_null_where_there_is_none() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let body = latest(&world, "tokens=ana@x.org").await;
    let record = &body["participants"][0];
    assert_eq!(
        (&record["recording_date"], &record["custom_objects_recorded_date"]),
        (&Value::Null, &Value::Null)
    );
    assert!(record.as_object().unwrap().contains_key("recording_date"));
    assert!(record.as_object().unwrap().contains_key("custom_objects_recorded_date"));
}

#[tokio::test]
async fn times_are_in_the_institutions_zone_in_summer_and_in_winter() {
    for (time_zone, summer, winter) in [
        ("America/New_York", "2026-07-01T08:00:00.000-04:00", "2026-01-15T07:00:00.250-05:00"),
        ("Asia/Kathmandu", "2026-07-01T17:45:00.000+05:45", "2026-01-15T17:45:00.250+05:45"),
        ("UTC", "2026-07-01T12:00:00.000+00:00", "2026-01-15T12:00:00.250+00:00"),
    ] {
        let world = World::with(Setup { time_zone, ..Setup::default() }).await;
        world.person("Ana", "ana@x.org").await;
        for (at, wanted) in [(JULY, summer), (JULY - 167 * 86_400 * SECOND + 250_000, winter)] {
            world.record(&world.page, "ana@x.org", &hex('a'), at).await;
            let body = latest(&world, "tokens=ana@x.org").await;
            assert_eq!(body["participants"][0]["recording_date"], wanted);
        }
    }
}

#[tokio::test]
async fn the_date_of_custom_objects_moves_only_when_a_custom_attribute_changes() {
    let world = World::new().await;
    world.custom_field("degree").await;
    world.person("Ana", "ana@x.org").await;
    let date = async || {
        latest(&world, "tokens=ana@x.org").await["participants"][0]["custom_objects_recorded_date"].clone()
    };
    let update = async |fields: Value| {
        let body = json!({ "name_page_id": world.page.slug, "participant": fields });
        world.put("/v5/participants/ana@x.org", body).await.expect(200);
    };
    assert_eq!(date().await, Value::Null);
    update(json!({ "custom_fields": { "custom_degree": "BA" } })).await;
    let first = date().await;
    assert!(is_time(first.as_str().unwrap()));
    // Responses show milliseconds, so the next change has to be in another one.
    world.advance(std::time::Duration::from_millis(1));
    update(json!({ "notes": "x" })).await;
    assert_eq!(date().await, first);
    update(json!({ "custom_fields": { "custom_degree": "MA" } })).await;
    assert_ne!(date().await, first);
}

#[tokio::test]
async fn somebody_is_found_by_email_by_token_and_by_institution_id() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "Ana@x.org", "institution_id": "S/1 a" });
    let made = world.person_on(&world.page, ana).await;
    let token = World::registration_token(&made);
    for (given, email) in [("aNA@x.org", "aNA@x.org"), (&token, "ana@x.org"), ("S/1%20a", "ana@x.org")] {
        let body = latest(&world, &format!("tokens={given}")).await;
        assert_eq!(emails(&body["participants"]), [email], "{given}");
    }
}

#[tokio::test]
async fn the_lists_of_a_search_are_other_names_for_tokens() {
    let world = World::new().await;
    world.crowd(&world.page, 0..4).await;
    let made = world
        .person_on(&world.page, json!({ "first_name": "C", "email": "c@x.org", "institution_id": "A,1" }))
        .await;
    let token = World::registration_token(&made);
    for (query, wanted) in [
        ("email_list=p0@x.org,p1@x.org".to_owned(), vec!["p0@x.org", "p1@x.org"]),
        ("institution_id_list=I0,I1".to_owned(), vec!["p0@x.org", "p1@x.org"]),
        ("email_list[]=p0@x.org&email_list[]=p1@x.org".to_owned(), vec!["p0@x.org", "p1@x.org"]),
        ("email_list[0]=p0@x.org&institution_id_list[0]=I1".to_owned(), vec!["p0@x.org", "p1@x.org"]),
        ("email_list=[%22p0@x.org%22,%22p1@x.org%22]".to_owned(), vec!["p0@x.org", "p1@x.org"]),
        (
            "tokens=I2&email_list=p0@x.org&institution_id_list=I1".to_owned(),
            vec!["p0@x.org", "p1@x.org", "p2@x.org"],
        ),
        ("tokens=&email_list=`p3@x.org`,null".to_owned(), vec!["p3@x.org"]),
        ("tokens=p0@x.org&email_list=p0@x.org&institution_id_list=I0".to_owned(), vec!["p0@x.org"]),
        // Each parameter accepts the other's values, and an identifier in an array may contain a comma.
        (format!("email_list={token}&institution_id_list=p0@x.org"), vec!["c@x.org", "p0@x.org"]),
        ("institution_id_list=[%22A,1%22]".to_owned(), vec!["c@x.org"]),
    ] {
        let body = latest(&world, &query).await;
        let mut found = emails(&body["participants"]);
        found.sort_unstable();
        assert_eq!(found, wanted, "{query}");
    }
    let too_many = vec!["x"; 10_001].join(",");
    let path = format!("/v5/participants/latest?tokens=I0&email_list={too_many}");
    assert_eq!(keys(&world.get(&path).await.expect(422)["errors"]), ["email_list"]);
}

#[tokio::test]
async fn an_email_is_tried_before_a_token_and_a_token_before_an_institution_id() {
    let world = World::new().await;
    let bo = world.person("Bo", "bo@x.org").await;
    let token = World::registration_token(&bo);
    let named_like =
        |email: &str, id: &str| json!({ "first_name": "X", "email": email, "institution_id": id });
    world.person_on(&world.page, named_like("like-email@x.org", "bo@x.org")).await;
    world.person_on(&world.page, named_like("like-token@x.org", &token)).await;
    for given in ["bo@x.org", &token, &format!("bo@x.org,{token}")] {
        let body = latest(&world, &format!("tokens={given}")).await;
        assert_eq!(emails(&body["participants"]), ["bo@x.org"], "{given}");
    }
}

#[tokio::test]
async fn an_institution_id_that_looks_like_an_email_is_found_when_no_email_is() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "ana@uid" });
    world.person_on(&world.page, ana).await;
    for tokens in ["ana@uid", "ana@uid,nobody@x.org"] {
        let body = latest(&world, &format!("tokens={tokens}")).await;
        assert_eq!(emails(&body["participants"]), ["ana@x.org"], "{tokens}");
    }
}

#[tokio::test]
async fn tokens_come_in_every_form_of_a_list() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    for query in [
        "tokens=p1@x.org,I2",
        "tokens[]=p1@x.org&tokens[]=p2@x.org",
        "tokens%5B%5D=p1%40x.org&tokens%5B%5D=p2%40x.org",
        "tokens[0]=I1&tokens[1]=I2",
        "tokens=[%22p1@x.org%22,%22p2@x.org%22]",
        "tokens=%60p1@x.org%60,%22I2%22,,null",
        "tokens=p1@x.org&tokens=p2@x.org",
    ] {
        let body = latest(&world, query).await;
        let mut found = emails(&body["participants"]);
        found.sort_unstable();
        assert_eq!(found, ["p1@x.org", "p2@x.org"], "{query}");
    }
}

/// Ana is on three pages, in this order.
async fn ana_on_three_pages(world: &World) -> [endonym::domain::name_page::NamePage; 3] {
    let pages = [world.page("One").await, world.page("Two").await, world.page("Three").await];
    for page in &pages {
        world.person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    }
    pages
}

#[tokio::test]
async fn without_a_recording_the_newest_registration_is_the_latest() {
    let world = World::new().await;
    ana_on_three_pages(&world).await;
    let body = latest(&world, "tokens=ana@x.org").await;
    assert_eq!(body["participants"].as_array().unwrap().len(), 1);
    assert_eq!(body["participants"][0]["event_title"], "Three");
}

#[tokio::test]
async fn the_newest_recording_is_the_latest_whenever_its_owner_was_registered() {
    let world = World::new().await;
    let pages = ana_on_three_pages(&world).await;
    world.record(&pages[1], "ana@x.org", &hex('1'), JULY - SECOND).await;
    world.record(&pages[0], "ana@x.org", &hex('0'), JULY).await;
    for tokens in ["ana@x.org", "ana@x.org,nobody@x.org"] {
        let body = latest(&world, &format!("tokens={tokens}")).await;
        assert_eq!(body["participants"].as_array().unwrap().len(), 1);
        assert_eq!(body["participants"][0]["event_title"], "One", "{tokens}");
    }
}

#[tokio::test]
async fn the_token_of_an_old_registration_gives_the_persons_newest_recording() {
    let world = World::new().await;
    let pages = ana_on_three_pages(&world).await;
    world.record(&pages[1], "ana@x.org", &hex('1'), JULY).await;
    let all = world.get("/v5/participants").await.expect(200);
    for record in all["Response"]["participants"].as_array().unwrap() {
        let body = latest(&world, &format!("tokens={}", World::registration_token(record))).await;
        assert_eq!(body["participants"][0]["event_title"], "Two");
    }
}

#[tokio::test]
async fn an_institution_id_gives_the_persons_newest_recording_though_it_stands_on_another_registration() {
    let world = World::new().await;
    let (one, two) = (world.page("One").await, world.page("Two").await);
    world.person_on(&one, json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" })).await;
    world.person_on(&two, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    world.record(&two, "ana@x.org", &hex('2'), JULY).await;
    let body = latest(&world, "tokens=S1").await;
    assert_eq!(body["participants"][0]["event_title"], "Two");
}

#[tokio::test]
async fn one_person_asked_for_in_three_ways_is_one_record() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "S1" });
    let made = world.person_on(&world.page, ana).await;
    let tokens = format!("ana@x.org,ANA@x.org,S1,{}", World::registration_token(&made));
    let body = latest(&world, &format!("tokens={tokens}")).await;
    assert_eq!(emails(&body["participants"]), ["ana@x.org"]);
}

#[tokio::test]
async fn the_recorded_come_first_in_whatever_order_they_are_asked_for() {
    let world = World::new().await;
    world.crowd(&world.page, 0..3).await;
    world.record(&world.page, "p1@x.org", &hex('1'), JULY).await;
    world.record(&world.page, "p2@x.org", &hex('2'), JULY - SECOND).await;
    for tokens in ["p0@x.org,I1,p2@x.org", "I2,p1@x.org,I0"] {
        let body = latest(&world, &format!("tokens={tokens}")).await;
        assert_eq!(emails(&body["participants"]), ["p1@x.org", "p2@x.org", "p0@x.org"], "{tokens}");
    }
}

#[tokio::test]
async fn unknown_tokens_are_left_out() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let body = latest(&world, "tokens=nobody@x.org,I0,I7,00000000000000000000000000000000").await;
    assert_eq!(emails(&body["participants"]), ["p0@x.org"]);
    assert_eq!(latest(&world, "tokens=nobody@x.org").await, json!({ "participants": [] }));
}

#[tokio::test]
async fn no_token_at_all_is_an_error() {
    let world = World::new().await;
    for query in [
        "",
        "tokens=",
        "tokens=,null,%20",
        "tokens[]=",
        "token=x",
        "email_list=&institution_id_list=,",
        "email_list[]=",
    ] {
        let body = world.get(&format!("/v5/participants/latest?{query}")).await.expect(422);
        assert_eq!(body, unprocessable(json!({ "tokens": ["can't be blank"] })), "{query}");
    }
}

#[tokio::test]
async fn more_than_ten_thousand_tokens_are_an_error() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let mut tokens: Vec<String> = (0..10_001).map(|n| format!("{n:x}")).collect();
    let body = world.get(&format!("/v5/participants/latest?tokens={}", tokens.join(","))).await.expect(422);
    assert_eq!(keys(&body["errors"]), ["tokens"]);
    tokens[3] = "I0".to_owned();
    tokens.pop();
    let body = latest(&world, &format!("tokens={}", tokens.join(","))).await;
    assert_eq!(emails(&body["participants"]), ["p0@x.org"]);
}

#[tokio::test]
async fn embeddables_and_icons_are_as_in_lists() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let body = latest(&world, "tokens=I0&include=embeddables&icon_code=3").await;
    assert_eq!(body["participants"][0]["embed_image"], Value::Null);
    assert!(body["participants"][0]["embed_iframe"].is_string());
    for (query, field) in [("icon_code=4", "icon_code"), ("play_button_img_url=x", "play_button_img_url")] {
        let body = world.get(&format!("/v5/participants/latest?tokens=I0&{query}")).await.expect(422);
        assert_eq!(keys(&body["errors"]), [field]);
    }
}

#[tokio::test]
async fn latest_is_read_only() {
    let world = World::new().await;
    let answer = Answer::of(world.request(Method::POST, "/v5/participants/latest?tokens=a@x.org")).await;
    assert!(answer.expect(405)["message"].is_string());
}
