//! Calls in the console.

use std::time::Duration;

use endonym::{
    app::{Actor, calls},
    domain::{
        call::State, countries::Countries, ids::CallId, member::Role, phone_number::PhoneNumber,
        quiet_hours::QuietHours,
    },
};
use serde_json::json;

use super::{console, email_of, member, member_of, plain};
use crate::support::{Setup, World, database::execute};

const NUMBER: &str = "+12025550123";
const OTHER: &str = "+12025550199";

/// An installation that calls people.
async fn calling() -> World {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        retry_after: Duration::from_secs(14_400),
        quiet_hours: QuietHours::OFF,
        countries: Countries::parse("US,IE").unwrap(),
        max_per_day: 500,
        ..calls::Rules::nobody()
    };
    World::with(Setup { calling, ..Setup::default() }).await
}

/// Somebody who gave a phone number, which asks for a call.
async fn caller(world: &World, email: &str, number: &str) -> CallId {
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": email, "phone_number": number }))
        .await;
    let all = calls::all(&world.app, &Actor::Operator, Some(world.institution.id), 100).await.unwrap();
    all.iter().find(|call| call.email.as_deref() == Some(email)).unwrap().id
}

async fn state(world: &World, id: CallId) -> State {
    let all = calls::all(&world.app, &Actor::Operator, Some(world.institution.id), 100).await.unwrap();
    all.iter().find(|call| call.id == id).unwrap().state
}

#[tokio::test]
async fn calls_are_shown_canceled_and_made_again() {
    let world = calling().await;
    let id = caller(&world, "ana@example.edu", NUMBER).await;
    let admin = member(&world, Role::Admin).await;
    let page = plain(&admin.get(&console(&world, "/phone")).await.expect(200).body);
    assert!(
        page.contains("ana@example.edu") && page.contains(NUMBER) && page.contains("Scheduled"),
        "{page}"
    );
    assert!(page.contains("US, IE") && page.contains("240 minutes"), "the rules in force: {page}");
    let cancel = console(&world, &format!("/phone/calls/{id}/cancel"));
    let retry = console(&world, &format!("/phone/calls/{id}/retry"));
    let refused = admin.post(&retry, &[]).await.expect(422).body;
    assert!(refused.contains("This person is being called already."), "{refused}");
    admin.post(&cancel, &[]).await.redirects_to(&console(&world, "/phone?done=canceled"));
    assert_eq!(state(&world, id).await, State::Canceled);
    let refused = admin.post(&cancel, &[]).await.expect(422).body;
    assert!(refused.contains("This call is over already."), "{refused}");
    let page = admin.get(&console(&world, "/phone?done=canceled")).await.expect(200).body;
    assert!(page.contains("The call was canceled.") && page.contains("Call again"), "{page}");
    admin.post(&retry, &[]).await.redirects_to(&console(&world, "/phone?done=retried"));
    assert_eq!(state(&world, id).await, State::Scheduled);

    let attempt = "INSERT INTO call_attempts (institution_id, id, call_id, phone_number, state, reason, step_number, started_at, ended_at) \
         VALUES ($1, 1, $2, $3, 'failed', 'no_key', 0, 0, 1)";
    execute(&world.app.db, attempt, vec![world.institution.id.into(), id.into(), NUMBER.into()]).await;
    let page = admin.get(&console(&world, "/phone")).await.expect(200).body;
    assert!(page.contains("often an answering machine"), "{page}");
}

