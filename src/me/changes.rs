//! The section that shows who changed a person's data.

use jiff::tz::TimeZone;
use serde_json::Value as Json;

use crate::{
    app::audit::{By, OwnChange},
    domain::audit::Act,
    http::when,
    words::Words,
};

/// How many changes are shown.
pub const NEWEST: usize = 20;

pub struct ChangesSection {
    pub rows: Vec<Row>,
}

pub struct Row {
    /// The date and the time, to the minute.
    pub when: String,
    pub what: String,
    /// The registration, if it is about one.
    pub label: String,
    /// Old and new texts. One of both may be empty.
    pub values: Vec<(String, String)>,
    /// HTML.
    pub by: String,
}

impl ChangesSection {
    pub fn new(words: Words, changes: &[OwnChange], zone: &TimeZone) -> Self {
        Self { rows: changes.iter().map(|change| row(words, change, zone)).collect() }
    }
}

fn row(words: Words, change: &OwnChange, zone: &TimeZone) -> Row {
    Row {
        when: when::minute(change.at, zone),
        what: words.text(change.act.map_or("changes-act-other", sentence)),
        label: change.label.clone(),
        values: values(change),
        by: by(words, &change.by),
    }
}

fn by(words: Words, by: &By) -> String {
    match by {
        By::Themselves => words.html("changes-by-you", &[]),
        By::Member(Some(email)) => words.one_html("changes-by-member", "email", email.as_str()),
        By::Member(None) | By::Operator => words.html("changes-by-staff", &[]),
        By::Token(name) => words.one_html("changes-by-token", "name", name.as_str()),
        By::System(Some(name)) => words.one_html("changes-by-named-system", "name", name.as_str()),
        By::System(None) => words.html("changes-by-system", &[]),
    }
}

/// What somebody typed. Names of files and numbers of pages say nothing to people.
fn values(change: &OwnChange) -> Vec<(String, String)> {
    const HIDDEN: [&str; 5] = ["recording", "legal_recording", "photo", "version", "directory_hold"];
    if change.act != Some(Act::ParticipantUpdated) {
        return Vec::new();
    }
    let text = |value: Option<&Json>| value.and_then(Json::as_str).unwrap_or_default().to_owned();
    let fields = change.fields().into_iter().filter(|field| !HIDDEN.contains(field));
    fields.map(|field| (text(change.before.get(field)), text(change.after.get(field)))).collect()
}

fn sentence(act: Act) -> &'static str {
    match act {
        Act::ParticipantCreated => "changes-act-created",
        Act::ParticipantUpdated | Act::ParticipantMerged => "changes-act-updated",
        Act::ParticipantDeleted => "changes-act-deleted",
        Act::ParticipantHidden => "changes-act-hidden",
        Act::ParticipantShown | Act::ParticipantRestored => "changes-act-shown",
        Act::RecordingReplaced => "changes-act-recording",
        Act::RecordingHeld => "changes-act-recording-held",
        Act::RecordingDeleted => "changes-act-recording-deleted",
        Act::PhotoReplaced => "changes-act-photo",
        Act::PhotoDeleted => "changes-act-photo-deleted",
        Act::ConsentGiven => "changes-act-consent",
        Act::ConsentWithdrawn => "changes-act-consent-withdrawn",
        Act::ModerationApproved | Act::ModerationDismissed => "changes-act-approved",
        Act::ModerationRejected | Act::ModerationRemoved => "changes-act-refused",
        Act::ModerationRestored => "changes-act-restored",
        Act::DirectoryHoldSet => "changes-act-directory-hold",
        Act::AudienceChosen | Act::BadgeListed | Act::LanguageChosen | Act::RecordingRequestsChosen => {
            "changes-act-settings"
        }
        Act::MemberSet | Act::MemberRemoved => "changes-act-role",
        Act::InvitationReminded | Act::InvitationResent | Act::InvitationWithdrawn => {
            "changes-act-invitation"
        }
        Act::CallCanceled | Act::CallRequested | Act::CallRetried | Act::PhoneOptedOut => "changes-act-call",
        Act::MailOptedIn | Act::MailOptedOut | Act::MessageRetried | Act::BouncesCleared => {
            "changes-act-mail"
        }
        Act::PersonExported => "changes-act-copy",
        Act::SignInLinkCreated => "changes-act-link",
        _ => "changes-act-other",
    }
}
