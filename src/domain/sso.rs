//! Single sign-on through the OpenID provider of an institution: the connection, and the rules for what the provider claims about a
//! person.

use std::time::Duration;

use serde_json::Value;
use url::{Host, Url};

use super::{
    address::is_printable,
    email::Email,
    ids::{InstitutionId, SsoConnectionId},
    moment::Moment,
    text,
};

/// How long a person may take to sign in at the provider.
pub const LIFE: Duration = Duration::from_secs(10 * 60);
/// Allowed clock skew.
const LEEWAY_SECONDS: i64 = 60;
/// The maximum age of an ID token. Providers issue one per sign-in.
const OLDEST_SECONDS: i64 = 3_600;

/// An institution's connection to its provider. The same issuer in two institutions is two connections.
#[derive(Debug, Clone)]
pub struct Connection {
    pub institution: InstitutionId,
    pub id: SsoConnectionId,
    /// Shown on the sign-in page: "Sign in with {name}".
    pub name: String,
    pub issuer: String,
    pub client_id: String,
    /// Encrypted, as stored.
    pub sealed_client_secret: String,
    /// The domains of emails that are accepted; empty for all.
    pub domains: Vec<DomainPattern>,
    /// The tenant of the provider that people must belong to: `tid` of Microsoft Entra, `hd` of Google.
    pub tenant: Option<String>,
    /// Somebody has said that every account of the provider may sign in. Without that, new connections have domains or a tenant; those of
    /// earlier versions may have neither.
    pub any_account: bool,
    /// The operator vouches that the provider controls the emails in `domains`, so `email_verified` is not required.
    pub trusts_unverified_email: bool,
    /// What is asked of the provider, besides `openid`; empty for the email alone.
    pub scopes: Vec<ScopeToken>,
    pub created_at: Moment,
}

/// Who must sign in through the provider of the institution, or its proxy. They get neither a code nor a link by mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SsoOnly {
    #[default]
    Off,
    /// Whoever has a role.
    Members,
    Everybody,
}

impl SsoOnly {
    pub const ALL: [Self; 3] = [Self::Off, Self::Members, Self::Everybody];
    pub const WORDS: [&'static str; 3] = ["off", "members", "everybody"];

    /// The value in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Members => "members",
            Self::Everybody => "everybody",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }
}

/// The path of a redirect URI, to which providers send people back. Institutions do not share it: the provider of one could otherwise
/// have the codes of another redeemed at itself (mix-up attack). One institution has the short path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectPath {
    Short,
    Of(InstitutionId),
}

impl RedirectPath {
    /// `short`: the institution that has the short path.
    pub fn new(institution: InstitutionId, short: Option<InstitutionId>) -> Self {
        if short.is_none_or(|short| short == institution) { Self::Short } else { Self::Of(institution) }
    }
}

impl std::fmt::Display for RedirectPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Short => f.write_str("/sso/callback"),
            Self::Of(institution) => write!(f, "/sso/callback/{institution}"),
        }
    }
}

impl Connection {
    /// Decides whether a person may use the email that the provider claims for them.
    pub fn accept(&self, claim: &EmailClaim) -> Result<Email, ClaimFault> {
        let email = claim.email.as_deref().and_then(Email::parse).ok_or(ClaimFault::NoEmail)?;
        if email.is_lookalike() {
            return Err(ClaimFault::Lookalike);
        }
        if !claim.is_verified && !self.trusts_unverified_email {
            return Err(ClaimFault::UnverifiedEmail);
        }
        if !self.domains.is_empty() && !self.domains.iter().any(|domain| domain.matches(&email)) {
            return Err(ClaimFault::EmailDomain(email));
        }
        Ok(email)
    }

    /// Does it know which accounts of the provider are people of the institution?
    pub fn is_bounded(&self) -> bool {
        !self.domains.is_empty() || self.tenant.is_some()
    }

    /// Does the institution itself say through this connection who somebody is? If every account of the provider may sign in, it says
    /// only which address somebody has.
    pub fn vouches(&self) -> bool {
        self.is_bounded() && !self.any_account
    }

    /// Whether the account belongs to the tenant, if one is named. `claims` are those of the ID token.
    pub fn check_tenant(&self, claims: &Value) -> Result<(), ClaimFault> {
        let Some(tenant) = &self.tenant else { return Ok(()) };
        let claimed = TENANT_CLAIMS.into_iter().map(|name| &claims[name]).find(|claim| !claim.is_null());
        let is_own = claimed.and_then(Value::as_str).is_some_and(|one| one.eq_ignore_ascii_case(tenant));
        if is_own { Ok(()) } else { Err(ClaimFault::Tenant) }
    }

