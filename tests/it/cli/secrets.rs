//! The key for stored secrets: giving secrets to commands, replacing the key, and backups with and without it.

use std::{os::unix::fs::PermissionsExt, path::Path};

use reqwest::StatusCode;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::support::process::{CommandOutput, Installation, Serving};

fn moodle<'a>(url: &'a str, token: &'a str) -> Vec<&'a str> {
    let create =
        ["tool-consumer", "create", "--institution", "example", "--lms", "moodle", "--name", "Moodle"];
    [&create[..], &["--url", url, "--access-token", token]].concat()
}

const MOODLE: &str = "https://moodle.example.edu";

fn connect(here: &Installation, token: &str) -> CommandOutput {
    here.run(&moodle(MOODLE, token))
}

fn sealed(here: &Installation) -> String {
    let database = Connection::open(here.path("endonym-data/endonym.sqlite3")).unwrap();
    database.query_row("SELECT access_token FROM tool_consumers", [], |row| row.get(0)).unwrap()
}

/// The path of the link of an invitation.
fn invitation(here: &Installation) -> String {
    let words = ["invite", "--institution", "example", "--name-page", "class", "--csv", "ada@example.edu"];
    let printed = here.succeed(&words);
    let link = printed.lines().nth(1).unwrap().rsplit('/').next().unwrap();
    format!("/i/{}", link.trim().trim_matches('"'))
}

async fn open(serving: &Serving, path: &str) -> StatusCode {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(format!("{}{path}", serving.base)).send().await.unwrap().status()
}

/// What `doctor` says about the key.
fn doctor(here: &Installation) -> Value {
    let report: Value = serde_json::from_str(&here.run(&["doctor", "--json"]).stdout).unwrap();
    let parts = report["parts"].as_array().unwrap().iter();
    let mut parts = parts.filter(|part| part["part"] == "secrets");
    parts.next().cloned().unwrap_or(Value::Null)
}

#[tokio::test]
async fn a_secret_is_read_from_a_file_and_one_in_plain_text_is_warned_about() {
    let here = Installation::on_sqlite();
    here.furnish();
    let told = connect(&here, "a-token");
    assert!(told.code == 0 && told.stderr.contains("--access-token @FILE"), "{told:?}");
    here.write("token", "another-token\n");
    let other = "https://other.example.edu";
    let told = here.run(&moodle(other, "@token"));
    assert!(told.code == 0 && !told.stderr.contains("warning"), "{told:?}");
    let missing = here.run(&moodle(other, "@nowhere"));
    assert!(missing.code != 0 && missing.stderr.contains("nowhere"), "{missing:?}");
    here.write("blank", " \n");
    assert!(here.run(&moodle(other, "@blank")).code != 0);
    // In the environment, nobody else sees it.
    let mut command = here.command(&["institution", "list"]);
    let told = CommandOutput::of(command.env("ENDONYM_SECRET_KEY", "x".repeat(40)));
    assert!(told.code == 0 && !told.stderr.contains("--secret-key"), "{told:?}");
    let told = here.run(&["institution", "list", "--secret-key", &"x".repeat(40)]);
    assert!(told.stderr.contains("--secret-key @FILE"), "{told:?}");
}

#[tokio::test]
async fn a_server_does_not_start_with_the_secrets_of_the_examples() {
    let here = Installation::on_sqlite();
    for (name, value) in [
        ("ENDONYM_SECRET_KEY", "change-me"),
        ("ENDONYM_DATABASE_URL", "postgres://endonym:change-me@127.0.0.1:9/endonym"),
        ("ENDONYM_MAIL_URL", "smtp://user:ChangeMe@mail.example.edu:587"),
        ("AWS_SECRET_ACCESS_KEY", "change-me"),
    ] {
        for words in [&["serve", "--listen", "127.0.0.1:0"][..], &["work"]] {
            let refused = CommandOutput::of(here.bare().args(words).env(name, value)).refused();
            assert!(refused.contains("example secret"), "{name}: {refused}");
        }
    }
    assert!(!here.path("endonym-data").exists(), "nothing is made");
}

