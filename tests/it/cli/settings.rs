//! Settings: flags, environment, file, defaults.

use std::{collections::BTreeSet, process::Command};

use endonym::config::DEFAULTS;
use serde_json::{Value, json};

use crate::support::process::{BINARY, CommandOutput, Installation};

/// The data folder and the address that `doctor` prints: both are settings.
fn seen(command: &mut Command, flags: &[&str]) -> (String, String) {
    let ended = CommandOutput::of(command.args(["doctor", "--json"]).args(flags));
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"));
    let says = |part: &str| {
        let parts = report["parts"].as_array().unwrap();
        let found = parts.iter().find(|one| one["part"] == part).unwrap();
        found["says"].as_str().unwrap().split_whitespace().next().unwrap().to_owned()
    };
    (says("data folder"), says("listen"))
}

#[tokio::test]
async fn a_flag_wins_over_the_environment_which_wins_over_the_file_which_wins_over_the_default() {
    let here = Installation::untouched().await;
    let pair = |data: &str, listen: &str| (data.to_owned(), listen.to_owned());
    assert_eq!(seen(&mut here.bare(), &[]), pair("./endonym-data", "127.0.0.1:8080"));
    here.write("endonym.toml", "data_dir = \"from-file\"\nlisten = \"127.0.0.1:7001\"\n");
    assert_eq!(seen(&mut here.bare(), &[]), pair("from-file", "127.0.0.1:7001"));
    let in_environment = || {
        let mut command = here.bare();
        command.env("ENDONYM_DATA_DIR", "from-env").env("ENDONYM_LISTEN", "127.0.0.1:7002");
        command
    };
    assert_eq!(seen(&mut in_environment(), &[]), pair("from-env", "127.0.0.1:7002"));
    assert_eq!(
        seen(&mut in_environment(), &["--data-dir", "from-flag"]),
        pair("from-flag", "127.0.0.1:7002")
    );
    assert_eq!(
        seen(&mut in_environment(), &["--listen", "127.0.0.1:7003"]),
        pair("from-env", "127.0.0.1:7003")
    );
}

#[tokio::test]
async fn a_file_is_named_by_flag_or_environment_or_lies_in_the_folder() {
    let here = Installation::untouched().await;
    here.write("endonym.toml", "data_dir = \"usual\"\n");
    here.write("other.toml", "data_dir = \"named\"\n");
    here.write("third.toml", "data_dir = \"third\"\n");
    assert_eq!(seen(&mut here.bare(), &[]).0, "usual");
    assert_eq!(seen(&mut here.bare(), &["--config", "other.toml"]).0, "named");
    assert_eq!(seen(&mut here.bare(), &["--config=other.toml"]).0, "named");
    assert_eq!(seen(here.bare().args(["--config", "other.toml"]), &[]).0, "named", "before the command");
    assert_eq!(seen(here.bare().env("ENDONYM_CONFIG", "other.toml"), &[]).0, "named");
    let mut command = here.bare();
    command.env("ENDONYM_CONFIG", "other.toml");
    assert_eq!(seen(&mut command, &["--config", "third.toml"]).0, "third", "the flag wins here too");
}

#[tokio::test]
async fn what_cannot_be_a_setting_is_refused() {
    let here = Installation::untouched().await;
    let refused = |text: &str| {
        here.write("bad.toml", text);
        CommandOutput::of(here.bare().args(["--config", "bad.toml", "institution", "list"])).refused()
    };
    let said = refused("data_dri = \"x\"\n");
    assert!(said.contains("data_dri") && said.contains("bad.toml"), "{said}");
    let said = refused("[storage]\ndata_dir = \"x\"\n");
    assert!(said.contains("storage"), "{said}");
    let said = refused("listen = \n");
    assert!(said.contains("bad.toml"), "{said}");
    let said = refused("database_connections = \"many\"\n");
    assert!(said.contains("many") && said.contains("database-connections"), "{said}");
    let said = refused("log_format = \"xml\"\n");
    assert!(said.contains("xml"), "{said}");
    let said =
        CommandOutput::of(here.bare().args(["--config", "nowhere.toml", "institution", "list"])).refused();
    assert!(said.contains("nowhere.toml"), "{said}");
    let said = CommandOutput::of(here.bare().env("ENDONYM_LOG_FORMAT", "xml").args(["institution", "list"]))
        .refused();
    assert!(said.contains("xml"), "{said}");
}

/// Flags without a value can be set anywhere, too.
#[tokio::test]
async fn switches_can_be_set_in_file_and_environment() {
    let here = Installation::new().await;
    let list = || here.command(&["institution", "list"]);
    assert!(CommandOutput::of(&mut list()).succeeded().starts_with("SLUG"));
    assert_eq!(CommandOutput::of(list().env("ENDONYM_JSON", "true")).json(), json!({ "institutions": [] }));
    assert!(CommandOutput::of(list().env("ENDONYM_JSON", "false")).succeeded().starts_with("SLUG"));
    here.write("endonym.toml", "json = true\n");
    assert_eq!(CommandOutput::of(&mut list()).json(), json!({ "institutions": [] }));
    assert!(CommandOutput::of(list().env("ENDONYM_JSON", "0")).succeeded().starts_with("SLUG"));
}

