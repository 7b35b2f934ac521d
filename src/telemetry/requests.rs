//! Request metrics, on the hottest path: each thread caches the counters of its routes, so that nothing is locked and
//! no label is formatted twice.

use std::{cell::RefCell, collections::HashMap, time::Duration};

use prometheus::{Histogram, IntCounter};

use super::metrics::{GaugeGuard, METRICS};

/// The route label of requests without a route.
pub const OTHER: &str = "other";
/// The route label of requests that hyper could not parse.
const UNREADABLE: &str = "unreadable";
/// Only the rate limiter responds with 429.
const TOO_MANY: u16 = 429;

/// A request in flight. If the client disconnects, it is dropped and not counted as answered.
#[must_use]
pub struct InFlight(#[allow(dead_code)] GaugeGuard);

pub fn request() -> InFlight {
    InFlight(GaugeGuard::new(&METRICS.in_flight))
}

impl InFlight {
    /// `route` is a template, never a path.
    pub fn finish(self, route: &str, method: &str, status: u16, took: Duration) {
        let method = known_method(method);
        KNOWN.with_borrow_mut(|known| match known.get_mut(route) {
            Some(route) => route.count(method, status, took),
            None => {
                let mut new = Route::new(route);
                new.count(method, status, took);
                known.insert(route.into(), new);
            }
        });
    }
}

/// hyper rejected the request: there is neither a method nor a route.
pub fn unreadable(status: u16) {
    METRICS.requests.with_label_values(&["web", UNREADABLE, OTHER, &status.to_string()]).inc();
}

thread_local! { static KNOWN: RefCell<HashMap<Box<str>, Route>> = RefCell::default(); }

struct Route {
    name: Box<str>,
    version: &'static str,
    seconds: Histogram,
    /// Few per route, so a linear search is fastest.
    answers: Vec<(&'static str, u16, IntCounter)>,
}

impl Route {
    fn new(name: &str) -> Self {
        let version = version(name);
        let seconds = METRICS.request_seconds.with_label_values(&[version, name]);
        Self { name: name.into(), version, seconds, answers: Vec::new() }
    }

    fn count(&mut self, method: &'static str, status: u16, took: Duration) {
        self.seconds.observe(took.as_secs_f64());
        self.answers(method, status).inc();
        if status == TOO_MANY {
            METRICS.refusals.with_label_values(&[self.version]).inc();
        }
    }

    fn answers(&mut self, method: &'static str, status: u16) -> &IntCounter {
        let same = |answer: &(&str, u16, IntCounter)| answer.1 == status && answer.0 == method;
        let at = self.answers.iter().position(same).unwrap_or_else(|| {
            let labels = [self.version, &self.name, method, &status.to_string()];
            self.answers.push((method, status, METRICS.requests.with_label_values(&labels)));
            self.answers.len() - 1
        });
        &self.answers[at].2
    }
}

/// Unknown methods share one label.
pub fn known_method(method: &str) -> &'static str {
    const METHODS: [&str; 9] =
        ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "CONNECT", "TRACE"];
    METHODS.into_iter().find(|known| *known == method).unwrap_or(OTHER)
}

/// The API version of a route.
fn version(route: &str) -> &'static str {
    const VERSIONS: [&str; 4] = ["v5", "v4", "v3", "v2"];
    let behind = route.strip_prefix("/api/private/").and_then(|rest| rest.split('/').next());
    VERSIONS.into_iter().find(|version| behind == Some(version)).unwrap_or("web")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_says_its_version() {
        for (route, expected) in [
            ("/api/private/v5/participants/{user_email}", "v5"),
            ("/api/private/v2/names", "v2"),
            ("/api/private/v50/names", "web"),
            ("/api/{*rest}", "web"),
            ("/docs/{version}", "web"),
            (OTHER, "web"),
        ] {
            assert_eq!(version(route), expected, "{route}");
        }
    }

    #[test]
    fn made_up_methods_are_one() {
        assert_eq!(known_method("PATCH"), "PATCH");
        for made_up in ["get", "", "PROPFIND", "ANA@EXAMPLE.EDU"] {
            assert_eq!(known_method(made_up), OTHER);
        }
    }
}
