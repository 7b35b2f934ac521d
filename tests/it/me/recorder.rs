//! The recorder on `/me` in real browsers, with a microphone that hears a spoken name.

use std::{path::PathBuf, sync::Arc, time::Duration};

use endonym::{
    app::{Actor, Error, own_person, sign_in, studio},
    domain::{
        media::{Incoming, Kind},
        session::PersonId,
    },
};
use endonym_media::sound;
use tokio::task::JoinSet;

use crate::{
    pages::browser::axe,
    support::{
        Setup, World,
        browser::{self, Browser, Engine, Microphone},
        media::wav,
        speech::{Clip, Figures},
    },
};

const ANA: &str = "ana@example.edu";
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";
/// A busy machine loses parts of what is said to a browser.
const ATTEMPTS: usize = 3;

async fn world(setup: Setup) -> World {
    let world = World::with(Setup { sqlite: true, ..setup }).await;
    world.person("Ana", ANA).await;
    world.agree(world.institution.id, ANA).await;
    world
}

async fn link(world: &World) -> String {
    let life = Duration::from_secs(600);
    let institution = world.institution.id;
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, ANA, life, &world.base);
    made.await.unwrap().0
}

async fn start(engine: Engine, microphone: Microphone) -> Browser {
    Browser::with(browser::Setup { engine, microphone: Some(microphone), ..browser::Setup::default() }).await
}

/// Gives the browser a session, at this address of the server, without loading a page with styles and scripts.
async fn give_session(browser: &Browser, world: &World, base: &str) {
    let visitor = super::Browser::new(world);
    visitor.follow(&link(world).await).await.redirects_to("/me");
    let cookie = visitor.cookie("endonym").unwrap();
    browser.go(&format!("{base}/healthz")).await;
    browser.value(&format!("document.cookie = 'endonym={cookie}; path=/'")).await;
}

/// Opens `/me` with a session.
async fn enter(browser: &Browser, world: &World) {
    give_session(browser, world, &world.base).await;
    browser.go(&format!("{}/me", world.base)).await;
}

/// The hex id of Ana's recording.
async fn stored(world: &World) -> Option<String> {
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let own = own_person::find(&world.app, &Actor::Operator, &person).await.unwrap();
    own.registrations[0].entry.recording.as_ref().map(|recording| recording.hex.clone())
}

