//! Groups: what they stand for, and what becomes of registrations and roles.

use endonym::{
    app::{Actor, audiences, institutions, persons, scim::Target},
    domain::{audience::Audience, media::Kind, member::Role, session::PersonId},
};
use serde_json::{Value, json};

use super::{Directory, ENDONYM, count, id, looked_up, people, reference};
use crate::support::World;

const SOUND: &[u8] = b"sound";

async fn registered(directory: &Directory<'_>) -> (String, String) {
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let group = directory.group("Choir", &[&ana]).await;
    directory.map_to(&group, &directory.world.page).await;
    (ana, group)
}

#[tokio::test]
async fn members_of_a_group_are_registered_on_its_page_and_hidden_when_they_leave() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (ana, group) = registered(&directory).await;
    assert_eq!(people(&world, &world.page).await, ["Ana Lima ana@x.org"]);
    let found = looked_up(&world, "ana@x.org").await;
    world.give(&found[0], Kind::Recording, SOUND).await;
    let recorded = looked_up(&world, "ana@x.org").await;
    let path = format!("/Groups/{group}");
    let leave = json!([{ "op": "remove", "path": format!("members[value eq \"{ana}\"]") }]);
    directory.patch(&path, leave.clone()).await.expect(204);
    assert!(people(&world, &world.page).await.is_empty() && looked_up(&world, "ana@x.org").await.is_empty());
    directory.patch(&path, leave).await.expect(204);
    directory
        .patch(&path, json!([{ "op": "add", "path": "members", "value": [{ "value": ana }] }]))
        .await
        .expect(204);
    let back = looked_up(&world, "ana@x.org").await;
    assert_eq!(back[0]["name_badge_link"], recorded[0]["name_badge_link"], "the same registration");
    assert_eq!(back[0]["recording_link"], recorded[0]["recording_link"], "with its recording");
    directory.delete(&path).await.expect(204);
    assert!(people(&world, &world.page).await.is_empty(), "the group is gone");
    assert_eq!(count(&world, "hidden_participants").await, 1);
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn whoever_is_switched_off_disappears_everywhere_and_comes_back_with_everything() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let other = world.page("Class").await;
    let (ana, _) = registered(&directory).await;
    let person = world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    world.give(&person, Kind::Recording, SOUND).await;
    for round in 0..2 {
        directory.set_active(&ana, false).await;
        assert!(looked_up(&world, "ana@x.org").await.is_empty(), "{round}");
        assert_eq!(count(&world, "participants").await, 0, "{round}");
        directory.set_active(&ana, true).await;
        assert_eq!(people(&world, &world.page).await, ["Ana Lima ana@x.org"]);
        assert_eq!(people(&world, &other).await, ["Ana ana@x.org"]);
        assert!(!looked_up(&world, "ana@x.org").await[0]["recording_link"].is_null(), "{round}");
    }
    assert_eq!(count(&world, "scim_registrations").await, 1, "only that of the group follows the user");
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn whoever_is_switched_off_with_a_new_email_disappears_with_the_old_one() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let other = world.page("Class").await;
    let (ana, _) = registered(&directory).await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    for (active, email) in [("False", "gone@x.org"), ("True", "ana@x.org")] {
        let both = json!([
            { "op": "Replace", "path": "emails", "value": [{ "value": email, "primary": true }] },
            { "op": "Replace", "path": "active", "value": active },
        ]);
        directory.patch(&format!("/Users/{ana}"), both).await.expect(200);
        if active == "False" {
            assert_eq!(count(&world, "participants").await, 0, "also where no group has registered them");
        }
    }
    assert_eq!(people(&world, &world.page).await, ["Ana Lima ana@x.org"]);
    assert_eq!(people(&world, &other).await, ["Ana ana@x.org"]);
}

