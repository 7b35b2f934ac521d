//! `/p/{slug}/people/all.mp3`: the recordings of a part of the list one after the other, for browsers without JavaScript.

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};

use super::{
    people::{self, Wanted},
    visit::Visit,
};
use crate::{
    app::{App, play_all},
    http::{
        download::{self, Kind},
        plays::is_play,
    },
};

const KIND: Kind<'_> =
    Kind { content_type: "audio/mpeg", file_name: None, subject: "the recordings of a name page" };

pub async fn send(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let wanted = Wanted::read(&people::query_of(&request));
    let (public, listener) = (&visit.public, people::listener(&visit));
    // The file is always sent from its beginning, also to players that request a range. Only those that request the beginning play it.
    let is_counted = is_play(request.method(), request.headers(), StatusCode::PARTIAL_CONTENT);
    let begun =
        play_all::begin(&app, (listener, visit.visitor.client), public, &wanted.part(), is_counted).await;
    let sent = match begun {
        Ok(recordings) => download::send(recordings, KIND).await,
        Err(error) => Err(error),
    };
    sent.unwrap_or_else(|error| people::refused(&app, &visit, &people::path_to(public, &wanted, &[]), &error))
}
