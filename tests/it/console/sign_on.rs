//! `/console/{slug}/settings/sign-on`

use std::time::Duration;

use endonym::{
    app::{Actor, sso},
    domain::{
        member::Role::{Admin, Owner},
        sso::Connection,
    },
};
use serde_json::json;

use super::{console as path, member as visitor, only, version};
use crate::{
    me::sso::{CLIENT, Provider, SECRET},
    support::World,
};

/// Nothing listens there.
const NOWHERE: &str = "http://127.0.0.1:9";

async fn all(world: &World) -> Vec<Connection> {
    sso::all(&world.app, &Actor::Operator, Some(world.institution.id)).await.unwrap()
}

fn new(issuer: &str) -> sso::New {
    sso::New {
        name: Some("Campus".to_owned()),
        issuer: issuer.to_owned(),
        client_id: CLIENT.to_owned(),
        client_secret: SECRET.to_owned(),
        domains: vec!["example.edu".to_owned()],
        trusts_unverified_email: false,
        tenant: None,
        any_account: false,
        scopes: Vec::new(),
    }
}

async fn connect(world: &World, issuer: &str) -> Connection {
    sso::create(&world.app, &Actor::Operator, world.institution.id, new(issuer)).await.unwrap()
}

#[tokio::test]
async fn admins_see_connections_and_owners_change_them() {
    let world = World::new().await;
    let one = connect(&world, NOWHERE).await;
    only(&world, "/settings/sign-on", &[Owner, Admin]).await;
    only(&world, "/settings/sign-on/new", &[Owner]).await;
    only(&world, &format!("/settings/sign-on/{}", one.id), &[Owner]).await;
    let seen = visitor(&world, Admin).await.get(&path(&world, "/settings/sign-on")).await.expect(200);
    assert!(seen.body.contains(NOWHERE) && seen.body.contains("/sso/callback"), "{}", seen.body);
    assert!(!seen.body.contains("/settings/sign-on/new") && !seen.body.contains(SECRET), "{}", seen.body);
}

#[tokio::test]
async fn an_owner_adds_changes_and_deletes_a_connection() {
    let world = World::new().await;
    let browser = visitor(&world, Owner).await;
    let list = path(&world, "/settings/sign-on");
    let form = path(&world, "/settings/sign-on/new");
    browser.get(&form).await.expect(200);
    let wrong = [("issuer", "nonsense"), ("client_id", "one"), ("domains", "not/a"), ("trusts", "1")];
    let seen = browser.post(&form, &wrong).await.expect(422);
    for id in ["issuer-fault", "client_secret-fault", "domains-fault"] {
        assert!(seen.body.contains(&format!("id=\"{id}\"")), "{id}: {}", seen.body);
    }
    assert!(!seen.body.contains("id=\"name-fault\""), "it would be the issuer's host: {}", seen.body);
    assert!(seen.body.contains("value=\"nonsense\"") && seen.body.contains("value=\"not/a\""));
    let right = [
        ("name", "Campus <b>"),
        ("issuer", NOWHERE),
        ("client_id", "one"),
        ("client_secret", "hush-hush"),
        ("domains", "example.edu, *.example.org"),
    ];
    browser.post(&form, &right).await.redirects_to(&format!("{list}?done=created"));
    let [one] = &all(&world).await[..] else { panic!("one connection") };
    assert_eq!((one.client_id.as_str(), one.domains.len()), ("one", 2));

    let at = format!("{list}/{}", one.id);
    let page = browser.get(&at).await.expect(200);
    assert!(!page.body.contains("hush-hush") && page.body.contains("Campus &#60;b&#62;"), "{}", page.body);
    let old = version(&page.body, &at).to_owned();
    let change = [
        ("name", "Login"),
        ("client_id", "two"),
        ("domains", ""),
        ("any_account", "1"),
        ("version", old.as_str()),
    ];
    browser.post(&at, &change).await.redirects_to(&format!("{list}?done=saved"));
    let sealed = one.sealed_client_secret.clone();
    let [one] = &all(&world).await[..] else { panic!("one connection") };
    assert_eq!((one.name.as_str(), one.client_id.as_str(), one.domains.len()), ("Login", "two", 0));
    assert_eq!(one.sealed_client_secret, sealed, "a blank secret is the old one");
    // The form is outdated now.
    let told = browser.post(&at, &change).await.expect(409);
    assert!(told.body.contains("value=\"Login\""), "{}", told.body);

    let delete = format!("{at}/delete");
    let wrong = browser.post(&delete, &[("typed_name", "Log")]).await.expect(422);
    assert!(wrong.body.contains("id=\"typed_name-fault\""), "{}", wrong.body);
    browser.post(&delete, &[("typed_name", "Login")]).await.redirects_to(&format!("{list}?done=deleted"));
    assert!(all(&world).await.is_empty());
}

#[tokio::test]
async fn changes_need_a_fresh_session_and_a_connection_of_the_institution() {
    let world = World::new().await;
    let there = world.neighbor().await;
    let theirs = sso::create(&world.app, &Actor::Operator, there.institution.id, new(NOWHERE)).await.unwrap();
    let browser = visitor(&world, Owner).await;
    let at = path(&world, &format!("/settings/sign-on/{}", theirs.id));
    browser.get(&at).await.expect(404);
    browser.get(&path(&world, "/settings/sign-on/x")).await.expect(404);
    browser.get(&path(&world, "/settings/sign-on")).await.expect(200);
    for below in ["", "/test", "/delete"] {
        let fields = [("name", "X"), ("typed_name", "Campus")];
        browser.post(&format!("{at}{below}"), &fields).await.expect(404);
    }
    world.advance(Duration::from_secs(601));
    let form = path(&world, "/settings/sign-on/new");
    assert!(browser.get(&form).await.expect(303).location().starts_with("/sign-in?"));
    browser.get(&path(&world, "/settings/sign-on")).await.expect(200);
    browser.post(&form, &[("issuer", NOWHERE)]).await.expect(303);
    assert!(all(&world).await.is_empty());
}

#[tokio::test]
async fn a_test_says_how_far_it_came() {
    let world = World::new().await;
    let provider = Provider::start(&world.base, json!({}), json!({})).await;
    let one = connect(&world, &provider.issuer).await;
    let browser = visitor(&world, Owner).await;
    let list = path(&world, "/settings/sign-on");
    browser.get(&list).await.expect(200);
    let seen = browser.post(&format!("{list}/{}/test", one.id), &[]).await.expect(200);
    assert!(seen.body.contains("accepts the client ID and the secret."), "{}", seen.body);
    assert!(!seen.body.contains("<li class=\"fault\">"), "{}", seen.body);

    let change = sso::Change { client_secret: Some("another".to_owned()), ..Default::default() };
    sso::update(&world.app, &Actor::Operator, one.id, change).await.unwrap();
    let seen = browser.post(&format!("{list}/{}/test", one.id), &[]).await.expect(200);
    assert!(seen.body.contains("publishes its keys."), "{}", seen.body);
    assert_eq!(seen.body.matches("<li class=\"fault\">").count(), 1, "{}", seen.body);

    let lost = connect(&world, NOWHERE).await;
    let seen = browser.post(&format!("{list}/{}/test", lost.id), &[]).await.expect(200);
    assert!(seen.body.contains("The secret is stored and can be read."), "{}", seen.body);
    assert!(seen.body.contains("cannot be used:") && !seen.body.contains("publishes its keys."));
    // An admin may not.
    let admin = visitor(&world, Admin).await;
    admin.get(&list).await.expect(200);
    admin.post(&format!("{list}/{}/test", one.id), &[]).await.expect(403);
}
