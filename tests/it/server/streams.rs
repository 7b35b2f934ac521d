//! Long responses to clients that read them slowly.

use std::{collections::BTreeSet, time::Duration};

use endonym::app::streams::Settings;
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

use super::{PATIENCE, Reply, Wire, clients::narrow, request_as};
use crate::support::{
    Setup, World,
    database::{crowd, execute, on_postgres},
};

/// Everybody in one response: 18 MB if `PEOPLE` have notes of `NOTE` bytes.
const STREAM: &str = "GET /api/private/v5/participants?updated_after=2020-01-01T00:00:00Z HTTP/1.1";
const PEOPLE: usize = 2_000;
const NOTE: usize = 9_000;
const SLOTS: usize = 4;
const WAIT: Duration = Duration::from_millis(500);

async fn world() -> World {
    let streams = Settings { at_once: SLOTS + 2, per_institution: SLOTS, wait: WAIT };
    let world = World::with(Setup { streams, ..Setup::default() }).await;
    world.crowd_with_notes(&world.page, 0..PEOPLE, &"n".repeat(NOTE)).await;
    world
}

/// A client that has read the start of a long response and stops reading.
async fn slow_reader(world: &World, token: &str) -> TcpStream {
    let mut stream = narrow(world).await;
    stream.write_all(request_as(token, STREAM, &["Connection: close"]).as_bytes()).await.unwrap();
    let mut status = [0; 15];
    stream.read_exact(&mut status).await.unwrap();
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    stream
}

async fn ask(world: &World, token: &str, line: &str) -> (Reply, Duration) {
    let mut wire = Wire::to(world).await;
    let started = Instant::now();
    wire.send(request_as(token, line, &[])).await;
    (wire.reply().await, started.elapsed())
}

fn emails(body: &[u8]) -> Vec<String> {
    let body: Value = serde_json::from_slice(body).unwrap();
    let people = body["Response"]["participants"].as_array().unwrap();
    people.iter().map(|person| person["email"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn slow_readers_of_one_institution_hold_up_nobody_elses_lists() {
    let world = world().await;
    let neighbor = world.neighbor().await;
    let now = world.app.clock.now();
    crowd(&world.app.db, neighbor.institution.id, neighbor.page.id, 0..PEOPLE, "short", now).await;
    let mut slow = Vec::new();
    for _ in 0..SLOTS {
        slow.push(slow_reader(&world, &world.token).await);
    }
    // The other institution's list is complete and fast, every time.
    for _ in 0..3 {
        let (reply, _) = ask(&world, &neighbor.token, STREAM).await;
        assert_eq!(reply.status, 200);
        assert_eq!(emails(&reply.body).len(), PEOPLE);
    }
    // The same institution's next list waits for a slot, and then gets 503 with Retry-After.
    let (reply, took) = ask(&world, &world.token, STREAM).await;
    let message = reply.refuses(503);
    assert!(message.contains("long answers"), "{message}");
    assert!(reply.header("retry-after").unwrap().parse::<u64>().unwrap() > 0);
    assert!(took >= WAIT, "{took:?}");
    // Short responses need no slot.
    let (reply, _) = ask(&world, &world.token, "GET /api/private/v5/participants HTTP/1.1").await;
    assert_eq!(reply.status, 200);
    // Every long response needs one, in every version and with every filter.
    for line in [
        "GET /api/private/v5/participants?per_page=10000 HTTP/1.1",
        "GET /api/private/v4/participants?per_page=10000 HTTP/1.1",
        "GET /api/private/v4/participants?per_page=10000&updated_after=2020-01-01T00:00:00Z HTTP/1.1",
    ] {
        ask(&world, &world.token, line).await.0.refuses(503);
    }
    // One of them disconnects, and its slot is free for the next.
    slow.pop();
    let served = async { while ask(&world, &world.token, STREAM).await.0.status != 200 {} };
    tokio::time::timeout(PATIENCE, served).await.expect("a slot comes free");
}

#[tokio::test]
async fn whoever_reads_slower_than_the_least_rate_is_cut_off() {
    let mut setup = Setup::default();
    (setup.limits.write_time, setup.limits.write_rate) = (Duration::from_secs(1), 4 << 20);
    let world = World::with(setup).await;
    world.crowd_with_notes(&world.page, 0..PEOPLE, &"n".repeat(NOTE)).await;
    let mut stream = slow_reader(&world, &world.token).await;
    let (mut whole, mut buffer) = (Vec::new(), vec![0; 16 * 1024]);
    // At most 320 KB per second, which would take a minute.
    let reading = async {
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            whole.extend_from_slice(&buffer[..count]);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.expect("the connection is over");
    assert!(whole.len() < 12_000_000, "{} bytes came: it was not cut off", whole.len());
    // A client that reads as fast as possible gets everything.
    let (reply, _) = ask(&world, &world.token, STREAM).await;
    assert_eq!(emails(&reply.body).len(), PEOPLE);
}

/// While a client reads a list slowly, everybody in it changes repeatedly. Everybody is listed exactly once; and
/// SQLite's write-ahead log is reset, which would be impossible if the list held a snapshot.
#[tokio::test]
async fn a_slow_reader_pins_nothing_and_whoever_changes_meanwhile_is_listed_once() {
    const GROUPS: i64 = 20;
    const ROUNDS: i64 = 3;
    let world = world().await;
    let mut stream = slow_reader(&world, &world.token).await;
    let log = world.database.options.data_dir.join("endonym.sqlite3-wal");
    let length = || if on_postgres() { 0 } else { std::fs::metadata(&log).unwrap().len() };
    let mut longest_log = length();
    let now = world.app.clock.now().micros();
    for round in 0..ROUNDS {
        for group in 0..GROUPS {
            let text = "UPDATE participants SET notes = $1, updated_at = $2 + id WHERE institution_id = $3 AND id % $4 = $5";
            let note = format!("{round}").repeat(NOTE);
            let values = vec![
                note.into(),
                (now + round * 10_000_000 + group * 100_000).into(),
                world.institution.id.into(),
                GROUPS.into(),
                group.into(),
            ];
            assert_eq!(execute(&world.app.db, text, values).await, PEOPLE as u64 / GROUPS as u64);
            longest_log = longest_log.max(length());
        }
    }
    // Creating everybody, and each of the three rounds, writes more than 18 MB. The log is reset after 33 MB.
    assert!(longest_log < 40_000_000, "the write-ahead log has {longest_log} bytes");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    let body = unchunked(&rest);
    let listed = emails(&body);
    let different: BTreeSet<&String> = listed.iter().collect();
    assert_eq!((listed.len(), different.len()), (PEOPLE, PEOPLE));
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["Response"]["meta"]["total_count"], PEOPLE);
    assert_eq!(body["Response"]["meta"]["count"], PEOPLE);
}

/// The body of a chunked response, whose status line has been read.
fn unchunked(answer: &[u8]) -> Vec<u8> {
    let start = answer.windows(4).position(|part| part == b"\r\n\r\n").unwrap() + 4;
    let (mut rest, mut body) = (&answer[start..], Vec::new());
    loop {
        let end = rest.windows(2).position(|part| part == b"\r\n").expect("the answer is whole");
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[end + 2..][..size]);
        rest = &rest[end + 2 + size + 2..];
    }
}
