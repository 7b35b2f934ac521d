//! `/console/{slug}/jobs`

use std::time::Duration;

use endonym::{
    app::{Actor, exports, imports},
    domain::{
        export::State,
        member::Role::{Admin, Manager, Owner},
        paging::Window,
    },
    store::Value,
};

use super::{console as path, member as visitor, only};
use crate::support::{Setup, World, database::execute, until};

#[tokio::test]
async fn managers_see_exports_and_imports_of_their_pages() {
    let world = World::new().await;
    only(&world, "/jobs", &[Owner, Admin, Manager]).await;
    let other = world.page("Secret Orchestra").await;
    for (page, name) in [(&world.page, "ours.csv"), (&other, "theirs.csv")] {
        let place = (world.institution.id, page.id);
        let file = b"Email,First name\nana@example.edu,Ana\n".to_vec();
        imports::upload(&world.app, &Actor::Operator, place, name, file).await.unwrap().unwrap();
    }
    let admin = visitor(&world, Admin).await;
    for slug in [&world.page.slug, &other.slug] {
        admin.get(&path(&world, "/jobs")).await.expect(200);
        let sent = admin.post(&path(&world, "/jobs/exports"), &[("page", slug)]).await;
        sent.redirects_to(&path(&world, "/jobs?done=requested"));
    }
    let seen = admin.get(&path(&world, "/jobs")).await.expect(200).body;
    assert!(seen.contains("theirs.csv") && seen.contains("ours.csv") && seen.contains("Secret Orchestra"));
    assert!(seen.contains("<progress data-job="), "{seen}");

    let manager = visitor(&world, Manager).await;
    let seen = manager.get(&path(&world, "/jobs")).await.expect(200).body;
    assert!(seen.contains("ours.csv") && seen.contains(&format!("/p/{}/export", world.page.slug)), "{seen}");
    for theirs in ["theirs.csv", "Secret Orchestra", other.slug.as_str(), "Background jobs"] {
        assert!(!seen.contains(theirs), "{theirs}: {seen}");
    }
    manager.post(&path(&world, "/jobs/exports"), &[]).await.expect(403);
}

#[tokio::test]
async fn an_export_is_requested_made_and_downloaded() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/jobs"));
    admin.get(&at).await.expect(200);
    let wrong = [("page", "nowhere"), ("since", "yesterday")];
    let seen = admin.post(&format!("{at}/exports"), &wrong).await.expect(422).body;
    assert!(seen.contains("id=\"since-fault\"") && seen.contains("value=\"yesterday\""), "{seen}");
    assert!(seen.contains("id=\"page-fault\""), "{seen}");
    admin.post(&format!("{at}/exports"), &[("since", "2020-01-01")]).await.expect(303);
    admin.post(&format!("{at}/exports"), &[]).await.expect(303);

    let all = async || {
        let found = exports::list(&world.app, &Actor::Operator, world.institution.id, Window::FIRST).await;
        found.unwrap().0
    };
    let made = all().await;
    assert_eq!(made.len(), 2);
    let download = format!("{at}/exports/{}", made[0].id);
    admin.get(&download).await.expect(404);
    world.work(1);
    until("the export is made", || async { all().await.iter().all(|one| one.state == State::Completed) })
        .await;
    let seen = admin.get(&at).await.expect(200).body;
    assert!(seen.contains(&download), "{seen}");
    assert_eq!(seen.matches("<td class=\"number\">1</td>").count(), 2, "each file has one row: {seen}");
    let (status, headers, file) = admin.file(&download, &[]).await;
    let text = String::from_utf8(file).unwrap();
    assert_eq!((status, text.lines().count()), (200, 2), "{text}");
    assert!(text.starts_with("\"first_name\",") && text.contains("ana@example.edu"), "{text}");
    assert!(headers["content-disposition"].to_str().unwrap().contains(".csv"));
    // It has people of pages that the manager is not given.
    visitor(&world, Manager).await.get(&download).await.expect(403);
    admin.get(&format!("{at}/exports/x")).await.expect(404);
}

