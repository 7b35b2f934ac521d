//! The user's own entry: listen, edit, record, delete.

use askama::Template;
use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    launch,
    pages::{self, Parts},
    session::{self, OwnOrigin, SubmittedForm, Visit},
    window,
};
use crate::{
    app::{
        App, Error, badges,
        consents::{self, Withdrawal},
        lti::{
            Refusal,
            sessions::{Open, SessionTarget},
        },
        own_entry::{self, Details, OwnEntry, Owner},
        own_recordings::Sharing,
    },
    blobs::Shelf,
    domain::{
        course::Course, custom_field::CustomField, fault::Field, field_errors::FieldErrors,
        language::Language, media::Kind, play::FROM_OWN,
    },
    http::{
        assets,
        consent::{self, Agreed, ConsentPanel},
        csrf,
        custom_field::{self, CustomInput, numbered},
        faults::{self, Input},
        form::Form,
        html::{origin_of, path_of},
        multipart::MultipartForm,
        page, ranges,
        recorder::{self, Recorder},
        reply,
    },
    words::Words,
};

#[derive(Template)]
#[template(path = "lti/own.html")]
struct Page<'a> {
    parts: Parts<'a>,
    page: page::Page<'a>,
    record_script: &'a str,
    recorder: Recorder<'a>,
    /// In place of the recorder, before the first recording.
    consent: Option<ConsentPanel>,
    agreed: Option<Agreed>,
    /// The user is staff and came from the course's list.
    is_staff: bool,
    course: &'a Course,
    title: String,
    name: String,
    own: &'a OwnEntry,
    sound: Option<String>,
    typed: FormValues,
    /// The custom fields that the user may not edit, each with its label and value.
    fixed: Vec<(&'a str, String)>,
    faults: Faults,
    /// The action that was just completed.
    done: Option<String>,
}

impl Page<'_> {
    fn will_be_called(&self) -> String {
        match &self.own.phone_number {
            Some(number) => self.page.words.one_html("lti-called-at", "number", number),
            None => self.page.words.html("lti-called", &[]),
        }
    }
}

/// The values of the input fields: the stored ones, or the rejected input.
struct FormValues {
    phonetic: String,
    notes: String,
    phone_number: String,
    /// The custom fields that the institution lets people edit.
    fields: Vec<CustomInput>,
}

impl FormValues {
    fn stored(words: Words, own: &OwnEntry) -> Self {
        let person = &own.person;
        let input = |field: &CustomField| {
            CustomInput::stored(words, field, person.custom.0.get(&field.id).map(String::as_str))
        };
        Self {
            phonetic: person.phonetic.clone().unwrap_or_default(),
            notes: person.notes.clone().unwrap_or_default(),
            phone_number: own.phone_number.clone().unwrap_or_default(),
            fields: own.fields.iter().filter(|field| field.editable).map(input).collect(),
        }
    }
}

/// An error message for each invalid field.
#[derive(Default)]
struct Faults {
    phonetic: Option<String>,
    notes: Option<String>,
    phone_number: Option<String>,
    recording: Option<String>,
    /// By the names of the inputs.
    custom: Vec<(String, String)>,
}

impl Faults {
    fn of(words: Words, errors: &FieldErrors) -> Self {
        let mut all = Self::default();
        for (field, found) in errors.iter() {
            let sentence = |input: Input| found.first().map(|fault| faults::fault(words, input, fault));
            match field {
                Field::Phonetic => all.phonetic = sentence(Input::Phonetic),
                Field::Notes => all.notes = sentence(Input::Notes),
                Field::PhoneNumber => all.phone_number = sentence(Input::PhoneNumber),
                Field::Custom(key) => {
                    all.custom.extend(sentence(Input::CustomField).map(|fault| (key.clone(), fault)));
                }
                _ => all.recording = sentence(Input::Recording),
            }
        }
        all
    }

    fn any(&self) -> bool {
        let faults = [&self.phonetic, &self.notes, &self.phone_number, &self.recording];
        faults.into_iter().any(Option::is_some) || !self.custom.is_empty()
    }
}

