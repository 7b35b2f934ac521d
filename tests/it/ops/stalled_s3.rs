//! An S3 server whose responses stall, and one that works again after an outage.

use std::{path::PathBuf, time::Duration};

use endonym::{
    blobs::{Blobs, Delivery, Key, Options, Shelf},
    clock::Clock,
    domain::ids::InstitutionId,
};
use futures_util::future::join_all;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::support::{
    Setup, World,
    media::{file, wav},
    proxy::Proxy,
    s3::S3Server,
};

/// Consecutive timeouts that open the circuit.
const TIMEOUTS: usize = 2;
/// How long an open circuit refuses everything.
const PAUSE: Duration = Duration::from_secs(5);

/// Sends the beginning of each response, and nothing more. Returns its URL.
async fn stalling_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = vec![0; 4_096];
                assert!(client.read(&mut request).await.unwrap() > 0);
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"x\"\r\n\
                            Last-Modified: Fri, 01 Aug 2025 00:00:00 GMT\r\n\r\nthe beginning";
                client.write_all(head.as_bytes()).await.unwrap();
                std::future::pending::<()>().await;
            });
        }
    });
    format!("s3://names?endpoint=http://{address}&region=x&access_key_id=x&secret_access_key=x")
}

#[tokio::test]
async fn responses_that_stall_open_the_circuit() {
    let options = Options {
        url: Some(stalling_server().await),
        data_dir: PathBuf::new(),
        delivery: Delivery::Stream,
        timeout: Duration::from_secs(1),
        clock: Clock::system(),
    };
    let blobs = Blobs::open(&options).unwrap();
    let key = Key { shelf: Shelf::Recordings, institution: InstitutionId::new(1), hex: "0".repeat(32) };
    let reads = join_all((0..TIMEOUTS).map(|_| blobs.read(&key))).await;
    for read in reads {
        assert!(read.expect_err("nothing is complete").to_string().contains("no response"));
    }
    assert!(!blobs.responds());
    let refused = blobs.read(&key).await.expect_err("it is refused").to_string();
    assert!(refused.contains("circuit breaker"), "{refused}");
}

/// Its files are stored concurrently, so that one of them would be the probe and the others would be refused.
#[tokio::test]
async fn the_first_upload_after_an_outage_succeeds() {
    let server = S3Server::new().await;
    let proxy = Proxy::start(server.address).await;
    let (blobs_url, blobs_timeout) = (Some(server.url_through(&proxy.base)), Duration::from_secs(4));
    let world = World::with(Setup { blobs_url, blobs_timeout, ..Setup::default() }).await;
    let recorded = |email: &str| {
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": file(wav(0.6)) });
        world.person_on(&world.page, participant)
    };
    let made = recorded("ana@example.edu").await;
    let link = made["recording_link"].as_str().unwrap();
    proxy.freeze();
    let plays = (0..TIMEOUTS).map(|_| world.client.get(link).send());
    for play in join_all(plays).await {
        assert_eq!(play.unwrap().status(), 503);
    }
    assert!(!world.app.blobs.responds());
    proxy.thaw();
    world.advance(PAUSE);
    recorded("bea@example.edu").await;
    assert!(world.app.blobs.responds());
}
