//! List parameters in every form that clients send: comma-separated, JSON arrays, repeated and indexed keys, JSON
//! arrays in strings, stray quotes.

use std::collections::HashSet;

use serde_json::Value;

use crate::{
    app::participants::PersonKey,
    domain::{
        email::email_key,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        text,
    },
    http::params::{Given, Params, base},
};

const MAX_ENTRIES: usize = 10_000;

/// A person in the request: the normalized key for the query, and the original spelling for URLs.
#[derive(Debug, Clone)]
pub struct LookupKey {
    pub key: String,
    pub shown: String,
}

/// One entry of a list.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    text: String,
    /// A space in it may have been a plus.
    from_form: bool,
}

impl Entry {
    /// Emails contain no spaces, so a space from a form was a plus.
    fn with_plus(self) -> String {
        if self.from_form && self.text.contains(' ') { self.text.replace(' ', "+") } else { self.text }
    }

    fn into_email(self) -> LookupKey {
        let shown = self.with_plus();
        LookupKey { key: email_key(&shown), shown }
    }

    fn into_identifier(self) -> LookupKey {
        LookupKey { key: text::nfc(&self.text), shown: self.text }
    }

    fn into_person_key(self) -> PersonKey {
        let as_given = text::nfc(&self.text);
        let LookupKey { key, shown } = self.into_email();
        PersonKey { as_email: key, as_given, spelled: shown }
    }
}

/// A person key from a path, where `+` is literal.
pub fn person_key(given: &str) -> PersonKey {
    let given = given.trim();
    PersonKey { as_email: email_key(given), as_given: text::nfc(given), spelled: given.to_owned() }
}

impl Params {
    /// Email keys, deduplicated.
    pub fn emails(&self, name: &'static str, errors: &mut FieldErrors) -> Vec<LookupKey> {
        once(self.list(name, true, errors).into_iter().map(Entry::into_email).collect(), only_key)
    }

    /// Identifier keys, deduplicated.
    pub fn identifiers(&self, name: &'static str, errors: &mut FieldErrors) -> Vec<LookupKey> {
        once(self.list(name, false, errors).into_iter().map(Entry::into_identifier).collect(), only_key)
    }

    /// Person keys from all of these lists, deduplicated.
    pub fn person_keys(&self, names: &[&'static str], errors: &mut FieldErrors) -> Vec<PersonKey> {
        let mut person_keys = Vec::new();
        for name in names {
            let entries = self.list(name, *name != "institution_id_list", errors);
            person_keys.extend(entries.into_iter().map(Entry::into_person_key));
        }
        once(person_keys, both_keys)
    }

    /// A single person key, which may contain a comma.
    pub fn person_key(&self, name: &str) -> Option<PersonKey> {
        let mut entries = Vec::new();
        read_entry(&self.text(name)?, self.is_form(name), &mut entries);
        entries.into_iter().next().map(Entry::into_person_key)
    }

    /// Keywords such as those of `include`.
    pub fn words(&self, name: &'static str) -> Vec<String> {
        self.list(name, true, &mut FieldErrors::default()).into_iter().map(|entry| entry.text).collect()
    }

    /// A list in any of its forms. Array entries are split at commas only where no entry can contain one.
    fn list(&self, name: &'static str, split_entries: bool, errors: &mut FieldErrors) -> Vec<Entry> {
        let mut entries = Vec::new();
        for given in self.all(name) {
            let read = match given {
                Given::Form(text) => read_list(text, true, split_entries, &mut entries),
                Given::Json(Value::String(text)) => read_list(text, false, split_entries, &mut entries),
                Given::Json(Value::Null) => Ok(()),
                Given::Json(Value::Array(values)) => read_array(values, false, split_entries, &mut entries),
                Given::Json(value) => {
                    read_array(std::slice::from_ref(value), false, split_entries, &mut entries)
                }
            };
            // Skipping the entry could leave the list empty, and an empty list means everybody.
            if let Err(NotText) = read
                && !errors.has(&Field::Parameter(name))
            {
                errors.add(Field::Parameter(name), Fault::Invalid);
            }
        }
        if entries.len() > MAX_ENTRIES {
            errors.add(Field::Parameter(name), Fault::TooManyEntries { most: MAX_ENTRIES });
            entries.clear();
        }
        entries
    }

    /// The `identifiers` of a pronunciation search: emails and institution ids.
    pub fn people(&self, name: &'static str, errors: &mut FieldErrors) -> (Vec<LookupKey>, Vec<LookupKey>) {
        let (mut emails, mut identifiers) = (Vec::new(), Vec::new());
        let mut entries = 0;
        let mut field = |key: &str, text: &str, from_form: bool| {
            let mut read = Vec::new();
            read_entry(text, from_form, &mut read);
            for entry in read {
                match key {
                    "email" => emails.push(entry.into_email()),
                    "institution_id" => identifiers.push(entry.into_identifier()),
                    _ => {}
                }
            }
        };
        for (key, given) in self.pairs.iter().filter(|(key, _)| base(key) == name) {
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
                            errors.add(Field::Parameter(name), Fault::NotPeople);
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
                _ => errors.add(Field::Parameter(name), Fault::NotPeople),
            }
        }
        if entries > MAX_ENTRIES {
            errors.add(Field::Parameter(name), Fault::TooManyEntries { most: MAX_ENTRIES });
        } else if emails.is_empty() && identifiers.is_empty() && errors.is_empty() {
            errors.add(Field::Parameter(name), Fault::Blank);
        }
        (once(emails, only_key), once(identifiers, only_key))
    }
}

