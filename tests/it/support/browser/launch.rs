//! Starts each browser with what a test wants of it.

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::{Engine, Microphone, Setup, marionette::Marionette};
use crate::{
    phone::phones::{Program, free_ports},
    support::until,
};

const MINI_BROWSER: &str = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";

/// A connection to a browser or to its driver.
pub enum Session {
    /// The URL of a WebDriver session.
    WebDriver {
        url: String,
        client: reqwest::Client,
    },
    Marionette(Mutex<Marionette>),
}

impl Session {
    pub async fn command(&self, method: Method, path: &str, body: Value) -> Result<Value, String> {
        match self {
            Self::WebDriver { url, client } => send(client, method, &format!("{url}{path}"), &body).await,
            Self::Marionette(connection) => connection.lock().await.command(path, body).await,
        }
    }

    /// At a driver that has just been started.
    async fn open(driver: &Program, port: u16, wanted: Value) -> Self {
        driver.until_listening(port).await;
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(300)).build().unwrap();
        let root = format!("http://127.0.0.1:{port}/session");
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let opened = send(&client, Method::POST, &root, &wanted).await;
        let opened = opened.unwrap_or_else(|error| panic!("no browser: {error}\n{}", driver.said()));
        Self::WebDriver { url: format!("{root}/{}", opened["sessionId"].as_str().unwrap()), client }
    }
}

async fn send(client: &reqwest::Client, method: Method, url: &str, body: &Value) -> Result<Value, String> {
    let mut request = client.request(method.clone(), url);
    if method == Method::POST {
        request = request.json(body);
    }
    let answer = request.send().await.unwrap();
    let succeeded = answer.status().is_success();
    let answer: Value = answer.json().await.unwrap();
    if succeeded { Ok(answer["value"].clone()) } else { Err(answer["value"]["message"].to_string()) }
}

/// Keeps its files in `folder`, and talks to the sound server at this address.
pub async fn launch(setup: &Setup, folder: &Path, sound: Option<&str>) -> (Session, Vec<Program>) {
    let mut environment = vec![("HOME", folder.display().to_string())];
    environment.extend(sound.map(|address| ("PULSE_SERVER", address.to_owned())));
    match setup.engine {
        Engine::Chromium => chromium(setup, folder, &environment).await,
        Engine::Firefox => firefox(setup, folder, &environment).await,
        Engine::WebKit => webkit(setup, folder, environment).await,
    }
}

async fn chromium(setup: &Setup, folder: &Path, environment: &[(&str, String)]) -> (Session, Vec<Program>) {
    let mut arguments = vec![
        "--headless".to_owned(),
        "--no-sandbox".to_owned(),
        "--disable-gpu".to_owned(),
        "--disable-quic".to_owned(),
        "--no-first-run".to_owned(),
        "--disable-background-networking".to_owned(),
        "--disable-component-update".to_owned(),
        "--disable-sync".to_owned(),
        "--window-size=800,900".to_owned(),
        format!("--user-data-dir={}", folder.join("profile").display()),
    ];
    arguments.extend(setup.arguments.iter().map(|argument| (*argument).to_owned()));
    arguments.extend(setup.language.map(|language| format!("--accept-lang={language}")));
    let mut preferences = setup.preferences.clone();
    if let Some(microphone) = setup.microphone {
        preferences["profile.default_content_setting_values.media_stream_mic"] = permission(microphone);
    }
    let port = free_ports(1);
    let driver = Program::start_with("chromedriver", folder, &[&format!("--port={port}")], environment);
    let logs = if setup.is_traffic_logged {
        json!({ "browser": "ALL", "performance": "ALL" })
    } else {
        json!({ "browser": "ALL" })
    };
    let wanted = json!({
        "goog:chromeOptions": { "binary": chromium_program(setup, folder), "args": arguments, "prefs": preferences },
        "goog:loggingPrefs": logs,
        // axe-core needs long for the API reference on a busy machine.
        "timeouts": { "script": 240_000, "pageLoad": 240_000 },
    });
    (Session::open(&driver, port, wanted).await, vec![driver])
}

