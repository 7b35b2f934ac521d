//! Institutions in which people must sign in through the provider (`SsoOnly`).

use endonym::{
    app::{Actor, Error, institutions, members, sign_in, sso},
    domain::{
        email::Email,
        member::Role,
        page_settings::Register,
        session::{How, PersonId},
        sso::SsoOnly,
    },
};

use super::{Browser, Visitor, connect, forgery, new, plain, scene, scene_without_provider};
use crate::{console, me::newest_mail, name_pages, support::World};

const ANA: &str = "ana@example.edu";
const BEN: &str = "ben@example.edu";
const HERE: &str = "?institution=example";

async fn set(world: &World, actor: &Actor, only: SsoOnly) -> Result<(), Error> {
    let change = institutions::Change { sso_only: Some(only.word().into()), ..Default::default() };
    institutions::update(&world.app, actor, &world.institution.slug, change).await.map(drop)
}

fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.into() }
}

/// Ana, who has a role, and Ben, who has none.
async fn ana_and_ben(world: &World) {
    world.person("Ben", BEN).await;
    console::set(world, &world.institution, ANA, Role::Manager, &[&world.page]).await;
}

/// Is a code mailed to somebody who asks for one at this query of the sign-in page?
async fn is_mailed(world: &World, query: &str, email: &str) -> bool {
    let browser = Browser::new(world);
    browser.ask(query, email).await.redirects_to("/sign-in/code");
    newest_mail(world).await.is_some()
}

#[tokio::test]
async fn nobody_is_mailed_who_must_sign_in_through_the_provider() {
    let (world, _connection) = scene_without_provider().await;
    ana_and_ben(&world).await;
    for (only, ana, ben) in
        [(SsoOnly::Off, true, true), (SsoOnly::Members, false, true), (SsoOnly::Off, true, true)]
    {
        set(&world, &Actor::Operator, only).await.unwrap();
        let page = Browser::new(&world).get("/sign-in?institution=example").await.expect(200).body;
        assert_eq!(page.contains("If you have a role here"), only == SsoOnly::Members, "{page}");
        // The address is counted for three messages in a quarter of an hour.
        world.advance(std::time::Duration::from_secs(16 * 60));
        for query in [HERE, ""] {
            assert_eq!(is_mailed(&world, query, ANA).await, ana, "{only:?} {query}");
            assert_eq!(is_mailed(&world, query, BEN).await, ben, "{only:?} {query}");
        }
    }
    set(&world, &Actor::Operator, SsoOnly::Everybody).await.unwrap();
    world.advance(std::time::Duration::from_secs(16 * 60));
    for query in [HERE, ""] {
        let browser = Browser::new(&world);
        let page = browser.get(&format!("/sign-in{query}")).await.expect(200).body;
        assert!(!page.contains("name=\"email\"") && page.contains("Campus Login"), "{page}");
        let seen = browser.post("/sign-in", &[("institution", "example"), ("email", BEN)]).await;
        assert!(!seen.status.is_redirection(), "{}", seen.body);
    }
    // Where several institutions know somebody, the others still send one, and it opens only those.
    let there = world.neighbor().await;
    console::set(&world, &there.institution, BEN, Role::Reader, &[&there.page]).await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", BEN).await;
    assert_eq!(mail.institution_name, Some(there.institution.name.clone()));
    browser.enter_code(&mail.code).await.redirects_to("/me");
    assert_eq!(browser.session().await.unwrap().person.institution, there.institution.id);
    assert!(!is_mailed(&world, "", ANA).await, "she is known here alone");
}

