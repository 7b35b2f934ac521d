//! How a synchronization matches a roster with existing people, and which data follows the learning system.

use endonym::app::{Actor, coverage, name_pages};
use serde_json::{Value, json};

use super::{School, patient};
use crate::{
    lms::people::{Person, five_scripts},
    support::World,
};

fn field(people: &[Value], key: &str) -> Vec<Value> {
    people.iter().map(|one| one[key].clone()).collect()
}

#[tokio::test]
async fn a_course_becomes_a_name_page_with_its_people() {
    let school = School::new().await;
    school.enrol(five_scripts(1));
    school.enrol([
        Person::student(6, "Sukarno", "").without_email().without_identifier(),
        Person::student(7, "Tom", "Teacher").role("teacher"),
        Person::student(8, "Gone", "Away").inactive(),
        // Enrolled in two sections.
        Person::student(6, "Sukarno", "").without_email().without_identifier(),
    ]);
    school.sync().await;
    let page = school.page().await;
    assert_eq!((page.title.as_str(), page.slug.as_str()), ("Rhetoric", "rhetoric"));
    let people = school.people().await;
    let names: Vec<Value> =
        five_scripts(1).iter().map(|one| json!(one.first)).chain([json!("Sukarno")]).collect();
    assert_eq!(field(&people, "first_name"), names);
    assert_eq!(field(&people, "last_name")[3], "李");
    assert_eq!(people[0]["email"], "person1@example.edu");
    assert_eq!(people[0]["institution_id"], "S1");
    assert_eq!((&people[5]["email"], &people[5]["institution_id"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn a_course_without_a_title_or_with_too_long_a_one_has_a_page_all_the_same() {
    let school = School::new().await;
    school.canvas.course(101, None, " \u{7} ");
    school.sync().await;
    assert_eq!(school.page().await.title, "Course 101");
    school.canvas.course(101, None, &"é".repeat(300));
    school.sync().await;
    assert_eq!(school.page().await.title, "é".repeat(200));
}

#[tokio::test]
async fn the_page_is_found_again_by_the_course_and_its_title_follows() {
    let school = School::new().await;
    let other = school.world.page("Rhetoric").await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let page = school.page().await;
    assert_ne!(page.id, other.id, "a title names nothing");
    assert_ne!(page.slug, other.slug);
    school.canvas.course(101, None, "Rhetoric and Logic");
    school.ask(json!(["101"])).await.expect(200);
    school.settled().await;
    let again = school.page().await;
    assert_eq!((again.id, again.title.as_str(), &again.slug), (page.id, "Rhetoric and Logic", &page.slug));
    assert_eq!(
        coverage::all(&school.world.app, &Actor::Operator, school.world.institution.id, false)
            .await
            .unwrap()
            .len(),
        3
    );
    assert_eq!(school.people().await.len(), 1);
}

#[tokio::test]
async fn what_the_learning_system_says_follows_and_what_people_gave_stays() {
    let school = School::new().await;
    school.world.custom_field("pronouns").await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    let page = school.page().await;
    let given = json!({
        "phonetic": "AH-na", "notes": "Say it slowly.", "custom_fields": { "custom_pronouns": "she/her" },
    });
    let body = json!({ "name_page_id": page.slug, "participant": given });
    school.world.put("/v5/participants/person1@example.edu", body).await.expect(200);
    school.world.record(&page, "person1@example.edu", &"a".repeat(32), 1_782_907_200_000_000).await;
    let before = school.world.get("/v5/participants/latest?tokens=person1@example.edu").await.expect(200);
    school.canvas.change(101, 1, |ana| {
        ana.last = "Lima Souza".into();
        ana.email = Some("ana.souza@example.edu".into());
        ana.identifier = Some("S1000".into());
    });
    school.sync().await;
    let found = school
        .world
        .get("/v5/participants/latest?tokens=ana.souza@example.edu&include=custom_attributes")
        .await;
    let ana = found.expect(200)["participants"][0].clone();
    assert_eq!(ana["last_name"], "Lima Souza");
    assert_eq!(ana["institution_id"], "S1000");
    for (key, kept) in [("phonetic_spelling", json!("AH-na")), ("notes", json!("Say it slowly."))] {
        assert_eq!(ana[key], kept, "{key}");
    }
    let old = &before["participants"][0];
    assert_eq!(ana["recording_link"], old["recording_link"]);
    assert_eq!(ana["recording_date"], old["recording_date"]);
    assert_eq!(World::registration_token(&ana), World::registration_token(old), "the same entry");
    assert!(ana.to_string().contains("she/her"), "{ana}");
    assert_eq!(school.people().await.len(), 2);
}

#[tokio::test]
async fn whoever_has_not_changed_is_not_written() {
    let school = School::new().await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    let text = "SELECT MAX(updated_at) FROM participants";
    let updated =
        || async { school.world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap() };
    let before = updated().await;
    let again = school.sync().await;
    assert_eq!(updated().await, before);
    assert!(again.synced_at.unwrap().micros() > before);
    school.canvas.change(101, 2, |ben| ben.first = "Benjamin".into());
    school.sync().await;
    assert!(updated().await > before);
}

#[tokio::test]
async fn people_are_found_by_email_then_institution_id_then_their_own_id() {
    let school = School::new().await;
    school.enrol([
        Person::student(1, "Ana", "Lima"),
        Person::student(2, "Ben", "Okri"),
        Person::student(3, "Cy", "Twombly").without_email().without_identifier(),
    ]);
    school.sync().await;
    let tokens = |people: &[Value]| people.iter().map(World::registration_token).collect::<Vec<_>>();
    let before = tokens(&school.people().await);
    // Another account with the same email; another email with the same institution_id; and a person with neither.
    school.canvas.drop_person(101, 1);
    school.canvas.drop_person(101, 2);
    school.enrol([
        Person::student(11, "Ana", "Lima").email("PERSON1@Example.edu").identifier("S11"),
        Person::student(12, "Ben", "Okri").email("ben@example.edu").identifier("S2"),
    ]);
    school.canvas.change(101, 3, |cy| cy.first = "Cyrus".into());
    school.sync().await;
    let people = school.people().await;
    assert_eq!(tokens(&people), before);
    assert_eq!(
        field(&people, "email"),
        [json!("person1@example.edu"), json!("ben@example.edu"), Value::Null]
    );
    assert_eq!(field(&people, "first_name"), ["Ana", "Ben", "Cyrus"]);
}

#[tokio::test]
async fn whoever_exchanges_or_passes_on_an_email_keeps_what_is_theirs() {
    let school = School::new().await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    let tokens = |people: &[Value]| people.iter().map(World::registration_token).collect::<Vec<_>>();
    let before = tokens(&school.people().await);
    school.canvas.change(101, 1, |ana| ana.email = Some("person2@example.edu".into()));
    school.canvas.change(101, 2, |ben| ben.email = Some("person1@example.edu".into()));
    school.sync().await;
    let people = school.people().await;
    assert_eq!(
        (tokens(&people), school.first_names().await),
        (before.clone(), vec!["Ana".into(), "Ben".into()])
    );
    assert_eq!(field(&people, "email"), ["person2@example.edu", "person1@example.edu"]);
    school.canvas.change(101, 1, |ana| ana.email = Some("ana@example.edu".into()));
    school.enrol([Person::student(3, "Cy", "Twombly").email("person2@example.edu").without_identifier()]);
    school.sync().await;
    let people = school.people().await;
    assert_eq!(tokens(&people)[..2], before[..]);
    assert_eq!(field(&people, "email"), ["ana@example.edu", "person1@example.edu", "person2@example.edu"]);
}

#[tokio::test]
async fn people_who_were_added_otherwise_stay_and_are_recognised() {
    let school = School::new().await;
    school.sync().await;
    let page = school.page().await;
    school.world.person_on(&page, json!({ "first_name": "Guest", "email": "guest@x.org" })).await;
    school.world.person_on(&page, json!({ "first_name": "A.", "email": "person1@example.edu" })).await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Guest", "Ana", "Ben"]);
    school.canvas.drop_person(101, 1);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Guest", "Ben"], "whoever was on a roster once leaves with it");
}

#[tokio::test]
async fn an_institution_id_of_somebody_else_is_not_given_twice_and_that_is_told() {
    let school = School::new().await;
    let taken = json!({ "first_name": "Eve", "email": "eve@x.org", "institution_id": "S1" });
    school.world.person_on(&school.world.page, taken).await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    let course = school.sync().await;
    assert_eq!(field(&school.people().await, "institution_id"), [Value::Null, json!("S2")]);
    assert!(course.note.unwrap().starts_with("1 "));
    school.canvas.change(101, 2, |ben| ben.identifier = Some("S1".into()));
    let course = school.sync().await;
    assert_eq!(field(&school.people().await, "institution_id"), [Value::Null, json!("S2")], "left as it was");
    assert!(course.note.unwrap().starts_with("2 "));
    let gone = json!({ "name_page_id": school.world.page.slug });
    school.world.delete("/v5/participants/eve@x.org", gone).await.expect(200);
    assert_eq!(
        school.sync().await.note.as_deref(),
        Some("1 kept without the institution_id of the learning system: somebody with another email has it")
    );
    assert_eq!(field(&school.people().await, "institution_id"), [json!("S1"), json!("S2")]);
}

#[tokio::test]
async fn somebody_without_an_email_is_in_two_courses_with_one_institution_id() {
    let school = School::new().await;
    school.canvas.course(102, None, "Logic");
    for course in [101, 102] {
        school.canvas.enrol(course, Person::student(1, "Ana", "Lima").without_email());
    }
    school.ask(json!(["101", "102"])).await.expect(200);
    school.settled().await;
    crate::support::until("both are there", || async { school.count("participants").await == 2 }).await;
    assert_eq!(school.count("participants WHERE identifier = 'S1'").await, 2);
}

#[tokio::test]
async fn of_several_with_one_address_one_has_it() {
    let school = School::new().await;
    let shared = |id, first| Person::student(id, first, "Lima").email("family@x.org").without_identifier();
    school.enrol([shared(3, "Cy"), shared(2, "Ben")]);
    school.sync().await;
    school.enrol([shared(1, "Ana")]);
    school.sync().await;
    let people = school.people().await;
    let mut who: Vec<(String, Value)> = people
        .iter()
        .map(|one| (one["first_name"].as_str().unwrap().to_owned(), one["email"].clone()))
        .collect();
    who.sort_by(|a, b| a.0.cmp(&b.0));
    let email = json!("family@x.org");
    assert_eq!(who, [("Ana".into(), Value::Null), ("Ben".into(), email), ("Cy".into(), Value::Null)]);
}

#[tokio::test]
async fn a_deleted_page_is_made_anew_with_everybody() {
    let school = School::new().await;
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Ben", "Okri")]);
    school.sync().await;
    school.canvas.drop_person(101, 2);
    school.sync().await;
    let page = school.page().await;
    let reference = endonym::domain::name_page::NamePageRef::parse(&page.slug).unwrap();
    name_pages::delete(&school.world.app, &Actor::Operator, school.world.institution.id, &reference)
        .await
        .unwrap();
    for table in ["participants", "hidden_participants", "courses", "course_members"] {
        assert_eq!(school.count(table).await, 0, "{table}");
    }
    school.sync().await;
    assert_ne!(school.page().await.id, page.id);
    assert_eq!(school.first_names().await, ["Ana"]);
}

#[tokio::test]
async fn somebody_who_was_deleted_comes_again_with_the_roster() {
    let school = School::new().await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let gone = json!({ "name_page_id": school.page().await.slug });
    school.world.delete("/v5/participants/person1@example.edu", gone).await.expect(200);
    assert_eq!(school.count("course_members").await, 0);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Ana"]);
}

#[tokio::test]
async fn roles_say_who_is_on_a_page() {
    let school = School::without_workers(patient()).await;
    school.world.work(1);
    let roles = Some(vec![endonym::domain::roster::Role::Teacher]);
    let change = endonym::app::tool_consumers::Change { roles, ..Default::default() };
    endonym::app::tool_consumers::update(&school.world.app, &Actor::Operator, school.consumer.id, change)
        .await
        .unwrap();
    school.enrol([Person::student(1, "Ana", "Lima"), Person::student(2, "Tom", "Teacher").role("teacher")]);
    school.sync().await;
    assert_eq!(school.first_names().await, ["Tom"]);
}