/// Chromium without its user interface, which takes a quarter of the time to start and half of the time for a page; the whole browser for what
/// only that has: a microphone, and a user's preferences.
fn chromium_program(setup: &Setup, folder: &Path) -> PathBuf {
    if setup.microphone.is_some() || setup.preferences != json!({}) {
        return installed("chromium");
    }
    // It opens no window by itself, and its driver expects one.
    let program = folder.join("chromium-with-a-window");
    let shell = installed("chromium-headless-shell");
    std::fs::write(&program, format!("#!/bin/sh\nexec '{}' \"$@\" about:blank\n", shell.display())).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    program
}

fn installed(program: &str) -> PathBuf {
    #[allow(clippy::disallowed_methods)]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("`{program}` is needed for this test"))
}

async fn firefox(setup: &Setup, folder: &Path, environment: &[(&str, String)]) -> (Session, Vec<Program>) {
    let profile = folder.join("profile");
    std::fs::create_dir(&profile).unwrap();
    let mut preferences = json!({
        "marionette.port": 0,
        "browser.startup.page": 0,
        "browser.newtabpage.enabled": false,
        "dom.ipc.processPrelaunch.enabled": false,
        // A page like any other, whose script can be run.
        "devtools.jsonview.enabled": false,
        "datareporting.policy.dataSubmissionEnabled": false,
        "layout.css.prefers-color-scheme.content-override": if setup.dark { 0 } else { 1 },
        // Without a process of its own for audio, which loses samples on a busy machine.
        "media.cubeb.sandbox": false,
    });
    if let Some(microphone) = setup.microphone {
        preferences["permissions.default.microphone"] = permission(microphone);
    }
    if let Some(language) = setup.language {
        preferences["intl.accept_languages"] = json!(language);
    }
    let lines = preferences.as_object().unwrap().iter();
    let lines = lines.map(|(name, value)| format!("user_pref(\"{name}\", {value});\n"));
    std::fs::write(profile.join("user.js"), lines.collect::<String>()).unwrap();
    let arguments = ["--headless", "--marionette", "--no-remote", "--profile", profile.to_str().unwrap()];
    let program = Program::start_with("firefox-esr", folder, &arguments, environment);
    let port = || std::fs::read_to_string(profile.join("MarionetteActivePort")).ok()?.trim().parse().ok();
    until("Firefox is ready", || async {
        assert!(program.is_running(), "Firefox: {}", program.said());
        port().is_some()
    })
    .await;
    (Session::Marionette(Mutex::new(Marionette::connect(port().unwrap()).await)), vec![program])
}

async fn webkit(
    setup: &Setup,
    folder: &Path,
    mut environment: Vec<(&str, String)>,
) -> (Session, Vec<Program>) {
    assert_ne!(setup.microphone, Some(Microphone::Denied), "WebKitWebDriver grants every request");
    assert_eq!(setup.language, None, "WebKitGTK takes its language from an installed locale");
    let screen = ["-displayfd", "1", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"];
    let display = Program::start("Xvfb", folder, &screen);
    display.until_said("\n").await;
    let number = display.said().lines().find_map(|line| line.parse::<u32>().ok());
    environment.push(("DISPLAY", format!(":{}", number.expect("the number of a display"))));
    environment.push(("LANG", "en_US.UTF-8".to_owned()));
    environment.push(("GTK_THEME", if setup.dark { "Adwaita:dark" } else { "Adwaita" }.to_owned()));
    // Building the list of plug-ins takes a second.
    let plugins = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gstreamer.registry");
    environment.push(("GST_REGISTRY", plugins.display().to_string()));
    let port = free_ports(1);
    let driver = Program::start_with("WebKitWebDriver", folder, &[&format!("--port={port}")], &environment);
    let wanted = json!({
        "webkitgtk:browserOptions": { "binary": MINI_BROWSER, "args": ["--automation"] },
    });
    (Session::open(&driver, port, wanted).await, vec![driver, display])
}

/// As both Chromium and Firefox write it.
fn permission(microphone: Microphone) -> Value {
    json!(if microphone == Microphone::Denied { 2 } else { 1 })
}
