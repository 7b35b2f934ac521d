//! GET /names, by access code only.

use endonym::app::{Actor, name_pages};
use reqwest::Method;
use serde_json::json;

use super::{data, error, get, open, set};
use crate::support::{World, emails, keys};

#[tokio::test]
async fn an_open_page_answers_without_a_token_with_the_keys_of_the_contract() {
    let world = World::new().await;
    open(&world, &world.page).await;
    world.custom_field("gender_pronouns").await;
    let ana = json!({ "first_name": "Ana", "email": "ana+a@x.org", "institution_id": "A-1" });
    world.person_on(&world.page, ana).await;
    world.person("Bo", "bo@x.org").await;
    world.record(&world.page, "bo@x.org", &"a".repeat(32), 1_782_907_200_000_000).await;
    let page = &world.page;
    for code in [page.access_code.clone(), page.access_code.to_lowercase()] {
        let body = get(&world, &format!("access_code={code}")).await.expect(200);
        assert_eq!(emails(data(&body)), ["ana+a@x.org", "bo@x.org"], "{code}");
        let ana = &data(&body)[0];
        let base = [
            "email",
            "embed_iframe",
            "embed_image",
            "first_name",
            "last_name",
            "name_badge_link",
            "recording_link",
        ];
        assert_eq!(keys(ana), base);
        assert_eq!((&ana["embed_image"], &ana["recording_link"]), (&json!(null), &json!(null)));
        assert!(data(&body)[1]["recording_link"].as_str().unwrap().ends_with(".mp3"));
    }
    let code = &world.page.access_code;
    let found = async |who: &str| {
        let body = get(&world, &format!("access_code={code}&{who}")).await.expect(200);
        emails(data(&body)).join(" ")
    };
    assert_eq!(found("email=ANA+a@x.org").await, "ANA+a@x.org");
    assert_eq!(found("institution_id=A-1").await, "ana+a@x.org");
    assert_eq!(found("email=bo@x.org&institution_id=A-1").await, "");
    assert_eq!(found("email=undefined").await, "");
    assert_eq!(found("email=null").await, "", "whoever means one person never gets everybody");
    assert_eq!(found("first_name=Ana").await, "ana+a@x.org bo@x.org", "version 2 does not know names");
    let more = format!(
        "access_code={code}&include_extended_attributes=true&play_button_img_url=nonsense&auth_token=x"
    );
    let body = get(&world, &more).await.expect(200);
    assert_eq!(keys(&data(&body)[0]).len(), 7, "what it does not know is ignored");
    for path in ["/v2/names/", "/v2/names/names"] {
        let answer = world.raw(&format!("GET {path}?access_code={code}&email=ana+a@x.org"), &[]).await;
        assert_eq!(emails(data(&answer.expect(200))), ["ana+a@x.org"]);
    }
}

/// Slugs and event codes are public, and ids can be guessed.
#[tokio::test]
async fn a_page_opens_by_its_access_code_and_by_no_other_of_its_names() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    open(&world, &world.page).await;
    let page = &world.page;
    for name in [&page.slug, &page.event_code, &page.id.to_string(), &world.institution.slug] {
        for more in ["", "&email=ana@x.org"] {
            let body = get(&world, &format!("access_code={name}{more}")).await.expect(404);
            assert_eq!(body, error("Not Found"), "{name}");
        }
        get(&world, &format!("access_code={}", page.access_code)).await.expect(200);
    }
    let new = name_pages::New {
        title: "Choir".into(),
        slug: Some("choir".into()),
        access_code: Some("CHOIR 2027".into()),
        allow_v2: true,
    };
    name_pages::create(&world.app, &Actor::Operator, world.institution.id, new).await.unwrap();
    get(&world, "access_code=choir").await.expect(404);
    get(&world, "access_code=choir2027").await.expect(200);
}

