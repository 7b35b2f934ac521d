//! Text from users: permitted characters, length limits and normalization for matching.

use any_ascii::any_ascii_char;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::fault::Fault;

/// The maximum length of each kind of text, in characters.
pub mod longest {
    pub const NAME: usize = 200;
    pub const EMAIL: usize = 254;
    pub const IDENTIFIER: usize = 200;
    pub const PHONETIC: usize = 500;
    pub const NOTES: usize = 10_000;
    pub const CUSTOM_VALUE: usize = 2_000;
    pub const TITLE: usize = 200;
    pub const SLUG: usize = 100;
    pub const CODE: usize = 100;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    One,
    /// Line breaks and tabs are allowed.
    Many,
}

/// Validates a text. Joiners and direction marks are not control characters: names need them.
pub fn fault(text: &str, longest: usize, lines: Lines) -> Option<Fault> {
    let forbidden = |c: char| c.is_control() && !(lines == Lines::Many && matches!(c, '\n' | '\r' | '\t'));
    if text.chars().any(forbidden) {
        return Some(Fault::ControlCharacter);
    }
    // A text has at least as many bytes as characters, so most texts need no counting.
    if text.len() > longest && text.chars().count() > longest {
        return Some(Fault::TooLong { most: longest });
    }
    None
}

pub fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// The entries of a list as people type it: on lines, or with the commas and semicolons of their keyboard. Blank ones are left out.
pub fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.split([',', ';', '\n', '،', '؛', '，', '、', '；']).filter(|one| !is_blank(one))
}

/// Whether a text has no visible characters: only whitespace, joiners, direction marks, variation selectors, fillers or tags.
/// Next to visible letters these are meaningful and are kept.
pub fn is_invisible(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_ignorable(c))
}

/// Unicode's `Default_Ignorable_Code_Point`, plus other characters that render as nothing: the Braille blank, interlinear
/// annotation marks, hieroglyph format controls, the null notehead, the Khitan filler.
const fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1343f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Normalizes for exact comparison (NFC): "é" is one letter, however it was typed.
pub fn nfc(text: &str) -> String {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => text.to_owned(),
        _ => text.nfc().collect(),
    }
}

/// Normalizes for case-insensitive comparison.
pub fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { nfc(&nfc(text).to_lowercase()) }
}

/// Normalizes for searching and sorting: ignores case, diacritics and compatibility forms.
pub fn searchable(text: &str) -> String {
    // The result would be the same. Searches do this for thousands of titles.
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining(*c)).flat_map(char::to_lowercase) {
        match c {
            // Letters that do not decompose into a base letter and marks, but that people type without them.
            'đ' | 'ð' => plain.push('d'),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'ı' => plain.push('i'),
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'þ' => plain.push_str("th"),
            '’' | '‘' | 'ʼ' => plain.push('\''),
            other => plain.push(other),
        }
    }
    plain
}

