//! Version 5: pronunciations.

use axum::response::Response;

use super::wire;
use crate::{
    api::{
        ask::Ask,
        embeds::{Icon, Include},
        listing::{self, Frame},
        problem::Problem,
        view::View,
    },
    app::{App, pronunciations},
    domain::field_errors::FieldErrors,
};

const FRAME: Frame = Frame { open: "{\"Response\":{\"pronunciations\":[", close: "}}" };

pub async fn search(app: App, ask: Ask) -> Result<Response, Problem> {
    let mut errors = FieldErrors::default();
    let (emails, identifiers) = ask.params()?.people("identifiers", &mut errors);
    errors.into_result()?;
    let found = pronunciations::search(&app, ask.institution().id, emails, identifiers).await?;
    let view = View::new(&app, &ask.caller, Include::default(), Icon::default()).await?;
    let write: listing::Write =
        Box::new(move |person, out| serde_json::to_writer(out, &wire::Pronunciation(&view, person)));
    listing::answer(&app, found, write, None, FRAME).await
}
