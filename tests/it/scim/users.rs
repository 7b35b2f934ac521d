//! Users: created, found, listed, replaced, patched and deleted.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{Directory, ENDONYM, ENTERPRISE, USER, id};
use crate::support::{World, database::execute};

#[tokio::test]
async fn a_user_is_created_and_found_as_it_was_sent() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let body = json!({
        "schemas": [USER, ENTERPRISE], "userName": "Ana@x.org", "externalId": "e1", "active": true,
        "name": { "givenName": "Ana", "familyName": "Lima", "honorificPrefix": "Dr" },
        "emails": [{ "value": "ana@x.org", "type": "work", "primary": true }],
        "phoneNumbers": [{ "value": "tel:+1-202-555-0123", "type": "work" }],
        "timezone": "America/New_York", "password": "secret",
        ENTERPRISE: { "department": "Physics" },
    });
    let made = directory.post("/Users", body.clone()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    let user = &made.body;
    let location = directory.url(&format!("/Users/{}", id(user)));
    assert_eq!(made.header("location"), location);
    assert_eq!(user["meta"]["location"], location);
    assert_eq!(user["meta"]["resourceType"], "User");
    assert_eq!(user["meta"]["created"], user["meta"]["lastModified"]);
    assert_eq!(user["schemas"], json!([USER, ENTERPRISE]));
    for key in ["userName", "externalId", "active", "name", "emails", "phoneNumbers", "timezone", ENTERPRISE]
    {
        assert_eq!(user[key], body[key], "{key}");
    }
    assert!(user.get("password").is_none() && user.get(ENDONYM).is_none());
    assert_eq!(directory.get(&format!("/Users/{}", id(user))).await.expect(200), *user);
    assert_eq!(super::count(&world, "participants").await, 0, "being a user registers nobody");
}

#[tokio::test]
async fn names_and_external_ids_are_unique() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let again = directory.post("/Users", json!({ "userName": "ANA@X.org" })).await;
    assert_eq!((again.status, &again.body["scimType"]), (StatusCode::CONFLICT, &json!("uniqueness")));
    let ben = json!({ "userName": "ben", "externalId": "e1" });
    let ben = id(&directory.post("/Users", ben).await.expect(201));
    let twin = directory.post("/Users", json!({ "userName": "cy", "externalId": "e1" })).await;
    assert_eq!((twin.status, &twin.body["scimType"]), (StatusCode::CONFLICT, &json!("uniqueness")));
    let rename = json!([{ "op": "replace", "path": "userName", "value": "Ana@x.org" }]);
    let taken = directory.patch(&format!("/Users/{ben}"), rename).await;
    assert_eq!((taken.status, &taken.body["scimType"]), (StatusCode::CONFLICT, &json!("uniqueness")));
    let own = json!([{ "op": "replace", "path": "userName", "value": "ANA@x.org" }]);
    assert_eq!(directory.patch(&format!("/Users/{ana}"), own).await.expect(200)["userName"], "ANA@x.org");
    let gone = directory.put("/Users/7", json!({ "userName": "x" })).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
    // Another directory has ids of its own.
    let other = Directory::new(&world).await;
    other.post("/Users", json!({ "userName": "dan", "externalId": "e1" })).await.expect(201);
}

#[tokio::test]
async fn of_two_creates_at_once_one_wins() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    for round in 0..3 {
        let creates =
            (0..4).map(|_| directory.post("/Users", json!({ "userName": format!("u{round}@x.org") })));
        let mut statuses: Vec<u16> =
            join_all(creates).await.into_iter().map(|answer| answer.status.as_u16()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409]);
    }
}

