//! One person: the entry, recordings, calls, messages, the invitation, changes, and other entries of the same person.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use serde::Deserialize;

use super::{IdPath, date, path_of, query_of, sentence, shown_name};
use crate::{
    app::{
        App, Error, badges,
        people_entry::{self, CallView, EntryView, OtherEntry},
    },
    blobs::Shelf,
    console::{
        audit::{acts, who_name},
        rule::Least,
        visit::{Console, ConsoleForm, Nav},
    },
    domain::{
        audience::Audience,
        audit, call,
        fault::Field,
        ids::ParticipantId,
        invitation::{Facts, InvitationState},
        media::{Kind, Media},
        message::{Message, OutboxMessage, State as MailState, Stored},
        section::Section,
    },
    http::{
        faults::Input,
        field_labels::label_id,
        html,
        page::{self, Microphone, Page},
        path::Path,
        policy::{Forms, Policy},
        ranges,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "console/person.html")]
struct PersonView<'a> {
    page: Page<'a>,
    nav: Nav,
    id: ParticipantId,
    name: String,
    email: Option<String>,
    slug: String,
    title: String,
    /// Labels and values.
    facts: Vec<(String, String)>,
    badge: String,
    photo: Option<String>,
    is_paused: bool,
    has_hold: bool,
    sounds: Vec<Sound>,
    calls: Vec<Event>,
    can_be_called: bool,
    is_called: bool,
    call_fault: Option<String>,
    messages: Vec<Event>,
    invitation: Option<Event>,
    changes: Vec<Change>,
    /// The address of all changes to the person's data, for admins.
    audit: Option<String>,
    others: Vec<OtherEntry>,
    done: Option<String>,
}

struct Sound {
    label: String,
    about: String,
    date: String,
    /// Why it was not accepted.
    reason: Option<String>,
    /// The path of the file, if somebody may hear it.
    link: Option<String>,
}

/// Something that happened: what, how it stands, and when.
struct Event {
    what: String,
    state: String,
    date: String,
}

/// A change of the entry.
struct Change {
    what: String,
    /// The names of the changed fields.
    fields: String,
    who: String,
    date: String,
}

pub async fn show(
    State(app): State<App>,
    console: Console,
    Path(path): Path<IdPath>,
    request: Request,
) -> Response {
    let words = console.words();
    let done = match query_of(&request).get("done") {
        Some("saved") => Some("console-people-done-saved"),
        Some("recorded") => Some("console-people-done-recorded"),
        Some("called") => Some("console-people-done-called"),
        Some("merged") => Some("console-people-done-merged"),
        Some("restored") => Some("console-people-done-restored"),
        _ => None,
    };
    let done = done.map(|id| words.text(id));
    draw(&app, &console, path.id(), StatusCode::OK, (done, None)).await
}

