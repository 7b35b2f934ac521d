//! What others must not be able to do with the pages of people. Every route of the face is covered: a new one fails a test until it
//! is in the table of forms.

use std::{collections::BTreeSet, time::Duration};

use endonym::{
    app::{
        Actor, Error, jobs, outbox, persons, sessions,
        sign_in::{self, ProxyAuth, Settings, SignInMail},
    },
    domain::{
        client_address::TrustedProxies,
        ids::{InstitutionId, SignInRequestId},
        job::{Claim, Job, Lane},
        session::{How, PersonId},
    },
    http::csrf,
    mail::Mailer,
};
use reqwest::Method;
use serde_json::json;

use super::{Browser, Seen, newest_mail};
use crate::support::{
    Answer, Neighbor, Setup, World,
    database::execute,
    forms::{Form, check_forgeries, is_forged, send},
    routes::{self, Route},
    snapshot::rows,
    until,
};

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3_600);
const ANA: &str = "ana@example.edu";

/// Every POST route of the face.
const FORMS: &[(&str, Form)] = &[
    ("/sign-in", Form::Visitor),
    ("/sign-in/code", Form::Visitor),
    ("/sign-in/choose", Form::Visitor),
    ("/sign-in/link/{secret}", Form::Visitor),
    ("/sign-out", Form::Session),
    ("/me/recording", Form::Upload),
    ("/me/recording/delete", Form::Session),
    ("/me/handover", Form::Session),
    ("/me/audience", Form::Session),
    ("/me/details", Form::Session),
    ("/me/call", Form::Session),
    ("/me/language", Form::Session),
    ("/me/consent", Form::Session),
    ("/me/consent/withdraw", Form::Session),
    ("/me/search-engines", Form::Session),
    ("/me/requests", Form::Session),
    ("/me/kept", Form::Session),
    ("/me/delete", Form::Session),
    ("/me/photo", Form::Upload),
    ("/me/photo/delete", Form::Session),
    ("/me/legal-name/recording", Form::Upload),
    ("/me/legal-name/recording/delete", Form::Session),
];

/// On pages that everybody may see, which have no token. It only sets the language, and checks the origin.
const WITHOUT_TOKEN: &[&str] = &["/language"];

/// The pages that record. All others may not use the microphone.
const RECORDING: &[&str] = &["/me", "/me/legal-name"];

/// What a device may reach that a QR code has let in: it records, hears the recordings and agrees to the text about them.
const FOR_RECORDING: &[&str] = &[
    "/me",
    "/me/language",
    "/me/consent",
    "/me/handover/{id}",
    "/me/recording",
    "/me/recording/audio",
    "/me/legal-name",
    "/me/legal-name/recording",
    "/me/legal-name/audio",
];

async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

fn person(institution: InstitutionId, email: &str) -> PersonId {
    PersonId { institution, email_key: email.to_owned() }
}

async fn link(world: &World, institution: InstitutionId, email: &str) -> String {
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, email, MINUTE, &world.base);
    made.await.unwrap().0
}

async fn signed_in<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    world.agree(institution, email).await;
    let browser = Browser::new(world);
    browser.follow(&link(world, institution, email).await).await.redirects_to("/me");
    browser.get("/me").await.expect(200);
    browser
}

#[tokio::test]
async fn the_menu_of_languages_does_not_obey_other_sites() {
    let world = World::new().await;
    let fields = [("language", "de"), ("return_to", "//evil.example")];
    for (name, value) in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        let seen = Browser::new(&world).post_bare("/language", &fields, &[(name, value)]).await;
        assert!(is_forged(&seen), "{name}: {}", seen.status);
        assert!(seen.headers.get("set-cookie").is_none());
    }
    let own = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    Browser::new(&world).post_bare("/language", &fields, &own).await.redirects_to("/");
}

