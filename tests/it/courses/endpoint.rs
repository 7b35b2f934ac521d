//! `POST /lti/{word}/courses/synchronize`: every response of versions 5 and 4.

use std::time::Duration;

use endonym::{
    app::{Actor, courses, tokens, tool_consumers},
    domain::access::TokenScope,
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{School, patient, waiting};
use crate::{
    lms::{canvas::Fault, people::Person},
    support::{Answer, until},
};

const NO_CONSUMER: &str = "Tool consumer not found";

async fn school() -> School {
    School::without_workers(patient()).await
}

fn says(answer: Answer, status: u16, message: &str) {
    assert_eq!(answer.expect(status), json!({ "message": message }));
}

#[tokio::test]
async fn every_known_course_is_started_and_the_unknown_are_listed() {
    let school = school().await;
    school.canvas.course(102, None, "Logic");
    let answer = school.ask(json!(["101", 102])).await;
    assert!(answer.headers.contains_key("nc-rate-limit-remaining"));
    assert_eq!(answer.expect(200), Value::Null);
    let all = courses::all(&school.world.app, &Actor::Operator, &school.consumer).await.unwrap();
    let titles: Vec<&str> = all.iter().map(|course| course.title.as_str()).collect();
    assert_eq!(titles, ["Rhetoric", "Logic"]);
    school.canvas.course(103, None, "Ethics");
    let body = school.ask(json!([999, "103", "sis_course_id:NONE", "999"])).await.expect(202);
    assert_eq!(body["external_courses_ids"], json!(["999", "sis_course_id:NONE"]));
    assert!(body["message"].as_str().unwrap().contains("999"));
    assert_eq!(school.count("courses").await, 3);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 3);
    // Two names of the same course count once, and a course that is already queued counts as started.
    assert_eq!(school.ask(json!(["101", "sis_course_id:RHE-1"])).await.expect(200), Value::Null);
    assert_eq!(school.count("courses").await, 3);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 3);
}

/// More than are started in one transaction, and more than a request may name.
#[tokio::test]
async fn a_long_list_of_courses_is_begun_and_one_that_is_too_long_is_refused() {
    let school = school().await;
    let many: Vec<u64> = (1_000..1_120).collect();
    for id in &many {
        school.canvas.course(*id, None, &format!("Course {id}"));
    }
    assert_eq!(school.ask(json!(many)).await.expect(200), Value::Null);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 120);
    let too_many: Vec<u64> = (1..=1_001).collect();
    let told = school.ask(json!(too_many)).await.expect(422);
    assert_eq!(told["errors"], json!({ "external_course_ids": ["is too long (maximum is 1000 entries)"] }));
    assert_eq!(school.count("courses").await, 120);
}

#[tokio::test]
async fn version_4_takes_one_course_at_a_time() {
    let school = school().await;
    says(school.ask_v4(json!(999)).await, 404, "Course does not exist in the learning management system");
    assert_eq!(school.count("courses").await, 0);
    assert_eq!(school.ask_v4(json!(101)).await.expect(200), Value::Null);
    says(school.ask_v4(json!("101")).await, 422, "Course is synchronizing now");
    assert_eq!(school.ask(json!(["101"])).await.expect(200), Value::Null, "version 5 takes it for started");
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 1);
    school.world.work(1);
    school.settled().await;
    assert_eq!(school.ask_v4(json!("101")).await.expect(200), Value::Null);
}

#[tokio::test]
async fn what_is_missing_empty_or_of_another_kind_is_a_bad_request() {
    let school = school().await;
    let token = &school.api_token;
    for body in [
        json!({}),
        json!({ "api_token": token }),
        json!({ "external_course_ids": ["101"] }),
        json!({ "api_token": "", "external_course_ids": ["101"] }),
        json!({ "api_token": null, "external_course_ids": ["101"] }),
        json!({ "api_token": token, "external_course_ids": [] }),
        json!({ "api_token": token, "external_course_ids": "101" }),
        json!({ "api_token": token, "external_course_ids": ["101", " "] }),
        json!({ "api_token": token, "external_course_ids": ["101", null] }),
        json!({ "api_token": token, "external_course_ids": [{ "id": 101 }] }),
        json!([token]),
    ] {
        says(school.world.post("/v5/lti/lms/courses/synchronize", body).await, 400, "Bad Request");
    }
    for body in [
        json!({}),
        json!({ "api_token": token }),
        json!({ "external_course_id": "101" }),
        json!({ "api_token": token, "external_course_id": "" }),
        json!({ "api_token": token, "external_course_id": ["101"] }),
    ] {
        says(school.world.post("/v4/lti/lms/courses/synchronize", body).await, 400, "Bad Request");
    }
    let request = school.world.request(Method::POST, "/v5/lti/lms/courses/synchronize");
    says(Answer::of(request.body("not json")).await, 400, "Bad Request");
    let form = format!("api_token={token}&external_course_ids[]=101");
    let request = school.world.request(Method::POST, "/v5/lti/lms/courses/synchronize");
    assert_eq!(
        Answer::of(request.header("Content-Type", "application/x-www-form-urlencoded").body(form))
            .await
            .expect(200),
        Value::Null,
        "a form will do"
    );
}

