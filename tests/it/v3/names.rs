//! GET /names: everybody on a name page, or one person.

use serde_json::{Value, json};

use super::{JULY, SECOND, data, error, get, get_as, hex};
use crate::support::{World, emails, keys};

const BASE: [&str; 7] =
    ["email", "embed_iframe", "embed_image", "first_name", "last_name", "name_badge_link", "recording_link"];

#[tokio::test]
async fn a_record_has_exactly_the_keys_of_the_contract_and_nulls_without_a_recording() {
    let world = World::new().await;
    let ana =
        json!({ "first_name": "Ana", "last_name": "Lima", "email": "Ana@x.org", "institution_id": "A-1" });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let body = get(&world, &format!("/names?access_code={}", world.page.access_code)).await.expect(200);
    assert_eq!(keys(&body), ["data", "result"]);
    let people = data(&body).as_array().unwrap();
    assert_eq!(people.len(), 2);
    for person in people {
        assert_eq!(keys(person), BASE);
    }
    let shown = world.shown(&people[0]);
    assert_eq!(
        (&shown["first_name"], &shown["last_name"], &shown["email"]),
        (&json!("Ana"), &json!("Lima"), &json!("ana@x.org"))
    );
    let link = format!("{{base}}/audio/{{institution}}/recording_{}.mp3", hex('a'));
    assert_eq!(shown["recording_link"], link);
    assert_eq!(shown["name_badge_link"], "{base}/badges/{institution}/{token}");
    let image = shown["embed_image"].as_str().unwrap();
    assert!(image.starts_with("<a href=") && image.contains(&link), "{image}");
    // The secret of the player is none of the badge.
    let iframe = "<iframe src=\"{base}/players/{institution}/";
    assert!(shown["embed_iframe"].as_str().unwrap().starts_with(iframe), "{shown}");
    let bo = world.shown(&people[1]);
    assert_eq!(
        (&bo["embed_image"], &bo["recording_link"], &bo["last_name"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert!(bo["embed_iframe"].as_str().unwrap().starts_with(iframe), "its page says so");
}

#[tokio::test]
async fn extended_attributes_are_added_by_every_word_that_means_yes() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "A-1",
        "custom_fields": { "custom_gender_pronouns": "she/her" } });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    let address = format!("/names?access_code={}", world.page.access_code);
    for yes in ["true", "TRUE", "1", "yes", "Yes", "on", "t"] {
        let body = get(&world, &format!("{address}&include_extended_attributes={yes}")).await.expect(200);
        let ana = &data(&body)[0];
        let added = json!({
            "institution_id": "A-1",
            "event_title": world.page.title,
            "event_slug": world.page.slug,
            "event_access_code": world.page.access_code,
            "photo": null,
            "custom_objects": { "gender_pronouns": "she/her" },
        });
        for (key, value) in added.as_object().unwrap() {
            assert_eq!(&ana[key], value, "{yes}: {key}");
        }
        assert_eq!(keys(ana).len(), BASE.len() + 6, "{yes}: {ana}");
        let bo = &data(&body)[1];
        assert_eq!((&bo["custom_objects"], &bo["institution_id"]), (&json!({}), &json!(null)));
    }
    for no in ["", "0", "false", "no", "off", "null"] {
        let body = get(&world, &format!("{address}&include_extended_attributes={no}")).await.expect(200);
        assert_eq!(keys(&data(&body)[0]), BASE, "{no:?}");
    }
}

/// Only version 5 has legal names.
#[tokio::test]
async fn legal_names_are_never_shown() {
    let world = World::with(crate::support::Setup { multiple_recordings: true, ..Default::default() }).await;
    let ana = json!({ "first_name": "Ana", "legal_first_name": "Anastasia", "email": "ana@x.org" });
    world.person_on(&world.page, ana).await;
    world.record_legal(&world.page, "ana@x.org", &hex('b'), JULY).await;
    let address = format!("/names?access_code={}&include_extended_attributes=true", world.page.slug);
    let body = get(&world, &address).await.expect(200);
    assert!(!body.to_string().contains("Anastasia") && !body.to_string().contains(&hex('b')), "{body}");
}

#[tokio::test]
async fn everybody_comes_in_the_order_in_which_they_came() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    world.record(&world.page, "p3@x.org", &hex('a'), JULY).await;
    let body = get(&world, &format!("/names?access_code={}", world.page.slug)).await.expect(200);
    assert_eq!(emails(data(&body)), ["p0@x.org", "p1@x.org", "p2@x.org", "p3@x.org", "p4@x.org"]);
}

