//! Message catalogs: typed messages in, text out. The catalogs are the Fluent files in `words/`, compiled into the binary.

use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentResource, FluentValue, concurrent::FluentBundle};
use unic_langid::LanguageIdentifier;

use crate::domain::language::Language;

type Bundle = FluentBundle<FluentResource>;

macro_rules! catalog {
    ($tag:literal) => {
        &[
            include_str!(concat!("../../words/", $tag, "/shared.ftl")),
            include_str!(concat!("../../words/", $tag, "/recorder.ftl")),
            include_str!(concat!("../../words/", $tag, "/sign_in.ftl")),
            include_str!(concat!("../../words/", $tag, "/sso.ftl")),
            include_str!(concat!("../../words/", $tag, "/me.ftl")),
            include_str!(concat!("../../words/", $tag, "/data.ftl")),
            include_str!(concat!("../../words/", $tag, "/plays.ftl")),
            include_str!(concat!("../../words/", $tag, "/changes.ftl")),
            include_str!(concat!("../../words/", $tag, "/profile.ftl")),
            include_str!(concat!("../../words/", $tag, "/member.ftl")),
            include_str!(concat!("../../words/", $tag, "/mail.ftl")),
            include_str!(concat!("../../words/", $tag, "/page_mail.ftl")),
            include_str!(concat!("../../words/", $tag, "/lti.ftl")),
            include_str!(concat!("../../words/", $tag, "/badge.ftl")),
            include_str!(concat!("../../words/", $tag, "/pages.ftl")),
            include_str!(concat!("../../words/", $tag, "/invite.ftl")),
            include_str!(concat!("../../words/", $tag, "/page.ftl")),
            include_str!(concat!("../../words/", $tag, "/moderation.ftl")),
            include_str!(concat!("../../words/", $tag, "/people.ftl")),
            include_str!(concat!("../../words/", $tag, "/import.ftl")),
            include_str!(concat!("../../words/", $tag, "/console.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_people.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_pages.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_access.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_systems.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_scim.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_work.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_settings.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_members.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_acts.ftl")),
            include_str!(concat!("../../words/", $tag, "/console_operator.ftl")),
        ]
    };
}

/// The sources of a language, one for each area.
const fn sources(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => catalog!("en"),
        Language::Spanish => catalog!("es"),
        Language::French => catalog!("fr"),
        Language::German => catalog!("de"),
        Language::Portuguese => catalog!("pt"),
        Language::Chinese => catalog!("zh"),
        Language::Arabic => catalog!("ar"),
    }
}

static BUNDLES: [LazyLock<Bundle>; Language::ALL.len()] = [
    LazyLock::new(|| bundle(Language::English)),
    LazyLock::new(|| bundle(Language::Spanish)),
    LazyLock::new(|| bundle(Language::French)),
    LazyLock::new(|| bundle(Language::German)),
    LazyLock::new(|| bundle(Language::Portuguese)),
    LazyLock::new(|| bundle(Language::Chinese)),
    LazyLock::new(|| bundle(Language::Arabic)),
];

/// A test parses all catalogs, so an unreadable entry is never released; at run time it is skipped.
fn bundle(language: Language) -> Bundle {
    let tag: LanguageIdentifier = language.tag().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![tag]);
    for source in sources(language) {
        let resource = FluentResource::try_new((*source).to_owned()).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

fn bundle_of(language: Language) -> &'static Bundle {
    &BUNDLES[Language::ALL.iter().position(|one| *one == language).unwrap_or_default()]
}

/// An argument of a message.
#[derive(Debug, Clone, Copy)]
pub enum Arg<'a> {
    Text(&'a str),
    Number(u64),
}

