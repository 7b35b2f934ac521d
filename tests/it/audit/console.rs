//! What members do in the console, and what directories do.

use std::{net::Ipv4Addr, time::Duration};

use endonym::{
    app::{
        Actor, audit, calls, custom_fields, deleted_people, members, name_pages,
        page_copies::{self, PeopleCopy},
        people_merge, people_tasks, persons, scim, tokens,
    },
    domain::{
        audit::{Act, Entry, WhoKind},
        email::Email,
        ids::ParticipantId,
        member::Role,
        name_page::NamePageRef,
        people_task::TaskAction,
        phone_number::PhoneNumber,
        session::PersonId,
    },
};
use serde_json::json;

use super::{ANA, count, entries, newest, rows, values};
use crate::support::World;

const BO: &str = "bo@example.edu";
const ADMIN: &str = "admin@example.edu";

async fn person(world: &World, first_name: &str, email: &str) -> ParticipantId {
    world.person(first_name, email).await;
    newest(world, Act::ParticipantCreated).await.subject.id.parse().unwrap()
}

async fn admin(world: &World) -> Actor {
    let (email, id) = (Email::parse(ADMIN).unwrap(), world.institution.id);
    members::set(&world.app, &Actor::Operator, id, email, Role::Admin, Vec::new()).await.unwrap();
    let person = PersonId { institution: id, email_key: ADMIN.into() };
    members::actor_of(&world.app, &person).await.unwrap()
}

