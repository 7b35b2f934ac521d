//! Registering: who may, by which proof, and what others learn from it.

use std::time::Duration;

use endonym::{
    app::{
        Actor, name_pages,
        page_settings::Change,
        registrations,
        sign_in::{ProxyAuth, Settings},
    },
    domain::{
        client_address::TrustedProxies,
        name_page::NamePageRef,
        page_settings::{Asking, Register},
    },
};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::{ANA, entry, in_seconds, invite, make_manager, number, registered, set, set_of};
use crate::{
    me::{Browser, newest_mail},
    support::{Answer, Setup, World, database::execute},
};

const SLUG: &str = "class-of-2027";
const FORM: &str = "/p/class-of-2027/register";
const OWN: &str = "/p/class-of-2027/own";
const HOUR: Duration = Duration::from_secs(3_600);

async fn world(register: Register) -> World {
    let world = World::new().await;
    set(&world, Change { register: Some(register), ..Change::default() }).await;
    world
}

async fn admissions(world: &World) -> i64 {
    number(world, "SELECT COUNT(*) FROM admissions").await
}

#[tokio::test]
async fn somebody_new_registers_with_a_mailed_code() {
    let world = world(Register::Open).await;
    let browser = Browser::new(&world);
    browser.ask_page(SLUG, "Ana@Example.edu", None).await.redirects_to("/p/class-of-2027/code");
    assert_eq!(registered(&world).await, 0);
    let mail = newest_mail(&world).await.unwrap();
    assert_eq!(mail.to, "Ana@Example.edu");
    assert_eq!(mail.institution_name.as_deref(), Some("Example University"));
    let page = browser.get("/p/class-of-2027/code").await.expect(200);
    assert!(page.body.contains("autocomplete=\"one-time-code\""), "{}", page.body);
    browser.post("/sign-in/code", &[("code", "AAAA-AAAA")]).await.expect(422);
    browser.get("/p/class-of-2027/code").await.expect(200);
    browser.post("/sign-in/code", &[("code", &mail.code)]).await.redirects_to(OWN);
    assert_eq!((admissions(&world).await, registered(&world).await), (1, 0), "nothing is visible yet");
    browser.get(OWN).await.redirects_to(FORM);
    let form = browser.get(FORM).await.expect(200);
    assert!(form.body.contains("name=\"first_name\"") && form.body.contains("name=\"phonetic\""));
    assert!(!form.body.contains("name=\"notes\"") && !form.body.contains("name=\"institution_id\""));
    let fields = [("first_name", "Ana"), ("last_name", "de Araújo"), ("phonetic", "AH-na"), ("notes", "x")];
    browser.post(FORM, &fields).await.redirects_to("/p/class-of-2027/own?done=registered");
    let own = browser.get("/p/class-of-2027/own?done=registered").await.expect(200);
    assert!(own.body.contains("You are registered. Now record your name."), "{}", own.body);
    assert_eq!(admissions(&world).await, 0);
    let ana = entry(&world, ANA).await;
    assert_eq!((ana.full_name().as_str(), ana.phonetic.as_deref()), ("Ana de Araújo", Some("AH-na")));
    assert_eq!(ana.email.as_deref(), Some("Ana@Example.edu"));
    assert_eq!(ana.notes, None, "the page does not ask for notes");
}

#[tokio::test]
async fn the_link_of_the_message_works_in_another_browser() {
    let world = world(Register::Open).await;
    Browser::new(&world).ask_page(SLUG, ANA, None).await.redirects_to("/p/class-of-2027/code");
    let mail = newest_mail(&world).await.unwrap();
    let phone = Browser::new(&world);
    phone.follow(&mail.link).await.redirects_to(OWN);
    phone.get(OWN).await.redirects_to(FORM);
}

