//! However large and unusual a request is, reads and writes of other institutions continue.

use std::{
    fmt::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use reqwest::{Method, RequestBuilder};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::support::{Neighbor, World};

/// Generous: without optimization and beside other tests. The requests that this is about once took a minute with
/// optimization.
const LONGEST: Duration = Duration::from_secs(60);

fn keys(count: usize) -> Value {
    Value::Object((0..count).map(|i| (format!("custom_{i}"), json!("x"))).collect::<Map<_, _>>())
}

fn repeated(pair: &str, count: usize) -> String {
    pair.repeat(count)
}

/// Each endpoint with its worst-case body, and the expected status.
fn worst(world: &World) -> Vec<(&'static str, RequestBuilder, u16)> {
    let page = &world.page.slug;
    let send = |method: Method, path: &str, body: Value| world.request(method, path).json(&body);
    let text = |path: &str, kind: &'static str, body: String| {
        world.request(Method::POST, path).header("Content-Type", kind).body(body)
    };
    let form = |path: &str, body: String| text(path, "application/x-www-form-urlencoded", body);
    let person = |custom: Value| json!({ "name_page_id": page, "participant": { "first_name": "A", "email": "a@x.org", "custom_fields": custom } });
    let notes = json!({ "first_name": "A", "email": "a@x.org", "notes": "é".repeat(4 << 20) });
    let emails: Vec<String> = (0..10_000).map(|i| format!("p{}@x.org", i % 5_000)).collect();
    let mut identifiers = String::new();
    for i in 0..40_000 {
        write!(identifiers, "identifiers[{i}][email]=p{i}@x.org&").unwrap();
    }
    let create_v4 = format!("/v4/name_pages/{page}/participants");
    let deep = format!("{{\"name_page_id\":\"{page}\",\"participant\":{}", "[".repeat(400_000));
    let courses: Vec<u32> = (0..100_000).collect();
    vec![
        ("v5 create, 100,000 keys", send(Method::POST, "/v5/participants", person(keys(100_000))), 422),
        ("v5 create, 1,000 keys", send(Method::POST, "/v5/participants", person(keys(1_000))), 422),
        (
            "v5 update, 100,000 keys",
            send(Method::PUT, "/v5/participants/known@x.org", person(keys(100_000))),
            422,
        ),
        (
            "v5 update, 1,000 keys",
            send(Method::PUT, "/v5/participants/known@x.org", person(keys(1_000))),
            422,
        ),
        (
            "v4 create, 100,000 keys",
            send(Method::POST, &create_v4, json!({ "participant": { "custom_objects": keys(100_000) } })),
            422,
        ),
        (
            "v5 create, long notes",
            send(Method::POST, "/v5/participants", json!({ "name_page_id": page, "participant": notes })),
            422,
        ),
        ("v5 create, deep JSON", text("/v5/participants", "application/json", deep), 400),
        (
            "v5 search, twice 5,000 people",
            send(Method::POST, "/v5/participants/search", json!({ "email_list": emails })),
            200,
        ),
        (
            "v4 search, too many people",
            send(Method::POST, "/v4/participants/search", json!({ "email_list": vec!["a@x.org"; 200_000] })),
            422,
        ),
        (
            "v5 search, many keys",
            form("/v5/participants/search", repeated("email_list[]=a@x.org&", 200_000)),
            422,
        ),
        ("v5 search, many unknown keys", form("/v5/participants/search", repeated("a=1&", 400_000)), 422),
        (
            "v3 search, 10,000 people",
            form("/v3/names/search", format!("auth_token={}&email_list={}", world.token, emails.join("%2C"))),
            200,
        ),
        ("pronunciations, many identifiers", form("/v5/pronunciations/search", identifiers), 422),
        (
            "pronunciations, many that are none",
            form("/v5/pronunciations/search", repeated("identifiers=1&", 400_000)),
            422,
        ),
        ("export, many filters", send(Method::POST, "/v4/exports", json!({ "export": keys(100_000) })), 422),
        (
            "export, a long page",
            send(Method::POST, "/v4/exports", json!({ "export": { "name_page_id": "x".repeat(4 << 20) } })),
            422,
        ),
        (
            "sync, many courses",
            send(
                Method::POST,
                "/v5/lti/lms/courses/synchronize",
                json!({ "api_token": "x", "external_course_ids": courses }),
            ),
            404,
        ),
        (
            "a launch of many pairs",
            world
                .client
                .post(format!("{}/lti/launch", world.base))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .body(repeated("a=1&", 30_000)),
            400,
        ),
        (
            "a file of many parts",
            world
                .client
                .post(format!("{}/lti/s/x/recording", world.base))
                .header("Content-Type", "multipart/form-data; boundary=b")
                .body(repeated("--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n", 100_000)),
            403,
        ),
    ]
}

async fn live(world: &World, neighbor: &Neighbor, number: usize) {
    let participant = json!({ "first_name": "N", "email": format!("n{number}@x.org") });
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": participant });
    let made = world.request_as(&neighbor.token, Method::POST, "/v5/participants").json(&body).send().await;
    assert_eq!(made.unwrap().status(), 201);
    let path = format!("/v4/participants/n{number}@x.org");
    let found = world.request_as(&neighbor.token, Method::GET, &path).send().await.unwrap();
    assert_eq!(found.status(), 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_for_the_worst_request_of_another_institution() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.person("Known", "known@x.org").await;
    world.crowd(&world.page, 0..2_000).await;
    let mut number = 0;
    for (what, request, status) in worst(&world) {
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, started) = (is_over.clone(), Instant::now());
        let asked = tokio::spawn(async move {
            let answer = request.send().await.unwrap();
            let (status, length) = (answer.status().as_u16(), answer.bytes().await.unwrap().len());
            over.store(true, Ordering::Relaxed);
            (status, length)
        });
        let mut longest = Duration::ZERO;
        loop {
            let began = Instant::now();
            live(&world, &neighbor, number).await;
            longest = longest.max(began.elapsed());
            number += 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
            if is_over.load(Ordering::Relaxed) {
                break;
            }
        }
        let (answered, length) = asked.await.unwrap();
        assert_eq!(answered, status, "{what}");
        assert!(longest < LONGEST, "{what}: a neighbor waited {longest:?}");
        assert!(started.elapsed() < LONGEST * 2, "{what} took {:?}", started.elapsed());
        assert!(length < 2_000_000, "{what}: an answer of {length} bytes");
    }
}

/// Well above realistic sizes, and rejected before any lookup.
#[tokio::test]
async fn more_than_a_thousand_custom_keys_are_refused_at_once() {
    let world = World::new().await;
    let too_many = "is too long (maximum is 1000 entries)";
    let participant = |key: &str, count| json!({ "first_name": "A", "email": "a@x.org", key: keys(count) });
    let body = |count| json!({ "name_page_id": world.page.slug, "participant": participant("custom_fields", count) });
    let told = world.post("/v5/participants", body(1_001)).await.expect(422);
    assert_eq!(told, json!({ "message": "Unprocessable entity", "errors": { "custom_fields": [too_many] } }));
    let told = world.post("/v5/participants", body(1_000)).await.expect(422);
    let errors = told["errors"].as_object().unwrap();
    assert_eq!((errors.len(), &errors["custom_7"]), (1_000, &json!(["is invalid"])), "each of them is told");
    let path = format!("/v4/name_pages/{}/participants", world.page.slug);
    let told =
        world.post(&path, json!({ "participant": participant("custom_objects", 1_001) })).await.expect(422);
    assert_eq!(told["errors"], json!({ "custom_objects": [too_many] }));
}
