//! Pictures of people, from the learning system's own origin alone.

use bytes::Bytes;
use reqwest::{StatusCode, Url};

use super::{Error, Outbound, Result, outbound::Ask};

/// What a phone's camera makes, and some more.
const LARGEST: usize = 10 << 20;

/// The address, if it is on the same origin as the system.
pub(super) fn within(root: &Url, url: &str) -> Option<Url> {
    let is_bare = |url: &Url| url.username().is_empty() && url.password().is_none();
    root.join(url).ok().filter(|url| url.origin() == root.origin() && is_bare(url))
}

/// `None` when there is none, or it is elsewhere, or nothing that anybody would look at.
pub(super) async fn fetch(outbound: &Outbound, url: Url) -> Result<Option<Bytes>> {
    let answer = outbound.exchange(Ask::get(url).accept("image/*").at_most(LARGEST)).await?;
    match answer.status {
        StatusCode::OK if !answer.whole => Ok(None),
        StatusCode::OK => Ok(Some(answer.body).filter(|body| !body.is_empty())),
        status if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS => {
            Err(Error::Unavailable(format!("a picture cannot be had just now ({})", status.as_u16())))
        }
        _ => Ok(None),
    }
}
