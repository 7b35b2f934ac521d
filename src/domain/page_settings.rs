//! The settings of a name page: who may register and listen, what is asked of people, when it closes, and how long recordings
//! are kept.

use std::{collections::BTreeMap, time::Duration};

use jiff::{
    Span,
    civil::{Date, DateTime, Time},
    tz::TimeZone,
};
use url::Host;

pub use super::sso::DomainPattern;
use super::{
    custom_field::{self, CustomField},
    email::Email,
    moment::Moment,
};

/// The maximum length of a description, in characters.
pub const LONGEST_DESCRIPTION: usize = 10_000;
/// The maximum number of domains.
pub const MOST_DOMAINS: usize = 100;
/// A shorter recording could not contain a name.
pub const SHORTEST_TAKE: u32 = 3;
/// Ten years.
pub const MOST_DAYS: u32 = 3_650;
/// How long before their recordings are deleted people are told.
pub const NOTICE: Duration = Duration::from_secs(14 * 24 * 3_600);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageSettings {
    pub description: Option<String>,
    /// The day of the ceremony, or of the first lecture.
    pub date: Option<Date>,
    pub register: Register,
    /// Whose emails may register, with `Register::Domain`.
    pub domains: Vec<DomainPattern>,
    pub listen: Listen,
    pub moderation: Moderation,
    /// No recordings are taken from this time on.
    pub closes_at: Option<Moment>,
    pub asked: Asked,
    /// The longest recording; `None` for the installation's limit.
    pub take_seconds: Option<u32>,
    /// Recordings are deleted so many days after `date`.
    pub delete_after_days: Option<u32>,
    /// When people began to be told about that.
    pub announced_at: Option<Moment>,
    /// An archived page is read-only, and listed nowhere.
    pub archived_at: Option<Moment>,
}

/// Whether a page takes registrations and recordings from people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageState {
    Open,
    /// The closing time has passed.
    Closed,
    Archived,
}

impl PageSettings {
    pub fn state(&self, now: Moment) -> PageState {
        if self.archived_at.is_some() {
            PageState::Archived
        } else if self.closes_at.is_some_and(|closes_at| closes_at <= now) {
            PageState::Closed
        } else {
            PageState::Open
        }
    }

    pub fn is_archived(&self) -> bool {
        self.archived_at.is_some()
    }

    /// Whether this email is in one of the domains.
    pub fn has_domain_of(&self, email: &Email) -> bool {
        in_domains(&self.domains, email)
    }

    /// When recordings are deleted: as the day begins that is `delete_after_days` after `date`, in the institution's time zone.
    pub fn deletes_at(&self, zone: &TimeZone) -> Option<Moment> {
        deletes_at(self.date?, self.delete_after_days?, zone)
    }
}

/// Whether this email is in one of the domains.
pub fn in_domains(domains: &[DomainPattern], email: &Email) -> bool {
    let Some((_, domain)) = email.key().rsplit_once('@') else { return false };
    let Some(email) = Email::parse(&format!("x@{}", ascii(domain))) else { return false };
    domains.iter().any(|pattern| in_ascii(pattern).matches(&email))
}

/// See `PageSettings::deletes_at`.
pub fn deletes_at(date: Date, days: u32, zone: &TimeZone) -> Option<Moment> {
    let days = Span::new().try_days(i64::from(days)).ok()?;
    moment_of(date.checked_add(days).ok()?.to_datetime(Time::midnight()), zone)
}

/// International domain names are compared in the form that mail servers use.
pub(super) fn ascii(domain: &str) -> String {
    match Host::parse(domain) {
        Ok(Host::Domain(name)) => name,
        Ok(Host::Ipv4(_) | Host::Ipv6(_)) | Err(_) => domain.to_owned(),
    }
}

fn in_ascii(pattern: &DomainPattern) -> DomainPattern {
    let shown = pattern.to_string();
    let written = match shown.strip_prefix("*.") {
        Some(domain) => format!("*.{}", ascii(domain)),
        None => ascii(&shown),
    };
    DomainPattern::parse(&written).unwrap_or_else(|| pattern.clone())
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident, $count:literal: $($(#[$note:meta])* $variant:ident = $word:literal,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub enum $name {
            $($(#[$note])* $variant,)*
        }

        impl $name {
            pub const ALL: [Self; $count] = [$(Self::$variant,)*];

            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.word() == word)
            }
        }
    };
}

