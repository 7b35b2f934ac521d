//! From signing in to a changed entry, by keyboard alone: the focus can be seen everywhere, and caught nowhere.

use endonym::domain::member::Role;

use super::{console, email_of, set, texts};
use crate::{
    me::newest_mail,
    name_pages::browser::{ENTER, arrive, type_text},
    support::{World, browser::Browser},
};

const TAB: &str = "\u{e004}";
const SHIFT: &str = "\u{e008}";
const CONTROL: &str = "\u{e009}";
const ESCAPE: &str = "\u{e00c}";
const DOWN: &str = "\u{e015}";
const FORWARD: &[&str] = &[TAB];
const BACK: &[&str] = &[SHIFT, TAB];

/// There is a ring around the element with the focus. At the very beginning of a page, none has it.
const IS_SEEN: &str = "(() => { const one = document.activeElement; if (one === document.body) return true; \
     const style = getComputedStyle(one); const box = one.getBoundingClientRect(); \
     return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && box.width > 0 && box.height > 0 })()";

/// The search has been asked for exactly this.
fn is_answered(text: &str) -> String {
    format!(
        "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/search?q={text}') && one.responseEnd > 0)"
    )
}

/// Presses Tab, or Shift and Tab, until the element with the focus is the wanted one.
async fn reach(browser: &Browser, keys: &[&str], wanted: &str) {
    let ask =
        format!("[Boolean(document.activeElement.{wanted}), {IS_SEEN}, document.activeElement.outerHTML]");
    for _ in 0..120 {
        let asked = browser.value(&ask).await;
        assert_eq!(asked[1], true, "the focus cannot be seen: {}", asked[2]);
        if asked[0] == true {
            return;
        }
        browser.press_together(keys).await;
    }
    panic!(
        "the keyboard does not reach {wanted}: {}",
        browser.value("document.activeElement.outerHTML").await
    );
}

/// Tab leads through the whole page to its last button, and Shift Tab leads back.
async fn walk(browser: &Browser) {
    reach(browser, FORWARD, "matches('.skip')").await;
    reach(browser, FORWARD, "matches('footer li:last-child button')").await;
    reach(browser, BACK, "matches('.skip')").await;
}

#[tokio::test]
async fn an_entry_is_found_and_changed_by_keyboard_alone() {
    let world = World::on_sqlite().await;
    let owner = email_of(&world.institution, Role::Owner);
    set(&world, &world.institution, &owner, Role::Owner, &[]).await;
    world.person("Ana", "ana@example.edu").await;
    world.person("Bo", "bo@example.edu").await;

    let browser = Browser::start().await;
    browser.go(&format!("{}/console", world.base)).await;
    arrive(&browser, "/sign-in").await;
    reach(&browser, FORWARD, "id === 'email'").await;
    type_text(&browser, &owner).await;
    browser.press(ENTER).await;
    arrive(&browser, "/sign-in/code").await;
    let mail = newest_mail(&world).await.expect("a message");
    reach(&browser, FORWARD, "id === 'code'").await;
    type_text(&browser, &mail.code).await;
    browser.press(ENTER).await;
    arrive(&browser, &console(&world, "")).await;

    // Escape closes the search, and the focus is where it was.
    let is_open = "document.querySelector('[data-finder]').open";
    reach(&browser, FORWARD, "matches('.brand')").await;
    browser.press("/").await;
    browser.until(&format!("{is_open} && document.activeElement.id === 'finder-text'")).await;
    browser.press(ESCAPE).await;
    browser.until(&format!("!{is_open} && document.activeElement.matches('.brand')")).await;

    browser.press_together(&[CONTROL, "k"]).await;
    browser.until(&format!("{is_open} && document.activeElement.id === 'finder-text'")).await;
    assert_eq!(browser.value(IS_SEEN).await, true);
    type_text(&browser, "people").await;
    browser.until(&is_answered("people")).await;
    browser.until("document.querySelector('.finder .option .name')?.textContent === 'People'").await;
    browser.press(DOWN).await;
    browser
        .until("document.querySelector('.finder [aria-selected=true] .name')?.textContent === 'People'")
        .await;
    browser.press(ENTER).await;
    arrive(&browser, &console(&world, "/people")).await;

    walk(&browser).await;
    reach(&browser, FORWARD, "matches('tbody th a') && document.activeElement.textContent === 'Ana'").await;
    browser.press(ENTER).await;
    browser
        .until("document.readyState === 'complete' && document.querySelector('h1').textContent === 'Ana'")
        .await;
    walk(&browser).await;
    reach(&browser, FORWARD, "matches('main a[href$=\"/edit\"]')").await;
    browser.press(ENTER).await;
    browser.until("document.readyState === 'complete' && document.querySelector('#phonetic')").await;
    reach(&browser, FORWARD, "id === 'phonetic'").await;
    type_text(&browser, "AH-na").await;
    browser.press(ENTER).await;
    browser.until("document.readyState === 'complete' && location.search === '?done=saved'").await;
    let facts = texts(&browser, "main .facts dd").await;
    assert!(facts.iter().any(|fact| fact == "AH-na"), "{facts:?}");
    assert_eq!(browser.clicks(), 0, "by keyboard alone");
    assert_eq!(browser.complaints().await, [""; 0]);
}
