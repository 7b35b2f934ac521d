//! An S3 server that hangs: it accepts connections and never answers. A proxy in front of a real one stops relaying.

use std::{
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use reqwest::{Client, RequestBuilder, Response};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{task::JoinHandle, time::Instant};

use super::exposition::Exposition;
use crate::support::{
    database,
    media::{file, files, wav},
    postgres::PostgresServer,
    process::{Installation, METRICS, PATIENCE, Serving},
    proxy::Proxy,
    s3::S3Server,
    until,
};

/// For an answer on a slow machine. Without deadlines, S3 would be waited for until it goes on.
const LONGEST: Duration = Duration::from_secs(30);

/// The timeout in seconds. It must do while S3 works, also on a slow machine.
const SHORT: &str = "4";

/// An S3 server that can hang, and a client of the nodes that use it.
struct Scene {
    s3: S3Server,
    proxy: Proxy,
    client: Client,
    token: String,
    /// Where clients send their requests.
    base: String,
    /// The URL of the only node's metrics.
    metrics: String,
}

impl Scene {
    async fn new() -> Self {
        let s3 = S3Server::new().await;
        let proxy = Proxy::start(s3.address).await;
        let client = Client::builder().no_proxy().timeout(LONGEST * 2).build().unwrap();
        Self { s3, proxy, client, token: String::new(), base: String::new(), metrics: String::new() }
    }

    /// One node on the database of the tests.
    async fn with_node(timeout: &str) -> (Installation, Serving, Self) {
        let (here, token) = Installation::with_token().await;
        let scene = Self::new().await;
        let serving = scene.node(&here, timeout);
        let (base, metrics) = (serving.base.clone(), serving.metrics());
        (here, serving, Self { token, base, metrics, ..scene })
    }

    fn node(&self, here: &Installation, timeout: &str) -> Serving {
        let url = self.s3.url_through(&self.proxy.base);
        let store = ["--blobs-url", &url, "--blobs-timeout-seconds", timeout];
        let others = ["--rate-limit", "1000000", "--log", "warn"];
        here.serve(&[&store[..], &others, &METRICS].concat())
    }

    fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(self.base.clone() + path).header("Authorization", &self.token)
    }

    fn create(&self, email: &str, is_recorded: bool) -> RequestBuilder {
        let sound = is_recorded.then(|| file(wav(0.6)));
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": sound });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let address = format!("{}/api/private/v5/participants", self.base);
        self.client.post(address).header("Authorization", &self.token).json(&body)
    }

    fn delete(&self, email: &str) -> RequestBuilder {
        let address = format!("{}/api/private/v5/participants/{email}", self.base);
        let delete = self.client.delete(address).header("Authorization", &self.token);
        delete.json(&json!({ "name_page_id": "class" }))
    }

    /// Somebody with a recording; its link, as a path.
    async fn recorded(&self, email: &str) -> String {
        let made = self.create(email, true).send().await.unwrap();
        assert_eq!(made.status(), 201);
        let made: Value = made.json().await.unwrap();
        let link = made["participant"]["recording_link"].as_str().unwrap();
        link[link.find("/audio/").unwrap()..].to_owned()
    }

    async fn status(&self, path: &str) -> u16 {
        self.get(path).send().await.unwrap().status().as_u16()
    }

    async fn figures(&self) -> Exposition {
        Exposition::read(&self.client.get(&self.metrics).send().await.unwrap().text().await.unwrap())
    }

    async fn is_circuit(&self, state: &str) -> bool {
        self.figures().await.sum("endonym_blobs_circuit", &[("state", state)]) == 1.0
    }
}

const LOOKUP: &str = "/api/private/v5/participants/latest?tokens=ana@example.edu";

