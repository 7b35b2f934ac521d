//! Reporting a recording: wrong person, offensive, unintelligible.

use std::time::Duration;

use endonym::domain::{media::Kind, page_settings::Listen};
use serde_json::{Value, json};

use super::people::{ANA, BO, listened_by, named, path, recorded, signed_in};
use crate::{
    me::{Browser, Seen},
    pages::SOUND,
    support::World,
};

/// What is in the moderation queue: the complaint and its sentence.
async fn reports(world: &World) -> Vec<(String, String)> {
    let text = "SELECT complaint, sentence FROM moderation WHERE kind = 'report' ORDER BY id";
    world.app.db.read().rows(text, &[], |row| Ok((row.text(0)?, row.text(1)?))).await.unwrap()
}

async fn address(world: &World, person: &Value) -> String {
    format!("{}/{}/report", path(world), world.listed_id(&world.page, person).await)
}

async fn scene() -> (World, Value) {
    let world = World::new().await;
    listened_by(&world, Listen::Link).await;
    let ana = recorded(&world, "Ana", "Lima", ANA).await;
    (world, ana)
}

const FIELDS: [(&str, &str); 2] = [("complaint", "wrong_person"), ("sentence", "This is Bo.")];

#[tokio::test]
async fn whoever_may_listen_may_report_with_or_without_signing_in() {
    let (world, ana) = scene().await;
    let bo = recorded(&world, "Bo", "Abel", BO).await;
    let signed_in = signed_in(&world, world.institution.id, BO).await;
    for (browser, reported) in [(&Browser::new(&world), &ana), (&signed_in, &bo)] {
        let page = browser.get(&path(&world)).await.expect(200).body;
        assert!(page.contains(&address(&world, reported).await), "{page}");
        let form = browser.get(&address(&world, reported).await).await.expect(200).body;
        assert!(form.contains("You are reporting the entry of") && !form.contains('@'), "{form}");
        let seen = browser.post(&address(&world, reported).await, &FIELDS).await.expect(303);
        assert_eq!(seen.location(), format!("{}?done=reported", path(&world)));
        let page = browser.get(seen.location()).await.expect(200).body;
        assert!(page.contains("Those who manage this page will look at it"), "{page}");
    }
    let wanted = ("wrong_person".to_owned(), "This is Bo.".to_owned());
    assert_eq!(reports(&world).await, [wanted.clone(), wanted]);
}

#[tokio::test]
async fn what_is_wrong_must_be_said() {
    let (world, ana) = scene().await;
    let browser = Browser::new(&world);
    let address = address(&world, &ana).await;
    browser.get(&address).await.expect(200);
    let long = "x".repeat(1_001);
    for (fields, sentence) in [
        (vec![("sentence", "This is Bo.")], "Please choose what is wrong."),
        (vec![("complaint", "boring"), ("sentence", "This is Bo.")], "Please choose what is wrong."),
        (vec![("complaint", "offensive"), ("sentence", " ")], "Please write a sentence"),
        (vec![("complaint", "offensive")], "Please write a sentence"),
        (vec![("complaint", "offensive"), ("sentence", long.as_str())], "Please write a sentence"),
        (vec![("complaint", "offensive"), ("sentence", "bell\u{7}")], "Please write a sentence"),
    ] {
        let seen = browser.post(&address, &fields).await.expect(422);
        assert!(seen.body.contains(sentence), "{fields:?}: {}", seen.body);
    }
    let seen = browser.post(&address, &[("sentence", " ")]).await.expect(422);
    for sentence in ["Please choose what is wrong.", "Please write a sentence"] {
        assert!(seen.body.contains(sentence), "both at once: {}", seen.body);
    }
    assert_eq!(seen.body.matches("autofocus").count(), 1, "{}", seen.body);
    // What was typed is still there.
    let seen = browser.post(&address, &[("sentence", "<b>This</b> is Bo.")]).await.expect(422);
    assert!(seen.body.contains("This") && !seen.body.contains("<b>This"), "{}", seen.body);
    assert!(reports(&world).await.is_empty());
}

