//! Help, version and completions.

use std::process::{Command, Stdio};

use crate::support::{
    database::on_postgres,
    process::{BINARY, CommandOutput, Installation},
};

fn run(words: &[&str]) -> CommandOutput {
    CommandOutput::of(Command::new(BINARY).args(words).current_dir("/").stdin(Stdio::null()))
}

#[test]
fn version() {
    assert_eq!(run(&["--version"]).succeeded(), format!("endonym {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_teaches_by_example() {
    let help = run(&["--help"]).succeeded();
    assert!(help.contains("Examples:"), "{help}");
    for command in [
        "serve",
        "migrate",
        "doctor",
        "ready",
        "institution",
        "token",
        "name-page",
        "custom-field",
        "member",
        "tool-consumer",
        "course",
        "import",
        "invite",
        "invitation",
        "sign-in-link",
        "moderation",
        "sso",
        "scim",
        "calls",
        "phone",
        "backup",
        "restore",
        "completions",
    ] {
        assert!(help.contains(&format!("  {command} ")), "{command} is not told of");
        run(&[command, "--help"]).succeeded();
    }
    for words in [
        &["institution", "create"][..],
        &["institution", "update"],
        &["token", "create"],
        &["name-page", "create"],
        &["custom-field", "create"],
        &["member", "add"],
        &["name-page", "export"],
        &["tool-consumer", "create"],
        &["course", "sync"],
        &["import"],
        &["sign-in-link"],
        &["sso", "create"],
        &["scim", "create"],
        &["scim", "map"],
        &["backup"],
        &["restore"],
        &["completions"],
    ] {
        let help = run(&[words, &["--help"]].concat()).succeeded();
        assert!(help.contains(&format!("endonym {}", words.join(" "))), "{words:?} has no example: {help}");
    }
}

/// An import makes no calls, and its help is long enough already.
#[test]
fn an_import_tells_of_the_phone_what_matters_to_it() {
    let help = run(&["import", "--help"]).succeeded();
    let told = ["--phone-url", "--phone-quiet-hours", "--phone-countries"];
    assert!(told.iter().all(|flag| help.contains(flag)), "{help}");
    assert_eq!(help.matches("--phone-").count(), told.len(), "{help}");
    let all = run(&["serve", "--help"]).succeeded();
    assert!(all.contains("--phone-attempts") && all.contains("--phone-voice"), "{all}");
    // Hidden settings are accepted nevertheless.
    let wrong = ["import", "--institution", "x", "--name-page", "x", "x.csv", "--phone-attempts", "0"];
    assert!(run(&wrong).refused().contains("--phone-attempts"));
}

/// Runs every line of the examples, in order.
#[tokio::test]
async fn the_examples_work_when_pasted() {
    let here = Installation::new().await;
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\n");
    here.write("moodle-token", "secret\n");
    here.write("secret", "secret\n");
    std::fs::create_dir(here.path("audio")).unwrap();
    let help = run(&["--help"]).succeeded().replace("\\\n", " ");
    let (_, examples) = help.split_once("Examples:").unwrap();
    let lines: Vec<&str> =
        examples.lines().map(str::trim).filter(|line| line.starts_with("endonym ")).collect();
    // Other tests cover commands that run until they are stopped, make calls, send mail or contact other systems.
    let ends = |line: &&str| {
        let others = ["endonym work", "endonym phone", "endonym mail", "endonym course", "endonym sso test"];
        let is_mailed = line.starts_with("endonym invite") && !line.ends_with("--csv");
        !line.contains("serve") && !is_mailed && !others.iter().any(|other| line.starts_with(other))
    };
    let lines: Vec<&str> = lines.into_iter().filter(ends).collect();
    // PostgreSQL has its own tools for these.
    let for_sqlite = |line: &str| line.contains(" backup ") || line.contains(" restore ");
    let lines: Vec<&str> = lines.into_iter().filter(|line| !(on_postgres() && for_sqlite(line))).collect();
    assert!(lines.len() >= 4, "{examples}");
    let folder = std::path::Path::new(BINARY).parent().unwrap().to_str().unwrap();
    for line in lines {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("PATH={folder}:$PATH; {line}")]).current_dir(here.folder.path());
        if let Some(url) = &here.database_url {
            command.env("ENDONYM_DATABASE_URL", url);
        }
        let ended = CommandOutput::of(&mut command);
        assert_eq!(ended.code, 0, "{line}: {ended:?}");
    }
}

#[test]
fn what_is_no_command_is_refused_with_a_hint() {
    for words in [
        &["nonsense"][..],
        &["institution"],
        &["token", "create", "--nonsense"],
        &["serve", "--listen"],
        &["import"],
    ] {
        let ended = run(words);
        assert!(ended.code > 0 && ended.stdout.is_empty(), "{ended:?}");
        assert!(
            ended.stderr.contains("Usage:") || ended.stderr.contains("--help"),
            "{words:?}: {}",
            ended.stderr
        );
    }
    let nothing = run(&[]);
    assert!(nothing.code > 0 && nothing.stdout.is_empty() && nothing.stderr.contains("Usage:"));
    assert!(run(&["instituton", "list"]).stderr.contains("institution"), "a near miss is guessed");
}

#[test]
fn completions_for_shells() {
    for (shell, checker) in [("bash", Some("bash")), ("zsh", None), ("fish", None)] {
        let script = run(&["completions", shell]).succeeded();
        for word in ["name-page", "custom-field", "--institution", "--dry-run"] {
            // fish completes long options without their dashes.
            assert!(script.contains(word.trim_start_matches('-')), "{shell} does not complete {word}");
        }
        if let Some(checker) = checker {
            // In a file: it is longer than a command-line argument may be.
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("script"), &script).unwrap();
            let ended =
                CommandOutput::of(Command::new(checker).args(["-n", "script"]).current_dir(folder.path()));
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{shell}");
        }
    }
    let said = run(&["completions", "telnet"]).refused();
    assert!(said.contains("bash") && said.contains("fish"), "{said}");
}

/// `endonym … | head` is common.
#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let (here, _) = Installation::on_sqlite_with_token();
    // Each row is refused with a line of its own: together, they are more than a pipe holds.
    let rows: String = (0..1_500).map(|i| format!("P,not-an-email-{i}\n")).collect();
    here.write("people.csv", format!("first_name,email\n{rows}"));
    for words in [
        "completions zsh",
        "--help",
        "institution list --json",
        "import --institution example --name-page class people.csv --dry-run",
        "import --institution example --name-page class people.csv --dry-run --json",
    ] {
        let line = format!("{BINARY} {words} | head -c 1 >/dev/null");
        let ended = CommandOutput::of(Command::new("sh").args(["-c", &line]).current_dir(here.folder.path()));
        assert!(!ended.stderr.contains("panicked"), "{words}: {}", ended.stderr);
    }
}
