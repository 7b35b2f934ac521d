//! The names on a page, sorted and prepared for search.

use std::collections::{HashMap, HashSet};

use super::{ids::ParticipantId, text::searchable};

/// What search and order need to know of somebody.
#[derive(Debug, Clone)]
pub struct Listed {
    pub id: ParticipantId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    /// There is a recording that others may hear.
    pub is_recorded: bool,
    /// The entry waits for approval, and is not listed.
    pub is_held: bool,
}

/// The initial of a name, in any script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter(char);

impl Letter {
    /// Stands for names that do not begin with a letter. It comes last.
    const OTHER: Self = Self(char::MAX);

    /// Reads one as shown in a link.
    pub fn parse(given: &str) -> Option<Self> {
        let given = given.trim();
        if given == "#" { Some(Self::OTHER) } else { Self::first(&searchable(given)) }
    }

    /// Of a name in its searchable form.
    fn of(name: &str) -> Self {
        Self::first(name).unwrap_or(Self::OTHER)
    }

    fn first(name: &str) -> Option<Self> {
        let mut letters = name.chars().filter(|c| c.is_alphanumeric());
        let mut letter = letters.next()?;
        // Thai and Lao write some vowels before their consonant.
        if matches!(letter, '\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}') {
            letter = letters.next().unwrap_or(letter);
        }
        if !letter.is_alphabetic() {
            return None;
        }
        // The searchable form of Hangul has the parts of a syllable one by one, in a form that is not shown alone.
        let alone = ('\u{1100}'..='\u{1112}').position(|part| part == letter);
        let letter = alone.and_then(|at| CONSONANTS.chars().nth(at)).unwrap_or(letter);
        letter.to_uppercase().next().map(Self)
    }
}

/// The consonants with which a syllable of Hangul begins, as they are shown alone.
const CONSONANTS: &str = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ";

impl std::fmt::Display for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if *self == Self::OTHER { f.write_str("#") } else { write!(f, "{}", self.0) }
    }
}

/// Which people are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Parts of names; blank selects everybody.
    pub search: String,
    /// Only people without a recording.
    pub unrecorded: bool,
    pub letter: Option<Letter>,
}

/// Everybody on a page, by last name, then first name.
#[derive(Debug, Clone, Default)]
pub struct Directory {
    entries: Vec<Entry>,
    /// Those on the page who are not listed.
    held: HashSet<ParticipantId>,
    recorded: usize,
    letters: Vec<Letter>,
}

#[derive(Debug, Clone)]
struct Entry {
    id: ParticipantId,
    is_recorded: bool,
    /// The last and the first name in their searchable form, with `BETWEEN` between them. A single name counts as the last name.
    names: Box<str>,
}

/// Less than every letter, so that whole keys sort by last name first. Names contain no control characters.
const BETWEEN: char = '\0';

impl Entry {
    fn new(listed: &Listed) -> Self {
        let name = |name: &Option<String>| searchable(name.as_deref().unwrap_or_default());
        let (first, last) = (name(&listed.first_name), name(&listed.last_name));
        let names =
            if last.is_empty() { format!("{first}{BETWEEN}") } else { format!("{last}{BETWEEN}{first}") };
        Self { id: listed.id, is_recorded: listed.is_recorded, names: names.into_boxed_str() }
    }

    fn names(&self) -> (&str, &str) {
        self.names.split_once(BETWEEN).unwrap_or((&self.names, ""))
    }

    fn letter(&self) -> Letter {
        Letter::of(self.names().0)
    }

    fn matches(&self, words: &[String]) -> bool {
        let (last, first) = self.names();
        words.iter().all(|word| {
            last.contains(word.as_str())
                || first.contains(word.as_str())
                // Many people type a whole name without a space, with the last name first or last.
                || begins(last, first, word)
                || begins(first, last, word)
        })
    }
}

/// People type "Lovelace, Ada", and "Jean Luc" for Jean-Luc.
fn separates_words(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';' | '.' | '-' | '\u{2010}' | '–' | '·' | '・' | '،' | '、')
}

/// No name has more words. Each is looked for in every name.
const MAX_WORDS: usize = 20;

/// Does `one`, followed by `other`, begin with this word?
fn begins(one: &str, other: &str, word: &str) -> bool {
    word.strip_prefix(one).is_some_and(|rest| other.starts_with(rest))
}

impl Directory {
    pub fn new(people: &[Listed]) -> Self {
        let shown = people.iter().filter(|one| !one.is_held).map(Entry::new);
        let held = people.iter().filter(|one| one.is_held).map(|one| one.id);
        Self::sorted(shown.collect(), held.collect())
    }

