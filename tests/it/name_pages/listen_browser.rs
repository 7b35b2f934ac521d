//! The listening page in a real browser: keys, playing all, searching while typing, and a list that grows while scrolling.

use endonym::domain::page_settings::Listen;
use serde_json::json;

use super::people::{listened_by, named, path, recorded};
use crate::{
    pages::browser::axe,
    support::{World, browser::Browser},
};

const TAB: &str = "\u{e004}";
const UP: &str = "\u{e013}";
const DOWN: &str = "\u{e015}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const SPACE: &str = " ";

/// The name in the row that has the focus.
const FOCUSED: &str = "document.activeElement.querySelector('.name')?.textContent.trim()";

fn is_on(name: &str) -> String {
    format!(
        "[...document.querySelectorAll('.people > li')].find((row) => row.textContent.includes('{name}'))\
         ?.querySelector('audio')?.paused === false"
    )
}

/// A part of the list comes only when the test calls `held[n]`, where n is the number of people before it.
const HOLD: &str = "(() => { window.held = {}; const send = window.fetch; \
     window.fetch = (address, ...rest) => new Promise((go) => { \
     held[new URL(address, location).searchParams.get('after')] = () => go(send(address, ...rest)) }) })()";

/// Where the row with this number ends, once it has stayed there for a while.
async fn bottom(browser: &Browser, row: usize) -> f64 {
    let place = format!("document.querySelectorAll('.people > li')[{row}].getBoundingClientRect().bottom");
    browser.value("(() => { window.same = 0 })()").await;
    let stays = format!(
        "(() => {{ const now = {place}; window.same = now === window.last ? window.same + 1 : 0; window.last = now; \
         return window.same > 5 }})()"
    );
    browser.until(&stays).await;
    browser.value(&place).await.as_f64().unwrap()
}

async fn scene() -> (World, Browser) {
    let world = World::on_sqlite().await;
    listened_by(&world, Listen::Link).await;
    recorded(&world, "Ana", "Abel", "a@example.edu").await;
    named(&world, "Bo", "Brown", "b@example.edu").await;
    recorded(&world, "Cy", "Coe", "c@example.edu").await;
    world.crowd(&world.page, 0..130).await;
    let browser = Browser::start().await;
    browser.go(&format!("{}{}", world.base, path(&world))).await;
    browser.until("document.querySelectorAll('.play:not([hidden])').length === 2").await;
    (world, browser)
}

#[tokio::test]
async fn names_are_played_with_the_keyboard_alone() {
    let (_world, browser) = scene().await;
    browser.value("document.querySelector('#q').focus()").await;
    browser.press(DOWN).await;
    browser.until(&format!("{FOCUSED} === 'Ana Abel'")).await;
    assert_eq!(browser.value("getComputedStyle(document.activeElement).outlineStyle").await, "solid");
    browser.press(SPACE).await;
    browser.until(&is_on("Ana Abel")).await;
    browser.press(SPACE).await;
    browser.until(&format!("!({})", is_on("Ana Abel"))).await;
    browser.press(DOWN).await;
    browser.until(&format!("{FOCUSED} === 'Bo Brown'")).await;
    browser.press(SPACE).await;
    browser.press(DOWN).await;
    browser.until(&format!("{FOCUSED} === 'Cy Coe'")).await;
    browser.press(SPACE).await;
    browser.until(&is_on("Cy Coe")).await;
    browser.press(UP).await;
    browser.press(UP).await;
    browser.press(SPACE).await;
    browser.until(&format!("({}) && !({})", is_on("Ana Abel"), is_on("Cy Coe"))).await;
    // The last person is not there yet, and comes.
    browser.press(END).await;
    browser.until(&format!("{FOCUSED} === 'P99'")).await;
    browser.press(HOME).await;
    browser.until(&format!("{FOCUSED} === 'Ana Abel'")).await;
    // Tab goes into the row, and back into the list from outside it leads to where one was.
    browser.press(TAB).await;
    browser.until("document.activeElement.closest('.people > li') !== null && document.activeElement.tagName !== 'LI'").await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");
}

