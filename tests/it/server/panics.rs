//! A panic in a handler fails only its own request, and the face that owns the path renders the error.

use std::sync::Arc;

use axum::{extract::Request, http::HeaderValue, response::Response};
use endonym::{
    http::{
        refusal::Refusal,
        service::{Draining, Service, Shared},
    },
    server::{self, Limits},
    site,
};
use futures_util::{FutureExt, future::BoxFuture};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::support::World;

/// The real site, with handlers that always panic.
struct Panicking(Shared);

impl Service for Panicking {
    fn call(&self, _: Request) -> BoxFuture<'static, Response> {
        async { panic!("a handler of this test panics") }.boxed()
    }

    fn refuse(&self, path: &str, accept_language: Option<&HeaderValue>, refusal: Refusal) -> Response {
        self.0.refuse(path, accept_language, refusal)
    }
}

#[tokio::test]
async fn a_panic_is_worded_by_the_face_that_it_happened_in() {
    let world = World::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let site = site::site(world.app.clone(), Draining::default());
    let stop = CancellationToken::new();
    tokio::spawn(server::run(listener, Arc::new(Panicking(site)), Limits::default(), stop.clone()));
    for (path, kind, words) in [
        ("/", "text/html; charset=utf-8", "<h1>Something went wrong</h1>"),
        ("/docs/v5", "text/html; charset=utf-8", "<h1>Something went wrong</h1>"),
        ("/badges/1/abc", "text/html; charset=utf-8", "<h1>Something went wrong</h1>"),
        ("/lti/s/abc/", "text/html; charset=utf-8", "<h1>Something went wrong</h1>"),
        ("/api/private/v5/participants", "application/json; charset=utf-8", "{\"message\":\"Internal Server"),
        (
            "/api/private/v3/names",
            "application/json; charset=utf-8",
            "{\"result\":\"error\",\"message\":\"Int",
        ),
        ("/phone/attempts/1/status", "", ""),
    ] {
        let response = world.client.get(format!("{base}{path}")).send().await.unwrap();
        let header =
            |name: &str| response.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned();
        assert_eq!((response.status().as_u16(), header("content-type").as_str()), (500, kind), "{path}");
        assert!(!header("x-request-id").is_empty(), "{path}");
        let text = response.text().await.unwrap();
        assert!(text.contains(words), "{path}: {text}");
    }
    for path in ["/", "/badges/1/abc", "/lti/s/abc/", "/me", "/sign-in"] {
        let request = world.client.get(format!("{base}{path}")).header("accept-language", "de-AT, en;q=0.5");
        let text = request.send().await.unwrap().text().await.unwrap();
        assert!(text.contains("<html lang=\"de\" dir=\"ltr\""), "{path}: {text}");
        assert!(text.contains("<h1>Etwas ist schiefgegangen</h1>"), "{path}: {text}");
    }
    stop.cancel();
}
