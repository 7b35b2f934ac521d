//! Somebody at the other end of a call.

#[derive(Debug, Clone)]
pub enum Person {
    /// Picks up, and does these things one after the other; then hangs up.
    Answers(Vec<Act>),
    /// The call ends in this state, with this code behind it.
    Ends(&'static str, Option<u16>),
    /// It rings, and that is all.
    RingsOn,
}

#[derive(Debug, Clone)]
pub enum Act {
    Presses(char),
    /// Presses nothing, says nothing.
    DoesNothing,
    Says(Vec<u8>),
    SaysAndHangsUp(Vec<u8>),
    HangsUp,
    /// Until the test says so; then the line is dead.
    Waits,
}