#[tokio::test]
async fn users_are_found_by_filters() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "Ana@x.org").await;
    let body =
        json!({ "userName": "ben", "externalId": "Ext-1", "active": false, "title": "Professor \"B\"" });
    let ben = id(&directory.post("/Users", body).await.expect(201));
    for (filter, found) in [
        (r#"userName eq "ana@X.ORG""#.to_owned(), vec![&ana]),
        (r#"USERNAME Eq "ben""#.to_owned(), vec![&ben]),
        (r#"userName eq "nobody""#.to_owned(), vec![]),
        (r#"externalId eq "Ext-1""#.to_owned(), vec![&ben]),
        (r#"externalId eq "ext-1""#.to_owned(), vec![]),
        (format!(r#"id eq "{ana}""#), vec![&ana]),
        (r#"id eq "x""#.to_owned(), vec![]),
        ("active eq true".to_owned(), vec![&ana]),
        (r#"emails[type eq "work" and value eq "ana@x.org"]"#.to_owned(), vec![&ana]),
        (r#"emails.value co "x.org" or title sw "prof""#.to_owned(), vec![&ana, &ben]),
        (r#"meta.created gt "2020-01-01T00:00:00Z" and not (active eq true)"#.to_owned(), vec![&ben]),
        (r#"title eq "Professor \"B\"""#.to_owned(), vec![&ben]),
    ] {
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("filter", &filter).finish();
        let request = world.client.get(directory.url(&format!("/Users?{query}")));
        let listed = crate::support::Answer::of(request.bearer_auth(&directory.token)).await.expect(200);
        let ids: Vec<String> = listed["Resources"].as_array().unwrap().iter().map(id).collect();
        assert_eq!(ids.iter().collect::<Vec<_>>(), found, "{filter}");
        assert_eq!(listed["totalResults"], found.len(), "{filter}");
    }
    let wrong = directory.get("/Users?filter=userName%20is%20%22x%22").await;
    assert_eq!((wrong.status.as_u16(), &wrong.body["scimType"]), (400, &json!("invalidFilter")));
}

#[tokio::test]
async fn users_are_found_by_any_of_their_emails_in_an_index() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let emails =
        json!([{ "value": "Ana@x.org", "type": "work" }, { "value": "ana@home.org", "type": "home" }]);
    let ana = directory.post("/Users", json!({ "userName": "ana", "emails": emails })).await.expect(201);
    directory.user("Ben", "Sousa", "ben@x.org").await;
    let found = async |filter: &str| -> Vec<String> {
        let query: String =
            form_urlencoded::Serializer::new(String::new()).append_pair("filter", filter).finish();
        let listed = directory.get(&format!("/Users?{query}")).await.expect(200);
        listed["Resources"].as_array().unwrap().iter().map(id).collect()
    };
    let (ana, nobody): (Vec<String>, Vec<String>) = (vec![id(&ana)], Vec::new());
    assert_eq!(found(r#"emails.value eq "ana@X.org""#).await, ana);
    assert_eq!(found(r#"emails.value eq "Ana@Home.org""#).await, ana);
    assert_eq!(found(r#"emails[type eq "work"].value eq "ana@home.org""#).await, nobody, "it is for home");
    assert_eq!(found(r#"emails eq "ana@home.org" and userName eq "ben@x.org""#).await, nobody);
    // Rows that an older version has written get into the index.
    execute(&world.app.db, "DELETE FROM scim_user_emails", Vec::new()).await;
    execute(&world.app.db, "UPDATE scim_users SET emails_at = 0", Vec::new()).await;
    assert_eq!(found(r#"emails.value eq "ana@home.org""#).await, ana);
    // Nobody else is compared.
    execute(&world.app.db, "DELETE FROM scim_user_emails", Vec::new()).await;
    assert_eq!(found(r#"emails.value eq "ana@home.org""#).await, nobody);
    assert_eq!(found(r#"emails.value sw "ana@home.org""#).await, ana);
    // What is removed is found no more.
    let path = format!("/Users/{}", ana[0]);
    let remove = json!([{ "op": "remove", "path": "emails[type eq \"home\"]" }]);
    directory.patch(&path, remove).await.expect(200);
    assert_eq!(found(r#"emails.value eq "ana@home.org""#).await, nobody);
    assert_eq!(found(r#"emails.value eq "ana@x.org""#).await, ana);
    directory.delete(&path).await.expect(204);
    assert_eq!(super::count(&world, &format!("scim_user_emails WHERE user_id = {}", ana[0])).await, 0);
}

#[tokio::test]
async fn removing_what_says_that_somebody_is_disabled_does_not_enable_them() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let group = directory.group("Choir", &[&ana]).await;
    directory.map_to(&group, &world.page).await;
    let path = format!("/Users/{ana}");
    let remove = json!([{ "op": "remove", "path": "active" }]);
    directory.patch(&path, remove.clone()).await.expect(200);
    assert_eq!(super::people(&world, &world.page).await.len(), 1, "nor does it disable anybody");
    directory.set_active(&ana, false).await;
    directory.patch(&path, remove).await.expect(200);
    directory.put(&path, json!({ "userName": "ana@x.org" })).await.expect(200);
    assert!(super::people(&world, &world.page).await.is_empty());
    assert_eq!(directory.get(&path).await.expect(200)["active"], false);
    directory.set_active(&ana, true).await;
    assert_eq!(super::people(&world, &world.page).await.len(), 1);
}

#[tokio::test]
async fn lists_have_pages() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    assert_eq!(
        directory.get("/Users?startIndex=1&count=2").await.expect(200),
        json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": 0, "startIndex": 1, "itemsPerPage": 0, "Resources": [],
        })
    );
    for number in 0..5 {
        directory.post("/Users", json!({ "userName": format!("u{number}") })).await.expect(201);
    }
    let names = |listed: &Value| -> Vec<String> {
        let all = listed["Resources"].as_array().unwrap();
        all.iter().map(|user| user["userName"].as_str().unwrap().to_owned()).collect()
    };
    for (query, start, found) in [
        ("", 1, &["u0", "u1", "u2", "u3", "u4"][..]),
        ("?startIndex=2&count=2", 2, &["u1", "u2"][..]),
        ("?startIndex=0&count=1", 1, &["u0"][..]),
        ("?startIndex=-3&count=1", 1, &["u0"][..]),
        ("?startIndex=5", 5, &["u4"][..]),
        ("?startIndex=9", 9, &[][..]),
        ("?count=0", 1, &[][..]),
        ("?count=-1", 1, &[][..]),
        ("?filter=userName%20sw%20%22u%22&startIndex=4", 4, &["u3", "u4"][..]),
    ] {
        let listed = directory.get(&format!("/Users{query}")).await.expect(200);
        assert_eq!(names(&listed), found, "{query}");
        let figures = json!([listed["totalResults"], listed["startIndex"], listed["itemsPerPage"]]);
        assert_eq!(figures, json!([5, start, found.len()]), "{query}");
    }
    let wrong = directory.get("/Users?count=many").await;
    assert_eq!((wrong.status.as_u16(), &wrong.body["scimType"]), (400, &json!("invalidValue")));
}

#[tokio::test]
async fn only_the_attributes_that_are_asked_for_are_returned() {
    let world = World::on_sqlite().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let user = directory.get(&format!("/Users/{ana}?attributes=userName,name.givenName")).await.expect(200);
    assert_eq!(
        user,
        json!({ "schemas": [USER], "id": ana, "userName": "ana@x.org", "name": { "givenName": "Ana" } })
    );
    let listed = directory.get("/Users?excludedAttributes=name,emails,meta").await.expect(200);
    assert_eq!(
        listed["Resources"][0],
        json!({ "schemas": [USER], "id": ana, "userName": "ana@x.org", "active": true })
    );
}

#[tokio::test]
async fn put_replaces_a_user_and_leaves_who_is_active() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let path = format!("/Users/{ana}");
    directory.set_active(&ana, false).await;
    let body = json!({ "schemas": [USER], "id": "other", "userName": "ana@x.org", "title": "Dr", "groups": [{ "value": "1" }] });
    let changed = directory.put(&path, body).await.expect(200);
    assert_eq!((&changed["id"], &changed["title"]), (&json!(ana), &json!("Dr")));
    assert!(
        changed.get("name").is_none() && changed.get("emails").is_none() && changed.get("groups").is_none()
    );
    assert_eq!(changed["active"], false);
    assert_eq!(directory.get(&path).await.expect(200), changed);
    let wrong = directory.put(&path, json!({ "title": "Dr" })).await;
    assert_eq!((wrong.status.as_u16(), &wrong.body["scimType"]), (400, &json!("invalidValue")));
}

#[tokio::test]
async fn what_changes_nothing_can_be_repeated() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let path = format!("/Users/{ana}");
    let operations = json!([{ "op": "add", "path": "title", "value": "Dr" }]);
    let first = directory.patch(&path, operations.clone()).await.expect(200);
    world.advance(Duration::from_secs(60));
    assert_eq!(directory.patch(&path, operations).await.expect(200), first, "and lastModified is the same");
    let changed = directory.patch(&path, json!([{ "op": "remove", "path": "title" }])).await.expect(200);
    assert_ne!(changed["meta"]["lastModified"], first["meta"]["lastModified"]);
    assert_eq!(changed["meta"]["created"], first["meta"]["created"]);
    directory.delete(&path).await.expect(204);
    for answer in [directory.delete(&path).await, directory.get(&path).await] {
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
    }
    directory.post("/Users", json!({ "userName": "ana@x.org" })).await.expect(201);
}

#[tokio::test]
async fn bodies_that_are_wrong_have_their_word() {
    let world = World::on_sqlite().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let (users, one) = ("/Users".to_owned(), format!("/Users/{ana}"));
    let send = async |method: Method, path: &str, body: &str| {
        let request = world.client.request(method, directory.url(path)).bearer_auth(&directory.token);
        let answer = crate::support::Answer::of(request.body(body.to_owned())).await;
        (answer.status.as_u16(), answer.body["scimType"].as_str().unwrap_or_default().to_owned())
    };
    for (method, path, body, word) in [
        (Method::POST, &users, "", "invalidSyntax"),
        (Method::POST, &users, "{", "invalidSyntax"),
        (Method::POST, &users, "[]", "invalidSyntax"),
        (Method::POST, &users, "{}", "invalidValue"),
        (Method::POST, &users, r#"{"userName":7}"#, "invalidValue"),
        (Method::POST, &users, r#"{"userName":"b","active":"sometimes"}"#, "invalidValue"),
        (Method::PATCH, &one, "{}", "invalidSyntax"),
        (Method::PATCH, &one, r#"{"Operations":[{"op":"remove"}]}"#, "noTarget"),
        (Method::PATCH, &one, r#"{"Operations":[{"op":"add","path":"emails[","value":1}]}"#, "invalidPath"),
        (Method::PATCH, &one, r#"{"Operations":[{"op":"replace","path":"id","value":"1"}]}"#, "mutability"),
        (
            Method::PATCH,
            &one,
            r#"{"Operations":[{"op":"replace","path":"userName","value":" "}]}"#,
            "invalidValue",
        ),
    ] {
        assert_eq!(send(method.clone(), path, body).await, (400, word.to_owned()), "{method} {body}");
    }
}

#[tokio::test]
async fn discovery_says_what_there_is() {
    let world = World::on_sqlite().await;
    let directory = Directory::new(&world).await;
    let config = directory.get("/ServiceProviderConfig").await.expect(200);
    assert_eq!((&config["patch"]["supported"], &config["etag"]["supported"]), (&json!(true), &json!(false)));
    let types = directory.get("/ResourceTypes").await.expect(200);
    assert_eq!(types["totalResults"], 2);
    assert_eq!(directory.get("/ResourceTypes/User").await.expect(200), types["Resources"][0]);
    let schemas = directory.get("/Schemas").await.expect(200);
    for schema in schemas["Resources"].as_array().unwrap() {
        assert_eq!(directory.get(&format!("/Schemas/{}", id(schema))).await.expect(200), *schema);
    }
    for (method, path, status) in [
        ("GET", "/Me", 501),
        ("POST", "/Bulk", 501),
        ("POST", "/.search", 501),
        ("POST", "/Users/.search", 501),
        ("GET", "/Schemas/none", 404),
        ("GET", "/ResourceTypes/none", 404),
        ("GET", "/Nothing", 404),
        ("GET", "/Users/1/2", 404),
        ("POST", "/Schemas", 405),
        ("DELETE", "/ServiceProviderConfig", 405),
        ("DELETE", "/Users", 405),
    ] {
        let answer = directory.send(method.parse().unwrap(), path, None).await;
        assert_eq!(answer.status.as_u16(), status, "{method} {path}");
    }
}
