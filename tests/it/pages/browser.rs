//! Snippets, players and badges in a real browser: a click plays, and only one sound plays at a time.

use axum::{Router, response::Html, routing::get};
use endonym::domain::media::Kind;
use serde_json::{Value, json};

use super::SOUND;
use crate::support::{Setup, World, browser::Browser};

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";

/// A page of another site, which embeds raw HTML. `localhost` is another site than our `127.0.0.1`. Like on many sites,
/// its style removes focus outlines.
async fn host(parts: &[&str]) -> String {
    host_with_policy(parts, "default-src * 'unsafe-inline'").await
}

/// The same with a Content Security Policy. The page's own script is called `ours`.
async fn host_with_policy(parts: &[&str], policy: &'static str) -> String {
    let parts = json!(parts).to_string().replace('<', "\\u003c");
    let page = format!(
        "<!doctype html><html lang=\"en\"><title>A directory</title><style>a, svg {{ outline: none; margin: 2em; color: #ccc; \
         fill: #ccc }}</style><main><h1>A directory</h1></main><script nonce=\"ours\">for (const part of {parts}) {{ const place = document.createElement('div'); \
         place.innerHTML = part; document.querySelector('main').append(place) }}</script></html>"
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router =
        Router::new().route("/", get(async move || ([("Content-Security-Policy", policy)], Html(page))));
    tokio::spawn(async { axum::serve(listener, router).await });
    format!("http://localhost:{port}/")
}

async fn recorded(world: &World, name: &str) -> Value {
    let email = format!("{}@example.edu", name.to_lowercase());
    let person = world.person(name, &email).await;
    world.give(&person, Kind::Recording, SOUND).await;
    let body =
        world.get(&format!("/v5/participants?include=embeddables&email_list={email}")).await.expect(200);
    body["Response"]["participants"][0].clone()
}

fn html<'a>(record: &'a Value, key: &str) -> &'a str {
    record[key].as_str().unwrap()
}

/// A sound that is playing continues.
fn heard(sound: &str) -> String {
    format!("!({sound}).paused && ({sound}).currentTime > 0.2")
}

fn nth(n: usize) -> String {
    format!("document.querySelectorAll('div > a > audio')[{n}]")
}

#[tokio::test]
async fn a_snippet_in_a_page_of_another_site_plays_and_stops_by_mouse() {
    let world = World::on_sqlite().await;
    let ana = recorded(&world, "Ana").await;
    let browser = Browser::start().await;
    browser.go(&host(&[html(&ana, "embed_image"); 3]).await).await;
    let place =
        "JSON.stringify([...document.querySelectorAll('a, svg')].map(b => b.getBoundingClientRect()))";
    let before = browser.value(place).await;
    browser.click("div:nth-of-type(2) > a").await;
    browser.until(&heard(&nth(1))).await;
    let pressed = "[...document.querySelectorAll('a')].map(a => a.ariaPressed).join()";
    assert_eq!(browser.value(pressed).await, ",true,");
    assert_eq!(browser.value(place).await, before, "nothing moves");
    browser.click("div:nth-of-type(2) > a").await;
    browser.until(&format!("{0}.paused && {0}.currentTime === 0", nth(1))).await;
    browser.until(&format!("{pressed} === ',false,'")).await;
    // It ends by itself, too, and can be played again.
    browser.click("div:nth-of-type(3) > a").await;
    browser.until(&heard(&nth(2))).await;
    browser.value(&format!("{}.currentTime = 5.5", nth(2))).await;
    browser.until(&format!("{}.paused && {pressed} === ',false,false'", nth(2))).await;
    browser.click("div:nth-of-type(3) > a").await;
    browser.until(&format!("{} && {}.currentTime < 5", heard(&nth(2)), nth(2))).await;
}

#[tokio::test]
async fn the_keyboard_plays_a_snippet_and_its_focus_can_be_seen() {
    let world = World::on_sqlite().await;
    let ana = recorded(&world, "Ana").await;
    let browser = Browser::start().await;
    browser.go(&host(&[html(&ana, "embed_image"); 2]).await).await;
    browser.press(TAB).await;
    assert_eq!(browser.value("getComputedStyle(document.activeElement).outlineStyle").await, "solid");
    browser.press(ENTER).await;
    browser.until(&heard(&nth(0))).await;
    browser.press(TAB).await;
    browser.press(SPACE).await;
    browser.until(&heard(&nth(1))).await;
    browser.until(&format!("{}.paused", nth(0))).await;
    assert_eq!(
        browser.value("getComputedStyle(document.querySelector('div > a')).outlineStyle").await,
        "none"
    );
}

