//! Workers in separate processes, killed repeatedly in the middle of exports.

use std::{
    collections::BTreeSet,
    process::{Child, Stdio},
    time::Duration,
};

use endonym::domain::moment::Moment;
use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{database::crowd, process::Installation, until};

/// With their notes, enough for a report of two parts.
const PEOPLE: usize = 700;
const EXPORTS: usize = 4;
const KILLS: u64 = 6;

/// Killed when dropped.
struct Worker(Child);

impl Worker {
    fn start(here: &Installation) -> Self {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(here.path("work.log")).unwrap();
        let words = ["work", "--workers", "2", "--job-lease-seconds", "1", "--sweep-seconds", "0"];
        let mut command = here.command(&words);
        Self(command.stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }

    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Api {
    client: Client,
    base: String,
    token: String,
}

impl Api {
    async fn get(&self, path: &str) -> Value {
        let request = self.client.get(format!("{}/api/private/v4{path}", self.base));
        let answer = request.header("Authorization", &self.token).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    }

    async fn export(&self) -> String {
        let request = self.client.post(format!("{}/api/private/v4/exports", self.base));
        let body = json!({ "export": { "name_page_id": "class" } });
        let answer = request.header("Authorization", &self.token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 202);
        answer.json::<Value>().await.unwrap()["export"]["id"].as_str().unwrap().to_owned()
    }

    /// The number of people in a report.
    async fn lines(&self, id: &str) -> usize {
        let request = self.client.get(format!("{}/api/private/v4/exports/{id}.ndjson", self.base));
        let answer = request.header("Authorization", &self.token).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{id}");
        answer.text().await.unwrap().lines().count()
    }

    async fn delete(&self, email: &str) {
        let request = self.client.delete(format!("{}/api/private/v5/participants/{email}", self.base));
        let body = json!({ "name_page_id": "class" });
        let answer = request.header("Authorization", &self.token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
    }

    async fn states(&self) -> Vec<String> {
        let listed = self.get("/exports?per_page=100").await;
        let state = |export: &Value| export["state"].as_str().unwrap().to_owned();
        listed["exports"].as_array().unwrap().iter().map(state).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_killed_in_the_middle_of_exports_lose_nothing_and_do_nothing_twice() {
    let (here, token) = Installation::with_token().await;
    let database = here.database().await;
    let page = "SELECT institution_id, id FROM name_pages";
    let page = database.read().one(page, &[], |row| Ok((row.id(0)?, row.id(1)?))).await.unwrap();
    let (institution, page) = page.unwrap();
    let notes = "A note that takes its time. ".repeat(350);
    crowd(&database, institution, page, 0..PEOPLE, &notes, Moment::from_micros(1)).await;
    let serving = here.serve(&[
        "--workers",
        "0",
        "--rate-limit",
        "1000000",
        "--exports-waiting",
        "1000",
        "--log",
        "error",
    ]);
    let client = Client::builder().no_proxy().build().unwrap();
    let api = Api { client, base: serving.base.clone(), token };
    let mut ids = Vec::new();
    for _ in 0..EXPORTS {
        ids.push(api.export().await);
    }
    assert!(api.states().await.iter().all(|state| state == "initial"), "nobody works here");

    let count = async |what: &str| {
        let text = format!("SELECT COUNT(*) FROM {what}");
        database.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
    };
    let attempts = async || {
        let text = "SELECT CAST(SUM(attempts) AS BIGINT) FROM jobs WHERE kind = 'build_export'";
        database.read().one(text, &[], |row| row.opt_int(0)).await.unwrap().flatten()
    };
    let (mut seen, mut gone) = (BTreeSet::new(), 0);
    for kill in 0..KILLS {
        let before = attempts().await;
        let worker = Worker::start(&here);
        // At another moment each time: while it starts, or in the middle of the work.
        if kill % 4 != 3 {
            until("the worker has an export", || async { attempts().await != before }).await;
        }
        tokio::time::sleep(Duration::from_millis(kill * 137 % 400)).await;
        seen.extend(api.states().await);
        worker.kill();
        if kill % 3 == 0 {
            ids.push(api.export().await);
            api.delete(&format!("p{}@x.org", gone)).await;
            gone += 1;
        }
    }
    assert!(seen.contains("in_progress"), "work was under way: {seen:?}");

    let _worker = Worker::start(&here);
    for done in 1..=ids.len() {
        until(&format!("{done} exports are completed"), || async {
            api.states().await.iter().filter(|state| *state == "completed").count() >= done
        })
        .await;
    }
    until("the deleted are taken out", || async { count("departures").await == 0 }).await;
    assert!(count("export_parts").await >= 2 * ids.len() as i64, "reports have several parts");

    let left = PEOPLE - gone;
    let wanted: BTreeSet<String> = (gone..PEOPLE).map(|n| format!("p{n}@x.org")).collect();
    for id in &ids {
        let export = api.get(&format!("/exports/{id}")).await["export"].clone();
        let report = export["report"].as_array().unwrap();
        assert_eq!(report.len(), left, "nobody is missing, there twice, or there although deleted");
        let emails: BTreeSet<String> =
            report.iter().map(|person| person["email"].as_str().unwrap().to_owned()).collect();
        assert_eq!(emails, wanted);
    }
    let queue = here.json(&["jobs", "list", "--json"]);
    let kinds: BTreeSet<&str> =
        queue["jobs"].as_array().unwrap().iter().map(|job| job["kind"].as_str().unwrap()).collect();
    assert!(!kinds.contains("build_export"), "{queue}");
    assert_eq!(
        kinds.len(),
        queue["jobs"].as_array().unwrap().len(),
        "regular work stands there once: {queue}"
    );

    // The leftovers of killed workers are found, and nothing else.
    here.json(&["blobs", "sweep", "--orphan-seconds", "0", "--json"]);
    let swept = here.json(&["blobs", "sweep", "--orphan-seconds", "0", "--json"]);
    assert_eq!(swept["removed"], 0);
    for id in &ids {
        assert_eq!(api.lines(id).await, left);
    }
}
