//! A valid phone number, in E.164.

mod zones;

use jiff::tz::TimeZone;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType};

use super::countries::Country;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneNumber(String);

impl PhoneNumber {
    /// Requires the leading plus and country code. Allows spaces, hyphens, dots and parentheses between the digits.
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

    /// A number from the database. It is not validated again: its numbering plan may have changed since.
    pub fn stored(e164: &str) -> Self {
        Self(e164.to_owned())
    }

    pub fn e164(&self) -> &str {
        &self.0
    }

    /// For logs: all digits except the last two are masked.
    pub fn masked(&self) -> String {
        let shown = self.0.len().saturating_sub(2);
        self.0.char_indices().map(|(at, c)| if at < shown && c != '+' { '*' } else { c }).collect()
    }

    /// The country of its numbering plan. Satellite phones and the like have none.
    pub fn country(&self) -> Option<Country> {
        let number = PHONE_NUMBER_UTIL.parse(&self.0, None).ok()?;
        Country::of(PHONE_NUMBER_UTIL.get_region_for_number(&number)?)
    }

    /// Whether calling it costs a surcharge. Fraudsters give such numbers to services that call back (toll fraud).
    ///
    /// These are premium-rate numbers (+1 900, +44 909, +979), shared-cost numbers, personal numbers and pagers (+44 70 and
    /// +44 76 cost as much as premium-rate numbers), and all numbers without a country, such as satellite phones, except
    /// toll-free ones (+800). Company (UAN) and voice mail numbers cost the same as ordinary ones. A number that no plan knows
    /// any longer may be anything, so it counts as costly too.
    pub fn is_costly(&self) -> bool {
        use PhoneNumberType::{Pager, PersonalNumber, PremiumRate, SharedCost, TollFree, Unknown};
        let Ok(number) = PHONE_NUMBER_UTIL.parse(&self.0, None) else { return true };
        match PHONE_NUMBER_UTIL.get_number_type(&number) {
            PremiumRate | SharedCost | PersonalNumber | Pager | Unknown => true,
            TollFree => false,
            _ => self.country().is_none(),
        }
    }

    /// Does it belong to an area? Most mobile numbers outside North America belong to a whole country.
    pub fn is_geographic(&self) -> bool {
        PHONE_NUMBER_UTIL
            .parse(&self.0, None)
            .is_ok_and(|number| PHONE_NUMBER_UTIL.is_number_geographical(&number))
    }

    /// All time zones in which the phone may be; UTC if unknown.
    ///
    /// A geographic number has the zones of its area. A non-geographic one, like most mobile numbers outside North America, has
    /// all zones of its country. A country that shares a calling code with a larger one (Jamaica with the United States,
    /// Kazakhstan with Russia) has its own prefixes, which determine its zones.
    pub fn time_zones(&self) -> Vec<TimeZone> {
        let mut zones: Vec<TimeZone> =
            self.zone_names().into_iter().filter_map(|name| TimeZone::get(name).ok()).collect();
        if zones.is_empty() {
            zones.push(TimeZone::UTC);
        }
        zones
    }

    fn zone_names(&self) -> Vec<&'static str> {
        let digits = &self.0[1..];
        let Ok(number) = PHONE_NUMBER_UTIL.parse(&self.0, None) else { return Vec::new() };
        let main = PHONE_NUMBER_UTIL.get_region_for_country_code(number.country_code);
        let of_main = main == PHONE_NUMBER_UTIL.get_region_for_number(&number);
        if of_main && !PHONE_NUMBER_UTIL.is_number_geographical(&number) {
            return zones::of(&number.country_code.to_string());
        }
        zones::of(digits)
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

    #[test]
    fn logs_see_the_last_two_digits() {
        let number = PhoneNumber::parse("+12025550123").expect("a number");
        assert_eq!(number.masked(), "+*********23");
    }

    #[test]
    fn numbers_that_cost_more_than_a_call_are_known() {
        for costly in [
            "+19002345678",
            "+979123456789",
            "+449098790000",
            "+448431234567",
            "+447012345678",
            "+447640123456",
            "+80812345678",
            "+878101234567890",
            "+870773111632",
            "+881612345678",
            "+33891123456",
        ] {
            assert!(PhoneNumber::parse(costly).unwrap_or_else(|| panic!("{costly}")).is_costly(), "{costly}");
        }
        for usual in [
            "+12025550123",
            "+18002345678",
            "+80012345678",
            "+442079460958",
            "+447400123456",
            "+353850123456",
            "+33612345678",
            "+81312345678",
            "+5511961234567",
        ] {
            assert!(!PhoneNumber::parse(usual).unwrap_or_else(|| panic!("{usual}")).is_costly(), "{usual}");
        }
        assert!(PhoneNumber::stored("+999123").is_costly(), "of no plan");
    }

    /// Numbers of every country and kind, with libphonenumber's own results.
    const EXAMPLES: &str = include_str!("../../assets/phone/time-zones.examples.txt");

    #[test]
    fn countries_and_time_zones_are_those_of_libphonenumber() {
        let mut seen = 0;
        for line in EXAMPLES.lines().filter(|line| !line.starts_with('#')) {
            let [e164, country, zones] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let number = PhoneNumber::parse(e164).unwrap_or_else(|| panic!("{e164} is a number"));
            let found = number.country().map_or("001".to_owned(), |country| country.to_string());
            assert_eq!(found, country, "{e164}");
            let names = number.zone_names().join(",");
            assert_eq!(if names.is_empty() { "Etc/Unknown" } else { &names }, zones, "{e164}");
            assert!(!number.time_zones().is_empty());
            seen += 1;
        }
        assert!(seen > 1_000, "{seen}");
    }

    #[test]
    fn a_number_that_moves_has_all_zones_of_its_country() {
        let zones = |given| {
            let zones = PhoneNumber::parse(given).expect("a number").time_zones();
            zones.iter().map(|zone| zone.iana_name().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(zones("+14165550123"), ["America/Toronto"]);
        assert_eq!(zones("+61 2 9374 4000"), ["Australia/Sydney"]);
        assert!(zones("+61412345678").contains(&"Australia/Perth".to_owned()));
        assert!(zones("+79123456789").contains(&"Asia/Vladivostok".to_owned()));
        assert_eq!(zones("+18762101234"), ["America/Jamaica"]);
        assert_eq!(zones("+870773111632"), ["UTC"], "a satellite phone");
    }
}
