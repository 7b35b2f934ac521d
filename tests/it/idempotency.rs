//! `Idempotency-Key`: a request that is repeated makes nothing twice. For courses, see `courses/idempotency.rs`.

mod access;
mod nodes;

use std::time::Duration;

use endonym::{
    app::{Actor, Caller, callers, idempotency, institutions, participants},
    domain::{
        digest,
        email::Email,
        idempotency::RequestKey,
        name_page::NamePageRef,
        participant::{Draft, Given},
    },
};
use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::support::{
    Answer, World,
    database::{execute, series},
    media::{file, files, wav},
    until,
};

const DAY: Duration = Duration::from_secs(24 * 3_600);
const OTHER_REQUEST: &str = "Unprocessable entity: this Idempotency-Key was sent with another request";
const GONE: &str = "Not Found: what this Idempotency-Key created has been deleted";

fn keyed(world: &World, path: &str, key: &str, body: &Value) -> RequestBuilder {
    world.request(Method::POST, path).header("Idempotency-Key", key.as_bytes()).json(body)
}

async fn send(world: &World, path: &str, key: &str, body: &Value) -> Answer {
    Answer::of(keyed(world, path, key, body)).await
}

fn is_replayed(answer: &Answer) -> bool {
    match answer.header("idempotency-replayed") {
        "true" => true,
        "" => false,
        other => panic!("{other}"),
    }
}

