//! Resources as JSON: what of a given value is stored, and which part of a resource is shown. Stored resources have the names of the
//! schemas, and neither `schemas` nor what is read-only.

use serde_json::{Map, Value};

use super::{
    Fault,
    schema::{Attribute, ENDONYM, ResourceType, Target, Type, find},
};

pub type Object = Map<String, Value>;

/// The longest text in a resource, in characters.
const LONGEST: usize = 2_000;
/// The most values of an attribute with several of them.
const MOST_VALUES: usize = 200;

/// Reads a whole resource, as POST and PUT send it. What the schemas do not have is ignored, and so is what is read-only.
pub fn read(kind: &'static ResourceType, given: &Value) -> Result<Object, Fault> {
    let Value::Object(given) = given else { return Err(Fault::syntax("the body must be a JSON object")) };
    let mut object = Object::new();
    for (key, value) in given {
        if let Some(target) = kind.resolve(key)
            && !target.is_read_only()
        {
            set(&mut object, target, value)?;
        }
    }
    Ok(object)
}

/// Sets what a path without a filter names. A complex value keeps the parts that are not given. `null` removes.
pub fn set(object: &mut Object, target: Target, given: &Value) -> Result<(), Fault> {
    let Target { extension, attribute, part } = target;
    let Some(extension) = extension else {
        let Some(attribute) = attribute else { return Ok(()) };
        return set_in(object, attribute, part, given);
    };
    let mut inner = inner(object, extension.id);
    match (attribute, given) {
        (Some(attribute), _) if attribute.is_read_only() => {}
        (Some(attribute), given) => set_in(&mut inner, attribute, part, given)?,
        (None, Value::Null) => inner.clear(),
        (None, Value::Object(given)) => {
            for (key, value) in given {
                if let Some(attribute) = find(extension.attributes, key).filter(|one| !one.is_read_only()) {
                    set_in(&mut inner, attribute, None, value)?;
                }
            }
        }
        (None, _) if extension.id == ENDONYM.id => {}
        (None, _) => return Err(Fault::value(format!("{} must be an object", extension.id))),
    }
    // Most of Endonym's own extension is read-only. That somebody has added it is kept, because it was asked for.
    if extension.id == ENDONYM.id && !given.is_null() {
        object.insert(extension.id.to_owned(), Value::Object(inner));
    } else {
        put(object, extension.id, inner);
    }
    Ok(())
}

/// Takes the object under a key out of another one.
pub(super) fn inner(object: &mut Object, key: &str) -> Object {
    match object.remove(key) {
        Some(Value::Object(inner)) => inner,
        _ => Object::new(),
    }
}

/// Puts it back, unless it is empty.
pub(super) fn put(object: &mut Object, key: &str, inner: Object) {
    if !inner.is_empty() {
        object.insert(key.to_owned(), Value::Object(inner));
    }
}

fn set_in(
    object: &mut Object,
    attribute: &'static Attribute,
    part: Option<&'static Attribute>,
    given: &Value,
) -> Result<(), Fault> {
    if attribute.is_many {
        // `emails.value` without a filter is every address, which `patch` handles. In a whole resource nobody sends it.
        if part.is_none() {
            replace(object, attribute.name, values(attribute, given)?.map(Value::Array));
        }
        return Ok(());
    }
    if let Some(part) = part {
        let mut whole = inner(object, attribute.name);
        replace(&mut whole, part.name, one(part, given)?);
        put(object, attribute.name, whole);
        return Ok(());
    }
    if attribute.kind == Type::Complex
        && let Some(Value::Object(given)) = one(attribute, given)?
    {
        let mut whole = inner(object, attribute.name);
        whole.extend(given);
        put(object, attribute.name, whole);
        return Ok(());
    }
    replace(object, attribute.name, one(attribute, given)?);
    Ok(())
}

pub(super) fn replace(object: &mut Object, name: &str, value: Option<Value>) {
    match value {
        Some(value) => object.insert(name.to_owned(), value),
        None => object.remove(name),
    };
}

