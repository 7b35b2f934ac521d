//! Arrows point down only: main → cli → {api, web, server, jobs} → app → {store, blobs} → domain.

use std::path::Path;

/// A room, and the rooms of ours that it may know.
const MAY_KNOW: &[(&str, &[&str])] = &[
    ("domain", &["domain"]),
    ("store", &["store", "domain"]),
    ("blobs", &["blobs", "domain"]),
    ("app", &["app", "blobs", "store", "domain"]),
    ("api", &["api", "app", "domain"]),
    ("jobs", &["jobs", "api", "app", "domain"]),
    ("server", &["server", "api", "app", "domain"]),
    ("web", &["web", "api", "server", "app", "blobs", "domain"]),
    ("config", &["config", "api", "app", "jobs", "server", "blobs", "store"]),
    ("telemetry", &["telemetry"]),
];

/// A crate, and the only rooms that may use it.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["store"]),
    ("tokio_postgres", &["store"]),
    ("deadpool_postgres", &["store"]),
    ("axum", &["api", "web", "server"]),
    ("hyper", &["server", "api"]),
    ("object_store", &["blobs"]),
    ("memmap2", &["blobs"]),
    ("clap", &["cli", "config"]),
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
            // `use crate::{ app::…, store::… }` puts a room at the start of a line or behind a brace.
            let grouped = text.split("use crate::{").skip(1).any(|rest| {
                let group = rest.split(";").next().unwrap_or_default();
                group.split([',', '{', '\n', ' ']).any(|word| word.starts_with(&format!("{other}::")))
            });
            assert!(!directly && !grouped, "src/{name} knows `{other}`, which does not lie below it");
        }
    }
}

#[test]
fn a_version_never_imports_another() {
    for (_, name, text) in sources() {
        for (version, other) in [("v4", "v5"), ("v5", "v4")] {
            if name.starts_with(&format!("api/{version}/")) {
                assert!(!text.contains(&format!("{other}::")), "src/{name} uses {other}");
            }
        }
    }
}

#[test]
fn libraries_stay_in_their_rooms() {
    for (room, name, text) in sources() {
        for (library, rooms) in ONLY_IN {
            let used = text.contains(&format!("{library}::"));
            assert!(!used || rooms.contains(&room.as_str()), "src/{name} uses {library}");
        }
    }
}
