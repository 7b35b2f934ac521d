//! LTI 1.3 from the tool's side: the claims of a launch and their validation.

pub mod keys;
pub mod roles;
mod urls;

use serde_json::Value;

use super::{address::is_printable, institution::origin_of, language::Language, moment::Moment};
pub use roles::CourseRole;
pub use urls::ToolUrls;

const CLAIM: &str = "https://purl.imsglobal.org/spec/lti/claim/";
const DEEP_LINKING: &str = "https://purl.imsglobal.org/spec/lti-dl/claim/";
const MEMBERSHIPS: &str = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice";

/// Allowed clock skew.
const LEEWAY_SECONDS: i64 = 60;
/// The maximum age of an id token. Platforms issue one per launch, and a login expires after ten minutes.
const OLDEST_SECONDS: i64 = 3_600;

/// A validated launch, before the course and the person are looked up.
#[derive(Debug, Clone)]
pub struct Launch {
    pub message: Message,
    pub deployment: String,
    pub context: Option<Context>,
    pub standing: CourseRole,
    pub may_add_links: bool,
    pub person: Person,
    /// The URL of the course's roster (Names and Role Provisioning Services).
    pub memberships_url: Option<String>,
    /// The platform's product code.
    pub product_family: Option<String>,
    pub canvas: Option<CanvasIds>,
    /// Whether the embedding page is light or dark, if the platform provides it.
    pub theme: Option<Theme>,
    /// The language of the platform's page, if it is one of ours.
    pub language: Option<Language>,
}

/// The custom parameters that Canvas substitutes because our registration asks for them: the course id of its REST API, since
/// `context.id` is opaque there. Anyone who can add a link to a course can forge these values, so they are trusted only if the
/// roster's URL, which Canvas sets itself, agrees with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanvasIds {
    /// The tenant's host.
    pub domain: String,
    pub course: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|theme| word.eq_ignore_ascii_case(theme.word()))
    }
}

#[derive(Debug, Clone)]
pub enum Message {
    ResourceLink,
    DeepLinking(DeepLinking),
}

/// A request to choose the link that is being added to a course.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct DeepLinking {
    pub return_url: String,
    /// Opaque; must be returned unchanged.
    pub data: Option<Value>,
    pub deployment: String,
}

/// The course of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    pub id: String,
    pub title: Option<String>,
}

/// The user who launches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// The platform's user id (`sub`); a launch may be anonymous.
    pub user_id: Option<String>,
    pub given_name: Option<String>,
    pub family_name: Option<String>,
    pub name: Option<String>,
    pub email: Option<String>,
    pub sourced_id: Option<String>,
}

/// The expected values of a launch's claims.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub deployments: &'a [String],
    pub nonce: &'a str,
    pub base_url: &'a str,
    pub now: Moment,
}

/// What is wrong with the claims of a correctly signed token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    Issuer,
    Audience,
    AuthorizedParty,
    Expired,
    FromTheFuture,
    Nonce,
    /// Carries the unregistered deployment id.
    Deployment(String),
    Version,
    Message,
    Roles,
    TargetLink,
    ResourceLink,
    DeepLinking,
    NoLinks,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Issuer => "it is from another issuer",
            Self::Audience => "it is for another client",
            Self::AuthorizedParty => "its azp is missing or another client",
            Self::Expired => "it has expired",
            Self::FromTheFuture => "its time has not come yet",
            Self::Nonce => "its nonce is not the one that was asked for",
            Self::Deployment(_) => "its deployment is not registered",
            Self::Version => "it is not of LTI 1.3",
            Self::Message => "it is of a kind that is not known here",
            Self::Roles => "it names no roles",
            Self::TargetLink => "it leads to an address that is not ours",
            Self::ResourceLink => "it names no resource link",
            Self::DeepLinking => "it does not say where the link is to go",
            Self::NoLinks => "it takes no links",
        })
    }
}

impl Launch {
    /// Validates claims whose signature has already been verified.
    pub fn read(claims: &Value, expected: &Expected<'_>) -> Result<Self, Fault> {
        check_envelope(claims, expected)?;
        let deployment = text(&claims[&*claim("deployment_id")]).unwrap_or_default();
        if !expected.deployments.contains(&deployment) {
            return Err(Fault::Deployment(deployment));
        }
        if claims[&*claim("version")] != "1.3.0" {
            return Err(Fault::Version);
        }
        let message = message(claims, &deployment)?;
        let roles = claims[&*claim("roles")].as_array().ok_or(Fault::Roles)?;
        let roles = roles.iter().filter_map(Value::as_str);
        let (standing, may_add_links) = (CourseRole::of(roles.clone()), roles::may_add_links(roles));
        let target = text(&claims[&*claim("target_link_uri")]);
        // A deep linking request may omit it.
        let is_ours = target
            .as_deref()
            .map_or(matches!(message, Message::DeepLinking(_)), |target| is_under(target, expected.base_url));
        if !is_ours {
            return Err(Fault::TargetLink);
        }
        if matches!(message, Message::ResourceLink) && text(&claims[&*claim("resource_link")]["id"]).is_none()
        {
            return Err(Fault::ResourceLink);
        }
        let context = &claims[&*claim("context")];
        let context = text(&context["id"])
            .map(|id| Context { id, title: text(&context["title"]).or_else(|| text(&context["label"])) });
        let memberships_url =
            text(&claims[MEMBERSHIPS]["context_memberships_url"]).filter(|url| is_printable(url));
        Ok(Self {
            message,
            deployment,
            context,
            standing,
            may_add_links,
            person: Person {
                user_id: text(&claims["sub"]),
                given_name: text(&claims["given_name"]),
                family_name: text(&claims["family_name"]),
                name: text(&claims["name"]),
                email: text(&claims["email"]),
                sourced_id: text(&claims[&*claim("lis")]["person_sourcedid"]),
            },
            canvas: memberships_url.as_deref().and_then(|url| canvas(&claims[&*claim("custom")], url)),
            memberships_url,
            theme: ["theme", "color_scheme"]
                .iter()
                .find_map(|key| Theme::parse(&text(&claims[&*claim("custom")][key])?)),
            language: text(&claims[&*claim("launch_presentation")]["locale"])
                .and_then(|locale| Language::parse(&locale)),
            product_family: text(&claims[&*claim("tool_platform")]["product_family_code"]),
        })
    }
}

