//! The layer between the socket and hyper: requests arrive in pieces, pipelined and early, are answered in order, and
//! no bytes are misinterpreted.

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::HeaderValue,
    response::Response,
};
use endonym::{
    http::{refusal::Refusal, reply, service::Service},
    server::{self, Limits},
};
use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use http_body_util::BodyExt;
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::Runtime,
};
use tokio_util::sync::CancellationToken;

use super::{Reply, Wire, clients::narrow, person, request};
use crate::support::{World, database::execute};

const CREATE: &str = "POST /api/private/v5/participants HTTP/1.1";
const LIST: &str = "GET /api/private/v5/participants?updated_after=2020-01-01T00:00:00Z HTTP/1.1";

/// Looks like the start of one of hyper's error responses, and like a request.
const FAKE: &str = "HTTP/1.1 400 Bad Request\r\n\r\nGET /`x` HTTP/1.1\r\n\r\n";

/// The whole response, read so slowly that it is written in many pieces.
async fn read_slowly(stream: &mut TcpStream) -> Vec<u8> {
    let (mut whole, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        whole.extend_from_slice(&buffer[..count]);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    whole
}

#[tokio::test]
async fn notes_that_look_like_a_refusal_reach_a_slow_reader_as_they_are() {
    let world = World::on_sqlite().await;
    let notes = "HTTP/1.1 4".repeat(900);
    world.crowd_with_notes(&world.page, 0..300, &notes).await;
    execute(&world.app.db, "UPDATE participants SET first_name = 'HTTP/1.1 404'", Vec::new()).await;
    for round in 0..3 {
        let mut stream = narrow(&world).await;
        stream.write_all(request(&world, LIST, &["Connection: close"]).as_bytes()).await.unwrap();
        let whole = read_slowly(&mut stream).await;
        let reply = Reply::read(&whole);
        let people = reply.json()["Response"]["participants"].as_array().unwrap().clone();
        assert_eq!(people.len(), 300, "round {round}");
        assert!(people.iter().all(|person| person["notes"] == notes.as_str()), "round {round}");
    }
}

#[tokio::test]
async fn backticks_in_the_body_of_a_pipelined_request_stay_backticks() {
    let world = World::on_sqlite().await;
    let mut wire = Wire::to(&world).await;
    // As quotes, they would end the string and add a key.
    let notes = "`,`first_name`:`Mallory`,`x`:`";
    let create = |email: &str| {
        let participant = json!({ "first_name": "Ana", "email": email, "notes": notes });
        let body = json!({ "name_page_id": world.page.slug, "participant": participant }).to_string();
        request(&world, CREATE, &[&format!("Content-Length: {}", body.len())]) + &body
    };
    wire.send([create("a@example.edu"), create("b@example.edu"), create("c@example.edu")].concat()).await;
    for _ in 0..3 {
        let made = wire.reply().await.json()["participant"].clone();
        assert_eq!((&made["first_name"], &made["notes"]), (&json!("Ana"), &json!(notes)));
    }
}

#[tokio::test]
async fn a_refusal_comes_after_the_answers_before_it() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@example.edu").await;
    let ask = request(&world, "GET /api/private/v4/participants/ana@example.edu HTTP/1.1", &[]);
    let mut wire = Wire::to(&world).await;
    wire.send([&ask, &ask, "GET / HTTP/9.9\r\n\r\n"].concat()).await;
    assert_eq!(wire.reply().await.status, 200);
    assert_eq!(wire.reply().await.status, 200);
    assert_eq!(wire.reply().await.refuses(400), "Bad Request");
    assert!(wire.is_closed().await);
}

#[tokio::test]
async fn a_refused_client_that_is_still_sending_gets_to_read_the_answer() {
    let world = World::on_sqlite().await;
    let big = vec![b'x'; 8_000_000];
    for line in ["POST /nowhere HTTP/1.1", "POST /lti/launch HTTP/1.1", "DELETE / HTTP/1.1"] {
        let stream = TcpStream::connect(world.base.trim_start_matches("http://")).await.unwrap();
        let (mut reader, mut writer) = stream.into_split();
        let head = request(&world, line, &[&format!("Content-Length: {}", big.len())]);
        let big = big.clone();
        let sending = tokio::spawn(async move {
            writer.write_all(head.as_bytes()).await.unwrap();
            writer.write_all(&big).await.map(|()| writer)
        });
        let _open_until_now = sending.await.unwrap().expect("all of it could be sent");
        let mut answer = Vec::new();
        reader.read_to_end(&mut answer).await.expect("an answer and no reset");
        assert!(answer.starts_with(b"HTTP/1.1 4"), "{line}: {}", String::from_utf8_lossy(&answer));
    }
}

