//! A phone number that a numbering plan really has, in E.164.

mod zones;

use jiff::tz::TimeZone;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType};

use super::countries::Country;

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

    /// One that passed once, from the database: a plan may have changed since.
    pub fn stored(e164: &str) -> Self {
        Self(e164.to_owned())
    }

    pub fn e164(&self) -> &str {
        &self.0
    }

    /// For logs: all digits but the last two are stars.
    pub fn masked(&self) -> String {
        let shown = self.0.len().saturating_sub(2);
        self.0.char_indices().map(|(at, c)| if at < shown && c != '+' { '*' } else { c }).collect()
    }

    /// Whose numbering plan it is in. Satellite phones and the like have none.
    pub fn country(&self) -> Option<Country> {
        let number = PHONE_NUMBER_UTIL.parse(&self.0, None).ok()?;
        Country::of(PHONE_NUMBER_UTIL.get_region_for_number(&number)?)
    }

    /// Does whoever calls it pay more than for a call? Swindlers hand such numbers to services that call back.
    ///
    /// Those are the ones that earn by being called (+1 900, +44 909, +979), those that share their cost, personal numbers
    /// and pagers (+44 70 and +44 76 cost as much as the first kind), and all that belong to no country, as satellite
    /// phones do, but for the free ones (+800). The numbers of companies and of voice mail cost what others cost. One that
    /// no plan knows any more may be anything, so it is costly too.
    pub fn is_costly(&self) -> bool {
        use PhoneNumberType::{Pager, PersonalNumber, PremiumRate, SharedCost, TollFree, Unknown};
        let Ok(number) = PHONE_NUMBER_UTIL.parse(&self.0, None) else { return true };
        match PHONE_NUMBER_UTIL.get_number_type(&number) {
            PremiumRate | SharedCost | PersonalNumber | Pager | Unknown => true,
            TollFree => false,
            _ => self.country().is_none(),
        }
    }

    /// Every time zone in which it may ring; UTC where nobody knows.
    ///
    /// A number that belongs to a place has the zones of that place. One that does not, as most mobile numbers outside
    /// North America, has all the zones of its country. A country that shares a calling code with a larger one (Jamaica
    /// with the United States, Kazakhstan with Russia) has prefixes of its own, and they tell its zones.
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

    /// Numbers of every country and kind, with what libphonenumber itself says of them.
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
