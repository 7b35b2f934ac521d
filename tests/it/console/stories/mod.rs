//! How people work with the console, in a real browser: a registrar, a manager, a reader, by keyboard alone, and on a narrow screen.

mod keyboard;
mod members;
mod narrow;
mod registrar;

use endonym::{
    app::{Actor, sign_in},
    domain::{member::Role, name_page::NamePage},
};

use super::{HOUR, console, email_of, plain, set};
use crate::{
    name_pages::browser::arrive,
    support::{World, browser::Browser},
};

/// A member of the world's institution signs in with a link, and goes on to the console from their own page.
async fn enter(browser: &Browser, world: &World, role: Role, pages: &[&NamePage]) {
    let institution = &world.institution;
    let email = email_of(institution, role);
    set(world, institution, &email, role, pages).await;
    let made =
        sign_in::operator_link(&world.app, &Actor::Operator, institution.id, &email, HOUR, &world.base);
    browser.go(&made.await.unwrap().0).await;
    browser.click_button("Continue").await;
    arrive(browser, "/me").await;
    browser.click("main a[href='/console']").await;
    arrive(browser, &console(world, "")).await;
}

/// Chooses the section with this path in the menu.
async fn choose(browser: &Browser, path: &str) {
    browser.click(&format!(".menu a[href='{path}']")).await;
    arrive(browser, path).await;
}

/// What is written in all of these elements, without the marks around arguments.
async fn texts(browser: &Browser, css: &str) -> Vec<String> {
    let all = format!("[...document.querySelectorAll(\"{css}\")].map((one) => one.textContent.trim())");
    let all = browser.value(&all).await;
    all.as_array().unwrap().iter().map(|one| plain(one.as_str().unwrap())).collect()
}

/// The figures of the overview: people who are registered, who have a recording, and who are invited.
async fn coverage(browser: &Browser) -> Vec<String> {
    texts(browser, "#coverage-title ~ .tiles strong").await
}

/// Plays the first recording of a list.
async fn play(browser: &Browser) {
    browser.until("document.querySelector('.people .play:not([hidden])')").await;
    browser.click(".people .play").await;
    browser.until("document.querySelector('.people audio').played.length > 0").await;
}

/// The page is not wider than the window.
async fn fits(browser: &Browser) {
    let widths =
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth, location.pathname]";
    let widths = browser.value(widths).await;
    assert_eq!(widths[0], widths[1], "the page is wider than the window: {}", widths[2]);
}
