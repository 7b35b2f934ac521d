//! How many sign-in mails may be requested for an address, known or not, and how long to wait after too many.

use std::time::Duration;

use super::{email::Email, moment::Moment, page_settings::ascii};

/// The shorter of the two windows.
pub const RECENT: Duration = Duration::from_secs(15 * 60);
const RECENT_MOST: i64 = 3;
/// The longer one. Counts are kept for that long.
pub const DAY: Duration = Duration::from_secs(24 * 3_600);
const DAY_MOST: i64 = 10;

/// How many requests are permitted, and since when they count.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    pub recent: i64,
    pub recent_since: Moment,
    pub day: i64,
    pub day_since: Moment,
}

impl Allowance {
    pub fn at(now: Moment) -> Self {
        Self {
            recent: RECENT_MOST,
            recent_since: now.minus(RECENT),
            day: DAY_MOST,
            day_since: now.minus(DAY),
        }
    }
}

/// What was counted for an address: requests, and the start of the window in which they count.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    pub recent_since: Moment,
    pub recent: i64,
    pub day_since: Moment,
    pub day: i64,
}

/// How long to wait after too many requests, for one address or from one network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    pub seconds: u64,
}

impl Wait {
    /// Too long to ask people to try again in a quarter of an hour.
    pub const fn is_long(self) -> bool {
        self.seconds > RECENT.as_secs()
    }
}

/// Where mail to an address arrives, as far as addresses tell: `ana+1@example.org` and `ana+2@example.org` are usually one mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mailbox {
    name: String,
    /// In the form that mail servers use.
    pub domain: String,
}

impl Mailbox {
    pub fn of(email: &Email) -> Self {
        let (name, domain) = email.key().rsplit_once('@').unwrap_or((email.key(), ""));
        let untagged = name.split('+').next().filter(|untagged| !untagged.is_empty());
        Self { name: untagged.unwrap_or(name).to_owned(), domain: ascii(domain) }
    }
}

impl std::fmt::Display for Mailbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{}", self.name, self.domain)
    }
}

impl Counts {
    /// The wait after a request that was refused.
    pub fn wait(self, now: Moment) -> Wait {
        // The clock of another node may be ahead.
        let end = |since: Moment, window| since.min(now).plus(window);
        let recent = (self.recent >= RECENT_MOST).then(|| end(self.recent_since, RECENT));
        let day = (self.day >= DAY_MOST).then(|| end(self.day_since, DAY));
        let end = recent.max(day).unwrap_or(now);
        // Rounded up, so that the next request is not too early.
        Wait { seconds: end.since(now).as_secs_f64().ceil() as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment::from_micros(1_800_000_000_000_000);

    fn ago(seconds: u64) -> Moment {
        NOW.minus(Duration::from_secs(seconds))
    }

    #[test]
    fn the_window_that_ends_last_decides() {
        let counts = Counts { recent_since: ago(60), recent: 3, day_since: ago(3_600), day: 9 };
        assert_eq!(counts.wait(NOW), Wait { seconds: 14 * 60 });
        let full = Counts { day: 10, ..counts };
        assert_eq!(full.wait(NOW), Wait { seconds: 23 * 3_600 });
        // The day ends in a minute, and the quarter of an hour in five.
        let ending = Counts { recent_since: ago(10 * 60), day_since: ago(24 * 3_600 - 60), ..full };
        assert_eq!(ending.wait(NOW), Wait { seconds: 5 * 60 });
    }

    #[test]
    fn the_last_minutes_of_a_day_are_not_long() {
        let counts = Counts { recent_since: ago(3_600), recent: 1, day_since: ago(23 * 3_600), day: 10 };
        assert!(counts.wait(NOW).is_long());
        let ending = Counts { day_since: ago(24 * 3_600 - 15 * 60), ..counts };
        assert_eq!(ending.wait(NOW), Wait { seconds: 15 * 60 });
        assert!(!ending.wait(NOW).is_long());
    }

    #[test]
    fn tags_and_spellings_lead_to_one_mailbox() {
        let of = |email: &str| Mailbox::of(&Email::parse(email).unwrap()).to_string();
        for one in ["ana@example.org", "Ana+1@example.org", "ANA+a+b@EXAMPLE.ORG", "ana+@example.org"] {
            assert_eq!(of(one), "ana@example.org");
        }
        assert_eq!(of("+ana@example.org"), "+ana@example.org");
        assert_eq!(of("ana@b\u{fc}cher.example"), of("ana+x@xn--bcher-kva.example"));
        assert_ne!(of("ana@example.org"), of("ana@mail.example.org"));
    }

    #[test]
    fn a_fraction_of_a_second_is_a_second() {
        let since = Moment::from_micros(NOW.micros() - 1);
        let counts = Counts { recent_since: since, recent: 3, day_since: since, day: 3 };
        assert_eq!(counts.wait(NOW).seconds, 15 * 60);
    }

    #[test]
    fn a_clock_that_is_ahead_makes_no_wait_long() {
        let since = NOW.plus(Duration::from_millis(5));
        let counts = Counts { recent_since: since, recent: 3, day_since: since, day: 3 };
        assert!(!counts.wait(NOW).is_long());
    }
}
