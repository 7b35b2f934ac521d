//! Launches in a real browser, inside the frame of a page of another site.

use endonym::{
    app::{calls, lti::registrations},
    domain::{media::Kind, quiet_hours::QuietHours},
};
use serde_json::json;

use super::{library::Library, registration};
use crate::{
    support::{Setup, World},
    web::{SOUND, browser::axe, chromium::Chromium},
};

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const DOWN: &str = "\u{e015}";

/// What axe finds wrong, in light and in dark.
async fn check(browser: &Chromium, what: &str) {
    let axe = axe();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme).await;
        assert_eq!(browser.faults(&axe).await, [""; 0], "{what}, {scheme}");
    }
}

/// Gives somebody in the course a recording.
async fn record(library: &Library, email: &str) {
    let path = format!("/v5/participants?email_list={email}");
    let found = library.world.get(&path).await.expect(200);
    library.world.give(&found["Response"]["participants"][0], Kind::Recording, SOUND).await;
}

#[tokio::test]
async fn a_teacher_hears_a_course_by_keyboard_inside_a_frame_and_adds_a_link() {
    let library = Library::start(World::new().await).await;
    let browser = Chromium::start().await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('.none')?.textContent.includes('by themselves')").await;
    check(&browser, "a list that is being fetched").await;
    library.world.work(1);
    library.synchronised().await;
    // Nobody has to ask for it.
    browser.until("document.querySelectorAll('.people li').length === 4").await;
    for email in ["ana@example.edu", "siobhan@example.edu"] {
        record(&library, email).await;
    }
    browser.value("location.reload()").await;
    browser.until("document.querySelectorAll('.play').length === 2").await;
    check(&browser, "a course").await;
    browser.value("document.querySelector('#q').focus()").await;
    // Past the button, the two links and to the first name.
    for _ in 0..4 {
        browser.press(TAB).await;
    }
    assert_eq!(browser.value("document.activeElement.className").await, "play");
    assert_eq!(browser.value("getComputedStyle(document.activeElement).outlineStyle").await, "solid");
    browser.press(ENTER).await;
    let sound = |n: usize| format!("document.querySelectorAll('audio')[{n}]");
    browser.until(&format!("!{0}.paused && {0}.currentTime > 0.2", sound(0))).await;
    browser.press(DOWN).await;
    browser.press(ENTER).await;
    browser.until(&format!("!{0}.paused && {1}.paused", sound(1), sound(0))).await;
    browser.write("#q", "bhriain").await;
    browser.press(ENTER).await;
    browser.until("document.querySelector('.found')?.textContent.includes('1 found')").await;
    assert_eq!(
        browser.value("document.querySelector('.people .name').textContent").await,
        "Siobhán Ní Bhriain"
    );
    check(&browser, "a search").await;
    assert_eq!(browser.complaints().await, [""; 0], "the page's own policy lets all of it work");

    browser.enter(None).await;
    browser.go(&format!("{}/course?user=teacher&deep=1", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('#title')").await;
    check(&browser, "a link to be added").await;
    browser.click("button").await;
    // The frame is the platform's own page again, which the page around it may read.
    browser.enter(None).await;
    let said = "document.querySelector('iframe').contentDocument?.querySelector('pre')?.textContent";
    browser.until(&format!("{said}?.includes('LtiDeepLinkingResponse')")).await;
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn a_student_writes_and_uploads_inside_a_frame() {
    let calling =
        calls::Rules { enabled: true, attempts: 1, quiet_hours: QuietHours::OFF, ..calls::Rules::nobody() };
    let library = Library::start(World::with(Setup { calling, ..Setup::default() }).await).await;
    let browser = Chromium::start().await;
    browser.go(&format!("{}/course?user=siobhan", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('h1')?.textContent === 'Siobhán Ní Bhriain'").await;
    check(&browser, "one's own entry").await;
    browser.write("#phonetic", "shi-VAWN").await;
    browser.write("#notes", "The h is silent.").await;
    browser.click("form[action=details] button").await;
    browser.until("document.querySelector('.done')?.textContent === 'Saved.'").await;
    let file = library.world.folder.path().join("name.mp3");
    std::fs::write(&file, SOUND).unwrap();
    browser.write("#recording", file.to_str().unwrap()).await;
    browser.click("form[action=recording] button").await;
    browser.until("document.querySelector('.done')?.textContent.includes('recording has been saved')").await;
    browser.click(".play").await;
    browser
        .until("!document.querySelector('audio').paused && document.querySelector('audio').currentTime > 0.2")
        .await;
    check(&browser, "one's own recording").await;
    browser.write("#phone_number", "12").await;
    browser.click("form[action=call] button").await;
    browser.until("document.querySelector('#phone-fault')").await;
    assert_eq!(browser.value("document.activeElement.id").await, "phone_number", "where it is wrong");
    check(&browser, "a number that is none").await;
    let only_that = browser.complaints().await;
    assert!(only_that.iter().all(|line| line.contains("422")), "{only_that:?}");
}

#[tokio::test]
async fn a_page_that_is_not_listed_cannot_show_a_course() {
    let library = Library::framed_by(World::new().await, Some("https://lms.example.edu")).await;
    let browser = Chromium::start().await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.readyState === 'complete' && location.protocol === 'chrome-error:'").await;
    browser.enter(None).await;
    let complaints = browser.complaints().await;
    assert!(complaints.iter().any(|line| line.contains("frame-ancestors")), "{complaints:?}");
    // Outside of a frame the same launch is seen.
    browser.go(&format!("{}/launch?user=teacher", library.base)).await;
    browser.until("document.querySelector('h1')?.textContent === 'Names of the World'").await;
}

#[tokio::test]
async fn where_a_frame_has_no_cookies_a_window_of_its_own_has() {
    // Nobody may keep cookies, but whoever is visited himself.
    let preferences = json!({
        "profile.default_content_setting_values.cookies": 2,
        "profile.content_settings.exceptions.cookies": {
            "http://127.0.0.1:*,http://127.0.0.1:*": { "setting": 1 },
        },
    });
    let library = Library::start(World::new().await).await;
    let browser = Chromium::with(preferences).await;
    browser.go(&format!("{}/course?user=teacher", library.base)).await;
    browser.enter(Some("iframe")).await;
    browser.until("document.querySelector('a.button')").await;
    let text = browser.value("document.body.innerText").await;
    assert!(!text.as_str().unwrap().contains("Names of the World"), "{text}");
    check(&browser, "a frame without cookies").await;
    browser.click("a.button").await;
    browser.enter_new_window().await;
    browser.until("document.querySelector('h1')?.textContent === 'Names of the World'").await;
}

#[tokio::test]
async fn a_registration_tells_the_page_around_it_that_it_is_done() {
    let world = World::new().await;
    let (platform, _) = registration::platform().await;
    let (invite, _) = registrations::invite(&world.app, world.institution.id).await.unwrap();
    let address = format!(
        "{}?openid_configuration={platform}/.well-known/openid-configuration",
        registrations::invitation(&world.base, &invite)
    );
    let browser = Chromium::start().await;
    browser.go(&format!("{platform}/tools#{address}")).await;
    browser.until("document.title === 'org.imsglobal.lti.close'").await;
    browser.enter(Some("iframe")).await;
    assert_eq!(browser.value("document.querySelector('h1').textContent").await, "Registered");
    check(&browser, "a registration").await;
}
