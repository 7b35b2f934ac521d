//! Version 4. What it shares with version 5 is in `v4_v5` (lists and searches) and in `v5` (request formats, tokens,
//! CORS, limits, tenancy).

mod create;
pub mod exports;
mod latest;
mod list;
mod name_pages;
mod search;
mod show;

use serde_json::{Value, json};

use crate::v4_v5::{JULY, SECOND, hex, numbered, path, sorted, unprocessable};

/// The response for a single missing resource is exactly this.
fn not_found() -> Value {
    json!({ "message": "Not Found" })
}
