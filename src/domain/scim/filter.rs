//! Filters (RFC 7644, 3.4.2.2): `userName eq "ana"`, `emails[type eq "work" and value co "@x.org"]`, `not (active eq false)`.

use std::cmp::Ordering;

use serde_json::Value;

use super::{
    Fault, FaultKind,
    resource::Object,
    schema::{Attribute, ResourceType, Type, find},
};
use crate::domain::moment::Moment;

/// The longest filter, in bytes.
pub const LONGEST: usize = 8_192;
/// How deep parentheses and brackets may be nested.
const DEEPEST: usize = 16;

#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    Compare {
        path: String,
        operator: Operator,
        value: Value,
    },
    /// The attribute has a value.
    Present {
        path: String,
    },
    /// One value of the attribute matches the filter.
    Values {
        path: String,
        filter: Box<Filter>,
    },
    And(Vec<Filter>),
    Or(Vec<Filter>),
    Not(Box<Filter>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    Contains,
    StartsWith,
    EndsWith,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Operator {
    fn parse(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "eq" => Self::Equal,
            "ne" => Self::NotEqual,
            "co" => Self::Contains,
            "sw" => Self::StartsWith,
            "ew" => Self::EndsWith,
            "gt" => Self::Greater,
            "ge" => Self::GreaterOrEqual,
            "lt" => Self::Less,
            "le" => Self::LessOrEqual,
            _ => return None,
        })
    }
}

impl Filter {
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > LONGEST {
            return Err(invalid(format!("a filter may have {LONGEST} bytes at most")));
        }
        let mut parser = Parser { rest: text, depth: 0 };
        let filter = parser.any()?;
        parser.end()?;
        Ok(filter)
    }

    pub fn matches(&self, kind: &'static ResourceType, resource: &Object) -> bool {
        self.holds(&Scope::Resource(kind, resource))
    }

    /// Does a value of an attribute that has several match? Paths are the names of its parts.
    pub fn matches_value(&self, attribute: &'static Attribute, value: &Object) -> bool {
        self.holds(&Scope::Value(attribute, value))
    }

    fn holds(&self, scope: &Scope<'_>) -> bool {
        match self {
            Self::And(all) => all.iter().all(|one| one.holds(scope)),
            Self::Or(all) => all.iter().any(|one| one.holds(scope)),
            Self::Not(one) => !one.holds(scope),
            Self::Present { path } => scope.leaves(path).0.iter().any(|value| is_present(value)),
            Self::Values { path, filter } => {
                scope.values(path).any(|(attribute, value)| filter.matches_value(attribute, value))
            }
            Self::Compare { path, operator, value: wanted } => {
                let (found, is_exact) = scope.leaves(path);
                match (operator, wanted) {
                    // What has no value equals null.
                    (Operator::Equal, Value::Null) => found.is_empty(),
                    (Operator::NotEqual, Value::Null) => !found.is_empty(),
                    (Operator::NotEqual, _) => !found.iter().any(|one| is_equal(one, wanted, is_exact)),
                    _ => found.iter().any(|one| compares(one, *operator, wanted, is_exact)),
                }
            }
        }
    }

    /// The text with which an attribute must be equal, if the filter says just that.
    pub fn equality(&self) -> Option<(&str, &str)> {
        match self {
            Self::Compare { path, operator: Operator::Equal, value: Value::String(value) } => {
                Some((path, value))
            }
            _ => None,
        }
    }
}

fn invalid(detail: impl Into<String>) -> Fault {
    Fault::new(FaultKind::InvalidFilter, detail)
}

/// Where the paths of a filter lead.
enum Scope<'a> {
    Resource(&'static ResourceType, &'a Object),
    Value(&'static Attribute, &'a Object),
}

