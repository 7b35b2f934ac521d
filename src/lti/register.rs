//! `/lti/register/…`: LTI Dynamic Registration, in a window that the platform's administrator opens.

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::{
    pages::{self, Appearance, Sentence, written},
    words::Notice,
};
use crate::{
    app::{
        App,
        lti::{
            Fault, Refusal, frames,
            registrations::{self, Registered, RegistrationRequest},
        },
    },
    http::{form::Form, html::origin_of, path::Path, policy::Forms},
};

pub async fn without_invite(State(app): State<App>, headers: HeaderMap) -> Response {
    pages::fault(&app, Appearance::of(&headers), Refusal::UnknownInvite.into())
}

pub async fn register(
    State(app): State<App>,
    Path(invite): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let appearance = Appearance::of(&headers);
    let form = Form::from_query(&query.unwrap_or_default());
    match registrations::is_open(&app, &invite).await {
        Ok(true) => {}
        Ok(false) => return pages::fault(&app, appearance, Refusal::UnknownInvite.into()),
        Err(error) => return pages::fault(&app, appearance, error.into()),
    }
    let Some(address) = form.text("openid_configuration") else {
        let page = Sentence::new(&app, appearance, &Notice::RegistrationLink);
        return written(StatusCode::BAD_REQUEST, &page, &[], Forms::None, None);
    };
    // Platforms embed this page.
    let frame: Vec<String> = origin_of(&address).into_iter().collect();
    let token = form.text("registration_token");
    let request = RegistrationRequest { invite, configuration_url: address, token };
    let Registered { consumer, is_update } = match registrations::register(&app, request).await {
        Ok(registered) => registered,
        Err(Fault::Refused { why, .. }) => {
            return pages::fault(&app, appearance, Fault::Refused { why, frames: frame });
        }
        Err(Fault::Trouble { error, .. }) => {
            return pages::fault(&app, appearance, Fault::Trouble { error, frames: frame });
        }
    };
    let has_deployment = consumer.lti.as_ref().is_some_and(|lti| !lti.deployments.is_empty());
    let (name, id) = (consumer.name.as_str(), consumer.id);
    let is_unconfirmed = consumer.is_unconfirmed();
    let notice = Notice::Registered { name, id, is_update, has_deployment, is_unconfirmed };
    // Keep the window open if something is missing, so that the administrator can read the instructions.
    let page =
        Sentence { is_done: has_deployment && !is_unconfirmed, ..Sentence::new(&app, appearance, &notice) };
    let mut all = [frame, frames(&consumer)].concat();
    all.dedup();
    written(StatusCode::OK, &page, &all, Forms::None, None)
}
