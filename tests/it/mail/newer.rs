//! Nodes are upgraded one after the other: those of the previous version read kinds of messages that only the new one knows.

use std::time::Duration;

use endonym::{
    app::{Actor, Error, outbox, persons},
    domain::{
        ids::MessageId,
        member::Role,
        message::{Message, OutboxMessage, State, Stored},
    },
};

use super::{Server, advance, all, enqueue, find, reaches, world};
use crate::{
    console::{console, id_of, member},
    name_pages::number,
    support::{World, database::execute, until},
};

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 3_600);

const NEWER: &str = r#"{"kind":"digest","pages":[7]}"#;
const KNOWN: &str = r#"{"kind":"test"}"#;
const ANA: &str = "ana@example.edu";

/// Writes what another version would have written.
async fn becomes(world: &World, id: MessageId, message: &'static str) {
    let text = "UPDATE outbox SET message = $1 WHERE id = $2";
    assert_eq!(execute(&world.app.db, text, vec![message.into(), id.into()]).await, 1);
}

fn check_untouched(message: &OutboxMessage) {
    assert_eq!(message.message, Stored::Newer { kind: "digest".into() });
    assert_eq!((message.state, message.attempts, &message.answer), (State::Queued, 0, &None));
}

#[tokio::test]
async fn a_message_of_a_newer_version_waits_for_a_node_that_knows_it() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let id = enqueue(&world, Some(world.institution.id), "ana@example.org", Message::Test).await;
        becomes(&world, id, NEWER).await;
        ids.push(id);
    }
    world.work(1);
    let left = "SELECT COUNT(*) FROM jobs WHERE kind = 'send_mail' AND state = 'waiting' AND deferred = TRUE \
                AND attempts = 0 AND failures = 0 AND error IS NULL";
    until("both are left alone", || async { number(&world, left).await == 2 }).await;
    // Others do not wait for them.
    let other = enqueue(&world, Some(world.institution.id), "bo@example.org", Message::Test).await;
    reaches(&world, other, State::Sent, 1).await;
    for id in &ids {
        check_untouched(&find(&world, *id).await);
    }

    // This node is upgraded.
    becomes(&world, ids[0], KNOWN).await;
    advance(&world, 31 * SECOND).await;
    reaches(&world, ids[0], State::Sent, 1).await;
    assert_eq!(server.received().len(), 2);

    // It would have expired, and would have been removed if nobody had taken it.
    advance(&world, 3 * DAY).await;
    outbox::remove_old(&world.app).await.unwrap();
    tokio::time::sleep(SECOND / 2).await;
    check_untouched(&find(&world, ids[1]).await);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM jobs WHERE kind = 'send_mail'").await, 1);
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn lists_show_a_message_of_a_newer_version_and_nobody_sends_it_again() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let id = enqueue(&world, Some(world.institution.id), ANA, Message::Test).await;
    becomes(&world, id, NEWER).await;
    let text = "UPDATE outbox SET state = 'failed', name_page_id = $1 WHERE id = $2";
    execute(&world.app.db, text, vec![world.page.id.into(), id.into()]).await;
    let list = console(&world, "/messages");
    let entry = console(&world, &format!("/people/{}", id_of(&world, ANA).await));
    for role in [Role::Admin, Role::Manager] {
        let browser = member(&world, role).await;
        for path in [&list, &entry] {
            let page = browser.get(path).await.expect(200).body;
            assert!(page.contains("Message from a newer version"), "{path}: {page}");
            assert!(!page.contains("/messages/retry/"), "{path}: {page}");
        }
        let told = browser.post(&format!("{list}/retry/{id}"), &[]).await.expect(409).body;
        assert!(told.contains("it comes from a newer version"), "{told}");
    }
    let refused = outbox::retry(&world.app, &Actor::Operator, None, id).await;
    assert!(matches!(&refused, Err(Error::Invalid(why)) if why.to_string().contains("newer version")));
    let listed = find(&world, id).await;
    assert_eq!((listed.message.kind(), listed.state), ("digest", State::Failed));
    let copy = persons::export(&world.app, &Actor::Operator, &world.institution, ANA.into()).await.unwrap();
    assert_eq!(copy.about["messages"].as_array().unwrap().len(), 1);

    // What is unreadable for another reason is an error, and not of a newer version.
    assert_eq!(all(&world).await.len(), 1);
    becomes(&world, id, r#"{"kind":"reminder"}"#).await;
    assert!(outbox::all(&world.app, &Actor::Operator, None, 10).await.is_err());
}

#[tokio::test]
async fn however_many_messages_of_a_newer_version_wait_one_that_nobody_took_is_removed() {
    let world = World::new().await;
    let (institution, now) = (world.institution.id, world.app.clock.now().micros());
    // More than are read at once.
    let row = |id: i64| {
        format!(
            "({}, {id}, '{NEWER}', '{ANA}', '{ANA}', 'queued', 0, {now}, {now}, {now})",
            institution.get()
        )
    };
    let rows: Vec<String> = (1..=1_001).map(row).collect();
    let text = format!(
        "INSERT INTO outbox (institution_id, id, message, email, email_key, state, attempts, created_at, changed_at, expires_at) \
         VALUES {}",
        rows.join(", ")
    );
    assert_eq!(execute(&world.app.db, text, Vec::new()).await, 1_001);
    world.advance(SECOND);
    enqueue(&world, Some(institution), ANA, Message::Test).await;
    world.advance(3 * DAY);
    outbox::remove_old(&world.app).await.unwrap();
    let left = all(&world).await;
    assert_eq!(left.len(), 1_001);
    left.iter().for_each(check_untouched);
}
