//! Sound from the network, put in the order of its time. What is lost is silence. What is only late is waited for, within
//! reason: nobody notices that we hear a little later, and a recording stays whole.

use crate::phone::live::{FRAME, Frame, QUIET};

/// How long sound waits for what came out of order: 60 ms.
const DELAY: i64 = 3 * FRAME as i64;
/// For so many frames in all we wait when nothing is there, before it is silence: 400 ms. Each makes us hear that much later.
const PATIENCE: u8 = 20;
/// Sound so far ahead or behind is not out of order: their clock has jumped. A second.
const JUMP: i64 = 8_000;
/// After so many packets that all came late, we begin anew.
const LATE_IN_A_ROW: u8 = 3;

#[derive(Debug, Default)]
pub struct Jitter {
    /// The time of the first sample of `ahead`, once a packet has come. Their times, counted on without wrapping.
    next: Option<i64>,
    last: i64,
    ahead: Vec<i16>,
    late: u8,
    waited: u8,
}

impl Jitter {
    /// Another stream begins, with times of its own.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    pub fn put(&mut self, time: u32, samples: &[i16]) {
        let Some(next) = self.next else {
            self.begin(i64::from(time), samples);
            return;
        };
        // Times wrap: the nearest one to the last is meant.
        let time = self.last + i64::from(time.wrapping_sub(self.last as u32) as i32);
        let (from, to) = (time - next, time - next + samples.len() as i64);
        if to <= 0 {
            self.late += 1;
            if to < -JUMP || self.late >= LATE_IN_A_ROW {
                self.begin(time, samples);
            }
            return;
        }
        if from > JUMP {
            self.begin(time, samples);
            return;
        }
        self.late = 0;
        self.last = time;
        self.write(from, samples);
    }

    fn begin(&mut self, time: i64, samples: &[i16]) {
        self.next = Some(time - DELAY);
        self.last = time;
        self.late = 0;
        self.waited = 0;
        self.ahead.clear();
        self.write(DELAY, samples);
    }

    fn write(&mut self, from: i64, samples: &[i16]) {
        let missed = usize::try_from(-from).unwrap_or(0).min(samples.len());
        let samples = &samples[missed..];
        let from = usize::try_from(from).unwrap_or(0);
        if self.ahead.len() < from + samples.len() {
            self.ahead.resize(from + samples.len(), 0);
        }
        self.ahead[from..from + samples.len()].copy_from_slice(samples);
    }

    /// The next 20 ms, or nothing where it is worth waiting.
    pub fn take(&mut self) -> Option<Frame> {
        let mut frame = QUIET;
        let Some(next) = &mut self.next else { return Some(frame) };
        let there = self.ahead.len().min(FRAME);
        if there < FRAME && self.waited < PATIENCE {
            self.waited += 1;
            return None;
        }
        *next += FRAME as i64;
        frame[..there].copy_from_slice(&self.ahead[..there]);
        self.ahead.drain(..there);
        Some(frame)
    }

    /// What has come and was not yet taken, up to this time.
    pub fn rest(&self, until: u32) -> &[i16] {
        let Some(next) = self.next else { return &[] };
        let until = self.last + i64::from(until.wrapping_sub(self.last as u32) as i32);
        let length = usize::try_from(until - next).unwrap_or(0).min(self.ahead.len());
        &self.ahead[..length]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn packet(number: u32) -> (u32, Vec<i16>) {
        (number * 160, vec![i16::try_from(number % 30_000).unwrap() + 1; 160])
    }

    /// One packet arrives and one frame is played, each 20 ms; `None` is a packet that does not come.
    fn play(start: u32, arrivals: &[Option<u32>]) -> Vec<i16> {
        let mut jitter = Jitter::default();
        let mut heard = Vec::new();
        for arrival in arrivals {
            if let Some(number) = arrival {
                let (time, samples) = packet(*number);
                jitter.put(start.wrapping_add(time), &samples);
            }
            heard.push(jitter.take().map_or(WAITED, |frame| frame[0]));
        }
        heard
    }

    const WAITED: i16 = -1;

    #[test]
    fn in_order_after_a_little_while() {
        assert_eq!(play(7, &[Some(0), Some(1), Some(2), Some(3), Some(4)]), [0, 0, 0, 1, 2]);
    }

    #[test]
    fn out_of_order_twice_and_lost() {
        let arrivals = [Some(0), Some(2), Some(1), Some(1), None, Some(5), None, None, None];
        assert_eq!(play(0, &arrivals), [0, 0, 0, 1, 2, 3, 0, 0, 6]);
    }

    #[test]
    fn what_is_late_is_waited_for_and_whole() {
        let mut arrivals: Vec<Option<u32>> = (0..5).map(Some).collect();
        // Nothing for 200 ms, and then all that was on its way.
        arrivals.extend([None; 10]);
        arrivals.extend((5..25).map(Some));
        let mut heard = play(0, &arrivals);
        heard.retain(|sample| *sample > 0);
        assert_eq!(heard, (1..=25).collect::<Vec<i16>>());
    }

    #[test]
    fn a_line_without_sound_is_silent_after_a_while() {
        let mut arrivals = vec![Some(0)];
        arrivals.extend([None; 40]);
        let heard = play(0, &arrivals);
        assert_eq!(heard.iter().filter(|sample| **sample == WAITED).count(), usize::from(PATIENCE));
        assert_eq!(heard.last(), Some(&0));
    }

    #[test]
    fn the_rest_is_there_to_be_read() {
        let mut jitter = Jitter::default();
        jitter.put(1_000, &[1; 160]);
        jitter.put(1_160, &[2; 160]);
        assert_eq!(jitter.rest(1_000 + 240).len(), 480 + 240);
        assert_eq!(jitter.rest(1_000 + 240).last(), Some(&2));
        assert_eq!(jitter.rest(9_000).len(), 480 + 320, "no more than there is");
        assert_eq!(jitter.rest(0), [0_i16; 0]);
    }

    #[test]
    fn times_wrap() {
        let arrivals: Vec<Option<u32>> = (0..8).map(Some).collect();
        assert_eq!(play(u32::MAX - 300, &arrivals), [0, 0, 0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_clock_that_jumps_is_followed() {
        let mut arrivals: Vec<Option<u32>> = (0..4).map(Some).collect();
        arrivals.extend((1_000..1_006).map(Some));
        assert_eq!(play(0, &arrivals)[4..], [0, 0, 0, 1001, 1002, 1003]);
        let mut arrivals: Vec<Option<u32>> = (1_000..1_004).map(Some).collect();
        arrivals.extend((0..6).map(Some));
        assert_eq!(play(0, &arrivals)[4..], [0, 0, 0, 1, 2, 3]);
    }

    #[test]
    fn a_line_that_gets_much_slower_is_caught_up_with() {
        // Nothing for a second, and then all of it that much later.
        let mut arrivals: Vec<Option<u32>> = (0..5).map(Some).collect();
        arrivals.extend([None; 50]);
        arrivals.extend((5..15).map(Some));
        let heard = play(0, &arrivals);
        assert_eq!(heard[heard.len() - 3..], [10, 11, 12]);
    }

    #[test]
    fn packets_of_other_lengths() {
        let mut jitter = Jitter::default();
        jitter.put(0, &[1; 240]);
        jitter.put(240, &[2; 80]);
        let frames: Vec<Frame> = (0..5).filter_map(|_| jitter.take()).collect();
        assert_eq!((frames[3][0], frames[4][79], frames[4][80]), (1, 1, 2));
    }

    proptest! {
        #[test]
        fn memory_is_bounded(packets in proptest::collection::vec((any::<u32>(), 0_usize..1_600), 0..200)) {
            let mut jitter = Jitter::default();
            for (time, length) in packets {
                jitter.put(time, &vec![1; length]);
                prop_assert!(jitter.ahead.len() < 16_000);
                let _ = jitter.rest(time);
            }
        }
    }
}
