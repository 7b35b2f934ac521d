//! Endonym: a self-hosted name-pronunciation service. This list is the table of contents. A layer depends only on the layers
//! below it; `tests/it/architecture.rs` defines and enforces them.

/// The command line: one file per command.
pub mod cli;
/// Settings: defaults, file, environment, flags.
pub mod config;

/// Combines all interfaces into one router.
pub mod site;

/// The JSON API: code shared by all versions, and a directory for each version.
pub mod api;
/// The console, where members of an institution run everything.
pub mod console;
/// Webhooks that vendors call.
pub mod hooks;
/// The workers that run background jobs, and the switchboard that makes calls.
pub mod jobs;
/// Pages inside learning systems: the LTI 1.3 endpoints and what they show.
pub mod lti;
/// Signing in, and a person's own pages.
pub mod me;
/// Name pages: registering, listening, and what managers do.
pub mod name_pages;
/// Health checks and metrics.
pub mod ops;
/// Public pages: home, API reference, badges, players.
pub mod pages;
/// SCIM 2.0: directories provision people.
pub mod scim;
/// The HTTP server: connections, timeouts, request ids, logs.
pub mod server;

/// Shared by all HTTP interfaces: bodies, forms, cookies, CSRF, security headers, responses.
pub mod http;

/// Use cases: one function for each operation that a caller can perform.
pub mod app;

/// File storage for recordings and pictures, on disk or S3. (`endonym-media`, in `media/`, processes them.)
pub mod blobs;
/// Clients for learning systems: courses, rosters, and LTI signatures.
pub mod lms;
/// Mail over SMTP, and its texts.
pub mod mail;
/// Phone calls over a SIP trunk or a cloud vendor, and their prompts.
pub mod phone;
/// OpenID Connect: discovery, signing in and signing out at a provider.
pub mod sso;
/// All SQL, for SQLite and PostgreSQL.
pub mod store;

/// JSON Web Tokens: keys and signatures, for LTI and single sign-on.
pub mod jwt;

/// The HTTP client for untrusted URLs, protected against SSRF.
pub mod outbound;
/// Message catalogs for pages and mails.
pub mod words;

/// The clock: the system's, or a test's.
pub mod clock;
/// The domain model: pure types and rules.
pub mod domain;
/// Spawning of tasks.
pub mod tasks;
/// Logs, traces and metrics.
pub mod telemetry;
