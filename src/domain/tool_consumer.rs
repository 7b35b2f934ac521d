//! A tool consumer (the API contract's term): a learning system that an institution has connected.

use super::{
    ids::{InstitutionId, ToolConsumerId},
    moment::Moment,
    roster::Role,
    schedule::Schedule,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LmsKind {
    Canvas,
    Moodle,
    /// Any learning system, over LTI 1.3.
    Lti,
}

impl LmsKind {
    pub const ALL: [Self; 3] = [Self::Canvas, Self::Moodle, Self::Lti];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Canvas => "canvas",
            Self::Moodle => "moodle",
            Self::Lti => "lti",
        }
    }
}

#[derive(Debug, Clone)]
pub struct ToolConsumer {
    pub institution: InstitutionId,
    pub id: ToolConsumerId,
    pub name: String,
    pub kind: LmsKind,
    /// Canvas's root, Moodle's wwwroot, or the issuer.
    pub url: String,
    /// The product of an LTI platform, as the word used in paths.
    pub product: Option<String>,
    pub enabled: bool,
    /// The roles that are included in rosters.
    pub roles: Vec<Role>,
    /// When its courses are synchronized automatically.
    pub schedule: Schedule,
    /// Encrypted, as stored.
    pub sealed_access_token: Option<String>,
    pub lti: Option<Registration>,
    pub created_at: Moment,
}

/// The LTI registration, besides the issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    pub client_id: String,
    pub deployments: Vec<String>,
    pub auth_url: String,
    pub token_url: String,
    /// Set if it differs from the token URL.
    pub token_audience: Option<String>,
    pub jwks_url: String,
    /// Origins that may embed our pages.
    pub frame_ancestors: Vec<String>,
}

/// Product words that are valid in paths even if no such system is connected.
const PRODUCTS: [&str; 8] =
    ["canvas", "moodle", "blackboard", "brightspace", "sakai", "schoology", "openedx", "ilias"];

/// The word in a path that selects learning systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector<'a> {
    /// `lms`: all of them.
    Any,
    Product(&'a str),
}

impl<'a> Selector<'a> {
    pub fn parse(word: &'a str) -> Self {
        if word == "lms" { Self::Any } else { Self::Product(word) }
    }

    /// Whether the word is valid regardless of which systems are connected.
    pub fn is_known(self) -> bool {
        match self {
            Self::Any => true,
            Self::Product(word) => PRODUCTS.contains(&word),
        }
    }
}

impl ToolConsumer {
    /// Whether the word selects this tool consumer.
    pub fn answers_to(&self, word: Selector<'_>) -> bool {
        match (word, self.kind) {
            (Selector::Any, _) => true,
            (Selector::Product(word), LmsKind::Lti) => self.product.as_deref() == Some(word),
            (Selector::Product(word), kind) => word == kind.word(),
        }
    }
}

/// Maps LTI's `product_family_code` to the word used in paths.
pub fn product_word(family: &str) -> Option<String> {
    let plain: String = family.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let word = match plain.as_str() {
        "" => return None,
        "blackboardlearn" => "blackboard",
        "desire2learn" | "d2l" => "brightspace",
        "edx" => "openedx",
        other => other,
    };
    Some(word.chars().take(60).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumer(kind: LmsKind, product: Option<&str>) -> ToolConsumer {
        ToolConsumer {
            institution: InstitutionId::new(1),
            id: ToolConsumerId::new(2),
            name: "Campus".into(),
            kind,
            url: "https://lms.example.edu".into(),
            product: product.map(str::to_owned),
            enabled: true,
            roles: vec![Role::Student],
            schedule: Schedule::default(),
            sealed_access_token: None,
            lti: None,
            created_at: Moment::from_micros(0),
        }
    }

    #[test]
    fn lms_means_everybody_and_a_product_its_own() {
        let canvas = consumer(LmsKind::Canvas, None);
        assert!(canvas.answers_to(Selector::parse("lms")) && canvas.answers_to(Selector::parse("canvas")));
        assert!(!canvas.answers_to(Selector::parse("moodle")) && !canvas.answers_to(Selector::parse("lti")));
        let sakai = consumer(LmsKind::Lti, Some("sakai"));
        assert!(sakai.answers_to(Selector::parse("lms")) && sakai.answers_to(Selector::parse("sakai")));
        assert!(!sakai.answers_to(Selector::parse("lti")) && !sakai.answers_to(Selector::parse("canvas")));
        assert!(!consumer(LmsKind::Lti, None).answers_to(Selector::parse("canvas")));
        assert!(Selector::parse("brightspace").is_known() && !Selector::parse("fax").is_known());
    }

    #[test]
    fn products_have_one_word_each() {
        for (family, word) in [
            ("moodle", Some("moodle")),
            ("BlackboardLearn", Some("blackboard")),
            ("desire2learn", Some("brightspace")),
            ("Open edX", Some("openedx")),
            (" / ", None),
        ] {
            assert_eq!(product_word(family).as_deref(), word, "{family}");
        }
    }
}
