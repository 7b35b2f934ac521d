//! How far a name page has come: counters that are kept in step with the rows, so that nobody has to count them.

use std::collections::{BTreeMap, HashMap};

use super::{ids::NamePageId, moment::Moment};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// People on the page.
    pub registered: i64,
    /// Those of them who have a recording, audible or paused.
    pub recorded: i64,
    /// Invitations that have not been withdrawn.
    pub invited: i64,
}

impl Coverage {
    /// People without a recording.
    pub const fn missing(self) -> i64 {
        self.registered - self.recorded
    }

    /// How many of 100 people have a recording. Never 100 before everybody has.
    pub const fn percent(self) -> i64 {
        if self.registered <= 0 { 0 } else { self.recorded * 100 / self.registered }
    }

    pub const fn plus(self, other: Self) -> Self {
        Self {
            registered: self.registered + other.registered,
            recorded: self.recorded + other.recorded,
            invited: self.invited + other.invited,
        }
    }
}

/// A day as it is stored: days since January 1, 1970, in UTC.
pub const fn day_of(now: Moment) -> i64 {
    now.micros().div_euclid(24 * 3_600 * 1_000_000)
}

/// The figures of a page on a day on which they have changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noted {
    pub page: NamePageId,
    pub day: i64,
    pub coverage: Coverage,
}

/// The sum of the figures of some pages, for each day from the first that is known on, up to `last`. `before` are the figures of pages
/// before the first of the days.
pub fn trend(
    first: i64,
    before: HashMap<NamePageId, Coverage>,
    noted: &[Noted],
    last: i64,
) -> Vec<(i64, Coverage)> {
    let mut by_day: BTreeMap<i64, Vec<&Noted>> = BTreeMap::new();
    for one in noted.iter().filter(|one| (first..=last).contains(&one.day)) {
        by_day.entry(one.day).or_default().push(one);
    }
    let known = if before.is_empty() { by_day.keys().next().copied() } else { Some(first) };
    let (mut pages, mut days) = (before, Vec::new());
    for day in known.unwrap_or(last + 1)..=last {
        for one in by_day.remove(&day).unwrap_or_default() {
            pages.insert(one.page, one.coverage);
        }
        days.push((day, pages.values().fold(Coverage::default(), |sum, one| sum.plus(*one))));
    }
    days
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_without_a_change_has_the_figures_of_the_day_before() {
        let of = |registered| Coverage { registered, recorded: 1, invited: 0 };
        let noted =
            |page, day, registered| Noted { page: NamePageId::new(page), day, coverage: of(registered) };
        let days = |before: &[(i64, i64)], all: &[Noted]| {
            let before = before.iter().map(|(page, registered)| (NamePageId::new(*page), of(*registered)));
            let days = trend(10, before.collect(), all, 13);
            days.into_iter().map(|(day, sum)| (day, sum.registered, sum.recorded)).collect::<Vec<_>>()
        };
        let all = [noted(1, 11, 5), noted(2, 12, 7), noted(1, 13, 6), noted(1, 14, 99), noted(1, 9, 99)];
        assert_eq!(days(&[], &all), [(11, 5, 1), (12, 12, 2), (13, 13, 2)]);
        assert_eq!(days(&[(2, 3)], &all), [(10, 3, 1), (11, 8, 2), (12, 12, 2), (13, 13, 2)]);
        assert_eq!(days(&[], &[]), [(0, 0, 0); 0]);
    }

    #[test]
    fn a_day_begins_at_midnight() {
        let day = 24 * 3_600 * 1_000_000;
        let of = |micros| day_of(Moment::from_micros(micros));
        assert_eq!([of(-1), of(0), of(day - 1), of(day)], [-1, 0, 0, 1]);
    }

    #[test]
    fn the_last_person_makes_it_100_percent() {
        let of = |registered, recorded| Coverage { registered, recorded, invited: 0 };
        assert_eq!((of(0, 0).percent(), of(0, 0).missing()), (0, 0));
        assert_eq!((of(1_000, 999).percent(), of(1_000, 999).missing()), (99, 1));
        assert_eq!((of(3, 3).percent(), of(3, 3).missing()), (100, 0));
    }
}
