//! People whom a directory has disabled: neither an invitation nor a self-registration brings them back.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, audit,
        page_settings::Change,
        persons::{self, Rewrite},
        refused_people,
    },
    domain::{audit::Act, consent, page_settings::Register, session::How},
};
use serde_json::json;

use super::{
    invitations::{count, link},
    set,
};
use crate::{
    me::{Browser, newest_mail},
    scim::Directory,
    support::World,
};

const ANA: &str = "ana@example.edu";

async fn world() -> World {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    world
}

fn agreeing() -> [(&'static str, &'static str); 5] {
    [
        ("first_name", "Ana"),
        ("last_name", "Lima"),
        ("agree", "yes"),
        ("version", consent::BUILT_IN),
        ("language", "en"),
    ]
}

/// Nobody gets in by any door that people open themselves.
async fn is_kept_out(world: &World, invitation: &str) {
    // Three messages in a quarter of an hour may be asked for.
    world.advance(Duration::from_secs(16 * 60));
    Browser::new(world).get(invitation).await.expect(404);
    let visitor = Browser::new(world);
    visitor.get("/sign-in").await.expect(200);
    visitor.post(invitation, &agreeing()).await.expect(404);
    // The page answers as it does to everybody, and no message follows.
    let page = format!("/p/{}", world.page.slug);
    visitor.get(&page).await.expect(200);
    visitor.post(&page, &[("email", ANA)]).await.redirects_to(&format!("{page}/code"));
    assert!(newest_mail(world).await.is_none());
    visitor.ask("", ANA).await.redirects_to("/sign-in/code");
    assert!(newest_mail(world).await.is_none());
    let counted = [count(world, "participants").await, count(world, "sessions").await];
    assert_eq!((counted, count(world, "admissions").await), ([0, 0], 0));
}

#[tokio::test]
async fn whoever_is_disabled_stays_out_until_the_directory_or_an_admin_lets_them_in() {
    let world = world().await;
    let directory = Directory::new(&world).await;
    let (app, id) = (&world.app, world.institution.id);
    for is_deleted in [false, true] {
        let user = directory.user("Ana", "Lima", ANA).await;
        // Somebody signed in, a code under way, an admission and an invitation.
        let invitation = link(&world, ANA).await;
        let (session, code) = (Browser::new(&world), Browser::new(&world));
        session.get(&invitation).await.expect(200);
        session.post(&invitation, &agreeing()).await.expect(303);
        let own = format!("/p/{}/own", world.page.slug);
        session.get(&own).await.expect(200);
        let mail = code.mailed("", ANA).await;
        match is_deleted {
            true => drop(directory.delete(&format!("/Users/{user}")).await.expect(204)),
            false => directory.set_active(&user, false).await,
        }
        assert!(session.session().await.is_none(), "{is_deleted}");
        code.get("/sign-in/code").await;
        let late = code.post("/sign-in/code", &[("code", &mail.code)]).await;
        assert!(late.status != 303 && code.session().await.is_none(), "{}", late.status);
        is_kept_out(&world, &invitation).await;
        // A new invitation does not let them in.
        let renewed = link(&world, ANA).await;
        is_kept_out(&world, &renewed).await;
        // Nor does a change of something else in the directory.
        if !is_deleted {
            let title = json!([{ "op": "replace", "path": "title", "value": "Dr." }]);
            directory.patch(&format!("/Users/{user}"), title).await.expect(200);
            is_kept_out(&world, &renewed).await;
        }
        let admin = Actor::Operator;
        assert_eq!(refused_people::list(app, &admin, id, "").await.unwrap().0[0].email_key, ANA);
        refused_people::readmit(app, &admin, id, " Ana@Example.edu").await.unwrap();
        assert!(matches!(refused_people::readmit(app, &admin, id, ANA).await, Err(Error::Missing(_))));
        let query = audit::Query { act: Some(Act::PersonReadmitted), ..Default::default() };
        let entries = audit::list(app, &admin, id, &query).await.unwrap().entries;
        assert_eq!(entries[0].person.as_deref(), Some(ANA));
        // Again the same from the directory changes nothing.
        if !is_deleted {
            directory.set_active(&user, false).await;
            let title = json!([{ "op": "replace", "path": "title", "value": "Prof." }]);
            directory.patch(&format!("/Users/{user}"), title).await.expect(200);
        }
        let back = Browser::new(&world);
        // Each time the directory says that they are disabled, invitations are void.
        let fresh = link(&world, ANA).await;
        back.get(&fresh).await.expect(200);
        back.post(&fresh, &agreeing()).await.redirects_to(&own);
        assert_eq!(back.session().await.unwrap().how, How::Invitation);
        persons::erase(app, &admin, id, ANA.to_owned(), Rewrite::Later).await.unwrap();
        assert_eq!(count(&world, "refused_people").await, 0, "an erasure leaves nothing");
    }
}

#[tokio::test]
async fn the_directory_lets_them_in_again() {
    let world = world().await;
    let directory = Directory::new(&world).await;
    let user = directory.user("Ana", "Lima", ANA).await;
    directory.set_active(&user, false).await;
    let invitation = link(&world, ANA).await;
    is_kept_out(&world, &invitation).await;
    directory.set_active(&user, true).await;
    Browser::new(&world).get(&invitation).await.expect(200);
    // Another user with the same address who is active is enough.
    directory.set_active(&user, false).await;
    let invitation = link(&world, ANA).await;
    Browser::new(&world).get(&invitation).await.expect(404);
    let twin = json!({ "userName": "ana2", "emails": [{ "value": ANA }], "active": true });
    directory.post("/Users", twin).await.expect(201);
    Browser::new(&world).get(&invitation).await.expect(200);
    // Nobody else is concerned.
    let ben = link(&world, "ben@example.edu").await;
    Browser::new(&world).get(&ben).await.expect(200);
}
