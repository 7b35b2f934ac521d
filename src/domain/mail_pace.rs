//! How fast messages are handed to the mail server: one bound for all processes that share a database.

use std::time::Duration;

use super::moment::Moment;

const MINUTE: Duration = Duration::from_secs(60);
/// More workers than wait for a turn at once.
const MOST_WAITING: u32 = 200;

/// Messages have turns, which are spaced evenly. What is stored is the first turn that is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailPace {
    interval: Duration,
}

impl MailPace {
    pub fn new(per_minute: u32) -> Self {
        Self { interval: MINUTE / per_minute.max(1) }
    }

    /// Gives a message the first free turn. Returns this turn, and the one that is free afterwards. Turns that nobody has taken in time are
    /// lost.
    pub fn take(self, free: Moment, now: Moment) -> (Moment, Moment) {
        let turn = if free > now.plus(self.horizon()) { now } else { free.max(now) };
        (turn, turn.plus(self.interval))
    }

    /// Nobody waits as long as this for a turn, so a later one is due to a clock that was wrong.
    fn horizon(self) -> Duration {
        2 * MINUTE + self.interval * MOST_WAITING
    }

    /// The turn that is free after a message that does not wait: those that have no turn yet wait longer instead. Not for more than a minute:
    /// the bound is one of messages in a minute, and older ones do not matter.
    pub fn overtake(self, free: Moment, now: Moment) -> Moment {
        let (turn, next) = self.take(free, now);
        next.min(now.plus(MINUTE)).max(turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TENTH: Duration = Duration::from_millis(100);
    const START: Moment = Moment::from_micros(1_000_000_000_000);

    /// The times until the turns of messages that come at the same time, and the turn that is free afterwards.
    fn turns<const N: usize>(pace: MailPace, mut free: Moment, now: Moment) -> ([Duration; N], Moment) {
        let waits = [(); N].map(|()| {
            let (turn, next) = pace.take(free, now);
            free = next;
            turn.since(now)
        });
        (waits, free)
    }

    #[test]
    fn turns_are_spaced_evenly_and_idle_time_is_not_saved_up() {
        let pace = MailPace::new(600);
        let (waits, free) = turns::<3>(pace, Moment::from_micros(0), START);
        assert_eq!(waits, [Duration::ZERO, TENTH, 2 * TENTH]);
        assert_eq!(free, START.plus(3 * TENTH));
        let (waits, _) = turns::<2>(pace, free, START.plus(MINUTE));
        assert_eq!(waits, [Duration::ZERO, TENTH]);
        assert_eq!([1, 0].map(MailPace::new), [MailPace { interval: MINUTE }; 2]);
    }

    #[test]
    fn a_message_that_does_not_wait_delays_the_next_ones() {
        let pace = MailPace::new(600);
        let (_, free) = turns::<2>(pace, START, START);
        let free = pace.overtake(free, START);
        assert_eq!(free, START.plus(3 * TENTH));
        assert_eq!(turns::<2>(pace, free, START).0, [3 * TENTH, 4 * TENTH]);
        assert_eq!(pace.overtake(START, START.plus(MINUTE)), START.plus(MINUTE + TENTH), "after a pause");
    }

    #[test]
    fn messages_that_do_not_wait_delay_nobody_for_more_than_a_minute_and_revoke_no_turn() {
        let pace = MailPace::new(600);
        let free = (0..2_000).fold(START, |free, _| pace.overtake(free, START));
        assert_eq!(free, START.plus(MINUTE));
        let slow = MailPace::new(1);
        let (_, free) = turns::<3>(slow, START, START);
        assert_eq!(slow.overtake(free, START), free);
        assert_eq!(free, START.plus(3 * MINUTE));
    }

    #[test]
    fn a_clock_that_was_wrong_by_minutes_holds_nothing_up() {
        let pace = MailPace::new(600);
        let wrong = START.plus(Duration::from_secs(141));
        assert_eq!(pace.take(wrong, START), (START, START.plus(TENTH)));
        assert_eq!(pace.overtake(wrong, START), START.plus(TENTH));
        let late = START.plus(Duration::from_secs(140));
        assert_eq!(pace.take(late, START).0, late);
    }
}