/// A code that is on its way, a session that one has opened, and a role that somebody gets later.
#[tokio::test]
async fn what_was_mailed_before_is_void_and_sessions_that_began_with_it_end() {
    let (world, connection) = scene_without_provider().await;
    ana_and_ben(&world).await;
    let (mut mailed, mut linked, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
    for email in [ANA, BEN] {
        let browser = Browser::new(&world);
        let mail = browser.mailed(HERE, email).await;
        browser.enter_code(&mail.code).await.redirects_to("/me");
        mailed.push(browser);
        linked.push(console::signed_in(&world, &world.institution, email).await);
        let browser = Browser::new(&world);
        let mail = browser.mailed(HERE, email).await;
        waiting.push((browser, mail));
    }
    let single = super::open(&world, &connection).await.unwrap();
    set(&world, &Actor::Operator, SsoOnly::Members).await.unwrap();
    assert!(mailed[0].session().await.is_none() && mailed[1].session().await.is_some());
    set(&world, &Actor::Operator, SsoOnly::Everybody).await.unwrap();
    assert!(mailed[1].session().await.is_none());
    let [(_, ana), (browser, ben)] = &waiting[..] else { panic!("two") };
    Browser::new(&world).follow(&ana.link).await.expect(404);
    browser.enter_code(&ben.code).await.expect(422);
    assert_eq!(super::number(&world, "SELECT COUNT(*) FROM sessions WHERE how = 'mail'").await, 0);
    for browser in &linked {
        assert_eq!(browser.session().await.unwrap().how, How::Link, "the operator's links still work");
    }
    let kept = Browser::new(&world);
    kept.set_cookie("endonym", single.as_str());
    assert!(kept.session().await.is_some(), "single sign-on is what it is about");
    // Who gets a role later has no session of before with it.
    set(&world, &Actor::Operator, SsoOnly::Members).await.unwrap();
    let browser = Browser::new(&world);
    world.advance(std::time::Duration::from_secs(16 * 60));
    let mail = browser.mailed(HERE, BEN).await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    console::set(&world, &world.institution, BEN, Role::Owner, &[]).await;
    assert!(browser.session().await.is_none());
    let late = endonym::app::sessions::open(&world.app, person(&world, BEN), How::Mail, &[]).await;
    assert!(matches!(late, Err(Error::Missing(_))), "{:?}", late.map(drop));
}

/// A page where everybody may register mails codes as well.
#[tokio::test]
async fn a_name_page_mails_nobody_either() {
    let (world, provider, connection) = scene().await;
    let register =
        |register| endonym::app::page_settings::Change { register: Some(register), ..Default::default() };
    set(&world, &Actor::Operator, SsoOnly::Everybody).await.unwrap();
    for rule in [Register::Open, Register::Code] {
        name_pages::set(&world, register(rule)).await;
        let browser = Browser::new(&world);
        let page = browser.get("/p/class-of-2027").await.expect(200).body;
        assert!(!page.contains("name=\"email\""), "{rule:?}: {page}");
        assert!(plain(&page).contains("Sign in with Campus Login"), "{rule:?}: {page}");
        assert_eq!(page.contains("name=\"code\""), rule == Register::Code, "{page}");
        let fields = [("email", "neo@example.edu"), ("code", world.page.event_code.as_str())];
        let seen = browser.post("/p/class-of-2027", &fields).await;
        assert!(!seen.status.is_redirection(), "{rule:?}: {}", seen.body);
    }
    assert_eq!(super::number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0);
    // With the code of the event, the provider is the way in.
    provider.account(super::account("neo@example.edu")).await;
    let page = format!("/p/class-of-2027?code={}", world.page.event_code);
    let page = Browser::new(&world).get(&page).await.expect(200).body;
    let own = format!("return_to=%2Fp%2Fclass-of-2027%2Fown%3Fcode%3D{}", world.page.event_code);
    assert!(page.contains(&format!("/sso/{}/start?{own}", connection.id)), "{page}");
}

/// An invitation and a QR code let in to record, and to nothing else.
#[tokio::test]
async fn sessions_for_recording_stay_what_they_are() {
    let (world, _connection) = scene_without_provider().await;
    ana_and_ben(&world).await;
    set(&world, &Actor::Operator, SsoOnly::Everybody).await.unwrap();
    for how in [How::Invitation, How::Handover] {
        let opened = endonym::app::sessions::open(&world.app, person(&world, ANA), how, &[]).await.unwrap();
        let browser = Browser::new(&world);
        browser.set_cookie("endonym", opened.secret.as_str());
        browser.get("/console/example").await.expect(404);
        browser.get("/me/copy").await.expect(403);
        let more = sign_in::handover(&world.app, &Actor::Operator, &person(&world, ANA), how, None).await;
        assert!(matches!(more, Err(Error::Forbidden(_))), "{how:?}");
        browser.get("/sign-in?institution=example").await.expect(200);
        let seen = browser.post("/sign-in", &[("institution", "example"), ("email", ANA)]).await;
        assert!(!seen.status.is_redirection() && newest_or_none(&world).await, "{how:?}");
    }
}

/// Nothing was requested, or nothing is sent.
async fn newest_or_none(world: &World) -> bool {
    super::number(world, "SELECT COUNT(*) FROM sign_in_requests").await == 0
}

/// A provider that does not say when it has asked, and a member who gets no code: the page says what to do.
#[tokio::test]
async fn who_cannot_prove_that_they_have_just_signed_in_learns_what_to_do() {
    let (world, forger, connection) = forgery::scene().await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    set(&world, &Actor::Operator, SsoOnly::Members).await.unwrap();
    let visitor = Visitor::new(&world);
    let sign_in = async |path: &str| {
        let asked = forgery::asked(visitor.browser.get(path).await.expect(303).location());
        let claims = forgery::claims(&world, &forger, &asked);
        *forger.id_token.lock().unwrap() = forgery::KEY.sign(&claims).unwrap();
        visitor.browser.get(&forgery::path(&forger.issuer, &asked)).await
    };
    let start = format!("/sso/{}/start", connection.id);
    sign_in(&start).await.redirects_to("/me");
    visitor.browser.get("/console/example/tokens/new").await.expect(303);
    let seen = sign_in(&format!("{start}?why=again")).await.expect(403);
    let text = plain(&seen.body);
    assert!(text.contains("you have just signed in with Campus Login"), "{text}");
    // The session goes on, and is not fresh.
    visitor.browser.get("/console/example").await.expect(200);
    visitor.browser.get("/console/example/tokens/new").await.expect(303);
    // In an emergency.
    let link = sign_in::operator_link(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        ANA,
        console::HOUR,
        &world.base,
    );
    let (link, _) = link.await.unwrap();
    visitor.browser.follow(&link).await.redirects_to("/me");
    visitor.browser.get("/console/example/tokens/new").await.expect(200);
}

/// Only the operator can let people in whom no provider lets in.
#[tokio::test]
async fn an_institution_keeps_a_way_in() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    console::set(&world, &world.institution, ANA, Role::Owner, &[]).await;
    let owner = members::actor_of(&world.app, &person(&world, ANA)).await.unwrap();
    console::set(&world, &world.institution, BEN, Role::Admin, &[]).await;
    let admin = members::actor_of(&world.app, &person(&world, BEN)).await.unwrap();
    let refused = set(&world, &owner, SsoOnly::Members).await.unwrap_err().to_string();
    assert!(refused.contains("needs a connection"), "{refused}");
    let connection = connect(&world, new("http://127.0.0.1:9")).await;
    assert!(matches!(set(&world, &admin, SsoOnly::Members).await, Err(Error::Forbidden(_))));
    set(&world, &owner, SsoOnly::Everybody).await.unwrap();
    let refused = sso::delete(&world.app, &owner, connection.id).await.unwrap_err().to_string();
    assert!(refused.contains("needs a connection"), "{refused}");
    assert_eq!(sso::all(&world.app, &owner, Some(world.institution.id)).await.unwrap().len(), 1);
    let unknown = institutions::Change { sso_only: Some("some".into()), ..Default::default() };
    let unknown = institutions::update(&world.app, &owner, "example", unknown).await;
    assert!(matches!(unknown, Err(Error::Invalid(_))));
    sso::delete(&world.app, &Actor::Operator, connection.id).await.unwrap();
    set(&world, &owner, SsoOnly::Off).await.unwrap();
    let email = Email::parse(ANA).unwrap();
    assert!(Browser::new(&world).mailed(HERE, email.as_given()).await.to == ANA);
}

#[tokio::test]
async fn owners_say_in_the_console_who_must_use_single_sign_on() {
    let (world, _connection) = scene_without_provider().await;
    let owner = console::member(&world, Role::Owner).await;
    let path = "/console/example/settings/sign-on/only";
    let page = owner.get(path).await.expect(200).body;
    let version = |page: &str| {
        page.split("name=\"version\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(version(&page), "off");
    let seen = owner.post(path, &[("version", "off"), ("sso_only", "members")]).await;
    seen.redirects_to("/console/example/settings/sign-on?done=saved");
    let list = owner.get("/console/example/settings/sign-on").await.expect(200).body;
    assert!(list.contains("Members with a role"), "{list}");
    let found = institutions::sso_only(&world.app, world.institution.id).await.unwrap();
    assert_eq!(found, SsoOnly::Members);
    owner.post(path, &[("version", "off"), ("sso_only", "everybody")]).await.expect(409);
    owner.post(path, &[("version", "members"), ("sso_only", "nobody")]).await.expect(422);
    owner.post(path, &[("version", "members")]).await.expect(422);
    console::member(&world, Role::Admin).await.get(path).await.expect(403);
}
