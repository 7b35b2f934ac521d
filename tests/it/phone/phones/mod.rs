//! Third-party phones, trunks and proxies, started for one test.

pub mod baresip;
pub mod kamailio;
pub mod sipp;
pub mod sound;

use std::{
    fs::File,
    net::{TcpListener, UdpSocket},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicU16, Ordering},
    },
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::time::{Instant, sleep};

/// A timeout for the slowest machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A range of free ports for both protocols, reserved for one test. They are below the system's ephemeral ports.
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

/// A program that is killed with the test. Its output goes to a file.
pub struct Program {
    child: Mutex<Child>,
    name: &'static str,
    log: PathBuf,
}

impl Program {
    /// By name, or by its path if it is not in PATH.
    pub fn start(name: &'static str, folder: &Path, arguments: &[&str]) -> Self {
        Self::start_with(name, folder, arguments, &[])
    }

    /// With these variables in its environment.
    pub fn start_with(
        name: &'static str,
        folder: &Path,
        arguments: &[&str],
        environment: &[(&str, String)],
    ) -> Self {
        let log = folder.join(format!("{}.log", name.rsplit('/').next().unwrap()));
        let file = File::create(&log).unwrap();
        let started = Command::new(name)
            .args(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            // Some consist of several processes, which must end together.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(file.try_clone().unwrap())
            .stderr(file)
            .spawn();
        let child = started.unwrap_or_else(|error| panic!("`{name}` is needed for this test: {error}"));
        Self { child: Mutex::new(child), name, log }
    }

    pub fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Waits for this output.
    pub async fn until_said(&self, text: &str) {
        self.until_said_times(text, 1).await;
    }

    pub async fn until_said_times(&self, text: &str, times: usize) {
        let end = Instant::now() + PATIENCE;
        while self.said().matches(text).count() < times {
            assert!(Instant::now() < end, "{} has never said `{text}`:\n{}", self.name, self.said());
            assert!(self.is_running(), "{} has ended before it said `{text}`:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn is_running(&self) -> bool {
        self.child.lock().unwrap().try_wait().unwrap().is_none()
    }

    /// Waits until it listens for packets at this port.
    pub async fn until_at(&self, port: u16) {
        self.until_listed("/proc/net/udp", &format!(":{port:04X} ")).await;
    }

    /// Waits until it accepts connections at this port.
    pub async fn until_listening(&self, port: u16) {
        self.until_listed("/proc/net/tcp", &format!(":{port:04X} 00000000:0000 0A ")).await;
    }

    /// Reads the kernel's list of sockets: a probe by binding or connecting would interfere.
    async fn until_listed(&self, list: &str, line: &str) {
        let end = Instant::now() + PATIENCE;
        let lists = [list.to_owned(), format!("{list}6")];
        while !lists.iter().any(|list| std::fs::read_to_string(list).unwrap().contains(line)) {
            assert!(Instant::now() < end, "{} is not at {line}:\n{}", self.name, self.said());
            assert!(self.is_running(), "{} has ended:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for its exit; returns whether it succeeded.
    pub async fn succeeded(&self) -> bool {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.lock().unwrap().try_wait().unwrap() {
                return status.success();
            }
            assert!(Instant::now() < end, "{} does not end:\n{}", self.name, self.said());
            sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have exited already.
        let child = self.child.get_mut().unwrap();
        if child.try_wait().is_ok_and(|ended| ended.is_none()) {
            let group = Pid::from_child(child);
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = child.wait();
        if std::thread::panicking() {
            println!("--- {} said:\n{}", self.name, self.said());
        }
    }
}
