//! The byte stream between the socket and hyper. It does two things that hyper does not let a service do: it gives
//! hyper's own errors for unparsable requests a JSON body, and it lets raw backticks pass the URI parser.
//!
//! Both need to know which request a byte belongs to. Therefore hyper sees one request at a time: no byte of the next
//! request before the previous response is written. Anything that hyper writes while no response is due is its own error
//! response, so responses never have to be searched.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};

use axum::{body::Body, http::StatusCode, response::Response};
use bytes::{Buf, Bytes, BytesMut};
use futures_util::FutureExt;
use http_body_util::{BodyExt, Collected};
use hyper::body::{Frame, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::TcpStream,
};

use super::{
    RequestIds, Server,
    framing::{Framing, Length},
};
use crate::{
    http::{refusal::Refusal, reply},
    telemetry::metrics,
};

/// State shared by the connection and its service. Both run in one task, so the lock is never contended.
pub struct Shared(Mutex<State>);

struct State {
    framing: Framing,
    response: ResponseState,
    /// Wakes hyper when it may read the next request.
    waiting: Option<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ResponseState {
    /// No request is in progress.
    NotDue,
    /// The service has been called.
    Due,
    /// hyper has the whole response, but may not have written it yet.
    Complete,
}

impl State {
    /// Starts the next request once the current one is complete and its response is written.
    fn advance(&mut self) {
        if self.response == ResponseState::NotDue && self.framing.is_over() {
            self.framing.begin_next();
            if let Some(waker) = self.waiting.take() {
                waker.wake();
            }
        }
    }
}

impl Shared {
    pub fn new() -> Self {
        Self(Mutex::new(State { framing: Framing::new(), response: ResponseState::NotDue, waiting: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The service is called. Returns which of the quotes in the path were backticks, counted from 0.
    pub fn service_called(&self, length: Length) -> Vec<usize> {
        let mut state = self.state();
        state.response = ResponseState::Due;
        state.framing.begin_body(length)
    }
}

/// The body of a response. hyper drops it once it has all of it, or when the connection is lost.
pub struct ResponseBody {
    body: Body,
    shared: Arc<Shared>,
}

impl ResponseBody {
    pub fn new(body: Body, shared: Arc<Shared>) -> Self {
        Self { body, shared }
    }
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.shared.state().response = ResponseState::Complete;
    }
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

pub struct Wire {
    stream: TcpStream,
    shared: Arc<Shared>,
    server: Arc<Server>,
    /// Bytes received of later requests.
    held: BytesMut,
    /// The status of hyper's own error. It is written when hyper is done.
    refusal: Option<u16>,
}

/// The limit of hyper's URI type.
const MAX_REQUEST_LINE: usize = 65_534;
/// The read size while hyper waits for the response.
const READ_AHEAD: usize = 1024;
/// Timeout for writing an error.
const ERROR_WRITE_TIMEOUT: Duration = Duration::from_secs(5);

impl Wire {
    pub fn new(stream: TcpStream, shared: Arc<Shared>, server: Arc<Server>) -> Self {
        Self { stream, shared, server, held: BytesMut::new(), refusal: None }
    }

    /// Closes the connection when hyper is done with it.
    pub async fn close(mut self) {
        if let Some(text) = self.refusal.map(|status| self.refusal_text(status)) {
            let _ = tokio::time::timeout(ERROR_WRITE_TIMEOUT, self.stream.write_all(text.as_bytes())).await;
        }
        let is_sending = !self.held.is_empty() || self.shared.state().framing.is_in_body();
        if self.refusal.is_some() || is_sending {
            linger(self.stream).await;
        } else {
            let _ = self.stream.shutdown().await;
        }
    }

    fn refusal_text(&self, status: u16) -> String {
        let state = self.shared.state();
        let refusal = match status {
            _ if state.framing.line().len() > MAX_REQUEST_LINE => Refusal::UriTooLong,
            414 => Refusal::UriTooLong,
            431 => Refusal::HeadTooLarge,
            _ => Refusal::Malformed,
        };
        text(&self.server.ids, self.server.service.refuse(&state.framing.line().path(), None, refusal))
    }

    /// Reads while hyper must not see more, to detect a disconnect. A client that has already sent its next request
    /// is assumed to be connected.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.held.is_empty() {
            let mut ahead = [0; READ_AHEAD];
            let mut buffer = ReadBuf::new(&mut ahead);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            if buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
            self.held.extend_from_slice(buffer.filled());
        }
        self.shared.state().waiting = Some(cx.waker().clone());
        Poll::Pending
    }

    /// All writes pass through here.
    fn write_with(
        &mut self,
        cx: &mut Context<'_>,
        start: &[u8],
        whole: usize,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.shared.state().response != ResponseState::NotDue {
            return write(Pin::new(&mut self.stream), cx);
        }
        let status = start.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
        self.refusal.get_or_insert(status.unwrap_or(400));
        Poll::Ready(Ok(whole))
    }
}

/// A complete response to bytes that did not become a request, ready to be written to the socket.
fn text(ids: &RequestIds, response: Response) -> String {
    let (request_id, status) = (ids.new_id(), response.status());
    metrics::unreadable(status.as_u16());
    tracing::info!(request_id, route = "unreadable", status = status.as_u16(), "request");
    let mut head = format!("HTTP/1.1 {status}\r\n");
    for (name, value) in response.headers() {
        head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    // Such a body is available immediately.
    let body = response.into_body().collect().now_or_never().and_then(Result::ok);
    let body = body.map(Collected::to_bytes).unwrap_or_default();
    format!(
        "{head}connection: close\r\nx-request-id: {request_id}\r\ncontent-length: {}\r\n\r\n{}",
        body.len(),
        String::from_utf8_lossy(&body)
    )
}

/// Tells a client that its address has too many connections.
pub async fn reject(mut stream: TcpStream, ids: &RequestIds) {
    let message = "Service Unavailable: too many connections from this address";
    let response = reply::message(StatusCode::SERVICE_UNAVAILABLE, message);
    let text = text(ids, reply::with_retry_after(response, reply::BUSY_SECONDS));
    let _ = tokio::time::timeout(ERROR_WRITE_TIMEOUT, stream.write_all(text.as_bytes())).await;
    linger(stream).await;
}

/// Closes a connection on which the client may still be sending. Closing it with unread data would reset it, and the
/// client could lose the response.
pub async fn linger(mut stream: TcpStream) {
    const IDLE_LIMIT: Duration = Duration::from_secs(2);
    const TOTAL_LIMIT: Duration = Duration::from_secs(10);
    let _ = stream.shutdown().await;
    let mut discarded = [0; 16 * 1024];
    let drain = async {
        while matches!(tokio::time::timeout(IDLE_LIMIT, stream.read(&mut discarded)).await, Ok(Ok(1..))) {}
    };
    let _ = tokio::time::timeout(TOTAL_LIMIT, drain).await;
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = &mut *self;
        {
            let state = wire.shared.state();
            if state.framing.is_over() {
                drop(state);
                return wire.poll_ahead(cx);
            }
            if state.framing.is_at_head_end() {
                // hyper considers a complete head incomplete. That should be impossible; guessing would risk request
                // smuggling.
                wire.refusal.get_or_insert(400);
                return Poll::Ready(Ok(()));
            }
        }
        if wire.held.is_empty() {
            let before = buf.filled().len();
            ready!(Pin::new(&mut wire.stream).poll_read(cx, buf))?;
            let bytes = &mut buf.filled_mut()[before..];
            let mut state = wire.shared.state();
            let shown = state.framing.scan(bytes);
            wire.held.extend_from_slice(&bytes[shown..]);
            state.advance();
            buf.set_filled(before + shown);
        } else {
            let count = wire.held.len().min(buf.remaining());
            let mut state = wire.shared.state();
            let shown = state.framing.scan(&mut wire.held[..count]);
            buf.put_slice(&wire.held[..shown]);
            wire.held.advance(shown);
            state.advance();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.write_with(cx, buf, buf.len(), |stream, cx| stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let start = bufs.first().map_or(&[] as &[u8], |first| first);
        let whole = bufs.iter().map(|buf| buf.len()).sum();
        self.write_with(cx, start, whole, |stream, cx| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes only after it has handed over everything.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
        let mut state = self.shared.state();
        if state.response == ResponseState::Complete {
            state.response = ResponseState::NotDue;
            state.advance();
        }
        Poll::Ready(Ok(()))
    }

    /// hyper has written everything. `close` shuts the connection down, because it may have to write an error.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
