//! PATCH (RFC 7644, 3.5.2), as directories send it: operations in any case, booleans as texts, keys such as `name.givenName` in a value
//! without a path, values of a `remove`, and filters that match nothing yet.

use serde_json::Value;

use super::{
    Fault, FaultKind,
    filter::{Filter, Operator, Path},
    resource::{self, Object, inner, one, put, replace, values},
    schema::{Attribute, ResourceType, Target, Type, find},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Add,
    Remove,
    Replace,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    pub op: Op,
    pub path: Option<Path>,
    /// `null` if there is none.
    pub value: Value,
}

/// Reads the body of a PATCH.
pub fn parse(body: &Value) -> Result<Vec<Operation>, Fault> {
    let operations = body.as_object().and_then(|body| member(body, "Operations"));
    let Some(Value::Array(operations)) = operations else {
        return Err(Fault::syntax("the body must have a list of Operations"));
    };
    operations.iter().map(operation).collect()
}

fn operation(given: &Value) -> Result<Operation, Fault> {
    let given = given.as_object().ok_or_else(|| Fault::syntax("an operation must be an object"))?;
    let word = member(given, "op").and_then(Value::as_str).unwrap_or_default();
    let op = match word.to_ascii_lowercase().as_str() {
        "add" => Op::Add,
        "remove" => Op::Remove,
        "replace" => Op::Replace,
        _ => return Err(Fault::syntax("op must be add, remove or replace")),
    };
    let path = match member(given, "path") {
        None | Some(Value::Null) => None,
        Some(Value::String(path)) if path.trim().is_empty() => None,
        Some(Value::String(path)) => Some(Path::parse(path)?),
        Some(_) => return Err(Fault::new(FaultKind::InvalidPath, "path must be a string")),
    };
    if path.is_none() && op == Op::Remove {
        return Err(Fault::new(FaultKind::NoTarget, "remove needs a path"));
    }
    Ok(Operation { op, path, value: member(given, "value").cloned().unwrap_or_default() })
}

/// The value of a key, whatever its case.
fn member<'a>(object: &'a Object, key: &str) -> Option<&'a Value> {
    object.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value)
}

impl Operation {
    /// An operation without a path is one for each key of its value.
    pub fn flatten(self) -> Result<Vec<Self>, Fault> {
        if self.path.is_some() {
            return Ok(vec![self]);
        }
        let Value::Object(value) = self.value else {
            return Err(Fault::value("the value of an operation without a path must be an object"));
        };
        // A key that cannot be a path names nothing that is known.
        let each = |(key, value): (String, Value)| {
            Some(Self { op: self.op, path: Some(Path::parse(&key).ok()?), value })
        };
        Ok(value.into_iter().filter_map(each).collect())
    }
}

/// Applies all operations, or none. What the schemas do not have is ignored.
pub fn apply(
    kind: &'static ResourceType,
    resource: &Object,
    operations: Vec<Operation>,
) -> Result<Object, Fault> {
    let mut changed = resource.clone();
    for operation in operations {
        // Whole resources may contain what is read-only. A path must not name it.
        let is_explicit = operation.path.is_some();
        for Operation { op, path, value } in operation.flatten()? {
            let Some(path) = path else { continue };
            let Some(target) = resolved(kind, &path) else { continue };
            if target.is_read_only() {
                if is_explicit {
                    let detail = format!("{} is read-only", path.attribute);
                    return Err(Fault::new(FaultKind::Mutability, detail));
                }
                continue;
            }
            apply_one(&mut changed, op, target, path.filter.as_ref(), &value)?;
        }
    }
    Ok(changed)
}

/// With the part that follows a filter.
fn resolved(kind: &'static ResourceType, path: &Path) -> Option<Target> {
    let target = kind.resolve(&path.attribute)?;
    match &path.part {
        None => Some(target),
        Some(part) => Some(Target { part: Some(find(target.attribute?.parts, part)?), ..target }),
    }
}

fn apply_one(
    object: &mut Object,
    op: Op,
    target: Target,
    filter: Option<&Filter>,
    value: &Value,
) -> Result<(), Fault> {
    let is_many = target.attribute.is_some_and(|attribute| attribute.is_many);
    if let Some(attribute) = target.attribute.filter(|_| is_many) {
        let change = Change { op, attribute, part: target.part, filter, value };
        let Some(extension) = target.extension else { return change.apply(object) };
        let mut extended = inner(object, extension.id);
        change.apply(&mut extended)?;
        put(object, extension.id, extended);
        return Ok(());
    }
    if filter.is_some() {
        return Err(Fault::new(FaultKind::InvalidPath, "only an attribute with several values has a filter"));
    }
    match op {
        Op::Remove if target.part.is_none() && target.attribute.is_some_and(|one| one.is_required) => {
            Err(Fault::new(FaultKind::Mutability, "a required attribute cannot be removed"))
        }
        Op::Remove => resource::set(object, target, &Value::Null),
        Op::Add | Op::Replace => resource::set(object, target, unwrapped(&target, value)),
    }
}

/// Entra has sent single values as `[{ "value": "False" }]`, too.
fn unwrapped<'a>(target: &Target, value: &'a Value) -> &'a Value {
    let value = match value.as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => value,
    };
    let is_simple = target.part.or(target.attribute).is_some_and(|leaf| leaf.kind != Type::Complex);
    value.get("value").filter(|_| is_simple).unwrap_or(value)
}

