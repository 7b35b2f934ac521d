//! The audit log in the console.

use std::time::Duration;

use endonym::{
    app::{Actor, audit, institutions, members, tokens},
    domain::{audit::Act, email::Email, member::Role},
};

use super::{member, member_of, set};
use crate::support::World;

const PATH: &str = "/console/example/audit";
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// The first link that begins so.
fn link(body: &str, start: &str) -> String {
    let (_, rest) =
        body.split_once(&format!("href=\"{start}")).unwrap_or_else(|| panic!("{start} in {body}"));
    format!("{start}{}", rest.split('"').next().unwrap().replace("&amp;", "&").replace("&#38;", "&"))
}

#[tokio::test]
async fn entries_are_found_by_text_act_who_person_and_day() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    world.person("Ana", "ana@example.edu").await;
    tokens::create(&world.app, &Actor::Operator, world.institution.id, "Library".into(), None).await.unwrap();
    let day = world.app.clock.now().date_in(&world.institution.time_zone).to_string();
    world.advance(2 * DAY);
    set(&world, &world.institution, "bea@example.edu", Role::Reader, &[&world.page]).await;
    let admin_again = super::signed_in(&world, &world.institution, "admin@example.example").await;
    drop(admin);
    let today = world.app.clock.now().date_in(&world.institution.time_zone).to_string();
    for (query, there, not_there) in [
        (String::new(), "bea@example.edu", "nobody@example.edu"),
        ("q=LIBRARY".to_owned(), "<td><bdi>Library</bdi></td>", "<td><bdi>bea@example.edu</bdi></td>"),
        ("act=token.created".to_owned(), "Library", "<td>Role given or changed</td>"),
        ("who=operator".to_owned(), "Library", "<td>Person registered</td>"),
        (
            "person=BEA%40example.edu".to_owned(),
            "<td>Role given or changed</td>",
            "<td>Access token created</td>",
        ),
        (
            format!("from={day}&to={day}"),
            "<td>Access token created</td>",
            "<td><bdi>bea@example.edu</bdi></td>",
        ),
        (format!("from={today}"), "<td><bdi>bea@example.edu</bdi></td>", "<td>Access token created</td>"),
    ] {
        let body = admin_again.get(&format!("{PATH}?{query}")).await.expect(200).body;
        assert!(body.contains(there), "{query}: {there} in {body}");
        assert!(!body.contains(not_there), "{query}: {not_there} in {body}");
    }
    let body = admin_again.get(&format!("{PATH}?q=nothing-like-this")).await.expect(200).body;
    assert!(body.contains("Nothing was found"), "{body}");
    let body = admin_again.get(&format!("{PATH}?from=soon&q=Library")).await.expect(422).body;
    assert!(
        body.contains("from-fault") && body.contains("value=\"soon\"") && body.contains("value=\"Library\"")
    );
}

#[tokio::test]
async fn an_entry_shows_before_and_after() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    set(&world, &world.institution, "bea@example.edu", Role::Reader, &[&world.page]).await;
    set(&world, &world.institution, "bea@example.edu", Role::Admin, &[]).await;
    let body = admin.get(&format!("{PATH}?person=bea%40example.edu")).await.expect(200).body;
    let address = link(&body, "/console/example/audit/entry/");
    let body = admin.get(&address).await.expect(200).body;
    assert!(body.contains("<td dir=\"auto\">reader</td><td dir=\"auto\">admin</td>"), "{body}");
    assert!(body.contains("<dd>Role given or changed <code dir=\"ltr\">member.set</code></dd>"), "{body}");
    assert!(body.contains("operator of the server"), "{body}");
    for path in ["0_0", "nonsense", "1_"] {
        admin.get(&format!("{PATH}/entry/{path}")).await.expect(404);
    }
    // Nor does it exist in another institution.
    let there = world.neighbor().await;
    let stranger = member_of(&world, &there.institution, Role::Owner, &[]).await;
    stranger.get(&address.replace("/example/", &format!("/{}/", there.institution.slug))).await.expect(404);
}