#[tokio::test]
async fn a_deleted_user_is_hidden_and_a_new_one_with_the_same_email_finds_everything() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let other = world.page("Class").await;
    let (ana, group) = registered(&directory).await;
    world.person_on(&other, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    let before = looked_up(&world, "ana@x.org").await;
    directory.delete(&format!("/Users/{ana}")).await.expect(204);
    assert_eq!(count(&world, "participants").await, 0);
    assert!(directory.get(&format!("/Groups/{group}")).await.expect(200).get("members").is_none());
    let again = directory.user("Ana", "Lima", "ANA@x.org").await;
    assert_eq!(people(&world, &other).await, ["Ana ana@x.org"]);
    let join = json!([{ "op": "add", "path": "members", "value": [{ "value": again }] }]);
    directory.patch(&format!("/Groups/{group}"), join).await.expect(204);
    assert_eq!(people(&world, &world.page).await.len(), 1);
    let now = looked_up(&world, "ana@x.org").await;
    assert_eq!(now[0]["name_badge_link"], before[0]["name_badge_link"], "the same registrations");
}

#[tokio::test]
async fn names_and_emails_follow_the_directory_and_recordings_stay() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (ana, _) = registered(&directory).await;
    let person = PersonId { institution: world.institution.id, email_key: "ana@x.org".into() };
    let found = looked_up(&world, "ana@x.org").await;
    world.give(&found[0], Kind::Recording, SOUND).await;
    let badge = found[0]["name_badge_link"].clone();
    audiences::choose(&world.app, &Actor::Operator, person, Audience::Institution).await.unwrap();
    let path = format!("/Users/{ana}");
    let rename = json!([{ "op": "Replace", "path": "name.familyName", "value": "Silva" }]);
    directory.patch(&path, rename).await.expect(200);
    assert_eq!(people(&world, &world.page).await, ["Ana Silva ana@x.org"]);
    let moved = json!([
        { "op": "replace", "path": "emails[type eq \"work\"].value", "value": "ana.silva@x.org" },
        { "op": "replace", "path": "userName", "value": "ana.silva@x.org" },
    ]);
    directory.patch(&path, moved).await.expect(200);
    assert_eq!(people(&world, &world.page).await, ["Ana Silva ana.silva@x.org"]);
    assert!(looked_up(&world, "ana@x.org").await.is_empty());
    let now = looked_up(&world, "ana.silva@x.org").await;
    assert_eq!((&now[0]["name_badge_link"], now[0]["recording_link"].is_null()), (&badge, false));
    let moved = PersonId { institution: world.institution.id, email_key: "ana.silva@x.org".into() };
    let choice = audiences::find(&world.app, &Actor::Operator, &moved).await.unwrap();
    assert_eq!(choice.audience, Audience::Institution, "and so does who may hear them");
    // The old address goes to somebody else, who does not get the recording.
    let ben = directory.user("Ben", "Sousa", "ana@x.org").await;
    let choir = directory.group("Choir 2", &[&ben]).await;
    directory.map_to(&choir, &world.page).await;
    assert_eq!(people(&world, &world.page).await, ["Ana Silva ana.silva@x.org", "Ben Sousa ana@x.org"]);
    assert!(looked_up(&world, "ana@x.org").await[0]["recording_link"].is_null());
}

#[tokio::test]
async fn an_email_that_somebody_has_on_the_page_already_is_theirs() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (ana, _) = registered(&directory).await;
    world.person("Anna", "new@x.org").await;
    let moved =
        json!([{ "op": "replace", "path": "emails", "value": [{ "value": "new@x.org", "primary": true }] }]);
    directory.patch(&format!("/Users/{ana}"), moved).await.expect(200);
    assert_eq!(people(&world, &world.page).await, ["Anna new@x.org"]);
    directory.set_active(&ana, false).await;
    assert_eq!(count(&world, "participants").await, 0);
    directory.set_active(&ana, true).await;
    assert_eq!(people(&world, &world.page).await, ["Anna new@x.org"]);
}

#[tokio::test]
async fn somebody_who_was_registered_before_is_not_registered_twice() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let before = world.person("Anna", "ana@x.org").await;
    registered(&directory).await;
    assert_eq!(people(&world, &world.page).await, ["Anna ana@x.org"], "and keeps the name");
    assert_eq!(looked_up(&world, "ana@x.org").await[0]["name_badge_link"], before["name_badge_link"]);
}

