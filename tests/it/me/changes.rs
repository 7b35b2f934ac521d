//! The section of `/me` that tells a person who changed their data.

use endonym::{
    app::{Actor, members, participants},
    domain::{
        email::Email,
        member::Role,
        name_page::NamePageRef,
        participant::{Draft, Given},
    },
};
use serde_json::json;

use super::own::{ANA, ana, new_here, world};
use crate::support::World;

/// The section, without the isolation of texts.
fn section(body: &str) -> &str {
    let (_, rest) = body.split_once("id=\"changes-title\"").expect("the section");
    rest.split("</section>").next().unwrap()
}

async fn page(world: &World, email: &str) -> String {
    let browser = new_here(world, world.institution.id, email).await;
    let seen = browser.get("/me").await.expect(200);
    section(&seen.body).to_owned()
}

#[tokio::test]
async fn a_person_sees_who_changed_their_entry_and_how() {
    let world = world().await;
    let (app, id) = (&world.app, world.institution.id);
    let change = json!({ "name_page_id": world.page.slug, "participant": { "phonetic": "AH-na" } });
    world.put(&format!("/v5/participants/{ANA}"), change).await.expect(200);
    let eva = Email::parse("eva@example.edu").unwrap();
    let member = members::set(app, &Actor::Operator, id, eva, Role::Admin, Vec::new()).await.unwrap();
    let admin = members::actor_of(app, &member.person).await.unwrap();
    let draft = Draft { notes: Given::Set("<b>Long a</b>".into()), ..Draft::default() };
    let reference = NamePageRef::parse(&world.page.slug).unwrap();
    let access = admin.access(id).unwrap();
    participants::update(app, &access, reference, ANA.into(), draft).await.unwrap();

    let shown = page(&world, ANA).await;
    for text in [
        "You were registered",
        "Ana, Class of 2027",
        "A system of your institution (<bdi>tests</bdi>)",
        "<ins><bdi>AH-na</bdi></ins>",
        "Your institution’s staff (<bdi>eva@example.edu</bdi>)",
        "&lt;b&gt;Long a&lt;/b&gt;",
    ] {
        // Askama and our catalogs escape differently.
        let shown = shown.replace("&#60;", "&lt;").replace("&#62;", "&gt;");
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert!(!shown.contains("<b>Long"), "{shown}");
}

#[tokio::test]
async fn what_they_do_themselves_is_theirs_and_nobody_elses_is_shown() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let browser = ana(&world).await;
    browser.post("/me/audience", &[("audience", "institution")]).await.redirects_to("/me?done=audience");
    let shown = section(&browser.get("/me").await.expect(200).body).to_owned();
    assert!(shown.contains("Your settings were changed") && shown.contains("· You"), "{shown}");
    let theirs = page(&world, "bea@example.edu").await;
    assert!(!theirs.contains("Ana") && !theirs.contains("Your settings"), "{theirs}");
}
