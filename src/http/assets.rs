//! CSS and JavaScript, compiled into the binary. URLs contain a content hash, so browsers may cache them forever.

use std::sync::LazyLock;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use sha2::{Digest, Sha256};

use super::routing::get;
use crate::{app::App, domain::digest::hex};

pub struct Asset {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
    address: LazyLock<String>,
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

/// A URL path, and the files in `assets` that are served there, one after the other: a page loads one style sheet.
macro_rules! asset {
    ($name:ident, $path:literal, $kind:expr, $($file:literal),+) => {
        pub static $name: Asset = Asset {
            path: $path,
            kind: $kind,
            text: concat!($(include_str!(concat!("../../assets/", $file))),+),
            address: LazyLock::new(|| $name.named_by_content()),
        };
    };
}

asset!(STYLE, "/style.css", CSS, "tokens.css", "parts.css", "style.css");
asset!(
    PEOPLE_STYLE,
    "/people.css",
    CSS,
    "tokens.css",
    "parts.css",
    "people.css",
    "record.css",
    "crop.css",
    "listen.css"
);
asset!(
    CONSOLE_STYLE,
    "/console.css",
    CSS,
    "tokens.css",
    "parts.css",
    "record.css",
    "crop.css",
    "listen.css",
    "console.css"
);
asset!(LTI_STYLE, "/lti.css", CSS, "tokens.css", "parts.css", "lti.css", "record.css");
asset!(BADGE_STYLE, "/badge.css", CSS, "tokens.css", "parts.css", "badge.css");
asset!(PLAYER_STYLE, "/player.css", CSS, "tokens.css", "player.css");
asset!(PLAY_SCRIPT, "/play.js", JS, "play.js");
asset!(BADGE_SCRIPT, "/badge.js", JS, "badge.js");
asset!(LTI_SCRIPT, "/lti.js", JS, "lti.js");
asset!(RECORD_SCRIPT, "/record.js", JS, "record.js");
asset!(CROP_SCRIPT, "/crop.js", JS, "crop.js");
asset!(MODERATION_SCRIPT, "/moderation.js", JS, "moderation.js");
asset!(PEOPLE_SCRIPT, "/people.js", JS, "people.js");
asset!(CONSOLE_SCRIPT, "/console.js", JS, "console.js");
asset!(CONSOLE_PEOPLE_SCRIPT, "/console_people.js", JS, "console_people.js");
asset!(CONSOLE_ACCESS_SCRIPT, "/console_access.js", JS, "console_access.js");
asset!(INVITATION_SCRIPT, "/invitation.js", JS, "invitation.js");

impl Asset {
    /// The path relative to the site root.
    pub fn address(&self) -> &str {
        &self.address
    }

    fn named_by_content(&self) -> String {
        format!("{}?{}", self.path, version(self.text))
    }

    fn response(&self) -> Response {
        immutable(self.kind, self.text)
    }
}

/// The part of a URL that changes with the content.
pub fn version(content: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(content))[..12].to_owned()
}

/// The response at a URL whose content never changes.
pub fn immutable(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let for_good = HeaderValue::from_static("public, max-age=31536000, immutable");
    headers.insert(header::CACHE_CONTROL, for_good);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Modules are loaded with CORS, and a sandboxed frame with one of our players has no origin of its own.
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

pub fn routes() -> Router<App> {
    let all: [&'static Asset; 17] = [
        &STYLE,
        &PEOPLE_STYLE,
        &CONSOLE_STYLE,
        &LTI_STYLE,
        &BADGE_STYLE,
        &PLAYER_STYLE,
        &PLAY_SCRIPT,
        &BADGE_SCRIPT,
        &LTI_SCRIPT,
        &RECORD_SCRIPT,
        &CROP_SCRIPT,
        &MODERATION_SCRIPT,
        &PEOPLE_SCRIPT,
        &INVITATION_SCRIPT,
        &CONSOLE_SCRIPT,
        &CONSOLE_PEOPLE_SCRIPT,
        &CONSOLE_ACCESS_SCRIPT,
    ];
    all.into_iter()
        .fold(Router::new(), |router, asset| router.route(asset.path, get(async || asset.response())))
}
