//! The whole story of a student in a real browser: register, agree, record, done. By keyboard alone, in English and in Arabic.

use endonym::{app::page_settings::Change, domain::page_settings::Register};

use super::{ANA, entry, set};
use crate::{
    me::newest_mail,
    pages::browser::axe,
    support::{
        Setup, World,
        browser::{self, Browser, Microphone},
        speech::{Clip, Figures},
    },
};

const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const SPACE: &str = " ";
/// A busy machine loses parts of what is said to a browser.
const ATTEMPTS: usize = 3;

/// Presses Tab until the element with the focus is the wanted one.
pub async fn tab_to(browser: &Browser, wanted: &str) {
    for _ in 0..60 {
        if browser.value(&format!("Boolean(document.activeElement.{wanted})")).await == true {
            return;
        }
        browser.press(TAB).await;
    }
    panic!("the keyboard does not reach {wanted}: {}", browser.value("document.body.innerHTML").await);
}

/// Types a text where the focus is.
pub async fn type_text(browser: &Browser, text: &str) {
    for letter in text.chars() {
        browser.press(&letter.to_string()).await;
    }
}

pub async fn arrive(browser: &Browser, path: &str) {
    browser.until(&format!("document.readyState === 'complete' && location.pathname === '{path}'")).await;
}

pub async fn check(browser: &Browser, axe: &str) {
    assert_eq!(browser.faults(axe).await, [""; 0]);
    assert_eq!(
        browser.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth").await,
        true
    );
}

/// Records a name and keeps it. `start` is the button that begins.
pub async fn record(browser: &Browser, clip: &Clip, start: &str) {
    tab_to(browser, &format!("dataset.do === '{start}'")).await;
    browser.press(ENTER).await;
    browser.until_recorder_is("recording").await;
    let meter = "document.querySelector('[data-recorder]').style.getPropertyValue('--level') > 0.2";
    tokio::join!(browser.say(&clip.file), browser.until(meter));
    // The focus is on Stop, and Space stops from anywhere.
    browser.press(SPACE).await;
    browser.until_recorder_is("take").await;
    tab_to(browser, "dataset.do === 'keep'").await;
    browser.press(ENTER).await;
    browser.until_recorder_is("kept").await;
}

async fn a_student_registers_and_records(language: &'static str, direction: &str, name: &str) {
    let world = World::with(Setup { sqlite: true, ..Setup::default() }).await;
    set(&world, Change { register: Some(Register::Code), ..Change::default() }).await;
    let (clip, axe) = (Clip::of("Siobhan Gallagher"), axe());
    let setup = browser::Setup {
        microphone: Some(Microphone::Granted),
        language: Some(language),
        ..browser::Setup::default()
    };
    let browser = Browser::with(setup).await;
    // By the link that the poster's QR code has.
    let code = &world.page.event_code;
    browser.go(&format!("{}/p/class-of-2027?code={code}", world.base)).await;
    assert_eq!(browser.value("document.documentElement.lang").await, language);
    assert_eq!(browser.value("document.documentElement.dir").await, direction);
    check(&browser, &axe).await;
    tab_to(&browser, "id === 'email'").await;
    type_text(&browser, ANA).await;
    browser.press(ENTER).await;
    arrive(&browser, "/p/class-of-2027/code").await;
    check(&browser, &axe).await;
    let mail = newest_mail(&world).await.expect("a message");
    tab_to(&browser, "id === 'code'").await;
    type_text(&browser, &mail.code).await;
    browser.press(ENTER).await;
    arrive(&browser, "/p/class-of-2027/register").await;
    check(&browser, &axe).await;
    tab_to(&browser, "id === 'first-name'").await;
    type_text(&browser, name).await;
    browser.press(ENTER).await;
    arrive(&browser, "/p/class-of-2027/own").await;
    check(&browser, &axe).await;
    browser.screenshot(&format!("registered-{language}")).await;
    // The text about recordings has one button.
    tab_to(&browser, "matches('#consent button')").await;
    browser.press(ENTER).await;
    arrive(&browser, "/p/class-of-2027/own").await;
    browser.until_recorder_is("ready").await;
    check(&browser, &axe).await;
    let mut figures = Vec::new();
    for attempt in 0..ATTEMPTS {
        record(&browser, &clip, if attempt == 0 { "record" } else { "again" }).await;
        let recording = entry(&world, ANA).await.recording.expect("a recording");
        let link = world.app.links.recording(world.institution.id, &recording);
        let sound = world.client.get(link).send().await.unwrap().bytes().await.unwrap();
        figures.push(clip.compare(&sound));
        if figures.last().is_some_and(Figures::is_the_name) {
            break;
        }
    }
    assert!(figures.last().is_some_and(Figures::is_the_name), "{figures:#?}");
    // The page says that it is done, with ways on, and plays what others hear.
    browser.until("document.querySelector('#recordings .finished')").await;
    browser.until("document.querySelector('#recordings a[href=\"/me\"]')").await;
    browser.until("document.querySelector('#recordings a[href=\"/p/class-of-2027/people\"]')").await;
    check(&browser, &axe).await;
    browser.resize(320).await;
    check(&browser, &axe).await;
    browser.screenshot(&format!("done-{language}")).await;
    assert_eq!(entry(&world, ANA).await.full_name(), name);
    assert_eq!(browser.clicks(), 0, "by keyboard alone");
    assert_eq!(browser.complaints().await, [""; 0]);
}

#[tokio::test]
async fn a_student_registers_and_records_by_keyboard_in_english() {
    a_student_registers_and_records("en", "ltr", "Siobhan").await;
}

#[tokio::test]
async fn a_student_registers_and_records_by_keyboard_in_arabic() {
    a_student_registers_and_records("ar", "rtl", "سارة").await;
}
