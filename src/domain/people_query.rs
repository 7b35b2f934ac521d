//! Which people of an institution are wanted in a list of the console, and in which order; and how their names, addresses and
//! identifiers are found in any script.

use std::collections::BTreeSet;

use super::{
    ids::{CustomFieldId, NamePageId, ParticipantId},
    text::{self, searchable},
};

/// How the recording of somebody stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Others can hear it.
    Recorded,
    /// There is none, and none waits for approval.
    Unrecorded,
    /// One waits for approval.
    Waiting,
    /// Its owner lets nobody hear it for now.
    Paused,
}

impl Standing {
    pub const ALL: [Self; 4] = [Self::Recorded, Self::Unrecorded, Self::Waiting, Self::Paused];

    /// The value in an address.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Unrecorded => "unrecorded",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|standing| standing.word() == word)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// By last name, then first name.
    #[default]
    Name,
    /// The newest change first.
    Changed,
    /// The newest recording first. People without a recording are left out.
    Recorded,
}

impl Sort {
    pub const ALL: [Self; 3] = [Self::Name, Self::Changed, Self::Recorded];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Changed => "changed",
            Self::Recorded => "recorded",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|sort| sort.word() == word)
    }
}

/// Where a part of a list begins: behind this person. It contains no name, because it is part of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The time of the last person that was shown, in microseconds. 0 in lists by name.
    pub at: i64,
    pub id: ParticipantId,
}

impl Cursor {
    pub fn parse(text: &str) -> Option<Self> {
        let (at, id) = text.split_once('.')?;
        Some(Self { at: at.parse().ok()?, id: id.parse().ok()? })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.at, self.id)
    }
}

#[derive(Debug, Clone, Default)]
pub struct PeopleQuery {
    /// Beginnings of names, of an address or of an identifier; blank selects everybody.
    pub search: String,
    pub page: Option<NamePageId>,
    pub standing: Option<Standing>,
    pub invited: Option<bool>,
    pub has_phone: Option<bool>,
    /// A custom field and its value; an empty value means that there is none.
    pub field: Option<(CustomFieldId, String)>,
    pub sort: Sort,
    pub after: Option<Cursor>,
}

impl PeopleQuery {
    pub fn words(&self) -> Vec<String> {
        wanted_words(&self.search)
    }

    /// Is anything but the page and the order chosen?
    pub fn is_filtered(&self) -> bool {
        !self.words().is_empty()
            || self.standing.is_some()
            || self.invited.is_some()
            || self.has_phone.is_some()
            || self.field.is_some()
    }
}

/// Between the names of a key. It is less than every letter, and names contain no control characters.
const BETWEEN: char = '\u{1}';
/// No name has more words, and each of them is looked for.
const MOST_WORDS: usize = 8;
/// Longer words differ before. It bounds the size of the index.
const LONGEST_WORD: usize = 64;
const LONGEST_KEY: usize = 200;

/// The key by which people are sorted: the last name, then the first name, without regard to case and diacritics. A single name counts
/// as the last name.
pub fn name_key(first_name: Option<&str>, last_name: Option<&str>) -> String {
    let name = |name: Option<&str>| -> String {
        searchable(name.unwrap_or_default().trim()).chars().filter(|c| !c.is_control()).collect()
    };
    let (first, last) = (name(first_name), name(last_name));
    let key = if last.is_empty() { first } else { format!("{last}{BETWEEN}{first}") };
    cut(&key, LONGEST_KEY)
}

/// What somebody is found by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Findable<'a> {
    pub first_name: Option<&'a str>,
    pub last_name: Option<&'a str>,
    pub email: Option<&'a str>,
    pub identifier: Option<&'a str>,
}

impl Findable<'_> {
    /// The words that a search compares with what was typed: those of the names, also transliterated to Latin letters, the address, and
    /// the identifier.
    pub fn words(&self) -> BTreeSet<String> {
        let mut words = BTreeSet::new();
        for name in [self.first_name, self.last_name].into_iter().flatten() {
            for word in split(&searchable(name)) {
                add_latin(word, &mut words);
                add(word, &mut words);
            }
        }
        if let (Some(first), Some(last)) = (self.first_name, self.last_name) {
            let [first, last] = [first, last].map(|name| searchable(&name.replace(char::is_whitespace, "")));
            if is_unspaced(&first) || is_unspaced(&last) {
                add(&format!("{last}{first}"), &mut words);
                add(&format!("{first}{last}"), &mut words);
            }
        }
        if let Some(email) = self.email.map(searchable) {
            let local = email.split('@').next().unwrap_or_default();
            split(local).for_each(|word| add(word, &mut words));
            add(&email, &mut words);
        }
        if let Some(identifier) = self.identifier.map(searchable) {
            split(&identifier).for_each(|word| add(word, &mut words));
            add(identifier.trim(), &mut words);
        }
        words
    }
}

/// Does each of the wanted words begin one of these?
pub fn matches(words: &BTreeSet<String>, wanted: &[String]) -> bool {
    wanted.iter().all(|wanted| {
        words.range(wanted.clone()..).next().is_some_and(|word| word.starts_with(wanted.as_str()))
    })
}

