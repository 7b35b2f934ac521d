//! All SQL, one file per entity; and rate limits in Valkey. Each statement is written once and runs on SQLite and PostgreSQL; only `sqlite.rs` and
//! `postgres.rs` know their drivers. Every read takes the institution (the tenant) or a `Scope` first: there is no unscoped
//! variant.

mod db;
mod expiry;
pub mod folder;
pub mod kept;
mod lookup;
mod postgres;
mod sqlite;
mod streams;
mod transaction;
mod values;

pub mod admissions;
pub mod audiences;
pub mod audit;
pub mod audit_seals;
pub mod bounces;
pub mod call_attempts;
pub mod call_takes;
pub mod calls;
pub mod citus;
pub mod connections;
pub mod consents;
pub mod conversations;
pub mod courses;
pub mod coverage;
pub mod coverage_days;
pub mod custom_fields;
pub mod deleted_people;
pub mod directory_holds;
pub mod exports;
pub mod idempotency_keys;
pub mod imports;
pub mod institutions;
pub mod invitations;
pub mod jobs;
pub mod kept_recordings;
pub mod languages;
pub mod looks;
pub mod lti_invites;
pub mod lti_keys;
pub mod lti_logins;
pub mod lti_sessions;
pub mod mail_pace;
pub mod mail_texts;
pub mod media;
pub mod members;
pub mod migrations;
pub mod moderation;
pub mod name_pages;
pub mod newest;
pub mod operators;
pub mod opt_outs;
pub mod outbox;
pub mod outsiders;
pub mod own_recordings;
pub mod page_lists;
pub mod page_settings;
pub mod participants;
pub mod people;
pub mod people_index;
pub mod people_list;
pub mod people_tasks;
pub mod persons;
pub mod plays;
pub mod progress;
pub mod queues;
pub mod rate_limits;
pub mod recording_requests;
pub mod refused_people;
pub mod retention;
pub mod rolls;
pub mod scim_connections;
pub mod scim_groups;
pub mod scim_registrations;
pub mod scim_users;
pub mod sealed;
pub mod secrets;
pub mod sessions;
pub mod sign_ins;
pub mod sso;
pub mod sso_groups;
pub mod token_days;
pub mod tokens;
pub mod tool_consumers;
pub mod turns;
pub mod valkey;
pub mod versions;

pub use db::{Db, Error, Options, Place, Result, Row, RowStream, Sql, TIMEOUT, Value};
pub use postgres::{url_for_programs, without_password};
pub use sqlite::{DataVersion, check, checkpoint};
pub use transaction::Transaction;

/// Parses a JSON column. Unreadable JSON is an error: an empty default would be written back by the next update.
pub fn stored_json<T: serde::de::DeserializeOwned>(
    (table, column, key): (&str, &str, impl std::fmt::Display),
    json: &str,
) -> Result<T> {
    let unreadable =
        |error| Error::Broken(format!("the JSON in {table}.{column} of row {key} is unreadable: {error}"));
    serde_json::from_str(json).map_err(unreadable)
}

/// The position of a column in the list that a SELECT was built from. In a `const` block it costs nothing at run time, and a
/// name that is not in the list does not compile.
const fn position_in(columns: &[&str], column: &str) -> usize {
    let mut at = 0;
    while at < columns.len() {
        if is_same(columns[at].as_bytes(), column.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("this column is not selected")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

use crate::domain::{ids::NamePageId, scope::Scope};

/// `$first, $first+1, …` for an IN list. Callers pad the count to a power of two, so that there are few distinct statements
/// and both databases can reuse prepared plans.
fn placeholders(first: usize, count: usize) -> String {
    let mut text = String::with_capacity(count * 6);
    for number in first..first + count {
        let separator = if number == first { "$" } else { ", $" };
        text.push_str(separator);
        text.push_str(&number.to_string());
    }
    text
}

/// Like `placeholders`, for ids of a table in which some institutions have thousands of rows. A generic plan of PostgreSQL assumes the average
/// institution: with a long list, it reads all rows of the institution and compares each with every element (33 ms for 128 of 10,000). With
/// VALUES it uses a hash join (3 ms).
fn id_values(first: usize, count: usize) -> String {
    if count <= FEW_IDS {
        return placeholders(first, count);
    }
    let rest: String = (first + 1..first + count).map(|number| format!(", (${number})")).collect();
    format!("VALUES (CAST(${first} AS BIGINT)){rest}")
}

/// Up to this many ids, PostgreSQL searches the index.
const FEW_IDS: usize = 16;

/// The condition that limits a statement to a scope. Its parameter, if any, is appended to `params`.
fn within(scope: Scope, column: &str, params: &mut Vec<Value<'_>>) -> String {
    match scope {
        Scope::Installation => "TRUE".to_owned(),
        Scope::Institution(institution) => {
            params.push(institution.into());
            format!("{column} = ${}", params.len())
        }
    }
}

/// Maximum number of keys in one IN list.
const MAX_KEYS: usize = 256;

/// The keys in chunks, each padded to a power of two by repeating its last key.
fn padded<T: Copy>(keys: &[T]) -> impl Iterator<Item = Vec<T>> {
    keys.chunks(MAX_KEYS).map(|chunk| {
        let mut group = chunk.to_vec();
        let last = chunk[chunk.len() - 1];
        group.resize(chunk.len().next_power_of_two(), last);
        group
    })
}

/// All name pages of a caller in one list, padded like a chunk, for statements that cannot be split into several. A caller without pages
/// has one that does not exist.
fn own_list(pages: &[NamePageId]) -> Vec<NamePageId> {
    let last = pages.last().copied().unwrap_or(NamePageId::new(-1));
    let mut list = pages.to_vec();
    list.resize(pages.len().next_power_of_two(), last);
    list
}

/// The rows of a multi-row insert, in chunks of powers of two, also to limit the number of distinct statements.
fn in_power_of_two_chunks<T>(rows: &[T]) -> impl Iterator<Item = &[T]> {
    let mut left = rows;
    std::iter::from_fn(move || {
        let count = left.len().min(MAX_ROWS);
        let (group, rest) = left.split_at(if count == 0 { 0 } else { 1 << count.ilog2() });
        left = rest;
        (!group.is_empty()).then_some(group)
    })
}

/// Maximum number of rows in one insert.
const MAX_ROWS: usize = 128;

/// `($first, …), (…)` for a multi-row insert.
fn value_rows(first: usize, rows: usize, columns: usize) -> String {
    let row = |row: usize| format!("({})", placeholders(first + row * columns, columns));
    (0..rows).map(row).collect::<Vec<_>>().join(", ")
}
