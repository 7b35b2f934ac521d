//! `/console/{slug}/learning-systems/{id}/prove` and `/renew`: whether the issuer of an LTI registration is believed, and which of our addresses the
//! platform has.

use axum::{extract::State, response::Response};

use super::{
    PATH, found,
    one::{Feedback, draw},
};
use crate::{
    app::{App, Error, tool_consumers},
    console::visit::{Console, ConsoleForm},
    domain::{
        fault::{Fault, Field, SetupFault},
        lti::ToolUrls,
        tool_consumer::ToolConsumer,
    },
    http::path::Path,
    words::{Arg, Words},
};

/// What the page of an LTI platform shows besides.
pub struct LtiView {
    /// What the platform is to be told. One of before can be told already.
    pub urls: ToolUrls,
    pub is_shared: bool,
    pub unconfirmed: Option<Unconfirmed>,
}

/// Nobody comes in through the platform: why, and what to do, as HTML.
pub struct Unconfirmed {
    pub why: String,
    pub to_do: String,
}

impl LtiView {
    pub fn of(app: &App, console: &Console, system: &ToolConsumer) -> Option<Self> {
        system.lti.as_ref()?;
        Some(Self {
            urls: ToolUrls::of(app.links.base(), &console.institution.slug),
            is_shared: system.is_shared(),
            unconfirmed: Unconfirmed::of(console.words(), system),
        })
    }
}

impl Unconfirmed {
    pub fn of(words: Words, system: &ToolConsumer) -> Option<Self> {
        let command = format!("endonym tool-consumer confirm {}", system.id);
        system.is_unconfirmed().then(|| Self {
            why: words.html("console-systems-unconfirmed-why", &[("issuer", Arg::Text(&system.url))]),
            to_do: words.html("console-systems-unconfirmed-do", &[("command", Arg::Text(&command))]),
        })
    }
}

pub async fn prove(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let proven = async {
        let system = found(&app, &console, &id).await?;
        tool_consumers::prove(&app, &console.actor, system.id).await
    };
    match proven.await {
        Ok(system) if system.is_unconfirmed() => {
            let fault = console.words().html("console-systems-still-unproven", &[]);
            draw(&app, &console, &id, "", Feedback::of_issuer(fault)).await
        }
        Ok(system) => console.go(&app, &format!("{PATH}/{}?done=proven", system.id)),
        Err(error) => console.fault(&app, &error),
    }
}

pub async fn renew(
    State(app): State<App>,
    Path((_, id)): Path<(String, String)>,
    ConsoleForm { console, .. }: ConsoleForm,
) -> Response {
    let renewed = async {
        let system = found(&app, &console, &id).await?;
        tool_consumers::renew(&app, &console.actor, system.id).await
    };
    match renewed.await {
        Ok(system) => console.go(&app, &format!("{PATH}/{}?done=renewed", system.id)),
        Err(Error::Invalid(errors)) if errors.of(&Field::Url).contains(&UNPROVEN) => {
            let command = format!("endonym tool-consumer renew {id}");
            let command = [("command", Arg::Text(&command))];
            let fault = console.words().html("console-systems-renew-refused", &command);
            draw(&app, &console, &id, "", Feedback::of_issuer(fault)).await
        }
        Err(error) => console.fault(&app, &error),
    }
}

const UNPROVEN: Fault = Fault::Setup(SetupFault::UnprovenIssuer);
