//! The audit log: who changed what, when, from where, and what it was before and after.

pub mod chain;
mod changes;

use std::{
    borrow::Cow,
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
    sync::Arc,
};

use serde_json::{Map, Value};

use super::{
    ids::{AuditId, InstitutionId},
    moment::Moment,
    text,
};

use self::chain::Salts;
pub use self::changes::{differences, masked_number};

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The value in the database, in files and on the command line. It never changes.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }
        }
    };
}

words! {
    /// What kind of actor made a change.
    WhoKind {
        /// A client of the API; the name is that of its token.
        Token = "token",
        /// Somebody with a shell on the server.
        Operator = "operator",
        /// A person with a role in the institution; the name is their email address.
        Member = "member",
        /// A person who changed what is theirs; the name is the key of their email address.
        Person = "person",
        /// The same, in a learning system.
        Lti = "lti",
        /// A person on the phone.
        Phone = "phone",
        Scim = "scim",
        /// Somebody who has not signed in.
        Visitor = "visitor",
        /// The server itself: jobs and schedules. If it acts on what another system says, the name is that of the system.
        System = "system",
    }
}

words! {
    /// One for each kind of change.
    Act {
        AudienceChosen = "audience.chosen",
        AuditExported = "audit.exported",
        BadgeListed = "badge.listed",
        BouncesCleared = "bounces.cleared",
        CallCanceled = "call.cancelled",
        CallRequested = "call.requested",
        CallRetried = "call.retried",
        ConsentGiven = "consent.given",
        ConsentTextReset = "consent_text.reset",
        ConsentTextSet = "consent_text.set",
        ConsentWithdrawn = "consent.withdrawn",
        CourseMerged = "course.merged",
        CourseSyncRequested = "course.sync_requested",
        CustomFieldCreated = "custom_field.created",
        CustomFieldDeleted = "custom_field.deleted",
        CustomFieldUpdated = "custom_field.updated",
        DirectoryHoldSet = "directory_hold.set",
        ExportRequested = "export.requested",
        ImportRun = "import.run",
        ImportStarted = "import.started",
        ImportUndone = "import.undone",
        InstitutionCreated = "institution.created",
        InvitationReminded = "invitation.reminded",
        InvitationResent = "invitation.resent",
        InvitationsSent = "invitations.sent",
        InvitationWithdrawn = "invitation.withdrawn",
        JobRetried = "job.retried",
        LanguageChosen = "language.chosen",
        LtiKeyRotated = "lti_key.rotated",
        MailOptedIn = "mail.opted_in",
        MailOptedOut = "mail.opted_out",
        MailTested = "mail.tested",
        MailTextReset = "mail_text.reset",
        MailTextSet = "mail_text.set",
        MemberRemoved = "member.removed",
        MemberSet = "member.set",
        MessageRetried = "message.retried",
        ModerationApproved = "moderation.approved",
        ModerationDismissed = "moderation.dismissed",
        ModerationRejected = "moderation.rejected",
        ModerationRemoved = "moderation.removed",
        ModerationRestored = "moderation.restored",
        NamePageArchived = "name_page.archived",
        NamePageCreated = "name_page.created",
        NamePageDeleted = "name_page.deleted",
        NamePageUnarchived = "name_page.unarchived",
        NamePageUpdated = "name_page.updated",
        PageExported = "page.exported",
        ParticipantCreated = "participant.created",
        ParticipantDeleted = "participant.deleted",
        /// They have left a course or a group of a directory.
        ParticipantHidden = "participant.hidden",
        /// Another registration of the same person was merged into this one.
        ParticipantMerged = "participant.merged",
        /// Somebody who was deleted in the console is back.
        ParticipantRestored = "participant.restored",
        ParticipantShown = "participant.shown",
        ParticipantUpdated = "participant.updated",
        PersonErased = "person.erased",
        PersonExported = "person.exported",
        /// A directory has disabled them, and an admin lets them in again.
        PersonReadmitted = "person.readmitted",
        PhoneOptedIn = "phone.opted_in",
        PhoneOptedOut = "phone.opted_out",
        PhotoDeleted = "photo.deleted",
        PhotoReplaced = "photo.replaced",
        RecordingDeleted = "recording.deleted",
        RecordingHeld = "recording.held",
        RecordingReplaced = "recording.replaced",
        RecordingRequestsChosen = "recording_requests.chosen",
        RecordingsReprocessed = "recordings.reprocessed",
        ScimConnectionCreated = "scim_connection.created",
        ScimConnectionRevoked = "scim_connection.revoked",
        ScimGroupCreated = "scim_group.created",
        ScimGroupDeleted = "scim_group.deleted",
        ScimGroupUpdated = "scim_group.updated",
        ScimUserCreated = "scim_user.created",
        ScimUserDeleted = "scim_user.deleted",
        ScimUserUpdated = "scim_user.updated",
        /// A stored report of an export or an import.
        ReportDownloaded = "report.downloaded",
        SettingsUpdated = "settings.updated",
        /// Somebody has signed out.
        SignInEnded = "sign_in.ended",
        /// A code, a link or an assertion was refused.
        SignInFailed = "sign_in.failed",
        SignInLinkCreated = "sign_in_link.created",
        SignInSucceeded = "sign_in.succeeded",
        SsoCreated = "sso.created",
        SsoDeleted = "sso.deleted",
        SsoUpdated = "sso.updated",
        TokenCreated = "token.created",
        TokenRevoked = "token.revoked",
        TokenRotated = "token.rotated",
        ToolConsumerCreated = "tool_consumer.created",
        ToolConsumerDeleted = "tool_consumer.deleted",
        ToolConsumerInvited = "tool_consumer.invited",
        ToolConsumerUpdated = "tool_consumer.updated",
    }
}

