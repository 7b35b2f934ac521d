//! Where outbound requests may go, and how far they follow redirects.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Body, extract::Request, response::Response};
use endonym::outbound::{Allowed, Error, Limits, Outbound, Request as OutboundRequest};
use futures_util::stream;

use crate::{lms::hasty, support::World};

fn nowhere() -> Outbound {
    Outbound::new(Allowed::default()).unwrap()
}

fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Refused(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// A server that records its requests: its origin, and the paths.
async fn server() -> (String, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let (notes, own) = (Arc::clone(&asked), origin.clone());
    let router = Router::new().fallback(move |request: Request| {
        let (notes, own) = (Arc::clone(&notes), own.clone());
        async move {
            let path = request.uri().to_string();
            let token =
                request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
            notes.lock().unwrap().push(format!("{} {path} {}", request.method(), token.unwrap_or_default()));
            answer(&path, &own)
        }
    });
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (origin, asked)
}

fn answer(path: &str, own: &str) -> Response {
    let to = |status: u16, place: String| {
        Response::builder().status(status).header("location", place).body(Body::empty()).unwrap()
    };
    if let Some(left) = path.strip_prefix("/hops/") {
        let left: usize = left.parse().unwrap();
        return match left {
            0 => Response::new(Body::from("{\"here\":true}")),
            // Relative and absolute.
            1 => to(301, "/hops/0".to_owned()),
            more => to(302, format!("{own}/hops/{}", more - 1)),
        };
    }
    match path {
        "/by-another-name" => to(302, own.replace("127.0.0.1", "localhost") + "/hops/0"),
        "/to-metadata" => to(302, "http://169.254.169.254/latest".to_owned()),
        "/endless" => {
            let pieces = stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 1 << 16]));
            Response::new(Body::from_stream(pieces))
        }
        "/slow" => Response::new(Body::from_stream(stream::pending::<Result<Vec<u8>, std::io::Error>>())),
        _ => Response::new(Body::from("{\"ok\":1}")),
    }
}

#[tokio::test]
async fn retries_wait_by_the_clock_of_the_app() {
    let world = World::new().await;
    world.advance(Duration::from_secs(3_600));
    assert!(world.app.outbound.clock().now().since(world.app.clock.now()) < Duration::from_secs(60));
    assert!(world.app.clock.now().since(world.app.outbound.clock().now()) < Duration::from_secs(60));
}

#[tokio::test]
async fn only_https_to_public_addresses_where_nothing_is_listed() {
    let nowhere = nowhere();
    for url in [
        "http://127.0.0.1/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://127.0.0.1./",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]:8443/",
        "https://[64:ff9b::a00:1]/",
        "https://[fd00::1]/",
        "https://[fe80::1]/",
        "https://10.0.0.8/moodle",
        "https://169.254.169.254/latest/meta-data",
        "https://100.100.0.1/",
        "https://0.0.0.0/",
        "https://localhost/",
        "http://8.8.8.8/",
        "http://localhost/",
        "http://no-such-host.invalid/",
        "ftp://8.8.8.8/",
        "file:///etc/passwd",
        "data:,x",
        "https://me:secret@8.8.8.8/",
        "https://me@8.8.8.8/",
        "canvas.example.edu",
        "",
    ] {
        let why = refused(nowhere.permits(url).await);
        assert!(!why.contains("secret") && !why.contains("://8") && !why.contains("://1"), "{why}");
        assert!(
            ["is ", "must ", "uses "].iter().any(|verb| why.starts_with(verb)),
            "`url` stands before {why}"
        );
        assert!(!url.contains("127.0.0.1") || why.contains("ENDONYM_OUTBOUND_ALLOW"), "{url}: {why}");
    }
    for url in ["https://8.8.8.8/", "https://[2606:4700::1111]/x", "https://no-such-host.invalid/"] {
        assert_eq!(nowhere.permits(url).await, Ok(()), "{url}");
    }
    let why = refused(nowhere.json("https://10.0.0.8:8443/moodle?token=abc", &[]).await);
    assert!(
        why.starts_with("https://10.0.0.8:8443 is not on the public internet") && !why.contains("abc"),
        "{why}"
    );
    let why = refused(nowhere.permits("http://no-such-host.invalid/").await);
    assert!(why.contains("cannot be looked up"), "{why}");
}

#[tokio::test]
async fn each_request_is_held_to_it_whatever_was_permitted_once() {
    let (origin, asked) = server().await;
    let port = origin.rsplit(':').next().unwrap();
    for url in [
        origin.clone(),
        format!("http://localhost:{port}/"),
        format!("https://localhost:{port}/"),
        format!("https://127.0.0.1:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
    ] {
        let why = refused(nowhere().json(&url, &[]).await);
        assert!(why.contains("ENDONYM_OUTBOUND_ALLOW"), "{url}: {why}");
    }
    // Another network is allowed.
    let other = Outbound::new(Allowed::parse("10.0.0.0/8").unwrap()).unwrap();
    refused(other.json(&origin, &[]).await);
    refused(other.json(&format!("http://localhost:{port}/"), &[]).await);
    assert!(asked.lock().unwrap().is_empty());

    // In an allowed network, plain http works, by address and by name.
    for url in [origin.clone(), format!("http://localhost:{port}/")] {
        assert_eq!(hasty().permits(&url).await, Ok(()));
        assert_eq!(hasty().json(&url, &[]).await.unwrap()["ok"], 1);
    }
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn redirects_are_followed_within_an_origin_and_no_further() {
    let (origin, asked) = server().await;
    let get = |path: &str| {
        let url = format!("{origin}{path}");
        async move { hasty().json(&url, &[("authorization".parse().unwrap(), "Bearer t")]).await }
    };
    assert_eq!(get("/hops/3").await.unwrap()["here"], true);
    for path in ["/hops/4", "/by-another-name", "/to-metadata"] {
        match get(path).await {
            Err(Error::Unavailable(why)) => assert!(why.contains("elsewhere"), "{path}: {why}"),
            other => panic!("{path}: {other:?}"),
        }
    }
    let asked_for: Vec<String> = asked.lock().unwrap().drain(..).collect();
    assert_eq!(asked_for.iter().filter(|line| line.contains("/hops/0")).count(), 1, "{asked_for:?}");
    // Requests that change something are not retried.
    let answer = hasty().post_form(&format!("{origin}/hops/1"), &[("a b", "c&d")]).await.unwrap();
    assert_eq!(answer.status, 301);
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn answers_end() {
    let (origin, _) = server().await;
    let outbound = hasty();
    let url = |path: &str| outbound.address(&format!("{origin}{path}")).unwrap();
    match outbound.send(OutboundRequest::get(url("/endless")).at_most(1 << 20)).await {
        Err(Error::Unavailable(why)) => assert!(why.contains("too large"), "{why}"),
        other => panic!("{:?}", other.map(|answer| answer.status)),
    }
    match outbound.send(OutboundRequest::get(url("/slow")).within(Duration::from_millis(100))).await {
        Err(Error::Unavailable(why)) => assert!(why.contains("no answer in time"), "{why}"),
        other => panic!("{:?}", other.map(|answer| answer.status)),
    }
}

#[test]
fn limits_are_what_they_are_unless_somebody_says_otherwise() {
    assert_eq!(nowhere().limits(), Limits::default());
    assert!(Limits::default().question < Duration::from_secs(10));
}