    /// The scopes of a sign-in. `offered` are those that the provider lists. Some providers name the groups of a person only if they are
    /// asked for them: they are if a group has a role.
    pub fn scope(&self, has_groups: bool, offered: &[String]) -> String {
        let mut all = vec![OPENID];
        match self.scopes.is_empty() {
            true => all.push(EMAIL),
            false => all.extend(self.scopes.iter().map(ScopeToken::as_str).filter(|one| *one != OPENID)),
        }
        if has_groups && offered.iter().any(|one| one == GROUPS) && !all.contains(&GROUPS) {
            all.push(GROUPS);
        }
        all.join(" ")
    }

    /// Does it refuse people whom it accepted before a change, or does it speak for another client? Then the sessions of before end.
    pub fn is_stricter_than(&self, before: &Self) -> bool {
        let is_dropped = |domain: &DomainPattern| !self.domains.contains(domain);
        let is_narrower =
            !self.domains.is_empty() && (before.domains.is_empty() || before.domains.iter().any(is_dropped));
        let is_less_trusting = before.trusts_unverified_email && !self.trusts_unverified_email;
        let is_other_tenant = self.tenant.is_some() && self.tenant != before.tenant;
        is_narrower || is_other_tenant || is_less_trusting || self.client_id != before.client_id
    }

    /// Does the claim lack something that the UserInfo endpoint may have?
    pub fn needs_more_than(&self, claim: &EmailClaim) -> bool {
        claim.email.is_none() || !(claim.is_verified || self.trusts_unverified_email)
    }
}

const OPENID: &str = "openid";
const EMAIL: &str = "email";
const GROUPS: &str = "groups";

/// The claims that name a tenant: of Microsoft Entra, and of Google. The first one that is there counts.
const TENANT_CLAIMS: [&str; 2] = ["tid", "hd"];

/// One scope (RFC 6749, 3.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeToken(String);

impl ScopeToken {
    const LONGEST: usize = 200;
    /// In a connection.
    pub const MOST: usize = 50;

    pub fn parse(given: &str) -> Option<Self> {
        let is_valid = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
        let fits = !given.is_empty() && given.len() <= Self::LONGEST;
        (fits && given.bytes().all(is_valid)).then(|| Self(given.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `example.edu`, or `*.example.edu` for all of its subdomains, but not the domain itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainPattern {
    domain: String,
    is_wildcard: bool,
}

impl DomainPattern {
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim();
        let (domain, is_wildcard) = match given.strip_prefix("*.") {
            Some(domain) => (domain, true),
            None => (given, false),
        };
        // The same rules and the same canonical form as for an email.
        let email = Email::parse(&format!("x@{domain}"))?;
        let (_, domain) = email.key().rsplit_once('@')?;
        Some(Self { domain: domain.to_owned(), is_wildcard })
    }

    /// The entries of a list (`text::entries`), which may be separated by spaces, too. They are not parsed yet.
    pub fn split_list(given: &str) -> Vec<String> {
        text::entries(given).flat_map(str::split_whitespace).map(str::to_owned).collect()
    }

    pub(super) fn matches(&self, email: &Email) -> bool {
        let Some((_, domain)) = email.key().rsplit_once('@') else { return false };
        if !self.is_wildcard {
            return domain == self.domain;
        }
        domain.strip_suffix(&self.domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

impl std::fmt::Display for DomainPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.is_wildcard { "*." } else { "" }, self.domain)
    }
}

/// Whether a URL of a provider is safe to use: https, or plain http on this machine. No credentials, no fragment.
pub fn is_secure(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => return false,
    };
    let is_bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    is_printable(address) && is_bare && (url.scheme() == "https" || (url.scheme() == "http" && is_local))
}

/// An issuer is a secure URL without a query. It is compared to the letter, so it is not normalized.
pub fn is_issuer(address: &str) -> bool {
    is_secure(address) && !address.contains(['?', '#']) && address.trim() == address
}

/// The host of an issuer, for a connection without a name.
pub fn host_of(issuer: &str) -> Option<String> {
    Url::parse(issuer).ok()?.host_str().map(str::to_owned)
}

/// The expected values of an ID token's claims.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    pub now: Moment,
}

/// What is wrong with the claims of a correctly signed token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClaimFault {
    #[error("the token is from another issuer")]
    Issuer,
    #[error("the token is for another client")]
    Audience,
    #[error("the azp of the token is missing or another client")]
    AuthorizedParty,
    #[error("the token has expired")]
    Expired,
    #[error("the token was issued too long ago, in the future, or without a time")]
    IssuedAt,
    #[error("the nonce of the token is not the one of the request")]
    Nonce,
    #[error("the token has no subject")]
    Subject,
    #[error("the UserInfo endpoint returned another subject than the token")]
    OtherSubject,
    #[error("neither the token nor the UserInfo endpoint has an email")]
    NoEmail,
    #[error(
        "the email is not verified (email_verified is false or missing); if the provider controls all addresses of the domains, \
         set --trust-unverified-email"
    )]
    UnverifiedEmail,
    #[error(
        "a character of the email only folds to ASCII, like the Kelvin sign: the address that it matches is another mailbox"
    )]
    Lookalike,
    #[error(
        "the account belongs to another tenant, or the token names none (tid of Microsoft Entra, hd of Google)"
    )]
    Tenant,
    /// Carries the email for the page; the log omits it.
    #[error("the domain of the email is not one of the accepted domains")]
    EmailDomain(Email),
}