/// The stored recording, when the page plays it.
async fn heard(browser: &Browser, world: &World) -> Vec<u8> {
    let hex = stored(world).await.unwrap();
    browser.until(&format!("document.querySelector('#recordings audio').src.includes('{hex}')")).await;
    let link = browser.value("document.querySelector('#recordings audio').src").await;
    let response = world.client.get(link.as_str().unwrap()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.bytes().await.unwrap().to_vec()
}

async fn a_name_is_recorded(engine: Engine) {
    let world = world(Setup { proxied: true, ..Setup::default() }).await;
    let network = world.proxy.as_ref().unwrap();
    let clip = Clip::of("Siobhan Gallagher");
    let browser = start(engine, Microphone::Granted).await;
    browser.go(&link(&world).await).await;
    browser.click_button("Continue").await;
    browser.until_recorder_is("ready").await;
    if engine == Engine::Chromium {
        assert_eq!(browser.faults(&axe()).await, [""; 0]);
    }
    assert!(!browser.asks_before_leaving().await);
    let mut figures = Vec::new();
    for attempt in 0..ATTEMPTS {
        browser.click_button(if attempt == 0 { "Record my name" } else { "Record again" }).await;
        browser.say_into_recorder(&clip).await;
        browser.until_recorder_says("You recorded \\u2068").await;
        assert!(browser.asks_before_leaving().await);
        if engine == Engine::Chromium {
            browser.resize(320).await;
            assert_eq!(browser.value("document.documentElement.scrollWidth <= 320").await, true);
            browser.resize(1_280).await;
        }
        browser.screenshot("take").await;
        browser.listen().await;
        if attempt == 0 {
            assert_eq!(stored(&world).await, None, "nothing is sent before the person says so");
            // The network fails in the middle of the upload.
            network.cut_after(8_000);
            browser.click_button("Use this recording").await;
            browser.until_recorder_says("The connection was lost. Your recording is still here").await;
            assert!(stored(&world).await.is_none() && browser.asks_before_leaving().await);
            network.mend();
            browser.click_button("Try again").await;
            assert!(browser.clicks() <= 4 + 1, "at most four without trying again");
        } else {
            browser.click_button("Use this recording").await;
        }
        browser.until_recorder_is("kept").await;
        assert!(!browser.asks_before_leaving().await);
        // What others hear can be played here.
        browser.listen().await;
        figures.push(clip.compare(&heard(&browser, &world).await));
        println!("{engine:?}: {:?}", figures.last());
        if figures.last().is_some_and(Figures::is_the_name) {
            break;
        }
    }
    assert!(figures.last().is_some_and(Figures::is_the_name), "{figures:#?}");
    if engine == Engine::Chromium {
        let complaints = browser.complaints().await;
        assert!(complaints.iter().all(|line| line.contains("net::ERR_")), "{complaints:?}");
    }
}

#[tokio::test]
async fn a_name_is_recorded_heard_and_kept_in_chromium() {
    a_name_is_recorded(Engine::Chromium).await;
}

#[tokio::test]
async fn a_name_is_recorded_heard_and_kept_in_firefox() {
    a_name_is_recorded(Engine::Firefox).await;
}

#[tokio::test]
async fn a_name_is_recorded_heard_and_kept_in_webkit() {
    a_name_is_recorded(Engine::WebKit).await;
}

#[tokio::test]
async fn a_page_without_a_microphone_says_why_and_offers_other_ways() {
    let world = world(Setup::default()).await;
    let denied = "This page may not use your microphone.";
    let missing = "We found no microphone.";
    for (engine, microphone, sentence) in [
        (Engine::Chromium, Microphone::Denied, denied),
        (Engine::Firefox, Microphone::Denied, denied),
        (Engine::Chromium, Microphone::Missing, missing),
        (Engine::Firefox, Microphone::Missing, missing),
        (Engine::WebKit, Microphone::Missing, missing),
    ] {
        let browser = start(engine, microphone).await;
        enter(&browser, &world).await;
        browser.click_button("Record my name").await;
        browser.until_recorder_says(sentence).await;
        for name in ["Record my name", "Upload a file instead", "Continue on your phone"] {
            browser.until(&Browser::button(name)).await;
        }
        assert_eq!(browser.value("document.activeElement.dataset.do").await, "record", "{engine:?}");
        assert!(!browser.asks_before_leaving().await);
    }
}

/// A page without https: the name stands for another host than this one.
#[tokio::test]
async fn a_page_that_is_not_secure_says_so() {
    let world = world(Setup::default()).await;
    let arguments = &["--host-resolver-rules=MAP names.example.edu 127.0.0.1"];
    let browser = Browser::with(browser::Setup { arguments, ..browser::Setup::default() }).await;
    let base = world.base.replace("127.0.0.1", "names.example.edu");
    give_session(&browser, &world, &base).await;
    browser.go(&format!("{base}/me")).await;
    browser.until_recorder_is("blocked").await;
    browser.until_recorder_says("Your browser allows recording only on secure pages").await;
    browser.until(&Browser::button("Upload a file instead")).await;
    // The phone would open the same page.
    let phone = Browser::button("Continue on your phone");
    assert_eq!(browser.value(&format!("Boolean({phone})")).await, false);
}

/// What no browser can be made to do here is simulated in the page.
#[tokio::test]
async fn a_recording_that_fails_is_explained() {
    const SILENT_MICROPHONE: &str = "void (navigator.mediaDevices.getUserMedia = async () => \
        (window.stream = new AudioContext().createMediaStreamDestination().stream))";
    const EMPTY_RECORDER: &str = "void (window.MediaRecorder = class extends EventTarget { \
        static isTypeSupported() { return true } state = 'inactive'; mimeType = ''; \
        start() { this.state = 'recording' } stop() { this.state = 'inactive'; this.dispatchEvent(new Event('stop')) } })";
    let world = world(Setup::default()).await;
    let browser = Browser::start().await;
    enter(&browser, &world).await;
    browser.until_recorder_is("ready").await;
    // Before this page, one without an icon was loaded.
    browser.complaints().await;
    for (error, sentence) in [
        ("NotReadableError", "Another app is using your microphone."),
        ("OverconstrainedError", "We found no microphone."),
        ("AbortError", "Another app is using your microphone."),
        ("TypeError", "This browser cannot record."),
    ] {
        let fails = format!("Promise.reject(new DOMException('', '{error}'))");
        browser.value(&format!("void (navigator.mediaDevices.getUserMedia = () => {fails})")).await;
        browser.click_button("Record my name").await;
        browser.until_recorder_says(sentence).await;
    }
    // Another app takes the microphone away, for example for a phone call.
    browser.value(SILENT_MICROPHONE).await;
    browser.click_button("Record my name").await;
    browser.until_recorder_is("recording").await;
    browser.value("window.stream.getTracks()[0].dispatchEvent(new Event('ended'))").await;
    browser.until_recorder_says("The recording was interrupted").await;
    browser.until_recorder_is("ready").await;
    // The browser returns an empty recording.
    browser.value(EMPTY_RECORDER).await;
    browser.click_button("Record my name").await;
    browser.until_it_can_be_stopped().await;
    browser.click_button("Stop").await;
    browser.until_recorder_says("Your browser recorded nothing.").await;
    browser.until_recorder_is("ready").await;
    assert!(!browser.asks_before_leaving().await);
    assert_eq!(browser.complaints().await, [""; 0]);
}

/// Keeps the queue of recordings full. Dropped, it stops.
fn flood(world: &World) -> JoinSet<()> {
    let sound = Arc::new(wav(29.0));
    let mut tasks = JoinSet::new();
    // One is in progress, one waits, and one is about to take the next place.
    for _ in 0..3 {
        let (app, institution, sound) = (world.app.clone(), world.institution.id, sound.clone());
        tasks.spawn(async move {
            loop {
                let incoming = Incoming::Bytes(sound.to_vec());
                match app.studio.process(institution, Kind::Recording, incoming).await {
                    Ok(_) => {}
                    Err(Error::Busy) => tokio::time::sleep(Duration::from_millis(1)).await,
                    Err(other) => panic!("{other:?}"),
                }
            }
        });
    }
    tasks
}

/// Presses a button that sends the take, and returns the state in which that ends.
async fn send(browser: &Browser, button: &str) -> String {
    browser.click_button(button).await;
    let state = "document.querySelector('[data-recorder]').dataset.state";
    browser.until(&format!("['failed', 'kept'].includes({state})")).await;
    browser.recorder_state().await
}

#[tokio::test]
async fn a_take_outlives_a_refusal_a_full_queue_and_the_end_of_the_session() {
    let studio = studio::Settings { workers: 1, queue: 1, ..studio::Settings::default() };
    let world = world(Setup { studio, ..Setup::default() }).await;
    let file = |name: &str, bytes: Vec<u8>| -> PathBuf {
        let path = world.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let mut silence = wav(1.0);
    silence[44..].fill(0);
    let (empty, silence, name) =
        (file("empty.wav", vec![]), file("silence.wav", silence), file("name.wav", wav(1.5)));
    let browser = Browser::start().await;
    enter(&browser, &world).await;
    let choose = async |file: &PathBuf| {
        browser.click_button("Upload a file instead").await;
        browser.write("[data-recorder] input[type=file]", file.to_str().unwrap()).await;
    };
    choose(&empty).await;
    browser.until_recorder_says("We cannot use this recording.").await;
    browser.reload().await;
    choose(&silence).await;
    browser.until_recorder_says("We cannot hear a voice in it.").await;
    browser.click_button("Use this recording").await;
    browser.until_recorder_says("We cannot hear anything in this recording.").await;
    assert_eq!(browser.recorder_state().await, "take", "it is not lost");

    let mut others = flood(&world);
    loop {
        choose(&name).await;
        browser.until_recorder_says("Your file: \\u20681.5 seconds\\u2069.").await;
        // It may be lucky.
        if send(&browser, "Use this recording").await == "failed" {
            break;
        }
    }
    browser
        .until_recorder_says("A lot of people are recording right now. Your recording is still here")
        .await;
    others.shutdown().await;
    assert!(browser.asks_before_leaving().await);

    world.advance(Duration::from_secs(15 * 24 * 3_600));
    browser.click_button("Try again").await;
    browser.until_recorder_says("Your session is over").await;
    let first = browser.window().await;
    browser.open_tab().await;
    let second = browser.window().await;
    browser.go(&link(&world).await).await;
    browser.click_button("Continue").await;
    browser.until_recorder_is("ready").await;
    browser.enter_window(&first).await;
    // What was in the queue is still being processed.
    while send(&browser, "Try again").await != "kept" {
        browser.until_recorder_says("A lot of people").await;
    }
    assert!(stored(&world).await.is_some());
    // The other tab notices.
    browser.enter_window(&second).await;
    browser.until("document.querySelector('#recordings audio')").await;
    // The back button leads to a page that works.
    browser.enter_window(&first).await;
    browser.go(&format!("{}/healthz", world.base)).await;
    browser.back().await;
    browser.until("document.querySelector('#recordings audio')").await;
    browser
        .until("['ready', 'kept'].includes(document.querySelector('[data-recorder]')?.dataset.state)")
        .await;
    assert!(!browser.asks_before_leaving().await);
}

/// Presses Tab until an expression about the focused element is true.
async fn tab_to(browser: &Browser, what: &str) {
    for _ in 0..40 {
        browser.press(TAB).await;
        if browser.value(&format!("Boolean(document.activeElement.{what})")).await == true {
            return;
        }
    }
    panic!("no Tab leads to {what}");
}

async fn focus(browser: &Browser, name: &str) {
    browser.until(&format!("document.activeElement.dataset.do === '{name}'")).await;
}

#[tokio::test]
async fn the_keyboard_is_enough() {
    // A take may be as long as a recording.
    let sound = sound::Limits { longest: Duration::from_secs(3), ..sound::Limits::default() };
    let studio = studio::Settings { sound, ..studio::Settings::default() };
    let world = world(Setup { studio, ..Setup::default() }).await;
    let browser = start(Engine::Chromium, Microphone::Granted).await;
    browser.reduce_motion().await;
    enter(&browser, &world).await;
    browser.until_recorder_is("ready").await;
    // The countdown is off, and a choice is remembered.
    let countdown = "document.querySelector('[data-countdown]').checked";
    assert_eq!(browser.value(countdown).await, false);
    tab_to(&browser, "matches('[data-countdown]')").await;
    browser.press(SPACE).await;
    assert_eq!(browser.value(countdown).await, true);
    browser.reload().await;
    browser.until_recorder_is("ready").await;
    assert_eq!(browser.value(countdown).await, true);
    // It can be canceled.
    tab_to(&browser, "dataset.do === 'record'").await;
    browser.press(ENTER).await;
    browser.until_recorder_is("countdown").await;
    browser.until("document.querySelector('.rec-count').textContent === '3'").await;
    focus(&browser, "stop").await;
    browser.press(ENTER).await;
    browser.until_recorder_is("ready").await;
    focus(&browser, "record").await;
    // The recorder stops at the limit.
    browser.press(SPACE).await;
    browser.until_it_can_be_stopped().await;
    browser.until_recorder_says("Recording. Press Stop when you are done.").await;
    focus(&browser, "stop").await;
    let level = "document.querySelector('[data-recorder]').style.getPropertyValue('--level')";
    assert_eq!(browser.value(level).await, "0", "no motion");
    browser.until_recorder_is("take").await;
    focus(&browser, "play").await;
    browser.press(SPACE).await;
    browser.until("document.activeElement.ariaPressed === 'true'").await;
    // Space stops it wherever the focus is.
    tab_to(&browser, "dataset.do === 'again'").await;
    browser.press(ENTER).await;
    browser.until_it_can_be_stopped().await;
    browser.value("document.activeElement.blur()").await;
    browser.press(SPACE).await;
    browser.until_recorder_is("take").await;
    focus(&browser, "play").await;
    tab_to(&browser, "dataset.do === 'keep'").await;
    browser.press(ENTER).await;
    browser.until_recorder_says("We cannot hear anything in this recording.").await;
    focus(&browser, "again").await;
    assert!(browser.asks_before_leaving().await);
}

#[tokio::test]
async fn the_first_load_is_small() {
    let world = world(Setup::default()).await;
    let browser =
        Browser::with(browser::Setup { is_traffic_logged: true, ..browser::Setup::default() }).await;
    give_session(&browser, &world, &world.base).await;
    browser.transfers().await;
    browser.go(&format!("{}/me", world.base)).await;
    browser.until_recorder_is("ready").await;
    let loaded = browser.transfers().await;
    println!("{loaded:#?}");
    for part in ["/me", ".css", ".js"] {
        assert!(loaded.keys().any(|url| url.contains(part)), "{part}: {loaded:#?}");
    }
    assert!(loaded.values().sum::<u64>() <= 60_000, "{loaded:#?}");
}
