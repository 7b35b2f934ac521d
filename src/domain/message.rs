//! Messages that are mailed: what each kind is about, and the states of its delivery.

use std::{ops::Deref, time::Duration};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use super::{
    email::Email,
    ids::{InstitutionId, InvitationId, MessageId, ModerationId, NamePageId, ParticipantId, SignInRequestId},
    job::Job,
    mail_text::PageMailKind,
    moment::Moment,
};

/// Something that a person has to know about their data, whether or not they want other mails.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Warning {
    /// Both addresses are masked. `change` identifies the change and the recipient.
    AddressChanged { old: String, new: String, change: String },
    /// Somebody else has replaced a recording that the person has made. `page` is a title, `until` a day.
    RecordingReplaced { page: String, until: String },
}

/// What to mail, as stored in the outbox. It carries ids, not contents and never a secret: the text is rendered when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Message {
    /// The code and the link for a sign-in. The link starts with the base URL of the server that received the request.
    SignIn { request: SignInRequestId, base_url: String },
    /// Proves that mail works.
    Test,
    /// A page mail with made-up contents, for somebody who has changed its text.
    Sample {
        #[serde(rename = "letter")]
        page_mail: PageMailKind,
        language: String,
        base_url: String,
    },
    /// A personal link to a name page. Links of earlier generations are void.
    Invitation { invitation: InvitationId, generation: i64, base_url: String },
    /// Reminds somebody who has not recorded.
    Reminder { invitation: InvitationId, number: u32, base_url: String },
    /// A manager has rejected or removed a recording, at this time (in microseconds): what was restored can be removed again.
    Rejection { case: ModerationId, decided_at: i64, base_url: String },
    /// The same about an entry.
    EntryRejection { case: ModerationId, decided_at: i64, base_url: String },
    /// Something has happened to the recipient's data. It is sent whether or not they want mails about name pages. `page` is a title.
    Notice { about: Notice, page: String, language: String },
    /// A listener asks for a recording.
    RecordingRequest { participant: ParticipantId, base_url: String },
    /// The recordings of a page will be deleted on this day.
    Retention { participant: ParticipantId, on: String, base_url: String },
    /// `language` is the recipient's.
    Warning { about: Warning, language: String, base_url: String },
}

/// What a person is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// Their entry was merged with one that had another address. It is theirs.
    MergedIntoOwn,
    /// It is the other one's.
    MergedIntoOther,
}

impl Message {
    const KINDS: [&'static str; 11] = [
        "sign_in",
        "test",
        "sample",
        "invitation",
        "reminder",
        "rejection",
        "entry_rejection",
        "notice",
        "recording_request",
        "retention",
        "warning",
    ];

