//! Real browsers, driven over WebDriver: Chromium, Firefox and WebKitGTK, with a microphone that hears what a test says.

mod launch;
mod marionette;
mod recorder;
mod sound_server;

use std::{
    collections::BTreeMap,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use crate::phone::phones::Program;
use launch::Session;
use sound_server::SoundServer;

/// Browsers need much CPU, and audio is late on a busy machine.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
/// The key of element references in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    Chromium,
    Firefox,
    WebKit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Microphone {
    /// Pages may use it without a prompt.
    Granted,
    /// Not in WebKit, whose driver grants every request.
    Denied,
    /// There is none.
    Missing,
}

/// What a test wants of a browser.
pub struct Setup {
    pub engine: Engine,
    /// `None`: no sound server either, which only Chromium can play audio without.
    pub microphone: Option<Microphone>,
    /// `Browser::prefer` changes it later, in Chromium.
    pub dark: bool,
    /// For `Accept-Language`; not in WebKit.
    pub language: Option<&'static str>,
    /// Preferences of Chromium's profile.
    pub preferences: Value,
    /// Further arguments of Chromium.
    pub arguments: &'static [&'static str],
    /// Log what is transferred, for `Browser::transfers`. Chromium only.
    pub is_traffic_logged: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            engine: Engine::Chromium,
            microphone: None,
            dark: false,
            language: None,
            preferences: json!({}),
            arguments: &[],
            is_traffic_logged: false,
        }
    }
}

pub struct Browser {
    pub engine: Engine,
    clicks: AtomicUsize,
    session: Session,
    // Dropped in this order.
    _programs: Vec<Program>,
    sound: Option<SoundServer>,
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

pub struct Element(Value);

/// A window or tab.
pub struct Window(Value);

impl Browser {
    /// Chromium.
    pub async fn start() -> Self {
        Self::with(Setup::default()).await
    }

    pub async fn with(setup: Setup) -> Self {
        let turn = ONE_AT_A_TIME.lock().await;
        let folder = tempfile::tempdir().unwrap();
        let sound = match setup.microphone {
            Some(microphone) => {
                Some(SoundServer::start(folder.path(), microphone != Microphone::Missing).await)
            }
            None => None,
        };
        let address = sound.as_ref().map(|sound| sound.address.as_str());
        let (session, programs) = launch::launch(&setup, folder.path(), address).await;
        let browser = Self {
            engine: setup.engine,
            clicks: AtomicUsize::new(0),
            session,
            _programs: programs,
            sound,
            folder,
            _turn: turn,
        };
        if setup.dark && setup.engine == Engine::Chromium {
            browser.prefer("dark").await;
        }
        browser
    }

    async fn command(&self, path: &str, body: Value) -> Value {
        let result = self.session.command(Method::POST, path, body.clone()).await;
        result.unwrap_or_else(|error| panic!("{path} {body}: {error}"))
    }

