//! LTI dynamic registration: we read the platform's configuration and register the tool with it.

use serde_json::{Value, json};

use super::{Error, Result};
use crate::{
    domain::{address::is_printable, institution::origin_of, lti::ToolUrls},
    outbound::{Outbound, Request},
};

/// The platform's OpenID configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    pub issuer: String,
    pub auth_url: String,
    pub token_url: String,
    /// Set if it differs from the token URL.
    pub token_audience: Option<String>,
    pub jwks_url: String,
    /// `None` if the platform has no dynamic registration.
    pub registration_url: Option<String>,
    pub product_family: Option<String>,
}

/// What the platform has assigned to the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    pub client_id: String,
    pub deployment: Option<String>,
}

const MAX_BYTES: usize = 1 << 20;
const PLATFORM: &str = "https://purl.imsglobal.org/spec/lti-platform-configuration";
const TOOL: &str = "https://purl.imsglobal.org/spec/lti-tool-configuration";
pub const ROSTER_SCOPE: &str = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly";

/// Fetches the platform's configuration. Its issuer must be on the host that serves it.
pub async fn configuration(outbound: &Outbound, url: &str) -> Result<Configuration> {
    read(
        url,
        &outbound.send(interactive(outbound, Request::get(outbound.address(url)?))).await?.good()?.value()?,
    )
    .map_err(Error::Unavailable)
}

fn read(url: &str, response: &Value) -> Result<Configuration, String> {
    let text = |key: &str| {
        let text = response[key].as_str().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| format!("the platform's configuration has no {key}"))?;
        if is_printable(text) {
            Ok(text.to_owned())
        } else {
            Err(format!("the platform's {key} contains blanks, line breaks or control characters"))
        }
    };
    let issuer = text("issuer")?;
    if origin_of(&issuer).is_none() || origin_of(&issuer) != origin_of(url) {
        return Err("the platform's configuration comes from another host than its issuer".to_owned());
    }
    let token_url = text("token_endpoint")?;
    let audience = response["authorization_server"].as_str().map(str::trim);
    // Canvas puts a bare host there, which is not a valid audience.
    let audience = audience.filter(|audience| audience.starts_with("https://") && *audience != token_url);
    if !audience.is_none_or(is_printable) {
        return Err("the platform's authorization_server contains blanks, line breaks or control characters"
            .to_owned());
    }
    Ok(Configuration {
        auth_url: text("authorization_endpoint")?,
        token_audience: audience.map(str::to_owned),
        jwks_url: text("jwks_uri")?,
        registration_url: if response["registration_endpoint"].is_null() {
            None
        } else {
            Some(text("registration_endpoint")?)
        },
        product_family: response[PLATFORM]["product_family_code"].as_str().map(str::to_owned),
        issuer,
        token_url,
    })
}

/// Interactive limits: an administrator waits.
fn interactive(outbound: &Outbound, ask: Request) -> Request {
    ask.accept("application/json").at_most(MAX_BYTES).within(outbound.limits().question)
}

/// The host of a URL with its port, in lower case.
pub fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty() && !host.contains(['@', '\\'])).then(|| host.to_lowercase())
}

/// Variables that Canvas substitutes, so that a launch carries the course id of its REST API.
fn canvas_parameters() -> Value {
    json!({
        "canvas_api_domain": "$Canvas.api.domain",
        "canvas_course_id": "$Canvas.course.id",
    })
}

fn icon(base_url: &str) -> String {
    format!("{base_url}/lti/icon.png")
}

/// The tool's registration document. `base_url` is our public URL; `product` is the platform's product family, if known.
pub fn tool(base_url: &str, urls: &ToolUrls, product: Option<&str>) -> Value {
    let launch = &urls.launch;
    let mut tool = json!({
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["client_credentials", "implicit"],
        "initiate_login_uri": urls.login,
        "redirect_uris": [launch],
        "client_name": "Endonym",
        "client_uri": base_url,
        "logo_uri": icon(base_url),
        "jwks_uri": urls.jwks,
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": ROSTER_SCOPE,
    });
    tool[TOOL] = json!({
        "domain": host(base_url).unwrap_or_default(),
        "description": "Names, said the way their owners say them",
        "target_link_uri": launch,
        "claims": ["iss", "sub", "name", "given_name", "family_name", "email"],
        "messages": [
            {
                "type": "LtiResourceLinkRequest",
                "target_link_uri": launch,
                "label": "Names and how they are said",
                "placements": ["course_navigation"],
            },
            {
                "type": "LtiDeepLinkingRequest",
                "target_link_uri": launch,
                "label": "Names and how they are said",
                "placements": ["link_selection"],
            },
        ],
    });
    for message in [0, 1] {
        tool[TOOL]["messages"][message]["icon_uri"] = icon(base_url).into();
    }
    // Other platforms would send the variables back unsubstituted.
    if product == Some("canvas") {
        tool[TOOL]["custom_parameters"] = canvas_parameters();
    }
    tool
}

