//! Version 4. What it has in common with version 5 (forms of requests, tokens, origins, limits, tenancy) stands there.

mod create;
pub mod exports;
mod latest;
mod list;
mod name_pages;
mod search;
mod show;

use serde_json::{Value, json};

/// A recording's hex: 128 bits, told apart by one letter.
fn hex(letter: char) -> String {
    letter.to_string().repeat(32)
}

/// 2026-07-01T12:00:00Z in microseconds.
const JULY: i64 = 1_782_907_200_000_000;
const SECOND: i64 = 1_000_000;

/// `{"message":"Unprocessable entity","errors":…}`
fn unprocessable(errors: Value) -> Value {
    json!({ "message": "Unprocessable entity", "errors": errors })
}

/// A single thing that is missing is exactly this.
fn not_found() -> Value {
    json!({ "message": "Not Found" })
}

/// A path behind `/api/private` from an address of `meta`.
fn path(address: &Value) -> &str {
    address.as_str().unwrap().split("/api/private").nth(1).unwrap()
}

fn sorted(mut all: Vec<&str>) -> Vec<&str> {
    all.sort_unstable();
    all
}