#[tokio::test]
async fn the_rest_of_the_list_comes_while_scrolling_and_nothing_moves() {
    let (_world, browser) = scene().await;
    assert_eq!(browser.value("document.querySelectorAll('.people > li').length").await, 50);
    assert_eq!(browser.value("document.querySelector('.pages').hidden").await, true);
    // Play buttons have taken the place of the browser's own players.
    browser
        .until("document.querySelector('.people .play:not([hidden])') && document.readyState === 'complete'")
        .await;
    let height = browser.value("document.documentElement.scrollHeight").await.as_f64().unwrap();
    browser.value(HOLD).await;
    browser.value("document.querySelector('.gap').scrollIntoView()").await;
    let first = browser.value("document.querySelectorAll('.people > li')[49].getBoundingClientRect().bottom");
    let first = first.await.as_f64().unwrap();
    browser.until("held[50]").await;
    let before = bottom(&browser, 49).await;
    assert!(
        (before - first).abs() < 2.0,
        "rows keep their height when they come into sight: {first}, then {before}"
    );
    browser.value("held[50]()").await;
    browser.until("document.querySelectorAll('.people > li').length === 100").await;
    let after = bottom(&browser, 49).await;
    assert!((after - before).abs() < 2.0, "what is read does not move: {before}, then {after}");
    browser.value("window.scrollTo(0, document.documentElement.scrollHeight)").await;
    browser.until("held[100]").await;
    browser.value("held[100]()").await;
    browser
        .until("document.querySelectorAll('.people > li').length === 133 && !document.querySelector('.gap')")
        .await;
    let now = browser.value("document.documentElement.scrollHeight").await.as_f64().unwrap();
    // People with a recording, a phonetic spelling or pronouns have higher rows than others.
    assert!((now - height).abs() < height / 5.0, "the height was reserved: {height}, then {now}");
    let names = "new Set([...document.querySelectorAll('.people > li')].map((row) => row.id)).size";
    assert_eq!(browser.value(names).await, 133, "everybody once");
    assert_eq!(browser.faults(&axe()).await, [""; 0]);
}

#[tokio::test]
async fn people_who_come_above_what_is_read_do_not_move_it() {
    let (world, browser) = scene().await;
    // The first part has higher rows than the others: gaps are higher than what comes in their place.
    let spelled = json!({ "name_page_id": world.page.slug, "participant": { "phonetic": "AH-na AH-bell" } });
    world.put("/v5/participants/a@example.edu", spelled).await.expect(200);
    browser.reload().await;
    browser.until("document.querySelectorAll('.play:not([hidden])').length === 2").await;
    browser.until("document.querySelectorAll('.gap').length === 2").await;
    let gap = browser.value("document.querySelector('.gap').getBoundingClientRect().height").await;
    browser.value(HOLD).await;
    browser.value("[...document.querySelectorAll('.gap')].at(-1).scrollIntoView()").await;
    browser.until("held[50] && held[100]").await;
    browser.value("held[100]()").await;
    browser.until("document.querySelectorAll('.people > li').length === 83").await;
    let before = bottom(&browser, 50).await;
    browser.value("held[50]()").await;
    browser.until("!document.querySelector('.gap')").await;
    let after = bottom(&browser, 100).await;
    assert!((after - before).abs() < 2.0, "what is read does not move: {before}, then {after}");
    let part = browser.value("document.querySelectorAll('.people')[1].getBoundingClientRect().height").await;
    assert!((gap.as_f64().unwrap() - part.as_f64().unwrap()).abs() > 4.0, "{gap} and {part} differ");
}

#[tokio::test]
async fn all_are_played_one_after_the_other() {
    let (_world, browser) = scene().await;
    browser
        .value(
            "(() => { window.heard = []; document.querySelectorAll('audio').forEach((sound) => \
             sound.addEventListener('ended', () => window.heard.push(sound.closest('li').querySelector('.name').textContent.trim()))) })()",
        )
        .await;
    browser.click_button("Play all").await;
    browser.until(&is_on("Ana Abel")).await;
    browser.until(&format!("({}) && !({})", is_on("Cy Coe"), is_on("Ana Abel"))).await;
    assert_eq!(browser.value("window.heard.join()").await, "Ana Abel");
    browser.click_button("Stop").await;
    browser.until(&format!("!({})", is_on("Cy Coe"))).await;
    browser.until(&Browser::button("Play all")).await;
    // Who pauses one of them ends it, too.
    browser.click_button("Play all").await;
    browser.until(&is_on("Ana Abel")).await;
    browser.click(".people .play").await;
    browser.until(&Browser::button("Play all")).await;
    browser.until("[...document.querySelectorAll('audio')].every((sound) => sound.paused)").await;
}

#[tokio::test]
async fn a_search_answers_while_somebody_types_and_can_be_passed_on() {
    let (world, browser) = scene().await;
    browser.write("#q", "coe").await;
    browser.until("document.querySelectorAll('.people > li').length === 1").await;
    browser.until("document.querySelector('#said').textContent.includes('One person')").await;
    assert_eq!(browser.value("location.search").await, "?q=coe");
    assert_eq!(browser.value("document.activeElement.id").await, "q", "typing can go on");
    browser.press(DOWN).await;
    browser.until(&format!("{FOCUSED} === 'Cy Coe'")).await;
    browser.press(SPACE).await;
    browser.until(&is_on("Cy Coe")).await;
    browser.reload().await;
    browser.until("document.querySelectorAll('.people > li').length === 1").await;
    browser.write("#q", "x").await;
    browser.until("document.querySelector('.none')?.textContent.includes('coex')").await;
    browser.value("document.querySelector('#q').value = ''").await;
    browser.write("#q", " ").await;
    browser.until("document.querySelectorAll('.people > li').length === 50 && location.search === ''").await;
    assert_eq!(browser.value("location.pathname").await, path(&world));
    assert_eq!(browser.complaints().await, [""; 0]);
}
