//! Our addresses for LTI platforms.

/// What a platform is told when the tool is registered there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolUrls {
    /// Where a launch begins (OpenID Connect third-party initiated login).
    pub login: String,
    /// The redirect URI, and the target of links.
    pub launch: String,
    /// Our public keys (JWKS).
    pub jwks: String,
    /// All of this as JSON, for Canvas.
    pub config: String,
}

impl ToolUrls {
    /// Those of registrations from before each institution had its own.
    pub fn shared(base_url: &str) -> Self {
        Self::below(&format!("{}/lti", base_url.trim_end_matches('/')))
    }

    /// Those of the institution with this slug.
    pub fn of(base_url: &str, slug: &str) -> Self {
        Self::below(&format!("{}/lti/{slug}", base_url.trim_end_matches('/')))
    }

    fn below(root: &str) -> Self {
        let at = |name: &str| format!("{root}/{name}");
        Self { login: at("login"), launch: at("launch"), jwks: at("jwks.json"), config: at("config.json") }
    }
}
