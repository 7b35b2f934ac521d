//! A dedicated PostgreSQL server, for tests that must not affect the shared one.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use tempfile::TempDir;

pub struct PostgresServer {
    pub url: String,
    /// The postmaster, which forks the other processes.
    child: Child,
    folder: TempDir,
}

const LONGEST_START: Duration = Duration::from_secs(60);

impl PostgresServer {
    pub async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres").arg(folder.path()));
        }
        let data = folder.path().join("data");
        let settings = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"];
        run(program("initdb").current_dir(folder.path()).args(settings).arg(&data));
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = program("postgres");
        command.current_dir(folder.path()).arg("-D").arg(&data).arg("-k").arg(folder.path());
        command.args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]);
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let server = Self { url: format!("postgres://postgres@127.0.0.1:{port}/postgres"), child, folder };
        let up = async {
            while tokio_postgres::connect(&server.url, tokio_postgres::NoTls).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        let log = || std::fs::read_to_string(server.folder.path().join("log")).unwrap();
        assert!(tokio::time::timeout(LONGEST_START, up).await.is_ok(), "it did not start: {}", log());
        server
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

fn signal(name: &str, pids: &[String]) {
    // Ignore processes that have already exited.
    if pids.is_empty() {
        return;
    }
    let _ = Command::new("sh").args(["-c", &format!("kill -{name} {} 2>/dev/null", pids.join(" "))]).status();
}

pub fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// A PostgreSQL program of the newest installed version, run as an unprivileged user.
pub fn program(name: &str) -> Command {
    as_postgres(&programs().join(name))
}

/// The directory with the programs of the newest installed version.
pub fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed").flatten();
    let folders =
        versions.map(|version| version.path().join("bin")).filter(|path| path.join("initdb").is_file());
    let version = |path: &PathBuf| path.iter().nth(4).and_then(|part| part.to_str()?.parse::<u32>().ok());
    folders.max_by_key(version).expect("PostgreSQL has its programs")
}

/// PostgreSQL refuses to run as root.
pub fn as_postgres(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    command
}

pub fn run(command: &mut Command) {
    let ended = command.output().unwrap();
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
}
