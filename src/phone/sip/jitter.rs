//! Jitter buffer: orders incoming audio by timestamp. Lost packets become silence. Late packets are waited for,
//! within limits: added latency goes unnoticed, and recordings stay complete.

use crate::phone::live::{FRAME, Frame, QUIET};

/// Delay for reordering: 60 ms.
const DELAY: i64 = 3 * FRAME as i64;
/// How many frames we wait in total before an underrun becomes silence: 400 ms. Each adds latency.
const MAX_WAIT_FRAMES: u8 = 20;
/// A larger jump of the timestamp is not reordering but a clock change. One second.
const MAX_JUMP: i64 = 8_000;
/// Resynchronize after this many consecutive late packets.
const MAX_CONSECUTIVE_LATE: u8 = 3;

#[derive(Debug, Default)]
pub struct Jitter {
    /// The timestamp of the first sample in `ahead`, once a packet has arrived. Sender timestamps, extended so that
    /// they do not wrap.
    next: Option<i64>,
    last: i64,
    ahead: Vec<i16>,
    late: u8,
    waited: u8,
}

impl Jitter {
    /// A new stream with its own timestamps starts.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    pub fn put(&mut self, time: u32, samples: &[i16]) {
        let Some(next) = self.next else {
            self.begin(i64::from(time), samples);
            return;
        };
        // Timestamps wrap: take the value nearest to the last one.
        let time = self.last + i64::from(time.wrapping_sub(self.last as u32) as i32);
        let (from, to) = (time - next, time - next + samples.len() as i64);
        if to <= 0 {
            self.late += 1;
            if to < -MAX_JUMP || self.late >= MAX_CONSECUTIVE_LATE {
                self.begin(time, samples);
            }
            return;
        }
        if from > MAX_JUMP {
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

    /// The next 20 ms, or `None` while it is worth waiting.
    pub fn take(&mut self) -> Option<Frame> {
        let mut frame = QUIET;
        let Some(next) = &mut self.next else { return Some(frame) };
        let there = self.ahead.len().min(FRAME);
        if there < FRAME && self.waited < MAX_WAIT_FRAMES {
            self.waited += 1;
            return None;
        }
        *next += FRAME as i64;
        frame[..there].copy_from_slice(&self.ahead[..there]);
        self.ahead.drain(..there);
        Some(frame)
    }

    /// Buffered audio up to this timestamp.
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

    /// Every 20 ms one packet arrives and one frame is played; `None` is a missing packet.
    fn play(start: u32, arrivals: &[Option<u32>]) -> Vec<i16> {
        let mut jitter = Jitter::default();
        let mut heard = Vec::new();
        for arrival in arrivals {
            if let Some(number) = arrival {
                let (time, samples) = packet(*number);
                jitter.put(start.wrapping_add(time), &samples);
            }
            heard.push(jitter.take().map_or(PAUSE, |frame| frame[0]));
        }
        heard
    }

    const PAUSE: i16 = -1;

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
        // Nothing for 200 ms, then a burst.
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
        assert_eq!(heard.iter().filter(|sample| **sample == PAUSE).count(), usize::from(MAX_WAIT_FRAMES));
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
        // Nothing for a second, then everything arrives that much later.
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
