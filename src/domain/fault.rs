//! Validation errors of single input fields, without wording. Each interface words them: `api/words.rs` has the English texts of
//! the API contract, `http/faults.rs` and `console/faults.rs` those of pages. `Display` is for operators: the command line and the log.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use super::{accent::TooLight, call::State, ids::MessageId, language::Language, media::MediaFault};

/// The field that a fault is about. Fields with the same name are equal, because a custom key may have any name.
#[derive(Debug, Clone)]
pub enum Field {
    // Fields of a participant.
    FirstName,
    LastName,
    Email,
    Identifier,
    Phonetic,
    Notes,
    PhoneNumber,
    DirectoryHold,
    LegalFirstName,
    LegalLastName,
    LegalMiddleName,
    LegalPhonetic,
    LegalNotes,
    Recording,
    LegalRecording,
    Photo,
    /// A custom field or an unknown key, by the key in the request.
    Custom(String),

    /// A request parameter, by its name in the API contract.
    Parameter(&'static str),

    // Fields of what operators configure.
    Name,
    Label,
    Title,
    Slug,
    AccessCode,
    NamePage,
    Description,
    Date,
    ClosingTime,
    AskedFields,
    TakeSeconds,
    DeleteAfterDays,
    AuditDays,
    TimeZone,
    PhoneLanguage,
    Language,
    ConsentText,
    Audience,
    Origin,
    Accent,
    Logo,
    NamePages,
    Role,
    /// The access tokens of a member who leaves.
    Tokens,
    Url,
    AccessToken,
    ClientId,
    DeploymentId,
    AuthUrl,
    TokenUrl,
    TokenAudience,
    JwksUrl,
    FrameAncestor,
    Issuer,
    ClientSecret,
    Domains,
    Options,
    /// What a form was made from, to notice that it has changed since.
    Version,
    Courses,
    Call,
    Message,
    /// A row of an import file, as a whole.
    Row,
}

impl Field {
    /// The key in requests and responses; for operators' fields, the words in a message.
    pub fn name(&self) -> &str {
        match self {
            Self::FirstName => "first_name",
            Self::LastName => "last_name",
            Self::Email => "email",
            Self::Identifier => "institution_id",
            Self::Phonetic => "phonetic",
            Self::Notes => "notes",
            Self::PhoneNumber => "phone_number",
            Self::DirectoryHold => "directory_hold",
            Self::LegalFirstName => "legal_first_name",
            Self::LegalLastName => "legal_last_name",
            Self::LegalMiddleName => "legal_middle_name",
            Self::LegalPhonetic => "legal_phonetic",
            Self::LegalNotes => "legal_notes",
            Self::Recording => "pronunciation",
            Self::LegalRecording => "legal_pronunciation",
            Self::Photo => "avatar",
            Self::Custom(key) => key,
            Self::Parameter(name) => name,
            Self::Name => "name",
            Self::Label => "label",
            Self::Title => "title",
            Self::Slug => "slug",
            Self::AccessCode => "access code",
            Self::NamePage => "name page",
            Self::Description => "description",
            Self::Date => "date",
            Self::ClosingTime => "closing time",
            Self::AskedFields => "fields to ask for",
            Self::TakeSeconds => "maximum length of a recording",
            Self::DeleteAfterDays => "days after which recordings are deleted",
            Self::AuditDays => "days for which the audit log is kept",
            Self::TimeZone => "time zone",
            Self::PhoneLanguage => "phone language",
            Self::Language => "language",
            Self::ConsentText => "consent text",
            Self::Audience => "audience",
            Self::Origin => "origin",
            Self::Accent => "accent color",
            Self::Logo => "logo",
            Self::NamePages => "name pages",
            Self::Role => "role",
            Self::Tokens => "access tokens",
            Self::Url => "url",
            Self::AccessToken => "access token",
            Self::ClientId => "client id",
            Self::DeploymentId => "deployment id",
            Self::AuthUrl => "auth url",
            Self::TokenUrl => "token url",
            Self::TokenAudience => "token audience",
            Self::JwksUrl => "jwks url",
            Self::FrameAncestor => "frame ancestor",
            Self::Issuer => "issuer",
            Self::ClientSecret => "client secret",
            Self::Domains => "domains",
            Self::Options => "options",
            Self::Version => "version",
            Self::Courses => "courses",
            Self::Call => "call",
            Self::Message => "message",
            Self::Row => "row",
        }
    }
}

impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Field {}

impl Hash for Field {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Blank,
    /// At least one of several fields must have a value.
    AllBlank,
    BothBlank,
    /// Wrong type or format, or an unknown key.
    Invalid,
    /// A control character, or a line break in a single-line field.
    ControlCharacter,
    /// The limit is in characters.
    TooLong {
        most: usize,
    },
    TooManyEntries {
        most: usize,
    },
    /// Not unique.
    Taken,
    /// Not one of the permitted values.
    NotIncluded,
    NotFound,
    NotANumber,
    TooSmall {
        least: u64,
    },
    NotATime,
    /// Not a list of people, each with an email or an identifier.
    NotPeople,
    NotAPhoneNumber,
    /// The number is valid, but this installation does not call it.
    NotCallable,
    /// The person reached the daily limit of calls, or of different numbers to call.
    TooManyCalls {
        calls: usize,
        numbers: usize,
    },
    /// A participant with pending calls cannot be deleted.
    PendingCalls,
    /// A directory hold is of a person with all of their registrations: who reaches only some of their pages cannot end it.
    HeldElsewhere,
    /// The person has not agreed to the text that is shown before the first recording.
    NoConsent,
    /// The name page takes no recordings any more.
    Closed,
    Media(MediaFault),
    Setup(SetupFault),
    Call(CallFault),
    /// A row of an import file is not UTF-8.
    NotText,
}

/// What can be wrong with an operator's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupFault {
    NotASlug,
    NotACode,
    ShortCode,
    NotAFieldName,
    ReservedFieldName(String),
    /// Taken by a concurrent request: the slug, or one of the codes.
    JustTaken,
    UnknownTimeZone(String),
    UnknownLanguage(String),
    /// The pages have no texts in it.
    UntranslatedLanguage(String),
    NotAnOrigin(String),
    NotAColor(String),
    /// Text in this color could not be read.
    TooLight(TooLight),
    NotAFrameAncestor,
    TooManyNamePages {
        most: usize,
    },
    /// The URL of Canvas's API instead of its root.
    ApiRoot,
    UnusedByLti,
    /// Only LTI platforms have an issuer.
    OnlyLti,
    /// A registration with addresses that all institutions share cannot be moved.
    RenewFirst,
    /// The issuer's own configuration does not prove the registration.
    UnprovenIssuer,
    /// An entry to be removed is not in the list.
    NotListed,
    BlankOrRepeated,
    /// The outbound client's reason for refusing an address.
    Address(String),
    SameToolConsumer,
    NotAnIssuer,
    NotADomain(String),
    /// Unverified emails are trusted only in named domains.
    DomainsNeeded,
    /// It is not said whose accounts of the provider may sign in.
    AccountsNeeded,
    /// Not every account may sign in if there are domains or a tenant.
    AccountsBounded,
    /// Not something that can be asked of a provider.
    NotAScope(String),
    /// Nobody could sign in without a connection to a provider.
    ConnectionNeeded,
    /// Owners and admins have all name pages.
    AllNamePages,
    /// An institution that has owners keeps one.
    LastOwner,
    /// Nobody has said what becomes of the access tokens that a member made.
    TokensUndecided,
    /// People register by the domain of their email, and none is named.
    PageDomainsNeeded,
    NotADate(String),
    NotAClosingTime(String),
    /// Recordings cannot be deleted some days after a date that is not set.
    DateNeeded,
    UnknownField(String),
    /// A number of seconds or days.
    OutOfRange {
        least: u64,
        most: u64,
    },
    /// An archived name page is read-only.
    Archived,
    /// Somebody else has changed it since it was read.
    Outdated,
    /// A custom field with choices has none.
    OptionsNeeded,
    /// An option has the separator of several choices in it.
    NotAnOption(String),
    Message(MessageFault),
    /// In braces, as it was written in the text of a message.
    UnknownPlaceholder(String),
    MissingPlaceholder(&'static str),
}

/// Why an operator cannot have a message sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageFault {
    /// The code in it is no longer valid.
    CodeExpired,
    Sent,
    /// It may have been sent.
    Unconfirmed(MessageId),
    /// It was deleted.
    Gone,
    /// Only a newer version knows its kind.
    Newer,
}

