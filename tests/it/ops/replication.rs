//! The scripts under `deploy/postgres` make a synchronous standby that can take over, and the URL of the examples finds it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use reqwest::Client;
use serde_json::json;
use tempfile::TempDir;
use tokio_postgres::NoTls;

use super::deploy::{read, root};
use crate::support::{
    database,
    postgres::{is_root, program, programs, run, unprivileged},
    process::{Installation, PATIENCE},
    until,
};

/// With a character that must be quoted in SQL and in a connection string.
const PASSWORD: &str = "it's secret";

/// A directory for both servers, with copies of the scripts and a certificate, which PostgreSQL's user may read.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["primary.sh", "standby.sh", "synchronous.sh"] {
        std::fs::copy(root().join("deploy/postgres").join(name), folder.path().join(name)).unwrap();
    }
    let certificate = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=db \
                       -keyout server.key -out server.crt";
    run(Command::new("openssl").args(certificate.split(' ')).current_dir(folder.path()));
    if is_root() {
        run(Command::new("chown").arg("-R").arg("postgres").arg(folder.path()));
    }
    folder
}

/// One of the scripts, as PostgreSQL's user, with PostgreSQL's programs in its path.
fn script(folder: &Path, name: &str) -> Command {
    let mut command = unprivileged(folder.join(name));
    let mut path = programs().into_os_string();
    path.push(OsString::from(":/usr/bin:/bin"));
    // libpq looks for certificates in the home directory, which another user may not read.
    command.env("PATH", path).env("PGHOST", folder).env("HOME", folder);
    command.current_dir(folder).stdin(Stdio::null());
    command
}