/// An entry is neither a string nor a number.
struct NotText;

fn read_list(
    text: &str,
    from_form: bool,
    split_entries: bool,
    entries: &mut Vec<Entry>,
) -> Result<(), NotText> {
    let trimmed = text.trim();
    if trimmed.starts_with('[')
        && let Ok(Value::Array(values)) = serde_json::from_str(trimmed)
    {
        return read_array(&values, from_form, split_entries, entries);
    }
    let inner = trimmed.strip_prefix('[').map_or(trimmed, |inner| inner.trim_end_matches(']'));
    inner.split(',').for_each(|entry| read_entry(entry, from_form, entries));
    Ok(())
}

fn read_array(
    values: &[Value],
    from_form: bool,
    split_entries: bool,
    entries: &mut Vec<Entry>,
) -> Result<(), NotText> {
    for value in values {
        match value {
            Value::String(text) if split_entries => {
                text.split(',').for_each(|entry| read_entry(entry, from_form, entries));
            }
            Value::String(text) => read_entry(text, from_form, entries),
            Value::Number(number) => read_entry(&number.to_string(), from_form, entries),
            Value::Null => {}
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => return Err(NotText),
        }
    }
    Ok(())
}

fn read_entry(text: &str, from_form: bool, entries: &mut Vec<Entry>) {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let text = text.trim().trim_matches(QUOTES).trim();
    if text.is_empty() || text == "null" {
        return;
    }
    entries.push(Entry { text: text.to_owned(), from_form });
}

fn only_key(wanted: &LookupKey) -> [&str; 2] {
    [&wanted.key, ""]
}

fn both_keys(wanted: &PersonKey) -> [&str; 2] {
    [&wanted.as_email, &wanted.as_given]
}

/// Deduplicates by keys, keeping the first occurrence.
fn once<T>(mut all: Vec<T>, keys: impl Fn(&T) -> [&str; 2]) -> Vec<T> {
    let mut seen = HashSet::with_capacity(all.len());
    let is_first: Vec<bool> = all.iter().map(|one| seen.insert(keys(one))).collect();
    drop(seen);
    let mut is_first = is_first.into_iter();
    all.retain(|_| is_first.next().unwrap_or(true));
    all
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

    fn keys(wanted: Vec<LookupKey>) -> Vec<String> {
        wanted.into_iter().map(|wanted| wanted.key).collect()
    }

    fn emails(params: &Params) -> Vec<String> {
        let mut errors = FieldErrors::default();
        let emails = keys(params.emails("email_list", &mut errors));
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
        let found = params.identifiers("institution_id_list", &mut FieldErrors::default());
        assert_eq!(found.iter().map(|wanted| wanted.key.as_str()).collect::<Vec<_>>(), ["A,1", "42"]);
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
            let (emails, identifiers) = params.people("identifiers", &mut errors);
            assert_eq!((keys(emails), keys(identifiers)), wanted, "{params:?}");
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
            assert!(errors.has(&Field::Parameter("identifiers")), "{body}");
        }
    }

    #[test]
    fn the_first_of_equal_people_is_kept() {
        let given = json(json!({"email_list": ["B@x.org", "a@x.org", "b@X.org", "A@x.org", "c@x.org"]}));
        let emails = given.emails("email_list", &mut FieldErrors::default());
        let shown: Vec<&str> = emails.iter().map(|email| email.shown.as_str()).collect();
        assert_eq!(shown, ["B@x.org", "a@x.org", "c@x.org"]);
        // The same as an email, but not as an identifier.
        let given = json(json!({"tokens": ["AB", "ab", "AB"]}));
        let people = given.person_keys(&["tokens"], &mut FieldErrors::default());
        assert_eq!(people.iter().map(|one| one.as_given.as_str()).collect::<Vec<_>>(), ["AB", "ab"]);
    }

    #[test]
    fn too_long_a_list_is_an_error() {
        let mut errors = FieldErrors::default();
        json(json!({"email_list": vec!["a@x.org"; 10_001]})).emails("email_list", &mut errors);
        assert!(errors.has(&Field::Parameter("email_list")));
    }
}
