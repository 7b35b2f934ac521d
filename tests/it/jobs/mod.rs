//! The queue: every job is done, by one worker at a time, even if workers crash.

mod killed;
mod turns;

use std::{collections::BTreeSet, time::Duration};

use endonym::{
    app::{
        Actor, App, institutions,
        jobs::{self, FailureOutcome},
    },
    domain::{
        ids::JobId,
        job::{Claim, Job, Lane, State},
    },
};
use serde_json::{Value, json};

use crate::support::{Setup, World, database::execute, until};

const LEASE: Duration = Duration::from_secs(30);

/// Creates a pending export and returns its id.
async fn export(world: &World) -> String {
    let body = json!({ "export": { "name_page_id": world.page.slug } });
    let made = world.post("/v4/exports", body).await.expect(202);
    made["export"]["id"].as_str().unwrap().to_owned()
}

async fn state(world: &World, id: &str) -> Value {
    world.get(&format!("/v4/exports/{id}")).await.expect(200)["export"]["state"].clone()
}

async fn claim(world: &World) -> Claim {
    jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().expect("a job is due")
}

/// Writes the minimal record of a report.
fn little_record() -> endonym::app::exports::Write {
    Box::new(|person, out| {
        let badge = format!("x/{}", person.token);
        let record = json!({ "first_name": person.first_name, "name_badge_link": badge });
        serde_json::to_writer(out, &record).unwrap();
    })
}