async fn draw(
    app: &App,
    console: &Console,
    id: ParticipantId,
    status: StatusCode,
    (done, call_fault): (Option<String>, Option<String>),
) -> Response {
    let entry = match people_entry::find(app, &console.actor, console.id(), id).await {
        Ok(entry) => entry,
        Err(error) => return console.fault(app, &error),
    };
    // Pictures may be elsewhere.
    let media = match badges::external_url_of(app, console.id(), &"0".repeat(32)).await {
        Ok(address) => address,
        Err(error) => return console.fault(app, &error),
    };
    let media_of = media.as_deref().and_then(html::origin_of);
    let path = console.path(&path_of(id));
    let page = console.page(app, &path);
    let (words, institution) = (page.words, console.id());
    let person = &entry.person;
    let badge = app.links.name_badge(institution, &person.token);
    let nav = console.nav(app, Section::People);
    let audit = person.email.as_deref().filter(|_| Least::Admin.includes(console.member.role)).map(|email| {
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("person", email).finish();
        format!("{}/audit?{query}", nav.home())
    });
    let shown = PersonView {
        nav,
        id,
        name: shown_name(words, person.full_name(), person.email.as_deref()),
        email: person.email.clone(),
        slug: person.page.slug.clone(),
        title: person.page.title.clone(),
        facts: facts(words, console, &entry),
        badge: html::path_of(&badge).to_owned(),
        // The link of a held entry's picture is dead. Moderation shows it.
        photo: person.photo.as_ref().filter(|_| !person.is_held).map(|hex| {
            let link = app.links.photo(institution, hex);
            format!("{}_128.jpg", html::path_of(&link).trim_end_matches(".jpg"))
        }),
        is_paused: entry.is_paused,
        has_hold: person.directory_hold,
        sounds: sounds(words, console, &page, &entry),
        calls: entry.calls.iter().map(|one| called(words, console, one)).collect(),
        can_be_called: entry.can_be_called && entry.phone_number.is_some(),
        is_called: entry.is_called,
        call_fault,
        messages: entry.messages.iter().map(|one| message(words, console, one)).collect(),
        invitation: invitation(words, console, &entry),
        changes: entry.changes.iter().map(|one| change(words, console, one)).collect(),
        audit,
        others: entry.others,
        done,
        page,
    };
    let policy = Policy {
        scripts: true,
        asks: true,
        forms: Forms::SelfOnly,
        media_of: media_of.as_deref(),
        ..Policy::default()
    };
    page::private(status, &shown, policy, Microphone::Unused)
}

fn facts(words: Words, console: &Console, entry: &EntryView) -> Vec<(String, String)> {
    let person = &entry.person;
    let mut facts: Vec<(String, String)> = Vec::new();
    for field in &entry.fields {
        if let Some(value) = person.custom.0.get(&field.id) {
            facts.push((field.label.clone(), value.clone()));
        }
    }
    let has_legal = console.institution.multiple_recordings;
    for (field, value) in person.texts().filter(|(field, _)| has_legal || !field.is_legal) {
        if let Some(value) = value {
            facts.push((words.text(label_id(field.key)), value.to_owned()));
        }
    }
    if let Some(number) = &entry.phone_number {
        facts.push((words.text("import-field-phone"), number.clone()));
    }
    let audience = match entry.audience {
        Audience::Public => "me-audience-public",
        Audience::Institution => "console-people-audience-institution",
        Audience::Paused => "me-audience-paused",
    };
    facts.push((words.text("me-audience-title"), words.text(audience)));
    facts
}

fn sounds(words: Words, console: &Console, page: &Page<'_>, entry: &EntryView) -> Vec<Sound> {
    let name = shown_name(words, entry.person.full_name(), entry.person.email.as_deref());
    let sound = |one: &Media| {
        let about = match one.kind {
            Kind::Recording => "console-people-recording",
            Kind::LegalRecording => "console-people-legal-recording",
            Kind::Held => "console-people-waiting",
            Kind::Removed => "console-people-removed",
            Kind::Photo => return None,
        };
        let is_silent = one.kind.is_public() && entry.is_paused;
        let path = console.path(&format!("{}/audio/{}", path_of(entry.person.id), one.hex));
        Some(Sound {
            label: words.one("badge-play", "name", &name),
            about: words.text(about),
            date: date(console, one.created_at),
            reason: entry.cases.iter().find(|case| case.hex == one.hex).and_then(|case| case.reason.clone()),
            link: (!is_silent).then(|| format!("{}{path}", page.root)),
        })
    };
    entry.media.iter().filter_map(sound).collect()
}

fn called(words: Words, console: &Console, call: &CallView) -> Event {
    let last = call.attempts.last();
    let state = match last.map_or(call.state, |attempt| attempt.state) {
        _ if call.state == call::State::Scheduled => "console-people-call-scheduled",
        call::State::Scheduled => "console-people-call-scheduled",
        call::State::Dialing | call::State::InProgress => "console-people-call-active",
        call::State::Recorded => "console-people-recorded",
        call::State::NoAnswer => "console-people-call-no-answer",
        call::State::Busy => "console-people-call-busy",
        call::State::Failed => "console-people-call-failed",
        call::State::Canceled => "console-people-call-canceled",
    };
    Event {
        what: call.phone_number.clone(),
        state: words.text(state),
        date: last.map(|attempt| date(console, attempt.at)).unwrap_or_default(),
    }
}

