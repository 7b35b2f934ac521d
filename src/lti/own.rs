//! The user's own entry: listen, edit, record.

use askama::Template;
use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    launch,
    pages::{self, Parts, written},
    session::{SubmittedForm, Visit},
    words::{Input, Message},
};
use crate::{
    app::{
        App, Error, badges,
        lti::{
            Refusal,
            sessions::{Open, SessionTarget},
        },
        own_entry::{self, Details, OwnEntry, Owner},
        own_recordings::Sharing,
    },
    domain::{course::Course, fault::Field, field_errors::FieldErrors},
    http::{
        form::{self, Form},
        html::{origin_of, path_of},
        multipart::MultipartForm,
        policy::Forms,
    },
};

#[derive(Template)]
#[template(path = "lti/own.html")]
struct Page<'a> {
    parts: Parts<'a>,
    /// The user is staff and came from the course's list.
    is_staff: bool,
    course: &'a Course,
    title: String,
    name: String,
    own: &'a OwnEntry,
    sound: Option<String>,
    typed: FormValues,
    faults: Faults,
    /// The action that was just completed.
    done: Option<String>,
}

impl Page<'_> {
    fn will_be_called(&self) -> String {
        Message::WillBeCalled { number: self.own.phone_number.as_deref() }.html()
    }
}

/// The values of the input fields: the stored ones, or the rejected input.
struct FormValues {
    phonetic: String,
    notes: String,
    phone_number: String,
}

/// An error message for each invalid field.
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
        for (field, found) in errors.iter() {
            let (input, place) = match field {
                Field::Phonetic => (Input::Phonetic, &mut faults.phonetic),
                Field::Notes => (Input::Notes, &mut faults.notes),
                Field::PhoneNumber => (Input::PhoneNumber, &mut faults.phone_number),
                _ => (Input::Recording, &mut faults.recording),
            };
            *place = found.first().map(|fault| Message::Fault { input, fault }.text());
        }
        faults
    }

    fn recording(message: Message<'_>) -> Self {
        Self { recording: Some(message.text()), ..Self::default() }
    }

    fn any(&self) -> bool {
        [&self.phonetic, &self.notes, &self.phone_number, &self.recording].into_iter().any(Option::is_some)
    }
}

pub async fn show(app: &App, open: &Open, course: &Course, owner: Owner, query: &Form) -> Response {
    let done = match query.get("done") {
        Some("details") => Some(Message::DetailsSaved),
        Some("recording") => Some(Message::RecordingSaved),
        Some("call") => Some(Message::CallScheduled),
        _ => None,
    };
    draw(app, open, course, owner, |_| {}, Faults::default(), done).await
}

async fn draw(
    app: &App,
    open: &Open,
    course: &Course,
    owner: Owner,
    fill: impl FnOnce(&mut FormValues),
    faults: Faults,
    done: Option<Message<'_>>,
) -> Response {
    let own = match own_entry::find(app, owner).await {
        Ok(own) => own,
        Err(error) => return gone_or(app, open, error),
    };
    let media_of = match badges::external_url(app, owner.institution, &own.person).await {
        Ok(address) => address.as_deref().and_then(origin_of),
        Err(error) => return pages::fault_in(app, open, error),
    };
    let mut typed = FormValues {
        phonetic: own.person.phonetic.clone().unwrap_or_default(),
        notes: own.person.notes.clone().unwrap_or_default(),
        phone_number: own.phone_number.clone().unwrap_or_default(),
    };
    fill(&mut typed);
    let sound = own
        .person
        .recording
        .as_ref()
        .map(|recording| path_of(&app.links.recording(owner.institution, recording)).to_owned());
    let status = if faults.any() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let name = own.person.full_name();
    let page = Page {
        parts: Parts::in_session(app, open),
        is_staff: matches!(open.what, SessionTarget::Course { .. }),
        course,
        title: Message::OwnTitle { name: &name }.text(),
        name,
        own: &own,
        sound,
        typed,
        faults,
        done: done.map(|message| message.text()),
    };
    written(status, &page, &open.frames(), Forms::SelfOnly, media_of.as_deref())
}

pub async fn details(
    State(app): State<App>,
    SubmittedForm(visit): SubmittedForm,
    request: Request,
) -> Response {
    let Visit { name, open } = visit;
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    let form = match form::read(request, open.institution.id).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    match own_entry::change(&app, owner, Details::read(&form)).await {
        Ok(()) => done(&app, &open, &name, "details"),
        Err(Error::Invalid(errors)) => {
            let fill = |typed: &mut FormValues| {
                typed.phonetic = form.get("phonetic").unwrap_or_default().to_owned();
                typed.notes = form.get("notes").unwrap_or_default().to_owned();
            };
            draw(&app, &open, course, owner, fill, Faults::of(&errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

pub async fn recording(
    State(app): State<App>,
    SubmittedForm(visit): SubmittedForm,
    request: Request,
) -> Response {
    let Visit { name, open } = visit;
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    let largest = app.studio.settings.sound.bytes;
    let faults = match MultipartForm::read(request, open.institution.id, largest).await {
        // The form keeps its memory reservation until the recording is processed.
        Ok(mut form) => match form.take("recording") {
            None => return pages::unreadable(&app, StatusCode::BAD_REQUEST, &open.frames()),
            Some(bytes) if bytes.is_empty() => Faults::recording(Message::NoFileChosen),
            Some(bytes) => {
                let sharing = if form.is_ticked("only_here") { Sharing::ThisPage } else { Sharing::All };
                match own_entry::record(&app, owner, bytes, sharing).await {
                    Ok(()) => return done(&app, &open, &name, "recording"),
                    Err(Error::Invalid(errors)) => Faults::of(&errors),
                    Err(Error::Busy) => Faults::recording(Message::Busy),
                    Err(other) => return gone_or(&app, &open, other),
                }
            }
        },
        Err(StatusCode::PAYLOAD_TOO_LARGE) => Faults::recording(Message::FileTooLarge),
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    draw(&app, &open, course, owner, |_| {}, faults, None).await
}

pub async fn call(State(app): State<App>, SubmittedForm(visit): SubmittedForm, request: Request) -> Response {
    let Visit { name, open } = visit;
    let Some((course, owner)) = open.own() else { return none(&app, &open) };
    let form = match form::read(request, open.institution.id).await {
        Ok(form) => form,
        Err(status) => return pages::unreadable(&app, status, &open.frames()),
    };
    let number = form.get("phone_number").unwrap_or_default();
    match own_entry::call(&app, owner, number).await {
        Ok(()) => done(&app, &open, &name, "call"),
        Err(Error::Invalid(errors)) => {
            let fill = |typed: &mut FormValues| typed.phone_number = number.to_owned();
            draw(&app, &open, course, owner, fill, Faults::of(&errors), None).await
        }
        Err(other) => gone_or(&app, &open, other),
    }
}

/// Redirects to the page of the form.
fn done(app: &App, open: &Open, name: &str, what: &str) -> Response {
    let page = if matches!(open.what, SessionTarget::Course { .. }) { "me" } else { "" };
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
