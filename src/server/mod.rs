//! The HTTP server: accepts connections, limits slow and misbehaving clients, assigns request ids, and shuts down
//! gracefully.

mod connections;
mod cores;
mod framing;
mod slow_readers;
mod wire;

use std::{
    net::IpAddr,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, Version, header},
    response::Response,
};
use futures_util::{FutureExt, future::BoxFuture};
use hyper::{
    body::{Body as _, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::SockRef;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    app::Clock,
    domain::client_address::{Client, TrustedProxies},
    http::{
        body::BodyLimits,
        refusal::Refusal,
        reply::{self, Cause, Route},
        service::Shared as Service,
    },
    tasks,
    telemetry::{metrics, traces},
};
use connections::ConnectionLimiter;
use cores::Cores;
use framing::Length;
use slow_readers::{MinRate, RateGuard};
use wire::{ResponseBody, Shared, Wire};

#[derive(Debug, Clone)]
pub struct Limits {
    pub body: BodyLimits,
    /// Timeout for the head of a request, and for idle keep-alive connections.
    pub head_time: Duration,
    /// Timeout for a client to read the next part of a response.
    pub write_time: Duration,
    /// Minimum read rate in bytes per second, averaged over `write_time`; 0 disables it.
    pub write_rate: u64,
    pub connections: usize,
    /// Maximum per client address; trusted proxies are exempt. `None` means half of `connections`.
    pub connections_per_address: Option<usize>,
    pub trusted_proxies: TrustedProxies,
    /// How long a graceful shutdown waits for requests in flight.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: BodyLimits::default(),
            head_time: Duration::from_secs(30),
            write_time: Duration::from_secs(30),
            write_rate: 4_096,
            connections: 1_000,
            connections_per_address: None,
            trusted_proxies: TrustedProxies::default(),
            grace: Duration::from_secs(5),
        }
    }
}

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
/// Request lines are limited to almost 64 KB; this includes the headers.
const HEAD_BYTES: usize = 128 * 1024;

struct Server {
    service: Service,
    limits: Limits,
    ids: RequestIds,
    clock: Clock,
}

/// How many threads serve requests, each with a runtime of its own.
pub fn threads() -> usize {
    Cores::count()
}

/// Serves until `stop` is canceled, then until all requests in flight are answered or the grace period ends.
pub async fn run(listener: TcpListener, service: Service, limits: Limits, stop: CancellationToken) {
    let server = Arc::new(Server::new(service, limits));
    let connections = TaskTracker::new();
    let cores = match Cores::start() {
        Ok(cores) => cores,
        Err(error) => {
            tracing::error!(%error, "starting the worker threads failed");
            return;
        }
    };
    server.accept(listener, &stop, |connection| cores.spawn(&connections, connection)).await;
    server.finish(&connections).await;
    // Joining its threads blocks, which is not allowed on a runtime.
    let _ = tasks::spawn_blocking(move || drop(cores)).await;
}

/// Like `run`, but on the current runtime: for internal listeners with little traffic.
pub async fn run_on_current_runtime(
    listener: TcpListener,
    service: Service,
    limits: Limits,
    stop: CancellationToken,
) {
    let server = Arc::new(Server::new(service, limits));
    let connections = TaskTracker::new();
    server.accept(listener, &stop, |connection| drop(connections.spawn(connection))).await;
    server.finish(&connections).await;
}

impl Server {
    fn new(service: Service, limits: Limits) -> Self {
        Self { service, limits, ids: RequestIds::new(), clock: Clock::system() }
    }

