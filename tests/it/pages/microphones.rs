//! What tests in browsers rely on: a name that is said into the microphone arrives, and a browser is as its `Setup` says.

use std::sync::{Arc, Mutex};

use axum::{
    Router,
    body::Bytes,
    extract::DefaultBodyLimit,
    response::Html,
    routing::{get, post},
};
use endonym_media::sound::{Limits, process};

use crate::support::{
    browser::{Browser, ENGINES, Engine, Microphone, Setup},
    proxy::Proxy,
    speech::Clip,
};

const STATUS: &str = "document.querySelector('[role=status]').textContent";

/// A page with a recorder, behind a proxy. It keeps the take that was sent last.
struct Recorder {
    proxy: Proxy,
    take: Arc<Mutex<Option<Bytes>>>,
}

impl Recorder {
    async fn serve() -> Self {
        let take = Arc::new(Mutex::new(None));
        let kept = take.clone();
        let router = Router::new()
            .route("/", get(async || Html(include_str!("fixtures/recorder.html"))))
            .route("/take", post(async move |body: Bytes| *kept.lock().unwrap() = Some(body)))
            .layer(DefaultBodyLimit::disable());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::start(listener.local_addr().unwrap()).await;
        tokio::spawn(async { axum::serve(listener, router).await });
        Self { proxy, take }
    }

    fn take(&self) -> Option<Bytes> {
        self.take.lock().unwrap().clone()
    }
}

async fn start(engine: Engine, microphone: Microphone) -> Browser {
    Browser::with(Setup { engine, microphone: Some(microphone), ..Setup::default() }).await
}

async fn record(browser: &Browser, recorder: &Recorder, clip: &Clip) {
    browser.go(&recorder.proxy.base).await;
    browser.click("#record").await;
    browser.until(&format!("{STATUS} === 'recording'")).await;
    browser.say(&clip.file).await;
    browser.click("#stop").await;
    browser.until(&format!("{STATUS}.startsWith('take')")).await;
}

async fn a_name_arrives(engine: Engine) {
    let (recorder, clip) = (Recorder::serve().await, Clip::of("Siobhan Gallagher"));
    let browser = start(engine, Microphone::Granted).await;
    record(&browser, &recorder, &clip).await;
    browser.screenshot("microphone").await;
    let kind = browser.value(STATUS).await;
    browser.click("#play").await;
    browser.until("document.querySelector('audio').ended").await;

    recorder.proxy.cut_after(4_000);
    browser.click("#send").await;
    browser.until(&format!("{STATUS} === 'not sent'")).await;
    assert_eq!(recorder.take(), None);
    recorder.proxy.mend();
    browser.click("#send").await;
    browser.until(&format!("{STATUS} === 'sent'")).await;
    let take = recorder.take().unwrap();
    let stored = process(&take, &Limits::default()).unwrap();
    let figures = clip.compare(&stored.mp3);
    println!("{engine:?}, {kind}: {figures:?}");
    figures.expect_the_name();
}

#[tokio::test]
async fn a_name_that_is_said_to_chromium_arrives() {
    a_name_arrives(Engine::Chromium).await;
}

#[tokio::test]
async fn a_name_that_is_said_to_firefox_arrives() {
    a_name_arrives(Engine::Firefox).await;
}

#[tokio::test]
async fn a_name_that_is_said_to_webkit_arrives() {
    a_name_arrives(Engine::WebKit).await;
}

#[tokio::test]
async fn a_microphone_can_be_denied_or_missing() {
    let recorder = Recorder::serve().await;
    let fails = async |engine, microphone| {
        let browser = start(engine, microphone).await;
        browser.go(&recorder.proxy.base).await;
        browser.click("#record").await;
        browser.until(&format!("{STATUS} !== 'ready'")).await;
        browser.value(STATUS).await
    };
    for engine in [Engine::Chromium, Engine::Firefox] {
        assert_eq!(fails(engine, Microphone::Denied).await, "NotAllowedError", "{engine:?}");
    }
    for engine in ENGINES {
        let missing = if engine == Engine::WebKit { "OverconstrainedError" } else { "NotFoundError" };
        assert_eq!(fails(engine, Microphone::Missing).await, missing, "{engine:?}");
    }
}

#[tokio::test]
async fn a_browser_has_the_color_scheme_language_width_and_tabs_that_a_test_wants() {
    let recorder = Recorder::serve().await;
    let dark = "matchMedia('(prefers-color-scheme: dark)').matches";
    for engine in ENGINES {
        let language = (engine != Engine::WebKit).then_some("ar");
        let browser = Browser::with(Setup { engine, dark: true, language, ..Setup::default() }).await;
        browser.go(&recorder.proxy.base).await;
        assert_eq!(browser.value(dark).await, true, "{engine:?}");
        assert_eq!(browser.value("navigator.language").await, language.unwrap_or("en-US"), "{engine:?}");
        browser.resize(if engine == Engine::Chromium { 320 } else { 500 }).await;
        browser.resize(1_280).await;
        let first = browser.open_tab().await;
        browser.go(&format!("{}/#second", recorder.proxy.base)).await;
        browser.go("about:blank").await;
        browser.back().await;
        browser.until("location.hash === '#second'").await;
        browser.reload().await;
        browser.enter_window(&first).await;
        assert_eq!(browser.value("location.hash").await, "", "{engine:?}");
    }
}
