//! Drawings of numbers by day.

use jiff::civil::Date;

/// The height of the drawing. Its width is ten for each day.
const HEIGHT: u64 = 64;

/// A bar for each day with a number above zero, as the data of an SVG path. `most` fills the drawing; the lowest is still visible.
pub fn bars(days: &[(Date, u64)], most: u64) -> String {
    use std::fmt::Write as _;
    days.iter().enumerate().filter(|(_, (_, count))| *count > 0).fold(
        String::new(),
        |mut path, (n, (_, count))| {
            let height = (count.saturating_mul(HEIGHT) / most.max(1)).max(3);
            let _ = write!(path, "M{} {HEIGHT}v-{height}h8v{height}z", n * 10 + 1);
            path
        },
    )
}
