//! The initials of a name, in any script.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// The placeholder for a person without a picture.
pub struct Initials {
    pub letters: String,
    /// The CSS class for the width that they need.
    pub width: &'static str,
}

impl std::fmt::Display for Initials {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.letters)
    }
}

/// No script has more combining marks on one letter.
const MAX_MARKS: usize = 3;

impl Initials {
    pub fn of(first_name: &Option<String>, last_name: &Option<String>) -> Self {
        // NFKC expands ligatures, some of which are whole phrases; only the first letter counts.
        let first = |name: &Option<String>| {
            let mut letters = name.as_deref()?.nfkc().skip_while(|c| !c.is_alphanumeric()).peekable();
            let mut initial: String = letters.next()?.to_uppercase().take(1).collect();
            if is_leading_vowel(&initial) {
                initial.extend(letters.next_if(|c| c.is_alphanumeric()));
            }
            initial.extend(letters.take_while(|c| is_combining_mark(*c)).take(MAX_MARKS));
            Some(initial)
        };
        // A name without letters, such as one of emoji, starts with its first sign.
        let sign = |name: &Option<String>| {
            let mut signs = name.as_deref()?.chars().filter(|c| !c.is_whitespace() && !c.is_control());
            signs.next().map(String::from)
        };
        let parts = [first_name, last_name];
        // A zero-width non-joiner keeps letters of cursive scripts apart.
        let letters = parts
            .into_iter()
            .filter_map(|name| first(name).or_else(|| sign(name)))
            .collect::<Vec<_>>()
            .join("\u{200c}");
        let ems: f32 = letters.chars().map(width).sum();
        let width = if ems <= 1.6 {
            "narrow"
        } else if ems <= 2.2 {
            "wide"
        } else {
            "widest"
        };
        Self { letters, width }
    }
}

/// Thai and Lao write some vowels before their consonant.
fn is_leading_vowel(initial: &str) -> bool {
    matches!(initial.chars().next(), Some('\u{e40}'..='\u{e44}' | '\u{ec0}'..='\u{ec4}'))
}

/// The approximate maximum width of a letter in ems: CSS cannot measure text.
fn width(letter: char) -> f32 {
    match letter {
        '\u{200c}' => 0.0,
        letter if is_combining_mark(letter) => 0.1,
        // Latin, Greek, Cyrillic, Armenian, Hebrew
        '\0'..='\u{5ff}' | '\u{1e00}'..='\u{1fff}' => 0.8,
        // Chinese, Japanese, Korean
        '\u{1100}'..='\u{11ff}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' => 1.05,
        '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}' => 1.05,
        // Arabic
        '\u{600}'..='\u{77f}' => 1.1,
        // South and Southeast Asian scripts, Ethiopic and others
        _ => 1.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_of_any_script_are_short_and_say_how_wide_they_are() {
        let of = |first: &str, last: &str| {
            let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let initials = Initials::of(&some(first), &some(last));
            (initials.letters.replace('\u{200c}', "|"), initials.width)
        };
        for (first, last, letters, width) in [
            ("Ana", "Lima", "A|L", "narrow"),
            ("小龍", "李", "小|李", "wide"),
            ("محمد", "الأمين", "م|ا", "wide"),
            ("ஔவையார்", "", "ஔ", "narrow"),
            ("कृष्ण", "शर्मा", "कृ|श", "widest"),
            ("เอก", "แก้ว", "เอ|แก้", "widest"),
            ("ﷺ", "", "ص", "narrow"),
            ("ﬃ", "ǆ", "F|D", "narrow"),
            ("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}", "", "É\u{302}\u{303}\u{304}", "narrow"),
            ("🙂", "🧑\u{200d}🚀", "🙂|🧑", "widest"),
        ] {
            assert_eq!(of(first, last), (letters.to_owned(), width), "{first} {last}");
        }
    }
}