async fn known_there(world: &World, there: &Neighbor, first_name: &str, email: &str) {
    let body = json!({ "name_page_id": there.page.slug, "participant": { "first_name": first_name, "email": email } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
}

#[test]
fn every_form_of_the_face_is_in_the_table() {
    let declared = routes::of("me").into_iter().filter(|route| route.has_post).map(|route| route.path);
    let listed = FORMS.iter().map(|(path, _)| *path).chain(WITHOUT_TOKEN.iter().copied()).map(str::to_owned);
    assert_eq!(declared.collect::<BTreeSet<_>>(), listed.collect::<BTreeSet<_>>());
}

#[tokio::test]
async fn a_form_of_another_site_or_session_changes_nothing() {
    let world = World::on_sqlite().await;
    for (nth, (path, form)) in FORMS.iter().enumerate() {
        let email = format!("p{nth}@example.edu");
        world.person("Ana", &email).await;
        let (browser, other) = match form {
            Form::Visitor => (Browser::new(&world), Browser::new(&world)),
            Form::Session | Form::Upload => (
                signed_in(&world, world.institution.id, &email).await,
                signed_in(&world, world.institution.id, &email).await,
            ),
        };
        if *form == Form::Visitor {
            browser.mailed("", &email).await;
            browser.get("/sign-in/code").await.expect(200);
            other.get("/sign-in").await.expect(200);
        }
        let link = link(&world, world.institution.id, &email).await;
        let path = path.replace("{secret}", link.rsplit('/').next().unwrap());
        let more = [
            ("email", email.as_str()),
            ("page", world.page.slug.as_str()),
            ("audience", "paused"),
            ("notes", "forged"),
            ("everywhere", "1"),
            ("confirm", "1"),
        ];
        check_forgeries(&world, (&browser, &other), (&path, *form), &more).await;
    }
}

/// A page with a session or a form has all headers that protect it.
fn check_headers(route: &str, seen: &Seen) {
    let header = |name: &str| {
        let value = seen.headers.get(name).unwrap_or_else(|| panic!("{route} ({}): no {name}", seen.status));
        value.to_str().unwrap().to_owned()
    };
    assert_eq!(header("cache-control"), "no-store", "{route}");
    for cookie in seen.headers.get_all("set-cookie") {
        let cookie = cookie.to_str().unwrap();
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.split("; ").any(|found| found == attribute), "{route}: {cookie}");
        }
        assert!(!cookie.contains("Domain"), "{route}: {cookie}");
    }
    if seen.status.is_redirection() {
        return assert_eq!(seen.body, "", "{route}");
    }
    assert_eq!(header("x-content-type-options"), "nosniff", "{route}");
    if !header("content-type").starts_with("text/html") {
        return;
    }
    assert_eq!(header("x-frame-options"), "DENY", "{route}");
    assert_eq!(header("referrer-policy"), "same-origin", "{route}");
    assert_eq!(header("x-robots-tag"), "noindex", "{route}");
    let records = RECORDING.contains(&route) && seen.status == 200;
    let microphone = if records { "microphone=(self)" } else { "microphone=()" };
    assert_eq!(header("permissions-policy"), microphone, "{route}");
    let policy = header("content-security-policy");
    for part in ["default-src 'none'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'"] {
        assert!(policy.split("; ").any(|found| found == part), "{route}: {part} in {policy}");
    }
    for part in ["unsafe", "*", "http:", "https:"] {
        assert!(!policy.contains(part), "{route}: {part} in {policy}");
    }
    assert_eq!(policy.contains("blob:"), records, "{route}: {policy}");
    for inline in ["<style", " style=\"", " onclick=", " onload=", "javascript:"] {
        assert!(!seen.body.contains(inline), "{route}: {inline}");
    }
    for script in seen.body.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap();
        let is_data = tag.contains("application/json") || tag.contains("importmap");
        assert!(is_data || tag.contains(" src=\"/"), "{route}: <script{tag}>");
    }
}

#[tokio::test]
async fn every_page_has_the_headers_that_protect_it() {
    let setup = Setup { sign_in: by_proxy("10.0.0.0/8"), sqlite: true, ..Setup::default() };
    let world = World::with(setup).await;
    world.person("Ana", ANA).await;
    let browser = signed_in(&world, world.institution.id, ANA).await;
    let secret = link(&world, world.institution.id, ANA).await;
    let secret = secret.rsplit('/').next().unwrap();
    for route in routes::of("me").iter().filter(|route| route.has_get) {
        for with in [secret, "1", "x"] {
            let path = route.filled(with);
            check_headers(&route.path, &browser.get(&path).await);
            check_headers(&route.path, &Browser::new(&world).get(&path).await);
        }
    }
    // Refusals, and rejected input.
    for (path, form) in FORMS {
        let path = path.replace("{secret}", secret);
        check_headers("", &send(&browser, *form, &path, &[], &[]).await);
        check_headers("", &send(&Browser::new(&world), *form, &path, &[], &[]).await);
    }
    check_headers("", &browser.get("/me/handover/%ff").await);
}

/// Every route with a session needs one, and one that has expired or ended is none.
#[tokio::test]
async fn every_own_page_needs_a_session_that_is_not_over() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let own: Vec<Route> =
        routes::of("me").into_iter().filter(|route| route.path.starts_with("/me")).collect();
    let over = signed_in(&world, world.institution.id, ANA).await;
    world.advance(14 * DAY);
    let ended = signed_in(&world, world.institution.id, ANA).await;
    let old = ended.cookie("endonym").unwrap();
    let token = ended.csrf();
    ended.post("/sign-out", &[]).await.redirects_to("/sign-in?institution=example");
    ended.set_cookie("endonym", &old);
    let planted = Browser::new(&world);
    planted.set_cookie("endonym", &"0a".repeat(32));
    let before = rows(&world, None).await;
    for browser in [&over, &ended, &planted, &Browser::new(&world)] {
        for route in &own {
            let path = route.filled("1");
            if route.has_get {
                let seen = browser.get(&path).await;
                assert_eq!(seen.status, 303, "{path}");
                assert!(seen.location().starts_with("/sign-in?return_to=%2Fme"), "{}", seen.location());
            }
            if route.has_post {
                let (_, form) = FORMS.iter().find(|(listed, _)| *listed == route.path).unwrap();
                let seen = send(browser, *form, &path, &[("csrf", &token)], &[]).await;
                seen.redirects_to("/sign-in");
                let script = [("accept", "application/json"), (csrf::HEADER, token.as_str())];
                send(browser, *form, &path, &[], &script).await.expect(401);
            }
        }
    }
    assert_eq!(rows(&world, None).await, before);
}

