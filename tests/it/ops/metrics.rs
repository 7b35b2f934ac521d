//! `/metrics`, as scraped by Prometheus.

use std::{collections::BTreeSet, sync::LazyLock};

use endonym::telemetry::metrics;
use reqwest::{Client, Method, Response};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::exposition::Exposition;
use crate::support::{
    database::{on_citus, on_postgres},
    media,
    process::{Installation, METRICS, Serving},
    until,
};

/// Without a pool: each request has a connection of its own.
fn client() -> &'static Client {
    static CLIENT: LazyLock<Client> =
        LazyLock::new(|| Client::builder().no_proxy().pool_max_idle_per_host(0).build().unwrap());
    &CLIENT
}

async fn get(base: &str, path: &str) -> Response {
    client().get(format!("{base}{path}")).send().await.unwrap()
}

async fn figures(serving: &Serving) -> Exposition {
    let answer = client().get(serving.metrics()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    Exposition::read(&answer.text().await.unwrap())
}

const REQUESTS: &str = "endonym_http_requests_total";

async fn send(serving: &Serving, token: &str, method: &str, path: &str) -> u16 {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let request = client().request(method, format!("{}{path}", serving.base));
    request.header("Authorization", token).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn requests_are_counted_by_version_template_method_and_status() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&METRICS);
    let before = figures(&serving).await;
    for (method, path, status) in [
        ("GET", "/api/private/v5/participants", 200),
        ("GET", "/api/private/v5/participants/", 200),
        ("GET", "/api/private/v4/participants/a@b.c", 404),
        ("PUT", "/api/private/v5/participants/a@b.c", 400),
        ("PATCH", "/api/private/v5/participants/a@b.c", 405),
        ("OPTIONS", "/api/private/v5/participants", 204),
        ("GET", "/api/private/v5/openapi.json", 200),
        ("GET", "/docs/v5", 200),
        ("GET", "/badges/1/b4b3fa5f4b5b4b3fa5f4b5b4b3fa5f4b", 404),
        ("HEAD", "/audio/1/recording_b4b3fa5f4b5b4b3fa5f4b5b4b3fa5f4b.mp3", 404),
    ] {
        assert_eq!(send(&serving, &token, method, path).await, status, "{method} {path}");
    }
    let after = figures(&serving).await;
    for (count, version, route, method, status) in [
        (2.0, "v5", "/api/private/v5/participants", "GET", "200"),
        (1.0, "v4", "/api/private/v4/participants/{id_or_email}", "GET", "404"),
        (1.0, "v5", "/api/private/v5/participants/{user_email}", "PUT", "400"),
        (1.0, "v5", "/api/private/v5/participants/{user_email}", "PATCH", "405"),
        (1.0, "v5", "/api/private/v5/participants", "OPTIONS", "204"),
        (1.0, "v5", "/api/private/v5/openapi.json", "GET", "200"),
        (1.0, "web", "/docs/{version}", "GET", "200"),
        (1.0, "web", "/badges/{institution}/{token}", "GET", "404"),
        (1.0, "web", "/audio/{institution}/{file}", "HEAD", "404"),
        (1.0, "web", "/metrics", "GET", "200"),
    ] {
        let labels = [("version", version), ("route", route), ("method", method), ("status", status)];
        let counted = after.sum(REQUESTS, &labels) - before.sum(REQUESTS, &labels);
        assert_eq!(counted, count, "{labels:?}");
    }
    // Every response is counted and timed under its route.
    for (labels, _) in after.all("endonym_http_request_duration_seconds_count") {
        let of_route = [("version", labels["version"].as_str()), ("route", labels["route"].as_str())];
        let timed = after.sum("endonym_http_request_duration_seconds_count", &of_route);
        assert_eq!(timed, after.sum(REQUESTS, &of_route), "{labels:?}");
    }
    assert_eq!(after.sum("endonym_http_requests_in_flight", &[]), 1.0, "the one that asks");
    assert!(after.sum("endonym_http_connections", &[]) >= 1.0);
}

