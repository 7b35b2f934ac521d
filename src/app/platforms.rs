//! What an LTI platform says of itself, where it keeps such a document.

use super::{App, Error, Result};
use crate::domain::fault::{Field, SetupFault};
use crate::lms::{
    self,
    registration::{self, Configuration},
};

const PATH: &str = "/.well-known/openid-configuration";

/// Reads the document of an issuer. Whatever it names is checked when it is written down.
pub async fn discover(app: &App, issuer: &str) -> Result<Configuration> {
    let issuer = issuer.trim().trim_end_matches('/');
    let address = format!("{issuer}{PATH}");
    // With a user name or a password in it, it is not shown.
    app.outbound
        .permits(&address)
        .await
        .map_err(|error| Error::invalid(Field::Url, SetupFault::Address(error.to_string())))?;
    let found = registration::configuration(&app.outbound, &address).await.map_err(|error| {
        let why = match error {
            lms::Error::Missing => "there is none".to_owned(),
            other => other.to_string(),
        };
        Error::invalid(Field::Url, SetupFault::NoDiscovery { address: address.clone(), why })
    })?;
    // Launches say it letter by letter as it stands there, with or without its last slash.
    if found.issuer.trim_end_matches('/') != issuer {
        return Err(Error::invalid(Field::Url, SetupFault::OtherIssuer(found.issuer)));
    }
    Ok(found)
}
