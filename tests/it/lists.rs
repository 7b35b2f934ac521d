//! Lists outside of the tests that use them, compared with the source.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::support::openapi;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The routes of a version of the API, such as `v5 GET /participants`, as `routes()` declares them.
fn routed(version: &str) -> BTreeSet<String> {
    let source = read(format!("src/api/{version}/mod.rs"));
    let (_, routes) = source.split_once("pub fn routes()").expect("the routes of a version");
    let (routes, _) = routes.split_once("\n}\n").expect("the end of a function");
    let mut found = BTreeSet::new();
    // A path is quoted, and its handlers follow.
    let parts: Vec<&str> = routes.split('"').skip(1).collect();
    for pair in parts.chunks(2) {
        let [path, handlers] = pair else { panic!("{version}: a path without handlers: {pair:?}") };
        let words = handlers.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '(');
        let called: Vec<&str> = words.filter_map(|word| word.split_once('(')).map(|(name, _)| name).collect();
        for method in ["get", "post", "put", "patch", "delete"] {
            if called.contains(&method) {
                found.insert(format!("{version} {} {path}", method.to_uppercase()));
            }
        }
    }
    found
}

#[test]
fn the_documents_describe_every_route_of_the_api() {
    for version in ["v5", "v4"] {
        let (routed, documented) = (routed(version), openapi::operations(version));
        assert!(routed.len() > 5, "{routed:?}");
        let missing: Vec<_> = routed.difference(&documented).collect();
        assert!(missing.is_empty(), "add to assets/openapi/{version}.json: {missing:?}");
        let unknown: Vec<_> = documented.difference(&routed).collect();
        assert!(unknown.is_empty(), "src/api/{version}/mod.rs has no such routes: {unknown:?}");
    }
}

/// Ways to start a real browser, of `support::browser::Browser`.
const STARTS: [&str; 2] = ["Browser::start(", "Browser::with("];

/// The tests in a file that start a browser. What starts one and is not a test may be used by all tests of the module, which then
/// stands for them: `looks::`.
fn starting_browsers(module: &str, source: &str) -> BTreeSet<String> {
    let (mut found, mut item, mut is_test) = (BTreeSet::new(), format!("{module}::"), false);
    for line in source.lines() {
        if line.starts_with("#[tokio::test") || line.starts_with("#[test]") {
            is_test = true;
        } else if line.starts_with(|c: char| c.is_ascii_lowercase()) {
            let function = line.split_once("fn ").and_then(|(_, rest)| rest.split('(').next());
            item = format!("{module}::{}", function.filter(|_| is_test).unwrap_or_default());
            is_test = false;
        }
        if STARTS.iter().any(|start| line.contains(start)) {
            found.insert(item.clone());
        }
    }
    found
}

/// The sources below `tests/it`, with the paths of their modules, without those of `support`.
fn test_sources() -> Vec<(String, String)> {
    let (mut found, base) = (Vec::new(), root().join("tests/it"));
    let mut folders = vec![base.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(&base).unwrap().with_extension("");
            let names: Vec<_> = name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if path.is_dir() && names != ["support"] {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let module = names.join("::");
                let module = module.strip_suffix("::mod").unwrap_or(&module);
                found.push((module.to_owned(), read(&path)));
            }
        }
    }
    found
}

#[test]
fn tests_that_start_a_browser_run_in_processes_of_their_own() {
    let script = read("test");
    let list_of = |name: &str| {
        let (_, list) = script.split_once(&format!("readonly {name}=(")).expect("a list in ./test");
        let (list, _) = list.split_once(')').expect("the end of the list");
        list.split_whitespace().collect::<Vec<&str>>()
    };
    let list = list_of("IN_BROWSERS");
    let sources = test_sources();
    // This file names the ways to start one.
    let others = sources.iter().filter(|(module, _)| module != "lists");
    let tests: BTreeSet<String> =
        others.flat_map(|(module, source)| starting_browsers(module, source)).collect();
    assert!(tests.len() > 15, "{tests:?}");
    // As the filters of libtest: a part of the name is enough.
    let missing: Vec<_> = tests.iter().filter(|test| !list.iter().any(|part| test.contains(part))).collect();
    assert!(missing.is_empty(), "add to IN_BROWSERS in ./test: {missing:?}");
    let unused: Vec<_> = list.iter().filter(|part| !tests.iter().any(|test| test.contains(**part))).collect();
    assert!(unused.is_empty(), "IN_BROWSERS in ./test: nothing of these starts a browser: {unused:?}");
    // Others would run beside the tests on SQLite as well.
    let first = list_of("FIRST_BROWSERS");
    assert!(first.iter().all(|part| list.contains(part)), "FIRST_BROWSERS in ./test: {first:?}");
}

/// A test of the tests.
#[test]
fn who_starts_a_browser_is_seen() {
    let source = "use x::y;\n\n#[tokio::test]\nasync fn first() {\n    let browser = Browser::start().await;\n}\n\n\
                  #[test]\nfn second() {}\n\nasync fn helper() -> Browser {\n    Browser::with(setup).await\n}\n";
    let expected = ["a::b::", "a::b::first"].map(str::to_owned);
    assert_eq!(starting_browsers("a::b", source), BTreeSet::from(expected));
}

/// Who reads there what is promised must find the code that keeps it, and the tests.
#[test]
fn the_page_about_security_names_files_that_exist() {
    let text = read("docs/security.md");
    let named: BTreeSet<&str> =
        text.split('`').filter(|word| word.ends_with(".rs") && !word.contains(' ')).collect();
    assert!(named.len() > 50, "{named:?}");
    let exists =
        |name: &str| ["tests/it", "src", ""].iter().any(|folder| root().join(folder).join(name).is_file());
    let missing: Vec<_> = named.into_iter().filter(|name| !exists(name)).collect();
    assert!(missing.is_empty(), "docs/security.md: there are no such files: {missing:?}");
}
