//! The operator's console.

use endonym::{
    app::{Actor, institutions, operators},
    domain::member::Role,
};

use super::{HOUR, member};
use crate::{
    me::Browser,
    support::{World, forms::is_forged},
};

async fn link(world: &World) -> String {
    operators::link(&world.app, &Actor::Operator, &world.base).await.unwrap().0
}

/// A browser with the operator's session.
async fn operator(world: &World) -> Browser<'_> {
    let browser = Browser::new(world);
    browser.follow(&link(world).await).await.redirects_to("/console");
    browser.get("/console").await.expect(200);
    browser
}

#[tokio::test]
async fn a_link_opens_the_operators_console_once() {
    let world = World::new().await;
    let there = world.neighbor().await;
    let made = link(&world).await;
    let browser = Browser::new(&world);
    browser.follow(&made).await.redirects_to("/console");
    assert!(browser.cookie("endonym").is_none(), "it is nobody's session");
    let body = browser.get("/console").await.expect(200).body;
    for shown in [&world.institution.name, &there.institution.name, &there.institution.slug] {
        assert!(body.contains(shown.as_str()), "{shown}: {body}");
    }
    assert!(body.contains(env!("CARGO_PKG_VERSION")) && body.contains("migrations"), "{body}");
    let path = made.strip_prefix(&world.base).unwrap();
    Browser::new(&world).get(path).await.expect(404);
    // Whoever has the page open cannot spend it a second time, either.
    let late = Browser::new(&world);
    let other = link(&world).await;
    let other = other.strip_prefix(&world.base).unwrap();
    late.get(other).await.expect(200);
    browser.get(other).await.expect(200);
    browser.post(other, &[]).await.redirects_to("/console");
    late.post(other, &[]).await.expect(404);
    assert!(late.cookie("endonym-operator").is_none());
}

#[tokio::test]
async fn links_and_sessions_expire() {
    let world = World::new().await;
    let old = link(&world).await;
    world.advance(HOUR);
    let path = old.strip_prefix(&world.base).unwrap();
    Browser::new(&world).get(path).await.expect(404);
    let browser = operator(&world).await;
    world.advance(8 * HOUR);
    browser.get("/console").await.redirects_to("/sign-in?return_to=%2Fconsole");
    let browser = operator(&world).await;
    let cookie = browser.cookie("endonym-operator").unwrap();
    browser.post("/operator/sign-out", &[]).await.redirects_to("/");
    assert!(browser.cookie("endonym-operator").is_none());
    browser.set_cookie("endonym-operator", &cookie);
    browser.get("/console").await.redirects_to("/sign-in?return_to=%2Fconsole");
}

#[tokio::test]
async fn an_institution_is_created_with_its_first_owner() {
    let world = World::new().await;
    let browser = operator(&world).await;
    let fields = [("name", "Third School"), ("zone", "Europe/Rome"), ("email", "dean@third.example")];
    let wrong = [("name", ""), ("slug", "Third School"), ("zone", "Rome"), ("email", "dean")];
    let seen = browser.post("/operator/institutions", &wrong).await.expect(422);
    assert!(seen.body.contains("value=\"dean\""), "what was typed stays: {}", seen.body);
    assert!(seen.body.contains("id=\"email-fault\">This cannot be used."), "{}", seen.body);
    let wrong = [("name", ""), ("slug", "Third School"), ("zone", "Rome"), ("email", "dean@third.example")];
    let seen = browser.post("/operator/institutions", &wrong).await.expect(422);
    for id in ["name-fault", "slug-fault", "zone-fault"] {
        assert!(seen.body.contains(&format!("id=\"{id}\"")), "{id}: {}", seen.body);
    }
    assert!(seen.body.contains("value=\"Third School\""), "{}", seen.body);
    let seen = browser.post("/operator/institutions", &fields).await.expect(200);
    let made = institutions::find(&world.app, &Actor::Operator, "third-school").await.unwrap();
    assert_eq!(made.time_zone.iana_name(), Some("Europe/Rome"));
    let start = format!("{}/sign-in/link/", world.base);
    let secret = seen.body.split_once(&start).unwrap().1.split('<').next().unwrap();
    let owner = Browser::new(&world);
    owner.follow(&format!("{start}{secret}")).await.redirects_to("/console/third-school");
    let body = owner.get("/console/third-school").await.expect(200).body;
    assert!(body.contains("/console/third-school/start"), "the first steps: {body}");
    assert!(!browser.get("/console").await.body.contains(secret), "the link is shown once");
}

/// Neither members nor strangers, whatever they send.
#[tokio::test]
async fn nobody_else_is_the_operator() {
    let world = World::new().await;
    let there = world.neighbor().await;
    let owner = member(&world, Role::Owner).await;
    owner.get("/console").await.redirects_to("/console/example");
    let stranger = Browser::new(&world);
    stranger.get("/console").await.redirects_to("/sign-in?return_to=%2Fconsole");
    // The session of a person is no operator's, under either name.
    let swapped = Browser::new(&world);
    swapped.set_cookie("endonym-operator", &owner.cookie("endonym").unwrap());
    let new = [("name", "Mine"), ("zone", "UTC"), ("email", "me@example.edu")];
    for browser in [&owner, &stranger, &swapped] {
        browser.post("/operator/institutions", &new).await.redirects_to("/console");
        browser.post("/operator/sign-out", &[]).await.redirects_to("/console");
        assert!(!browser.get("/console").await.body.contains(&there.institution.name));
    }
    let operator = operator(&world).await;
    let (own, foreign) = (operator.csrf(), owner.csrf());
    let evil = [("origin", "https://evil.example")];
    for (fields, headers) in [
        (vec![("name", "Mine")], vec![]),
        (vec![("csrf", &foreign[..]), ("name", "Mine")], vec![]),
        (vec![("csrf", own.as_str()), ("name", "Mine")], evil.to_vec()),
    ] {
        let seen = operator.post_bare("/operator/institutions", &fields, &headers).await;
        assert!(is_forged(&seen), "{fields:?}: {}", seen.body);
    }
    assert_eq!(institutions::all(&world.app, &Actor::Operator).await.unwrap().len(), 2);
}
