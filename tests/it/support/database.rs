//! A fresh database for each test: a SQLite file, or a new database on the PostgreSQL server that `./test` runs, or on all nodes of the
//! Citus cluster that `./test-citus` runs.

use std::{
    io::Write,
    ops::Range,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use endonym::{
    domain::{
        ids::{InstitutionId, NamePageId},
        moment::Moment,
    },
    store::{Db, Error, Options, Value, folder::DATABASE, migrations, rolls},
};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tokio_postgres::{Client, NoTls, error::SqlState};

use super::process::PATIENCE;

pub struct TestDatabase {
    pub db: Db,
    pub options: Options,
    _folder: TempDir,
}

/// For tests that behave differently on PostgreSQL: `./test` always repeats them there.
pub fn on_postgres() -> bool {
    note("differs");
    server().is_some()
}

/// Is that server a node of a Citus cluster?
pub fn on_citus() -> bool {
    on_postgres() && !citus_nodes().is_empty()
}

/// The nodes of the cluster, the coordinator first. Empty if the tests do not run on Citus.
fn citus_nodes() -> Vec<String> {
    let nodes = variable("ENDONYM_TEST_CITUS_NODES").unwrap_or_default();
    nodes.split_whitespace().map(str::to_owned).collect()
}

/// The server that migrations run on. Workers of Citus cannot change the schema.
fn coordinator(server: &str) -> String {
    citus_nodes().into_iter().next().unwrap_or_else(|| server.to_owned())
}

/// Every server that has a part of each database. A node of Citus looks for the others in the database of the same name.
fn servers(server: &str) -> Vec<String> {
    let nodes = citus_nodes();
    if nodes.is_empty() { vec![server.to_owned()] } else { nodes }
}

/// The PostgreSQL server to test on. Every test that depends on the database goes through here.
pub(super) fn server() -> Option<String> {
    note("uses");
    variable("ENDONYM_TEST_DATABASE_URL")
}

/// Appends the name of the current test, and what it does with the database, to the file in `ENDONYM_TEST_DATABASE_TESTS`, from which
/// `./test` selects those that it repeats on PostgreSQL.
fn note(what: &str) {
    let Some(list) = variable("ENDONYM_TEST_DATABASE_TESTS") else { return };
    // libtest names a test's thread after the test.
    let thread = std::thread::current();
    let test = thread.name().filter(|name| name.contains("::"));
    let test = test.expect("a test asks for its database on its own thread, so that it can be listed");
    let mut list = std::fs::OpenOptions::new().create(true).append(true).open(list).unwrap();
    list.write_all(format!("{what} {test}\n").as_bytes()).unwrap();
}

#[allow(clippy::disallowed_methods)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

impl TestDatabase {
    pub async fn new() -> Self {
        let (options, folder) = migrated_options().await;
        Self::open(options, folder).await
    }

    /// SQLite, whatever database the other tests use.
    pub async fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::open(options_of(None, &folder), folder).await
    }

    async fn open(options: Options, folder: TempDir) -> Self {
        if options.url.is_none() {
            std::fs::write(options.data_dir.join(DATABASE), sqlite_template().await).unwrap();
        }
        let db = Db::open(&options).await.unwrap();
        migrations::migrate(&db).await.unwrap();
        Self { db, options, _folder: folder }
    }
}

/// A database of which each test gets a copy.
pub enum Template {
    /// The content of a SQLite file.
    File(Vec<u8>),
    /// The name of a database on the PostgreSQL server.
    Name(String),
}

impl Template {
    /// What `fill` makes of a new database. `sqlite`: on SQLite, whatever database the other tests use.
    pub async fn make<T>(sqlite: bool, fill: impl AsyncFnOnce(Db) -> T) -> (Self, T) {
        let folder = tempfile::tempdir().unwrap();
        let Some(server) = server_unless(sqlite) else {
            let database = TestDatabase::on_sqlite().await;
            let made = fill(database.db.clone()).await;
            return (Self::File(content(&database.db, &database.options).await), made);
        };
        // Not one of `IN_USE`, which are dropped.
        let url = new_database(&server, template(&server).await).await;
        let made = fill(Db::open(&options_of(Some(url.clone()), &folder)).await.unwrap()).await;
        (Self::Name(name_of(&url).to_owned()), made)
    }

    pub async fn copy(&self) -> TestDatabase {
        let folder = tempfile::tempdir().unwrap();
        let url = match self {
            Self::File(content) => {
                std::fs::write(folder.path().join(DATABASE), content).unwrap();
                None
            }
            Self::Name(name) => {
                let server = server().expect("a PostgreSQL server");
                Some(database_in(&folder, &server, name).await)
            }
        };
        let options = options_of(url, &folder);
        TestDatabase { db: Db::open(&options).await.unwrap(), options, _folder: folder }
    }
}

