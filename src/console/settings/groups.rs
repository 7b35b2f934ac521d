//! The groups of settings, each with a form of its own: what is stored, what was typed, and what is wrong with it.

use crate::{
    app::{App, Result, institutions, looks},
    console::{
        inputs::{Choice, Input, Shape},
        visit::Console,
    },
    domain::{
        audience::Audience,
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        institution::{Institution, parse_origin},
        language::Language,
        version::version_of,
    },
    http::faults,
    words::Words,
};

/// Everything that an institution decides about itself on this page.
pub struct Settings(institutions::Settings);

impl Settings {
    pub async fn find(app: &App, console: &Console) -> Result<Self> {
        let found = institutions::settings::find(app, &console.actor, &console.institution.slug);
        found.await.map(Self)
    }

    pub const fn institution(&self) -> &Institution {
        &self.0.institution
    }

    pub fn accent(&self) -> String {
        self.value(Setting::Accent)
    }

    fn value(&self, setting: Setting) -> String {
        let tick = |is_set: bool| if is_set { "1" } else { "" }.to_owned();
        let institutions::Settings { institution, look, permitted, .. } = &self.0;
        match setting {
            Setting::Name => institution.name.clone(),
            Setting::TimeZone => institution.time_zone.iana_name().unwrap_or("UTC").to_owned(),
            Setting::Language => institution.language.unwrap_or_default().tag().to_owned(),
            Setting::PhoneLanguage => institution.phone_language.clone().unwrap_or_default(),
            Setting::Accent => look.accent.map(|accent| accent.light.to_string()).unwrap_or_default(),
            Setting::Logo => look.logo.clone().unwrap_or_default(),
            Setting::NoLogo => String::new(),
            Setting::Public => tick(permitted.includes(Audience::Public)),
            Setting::Institution => tick(permitted.includes(Audience::Institution)),
            Setting::DefaultAudience => self.0.default_audience.word().to_owned(),
            Setting::MultipleRecordings => tick(institution.multiple_recordings),
            Setting::StartsWithNewest => tick(self.0.starts_with_newest),
            Setting::NotesOnBadge => tick(self.0.notes_on_badge),
            Setting::Origins => institution.allowed_origins.join("\n"),
        }
    }

    pub fn version(&self, group: Group) -> String {
        let values: Vec<String> = group.settings().iter().map(|setting| self.value(*setting)).collect();
        version_of(&values)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    General,
    Look,
    Audiences,
    Recordings,
    Badges,
    Origins,
}

impl Group {
    pub const ALL: [Self; 6] =
        [Self::General, Self::Look, Self::Audiences, Self::Recordings, Self::Badges, Self::Origins];

    /// In the path of its form, and the id of its section.
    pub const fn word(self) -> &'static str {
        match self {
            Self::General => "general",
            Self::Look => "look",
            Self::Audiences => "audiences",
            Self::Recordings => "recordings",
            Self::Badges => "badges",
            Self::Origins => "origins",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.word() == word)
    }

    const fn title(self) -> &'static str {
        match self {
            Self::General => "console-settings-general",
            Self::Look => "console-settings-look",
            Self::Audiences => "console-settings-audiences",
            Self::Recordings => "console-settings-recordings",
            Self::Badges => "console-settings-badges",
            Self::Origins => "console-settings-origins-title",
        }
    }

    pub const fn settings(self) -> &'static [Setting] {
        match self {
            Self::General => &[Setting::Name, Setting::TimeZone, Setting::Language, Setting::PhoneLanguage],
            Self::Look => &[Setting::Accent, Setting::Logo, Setting::NoLogo],
            Self::Audiences => &[Setting::Public, Setting::Institution, Setting::DefaultAudience],
            Self::Recordings => &[Setting::MultipleRecordings, Setting::StartsWithNewest],
            Self::Badges => &[Setting::NotesOnBadge],
            Self::Origins => &[Setting::Origins],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Name,
    TimeZone,
    Language,
    PhoneLanguage,
    Accent,
    Logo,
    NoLogo,
    Public,
    Institution,
    DefaultAudience,
    MultipleRecordings,
    StartsWithNewest,
    NotesOnBadge,
    Origins,
}

