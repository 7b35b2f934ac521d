//! The HTTP server: accepts connections, keeps slow and broken clients from hurting others, gives every request an id,
//! and finishes what is under way when it is told to stop.

mod cores;
mod framing;
mod pace;
mod places;
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
        reply::{Cause, Route},
        service::Shared as Service,
    },
    telemetry::{metrics, traces},
};
use cores::Cores;
use framing::Length;
use pace::{Pace, Paced};
use places::Places;
use wire::{AnswerBody, Shared, Wire};

#[derive(Debug, Clone)]
pub struct Limits {
    pub body: BodyLimits,
    /// For the head of a request, and for the pause before the next one.
    pub head_time: Duration,
    /// For a client to take the next piece of an answer.
    pub write_time: Duration,
    /// Bytes a second that a client must take of an answer at least, on average over `write_time`; 0 for any.
    pub write_rate: u64,
    pub connections: usize,
    /// Of those, for one address that is no trusted proxy's. `None` for half of them.
    pub connections_per_address: Option<usize>,
    pub trusted_proxies: TrustedProxies,
    /// For requests under way when the server is told to stop.
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
/// In seconds.
const SOON: HeaderValue = HeaderValue::from_static("1");
/// The longest request line is a little less than 64 KB; headers come on top.
const HEAD_BYTES: usize = 128 * 1024;

struct Server {
    service: Service,
    limits: Limits,
    ids: RequestIds,
    clock: Clock,
}

/// Serves until `stop` is cancelled, and then until everything under way is answered or the grace is over.
pub async fn run(listener: TcpListener, service: Service, limits: Limits, stop: CancellationToken) {
    let server = Arc::new(Server::new(service, limits));
    let connections = TaskTracker::new();
    let cores = match Cores::start() {
        Ok(cores) => cores,
        Err(error) => {
            tracing::error!(%error, "no threads to serve with");
            return;
        }
    };
    server.accept(listener, &stop, |connection| cores.spawn(&connections, connection)).await;
    server.finish(&connections).await;
    // Joining its threads waits for a moment, which a runtime must not.
    let _ = tokio::task::spawn_blocking(move || drop(cores)).await;
}

/// The same for a door at the side, through which few come: on the runtime that is there.
pub async fn run_beside(listener: TcpListener, service: Service, limits: Limits, stop: CancellationToken) {
    let server = Arc::new(Server::new(service, limits));
    let connections = TaskTracker::new();
    server.accept(listener, &stop, |connection| drop(connections.spawn(connection))).await;
    server.finish(&connections).await;
}

impl Server {
    fn new(service: Service, limits: Limits) -> Self {
        Self { service, limits, ids: RequestIds::new(), clock: Clock::system() }
    }