#[tokio::test]
async fn a_new_key_seals_what_is_stored_and_links_go_on_working() {
    let here = Installation::on_sqlite();
    here.furnish();
    assert_eq!(connect(&here, "a-token").code, 0);
    let link = invitation(&here);
    let serving = here.serve(&[]);
    assert_eq!(open(&serving, &link).await, 200);
    let before = sealed(&here);
    assert!(before.starts_with("v2:"), "{before}");
    let rotated = here.json(&["secrets", "rotate", "--json"]);
    assert_eq!((&rotated["resealed"], &rotated["unreadable"]), (&json!(1), &json!([])), "{rotated}");
    let after = sealed(&here);
    assert!(after.starts_with(&format!("v2:{}:", rotated["kid"].as_str().unwrap())), "{after}");
    assert_ne!(before, after);
    for file in ["secret.key", "secret.key.old"] {
        let mode = std::fs::metadata(here.path("endonym-data").join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }
    assert_eq!(open(&serving, &link).await, 200, "the running server has noticed it");
    let new = invitation(&here);
    assert_eq!(open(&serving, &new).await, 200);
    assert_eq!(serving.stop().await, 0);
    let again = here.serve(&[]);
    assert_eq!(open(&again, &link).await, 200);
    assert_eq!(doctor(&here)["works"], true);
    assert_eq!(again.stop().await, 0);
    // Without the old key, only what it has signed is lost.
    std::fs::remove_file(here.path("endonym-data/secret.key.old")).unwrap();
    let without = here.serve(&[]);
    assert_eq!(open(&without, &link).await, 404);
    assert_eq!(doctor(&here)["works"], true, "the credentials are sealed with the new one");
}

#[tokio::test]
async fn a_key_that_is_a_setting_is_replaced_by_another_one() {
    let here = Installation::on_sqlite();
    here.furnish();
    let [old, new] = ["an old key of 32 characters or more", "a new key of 32 characters or more"];
    let with = |words: &[&str], key: &str, old: Option<&str>| {
        let mut command = here.command(words);
        command.env("ENDONYM_SECRET_KEY", key);
        if let Some(old) = old {
            command.env("ENDONYM_SECRET_KEY_OLD", old);
        }
        CommandOutput::of(&mut command)
    };
    here.write("token", "a-token");
    with(&moodle(MOODLE, "@token"), old, None).succeeded();
    let refused = with(&["secrets", "rotate"], old, None).refused();
    assert!(refused.contains("ENDONYM_SECRET_KEY_OLD"), "{refused}");
    let rotated = with(&["secrets", "rotate", "--json"], new, Some(old)).json();
    assert_eq!(rotated["resealed"], 1, "{rotated}");
    let again = with(&["secrets", "rotate", "--json"], new, Some(old)).json();
    assert_eq!(again["resealed"], 0, "{again}");
    let report = with(&["doctor", "--json"], new, None);
    assert!(report.stdout.contains("can be decrypted: 1"), "{report:?}");
    assert!(!here.path("endonym-data/secret.key").exists());
}

/// The drill: a server is lost, and another one is made from its backup.
#[tokio::test]
async fn a_link_that_was_sent_opens_on_a_restored_server_if_the_key_is_there() {
    let here = Installation::on_sqlite();
    here.furnish();
    assert_eq!(connect(&here, "a-token").code, 0);
    let link = invitation(&here);
    assert_eq!(here.serve(&[]).stop().await, 0);

    let told = here.run(&["backup", "whole", "--with-secrets"]);
    assert!(told.stderr.contains("contains the secret key"), "{told:?}");
    let key = here.path("whole/files/secret.key");
    assert_eq!(std::fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    let there = Installation::on_sqlite();
    let told = there.run(&["restore", here.path("whole").to_str().unwrap()]);
    assert!(told.code == 0 && !told.stderr.contains("warning"), "{told:?}");
    works(&there, &link).await;

    let told = here.run(&["backup", "part"]);
    assert!(told.stderr.contains("does not contain the secret key"), "{told:?}");
    assert!(!here.path("part/files/secret.key").exists());
    let backup = here.path("part");
    // The key is put back before the restore, or after it.
    let there = Installation::on_sqlite();
    restored_without_key(&there, &backup);
    put_back(&here, &there);
    works(&there, &link).await;
    let there = Installation::on_sqlite();
    std::fs::create_dir(there.path("endonym-data")).unwrap();
    put_back(&here, &there);
    let told = there.run(&["restore", backup.to_str().unwrap(), "--yes"]);
    assert!(told.code == 0 && !told.stderr.contains("warning"), "{told:?}");
    works(&there, &link).await;
    // It is lost.
    let there = Installation::on_sqlite();
    restored_without_key(&there, &backup);
    let serving = there.serve(&[]);
    assert_eq!(open(&serving, &link).await, 404);
    let said = doctor(&there);
    assert_eq!(said["works"], false, "{said}");
    assert!(said["says"].as_str().unwrap().contains("invitations"), "{said}");
    assert!(said["mend"].as_str().unwrap().contains("secret.key"), "{said}");
    assert_eq!(serving.stop().await, 0);
    let rotated = there.run(&["secrets", "rotate"]);
    assert!(rotated.code == 1 && rotated.stderr.contains("tool_consumers"), "{rotated:?}");
}

async fn works(there: &Installation, link: &str) {
    let serving = there.serve(&[]);
    assert_eq!(open(&serving, link).await, 200);
    assert_eq!(doctor(there)["works"], true);
    assert_eq!(serving.stop().await, 0);
}

/// It says what will not work before it changes anything.
fn restored_without_key(there: &Installation, backup: &Path) {
    let told = there.run(&["restore", backup.to_str().unwrap()]);
    assert_eq!(told.code, 0, "{told:?}");
    for thing in ["secret.key", "credentials", "invitations", "ENDONYM_SECRET_KEY"] {
        assert!(told.stderr.contains(thing), "{thing}: {told:?}");
    }
}

fn put_back(here: &Installation, there: &Installation) {
    let file = "endonym-data/secret.key";
    std::fs::copy(here.path(file), there.path(file)).unwrap();
}
