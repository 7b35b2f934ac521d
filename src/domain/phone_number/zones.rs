//! Maps phone number prefixes to time zones. The data is libphonenumber's (Apache-2.0); `assets/phone/make` generates it.

use std::{collections::HashMap, sync::LazyLock};

/// Each line holds comma-separated zones, followed by the prefixes of the numbers in them.
const DATA: &str = include_str!("../../../assets/phone/time-zones.txt");

static BY_PREFIX: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = DATA.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once(' '));
    entries.flat_map(|(zones, prefixes)| prefixes.split(' ').map(move |prefix| (prefix, zones))).collect()
});

static MAX_PREFIX: LazyLock<usize> =
    LazyLock::new(|| BY_PREFIX.keys().map(|prefix| prefix.len()).max().unwrap_or(0));

/// The zones of the longest known prefix of these digits.
pub fn of(digits: &str) -> Vec<&'static str> {
    let longest = digits.len().min(*MAX_PREFIX);
    let found = (1..=longest).rev().find_map(|length| BY_PREFIX.get(digits.get(..length)?));
    found.map_or_else(Vec::new, |zones| zones.split(',').collect())
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn every_zone_is_known() {
        for zone in BY_PREFIX.values().flat_map(|zones| zones.split(',')) {
            assert!(TimeZone::get(zone).is_ok(), "{zone}");
        }
        assert!(BY_PREFIX.len() > 3_000, "{}", BY_PREFIX.len());
    }

    #[test]
    fn the_longest_prefix_wins() {
        assert_eq!(of("12025550123"), ["America/New_York"]);
        assert_eq!(of("12082155555"), ["America/Los_Angeles"]);
        assert_eq!(of("12082015555"), ["America/Denver"]);
        assert_eq!(of("999"), Vec::<&str>::new());
        assert_eq!(of(""), Vec::<&str>::new());
    }
}
