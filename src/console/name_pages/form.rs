//! The form with all settings of a name page.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::{
    super::inputs::{BY_DEFAULT, Faults, Input, Labels, Shape, Texts, askings, chosen, said},
    DATE, TITLE, local_time,
};
use crate::{
    app::page_settings::{self, Change},
    domain::{
        custom_field::CustomField,
        fault::Field,
        name_page::NamePage,
        page_settings::{Asking, BuiltInField, DomainPattern, Listen, Moderation, PageSettings, Register},
    },
    http::form::Form,
    words::Words,
};

/// A page as it is stored, and what its form depends on.
pub struct Stored<'a> {
    pub page: &'a NamePage,
    pub settings: &'a PageSettings,
    /// All custom fields of the institution.
    pub fields: &'a [CustomField],
    pub zone: &'a TimeZone,
    /// May the visitor open the page to version 2 of the API?
    pub may_open: bool,
}

/// What the inputs of the form have: stored, or typed.
#[derive(Clone, PartialEq, Eq)]
pub struct Values {
    title: String,
    description: String,
    date: String,
    register: String,
    domains: String,
    closes: String,
    listen: String,
    moderation: String,
    take_seconds: String,
    delete_after_days: String,
    /// By `ask_…`, the name of the menu.
    asked: BTreeMap<String, String>,
    allow_v2: bool,
}

impl Values {
    pub fn stored(stored: &Stored<'_>) -> Self {
        let settings = stored.settings;
        let number = |given: Option<u32>| given.map(|number| number.to_string()).unwrap_or_default();
        let domains: Vec<String> = settings.domains.iter().map(ToString::to_string).collect();
        let words = settings.asked.words();
        let asked = asked_keys(stored.fields).map(|key| {
            let word = words.get(key.as_str()).copied().unwrap_or(BY_DEFAULT);
            (menu_name(&key), word.to_owned())
        });
        Self {
            title: stored.page.title.clone(),
            description: settings.description.clone().unwrap_or_default(),
            date: settings.date.map(|date| date.to_string()).unwrap_or_default(),
            register: settings.register.word().to_owned(),
            domains: domains.join("\n"),
            closes: settings.closes_at.map(|at| local_time(at, stored.zone)).unwrap_or_default(),
            listen: settings.listen.word().to_owned(),
            moderation: settings.moderation.word().to_owned(),
            take_seconds: number(settings.take_seconds),
            delete_after_days: number(settings.delete_after_days),
            asked: asked.collect(),
            allow_v2: stored.page.allow_v2,
        }
    }

    pub fn sent(form: &Form, fields: &[CustomField]) -> Self {
        let text = |name: &str| form.get(name).unwrap_or_default().replace("\r\n", "\n").trim().to_owned();
        let asked = asked_keys(fields).map(|key| {
            let name = menu_name(&key);
            let word = text(&name);
            (name, word)
        });
        Self {
            title: text("title"),
            description: text("description"),
            date: text("date"),
            register: text("register"),
            domains: text("domains"),
            closes: text("closes"),
            listen: text("listen"),
            moderation: text("moderation"),
            take_seconds: text("take_seconds"),
            delete_after_days: text("delete_after_days"),
            asked: asked.collect(),
            allow_v2: form.get("allow_v2").is_some(),
        }
    }

    /// The change that makes the page so. What is typed and is no number is out of the range of numbers.
    pub fn change(&self, stored: &Stored<'_>, base: Option<String>) -> Change {
        let number = |given: &str| match given {
            "" => None,
            given => Some(given.parse().unwrap_or(0)),
        };
        let (mut asked, mut asked_by_default) = (Vec::new(), Vec::new());
        for key in asked_keys(stored.fields) {
            match self.asked.get(&menu_name(&key)).map(String::as_str) {
                Some(BY_DEFAULT) => {
                    let field = stored.fields.iter().find(|field| field.has_import_key(&key));
                    asked_by_default.extend(field.map(|field| field.name.clone()));
                }
                word => asked.extend(word.and_then(Asking::parse).map(|asking| (key, asking))),
            }
        }
        let is_same_time = self.closes == Self::stored(stored).closes;
        Change {
            title: Some(self.title.clone()),
            allow_v2: stored.may_open.then_some(self.allow_v2).filter(|v2| *v2 != stored.page.allow_v2),
            description: Some(self.description.clone()),
            date: Some(self.date.clone()),
            register: Register::parse(&self.register),
            domains: Some(DomainPattern::split_list(&self.domains)),
            listen: Listen::parse(&self.listen),
            moderation: Moderation::parse(&self.moderation),
            // A local time may be there twice a year: the one that is stored stays.
            closes: (!is_same_time).then(|| self.closes.clone()),
            asked,
            asked_by_default,
            take_seconds: Some(number(&self.take_seconds)),
            delete_after_days: Some(number(&self.delete_after_days)),
            base,
        }
    }
}

