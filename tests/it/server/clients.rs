//! Slow clients, greedy clients, clients that disconnect: none of them may affect the others.

use std::time::Duration;

use endonym::{domain::client_address::TrustedProxies, http::body::BodyLimits, server::Limits};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    time::Instant,
};

use super::{PATIENCE, Wire, person, request};
use crate::support::{Setup, World};

const LIST: &str = "GET /api/private/v5/participants HTTP/1.1";
const CREATE: &str = "POST /api/private/v5/participants HTTP/1.1";
/// Everybody in one response.
const STREAM: &str = "GET /api/private/v5/participants?updated_after=2020-01-01T00:00:00Z HTTP/1.1";

async fn with(change: impl FnOnce(&mut Limits)) -> World {
    let mut setup = Setup { sqlite: true, ..Setup::default() };
    change(&mut setup.limits);
    World::with(setup).await
}

#[tokio::test]
async fn a_head_that_does_not_come_is_not_waited_for() {
    let world = with(|limits| limits.head_time = Duration::from_millis(700)).await;
    for start in ["", "GET /api", "GET / HTTP/1.1\r\nHost: x\r\n"] {
        let mut wire = Wire::to(&world).await;
        let started = Instant::now();
        wire.send(start).await;
        while wire.more().await {}
        let took = started.elapsed();
        assert!(took > Duration::from_millis(500), "{start:?}: {took:?}");
        assert!(took < Limits::default().head_time, "{start:?}: {took:?}");
    }
}

/// Sending a byte now and then does not extend the timeout.
#[tokio::test]
async fn a_head_that_drips_is_not_waited_for() {
    let world = with(|limits| limits.head_time = Duration::from_millis(700)).await;
    let mut wire = Wire::to(&world).await;
    // It would take a minute.
    for byte in format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(1_200)).bytes() {
        if wire.stream.write_all(&[byte]).await.is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the server has waited for the whole head");
}

#[tokio::test]
async fn a_connection_that_is_not_used_again_is_closed() {
    let world = with(|limits| limits.head_time = Duration::from_secs(3)).await;
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200);
    tokio::time::sleep(Duration::from_millis(300)).await;
    wire.send(request(&world, LIST, &[])).await;
    assert_eq!(wire.reply().await.status, 200, "in time");
    let started = Instant::now();
    assert!(wire.is_closed().await);
    assert!(started.elapsed() < Limits::default().head_time);
}

#[tokio::test]
async fn a_body_that_does_not_come_is_refused() {
    let world = with(|limits| limits.body.time = Duration::from_millis(700)).await;
    let body = person(&world, "ana@example.edu");
    let length = format!("Content-Length: {}", body.len());
    for (authorization, status) in [(world.token.as_str(), 408), ("wrong", 401)] {
        for drips in [false, true] {
            let mut wire = Wire::to(&world).await;
            wire.send(format!("{CREATE}\r\nHost: x\r\nAuthorization: {authorization}\r\n{length}\r\n\r\n"))
                .await;
            let started = Instant::now();
            wire.send(&body[..1]).await;
            let mut rest = body[1..body.len() - 1].bytes();
            // Until it is answered: a connection that has been closed would be reset.
            while let Some(byte) = rest.next().filter(|_| drips) {
                tokio::select! {
                    _ = wire.stream.readable() => break,
                    () = tokio::time::sleep(Duration::from_millis(40)) => wire.send([byte]).await,
                }
            }
            wire.reply().await.refuses(status);
            assert!(started.elapsed() < Limits::default().body.time, "{:?}", started.elapsed());
            assert!(wire.is_closed().await, "what comes late would be taken for a request");
        }
    }
    assert_eq!(world.get("/v5/participants").await.expect(200)["Response"]["meta"]["total_count"], 0);
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing_behind() {
    let world = World::on_sqlite().await;
    let body = person(&world, "ana@example.edu");
    for sent in [0, 10, body.len() - 1] {
        let mut wire = Wire::to(&world).await;
        wire.send(request(&world, CREATE, &[&format!("Content-Length: {}", body.len())])).await;
        wire.send(&body[..sent]).await;
        drop(wire);
    }
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, CREATE, &["Transfer-Encoding: chunked"])).await;
    wire.send(format!("{:x}\r\n{body}\r\n", body.len())).await;
    drop(wire);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(world.get("/v5/participants").await.expect(200)["Response"]["meta"]["total_count"], 0);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_with_words_that_can_be_read() {
    let world = with(|limits| limits.body.bytes = 1_000).await;
    let big = "x".repeat(3_000_000);
    for framing in ["length", "chunks"] {
        let mut wire = Wire::to(&world).await;
        if framing == "length" {
            wire.send(request(&world, CREATE, &[&format!("Content-Length: {}", big.len())])).await;
            wire.send(&big).await;
        } else {
            wire.send(request(&world, CREATE, &["Transfer-Encoding: chunked"])).await;
            wire.send(format!("{:x}\r\n{big}\r\n0\r\n\r\n", big.len())).await;
        }
        let message = wire.reply().await.refuses(413);
        assert!(message.contains("1000") || message.contains("1,000"), "{framing}: {message}");
    }
    let exact = json!({ "name_page_id": world.page.slug, "participant": { "first_name": "A", "email": "a@example.edu" } });
    let exact = format!("{:<1000}", exact.to_string());
    let mut wire = Wire::to(&world).await;
    wire.send(request(&world, CREATE, &["Content-Length: 1000"])).await;
    wire.send(exact).await;
    assert_eq!(wire.reply().await.status, 201, "just as large as may be");
}

