//! `endonym migrate`, and the behavior without it.

use std::process::Stdio;

use endonym::store::migrations;

use crate::support::{
    database::on_postgres,
    process::{CommandOutput, Installation},
};

#[tokio::test]
async fn postgres_is_migrated_by_the_operator_alone() {
    if !on_postgres() {
        return; // SQLite: `sqlite_is_migrated_by_whoever_comes_first`.
    }
    let here = Installation::untouched().await;
    for words in [
        &["institution", "create", "--name", "Example", "--json"][..],
        &["institution", "list"],
        &["token", "list", "--institution", "example"],
        &["import", "--institution", "example", "--name-page", "class", "people.csv"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["serve", "--listen", "127.0.0.1:0", "--demo"],
    ] {
        let said = here.refuse(words);
        assert!(said.contains("`endonym migrate`"), "{words:?}: {said}");
    }
    let said = here.succeed(&["migrate"]);
    assert!(said.contains("PostgreSQL") && said.contains(&migrations::NEWEST.to_string()), "{said}");
    let again = here.succeed(&["migrate"]);
    assert!(again.contains("already at version"), "{again}");
    here.succeed(&["institution", "create", "--name", "Example"]);
    assert_eq!(here.serve(&[]).stop().await, 0);
}

#[tokio::test]
async fn sqlite_is_migrated_by_whoever_comes_first() {
    if on_postgres() {
        return; // PostgreSQL: `postgres_is_migrated_by_the_operator_alone`.
    }
    let here = Installation::untouched().await;
    assert!(!here.path("endonym-data").exists());
    here.succeed(&["institution", "create", "--name", "Example"]);
    assert!(here.path("endonym-data/endonym.sqlite3").is_file());
    assert!(here.succeed(&["migrate"]).contains("already at version"));
    let elsewhere = Installation::untouched().await;
    elsewhere.succeed(&["migrate"]);
    elsewhere.succeed(&["institution", "list"]);
    let url = format!("sqlite:{}", elsewhere.path("named.sqlite3").display());
    CommandOutput::of(elsewhere.bare().args(["institution", "list", "--database-url", &url])).succeeded();
    assert!(elsewhere.path("named.sqlite3").is_file());
}

/// A deployment starts many nodes at the same time.
#[tokio::test]
async fn many_at_once_on_a_new_database() {
    let here = Installation::untouched().await;
    let words: &[&str] = if on_postgres() { &["migrate"] } else { &["institution", "list"] };
    let start = |_| here.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<_> = (0..8).map(start).collect();
    for child in children {
        CommandOutput::from(child.wait_with_output().unwrap()).succeeded();
    }
    here.succeed(&["institution", "create", "--name", "Example"]);
}

/// All nodes see each other's writes, nothing is lost, and none fails because of the others.
#[tokio::test]
async fn many_commands_at_once() {
    let (here, _) = Installation::with_token().await;
    let start = |i: usize| {
        let title = format!("Page {i}");
        let words = ["name-page", "create", "--institution", "example", "--title", &title];
        here.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(start).collect();
    for child in children {
        CommandOutput::from(child.wait_with_output().unwrap()).succeeded();
    }
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"].as_array().unwrap().len(), 9);
}