/// The words of a search. An address is one word.
pub fn wanted_words(search: &str) -> Vec<String> {
    let mut words = BTreeSet::new();
    for piece in searchable(search).split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '،' | '、'))
    {
        if piece.contains('@') {
            add(piece, &mut words);
        } else {
            split(piece).for_each(|word| add(word, &mut words));
        }
    }
    words.into_iter().take(MOST_WORDS).collect()
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(
                c,
                ',' | ';'
                    | '.'
                    | '-'
                    | '_'
                    | '+'
                    | '/'
                    | '('
                    | ')'
                    | '"'
                    | '\u{2010}'
                    | '–'
                    | '·'
                    | '・'
                    | '،'
                    | '、'
            )
    };
    text.split(separates).filter(|word| !word.is_empty())
}

fn add(word: &str, words: &mut BTreeSet<String>) {
    let word: String = word.chars().filter(|c| !c.is_control()).collect();
    let word = cut(&word, LONGEST_WORD);
    if !word.is_empty() {
        words.insert(word);
    }
}

fn add_latin(word: &str, words: &mut BTreeSet<String>) {
    if !word.is_ascii() {
        add(&text::latin(word), words);
    }
}

/// At most so many characters.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// Is this written without spaces between the words of a name? The searchable form of Hangul consists of the parts of syllables.
fn is_unspaced(name: &str) -> bool {
    name.chars().any(|c| {
        matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}')
    })
}

/// The end of the words that begin with this one: greater than all of them, as UTF-8 is compared byte by byte.
pub fn end_of(beginning: &str) -> String {
    format!("{beginning}{}", char::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: &str, last: &str, search: &str) -> bool {
        let person = Findable {
            first_name: Some(first),
            last_name: Some(last),
            email: Some("ada.byron@example.edu"),
            identifier: Some("A-1815"),
        };
        matches(&person.words(), &wanted_words(search))
    }

    #[test]
    fn people_are_found_in_any_script_by_the_beginnings_of_words() {
        for (first, last, search) in [
            ("Ada", "Lovelace", "lov ada"),
            ("Ada", "Lovelace", "Lovelace, Ada"),
            ("Siobhán", "Ní Bhriain", "NI siob bhri"),
            ("Nguyễn", "Thị Ánh", "nguyen anh"),
            ("Nguye\u{302}\u{303}n", "Anh", "nguyễn"),
            ("محمد", "أحمد", "احمد"),
            ("محمد", "أحمد", "mhmd"),
            ("小龍", "李", "李小龍"),
            ("小龍", "李", "小龍李"),
            ("小龍", "李", "小"),
            ("小龍", "李", "xiaolong li"),
            ("민준", "김", "김민준"),
            ("Иван", "Петров", "petr"),
            ("Jean-Luc", "Łukasz", "luc lukasz"),
            ("Ada", "Lovelace", "ada.byron@ex"),
            ("Ada", "Lovelace", "byron"),
            ("Ada", "Lovelace", "a-1815"),
            ("Ada", "Lovelace", "1815"),
            ("Ada", "Lovelace", "  "),
        ] {
            assert!(found(first, last, search), "{first} {last}: {search}");
        }
        for (first, last, search) in [
            ("Ada", "Lovelace", "velace"),
            ("Ada", "Lovelace", "ada smith"),
            ("Ada", "Lovelace", "example.edu"),
            ("小龍", "李", "龍"),
        ] {
            assert!(!found(first, last, search), "{first} {last}: {search}");
        }
    }

    #[test]
    fn names_are_sorted_without_regard_to_case_and_marks_and_a_single_name_counts_as_the_last() {
        let mut names = [
            (Some("Zoe"), Some("Abel")),
            (Some("Nguyễn"), None),
            (Some("Ana"), Some("Ábel")),
            (None, Some("lima")),
            (Some("Ana"), Some("Limaz")),
            (Some("Ana"), Some("Lima")),
        ];
        names.sort_by_key(|(first, last)| name_key(*first, *last));
        let shown = names.map(|(first, last)| format!("{} {}", first.unwrap_or("-"), last.unwrap_or("-")));
        assert_eq!(shown, ["Ana Ábel", "Zoe Abel", "- lima", "Ana Lima", "Ana Limaz", "Nguyễn -"]);
        assert!(!name_key(Some("a\0b"), Some("c\u{1}d")).contains('\0'));
        assert!(name_key(Some(&"龍".repeat(500)), None).chars().count() <= LONGEST_KEY);
    }

    #[test]
    fn a_search_has_few_words_and_they_are_short() {
        let long =
            format!("{} {}", "x".repeat(500), (0..50).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" "));
        let words = wanted_words(&long);
        assert_eq!(words.len(), MOST_WORDS);
        assert!(words.iter().all(|word| word.chars().count() <= LONGEST_WORD));
        assert_eq!(wanted_words("\0\u{1} ,,"), [""; 0]);
    }

    #[test]
    fn the_end_of_a_range_is_behind_every_word_that_begins_so() {
        for word in ["ada", "ada\u{10fffe}", "adazz"] {
            assert!(word >= "ada" && *word < *end_of("ada"), "{word}");
        }
        assert!("adb" > &*end_of("ada"));
    }

    #[test]
    fn words_and_cursors_of_addresses_are_read_back() {
        for standing in Standing::ALL {
            assert_eq!(Standing::parse(standing.word()), Some(standing));
        }
        for sort in Sort::ALL {
            assert_eq!(Sort::parse(sort.word()), Some(sort));
        }
        let cursor = Cursor { at: 17, id: ParticipantId::new(4) };
        assert_eq!(Cursor::parse(&cursor.to_string()), Some(cursor));
        assert_eq!(
            [Cursor::parse(""), Cursor::parse("1"), Cursor::parse("x.1"), Cursor::parse("1.x")],
            [None; 4]
        );
    }
}
