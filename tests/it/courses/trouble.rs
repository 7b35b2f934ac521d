//! Failures of a learning system, concurrent workers, and the messages for operators.

use endonym::{
    app::{Actor, Error, Missing, courses, jobs, name_pages, tool_consumers},
    domain::{
        course::Sync,
        job::{Claim, Lane},
        name_page::NamePageRef,
        tool_consumer::LmsKind,
    },
    store::secrets::Secrets,
};
use serde_json::json;

use super::{School, connect, patient};
use crate::{
    lms::{
        canvas::Fault,
        people::{Avatar, Person},
    },
    support::{media::png, until},
};

fn students(ids: std::ops::Range<u64>) -> impl Iterator<Item = Person> {
    ids.map(|id| Person::student(id, &format!("P{id}"), "Lima"))
}

#[tokio::test]
async fn a_roster_that_breaks_off_is_not_half_applied_and_is_tried_again() {
    let school = School::new().await;
    school.canvas.most_per_page(10);
    school.enrol(students(1..21));
    school.sync().await;
    school.canvas.drop_person(101, 1);
    school.enrol(students(21..45));
    school.canvas.fault(Fault::PageFails { page: 3, times: usize::MAX });
    school.ask(json!(["101"])).await.expect(200);
    let course = school.settled().await;
    assert_eq!(course.sync, Sync::Resting, "it comes again by itself");
    assert!(course.error.unwrap().contains("500"), "and says why");
    assert_eq!(school.people().await.len(), 20);
    assert_eq!(school.first_names().await[0], "P1");
    assert_eq!(school.count("hidden_participants").await, 0);
    // A manual request is tried at once.
    school.canvas.heal();
    let course = school.sync().await;
    assert_eq!((course.sync, course.error), (Sync::Idle, None));
    assert_eq!(school.people().await.len(), 43);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 0);
}

#[tokio::test]
async fn a_bad_moment_of_the_learning_system_is_sat_out() {
    let school = School::new().await;
    school.canvas.most_per_page(10);
    school.enrol(students(1..35));
    school.canvas.fault(Fault::PageFails { page: 3, times: 2 });
    school.sync().await;
    assert_eq!(school.people().await.len(), 34);
}

#[tokio::test]
async fn what_trying_again_cannot_mend_is_told_and_done_with() {
    let school = School::without_workers(patient()).await;
    school.ask(json!(["101"])).await.expect(200);
    school.canvas.fault(Fault::TokenDead);
    school.world.work(1);
    let course = school.settled().await;
    assert_eq!(course.sync, Sync::Idle);
    let error = course.error.unwrap();
    assert!(!error.is_empty() && !error.contains(school.canvas.token()), "{error}");
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 0);
    school.canvas.heal();
    assert_eq!(school.sync().await.error, None);
}

#[tokio::test]
async fn a_tool_consumer_that_is_switched_off_or_gone_meanwhile_ends_it_quietly() {
    let school = School::without_workers(patient()).await;
    school.enrol(students(1..3));
    school.ask(json!(["101"])).await.expect(200);
    let change = tool_consumers::Change { enabled: Some(false), ..Default::default() };
    tool_consumers::update(&school.world.app, &Actor::Operator, school.consumer.id, change).await.unwrap();
    school.world.work(1);
    let course = school.settled().await;
    assert_eq!((course.sync, school.people().await.len()), (Sync::Idle, 0));
    assert!(course.error.unwrap().contains("disabled"));

    let school = School::without_workers(patient()).await;
    school.ask(json!(["101"])).await.expect(200);
    tool_consumers::delete(&school.world.app, &Actor::Operator, school.consumer.id).await.unwrap();
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 0);
    assert_eq!(school.count("courses").await, 0);
    let late = courses::synchronize(
        &school.world.app,
        &Actor::Operator,
        &school.consumer,
        vec!["101".into()],
        courses::WhenRunning::Fine,
        None,
    );
    assert!(matches!(late.await, Err(Error::Missing(Missing::ToolConsumer))), "it was found, and is gone");
    assert_eq!(school.count("courses").await + school.count("name_pages").await, 2, "nothing was begun");
}

#[tokio::test]
async fn a_course_says_why_its_synchronization_was_given_up_and_a_page_takes_it_along() {
    let school = School::without_workers(patient()).await;
    school.ask(json!(["101"])).await.expect(200);
    let app = &school.world.app;
    let lease = std::time::Duration::from_secs(30);
    assert!(
        jobs::claim(app, lease, &[Lane::Interactive, Lane::Background]).await.unwrap().is_none(),
        "left to other workers"
    );
    let held = jobs::claim(app, lease, Lane::SHARED).await.unwrap().unwrap();
    let last = Claim { attempts: 1_000, failures: 1_000, ..held };
    assert_eq!(jobs::fail(app, &last, "its workers died").await.unwrap(), jobs::FailureOutcome::GivenUp);
    let course = school.course().await.unwrap();
    assert_eq!((course.sync, course.error.as_deref()), (Sync::Idle, Some("its workers died")));
    let page = NamePageRef::parse(&school.page().await.slug).unwrap();
    name_pages::delete(app, &Actor::Operator, school.world.institution.id, &page).await.unwrap();
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 0);
}