/// The values of an attribute that has several. A single value may come without a list. `None` if there are none.
pub fn values(attribute: &'static Attribute, given: &Value) -> Result<Option<Vec<Value>>, Fault> {
    let given = match given {
        Value::Array(given) => given.as_slice(),
        Value::Null => &[],
        single => std::slice::from_ref(single),
    };
    if given.len() > MOST_VALUES {
        return Err(Fault::value(format!("{} has more than {MOST_VALUES} values", attribute.name)));
    }
    let mut values = Vec::with_capacity(given.len());
    for value in given {
        values.extend(one(attribute, value)?);
    }
    keep_one_primary(&mut values);
    Ok((!values.is_empty()).then_some(values))
}

/// `primary` is true at most once (RFC 7643, 2.4): the first one stays.
fn keep_one_primary(values: &mut [Value]) {
    let is_primary = |value: &&mut Value| value.get("primary") == Some(&Value::Bool(true));
    for value in values.iter_mut().filter(is_primary).skip(1) {
        if let Value::Object(value) = value {
            value.insert("primary".to_owned(), Value::Bool(false));
        }
    }
}

/// A single value in the type of its attribute, or `None` if it is `null` or empty. Directories send booleans as texts in any case.
pub fn one(attribute: &'static Attribute, given: &Value) -> Result<Option<Value>, Fault> {
    let wrong = |wanted: &str| Fault::value(format!("{} must be {wanted}", attribute.name));
    match (attribute.kind, given) {
        (_, Value::Null) => Ok(None),
        (Type::Boolean, Value::Bool(truth)) => Ok(Some(Value::Bool(*truth))),
        (Type::Boolean, Value::String(word)) if word.eq_ignore_ascii_case("true") => {
            Ok(Some(Value::Bool(true)))
        }
        (Type::Boolean, Value::String(word)) if word.eq_ignore_ascii_case("false") => {
            Ok(Some(Value::Bool(false)))
        }
        (Type::Boolean, _) => Err(wrong("true or false")),
        (Type::Complex, Value::Object(given)) => {
            let mut parts = Object::new();
            for (key, value) in given {
                if let Some(part) = find(attribute.parts, key).filter(|part| !part.is_read_only()) {
                    replace(&mut parts, part.name, one(part, value)?);
                }
            }
            Ok((!parts.is_empty()).then_some(Value::Object(parts)))
        }
        (Type::Complex, Value::String(_)) => {
            // A manager comes as an id, and an address without its type.
            let part = find(attribute.parts, "value").ok_or_else(|| wrong("an object"))?;
            let value = one(part, given)?.map(|value| Object::from_iter([("value".to_owned(), value)]));
            Ok(value.map(Value::Object))
        }
        (Type::Complex, _) => Err(wrong("an object")),
        (_, Value::String(text)) if text.chars().count() > LONGEST => {
            Err(wrong(&format!("at most {LONGEST} characters long")))
        }
        (_, Value::String(_)) => Ok(Some(given.clone())),
        _ => Err(wrong("a string")),
    }
}

/// The attributes that a request asks for, with `attributes` or `excludedAttributes`.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    included: Vec<Target>,
    /// `attributes` was given, whether or not anything in it is known.
    is_limited: bool,
    excluded: Vec<Target>,
}

/// What is always returned.
const ALWAYS: [&str; 2] = ["schemas", "id"];

impl Selection {
    /// Both are lists with commas. Unknown names are ignored.
    pub fn parse(kind: &'static ResourceType, included: Option<&str>, excluded: Option<&str>) -> Self {
        let targets = |names: Option<&str>| -> Vec<Target> {
            let names = names.unwrap_or_default().split(',').map(str::trim);
            names.filter_map(|name| kind.resolve(name)).collect()
        };
        let is_limited = included.is_some_and(|names| !names.trim().is_empty());
        Self { included: targets(included), is_limited, excluded: targets(excluded) }
    }

