//! The real binary, run as an operator would run it, with its own directory and database.

use std::{
    ffi::OsString,
    fs::OpenOptions,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    time::Duration,
};

use endonym::store::{Db, Options, folder};
use serde_json::Value;
use tempfile::TempDir;
use tokio::{sync::OnceCell, time::Instant};

use super::database;

pub const BINARY: &str = env!("CARGO_BIN_EXE_endonym");
/// The data directory, in that of an installation.
const DATA: &str = "endonym-data";

/// A data directory and a database that nothing else uses.
pub struct Installation {
    pub folder: TempDir,
    /// The database's URL, unless it is SQLite in the data directory.
    pub database_url: Option<String>,
    pub connections: usize,
}

impl Installation {
    /// Nothing has run yet: the PostgreSQL database is empty, the SQLite file does not exist.
    pub async fn untouched() -> Self {
        Self::of(database::options().await)
    }

    pub async fn new() -> Self {
        Self::of(database::migrated_options().await)
    }

    fn of((options, folder): (Options, TempDir)) -> Self {
        Self { folder, database_url: options.url, connections: options.connections }
    }

    /// With institution `example`, its page `class` and a token. A copy: the three commands take longer than many tests.
    pub async fn with_token() -> (Self, String) {
        // With its folder, which keeps the database.
        static FURNISHED: OnceCell<(Installation, String)> = OnceCell::const_new();
        if database::server().is_none() {
            return Self::on_sqlite_with_token();
        }
        let furnished = FURNISHED.get_or_init(|| async {
            let made = Self::new().await;
            let token = made.furnish();
            (made, token)
        });
        let (furnished, token) = furnished.await;
        let mut made = Self::on_sqlite();
        made.database_url =
            Some(database::copy(furnished.database_url.as_ref().unwrap(), &made.folder).await);
        (made, token.clone())
    }

    /// On SQLite in the data directory, whatever database the other tests use.
    pub fn on_sqlite() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            database_url: None,
            connections: database::connections(),
        }
    }

    /// Like `with_token`, on SQLite.
    pub fn on_sqlite_with_token() -> (Self, String) {
        static FURNISHED: LazyLock<Furnished> = LazyLock::new(Furnished::new);
        let made = Self::on_sqlite();
        FURNISHED.copy_to(&made.path(DATA));
        (made, FURNISHED.token.clone())
    }

    /// Creates institution `example`, its page `class` and a token.
    pub fn furnish(&self) -> String {
        self.json(&["institution", "create", "--name", "Example University", "--slug", "example", "--json"]);
        self.json(&[
            "name-page",
            "create",
            "--institution",
            "example",
            "--title",
            "Class",
            "--slug",
            "class",
            "--json",
        ]);
        self.token("tests")["token"].as_str().unwrap().to_owned()
    }

    /// Another token of `example`: `{"id","token"}`.
    pub fn token(&self, name: &str) -> Value {
        self.json(&["token", "create", "--institution", "example", "--name", name, "--json"])
    }

    /// Connects to the database that the binary uses.
    pub async fn database(&self) -> Db {
        let (url, data_dir) = (self.database_url.clone(), self.path(DATA));
        let options = Options { url, data_dir, ca_file: None, connections: 1, threads: 0, timeout: PATIENCE };
        Db::open(&options).await.unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Runs in this installation's directory, without our own settings in the environment.
    pub fn bare(&self) -> Command {
        let mut command = Command::new(BINARY);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("ENDONYM_") {
                command.env_remove(name);
            }
        }
        command
    }

    /// With this installation's database.
    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare();
        command.args(words);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
            command.args(["--database-connections", &self.connections.to_string()]);
        }
        command
    }

    pub fn run(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::of(&mut self.command(words))
    }

    pub fn succeed(&self, words: &[&str]) -> String {
        self.run(words).succeeded()
    }

    pub fn json(&self, words: &[&str]) -> Value {
        self.run(words).json()
    }

    /// Returns the error message on standard error.
    pub fn refuse(&self, words: &[&str]) -> String {
        self.run(words).refused()
    }

    /// Starts a server on a free port.
    pub fn serve(&self, words: &[&str]) -> Serving {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(words);
        Serving::start(command, self.path("serve.log"))
    }

    /// Imports people into `class`, with one transaction per few hundred.
    pub fn import(&self, rows: &str) -> Value {
        let file = self.write("people.csv", rows);
        self.json(&[
            "import",
            "--institution",
            "example",
            "--name-page",
            "class",
            file.to_str().unwrap(),
            "--json",
        ])
    }
}

/// The files of a data directory with institution `example`, its page `class` and a token.
struct Furnished {
    files: Vec<(OsString, Vec<u8>)>,
    token: String,
}

impl Furnished {
    fn new() -> Self {
        let made = Installation::on_sqlite();
        let token = made.furnish();
        let entries = std::fs::read_dir(made.path(DATA)).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        // SQLite makes the shared memory of its processes anew.
        let files = files.filter(|entry| !entry.file_name().to_string_lossy().ends_with("-shm"));
        let files = files.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()));
        Self { files: files.collect(), token }
    }

    fn copy_to(&self, data: &Path) {
        folder::create(data).unwrap();
        for (name, content) in &self.files {
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(data.join(name));
            file.unwrap().write_all(content).unwrap();
        }
    }
}

