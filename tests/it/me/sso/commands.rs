//! `endonym sso`, the check in `endonym doctor`, and what operators read in the log.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use reqwest::{header, redirect};
use serde_json::{Value, json};

use super::{CLIENT, Provider, SECRET};
use crate::support::{
    process::{CommandOutput, Installation, Serving},
    until,
};

/// Runs a command that reads a secret.
fn with_secret(mut command: Command, secret: &str) -> CommandOutput {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(format!("{secret}\n").as_bytes()).unwrap();
    CommandOutput::from(child.wait_with_output().unwrap())
}

fn allowed(here: &Installation, words: &[&str]) -> Command {
    let mut command = here.command(words);
    command.env("ENDONYM_OUTBOUND_ALLOW", "127.0.0.0/8");
    command
}

fn run(here: &Installation, words: &[&str]) -> CommandOutput {
    CommandOutput::of(&mut allowed(here, words))
}

fn create(here: &Installation, issuer: &str, secret: &str) -> Value {
    let words = [
        "sso",
        "create",
        "--institution",
        "example",
        "--issuer",
        issuer,
        "--client-id",
        CLIENT,
        "--client-secret",
        "-",
        "--domains",
        "example.edu,*.Example.org",
        "--name",
        "Campus",
        "--base-url",
        "https://names.example.edu",
        "--json",
    ];
    with_secret(allowed(here, &words), secret).json()
}

#[tokio::test]
async fn an_operator_connects_checks_changes_and_deletes_a_provider() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example", "--time-zone", "UTC"]);
    let provider = Provider::start("https://names.example.edu", json!({}), json!({})).await;
    let made = create(&here, &provider.issuer, SECRET);
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["redirect_uri"], "https://names.example.edu/sso/callback");
    assert_eq!(made["post_logout_redirect_uri"], "https://names.example.edu/sign-in");
    assert_eq!(made["domains"], json!(["example.edu", "*.example.org"]));
    assert_eq!(
        (&made["any_account"], &made["tenant"], &made["scopes"]),
        (&json!(false), &json!(null), &json!(["openid", "email"]))
    );
    let listed = run(&here, &["sso", "list", "--institution", "example", "--json"]).json();
    assert_eq!(listed["connections"][0]["issuer"], provider.issuer.as_str());
    assert!(!listed.to_string().contains(SECRET));
    let table = run(&here, &["sso", "list"]).succeeded();
    assert!(table.contains(&provider.issuer) && table.contains("example.edu,*.example.org"), "{table}");

    let tested = run(&here, &["sso", "test", id, "--json"]).json();
    assert_eq!(tested["works"], true, "{tested}");
    assert!(tested["says"].as_str().unwrap().contains("accepts the client id and secret"), "{tested}");
    let doctor = run(&here, &["doctor", "--json", "--listen", "127.0.0.1:0"]).json();
    let part = |report: &Value| {
        report["parts"].as_array().unwrap().iter().find(|part| part["part"] == "sso").unwrap().clone()
    };
    assert_eq!(part(&doctor)["works"], true, "{doctor}");

    let words = [
        "sso",
        "update",
        id,
        "--client-secret",
        "-",
        "--domains",
        "",
        "--any-account",
        "--name",
        "Login",
        "--json",
    ];
    let changed = with_secret(allowed(&here, &words), "another").json();
    assert_eq!(changed["connections"][0]["name"], "Login");
    assert_eq!(changed["connections"][0]["domains"], json!([]));
    assert_eq!(changed["connections"][0]["any_account"], true);
    let refused = run(&here, &["sso", "test", id]).refused();
    assert!(refused.contains("rejects the client id or the client secret (invalid_client)"), "{refused}");
    let refused = run(&here, &["sso", "update", id, "--trust-unverified-email", "true"]).refused();
    assert!(refused.contains("domains must be set"), "{refused}");

    drop(provider);
    let ended = run(&here, &["doctor", "--json", "--listen", "127.0.0.1:0"]);
    assert!(ended.code > 0);
    let broken = part(&serde_json::from_str(&ended.stdout).unwrap());
    assert_eq!(broken["works"], false);
    assert!(broken["mend"].as_str().unwrap().contains("endonym sso test"), "{broken}");
    run(&here, &["sso", "delete", id]).succeeded();
    assert!(run(&here, &["sso", "test", id]).refused().contains("endonym sso list"));
    assert_eq!(run(&here, &["sso", "list", "--json"]).json()["connections"], json!([]));
}

#[tokio::test]
async fn a_wrong_secret_is_explained_in_the_log_and_not_on_the_page() {
    let (here, _) = Installation::with_token().await;
    let serve = allowed(&here, &["serve", "--listen", "127.0.0.1:0"]);
    let server = Serving::start(serve, here.path("log"));
    let base = server.base.clone();
    let provider = Provider::start(&base, json!({}), json!({})).await;
    provider.account(super::account("ana@example.edu")).await;
    let made = create(&here, &provider.issuer, "not the secret");
    let client = reqwest::Client::builder().no_proxy().redirect(redirect::Policy::none()).build().unwrap();
    let (mut url, mut cookies) =
        (format!("{base}/sso/{}/start", made["id"].as_str().unwrap()), Vec::<String>::new());
    let page = loop {
        let response = client.get(&url).header(header::COOKIE, cookies.join("; ")).send().await.unwrap();
        for line in response.headers().get_all(header::SET_COOKIE) {
            cookies.push(line.to_str().unwrap().split(';').next().unwrap().to_owned());
        }
        let Some(next) = response.headers().get(header::LOCATION) else { break response };
        url = url::Url::parse(&url).unwrap().join(next.to_str().unwrap()).unwrap().to_string();
    };
    assert!(url.starts_with(&base), "{url}");
    assert_eq!(page.status(), 503);
    let text = page.text().await.unwrap();
    assert!(text.contains("is not set up correctly") && !text.contains("invalid_client"), "{text}");
    // The log is written after the response.
    let cause = "rejects the client id or the client secret (invalid_client)";
    until("the log says why", || async { server.log().contains(cause) }).await;
    let log = server.log();
    assert!(log.contains("endonym sso update") && !log.contains("not the secret"), "{log}");
    server.stop().await;
}

#[tokio::test]
async fn an_operator_gives_roles_to_groups() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example", "--time-zone", "UTC"]);
    let made = create(&here, "http://127.0.0.1:9", SECRET);
    let id = made["id"].as_str().unwrap();
    let mapped = run(&here, &["sso", "map-group", id, "--group", "it", "--role", "owner", "--json"]).json();
    let rules = json!([{ "group": "it", "role": "owner", "name_pages": null }]);
    assert_eq!(mapped, json!({ "claim": "groups", "groups": rules }));
    let table = run(&here, &["sso", "map-group", id, "--group", "staff", "--role", "reader"]).succeeded();
    assert!(table.contains("staff") && table.contains("reader") && table.contains("it"), "{table}");
    run(&here, &["sso", "map-group", id, "--group", "staff", "--role", "reader", "--name-page", "x"])
        .refused();
    run(&here, &["sso", "map-group", id, "--group", " ", "--role", "reader"]).refused();
    run(&here, &["sso", "unmap-group", id, "--group", "it"]).succeeded();
    let listed = run(&here, &["sso", "groups", id, "--claim", "roles", "--json"]).json();
    assert_eq!((&listed["claim"], &listed["groups"][0]["group"]), (&json!("roles"), &json!("staff")));
    assert_eq!(listed["groups"].as_array().unwrap().len(), 1);
}