    pub const fn kind(&self) -> &'static str {
        match self {
            Self::SignIn { .. } => "sign_in",
            Self::Test => "test",
            Self::Sample { .. } => "sample",
            Self::Invitation { .. } => "invitation",
            Self::Reminder { .. } => "reminder",
            Self::Rejection { .. } => "rejection",
            Self::EntryRejection { .. } => "entry_rejection",
            Self::Notice { .. } => "notice",
            Self::RecordingRequest { .. } => "recording_request",
            Self::Retention { .. } => "retention",
            Self::Warning { .. } => "warning",
        }
    }

    /// Page mails are sent in bulk: they wait for each other and never delay other messages, and people can opt out of them.
    pub const fn page_mail(&self) -> Option<PageMailKind> {
        match self {
            Self::SignIn { .. }
            | Self::Test
            | Self::Sample { .. }
            | Self::Warning { .. }
            | Self::Notice { .. } => None,
            Self::Invitation { .. } => Some(PageMailKind::Invitation),
            Self::Reminder { .. } => Some(PageMailKind::Reminder),
            Self::Rejection { .. } => Some(PageMailKind::Rejection),
            Self::EntryRejection { .. } => Some(PageMailKind::EntryRejection),
            Self::RecordingRequest { .. } => Some(PageMailKind::RecordingRequest),
            Self::Retention { .. } => Some(PageMailKind::Retention),
        }
    }

    /// A directory may change thousands of addresses at once.
    pub const fn is_bulk(&self) -> bool {
        self.page_mail().is_some() || matches!(self, Self::Warning { .. })
    }

    /// Idempotency key: a second message about the same occasion is not enqueued.
    pub fn occasion(&self) -> Option<String> {
        match self {
            Self::SignIn { request, .. } => Some(format!("{}:{request}", self.kind())),
            Self::Invitation { invitation, generation, .. } => {
                Some(format!("{}:{invitation}:{generation}", self.kind()))
            }
            Self::Reminder { invitation, number, .. } => {
                Some(format!("{}:{invitation}:{number}", self.kind()))
            }
            Self::Rejection { case, decided_at, .. } | Self::EntryRejection { case, decided_at, .. } => {
                Some(format!("{}:{case}:{decided_at}", self.kind()))
            }
            Self::Retention { participant, on, .. } => Some(format!("{}:{participant}:{on}", self.kind())),
            Self::Warning { about: Warning::AddressChanged { change, .. }, .. } => {
                Some(format!("{}:{change}", self.kind()))
            }
            Self::Warning { about: Warning::RecordingReplaced { .. }, .. } => None,
            // How often somebody may be asked is another rule (`recording_requests`).
            Self::RecordingRequest { .. } | Self::Test | Self::Sample { .. } | Self::Notice { .. } => None,
        }
    }

    /// How long delivery is attempted. After that, the message would be of no use.
    pub const fn lifetime(&self) -> Duration {
        match self {
            // As long as the code is valid.
            Self::SignIn { .. } => Duration::from_secs(10 * 60),
            // Somebody is waiting for it.
            Self::Sample { .. } => Duration::from_secs(3_600),
            // It is for the morning.
            Self::Reminder { .. } => Duration::from_secs(4 * 3_600),
            Self::Test
            | Self::Invitation { .. }
            | Self::Rejection { .. }
            | Self::EntryRejection { .. }
            | Self::Notice { .. }
            | Self::RecordingRequest { .. }
            | Self::Retention { .. }
            | Self::Warning { .. } => Duration::from_secs(48 * 3_600),
        }
    }
}

/// What a row of the outbox contains. While nodes are upgraded one after the other, those of the previous version read kinds that only
/// the new one knows. They list them, and leave everything else to the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    Known(Message),
    /// Of a newer version. It cannot be written back.
    Newer {
        kind: String,
    },
}

impl Stored {
    pub fn kind(&self) -> &str {
        match self {
            Self::Known(message) => message.kind(),
            Self::Newer { kind } => kind,
        }
    }
}

