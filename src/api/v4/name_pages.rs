//! Version 4: participants of one name page.

use axum::{http::StatusCode, response::Response};
use serde_json::Value;

use super::{DIALECT, ROOT, participants, problem, wire};
use crate::http::params;
use crate::http::reply;
use crate::{
    api::{ask::Ask, listing::Times, lists, participant_input::JsonSource, problem::Problem, view::View},
    app::{self, App, Error, Missing},
    domain::{
        email::Spellings,
        field_errors::FieldErrors,
        name_page::NamePageRef,
        participant::{Draft, LegalNames},
    },
    http::embeds::{Icon, Include},
};

/// All that version 4's create reads beside custom values. The version is closed: later fields are not added.
const CREATE_FIELDS: &[&str] = &["first_name", "last_name", "email", "notes", "phone_number"];

pub async fn list(app: App, ask: Ask) -> Result<Response, Problem> {
    let page = name_page(&ask)?;
    let path = participants_path(&ask);
    participants::page_of(&app, &ask, &ask.query(), Times::Ignored, Some(page), &path).await
}

pub async fn show(app: App, ask: Ask) -> Result<Response, Problem> {
    let (params, mark) = (ask.query(), lists::mark(ask.path("id_or_email")));
    let icon = participants::icon(&params, FieldErrors::default())?;
    let found = app::participants::find(&app, ask.access(), Some(&name_page(&ask)?), &mark).await?;
    let include = Include { custom_attributes: true, ..Include::read(&params, DIALECT) };
    participants::one(&app, &ask, &found, &mark, include, icon, false).await
}

pub async fn create(app: App, ask: Ask) -> Result<Response, Problem> {
    let page = name_page(&ask)?;
    let Ok(body) = ask.json() else { return Ok(problem::malformed_create()) };
    let Some(Value::Object(fields)) = body.get("participant") else { return Ok(problem::malformed_create()) };
    let source = JsonSource { fields, custom_key: "custom_objects", only: Some(CREATE_FIELDS) };
    source.check_size()?;
    let draft = Draft::read(&source, LegalNames::Ignored);
    let made = app::participants::create(&app, ask.access(), page, draft).await?;
    let include = Include { custom_attributes: true, ..Include::read(&ask.query(), DIALECT) };
    let mut view = View::new(&app, ask.institution(), include, Icon::default()).await?;
    // Stored just now, as the request spelled it.
    view.spellings = Spellings::one(made.email.as_deref().unwrap_or_default());
    let link = format!("{}{}/{}", app.links.base(), participants_path(&ask), made.token);
    let answer = wire::One { participant: wire::Participant(&view, &made), meta: Some(wire::Link { link }) };
    Ok(reply::json(StatusCode::CREATED, &answer))
}

fn name_page(ask: &Ask) -> Result<NamePageRef, Problem> {
    Ok(ask.name_page().ok_or(Error::Missing(Missing::NamePage))?)
}

fn participants_path(ask: &Ask) -> String {
    format!("{ROOT}/name_pages/{}/participants", params::encoded(ask.path("name_page_id")))
}