pub async fn show(app: &App, open: &Open, course: &Course, owner: Owner, query: &Form) -> Response {
    let done = match query.get("done") {
        Some("details") => Some("lti-saved"),
        Some("recording") => Some("me-done-recording"),
        Some("deleted") => Some("me-done-deleted"),
        Some("call") => Some("me-done-call"),
        Some("consent") => Some("data-consent-done"),
        Some("withdrawn") => Some("data-consent-withdrawn"),
        _ => None,
    };
    draw(app, open, course, owner, |_, _| {}, Faults::default(), done).await
}

async fn draw(
    app: &App,
    open: &Open,
    course: &Course,
    owner: Owner,
    fill: impl FnOnce(&mut FormValues, &[CustomField]),
    faults: Faults,
    done: Option<&str>,
) -> Response {
    let read = async {
        let consent = consents::of_owner(app, owner).await?;
        Ok::<_, Error>((own_entry::find(app, owner).await?, consent))
    };
    let (own, consent) = match read.await {
        Ok(read) => read,
        Err(error) => return gone_or(app, open, error),
    };
    // The origin is the same for every recording, so it is known before there is one.
    let hex = own.person.recording.as_ref().map_or_else(|| "0".repeat(32), |recording| recording.hex.clone());
    let media_of = match badges::external_url_of(app, owner.institution, &hex).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(error) => return pages::fault_in(app, open, error),
    };
    let window = match window::link(app, open) {
        Ok(link) => link,
        Err(error) => return pages::fault_in(app, open, error),
    };
    let words = pages::words(open);
    let mut typed = FormValues::stored(words, &own);
    fill(&mut typed, &own.fields);
    typed.fields = numbered(typed.fields.into_iter(), "field");
    for field in &mut typed.fields {
        field.fault =
            faults.custom.iter().find(|(name, _)| *name == field.name).map(|(_, fault)| fault.clone());
    }
    let fixed = own.fields.iter().filter(|field| !field.editable).filter_map(|field| {
        let value = own.person.custom.0.get(&field.id)?;
        Some((field.label.as_str(), custom_field::shown(words, field, value)))
    });
    let sound = sound(app, owner, &own);
    let status = if faults.any() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let name = own.person.full_name();
    let is_staff = matches!(open.what, SessionTarget::Course { .. });
    let path = pages::path(open, page_of(open));
    let parts = Parts::in_session(app, open);
    let (csrf, fault) = (parts.csrf.clone(), faults.recording.clone());
    let recorder = Recorder {
        id: "recorder",
        action: "recording",
        csrf: &csrf,
        ready: "recorder-ready",
        limit: app.studio.settings.take_seconds(),
        part: "own-recording",
        handover: own.person.email.is_some().then_some("handover"),
        call: own.can_be_called.then_some("#call"),
        window: &window,
        fault: fault.as_deref(),
        fields: &[],
    };
    let frame = page::Page::new(&app.links, pages::language(open), &path);
    let agree = ("consent".to_owned(), csrf.as_str());
    let rejected = fault.clone().or_else(|| faults.phone_number.clone());
    let (consent, agreed) = consent::shown(&consent, frame.words, &open.institution, agree, rejected);
    let page = Page {
        parts,
        page: frame,
        consent,
        agreed,
        record_script: assets::RECORD_SCRIPT.address(),
        recorder,
        is_staff,
        course,
        title: words.plain("lti-own-title", &[("name", name.as_str().into())]),
        name,
        own: &own,
        sound,
        typed,
        fixed: fixed.collect(),
        faults,
        done: done.map(|id| words.text(id)),
    };
    pages::recording(status, &page, &open.frames(), media_of.as_deref())
}

/// The path of the owner's newest recording. While nobody else may hear it, its link is dead, and only the owner's session plays it.
fn sound(app: &App, owner: Owner, own: &OwnEntry) -> Option<String> {
    match &own.person.recording {
        // The cookie of this session is not sent to other paths.
        Some(recording) if !own.is_held() && !own.person.directory_hold => {
            Some(format!("{}{FROM_OWN}", path_of(&app.links.recording(owner.institution, recording))))
        }
        _ => (own.is_recorded || own.is_held()).then(|| "recording/audio".to_owned()),
    }
}