/// A word in Latin letters and digits, as somebody types it who cannot write its script; lowercase.
pub fn latin(word: &str) -> String {
    let letters = word.chars().flat_map(|c| any_ascii_char(c).chars());
    letters.filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

const MAX_GENERATED_SLUG: usize = 60;

/// Creates a slug of lowercase ASCII letters, digits and single hyphens from a title in any script; `None` if nothing of it
/// can be transliterated.
pub fn slug_from(title: &str) -> Option<String> {
    let mut slug = String::new();
    for letter in nfc(title).chars() {
        let latin = if letter.is_ascii() { None } else { Some(any_ascii_char(letter)) };
        if latin == Some("") && (is_combining(letter) || is_joiner(letter)) {
            continue;
        }
        let mut ascii = [0; 4];
        let written = latin.filter(|latin| !latin.is_empty()).unwrap_or(letter.encode_utf8(&mut ascii));
        for c in written.chars() {
            if c.is_ascii_alphanumeric() {
                slug.push(c.to_ascii_lowercase());
            } else if c == '\'' && letter.is_alphabetic() {
                // Part of the transliteration of a letter, like the Hebrew ayin.
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        if slug.len() >= MAX_GENERATED_SLUG {
            slug.truncate(MAX_GENERATED_SLUG);
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    (!slug.is_empty()).then(|| slug.to_owned())
}

/// Zero-width characters that join or separate letters within a word.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_combining(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_script_passes_and_control_characters_do_not() {
        for name in
            ["Nguyễn Thị Ánh", "محمد", "क्षत्रिय\u{200d}", "李小龍", "\u{202b}שרה\u{202c}", "O’Brien", "👩🏽‍🎤"]
        {
            assert_eq!(fault(name, longest::NAME, Lines::One), None, "{name}");
        }
        for name in ["a\nb", "tab\there", "nul\0", "del\u{7f}", "c1\u{85}", "\u{1b}[31m"] {
            assert_eq!(fault(name, longest::NAME, Lines::One), Some(Fault::ControlCharacter), "{name:?}");
        }
        assert_eq!(fault("two\r\n\tlines", longest::NOTES, Lines::Many), None);
        assert_eq!(fault("bell\u{7}", longest::NOTES, Lines::Many), Some(Fault::ControlCharacter));
    }

    #[test]
    fn a_text_that_nobody_would_see_is_told_from_one_with_joiners() {
        let invisible = [
            "",
            " \u{a0}\u{3000}",
            "\u{200b}",
            "\u{200c}\u{200d}",
            "\u{200e}\u{200f}",
            "\u{202b}\u{202c}",
            "\u{2060}",
            "\u{2066}\u{2069}",
            "\u{feff}",
            "\u{ad}",
            "\u{34f}",
            "\u{61c}",
            "\u{115f}\u{1160}",
            "\u{3164}",
            "\u{ffa0}",
            "\u{180e}",
            "\u{2800}",
            "\u{fe0f}",
            "\u{e0100}",
            "\u{e0067}\u{e007f}",
            " \u{200b} \u{2800} ",
        ];
        for text in invisible {
            assert!(is_invisible(text), "{text:?}");
        }
        for text in [
            "क्\u{200d}ष",
            "\u{202b}שרה\u{202c}",
            "می\u{200c}خواهم",
            "☺\u{fe0f}",
            "\u{feff}李",
            "가",
            "⠁",
            ".",
        ] {
            assert!(!is_invisible(text), "{text:?}");
        }
    }

    #[test]
    fn length_counts_characters_not_bytes() {
        assert_eq!(fault(&"é".repeat(200), 200, Lines::One), None);
        assert_eq!(fault(&"é".repeat(201), 200, Lines::One), Some(Fault::TooLong { most: 200 }));
    }

    #[test]
    fn folding_joins_what_looks_the_same() {
        assert_eq!(folded("Re\u{301}NE@X.org"), folded("rÉne@x.ORG"));
        assert_ne!(folded("a@x.org"), folded("b@x.org"));
    }

    #[test]
    fn a_search_needs_no_marks_on_letters() {
        for (name, typed) in [
            ("Nguyễn", "NGUYEN"),
            ("Þórsdóttir", "thorsd"),
            ("Łukasz", "luka"),
            ("O’Brien", "o'b"),
            ("李小龍", "小龍"),
        ] {
            assert!(searchable(name).contains(&searchable(typed)), "{name}");
        }
    }

    #[test]
    fn slugs_come_from_titles() {
        assert_eq!(slug_from("Graduación 2027!").as_deref(), Some("graduacion-2027"));
        assert_eq!(slug_from("  Müller & Söhne  ").as_deref(), Some("muller-sohne"));
    }

    #[test]
    fn slugs_are_transliterated_from_any_script() {
        for (title, slug) in [
            ("Введение в философию 2027", "vvedenie-v-filosofiyu-2027"),
            ("Εισαγωγή στη Φιλοσοφία", "eisagogi-sti-filosofia"),
            ("مقدمة في الفلسفة", "mqdmh-fy-lflsfh"),
            ("שלום עולם", "slvm-vlm"),
            ("哲学导论", "zhexuedaolun"),
            ("日本語入門 Ⅰ", "ribenyurumen-i"),
            ("とうきょう", "toukiyou"),
            ("철학 입문", "cheolhag-ibmun"),
            ("हिन्दी भाषा", "hindi-bhasa"),
            ("ไทย", "aithy"),
            ("Þórsdóttir & Łukasz, Straße", "thorsdottir-lukasz-strasse"),
            ("Re\u{301}publique", "republique"),
            ("O’Brien", "o-brien"),
            ("中文 ABC", "zhongwen-abc"),
        ] {
            assert_eq!(slug_from(title).as_deref(), Some(slug), "{title}");
        }
        for nothing in ["", " – ", "\u{e000}\u{200d}", "!!!"] {
            assert_eq!(slug_from(nothing), None, "{nothing:?}");
        }
        for long in ["龍".repeat(200), "ж".repeat(61), format!("{}ᄚ", "x".repeat(59))] {
            let slug = slug_from(&long).unwrap();
            assert!(slug.len() <= 60 && slug.bytes().all(|b| b.is_ascii_lowercase()), "{slug}");
        }
    }
}
