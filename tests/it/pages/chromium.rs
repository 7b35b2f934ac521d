//! A real Chromium, controlled by WebDriver (JSON over HTTP).

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

/// Browsers need much CPU, and audio is late on a busy machine.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
/// The key of element references in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

pub struct Chromium {
    driver: Child,
    session: String,
    client: reqwest::Client,
    _profile: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

pub struct Element(Value);

impl Chromium {
    pub async fn start() -> Self {
        Self::with(json!({})).await
    }

    /// With preferences of the browser profile.
    pub async fn with(preferences: Value) -> Self {
        Self::launch(preferences, &[]).await
    }

    /// With a microphone that hears this WAV file again and again, and that pages may use.
    pub async fn hearing(file: &std::path::Path) -> Self {
        let heard = format!("--use-file-for-fake-audio-capture={}", file.display());
        let arguments =
            ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", heard.as_str()];
        Self::launch(json!({}), &arguments).await
    }

    async fn launch(preferences: Value, more: &[&str]) -> Self {
        let turn = ONE_AT_A_TIME.lock().await;
        let profile = tempfile::tempdir().unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect(
                "these tests need Chromium and its driver (Debian: apt-get install chromium chromium-driver)",
            );
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_once("started successfully on port ").map(|(_, port)| port.to_owned())
            })
            .expect("chromedriver says on which port it listens");
        let port = port.trim_end_matches('.').to_owned();
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(120)).build().unwrap();
        let folder = format!("--user-data-dir={}", profile.path().display());
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=800,900",
            &folder,
        ];
        let arguments = [&arguments[..], more].concat();
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": arguments, "prefs": preferences },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let root = format!("http://127.0.0.1:{port}/session");
        let answer = client.post(&root).json(&wanted).send().await.unwrap().json::<Value>().await.unwrap();
        let id = answer["value"]["sessionId"].as_str();
        let id = id.unwrap_or_else(|| panic!("these tests need a Chromium that starts: {answer}"));
        Self { session: format!("{root}/{id}"), driver, client, _profile: profile, _turn: turn }
    }

    async fn command(&self, path: &str, body: Value) -> Value {
        let answer = self.client.post(format!("{}{path}", self.session)).json(&body).send().await.unwrap();
        let status = answer.status();
        let answer: Value = answer.json().await.unwrap();
        assert!(status.is_success(), "{path} {body}: {}", answer["value"]["message"]);
        answer["value"].clone()
    }

    pub async fn go(&self, address: &str) {
        self.command("/url", json!({ "url": address })).await;
    }

    pub async fn find(&self, css: &str) -> Element {
        let found = self.command("/element", json!({ "using": "css selector", "value": css })).await;
        Element(found)
    }

    pub async fn click(&self, css: &str) {
        let Element(element) = self.find(css).await;
        let id = element[ELEMENT].as_str().unwrap();
        self.command(&format!("/element/{id}/click"), json!({})).await;
    }

    /// Types into a field, or selects a file to upload.
    pub async fn write(&self, css: &str, text: &str) {
        let Element(element) = self.find(css).await;
        let id = element[ELEMENT].as_str().unwrap();
        self.command(&format!("/element/{id}/value"), json!({ "text": text })).await;
    }

    /// Switches to the window that was opened last.
    pub async fn enter_new_window(&self) {
        let handles = async || {
            let answer = self.client.get(format!("{}/window/handles", self.session)).send().await.unwrap();
            let answer: Value = answer.json().await.unwrap();
            answer["value"].as_array().unwrap().clone()
        };
        for _ in 0..1_200 {
            let all = handles().await;
            if let [_, .., last] = &all[..] {
                self.command("/window", json!({ "handle": last })).await;
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no other window was opened");
    }

    /// Presses a key at the current focus. Keys have WebDriver's names.
    pub async fn press(&self, key: &str) {
        let pair = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let action = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": pair }] });
        self.command("/actions", action).await;
    }

    /// Switches to a frame, or with `None` back to the page.
    pub async fn enter(&self, frame: Option<&str>) {
        let id = match frame {
            Some(css) => self.find(css).await.0,
            None => {
                return drop(self.command("/frame", json!({ "id": null })).await);
            }
        };
        self.command("/frame", json!({ "id": id })).await;
    }

    /// Emulates the preference for light or dark pages.
    pub async fn prefer(&self, scheme: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": feature })).await;
    }

    /// A command of the DevTools protocol.
    pub async fn devtools(&self, command: &str, params: Value) -> Value {
        self.command("/goog/cdp/execute", json!({ "cmd": command, "params": params })).await
    }

    /// Evaluates an expression in the page.
    pub async fn value(&self, expression: &str) -> Value {
        self.command("/execute/sync", json!({ "script": format!("return {expression}"), "args": [] })).await
    }

    /// Waits until an expression is true.
    pub async fn until(&self, expression: &str) {
        for _ in 0..600 {
            if self.value(&format!("Boolean({expression})")).await == true {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let page = self.value("document.body.innerHTML").await;
        panic!("this never came true: {expression}\n{page}");
    }

    /// The errors and warnings on the console.
    pub async fn complaints(&self) -> Vec<String> {
        let lines = self.command("/se/log", json!({ "type": "browser" })).await;
        let lines = lines.as_array().unwrap().iter().filter(|line| line["level"] == "SEVERE");
        lines.map(|line| line["message"].to_string()).collect()
    }

    /// Violations that axe-core finds in the document, without frames.
    pub async fn faults(&self, axe: &str) -> Vec<String> {
        self.load_axe(axe).await;
        self.violations().await
    }

    pub async fn load_axe(&self, axe: &str) {
        self.command("/execute/sync", json!({ "script": axe, "args": [] })).await;
    }

    /// Like `faults`, after `load_axe`.
    pub async fn violations(&self) -> Vec<String> {
        let script = "const done = arguments[0]; axe.run(document, { iframes: false }).then((r) => done(r.violations))";
        let found = self.command("/execute/async", json!({ "script": script, "args": [] })).await;
        found.as_array().unwrap().iter().map(ToString::to_string).collect()
    }
}

impl Drop for Chromium {
    /// Closes the browser before the driver, which would leave it running; also when a test has failed.
    fn drop(&mut self) {
        let (host, path) = self.session.trim_start_matches("http://").split_once('/').unwrap();
        if let Ok(mut stream) = TcpStream::connect(host) {
            let end = format!("DELETE /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            // The driver responds once the browser has exited, and keeps the connection.
            let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
            let _ = stream.write_all(end.as_bytes()).and_then(|()| stream.read(&mut [0; 64]));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