/// Checks issuer, audience, lifetime and nonce.
fn check_envelope(claims: &Value, expected: &Expected<'_>) -> Result<(), Fault> {
    if claims["iss"] != expected.issuer {
        return Err(Fault::Issuer);
    }
    let several = match &claims["aud"] {
        Value::String(one) if one == expected.client_id => false,
        Value::Array(all) if all.iter().any(|one| *one == expected.client_id) => all.len() > 1,
        _ => return Err(Fault::Audience),
    };
    match &claims["azp"] {
        Value::Null if several => return Err(Fault::AuthorizedParty),
        Value::Null => {}
        azp if *azp == expected.client_id => {}
        _ => return Err(Fault::AuthorizedParty),
    }
    let now = expected.now.micros().div_euclid(1_000_000);
    let seconds = |name: &str| {
        let value = &claims[name];
        // Some platforms send fractional seconds.
        #[allow(clippy::cast_possible_truncation)]
        value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))
    };
    let (Some(expires), Some(issued)) = (seconds("exp"), seconds("iat")) else { return Err(Fault::Expired) };
    let is_old = issued < now.saturating_sub(OLDEST_SECONDS);
    if is_old || expires.saturating_add(LEEWAY_SECONDS) < now {
        return Err(Fault::Expired);
    }
    let soon = now.saturating_add(LEEWAY_SECONDS);
    if issued > soon || seconds("nbf").is_some_and(|not_before| not_before > soon) {
        return Err(Fault::FromTheFuture);
    }
    if claims["nonce"] != expected.nonce {
        return Err(Fault::Nonce);
    }
    Ok(())
}

fn message(claims: &Value, deployment: &str) -> Result<Message, Fault> {
    match claims[&*claim("message_type")].as_str() {
        Some("LtiResourceLinkRequest") => Ok(Message::ResourceLink),
        Some("LtiDeepLinkingRequest") => {
            let settings = &claims[format!("{DEEP_LINKING}deep_linking_settings")];
            let data = Some(settings["data"].clone()).filter(|data| !data.is_null());
            let return_url = text(&settings["deep_link_return_url"]).filter(|url| is_printable(url));
            let return_url = return_url.ok_or(Fault::DeepLinking)?;
            // A platform that does not list accepted types accepts links.
            let accepts = settings["accept_types"].as_array();
            if accepts.is_some_and(|all| !all.iter().any(|one| one == "ltiResourceLink")) {
                return Err(Fault::NoLinks);
            }
            Ok(Message::DeepLinking(DeepLinking { return_url, data, deployment: deployment.to_owned() }))
        }
        _ => Err(Fault::Message),
    }
}

/// Returns the ids only if both are plausible. A platform returns unknown variables unsubstituted, with the dollar sign.
fn canvas(custom: &Value, memberships_url: &str) -> Option<CanvasIds> {
    let course =
        text(&custom["canvas_course_id"]).filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
    let domain = text(&custom["canvas_api_domain"]).filter(|domain| !domain.contains(['$', '/']))?;
    let roster = memberships_url.split(['?', '#']).next()?;
    let (scheme, rest) = roster.split_once("://")?;
    let (_, path) = rest.split_once('/')?;
    let is_same_course = path.strip_suffix("/names_and_roles")?.strip_prefix("api/lti/courses/")? == course;
    let origin = origin_of(roster)?;
    let is_same_host = origin_of(&format!("{scheme}://{domain}"))? == origin;
    (is_same_course && is_same_host).then_some(CanvasIds { domain, course })
}

/// The claims of a deep linking response, with at most one link, given as title and URL, to the course's page.
pub fn deep_linking_response(
    asked: &DeepLinking,
    (issuer, client_id): (&str, &str),
    link: Option<(&str, &str)>,
    nonce: &str,
    now: Moment,
) -> Value {
    let seconds = now.micros().div_euclid(1_000_000);
    let mut claims = serde_json::json!({
        "iss": client_id,
        "aud": issuer,
        "iat": seconds,
        "exp": seconds + 300,
        "nonce": nonce,
    });
    claims[claim("deployment_id")] = asked.deployment.clone().into();
    claims[claim("message_type")] = "LtiDeepLinkingResponse".into();
    claims[claim("version")] = "1.3.0".into();
    let item = |(title, url)| serde_json::json!({ "type": "ltiResourceLink", "title": title, "url": url });
    claims[format!("{DEEP_LINKING}content_items")] = link.map(item).into_iter().collect();
    if let Some(data) = &asked.data {
        claims[format!("{DEEP_LINKING}data")] = data.clone();
    }
    claims
}

/// Whether a URL is below our base URL.
pub fn is_under(address: &str, base_url: &str) -> bool {
    // Reject characters that browsers normalize into a different path.
    let is_plain = !address.contains(['\\', '\n', '\r', '\t']);
    let rest = address.strip_prefix(base_url);
    is_plain && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}

fn claim(name: &str) -> String {
    format!("{CLAIM}{name}")
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        // Some platforms write ids as numbers.
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