/// The keys of everything that a page may ask for: custom fields have the prefix that they have in imports.
fn asked_keys(fields: &[CustomField]) -> impl Iterator<Item = String> {
    let built_in = BuiltInField::ALL.into_iter().map(|field| field.word().to_owned());
    built_in.chain(fields.iter().map(CustomField::import_key))
}

fn menu_name(key: &str) -> String {
    format!("ask_{key}")
}

/// The form, as the template shows it.
pub struct SettingsForm {
    pub version: String,
    pub title: Input,
    pub description: Input,
    pub date: Input,
    pub register: Input,
    pub domains: Input,
    pub closes: Input,
    pub listen: Input,
    pub moderation: Input,
    pub take_seconds: Input,
    pub delete_after_days: Input,
    pub asked: Vec<Input>,
    /// If the visitor may change that.
    pub allow_v2: Option<Input>,
}

const DESCRIPTION: Texts = ("description", "console-page-description", "console-page-description-hint");
const DOMAINS: Texts = ("domains", "console-page-domains", "console-page-domains-hint");
const TAKE_SECONDS: Texts = ("take_seconds", "console-page-take", "console-page-take-hint");
const DELETE_AFTER_DAYS: Texts = ("delete_after_days", "console-page-days", "console-page-days-hint");
const REGISTER: (&str, &str) = ("register", "console-page-register");
const LISTEN: (&str, &str) = ("listen", "console-page-listen");
const MODERATION: (&str, &str) = ("moderation", "console-page-moderation");

impl SettingsForm {
    /// With these values. If somebody else has changed the page, what differs from what is stored is explained.
    pub fn new(stored: &Stored<'_>, values: &Values, faults: Faults<'_>, is_outdated: bool) -> Self {
        let words = faults.words;
        let now = Values::stored(stored);
        let differs = |typed: &str, now: &str| (is_outdated && typed != now).then(|| said(words, now));
        let input = |field: Field, texts: Texts, shape: Shape, typed: &str, now: &str| {
            faults.input(&field, texts, shape, typed).now(differs(typed, now))
        };
        let radios = |(name, label): (&'static str, &str), all: Labels, typed: &str, now: &str| {
            let now = is_outdated.then_some(now);
            chosen(words, (name, words.text(label)), Shape::Radios, all, typed, now)
        };
        Self {
            version: page_settings::version(stored.page, stored.settings),
            title: input(Field::Title, TITLE, Shape::Line, &values.title, &now.title),
            description: input(
                Field::Description,
                DESCRIPTION,
                Shape::Lines,
                &values.description,
                &now.description,
            ),
            date: input(Field::Date, DATE, Shape::Date, &values.date, &now.date),
            register: radios(REGISTER, registers(), &values.register, &now.register),
            domains: input(Field::Domains, DOMAINS, Shape::CodeLines, &values.domains, &now.domains),
            closes: closes(stored, faults, &values.closes).now(differs(&values.closes, &now.closes)),
            listen: radios(LISTEN, listeners(), &values.listen, &now.listen),
            moderation: radios(MODERATION, moderations(), &values.moderation, &now.moderation),
            take_seconds: input(
                Field::TakeSeconds,
                TAKE_SECONDS,
                Shape::Number,
                &values.take_seconds,
                &now.take_seconds,
            ),
            delete_after_days: input(
                Field::DeleteAfterDays,
                DELETE_AFTER_DAYS,
                Shape::Number,
                &values.delete_after_days,
                &now.delete_after_days,
            ),
            asked: {
                let now = is_outdated.then_some(&now);
                let built_in =
                    BuiltInField::ALL.map(|field| built_in_menu(words, field, values, now)).into_iter();
                built_in
                    .chain(stored.fields.iter().map(|field| custom_menu(words, field, values, now)))
                    .collect()
            },
            allow_v2: stored.may_open.then(|| {
                let value = if values.allow_v2 { "1" } else { "" };
                Input::new("allow_v2", words.text("console-page-v2"), Shape::Tick, value)
                    .hint(words.text("console-page-v2-hint"))
            }),
        }
    }
}

/// When the page closes, in the time zone of the institution.
fn closes(stored: &Stored<'_>, faults: Faults<'_>, typed: &str) -> Input {
    let words = faults.words;
    let zone = stored.zone.iana_name().unwrap_or("UTC");
    Input::new("closes", words.text("console-page-closes"), Shape::DateTime, typed)
        .hint(words.one("console-page-closes-hint", "zone", zone))
        .fault(faults.of(&Field::ClosingTime))
}

fn registers() -> Labels {
    let label = |register: Register| match register {
        Register::Invited => "console-register-invited",
        Register::Domain => "console-register-domain",
        Register::Code => "console-register-code",
        Register::Open => "console-register-open",
    };
    Register::ALL.into_iter().map(|register| (register.word(), label(register))).collect()
}

fn listeners() -> Labels {
    let label = |listen: Listen| match listen {
        Listen::Managers => "console-listen-managers",
        Listen::Registered => "console-listen-registered",
        Listen::Institution => "console-listen-institution",
        Listen::Link => "console-listen-link",
    };
    Listen::ALL.into_iter().map(|listen| (listen.word(), label(listen))).collect()
}

