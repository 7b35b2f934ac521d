use serde_json::json;

use super::*;
use crate::domain::scim::schema::USERS;

const ENTERPRISE: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

fn patched(resource: &Value, operations: Value) -> Result<Value, Fault> {
    let operations = parse(&json!({ "schemas": [], "Operations": operations }))?;
    apply(&USERS, resource.as_object().unwrap(), operations).map(Value::Object)
}

/// A resource, the operations, and what becomes of it.
#[test]
fn operations_do_what_directories_mean() {
    let ana =
        json!({ "userName": "ana", "active": true, "name": { "givenName": "Ana", "familyName": "Lima" } });
    let mails = json!({ "userName": "ana", "emails": [
        { "value": "a@x.org", "type": "work", "primary": true }, { "value": "b@x.org", "type": "home" },
    ] });
    for (before, operations, after) in [
        // Entra switches somebody off, and on again.
        (
            &ana,
            json!([{ "op": "Replace", "path": "active", "value": "False" }]),
            json!({ "userName": "ana", "active": false, "name": { "givenName": "Ana", "familyName": "Lima" } }),
        ),
        (
            &ana,
            json!([{ "op": "Replace", "path": "active", "value": [{ "$ref": null, "value": "False" }] }]),
            json!({ "userName": "ana", "active": false, "name": { "givenName": "Ana", "familyName": "Lima" } }),
        ),
        // Okta does it without a path.
        (
            &ana,
            json!([{ "op": "replace", "value": { "active": false } }]),
            json!({ "userName": "ana", "active": false, "name": { "givenName": "Ana", "familyName": "Lima" } }),
        ),
        // Keys with dots and schemas, without a path; unknown and read-only ones.
        (
            &ana,
            json!([{ "op": "Add", "value": {
                "name.givenName": "Anna", "nickName": "A", (format!("{ENTERPRISE}:department")): "Physics",
                ENTERPRISE: { "division": "North" }, "id": "9", "favoriteColor": "red", "7 8": 9,
            } }]),
            json!({
                "userName": "ana", "active": true, "name": { "givenName": "Anna", "familyName": "Lima" },
                "nickName": "A", ENTERPRISE: { "department": "Physics", "division": "North" },
            }),
        ),
        // A complex value keeps its other parts.
        (
            &ana,
            json!([{ "op": "replace", "path": "name", "value": { "familyName": "Silva" } }]),
            json!({ "userName": "ana", "active": true, "name": { "givenName": "Ana", "familyName": "Silva" } }),
        ),
        (
            &ana,
            json!([{ "op": "remove", "path": "name.familyName" }, { "op": "Remove", "path": "active" }]),
            json!({ "userName": "ana", "name": { "givenName": "Ana" } }),
        ),
        (&ana, json!([{ "op": "remove", "path": "name" }]), json!({ "userName": "ana", "active": true })),
        (&ana, json!([{ "op": "replace", "path": "favoriteColor", "value": "red" }]), ana.clone()),
        // A filter that matches nothing makes a value.
        (
            &json!({ "userName": "ana" }),
            json!([{ "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "a@x.org" }]),
            json!({ "userName": "ana", "emails": [{ "type": "work", "value": "a@x.org" }] }),
        ),
        (
            &mails,
            json!([{ "op": "Add", "path": "emails[type eq \"work\"].value", "value": "c@x.org" }]),
            json!({ "userName": "ana", "emails": [
                { "value": "c@x.org", "type": "work", "primary": true }, { "value": "b@x.org", "type": "home" },
            ] }),
        ),
        (
            &mails,
            json!([{ "op": "add", "path": "emails[type eq \"other\" and primary eq true].value", "value": "c@x.org" }]),
            json!({ "userName": "ana", "emails": [
                { "value": "a@x.org", "type": "work", "primary": false }, { "value": "b@x.org", "type": "home" },
                { "value": "c@x.org", "type": "other", "primary": true },
            ] }),
        ),
        // A new primary address.
        (
            &mails,
            json!([{ "op": "add", "path": "emails", "value": [{ "value": "c@x.org", "primary": "True" }] }]),
            json!({ "userName": "ana", "emails": [
                { "value": "a@x.org", "type": "work", "primary": false }, { "value": "b@x.org", "type": "home" },
                { "value": "c@x.org", "primary": true },
            ] }),
        ),
        // Again, nothing changes.
        (
            &mails,
            json!([{ "op": "add", "path": "emails", "value": [{ "value": "b@x.org", "type": "home" }] }]),
            mails.clone(),
        ),
        (
            &mails,
            json!([{ "op": "replace", "path": "emails", "value": { "value": "c@x.org" } }]),
            json!({ "userName": "ana", "emails": [{ "value": "c@x.org" }] }),
        ),
        (
            &mails,
            json!([{ "op": "remove", "path": "emails[type eq \"WORK\"]" }]),
            json!({ "userName": "ana", "emails": [{ "value": "b@x.org", "type": "home" }] }),
        ),
        // Those that are named, and not all.
        (
            &mails,
            json!([{ "op": "Remove", "path": "emails", "value": [{ "value": "A@x.org" }] }]),
            json!({ "userName": "ana", "emails": [{ "value": "b@x.org", "type": "home" }] }),
        ),
        (&mails, json!([{ "op": "Remove", "path": "emails", "value": [] }]), mails.clone()),
        (&mails, json!([{ "op": "Remove", "path": "emails", "value": [7] }]), mails.clone()),
        (&mails, json!([{ "op": "remove", "path": "emails" }]), json!({ "userName": "ana" })),
        (&mails, json!([{ "op": "remove", "path": "emails[type eq \"other\"]" }]), mails.clone()),
        // An extension as a whole, and a manager by the id.
        (
            &json!({ "userName": "ana" }),
            json!([
                { "op": "add", "path": ENTERPRISE, "value": { "department": "Physics", "division": "North" } },
                { "op": "Add", "path": format!("{ENTERPRISE}:manager"), "value": "7" },
                { "op": "remove", "path": format!("{ENTERPRISE}:division") },
            ]),
            json!({ "userName": "ana", ENTERPRISE: { "department": "Physics", "manager": { "value": "7" } } }),
        ),
        (
            &json!({ "userName": "ana", ENTERPRISE: { "department": "Physics" } }),
            json!([{ "op": "remove", "path": ENTERPRISE }]),
            json!({ "userName": "ana" }),
        ),
    ] {
        assert_eq!(patched(before, operations.clone()).unwrap(), after, "{operations}");
    }
}

#[test]
fn what_cannot_be_done_has_its_word() {
    let ana = json!({ "userName": "ana" });
    for (operations, kind) in [
        (json!("add"), FaultKind::InvalidSyntax),
        (json!([7]), FaultKind::InvalidSyntax),
        (json!([{ "op": "move", "path": "title" }]), FaultKind::InvalidSyntax),
        (json!([{ "op": "remove" }]), FaultKind::NoTarget),
        (json!([{ "op": "add", "path": "emails[", "value": 1 }]), FaultKind::InvalidPath),
        (json!([{ "op": "add", "path": 7, "value": 1 }]), FaultKind::InvalidPath),
        (json!([{ "op": "add", "path": "name[givenName pr]", "value": {} }]), FaultKind::InvalidPath),
        (json!([{ "op": "add", "value": "x" }]), FaultKind::InvalidValue),
        (json!([{ "op": "replace", "path": "active", "value": "maybe" }]), FaultKind::InvalidValue),
        (json!([{ "op": "replace", "path": "id", "value": "9" }]), FaultKind::Mutability),
        (json!([{ "op": "add", "path": "groups", "value": [{ "value": "1" }] }]), FaultKind::Mutability),
        (json!([{ "op": "remove", "path": "userName" }]), FaultKind::Mutability),
        (json!([{ "op": "add", "path": "meta.location", "value": "x" }]), FaultKind::Mutability),
    ] {
        assert_eq!(patched(&ana, operations.clone()).unwrap_err().kind, kind, "{operations}");
    }
    assert_eq!(parse(&json!({})).unwrap_err().kind, FaultKind::InvalidSyntax);
    assert!(parse(&json!({ "operations": [] })).unwrap().is_empty());
}

#[test]
fn an_operation_that_fails_undoes_those_before_it() {
    let before = json!({ "userName": "ana" });
    let operations = json!([
        { "op": "add", "path": "title", "value": "Dr" },
        { "op": "replace", "path": "active", "value": "maybe" },
    ]);
    assert!(patched(&before, operations).is_err());
    assert_eq!(before, json!({ "userName": "ana" }));
}