/// A command that has exited.
#[derive(Debug)]
pub struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl CommandOutput {
    pub fn of(command: &mut Command) -> Self {
        Self::from(command.output().unwrap())
    }

    pub fn succeeded(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Expects exactly one JSON object on standard output.
    pub fn json(self) -> Value {
        let text = self.succeeded();
        let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert!(value.is_object(), "{text}");
        value
    }

    pub fn refused(self) -> String {
        assert!(self.code > 0, "{self:?}");
        assert_eq!(self.stdout, "", "{}", self.stderr);
        let said = self.stderr.trim();
        assert!(said.starts_with("error: ") && said.len() > 20, "no sentence: {said}");
        assert!(!said.contains("panicked"), "{said}");
        self.stderr
    }
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A server in its own process. Killed when dropped.
pub struct Serving {
    child: Child,
    pub base: String,
    /// Its standard output until it was ready.
    pub greeting: String,
    log: PathBuf,
}

/// The options of a server with metrics.
pub const METRICS: [&str; 2] = ["--metrics-listen", "127.0.0.1:0"];

/// For a process to start, to stop or to answer, on a slow machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

impl Serving {
    /// Appends standard error to `log`.
    pub fn start(mut command: Command, log: PathBuf) -> Self {
        let listen = command.get_args().skip_while(|word| *word != "--listen").nth(1);
        let listen = listen.and_then(|word| word.to_str()).filter(|listen| !listen.ends_with(":0"));
        let mut address = listen.map(str::to_owned);
        let errors = OpenOptions::new().create(true).append(true).open(&log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (sender, receiver) = mpsc::channel();
        // Keeps reading, so that the server never blocks on a full pipe.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| drop(sender.send(line))));
        let mut serving = Self { child, base: String::new(), greeting: String::new(), log };
        let started = Instant::now();
        let mut ready = false;
        // The greeting's last line is not marked, but it is written before the first response.
        loop {
            match receiver.recv_timeout(Duration::from_millis(if ready { 100 } else { 10 })) {
                Ok(line) => {
                    if let Some((_, base)) = line.split_once(" at http") {
                        serving.base = format!("http{}", base.trim());
                        address.get_or_insert_with(|| serving.address().to_owned());
                    }
                    serving.greeting.push_str(&line);
                    serving.greeting.push('\n');
                }
                Err(mpsc::RecvTimeoutError::Timeout) if ready => return serving,
                Err(mpsc::RecvTimeoutError::Timeout) if started.elapsed() < PATIENCE => {
                    ready = address.as_deref().is_some_and(answers);
                }
                Err(_) => panic!("the server did not start: {}{}", serving.greeting, serving.log()),
            }
        }
    }

    /// The URL of its metrics, if it was started with `METRICS`.
    pub fn metrics(&self) -> String {
        let line = self.greeting.lines().find(|line| line.contains("Metrics")).expect("it is told where");
        format!("http{}", line.split_once("http").unwrap().1.trim())
    }

    /// `127.0.0.1:PORT`
    pub fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.pid())]).status();
        assert!(sent.unwrap().success());
    }

    /// `kill -9`: no graceful shutdown.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for it to exit; `None` on timeout.
    pub async fn ended(&mut self, within: Duration) -> Option<i32> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status.code().unwrap_or(-1));
            }
            if started.elapsed() > within {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Stops it like a service manager, and returns the exit code.
    pub async fn stop(mut self) -> i32 {
        self.signal("TERM");
        self.ended(PATIENCE).await.expect("the server stops on SIGTERM")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answers(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let _ = stream.set_read_timeout(Some(PATIENCE));
    let asked = stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    asked.is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.starts_with("HTTP/1.1 200")
}

/// The most memory that a process has allocated so far, in kB. Files that it has mapped belong to the operating system's page
/// cache and do not count; `VmHWM` would count them, so the process is watched instead.
pub struct MemoryWatch {
    peak: Arc<AtomicU64>,
    stopped: Arc<AtomicBool>,
}

impl MemoryWatch {
    pub fn start(pid: u32) -> Self {
        let (peak, stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (watched, until) = (peak.clone(), stopped.clone());
        std::thread::spawn(move || {
            while !until.load(Ordering::Relaxed)
                && let Some(now) = allocated_memory(pid)
            {
                watched.fetch_max(now, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self { peak, stopped }
    }

    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

impl Drop for MemoryWatch {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// The memory that a process has allocated, in kB.
pub fn allocated_memory(pid: u32) -> Option<u64> {
    memory(pid, "RssAnon:")
}

/// The peak memory of a process in kilobytes; `None` once it has exited.
pub fn peak_memory(pid: u32) -> Option<u64> {
    memory(pid, "VmHWM:")
}

fn memory(pid: u32, which: &str) -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(which))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs a command on a pseudo-terminal and types into it.
pub fn on_terminal(installation: &Installation, words: &[&str], typed: &str) -> CommandOutput {
    let whole = installation.command(words);
    let quoted = |word: &std::ffi::OsStr| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''"));
    let line = std::iter::once(whole.get_program()).chain(whole.get_args()).map(quoted);
    let mut command = Command::new("script");
    command.args(["-q", "-e", "-c", &line.collect::<Vec<_>>().join(" "), "/dev/null"]);
    command.current_dir(installation.folder.path()).env("TERM", "xterm").stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    // Wait for the prompt: input that is typed too early is echoed twice.
    let mut shown = vec![0; 4096];
    let length = stdout.read(&mut shown).unwrap();
    shown.truncate(length);
    stdin.write_all(typed.as_bytes()).unwrap();
    stdout.read_to_end(&mut shown).unwrap();
    let ended = child.wait_with_output().unwrap();
    drop(stdin);
    CommandOutput::from(Output { stdout: shown, ..ended })
}
