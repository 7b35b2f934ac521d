//! What others must not be able to do with name pages. Every route of the face is covered: a new form fails a test until it is in
//! the table.

use std::collections::BTreeSet;

use endonym::{app::page_settings::Change, domain::page_settings::Register};

use super::{ANA, make_manager, set};
use crate::{
    me::Browser,
    support::{
        World,
        forms::{Form, check_forgeries, is_forged},
        routes,
        snapshot::rows,
    },
};

/// Every POST route of the face that people send.
const FORMS: &[(&str, Form)] = &[
    ("/p/{slug}", Form::Visitor),
    ("/p/{slug}/register", Form::Session),
    ("/p/{slug}/own/consent", Form::Session),
    ("/p/{slug}/own/details", Form::Session),
    ("/p/{slug}/own/handover", Form::Session),
    ("/p/{slug}/own/photo", Form::Upload),
    ("/p/{slug}/own/recording", Form::Upload),
];

/// Forms of managers. A session without the role finds no page there.
const OF_MANAGERS: &[&str] = &[
    "/p/{slug}/import",
    "/p/{slug}/import/{id}",
    "/p/{slug}/import/{id}/run",
    "/p/{slug}/import/{id}/undo",
    "/p/{slug}/invitations",
    "/p/{slug}/invitations/{id}/again",
    "/p/{slug}/invitations/{id}/withdraw",
    "/p/{slug}/messages",
    "/p/{slug}/moderation/{id}",
];

/// Forms of listeners and of personal links, which have tests of their own.
const ELSEWHERE: &[&str] = &[
    "/i/{token}",
    "/i/{token}/opened",
    "/p/{slug}/people/{id}/ask",
    "/p/{slug}/people/{id}/report",
    "/u/{token}",
];

/// The pages that record. All others may not use the microphone.
const RECORDING: &[&str] = &["/p/{slug}/own"];

const SLUG: &str = "class-of-2027";

#[test]
fn every_form_of_the_face_is_in_the_table() {
    let declared =
        routes::of("name_pages").into_iter().filter(|route| route.has_post).map(|route| route.path);
    let listed = FORMS.iter().map(|(path, _)| path).chain(OF_MANAGERS).chain(ELSEWHERE);
    let listed = listed.map(|path| (*path).to_owned());
    assert_eq!(declared.collect::<BTreeSet<_>>(), listed.collect::<BTreeSet<_>>());
}

async fn signed_in<'a>(world: &'a World, email: &str) -> Browser<'a> {
    let browser = Browser::new(world);
    browser.register(world, SLUG, email, "Ana").await;
    browser.agree_on(SLUG).await;
    browser
}

#[tokio::test]
async fn a_form_of_another_site_or_session_changes_nothing() {
    let world = World::on_sqlite().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    for (nth, (path, form)) in FORMS.iter().enumerate() {
        let path = path.replace("{slug}", SLUG);
        let (browser, other) = match form {
            Form::Visitor => (Browser::new(&world), Browser::new(&world)),
            Form::Session | Form::Upload => (
                signed_in(&world, &format!("a{nth}@example.edu")).await,
                signed_in(&world, &format!("b{nth}@example.edu")).await,
            ),
        };
        for one in [&browser, &other] {
            one.get("/p/class-of-2027").await.expect(200);
        }
        let more = [("email", ANA), ("first_name", "Forged"), ("version", "endonym-1")];
        check_forgeries(&world, (&browser, &other), (&path, *form), &more).await;
    }
}

