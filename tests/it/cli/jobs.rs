//! `endonym jobs` and `endonym work`

use serde_json::{Value, json};

use crate::support::{
    database::execute,
    process::{Installation, PATIENCE, Serving},
    until,
};

async fn post(serving: &Serving, token: &str) -> Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/api/private/v4/exports", serving.base));
    let body = json!({ "export": { "name_page_id": "class" } });
    let answer = request.header("Authorization", token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 202);
    answer.json().await.unwrap()
}

async fn state(serving: &Serving, token: &str, made: &Value) -> Value {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let id = made["export"]["id"].as_str().unwrap();
    let request = client.get(format!("{}/api/private/v4/exports/{id}", serving.base));
    let answer = request.header("Authorization", token).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["export"]["state"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_given_up_is_listed_and_tried_again() {
    let (here, token) = Installation::with_token().await;
    assert_eq!(here.json(&["jobs", "list", "--json"]), json!({ "jobs": [] }));
    let serving = here.serve(&["--workers", "0"]);
    let made = post(&serving, &token).await;
    let waiting = here.json(&["jobs", "list", "--json"])["jobs"][0].clone();
    assert_eq!((&waiting["kind"], &waiting["state"]), (&json!("build_export"), &json!("waiting")));
    assert_eq!((&waiting["institution"], &waiting["attempts"]), (&json!("example"), &json!(0)));
    let id = waiting["id"].as_str().unwrap();
    assert!(here.refuse(&["jobs", "retry", id]).contains("no dead job"), "it waits");

    let died = "UPDATE jobs SET state = 'dead', run_at = NULL, error = 'the disk is full', attempts = 10, failures = 10";
    let database = here.database().await;
    execute(&database, died, Vec::new()).await;
    execute(&database, "UPDATE exports SET state = 'failed'", Vec::new()).await;
    let table = here.succeed(&["jobs", "list", "--state", "dead"]);
    assert!(table.contains(id) && table.contains("the disk is full") && table.contains("dead"), "{table}");
    assert_eq!(here.json(&["jobs", "list", "--state", "running", "--json"]), json!({ "jobs": [] }));
    for wrong in ["7", "x", ""] {
        assert!(here.refuse(&["jobs", "retry", wrong]).contains("jobs list --state dead"));
    }
    let doctor = here.run(&["doctor"]);
    assert!(doctor.code != 0 && doctor.stdout.contains("jobs retry --all"), "{doctor:?}");
    assert_eq!(here.json(&["jobs", "retry", id, "--json"]), json!({ "retried": [id] }));
    let again = here.json(&["jobs", "list", "--json"])["jobs"][0].clone();
    assert_eq!((&again["state"], &again["attempts"]), (&json!("waiting"), &json!(0)));

    assert!(here.succeed(&["doctor"]).contains("1 waiting, 0 running, none dead"));
    execute(&database, "UPDATE jobs SET run_at = 0", Vec::new()).await;
    let doctor = here.run(&["doctor"]);
    assert!(doctor.code != 0 && doctor.stdout.contains("endonym work"), "{doctor:?}");

    execute(&database, died, Vec::new()).await;
    assert_eq!(here.json(&["jobs", "retry", "--all", "--json"]), json!({ "retried": [id] }));
    assert_eq!(here.json(&["jobs", "retry", "--all", "--json"]), json!({ "retried": [] }));
    assert_eq!(state(&serving, &token, &made).await, "failed", "until somebody works on it");

    let mut working = here.command(&["work", "--workers", "1"]).spawn().unwrap();
    until("it is built", || async { state(&serving, &token, &made).await == "completed" }).await;
    // It stops on SIGTERM.
    let told =
        std::process::Command::new("sh").args(["-c", &format!("kill -TERM {}", working.id())]).status();
    assert!(told.unwrap().success());
    let stopped = tokio::task::spawn_blocking(move || working.wait());
    let status = tokio::time::timeout(PATIENCE, stopped).await.unwrap().unwrap().unwrap();
    assert!(status.success());
}

#[tokio::test]
async fn work_without_workers_is_refused_and_a_lease_ends_within_a_minute() {
    let here = Installation::new().await;
    assert!(here.refuse(&["work", "--workers", "0"]).contains("--workers 1"));
    for lease in ["0", "61"] {
        let ended = here.run(&["work", "--job-lease-seconds", lease]);
        assert!(ended.code != 0 && ended.stderr.contains("1..=60"), "{ended:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_works_by_itself() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let made = post(&serving, &token).await;
    until("it is built", || async { state(&serving, &token, &made).await == "completed" }).await;
}