#[tokio::test]
async fn a_recording_made_elsewhere_comes_along() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let class = world.page("Class").await;
    let person = world.person_on(&class, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    let hex = world.give(&person, Kind::Recording, SOUND).await;
    crate::support::database::execute(
        &world.app.db,
        "UPDATE media SET origin = 'shared' WHERE hex = $1",
        vec![hex.into()],
    )
    .await;
    registered(&directory).await;
    let text = "SELECT COUNT(*) FROM participants WHERE name_page_id = $1 AND recording IS NOT NULL";
    let found = world.app.db.read().one(text, &[world.page.id.into()], |row| row.int(0)).await;
    assert_eq!(found.unwrap(), Some(1));
}

#[tokio::test]
async fn thousands_join_and_leave_at_once() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let group = directory.group("Everybody", &[]).await;
    directory.map_to(&group, &world.page).await;
    // Many users with one statement each, as if a directory had created them.
    let count_of = 1_200;
    for number in 0..count_of {
        crate::support::database::execute(
            &world.app.db,
            "INSERT INTO scim_users (institution_id, id, user_name_key, active, email_key, resource, pending, created_at, updated_at) \
             VALUES ($1, $2, $3, TRUE, $3, $4, FALSE, 1, 1)",
            vec![
                world.institution.id.into(),
                i64::from(number + 1).into(),
                format!("p{number}@x.org").into(),
                json!({ "userName": format!("p{number}@x.org") }).to_string().into(),
            ],
        )
        .await;
    }
    let path = format!("/Groups/{group}");
    let members: Vec<Value> = (1..=count_of).map(|id| json!({ "value": id.to_string() })).collect();
    directory.patch(&path, json!([{ "op": "Add", "path": "members", "value": members }])).await.expect(204);
    assert_eq!(people(&world, &world.page).await.len(), 1_200);
    let listed = directory.get(&format!("{path}?excludedAttributes=members")).await.expect(200);
    assert!(listed.get("members").is_none());
    let whole = directory.get(&path).await.expect(200);
    assert_eq!(whole["members"].as_array().unwrap().len(), 1_200);
    let leaving: Vec<Value> = (2..=count_of).map(|id| json!({ "value": id.to_string() })).collect();
    directory
        .patch(&path, json!([{ "op": "Remove", "path": "members", "value": leaving }]))
        .await
        .expect(204);
    assert_eq!(people(&world, &world.page).await, ["p0 p0@x.org"]);
    assert_eq!(count(&world, "hidden_participants").await, 1_199);
    assert_eq!(count(&world, "scim_users WHERE pending = TRUE").await, 0);
}

#[tokio::test]
async fn what_was_interrupted_is_caught_up() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    registered(&directory).await;
    let text = "UPDATE scim_users SET active = FALSE, pending = TRUE";
    crate::support::database::execute(&world.app.db, text, Vec::new()).await;
    assert_eq!(people(&world, &world.page).await.len(), 1);
    directory.get("/Users?filter=userName%20eq%20%22x%22").await.expect(200);
    assert!(people(&world, &world.page).await.is_empty());
}

#[tokio::test]
async fn groups_can_make_name_pages() {
    let world = World::new().await;
    let directory = Directory::with(&world, true).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    directory.group("Physics 101", &[&ana]).await;
    let text = "SELECT n.slug, r.members FROM name_pages n JOIN rolls r ON r.institution_id = n.institution_id \
                AND r.name_page_id = n.id WHERE n.title = 'Physics 101'";
    let found = world.app.db.read().one(text, &[], |row| Ok((row.text(0)?, row.int(1)?))).await.unwrap();
    assert_eq!(found, Some(("physics-101".to_owned(), 1)));
}

