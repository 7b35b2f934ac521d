//! Kinds of custom fields: how people enter a value. Values are texts, whatever the kind.

use super::CustomField;
use crate::domain::{
    fault::{Fault, SetupFault},
    participant::Given,
    text::{self, Lines, longest},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldKind {
    /// One line.
    #[default]
    Text,
    /// Several lines.
    LongText,
    /// One of the options.
    Choice,
    /// Any number of the options.
    Choices,
    YesNo,
}

impl FieldKind {
    pub const ALL: [Self; 5] = [Self::Text, Self::LongText, Self::Choice, Self::Choices, Self::YesNo];
    pub const WORDS: [&'static str; 5] = ["text", "long_text", "choice", "choices", "yes_no"];

    /// The value in the database, in forms and on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::LongText => "long_text",
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::YesNo => "yes_no",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Do people write it themselves?
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::LongText)
    }

    /// Does the institution say what can be chosen?
    pub const fn has_options(self) -> bool {
        matches!(self, Self::Choice | Self::Choices)
    }
}

/// Several choices are one text, as clients of the API read and write it: `Alto; Tenor`.
pub const SEPARATOR: &str = "; ";
/// The values of `YesNo`.
pub const YES: &str = "yes";
pub const NO: &str = "no";

/// The maximum number of options of a field.
pub const MOST_OPTIONS: usize = 200;
/// The maximum length of an option, in characters.
pub const LONGEST_OPTION: usize = 200;

/// The choices in a value of the kind `Choices`.
pub fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(SEPARATOR.trim_end()).map(str::trim).filter(|part| !part.is_empty())
}

/// Reads options. Blank and repeated ones are dropped.
pub fn parse_options<'a>(given: impl Iterator<Item = &'a str>) -> Result<Vec<String>, Fault> {
    let mut options: Vec<String> = Vec::new();
    for one in given.map(str::trim).filter(|one| !text::is_invisible(one)) {
        if one.contains(SEPARATOR.trim_end()) {
            return Err(SetupFault::NotAnOption(one.to_owned()).into());
        }
        if let Some(fault) = text::fault(one, LONGEST_OPTION, Lines::One) {
            return Err(fault);
        }
        if !options.iter().any(|known| known == one) {
            options.push(one.to_owned());
        }
    }
    if options.len() > MOST_OPTIONS {
        return Err(Fault::TooManyEntries { most: MOST_OPTIONS });
    }
    Ok(options)
}

impl CustomField {
    /// Reads what a person has entered: the values of all inputs with the field's name. `current` is the stored value, which may be one
    /// that only an API client would write. It can stay as it is.
    pub fn read(&self, entered: &[String], current: Option<&str>) -> Result<Given<String>, Fault> {
        let Some(first) = entered.first() else { return Ok(Given::Absent) };
        match self.kind {
            FieldKind::Text => plain(first, current, Lines::One),
            FieldKind::LongText => plain(&first.replace("\r\n", "\n"), current, Lines::Many),
            FieldKind::Choice => one_of(first, self.options.iter().map(String::as_str), current),
            FieldKind::YesNo => one_of(first, [YES, NO].into_iter(), current),
            FieldKind::Choices => self.several(entered, current),
        }
    }

    /// In the order of the options; what else the value has comes last.
    fn several(&self, entered: &[String], current: Option<&str>) -> Result<Given<String>, Fault> {
        let others: Vec<&str> = parts(current.unwrap_or_default()).collect();
        let is_chosen = |option: &str| entered.iter().any(|one| one.trim() == option);
        let is_known = |one: &str| self.options.iter().any(|option| option == one);
        let mut entries = entered.iter().map(|one| one.trim()).filter(|one| !one.is_empty());
        if entries.any(|one| !is_known(one) && !others.contains(&one)) {
            return Err(Fault::NotIncluded);
        }
        let kept = others.iter().copied().filter(|one| !is_known(one));
        let chosen: Vec<&str> =
            self.options.iter().map(String::as_str).chain(kept).filter(|option| is_chosen(option)).collect();
        plain(&chosen.join(SEPARATOR), current, Lines::One)
    }
}

fn plain(entered: &str, current: Option<&str>, lines: Lines) -> Result<Given<String>, Fault> {
    if text::is_blank(entered) {
        return Ok(Given::Clear);
    }
    match text::fault(entered, longest::CUSTOM_VALUE, lines) {
        Some(fault) if current != Some(entered) => Err(fault),
        _ => Ok(Given::Set(entered.to_owned())),
    }
}

