//! `/p/{slug}/people/all.mp3`: the recordings of a part of the list one after the other, for browsers without JavaScript.

use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;

use super::{
    people::{self, Wanted},
    visit::Visit,
};
use crate::{
    app::{
        App, Error,
        play_all::{self, PlayAll},
    },
    http::plays::is_play,
};

pub async fn send(State(app): State<App>, visit: Visit, request: Request) -> Response {
    let wanted = Wanted::read(&people::query_of(&request));
    let (public, listener) = (&visit.public, people::listener(&visit));
    // The file is always sent from its beginning, also to players that request a range. Only those that request the beginning play it.
    let is_counted = is_play(request.method(), request.headers(), StatusCode::PARTIAL_CONTENT);
    match play_all::begin(&app, listener, public, &wanted.part(), is_counted).await {
        Ok(recordings) => sent(recordings),
        Err(error) => people::refused(&app, &visit, &people::path_to(public, &wanted, &[]), &error),
    }
}

fn sent(recordings: PlayAll) -> Response {
    let chunks = stream::try_unfold(recordings, |mut recordings| async move {
        match recordings.next().await {
            Ok(Some(chunk)) => Ok(Some((chunk, recordings))),
            Ok(None) => Ok::<_, Error>(None),
            Err(error) => {
                // The connection breaks, so that nobody takes the file for complete.
                tracing::error!(%error, "sending the recordings of a name page failed");
                Err(error)
            }
        }
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "audio/mpeg"),
        (header::ACCEPT_RANGES, "none"),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
    response
}
