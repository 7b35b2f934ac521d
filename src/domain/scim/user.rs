//! A user of a directory: a person, by their email, whom the directory switches on and off. Being a user registers nobody.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    Fault,
    filter::{Filter, Operator},
    patch::{self, Operation},
    resource::{self, Object},
    schema::{ENDONYM, USERS},
};
use crate::domain::{
    email::Email,
    ids::{ScimConnectionId, ScimUserId},
    matching::clean,
    moment::Moment,
    text::{self, Lines, longest},
};

/// The longest user name and external id, in characters.
const LONGEST_KEY: usize = 500;
/// How much of an email is in the index, in characters. Whoever is found by it is compared with all of it.
const LONGEST_EMAIL_KEY: usize = 250;

/// In the extension of Endonym.
pub const DIRECTORY_HOLD: &str = "directoryHold";

#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// As stored; see `resource`.
    pub resource: Object,
    /// By which user names are compared.
    pub user_name_key: String,
    pub external_id: Option<String>,
    pub active: bool,
    /// The address by which Endonym knows the person. Without one, nobody can be registered.
    pub email: Option<Email>,
}

/// A user with what Endonym has added.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredUser {
    pub id: ScimUserId,
    /// The connection that created it.
    pub connection: Option<ScimConnectionId>,
    pub user: User,
    pub created_at: Moment,
    pub updated_at: Moment,
}

/// What registrations take from a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub email: Option<Email>,
}

impl User {
    /// Reads the body of a POST. Whoever is not said to be inactive is active.
    pub fn read(given: &Value) -> Result<Self, Fault> {
        let mut resource = resource::read(&USERS, given)?;
        resource.entry("active").or_insert(Value::Bool(true));
        Self::of(resource)
    }

    /// Reads the body of a PUT. Without `active`, nobody is switched off or on, and without `directoryHold`, no hold ends.
    pub fn replaced(&self, given: &Value) -> Result<Self, Fault> {
        let mut resource = resource::read(&USERS, given)?;
        resource.entry("active").or_insert(Value::Bool(self.active));
        Ok(self.with_hold(Self::of(resource)?))
    }

    /// Removing `active` neither enables nor disables anybody, and removing `directoryHold` ends no hold.
    pub fn patched(&self, operations: Vec<Operation>) -> Result<Self, Fault> {
        let changed = Self::of(patch::apply(&USERS, &self.resource, operations)?)?;
        let is_said = changed.resource.contains_key("active");
        Ok(if is_said { changed } else { Self { active: self.active, ..changed } })
    }

    /// What was said before about a directory hold counts until something else is said.
    fn with_hold(&self, mut changed: Self) -> Self {
        if let (Some(held), None) = (self.directory_hold(), changed.directory_hold()) {
            let mut own = resource::inner(&mut changed.resource, ENDONYM.id);
            own.insert(DIRECTORY_HOLD.to_owned(), Value::Bool(held));
            resource::put(&mut changed.resource, ENDONYM.id, own);
        }
        changed
    }

    /// Whether nothing about the person may be told to the public, if the directory has said so.
    pub fn directory_hold(&self) -> Option<bool> {
        self.resource.get(ENDONYM.id)?.get(DIRECTORY_HOLD)?.as_bool()
    }

    pub fn of(resource: Object) -> Result<Self, Fault> {
        let user_name = text_in(&resource, "userName").unwrap_or_default().trim().to_owned();
        if user_name.is_empty() {
            return Err(Fault::value("userName is required"));
        }
        check_key("userName", &user_name)?;
        let external_id = text_in(&resource, "externalId").filter(|id| !id.is_empty()).map(str::to_owned);
        if let Some(external_id) = &external_id {
            check_key("externalId", external_id)?;
        }
        Ok(Self {
            user_name_key: user_name_key(&user_name),
            external_id,
            active: resource.get("active").and_then(Value::as_bool).unwrap_or(true),
            email: email(&resource, &user_name),
            resource,
        })
    }

    /// The keys of all emails, by which filters find the user.
    pub fn email_values(&self) -> BTreeSet<String> {
        let all =
            self.resource.get("emails").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter_map(|one| one.get("value")?.as_str()).map(email_value_key).collect()
    }

