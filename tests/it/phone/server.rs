//! End to end, from a request to a playable recording: a real server, and a person with a phone.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::sleep;

use super::{
    cloud_stand_in::{Dialect, Vendor},
    phones::{
        baresip::{Baresip, Setup},
        sound,
    },
};
use crate::support::{
    process::{Installation, METRICS, PATIENCE, Serving},
    until,
};

const NUMBER: &str = "+12025550123";

fn trunk(phone: &Baresip) -> String {
    format!("sip://127.0.0.1:{}?from=%2B12025550100", phone.port)
}

fn serve(here: &Installation, phone: &Baresip, more: &[&str]) -> Serving {
    let url = trunk(phone);
    let words = ["--phone-url", &url, "--phone-quiet-hours", "off", "--workers", "2"];
    here.serve(&[&words[..], more, &METRICS].concat())
}

async fn create(serving: &Serving, token: &str) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let person = json!({ "first_name": "Siobhan", "email": "siobhan@x.org", "phone_number": NUMBER });
    let body = json!({ "name_page_id": "class", "participant": person });
    let request = client.post(format!("{}/api/private/v5/participants", serving.base));
    let answer = request.header("Authorization", token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 201);
}

async fn get(serving: &Serving, token: &str, path: &str) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", serving.base) };
    client.get(url).header("Authorization", token).send().await.unwrap()
}

fn call(here: &Installation) -> Value {
    here.json(&["calls", "list", "--json"])["calls"][0].clone()
}

/// In the database, because starting a program again and again takes the time of other tests.
async fn until_state(here: &Installation, state: &str) {
    let db = here.database().await;
    let now = || async {
        let read = db.read().one("SELECT state FROM calls", &[], |row| row.text(0)).await.unwrap();
        read.as_deref() == Some(state)
    };
    until(&format!("a call that is {state}"), now).await;
    assert_eq!(call(here)["state"], state);
}

