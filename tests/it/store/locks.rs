//! Transactions that lock the same rows do not wait for each other for ever. Only PostgreSQL has several writers.

use endonym::{
    app::{sessions, sign_in},
    domain::session::PersonId,
    store::{Error, sign_ins},
};

use super::groups::Holder;
use crate::support::{
    World,
    database::{execute, on_citus, on_postgres, series},
};

async fn sessions_left(world: &World) -> Vec<String> {
    let text = "SELECT digest FROM sessions ORDER BY digest";
    world.app.db.read().rows(text, &[], |row| row.text(0)).await.unwrap()
}

#[tokio::test]
async fn what_has_expired_is_removed_without_waiting_for_anybody() {
    // Citus removes it without looking for locks.
    if !on_postgres() || on_citus() {
        return;
    }
    let world = World::new().await;
    let institution = world.institution.id;
    for digest in ["a", "b", "c"] {
        let text = format!(
            "INSERT INTO sessions (digest, institution_id, email_key, how, created_at, last_used_at, expires_at) \
             VALUES ('{digest}', {institution}, 'ana@x.org', 'mail', 1, 1, 1)"
        );
        execute(&world.app.db, text, vec![]).await;
    }
    let holder = Holder::lock(&world, institution).await;
    holder.execute("UPDATE sessions SET how = how WHERE digest = 'b'").await;
    sessions::remove_expired(&world.app).await.unwrap();
    assert_eq!(sessions_left(&world).await, ["b"]);
    holder.release().await;
    sessions::remove_expired(&world.app).await.unwrap();
    assert_eq!(sessions_left(&world).await, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn removals_and_erasures_do_not_wait_for_each_other_for_ever() {
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let person = PersonId { institution, email_key: "ana@x.org".to_owned() };
    let (series, n) = series(db, "200");
    for _ in 0..20 {
        for insert in [
            format!(
                "{series}INSERT INTO sign_in_requests (id, browser_digest, email, email_key, institution_id, language, \
                 created_at, expires_at) SELECT i, 'browser', 'ana@x.org', 'ana@x.org', {institution}, 'en', 1, 1 FROM {n}"
            ),
            format!(
                "{series}INSERT INTO sign_in_links (digest, id, institution_id, email_key, purpose, created_at, expires_at) \
                 SELECT 'link' || i, i, {institution}, 'ana@x.org', 'handover', 1, 1 FROM {n}"
            ),
        ] {
            assert_eq!(execute(db, insert, vec![]).await, 200);
        }
        let forget = || {
            let whose = person.clone();
            db.write::<_, Error>(move |sql| Box::pin(async move { sign_ins::delete_of(sql, &whose).await }))
        };
        let (removed, forgotten) = tokio::join!(sign_in::remove_expired(&world.app), forget());
        // Citus does not skip what is locked: it ends one of two that wait for each other, and that one is repeated.
        if removed.is_err() && on_citus() {
            sign_in::remove_expired(&world.app).await.unwrap();
        } else {
            removed.unwrap();
        }
        if forgotten.is_err() && on_citus() {
            forget().await.unwrap();
        } else {
            forgotten.unwrap();
        }
        for table in ["sign_in_requests", "sign_in_links"] {
            let text = format!("SELECT COUNT(*) FROM {table}");
            assert_eq!(db.read().one(&text, &[], |row| row.int(0)).await.unwrap(), Some(0), "{table}");
        }
    }
}
