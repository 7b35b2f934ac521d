//! Request parameters from query strings, forms and JSON.

use std::{borrow::Cow, collections::HashSet};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::domain::{
    fault::{Fault, Field},
    field_errors::FieldErrors,
    moment::Moment,
    paging::Window,
    participant::Changed,
    text,
};

#[derive(Debug, Default)]
pub struct Params {
    pub(crate) pairs: Vec<(String, Given)>,
    /// How many of the pairs, from the start, came from the body.
    from_body: usize,
}

#[derive(Debug)]
pub(crate) enum Given {
    /// From a query or a form, where `+` is a space.
    Form(String),
    Json(Value),
}

impl Given {
    fn as_name(&self) -> Option<String> {
        match self {
            Self::Form(text) => (!text::is_blank(text)).then(|| text.trim().to_owned()),
            Self::Json(value) => name_of(value),
        }
    }
}

fn name_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text::is_blank(text)).then(|| text.trim().to_owned()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
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
        Self { pairs: pairs.collect(), from_body: 0 }
    }

    pub fn from_json(object: Map<String, Value>) -> Self {
        Self {
            pairs: object.into_iter().map(|(key, value)| (key, Given::Json(value))).collect(),
            from_body: 0,
        }
    }

    /// Merges body parameters with those of the query. The body wins.
    pub fn over(mut self, query: Self) -> Self {
        self.from_body = self.pairs.len();
        let own: HashSet<String> = self.pairs.iter().map(|(key, _)| base(key).to_owned()).collect();
        self.pairs.extend(query.pairs.into_iter().filter(|(key, _)| !own.contains(base(key))));
        self
    }

    /// Is this parameter set in the body?
    pub fn in_body(&self, name: &str) -> bool {
        self.pairs[..self.from_body].iter().any(|(key, _)| base(key) == name)
    }

    /// Did the last value of this name come from a query or a form?
    pub(crate) fn is_form(&self, name: &str) -> bool {
        matches!(self.all(name).last(), Some(Given::Form(_)))
    }

    /// Every value of this name, in order, including `x[]` and `x[0]`.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &Given> {
        self.pairs.iter().filter(move |(key, _)| base(key) == name).map(|(_, value)| value)
    }

    /// The last value of this name; `None` if blank.
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        let last: &Given = self.all(name).last()?;
        let text = match last {
            Given::Form(text) | Given::Json(Value::String(text)) => Cow::Borrowed(text.trim()),
            Given::Json(Value::Number(number)) => Cow::Owned(number.to_string()),
            Given::Json(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// An external identifier: a non-blank string or an integer.
    pub fn name(&self, name: &str) -> Option<String> {
        self.all(name).last().and_then(Given::as_name)
    }

    /// A list of external identifiers; `None` if it is not a list, is empty or has any other entry.
    pub fn names(&self, name: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for given in self.all(name) {
            match given {
                Given::Form(_) => names.push(given.as_name()?),
                Given::Json(Value::Array(all)) => {
                    for value in all {
                        names.push(name_of(value)?);
                    }
                }
                Given::Json(_) => return None,
            }
        }
        (!names.is_empty()).then_some(names)
    }

    pub(crate) fn is_blank(&self, name: &str) -> bool {
        self.all(name).last().is_none_or(|given| match given {
            Given::Form(text) | Given::Json(Value::String(text)) => text::is_blank(text),
            Given::Json(value) => value.is_null(),
        })
    }

    /// A flag; anything but the usual spellings of "true" is false.
    pub fn flag(&self, name: &str) -> bool {
        match self.all(name).last() {
            Some(Given::Json(Value::Bool(truth))) => *truth,
            _ => self.text(name).is_some_and(|text| {
                let words = ["true", "t", "1", "yes", "y", "on"];
                words.iter().any(|word| text.eq_ignore_ascii_case(word))
            }),
        }
    }

    /// An integer or a string of digits; saturates on overflow.
    pub fn integer(&self, name: &str) -> Option<Result<u64, Fault>> {
        if self.is_blank(name) {
            return None;
        }
        let Some(text) = self.text(name) else { return Some(Err(Fault::NotANumber)) };
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(&text)),
        };
        let digits = digits.strip_suffix(".0").unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Some(Err(Fault::NotANumber));
        }
        let number = digits.parse().unwrap_or(u64::MAX);
        Some(if negative && number > 0 { Err(Fault::TooSmall { least: 1 }) } else { Ok(number) })
    }

    pub fn window(&self, errors: &mut FieldErrors) -> Window {
        let mut read = |name, default| match self.integer(name) {
            None => default,
            Some(Ok(0)) => {
                errors.add(Field::Parameter(name), Fault::TooSmall { least: 1 });
                default
            }
            Some(Ok(number)) => number,
            Some(Err(fault)) => {
                errors.add(Field::Parameter(name), fault);
                default
            }
        };
        Window::new(read("page", Window::FIRST.page), read("per_page", Window::FIRST.per_page))
    }

    pub fn moment(&self, name: &'static str, errors: &mut FieldErrors) -> Option<Moment> {
        if self.is_blank(name) {
            return None;
        }
        let moment = self.text(name).and_then(|text| Moment::parse(&text));
        if moment.is_none() {
            errors.add(Field::Parameter(name), Fault::NotATime);
        }
        moment
    }

    pub fn changed(&self, errors: &mut FieldErrors) -> Changed {
        Changed { after: self.moment("updated_after", errors), before: self.moment("updated_before", errors) }
    }
}

