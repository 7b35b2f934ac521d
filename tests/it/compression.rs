//! JSON, styles and scripts of 1 KB and more are compressed for clients that accept gzip or zstd.

use std::io::Read;

use reqwest::{Method, Response, StatusCode};
use serde_json::Value;

use crate::support::World;

const LIST: &str = "/v5/participants?per_page=10";
const STREAM: &str = "/v5/participants?per_page=10000&include=embeddables";

async fn crowd(count: usize) -> World {
    let world = World::on_sqlite().await;
    world.crowd(&world.page, 0..count).await;
    world
}

async fn ask(world: &World, method: Method, path: &str, accepts: Option<&str>) -> Response {
    let request = world.request(method, path);
    let request = match accepts {
        Some(codings) => request.header("Accept-Encoding", codings),
        None => request,
    };
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

/// Decompressed with a standard decoder: one member, with a valid checksum.
fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut decoder = flate2::bufread::GzDecoder::new(bytes);
    decoder.read_to_end(&mut plain).unwrap();
    assert!(decoder.into_inner().is_empty(), "nothing stands behind the end");
    plain
}

#[tokio::test]
async fn a_large_answer_is_compressed_for_whoever_accepts_gzip() {
    let world = crowd(10).await;
    let plain = ask(&world, Method::GET, LIST, None).await;
    assert_eq!((header(&plain, "content-encoding"), header(&plain, "vary")), ("", "Accept-Encoding"));
    let length: usize = header(&plain, "content-length").parse().unwrap();
    let text = plain.bytes().await.unwrap();
    assert_eq!(text.len(), length);
    for accepts in [
        "gzip",
        "gzip, deflate, br",
        "gzip, zstd;q=0.5",
        "deflate, x-gzip;q=0.1",
        "*",
        "identity;q=0.5, gzip;q=0.5",
    ] {
        let small = ask(&world, Method::GET, LIST, Some(accepts)).await;
        assert_eq!(
            (small.status(), header(&small, "content-encoding")),
            (StatusCode::OK, "gzip"),
            "{accepts}"
        );
        assert_eq!(header(&small, "vary"), "Accept-Encoding");
        assert_eq!(header(&small, "content-type"), "application/json; charset=utf-8");
        assert!(!header(&small, "nc-rate-limit-limit").is_empty());
        let length: usize = header(&small, "content-length").parse().unwrap();
        let bytes = small.bytes().await.unwrap();
        assert_eq!(bytes.len(), length);
        assert!(bytes.len() * 3 < text.len(), "{} of {}", bytes.len(), text.len());
        assert_eq!(unzipped(&bytes), text, "{accepts}");
    }
    for accepts in
        ["", "identity", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "gzip;q=0.5, identity", "identity;q=0"]
    {
        let same = ask(&world, Method::GET, LIST, Some(accepts)).await;
        assert_eq!(
            (header(&same, "content-encoding"), header(&same, "vary")),
            ("", "Accept-Encoding"),
            "{accepts}"
        );
        assert_eq!(same.bytes().await.unwrap(), text, "{accepts}");
    }
}

#[tokio::test]
async fn zstd_is_used_where_the_client_knows_it_and_the_length_is_known() {
    let world = crowd(1_200).await;
    let plain = ask(&world, Method::GET, LIST, None).await.bytes().await.unwrap();
    for accepts in ["zstd", "gzip, deflate, br, zstd", "gzip;q=0.8, zstd;q=0.9"] {
        let small = ask(&world, Method::GET, LIST, Some(accepts)).await;
        assert_eq!((header(&small, "content-encoding"), header(&small, "vary")), ("zstd", "Accept-Encoding"));
        let length: usize = header(&small, "content-length").parse().unwrap();
        let bytes = small.bytes().await.unwrap();
        assert_eq!(bytes.len(), length);
        assert!(bytes.len() * 3 < plain.len(), "{} of {}", bytes.len(), plain.len());
        assert_eq!(zstd::decode_all(&bytes[..]).unwrap(), plain, "{accepts}");
    }
    for (accepts, coding) in [("zstd", ""), ("gzip, deflate, br, zstd", "gzip")] {
        let stream = ask(&world, Method::GET, STREAM, Some(accepts)).await;
        assert_eq!(header(&stream, "content-encoding"), coding, "{accepts}");
    }
    let head = ask(&world, Method::HEAD, LIST, Some("zstd, gzip")).await;
    assert_eq!((header(&head, "content-encoding"), header(&head, "content-length")), ("zstd", ""));
}