#[tokio::test]
async fn only_a_manager_sends_the_forms_of_managers_and_no_other_site_does_for_them() {
    let world = World::on_sqlite().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    make_manager(&world, "mia@example.edu").await;
    let (ana, mia) = (signed_in(&world, ANA).await, signed_in(&world, "mia@example.edu").await);
    for one in [&ana, &mia] {
        one.get("/p/class-of-2027").await.expect(200);
    }
    let before = rows(&world, None).await;
    for path in OF_MANAGERS {
        let path = path.replace("{slug}", SLUG).replace("{id}", "1");
        let own = ana.csrf();
        let base = world.base.clone();
        let headers = [("origin", base.as_str()), ("sec-fetch-site", "same-origin")];
        ana.post_bare(&path, &[("csrf", own.as_str())], &headers).await.expect(404);
        let visitor = Browser::new(&world).post_bare(&path, &[("csrf", own.as_str())], &headers).await;
        assert!(visitor.expect(303).location().starts_with("/sign-in?"), "{path}");
        // Forms with files are refused for their encoding.
        let foreign = mia.post_bare(&path, &[("csrf", own.as_str())], &headers).await;
        assert!(foreign.status.is_client_error(), "{path}: {}", foreign.status);
        let evil = [("origin", "https://evil.example")];
        let forged = mia.post_bare(&path, &[("csrf", &mia.csrf())], &evil).await;
        assert!(is_forged(&forged), "{path}: {} {}", forged.status, forged.body);
    }
    assert_eq!(rows(&world, None).await, before);
}

#[tokio::test]
async fn every_page_has_the_headers_that_protect_it() {
    let world = World::on_sqlite().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    let (ana, visitor) = (signed_in(&world, ANA).await, Browser::new(&world));
    for route in routes::of("name_pages").iter().filter(|route| route.has_get) {
        for (browser, with) in [(&ana, SLUG), (&visitor, SLUG), (&ana, "1"), (&visitor, "1")] {
            let path = route.filled(with);
            let seen = browser.get(&path).await;
            let header = |name: &str| seen.headers.get(name).map(|value| value.to_str().unwrap());
            assert!(header("cache-control").is_some_and(|value| value.contains("no-store")), "{path}");
            let kind = header("content-type").unwrap_or_default();
            if seen.status.is_redirection() || !kind.starts_with("text/html") {
                continue;
            }
            assert_eq!(header("x-robots-tag"), Some("noindex"), "{path}");
            assert_eq!(header("x-frame-options"), Some("DENY"), "{path}");
            assert_eq!(header("referrer-policy"), Some("same-origin"), "{path}");
            let policy = header("content-security-policy").unwrap();
            assert!(
                policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"),
                "{path}: {policy}"
            );
            let records = RECORDING.contains(&route.path.as_str()) && seen.status == 200;
            let microphone = if records { "microphone=(self)" } else { "microphone=()" };
            assert_eq!(header("permissions-policy"), Some(microphone), "{path}");
            for inline in ["<style", " style=\"", " onclick=", "javascript:"] {
                assert!(!seen.body.contains(inline), "{path}: {inline}");
            }
        }
    }
}

/// Input of any size and kind gets an answer.
#[tokio::test]
async fn hostile_input_is_answered() {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    let ana = signed_in(&world, ANA).await;
    let huge = "x".repeat(100_000);
    for (path, fields) in [
        ("/p/class-of-2027/own/details", [("first_name", huge.as_str()), ("phonetic", "a")]),
        ("/p/class-of-2027/own/details", [("first_name", "A"), ("phonetic", huge.as_str())]),
        ("/p/class-of-2027/own/details", [("first_name", "A\u{202e}"), ("phonetic", "\u{0}")]),
    ] {
        ana.get("/p/class-of-2027/own").await.expect(200);
        ana.post(path, &fields).await.expect(422);
    }
    let visitor = Browser::new(&world);
    for email in [huge.as_str(), "\u{0}@example.edu", "a@b@c", "<script>@example.edu"] {
        visitor.get("/p/class-of-2027").await.expect(200);
        let seen = visitor.post("/p/class-of-2027", &[("email", email)]).await.expect(422);
        assert!(!seen.body.contains("<script>"), "{}", &seen.body[..200]);
    }
    let enormous = "x".repeat(300_000);
    visitor.get("/p/class-of-2027").await.expect(200);
    visitor.post("/p/class-of-2027", &[("email", &enormous)]).await.expect(403);
}
