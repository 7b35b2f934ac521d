//! Roles: what groups give, and what ends when a directory disables somebody.

use endonym::{
    app::{Actor, audit, members, scim::Target},
    domain::{audit::Act, email::Email, member::Role, session::PersonId},
};
use serde_json::json;

use super::{Directory, people, reference};
use crate::support::World;

async fn role_of(world: &World, email: &str) -> Option<Role> {
    let person = PersonId { institution: world.institution.id, email_key: email.into() };
    members::find(&world.app, &person).await.unwrap().map(|member| member.role)
}

async fn set_by_hand(world: &World, email: &str, role: Role) {
    let email = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, world.institution.id, email, role, Vec::new()).await.unwrap();
}

#[tokio::test]
async fn a_group_can_give_a_role_and_the_last_owner_stays() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let role = async |email: &str| {
        let person = PersonId { institution: world.institution.id, email_key: email.into() };
        members::find(&world.app, &person).await.unwrap().map(|member| (member.role, member.pages.len()))
    };
    let [ana, ben] =
        [("Ana", "ana@x.org"), ("Ben", "ben@x.org")].map(|(name, email)| directory.user(name, "X", email));
    let (ana, ben) = (ana.await, ben.await);
    let owners = directory.group("Owners", &[&ana]).await;
    let managers = directory.group("Managers", &[&ana, &ben]).await;
    directory.map(&managers, Target::Role(Role::Manager, vec![reference(&world.page)])).await;
    assert_eq!(
        (role("ana@x.org").await, role("ben@x.org").await),
        (Some((Role::Manager, 1)), Some((Role::Manager, 1)))
    );
    directory.map(&owners, Target::Role(Role::Owner, Vec::new())).await;
    assert_eq!(role("ana@x.org").await, Some((Role::Owner, 0)), "the highest one");
    assert!(people(&world, &world.page).await.is_empty(), "a role registers nobody");
    directory.set_active(&ben, false).await;
    assert_eq!(role("ben@x.org").await, None);
    directory.set_active(&ben, true).await;
    assert_eq!(role("ben@x.org").await, Some((Role::Manager, 1)));
    // Nobody else owns the institution.
    directory
        .patch(&format!("/Groups/{owners}"), json!([{ "op": "remove", "path": "members" }]))
        .await
        .expect(204);
    assert_eq!(role("ana@x.org").await, Some((Role::Owner, 0)));
    let join = json!([{ "op": "add", "path": "members", "value": [{ "value": ben }] }]);
    directory.patch(&format!("/Groups/{owners}"), join).await.expect(204);
    assert_eq!(
        (role("ana@x.org").await, role("ben@x.org").await),
        (Some((Role::Manager, 1)), Some((Role::Owner, 0))),
        "the other group still gives her a role"
    );
}

#[tokio::test]
async fn a_role_that_was_given_by_hand_stays_as_it_is() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let (app, institution) = (&world.app, world.institution.id);
    let email = Email::parse("ana@x.org").unwrap();
    members::set(app, &Actor::Operator, institution, email, Role::Admin, Vec::new()).await.unwrap();
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let readers = directory.group("Readers", &[&ana]).await;
    directory.map(&readers, Target::Role(Role::Reader, vec![reference(&world.page)])).await;
    directory.delete(&format!("/Groups/{readers}")).await.expect(204);
    let person = PersonId { institution, email_key: "ana@x.org".into() };
    assert_eq!(members::find(app, &person).await.unwrap().unwrap().role, Role::Admin);
}

