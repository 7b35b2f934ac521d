//! `/healthz` and `/readyz`.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    Setup, World,
    database::{execute, on_postgres},
    s3::S3Server,
    until,
};

async fn ask(world: &World, path: &str) -> (u16, Value) {
    let answer = world.client.get(format!("{}{path}", world.base)).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], "application/json; charset=utf-8");
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn a_server_that_can_work_says_so() {
    let world = World::new().await;
    assert_eq!(ask(&world, "/healthz").await, (200, json!({ "status": "ok" })));
    let ready = json!({ "status": "ok", "database": "ok", "blobs": "ok", "disk": "ok" });
    assert_eq!(ask(&world, "/readyz").await, (200, ready));
}

#[tokio::test]
async fn a_database_that_is_behind_is_not_ready() {
    let world = World::new().await;
    assert!(execute(&world.app.db, "DELETE FROM migrations", vec![]).await > 0);
    let (status, said) = ask(&world, "/readyz").await;
    assert_eq!(status, 503);
    assert!(said["database"].as_str().unwrap().contains("endonym migrate"), "{said}");
    assert_eq!(ask(&world, "/healthz").await.0, 200, "the process itself is alive");
}

#[tokio::test]
async fn a_server_that_cannot_write_recordings_is_not_ready() {
    let world = World::new().await;
    // In place of the folder.
    let blobs = world.folder.path().join("blobs");
    std::fs::write(&blobs, "in the way").unwrap();
    let (status, said) = ask(&world, "/readyz").await;
    assert_eq!((status, &said["blobs"], &said["database"]), (503, &json!("not writable"), &json!("ok")));
    std::fs::remove_file(&blobs).unwrap();
    world.advance(Duration::from_secs(1));
    assert_eq!(ask(&world, "/readyz").await.0, 200, "ready again");
    assert_eq!(std::fs::read_dir(&blobs).unwrap().count(), 0, "looking leaves nothing behind");
}

/// An S3 server that accepts connections and never responds.
#[tokio::test]
async fn a_blob_store_that_hangs_is_not_waited_for() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "s3://names?endpoint=http://{}&region=x&access_key_id=x&secret_access_key=x",
        silent.local_addr().unwrap()
    );
    let blobs_timeout = Duration::from_secs(60);
    let world = World::with(Setup { blobs_url: Some(url), blobs_timeout, ..Setup::default() }).await;
    for _ in 0..2 {
        let started = Instant::now();
        let degraded =
            json!({ "status": "degraded", "database": "ok", "blobs": "not responding", "disk": "ok" });
        assert_eq!(ask(&world, "/readyz").await, (200, degraded), "lookups work without it");
        // The time-out of an operation is longer.
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}

/// A setting of this node is wrong, so that another one may work.
#[tokio::test]
async fn a_blob_store_that_denies_access_is_not_ready() {
    let server = S3Server::new().await;
    let blobs_url = Some(server.url_with_a_wrong_secret());
    let world = World::with(Setup { blobs_url, ..Setup::default() }).await;
    until("it is not ready", || async {
        // The first answer may not wait for the result.
        let (status, said) = ask(&world, "/readyz").await;
        status == 503 && said["blobs"] == "not writable"
    })
    .await;
}

#[tokio::test]
async fn a_disk_that_is_nearly_full_is_not_ready() {
    let world = World::with(Setup { disk_reserve: Some(u64::MAX), ..Setup::default() }).await;
    let (status, said) = ask(&world, "/readyz").await;
    assert_eq!((status, &said["disk"], &said["blobs"]), (503, &json!("nearly full"), &json!("ok")));
    assert_eq!(ask(&world, "/healthz").await.0, 200);
}

#[tokio::test]
async fn a_database_that_is_gone_is_503_and_never_a_refused_token() {
    if !on_postgres() {
        return; // A file that is open stays, whatever happens to its name.
    }
    let world = World::new().await;
    world.get("/v5/participants").await.expect(200);
    let url = world.database.options.url.clone().unwrap();
    let (server, name) = url.rsplit_once('/').unwrap();
    let (client, connection) =
        tokio_postgres::connect(&format!("{server}/postgres"), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
    // Longer than the cache time of tokens.
    world.advance(Duration::from_secs(1));
    let (status, said) = ask(&world, "/readyz").await;
    assert_eq!((status, said["status"].as_str()), (503, Some("not ready")), "{said}");
    assert!(!said.to_string().contains(name), "what is wrong is for the log: {said}");
    assert_eq!(ask(&world, "/healthz").await.0, 200);
    for _ in 0..3 {
        let answer = world.get("/v5/participants").await;
        assert_eq!(answer.status, 503, "{}", answer.body);
        assert!(answer.headers.contains_key("retry-after"));
        assert!(!answer.body.to_string().contains(name), "{}", answer.body);
    }
}

/// A broken connection affects later requests only briefly.
#[tokio::test]
async fn it_works_again_when_the_database_is_back() {
    if !on_postgres() {
        return; // There is no connection to break.
    }
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let url = world.database.options.url.clone().unwrap();
    let (server, name) = url.rsplit_once('/').unwrap();
    let (client, connection) =
        tokio_postgres::connect(&format!("{server}/postgres"), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1";
    assert!(!client.query(end, &[&name]).await.unwrap().is_empty());
    until("requests are served again", || async {
        let status = world.get("/v5/participants").await.status.as_u16();
        assert!([200, 503].contains(&status), "{status}");
        status == 200
    })
    .await;
    until("it is ready", || async { ask(&world, "/readyz").await.0 == 200 }).await;
}
