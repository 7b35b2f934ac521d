//! `/me/legal-name`: the legal name and its recording, where the institution uses legal names.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    notice, own,
    session::{OwnForm, SignedIn},
};
use crate::{
    app::{
        App, Result, consents,
        own_media::{self, LegalEntry, OwnLegalName},
    },
    http::{
        form::Form,
        html::root,
        page::{self, Microphone, Page},
        policy::Policy,
        recorder::Recorder,
        reply,
    },
};

#[derive(Template)]
#[template(path = "me/legal_name.html")]
struct LegalNamePage<'a> {
    page: Page<'a>,
    recorder: Recorder<'a>,
    rows: Vec<Row<'a>>,
    has_recording: bool,
    /// The person has agreed to the text about recordings, which is on the own page.
    has_consent: bool,
    /// The device can only record.
    is_restricted: bool,
    /// The sentence about what was just done.
    done: Option<String>,
}

/// The legal name on one page.
struct Row<'a> {
    title: &'a str,
    /// Empty if the institution has not entered one.
    name: String,
    phonetic: Option<&'a str>,
    notes: Option<&'a str>,
    /// The path of the recording.
    sound: Option<String>,
    is_paused: bool,
}

const PATH: &str = "/me/legal-name";

pub async fn show(State(app): State<App>, signed_in: SignedIn, request: Request) -> Response {
    if signed_in.is_invited() {
        return notice::restricted(&app, &signed_in);
    }
    let query = Form::from_query(request.uri().query().unwrap_or_default());
    let done = match query.get("done") {
        Some("recording") => Some("me-done-recording"),
        Some("deleted") => Some("me-done-deleted"),
        _ => None,
    };
    draw(&app, &signed_in, StatusCode::OK, None, done).await
}

/// The page, with the sentence that says why a recording was refused.
pub async fn draw(
    app: &App,
    signed_in: &SignedIn,
    status: StatusCode,
    fault: Option<String>,
    done: Option<&str>,
) -> Response {
    let Read { entries, has_consent, media_of } = match read(app, signed_in).await {
        Ok(read) => read,
        Err(error) => return own::fault(app, signed_in, error).await,
    };
    let page = signed_in.page(app, PATH);
    let (action, window) = (format!("{}{PATH}/recording", page.root), format!("{}{PATH}", page.root));
    let csrf = page.csrf.clone();
    let shown = LegalNamePage {
        // A call and a link for the phone are for the recording of the preferred name.
        recorder: Recorder {
            id: "recorder",
            action: &action,
            csrf: &csrf,
            ready: "profile-legal-ready",
            limit: app.studio.settings.take_seconds(),
            part: "recordings",
            handover: None,
            call: None,
            window: &window,
            fault: fault.as_deref(),
            fields: &[],
        },
        has_recording: entries.iter().any(|one| one.is_recorded),
        has_consent,
        is_restricted: signed_in.is_restricted(),
        rows: entries.iter().map(|one| row(app, one)).collect(),
        done: done.map(|id| page.words.text(id)),
        page,
    };
    page::private(status, &shown, Policy::for_recording(media_of.as_deref()), Microphone::Used)
}

struct Read {
    entries: Vec<LegalEntry>,
    has_consent: bool,
    /// The origin of recordings, if it is not ours.
    media_of: Option<String>,
}

async fn read(app: &App, signed_in: &SignedIn) -> Result<Read> {
    let (actor, person) = (signed_in.actor(), &signed_in.session.person);
    let OwnLegalName { entries, .. } = own_media::find_legal_name(app, &actor, person).await?;
    let has_consent = consents::of_person(app, &actor, person).await?.given.is_some();
    Ok(Read { entries, has_consent, media_of: own::media_origin(app, person.institution).await? })
}

fn row<'a>(app: &App, one: &'a LegalEntry) -> Row<'a> {
    let (page, legal) = (&one.entry.page, &one.entry.legal);
    let sound = || own::own_sound_path(app, "/me/legal-name/audio", &page.slug);
    Row {
        title: &page.title,
        name: legal.full_name(),
        phonetic: legal.phonetic.as_deref(),
        notes: legal.notes.as_deref(),
        sound: one.is_recorded.then(sound),
        is_paused: one.is_paused(),
    }
}

/// Back to the page after a form was accepted.
pub fn done(app: &App, what: &str) -> Response {
    reply::see_other(&format!("{}{PATH}?done={what}", root(&app.links)))
}

pub async fn delete(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    match own_media::delete_legal_recording(&app, &signed_in.actor(), &signed_in.session.person).await {
        Ok(()) => done(&app, "deleted"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