words! {
    /// What kind of thing was changed.
    SubjectKind {
        Call = "call",
        Course = "course",
        CustomField = "custom_field",
        Export = "export",
        Import = "import",
        Institution = "institution",
        Invitation = "invitation",
        Job = "job",
        MailText = "mail_text",
        Message = "message",
        Moderation = "moderation",
        NamePage = "name_page",
        /// A registration.
        Participant = "participant",
        /// Somebody with all of their registrations, or without any.
        Person = "person",
        PhoneNumber = "phone_number",
        ScimConnection = "scim_connection",
        ScimGroup = "scim_group",
        ScimUser = "scim_user",
        SsoConnection = "sso_connection",
        Token = "token",
        ToolConsumer = "tool_consumer",
    }
}

/// Who made a change. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    pub kind: WhoKind,
    /// `None` for the operator, for the server itself, and for people who were erased.
    pub name: Option<Arc<str>>,
    /// Of the token, or of the entry of a person in a learning system.
    pub id: Option<i64>,
}

impl Who {
    pub const SYSTEM: Self = Self { kind: WhoKind::System, name: None, id: None };
    pub const VISITOR: Self = Self { kind: WhoKind::Visitor, name: None, id: None };
    pub const OPERATOR: Self = Self { kind: WhoKind::Operator, name: None, id: None };

    pub fn named(kind: WhoKind, name: &str) -> Self {
        Self { kind, name: Some(name.into()), id: None }
    }

    pub fn numbered(kind: WhoKind, id: impl Into<i64>) -> Self {
        Self { kind, name: None, id: Some(id.into()) }
    }

    pub fn with_id(self, id: impl Into<i64>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}

/// Where a change was made: the network of the client, which tells a campus from a home but not one person from another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Origin {
    /// Jobs have none, and code outside of a request does not know it.
    #[default]
    Unknown,
    /// A command on the server.
    Shell,
    /// Any address of the network.
    Network(IpAddr),
}

impl Origin {
    /// `None` if it is unknown. Networks are /24 for IPv4 and /48 for IPv6.
    pub fn text(self) -> Option<String> {
        match self {
            Self::Unknown => None,
            Self::Shell => Some("shell".to_owned()),
            Self::Network(address) => Some(match network(address) {
                network @ IpAddr::V4(_) => format!("{network}/24"),
                network @ IpAddr::V6(_) => format!("{network}/48"),
            }),
        }
    }
}

/// The first address of the network in the log.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            Ipv4Addr::new(a, b, c, 0).into()
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into()
        }
    }
}

/// What was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The word of a `SubjectKind`. Those of newer versions of the software may be unknown.
    pub kind: Cow<'static, str>,
    pub id: String,
    /// A name for people. Empty if there is none, or if the person was erased.
    pub label: String,
}

/// Changed fields with their values.
pub type Values = Map<String, Value>;

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub institution: InstitutionId,
    pub id: AuditId,
    pub at: Moment,
    pub who: Who,
    /// The word of an `Act`. Those of newer versions of the software may be unknown.
    pub act: Cow<'static, str>,
    pub subject: Subject,
    /// The key of the email address of the person whose data was changed.
    pub person: Option<String>,
    /// See `Origin::text`.
    pub origin: Option<String>,
    /// Empty for what was created.
    pub before: Values,
    /// Empty for what was deleted.
    pub after: Values,
}

/// An entry that is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    pub entry: Entry,
    /// For the proofs of what is personal in it.
    pub salts: Salts,
}

impl Entry {
    /// The names of the changed fields.
    pub fn fields(&self) -> Vec<&str> {
        fields(&self.before, &self.after)
    }

    /// Does it contain this text, of `text::searchable`?
    pub fn contains(&self, wanted: &str) -> bool {
        let texts = [
            &*self.act,
            self.who.name(),
            &self.subject.id,
            &self.subject.label,
            self.person.as_deref().unwrap_or_default(),
            self.origin.as_deref().unwrap_or_default(),
        ];
        let has = |text: &str| text::searchable(text).contains(wanted);
        texts.into_iter().any(has) || [&self.before, &self.after].into_iter().any(|values| any(values, &has))
    }
}

