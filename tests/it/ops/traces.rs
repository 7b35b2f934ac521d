//! Traces, as received by a collector: OTLP over HTTP.

use std::{
    process::Command,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use endonym::telemetry::traces;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, body::Incoming, service::service_fn};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::{ResourceSpans, Span, span::SpanKind, status::StatusCode},
};
use prost::Message;
use reqwest::{Client, Method};
use serde_json::json;
use tokio::{net::TcpListener, task::JoinHandle, time::Instant};

use crate::support::{
    media,
    process::{CommandOutput, Installation, PATIENCE, Serving},
};

/// A collector on a free port. Stores every request unchanged.
struct Collector {
    endpoint: String,
    parcels: Arc<Mutex<Vec<Bytes>>>,
    serving: JoinHandle<()>,
}

impl Collector {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let parcels: Arc<Mutex<Vec<Bytes>>> = Arc::default();
        let kept = parcels.clone();
        let serving = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let kept = kept.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let kept = kept.clone();
                    async move {
                        assert_eq!(
                            (request.method(), request.uri().path()),
                            (&hyper::Method::POST, "/v1/traces")
                        );
                        assert_eq!(request.headers()["content-type"], "application/x-protobuf");
                        let parcel = request.into_body().collect().await?.to_bytes();
                        kept.lock().unwrap().push(parcel);
                        Ok::<_, hyper::Error>(Response::new(Full::new(Bytes::new())))
                    }
                });
                connections.spawn(async move {
                    let http = hyper::server::conn::http1::Builder::new();
                    let _ = http.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { endpoint, parcels, serving }
    }

    fn parcels(&self) -> Vec<Bytes> {
        self.parcels.lock().unwrap().clone()
    }

    fn resources(&self) -> Vec<ResourceSpans> {
        let read = |parcel: Bytes| ExportTraceServiceRequest::decode(parcel).unwrap().resource_spans;
        self.parcels().into_iter().flat_map(read).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let scopes = self.resources().into_iter().flat_map(|resource| resource.scope_spans);
        scopes.flat_map(|scope| scope.spans).collect()
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn traced(here: &Installation, endpoint: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = here.command(&["serve", "--listen", "127.0.0.1:0"]);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
    // The collector is on this machine, so no proxy is used.
    command.env("NO_PROXY", "127.0.0.1").env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint);
    command.envs(variables.iter().copied());
    command
}

fn serve(here: &Installation, endpoint: &str, variables: &[(&str, &str)]) -> Serving {
    Serving::start(traced(here, endpoint, variables), here.path("serve.log"))
}

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

/// A span's attribute, as text.
fn said(attributes: &[KeyValue], key: &str) -> String {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|attribute| attribute.value.clone()?.value) {
        Some(Value::StringValue(text)) => text,
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("{key} is {other:?} in {attributes:?}"),
    }
}

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const ABOVE: &str = "00f067aa0ba902b7";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_request_is_a_span_in_the_trace_of_its_client_with_its_work_below_it() {
    let (here, token) = Installation::with_token().await;
    let collector = Collector::new().await;
    let serving =
        serve(&here, &collector.endpoint, &[("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")]);
    let address = format!("{}/api/private/v5/participants", serving.base);
    let person = json!({ "first_name": "Zoé", "email": "zoe.secret@example.edu", "pronunciation": media::file(media::wav(1.0)) });
    let created = client()
        .post(&address)
        .header("Authorization", &token)
        .header("X-Request-Id", "proxy-7")
        .header("traceparent", format!("00-{TRACE}-{ABOVE}-01"))
        .header("tracestate", "vendor=zoe.secret")
        .header("baggage", "user=zoe.secret")
        .json(&json!({ "name_page_id": "class", "participant": person }));
    assert_eq!(created.send().await.unwrap().status(), 201);
    for path in ["/latest?tokens=zoe.secret@example.edu", "/zoe.secret@example.edu"] {
        for method in ["GET", "MADEUP"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request =
                client().request(method, format!("{address}{path}")).header("Authorization", &token);
            request.header("traceparent", "zoe.secret").send().await.unwrap();
        }
    }
    assert_eq!(serving.stop().await, 0);

    let spans = collector.spans();
    let [created] = named(&spans, "POST /api/private/v5/participants")[..] else { panic!("{spans:?}") };
    assert_eq!(created.kind, SpanKind::Server as i32);
    assert_eq!((hex(&created.trace_id).as_str(), hex(&created.parent_span_id).as_str()), (TRACE, ABOVE));
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api/private/v5/participants"),
        ("http.response.status_code", "201"),
        ("endonym.request_id", "proxy-7"),
    ] {
        assert_eq!(said(&created.attributes, key), value);
    }
    assert!(created.end_time_unix_nano > created.start_time_unix_nano);
    for piece in ["db read", "db write", "media process", "blobs put"] {
        let below = named(&spans, piece);
        let below: Vec<_> = below.iter().filter(|span| span.parent_span_id == created.span_id).collect();
        assert!(!below.is_empty(), "{piece}: {spans:?}");
        assert!(below.iter().all(|span| span.trace_id == created.trace_id));
    }
    let [made_up] = named(&spans, "HTTP /api/private/v5/participants/{user_email}")[..] else {
        panic!("{spans:?}")
    };
    assert_eq!(said(&made_up.attributes, "http.request.method"), "_OTHER");
    assert!(made_up.parent_span_id.is_empty() && hex(&made_up.trace_id) != TRACE, "a trace of its own");

    let resource = collector.resources()[0].resource.clone().unwrap();
    assert_eq!(said(&resource.attributes, "service.name"), "endonym");
    assert_eq!(said(&resource.attributes, "service.version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(said(&resource.attributes, "deployment.environment"), "test");
    for secret in ["zoe.secret", "Zoé", "example.edu", &token, "MADEUP"] {
        let within = |parcel: &Bytes| parcel.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!collector.parcels().iter().any(within), "{secret} was sent to the collector");
    }
}