#[tokio::test]
async fn a_session_ends_two_weeks_after_its_last_use_and_after_two_months_at_the_latest() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let (used, unused) = (
        signed_in(&world, world.institution.id, ANA).await,
        signed_in(&world, world.institution.id, ANA).await,
    );
    for _ in 0..4 {
        world.advance(13 * DAY);
        used.get("/me").await.expect(200);
    }
    unused.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    world.advance(8 * DAY - MINUTE);
    used.get("/me").await.expect(200);
    world.advance(MINUTE);
    used.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
}

/// The same email in two institutions is two persons: through no path does a session of one read or change the other.
#[tokio::test]
async fn no_path_reaches_the_same_email_in_another_institution() {
    let world = World::new().await;
    let there = world.neighbor().await;
    for (nth, (path, form)) in FORMS.iter().filter(|(_, form)| *form != Form::Visitor).enumerate() {
        let email = format!("p{nth}@example.edu");
        world.person("Ana", &email).await;
        known_there(&world, &there, "Marguerite", &email).await;
        let neighbor = signed_in(&world, there.institution.id, &email).await;
        neighbor.get("/me").await.expect(200);
        let theirs = person(there.institution.id, &email);
        let handover =
            sign_in::handover(&world.app, &Actor::Operator, &theirs, How::Mail, None).await.unwrap();
        let browser = signed_in(&world, world.institution.id, &email).await;
        let before = rows(&world, Some(there.institution.id)).await;
        let id = handover.id.to_string();
        // Pages are the same whatever form is sent next.
        for route in routes::of("me").iter().filter(|route| route.has_get && nth == 0) {
            let seen = browser.get(&route.filled(&id)).await;
            assert!(!seen.body.contains("Marguerite"), "{}: {}", route.path, seen.body);
            assert!(!seen.body.contains(&there.page.title), "{}: {}", route.path, seen.body);
        }
        browser.get("/me").await.expect(200);
        let csrf = browser.csrf();
        let fields = [
            ("csrf", csrf.as_str()),
            ("page", there.page.slug.as_str()),
            ("institution", there.institution.slug.as_str()),
            ("email", email.as_str()),
            ("audience", "paused"),
            ("notes", "changed"),
            ("phonetic", "changed"),
            ("everywhere", "1"),
            ("confirm", "1"),
        ];
        let seen = send(&browser, *form, &path.replace("{id}", &id), &fields, &[]).await;
        assert!(!seen.body.contains("Marguerite"), "{path}: {}", seen.body);
        assert_eq!(rows(&world, Some(there.institution.id)).await, before, "{path}");
        assert!(neighbor.session().await.is_some(), "{path}");
    }
}

#[tokio::test]
async fn nobody_is_sent_to_another_site_after_signing_in() {
    let setup = Setup { sign_in: by_proxy("127.0.0.0/8"), sqlite: true, ..Setup::default() };
    let world = World::with(setup).await;
    world.person("Ana", ANA).await;
    let own = reqwest::Url::parse(&world.base).unwrap();
    let port = own.port().unwrap();
    for given in [
        "//evil.example",
        "/\\evil.example",
        "/\\/evil.example",
        "/%2Fevil.example",
        "/%5Cevil.example",
        "%2F%2Fevil.example",
        "/.//evil.example",
        "/..//evil.example",
        "/./\\evil.example",
        "/;@evil.example",
        "@evil.example",
        ".evil.example",
        ":80@evil.example",
        "https://evil.example",
        "https:/\\evil.example",
        "HTTPS://evil.example",
        "data:text/html,x",
        "/\u{0}/evil.example",
        "/\t/evil.example",
        "\t//evil.example",
        "/\u{2028}/evil.example",
        "/\u{ff0f}evil.example",
        "/me\r\nLocation: https://evil.example",
        "/me%0d%0aLocation:%20https://evil.example",
        &format!("http://127.0.0.1:{port}/me"),
        &format!("http://127.0.0.1:{port}@evil.example/"),
        &format!("http://127.0.0.1:{port}.evil.example/"),
    ] {
        let mut browser = Browser::new(&world);
        browser.headers.push((HEADER, ANA.to_owned()));
        let query: String = form_urlencoded::Serializer::new(String::new())
            .append_pair("return_to", given)
            .append_pair("return_to", "https://evil.example")
            .finish();
        let seen = browser.get(&format!("/sign-in/proxy?{query}")).await.expect(303);
        assert_eq!(seen.headers.get_all("location").iter().count(), 1);
        // As a browser resolves it.
        let target = own.join(seen.location()).unwrap();
        assert_eq!(target.origin(), own.origin(), "{given:?} leads to {target}");
        // It gets neither into the form nor, unless it is local, through it.
        let page = Browser::new(&world).get(&format!("/sign-in?{query}")).await.expect(200).body;
        for link in page.split(" href=\"").skip(1).chain(page.split(" action=\"").skip(1)) {
            let link = link.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&");
            if link == "data:," {
                continue;
            }
            assert_eq!(own.join(&link).unwrap().origin(), own.origin(), "{given:?}: {link}");
        }
    }
}