fn message_id(message: &Message) -> &'static str {
    match message {
        Message::SignIn { .. } => "console-people-mail-sign-in",
        Message::Test | Message::Sample { .. } => "page-mail-page-test-title",
        Message::Warning { .. } => "console-messages-warning",
        Message::Invitation { .. } => "page-mail-kind-invitation",
        Message::Reminder { .. } => "page-mail-kind-reminder",
        Message::Rejection { .. } => "page-mail-kind-rejection",
        Message::Notice { .. } => "console-messages-notice",
        Message::EntryRejection { .. } => "page-mail-kind-entry-rejection",
        Message::RecordingRequest { .. } => "page-mail-kind-request",
        Message::Retention { .. } => "page-mail-kind-retention",
    }
}

fn message(words: Words, console: &Console, one: &OutboxMessage) -> Event {
    let what = match &one.message {
        Stored::Newer { .. } => "console-messages-newer",
        Stored::Known(message) => message_id(message),
    };
    let state = match one.state {
        MailState::Queued | MailState::Sending => "console-people-mail-queued",
        MailState::Sent => "console-people-mail-sent",
        MailState::Failed => "console-people-mail-failed",
        MailState::Unconfirmed => "console-people-mail-unconfirmed",
        MailState::Expired => "console-people-mail-expired",
    };
    Event { what: words.text(what), state: words.text(state), date: date(console, one.created_at) }
}

fn change(words: Words, console: &Console, entry: &audit::Entry) -> Change {
    Change {
        what: acts::name(words, &entry.act),
        fields: entry.fields().join(", "),
        who: who_name(words, &entry.who),
        date: date(console, entry.at),
    }
}

fn invitation(words: Words, console: &Console, entry: &EntryView) -> Option<Event> {
    let invitation = entry.invitation.as_ref()?;
    let is_recorded = entry.media.iter().any(|one| matches!(one.kind, Kind::Recording | Kind::Held));
    let is_opened = invitation.opened_at.is_some();
    let facts = Facts { is_recorded, is_opened, is_registered: true, ..Facts::default() };
    let state = match InvitationState::of(facts) {
        _ if invitation.withdrawn_at.is_some() => "invite-withdrawn",
        InvitationState::Recorded => "invite-state-recorded",
        InvitationState::Opened => "invite-state-opened",
        InvitationState::Registered => "invite-state-registered",
        InvitationState::Invited | InvitationState::OptedOut | InvitationState::Bounced => {
            "invite-state-invited"
        }
    };
    let at = invitation.reminded_at.or(invitation.sent_at).unwrap_or(invitation.created_at);
    Some(Event { what: invitation.email.clone(), state: words.text(state), date: date(console, at) })
}

/// Calls the person at the number of their entry.
pub async fn call(
    State(app): State<App>,
    Path(path): Path<IdPath>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let id: ParticipantId = path.id();
    match people_entry::call(&app, &console.actor, console.id(), id).await {
        Ok(()) => console.go(&app, &format!("{}?done=called", path_of(id))),
        Err(Error::Invalid(errors)) => {
            let fault = sentence(console.words(), &errors, &Field::PhoneNumber, Input::PhoneNumber);
            draw(&app, &console, id, super::REJECTED, (None, fault)).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

#[derive(Deserialize)]
pub struct SoundPath {
    id: String,
    hex: String,
}

/// A recording of the person.
pub async fn audio(
    State(app): State<App>,
    console: Console,
    Path(SoundPath { id, hex }): Path<SoundPath>,
    headers: HeaderMap,
) -> Response {
    match people_entry::sound(&app, &console.actor, console.id(), super::number(&id), &hex).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => console.fault(&app, &error),
    }
}