#[tokio::test]
async fn whoever_is_disabled_loses_a_role_that_was_given_by_hand() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    set_by_hand(&world, "ana@x.org", Role::Admin).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Admin));
    directory.set_active(&ana, false).await;
    assert_eq!(role_of(&world, "ana@x.org").await, None);
    let wanted = audit::Query { act: Some(Act::MemberRemoved), ..Default::default() };
    let found = audit::list(&world.app, &Actor::Operator, world.institution.id, &wanted).await.unwrap();
    assert_eq!(found.entries[0].before["role"], "admin");
    directory.set_active(&ana, true).await;
    assert_eq!(role_of(&world, "ana@x.org").await, None, "it has to be given again");
    set_by_hand(&world, "ana@x.org", Role::Admin).await;
    directory.delete(&format!("/Users/{ana}")).await.expect(204);
    assert_eq!(role_of(&world, "ana@x.org").await, None, "a deleted user is disabled");
}

#[tokio::test]
async fn another_user_of_the_same_person_keeps_the_role() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    set_by_hand(&world, "ana@x.org", Role::Admin).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let twin = json!({ "userName": "ana2", "emails": [{ "value": "ana@x.org" }], "active": true });
    directory.post("/Users", twin).await.expect(201);
    directory.set_active(&ana, false).await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Admin));
}

#[tokio::test]
async fn the_last_owner_who_was_disabled_leaves_when_somebody_else_is_an_owner() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    set_by_hand(&world, "ana@x.org", Role::Owner).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    directory.set_active(&ana, false).await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Owner), "there is no other");
    set_by_hand(&world, "admin@x.org", Role::Admin).await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Owner), "an admin is no owner");
    set_by_hand(&world, "ben@x.org", Role::Owner).await;
    assert_eq!(
        (role_of(&world, "ana@x.org").await, role_of(&world, "ben@x.org").await),
        (None, Some(Role::Owner))
    );
    let wanted = audit::Query { act: Some(Act::MemberRemoved), ..Default::default() };
    let found = audit::list(&world.app, &Actor::Operator, world.institution.id, &wanted).await.unwrap();
    assert_eq!((found.entries.len(), found.entries[0].before["email"].as_str()), (1, Some("ana@x.org")));
}

#[tokio::test]
async fn the_last_owner_who_was_deleted_or_has_left_the_group_leaves_too() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    let owners = directory.group("Owners", &[&ana]).await;
    directory.map(&owners, Target::Role(Role::Owner, Vec::new())).await;
    directory.delete(&format!("/Users/{ana}")).await.expect(204);
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Owner));
    // Another member of the group is an owner at once.
    let ben = directory.user("Ben", "Sousa", "ben@x.org").await;
    let join = json!([{ "op": "add", "path": "members", "value": [{ "value": ben }] }]);
    directory.patch(&format!("/Groups/{owners}"), join).await.expect(204);
    assert_eq!(
        (role_of(&world, "ana@x.org").await, role_of(&world, "ben@x.org").await),
        (None, Some(Role::Owner))
    );
    let leave = json!([{ "op": "remove", "path": "members" }]);
    directory.patch(&format!("/Groups/{owners}"), leave).await.expect(204);
    assert_eq!(role_of(&world, "ben@x.org").await, Some(Role::Owner));
    set_by_hand(&world, "cy@x.org", Role::Owner).await;
    assert_eq!(role_of(&world, "ben@x.org").await, None);
}

#[tokio::test]
async fn the_last_owner_who_is_back_stays_when_somebody_else_is_an_owner() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    set_by_hand(&world, "ana@x.org", Role::Owner).await;
    let ana = directory.user("Ana", "Lima", "ana@x.org").await;
    directory.set_active(&ana, false).await;
    directory.set_active(&ana, true).await;
    set_by_hand(&world, "ben@x.org", Role::Owner).await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Owner), "she was an owner all the time");
    // An owner who decides by hand decides for good.
    members::remove(&world.app, &Actor::Operator, world.institution.id, "ben@x.org", None).await.unwrap();
    directory.set_active(&ana, false).await;
    set_by_hand(&world, "ana@x.org", Role::Owner).await;
    set_by_hand(&world, "ben@x.org", Role::Owner).await;
    assert_eq!(role_of(&world, "ana@x.org").await, Some(Role::Owner));
}
