//! Who has signed in and out, and who was refused: every way has an entry with the network, and strangers cannot fill the log.

use std::time::Duration;

use endonym::{
    app::{
        Actor, audit, invitations, persons, sessions,
        sign_in::{ProxyAuth, Settings},
    },
    domain::{
        address_list::AddressList,
        audit::{Act, Entry, WhoKind},
        client_address::TrustedProxies,
        ids::InvitationId,
        invitation::LinkToken,
        name_page::NamePageRef,
        session::{How, PersonId},
    },
};
use serde_json::json;

use super::{ANA, count, entries, newest, values};
use crate::{
    me::{
        Browser,
        own::{ana, link},
    },
    support::{Setup, World, until},
};

const HEADER: &str = "x-remote-user-email";
const CARL: &str = "carl@example.edu";

async fn world() -> World {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    world
}

async fn all(world: &World, act: Act) -> Vec<Entry> {
    entries(world, audit::Query { act: Some(act), ..Default::default() }).await
}

async fn failed(world: &World) -> usize {
    all(world, Act::SignInFailed).await.len()
}

/// The newest entry of this kind, which is about a person.
async fn of_ana(world: &World, act: Act, via: &str) {
    let entry = newest(world, act).await;
    assert_eq!(values(&entry.after), json!({ "via": via }));
    assert_eq!((entry.person.as_deref(), entry.origin.as_deref()), (Some(ANA), Some("127.0.0.0/24")));
}

#[tokio::test]
async fn codes_and_links_that_open_a_session_and_signing_out() {
    let world = world().await;
    let browser = Browser::new(&world);
    let mailed = browser.mailed("", ANA).await;
    assert_eq!(all(&world, Act::SignInSucceeded).await.len(), 0, "asking is not signing in");
    browser.enter_code(&mailed.code).await.expect(303);
    of_ana(&world, Act::SignInSucceeded, "mail").await;
    let who = newest(&world, Act::SignInSucceeded).await.who;
    assert_eq!((who.kind, who.name()), (WhoKind::Person, ANA));
    browser.get("/me").await;
    browser.post("/sign-out", &[]).await.expect(303);
    of_ana(&world, Act::SignInEnded, "mail").await;

    let browser = Browser::new(&world);
    browser.follow(&browser.mailed("", ANA).await.link).await.expect(303);
    of_ana(&world, Act::SignInSucceeded, "mail").await;
    let browser = Browser::new(&world);
    browser.follow(&link(&world, world.institution.id, ANA).await).await.expect(303);
    of_ana(&world, Act::SignInSucceeded, "link").await;
    browser.get("/me").await;
    browser.post("/sign-out", &[("everywhere", "1")]).await.expect(303);
    of_ana(&world, Act::SignInEnded, "everywhere").await;
    assert_eq!(failed(&world).await, 0);
    // Ana sees what was changed, and not each of her sign-ins.
    let person = PersonId { institution: world.institution.id, email_key: ANA.into() };
    let told = audit::of_person(&world.app, &Actor::Person(person.clone()), &person, 50).await.unwrap();
    assert!(told.iter().all(|change| change.act != Some(Act::SignInSucceeded)), "{told:?}");
    assert!(told.iter().any(|change| change.act == Some(Act::ParticipantCreated)));
}

#[tokio::test]
async fn every_way_into_a_session_is_recorded() {
    let world = world().await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.into() };
    for how in [How::Mail, How::Link, How::Handover, How::Oidc, How::Proxy, How::Invitation] {
        let before = all(&world, Act::SignInSucceeded).await.len();
        let opened = sessions::open(&world.app, person.clone(), how, &[]).await.unwrap();
        let recorded = all(&world, Act::SignInSucceeded).await;
        assert_eq!((recorded.len(), values(&recorded[0].after)), (before + 1, json!({ "via": how.word() })));
        sessions::end(&world.app, &opened.secret).await.unwrap();
        assert_eq!(values(&newest(&world, Act::SignInEnded).await.after), json!({ "via": how.word() }));
        // There is nothing left to end.
        let ended = all(&world, Act::SignInEnded).await.len();
        sessions::end(&world.app, &opened.secret).await.unwrap();
        assert_eq!(all(&world, Act::SignInEnded).await.len(), ended);
    }
}

