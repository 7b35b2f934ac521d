//! Recordings that people bring along, and pictures that follow the learning system.

use endonym::domain::media::Kind;
use serde_json::{Value, json};

use super::School;
use crate::{
    lms::people::{Avatar, Person},
    support::{
        media::{file, files, png, wav},
        until,
    },
};

async fn sound(school: &School, link: &Value) -> Vec<u8> {
    let answer = school.world.client.get(link.as_str().unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    answer.bytes().await.unwrap().to_vec()
}

#[tokio::test]
async fn whoever_has_a_recording_elsewhere_starts_with_a_copy_of_the_newest() {
    let school = School::new().await;
    let world = &school.world;
    let other = world.page("Another page").await;
    let by_email = json!({ "first_name": "Ana", "email": "Person1@example.edu", "phonetic": "AH-na" });
    let old = world.person_on(&other, by_email.clone()).await;
    world.give(&old, Kind::Recording, b"the older one").await;
    let original = world.person_on(&world.page, by_email).await;
    let hex = world.give(&original, Kind::Recording, b"how Ana says it").await;
    let by_identifier = json!({ "first_name": "Ben", "email": "ben@home.example", "institution_id": "S2" });
    let ben = world.person_on(&world.page, by_identifier).await;
    world.give(&ben, Kind::Recording, b"how Ben says it").await;
    let written = world.get("/v5/participants/latest?tokens=person1@example.edu").await.expect(200);
    let written = written["participants"][0].clone();

    school.enrol([
        Person::student(1, "Ana", "Lima").without_identifier(),
        Person::student(2, "Ben", "Okri").without_email(),
        Person::student(3, "Cy", "Twombly"),
    ]);
    school.sync().await;
    let people = school.people().await;
    let copy = &people[0];
    assert_eq!(copy["phonetic_spelling"], "AH-na");
    let latest = world.get("/v5/participants/latest?tokens=person1@example.edu").await.expect(200);
    assert_eq!(latest["participants"][0]["event_title"], "Rhetoric", "of two that are as new");
    assert_eq!(latest["participants"][0]["recording_date"], written["recording_date"]);
    assert!(!copy["recording_link"].as_str().unwrap().contains(&hex), "a link of its own");
    assert_eq!(sound(&school, &copy["recording_link"]).await, b"how Ana says it");
    assert_eq!(sound(&school, &people[1]["recording_link"]).await, b"how Ben says it");
    assert_eq!(people[2]["recording_link"], Value::Null);

    // It is theirs: what becomes of the original is another matter.
    let gone = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/person1@example.edu", gone).await.expect(200);
    school.sync().await;
    assert_eq!(sound(&school, &copy["recording_link"]).await, b"how Ana says it");
    let swept = endonym::app::media::sweep(&world.app, std::time::Duration::ZERO, true).await.unwrap();
    assert_eq!(swept.removed, 0, "{:?}", files(world.folder.path()));
}

#[tokio::test]
async fn nobody_is_given_the_voice_of_somebody_else_with_their_institution_id() {
    let school = School::new().await;
    let eve = json!({ "first_name": "Eve", "email": "eve@x.org", "institution_id": "S1" });
    let eve = school.world.person_on(&school.world.page, eve).await;
    school.world.give(&eve, Kind::Recording, b"how Eve says it").await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!(school.people().await[0]["recording_link"], Value::Null);
    assert_eq!(school.count("media").await, 1);
}

#[tokio::test]
async fn somebody_who_left_one_course_brings_their_recording_into_another() {
    let school = School::new().await;
    school.canvas.course(102, None, "Logic");
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    school.world.give(&school.people().await[0], Kind::Recording, b"how Ana says it").await;
    school.canvas.drop_person(101, 1);
    school.sync().await;
    school.canvas.enrol(102, Person::student(1, "Ana", "Lima"));
    school.ask(json!([102])).await.expect(200);
    until("she is in the other course", || async { school.count("participants").await == 2 }).await;
    let found = school.world.get("/v5/participants/latest?tokens=person1@example.edu").await.expect(200);
    assert_eq!(found["participants"][0]["event_title"], "Logic");
    assert_eq!(sound(&school, &found["participants"][0]["recording_link"]).await, b"how Ana says it");
}

#[tokio::test]
async fn pictures_follow_the_learning_system_and_what_came_otherwise_stays() {
    let school = School::new().await;
    school.enrol([
        Person::student(1, "Ana", "Lima").avatar(Avatar::Own(png())),
        Person::student(2, "Ben", "Okri").avatar(Avatar::Own(b"no picture at all".to_vec())),
        Person::student(3, "Cy", "Twombly").avatar(Avatar::Default),
        Person::student(4, "Di", "Prima").avatar(Avatar::At("http://127.0.0.1:9/elsewhere.png".into())),
    ]);
    school.sync().await;
    let photos = async || {
        let people = school.people().await;
        people.iter().map(|one| one["photo"].as_str().map(str::to_owned)).collect::<Vec<_>>()
    };
    let first = photos().await;
    assert!(first[0].is_some() && first[1..].iter().all(Option::is_none), "{first:?}");
    assert_eq!(school.link(first[0].as_deref().unwrap()).await, 200);
    let stored =
        school.count("course_members WHERE photo_url IS NOT NULL AND photo_url NOT LIKE '%/%'").await;
    // Ben's is no picture, and Di's is elsewhere: that is not found out again and again.
    assert_eq!(stored, 3, "of each address that was tried a digest is kept");

    let asked = |school: &School| {
        let requests = school.canvas.requests();
        requests.iter().filter(|one| one.contains("thumbnails/")).count()
    };
    let before = asked(&school);
    school.sync().await;
    assert_eq!(
        (photos().await, asked(&school)),
        (first.clone(), before),
        "what has not changed is not fetched"
    );

    // Cy sends a picture, which is no affair of the learning system's.
    let page = school.page().await.slug;
    let body = json!({ "name_page_id": page, "participant": { "avatar": file(png()), "pronunciation": file(wav(1.0)) } });
    school.world.put("/v5/participants/person3@example.edu", body).await.expect(200);
    school.canvas.change(101, 1, |ana| ana.avatar = Avatar::None);
    school.sync().await;
    let now = photos().await;
    assert_eq!(now[0], None, "the learning system has none any more");
    assert!(now[2].is_some());
    assert_eq!(school.link(first[0].as_deref().unwrap()).await, 404);
}