fn one_of<'a>(
    entered: &str,
    mut options: impl Iterator<Item = &'a str>,
    current: Option<&str>,
) -> Result<Given<String>, Fault> {
    if text::is_blank(entered) {
        return Ok(Given::Clear);
    }
    if options.any(|option| option == entered) || current == Some(entered) {
        return Ok(Given::Set(entered.to_owned()));
    }
    Err(Fault::NotIncluded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: FieldKind, options: &[&str]) -> CustomField {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        CustomField { kind, options, ..CustomField::default() }
    }

    fn read(field: &CustomField, entered: &[&str], current: Option<&str>) -> Result<Given<String>, Fault> {
        let entered: Vec<String> = entered.iter().map(|one| (*one).to_owned()).collect();
        field.read(&entered, current)
    }

    fn set(value: &str) -> Result<Given<String>, Fault> {
        Ok(Given::Set(value.to_owned()))
    }

    #[test]
    fn every_kind_has_its_word() {
        assert_eq!(FieldKind::ALL.map(FieldKind::word), FieldKind::WORDS);
        assert!(FieldKind::ALL.into_iter().all(|kind| FieldKind::parse(kind.word()) == Some(kind)));
        assert_eq!(FieldKind::parse("Text"), None);
    }

    #[test]
    fn only_a_long_text_has_lines() {
        let (short, long) = (field(FieldKind::Text, &[]), field(FieldKind::LongText, &[]));
        assert_eq!(read(&short, &["she/her"], None), set("she/her"));
        assert_eq!(read(&short, &["a\r\nb"], None), Err(Fault::ControlCharacter));
        assert_eq!(read(&long, &["a\r\nb"], None), set("a\nb"));
        for one in [&short, &long] {
            assert_eq!(read(one, &[], Some("x")), Ok(Given::Absent));
            assert_eq!(read(one, &[" "], Some("x")), Ok(Given::Clear));
            assert_eq!(read(one, &["\0"], None), Err(Fault::ControlCharacter));
            let long = "x".repeat(longest::CUSTOM_VALUE + 1);
            assert_eq!(read(one, &[&long], None), Err(Fault::TooLong { most: longest::CUSTOM_VALUE }));
        }
    }

    #[test]
    fn a_choice_is_one_of_the_options_or_what_is_there_already() {
        let voice = field(FieldKind::Choice, &["Alto", "Tenor"]);
        assert_eq!(read(&voice, &["Alto"], None), set("Alto"));
        assert_eq!(read(&voice, &[""], Some("Alto")), Ok(Given::Clear));
        assert_eq!(read(&voice, &["Bass"], None), Err(Fault::NotIncluded));
        assert_eq!(read(&voice, &["Bass"], Some("Bass")), set("Bass"));
        let answer = field(FieldKind::YesNo, &[]);
        assert_eq!((read(&answer, &["yes"], None), read(&answer, &["no"], None)), (set("yes"), set("no")));
        assert_eq!(read(&answer, &["maybe"], None), Err(Fault::NotIncluded));
        assert_eq!(read(&answer, &["TRUE"], Some("TRUE")), set("TRUE"));
    }

    #[test]
    fn several_choices_are_one_text_in_the_order_of_the_options() {
        let voices = field(FieldKind::Choices, &["Alto", "Tenor", "Bass"]);
        assert_eq!(read(&voices, &["", "Bass", "Alto", "Bass"], None), set("Alto; Bass"));
        assert_eq!(read(&voices, &[""], Some("Alto")), Ok(Given::Clear));
        assert_eq!(read(&voices, &["", "Soprano"], None), Err(Fault::NotIncluded));
        // What an API client has written can stay.
        let current = Some("Soprano;Alto");
        assert_eq!(read(&voices, &["", "Soprano", "Alto"], current), set("Alto; Soprano"));
        assert_eq!(read(&voices, &["", "Alto"], current), set("Alto"));
        assert_eq!(parts("Soprano;Alto ;; ").collect::<Vec<_>>(), ["Soprano", "Alto"]);
    }

    #[test]
    fn options_are_short_texts_without_the_separator() {
        let parsed = |given: &str| parse_options(given.lines());
        assert_eq!(parsed(" Alto \n\nTenor\nAlto"), Ok(vec!["Alto".to_owned(), "Tenor".to_owned()]));
        assert_eq!(
            parsed("Alto; Tenor"),
            Err(Fault::from(SetupFault::NotAnOption("Alto; Tenor".to_owned())))
        );
        assert_eq!(parsed(&"x".repeat(201)), Err(Fault::TooLong { most: LONGEST_OPTION }));
        let many: String = (0..=MOST_OPTIONS).map(|number| format!("{number}\n")).collect();
        assert_eq!(parsed(&many), Err(Fault::TooManyEntries { most: MOST_OPTIONS }));
    }
}
