//! `/u/{token}`: stopping messages with the link in them.

use endonym::{
    app::{institutions, opt_outs},
    domain::{ids::InstitutionId, session::PersonId},
};
use reqwest::{Method, StatusCode};

use crate::{
    me::Browser,
    support::{World, snapshot},
};

const ANA: &str = "ana@example.edu";

fn link_in(world: &World, institution: InstitutionId, email_key: &str) -> String {
    let person = PersonId { institution, email_key: email_key.into() };
    let link = opt_outs::link(&world.app, &world.base, &person).unwrap();
    link.strip_prefix(&world.base).unwrap().to_owned()
}

fn link(world: &World) -> String {
    link_in(world, world.institution.id, ANA)
}

async fn opt_outs_of(world: &World) -> Vec<(i64, String)> {
    let text = "SELECT institution_id, email_key FROM mail_opt_outs ORDER BY institution_id, email_key";
    world.app.db.read().rows(text, &[], |row| Ok((row.int(0)?, row.text(1)?))).await.unwrap()
}

#[tokio::test]
async fn opening_the_link_changes_nothing() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let (browser, path) = (Browser::new(&world), link(&world));
    let before = snapshot::rows(&world, None).await;
    let page = browser.get(&path).await.expect(200);
    browser.ask_for(Method::HEAD, &path).await.expect(200);
    assert!(page.body.contains("Stop messages") && page.body.contains(&world.institution.name));
    assert!(page.body.contains("a•••@example.edu") && !page.body.contains(ANA), "{}", page.body);
    for (name, value) in [
        ("x-robots-tag", "noindex"),
        ("cache-control", "no-store"),
        ("x-frame-options", "DENY"),
        ("permissions-policy", "microphone=()"),
    ] {
        assert_eq!(page.headers[name], value);
    }
    assert!(!page.headers.contains_key("set-cookie"), "no cookie is needed");
    assert!(!page.body.contains("<script"), "{}", page.body);
    assert_eq!(snapshot::rows(&world, None).await, before);
    assert!(opt_outs_of(&world).await.is_empty());
}

#[tokio::test]
async fn one_click_in_a_mail_program_takes_effect_at_once() {
    let world = World::new().await;
    let path = link(&world);
    // Without cookies, and from no site or another one.
    for headers in [&[][..], &[("origin", "null")], &[("sec-fetch-site", "cross-site")]] {
        let browser = Browser::new(&world);
        let fields = [("List-Unsubscribe", "One-Click")];
        let page = browser.post_bare(&path, &fields, headers).await.expect(200);
        assert!(page.body.contains("Receive messages again"), "{}", page.body);
        assert_eq!(opt_outs_of(&world).await, [(world.institution.id.get(), ANA.to_owned())]);
    }
}

#[tokio::test]
async fn one_click_may_be_sent_as_multipart_or_without_a_body() {
    let world = World::new().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let multipart =
        "--b\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--b--\r\n";
    for (number, (kind, body)) in
        [("multipart/form-data; boundary=b", multipart), ("", ""), ("application/json", "{}")]
            .into_iter()
            .enumerate()
    {
        let path = link_in(&world, world.institution.id, &format!("p{number}@example.edu"));
        let mut request = client.post(format!("{}{path}", world.base)).body(body);
        if !kind.is_empty() {
            request = request.header("content-type", kind);
        }
        assert_eq!(request.send().await.unwrap().status(), StatusCode::OK, "{kind}");
        assert_eq!(opt_outs_of(&world).await.len(), number + 1, "{kind}");
    }
}

#[tokio::test]
async fn the_page_stops_messages_and_can_undo_it() {
    let world = World::new().await;
    let (browser, path) = (Browser::new(&world), link(&world));
    browser.get(&path).await.expect(200);
    browser.post(&path, &[("do", "stop")]).await.redirects_to(&path);
    browser.post(&path, &[("do", "stop")]).await.redirects_to(&path);
    assert_eq!(opt_outs_of(&world).await.len(), 1);
    let page = browser.get(&path).await.expect(200);
    assert!(page.body.contains("sends no more messages to"), "{}", page.body);
    browser.post(&path, &[("do", "start")]).await.redirects_to(&path);
    assert!(opt_outs_of(&world).await.is_empty());
    assert!(browser.get(&path).await.expect(200).body.contains("Stop messages"));
    // An old link works as well as a new one.
    browser.post(&link(&world), &[("do", "stop")]).await;
    assert!(browser.get(&path).await.expect(200).body.contains("Receive messages again"));
}

#[tokio::test]
async fn twenty_requests_at_once_stop_messages_once() {
    let world = World::new().await;
    let path = link(&world);
    let browsers: Vec<Browser<'_>> = (0..20).map(|_| Browser::new(&world)).collect();
    let sent =
        browsers.iter().map(|browser| browser.post_bare(&path, &[("List-Unsubscribe", "One-Click")], &[]));
    for page in futures_util::future::join_all(sent).await {
        page.expect(200);
    }
    assert_eq!(opt_outs_of(&world).await.len(), 1);
}

#[tokio::test]
async fn a_link_stops_messages_of_one_institution_to_one_address() {
    let world = World::new().await;
    let other = institutions::New {
        name: "Other".into(),
        slug: None,
        time_zone: "UTC".into(),
        multiple_recordings: false,
        phone_language: String::new(),
    };
    let other = institutions::create(&world.app, &endonym::app::Actor::Operator, other).await.unwrap().id;
    let browser = Browser::new(&world);
    browser.post(&link_in(&world, other, ANA), &[("do", "stop")]).await;
    assert_eq!(opt_outs_of(&world).await, [(other.get(), ANA.to_owned())]);
    assert!(browser.get(&link(&world)).await.expect(200).body.contains("Stop messages"));
}

#[tokio::test]
async fn a_link_that_is_not_ours_says_nothing_and_changes_nothing() {
    let world = World::new().await;
    let (browser, path) = (Browser::new(&world), link(&world));
    let token = path.strip_prefix("/u/").unwrap();
    let changed: String = token.chars().rev().collect();
    let gone = link_in(&world, InstitutionId::new(999_999), ANA);
    for path in [
        "/u/x".to_owned(),
        format!("/u/{changed}"),
        format!("/u/{}", &token[..token.len() - 4]),
        format!("/u/{token}A"),
        format!("/u/{}", "A".repeat(5_000)),
        "/u/%00".to_owned(),
        "/u/..%2f..%2fme".to_owned(),
        "/u/%F0%9F%8E%93".to_owned(),
        gone,
    ] {
        for page in [browser.get(&path).await, browser.post(&path, &[("do", "stop")]).await] {
            // An oversized or undecodable path never reaches the page.
            assert!(page.status.is_client_error() || page.status.is_redirection(), "{path}: {}", page.status);
            assert!(!page.body.contains(&world.institution.name), "{path}");
        }
    }
    let page = browser.get("/u/x").await.expect(404).body;
    assert!(page.contains("Go to the home page"), "it leads on: {page}");
    assert!(opt_outs_of(&world).await.is_empty());
}

#[tokio::test]
async fn the_page_speaks_the_visitors_language() {
    let world = World::new().await;
    let mut browser = Browser::new(&world);
    browser.headers.push(("accept-language", "ar".into()));
    let page = browser.get(&link(&world)).await.expect(200);
    assert!(page.body.contains("<html lang=\"ar\" dir=\"rtl\">") && page.body.contains("إيقاف الرسائل"));
}
