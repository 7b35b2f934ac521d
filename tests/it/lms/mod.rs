//! Learning systems: how they are asked, against stand-ins that were written from their documents.

pub mod canvas;
mod canvas_connector;
pub mod moodle;
mod moodle_connector;
mod nrps_connector;
mod outbound;
pub mod people;
mod platform;

use std::time::Duration;

use endonym::lms::{
    Outbound,
    outbound::{Allowed, Limits},
};

/// May go to stand-ins, and waits for nobody long.
pub fn hasty() -> Outbound {
    Outbound::with_limits(Allowed::parse("127.0.0.0/8").unwrap(), HASTE).unwrap()
}

pub const HASTE: Limits = Limits {
    request: Duration::from_millis(500),
    question: Duration::from_secs(2),
    pause: Duration::from_millis(5),
};
