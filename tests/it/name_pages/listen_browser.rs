//! The listening page in a real browser: keys, playing all, searching while typing, and a list that grows while scrolling.

use endonym::domain::page_settings::Listen;

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
    browser.value("document.querySelector('.gap').scrollIntoView()").await;
    browser.until("document.querySelectorAll('.people > li').length >= 100").await;
    browser.value("window.scrollTo(0, document.documentElement.scrollHeight)").await;
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