/// Why an operator cannot cancel or retry a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFault {
    Over(State),
    Recorded,
    Pending,
    OtherPending,
    OptedOut,
    NumberChanged,
}

impl From<MediaFault> for Fault {
    fn from(fault: MediaFault) -> Self {
        Self::Media(fault)
    }
}

impl From<SetupFault> for Fault {
    fn from(fault: SetupFault) -> Self {
        Self::Setup(fault)
    }
}

impl From<MessageFault> for Fault {
    fn from(fault: MessageFault) -> Self {
        Self::Setup(SetupFault::Message(fault))
    }
}

impl From<CallFault> for Fault {
    fn from(fault: CallFault) -> Self {
        Self::Call(fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => f.write_str("can't be blank"),
            Self::AllBlank => f.write_str("can't all be blank"),
            Self::BothBlank => f.write_str("can't both be blank"),
            Self::Invalid => f.write_str("is invalid"),
            Self::ControlCharacter => f.write_str("is invalid: it contains a control character"),
            Self::TooLong { most } => write!(f, "is too long (maximum is {most} characters)"),
            Self::TooManyEntries { most } => write!(f, "is too long (maximum is {most} entries)"),
            Self::Taken => f.write_str("has already been taken"),
            Self::NotIncluded => f.write_str("is not one of the permitted values"),
            Self::NotFound => f.write_str("is not found"),
            Self::NotANumber => f.write_str("is not a number"),
            Self::TooSmall { least } => write!(f, "must be greater than or equal to {least}"),
            Self::NotATime => f.write_str("must be an ISO-8601 time with a zone, like 2026-01-31T12:00:00Z"),
            Self::NotPeople => f.write_str("must be a list of objects with `email` or `institution_id`"),
            Self::NotAPhoneNumber => {
                f.write_str("is not a valid phone number with a country code, like +12025550123")
            }
            Self::NotCallable => f.write_str("cannot be called from here"),
            Self::TooManyCalls { calls, numbers } => {
                write!(f, "has reached its limit of {calls} calls and {numbers} numbers a day")
            }
            Self::PendingCalls => f.write_str("has pending calls"),
            Self::HeldElsewhere => {
                f.write_str("cannot be ended here: the person is on other name pages, too")
            }
            Self::NoConsent => f.write_str("needs the person's consent"),
            Self::Closed => f.write_str("is not taken any more: the name page is closed"),
            Self::Media(fault) => write!(f, "is invalid: {fault}"),
            Self::Setup(fault) => fault.fmt(f),
            Self::Call(fault) => fault.fmt(f),
            Self::NotText => f.write_str("is not UTF-8 text: save the file as “CSV UTF-8”"),
        }
    }
}

