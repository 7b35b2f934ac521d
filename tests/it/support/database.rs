//! A fresh database for each test: a SQLite file, or a database of its own on the PostgreSQL server that `./test` runs.

use std::sync::atomic::{AtomicU32, Ordering};

use endonym::store::{Db, Error, Options, Value, migrations};
use tempfile::TempDir;

pub struct TestDatabase {
    pub db: Db,
    pub options: Options,
    _folder: TempDir,
}

pub fn on_postgres() -> bool {
    server().is_some()
}

#[allow(clippy::disallowed_methods)]
fn server() -> Option<String> {
    std::env::var("ENDONYM_TEST_DATABASE_URL").ok().filter(|url| !url.is_empty())
}

impl TestDatabase {
    pub async fn new() -> Self {
        let (options, folder) = options().await;
        let db = Db::open(&options).await.unwrap();
        migrations::migrate(&db).await.unwrap();
        Self { db, options, _folder: folder }
    }
}

/// An empty database, not yet migrated. The folder is to be kept as long as it is used.
pub async fn options() -> (Options, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = match server() {
        None => None,
        Some(server) => Some(new_database(&server).await),
    };
    (Options { url, data_dir: folder.path().to_owned(), ca_file: None, connections: 4 }, folder)
}

async fn new_database(server: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let (client, connection) = tokio_postgres::connect(server, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
    let (start, _) = server.rsplit_once('/').expect("the URL ends in /database");
    format!("{start}/{name}")
}

/// One statement in a transaction of its own; says how many rows it changed. One that touches every row of a table may meet
/// workers who lock them in another order: PostgreSQL then ends one of the two, and this one begins anew.
pub async fn execute(db: &Db, text: impl Into<String>, params: Vec<Value<'static>>) -> u64 {
    let text = text.into();
    loop {
        let (text, params) = (text.clone(), params.clone());
        let done =
            db.write::<_, Error>(move |sql| Box::pin(async move { sql.execute(&text, &params).await })).await;
        match done {
            Err(Error::Unavailable(why)) if why.contains("deadlock detected") => {}
            done => return done.unwrap(),
        }
    }
}
