//! Quiet hours, during which nobody is called, in the local time of the phone.

use jiff::{Timestamp, tz::TimeZone};

use super::moment::Moment;

const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * 60 * MINUTE;
/// How far ahead to search for a time at which it is quiet in no zone. Local clocks repeat daily except around DST changes.
const HORIZON: i64 = 2 * DAY;

/// A range of local times that may cross midnight, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours(Option<Hours>);

/// Microseconds since local midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hours {
    from: i64,
    to: i64,
}

impl QuietHours {
    pub const OFF: Self = Self(None);

    /// Parses `21:00-08:00`, `21-8` or `off`. The error is a message for the operator.
    pub fn parse(given: &str) -> Result<Self, String> {
        let given = given.trim();
        if given.eq_ignore_ascii_case("off") {
            return Ok(Self::OFF);
        }
        let ends = given.split_once('-').and_then(|(from, to)| Some((time_of_day(from)?, time_of_day(to)?)));
        match ends {
            None => Err(format!("quiet hours look like 21:00-08:00, or `off` for none, not `{given}`")),
            Some((from, to)) if from == to => Err(format!(
                "quiet hours that begin and end at the same time, like `{given}`, could mean always or never: write \
                 `off` for none"
            )),
            Some((from, to)) => Ok(Self(Some(Hours { from, to }))),
        }
    }

    /// When they begin and end, like `21:00` and `08:00`; `None` if there are none.
    pub fn ends(&self) -> Option<[String; 2]> {
        let clock = |micros: i64| format!("{:02}:{:02}", micros / (60 * MINUTE), micros / MINUTE % 60);
        self.0.map(|hours| [hours.from, hours.to].map(clock))
    }

    /// Returns `now` if it is quiet in none of the zones, otherwise the next time at which it is not.
    ///
    /// The zones of one number can be so far apart that there is no such time: a North American toll-free number may ring
    /// anywhere from Guam to Bermuda. Then this is the first time at which it is quiet in the fewest zones.
    pub fn next_allowed(&self, now: Moment, zones: &[TimeZone]) -> Moment {
        let Self(Some(hours)) = self else { return now };
        let mut at = now.micros();
        while at < now.micros() + HORIZON {
            // Until quiet hours end in the last of the zones that are quiet now, at least one zone is quiet.
            let next = zones.iter().map(|zone| hours.awake_from(at, zone)).max().unwrap_or(at);
            if next == at {
                return Moment::from_micros(at);
            }
            at = next;
        }
        Moment::from_micros(hours.least_disturbing(now.micros(), zones))
    }
}

impl Hours {
    const fn is_quiet(self, time_of_day: i64) -> bool {
        if self.from < self.to {
            self.from <= time_of_day && time_of_day < self.to
        } else {
            self.from <= time_of_day || time_of_day < self.to
        }
    }

    fn is_quiet_at(self, at: i64, zone: &TimeZone) -> bool {
        timestamp(at).is_some_and(|moment| self.is_quiet(clock(at, moment, zone)))
    }

    /// The first time, at or after `at`, at which it is not quiet in the zone.
    fn awake_from(self, at: i64, zone: &TimeZone) -> i64 {
        self.first(at, zone, false)
    }

    /// The first time, at or after `at`, at which it is quiet in the zone (or not quiet). Local time is continuous between offset
    /// transitions, so this goes from transition to transition.
    fn first(self, mut at: i64, zone: &TimeZone, quiet: bool) -> i64 {
        while let Some(moment) = timestamp(at) {
            let clock = clock(at, moment, zone);
            if self.is_quiet(clock) == quiet {
                break;
            }
            let begins = if quiet { self.from } else { self.to };
            let then = at + (begins - clock).rem_euclid(DAY);
            match zone.following(moment).next().map(|change| change.timestamp().as_microsecond()) {
                Some(change) if change < then => at = change,
                _ => return then,
            }
        }
        at
    }

    /// The time at which it is quiet in the fewest zones. Their number drops only when quiet hours end in one, so only those
    /// times are candidates.
    fn least_disturbing(self, now: i64, zones: &[TimeZone]) -> i64 {
        let mut candidates = vec![now];
        for zone in zones {
            let mut at = now;
            while at < now + HORIZON {
                at = self.awake_from(self.first(at, zone, true), zone);
                candidates.push(at);
            }
        }
        let disturbed = |at: i64| zones.iter().filter(|zone| self.is_quiet_at(at, zone)).count();
        candidates.into_iter().min_by_key(|at| (disturbed(*at), *at)).unwrap_or(now)
    }
}

