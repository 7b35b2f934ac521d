//! Signing in again while a session is open, and the ways to the console.

use std::time::Duration;

use endonym::domain::member::Role;

use super::{email_of, member, set, signed_in};
use crate::{me::newest_mail, support::World};

#[tokio::test]
async fn somebody_who_is_signed_in_signs_in_again_and_comes_back() {
    let world = World::new().await;
    let browser = member(&world, Role::Owner).await;
    let old = (browser.session().await.unwrap().created_at, browser.cookie("endonym").unwrap());
    world.advance(Duration::from_secs(3_600));
    let query = "?institution=example&return_to=%2Fconsole%2Fexample%2Fsearch%3Fq%3Dx&why=again";
    let page = browser.get(&format!("/sign-in{query}")).await.expect(200).body;
    assert!(page.contains("For your safety"), "it says why: {page}");
    let email = email_of(&world.institution, Role::Owner);
    browser.ask(query, &email).await.redirects_to("/sign-in/code");
    let mail = newest_mail(&world).await.unwrap();
    browser.enter_code(&mail.code).await.redirects_to("/console/example/search?q=x");
    let session = browser.session().await.unwrap();
    assert!(session.created_at > old.0, "the session is fresh");
    browser.get("/console/example").await.expect(200);
    // The session before it has ended.
    browser.set_cookie("endonym", &old.1);
    browser.get("/console/example").await.expect(303);
}

#[tokio::test]
async fn the_own_page_of_a_member_leads_to_the_console() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let person = signed_in(&world, &world.institution, "ana@example.edu").await;
    assert!(!person.get("/me").await.body.contains("href=\"/console\""));
    // On a page of their own, and among their registrations.
    set(&world, &world.institution, "ana@example.edu", Role::Reader, &[&world.page]).await;
    for email in ["ana@example.edu", &email_of(&world.institution, Role::Admin)] {
        if email != "ana@example.edu" {
            set(&world, &world.institution, email, Role::Admin, &[]).await;
        }
        let browser = signed_in(&world, &world.institution, email).await;
        assert!(browser.get("/me").await.expect(200).body.contains("href=\"/console\""), "{email}");
        browser.get("/console").await.redirects_to("/console/example");
        browser.get("/console/example").await.expect(200);
    }
}
