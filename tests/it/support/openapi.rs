//! Validates every response in tests against the OpenAPI document of its version.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{LazyLock, Mutex},
};

use endonym::http::openapi::DOCUMENTS;
use reqwest::Method;
use serde_json::{Value, json};

static PARSED: LazyLock<HashMap<&str, Value>> = LazyLock::new(|| {
    DOCUMENTS
        .iter()
        .map(|(version, text)| (*version, serde_json::from_str(text).expect("a document is JSON")))
        .collect()
});
static VALIDATORS: LazyLock<Mutex<HashMap<String, jsonschema::Validator>>> = LazyLock::new(Mutex::default);

/// Panics if the document does not describe this response, or its shape differs. Responses that no document describes (unknown
/// paths, wrong methods) must be a plain message.
pub fn check(method: &Method, path: &str, status: u16, body: &Value) {
    let path = path.strip_prefix("/api/private/").unwrap_or_default();
    let path = path.strip_suffix('/').unwrap_or(path);
    let (version, path) = path.split_once('/').unwrap_or((path, ""));
    let Some((document, template)) =
        PARSED.get(version).and_then(|document| Some((document, template(document, path)?)))
    else {
        return message(status, body);
    };
    let operation = &document["paths"][&template][method.as_str().to_lowercase()];
    if operation.is_null() {
        return message(status, body);
    }
    let response = &operation["responses"][status.to_string()];
    assert!(!response.is_null(), "{method} {template} of {version} does not tell of status {status}: {body}");
    let response = resolve(document, response);
    let schema = &response["content"]["application/json"]["schema"];
    if schema.is_null() {
        return assert!(
            body.is_null(),
            "{method} {template}: {status} has no content in the document, but {body}"
        );
    }
    let key = format!("{version} {method} {template} {status}");
    let mut validators = VALIDATORS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let validator = validators.entry(key).or_insert_with(|| {
        let whole = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "components": document["components"], "allOf": [schema] });
        jsonschema::validator_for(&whole).expect("a schema of the document can be used")
    });
    let faults: Vec<String> =
        validator.iter_errors(body).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{method} {template} of {version}, {status}: {faults:?} in {body}");
}

/// Every operation of a version, such as `v5 GET /participants`.
pub fn operations(version: &str) -> BTreeSet<String> {
    let paths = PARSED[version]["paths"].as_object().expect("a document has paths");
    let of_path = |(path, operations): (&String, &Value)| -> Vec<String> {
        let methods = operations.as_object().expect("a path has operations").keys();
        methods.map(|method| format!("{version} {} {path}", method.to_uppercase())).collect()
    };
    paths.iter().flat_map(of_path).collect()
}

/// The operation that a request asks for. `path` is relative to `/api/private`.
pub fn operation(method: &Method, path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default().trim_start_matches('/');
    let (version, path) = path.split_once('/').expect("a path begins with a version");
    let found = PARSED.get(version).and_then(|document| template(document, path));
    let found = found.unwrap_or_else(|| panic!("no document describes /{version}/{path}"));
    format!("{version} {method} {found}")
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            document.pointer(reference.trim_start_matches('#')).expect("a reference leads somewhere")
        }
        None => value,
    }
}

/// The path template that matches a path; one without parameters takes precedence.
fn template(document: &Value, path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |template: &&String| {
        let wanted: Vec<&str> = template.trim_start_matches('/').split('/').collect();
        wanted.len() == parts.len()
            && wanted.iter().zip(&parts).all(|(wanted, part)| wanted.starts_with('{') || wanted == part)
    };
    let mut fitting: Vec<&String> = document["paths"].as_object()?.keys().filter(fits).collect();
    fitting.sort_by_key(|template| template.matches('{').count());
    fitting.first().map(|template| (*template).clone())
}

fn message(status: u16, body: &Value) {
    if status >= 400 {
        assert!(body["message"].is_string(), "{status}: {body}");
    }
}