/// Made-up methods and paths add no labels (bounded cardinality).
#[tokio::test]
async fn nothing_that_clients_send_becomes_a_label() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&METRICS);
    let odd = |n: u32| {
        [
            format!("/nonsense/{n}"),
            format!("/api/private/v5/participants/person{n}@b.c"),
            format!("/api/private/v9/x{n}"),
            format!("/api/private/v5/{n}"),
            format!("/docs/{n}"),
            format!("/players/{n}/x"),
            format!("/photos/{n}/photo_x.jpg?token={n}"),
            format!("/audio/{n}"),
            format!("/%00{n}"),
            format!("/metrics/{n}"),
        ]
    };
    let ask = |numbers: std::ops::Range<u32>| {
        let (serving, token) = (&serving, &token);
        async move {
            for n in numbers {
                for path in odd(n) {
                    send(serving, token, "GET", &path).await;
                    send(serving, token, &format!("MADEUP{n}"), &path).await;
                }
            }
            figures(serving).await
        }
    };
    figures(&serving).await;
    let few = ask(0..2).await;
    let many = ask(2..12).await;
    for label in ["route", "method", "status", "version"] {
        assert_eq!(few.values(label), many.values(label), "{label}");
    }
    assert_eq!(many.all(REQUESTS).len(), few.all(REQUESTS).len());
    let versions: BTreeSet<String> =
        many.all(REQUESTS).iter().map(|(labels, _)| labels["version"].clone()).collect();
    assert_eq!(versions, ["v5", "web"].map(str::to_owned).into());
    assert!(many.values("method").contains("other") && many.values("route").contains("other"));
    for route in many.values("route") {
        assert!(!route.contains(['@', '?', '%']), "{route}");
        let digits = route.replace("v4", "").replace("v5", "");
        assert!(!digits.contains(|c: char| c.is_ascii_digit()), "{route}");
    }
}

/// hyper rejects these before any handler.
#[tokio::test]
async fn what_cannot_be_read_is_counted_and_logged() {
    let (here, _) = Installation::with_token().await;
    let serving = here.serve(&METRICS);
    for (sent, status) in [
        ("nonsense\r\n\r\n".to_owned(), "400"),
        (format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "x".repeat(70_000)), "414"),
    ] {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).await.unwrap();
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{said}");
        let labels = [("route", "unreadable"), ("method", "other"), ("status", status)];
        assert_eq!(figures(&serving).await.sum(REQUESTS, &labels), 1.0);
        let id = said.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap().to_owned();
        let logged = |log: String| log.lines().any(|line| line.contains(&id) && line.contains(status));
        until("a line in the log", || async { logged(serving.log()) }).await;
    }
}

/// Requests are in flight while somebody waits for them, and connections count while they are open.
#[tokio::test]
async fn a_client_that_hangs_up_is_not_counted_for_ever() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&METRICS);
    let now = async || {
        let seen = figures(&serving).await;
        (seen.sum("endonym_http_requests_in_flight", &[]), seen.sum("endonym_http_connections", &[]))
    };
    let wait_for = async |wanted: (f64, f64)| {
        until(&format!("{wanted:?}"), || async { now().await == wanted }).await;
    };
    wait_for((1.0, 1.0)).await;
    let head = format!(
        "POST /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nContent-Length: 100\r\n\r\n{{"
    );
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    wait_for((4.0, 4.0)).await;
    drop(open);
    wait_for((1.0, 1.0)).await;
}

#[tokio::test]
async fn the_rate_limit_is_counted_by_version() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2"]);
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let code = pages["name_pages"][0]["access_code"].as_str().unwrap();
    let serving =
        here.serve(&[&["--rate-limit", "1", "--rate-limit-throttle-seconds", "600"][..], &METRICS].concat());
    let statuses = [
        send(&serving, &token, "GET", "/api/private/v5/participants").await,
        send(&serving, &token, "GET", "/api/private/v5/participants").await,
        send(&serving, &token, "GET", "/api/private/v4/participants").await,
        send(&serving, &token, "GET", "/api/private/v4/participants").await,
        send(&serving, "", "GET", &format!("/api/private/v3/name?auth_token={token}&email=ana@x.org")).await,
        // Version 2 has no token: its limit is per page.
        send(&serving, "", "GET", &format!("/api/private/v2/names?access_code={code}")).await,
        send(&serving, "", "GET", &format!("/api/private/v2/names?access_code={code}")).await,
    ];
    assert_eq!(statuses, [200, 429, 429, 429, 429, 200, 429]);
    let seen = figures(&serving).await;
    assert_eq!(seen.sum("endonym_rate_limit_refusals_total", &[("version", "v5")]), 1.0);
    assert_eq!(seen.sum("endonym_rate_limit_refusals_total", &[("version", "v4")]), 2.0);
    assert_eq!(seen.sum("endonym_rate_limit_refusals_total", &[("version", "v3")]), 1.0);
    assert_eq!(seen.sum("endonym_rate_limit_refusals_total", &[("version", "v2")]), 1.0);
}

