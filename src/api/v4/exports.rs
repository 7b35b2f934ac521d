//! Version 4: exports.

use axum::{http::StatusCode, response::Response};
use serde_json::Value;

use super::{
    ROOT, problem,
    report::{self, Format},
    wire,
};
use crate::http::reply;
use crate::{
    api::{
        face,
        listing::{Address, Meta},
        problem::Problem,
        request::ApiRequest,
    },
    app::{
        self, App, Error, Missing,
        exports::{ExportRequest, Report},
        idempotency::Creation,
    },
    domain::{
        export::State,
        fault::{Fault, Field},
        field_errors::FieldErrors,
    },
    http::params::Params,
};

pub async fn create(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let key = request.idempotency_key()?;
    let filters = match request.json()?.remove("export") {
        None | Some(Value::Null) => Params::default(),
        Some(Value::Object(filters)) => Params::from_json(filters),
        Some(_) => return Err(Problem::Malformed),
    };
    let (actor, institution) = (request.actor(), request.institution());
    let creation = app::exports::create(&app, &actor, institution.id, export_request(&filters), key).await;
    let Creation { made, is_repeated } = match creation {
        Err(Error::Invalid(errors)) => return Ok(problem::invalid_export(errors)),
        other => other?,
    };
    let link = format!("{}{ROOT}/exports/{}", app.links.base(), made.id);
    let export = wire::Export::new(&made, made.state_at(app.clock.now()), &institution.time_zone);
    let response = reply::json(StatusCode::ACCEPTED, &wire::Created { export, meta: wire::Link { link } });
    Ok(face::mark_repeated(response, is_repeated))
}

fn export_request(filters: &Params) -> ExportRequest {
    let mut errors = FieldErrors::default();
    let created_after = filters.moment("created_after", &mut errors);
    let updated_after = filters.moment("updated_after", &mut errors);
    let name_page_id = filters.text("name_page_id").map(|given| given.into_owned());
    if name_page_id.is_none() && !filters.is_blank("name_page_id") {
        // Neither a string nor a number.
        errors.add(Field::Parameter("name_page_id"), Fault::NotFound);
    }
    ExportRequest { created_after, updated_after, name_page_id, errors }
}

pub async fn list(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let window = request.query().window(&mut errors);
    errors.into_result()?;
    let institution = request.institution();
    let (exports, total) = app::exports::list(&app, &request.actor(), institution.id, window).await?;
    let (now, zone) = (app.clock.now(), &institution.time_zone);
    let shown: Vec<_> =
        exports.iter().map(|export| wire::Export::new(export, export.state_at(now), zone)).collect();
    let address = Address::plain(&app, &format!("{ROOT}/exports"), window);
    let meta = Meta::new(&address, total, shown.len() as u64);
    Ok(reply::json(StatusCode::OK, &wire::Exports { exports: shown, meta }))
}

/// `GET /exports/{id}`, and the report as `{id}.csv` and `{id}.ndjson`.
pub async fn show(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let (id, ending) = match request.path("id").rsplit_once('.') {
        Some((id, ending)) => (id, Some(ending)),
        None => (request.path("id"), None),
    };
    let unknown = || Error::Missing(Missing::Export);
    let (actor, institution) = (request.actor(), request.institution());
    let digits = id.bytes().all(|byte| byte.is_ascii_digit());
    let number = id.parse().ok().filter(|_| digits).ok_or_else(unknown)?;
    let export = app::exports::find(&app, &actor, institution.id, number).await?;
    let state = export.state_at(app.clock.now());
    let shown = wire::Export::new(&export, state, &institution.time_zone);
    let format = match ending {
        None if state != State::Completed => {
            return Ok(reply::json(StatusCode::OK, &wire::OneExport { export: shown }));
        }
        _ if state != State::Completed => return Err(unknown().into()),
        None => Format::Json(shown),
        Some("csv") => Format::Csv { custom_fields: export.custom_fields.clone() },
        Some("ndjson") => Format::Ndjson,
        Some(_) => return Err(unknown().into()),
    };
    let report = Report::open(&app, &actor, institution.id, &export).await?;
    report::send(report, format, export.id, request.stream_coding()).await
}
