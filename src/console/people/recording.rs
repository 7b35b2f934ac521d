//! Recording or uploading for somebody, as API clients do. Their own page asks them for their consent; here, whoever records answers for it.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{IdPath, REJECTED, path_of, sentence, shown_name};
use crate::{
    app::{
        App, Error, page_settings,
        people_entry::{self, EntryView},
    },
    console::visit::{Console, Nav},
    domain::{ids::ParticipantId, media::Kind, section::Section},
    http::{
        csrf,
        faults::Input,
        multipart::MultipartForm,
        page::{self, Microphone, Page},
        path::Path,
        policy::Policy,
        recorder::{self, Recorder},
        reply,
        session::{SentForm, forged_by},
    },
};

#[derive(Template)]
#[template(path = "console/person_record.html")]
struct RecordView<'a> {
    page: Page<'a>,
    nav: Nav,
    id: ParticipantId,
    name: String,
    label: String,
    /// The path of the current recording.
    sound: Option<String>,
    is_paused: bool,
    recorder: Recorder<'a>,
    has_legal_name: bool,
    faults: Faults,
}

/// Why a file was refused.
#[derive(Default)]
struct Faults {
    recording: Option<String>,
    legal_recording: Option<String>,
    photo: Option<String>,
}

impl Faults {
    fn new(kind: Kind, sentence: String) -> Self {
        let mut faults = Self::default();
        match kind {
            Kind::LegalRecording => faults.legal_recording = Some(sentence),
            Kind::Photo => faults.photo = Some(sentence),
            Kind::Recording | Kind::Held | Kind::Removed => faults.recording = Some(sentence),
        }
        faults
    }
}

pub async fn form(State(app): State<App>, console: Console, Path(path): Path<IdPath>) -> Response {
    draw(&app, &console, path.id(), StatusCode::OK, Faults::default()).await
}

async fn draw(
    app: &App,
    console: &Console,
    id: ParticipantId,
    status: StatusCode,
    faults: Faults,
) -> Response {
    let entry = match people_entry::find(app, &console.actor, console.id(), id).await {
        Ok(entry) => entry,
        Err(error) => return console.fault(app, &error),
    };
    let limit = match page_settings::find(app, console.id(), entry.page).await {
        Ok(settings) => page_settings::take_seconds(app, &settings),
        Err(error) => return console.fault(app, &error),
    };
    let path = console.path(&format!("{}/record", path_of(id)));
    let page = console.page(app, &path);
    let words = page.words;
    let (action, csrf) = (format!("{}{path}", page.root), page.csrf.clone());
    let name = shown_name(words, entry.person.full_name(), entry.person.email.as_deref());
    let fault = faults.recording.clone();
    let shown = RecordView {
        nav: console.nav(app, Section::People),
        id,
        label: words.one("badge-play", "name", &name),
        name,
        sound: current(&entry)
            .map(|hex| format!("{}{}", page.root, console.path(&format!("{}/audio/{hex}", path_of(id))))),
        is_paused: entry.is_paused,
        recorder: Recorder {
            id: "recorder",
            action: &action,
            csrf: &csrf,
            ready: "console-people-record-ready",
            limit,
            part: "recording",
            handover: None,
            call: None,
            window: &action,
            fault: fault.as_deref(),
            fields: &[("kind", "recording")],
        },
        has_legal_name: console.institution.multiple_recordings,
        faults,
        page,
    };
    page::private(status, &shown, Policy::for_recording(None), Microphone::Used)
}

/// The recording that others can hear.
fn current(entry: &EntryView) -> Option<&str> {
    entry.person.recording.as_ref().map(|recording| recording.hex.as_str())
}

pub async fn send(
    State(app): State<App>,
    console: Console,
    Path(path): Path<IdPath>,
    request: Request,
) -> Response {
    let id: ParticipantId = path.id();
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let words = console.words();
    let largest = app.studio.settings.sound.bytes;
    let mut form = match MultipartForm::read(request, console.id(), largest).await {
        Ok(form) => form,
        Err(status) => {
            let sentence = words.text(match status {
                StatusCode::PAYLOAD_TOO_LARGE => "recorder-fault-too-large",
                StatusCode::SERVICE_UNAVAILABLE => "recorder-busy",
                _ => "shared-unreadable",
            });
            return refuse(&app, &console, id, status, (Kind::Recording, sentence)).await;
        }
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let kind = match form.text("kind") {
        Some("photo") => Kind::Photo,
        Some("legal_recording") if console.institution.multiple_recordings => Kind::LegalRecording,
        _ => Kind::Recording,
    };
    let input = if kind == Kind::Photo { Input::Photo } else { Input::Recording };
    let Some(file) = form.take("recording").filter(|file| !file.is_empty()) else {
        let sentence = words.text(match kind {
            Kind::Photo => "profile-photo-no-file",
            Kind::Recording | Kind::LegalRecording | Kind::Held | Kind::Removed => "recorder-fault-no-file",
        });
        return refuse(&app, &console, id, REJECTED, (kind, sentence)).await;
    };
    // The form keeps its memory reservation until the file is processed.
    match people_entry::upload(&app, &console.actor, console.id(), id, (kind, file)).await {
        Ok(()) if console.who.is_script => kept(&app, &console, id).await,
        Ok(()) => console.go(&app, &format!("{}?done=recorded", path_of(id))),
        Err(Error::Invalid(errors)) => {
            let why = sentence(words, &errors, &kind.field(), input);
            let why = why.unwrap_or_else(|| words.text("recorder-refused"));
            refuse(&app, &console, id, REJECTED, (kind, why)).await
        }
        Err(Error::Busy | Error::Unavailable(_)) => {
            let why = words.text("recorder-busy");
            refuse(&app, &console, id, StatusCode::SERVICE_UNAVAILABLE, (kind, why)).await
        }
        Err(error) if console.who.is_script => {
            let response = console.fault(&app, &error);
            reply::message(response.status(), &words.text("recorder-trouble"))
        }
        Err(error) => console.fault(&app, &error),
    }
}

/// The answer to the recorder, with the path of what was stored.
async fn kept(app: &App, console: &Console, id: ParticipantId) -> Response {
    let entry = people_entry::find(app, &console.actor, console.id(), id).await.ok();
    let hex = entry.as_ref().and_then(current);
    let root = crate::http::html::root(&app.links);
    let link = hex.map(|hex| format!("{root}{}", console.path(&format!("{}/audio/{hex}", path_of(id)))));
    recorder::kept(link.as_deref())
}

async fn refuse(
    app: &App,
    console: &Console,
    id: ParticipantId,
    status: StatusCode,
    (kind, sentence): (Kind, String),
) -> Response {
    if console.who.is_script {
        return recorder::refused(status, &sentence, None);
    }
    draw(app, console, id, status, Faults::new(kind, sentence)).await
}
