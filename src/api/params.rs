//! Parameters in all the forms in which clients send them, read into one.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::{
    app::participants::Mark,
    domain::{
        email::email_key,
        field_errors::FieldErrors,
        moment::Moment,
        paging::Window,
        participant::Changed,
        text::{self, INVALID},
    },
};

const MOST_ENTRIES: usize = 10_000;

#[derive(Debug, Default)]
pub struct Params(Vec<(String, Given)>);

#[derive(Debug)]
enum Given {
    /// From a query or a form, where `+` is a blank.
    Form(String),
    Json(Value),
}

/// One entry of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    text: String,
    /// A blank in it may have been a plus.
    from_form: bool,
}

impl Entry {
    fn as_email(&self) -> String {
        let text =
            if self.from_form { Cow::Owned(self.text.replace(' ', "+")) } else { Cow::Borrowed(&self.text) };
        email_key(&text)
    }

    fn as_mark(&self) -> Mark {
        Mark { as_email: self.as_email(), as_given: text::nfc(&self.text) }
    }
}

/// A mark from a path, where `+` is a plus.
pub fn mark(given: &str) -> Mark {
    let given = given.trim();
    Mark { as_email: email_key(given), as_given: text::nfc(given) }
}

impl Params {
    pub fn from_query(query: &str) -> Self {
        let decode = |text: &str| {
            let text =
                if text.contains('+') { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(key), Given::Form(decode(value)))
        });
        Self(pairs.collect())
    }

    pub fn from_json(object: Map<String, Value>) -> Self {
        Self(object.into_iter().map(|(key, value)| (key, Given::Json(value))).collect())
    }

    /// These, and of the others what these do not say.
    pub fn over(mut self, others: Self) -> Self {
        let own: Vec<String> = self.0.iter().map(|(key, _)| base(key).to_owned()).collect();
        self.0.extend(others.0.into_iter().filter(|(key, _)| !own.iter().any(|own| own == base(key))));
        self
    }

    /// `x`, `x[]`, `x[0]`: every value under this name, in the order sent.
    fn all(&self, name: &str) -> impl Iterator<Item = &Given> {
        self.0.iter().filter(move |(key, _)| base(key) == name).map(|(_, value)| value)
    }

    /// The last value under this name, when it is not blank.
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let last: &Given = self.all(name).last()?;
        let text = match last {
            Given::Form(text) | Given::Json(Value::String(text)) => Cow::Borrowed(text.trim()),
            Given::Json(Value::Number(number)) => Cow::Owned(number.to_string()),
            Given::Json(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    fn is_blank(&self, name: &str) -> bool {
        self.all(name).last().is_none_or(|given| match given {
            Given::Form(text) | Given::Json(Value::String(text)) => text::is_blank(text),
            Given::Json(value) => value.is_null(),
        })
    }

    /// A whole number, or digits in a text. One that is too large to count with is as large as can be.
    pub fn whole_number(&self, name: &str) -> Option<Result<u64, &'static str>> {
        if self.is_blank(name) {
            return None;
        }
        let Some(text) = self.text(name) else { return Some(Err("is not a number")) };
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(&text)),
        };
        let digits = digits.strip_suffix(".0").unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Some(Err("is not a number"));
        }
        let number = digits.parse().unwrap_or(u64::MAX);
        Some(if negative && number > 0 { Err("must be greater than or equal to 1") } else { Ok(number) })
    }

    pub fn window(&self, errors: &mut FieldErrors) -> Window {
        let mut read = |name, default| match self.whole_number(name) {
            None => default,
            Some(Ok(0)) => {
                errors.add(name, "must be greater than or equal to 1");
                default
            }
            Some(Ok(number)) => number,
            Some(Err(fault)) => {
                errors.add(name, fault);
                default
            }
        };
        Window::new(read("page", Window::FIRST.page), read("per_page", Window::FIRST.per_page))
    }

    pub fn moment(&self, name: &str, errors: &mut FieldErrors) -> Option<Moment> {
        if self.is_blank(name) {
            return None;
        }
        let moment = self.text(name).and_then(|text| Moment::parse(&text));
        if moment.is_none() {
            errors
                .add(name, "is invalid: it must be an ISO-8601 time with a zone, like 2026-01-31T12:00:00Z");
        }
        moment
    }

    pub fn changed(&self, errors: &mut FieldErrors) -> Changed {
        Changed { after: self.moment("updated_after", errors), before: self.moment("updated_before", errors) }
    }

    /// Keys of emails, each asked once.
    pub fn emails(&self, name: &str, errors: &mut FieldErrors) -> Vec<String> {
        once(self.list(name, true, errors).iter().map(Entry::as_email))
    }

    /// Keys of identifiers, each asked once.
    pub fn identifiers(&self, name: &str, errors: &mut FieldErrors) -> Vec<String> {
        once(self.list(name, false, errors).iter().map(|entry| text::nfc(&entry.text)))
    }

    pub fn marks(&self, name: &str, errors: &mut FieldErrors) -> Vec<Mark> {
        once(self.list(name, true, errors).iter().map(Entry::as_mark))
    }

    /// Words such as those of `include`.
    pub fn words(&self, name: &str) -> Vec<String> {
        self.list(name, true, &mut FieldErrors::default()).into_iter().map(|entry| entry.text).collect()
    }

    /// A list in any of its forms. Entries of an array are split at commas only where no entry can hold one.
    fn list(&self, name: &str, split_entries: bool, errors: &mut FieldErrors) -> Vec<Entry> {
        let mut entries = Vec::new();
        for given in self.all(name) {
            match given {
                Given::Form(text) => read_list(text, true, split_entries, &mut entries),
                Given::Json(Value::String(text)) => read_list(text, false, split_entries, &mut entries),
                Given::Json(Value::Null) => {}
                Given::Json(Value::Array(values)) => read_array(values, false, split_entries, &mut entries),
                Given::Json(Value::Number(number)) => read_entry(&number.to_string(), false, &mut entries),
                Given::Json(Value::Bool(_) | Value::Object(_)) => errors.add(name, INVALID),
            }
        }
        if entries.len() > MOST_ENTRIES {
            errors.add(name, format!("is too long (maximum is {MOST_ENTRIES} entries)"));
            entries.clear();
        }
        entries
    }

    /// The identifiers of a pronunciation search, as keys of emails and of identifiers.
    pub fn people(&self, name: &str, errors: &mut FieldErrors) -> (Vec<String>, Vec<String>) {
        let (mut emails, mut identifiers) = (Vec::new(), Vec::new());
        let mut entries = 0;
        let mut field = |key: &str, text: &str, from_form: bool| {
            let mut read = Vec::new();
            read_entry(text, from_form, &mut read);
            for entry in read {
                match key {
                    "email" => emails.push(entry.as_email()),
                    "institution_id" => identifiers.push(text::nfc(&entry.text)),
                    _ => {}
                }
            }
        };
        for (key, given) in self.0.iter().filter(|(key, _)| base(key) == name) {
            let parsed;
            let value = match given {
                // identifiers[0][email]=…, identifiers[][institution_id]=…
                Given::Form(text) if key.ends_with(']') && !key.ends_with("[]") => {
                    let inner = key.rsplit_once('[').map_or("", |(_, inner)| inner.trim_end_matches(']'));
                    field(inner, text, true);
                    entries += 1;
                    continue;
                }
                Given::Form(text) | Given::Json(Value::String(text)) if text::is_blank(text) => continue,
                Given::Form(text) | Given::Json(Value::String(text)) => {
                    parsed = serde_json::from_str(text).unwrap_or(Value::Bool(false));
                    &parsed
                }
                Given::Json(value) => value,
            };
            match value {
                Value::Null => {}
                Value::Array(values) => {
                    entries += values.len();
                    for value in values {
                        let Value::Object(object) = value else {
                            errors.add(name, "must be a list of objects with `email` or `institution_id`");
                            return Default::default();
                        };
                        for (key, value) in object {
                            match value {
                                Value::String(text) => field(key, text, false),
                                Value::Number(number) => field(key, &number.to_string(), false),
                                _ => {}
                            }
                        }
                    }
                }
                _ => errors.add(name, "must be a list of objects with `email` or `institution_id`"),
            }
        }
        if entries > MOST_ENTRIES {
            errors.add(name, format!("is too long (maximum is {MOST_ENTRIES} entries)"));
        } else if emails.is_empty() && identifiers.is_empty() && errors.is_empty() {
            errors.add(name, text::BLANK);
        }
        (once(emails.into_iter()), once(identifiers.into_iter()))
    }
}

