//! Rosters with less data than before: hidden names, and people who are suddenly missing.

use endonym::{
    app::{Actor, Error, courses},
    domain::course::Sync,
};
use serde_json::{Value, json};

use super::{School, patient};
use crate::{lms::people::Person, support::database::execute};

fn class(ids: std::ops::RangeInclusive<u64>) -> impl Iterator<Item = Person> {
    ids.map(|id| Person::student(id, &format!("First{id}"), &format!("Last{id}")))
}

/// The names of everybody, and whether they are placeholders.
async fn told(school: &School) -> Vec<[Value; 4]> {
    let keys = ["first_name", "last_name", "email", "institution_id"];
    school.people().await.iter().map(|one| keys.map(|key| one[key].clone())).collect()
}

fn withhold(school: &School, ids: std::ops::RangeInclusive<u64>) {
    for id in ids {
        school.canvas.change(101, id, |person| {
            person.first.clear();
            person.last.clear();
            (person.email, person.identifier) = (None, None);
        });
    }
}

#[tokio::test]
async fn somebody_without_a_name_who_is_known_here_has_the_known_one() {
    let school = School::new().await;
    school.world.person("Ana", "person1@example.edu").await;
    school.enrol([Person::student(1, "", ""), Person::student(2, "", "")]);
    school.sync().await;
    let told = told(&school).await;
    assert_eq!(told[0][0], json!("Ana"), "{told:?}");
    assert_ne!(told[1][0], json!("Ana"));
}

#[tokio::test]
async fn a_roster_that_does_not_tell_names_overwrites_none() {
    let school = School::new().await;
    school.enrol(class(1..=26));
    assert_eq!(school.sync().await.note, None);
    let before = told(&school).await;
    withhold(&school, 1..=26);
    let note = school.sync().await.note.unwrap();
    assert!(note.starts_with("26 of 26 people came without a name"), "{note}");
    assert_eq!(told(&school).await, before);
    assert_eq!(school.course().await.unwrap().notes(), [note]);

    // A new person is shown with a placeholder, and with their name once it is known.
    school.enrol([Person::student(27, "", "").without_email().without_identifier()]);
    let note = school.sync().await.note.unwrap();
    assert!(note.starts_with("27 of 27 people"), "{note}");
    assert_eq!(told(&school).await[26], [json!("Participant 27"), json!(null), json!(null), json!(null)]);
    school.canvas.change(101, 27, |person| person.email = Some("ada@example.edu".into()));
    school.sync().await;
    assert_eq!(told(&school).await[26][0], "ada");
    school.canvas.change(101, 27, |person| person.first = "Ada".into());
    let note = school.sync().await.note.unwrap();
    assert!(note.starts_with("26 of 27 people"), "{note}");
    assert_eq!(told(&school).await[26], [json!("Ada"), json!(null), json!("ada@example.edu"), json!(null)]);
    for id in 1..=26 {
        school.canvas.change(101, id, |person| person.first = "Renamed".into());
    }
    assert_eq!(school.sync().await.note, None, "and when all is well again, nothing is noted");
    assert_eq!(told(&school).await[0][..2], [json!("Renamed"), json!(null)], "Canvas tells names whole");
}

#[tokio::test]
async fn whoever_comes_back_without_a_name_has_the_one_they_had() {
    let school = School::new().await;
    school.enrol(class(1..=3));
    school.sync().await;
    school.canvas.drop_person(101, 1);
    school.sync().await;
    school.enrol([Person::student(1, "", "").without_email()]);
    school.sync().await;
    assert_eq!(told(&school).await[0][..2], [json!("First1"), json!("Last1")]);
}

#[tokio::test]
async fn a_roster_that_loses_everybody_is_held_back_until_it_is_confirmed() {
    let school = School::new().await;
    school.enrol(class(1..=3));
    let synced_at = school.sync().await.synced_at;
    (1..=3).for_each(|id| school.canvas.drop_person(101, id));
    school.ask(json!(["101"])).await.expect(200);
    let course = school.settled().await;
    let why = course.error.clone().unwrap();
    assert!(why.contains("has lost everybody who was on it (3)") && why.contains("--accept-empty"), "{why}");
    assert_eq!((course.sync, course.synced_at, course.notes()), (Sync::Idle, synced_at, vec![why.as_str()]));
    assert_eq!((school.people().await.len(), school.count("hidden_participants").await), (3, 0));
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 0, "trying again is of no use");

    // A confirmation is valid for one attempt, regardless of its result.
    school.accept().await;
    assert_eq!((school.people().await.len(), school.count("hidden_participants").await), (0, 3));
    assert_eq!(school.course().await.unwrap().error, None);
    school.enrol(class(4..=5));
    school.sync().await;
    (4..=5).for_each(|id| school.canvas.drop_person(101, id));
    school.ask(json!(["101"])).await.expect(200);
    assert!(school.settled().await.error.unwrap().contains("has lost everybody who was on it (2)"));
    // Nor is one valid that was meant for a synchronization that was given up.
    execute(&school.world.app.db, "UPDATE courses SET accept_losses = TRUE", vec![]).await;
    school.ask(json!(["101"])).await.expect(200);
    assert!(school.settled().await.error.unwrap().contains("has lost everybody who was on it (2)"));
    assert_eq!(school.people().await.len(), 2);
    // A complete roster needs no confirmation.
    school.enrol(class(5..=5));
    assert_eq!(school.sync().await.error, None);
    assert_eq!(school.first_names().await, ["First5"]);
}

#[tokio::test]
async fn nobody_confirms_what_is_under_way() {
    let school = School::without_workers(patient()).await;
    school.ask(json!(["101"])).await.expect(200);
    let (running, losses) = (courses::WhenRunning::Fine, courses::LossPolicy::Accepted);
    let asked = vec!["101".to_owned()];
    let app = &school.world.app;
    let refused =
        courses::synchronize_with(app, &Actor::Operator, &school.consumer, asked, running, losses).await;
    assert!(matches!(refused, Err(Error::CourseSynchronizing)), "{refused:?}");
    assert_eq!(school.count("courses WHERE accept_losses").await, 0);
}

#[tokio::test]
async fn of_ten_people_or_more_the_loss_of_more_than_half_is_held_back() {
    let school = School::new().await;
    school.enrol(class(1..=12));
    school.sync().await;
    (1..=6).for_each(|id| school.canvas.drop_person(101, id));
    school.sync().await;
    assert_eq!(school.people().await.len(), 6, "half of them may leave");
    school.enrol(class(13..=16));
    school.sync().await;
    assert_eq!(school.people().await.len(), 10);
    (7..=12).for_each(|id| school.canvas.drop_person(101, id));
    // People who join at the same time wait with the others.
    school.enrol(class(20..=40));
    school.ask(json!(["101"])).await.expect(200);
    let why = school.settled().await.error.unwrap();
    assert!(why.contains("has lost 6 of the 10 people who were on it"), "{why}");
    assert_eq!(school.people().await.len(), 10);
    school.accept().await;
    assert_eq!(school.people().await.len(), 25);
}