impl Setting {
    /// The name of its input.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::TimeZone => "time_zone",
            Self::Language => "page_language",
            Self::PhoneLanguage => "phone_language",
            Self::Accent => "accent",
            Self::Logo => "logo",
            Self::NoLogo => "no_logo",
            Self::Public => "public",
            Self::Institution => "institution",
            Self::DefaultAudience => "default_audience",
            Self::MultipleRecordings => "multiple_recordings",
            Self::StartsWithNewest => "starts_with_newest",
            Self::NotesOnBadge => "notes_on_badge",
            Self::Origins => "origins",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Name => "console-settings-name",
            Self::TimeZone => "console-settings-time-zone",
            Self::Language => "console-settings-language",
            Self::PhoneLanguage => "console-settings-phone-language",
            Self::Accent => "console-settings-accent",
            Self::Logo => "console-settings-logo",
            Self::NoLogo => "console-settings-no-logo",
            Self::Public => "console-settings-public",
            Self::Institution => "console-settings-institution",
            Self::DefaultAudience => "console-settings-default-audience",
            Self::MultipleRecordings => "console-settings-multiple-recordings",
            Self::StartsWithNewest => "console-settings-starts-with-newest",
            Self::NotesOnBadge => "console-settings-notes-on-badge",
            Self::Origins => "console-settings-origins",
        }
    }

    const fn hint(self) -> Option<&'static str> {
        match self {
            Self::TimeZone => Some("console-settings-time-zone-hint"),
            Self::Language => Some("console-settings-language-hint"),
            Self::PhoneLanguage => Some("console-settings-phone-language-hint"),
            Self::Accent => Some("console-settings-accent-hint"),
            Self::Logo => Some("console-settings-logo-hint"),
            Self::DefaultAudience => Some("console-settings-default-audience-hint"),
            Self::MultipleRecordings => Some("console-settings-multiple-recordings-hint"),
            Self::StartsWithNewest => Some("console-settings-starts-with-newest-hint"),
            Self::NotesOnBadge => Some("console-settings-notes-on-badge-hint"),
            Self::Origins => Some("console-settings-origins-hint"),
            Self::Name | Self::NoLogo | Self::Public | Self::Institution => None,
        }
    }

    fn shape(self, words: Words) -> Shape {
        match self {
            Self::Name => Shape::Line,
            Self::TimeZone | Self::PhoneLanguage | Self::Accent => Shape::Code,
            Self::Logo => Shape::File,
            Self::Origins => Shape::CodeLines,
            Self::Language => Shape::Menu(Language::ALL.into_iter().map(language_choice).collect()),
            Self::DefaultAudience => Shape::Menu(
                [
                    (Audience::Public, "console-settings-public"),
                    (Audience::Institution, "console-settings-institution"),
                ]
                .map(|(audience, id)| Choice { word: audience.word(), label: words.text(id) })
                .into(),
            ),
            Self::NoLogo
            | Self::Public
            | Self::Institution
            | Self::MultipleRecordings
            | Self::StartsWithNewest
            | Self::NotesOnBadge => Shape::Tick,
        }
    }

    /// What the use case calls it. Faults of audiences are about one of two inputs.
    fn is_about(self, field: &Field, fault: &Fault) -> bool {
        match self {
            Self::Name => *field == Field::Name,
            Self::TimeZone => *field == Field::TimeZone,
            Self::Language => *field == Field::Language,
            Self::PhoneLanguage => *field == Field::PhoneLanguage,
            Self::Accent => *field == Field::Accent,
            Self::Logo => *field == Field::Logo,
            Self::Origins => *field == Field::Origin,
            Self::Public => *field == Field::Audience && *fault != Fault::NotIncluded,
            Self::DefaultAudience => *field == Field::Audience && *fault == Fault::NotIncluded,
            Self::NoLogo
            | Self::Institution
            | Self::MultipleRecordings
            | Self::StartsWithNewest
            | Self::NotesOnBadge => false,
        }
    }
}

pub fn language_choice(language: Language) -> Choice {
    Choice { word: language.tag(), label: language.own_name().to_owned() }
}

/// What was typed into the form of a group and not saved.
pub struct Entered {
    pub group: Group,
    pub values: Vec<(Setting, String)>,
    pub errors: FieldErrors,
    /// Somebody else has saved other values since the form was shown.
    pub is_outdated: bool,
}

impl Entered {
    pub fn value(&self, setting: Setting) -> &str {
        self.values.iter().find(|(one, _)| *one == setting).map_or("", |(_, value)| value.as_str())
    }

    fn is_ticked(&self, setting: Setting) -> bool {
        !self.value(setting).is_empty()
    }

    /// What has to change, compared to what is stored. Logos are added by the caller.
    pub fn change(&self, settings: &Settings) -> institutions::Change {
        institutions::Change { based_on: Some(settings.0.clone()), ..self.replaced(settings) }
    }