/// Old clients read `data[0]`.
#[tokio::test]
async fn one_person_on_several_pages_has_the_newest_recording_first() {
    let world = World::new().await;
    let pages = [world.page.clone(), world.page("Choir").await, world.page("Chess").await];
    for page in &pages {
        let ana = json!({ "first_name": "Ana", "email": "ana@x.org", "institution_id": "A-1" });
        world.person_on(page, ana).await;
    }
    world.record(&pages[0], "ana@x.org", &hex('a'), JULY).await;
    world.record(&pages[1], "ana@x.org", &hex('b'), JULY + SECOND).await;
    let everywhere = &world.institution.access_code;
    for who in ["email=ana@x.org", "institution_id=A-1", "email=ANA@X.ORG&institution_id=A-1"] {
        let address = format!("/names?access_code={everywhere}&{who}&include_extended_attributes=1");
        let body = get(&world, &address).await.expect(200);
        let slugs: Vec<&str> =
            data(&body).as_array().unwrap().iter().map(|one| one["event_slug"].as_str().unwrap()).collect();
        assert_eq!(slugs, [&pages[1].slug, &pages[0].slug, &pages[2].slug], "{who}");
        let link = data(&body)[0]["recording_link"].as_str().unwrap();
        assert!(link.ends_with(&format!("recording_{}.mp3", hex('b'))), "{who}");
        // A page's own code shows only that page.
        let here = get(&world, &format!("/names?access_code={}&{who}", pages[0].slug)).await.expect(200);
        assert_eq!(data(&here).as_array().unwrap().len(), 1, "{who}");
    }
}

#[tokio::test]
async fn email_and_institution_id_must_both_match_where_both_are_given() {
    let world = World::new().await;
    world.crowd(&world.page, 0..2).await;
    let found = async |who: &str| {
        let body = get(&world, &format!("/names?access_code={}&{who}", world.page.slug)).await.expect(200);
        emails(data(&body)).join(" ")
    };
    assert_eq!(found("email=p0@x.org&institution_id=I0").await, "p0@x.org");
    assert_eq!(found("email=p0@x.org&institution_id=I1").await, "");
    assert_eq!(found("email=nobody@x.org").await, "");
    assert_eq!(found("institution_id=i0").await, "", "identifiers match exactly");
    assert_eq!(found("email=p1@x.org&institution_id=").await, "p1@x.org", "a blank is not given");
    assert_eq!(found("email=&institution_id=").await, "p0@x.org p1@x.org");
    assert_eq!(found("email=p1@x.org&institution_id=null").await, "p1@x.org");
    assert_eq!(found("email=null").await, "", "whoever means one person never gets everybody");
}

#[tokio::test]
async fn an_access_code_may_be_any_name_of_the_page_in_any_case() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let page = &world.page;
    for code in [&page.access_code, &page.slug, &page.event_code, &page.id.to_string()] {
        for code in [code.to_lowercase(), code.to_uppercase(), format!("%20{code}%20")] {
            let body = get(&world, &format!("/names?access_code={code}")).await.expect(200);
            assert_eq!(emails(data(&body)), ["ana@x.org"], "{code}");
        }
    }
}

#[tokio::test]
async fn an_institutions_own_code_stands_for_all_its_members() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let choir = world.page("Choir").await;
    world.crowd(&world.page, 0..2).await;
    world.crowd(&choir, 2..4).await;
    let everywhere = &world.institution.access_code;
    let body = get(&world, &format!("/names?access_code={everywhere}")).await.expect(200);
    assert_eq!(emails(data(&body)), ["p0@x.org", "p1@x.org", "p2@x.org", "p3@x.org"]);
    let theirs = get_as(&world, &neighbor.token, &format!("/names?access_code={everywhere}")).await;
    assert_eq!(theirs.expect(404), error("Not Found"));
}

