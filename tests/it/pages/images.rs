//! The pictures that deployed pages refer to on the API's host.

use reqwest::{Method, Response};

use crate::support::World;

const IMAGES: [(&str, &str); 3] = [
    ("/images/spkr2.jpg", "image/jpeg"),
    ("/images/animate.gif", "image/gif"),
    ("/images/photo-blank.gif", "image/gif"),
];

async fn ask(world: &World, method: Method, path: &str, known: Option<&str>) -> Response {
    let request = world.client.request(method, format!("{}{path}", world.base));
    let request = match known {
        Some(etag) => request.header("If-None-Match", etag),
        None => request,
    };
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn the_pictures_that_deployed_pages_refer_to_are_there() {
    let world = World::on_sqlite().await;
    for (path, kind) in IMAGES {
        let whole = ask(&world, Method::GET, path, None).await;
        assert_eq!(whole.status(), 200, "{path}");
        assert_eq!(header(&whole, "content-type"), kind);
        assert_eq!(header(&whole, "cache-control"), "public, max-age=86400");
        assert_eq!(header(&whole, "access-control-allow-origin"), "*");
        assert_eq!(header(&whole, "cross-origin-resource-policy"), "cross-origin");
        assert_eq!(header(&whole, "x-content-type-options"), "nosniff");
        let (etag, length) = (header(&whole, "etag").to_owned(), header(&whole, "content-length").to_owned());
        let bytes = whole.bytes().await.unwrap();
        assert_eq!(bytes.len().to_string(), length);
        assert!(bytes.len() < 5_000, "{path} is small: {}", bytes.len());
        let begins: &[u8] = if kind == "image/gif" { b"GIF8" } else { b"\xff\xd8\xff" };
        assert!(bytes.starts_with(begins), "{path} is what it says");
        endonym_media::picture::process(&bytes, &endonym_media::picture::Limits::default()).unwrap();
        let head = ask(&world, Method::HEAD, path, None).await;
        assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, length.as_str()));
        let again = ask(&world, Method::GET, path, Some(&etag)).await;
        assert_eq!((again.status().as_u16(), header(&again, "etag")), (304, etag.as_str()));
        assert_eq!(again.bytes().await.unwrap(), "");
        let changed = ask(&world, Method::GET, path, Some("\"other\"")).await;
        assert_eq!(changed.status(), 200);
        let preflight = ask(&world, Method::OPTIONS, path, None).await;
        assert_eq!(header(&preflight, "access-control-allow-origin"), "*", "{path}");
    }
    assert_eq!(ask(&world, Method::GET, "/images/other.gif", None).await.status(), 404);
}

#[tokio::test]
async fn one_of_them_moves() {
    let world = World::on_sqlite().await;
    let bytes = ask(&world, Method::GET, "/images/animate.gif", None).await.bytes().await.unwrap();
    let count = |mark: &[u8]| bytes.windows(mark.len()).filter(|window| window == &mark).count();
    assert_eq!(count(b"NETSCAPE2.0"), 1, "it goes on and on");
    // Each frame starts with its duration.
    assert!(count(b"\x21\xf9\x04") > 2);
}
