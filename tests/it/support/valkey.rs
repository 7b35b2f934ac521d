//! A private server of rate limits. Debian: `redis-server`, which speaks the protocol of Valkey too.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{
    postgres::{run, signal},
    process::PATIENCE,
};

pub struct ValkeyServer {
    port: u16,
    password: Option<&'static str>,
    is_encrypted: bool,
    child: Child,
    folder: TempDir,
}

impl ValkeyServer {
    pub fn start() -> Self {
        Self::with_password(None)
    }

    pub fn with_password(password: Option<&'static str>) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), password, false)
    }

    /// Accepts TLS only, with a certificate for `localhost` that `ca` has issued.
    pub fn with_tls() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
        std::fs::write(folder.path().join("extensions"), "subjectAltName=DNS:localhost\n").unwrap();
        for arguments in [
            format!("req -x509 {key} -days 2 -subj /CN=ours -keyout ca.key -out ca.pem"),
            format!("req {key} -subj /CN=localhost -keyout server.key -out request.pem"),
            "x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extensions -out server.pem".to_owned(),
        ] {
            run(Command::new("openssl").args(arguments.split(' ')).current_dir(folder.path()));
        }
        Self::start_in(folder, None, true)
    }

    /// The certificate of the authority, with `with_tls`.
    pub fn ca(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    fn start_in(folder: TempDir, password: Option<&'static str>, is_encrypted: bool) -> Self {
        // Somebody else may take the port before it does.
        for _ in 0..10 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            if let Some(child) = spawn(port, password, is_encrypted, &folder) {
                return Self { port, password, is_encrypted, child, folder };
            }
        }
        panic!("redis-server does not start");
    }

    pub fn url(&self) -> String {
        let password = self.password.map(|password| format!(":{password}@")).unwrap_or_default();
        let (scheme, host) = if self.is_encrypted { ("rediss", "localhost") } else { ("redis", "127.0.0.1") };
        format!("{scheme}://{password}{host}:{}", self.port)
    }

    /// It loses everything: nothing is written to disk.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// At the same address, after `kill`.
    pub fn restart(&mut self) {
        let child = spawn(self.port, self.password, self.is_encrypted, &self.folder);
        self.child = child.expect("its port is free");
    }

    /// Suspends it; connections stay open.
    pub fn freeze(&self) {
        signal("STOP", &[self.child.id().to_string()]);
    }

    pub fn thaw(&self) {
        signal("CONT", &[self.child.id().to_string()]);
    }
}

impl Drop for ValkeyServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `None` if it ends, because it cannot have the port.
#[allow(clippy::disallowed_methods)]
fn spawn(port: u16, password: Option<&str>, is_encrypted: bool, folder: &TempDir) -> Option<Child> {
    let mut command = Command::new("redis-server");
    let number = port.to_string();
    if is_encrypted {
        command.args(["--port", "0", "--tls-port", &number, "--tls-auth-clients", "no"]);
        command.args([
            "--tls-cert-file",
            "server.pem",
            "--tls-key-file",
            "server.key",
            "--tls-ca-cert-file",
            "ca.pem",
        ]);
    } else {
        command.args(["--port", &number]);
    }
    command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
    command.arg("--dir").arg(folder.path()).current_dir(folder.path());
    if let Some(password) = password {
        command.args(["--requirepass", password]);
    }
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("redis-server is installed (Debian: redis-server)");
    let started = Instant::now();
    while !is_answered_by(child.id(), port, password, is_encrypted) {
        if child.try_wait().unwrap().is_some() {
            return None;
        }
        assert!(started.elapsed() < PATIENCE, "redis-server did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.try_wait().unwrap().is_none().then_some(child)
}

/// Is it this process that answers at the port?
fn is_answered_by(pid: u32, port: u16, password: Option<&str>, is_encrypted: bool) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    if is_encrypted {
        // That somebody listens is all that can be seen without TLS. If it is somebody else, the process ends soon.
        std::thread::sleep(Duration::from_millis(200));
        return true;
    }
    stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
    let login = password.map(|password| format!("AUTH {password}\r\n")).unwrap_or_default();
    let asked = stream.write_all(format!("{login}INFO server\r\nQUIT\r\n").as_bytes());
    let mut answer = String::new();
    let is_read = asked.is_ok() && stream.read_to_string(&mut answer).is_ok();
    is_read && answer.contains(&format!("process_id:{pid}\r\n"))
}
