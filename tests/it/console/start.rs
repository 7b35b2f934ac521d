//! The first steps of a new institution.

use endonym::{
    app::{Actor, institutions, start},
    domain::member::Role,
};

use super::{member, member_of};
use crate::support::World;

#[tokio::test]
async fn five_steps_lead_from_nothing_to_the_first_invitation() {
    let world = World::new().await;
    // The page of the neighbor is the only thing that it has.
    let there = world.neighbor().await;
    let slug = there.institution.slug.as_str();
    let owner = member_of(&world, &there.institution, Role::Owner, &[]).await;
    let (home, path) = (format!("/console/{slug}"), format!("/console/{slug}/start"));
    let body = owner.get(&path).await.expect(200).body;
    assert!(body.contains("value=\"Another College\"") && body.contains("value=\"UTC\""), "{body}");
    let version = body.split_once("name=\"version\" value=\"").unwrap().1.split('"').next().unwrap();

    let wrong = [("version", version), ("name", " "), ("zone", "Rome")];
    let seen = owner.post(&format!("{path}/name"), &wrong).await.expect(422);
    assert!(seen.body.contains("name-fault") && seen.body.contains("zone-fault"), "{}", seen.body);
    assert!(seen.body.contains("value=\"Rome\""), "what was typed stays");
    let right = [("version", version), ("name", "Other College"), ("zone", "Europe/Rome")];
    owner.post(&format!("{path}/name"), &right).await.redirects_to(&format!("{path}?done=name"));
    // Somebody else had the old name before them.
    let late = [("version", version), ("name", "Third College"), ("zone", "UTC")];
    let seen = owner.post(&format!("{path}/name"), &late).await.expect(422);
    assert!(seen.body.contains("Other College") && seen.body.contains("value=\"Third College\""));
    let found = institutions::find(&world.app, &Actor::Operator, slug).await.unwrap();
    assert_eq!((found.name.as_str(), found.time_zone.iana_name()), ("Other College", Some("Europe/Rome")));

    owner.post(&format!("{path}/page"), &[("title", "")]).await.expect(422);
    let made = owner.post(&format!("{path}/page"), &[("title", "Choir")]).await;
    made.redirects_to(&format!("{path}?done=page#people"));
    let body = owner.get(&path).await.expect(200).body;
    let page = body.split_once("name=\"page\" value=\"").unwrap().1.split('"').next().unwrap();
    let people = |text: &'static str| [("page", page), ("people", text)];
    for wrong in ["", "ana@example.edu", "nonsense"] {
        let seen = owner.post(&format!("{path}/people"), &people(wrong)).await.expect(422);
        assert!(seen.body.contains("list-fault"), "{wrong}: {}", seen.body);
        assert!(seen.body.contains(&format!(">{wrong}</textarea>")), "what was typed stays");
    }
    let text = "Ana Ni <ana@example.edu>\r\nBo Li, bo@example.edu";
    let added = owner.post(&format!("{path}/people"), &people(text)).await;
    added.redirects_to(&format!("{path}?done=people&added=2&known=0#invite"));
    let again = owner.post(&format!("{path}/people"), &people(text)).await;
    again.redirects_to(&format!("{path}?done=people&added=0&known=2#invite"));

    let steps = start::steps(&world.app, &Actor::Operator, there.institution.id).await.unwrap();
    assert!(steps.has_people && !steps.has_invited && steps.has_system, "{steps:?}");
    assert!(owner.get(&home).await.body.contains("start-title"));
    owner.post(&format!("{path}/dismiss"), &[]).await.redirects_to(&home);
    assert!(!owner.get(&home).await.body.contains("start-title"), "nobody wants to see them");
}

#[tokio::test]
async fn managers_have_no_first_steps() {
    let world = World::new().await;
    let manager = member(&world, Role::Manager).await;
    manager.get("/console/example/start").await.expect(403);
    assert!(!manager.get("/console/example").await.expect(200).body.contains("start-title"));
}