    /// Given and family name, or whatever else names the person.
    pub fn identity(&self) -> Identity {
        let name = self.resource.get("name").and_then(Value::as_object);
        let part = |key: &str| clean(text_in(name?, key)?, longest::NAME);
        let (mut first_name, last_name) = (part("givenName"), part("familyName"));
        if first_name.is_none() && last_name.is_none() {
            let other = |key: &str| clean(text_in(&self.resource, key)?, longest::NAME);
            let local = || clean(self.email.as_ref()?.as_given().split('@').next()?, longest::NAME);
            first_name = other("displayName")
                .or_else(|| part("formatted"))
                .or_else(|| other("nickName"))
                .or_else(local)
                .or_else(|| other("userName"));
        }
        Identity { first_name, last_name, email: self.email.clone() }
    }
}

/// User names are unique in an institution, whatever their case.
pub fn user_name_key(user_name: &str) -> String {
    text::folded(user_name.trim())
}

/// Equal emails, whatever their case, have the same key.
pub fn email_value_key(email: &str) -> String {
    email.to_lowercase().chars().take(LONGEST_EMAIL_KEY).collect()
}

/// The email that a user must have to match this filter, if it requires one: `emails.value eq "ana@x.org"`,
/// `emails[type eq "work" and value eq "ana@x.org"]`.
pub fn wanted_email(filter: &Filter) -> Option<&str> {
    match filter {
        Filter::And(all) => all.iter().find_map(wanted_email),
        Filter::Values { path, filter } if is_emails(path) => wanted_value(filter),
        Filter::Compare { path, operator: Operator::Equal, value: Value::String(value) } => {
            is_emails(path).then_some(value.as_str())
        }
        _ => None,
    }
}

/// Several emails are compared by `value` also if the path ends without it.
fn is_emails(path: &str) -> bool {
    USERS.resolve(path).is_some_and(|target| {
        target.extension.is_none()
            && target.attribute.is_some_and(|attribute| attribute.name == "emails")
            && target.part.is_none_or(|part| part.name == "value")
    })
}

/// The same inside of brackets, where paths are the names of parts.
fn wanted_value(filter: &Filter) -> Option<&str> {
    match filter {
        Filter::And(all) => all.iter().find_map(wanted_value),
        Filter::Compare { path, operator: Operator::Equal, value: Value::String(value) } => {
            path.eq_ignore_ascii_case("value").then_some(value.as_str())
        }
        _ => None,
    }
}

pub(super) fn text_in<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

pub(super) fn check_key(name: &str, key: &str) -> Result<(), Fault> {
    match text::fault(key, LONGEST_KEY, Lines::One) {
        Some(fault) => Err(Fault::value(format!("{name} {fault}"))),
        None => Ok(()),
    }
}

