//! A student's own entry: heard, changed, recorded.

use std::collections::HashMap;

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    launch,
    pages::{self, Parts, written},
    session,
};
use crate::{
    app::{
        App, Error,
        lti::{
            Refusal,
            sessions::{self, Open, Own, What},
        },
        own_recordings::Scope,
    },
    domain::{
        course::Course,
        field_errors::FieldErrors,
        ids::ParticipantId,
        participant::{Draft, LegalNames},
        text::INVALID,
    },
    http::{
        form::{self, Form},
        html::{origin_of, path_of},
        multipart::MultipartForm,
        path::Path,
        policy::Forms,
    },
};

#[derive(Template)]
#[template(path = "lti/own.html")]
struct Page<'a> {
    parts: Parts<'a>,
    /// They teach, and came from the list of the course.
    is_staff: bool,
    course: &'a Course,
    name: String,
    own: &'a Own,
    sound: Option<String>,
    typed: Typed,
    faults: Faults,
    /// What has just been done.
    done: Option<&'static str>,
}

/// What stands in the fields: what is kept, or what was typed and not taken.
struct Typed {
    phonetic: String,
    notes: String,
    phone_number: String,
}

/// A sentence for each field that has something wrong with it.
#[derive(Default)]
struct Faults {
    phonetic: Option<String>,
    notes: Option<String>,
    phone_number: Option<String>,
    recording: Option<String>,
}

impl Faults {
    fn of(errors: &FieldErrors) -> Self {
        let mut faults = Self::default();
        for (field, messages) in errors.iter() {
            // Where there is a sentence, it stands behind the contract's word.
            let message = messages.last().map(String::as_str).unwrap_or(INVALID);
            let (fault, sentence) = match field {
                "phonetic" => (&mut faults.phonetic, format!("The phonetic spelling {message}.")),
                "notes" => (&mut faults.notes, format!("The notes are not right: the text {message}.")),
                "phone_number" if message == "Is not valid." => {
                    (&mut faults.phone_number, "This is not a phone number that exists.".to_owned())
                }
                "phone_number" => (&mut faults.phone_number, format!("This number {message}")),
                _ => (&mut faults.recording, format!("This is not a recording that can be used: {message}.")),
            };
            *fault = Some(sentence);
        }
        faults
    }

    fn any(&self) -> bool {
        [&self.phonetic, &self.notes, &self.phone_number, &self.recording].into_iter().any(Option::is_some)
    }
}

pub async fn show(
    app: &App,
    open: &Open,
    course: &Course,
    participant: ParticipantId,
    query: &Form,
) -> Response {
    let done = match query.get("done") {
        Some("details") => Some("Saved."),
        Some("recording") => Some("Your recording has been saved. Please listen to it once."),
        Some("call") => Some("You will be called."),
        _ => None,
    };
    draw(app, open, course, participant, |_| {}, Faults::default(), done).await
}

async fn draw(
    app: &App,
    open: &Open,
    course: &Course,
    participant: ParticipantId,
    fill: impl FnOnce(&mut Typed),
    faults: Faults,
    done: Option<&'static str>,
) -> Response {
    let own = match sessions::own(app, open, participant).await {
        Ok(own) => own,
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let media_of = match sessions::elsewhere(app, open, &[&own.person], &HashMap::new()).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(fault) => return pages::fault_in(app, open, fault),
    };
    let mut typed = Typed {
        phonetic: own.person.phonetic.clone().unwrap_or_default(),
        notes: own.person.notes.clone().unwrap_or_default(),
        phone_number: own.phone_number.clone().unwrap_or_default(),
    };
    fill(&mut typed);
    let sound = own
        .person
        .recording
        .as_ref()
        .map(|recording| path_of(&app.links.recording(open.institution.id, recording)).to_owned());
    let status = if faults.any() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = Page {
        parts: Parts::in_session(app, open),
        is_staff: matches!(open.what, What::Course { .. }),
        course,
        name: own.person.full_name(),
        own: &own,
        sound,
        typed,
        faults,
        done,
    };
    written(status, &page, &open.frames(), Forms::Here, media_of.as_deref())
}