/// A policy without `unsafe-inline` blocks inline handlers: then a snippet works as a plain link.
#[tokio::test]
async fn where_a_page_forbids_inline_handlers_a_snippet_leads_to_the_player() {
    let world = World::on_sqlite().await;
    let ana = recorded(&world, "Ana").await;
    let policy = "script-src 'nonce-ours'; style-src 'unsafe-inline'";
    let directory = host_with_policy(&[html(&ana, "embed_image")], policy).await;
    let snippet = html(&ana, "embed_image");
    let player = snippet.split("href=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    for by_keyboard in [false, true] {
        let browser = Browser::start().await;
        browser.go(&directory).await;
        if by_keyboard {
            browser.press(TAB).await;
            browser.press(ENTER).await;
        } else {
            browser.click("div > a").await;
        }
        browser.enter_new_window().await;
        browser.until(&format!("location.href === '{player}' && document.readyState === 'complete'")).await;
        browser.click("button").await;
        browser.until(&heard("document.querySelector('audio')")).await;
    }
}

/// Regardless of the page's own styles for links and images.
#[tokio::test]
async fn every_icon_has_one_colour_in_snippets_and_players() {
    let world = World::on_sqlite().await;
    recorded(&world, "Ana").await;
    let browser = Browser::start().await;
    let mut seen = std::collections::BTreeSet::new();
    for code in 0..4 {
        let body =
            world.get(&format!("/v5/participants?include=embeddables&icon_code={code}")).await.expect(200);
        let ana = &body["Response"]["participants"][0];
        browser.go(&host(&[html(ana, "embed_image"), html(ana, "embed_iframe")]).await).await;
        let ink = |path: &str| {
            format!(
                "(({{fill, stroke, strokeWidth}}) => JSON.stringify([fill, stroke, strokeWidth]))\
                     (getComputedStyle(document.querySelector('{path}')))"
            )
        };
        let outside = browser.value(&ink("div > a path")).await;
        browser.enter(Some("iframe")).await;
        assert_eq!(browser.value(&ink("button path")).await, outside, "icon {code}");
        browser.enter(None).await;
        assert!(outside.as_str().unwrap().contains("rgb(26, 138, 114)"), "icon {code}: {outside}");
        seen.insert(outside.to_string());
    }
    assert_eq!(seen.len(), 2, "filled, or drawn in lines: {seen:?}");
}

#[tokio::test]
async fn of_snippets_and_iframes_in_one_page_one_is_heard_at_a_time() {
    let world = World::on_sqlite().await;
    let (ana, bo) = (recorded(&world, "Ana").await, recorded(&world, "Bo").await);
    let browser = Browser::start().await;
    let sandboxed = html(&bo, "embed_iframe").replace("<iframe ", "<iframe sandbox=\"allow-scripts\" ");
    let parts = [html(&ana, "embed_image"), html(&bo, "embed_image"), html(&ana, "embed_iframe"), &sandboxed];
    browser.go(&host(&parts).await).await;
    let frames = ["div:nth-of-type(3) > iframe", "div:nth-of-type(4) > iframe"];
    let inside = "document.querySelector('audio')";

    browser.click("div:nth-of-type(1) > a").await;
    browser.until(&heard(&nth(0))).await;
    browser.click("div:nth-of-type(2) > a").await;
    browser.until(&heard(&nth(1))).await;
    browser.until(&format!("{}.paused", nth(0))).await;

    browser.enter(Some(frames[0])).await;
    browser.click("button").await;
    browser.until(&heard(inside)).await;
    assert_eq!(browser.value("document.querySelector('button').ariaPressed").await, "true");
    browser.enter(None).await;
    browser.until(&format!("{}.paused", nth(1))).await;

    browser.enter(Some(frames[1])).await;
    browser.click("button").await;
    browser.until(&heard(inside)).await;
    browser.enter(None).await;
    browser.enter(Some(frames[0])).await;
    browser.until(&format!("{inside}.paused && {inside}.currentTime === 0")).await;
    assert_eq!(browser.value("document.querySelector('button').ariaPressed").await, "false");

    browser.enter(None).await;
    browser.click("div:nth-of-type(1) > a").await;
    browser.until(&heard(&nth(0))).await;
    browser.enter(Some(frames[1])).await;
    browser.until(&format!("{inside}.paused")).await;
}

#[tokio::test]
async fn a_snippet_and_a_player_whose_recording_is_gone_say_so() {
    let world = World::on_sqlite().await;
    let ana = recorded(&world, "Ana").await;
    let dead = html(&ana, "embed_image").replace("/recording_", "/recording_0");
    let browser = Browser::start().await;
    browser.go(&host(&[&dead]).await).await;
    let says_so = |which: &str| {
        format!("{which}.title.includes('cannot be played') && {which}.ariaPressed === 'false'")
    };
    let label = "document.querySelector('div > a').ariaLabel";
    browser.click("div > a").await;
    browser.until(&says_so("document.querySelector('div > a')")).await;
    assert_eq!(browser.value(label).await, "Play the name of Ana (it cannot be played just now)");
    // When the file is available again, it plays.
    let link = html(&ana, "recording_link");
    browser.value(&format!("document.querySelector('audio').src = '{link}'")).await;
    browser.click("div > a").await;
    browser.until(&heard(&nth(0))).await;
    assert_eq!(browser.value(label).await, "Play the name of Ana");
    world.record(&world.page, "ana@example.edu", &"0".repeat(32), 1_767_225_600_000_000).await;
    browser.go(&html(&ana, "name_badge_link").replace("/badges/", "/players/")).await;
    browser.click("button").await;
    browser.until(&says_so("document.querySelector('button')")).await;
    browser.go(html(&ana, "name_badge_link")).await;
    browser.click(".play").await;
    browser.until("document.querySelector('.fault').textContent.includes('cannot be played')").await;
}