/// The PostgreSQL server, if the test does not insist on SQLite.
pub(super) fn server_unless(sqlite: bool) -> Option<String> {
    if sqlite { None } else { server() }
}

/// The content of a SQLite database.
async fn content(db: &Db, options: &Options) -> Vec<u8> {
    assert!(db.rewrite().await.unwrap(), "nothing is left in the write-ahead log");
    std::fs::read(options.data_dir.join(DATABASE)).unwrap()
}

/// An empty database without migrations. Keep the directory as long as the database is used.
pub async fn options() -> (Options, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = match server() {
        None => None,
        Some(server) => Some(database_in(&folder, &coordinator(&server), empty_template().await).await),
    };
    (options_of(url, &folder), folder)
}

/// Like `options`, and on PostgreSQL already migrated.
pub async fn migrated_options() -> (Options, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let url = match server() {
        None => None,
        Some(server) => Some(database_in(&folder, &server, template(&server).await).await),
    };
    (options_of(url, &folder), folder)
}

/// Enough for a share of each thread that serves requests.
pub fn connections() -> usize {
    (3 * cores()).max(6)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn options_of(url: Option<String>, folder: &TempDir) -> Options {
    let data_dir = folder.path().to_owned();
    Options { url, data_dir, ca_file: None, connections: connections(), threads: cores(), timeout: PATIENCE }
}

/// A migrated SQLite file to copy: that is faster than migrating each one.
async fn sqlite_template() -> &'static [u8] {
    static TEMPLATE: OnceCell<Vec<u8>> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let folder = tempfile::tempdir().unwrap();
            let options = options_of(None, &folder);
            let db = Db::open(&options).await.unwrap();
            migrations::migrate(&db).await.unwrap();
            content(&db, &options).await
        })
        .await
}

/// The same for PostgreSQL.
async fn template(server: &str) -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let url = new_database(&coordinator(server), empty_template().await).await;
            let folder = tempfile::tempdir().unwrap();
            let db = Db::open(&options_of(Some(url.clone()), &folder)).await.unwrap();
            migrations::migrate(&db).await.unwrap();
            name_of(&url).to_owned()
        })
        .await
}

/// The database that empty ones are copied from. Each database of Citus has the extension, and knows the nodes: both are copied.
async fn empty_template() -> &'static str {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    TEMPLATE
        .get_or_init(|| async {
            let nodes = citus_nodes();
            let Some((coordinator, workers)) = nodes.split_first() else { return "template1".to_owned() };
            let url = new_database(coordinator, "template1").await;
            for node in &nodes {
                let client = connect(&url_of(node, name_of(&url))).await;
                client.batch_execute("CREATE EXTENSION citus").await.unwrap();
            }
            let client = connect(&url).await;
            let address = |node: &str| {
                let (start, _) = node.rsplit_once('/').unwrap();
                format!("'127.0.0.1', {}", start.rsplit_once(':').expect("the URL has a port").1)
            };
            let known = format!("SELECT citus_set_coordinator_host({})", address(coordinator));
            client.batch_execute(&known).await.unwrap();
            for worker in workers {
                client.batch_execute(&format!("SELECT citus_add_node({})", address(worker))).await.unwrap();
            }
            name_of(&url).to_owned()
        })
        .await
}

/// The same database through a worker. Citus only.
pub fn through_worker(url: &str) -> String {
    url_of(citus_nodes().get(1).expect("a worker"), name_of(url))
}

fn name_of(url: &str) -> &str {
    url.rsplit_once('/').expect("the URL ends in /database").1
}

fn url_of(server: &str, database: &str) -> String {
    let (start, _) = server.rsplit_once('/').expect("the URL ends in /database");
    format!("{start}/{database}")
}

/// The databases of tests, by their folders.
static IN_USE: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());
/// Each DROP DATABASE waits for a checkpoint, and the second one finds little to write.
const DROPPED_AT_ONCE: usize = 25;

/// A database that lasts about as long as this folder. All of them together would need a disk of 15 GB.
async fn database_in(folder: &TempDir, server: &str, template: &str) -> String {
    let url = new_database(server, template).await;
    let finished: Vec<_> = {
        let mut all = IN_USE.lock().unwrap();
        all.push((folder.path().to_owned(), name_of(&url).to_owned()));
        let is_finished = |(folder, _): &(PathBuf, String)| !folder.exists();
        if all.iter().filter(|one| is_finished(one)).count() < DROPPED_AT_ONCE {
            return url;
        }
        all.extract_if(.., |one| is_finished(one)).collect()
    };
    for server in servers(server) {
        let client = connect(&server).await;
        for (_, name) in &finished {
            client.batch_execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await.unwrap();
        }
    }
    url
}