#[tokio::test]
async fn groups_are_found_renamed_and_replaced() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let group = directory.group("Choir", &[&ana]).await;
    let path = format!("/Groups/{group}");
    let found = directory
        .get("/Groups?excludedAttributes=members&filter=displayName%20eq%20%22CHOIR%22")
        .await
        .expect(200);
    assert_eq!((&found["totalResults"], id(&found["Resources"][0])), (&json!(1), group.clone()));
    let user = directory.get(&format!("/Users/{ana}")).await.expect(200);
    let reference = directory.url(&path);
    assert_eq!(
        user["groups"],
        json!([{ "value": group, "$ref": reference, "display": "Choir", "type": "direct" }])
    );
    assert_eq!(
        directory.post("/Groups", json!({ "displayName": "choir" })).await.expect(409)["scimType"],
        "uniqueness"
    );
    let renamed =
        directory.put(&path, json!({ "displayName": "Big choir", "externalId": "g1" })).await.expect(200);
    let member = json!([{ "value": ana, "$ref": directory.url(&format!("/Users/{ana}")), "type": "User" }]);
    assert_eq!(
        (&renamed["externalId"], &renamed["members"]),
        (&json!("g1"), &member),
        "without members, they stay"
    );
    directory.put(&path, json!({ "displayName": "Big choir", "members": [] })).await.expect(200);
    let shown = directory
        .patch(
            &format!("{path}?attributes=displayName"),
            json!([{ "op": "replace", "value": { "id": group, "displayName": "Choir" } }]),
        )
        .await;
    assert_eq!(
        shown.expect(200),
        json!({ "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "id": group, "displayName": "Choir" })
    );
    let nobody = json!([{ "op": "add", "path": "members", "value": [{ "value": "7" }] }]);
    assert_eq!(directory.patch(&path, nobody).await.expect(400)["scimType"], "invalidValue");
    directory.delete(&path).await.expect(204);
    directory.get(&path).await.expect(404);
}

#[tokio::test]
async fn the_extension_says_what_a_badge_shows() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (ana, _) = registered(&directory).await;
    let path = format!("/Users/{ana}");
    let said = async || directory.get(&path).await.expect(200)[ENDONYM].clone();
    let found = looked_up(&world, "ana@x.org").await;
    let badge = found[0]["name_badge_link"].clone();
    assert_eq!(said().await, json!({ "recorded": false, "badgeUrl": badge }));
    let hex = world.give(&found[0], Kind::Recording, SOUND).await;
    let change = json!({ "name_page_id": world.page.slug, "participant": { "phonetic": "AH-na" } });
    world.put("/v5/participants/ana@x.org", change).await.expect(200);
    let shown = said().await;
    assert_eq!((&shown["recorded"], &shown["badgeUrl"]), (&json!(true), &badge));
    assert_eq!(shown["phoneticSpelling"], "AH-na");
    assert!(shown["audioUrl"].as_str().unwrap().contains(&hex), "{shown}");
    let person = PersonId { institution: world.institution.id, email_key: "ana@x.org".into() };
    let choose = |audience| audiences::choose(&world.app, &Actor::Operator, person.clone(), audience);
    choose(Audience::Institution).await.unwrap();
    assert_eq!(said().await, json!({ "recorded": true, "badgeUrl": badge }), "a badge asks to sign in");
    choose(Audience::Paused).await.unwrap();
    assert_eq!(said().await["recorded"], false);
    assert!(said().await.get("audioUrl").is_none());
    // It is read-only.
    let write = json!([{ "op": "replace", "path": format!("{ENDONYM}:recorded"), "value": true }]);
    assert_eq!(directory.patch(&path, write).await.expect(400)["scimType"], "mutability");
}

#[tokio::test]
async fn an_erased_person_and_a_deleted_institution_leave_nothing_behind() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (_, group) = registered(&directory).await;
    directory.map(&group, Target::Role(Role::Reader, vec![reference(&world.page)])).await;
    let (app, institution) = (&world.app, world.institution.id);
    let copy = persons::export(app, &Actor::Operator, &world.institution, "ana@x.org".into()).await.unwrap();
    assert!(copy.about["person"]["scim_users"][0]["resource"].as_str().unwrap().contains("Lima"));
    let later = persons::Rewrite::Later;
    persons::erase(app, &Actor::Operator, institution, "ana@x.org".into(), later).await.unwrap();
    for table in [
        "scim_users",
        "scim_user_emails",
        "scim_group_members",
        "scim_registrations",
        "scim_roles",
        "hidden_participants",
    ] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
    let ben = directory.user("Ben", "Sousa", "ben@x.org").await;
    directory.group("Class", &[&ben]).await;
    institutions::delete(app, &Actor::Operator, &world.institution.slug).await.unwrap();
    for table in [
        "scim_connections",
        "scim_users",
        "scim_user_emails",
        "scim_groups",
        "scim_group_members",
        "scim_group_pages",
    ] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
}