fn base(key: &str) -> &str {
    key.split('[').next().unwrap_or(key)
}

fn read_list(text: &str, from_form: bool, split_entries: bool, entries: &mut Vec<Entry>) {
    let trimmed = text.trim();
    if trimmed.starts_with('[') {
        if let Ok(Value::Array(values)) = serde_json::from_str(trimmed) {
            return read_array(&values, from_form, split_entries, entries);
        }
        let inner = trimmed.trim_start_matches('[').trim_end_matches(']');
        return inner.split(',').for_each(|entry| read_entry(entry, from_form, entries));
    }
    trimmed.split(',').for_each(|entry| read_entry(entry, from_form, entries));
}

fn read_array(values: &[Value], from_form: bool, split_entries: bool, entries: &mut Vec<Entry>) {
    for value in values {
        match value {
            Value::String(text) if split_entries => {
                text.split(',').for_each(|entry| read_entry(entry, from_form, entries));
            }
            Value::String(text) => read_entry(text, from_form, entries),
            Value::Number(number) => read_entry(&number.to_string(), from_form, entries),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
    }
}

fn read_entry(text: &str, from_form: bool, entries: &mut Vec<Entry>) {
    const STRAY: [char; 3] = ['"', '\'', '`'];
    let text = text.trim().trim_matches(STRAY).trim();
    // Control characters are refused wherever text comes in, so such an entry can match nobody.
    if text.is_empty() || text == "null" || text.chars().any(char::is_control) {
        return;
    }
    entries.push(Entry { text: text.to_owned(), from_form });
}

fn once<T: Clone + Eq + std::hash::Hash>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = std::collections::HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn json(value: Value) -> Params {
        match value {
            Value::Object(object) => Params::from_json(object),
            other => panic!("{other} is no object"),
        }
    }

    fn emails(params: &Params) -> Vec<String> {
        let mut errors = FieldErrors::default();
        let emails = params.emails("email_list", &mut errors);
        assert!(errors.is_empty(), "{errors}");
        emails
    }

    #[test]
    fn lists_come_in_every_form() {
        let wanted = ["a@x.org", "b@x.org"];
        for query in [
            "email_list=a@x.org,b@x.org",
            "email_list=%20A@x.org%20,%20b@X.org,,null,",
            "email_list[]=a@x.org&email_list[]=b@x.org",
            "email_list%5B%5D=a%40x.org&email_list%5B%5D=b%40x.org",
            "email_list[0]=a@x.org&email_list[1]=b@x.org",
            "email_list=[%22a@x.org%22,%22b@x.org%22]",
            "email_list=[a@x.org,b@x.org]",
            "email_list=`a@x.org`,'b@x.org'",
            "email_list=a@x.org,b@x.org,A@X.ORG",
        ] {
            assert_eq!(emails(&Params::from_query(query)), wanted, "{query}");
        }
        for body in [
            json!({"email_list": "a@x.org,b@x.org"}),
            json!({"email_list": ["a@x.org", null, "", "b@x.org"]}),
            json!({"email_list": "[\"a@x.org\",\"b@x.org\"]"}),
            json!({"email_list": ["a@x.org,b@x.org"]}),
        ] {
            assert_eq!(emails(&json(body.clone())), wanted, "{body}");
        }
    }

    #[test]
    fn a_plus_survives_the_query() {
        assert_eq!(
            emails(&Params::from_query("email_list=a+b@x.org,c%2Bd@x.org")),
            ["a+b@x.org", "c+d@x.org"]
        );
    }

    #[test]
    fn an_identifier_in_an_array_may_hold_a_comma_and_be_a_number() {
        let params = json(json!({"institution_id_list": ["A,1", 42]}));
        assert_eq!(params.identifiers("institution_id_list", &mut FieldErrors::default()), ["A,1", "42"]);
    }

    #[test]
    fn the_body_wins_and_the_query_fills_the_rest() {
        let params = json(json!({"page": 2})).over(Params::from_query("page=3&per_page=7"));
        assert_eq!(params.window(&mut FieldErrors::default()), Window::new(2, 7));
        let params =
            json(json!({"email_list": ["a@x.org"]})).over(Params::from_query("email_list[]=b@x.org"));
        assert_eq!(emails(&params), ["a@x.org"]);
    }

    #[test]
    fn pages_are_whole_numbers_from_one() {
        for (query, wanted) in [
            ("", Window::FIRST),
            ("page=&per_page=", Window::FIRST),
            ("page=3&per_page=25", Window::new(3, 25)),
            ("per_page=1000000", Window::new(1, 10_000)),
            ("page=99999999999999999999999", Window::new(u64::MAX, 10)),
        ] {
            let mut errors = FieldErrors::default();
            assert_eq!(Params::from_query(query).window(&mut errors), wanted, "{query}");
            assert!(errors.is_empty(), "{query}");
        }
        for query in ["page=0", "page=-1", "page=two", "page=1.5", "per_page=0", "per_page=1e3"] {
            let mut errors = FieldErrors::default();
            Params::from_query(query).window(&mut errors);
            assert!(!errors.is_empty(), "{query}");
        }
        let mut errors = FieldErrors::default();
        json(json!({"page": true, "per_page": [1]})).window(&mut errors);
        assert!(errors.has("page") && errors.has("per_page"));
    }

    #[test]
    fn identifiers_of_a_pronunciation_search() {
        let wanted = (vec!["a@x.org".to_owned()], vec!["7".to_owned()]);
        for params in [
            json(json!({"identifiers": [{"email": "A@x.org", "institution_id": 7}]})),
            Params::from_query("identifiers[0][email]=a@x.org&identifiers[0][institution_id]=7"),
            Params::from_query("identifiers=[{\"email\":\"a@x.org\"},{\"institution_id\":\"7\"}]"),
        ] {
            let mut errors = FieldErrors::default();
            assert_eq!(params.people("identifiers", &mut errors), wanted, "{params:?}");
            assert!(errors.is_empty());
        }
        for body in [
            json!({}),
            json!({"identifiers": []}),
            json!({"identifiers": "x"}),
            json!({"identifiers": [1]}),
            json!({"identifiers": [{}]}),
        ] {
            let mut errors = FieldErrors::default();
            json(body.clone()).people("identifiers", &mut errors);
            assert!(errors.has("identifiers"), "{body}");
        }
    }

    #[test]
    fn too_long_a_list_is_an_error() {
        let mut errors = FieldErrors::default();
        json(json!({"email_list": vec!["a@x.org"; 10_001]})).emails("email_list", &mut errors);
        assert!(errors.has("email_list"));
    }
}
