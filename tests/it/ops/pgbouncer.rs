//! Through a real PgBouncer, mostly in transaction mode, where each transaction may run in another session.

use std::{
    process::{Child, Stdio},
    time::Duration,
};

use endonym::store::{Db, Error, Options, Result, Value as Parameter};
use futures_util::{StreamExt, future::join_all, stream};
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::Instant;

use crate::support::{
    database,
    postgres::{PostgresServer, give_to_postgres, unprivileged},
    process::{Installation, PATIENCE},
    until,
};

/// Fewer than we open connections, so that they take turns.
const SESSIONS: usize = 3;

struct PgBouncer {
    server: PostgresServer,
    url: String,
    child: Child,
    _folder: TempDir,
}

impl PgBouncer {
    /// `settings` are lines for its configuration, and take precedence.
    async fn start(settings: &str) -> Self {
        let server = PostgresServer::start().await;
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let configuration = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             default_pool_size = {SESSIONS}\nmax_client_conn = 200\n{settings}\n",
            server.port
        );
        let file = folder.path().join("pgbouncer.ini");
        std::fs::write(&file, configuration).unwrap();
        give_to_postgres(folder.path());
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let mut command = unprivileged("/usr/sbin/pgbouncer");
        command.current_dir(folder.path()).arg(&file).stdout(Stdio::null()).stderr(log);
        let child = command.spawn().expect("Debian's package pgbouncer is installed");
        let address = ("127.0.0.1", port);
        until("PgBouncer listens", || async { tokio::net::TcpStream::connect(address).await.is_ok() }).await;
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Self { server, url, child, _folder: folder }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn open(url: &str) -> Result<(Db, TempDir)> {
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        url: Some(url.to_owned()),
        data_dir: folder.path().to_owned(),
        ca_file: None,
        connections: 12,
        threads: 0,
        timeout: PATIENCE,
    };
    Ok((Db::open(&options).await?, folder))
}

async fn number(db: &Db, sql: &str) -> i64 {
    db.read().one(sql, &[], |row| row.int(0)).await.unwrap().unwrap()
}