#[tokio::test]
async fn an_answer_of_less_than_a_kilobyte_stays_as_it_is() {
    let world = crowd(1).await;
    for path in [
        "/v5/participants?page=2",
        "/v5/participants/latest?tokens=nobody",
        "/v5/nothing",
        "/v5/participants?page=0",
    ] {
        let answer = ask(&world, Method::GET, path, Some("gzip")).await;
        assert_eq!((header(&answer, "content-encoding"), header(&answer, "vary")), ("", ""), "{path}");
        let bytes = answer.bytes().await.unwrap();
        assert!(bytes.len() < 1_024 && serde_json::from_slice::<Value>(&bytes).is_ok(), "{path}");
    }
    // The length of the notes moves the response across the threshold.
    for (notes, coding) in [(0, ""), (2_000, "gzip")] {
        let change = serde_json::json!({ "name_page_id": world.page.slug, "participant": { "notes": "n".repeat(notes) } });
        world.put("/v5/participants/p0@x.org", change).await.expect(200);
        let answer = ask(&world, Method::GET, "/v4/participants/p0@x.org", Some("gzip")).await;
        assert_eq!(header(&answer, "content-encoding"), coding, "{notes}");
    }
}

#[tokio::test]
async fn a_streamed_answer_is_compressed_as_it_is_sent() {
    let world = crowd(1_200).await;
    for path in [STREAM, "/v5/participants?updated_after=2020-01-01T00:00:00Z"] {
        let plain = ask(&world, Method::GET, path, None).await;
        assert_eq!((header(&plain, "content-encoding"), header(&plain, "vary")), ("", "Accept-Encoding"));
        assert_eq!(header(&plain, "content-length"), "", "{path} is sent in pieces");
        let text = plain.bytes().await.unwrap();
        let small = ask(&world, Method::GET, path, Some("gzip")).await;
        assert_eq!((header(&small, "content-encoding"), header(&small, "vary")), ("gzip", "Accept-Encoding"));
        assert_eq!(header(&small, "content-length"), "");
        let bytes = small.bytes().await.unwrap();
        assert!(bytes.len() * 5 < text.len(), "{path}: {} of {}", bytes.len(), text.len());
        assert_eq!(unzipped(&bytes), text, "{path}");
    }
}

#[tokio::test]
async fn head_tells_what_get_would_send() {
    let world = crowd(1_200).await;
    for (path, length) in [(LIST, true), (STREAM, false)] {
        let plain = ask(&world, Method::HEAD, path, None).await;
        assert_eq!((header(&plain, "content-encoding"), header(&plain, "vary")), ("", "Accept-Encoding"));
        assert_eq!(!header(&plain, "content-length").is_empty(), length, "{path}");
        let small = ask(&world, Method::HEAD, path, Some("gzip")).await;
        assert_eq!((header(&small, "content-encoding"), header(&small, "vary")), ("gzip", "Accept-Encoding"));
        assert_eq!(header(&small, "content-length"), "", "{path}: it would be that of the plain bytes");
        assert_eq!(small.bytes().await.unwrap(), "");
    }
    let nothing = ask(&world, Method::HEAD, "/v5/participants/latest?tokens=nobody", Some("gzip")).await;
    assert_eq!((header(&nothing, "content-encoding"), header(&nothing, "content-length")), ("", "19"));
}

#[tokio::test]
async fn old_versions_and_documents_are_compressed_and_pages_and_pictures_are_not() {
    let world = crowd(10).await;
    let names = format!("/v3/names?auth_token={}&access_code={}", world.token, world.page.access_code);
    for path in [names.as_str(), "/v5/openapi.json", "/v3/openapi.json"] {
        let small = ask(&world, Method::GET, path, Some("gzip")).await;
        assert_eq!(header(&small, "content-encoding"), "gzip", "{path}");
        assert!(serde_json::from_slice::<Value>(&unzipped(&small.bytes().await.unwrap())).is_ok(), "{path}");
    }
    for path in ["/docs/v5", "/images/spkr2.jpg"] {
        let request = world.client.get(format!("{}{path}", world.base)).header("Accept-Encoding", "gzip");
        assert_eq!(header(&request.send().await.unwrap(), "content-encoding"), "", "{path}");
    }
}

#[tokio::test]
async fn styles_and_scripts_are_compressed_and_pages_are_not() {
    let world = World::on_sqlite().await;
    let fetch = async |path: &str, accepts: &str| {
        let request = world.client.get(format!("{}{path}", world.base)).header("Accept-Encoding", accepts);
        request.send().await.unwrap()
    };
    for path in ["/style.css", "/record.js"] {
        let plain = fetch(path, "identity").await;
        assert_eq!(
            (header(&plain, "content-encoding"), header(&plain, "vary")),
            ("", "Accept-Encoding"),
            "{path}"
        );
        let small = fetch(path, "gzip").await;
        assert_eq!(header(&small, "content-encoding"), "gzip", "{path}");
        assert_eq!(unzipped(&small.bytes().await.unwrap()), plain.bytes().await.unwrap(), "{path}");
    }
    let page = fetch("/sign-in", "gzip").await;
    assert_eq!((page.status(), header(&page, "content-encoding")), (StatusCode::OK, ""), "it has a secret");
}