#[tokio::test]
async fn a_page_that_is_not_open_is_not_found_like_one_that_is_not_there() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    let codes = [&world.page.access_code, &world.page.slug, &world.institution.access_code, "nothing"];
    let refused = async || {
        for code in codes {
            for more in ["", "&email=ana@x.org", "&icon=9"] {
                let body = get(&world, &format!("access_code={code}{more}")).await.expect(404);
                assert_eq!(body, error("Not Found"), "{code}{more}");
            }
        }
    };
    refused().await;
    open(&world, &world.page).await;
    get(&world, &format!("access_code={}", world.page.access_code)).await.expect(200);
    set(&world, &world.page, false).await;
    refused().await;
}

#[tokio::test]
async fn an_institutions_own_code_stands_for_the_people_on_its_open_pages_alone() {
    let world = World::new().await;
    let pages = [
        world.page("Choir").await,
        world.page("Chess").await,
        world.page("Empty").await,
        world.page("Crew").await,
    ];
    world.crowd(&world.page, 0..2).await;
    world.crowd(&pages[0], 10..12).await;
    world.crowd(&pages[1], 20..22).await;
    world.crowd(&pages[3], 600..1_800).await;
    // A person on an open page and on another one.
    world
        .person_on(&pages[1], json!({ "first_name": "P0", "email": "p0@x.org", "institution_id": "I0" }))
        .await;
    for page in &pages[1..] {
        open(&world, page).await;
    }
    let code = &world.institution.access_code;
    let body = get(&world, &format!("access_code={code}")).await.expect(200);
    let mut wanted = vec!["p20@x.org".to_owned(), "p21@x.org".into(), "p0@x.org".into()];
    wanted.extend((600..1_800).map(|n| format!("p{n}@x.org")));
    assert_eq!(emails(data(&body)), wanted, "page by page, and on each in the order in which they came");
    let found = async |who: &str| {
        let body = get(&world, &format!("access_code={code}&{who}")).await.expect(200);
        emails(data(&body)).join(" ")
    };
    assert_eq!(found("email=p0@x.org").await, "p0@x.org", "once: the other page is not open");
    assert_eq!(found("institution_id=I0").await, "p0@x.org");
    assert_eq!(found("email=p1@x.org").await, "");
    assert_eq!(found("institution_id=I10").await, "");
}

#[tokio::test]
async fn an_access_code_must_be_there_and_an_icon_known() {
    let world = World::new().await;
    open(&world, &world.page).await;
    for query in ["", "access_code=", "access_code=%20", "email=ana@x.org"] {
        let body = get(&world, query).await.expect(422);
        assert_eq!(body, error("Unprocessable entity: access_code can't be blank"), "{query}");
    }
    let code = &world.page.access_code;
    for icon in ["0", "1", "2", ""] {
        get(&world, &format!("access_code={code}&icon={icon}")).await.expect(200);
    }
    for icon in ["3", "-1", "x"] {
        let body = get(&world, &format!("access_code={code}&icon={icon}")).await.expect(422);
        assert_eq!(body, error("Unprocessable entity: icon is not included in the list"), "{icon}");
    }
    let long = "x".repeat(5_000);
    for odd in ["%00", "%FF", "' OR 1=1 --", &long] {
        assert_eq!(get(&world, &format!("access_code={odd}")).await.expect(404), error("Not Found"));
    }
}

/// A code identifies its institution.
#[tokio::test]
async fn each_institution_shows_its_own() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.person("Ana", "ana@x.org").await;
    let theirs = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Cy", "email": "ana@x.org" } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&theirs);
    assert_eq!(request.send().await.unwrap().status(), 201);
    open(&world, &world.page).await;
    let body =
        get(&world, &format!("access_code={}&email=ana@x.org", world.page.access_code)).await.expect(200);
    assert_eq!((&data(&body)[0]["first_name"], data(&body).as_array().unwrap().len()), (&json!("Ana"), 1));
    get(&world, &format!("access_code={}", neighbor.page.access_code)).await.expect(404);
}
