//! The connectors to learning systems, tested against fakes that were written from their documentation.

pub mod canvas;
mod canvas_connector;
mod conformance;
pub mod moodle;
mod moodle_connector;
mod nrps_connector;
pub mod people;
mod platform;

use std::time::Duration;

use endonym::{
    lms::{CourseRef, Error, Found},
    outbound::{Allowed, Limits, Outbound},
};

/// May connect to the fakes, and retries at once.
pub fn hasty() -> Outbound {
    waiting(Duration::from_secs(10))
}

/// With short timeouts, for systems that never respond.
fn impatient() -> Outbound {
    waiting(Duration::from_millis(100))
}

fn waiting(request: Duration) -> Outbound {
    let limits = Limits { request, question: request * 3, pause: Duration::from_millis(5) };
    Outbound::with_limits(Allowed::parse("127.0.0.0/8").unwrap(), limits).unwrap()
}

fn wanted(given: &str) -> CourseRef {
    CourseRef { given: given.into(), memberships_url: None, title: None }
}

fn found(id: &str, title: &str) -> Found {
    Found { id: id.into(), title: title.into(), memberships_url: None }
}

fn unavailable<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Unavailable(why)) => why,
        other => panic!("{other:?}"),
    }
}

fn denied<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(Error::Denied(why)) => why,
        other => panic!("{other:?}"),
    }
}
