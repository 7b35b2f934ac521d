//! The command line, tested with the real binary.

mod backup;
mod badge;
mod blobs;
mod calls;
mod consent;
mod custom_field;
mod doctor;
mod help;
mod import;
mod import_formats;
mod institution;
mod invite;
mod jobs;
mod logs;
mod mail_text;
mod member;
mod migrate;
mod moderation;
mod name_page;
mod person;
mod recordings;
mod scim;
mod secrets;
mod serve;
mod settings;
mod sign_in_link;
mod stopping;
mod token;

use serde_json::Value;

/// The sorted keys of an object.
fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}