#[tokio::test]
async fn sound_pictures_and_writes_are_counted() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&METRICS);
    let create = |email: &str, sound: Vec<u8>| {
        let person = json!({ "first_name": "Ana", "email": email, "pronunciation": media::file(sound) });
        let body = json!({ "name_page_id": "class", "participant": person });
        let address = format!("{}/api/private/v5/participants", serving.base);
        client().post(address).header("Authorization", &token).json(&body).send()
    };
    assert_eq!(create("a@x.org", media::wav(1.0)).await.unwrap().status(), 201);
    assert_eq!(create("b@x.org", b"no sound".to_vec()).await.unwrap().status(), 422);
    let seen = figures(&serving).await;
    let processed =
        |outcome| seen.sum("endonym_media_processed_total", &[("kind", "recording"), ("outcome", outcome)]);
    assert_eq!((processed("ok"), processed("refused"), processed("failed")), (1.0, 1.0, 0.0));
    assert_eq!(seen.sum("endonym_media_processing_seconds_count", &[("kind", "recording")]), 2.0);
    assert_eq!(seen.sum("endonym_media_queue_length", &[]), 0.0);

    let writes = seen.sum("endonym_db_write_duration_seconds_count", &[]);
    assert!(writes >= 1.0 && seen.sum("endonym_db_write_duration_seconds_sum", &[]) > 0.0);
    assert_eq!(seen.sum("endonym_db_writes_waiting", &[]), 0.0);
    let connections = seen.sum("endonym_db_connections", &[]);
    assert!(connections >= 1.0 && connections <= seen.sum("endonym_db_connections_max", &[]));
    assert!(seen.sum("endonym_db_connections", &[("state", "busy")]) <= connections);
    let commits = seen.sum("endonym_db_commit_writes_count", &[]);
    let together = seen.sum("endonym_db_commit_writes_sum", &[]);
    assert!(commits >= 1.0 && together >= commits, "{together} in {commits}");
    // One after the other, they are commits of their own.
    for email in ["c@x.org", "d@x.org"] {
        assert_eq!(create(email, media::wav(1.0)).await.unwrap().status(), 201);
    }
    until("both are counted", || async {
        let seen = figures(&serving).await;
        seen.sum("endonym_db_commit_writes_count", &[]) >= commits + 2.0
            && seen.sum("endonym_db_commit_writes_sum", &[]) >= together + 2.0
    })
    .await;
}

/// With PostgreSQL: SQLite answers at once.
#[tokio::test]
async fn lookups_that_wait_together_are_one_statement() {
    if !on_postgres() || on_citus() {
        return;
    }
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[&["--rate-limit", "1000000"][..], &METRICS].concat());
    let body =
        json!({ "name_page_id": "class", "participant": { "first_name": "Ana", "email": "ana@x.org" } });
    let people = format!("{}/api/private/v5/participants", serving.base);
    let made = client().post(&people).header("Authorization", &token).json(&body).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let before = figures(&serving).await;
    let lookup = format!(
        "GET /api/private/v5/participants/latest?tokens=ana@x.org HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Authorization: {token}\r\n\r\n"
    );
    for _ in 0..10 {
        // All connections are open before the first lookup is sent.
        let mut open = Vec::new();
        for _ in 0..100 {
            open.push(TcpStream::connect(serving.address()).await.unwrap());
        }
        for stream in &mut open {
            stream.write_all(lookup.as_bytes()).await.unwrap();
        }
        for mut stream in open {
            let mut said = String::new();
            stream.read_to_string(&mut said).await.unwrap();
            assert!(said.starts_with("HTTP/1.1 200") && said.contains("\"ana@x.org\""), "{said}");
        }
    }
    let after = figures(&serving).await;
    let counted = |what: &str| {
        let name = format!("endonym_db_statement_lookups_{what}");
        after.sum(&name, &[]) - before.sum(&name, &[])
    };
    let (lookups, statements) = (counted("sum"), counted("count"));
    assert_eq!(lookups, 1_000.0);
    assert!((1.0..750.0).contains(&statements), "{lookups} lookups in {statements} statements");
}

