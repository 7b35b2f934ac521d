//! Version 5: participants.

use axum::{http::StatusCode, response::Response};
use serde::Serialize;
use serde_json::{Map, Value};

use super::{DIALECT, ROOT, wire};
use crate::http::reply;
use crate::{
    api::{
        ask::Ask,
        face,
        listing::{self, Frame, ListAsk, Times},
        lists,
        participant_input::{self, JsonSource},
        problem::Problem,
        view::View,
    },
    app::{App, Error, Missing, participants, persons},
    domain::{
        email::{Spellings, email_key},
        field_errors::FieldErrors,
        institution::Institution,
        media::Kind,
        name_page::NamePageRef,
        paging::Window,
        participant::{Draft, LegalNames},
        text::BLANK,
    },
    http::embeds::{Icon, Include},
};

const LIST: Frame = Frame { open: "{\"Response\":{\"participants\":[", close: "}}" };
const LATEST: Frame = Frame { open: "{\"participants\":[", close: "}" };

/// With a filter every match in one page; `page` and `per_page` count without one only.
pub async fn list(app: App, ask: Ask) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let params = ask.query();
    let wanted = ListAsk::read(&params, Times::Read, DIALECT, &mut errors);
    let window = (!wanted.filter.is_set()).then(|| params.window(&mut errors));
    errors.into_result()?;
    answer(&app, &ask, wanted, "/participants", window).await
}

pub async fn search(app: App, ask: Ask) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let params = ask.params()?;
    let wanted = ListAsk::read(&params, Times::Read, DIALECT, &mut errors);
    let window = params.window(&mut errors);
    if !wanted.filter.names_people() && !errors.has("email_list") && !errors.has("institution_id_list") {
        errors.add("email_list", BLANK);
        errors.add("institution_id_list", BLANK);
    }
    errors.into_result()?;
    answer(&app, &ask, wanted, "/participants/search", Some(window)).await
}

async fn answer(
    app: &App,
    ask: &Ask,
    wanted: ListAsk,
    path: &str,
    window: Option<Window>,
) -> Result<Response, Problem> {
    let people = participants::list(app, ask.access(), &wanted.filter, window).await?;
    let address = wanted.address(app, &format!("{ROOT}{path}"), window);
    let mut view = View::new(app, ask.institution(), wanted.include, wanted.icon).await?;
    view.spellings = wanted.spellings;
    let write: listing::Write =
        Box::new(move |person, out| serde_json::to_writer(out, &wire::Participant(&view, person)));
    listing::answer(app, people, write, Some(address), LIST).await
}

pub async fn latest(app: App, ask: Ask) -> Result<Response, Problem> {
    let params = ask.query();
    let mut errors = FieldErrors::default();
    // Deployed clients send these two here as well.
    let marks = params.marks(&["tokens", "email_list", "institution_id_list"], &mut errors);
    if marks.is_empty() && errors.is_empty() {
        errors.add("tokens", BLANK);
    }
    let icon = Icon::read(&params, DIALECT, &mut errors);
    errors.into_result()?;
    let people = participants::latest(&app, ask.access(), &marks).await?;
    let mut view = View::new(&app, ask.institution(), Include::read(&params, DIALECT), icon).await?;
    view.dates = true;
    view.spellings = Spellings::new(marks.iter().map(|mark| mark.spelled.as_str()));
    let mut body = LATEST.open.as_bytes().to_vec();
    for (i, person) in people.iter().enumerate() {
        if i > 0 {
            body.push(b',');
        }
        serde_json::to_writer(&mut body, &wire::Participant(&view, person)).map_err(listing::broken)?;
    }
    body.push(b']');
    body.extend_from_slice(LATEST.close.as_bytes());
    Ok(reply::raw_json(StatusCode::OK, body.into()))
}

pub async fn create(app: App, mut ask: Ask) -> Result<Response, Problem> {
    let body = ask.take_json()?;
    let page = name_page(&ask, &body).ok_or(Error::Missing(Missing::NamePage))?;
    let draft = draft(ask.institution(), body)?;
    let made = participants::create(&app, ask.access(), page, draft).await?;
    // Stored just now, as the request spelled it.
    let spellings = Spellings::one(made.email.as_deref().unwrap_or_default());
    one(&app, &ask, StatusCode::CREATED, &made, spellings).await
}

pub async fn update(app: App, mut ask: Ask) -> Result<Response, Problem> {
    let body = ask.take_json()?;
    let page = name_page(&ask, &body).ok_or(Error::Missing(Missing::NamePage))?;
    let draft = draft(ask.institution(), body)?;
    let changed =
        participants::update(&app, ask.access(), page, email_key(ask.path("user_email")), draft).await?;
    one(&app, &ask, StatusCode::OK, &changed, Spellings::one(ask.path("user_email"))).await
}

/// A page that is not there has nobody registered on it, so both are the same to the caller.
pub async fn delete(app: App, ask: Ask) -> Result<Response, Problem> {
    let page = ask.params()?.text("name_page_id").and_then(|page| NamePageRef::parse(&page));
    let nobody = || Error::Missing(Missing::Participant);
    let mark = lists::mark(ask.path("user_email"));
    match persons::delete_from_page(&app, ask.access(), page.ok_or_else(nobody)?, mark).await {
        Err(Error::Missing(_)) => Err(nobody().into()),
        other => Ok(other.map(|()| face::nothing())?),
    }
}

/// From the body or, for clients that put it there, from the query.
fn name_page(ask: &Ask, body: &Map<String, Value>) -> Option<NamePageRef> {
    let given = match body.get("name_page_id") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => ask.query().text("name_page_id").map(|text| text.into_owned()),
    };
    given.and_then(|text| NamePageRef::parse(&text))
}

/// A missing participant is an empty one, and gets what an empty one gets.
fn draft(institution: &Institution, mut body: Map<String, Value>) -> Result<Draft, Problem> {
    let mut fields = match body.remove("participant") {
        Some(Value::Object(fields)) => fields,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(Problem::Malformed),
    };
    let legal = if institution.multiple_recordings { LegalNames::Permitted } else { LegalNames::Ignored };
    let source = JsonSource { fields: &fields, custom_key: "custom_fields", only: None };
    source.check_size()?;
    let mut draft = Draft::read(&source, legal);
    let permitted = |kind: &Kind| *kind != Kind::LegalRecording || legal == LegalNames::Permitted;
    for kind in Kind::ALL.into_iter().filter(permitted) {
        let given = fields.remove(kind.field()).and_then(participant_input::file);
        draft.media.extend(given.map(|incoming| (kind, incoming)));
    }
    Ok(draft)
}

#[derive(Serialize)]
struct One<'a> {
    participant: wire::Participant<'a>,
}

/// Answers to writes show what was written, custom values among it.
async fn one(
    app: &App,
    ask: &Ask,
    status: StatusCode,
    person: &crate::domain::participant::Participant,
    spellings: Spellings,
) -> Result<Response, Problem> {
    let mut include = Include::read(&ask.query(), DIALECT);
    include.custom_attributes = true;
    let mut view = View::new(app, ask.institution(), include, Icon::default()).await?;
    (view.event_code, view.spellings) = (true, spellings);
    Ok(reply::json(status, &One { participant: wire::Participant(&view, person) }))
}
