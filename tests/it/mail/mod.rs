//! Mail, sent to a real mail server on this machine: aiosmtpd in a process of its own.

mod commands;
mod delivery;
mod killed;
mod newer;
mod pace;
mod page_mail;

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use endonym::{
    app::{Actor, Error, outbox},
    domain::{
        email::Email,
        ids::{InstitutionId, MessageId},
        message::{Message, OutboxMessage, State},
    },
    mail::{Mailer, Settings},
};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Setup, World, process::Installation, until};

pub const FROM: &str = "Names at Éxample <names@example.edu>";

/// Killed when dropped.
pub struct Server {
    process: Child,
    pub port: u16,
    folder: TempDir,
}

impl Server {
    pub async fn start(options: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), options).await
    }

    #[allow(clippy::disallowed_methods)]
    async fn start_in(folder: TempDir, options: &[&str]) -> Self {
        let python = std::env::var_os("ENDONYM_TEST_PYTHON").expect(
            "ENDONYM_TEST_PYTHON must name a Python with aiosmtpd; `./test` makes one (docs/testing.md)",
        );
        let mut process = Command::new(python)
            .args(["-W", "ignore", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mail/server.py")])
            .arg(folder.path().join("received"))
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python that ENDONYM_TEST_PYTHON names can be run");
        let output = process.stdout.take().unwrap();
        let port = tokio::task::spawn_blocking(move || {
            let mut port = String::new();
            BufReader::new(output).read_line(&mut port).unwrap();
            port
        });
        let port = port.await.unwrap().trim().parse().expect("the mail server prints its port");
        Self { process, port, folder }
    }

    /// Kills it, and starts it again on the same port with what it had received.
    pub async fn killed_and_started_again(mut self, options: &[&str]) -> Self {
        self.kill();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        let port = self.port.to_string();
        Self::start_in(folder, &[&["--port", &port][..], options].concat()).await
    }

    pub fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    pub fn mailer(&self) -> Mailer {
        mailer(&self.url(), None).unwrap()
    }

    /// Every message whose content the server has seen.
    pub fn received(&self) -> Vec<Value> {
        let lines = std::fs::read_to_string(self.folder.path().join("received")).unwrap_or_default();
        lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

pub fn mailer(url: &str, ca_file: Option<PathBuf>) -> Result<Mailer, String> {
    paced_mailer(url, ca_file, 6_000)
}

/// A mailer that sends so many messages in a minute.
pub fn paced_mailer(url: &str, ca_file: Option<PathBuf>, per_minute: u32) -> Result<Mailer, String> {
    Mailer::new(&Settings {
        url: url.into(),
        from: FROM.into(),
        timeout: Duration::from_secs(20),
        ca_file,
        per_minute,
    })
}

/// A certificate for `localhost`, and its key.
pub fn certificate(folder: &Path) -> (PathBuf, PathBuf) {
    let config = "[req]\ndistinguished_name = name\nx509_extensions = ours\n[name]\n[ours]\n\
                  basicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:localhost, IP:127.0.0.1\n";
    std::fs::write(folder.join("openssl.cnf"), config).unwrap();
    let words = "req -x509 -config openssl.cnf -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem";
    let made = Command::new("openssl").args(words.split(' ')).current_dir(folder).output();
    let made = made.unwrap_or_else(|error| panic!("`openssl` is needed for this test: {error}"));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    (folder.join("cert.pem"), folder.join("key.pem"))
}

pub async fn world(mail: Mailer) -> World {
    World::with(Setup { mail, ..Setup::default() }).await
}

/// Invites this many addresses to the page `class`.
pub fn invite_many(here: &Installation, count: usize, mail: &[&str]) {
    let addresses: Vec<String> = (0..count).map(|n| format!("p{n}@example.org")).collect();
    here.write("addresses.txt", addresses.join("\n"));
    let page = ["invite", "--institution", "example", "--name-page", "class", "--file", "addresses.txt"];
    here.succeed(&[&page[..], &["--base-url", "https://names.example.edu"], mail].concat());
}

pub async fn enqueue(
    world: &World,
    institution: Option<InstitutionId>,
    to: &str,
    message: Message,
) -> MessageId {
    let (app, to, now) = (world.app.clone(), Email::parse(to).unwrap(), world.app.clock.now());
    let enqueued = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { outbox::enqueue(sql, &app.ids, institution, to, message, now).await })
    });
    let id = enqueued.await.unwrap();
    world.app.queue.wake();
    id
}

pub async fn all(world: &World) -> Vec<OutboxMessage> {
    let all = outbox::all(&world.app, &Actor::Operator, None, i64::MAX).await.unwrap();
    all.into_iter().map(|(message, _)| message).collect()
}

pub async fn find(world: &World, id: MessageId) -> OutboxMessage {
    all(world).await.into_iter().find(|message| message.id == id).expect("the message is in the outbox")
}

/// Jobs that a worker has leased.
pub async fn running(world: &World) -> i64 {
    let text = "SELECT COUNT(*) FROM jobs WHERE state = 'running'";
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Waits until no worker has a lease. One that is about to finish would lose it when the clock moves, and its job would run again.
pub async fn until_idle(world: &World) {
    until("all workers are finished", || async { running(world).await == 0 }).await;
}

/// Advances the clock when no worker has a lease.
pub async fn advance(world: &World, time: Duration) {
    until_idle(world).await;
    world.advance(time);
}

/// Waits until the message is in this state, after so many attempts.
pub async fn reaches(world: &World, id: MessageId, state: State, attempts: u32) -> OutboxMessage {
    until(&format!("{} after {attempts} attempts", state.word()), || async {
        let message = find(world, id).await;
        message.state == state && message.attempts == attempts
    })
    .await;
    find(world, id).await
}
