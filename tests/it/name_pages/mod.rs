//! Name pages on the web.

mod ask;
mod listen_browser;
mod people;
mod report;
