//! Who may hear a person: what each audience does to every endpoint, on all of the person's pages.

use endonym::{
    app::{Actor, audiences, institutions, own_recordings::Sharing, sessions},
    domain::{
        audience::Audience,
        media::Kind,
        session::{How, PersonId},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    own_recordings::record,
    support::{Answer, World, database::execute},
};

const SOUND: &[u8] = include_bytes!("pages/fixtures/sound.mp3");

fn ana(world: &World) -> PersonId {
    PersonId { institution: world.institution.id, email_key: "ana@example.edu".into() }
}

async fn choose(world: &World, audience: Audience) {
    audiences::choose(&world.app, &Actor::Operator, ana(world), audience).await.unwrap();
}

fn path_of(link: &Value) -> String {
    let link = link.as_str().unwrap();
    link[link.find("//").unwrap() + 2..].split_once('/').map(|(_, path)| format!("/{path}")).unwrap()
}

async fn status(world: &World, path: &str) -> u16 {
    let client =
        reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    client.get(format!("{}{path}", world.base)).send().await.unwrap().status().as_u16()
}

async fn shown(world: &World) -> Value {
    world.get("/v4/participants/ana@example.edu").await.expect(200)["participant"].clone()
}

/// Everything would be permitted otherwise.
#[tokio::test]
async fn while_it_cannot_be_read_what_is_permitted_nobody_becomes_public() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    execute(&world.app.db, "UPDATE institutions SET audiences = 'x'", Vec::new()).await;
    let chosen = audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Public).await;
    assert!(chosen.is_err(), "{chosen:?}");
}

#[tokio::test]
async fn a_paused_recording_is_dead_everywhere_at_once_and_comes_back_unchanged() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let person = world.person("Ana", "ana@example.edu").await;
    let elsewhere = world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    world.give(&person, Kind::Recording, SOUND).await;
    world.give(&elsewhere, Kind::Recording, SOUND).await;
    let before = shown(&world).await;
    let sound = path_of(&before["recording_link"]);
    assert_eq!(status(&world, &sound).await, 200);

    choose(&world, Audience::Paused).await;
    assert_eq!(status(&world, &sound).await, 404, "the link is dead");
    let paused = shown(&world).await;
    assert_eq!(paused["recording_link"], Value::Null);
    for path in [
        "/v5/participants/latest?email_list=ana@example.edu",
        "/v5/participants",
        "/v4/participants?include=embeddables",
        "/v4/participants/ana@example.edu",
    ] {
        let body = world.get(path).await.expect(200);
        assert!(!body.to_string().contains("/audio/"), "{path}: {body}");
    }
    let search = json!({ "identifiers": [{ "email": "ana@example.edu", "institution_id": null }] });
    let found = world.post("/v5/pronunciations/search", search).await.expect(200);
    assert!(!found.to_string().contains(".mp3"), "{found}");
    assert_eq!(status(&world, &path_of(&person["name_badge_link"])).await, 200, "the badge shows the name");

    choose(&world, Audience::Public).await;
    let after = shown(&world).await;
    assert_eq!(status(&world, &sound).await, 200, "the same link works again");
    assert_eq!(after, before);
}

#[tokio::test]
async fn what_is_recorded_while_paused_is_kept_and_heard_by_nobody() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    choose(&world, Audience::Paused).await;
    record(&world, &person, 440.0, Sharing::All).await;
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    // A registration on another page starts with the person's recording, and it is paused too.
    let page = world.page("Choir").await;
    let new = world.person_on(&page, json!({ "first_name": "Ana", "email": "ana@example.edu" })).await;
    assert_eq!(new["recording_link"], Value::Null);
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Institution).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

async fn all_links(world: &World) -> [Value; 2] {
    let listed = world.get("/v4/participants").await.expect(200);
    let people = listed["participants"].as_array().unwrap();
    assert_eq!(people.len(), 2);
    [people[0]["recording_link"].clone(), people[1]["recording_link"].clone()]
}

#[tokio::test]
async fn a_registration_without_an_email_is_paused_with_its_person() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let person = world
        .person_on(
            &world.page,
            json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "A1" }),
        )
        .await;
    let draft = json!({ "first_name": "Ana", "email": "same@example.edu" });
    let unnamed = world.person_on(&other, draft).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL, identifier = 'A1', identifier_key = 'A1' \
                WHERE email_key = 'same@example.edu'";
    execute(&world.app.db, text, Vec::new()).await;
    record(&world, &person, 440.0, Sharing::All).await;
    choose(&world, Audience::Paused).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    // Another recording, on the page where they have no email.
    record(&world, &unnamed, 550.0, Sharing::All).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Public).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

