//! The requests of Microsoft Entra's provisioning service, as its documentation records them ("Develop and plan provisioning for a SCIM
//! endpoint"), in the order in which it sends them.

use serde_json::json;

use super::{Directory, ENTERPRISE, USER, id, people};
use crate::support::World;

const GROUP: &str = "urn:ietf:params:scim:schemas:core:2.0:Group";

#[tokio::test]
async fn a_user_lives_through_provisioning() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    // "Test connection" asks for somebody who does not exist.
    let probe = "/Users?filter=userName+eq+%22non-existing-user-8a5a4c1d%22";
    assert_eq!(directory.get(probe).await.expect(200)["totalResults"], 0);
    let create = json!({
        "schemas": [USER, ENTERPRISE],
        "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
        "userName": "Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1",
        "active": true,
        "emails": [{ "primary": true, "type": "work", "value": "Test_User_fd0ea19b-0777-472c-9f96-4f70d2226f2e@testuser.com" }],
        "meta": { "resourceType": "User" },
        "name": { "formatted": "givenName familyName", "familyName": "familyName", "givenName": "givenName" },
        "roles": [],
    });
    let user = directory.post("/Users", create).await.expect(201);
    let path = format!("/Users/{}", id(&user));
    assert!(user.get("roles").is_none());
    let found = directory
        .get("/Users?filter=userName%20eq%20%22Test_User_ab6490ee-1e48-479e-a20b-2d77186b5dd1%22")
        .await;
    assert_eq!(found.expect(200)["Resources"][0]["id"], user["id"]);
    let by_external_id = "/Users?filter=externalId%20eq%20%220a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef%22";
    assert_eq!(directory.get(by_external_id).await.expect(200)["totalResults"], 1);
    // Multi-valued properties.
    let update = json!([
        { "op": "Replace", "path": "emails[type eq \"work\"].value", "value": "updatedEmail@microsoft.com" },
        { "op": "Replace", "path": "name.familyName", "value": "updatedFamilyName" },
    ]);
    let changed = directory.patch(&path, update).await.expect(200);
    assert_eq!(
        changed["emails"][0],
        json!({ "primary": true, "type": "work", "value": "updatedEmail@microsoft.com" })
    );
    assert_eq!(changed["name"]["familyName"], "updatedFamilyName");
    // Single-valued properties, some of which there were none of, and some that nobody knows.
    let update = json!([
        { "op": "Replace", "path": "userName", "value": "5b50642d-79fc-4410-9e90-4c077cdd1a59@testuser.com" },
        { "op": "Add", "path": "addresses[type eq \"work\"].locality", "value": "Redmond" },
        { "op": "Add", "path": "phoneNumbers[type eq \"mobile\"].value", "value": "555 0100" },
        { "op": "Add", "path": format!("{ENTERPRISE}:department"), "value": "Physics" },
        { "op": "Add", "path": format!("{ENTERPRISE}:manager"), "value": "2819c223" },
    ]);
    let changed = directory.patch(&path, update).await.expect(200);
    assert_eq!(changed["phoneNumbers"], json!([{ "type": "mobile", "value": "555 0100" }]));
    assert_eq!(changed[ENTERPRISE], json!({ "department": "Physics", "manager": { "value": "2819c223" } }));
    // Without a path, with dots in the keys.
    let update = json!([{ "op": "Add", "value": { "name.givenName": "New", (format!("{ENTERPRISE}:division")): "North", "displayName": "N" } }]);
    let changed = directory.patch(&path, update).await.expect(200);
    assert_eq!(
        (&changed["name"]["givenName"], &changed[ENTERPRISE]["division"]),
        (&json!("New"), &json!("North"))
    );
    // Disabled, restored, deleted.
    let disabled =
        directory.patch(&path, json!([{ "op": "Replace", "path": "active", "value": "False" }])).await;
    assert_eq!(disabled.expect(200)["active"], false);
    let restored =
        directory.patch(&path, json!([{ "op": "Replace", "path": "active", "value": "True" }])).await;
    assert_eq!(restored.expect(200)["active"], true);
    directory.delete(&path).await.expect(204);
    directory.get(&path).await.expect(404);
}

#[tokio::test]
async fn a_group_is_created_empty_and_filled() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let ben = directory.user("Ben", "Sousa", "ben@x.org").await;
    let create = json!({
        "schemas": [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
        "displayName": "displayName",
        "meta": { "resourceType": "Group" },
    });
    let group = directory.post("/Groups", create).await.expect(201);
    directory.map_to(&id(&group), &world.page).await;
    let path = format!("/Groups/{}", id(&group));
    assert!(
        directory
            .get(&format!("{path}?excludedAttributes=members"))
            .await
            .expect(200)
            .get("members")
            .is_none()
    );
    let filter = "/Groups?excludedAttributes=members&filter=displayName%20eq%20%22displayName%22";
    assert_eq!(directory.get(filter).await.expect(200)["Resources"][0]["id"], group["id"]);
    let rename = json!([{ "op": "Replace", "path": "displayName", "value": "1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName" }]);
    directory.patch(&path, rename).await.expect(204);
    let add =
        |id: &str| json!([{ "op": "Add", "path": "members", "value": [{ "$ref": null, "value": id }] }]);
    directory.patch(&path, add(&ana)).await.expect(204);
    directory.patch(&path, add(&ben)).await.expect(204);
    assert_eq!(people(&world, &world.page).await, ["Ana Lima ana@x.org", "Ben Sousa ben@x.org"]);
    // Only the one in the value leaves.
    let remove = json!([{ "op": "Remove", "path": "members", "value": [{ "$ref": null, "value": ana }] }]);
    directory.patch(&path, remove).await.expect(204);
    assert_eq!(people(&world, &world.page).await, ["Ben Sousa ben@x.org"]);
    let is_member = format!("/Groups?filter=id%20eq%20%22{}%22&attributes=id", id(&group));
    assert_eq!(directory.get(&is_member).await.expect(200)["totalResults"], 1);
    directory.delete(&path).await.expect(204);
    assert!(people(&world, &world.page).await.is_empty());
}
