//! `/me/kept`: recordings that somebody else has replaced, and that the person can put back.

use axum::{extract::State, response::Response};
use jiff::tz::TimeZone;

use super::{notice, own, session::OwnForm};
use crate::{
    app::{
        App, Error, Missing,
        kept_recordings::{self, OwnKept},
    },
    http::when,
};

pub struct KeptRow {
    pub hex: String,
    /// The titles of the name pages.
    pub titles: String,
    pub replaced: String,
    pub until: String,
}

impl KeptRow {
    pub fn new(kept: &OwnKept, zone: &TimeZone) -> Self {
        Self {
            hex: kept.hex.clone(),
            titles: kept.titles.join(" · "),
            replaced: when::minute(kept.kept_at, zone),
            until: when::minute(kept.purge_at, zone),
        }
    }
}

pub async fn put_back(State(app): State<App>, OwnForm { signed_in, form }: OwnForm) -> Response {
    if signed_in.is_restricted() {
        return notice::restricted(&app, &signed_in);
    }
    let (person, hex) = (&signed_in.session.person, form.get("recording").unwrap_or_default());
    match kept_recordings::put_back(&app, &signed_in.actor(), person, hex).await {
        // In another tab, a moment ago; or the 30 days are over.
        Ok(()) | Err(Error::Missing(Missing::Recording)) => own::done(&app, "kept"),
        Err(error) => own::fault(&app, &signed_in, error).await,
    }
}
