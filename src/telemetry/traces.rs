//! Traces for OpenTelemetry, when a collector is named: a span for each request and each job, and below it those of the database, of
//! sound and pictures, and of the blobs. Without a collector no span is made: asking whether there is one is all it costs.
//! Like the log, spans hold templates and never a path, an email or a token.

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

/// Set once, when there is a collector.
static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// For one parcel of spans to reach the collector.
const LONGEST_SENDING: Duration = Duration::from_secs(10);
/// For the last one, when we stop.
const LAST_SENDING: Duration = Duration::from_secs(3);
const COMPLAIN_EVERY: Duration = Duration::from_secs(300);

/// To be stopped at the end, so that nothing is left unsent.
#[must_use]
pub struct Traces(SdkTracerProvider);

/// Sends spans to where the variables of OpenTelemetry say. Spans wait in a queue that ends; a thread of their own sends
/// them, so a collector that is slow or gone costs spans and nothing else.
pub fn start() -> Result<Traces, String> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_protocol(Protocol::HttpBinary)
        .with_http_client(Courier::new()?)
        .with_retry_policy(RetryPolicy::disabled())
        .build()
        .map_err(|error| format!("traces cannot be sent: {error}"))?;
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource()).build();
    let _ = TRACER.set(provider.tracer("endonym"));
    Ok(Traces(provider))
}

/// Who we are: what the variables say, or `endonym`.
fn resource() -> Resource {
    const NAME: Key = Key::from_static_str("service.name");
    let said = Resource::builder().build();
    let named = said.get(&NAME).is_some_and(|name| !name.as_str().starts_with("unknown_service"));
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let all = Resource::builder().with_attribute(version);
    if named { all } else { all.with_service_name("endonym") }.build()
}

impl Traces {
    /// Sends what is left, for a moment.
    pub async fn stop(self) {
        let last = tokio::task::spawn_blocking(move || self.0.shutdown_with_timeout(LAST_SENDING)).await;
        if !matches!(last, Ok(Ok(()))) {
            tracing::warn!("the last traces could not be sent");
        }
    }
}

/// The span of a request.
#[must_use]
pub struct Asked(Context);

/// `None` without a collector. Goes on with the trace that the client is part of, if it says so.
pub fn request(headers: &HeaderMap) -> Option<Asked> {
    let tracer = TRACER.get()?;
    let parent = TraceContextPropagator::new().extract_with_context(&Context::new(), &Parent(headers));
    let span = tracer.span_builder("HTTP").with_kind(SpanKind::Server);
    Some(Asked(parent.with_span(tracer.build_with_context(span, &parent))))
}

/// Of all that a client sends along, only the numbers of its trace are taken over: the rest may be any text.
struct Parent<'a>(&'a HeaderMap);

impl Extractor for Parent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        if key == "traceparent" { self.0.get(key)?.to_str().ok() } else { None }
    }

    fn keys(&self) -> Vec<&str> {
        vec!["traceparent"]
    }
}

impl Asked {
    /// What happens inside has this span above it.
    pub fn around<F: Future>(&self, future: F) -> impl Future<Output = F::Output> + use<F> {
        future.with_context(self.0.clone())
    }

    /// `route` is a template, never a path.
    pub fn answered(self, request_id: &str, route: &str, method: &str, status: u16) {
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

/// The span of a job, which belongs to no request.
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

/// A piece of a request's or a job's work. Over when it is dropped.
#[must_use]
pub struct Piece(#[allow(dead_code)] Option<Span>);

/// Names and attributes are words of ours. Work that belongs to neither has no span.
pub fn piece(name: &'static str, attribute: (&'static str, &'static str)) -> Piece {
    let Some(tracer) = TRACER.get() else { return Piece(None) };
    let here = Context::current();
    if !here.has_active_span() {
        return Piece(None);
    }
    let span = tracer.span_builder(name).with_attributes([KeyValue::new(attribute.0, attribute.1)]);
    Piece(Some(tracer.build_with_context(span, &here)))
}

/// For what goes on in a task of its own: its pieces still belong to this request.
pub fn carried<F: Future>(future: F) -> impl Future<Output = F::Output> {
    match TRACER.get() {
        None => Either::Left(future),
        Some(_) => Either::Right(future.with_current_context()),
    }
}

/// Carries spans to the collector. The thread that has them knows no runtime, so ours does the sending.
#[derive(Debug)]
struct Courier {
    client: reqwest::Client,
    runtime: Handle,
    complained: Mutex<Option<Timer>>,
}

impl Courier {
    fn new() -> Result<Self, String> {
        let client = reqwest::Client::builder().timeout(LONGEST_SENDING).build();
        let client = client.map_err(|error| format!("traces cannot be sent: {error}"))?;
        Ok(Self { client, runtime: Handle::current(), complained: Mutex::new(None) })
    }

    /// Now and then: a collector that is gone for a night must not fill the log.
    fn complain(&self, error: &str) {
        let mut complained = self.complained.lock().unwrap_or_else(PoisonError::into_inner);
        if complained.is_none_or(|since| since.elapsed() > COMPLAIN_EVERY) {
            tracing::warn!(error, "traces could not be sent; this is not said again for a while");
            *complained = Some(Timer::start());
        }
    }
}

impl HttpClient for Courier {
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
                Ok(answer) => self.complain(&format!("the collector answers {}", answer.status())),
                Err(error) => self.complain(&with_causes(error.as_ref())),
            }
            sent
        })
    }
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