/// A client that uses the connection in legal but unusual ways.
#[derive(Debug, Clone)]
struct Asked {
    method: &'static str,
    path: String,
    body: Sent,
    /// The length of the response, after an echo of the request.
    filler: usize,
    answer_in_chunks: bool,
}

#[derive(Debug, Clone)]
enum Sent {
    None,
    Whole(Vec<u8>),
    Chunks(Vec<Vec<u8>>),
}

impl Sent {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::None => Vec::new(),
            Self::Whole(bytes) => bytes.clone(),
            Self::Chunks(chunks) => chunks.concat(),
        }
    }
}

impl Asked {
    fn on_the_wire(&self) -> Vec<u8> {
        let Self { method, path, filler, answer_in_chunks, .. } = self;
        let mut head = format!(
            "{method} {path}?`=`&n={filler} HTTP/1.1\r\nHost: x\r\nX-Note: `\r\nX-Chunks: {answer_in_chunks}\r\n"
        );
        let body = match &self.body {
            Sent::None => Vec::new(),
            Sent::Whole(bytes) => {
                head.push_str(&format!("Content-Length: {}\r\n", bytes.len()));
                bytes.clone()
            }
            Sent::Chunks(chunks) => {
                head.push_str("Transfer-Encoding: chunked\r\n");
                let mut bytes = Vec::new();
                for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
                    bytes.extend(format!("{:x};note=`\r\n", chunk.len()).bytes());
                    bytes.extend_from_slice(chunk);
                    bytes.extend_from_slice(b"\r\n");
                }
                bytes.extend_from_slice(b"0\r\nX-Trailer: `\r\n\r\n");
                bytes
            }
        };
        [head.as_bytes(), b"\r\n", &body].concat()
    }

    fn answer(&self) -> Vec<u8> {
        echo(&self.path.replace('`', "%60"), &self.body.bytes(), self.filler)
    }
}

/// Echoes the request, and much more that looks like something else.
fn echo(path: &str, body: &[u8], filler: usize) -> Vec<u8> {
    let filler: Vec<u8> = FAKE.bytes().cycle().take(filler).collect();
    [path.as_bytes(), b"\n", body, &filler].concat()
}

async fn answer(request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let query = parts.uri.query().unwrap_or_default();
    let filler = query.rsplit_once("n=").map_or(0, |(_, n)| n.parse().unwrap());
    let whole = echo(parts.uri.path(), &body, filler);
    if parts.headers.get("x-chunks").is_some_and(|value| value == "true") {
        let pieces: Vec<_> =
            whole.chunks(5_000).map(|piece| Ok::<_, axum::Error>(Bytes::copy_from_slice(piece))).collect();
        Response::new(Body::from_stream(futures_util::stream::iter(pieces).then(async |piece| {
            tokio::task::yield_now().await;
            piece
        })))
    } else {
        Response::new(Body::from(whole))
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let text = || {
        prop_oneof![
            Just(FAKE.as_bytes().to_vec()),
            Just(b"0\r\n\r\nGET /` HTTP/1.1\r\nHost: x\r\n\r\n".to_vec()),
            Just(b"`".repeat(30)),
            proptest::collection::vec(any::<u8>(), 0..300),
            Just(FAKE.repeat(400).into_bytes()),
        ]
    };
    let body = prop_oneof![
        Just(Sent::None),
        text().prop_map(Sent::Whole),
        proptest::collection::vec(text(), 0..5).prop_map(Sent::Chunks),
    ];
    let filler = prop_oneof![3 => 0_usize..500, 1 => 100_000_usize..600_000];
    (
        prop_oneof![Just("POST"), Just("PUT"), Just("GET"), Just("HEAD")],
        "/[a-z`\"]{0,12}",
        body,
        filler,
        any::<bool>(),
    )
        .prop_map(|(method, path, body, filler, answer_in_chunks)| Asked {
            method,
            path,
            body,
            filler,
            answer_in_chunks,
        })
}

/// How a client sends and reads: sizes of pieces, and pauses between them.
type Pace = Vec<(usize, bool)>;

fn pace(most: usize) -> impl Strategy<Value = Pace> {
    proptest::collection::vec((1..most, any::<bool>()), 1..8)
}

struct Echo;

impl Service for Echo {
    fn call(&self, request: Request) -> BoxFuture<'static, Response> {
        answer(request).boxed()
    }

    fn refuse(&self, _: &str, _: Option<&HeaderValue>, refusal: Refusal) -> Response {
        reply::message(refusal.status(), refusal.message())
    }
}

