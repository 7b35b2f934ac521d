//! `/.well-known/security.txt`: who wants to report a vulnerability finds out where (RFC 9116).

use endonym::domain::{moment::Moment, security_txt::SecurityTxt};

use crate::support::{Setup, World};

#[tokio::test]
async fn it_is_there_if_the_operator_has_set_a_contact() {
    let security_txt =
        SecurityTxt::parse("security@example.edu", Some("https://example.edu/disclosure")).unwrap();
    let world = World::with(Setup { security_txt, ..Setup::default() }).await;
    let address = format!("{}/.well-known/security.txt", world.base);
    let answer = world.client.get(&address).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    let text = answer.text().await.unwrap();
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
        line.unwrap_or_else(|| panic!("no {name}: {text}")).to_owned()
    };
    assert_eq!(field("Contact"), "mailto:security@example.edu");
    assert_eq!(field("Policy"), "https://example.edu/disclosure");
    assert_eq!(field("Canonical"), address);
    assert!(field("Preferred-Languages").contains("en"));
    let (expires, now) = (Moment::parse(&field("Expires")).unwrap(), world.app.clock.now());
    assert!(now.plus_days(30) < expires && expires < now.plus_days(365), "{text}");
}

#[tokio::test]
async fn it_is_not_found_otherwise() {
    let world = World::new().await;
    let answer = world.client.get(format!("{}/.well-known/security.txt", world.base)).send().await.unwrap();
    assert_eq!(answer.status(), 404);
}