#[tokio::test]
async fn older_entries_are_on_the_next_page() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    for number in 0..60 {
        let name = format!("token-{number:02}");
        tokens::create(&world.app, &Actor::Operator, world.institution.id, name, None).await.unwrap();
    }
    let body = admin.get(&format!("{PATH}?act=token.created")).await.expect(200).body;
    assert!(body.contains("token-59") && body.contains("token-10") && !body.contains("token-09"), "{body}");
    let next = link(&body, "/console/example/audit?act=token.created");
    let body = admin.get(&next).await.expect(200).body;
    assert!(body.contains("token-09") && !body.contains("token-10"), "{body}");
}

#[tokio::test]
async fn what_is_found_is_exported() {
    let world = World::new().await;
    let admin = member(&world, Role::Admin).await;
    for name in ["Library", "Portal"] {
        tokens::create(&world.app, &Actor::Operator, world.institution.id, name.into(), None).await.unwrap();
    }
    for (format, kind) in [("csv", "text/csv; charset=utf-8"), ("jsonl", "application/x-ndjson")] {
        let path = format!("{PATH}/export?format={format}&q=library&act=token.created");
        let (status, headers, body) = admin.file(&path, &[]).await;
        let text = String::from_utf8(body).unwrap();
        assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, kind));
        assert!(headers["content-disposition"].to_str().unwrap().contains(&format!(".{format}\"")));
        assert!(text.contains("Library") && !text.contains("Portal"), "{text}");
    }
    admin.get(&format!("{PATH}/export?format=xlsx")).await.redirects_to(PATH);
    let exported = audit::Query { act: Some(Act::AuditExported), ..Default::default() };
    let found = audit::list(&world.app, &Actor::Operator, world.institution.id, &exported).await.unwrap();
    assert_eq!(found.entries.len(), 2, "an export has an entry itself");
    assert_eq!(found.entries[0].who.name(), "admin@example.example");
}

#[tokio::test]
async fn owners_say_how_long_entries_are_kept() {
    let world = World::new().await;
    let (owner, admin) = (member(&world, Role::Owner).await, member(&world, Role::Admin).await);
    let days = || institutions::audit_days(&world.app, &Actor::Operator, world.institution.id);
    let body = owner.get(PATH).await.expect(200).body;
    assert!(body.contains("730") && body.contains("id=\"days\""), "{body}");
    let body = admin.get(PATH).await.expect(200).body;
    assert!(body.contains("730") && !body.contains("id=\"days\""), "{body}");
    let path = format!("{PATH}/retention");
    let form = |version: &'static str, keep: &'static str, days: &'static str| {
        [("version", version), ("keep", keep), ("days", days)]
    };
    for wrong in ["", "0", "soon", "36501", "-1"] {
        let body = owner.post(&path, &form("730", "days", wrong)).await.expect(422).body;
        assert!(body.contains("days-fault") && body.contains(&format!("value=\"{wrong}\"")), "{body}");
    }
    owner.post(&path, &form("730", "days", "90")).await.redirects_to(&format!("{PATH}?done=kept#retention"));
    assert_eq!(days().await.unwrap(), Some(90));
    let body = owner.post(&path, &form("730", "days", "30")).await.expect(422).body;
    assert!(body.contains("90") && body.contains("value=\"30\""), "somebody else was first: {body}");
    owner.post(&path, &form("90", "forever", "90")).await.expect(303);
    assert_eq!(days().await.unwrap(), None);
    admin.post(&path, &form("forever", "days", "1")).await.expect(403);
    // The use case says so, too.
    let email = Email::parse("admin@example.example").unwrap();
    let person = members::set(&world.app, &Actor::Operator, world.institution.id, email, Role::Admin, vec![]);
    let actor = members::actor_of(&world.app, &person.await.unwrap().person).await.unwrap();
    let change = institutions::Change { audit_days: Some(Some(1)), ..Default::default() };
    assert!(institutions::update(&world.app, &actor, "example", change).await.is_err());
    assert_eq!(days().await.unwrap(), None);
}
