//! A frozen PostgreSQL: connections stay open, but nothing responds.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{
    database,
    media::{file, wav},
    postgres::PostgresServer,
    process::{Installation, PATIENCE, Serving},
};

/// A request may wait for a connection to come free, for a new one, and for an answer on it: each for a second
/// (`--database-timeout-seconds`). The rest is for a slow machine. Without the time-outs, a request would wait until the
/// database goes on.
const LONGEST: Duration = Duration::from_secs(30);

struct Scene {
    server: PostgresServer,
    serving: Serving,
    client: Client,
    token: String,
}

impl Scene {
    async fn new() -> (Installation, Self) {
        let server = PostgresServer::start().await;
        let database_url = Some(server.url.clone());
        let here = Installation {
            folder: tempfile::tempdir().unwrap(),
            database_url,
            connections: database::connections(),
        };
        here.succeed(&["migrate"]);
        let token = here.furnish();
        let serving =
            here.serve(&["--database-timeout-seconds", "1", "--rate-limit", "1000000", "--log", "warn"]);
        let client = Client::builder().no_proxy().timeout(LONGEST * 2).build().unwrap();
        (here, Self { server, serving, client, token })
    }

    fn get(&self, path: &str) -> RequestBuilder {
        let address =
            if path.starts_with("http") { path.to_owned() } else { self.serving.base.clone() + path };
        self.client.get(address).header("Authorization", &self.token)
    }

    fn create(&self, email: &str, sound: Option<Value>) -> RequestBuilder {
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": sound });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let address = format!("{}/api/private/v5/participants", self.serving.base);
        self.client.post(address).header("Authorization", &self.token).json(&body)
    }

    async fn status(&self, path: &str) -> u16 {
        self.get(path).send().await.unwrap().status().as_u16()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_frozen_database_hangs_nobody_and_everything_works_again_when_it_goes_on() {
    let (_here, scene) = Scene::new().await;
    let scene = Arc::new(scene);
    let made = scene.create("ana@example.edu", Some(file(wav(0.6)))).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let ana: Value = made.json().await.unwrap();
    let link = |key: &str| ana["participant"][key].as_str().unwrap().to_owned();
    let badge = link("name_badge_link");
    let pages = [
        "/api/private/v5/participants".to_owned(),
        "/api/private/v5/participants?updated_after=2020-01-01T00:00:00Z".to_owned(),
        "/api/private/v4/participants/ana@example.edu".to_owned(),
        link("recording_link"),
        badge.clone(),
        badge.replace("/badges/", "/players/"),
        badge + ".vcf",
        "/lti/jwks.json".to_owned(),
    ];
    for page in &pages {
        assert_eq!(scene.status(page).await, 200, "{page}");
    }
    assert_eq!(scene.status("/readyz").await, 200);

    // There are writes all the time, so that transactions are in progress at every step.
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let (scene, over) = (scene.clone(), over.clone());
            tokio::spawn(async move {
                let (mut created, mut refused) = (BTreeSet::new(), 0);
                for i in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let (email, started) = (format!("w{writer}i{i}@example.edu"), Instant::now());
                    let answer = scene.create(&email, None).send().await.expect("an answer");
                    assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
                    match answer.status().as_u16() {
                        201 => drop(created.insert(email)),
                        503 => {
                            assert!(answer.headers().contains_key("retry-after"));
                            refused += 1;
                        }
                        other => panic!("{other}: {}", answer.text().await.unwrap()),
                    }
                }
                (created, refused)
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(500)).await;

    scene.server.freeze();
    // Longer than the cache time of tokens.
    tokio::time::sleep(Duration::from_millis(500)).await;
    for _ in 0..3 {
        let started = Instant::now();
        let ready = scene.get("/readyz").send().await.unwrap();
        assert!(started.elapsed() < LONGEST, "/readyz took {:?}", started.elapsed());
        assert_eq!(ready.status(), 503);
        assert!(ready.headers().contains_key("retry-after"));
        assert_eq!(ready.json::<Value>().await.unwrap()["database"], "not reachable");
        let started = Instant::now();
        assert_eq!(scene.status("/healthz").await, 200);
        assert!(started.elapsed() < LONGEST, "/healthz took {:?}", started.elapsed());
    }
    let launch = "/lti/login?iss=https%3A%2F%2Flms.example&login_hint=1&target_link_uri=https%3A%2F%2Fhere.example%2Flti%2Flaunch";
    // All at once: each of them waits for seconds.
    let asked = pages.iter().map(String::as_str).chain([launch]).map(|page| {
        let scene = &scene;
        async move {
            let started = Instant::now();
            let answer = scene.get(page).send().await.unwrap();
            let took = started.elapsed();
            assert_eq!(answer.status(), 503, "{page}");
            assert!(answer.headers().contains_key("retry-after"), "{page}");
            assert!(took < LONGEST, "{page}: {took:?}");
        }
    });
    join_all(asked).await;

    scene.server.thaw();
    let started = Instant::now();
    while scene.status("/readyz").await != 200 {
        assert!(started.elapsed() < PATIENCE, "still not ready");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for page in &pages {
        assert_eq!(scene.status(page).await, 200, "{page}");
    }
    // Workers have not hung either.
    let body = json!({ "export": { "updated_after": "2020-01-01T00:00:00Z" } });
    let exports = format!("{}/api/private/v4/exports", scene.serving.base);
    let asked =
        scene.client.post(&exports).header("Authorization", &scene.token).json(&body).send().await.unwrap();
    assert_eq!(asked.status(), 202);
    let export: Value = asked.json().await.unwrap();
    let export = format!("/api/private/v4/exports/{}", export["export"]["id"].as_str().unwrap());
    let started = Instant::now();
    loop {
        let export: Value = scene.get(&export).send().await.unwrap().json().await.unwrap();
        if export["export"]["state"] == "completed" {
            break;
        }
        assert!(started.elapsed() < PATIENCE, "{export}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }

    over.store(true, Ordering::Relaxed);
    let (mut created, mut refused) = (BTreeSet::new(), 0);
    for writer in writers {
        let (its_created, its_refused) = writer.await.unwrap();
        created.extend(its_created);
        refused += its_refused;
    }
    assert!(!created.is_empty() && refused > 0, "{} created, {refused} refused", created.len());
    // Every request that got 201 is stored. The outcome of an unacknowledged COMMIT is unknown, so that got 503.
    let everybody = "/api/private/v5/participants?updated_after=2020-01-01T00:00:00Z";
    let everybody: Value = scene.get(everybody).send().await.unwrap().json().await.unwrap();
    let everybody = everybody["Response"]["participants"].as_array().unwrap();
    let listed: BTreeSet<&str> = everybody.iter().map(|person| person["email"].as_str().unwrap()).collect();
    let lost: Vec<_> = created.iter().filter(|email| !listed.contains(email.as_str())).collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// The database cannot be queried, so the command reports that and exits.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_stops_and_a_command_ends_while_the_database_is_frozen() {
    let (here, scene) = Scene::new().await;
    scene.server.freeze();
    let started = Instant::now();
    let refused = here.refuse(&["institution", "list", "--database-timeout-seconds", "1"]);
    assert!(refused.contains("database is not available"), "{refused}");
    assert!(started.elapsed() < LONGEST, "{:?}", started.elapsed());
    let Scene { server, mut serving, .. } = scene;
    serving.signal("TERM");
    assert!(serving.ended(PATIENCE).await.is_some(), "it hangs: {}", serving.log());
    drop(server);
}