/// A client with a small receive window, so that little data is buffered on the way. If it were smaller than one packet
/// of the loopback device, which no real network has, the kernel would add pauses.
pub async fn narrow(world: &World) -> tokio::net::TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(128 * 1024).unwrap();
    socket.connect(world.base.trim_start_matches("http://").parse().unwrap()).await.unwrap()
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_given_up() {
    let world = with(|limits| limits.write_time = Duration::from_secs(1)).await;
    world.crowd_with_notes(&world.page, 0..2_000, &"n".repeat(9_000)).await;
    let mut stream = narrow(&world).await;
    stream.write_all(request(&world, STREAM, &[]).as_bytes()).await.unwrap();
    // The answer has begun, and then the client stops reading.
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200");
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut seen = 0;
    let mut buffer = vec![0; 64 * 1024];
    let ended = tokio::time::timeout(PATIENCE, async {
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            seen += count;
        }
    });
    ended.await.expect("the connection is over");
    assert!(seen < 17_000_000, "{seen} bytes came: it was not given up");
}

/// Slow is not stuck: a client that keeps reading may take longer than `write_time` in total.
#[tokio::test]
async fn an_answer_that_is_read_slowly_comes_whole() {
    const WRITE_TIME: Duration = Duration::from_secs(2);
    let world = with(|limits| limits.write_time = WRITE_TIME).await;
    world.crowd_with_notes(&world.page, 0..2_000, &"n".repeat(9_000)).await;
    let mut stream = narrow(&world).await;
    stream.write_all(request(&world, STREAM, &["Connection: close"]).as_bytes()).await.unwrap();
    let (mut whole, started) = (Vec::new(), Instant::now());
    let mut buffer = vec![0; 64 * 1024];
    // Megabytes per second: the kernel reports free space only when a good part of its buffer is free.
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        whole.extend_from_slice(&buffer[..count]);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(whole.ends_with(b"0\r\n\r\n"), "cut off after {} bytes and {:?}", whole.len(), started.elapsed());
    assert!(started.elapsed() > WRITE_TIME, "{:?} is too fast to show anything", started.elapsed());
}

/// While a slow client reads a long response, others get theirs.
#[tokio::test]
async fn slow_readers_do_not_hold_up_the_others() {
    let world = World::on_sqlite().await;
    world.crowd_with_notes(&world.page, 0..2_000, &"n".repeat(3_000)).await;
    let mut slow = Vec::new();
    for _ in 0..12 {
        let mut stream = narrow(&world).await;
        stream.write_all(request(&world, STREAM, &[]).as_bytes()).await.unwrap();
        slow.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let started = Instant::now();
    for i in 0..20 {
        world.get(&format!("/v4/participants/p{i}@x.org")).await.expect(200);
    }
    world.person("Ana", "ana@example.edu").await;
    // By then, the slow readers would have been cut off.
    assert!(started.elapsed() < Limits::default().write_time, "{:?}", started.elapsed());
}

#[tokio::test]
async fn more_connections_than_may_be_wait_their_turn() {
    let world = with(|limits| limits.connections = 2).await;
    let mut first = Wire::to(&world).await;
    let second = Wire::to(&world).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut third = Wire::to(&world).await;
    third.send(request(&world, LIST, &[])).await;
    let waited = tokio::time::timeout(Duration::from_millis(500), third.more()).await;
    assert!(waited.is_err(), "there is no place for a third");
    first.send(request(&world, LIST, &[])).await;
    assert_eq!(first.reply().await.status, 200);
    drop(second);
    assert_eq!(third.reply().await.status, 200, "there is one now");
}

#[tokio::test]
async fn one_address_does_not_get_all_connections() {
    let world = with(|limits| {
        limits.connections = 4;
        limits.trusted_proxies = TrustedProxies::parse("127.0.0.7").unwrap();
    })
    .await;
    let mut first = Wire::to(&world).await;
    let _second = Wire::to(&world).await;
    first.send(request(&world, LIST, &[])).await;
    assert_eq!(first.reply().await.status, 200);
    let mut third = Wire::to(&world).await;
    let reply = third.reply().await;
    assert!(reply.refuses(503).contains("too many connections"), "half of them is all that it gets");
    assert!(reply.header("retry-after").is_some() && third.is_closed().await);
    for other in ["127.0.0.2", "127.0.0.7"] {
        let mut wire = Wire::from(&world, other).await;
        wire.send(request(&world, LIST, &["Connection: close"])).await;
        assert_eq!(wire.reply().await.status, 200, "{other} has places of its own");
        assert!(wire.is_closed().await);
    }
    // A proxy has the connections of many clients.
    let mut proxied = Vec::new();
    for _ in 0..2 {
        let mut wire = Wire::from(&world, "127.0.0.7").await;
        wire.send(request(&world, LIST, &[])).await;
        assert_eq!(wire.reply().await.status, 200);
        proxied.push(wire);
    }
    drop((first, _second));
    let mut again = Wire::to(&world).await;
    again.send(request(&world, LIST, &[])).await;
    assert_eq!(again.reply().await.status, 200);
}

/// The same for bodies that are lists, which are the longest that are accepted.
#[tokio::test]
async fn the_default_limit_lets_a_long_list_through() {
    let world = World::on_sqlite().await;
    assert_eq!(BodyLimits::default().bytes, 32 << 20);
    let emails: Vec<String> = (0..10_000).map(|i| format!("{i}.{}@example.edu", "x".repeat(200))).collect();
    let found: Value =
        world.post("/v5/participants/search", json!({ "email_list": emails })).await.expect(200);
    assert_eq!(found["Response"]["meta"]["total_count"], 0);
}
