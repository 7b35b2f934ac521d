//! Institutions take turns: however many jobs one of them has, another's is next, or the one after.

use std::{collections::BTreeSet, time::Duration};

use endonym::{
    app::jobs::{self, FailureOutcome},
    domain::{
        ids::{AttemptId, CourseId, ExportId, ImportId, InstitutionId, JobId, MessageId},
        job::{Claim, Job, Kind, Lane},
    },
    store::{self, Error, turns},
};

use super::{LEASE, count, take_all};
use crate::support::{
    World,
    database::{execute, series},
};

/// Enqueues jobs that are due now. They do not have to succeed.
async fn enqueue(world: &World, new: impl IntoIterator<Item = Job>) {
    enqueue_in(world, Duration::ZERO, new).await;
}

/// Enqueues jobs that are due after this time.
async fn enqueue_in(world: &World, time: Duration, new: impl IntoIterator<Item = Job>) {
    let (app, now) = (world.app.clone(), world.app.clock.now());
    let new: Vec<Job> = new.into_iter().collect();
    let enqueued = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            for job in new {
                let id: JobId = app.ids.id(now);
                store::jobs::insert(sql, id, &job, now.plus(time), now).await?;
            }
            Ok(())
        })
    });
    enqueued.await.unwrap();
    // The next ones are due later.
    world.advance(Duration::from_millis(1));
}

fn exports(institution: InstitutionId, count: i64) -> impl Iterator<Item = Job> {
    (0..count).map(move |number| Job::BuildExport {
        institution,
        export: ExportId::new(number),
        base_url: String::new(),
    })
}

fn page_mails(institution: InstitutionId, count: i64) -> impl Iterator<Item = Job> {
    (0..count).map(move |number| Job::SendBulkMail {
        institution: Some(institution),
        message: MessageId::new(number),
    })
}

async fn claim_in(world: &World, lanes: &[Lane]) -> Option<Claim> {
    jobs::claim(&world.app, LEASE, lanes).await.unwrap()
}

/// Whose the next jobs are.
async fn next(world: &World, lanes: &[Lane], count: usize) -> Vec<Option<InstitutionId>> {
    let mut whose = Vec::new();
    for _ in 0..count {
        whose.push(claim_in(world, lanes).await.expect("a job is due").job.institution());
    }
    whose
}

#[tokio::test]
async fn three_hundred_exports_of_one_institution_delay_another_by_one_job() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 300)).await;
    assert_eq!(next(&world, Lane::SHARED, 5).await, [Some(one); 5]);
    enqueue(&world, exports(two, 1)).await;
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(two), Some(one)], "nobody else waits");
    // Once it has been served, too.
    enqueue(&world, exports(two, 3)).await;
    let whose = next(&world, Lane::SHARED, 7).await;
    assert_eq!(whose, [two, one, two, one, two, one, one].map(Some));
}

#[tokio::test]
async fn jobs_of_one_institution_stay_in_their_order() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 1)).await;
    enqueue(&world, [Job::RunImport { institution: one, import: ImportId::new(1) }]).await;
    enqueue(&world, exports(two, 1)).await;
    enqueue(&world, [Job::ScrubExports { institution: one }]).await;
    let mut kinds = Vec::new();
    while let Some(claimed) = claim_in(&world, Lane::SHARED).await {
        kinds.push((claimed.job.institution().unwrap(), claimed.job.kind().name()));
    }
    let expected =
        [(one, "build_export"), (two, "build_export"), (one, "run_import"), (one, "scrub_exports")];
    assert_eq!(kinds, expected);
}

#[tokio::test]
async fn another_kind_of_job_and_another_lane_wait_no_longer() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 300)).await;
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(one); 2]);
    enqueue(&world, [Job::RunImport { institution: two, import: ImportId::new(1) }]).await;
    enqueue(&world, [Job::SyncCourse { institution: two, course: CourseId::new(1) }]).await;
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(claim_in(&world, Lane::SHARED).await.unwrap().job.kind().name());
    }
    // Lanes take turns, too: this one was not served yet.
    assert_eq!(kinds, ["sync_course", "run_import", "build_export"]);
    // Whoever is served all the time in one lane has not had their turn in another.
    enqueue(&world, exports(two, 1)).await;
    let takes = (0..20).map(|n| Job::FetchTake { institution: two, attempt: AttemptId::new(n) });
    enqueue(&world, takes).await;
    assert_eq!(next(&world, &[Lane::Interactive], 20).await, [Some(two); 20]);
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(two), Some(one)]);
}

