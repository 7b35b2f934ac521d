//! A write that PostgreSQL has committed is never answered as failed: nothing that the answer needs is read afterwards. Here,
//! PostgreSQL cannot be reached any more as soon as it has been told to commit.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, Ordering},
    },
};

use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::AbortHandle,
};

use crate::support::{
    database::on_postgres,
    media::{file, wav},
    process::{Installation, PATIENCE, Serving},
    until,
};

/// A network in front of PostgreSQL that fails after the `COMMIT` of one transaction, or a statement that is one. The answer to that one still arrives.
struct Network {
    port: u16,
    shared: Arc<Shared>,
    task: AbortHandle,
}

#[derive(Default)]
struct Shared {
    state: AtomicU8,
    /// A value that this transaction sends, and no other one. Statements are sent by name once they are prepared.
    marker: Mutex<String>,
}

impl Shared {
    fn is_broken(&self) -> bool {
        self.state.load(Ordering::SeqCst) == BROKEN
    }
}

/// Everything is relayed.
const WORKS: u8 = 0;
/// Everything is relayed, up to that `COMMIT`.
const ARMED: u8 = 1;
/// Whoever sends anything loses their connection, and nobody gets a new one.
const BROKEN: u8 = 2;

impl Network {
    async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let relayed = shared.clone();
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, server, relayed.clone()));
            }
        });
        Self { port, shared, task: task.abort_handle() }
    }

    fn fail_after_commit(&self, marker: &str) {
        marker.clone_into(&mut self.shared.marker.lock().unwrap());
        self.shared.state.store(ARMED, Ordering::SeqCst);
    }

    fn has_failed(&self) -> bool {
        self.shared.is_broken()
    }

    fn mend(&self) {
        self.shared.state.store(WORKS, Ordering::SeqCst);
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn relay(client: TcpStream, server: SocketAddr, shared: Arc<Shared>) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    if shared.is_broken() {
        return Ok(());
    }
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let up = async {
        let (mut buffer, mut is_ours) = (vec![0; 65_536], false);
        loop {
            let count = from_client.read(&mut buffer).await?;
            if count == 0 || shared.is_broken() {
                return std::io::Result::Ok(());
            }
            let sent = &buffer[..count];
            let has =
                |word: &str| !word.is_empty() && sent.windows(word.len()).any(|part| part == word.as_bytes());
            let marker = shared.marker.lock().unwrap().clone();
            // The server also notes every 20 seconds which tokens were used.
            is_ours = has(&marker) || is_ours && !has("BEGIN");
            // A lone create is one statement, with its people in JSON.
            let creates = has(&format!("\"email_key\":\"{marker}\""));
            if has("COMMIT") && is_ours || creates {
                let _ = shared.state.compare_exchange(ARMED, BROKEN, Ordering::SeqCst, Ordering::SeqCst);
            }
            to_server.write_all(sent).await?;
        }
    };
    tokio::select! {
        ended = up => ended,
        ended = tokio::io::copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
}

struct Scene {
    network: Network,
    _here: Installation,
    serving: Serving,
    client: Client,
    token: String,
}

impl Scene {
    async fn new() -> Self {
        let (mut here, token) = Installation::with_token().await;
        let mut url = url::Url::parse(here.database_url.as_ref().unwrap()).unwrap();
        let server = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap_or(5432));
        let server = tokio::net::lookup_host(server).await.unwrap().next().unwrap();
        let network = Network::to(server).await;
        url.set_host(Some("127.0.0.1")).unwrap();
        url.set_port(Some(network.port)).unwrap();
        here.database_url = Some(url.to_string());
        // Workers would write, too.
        let serving = here.serve(&["--workers", "0", "--database-timeout-seconds", "5", "--log", "warn"]);
        let client = Client::builder().no_proxy().timeout(PATIENCE).build().unwrap();
        Self { network, _here: here, serving, client, token }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let address = format!("{}/api/private{path}", self.serving.base);
        self.client.request(method, address).header("Authorization", &self.token)
    }

    /// Sends a write whose transaction has this value. PostgreSQL is gone once it has committed.
    async fn write(&self, marker: &str, request: RequestBuilder) -> (u16, Value) {
        self.network.fail_after_commit(marker);
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let body = answer.text().await.unwrap();
        assert!(self.network.has_failed(), "nothing was committed: {status} {body}");
        self.network.mend();
        // The connections that are left are broken.
        until("reads and writes work again", || async {
            let field = json!({ "name_page_id": "class", "participant": { "notes": "works" } });
            let written = self.request(Method::PUT, "/v5/participants/first@x.org").json(&field).send().await;
            let read = self.request(Method::GET, "/v5/participants").send().await;
            written.unwrap().status() == 200 && read.unwrap().status() == 200
        })
        .await;
        (status, serde_json::from_str(&body).unwrap_or_default())
    }

    async fn find(&self, email: &str) -> Value {
        let found = self.request(Method::GET, &format!("/v4/participants/{email}")).send().await.unwrap();
        assert_eq!(found.status(), 200, "{email} is stored");
        found.json::<Value>().await.unwrap()["participant"].clone()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_after_commit_a_create_or_update_is_acknowledged() {
    if !on_postgres() {
        return; // SQLite has no connection that could break.
    }
    let scene = Scene::new().await;
    let create = |participant: Value| {
        let body = json!({ "name_page_id": "class", "participant": participant });
        scene.request(Method::POST, "/v5/participants").json(&body)
    };
    let first = create(json!({ "first_name": "First", "email": "first@x.org" })).send().await.unwrap();
    assert_eq!(first.status(), 201);

    let (status, made) =
        scene.write("v5@x.org", create(json!({ "first_name": "Ana", "email": "v5@x.org" }))).await;
    assert_eq!((status, &made["participant"]["email"]), (201, &json!("v5@x.org")), "{made}");
    scene.find("v5@x.org").await;

    let recorded = json!({ "first_name": "Ana", "email": "sound@x.org", "pronunciation": file(wav(0.6)) });
    let (status, made) = scene.write("sound@x.org", create(recorded)).await;
    assert_eq!(status, 201, "{made}");
    let link = made["participant"]["recording_link"].as_str().expect("a recording").to_owned();
    assert_eq!(scene.find("sound@x.org").await["recording_link"], link.as_str());

    let body = json!({ "participant": { "first_name": "Ana", "email": "v4@x.org" } });
    let v4 = scene.request(Method::POST, "/v4/name_pages/class/participants").json(&body);
    let (status, made) = scene.write("v4@x.org", v4).await;
    assert_eq!((status, &made["participant"]["email"]), (201, &json!("v4@x.org")), "{made}");
    scene.find("v4@x.org").await;

    let put = |participant: Value| {
        let body = json!({ "name_page_id": "class", "participant": participant });
        scene.request(Method::PUT, "/v5/participants/v5@x.org").json(&body)
    };
    let (status, changed) = scene.write("v5@x.org", put(json!({ "first_name": "Bea" }))).await;
    assert_eq!((status, &changed["participant"]["first_name"]), (200, &json!("Bea")), "{changed}");
    assert_eq!(scene.find("v5@x.org").await["first_name"], "Bea");

    let (status, changed) = scene.write("v5@x.org", put(json!({ "pronunciation": file(wav(0.8)) }))).await;
    assert_eq!(status, 200, "{changed}");
    let link = changed["participant"]["recording_link"].clone();
    assert!(link.is_string() && scene.find("v5@x.org").await["recording_link"] == link);

    let body = json!({ "export": { "name_page_id": "class" } });
    // The job that builds it.
    let export = scene.request(Method::POST, "/v4/exports").json(&body);
    let (status, export) = scene.write("build_export", export).await;
    assert_eq!(status, 202, "{export}");

    let gone = json!({ "name_page_id": "class" });
    let delete = scene.request(Method::DELETE, "/v5/participants/v5@x.org").json(&gone);
    assert_eq!(scene.write("v5@x.org", delete).await.0, 200);
    let found = scene.request(Method::GET, "/v4/participants/v5@x.org").send().await.unwrap();
    assert_eq!(found.status(), 404);
}
