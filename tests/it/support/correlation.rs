//! Where one signal is in another, and how similar they are.

use std::ops::RangeInclusive;

/// The place in `heard` that resembles `part` most, and how much.
pub fn best(part: &[f32], heard: &[f32], places: RangeInclusive<usize>) -> (usize, f32) {
    let scored = places.map(|at| (at, correlation(part, &heard[at..at + part.len()])));
    scored.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap()
}

/// Of two signals of the same length: 1 if they differ only in volume. Tests are not optimized, and iterators would be several times
/// slower than indexing.
pub fn correlation(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    let (mut both, mut first, mut second) = (0.0, 1e-9, 1e-9);
    let mut at = 0;
    while at < one.len() {
        let (a, b) = (one[at], other[at]);
        both += a * b;
        first += a * a;
        second += b * b;
        at += 1;
    }
    both / (first * second).sqrt()
}