async fn count(world: &World, what: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {what}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Eight workers take jobs at the same time, each of them until it finds none. There must be this many, each taken once. Returns how many
/// workers had a share.
async fn take_all(world: &World, expected: usize) -> usize {
    let work = |app: App| async move {
        let mut taken = Vec::new();
        while let Some(claimed) = jobs::claim(&app, LEASE, Lane::SHARED).await.unwrap() {
            taken.push(claimed.id);
        }
        taken
    };
    let workers: Vec<_> = (0..8).map(|_| tokio::spawn(work(world.app.clone()))).collect();
    let (mut taken, mut busy) = (Vec::new(), 0);
    for worker in workers {
        let share = worker.await.unwrap();
        busy += usize::from(!share.is_empty());
        taken.extend(share);
    }
    // A worker that lost the race for a job may have stopped early.
    taken.extend(work(world.app.clone()).await);
    let different: BTreeSet<JobId> = taken.iter().copied().collect();
    assert_eq!((taken.len(), different.len()), (expected, expected));
    busy
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_workers_never_take_a_job_twice() {
    let world = World::with(Setup { exports_waiting: 150, ..Setup::default() }).await;
    for _ in 0..150 {
        export(&world).await;
    }
    assert!(take_all(&world, 150).await > 1, "several workers had a share");
}

#[tokio::test]
async fn a_job_is_written_with_what_causes_it_and_removed_with_what_it_does() {
    let world = World::new().await;
    assert_eq!(count(&world, "jobs").await, 0);
    world.post("/v4/exports", json!({ "export": { "name_page_id": "nowhere" } })).await.expect(422);
    assert_eq!((count(&world, "jobs").await, count(&world, "exports").await), (0, 0));
    let id = export(&world).await;
    assert_eq!((count(&world, "jobs").await, count(&world, "exports").await), (1, 1));
    world.work(1);
    until("the export is completed", || async { state(&world, &id).await == "completed" }).await;
    assert_eq!(count(&world, "jobs WHERE kind = 'build_export'").await, 0);
}

#[tokio::test]
async fn a_dead_workers_job_is_taken_up_when_its_lease_is_over() {
    let world = World::new().await;
    let id = export(&world).await;
    let dead = claim(&world).await;
    assert!(jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().is_none(), "it is taken");
    world.advance(LEASE / 2);
    assert!(jobs::renew(&world.app, &dead, LEASE).await.unwrap(), "it says that it is alive");
    world.advance(LEASE - Duration::from_secs(2));
    assert!(jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().is_none(), "so it has more time");
    world.advance(Duration::from_secs(3));
    let again = claim(&world).await;
    assert_eq!((again.id, again.attempts, again.failures), (dead.id, 2, 0));

    // The results of a worker that lost its lease do not count.
    assert!(!jobs::renew(&world.app, &dead, LEASE).await.unwrap());
    jobs::finish(&world.app, &dead).await.unwrap();
    jobs::release(&world.app, &dead).await.unwrap();
    assert_eq!(jobs::fail(&world.app, &dead, "late").await.unwrap(), FailureOutcome::LeaseLost);
    let Job::BuildExport { institution, export, .. } = dead.job else { panic!("{dead:?}") };
    let late = endonym::app::exports::build(&world.app, &dead, institution, export, |_, _| {
        Box::new(|_, _| panic!("nobody is asked"))
    });
    assert!(late.await.is_err());
    assert_eq!(state(&world, &id).await, "initial");
    assert!(jobs::renew(&world.app, &again, LEASE).await.unwrap(), "it is still the other's");
    jobs::release(&world.app, &again).await.unwrap();

    world.work(1);
    until("the export is completed", || async { state(&world, &id).await == "completed" }).await;
}

#[tokio::test]
async fn what_fails_comes_again_later_and_later_and_is_given_up_at_last() {
    let world = World::new().await;
    let id = export(&world).await;
    let mut pauses = Vec::new();
    let last = loop {
        let claimed = claim(&world).await;
        match jobs::fail(&world.app, &claimed, "the disk is full").await.unwrap() {
            FailureOutcome::RetryIn(pause) => {
                assert!(jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().is_none(), "not at once");
                pauses.push(pause);
                world.advance(pause);
            }
            FailureOutcome::GivenUp => break claimed,
            FailureOutcome::LeaseLost => panic!("it was ours"),
        }
    };
    assert_eq!(pauses.len(), 9, "{pauses:?}");
    assert!(pauses[0] >= Duration::from_secs(10) && pauses[0] <= Duration::from_secs(15), "{pauses:?}");
    assert!(pauses[8] > pauses[0] * 20, "{pauses:?}");
    assert_eq!(state(&world, &id).await, "failed");
    assert!(world.get(&format!("/v4/exports/{id}")).await.expect(200)["export"].get("report").is_none());

    let dead = jobs::all(&world.app, &Actor::Operator, Some(State::Dead), 10).await.unwrap();
    assert_eq!((dead.len(), dead[0].id, dead[0].attempts), (1, last.id, 10));
    assert_eq!(dead[0].error.as_deref(), Some("the disk is full"));
    assert_eq!((dead[0].kind.as_str(), dead[0].institution.as_deref()), ("build_export", Some("example")));

    world.work(1);
    assert!(
        jobs::retry(&world.app, &Actor::Operator, JobId::new(last.id.get() + 1)).await.is_err(),
        "there is no such job"
    );
    jobs::retry(&world.app, &Actor::Operator, last.id).await.unwrap();
    until("the export is completed", || async { state(&world, &id).await == "completed" }).await;
    assert!(jobs::retry(&world.app, &Actor::Operator, last.id).await.is_err(), "it is not dead any more");
}

#[tokio::test]
async fn a_job_that_kills_its_worker_each_time_is_given_up_too() {
    let world = World::new().await;
    let id = export(&world).await;
    for _ in 0..100 {
        claim(&world).await;
        world.advance(LEASE);
    }
    world.work(1);
    until("nobody tries it any more", || async { state(&world, &id).await == "failed" }).await;
    let dead = jobs::all(&world.app, &Actor::Operator, Some(State::Dead), 10).await.unwrap();
    assert_eq!((dead.len(), dead[0].attempts), (1, 101));
}

#[tokio::test]
async fn a_worker_whose_store_is_gone_fails_and_the_export_is_built_when_it_is_back() {
    let world = World::new().await;
    world.person("Ana", "a@x.org").await;
    // Puts a file in the place of the folder.
    let blobs = world.folder.path().join("blobs");
    std::fs::write(&blobs, "").unwrap();
    let id = export(&world).await;
    world.work(1);
    until("it has failed once", || async { count(&world, "jobs WHERE failures = 1").await == 1 }).await;
    assert_eq!(state(&world, &id).await, "in_progress", "it comes again, so it is not failed");
    std::fs::remove_file(&blobs).unwrap();
    world.advance(Duration::from_secs(60));
    until("the export is completed", || async { state(&world, &id).await == "completed" }).await;
}

#[tokio::test]
async fn a_stopped_worker_leaves_its_job_to_others_and_that_does_not_count() {
    let world = World::new().await;
    export(&world).await;
    let claimed = claim(&world).await;
    jobs::release(&world.app, &claimed).await.unwrap();
    let again = claim(&world).await;
    assert_eq!((again.id, again.attempts, again.failures), (claimed.id, 1, 0));
}

#[tokio::test]
async fn regular_work_is_written_down_once_for_all_and_comes_again_and_again() {
    let world = World::new().await;
    let every = Duration::from_secs(3_600);
    for _ in 0..3 {
        jobs::repeat(&world.app, Job::SweepBlobs, every).await.unwrap();
    }
    assert_eq!(count(&world, "jobs").await, 1);
    assert!(jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().is_none(), "not yet");
    for _ in 0..3 {
        world.advance(every);
        let claimed = claim(&world).await;
        assert_eq!((&claimed.job, claimed.attempts), (&Job::SweepBlobs, 1));
        jobs::repeat(&world.app, Job::SweepBlobs, every).await.unwrap();
        assert!(jobs::claim(&world.app, LEASE, Lane::SHARED).await.unwrap().is_none(), "one worker has it");
        jobs::finish(&world.app, &claimed).await.unwrap();
        assert_eq!(count(&world, "jobs").await, 1);
    }
    // Periodic jobs are never given up, however often they fail.
    for _ in 0..12 {
        world.advance(every);
        let claimed = claim(&world).await;
        assert!(matches!(
            jobs::fail(&world.app, &claimed, "gone").await.unwrap(),
            FailureOutcome::RetryIn(_)
        ));
    }
    // A shorter interval takes effect at once.
    jobs::repeat(&world.app, Job::SweepBlobs, Duration::from_secs(5)).await.unwrap();
    world.advance(Duration::from_secs(6));
    jobs::finish(&world.app, &claim(&world).await).await.unwrap();
    jobs::repeat(&world.app, Job::SweepBlobs, Duration::ZERO).await.unwrap();
    assert_eq!(count(&world, "jobs").await, 0, "it is not wanted any more");
}

#[tokio::test]
async fn of_jobs_that_say_the_same_one_waits_and_another_may_come_once_it_has_begun() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    // A stored report, and no workers.
    export(&world).await;
    execute(&world.app.db, "UPDATE exports SET state = 'completed'", Vec::new()).await;
    execute(&world.app.db, "DELETE FROM jobs", Vec::new()).await;
    for number in 0..3 {
        let path = format!("/v5/participants/p{number}@x.org");
        world.delete(&path, json!({ "name_page_id": world.page.slug })).await.expect(200);
    }
    assert_eq!(count(&world, "jobs WHERE kind = 'scrub_exports'").await, 1);
    world.advance(Duration::from_secs(10));
    let claimed = claim(&world).await;
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/p3@x.org", body).await.expect(200);
    assert_eq!(count(&world, "jobs WHERE kind = 'scrub_exports'").await, 2, "this one may have missed them");
    jobs::finish(&world.app, &claimed).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_who_is_deleted_while_a_report_is_built_is_not_in_it() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5).await;
    let id = export(&world).await;
    let claimed = claim(&world).await;
    let Job::BuildExport { institution, export: number, .. } = claimed.job else { panic!("{claimed:?}") };
    // The writer is called after the snapshot is taken: people are in the report from then on.
    let (app, token, base, page) =
        (world.app.clone(), world.token.clone(), world.base.clone(), world.page.slug.clone());
    let built = endonym::app::exports::build(&app, &claimed, institution, number, move |_, _| {
        let (base, token, page) = (base.clone(), token.clone(), page.clone());
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let client = reqwest::Client::builder().no_proxy().build().unwrap();
                let address = format!("{base}/api/private/v5/participants/p3@x.org");
                let request = client.delete(address).header("Authorization", token);
                let answer = request.json(&json!({ "name_page_id": page })).send().await.unwrap();
                assert_eq!(answer.status(), 200);
            });
        })
        .join()
        .unwrap();
        little_record()
    });
    built.await.unwrap();
    let report = async || {
        let request = world.request(reqwest::Method::GET, &format!("/v4/exports/{id}.ndjson"));
        let text = request.send().await.unwrap().text().await.unwrap();
        text.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert_eq!(report().await.len(), 4);
    assert!(report().await.iter().all(|record| !record.contains("P3")));
    world.work(1);
    until("nobody is waited for any more", || async { count(&world, "departures").await == 0 }).await;
    assert_eq!(report().await.len(), 4);
    until("that job is done", || async { count(&world, "jobs WHERE kind = 'scrub_exports'").await == 0 })
        .await;
}