async fn count(world: &World, what: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {what}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Version 5's create of a person on the world's page.
fn on_page(world: &World, participant: Value) -> Value {
    json!({ "name_page_id": world.page.slug, "participant": participant })
}

fn ana(world: &World) -> Value {
    on_page(world, json!({ "first_name": "Ana", "email": "Ana@x.org" }))
}

/// Every request of versions 5 and 4 that creates something in a world without courses: path, body, and status.
fn creates(world: &World) -> Vec<(String, Value, u16)> {
    let v4 = json!({ "participant": { "first_name": "Ben", "email": "ben@x.org" } });
    let export = json!({ "export": { "name_page_id": world.page.slug } });
    vec![
        ("/v5/participants".into(), ana(world), 201),
        (format!("/v4/name_pages/{}/participants", world.page.slug), v4, 201),
        ("/v4/exports".into(), export, 202),
    ]
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_answer_and_makes_nothing() {
    let world = World::new().await;
    for (path, body, status) in creates(&world) {
        let first = send(&world, &path, &path, &body).await;
        assert!(!is_replayed(&first), "{path}");
        let first = first.expect(status);
        let before = (count(&world, "participants").await, count(&world, "exports").await);
        for _ in 0..3 {
            let again = send(&world, &path, &path, &body).await;
            assert!(is_replayed(&again), "{path}");
            assert_eq!(again.expect(status), first, "{path}");
        }
        assert_eq!((count(&world, "participants").await, count(&world, "exports").await), before, "{path}");
    }
    assert_eq!((count(&world, "participants").await, count(&world, "exports").await), (2, 1));
    assert_eq!(count(&world, "jobs WHERE kind = 'build_export'").await, 1);
}

#[tokio::test]
async fn a_key_with_another_request_is_refused() {
    let world = World::new().await;
    let made = send(&world, "/v5/participants", "one", &ana(&world)).await.expect(201);
    let other = on_page(&world, json!({ "first_name": "Ana", "email": "other@x.org" }));
    for (path, body) in [
        ("/v5/participants", &other),
        ("/v5/participants?include=embeddables", &ana(&world)),
        ("/v4/exports", &json!({ "export": { "name_page_id": world.page.slug } })),
    ] {
        let refused = send(&world, path, "one", body).await;
        assert!(!is_replayed(&refused));
        assert_eq!(refused.expect(422), json!({ "message": OTHER_REQUEST }), "{path}");
    }
    assert_eq!((count(&world, "participants").await, count(&world, "exports").await), (1, 0));
    assert_eq!(
        send(&world, "/v5/participants", "one", &ana(&world)).await.expect(201),
        made,
        "it still holds"
    );
    send(&world, "/v5/participants", "two", &other).await.expect(201);
}

#[tokio::test]
async fn a_request_that_has_failed_keeps_no_key() {
    let world = World::new().await;
    world.person("Ben", "ben@x.org").await;
    let taken = on_page(&world, json!({ "first_name": "Ana", "email": "ben@x.org" }));
    for _ in 0..2 {
        let failed = send(&world, "/v5/participants", "key", &taken).await;
        assert!(!is_replayed(&failed));
        assert_eq!(failed.expect(422)["errors"], json!({ "email": ["has already been taken"] }));
    }
    let unknown =
        json!({ "name_page_id": "nowhere", "participant": { "first_name": "Ana", "email": "a@x.org" } });
    send(&world, "/v5/participants", "key", &unknown).await.expect(404);
    send(&world, "/v4/exports", "key", &json!({ "export": {} })).await.expect(422);
    assert_eq!(count(&world, "idempotency_keys").await, 0);
    assert!(!is_replayed(&send(&world, "/v5/participants", "key", &ana(&world)).await));
    assert_eq!(count(&world, "participants").await, 2);
}

#[tokio::test]
async fn a_key_has_to_be_valid_where_something_is_created() {
    let world = World::new().await;
    let message = "Bad Request: one Idempotency-Key of 1 to 255 printable ASCII characters is accepted";
    let long = "k".repeat(256);
    for (path, body, status) in creates(&world) {
        for key in ["", " ", "\"\"", "a\tb", "clé", long.as_str()] {
            assert_eq!(
                send(&world, &path, key, &body).await.expect(400),
                json!({ "message": message }),
                "{key}"
            );
        }
        let two = keyed(&world, &path, "one", &body).header("Idempotency-Key", "two");
        assert_eq!(Answer::of(two).await.expect(400), json!({ "message": message }));
        assert!(!is_replayed(&send(&world, &path, &format!("\"{path}\""), &body).await));
        let again = send(&world, &path, &path, &body).await;
        assert!(is_replayed(&again), "with and without quotation marks");
        again.expect(status);
    }
    assert_eq!((count(&world, "participants").await, count(&world, "exports").await), (2, 1));
}

#[tokio::test]
async fn everywhere_else_a_key_is_ignored_and_without_one_nothing_is_kept() {
    let world = World::new().await;
    world.person("Ana", "ana@x.org").await;
    assert_eq!(count(&world, "idempotency_keys").await, 0);
    let list = json!({ "email_list": ["ana@x.org"] });
    let change = on_page(&world, json!({ "notes": "changed" }));
    for _ in 0..2 {
        for (method, path, body) in [
            (Method::POST, "/v5/participants/search", &list),
            (Method::POST, "/v4/participants/search", &list),
            (Method::PUT, "/v5/participants/ana@x.org", &change),
        ] {
            for key in ["key", ""] {
                let request = world.request(method.clone(), path).header("Idempotency-Key", key);
                let answer = Answer::of(request.json(body)).await;
                assert!(!is_replayed(&answer), "{path}");
                answer.expect(200);
            }
        }
    }
    assert_eq!(count(&world, "idempotency_keys").await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_requests_that_arrive_at_once_one_is_carried_out() {
    let world = World::new().await;
    for (path, body, status) in creates(&world) {
        let answers = join_all((0..12).map(|_| send(&world, &path, "key", &body))).await;
        let first_ones = answers.iter().filter(|answer| !is_replayed(answer)).count();
        assert_eq!(first_ones, 1, "{path}");
        let bodies: Vec<Value> = answers.into_iter().map(|answer| answer.expect(status)).collect();
        assert!(bodies.iter().all(|body| *body == bodies[0]), "{path}: {bodies:?}");
        execute(&world.app.db, "DELETE FROM idempotency_keys", vec![]).await;
    }
    assert_eq!((count(&world, "participants").await, count(&world, "exports").await), (2, 1));
    // Different requests with one key: one of them.
    let email = |n: usize| on_page(&world, json!({ "first_name": "Cleo", "email": format!("c{n}@x.org") }));
    let bodies: Vec<Value> = (0..12).map(email).collect();
    let answers = join_all(bodies.iter().map(|body| send(&world, "/v5/participants", "key", body))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    assert_eq!(
        answers.iter().filter(|answer| answer.body == json!({ "message": OTHER_REQUEST })).count(),
        11
    );
    assert_eq!(count(&world, "participants").await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recording_in_a_repeated_request_is_stored_once() {
    let world = World::new().await;
    let sound = file(wav(0.6));
    let body = on_page(&world, json!({ "first_name": "Ana", "email": "a@x.org", "pronunciation": sound }));
    let answers = join_all((0..4).map(|_| send(&world, "/v5/participants", "key", &body))).await;
    let links: Vec<Value> = answers
        .into_iter()
        .map(|answer| answer.expect(201)["participant"]["recording_link"].clone())
        .collect();
    let again = send(&world, "/v5/participants", "key", &body).await.expect(201);
    assert!(again["participant"]["recording_link"].is_string());
    assert!(links.iter().all(|link| *link == again["participant"]["recording_link"]), "{links:?}");
    assert_eq!((count(&world, "participants").await, count(&world, "media").await), (1, 1));
    let left = files(&world.folder.path().join("blobs"));
    assert_eq!(left.len(), 2, "the recording and its original, and nothing of the others: {left:?}");
    let other =
        on_page(&world, json!({ "first_name": "Ana", "email": "a@x.org", "pronunciation": file(wav(0.7)) }));
    assert_eq!(send(&world, "/v5/participants", "key", &other).await.expect(422)["message"], OTHER_REQUEST);
}

#[tokio::test]
async fn all_of_a_large_body_counts() {
    let world = World::new().await;
    let body = ana(&world).to_string() + &" ".repeat(4 << 20);
    let post = async |body: String| {
        let request = world.request(Method::POST, "/v5/participants").header("Idempotency-Key", "key");
        Answer::of(request.body(body)).await
    };
    assert!(!is_replayed(&post(body.clone()).await));
    assert!(is_replayed(&post(body.clone()).await));
    assert_eq!(post(body + "\n").await.expect(422)["message"], OTHER_REQUEST);
    assert_eq!(count(&world, "participants").await, 1);
}

#[tokio::test]
async fn after_a_day_a_key_is_free_and_removed() {
    let world = World::new().await;
    send(&world, "/v5/participants", "key", &ana(&world)).await.expect(201);
    world.advance(DAY - Duration::from_secs(60));
    assert!(is_replayed(&send(&world, "/v5/participants", "key", &ana(&world)).await));
    world.advance(Duration::from_secs(60));
    send(&world, "/v5/participants", "key", &ana(&world)).await.expect(422);
    let ben = on_page(&world, json!({ "first_name": "Ben", "email": "ben@x.org" }));
    assert!(!is_replayed(&send(&world, "/v5/participants", "key", &ben).await), "another request");
    assert!(is_replayed(&send(&world, "/v5/participants", "key", &ben).await));
    assert_eq!(count(&world, "idempotency_keys").await, 1);
    // More than are removed at once.
    let (series, n) = series(&world.app.db, "2300");
    let many = format!(
        "{series}INSERT INTO idempotency_keys (institution_id, token_id, key_digest, request_digest, made, created_at) \
        SELECT 1, i, 'digest', 'digest', '{{}}', 0 FROM {n}"
    );
    assert_eq!(execute(&world.app.db, many, vec![]).await, 2_300);
    idempotency::remove_expired(&world.app).await.unwrap();
    assert_eq!(count(&world, "idempotency_keys").await, 1, "the one that is still good");
    world.advance(DAY);
    world.work(1);
    until("a worker removes the last one", || async {
        // It looks every minute.
        world.advance(Duration::from_secs(60));
        count(&world, "idempotency_keys").await == 0
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_shows_what_is_there_now() {
    let world = World::new().await;
    let export = json!({ "export": { "name_page_id": world.page.slug } });
    let first = send(&world, "/v4/exports", "key", &export).await.expect(202);
    world.work(1);
    until("the export is completed", || async {
        let again = send(&world, "/v4/exports", "key", &export).await.expect(202);
        assert_eq!(again["export"]["id"], first["export"]["id"]);
        again["export"]["state"] == "completed"
    })
    .await;
    send(&world, "/v5/participants", "key 2", &ana(&world)).await.expect(201);
    world.put("/v5/participants/ana@x.org", on_page(&world, json!({ "notes": "changed" }))).await.expect(200);
    let again = send(&world, "/v5/participants", "key 2", &ana(&world)).await.expect(201);
    assert_eq!(again["participant"]["notes"], "changed");
    // Except the email's spelling, which is that of the request.
    execute(&world.app.db, "UPDATE participants SET email = 'ANA@x.org'", vec![]).await;
    let again = send(&world, "/v5/participants", "key 2", &ana(&world)).await.expect(201);
    assert_eq!(again["participant"]["email"], "Ana@x.org");
}

#[tokio::test]
async fn nothing_personal_is_kept_and_whoever_was_deleted_does_not_come_back() {
    let world = World::new().await;
    let secret = on_page(&world, json!({ "first_name": "Zuleikha", "email": "zuleikha@x.org" }));
    send(&world, "/v5/participants", "zuleikha@x.org", &secret).await.expect(201);
    let text = "SELECT * FROM idempotency_keys";
    let rows = world.app.db.read().rows(text, &[], |row| row.record()).await.unwrap();
    let kept = Value::from_iter(rows.into_iter().map(Value::Object)).to_string().to_lowercase();
    assert!(kept.contains("participant") && !kept.contains("zuleikha"), "{kept}");
    // Nor a digest that whoever knows the email can compute: of the key alone, or with its length.
    for guess in ["zuleikha@x.org", "\0\0\0\0\0\0\0\u{e}zuleikha@x.org"] {
        assert!(!kept.contains(&digest::hex(&digest::of(guess))), "{kept}");
    }
    world
        .delete("/v5/participants/zuleikha@x.org", json!({ "name_page_id": world.page.slug }))
        .await
        .expect(200);
    let path = format!("/v4/name_pages/{}/participants", world.page.slug);
    let body = json!({ "participant": { "first_name": "Ben", "email": "ben@x.org" } });
    send(&world, &path, "key", &body).await.expect(201);
    world.delete("/v5/participants/ben@x.org", json!({ "name_page_id": world.page.slug })).await.expect(200);
    for (path, key, body) in [("/v5/participants", "zuleikha@x.org", &secret), (path.as_str(), "key", &body)]
    {
        let again = send(&world, path, key, body).await;
        assert!(is_replayed(&again), "{path}");
        assert_eq!(again.expect(404), json!({ "message": GONE }), "{path}");
    }
    assert_eq!(count(&world, "participants").await, 0);
    institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    assert_eq!(count(&world, "idempotency_keys").await, 0);
}

/// The key that the API reads from a request with `Idempotency-Key: key`.
fn key_of(world: &World, caller: &Caller, path: &str, body: &Value) -> RequestKey {
    let (owner, target) = ((world.institution.id, caller.token_id), format!("/api/private{path}"));
    RequestKey::parse(b"key", owner, &world.token, &target, body.to_string().as_bytes()).unwrap()
}

fn draft() -> Draft {
    let email = Given::Set(Email::parse("Ana@x.org").unwrap());
    Draft { first_name: Given::Set("Ana".into()), email, ..Draft::default() }
}

/// What a node leaves behind that is killed after the commit and before the response.
#[tokio::test]
async fn what_was_committed_and_never_answered_is_answered_when_it_is_repeated() {
    let world = World::new().await;
    let (body, path) = (ana(&world), "/v5/participants");
    let caller = callers::identify(&world.app, &world.token, None).await.unwrap();
    let (key, page) = (key_of(&world, &caller, path, &body), NamePageRef::parse(&world.page.slug).unwrap());
    let made = participants::create_once(&world.app, &caller.access, page, draft(), Some(key)).await.unwrap();
    assert!(!made.is_repeated);
    let answer = send(&world, path, "key", &body).await;
    assert!(is_replayed(&answer));
    let answer = answer.expect(201);
    assert_eq!(World::registration_token(&answer["participant"]), made.made.token);
    assert_eq!(answer["participant"]["email"], "Ana@x.org");
    assert_eq!(count(&world, "participants").await, 1);
}

/// Whether or not the server has carried out the request before it notices that the client has gone.
#[tokio::test]
async fn a_client_whose_connection_broke_gets_its_answer_by_repeating() {
    let world = World::new().await;
    for n in 0..20 {
        let body =
            on_page(&world, json!({ "first_name": "Ana", "email": format!("a{n}@x.org") })).to_string();
        let head = format!(
            "POST /api/private/v5/participants HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\nIdempotency-Key: {n}\r\n\
             Content-Length: {}\r\n\r\n",
            world.token,
            body.len()
        );
        let address = world.base.trim_start_matches("http://");
        let mut broken = tokio::net::TcpStream::connect(address).await.unwrap();
        broken.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let is_carried_out = n % 2 == 1;
        if is_carried_out {
            until("it is carried out", || async { count(&world, "participants").await == n + 1 }).await;
        }
        // The response, if any, is never read.
        drop(broken);
        let request =
            world.request(Method::POST, "/v5/participants").header("Idempotency-Key", n.to_string());
        let answer = Answer::of(request.body(body)).await;
        assert!(is_replayed(&answer) || !is_carried_out, "{n}");
        answer.expect(201);
        assert_eq!(count(&world, "participants").await, n + 1);
    }
}