/// The owner's recording, also while nobody else may hear it.
pub async fn audio(State(app): State<App>, visit: Visit, headers: HeaderMap) -> Response {
    let Visit { open, .. } = visit;
    let Some((_, owner)) = open.own() else { return none(&app, &open) };
    match own_entry::sound(&app, owner, Kind::Recording).await {
        Ok(sound) => ranges::private(&headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => gone_or(&app, &open, error),
    }
}

pub async fn details(State(app): State<App>, SubmittedForm { visit, form }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    match own_entry::change(&app, owner, owner.in_lti(), Details::read(&form)).await {
        Ok(()) => done(&app, &open, &name, "details"),
        Err(Error::Invalid(errors)) => {
            let words = pages::words(&open);
            let fill = |typed: &mut FormValues, fields: &[CustomField]| {
                typed.phonetic = form.get("phonetic").unwrap_or_default().to_owned();
                typed.notes = form.get("notes").unwrap_or_default().to_owned();
                let editable = fields.iter().filter(|field| field.editable);
                typed.fields = editable.map(|field| CustomInput::sent(words, field, &form, None)).collect();
            };
            draw(&app, &open, course, owner, fill, Faults::of(words, &errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

/// Stores a recording: a file from the form, or a take that the recorder sends and wants JSON for.
pub async fn recording(State(app): State<App>, request: Request) -> Response {
    let is_json_wanted = reply::is_json_wanted(request.headers());
    let (mut parts, body) = request.into_parts();
    let OwnOrigin(Visit { name, open }) = match OwnOrigin::from_request_parts(&mut parts, &app).await {
        Ok(visit) => visit,
        Err(page) if is_json_wanted => return json_of(&page),
        Err(page) => return page,
    };
    let outcome = keep(&app, &open, Request::from_parts(parts, body)).await;
    let busy = pages::words(&open).text("shared-busy");
    if is_json_wanted {
        return match outcome {
            Ok(sound) => recorder::kept(sound.as_deref()),
            Err(Unkept::Refused(fault)) => recorder::refused(StatusCode::UNPROCESSABLE_ENTITY, &fault, None),
            Err(Unkept::NoConsent(fault)) => {
                recorder::refused(StatusCode::UNPROCESSABLE_ENTITY, &fault, Some("consent"))
            }
            Err(Unkept::Busy) => recorder::refused(StatusCode::SERVICE_UNAVAILABLE, &busy, None),
            Err(Unkept::Page(page)) => json_of(&page),
        };
    }
    let fault = match outcome {
        Ok(_) => return done(&app, &open, &name, "recording"),
        Err(Unkept::Page(page)) => return page,
        Err(Unkept::Refused(fault) | Unkept::NoConsent(fault)) => fault,
        Err(Unkept::Busy) => busy,
    };
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    let faults = Faults { recording: Some(fault), ..Faults::default() };
    draw(&app, &open, course, owner, |_, _| {}, faults, None).await
}

/// Why a recording was not stored.
enum Unkept {
    /// With the message for the person.
    Refused(String),
    NoConsent(String),
    Busy,
    /// With the page that explains it.
    Page(Response),
}

/// Returns the path of the stored recording.
async fn keep(app: &App, open: &Open, request: Request) -> Result<Option<String>, Unkept> {
    let Some((_, owner)) = open.own() else { return Err(Unkept::Page(none(app, open))) };
    let words = pages::words(open);
    let header = request.headers().get(csrf::HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let largest = app.studio.settings.sound.bytes;
    // The form keeps its memory reservation until the recording is processed.
    let mut form = match MultipartForm::read(request, open.institution.id, largest).await {
        Ok(form) => form,
        Err(StatusCode::PAYLOAD_TOO_LARGE) => {
            return Err(Unkept::Refused(words.text("recorder-fault-too-large")));
        }
        Err(status) => return Err(Unkept::Page(unreadable(app, open, status))),
    };
    let token = header.as_deref().or_else(|| form.text(csrf::FIELD));
    if !session::is_own_form(open, token) {
        return Err(Unkept::Page(session::forged(app, open)));
    }
    let sharing = if form.is_ticked("only_here") { Sharing::ThisPage } else { Sharing::All };
    let Some(bytes) = form.take("recording") else {
        return Err(Unkept::Page(unreadable(app, open, StatusCode::BAD_REQUEST)));
    };
    if bytes.is_empty() {
        return Err(Unkept::Refused(words.text("recorder-fault-no-file")));
    }
    match own_entry::record(app, owner, owner.in_lti(), bytes, sharing).await {
        Ok(()) => Ok(own_entry::find_stored(app, owner).await.and_then(|own| sound(app, owner, &own))),
        Err(Error::Invalid(errors)) => {
            let fault = Faults::of(words, &errors).recording;
            let fault = fault.unwrap_or_else(|| words.text("recorder-refused"));
            let is_missing = consents::is_missing(&errors);
            Err(if is_missing { Unkept::NoConsent(fault) } else { Unkept::Refused(fault) })
        }
        Err(Error::Busy) => Err(Unkept::Busy),
        Err(other) => Err(Unkept::Page(gone_or(app, open, other))),
    }
}

/// The same answer as a page, for the recorder, which has its own sentence for each status.
pub fn json_of(page: &Response) -> Response {
    let status = page.status();
    reply::message(status, status.canonical_reason().unwrap_or_default())
}

/// Deletes the recording everywhere, or in this course.
pub async fn delete_recording(
    State(app): State<App>,
    SubmittedForm { visit, form }: SubmittedForm,
) -> Response {
    let Visit { name, open } = visit;
    let Some((_, owner)) = open.own() else { return none(&app, &open) };
    let sharing = if form.get("only_here").is_some() { Sharing::ThisPage } else { Sharing::All };
    match own_entry::delete_recording(&app, owner, owner.in_lti(), sharing).await {
        Ok(()) => done(&app, &open, &name, "deleted"),
        Err(error) => gone_or(&app, &open, error),
    }
}

pub async fn call(State(app): State<App>, SubmittedForm { visit, form }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    let number = form.get("phone_number").unwrap_or_default();
    match own_entry::call(&app, owner, owner.in_lti(), number).await {
        Ok(()) => done(&app, &open, &name, "call"),
        Err(Error::Invalid(errors)) => {
            let fill = |typed: &mut FormValues, _: &[CustomField]| typed.phone_number = number.to_owned();
            draw(&app, &open, course, owner, fill, Faults::of(pages::words(&open), &errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

/// Agrees to the text about recordings.
pub async fn consent(State(app): State<App>, SubmittedForm { visit, form }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let Some((_, owner)) = open.own() else { return none(&app, &open) };
    let version = form.get("version").unwrap_or_default();
    let language = form.get("language").and_then(Language::parse).unwrap_or_default();
    match consents::agree_as_owner(&app, owner, owner.in_lti(), version, language).await {
        Ok(true) => done(&app, &open, &name, "consent"),
        // There is a new version by now: the page shows it.
        Ok(false) => launch::to_session(&app, &name, page_of(&open)),
        Err(error) => gone_or(&app, &open, error),
    }
}

/// Withdraws the agreement. The page offers only what is possible.
pub async fn withdraw(State(app): State<App>, SubmittedForm { visit, form }: SubmittedForm) -> Response {
    let Visit { name, open } = visit;
    let Some((_, owner)) = open.own() else { return none(&app, &open) };
    let then = match form.get("then") {
        Some("pause") => Withdrawal::Pause,
        Some("delete") => Withdrawal::Delete,
        _ => return unreadable(&app, &open, StatusCode::BAD_REQUEST),
    };
    match own_entry::withdraw(&app, owner, owner.in_lti(), then).await {
        Ok(()) => done(&app, &open, &name, "withdrawn"),
        Err(Error::Invalid(_)) => unreadable(&app, &open, StatusCode::BAD_REQUEST),
        Err(error) => gone_or(&app, &open, error),
    }
}

/// Redirects to the page of the form.
fn done(app: &App, open: &Open, name: &str, what: &str) -> Response {
    launch::to_session(app, name, &format!("{}?done={what}", page_of(open)))
}

/// The path of the own entry in the session: that of staff is not the first page.
fn page_of(open: &Open) -> &'static str {
    if matches!(open.what, SessionTarget::Course { .. }) { "me" } else { "" }
}

fn unreadable(app: &App, open: &Open, status: StatusCode) -> Response {
    pages::unreadable(app, pages::language(open), status, &open.frames())
}

fn none(app: &App, open: &Open) -> Response {
    pages::fault_in(app, open, Refusal::NoSession)
}

pub fn gone_or(app: &App, open: &Open, error: Error) -> Response {
    match error {
        Error::Missing(_) => none(app, open),
        other => pages::fault_in(app, open, other),
    }
}