const HEADER: &str = "x-remote-user-email";

fn by_proxy(networks: &str) -> Settings {
    let networks = TrustedProxies::parse(networks).unwrap();
    let proxy = ProxyAuth { header: HEADER.to_owned(), networks, institution: "example".to_owned() };
    Settings { proxy: Some(proxy), ..Settings::default() }
}

/// Sent on every route: only a proxy in a listed network may say who somebody is, and only on the path that is made for it.
#[tokio::test]
async fn no_header_signs_anybody_in_from_an_unlisted_network() {
    let setup = Setup { sign_in: by_proxy("10.0.0.0/8"), ..Setup::default() };
    let world = World::with(setup).await;
    world.person("Ana", ANA).await;
    let tricks: &[&[(&'static str, &str)]] = &[
        &[],
        &[("x-forwarded-for", "10.0.0.1")],
        &[("x-forwarded-for", "10.0.0.1, 10.0.0.1")],
        &[("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "10.0.0.1")],
        &[("x-real-ip", "10.0.0.1"), ("forwarded", "for=10.0.0.1;by=10.0.0.1")],
        &[("x_remote_user_email", ANA), ("remote-user", ANA), ("x-forwarded-user", ANA)],
    ];
    for trick in tricks {
        let mut browser = Browser::new(&world);
        browser.headers.push((HEADER, ANA.to_owned()));
        browser.headers.extend(trick.iter().map(|(name, value)| (*name, (*value).to_owned())));
        browser.get("/sign-in/proxy").await.expect(403);
        for route in routes::of("me").iter().filter(|route| route.has_get) {
            let seen = browser.get(&route.filled("1")).await;
            assert!(!seen.body.contains(ANA), "{}", route.path);
        }
        assert_eq!(browser.cookie("endonym"), None);
    }
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 0);
}

/// A client can write anything in front of the address that its proxy appends.
#[tokio::test]
async fn a_forged_address_in_front_of_the_own_does_not_widen_the_limit() {
    let world =
        World::with(Setup { sign_in: Settings { limit: 2, ..Settings::default() }, ..Setup::default() })
            .await;
    let forged = ["", "127.0.0.1, ", "192.0.2.1, ", "10.0.0.9, 192.0.2.2, ", "unknown, "];
    let mut statuses = Vec::new();
    for (nth, before) in forged.into_iter().enumerate() {
        let mut browser = Browser::new(&world);
        browser.headers.push(("x-forwarded-for", format!("{before}198.51.100.7")));
        statuses.push(browser.ask("", &format!("p{nth}@example.org")).await.status.as_u16());
    }
    assert_eq!(statuses, [303, 303, 429, 429, 429]);
}

/// Somebody who has planted their own visitor's cookie in another browser gains nothing from what is proven there.
#[tokio::test]
async fn a_planted_cookie_does_not_survive_signing_in() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let there = world.neighbor().await;
    known_there(&world, &there, "Ana", ANA).await;
    for by_link in [false, true] {
        let (attacker, victim) = (Browser::new(&world), Browser::new(&world));
        attacker.get("/sign-in").await.expect(200);
        let planted = attacker.cookie("endonym-visitor").unwrap();
        victim.set_cookie("endonym-visitor", &planted);
        let mail = victim.mailed("", ANA).await;
        let proven =
            if by_link { victim.follow(&mail.link).await } else { victim.enter_code(&mail.code).await };
        proven.redirects_to("/sign-in/choose");
        assert_ne!(victim.cookie("endonym-visitor").unwrap(), planted);
        attacker.get("/sign-in/choose").await.redirects_to("/sign-in");
        attacker.get("/sign-in").await.expect(200);
        attacker.post("/sign-in/choose", &[("institution", "example")]).await.expect(403);
        assert!(attacker.session().await.is_none());
        victim.get("/sign-in/choose").await.expect(200);
        victim.post("/sign-in/choose", &[("institution", "example")]).await.redirects_to("/me");
        assert_eq!(victim.session().await.unwrap().person, person(world.institution.id, ANA));
        assert_eq!(victim.cookie("endonym-visitor"), None);
        attacker.get("/sign-in/choose").await.redirects_to("/sign-in");
    }
}

/// Addresses are matched without case, and some that differ have the same key. A message goes to the mailbox that is registered, never to
/// the one that was typed.
#[tokio::test]
async fn a_message_goes_to_the_registered_address_and_opens_only_what_belongs_to_it() {
    let world = World::new().await;
    let (mike, kelvin) = ("mike@example.edu", "mi\u{212a}e@example.edu");
    world.person("Mike", "Mike@example.edu").await;
    for typed in ["MIKE@Example.EDU", kelvin] {
        assert_eq!(Browser::new(&world).mailed("", typed).await.to, "Mike@example.edu", "{typed}");
    }
    // An institution that registers the other mailbox does not get into its neighbor's.
    let there = world.neighbor().await;
    known_there(&world, &there, "Mike", kelvin).await;
    for (typed, registered, institution) in
        [(kelvin, kelvin, there.institution.id), (mike, "Mike@example.edu", world.institution.id)]
    {
        world.advance(16 * MINUTE);
        let browser = Browser::new(&world);
        let mail = browser.mailed("", typed).await;
        assert_eq!(mail.to, registered);
        browser.enter_code(&mail.code).await.redirects_to("/me");
        assert_eq!(browser.session().await.unwrap().person, person(institution, mike));
    }
}

#[tokio::test]
async fn only_the_code_of_the_newest_message_of_a_browser_counts() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let browser = Browser::new(&world);
    let old = browser.mailed("", ANA).await;
    let new = browser.mailed("", ANA).await;
    browser.enter_code(&old.code).await.expect(422);
    browser.enter_code(&new.code).await.redirects_to("/me");
}

/// Otherwise a thief of a session could keep a way back in.
#[tokio::test]
async fn signing_out_everywhere_voids_links_to_other_devices() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let there = world.neighbor().await;
    known_there(&world, &there, "Ana", ANA).await;
    let (thief, owner) = (
        signed_in(&world, world.institution.id, ANA).await,
        signed_in(&world, world.institution.id, ANA).await,
    );
    let page = thief.post("/me/handover", &[]).await.expect(200).body;
    let path = page.split("/sign-in/link/").nth(1).unwrap();
    let path = format!("/sign-in/link/{}", path.chars().take(64).collect::<String>());
    let theirs = person(there.institution.id, ANA);
    let elsewhere =
        sign_in::handover(&world.app, &Actor::Operator, &theirs, How::Mail, None).await.unwrap().link;
    Browser::new(&world).get(&path).await.expect(200);
    owner.post("/sign-out", &[("everywhere", "1")]).await.redirects_to("/sign-in?institution=example");
    thief.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    Browser::new(&world).get(&path).await.expect(404);
    Browser::new(&world).get(elsewhere.strip_prefix(&world.base).unwrap()).await.expect(200);
}

