//! Courses that are synchronized without anybody asking for it.

use std::time::Duration;

use endonym::{
    app::{Actor, courses, jobs, tool_consumers},
    domain::{
        course::Course,
        job::{Job, Lane},
        schedule::Schedule,
    },
};
use serde_json::json;

use super::{School, connect, patient};
use crate::{
    lms::{
        canvas::{Canvas, Fault},
        people::Person,
    },
    support::{database::execute, until},
};

const DUE: &str = "UPDATE courses SET next_sync_at = 1000";
const WAITING: &str = "jobs WHERE kind = 'sync_course'";

impl School {
    /// So many further courses, which have been synchronized once or are to be.
    async fn courses(&self, ids: std::ops::RangeInclusive<u64>) {
        for id in ids {
            self.canvas.course(id, None, &format!("Course {id}"));
            let found = endonym::lms::Found {
                id: id.to_string(),
                title: format!("Course {id}"),
                memberships_url: None,
            };
            courses::ensure(&self.world.app, &self.consumer, found, None).await.unwrap();
        }
    }

    async fn all(&self) -> Vec<Course> {
        courses::all(&self.world.app, &self.consumer).await.unwrap()
    }

    async fn run_due(&self) {
        courses::run_due(&self.world.app).await.unwrap();
    }

    async fn due(&self) {
        execute(&self.world.app.db, DUE, vec![]).await;
    }

    async fn change(&self, change: tool_consumers::Change) {
        tool_consumers::update(&self.world.app, &Actor::Operator, self.consumer.id, change).await.unwrap();
    }
}

#[tokio::test]
async fn a_course_has_its_turn_and_then_the_next() {
    let school = School::without_workers(patient()).await;
    school.courses(101..=101).await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    assert_eq!(school.consumer.schedule, Schedule::Nightly, "unless an operator says otherwise");
    school.run_due().await;
    let now = school.world.app.clock.now();
    let next = school.all().await[0].next_sync_at.unwrap();
    assert!(next > now && next < now.plus_days(2), "its first turn is tonight");
    assert_eq!(school.count(WAITING).await, 0);

    school.due().await;
    school.run_due().await;
    school.run_due().await;
    assert_eq!(school.count(WAITING).await, 1, "once, however often it is looked for");
    assert_eq!(school.all().await[0].next_sync_at, Some(next));
    school.world.work(1);
    until("it is synchronized", || async { school.all().await[0].synced_at.is_some() }).await;
    assert_eq!(school.first_names().await, ["Ana"]);
}

#[tokio::test]
async fn the_queue_has_one_row_that_starts_what_is_due() {
    let school = School::without_workers(patient()).await;
    school.courses(101..=101).await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.due().await;
    school.world.work(1);
    school.world.work(1);
    let row = "jobs WHERE kind = 'sync_due_courses'";
    until("it is written down", || async { school.count(row).await == 1 }).await;
    execute(&school.world.app.db, "UPDATE jobs SET run_at = 1000 WHERE kind = 'sync_due_courses'", vec![])
        .await;
    until("Ana is there", || async { school.count("participants").await == 1 }).await;
    assert_eq!(school.count(row).await, 1);
    assert!(Job::SyncDueCourses.institution().is_none());
}

#[tokio::test]
async fn what_is_disabled_or_off_is_left_alone_and_a_changed_schedule_holds_at_once() {
    let school = School::without_workers(patient()).await;
    school.courses(101..=103).await;
    school.due().await;
    school.change(tool_consumers::Change { enabled: Some(false), ..Default::default() }).await;
    school.run_due().await;
    school
        .change(tool_consumers::Change {
            enabled: Some(true),
            schedule: Some(Schedule::Off),
            ..Default::default()
        })
        .await;
    school.run_due().await;
    assert_eq!(school.count(WAITING).await, 0);
    assert!(school.all().await.iter().all(|course| course.next_sync_at.is_none()));
    school.change(tool_consumers::Change { schedule: Some(Schedule::Hourly), ..Default::default() }).await;
    school.run_due().await;
    let now = school.world.app.clock.now();
    let within = |course: &Course| course.next_sync_at.unwrap().since(now) <= Duration::from_secs(3_600);
    assert!(school.all().await.iter().all(within), "{:?}", school.all().await);
    assert_eq!(school.count(WAITING).await, 0, "not all of them at once");
}

