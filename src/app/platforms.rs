//! What an LTI platform says of itself, where it keeps such a document.

use serde_json::Value;

use super::{App, Error, Result};
use crate::{domain::tool_consumer::product_word, lms};

/// Where a platform is asked what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// As it writes itself, letter by letter: launches say it so.
    pub issuer: String,
    pub auth_url: String,
    pub token_url: String,
    pub jwks_url: String,
    pub product: Option<String>,
}

const PATH: &str = "/.well-known/openid-configuration";
const LTI: &str = "https://purl.imsglobal.org/spec/lti-platform-configuration";

/// Reads the document of an issuer. Whatever it names is checked when it is written down.
pub async fn discover(app: &App, issuer: &str) -> Result<Platform> {
    let address = format!("{}{PATH}", issuer.trim().trim_end_matches('/'));
    // With a user name or a password in it, it is not shown.
    app.outbound.permits(&address).await.map_err(|error| Error::invalid("url", error.to_string()))?;
    let document = app.outbound.json(&address, &[]).await.map_err(|error| {
        let why = match error {
            lms::Error::Missing => "there is none".to_owned(),
            other => other.to_string(),
        };
        Error::invalid(
            "url",
            format!(
                "has no document at {address} that could be read ({why}): say --auth-url, --token-url and --jwks-url"
            ),
        )
    })?;
    read(&document, issuer.trim())
}

fn read(document: &Value, issuer: &str) -> Result<Platform> {
    let text = |key: &str| document[key].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let named = text("issuer").unwrap_or_default();
    if named.trim_end_matches('/') != issuer.trim_end_matches('/') {
        let why = format!("is not the issuer that its own document names, which is `{named}`");
        return Err(Error::invalid("url", why));
    }
    let needed = |key: &str| {
        text(key).ok_or_else(|| Error::invalid("url", format!("has a document that does not name its {key}")))
    };
    Ok(Platform {
        issuer: named,
        auth_url: needed("authorization_endpoint")?,
        token_url: needed("token_endpoint")?,
        jwks_url: needed("jwks_uri")?,
        product: document[LTI]["product_family_code"].as_str().and_then(product_word),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_is_taken_from_its_own_issuer_alone() {
        let document = json!({
            "issuer": "https://lms.example.edu", "authorization_endpoint": "https://lms.example.edu/auth",
            "token_endpoint": "https://lms.example.edu/token", "jwks_uri": "https://lms.example.edu/jwks",
            LTI: { "product_family_code": "moodle" },
        });
        let platform = read(&document, "https://lms.example.edu").unwrap();
        assert_eq!(platform.token_url, "https://lms.example.edu/token");
        assert_eq!(platform.product.as_deref(), Some("moodle"));
        assert_eq!(read(&document, "https://lms.example.edu/").unwrap(), platform);
        assert_eq!(platform.issuer, "https://lms.example.edu");
        assert!(read(&document, "https://lms.example.edu/x").is_err());
        assert!(read(&json!({ "issuer": "x" }), "x").is_err());
    }
}
