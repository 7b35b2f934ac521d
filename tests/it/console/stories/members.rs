//! A manager and a reader, each with one of two pages.

use endonym::{
    app::{own_recordings::Sharing, page_settings::Change},
    domain::{member::Role, page_settings::Moderation},
};
use serde_json::json;

use super::{choose, console, coverage, enter, play, texts};
use crate::{
    name_pages::{
        browser::{SPACE, arrive, tab_to},
        set_of,
    },
    own_recordings::record,
    support::{World, browser::Browser},
};

/// Opens a page that is not for this member.
async fn is_refused(browser: &Browser, world: &World, path: &str, status: u16) {
    browser.go(&format!("{}{path}", world.base)).await;
    let answered = browser.value("performance.getEntriesByType('navigation')[0].responseStatus").await;
    assert_eq!(answered, status, "{path}");
}

#[tokio::test]
async fn a_manager_approves_a_recording_by_keyboard_and_sees_no_other_page() {
    let world = World::on_sqlite().await;
    let choir = world.page("Choir").await;
    let ana = world.person("Ana", "ana@example.edu").await;
    let bo = world.person_on(&choir, json!({ "first_name": "Bo", "email": "bo@example.edu" })).await;
    for (page, person) in [(&world.page, &ana), (&choir, &bo)] {
        let change = Change { moderation: Some(Moderation::Hold), ..Change::default() };
        set_of(&world, world.institution.id, page, change).await;
        record(&world, person, 150.0, Sharing::ThisPage).await;
    }

    let browser = Browser::start().await;
    enter(&browser, &world, Role::Manager, &[&choir]).await;
    let sections = ["Overview", "People", "Name pages", "Moderation", "Messages", "Exports and jobs"];
    assert_eq!(texts(&browser, ".menu a").await, sections);
    assert_eq!(coverage(&browser).await, ["1", "0", "0"], "Bo, whose recording waits");

    // The overview says that something waits, and leads there.
    let attention = "[aria-labelledby='attention-title']";
    assert_eq!(texts(&browser, &format!("{attention} strong")).await, ["1"]);
    browser.click(&format!("{attention} a")).await;
    arrive(&browser, &console(&world, "/moderation")).await;
    assert_eq!(texts(&browser, "[data-case] h2").await, ["Bo"]);
    browser.until("document.querySelector('[data-keys]:not([hidden])')").await;
    let clicks = browser.clicks();
    tab_to(&browser, "matches('[data-case]')").await;
    browser.press(SPACE).await;
    browser.until("document.querySelector('[data-case] audio').played.length > 0").await;
    browser.press("a").await;
    browser.until("document.readyState === 'complete' && location.search === '?done=approve'").await;
    assert_eq!(browser.clicks(), clicks, "by keyboard alone");
    assert_eq!(texts(&browser, "main .none").await, ["There is nothing to decide."]);

    choose(&browser, &console(&world, "")).await;
    assert_eq!(coverage(&browser).await, ["1", "1", "0"]);
    play(&browser).await;
    choose(&browser, &console(&world, "/people")).await;
    assert_eq!(texts(&browser, "tbody th a").await, ["Bo"]);
    choose(&browser, &console(&world, "/name-pages")).await;
    assert_eq!(texts(&browser, "tbody th a").await, ["Choir"]);

    is_refused(&browser, &world, &console(&world, &format!("/name-pages/{}", world.page.id)), 404).await;
    is_refused(&browser, &world, &format!("/p/{}/people", world.page.slug), 403).await;
    is_refused(&browser, &world, &console(&world, "/tokens"), 403).await;
    is_refused(&browser, &world, &console(&world, "/members"), 403).await;
}

#[tokio::test]
async fn a_reader_comes_to_their_page_and_hears_a_name_and_nothing_else() {
    let world = World::on_sqlite().await;
    let choir = world.page("Choir").await;
    let ana = world.person("Ana", "ana@example.edu").await;
    record(&world, &ana, 150.0, Sharing::ThisPage).await;

    let browser = Browser::start().await;
    enter(&browser, &world, Role::Reader, &[&world.page]).await;
    assert_eq!(texts(&browser, ".menu, [data-find]").await, [""; 0], "no sections, no search");
    assert_eq!(texts(&browser, "main a").await, ["Class of 2027"]);
    browser.click("main a").await;
    let people = format!("/p/{}/people", world.page.slug);
    arrive(&browser, &people).await;
    assert_eq!(texts(&browser, ".manage").await, [""; 0]);
    assert_eq!(texts(&browser, ".people .name").await, ["Ana"]);
    play(&browser).await;

    is_refused(&browser, &world, &console(&world, "/people"), 403).await;
    is_refused(&browser, &world, &format!("/p/{}/people", choir.slug), 403).await;
    is_refused(&browser, &world, &format!("/p/{}/import", world.page.slug), 404).await;
}