/// A report that is being built while people are removed from others, and finished before that.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn whoever_takes_people_out_does_not_forget_those_of_a_report_that_was_not_there_yet() {
    let world = crate::v4::exports::world_of_small_parts().await;
    let small = world.page("Small").await;
    world.crowd(&small, 0..5).await;
    // Dozens of parts.
    crate::v4::exports::crowd(&world, 1_000).await;
    let large = export(&world).await;
    crate::v4::exports::work_once(&world).await;
    assert_eq!(state(&world, &large).await, "completed");

    let body = json!({ "export": { "name_page_id": small.slug } });
    let made = world.post("/v4/exports", body).await.expect(202);
    // Ignore periodic jobs, which become due now and then.
    let claimed = loop {
        let claimed = claim(&world).await;
        if !matches!(claimed.job, Job::SyncDueCourses) {
            break claimed;
        }
    };
    let Job::BuildExport { institution, export: number, .. } = claimed.job else { panic!("{claimed:?}") };
    let (app, handle) = (world.app.clone(), tokio::runtime::Handle::current());
    let parts = "SELECT hex FROM export_parts ORDER BY number";
    let hexes =
        async |app: &endonym::app::App| app.db.read().rows(parts, &[], |row| row.text(0)).await.unwrap();
    let (inner, slug, base, token) =
        (app.clone(), small.slug.clone(), world.base.clone(), world.token.clone());
    let writer = move |_, _| -> endonym::app::exports::Write {
        let (app, slug, base, token) = (inner.clone(), slug.clone(), base.clone(), token.clone());
        let handle = handle.clone();
        let meanwhile = async move {
            let client = reqwest::Client::builder().no_proxy().build().unwrap();
            let address = format!("{base}/api/private/v5/participants/p3@x.org");
            let request = client.delete(address).header("Authorization", token);
            let answer = request.json(&json!({ "name_page_id": slug })).send().await.unwrap();
            assert_eq!(answer.status(), 200);
            // Somebody in each part of the large report, so that it takes a while.
            let text = "INSERT INTO departures (institution_id, participant_id, token) \
                        SELECT institution_id, id, token FROM participants WHERE first_name LIKE 'P%5'";
            execute(&app.db, text, Vec::new()).await;
            let before = hexes(&app).await;
            tokio::spawn(async move { endonym::app::exports::scrub(&app, institution).await.unwrap() });
            before
        };
        let (outer, again) = (inner.clone(), handle.clone());
        std::thread::spawn(move || {
            let before = handle.block_on(meanwhile);
            again.block_on(until("it has begun", || async { hexes(&outer).await != before }));
        })
        .join()
        .unwrap();
        little_record()
    };
    endonym::app::exports::build(&app, &claimed, institution, number, writer).await.unwrap();
    let id = made["export"]["id"].as_str().unwrap();
    world.work(1);
    until("nobody is waited for any more", || async {
        world.advance(Duration::from_secs(3));
        count(&world, "departures").await == 0
    })
    .await;
    let request = world.request(reqwest::Method::GET, &format!("/v4/exports/{id}.ndjson"));
    let text = request.send().await.unwrap().text().await.unwrap();
    assert_eq!(text.lines().count(), 4, "{text}");
}