words! {
    /// Who may register.
    Register, 4:
    /// Those who have been invited, or are on the page already.
    #[default]
    Invited = "invited",
    /// Whoever has an email at one of the page's domains.
    Domain = "domain",
    /// Whoever knows the event code.
    Code = "code",
    Open = "open",
}

words! {
    /// Who may listen to the people of a page.
    Listen, 4:
    /// Those who manage the page or were given it to read.
    Managers = "managers",
    /// Also those who are registered there.
    #[default]
    Registered = "registered",
    /// Also people of the institution who have signed in.
    Institution = "institution",
    /// Whoever has the link.
    Link = "link",
}

words! {
    /// What happens to a new recording.
    Moderation, 2:
    /// It is audible at once.
    #[default]
    Off = "off",
    /// Only managers hear it until one of them has approved it.
    Hold = "hold",
}

words! {
    /// How a field is asked for.
    Asking, 3:
    #[default]
    Off = "off",
    Optional = "optional",
    Required = "required",
}

words! {
    /// A field that every page has.
    BuiltInField, 5:
    #[default]
    Name = "name",
    Phonetic = "phonetic",
    Pronouns = "pronouns",
    Photo = "photo",
    Notes = "notes",
}

impl Asking {
    pub const fn is_asked(self) -> bool {
        !matches!(self, Self::Off)
    }

    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required)
    }
}

/// Which fields a page asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub name: Asking,
    pub phonetic: Asking,
    /// Of all custom fields that contain pronouns, unless `custom` says otherwise.
    pub pronouns: Asking,
    pub photo: Asking,
    pub notes: Asking,
    /// By the name of the custom field. The others are asked for as the field says (`CustomField::asked`).
    pub custom: BTreeMap<String, Asking>,
}

impl Default for Asked {
    fn default() -> Self {
        Self {
            name: Asking::Required,
            phonetic: Asking::Optional,
            pronouns: Asking::Optional,
            photo: Asking::Optional,
            notes: Asking::Off,
            custom: BTreeMap::new(),
        }
    }
}

impl Asked {
    /// How a custom field is asked for: as this page says, or else as the field says for all pages, or else, for pronouns, as the
    /// page asks for those.
    pub fn of(&self, field: &CustomField) -> Asking {
        let default = match field.asked {
            Asking::Off if field.is_pronouns() => self.pronouns,
            asked => asked,
        };
        self.custom.get(&field.name).copied().unwrap_or(default)
    }

    const fn built_in(&self, field: BuiltInField) -> Asking {
        match field {
            BuiltInField::Name => self.name,
            BuiltInField::Phonetic => self.phonetic,
            BuiltInField::Pronouns => self.pronouns,
            BuiltInField::Photo => self.photo,
            BuiltInField::Notes => self.notes,
        }
    }

    pub const fn set_built_in(&mut self, field: BuiltInField, asking: Asking) {
        match field {
            BuiltInField::Name => self.name = asking,
            BuiltInField::Phonetic => self.phonetic = asking,
            BuiltInField::Pronouns => self.pronouns = asking,
            BuiltInField::Photo => self.photo = asking,
            BuiltInField::Notes => self.notes = asking,
        }
    }

    /// All fields, by their keys: custom fields have the prefix that they have in imports.
    pub fn words(&self) -> BTreeMap<String, &'static str> {
        let built_in =
            BuiltInField::ALL.map(|field| (field.word().to_owned(), self.built_in(field).word())).into_iter();
        let custom = self.custom.iter().map(|(name, asking)| (custom_field::import_key(name), asking.word()));
        built_in.chain(custom).collect()
    }

    /// Reads `words`. What is missing has its default; `None` if there is an unknown key or word.
    pub fn from_words(words: &BTreeMap<String, String>) -> Option<Self> {
        let mut asked = Self::default();
        for (key, word) in words {
            let asking = Asking::parse(word)?;
            match BuiltInField::parse(key) {
                Some(field) => asked.set_built_in(field, asking),
                None => {
                    asked.custom.insert(custom_field::name_of_import_key(key)?.to_owned(), asking);
                }
            }
        }
        Some(asked)
    }
}