    /// Takes connections until it is told to stop.
    async fn accept(
        self: &Arc<Self>,
        listener: TcpListener,
        stop: &CancellationToken,
        spawn: impl Fn(BoxFuture<'static, ()>),
    ) {
        let places = Places::new(&self.limits);
        loop {
            let Some(Some(free)) = stop.run_until_cancelled(places.free()).await else { break };
            match stop.run_until_cancelled(listener.accept()).await {
                None => break,
                Some(Ok((stream, peer))) => {
                    let (server, stop) = (self.clone(), stop.clone());
                    // It belongs to the runtime that accepted it, and changes over to that of its core.
                    let Ok(stream) = stream.into_std() else { continue };
                    let Some(place) = places.take(free, peer.ip()) else {
                        // When very many are to be told, they are not.
                        if let Some(telling) = places.telling() {
                            spawn(Box::pin(async move {
                                if let Ok(stream) = TcpStream::from_std(stream) {
                                    wire::turn_away(stream, &server.ids).await;
                                }
                                drop(telling);
                            }));
                        }
                        continue;
                    };
                    spawn(Box::pin(async move {
                        if let Ok(stream) = TcpStream::from_std(stream) {
                            server.connection(stream, peer.ip(), stop).await;
                        }
                        drop(place);
                    }));
                }
                Some(Err(error)) => {
                    // Out of file handles, most likely: others will be closed soon.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            }
        }
    }

    async fn finish(&self, connections: &TaskTracker) {
        connections.close();
        if tokio::time::timeout(self.limits.grace, connections.wait()).await.is_err() {
            tracing::warn!(left = connections.len(), "stopped before every request was answered");
        }
    }

    async fn connection(self: Arc<Self>, stream: TcpStream, peer: IpAddr, stop: CancellationToken) {
        let _open = metrics::connection();
        let _ = stream.set_nodelay(true);
        // The kernel gives up on a client that takes nothing for so long, and `pace` on one that takes too little.
        let _ = SockRef::from(&stream).set_tcp_user_timeout(Some(self.limits.write_time));
        pace::prepare(&stream);
        let peer = Client::new(peer, std::iter::empty(), &self.limits.trusted_proxies);
        let shared = Arc::new(Shared::new());
        let (server, for_service) = (self.clone(), shared.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let (server, shared) = (server.clone(), for_service.clone());
            let length = request.body().size_hint().exact();
            let backticks = shared.called(length.map_or(Length::Chunked, Length::Known));
            Box::pin(async move {
                let response = server.answer(request, peer, backticks).await;
                Ok::<_, std::convert::Infallible>(response.map(|body| AnswerBody::new(body, shared)))
            })
        });
        let mut connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head_time)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(
                TokioIo::new(Paced::new(
                    Wire::new(stream, shared, self.clone()),
                    Pace::new(self.limits.write_rate, self.limits.write_time),
                )),
                service,
            );
        let mut stopping = pin!(stop.cancelled());
        let mut told = false;
        loop {
            tokio::select! {
                // Not `poll_without_shutdown`: that is done before everything is written.
                _ = &mut connection => break,
                () = &mut stopping, if !told => {
                    told = true;
                    Pin::new(&mut connection).graceful_shutdown();
                }
            }
        }
        connection.into_parts().io.into_inner().into_inner().close().await;
    }

    /// Who asks, when a proxy may ask for somebody.
    fn client(&self, peer: Client, headers: &HeaderMap) -> Client {
        if !headers.contains_key(FORWARDED_FOR) {
            return peer;
        }
        if !peer.is_proxy {
            warn_of_proxy(peer.address);
            return peer;
        }
        let told = headers.get_all(FORWARDED_FOR).iter().map(|value| value.to_str().unwrap_or_default());
        Client::new(peer.address, told, &self.limits.trusted_proxies)
    }

    async fn answer(
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
        let mut request: Request = request.map(Body::new);
        mend_path(&mut request, &backticks);
        let uri = request.uri().clone();
        let refuse = |refusal| self.service.refuse(uri.path(), refusal);
        let client = self.client(peer, request.headers());
        request.extensions_mut().insert(self.limits.body.clone());
        request.extensions_mut().insert(client);
        let mut response = if names_one_host(&request) {
            let answering = async {
                match &span {
                    None => self.service.call(request).await,
                    Some(span) => span.around(self.service.call(request)).await,
                }
            };
            let answered = AssertUnwindSafe(answering).catch_unwind().await;
            answered.unwrap_or_else(|_| refuse(Refusal::Panicked))
        } else {
            let mut refusal = refuse(Refusal::Host);
            refusal.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            refusal
        };
        let id = request_id.to_str().unwrap_or_default();
        let routed = response.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        let route = routed
            .or_else(|| response.extensions().get::<Route>().map(|route| route.0))
            .unwrap_or(metrics::OTHER);
        if let Some(Cause(cause)) = response.extensions().get::<Cause>() {
            tracing::error!(request_id = id, route, cause, "request failed");
        }
        let took = self.clock.instant().duration_since(started);
        let (status, micros) = (response.status().as_u16(), took.as_micros() as u64);
        // Never the path or the query: they hold people's emails.
        tracing::info!(request_id = id, %method, route, status, micros, "request");
        in_flight.answered(route, method.as_str(), status, took);
        if let Some(span) = span {
            span.answered(id, route, method.as_str(), status);
        }
        // Whoever answers so, an API or a page, the client is to know when it is worth asking again.
        if response.status() == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().entry(header::RETRY_AFTER).or_insert(SOON);
        }
        response.headers_mut().insert(REQUEST_ID, request_id);
        response
    }
}

/// Whoever runs a proxy on another machine has to say so, or all of its clients are counted as one.
fn warn_of_proxy(address: IpAddr) {
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

/// RFC 9112, section 3.2. Whoever sends two may want a proxy and us to believe different ones.
fn names_one_host(request: &Request) -> bool {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(_), None) => true,
        (None, _) => request.version() < Version::HTTP_11,
        (Some(_), Some(_)) => false,
    }
}

/// One trailing slash is ignored on every API path, and raw backticks are what the client meant by them.
fn mend_path(request: &mut Request, backticks: &[usize]) {
    let path = request.uri().path();
    let trailing = path.starts_with("/api/") && path.ends_with('/') && path.len() > "/api/".len();
    if !trailing && backticks.is_empty() {
        return;
    }
    let kept = if trailing { &path[..path.len() - 1] } else { path };
    let mut mended = String::with_capacity(path.len());
    let mut backticks = backticks.iter().peekable();
    for (nth, part) in kept.split('"').enumerate() {
        if nth > 0 {
            // This quote is the one before this part.
            let is_backtick = backticks.next_if(|backtick| **backtick == nth - 1).is_some();
            mended.push_str(if is_backtick { "%60" } else { "\"" });
        }
        mended.push_str(part);
    }
    if let Some(query) = request.uri().query() {
        mended.push('?');
        mended.push_str(query);
    }
    if let Ok(uri) = mended.parse::<Uri>() {
        *request.uri_mut() = uri;
    }
}

/// Ids that a reader of logs can tell apart: a part for the process, a part for the request.
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

    /// The one that a proxy in front of us has given, when it is harmless, or a new one.
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
