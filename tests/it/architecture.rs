//! Arrows point down only: main → cli → {api, web, lti, server, jobs} → app → {store, blobs, lms, phone} → domain. All but `domain` may tell
//! `telemetry` what they do; it knows nobody.

use std::path::Path;

/// A room, and the rooms of ours that it may know.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("domain", &["domain"]),
    ("store", &["store", "domain", "telemetry"]),
    ("blobs", &["blobs", "domain", "telemetry"]),
    ("phone", &["phone", "domain", "telemetry"]),
    ("lms", &["lms", "domain", "telemetry"]),
    ("app", &["app", "blobs", "lms", "phone", "store", "domain", "telemetry"]),
    ("api", &["api", "app", "domain", "telemetry"]),
    ("jobs", &["jobs", "api", "app", "phone", "domain", "telemetry"]),
    ("server", &["server", "api", "app", "domain", "telemetry"]),
    ("lti", &["lti", "web", "api", "server", "app", "domain", "telemetry"]),
    ("web", &["web", "lti", "api", "server", "app", "blobs", "domain", "telemetry"]),
    ("config", &["config", "api", "app", "domain", "jobs", "server", "blobs", "lms", "phone", "store"]),
    ("telemetry", &["telemetry"]),
];

/// A crate, and the only rooms that may use it.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["store"]),
    ("tokio_postgres", &["store"]),
    ("deadpool_postgres", &["store"]),
    ("axum", &["api", "lti", "web", "server"]),
    ("hyper", &["server", "api"]),
    ("object_store", &["blobs"]),
    ("memmap2", &["blobs"]),
    ("rsipstack", &["phone"]),
    ("jsonwebtoken", &["lms"]),
    ("aws_lc_rs", &["lms", "store"]),
    ("clap", &["cli", "config"]),
    ("prometheus", &["telemetry"]),
    ("opentelemetry", &["telemetry"]),
    ("opentelemetry_sdk", &["telemetry"]),
    ("opentelemetry_otlp", &["telemetry"]),
    ("opentelemetry_http", &["telemetry"]),
];

fn sources() -> Vec<(String, String, String)> {
    fn walk(folder: &Path, into: &mut Vec<(String, String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
                let room = name.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs").to_owned();
                let text = std::fs::read_to_string(&path).unwrap();
                into.push((room, name.display().to_string(), text));
            }
        }
    }
    let mut all = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    all
}

#[test]
fn rooms_know_only_what_lies_below_them() {
    let rooms: Vec<&str> = MAY_KNOW.iter().map(|(room, _)| *room).chain(["cli"]).collect();
    for (room, name, text) in sources() {
        let Some((_, may)) = MAY_KNOW.iter().find(|(known, _)| *known == room) else { continue };
        for other in rooms.iter().filter(|other| !may.contains(other)) {
            let directly = text.contains(&format!("crate::{other}::"));
            let grouped = text.split("use crate::{").skip(1).any(|rest| first_words(rest).contains(other));
            assert!(!directly && !grouped, "src/{name} knows `{other}`, which does not lie below it");
        }
    }
}

/// The rooms that `use crate::{ app::…, store::{…, jobs} }` names: words of the outer braces alone.
fn first_words(group: &str) -> Vec<&str> {
    let (mut depth, mut words) = (0, Vec::new());
    for piece in group.split_inclusive(['{', '}', ',']) {
        if depth == 0 {
            words.extend(piece.trim_start().split([':', ',', '{', '}']).next());
        }
        match piece.chars().last() {
            Some('{') => depth += 1,
            Some('}') if depth == 0 => break,
            Some('}') => depth -= 1,
            _ => {}
        }
    }
    words
}

#[test]
fn groups_are_read_to_their_end() {
    assert_eq!(
        first_words("app::{A, b::C}, jobs, store::{x::{Y}}, web::Z};"),
        ["app", "", "jobs", "store", "", "web"]
    );
    assert_eq!(first_words("app::A, store::B};"), ["app", "store"]);
}

#[test]
fn a_version_never_imports_another() {
    for (_, name, text) in sources() {
        const VERSIONS: [&str; 4] = ["v2", "v3", "v4", "v5"];
        for version in VERSIONS.iter().filter(|version| name.starts_with(&format!("api/{version}/"))) {
            for other in VERSIONS.iter().filter(|other| *other != version) {
                assert!(!text.contains(&format!("{other}::")), "src/{name} uses {other}");
            }
        }
    }
}

#[test]
fn libraries_stay_in_their_rooms() {
    for (room, name, text) in sources() {
        for (library, rooms) in ONLY_IN {
            let path = format!("{library}::");
            // Not another crate's module of the same name.
            let used = text.match_indices(&path).any(|(at, _)| !text[..at].ends_with("::"));
            assert!(!used || rooms.contains(&room.as_str()), "src/{name} uses {library}");
        }
    }
}
