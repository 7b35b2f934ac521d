//! DTMF events: several packets per key press, any of which may be lost (RFC 4733).

const KEYS: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '#', 'A', 'B', 'C', 'D'];

#[derive(Debug, Default)]
pub struct Keys {
    last: Option<Press>,
}

#[derive(Debug, Clone, Copy)]
struct Press {
    event: u8,
    /// All packets of one press have the timestamp of its start.
    began: u32,
    duration: u16,
}

impl Keys {
    pub fn reset(&mut self) {
        self.last = None;
    }

    /// Returns the key with the first packet of a press.
    pub fn packet(&mut self, time: u32, payload: &[u8]) -> Option<char> {
        let [event, _flags, high, low, ..] = *payload else { return None };
        let duration = u16::from_be_bytes([high, low]);
        let key = KEYS.get(usize::from(event)).copied()?;
        if let Some(last) = &mut self.last {
            if time == last.began {
                last.duration = last.duration.max(duration);
                return None;
            }
            // A late packet of an earlier press.
            if (time.wrapping_sub(last.began) as i32) < 0 {
                return None;
            }
            // Held so long that its duration field overflowed.
            let on = last.event == event
                && last.duration == u16::MAX
                && time == last.began.wrapping_add(u32::from(last.duration));
            if on {
                *last = Press { event, began: time, duration };
                return None;
            }
        }
        self.last = Some(Press { event, began: time, duration });
        Some(key)
    }
}

/// From the body of an INFO: `Signal=5` in `application/dtmf-relay`, or just the key in `application/dtmf`.
pub fn of_info(body: &[u8]) -> Option<char> {
    let text = std::str::from_utf8(body).ok()?.trim();
    let signal = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        name.trim().eq_ignore_ascii_case("signal").then(|| value.trim())
    });
    let word = signal.unwrap_or(text);
    let mut letters = word.chars();
    let key = letters.next()?.to_ascii_uppercase();
    match (letters.next(), word.parse::<usize>()) {
        (None, _) => KEYS.contains(&key).then_some(key),
        (_, Ok(number)) => KEYS.get(number).copied(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn event(number: u8, end: bool, duration: u16) -> [u8; 4] {
        let [high, low] = duration.to_be_bytes();
        [number, if end { 0x8a } else { 0x0a }, high, low]
    }

    fn press(keys: &mut Keys, time: u32, number: u8) -> Vec<char> {
        let mut packets: Vec<[u8; 4]> = (1..5).map(|at| event(number, false, at * 160)).collect();
        packets.extend([event(number, true, 800); 3]);
        packets.iter().filter_map(|packet| keys.packet(time, packet)).collect()
    }

    #[test]
    fn one_key_for_each_press() {
        let mut keys = Keys::default();
        assert_eq!(press(&mut keys, 1_000, 1), ['1']);
        assert_eq!(press(&mut keys, 9_000, 1), ['1'], "the same key again");
        assert_eq!(press(&mut keys, 12_000, 11), ['#']);
        assert_eq!(press(&mut keys, 15_000, 10), ['*']);
    }

    #[test]
    fn lost_ends_and_lost_beginnings() {
        let mut keys = Keys::default();
        assert_eq!(keys.packet(1_000, &event(5, false, 160)), Some('5'));
        // Its end is lost, and the next press starts.
        assert_eq!(keys.packet(8_000, &event(5, true, 800)), Some('5'), "of which only the end has come");
        assert_eq!(keys.packet(8_000, &event(5, true, 800)), None);
    }

    #[test]
    fn late_packets_of_an_old_press_are_not_a_new_one() {
        let mut keys = Keys::default();
        press(&mut keys, u32::MAX - 500, 2);
        assert_eq!(keys.packet(400, &event(3, false, 160)), Some('3'), "times wrap");
        assert_eq!(keys.packet(u32::MAX - 500, &event(2, true, 800)), None);
        assert_eq!(keys.packet(400, &event(3, true, 800)), None);
    }

    #[test]
    fn a_key_held_for_ten_seconds_is_one_key() {
        let mut keys = Keys::default();
        assert_eq!(keys.packet(1_000, &event(9, false, 160)), Some('9'));
        assert_eq!(keys.packet(1_000, &event(9, false, u16::MAX)), None);
        assert_eq!(keys.packet(1_000 + u32::from(u16::MAX), &event(9, false, 160)), None);
        assert_eq!(keys.packet(1_000 + u32::from(u16::MAX), &event(9, true, 4_000)), None);
    }

    #[test]
    fn what_is_not_a_key_is_nothing() {
        let mut keys = Keys::default();
        assert_eq!(keys.packet(0, &event(16, false, 160)), None, "a flash");
        assert_eq!(keys.packet(0, &[1, 2]), None);
        assert_eq!(keys.packet(0, &[]), None);
    }

    #[test]
    fn keys_in_an_info() {
        assert_eq!(of_info(b"Signal=5\r\nDuration=160\r\n"), Some('5'));
        assert_eq!(of_info(b"Signal= #\r\nDuration= 160"), Some('#'));
        assert_eq!(of_info(b"signal=11"), Some('#'));
        assert_eq!(of_info(b"9"), Some('9'));
        assert_eq!(of_info(b"hello"), None);
        assert_eq!(of_info(b"Signal=\r\n"), None);
        assert_eq!(of_info(&[255, 254]), None);
    }

    proptest! {
        #[test]
        fn garbage_does_no_harm(time in any::<u32>(), bytes in proptest::collection::vec(any::<u8>(), 0..12)) {
            let mut keys = Keys::default();
            let _ = keys.packet(time, &bytes);
            let _ = of_info(&bytes);
        }
    }
}
