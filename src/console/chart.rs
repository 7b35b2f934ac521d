//! The chart of the overview: how many people are registered, recorded and invited, day by day.

use std::fmt::Write as _;

use jiff::tz::TimeZone;

use crate::{
    app::coverage::History,
    domain::{coverage::Coverage, moment::Moment},
    words::{Arg, Words},
};

/// The area of the lines, in the units of the drawing.
const LEFT: i64 = 56;
const RIGHT: i64 = 632;
const TOP: i64 = 12;
const BOTTOM: i64 = 188;
/// The table below the chart has every so many days.
const ROW_DAYS: usize = 7;

pub struct Chart {
    pub label: String,
    pub lines: [Line; 3],
    pub ticks: Vec<Tick>,
    pub first_day: String,
    /// The same as a table, the newest day first.
    pub rows: Vec<(String, Coverage)>,
}

pub struct Line {
    /// The class of the line, and of its key in the caption.
    pub class: &'static str,
    pub name: String,
    pub points: String,
}

/// A value at the vertical axis.
pub struct Tick {
    pub y: i64,
    pub value: i64,
}

impl Chart {
    /// `None` before there are two days.
    pub fn new(words: Words, history: &History) -> Option<Self> {
        let (first, _) = history.days.first()?;
        if history.days.len() < 2 {
            return None;
        }
        let most = history.days.iter().map(|(_, one)| one.registered.max(one.invited)).max().unwrap_or(0);
        let most = rounded_up(most);
        let mut rows: Vec<(String, Coverage)> =
            history.days.iter().rev().step_by(ROW_DAYS).map(|(day, one)| (date(words, *day), *one)).collect();
        rows.truncate(14);
        Some(Self {
            label: words.text("console-chart"),
            lines: [
                Line {
                    class: "registered",
                    name: words.text("console-registered"),
                    points: points(&history.days, most, |one| one.registered),
                },
                Line {
                    class: "recorded",
                    name: words.text("console-recorded"),
                    points: points(&history.days, most, |one| one.recorded),
                },
                Line {
                    class: "invited",
                    name: words.text("console-invited"),
                    points: points(&history.days, most, |one| one.invited),
                },
            ],
            ticks: [0, most / 2, most].map(|value| Tick { y: height(value, most), value }).into(),
            first_day: date(words, *first),
            rows,
        })
    }
}

/// The next of 2, 4, 10, 20, 40, 100, … that is not less. All of them can be halved.
fn rounded_up(most: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for step in [2, 4, 10] {
            let round = power.saturating_mul(step);
            if round >= most {
                return round;
            }
        }
        power = power.saturating_mul(10);
    }
}

fn height(value: i64, most: i64) -> i64 {
    BOTTOM - value.clamp(0, most).saturating_mul(BOTTOM - TOP) / most.max(1)
}

fn points(days: &[(i64, Coverage)], most: i64, of: fn(&Coverage) -> i64) -> String {
    let last = i64::try_from(days.len()).unwrap_or(i64::MAX).saturating_sub(1).max(1);
    let mut points = String::new();
    for ((_, one), n) in days.iter().zip(0_i64..) {
        let x = LEFT + n * (RIGHT - LEFT) / last;
        let _ = write!(points, "{x},{} ", height(of(one), most));
    }
    points
}

fn date(words: Words, day: i64) -> String {
    let date = Moment::from_micros(0).plus_days(day).date_in(&TimeZone::UTC);
    let number = |part: i8| Arg::Number(u64::from(part.unsigned_abs()));
    words.with("plays-date", &[("month", number(date.month())), ("day", number(date.day()))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::language::Language;

    #[test]
    fn the_axis_ends_at_a_round_number_that_can_be_halved() {
        for (most, end) in [(0, 2), (2, 2), (3, 4), (5, 10), (11, 20), (41, 100), (1_000_000, 1_000_000)] {
            assert_eq!(rounded_up(most), end, "{most}");
        }
        assert!(rounded_up(i64::MAX) > 0);
    }

    #[test]
    fn lines_go_from_the_first_day_to_today() {
        let of = |registered, recorded| Coverage { registered, recorded, invited: 0 };
        let days = vec![(20_000, of(10, 0)), (20_001, of(10, 5)), (20_002, of(10, 10))];
        let history = History { now: of(10, 10), days };
        let chart = Chart::new(Words::new(Language::English), &history).unwrap();
        assert_eq!(chart.lines[0].points, "56,12 344,12 632,12 ");
        assert_eq!(chart.lines[1].points, "56,188 344,100 632,12 ");
        assert_eq!(chart.ticks.iter().map(|tick| tick.value).collect::<Vec<_>>(), [0, 5, 10]);
        assert_eq!(chart.rows.len(), 1);
        let one_day = History { now: of(1, 1), days: vec![(20_000, of(1, 1))] };
        assert!(Chart::new(Words::new(Language::English), &one_day).is_none());
    }
}
