//! Graceful shutdown: requests in progress are finished, and nothing else delays the exit.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

use crate::support::process::{Installation, Serving};

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
    // Waits until the server has received it.
    tokio::time::sleep(Duration::from_millis(300)).await;
    stream
}

async fn read_all(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let _ = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut text)).await;
    String::from_utf8(text).unwrap()
}

#[tokio::test]
async fn a_request_under_way_is_finished() {
    let (here, token) = Installation::with_token().await;
    for signal in ["TERM", "INT"] {
        let mut serving = here.serve(&[]);
        let body = body(&format!("{signal}@example.edu"));
        let mut stream = begin(&serving, &token, &body, 20).await;
        serving.signal(signal);
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(serving.ended(Duration::ZERO).await, None, "it waits for the request");
        let late = TcpStream::connect(serving.address()).await;
        assert!(late.is_err(), "it takes no new ones");
        stream.write_all(&body.as_bytes()[20..]).await.unwrap();
        let answer = read_all(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        assert!(answer.to_lowercase().contains("connection: close"), "{answer}");
        assert_eq!(serving.ended(Duration::from_secs(5)).await, Some(0), "{}", serving.log());
    }
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 2, "what was answered is kept");
}

#[tokio::test]
async fn idle_connections_are_not_waited_for() {
    let (here, token) = Installation::with_token().await;
    let mut serving = here.serve(&[]);
    // One client has sent nothing, one keeps its connection open after a response, one has sent half of a request head.
    let _silent = TcpStream::connect(serving.address()).await.unwrap();
    let mut used = TcpStream::connect(serving.address()).await.unwrap();
    let request =
        format!("GET /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n");
    used.write_all(request.as_bytes()).await.unwrap();
    let mut start = [0; 12];
    used.read_exact(&mut start).await.unwrap();
    assert_eq!(&start, b"HTTP/1.1 200");
    tokio::time::sleep(Duration::from_millis(200)).await;
    let told = Instant::now();
    serving.signal("TERM");
    assert_eq!(serving.ended(Duration::from_secs(5)).await, Some(0), "after {:?}", told.elapsed());
}

/// The setting `grace_seconds`.
#[tokio::test]
async fn nobody_can_keep_it_from_stopping() {
    let (here, token) = Installation::with_token().await;
    let mut serving = here.serve(&["--grace-seconds", "1"]);
    let body = body("ana@example.edu");
    let mut stream = begin(&serving, &token, &body, 20).await;
    let told = Instant::now();
    serving.signal("TERM");
    let code = serving.ended(Duration::from_secs(6)).await;
    assert_eq!(code, Some(0), "after {:?}", told.elapsed());
    assert!(told.elapsed() > Duration::from_millis(900), "the grace was given");
    assert_eq!(read_all(&mut stream).await, "");
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 0);
}

#[tokio::test]
async fn a_second_signal_stops_at_once() {
    let (here, token) = Installation::with_token().await;
    let mut serving = here.serve(&[]);
    let _stream = begin(&serving, &token, &body("ana@example.edu"), 20).await;
    serving.signal("INT");
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(serving.ended(Duration::ZERO).await, None);
    serving.signal("INT");
    assert_eq!(serving.ended(Duration::from_secs(2)).await, Some(130));
}

/// If the server stops under load, every acknowledged request is stored.
#[tokio::test]
async fn nothing_that_was_answered_is_lost() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&["--rate-limit", "1000000"]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants", serving.base);
    let senders = (0..8).map(|sender| {
        let (client, address, token) = (client.clone(), address.clone(), token.clone());
        tokio::spawn(async move {
            let (mut made, mut broken) = (Vec::new(), 0);
            for i in 0.. {
                let email = format!("s{sender}-{i}@example.edu");
                let request = client.post(&address).header("Authorization", &token).body(body(&email));
                match request.send().await {
                    Ok(answer) if answer.status() == 201 => made.push(email),
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
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(serving.stop().await, 0);
    let mut made = Vec::new();
    for sender in senders {
        made.extend(sender.await.unwrap());
    }
    assert!(made.len() > 10, "{}", made.len());
    let serving = here.serve(&[]);
    let address = format!("{}/api/private/v5/participants/search", serving.base);
    let ask = json!({ "email_list": made, "per_page": 10_000 });
    let answer = client.post(address).header("Authorization", &token).json(&ask).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["Response"]["meta"]["total_count"], made.len());
}
