//! `/p/{slug}`: what visitors see of a page.

use endonym::{
    app::{Actor, institutions, name_pages, page_settings::Change},
    domain::{
        name_page::NamePageRef,
        page_settings::{Asking, Listen, Register},
    },
};
use reqwest::Method;

use super::{ANA, in_seconds, make_manager, people::signed_in, set};
use crate::{me::Browser, support::World};

async fn allow_origin(world: &World, origin: &str) {
    let change = institutions::Change { allow_origins: vec![origin.into()], ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
}

#[tokio::test]
async fn a_page_says_what_it_is_about_and_what_it_asks_for() {
    let world = World::new().await;
    world.editable_field("gender_pronouns", "Pronouns").await;
    world.editable_field("degree", "Degree <b>").await;
    set(
        &world,
        Change {
            description: Some("First <i>line</i>\n\nSecond".into()),
            date: Some("2027-06-12".into()),
            register: Some(Register::Open),
            asked: vec![("custom_degree".into(), Asking::Required), ("photo".into(), Asking::Off)],
            ..Change::default()
        },
    )
    .await;
    let page = Browser::new(&world).get("/p/class-of-2027").await.expect(200);
    for part in [
        "<h1><bdi>Class of 2027</bdi></h1>",
        "Example University",
        "First &lt;i&gt;line&lt;/i&gt;",
        "2027-06-12",
        "<li><bdi>Your name</bdi></li>",
        "<li><bdi>Degree &lt;b&gt;</bdi></li>",
        "<bdi>Pronouns</bdi> <span class=\"optional\">(optional)</span>",
        "<bdi>Phonetic spelling</bdi> <span class=\"optional\">(optional)</span>",
    ] {
        let escaped = page.body.replace("&#60;", "&lt;").replace("&#62;", "&gt;");
        assert!(escaped.contains(part), "{part}: {}", page.body);
    }
    assert!(!page.body.contains("A photo") && !page.body.contains("<bdi>Notes</bdi>"));
    let header = |name: &str| page.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("x-robots-tag"), "noindex");
    assert_eq!(header("x-frame-options"), "DENY");
    assert!(header("content-security-policy").ends_with("frame-ancestors 'none'"));
    assert!(!page.body.contains("<script"), "everything works without JavaScript");
}

#[tokio::test]
async fn visitors_read_the_page_in_their_language() {
    let world = World::new().await;
    let mut browser = Browser::new(&world);
    browser.headers = vec![("accept-language", "ar".to_owned())];
    let page = browser.get("/p/class-of-2027").await.expect(200);
    assert!(page.body.contains("<html lang=\"ar\" dir=\"rtl\">"), "{}", page.body);
    let page = browser.get("/p/class-of-2027?lang=de").await.expect(200);
    assert!(page.body.contains("<html lang=\"de\" dir=\"ltr\">"));
}

#[tokio::test]
async fn only_the_institutions_own_sites_frame_a_page() {
    let world = World::new().await;
    allow_origin(&world, "https://portal.example.edu").await;
    let mut browser = Browser::new(&world);
    let page = browser.get("/p/class-of-2027").await.expect(200);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("frame-ancestors https://portal.example.edu"), "{policy}");
    assert!(page.headers.get("x-frame-options").is_none());
    assert!(page.body.contains("name=\"email\""));
    // Nobody frames the pages where people record or manage.
    make_manager(&world, ANA).await;
    world.person("Ana", ANA).await;
    let mut manager = signed_in(&world, world.institution.id, ANA).await;
    for below in ["own", "invitations", "moderation", "import", "export", "poster"] {
        let page = manager.get(&format!("/p/class-of-2027/{below}")).await.expect(200);
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{below}: {policy}");
        assert_eq!(page.headers["x-frame-options"], "DENY", "{below}");
    }
    // In a frame of another site, cookies do not work, and so no form does.
    browser.headers = vec![("sec-fetch-dest", "iframe".to_owned())];
    let framed = browser.get("/p/class-of-2027").await.expect(200);
    assert!(!framed.body.contains("name=\"email\""), "{}", framed.body);
    assert!(framed.body.contains("href=\"/p/class-of-2027\" target=\"_blank\""), "{}", framed.body);
    // On a site of the same domain, sessions do work, but nothing may lead to a page that cannot be shown there.
    manager.headers.clone_from(&browser.headers);
    let framed = manager.get("/p/class-of-2027").await.expect(200);
    assert!(framed.body.contains("href=\"/p/class-of-2027\" target=\"_blank\""), "{}", framed.body);
    for below in ["own", "invitations"] {
        assert!(!framed.body.contains(&format!("/p/class-of-2027/{below}\"")), "{below}: {}", framed.body);
    }
}