    /// Is this attribute shown at all? For what is costly to read.
    pub fn shows(&self, name: &str) -> bool {
        let is_it = |target: &Target| {
            target.extension.is_none() && target.attribute.is_some_and(|attribute| attribute.name == name)
        };
        let is_excluded = self.excluded.iter().any(|target| is_it(target) && target.part.is_none());
        !is_excluded && (!self.is_limited || self.included.iter().any(is_it))
    }

    pub fn apply(&self, resource: Object) -> Object {
        let mut shown = if self.is_limited {
            let mut shown = Object::new();
            for name in ALWAYS {
                if let Some(value) = resource.get(name) {
                    shown.insert(name.to_owned(), value.clone());
                }
            }
            for target in &self.included {
                copy(&resource, &mut shown, target);
            }
            shown
        } else {
            resource
        };
        for target in &self.excluded {
            remove(&mut shown, target);
        }
        shown
    }
}

fn copy(from: &Object, to: &mut Object, target: &Target) {
    let Target { extension, attribute, part } = target;
    if let Some(extension) = extension {
        let Some(Value::Object(inside)) = from.get(extension.id) else { return };
        let mut inner = inner(to, extension.id);
        match attribute {
            None => inner.clone_from(inside),
            Some(attribute) => copy_in(inside, &mut inner, attribute, *part),
        }
        put(to, extension.id, inner);
    } else if let Some(attribute) = attribute {
        copy_in(from, to, attribute, *part);
    }
}

fn copy_in(from: &Object, to: &mut Object, attribute: &Attribute, part: Option<&'static Attribute>) {
    let (Some(value), name) = (from.get(attribute.name), attribute.name) else { return };
    let Some(part) = part else {
        to.insert(name.to_owned(), value.clone());
        return;
    };
    let only = |value: &Value| match value.get(part.name) {
        Some(found) => Value::Object(Object::from_iter([(part.name.to_owned(), found.clone())])),
        None => Value::Object(Object::new()),
    };
    match (value, to.get_mut(name)) {
        // Another part of the same attribute is there already.
        (Value::Object(whole), Some(Value::Object(shown))) => {
            if let Some(found) = whole.get(part.name) {
                shown.insert(part.name.to_owned(), found.clone());
            }
        }
        (Value::Array(all), Some(Value::Array(shown))) => {
            for (one, shown) in all.iter().zip(shown) {
                if let (Some(found), Value::Object(shown)) = (one.get(part.name), shown) {
                    shown.insert(part.name.to_owned(), found.clone());
                }
            }
        }
        (Value::Array(all), _) => {
            to.insert(name.to_owned(), Value::Array(all.iter().map(only).collect()));
        }
        (value, _) => {
            to.insert(name.to_owned(), only(value));
        }
    }
}

fn remove(resource: &mut Object, target: &Target) {
    let Target { extension, attribute, part } = target;
    match (extension, attribute) {
        (None, Some(attribute)) => remove_in(resource, attribute, *part),
        (Some(extension), None) => {
            resource.remove(extension.id);
        }
        (Some(extension), Some(attribute)) => {
            if let Some(Value::Object(inner)) = resource.get_mut(extension.id) {
                remove_in(inner, attribute, *part);
            }
        }
        (None, None) => {}
    }
}

