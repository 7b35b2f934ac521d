//! A dedicated PostgreSQL server, for tests that must not affect the shared one.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio_postgres::{Client, Config, NoTls};

use super::until;

pub struct PostgresServer {
    pub url: String,
    pub port: u16,
    /// The postmaster, which forks the other processes.
    child: Child,
    folder: TempDir,
    settings: Vec<String>,
}

const LONGEST_START: Duration = Duration::from_secs(60);

impl PostgresServer {
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With settings like `max_connections=10`.
    pub async fn start_with(settings: &[&str]) -> Self {
        let folder = folder();
        let words = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"];
        run(program("initdb").current_dir(folder.path()).args(words).arg(folder.path().join("data")));
        Self::launch(folder, settings).await
    }

    /// A new standby. From now on, this server acknowledges no commit that the standby does not have.
    pub async fn standby(&self) -> Self {
        let folder = folder();
        let port = self.port.to_string();
        let words = ["-h", "127.0.0.1", "-p", &port, "-U", "postgres", "-R", "-c", "fast", "--no-sync", "-D"];
        run(program("pg_basebackup").current_dir(folder.path()).args(words).arg(folder.path().join("data")));
        let standby = Self::launch(folder, &[]).await;
        let client = self.connect().await;
        client.batch_execute("ALTER SYSTEM SET synchronous_standby_names = '*'").await.unwrap();
        client.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        let synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' LIMIT 1";
        let follows = async {
            while client.query_opt(synchronous, &[]).await.unwrap().is_none() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let follows = tokio::time::timeout(LONGEST_START, follows).await;
        assert!(follows.is_ok(), "the standby does not follow: {}", standby.log());
        standby
    }

    /// Makes a standby a primary.
    pub async fn promote(&self) {
        let promoted = self.connect().await.query_one("SELECT pg_promote()", &[]).await.unwrap();
        assert!(promoted.get::<_, bool>(0), "{}", self.log());
    }

    async fn launch(folder: TempDir, settings: &[&str]) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let child = spawn(folder.path(), port, &settings);
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        let server = Self { url, port, child, folder, settings };
        server.until_up().await;
        server
    }

    /// At the same address, after `crash`.
    pub async fn restart(&mut self) {
        self.child.wait().unwrap();
        self.child = spawn(self.folder.path(), self.port, &self.settings);
        self.until_up().await;
    }

    async fn until_up(&self) {
        let up = async {
            while tokio_postgres::connect(&self.url, NoTls).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let up = tokio::time::timeout(LONGEST_START, up).await;
        assert!(up.is_ok(), "it did not start: {}", self.log());
    }

    /// The data directory.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A connection over the Unix socket, whatever is required of others.
    pub async fn connect(&self) -> Client {
        let mut config = Config::new();
        config.host_path(self.folder.path()).port(self.port).user("postgres").dbname("postgres");
        let (client, connection) = config.connect(NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// Stops it without a shutdown: connections break, and nothing more is written.
    pub fn crash(&self) {
        signal("QUIT", &[self.pid()]);
    }

    /// Applies changed settings, access rules and certificates to new connections.
    pub async fn reload(&self) {
        let loaded = async || {
            // Of the process that accepts connections.
            let row = self.connect().await.query_one("SELECT CAST(pg_conf_load_time() AS TEXT)", &[]).await;
            row.unwrap().get::<_, String>(0)
        };
        let before = loaded().await;
        self.connect().await.batch_execute("SELECT pg_reload_conf()").await.unwrap();
        until("the settings are loaded", || async { loaded().await != before }).await;
    }

    /// Suspends all its processes; connections stay open.
    pub fn freeze(&self) {
        // The postmaster first, so that it forks no more.
        signal("STOP", &[self.pid()]);
        signal("STOP", &self.others());
    }

    pub fn thaw(&self) {
        signal("CONT", &self.others());
        signal("CONT", &[self.pid()]);
    }

    fn pid(&self) -> String {
        self.child.id().to_string()
    }

    fn others(&self) -> Vec<String> {
        let pid = self.pid();
        let children =
            std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        children.split_whitespace().map(str::to_owned).collect()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.thaw();
        signal("QUIT", &[self.pid()]);
        let _ = self.child.wait();
    }
}

fn spawn(folder: &Path, port: u16, settings: &[String]) -> Child {
    let mut command = program("postgres");
    command.current_dir(folder).arg("-D").arg(folder.join("data"));
    command.arg("-k").arg(folder).args(["-p", &port.to_string()]);
    let always = ["listen_addresses=127.0.0.1", "fsync=off"];
    for setting in always.into_iter().chain(settings.iter().map(String::as_str)) {
        command.args(["-c", setting]);
    }
    let log = std::fs::File::create(folder.join("log")).unwrap();
    command.stdout(Stdio::null()).stderr(log).spawn().unwrap()
}

/// PostgreSQL does not run as root.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    give_to_postgres(folder.path());
    folder
}

pub fn signal(name: &str, pids: &[String]) {
    // Ignore processes that have already exited.
    if pids.is_empty() {
        return;
    }
    let _ = Command::new("sh").args(["-c", &format!("kill -{name} {} 2>/dev/null", pids.join(" "))]).status();
}

pub fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Servers run as this user if the tests run as root.
pub fn give_to_postgres(path: &Path) {
    if is_root() {
        run(Command::new("chown").arg("-R").arg("postgres").arg(path));
    }
}

/// PostgreSQL and PgBouncer refuse to run as root.
pub fn unprivileged(program: impl AsRef<OsStr>) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

/// A PostgreSQL program of the newest installed version, run as an unprivileged user.
pub fn program(name: &str) -> Command {
    unprivileged(programs().join(name))
}

/// The directory with the programs of the newest installed version.
pub fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed").flatten();
    let folders =
        versions.map(|version| version.path().join("bin")).filter(|path| path.join("initdb").is_file());
    let version = |path: &PathBuf| path.iter().nth(4).and_then(|part| part.to_str()?.parse::<u32>().ok());
    folders.max_by_key(version).expect("PostgreSQL has its programs")
}

pub fn run(command: &mut Command) {
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
}
