//! Pronunciations: who of these people has a recording, and where it is.

use super::{
    App, Result,
    participants::{self, Filter, Listing},
};

/// Everybody whom one of the identifiers names, by email or by the institution's identifier.
pub async fn search(
    app: &App,
    institution: i64,
    emails: Vec<String>,
    identifiers: Vec<String>,
) -> Result<Listing> {
    let filter = Filter { emails, identifiers, ..Filter::default() };
    participants::list(app, institution, &filter, None).await
}
