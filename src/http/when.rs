//! Times as pages show them: in the institution's time zone, the same in all languages.

use jiff::tz::TimeZone;

use crate::domain::moment::Moment;

/// `2026-07-01 12:00`.
pub fn minute(moment: Moment, zone: &TimeZone) -> String {
    cut(moment, zone, 16)
}

/// `2026-07-01 12:00:59`.
pub fn second(moment: Moment, zone: &TimeZone) -> String {
    cut(moment, zone, 19)
}

fn cut(moment: Moment, zone: &TimeZone, length: usize) -> String {
    moment.shown_in(zone).chars().take(length).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// `minute`, or nothing.
pub fn minute_or_none(moment: Option<Moment>, zone: &TimeZone) -> Option<String> {
    moment.map(|moment| minute(moment, zone))
}