/// Reads a closing time: with an offset, like `2027-05-31T18:00Z`, or in the institution's time zone, like `2027-05-31T18:00` or
/// `2027-05-31 18:00`. A date alone means the end of that day.
pub fn parse_closing(given: &str, zone: &TimeZone) -> Option<Moment> {
    let mut text = given.trim().to_owned();
    if text.as_bytes().get(10) == Some(&b' ') {
        text.replace_range(10..=10, "T");
    }
    if let Some(moment) = Moment::parse(&text) {
        return Some(Moment::from_micros(moment.micros() - moment.micros().rem_euclid(1_000)));
    }
    if let Some(day) = parse_date(&text) {
        return moment_of(day.tomorrow().ok()?.to_datetime(Time::midnight()), zone);
    }
    let (day, time) = text.split_once(['T', 't'])?;
    // The parser would ignore the name of a zone.
    let is_local = time.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'));
    moment_of(text.parse::<DateTime>().ok().filter(|_| is_local && parse_date(day).is_some())?, zone)
}

/// Reads `YYYY-MM-DD`.
pub fn parse_date(given: &str) -> Option<Date> {
    let given = given.trim();
    let is_shaped = given.len() == 10
        && given.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    given.parse::<Date>().ok().filter(|_| is_shaped)
}