    fn sorted(mut entries: Vec<Entry>, held: HashSet<ParticipantId>) -> Self {
        // Stable sorting is fast if most of the entries are in order.
        entries.sort_by(|one, other| one.names.cmp(&other.names).then(one.id.cmp(&other.id)));
        let mut letters: Vec<Letter> = entries.iter().map(Entry::letter).collect();
        // Neighbors have the same one.
        letters.dedup();
        letters.sort_unstable();
        letters.dedup();
        let recorded = entries.iter().filter(|entry| entry.is_recorded).count();
        Self { entries, held, recorded, letters }
    }

    /// With these people added, or in place of what was known of them.
    #[must_use]
    pub fn with(&self, changed: &[Listed]) -> Self {
        let new: HashMap<ParticipantId, &Listed> = changed.iter().map(|one| (one.id, one)).collect();
        let mut entries = Vec::with_capacity(self.entries.len() + new.len());
        entries.extend(self.entries.iter().filter(|entry| !new.contains_key(&entry.id)).cloned());
        entries.extend(new.values().copied().filter(|one| !one.is_held).map(Entry::new));
        let mut held = self.held.clone();
        held.retain(|id| !new.contains_key(id));
        held.extend(new.into_values().filter(|one| one.is_held).map(|one| one.id));
        Self::sorted(entries, held)
    }