    async fn get(&self, path: &str) -> Value {
        let result = self.session.command(Method::GET, path, Value::Null).await;
        result.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub async fn go(&self, address: &str) {
        self.command("/url", json!({ "url": address })).await;
    }

    pub async fn back(&self) {
        self.command("/back", json!({})).await;
    }

    pub async fn reload(&self) {
        self.command("/refresh", json!({})).await;
    }

    pub async fn find(&self, css: &str) -> Element {
        self.find_by("css selector", css).await
    }

    async fn find_by(&self, how: &str, what: &str) -> Element {
        Element(self.command("/element", json!({ "using": how, "value": what })).await)
    }

    pub async fn click(&self, css: &str) {
        self.click_on(self.find(css).await).await;
    }

    /// Clicks on the visible button with this name, and waits for it first.
    pub async fn click_button(&self, name: &str) {
        self.until(&Self::button(name)).await;
        let path = format!("//button[not(@hidden) and normalize-space() = '{name}']");
        self.click_on(self.find_by("xpath", &path).await).await;
    }

    /// The visible button with this name, as an expression.
    pub fn button(name: &str) -> String {
        format!(
            "[...document.querySelectorAll('button')].find((one) => one.checkVisibility() && one.textContent.trim() === '{name}')"
        )
    }

    /// How often a test has clicked.
    pub fn clicks(&self) -> usize {
        self.clicks.load(Ordering::Relaxed)
    }

    fn set_clicks(&self, clicks: usize) {
        self.clicks.store(clicks, Ordering::Relaxed);
    }

    async fn click_on(&self, Element(element): Element) {
        self.clicks.fetch_add(1, Ordering::Relaxed);
        let id = element[ELEMENT].as_str().unwrap();
        self.command(&format!("/element/{id}/click"), json!({})).await;
    }

    /// Types into a field, or selects the file that it uploads.
    pub async fn write(&self, css: &str, text: &str) {
        let Element(element) = self.find(css).await;
        let id = element[ELEMENT].as_str().unwrap();
        self.command(&format!("/element/{id}/value"), json!({ "text": text })).await;
    }

    /// The current tab, for `enter_window`.
    pub async fn window(&self) -> Window {
        Window(self.get("/window").await)
    }

    /// Opens a tab and switches to it.
    pub async fn open_tab(&self) {
        let opened = self.command("/window/new", json!({ "type": "tab" })).await;
        self.enter_window(&Window(opened["handle"].clone())).await;
    }

    pub async fn enter_window(&self, Window(handle): &Window) {
        self.command("/window", json!({ "handle": handle })).await;
    }

    /// Switches to the window that the page has opened.
    pub async fn enter_new_window(&self) {
        for _ in 0..1_200 {
            let all = self.get("/window/handles").await;
            if let [_, .., last] = &all.as_array().unwrap()[..] {
                self.command("/window", json!({ "handle": last })).await;
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no other window was opened");
    }

    /// Presses a key wherever the focus is. The names of keys are those of WebDriver.
    pub async fn press(&self, key: &str) {
        self.press_together(&[key]).await;
    }

    /// Presses keys one after the other, and releases them in the opposite order: `Ctrl K`.
    pub async fn press_together(&self, keys: &[&str]) {
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        let actions: Vec<Value> = down.chain(up).collect();
        let action = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": actions }] });
        self.command("/actions", action).await;
    }

    /// Switches to a frame, or with `None` back to the page.
    pub async fn enter(&self, frame: Option<&str>) {
        let id = match frame {
            Some(css) => self.find(css).await.0,
            None => Value::Null,
        };
        self.command("/frame", json!({ "id": id })).await;
    }

    /// Emulates a preference for `light` or `dark` pages. Chromium only: others take it from `Setup`.
    pub async fn prefer(&self, scheme: &str) {
        self.emulate("prefers-color-scheme", scheme).await;
    }

    /// Emulates the preference for less motion. Chromium only.
    pub async fn reduce_motion(&self) {
        self.emulate("prefers-reduced-motion", "reduce").await;
    }

    async fn emulate(&self, feature: &str, value: &str) {
        let features = json!([{ "name": feature, "value": value }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": features })).await;
    }

    /// A command of the DevTools protocol. Chromium only.
    pub async fn devtools(&self, command: &str, params: Value) -> Value {
        self.command("/goog/cdp/execute", json!({ "cmd": command, "params": params })).await
    }

    /// Makes the page this wide. Windows of Firefox are at least 500 pixels wide, those of WebKit 447.
    pub async fn resize(&self, width: u32) {
        self.command("/window/rect", json!({ "width": width, "height": 900 })).await;
        self.until(&format!("innerWidth === {width}")).await;
    }

    /// The value of an expression in the page.
    pub async fn value(&self, expression: &str) -> Value {
        self.command("/execute/sync", json!({ "script": format!("return {expression}"), "args": [] })).await
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        if let Err(last) = self.comes_true(expression, Duration::from_secs(60)).await {
            let page = self.value("document.body.innerHTML").await;
            panic!("this never came true: {expression}\n{last}\n{page}");
        }
    }

    /// Waits for an expression to become true; otherwise says what its last evaluation gave.
    async fn comes_true(&self, expression: &str, limit: Duration) -> Result<(), String> {
        let script = json!({ "script": format!("return Boolean({expression})"), "args": [] });
        let mut last = Ok(Value::Null);
        let waiting = async {
            while last != Ok(json!(true)) {
                tokio::time::sleep(Duration::from_millis(50)).await;
                // It fails while a page is being replaced by another.
                last = self.session.command(Method::POST, "/execute/sync", script.clone()).await;
            }
        };
        tokio::time::timeout(limit, waiting).await.map_err(|_| format!("{last:?}"))
    }

    /// Says something into the microphone: plays a WAV file to its end.
    pub async fn say(&self, file: &Path) {
        let sound = self.sound.as_ref().expect("a browser that was started with a microphone");
        sound.play(self.folder.path(), file).await;
    }

    /// Saves a picture of the page as `NAME-ENGINE.png` in the directory `ENDONYM_TEST_SCREENSHOTS`, if that is set.
    #[allow(clippy::disallowed_methods)]
    pub async fn screenshot(&self, name: &str) {
        if let Some(folder) = std::env::var_os("ENDONYM_TEST_SCREENSHOTS") {
            let picture = BASE64_STANDARD.decode(self.get("/screenshot").await.as_str().unwrap()).unwrap();
            let file = format!("{name}-{:?}.png", self.engine).to_lowercase();
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(Path::new(&folder).join(file), picture).unwrap();
        }
    }

    /// What was transferred since the last call: URLs, and bytes of headers and bodies as sent, that is compressed. Needs
    /// `Setup::is_traffic_logged`.
    pub async fn transfers(&self) -> BTreeMap<String, u64> {
        let lines = self.command("/se/log", json!({ "type": "performance" })).await;
        let mut urls = BTreeMap::new();
        let mut bytes = BTreeMap::new();
        for line in lines.as_array().unwrap() {
            let event: Value = serde_json::from_str(line["message"].as_str().unwrap()).unwrap();
            let parameters = &event["message"]["params"];
            let id = parameters["requestId"].as_str().unwrap_or_default().to_owned();
            match event["message"]["method"].as_str().unwrap() {
                "Network.requestWillBeSent" => {
                    urls.insert(id, parameters["request"]["url"].as_str().unwrap().to_owned());
                }
                "Network.loadingFinished" => {
                    bytes.insert(id, parameters["encodedDataLength"].as_f64().unwrap() as u64);
                }
                _ => {}
            }
        }
        let finished = bytes.into_iter().filter_map(|(id, bytes)| Some((urls.remove(&id)?, bytes)));
        finished.filter(|(url, _)| url.starts_with("http")).collect()
    }

    /// Errors in the console. Chromium only.
    pub async fn complaints(&self) -> Vec<String> {
        let lines = self.command("/se/log", json!({ "type": "browser" })).await;
        let lines = lines.as_array().unwrap().iter().filter(|line| line["level"] == "SEVERE");
        lines.map(|line| line["message"].to_string()).collect()
    }

    /// The violations that axe-core finds in the document, frames excluded.
    pub async fn faults(&self, axe: &str) -> Vec<String> {
        self.load_axe(axe).await;
        // What passes is not described, which would take most of the time.
        let script = "const done = arguments[0]; \
            axe.run(document, { iframes: false, resultTypes: ['violations'] }).then((r) => done(r.violations))";
        let found = self.command("/execute/async", json!({ "script": script, "args": [] })).await;
        found.as_array().unwrap().iter().map(ToString::to_string).collect()
    }

    /// Chromium then has it in all later documents of this tab: to send it for each would take longer than most checks.
    async fn load_axe(&self, axe: &str) {
        if self.value("Boolean(window.axe)").await == true {
            return;
        }
        if self.engine == Engine::Chromium {
            self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": axe })).await;
        }
        self.command("/execute/sync", json!({ "script": axe, "args": [] })).await;
    }
}

impl Drop for Browser {
    /// A driver that is killed leaves its browser behind, so that the session ends first. Also when a test has failed.
    fn drop(&mut self) {
        let Session::WebDriver { url, .. } = &self.session else { return };
        let (host, path) = url.trim_start_matches("http://").split_once('/').unwrap();
        if let Ok(mut stream) = TcpStream::connect(host) {
            let end = format!("DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            // The driver answers when the browser is gone, and keeps the connection.
            let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
            let _ = stream.write_all(end.as_bytes()).and_then(|()| stream.read(&mut [0; 64]));
        }
    }
}
