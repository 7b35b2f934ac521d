//! Version 4: participants of one name page.

use axum::{http::StatusCode, response::Response};
use serde_json::Value;

use super::{DIALECT, ROOT, participants, problem, wire};
use crate::http::params;
use crate::http::reply;
use crate::{
    api::{
        face, listing::ChangedFilter, lists, participant_input::JsonSource, problem::Problem,
        request::ApiRequest, view::View,
    },
    app::{self, App, Error, Missing, idempotency::Creation},
    domain::{
        directory_hold,
        email::{Email, Spellings},
        field_errors::FieldErrors,
        name_page::NamePageRef,
        participant::{Draft, LegalNames},
    },
    http::embeds::Include,
};

/// Everything that version 4's create reads besides custom values. The version is closed: later fields are not added, except the directory
/// hold, which the law asks for.
const CREATE_FIELDS: &[&str] =
    &["first_name", "last_name", "email", "notes", "phone_number", directory_hold::KEY];

pub async fn list(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let page = name_page(&request)?;
    let path = participants_path(&request);
    participants::page_of(&app, &request, &request.query(), ChangedFilter::Ignored, Some(page), &path).await
}

pub async fn show(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let (params, person_key) = (request.query(), lists::person_key(request.path("id_or_email")));
    let icon = participants::icon(&params, FieldErrors::default())?;
    let found =
        app::participants::find(&app, request.access(), Some(&name_page(&request)?), &person_key).await?;
    let include = Include { custom_attributes: true, ..Include::read(&params, DIALECT) };
    participants::one(&app, &request, &found, &person_key, include, icon, false).await
}

pub async fn create(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let key = request.idempotency_key()?;
    let page = name_page(&request)?;
    let Ok(body) = request.json() else { return Ok(problem::malformed_create()) };
    let Some(Value::Object(fields)) = body.get("participant") else { return Ok(problem::malformed_create()) };
    let source = JsonSource { fields, custom_key: "custom_objects", only: Some(CREATE_FIELDS) };
    source.check_size()?;
    let draft = Draft::read(&source, LegalNames::Ignored).with_directory_hold(&source);
    // Before the write: once that is committed, nothing can fail.
    let may_have_values = key.is_some() || !draft.custom.is_empty();
    let (access, institution) = (request.access(), request.institution());
    let include = Include::read(&request.query(), DIALECT);
    let mut view = View::of_created(&app, access, institution, include, may_have_values).await?;
    view.spellings = Spellings::one(draft.email.set().map_or("", Email::as_given));
    let Creation { made, is_repeated } =
        app::participants::create_once(&app, access, page, draft, key).await?;
    let link = format!("{}{}/{}", app.links.base(), participants_path(&request), made.token);
    let body = wire::one(&view, &made, Some(&link));
    Ok(face::mark_repeated(reply::raw_json(StatusCode::CREATED, body.into()), is_repeated))
}

fn name_page(request: &ApiRequest) -> Result<NamePageRef, Problem> {
    Ok(request.name_page().ok_or(Error::Missing(Missing::NamePage))?)
}

fn participants_path(request: &ApiRequest) -> String {
    format!("{ROOT}/name_pages/{}/participants", params::encoded(request.path("name_page_id")))
}
