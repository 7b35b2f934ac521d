//! Addresses as people paste them: from mail programs, spreadsheets and lists, with or without names, with any separator.

use std::collections::HashMap;

use super::{
    email::Email,
    text::{self, Lines, longest},
};

/// Bounds of one list.
pub const MOST_ENTRIES: usize = 20_000;
pub const MOST_BYTES: usize = 2 << 20;
/// How many faults are kept; more would not be read.
const MOST_FAULTS: usize = 1_000;
/// How much of an unreadable entry is repeated.
const MOST_SHOWN: usize = 120;

/// Somebody to invite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitee {
    pub email: Email,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}

/// Why an entry was not understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressFault {
    NotAnAddress,
    /// Too long, or with control characters.
    BadName,
}

/// An entry that was not understood, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    pub text: String,
    pub fault: AddressFault,
}

/// Why a list was not read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Excess {
    Bytes,
    Entries,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressList {
    /// In the order of the list, each address once.
    pub invitees: Vec<Invitee>,
    /// How often an address was repeated.
    pub duplicates: usize,
    /// At most a thousand.
    pub unread: Vec<Unread>,
    /// How many there are.
    pub faults: usize,
}

impl AddressList {
    pub fn parse(text: &str) -> Result<Self, Excess> {
        if text.len() > MOST_BYTES {
            return Err(Excess::Bytes);
        }
        let mut reader = Reader::default();
        // A byte order mark, which spreadsheets put in front.
        for line in text.trim_start_matches('\u{feff}').split(['\n', '\r', '\u{2028}', '\u{2029}']) {
            for entry in tokens(line).split(|token| *token == Token::Separator) {
                reader.read(entry);
            }
            if reader.list.invitees.len() + reader.list.faults > MOST_ENTRIES {
                return Err(Excess::Entries);
            }
        }
        Ok(reader.list)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A semicolon and the like: never part of an entry.
    Separator,
    /// Between entries, or between a last name and a first name.
    Comma,
    /// Between cells of a spreadsheet.
    Tab,
    Plain(String),
    Quoted(String),
    /// Between angle brackets.
    Bracketed(String),
}

/// The tokens of a line. Quotation marks and angle brackets without a partner are ordinary characters.
fn tokens(line: &str) -> Vec<Token> {
    let chars: Vec<char> = line.chars().collect();
    // A partner is looked for only up to the last one, which keeps this linear.
    let last_of = |wanted: fn(char) -> bool| chars.iter().rposition(|c| wanted(*c));
    let (last_quote, last_bracket) = (last_of(is_quote), last_of(|c| c == '>'));
    let (mut found, mut plain, mut at) = (Vec::new(), String::new(), 0);
    let end = |plain: &mut String, found: &mut Vec<Token>| {
        let text = std::mem::take(plain);
        if !text.trim().is_empty() {
            found.push(Token::Plain(text.trim().to_owned()));
        }
    };
    while at < chars.len() {
        let c = chars[at];
        let is_at_start = plain.is_empty();
        let paired = match c {
            _ if is_quote(c) && is_at_start && last_quote.is_some_and(|last| last > at) => {
                Some(quoted(&chars[at + 1..]))
            }
            '<' if last_bracket.is_some_and(|last| last > at) => bracketed(&chars[at + 1..]),
            _ => None,
        };
        if let Some((token, length)) = paired {
            end(&mut plain, &mut found);
            found.push(token);
            at += 1 + length;
            continue;
        }
        let separator = match c {
            ';' | '；' | '؛' | '|' => Some(Token::Separator),
            ',' | '，' | '、' | '،' => Some(Token::Comma),
            '\t' => Some(Token::Tab),
            _ => None,
        };
        match separator {
            Some(separator) => {
                end(&mut plain, &mut found);
                found.push(separator);
            }
            None if is_at_start && c.is_whitespace() => {}
            None => plain.push(c),
        }
        at += 1;
    }
    end(&mut plain, &mut found);
    found
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„')
}

/// The text up to the closing mark, and how many characters it takes with the mark. A backslash protects the next character.
fn quoted(rest: &[char]) -> (Token, usize) {
    let (mut text, mut at) = (String::new(), 0);
    while at < rest.len() && !is_quote(rest[at]) {
        if rest[at] == '\\' && at + 1 < rest.len() {
            at += 1;
        }
        text.push(rest[at]);
        at += 1;
    }
    (Token::Quoted(text.trim().to_owned()), (at + 1).min(rest.len()))
}

/// `None` if another bracket opens first.
fn bracketed(rest: &[char]) -> Option<(Token, usize)> {
    let end = rest.iter().position(|c| matches!(c, '>' | '<'))?;
    let text: String = rest[..end].iter().collect();
    (rest[end] == '>').then(|| (Token::Bracketed(text.trim().to_owned()), end + 1))
}

/// A name before it is taken apart: parts that were separated by commas or tabs.
#[derive(Debug, Default)]
struct GivenName {
    parts: Vec<Vec<String>>,
    commas: usize,
}

impl GivenName {
    fn push(&mut self, word: String) {
        match self.parts.last_mut() {
            Some(part) => part.push(word),
            None => self.parts.push(vec![word]),
        }
    }

