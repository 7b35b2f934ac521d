//! Versions 5 and 4: bodies and heads that are too large.

use reqwest::Method;
use serde_json::json;

use super::every_endpoint;
use crate::support::{Answer, Setup, World};

async fn with_bodies_of(bytes: usize) -> World {
    let mut setup = Setup::default();
    setup.limits.body.bytes = bytes;
    World::with(setup).await
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_with_a_message_on_every_endpoint_that_reads_one() {
    let world = with_bodies_of(1_000).await;
    world.person("Ana", "ana@x.org").await;
    let large = json!({ "x": "x".repeat(5_000) });
    for call in every_endpoint(&world).iter().filter(|call| call.body.is_some()) {
        let answer = Answer::of(world.request(call.method.clone(), &call.path).json(&large)).await;
        assert_eq!(answer.status, 413, "{call}");
        assert!(answer.body["message"].as_str().is_some_and(|text| !text.is_empty()), "{call}");
    }
}

#[tokio::test]
async fn a_body_may_have_as_much_as_the_limit_and_not_a_byte_more() {
    let world = with_bodies_of(1_000).await;
    for (spare, status) in [(0, 200), (1, 413)] {
        let start = "{\"email_list\":[\"p0@x.org\"]}";
        let body = format!("{start}{}", " ".repeat(1_000 - start.len() + spare));
        let request = world.request(Method::POST, "/v5/participants/search").body(body);
        Answer::of(request).await.expect(status);
    }
}

#[tokio::test]
async fn a_body_far_over_the_limit_gets_its_answer_and_no_reset() {
    let world = with_bodies_of(1_000).await;
    for _ in 0..3 {
        let request = world.request(Method::POST, "/v5/participants").body(vec![b'x'; 20 << 20]);
        Answer::of(request).await.expect(413);
    }
}

#[tokio::test]
async fn a_large_body_without_a_valid_token_gets_its_answer_and_no_reset() {
    let world = with_bodies_of(1_000).await;
    let request = world.request_as("nonsense", Method::POST, "/v5/participants").body(vec![b'x'; 20 << 20]);
    Answer::of(request).await.expect(401);
}

#[tokio::test]
async fn a_body_sent_in_pieces_is_measured_too() {
    let world = with_bodies_of(1_000).await;
    let address = world.base.trim_start_matches("http://").to_owned();
    let (token, slug) = (world.token.clone(), world.page.slug.clone());
    let body =
        json!({ "name_page_id": slug, "participant": { "first_name": "x".repeat(3_000) } }).to_string();
    let pieces: String = body
        .as_bytes()
        .chunks(500)
        .map(|piece| format!("{:x}\r\n{}\r\n", piece.len(), String::from_utf8_lossy(piece)))
        .collect();
    let text = format!(
        "POST /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: {token}\r\nTransfer-Encoding: chunked\r\n\r\n{pieces}0\r\n\r\n"
    );
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test]
async fn as_much_as_the_contract_allows_fits_into_the_usual_limit() {
    let world = World::new().await;
    let long = "é".repeat(20);
    let emails: Vec<String> = (0..10_000).map(|n| format!("{long}{n}@{long}.example.edu")).collect();
    let ids: Vec<String> = (0..10_000).map(|n| format!("{n}-{}", "i".repeat(190))).collect();
    let body = json!({ "email_list": emails, "institution_id_list": ids });
    assert!(body.to_string().len() > 2 << 20);
    world.post("/v5/participants/search", body).await.expect(200);
}

#[tokio::test]
async fn a_head_that_is_too_large_gets_431_with_a_message_and_no_reset() {
    let world = World::new().await;
    for length in [200_000, 2_000_000] {
        let answer = world.raw("GET /v5/participants", &[&format!("X-Long: {}", "x".repeat(length))]).await;
        assert!(answer.expect(431)["message"].is_string());
    }
}
