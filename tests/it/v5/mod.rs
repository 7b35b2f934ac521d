//! Version 5, and what versions 5 and 4 have in common: request formats, tokens, CORS, limits, tenancy.

mod access;
mod cors;
mod create;
mod delete;
mod fields;
mod forms;
mod latest;
mod legal;
mod limits;
mod list;
mod media;
mod paging;
mod pronunciations;
mod rate_limit;
mod search;
mod tenancy;
mod update;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    support::World,
    v4_v5::{JULY, SECOND, hex, numbered, path, sorted, unprocessable},
};

/// The people of a list or a search.
fn people(body: &Value) -> &Value {
    &body["Response"]["participants"]
}

fn meta(body: &Value) -> &Value {
    &body["Response"]["meta"]
}

/// The body of a create or update on the world's page.
fn on_page(world: &World, participant: Value) -> Value {
    json!({ "name_page_id": world.page.slug, "participant": participant })
}

/// A participant of the world's page in a list: null for every value that is not set.
fn record(world: &World, given: Value) -> Value {
    let mut record = json!({
        "first_name": null,
        "last_name": null,
        "email": null,
        "recording_url": null,
        "recording_link": null,
        "recording_id": null,
        "event_title": "Class of 2027",
        "event_slug": world.page.slug,
        "event_access_code": world.page.access_code,
        "institution_id": null,
        "photo": null,
        "name_badge_link": "{base}/badges/{institution}/{token}",
        "phonetic_spelling": null,
        "notes": null,
    });
    record.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
    record
}
fn message(text: &str) -> Value {
    json!({ "message": text })
}

/// Calls that succeed if `ana@x.org` is on the world's page. The last one deletes her.
pub struct Call {
    pub method: Method,
    pub path: String,
    pub body: Option<Value>,
    pub status: u16,
}

impl Call {
    pub fn send(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match &self.body {
            Some(body) => request.json(body),
            None => request,
        }
    }
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Endpoints of versions 5 and 4 that succeed with nothing but `ana@x.org` on the page.
pub fn every_endpoint(world: &World) -> Vec<Call> {
    let page = &world.page.slug;
    let read = |path: &str| Call { method: Method::GET, path: path.to_owned(), body: None, status: 200 };
    let write =
        |method, path: &str, body, status| Call { method, path: path.to_owned(), body: Some(body), status };
    let by_email = json!({ "email_list": ["ana@x.org"] });
    let on_page = format!("/v4/name_pages/{page}/participants");
    vec![
        read("/v5/participants"),
        read("/v5/participants/search?email_list=ana@x.org"),
        write(Method::POST, "/v5/participants/search", by_email.clone(), 200),
        read("/v5/participants/latest?tokens=ana@x.org"),
        write(
            Method::POST,
            "/v5/pronunciations/search",
            json!({ "identifiers": [{ "email": "ana@x.org" }] }),
            200,
        ),
        read("/v4/participants"),
        read("/v4/participants/ana@x.org"),
        read("/v4/participants/search"),
        write(Method::POST, "/v4/participants/search", by_email, 200),
        read("/v4/participants/latest?token=ana@x.org"),
        read(&on_page),
        read(&format!("{on_page}/ana@x.org")),
        write(
            Method::POST,
            &on_page,
            json!({ "participant": { "first_name": "Cy", "email": "cy@x.org" } }),
            201,
        ),
        write(
            Method::POST,
            "/v5/participants",
            json!({ "name_page_id": page, "participant": { "first_name": "Bo", "email": "bo@x.org" } }),
            201,
        ),
        write(
            Method::PUT,
            "/v5/participants/ana@x.org",
            json!({ "name_page_id": page, "participant": { "notes": "n" } }),
            200,
        ),
        write(Method::DELETE, "/v5/participants/ana@x.org", json!({ "name_page_id": page }), 200),
    ]
}
