//! The chain of hashes over the entries: it holds whatever happens, and shows where something was removed or changed.

use std::time::Duration;

use endonym::{
    app::{
        Actor,
        audit::{self, Broken, Verdict},
        institutions, persons, tokens,
    },
    domain::{audit::Act, ids::AuditId},
    store::{Db, Value},
};
use serde_json::json;

use super::{ANA, entries, newest};
use crate::support::{
    Answer, Setup, World,
    database::{execute, on_postgres},
    node::Node,
    process::Installation,
};

const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn verdict(world: &World) -> Verdict {
    audit::verify(&world.app, &Actor::Operator, world.institution.id, None).await.unwrap()
}

async fn broken(world: &World) -> Broken {
    verdict(world).await.broken.expect("the chain is broken")
}

async fn change(world: &World, text: &str, params: Vec<Value<'static>>) {
    assert_eq!(execute(&world.app.db, text, params).await, 1, "{text}");
}

async fn some_changes(world: &World) {
    world.person("Ana", ANA).await;
    let body = json!({ "name_page_id": world.page.slug, "participant": { "last_name": "Silva" } });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    let (app, id) = (&world.app, world.institution.id);
    tokens::create(app, &Actor::Operator, id, "One more".into(), None).await.unwrap();
}

async fn keep(world: &World, days: Option<u32>) {
    let change = institutions::Change { audit_days: Some(days), ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, "example", change).await.unwrap();
}

async fn count(world: &World, table: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table} WHERE institution_id = $1");
    let counted = world.app.db.read().one(&text, &[world.institution.id.into()], |row| row.int(0)).await;
    counted.unwrap().unwrap()
}

#[tokio::test]
async fn it_holds_while_many_write_on_several_nodes_and_some_fail() {
    let world = World::new().await;
    let db = match on_postgres() {
        true => Db::open(&world.database.options).await.unwrap(),
        false => world.app.db.clone(),
    };
    let node = Node::on(&world, db, Setup::default()).await;
    let writes = (0..60).map(|number| {
        let (world, node) = (&world, &node);
        async move {
            let base = if number % 2 == 0 { &world.base } else { &node.base };
            if number % 5 == 1 {
                let (who, name) = (&Actor::Operator, format!("token {number}"));
                tokens::create(&node.app, who, world.institution.id, name, None).await.unwrap();
                return;
            }
            // One in five is taken, and refused in the transaction of others.
            let number = if number % 5 == 0 { 2 } else { number };
            let address = format!("{base}/api/private/v5/participants");
            let body = participant(world, number);
            let sent = world.client.post(address).header("Authorization", &world.token).json(&body);
            let status = Answer::of(sent).await.status.as_u16();
            assert!([200, 201, 422].contains(&status), "{status}");
        }
    });
    futures_util::future::join_all(writes).await;
    let verdict = verdict(&world).await;
    assert_eq!(verdict.broken, None);
    assert_eq!(i64::try_from(verdict.entries).unwrap(), count(&world, "audit").await);
    assert!(verdict.entries > 45 && verdict.waiting == 0, "{verdict:?}");
}

fn participant(world: &World, number: usize) -> serde_json::Value {
    json!({ "name_page_id": world.page.slug, "participant": {
        "first_name": "Ana", "last_name": "Silva", "email": format!("ana{number}@example.edu")
    } })
}

#[tokio::test]
async fn whoever_changes_or_removes_an_entry_is_found_out() {
    let world = World::new().await;
    some_changes(&world).await;
    assert_eq!(verdict(&world).await.broken, None);
    let changed = newest(&world, Act::ParticipantUpdated).await;
    let id = || vec![Value::from(changed.id)];
    for column in ["act", "origin", "who_name", "subject_id", "subject_label", "email_key", "new_values"] {
        let longer = format!("UPDATE audit SET {column} = {column} || 'x' WHERE id = $1");
        change(&world, &longer, id()).await;
        let broken = broken(&world).await;
        assert_eq!((broken.id, broken.at), (Some(changed.id), Some(changed.at)), "{column}");
        let shorter =
            format!("UPDATE audit SET {column} = SUBSTR({column}, 1, LENGTH({column}) - 1) WHERE id = $1");
        change(&world, &shorter, id()).await;
        assert_eq!(verdict(&world).await.broken, None, "{column}");
    }
    change(&world, "DELETE FROM audit WHERE id = $1", id()).await;
    let broken = broken(&world).await;
    assert_eq!(
        (broken.id, broken.at, broken.why),
        (Some(changed.id), Some(changed.at), "the entry is missing")
    );
}