#[tokio::test]
async fn every_flag_of_a_command_can_come_from_the_environment() {
    let here = Installation::new().await;
    let mut command = here.command(&["institution", "create", "--json"]);
    command.env("ENDONYM_NAME", "From Outside").env("ENDONYM_SLUG", "outside");
    command.env("ENDONYM_TIME_ZONE", "Europe/Paris").env("ENDONYM_MULTIPLE_RECORDINGS", "true");
    assert_eq!(CommandOutput::of(&mut command).json()["slug"], "outside");
    let listed = here.json(&["institution", "list", "--json"])["institutions"][0].clone();
    assert_eq!(listed["name"], "From Outside");
    assert_eq!(
        (&listed["time_zone"], &listed["multiple_recordings"]),
        (&json!("Europe/Paris"), &json!(true))
    );
}

/// Service files and compose files contain empty lines like `ENDONYM_LISTEN=`.
#[tokio::test]
async fn an_empty_variable_is_no_setting() {
    let here = Installation::untouched().await;
    for name in [
        "ENDONYM_DATABASE_URL",
        "ENDONYM_CONFIG",
        "ENDONYM_DATA_DIR",
        "ENDONYM_LISTEN",
        "ENDONYM_DATABASE_CONNECTIONS",
    ] {
        let usual = ("./endonym-data".to_owned(), "127.0.0.1:8080".to_owned());
        assert_eq!(seen(here.bare().env(name, ""), &[]), usual, "{name}");
    }
}

/// The flags of `serve`, from its help, each with its default.
fn flags_of_serve() -> Vec<(String, Option<String>)> {
    let mut command = Command::new(BINARY);
    // Wide enough that no default is wrapped.
    let help = CommandOutput::of(command.args(["serve", "--help"]).env("COLUMNS", "1000").current_dir("/"))
        .succeeded();
    let mut flags: Vec<(String, Option<String>)> = Vec::new();
    let words: Vec<&str> = help.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let before = if at == 0 { "" } else { words[at - 1] };
        if let Some(name) = word.strip_prefix("--")
            && (before.ends_with(',') || !before.starts_with('`'))
            && !flags.iter().any(|(known, _)| known == name)
        {
            flags.push((name.to_owned(), None));
        }
        if *word == "[default:" {
            flags.last_mut().unwrap().1 = Some(words[at + 1].trim_end_matches(']').to_owned());
        }
    }
    flags
}

/// These cannot be set in the file: they name the file, or print something and exit.
const NO_SETTINGS: [&str; 3] = ["config", "help", "version"];

#[test]
fn the_file_of_defaults_has_every_setting_of_serve() {
    let file: toml::Table = DEFAULTS.parse().unwrap();
    let flags: Vec<_> =
        flags_of_serve().into_iter().filter(|(name, _)| !NO_SETTINGS.contains(&name.as_str())).collect();
    let of_flags: BTreeSet<String> = flags.iter().map(|(name, _)| name.replace('-', "_")).collect();
    let of_file: BTreeSet<String> = file.keys().cloned().collect();
    assert_eq!(of_flags, of_file);
    for (name, default) in flags {
        let stated = match &file[&name.replace('-', "_")] {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(true) => "true".to_owned(),
            toml::Value::Boolean(false) => String::new(),
            other => panic!("{other:?}"),
        };
        assert_eq!(default.unwrap_or_default(), stated, "--{name}");
    }
}

#[test]
fn every_flag_of_serve_names_its_variable() {
    let mut command = Command::new(BINARY);
    let help = CommandOutput::of(command.args(["serve", "--help"]).env("COLUMNS", "1000").current_dir("/"))
        .succeeded();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for (name, _) in flags_of_serve() {
        if !["help", "version"].contains(&name.as_str()) {
            let variable = format!("[env: ENDONYM_{}", name.replace('-', "_").to_uppercase());
            assert!(help.contains(&variable), "--{name} has no variable in the help");
        }
    }
}

/// Values in a file or in the environment may be passwords.
#[tokio::test]
async fn a_password_is_shown_nowhere() {
    let here = Installation::untouched().await;
    let url = "postgres://endonym:hunter2@127.0.0.1:1/endonym";
    here.write("secret.toml", format!("database_url = \"{url}\"\n"));
    for words in [
        &["--help"][..],
        &["serve", "--help"],
        &["doctor"],
        &["doctor", "--json"],
        &["institution", "list"],
        &["migrate"],
        &["serve"],
    ] {
        let in_file = CommandOutput::of(here.bare().args(["--config", "secret.toml"]).args(words));
        let in_environment = CommandOutput::of(here.bare().env("ENDONYM_DATABASE_URL", url).args(words));
        for ended in [in_file, in_environment] {
            assert!(
                !ended.stdout.contains("hunter2") && !ended.stderr.contains("hunter2"),
                "{words:?}: {ended:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_base_url_must_be_one() {
    let here = Installation::new().await;
    for url in
        ["names.example.edu", "ftp://names.example.edu", "https://", "https://x.edu/?a=b", "https://a b"]
    {
        let said = here.refuse(&["serve", "--listen", "127.0.0.1:0", "--base-url", url]);
        assert!(said.contains(url), "{said}");
    }
}