#[tokio::test]
async fn the_word_in_the_path_says_which_learning_systems_are_meant() {
    let school = school().await;
    let v5 = json!({ "api_token": school.api_token, "external_course_ids": ["999"] });
    let v4 = json!({ "api_token": school.api_token, "external_course_id": "999" });
    let unauthorized = |path: &str| school.world.request_without_token(Method::POST, path).json(&v5);
    says(Answer::of(unauthorized("/v5/lti/fax/courses/synchronize")).await, 401, "Not Authorized");
    for (version, body, found) in [("v5", &v5, 202), ("v4", &v4, 404)] {
        let path = |word: &str| format!("/{version}/lti/{word}/courses/synchronize");
        for word in ["lms", "canvas"] {
            let answer = school.world.post(&path(word), body.clone()).await;
            assert_ne!(answer.body["message"], NO_CONSUMER);
            answer.expect(found);
        }
        says(school.world.post(&path("moodle"), body.clone()).await, 404, NO_CONSUMER);
        // No such learning system: 404, regardless of the body.
        let told = format!("No such endpoint: see {}/docs/{version}", school.world.base);
        says(school.world.post(&path("fax"), json!({})).await, 404, &told);
        let wrong =
            json!({ "api_token": "nonsense", "external_course_ids": ["101"], "external_course_id": "101" });
        says(school.world.post(&path("lms"), wrong).await, 404, NO_CONSUMER);
    }
}

#[tokio::test]
async fn another_institutions_tool_consumer_is_not_found() {
    let school = school().await;
    let neighbor = school.world.neighbor().await;
    for (version, key, id) in
        [("v5", "external_course_ids", json!(["101"])), ("v4", "external_course_id", json!("101"))]
    {
        let body = json!({ "api_token": school.api_token, key: id });
        let path = format!("/{version}/lti/lms/courses/synchronize");
        let request = school.world.request_as(&neighbor.token, Method::POST, &path).json(&body);
        says(Answer::of(request).await, 404, NO_CONSUMER);
    }
    assert_eq!(school.count("courses").await, 0);
}

#[tokio::test]
async fn a_tool_consumer_that_is_switched_off_says_so() {
    let school = school().await;
    let change = |enabled| tool_consumers::Change { enabled: Some(enabled), ..Default::default() };
    tool_consumers::update(&school.world.app, &Actor::Operator, school.consumer.id, change(false))
        .await
        .unwrap();
    let off = "API integration for tool consumer is disabled";
    says(school.ask(json!(["101"])).await, 422, off);
    says(school.ask_v4(json!("101")).await, 422, off);
    assert!(school.canvas.requests().is_empty(), "nobody was asked");
    tool_consumers::update(&school.world.app, &Actor::Operator, school.consumer.id, change(true))
        .await
        .unwrap();
    school.ask(json!(["101"])).await.expect(200);
}

#[tokio::test]
async fn when_the_learning_system_cannot_be_asked_nothing_is_started() {
    let school = School::without_workers(waiting(Duration::from_secs(2))).await;
    school.canvas.course(102, None, "Logic");
    for fault in [
        Fault::Hang,
        Fault::Fails { status: 500, times: usize::MAX },
        Fault::TokenDead,
        Fault::NoPermission,
        Fault::Maintenance,
        Fault::Redirect("http://127.0.0.1:9/".into()),
    ] {
        school.canvas.fault(fault.clone());
        for answer in [school.ask(json!(["101", "102"])).await, school.ask_v4(json!("101")).await] {
            assert!(answer.headers.contains_key("retry-after"));
            let body = answer.expect(503);
            let message = body["message"].as_str().unwrap();
            assert!(message.contains("learning management system"), "{fault:?}: {message}");
            assert!(!message.contains(school.canvas.token()), "{message}");
        }
        school.canvas.heal();
    }
    assert_eq!((school.count("courses").await, school.count("jobs").await), (0, 0));
    assert_eq!(school.ask(json!(["101", "102"])).await.expect(200), Value::Null);
}

#[tokio::test]
async fn a_course_that_runs_is_told_of_until_it_has_ended() {
    let school = School::without_workers(waiting(Duration::from_secs(2))).await;
    school.world.work(1);
    school.enrol([Person::student(1, "Ana", "Lima")]);
    school.canvas.fault(Fault::PageHangs { page: 1 });
    school.ask(json!([101])).await.expect(200);
    until("its roster is asked for", || async {
        school.canvas.requests().iter().any(|asked| asked.contains("/101/users"))
    })
    .await;
    says(school.ask_v4(json!(101)).await, 422, "Course is synchronizing now");
    school.ask(json!([101])).await.expect(200);
    school.canvas.heal();
    school.settled().await;
    assert_eq!(school.first_names().await, ["Ana"]);
    school.ask_v4(json!(101)).await.expect(200);
}

#[tokio::test]
async fn a_token_that_is_limited_to_pages_synchronizes_their_courses_and_makes_no_new_pages() {
    let school = school().await;
    school.canvas.course(102, None, "Logic");
    school.ask(json!(["101"])).await.expect(200);
    let new = tokens::New {
        name: "limited".into(),
        scope: TokenScope::Sync,
        pages: Some(vec![school.page().await]),
        ..tokens::New::default()
    };
    let (_, token) =
        tokens::create_with(&school.world.app, &Actor::Operator, school.world.institution.id, new)
            .await
            .unwrap();
    let ask = async |ids: Value| {
        let body = json!({ "api_token": school.api_token, "external_course_ids": ids });
        let path = "/v5/lti/lms/courses/synchronize";
        Answer::of(school.world.request_as(&token, Method::POST, path).json(&body)).await
    };
    assert_eq!(ask(json!(["sis_course_id:RHE-1"])).await.expect(200), Value::Null);
    for ids in [json!(["102"]), json!(["101", "102"])] {
        says(ask(ids).await, 403, "Forbidden: this access token is limited to other name pages");
    }
    assert_eq!(school.count("courses").await, 1);
    assert_eq!(school.count("name_pages").await, 2);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 1);
    assert_eq!(ask(json!([999])).await.expect(202)["external_courses_ids"], json!(["999"]));
}
