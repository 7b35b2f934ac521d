//! Messages that are mailed: what each kind is about, and the states of its delivery.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{
    email::Email,
    ids::{InstitutionId, MessageId, SignInRequestId},
    moment::Moment,
};

/// What to mail, as stored in the outbox. It carries ids, not contents and never a secret: the text is rendered when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Message {
    /// The code and the link for a sign-in. The link starts with the base URL of the server that received the request.
    SignIn { request: SignInRequestId, base_url: String },
    /// Proves that mail works.
    Test,
}

impl Message {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::SignIn { .. } => "sign_in",
            Self::Test => "test",
        }
    }

    /// Idempotency key: a second message about the same occasion is not enqueued.
    pub fn occasion(&self) -> Option<String> {
        match self {
            Self::SignIn { request, .. } => Some(format!("{}:{request}", self.kind())),
            Self::Test => None,
        }
    }

    /// How long delivery is attempted. After that, the message would be of no use.
    pub const fn lifetime(&self) -> Duration {
        match self {
            // As long as the code is valid.
            Self::SignIn { .. } => Duration::from_secs(10 * 60),
            Self::Test => Duration::from_secs(48 * 3_600),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Waiting for its first or next attempt.
    Queued,
    /// Being handed to the mail server. It may be accepted at any moment, so it is never sent again from here.
    Sending,
    /// The mail server has accepted it.
    Sent,
    /// The mail server has rejected it for good.
    Failed,
    /// Handed to the mail server, whose answer was lost.
    Unconfirmed,
    /// Not accepted within its lifetime.
    Expired,
}

impl State {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Sending, Self::Sent, Self::Failed, Self::Unconfirmed, Self::Expired];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Unconfirmed => "unconfirmed",
            Self::Expired => "expired",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }

    /// May an operator send it again? Only what was sent for certain is final.
    pub const fn can_be_retried(self) -> bool {
        matches!(self, Self::Failed | Self::Unconfirmed | Self::Expired)
    }
}

/// A message in the outbox.
#[derive(Debug, Clone)]
pub struct OutboxMessage {
    pub id: MessageId,
    /// `None` for a message of the installation.
    pub institution: Option<InstitutionId>,
    pub to: Email,
    pub message: Message,
    pub state: State,
    /// Only grows.
    pub attempts: u32,
    /// The mail server's answer, or why there was none.
    pub answer: Option<String>,
    pub created_at: Moment,
    pub changed_at: Moment,
    pub expires_at: Moment,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of an earlier version must stay readable.
    #[test]
    fn every_message_is_stored_under_the_name_of_its_kind() {
        let rows = [
            (
                r#"{"kind":"sign_in","request":7,"base_url":"https://names.example.edu"}"#,
                Message::SignIn {
                    request: SignInRequestId::new(7),
                    base_url: "https://names.example.edu".into(),
                },
            ),
            (r#"{"kind":"test"}"#, Message::Test),
        ];
        for (row, message) in rows {
            assert_eq!(serde_json::from_str::<Message>(row).unwrap(), message);
            assert_eq!(serde_json::to_string(&message).unwrap(), row);
            assert!(row.contains(&format!("\"{}\"", message.kind())), "{row}");
        }
    }
}