async fn counted(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn all(world: &World, act: Act) -> Vec<Entry> {
    entries(world, audit::Query { act: Some(act), ..Default::default() }).await
}

#[tokio::test]
async fn somebody_who_is_deleted_and_restored_is_in_it_twice() {
    let world = World::new().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let ana = person(&world, "Ana", ANA).await;
    deleted_people::delete(app, operator, id, ana).await.unwrap();
    let deleted = newest(&world, Act::ParticipantDeleted).await;
    assert_eq!((deleted.who.kind, deleted.person.as_deref()), (WhoKind::Operator, Some(ANA)));
    assert_eq!(values(&deleted.before), json!({ "email": ANA, "first_name": "Ana" }));
    deleted_people::restore(app, operator, id, ana).await.unwrap();
    assert_eq!(newest(&world, Act::ParticipantRestored).await.subject.label, "Ana, Class of 2027");
}

#[tokio::test]
async fn what_is_done_with_many_is_there_for_each_of_them() {
    let world = World::new().await;
    let (app, id, admin) = (&world.app, world.institution.id, &admin(&world).await);
    let page = world.page("Class of 2028").await.id;
    let whom =
        people_tasks::Whom::These(vec![person(&world, "Ana", ANA).await, person(&world, "Bo", BO).await]);
    people_tasks::begin(app, admin, id, &whom, TaskAction::Move { page }).await.unwrap();
    let moved = all(&world, Act::ParticipantUpdated).await;
    assert_eq!(moved.len(), 2, "{moved:?}");
    for one in &moved {
        assert_eq!((one.who.kind, one.who.name()), (WhoKind::Member, ADMIN));
        assert_eq!(values(&one.before), json!({ "name_page": "Class of 2027" }));
        assert_eq!(values(&one.after), json!({ "name_page": "Class of 2028" }));
    }

    world.custom_field("major").await;
    let field = custom_fields::find(app, &Actor::Operator, id, "major").await.unwrap().id;
    let tag = || TaskAction::Tag { field, value: Some("Physics".into()) };
    people_tasks::begin(app, admin, id, &whom, tag()).await.unwrap();
    let tagged = newest(&world, Act::ParticipantUpdated).await;
    assert!(tagged.after.len() == 1 && tagged.after.values().all(|value| value == "Physics"), "{tagged:?}");
    assert_eq!(all(&world, Act::ParticipantUpdated).await.len(), 4);
    people_tasks::begin(app, admin, id, &whom, tag()).await.unwrap();
    assert_eq!(all(&world, Act::ParticipantUpdated).await.len(), 4, "they have it already");

    let task = people_tasks::begin(app, admin, id, &whom, TaskAction::Delete).await.unwrap();
    let deleted = all(&world, Act::ParticipantDeleted).await;
    assert_eq!(deleted.len(), 2);
    assert!(deleted.iter().all(|one| one.who.name() == ADMIN && one.before.contains_key("first_name")));
    people_tasks::undo(app, &Actor::Operator, id, task).await.unwrap();
    let restored = all(&world, Act::ParticipantRestored).await;
    assert_eq!(restored.len(), 2);
    assert!(restored.iter().all(|one| one.who.kind == WhoKind::Operator), "{restored:?}");
}

#[tokio::test]
async fn a_member_who_is_erased_is_forgotten_as_the_one_who_has_deleted_people() {
    let world = World::new().await;
    let (app, id, admin) = (&world.app, world.institution.id, &admin(&world).await);
    let whom = people_tasks::Whom::These(vec![person(&world, "Ana", ANA).await]);
    let task = people_tasks::begin(app, admin, id, &whom, TaskAction::Delete).await.unwrap();
    persons::erase(app, &Actor::Operator, id, ADMIN.to_owned(), persons::Rewrite::Later).await.unwrap();
    for (table, column) in [("deleted_people", "deleted_by"), ("people_tasks", "created_by")] {
        let named = format!("SELECT COUNT(*) FROM {table} WHERE {column} <> ''");
        assert_eq!(counted(&world, &named).await, 0, "{table}");
    }
    // It can still be undone.
    people_tasks::undo(app, &Actor::Operator, id, task).await.unwrap();
    assert_eq!(counted(&world, "SELECT COUNT(*) FROM deleted_people").await, 0);
}

#[tokio::test]
async fn of_two_merged_entries_it_tells_what_became_of_both() {
    let world = World::new().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let ids = (person(&world, "Ana", ANA).await, person(&world, "Anna", BO).await);
    let seen = people_merge::preview(app, operator, id, ids).await.unwrap();
    people_merge::merge(app, operator, id, ids, seen.versions).await.unwrap();
    let merged = newest(&world, Act::ParticipantMerged).await;
    assert_eq!((merged.subject.id, merged.person.as_deref()), (ids.0.to_string(), Some(ANA)));
    assert_eq!(merged.after["merged"], ids.1.to_string());
    let gone = newest(&world, Act::ParticipantDeleted).await;
    assert_eq!(gone.subject.id, ids.1.to_string());
    assert_eq!(gone.person.as_deref(), Some(ANA), "it is forgotten with her");
}

#[tokio::test]
async fn tokens_numbers_and_copied_pages_are_in_it() {
    let world = World::new().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let old = tokens::create(app, operator, id, "old".into(), None).await.unwrap().0;
    let (new, secret) = tokens::rotate(app, operator, id, old.id, Duration::from_secs(60)).await.unwrap();
    let rotated = newest(&world, Act::TokenRotated).await;
    assert_eq!(rotated.subject.id, old.id.to_string());
    assert_eq!(rotated.after["replaced_by"], new.id.to_string());
    assert!(rotated.after.contains_key("expires_at"), "{rotated:?}");
    assert_eq!(newest(&world, Act::TokenCreated).await.subject.id, new.id.to_string());
    assert!(!rows(&world).await.contains(&secret));

    for _ in 0..2 {
        let number = PhoneNumber::parse("+12025550123").unwrap();
        calls::forbid(app, operator, id, number).await.unwrap();
    }
    let forbidden = all(&world, Act::PhoneOptedOut).await;
    assert_eq!(forbidden.len(), 1, "the second time, nothing has changed");
    assert_eq!(forbidden[0].subject.label, "+********123");

    world.person("Ana", ANA).await;
    let (page, from) = (NamePageRef::parse(&world.page.slug).unwrap(), world.page.id);
    let to = name_pages::copy_with_people(app, operator, id, &page, "Copy".into(), None).await.unwrap().id;
    assert_eq!(newest(&world, Act::NamePageCreated).await.after["copied_from"], from.to_string());
    page_copies::run(app, PeopleCopy { institution: id, from, to }).await.unwrap();
    let copied = newest(&world, Act::ParticipantCreated).await;
    assert_eq!((copied.who.kind, copied.subject.label.as_str()), (WhoKind::System, "Ana, Copy"));
}

#[tokio::test]
async fn a_directory_and_what_follows_from_it_is_in_it() {
    let world = World::new().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let new = scim::connections::New { name: "Entra".into(), pages_from_groups: false };
    let (connection, token) = scim::connections::create(app, operator, id, new).await.unwrap();
    assert_eq!(newest(&world, Act::ScimConnectionCreated).await.subject.label, "Entra");
    let address = Ipv4Addr::LOCALHOST.into();
    let found = scim::connections::authenticate(app, &world.institution.slug, &token, address).await;
    let directory = found.unwrap().actor();

    let body = json!({ "userName": ANA, "name": { "givenName": "Ana" } });
    let ana = scim::users::create(app, &directory, id, &body).await.unwrap().stored.id;
    let made = newest(&world, Act::ScimUserCreated).await;
    assert_eq!((made.who.kind, made.who.name()), (WhoKind::Scim, "Entra"));
    assert_eq!((made.person.as_deref(), &made.after["first_name"]), (Some(ANA), &json!("Ana")));
    let body = json!({ "displayName": "Class", "members": [{ "value": ana.to_string() }] });
    let class = scim::groups::create(app, &directory, id, &body, true).await.unwrap().stored.id;
    assert_eq!(newest(&world, Act::ScimGroupCreated).await.after["members_added"], 1);
    let page = scim::Target::Page(NamePageRef::parse(&world.page.slug).unwrap());
    scim::groups::map(app, operator, id, class, page, None).await.unwrap();
    let registered = newest(&world, Act::ParticipantCreated).await;
    assert_eq!(
        (registered.who.kind, registered.subject.label.as_str()),
        (WhoKind::Operator, "Ana, Class of 2027")
    );

    let active = |is: bool| json!({ "Operations": [{ "op": "replace", "path": "active", "value": is }] });
    scim::users::patch(app, &directory, id, ana, &active(false)).await.unwrap();
    assert_eq!(values(&newest(&world, Act::ScimUserUpdated).await.after), json!({ "active": false }));
    let hidden = newest(&world, Act::ParticipantHidden).await;
    assert_eq!((hidden.who.kind, hidden.person.as_deref()), (WhoKind::Scim, Some(ANA)));
    let before = count(&world).await;
    scim::users::patch(app, &directory, id, ana, &active(false)).await.unwrap();
    assert_eq!(count(&world).await, before, "again the same");
    scim::users::patch(app, &directory, id, ana, &active(true)).await.unwrap();
    assert_eq!(newest(&world, Act::ParticipantShown).await.person.as_deref(), Some(ANA));
    let renamed = json!({ "userName": ANA, "name": { "givenName": "Anna" } });
    scim::users::replace(app, &directory, id, ana, renamed).await.unwrap();
    let changed = newest(&world, Act::ParticipantUpdated).await;
    assert_eq!(values(&changed.before), json!({ "first_name": "Ana" }));

    let role = scim::Target::Role(Role::Admin, Vec::new());
    scim::groups::map(app, operator, id, class, role, None).await.unwrap();
    assert_eq!(newest(&world, Act::MemberSet).await.after["role"], "admin");
    scim::groups::delete(app, &directory, id, class).await.unwrap();
    newest(&world, Act::ScimGroupDeleted).await;
    assert_eq!(newest(&world, Act::MemberRemoved).await.who.name(), "Entra");
    scim::users::delete(app, &directory, id, ana).await.unwrap();
    newest(&world, Act::ScimUserDeleted).await;
    scim::connections::revoke(app, operator, id, connection.id).await.unwrap();
    newest(&world, Act::ScimConnectionRevoked).await;
    persons::erase(app, operator, id, ANA.into(), persons::Rewrite::Later).await.unwrap();
    let log = rows(&world).await;
    assert!(!log.contains("ana@") && !log.contains("Anna") && !log.contains(&token), "{log}");
}