impl<'a> From<&'a str> for Arg<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a String> for Arg<'a> {
    fn from(text: &'a String) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&&'a str> for Arg<'a> {
    fn from(text: &&'a str) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Arg<'_> {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<&u64> for Arg<'_> {
    fn from(number: &u64) -> Self {
        Self::Number(*number)
    }
}

/// The texts of one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Words(Language);

impl Words {
    pub const fn new(language: Language) -> Self {
        Self(language)
    }

    pub const fn language(self) -> Language {
        self.0
    }

    /// A message without arguments.
    pub fn text(self, id: &str) -> String {
        self.with(id, &[])
    }

    /// A message with one argument.
    pub fn one<'a>(self, id: &str, name: &'static str, value: impl Into<Arg<'a>>) -> String {
        self.with(id, &[(name, value.into())])
    }

    /// A message with arguments. Texts are isolated by U+2068 and U+2069, because a name may run from right to left in a sentence
    /// that does not.
    pub fn with(self, id: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        let mut given = FluentArgs::with_capacity(args.len());
        for (name, value) in args {
            given.set(
                *name,
                match value {
                    Arg::Text(text) => FluentValue::from(without_isolates(text)),
                    Arg::Number(number) => FluentValue::from(*number),
                },
            );
        }
        let found = format(bundle_of(self.0), id, &given);
        found.or_else(|| format(bundle_of(Language::English), id, &given)).unwrap_or_else(|| {
            tracing::error!(id, "there is no such message");
            id.to_owned()
        })
    }

    /// Like `with`, without isolation: for programs, and where a text is not shown in a line with others.
    pub fn plain(self, id: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        without_isolates(&self.with(id, args))
    }

    /// Like `with`, as HTML: escaped, with a `<bdi>` element for each text.
    pub fn html(self, id: &str, args: &[(&'static str, Arg<'_>)]) -> String {
        let mut safe = String::new();
        for c in self.with(id, args).chars() {
            match c {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&#39;"),
                '\u{2068}' => safe.push_str("<bdi>"),
                '\u{2069}' => safe.push_str("</bdi>"),
                other => safe.push(other),
            }
        }
        safe
    }

    /// `html` with one argument.
    pub fn one_html<'a>(self, id: &str, name: &'static str, value: impl Into<Arg<'a>>) -> String {
        self.html(id, &[(name, value.into())])
    }
}

fn without_isolates(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\u{2066}'..='\u{2069}')).collect()
}