#[tokio::test]
async fn a_number_on_the_list_is_not_called_and_its_calls_are_canceled() {
    let world = calling().await;
    let id = caller(&world, "ana@example.edu", NUMBER).await;
    let admin = member(&world, Role::Admin).await;
    let list = console(&world, "/phone/opt-outs");
    let page = admin.get(&list).await.expect(200).body;
    assert!(page.contains("No number is on the list."), "{page}");
    let page = admin.post(&list, &[("number", "call me not")]).await.expect(422).body;
    assert!(page.contains("value=\"call me not\"") && page.contains("not a phone number"), "{page}");
    admin.post(&list, &[("number", "+1 202 555 0123")]).await.redirects_to(&format!("{list}?done=added"));
    assert_eq!(state(&world, id).await, State::Canceled);
    assert!(admin.get(&list).await.expect(200).body.contains(NUMBER));
    let refused = admin.post(&console(&world, &format!("/phone/calls/{id}/retry")), &[]).await.expect(422);
    assert!(refused.body.contains("This number is on the do-not-call list."), "{}", refused.body);
    let removed = format!("{list}?done=removed");
    admin.post(&format!("{list}/remove"), &[("number", NUMBER)]).await.redirects_to(&removed);
    let left = calls::opted_out(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(left.is_empty(), "{left:?}");
    admin.post(&console(&world, &format!("/phone/calls/{id}/retry")), &[]).await.expect(303);
}

#[tokio::test]
async fn a_test_call_obeys_the_same_rules() {
    let world = calling().await;
    let admin = member(&world, Role::Admin).await;
    let email = email_of(&world.institution, Role::Admin);
    let path = console(&world, "/phone/test");
    let page = admin.post(&path, &[("number", OTHER)]).await.expect(422).body;
    assert!(page.contains("Register on one with your own email first.") && page.contains(OTHER), "{page}");
    world.person("Ada", &email).await;
    world.agree(world.institution.id, &email).await;
    let page = admin.post(&path, &[("number", "me")]).await.expect(422).body;
    assert!(page.contains("This is not a phone number") && page.contains("value=\"me\""), "{page}");
    // In a country that this installation does not call.
    admin.post(&path, &[("number", "+33 1 42 68 53 00")]).await.expect(422);
    let number = PhoneNumber::parse(OTHER).unwrap();
    let (app, id) = (&world.app, world.institution.id);
    calls::forbid(app, &Actor::Operator, id, number.clone()).await.unwrap();
    let page = admin.post(&path, &[("number", OTHER)]).await.expect(422).body;
    assert!(page.contains("This number is on the do-not-call list."), "{page}");
    assert!(calls::opt_in(app, &Actor::Operator, id, number).await.unwrap());
    admin.post(&path, &[("number", OTHER)]).await.redirects_to(&console(&world, "/phone?done=tested"));
    let page = admin.get(&console(&world, "/phone?done=tested")).await.expect(200).body;
    assert!(page.contains(OTHER) && page.contains(&email) && page.contains("Scheduled"), "{page}");
}

#[tokio::test]
async fn without_a_phone_the_page_says_what_to_set() {
    let world = World::on_sqlite().await;
    let admin = member(&world, Role::Admin).await;
    let page = admin.get(&console(&world, "/phone")).await.expect(200).body;
    assert!(page.contains("phone_url") && !page.contains("name=\"number\""), "{page}");
    admin.post(&console(&world, "/phone/test"), &[("number", NUMBER)]).await.expect(422);
}

#[tokio::test]
async fn only_admins_of_the_institution_see_its_calls() {
    let world = calling().await;
    let id = caller(&world, "ana@example.edu", NUMBER).await;
    let below = format!("/phone/calls/{id}");
    for role in [Role::Manager, Role::Reader] {
        let browser = member(&world, role).await;
        for path in ["/phone", "/phone/opt-outs"] {
            browser.get(&console(&world, path)).await.expect(403);
        }
        for path in ["/phone/opt-outs", "/phone/test", &format!("{below}/cancel"), &format!("{below}/retry")]
        {
            browser.post(&console(&world, path), &[("number", NUMBER)]).await.expect(403);
        }
    }
    let there = world.neighbor().await;
    let stranger = member_of(&world, &there.institution, Role::Owner, &[]).await;
    let theirs = format!("/console/{}", there.institution.slug);
    for path in ["cancel", "retry"] {
        stranger.post(&format!("{theirs}{below}/{path}"), &[]).await.expect(404);
    }
    stranger.post(&format!("{theirs}/phone/opt-outs"), &[("number", NUMBER)]).await.expect(303);
    assert_eq!(state(&world, id).await, State::Scheduled, "the list of another institution is not ours");
    let page = stranger.get(&format!("{theirs}/phone")).await.expect(200).body;
    assert!(!page.contains("ana@example.edu") && page.contains("There have been no calls yet."), "{page}");
}