impl fmt::Display for SetupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASlug => {
                f.write_str("must be lower-case letters, digits and hyphens, and at most 100 of them")
            }
            Self::NotACode => {
                f.write_str("must be visible characters without blanks, and at most 100 of them")
            }
            Self::ShortCode => {
                write!(f, "must have at least {} characters", super::name_page::SHORTEST_ACCESS_CODE)
            }
            Self::NotAFieldName => f.write_str(
                "must start with a letter and contain only lower-case letters, digits and underscores",
            ),
            Self::ReservedFieldName(name) => {
                write!(f, "is reserved: every participant already has a field called `{name}`")
            }
            Self::JustTaken => f.write_str("or one of the codes has just been taken"),
            Self::UnknownTimeZone(given) => {
                write!(f, "must be a name like Europe/Paris or America/New_York, not `{given}`")
            }
            Self::UnknownLanguage(given) => write!(f, "must be a code like fr or es-MX, not `{given}`"),
            Self::UntranslatedLanguage(given) => {
                let tags: Vec<&str> = Language::ALL.into_iter().map(Language::tag).collect();
                write!(f, "must be one of {}, not `{given}`", tags.join(", "))
            }
            Self::NotAnOrigin(given) => {
                write!(f, "must look like https://directory.example.edu, not `{given}`")
            }
            Self::NotAColor(given) => write!(f, "must be six hex digits, like #7a1f3d, not `{given}`"),
            Self::TooLight(TooLight { given, tenths, darker }) => write!(
                f,
                "{given} is too light: its contrast with the page is {}.{}:1, and links and buttons need 4.5:1; \
                 the nearest darker shade is {darker}",
                tenths / 10,
                tenths % 10
            ),
            Self::NotAFrameAncestor => {
                f.write_str("must be an origin, like https://lms.example.edu or https://*.example.edu")
            }
            Self::TooManyNamePages { most } => write!(f, "can be {most} at most"),
            Self::ApiRoot => f.write_str("must be Canvas's root, without /api/v1"),
            Self::UnusedByLti => f.write_str("is not used by LTI"),
            Self::OnlyLti => f.write_str("is not the issuer of an LTI platform"),
            Self::RenewFirst => f.write_str("cannot be changed before the registration is renewed"),
            Self::UnprovenIssuer => f.write_str(
                "has no OpenID configuration with the endpoints of this registration: the operator of the server has to renew it",
            ),
            Self::NotListed => f.write_str("to be removed is not one of those there are"),
            Self::BlankOrRepeated => f.write_str("must not be blank or repeated"),
            Self::Address(why) => f.write_str(why),
            Self::SameToolConsumer => {
                f.write_str("belong to one tool consumer: they are two courses of its learning system")
            }
            Self::NotAnIssuer => f.write_str(
                "must be an https:// URL without a query, exactly as the provider writes it, like https://login.example.edu",
            ),
            Self::NotADomain(given) => write!(f, "must look like example.edu or *.example.edu, not `{given}`"),
            Self::DomainsNeeded => f.write_str("must be set if unverified emails are trusted"),
            Self::AccountsNeeded => f.write_str(
                "must be set, or a tenant: otherwise every account of the provider may sign in. Say so with --any-account if you mean it",
            ),
            Self::AccountsBounded => f.write_str("cannot be set together with --any-account"),
            Self::NotAScope(given) => write!(f, "must be words like groups, not `{given}`"),
            Self::ConnectionNeeded => {
                f.write_str("needs a connection to an OpenID provider: add one first, or switch single sign-on only off")
            }
            Self::AllNamePages => f.write_str("cannot be given to owners and admins, who have all of them"),
            Self::LastOwner => {
                f.write_str("cannot be taken from the last owner: make somebody else an owner first")
            }
            Self::TokensUndecided => f.write_str("of this person must be kept or revoked"),
            Self::PageDomainsNeeded => {
                f.write_str("must be set if people may register by the domain of their email")
            }
            Self::NotADate(given) => write!(f, "must look like 2027-05-31, not `{given}`"),
            Self::NotAClosingTime(given) => write!(
                f,
                "must look like 2027-05-31, 2027-05-31T18:00 (in the institution's time zone) or 2027-05-31T18:00Z, not `{given}`"
            ),
            Self::DateNeeded => f.write_str("must be set if recordings are deleted some days after it"),
            Self::UnknownField(given) => {
                write!(f, "include `{given}`, which is neither a field of every page nor a custom field")
            }
            Self::OutOfRange { least, most } => write!(f, "must be between {least} and {most}"),
            Self::Archived => f.write_str("is archived, and so cannot be changed"),
            Self::Outdated => f.write_str("is not the newest: somebody else has changed it in the meantime"),
            Self::OptionsNeeded => f.write_str("must be given for a choice, and only for choices"),
            Self::NotAnOption(given) => write!(f, "must not contain a semicolon, like `{given}`"),
            Self::Message(fault) => fault.fmt(f),
            Self::UnknownPlaceholder(given) => write!(f, "has the unknown placeholder `{given}`"),
            Self::MissingPlaceholder(written) => write!(f, "must contain {written}"),
        }
    }
}

impl fmt::Display for MessageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CodeExpired => {
                f.write_str("has a code that has expired or was used: the person must request a new one")
            }
            Self::Sent => f.write_str("was sent already"),
            Self::Unconfirmed(id) => {
                write!(f, "may have been sent already: `endonym mail retry {id}` sends it again")
            }
            Self::Gone => f.write_str("was deleted"),
            Self::Newer => f.write_str("is of a kind that only a newer version of endonym knows"),
        }
    }
}

impl fmt::Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Over(state) => write!(f, "is over already: {}", state.word()),
            Self::Recorded => f.write_str("has led to a recording already"),
            Self::Pending => f.write_str("is pending already"),
            Self::OtherPending => {
                f.write_str("is not the newest: the same person has another call that is pending")
            }
            Self::OptedOut => f.write_str("goes to somebody who asked not to be called"),
            Self::NumberChanged => f.write_str("goes to a number that is no longer theirs"),
        }
    }
}
