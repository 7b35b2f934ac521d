//! `endonym doctor`

use std::net::TcpListener;

use endonym::store::migrations;
use serde_json::Value;

use super::keys;
use crate::support::{
    database::{execute, on_citus, on_postgres},
    process::{CommandOutput, Installation},
    valkey::ValkeyServer,
};

fn report(ended: CommandOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"))
}

fn part<'a>(report: &'a Value, name: &str) -> &'a Value {
    report["parts"].as_array().unwrap().iter().find(|one| one["part"] == name).unwrap()
}

/// Those of before that are short, where nothing but the code is asked for.
#[tokio::test]
async fn short_access_codes_that_open_something_are_named() {
    let (here, _) = Installation::with_token().await;
    let create = |title: &str, code: &str| {
        let words =
            ["name-page", "create", "--institution", "example", "--title", title, "--access-code", code];
        here.run(&[&words[..], &["--allow-v2"]].concat())
    };
    assert!(create("Choir", "r99e jjf").refused().contains("at least 8 characters"));
    create("Choir", "r99e jjfy").succeeded();
    create("Chess", "12345678").succeeded();
    let found =
        || part(&report(here.run(&["doctor", "--json", "--listen", "127.0.0.1:0"])), "access codes").clone();
    assert_eq!(found()["works"], true, "{}", found());
    let db = here.database().await;
    execute(&db, "UPDATE name_pages SET access_code = '1234567' WHERE slug = 'chess'", vec![]).await;
    let told = found();
    assert_eq!(told["works"], false);
    assert!(told["says"].as_str().unwrap().ends_with(": example/chess"), "{told}");
    assert!(told["mend"].as_str().unwrap().contains("--allow-v2 false"), "{told}");
    here.succeed(&["name-page", "update", "chess", "--institution", "example", "--allow-v2", "false"]);
    assert_eq!(found()["works"], true);
}

#[tokio::test]
async fn says_of_each_part_that_it_works() {
    let here = Installation::new().await;
    // The first command that needs SQLite creates the database.
    here.succeed(&["institution", "list"]);
    let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let report = report(ended);
    assert_eq!(keys(&report), ["parts", "works"]);
    assert_eq!(report["works"], true);
    for name in ["data folder", "database", "migrations", "jobs", "access codes", "blobs", "listen", "phone"]
    {
        let part = part(&report, name);
        assert_eq!(keys(part), ["mend", "part", "says", "works"]);
        assert_eq!((part["works"].as_bool(), part["mend"].as_str()), (Some(true), None), "{part}");
    }
    let kind = if on_postgres() { "PostgreSQL" } else { "SQLite" };
    assert!(part(&report, "database")["says"].as_str().unwrap().contains(kind));
    let text = here.succeed(&["doctor", "--listen", "127.0.0.1:0"]);
    // PostgreSQL also has its connections.
    let parts = 9 + usize::from(on_postgres()) + usize::from(on_citus());
    assert_eq!(text.lines().filter(|line| line.starts_with("ok")).count(), parts, "{text}");
}

