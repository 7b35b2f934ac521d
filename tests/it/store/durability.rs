//! Acknowledged means durable. The real server is killed repeatedly under a heavy write load, and every acknowledged
//! write must be stored completely.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::support::{
    process::{Installation, Serving},
    until,
};

const ROUNDS: usize = 3;
const SENDERS: usize = 8;

/// Acknowledged writes, and writes that were in progress when the server died, which may or may not be stored.
#[derive(Default)]
struct Ledger {
    answered: usize,
    there: BTreeSet<String>,
    gone: BTreeSet<String>,
    unknown: BTreeSet<String>,
    notes: BTreeMap<String, String>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_answered_write_survives_kill_9() {
    let (here, token) = Installation::with_token().await;
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let serve = || here.serve(&["--rate-limit", "100000000", "--log", "error"]);
    let mut serving = serve();
    for round in 0..ROUNDS {
        let before = ledger.lock().await.answered;
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let (base, token, ledger) = (serving.base.clone(), token.clone(), ledger.clone());
                tokio::spawn(
                    async move { storm(&base, &token, &format!("r{round}s{sender}"), &ledger).await },
                )
            })
            .collect();
        // Once every sender has made its first deletion and update, however slow the machine is; and then at a
        // different moment every time.
        let wanted = before + SENDERS * 6;
        until("writes are answered", || async { ledger.lock().await.answered >= wanted }).await;
        tokio::time::sleep(Duration::from_millis(17 * round as u64 % 50)).await;
        serving.kill();
        for sender in senders {
            sender.await.unwrap();
        }
        // Starts again on the same data.
        serving = serve();
        check(&serving, &token, &*ledger.lock().await).await;
    }
    assert_eq!(serving.stop().await, 0);
    let ledger = ledger.lock().await;
    println!("{} there, {} gone, {} under way", ledger.there.len(), ledger.gone.len(), ledger.unknown.len());
    assert!(ledger.there.len() > ROUNDS * 10, "a storm of {} is no storm", ledger.there.len());
    assert!(!ledger.gone.is_empty() && !ledger.notes.is_empty());
}

/// Creates people, and updates or deletes some of them, until the server is gone.
async fn storm(base: &str, token: &str, name: &str, ledger: &Mutex<Ledger>) {
    let client = Client::builder().no_proxy().build().unwrap();
    let address = format!("{base}/api/private/v5/participants");
    for i in 0.. {
        let email = format!("{name}i{i}@example.edu");
        let participant =
            json!({ "first_name": "Ana", "email": email, "institution_id": format!("id-{email}") });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let made = client.post(&address).header("Authorization", token).json(&body).send().await;
        match made.map(|answer| answer.status()) {
            Ok(status) => {
                assert_eq!(status, StatusCode::CREATED);
                let mut ledger = ledger.lock().await;
                ledger.there.insert(email.clone());
                ledger.answered += 1;
            }
            Err(_) => {
                ledger.lock().await.unknown.insert(email);
                return;
            }
        }
        let one = format!("{address}/{email}");
        if i % 5 == 3 {
            let body = json!({ "name_page_id": "class" });
            let deleted = client.delete(&one).header("Authorization", token).json(&body).send().await;
            let mut ledger = ledger.lock().await;
            ledger.there.remove(&email);
            match deleted.map(|answer| answer.status()) {
                Ok(status) => {
                    assert_eq!(status, StatusCode::OK);
                    ledger.gone.insert(email);
                }
                Err(_) => {
                    ledger.unknown.insert(email);
                    return;
                }
            }
        } else if i % 5 == 4 {
            let note = format!("changed {email}");
            let body = json!({ "name_page_id": "class", "participant": { "notes": note } });
            let changed = client.put(&one).header("Authorization", token).json(&body).send().await;
            match changed.map(|answer| answer.status()) {
                Ok(status) => {
                    assert_eq!(status, StatusCode::OK);
                    ledger.lock().await.notes.insert(email, note);
                }
                Err(_) => return,
            }
        }
    }
}

