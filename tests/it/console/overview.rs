//! The overview, and the page of readers.

use std::time::Duration;

use endonym::{
    app::coverage,
    domain::{media::Kind, member::Role},
};

use super::{member, member_of};
use crate::{
    pages::SOUND,
    support::{World, database::execute},
};

const DAY: Duration = Duration::from_secs(24 * 3_600);

#[tokio::test]
async fn figures_and_newest_recordings_are_those_of_the_visitors_pages() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let ana = world.person("Ana", "ana@example.edu").await;
    world.person("Bo", "bo@example.edu").await;
    let cem = serde_json::json!({ "first_name": "Cem", "email": "cem@example.edu" });
    let cem = world.person_on(&choir, cem).await;
    world.give(&ana, Kind::Recording, SOUND).await;
    world.give(&cem, Kind::Recording, SOUND).await;
    let owner = member(&world, Role::Owner).await;
    let body = owner.get("/console/example").await.expect(200).body.replace(['\u{2068}', '\u{2069}'], "");
    for shown in
        ["<strong>3</strong>", "<strong>2</strong>", "(66 %)", "Play the name of Ana", "Play the name of Cem"]
    {
        assert!(body.contains(shown), "{shown}: {body}");
    }
    let manager = member(&world, Role::Manager).await;
    let body = manager.get("/console/example").await.expect(200).body;
    assert!(body.contains("<strong>2</strong>") && body.contains("(50 %)"), "{body}");
    assert!(body.contains(">Ana<") && !body.contains("Cem"), "{body}");
    assert!(!body.contains("/console/example/members") && !body.contains("/start"), "{body}");
    // Nobody hears a recording that is paused.
    let text = "UPDATE participants SET recorded_at = 0, recording = NULL WHERE first_name = 'Ana'";
    execute(&world.app.db, text, vec![]).await;
    assert!(!owner.get("/console/example").await.body.contains(">Ana<"));
}

#[tokio::test]
async fn the_chart_grows_day_by_day() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let owner = member(&world, Role::Owner).await;
    let manager = member(&world, Role::Manager).await;
    let singer = member_of(&world, &world.neighbor().await.institution, Role::Owner, &[]).await;
    assert!(!owner.get("/console/example").await.body.contains("<polyline"), "there is one day");
    world.person("Ana", "ana@example.edu").await;
    coverage::note_day(&world.app).await.unwrap();
    world.advance(DAY);
    let bo = serde_json::json!({ "first_name": "Bo", "email": "bo@example.edu" });
    world.person_on(&choir, bo).await;
    // A second note on a day replaces the first.
    coverage::note_day(&world.app).await.unwrap();
    coverage::note_day(&world.app).await.unwrap();
    world.advance(2 * DAY);
    let points = |body: &str| {
        let line = body.split_once("class=\"registered\" points=\"").unwrap().1;
        line.split('"').next().unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    // 1 of 2 on the first day, 2 of 2 from then on.
    let body = owner.get("/console/example").await.expect(200).body;
    assert_eq!(points(&body), ["56,100", "248,12", "440,12", "632,12"]);
    let body = manager.get("/console/example").await.expect(200).body;
    assert_eq!(points(&body), ["56,100", "248,100", "440,100", "632,100"], "the other page is not theirs");
    let foreign = singer.get("/console").await;
    let body = singer.get(foreign.location()).await.expect(200).body;
    assert_eq!(points(&body), ["56,188", "248,188", "440,188", "632,188"]);
}

#[tokio::test]
async fn what_needs_attention_leads_to_its_section() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    assert!(!owner.get("/console/example").await.body.contains("attention-title"));
    let id = world.institution.id;
    let bounce = "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, 'x@example.edu', '550', 1)";
    execute(&world.app.db, bounce, vec![id.into()]).await;
    let job = "INSERT INTO jobs (id, institution_id, kind, payload, state, attempts, failures, created_at) \
               VALUES (7, $1, 'scrub_exports', '{}', 'dead', 1, 1, 1)";
    execute(&world.app.db, job, vec![id.into()]).await;
    let body = owner.get("/console/example").await.expect(200).body;
    let list = body.split_once("attention-title").unwrap().1.split_once("coverage-title").unwrap().0;
    for section in ["messages", "jobs"] {
        assert!(
            list.contains(&format!("<strong>1</strong><a href=\"/console/example/{section}\"")),
            "{list}"
        );
    }
    assert!(!list.contains("/moderation"), "{list}");
    let manager = member(&world, Role::Manager).await;
    assert!(!manager.get("/console/example").await.expect(200).body.contains("attention-title"));
}

#[tokio::test]
async fn readers_see_the_pages_that_they_may_hear_and_no_menu() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let reader = member(&world, Role::Reader).await;
    let body = reader.get("/console/example").await.expect(200).body;
    assert!(body.contains(&format!("href=\"/p/{}/people\"", world.page.slug)), "{body}");
    assert!(!body.contains(&choir.slug) && !body.contains("/console/example/people"), "{body}");
    assert!(!body.contains("data-finder"), "readers have no search");
    reader.get(&format!("/p/{}/people", world.page.slug)).await.expect(200);
}
