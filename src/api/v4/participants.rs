//! Version 4: participants of the institution.

use axum::{http::StatusCode, response::Response};

use super::{DIALECT, ROOT, wire};
use crate::http::reply;
use crate::{
    api::{
        ask::Ask,
        listing::{self, Frame, ListAsk, Times},
        lists,
        problem::Problem,
        view::View,
    },
    app::{
        App, Error, Missing,
        participants::{self, Mark},
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

pub async fn list(app: App, ask: Ask) -> Result<Response, Problem> {
    let params = ask.query();
    page_of(&app, &ask, &params, Times::Ignored, None, &format!("{ROOT}/participants")).await
}

/// Without any list it is everybody: real clients rely on it.
pub async fn search(app: App, ask: Ask) -> Result<Response, Problem> {
    let params = ask.params()?;
    page_of(&app, &ask, &params, Times::Read, None, &format!("{ROOT}/participants/search")).await
}

/// One page of a list, of the institution or of one name page.
pub async fn page_of(
    app: &App,
    ask: &Ask,
    params: &Params,
    times: Times,
    name_page: Option<crate::domain::name_page::NamePageRef>,
    path: &str,
) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let mut wanted = ListAsk::read(params, times, DIALECT, &mut errors);
    let window = Some(params.window(&mut errors));
    errors.into_result()?;
    // On a name page's own endpoints custom values are always shown.
    wanted.include.custom_attributes |= name_page.is_some();
    wanted.filter.page = name_page;
    let people = participants::list(app, ask.access(), &wanted.filter, window).await?;
    let address = wanted.address(app, path, window);
    let mut view = View::new(app, ask.institution(), wanted.include, wanted.icon).await?;
    view.spellings = wanted.spellings;
    let write: listing::Write =
        Box::new(move |person, out| serde_json::to_writer(out, &wire::Participant(&view, person)));
    listing::answer(app, people, write, Some(address), LIST).await
}

pub async fn show(app: App, ask: Ask) -> Result<Response, Problem> {
    let (params, mark) = (ask.query(), lists::mark(ask.path("id_or_email")));
    let icon = icon(&params, FieldErrors::default())?;
    let found = participants::find(&app, ask.access(), None, &mark).await?;
    one(&app, &ask, &found, &mark, Include::read(&params, DIALECT), icon, false).await
}

pub async fn latest(app: App, ask: Ask) -> Result<Response, Problem> {
    let params = ask.query();
    let mut errors = FieldErrors::default();
    // `tokens` is version 5's name; a client that sends it here means the same.
    let mark = params.mark("token").or_else(|| params.mark("tokens"));
    if mark.is_none() {
        errors.add(Field::Parameter("token"), Fault::Blank);
    }
    let icon = icon(&params, errors)?;
    let mark = mark.ok_or(Error::Missing(Missing::Participant))?;
    let found = participants::latest(&app, ask.access(), std::slice::from_ref(&mark)).await?;
    let found = found.first().ok_or(Error::Missing(Missing::Participant))?;
    one(&app, &ask, found, &mark, Include::read(&params, DIALECT), icon, true).await
}

/// The icon asked for, unless that or something before it is wrong.
pub fn icon(params: &Params, mut errors: FieldErrors) -> Result<Icon, Problem> {
    let icon = Icon::read(params, DIALECT, &mut errors);
    errors.into_result()?;
    Ok(icon)
}

/// A response with one participant, who was looked up by this mark.
pub async fn one(
    app: &App,
    ask: &Ask,
    person: &Participant,
    mark: &Mark,
    include: Include,
    icon: Icon,
    dates: bool,
) -> Result<Response, Problem> {
    let mut view = View::new(app, ask.institution(), include, icon).await?;
    (view.dates, view.spellings) = (dates, Spellings::one(&mark.spelled));
    Ok(reply::json(StatusCode::OK, &wire::One { participant: wire::Participant(&view, person), meta: None }))
}
