//! What people have chosen and agreed to, when a learning system changes their emails or courses.

use std::time::Duration;

use endonym::{
    app::{
        Actor, audiences, consents, courses, name_pages, own_entry::Owner, own_recordings::Sharing, sessions,
        sign_in,
    },
    domain::{
        audience::Audience,
        consent,
        course::Sync,
        ids::{NamePageId, ParticipantId},
        language::Language,
        media::Kind,
        name_page::NamePageRef,
        session::{How, PersonId},
        tool_consumer::LmsKind,
    },
    store::versions,
};
use serde_json::{Value, json};

use super::{School, connect};
use crate::{
    lms::{canvas::Canvas, people::Person},
    own_recordings::record,
    support::{World, database::execute, until},
};

fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.to_owned() }
}

async fn choose(world: &World, email: &str, audience: Audience) {
    audiences::choose(&world.app, &Actor::Operator, person(world, email), audience).await.unwrap();
}

async fn audience(world: &World, email: &str) -> Audience {
    audiences::find(&world.app, &Actor::Operator, &person(world, email)).await.unwrap().audience
}

#[tokio::test]
async fn who_has_paused_is_not_heard_in_a_course_without_emails() {
    let school = School::new().await;
    let world = &school.world;
    let here = json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "S1" });
    let here = world.person_on(&world.page, here).await;
    record(world, &here, 150.0, Sharing::All).await;
    choose(world, "ana@example.edu", Audience::Paused).await;
    school.enrol([Person::student(1, "Ana", "Lima").without_email()]);
    school.sync().await;
    let is_silent = async |media: i64| {
        let there = school.people().await.remove(0);
        assert_eq!((&there["email"], &there["recording_link"]), (&Value::Null, &Value::Null));
        assert_eq!(school.count("media WHERE NOT hidden").await, 0);
        assert_eq!(school.count("media").await, media);
        there
    };
    is_silent(2).await;
    record(world, &here, 220.0, Sharing::All).await;
    let there = is_silent(2).await;
    record(world, &there, 330.0, Sharing::ThisPage).await;
    is_silent(2).await;
    choose(world, "ana@example.edu", Audience::Public).await;
    assert_eq!(school.count("media WHERE NOT hidden").await, 2);
    assert!(school.people().await[0]["recording_link"].is_string());
}

#[tokio::test]
async fn an_email_that_changes_takes_nobodys_session_along() {
    let school = School::new().await;
    let world = &school.world;
    let (app, institution) = (&world.app, world.institution.id);
    let [first, second, third] = ["person1@example.edu", "person2@example.edu", "ana.souza@example.edu"];
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    for email in [first, second] {
        world.agree(institution, email).await;
        sessions::open(app, person(world, email), How::Link, &[]).await.unwrap();
        let life = Duration::from_secs(600);
        sign_in::operator_link(app, &Actor::Operator, institution, email, life, &world.base).await.unwrap();
    }
    choose(world, first, Audience::Paused).await;
    // The new address has chosen a language, and no audience.
    let text =
        "INSERT INTO persons (institution_id, email_key, language, created_at) VALUES ($1, $2, 'de', 1)";
    execute(&app.db, text, vec![institution.into(), third.into()]).await;
    let counts = async || {
        let (sessions, links) = (school.count("sessions").await, school.count("sign_in_links").await);
        (sessions, links, school.count("consents").await)
    };
    assert_eq!(counts().await, (2, 2, 2));

    school.canvas.change(101, 1, |ana| ana.email = Some(third.into()));
    school.sync().await;
    assert_eq!(counts().await, (1, 1, 1), "Ben's");
    assert_eq!(audience(world, third).await, Audience::Paused);
    assert_eq!(school.count("persons").await, 1);

    // Two people swap their addresses.
    sessions::open(app, person(world, third), How::Link, &[]).await.unwrap();
    school.canvas.change(101, 1, |ana| ana.email = Some(second.into()));
    school.canvas.change(101, 2, |ben| ben.email = Some(third.into()));
    school.sync().await;
    assert_eq!(counts().await, (0, 0, 0));
    assert_eq!(audience(world, second).await, Audience::Paused, "it is still Ana who has paused");
    assert_eq!(audience(world, third).await, Audience::Public);
}