fn format(bundle: &Bundle, id: &str, args: &FluentArgs<'_>) -> Option<String> {
    let pattern = bundle.get_message(id)?.value()?;
    let mut errors = Vec::new();
    let text = bundle.format_pattern(pattern, Some(args), &mut errors).into_owned();
    if !errors.is_empty() {
        tracing::error!(id, ?errors, "a message lacks an argument");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        path::Path,
    };

    use super::*;

    #[test]
    fn every_catalog_can_be_read() {
        for language in Language::ALL {
            for source in sources(language) {
                if let Err((_, errors)) = FluentResource::try_new((*source).to_owned()) {
                    panic!("{}: {errors:?} in\n{source}", language.tag());
                }
            }
        }
    }

    #[test]
    fn an_argument_is_isolated_and_escaped() {
        let words = Words::new(Language::English);
        assert_eq!(words.text("shared-save"), "Save");
        assert_eq!(words.text("shared-nobody-wrote-this"), "shared-nobody-wrote-this");
        let html = words.one_html("mail-sign-in-why", "email", "<b>\u{2069}ana@example.edu");
        assert!(html.contains("<bdi>&lt;b&gt;ana@example.edu</bdi>"), "{html}");
    }

    /// The ids of a catalog, each with its variables.
    fn messages(language: Language) -> BTreeMap<String, BTreeSet<String>> {
        let mut found = BTreeMap::new();
        let mut last = String::new();
        for line in sources(language).iter().flat_map(|source| source.lines()) {
            if let Some((id, _)) = line.split_once(" =").filter(|(id, _)| is_id(id)) {
                last = id.to_owned();
                assert!(found.insert(last.clone(), BTreeSet::new()).is_none(), "{id} is there twice");
            }
            for rest in line.split('$').skip(1) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                found.get_mut(&last).unwrap().insert(name);
            }
        }
        found
    }

    fn is_id(text: &str) -> bool {
        text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    }

    #[test]
    fn every_language_has_every_message_with_the_same_arguments() {
        let english = messages(Language::English);
        assert!(english.len() > 100, "{}", english.len());
        for language in Language::ALL {
            let theirs = messages(language);
            let ids = |of: &BTreeMap<String, _>| of.keys().cloned().collect::<BTreeSet<_>>();
            let differing: Vec<String> = ids(&english).symmetric_difference(&ids(&theirs)).cloned().collect();
            assert!(differing.is_empty(), "{}: {differing:?}", language.tag());
            for (id, arguments) in &english {
                assert_eq!(&theirs[id], arguments, "{}: {id}", language.tag());
            }
        }
    }

    /// Plural forms that a language has, for the numbers that it is chosen by.
    #[test]
    fn arabic_and_others_have_their_plural_forms() {
        let found =
            |language, count: u64| Words::new(language).plain("lti-found", &[("count", Arg::Number(count))]);
        for (language, counts, forms) in [
            (Language::English, &[0, 1, 2, 100][..], 1),
            (Language::Spanish, &[0, 1, 2, 100], 2),
            (Language::French, &[1, 2, 100], 2),
            (Language::German, &[0, 1, 2, 100], 2),
            (Language::Portuguese, &[1, 2, 100], 2),
            (Language::Chinese, &[0, 1, 2, 100], 1),
            (Language::Arabic, &[0, 1, 2, 3, 10, 11, 99, 100, 102], 6),
        ] {
            let shapes: BTreeSet<String> = counts
                .iter()
                .map(|count| found(language, *count).replace(|c: char| c.is_ascii_digit(), ""))
                .collect();
            assert_eq!(shapes.len(), forms, "{shapes:?}");
        }
    }

    /// Texts of a template outside of expressions: between tags, and in attributes that people see or hear.
    fn literal_texts(template: &str) -> Vec<String> {
        let mut plain = template.to_owned();
        for (start, end, by) in [("{#", "#}", ""), ("{%", "%}", "\u{1}"), ("{{", "}}", "\u{1}")] {
            while let Some(at) = plain.find(start) {
                let length = plain[at..].find(end).unwrap() + end.len();
                plain.replace_range(at..at + length, by);
            }
        }
        let mut texts: Vec<String> = plain
            .split('<')
            .map(|part| part.split_once('>').map_or("", |(_, text)| text).to_owned())
            .collect();
        for attribute in
            ["aria-label", "title", "alt", "placeholder", "data-fault", "data-ended", "data-copied"]
        {
            let start = format!("{attribute}=\"");
            let values = plain.split(&start).skip(1);
            texts.extend(values.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
        }
        texts
    }

    /// The API reference is in English only.
    #[test]
    fn no_template_has_a_sentence_of_its_own() {
        let is_sentence = |text: &str| {
            text.split('\u{1}').any(|part| {
                let words = part.split_whitespace().filter(|word| {
                    let letters = word.trim_matches(|c: char| c.is_ascii_punctuation());
                    letters.len() > 1 && letters.chars().all(|c| c.is_ascii_alphabetic())
                });
                words.count() > 1
            })
        };
        assert!(literal_texts("<p>{{ x }} Not now</p>").iter().any(|text| is_sentence(text)));
        assert!(literal_texts("<p title=\"Not now\">").iter().any(|text| is_sentence(text)));
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("templates")];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    folders.push(path);
                } else if !name.starts_with("docs") {
                    count += 1;
                    for text in literal_texts(&std::fs::read_to_string(&path).unwrap()) {
                        assert!(!is_sentence(&text), "{name}: {text}");
                    }
                }
            }
        }
        assert!(count > 20, "{count}");
    }

    #[test]
    fn every_message_is_used_and_every_used_message_exists() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut text = String::new();
        let mut folders = vec![root.join("src"), root.join("templates")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    text.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        let english = messages(Language::English);
        // The id stands in quotation marks, in the code or in a template.
        let quoted: BTreeSet<&str> = text.split('"').collect();
        let unused: Vec<&String> = english.keys().filter(|id| !quoted.contains(id.as_str())).collect();
        assert!(unused.is_empty(), "{unused:?}");
        let is_of_an_area = |word: &str| {
            [
                "shared-",
                "recorder-",
                "sign-in-",
                "sso-",
                "me-",
                "data-",
                "plays-",
                "changes-",
                "profile-",
                "mail-",
                "page-mail-",
                "lti-",
                "badge-",
                "pages-",
                "invite-",
                "page-",
                "moderation-",
                "console-",
            ]
            .iter()
            .any(|area| word.starts_with(area))
        };
        for call in ["text(\"", "one(\"", "one_html(\"", "html(\"", "with(\""] {
            for id in text.split(call).skip(1).filter_map(|rest| rest.split('"').next()) {
                let is_meant = is_of_an_area(id) && is_id(id) && id != "shared-nobody-wrote-this";
                assert!(!is_meant || english.contains_key(id), "{id}");
            }
        }
    }
}