#[tokio::test]
async fn a_session_that_was_handed_over_cannot_be_handed_over_again() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let browser = signed_in(&world, world.institution.id, ANA).await;
    assert!(browser.get("/me").await.expect(200).body.contains("/me/handover"));
    let ana = person(world.institution.id, ANA);
    let handover = sign_in::handover(&world.app, &Actor::Operator, &ana, How::Mail, None).await.unwrap();
    let phone = Browser::new(&world);
    phone.follow(&handover.link).await.redirects_to("/me");
    assert!(!phone.get("/me").await.expect(200).body.contains("/me/handover"));
    phone.post("/me/handover", &[]).await.expect(403);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sign_in_links WHERE purpose = 'handover'").await, 1);
    // Nor does it live longer when it is used.
    world.advance(59 * MINUTE);
    phone.get("/me").await.expect(200);
    world.advance(MINUTE);
    phone.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
}

#[tokio::test]
async fn a_session_that_was_handed_over_reaches_only_what_is_for_recording() {
    let world = World::on_sqlite().await;
    world.person("Ana", ANA).await;
    world.agree(world.institution.id, ANA).await;
    let ana = person(world.institution.id, ANA);
    let handover = sign_in::handover(&world.app, &Actor::Operator, &ana, How::Mail, None).await.unwrap();
    let phone = Browser::new(&world);
    phone.follow(&handover.link).await.redirects_to("/me");
    phone.get("/me").await.expect(200);
    let csrf = phone.csrf();
    let own = routes::of("me").into_iter().filter(|route| route.path.starts_with("/me"));
    let (open, closed): (Vec<_>, Vec<_>) =
        own.partition(|route| FOR_RECORDING.contains(&route.path.as_str()));
    assert_eq!(open.len(), FOR_RECORDING.len(), "FOR_RECORDING has what is no route: {open:?}");
    for route in closed {
        let path = route.filled("1");
        if route.has_get {
            phone.get(&path).await.expect(403);
        }
        if route.has_post {
            let (_, form) = FORMS.iter().find(|(listed, _)| *listed == route.path).unwrap();
            let seen = send(&phone, *form, &path, &[("csrf", &csrf)], &[]).await;
            assert!(seen.status == 403 && !is_forged(&seen), "{path}: {} {}", seen.status, seen.body);
        }
    }
}

#[tokio::test]
async fn only_the_newest_links_to_other_devices_are_valid() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    world.person("Bea", "bea@example.edu").await;
    let make = async |email: &str| {
        let whose = person(world.institution.id, email);
        let made = sign_in::handover(&world.app, &Actor::Operator, &whose, How::Mail, None).await.unwrap();
        world.advance(Duration::from_secs(1));
        made.link.strip_prefix(&world.base).unwrap().to_owned()
    };
    let other = make("bea@example.edu").await;
    let printed = link(&world, world.institution.id, ANA).await;
    let mut made = Vec::new();
    for _ in 0..7 {
        made.push(make(ANA).await);
    }
    let browser = Browser::new(&world);
    for (nth, path) in made.iter().enumerate() {
        browser.get(path).await.expect(if nth < 2 { 404 } else { 200 });
    }
    browser.get(&other).await.expect(200);
    browser.get(printed.strip_prefix(&world.base).unwrap()).await.expect(200);
}

