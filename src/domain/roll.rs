//! A roll numbers the people of an institution, and of each name page, in order of registration: 0, 1, 2, …
//!
//! Numbers are never reused, so deletions leave gaps. Gaps are counted in buckets of three sizes, so that finding "the person
//! at offset 100,000" reads at most a few hundred small rows, however long the roll is. A roll without gaps does not need
//! even that. docs/adr/0004 explains why.

/// Bucket sizes as powers of two, coarse to fine: two million places, 16,384 and 128.
pub const SHIFTS: [u32; 3] = [21, 14, 7];

pub const fn bucket(place: i64, shift: u32) -> i64 {
    place >> shift
}

/// The number of empty places in a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    pub bucket: i64,
    pub missing: i64,
}

/// The state of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The place itself: there are no gaps between the start and it.
    At(i64),
    /// In the bucket that starts here, with `left` people still to skip.
    Inside { start: i64, left: i64 },
}

/// Skips `left` people from `start`, given the gaps of one size after `start`, in order.
pub fn step(start: i64, mut left: i64, shift: u32, gaps: &[Gap]) -> Step {
    let mut place = start;
    for gap in gaps {
        let bucket_start = gap.bucket << shift;
        let unbroken = bucket_start - place;
        if left < unbroken {
            return Step::At(place + left);
        }
        left -= unbroken;
        let present = (1 << shift) - gap.missing;
        if left < present {
            return Step::Inside { start: bucket_start, left };
        }
        left -= present;
        place = bucket_start + (1 << shift);
    }
    Step::At(place + left)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// The same search as in the store, over gaps counted in memory.
    fn place_at(offset: i64, empty: &BTreeSet<i64>) -> (i64, i64) {
        let (mut start, mut left) = (0, offset);
        for (level, shift) in SHIFTS.into_iter().enumerate() {
            let end = if level == 0 { i64::MAX } else { start + (1 << SHIFTS[level - 1]) };
            let mut counts = BTreeMap::new();
            for place in empty.iter().filter(|place| (start..end).contains(place)) {
                *counts.entry(bucket(*place, shift)).or_insert(0) += 1;
            }
            let gaps: Vec<Gap> =
                counts.into_iter().map(|(bucket, missing)| Gap { bucket, missing }).collect();
            match step(start, left, shift, &gaps) {
                Step::At(place) => return (place, 0),
                Step::Inside { start: inside, left: rest } => (start, left) = (inside, rest),
            }
        }
        (start, left)
    }

    proptest! {
        #[test]
        fn finds_whom_counting_one_by_one_would_find(
            empty in prop::collection::btree_set(0_i64..50_000, 0..1_500),
            offset in 0_i64..45_000,
        ) {
            let (start, left) = place_at(offset, &empty);
            prop_assert!(left < 128);
            let by_search = (start..).filter(|place| !empty.contains(place)).nth(left as usize);
            let by_counting = (0..).filter(|place| !empty.contains(place)).nth(offset as usize);
            prop_assert_eq!(by_search, by_counting);
        }
    }
}
