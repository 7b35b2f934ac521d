//! Logs: on standard error, one line per request, without personal data.

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::support::process::{CommandOutput, Installation, Serving};

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// The lines of the log, each of which must be a JSON object.
fn lines(serving_log: &str) -> Vec<Value> {
    let lines = serving_log.lines();
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

fn line_of<'a>(lines: &'a [Value], request_id: &str) -> &'a Value {
    lines
        .iter()
        .find(|line| line["request_id"] == request_id && line["status"].is_u64())
        .unwrap_or_else(|| panic!("no line for {request_id}"))
}

async fn get(serving: &Serving, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
    let mut request = client().get(format!("{}{path}", serving.base));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

#[tokio::test]
async fn every_request_has_a_line_with_the_id_that_the_answer_has() {
    let (here, token) = Installation::on_sqlite_with_token();
    let serving = here.serve(&[]);
    let given = get(
        &serving,
        "/api/private/v5/participants",
        &[("Authorization", &token), ("X-Request-Id", "proxy-7.a_B")],
    )
    .await;
    assert_eq!(given.headers()["x-request-id"], "proxy-7.a_B");
    let made = get(&serving, "/api/private/v4/participants/nobody", &[("Authorization", &token)]).await;
    let made = made.headers()["x-request-id"].to_str().unwrap().to_owned();
    let other = get(&serving, "/nowhere", &[]).await.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_ne!(made, other);
    let mut odd = Vec::new();
    for id in ["ana@example.edu", "two words", &"x".repeat(200), "\"quote"] {
        let answer = get(&serving, "/healthz", &[("X-Request-Id", id)]).await;
        odd.push(answer.headers()["x-request-id"].to_str().unwrap().to_owned());
        assert_ne!(odd.last().unwrap(), id, "what could hurt a log is not taken over");
    }
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    let lines = lines(&log);
    let line = line_of(&lines, "proxy-7.a_B");
    assert_eq!((&line["method"], &line["status"]), (&json!("GET"), &json!(200)));
    assert_eq!(line["route"], "/api/private/v5/participants");
    assert!(line["micros"].is_u64() && line["timestamp"].is_string() && line["level"] == "INFO", "{line}");
    assert_eq!(line_of(&lines, &made)["route"], "/api/private/v4/participants/{id_or_email}");
    assert_eq!(line_of(&lines, &other)["status"], 404);
    for id in odd {
        line_of(&lines, &id);
    }
    assert!(!log.contains("ana@example.edu"));
}

/// Personal data in paths, queries, headers and bodies, in successful and in failing requests.
#[tokio::test]
async fn no_personal_data_and_no_token() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&["--log", "debug"]);
    let secrets = ["zoe.secret", "secret-4711", "Zoé", "pronounced-so", "5552671", "some-other-token"];
    let email = "zoe.secret@example.edu";
    let address = |path: &str| format!("{}/api/private{path}", serving.base);
    let person = json!({ "first_name": "Zoé", "email": email, "institution_id": "secret-4711", "phonetic": "pronounced-so",
        "notes": "Zoé", "phone_number": "+14155552671" });
    let create = json!({ "name_page_id": "class", "participant": person });
    let search = json!({ "email_list": [email], "institution_id_list": ["secret-4711"] });
    let update = json!({ "name_page_id": "class", "participant": { "notes": "pronounced-so" } });
    let requests = [
        (Method::POST, "/v5/participants".to_owned(), Some(create.clone())),
        (Method::POST, "/v5/participants".to_owned(), Some(create)),
        (Method::GET, format!("/v4/participants/{email}"), None),
        (Method::GET, format!("/v5/participants/latest?tokens={email},secret-4711"), None),
        (Method::GET, format!("/v5/participants?email_list={email}&token={token}"), None),
        (Method::POST, "/v5/participants/search".to_owned(), Some(search)),
        (Method::GET, format!("/v4/participants/latest?token={email}&auth_token={token}"), None),
        (Method::GET, "/v5/participants?updated_after=zoe.secret".to_owned(), None),
        (Method::PUT, format!("/v5/participants/{email}"), Some(update.clone())),
        (Method::PUT, format!("/v5/nowhere/{email}"), Some(update.clone())),
        (Method::GET, format!("/v4/participants/{email}/"), None),
        (Method::PATCH, format!("/v4/participants/{email}"), None),
        (Method::DELETE, format!("/v5/participants/{email}?name_page_id=class"), None),
        (Method::DELETE, format!("/v5/participants/{email}?name_page_id=class"), None),
    ];
    for authorization in [token.as_str(), &format!("Bearer {token}"), "some-other-token"] {
        for (method, path, body) in &requests {
            let mut request =
                client().request(method.clone(), address(path)).header("Authorization", authorization);
            request = request
                .header("Referer", format!("https://x.example/{email}"))
                .header("Cookie", "u=secret-4711");
            if let Some(body) = body {
                request = request.json(body);
            }
            assert_ne!(request.send().await.unwrap().status(), 500, "{method} {path}");
        }
    }
    let code = "secret-code-4711";
    here.json(&[
        "name-page",
        "create",
        "--institution",
        "example",
        "--title",
        "Open",
        "--access-code",
        code,
        "--allow-v2",
        "--json",
    ]);
    for path in [
        format!("/v3/names?auth_token={token}&access_code={code}&email={email}"),
        format!("/v3/name/?auth_token={token}&first_name=Zoé&last_name=zoe.secret"),
        format!("/v3/names?auth_token=some-other-token&access_code={code}"),
        format!("/v3/{token}/{email}?access_code={code}"),
        format!("/v2/names?access_code={code}&email={email}"),
        format!("/v2/names?access_code=zoe.secret&auth_token={token}"),
    ] {
        assert_ne!(client().get(address(&path)).send().await.unwrap().status(), 500, "{path}");
    }
    for body in [
        format!("auth_token={token}&email_list={email}&access_code={code}"),
        format!("{{\"auth_token\":\"{token}"),
    ] {
        let search = client()
            .post(address("/v3/names/search"))
            .header("Content-Type", "application/x-www-form-urlencoded");
        assert_ne!(search.body(body).send().await.unwrap().status(), 500);
    }
    let malformed =
        client().post(address("/v5/participants")).header("Authorization", &token).body("{\"zoe.secret\"");
    assert_eq!(malformed.send().await.unwrap().status(), 400);
    get(&serving, &format!("/{email}?q={token}"), &[]).await;
    get(&serving, &format!("/players/1/{token}"), &[]).await;
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    assert!(lines(&log).len() > 40, "there is a log: {}", log.len());
    for route in [
        "/api/private/v3/names",
        "/api/private/v3/name",
        "/api/private/v3/names/search",
        "/api/private/v2/names",
    ] {
        assert!(lines(&log).iter().any(|line| line["route"] == route), "{route} has its lines");
    }
    for secret in secrets.iter().chain([&code]).chain([&token.as_str(), &token.rsplit('_').next().unwrap()]) {
        let found = log.lines().find(|line| line.contains(secret));
        assert!(found.is_none(), "{secret} is in the log: {found:?}");
    }
}