#[tokio::test]
async fn registering_twice_leads_to_ones_own_entry() {
    let world = world(Register::Open).await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, ANA, "Ana").await;
    browser.get(FORM).await.redirects_to(OWN);
    let again = browser.post(FORM, &[("first_name", "Mallory")]).await;
    again.redirects_to("/p/class-of-2027/own?done=registered");
    // In another browser, too, with a message for somebody who is known.
    let other = Browser::new(&world);
    let own = other.prove(&world, SLUG, ANA, None).await.expect(200);
    assert!(own.body.contains("<bdi lang=\"\">Ana</bdi>"), "{}", own.body);
    assert_eq!(registered(&world).await, 1);
}

#[tokio::test]
async fn two_forms_at_once_make_one_entry() {
    let world = world(Register::Open).await;
    let browser = Browser::new(&world);
    browser.prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    browser.get(FORM).await.expect(200);
    let fields = [("first_name", "Ana")];
    for sent in join_all((0..4).map(|_| browser.post(FORM, &fields))).await {
        sent.redirects_to("/p/class-of-2027/own?done=registered");
    }
    assert_eq!((registered(&world).await, admissions(&world).await), (1, 0));
}

/// The same answer for an address that may register, one that may not, one that is known and one that is nobody's.
#[tokio::test]
async fn the_answer_does_not_depend_on_the_address() {
    let world = World::new().await;
    let domains = Some(vec!["example.edu".into(), "*.example.org".into()]);
    set(&world, Change { register: Some(Register::Domain), domains, ..Change::default() }).await;
    world.person("Bo", "bo@elsewhere.example").await;
    let hint = Browser::new(&world).get("/p/class-of-2027").await.expect(200);
    assert!(hint.body.contains("example.edu, *.example.org"), "{}", hint.body);
    let mut seen = Vec::new();
    for (email, is_mailed) in [
        ("ana@example.edu", true),
        ("ANA2@EXAMPLE.EDU", true),
        ("ana@mail.example.org", true),
        ("bo@elsewhere.example", true),
        ("ana@example.org", false),
        ("ana@evil.example", false),
        ("ana@example.edu.evil.example", false),
        ("ana@notexample.edu", false),
        ("ana@ex\u{430}mple.edu", false),
        ("\u{212a}im@example.edu", false),
    ] {
        let browser = Browser::new(&world);
        let answer = browser.ask_page(SLUG, email, None).await.redirects_to("/p/class-of-2027/code");
        let page = browser.get("/p/class-of-2027/code").await.expect(200);
        let body = page.body.replace(&browser.csrf(), "");
        seen.push((answer.headers.len(), answer.body, body));
        assert_eq!(newest_mail(&world).await.is_some(), is_mailed, "{email}");
        // A request, a count and a message are written for each of them.
        world.advance(Duration::from_secs(1));
    }
    assert!(seen.iter().all(|one| one == &seen[0]));
    let rows = number(&world, "SELECT COUNT(*) FROM outbox").await;
    assert_eq!(rows, i64::try_from(seen.len()).unwrap());
}

#[tokio::test]
async fn a_page_for_invited_people_admits_nobody_else() {
    let world = world(Register::Invited).await;
    let stranger = Browser::new(&world);
    stranger.ask_page(SLUG, ANA, None).await.redirects_to("/p/class-of-2027/code");
    assert!(newest_mail(&world).await.is_none());
    invite(&world, "ivy@example.org").await;
    let ivy = Browser::new(&world);
    ivy.register(&world, SLUG, "ivy@example.org", "Ivy").await;
    assert_eq!(registered(&world).await, 1);
    // Nor somebody who is known in the institution.
    let other = world.page("Choir").await;
    world.person_on(&other, json!({ "first_name": "Cy", "email": "cy@example.edu" })).await;
    let cy = Browser::new(&world);
    cy.prove(&world, SLUG, "cy@example.edu", None).await.redirects_to(FORM);
    cy.get(FORM).await.redirects_to("/p/class-of-2027");
    let page = cy.get("/p/class-of-2027").await.expect(200);
    assert!(page.body.contains("this page is for others"), "{}", page.body);
    cy.post(FORM, &[("first_name", "Cy")]).await.redirects_to("/p/class-of-2027");
    assert_eq!(registered(&world).await, 1);
    // A withdrawn invitation is none.
    invite(&world, "wes@example.org").await;
    let withdrawn = "UPDATE invitations SET withdrawn_at = 1 WHERE email_key = 'wes@example.org'";
    execute(&world.app.db, withdrawn, vec![]).await;
    Browser::new(&world).ask_page(SLUG, "wes@example.org", None).await.redirects_to("/p/class-of-2027/code");
    assert!(newest_mail(&world).await.is_none());
}