#[tokio::test]
async fn the_variables_of_opentelemetry_are_heard() {
    let (here, _) = Installation::on_sqlite_with_token();
    let sent = |variables: &'static [(&str, &str)]| {
        let here = &here;
        async move {
            let collector = Collector::new().await;
            let serving = serve(here, &collector.endpoint, variables);
            client().get(format!("{}/readyz", serving.base)).send().await.unwrap();
            assert_eq!(serving.stop().await, 0);
            (collector.resources(), collector.spans())
        }
    };
    let (resources, spans) = sent(&[("OTEL_SERVICE_NAME", "names-of-the-north")]).await;
    let resource = resources[0].resource.clone().unwrap();
    assert_eq!(said(&resource.attributes, "service.name"), "names-of-the-north");
    assert!(!named(&spans, "GET /readyz").is_empty());
    for off in [
        &[("OTEL_TRACES_SAMPLER", "always_off")][..],
        &[("OTEL_SDK_DISABLED", "true")],
        &[("OTEL_TRACES_EXPORTER", "none")],
        &[("OTEL_EXPORTER_OTLP_ENDPOINT", "")],
    ] {
        assert!(sent(off).await.1.is_empty(), "{off:?}");
    }
    let ended = CommandOutput::of(&mut traced(&here, "no address", &[]));
    let refused = ended.refused();
    assert!(refused.contains("OTEL_EXPORTER_OTLP_ENDPOINT"), "{refused}");
}

#[tokio::test]
async fn without_a_collector_no_span_is_made() {
    assert!(traces::request(&http::HeaderMap::new()).is_none());
}

/// An internal error is marked as one.
#[tokio::test]
async fn a_fault_is_marked() {
    let (here, _) = Installation::with_token().await;
    let collector = Collector::new().await;
    let serving = serve(&here, &collector.endpoint, &[]);
    let db = here.database().await;
    crate::support::database::execute(&db, "DELETE FROM migrations", vec![]).await;
    assert_eq!(client().get(format!("{}/readyz", serving.base)).send().await.unwrap().status(), 503);
    assert_eq!(serving.stop().await, 0);
    let spans = collector.spans();
    let [ready] = named(&spans, "GET /readyz")[..] else { panic!("{spans:?}") };
    assert_eq!(ready.status.as_ref().unwrap().code, StatusCode::Error as i32);
    assert_eq!(said(&ready.attributes, "error.type"), "503");
}

/// One that refuses connections, and one that accepts them and never responds.
#[tokio::test]
async fn a_collector_that_is_gone_slows_nothing_and_is_complained_about_once() {
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone_at = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_at = format!("http://{}", silent.local_addr().unwrap());
    // For the silent one, the export times out after ten seconds, if the server runs that long.
    for (endpoint, complaints) in [(gone_at, 1..=1), (silent_at, 0..=1)] {
        let (here, token) = Installation::on_sqlite_with_token();
        let settings = [("OTEL_BSP_SCHEDULE_DELAY", "20"), ("OTEL_BSP_MAX_QUEUE_SIZE", "20")];
        let serving = serve(&here, &endpoint, &settings);
        let address = format!("{}/api/private/v5/participants", serving.base);
        let client = client();
        let started = Instant::now();
        // More than the queue holds, including reads.
        for _ in 0..50 {
            let answer = client.get(&address).header("Authorization", &token).send().await.unwrap();
            assert_eq!(answer.status(), 200);
        }
        // If each of them waited for the collector, it would be minutes.
        assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
        assert_eq!(serving.stop().await, 0);
        let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
        let said = log.lines().filter(|line| line.contains("not logged for a while")).count();
        assert!(complaints.contains(&said), "{endpoint}: {said}");
        assert!(!log.contains("\"ERROR\""), "{endpoint}");
    }
}