#[tokio::test]
async fn nobody_fills_the_queue_and_another_institution_has_its_turn() {
    let school = School::without_workers(patient()).await;
    school.courses(101..=150).await;
    let small = Canvas::start().await;
    small.course(7, None, "Small");
    let (other, _) =
        connect(&school.world, endonym::domain::tool_consumer::LmsKind::Canvas, small.url(), small.token())
            .await;
    let found = endonym::lms::Found { id: "7".into(), title: "Small".into(), memberships_url: None };
    courses::ensure(&school.world.app, &other, found, None).await.unwrap();
    school.due().await;
    school.run_due().await;
    school.run_due().await;
    assert_eq!(school.count(WAITING).await, 21, "twenty of the one, and all that the other has");
    assert_eq!(school.count("courses WHERE next_sync_at = 1000").await, 30, "the others wait for their turn");
    while let Some(held) =
        jobs::claim(&school.world.app, Duration::from_secs(30), Lane::SHARED).await.unwrap()
    {
        jobs::finish(&school.world.app, &held).await.unwrap();
    }
    school.run_due().await;
    assert_eq!(school.count("courses WHERE next_sync_at = 1000").await, 10);
}

#[tokio::test]
async fn of_a_learning_system_in_trouble_one_course_is_tried_at_a_time() {
    let school = School::without_workers(patient()).await;
    school.courses(101..=130).await;
    school.due().await;
    school.run_due().await;
    let failing = "UPDATE jobs SET failures = 1, run_at = run_at + 600000000 WHERE kind = 'sync_course'";
    execute(&school.world.app.db, failing, vec![]).await;
    execute(
        &school.world.app.db,
        "DELETE FROM jobs WHERE id NOT IN (SELECT id FROM jobs ORDER BY id LIMIT 3)",
        vec![],
    )
    .await;
    school.run_due().await;
    school.run_due().await;
    assert_eq!(school.count(WAITING).await, 4, "these come again, and one more is tried");
    assert_eq!(school.count("courses WHERE next_sync_at = 1000").await, 9, "the rest is still due");
    // What never works stands in nobody's way.
    execute(&school.world.app.db, "DELETE FROM jobs WHERE failures = 0 AND kind = 'sync_course'", vec![])
        .await;
    school.run_due().await;
    assert_eq!(school.count("courses WHERE next_sync_at = 1000").await, 8);
    execute(&school.world.app.db, "DELETE FROM jobs WHERE kind = 'sync_course'", vec![]).await;
    school.run_due().await;
    assert_eq!(school.count("courses WHERE next_sync_at = 1000").await, 0);
}

#[tokio::test]
async fn a_course_says_why_it_could_not_be_synchronized_also_when_it_is_gone() {
    let school = School::new().await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let error = async || school.course().await.unwrap().error;
    // The schedule finds it gone.
    school.canvas.remove_course(101);
    school.due().await;
    school.run_due().await;
    until("it says so", || async { error().await.is_some() }).await;
    assert!(error().await.unwrap().starts_with("Canvas does not show this course: it was deleted, or"));
    assert_eq!(school.people().await.len(), 1, "its page stays");
    school.canvas.course(101, None, "Rhetoric");
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    // Somebody who asks for it does.
    school.canvas.remove_course(101);
    school.ask(json!(["101"])).await.expect(202);
    assert!(error().await.unwrap().starts_with("Canvas does not show this course"));
    school.canvas.fault(Fault::TokenDead);
    school.ask(json!(["101"])).await.expect(503);
    assert!(error().await.unwrap().contains("does not accept the access token"));
}