/// Microseconds since local midnight.
fn clock(at: i64, moment: Timestamp, zone: &TimeZone) -> i64 {
    (at + i64::from(zone.to_offset(moment).seconds()) * 1_000_000).rem_euclid(DAY)
}

fn timestamp(micros: i64) -> Option<Timestamp> {
    Timestamp::from_microsecond(micros).ok()
}

fn time_of_day(given: &str) -> Option<i64> {
    let (hours, minutes) = given.trim().split_once(':').unwrap_or((given.trim(), "0"));
    let number = |text: &str, most: i64| {
        let digits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<i64>().ok().filter(|number| digits && *number <= most)
    };
    Some((number(hours, 23)? * 60 + number(minutes, 59)?) * MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap_or_else(|_| panic!("{name} is a zone"))
    }

    fn next(hours: &str, now: &str, zones: &[&str]) -> String {
        let hours = QuietHours::parse(hours).expect("hours");
        let zones: Vec<_> = zones.iter().map(|name| zone(name)).collect();
        let now = Moment::parse(now).expect("a time");
        hours.next_allowed(now, &zones).shown_in(&zones[0]).replace(":00.000", "")
    }

    #[test]
    fn they_are_shown_as_times_of_day() {
        let ends = |given: &str| QuietHours::parse(given).expect("hours").ends();
        assert_eq!(ends("21-8:30"), Some(["21:00".to_owned(), "08:30".to_owned()]));
        assert_eq!(ends("off"), None);
    }

    #[test]
    fn nobody_is_called_at_night() {
        let new_york = &["America/New_York"];
        for (now, then) in [
            ("2026-01-15T20:59:00-05:00", "2026-01-15T20:59-05:00"),
            ("2026-01-15T21:00:00-05:00", "2026-01-16T08:00-05:00"),
            ("2026-01-15T23:30:00-05:00", "2026-01-16T08:00-05:00"),
            ("2026-01-16T03:00:00-05:00", "2026-01-16T08:00-05:00"),
            ("2026-01-16T07:59:59-05:00", "2026-01-16T08:00-05:00"),
            ("2026-01-16T08:00:00-05:00", "2026-01-16T08:00-05:00"),
        ] {
            assert_eq!(next("21:00-08:00", now, new_york), then, "{now}");
        }
        let lunch = "12:30-13:45";
        assert_eq!(next(lunch, "2026-01-15T13:00:00-05:00", new_york), "2026-01-15T13:45-05:00");
        assert_eq!(next(lunch, "2026-01-15T23:00:00-05:00", new_york), "2026-01-15T23:00-05:00");
        assert_eq!(next("off", "2026-01-15T23:00:00-05:00", new_york), "2026-01-15T23:00-05:00");
    }

    #[test]
    fn the_clock_on_the_wall_counts_when_it_is_changed() {
        let new_york = &["America/New_York"];
        // In 2026, the clock jumps from 01:59:59 to 03:00 on March 8, and from 01:59:59 to 01:00 on November 1.
        assert_eq!(next("21-8", "2026-03-07T22:00:00-05:00", new_york), "2026-03-08T08:00-04:00");
        assert_eq!(next("21-8", "2026-10-31T22:00:00-04:00", new_york), "2026-11-01T08:00-05:00");
        assert_eq!(
            next("21:00-02:30", "2026-03-08T01:00:00-05:00", new_york),
            "2026-03-08T03:00-04:00",
            "02:30 is never shown"
        );
        assert_eq!(
            next("02:15-02:45", "2026-03-08T01:59:00-05:00", new_york),
            "2026-03-08T01:59-05:00",
            "neither of the two is"
        );
        assert_eq!(
            next("00:30-01:30", "2026-11-01T00:45:00-04:00", new_york),
            "2026-11-01T01:30-04:00",
            "the first of two"
        );
        assert_eq!(
            next("00:30-01:30", "2026-11-01T01:10:00-05:00", new_york),
            "2026-11-01T01:30-05:00",
            "the second of two"
        );
        // A half-hour change on Lord Howe Island, and the day that Samoa skipped.
        assert_eq!(
            next("21-8", "2026-10-03T23:00:00+10:30", &["Australia/Lord_Howe"]),
            "2026-10-04T08:00+11:00"
        );
        assert_eq!(next("21-8", "2011-12-29T23:00:00-10:00", &["Pacific/Apia"]), "2011-12-31T08:00+14:00");
    }

    #[test]
    fn where_a_phone_may_be_in_several_zones_all_are_awake() {
        let states = &["America/New_York", "America/Los_Angeles"];
        assert_eq!(next("21-8", "2026-01-15T22:00:00-05:00", states), "2026-01-16T11:00-05:00");
        assert_eq!(next("21-8", "2026-01-16T09:00:00-05:00", states), "2026-01-16T11:00-05:00");
        assert_eq!(next("21-8", "2026-01-16T20:30:00-05:00", states), "2026-01-16T20:30-05:00");
        // 10:00 in London is 20:00 in Vladivostok: one hour suits all zones.
        let far = &["Europe/London", "Asia/Vladivostok", "Europe/Moscow"];
        assert_eq!(next("21-10", "2026-01-15T05:00:00+00:00", far), "2026-01-15T10:00+00:00");
        assert_eq!(next("21-10", "2026-01-15T10:59:00+00:00", far), "2026-01-15T10:59+00:00");
        assert_eq!(next("21-10", "2026-01-15T11:00:00+00:00", far), "2026-01-16T10:00+00:00");
    }

    #[test]
    fn zones_that_never_agree_are_disturbed_as_little_as_possible() {
        let far = &["America/New_York", "Asia/Hong_Kong", "America/Toronto"];
        // Calls are allowed for eleven hours a day, but the zones are 13 hours apart.
        assert_eq!(next("20-9", "2026-01-15T02:00:00-05:00", far), "2026-01-15T09:00-05:00");
        // Two zones are awake and one is not: there is no better time.
        assert_eq!(next("20-9", "2026-01-15T12:00:00-05:00", far), "2026-01-15T12:00-05:00");
        assert_eq!(next("20-9", "2026-01-15T20:00:00-05:00", far), "2026-01-16T09:00-05:00");
    }

    /// Brute force: tries every quarter of an hour, the granularity of today's UTC offsets.
    #[test]
    fn no_earlier_moment_would_have_done() {
        const QUARTER: i64 = 15 * MINUTE;
        let zones = [
            vec![zone("America/New_York")],
            vec![zone("Australia/Lord_Howe"), zone("Australia/Perth"), zone("Australia/Adelaide")],
            vec![zone("Asia/Kathmandu"), zone("Europe/Dublin")],
            vec![zone("America/St_Johns"), zone("Pacific/Auckland"), zone("Africa/Cairo")],
        ];
        for day in ["2026-03-07", "2026-03-28", "2026-04-04", "2026-09-26", "2026-10-03", "2026-10-31"] {
            let midnight = Moment::parse(&format!("{day}T00:00:00Z")).expect("a time").micros();
            for (hours, zones) in
                ["21-8", "00:30-2", "2-3", "9-18:15"].iter().flat_map(|h| zones.iter().map(move |z| (h, z)))
            {
                let quiet = QuietHours::parse(hours).expect("hours");
                let disturbed = |at: i64| {
                    zones.iter().filter(|zone| quiet.0.expect("hours").is_quiet_at(at, zone)).count()
                };
                for now in (midnight..midnight + 2 * DAY).step_by(QUARTER as usize * 6) {
                    let tried = (now..now + HORIZON).step_by(QUARTER as usize);
                    let best = tried.min_by_key(|at| (disturbed(*at), *at)).expect("a moment");
                    let found = quiet.next_allowed(Moment::from_micros(now), zones).micros();
                    assert_eq!(found, best, "{hours} from {now}");
                }
            }
        }
    }

    #[test]
    fn hours_are_read() {
        let hours = QuietHours::parse("21:00-08:00");
        assert!(hours.is_ok());
        for given in [" 21:00 - 8:00 ", "21-8", "21-08", "21:0-8:00"] {
            assert_eq!(QuietHours::parse(given), hours, "{given}");
        }
        assert_eq!(QuietHours::parse("Off"), Ok(QuietHours::OFF));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for given in ["", "21", "21-", "24:00-08:00", "21:60-08:00", "9pm-8am", "+9-8", "-", "21:00-08:00-1"]
        {
            let why = QuietHours::parse(given).unwrap_err();
            assert!(why.contains("21:00-08:00, or `off`"), "{given}: {why}");
        }
        assert!(QuietHours::parse("8-08:00").unwrap_err().contains("always or never"));
    }
}