#[tokio::test]
async fn what_is_paused_and_agreed_to_stays_so_when_courses_are_merged_and_ends_with_the_page() {
    let school = School::new().await;
    let world = &school.world;
    let (app, institution) = (&world.app, world.institution.id);
    school.enrol([Person::student(1, "Ana", "Lima").without_email()]);
    let kept = school.sync().await;
    let other = Canvas::start().await;
    other.course(201, None, "Logic");
    other.enrol(201, Person::student(7, "Ana", "Lima").without_email().identifier("S1"));
    let (consumer, api_token) = connect(world, LmsKind::Canvas, other.url(), other.token()).await;
    let body = json!({ "api_token": api_token, "external_course_ids": ["201"] });
    world.post("/v5/lti/lms/courses/synchronize", body).await.expect(200);
    let all = async || courses::all(app, &Actor::Operator, &consumer).await.unwrap();
    until("the other course is synchronized", || async {
        all().await.iter().any(|course| course.sync == Sync::Idle && course.synced_at.is_some())
    })
    .await;
    let gone = all().await.remove(0);
    let entry = async |page: NamePageId| {
        let text = format!("SELECT id FROM participants WHERE name_page_id = {page}");
        let read = app.db.read().one(&text, &[], |row| row.id::<ParticipantId>(0)).await;
        Owner { institution, participant: read.unwrap().unwrap() }
    };
    let (own, second) = (entry(kept.name_page).await, entry(gone.name_page).await);
    let text = "INSERT INTO paused_participants (institution_id, participant_id) VALUES ($1, $2)";
    execute(&app.db, text, vec![institution.into(), second.participant.into()]).await;
    let text = "INSERT INTO outsiders (institution_id, participant_id) VALUES ($1, $2)";
    for one in [own, second] {
        execute(&app.db, text, vec![institution.into(), one.participant.into()]).await;
    }
    assert!(
        consents::agree_as_owner(app, second, second.in_lti(), consent::BUILT_IN, Language::English)
            .await
            .unwrap()
    );
    let path = format!("/v4/name_pages/{}/participants", gone.name_page);
    let listed = world.get(&path).await.expect(200)["participants"][0].clone();
    world.give(&listed, Kind::Recording, b"how Ana says it").await;
    assert_eq!(school.count("media WHERE NOT hidden").await, 0);

    let before = versions::of_callers(&mut app.db.read()).await.unwrap();
    let merged = courses::merge(app, &Actor::Operator, institution, kept.id, gone.id).await.unwrap();
    let after = versions::of_callers(&mut app.db.read()).await.unwrap();
    assert!(after > before, "tokens limited to the second page are for the first now");
    crate::store::coverage::check(&app.db).await;
    assert_eq!((merged.moved, merged.joined), (0, 1));
    assert_eq!(school.people().await[0]["recording_link"], Value::Null);
    assert_eq!((school.count("media").await, school.count("media WHERE NOT hidden").await), (1, 0));
    for table in ["paused_participants", "participant_consents", "outsiders"] {
        let theirs = format!("{table} WHERE participant_id = {}", own.participant);
        assert_eq!((school.count(&theirs).await, school.count(table).await), (1, 1), "{table}");
    }
    assert!(consents::of_owner(app, own).await.unwrap().given.is_some());

    let page = NamePageRef::parse(&kept.name_page.to_string()).unwrap();
    name_pages::delete(app, &Actor::Operator, institution, &page).await.unwrap();
    for table in ["paused_participants", "participant_consents", "outsiders"] {
        assert_eq!(school.count(table).await, 0, "{table}");
    }
}
