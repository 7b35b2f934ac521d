//! `/me/photo`: one photo for all pages. The browser crops it (`assets/crop.js`), and the server keeps the square in the center.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    faults::{Input, sentence},
    notice,
    own::{self, Rejected},
    session::{OwnForm, SentForm, SignedIn, forged_by},
};
use crate::{
    app::{App, Error, own_media, own_person::OwnPerson},
    blobs::Shelf,
    domain::fault::Field,
    http::{
        csrf,
        html::{path_of, root},
        multipart::MultipartForm,
        ranges,
    },
    words::Words,
};

/// The photo as the page shows it.
pub struct PhotoPart {
    /// The path of the picture.
    pub path: Option<String>,
    /// Some pages do not show it.
    pub is_partial: bool,
    /// Where a file is posted.
    pub action: &'static str,
    pub fault: Option<String>,
}

pub fn part(app: &App, own: &OwnPerson, fault: Option<String>) -> PhotoPart {
    let photos = || own.registrations.iter().map(|one| (one.entry.is_held, one.entry.photo.as_ref()));
    // Its link is dead while the entry is held.
    let path = |(is_held, hex): (bool, &String)| {
        if is_held {
            format!("{}{PATH}", root(&app.links))
        } else {
            path_of(&app.links.photo(own.institution.id, hex)).to_owned()
        }
    };
    let is_partial = photos().any(|(_, photo)| photo.is_some()) && photos().any(|(_, photo)| photo.is_none());
    let first = photos().find_map(|(is_held, photo)| Some((is_held, photo?)));
    PhotoPart { path: first.map(path), is_partial, action: PATH, fault }
}

const PATH: &str = "/me/photo";

/// The person's photo, also while nobody else may see it.
pub async fn show(State(app): State<App>, signed_in: SignedIn, headers: HeaderMap) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    match own_media::picture(&app, &signed_in.actor(), &signed_in.session.person, None).await {
        Ok(picture) => ranges::private(&headers, Shelf::Photos.content_type(), &picture),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

pub async fn set(State(app): State<App>, request: Request) -> Response {
    let (sent, request) = match SentForm::check(request, &app).await {
        Ok(checked) => checked,
        Err(refusal) => return refusal,
    };
    let person = sent.signed_in.session.person.clone();
    let largest = app.studio.settings.picture.bytes;
    let read = MultipartForm::read(request, person.institution, largest).await;
    // Even a refusal would show all of the person's pages.
    if sent.signed_in.is_restricted() {
        return notice::restricted(&app, &sent.signed_in);
    }
    let mut form = match read {
        Ok(form) => form,
        Err(StatusCode::PAYLOAD_TOO_LARGE) => {
            return refuse(&app, &sent.signed_in, StatusCode::PAYLOAD_TOO_LARGE, "profile-photo-large").await;
        }
        Err(StatusCode::SERVICE_UNAVAILABLE) => {
            return refuse(&app, &sent.signed_in, StatusCode::SERVICE_UNAVAILABLE, "shared-busy").await;
        }
        Err(status) => return refuse(&app, &sent.signed_in, status, "shared-unreadable").await,
    };
    if !sent.is_own(form.text(csrf::FIELD)) {
        return forged_by(&app, &sent.signed_in);
    }
    let signed_in = sent.signed_in;
    let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(picture) = form.take("photo").filter(|picture| !picture.is_empty()) else {
        return refuse(&app, &signed_in, unprocessable, "profile-photo-no-file").await;
    };
    // The form keeps its memory reservation until the picture is processed.
    match own_media::set_photo(&app, &signed_in.actor(), &person, picture).await {
        Ok(()) => own::done(&app, "photo"),
        Err(Error::Invalid(errors)) => {
            let words = Words::new(signed_in.language());
            let why = sentence(words, &errors, &Field::Photo, Input::Photo);
            let why = why.unwrap_or_else(|| words.text("profile-photo-other"));
            refuse_with(&app, &signed_in, unprocessable, why).await
        }
        Err(Error::Busy | Error::Unavailable(_)) => {
            refuse(&app, &signed_in, StatusCode::SERVICE_UNAVAILABLE, "shared-busy").await
        }
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}

async fn refuse(app: &App, signed_in: &SignedIn, status: StatusCode, id: &str) -> Response {
    refuse_with(app, signed_in, status, Words::new(signed_in.language()).text(id)).await
}

async fn refuse_with(app: &App, signed_in: &SignedIn, status: StatusCode, sentence: String) -> Response {
    let rejected = Rejected { status, photo: Some(sentence), ..Rejected::default() };
    own::draw(app, signed_in, rejected, None).await
}

pub async fn delete(State(app): State<App>, OwnForm { signed_in, .. }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    match own_media::delete_photo(&app, &signed_in.actor(), &signed_in.session.person).await {
        Ok(()) => own::done(&app, "photo-deleted"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