#[tokio::test]
async fn a_registration_without_an_email_that_comes_after_the_pause_is_paused_too() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let draft = json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "A1" });
    let person = world.person_on(&world.page, draft).await;
    choose(&world, Audience::Paused).await;
    let draft = json!({ "first_name": "Ana", "email": "same@example.edu" });
    let unnamed = world.person_on(&other, draft).await;
    let text = "UPDATE participants SET email = NULL, email_key = NULL, identifier = 'A1', identifier_key = 'A1' \
                WHERE email_key = 'same@example.edu'";
    execute(&world.app.db, text, Vec::new()).await;
    // Made elsewhere; then made there.
    record(&world, &person, 440.0, Sharing::All).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    let text = "DELETE FROM paused_participants WHERE participant_id IN (SELECT id FROM participants WHERE email_key IS NULL)";
    assert_eq!(execute(&world.app.db, text, Vec::new()).await, 1);
    record(&world, &unnamed, 550.0, Sharing::ThisPage).await;
    assert_eq!(all_links(&world).await, [Value::Null, Value::Null]);
    choose(&world, Audience::Public).await;
    for link in all_links(&world).await {
        assert_eq!(status(&world, &path_of(&link)).await, 200, "{link}");
    }
}

#[tokio::test]
async fn choices_end_with_the_last_registration() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    choose(&world, Audience::Paused).await;
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/ana@example.edu", body).await.expect(200);
    let person = world.person("Ana", "ana@example.edu").await;
    record(&world, &person, 440.0, Sharing::All).await;
    assert_ne!(shown(&world).await["recording_link"], Value::Null, "they have chosen nothing yet");
}

#[tokio::test]
async fn the_badge_of_an_institution_audience_asks_to_sign_in() {
    let world = World::new().await;
    let person = world.person("Ana", "ana@example.edu").await;
    let hex = world.give(&person, Kind::Recording, SOUND).await;
    world.list_badge("ana@example.edu").await;
    let badge = path_of(&person["name_badge_link"]);
    choose(&world, Audience::Institution).await;
    for path in [badge.clone(), format!("{badge}.vcf")] {
        assert_eq!(status(&world, &path).await, 303, "{path}");
    }
    let link = format!("/audio/{}/recording_{hex}.mp3", world.institution.id);
    assert_eq!(status(&world, &link).await, 200, "clients play the unguessable link");
    assert!(shown(&world).await["recording_link"].as_str().unwrap().contains(&hex));

    world.person("Bo", "bo@example.edu").await;
    let neighbor = world.neighbor().await;
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Bo", "email": "bo@example.edu" } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    for (institution, how, expected) in [
        (world.institution.id, How::Link, 200),
        (neighbor.institution.id, How::Link, 303),
        // Whoever holds a device that was let in to record has not proven who they are.
        (world.institution.id, How::Handover, 303),
        (world.institution.id, How::Invitation, 303),
    ] {
        let person = PersonId { institution, email_key: "bo@example.edu".into() };
        let secret = sessions::open(&world.app, person, how, &[]).await.unwrap().secret;
        let client =
            reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build();
        let request = client.unwrap().get(format!("{}{badge}", world.base));
        let answer = request.header("cookie", format!("endonym={}", secret.as_str())).send().await.unwrap();
        assert_eq!(answer.status(), expected, "{how:?}");
        assert_eq!(answer.headers()["x-robots-tag"], "noindex", "search engines never see it");
    }
}

#[tokio::test]
async fn the_institution_decides_what_may_be_chosen_and_what_new_people_start_with() {
    let world = World::new().await;
    let old = world.person("Ana", "ana@example.edu").await;
    let update = |audiences: Option<&str>, default_audience: Option<&str>| {
        let change = institutions::Change {
            audiences: audiences.map(str::to_owned),
            default_audience: default_audience.map(str::to_owned),
            ..Default::default()
        };
        institutions::update(&world.app, &Actor::Operator, "example", change)
    };
    update(None, Some("institution")).await.unwrap();
    world.advance(std::time::Duration::from_secs(1));
    let new = world.person("Bo", "bo@example.edu").await;
    assert_eq!(status(&world, &path_of(&old["name_badge_link"])).await, 200, "people keep what they had");
    assert_eq!(status(&world, &path_of(&new["name_badge_link"])).await, 303);

    update(Some("institution"), None).await.unwrap();
    assert_eq!(
        status(&world, &path_of(&old["name_badge_link"])).await,
        303,
        "public is not permitted any more"
    );
    assert!(audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Public).await.is_err());
    choose(&world, Audience::Paused).await;
    for (audiences, default) in
        [(Some("paused"), None), (Some("x"), None), (None, Some("paused")), (None, Some("public"))]
    {
        assert!(update(audiences, default).await.is_err(), "{audiences:?} {default:?}");
    }
}

#[tokio::test]
async fn the_same_email_in_another_institution_is_another_person() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let neighbor = world.neighbor().await;
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": { "first_name": "Ana", "email": "ana@example.edu" } });
    let theirs =
        Answer::of(world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body)).await;
    let theirs = theirs.expect(201)["participant"].clone();
    choose(&world, Audience::Institution).await;
    assert_eq!(status(&world, &path_of(&theirs["name_badge_link"])).await, 200);
    let nobody = PersonId { institution: world.institution.id, email_key: "nobody@example.edu".into() };
    assert!(audiences::choose(&world.app, &Actor::Operator, nobody, Audience::Paused).await.is_err());
}