#[tokio::test]
async fn where_a_picture_of_ones_own_cannot_be_had_a_sign_takes_its_place_and_plays() {
    let world = World::on_sqlite().await;
    recorded(&world, "Ana").await;
    let picture = format!("include=embeddables&play_button_img_url={}/none.png", world.base);
    let body = world.get(&format!("/v5/participants?{picture}")).await.expect(200);
    let ana = &body["Response"]["participants"][0];
    let browser = Browser::start().await;
    browser.go(&host(&[html(ana, "embed_image"), html(ana, "embed_iframe")]).await).await;
    browser.until("document.querySelector('div > a').textContent.endsWith('▶')").await;
    browser.click("div > a").await;
    browser.until(&heard(&nth(0))).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('button').textContent.endsWith('▶')").await;
    browser.click("button").await;
    browser.until(&heard("document.querySelector('audio')")).await;
}

#[tokio::test]
async fn a_badge_plays_shows_how_far_and_plays_one_name_at_a_time() {
    let world = World::with(Setup { multiple_recordings: true, sqlite: true, ..Setup::default() }).await;
    let ana = recorded(&world, "Ana").await;
    world.give(&ana, Kind::LegalRecording, SOUND).await;
    let browser = Browser::start().await;
    browser.go(html(&ana, "name_badge_link")).await;
    assert_eq!(browser.value("document.querySelector('audio').controls").await, false);
    let [first, second] = [0, 1].map(|n| format!("document.querySelectorAll('audio')[{n}]"));
    browser.click(".play").await;
    browser.until(&heard(&first)).await;
    browser.until("document.querySelector('clipPath rect').getAttribute('width') > 5").await;
    assert_eq!(browser.value("document.querySelector('.play').ariaPressed").await, "true");
    browser.click(".legal .play").await;
    browser.until(&heard(&second)).await;
    browser.until(&format!("{first}.paused && {first}.currentTime === 0")).await;
    browser.press(SPACE).await;
    browser.until(&format!("{second}.paused")).await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");
}

#[allow(clippy::disallowed_methods)]
pub fn axe() -> String {
    let how = "set ENDONYM_TEST_AXE to the path of axe.min.js (docs/testing.md says where to get it)";
    let path = std::env::var("ENDONYM_TEST_AXE").unwrap_or_else(|_| panic!("{how}"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}; {how}"))
}

#[tokio::test]
async fn axe_finds_nothing_wrong_with_badges_players_and_snippets() {
    let axe = axe();
    let world = World::with(Setup { multiple_recordings: true, sqlite: true, ..Setup::default() }).await;
    world.custom_field("gender_pronouns").await;
    let (ana, bo) = (recorded(&world, "Ana").await, world.person("Bo", "bo@example.edu").await);
    world.give(&ana, Kind::LegalRecording, SOUND).await;
    let full = json!({ "name_page_id": world.page.slug, "participant": {
        "last_name": "محمد", "phonetic": "AH-na", "notes": "Two\nlines", "legal_first_name": "Anastasia",
        "custom_fields": { "custom_gender_pronouns": "she/her" },
    } });
    world.put("/v5/participants/ana@example.edu", full).await.expect(200);
    let player = |person: &Value| html(person, "name_badge_link").replace("/badges/", "/players/");
    let browser = Browser::start().await;
    let directory =
        host(&[html(&ana, "embed_image"), html(&ana, "embed_iframe"), html(&ana, "embed_image")]).await;
    let unknown = format!("{}/badges/1/none", world.base);
    let (of_ana, of_bo) = (player(&ana), player(&bo));
    let [badge, unrecorded] = [&ana, &bo].map(|person| html(person, "name_badge_link"));
    let addresses = [badge, unrecorded, &of_ana, &of_bo, &directory, &unknown];
    for (address, scheme) in addresses.iter().flat_map(|address| [(address, "light"), (address, "dark")]) {
        browser.prefer(scheme).await;
        browser.go(address).await;
        assert_eq!(browser.faults(&axe).await, [""; 0], "{address}, {scheme}");
        let plays = "button:not([hidden]), div > a";
        if browser.value(&format!("Boolean(document.querySelector('{plays}'))")).await == true {
            browser.click(plays).await;
            assert_eq!(browser.faults(&axe).await, [""; 0], "{address}, {scheme}, playing");
        }
    }
}
