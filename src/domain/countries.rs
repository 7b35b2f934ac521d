//! Countries of numbering plans, as two-letter ISO 3166 codes: `US`, `CA`, `IE`.

use std::fmt;

use rlibphonenumber::{PHONE_NUMBER_UTIL, Region};

use super::phone_number::PhoneNumber;

/// A country that has phone numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Country(Region);

impl Country {
    pub fn parse(code: &str) -> Option<Self> {
        let region = Region::from_code(code).ok()?;
        PHONE_NUMBER_UTIL.get_country_code_for_region(region)?;
        Self::of(region)
    }

    pub(super) fn of(region: Region) -> Option<Self> {
        (region != Region::World).then_some(Self(region))
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The countries that may be called. An empty list allows all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Countries(Vec<Country>);

impl Countries {
    /// Parses `US,CA,IE`, or an empty list. The error is a message for the operator.
    pub fn parse(given: &str) -> Result<Self, String> {
        let codes = given.split([',', ' ']).filter(|code| !code.is_empty());
        let countries = codes.map(|code| {
            Country::parse(code).ok_or_else(|| {
                format!("`{code}` is not a country: write two letters for each, like US,CA,IE")
            })
        });
        countries.collect::<Result<_, _>>().map(Self)
    }

    /// Their codes, like `US`.
    pub fn codes(&self) -> Vec<String> {
        self.0.iter().map(Country::to_string).collect()
    }

    pub fn allows(&self, number: &PhoneNumber) -> bool {
        self.0.is_empty() || number.country().is_some_and(|country| self.0.contains(&country))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(countries: &str, number: &str) -> bool {
        let number = PhoneNumber::parse(number).unwrap_or_else(|| panic!("{number} is a number"));
        Countries::parse(countries).expect("countries").allows(&number)
    }

    #[test]
    fn those_named_are_allowed_and_all_when_none_is() {
        assert!(allows("US", "+12025550123"));
        assert!(allows("us, ie", "+353850123456"));
        assert!(!allows("US,IE", "+442079460958"));
        for number in ["+12025550123", "+442079460958", "+870773111632"] {
            assert!(allows("", number), "{number}");
        }
        assert!(!allows("US", "+870773111632"), "of no country");
    }

    #[test]
    fn a_calling_code_is_not_a_country() {
        assert!(!allows("US", "+14165550123"), "Toronto");
        assert!(allows("CA", "+14165550123"));
        assert!(!allows("US,CA", "+18762101234"), "Kingston");
        assert!(allows("JM", "+18762101234"));
        assert!(!allows("RU", "+77710009998"), "Kazakhstan");
    }

    #[test]
    fn what_is_no_country_is_said() {
        for given in ["USA", "XX", "001", "US;CA", "+1", "U", "ÄÖ"] {
            assert!(Countries::parse(given).unwrap_err().contains(given), "{given}");
        }
    }
}
