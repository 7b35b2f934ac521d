//! The layers of the crate. Reads every path in `src` with `syn`: groups, aliases, `super::super`, paths in expressions and in macros.
//! What would hide a module's name is forbidden: to import everything of the crate's root, or to rename the root.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Item, UseTree, visit::Visit};

/// The modules of `src`, from the top down. A module may use modules of lower layers, but none of its own layer.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["cli"],
    &["config"],
    &["site"],
    &["api", "console", "hooks", "lti", "me", "name_pages", "ops", "pages", "scim", "jobs", "server"],
    &["http"],
    &["app"],
    &["blobs", "lms", "mail", "phone", "sso", "store"],
    &["jwt"],
    &["outbound", "words"],
    &["clock", "telemetry"],
    &["tasks"],
    &["domain"],
];

/// Crates that only some modules may use.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["store"]),
    ("tokio_postgres", &["store"]),
    ("deadpool_postgres", &["store"]),
    ("redis", &["store"]),
    (
        "axum",
        &[
            "api",
            "console",
            "hooks",
            "http",
            "lti",
            "me",
            "name_pages",
            "ops",
            "pages",
            "scim",
            "server",
            "site",
        ],
    ),
    ("hyper", &["api", "server"]),
    ("object_store", &["blobs"]),
    ("memmap2", &["blobs", "store"]),
    ("rsipstack", &["phone"]),
    ("jsonwebtoken", &["jwt"]),
    ("aws_lc_rs", &["jwt", "lms", "store"]),
    ("clap", &["cli", "config"]),
    ("prometheus", &["telemetry"]),
    ("opentelemetry", &["telemetry"]),
    ("opentelemetry_sdk", &["telemetry"]),
    ("opentelemetry_otlp", &["telemetry"]),
    ("opentelemetry_http", &["telemetry"]),
    ("multer", &["http"]),
    ("cookie", &["http"]),
    ("fluent_bundle", &["words"]),
    ("lettre", &["mail"]),
    ("rust_xlsxwriter", &["app"]),
];

struct Source {
    name: String,
    /// The path of the module in the crate: `["api", "v5", "wire"]`.
    module: Vec<String>,
    paths: BTreeSet<Vec<String>>,
    /// Names bound by imports: after `use crate::http::cookie`, `cookie` is not the crate of that name.
    bound: BTreeSet<String>,
    /// Does it import the crate's root, by a glob or under another name?
    imports_root: bool,
    /// Does it use a field called `db`?
    uses_db: bool,
}

impl Source {
    fn top_module(&self) -> &str {
        &self.module[0]
    }

    /// The modules that its paths refer to.
    fn used_modules(&self) -> BTreeSet<&str> {
        let crates = self.paths.iter().filter(|path| path[0] == "crate");
        crates
            .filter_map(|path| path.get(1))
            .map(String::as_str)
            .filter(|module| layer(module).is_some())
            .collect()
    }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Every file below `src`, parsed once for all tests.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(sources);

fn sources() -> Vec<Source> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                into.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    walk(&root, &mut files);
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        read(&name, &std::fs::read_to_string(path).unwrap())
    };
    files.iter().filter(|path| !path.ends_with("src/lib.rs")).map(read).collect()
}

fn read(name: &str, text: &str) -> Source {
    let parts = name.trim_end_matches(".rs").trim_end_matches("/mod").split('/');
    let module: Vec<String> = parts.map(str::to_owned).collect();
    let mut reader = Reader { module: module.clone(), ..Reader::default() };
    reader.visit_file(&syn::parse_file(text).unwrap_or_else(|error| panic!("src/{name}: {error}")));
    let Reader { paths, bound, imports_root, uses_db, .. } = reader;
    Source { name: name.to_owned(), module, paths, bound, imports_root, uses_db }
}

#[derive(Default)]
struct Reader {
    module: Vec<String>,
    paths: BTreeSet<Vec<String>>,
    bound: BTreeSet<String>,
    imports_root: bool,
    uses_db: bool,
}