/// A change of an attribute that has several values.
struct Change<'a> {
    op: Op,
    attribute: &'static Attribute,
    part: Option<&'static Attribute>,
    filter: Option<&'a Filter>,
    value: &'a Value,
}

impl Change<'_> {
    fn apply(&self, object: &mut Object) -> Result<(), Fault> {
        let mut all = match object.remove(self.attribute.name) {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        match self.op {
            Op::Remove => self.remove(&mut all),
            Op::Replace if self.part.is_none() && self.filter.is_none() => {
                all = values(self.attribute, self.value)?.unwrap_or_default();
            }
            Op::Add if self.part.is_none() && self.filter.is_none() => {
                for new in values(self.attribute, self.value)?.unwrap_or_default() {
                    add(&mut all, new);
                }
            }
            Op::Add | Op::Replace => self.set(&mut all)?,
        }
        replace(object, self.attribute.name, (!all.is_empty()).then_some(Value::Array(all)));
        Ok(())
    }

    fn is_meant(&self, value: &Value) -> bool {
        match (self.filter, value.as_object()) {
            (None, _) => true,
            (Some(filter), Some(value)) => filter.matches_value(self.attribute, value),
            (Some(_), None) => false,
        }
    }

    fn remove(&self, all: &mut Vec<Value>) {
        if let Some(part) = self.part {
            let objects =
                all.iter_mut().filter(|value| self.is_meant(value)).filter_map(Value::as_object_mut);
            objects.for_each(|value| {
                value.remove(part.name);
            });
            all.retain(|value| value.as_object().is_none_or(|value| !value.is_empty()));
            return;
        }
        // Entra names what to remove in the value instead of a filter. A value that names nothing removes nothing.
        if self.filter.is_none() && !self.value.is_null() {
            let named = values(self.attribute, self.value).ok().flatten().unwrap_or_default();
            all.retain(|value| !named.iter().any(|one| is_same(one, value)));
        } else {
            all.retain(|value| !self.is_meant(value));
        }
    }

    /// Sets a part, or the whole, of the values that are meant. If there are none, there is one afterwards.
    fn set(&self, all: &mut Vec<Value>) -> Result<(), Fault> {
        let wanted = match self.part {
            Some(part) => {
                one(part, self.value)?.map(|value| Object::from_iter([(part.name.to_owned(), value)]))
            }
            None => match one(self.attribute, self.value)? {
                Some(Value::Object(value)) => Some(value),
                _ => None,
            },
        };
        let Some(wanted) = wanted else {
            self.remove(all);
            return Ok(());
        };
        let mut at = None;
        for (place, value) in all.iter_mut().enumerate().filter(|(_, value)| self.is_meant(value)) {
            if let Value::Object(value) = value {
                value.extend(wanted.clone());
            }
            at.get_or_insert(place);
        }
        let at = at.unwrap_or_else(|| {
            let mut new = self.filter.map(|filter| implied(self.attribute, filter)).unwrap_or_default();
            new.extend(wanted);
            all.push(Value::Object(new));
            all.len() - 1
        });
        make_primary(all, at);
        Ok(())
    }
}

/// What a new value has, so that the filter matches it: `type` in `emails[type eq "work"]`.
fn implied(attribute: &'static Attribute, filter: &Filter) -> Object {
    match filter {
        Filter::Compare { path, operator: Operator::Equal, value } => {
            let part = find(attribute.parts, path).filter(|part| !part.is_read_only());
            let value = part.and_then(|part| Some((part.name.to_owned(), one(part, value).ok()??)));
            value.into_iter().collect()
        }
        Filter::And(all) => all.iter().flat_map(|filter| implied(attribute, filter)).collect(),
        _ => Object::new(),
    }
}

/// Adds a value, unless it is there. One with the same `value` and `type` is replaced.
fn add(all: &mut Vec<Value>, new: Value) {
    let key = |value: &Value| (value.get("value").cloned(), value.get("type").cloned());
    let at = all.iter().position(|value| key(value) == key(&new)).unwrap_or(all.len());
    match all.get_mut(at) {
        Some(value) => *value = new,
        None => all.push(new),
    }
    make_primary(all, at);
}

/// If the value at this place is primary, no other is (RFC 7644, 3.5.2).
fn make_primary(all: &mut [Value], at: usize) {
    let yes = Value::Bool(true);
    if all.get(at).and_then(|value| value.get("primary")) != Some(&yes) {
        return;
    }
    for (_, value) in all.iter_mut().enumerate().filter(|(other, _)| *other != at) {
        if let Some(primary) = value.get_mut("primary").filter(|primary| **primary == yes) {
            *primary = Value::Bool(false);
        }
    }
}

/// Does a value that is to be removed mean this one? It may have less in it.
fn is_same(named: &Value, value: &Value) -> bool {
    match (named.get("value"), value.get("value")) {
        (Some(Value::String(named)), Some(Value::String(value))) => {
            named.to_lowercase() == value.to_lowercase()
        }
        _ => named == value,
    }
}

#[cfg(test)]
mod tests;
