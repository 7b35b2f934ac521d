//! `/lti/register/…`: a platform registers itself, in the window that its administrator has opened.

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};

use super::pages::{self, Colors, Parts, Sentence, written};
use crate::{
    app::{
        App,
        lti::{
            Fault, Refusal, frames,
            registrations::{self, Asked, Registered},
        },
    },
    http::{form::Form, html::origin_of, path::Path, policy::Forms},
};

pub async fn uninvited(State(app): State<App>, headers: HeaderMap) -> Response {
    pages::fault(&app, Colors::of(&headers, None), Refusal::UnknownInvite.into())
}

pub async fn register(
    State(app): State<App>,
    Path(invite): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let colors = Colors::of(&headers, None);
    let form = Form::from_query(&query.unwrap_or_default());
    match registrations::is_open(&app, &invite).await {
        Ok(true) => {}
        Ok(false) => return pages::fault(&app, colors, Refusal::UnknownInvite.into()),
        Err(error) => return pages::fault(&app, colors, error.into()),
    }
    let Some(address) = form.filled("openid_configuration") else {
        return explained(&app, colors);
    };
    // Platforms show this inside their own pages.
    let frame: Vec<String> = origin_of(&address).into_iter().collect();
    let token = form.filled("registration_token");
    let asked = Asked { invite, configuration_url: address, token };
    let Registered { consumer, is_update } = match registrations::register(&app, asked).await {
        Ok(registered) => registered,
        Err(Fault::Refused { why, .. }) => {
            return pages::fault(&app, colors, Fault::Refused { why, frames: frame });
        }
        Err(Fault::Trouble { error, .. }) => {
            return pages::fault(&app, colors, Fault::Trouble { error, frames: frame });
        }
    };
    let has_deployment = consumer.lti.as_ref().is_some_and(|lti| !lti.deployments.is_empty());
    let said = if is_update { "is up to date" } else { "is registered" };
    let mut sentences =
        vec![format!("\u{2068}{}\u{2069} {said}, under the ID {}.", consumer.name, consumer.id)];
    if is_update && has_deployment {
        sentences.push("Everything that was set up here stays as it was.".to_owned());
    } else if has_deployment {
        sentences
            .push("It may have to be activated in your learning system before it can be used.".to_owned());
    } else {
        sentences.push(format!(
            "Your learning system did not say its deployment ID. Whoever runs this site adds it with endonym tool-consumer \
             update {} --deployment-id and the ID that your learning system shows.",
            consumer.id
        ));
    }
    let page = Sentence {
        parts: Parts::of(&app, colors),
        title: if is_update { "Updated" } else { "Registered" },
        sentences,
        own_window: None,
        // Nobody could read the deployment's sentence in a window that is closed at once.
        is_done: has_deployment,
    };
    let mut all = [frame, frames(&consumer)].concat();
    all.dedup();
    written(StatusCode::OK, &page, &all, Forms::Nowhere, None)
}

/// Somebody has opened the link instead of giving it to their learning system.
fn explained(app: &App, colors: Colors) -> Response {
    let sentences = vec![
        "This link is for your learning system: paste it where a new LTI tool is registered, as its registration URL."
            .to_owned(),
        "In Moodle that is Site administration, Plugins, External tool, Manage tools. In others look for dynamic registration."
            .to_owned(),
    ];
    let page = Sentence {
        parts: Parts::of(app, colors),
        title: "Give this link to your learning system",
        sentences,
        own_window: None,
        is_done: false,
    };
    written(StatusCode::BAD_REQUEST, &page, &[], Forms::Nowhere, None)
}
