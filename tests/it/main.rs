//! One integration binary. Tests start the real router on a real database, send HTTP and read the answer. Without
//! `ENDONYM_TEST_DATABASE_URL` the database is SQLite; with it, PostgreSQL (docs/testing.md).

mod architecture;
mod contract;
mod support;
mod tokens;

mod audiences;
mod audit;
mod cli;
mod compression;
mod console;
mod courses;
mod directory_holds;
mod emails;
mod idempotency;
mod jobs;
mod kept_recordings;
mod lists;
mod lms;
mod looks;
mod lti;
mod mail;
mod me;
mod members;
mod name_pages;
mod ops;
mod outbound;
mod own_recordings;
mod page_exports;
mod page_settings;
mod pages;
mod phone;
mod plays;
mod retention;
mod scim;
mod scopes;
mod server;
mod store;
mod v2;
mod v3;
mod v4;
mod v4_v5;
mod v5;