/// A time that a change of clocks skips is moved to after the gap; of one that happens twice, the first is meant.
fn moment_of(local: DateTime, zone: &TimeZone) -> Option<Moment> {
    let zoned = zone.to_ambiguous_zoned(local).compatible().ok()?;
    Some(Moment::from_timestamp(zoned.timestamp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(given: &str) -> Email {
        Email::parse(given).unwrap()
    }

    fn at(domains: &[&str]) -> PageSettings {
        let domains = domains.iter().map(|one| DomainPattern::parse(one).unwrap()).collect();
        PageSettings { domains, ..PageSettings::default() }
    }

    #[test]
    fn a_domain_is_that_domain_only_and_a_wildcard_its_subdomains_only() {
        let settings = at(&["example.edu", "*.example.org"]);
        for own in ["a@example.edu", "A@EXAMPLE.Edu", "a@cs.example.org", "a@x.y.example.org"] {
            assert!(settings.has_domain_of(&email(own)), "{own}");
        }
        for other in [
            "a@cs.example.edu",
            "a@example.org",
            "a@badexample.org",
            "a@example.edu.evil.example",
            "a@example.com",
        ] {
            assert!(!settings.has_domain_of(&email(other)), "{other}");
        }
        assert!(!at(&[]).has_domain_of(&email("a@example.edu")));
    }

    #[test]
    fn an_international_domain_is_the_same_in_both_forms() {
        for pattern in ["b\u{fc}cher.example", "B\u{dc}CHER.example", "xn--bcher-kva.example"] {
            let settings = at(&[pattern]);
            for own in ["a@b\u{fc}cher.example", "a@xn--bcher-kva.example", "a@B\u{dc}CHER.EXAMPLE"] {
                assert!(settings.has_domain_of(&email(own)), "{pattern}, {own}");
            }
            assert!(!settings.has_domain_of(&email("a@bucher.example")), "{pattern}");
        }
        assert!(at(&["*.b\u{fc}cher.example"]).has_domain_of(&email("a@x.xn--bcher-kva.example")));
    }

    #[test]
    fn a_closing_time_is_read_in_the_institutions_time_zone() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        for (given, wanted) in [
            ("2027-05-31T18:00", "2027-05-31T16:00:00Z"),
            (" 2027-05-31 18:00 ", "2027-05-31T16:00:00Z"),
            ("2027-05-31T18:00:30", "2027-05-31T16:00:30Z"),
            ("2027-01-31T18:00", "2027-01-31T17:00:00Z"),
            ("2027-05-31T18:00Z", "2027-05-31T18:00:00Z"),
            ("2027-05-31T18:00:00-04:00", "2027-05-31T22:00:00Z"),
            ("2027-05-31 18:00-04:00", "2027-05-31T22:00:00Z"),
            // The end of the day.
            ("2027-05-31", "2027-05-31T22:00:00Z"),
            // Skipped, and twice.
            ("2027-03-28T02:30", "2027-03-28T01:30:00Z"),
            ("2027-10-31T02:30", "2027-10-31T00:30:00Z"),
        ] {
            assert_eq!(parse_closing(given, &berlin), Moment::parse(wanted), "{given}");
        }
        for bad in [
            "",
            "tomorrow",
            "18:00",
            "2027-13-01T10:00",
            "2027-02-29",
            "2027-05-31T25:00",
            "2027-05-31T18:00[Europe/Paris]",
            "2027-05-31T18:00:00+02:00[Europe/Paris]",
            "1782900000",
            "99999-01-01T00:00",
        ] {
            assert_eq!(parse_closing(bad, &berlin), None, "{bad}");
        }
    }

    #[test]
    fn a_date_has_ten_characters() {
        assert_eq!(parse_date(" 2027-05-31 ").map(|date| date.to_string()).as_deref(), Some("2027-05-31"));
        for bad in
            ["", "2027-5-31", "20270531", "2027-05-31T10:00", "2027-02-30", "31.05.2027", "+02027-05-31"]
        {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn recordings_are_deleted_when_the_day_begins_in_the_institutions_time_zone() {
        let zone = TimeZone::get("America/New_York").unwrap();
        let settings = |date: &str, days| PageSettings {
            date: parse_date(date),
            delete_after_days: days,
            ..PageSettings::default()
        };
        let of = |date: &str, days| settings(date, days).deletes_at(&zone);
        assert_eq!(of("2027-05-31", Some(30)), Moment::parse("2027-06-30T04:00:00Z"));
        assert_eq!(of("2027-01-01", Some(1)), Moment::parse("2027-01-02T05:00:00Z"));
        assert_eq!(of("2027-05-31", None), None);
        assert_eq!(of("", Some(1)), None);
        assert_eq!(of("9999-12-31", Some(MOST_DAYS)), None, "beyond the calendar");
    }

    #[test]
    fn a_page_is_open_until_it_closes_or_is_archived() {
        let now = Moment::from_micros(1_000);
        let mut settings = PageSettings::default();
        assert_eq!(settings.state(now), PageState::Open);
        settings.closes_at = Some(Moment::from_micros(1_001));
        assert_eq!(settings.state(now), PageState::Open);
        settings.closes_at = Some(now);
        assert_eq!(settings.state(now), PageState::Closed);
        settings.archived_at = Some(now);
        assert_eq!(settings.state(now), PageState::Archived);
    }

    #[test]
    fn what_is_asked_survives_being_stored() {
        let mut asked = Asked::default();
        assert_eq!(Asked::from_words(&BTreeMap::new()), Some(asked.clone()), "the default");
        asked.set_built_in(BuiltInField::Notes, Asking::Required);
        assert_eq!(BuiltInField::parse("email"), None);
        asked.custom.insert("department".into(), Asking::Optional);
        let words: BTreeMap<String, String> =
            asked.words().into_iter().map(|(key, word)| (key, word.to_owned())).collect();
        assert_eq!((words["custom_department"].as_str(), words["notes"].as_str()), ("optional", "required"));
        assert_eq!(Asked::from_words(&words), Some(asked.clone()));
        for (key, word) in [("department", "optional"), ("name", "sometimes")] {
            let unknown = BTreeMap::from([(key.to_owned(), word.to_owned())]);
            assert_eq!(Asked::from_words(&unknown), None, "{key}");
        }
        let field = |name: &str, asked| CustomField { name: name.into(), asked, ..CustomField::default() };
        let of = |asked: &Asked, name: &str| asked.of(&field(name, Asking::Off));
        assert_eq!(of(&asked, "department"), Asking::Optional);
        assert_eq!(of(&asked, "degree"), Asking::Off);
        assert_eq!(of(&asked, "pronouns"), Asking::Optional, "as pronouns are asked for");
        asked.pronouns = Asking::Off;
        assert_eq!(of(&asked, "pronouns"), Asking::Off);
        asked.custom.insert("pronouns".into(), Asking::Required);
        assert_eq!(of(&asked, "pronouns"), Asking::Required);
        // A field that all pages ask for, unless one says otherwise.
        assert_eq!(asked.of(&field("degree", Asking::Required)), Asking::Required);
        asked.custom.insert("degree".into(), Asking::Off);
        assert_eq!(asked.of(&field("degree", Asking::Required)), Asking::Off);
        asked.custom.remove("pronouns");
        assert_eq!(asked.of(&field("pronouns", Asking::Required)), Asking::Required);
    }

    #[test]
    fn every_choice_is_stored_as_its_word() {
        assert_eq!(Register::ALL.map(Register::word), ["invited", "domain", "code", "open"]);
        assert_eq!(Listen::ALL.map(Listen::word), ["managers", "registered", "institution", "link"]);
        assert_eq!(Moderation::ALL.map(Moderation::word), ["off", "hold"]);
        assert!(Register::ALL.into_iter().all(|one| Register::parse(one.word()) == Some(one)));
        assert_eq!((Register::parse("Open"), Listen::parse(""), Asking::parse("on")), (None, None, None));
        let default = PageSettings::default();
        assert_eq!((default.register, default.listen), (Register::Invited, Listen::Registered));
        assert_eq!(default.moderation, Moderation::Off);
    }
}
