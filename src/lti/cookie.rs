//! The cookie that binds a launch and its session to the browser that started it.

use axum::http::{HeaderMap, HeaderValue};

use crate::{
    app::App,
    http::{cookie, html::root},
};

const NAME: &str = "endonym_lti";
/// In seconds. Longer than any session; renewed at each launch.
const MAX_AGE: i64 = 24 * 3_600;

pub fn read(headers: &HeaderMap) -> Vec<&str> {
    cookie::values(headers, NAME)
}

pub fn set(app: &App, browser: &str) -> Option<HeaderValue> {
    cookie::for_frames(NAME, browser, &format!("{}/lti", root(&app.links)), MAX_AGE)
}
