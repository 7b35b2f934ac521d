//! Version 5: participants.

use axum::{http::StatusCode, response::Response};
use serde_json::{Map, Value};

use super::{DIALECT, ROOT, wire};
use crate::http::reply;
use crate::{
    api::{
        face,
        listing::{self, ChangedFilter, Frame, ListRequest},
        lists,
        participant_input::{self, JsonSource},
        problem::Problem,
        request::ApiRequest,
        view::View,
    },
    app::{App, Error, Missing, idempotency::Creation, participants, persons},
    domain::{
        email::{Email, Spellings, email_key},
        fault::{Fault, Field},
        field_errors::FieldErrors,
        institution::Institution,
        media::Kind,
        name_page::NamePageRef,
        paging::Window,
        participant::{Draft, LegalNames, Participant},
    },
    http::embeds::{Icon, Include},
};

const LIST: Frame = Frame { open: "{\"Response\":{\"participants\":[", close: "}}" };
const LATEST: Frame = Frame { open: "{\"participants\":[", close: "}" };

/// With a filter, returns all matches in one page; `page` and `per_page` apply only without one.
pub async fn list(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let params = request.query();
    let list = ListRequest::read(&params, ChangedFilter::Read, DIALECT, &mut errors);
    let window = (!list.filter.is_set()).then(|| params.window(&mut errors));
    errors.into_result()?;
    respond(&app, &request, list, "/participants", window).await
}

pub async fn search(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let params = request.params()?;
    let list = ListRequest::read(&params, ChangedFilter::Read, DIALECT, &mut errors);
    let window = params.window(&mut errors);
    let lists = [Field::Parameter("email_list"), Field::Parameter("institution_id_list")];
    if !list.filter.names_people() && !lists.iter().any(|list| errors.has(list)) {
        lists.into_iter().for_each(|list| errors.add(list, Fault::Blank));
    }
    errors.into_result()?;
    respond(&app, &request, list, "/participants/search", Some(window)).await
}

async fn respond(
    app: &App,
    request: &ApiRequest,
    list: ListRequest,
    path: &str,
    window: Option<Window>,
) -> Result<Response, Problem> {
    let (access, address) = (request.access(), list.address(app, &format!("{ROOT}{path}"), window));
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

pub async fn latest(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let params = request.query();
    let mut errors = FieldErrors::default();
    // Deployed clients send the latter two here as well.
    let person_keys = params.person_keys(&["tokens", "email_list", "institution_id_list"], &mut errors);
    if person_keys.is_empty() && errors.is_empty() {
        errors.add(Field::Parameter("tokens"), Fault::Blank);
    }
    let icon = Icon::read(&params, DIALECT, &mut errors);
    errors.into_result()?;
    let people = participants::latest(&app, request.access(), &person_keys).await?;
    let mut view =
        View::new(&app, request.access(), request.institution(), Include::read(&params, DIALECT), icon)
            .await?;
    view.dates = true;
    view.spellings = Spellings::new(person_keys.iter().map(|person_key| person_key.spelled.as_str()));
    let mut body = LATEST.open.as_bytes().to_vec();
    for (i, person) in people.iter().enumerate() {
        if i > 0 {
            body.push(b',');
        }
        wire::write_participant(&view, person, &mut body);
    }
    body.push(b']');
    body.extend_from_slice(LATEST.close.as_bytes());
    Ok(reply::raw_json(StatusCode::OK, body.into()))
}

pub async fn create(app: App, mut request: ApiRequest) -> Result<Response, Problem> {
    let key = request.idempotency_key()?;
    let body = request.take_json()?;
    let page = name_page(&request, &body).ok_or(Error::Missing(Missing::NamePage))?;
    let draft = draft(request.institution(), body)?;
    let (access, institution) = (request.access(), request.institution());
    // Before the write: once that is committed, nothing can fail.
    let may_have_values = key.is_some() || !draft.custom.is_empty();
    let include = Include::read(&request.query(), DIALECT);
    let mut view = View::of_created(&app, access, institution, include, may_have_values).await?;
    view.event_code = true;
    view.spellings = Spellings::one(draft.email.set().map_or("", Email::as_given));
    let Creation { made, is_repeated } = participants::create_once(&app, access, page, draft, key).await?;
    Ok(face::mark_repeated(one(&view, StatusCode::CREATED, &made), is_repeated))
}

pub async fn update(app: App, mut request: ApiRequest) -> Result<Response, Problem> {
    let body = request.take_json()?;
    let page = name_page(&request, &body).ok_or(Error::Missing(Missing::NamePage))?;
    let draft = draft(request.institution(), body)?;
    let mut view = view(&app, &request).await?;
    view.spellings = Spellings::one(request.path("user_email"));
    let changed =
        participants::update(&app, request.access(), page, email_key(request.path("user_email")), draft)
            .await?;
    Ok(one(&view, StatusCode::OK, &changed))
}

/// An unknown page and an unknown participant give the same response.
pub async fn delete(app: App, request: ApiRequest) -> Result<Response, Problem> {
    let page = request.params()?.text("name_page_id").and_then(|page| NamePageRef::parse(&page));
    let nobody = || Error::Missing(Missing::Participant);
    let person_key = lists::person_key(request.path("user_email"));
    match persons::delete_from_page(&app, request.access(), page.ok_or_else(nobody)?, person_key).await {
        Err(Error::Missing(_)) => Err(nobody().into()),
        other => Ok(other.map(|()| face::empty())?),
    }
}

/// From the body, or from the query, where some clients put it.
fn name_page(request: &ApiRequest, body: &Map<String, Value>) -> Option<NamePageRef> {
    let given = match body.get("name_page_id") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => request.query().text("name_page_id").map(|text| text.into_owned()),
    };
    given.and_then(|text| NamePageRef::parse(&text))
}

/// A missing `participant` is treated as an empty one.
fn draft(institution: &Institution, mut body: Map<String, Value>) -> Result<Draft, Problem> {
    let mut fields = match body.remove("participant") {
        Some(Value::Object(fields)) => fields,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(Problem::Malformed),
    };
    let legal = if institution.multiple_recordings { LegalNames::Permitted } else { LegalNames::Ignored };
    let source = JsonSource { fields: &fields, custom_key: "custom_fields", only: None };
    source.check_size()?;
    let mut draft = Draft::read(&source, legal).with_directory_hold(&source);
    let permitted = |kind: &Kind| *kind != Kind::LegalRecording || legal == LegalNames::Permitted;
    for kind in Kind::PUBLIC.into_iter().filter(permitted) {
        let given = fields.remove(kind.field().name()).and_then(participant_input::file);
        draft.media.extend(given.map(|incoming| (kind, incoming)));
    }
    Ok(draft)
}

/// How the response to an update shows the person, always with custom values. Made before the write: once that is committed,
/// nothing can fail.
async fn view(app: &App, request: &ApiRequest) -> Result<View, Problem> {
    let mut include = Include::read(&request.query(), DIALECT);
    include.custom_attributes = true;
    let mut view = View::new(app, request.access(), request.institution(), include, Icon::default()).await?;
    view.event_code = true;
    Ok(view)
}

/// The response to a write.
fn one(view: &View, status: StatusCode, person: &Participant) -> Response {
    reply::raw_json(status, wire::one(view, person).into())
}