    /// After a comma or a tab, another part begins.
    fn separate(&mut self, by_comma: bool) {
        if self.parts.last().is_some_and(|part| !part.is_empty()) {
            self.parts.push(Vec::new());
            self.commas += usize::from(by_comma);
        }
    }

    fn texts(self) -> Vec<String> {
        self.parts.into_iter().map(|part| part.join(" ")).filter(|part| is_word(part)).collect()
    }

    /// First and last name. Cells are in this order; with a comma, the last name comes first.
    fn taken_apart(self) -> (Option<String>, Option<String>) {
        let by_comma = self.commas > 0;
        let texts = self.texts();
        match texts.as_slice() {
            [] => (None, None),
            [whole] => match whole.split_once(',') {
                // Within quotation marks.
                Some((last, first)) => (some(first), some(last)),
                None => whole_name(whole),
            },
            [last, first @ ..] if by_comma => (some(&first.join(", ")), some(last)),
            [first, last @ ..] => (some(first), some(&last.join(" "))),
        }
    }
}

fn some(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The last word is the last name. A single word, as of scripts without spaces, is the first name.
fn whole_name(whole: &str) -> (Option<String>, Option<String>) {
    match whole.trim().rsplit_once(char::is_whitespace) {
        Some((first, last)) => (some(first), some(last)),
        None => (some(whole), None),
    }
}

#[derive(Default)]
struct Reader {
    list: AddressList,
    /// Where each address is in the list.
    seen: HashMap<String, usize>,
}

impl Reader {
    /// Reads what is between two separators: entries with brackets, bare addresses, or both.
    fn read(&mut self, tokens: &[Token]) {
        let mut left = 0;
        for (at, token) in tokens.iter().enumerate() {
            if let Token::Bracketed(address) = token {
                self.read_bracketed(&tokens[left..at], address);
                left = at + 1;
            }
        }
        for piece in tokens[left..].split(|token| *token == Token::Comma) {
            self.read_bare(piece);
        }
    }

    /// `Ada Lovelace <ada@example.edu>`, `Lovelace, Ada <…>`; bare addresses may come first.
    fn read_bracketed(&mut self, before: &[Token], address: &str) {
        let mut name = GivenName::default();
        for token in before {
            match token {
                Token::Plain(text) => {
                    for word in text.split_whitespace() {
                        if word.contains('@') {
                            self.add(word, word, (None, None));
                            name = GivenName::default();
                        } else {
                            name.push(word.to_owned());
                        }
                    }
                }
                Token::Quoted(text) => name.push(text.clone()),
                Token::Comma => name.separate(true),
                Token::Tab => name.separate(false),
                Token::Separator | Token::Bracketed(_) => {}
            }
        }
        let (first, last) = name.taken_apart();
        let shown = [first.as_deref(), last.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(" ");
        // Some programs repeat the address as the name.
        let names = if shown.contains('@') { (None, None) } else { (first, last) };
        self.add(address, format!("{shown} <{address}>").trim(), names);
    }

    /// Addresses without brackets. A single one may have a name beside it, in the same piece.
    fn read_bare(&mut self, piece: &[Token]) {
        let (mut addresses, mut name, mut others) = (Vec::new(), GivenName::default(), Vec::new());
        for token in piece {
            match token {
                Token::Plain(text) | Token::Quoted(text) => {
                    for word in text.split_whitespace() {
                        if word.contains('@') {
                            addresses.push(word);
                        } else {
                            name.push(word.to_owned());
                            others.push(word);
                        }
                    }
                }
                Token::Tab => name.separate(false),
                Token::Comma | Token::Separator | Token::Bracketed(_) => {}
            }
        }
        match addresses.as_slice() {
            [address] if others.iter().all(|word| is_like_a_name(word)) => {
                let shown = format!("{} {address}", others.join(" "));
                self.add(address, shown.trim(), name.taken_apart());
            }
            _ => {
                if others.iter().any(|word| is_word(word)) {
                    self.refuse(&others.join(" "), AddressFault::NotAnAddress);
                }
                for address in &addresses {
                    self.add(address, address, (None, None));
                }
            }
        }
    }

    fn add(&mut self, address: &str, shown: &str, names: (Option<String>, Option<String>)) {
        let (first_name, last_name) = names;
        let bare = address.trim_start_matches(|c: char| c.is_whitespace() || "<(['\"".contains(c));
        let bare = bare.trim_end_matches(|c: char| c.is_whitespace() || ">)]'\".:!".contains(c));
        let bare = match bare.get(..7) {
            Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => &bare[7..],
            _ => bare,
        };
        let Some(email) = Email::parse(bare).filter(|email| !email.is_lookalike()) else {
            return self.refuse(shown, AddressFault::NotAnAddress);
        };
        let is_odd = |name: &Option<String>| {
            name.as_ref().is_some_and(|name| text::fault(name, longest::NAME, Lines::One).is_some())
        };
        if is_odd(&first_name) || is_odd(&last_name) {
            return self.refuse(shown, AddressFault::BadName);
        }
        let seen = |name: Option<String>| name.filter(|name| !text::is_invisible(name));
        let new = Invitee { email, first_name: seen(first_name), last_name: seen(last_name) };
        let Some(at) = self.seen.get(new.email.key()).copied() else {
            self.seen.insert(new.email.key().to_owned(), self.list.invitees.len());
            return self.list.invitees.push(new);
        };
        self.list.duplicates += 1;
        let known = &mut self.list.invitees[at];
        if known.first_name.is_none() && known.last_name.is_none() {
            (known.first_name, known.last_name) = (new.first_name, new.last_name);
        }
    }

    fn refuse(&mut self, given: &str, fault: AddressFault) {
        self.list.faults += 1;
        if self.list.unread.len() < MOST_FAULTS {
            let text = given.chars().take(MOST_SHOWN).collect();
            self.list.unread.push(Unread { text, fault });
        }
    }
}

/// Not only punctuation.
fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// A word beside a bare address may also be an address that lacks its `@`.
fn is_like_a_name(word: &str) -> bool {
    let inner = word.trim_end_matches(['.', ':']);
    word.chars().any(char::is_alphabetic) && !inner.contains(['.', '/', '\\', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each entry as `email|first|last`.
    fn read(text: &str) -> Vec<String> {
        let list = AddressList::parse(text).unwrap();
        assert!(list.unread.is_empty(), "{:?}", list.unread);
        let shown = |one: &Invitee| {
            let name = |name: &Option<String>| name.clone().unwrap_or_default();
            format!("{}|{}|{}", one.email.as_given(), name(&one.first_name), name(&one.last_name))
        };
        list.invitees.iter().map(shown).collect()
    }

    fn refused(text: &str) -> Vec<String> {
        AddressList::parse(text).unwrap().unread.into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn addresses_may_have_any_separator() {
        for text in [
            "ada@x.org,bea@x.org",
            "ada@x.org, bea@x.org,",
            "ada@x.org;bea@x.org",
            "ada@x.org ; ; bea@x.org",
            "ada@x.org bea@x.org",
            "ada@x.org\nbea@x.org\n",
            "ada@x.org\r\n\r\nbea@x.org",
            "ada@x.org\tbea@x.org",
            "ada@x.org|bea@x.org",
            "ada@x.org، bea@x.org",
            "ada@x.org、bea@x.org",
            "ada@x.org；bea@x.org",
            "<ada@x.org> <bea@x.org>",
            "<ada@x.org>,<bea@x.org>",
            "mailto:ada@x.org, (bea@x.org).",
            "\u{feff}\"ada@x.org\",\"bea@x.org\"",
        ] {
            assert_eq!(read(text), ["ada@x.org||", "bea@x.org||"], "{text:?}");
        }
    }

    #[test]
    fn names_are_understood_in_every_form() {
        for (text, expected) in [
            ("Ada Lovelace <ada@example.edu>", "ada@example.edu|Ada|Lovelace"),
            ("Ada King Lovelace <ada@example.edu>", "ada@example.edu|Ada King|Lovelace"),
            ("\"Ada Lovelace\" <ada@example.edu>", "ada@example.edu|Ada|Lovelace"),
            ("\"Lovelace, Ada\" <ada@example.edu>", "ada@example.edu|Ada|Lovelace"),
            ("“Lovelace, Ada” <ada@example.edu>", "ada@example.edu|Ada|Lovelace"),
            ("Lovelace, Ada <ada@example.edu>", "ada@example.edu|Ada|Lovelace"),
            ("Lovelace, Ada, PhD <ada@example.edu>", "ada@example.edu|Ada, PhD|Lovelace"),
            ("\"Ada \\\"the\\\" Lovelace\" <ada@example.edu>", "ada@example.edu|Ada \"the\"|Lovelace"),
            ("Ada<ada@example.edu>", "ada@example.edu|Ada|"),
            ("Ada Lovelace ada@example.edu", "ada@example.edu|Ada|Lovelace"),
            ("Ada\tLovelace\tada@example.edu", "ada@example.edu|Ada|Lovelace"),
            ("ada@example.edu\tAda\tKing Lovelace", "ada@example.edu|Ada|King Lovelace"),
            ("J. Lovelace ada@example.edu", "ada@example.edu|J.|Lovelace"),
            ("O'Brien, Siobhán <s@example.ie>", "s@example.ie|Siobhán|O'Brien"),
            ("王小明 <ming@example.cn>", "ming@example.cn|王小明|"),
            ("عائشة الزهراء <aisha@example.edu>", "aisha@example.edu|عائشة|الزهراء"),
            ("Лев Толстой <lev@example.ru>", "lev@example.ru|Лев|Толстой"),
            ("ada@example.edu <ada@example.edu>", "ada@example.edu||"),
            ("\"ada@example.edu\" <ada@example.edu>", "ada@example.edu||"),
            ("用户@例子.中国", "用户@例子.中国||"),
        ] {
            assert_eq!(read(text), [expected], "{text:?}");
        }
    }

    #[test]
    fn several_people_fit_into_one_line() {
        let text = "bob@x.org, Lovelace, Ada <ada@x.org>, \"Hopper, Grace\" <grace@x.org>; Kay <kay@x.org> lin@x.org";
        let expected = [
            "bob@x.org||",
            "ada@x.org|Ada|Lovelace",
            "grace@x.org|Grace|Hopper",
            "kay@x.org|Kay|",
            "lin@x.org||",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn an_address_is_invited_once_with_the_name_that_is_known() {
        let list = AddressList::parse("ada@x.org, ADA@x.org; Ada Lovelace <Ada@X.org>\nada@x.org").unwrap();
        assert_eq!((list.invitees.len(), list.duplicates), (1, 3));
        assert_eq!(list.invitees[0].email.as_given(), "ada@x.org");
        assert_eq!(list.invitees[0].last_name.as_deref(), Some("Lovelace"));
    }

    #[test]
    fn what_is_no_address_is_named() {
        assert_eq!(refused("ada, bea@x.org"), ["ada"]);
        assert_eq!(refused("ada.example.edu bea@x.org"), ["ada.example.edu"]);
        assert_eq!(refused("Ada Lovelace <ada>"), ["Ada Lovelace <ada>"]);
        assert_eq!(refused("Ada <>"), ["Ada <>"]);
        assert_eq!(refused("a@b@c; @; a@"), ["a@b@c", "@", "a@"]);
        assert_eq!(refused("Name\tE-Mail\nAda\tada@x.org"), ["Name E-Mail"]);
        // The Kelvin sign folds to `k`: another mailbox.
        assert_eq!(refused("\u{212a}im@example.edu").len(), 1);
        let long = format!("{} <ada@x.org>", "a".repeat(201));
        let list = AddressList::parse(&long).unwrap();
        assert_eq!((list.invitees.len(), list.unread[0].fault), (0, AddressFault::BadName));
        assert_eq!(list.unread[0].text.chars().count(), MOST_SHOWN);
        for text in ["", " \n\t;,", "\u{feff}"] {
            assert_eq!(AddressList::parse(text).unwrap(), AddressList::default(), "{text:?}");
        }
    }

    #[test]
    fn marks_without_a_partner_do_no_harm() {
        assert_eq!(read("\"Ada <ada@x.org>"), ["ada@x.org|\"Ada|"]);
        assert_eq!(read("Ada 5\" Lovelace <ada@x.org>"), ["ada@x.org|Ada 5\"|Lovelace"]);
        assert_eq!(refused("<<ada@x.org"), Vec::<String>::new());
        assert_eq!(read("<<ada@x.org>>").len(), 1);
        assert_eq!(refused("Ada < ada"), ["Ada < ada"]);
        // A hundred thousand quotation marks or brackets are read in a moment. If time grew with their square, this would take minutes.
        for c in ["\"", "<", ">", "\\", "\"\\", "<a", "@", " ", ",", "a\t"] {
            let _ = AddressList::parse(&c.repeat(100_000));
        }
    }

    #[test]
    fn a_list_is_bounded() {
        let many = |count: usize| (0..count).map(|n| format!("p{n}@x.org\n")).collect::<String>();
        assert_eq!(AddressList::parse(&many(MOST_ENTRIES)).unwrap().invitees.len(), MOST_ENTRIES);
        assert_eq!(AddressList::parse(&many(MOST_ENTRIES + 1)), Err(Excess::Entries));
        assert_eq!(AddressList::parse(&"a".repeat(MOST_BYTES + 1)), Err(Excess::Bytes));
        let list = AddressList::parse(&"x\n".repeat(5_000)).unwrap();
        assert_eq!((list.unread.len(), list.faults), (MOST_FAULTS, 5_000));
        assert_eq!(AddressList::parse(&"x\n".repeat(50_000)), Err(Excess::Entries));
    }
}
