//! A person as a vCard 4.0 (RFC 6350; pronouns and phonetic names from RFC 9554).

const MAX_LINE: usize = 75;

/// What a card says. Links are URLs; everything else is plain text.
#[derive(Debug, Clone, Default)]
pub struct Contact<'a> {
    pub full_name: &'a str,
    pub first_name: Option<&'a str>,
    pub last_name: Option<&'a str>,
    /// How the name is said, to be written as a phonetic name if its words can be assigned to the first and the last name.
    pub phonetic: Option<&'a str>,
    pub pronouns: Vec<&'a str>,
    pub email: Option<&'a str>,
    pub recording: Option<String>,
    pub photo: Option<String>,
    pub note: Option<String>,
    /// The person's page, which also identifies the card.
    pub url: String,
}

impl Contact<'_> {
    pub fn written(&self) -> String {
        let text = |value: Option<&str>| escaped(value.unwrap_or_default());
        let mut card = Card::default();
        card.line("BEGIN:VCARD");
        card.line("VERSION:4.0");
        card.line(&format!("FN:{}", escaped(self.full_name)));
        let name = format!("{};{};;;", text(self.last_name), text(self.first_name));
        match self.phonetic.and_then(|phonetic| self.assigned(phonetic)) {
            Some((first, last)) => {
                card.line(&format!("N;ALTID=1:{name};;"));
                card.line(&format!(
                    "N;ALTID=1;PHONETIC=script;SCRIPT=Latn:{};{};;;;;",
                    escaped(&last),
                    escaped(&first)
                ));
                // Address books that do not know RFC 9554 read these.
                for (property, part) in [("X-PHONETIC-FIRST-NAME", first), ("X-PHONETIC-LAST-NAME", last)] {
                    if !part.is_empty() {
                        card.line(&format!("{property}:{}", escaped(&part)));
                    }
                }
            }
            None => card.line(&format!("N:{name}")),
        }
        for pronouns in &self.pronouns {
            card.line(&format!("PRONOUNS:{}", escaped(pronouns)));
        }
        if let Some(email) = self.email {
            card.line(&format!("EMAIL:{}", escaped(email)));
        }
        if let Some(link) = &self.recording {
            card.line(&format!("SOUND;VALUE=uri;MEDIATYPE=audio/mpeg:{link}"));
        }
        if let Some(link) = &self.photo {
            card.line(&format!("PHOTO;VALUE=uri;MEDIATYPE=image/jpeg:{link}"));
        }
        if let Some(note) = &self.note {
            card.line(&format!("NOTE:{}", escaped(note)));
        }
        card.line(&format!("URL:{}", self.url));
        card.line(&format!("UID:{}", self.url));
        card.line("END:VCARD");
        card.0
    }

    /// The phonetic first and last name: if there are as many words as in the name, each belongs to one of them. `None` for scripts
    /// other than Latin, which the standard has no general word for.
    fn assigned(&self, phonetic: &str) -> Option<(String, String)> {
        let count = |name: Option<&str>| name.unwrap_or_default().split_whitespace().count();
        let (first, last) = (count(self.first_name), count(self.last_name));
        let words: Vec<&str> = phonetic.split_whitespace().collect();
        let is_latin = phonetic.chars().all(|c| !c.is_alphabetic() || c < '\u{250}');
        if !is_latin || words.is_empty() || words.len() != first + last {
            return None;
        }
        let (first, last) = words.split_at(first);
        Some((first.join(" "), last.join(" ")))
    }
}

#[derive(Default)]
struct Card(String);

impl Card {
    /// Folds long lines without splitting a character.
    fn line(&mut self, text: &str) {
        let mut length = 0;
        for c in text.chars() {
            if length + c.len_utf8() > MAX_LINE {
                self.0.push_str("\r\n ");
                length = 1;
            }
            self.0.push(c);
            length += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | ',' | ';' => safe.extend(['\\', c]),
            '\n' => safe.push_str("\\n"),
            '\r' => {}
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_at_75_octets_and_no_letter_is_split() {
        let mut card = Card::default();
        let text = format!("FN:{}", "é漢".repeat(40));
        card.line(&text);
        assert!(card.0.lines().all(|line| line.len() <= 75), "{}", card.0);
        assert_eq!(card.0.replace("\r\n ", ""), format!("{text}\r\n"));
    }

    #[test]
    fn signs_with_a_meaning_are_escaped() {
        assert_eq!(escaped("a;b,c\\d\r\ne"), "a\\;b\\,c\\\\d\\ne");
    }

    #[test]
    fn a_phonetic_name_is_a_second_name_if_its_words_can_be_assigned() {
        let contact = Contact {
            full_name: "Gráinne Ní Bhriain",
            first_name: Some("Gráinne"),
            last_name: Some("Ní Bhriain"),
            phonetic: Some("GRAWN-yuh nee VREE-in"),
            url: "https://names.example.edu/badges/1/x".to_owned(),
            ..Contact::default()
        };
        let card = contact.written();
        for line in [
            "N;ALTID=1:Ní Bhriain;Gráinne;;;;;\r\n",
            "N;ALTID=1;PHONETIC=script;SCRIPT=Latn:nee VREE-in;GRAWN-yuh;;;;;\r\n",
            "X-PHONETIC-FIRST-NAME:GRAWN-yuh\r\n",
            "X-PHONETIC-LAST-NAME:nee VREE-in\r\n",
        ] {
            assert!(card.contains(line), "{line}\n{card}");
        }
        for other in ["GRAWN-yuh", "a b c d", "ˈɡɾaːn̠ʲə nʲiː vʲɾʲiənʲ", "グローニャ ニー ヴリーン", ""]
        {
            let card = Contact { phonetic: Some(other), ..contact.clone() }.written();
            assert!(card.contains("\r\nN:Ní Bhriain;Gráinne;;;\r\n"), "{other}\n{card}");
            assert!(!card.contains("PHONETIC"), "{other}\n{card}");
        }
    }
}