#[tokio::test]
async fn whoever_covers_it_up_in_the_chain_is_found_out() {
    for cover_up in [
        // With the lines of the seal, with the seal, with its hash; at the end, and anywhere.
        "UPDATE audit_seals SET lines = '' WHERE number = $1",
        "UPDATE audit_seals SET lines = NULL WHERE number = $1",
        "UPDATE audit_seals SET days = 1 WHERE number = $1",
        "UPDATE audit_seals SET hash = digest WHERE number = $1",
        "DELETE FROM audit_seals WHERE number = $1",
        "DELETE FROM audit_seals WHERE number = $1 + CAST(1 AS BIGINT)",
        "UPDATE audit_chains SET number = number - 1 WHERE number > $1",
        "UPDATE audit_chains SET anchor_number = $1, anchor_hash = hash, anchor_signature = 'x'",
    ] {
        let world = World::new().await;
        some_changes(&world).await;
        let sealed = verdict(&world).await;
        change(&world, cover_up, vec![Value::from(sealed.number - 1)]).await;
        assert!(broken(&world).await.why.len() > 10, "{cover_up}");
    }
}

#[tokio::test]
async fn an_entry_that_somebody_else_has_written_is_a_stranger() {
    let world = World::new().await;
    some_changes(&world).await;
    let forged = "INSERT INTO audit (institution_id, created_at, id, act, who_kind, subject_kind, subject_id, subject_label, sealed) \
                  SELECT institution_id, created_at, 77, act, who_kind, subject_kind, subject_id, '', TRUE FROM audit \
                  WHERE institution_id = $1 ORDER BY id LIMIT 1";
    change(&world, forged, vec![world.institution.id.into()]).await;
    assert_eq!(broken(&world).await.id, Some(AuditId::new(77)));
}

#[tokio::test]
async fn a_chain_that_was_made_anew_lacks_the_hash_of_the_log() {
    let world = World::new().await;
    some_changes(&world).await;
    let then = verdict(&world).await.hash;
    some_other_change(&world).await;
    let check = |hash: String| {
        let (app, id) = (&world.app, world.institution.id);
        async move { audit::verify(app, &Actor::Operator, id, Some(&hash)).await.unwrap().broken }
    };
    assert_eq!(check(then.clone()).await, None);
    assert!(check("0".repeat(64)).await.is_some());
    // It is logged once a day.
    audit::delete_expired(&world.app).await.unwrap();
    let text = "SELECT logged_at FROM audit_chains WHERE institution_id = $1";
    let logged = || async {
        world
            .app
            .db
            .read()
            .one(text, &[world.institution.id.into()], |row| row.int(0))
            .await
            .unwrap()
            .unwrap()
    };
    let first = logged().await;
    audit::delete_expired(&world.app).await.unwrap();
    assert_eq!(logged().await, first);
    world.advance(DAY + Duration::from_secs(1));
    audit::delete_expired(&world.app).await.unwrap();
    assert!(logged().await > first);
}

async fn some_other_change(world: &World) {
    let (app, id) = (&world.app, world.institution.id);
    tokens::create(app, &Actor::Operator, id, "Later".into(), None).await.unwrap();
}

#[tokio::test]
async fn somebody_who_is_erased_breaks_nothing_and_cannot_be_guessed() {
    let world = World::new().await;
    some_changes(&world).await;
    let before = verdict(&world).await;
    let (app, id) = (&world.app, world.institution.id);
    persons::erase(app, &Actor::Operator, id, ANA.into(), persons::Rewrite::Later).await.unwrap();
    let after = verdict(&world).await;
    assert_eq!((after.broken, after.entries), (None, before.entries + 1));
    assert!(after.forgotten >= 2);
    let salted = "SELECT COUNT(*) FROM audit WHERE institution_id = $1 AND act LIKE 'participant.%' AND person_proof NOT LIKE '.%'";
    let salted = app.db.read().one(salted, &[id.into()], |row| row.int(0)).await.unwrap();
    assert_eq!(salted, Some(0), "without its salt, a digest matches nobody");
    // Written back, they are no longer what was sealed.
    change(
        &world,
        "UPDATE audit SET email_key = $1 WHERE act = 'participant.updated'",
        vec![Value::from(ANA)],
    )
    .await;
    assert!(verdict(&world).await.broken.is_some());
}

