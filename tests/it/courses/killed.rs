//! A server that is killed during a synchronization: it is completed later, and never half applied.

use serde_json::json;

use crate::{
    lms::{
        canvas::{Canvas, Fault},
        people::Person,
    },
    support::{process::Installation, until},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_in_the_middle_of_a_synchronization_has_done_nothing_by_half() {
    let canvas = Canvas::start().await;
    canvas.course(101, None, "Rhetoric");
    (1..=30).for_each(|id| canvas.enrol(101, Person::student(id, &format!("P{id}"), "Lima")));
    canvas.most_per_page(10);
    let (here, token) = Installation::with_token().await;
    let allow = ["--outbound-allow", "127.0.0.0/8"];
    let create =
        ["tool-consumer", "create", "--institution", "example", "--name", "Canvas", "--lms", "canvas"];
    let rest = ["--url", canvas.url(), "--access-token", canvas.token(), "--json"];
    let made = here.json(&[&create[..], &rest, &allow].concat());
    let serve = || here.serve(&[&allow[..], &["--job-lease-seconds", "1"]].concat());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();

    canvas.fault(Fault::PageHangs { page: 2 });
    let serving = serve();
    let address = format!("{}/api/private/v5/lti/lms/courses/synchronize", serving.base);
    let body = json!({ "api_token": made["api_token"], "external_course_ids": [101] });
    let answer = client.post(address).header("Authorization", &token).json(&body).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    until("the second page is asked for", || async {
        canvas.requests().iter().any(|asked| asked.contains("bookmark:2") || asked.contains("bookmark%3A2"))
    })
    .await;
    serving.kill();
    canvas.heal();
    let database = here.database().await;
    let count = async |what: &str| {
        let text = format!("SELECT COUNT(*) FROM {what}");
        database.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
    };
    assert_eq!((count("participants").await, count("courses").await), (0, 1));

    let _serving = serve();
    until("it is done by another", || async { count("participants").await > 0 }).await;
    assert_eq!(count("participants").await, 30, "all at once");
    until("and is over", || async { count("jobs WHERE kind = 'sync_course'").await == 0 }).await;
    assert_eq!(count("course_members").await, 30);
}