/// Looks somebody up all the time, and returns how often. Every answer must be 200, and soon.
fn looking(scene: &Arc<Scene>, over: &Arc<AtomicBool>) -> JoinHandle<usize> {
    let (scene, over) = (scene.clone(), over.clone());
    tokio::spawn(async move {
        let mut count = 0;
        while !over.load(Ordering::Relaxed) {
            let started = Instant::now();
            let answer = scene.get(LOOKUP).send().await.expect("an answer");
            assert_eq!(answer.status(), 200);
            assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
            count += 1;
            // Each of them takes nginx a port, which is not free again for a minute.
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        count
    })
}

/// 503 in time, with `Retry-After`.
async fn fails_in_time(request: RequestBuilder) {
    let started = Instant::now();
    let answer: Response = request.send().await.expect("an answer");
    assert_eq!(answer.status(), 503);
    assert!(answer.headers().contains_key("retry-after"));
    assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_s3_hangs_uploads_and_plays_fail_in_time_and_then_at_once_and_lookups_do_not_notice() {
    let (_here, _serving, scene) = Scene::with_node(SHORT).await;
    let play = scene.recorded("ana@example.edu").await;
    until("it is played", || async { scene.status(&play).await == 200 }).await;
    assert_eq!(scene.status(LOOKUP).await, 200);
    assert!(scene.is_circuit("closed").await);
    let (scene, over) = (Arc::new(scene), Arc::new(AtomicBool::new(false)));
    let lookups = looking(&scene, &over);

    scene.proxy.freeze();
    // The first ones wait for their deadlines.
    let first = [scene.get(&play), scene.create("bea@example.edu", true), scene.get(&play), scene.get(&play)];
    join_all(first.map(fails_in_time)).await;
    until("the circuit is open", || async {
        fails_in_time(scene.get(&play)).await;
        scene.is_circuit("open").await
    })
    .await;
    let refused =
        async || scene.figures().await.sum("endonym_blobs_failures_total", &[("reason", "refused")]);
    let before = refused().await;
    until("plays and uploads are refused at once", || async {
        fails_in_time(scene.get(&play)).await;
        fails_in_time(scene.create("bea@example.edu", true)).await;
        refused().await >= before + 4.0
    })
    .await;

    // Everything that needs no files works.
    assert_eq!(scene.create("carl@example.edu", false).send().await.unwrap().status(), 201);
    for path in [LOOKUP, "/api/private/v5/participants", "/api/private/v4/participants/ana@example.edu"] {
        assert_eq!(scene.status(path).await, 200, "{path}");
    }
    let ready = scene.get("/readyz").send().await.unwrap();
    assert_eq!(ready.status(), 200);
    let ready: Value = ready.json().await.unwrap();
    assert_eq!((&ready["status"], &ready["blobs"]), (&json!("degraded"), &json!("not responding")));

    scene.proxy.thaw();
    until("recordings are played again", || async { scene.status(&play).await == 200 }).await;
    until("uploads work again", || async {
        scene.create("bea@example.edu", true).send().await.unwrap().status() == 201
    })
    .await;
    assert!(scene.is_circuit("closed").await);
    over.store(true, Ordering::Relaxed);
    assert!(lookups.await.unwrap() > 0);
}

/// Fast failures are not for busy servers only.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_client_that_plays_recordings_waits_twice_and_no_longer() {
    let (_here, _serving, scene) = Scene::with_node(SHORT).await;
    let play = scene.recorded("ana@example.edu").await;
    until("it is played", || async { scene.status(&play).await == 200 }).await;
    scene.proxy.freeze();
    fails_in_time(scene.get(&play)).await;
    assert!(scene.is_circuit("closed").await);
    fails_in_time(scene.get(&play)).await;
    assert!(scene.is_circuit("open").await);
}

/// The removal of their files takes minutes, which nobody waits for, and is completed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_is_deleted_while_s3_hangs_and_their_files_are_removed_later() {
    let (_here, _serving, scene) = Scene::with_node("600").await;
    let play = scene.recorded("ana@example.edu").await;
    assert!(!files(&scene.s3.bucket()).is_empty());
    scene.proxy.freeze();
    let started = Instant::now();
    let deleted = scene.delete("ana@example.edu").send().await.expect("an answer");
    assert_eq!(deleted.status(), 200);
    assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
    assert_eq!(scene.status(&play).await, 404);
    assert!(!files(&scene.s3.bucket()).is_empty(), "S3 hangs");
    scene.proxy.thaw();
    until("their files are removed", || async { files(&scene.s3.bucket()).is_empty() }).await;
}

/// The threads that have served the request are gone by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_still_removed_while_the_server_stops() {
    let (_here, mut serving, scene) = Scene::with_node("600").await;
    scene.recorded("ana@example.edu").await;
    scene.proxy.freeze();
    assert_eq!(scene.delete("ana@example.edu").send().await.expect("an answer").status(), 200);
    serving.signal("TERM");
    let address = serving.address().to_owned();
    until("nobody is served any more", || async { tokio::net::TcpStream::connect(&address).await.is_err() })
        .await;
    assert!(!files(&scene.s3.bucket()).is_empty(), "S3 hangs");
    scene.proxy.thaw();
    assert_eq!(serving.ended(PATIENCE).await, Some(0));
    assert!(files(&scene.s3.bucket()).is_empty(), "{:?}", files(&scene.s3.bucket()));
}