#[tokio::test]
async fn somebody_who_is_erased_while_signing_in_gets_no_session() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let ana = person(world.institution.id, ANA);
    sessions::open(&world.app, ana.clone(), How::Mail, &[]).await.unwrap();
    persons::erase(&world.app, &Actor::Operator, world.institution.id, ANA.into(), persons::Rewrite::Now)
        .await
        .unwrap();
    assert!(matches!(sessions::open(&world.app, ana, How::Mail, &[]).await, Err(Error::Missing(_))));
    assert_eq!(number(&world, "SELECT COUNT(*) FROM sessions").await, 0);
}

#[tokio::test]
async fn cookies_have_all_attributes_over_https() {
    let base = "https://names.example.edu";
    let world = World::with(Setup { base_url: Some(base), ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    let link = link(&world, world.institution.id, ANA).await;
    let path = link.strip_prefix(&world.base).unwrap();
    let (browser, planted) = (Browser::new(&world), Browser::new(&world));
    let page = browser.get(path).await.expect(200);
    let token = browser.csrf();
    let press = async |browser: &Browser<'_>, origin: &str| {
        browser.post_bare(path, &[("csrf", &token)], &[("origin", origin)]).await
    };
    // A cookie without the prefix may have been set by another host of the domain.
    planted.set_cookie("endonym-visitor", &browser.cookie("__Host-endonym-visitor").unwrap());
    assert!(is_forged(&press(&planted, base).await));
    assert!(is_forged(&press(&browser, &world.base).await), "not the public origin");
    let answer = press(&browser, base).await.redirects_to("/me");
    let cookies = page.headers.get_all("set-cookie").iter().chain(answer.headers.get_all("set-cookie"));
    let cookies: Vec<&str> = cookies.map(|cookie| cookie.to_str().unwrap()).collect();
    // Of the visitor, of the session, no longer of the visitor, and the mark of a known browser.
    assert_eq!(cookies.len(), 4, "{cookies:?}");
    for cookie in &cookies {
        assert!(cookie.starts_with("__Host-endonym"), "{cookie}");
        for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.split("; ").any(|found| found == attribute), "{attribute}: {cookie}");
        }
        assert!(!cookie.contains("Domain"), "{cookie}");
    }
    browser.get("/me").await.expect(200);
    planted.set_cookie("endonym", &browser.cookie("__Host-endonym").unwrap());
    planted.get("/me").await.expect(303);
}

async fn claim_mail(world: &World) -> Claim {
    jobs::claim(&world.app, MINUTE, &[Lane::Mail]).await.unwrap().expect("a message is due")
}

async fn deliver(world: &World, claim: &Claim) {
    let Job::SendMail { institution, message } = claim.job else { panic!("{claim:?}") };
    outbox::deliver(&world.app, claim, institution, message).await.unwrap();
}

/// A world whose mails are written to a folder.
async fn world_with_mail() -> (World, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mail = mailer(&format!("file:{}", folder.path().display()));
    let world = World::with(Setup { mail, ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    (world, folder)
}

fn mailer(url: &str) -> Mailer {
    let (url, from) = (url.to_owned(), "names@example.edu".to_owned());
    let settings = endonym::mail::Settings { url, from, timeout: MINUTE, ca_file: None, per_minute: 600 };
    Mailer::new(&settings).unwrap()
}

/// The codes of all mails.
fn codes(folder: &tempfile::TempDir) -> Vec<String> {
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let is_code = |word: &&str| word.len() == 9 && word.chars().nth(4) == Some('-');
    let code = |path| {
        let content = std::fs::read_to_string(path).unwrap();
        content.lines().map(str::trim).find(is_code).unwrap_or_else(|| panic!("{content}")).to_owned()
    };
    files.map(code).collect()
}

/// A worker that wakes up after it has lost its lease finds the message queued, because the next worker is still talking to the mail
/// server. It must not replace the code that the other one is sending.
#[tokio::test]
async fn a_worker_without_its_lease_does_not_void_a_code() {
    let (world, folder) = world_with_mail().await;
    let browser = Browser::new(&world);
    browser.ask("", ANA).await.redirects_to("/sign-in/code");
    let stale = claim_mail(&world).await;
    world.advance(2 * MINUTE);
    let current = claim_mail(&world).await;
    let request = "SELECT id FROM sign_in_requests";
    let id: SignInRequestId = world.app.db.read().one(request, &[], |row| row.id(0)).await.unwrap().unwrap();
    // The current worker has rendered its mail, and commits it after the other one has tried to do the same.
    let SignInMail { content: mail, digests, .. } =
        sign_in::message(&world.app, id, &world.base).await.unwrap().unwrap();
    let now = world.app.clock.now();
    let stored = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { sign_in::store_digests(sql, &digests, now).await })
    });
    assert!(stored.await.unwrap());
    deliver(&world, &stale).await;
    assert_eq!(codes(&folder), [""; 0], "it sends nothing");
    browser.enter_code(&mail.code).await.redirects_to("/me");
    // The request is used by now, so there is nothing left to send.
    deliver(&world, &current).await;
    assert_eq!(codes(&folder), [""; 0]);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox").await, 0);
}