/// The names of the fields of both, in order.
pub fn fields<'a>(before: &'a Values, after: &'a Values) -> Vec<&'a str> {
    let mut fields: Vec<&str> = before.keys().chain(after.keys()).map(String::as_str).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

fn any(values: &Values, has: &impl Fn(&str) -> bool) -> bool {
    values.iter().any(|(field, value)| match value {
        Value::String(value) => has(field) || has(value),
        other => has(field) || has(&other.to_string()),
    })
}

/// A position in the log, from which older entries are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    pub at: Moment,
    pub id: AuditId,
}

impl Cursor {
    /// Before everything.
    pub const NEWEST: Self = Self { at: Moment::from_micros(i64::MAX), id: AuditId::new(i64::MAX) };

    /// Everything that is older than this moment comes next.
    pub const fn before(at: Moment) -> Self {
        Self { at, id: AuditId::new(i64::MIN) }
    }

    pub fn of(entry: &Entry) -> Self {
        Self { at: entry.at, id: entry.id }
    }

    fn key(self) -> (i64, i64) {
        (self.at.micros(), self.id.get())
    }

    /// The one of both from which less is left.
    pub fn older(self, other: Self) -> Self {
        if self.key() <= other.key() { self } else { other }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.at.micros(), self.id)
    }
}

/// The text is not a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotACursor;

impl FromStr for Cursor {
    type Err = NotACursor;

    fn from_str(text: &str) -> Result<Self, NotACursor> {
        let (at, id) = text.split_once('_').ok_or(NotACursor)?;
        let at = at.parse().map_err(|_| NotACursor)?;
        Ok(Self { at: Moment::from_micros(at), id: id.parse().map_err(|_| NotACursor)? })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{changes::object, *};

    #[test]
    fn words_are_unique_and_parsed() {
        for (at, act) in Act::ALL.iter().enumerate() {
            assert_eq!(Act::parse(act.word()), Some(*act));
            assert!(Act::ALL[at + 1..].iter().all(|other| other.word() != act.word()), "{}", act.word());
            assert!(
                act.word().split_once('.').is_some_and(|(noun, verb)| !noun.is_empty() && !verb.is_empty())
            );
        }
        assert!(WhoKind::ALL.iter().all(|kind| WhoKind::parse(kind.word()) == Some(*kind)));
        assert!(SubjectKind::ALL.iter().all(|kind| SubjectKind::parse(kind.word()) == Some(*kind)));
        assert_eq!(Act::parse("participant"), None);
    }

    #[test]
    fn an_origin_is_a_network_and_never_an_address() {
        let text = |address: &str| Origin::Network(address.parse().unwrap()).text().unwrap();
        assert_eq!(text("192.0.2.77"), "192.0.2.0/24");
        assert_eq!(text("::ffff:192.0.2.77"), "192.0.2.0/24", "IPv4 in IPv6");
        assert_eq!(text("2001:db8:1234:5678:9abc::1"), "2001:db8:1234::/48");
        assert_eq!(text("2001:db8::1"), "2001:db8::/48");
        assert_eq!(text("::1"), "::/48");
        assert_eq!(Origin::Shell.text().as_deref(), Some("shell"));
        assert_eq!(Origin::default().text(), None);
    }

    fn entry() -> Entry {
        Entry {
            institution: InstitutionId::new(1),
            id: AuditId::new(7),
            at: Moment::from_micros(5_000),
            who: Who::named(WhoKind::Token, "Student system"),
            act: Act::ParticipantUpdated.word().into(),
            subject: Subject { kind: "participant".into(), id: "42".into(), label: "José Núñez".into() },
            person: Some("jose@example.edu".into()),
            origin: Some("192.0.2.0/24".into()),
            before: object(json!({ "phonetic": "ho-ZAY" })),
            after: object(json!({ "notes": "x", "phonetic": "ho-SEH", "pages": ["choir"] })),
        }
    }

    #[test]
    fn an_entry_is_found_by_what_it_says_in_any_spelling() {
        for wanted in ["Núñez", "nunez", "STUDENT", "jose@", "192.0.2", "seh", "choir", "notes", "updated"]
        {
            assert!(entry().contains(&text::searchable(wanted)), "{wanted}");
        }
        assert!(!entry().contains(&text::searchable("Ana")));
        assert_eq!(entry().fields(), ["notes", "pages", "phonetic"]);
    }

    #[test]
    fn a_cursor_is_written_and_read() {
        let cursor = Cursor::of(&entry());
        assert_eq!(cursor.to_string(), "5000_7");
        assert_eq!("5000_7".parse::<Cursor>(), Ok(cursor));
        assert!(["", "5000", "x_7", "7_"].iter().all(|text| text.parse::<Cursor>() == Err(NotACursor)));
        assert_eq!(Cursor::NEWEST.older(cursor), cursor);
        assert_eq!(cursor.older(Cursor::before(cursor.at)), Cursor::before(cursor.at));
    }
}