#[tokio::test]
async fn only_entries_of_this_page_can_be_reported_with_or_without_a_recording() {
    let (world, ana) = scene().await;
    let bo = named(&world, "Bo", "Abel", BO).await;
    let choir = world.page("Choir").await;
    let elsewhere = world.person_on(&choir, json!({ "first_name": "Cy", "email": "cy@x.org" })).await;
    world.give(&elsewhere, Kind::Recording, SOUND).await;
    let browser = Browser::new(&world);
    browser.get(&address(&world, &ana).await).await.expect(200);
    let nobody = format!("{}/{}/report", path(&world), "0".repeat(32));
    for address in [address(&world, &elsewhere).await, nobody] {
        browser.get(&address).await.expect(404);
        browser.post(&address, &FIELDS).await.expect(404);
    }
    assert!(reports(&world).await.is_empty());
    let form = browser.get(&address(&world, &bo).await).await.expect(200).body;
    assert!(!form.contains("name=\"about\""), "there is only the entry: {form}");
    browser.post(&address(&world, &bo).await, &FIELDS).await.expect(303);
    // Of a recorded person, the recording is reported, or the entry.
    let form = browser.get(&address(&world, &ana).await).await.expect(200).body;
    assert!(form.contains("value=\"recording\" checked") && form.contains("value=\"entry\""), "{form}");
    let entry = [&[("about", "entry")], &FIELDS[..]].concat();
    browser.post(&address(&world, &ana).await, &entry).await.expect(303);
    assert!(reports(&world).await.is_empty(), "nothing about recordings");
    let text = "SELECT COUNT(*) FROM entry_cases WHERE kind = 'report'";
    let count = world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap();
    assert_eq!(count, Some(2));
}

#[tokio::test]
async fn who_may_not_listen_may_not_report() {
    let (world, ana) = scene().await;
    let browser = Browser::new(&world);
    let address = address(&world, &ana).await;
    browser.get(&address).await.expect(200);
    listened_by(&world, Listen::Managers).await;
    browser.get(&address).await.expect(303);
    browser.post(&address, &FIELDS).await.expect(303);
    let member = signed_in(&world, world.institution.id, ANA).await;
    let seen = member.get(&address).await.expect(403);
    assert!(!seen.body.contains("Lima"));
    assert!(reports(&world).await.is_empty());
}

#[tokio::test]
async fn a_form_of_another_site_reports_nothing() {
    let (world, ana) = scene().await;
    let browser = Browser::new(&world);
    let address = address(&world, &ana).await;
    browser.get(&address).await.expect(200);
    let csrf = browser.csrf();
    let with = |token: &'static str| [&[("csrf", token)], &FIELDS[..]].concat();
    browser.post_bare(&address, &with(""), &[]).await.expect(403);
    browser.post_bare(&address, &FIELDS, &[("origin", world.base.as_str())]).await.expect(403);
    let own = [&[("csrf", csrf.as_str())], &FIELDS[..]].concat();
    browser.post_bare(&address, &own, &[("origin", "https://evil.example")]).await.expect(403);
    browser.post_bare(&address, &own, &[("sec-fetch-site", "cross-site")]).await.expect(403);
    // The token is of no use without the cookie.
    Browser::new(&world).post_bare(&address, &own, &[]).await.expect(403);
    assert!(reports(&world).await.is_empty());
    browser.post(&address, &FIELDS).await.expect(303);
    assert_eq!(reports(&world).await.len(), 1);
}

#[tokio::test]
async fn one_network_cannot_report_without_end() {
    let (world, ana) = scene().await;
    let mut browser = Browser::new(&world);
    browser.headers.push(("x-forwarded-for", "198.51.100.7".to_owned()));
    let address = address(&world, &ana).await;
    browser.get(&address).await.expect(200);
    let mut refused = None;
    for _ in 0..200 {
        let seen = browser.post(&address, &FIELDS).await;
        if seen.status != 303 {
            refused = Some(seen.expect(429));
            break;
        }
    }
    let wait = |seen: &Seen| seen.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap();
    let first = wait(&refused.expect("a refusal"));
    // Asking again does not extend the wait.
    world.advance(Duration::from_secs(300));
    let second = wait(&browser.post(&address, &FIELDS).await.expect(429));
    assert_eq!(first - second, 300, "{first} {second}");
    assert_eq!(reports(&world).await.len(), 1, "reports of the same kind are one case");
}
