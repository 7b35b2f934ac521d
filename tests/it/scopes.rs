//! Actors of other institutions get "not found", and concurrent updates do not lose each other's changes.

use endonym::{
    app::{
        Actor, Error, Result, callers, calls, institutions, jobs,
        tool_consumers::{self, Change},
    },
    domain::{
        ids::{CallId, JobId},
        roster::Role,
        tool_consumer::{LmsKind, ToolConsumer},
    },
};

use crate::support::{World, database::execute};

const CALL: CallId = CallId::new(1);
const JOB: JobId = JobId::new(2);

async fn actor(world: &World, token: &str) -> Actor {
    Actor::Token(callers::identify(&world.app, token, None).await.unwrap())
}

async fn consumer(world: &World) -> ToolConsumer {
    let new = tool_consumers::New {
        name: "Campus".into(),
        kind: LmsKind::Canvas,
        url: "http://127.0.0.1:9".into(),
        product: None,
        roles: Vec::new(),
        access_token: Some("secret".into()),
        lti: None,
    };
    tool_consumers::create(&world.app, world.institution.id, new).await.unwrap().0
}

/// A scheduled call and a job that was given up.
async fn with_call_and_job(world: &World) {
    let institution = world.institution.id;
    let call = "INSERT INTO calls (institution_id, id, participant_id, phone_number, state, run_at, attempts_made, \
         attempts_allowed, created_at) VALUES ($1, $2, 0, '+12025550123', 'scheduled', 1, 0, 1, 1)";
    execute(&world.app.db, call, vec![institution.into(), CALL.into()]).await;
    let job = "INSERT INTO jobs (id, institution_id, kind, payload, state, attempts, failures, created_at) \
         VALUES ($1, $2, 'scrub_exports', '{}', 'dead', 1, 1, 1)";
    execute(&world.app.db, job, vec![JOB.into(), institution.into()]).await;
}

fn is_missing<T>(outcome: Result<T>) -> bool {
    matches!(outcome, Err(Error::Missing(_)))
}

#[tokio::test]
async fn what_another_institution_owns_is_missing() {
    let world = World::new().await;
    let (app, id) = (&world.app, consumer(&world).await.id);
    with_call_and_job(&world).await;
    let neighbor = world.neighbor().await;
    let stranger = actor(&world, &neighbor.token).await;

    assert!(is_missing(tool_consumers::find(app, stranger.scope(), id).await));
    assert!(is_missing(tool_consumers::update(app, &stranger, id, Change::default()).await));
    assert!(is_missing(tool_consumers::delete(app, &stranger, id).await));
    assert!(is_missing(calls::cancel(app, &stranger, CALL).await));
    assert!(is_missing(calls::retry(app, &stranger, CALL, 1).await));
    assert!(is_missing(jobs::retry(app, &stranger, JOB).await));
    assert!(is_missing(calls::cancel_pending(app, &stranger, Some(world.institution.id)).await));
    assert!(is_missing(stranger.access(world.institution.id)));
    assert_eq!(calls::cancel_pending(app, &stranger, None).await.unwrap(), 0);
    assert!(tool_consumers::all(app, stranger.scope()).await.unwrap().is_empty());
    assert!(calls::all(app, stranger.scope(), 10).await.unwrap().is_empty());
    assert!(jobs::all(app, stranger.scope(), None, 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn an_institutions_own_token_and_an_operator_find_it() {
    let world = World::new().await;
    let (app, id) = (&world.app, consumer(&world).await.id);
    with_call_and_job(&world).await;
    let own = actor(&world, &world.token).await;
    for actor in [&own, &Actor::Operator] {
        assert_eq!(tool_consumers::find(app, actor.scope(), id).await.unwrap().id, id);
        assert_eq!(tool_consumers::all(app, actor.scope()).await.unwrap().len(), 1);
        assert_eq!(calls::all(app, actor.scope(), 10).await.unwrap().len(), 1);
        assert_eq!(jobs::all(app, actor.scope(), None, 10).await.unwrap().len(), 1);
        assert_eq!(actor.access(world.institution.id).unwrap().institution, world.institution.id);
    }
    jobs::retry(app, &own, JOB).await.unwrap();
    calls::cancel(app, &own, CALL).await.unwrap();
    tool_consumers::delete(app, &own, id).await.unwrap();
    assert!(is_missing(tool_consumers::find(app, Actor::Operator.scope(), id).await));
}

#[tokio::test]
async fn updates_of_an_institution_at_the_same_time_keep_each_others_fields() {
    let world = World::new().await;
    let (app, slug) = (&world.app, world.institution.slug.as_str());
    let name = institutions::Change { name: Some("Renamed".into()), ..Default::default() };
    let zone = institutions::Change { time_zone: Some("Asia/Tokyo".into()), ..Default::default() };
    let first =
        institutions::Change { allow_origins: vec!["https://a.example".into()], ..Default::default() };
    let second =
        institutions::Change { allow_origins: vec!["https://b.example".into()], ..Default::default() };
    let all = [name, zone, first, second].map(|change| institutions::update(app, slug, change));
    for outcome in futures_util::future::join_all(all).await {
        outcome.unwrap();
    }
    let found = institutions::find(app, slug).await.unwrap();
    assert_eq!((found.name.as_str(), found.time_zone.iana_name()), ("Renamed", Some("Asia/Tokyo")));
    assert_eq!(found.allowed_origins, ["https://a.example", "https://b.example"]);
}

/// A newer binary, or another version of the time zone database, may know it.
#[tokio::test]
async fn an_update_of_an_institution_keeps_a_time_zone_that_is_unknown_here() {
    let world = World::new().await;
    let (app, slug) = (&world.app, world.institution.slug.as_str());
    execute(&app.db, "UPDATE institutions SET time_zone = 'Mars/Olympus_Mons'", vec![]).await;
    let stored = async || {
        let text = "SELECT time_zone FROM institutions WHERE slug = $1";
        app.db.read().one(text, &[slug.into()], |row| row.text(0)).await.unwrap().unwrap()
    };
    let name = institutions::Change { name: Some("Renamed".into()), ..Default::default() };
    assert_eq!(institutions::update(app, slug, name).await.unwrap().name, "Renamed");
    assert_eq!(stored().await, "Mars/Olympus_Mons");
    let zone = institutions::Change { time_zone: Some("Asia/Tokyo".into()), ..Default::default() };
    let changed = institutions::update(app, slug, zone).await.unwrap();
    assert_eq!((changed.name.as_str(), changed.time_zone.iana_name()), ("Renamed", Some("Asia/Tokyo")));
    assert_eq!(stored().await, "Asia/Tokyo");
}

#[tokio::test]
async fn updates_of_a_tool_consumer_at_the_same_time_keep_each_others_fields() {
    let world = World::new().await;
    let (app, id) = (&world.app, consumer(&world).await.id);
    let name = Change { name: Some("Renamed".into()), ..Change::default() };
    let off = Change { enabled: Some(false), ..Change::default() };
    let roles = Change { roles: Some(vec![Role::Teacher]), ..Change::default() };
    let all = [name, off, roles].map(|change| tool_consumers::update(app, &Actor::Operator, id, change));
    for outcome in futures_util::future::join_all(all).await {
        outcome.unwrap();
    }
    let found = tool_consumers::find(app, Actor::Operator.scope(), id).await.unwrap();
    assert_eq!((found.name.as_str(), found.enabled, found.roles), ("Renamed", false, vec![Role::Teacher]));
}