#[tokio::test]
async fn a_page_is_found_by_its_public_names_only() {
    let world = World::new().await;
    let browser = Browser::new(&world);
    let code = world.page.event_code.clone();
    let by_code = browser.get(&format!("/p/{}", code.to_lowercase())).await;
    by_code.redirects_to(&format!("/p/class-of-2027?code={code}"));
    browser.get("/p/Class-Of-2027").await.redirects_to("/p/class-of-2027");
    for unknown in [
        world.page.access_code.as_str(),
        &world.page.id.to_string(),
        "nothing-here",
        "%ff",
        "..%2f..%2fme",
        &"a".repeat(5_000),
    ] {
        let seen = browser.get(&format!("/p/{unknown}")).await;
        assert_eq!(seen.status, 404, "{unknown}");
        assert!(!seen.body.contains("Class of 2027"), "{unknown}");
    }
}

#[tokio::test]
async fn the_event_code_of_a_link_is_filled_in() {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Code), ..Change::default() }).await;
    let page = Browser::new(&world).get("/p/class-of-2027?code=a%22b").await.expect(200);
    assert!(page.body.contains("name=\"code\" value=\"a&#34;b\""), "{}", page.body);
    assert!(!page.body.contains(&world.page.event_code), "the page does not tell the code");
}

#[tokio::test]
async fn a_closed_page_and_an_archived_one_say_so_in_friendly_words() {
    let world = World::new().await;
    let get = async || Browser::new(&world).get("/p/class-of-2027").await.expect(200).body;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    set(&world, Change { closes: in_seconds(&world, 3_600), ..Change::default() }).await;
    let open = get().await;
    assert!(open.contains("Please record your name before") && open.contains("America/New_York"), "{open}");
    assert!(open.contains("What we ask of you"));
    world.advance(std::time::Duration::from_secs(3_601));
    let closed = get().await;
    assert!(closed.contains("This page closed on"), "{closed}");
    assert!(!closed.contains("What we ask of you"));
    assert!(closed.contains("If you are registered, enter your email address"), "{closed}");
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let institution = world.institution.id;
    name_pages::archive(&world.app, &Actor::Operator, institution, &page, true).await.unwrap();
    assert!(get().await.contains("This page is archived."));
}

#[tokio::test]
async fn whoever_is_registered_is_led_to_their_entry_and_only_listeners_to_the_names() {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    let browser = Browser::new(&world);
    let visitor = browser.get("/p/class-of-2027").await.expect(200);
    assert!(!visitor.body.contains("/p/class-of-2027/people"), "only those who are registered may listen");
    browser.register(&world, "class-of-2027", ANA, "Ana").await;
    let page = browser.get("/p/class-of-2027").await.expect(200);
    assert!(page.body.contains("href=\"/p/class-of-2027/own\""), "{}", page.body);
    assert!(page.body.contains("href=\"/p/class-of-2027/people\""), "{}", page.body);
    assert!(!page.body.contains("/p/class-of-2027/moderation"));
    set(&world, Change { listen: Some(Listen::Link), ..Change::default() }).await;
    let visitor = Browser::new(&world).get("/p/class-of-2027").await.expect(200);
    assert!(visitor.body.contains("/p/class-of-2027/people"));
}

#[tokio::test]
async fn managers_find_what_they_do() {
    let world = World::new().await;
    make_manager(&world, "mia@example.edu").await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("?return_to=/p/class-of-2027", "mia@example.edu").await;
    browser.enter_code(&mail.code).await.redirects_to("/p/class-of-2027");
    let page = browser.get("/p/class-of-2027").await.expect(200);
    for below in ["people", "invitations", "moderation", "import", "export", "poster"] {
        assert!(page.body.contains(&format!("href=\"/p/class-of-2027/{below}\"")), "{below}: {}", page.body);
    }
}

/// Somebody who is signed in to another institution is a visitor here.
#[tokio::test]
async fn a_session_of_another_institution_does_not_count() {
    let world = World::new().await;
    let there = world.neighbor().await;
    world.person("Ana", ANA).await;
    let browser = Browser::new(&world);
    let mail = browser.mailed("", ANA).await;
    browser.enter_code(&mail.code).await.redirects_to("/me");
    let page = browser.get(&format!("/p/{}", there.page.slug)).await.expect(200);
    assert!(page.body.contains("name=\"email\"") && !page.body.contains(ANA), "{}", page.body);
    let own = format!("/p/{}/own", there.page.slug);
    browser.get(&own).await.redirects_to(&format!("/p/{}", there.page.slug));
    let head = browser.ask_for(Method::HEAD, &format!("/p/{}", there.page.slug)).await;
    assert_eq!(head.status, 200);
}