impl<'a> Scope<'a> {
    /// The values that a path leads to, and whether their case matters.
    fn leaves(&self, path: &str) -> (Vec<&'a Value>, bool) {
        match self {
            Self::Value(attribute, object) => {
                let part = find(attribute.parts, path);
                let found = part.and_then(|part| object.get(part.name)).into_iter().collect();
                (found, part.is_some_and(|part| part.is_case_exact))
            }
            Self::Resource(kind, object) => {
                let Some(target) = kind.resolve(path) else { return (Vec::new(), false) };
                let Some((attribute, found)) = attribute_of(&target, object) else {
                    return (Vec::new(), false);
                };
                // Without a part, several values are compared by `value`.
                let part = target.part.or_else(|| {
                    let is_list = attribute.is_many && attribute.kind == Type::Complex;
                    is_list.then(|| find(attribute.parts, "value")).flatten()
                });
                let values: Vec<&'a Value> = match found {
                    Value::Array(all) => all.iter().collect(),
                    single => vec![single],
                };
                match part {
                    None => (values, attribute.is_case_exact),
                    Some(part) => {
                        let parts = values.into_iter().filter_map(|value| value.get(part.name)).collect();
                        (parts, part.is_case_exact)
                    }
                }
            }
        }
    }

    /// The values of an attribute that has several.
    fn values(&self, path: &str) -> impl Iterator<Item = (&'static Attribute, &'a Object)> {
        let found = match self {
            Self::Resource(kind, object) => {
                kind.resolve(path).and_then(|target| attribute_of(&target, object))
            }
            Self::Value(..) => None,
        };
        found.into_iter().flat_map(|(attribute, found)| {
            let all: &'a [Value] = match found {
                Value::Array(all) => all,
                single => std::slice::from_ref(single),
            };
            all.iter().filter_map(move |value| Some((attribute, value.as_object()?)))
        })
    }
}

fn attribute_of<'a>(
    target: &super::schema::Target,
    object: &'a Object,
) -> Option<(&'static Attribute, &'a Value)> {
    let attribute = target.attribute?;
    let object = match target.extension {
        Some(extension) => object.get(extension.id)?.as_object()?,
        None => object,
    };
    Some((attribute, object.get(attribute.name)?))
}

fn is_present(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Object(all) => !all.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn is_equal(found: &Value, wanted: &Value, is_exact: bool) -> bool {
    match (found, wanted) {
        (Value::String(found), Value::String(wanted)) if is_exact => found == wanted,
        (Value::String(found), Value::String(wanted)) => found.to_lowercase() == wanted.to_lowercase(),
        // Directories write booleans as texts, too.
        (Value::Bool(found), Value::String(wanted)) => wanted.eq_ignore_ascii_case(&found.to_string()),
        _ => found == wanted,
    }
}

fn compares(found: &Value, operator: Operator, wanted: &Value, is_exact: bool) -> bool {
    if operator == Operator::Equal {
        return is_equal(found, wanted, is_exact);
    }
    let (Value::String(found), Value::String(wanted)) = (found, wanted) else { return false };
    let cased = |text: &str| if is_exact { text.to_owned() } else { text.to_lowercase() };
    let order = || match (Moment::parse(found), Moment::parse(wanted)) {
        (Some(found), Some(wanted)) => found.micros().cmp(&wanted.micros()),
        _ => cased(found).cmp(&cased(wanted)),
    };
    match operator {
        Operator::Equal => true,
        Operator::NotEqual => false,
        Operator::Contains => cased(found).contains(&cased(wanted)),
        Operator::StartsWith => cased(found).starts_with(&cased(wanted)),
        Operator::EndsWith => cased(found).ends_with(&cased(wanted)),
        Operator::Greater => order() == Ordering::Greater,
        Operator::GreaterOrEqual => order() != Ordering::Less,
        Operator::Less => order() == Ordering::Less,
        Operator::LessOrEqual => order() != Ordering::Greater,
    }
}

/// The path of a PATCH operation (RFC 7644, 3.5.2): an attribute, possibly with a filter of its values and a part of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    pub attribute: String,
    pub filter: Option<Filter>,
    /// After the filter. Without one, the part is in `attribute`.
    pub part: Option<String>,
}