#[tokio::test]
async fn whoever_knows_the_event_code_registers() {
    let world = world(Register::Code).await;
    let code = world.page.event_code.clone();
    for (typed, sentence) in [
        (None, "Please enter the event code."),
        (Some("  "), "Please enter the event code."),
        (Some("WRONG123"), "This is not the event code of this page."),
        (Some(SLUG), "This is not the event code of this page."),
        (Some(world.page.access_code.as_str()), "This is not the event code of this page."),
    ] {
        let seen = Browser::new(&world).ask_page(SLUG, ANA, typed).await.expect(422);
        assert!(seen.body.contains(sentence), "{typed:?}: {}", seen.body);
        assert!(seen.body.contains(ANA), "what was typed is kept");
    }
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0);
    let browser = Browser::new(&world);
    let typed = format!(" {} {}", &code[..4].to_lowercase(), &code[4..]);
    browser.prove(&world, SLUG, ANA, Some(&typed)).await.redirects_to(FORM);
    // The code was right: it need not be typed again.
    let form = browser.get(FORM).await.expect(200);
    assert!(!form.body.contains("name=\"code\""), "{}", form.body);
    browser.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027/own?done=registered");
}

#[tokio::test]
async fn guesses_of_the_event_code_are_limited() {
    let sign_in = Settings { limit: 3, ..Settings::default() };
    let world = World::with(Setup { sign_in, ..Setup::default() }).await;
    set(&world, Change { register: Some(Register::Code), ..Change::default() }).await;
    let mut browser = Browser::new(&world);
    browser.headers.push(("x-forwarded-for", "198.51.100.7".to_owned()));
    for _ in 0..3 {
        browser.ask_page(SLUG, ANA, Some("WRONG123")).await.expect(422);
    }
    let refused = browser.ask_page(SLUG, ANA, Some("WRONG123")).await.expect(429);
    assert_eq!(refused.headers["retry-after"], "900");
    let right = world.page.event_code.clone();
    browser.ask_page(SLUG, ANA, Some(&right)).await.expect(429);
}

#[tokio::test]
async fn messages_to_one_address_are_limited() {
    let world = world(Register::Open).await;
    for _ in 0..3 {
        Browser::new(&world).ask_page(SLUG, ANA, None).await.redirects_to("/p/class-of-2027/code");
    }
    Browser::new(&world).ask_page(SLUG, ANA, None).await.expect(429);
}