#[tokio::test]
async fn without_an_access_code_it_is_an_error_and_an_unknown_one_is_not_found() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.person("Ana", "ana@x.org").await;
    for blank in ["/names?", "/names?access_code=", "/names?access_code=%20", "/names?email=ana@x.org"] {
        let body = get(&world, blank).await.expect(422);
        assert_eq!(body, error("Unprocessable entity: access_code can't be blank"), "{blank}");
    }
    let long = "x".repeat(5_000);
    for code in [
        "nothing",
        "0",
        "%00",
        "%FF%FE",
        "'; DROP TABLE codes",
        &long,
        &neighbor.page.access_code,
        &neighbor.page.slug,
        &neighbor.page.id.to_string(),
        &neighbor.institution.access_code,
    ] {
        let body = get(&world, &format!("/names?access_code={code}")).await.expect(404);
        assert_eq!(body, error("Not Found"), "{code}");
    }
}

#[tokio::test]
async fn icons_and_pictures_of_ones_own() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    world.record(&world.page, "ana@x.org", &hex('a'), JULY).await;
    let shown = async |wish: &str| {
        let body = get(&world, &format!("/names?access_code={}&{wish}", world.page.slug)).await.expect(200);
        let text = |key: &str| data(&body)[0][key].as_str().unwrap().to_owned();
        (text("embed_image"), text("embed_iframe"))
    };
    let usual = shown("").await.0;
    assert_eq!(shown("icon=0").await.0, usual);
    let (speaker, iframe) = shown("icon=1").await;
    assert!(speaker != usual && speaker.contains("32px") && iframe.contains("icon_code=1"), "{iframe}");
    let second = shown("icon=2").await.0;
    assert!(second != usual && second != speaker);
    assert_eq!(shown("icon_code=7").await.0, usual, "that is another version's word");
    let (own, iframe) = shown("icon=2&play_button_img_url=https://www.example.edu/p.png").await;
    assert!(own.contains("src=\"https://www.example.edu/p.png\""), "{own}");
    assert!(iframe.contains("play_button_img_url=https%3A%2F%2Fwww.example.edu%2Fp.png"), "{iframe}");
    for (wish, field) in [
        ("icon=3", "icon is not included in the list"),
        ("icon=-1", "icon is not included in the list"),
        ("icon=two", "icon is not included in the list"),
        ("play_button_img_url=javascript:alert(1)", "play_button_img_url is invalid"),
        ("play_button_img_url=/p.png", "play_button_img_url is invalid"),
    ] {
        let answer = get(&world, &format!("/names?access_code={}&{wish}", world.page.slug)).await;
        assert_eq!(answer.expect(422), error(&format!("Unprocessable entity: {field}")), "{wish}");
    }
    let both = get(&world, "/names?icon=9").await.expect(422);
    let all = "Unprocessable entity: access_code can't be blank; icon is not included in the list";
    assert_eq!(both, error(all), "all that is wrong is told together");
}

/// Requests as sent by deployed PHP and JavaScript snippets.
#[tokio::test]
async fn requests_as_old_clients_write_them() {
    let world = World::new().await;
    let ana = json!({ "first_name": "Ana", "email": "ana+roll@x.org", "institution_id": "A 1" });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    let (code, token) = (&world.page.access_code, &world.token);
    for path in [
        format!("/v3/names?auth_token={token}&access_code={code}&email=ana+roll@x.org"),
        format!("/v3/names/?auth_token={token}&access_code={code}&email=ana%2Broll%40x.org"),
        format!(
            "/v3/names?access_code={code}&auth_token={token}&email=ana%2broll@x.org&format=json&_=1700000000000"
        ),
        format!("/v3/names?access_code={code}&auth_token={token}&email=%22ana+roll@x.org%22&digest=9"),
        format!("/v3/names?auth_token=%20{token}%20&access_code={code}&institution_id=A+1"),
        format!("/v3/names?auth_token={token}&access_code={code}&institution_id=A%201&page=0&per_page=x"),
        format!("/v3/names/names?auth_token={token}&access_code={code}&institution_id=A%201"),
        format!("/v3/name/?auth_token={token}&access_code={code}&email=ana+roll@x.org"),
        format!("/v3/names/name?auth_token={token}&email=ana+roll@x.org"),
    ] {
        let answer =
            world.raw(&format!("GET {path}"), &["Authorization: nonsense", "Content-Type: text/plain"]).await;
        assert_eq!(emails(data(&answer.expect(200))), ["ana+roll@x.org"], "{path}");
    }
    let body = get(&world, "/names/search?email_list=ana+roll@x.org,bo@x.org").await.expect(200);
    let both: Vec<&Value> = data(&body).as_array().unwrap().iter().collect();
    assert_eq!(both.len(), 2, "search works by GET as well");
}
