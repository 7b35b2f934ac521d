//! `endonym moderation …`

use serde_json::{Value, json};

use super::keys;
use crate::support::{database::execute, process::Installation};

const OF: [&str; 2] = ["--institution", "example"];

/// Ana and Bea on the page `class`. Ana's recording waits for approval, and Bea's was reported: cases 7 and 8.
async fn installation() -> Installation {
    let (here, _) = Installation::with_token().await;
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\nbea@example.edu,Bea\n");
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    let db = here.database().await;
    let text = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at, hidden) \
         SELECT institution_id, token, id, $1, 1, FALSE, 5, $2 FROM participants WHERE email_key = $3";
    for (kind, hidden, email) in [("held", true, "ana@example.edu"), ("recording", false, "bea@example.edu")]
    {
        assert_eq!(execute(&db, text, vec![kind.into(), hidden.into(), email.into()]).await, 1);
    }
    let text =
        "UPDATE participants SET recording = token, recorded_at = 5 WHERE email_key = 'bea@example.edu'";
    execute(&db, text, Vec::new()).await;
    let text = "INSERT INTO moderation (institution_id, id, name_page_id, participant_id, kind, hex, state, complaint, sentence, \
         reports, created_at) SELECT institution_id, $1, name_page_id, id, $2, token, 'open', $3, $4, $5, 5 FROM participants \
         WHERE email_key = $6";
    let held = vec![
        7_i64.into(),
        "held".into(),
        None::<&str>.into(),
        None::<&str>.into(),
        0_i64.into(),
        "ana@example.edu".into(),
    ];
    let report = vec![
        8_i64.into(),
        "report".into(),
        "offensive".into(),
        "Rude".into(),
        2_i64.into(),
        "bea@example.edu".into(),
    ];
    for case in [held, report] {
        assert_eq!(execute(&db, text, case).await, 1);
    }
    here
}

fn run(here: &Installation, words: &[&str]) -> Value {
    here.json(&[&["moderation"], words, &OF, &["--json"]].concat())
}

fn refuse(here: &Installation, words: &[&str]) -> String {
    here.refuse(&[&["moderation"], words, &OF].concat())
}

#[tokio::test]
async fn the_list_has_every_open_case() {
    let here = installation().await;
    let listed = run(&here, &["list", "--name-page", "class"]);
    assert_eq!(run(&here, &["list"]), listed);
    let cases = listed["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 2);
    assert_eq!(
        keys(&cases[0]),
        [
            "about",
            "complaint",
            "created_at",
            "decided_at",
            "decided_by",
            "deleted_at",
            "email",
            "id",
            "kind",
            "name",
            "name_page",
            "paused",
            "reason",
            "reports",
            "sentence",
            "state"
        ]
    );
    let told = |at: usize| ["id", "kind", "state", "name", "name_page"].map(|key| cases[at][key].clone());
    assert_eq!(told(0), ["7", "held", "open", "Ana", "class"].map(|text| json!(text)));
    assert_eq!(told(1), ["8", "report", "open", "Bea", "class"].map(|text| json!(text)));
    assert_eq!((&cases[1]["complaint"], &cases[1]["reports"]), (&json!("offensive"), &json!(2)));
    let plain = here.succeed(&["moderation", "list", "--institution", "example"]);
    assert!(plain.contains("offensive") && plain.contains("held"), "{plain}");
    assert!(refuse(&here, &["list", "--name-page", "nowhere"]).contains("no such name page"));
}

#[tokio::test]
async fn cases_are_decided_and_undone() {
    let here = installation().await;
    let rejecting = ["reject", "7", "--reason", "There is music."];
    let rejected = run(&here, &rejecting);
    assert_eq!(
        (&rejected["state"], &rejected["reason"], &rejected["decided_by"]),
        (&json!("rejected"), &json!("There is music."), &json!("operator"))
    );
    assert!(refuse(&here, &rejecting).contains("case 7 is rejected by operator"));
    assert_eq!(run(&here, &["restore", "7"])["state"], "restored");
    assert_eq!(run(&here, &["remove", "7", "--reason", "A mistake"])["state"], "removed");
    assert_eq!(run(&here, &["dismiss", "8"])["state"], "dismissed");
    assert!(refuse(&here, &["approve", "8"]).contains("case 8 is dismissed"));
    assert_eq!(run(&here, &["list"]), json!({ "cases": [] }));
    let decided = run(&here, &["list", "--decided"]);
    let ids: Vec<&Value> = decided["cases"].as_array().unwrap().iter().map(|case| &case["id"]).collect();
    assert_eq!(ids, [&json!("8"), &json!("7")], "newest first");
}

#[tokio::test]
async fn a_held_recording_is_approved() {
    let here = installation().await;
    assert_eq!(run(&here, &["approve", "7"])["state"], "approved");
    let db = here.database().await;
    let text = "SELECT recording FROM participants WHERE email_key = 'ana@example.edu'";
    let recording = db.read().one(text, &[], |row| row.opt_text(0)).await.unwrap().unwrap();
    assert!(recording.is_some());
}

#[tokio::test]
async fn what_is_missing_is_said() {
    let here = installation().await;
    assert!(refuse(&here, &["reject", "7"]).contains("--reason"));
    assert!(refuse(&here, &["reject", "7", "--reason", " "]).contains("reason can't be blank"));
    for id in ["9", "x", "99999999999999999999"] {
        assert!(refuse(&here, &["approve", id]).contains(&format!("no case `{id}`")), "{id}");
    }
    let elsewhere = here.refuse(&["moderation", "list", "--institution", "nowhere"]);
    assert!(elsewhere.contains("no institution `nowhere`"), "{elsewhere}");
    here.succeed(&["institution", "create", "--name", "Other", "--slug", "other"]);
    let other = here.refuse(&["moderation", "approve", "7", "--institution", "other"]);
    assert!(other.contains("no case `7`"), "another institution's: {other}");
}