#[tokio::test]
async fn a_worker_takes_no_turn_in_lanes_that_it_does_not_serve() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 2)).await;
    enqueue(&world, page_mails(two, 2)).await;
    assert_eq!(next(&world, &[Lane::BulkMail], 2).await, [Some(two); 2]);
    assert!(claim_in(&world, &[Lane::BulkMail]).await.is_none());
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(one); 2]);
}

#[tokio::test]
async fn twenty_thousand_page_mails_of_one_institution_delay_another_by_one() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    let (series, n) = series(&world.app.db, "20000");
    let many = format!(
        "{series}INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
         SELECT i, {one}, 'send_bulk_mail', '{{\"kind\":\"send_bulk_mail\",\"institution\":{one},\"message\":' || i || '}}', \
         'waiting', i, 0, 0, 0 FROM {n}"
    );
    assert_eq!(execute(&world.app.db, many, vec![]).await, 20_000);
    assert_eq!(next(&world, &[Lane::BulkMail], 3).await, [Some(one); 3]);
    enqueue(&world, page_mails(two, 2)).await;
    let whose = next(&world, &[Lane::BulkMail], 4).await;
    assert_eq!(whose, [two, one, two, one].map(Some));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_at_once_delay_another_institution_by_one_job_each() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 300)).await;
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(one); 2]);
    for _ in 0..10 {
        enqueue(&world, exports(two, 1)).await;
        let claims: Vec<_> = (0..2)
            .map(|_| {
                let app = world.app.clone();
                tokio::spawn(async move { jobs::claim(&app, LEASE, Lane::SHARED).await.unwrap().unwrap() })
            })
            .collect();
        let (mut ids, mut whose) = (BTreeSet::new(), Vec::new());
        for claim in claims {
            let claimed = claim.await.unwrap();
            assert!(ids.insert(claimed.id), "each has another job");
            whose.extend(claimed.job.institution());
        }
        // Both may have looked before either of them took a turn.
        if !whose.contains(&two) {
            assert_eq!(next(&world, Lane::SHARED, 1).await, [Some(two)]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_workers_of_many_institutions_take_each_job_once() {
    let world = World::new().await;
    let mut all = vec![world.institution.id];
    for name in ["Second", "Third", "Fourth"] {
        all.push(world.neighbor_named(name).await.institution.id);
    }
    for institution in &all {
        enqueue(&world, exports(*institution, 30)).await;
    }
    take_all(&world, 120).await;
}

#[tokio::test]
async fn a_job_that_is_retried_is_next_when_its_time_has_come() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 300)).await;
    enqueue(&world, exports(two, 1)).await;
    assert_eq!(next(&world, Lane::SHARED, 1).await, [Some(one)]);
    let claimed = claim_in(&world, Lane::SHARED).await.unwrap();
    assert_eq!(claimed.job.institution(), Some(two));
    let FailureOutcome::RetryIn(pause) = jobs::fail(&world.app, &claimed, "not now").await.unwrap() else {
        panic!("it has failed for the first time");
    };
    assert_eq!(next(&world, Lane::SHARED, 3).await, [Some(one); 3], "not before it is due");
    world.advance(pause);
    let again = claim_in(&world, Lane::SHARED).await.unwrap();
    assert_eq!((again.id, again.failures), (claimed.id, 1));
    assert_eq!(next(&world, Lane::SHARED, 1).await, [Some(one)]);
}

#[tokio::test]
async fn jobs_of_no_institution_have_a_turn_of_their_own() {
    let world = World::new().await;
    let one = world.institution.id;
    let takes = (0..100).map(|n| Job::FetchTake { institution: one, attempt: AttemptId::new(n) });
    enqueue(&world, takes).await;
    assert_eq!(next(&world, Lane::SHARED, 2).await, [Some(one); 2]);
    enqueue(&world, (0..100).map(|n| Job::hang_up(format!("CA{n}")))).await;
    assert_eq!(next(&world, Lane::SHARED, 4).await, [None, Some(one), None, Some(one)]);
    // A periodic job, as well.
    jobs::repeat(&world.app, Job::SweepBlobs, Duration::from_secs(1)).await.unwrap();
    world.advance(Duration::from_secs(1));
    assert_eq!(claim_in(&world, Lane::SHARED).await.unwrap().job, Job::SweepBlobs);
}

#[tokio::test]
async fn every_lane_has_a_cursor() {
    let world = World::new().await;
    let text = "SELECT lane FROM turns";
    let found = world.app.db.read().rows(text, &[], |row| row.text(0)).await.unwrap();
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let lanes = Kind::ALL.iter().map(|kind| jobs::policy(*kind).lane.name());
    let lanes: BTreeSet<&str> = lanes.chain([turns::CALLS]).collect();
    assert_eq!(found, lanes);
}

