//! Times as the console shows them: in the institution's time zone, the same in all languages.

use jiff::tz::TimeZone;

use crate::domain::moment::Moment;

/// `2026-07-01 12:00`.
pub fn minute(moment: Moment, zone: &TimeZone) -> String {
    moment.shown_in(zone).chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// The same, or nothing.
pub fn minute_or_none(moment: Option<Moment>, zone: &TimeZone) -> Option<String> {
    moment.map(|moment| minute(moment, zone))
}
