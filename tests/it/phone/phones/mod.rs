//! Phones, trunks and proxies that others have written, started for one test and stopped with it.

pub mod baresip;
pub mod kamailio;
pub mod sipp;
pub mod sound;

use std::{
    fs::File,
    net::{TcpListener, UdpSocket},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    time::Duration,
};

use tokio::time::{Instant, sleep};

/// Nothing here takes longer, on the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// So many free ports in a row, for both protocols, that no other test has got. They lie below those that the system
/// gives away by itself.
pub fn free_ports(count: u16) -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    const FIRST: u16 = 12_000;
    const PORTS: u16 = 20_000;
    let start = u16::try_from(std::process::id() % u32::from(PORTS)).unwrap();
    loop {
        let port = FIRST + (start + NEXT.fetch_add(count, Ordering::Relaxed) % PORTS) % PORTS;
        let free = |port| {
            UdpSocket::bind(("127.0.0.1", port)).is_ok() && TcpListener::bind(("127.0.0.1", port)).is_ok()
        };
        if (port..port + count).all(free) {
            return port;
        }
    }
}

/// A program that ends with the test. What it says is in a file.
pub struct Program {
    child: Child,
    name: &'static str,
    log: PathBuf,
}

impl Program {
    pub fn start(name: &'static str, folder: &Path, arguments: &[&str]) -> Self {
        let log = folder.join(format!("{name}.log"));
        let file = File::create(&log).unwrap();
        let started = Command::new(name)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn();
        let child = started.unwrap_or_else(|error| panic!("`{name}` is needed for this test: {error}"));
        Self { child, name, log }
    }

    pub fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits for it to say this.
    pub async fn until_said(&mut self, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.said().contains(text) {
            assert!(Instant::now() < end, "{} has never said `{text}`:\n{}", self.name, self.said());
            assert!(self.is_running(), "{} has ended before it said `{text}`:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until somebody is at this port.
    pub async fn until_at(&mut self, port: u16) {
        let end = Instant::now() + PATIENCE;
        while UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            assert!(Instant::now() < end, "{} is not at port {port}:\n{}", self.name, self.said());
            assert!(self.is_running(), "{} has ended:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for its end: was it a good one?
    pub async fn succeeded(&mut self) -> bool {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.success();
            }
            assert!(Instant::now() < end, "{} does not end:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            println!("--- {} said:\n{}", self.name, self.said());
        }
    }
}
