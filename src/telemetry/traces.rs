//! OpenTelemetry traces, if a collector is configured: a span per request and job, with child spans for the database,
//! media processing and blobs. Without a collector no spans are created, and the cost is a single check. Like the
//! log, spans contain templates and never a path, an email or a token.

use std::{
    future::Future,
    sync::{Mutex, OnceLock, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use http::{HeaderMap, Request, Response};
use opentelemetry::{
    Context, Key, KeyValue,
    context::FutureExt,
    propagation::{Extractor, TextMapPropagator},
    trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider},
};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{SdkTracer, SdkTracerProvider, Span},
};
use tokio::runtime::Handle;

use super::{metrics::Timer, requests};
use crate::tasks;

/// Set once, if there is a collector.
static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// Timeout of one export request.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the last one, at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);
const WARN_INTERVAL: Duration = Duration::from_secs(300);

/// Must be stopped at exit to flush pending spans.
#[must_use]
pub struct Traces(SdkTracerProvider);

/// Starts exporting as configured by the standard OpenTelemetry variables. Spans wait in a bounded queue and a
/// separate thread exports them, so a slow or missing collector costs only spans.
pub fn start() -> Result<Traces, String> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_http_client(HttpExporter::new()?)
        .with_retry_policy(RetryPolicy::disabled())
        .build()
        .map_err(|error| format!("cannot export traces: {error}"))?;
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build();
    let _ = TRACER.set(provider.tracer("endonym"));
    Ok(Traces(provider))
}

/// The service name from the variables, or `endonym`.
fn resource() -> Resource {
    const NAME: Key = Key::from_static_str("service.name");
    let resource = Resource::builder().build();
    let named = resource.get(&NAME).is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let all = Resource::builder().with_attribute(version);
    if named { all } else { all.with_service_name("endonym") }.build()
}

impl Traces {
    /// Flushes pending spans, with a timeout.
    pub async fn stop(self) {
        let last = tasks::spawn_blocking(move || self.0.shutdown_with_timeout(SHUTDOWN_TIMEOUT)).await;
        if !matches!(last, Ok(Ok(()))) {
            tracing::warn!("exporting the last traces failed");
        }
    }
}

/// The span of a request.
#[must_use]
pub struct RequestSpan(Context);

/// `None` without a collector. Continues the trace of the client, if the request has one.
pub fn request(headers: &HeaderMap) -> Option<RequestSpan> {
    let tracer = TRACER.get()?;
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &Parent(headers));
    let span = tracer.span_builder("HTTP").with_kind(SpanKind::Server);
    Some(RequestSpan(parent.with_span(tracer.build_with_context(span, &parent))))
}

/// Only the trace context is extracted from the headers; anything else could be arbitrary text.
struct Parent<'a>(&'a HeaderMap);

impl Extractor for Parent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        if key == "traceparent" { self.0.get(key)?.to_str().ok() } else { None }
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent"]
    }
}

impl RequestSpan {
    /// Makes this span the parent of spans inside the future.
    pub fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        future.with_context(self.0.clone())
    }

    /// `route` is a template, never a path.
    pub fn finish(self, request_id: &str, route: &str, method: &str, status: u16) {
        let span = self.0.span();
        let (in_name, method) = match requests::known_method(method) {
            requests::OTHER => ("HTTP", "_OTHER"),
            known => (known, known),
        };
        span.update_name(format!("{in_name} {route}"));
        span.set_attributes([
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route.to_owned()),
            KeyValue::new("http.response.status_code", i64::from(status)),
            KeyValue::new("endonym.request_id", request_id.to_owned()),
        ]);
        if status >= 500 {
            span.set_attribute(KeyValue::new("error.type", status.to_string()));
            span.set_status(Status::error(""));
        }
        span.end();
    }
}

/// The root span of a job.
pub fn job<F: Future>(kind: &'static str, future: F) -> impl Future<Output = F::Output> {
    match TRACER.get() {
        None => Either::Left(future),
        Some(tracer) => {
            let span = tracer.span_builder(kind).with_kind(SpanKind::Consumer);
            let here = Context::new();
            Either::Right(future.with_context(here.with_span(tracer.build_with_context(span, &here))))
        }
    }
}

/// A child span; ends on drop.
#[must_use]
pub struct ChildSpan(#[allow(dead_code)] Option<Span>);

/// Names and attributes are fixed words. Without a parent there is no span.
pub fn child_span(name: &'static str, attribute: (&'static str, &'static str)) -> ChildSpan {
    let Some(tracer) = TRACER.get() else { return ChildSpan(None) };
    let here = Context::current();
    if !here.has_active_span() {
        return ChildSpan(None);
    }
    let span = tracer.span_builder(name).with_attributes([KeyValue::new(attribute.0, attribute.1)]);
    ChildSpan(Some(tracer.build_with_context(span, &here)))
}

/// For a spawned task: its spans stay children of this request.
pub fn in_current_span<F: Future>(future: F) -> impl Future<Output = F::Output> {
    match TRACER.get() {
        None => Either::Left(future),
        Some(_) => Either::Right(future.with_current_context()),
    }
}

/// Sends spans to the collector. The exporter thread has no runtime, so ours sends them.
#[derive(Debug)]
struct HttpExporter {
    client: reqwest::Client,
    runtime: Handle,
    complained: Mutex<Option<Timer>>,
}

impl HttpExporter {
    fn new() -> Result<Self, String> {
        let client = reqwest::Client::builder().timeout(EXPORT_TIMEOUT).build();
        let client = client.map_err(|error| format!("cannot export traces: {error}"))?;
        Ok(Self { client, runtime: Handle::current(), complained: Mutex::new(None) })
    }

    /// Rate-limited: an outage of the collector must not flood the log.
    fn warn_rate_limited(&self, error: &str) {
        let mut complained = self.complained.lock().unwrap_or_else(PoisonError::into_inner);
        if complained.is_none_or(|since| since.elapsed() > WARN_INTERVAL) {
            tracing::warn!(error, "exporting traces failed; further failures are not logged for a while");
            *complained = Some(Timer::start());
        }
    }
}

impl HttpClient for HttpExporter {
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> BoxFuture<'b, Result<Response<Bytes>, HttpError>>
    where
        'a: 'b,
        Self: 'b,
    {
        let client = self.client.clone();
        let sending = self.runtime.spawn(async move {
            let answer = client.execute(request.try_into()?).await?;
            let status = answer.status();
            let mut response = Response::new(answer.bytes().await?);
            *response.status_mut() = status;
            Ok::<_, reqwest::Error>(response)
        });
        Box::pin(async move {
            let sent = match sending.await {
                Ok(sent) => sent.map_err(|error| HttpError::from(error.without_url())),
                Err(error) => Err(error.into()),
            };
            match &sent {
                Ok(answer) if answer.status().is_success() => {}
                Ok(answer) => {
                    self.warn_rate_limited(&format!("the collector responded with {}", answer.status()))
                }
                Err(error) => self.warn_rate_limited(&with_causes(error.as_ref())),
            }
            sent
        })
    }
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
