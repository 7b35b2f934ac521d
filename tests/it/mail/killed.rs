//! Processes killed in the middle of a delivery: every message is sent at most once, and the outbox says which ones are in doubt.

use std::{collections::BTreeMap, process::Stdio, time::Duration};

use endonym::{
    app::{Error, Ids, outbox},
    clock::Clock,
    domain::{
        email::Email,
        message::{Message, State},
    },
};
use serde_json::Value;

use super::{FROM, Server, all, enqueue, invite_many, running, world};
use crate::support::process::Installation;

const MESSAGES: usize = 50;
/// The server takes this long to answer, so that a kill falls into the window.
const SLOW: &[&str] = &["--delay", "0.1"];

/// How often each message was accepted, by recipient.
fn accepted(server: &Server) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for message in server.received() {
        *counts.entry(message["rcpt_tos"][0].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

async fn until_received(server: &Server, count: usize) {
    let waiting = async {
        while server.received().len() < count {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("messages arrive");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_killed_while_it_sends_sends_nothing_twice() {
    let here = Installation::new().await;
    // SQLite is made by the first command that needs it.
    here.succeed(&["institution", "list"]);
    let server = Server::start(SLOW).await;
    let (database, ids) = (here.database().await, Ids::new());
    let enqueued = database.write::<_, Error>(move |sql| {
        Box::pin(async move {
            let now = Clock::system().now();
            for n in 0..MESSAGES {
                let to = Email::parse(&format!("p{n}@example.org")).unwrap();
                outbox::enqueue(sql, &ids, None, to, Message::Test, now).await?;
            }
            Ok(())
        })
    });
    enqueued.await.unwrap();

    survives_kills(&here, &server).await;
}

/// Kills workers while they deliver all messages, and starts them again.
async fn survives_kills(here: &Installation, server: &Server) {
    let url = server.url();
    let words =
        ["work", "--workers", "1", "--job-lease-seconds", "1", "--mail-url", &url, "--mail-from", FROM];
    let work = || {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(here.path("work.log")).unwrap();
        here.command(&words).stdout(Stdio::null()).stderr(log).spawn().unwrap()
    };
    for kill in 1..=4 {
        let mut worker = work();
        until_received(server, kill * 8).await;
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    let mut worker = work();
    let states = || {
        let listed = here.json(&["mail", "list", "--json"]);
        let mut states = BTreeMap::new();
        for message in listed["messages"].as_array().unwrap() {
            let text = |key: &str| message[key].as_str().unwrap().to_owned();
            states.insert(text("to"), text("state"));
        }
        states
    };
    let finished = async {
        while states().values().any(|state| state != "sent" && state != "unconfirmed") {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    let finished = tokio::time::timeout(Duration::from_secs(90), finished).await;
    worker.kill().unwrap();
    worker.wait().unwrap();
    let (states, accepted) = (states(), accepted(server));
    let log = std::fs::read_to_string(here.path("work.log")).unwrap();
    assert!(finished.is_ok(), "{states:?}\n{log}");
    assert_eq!(states.len(), MESSAGES);
    assert!(accepted.values().all(|count| *count == 1), "something was sent twice: {accepted:?}");
    for (to, state) in &states {
        assert!(state == "unconfirmed" || accepted.contains_key(to), "{to} is `sent` and did not arrive");
    }
    let in_doubt = states.values().filter(|state| *state == "unconfirmed").count();
    // Two deliveries for each kill, and those whose lease a busy machine could not renew.
    assert!((1..=20).contains(&in_doubt), "{in_doubt} are in doubt\n{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_killed_while_they_send_invitations_send_none_twice() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Class"]);
    let server = Server::start(SLOW).await;
    invite_many(&here, MESSAGES, &["--mail-url", &server.url(), "--mail-from", FROM]);
    survives_kills(&here, &server).await;
    let received = server.received();
    assert!(received.iter().all(|one| one["headers"].get("List-Unsubscribe").is_some()), "{received:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_server_killed_while_it_receives_gets_nothing_twice() {
    let server = Server::start(SLOW).await;
    let world = world(server.mailer()).await;
    for n in 0..MESSAGES {
        enqueue(&world, None, &format!("p{n}@example.org"), Message::Test).await;
    }
    world.work(1);
    until_received(&server, 10).await;
    let server = server.killed_and_started_again(SLOW).await;
    let finished = async {
        loop {
            let all = all(&world).await;
            let count = |state| all.iter().filter(|message| message.state == state).count();
            if count(State::Sent) + count(State::Unconfirmed) == MESSAGES {
                return count(State::Unconfirmed);
            }
            // Later attempts are due only after their backoff. A worker that is about to send would lose its lease.
            if count(State::Sending) == 0 && running(&world).await == 0 {
                world.advance(Duration::from_secs(2));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let in_doubt = tokio::time::timeout(Duration::from_secs(90), finished).await.expect("all are delivered");
    let accepted = accepted(&server);
    assert!(accepted.values().all(|count| *count == 1), "something was sent twice: {accepted:?}");
    for message in all(&world).await {
        let to = message.to.as_given();
        assert!(message.state == State::Unconfirmed || accepted.contains_key(to), "{to} did not arrive");
    }
    assert!(in_doubt >= 1, "the answers to the messages in transit were lost");
    let first: Vec<Value> = server.received();
    assert!(first.len() > 10, "the others arrived after the restart");
}
