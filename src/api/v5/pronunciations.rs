//! Version 5: pronunciations.

use axum::response::Response;

use super::wire;
use crate::{
    api::{
        face,
        listing::{self, Frame},
        lists::LookupKey,
        problem::Problem,
        request::ApiRequest,
        view::View,
    },
    app::{App, pronunciations},
    domain::{
        email::{Spellings, email_key},
        field_errors::FieldErrors,
    },
    http::embeds::{Icon, Include},
};

const FRAME: Frame = Frame { open: "{\"Response\":{\"pronunciations\":[", close: "}}" };

pub async fn search(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let (emails, identifiers) = request.params()?.people("identifiers", &mut errors);
    errors.into_result()?;
    let spellings = Spellings::new(emails.iter().map(|email| email.shown.as_str()));
    let keys = |wanted: Vec<LookupKey>| wanted.into_iter().map(|one| one.key).collect();
    let found = pronunciations::search(&app, request.access(), keys(emails), keys(identifiers)).await?;
    let mut view =
        View::new(&app, request.access(), request.institution(), Include::default(), Icon::default()).await?;
    view.spellings = spellings;
    let write: listing::Write = Box::new(move |person, out| wire::write_pronunciation(&view, person, out));
    listing::respond(&app, found, write, None, FRAME).await
}

/// Accepts the id from responses, the file name, or the bare hex.
pub async fn delete(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let id = request.path("recording_id");
    let hex = id.strip_prefix("recording_").unwrap_or(id);
    let hex = hex.strip_suffix(".mp3").unwrap_or(hex).to_owned();
    pronunciations::delete(&app, request.access(), email_key(request.path("user_email")), hex).await?;
    Ok(face::empty())
}
