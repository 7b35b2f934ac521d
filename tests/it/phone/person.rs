//! The person at the other end of a call.

#[derive(Debug, Clone)]
pub enum Person {
    /// Answers, performs these actions in order, and hangs up.
    Answers(Vec<Act>),
    /// The call ends in this state, with this SIP code.
    Ends(&'static str, Option<u16>),
    /// It only rings.
    RingsOn,
}

#[derive(Debug, Clone)]
pub enum Act {
    Presses(char),
    /// Presses no key and says nothing.
    DoesNothing,
    Says(Vec<u8>),
    SaysAndHangsUp(Vec<u8>),
    HangsUp,
    /// Until the test says so; then the line is dead.
    Waits,
}
