//! Path parameters.

use axum::{
    extract::{self, FromRequestParts},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use super::refusal::Refusal;
use crate::app::App;

/// The parameters of a route. An undecodable path is answered like an unknown one; axum's extractor would answer in
/// plain text.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Path<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Refusal> {
        #[allow(clippy::disallowed_types)]
        let read = extract::Path::from_request_parts(parts, app).await;
        read.map(|found| Self(found.0)).map_err(|_| Refusal::NotFound)
    }
}
