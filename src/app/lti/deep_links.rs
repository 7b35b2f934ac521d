//! The response to a deep linking request: a link that the platform adds to the course.

use super::{Result, entrance, keys, sessions::Open};
use crate::{
    app::{App, Error, sessions::Secret},
    domain::lti::{DeepLinking, deep_linking_response},
};

pub struct Response {
    pub address: String,
    pub token: String,
}

/// Builds a response with one link with this title, or with no links if the user canceled.
pub async fn answer(app: &App, open: &Open, asked: &DeepLinking, title: Option<&str>) -> Result<Response> {
    let Some(lti) = &open.consumer.lti else {
        return Err(Error::Internal("a launch without a registration".to_owned()).into());
    };
    let url = entrance::urls_of(app, &open.consumer).await?.launch;
    let claims = deep_linking_response(
        asked,
        (&open.consumer.url, &lti.client_id),
        title.map(|title| (title, url.as_str())),
        &Secret::generate(app).into_string(),
        app.clock.now(),
    );
    let token =
        keys::signing(app, keys::owner_of(&open.consumer)).await?.sign(&claims).map_err(Error::Internal)?;
    Ok(Response { address: asked.return_url.clone(), token })
}