/// JSON configuration for a Canvas developer key that an administrator creates by hand.
pub fn canvas(base_url: &str, urls: &ToolUrls) -> Value {
    let launch = &urls.launch;
    let placement = |placement: &str, message: &str| json!({ "placement": placement, "message_type": message, "target_link_uri": launch, "text": "Names" });
    json!({
        "title": "Endonym",
        "description": "Names, said the way their owners say them",
        "oidc_initiation_url": urls.login,
        "target_link_uri": launch,
        "public_jwk_url": urls.jwks,
        "scopes": [ROSTER_SCOPE],
        "custom_fields": canvas_parameters(),
        "extensions": [{
            "platform": "canvas.instructure.com",
            "domain": host(base_url).unwrap_or_default(),
            "privacy_level": "public",
            "settings": {
                "text": "Names",
                "icon_url": icon(base_url),
                "placements": [
                    placement("course_navigation", "LtiResourceLinkRequest"),
                    placement("link_selection", "LtiDeepLinkingRequest"),
                ],
            },
        }],
    })
}

/// Registers the tool. `token` is the platform's registration token, from the URL that opened the browser.
pub async fn register(
    outbound: &Outbound,
    platform: &Configuration,
    token: Option<&str>,
    tool: &Value,
) -> Result<Registered> {
    let nowhere =
        || Error::Unavailable("the platform's configuration has no registration_endpoint".to_owned());
    let address = platform.registration_url.as_deref().ok_or_else(nowhere)?;
    let ask = Request::json(outbound.address(address)?, tool);
    let ask = token.into_iter().fold(ask, |ask, token| ask.bearer(token));
    let response = outbound.send(interactive(outbound, ask)).await?.good()?.value()?;
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let nothing = || Error::Unavailable("the platform's answer has no client_id".to_owned());
    let client_id = text(&response["client_id"]).ok_or_else(nothing)?;
    let deployment = text(&response[TOOL]["deployment_id"]).or_else(|| text(&response["deployment_id"]));
    if [Some(&client_id), deployment.as_ref()].into_iter().flatten().any(|id| id.contains(char::is_control)) {
        let why = "the platform's answer has an id with control characters";
        return Err(Error::Unavailable(why.to_owned()));
    }
    Ok(Registered { client_id, deployment })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform_document() -> Value {
        json!({
            "issuer": "https://lms.example.edu",
            "authorization_endpoint": "https://lms.example.edu/auth",
            "token_endpoint": "https://lms.example.edu/token",
            "jwks_uri": "https://lms.example.edu/jwks",
            "registration_endpoint": "https://lms.example.edu/register",
            "https://purl.imsglobal.org/spec/lti-platform-configuration": { "product_family_code": "moodle" },
        })
    }

    #[test]
    fn a_platform_speaks_for_its_own_host() {
        let at = |url: &str| read(url, &platform_document());
        let found = at("https://LMS.example.edu/.well-known/openid-configuration").unwrap();
        assert_eq!(found.product_family.as_deref(), Some("moodle"));
        for elsewhere in [
            "https://evil.example/openid",
            "https://lms.example.edu:8443/x",
            "lms.example.edu",
            "https://u@lms.example.edu/",
            "http://lms.example.edu/openid",
        ] {
            assert!(at(elsewhere).is_err(), "{elsewhere}");
        }
    }

    #[test]
    fn an_audience_is_an_address() {
        for (server, audience) in [
            ("https://lms.example.edu/as", Some("https://lms.example.edu/as")),
            ("lms.example.edu", None),
            ("https://lms.example.edu/token", None),
            ("", None),
        ] {
            let mut response = platform_document();
            response["authorization_server"] = server.into();
            let found = read("https://lms.example.edu/x", &response).unwrap();
            assert_eq!(found.token_audience.as_deref(), audience, "{server}");
        }
    }

    #[test]
    fn an_address_that_would_end_a_line_is_refused() {
        for key in [
            "issuer",
            "authorization_endpoint",
            "token_endpoint",
            "jwks_uri",
            "registration_endpoint",
            "authorization_server",
        ] {
            for junk in ["\r\nSet-Cookie: a=b", "\tx", " x", "\u{0}x"] {
                let mut response = platform_document();
                response[key] = format!("https://lms.example.edu/x{junk}").into();
                let why = read("https://lms.example.edu/x", &response).unwrap_err();
                assert!(why.contains("line breaks") && !why.contains("Cookie"), "{key}: {why}");
            }
        }
    }

    #[test]
    fn a_configuration_without_its_endpoints_is_none() {
        for key in ["issuer", "authorization_endpoint", "token_endpoint", "jwks_uri"] {
            let mut response = platform_document();
            response[key] = Value::Null;
            assert!(read("https://lms.example.edu/x", &response).unwrap_err().contains("no "), "{key}");
        }
    }

    #[test]
    fn our_domain_is_the_host_of_what_is_launched() {
        let base = "https://names.example.edu:8443/app";
        let tool = tool(base, &ToolUrls::of(base, "college"), Some("moodle"));
        assert_eq!(tool["logo_uri"], "https://names.example.edu:8443/app/lti/icon.png");
        assert_eq!(tool[TOOL]["custom_parameters"], Value::Null);
        let root = "https://names.example.edu";
        let canvas = super::tool(root, &ToolUrls::shared(root), Some("canvas"));
        assert_eq!(canvas[TOOL]["custom_parameters"]["canvas_course_id"], "$Canvas.course.id");
        assert_eq!(tool[TOOL]["domain"], "names.example.edu:8443");
        assert_eq!(tool["redirect_uris"][0], "https://names.example.edu:8443/app/lti/college/launch");
        assert_eq!(tool["initiate_login_uri"], "https://names.example.edu:8443/app/lti/college/login");
        assert_eq!(tool["jwks_uri"], "https://names.example.edu:8443/app/lti/college/jwks.json");
    }
}
