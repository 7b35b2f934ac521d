//! Addresses to which no bulk messages are sent any more.

use super::moment::Moment;

/// An address that a mail server has rejected for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounce {
    /// The slug of the institution whose message it was.
    pub institution: String,
    pub email: String,
    /// The mail server's.
    pub answer: String,
    pub bounced_at: Moment,
}
