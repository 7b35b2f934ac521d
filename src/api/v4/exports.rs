//! Version 4: exports.

use axum::{http::StatusCode, response::Response};
use serde_json::Value;

use super::{
    ROOT, problem,
    report::{self, Form},
    wire,
};
use crate::http::reply;
use crate::{
    api::{
        ask::Ask,
        listing::{Address, Meta},
        problem::Problem,
    },
    app::{
        self, App, Error, Missing,
        exports::{Asked, Report},
    },
    domain::{
        export::State,
        fault::{Fault, Field},
        field_errors::FieldErrors,
    },
    http::params::Params,
};

pub async fn create(app: App, ask: Ask) -> Result<Response, Problem> {
    let filters = match ask.json()?.remove("export") {
        None | Some(Value::Null) => Params::default(),
        Some(Value::Object(filters)) => Params::from_json(filters),
        Some(_) => return Err(Problem::Malformed),
    };
    let made = match app::exports::create(&app, ask.access(), asked(&filters)).await {
        Err(Error::Invalid(errors)) => return Ok(problem::invalid_export(errors)),
        other => other?,
    };
    let link = format!("{}{ROOT}/exports/{}", app.links.base(), made.id);
    let export = wire::Export::new(&made, made.state, &ask.institution().time_zone);
    Ok(reply::json(StatusCode::ACCEPTED, &wire::Created { export, meta: wire::Link { link } }))
}

fn asked(filters: &Params) -> Asked {
    let mut errors = FieldErrors::default();
    let created_after = filters.moment("created_after", &mut errors);
    let updated_after = filters.moment("updated_after", &mut errors);
    let name_page_id = filters.text("name_page_id").map(|given| given.into_owned());
    if name_page_id.is_none() && !filters.is_blank("name_page_id") {
        // Neither a text nor a number names a page.
        errors.add(Field::Parameter("name_page_id"), Fault::NotFound);
    }
    Asked { created_after, updated_after, name_page_id, errors }
}

pub async fn list(app: App, ask: Ask) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let window = ask.query().window(&mut errors);
    errors.into_result()?;
    let (exports, total) = app::exports::list(&app, ask.access(), window).await?;
    let (now, zone) = (app.clock.now(), &ask.institution().time_zone);
    let shown: Vec<_> =
        exports.iter().map(|export| wire::Export::new(export, export.state_at(now), zone)).collect();
    let address = Address::plain(&app, &format!("{ROOT}/exports"), window);
    let meta = Meta::new(&address, total, shown.len() as u64);
    Ok(reply::json(StatusCode::OK, &wire::Exports { exports: shown, meta }))
}

/// `GET /exports/{id}`, and the same report as `{id}.csv` and `{id}.ndjson`.
pub async fn show(app: App, ask: Ask) -> Result<Response, Problem> {
    let (id, ending) = match ask.path("id").rsplit_once('.') {
        Some((id, ending)) => (id, Some(ending)),
        None => (ask.path("id"), None),
    };
    let unknown = || Error::Missing(Missing::Export);
    let institution = ask.institution();
    let digits = id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse().ok().filter(|_| digits).ok_or_else(unknown)?;
    let export = app::exports::find(&app, ask.access(), number).await?;
    let state = export.state_at(app.clock.now());
    let shown = wire::Export::new(&export, state, &institution.time_zone);
    let form = match ending {
        None if state != State::Completed => {
            return Ok(reply::json(StatusCode::OK, &wire::OneExport { export: shown }));
        }
        _ if state != State::Completed => return Err(unknown().into()),
        None => Form::Json(shown),
        Some("csv") => Form::Csv { custom_fields: export.custom_fields.clone() },
        Some("ndjson") => Form::Lines,
        Some(_) => return Err(unknown().into()),
    };
    let report = Report::open(&app, institution.id, &export).await?;
    report::send(report, form, export.id, ask.stream_coding()).await
}
