//! Recordings and pictures over HTTP: ranges, conditional requests, caching, CORS.

use reqwest::{Method, StatusCode, header::HeaderMap};
use serde_json::json;

use crate::support::{
    World,
    media::{file, png, wav},
};

struct Fetched {
    status: StatusCode,
    headers: HeaderMap,
    bytes: Vec<u8>,
}

impl Fetched {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn ask(world: &World, method: Method, url: &str, headers: &[(&str, &str)]) -> Fetched {
    let mut request = world.client.request(method, url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.unwrap();
    let (status, headers) = (answer.status(), answer.headers().clone());
    Fetched { status, headers, bytes: answer.bytes().await.unwrap().to_vec() }
}

async fn get(world: &World, url: &str, headers: &[(&str, &str)]) -> Fetched {
    ask(world, Method::GET, url, headers).await
}

/// A world with a recording and a picture; returns their links.
async fn links() -> (World, String, String) {
    let world = World::new().await;
    let participant = json!({ "first_name": "Ana", "email": "a@x.org", "pronunciation": file(wav(1.0)), "avatar": file(png()) });
    let made = world.person_on(&world.page, participant).await;
    let link = |key: &str| made[key].as_str().unwrap().to_owned();
    let (audio, photo) = (link("recording_link"), link("photo"));
    (world, audio, photo)
}

#[tokio::test]
async fn a_file_may_be_kept_for_five_minutes_used_by_any_page_and_is_what_it_says() {
    let (world, audio, photo) = links().await;
    let thumbnail = photo.replace(".jpg", "_128.jpg");
    for (url, kind) in [(&audio, "audio/mpeg"), (&photo, "image/jpeg"), (&thumbnail, "image/jpeg")] {
        let whole = get(&world, url, &[("Origin", "https://directory.example.edu")]).await;
        assert_eq!(whole.status, 200, "{url}");
        assert_eq!(whole.header("content-type"), kind);
        assert_eq!(whole.header("content-length"), whole.bytes.len().to_string());
        assert_eq!(whole.header("cache-control"), "public, max-age=300, must-revalidate");
        assert_eq!(whole.header("access-control-allow-origin"), "*");
        assert_eq!(whole.header("x-content-type-options"), "nosniff");
        assert_eq!(whole.header("accept-ranges"), "bytes");
        assert_eq!(whole.header("cross-origin-resource-policy"), "cross-origin");
        assert!(whole.header("etag").starts_with('"'));
        let head = ask(&world, Method::HEAD, url, &[]).await;
        assert_eq!((head.status, head.bytes.len()), (StatusCode::OK, 0));
        for name in ["content-length", "content-type", "etag", "cache-control", "accept-ranges"] {
            assert_eq!(head.header(name), whole.header(name), "{name}");
        }
    }
}

#[tokio::test]
async fn parts_of_a_file_can_be_had() {
    let (world, audio, _) = links().await;
    let whole = get(&world, &audio, &[]).await.bytes;
    let size = whole.len();
    for (range, from, to) in [
        ("bytes=0-0", 0, 1),
        ("bytes=100-199", 100, 200),
        ("bytes=100-", 100, size),
        ("bytes=-50", size - 50, size),
        ("bytes=0-999999999", 0, size),
        ("bytes=-999999999", 0, size),
    ] {
        let part = get(&world, &audio, &[("Range", range)]).await;
        assert_eq!(part.status, 206, "{range}");
        assert_eq!(part.header("content-range"), format!("bytes {from}-{}/{size}", to - 1), "{range}");
        assert_eq!(part.header("content-length"), (to - from).to_string());
        assert_eq!(part.bytes, whole[from..to], "{range}");
        let head = ask(&world, Method::HEAD, &audio, &[("Range", range)]).await;
        assert_eq!(head.header("content-range"), part.header("content-range"));
        assert_eq!(head.bytes.len(), 0);
    }
    for range in [format!("bytes={size}-"), "bytes=-0".to_owned(), "bytes=999999999-".to_owned()] {
        let none = get(&world, &audio, &[("Range", &range)]).await;
        assert_eq!(none.status, 416, "{range}");
        assert_eq!(none.header("content-range"), format!("bytes */{size}"));
        assert_eq!(none.header("cache-control"), "no-store");
    }
    for range in ["bytes=0-1,4-5", "nonsense", "bytes=5-1"] {
        let all = get(&world, &audio, &[("Range", range)]).await;
        assert_eq!((all.status, all.bytes.len()), (StatusCode::OK, size), "{range}");
    }
}

#[tokio::test]
async fn whoever_has_a_file_already_is_told_so() {
    let (world, audio, photo) = links().await;
    for url in [audio, photo] {
        let etag = get(&world, &url, &[]).await.header("etag").to_owned();
        for known in [etag.clone(), format!("W/{etag}"), format!("\"other\", {etag}"), "*".to_owned()] {
            let answer = get(&world, &url, &[("If-None-Match", &known)]).await;
            assert_eq!((answer.status, answer.bytes.len()), (StatusCode::NOT_MODIFIED, 0), "{known}");
            assert_eq!(answer.header("etag"), etag);
        }
        assert_eq!(get(&world, &url, &[("If-None-Match", "\"other\"")]).await.status, 200);
        let part = get(&world, &url, &[("Range", "bytes=0-9"), ("If-Range", &etag)]).await;
        assert_eq!(part.status, 206);
        let whole = get(&world, &url, &[("Range", "bytes=0-9"), ("If-Range", "\"other\"")]).await;
        assert_eq!(whole.status, 200);
    }
}

#[tokio::test]
async fn any_page_may_ask_for_parts() {
    let (world, audio, _) = links().await;
    let asked = [
        ("Origin", "https://directory.example.edu"),
        ("Access-Control-Request-Method", "GET"),
        ("Access-Control-Request-Headers", "range"),
    ];
    let answer = ask(&world, Method::OPTIONS, &audio, &asked).await;
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    assert!(answer.header("access-control-allow-methods").contains("GET"));
    assert!(answer.header("access-control-allow-headers").to_lowercase().contains("range"));
}

#[tokio::test]
async fn parameters_are_ignored_as_old_links_carry_them() {
    let (world, audio, _) = links().await;
    assert_eq!(get(&world, &format!("{audio}?digest=abc"), &[]).await.status, 200);
}

#[tokio::test]
async fn what_is_no_link_of_ours_is_not_found_and_not_kept() {
    let (world, audio, photo) = links().await;
    let hex = |link: &str| link.rsplit('_').next().unwrap()[..32].to_owned();
    let base = format!("{}/audio/{}", world.base, world.institution.id);
    let photos = format!("{}/photos/{}", world.base, world.institution.id);
    for url in [
        format!("{base}/recording_{}.mp3", "0".repeat(32)),
        format!("{base}/recording_{}.mp3", hex(&photo)),
        format!("{photos}/photo_{}.jpg", hex(&audio)),
        format!("{base}/recording_{}.mp3", hex(&audio).to_uppercase()),
        format!("{base}/recording_{}.wav", hex(&audio)),
        format!("{base}/{}.mp3", hex(&audio)),
        format!("{base}/recording_..%2f..%2fx.mp3"),
        format!("{base}/recording_%00.mp3"),
        format!("{}/audio/x/{}/recording_{}.mp3", world.base, world.institution.id, hex(&audio)),
        format!("{base}/recording_{}.mp3/", hex(&audio)),
        format!("{base}//recording_{}.mp3", hex(&audio)),
        format!("{}/audio/", world.base),
        format!("{}/audio/1/recording_{}.mp3", world.base, hex(&audio)),
        format!("{}/audio/x/recording_{}.mp3", world.base, hex(&audio)),
        format!("{}/audio/99999999999999999999/recording_{}.mp3", world.base, hex(&audio)),
    ] {
        let answer = get(&world, &url, &[]).await;
        assert_eq!(answer.status, 404, "{url}");
        assert_eq!(answer.header("cache-control"), "no-store", "{url}");
        assert_eq!(answer.header("access-control-allow-origin"), "*");
    }
    assert_eq!(ask(&world, Method::POST, &audio, &[]).await.status, 405);
}

#[tokio::test]
async fn a_file_that_the_store_has_lost_is_not_found() {
    let (world, audio, _) = links().await;
    std::fs::remove_dir_all(world.folder.path().join("blobs/recordings")).unwrap();
    assert_eq!(get(&world, &audio, &[]).await.status, 404);
}