/// Only a kind that this version does not know is newer. Anything else that is unreadable is an error.
impl<'de> Deserialize<'de> for Stored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Value::deserialize(deserializer)?;
        let word = |name: &str| stored.get(name).and_then(Value::as_str);
        let is_newer = word("kind").is_some_and(|kind| !Message::KINDS.contains(&kind))
            // A sample of a page mail that is.
            || word("letter").is_some_and(|kind| PageMailKind::parse(kind).is_none());
        match word("kind") {
            Some(kind) if is_newer => Ok(Self::Newer { kind: kind.to_owned() }),
            _ => serde_json::from_value(stored).map(Self::Known).map_err(D::Error::custom),
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

/// A message in the outbox: as it was read, or, with `Message`, one that this version can write and send.
#[derive(Debug, Clone)]
pub struct OutboxMessage<M = Stored> {
    pub envelope: Envelope,
    pub message: M,
}

/// What every version knows of a message.
#[derive(Debug, Clone)]
pub struct Envelope {
    pub id: MessageId,
    /// `None` for a message of the installation.
    pub institution: Option<InstitutionId>,
    /// The name page that it is about, whose managers see it. Messages of earlier versions have none.
    pub page: Option<NamePageId>,
    pub to: Email,
    pub state: State,
    /// Only grows.
    pub attempts: u32,
    /// The mail server's answer, or why there was none.
    pub answer: Option<String>,
    pub created_at: Moment,
    pub changed_at: Moment,
    pub expires_at: Moment,
}

impl Envelope {
    /// Will it not be delivered, unless somebody sends it again? A message that may have arrived is not lost.
    pub fn is_lost(&self, now: Moment) -> bool {
        match self.state {
            State::Failed | State::Expired => true,
            // No worker has noticed it yet.
            State::Queued => self.expires_at <= now,
            State::Sending | State::Sent | State::Unconfirmed => false,
        }
    }
}

impl<M> Deref for OutboxMessage<M> {
    type Target = Envelope;

    fn deref(&self) -> &Envelope {
        &self.envelope
    }
}

impl OutboxMessage {
    /// `None` if only a newer version knows its kind.
    pub fn known(self) -> Option<OutboxMessage<Message>> {
        match self.message {
            Stored::Known(message) => Some(OutboxMessage { envelope: self.envelope, message }),
            Stored::Newer { .. } => None,
        }
    }

    /// May somebody send it again from here?
    pub const fn can_be_retried(&self) -> bool {
        matches!(self.message, Stored::Known(_)) && self.envelope.state.can_be_retried()
    }
}

impl OutboxMessage<Message> {
    /// The job that delivers it.
    pub const fn job(&self) -> Job {
        let (institution, message) = (self.envelope.institution, self.envelope.id);
        if self.message.is_bulk() {
            Job::SendBulkMail { institution, message }
        } else {
            Job::SendMail { institution, message }
        }
    }
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
            (
                r#"{"kind":"sample","letter":"retention","language":"de","base_url":"https://x.org"}"#,
                Message::Sample {
                    page_mail: PageMailKind::Retention,
                    language: "de".into(),
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"invitation","invitation":7,"generation":2,"base_url":"https://x.org"}"#,
                Message::Invitation {
                    invitation: InvitationId::new(7),
                    generation: 2,
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"reminder","invitation":7,"number":3,"base_url":"https://x.org"}"#,
                Message::Reminder {
                    invitation: InvitationId::new(7),
                    number: 3,
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"rejection","case":7,"decided_at":8,"base_url":"https://x.org"}"#,
                Message::Rejection {
                    case: ModerationId::new(7),
                    decided_at: 8,
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"entry_rejection","case":7,"decided_at":8,"base_url":"https://x.org"}"#,
                Message::EntryRejection {
                    case: ModerationId::new(7),
                    decided_at: 8,
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"notice","about":"merged_into_own","page":"Choir","language":"de"}"#,
                Message::Notice { about: Notice::MergedIntoOwn, page: "Choir".into(), language: "de".into() },
            ),
            (
                r#"{"kind":"recording_request","participant":7,"base_url":"https://x.org"}"#,
                Message::RecordingRequest {
                    participant: ParticipantId::new(7),
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"retention","participant":7,"on":"2027-01-31","base_url":"https://x.org"}"#,
                Message::Retention {
                    participant: ParticipantId::new(7),
                    on: "2027-01-31".into(),
                    base_url: "https://x.org".into(),
                },
            ),
            (
                r#"{"kind":"warning","about":{"recording_replaced":{"page":"Choir","until":"2027-01-31"}},"language":"de","base_url":"https://x.org"}"#,
                Message::Warning {
                    about: Warning::RecordingReplaced { page: "Choir".into(), until: "2027-01-31".into() },
                    language: "de".into(),
                    base_url: "https://x.org".into(),
                },
            ),
        ];
        assert_eq!(rows.each_ref().map(|(_, message)| message.kind()), Message::KINDS);
        for (row, message) in rows {
            assert_eq!(serde_json::from_str::<Message>(row).unwrap(), message);
            assert_eq!(serde_json::from_str::<Stored>(row).unwrap(), Stored::Known(message.clone()));
            assert_eq!(serde_json::to_string(&message).unwrap(), row);
            assert!(row.contains(&format!("\"{}\"", message.kind())), "{row}");
            assert!(message.page_mail().is_none_or(|kind| kind.word() == message.kind()), "{row}");
        }
    }

    #[test]
    fn only_a_kind_that_is_unknown_is_of_a_newer_version() {
        for (row, kind) in [
            (r#"{"kind":"digest","pages":[7]}"#, "digest"),
            (r#"{"kind":"sample","letter":"digest","language":"de","base_url":"https://x.org"}"#, "sample"),
        ] {
            let stored: Stored = serde_json::from_str(row).unwrap();
            assert_eq!(stored, Stored::Newer { kind: kind.into() });
            assert_eq!(stored.kind(), kind);
        }
        for broken in [
            r#"{"kind":"reminder","invitation":7}"#,
            r#"{"kind":"sample","letter":7,"language":"de","base_url":"https://x.org"}"#,
            r#"{"kind":7}"#,
            r#"{"letter":"digest"}"#,
            r#""test""#,
            "{}",
            "",
        ] {
            assert!(serde_json::from_str::<Stored>(broken).is_err(), "{broken}");
        }
    }
}
