//! The requests of Okta's provisioning, as its developer documentation records them ("Understanding of Okta Users in SCIM", "Understanding
//! of Okta Groups in SCIM"), in the order in which it sends them.

use serde_json::{Value, json};

use super::{Directory, USER, id, people};
use crate::support::World;

fn okta_user(user_name: &str, family_name: &str, active: bool) -> Value {
    json!({
        "schemas": [USER],
        "userName": user_name,
        "name": { "givenName": "Test", "familyName": family_name },
        "emails": [{ "primary": true, "value": user_name, "type": "work" }],
        "displayName": format!("Test {family_name}"),
        "locale": "en-US",
        "externalId": "00ujl29u0le5T6Aj10h7",
        "groups": [],
        "password": "1mz050nq",
        "active": active,
    })
}

#[tokio::test]
async fn a_user_lives_through_provisioning() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let empty = directory.get("/Users?startIndex=1&count=2").await.expect(200);
    assert_eq!((&empty["totalResults"], &empty["Resources"]), (&json!(0), &json!([])));
    let lookup = "/Users?filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100";
    assert_eq!(directory.get(lookup).await.expect(200)["totalResults"], 0);
    let user = directory.post("/Users", okta_user("test.user@okta.local", "User", true)).await.expect(201);
    let path = format!("/Users/{}", id(&user));
    assert!(user.get("password").is_none());
    assert_eq!(directory.get(lookup).await.expect(200)["Resources"][0]["id"], user["id"]);
    assert_eq!(directory.get(&path).await.expect(200), user);
    // An update is a PUT of everything.
    let changed = directory.put(&path, okta_user("test.user@okta.local", "Married", true)).await.expect(200);
    assert_eq!(changed["name"]["familyName"], "Married");
    // Okta never deletes.
    let off = json!([{ "op": "replace", "value": { "active": false } }]);
    assert_eq!(directory.patch(&path, off).await.expect(200)["active"], false);
    let found = directory.get(lookup).await.expect(200);
    assert_eq!((&found["totalResults"], &found["Resources"][0]["active"]), (&json!(1), &json!(false)));
    let again = directory.post("/Users", okta_user("test.user@okta.local", "User", true)).await;
    assert_eq!(again.expect(409)["scimType"], "uniqueness");
    let on = directory.put(&path, okta_user("test.user@okta.local", "User", true)).await.expect(200);
    assert_eq!(on["active"], true);
}

#[tokio::test]
async fn a_group_is_pushed() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let users = [("Ana", "ana@x.org"), ("Ben", "ben@x.org"), ("Cy", "cy@x.org")];
    let mut ids = Vec::new();
    for (name, email) in users {
        ids.push(directory.user(name, "X", email).await);
    }
    let groups = directory.get("/Groups?startIndex=1&count=100").await.expect(200);
    assert_eq!(groups["totalResults"], 0);
    let group = json!({ "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "displayName": "Test SCIMv2", "members": [] });
    let group = id(&directory.post("/Groups", group).await.expect(201));
    let path = format!("/Groups/{group}");
    directory.map_to(&group, &world.page).await;
    let rename = json!([{ "op": "replace", "value": { "id": group, "displayName": "Test SCIMv2 1" } }]);
    directory.patch(&path, rename).await.expect(204);
    let add = json!([{ "op": "add", "path": "members", "value": [
        { "value": ids[0], "display": "ana@x.org" }, { "value": ids[1], "display": "ben@x.org" },
    ] }]);
    directory.patch(&path, add).await.expect(204);
    assert_eq!(people(&world, &world.page).await, ["Ana X ana@x.org", "Ben X ben@x.org"]);
    let change = json!([
        { "op": "remove", "path": format!("members[value eq \"{}\"]", ids[0]) },
        { "op": "add", "path": "members", "value": [{ "value": ids[2], "display": "cy@x.org" }] },
    ]);
    directory.patch(&path, change).await.expect(204);
    assert_eq!(people(&world, &world.page).await, ["Ben X ben@x.org", "Cy X cy@x.org"]);
    let replace = json!([{ "op": "replace", "path": "members", "value": [{ "value": ids[0], "display": "ana@x.org" }] }]);
    directory.patch(&path, replace).await.expect(204);
    assert_eq!(people(&world, &world.page).await, ["Ana X ana@x.org"]);
    let shown = directory.get(&path).await.expect(200);
    assert_eq!(
        (&shown["displayName"], &shown["members"][0]["value"]),
        (&json!("Test SCIMv2 1"), &json!(ids[0]))
    );
    directory.delete(&path).await.expect(204);
    assert!(people(&world, &world.page).await.is_empty());
}