const PREPARED: &str = "SELECT COUNT(*) FROM pg_prepared_statements";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_whole_installation_works() {
    let bouncer = PgBouncer::start("").await;
    let here = Installation {
        folder: tempfile::tempdir().unwrap(),
        database_url: Some(bouncer.url.clone()),
        connections: database::connections().max(4 * SESSIONS),
    };
    here.succeed(&["migrate"]);
    assert!(here.succeed(&["migrate"]).contains("already at version"));
    let token = here.furnish();
    let rows: String = (0..1_200).map(|i| format!("Ana,p{i}@example.edu\n")).collect();
    let imported = here.import(&format!("first_name,email\n{rows}"));
    assert_eq!(imported["created"], 1_200, "{imported}");

    let serving = here.serve(&["--log", "warn"]);
    let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    let api = format!("{}/api/private", serving.base);
    let get = async |path: &str| {
        let answer = client.get(format!("{api}{path}")).header("Authorization", &token).send().await.unwrap();
        let (status, text) = (answer.status().as_u16(), answer.text().await.unwrap());
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    // Writes and reads at the same time, more than there are sessions.
    let creates = (0..40).map(|i| {
        let participant = json!({ "first_name": "Ben", "email": format!("b{i}@example.edu") });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let request = client.post(format!("{api}/v5/participants")).header("Authorization", &token);
        let get = &get;
        async move {
            let made = request.json(&body).send().await.unwrap();
            assert_eq!(made.status(), 201, "{}", made.text().await.unwrap());
            let found = get(&format!("/v4/participants/b{i}@example.edu")).await;
            assert_eq!(found["participant"]["first_name"], "Ben", "{found}");
        }
    });
    let lookups = (0..80).map(|i| {
        let get = &get;
        async move {
            let found = get(&format!("/v4/participants/p{i}@example.edu")).await;
            assert_eq!(found["participant"]["first_name"], "Ana", "{found}");
        }
    });
    // Writers wait for each other in their sessions, and readers for a session. No more at once than PgBouncer can serve in time.
    tokio::join!(
        stream::iter(creates).for_each_concurrent(8, |create| create),
        stream::iter(lookups).for_each_concurrent(8, |lookup| lookup),
    );

    let everybody = get("/v5/participants?updated_after=2020-01-01T00:00:00Z").await;
    assert_eq!(everybody["Response"]["participants"].as_array().unwrap().len(), 1_240);

    // An export reads all rows of one snapshot, in several groups.
    let body = json!({ "export": { "updated_after": "2020-01-01T00:00:00Z" } });
    let asked = client.post(format!("{api}/v4/exports")).header("Authorization", &token).json(&body).send();
    let export: Value = asked.await.unwrap().json().await.unwrap();
    let path = format!("/v4/exports/{}", export["export"]["id"].as_str().unwrap());
    let started = Instant::now();
    let report = loop {
        let export = get(&path).await["export"].take();
        if export["state"] == "completed" {
            break export;
        }
        assert!(started.elapsed() < PATIENCE, "{export}: {}", serving.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(report["report"].as_array().unwrap().len(), 1_240);
    assert!(!serving.log().contains("prepared statement"), "{}", serving.log());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_is_recognized_however_it_treats_our_settings() {
    for (settings, query) in [
        // It refuses them.
        ("", ""),
        // It drops them.
        ("ignore_startup_parameters = options", ""),
        ("", "?pgbouncer=true"),
        // In this mode, each of our connections has a session.
        ("pool_mode = session\ndefault_pool_size = 20", ""),
    ] {
        let bouncer = PgBouncer::start(settings).await;
        let (db, _folder) = open(&format!("{}{query}", bouncer.url)).await.unwrap();
        // With named statements, most of these would meet a session that does not know them.
        let reads = (0..60_i64).map(|i| {
            let db = &db;
            async move {
                let sql = "SELECT $1 + CAST(pg_backend_pid() * 0 AS BIGINT)";
                assert_eq!(db.read().one(sql, &[i.into()], |row| row.int(0)).await.unwrap(), Some(i));
            }
        });
        join_all(reads).await;
        assert_eq!(number(&db, PREPARED).await, 0, "{settings} {query}");

        // A transaction has a statement timeout, and leaves none behind.
        let timeout = "SELECT current_setting('statement_timeout')";
        let inside = db.write::<_, Error>(move |sql| {
            Box::pin(async move { sql.one(timeout, &[], |row| row.text(0)).await })
        });
        assert_eq!(inside.await.unwrap().as_deref(), Some("54s"));
        let outside = db.read().one(timeout, &[], |row| row.text(0)).await.unwrap();
        assert_eq!(outside.as_deref(), Some("0"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_it_is_not_there_statements_are_prepared() {
    let bouncer = PgBouncer::start("").await;
    let (db, _folder) = open(&bouncer.server.url).await.unwrap();
    assert!(number(&db, PREPARED).await > 0);

    // It is not what the URL says.
    let refused = open(&format!("{}?pgbouncer=false", bouncer.url)).await.err().unwrap().to_string();
    assert!(refused.contains("unsupported startup parameter: options"), "{refused}");
    let refused = open(&format!("{}?options=-c%20work_mem%3D4MB", bouncer.url)).await.err().unwrap();
    let remedy = "remove options and pgbouncer=false from the database URL";
    assert!(refused.to_string().contains(remedy), "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_is_complete_and_one_that_nobody_reads_on_frees_its_session() {
    let bouncer = PgBouncer::start("").await;
    let (db, _folder) = open(&bouncer.url).await.unwrap();
    let sql = "SELECT i, CAST($1 AS TEXT), $2 || i FROM generate_series(CAST($3 AS BIGINT), 2000) AS i";
    let stream = || {
        let params: [Parameter<'_>; 3] = [None::<String>.into(), "no ".into(), 1_i64.into()];
        db.stream(sql, &params, |row| Ok((row.int(0)?, row.opt_text(1)?, row.text(2)?)))
    };
    let mut whole = stream();
    let mut expected = 1;
    while let Some(group) = whole.next().await {
        for (i, nothing, text) in group.unwrap() {
            assert_eq!((i, nothing, text), (expected, None, format!("no {expected}")));
            expected += 1;
        }
    }
    assert_eq!(expected, 2_001);

    // More often than there are sessions: those of all but the last have to be free again.
    for _ in 0..SESSIONS * 2 {
        let mut begun = stream();
        assert_eq!(begun.next().await.unwrap().unwrap().len(), 500);
    }
    let divided = "SELECT CAST(1 AS BIGINT) / (i - 700) FROM generate_series(CAST(1 AS BIGINT), 2000) AS i";
    let mut broken = db.stream(divided, &[], |row| row.int(0));
    let mut last = None;
    while let Some(group) = broken.next().await {
        last = Some(group);
    }
    assert!(last.unwrap().is_err());
    assert_eq!(number(&db, "SELECT CAST(7 AS BIGINT)").await, 7);
    let open = "SELECT COUNT(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'";
    until("no transaction is open", || async { number(&db, open).await == 0 }).await;
}