/// Nor does it count as an attempt, which would make the other one give its message up.
#[tokio::test]
async fn a_worker_without_its_lease_records_nothing() {
    let world = World::with(Setup { mail: mailer("smtp://127.0.0.1:9"), ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    Browser::new(&world).ask("", ANA).await.redirects_to("/sign-in/code");
    let stale = claim_mail(&world).await;
    world.advance(2 * MINUTE);
    let current = claim_mail(&world).await;
    let Job::SendMail { institution, message } = stale.job else { panic!("{stale:?}") };
    let attempts = "SELECT attempts FROM outbox";
    for (claim, counted) in [(&stale, 0), (&current, 1)] {
        let failed = outbox::deliver(&world.app, claim, institution, message).await;
        assert!(matches!(failed, Err(Error::Unavailable(_))), "the mail server is down");
        assert_eq!(number(&world, attempts).await, counted);
    }
    execute(&world.app.db, "UPDATE outbox SET state = 'sending'", vec![]).await;
    outbox::deliver(&world.app, &stale, institution, message).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox WHERE state = 'sending'").await, 1);
    outbox::deliver(&world.app, &current, institution, message).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox WHERE state = 'unconfirmed'").await, 1);
}

#[tokio::test]
async fn a_code_is_valid_when_its_message_is_sent() {
    let (world, folder) = world_with_mail().await;
    let browser = Browser::new(&world);
    browser.ask("", ANA).await.redirects_to("/sign-in/code");
    deliver(&world, &claim_mail(&world).await).await;
    let [code] = &codes(&folder)[..] else { panic!("one mail") };
    browser.enter_code(code).await.redirects_to("/me");
}

/// Requests without an institution belong to an address. Neither of two persons with it gets what may be about the other.
#[tokio::test]
async fn what_names_no_institution_belongs_to_the_last_person_with_the_address() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let there = world.neighbor().await;
    known_there(&world, &there, "Ana", ANA).await;
    let browser = Browser::new(&world);
    browser.ask("", ANA).await.redirects_to("/sign-in/code");
    let named = format!("?institution={}", there.institution.slug);
    Browser::new(&world).ask(&named, ANA).await.redirects_to("/sign-in/code");
    let messages = async |institution: &endonym::domain::institution::Institution| {
        let copy = persons::export(&world.app, &Actor::Operator, institution, ANA.into()).await.unwrap();
        copy.about["messages"].as_array().unwrap().len()
    };
    assert_eq!((messages(&world.institution).await, messages(&there.institution).await), (0, 1));
    let counts = async || {
        let tables = ["outbox", "sign_in_requests", "sign_in_counts"];
        let mut counted = Vec::new();
        for table in tables {
            counted.push(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await);
        }
        counted
    };
    assert_eq!(counts().await, [2, 2, 1]);
    // The other person still gets their mail, and the limit of the address is not reset.
    persons::erase(&world.app, &Actor::Operator, there.institution.id, ANA.into(), persons::Rewrite::Now)
        .await
        .unwrap();
    assert_eq!(counts().await, [1, 1, 1]);
    let mail = newest_mail(&world).await.unwrap();
    browser.enter_code(&mail.code).await.redirects_to("/me");
    // Now the address is one person's.
    assert_eq!(messages(&world.institution).await, 1);
    persons::erase(&world.app, &Actor::Operator, world.institution.id, ANA.into(), persons::Rewrite::Now)
        .await
        .unwrap();
    assert_eq!(counts().await, [0, 0, 0]);
}

/// A dead letter, as it is after all retries.
async fn die(world: &World, claim: &Claim, state: &'static str) {
    let died = "UPDATE jobs SET state = 'dead', lease = NULL, run_at = NULL WHERE id = $1";
    execute(&world.app.db, died, vec![claim.id.into()]).await;
    execute(&world.app.db, "UPDATE outbox SET state = $1", vec![state.into()]).await;
}

#[tokio::test]
async fn a_dead_job_of_a_message_is_retried_with_its_message_or_says_why_not() {
    let (world, folder) = world_with_mail().await;
    let browser = Browser::new(&world);
    browser.ask("", ANA).await.redirects_to("/sign-in/code");
    let claim = claim_mail(&world).await;
    let retry = async || jobs::retry(&world.app, &Actor::Operator, claim.id).await;
    let refused = async |reason: &str| {
        let error = retry().await.unwrap_err();
        assert!(matches!(error, Error::Invalid(_)) && error.to_string().contains(reason), "{error}");
        assert_eq!(number(&world, "SELECT COUNT(*) FROM jobs WHERE state = 'dead'").await, 1, "{reason}");
    };
    for (state, reason) in
        [("sent", "was sent"), ("unconfirmed", "endonym mail retry"), ("sending", "mail retry")]
    {
        die(&world, &claim, state).await;
        refused(reason).await;
    }
    die(&world, &claim, "failed").await;
    retry().await.unwrap();
    deliver(&world, &claim_mail(&world).await).await;
    let [code] = &codes(&folder)[..] else { panic!("one mail") };
    die(&world, &claim, "failed").await;
    world.advance(11 * MINUTE);
    refused("must request a new one").await;
    let id = world.app.db.read().one("SELECT id FROM outbox", &[], |row| row.id(0)).await.unwrap().unwrap();
    let error = outbox::retry(&world.app, &Actor::Operator, None, id).await.unwrap_err();
    assert!(error.to_string().contains("must request a new one"), "{error}");
    browser.get("/sign-in").await.expect(200);
    browser.post("/sign-in/code", &[("code", code)]).await.expect(422);
    execute(&world.app.db, "DELETE FROM outbox", vec![]).await;
    refused("was deleted").await;
}

/// The periodic job does it, also if nobody signs in any more.
#[tokio::test]
async fn what_has_expired_does_not_wait_for_the_next_sign_in() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let left = async || {
        let mut left = Vec::new();
        for table in ["sessions", "sign_in_links", "sign_in_requests", "sign_in_counts"] {
            left.push(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await);
        }
        left
    };
    let browser = signed_in(&world, world.institution.id, ANA).await;
    Browser::new(&world).ask("", ANA).await.redirects_to("/sign-in/code");
    world.work(1);
    let scheduled = "SELECT COUNT(*) FROM jobs WHERE kind = 'expire_exports'";
    until("the job is scheduled", || async { number(&world, scheduled).await == 1 }).await;
    assert_eq!(left().await, [1; 4]);
    world.advance(2 * DAY);
    until("all but the session is removed", || async { left().await == [1, 0, 0, 0] }).await;
    // Otherwise it may have looked for sessions already, before the clock moves, and would run again only an hour later.
    let waiting = "SELECT COUNT(*) FROM jobs WHERE kind = 'expire_exports' AND state = 'waiting'";
    until("the job has ended", || async { number(&world, waiting).await == 1 }).await;
    assert!(browser.session().await.is_some());
    world.advance(15 * DAY);
    until("the session is removed", || async { left().await == [0; 4] }).await;
}

