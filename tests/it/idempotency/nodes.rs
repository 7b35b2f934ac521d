//! Keys on real servers: one that is killed, and several over one database.

use std::collections::BTreeMap;

use endonym::store::Db;
use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{
    World,
    process::{Installation, Serving},
    until,
};

/// A client of one server.
#[derive(Clone)]
struct Sender {
    client: Client,
    base: String,
    token: String,
}

impl Sender {
    fn new(serving: &Serving, token: &str) -> Self {
        let client = Client::builder().no_proxy().build().unwrap();
        Self { client, base: serving.base.clone(), token: token.to_owned() }
    }

    /// Creates a person, with the email as the key. Returns the token of the registration and whether the answer was replayed, or `None`
    /// if the server has gone.
    async fn create(&self, email: &str) -> Option<(String, bool)> {
        let body = json!({ "name_page_id": "class", "participant": { "first_name": "Ana", "email": email } });
        let (made, replayed) = self.post("/v5/participants", email, &body, 201).await?;
        Some((World::registration_token(&made["participant"]), replayed))
    }

    /// Requests an export. Returns its id and whether the answer was replayed.
    async fn export(&self, key: &str) -> Option<(Value, bool)> {
        let body = json!({ "export": { "name_page_id": "class" } });
        let (made, replayed) = self.post("/v4/exports", key, &body, 202).await?;
        Some((made["export"]["id"].clone(), replayed))
    }

    async fn post(&self, path: &str, key: &str, body: &Value, wanted: u16) -> Option<(Value, bool)> {
        let address = format!("{}/api/private{path}", self.base);
        let request = self.client.post(address).header("Authorization", &self.token);
        let answer = request.header("Idempotency-Key", key).json(body).send().await.ok()?;
        let (status, replayed) = (answer.status(), answer.headers().contains_key("idempotency-replayed"));
        let body: Value = answer.json().await.ok()?;
        assert_eq!(status, wanted, "{key}: {body}");
        Some((body, replayed))
    }
}

async fn count(db: &Db, what: &str) -> usize {
    let text = format!("SELECT COUNT(*) FROM {what}");
    let count = db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap();
    usize::try_from(count).unwrap()
}

async fn head_count(db: &Db) -> usize {
    count(db, "participants").await
}

/// Creates people until the server is gone. Returns the answers by email; that of the last one is missing.
async fn storm(sender: Sender, name: String) -> BTreeMap<String, Option<(String, bool)>> {
    let mut sent = BTreeMap::new();
    loop {
        let email = format!("{name}n{}@x.org", sent.len());
        let answer = sender.create(&email).await;
        let is_gone = answer.is_none();
        sent.insert(email, answer);
        if is_gone {
            return sent;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_under_way_when_a_server_was_killed_can_be_repeated() {
    let (here, token) = Installation::with_token().await;
    let serve = || here.serve(&["--rate-limit", "100000000", "--log", "error"]);
    let (mut serving, mut people) = (serve(), 0);
    let db = here.database().await;
    for round in 0..3 {
        let sender = Sender::new(&serving, &token);
        let storms: Vec<_> =
            (0..8).map(|n| tokio::spawn(storm(sender.clone(), format!("r{round}s{n}")))).collect();
        let wanted = people + 40;
        until("many are created", || async { head_count(&db).await > wanted }).await;
        serving.kill();
        let sent: BTreeMap<String, Option<(String, bool)>> =
            join_all(storms).await.into_iter().flat_map(Result::unwrap).collect();
        serving = serve();
        let sender = Sender::new(&serving, &token);
        for (email, answer) in &sent {
            let (person, replayed) = sender.create(email).await.unwrap();
            if let Some((before, _)) = answer {
                assert_eq!((&person, replayed), (before, true), "{email}");
            }
        }
        people += sent.len();
        assert_eq!(head_count(&db).await, people, "each of them once");
    }
    assert_eq!(serving.stop().await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_holds_on_every_node() {
    let (here, token) = Installation::with_token().await;
    let nodes: Vec<Serving> = (0..2).map(|_| here.serve(&["--workers", "0", "--log", "error"])).collect();
    let senders: Vec<Sender> = nodes.iter().map(|node| Sender::new(node, &token)).collect();
    for n in 0..10 {
        let email = format!("a{n}@x.org");
        let sent = senders.iter().cycle().take(6).map(|sender| sender.create(&email));
        let answers: Vec<(String, bool)> = join_all(sent).await.into_iter().map(Option::unwrap).collect();
        let first_ones = answers.iter().filter(|(_, replayed)| !replayed).count();
        assert_eq!(first_ones, 1, "{answers:?}");
        assert!(answers.iter().all(|(person, _)| *person == answers[0].0), "{answers:?}");
    }
    let db = here.database().await;
    assert_eq!(head_count(&db).await, 10);
    let sent = senders.iter().cycle().take(6).map(|sender| sender.export("one export"));
    let answers: Vec<(Value, bool)> = join_all(sent).await.into_iter().map(Option::unwrap).collect();
    assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1, "{answers:?}");
    assert!(answers.iter().all(|(id, _)| id.is_string() && *id == answers[0].0), "{answers:?}");
    assert_eq!(count(&db, "exports").await, 1);
    assert_eq!(count(&db, "jobs WHERE kind = 'build_export'").await, 1);
}
