//! Progress of imports, exports and jobs, as events and as JSON.

use std::time::Duration;

use endonym::{
    app::{
        Actor,
        exports::{self, ExportRequest},
        members, name_pages,
    },
    domain::{
        ids::{ImportId, JobId, NamePageId},
        member::Role,
        moment::Moment,
        name_page::NamePageRef,
        paging::Window,
        session::PersonId,
    },
    store::Value as Stored,
};
use serde_json::{Value, json as value};

use super::{email_of, json, member, member_of, set};
use crate::support::{World, database::execute, until};

const IMPORT: ImportId = ImportId::new(900);

async fn import(world: &World, page: NamePageId, done: i64) {
    let text = "INSERT INTO imports (institution_id, id, name_page_id, state, file_name, mapping, starts_with_newest, rows_done, rows_total, \
         created, updated, unchanged, refused, created_at) VALUES ($1, $2, $3, 'running', 'x.csv', '{}', FALSE, $4, 30, 0, 0, 0, 0, 1)";
    let params: Vec<Stored<'static>> =
        vec![world.institution.id.into(), IMPORT.into(), page.into(), done.into()];
    execute(&world.app.db, text, params).await;
}

async fn advance(world: &World, done: i64) {
    execute(&world.app.db, "UPDATE imports SET rows_done = $1 WHERE id = 900", vec![done.into()]).await;
    world.advance(Duration::from_secs(2));
}

/// The JSON of the next event.
async fn event(stream: &mut reqwest::Response, text: &mut String) -> Value {
    loop {
        if let Some((before, after)) = text.split_once("\n\n") {
            let data = before.lines().find_map(|line| line.strip_prefix("data: ")).map(str::to_owned);
            *text = after.to_owned();
            if let Some(data) = data {
                return serde_json::from_str(&data).unwrap();
            }
            continue;
        }
        let chunk = stream.chunk().await.unwrap().expect("the stream goes on");
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
}

#[tokio::test]
async fn events_tell_how_many_rows_of_an_import_are_done() {
    let world = World::new().await;
    import(&world, world.page.id, 10).await;
    let job = "INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
               VALUES ($1, $2, 'run_import', $3, 'running', 1, 1, 0, 1)";
    let payload = value!({ "kind": "run_import", "institution": world.institution.id.get(), "import": 900 });
    let params: Vec<Stored<'static>> =
        vec![JobId::new(901).into(), world.institution.id.into(), payload.to_string().into()];
    execute(&world.app.db, job, params).await;
    let owner = member(&world, Role::Owner).await;
    let mut stream = owner.stream("/console/example/events").await;
    assert_eq!(stream.status(), 200);
    for (name, wanted) in [("content-type", "text/event-stream; charset=utf-8"), ("x-accel-buffering", "no")]
    {
        assert_eq!(stream.headers()[name], wanted);
    }
    let mut text = String::new();
    let first = event(&mut stream, &mut text).await;
    let wanted = |id: &str, done: u64| {
        value!({
            "id": id, "kind": "import", "stage": "running", "done": done, "total": 30, "is_over": false,
            "text": format!("Rows: {done} of 30"),
        })
    };
    assert_eq!(first["tasks"], value!([wanted("900", 10), wanted("901", 10)]));
    assert_eq!(first["queues"]["messages"], 0);
    advance(&world, 20).await;
    assert_eq!(event(&mut stream, &mut text).await["tasks"][0], wanted("900", 20));
    // A line for proxies, when nothing happens.
    world.advance(Duration::from_secs(16));
    let chunk = stream.chunk().await.unwrap().unwrap();
    assert!(chunk.starts_with(b": "), "{chunk:?}");
    // The stream ends after some minutes.
    world.advance(Duration::from_secs(300));
    assert_eq!(stream.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_stream_ends_with_the_session() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let mut stream = owner.stream("/console/example/events").await;
    event(&mut stream, &mut String::new()).await;
    owner.post("/sign-out", &[]).await.expect(303);
    world.advance(Duration::from_secs(16));
    assert_eq!(stream.chunk().await.unwrap(), None);
}

#[tokio::test]
async fn a_member_has_few_streams_at_a_time() {
    let world = World::new().await;
    let owner = member(&world, Role::Owner).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(owner.stream("/console/example/events").await);
    }
    assert!(held.iter().all(|stream| stream.status() == 200));
    assert_eq!(owner.stream("/console/example/events").await.status(), 429);
    held.clear();
    until("a stream that was closed makes room", || async {
        owner.stream("/console/example/events").await.status() == 200
    })
    .await;
}

#[tokio::test]
async fn managers_see_what_concerns_their_pages() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    import(&world, choir.id, 30).await;
    let path = "/console/example/progress";
    let tasks = |found: &Value| found["tasks"].as_array().unwrap().len();
    let mut owner = member(&world, Role::Owner).await;
    assert_eq!(tasks(&json(&mut owner, path).await), 1);
    let mut manager = member(&world, Role::Manager).await;
    let found = json(&mut manager, path).await;
    assert_eq!((tasks(&found), &found["queues"]), (0, &Value::Null));
    let mut manager = member_of(&world, &world.institution, Role::Manager, &[&choir]).await;
    assert_eq!(tasks(&json(&mut manager, path).await), 1);
    // What is shown is at most a second old.
    execute(&world.app.db, "UPDATE imports SET state = 'done' WHERE id = 900", vec![]).await;
    world.advance(Duration::from_secs(2));
    let found = json(&mut owner, path).await;
    assert_eq!(
        (&found["tasks"][0]["stage"], &found["tasks"][0]["is_over"]),
        (&value!("done"), &value!(true))
    );
}