    fn replaced(&self, settings: &Settings) -> institutions::Change {
        let text = |setting| Some(self.value(setting).to_owned());
        match self.group {
            Group::General => institutions::Change {
                name: text(Setting::Name),
                time_zone: text(Setting::TimeZone),
                language: text(Setting::Language),
                phone_language: text(Setting::PhoneLanguage),
                ..Default::default()
            },
            Group::Look => {
                let accent = Some(self.value(Setting::Accent).trim()).filter(|color| !color.is_empty());
                let look = looks::Change {
                    accent: Some(accent.map(str::to_owned)),
                    logo: self.is_ticked(Setting::NoLogo).then_some(None),
                };
                institutions::Change { look, ..Default::default() }
            }
            Group::Audiences => {
                let audiences =
                    [(Setting::Public, Audience::Public), (Setting::Institution, Audience::Institution)];
                let ticked = audiences.into_iter().filter(|(setting, _)| self.is_ticked(*setting));
                let words: Vec<&str> = ticked.map(|(_, audience)| audience.word()).collect();
                institutions::Change {
                    audiences: Some(words.join(",")),
                    default_audience: text(Setting::DefaultAudience),
                    ..Default::default()
                }
            }
            Group::Recordings => institutions::Change {
                multiple_recordings: Some(self.is_ticked(Setting::MultipleRecordings)),
                starts_with_newest: Some(self.is_ticked(Setting::StartsWithNewest)),
                ..Default::default()
            },
            Group::Badges => institutions::Change {
                notes_on_badge: Some(self.is_ticked(Setting::NotesOnBadge)),
                ..Default::default()
            },
            Group::Origins => {
                let lines = self.value(Setting::Origins).lines().map(str::trim);
                let allow_origins: Vec<String> =
                    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
                let kept: Vec<String> = allow_origins.iter().filter_map(|one| parse_origin(one)).collect();
                let stored = settings.institution().allowed_origins.iter();
                let forbid_origins = stored.filter(|origin| !kept.contains(origin)).cloned().collect();
                institutions::Change { allow_origins, forbid_origins, ..Default::default() }
            }
        }
    }
}

/// The form of a group.
pub struct GroupForm {
    pub word: &'static str,
    pub title: String,
    pub inputs: Vec<Input>,
    pub version: String,
    pub has_file: bool,
    pub is_outdated: bool,
    /// What somebody else has saved meanwhile: labels and values.
    pub others: Vec<(String, String)>,
}

pub fn form(words: Words, group: Group, settings: &Settings, entered: Option<&Entered>) -> GroupForm {
    let entered = entered.filter(|entered| entered.group == group);
    let inputs = group.settings().iter().map(|setting| Input {
        name: setting.word().into(),
        label: words.text(setting.label()),
        hint: setting.hint().map(|id| words.text(id)),
        fault: entered.and_then(|entered| fault(words, *setting, &entered.errors)),
        value: entered.map_or_else(|| settings.value(*setting), |entered| entered.value(*setting).to_owned()),
        shape: setting.shape(words),
        ..Input::default()
    });
    let others = match entered {
        Some(entered) if entered.is_outdated => others(words, group, settings, entered),
        _ => Vec::new(),
    };
    GroupForm {
        word: group.word(),
        title: words.text(group.title()),
        inputs: inputs.collect(),
        version: settings.version(group),
        has_file: group == Group::Look,
        is_outdated: entered.is_some_and(|entered| entered.is_outdated),
        others,
    }
}

/// What is stored now and differs from what was typed.
fn others(words: Words, group: Group, settings: &Settings, entered: &Entered) -> Vec<(String, String)> {
    let shown = |setting: Setting| {
        let value = settings.value(setting);
        match setting.shape(words) {
            Shape::Tick if value.is_empty() => words.text("console-settings-off"),
            Shape::Tick => words.text("console-settings-on"),
            Shape::Menu(choices) => {
                choices.into_iter().find(|one| one.word == value).map(|one| one.label).unwrap_or(value)
            }
            _ if value.is_empty() => "–".to_owned(),
            Shape::File => words.text("console-settings-other-logo"),
            _ => value,
        }
    };
    let differing = group.settings().iter().filter(|one| **one != Setting::NoLogo);
    let differing = differing.filter(|one| settings.value(**one) != entered.value(**one));
    differing.map(|one| (words.text(one.label()), shown(*one))).collect()
}

fn fault(words: Words, setting: Setting, errors: &FieldErrors) -> Option<String> {
    let all = errors.iter().flat_map(|(field, faults)| faults.iter().map(move |fault| (field, fault)));
    let own = all.filter(|(field, fault)| setting.is_about(field, fault));
    let sentences: Vec<String> = own.map(|(_, fault)| sentence(words, setting, fault)).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

fn sentence(words: Words, setting: Setting, fault: &Fault) -> String {
    match (setting, fault) {
        (Setting::Logo, fault) => faults::fault(words, faults::Input::Photo, fault),
        (_, Fault::Blank) => words.text("shared-blank"),
        (_, Fault::TooLong { most }) => words.one("me-fault-long", "most", *most as u64),
        (Setting::TimeZone, _) => words.text("console-settings-fault-time-zone"),
        (Setting::PhoneLanguage, _) => words.text("console-settings-fault-phone-language"),
        (Setting::Public, _) => words.text("console-settings-fault-nobody"),
        (Setting::DefaultAudience, _) => words.text("console-settings-fault-default"),
        (_, Fault::Setup(SetupFault::NotAnOrigin(given))) => {
            words.one("console-settings-fault-origin", "given", given)
        }
        (_, Fault::Setup(SetupFault::TooLight(light))) => {
            words.one("console-settings-fault-light", "darker", &light.darker.to_string())
        }
        (Setting::Accent, _) => words.text("console-settings-fault-color"),
        _ => words.text("me-fault-characters"),
    }
}
