//! `endonym mail …`, the checks of `endonym doctor`, and the settings.

use serde_json::Value;

use super::{FROM, Server};
use crate::support::process::{Ended, Installation};

fn mail_part(ended: Ended) -> Value {
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"));
    let parts = report["parts"].as_array().unwrap();
    parts.iter().find(|one| one["part"] == "mail").expect("doctor checks mail").clone()
}

#[tokio::test]
async fn a_test_message_is_sent_and_the_answer_is_printed() {
    let here = Installation::on_sqlite();
    let server = Server::start(&[]).await;
    let url = server.url();
    let settings = ["--mail-url", &url, "--mail-from", FROM];
    let said = here.succeed(&[&["mail", "test", "ana@example.org"][..], &settings].concat());
    assert!(said.contains("Answer: 250 2.0.0 Accepted as 42"), "{said}");
    let said = here.json(&[&["mail", "test", "ana@example.org", "--json"][..], &settings].concat());
    assert_eq!(said["answer"], "250 2.0.0 Accepted as 42");
    assert_eq!(server.received().len(), 2);
    assert!(!here.path("endonym-data").exists(), "nothing is stored");

    for (to, reason) in
        [("unknown@example.org", "550 5.1.1 There is no such mailbox"), ("ana", "not a valid email")]
    {
        let why = here.refuse(&[&["mail", "test", to][..], &settings].concat());
        assert!(why.contains(reason), "{why}");
    }
    let why = here.refuse(&["mail", "test", "ana@example.org"]);
    assert!(why.contains("--mail-url"), "{why}");
    let why = here.refuse(&[
        "mail",
        "test",
        "ana@example.org",
        "--mail-url",
        "smtp://127.0.0.1:1",
        "--mail-from",
        FROM,
    ]);
    assert!(why.contains("connecting to 127.0.0.1:1 failed") && why.contains("refused"), "{why}");
}

#[tokio::test]
async fn bad_settings_stop_the_server_at_once() {
    let here = Installation::on_sqlite();
    for (settings, reason) in [
        (["--mail-url", "smtp://u:s3cret@mail.example.edu"], "needs mail_from"),
        (["--mail-url", "imap://u:s3cret@mail.example.edu"], "not a mail protocol"),
        (["--mail-url", "file:"], "needs a directory"),
    ] {
        let sender: &[&str] = if reason.contains("mail_from") { &[] } else { &["--mail-from", FROM] };
        for command in
            [&["serve", "--listen", "127.0.0.1:0"][..], &["work"], &["mail", "test", "a@example.org"]]
        {
            let why = here.refuse(&[command, &settings, sender].concat());
            assert!(why.contains(reason) && !why.contains("s3cret"), "{why}");
        }
    }
}

#[tokio::test]
async fn a_server_without_mail_says_so_when_it_starts() {
    let here = Installation::on_sqlite();
    let serving = here.serve(&[]);
    assert!(
        serving.greeting.contains("Mail        none") && serving.greeting.contains("endonym sign-in-link")
    );
    assert!(serving.log().contains("mail is not configured"), "{}", serving.log());
    let with_files = here.serve(&["--mail-url", "file:outgoing", "--mail-from", FROM]);
    assert!(with_files.greeting.contains("Mail        files in outgoing"), "{}", with_files.greeting);
}

#[tokio::test]
async fn messages_can_be_written_to_files() {
    let here = Installation::on_sqlite();
    here.succeed(&["mail", "test", "ana@example.org", "--mail-url", "file:outgoing", "--mail-from", FROM]);
    let files: Vec<_> =
        std::fs::read_dir(here.path("outgoing")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].extension().unwrap(), "eml");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("To: ana@example.org\r\n") && text.contains("multipart/alternative"), "{text}");
}

#[tokio::test]
async fn doctor_connects_to_the_mail_server_and_sends_nothing() {
    let here = Installation::on_sqlite();
    let doctor = |words: &[&str]| {
        mail_part(here.run(&[&["doctor", "--json", "--listen", "127.0.0.1:0"][..], words].concat()))
    };
    let missing = doctor(&[]);
    assert_eq!(missing["works"], true);
    assert!(missing["mend"].as_str().unwrap().contains("endonym sign-in-link"), "{missing}");

    let server = Server::start(&["--account", "names", "right"]).await;
    let url = |password: &str| format!("smtp://names:{password}@127.0.0.1:{}", server.port);
    let found = doctor(&[
        "--mail-url",
        &url("right"),
        "--mail-from",
        FROM,
        "--base-url",
        "https://names.example.edu",
    ]);
    assert_eq!((found["works"].as_bool(), found["mend"].as_str()), (Some(true), None), "{found}");
    assert!(found["says"].as_str().unwrap().contains("250"), "{found}");
    let found =
        doctor(&["--mail-url", &url("right"), "--mail-from", FROM, "--base-url", "http://names.example.edu"]);
    assert!(found["mend"].as_str().unwrap().contains("https://"), "{found}");
    let found = doctor(&["--mail-url", &url("wrong"), "--mail-from", FROM]);
    assert_eq!(found["works"], false);
    assert!(found["says"].as_str().unwrap().contains("535"), "{found}");
    assert!(!found.to_string().contains("wrong"), "{found}");
    let found = doctor(&["--mail-url", "smtp://127.0.0.1:1", "--mail-from", FROM]);
    assert!(found["says"].as_str().unwrap().contains("refused"), "{found}");
    assert_eq!(server.received().len(), 0);
}