/// A form of a student's own, in the session that it was sent in.
macro_rules! opened {
    ($app:ident, $name:ident, $request:ident) => {
        match session::of_form(&$app, &$name, $request.headers()).await {
            Ok(open) => open,
            Err(response) => return response,
        }
    };
}

pub async fn details(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = opened!(app, name, request);
    let Some((course, participant)) = open.own() else { return none(&app, &open) };
    let form = match form::read(request, open.institution.id).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    // Nothing else of an entry is the student's to change here.
    let whole = Draft::read(&form, LegalNames::Ignored);
    let mut draft = Draft { phonetic: whole.phonetic, notes: whole.notes, ..Draft::default() };
    for (field, messages) in whole.errors.iter().filter(|(field, _)| matches!(*field, "phonetic" | "notes")) {
        messages.iter().for_each(|message| draft.errors.add(field, message));
    }
    match sessions::change(&app, &open, participant, draft).await {
        Ok(()) => done(&app, &open, &name, "details"),
        Err(Error::Invalid(errors)) => {
            let fill = |typed: &mut Typed| {
                typed.phonetic = form.get("phonetic").unwrap_or_default().to_owned();
                typed.notes = form.get("notes").unwrap_or_default().to_owned();
            };
            draw(&app, &open, course, participant, fill, Faults::of(&errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

pub async fn recording(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = opened!(app, name, request);
    let Some((course, participant)) = open.own() else { return none(&app, &open) };
    let largest = app.studio.settings.sound.bytes;
    let told = |sentence: &str| Faults { recording: Some(sentence.to_owned()), ..Faults::default() };
    let faults = match MultipartForm::read(request, open.institution.id, largest).await {
        Ok(form) => match form.bytes("recording") {
            None => return pages::unreadable(&app, StatusCode::BAD_REQUEST, &open.frames()),
            Some(bytes) if bytes.is_empty() => told("Please choose a file first."),
            Some(bytes) => {
                let scope = if form.is_ticked("only_here") { Scope::ThisPage } else { Scope::All };
                match sessions::record(&app, &open, participant, bytes.to_vec(), scope).await {
                    Ok(()) => return done(&app, &open, &name, "recording"),
                    Err(Error::Invalid(errors)) => Faults::of(&errors),
                    Err(Error::Busy) => {
                        told("There is too much to do just now; please try again in a moment.")
                    }
                    Err(other) => return gone_or(&app, &open, other),
                }
            }
        },
        Err(StatusCode::PAYLOAD_TOO_LARGE) => told("This file is too large for a recording of a name."),
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    draw(&app, &open, course, participant, |_| {}, faults, None).await
}

pub async fn call(State(app): State<App>, Path(name): Path<String>, request: Request) -> Response {
    let open = opened!(app, name, request);
    let Some((course, participant)) = open.own() else { return none(&app, &open) };
    let form = match form::read(request, open.institution.id).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    let whole = Draft::read(&form, LegalNames::Ignored);
    let outcome = match whole.phone_number.set() {
        Some(number) => {
            let phone_number = crate::domain::participant::Given::Set(number.clone());
            let draft = Draft { phone_number, ..Draft::default() };
            sessions::call(&app, &open, participant, draft).await
        }
        None => Err(Error::invalid("phone_number", "Is not valid.")),
    };
    match outcome {
        Ok(()) => done(&app, &open, &name, "call"),
        Err(Error::Invalid(errors)) => {
            let fill = |typed: &mut Typed| {
                typed.phone_number = form.get("phone_number").unwrap_or_default().to_owned();
            };
            draw(&app, &open, course, participant, fill, Faults::of(&errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

/// Back to the page that the form was on.
fn done(app: &App, open: &Open, name: &str, what: &str) -> Response {
    let page = if matches!(open.what, What::Course { .. }) { "me" } else { "" };
    launch::to_session(app, name, &format!("{page}?done={what}"))
}

fn none(app: &App, open: &Open) -> Response {
    pages::fault_in(app, open, Refusal::NoSession)
}

fn gone_or(app: &App, open: &Open, error: Error) -> Response {
    match error {
        Error::Missing(_) => none(app, open),
        other => pages::fault_in(app, open, other),
    }
}