/// Validates the claims of an ID token (OpenID Connect Core, 3.1.3.7) and returns the subject.
pub fn subject(claims: &Value, expected: &Expected<'_>) -> Result<String, ClaimFault> {
    if claims["iss"].as_str() != Some(expected.issuer) {
        return Err(ClaimFault::Issuer);
    }
    let is_client = |claim: &Value| claim.as_str() == Some(expected.client_id);
    let audiences = match &claims["aud"] {
        Value::Array(all) => all.as_slice(),
        one => std::slice::from_ref(one),
    };
    if !audiences.iter().any(is_client) {
        return Err(ClaimFault::Audience);
    }
    let party = &claims["azp"];
    if (audiences.len() > 1 || !party.is_null()) && !is_client(party) {
        return Err(ClaimFault::AuthorizedParty);
    }
    let now = expected.now.micros() / 1_000_000;
    if seconds(&claims["exp"]).is_none_or(|expiry| expiry + LEEWAY_SECONDS <= now) {
        return Err(ClaimFault::Expired);
    }
    let is_recent = |issued: i64| issued <= now + LEEWAY_SECONDS && issued >= now - OLDEST_SECONDS;
    if !seconds(&claims["iat"]).is_some_and(is_recent) {
        return Err(ClaimFault::IssuedAt);
    }
    if claims["nonce"].as_str() != Some(expected.nonce) {
        return Err(ClaimFault::Nonce);
    }
    let subject = claims["sub"].as_str().filter(|subject| !subject.is_empty());
    subject.map(str::to_owned).ok_or(ClaimFault::Subject)
}

/// When the person has proven to the provider who they are (`auth_time`). `None` if the token does not say it in a believable way: then
/// it may have been long ago.
pub fn authenticated_at(claims: &Value, now: Moment) -> Option<Moment> {
    let at = seconds(&claims["auth_time"])?;
    let is_past = at <= now.micros() / 1_000_000 + LEEWAY_SECONDS;
    is_past.then(|| Moment::from_micros(at * 1_000_000).min(now))
}

/// A time claim. Some providers send fractions. Times beyond any calendar are refused.
fn seconds(claim: &Value) -> Option<i64> {
    let seconds = claim.as_i64().or_else(|| claim.as_f64().map(|seconds| seconds as i64))?;
    (0..1 << 40).contains(&seconds).then_some(seconds)
}

/// What the provider claims about a person's email, in the ID token or at the UserInfo endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailClaim {
    pub email: Option<String>,
    pub is_verified: bool,
}

impl EmailClaim {
    /// Some providers send `email_verified` as text.
    pub fn of(claims: &Value) -> Self {
        let verified = &claims["email_verified"];
        Self {
            email: claims["email"].as_str().filter(|email| !email.trim().is_empty()).map(str::to_owned),
            is_verified: verified.as_bool() == Some(true) || verified.as_str() == Some("true"),
        }
    }