#[tokio::test]
async fn a_database_that_is_not_there_is_said_and_how_to_mend_it() {
    let here = Installation::untouched().await;
    for url in [
        "postgres://endonym:secret@127.0.0.1:1/endonym",
        "sqlite:/proc/nowhere/endonym.sqlite3",
        "mysql://x/y",
    ] {
        let words = ["doctor", "--listen", "127.0.0.1:0", "--database-url", url];
        let ended = CommandOutput::of(here.bare().args(words).arg("--json"));
        assert!(ended.code > 0);
        let report = report(ended);
        assert_eq!(report["works"], false);
        let database = part(&report, "database");
        assert_eq!(database["works"], false);
        assert!(database["mend"].as_str().unwrap().contains("--database-url"), "{database}");
        assert_eq!(part(&report, "data folder")["works"], true, "the other parts are looked at all the same");
        assert_eq!(part(&report, "listen")["works"], true);
        let text = CommandOutput::of(here.bare().args(words));
        assert!(text.code > 0 && text.stdout.contains("FAIL") && text.stdout.contains("->"), "{text:?}");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_said() {
    let here = Installation::new().await;
    let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0", "--data-dir", "/proc/nowhere"]);
    assert!(ended.code > 0);
    let report = report(ended);
    let folder = part(&report, "data folder");
    assert!(folder["says"].as_str().unwrap().contains("/proc/nowhere"), "{folder}");
    assert!(folder["mend"].as_str().unwrap().contains("--data-dir"), "{folder}");
}

#[tokio::test]
async fn an_address_that_is_not_ours_is_said() {
    let here = Installation::new().await;
    for listen in ["192.0.2.1:8080", "nonsense"] {
        let ended = here.run(&["doctor", "--json", "--listen", listen]);
        assert!(ended.code > 0, "{ended:?}");
        let report = report(ended);
        assert!(part(&report, "listen")["mend"].as_str().unwrap().contains("--listen"));
    }
}

/// It also runs next to a running server.
#[tokio::test]
async fn a_port_in_use_is_no_illness() {
    let here = Installation::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = taken.local_addr().unwrap().to_string();
    let ended = here.run(&["doctor", "--json", "--listen", &listen]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(part(&report(ended), "listen")["says"].as_str().unwrap().contains("in use"));
}

#[tokio::test]
async fn a_database_that_is_behind_is_said_where_it_matters() {
    let here = Installation::untouched().await;
    let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0"]);
    let code = ended.code;
    let report = report(ended);
    let shape = part(&report, "migrations");
    if on_postgres() {
        assert!(code > 0);
        assert!(shape["mend"].as_str().unwrap().contains("endonym migrate"), "{shape}");
    } else {
        assert_eq!(code, 0, "SQLite is brought up to date by the next start: {shape}");
        assert_eq!(shape["works"], true);
    }
}

#[tokio::test]
async fn a_database_from_the_future_is_left_alone() {
    let here = Installation::new().await;
    here.succeed(&["institution", "list"]);
    let later = "INSERT INTO migrations (number, name) VALUES ($1, 'later')";
    execute(&here.database().await, later, vec![(migrations::NEWEST + 1).into()]).await;
    let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0"]);
    assert!(ended.code > 0);
    assert!(part(&report(ended), "migrations")["mend"].as_str().unwrap().contains("newer"));
    for words in [&["institution", "list"][..], &["serve", "--listen", "127.0.0.1:0"], &["migrate"]] {
        let said = here.refuse(words);
        assert!(said.contains("newer endonym"), "{words:?}: {said}");
    }
}

#[tokio::test]
async fn a_store_of_files_that_cannot_be_written_is_said_and_how_to_mend_it() {
    let here = Installation::new().await;
    for url in [
        "file:/proc/nowhere",
        "s3://names?endpoint=http://127.0.0.1:1&region=x&access_key_id=a&secret_access_key=very-secret",
        "s3://?endpoint=http://127.0.0.1:1",
        "s3://names?colour=blue",
        "ftp://names",
    ] {
        let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0", "--blobs-url", url]);
        assert!(ended.code > 0, "{url}");
        assert!(!ended.stdout.contains("very-secret") && !ended.stderr.contains("very-secret"));
        let report = report(ended);
        let blobs = part(&report, "blobs");
        assert_eq!(blobs["works"], false, "{url}");
        assert!(blobs["mend"].as_str().unwrap().contains("--blobs-url"), "{blobs}");
    }
}

#[tokio::test]
async fn a_store_of_rate_limits_is_asked_over_tls_if_its_authority_is_trusted() {
    let here = Installation::on_sqlite();
    here.succeed(&["institution", "list"]);
    let server = ValkeyServer::with_tls();
    let url = server.url();
    let command = || here.command(&["doctor", "--json", "--listen", "127.0.0.1:0", "--limits-url", &url]);
    let seen = report(CommandOutput::of(command().env("SSL_CERT_FILE", server.ca())));
    assert_eq!(part(&seen, "limits")["works"], true, "{seen}");
    let seen = report(CommandOutput::of(&mut command()));
    let limits = part(&seen, "limits");
    assert_eq!(limits["works"], false, "{limits}");
    assert!(limits["mend"].as_str().unwrap().contains("SSL_CERT_FILE"), "{limits}");
}

#[tokio::test]
async fn a_store_of_rate_limits_is_asked_and_how_to_mend_it_is_said() {
    let here = Installation::on_sqlite();
    here.succeed(&["institution", "list"]);
    let server = ValkeyServer::with_password(Some("very-secret"));
    let seen = |url: &str| {
        let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0", "--limits-url", url]);
        assert!(!ended.stdout.contains("-secret") && !ended.stderr.contains("-secret"), "{ended:?}");
        report(ended)
    };
    let report = seen(&server.url());
    let limits = part(&report, "limits");
    assert_eq!((limits["works"].as_bool(), limits["mend"].as_str()), (Some(true), None), "{limits}");
    let address = server.url().rsplit('@').next().unwrap().to_owned();
    for url in [
        format!("redis://:wrong-secret@{address}"),
        format!("redis://{address}"),
        "redis://:very-secret@127.0.0.1:1".to_owned(),
        "http://127.0.0.1:1".to_owned(),
    ] {
        let report = seen(&url);
        let limits = part(&report, "limits");
        assert_eq!(limits["works"], false, "{url}");
        assert!(limits["mend"].as_str().unwrap().contains("--limits-url"), "{limits}");
    }
}
