//! How much mail strangers can request where everybody may register.

use std::time::Duration;

use endonym::{
    app::{
        limiter::{LimitKey, Policy},
        page_settings::Change,
        sign_in::Settings,
    },
    domain::page_settings::Register,
};

use super::{number, set};
use crate::{
    me::{Browser, Seen},
    support::{Setup, World},
};

const SLUG: &str = "class-of-2027";
const CODE: &str = "/p/class-of-2027/code";
const HOUR: Duration = Duration::from_secs(3_600);

/// With a page where everybody may register, and no limit for the network of the tests.
async fn world(register: Register) -> World {
    let sign_in = Settings { limit: 1_000_000, ..Settings::default() };
    // In memory: thousands are counted.
    let world = World::with(Setup { sqlite: true, sign_in, ..Setup::default() }).await;
    set(&world, Change { register: Some(register), ..Change::default() }).await;
    world
}

async fn ask(world: &World, email: &str) -> Seen {
    Browser::new(world).ask_page(SLUG, email, None).await
}

async fn messages(world: &World) -> i64 {
    number(world, "SELECT COUNT(*) FROM outbox").await
}

/// Takes so many permits at once.
async fn take(world: &World, key: LimitKey, count: u32, ceiling: u32) {
    let policy = Policy { ceiling, window: HOUR, throttle: HOUR };
    for _ in 0..count {
        let quota = world.app.limiter.take_with_policy(key, policy, world.app.clock.instant()).await;
        assert_eq!(quota.retry_after, None);
    }
}

#[tokio::test]
async fn one_mailbox_gets_ten_messages_an_hour_whatever_its_addresses_are_called() {
    let world = world(Register::Open).await;
    let victims = (0..9).map(|n| format!("victim+{n}@mail.example"));
    for email in victims.chain(["Victim@MAIL.example".to_owned()]) {
        ask(&world, &email).await.redirects_to(CODE);
    }
    assert_eq!(messages(&world).await, 10);
    let refused = ask(&world, "victim+again@mail.example").await.expect(429);
    assert!(refused.body.contains("try again in about an hour"), "{}", refused.body);
    assert!(refused.body.contains("value=\"victim+again@mail.example\""), "what was typed is still there");
    let wait: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((3_000..=3_600).contains(&wait), "{wait}");
    assert_eq!(messages(&world).await, 10, "nothing is sent");
    ask(&world, "neighbor@mail.example").await.redirects_to(CODE);
    // Those who have a code can still use it, and after an hour everything is as before.
    world.advance(HOUR);
    ask(&world, "victim+again@mail.example").await.redirects_to(CODE);
}

#[tokio::test]
async fn the_institutions_own_people_do_not_count_and_are_not_kept_out() {
    let world = world(Register::Open).await;
    world.person("Bo", "bo@mail.example").await;
    for n in 0..10 {
        ask(&world, &format!("bo+{n}@mail.example")).await.redirects_to(CODE);
    }
    ask(&world, "bo+x@mail.example").await.expect(429);
    ask(&world, "bo@mail.example").await.redirects_to(CODE);
    // A domain of any of its pages is its own.
    let other = world.page("Staff").await;
    let domains = Some(vec!["example.edu".into()]);
    super::set_of(&world, world.institution.id, &other, Change { domains, ..Change::default() }).await;
    for n in 0..12 {
        ask(&world, &format!("ana+{n}@example.edu")).await.redirects_to(CODE);
    }
}

#[tokio::test]
async fn a_domain_of_others_and_all_pages_together_have_a_limit() {
    let world = world(Register::Open).await;
    let institution = world.institution.id;
    let domain = endonym::domain::digest::of("mail.example");
    take(&world, LimitKey::OpenDomain { institution, domain }, 299, 300).await;
    ask(&world, "last@mail.example").await.redirects_to(CODE);
    ask(&world, "one-more@MAIL.example").await.expect(429);
    ask(&world, "ana@other.example").await.redirects_to(CODE);
    // Two have been counted there.
    take(&world, LimitKey::OpenPages(institution), 1_998, 2_000).await;
    let full = ask(&world, "bea@third.example").await.expect(429);
    assert!(full.body.contains("value=\"bea@third.example\""), "{}", full.body);
    // Only where everybody may register.
    let code = Change { register: Some(Register::Code), ..Change::default() };
    set(&world, code).await;
    let code = world.page.event_code.clone();
    Browser::new(&world).ask_page(SLUG, "bea@third.example", Some(&code)).await.redirects_to(CODE);
}

#[tokio::test]
async fn another_institution_has_limits_of_its_own() {
    let world = world(Register::Open).await;
    let neighbor = world.neighbor().await;
    let open = Change { register: Some(Register::Open), ..Change::default() };
    super::set_of(&world, neighbor.institution.id, &neighbor.page, open).await;
    take(&world, LimitKey::OpenPages(world.institution.id), 2_000, 2_000).await;
    ask(&world, "ana@mail.example").await.expect(429);
    let slug = &neighbor.page.slug;
    let there = format!("/p/{slug}/code");
    Browser::new(&world).ask_page(slug, "ana@mail.example", None).await.redirects_to(&there);
}
