//! How far a name page has come: counters that are kept in step with the rows, so that nobody has to count them.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// People on the page.
    pub registered: i64,
    /// Those of them who have a recording, audible or paused.
    pub recorded: i64,
    /// Invitations that have not been withdrawn.
    pub invited: i64,
}

impl Coverage {
    /// People without a recording.
    pub const fn missing(self) -> i64 {
        self.registered - self.recorded
    }

    /// How many of 100 people have a recording. Never 100 before everybody has.
    pub const fn percent(self) -> i64 {
        if self.registered <= 0 { 0 } else { self.recorded * 100 / self.registered }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_person_makes_it_100_percent() {
        let of = |registered, recorded| Coverage { registered, recorded, invited: 0 };
        assert_eq!((of(0, 0).percent(), of(0, 0).missing()), (0, 0));
        assert_eq!((of(1_000, 999).percent(), of(1_000, 999).missing()), (99, 1));
        assert_eq!((of(3, 3).percent(), of(3, 3).missing()), (100, 0));
    }
}
