//! The schedule of automatic course synchronization.

use std::time::Duration;

use jiff::{Timestamp, ToSpan, civil::time, tz::TimeZone};

use super::{ids::CourseId, moment::Moment};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Schedule {
    /// Between 1:00 and 5:00 in the institution's time zone.
    #[default]
    Nightly,
    Hourly,
    Off,
}

const NIGHT_BEGINS: i8 = 1;
const NIGHT_LASTS: Duration = Duration::from_secs(4 * 3_600);
const HOUR: Duration = Duration::from_secs(3_600);

impl Schedule {
    pub const ALL: [Self; 3] = [Self::Nightly, Self::Hourly, Self::Off];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Nightly => "nightly",
            Self::Hourly => "hourly",
            Self::Off => "off",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|schedule| schedule.word() == word)
    }

    /// The next time after `after` at which a course is due. Each course has its own offset within the night or the hour, to
    /// spread the load on the learning system.
    pub fn next(self, after: Moment, zone: &TimeZone, course: CourseId) -> Option<Moment> {
        match self {
            Self::Nightly => Some(next_night(after, zone, course)),
            Self::Hourly => {
                let hour = micros(HOUR);
                let turn = micros(share(course, HOUR));
                let wait = (turn - after.micros() - 1).rem_euclid(hour) + 1;
                Some(Moment::from_micros(after.micros().saturating_add(wait)))
            }
            Self::Off => None,
        }
    }
}

fn next_night(after: Moment, zone: &TimeZone, course: CourseId) -> Moment {
    let turn = share(course, NIGHT_LASTS);
    let today = Timestamp::from_microsecond(after.micros()).unwrap_or(Timestamp::UNIX_EPOCH);
    let today = zone.to_datetime(today).date();
    (0..3)
        .filter_map(|days| {
            let night = today.checked_add(days.days()).ok()?.to_datetime(time(NIGHT_BEGINS, 0, 0, 0));
            // If a DST change skips this hour, the next one is used.
            let begins = zone.to_timestamp(night).ok()?;
            Some(Moment::from_timestamp(begins).plus(turn))
        })
        .find(|turn| *turn > after)
        .unwrap_or_else(|| after.plus_days(1))
}

/// A course's offset within a span: stable, and evenly distributed over courses.
fn share(course: CourseId, of: Duration) -> Duration {
    // Fibonacci hashing spreads consecutive ids.
    let hashed = course.get().cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Duration::from_secs(hashed % of.as_secs())
}

fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        Moment::parse(text).expect("a time")
    }

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).expect("a zone")
    }

    #[test]
    fn nightly_is_at_night_where_the_institution_is_at_the_same_minute_each_time() {
        for name in ["UTC", "America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland", "Europe/Berlin"] {
            let zone = zone(name);
            // Across both DST changes.
            let (mut at, mut turns) = (moment("2027-01-01T12:00:00Z"), 0);
            loop {
                let next = Schedule::Nightly.next(at, &zone, CourseId::new(7)).unwrap();
                if next > moment("2028-01-01T12:00:00Z") {
                    break;
                }
                let hour: u32 = next.shown_in(&zone)[11..13].parse().unwrap();
                assert!((1..6).contains(&hour), "{name}: {}", next.shown_in(&zone));
                let wait = next.since(at).as_secs() / 3_600;
                assert!(turns == 0 || (22..=25).contains(&wait), "{name}: {wait} hours");
                (at, turns) = (next, turns + 1);
            }
            assert_eq!(turns, 365, "{name}: once a night");
        }
    }

    #[test]
    fn courses_are_spread_over_the_night_and_over_the_hour() {
        let now = moment("2027-03-01T12:00:00Z");
        for (schedule, parts) in [(Schedule::Nightly, 8), (Schedule::Hourly, 4)] {
            let mut counts = vec![0; parts];
            let times: Vec<i64> = (0..800)
                .map(|id| schedule.next(now, &TimeZone::UTC, CourseId::new(id)).unwrap().micros())
                .collect();
            let (first, last) = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
            for at in times {
                counts[usize::try_from((at - first) * parts as i64 / (last - first + 1)).unwrap()] += 1;
            }
            assert!(counts.iter().all(|count| *count > 400 / parts), "{schedule:?}: {counts:?}");
        }
    }

    #[test]
    fn hourly_is_within_the_hour_and_off_is_never() {
        let now = moment("2027-03-01T12:34:56Z");
        let first = Schedule::Hourly.next(now, &TimeZone::UTC, CourseId::new(99)).unwrap();
        assert!(first > now && first.since(now) <= HOUR);
        let second = Schedule::Hourly.next(first, &TimeZone::UTC, CourseId::new(99)).unwrap();
        assert_eq!(second.since(first), HOUR);
        assert_eq!(Schedule::Off.next(now, &TimeZone::UTC, CourseId::new(99)), None);
        assert_eq!(Schedule::ALL.map(|one| Schedule::parse(one.word())), Schedule::ALL.map(Some));
        assert_eq!(Schedule::parse("weekly"), None);
    }
}
