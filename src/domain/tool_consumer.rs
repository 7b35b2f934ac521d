//! A tool consumer (the API contract's term): a learning system that an institution has connected.

use url::Url;

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
    /// Which of our addresses and keys its registration uses. Only for LTI.
    pub addresses: Addresses,
    pub created_at: Moment,
}

/// The addresses and the keys that an LTI platform knows us by ([ADR 31](../../docs/adr/0031-lti-per-institution.md)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Addresses {
    /// Those that all institutions shared before each had its own. No new registration uses them.
    Shared,
    /// The institution's own.
    Own {
        /// Why the issuer is believed. Without it, nobody comes in.
        proof: Option<IssuerProof>,
    },
}

impl Addresses {
    pub const UNPROVEN: Self = Self::Own { proof: None };

    pub const fn by_operator() -> Self {
        Self::Own { proof: Some(IssuerProof::Operator) }
    }
}

/// Why we believe that a registration is one of the platform that its issuer names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IssuerProof {
    /// The operator has confirmed it.
    Operator,
    /// Its own OpenID configuration, at this address on its own host, has the same endpoints.
    Configuration(String),
}

impl IssuerProof {
    const OPERATOR: &str = "operator";

    pub fn parse(text: &str) -> Self {
        if text == Self::OPERATOR { Self::Operator } else { Self::Configuration(text.to_owned()) }
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Operator => Self::OPERATOR,
            Self::Configuration(address) => address,
        }
    }
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

impl Registration {
    /// What decides whose messages are believed, and where people are sent.
    pub fn endpoints(&self) -> [&str; 3] {
        [&self.auth_url, &self.token_url, &self.jwks_url]
    }

    /// Could the token endpoint of the one accept an assertion that is made for the other? Those of registrations with shared addresses
    /// are signed with the same key, so two institutions must not have such registrations: one would read the rosters of the other.
    pub fn shares_client(&self, other: &Self) -> bool {
        let is_same = |one: String| other.audiences().any(|other| one == other);
        self.client_id.eq_ignore_ascii_case(&other.client_id) && self.audiences().any(is_same)
    }

    /// Hosts with ports: the rest of a URL can be written in many ways.
    fn audiences(&self) -> impl Iterator<Item = String> {
        [Some(&self.token_url), self.token_audience.as_ref()].into_iter().flatten().map(|audience| {
            let url = Url::parse(audience).ok();
            let host = url.as_ref().and_then(|url| url.host_str().zip(url.port_or_known_default()));
            host.map_or_else(
                || audience.clone(),
                |(host, port)| format!("{}:{port}", host.trim_end_matches('.')),
            )
        })
    }
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
    /// Whether people may come in through it, and its courses may be synchronized.
    pub fn is_open(&self) -> bool {
        self.enabled && !self.is_unconfirmed()
    }

    /// Whether its issuer is neither proven nor confirmed.
    pub fn is_unconfirmed(&self) -> bool {
        self.lti.is_some() && self.addresses == Addresses::UNPROVEN
    }

    /// Whether it is an LTI registration that uses the addresses and keys that all institutions shared.
    pub fn is_shared(&self) -> bool {
        self.lti.is_some() && self.addresses == Addresses::Shared
    }

    pub const fn issuer_proof(&self) -> Option<&IssuerProof> {
        match &self.addresses {
            Addresses::Own { proof } => proof.as_ref(),
            Addresses::Shared => None,
        }
    }

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
            addresses: Addresses::UNPROVEN,
            created_at: Moment::from_micros(0),
        }
    }

    #[test]
    fn a_client_is_the_same_at_the_same_host_however_its_url_is_written() {
        let of = |client_id: &str, token_url: &str, token_audience: Option<&str>| Registration {
            client_id: client_id.into(),
            deployments: Vec::new(),
            auth_url: String::new(),
            token_url: token_url.into(),
            token_audience: token_audience.map(str::to_owned),
            jwks_url: String::new(),
            frame_ancestors: Vec::new(),
        };
        let theirs = of("Endonym", "https://lms.example.edu/token", None);
        let elsewhere = "https://evil.example/token";
        for same in [
            of("Endonym", "https://lms.example.edu/token", None),
            of("endonym", "https://LMS.example.edu.:443/./token?x", None),
            of("Endonym", elsewhere, Some("https://lms.example.edu/token")),
        ] {
            assert!(same.shares_client(&theirs) && theirs.shares_client(&same), "{same:?}");
        }
        for other in [
            of("another", "https://lms.example.edu/token", None),
            of("Endonym", elsewhere, None),
            of("Endonym", "https://lms.example.edu:8443/token", None),
            of("Endonym", elsewhere, Some("an audience that is no URL")),
        ] {
            assert!(!other.shares_client(&theirs) && !theirs.shares_client(&other), "{other:?}");
        }
    }

    #[test]
    fn nobody_comes_in_through_a_platform_that_nobody_has_confirmed() {
        let canvas = consumer(LmsKind::Canvas, None);
        assert!(canvas.is_open() && !canvas.is_shared(), "web services have no issuer");
        let lti = Registration {
            client_id: "c".into(),
            deployments: Vec::new(),
            auth_url: String::new(),
            token_url: String::new(),
            token_audience: None,
            jwks_url: String::new(),
            frame_ancestors: Vec::new(),
        };
        let with = |addresses: Addresses| ToolConsumer {
            lti: Some(lti.clone()),
            addresses,
            ..consumer(LmsKind::Lti, None)
        };
        assert!(!with(Addresses::UNPROVEN).is_open());
        assert!(with(Addresses::by_operator()).is_open());
        assert!(with(Addresses::Shared).is_open() && with(Addresses::Shared).is_shared());
        assert!(!ToolConsumer { enabled: false, ..with(Addresses::by_operator()) }.is_open());
        for proof in [IssuerProof::Operator, IssuerProof::Configuration("https://x/y".into())] {
            assert_eq!(IssuerProof::parse(proof.text()), proof);
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
