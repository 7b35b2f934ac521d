//! A PostgreSQL primary fails, and its synchronous standby is promoted. Two nodes have both hosts in their URL.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    database,
    postgres::PostgresServer,
    process::{Installation, PATIENCE, Serving},
};

/// From the promotion until every node reads and writes. A statement may take ten seconds, the default.
const LONGEST: Duration = Duration::from_secs(5);
const WRITERS: usize = 6;

struct Nodes {
    servings: Vec<Serving>,
    client: Client,
    token: String,
}

impl Nodes {
    fn participants(&self, node: usize) -> String {
        format!("{}/api/private/v5/participants", self.servings[node].base)
    }

    /// Was it acknowledged?
    async fn create(&self, node: usize, email: &str) -> bool {
        let body = json!({ "name_page_id": "class", "participant": { "first_name": "Ana", "email": email } });
        let request = self.client.post(self.participants(node)).header("Authorization", &self.token);
        let answer = request.json(&body).send().await.expect("an answer");
        match answer.status().as_u16() {
            201 => true,
            503 => false,
            other => panic!("{other}: {}", answer.text().await.unwrap()),
        }
    }

    /// Could a person be read who was acknowledged? Threads that serve requests read through connections of their own.
    async fn look_up(&self, node: usize, email: &str) -> bool {
        let address = format!("{}/api/private/v4/participants/{email}", self.servings[node].base);
        let request = self.client.get(address).header("Authorization", &self.token);
        let answer = request.send().await.expect("an answer");
        match answer.status().as_u16() {
            200 => true,
            503 => false,
            other => panic!("{email}: {other}: {}", answer.text().await.unwrap()),
        }
    }

    /// The emails of all people, if the list can be read.
    async fn list(&self, node: usize) -> Option<BTreeSet<String>> {
        let address = self.participants(node) + "?updated_after=2020-01-01T00:00:00Z";
        let request = self.client.get(address).header("Authorization", &self.token);
        let answer = request.send().await.expect("an answer");
        if answer.status() != 200 {
            return None;
        }
        let list: Value = answer.json().await.ok()?;
        let people = list["Response"]["participants"].as_array()?;
        Some(people.iter().map(|person| person["email"].as_str().unwrap().to_owned()).collect())
    }

    /// Tries until the node has written and read.
    async fn recover(&self, node: usize, since: Instant) {
        let mut attempt = 0;
        let email = |attempt: u32| format!("n{node}a{attempt}@example.edu");
        while !self.create(node, &email(attempt)).await {
            assert!(since.elapsed() < LONGEST, "node {node} does not write: {}", self.servings[node].log());
            attempt += 1;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        while self.list(node).await.is_none() {
            assert!(since.elapsed() < LONGEST, "node {node} does not read: {}", self.servings[node].log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        // Enough at the same time for every thread that serves requests.
        let email = email(attempt);
        while !join_all((0..8).map(|_| self.look_up(node, &email))).await.into_iter().all(|found| found) {
            assert!(since.elapsed() < LONGEST, "node {node} does not look up: {}", self.servings[node].log());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(since.elapsed() < LONGEST, "node {node} took {:?}", since.elapsed());
    }
}

/// Creates people until it is over, and notes those that were acknowledged. Each of them can be read from then on.
async fn write(
    nodes: Arc<Nodes>,
    writer: usize,
    over: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<BTreeSet<String>>>,
) {
    for i in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        let (node, email) = (writer % nodes.servings.len(), format!("w{writer}i{i}@example.edu"));
        if nodes.create(node, &email).await {
            nodes.look_up(node, &email).await;
            acknowledged.lock().unwrap().insert(email);
        } else {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn fail_over(fail: impl FnOnce(&PostgresServer)) {
    let primary = PostgresServer::start().await;
    let standby = primary.standby().await;
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port, standby.port);
    let here = Installation {
        folder: tempfile::tempdir().unwrap(),
        database_url: Some(format!("postgres://postgres@{hosts}/postgres")),
        connections: database::connections(),
    };
    here.succeed(&["migrate"]);
    let token = here.furnish();
    let serve = |_| here.serve(&["--rate-limit", "1000000", "--log", "warn"]);
    let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    let nodes = Arc::new(Nodes { servings: (0..2).map(serve).collect(), client, token });

    let (over, acknowledged) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(BTreeSet::new())));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| tokio::spawn(write(nodes.clone(), writer, over.clone(), acknowledged.clone())))
        .collect();
    let started = Instant::now();
    while acknowledged.lock().unwrap().len() < 50 {
        assert!(started.elapsed() < PATIENCE, "nothing is written");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    fail(&primary);
    // All connections are in use or broken.
    tokio::time::sleep(Duration::from_millis(300)).await;
    standby.promote().await;
    let promoted = Instant::now();
    join_all((0..2).map(|node| nodes.recover(node, promoted))).await;

    // A process can start, although the first host does not respond.
    here.succeed(&["institution", "list"]);

    // The former primary comes back if it was frozen. It still accepts writes, but it lacks what was written since.
    primary.thaw();
    for number in 0..3 {
        for node in 0..2 {
            assert!(nodes.create(node, &format!("later{node}n{number}@example.edu")).await, "node {node}");
        }
    }
    here.token("made on the new primary");

    over.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let acknowledged = acknowledged.lock().unwrap().clone();
    for node in 0..2 {
        let listed = nodes.list(node).await.expect("a list");
        let lost: Vec<_> = acknowledged.difference(&listed).collect();
        assert!(lost.is_empty(), "{lost:?}");
        assert!(listed.contains("later1n2@example.edu"), "node {node} reads what the other has written");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_primary_freezes_the_nodes_follow_the_promoted_standby_and_nothing_acknowledged_is_lost() {
    fail_over(PostgresServer::freeze).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_primary_dies_the_nodes_follow_the_promoted_standby_and_nothing_acknowledged_is_lost() {
    fail_over(PostgresServer::crash).await;
}

/// For example because it was frozen for less than a second. It accepts reads, and its writes wait for the standby that it has lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_primary_goes_on_the_nodes_follow_the_promoted_standby_and_nothing_acknowledged_is_lost() {
    fail_over(|_| {}).await;
}

#[test]
fn a_url_whose_hosts_and_ports_do_not_match_is_refused() {
    let here = Installation::on_sqlite();
    let words = ["institution", "list", "--database-url", "postgres://x@127.0.0.1:1,127.0.0.1:2/x?port=3"];
    let refused = here.refuse(&words);
    assert!(refused.contains("different numbers of hosts"), "{refused}");
}

#[test]
fn a_url_with_several_hosts_that_does_not_ask_for_the_primary_is_refused() {
    let here = Installation::on_sqlite();
    let url = "postgres://x@127.0.0.1:1,127.0.0.1:2/x?target_session_attrs=any";
    let refused = here.refuse(&["institution", "list", "--database-url", url]);
    assert!(refused.contains("target_session_attrs must be read-write"), "{refused}");
}
