//! Which pages there are, so that the tests notice one at which nobody has looked.

use std::{collections::BTreeSet, path::Path};

use endonym::console;
use reqwest::Method;

use crate::support::routes;

/// What is requested with GET and shows no page, with what it sends instead.
const NO_PAGES: [(&str, &str); 25] = [
    ("/console/{slug}/audit/export", "a file"),
    ("/console/{slug}/events", "events"),
    ("/console/{slug}/jobs/exports/{id}", "a file"),
    ("/console/{slug}/moderation/{id}/audio", "a recording"),
    ("/console/{slug}/moderation/{id}/photo", "a picture"),
    ("/console/{slug}/people/{id}/audio/{hex}", "a recording"),
    ("/console/{slug}/progress", "JSON"),
    ("/me/copy", "a file"),
    ("/me/handover/{id}", "JSON"),
    ("/me/legal-name/audio", "a recording"),
    ("/me/photo", "a picture"),
    ("/me/recording/audio", "a recording"),
    ("/p/{slug}/import/{id}/report.csv", "a file"),
    ("/p/{slug}/invitations/links.csv", "a file"),
    ("/p/{slug}/moderation/{id}/audio", "a recording"),
    ("/p/{slug}/moderation/{id}/photo", "a picture"),
    ("/p/{slug}/own/audio", "a recording"),
    ("/p/{slug}/own/handover/{id}", "JSON"),
    ("/p/{slug}/own/photo", "a picture"),
    ("/p/{slug}/people/all.mp3", "recordings"),
    ("/p/{slug}/people/rows", "a part of the listening page"),
    ("/p/{slug}/qr.svg", "an image"),
    ("/sign-in/proxy", "a redirection, or an error page like those of other paths"),
    ("/sso/callback/{institution}", "a redirection, or an error page like those of /sso/callback"),
    ("/sso/{id}/start", "a redirection to the provider"),
];

/// The routes that are requested with GET, of people, of name pages and of the console.
fn all() -> BTreeSet<String> {
    let of_operator = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/console/mod.rs");
    let found = [routes::of("me"), routes::of("name_pages"), routes::in_file(&of_operator)];
    let found = found.into_iter().flatten().filter(|route| route.has_get).map(|route| route.path);
    let rules = console::rules().into_iter().filter(|rule| rule.method == Method::GET);
    found.chain(rules.map(|rule| rule.path.to_owned())).collect()
}

/// The route of a path: of those that fit, the one with the fewest placeholders.
fn route_of<'a>(all: &'a BTreeSet<String>, path: &str) -> Option<&'a String> {
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |route: &&String| {
        let wanted: Vec<&str> = route.split('/').collect();
        wanted.len() == parts.len()
            && wanted.iter().zip(&parts).all(|(wanted, part)| wanted.starts_with('{') || wanted == part)
    };
    all.iter().filter(fits).min_by_key(|route| route.matches('{').count())
}

/// The pages that were not visited, of a part of them.
pub fn unseen(visited: &BTreeSet<String>, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let all = all();
    let seen: BTreeSet<&String> = visited.iter().filter_map(|path| route_of(&all, path)).collect();
    let is_page = |route: &str| !NO_PAGES.iter().any(|(path, _)| *path == route);
    all.iter()
        .filter(|route| is_wanted(route) && is_page(route) && !seen.contains(route))
        .map(|route| {
            format!(
                "nobody has looked at {route}: add a line to tests/it/looks.rs, or, if it shows no page, to NO_PAGES in \
                 tests/it/looks/routes.rs"
            )
        })
        .collect()
}

#[test]
fn what_shows_no_page_can_be_requested() {
    let all = all();
    assert!(all.len() > 80, "{all:?}");
    for (path, _) in NO_PAGES {
        assert!(all.contains(path), "{path} is no route for GET: remove it from NO_PAGES");
    }
}

#[test]
fn a_page_that_was_not_visited_is_found() {
    let visited = ["/console/example/people/7", "/console/example/people/deleted"].map(str::to_owned);
    let found = unseen(&BTreeSet::from(visited), |route| route.starts_with("/console/{slug}/people/"));
    let is_among = |route: &str| found.iter().any(|fault| fault.contains(&format!(" {route}:")));
    assert!(!is_among("/console/{slug}/people/{id}") && !is_among("/console/{slug}/people/deleted"));
    assert!(is_among("/console/{slug}/people/bulk") && is_among("/console/{slug}/people/{id}/edit"));
    assert!(!is_among("/console/{slug}/people/{id}/audio/{hex}"), "it is no page");
}