impl Reader {
    fn note(&mut self, path: Vec<String>) {
        let whole = self.resolved(path);
        self.paths.insert(whole);
    }

    /// With `self` and `super` resolved.
    fn resolved(&self, path: Vec<String>) -> Vec<String> {
        let ups = path.iter().take_while(|part| *part == "super" || *part == "self");
        let (ups, supers) =
            ups.fold((0, 0), |(all, supers), part| (all + 1, supers + usize::from(part == "super")));
        if ups == 0 {
            return path;
        }
        let kept = self.module.len().saturating_sub(supers);
        let mut whole = vec!["crate".to_owned()];
        whole.extend_from_slice(&self.module[..kept]);
        whole.extend_from_slice(&path[ups..]);
        whole
    }

    fn note_import(&mut self, path: Vec<String>) {
        let whole = self.resolved(path);
        self.imports_root |= whole == ["crate"];
        self.paths.insert(whole);
    }

    fn note_use(&mut self, tree: &UseTree, mut before: Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.note_use(&path.tree, before);
            }
            UseTree::Name(name) => {
                let bound =
                    if name.ident == "self" { before.last().cloned() } else { Some(name.ident.to_string()) };
                self.bound.extend(bound.filter(|_| !before.is_empty()));
                before.push(name.ident.to_string());
                self.note_import(before);
            }
            UseTree::Rename(rename) => {
                self.bound.insert(rename.rename.to_string());
                if before.is_empty() || rename.ident != "self" {
                    before.push(rename.ident.to_string());
                }
                self.note_import(before);
            }
            UseTree::Glob(_) => self.note_import(before),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.note_use(tree, before.clone()));
            }
        }
    }

    /// Macros are not parsed: everything in them that looks like a path counts as one.
    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut is_field) = (0, false);
        for token in tokens {
            let was_field = std::mem::replace(&mut is_field, false);
            match token {
                TokenTree::Ident(ident) if was_field && ident == "db" => self.uses_db = true,
                TokenTree::Ident(ident) if colons == 2 && !path.is_empty() => path.push(ident.to_string()),
                TokenTree::Ident(ident) => {
                    self.end(&mut path);
                    path.push(ident.to_string());
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.end(&mut path);
                    self.note_tokens(group.stream());
                }
                TokenTree::Punct(punct) if punct.as_char() == '.' => {
                    self.end(&mut path);
                    is_field = true;
                }
                _ => self.end(&mut path),
            }
            colons = 0;
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        let whole = std::mem::take(path);
        if whole.len() > 1 {
            self.note(whole);
        }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Use(item) => self.note_use(&item.tree, Vec::new()),
            Item::ExternCrate(item) => self.imports_root |= item.ident == "self",
            Item::Mod(inner) if inner.content.is_some() => {
                self.module.push(inner.ident.to_string());
                syn::visit::visit_item(self, item);
                self.module.pop();
            }
            _ => syn::visit::visit_item(self, item),
        }
    }

    fn visit_expr_field(&mut self, field: &'ast syn::ExprField) {
        self.uses_db |= matches!(&field.member, syn::Member::Named(name) if name == "db");
        syn::visit::visit_expr_field(self, field);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.note(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, it: &'ast syn::Macro) {
        self.note_tokens(it.tokens.clone());
        syn::visit::visit_macro(self, it);
    }
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let mut wrong = Vec::new();
    for source in &*SOURCES {
        let Some(own) = layer(source.top_module()) else {
            wrong.push(format!("src/{} is in no layer", source.name));
            continue;
        };
        if source.imports_root {
            wrong.push(format!("src/{} imports everything of the crate's root, or renames it", source.name));
        }
        for other in source.used_modules().into_iter().filter(|other| *other != source.top_module()) {
            if layer(other).is_none_or(|other| other <= own) {
                wrong.push(format!("src/{} uses `{other}`, which does not lie below it", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a face needs of the database is a use case, which checks its actor.
#[test]
fn faces_do_not_reach_the_database() {
    let is_face = |source: &&Source| {
        let module = source.top_module();
        module == "http" || layer(module) == layer("api") && !["jobs", "server"].contains(&module)
    };
    for face in SOURCES.iter().filter(is_face) {
        assert!(!face.used_modules().contains("store"), "src/{} uses `store`", face.name);
        assert!(!face.uses_db, "src/{} uses the field `db`", face.name);
    }
}

#[test]
fn a_version_never_uses_another() {
    for source in &*SOURCES {
        let [module, version, ..] = &source.module[..] else { continue };
        for path in source.paths.iter().filter(|path| path[0] == "crate") {
            let [_, to_module, to, ..] = &path[..] else { continue };
            let is_version = |name: &str| matches!(name, "v2" | "v3" | "v4" | "v5");
            let is_other = is_version(version) && is_version(to) && to != version;
            assert!(!(module == "api" && to_module == "api" && is_other), "src/{} uses {to}", source.name);
        }
    }
}

/// All other code gets access to every tenant from an actor (ADR 17).
#[test]
fn only_an_actor_gives_out_the_whole_installation() {
    let is_named = |source: &&Source| source.paths.iter().any(|path| path.last().unwrap() == "Installation");
    let names: BTreeSet<&str> = SOURCES.iter().filter(is_named).map(|source| source.name.as_str()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["app/actor.rs", "domain/scope.rs", "store/mod.rs"]);
}

#[test]
fn libraries_stay_in_their_modules() {
    for source in &*SOURCES {
        for (library, modules) in ONLY_IN {
            let used = source.paths.iter().any(|path| path[0] == *library && path.len() > 1)
                && !source.bound.contains(*library);
            assert!(!used || modules.contains(&source.top_module()), "src/{} uses {library}", source.name);
        }
    }
}

#[test]
fn every_spelling_of_an_import_is_seen() {
    for (name, text) in [
        ("pages/x.rs", "use crate::store;"),
        ("pages/x.rs", "use crate::{app::App, store::{self as s, Db}};"),
        ("pages/x.rs", "use super::super::store::Db;"),
        ("pages/mod.rs", "use super::store::Db;"),
        ("pages/x/y.rs", "mod tests { use super::super::super::super::store::Db; }"),
        ("pages/x.rs", "fn f() { crate::store::open(); }"),
        ("pages/x.rs", "fn f() { assert!(crate::store::open()); }"),
        ("pages/x.rs", "fn f(db: &crate::store::Db) {}"),
        ("pages/x.rs", "#[derive(Clone)] struct S(Vec<crate::store::Db>);"),
        ("pages/x.rs", "pub use crate::store::*;"),
    ] {
        assert!(read(name, text).used_modules().contains("store"), "{text}");
    }
    assert!(!read("pages/x.rs", "fn f() { store::open(); }").used_modules().contains("store"));
    for (name, text) in [
        ("pages/x.rs", "use crate::*;"),
        ("pages/x.rs", "use crate as c;"),
        ("pages/x.rs", "use crate::{self as c};"),
        ("pages/x.rs", "use super::super as root;"),
        ("pages/x.rs", "use super::{super as root};"),
        ("pages/mod.rs", "use super::*;"),
        ("pages/x.rs", "extern crate self as c;"),
    ] {
        assert!(read(name, text).imports_root, "{text}");
    }
    assert!(
        !read("pages/x.rs", "use super::*; mod tests { use super::*; } pub(crate) fn f() {}").imports_root
    );
    for text in
        ["fn f() { app.db.read(); }", "fn f() { join!(app.db.read()); }", "fn f() { let db = &app.db; }"]
    {
        assert!(read("pages/x.rs", text).uses_db, "{text}");
    }
    assert!(!read("pages/x.rs", "fn f() { app.data_version(); db(); }").uses_db);
    assert!(read("lti/x.rs", "use crate::http::{cookie, html::{self, root}};").bound.contains("cookie"));
}
