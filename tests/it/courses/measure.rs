//! A course with very many people.

use super::School;
use crate::lms::people::Person;

#[tokio::test]
async fn five_thousand_people_come_change_and_leave() {
    let school = School::new().await;
    school.enrol((1..=5_000).map(|id| Person::student(id, &format!("P{id}"), "Lima")));
    school.sync().await;
    assert_eq!(school.count("participants").await, 5_000);
    for id in 1..=1_000 {
        school.canvas.drop_person(101, id);
        school.canvas.change(101, id + 1_000, |one| one.last = "Souza".into());
    }
    school.sync().await;
    assert_eq!(school.count("participants").await, 4_000);
    assert_eq!(school.count("hidden_participants").await, 1_000);
    assert_eq!(school.count("participants WHERE last_name = 'Souza'").await, 1_000);
    assert_eq!(school.count("course_members").await, 5_000);
}
