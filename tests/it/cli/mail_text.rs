//! `endonym mail-text …` and `endonym mail bounces …`

use serde_json::json;

use super::keys;
use crate::support::{database::execute, process::Installation};

const TARGET: [&str; 6] = ["--institution", "example", "--message", "invitation", "--language", "de"];

async fn installation() -> Installation {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    here
}

#[tokio::test]
async fn a_text_is_replaced_shown_previewed_and_reset() {
    let here = installation().await;
    let run = |words: &[&str]| here.json(&[&["mail-text"], words, &TARGET, &["--json"]].concat());
    let shown = run(&["show"]);
    assert_eq!(keys(&shown), ["built_in", "language", "message", "subject", "text"]);
    assert_eq!(shown["built_in"], true);
    assert!(shown["text"].as_str().unwrap().starts_with("Hallo {name},\n\n"), "{shown}");

    here.write("text.txt", "\u{feff}Moin {name}!\r\n\r\n{link}\r\n\r\nBis {closes}.\r\n");
    let set = run(&["set", "--file", "text.txt"]);
    assert_eq!((&set["built_in"], &set["subject"]), (&json!(false), &shown["subject"]), "the subject stays");
    assert_eq!(set["text"], "Moin {name}!\n\n{link}\n\nBis {closes}.");
    let set = run(&["set", "--subject", "Für {page}"]);
    assert_eq!((&set["subject"], &set["text"]), (&json!("Für {page}"), &run(&["show"])["text"]));

    let written = run(&["preview"]);
    assert!(written["subject"].as_str().unwrap().starts_with("Für "), "{written}");
    assert!(written["text"].as_str().unwrap().contains("Moin \u{2068}Ada Lovelace\u{2069}!"), "{written}");
    let html = here.succeed(&[&["mail-text", "preview", "--html"], &TARGET[..]].concat());
    assert!(
        html.contains("<html lang=\"de\" dir=\"ltr\">")
            && html.contains("<bdi>\u{2068}Ada Lovelace\u{2069}</bdi>")
    );
    let listed = here.json(&["mail-text", "list", "--institution", "example", "--json"]);
    assert_eq!(listed, json!({ "texts": [{ "message": "invitation", "language": "de" }] }));

    assert_eq!(run(&["reset"])["built_in"], true);
    assert_eq!(run(&["reset"])["built_in"], true, "twice");
    assert_eq!(run(&["show"]), shown);
}

#[tokio::test]
async fn mistakes_are_refused_with_their_reason() {
    let here = installation().await;
    for (name, content) in [
        ("typo.txt", &b"{nmae} {link}"[..]),
        ("linkless.txt", b"{name}"),
        ("blank.txt", b" \n"),
        ("latin.txt", b"caf\xe9 {link}"),
        ("fine.txt", b"{link}"),
    ] {
        here.write(name, content);
    }
    for (words, said) in [
        (&["--file", "typo.txt"][..], "text has the unknown placeholder `{nmae}`"),
        (&["--file", "linkless.txt"], "text must contain {link}"),
        (&["--file", "blank.txt"], "text can't be blank"),
        (&["--file", "latin.txt"], "is not UTF-8 text"),
        (&["--file", "nowhere.txt"], "cannot read nowhere.txt"),
        (&["--file", "fine.txt", "--subject", "{name}"], "subject has the unknown placeholder `{name}`"),
        (&["--file", "fine.txt", "--subject", " "], "subject can't be blank"),
        (&[], "nothing to change"),
    ] {
        let refused = here.refuse(&[&["mail-text", "set"], words, &TARGET].concat());
        assert!(refused.contains(said), "{refused}");
    }
    for (position, word, said) in [
        (1, "nowhere", "no institution `nowhere`"),
        (3, "sign_in", "invalid value"),
        (5, "tlh", "invalid value"),
    ] {
        let mut target = TARGET;
        target[position] = word;
        let refused = here.refuse(&[&["mail-text", "show"], &target[..]].concat());
        assert!(refused.contains(said), "{refused}");
    }
    let listed = here.json(&["mail-text", "list", "--institution", "example", "--json"]);
    assert_eq!(listed, json!({ "texts": [] }));
}

#[tokio::test]
async fn a_test_message_is_queued() {
    let here = installation().await;
    here.succeed(&[&["mail-text", "test", "you@example.edu"], &TARGET[..]].concat());
    let listed = here.json(&["mail", "list", "--json"]);
    assert_eq!(listed["messages"][0]["kind"], "sample");
    assert_eq!(listed["messages"][0]["to"], "you@example.edu");
    let refused = here.refuse(&[&["mail-text", "test", "you"], &TARGET[..]].concat());
    assert!(refused.contains("not a valid email"), "{refused}");
}

#[tokio::test]
async fn dead_addresses_are_listed_and_cleared() {
    let here = installation().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    let database = here.database().await;
    for (email, at) in [("ana@example.edu", 2_i64), ("bea@example.edu", 1)] {
        let mark = "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) \
                    SELECT id, $1, '550 No', CAST($2 AS BIGINT) FROM institutions";
        execute(&database, mark, vec![email.into(), at.into()]).await;
    }
    let list = |words: &[&str]| {
        let listed = here.json(&[&["mail", "bounces", "list", "--json"], words].concat());
        listed["bounces"].as_array().unwrap().clone()
    };
    assert_eq!(list(&[]).len(), 4);
    let listed = list(&["--institution", "example"]);
    assert_eq!(listed.len(), 2);
    assert_eq!(keys(&listed[0]), ["answer", "bounced_at", "email", "institution"]);
    assert_eq!((&listed[0]["email"], &listed[0]["answer"]), (&json!("ana@example.edu"), &json!("550 No")));

    let clear = ["mail", "bounces", "clear", "--institution", "example"];
    here.succeed(&[&clear[..], &["Ana@Example.edu"]].concat());
    let refused = here.refuse(&[&clear[..], &["ana@example.edu"]].concat());
    assert!(refused.contains("is not marked"), "{refused}");
    here.refuse(&clear);
    here.refuse(&[&clear[..], &["ana@example.edu", "--all"]].concat());
    assert_eq!(here.json(&[&clear[..], &["--all", "--json"]].concat()), json!({ "cleared": 1 }));
    let left = list(&[]);
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|one| one["institution"] == "other"), "{left:?}");
}