#[test]
fn whatever_is_sent_however_it_is_split_the_answers_are_those_to_it() {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
    let stop = CancellationToken::new();
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    RUNTIME.spawn(server::run(listener, Arc::new(Echo), Limits::default(), stop.clone()));
    let all = (proptest::collection::vec(asked(), 1..7), pace(3_000), pace(60_000), any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 120, failure_persistence: None, ..Config::default() });
    let ran = runner.run(&all, |(asked, sending, reading, ends_in_nonsense)| {
        RUNTIME.block_on(converse(address, asked, sending, reading, ends_in_nonsense));
        Ok(())
    });
    stop.cancel();
    ran.unwrap();
}

async fn converse(
    address: std::net::SocketAddr,
    asked: Vec<Asked>,
    sending: Pace,
    reading: Pace,
    ends_in_nonsense: bool,
) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(64 * 1024).unwrap();
    let (mut reader, mut writer) = socket.connect(address).await.unwrap().into_split();
    let mut bytes: Vec<u8> = asked.iter().flat_map(Asked::on_the_wire).collect();
    if ends_in_nonsense {
        bytes.extend_from_slice(b"nonsense `\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
    } else {
        bytes.extend_from_slice(b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    }
    let sender = tokio::spawn(async move {
        let (mut rest, mut paces) = (bytes.as_slice(), sending.iter().cycle());
        while !rest.is_empty() {
            let (size, pauses) = paces.next().unwrap();
            let (part, behind) = rest.split_at(rest.len().min(*size));
            writer.write_all(part).await.unwrap();
            if *pauses {
                tokio::time::sleep(Duration::from_micros(300)).await;
            }
            rest = behind;
        }
        writer
    });
    let (mut came, mut paces) = (Vec::new(), reading.iter().cycle());
    let mut buffer = vec![0; 60_000];
    let read = async {
        loop {
            let (size, pauses) = paces.next().unwrap();
            let count = reader.read(&mut buffer[..*size]).await.unwrap();
            if count == 0 {
                break;
            }
            came.extend_from_slice(&buffer[..count]);
            if *pauses && came.len() % 7 == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), read).await.expect("every answer comes");
    let _open_until_now = sender.await.unwrap();
    let mut rest = came.as_slice();
    for one in &asked {
        let (reply, behind) = Reply::split(rest, one.method);
        assert_eq!(reply.status, 200, "{}", reply.head);
        let wanted = one.answer();
        if one.method == "HEAD" {
            assert!(reply.body.is_empty());
        } else {
            assert!(reply.body == wanted, "{} bytes, and {} were wanted", reply.body.len(), wanted.len());
        }
        rest = behind;
    }
    let (last, behind) = Reply::split(rest, "GET");
    assert!(behind.is_empty(), "{} bytes more than the answers", behind.len());
    if ends_in_nonsense {
        assert_eq!(last.refuses(400), "Bad Request");
    } else {
        assert_eq!(last.body, b"/last\n");
    }
}

#[tokio::test]
async fn a_backtick_in_an_absolute_target_is_found() {
    let world = World::on_sqlite().await;
    world.person("Ana", "`ana`@example.edu").await;
    let line = "GET http://names.example/api/private/v4/participants/`ana`@example.edu/ HTTP/1.1";
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, line, &[])).await;
    let body = person(&world, "bea@example.edu");
    wire.send(request(&world, CREATE, &[&format!("Content-Length: {}", body.len())]) + &body).await;
    assert_eq!(wire.reply().await.json()["participant"]["first_name"], "Ana");
    assert_eq!(wire.reply().await.status, 201);
}