    /// Everybody on the page, with those who are not listed.
    pub fn members(&self) -> usize {
        self.entries.len() + self.held.len()
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many people have a recording that others may hear.
    pub fn recorded(&self) -> usize {
        self.recorded
    }

    /// The initials of all names, in order.
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The approximate size in memory.
    pub fn bytes(&self) -> usize {
        let names: usize = self.entries.iter().map(|entry| entry.names.len()).sum();
        names + self.entries.len() * size_of::<Entry>() + self.held.len() * size_of::<ParticipantId>()
    }

    /// How many people there are besides these, and how many of them have no recording.
    pub fn count_without(&self, apart: &HashSet<ParticipantId>) -> (usize, usize) {
        let counted = self.entries.iter().filter(|entry| !apart.contains(&entry.id));
        counted.fold((0, 0), |(all, silent), entry| (all + 1, silent + usize::from(!entry.is_recorded)))
    }

    /// Those of these people who are on the page, in the order of their ids.
    pub fn of(&self, ids: &HashSet<ParticipantId>) -> Vec<ParticipantId> {
        let mut found: Vec<ParticipantId> =
            self.entries.iter().map(|entry| entry.id).filter(|id| ids.contains(id)).collect();
        found.sort_unstable();
        found
    }

    /// Everybody who matches, except for these people, in order.
    pub fn matching(&self, filter: &Filter, apart: &HashSet<ParticipantId>) -> Vec<ParticipantId> {
        let search = searchable(&filter.search);
        let words = search.split(separates_words).filter(|word| !word.is_empty());
        let mut words: Vec<String> = words.take(MAX_WORDS).map(str::to_owned).collect();
        words.sort_unstable();
        words.dedup();
        let is_wanted = |entry: &&Entry| {
            !(filter.unrecorded && entry.is_recorded)
                && filter.letter.is_none_or(|letter| entry.letter() == letter)
                && entry.matches(&words)
                && !apart.contains(&entry.id)
        };
        self.entries.iter().filter(is_wanted).map(|entry| entry.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn person(id: i64, first: &str, last: &str, is_recorded: bool) -> Listed {
        let some = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        Listed {
            id: ParticipantId::new(id),
            first_name: some(first),
            last_name: some(last),
            is_recorded,
            is_held: false,
        }
    }

    fn everybody() -> Directory {
        Directory::new(&[
            person(1, "Siobhán", "Ní Bhriain", true),
            person(2, "小龍", "李", false),
            person(3, "Nguyễn", "", false),
            person(4, "Ana", "Lima", true),
            person(5, "Ana", "Abel", false),
        ])
    }

    fn ids(found: Vec<ParticipantId>) -> Vec<i64> {
        found.into_iter().map(ParticipantId::get).collect()
    }

    fn found(search: &str, unrecorded: bool) -> Vec<i64> {
        let filter = Filter { search: search.to_owned(), unrecorded, letter: None };
        ids(everybody().matching(&filter, &HashSet::new()))
    }

    #[test]
    fn people_are_ordered_by_last_name_and_a_single_name_counts_as_one() {
        assert_eq!(found("", false), [5, 4, 3, 1, 2]);
        assert_eq!(found("ana", false), [5, 4]);
    }

    #[test]
    fn every_word_of_a_search_must_be_part_of_a_name() {
        assert_eq!(found("lima ana", false), [4]);
        assert_eq!(found("NI siobhan", false), [1]);
        assert_eq!(found("analima", false), [4], "a whole name without a blank");
        assert_eq!(found("limaan", false), [4], "with the last name first");
        assert_eq!(found("李小龍", false), [2]);
        assert_eq!(found("小龍李", false), [2]);
        assert_eq!(found("nguyen", false), [3]);
        assert_eq!(found("Lima, Ana", false), [4], "as in a list");
        assert_eq!(found("ní-bhriain", false), [1], "as in another list");
        assert_eq!(found("李、小龍", false), [2]);
        assert_eq!(found("ana x", false), [0; 0]);
        assert_eq!(found("a\0l", false), [0; 0], "what is between the names is no part of them");
    }

    #[test]
    fn those_without_a_recording_can_be_chosen() {
        assert_eq!(found("", true), [5, 3, 2]);
        assert_eq!(everybody().recorded(), 2);
    }

    #[test]
    fn those_who_are_listed_apart_do_not_match_and_do_not_count() {
        let apart = HashSet::from([4, 2, 9].map(ParticipantId::new));
        assert_eq!(ids(everybody().matching(&Filter::default(), &apart)), [5, 3, 1]);
        assert_eq!(everybody().count_without(&apart), (3, 2));
        assert_eq!(ids(everybody().of(&apart)), [2, 4]);
    }

    #[test]
    fn names_of_any_script_have_an_initial() {
        for (first, last, letter) in [
            ("Ana", "Lima", "L"),
            ("Ana", "", "A"),
            ("", "Ångström", "A"),
            ("", "Łukasiewicz", "L"),
            ("", "Øre", "O"),
            ("", "’t Hooft", "T"),
            ("小龍", "李", "李"),
            ("", "Иванов", "И"),
            ("", "أحمد", "ا"),
            ("", "김", "ㄱ"),
            ("", "최", "ㅊ"),
            ("", "แก้ว", "ก"),
            ("", "शर्मा", "श"),
            ("", "ﬁnn", "F"),
            ("", "3 Doors", "#"),
            ("", "🙂", "#"),
            ("", "", "#"),
        ] {
            let directory = Directory::new(&[person(1, first, last, false)]);
            let shown: Vec<String> = directory.letters().iter().map(Letter::to_string).collect();
            assert_eq!(shown, [letter], "{first} {last}");
            let filter = Filter { letter: Letter::parse(letter), ..Filter::default() };
            assert!(filter.letter.is_some(), "{letter}");
            assert_eq!(ids(directory.matching(&filter, &HashSet::new())), [1], "{letter}");
        }
        assert_eq!(Letter::parse("é"), Letter::parse(" E "));
        assert_eq!((Letter::parse(""), Letter::parse("!")), (None, None));
        let letters = everybody();
        let letters: Vec<String> = letters.letters().iter().map(Letter::to_string).collect();
        assert_eq!(letters, ["A", "L", "N", "李"]);
    }

    proptest! {
        #[test]
        fn changes_lead_to_the_same_as_reading_everybody_again(
            old in prop::collection::vec((0_i64..40, "[a-cé ]{0,4}", "[a-c]{0,3}", any::<bool>()), 0..40),
            new in prop::collection::vec((0_i64..60, "[a-cé ]{0,4}", "[a-c]{0,3}", any::<bool>()), 0..40),
        ) {
            let listed = |rows: &[(i64, String, String, bool)]| {
                let named = rows.iter().map(|(id, first, last, has)| (*id, person(*id, first, last, *has)));
                named.collect::<HashMap<i64, Listed>>()
            };
            let (old, new) = (listed(&old), listed(&new));
            let values = |map: &HashMap<i64, Listed>| map.values().cloned().collect::<Vec<_>>();
            let changed = Directory::new(&values(&old)).with(&values(&new));
            let mut both = old;
            both.extend(new);
            let again = Directory::new(&values(&both));
            for unrecorded in [false, true] {
                let filter = Filter { unrecorded, ..Filter::default() };
                let all = |directory: &Directory| ids(directory.matching(&filter, &HashSet::new()));
                prop_assert_eq!(all(&changed), all(&again));
            }
            prop_assert_eq!(changed.letters(), again.letters());
            prop_assert_eq!(changed.recorded(), again.recorded());
        }
    }
}