const EXPORTS: &[(Kind, Lane)] = &[(Kind::BuildExport, Lane::Background)];

#[tokio::test]
async fn a_worker_that_is_late_does_not_move_the_cursor_back() {
    let world = World::new().await;
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 5)).await;
    enqueue(&world, exports(two, 5)).await;
    let seen = turns::waiting(&mut world.app.db.read(), EXPORTS, world.app.clock.now()).await.unwrap()[0];
    assert_eq!(seen.institution, one);
    assert_eq!(next(&world, Lane::SHARED, 2).await, [one, two].map(Some));
    let late = world.app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { turns::take(sql, seen.lane.name(), seen.turn, seen.institution).await })
    });
    late.await.unwrap();
    assert_eq!(next(&world, Lane::SHARED, 2).await, [one, two].map(Some));
}

#[tokio::test]
async fn as_few_are_looked_at_among_thousands_of_institutions_as_among_ten() {
    let world = World::new().await;
    let (series, n) = series(&world.app.db, "2000");
    let many = format!(
        "{series}INSERT INTO jobs (id, institution_id, kind, payload, state, run_at, attempts, failures, created_at) \
         SELECT i + 1, i + 1, 'build_export', '{{}}', 'waiting', i + 1, 0, 0, 0 FROM {n}"
    );
    assert_eq!(execute(&world.app.db, many, vec![]).await, 2_000);
    execute(&world.app.db, "UPDATE turns SET institution_id = 1000", vec![]).await;
    let found = turns::waiting(&mut world.app.db.read(), EXPORTS, world.app.clock.now()).await.unwrap();
    let found: Vec<i64> = found.iter().map(|waiting| waiting.institution.get()).collect();
    assert!(found.starts_with(&[1_001, 1_002]), "{found:?}");
    assert!(found.len() < 20, "{found:?}");
    // After the last comes the first.
    execute(&world.app.db, "UPDATE turns SET institution_id = 2000", vec![]).await;
    let found = turns::waiting(&mut world.app.db.read(), EXPORTS, world.app.clock.now()).await.unwrap();
    assert_eq!(found[0].institution.get(), 1);
}

#[tokio::test]
async fn institutions_with_work_for_tomorrow_are_not_visited_today() {
    let world = World::new().await;
    let (one, day) = (world.institution.id, Duration::from_secs(86_400));
    // More than are woken at a time.
    let many = (1..=600).flat_map(|number| exports(InstitutionId::new(number), 1));
    enqueue_in(&world, day, many).await;
    enqueue(&world, exports(one, 3)).await;
    let visits =
        async || turns::visits(&mut world.app.db.read(), EXPORTS, world.app.clock.now()).await.unwrap();
    assert_eq!(visits().await, 1);
    assert_eq!(next(&world, Lane::SHARED, 1).await, [Some(one)]);
    assert_eq!(visits().await, 1);
    world.advance(day);
    // All of them have their turn now, and begin after the one that was served last.
    let whose = next(&world, &[Lane::Background], 3).await;
    assert_eq!(whose, [1, 2, 3].map(|number| Some(InstitutionId::new(number))));
    assert_eq!(count(&world, "jobs WHERE deferred = TRUE").await, 0);
}

#[tokio::test]
async fn a_deferred_job_that_is_enqueued_again_is_due_at_once() {
    let world = World::new().await;
    let scrub = || [Job::ScrubExports { institution: world.institution.id }];
    enqueue_in(&world, Duration::from_secs(3_600), scrub()).await;
    assert!(claim_in(&world, Lane::SHARED).await.is_none());
    enqueue(&world, scrub()).await;
    assert_eq!(claim_in(&world, Lane::SHARED).await.unwrap().job, scrub()[0]);
    assert_eq!(count(&world, "jobs").await, 1);
}

/// It has stopped between its last statement and the end of its transaction.
#[tokio::test]
async fn a_worker_that_hangs_while_it_claims_stops_nobody() {
    let world = World::new().await;
    // SQLite has one writer.
    let Some(url) = &world.database.options.url else { return };
    let (one, two) = (world.institution.id, world.neighbor().await.institution.id);
    enqueue(&world, exports(one, 1)).await;
    enqueue(&world, exports(two, 2)).await;
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let hang = format!(
        "BEGIN; UPDATE jobs SET attempts = attempts WHERE institution_id = {one}; UPDATE turns SET turn = turn"
    );
    client.batch_execute(&hang).await.unwrap();
    let claims = tokio::time::timeout(Duration::from_secs(5), next(&world, Lane::SHARED, 2));
    assert_eq!(claims.await.expect("nobody waits"), [Some(two); 2]);
    client.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(next(&world, Lane::SHARED, 1).await, [Some(one)]);
}