#[tokio::test]
async fn many_wishes_at_once_are_one_synchronization_and_nobody_is_there_twice() {
    let school = School::new().await;
    school.canvas.course(102, None, "Logic");
    school.enrol(students(1..60));
    students(30..80).for_each(|person| school.canvas.enrol(102, person));
    for _ in 0..3 {
        let wishes = (0..6).map(|_| school.ask(json!(["101", 102])));
        for answer in futures_util::future::join_all(wishes).await {
            answer.expect(200);
        }
        let idle = || async {
            let all = courses::all(&school.world.app, &Actor::Operator, &school.consumer).await.unwrap();
            all.iter().all(|course| course.sync == Sync::Idle && course.error.is_none())
        };
        until("both are done", idle).await;
    }
    assert_eq!(school.people().await.len(), 59);
    assert_eq!(school.count("participants").await, 109);
    assert_eq!(school.count("course_members").await, 109);
    assert_eq!(school.count("name_pages").await, 3);
}

#[tokio::test]
async fn with_another_secret_key_it_is_said_what_is_wrong() {
    let school = School::without_workers(patient()).await;
    let (id, sealed) = (school.consumer.id, school.consumer.sealed_access_token.clone().unwrap());
    assert!(!sealed.contains(school.canvas.token()));
    let folder = tempfile::tempdir().unwrap();
    let other = Secrets::new(Some("another key that is long enough for it".into()), folder.path());
    let resealed = other.seal(&format!("access token of tool consumer {id}"), b"x").unwrap();
    let text = "UPDATE tool_consumers SET access_token = $1 WHERE id = $2";
    crate::support::database::execute(&school.world.app.db, text, vec![resealed.into(), id.into()]).await;
    school.ask(json!(["101"])).await.expect(503);
    let changed = tool_consumers::find(&school.world.app, &Actor::Operator, id).await.unwrap();
    let error = tool_consumers::access(&school.world.app, &changed).await.err().unwrap().to_string();
    assert!(error.contains("ENDONYM_SECRET_KEY"), "{error}");
}

#[tokio::test]
async fn two_learning_systems_may_have_courses_of_the_same_id() {
    let school = School::new().await;
    let second = crate::lms::canvas::Canvas::start().await;
    second.course(101, None, "Rhetoric");
    second.enrol(101, Person::student(1, "Zoe", "Zed").email("zoe@x.org"));
    let (consumer, api_token) = connect(&school.world, LmsKind::Canvas, second.url(), second.token()).await;
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.sync().await;
    let body = json!({ "api_token": api_token, "external_course_ids": ["101"] });
    school.world.post("/v5/lti/lms/courses/synchronize", body).await.expect(200);
    until("Zoe is there", || async { school.count("participants").await == 2 }).await;
    assert_eq!(school.first_names().await, ["Ana"]);
    let theirs = courses::all(&school.world.app, &Actor::Operator, &consumer).await.unwrap();
    assert_ne!(theirs[0].name_page, school.course().await.unwrap().name_page);
}

#[tokio::test]
async fn a_moodles_course_is_found_by_its_id_and_then_by_its_idnumber() {
    let school = School::without_workers(patient()).await;
    school.world.work(1);
    let moodle = crate::lms::moodle::Moodle::start().await;
    moodle.course(7, Some("BIO-1"), "Biology");
    moodle.enrol(7, Person::student(1, "Þóra", "Þórsdóttir").avatar(Avatar::Own(png())));
    let (consumer, api_token) = connect(&school.world, LmsKind::Moodle, moodle.url(), moodle.token()).await;
    let ask = async |ids: serde_json::Value| {
        let body = json!({ "api_token": api_token, "external_course_ids": ids });
        school.world.post("/v5/lti/moodle/courses/synchronize", body).await
    };
    let unknown = ask(json!(["BIO-1", 7, "BIO-2"])).await.expect(202);
    assert_eq!(unknown["external_courses_ids"], json!(["BIO-2"]));
    let course =
        async || courses::all(&school.world.app, &Actor::Operator, &consumer).await.unwrap().remove(0);
    until("it is synchronized", || async { course().await.sync == Sync::Idle }).await;
    assert_eq!((course().await.external_id.as_str(), course().await.error), ("7", None));
    let found = school.world.get("/v5/participants?email_list=person1@example.edu").await.expect(200);
    let person = &found["Response"]["participants"][0];
    assert_eq!((&person["last_name"], &person["event_title"]), (&json!("Þórsdóttir"), &json!("Biology")));
    assert!(person["photo"].is_string());
    assert_eq!(school.count("course_members WHERE photo_url IS NOT NULL").await, 1);
    let kept = format!("course_members WHERE photo_url LIKE '%{}%'", moodle.token());
    assert_eq!(school.count(&kept).await, 0, "nothing that opens it is kept");
    // If nobody has a mapped role, the course's error lists Moodle's role names.
    moodle.change(7, 1, |person| person.role = "learner".into());
    ask(json!([7])).await.expect(200);
    until("it is held back", || async { course().await.error.is_some() }).await;
    let why = course().await.error.unwrap();
    assert!(why.contains("nobody has the role student; Moodle's roles here are: learner"), "{why}");
    moodle.fault(crate::lms::moodle::Fault::TokenDead);
    ask(json!([7])).await.expect(503);
}
