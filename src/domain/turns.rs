//! Taking turns within a process: whatever waits is grouped by institution, and the institutions are served one after the other. For queues
//! that all processes share, see `store/turns.rs`.

use std::collections::VecDeque;

use super::ids::InstitutionId;

/// What waits, by institution. The first one is served next, and no line is empty.
pub struct Turns<T> {
    lines: VecDeque<(InstitutionId, VecDeque<T>)>,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self { lines: VecDeque::new() }
    }
}

impl<T> Turns<T> {
    /// The number of those who wait.
    pub fn len(&self) -> usize {
        self.lines.iter().map(|(_, line)| line.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub fn push(&mut self, institution: InstitutionId, item: T) {
        match self.lines.iter_mut().find(|(other, _)| *other == institution) {
            Some((_, line)) => line.push_back(item),
            None => self.lines.push_back((institution, VecDeque::from([item]))),
        }
    }

    /// The oldest of the institution whose turn it is. Then the next institution has its turn.
    pub fn pop(&mut self) -> Option<T> {
        let (institution, mut line) = self.lines.pop_front()?;
        let item = line.pop_front();
        if !line.is_empty() {
            self.lines.push_back((institution, line));
        }
        item
    }

    /// Makes room for one more of this institution in a full queue: removes the newest of the institution with most, unless the one that asks
    /// would then have more.
    pub fn displace(&mut self, institution: InstitutionId) -> Option<T> {
        let own =
            self.lines.iter().find(|(other, _)| *other == institution).map_or(0, |(_, line)| line.len());
        let (_, longest) = self.lines.iter_mut().max_by_key(|(_, line)| line.len())?;
        if longest.len() > own + 1 { longest.pop_back() } else { None }
    }

    /// Removes those for which this is false.
    pub fn retain(&mut self, is_kept: impl Fn(&T) -> bool) {
        for (_, line) in &mut self.lines {
            line.retain(&is_kept);
        }
        self.lines.retain(|(_, line)| !line.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: InstitutionId = InstitutionId::new(1);
    const TWO: InstitutionId = InstitutionId::new(2);
    const THREE: InstitutionId = InstitutionId::new(3);

    fn all(mut turns: Turns<&'static str>) -> Vec<&'static str> {
        std::iter::from_fn(|| turns.pop()).collect()
    }

    #[test]
    fn institutions_are_served_one_after_the_other_and_each_in_its_order() {
        let mut turns = Turns::default();
        for item in ["a1", "a2", "a3", "a4"] {
            turns.push(ONE, item);
        }
        assert_eq!(turns.pop(), Some("a1"));
        turns.push(TWO, "b1");
        turns.push(TWO, "b2");
        turns.push(THREE, "c1");
        assert_eq!(turns.len(), 6);
        assert_eq!(all(turns), ["a2", "b1", "c1", "a3", "b2", "a4"]);
    }

    #[test]
    fn a_full_queue_has_room_for_those_who_have_less_in_it() {
        let mut turns = Turns::default();
        for item in ["a1", "a2", "a3"] {
            turns.push(ONE, item);
        }
        assert_eq!(turns.displace(ONE), None, "not for the one who has filled it");
        assert_eq!(turns.displace(TWO), Some("a3"), "the newest goes");
        turns.push(TWO, "b1");
        assert_eq!(turns.displace(TWO), None, "it would have more");
        assert_eq!(all(turns), ["a1", "b1", "a2"]);
        assert_eq!(Turns::<&str>::default().displace(ONE), None);
    }

    #[test]
    fn those_who_have_gone_leave_no_empty_line() {
        let mut turns = Turns::default();
        turns.push(ONE, "a1");
        turns.push(TWO, "b1");
        turns.push(TWO, "b2");
        turns.retain(|item| *item == "b2");
        assert_eq!(turns.len(), 1);
        assert_eq!(all(turns), ["b2"]);
    }
}
