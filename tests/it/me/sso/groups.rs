//! Roles by the groups that the provider claims.

use endonym::{
    app::{Actor, audit, members, scim, sso},
    domain::{
        audit::{Act, WhoKind},
        email::Email,
        member::{Member, Role},
        name_page::NamePageRef,
        session::PersonId,
        sso::Connection,
    },
};
use serde_json::{Value, json};

use super::{Provider, Seen, Visitor, account, scene_with};
use crate::support::World;

const NEO: &str = "neo@example.edu";

/// The provider tells groups, in the ID token or at its UserInfo endpoint.
async fn scene(in_token: bool) -> (World, Provider, Connection) {
    let claims = json!({ "openid": ["sub"], "email": ["email", "email_verified", "groups"] });
    let settings = json!({ "claims": claims, "conformIdTokenClaims": !in_token });
    scene_with(json!({}), json!({ "settings": settings })).await
}

async fn map(world: &World, connection: &Connection, group: &str, role: Role) {
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let pages = if role.has_all_pages() { vec![] } else { vec![page] };
    sso::map_group(&world.app, &Actor::Operator, connection.id, group, role, pages, None).await.unwrap();
}

/// Neo signs in with these claims more than others have.
async fn enter(world: &World, provider: &Provider, connection: &Connection, more: Value) -> Seen {
    let mut neo = account(NEO);
    neo.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    provider.account(neo).await;
    Visitor::new(world).sign_in(connection).await
}

async fn neo(world: &World) -> Option<Member> {
    let person = PersonId { institution: world.institution.id, email_key: NEO.into() };
    members::find(&world.app, &person).await.unwrap()
}

async fn set_by_hand(world: &World, email: &str, role: Role) {
    let email = Email::parse(email).unwrap();
    members::set(&world.app, &Actor::Operator, world.institution.id, email, role, vec![]).await.unwrap();
}

#[tokio::test]
async fn groups_give_the_highest_role_and_take_it_away() {
    for in_token in [true, false] {
        let (world, provider, connection) = scene(in_token).await;
        enter(&world, &provider, &connection, json!({ "groups": ["staff"] })).await;
        assert!(neo(&world).await.is_none(), "no group has a role");
        map(&world, &connection, "staff", Role::Reader).await;
        map(&world, &connection, "registrars", Role::Admin).await;
        let seen = enter(&world, &provider, &connection, json!({ "groups": ["staff", "choir"] })).await;
        seen.redirects_to("/me");
        let member = neo(&world).await.unwrap();
        assert_eq!((member.role, member.pages), (Role::Reader, vec![world.page.id]));
        let seen = enter(&world, &provider, &connection, json!({ "groups": ["staff", "registrars"] })).await;
        seen.redirects_to("/me");
        assert_eq!(neo(&world).await.unwrap().role, Role::Admin);
        let wanted = audit::Query { act: Some(Act::MemberSet), ..Default::default() };
        let found = audit::list(&world.app, &Actor::Operator, world.institution.id, &wanted).await.unwrap();
        let who = &found.entries[0].who;
        assert_eq!((who.kind, who.name()), (WhoKind::System, "Campus Login"));
        // Nobody knows them without a role.
        let seen = enter(&world, &provider, &connection, json!({ "groups": [] })).await;
        assert!(!seen.status.is_redirection(), "{}", seen.body);
        assert!(neo(&world).await.is_none());
    }
}

#[tokio::test]
async fn a_rule_that_is_deleted_ends_with_the_next_sign_in() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "staff", Role::Reader).await;
    enter(&world, &provider, &connection, json!({ "groups": "staff" })).await.redirects_to("/me");
    sso::unmap_group(&world.app, &Actor::Operator, connection.id, "staff").await.unwrap();
    assert!(neo(&world).await.is_some());
    enter(&world, &provider, &connection, json!({ "groups": "staff" })).await;
    assert!(neo(&world).await.is_none());
}