/// Compares what is there with what was answered.
async fn check(serving: &Serving, token: &str, ledger: &Ledger) {
    let client = Client::builder().no_proxy().build().unwrap();
    let get = async |path: String| {
        let address = format!("{}/api/private{path}", serving.base);
        let answer = client.get(address).header("Authorization", token).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        answer.json::<Value>().await.unwrap()
    };
    // In the institution and on the page, which have separate counts.
    let mut listed: Vec<BTreeMap<String, Value>> = Vec::new();
    for path in ["/v4/participants", "/v4/name_pages/class/participants"] {
        let mut people = BTreeMap::new();
        let mut total = 0;
        for page in 1.. {
            let answer = get(format!("{path}?per_page=1000&page={page}")).await;
            total = answer["meta"]["total_count"].as_u64().unwrap();
            let found = answer["participants"].as_array().unwrap();
            for person in found {
                let email = person["email"].as_str().unwrap().to_owned();
                assert!(people.insert(email.clone(), person.clone()).is_none(), "{email} is listed twice");
            }
            if found.len() < 1_000 {
                break;
            }
        }
        assert_eq!(total, people.len() as u64, "{path}: the count is that of the people");
        listed.push(people);
    }
    let (all, on_page) = (&listed[0], &listed[1]);
    assert!(all.keys().eq(on_page.keys()), "who is in the institution is on its only page");
    for email in &ledger.there {
        let person = all.get(email).unwrap_or_else(|| panic!("{email} was answered and is gone"));
        assert_eq!(person["first_name"], "Ana");
        assert_eq!(person["institution_id"], format!("id-{email}"));
    }
    for email in &ledger.gone {
        assert!(!all.contains_key(email), "{email} was deleted and is back");
    }
    for (email, note) in &ledger.notes {
        assert_eq!(all[email]["notes"], *note, "an answered change is lost");
    }
    for email in all.keys() {
        assert!(ledger.there.contains(email) || ledger.unknown.contains(email), "{email} was never sent");
    }
    // Whoever is listed is found by every key, and whoever is not by none.
    for email in ledger.unknown.iter().chain(ledger.there.iter().take(5)) {
        let found = get(format!("/v5/participants?email_list={email}")).await;
        let by_identifier = get(format!("/v5/participants?institution_id_list=id-{email}")).await;
        for found in [found, by_identifier] {
            let people = found["Response"]["participants"].as_array().unwrap();
            assert_eq!(people.len(), usize::from(all.contains_key(email)), "{email} is half there");
        }
    }
}

/// An acknowledged link plays, whatever was in progress when the server died, and orphans are swept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_link_is_dead_after_kill_9() {
    let (here, token) = Installation::with_token().await;
    let client = Client::builder().no_proxy().build().unwrap();
    let mut answered = BTreeMap::new();
    for round in 0..4_u64 {
        let recorded = Arc::new(AtomicU64::new(0));
        let serving = here.serve(&["--rate-limit", "100000000", "--log", "error"]);
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let (base, token, recorded) = (serving.base.clone(), token.clone(), recorded.clone());
                let email = format!("r{round}s{sender}@x.org");
                tokio::spawn(async move { record(&base, &token, &email, &recorded).await })
            })
            .collect();
        // While some are answered, others are under way.
        until("recordings are stored", || async { recorded.load(Ordering::Relaxed) >= 6 + round }).await;
        serving.kill();
        for sender in senders {
            answered.extend(sender.await.unwrap());
        }
    }
    // With PostgreSQL, the killed servers have leased more permits than the default limit has.
    let serving = here.serve(&["--rate-limit", "100000000", "--log", "error"]);
    let address = format!("{}/api/private/v5/participants?per_page=1000", serving.base);
    let everybody = client.get(address).header("Authorization", &token).send().await.unwrap();
    assert_eq!(everybody.status(), StatusCode::OK);
    let everybody: Value = everybody.json().await.unwrap();
    let mut files = 0;
    for person in everybody["Response"]["participants"].as_array().unwrap() {
        let email = person["email"].as_str().unwrap();
        let Some(link) = person["recording_link"].as_str() else {
            assert!(!answered.contains_key(email), "{email} was answered with a recording and has none");
            continue;
        };
        assert_eq!(client.get(link).send().await.unwrap().status(), 200, "{email} has a dead link");
        files += 2;
    }
    assert!(files > 8, "a storm of {files} is no storm");
    here.succeed(&["blobs", "sweep", "--orphan-seconds", "0"]);
    let left = crate::support::media::files(&here.path("endonym-data/blobs"));
    assert_eq!(left.len(), files, "a recording and its original for each, and nothing else: {left:?}");
    let person = &everybody["Response"]["participants"][0];
    if let Some(link) = person["recording_link"].as_str() {
        assert_eq!(client.get(link).send().await.unwrap().status(), 200, "the sweep took a living one");
    }
}

/// Records a name repeatedly until the server is gone. Returns what was acknowledged.
async fn record(base: &str, token: &str, email: &str, recorded: &AtomicU64) -> Option<(String, String)> {
    let client = Client::builder().no_proxy().build().unwrap();
    let address = format!("{base}/api/private/v5/participants");
    let mut last = None;
    for i in 0.. {
        let sound = crate::support::media::file(crate::support::media::wav(0.6));
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": sound });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let request = if i == 0 { client.post(&address) } else { client.put(format!("{address}/{email}")) };
        let Ok(answer) = request.header("Authorization", token).json(&body).send().await else { break };
        assert!(answer.status().is_success(), "{}", answer.status());
        let Ok(answer) = answer.json::<Value>().await else { break };
        recorded.fetch_add(1, Ordering::Relaxed);
        last =
            answer["participant"]["recording_link"].as_str().map(|link| (email.to_owned(), link.to_owned()));
        // Without a pause, they take the processor from the tests beside them.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    last
}