/// An invalid upload is the client's error: decoders would log an error for each packet.
#[tokio::test]
async fn a_damaged_upload_is_no_error_of_ours() {
    let (here, token) = Installation::on_sqlite_with_token();
    let serving = here.serve(&[]);
    let sound = crate::support::media::wav(1.0);
    let as_format = |format: u8| {
        let mut odd = sound.clone();
        odd[20] = format;
        odd
    };
    let mp3 = |byte: u8| [[0xff, 0xfb, 0x74, 0xc0].as_slice(), &[byte; 284]].concat().repeat(20);
    let flac = [b"fLaC\0\0\0\x22".as_slice(), &[0x10; 34], b"\x84\0\0\x04", &[0xff; 400]].concat();
    let ogg = [b"OggS\0\x02".as_slice(), &[0x77; 400]].concat();
    let mkv = [[0x1a, 0x45, 0xdf, 0xa3].as_slice(), &[0x42; 400]].concat();
    let mp4 = [b"\0\0\0\x18ftypM4A \0\0\0\0M4A isom\0\0\0\x40moov".as_slice(), &[0x61; 56]].concat();
    let bad = [as_format(0x42), as_format(0xfe), mp3(0xa5), mp3(0xff), flac, ogg, mkv, mp4];
    for (n, bytes) in bad.into_iter().enumerate() {
        let person = json!({ "first_name": "Ana", "email": format!("ana{n}@example.edu"),
            "pronunciation": crate::support::media::file(bytes) });
        let request = client()
            .post(format!("{}/api/private/v5/participants", serving.base))
            .header("Authorization", &token)
            .json(&json!({ "name_page_id": "class", "participant": person }));
        assert_eq!(request.send().await.unwrap().status(), 422, "{n}");
    }
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    assert!(lines(&log).iter().any(|line| line["status"] == 422), "{log}");
    for line in lines(&log) {
        assert!(line["level"] != "ERROR" && line["level"] != "WARN", "{line}");
    }
}

#[tokio::test]
async fn level_and_format_are_settings() {
    let (here, token) = Installation::on_sqlite_with_token();
    let log_of = |words: &'static [&'static str]| {
        let (here, token) = (&here, &token);
        async move {
            let _ = std::fs::remove_file(here.path("serve.log"));
            let serving = here.serve(words);
            get(
                &serving,
                "/api/private/v5/participants",
                &[("Authorization", token), ("X-Request-Id", "mine")],
            )
            .await;
            assert_eq!(serving.stop().await, 0);
            std::fs::read_to_string(here.path("serve.log")).unwrap()
        }
    };
    assert!(
        lines(&log_of(&[]).await).iter().any(|line| line["request_id"] == "mine"),
        "JSON unless on a terminal"
    );
    let text = log_of(&["--log-format", "text"]).await;
    assert!(text.contains("mine") && !text.starts_with('{'), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours where there is no terminal: {text}");
    assert!(!log_of(&["--log", "warn"]).await.contains("mine"));
    let refused = here.refuse(&["serve", "--listen", "127.0.0.1:0", "--log", "a=b=c"]);
    assert!(refused.contains("a=b=c"), "{refused}");
}

/// Standard output is reserved for scripts.
#[tokio::test]
async fn commands_log_to_standard_error_alone() {
    let (here, token) = Installation::on_sqlite_with_token();
    let listed =
        CommandOutput::of(here.command(&["institution", "list", "--json"]).env("ENDONYM_LOG", "debug"))
            .json();
    assert_eq!(listed["institutions"].as_array().unwrap().len(), 1);
    let serving = here.serve(&["--demo"]);
    get(&serving, "/api/private/v5/participants", &[("Authorization", &token)]).await;
    assert!(!serving.log().contains(&token));
    let demo = serving.greeting.lines().find(|line| line.trim().starts_with("Token")).unwrap();
    let demo = demo.split_whitespace().nth(1).unwrap();
    assert!(!serving.log().contains(demo), "the demonstration's token is for the terminal, not for the log");
}