#[tokio::test]
async fn a_role_that_was_given_by_hand_stays() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "registrars", Role::Admin).await;
    set_by_hand(&world, NEO, Role::Reader).await;
    for groups in [json!([]), json!(["registrars"])] {
        enter(&world, &provider, &connection, json!({ "groups": groups })).await.redirects_to("/me");
        assert_eq!(neo(&world).await.unwrap().role, Role::Reader);
    }
    // From the hand to the group, and back.
    members::remove(&world.app, &Actor::Operator, world.institution.id, NEO, None).await.unwrap();
    enter(&world, &provider, &connection, json!({ "groups": ["registrars"] })).await.redirects_to("/me");
    assert_eq!(neo(&world).await.unwrap().role, Role::Admin);
    set_by_hand(&world, NEO, Role::Admin).await;
    enter(&world, &provider, &connection, json!({ "groups": [] })).await.redirects_to("/me");
    assert_eq!(neo(&world).await.unwrap().role, Role::Admin);
}

#[tokio::test]
async fn the_last_owner_keeps_the_role() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "it", Role::Owner).await;
    enter(&world, &provider, &connection, json!({ "groups": ["it"] })).await.redirects_to("/me");
    enter(&world, &provider, &connection, json!({ "groups": [] })).await.redirects_to("/me");
    assert_eq!(neo(&world).await.unwrap().role, Role::Owner);
    set_by_hand(&world, "boss@example.edu", Role::Owner).await;
    enter(&world, &provider, &connection, json!({ "groups": [] })).await;
    assert!(neo(&world).await.is_none());
}

#[tokio::test]
async fn whom_a_directory_has_disabled_gets_no_role() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "staff", Role::Admin).await;
    let user = json!({ "userName": NEO, "active": false });
    scim::users::create(&world.app, &Actor::Operator, world.institution.id, &user).await.unwrap();
    enter(&world, &provider, &connection, json!({ "groups": ["staff"] })).await;
    assert!(neo(&world).await.is_none());
}

#[tokio::test]
async fn an_owner_by_group_relieves_one_whom_a_directory_has_disabled() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "it", Role::Owner).await;
    set_by_hand(&world, "boss@example.edu", Role::Owner).await;
    let user = json!({ "userName": "boss@example.edu", "active": false });
    scim::users::create(&world.app, &Actor::Operator, world.institution.id, &user).await.unwrap();
    let boss = PersonId { institution: world.institution.id, email_key: "boss@example.edu".into() };
    assert!(members::find(&world.app, &boss).await.unwrap().is_some(), "there is no other owner");
    enter(&world, &provider, &connection, json!({ "groups": ["it"] })).await.redirects_to("/me");
    assert!(members::find(&world.app, &boss).await.unwrap().is_none());
    assert_eq!(neo(&world).await.unwrap().role, Role::Owner);
}

/// Microsoft Entra does not name them if they are too many.
#[tokio::test]
async fn groups_that_the_provider_does_not_name_change_nothing() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "staff", Role::Reader).await;
    enter(&world, &provider, &connection, json!({ "groups": ["staff"] })).await.redirects_to("/me");
    let place = json!({ "src1": { "endpoint": "https://graph.example.com" } });
    let many = json!({ "_claim_names": { "groups": "src1" }, "_claim_sources": place });
    enter(&world, &provider, &connection, many).await.redirects_to("/me");
    assert_eq!(neo(&world).await.unwrap().role, Role::Reader);
}

#[tokio::test]
async fn roles_stay_when_their_connection_is_deleted() {
    let (world, provider, connection) = scene(true).await;
    map(&world, &connection, "staff", Role::Reader).await;
    enter(&world, &provider, &connection, json!({ "groups": ["staff"] })).await.redirects_to("/me");
    let of = async || members::list(&world.app, &Actor::Operator, world.institution.id, "", 9).await.unwrap();
    assert!(of().await.by_group.contains(NEO));
    sso::delete(&world.app, &Actor::Operator, connection.id).await.unwrap();
    assert_eq!(neo(&world).await.unwrap().role, Role::Reader);
    assert!(of().await.by_group.is_empty());
}