impl Path {
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let wrong = |why: Fault| Fault::new(FaultKind::InvalidPath, why.detail);
        if text.len() > LONGEST {
            return Err(wrong(invalid(format!("a path may have {LONGEST} bytes at most"))));
        }
        let mut parser = Parser { rest: text, depth: 0 };
        let attribute = parser.path().map_err(wrong)?.to_owned();
        let (mut filter, mut part) = (None, None);
        if parser.takes('[') {
            filter = Some(parser.bracketed().map_err(wrong)?);
            part = parser.part().map_err(wrong)?;
        }
        parser.end().map_err(wrong)?;
        Ok(Self { attribute, filter, part })
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, wanted: char) -> bool {
        self.skip_blanks();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn end(&mut self) -> Result<(), Fault> {
        self.skip_blanks();
        if self.rest.is_empty() { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> Fault {
        let near: String = self.rest.chars().take(20).collect();
        if near.is_empty() {
            invalid("it ends too early")
        } else {
            invalid(format!("`{near}` is not expected there"))
        }
    }

    /// A word of these characters.
    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !is_part(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn path(&mut self) -> Result<&'a str, Fault> {
        let before = self.rest;
        let word = self.word(|c| c.is_ascii_alphanumeric() || "_-$:.".contains(c));
        if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '$') {
            Ok(word)
        } else {
            self.rest = before;
            Err(self.unexpected())
        }
    }

    /// Takes this word, whatever its case, if it comes next.
    fn takes_word(&mut self, wanted: &str) -> bool {
        self.skip_blanks();
        let Some((word, rest)) = self.rest.split_at_checked(wanted.len()) else { return false };
        let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "_-$:.".contains(c));
        let is_there = ends && word.eq_ignore_ascii_case(wanted);
        if is_there {
            self.rest = rest;
        }
        is_there
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth == DEEPEST {
            return Err(invalid(format!("it may be nested {DEEPEST} times at most")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn any(&mut self) -> Result<Filter, Fault> {
        self.series("or", Self::all, Filter::Or)
    }

    fn all(&mut self) -> Result<Filter, Fault> {
        self.series("and", Self::single, Filter::And)
    }

    fn series(
        &mut self,
        word: &str,
        parse: fn(&mut Self) -> Result<Filter, Fault>,
        join: fn(Vec<Filter>) -> Filter,
    ) -> Result<Filter, Fault> {
        let first = parse(self)?;
        if !self.takes_word(word) {
            return Ok(first);
        }
        let mut series = vec![first, parse(self)?];
        while self.takes_word(word) {
            series.push(parse(self)?);
        }
        Ok(join(series))
    }

    fn single(&mut self) -> Result<Filter, Fault> {
        let before = self.rest;
        if self.takes_word("not") {
            if self.takes('(') {
                return Ok(Filter::Not(Box::new(self.nested(Self::grouped)?)));
            }
            // An attribute may have this name.
            self.rest = before;
        }
        if self.takes('(') {
            return self.nested(Self::grouped);
        }
        let path = self.path()?.to_owned();
        if !self.rest.starts_with('[') {
            return self.comparison(path);
        }
        self.takes('[');
        let filter = self.bracketed()?;
        // Not in the RFC, but directories send `emails[type eq "work"].value eq "ana@x.org"`.
        let filter = match self.part()? {
            Some(part) => Filter::And(vec![filter, self.comparison(part)?]),
            None => filter,
        };
        Ok(Filter::Values { path, filter: Box::new(filter) })
    }

    fn grouped(&mut self) -> Result<Filter, Fault> {
        let filter = self.any()?;
        if self.takes(')') { Ok(filter) } else { Err(self.unexpected()) }
    }

    /// After the opening bracket.
    fn bracketed(&mut self) -> Result<Filter, Fault> {
        let filter = self.nested(Self::any)?;
        if self.takes(']') { Ok(filter) } else { Err(self.unexpected()) }
    }

    /// A part that follows a closing bracket directly.
    fn part(&mut self) -> Result<Option<String>, Fault> {
        match self.rest.strip_prefix('.') {
            Some(rest) => {
                self.rest = rest;
                self.path().map(|part| Some(part.to_owned()))
            }
            None => Ok(None),
        }
    }

    fn comparison(&mut self, path: String) -> Result<Filter, Fault> {
        let before = self.rest;
        let word = self.word(|c| c.is_ascii_alphabetic());
        if word.eq_ignore_ascii_case("pr") {
            return Ok(Filter::Present { path });
        }
        let Some(operator) = Operator::parse(word) else {
            self.rest = before.trim_start();
            return Err(self.unexpected());
        };
        Ok(Filter::Compare { path, operator, value: self.literal()? })
    }

    /// A JSON string, number, boolean or null.
    fn literal(&mut self) -> Result<Value, Fault> {
        self.skip_blanks();
        if !self.rest.starts_with('"') {
            let before = self.rest;
            let word = self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            let literal = match word.to_ascii_lowercase().as_str() {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                "null" => Some(Value::Null),
                _ => serde_json::from_str(word).ok().filter(Value::is_number),
            };
            return literal.ok_or_else(|| {
                self.rest = before;
                self.unexpected()
            });
        }
        let mut is_escaped = true;
        for (at, c) in self.rest.char_indices() {
            // The first quotation mark opens the string.
            if c == '"' && !is_escaped {
                let (quoted, rest) = self.rest.split_at(at + 1);
                let value = serde_json::from_str(quoted).map_err(|_| self.unexpected())?;
                self.rest = rest;
                return Ok(value);
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        Err(invalid("a text has no closing quotation mark"))
    }
}

#[cfg(test)]
mod tests;
