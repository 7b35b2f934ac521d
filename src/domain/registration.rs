//! Who may register on a name page.

use super::{
    email::Email,
    name_page::{NamePage, code_key},
    page_settings::{PageSettings, Register},
};

/// Whether the rule of a page lets this email register, without an invitation. `code` is what the visitor has typed.
///
/// An address that only folds to ASCII is nobody's: it would be mistaken for another mailbox, at another domain.
pub fn may_register(page: &NamePage, settings: &PageSettings, email: &Email, code: Option<&str>) -> bool {
    !email.is_lookalike()
        && match settings.register {
            Register::Invited => false,
            Register::Domain => settings.has_domain_of(email),
            Register::Code => is_event_code(page, code),
            Register::Open => true,
        }
}

/// Whether somebody becomes a person of the institution by registering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registrant {
    Insider,
    /// They have registered themselves where everybody can, and nobody vouches for them. This stays so when the page gets another rule.
    Outsider,
}

impl Registrant {
    /// Somebody who registers themselves. `is_vouched`: the institution has invited or authenticated them, or lets them run the page.
    /// Where a code or a domain is needed, having it vouches for them.
    pub fn of(settings: &PageSettings, email: &Email, is_vouched: bool) -> Self {
        let is_open = settings.register == Register::Open;
        if is_open && !is_vouched && !settings.has_domain_of(email) { Self::Outsider } else { Self::Insider }
    }
}

/// Blanks and capital letters do not matter.
pub fn is_event_code(page: &NamePage, given: Option<&str>) -> bool {
    given.is_some_and(|given| code_key(given) == code_key(&page.event_code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ids::NamePageId, moment::Moment, page_settings::DomainPattern};

    fn page() -> NamePage {
        NamePage {
            id: NamePageId::new(1),
            title: "Class of 2027".into(),
            slug: "class-of-2027".into(),
            event_code: "R99EJJFY".into(),
            access_code: "secret".into(),
            allow_v2: false,
            created_at: Moment::from_micros(0),
        }
    }

    fn may(settings: &PageSettings, email: &str, code: Option<&str>) -> bool {
        may_register(&page(), settings, &Email::parse(email).unwrap(), code)
    }

    #[test]
    fn each_rule_admits_its_own_people() {
        let by = |register| PageSettings { register, ..PageSettings::default() };
        assert!(!may(&by(Register::Invited), "ana@example.edu", Some("R99EJJFY")));
        assert!(may(&by(Register::Open), "ana@example.org", None));
        for (code, admits) in [
            (Some("R99EJJFY"), true),
            (Some(" r99e jjfy "), true),
            (Some("secret"), false),
            (Some("class-of-2027"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(may(&by(Register::Code), "ana@example.edu", code), admits, "{code:?}");
        }
    }

    #[test]
    fn whoever_comes_where_everybody_can_is_an_outsider_unless_somebody_vouches_for_them() {
        let domains = vec![DomainPattern::parse("example.edu").unwrap()];
        for register in [Register::Invited, Register::Domain, Register::Code, Register::Open] {
            let settings = PageSettings { register, domains: domains.clone(), ..PageSettings::default() };
            let of = |email: &str, is_vouched| {
                Registrant::of(&settings, &Email::parse(email).unwrap(), is_vouched) == Registrant::Outsider
            };
            assert_eq!(of("ana@example.org", false), register == Register::Open, "{register:?}");
            assert!(!of("ana@example.org", true) && !of("ana@example.edu", false), "{register:?}");
        }
    }

    #[test]
    fn a_domain_is_not_fooled_by_its_neighbors() {
        let domains = ["example.edu", "*.example.org"].map(|one| DomainPattern::parse(one).unwrap()).to_vec();
        let settings = PageSettings { register: Register::Domain, domains, ..PageSettings::default() };
        for (email, admits) in [
            ("ana@example.edu", true),
            ("Ana@EXAMPLE.edu", true),
            ("ana@mail.example.org", true),
            ("ana@a.b.example.org", true),
            ("ana@example.org", false),
            ("ana@mail.example.edu", false),
            ("ana@example.edu.evil.example", false),
            ("ana@notexample.edu", false),
            ("ana@evilexample.org", false),
            ("example.edu@evil.example", false),
            // The last letters are not Latin, or fold to Latin ones.
            ("ana@ex\u{430}mple.edu", false),
            ("\u{212a}im@example.edu", false),
        ] {
            assert_eq!(may(&settings, email, None), admits, "{email}");
        }
    }
}
