//! Version 4: participants of the institution.

use axum::{http::StatusCode, response::Response};

use super::{DIALECT, ROOT, wire};
use crate::http::reply;
use crate::{
    api::{
        listing::{self, ChangedFilter, Frame, ListRequest},
        lists,
        problem::Problem,
        request::ApiRequest,
        view::View,
    },
    app::{
        App, Error, Missing,
        participants::{self, PersonKey},
    },
    domain::{
        email::Spellings,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        participant::Participant,
    },
    http::{
        embeds::{Icon, Include},
        params::Params,
    },
};

const LIST: Frame = Frame { open: "{\"participants\":[", close: "}" };

pub async fn list(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let params = request.query();
    page_of(&app, &request, &params, ChangedFilter::Ignored, None, &format!("{ROOT}/participants")).await
}

/// Without any list, returns everybody: deployed clients rely on it.
pub async fn search(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let params = request.params()?;
    page_of(&app, &request, &params, ChangedFilter::Read, None, &format!("{ROOT}/participants/search")).await
}

/// One page of participants of the institution or of one name page.
pub async fn page_of(
    app: &App,
    request: &ApiRequest,
    params: &Params,
    times: ChangedFilter,
    name_page: Option<crate::domain::name_page::NamePageRef>,
    path: &str,
) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let mut list = ListRequest::read(params, times, DIALECT, &mut errors);
    let window = Some(params.window(&mut errors));
    errors.into_result()?;
    // The endpoints of a name page always show custom values.
    list.include.custom_attributes |= name_page.is_some();
    list.filter.page = name_page;
    let (access, address) = (request.access(), list.address(app, path, window));
    // At the same time, because with PostgreSQL each has a round trip.
    let (people, view) = tokio::join!(
        participants::list(app, access, &list.filter, window),
        View::new(app, access, request.institution(), list.include, list.icon),
    );
    // Not `try_join`: a read that is abandoned costs its connection.
    let (people, mut view) = (people?, view?);
    view.spellings = list.spellings;
    let write: listing::Write = Box::new(move |person, out| wire::write_participant(&view, person, out));
    listing::respond(app, people, write, Some(address), LIST).await
}

pub async fn show(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let (params, person_key) = (request.query(), lists::person_key(request.path("id_or_email")));
    let icon = icon(&params, FieldErrors::default())?;
    let found = participants::find(&app, request.access(), None, &person_key).await?;
    one(&app, &request, &found, &person_key, Include::read(&params, DIALECT), icon, false).await
}

pub async fn latest(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let params = request.query();
    let mut errors = FieldErrors::default();
    // Version 5 calls it `tokens`, and some clients send that here.
    let person_key = params.person_key("token").or_else(|| params.person_key("tokens"));
    if person_key.is_none() {
        errors.add(Field::Parameter("token"), Fault::Blank);
    }
    let icon = icon(&params, errors)?;
    let person_key = person_key.ok_or(Error::Missing(Missing::Participant))?;
    let found = participants::latest(&app, request.access(), std::slice::from_ref(&person_key)).await?;
    let found = found.first().ok_or(Error::Missing(Missing::Participant))?;
    one(&app, &request, found, &person_key, Include::read(&params, DIALECT), icon, true).await
}

/// The requested icon; fails on any error so far.
pub fn icon(params: &Params, mut errors: FieldErrors) -> Result<Icon, Problem> {
    let icon = Icon::read(params, DIALECT, &mut errors);
    errors.into_result()?;
    Ok(icon)
}

/// A response with one participant, found by this key.
pub async fn one(
    app: &App,
    request: &ApiRequest,
    person: &Participant,
    person_key: &PersonKey,
    include: Include,
    icon: Icon,
    dates: bool,
) -> Result<Response, Problem> {
    let mut view = View::new(app, request.access(), request.institution(), include, icon).await?;
    (view.dates, view.spellings) = (dates, Spellings::one(&person_key.spelled));
    Ok(reply::raw_json(StatusCode::OK, wire::one(&view, person, None).into()))
}