#[tokio::test]
async fn somebody_who_is_signed_in_needs_no_message() {
    let world = world(Register::Open).await;
    let choir = world.page("Choir").await;
    set_of(
        &world,
        world.institution.id,
        &choir,
        Change { register: Some(Register::Code), ..Change::default() },
    )
    .await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, ANA, "Ana").await;
    let page = browser.get("/p/choir").await.expect(200);
    assert!(page.body.contains("href=\"/p/choir/register\""), "{}", page.body);
    let form = browser.get("/p/choir/register").await.expect(200);
    assert!(form.body.contains("name=\"code\""), "{}", form.body);
    for (code, sentence) in [("", "Please enter the event code."), ("x", "This is not the event code")] {
        let refused = browser.post("/p/choir/register", &[("first_name", "Ana"), ("code", code)]).await;
        assert!(refused.expect(422).body.contains(sentence), "{code}");
    }
    let refused = browser.post("/p/choir/register", &[]).await.expect(422);
    for sentence in ["Please enter the event code.", "Please enter your name."] {
        assert!(refused.body.contains(sentence), "both at once: {}", refused.body);
    }
    let focused: Vec<&str> = refused.body.lines().filter(|line| line.contains("autofocus")).collect();
    assert!(focused.len() == 1 && focused[0].contains("name=\"first_name\""), "the first fault: {focused:?}");
    // By the code in the link, it is known already.
    let link = format!("/p/choir/register?code={}", choir.event_code);
    let form = browser.get(&link).await.expect(200);
    assert!(form.body.contains(&format!("type=\"hidden\" name=\"code\" value=\"{}\"", choir.event_code)));
    let fields = [("first_name", "Ana"), ("code", choir.event_code.as_str())];
    browser.post("/p/choir/register", &fields).await.redirects_to("/p/choir/own?done=registered");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM participants").await, 2);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 1);
}

#[tokio::test]
async fn a_manager_registers_on_their_own_page() {
    let world = world(Register::Invited).await;
    make_manager(&world, "mia@example.edu").await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, "mia@example.edu", "Mia").await;
    assert_eq!(registered(&world).await, 1);
}

#[tokio::test]
async fn an_admission_ends_after_a_day_and_when_the_page_is_for_others() {
    let world = world(Register::Open).await;
    let (late, early) = (Browser::new(&world), Browser::new(&world));
    late.prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    late.get(FORM).await.expect(200);
    world.advance(23 * HOUR);
    early.prove(&world, SLUG, "eve@example.edu", None).await.redirects_to(FORM);
    early.get(FORM).await.expect(200);
    registrations::remove_expired(&world.app).await.unwrap();
    assert_eq!(admissions(&world).await, 2);
    world.advance(2 * HOUR);
    late.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027");
    registrations::remove_expired(&world.app).await.unwrap();
    assert_eq!(admissions(&world).await, 1);
    for register in [Register::Domain, Register::Invited] {
        let domains = Some(vec!["example.org".into()]);
        set(&world, Change { register: Some(register), domains, ..Change::default() }).await;
        early.post(FORM, &[("first_name", "Eve")]).await.redirects_to("/p/class-of-2027");
    }
    assert_eq!(registered(&world).await, 0);
}

#[tokio::test]
async fn whoever_was_admitted_by_another_rule_must_follow_the_new_one() {
    let world = world(Register::Open).await;
    let (admitted, waiting) = (Browser::new(&world), Browser::new(&world));
    admitted.prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    admitted.get(FORM).await.expect(200);
    waiting.ask_page(SLUG, "wes@example.edu", None).await.redirects_to("/p/class-of-2027/code");
    let mail = newest_mail(&world).await.unwrap();
    waiting.get("/p/class-of-2027/code").await.expect(200);
    // Other settings, and the same rule once more, change nothing for them.
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    assert_eq!(admissions(&world).await, 1);
    set(&world, Change { register: Some(Register::Code), ..Change::default() }).await;
    assert_eq!(admissions(&world).await, 0);
    admitted.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027");
    waiting.post("/sign-in/code", &[("code", &mail.code)]).await.expect(422);
    assert_eq!((admissions(&world).await, registered(&world).await), (0, 0));
    // With the event code, they get in.
    let code = world.page.event_code.clone();
    let again = Browser::new(&world);
    again.prove(&world, SLUG, ANA, Some(&code)).await.redirects_to(FORM);
    again.get(FORM).await.expect(200);
    again.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027/own?done=registered");
}

