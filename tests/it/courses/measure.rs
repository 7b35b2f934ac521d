//! A course with very many people.

use super::School;
use crate::lms::people::Person;

#[tokio::test]
async fn thousands_of_people_come_change_and_leave() {
    let school = School::new().await;
    school.enrol((1..=2_500).map(|id| Person::student(id, &format!("P{id}"), "Lima")));
    school.sync().await;
    assert_eq!(school.count("participants").await, 2_500);
    for id in 1..=1_100 {
        school.canvas.drop_person(101, id);
        school.canvas.change(101, id + 1_100, |one| one.last = "Souza".into());
    }
    school.sync().await;
    assert_eq!(school.count("participants").await, 1_400);
    assert_eq!(school.count("hidden_participants").await, 1_100);
    assert_eq!(school.count("participants WHERE last_name = 'Souza'").await, 1_100);
    assert_eq!(school.count("course_members").await, 2_500);
}