    /// Accepts connections until `stop` is canceled.
    async fn accept(
        self: &Arc<Self>,
        listener: TcpListener,
        stop: &CancellationToken,
        spawn: impl Fn(BoxFuture<'static, ()>),
    ) {
        let limiter = ConnectionLimiter::new(&self.limits);
        loop {
            let Some(Some(free)) = stop.run_until_cancelled(limiter.free()).await else { break };
            match stop.run_until_cancelled(listener.accept()).await {
                None => break,
                Some(Ok((stream, peer))) => {
                    // A token of its own: with one for all, the cores would wait for each other at every request.
                    let (server, stop) = (self.clone(), stop.child_token());
                    // The stream is registered with the accepting runtime and must be registered with that of its
                    // core.
                    let Ok(stream) = stream.into_std() else { continue };
                    let Some(permit) = limiter.take(free, peer.ip()) else {
                        // Under a flood, connections are closed without a response.
                        if let Some(rejection) = limiter.rejection_permit() {
                            spawn(Box::pin(async move {
                                if let Ok(stream) = TcpStream::from_std(stream) {
                                    wire::reject(stream, &server.ids).await;
                                }
                                drop(rejection);
                            }));
                        }
                        continue;
                    };
                    spawn(Box::pin(async move {
                        if let Ok(stream) = TcpStream::from_std(stream) {
                            server.connection(stream, peer.ip(), stop).await;
                        }
                        drop(permit);
                    }));
                }
                Some(Err(error)) => {
                    // Probably out of file descriptors; retry when others have been closed.
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    async fn finish(&self, connections: &TaskTracker) {
        connections.close();
        if tokio::time::timeout(self.limits.grace, connections.wait()).await.is_err() {
            tracing::warn!(left = connections.len(), "graceful shutdown timed out with open connections");
        }
    }

    async fn connection(self: Arc<Self>, stream: TcpStream, peer: IpAddr, stop: CancellationToken) {
        let _open = metrics::connection();
        let _ = stream.set_nodelay(true);
        // The kernel closes connections that make no progress at all; `slow_readers` closes those that make too
        // little.
        let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(self.limits.write_time));
        slow_readers::prepare(&stream);
        let peer = Client::new(peer, std::iter::empty(), &self.limits.trusted_proxies);
        let shared = Arc::new(Shared::new());
        // Counted per connection, and not among all cores.
        let (server, for_service) = (Arc::new(self.clone()), shared.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (server, shared) = (server.clone(), for_service.clone());
            let length = request.body().size_hint().exact();
            let backticks = shared.service_called(length.map_or(Length::Chunked, Length::Known));
            Box::pin(async move {
                let response = server.respond(request, peer, backticks).await;
                Ok::<_, std::convert::Infallible>(response.map(|body| ResponseBody::new(body, shared)))
            })
        });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_time)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(
                TokioIo::new(RateGuard::new(
                    Wire::new(stream, shared, self.clone()),
                    MinRate::new(self.limits.write_rate, self.limits.write_time),
                )),
                service,
            );
        let mut stopping = pin!(stop.cancelled());
        let mut shutdown_started = false;
        loop {
            tokio::select! {
                // Not `poll_without_shutdown`: it completes before everything is written.
                _ = &mut connection => break,
                () = &mut stopping, if !shutdown_started => {
                    shutdown_started = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        }
        connection.into_parts().io.into_inner().into_inner().close().await;
    }

    /// The client address: that of the peer, or the one that a trusted proxy forwards.
    fn client(&self, peer: Client, headers: &HeaderMap) -> Client {
        if !headers.contains_key(FORWARDED_FOR) {
            return peer;
        }
        if !peer.is_proxy {
            warn_untrusted_proxy(peer.address);
            return peer;
        }
        let forwarded = headers.get_all(FORWARDED_FOR).iter().map(|value| value.to_str().unwrap_or_default());
        Client::new(peer.address, forwarded, &self.limits.trusted_proxies)
    }

    async fn respond(
        &self,
        request: hyper::Request<Incoming>,
        peer: Client,
        backticks: Vec<usize>,
    ) -> Response {
        let started = self.clock.instant();
        let in_flight = metrics::request();
        let span = traces::request(request.headers());
        let request_id = self.ids.of(&request);
        let method = request.method().clone();
        let has_body = !request.body().is_end_stream();
        let mut request: Request = request.map(|body| if has_body { Body::new(body) } else { Body::empty() });
        normalize_path(&mut request, &backticks);
        let uri = request.uri().clone();
        let languages = request.headers().get(header::ACCEPT_LANGUAGE).cloned();
        let refuse = |refusal| self.service.refuse(uri.path(), languages.as_ref(), refusal);
        let client = self.client(peer, request.headers());
        if has_body {
            request.extensions_mut().insert(self.limits.body.clone());
        }
        request.extensions_mut().insert(client);
        let mut response = if has_one_host(&request) {
            let serving = async {
                match &span {
                    None => self.service.call(request).await,
                    Some(span) => span.around(self.service.call(request)).await,
                }
            };
            let served = AssertUnwindSafe(serving).catch_unwind().await;
            served.unwrap_or_else(|_| refuse(Refusal::Panicked))
        } else {
            let mut refusal = refuse(Refusal::Host);
            refusal.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            refusal
        };
        let id = request_id.to_str().unwrap_or_default();
        let routed = response.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let route = routed
            .or_else(|| response.extensions().get::<Route>().map(Route::as_str))
            .unwrap_or(metrics::OTHER);
        if let Some(Cause(cause)) = response.extensions().get::<Cause>() {
            tracing::error!(request_id = id, route, cause, "request failed");
        }
        let took = self.clock.instant().duration_since(started);
        let (status, micros) = (response.status().as_u16(), took.as_micros() as u64);
        // Never log the path or the query: they contain email addresses.
        tracing::info!(request_id = id, %method, route, status, micros, "request");
        in_flight.finish(route, method.as_str(), status, took);
        if let Some(span) = span {
            span.finish(id, route, method.as_str(), status);
        }
        // Every 503, from any face, tells the client when to retry.
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            let headers = response.headers_mut();
            headers.entry(header::RETRY_AFTER).or_insert_with(|| reply::BUSY_SECONDS.into());
        }
        response.headers_mut().insert(REQUEST_ID, request_id);
        response
    }
}

/// An unlisted proxy on another host would make all of its clients share one rate limit.
fn warn_untrusted_proxy(address: IpAddr) {
    static ONCE: std::sync::Once = std::sync::Once::new();
    if is_private(address) {
        ONCE.call_once(|| {
            tracing::warn!(%address, "X-Forwarded-For is ignored: if this is your proxy, list it in trusted_proxies");
        });
    }
}

fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_private() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// RFC 9112, section 3.2. Two `Host` headers are a sign of request smuggling.
fn has_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(_), None) => true,
        (None, _) => request.version() < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

/// Removes a trailing slash from API paths and restores raw backticks.
fn normalize_path(request: &mut Request, backticks: &[usize]) {
    let path = request.uri().path();
    let trailing = path.starts_with("/api/") && path.ends_with('/') && path.len() > "/api/".len();
    if !trailing && backticks.is_empty() {
        return;
    }
    let kept = if trailing { &path[..path.len() - 1] } else { path };
    let mut normalized = String::with_capacity(path.len());
    let mut backticks = backticks.iter().peekable();
    for (nth, part) in kept.split('"').enumerate() {
        if nth > 0 {
            // The quote before this part.
            let is_backtick = backticks.next_if(|backtick| **backtick == nth - 1).is_some();
            normalized.push_str(if is_backtick { "%60" } else { "\"" });
        }
        normalized.push_str(part);
    }
    if let Some(query) = request.uri().query() {
        normalized.push('?');
        normalized.push_str(query);
    }
    if let Ok(uri) = normalized.parse::<Uri>() {
        *request.uri_mut() = uri;
    }
}

/// Request ids: a prefix per process and a counter.
#[derive(Clone)]
struct RequestIds {
    process: u32,
    next: Arc<AtomicU64>,
}

impl RequestIds {
    fn new() -> Self {
        let process = u32::from_str_radix(&crate::app::Ids::new().hex()[..8], 16).unwrap_or_default();
        Self { process, next: Arc::new(AtomicU64::new(1)) }
    }

    /// The id from a proxy in front of us, if it is safe to log, or a new one.
    fn of<B>(&self, request: &hyper::Request<B>) -> HeaderValue {
        let harmless = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=64).contains(&bytes.len())
                && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
        };
        if let Some(given) = request.headers().get(&REQUEST_ID).filter(harmless) {
            return given.clone();
        }
        HeaderValue::from_str(&self.new_id()).unwrap_or_else(|_| HeaderValue::from_static("-"))
    }

    fn new_id(&self) -> String {
        format!("{:08x}-{:x}", self.process, self.next.fetch_add(1, Ordering::Relaxed))
    }
}