fn moderations() -> Labels {
    let label = |moderation: Moderation| match moderation {
        Moderation::Off => "console-moderation-off",
        Moderation::Hold => "console-moderation-hold",
    };
    Moderation::ALL.into_iter().map(|moderation| (moderation.word(), label(moderation))).collect()
}

fn built_in_menu(words: Words, field: BuiltInField, values: &Values, now: Option<&Values>) -> Input {
    let label = match field {
        BuiltInField::Name => "console-asked-name",
        BuiltInField::Phonetic => "me-phonetic",
        BuiltInField::Pronouns => "console-asked-pronouns",
        BuiltInField::Photo => "page-asked-photo",
        BuiltInField::Notes => "me-notes",
    };
    asked_menu(words, (field.word(), words.text(label)), askings(), values, now)
}

fn custom_menu(words: Words, field: &CustomField, values: &Values, now: Option<&Values>) -> Input {
    // Isolated, as names in sentences are: it may run in the other direction.
    let label = format!("\u{2068}{}\u{2069}", field.label);
    let mut all = askings();
    all.insert(0, (BY_DEFAULT, "console-asked-default"));
    asked_menu(words, (&field.import_key(), label), all, values, now)
}

fn asked_menu(
    words: Words,
    (key, label): (&str, String),
    all: Labels,
    values: &Values,
    now: Option<&Values>,
) -> Input {
    let name = menu_name(key);
    let value = |values: &Values| values.asked.get(&name).cloned().unwrap_or_default();
    let now = now.map(&value);
    let typed = value(values);
    chosen(words, (name, label), Shape::Menu, all, &typed, now.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{language::Language, moment::Moment};

    fn page() -> NamePage {
        NamePage {
            id: Default::default(),
            title: "Class of 2027".to_owned(),
            slug: String::new(),
            event_code: String::new(),
            access_code: String::new(),
            allow_v2: false,
            created_at: Moment::from_micros(0),
        }
    }

    #[test]
    fn a_form_that_is_sent_as_it_was_shown_changes_nothing() {
        let field = CustomField { name: "degree".to_owned(), ..CustomField::default() };
        let (page, fields) = (page(), [field]);
        let mut settings = PageSettings {
            description: Some("Two\nlines".to_owned()),
            closes_at: Moment::parse("2027-05-31T16:00:30Z"),
            take_seconds: Some(10),
            ..PageSettings::default()
        };
        settings.asked.custom.insert("degree".to_owned(), Asking::Required);
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let stored =
            Stored { page: &page, settings: &settings, fields: &fields, zone: &zone, may_open: true };
        let shown = Values::stored(&stored);
        assert_eq!(shown.closes, "2027-05-31T18:00:30");
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([
                ("title", "Class of 2027"),
                ("description", "Two\r\nlines"),
                ("register", "invited"),
                ("closes", "2027-05-31T18:00:30"),
                ("listen", "registered"),
                ("moderation", "off"),
                ("take_seconds", "10"),
                ("ask_name", "required"),
                ("ask_phonetic", "optional"),
                ("ask_pronouns", "optional"),
                ("ask_photo", "optional"),
                ("ask_notes", "off"),
                ("ask_custom_degree", "required"),
            ])
            .finish();
        let sent = Values::sent(&Form::from_query(&query), &fields);
        assert!(sent == shown);
        let change = sent.change(&stored, None);
        assert_eq!((change.closes, change.allow_v2, change.take_seconds), (None, None, Some(Some(10))));
        assert_eq!(change.asked.last(), Some(&("custom_degree".to_owned(), Asking::Required)));
        let other = Values { take_seconds: "ten".to_owned(), allow_v2: true, ..shown };
        let change = other.change(&stored, None);
        assert_eq!((change.take_seconds, change.allow_v2), (Some(Some(0)), Some(true)));
    }

    #[test]
    fn what_somebody_else_has_stored_is_said_where_it_differs() {
        let (page, settings) = (page(), PageSettings::default());
        let zone = TimeZone::UTC;
        let stored = Stored { page: &page, settings: &settings, fields: &[], zone: &zone, may_open: false };
        let typed = Values {
            title: "Class of 2028".to_owned(),
            listen: "link".to_owned(),
            ..Values::stored(&stored)
        };
        let faults = Faults { words: Words::new(Language::English), errors: None };
        let form = SettingsForm::new(&stored, &typed, faults, true);
        assert!(form.title.now.as_deref().is_some_and(|now| now.contains("<bdi>Class of 2027</bdi>")));
        assert_eq!((form.title.value.as_str(), form.date.now), ("Class of 2028", None));
        assert!(form.listen.now.is_some() && form.register.now.is_none() && form.allow_v2.is_none());
        let calm = SettingsForm::new(&stored, &typed, faults, false);
        assert!(calm.title.now.is_none() && calm.listen.now.is_none());
    }
}