/// The samples that `ffmpeg` decodes from a file, at the rate of a phone call, and its loudness.
fn heard(mp3: &[u8], here: &Installation) -> (Vec<i16>, f32) {
    let (file, wav) = (here.write("heard.mp3", mp3), here.path("heard.wav"));
    let run = |arguments: &[&str]| {
        let done = Command::new("ffmpeg").args(arguments).output().expect("`ffmpeg` is needed for this test");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let (file, wav) = (file.to_str().unwrap(), wav.to_str().unwrap());
    run(&["-y", "-i", file, "-ar", "8000", "-ac", "1", "-map_metadata", "-1", "-bitexact", wav]);
    let measured = run(&["-hide_banner", "-nostats", "-i", file, "-af", "ebur128", "-f", "null", "-"]);
    let line = measured.lines().rev().find(|line| line.trim_start().starts_with("I:")).unwrap();
    let loudness = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (sound::read(&std::fs::read(wav).unwrap()), loudness)
}

/// Presses 1, says a name after the tone, and presses `#`.
async fn say_name(phone: &mut Baresip, name: &[i16]) {
    let file = phone.folder().join("name.wav");
    sound::spoken(name, 0.0, &file);
    phone.press('1').await;
    // "Please say your name after the tone" takes two and a half seconds; five more are for the name.
    sleep(Duration::from_millis(3_500)).await;
    phone.say(&file).await;
    sleep(Duration::from_secs_f32(name.len() as f32 / sound::RATE as f32 + 0.7)).await;
    phone.press('#').await;
    sleep(Duration::from_millis(500)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_somebody_says_on_the_phone_is_played_to_others() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let serving = serve(&here, &phone, &[]);
    let name = sound::speech("Siobhan Papadopoulou", &phone.folder());
    create(&serving, &token).await;
    phone.until("CALL_ESTABLISHED").await;
    until_state(&here, "in_progress").await;
    say_name(&mut phone, &name).await;
    phone.press('1').await;
    phone.until("CALL_CLOSED").await;
    until_state(&here, "recorded").await;
    let attempts = call(&here)["attempts"].clone();
    assert_eq!((attempts.as_array().unwrap().len(), &attempts[0]["state"]), (1, &json!("recorded")));

    let path = "/api/private/v5/participants/latest?tokens=siobhan@x.org";
    let found: Value = get(&serving, &token, path).await.json().await.unwrap();
    let link = found["participants"][0]["recording_link"].as_str().unwrap().to_owned();
    let mp3 = get(&serving, &token, &link).await.bytes().await.unwrap();
    let (samples, loudness) = heard(&mp3, &here);
    let alike = sound::compare(&name, &samples);
    assert!(alike.correlation > 0.85 && alike.longer.abs() < 0.3, "{alike:?}");
    assert!((loudness + 16.0).abs() < 1.0, "{loudness} LUFS");
    let metrics = reqwest::get(serving.metrics()).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("endonym_call_attempts_total{state=\"recorded\"} 1"), "{metrics}");
    assert!(!serving.log().contains(NUMBER), "a number is in the log");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_made_again_when_its_process_is_killed() {
    let (here, token) = Installation::with_token().await;
    let phone = Baresip::start(NUMBER, Setup::default()).await;
    let again = ["--phone-retry-after-seconds", "0", "--phone-attempts", "2"];
    let first = serve(&here, &phone, &again);
    create(&first, &token).await;
    until_state(&here, "in_progress").await;
    first.kill();
    let second = serve(&here, &phone, &again);
    let db = here.database().await;
    let attempts = || async {
        db.read().one("SELECT COUNT(*) FROM call_attempts", &[], |row| row.int(0)).await.unwrap()
    };
    until("the second attempt", || async { attempts().await == Some(2) }).await;
    let killed = call(&here)["attempts"][0].clone();
    assert_eq!((&killed["state"], &killed["reason"]), (&json!("failed"), &json!("interrupted")));
    let id = call(&here)["id"].as_str().unwrap().to_owned();
    here.succeed(&["calls", "cancel", &id]);
    until("the line is free", || async { second.log().contains("call ended") }).await;
    assert_eq!(call(&here)["state"], "cancelled");
    assert_eq!(second.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_stops_ringing_when_its_call_is_canceled() {
    let (here, token) = Installation::with_token().await;
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let serving = serve(&here, &phone, &[]);
    create(&serving, &token).await;
    phone.until("CALL_INCOMING").await;
    assert_eq!(call(&here)["state"], "dialing");
    let id = call(&here)["id"].as_str().unwrap().to_owned();
    here.succeed(&["calls", "cancel", &id]);
    phone.until("CALL_CLOSED").await;
    assert!(!phone.has_seen("CALL_ESTABLISHED"));
    let ended = call(&here);
    assert_eq!(
        (&ended["state"], &ended["attempts"][0]["reason"]),
        (&json!("cancelled"), &json!("by_operator"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stops_hangs_up_and_the_call_is_made_again() {
    let (here, token) = Installation::on_sqlite_with_token();
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let serving = serve(&here, &phone, &["--grace-seconds", "0"]);
    create(&serving, &token).await;
    phone.until("CALL_INCOMING").await;
    assert_eq!(serving.stop().await, 0);
    phone.until("CALL_CLOSED").await;
    let ended = call(&here);
    assert_eq!(
        (&ended["state"], &ended["attempts"][0]["reason"]),
        (&json!("scheduled"), &json!("interrupted"))
    );
}

/// Anybody can send packets to a phone, and must not be able to fill the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn strangers_do_not_fill_the_log() {
    let (here, token) = Installation::on_sqlite_with_token();
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let port = super::phones::free_ports(1);
    let url = format!("{}&listen=127.0.0.1:{port}", trunk(&phone));
    let words = [
        "--phone-url",
        &url,
        "--phone-quiet-hours",
        "off",
        "--workers",
        "2",
        "--log",
        "debug",
        "--grace-seconds",
        "0",
    ];
    let serving = here.serve(&words);
    create(&serving, &token).await;
    phone.until("CALL_INCOMING").await;
    let stranger = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    stranger.connect(("127.0.0.1", port)).await.unwrap();
    for packet in [
        "xyzzy",
        "INVITE sip:xyzzy\r\nxyzzy\r\n\r\n",
        "SIP/2.0 999 xyzzy\r\nVia: xyzzy\r\n\r\n",
        // Valid enough to be parsed, but useless.
        "OPTIONS sip:xyzzy SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;branch=z9hG4bKxyzzy\r\n\r\n",
    ] {
        stranger.send(packet.as_bytes()).await.unwrap();
    }
    // It is answered after the requests before it have been read.
    let ask = "OPTIONS sip:us@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1;rport;branch=z9hG4bKaaaaaaaa\r\n\
               From: <sip:a@127.0.0.1>;tag=a\r\nTo: <sip:us@127.0.0.1>\r\nCall-ID: a\r\nCSeq: 1 OPTIONS\r\n\
               Max-Forwards: 70\r\nContent-Length: 0\r\n\r\n";
    stranger.send(ask.as_bytes()).await.unwrap();
    let mut heard = [0; 4096];
    let length = tokio::time::timeout(PATIENCE, stranger.recv(&mut heard)).await.unwrap().unwrap();
    assert!(heard[..length].starts_with(b"SIP/2.0 "), "{:?}", String::from_utf8_lossy(&heard[..length]));
    let doctor = here.succeed(&["doctor", "--phone-url", &url, "--listen", "127.0.0.1:0"]);
    assert!(doctor.contains("answers"), "the port is the server's, and the doctor uses another: {doctor}");
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    assert!(log.contains("call ended"), "there is a log: {log}");
    let from = stranger.local_addr().unwrap().to_string();
    for word in ["xyzzy", NUMBER, "z9hG4bK", "INVITE", &from] {
        assert!(!log.contains(word), "{word} is in the log: {log}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_call_is_told_step_by_step() {
    let here = Installation::on_sqlite();
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let url = trunk(&phone);
    let doctor = here.succeed(&["doctor", "--phone-url", &url, "--listen", "127.0.0.1:0"]);
    assert!(doctor.contains("SIP trunk 127.0.0.1") && doctor.contains("answers"), "{doctor}");
    let mut command = here.command(&["phone", "test", NUMBER, "--phone-url", &url]);
    let telling =
        tokio::task::spawn_blocking(move || crate::support::process::CommandOutput::of(&mut command));
    phone.until("CALL_ESTABLISHED").await;
    phone.press('9').await;
    let told = telling.await.unwrap().succeeded();
    for sentence in ["Calling +12025550123", "Answered.", "Key 9 was pressed.", "cancelled (opted_out)"] {
        assert!(told.contains(sentence), "{told}");
    }
    let busy = ["phone", "test", "123"];
    assert!(here.refuse(&busy).contains("write it like +12025550123"));
    assert!(here.refuse(&["phone", "test", NUMBER]).contains("no telephony is configured"));
    let abroad = ["phone", "test", NUMBER, "--phone-url", &url, "--phone-countries", "IE"];
    assert!(here.refuse(&abroad).contains("--phone-countries"));
    let costly = ["phone", "test", "+1 900 234 5678", "--phone-url", &url];
    assert!(here.refuse(&costly).contains("+19002345678 is a premium-rate, shared-cost or satellite number"));
}

/// They press a key, and the server is stopped while the farewell plays.
async fn press_and_stop(phone: &mut Baresip, serving: Serving, key: char) {
    phone.press(key).await;
    // Shorter than any farewell, and long enough for a key to arrive on a busy machine.
    sleep(Duration::from_secs(1)).await;
    assert_eq!(serving.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_pressed_9_is_not_called_again_though_the_server_stops() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let serving = serve(&here, &phone, &["--grace-seconds", "0"]);
    create(&serving, &token).await;
    phone.until("CALL_ESTABLISHED").await;
    until_state(&here, "in_progress").await;
    press_and_stop(&mut phone, serving, '9').await;
    let ended = call(&here);
    assert_eq!(
        (&ended["state"], &ended["attempts"][0]["reason"]),
        (&json!("cancelled"), &json!("opted_out"))
    );
    let listed = here.json(&["calls", "opt-outs", "--institution", "example", "--json"]);
    assert_eq!(listed["opt_outs"][0]["number"], NUMBER);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_kept_is_kept_though_the_server_stops() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut phone = Baresip::start(NUMBER, Setup::default()).await;
    let serving = serve(&here, &phone, &["--grace-seconds", "0"]);
    let name = sound::speech("Siobhan Papadopoulou", &phone.folder());
    create(&serving, &token).await;
    phone.until("CALL_ESTABLISHED").await;
    until_state(&here, "in_progress").await;
    say_name(&mut phone, &name).await;
    press_and_stop(&mut phone, serving, '1').await;
    assert_eq!(call(&here)["state"], "recorded", "{}", call(&here));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voice_that_is_slow_costs_no_attempt() {
    let (here, token) = Installation::on_sqlite_with_token();
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let serving = serve(&here, &phone, &["--phone-voice", "sleep 30"]);
    create(&serving, &token).await;
    phone.until("CALL_INCOMING").await;
    // Longer than the lease of a silent process, measured from the claim.
    sleep(Duration::from_secs(8)).await;
    assert_eq!(call(&here)["state"], "dialing", "{}", serving.log());
    assert!(!phone.has_seen("CALL_CLOSED"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_dead_process_has_left_is_looked_after_where_nobody_calls() {
    let (here, token) = Installation::with_token().await;
    let phone = Baresip::start(NUMBER, Setup { answers: false, ..Setup::default() }).await;
    let first = serve(&here, &phone, &["--phone-attempts", "1"]);
    create(&first, &token).await;
    phone.until("CALL_INCOMING").await;
    first.kill();
    let without = here.serve(&[]);
    until_state(&here, "failed").await;
    assert_eq!(call(&here)["attempts"][0]["reason"], "interrupted");
    assert_eq!(without.stop().await, 0);
}

/// Stopping a test call hangs up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_call_that_is_stopped_is_hung_up() {
    let here = Installation::on_sqlite();
    let vendor = Vendor::start(Dialect::Twilio).await;
    let url = vendor.phone_url();
    let mut command = here.command(&["phone", "test", NUMBER, "--phone-url", &url]);
    let mut testing = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(testing.stdout.take().unwrap()).lines();
    // It is being watched by now.
    tokio::task::block_in_place(|| told.find(|line| line.as_ref().unwrap() == "queued"))
        .expect("a call")
        .unwrap();
    let interrupt = format!("kill -INT {}", testing.id());
    assert!(Command::new("sh").args(["-c", &interrupt]).status().unwrap().success());
    let rest: Vec<String> = tokio::task::block_in_place(|| told.map_while(Result::ok).collect());
    let ended = tokio::task::block_in_place(|| testing.wait()).unwrap();
    assert!(ended.success() && rest.last().unwrap().contains("canceled"), "{ended}: {rest:?}");
    let sid = vendor.inner().calls[0].sid.clone();
    assert_eq!(vendor.inner().updates, [(sid, "canceled".to_owned())]);
}
