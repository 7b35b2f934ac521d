//! `endonym serve`: how it starts, and the effect of its settings.

use std::process::Command;

use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{
    process::{CommandOutput, Installation, Serving},
    until,
};

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// The text after a label in the greeting.
fn said<'a>(serving: &'a Serving, word: &str) -> &'a str {
    let line = serving.greeting.lines().find(|line| line.trim_start().starts_with(word));
    line.unwrap_or_else(|| panic!("no {word} in {}", serving.greeting)).trim_start()[word.len()..].trim()
}

#[tokio::test]
async fn a_demonstration_can_be_tried_by_pasting_a_line() {
    let here = Installation::new().await;
    let serving = here.serve(&["--demo"]);
    let line = serving.greeting.lines().map(str::trim).find(|line| line.starts_with("curl ")).unwrap();
    let ended = CommandOutput::of(
        Command::new("sh").args(["-c", &format!("{line} --silent --show-error --noproxy '*'")]),
    );
    assert_eq!(ended.code, 0, "{line}: {ended:?}");
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert!(answer["participants"][0]["first_name"].is_string(), "{answer}");
    assert!(line.contains(said(&serving, "Token")), "the line has the token that is printed");
    // The printed name page exists and has people on it.
    let page = said(&serving, "Name page").split_whitespace().next().unwrap();
    let address = format!("{}/api/private/v4/name_pages/{page}/participants", serving.base);
    let people = client().get(address).header("Authorization", said(&serving, "Token")).send().await.unwrap();
    assert!(people.json::<Value>().await.unwrap()["meta"]["total_count"].as_u64().unwrap() >= 3);
}

#[tokio::test]
async fn a_demonstration_is_made_once() {
    let here = Installation::new().await;
    let first = here.serve(&["--demo"]);
    let token = said(&first, "Token").to_owned();
    let pages = || here.json(&["name-page", "list", "--institution", "demo", "--json"])["name_pages"].clone();
    let before = pages();
    assert_eq!(first.stop().await, 0);
    let second = here.serve(&["--demo"]);
    assert_eq!(said(&second, "Token"), token);
    assert_eq!(pages(), before);
    let tokens = here.json(&["token", "list", "--institution", "demo", "--json"]);
    assert_eq!(tokens["tokens"].as_array().unwrap().len(), 1);
    assert_eq!(here.json(&["institution", "list", "--json"])["institutions"].as_array().unwrap().len(), 1);
    // A revoked token is not printed again.
    here.succeed(&["token", "revoke", "--institution", "demo", tokens["tokens"][0]["id"].as_str().unwrap()]);
    assert_eq!(second.stop().await, 0);
    let third = here.serve(&["--demo"]);
    let fresh = said(&third, "Token").to_owned();
    assert_ne!(fresh, token);
    let address = format!("{}/api/private/v5/participants", third.base);
    assert_eq!(client().get(address).header("Authorization", fresh).send().await.unwrap().status(), 200);
}

/// The token grants access to the demo data: only its owner may read it.
#[tokio::test]
async fn the_kept_token_is_nobody_elses_to_read() {
    use std::os::unix::fs::PermissionsExt;
    let here = Installation::on_sqlite();
    let serving = here.serve(&["--demo"]);
    let token = said(&serving, "Token");
    for entry in std::fs::read_dir(here.path("endonym-data")).unwrap() {
        let entry = entry.unwrap();
        // Recordings and pictures are stored in a folder.
        let Ok(content) = std::fs::read(entry.path()) else { continue };
        if content.windows(token.len()).any(|part| part == token.as_bytes()) {
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{:?}", entry.path());
        }
    }
}

#[tokio::test]
async fn without_a_demonstration_nothing_is_made_and_the_next_step_is_said() {
    let here = Installation::new().await;
    let serving = here.serve(&[]);
    assert_eq!(here.json(&["institution", "list", "--json"]), json!({ "institutions": [] }));
    for words in ["endonym institution create", "endonym token create", "endonym name-page create", "--demo"]
    {
        assert!(serving.greeting.contains(words), "{}", serving.greeting);
    }
    // The suggested commands work while the server runs.
    for line in serving.greeting.lines().map(str::trim).filter(|line| line.starts_with("endonym ")) {
        let folder =
            std::path::Path::new(crate::support::process::BINARY).parent().unwrap().to_str().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("PATH={folder}:$PATH; {line}")]).current_dir(here.folder.path());
        if let Some(url) = &here.database_url {
            command.env("ENDONYM_DATABASE_URL", url);
        }
        CommandOutput::of(&mut command).succeeded();
    }
    let again = here.serve(&[]);
    assert!(again.greeting.contains("endonym"), "there is something to say next: {}", again.greeting);
    assert!(!again.greeting.contains("institution create"), "{}", again.greeting);
}

