//! Names of files in an archive that people download: after persons, in any script, unique, and safe on every system.

use std::collections::{HashMap, HashSet};

use super::text;

/// The longest name in bytes, without number and ending: file systems permit 255.
const LONGEST: usize = 180;

/// Names that Windows reserves for devices, with any ending.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];
const RESERVED_WITH_DIGIT: [&str; 2] = ["com", "lpt"];

/// `Last_First`, as far as there are names. Nothing that has a meaning in a path is left.
fn stem(first_name: Option<&str>, last_name: Option<&str>) -> String {
    let parts = [last_name, first_name].into_iter().flatten().map(part).filter(|part| !part.is_empty());
    let mut stem = parts.collect::<Vec<_>>().join("_");
    let mut end = stem.len().min(LONGEST);
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    stem.truncate(end);
    // Windows ignores dots and spaces at the end; a dot at the beginning hides the file elsewhere.
    let stem = stem.trim_matches(|c: char| c == '.' || c.is_whitespace()).to_owned();
    match stem.is_empty() {
        true => "unnamed".to_owned(),
        false if is_reserved(&stem) => format!("_{stem}"),
        false => stem,
    }
}

fn part(name: &str) -> String {
    let mut part = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => part.push('-'),
            // They could show the ending as part of the name, or another one.
            '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}' => {}
            c if c.is_control() => {}
            c if c.is_whitespace() => part.push(' '),
            c => part.push(c),
        }
    }
    part
}

fn is_reserved(stem: &str) -> bool {
    let before_dot = stem.split('.').next().unwrap_or_default().trim().to_ascii_lowercase();
    let has_digit = |word: &&str| {
        let rest = before_dot.strip_prefix(*word);
        rest.is_some_and(|rest| rest.chars().count() == 1 && rest.chars().all(char::is_numeric))
    };
    RESERVED.contains(&before_dot.as_str()) || RESERVED_WITH_DIGIT.iter().any(has_digit)
}

/// The names that an archive has already. Names that differ only in case or in Unicode normalization are one file on some systems.
#[derive(Debug, Default)]
pub struct FileNames {
    taken: HashSet<String>,
    /// The last number of a stem, so that many people of one name need no search.
    numbers: HashMap<String, u64>,
}

impl FileNames {
    /// `Last_First.ending`, or `Last_First_2.ending` for the second person of that name.
    pub fn unique(&mut self, first_name: Option<&str>, last_name: Option<&str>, ending: &str) -> String {
        let stem = stem(first_name, last_name);
        let key = text::folded(&stem);
        if self.taken.insert(key.clone()) {
            return format!("{stem}.{ending}");
        }
        let number = self.numbers.entry(key.clone()).or_insert(1);
        loop {
            *number += 1;
            // Somebody may be called so.
            if self.taken.insert(format!("{key}_{number}")) {
                return format!("{stem}_{number}.{ending}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(first: &str, last: &str) -> String {
        FileNames::default().unique(
            (!first.is_empty()).then_some(first),
            (!last.is_empty()).then_some(last),
            "mp3",
        )
    }

    #[test]
    fn a_file_is_named_after_the_person_in_any_script() {
        assert_eq!(name("Ada", "Lovelace"), "Lovelace_Ada.mp3");
        assert_eq!(name("Gráinne", "Ní Bhriain"), "Ní Bhriain_Gráinne.mp3");
        assert_eq!(name("小龍", "李"), "李_小龍.mp3");
        assert_eq!(name("Nguyễn", ""), "Nguyễn.mp3");
        assert_eq!(name("", ""), "unnamed.mp3");
    }

    #[test]
    fn no_name_leads_out_of_the_archive_or_hides_what_it_is() {
        for (first, last, safe) in [
            ("x", "../../etc", "-..-etc_x.mp3"),
            ("passwd", "/etc", "-etc_passwd.mp3"),
            ("b", "C:\\a", "C--a_b.mp3"),
            ("", "..", "unnamed.mp3"),
            ("", ".bashrc", "bashrc.mp3"),
            ("", "CON", "_CON.mp3"),
            ("", "com1.x", "_com1.x.mp3"),
            ("", "lpt¹", "_lpt¹.mp3"),
            ("3pm.exe\u{202e}", "a\0b\nc", "abc_3pm.exe.mp3"),
        ] {
            assert_eq!(name(first, last), safe);
        }
        let long = name(&"é".repeat(200), &"漢".repeat(200));
        assert!(long.len() <= LONGEST + 4 && long.ends_with("漢.mp3"), "{long}");
    }

    #[test]
    fn people_of_one_name_get_numbers_and_nobody_shares_a_file() {
        let mut names = FileNames::default();
        let mut next = |first, last| names.unique(Some(first), Some(last), "mp3");
        assert_eq!(next("Ana", "Lima"), "Lima_Ana.mp3");
        assert_eq!(next("Ana", "Lima"), "Lima_Ana_2.mp3");
        assert_eq!(next("ANA", "lima"), "lima_ANA_3.mp3", "the same file on some systems");
        assert_eq!(next("Zoe\u{308}", "X"), "X_Zoe\u{308}.mp3");
        assert_eq!(next("Zoë", "X"), "X_Zoë_2.mp3", "another normalization");
        assert_eq!(next("Ana_5", "Lima"), "Lima_Ana_5.mp3");
        assert_eq!(next("Ana", "Lima"), "Lima_Ana_4.mp3");
        assert_eq!(next("Ana", "Lima"), "Lima_Ana_6.mp3");
    }
}