#[tokio::test]
async fn what_an_older_version_has_written_gets_into_the_chain() {
    let world = World::new().await;
    some_changes(&world).await;
    let id = || vec![Value::from(world.institution.id)];
    // As before the migration: entries without proofs, and no chain.
    execute(
        &world.app.db,
        "UPDATE audit SET sealed = FALSE, who_proof = NULL, person_proof = NULL WHERE institution_id = $1",
        id(),
    )
    .await;
    execute(&world.app.db, "DELETE FROM audit_seals WHERE institution_id = $1", id()).await;
    execute(&world.app.db, "DELETE FROM audit_chains WHERE institution_id = $1", id()).await;
    let waiting = verdict(&world).await;
    assert_eq!((waiting.broken, waiting.entries), (None, 0));
    assert!(waiting.waiting >= 4);
    // Beside it, this version writes.
    some_other_change(&world).await;
    assert_eq!(verdict(&world).await.broken, None);
    audit::delete_expired(&world.app).await.unwrap();
    let sealed = verdict(&world).await;
    assert_eq!((&sealed.broken, sealed.waiting), (&None, 0));
    assert_eq!(i64::try_from(sealed.entries).unwrap(), count(&world, "audit").await);
    let first = entries(&world, audit::Query::default()).await.pop().unwrap();
    change(&world, "UPDATE audit SET origin = 'x' WHERE id = $1", vec![Value::from(first.id)]).await;
    assert_eq!(broken(&world).await.id, Some(first.id));
}

#[tokio::test]
async fn entries_keep_the_time_that_was_in_force_when_they_were_written() {
    let world = World::new().await;
    some_changes(&world).await;
    let written = count(&world, "audit").await;
    // Nobody makes traces disappear by asking for less time: neither earlier ones nor that of asking.
    keep(&world, Some(30)).await;
    world.person("Bo", "bo@example.edu").await;
    world.advance(31 * DAY);
    assert_eq!(audit::delete_expired(&world.app).await.unwrap(), 1, "that of Bo");
    assert_eq!(count(&world, "audit").await, written + 1);
    assert_eq!(verdict(&world).await.broken, None);
    world.advance(700 * DAY);
    world.person("Cy", "cy@example.edu").await;
    audit::delete_expired(&world.app).await.unwrap();
    assert_eq!(count(&world, "audit").await, 1);
    // The removed beginning of the chain is signed.
    let verdict = verdict(&world).await;
    assert_eq!((verdict.broken, verdict.entries), (None, 1));
    assert_eq!(count(&world, "audit_seals").await, 1);
    change(
        &world,
        "UPDATE audit_chains SET anchor_signature = 'x' WHERE institution_id = $1",
        vec![world.institution.id.into()],
    )
    .await;
    assert!(broken(&world).await.why.contains("signed"));
}

#[tokio::test]
async fn what_was_to_be_kept_forever_ends_after_two_years_once_nobody_wants_it_forever() {
    let world = World::new().await;
    keep(&world, None).await;
    world.advance(DAY);
    some_changes(&world).await;
    world.advance(800 * DAY);
    let kept = count(&world, "audit").await;
    audit::delete_expired(&world.app).await.unwrap();
    assert!(count(&world, "audit").await >= 4, "{kept}");
    keep(&world, Some(40)).await;
    audit::delete_expired(&world.app).await.unwrap();
    assert_eq!(count(&world, "audit").await, 1, "that of the new setting");
    assert_eq!(verdict(&world).await.broken, None);
}

#[tokio::test]
async fn a_command_says_where_the_chain_breaks() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["member", "add", "--institution", "example", "--role", "owner", "olga@example.edu"]);
    let said = here.succeed(&["audit", "verify", "--institution", "example"]);
    assert!(said.contains("Nothing is missing"), "{said}");
    let whole = here.json(&["audit", "verify", "--institution", "example", "--json"]);
    assert_eq!((&whole["intact"], &whole["broken"]), (&json!(true), &json!(null)), "{whole}");
    let hash = whole["hash"].as_str().unwrap();
    here.succeed(&["audit", "verify", "--institution", "example", "--hash", hash]);
    let listed = here.json(&["audit", "list", "--institution", "example", "--json"]);
    let (id, at) =
        (listed["entries"][0]["id"].as_str().unwrap(), listed["entries"][0]["at"].as_str().unwrap());
    let db = here.database().await;
    execute(&db, "DELETE FROM audit WHERE id = $1", vec![Value::from(id.parse::<i64>().unwrap())]).await;
    drop(db);
    let said = here.run(&["audit", "verify", "--institution", "example"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.stdout.contains(id) && said.stdout.contains(at), "{said:?}");
}