/// Concurrent exports and deletions: in the end no report contains a deleted person.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_deleted_while_many_reports_are_built_is_in_none_of_them() {
    let world = World::with(Setup { exports_waiting: 10, ..Setup::default() }).await;
    world.crowd(&world.page, 0..600).await;
    world.work(3);
    let (mut ids, mut gone) = (Vec::new(), BTreeSet::new());
    for round in 0..10 {
        ids.push(export(&world).await);
        for number in [0, 7, 14, 21].map(|number| round * 50 + number) {
            gone.insert(number);
            let path = format!("/v5/participants/p{number}@x.org");
            world.delete(&path, json!({ "name_page_id": world.page.slug })).await.expect(200);
        }
        // Two workers scrub concurrently, as often as possible.
        world.advance(Duration::from_secs(3));
    }
    for id in &ids {
        until("the export is completed", || async { state(&world, id).await == "completed" }).await;
    }
    until("nobody is waited for any more", || async {
        world.advance(Duration::from_secs(3));
        count(&world, "departures").await == 0
            && count(&world, "jobs WHERE kind = 'scrub_exports'").await == 0
    })
    .await;
    for id in &ids {
        let report = world.get(&format!("/v4/exports/{id}")).await.expect(200)["export"]["report"].clone();
        let report = report.as_array().unwrap();
        let number = |person: &Value| person["first_name"].as_str().unwrap()[1..].parse().unwrap();
        let left: Vec<u64> = report.iter().map(number).filter(|number| gone.contains(number)).collect();
        assert_eq!(left, [] as [u64; 0]);
        assert_eq!(report.len(), 560, "and nobody else");
    }
}

/// Its members can no longer sign in to try again.
#[tokio::test]
async fn a_deletion_of_an_institution_that_was_interrupted_is_completed() {
    let world = World::on_sqlite().await;
    world.person("Ana", "ana@x.org").await;
    let stop =
        "CREATE TRIGGER stop BEFORE DELETE ON institutions BEGIN SELECT RAISE(ABORT, 'interrupted'); END";
    execute(&world.app.db, stop, vec![]).await;
    let (app, slug) = (&world.app, &world.institution.slug);
    institutions::delete(app, &Actor::Operator, slug).await.unwrap_err();
    assert_eq!((count(&world, "members").await, count(&world, "institutions").await), (0, 1));
    execute(&world.app.db, "DROP TRIGGER stop", vec![]).await;
    world.work(1);
    world.advance(Duration::from_secs(10 * 60));
    until("the institution is deleted", || async { count(&world, "institutions").await == 0 }).await;
    until("the job is over", || async { count(&world, "jobs WHERE kind = 'delete_institution'").await == 0 })
        .await;
    // One that is not interrupted needs no job.
    let world = World::new().await;
    institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    assert_eq!(count(&world, "jobs").await, 0);
}
