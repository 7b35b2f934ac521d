//! Graceful shutdown: requests in progress are finished, and nothing else delays the exit.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

use crate::support::{
    process::{Installation, METRICS, PATIENCE, Serving},
    until,
};

fn body(email: &str) -> String {
    json!({ "name_page_id": "class", "participant": { "first_name": "Ana", "email": email } }).to_string()
}

/// Starts a create request and sends only this many bytes of the body.
async fn begin(serving: &Serving, token: &str, body: &str, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    let head = format!(
        "POST /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body.as_bytes()[..sent]).await.unwrap();
    // This request is in flight, and the one for the metrics.
    until("the server has the request", || async {
        let metrics = reqwest::get(serving.metrics()).await.unwrap().text().await.unwrap();
        metrics.lines().any(|line| line == "endonym_http_requests_in_flight 2")
    })
    .await;
    stream
}

/// Waits until the server accepts no more connections: it has begun to stop.
async fn until_draining(serving: &Serving) {
    until("new connections are refused", || async { TcpStream::connect(serving.address()).await.is_err() })
        .await;
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut text)).await;
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_request_under_way_is_finished() {
    let (here, token) = Installation::with_token().await;
    for signal in ["TERM", "INT"] {
        let mut serving = here.serve(&[&["--grace-seconds", "60"][..], &METRICS].concat());
        let body = body(&format!("{signal}@example.edu"));
        let mut stream = begin(&serving, &token, &body, 20).await;
        serving.signal(signal);
        until_draining(&serving).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(serving.ended(Duration::ZERO).await, None, "it waits for the request");
        stream.write_all(&body.as_bytes()[20..]).await.unwrap();
        let answer = read_all(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
        assert_eq!(serving.ended(PATIENCE).await, Some(0), "{}", serving.log());
    }
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 2, "what was answered is kept");
}

#[tokio::test]
async fn idle_connections_are_not_waited_for() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut serving = here.serve(&[&["--grace-seconds", "600"][..], &METRICS].concat());
    // One has sent nothing, one has had an answer and keeps the connection, one is in the middle of a head.
    let _silent = TcpStream::connect(serving.address()).await.unwrap();
    let mut used = TcpStream::connect(serving.address()).await.unwrap();
    let request =
        format!("GET /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n");
    used.write_all(request.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    used.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    serving.signal("TERM");
    assert_eq!(serving.ended(PATIENCE).await, Some(0));
}

/// The setting `grace_seconds`.
#[tokio::test]
async fn nobody_can_keep_it_from_stopping() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut serving = here.serve(&[&["--grace-seconds", "1"][..], &METRICS].concat());
    let body = body("ana@example.edu");
    let mut stream = begin(&serving, &token, &body, 20).await;
    let told = Instant::now();
    serving.signal("TERM");
    // By default, a body may take a minute.
    let code = serving.ended(PATIENCE / 2).await;
    assert_eq!(code, Some(0), "after {:?}", told.elapsed());
    assert!(told.elapsed() > Duration::from_millis(900), "the grace was given");
    assert_eq!(read_all(&mut stream).await, "");
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 0);
}

#[tokio::test]
async fn a_second_signal_stops_at_once() {
    let (here, token) = Installation::on_sqlite_with_token();
    let mut serving = here.serve(&[&["--grace-seconds", "60"][..], &METRICS].concat());
    let _stream = begin(&serving, &token, &body("ana@example.edu"), 20).await;
    serving.signal("INT");
    until_draining(&serving).await;
    assert_eq!(serving.ended(Duration::ZERO).await, None);
    serving.signal("INT");
    assert_eq!(serving.ended(PATIENCE).await, Some(130));
}

/// If the server stops under load, every acknowledged request is stored.
#[tokio::test]
async fn nothing_that_was_answered_is_lost() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[&["--rate-limit", "1000000"][..], &METRICS].concat());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants", serving.base);
    let answered = Arc::new(AtomicUsize::new(0));
    let senders = (0..8).map(|sender| {
        let (client, address, token) = (client.clone(), address.clone(), token.clone());
        let answered = answered.clone();
        tokio::spawn(async move {
            let (mut made, mut broken) = (Vec::new(), 0);
            for i in 0.. {
                let email = format!("s{sender}-{i}@example.edu");
                let request = client.post(&address).header("Authorization", &token).body(body(&email));
                match request.send().await {
                    Ok(answer) if answer.status() == 201 => {
                        made.push(email);
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(answer) => panic!("{}", answer.status()),
                    // The connection is closed between two requests, or refused once the server is gone.
                    Err(_) => broken += 1,
                }
                if broken > 2 {
                    break;
                }
            }
            made
        })
    });
    let senders: Vec<_> = senders.collect();
    until("many are answered", || async { answered.load(Ordering::Relaxed) > 50 }).await;
    assert_eq!(serving.stop().await, 0);
    let mut made = Vec::new();
    for sender in senders {
        made.extend(sender.await.unwrap());
    }
    assert!(made.len() > 50, "{}", made.len());
    // With the same limit: of the other one, this window has used up more already, on PostgreSQL, where limits outlive a process.
    let serving = here.serve(&[&["--rate-limit", "1000000"][..], &METRICS].concat());
    let address = format!("{}/api/private/v5/participants/search", serving.base);
    let ask = json!({ "email_list": made, "per_page": 10_000 });
    let answer = client.post(address).header("Authorization", &token).json(&ask).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["Response"]["meta"]["total_count"], made.len());
}