pub(crate) fn base(key: &str) -> &str {
    key.split('[').next().unwrap_or(key)
}

const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Percent-encodes for a path or a query.
pub fn encoded(value: &str) -> String {
    utf8_percent_encode(value, RESERVED).to_string()
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

    #[test]
    fn the_body_wins_and_the_query_fills_the_rest() {
        let params = json(json!({"page": 2})).over(Params::from_query("page=3&per_page=7"));
        assert_eq!(params.window(&mut FieldErrors::default()), Window::new(2, 7));
        let params =
            json(json!({"email_list": ["a@x.org"]})).over(Params::from_query("email_list[]=b@x.org"));
        assert_eq!(params.all("email_list").count(), 1);
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
        assert!(errors.has(&Field::Parameter("page")) && errors.has(&Field::Parameter("per_page")));
    }

    #[test]
    fn names_are_strings_or_integers() {
        let params = json(json!({
            "all": [" 101 ", 7, "sis_course_id:A/1"], "none": [], "one": 12, "blank": [" "], "deep": [[1]],
            "part": [1.5], "nothing": null, "text": "a"
        }));
        assert_eq!(params.names("all").unwrap(), ["101", "7", "sis_course_id:A/1"]);
        for name in ["none", "one", "blank", "deep", "part", "nothing", "text", "absent"] {
            assert_eq!(params.names(name), None, "{name}");
        }
        assert_eq!((params.name("one"), params.name("text")), (Some("12".into()), Some("a".into())));
        assert_eq!((params.name("all"), params.name("nothing")), (None, None));
        assert_eq!(Params::from_query("c[]=1&c[]=+x").names("c").unwrap(), ["1", "x"]);
    }

    #[test]
    fn flags_accept_the_usual_spellings() {
        for yes in ["true", "TRUE", "1", "yes", "Yes", "on", "t", "y", " true "] {
            assert!(Params::from_query(&format!("x={yes}")).flag("x"), "{yes}");
        }
        for no in ["", "0", "false", "no", "off", "2", "null", "maybe"] {
            assert!(!Params::from_query(&format!("x={no}")).flag("x"), "{no}");
        }
        assert!(!Params::default().flag("x"));
        assert!(json(json!({"x": true})).flag("x") && json(json!({"x": 1})).flag("x"));
        assert!(!json(json!({"x": false})).flag("x") && !json(json!({"x": {}})).flag("x"));
    }
}
