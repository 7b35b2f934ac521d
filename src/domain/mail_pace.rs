//! How fast messages are handed to the mail server: one bound for all processes that share a database.

use std::time::Duration;

use super::moment::Moment;

const MINUTE: Duration = Duration::from_secs(60);
/// More workers than wait for a turn at once.
const MOST_WAITING: u32 = 200;

/// Messages have turns, which are spaced evenly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailPace {
    interval: Duration,
}

/// What is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// The first turn that is free.
    pub free: Moment,
    /// The last turn that a page mail was given.
    pub last_page_mail: Moment,
}

impl MailPace {
    pub fn new(per_minute: u32) -> Self {
        Self { interval: MINUTE / per_minute.max(1) }
    }

    /// Gives a page mail the first free turn. Turns that nobody has taken in time are lost. However many messages have not waited, page mails have
    /// every second turn.
    pub fn take(self, turns: Turns, now: Moment) -> (Moment, Turns) {
        let free = self.free(turns, now);
        let second = turns.last_page_mail.plus(2 * self.interval).max(now.plus(self.interval));
        let turn = if turns.last_page_mail > now.plus(self.horizon()) { free } else { free.min(second) };
        (turn, Turns { free: free.plus(self.interval), last_page_mail: turn })
    }

    fn free(self, turns: Turns, now: Moment) -> Moment {
        if turns.free > now.plus(self.horizon()) { now } else { turns.free.max(now) }
    }

    /// Nobody waits as long as this for a turn, so a later one is due to a clock that was wrong.
    fn horizon(self) -> Duration {
        2 * MINUTE + self.interval * MOST_WAITING
    }

    /// Counts a message that does not wait: page mails that have no turn yet wait longer instead. Not for more than a minute: the bound is one of
    /// messages in a minute, and older ones do not matter.
    pub fn overtake(self, turns: Turns, now: Moment) -> Turns {
        let free = self.free(turns, now);
        Turns { free: free.plus(self.interval).min(now.plus(MINUTE)).max(free), ..turns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Duration = Duration::from_millis(100);
    const START: Moment = Moment::from_micros(1_000_000_000_000);

    const NONE: Turns = Turns { free: Moment::from_micros(0), last_page_mail: Moment::from_micros(0) };

    fn from(free: Moment) -> Turns {
        Turns { free, ..NONE }
    }

    /// The times until the turns of page mails that come at the same time, and what is stored afterwards.
    fn taken<const N: usize>(pace: MailPace, mut turns: Turns, now: Moment) -> ([Duration; N], Turns) {
        let waits = [(); N].map(|()| {
            let (turn, next) = pace.take(turns, now);
            turns = next;
            turn.since(now)
        });
        (waits, turns)
    }

    #[test]
    fn turns_are_spaced_evenly_and_idle_time_is_not_saved_up() {
        let pace = MailPace::new(600);
        let (waits, turns) = taken::<3>(pace, NONE, START);
        assert_eq!(waits, [Duration::ZERO, TENTH, 2 * TENTH]);
        assert_eq!(turns.free, START.plus(3 * TENTH));
        let (waits, _) = taken::<2>(pace, turns, START.plus(MINUTE));
        assert_eq!(waits, [Duration::ZERO, TENTH]);
        assert_eq!([1, 0].map(MailPace::new), [MailPace { interval: MINUTE }; 2]);
    }

    #[test]
    fn a_message_that_does_not_wait_delays_the_next_ones() {
        let pace = MailPace::new(600);
        let (_, turns) = taken::<2>(pace, from(START), START);
        let turns = pace.overtake(turns, START);
        assert_eq!(turns.free, START.plus(3 * TENTH));
        assert_eq!(taken::<2>(pace, turns, START).0, [3 * TENTH, 4 * TENTH]);
        let after_a_pause = pace.overtake(from(START), START.plus(MINUTE));
        assert_eq!(after_a_pause.free, START.plus(MINUTE + TENTH));
    }

    #[test]
    fn messages_that_do_not_wait_delay_nobody_for_more_than_a_minute_and_revoke_no_turn() {
        let pace = MailPace::new(600);
        let turns = (0..2_000).fold(from(START), |turns, _| pace.overtake(turns, START));
        assert_eq!(turns.free, START.plus(MINUTE));
        let slow = MailPace::new(1);
        let (_, turns) = taken::<3>(slow, from(START), START);
        assert_eq!(slow.overtake(turns, START), turns);
        assert_eq!(turns.free, START.plus(3 * MINUTE));
    }

    #[test]
    fn however_many_do_not_wait_page_mails_have_every_second_turn() {
        let pace = MailPace::new(600);
        let (mut turns, mut now, mut sent) = (NONE, START, 0);
        while now < START.plus(MINUTE) {
            // Five messages that do not wait for each turn.
            turns = (0..5).fold(turns, |turns, _| pace.overtake(turns, now));
            let (turn, next) = pace.take(turns, now);
            assert!(turn <= now.plus(2 * TENTH), "{turn:?} {now:?}");
            (turns, now, sent) = (next, turn.max(now).plus(Duration::from_micros(1)), sent + 1);
        }
        assert!((299..=302).contains(&sent), "{sent}");
    }

    #[test]
    fn a_clock_that_was_wrong_by_minutes_holds_nothing_up() {
        let pace = MailPace::new(600);
        let wrong = START.plus(Duration::from_secs(141));
        let all_wrong = Turns { free: wrong, last_page_mail: wrong };
        for turns in [from(wrong), all_wrong] {
            let (turn, next) = pace.take(turns, START);
            assert_eq!((turn, next.free), (START, START.plus(TENTH)));
            assert_eq!(pace.overtake(turns, START).free, START.plus(TENTH));
        }
        let late = START.plus(Duration::from_secs(140));
        assert_eq!(pace.take(Turns { free: late, last_page_mail: late }, START).0, late);
    }
}
