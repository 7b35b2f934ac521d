//! The configurations of nginx under `deploy/`, tested with nginx itself.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::Client;
use serde_json::json;
use tempfile::TempDir;

use super::deploy::{default_number, read};
use crate::{
    mail::certificate,
    support::{
        database,
        process::{Installation, METRICS, PATIENCE, Serving},
        until,
    },
};

const PROXY: &str = "deploy/nginx/proxy.conf";
const MACHINES: &str = "deploy/nginx/machines.conf";
const COMPOSE: &str = "deploy/cluster/nginx.conf";

/// The parts of /etc/nginx that a package or an image brings along.
const MAIN: &str = "\
daemon off;
pid nginx.pid;
error_log stderr;
events { worker_connections 512; }
http {
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    include conf.d/endonym.conf;
}
";

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// As /etc/nginx would be, with this configuration of ours.
fn install(folder: &Path, configuration: &str) {
    let is_root = rustix::process::getuid().is_root();
    // Otherwise, workers are another user, who may not see this folder.
    let user = if is_root { "user root;\n" } else { "" };
    for name in ["conf.d", "snippets"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    std::fs::write(folder.join("nginx.conf"), format!("{user}{MAIN}")).unwrap();
    std::fs::write(folder.join("snippets/endonym.conf"), read(PROXY)).unwrap();
    std::fs::write(folder.join("conf.d/endonym.conf"), configuration).unwrap();
}

fn nginx(folder: &Path) -> Command {
    let program = Path::new("/usr/sbin/nginx");
    assert!(program.exists(), "nginx is needed for this test (Debian: nginx-light)");
    let mut command = Command::new(program);
    command.args(["-e", "stderr", "-p"]).arg(folder).arg("-c").arg(folder.join("nginx.conf"));
    command
}

/// The configuration with ports and files that exist here.
fn made_local(name: &str, folder: &Path) -> String {
    let text = read(name)
        .replace("listen 80;", &format!("listen 127.0.0.1:{};", free_port()))
        .replace("listen 443 ", &format!("listen 127.0.0.1:{} ", free_port()))
        .replace("/etc/ssl/endonym/", &format!("{}/", folder.display()));
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains("listen [::]:")).collect();
    lines.join("\n")
}

#[test]
fn nginx_accepts_our_configurations() {
    for name in [MACHINES, COMPOSE] {
        let folder = tempfile::tempdir().unwrap();
        let (chain, key) = certificate(folder.path());
        std::fs::rename(chain, folder.path().join("fullchain.pem")).unwrap();
        std::fs::rename(key, folder.path().join("privkey.pem")).unwrap();
        let text = made_local(name, folder.path());
        let tested = |text: &str| {
            install(folder.path(), text);
            nginx(folder.path()).arg("-t").output().unwrap()
        };
        let accepted = tested(&text);
        assert!(accepted.status.success(), "{name}: {}", String::from_utf8_lossy(&accepted.stderr));
        // It would have said so.
        assert!(!tested(&text.replace("least_conn", "most_conn")).status.success());
    }
}

/// The value of a directive.
fn directive<'a>(text: &'a str, name: &str) -> &'a str {
    let mut lines = text.lines().map(str::trim);
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.strip_suffix(';'));
    found.unwrap_or_else(|| panic!("there is no {name}"))
}

fn number(text: &str, name: &str, unit: char) -> i64 {
    let value = directive(text, name);
    value
        .strip_suffix(unit)
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("{name} {value}"))
}

#[test]
fn the_times_and_sizes_of_nginx_fit_our_settings() {
    let proxy = read(PROXY);
    assert_eq!(number(&proxy, "client_max_body_size", 'm') << 20, default_number("body_limit"));
    // A request may wait for the database, and then for S3.
    assert!(number(&proxy, "proxy_read_timeout", 's') > default_number("database_timeout_seconds") + 10);
    assert_eq!(number(&proxy, "proxy_send_timeout", 's'), default_number("write_seconds"));
    let repeated = directive(&proxy, "proxy_next_upstream");
    assert!(!repeated.contains("non_idempotent"), "a POST may be committed twice: {repeated}");
    for name in [MACHINES, COMPOSE] {
        let text = read(name);
        assert!(number(&text, "keepalive_timeout", 's') < default_number("head_seconds"), "{name}");
        assert_eq!(directive(&text, "include"), "snippets/endonym.conf", "{name}");
    }
}

