//! Recordings that people already have, and pictures from the learning system.

use endonym::{
    app::{Actor, own_recordings::Sharing},
    domain::media::Kind,
};
use serde_json::{Value, json};

use super::School;
use crate::{
    lms::people::{Avatar, Person},
    own_recordings::{heard, record, start_with_newest},
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

    // It is an independent copy: changes to the original do not affect it.
    let gone = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/person1@example.edu", gone).await.expect(200);
    school.sync().await;
    assert_eq!(sound(&school, &copy["recording_link"]).await, b"how Ana says it");
    let swept = endonym::app::media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true)
        .await
        .unwrap();
    assert_eq!(swept.removed, 0, "{:?}", files(world.folder.path()));
}

#[tokio::test]
async fn a_course_of_an_institution_that_does_not_want_copies_starts_without_recordings() {
    let school = School::new().await;
    let world = &school.world;
    let ana = json!({ "first_name": "Ana", "email": "person1@example.edu" });
    let ana = world.person_on(&world.page, ana).await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    start_with_newest(world, false).await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!(school.people().await[0]["recording_link"], Value::Null);
    assert_eq!(school.count("media").await, 1);
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

/// The people in another course than 101, which is synchronized first.
async fn people_of(school: &School, course: u64, title: &str) -> Vec<Value> {
    school.ask(json!([course])).await.expect(200);
    until("the other course is synchronized", || async {
        let all =
            endonym::app::courses::all(&school.world.app, &Actor::Operator, &school.consumer).await.unwrap();
        let found = all.into_iter().find(|one| one.external_id == course.to_string());
        found.is_some_and(|one| one.synced_at.is_some() && one.sync != endonym::domain::course::Sync::Running)
    })
    .await;
    let all = school.world.get("/v4/participants?per_page=100").await.expect(200);
    let all = all["participants"].as_array().unwrap().clone();
    all.into_iter().filter(|one| one["event_title"] == title).collect()
}

#[tokio::test]
async fn who_has_recorded_in_one_course_is_recorded_in_the_next_and_records_for_both() {
    let school = School::new().await;
    let world = &school.world;
    school.canvas.course(102, None, "Logic");
    // One has an email, and one only a user id in the learning system.
    let people = [
        Person::student(1, "Ana", "Lima"),
        Person::student(2, "Ben", "Okri").without_email().without_identifier(),
    ];
    school.enrol(people.clone());
    school.sync().await;
    for (person, hertz) in school.people().await.iter().zip([150.0, 160.0]) {
        record(world, person, hertz, Sharing::All).await;
    }
    let rhetoric = school.people().await;
    people.into_iter().for_each(|person| school.canvas.enrol(102, person));
    let logic = people_of(&school, 102, "Logic").await;
    for (there, here) in logic.iter().zip(&rhetoric) {
        assert_eq!(heard(world, there).await, heard(world, here).await, "{}", there["first_name"]);
        assert_ne!(there["recording_link"], here["recording_link"]);
    }
    assert_ne!(heard(world, &logic[0]).await, heard(world, &logic[1]).await);

    for (person, hertz) in logic.iter().zip([210.0, 220.0]) {
        let before = heard(world, person).await;
        record(world, person, hertz, Sharing::All).await;
        assert_ne!(heard(world, person).await, before, "the old link leads to the new one");
    }
    for (there, here) in logic.iter().zip(&rhetoric) {
        assert_eq!(heard(world, there).await, heard(world, here).await, "nowhere the old voice stays");
    }
    let swept = endonym::app::media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true)
        .await
        .unwrap();
    assert_eq!(swept.removed, 0);
}

#[tokio::test]
async fn what_was_copied_into_a_course_gives_way_to_what_its_owner_records() {
    let school = School::new().await;
    let world = &school.world;
    let given =
        world.person_on(&world.page, json!({ "first_name": "Ana", "email": "person1@example.edu" })).await;
    world.give(&given, Kind::Recording, b"as somebody sent it").await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    assert_eq!(sound(&school, &school.people().await[0]["recording_link"]).await, b"as somebody sent it");
    let third = json!({ "first_name": "Ana", "email": "person1@example.edu" });
    let third = world.person_on(&world.page("Third").await, third).await;
    assert_eq!(third["recording_link"], Value::Null);
    record(world, &third, 150.0, Sharing::All).await;
    let own = heard(world, &school.people().await[0]).await;
    assert!(own != b"as somebody sent it" && !own.is_empty());
    let path = format!("/v4/name_pages/{}/participants/person1@example.edu", world.page.slug);
    let given = world.get(&path).await.expect(200)["participant"].clone();
    assert_eq!(sound(&school, &given["recording_link"]).await, b"as somebody sent it", "there it stays");
}

