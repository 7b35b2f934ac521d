//! One integration binary. Tests start the real router on a real database, send HTTP and read the answer. Without
//! `ENDONYM_TEST_DATABASE_URL` the database is SQLite; with it, PostgreSQL: `./test` runs both.

mod architecture;
mod contract;
mod support;
mod tokens;

mod cli;
mod compression;
mod courses;
mod emails;
mod jobs;
mod lms;
mod lti;
mod ops;
mod own_recordings;
mod phone;
mod scopes;
mod server;
mod store;
mod v2;
mod v3;
mod v4;
mod v5;
mod web;
