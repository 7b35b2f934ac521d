//! A connection's bytes on their way to and from hyper. Two things must be done here, because hyper does not let a
//! service do them: give its own refusals a JSON body, and let a raw backtick through its URI parser.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use super::RequestIds;
use crate::{api::legacy::Version, telemetry::metrics};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::TcpStream,
};

/// What the connection and its service tell each other. Both run in one task, so nothing here ever waits.
pub struct Shared(Mutex<State>);

struct State {
    /// The next byte begins a request.
    expect_head: bool,
    /// How much of the request line has been seen.
    line_bytes: usize,
    /// Its beginning, which says whose refusal it would be.
    line_start: [u8; LINE_START],
    /// Where in it raw backticks stood.
    backticks: Vec<usize>,
    /// The service has made an answer that has not been written yet.
    answered: bool,
}

impl Shared {
    pub fn new() -> Self {
        Self(Mutex::new(State {
            expect_head: true,
            line_bytes: 0,
            line_start: [0; LINE_START],
            backticks: Vec::new(),
            answered: false,
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The service is done with a request: its answer comes next, and then another request.
    pub fn answered(&self) {
        let mut state = self.state();
        (state.answered, state.expect_head, state.line_bytes) = (true, true, 0);
    }

    pub fn take_backticks(&self) -> Vec<usize> {
        std::mem::take(&mut self.state().backticks)
    }
}

pub struct Wire {
    stream: TcpStream,
    shared: Arc<Shared>,
    ids: RequestIds,
    in_query: bool,
    /// Stands in for a refusal of hyper's own, and how much of it has been sent.
    refusal: Option<(Vec<u8>, usize)>,
    refused: bool,
}

/// As much as tells the version of a path.
const LINE_START: usize = 48;

/// Versions 3 and 2 have another shape of errors, which any page may read.
fn is_legacy(line_start: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line_start);
    let path = line.split(' ').nth(1).and_then(|target| target.split('?').next());
    path.and_then(Version::of).is_some()
}

/// Where hyper's URI type ends.
const LONGEST_LINE: usize = 65_534;

impl Wire {
    pub fn new(stream: TcpStream, shared: Arc<Shared>, ids: RequestIds) -> Self {
        Self { stream, shared, ids, in_query: false, refusal: None, refused: false }
    }

    /// Reads what a refused client is still sending, for a moment, so that it gets to read the answer: closing on
    /// unread bytes would reset the connection.
    pub async fn close(mut self) {
        let _ = self.stream.shutdown().await;
        if !self.refused {
            return;
        }
        let mut thrown_away = [0; 16 * 1024];
        let drain = async { while matches!(self.stream.read(&mut thrown_away).await, Ok(1..)) {} };
        let _ = tokio::time::timeout(Duration::from_secs(2), drain).await;
    }

    /// Looks at a request line as it arrives. `http` refuses a backtick in a path, and real clients send them: a quote
    /// passes in its place, and the service is told where.
    fn look_at_line(&mut self, bytes: &mut [u8]) {
        let mut state = self.shared.state();
        if !state.expect_head {
            return;
        }
        for byte in bytes {
            match *byte {
                b'\n' if state.line_bytes > 1 => {
                    state.expect_head = false;
                    self.in_query = false;
                    return;
                }
                b'?' => self.in_query = true,
                b'`' if !self.in_query => {
                    *byte = b'"';
                    let at = state.line_bytes;
                    state.backticks.push(at);
                }
                _ => {}
            }
            let at = state.line_bytes;
            if let Some(place) = state.line_start.get_mut(at) {
                *place = *byte;
            }
            state.line_bytes += 1;
        }
    }

    /// What begins like an answer and was not made by the service is a refusal of hyper's own, without a body.
    fn stand_in(&self, head: &[u8]) -> Option<Vec<u8>> {
        let mut state = self.shared.state();
        if std::mem::take(&mut state.answered)
            || !head.starts_with(b"HTTP/1.")
            || head.get(8..10) != Some(b" 4")
        {
            return None;
        }
        let too_long = state.line_bytes > LONGEST_LINE;
        let (status, message) = match head.get(9..12) {
            _ if too_long => (
                "414 URI Too Long",
                "URI Too Long: a request line may have 64 KB at most; send the lists in a POST",
            ),
            Some(b"414") => (
                "414 URI Too Long",
                "URI Too Long: a request line may have 64 KB at most; send the lists in a POST",
            ),
            Some(b"431") => ("431 Request Header Fields Too Large", "Request Header Fields Too Large"),
            Some(b"408") => ("408 Request Timeout", "Request Timeout"),
            _ => ("400 Bad Request", "Bad Request"),
        };
        let (request_id, number) = (self.ids.new_id(), status[..3].parse().unwrap_or(400));
        metrics::unreadable(number);
        tracing::info!(request_id, route = "unreadable", status = number, "request");
        let start = &state.line_start[..state.line_bytes.min(LINE_START)];
        let (result, open) = match is_legacy(start) {
            true => ("\"result\":\"error\",", "access-control-allow-origin: *\r\n"),
            false => ("", ""),
        };
        let body = format!("{{{result}\"message\":\"{message}\"}}");
        let text = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json; charset=utf-8\r\ncache-control: no-store\r\n\
             x-content-type-options: nosniff\r\nconnection: close\r\n{open}\
             x-request-id: {request_id}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Some(text.into_bytes())
    }

    fn send_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some((bytes, sent)) = &mut self.refusal {
            if *sent == bytes.len() {
                self.refusal = None;
                self.refused = true;
                break;
            }
            *sent += ready!(Pin::new(&mut self.stream).poll_write(cx, &bytes[*sent..]))?;
        }
        Poll::Ready(Ok(()))
    }

    fn write_with(
        &mut self,
        cx: &mut Context<'_>,
        head: &[u8],
        whole: usize,
        write: impl FnOnce(Pin<&mut TcpStream>, &mut Context<'_>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() {
            self.refusal = self.stand_in(head).map(|bytes| (bytes, 0));
        }
        if self.refusal.is_some() {
            self.send_refusal(cx).map_ok(|()| whole)
        } else {
            write(Pin::new(&mut self.stream), cx)
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        self.look_at_line(&mut buf.filled_mut()[before..]);
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
        let head = bufs.first().map_or(&[] as &[u8], |first| first);
        let whole = bufs.iter().map(|buf| buf.len()).sum();
        self.write_with(cx, head, whole, |stream, cx| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
