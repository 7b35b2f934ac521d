//! The routes of a face, read from its source, so that tests notice new ones.

use std::path::Path;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// With placeholders, such as `/sign-in/link/{secret}`.
    pub path: String,
    pub has_get: bool,
    pub has_post: bool,
}

impl Route {
    /// The path with something in the place of each placeholder.
    pub fn filled(&self, with: &str) -> String {
        let fill = |part: &str| if part.starts_with('{') { with.to_owned() } else { part.to_owned() };
        self.path.split('/').map(fill).collect::<Vec<_>>().join("/")
    }
}

/// All routes that are declared below `src/<face>`.
pub fn of(face: &str) -> Vec<Route> {
    let mut routes = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(face), &mut routes);
    routes.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(routes.len() > 5, "{face}: {routes:?}");
    routes
}

fn walk(folder: &Path, routes: &mut Vec<Route>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, routes);
        } else {
            routes.extend(in_file(&path));
        }
    }
}

/// The routes that one file declares.
pub fn in_file(path: &Path) -> Vec<Route> {
    let source = std::fs::read_to_string(path).unwrap();
    for hidden in [".nest(", ".nest_service(", ".route_service(", ".fallback("] {
        assert!(!source.contains(hidden), "{}: {hidden} has routes that no test sees", path.display());
    }
    source.split(".route(").skip(1).map(|rest| route(arguments(rest))).collect()
}

/// The text up to the closing parenthesis.
fn arguments(rest: &str) -> &str {
    let mut depth = 1;
    let end = rest.find(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    &rest[..end.unwrap()]
}

fn route(arguments: &str) -> Route {
    let mut quoted = arguments.split('"');
    let path = quoted.nth(1).unwrap_or_else(|| panic!("a path in {arguments}")).to_owned();
    let handlers = quoted.next().unwrap();
    // The words before opening parentheses.
    let mut called: Vec<&str> = handlers.split('(').map(last_word).collect();
    called.pop();
    let has = |method: &str| called.contains(&method);
    for other in ["any", "on", "put", "patch", "delete", "get_service", "post_service"] {
        assert!(!has(other), "{path}: `{other}` is not checked by the tests of forms");
    }
    let route = Route { path, has_get: has("get"), has_post: has("post") };
    assert!(route.has_get || route.has_post, "{arguments}");
    route
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

#[test]
fn routes_are_found_in_the_source() {
    for handlers in ["get(x::form).post(x::send).layer(limit(3))", "get(x::form).merge(post(x::send))"] {
        let declared = route(arguments(&format!("\"/a/{{id}}/b\", {handlers})\n.route(")));
        assert_eq!(declared, Route { path: "/a/{id}/b".into(), has_get: true, has_post: true });
        assert_eq!(declared.filled("7"), "/a/7/b");
    }
    let sent = route(arguments("\n    \"/forget\",\n    post(target::get_it),\n)"));
    assert_eq!(sent, Route { path: "/forget".into(), has_get: false, has_post: true });
}

#[test]
#[should_panic(expected = "`put` is not checked")]
fn methods_that_no_test_of_forms_sends_are_refused() {
    route("\"/a\", get(x::form).merge(put(x::send))");
}