#[tokio::test]
async fn an_export_whose_pages_are_all_deleted_is_for_those_who_have_all_pages() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    let actor = async |email: &str| {
        members::actor_of(app, &PersonId { institution: id, email_key: email.to_owned() }).await.unwrap()
    };
    let choir = world.page("Choir").await;
    set(&world, &world.institution, "choir@example.edu", Role::Manager, &[&choir]).await;
    let request = ExportRequest { updated_after: Some(Moment::from_micros(0)), ..ExportRequest::default() };
    let made = exports::create(app, &actor("choir@example.edu").await, id, request, None).await.unwrap().made;
    let page = NamePageRef::parse(&choir.slug).unwrap();
    name_pages::delete(app, &Actor::Operator, id, &page).await.unwrap();

    // The export, and the job that makes it.
    for (role, tasks) in [(Role::Owner, 2), (Role::Admin, 2), (Role::Manager, 0)] {
        let mut browser = member(&world, role).await;
        let found = json(&mut browser, "/console/example/progress").await;
        assert_eq!(found["tasks"].as_array().unwrap().len(), tasks, "{role:?}: {found}");
        let (visitor, is_shown) = (actor(&email_of(&world.institution, role)).await, tasks > 0);
        let (listed, total) = exports::list(app, &visitor, id, Window::FIRST).await.unwrap();
        assert_eq!((listed.len(), total), (usize::from(is_shown), u64::from(is_shown)), "{role:?}");
        assert_eq!(exports::find(app, &visitor, id, made.id).await.is_ok(), is_shown, "{role:?}");
    }
    // Nor for members who have no pages any more.
    set(&world, &world.institution, "nobody@example.edu", Role::Manager, &[]).await;
    for email in ["choir@example.edu", "nobody@example.edu"] {
        let visitor = actor(email).await;
        let (listed, total) = exports::list(app, &visitor, id, Window::FIRST).await.unwrap();
        assert_eq!((listed.len(), total), (0, 0), "{email}");
        assert!(exports::find(app, &visitor, id, made.id).await.is_err(), "{email}");
    }
}