#[tokio::test]
async fn nobody_registers_on_a_closed_page_and_those_who_are_still_get_in() {
    let world = world(Register::Open).await;
    let (registered_before, waiting) = (Browser::new(&world), Browser::new(&world));
    registered_before.register(&world, SLUG, ANA, "Ana").await;
    waiting.prove(&world, SLUG, "wes@example.edu", None).await.redirects_to(FORM);
    waiting.get(FORM).await.expect(200);
    set(&world, Change { closes: in_seconds(&world, 60), ..Change::default() }).await;
    world.advance(HOUR);
    waiting.post(FORM, &[("first_name", "Wes")]).await.redirects_to("/p/class-of-2027");
    let page = waiting.get("/p/class-of-2027").await.expect(200);
    assert!(page.body.contains("This page closed on"), "{}", page.body);
    Browser::new(&world).ask_page(SLUG, "new@example.edu", None).await.redirects_to("/p/class-of-2027/code");
    assert!(newest_mail(&world).await.is_none());
    Browser::new(&world).prove(&world, SLUG, ANA, None).await.expect(200);
    assert_eq!(registered(&world).await, 1);
}

#[tokio::test]
async fn what_is_required_must_be_there_and_faults_are_explained() {
    let world = world(Register::Open).await;
    world.editable_field("degree", "Degree").await;
    world.custom_field("college").await;
    let asked = vec![
        ("phonetic".to_owned(), Asking::Off),
        ("custom_degree".to_owned(), Asking::Required),
        ("custom_college".to_owned(), Asking::Optional),
    ];
    set(&world, Change { asked, ..Change::default() }).await;
    world.person("Bo", "bo@example.edu").await;
    let browser = Browser::new(&world);
    browser.prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    browser.get(FORM).await.expect(200);
    let long = "x".repeat(300);
    for (fields, sentence) in [
        (&[("first_name", ""), ("custom_degree", "MA")][..], "Please enter your name."),
        (&[("first_name", " \u{200b}"), ("custom_degree", "MA")], "Please enter your name."),
        (&[("first_name", "Ana")], "Please fill this in."),
        (&[("first_name", "Ana"), ("custom_degree", " ")], "Please fill this in."),
        (&[("first_name", long.as_str()), ("custom_degree", "MA")], "This is too long."),
        (&[("first_name", "A\u{0}"), ("custom_degree", "MA")], "characters in it that cannot be used"),
    ] {
        let seen = browser.post(FORM, fields).await.expect(422);
        assert!(seen.body.contains(sentence), "{fields:?}: {}", seen.body);
        assert_eq!(seen.body.matches("autofocus").count(), 1, "{fields:?}");
    }
    assert_eq!(registered(&world).await, 1);
    let fields =
        [("last_name", "Ana"), ("custom_degree", "MA"), ("custom_college", "Arts"), ("phonetic", "no")];
    browser.post(FORM, &fields).await.redirects_to("/p/class-of-2027/own?done=registered");
    let ana = entry(&world, ANA).await;
    assert_eq!(ana.full_name(), "Ana");
    assert_eq!(ana.phonetic, None, "the page does not ask for it");
    let mut values: Vec<&String> = ana.custom.0.values().collect();
    values.sort();
    assert_eq!(values, ["Arts", "MA"]);
}

#[tokio::test]
async fn an_identifier_is_ignored_so_that_nobody_claims_or_tests_one() {
    let world = world(Register::Open).await;
    let bo = json!({ "first_name": "Bo", "email": "bo@example.edu", "institution_id": "S-1" });
    world.person_on(&world.page, bo).await;
    let browser = Browser::new(&world);
    browser.prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    let form = browser.get(&format!("{FORM}?institution_id=S-1")).await.expect(200);
    assert!(!form.body.contains("name=\"institution_id\""), "{}", form.body);
    // Whether it is in use or not makes no difference.
    let sent = browser.post(FORM, &[("first_name", "Ana"), ("institution_id", "S-1")]).await;
    sent.redirects_to("/p/class-of-2027/own?done=registered");
    let other = Browser::new(&world);
    other.prove(&world, SLUG, "cem@example.edu", None).await.redirects_to(FORM);
    other.get(FORM).await.expect(200);
    let sent = other.post(FORM, &[("first_name", "Cem"), ("institution_id", "S-2")]).await;
    sent.redirects_to("/p/class-of-2027/own?done=registered");
    for email in [ANA, "cem@example.edu"] {
        assert_eq!(entry(&world, email).await.identifier, None);
    }
}