/// What could not be removed is not lost: the sweep finds it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sweep_removes_what_could_not_be_removed_while_s3_did_not_respond() {
    let (here, _serving, scene) = Scene::with_node(SHORT).await;
    scene.recorded("ana@example.edu").await;
    scene.proxy.freeze();
    let deleted = scene.delete("ana@example.edu").send().await.expect("an answer");
    assert_eq!(deleted.status(), 200);
    let failed = async || scene.figures().await.sum("endonym_blobs_failures_total", &[]);
    until("the removal has failed", || async { failed().await >= 2.0 }).await;
    // For the node it still hangs. The command reaches the server itself, which is in this process.
    let url = scene.s3.url();
    let swept = tokio::task::spawn_blocking(move || {
        let words = ["blobs", "sweep", "--orphan-seconds", "0", "--json", "--blobs-url", &url];
        (here.json(&words), here)
    });
    let (swept, _here) = swept.await.unwrap();
    assert_eq!(swept["removed"], 2, "the recording and its original");
    assert!(files(&scene.s3.bucket()).is_empty(), "{:?}", files(&scene.s3.bucket()));
}

/// nginx with the default settings of an upstream: one failure within ten seconds takes a node out for ten seconds.
struct Nginx {
    base: String,
    child: Child,
    folder: TempDir,
}

impl Nginx {
    async fn start(nodes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let place = folder.path().display();
        // Otherwise it would use directories of the system's nginx, as another user.
        let user = if rustix::process::getuid().is_root() { "user root;" } else { "" };
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|kind| format!("{kind}_temp_path {place}/{kind};\n"))
            .concat();
        let servers: String = nodes.iter().map(|node| format!("server {node};\n")).collect();
        let settings = format!(
            "{user}\nworker_processes 1;\npid {place}/pid;\nerror_log {place}/error.log;\n\
             events {{}}\nhttp {{\naccess_log off;\n{temporary}\
             upstream nodes {{\n{servers}}}\n\
             server {{\nlisten 127.0.0.1:{port};\nlocation / {{ proxy_pass http://nodes; }}\n}}\n}}\n"
        );
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, settings).unwrap();
        let mut command = Command::new("/usr/sbin/nginx");
        command.arg("-p").arg(folder.path()).arg("-c").arg(&file);
        command.arg("-e").arg(folder.path().join("error.log")).args(["-g", "daemon off;"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nginx is installed");
        let nginx = Self { base: format!("http://127.0.0.1:{port}"), child, folder };
        let client = Client::builder().no_proxy().build().unwrap();
        let started = Instant::now();
        while client.get(format!("{}/healthz", nginx.base)).send().await.is_err() {
            assert!(started.elapsed() < PATIENCE, "it did not start: {}", nginx.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        nginx
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("error.log")).unwrap_or_default()
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The master stops its workers.
        let stop = format!("kill -TERM {}", self.child.id());
        let _ = Command::new("sh").args(["-c", &stop]).status();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_nginx_no_lookup_fails_while_s3_hangs() {
    let server = PostgresServer::start().await;
    let installation = || Installation {
        folder: tempfile::tempdir().unwrap(),
        database_url: Some(server.url.clone()),
        connections: database::connections(),
    };
    let (one, two) = (installation(), installation());
    one.succeed(&["migrate"]);
    let token = one.furnish();
    let scene = Scene::new().await;
    let nodes = [scene.node(&one, SHORT), scene.node(&two, SHORT)];
    let nginx = Nginx::start(&nodes.each_ref().map(Serving::address)).await;
    let scene = Arc::new(Scene { token, base: nginx.base.clone(), ..scene });
    let play = scene.recorded("ana@example.edu").await;
    until("it is played", || async { scene.status(&play).await == 200 }).await;

    let over = Arc::new(AtomicBool::new(false));
    let lookups: Vec<_> = (0..4).map(|_| looking(&scene, &over)).collect();
    scene.proxy.freeze();
    for round in 0..3 {
        let uploads = (0..4).map(|i| scene.create(&format!("r{round}i{i}@example.edu"), true));
        let plays = (0..8).map(|_| scene.get(&play));
        join_all(uploads.chain(plays).map(fails_in_time)).await;
    }
    scene.proxy.thaw();
    until("recordings are played again", || async { scene.status(&play).await == 200 }).await;
    over.store(true, Ordering::Relaxed);
    for lookup in lookups {
        assert!(lookup.await.unwrap() > 0);
    }
    assert!(!nginx.log().contains("no live upstreams"), "{}", nginx.log());
}
