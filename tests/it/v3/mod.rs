//! Version 3, and what versions 3 and 2 have in common: shapes of responses and errors, CORS, deprecation.

mod access;
mod browsers;
mod name;
mod names;
mod rate_limit;
mod search;
mod streaming;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, World};

/// A lookup with this world's token. `path` has a query, or at least its question mark.
async fn get(world: &World, path: &str) -> Answer {
    get_as(world, &world.token, path).await
}

async fn get_as(world: &World, token: &str, path: &str) -> Answer {
    let path = format!("/v3{path}&auth_token={token}");
    Answer::of(world.request_without_token(Method::GET, &path)).await
}

/// A search with this world's token in the form.
async fn post_form(world: &World, form: &str) -> Answer {
    let body = format!("auth_token={}&{form}", world.token);
    let request = world.request_without_token(Method::POST, "/v3/names/search");
    let kind = "application/x-www-form-urlencoded; charset=UTF-8";
    Answer::of(request.header("Content-Type", kind).body(body)).await
}

/// The records of a successful response.
fn data(body: &Value) -> &Value {
    assert_eq!(body["result"], "success", "{body}");
    &body["data"]
}

fn error(message: &str) -> Value {
    json!({ "result": "error", "message": message })
}

/// A recording's hex id: 128 bits, which differ in one letter.
fn hex(letter: char) -> String {
    letter.to_string().repeat(32)
}

/// 2026-07-01T12:00:00Z in microseconds.
const JULY: i64 = 1_782_907_200_000_000;
const SECOND: i64 = 1_000_000;
