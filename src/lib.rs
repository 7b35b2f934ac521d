//! Endonym: a self-hosted name-pronunciation service. This list is the table of contents; arrows point down only, and
//! `tests/it/architecture.rs` keeps them so.

/// The command line: a file per command.
pub mod cli;
/// Settings: defaults, file, environment, flags.
pub mod config;

/// Joins all faces into one router.
pub mod site;

/// The JSON API: what versions share, and a folder for each version.
pub mod api;
/// What vendors call back.
pub mod hooks;
/// The workers that run background jobs, and the switchboard that makes calls.
pub mod jobs;
/// Inside learning systems: where LTI 1.3 comes in, and its pages.
pub mod lti;
/// Health checks and metrics.
pub mod ops;
/// Public pages: home, API reference, badges, players.
pub mod pages;
/// The HTTP server itself: connections, time-outs, request ids, logs.
pub mod server;

/// What all faces share: bodies, forms, cookies, CSRF, security headers, replies.
pub mod http;

/// Use cases: one function for each thing that a caller can do.
pub mod app;

/// The bytes of recordings and pictures, on disk or on S3. (How they are processed is `endonym-media`, in `media/`.)
pub mod blobs;
/// Learning systems: their courses and rosters, and what LTI signs and checks.
pub mod lms;
/// Phone calls: over a SIP trunk or by a cloud, and what is said on them.
pub mod phone;
/// All SQL, for SQLite and PostgreSQL.
pub mod store;

/// The HTTP client for addresses that others give us, guarded against SSRF.
pub mod outbound;

/// The time: the system's, or a test's.
pub mod clock;
/// Pure types and rules.
pub mod domain;
/// Logs and figures about our own work.
pub mod telemetry;
