//! Recordings and pictures: taken in, replaced, removed, and looked at when somebody plays them.

use super::{App, Error, Missing, Result};
use crate::{domain::media::Media, store::media};

/// What a link leads to, asked of the database each time: a link that is withdrawn is dead at once, on every node.
pub async fn find(app: &App, institution: i64, hex: &str) -> Result<Media> {
    let found = media::find(&mut app.db.read(), institution, hex).await?;
    found.ok_or(Error::Missing(Missing::Recording))
}
