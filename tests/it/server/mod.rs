//! The HTTP server itself, tested with raw bytes.

mod bodies;
mod clients;
mod health;
mod kept_answers;
mod neighbors;
mod panics;
mod protocol;
mod streams;
mod wire;

use std::time::Duration;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::support::World;

/// A connection on which a test sends arbitrary bytes.
struct Wire {
    stream: TcpStream,
    /// Bytes that were read and belong to the next response.
    rest: Vec<u8>,
}

/// One response, unparsed.
#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl Reply {
    /// The only response in these bytes.
    fn read(bytes: &[u8]) -> Self {
        let (reply, rest) = Self::split(bytes, "GET");
        assert!(rest.is_empty(), "{} bytes behind the answer", rest.len());
        reply
    }

    /// The first response in these bytes, and the rest.
    fn split<'a>(bytes: &'a [u8], method: &str) -> (Self, &'a [u8]) {
        let end = bytes.windows(4).position(|part| part == b"\r\n\r\n").expect("a head") + 4;
        let (head, mut rest) = bytes.split_at(end);
        let head = String::from_utf8(head.to_vec()).unwrap();
        let mut reply = Self { status: head[9..12].parse().unwrap(), head, body: Vec::new() };
        if method == "HEAD" {
            return (reply, rest);
        }
        if reply.header("transfer-encoding") != Some("chunked") {
            let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
            let (body, rest) = rest.split_at(length);
            reply.body = body.to_vec();
            return (reply, rest);
        }
        loop {
            let end = rest.iter().position(|byte| *byte == b'\n').expect("the size of a chunk");
            let size = std::str::from_utf8(&rest[..end]).unwrap().trim();
            let size = usize::from_str_radix(size, 16).expect("the size of a chunk");
            reply.body.extend_from_slice(&rest[end + 1..][..size]);
            rest = &rest[end + 1 + size + 2..];
            if size == 0 {
                return (reply, rest);
            }
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json; charset=utf-8"), "{}", self.head);
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {:?}", self.body))
    }

    /// An error response with a message.
    fn refuses(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.head);
        self.json()["message"].as_str().unwrap().to_owned()
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

impl Wire {
    async fn to(world: &World) -> Self {
        let stream = TcpStream::connect(world.base.trim_start_matches("http://")).await.unwrap();
        Self { stream, rest: Vec::new() }
    }

    /// From another loopback address.
    async fn from(world: &World, address: &str) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
        let stream = socket.connect(world.base.trim_start_matches("http://").parse().unwrap()).await.unwrap();
        Self { stream, rest: Vec::new() }
    }

    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Reads more bytes into `rest`; false at the end, or when the peer has disconnected.
    async fn more(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        match tokio::time::timeout(PATIENCE, self.stream.read(&mut bytes)).await.expect("the server answers")
        {
            Ok(count) => {
                self.rest.extend_from_slice(&bytes[..count]);
                count > 0
            }
            Err(_) => false,
        }
    }

    async fn head(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.rest.windows(4).position(|part| part == b"\r\n\r\n") {
                let head: Vec<u8> = self.rest.drain(..end + 4).collect();
                return Some(String::from_utf8(head).unwrap());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// The next response, with a Content-Length or in chunks.
    async fn reply(&mut self) -> Reply {
        self.reply_to("GET").await.expect("an answer")
    }

    async fn reply_to(&mut self, method: &str) -> Option<Reply> {
        let head = self.head().await?;
        let status = head[9..12].parse().unwrap();
        let mut reply = Reply { status, head, body: Vec::new() };
        if method == "HEAD" || status == 204 || status < 200 {
            return Some(reply);
        }
        if reply.header("transfer-encoding") == Some("chunked") {
            loop {
                let line = self.until_line_end().await;
                let size = usize::from_str_radix(line.trim(), 16).unwrap();
                let chunk = self.exactly(size + 2).await;
                reply.body.extend_from_slice(&chunk[..size]);
                if size == 0 {
                    return Some(reply);
                }
            }
        }
        let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
        reply.body = self.exactly(length).await;
        Some(reply)
    }

    async fn until_line_end(&mut self) -> String {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                return String::from_utf8(self.rest.drain(..=end).collect()).unwrap();
            }
            assert!(self.more().await, "cut off in the middle");
        }
    }

    async fn exactly(&mut self, count: usize) -> Vec<u8> {
        while self.rest.len() < count {
            assert!(self.more().await, "cut off in the middle");
        }
        self.rest.drain(..count).collect()
    }

    /// Has the server closed the connection without sending more?
    async fn is_closed(&mut self) -> bool {
        self.rest.is_empty() && !self.more().await
    }
}

/// The head of a request with this world's token.
fn request(world: &World, line: &str, headers: &[&str]) -> String {
    request_as(&world.token, line, headers)
}

fn request_as(token: &str, line: &str, headers: &[&str]) -> String {
    let mut head = format!("{line}\r\nHost: x\r\nAuthorization: {token}\r\n");
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    head
}

fn person(world: &World, email: &str) -> String {
    let participant = serde_json::json!({ "first_name": "Ana", "email": email });
    serde_json::json!({ "name_page_id": world.page.slug, "participant": participant }).to_string()
}
