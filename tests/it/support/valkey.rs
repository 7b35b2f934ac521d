//! A private server of rate limits. Debian: `redis-server`, which speaks the protocol of Valkey too.

use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::process::PATIENCE;

pub struct ValkeyServer {
    port: u16,
    password: Option<&'static str>,
    child: Child,
    folder: TempDir,
}

impl ValkeyServer {
    pub fn start() -> Self {
        Self::with_password(None)
    }

    pub fn with_password(password: Option<&'static str>) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let child = spawn(port, password, &folder);
        Self { port, password, child, folder }
    }

    pub fn url(&self) -> String {
        let password = self.password.map(|password| format!(":{password}@")).unwrap_or_default();
        format!("redis://{password}127.0.0.1:{}", self.port)
    }

    /// It loses everything: nothing is written to disk.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// At the same address, after `kill`.
    pub fn restart(&mut self) {
        self.child = spawn(self.port, self.password, &self.folder);
    }
}

impl Drop for ValkeyServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[allow(clippy::disallowed_methods)]
fn spawn(port: u16, password: Option<&str>, folder: &TempDir) -> Child {
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    command.arg("--dir").arg(folder.path());
    if let Some(password) = password {
        command.args(["--requirepass", password]);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("redis-server is installed (Debian: redis-server)");
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "redis-server has ended");
        assert!(started.elapsed() < PATIENCE, "redis-server did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}
