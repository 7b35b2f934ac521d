//! A timestamp with millisecond precision, because that is what responses show: a client that sends one back as an exclusive
//! bound must not get the same record again.

use jiff::{Timestamp, civil::Date, tz::TimeZone};

/// Microseconds since 1970; always whole milliseconds when created by the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(i64);

impl Moment {
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    pub fn from_timestamp(timestamp: Timestamp) -> Self {
        Self(timestamp.as_millisecond() * 1_000)
    }

    /// From a file's modification time.
    pub fn from_system(time: std::time::SystemTime) -> Self {
        Timestamp::try_from(time).map_or(Self(0), Self::from_timestamp)
    }

    pub const fn micros(self) -> i64 {
        self.0
    }

    pub const fn plus_days(self, days: i64) -> Self {
        Self(self.0.saturating_add(days.saturating_mul(86_400_000_000)))
    }

    pub fn plus(self, time: std::time::Duration) -> Self {
        Self(self.0.saturating_add(i64::try_from(time.as_micros()).unwrap_or(i64::MAX)))
    }

    pub fn minus(self, time: std::time::Duration) -> Self {
        Self(self.0.saturating_sub(i64::try_from(time.as_micros()).unwrap_or(i64::MAX)))
    }

    /// The time elapsed since `earlier`; zero if it is later.
    pub fn since(self, earlier: Self) -> std::time::Duration {
        std::time::Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The date in the given zone.
    pub fn date_in(self, zone: &TimeZone) -> Date {
        let timestamp = Timestamp::from_microsecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        zone.to_datetime(timestamp).date()
    }

    /// `YYYY-MM-DDThh:mm:ss.sss±hh:mm` in the given zone.
    pub fn shown_in(self, zone: &TimeZone) -> String {
        let timestamp = Timestamp::from_microsecond(self.0).unwrap_or(Timestamp::UNIX_EPOCH);
        let offset = zone.to_offset(timestamp);
        let local = offset.to_datetime(timestamp);
        let minutes = offset.seconds() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        format!(
            "{}T{:02}:{:02}:{:02}.{:03}{sign}{:02}:{:02}",
            local.date(),
            local.hour(),
            local.minute(),
            local.second(),
            local.millisecond(),
            minutes.abs() / 60,
            minutes.abs() % 60
        )
    }

    /// Parses ISO 8601 with a zone (`Z` or an offset). A space in place of the offset's sign is accepted: it is a plus that was
    /// decoded from a query string.
    pub fn parse(given: &str) -> Option<Self> {
        let mut text = given.trim().to_owned();
        // A named zone in brackets is an extension, not ISO 8601.
        if text.contains('[') {
            return None;
        }
        if let Some(at) = text.rfind(' ')
            && text[..at].contains(['T', 't'])
        {
            text.replace_range(at..=at, "+");
        }
        text.contains(['T', 't']).then_some(())?;
        let timestamp: Timestamp = text.parse().ok()?;
        Some(Self(timestamp.as_microsecond()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_with_milliseconds_and_offset() {
        let moment = Moment::parse("2026-07-01T12:00:00.5Z").unwrap();
        assert_eq!(moment.shown_in(&TimeZone::UTC), "2026-07-01T12:00:00.500+00:00");
        let new_york = TimeZone::get("America/New_York").unwrap();
        assert_eq!(moment.shown_in(&new_york), "2026-07-01T08:00:00.500-04:00");
        let kathmandu = TimeZone::get("Asia/Kathmandu").unwrap();
        assert_eq!(moment.shown_in(&kathmandu), "2026-07-01T17:45:00.500+05:45");
    }

    #[test]
    fn reads_iso_8601_with_a_zone() {
        let wanted = Moment::parse("2026-07-01T10:00:00Z");
        assert!(wanted.is_some());
        for given in [
            "2026-07-01T12:00:00+02:00",
            "2026-07-01T12:00:00 02:00",
            "2026-07-01T12:00:00.000+0200",
            "2026-07-01T12:00:00+02",
            "2026-07-01T12:00+02:00",
            "20260701T100000Z",
            "2026-07-01T06:00:00.000-04:00",
        ] {
            assert_eq!(Moment::parse(given), wanted, "{given}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for given in [
            "",
            "yesterday",
            "2026-07-01",
            "2026-07-01T12:00:00",
            "2026-13-01T12:00:00Z",
            "2026-07-01T25:00:00Z",
            "1782900000",
            "2026-07-01T12:00:00[Europe/Paris]",
            "2026-07-01T12:00:00+02:00[Europe/Paris]",
        ] {
            assert_eq!(Moment::parse(given), None, "{given}");
        }
    }
}
