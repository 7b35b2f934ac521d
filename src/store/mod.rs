//! All SQL, a file per noun. Each text is written once and runs on SQLite and PostgreSQL; only `sqlite.rs` and
//! `postgres.rs` know their drivers. Every read takes the institution first: there is no unscoped variant.

mod db;
pub mod folder;
mod postgres;
mod sqlite;

pub mod call_attempts;
pub mod call_takes;
pub mod calls;
pub mod conversations;
pub mod custom_fields;
pub mod exports;
pub mod institutions;
pub mod jobs;
pub mod media;
pub mod migrations;
pub mod name_pages;
pub mod participants;
pub mod rolls;
pub mod secrets;
pub mod tokens;
pub mod tool_consumers;

pub use db::{Db, Error, Options, Place, Result, Row, RowStream, Sql, Transaction, Value};
pub use postgres::without_password;
pub use sqlite::{check, settle};

/// `$first, $first+1, …` for an IN list. Padding to powers of two keeps the number of distinct texts small, so that
/// both databases can keep their plans.
fn placeholders(first: usize, count: usize) -> String {
    (first..first + count).map(|n| format!("${n}")).collect::<Vec<_>>().join(", ")
}

/// The most keys in one IN list.
const MOST_KEYS: usize = 256;

/// The keys in groups, each padded by repeating its last one.
fn padded<T: Copy>(keys: &[T]) -> impl Iterator<Item = Vec<T>> {
    keys.chunks(MOST_KEYS).map(|chunk| {
        let mut group = chunk.to_vec();
        let last = chunk[chunk.len() - 1];
        group.resize(chunk.len().next_power_of_two(), last);
        group
    })
}