#[tokio::test]
async fn the_process_tells_of_itself() {
    let here = Installation::new().await;
    let serving = here.serve(&METRICS);
    let first = figures(&serving).await;
    let version = [("version", env!("CARGO_PKG_VERSION"))];
    assert_eq!(first.sum("endonym_build_info", &version), 1.0);
    assert!(first.sum("process_resident_memory_bytes", &[]) > 1e6);
    assert!(first.sum("process_open_fds", &[]) > 5.0);
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
    let age = now - first.sum("process_start_time_seconds", &[]);
    assert!((-2.0..120.0).contains(&age), "{age}");
    let cpu = first.sum("process_cpu_seconds_total", &[]);
    let mut later = cpu;
    while later == cpu {
        get(&serving.base, "/docs").await;
        later = figures(&serving).await.sum("process_cpu_seconds_total", &[]);
    }
    assert!(later > cpu);
}

/// The setting `metrics_listen`.
#[tokio::test]
async fn it_has_an_address_of_its_own_and_is_nowhere_else() {
    let here = Installation::new().await;
    let serving = here.serve(&METRICS);
    let base = serving.metrics().strip_suffix("/metrics").unwrap().to_owned();
    assert_ne!(base, serving.base);
    assert!(figures(&serving).await.sum("endonym_build_info", &[]) == 1.0);
    assert_eq!(get(&serving.base, "/metrics").await.status(), 404);
    for path in ["/", "/healthz", "/docs", "/api/private/v5/participants", "/metrics/x"] {
        assert_eq!(get(&base, path).await.status(), 404, "{path}");
    }
    // On the main listener, such a path is a recording's.
    assert_eq!(get(&base, "/audio/1/x.mp3").await.text().await.unwrap(), r#"{"message":"Not Found"}"#);
    // Requests to both listeners are counted.
    assert_eq!(figures(&serving).await.sum(REQUESTS, &[("route", "other"), ("status", "404")]), 7.0);
    let taken = here.refuse(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", serving.address()]);
    assert!(taken.contains("--metrics-listen") && taken.contains(serving.address()), "{taken}");
    let nonsense = here.refuse(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "everywhere"]);
    assert!(nonsense.contains("everywhere"), "{nonsense}");
    assert_eq!(serving.stop().await, 0);
}

#[tokio::test]
async fn it_is_off_unless_an_address_is_given() {
    let here = Installation::new().await;
    for off in [&[][..], &["--metrics-listen", ""], &["--metrics-listen", "off"]] {
        let serving = here.serve(off);
        for path in ["/metrics", "/metrics/", "/metrics?x", "/ops/metrics", "/api/metrics"] {
            let answer = get(&serving.base, path).await;
            assert_eq!(answer.status(), 404, "{off:?} {path}");
            assert!(!answer.text().await.unwrap().contains("endonym_build_info"), "{off:?} {path}");
        }
        assert!(!serving.greeting.contains("Metrics"));
        assert_eq!(serving.stop().await, 0);
    }
}

/// The calls of a job runner, one per line.
#[test]
fn jobs_have_figures_of_their_own() {
    metrics::jobs("waiting", 7);
    metrics::job_finished("a_test", "done", 0.2);
    metrics::job_finished("a_test", "dead", 4_000.0);
    let seen = Exposition::read(&metrics::exposition());
    assert_eq!(seen.sum("endonym_jobs", &[("state", "waiting")]), 7.0);
    assert_eq!(seen.sum("endonym_jobs_finished_total", &[("kind", "a_test")]), 2.0);
    assert_eq!(seen.sum("endonym_job_duration_seconds_sum", &[("kind", "a_test")]), 4_000.2);
    assert_eq!(seen.kinds["endonym_jobs"], "gauge");
}