/// nginx in front of these nodes. Stopped when dropped.
struct Front {
    child: Child,
    base: String,
    _folder: TempDir,
}

impl Front {
    async fn start(nodes: &[Serving], client: &Client) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let mut text = read(COMPOSE).replace("listen 80;", &format!("listen 127.0.0.1:{port};"));
        for (number, node) in (1..).zip(nodes) {
            let address = format!("10.89.17.1{number}:8080");
            assert!(text.contains(&address));
            text = text.replace(&address, node.address());
        }
        install(folder.path(), &text);
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = nginx(folder.path()).stdin(Stdio::null()).stderr(log).spawn().unwrap();
        let front = Self { child, base: format!("http://127.0.0.1:{port}"), _folder: folder };
        let health = format!("{}/healthz", front.base);
        until("nginx is ready", || async {
            client.get(&health).send().await.is_ok_and(|answer| answer.status() == 200)
        })
        .await;
        front
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        // Not SIGKILL, after which the worker would go on.
        let _ = Command::new("sh").args(["-c", &format!("kill -TERM {}", self.child.id())]).status();
        let _ = self.child.wait();
    }
}

/// The statuses of requests with an unknown token, whose client is at this address.
async fn guesses(front: &Front, client: &Client, address: &str, count: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..count {
        let request = client.get(format!("{}/api/private/v5/participants", front.base));
        let request = request.header("Authorization", "guessed").header("X-Forwarded-For", address);
        statuses.push(request.send().await.unwrap().status().as_u16());
    }
    statuses
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_nginx_no_lookup_fails_while_nodes_are_killed_and_restarted() {
    if !database::on_postgres() {
        // Three nodes need a server that they share.
        return;
    }
    let (here, token) = Installation::with_token().await;
    let settings =
        ["--rate-limit", "1000000", "--auth-failures", "2", "--rate-limit-throttle-seconds", "600"];
    let mut nodes: Vec<Serving> = (0..3).map(|_| here.serve(&settings)).collect();
    let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
    let front = Front::start(&nodes, &client).await;
    let status = |path: String| {
        let request = client.get(front.base.clone() + &path);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(status("/metrics".to_owned()).await, 404);
    assert_eq!(status(format!("/healthz?{}", "x".repeat(40_000))).await, 200);
    // The address that nginx forwards is the one that counts.
    assert_eq!(guesses(&front, &client, "203.0.113.7", 30).await.last(), Some(&429));
    for other in ["203.0.113.8", "203.0.113.9", "203.0.113.10"] {
        assert_eq!(guesses(&front, &client, other, 1).await, [401]);
    }

    let people = format!("{}/api/private/v5/participants", front.base);
    let create = |email: String| {
        let participant = json!({ "first_name": "Ana", "email": email });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let request = client.post(&people).header("Authorization", &token).json(&body);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    assert_eq!(create("ana@example.edu".to_owned()).await, 201);
    let over = Arc::new(AtomicBool::new(false));
    let lookup = client
        .get(format!("{}/api/private/v4/participants/ana@example.edu", front.base))
        .header("Authorization", &token);
    let looking = tokio::spawn({
        let over = over.clone();
        async move {
            let mut count = 0;
            while !over.load(Ordering::Relaxed) {
                let answer = lookup.try_clone().unwrap().send().await.unwrap();
                assert_eq!(answer.status(), 200, "after {count} lookups");
                count += 1;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            count
        }
    });

    nodes.remove(0).kill();
    assert_eq!(status("/healthz".to_owned()).await, 200);
    for number in 0..20 {
        assert_eq!(create(format!("p{number}@example.edu")).await, 201);
    }
    for _ in 0..2 {
        let node = nodes.remove(0);
        let listen = node.address().to_owned();
        assert_eq!(node.stop().await, 0);
        let mut command = here.command(&["serve", "--listen", &listen]);
        command.args(settings).args(METRICS);
        let node = Serving::start(command, here.path("serve.log"));
        let metrics = node.metrics();
        until("nginx uses the node again", || async {
            let text = client.get(&metrics).send().await.unwrap().text().await.unwrap();
            text.contains("version=\"v4\"")
        })
        .await;
        nodes.push(node);
    }
    over.store(true, Ordering::Relaxed);
    assert!(looking.await.unwrap() > 20);
}