async fn connect(server: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(server, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

async fn new_database(server: &str, template: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let in_use = |error: &tokio_postgres::Error| error.code() == Some(&SqlState::OBJECT_IN_USE);
    // Files are copied in a third of the time that PostgreSQL needs to copy page by page, which is its default.
    let text = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY");
    if on_citus() && template != "template1" {
        close(template).await;
    }
    for server in servers(server) {
        let client = connect(&server).await;
        // The sessions that filled the template may need a moment to disconnect.
        let started = tokio::time::Instant::now();
        while let Err(error) = client.batch_execute(&text).await {
            assert!(in_use(&error) && started.elapsed() < PATIENCE, "{template}: {error}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    url_of(server, &name)
}

/// Nobody can connect to this database of Citus any more, which can be copied then. On each node, Citus has a background worker in each
/// database, which connects to all other nodes, and which is started again some seconds after it has ended.
async fn close(database: &str) {
    // One after the other, and once: PostgreSQL refuses to change a database twice at the same time.
    static CLOSED: tokio::sync::Mutex<Vec<String>> = tokio::sync::Mutex::const_new(Vec::new());
    let mut closed = CLOSED.lock().await;
    if closed.iter().any(|one| one == database) {
        return;
    }
    let nodes = citus_nodes();
    for text in [
        format!("ALTER DATABASE {database} ALLOW_CONNECTIONS false"),
        format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"),
    ] {
        for node in &nodes {
            connect(node).await.batch_execute(&text).await.unwrap();
        }
    }
    closed.push(database.to_owned());
}

/// A new database with the content of this one, which nobody uses. PostgreSQL only.
pub async fn copy(url: &str, folder: &TempDir) -> String {
    database_in(folder, &server().expect("a PostgreSQL server"), name_of(url)).await
}

/// What an INSERT … SELECT of `count` rows begins with, and what it reads from: the numbers `i` from 0 on. `count` may be a parameter.
pub fn series(db: &Db, count: &str) -> (String, String) {
    if db.is_citus() {
        // It plans no recursive queries.
        let n = format!("generate_series(CAST(0 AS BIGINT), CAST({count} AS BIGINT) - 1) AS n(i)");
        return (String::new(), n);
    }
    let start = "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n";
    (format!("{start} WHERE i + 1 < {count}) "), "n".to_owned())
}

/// Registers many people at once with one statement: `P0` with the email `p0@x.org` and the identifier `I0`, and so on.
pub async fn crowd(
    db: &Db,
    institution: InstitutionId,
    page: NamePageId,
    numbers: Range<usize>,
    notes: &str,
    now: Moment,
) {
    let (start, count) = (numbers.start as i64, numbers.len() as i64);
    let notes = (!notes.is_empty()).then(|| notes.to_owned());
    let (series, n) = series(db, "$1");
    // A token has 32 characters, of which ten are the id.
    let insert = format!(
        "{series}INSERT INTO participants (institution_id, id, name_page_id, page_place, token, first_name, first_name_key, email, \
        email_key, identifier, identifier_key, notes, recorded_at, legal_recorded_at, created_at, updated_at) \
        SELECT $2, $3 + i, $4, $5 + i, 'c0ffeec0ffeec0ffeec0ff' || (1000000000 + $3 + i), \
        'P' || ($6 + i), 'p' || ($6 + i), 'p' || ($6 + i) || '@x.org', 'p' || ($6 + i) || '@x.org', \
        'I' || ($6 + i), 'I' || ($6 + i), $7, 0, 0, $8, $8 FROM {n}"
    );
    let inserted = db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            let first = rolls::join_all(sql, institution, rolls::INSTITUTION, count).await?;
            let place = rolls::join_all(sql, institution, page, count).await?;
            let params = [
                count.into(),
                institution.into(),
                first.into(),
                page.into(),
                place.into(),
                start.into(),
                notes.into(),
                now.micros().into(),
            ];
            sql.execute(&insert, &params).await
        })
    });
    assert_eq!(inserted.await.unwrap(), count as u64);
}

/// Runs one statement in its own transaction and returns the number of changed rows. Retries on deadlock: a statement that
/// touches every row of a table may conflict with workers that lock them in another order.
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
