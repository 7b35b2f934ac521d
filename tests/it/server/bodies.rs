//! Bodies of unauthenticated clients, and bodies that never arrive.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

use super::{Wire, request};
use crate::support::{
    Answer, Setup, World,
    process::{Installation, peak_memory},
};

const SEARCH: &str = "POST /api/private/v3/names/search HTTP/1.1";
const CREATE: &str = "POST /api/private/v5/participants HTTP/1.1";
const FORM: &str = "Content-Type: application/x-www-form-urlencoded";

/// An upload that exceeds the free allowance of memory.
async fn upload(world: &World) {
    let participant = json!({ "first_name": "A", "email": "a@x.org", "notes": "n".repeat(3 << 20) });
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    let started = Instant::now();
    world.post("/v5/participants", body).await.expect(422);
    // Bodies that do not arrive time out after a minute.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[tokio::test]
async fn bodies_that_never_come_hold_up_no_upload() {
    let world = World::on_sqlite().await;
    let mut idle = Vec::new();
    for line in [SEARCH, CREATE, "POST /lti/launch HTTP/1.1"] {
        for length in ["Transfer-Encoding: chunked", "Content-Length: 33000000"] {
            for _ in 0..6 {
                let mut wire = Wire::to(&world).await;
                wire.send(request(&world, line, &[length, FORM])).await;
                if length.starts_with('T') {
                    wire.send(format!("{:x}\r\n{}", 1 << 20, "x".repeat(100_000))).await;
                }
                idle.push(wire);
            }
        }
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    upload(&world).await;
}

fn emails(count: usize, length: usize) -> String {
    let all: Vec<String> = (0..count).map(|i| format!("p{i}.{}%40x.org", "x".repeat(length))).collect();
    all.join("%2C")
}

async fn search(world: &World, form: String) -> Answer {
    let request = world.request_without_token(Method::POST, "/v3/names/search");
    Answer::of(request.header("Content-Type", "application/x-www-form-urlencoded").body(form)).await
}

#[tokio::test]
async fn a_form_with_the_token_and_ten_thousand_emails_passes() {
    let world = World::new().await;
    world.crowd(&world.page, 0..1).await;
    let token = format!("auth_token={}", world.token);
    let list = format!("email_list=p0%40x.org%2C{}", emails(9_999, 60));
    assert!(list.len() < 1 << 20);
    for form in [format!("{token}&{list}"), format!("{list}&{token}")] {
        assert_eq!(search(&world, form).await.expect(200)["data"][0]["email"], "p0@x.org");
    }
    let long = format!("email_list=p0%40x.org%2C{}", emails(9_999, 200));
    assert!(long.len() > 2 << 20);
    assert_eq!(search(&world, format!("{token}&{long}")).await.expect(200)["data"][0]["email"], "p0@x.org");
    let in_query = format!("/v3/names/search?{token}");
    let request = world.request_without_token(Method::POST, &in_query).body(long.clone());
    let request = request.header("Content-Type", "application/x-www-form-urlencoded");
    assert_eq!(Answer::of(request).await.expect(200)["data"][0]["email"], "p0@x.org");
}

#[tokio::test]
async fn without_a_token_no_more_than_a_mebibyte_is_read() {
    let world = World::on_sqlite().await;
    let message =
        json!({ "result": "error", "message": "Payload Too Large: a body may have 1048576 bytes at most" });
    for start in ["", "auth_token=wrong&", "email_list=a@x.org&auth_token="] {
        let answer = search(&world, format!("{start}x={}", "x".repeat(3 << 20))).await;
        assert_eq!(answer.expect(413), message, "{start}");
    }
    let answer = search(&world, format!("x={}&auth_token={}", "x".repeat(2 << 20), world.token)).await;
    assert_eq!(answer.expect(413), message, "nobody reads on in the hope of a token");
}

#[tokio::test]
async fn somebody_whom_nobody_knows_is_not_waited_for() {
    let mut setup = Setup::default();
    setup.limits.body.time = Duration::from_millis(700);
    let world = World::with(setup).await;
    for line in [
        SEARCH,
        "POST /lti/launch HTTP/1.1",
        "POST /lti/login HTTP/1.1",
        "POST /phone/attempts/1/status HTTP/1.1",
    ] {
        let mut wire = Wire::to(&world).await;
        let started = Instant::now();
        wire.send(format!("{line}\r\nHost: x\r\n{FORM}\r\nContent-Length: 1000\r\n\r\nauth_token=")).await;
        assert_eq!(wire.reply().await.status, 408, "{line}");
        assert!(started.elapsed() < Duration::from_secs(30), "{line}: {:?}", started.elapsed());
    }
}

/// A thousand unauthenticated bodies of this size would need a gigabyte.
#[tokio::test]
async fn bodies_of_strangers_take_little_memory() {
    let (installation, token) = Installation::with_token().await;
    let serving = installation.serve(&[]);
    let before = peak_memory(serving.pid()).unwrap();
    let mut open = Vec::new();
    for _ in 0..400 {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        let head = format!("{SEARCH}\r\nHost: x\r\n{FORM}\r\nContent-Length: 1000000\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let body = vec![b'x'; 999_000];
        // The server need not read all of it.
        let _ = tokio::time::timeout(Duration::from_millis(20), stream.write_all(&body)).await;
        open.push(stream);
    }
    let ask = format!(
        "GET /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n"
    );
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    stream.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let grown = peak_memory(serving.pid()).unwrap() - before;
    assert!(grown < 200_000, "400 MB were sent, and {grown} kB kept");
}
