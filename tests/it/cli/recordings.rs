//! `endonym import --recordings DIR`

use serde_json::{Value, json};

use crate::support::{
    media::{files, wav, wav_of},
    process::{CommandOutput, Installation},
};

fn import(here: &Installation, more: &[&str]) -> CommandOutput {
    let start =
        ["import", "--institution", "example", "--name-page", "class", "--recordings", "sounds", "--json"];
    here.run(&[&start[..], more].concat())
}

fn report(ended: &CommandOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"))
}

/// The result for each file: its name, its owner, the outcome.
fn outcomes(report: &Value) -> Vec<(String, Value, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let files = report["recordings"].as_array().unwrap().iter();
    files.map(|one| (text(&one["file"]), one["email"].clone(), text(&one["outcome"]))).collect()
}

fn sound(here: &Installation, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::create_dir_all(here.path("sounds")).unwrap();
    here.write(&format!("sounds/{name}"), bytes);
}

const PEOPLE: &str = "email,first_name,institution_id\nAna@example.edu,Ana,S-1\nbea@example.edu,Bea,S.2\n                      cy@example.edu,Cy,S-3\ndee@example.edu,Dee,S-4\n";

/// Recording links by email.
async fn links(here: &Installation, token: &str) -> Vec<(String, Value)> {
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants?per_page=100", serving.base);
    let answer = client.get(address).header("Authorization", token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    let mut links = Vec::new();
    for person in answer["Response"]["participants"].as_array().unwrap() {
        let link = person["recording_link"].clone();
        if let Some(link) = link.as_str() {
            let audio = client.get(link.replace("http://localhost", &serving.base)).send().await.unwrap();
            assert_eq!((audio.status().as_u16(), audio.bytes().await.unwrap()[0]), (200, 0xff));
        }
        links.push((person["email"].as_str().unwrap().to_owned(), link));
    }
    links
}

#[tokio::test]
async fn people_and_their_recordings_come_in_together() {
    let (here, token) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    sound(&here, "ana@example.edu.wav", wav(1.0));
    sound(&here, "S.2.wav", wav(1.1));
    sound(&here, "cy@example.edu", wav(1.2));
    sound(&here, "dee@example.edu.mp3", "no sound at all");
    sound(&here, "nobody@example.edu.wav", wav(1.0));
    sound(&here, ".DS_Store", "the system's own");
    let ended = import(&here, &["people.csv"]);
    assert!(ended.code > 0, "a file was refused and one matched nobody");
    let report = report(&ended);
    let wanted = [
        ("S.2.wav", json!("bea@example.edu"), "stored"),
        ("ana@example.edu.wav", json!("Ana@example.edu"), "stored"),
        ("cy@example.edu", json!("cy@example.edu"), "stored"),
        ("dee@example.edu.mp3", json!("dee@example.edu"), "refused"),
        ("nobody@example.edu.wav", Value::Null, "unmatched"),
    ];
    let wanted: Vec<_> = wanted.into_iter().map(|(a, b, c)| (a.to_owned(), b, c.to_owned())).collect();
    assert_eq!(outcomes(&report), wanted);
    assert_eq!((&report["created"], &report["recordings_stored"]), (&json!(4), &json!(3)));
    assert_eq!((&report["recordings_refused"], &report["recordings_unmatched"]), (&json!(1), &json!(1)));
    assert!(report["recordings"][3]["reason"].as_str().unwrap().contains("audio"), "{report}");
    let links = links(&here, &token).await;
    assert_eq!(links.iter().filter(|(_, link)| link.is_string()).count(), 3, "{links:?}");
}

#[tokio::test]
async fn without_a_file_of_people_those_who_are_there_are_updated() {
    let (here, token) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    sound(&here, "S-1.wav", wav(1.0));
    let first = import(&here, &[]);
    assert_eq!(first.code, 0, "{first:?}");
    assert_eq!(report(&first)["rows"], json!([]));
    let before = links(&here, &token).await;
    sound(&here, "S-1.wav", wav_of(1.3, 210.0));
    assert_eq!(import(&here, &[]).code, 0);
    let after = links(&here, &token).await;
    assert_ne!(before, after, "a new recording has a new address");
    let kept = files(&here.path("endonym-data/blobs"));
    assert_eq!(kept.len(), 2, "the old one is gone: {kept:?}");
}

#[tokio::test]
async fn a_dry_run_says_what_would_happen_and_two_files_of_one_person_are_seen() {
    let (here, token) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    sound(&here, "S-1.wav", wav(1.0));
    sound(&here, "ana@example.edu.wav", wav(1.0));
    sound(&here, "S-3.wav", "no sound");
    let report = report(&import(&here, &["--dry-run"]));
    let words: Vec<String> = outcomes(&report).into_iter().map(|(_, _, word)| word).collect();
    assert_eq!(words, ["stored", "refused", "refused"]);
    assert!(report["recordings"][2]["reason"].as_str().unwrap().contains("S-1.wav"), "{report}");
    assert!(links(&here, &token).await.iter().all(|(_, link)| link.is_null()));
    assert_eq!(files(&here.path("endonym-data/blobs")), [""; 0]);
}

#[tokio::test]
async fn a_dry_run_knows_whom_it_would_have_made() {
    let (here, _) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    sound(&here, "ana@example.edu.wav", wav(1.0));
    sound(&here, "S-3.wav", wav(1.0));
    sound(&here, "S-9.wav", wav(1.0));
    let report = report(&import(&here, &["people.csv", "--dry-run"]));
    let words: Vec<String> = outcomes(&report).into_iter().map(|(_, _, word)| word).collect();
    assert_eq!(words, ["stored", "unmatched", "stored"]);
    assert_eq!(files(&here.path("endonym-data/blobs")), [""; 0]);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_said_before_anything_is_done() {
    let (here, _) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    let words = [
        "import",
        "--institution",
        "example",
        "--name-page",
        "class",
        "people.csv",
        "--recordings",
        "nowhere",
    ];
    assert!(here.refuse(&words).contains("nowhere"));
}

#[tokio::test]
async fn a_person_reads_what_became_of_each_file() {
    let (here, _) = Installation::with_token().await;
    here.write("people.csv", PEOPLE);
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    sound(&here, "S-1.wav", wav(1.0));
    sound(&here, "S-9.wav", wav(1.0));
    let words = ["import", "--institution", "example", "--name-page", "class", "--recordings", "sounds"];
    let said = here.run(&words).stdout;
    assert!(said.contains("recording S-1.wav: stored for Ana@example.edu"), "{said}");
    assert!(said.contains("recording S-9.wav: unmatched: matches nobody"), "{said}");
    assert!(said.contains("1 recordings stored, 0 refused, 1 match nobody"), "{said}");
}