#[tokio::test]
async fn a_wrong_code_is_recorded_for_whom_it_was_meant() {
    let world = world().await;
    let there = world.neighbor().await;
    let browser = Browser::new(&world);
    browser.mailed("", ANA).await;
    browser.enter_code("WRONG2CD").await.expect(422);
    until("it is recorded", async || failed(&world).await == 1).await;
    of_ana(&world, Act::SignInFailed, "mail").await;
    assert_eq!(newest(&world, Act::SignInFailed).await.who.kind, WhoKind::Visitor);
    let query = audit::Query { act: Some(Act::SignInFailed), ..Default::default() };
    assert!(
        super::entries_of(&world, there.institution.id, query).await.is_empty(),
        "nobody else hears of it"
    );
    // An address that nobody has.
    let before = count(&world).await;
    let stranger = Browser::new(&world);
    stranger.ask("", "nobody@elsewhere.org").await;
    stranger.enter_code("WRONG2CD").await;
    browser.enter_code("WRONG3CD").await.expect(422);
    until("the other one is recorded", async || failed(&world).await == 2).await;
    assert_eq!(count(&world).await, before + 1);
}

fn by_proxy() -> Setup {
    let proxy = ProxyAuth {
        header: HEADER.into(),
        networks: TrustedProxies::parse("127.0.0.1").unwrap(),
        institution: "example".into(),
    };
    Setup { sign_in: Settings { proxy: Some(proxy), ..Settings::default() }, ..Setup::default() }
}

/// The proxy says that it is this person.
async fn named(world: &World, email: &str) {
    let mut browser = Browser::new(world);
    browser.headers = vec![(HEADER, email.to_owned())];
    browser.get("/sign-in/proxy").await;
}

#[tokio::test]
async fn a_proxy_that_names_a_stranger_is_recorded() {
    let world = World::with(by_proxy()).await;
    world.person("Ana", ANA).await;
    named(&world, CARL).await;
    until("it is recorded", async || failed(&world).await == 1).await;
    let entry = newest(&world, Act::SignInFailed).await;
    assert_eq!((values(&entry.after), entry.person.as_deref()), (json!({ "via": "proxy" }), Some(CARL)));
    named(&world, ANA).await;
    of_ana(&world, Act::SignInSucceeded, "proxy").await;
}

#[tokio::test]
async fn strangers_cannot_fill_the_log() {
    let world = World::with(by_proxy()).await;
    for number in 0..30 {
        named(&world, &format!("stranger{number}@example.edu")).await;
    }
    until("twenty are recorded", async || failed(&world).await == 20).await;
    world.advance(Duration::from_secs(3_601));
    named(&world, CARL).await;
    until("an hour later, it is recorded again", async || failed(&world).await == 21).await;
}

#[tokio::test]
async fn a_personal_link_that_nobody_has_made_is_recorded() {
    let world = world().await;
    let (app, id) = (&world.app, world.institution.id);
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let carl = AddressList::parse(CARL).unwrap().invitees;
    let terms = invitations::Terms::of(app);
    invitations::invite(app, &Actor::Operator, id, &page, carl, &terms).await.unwrap();
    let text = "SELECT id FROM invitations WHERE institution_id = $1";
    let invitation =
        app.db.read().one(text, &[id.into()], |row| row.id::<InvitationId>(0)).await.unwrap().unwrap();
    let token = LinkToken { id: invitation, proof: "0".repeat(32) }.to_string();
    let (first_name, last_name) = ("Eve".into(), String::new());
    let accepted = invitations::Acceptance { first_name, last_name, agreed: None };
    assert!(invitations::accept(app, &token, accepted, &[]).await.unwrap().is_none());
    until("it is recorded", async || failed(&world).await == 1).await;
    let entry = newest(&world, Act::SignInFailed).await;
    assert_eq!((values(&entry.after), entry.person), (json!({ "via": "invitation" }), None));
}

#[tokio::test]
async fn whoever_is_erased_has_signed_in_as_nobody() {
    let world = world().await;
    let browser = ana(&world).await;
    assert!(browser.session().await.is_some());
    let (app, id, rewrite) = (&world.app, world.institution.id, persons::Rewrite::Later);
    persons::erase(app, &Actor::Operator, id, ANA.into(), rewrite).await.unwrap();
    let log = super::rows(&world).await;
    assert!(log.contains("sign_in.succeeded") && !log.contains(ANA), "{log}");
    assert_eq!(newest(&world, Act::SignInSucceeded).await.who.name(), "");
    let verdict = audit::verify(&world.app, &Actor::Operator, world.institution.id, None).await.unwrap();
    assert_eq!(verdict.broken, None);
}
