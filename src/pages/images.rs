//! Images that deployed pages load from the API's host under fixed names. They are our own, drawn by `assets/images/make`.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
    routing::get,
};
use sha2::{Digest, Sha256};

use super::files;
use crate::{app::App, domain::token::hex};

/// Path, content type and bytes.
const IMAGES: [(&str, &str, &[u8]); 3] = [
    ("/images/spkr2.jpg", "image/jpeg", include_bytes!("../../assets/images/spkr2.jpg")),
    ("/images/animate.gif", "image/gif", include_bytes!("../../assets/images/animate.gif")),
    ("/images/photo-blank.gif", "image/gif", include_bytes!("../../assets/images/photo-blank.gif")),
];
/// The names are fixed, so browsers must check back now and then.
const A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

pub fn routes() -> Router<App> {
    IMAGES.into_iter().fold(Router::new(), |router, (address, kind, bytes)| {
        let etag = format!("\"{}\"", &hex(&Sha256::digest(bytes))[..16]);
        let show = move |headers: HeaderMap| async move { show(&headers, kind, bytes, &etag) };
        router.route(address, get(show).options(files::preflight))
    })
}

fn show(asked: &HeaderMap, kind: &'static str, bytes: &'static [u8], etag: &str) -> Response {
    let known = asked.get(header::IF_NONE_MATCH).is_some_and(|known| files::names(known, etag));
    let mut response = match known {
        true => files::open_to_all(StatusCode::NOT_MODIFIED, Body::empty()),
        false => files::open_to_all(StatusCode::OK, Body::from(bytes)),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, A_DAY);
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, etag);
    }
    response
}