/// A server of which only this test knows. Stopped when dropped.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn options(folder: &Path, data: &Path, port: u16) -> Vec<OsString> {
        let port = port.to_string();
        let settings = ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"].map(OsString::from);
        let place: [OsString; 6] =
            ["-D".into(), data.into(), "-k".into(), folder.into(), "-p".into(), port.into()];
        let file = |name: &str| folder.join(name).display().to_string();
        let (certificate, key) = (file("server.crt"), file("server.key"));
        let tls =
            ["ssl=on".to_owned(), format!("ssl_cert_file={certificate}"), format!("ssl_key_file={key}")];
        let tls = tls.into_iter().flat_map(|setting| [OsString::from("-c"), setting.into()]);
        place.into_iter().chain(settings).chain(tls).collect()
    }

    async fn start(mut command: Command, folder: &Path, port: u16) -> Self {
        let log = std::fs::File::create(folder.join(format!("{port}.log"))).unwrap();
        let child = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let server = Self { child, port };
        until("PostgreSQL is ready", || async { server.ask("SELECT 'yes'").await.is_some() }).await;
        server
    }

    /// The text in the first row.
    async fn ask(&self, sql: &str) -> Option<String> {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.ok()?;
        let _open = tokio::spawn(connection);
        let row = client.query_opt(sql, &[]).await.ok()??;
        Some(row.get(0))
    }

    /// A commit. It waits for a synchronous standby.
    async fn write(&self) {
        let url = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
        let _open = tokio::spawn(connection);
        let written = client
            .batch_execute("CREATE TABLE IF NOT EXISTS written (n BIGINT); INSERT INTO written VALUES (1)");
        tokio::time::timeout(PATIENCE, written).await.expect("nothing waits").unwrap();
    }

    /// At once, as in a power failure.
    fn stop(&mut self) {
        // Once it has been waited for, its number may be that of another process.
        if let Ok(None) = self.child.try_wait() {
            let _ = Command::new("sh").args(["-c", &format!("kill -QUIT {}", self.child.id())]).status();
            let _ = self.child.wait();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A primary that `primary.sh` has prepared.
async fn primary(folder: &Path) -> Server {
    let data = folder.join("primary");
    let settings = ["-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "-D"];
    run(program("initdb").current_dir(folder).args(settings).arg(&data));
    // Without the entries for replication that initdb writes.
    let entries = "local all all trust\nhost all postgres 127.0.0.1/32 trust\n";
    std::fs::write(data.join("pg_hba.conf"), entries).unwrap();
    let port = free_port();
    let mut command = program("postgres");
    command.current_dir(folder).args(Server::options(folder, &data, port));
    let server = Server::start(command, folder, port).await;
    let mut prepare = script(folder, "primary.sh");
    prepare.env("PGPORT", port.to_string());
    prepare.env("REPLICATION_PASSWORD", PASSWORD).env("REPLICATION_NETWORK", "127.0.0.1/32");
    run(&mut prepare);
    let entries = std::fs::read_to_string(data.join("pg_hba.conf")).unwrap();
    let entry = "hostssl replication replicator 127.0.0.1/32 scram-sha-256\n";
    assert!(entries.ends_with(entry), "{entries}");
    server
}

/// `synchronous.sh`, which waits so long for a standby.
fn synchronous(folder: &Path, primary: &Server, seconds: &str) -> Command {
    let mut command = script(folder, "synchronous.sh");
    command.env("PGPORT", primary.port.to_string()).env("STANDBY_WAIT_SECONDS", seconds);
    command
}

/// `standby.sh` as in the compose file: it copies the primary, and becomes the server.
fn standby(folder: &Path, primary: &Server, password: &str, port: u16) -> (Command, PathBuf) {
    let data = folder.join("standby");
    let mut command = script(folder, "standby.sh");
    command
        .env("PGDATA", &data)
        .env("PRIMARY_HOST", "127.0.0.1")
        .env("PRIMARY_PORT", primary.port.to_string());
    command.env("REPLICATION_PASSWORD", password);
    command.arg("postgres").args(Server::options(folder, &data, port));
    (command, data)
}

/// The URL of an example, with other hosts, user and database.
fn url(example: &str, hosts: &str) -> String {
    let text = read(example);
    let url = text.lines().find_map(|line| line.strip_prefix("ENDONYM_DATABASE_URL=")).unwrap();
    let (_, parameters) = url.split_once('?').expect("parameters");
    // These servers have no certificate.
    format!(
        "postgres://postgres@{hosts}/postgres?{}",
        parameters.replace("sslmode=verify-full", "sslmode=disable")
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_standby_of_the_scripts_takes_over_and_has_everything() {
    let folder = folder();
    let mut primary = primary(folder.path()).await;
    // Without a standby, nothing waits for it.
    primary.write().await;
    let early = synchronous(folder.path(), &primary, "0").output().unwrap();
    assert!(!early.status.success());
    assert!(String::from_utf8_lossy(&early.stderr).contains("No standby follows this server"), "{early:?}");
    primary.write().await;
    // A wrong password copies nothing, and the next attempt begins anew.
    let port = free_port();
    let (mut wrong, data) = standby(folder.path(), &primary, "guessed", port);
    // As a new volume of a container: PostgreSQL would refuse it.
    run(unprivileged("/bin/mkdir").args(["-m", "1777"]).arg(&data));
    assert!(!wrong.output().unwrap().status.success());
    assert!(!data.join("PG_VERSION").exists());
    let (command, data) = standby(folder.path(), &primary, PASSWORD, port);
    let standby = Server::start(command, folder.path(), port).await;
    primary.write().await;
    run(&mut synchronous(folder.path(), &primary, "60"));
    let encrypted = "SELECT s.ssl::text FROM pg_stat_ssl s JOIN pg_stat_replication r ON r.pid = s.pid";
    assert_eq!(primary.ask(encrypted).await.as_deref(), Some("true"));
    until("the standby is synchronous", || async {
        let state = primary.ask("SELECT sync_state FROM pg_stat_replication").await;
        state.as_deref() == Some("sync")
    })
    .await;

    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port, standby.port);
    let urls = ["deploy/cluster/cluster.env.example", "deploy/cluster/machine.env.example"];
    let urls = urls.map(|example| url(example, &hosts));
    let here = Installation {
        folder: tempfile::tempdir().unwrap(),
        database_url: Some(urls[0].clone()),
        connections: database::connections(),
    };
    here.succeed(&["migrate"]);
    let token = here.furnish();
    let elsewhere = Installation {
        folder: tempfile::tempdir().unwrap(),
        database_url: Some(urls[1].clone()),
        connections: database::connections(),
    };
    let nodes = [here.serve(&["--log", "warn"]), elsewhere.serve(&["--log", "warn"])];
    let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    let create = |node: usize, email: &str| {
        let base = format!("{}/api/private/v5/participants", nodes[node].base);
        let participant = json!({ "first_name": "Ana", "email": email });
        let body = json!({ "name_page_id": "class", "participant": participant });
        client.post(base).header("Authorization", &token).json(&body)
    };
    let lookup = |node: usize, email: &str| {
        let path = format!("{}/api/private/v4/participants/{email}", nodes[node].base);
        client.get(path).header("Authorization", &token)
    };
    assert_eq!(create(0, "before@example.edu").send().await.unwrap().status(), 201);

    primary.stop();
    run(program("pg_ctl").current_dir(folder.path()).args(["promote", "-w", "-D"]).arg(&data));
    for (node, email) in ["first@example.edu", "second@example.edu"].into_iter().enumerate() {
        until("writes work again", || async {
            // Refused until the node has noticed; an attempt that got no answer may have been committed.
            let _ = create(node, email).send().await;
            lookup(node, email).send().await.unwrap().status() == 200
        })
        .await;
        let before = lookup(node, "before@example.edu").send().await.unwrap();
        assert_eq!(before.status(), 200, "what was acknowledged is there");
    }
}