    /// The claim of the UserInfo endpoint, which must be about the same subject.
    pub fn of_user_info(claims: &Value, subject: &str) -> Result<Self, ClaimFault> {
        if claims["sub"].as_str() == Some(subject) {
            Ok(Self::of(claims))
        } else {
            Err(ClaimFault::OtherSubject)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn claims() -> Value {
        json!({
            "iss": "https://id.example.edu", "aud": "endonym", "sub": "u7", "nonce": "n",
            "iat": NOW - 5, "exp": NOW + 300,
        })
    }

    fn check(claims: &Value) -> Result<String, ClaimFault> {
        let now = Moment::from_micros(NOW * 1_000_000);
        subject(claims, &Expected { issuer: "https://id.example.edu", client_id: "endonym", nonce: "n", now })
    }

    fn with(change: Value) -> Value {
        let mut all = claims();
        all.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        all
    }

    #[test]
    fn a_token_for_us_is_accepted() {
        for good in [
            json!({}),
            json!({ "aud": ["endonym"] }),
            json!({ "aud": ["endonym", "other"], "azp": "endonym" }),
            json!({ "azp": "endonym" }),
            json!({ "exp": NOW - 59 }),
            json!({ "iat": NOW + 60 }),
            json!({ "exp": NOW as f64 + 0.5 }),
        ] {
            assert_eq!(check(&with(good.clone())), Ok("u7".into()), "{good}");
        }
    }

    #[test]
    fn every_claim_is_checked() {
        for (bad, fault) in [
            (json!({ "iss": "https://id.example.edu/" }), ClaimFault::Issuer),
            (json!({ "iss": null }), ClaimFault::Issuer),
            (json!({ "aud": "other" }), ClaimFault::Audience),
            (json!({ "aud": [] }), ClaimFault::Audience),
            (json!({ "aud": null }), ClaimFault::Audience),
            (json!({ "aud": ["endonym", "other"] }), ClaimFault::AuthorizedParty),
            (json!({ "aud": ["endonym", "other"], "azp": "other" }), ClaimFault::AuthorizedParty),
            (json!({ "azp": "other" }), ClaimFault::AuthorizedParty),
            (json!({ "exp": NOW - 60 }), ClaimFault::Expired),
            (json!({ "exp": null }), ClaimFault::Expired),
            (json!({ "exp": "soon" }), ClaimFault::Expired),
            (json!({ "exp": i64::MAX }), ClaimFault::Expired),
            (json!({ "iat": NOW + 61 }), ClaimFault::IssuedAt),
            (json!({ "iat": NOW - 3_601 }), ClaimFault::IssuedAt),
            (json!({ "iat": null }), ClaimFault::IssuedAt),
            (json!({ "nonce": "m" }), ClaimFault::Nonce),
            (json!({ "nonce": null }), ClaimFault::Nonce),
            (json!({ "sub": "" }), ClaimFault::Subject),
            (json!({ "sub": null }), ClaimFault::Subject),
        ] {
            assert_eq!(check(&with(bad.clone())), Err(fault), "{bad}");
        }
    }

    #[test]
    fn a_time_of_authentication_is_believed_if_it_can_be_true() {
        let now = Moment::from_micros(NOW * 1_000_000);
        let of = |time: Value| authenticated_at(&json!({ "auth_time": time }), now);
        let ago = |seconds: i64| Some(Moment::from_micros((NOW - seconds) * 1_000_000));
        for (time, believed) in [
            (json!(NOW), ago(0)),
            (json!(NOW - 86_400), ago(86_400)),
            (json!(NOW as f64 - 59.5), ago(60)),
            // The provider's clock may be ahead. That does not make anything fresh for longer.
            (json!(NOW + 60), ago(0)),
            (json!(NOW + 61), None),
            (json!(i64::MAX), None),
            (json!(-1), None),
            (json!(NOW.to_string()), None),
            (json!(true), None),
            (json!([NOW]), None),
            (json!(null), None),
        ] {
            assert_eq!(of(time.clone()), believed, "{time}");
        }
        assert_eq!(authenticated_at(&json!({}), now), None);
    }

    fn connection(domains: &[&str], trusts_unverified_email: bool) -> Connection {
        Connection {
            institution: InstitutionId::new(1),
            id: SsoConnectionId::new(2),
            name: "Campus".into(),
            issuer: "https://id.example.edu".into(),
            client_id: "endonym".into(),
            sealed_client_secret: String::new(),
            domains: domains.iter().map(|domain| DomainPattern::parse(domain).unwrap()).collect(),
            tenant: None,
            any_account: false,
            trusts_unverified_email,
            scopes: Vec::new(),
            created_at: Moment::from_micros(0),
        }
    }

    #[test]
    fn only_a_connection_that_knows_whose_accounts_they_are_vouches_for_them() {
        let tenant = |tenant: &str| Connection { tenant: Some(tenant.into()), ..connection(&[], false) };
        assert!(!connection(&[], false).vouches());
        assert!(!Connection { any_account: true, ..connection(&[], false) }.vouches());
        assert!(connection(&["example.edu"], false).vouches() && tenant("t-1").vouches());
        assert!(!Connection { any_account: true, ..connection(&["example.edu"], false) }.vouches());
    }

    #[test]
    fn an_account_of_another_tenant_is_refused() {
        let own = Connection { tenant: Some("5c6b-Tenant".into()), ..connection(&[], false) };
        for (claims, is_own) in [
            (json!({ "tid": "5c6b-tenant" }), true),
            (json!({ "hd": "5c6b-tenant" }), true),
            (json!({ "tid": "5c6b-tenant", "hd": "other" }), true),
            (json!({ "tid": "other", "hd": "5c6b-tenant" }), false),
            (json!({ "tid": null, "hd": null }), false),
            (json!({ "tid": ["5c6b-tenant"] }), false),
            (json!({ "tid": "" }), false),
            (json!({ "tid": "5c6b-tenant " }), false),
            (json!({}), false),
        ] {
            assert_eq!(own.check_tenant(&claims).is_ok(), is_own, "{claims}");
            assert!(connection(&[], false).check_tenant(&claims).is_ok());
        }
    }

    #[test]
    fn groups_are_asked_for_where_they_are_needed_and_offered() {
        let offered = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
        let of = |given: &[&str], has_groups: bool, listed: &[&str]| {
            let scopes = given.iter().map(|one| ScopeToken::parse(one).unwrap()).collect();
            Connection { scopes, ..connection(&[], false) }.scope(has_groups, &offered(listed))
        };
        let all = ["openid", "email", "groups"];
        assert_eq!(of(&[], false, &all), "openid email");
        assert_eq!(of(&[], true, &all), "openid email groups");
        assert_eq!(of(&[], true, &["openid", "email"]), "openid email");
        assert_eq!(of(&["email", "profile"], true, &all), "openid email profile groups");
        assert_eq!(of(&["groups", "openid", "email"], true, &all), "openid groups email");
        assert_eq!(of(&["groups"], false, &[]), "openid groups");
        for bad in ["", " ", "a b", "a\"b", "a\\b", "é", "a\n", &"a".repeat(300)] {
            assert_eq!(ScopeToken::parse(bad), None, "{bad:?}");
        }
        assert_eq!(ScopeToken::parse("https://a.example/x").unwrap().as_str(), "https://a.example/x");
    }

    #[test]
    fn an_email_counts_if_it_is_verified() {
        let accept = |claims: Value, trusts: bool| connection(&[], trusts).accept(&EmailClaim::of(&claims));
        for verified in [json!(true), json!("true")] {
            let claims = json!({ "email": "Ana@Example.edu", "email_verified": verified });
            assert_eq!(accept(claims, false).unwrap().key(), "ana@example.edu");
        }
        for unverified in [json!(false), json!("false"), json!(null), json!(1), json!("True ")] {
            let claims = json!({ "email": "ana@example.edu", "email_verified": unverified });
            assert_eq!(accept(claims.clone(), false), Err(ClaimFault::UnverifiedEmail), "{claims}");
            assert!(accept(claims, true).is_ok());
        }
        for none in [json!({}), json!({ "email": " " }), json!({ "email": "ana" }), json!({ "email": 7 })] {
            assert_eq!(accept(none, true), Err(ClaimFault::NoEmail));
        }
    }

    #[test]
    fn domains_are_listed_with_spaces_and_the_commas_of_any_keyboard() {
        for comma in [",", " ", "\n", "\r\n", "\t", ";", "،", "，", "、", " , ", "\u{3000}"] {
            let given = format!("example.edu{comma}*.example.org{comma}");
            assert_eq!(DomainPattern::split_list(&given), ["example.edu", "*.example.org"], "{comma:?}");
        }
        assert!(DomainPattern::split_list(" ،\n").is_empty());
    }

    #[test]
    fn an_email_must_be_in_an_accepted_domain() {
        let connection = connection(&["Example.edu", "*.b.org"], false);
        let accepts = |email: &str| {
            let claim = EmailClaim { email: Some(email.to_owned()), is_verified: true };
            connection.accept(&claim).is_ok()
        };
        for good in ["a@example.edu", "a@EXAMPLE.EDU", "a@x.b.org", "a@y.x.b.org"] {
            assert!(accepts(good), "{good}");
        }
        for bad in [
            "a@x.example.edu",
            "a@b.org",
            "a@xb.org",
            "a@example.edu.evil.com",
            "example.edu@evil.com",
            "a@evilexample.edu",
        ] {
            assert!(!accepts(bad), "{bad}");
        }
        for bad in ["", "*", "*.", "a b.edu", "@a.edu", "*.*.edu", "a@b.edu", "a..edu"] {
            assert_eq!(DomainPattern::parse(bad), None, "{bad}");
        }
        assert_eq!(DomainPattern::parse(" *.B.org ").unwrap().to_string(), "*.b.org");
    }

    /// The mailbox with the Kelvin sign is not Kim's.
    #[test]
    fn an_email_that_only_folds_to_another_one_is_refused() {
        let accept = |email: &str| {
            let claim = EmailClaim { email: Some(email.to_owned()), is_verified: true };
            connection(&["example.edu"], true).accept(&claim)
        };
        assert_eq!(accept("kim@example.edu").unwrap().key(), "kim@example.edu");
        assert_eq!(accept("\u{212a}im@example.edu"), Err(ClaimFault::Lookalike));
        assert!(accept("r\u{e9}ne@example.edu").is_ok());
    }

    #[test]
    fn a_connection_that_accepts_fewer_people_is_stricter() {
        let of = |domains: &[&str], trusts: bool| connection(domains, trusts);
        for (before, after, is_stricter) in [
            (of(&[], false), of(&[], false), false),
            (of(&[], false), of(&["a.edu"], false), true),
            (of(&["a.edu"], false), of(&[], false), false),
            (of(&["a.edu"], false), of(&["b.edu", "a.edu"], false), false),
            (of(&["a.edu", "b.edu"], false), of(&["a.edu"], false), true),
            (of(&["a.edu"], false), of(&["*.a.edu"], false), true),
            (of(&["a.edu"], true), of(&["a.edu"], false), true),
            (of(&["a.edu"], false), of(&["a.edu"], true), false),
        ] {
            assert_eq!(after.is_stricter_than(&before), is_stricter, "{before:?} {after:?}");
        }
        let of_tenant = |tenant: &str| Connection { tenant: Some(tenant.into()), ..of(&[], false) };
        assert!(of_tenant("a").is_stricter_than(&of(&[], false)));
        assert!(of_tenant("a").is_stricter_than(&of_tenant("b")));
        assert!(!of_tenant("a").is_stricter_than(&of_tenant("a")));
        assert!(!of(&[], false).is_stricter_than(&of_tenant("a")));
        let other_client = Connection { client_id: "other".into(), ..of(&[], false) };
        assert!(other_client.is_stricter_than(&of(&[], false)));
        let renamed = Connection { name: "Login".into(), ..of(&[], false) };
        assert!(!renamed.is_stricter_than(&of(&[], false)));
    }

    #[test]
    fn the_user_info_must_be_about_the_same_subject() {
        let info = json!({ "sub": "u7", "email": "a@example.edu", "email_verified": true });
        assert!(EmailClaim::of_user_info(&info, "u7").unwrap().is_verified);
        assert_eq!(EmailClaim::of_user_info(&info, "u8"), Err(ClaimFault::OtherSubject));
        assert_eq!(EmailClaim::of_user_info(&json!({}), "u7"), Err(ClaimFault::OtherSubject));
    }

    #[test]
    fn an_issuer_is_https_or_on_this_machine() {
        for good in [
            "https://id.example.edu",
            "https://id.example.edu/tenant/",
            "http://127.0.0.1:9400",
            "http://localhost:9400/x",
            "http://[::1]:9400",
        ] {
            assert!(is_issuer(good), "{good}");
        }
        for bad in [
            "",
            "id.example.edu",
            "http://id.example.edu",
            "http://127.0.0.1.evil.example",
            "https://a:b@id.example.edu",
            "https://id.example.edu?x",
            "https://id.example.edu#x",
            "https://id.example.edu ",
            "https://id.exam\nple.edu",
            "ftp://id.example.edu",
            "javascript:alert(1)",
        ] {
            assert!(!is_issuer(bad), "{bad}");
        }
    }
}
