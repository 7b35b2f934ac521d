//! Version 4. What it has in common with version 5 is in `v4_v5` (lists and searches) and in `v5` (forms of requests, tokens,
//! origins, limits, tenancy).

mod create;
pub mod exports;
mod latest;
mod list;
mod name_pages;
mod search;
mod show;

use serde_json::{Value, json};

use crate::v4_v5::{JULY, SECOND, hex, numbered, path, sorted, unprocessable};

/// A single thing that is missing is exactly this.
fn not_found() -> Value {
    json!({ "message": "Not Found" })
}