#[tokio::test]
async fn a_port_in_use_is_said_in_a_sentence() {
    let here = Installation::on_sqlite();
    let serving = here.serve(&[]);
    let said = here.refuse(&["serve", "--listen", serving.address()]);
    assert!(said.contains(serving.address()) && said.contains("--listen"), "{said}");
    for listen in ["192.0.2.1:80", "nonsense", "127.0.0.1:99999"] {
        let said = here.refuse(&["serve", "--listen", listen]);
        assert!(said.contains(listen), "{said}");
    }
}

#[tokio::test]
async fn commands_work_while_the_server_runs() {
    let here = Installation::new().await;
    let serving = here.serve(&[]);
    here.succeed(&["institution", "create", "--name", "Example", "--slug", "example"]);
    let token = here.token("made later")["token"].as_str().unwrap().to_owned();
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Class", "--slug", "class"]);
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "major"]);
    let address = format!("{}/api/private/v5/participants", serving.base);
    let participant = json!({ "first_name": "Ana", "email": "ana@example.edu", "custom_fields": { "custom_major": "Physics" } });
    let body = json!({ "name_page_id": "class", "participant": participant });
    let answer = client().post(&address).header("Authorization", &token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 201, "{:?}", answer.text().await);
    here.succeed(&["name-page", "delete", "--institution", "example", "class", "--yes"]);
    let answer = client().post(&address).header("Authorization", &token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}

#[tokio::test]
async fn links_are_made_from_the_base_url() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.import("first_name,email\nAna,ana@example.edu\n");
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let mut command = here.command(&["serve", "--listen", &listen]);
    command.env("ENDONYM_BASE_URL", "https://names.example.edu/base/");
    let serving = Serving::start(command, here.path("serve.log"));
    assert!(serving.greeting.contains("at https://names.example.edu/base\n"), "{}", serving.greeting);
    let address = format!("http://{listen}/api/private/v5/participants?per_page=1");
    let answer = client().get(address).header("Authorization", token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    let badge = answer["Response"]["participants"][0]["name_badge_link"].as_str().unwrap();
    assert!(badge.starts_with("https://names.example.edu/base/"), "{badge}");
}

#[tokio::test]
async fn limits_are_settings() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.write("limits.toml", "body_limit = 200\nrate_limit = 3\n");
    let serving = here.serve(&["--config", "limits.toml"]);
    let address = format!("{}/api/private/v5/participants", serving.base);
    let body = json!({ "name_page_id": "class", "participant": { "notes": "x".repeat(300) } });
    let answer = client().post(&address).header("Authorization", &token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 413);
    let message = answer.json::<Value>().await.unwrap()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("200"), "{message}");
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let answer = client().get(&address).header("Authorization", &token).send().await.unwrap();
        assert_eq!(answer.headers()["nc-rate-limit-limit"], "3");
        statuses.push(answer.status().as_u16());
    }
    assert_eq!(statuses, [200, 200, 429]);
}

#[tokio::test]
async fn an_institution_may_have_a_ceiling_of_its_own() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&["--rate-limit", "9"]);
    let limit = || async {
        let address = format!("{}/api/private/v5/participants", serving.base);
        let answer = client().get(address).header("Authorization", &token).send().await.unwrap();
        answer.headers()["nc-rate-limit-limit"].to_str().unwrap().to_owned()
    };
    assert_eq!(limit().await, "9");
    here.succeed(&["institution", "update", "example", "--token-rate-limit", "5000"]);
    until("it counts", || async { limit().await == "5000" }).await;
}

/// The usual soft limit is 1,024 open files per process, and the hard limit is much higher.
#[tokio::test]
async fn as_many_files_may_be_open_as_the_system_allows() {
    let here = Installation::on_sqlite();
    let inner = here.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut command = Command::new("sh");
    command.current_dir(here.folder.path()).args(["-c", "ulimit -S -n 200; exec \"$0\" \"$@\""]);
    command.arg(inner.get_program()).args(inner.get_args());
    let serving = Serving::start(command, here.path("serve.log"));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", serving.pid())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(words[3], words[4], "{line}");
    assert_ne!(words[3], "200", "{line}");
}

#[tokio::test]
async fn a_network_that_is_none_is_told() {
    let here = Installation::on_sqlite();
    let said = here.refuse(&["serve", "--listen", "127.0.0.1:0", "--trusted-proxies", "10.0.0.0/99"]);
    assert!(said.contains("--trusted-proxies") && said.contains("10.0.0.0/99"), "{said}");
}
