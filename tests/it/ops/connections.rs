//! A PostgreSQL server with few connections.

use std::time::Duration;

use endonym::store::{Db, Error, Options, Result};
use futures_util::future::join_all;
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::{Client, NoTls, error::SqlState};

use crate::support::{
    postgres::PostgresServer,
    process::{Installation, PATIENCE},
};

const SLOW: &str = "SELECT CAST(1 AS BIGINT) FROM pg_sleep(600)";
const QUICK: &str = "SELECT CAST(2 AS BIGINT)";

async fn read(db: &Db, text: &str) -> Result<Option<i64>> {
    db.read().one(text, &[], |row| row.int(0)).await
}

async fn open(server: &PostgresServer, connections: usize, threads: usize) -> (Db, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let (url, data_dir) = (Some(server.url.clone()), folder.path().to_owned());
    let options = Options { url, data_dir, ca_file: None, connections, threads, timeout: PATIENCE };
    let db = Db::open(&options).await.unwrap();
    // The shared pool opens its first connection.
    let opened =
        db.write::<_, Error>(|sql| Box::pin(async move { sql.one(QUICK, &[], |row| row.int(0)).await }));
    assert_eq!(opened.await.unwrap(), Some(2));
    (db, folder)
}

async fn connect(server: &PostgresServer) -> std::result::Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(&server.url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Takes all connections that a server with ten has left: the pool has one.
async fn take_the_rest(server: &PostgresServer) -> Vec<Client> {
    take(server, 9).await
}

async fn take(server: &PostgresServer, count: usize) -> Vec<Client> {
    let (mut taken, started) = (Vec::new(), Instant::now());
    // Connections that were closed before may end only now.
    while taken.len() < count {
        match connect(server).await {
            Ok(client) => taken.push(client),
            Err(error) => {
                assert_eq!(error.code(), Some(&SqlState::TOO_MANY_CONNECTIONS), "{error}");
                assert!(started.elapsed() < PATIENCE, "only {} could be taken", taken.len());
                sleep(Duration::from_millis(20)).await;
            }
        }
    }
    taken
}

#[tokio::test]
async fn while_postgresql_has_no_connections_left_a_read_waits_for_one() {
    let server = PostgresServer::start_with(&["max_connections=10"]).await;
    let (db, _folder) = open(&server, 4, 0).await;
    let mut others = take_the_rest(&server).await;
    let busy = db.clone();
    let slow = tokio::spawn(async move { read(&busy, SLOW).await });
    // It has taken the only connection of the pool.
    sleep(Duration::from_millis(100)).await;

    let started = Instant::now();
    let refused = read(&db, QUICK).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    let waited = started.elapsed();
    // Two seconds, and the rest is for a slow machine.
    assert!(waited > Duration::from_secs(1) && waited < PATIENCE / 4, "{waited:?}");

    let mut waiting = Box::pin(read(&db, QUICK));
    assert!(timeout(Duration::from_millis(300), &mut waiting).await.is_err(), "there is no connection");
    drop(others.pop());
    assert_eq!(waiting.await.unwrap(), Some(2));
    slow.abort();
}

#[tokio::test]
async fn while_postgresql_has_no_connections_left_reads_share_those_of_the_node() {
    let server = PostgresServer::start_with(&["max_connections=10"]).await;
    // Two for the thread, of which there are none, and four to share, of which there is one.
    let (db, _folder) = open(&server, 6, 1).await;
    let _others = take_the_rest(&server).await;
    for outcome in join_all((0..20).map(|_| read(&db, QUICK))).await {
        assert_eq!(outcome.unwrap(), Some(2));
    }
}

#[tokio::test]
async fn while_postgresql_has_no_connections_left_the_start_waits_for_one() {
    let server = PostgresServer::start_with(&["max_connections=10"]).await;
    let mut others = take(&server, 10).await;
    let mut opening = Box::pin(open(&server, 4, 0));
    assert!(timeout(Duration::from_millis(300), &mut opening).await.is_err(), "there is no connection");
    others.clear();
    let (db, _folder) = opening.await;
    assert_eq!(read(&db, QUICK).await.unwrap(), Some(2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_doctor_says_when_the_connections_of_all_nodes_do_not_fit() {
    let server = PostgresServer::start_with(&["max_connections=10"]).await;
    let database_url = Some(server.url.clone());
    // Three are reserved for administrators.
    let here = Installation { folder: tempfile::tempdir().unwrap(), database_url, connections: 6 };
    here.succeed(&["migrate"]);
    let check = |nodes: &str| {
        let ended = here.run(&["doctor", "--json", "--listen", "127.0.0.1:0", "--nodes", nodes]);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        let parts = report["parts"].as_array().unwrap();
        (ended.code, parts.iter().find(|part| part["part"] == "connections").unwrap().clone())
    };
    // The server closes the last connections of the test's own shortly.
    let started = Instant::now();
    while check("1").0 != 0 {
        assert!(started.elapsed() < PATIENCE, "{}", check("1").1);
        sleep(Duration::from_millis(50)).await;
    }
    let (code, part) = check("2");
    assert!(code > 0, "{part}");
    assert_eq!(part["works"], false);
    assert!(part["says"].as_str().unwrap().contains("2 × 6 = 12; PostgreSQL accepts 10"), "{part}");
    assert!(part["mend"].as_str().unwrap().contains("max_connections"), "{part}");

    let _others = [connect(&server).await.unwrap(), connect(&server).await.unwrap()];
    let (code, part) = check("1");
    assert!(code > 0 && part["says"].as_str().unwrap().contains("of which 5 are"), "{part}");
}
