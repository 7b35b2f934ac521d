//! A phone number that a numbering plan really has, in E.164.

use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneNumber(String);

impl PhoneNumber {
    /// Wants the leading plus and country code; blanks, hyphens, dots and brackets between the digits are allowed.
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim();
        let plain = given.strip_prefix('+')?;
        if !plain.chars().all(|c| c.is_ascii_digit() || " -.()\u{a0}".contains(c)) {
            return None;
        }
        let number = PHONE_NUMBER_UTIL.parse(given, None).ok()?;
        PHONE_NUMBER_UTIL
            .is_valid_number(&number)
            .then(|| Self(PHONE_NUMBER_UTIL.format(&number, PhoneNumberFormat::E164).into_owned()))
    }

    pub fn e164(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_real_plans_pass() {
        for (given, e164) in [
            ("+12025550123", "+12025550123"),
            ("+1 (202) 555-0123", "+12025550123"),
            ("+44 20 7946 0958", "+442079460958"),
            ("+353 85 012 3456", "+353850123456"),
        ] {
            assert_eq!(PhoneNumber::parse(given).as_ref().map(PhoneNumber::e164), Some(e164), "{given}");
        }
    }

    #[test]
    fn others_do_not() {
        for given in [
            "",
            "+",
            "2025550123",
            "+1202555012",
            "+999123456789",
            "+1202555012a",
            "tel:+12025550123",
            "00442079460958",
        ] {
            assert_eq!(PhoneNumber::parse(given), None, "{given}");
        }
    }
}