/// The primary address, or that for work, or the first one, or the user name.
fn email(resource: &Object, user_name: &str) -> Option<Email> {
    let all = resource.get("emails").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let address = |value: &Value| Email::parse(value.get("value")?.as_str()?);
    let primary = all.iter().filter(|value| value.get("primary") == Some(&Value::Bool(true)));
    let is_work = |value: &&Value| {
        value.get("type").and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case("work"))
    };
    let work = all.iter().filter(is_work);
    primary.chain(work).chain(all).find_map(address).or_else(|| Email::parse(user_name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::scim::FaultKind;

    fn user(given: Value) -> User {
        User::read(&given).unwrap()
    }

    #[test]
    fn the_email_is_the_primary_one_or_the_next_best() {
        let of = |given: Value| user(given).email.map(|email| email.as_given().to_owned());
        let both = json!([{ "value": "h@x.org", "type": "home" }, { "value": "w@x.org", "type": "Work" }]);
        assert_eq!(of(json!({ "userName": "ana", "emails": both })).as_deref(), Some("w@x.org"));
        let primary =
            json!([{ "value": "w@x.org", "type": "work" }, { "value": "p@x.org", "primary": "true" }]);
        assert_eq!(of(json!({ "userName": "ana", "emails": primary })).as_deref(), Some("p@x.org"));
        let broken =
            json!([{ "value": "nothing", "primary": true }, { "value": "o@x.org" }, { "type": "work" }]);
        assert_eq!(of(json!({ "userName": "ana", "emails": broken })).as_deref(), Some("o@x.org"));
        assert_eq!(of(json!({ "userName": "Ana@x.org" })).as_deref(), Some("Ana@x.org"));
        assert_eq!(of(json!({ "userName": "ana" })), None);
    }

    #[test]
    fn the_name_is_in_two_parts_or_in_whatever_there_is() {
        let of = |given: Value| {
            let Identity { first_name, last_name, .. } = user(given).identity();
            (first_name.unwrap_or_default(), last_name.unwrap_or_default())
        };
        let name = json!({ "givenName": " Ana\n", "familyName": "Lima" });
        assert_eq!(
            of(json!({ "userName": "a", "displayName": "Dr", "name": name })),
            ("Ana".into(), "Lima".into())
        );
        assert_eq!(
            of(json!({ "userName": "a", "displayName": "Ana Lima" })),
            ("Ana Lima".into(), String::new())
        );
        let formatted = json!({ "formatted": "Ana Lima", "givenName": " " });
        assert_eq!(of(json!({ "userName": "a", "name": formatted })), ("Ana Lima".into(), String::new()));
        assert_eq!(of(json!({ "userName": "ana@x.org" })), ("ana".into(), String::new()));
        assert_eq!(of(json!({ "userName": "a17" })), ("a17".into(), String::new()));
    }

    #[test]
    fn whoever_is_not_switched_off_is_active() {
        assert!(user(json!({ "userName": "a" })).active);
        let off = user(json!({ "userName": "a", "active": "False" }));
        assert!(!off.active);
        assert!(!off.replaced(&json!({ "userName": "b" })).unwrap().active, "PUT without it changes nothing");
        assert!(off.replaced(&json!({ "userName": "b", "active": true })).unwrap().active);
    }

    #[test]
    fn nobody_is_enabled_by_removing_what_says_that_they_are_not() {
        for operation in [
            json!({ "op": "remove", "path": "active" }),
            json!({ "op": "replace", "path": "active", "value": null }),
            json!({ "op": "replace", "value": { "active": null } }),
        ] {
            let body = json!({ "Operations": [operation] });
            let removed = |user: &User| user.patched(patch::parse(&body).unwrap()).unwrap();
            let off = removed(&user(json!({ "userName": "a", "active": false })));
            assert!(!off.active && !off.resource.contains_key("active"), "{body}");
            assert!(!off.replaced(&json!({ "userName": "b" })).unwrap().active, "nor by a PUT afterwards");
            assert!(removed(&user(json!({ "userName": "a", "active": true }))).active, "{body}");
        }
    }

    #[test]
    fn a_filter_can_require_an_email() {
        let wanted = |text: &str| wanted_email(&Filter::parse(text).unwrap()).map(str::to_owned);
        for filter in [
            r#"emails.value eq "Ana@x.org""#,
            r#"emails eq "Ana@x.org""#,
            r#"EMAILS[type eq "work" and Value eq "Ana@x.org"]"#,
            r#"emails[type eq "work"].value eq "Ana@x.org""#,
            r#"active eq true and urn:ietf:params:scim:schemas:core:2.0:User:emails.value eq "Ana@x.org""#,
        ] {
            assert_eq!(wanted(filter).as_deref(), Some("Ana@x.org"), "{filter}");
        }
        for filter in [
            r#"emails.value co "x.org""#,
            r#"emails.type eq "work""#,
            r#"emails.value eq "ana@x.org" or userName eq "ana""#,
            r#"not (emails.value eq "ana@x.org")"#,
            r#"emails[value eq "ana@x.org" or type eq "work"]"#,
            r#"userName eq "ana@x.org""#,
        ] {
            assert_eq!(wanted(filter), None, "{filter}");
        }
        let ana =
            user(json!({ "userName": "a", "emails": [{ "value": "Ana@x.org" }, { "value": "ana@x.org" }] }));
        assert_eq!(ana.email_values().into_iter().collect::<Vec<_>>(), ["ana@x.org"]);
    }

    #[test]
    fn a_user_has_a_name() {
        for given in [
            json!({}),
            json!({ "userName": " " }),
            json!({ "userName": null }),
            json!({ "userName": "a\u{0}" }),
        ] {
            assert_eq!(User::read(&given).unwrap_err().kind, FaultKind::InvalidValue, "{given}");
        }
        assert_eq!(user(json!({ "userName": " ANA@x.org " })).user_name_key, "ana@x.org");
    }
}
