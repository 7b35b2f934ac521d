//! `Idempotency-Key` on synchronizations: a repeated request starts nothing, and is answered as before.

use endonym::app::Actor;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::{School, patient};
use crate::support::Answer;

impl School {
    async fn ask_with_key(&self, version: &str, key: &str, courses: Value) -> Answer {
        let name = if version == "v5" { "external_course_ids" } else { "external_course_id" };
        let body = json!({ "api_token": self.api_token, name: courses });
        let path = format!("/{version}/lti/lms/courses/synchronize");
        Answer::of(self.world.request(Method::POST, &path).header("Idempotency-Key", key).json(&body)).await
    }

    /// Ends all synchronizations.
    async fn forget_jobs(&self) {
        crate::support::database::execute(&self.world.app.db, "DELETE FROM jobs", vec![]).await;
    }
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == "true"
}

#[tokio::test]
async fn a_repeated_request_starts_nothing_and_asks_nobody() {
    let school = School::without_workers(patient()).await;
    for (version, ids, status) in [
        ("v5", json!(["101"]), 200),
        ("v4", json!("101"), 200),
        ("v5", json!(["999", "101", "998", "999"]), 202),
    ] {
        school.forget_jobs().await;
        let key = format!("{version} {ids}");
        let first = school.ask_with_key(version, &key, ids.clone()).await;
        assert!(!is_replayed(&first), "{key}");
        let first = first.expect(status);
        let (asked, jobs) = (school.canvas.requests().len(), school.count("jobs").await);
        assert_eq!(jobs, 1, "{key}");
        for _ in 0..2 {
            let again = school.ask_with_key(version, &key, ids.clone()).await;
            assert!(is_replayed(&again), "{key}: also while the course is being synchronized");
            assert_eq!(again.expect(status), first, "{key}");
        }
        assert_eq!((school.canvas.requests().len(), school.count("jobs").await), (asked, 1), "{key}");
        // Also when the synchronization is over.
        school.forget_jobs().await;
        assert!(is_replayed(&school.ask_with_key(version, &key, ids).await));
        assert_eq!(school.count("jobs").await, 0, "{key}");
    }
    let positions = r#"idempotency_keys WHERE made = '{"synchronizations":{"unknown":[0,2]}}'"#;
    assert_eq!(school.count(positions).await, 1, "no text of a client is kept");
    school.ask_with_key("v5", "v5 [\"101\"]", json!(["102"])).await.expect(422);
    school.ask_with_key("v4", "\t", json!("101")).await.expect(400);
    for path in ["/v5/lti/nonsense/courses/synchronize", "/v4/lti/nonsense/courses/synchronize"] {
        let request = school.world.request(Method::POST, path).header("Idempotency-Key", "\t");
        Answer::of(request.json(&json!({}))).await.expect(404);
    }
}

#[tokio::test]
async fn what_starts_nothing_keeps_no_key() {
    let school = School::without_workers(patient()).await;
    school.ask_with_key("v5", "key", json!(["102"])).await.expect(202);
    school.ask_with_key("v4", "key", json!("102")).await.expect(404);
    assert_eq!(school.count("idempotency_keys").await, 0);
    school.canvas.course(102, None, "Logic");
    let answer = school.ask_with_key("v5", "key", json!(["102"])).await;
    assert!(!is_replayed(&answer));
    assert_eq!(answer.expect(200), Value::Null);
    assert_eq!((school.count("courses").await, school.count("jobs").await), (1, 1));
}

/// More than are started in one transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_requests_that_arrive_at_once_one_starts_the_courses() {
    let school = School::without_workers(patient()).await;
    let many: Vec<u64> = (1_000..1_060).collect();
    for id in &many {
        school.canvas.course(*id, None, &format!("Course {id}"));
    }
    let ids: Value = json!(many);
    let answers = join_all((0..3).map(|_| school.ask_with_key("v5", "key", ids.clone()))).await;
    assert_eq!(answers.iter().filter(|answer| !is_replayed(answer)).count(), 1);
    for answer in answers {
        assert_eq!(answer.expect(200), Value::Null);
    }
    let all = endonym::app::courses::all(&school.world.app, &Actor::Operator, &school.consumer).await;
    assert_eq!(all.unwrap().len(), 60);
    assert_eq!(school.count("jobs WHERE kind = 'sync_course'").await, 60);
    // Version 4 would refuse the second one without a key.
    let answers = join_all((0..3).map(|_| school.ask_with_key("v4", "key 4", json!("101")))).await;
    for answer in answers {
        assert_eq!(answer.expect(200), Value::Null);
    }
}
