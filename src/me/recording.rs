//! `/me/recording` and `/me/legal-name/recording`: a recording from the recorder (JSON) or from the file form, and how its owner hears
//! it.

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    faults::{Input, sentence},
    legal_name, notice,
    own::{self, Rejected},
    session::{OwnForm, SentForm, SignedIn, forged_by},
};
use crate::{
    app::{App, Error, Missing, consents, own_media, own_person, sign_in},
    blobs::Shelf,
    domain::{media::Kind, session::How},
    http::{csrf, form::Form, multipart::MultipartForm, ranges, recorder},
    words::Words,
};

pub async fn record(State(app): State<App>, request: Request) -> Response {
    keep(&app, request, Kind::Recording).await
}

pub async fn record_legal_name(State(app): State<App>, request: Request) -> Response {
    keep(&app, request, Kind::LegalRecording).await
}

async fn keep(app: &App, request: Request, kind: Kind) -> Response {
    let (sent, request) = match SentForm::check(request, app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let person = sent.signed_in.session.person.clone();
    let largest = app.studio.settings.sound.bytes;
    let read = MultipartForm::read(request, person.institution, largest).await;
    // An invitation is for one page, and these recordings are for all of them. Even a refusal would show the other pages.
    if sent.signed_in.is_invited() {
        return notice::restricted(app, &sent.signed_in);
    }
    let mut form = match read {
        Ok(form) => form,
        Err(status) => return unread(app, &sent.signed_in, kind, status).await,
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(app, &sent.signed_in);
    }
    let signed_in = sent.signed_in;
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(sound) = form.take("recording").filter(|sound| !sound.is_empty()) else {
        return refuse(app, &signed_in, kind, unprocessable, "recorder-fault-no-file").await;
    };
    let page = form.text("page").filter(|page| !page.is_empty()).map(str::to_owned);
    // The form keeps its memory reservation until the recording is processed.
    let actor = signed_in.actor();
    let recorded = match kind {
        Kind::LegalRecording => own_media::record_legal_name(app, &actor, &person, sound).await,
        Kind::Recording | Kind::Photo | Kind::Held | Kind::Removed => {
            own_person::record(app, &actor, &person, sound, page.as_deref()).await
        }
    };
    let recording = match recorded {
        Ok(recording) => recording,
        Err(Error::Invalid(errors)) => {
            let words = Words::new(signed_in.language());
            let why = sentence(words, &errors, &kind.field(), Input::Recording);
            let why = why.unwrap_or_else(|| words.text("recorder-refused"));
            let code = consents::is_missing(&errors).then_some("consent");
            return refuse_with(app, &signed_in, kind, unprocessable, why, code).await;
        }
        Err(Error::Busy | Error::Unavailable(_)) => {
            return refuse(app, &signed_in, kind, StatusCode::SERVICE_UNAVAILABLE, "recorder-busy").await;
        }
        Err(Error::Missing(Missing::NamePage)) => {
            return refuse(app, &signed_in, kind, unprocessable, "me-fault-page").await;
        }
        Err(error) => return own::fault(app, &signed_in, error).await,
    };
    if kind == Kind::Recording
        && signed_in.session.how == How::Handover
        && let Err(error) = sign_in::handover_recorded(app, &actor, &person).await
    {
        // The recording is stored. The other device stops waiting by itself.
        tracing::error!(?error, "noting a recording on another device failed");
    }
    if !signed_in.is_script {
        return done(app, kind);
    }
    let link = recording.map(|recording| own::sound_path(app, person.institution, &recording));
    recorder::kept(link.as_deref())
}

fn done(app: &App, kind: Kind) -> Response {
    match kind {
        Kind::LegalRecording => legal_name::done(app, "recording"),
        Kind::Recording | Kind::Photo | Kind::Held | Kind::Removed => own::done(app, "recording"),
    }
}

async fn unread(app: &App, signed_in: &SignedIn, kind: Kind, status: StatusCode) -> Response {
    let id = match status {
        StatusCode::PAYLOAD_TOO_LARGE => "recorder-fault-too-large",
        StatusCode::SERVICE_UNAVAILABLE => "recorder-busy",
        _ => "shared-unreadable",
    };
    refuse(app, signed_in, kind, status, id).await
}

async fn refuse(app: &App, signed_in: &SignedIn, kind: Kind, status: StatusCode, id: &str) -> Response {
    refuse_with(app, signed_in, kind, status, Words::new(signed_in.language()).text(id), None).await
}

/// Says why, next to the take or next to the form.
async fn refuse_with(
    app: &App,
    signed_in: &SignedIn,
    kind: Kind,
    status: StatusCode,
    sentence: String,
    code: Option<&str>,
) -> Response {
    if signed_in.is_script {
        return recorder::refused(status, &sentence, code);
    }
    match kind {
        Kind::LegalRecording => legal_name::draw(app, signed_in, status, Some(sentence), None).await,
        Kind::Recording | Kind::Photo | Kind::Held | Kind::Removed => {
            own::draw(app, signed_in, Rejected::recording(status, sentence), None).await
        }
    }
}

pub async fn delete(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let page = form.text("page");
    let person = &signed_in.session.person;
    match own_person::delete_recording(&app, &signed_in.actor(), person, page.as_deref()).await {
        Ok(()) => own::done(&app, "deleted"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

/// The recording on a page, for its owner: also while nobody else may hear it.
pub async fn audio(State(app): State<App>, signed_in: SignedIn, request: Request) -> Response {
    play(&app, &signed_in, request, Kind::Recording).await
}

pub async fn legal_audio(State(app): State<App>, signed_in: SignedIn, request: Request) -> Response {
    play(&app, &signed_in, request, Kind::LegalRecording).await
}

async fn play(app: &App, signed_in: &SignedIn, request: Request, kind: Kind) -> Response {
    if signed_in.is_invited() {
        return notice::restricted(app, signed_in);
    }
    let (request, _) = request.into_parts();
    let query = Form::from_query(request.uri.query().unwrap_or_default());
    let page = query.get("page").unwrap_or_default();
    match own_media::sound(app, &signed_in.actor(), &signed_in.session.person, page, kind).await {
        Ok(sound) => ranges::private(&request.headers, Shelf::Recordings.content_type(), &sound),
        Err(error) => own::fault(app, signed_in, error).await,
    }
}