/// A loop through the proxy or by links must not fill the table.
#[tokio::test]
async fn a_person_has_a_limited_number_of_sessions() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    world.person("Bea", "bea@example.edu").await;
    let bea = signed_in(&world, world.institution.id, "bea@example.edu").await;
    let mut opened = Vec::new();
    for _ in 0..53 {
        let ana = person(world.institution.id, ANA);
        opened.push(sessions::open(&world.app, ana, How::Proxy, &[]).await.unwrap().secret);
        world.advance(Duration::from_secs(1));
    }
    for (nth, secret) in opened.iter().enumerate() {
        let found = sessions::find(&world.app, &[secret.as_str()]).await.unwrap();
        assert_eq!(found.is_some(), nth >= 3, "{nth}");
    }
    assert!(bea.session().await.is_some());
}

/// Anybody can send these requests, as often as they like.
#[tokio::test]
async fn wrong_secrets_do_not_wait_for_the_writer_of_the_database() {
    let world = World::on_sqlite().await;
    let browser = Browser::new(&world);
    browser.get("/sign-in").await.expect(200);
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (start, started) = tokio::sync::oneshot::channel();
    let app = world.app.clone();
    let writing = tokio::spawn(async move {
        let write = app.db.write::<_, Error>(move |_| {
            Box::pin(async move {
                start.send(()).unwrap();
                let _ = released.recv();
                Ok(())
            })
        });
        write.await
    });
    started.await.unwrap();
    let secret = "0a".repeat(32);
    browser.get(&format!("/sso/callback?code=x&state={secret}")).await.expect(403);
    browser.post("/sign-in/code", &[("code", "AAAA-AAAA")]).await.expect(422);
    browser.post("/sign-in/choose", &[("institution", "example")]).await.expect(403);
    browser.post(&format!("/sign-in/link/{secret}"), &[]).await.expect(404);
    assert!(!writing.is_finished());
    release.send(()).unwrap();
    writing.await.unwrap().unwrap();
}

/// Without a mail server nobody takes messages: the addresses of unknown people and the jobs would pile up.
#[tokio::test]
async fn messages_that_no_worker_takes_are_removed_with_their_jobs() {
    let world = World::new().await;
    for email in [ANA, "nobody@example.org"] {
        Browser::new(&world).ask("", email).await.redirects_to("/sign-in/code");
    }
    world.advance(30 * MINUTE);
    Browser::new(&world).ask("", "new@example.org").await.redirects_to("/sign-in/code");
    outbox::remove_old(&world.app).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox").await, 3, "a worker may still take them");
    world.advance(45 * MINUTE);
    outbox::remove_old(&world.app).await.unwrap();
    let left =
        world.app.db.read().rows("SELECT email_key FROM outbox", &[], |row| row.text(0)).await.unwrap();
    assert_eq!(left, ["new@example.org"]);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM jobs WHERE kind = 'send_mail'").await, 1);
}
