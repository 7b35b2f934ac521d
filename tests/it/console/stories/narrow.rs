//! The console on a screen of 390 pixels.

use endonym::domain::{member::Role, section::Section};
use reqwest::Method;
use serde_json::json;

use super::{choose, console, enter, fits};
use crate::{
    name_pages::browser::arrive,
    support::{World, browser::Browser},
};

/// Chooses a section. The menu of each page starts closed.
async fn choose_in_menu(browser: &Browser, path: &str) {
    let menu = "document.querySelector('.menu')";
    browser.until(&format!("{menu} && !{menu}.open")).await;
    browser.click(".menu > summary").await;
    browser.until(&format!("{menu}.open && document.querySelector('.menu a').checkVisibility()")).await;
    fits(browser).await;
    choose(browser, path).await;
    fits(browser).await;
}

/// Opens the first of a list.
async fn open_first(browser: &Browser) {
    let path = browser.value("document.querySelector('tbody th a').pathname").await;
    browser.click("tbody th a").await;
    arrive(browser, path.as_str().unwrap()).await;
    fits(browser).await;
}

#[tokio::test]
async fn on_a_narrow_screen_every_section_is_reached_and_a_token_is_seen_once() {
    let world = World::on_sqlite().await;
    let long = json!({
        "first_name": "Oluwaseunfunmilayo", "last_name": "Wolfeschlegelsteinhausenbergerdorff",
        "email": "oluwaseunfunmilayo.wolfeschlegelsteinhausenbergerdorff@students.example.edu",
    });
    world.person_on(&world.page, long).await;

    let browser = Browser::start().await;
    browser.resize(390).await;
    enter(&browser, &world, Role::Owner, &[]).await;
    for section in Section::ALL {
        choose_in_menu(&browser, &console(&world, section.path())).await;
        if matches!(section, Section::People | Section::NamePages) {
            open_first(&browser).await;
        }
    }

    choose_in_menu(&browser, &console(&world, "/tokens")).await;
    browser.click("main a[href$='/tokens/new']").await;
    arrive(&browser, &console(&world, "/tokens/new")).await;
    fits(&browser).await;
    // Name pages are offered only to somebody who wants only some.
    let is_offered = "document.querySelector('.pick').checkVisibility()";
    assert_eq!(browser.value(is_offered).await, false);
    browser.click("#pages-some").await;
    assert_eq!(browser.value(is_offered).await, true);
    fits(&browser).await;
    browser.click("#pages-all").await;
    assert_eq!(browser.value(is_offered).await, false);
    browser.write("#name", "Directory").await;
    browser.click("form[action$='/tokens/new'] button").await;
    browser.until("document.readyState === 'complete' && document.querySelector('#secret')").await;
    fits(&browser).await;
    let secret = browser.value("document.querySelector('#secret').value").await;
    let secret = secret.as_str().unwrap();
    let answer = world.request_as(secret, Method::GET, "/v5/participants").send().await.unwrap();
    assert_eq!(answer.status(), 200, "the token works");

    // "I have copied it" leads to the token, which is no longer shown there.
    browser.click("main a.button").await;
    browser.until("document.readyState === 'complete' && document.querySelector('#requests-title')").await;
    fits(&browser).await;
    let is_shown = format!("document.documentElement.outerHTML.includes('{secret}')");
    assert_eq!(browser.value(&is_shown).await, false);
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn on_a_narrow_screen_the_filters_of_people_are_closed_until_one_is_set() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let browser = Browser::start().await;
    enter(&browser, &world, Role::Owner, &[]).await;
    let people = console(&world, "/people");
    choose(&browser, &people).await;
    // Whether the summary and the inputs below it can be seen.
    let seen = "['.filters > summary', '#page', '#recording', '#sort'] \
                .map((css) => document.querySelector(css).checkVisibility())";
    let on_wide = json!([false, true, true, true]);
    assert_eq!(browser.value(seen).await, on_wide);

    browser.resize(390).await;
    browser.go(&format!("{}{people}", world.base)).await;
    arrive(&browser, &people).await;
    assert_eq!(browser.value(seen).await, json!([true, false, false, false]));
    let top = "document.querySelector('tbody th').getBoundingClientRect().top < innerHeight";
    assert_eq!(browser.value(top).await, true, "the first person is on the first screen");
    browser.click(".filters > summary").await;
    browser.until("document.querySelector('#recording').checkVisibility()").await;
    fits(&browser).await;
    browser.click("#recording option[value=unrecorded]").await;
    browser.click("main form[role=search] button").await;
    browser
        .until("document.readyState === 'complete' && location.search.includes('recording=unrecorded')")
        .await;
    assert_eq!(browser.value(seen).await, json!([true, true, true, true]), "a filter is set");
    fits(&browser).await;

    browser.resize(1_000).await;
    assert_eq!(browser.value(seen).await, on_wide);
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn on_a_narrow_screen_it_is_seen_at_once_who_has_recorded() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let browser = Browser::start().await;
    enter(&browser, &world, Role::Owner, &[]).await;
    choose(&browser, &console(&world, "/people")).await;
    // What can be seen, and in which kind of cell: that of the name, or one of its own.
    let seen = "[...document.querySelectorAll('tbody .state')].filter((one) => one.checkVisibility()) \
                .map((one) => [one.textContent, one.closest('th, td').localName])";
    assert_eq!(browser.value(seen).await, json!([["Not recorded", "td"]]));
    browser.resize(320).await;
    browser.until("!document.querySelector('tbody td.wide-only').checkVisibility()").await;
    assert_eq!(browser.value(seen).await, json!([["Not recorded", "th"]]));
    let place = "document.querySelector('tbody th .state').getBoundingClientRect()";
    let is_inside = format!("{place}.left >= 0 && {place}.right <= innerWidth");
    assert_eq!(browser.value(&is_inside).await, true);
    fits(&browser).await;
    assert_eq!(browser.complaints().await, [""; 0]);
}