fn remove_in(object: &mut Object, attribute: &Attribute, part: Option<&'static Attribute>) {
    if ALWAYS.contains(&attribute.name) {
        return;
    }
    let Some(part) = part else {
        object.remove(attribute.name);
        return;
    };
    match object.get_mut(attribute.name) {
        Some(Value::Object(whole)) => {
            whole.remove(part.name);
        }
        Some(Value::Array(all)) => {
            for one in all.iter_mut().filter_map(Value::as_object_mut) {
                one.remove(part.name);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::scim::{FaultKind, schema::USERS};

    fn stored(given: Value) -> Value {
        Value::Object(read(&USERS, &given).unwrap())
    }

    #[test]
    fn what_the_schemas_have_is_stored_under_their_names() {
        let given = json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
            "id": "7", "meta": { "location": "https://x.org" }, "groups": [{ "value": "1" }],
            "USERNAME": "ana", "password": "secret", "externalId": "e1", "favoriteColor": "red",
            "Name": { "givenname": "Ana", "familyName": null, "nothing": 1 },
            "active": "False",
            "emails": { "Value": "ana@x.org", "primary": "True" },
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "Department": "Physics", "manager": "9" },
            "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:costCenter": "C1",
            "urn:example:other": { "x": 1 },
        });
        let enterprise = json!({ "costCenter": "C1", "department": "Physics", "manager": { "value": "9" } });
        assert_eq!(
            stored(given),
            json!({
                "userName": "ana", "externalId": "e1", "name": { "givenName": "Ana" }, "active": false,
                "emails": [{ "value": "ana@x.org", "primary": true }],
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": enterprise,
            })
        );
    }

    #[test]
    fn a_wrong_type_is_an_invalid_value() {
        for given in [
            json!({ "userName": 7 }),
            json!({ "userName": ["a"] }),
            json!({ "active": "perhaps" }),
            json!({ "active": 1 }),
            json!({ "name": "Ana" }),
            json!({ "emails": [7] }),
            json!({ "emails": [{ "value": { "a": 1 } }] }),
            json!({ "title": "x".repeat(3_000) }),
            json!({ "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": "x" }),
        ] {
            assert_eq!(read(&USERS, &given).unwrap_err().kind, FaultKind::InvalidValue, "{given}");
        }
        assert_eq!(read(&USERS, &json!([])).unwrap_err().kind, FaultKind::InvalidSyntax);
    }

    #[test]
    fn one_value_is_primary() {
        let given =
            json!({ "emails": [{ "value": "a", "primary": true }, { "value": "b", "primary": true }] });
        assert_eq!(
            stored(given),
            json!({ "emails": [{ "value": "a", "primary": true }, { "value": "b", "primary": false }] })
        );
    }

    #[test]
    fn only_what_is_asked_for_is_shown_and_the_id() {
        let resource = || {
            let resource = json!({
                "schemas": ["x"], "id": "7", "userName": "ana", "title": "Dr",
                "name": { "givenName": "Ana", "familyName": "Lima" },
                "emails": [{ "value": "a", "type": "work" }, { "type": "home" }],
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "D", "division": "V" },
            });
            resource.as_object().unwrap().clone()
        };
        let shown = |included: Option<&str>, excluded: Option<&str>| {
            Value::Object(Selection::parse(&USERS, included, excluded).apply(resource()))
        };
        assert_eq!(shown(None, None), Value::Object(resource()));
        assert_eq!(shown(Some(""), Some("nothing")), Value::Object(resource()));
        assert_eq!(
            shown(Some("USERNAME, nothing"), None),
            json!({ "schemas": ["x"], "id": "7", "userName": "ana" })
        );
        assert_eq!(
            shown(Some("name.givenName,name.familyName,emails.value"), None),
            json!({
                "schemas": ["x"], "id": "7", "name": { "givenName": "Ana", "familyName": "Lima" },
                "emails": [{ "value": "a" }, {}],
            })
        );
        let department = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department";
        assert_eq!(
            shown(Some(department), None),
            json!({
                "schemas": ["x"], "id": "7",
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "department": "D" },
            })
        );
        let without = shown(None, Some(&format!("id,schemas,title,name.givenName,emails,{department}")));
        assert_eq!(
            without,
            json!({
                "schemas": ["x"], "id": "7", "userName": "ana", "name": { "familyName": "Lima" },
                "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { "division": "V" },
            })
        );
        assert!(!Selection::parse(&USERS, None, Some("groups")).shows("groups"));
        assert!(!Selection::parse(&USERS, Some("userName"), None).shows("groups"));
        assert!(Selection::parse(&USERS, Some("groups.value"), None).shows("groups"));
    }
}