#[tokio::test]
async fn a_session_of_another_institution_registers_nobody() {
    let world = world(Register::Open).await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let browser = Browser::new(&world);
    let mail = browser.mailed("", ANA).await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    browser.get("/me").await.expect(200);
    browser.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027");
    assert_eq!(registered(&world).await, 0);
    // They prove their address here, and change over.
    browser.register(&world, SLUG, ANA, "Ana").await;
    assert_eq!(browser.session().await.unwrap().person.institution, world.institution.id);
}

#[tokio::test]
async fn a_trusted_proxy_vouches_for_an_address() {
    const HEADER: &str = "x-remote-user-email";
    let networks = TrustedProxies::parse("127.0.0.1").unwrap();
    let proxy = ProxyAuth { header: HEADER.to_owned(), networks, institution: "example".to_owned() };
    let sign_in = Settings { proxy: Some(proxy), ..Settings::default() };
    let world = World::with(Setup { sign_in, ..Setup::default() }).await;
    set(
        &world,
        Change {
            register: Some(Register::Domain),
            domains: Some(vec!["example.edu".into()]),
            ..Change::default()
        },
    )
    .await;
    let with = |email: &str| {
        let mut browser = Browser::new(&world);
        browser.headers = vec![(HEADER, email.to_owned())];
        browser
    };
    let page = with(ANA).get("/p/class-of-2027").await.expect(200);
    let way = "/sign-in/proxy?return_to=%2Fp%2Fclass-of-2027%2Fown";
    assert!(page.body.contains(way), "{}", page.body);
    let ana = with(ANA);
    ana.get(way).await.redirects_to(OWN);
    ana.get(OWN).await.redirects_to(FORM);
    ana.get(FORM).await.expect(200);
    ana.post(FORM, &[("first_name", "Ana")]).await.redirects_to("/p/class-of-2027/own?done=registered");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0, "no message");
    // Others stay outside: another domain, and the way to another place.
    with("eve@evil.example").get(way).await.expect(403);
    with("bo@example.edu").get("/sign-in/proxy?return_to=/me").await.expect(403);
    let there = world.neighbor().await;
    set_of(
        &world,
        there.institution.id,
        &there.page,
        Change { register: Some(Register::Open), ..Change::default() },
    )
    .await;
    let elsewhere = format!("/sign-in/proxy?return_to=/p/{}/own", there.page.slug);
    with("bo@example.edu").get(&elsewhere).await.expect(403);
    assert_eq!(admissions(&world).await, 0);
}

#[tokio::test]
async fn what_is_no_address_is_explained() {
    let world = world(Register::Open).await;
    for (typed, sentence) in [
        ("", "Please enter your email address."),
        ("  ", "Please enter your email address."),
        ("ana", "This does not look like an email address."),
        ("ana@example.edu, bo@example.edu", "This does not look like an email address."),
    ] {
        let seen = Browser::new(&world).ask_page(SLUG, typed, None).await.expect(422);
        assert!(seen.body.contains(sentence), "{typed}: {}", seen.body);
    }
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_requests").await, 0);
}

#[tokio::test]
async fn deleting_the_page_deletes_its_admissions() {
    let world = world(Register::Open).await;
    Browser::new(&world).prove(&world, SLUG, ANA, None).await.redirects_to(FORM);
    assert_eq!(admissions(&world).await, 1);
    let page = NamePageRef::parse(SLUG).unwrap();
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page).await.unwrap();
    assert_eq!(admissions(&world).await, 0);
}
