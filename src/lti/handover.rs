//! "Continue on your phone", for users whose email is known: a QR code with a link to their own page outside of the learning
//! system. Its session can record, and nothing more than that: what they may do here, too.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    own,
    session::{self, SubmittedForm, Visit},
};
use crate::{
    app::{
        Actor, App, Error, Result,
        lti::sessions::Open,
        own_entry,
        sign_in::{self, Handover},
    },
    domain::{
        email::email_key,
        ids::SignInLinkId,
        session::{How, PersonId},
    },
    http::{handover, path::Path, reply},
};

/// The person in the session, if their email is known.
async fn person(app: &App, open: &Open) -> Result<Option<PersonId>> {
    let Some((_, owner)) = open.own() else { return Ok(None) };
    let email = own_entry::find(app, owner).await?.person.email;
    Ok(email.map(|email| PersonId { institution: owner.institution, email_key: email_key(&email) }))
}

pub async fn create(State(app): State<App>, SubmittedForm { visit, .. }: SubmittedForm) -> Response {
    let made = match person(&app, &visit.open).await {
        Ok(Some(person)) => make(&app, &person).await,
        Ok(None) => return reply::message(StatusCode::NOT_FOUND, "Not Found"),
        Err(error) => Err(error),
    };
    match made {
        Ok((made, svg)) => handover::created(&made, &svg),
        Err(error) => failed(&app, &visit.open, error),
    }
}

async fn make(app: &App, person: &PersonId) -> Result<(Handover, String)> {
    // The learning system has proven who they are, as a link that an operator gives out does.
    let made = sign_in::handover(app, &Actor::Person(person.clone()), person, How::Link, None).await?;
    let svg = handover::qr_code(&made.link)?;
    Ok((made, svg))
}

pub async fn state(
    State(app): State<App>,
    Path((name, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Visit { open, .. } = match session::visit(&app, name, &headers).await {
        Ok(visit) => visit,
        Err(page) => return own::json_of(&page),
    };
    let state = match (person(&app, &open).await, id.parse::<SignInLinkId>()) {
        (Ok(Some(person)), Ok(id)) => {
            sign_in::handover_state(&app, &Actor::Person(person.clone()), &person, id).await
        }
        (Ok(_), _) => Ok(None),
        (Err(error), _) => Err(error),
    };
    match state {
        Ok(state) => handover::state(state),
        Err(error) => failed(&app, &open, error),
    }
}

fn failed(app: &App, open: &Open, error: Error) -> Response {
    own::json_of(&own::gone_or(app, open, error))
}
