//! CSS and JavaScript, compiled into the binary. File names contain a content hash, so browsers may cache them
//! forever.

use std::sync::LazyLock;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, header},
    response::Response,
    routing::get,
};
use sha2::{Digest, Sha256};

use crate::{app::App, domain::token::hex};

pub struct Asset {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
    address: LazyLock<String>,
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

macro_rules! asset {
    ($name:ident, $file:literal, $kind:expr) => {
        pub static $name: Asset = Asset {
            path: concat!("/", $file),
            kind: $kind,
            text: include_str!(concat!("../../assets/", $file)),
            address: LazyLock::new(|| $name.named_by_content()),
        };
    };
}

asset!(STYLE, "style.css", CSS);
asset!(PLAYER_STYLE, "player.css", CSS);
asset!(PLAYER_SCRIPT, "player.js", JS);
asset!(BADGE_STYLE, "badge.css", CSS);
asset!(BADGE_SCRIPT, "badge.js", JS);
asset!(LTI_STYLE, "lti.css", CSS);
asset!(LTI_SCRIPT, "lti.js", JS);
asset!(RECORD_STYLE, "record.css", CSS);
asset!(RECORD_SCRIPT, "record.js", JS);
asset!(CROP_STYLE, "crop.css", CSS);
asset!(CROP_SCRIPT, "crop.js", JS);

impl Asset {
    /// The path relative to the site root.
    pub fn address(&self) -> &str {
        &self.address
    }

    fn named_by_content(&self) -> String {
        format!("{}?{}", self.path, &hex(&Sha256::digest(self.text))[..12])
    }

    fn response(&self) -> Response {
        let mut response = Response::new(Body::from(self.text));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        let for_good = HeaderValue::from_static("public, max-age=31536000, immutable");
        headers.insert(header::CACHE_CONTROL, for_good);
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        response
    }
}

pub fn routes() -> Router<App> {
    let all: [&'static Asset; 11] = [
        &STYLE,
        &PLAYER_STYLE,
        &PLAYER_SCRIPT,
        &BADGE_STYLE,
        &BADGE_SCRIPT,
        &LTI_STYLE,
        &LTI_SCRIPT,
        &RECORD_STYLE,
        &RECORD_SCRIPT,
        &CROP_STYLE,
        &CROP_SCRIPT,
    ];
    all.into_iter()
        .fold(Router::new(), |router, asset| router.route(asset.path, get(async || asset.response())))
}