#[tokio::test]
async fn a_full_queue_of_exports_says_when_to_ask_again() {
    let world = World::with(Setup { exports_waiting: 2, ..Setup::default() }).await;
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/jobs"));
    admin.get(&at).await.expect(200);
    for _ in 0..2 {
        admin.post(&format!("{at}/exports"), &[]).await.expect(303);
    }
    let refused = admin.post(&format!("{at}/exports"), &[("since", "2020-01-01")]).await.expect(429);
    assert_eq!(refused.headers["retry-after"], exports::RETRY_SECONDS.to_string());
    assert!(refused.body.contains("value=\"2020-01-01\""), "{}", refused.body);
}

#[tokio::test]
async fn rows_are_counted_while_an_export_and_its_job_are_at_work() {
    let world = World::new().await;
    for name in ["Ana", "Ben", "Cem"] {
        world.person(name, &format!("{name}@example.edu")).await;
    }
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/jobs"));
    admin.get(&at).await.expect(200);
    admin.post(&format!("{at}/exports"), &[]).await.expect(303);
    // As a worker leaves them that has stored the first of its parts.
    execute(&world.app.db, "UPDATE exports SET state = 'in_progress', people_total = 3", vec![]).await;
    execute(&world.app.db, "UPDATE jobs SET state = 'running' WHERE kind = 'build_export'", vec![]).await;
    let part = |number: i64, records: &str| {
        format!(
            "INSERT INTO export_parts (institution_id, export_id, number, hex, first_id, last_id, plain_bytes, crc, records) \
             SELECT institution_id, id, {number}, 'part{number}', 0, 0, 0, 0, {records} FROM exports"
        )
    };
    execute(&world.app.db, part(0, "2"), vec![]).await;
    world.advance(Duration::from_secs(2));
    let seen = admin.get(&at).await.expect(200).body;
    assert_eq!(seen.matches("Rows: 2 of 3</span> <progress").count(), 2, "{seen}");
    assert_eq!(seen.matches("value=\"2\" max=\"3\"").count(), 2, "{seen}");
    // One that an earlier version has written has no number, so nothing is claimed.
    execute(&world.app.db, part(1, "NULL"), vec![]).await;
    world.advance(Duration::from_secs(2));
    let seen = admin.get(&at).await.expect(200).body;
    assert!(!seen.contains("Rows: ") && seen.contains("<progress data-job="), "{seen}");
}

async fn dead_job(world: &World, id: i64, institution: i64) {
    let text = "INSERT INTO jobs (id, institution_id, kind, payload, state, attempts, failures, error, created_at) \
                VALUES ($1, $2, 'scrub_exports', $3, 'dead', 10, 10, $4, $5)";
    let payload = format!("{{\"kind\":\"scrub_exports\",\"institution\":{institution}}}");
    let values: Vec<Value<'static>> = vec![
        id.into(),
        institution.into(),
        payload.into(),
        "the <disk> is full".to_owned().into(),
        world.app.clock.now().micros().into(),
    ];
    execute(&world.app.db, text, values).await;
}

#[tokio::test]
async fn an_admin_retries_what_has_failed_here_and_nowhere_else() {
    let world = World::new().await;
    let there = world.neighbor().await;
    dead_job(&world, 1_001, world.institution.id.get()).await;
    dead_job(&world, 1_002, there.institution.id.get()).await;
    let (admin, at) = (visitor(&world, Admin).await, path(&world, "/jobs"));
    let seen = admin.get(&at).await.expect(200).body;
    assert!(seen.contains("the &#60;disk&#62; is full") && seen.contains("/jobs/retry/1001"), "{seen}");
    assert!(!seen.contains("/jobs/retry/1002"), "{seen}");
    admin.post(&format!("{at}/retry/1002"), &[]).await.expect(404);
    admin.post(&format!("{at}/retry/x"), &[]).await.expect(404);
    let manager = visitor(&world, Manager).await;
    manager.get(&at).await.expect(200);
    manager.post(&format!("{at}/retry/1001"), &[]).await.expect(403);
    admin.post(&format!("{at}/retry/1001"), &[]).await.redirects_to(&format!("{at}?done=retried"));
    let seen = admin.get(&at).await.expect(200).body;
    assert!(!seen.contains("/jobs/retry/1001"), "it waits: {seen}");
    admin.post(&format!("{at}/retry/1001"), &[]).await.expect(404);
}
