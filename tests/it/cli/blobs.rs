//! `endonym blobs …`, and the sweep that `serve` runs periodically.

use serde_json::json;

use crate::support::{
    media::{file, files, wav},
    process::Installation,
    s3::S3Server,
    until,
};

const ORPHAN: &str = "recordings/1/00/00000000000000000000000000000000.mp3";

/// Simulates a crash: leaves a blob without a row, and a partial write.
fn leave_orphans(here: &Installation) {
    for name in [ORPHAN, "recordings/1/00/.part-17-3"] {
        let path = here.path("endonym-data/blobs").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"left over").unwrap();
    }
}

#[tokio::test]
async fn what_nobody_links_to_is_found_and_removed_once_it_is_old_enough() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let participant = json!({ "first_name": "Ana", "email": "a@x.org", "pronunciation": file(wav(1.0)) });
    let body = json!({ "name_page_id": "class", "participant": participant });
    let made = client.post(format!("{}/api/private/v5/participants", serving.base));
    let made = made.header("Authorization", &token).json(&body).send().await.unwrap();
    let made: serde_json::Value = made.json().await.unwrap();
    let link = made["participant"]["recording_link"].as_str().unwrap();
    leave_orphans(&here);
    here.write("endonym-data/blobs/README.txt", "somebody's own");

    let young = here.json(&["blobs", "sweep", "--json"]);
    assert_eq!(young, json!({ "seen": 5, "removed": 0, "strange": 0, "dry_run": false }));
    let dry = here.json(&["blobs", "sweep", "--orphan-seconds", "0", "--dry-run", "--json"]);
    assert_eq!(dry, json!({ "seen": 5, "removed": 2, "strange": 1, "dry_run": true }));
    assert_eq!(files(&here.path("endonym-data/blobs")).len(), 5);
    here.json(&["blobs", "sweep", "--orphan-seconds", "0", "--json"]);
    let left = files(&here.path("endonym-data/blobs"));
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(left.contains(&"README.txt".to_owned()), "what is not ours stays");
    assert_eq!(client.get(link).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn serve_sweeps_by_itself() {
    let (here, _) = Installation::with_token().await;
    leave_orphans(&here);
    let _serving = here.serve(&["--sweep-seconds", "1", "--orphan-seconds", "0"]);
    until("the orphans are gone", || async { files(&here.path("endonym-data/blobs")).is_empty() }).await;
}

#[tokio::test]
async fn a_sweep_finds_orphans_on_s3_too() {
    let (here, _) = Installation::with_token().await;
    let server = S3Server::new().await;
    let path = server.bucket().join(ORPHAN);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, b"left over").unwrap();
    let words = ["blobs", "sweep", "--orphan-seconds", "0", "--json", "--blobs-url"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain([server.url()]).collect();
    // The server runs in this process, so the command must not block it.
    let swept =
        tokio::task::spawn_blocking(move || here.json(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    assert_eq!(swept.await.unwrap()["removed"], 1);
    assert!(!path.exists());
}

#[tokio::test]
async fn recordings_can_be_processed_again_from_what_was_sent() {
    let (here, token) = Installation::with_token().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let serving = here.serve(&[]);
    let address = format!("{}/api/private/v5/participants", serving.base);
    for email in ["a@x.org", "b@x.org"] {
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": file(wav(1.0)) });
        let body = json!({ "name_page_id": "class", "participant": participant });
        client.post(&address).header("Authorization", &token).json(&body).send().await.unwrap();
    }
    let ana = async || {
        let latest = client.get(format!("{address}/latest?tokens=a@x.org")).header("Authorization", &token);
        let answer: serde_json::Value = latest.send().await.unwrap().json().await.unwrap();
        answer["participants"][0].clone()
    };
    let before = ana().await;
    let told = here.json(&["blobs", "reprocess", "--institution", "example", "--json"]);
    assert_eq!(told, json!({ "processed": 2, "kept": 0 }));
    let after = ana().await;
    assert_eq!(after["recording_date"], before["recording_date"]);
    assert_ne!(after["recording_link"], before["recording_link"]);
    let status = async |person: &serde_json::Value| {
        client.get(person["recording_link"].as_str().unwrap()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(
        (status(&before).await, status(&after).await),
        (200, 200),
        "the old link leads to the new one"
    );
    assert_eq!(files(&here.path("endonym-data/blobs")).len(), 4);
    std::fs::remove_dir_all(here.path("endonym-data/blobs/originals")).unwrap();
    let ended = here.run(&["blobs", "reprocess", "--institution", "example", "--json"]);
    assert!(ended.code > 0 && ended.stderr.contains("its original no longer exists"), "{ended:?}");
    assert_eq!(status(&after).await, 200, "what cannot be processed again stays");
}