#[tokio::test]
async fn whoever_is_away_when_they_record_elsewhere_comes_back_with_the_new_recording() {
    let school = School::new().await;
    let world = &school.world;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    record(world, &school.people().await[0], 150.0, Sharing::All).await;
    let old = school.people().await[0].clone();
    let elsewhere = json!({ "first_name": "Ana", "email": "person1@example.edu" });
    let elsewhere = world.person_on(&world.page, elsewhere).await;
    school.canvas.drop_person(101, 1);
    school.accept().await;
    record(world, &elsewhere, 220.0, Sharing::All).await;
    let swept = endonym::app::media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true)
        .await
        .unwrap();
    assert_eq!((swept.removed, school.count("media WHERE hidden").await), (0, 1));
    assert_eq!(school.link(old["recording_link"].as_str().unwrap()).await, 404, "while she is away");
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let path = format!("/v4/name_pages/{}/participants/person1@example.edu", world.page.slug);
    let new = heard(world, &world.get(&path).await.expect(200)["participant"]).await;
    assert_eq!(heard(world, &school.people().await[0]).await, new);
    assert_eq!(heard(world, &old).await, new, "by the link that she had");
}

#[tokio::test]
async fn who_is_recognized_by_an_email_later_gets_what_they_have_recorded() {
    let school = School::new().await;
    let world = &school.world;
    let here = json!({ "first_name": "Ana", "email": "person1@example.edu" });
    let here = world.person_on(&world.page, here).await;
    record(world, &here, 150.0, Sharing::All).await;
    school.enrol([Person::student(1, "Ana", "Lima").without_email().without_identifier()]);
    school.sync().await;
    assert_eq!(school.people().await[0]["recording_link"], Value::Null, "it could be anybody");
    school.canvas.change(101, 1, |ana| ana.email = Some("person1@example.edu".into()));
    school.sync().await;
    assert!(!heard(world, &school.people().await[0]).await.is_empty());
    // A deleted recording is not restored by the next synchronization.
    let all = world.get("/v5/participants?email_list=person1@example.edu").await.expect(200);
    let all = all["Response"]["participants"].as_array().unwrap().clone();
    let there = all.iter().find(|one| one["event_title"] == "Rhetoric").unwrap();
    let id = there["recording_id"].as_str().unwrap();
    world
        .delete(&format!("/v5/participants/person1@example.edu/pronunciations/{id}"), json!({}))
        .await
        .expect(200);
    school.sync().await;
    assert_eq!(school.people().await[0]["recording_link"], Value::Null);
}

#[tokio::test]
async fn a_course_that_is_synchronized_while_its_people_record_has_the_new_recordings() {
    let school = School::new().await;
    let world = &school.world;
    let mut people = Vec::new();
    for id in 1..=6 {
        let email = format!("person{id}@example.edu");
        let person = world.person_on(&world.page, json!({ "first_name": "P", "email": email })).await;
        record(world, &person, 140.0, Sharing::All).await;
        people.push(person);
    }
    school.enrol((1..=6).map(|id| Person::student(id, "P", "Lima")));
    let recording = futures_util::future::join_all(
        people.iter().map(|person| record(world, person, 220.0, Sharing::All)),
    );
    tokio::join!(school.sync(), recording);
    let sounds = |people: Vec<Value>| async move {
        let heard = people.iter().map(|person| heard(world, person));
        futures_util::future::join_all(heard).await
    };
    let there = sounds(school.people().await).await;
    let all = world.get(&format!("/v4/name_pages/{}/participants", world.page.slug)).await.expect(200);
    assert_eq!(there, sounds(all["participants"].as_array().unwrap().clone()).await);
    let swept = endonym::app::media::sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true)
        .await
        .unwrap();
    assert_eq!(swept.removed, 0);
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
    // Ben's file is not a picture, and Di's is on another host: neither is fetched again.
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

    // Cy uploads a picture, which the learning system does not replace.
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
