//! Writes that wait at the same time share a commit: on PostgreSQL those of an institution (ADR 25), on SQLite all.

use std::{collections::BTreeSet, sync::mpsc, time::Duration};

use endonym::{
    domain::ids::InstitutionId,
    store::{Db, Error, Result, Sql, Value, rolls},
};
use futures_util::future::{join, join_all};
use reqwest::Method;
use serde_json::json;
use tokio_postgres::{Client, NoTls};

use crate::support::{
    Answer, Setup, World,
    database::{execute, on_citus, on_postgres},
    until,
};

const INSERT: &str = "INSERT INTO codes (code, institution_id, name_page_id) VALUES ($1, $2, $3)";

/// On Citus, and behind a connection pooler, each write is a transaction of its own.
pub fn are_grouped() -> bool {
    on_postgres() && !on_citus()
}

fn row(code: &str, institution: InstitutionId) -> [Value<'_>; 3] {
    [code.into(), institution.into(), 1.into()]
}

/// Somebody else who holds an institution's lock, so that writes have to wait.
pub struct Holder(Client);

impl Holder {
    pub async fn lock(world: &World, institution: InstitutionId) -> Self {
        let url = world.database.options.url.as_deref().expect("a PostgreSQL server");
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let lock = "UPDATE rolls SET writes = writes WHERE name_page_id = 0 AND institution_id =";
        client.batch_execute(&format!("BEGIN; {lock} {institution}")).await.unwrap();
        Self(client)
    }

    /// In its transaction.
    pub async fn execute(&self, text: &str) {
        self.0.batch_execute(text).await.unwrap();
    }

    pub async fn release(self) {
        self.0.batch_execute("COMMIT").await.unwrap();
    }

    /// When somebody waits. All writes that were requested before are in the queue by then.
    async fn release_later(self, db: &Db) {
        until_someone_waits(db, 1).await;
        self.release().await;
    }
}

pub async fn until_someone_waits(db: &Db, count: i64) {
    let text = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    until("a write waits for the lock", || async {
        db.read().one(text, &[], |row| row.int(0)).await.unwrap() >= Some(count)
    })
    .await;
}

/// A worker that could not renew its lease would lose its job to another one.
#[tokio::test]
async fn bookkeeping_does_not_wait_for_those_who_wait_for_an_institution() {
    if !on_postgres() {
        return;
    }
    let world = World::new().await;
    let db = &world.app.db;
    // Each institution has half of the writers, rounded down.
    let others = [world.neighbor_named("Second College").await, world.neighbor_named("Third College").await];
    let institutions = [world.institution.id, others[0].institution.id, others[1].institution.id];
    let holders = join_all(institutions.map(|institution| Holder::lock(&world, institution))).await;
    // More than there are connections.
    let many = 3 * world.database.options.connections;
    let waiting = join_all((0..many).map(|n| {
        let institution = institutions[n % institutions.len()];
        db.write::<_, Error>(move |sql| Box::pin(async move { rolls::lock(sql, institution).await }))
    }));
    let others = async {
        // With a connection left for a writer, bookkeeping would not have to wait for one either.
        until("all writers wait", || async { db.free_writers() == Some(0) }).await;
        until_someone_waits(db, 2).await;
        let noted = db.write_bookkeeping::<_, Error>(|sql| {
            Box::pin(async move { sql.execute("UPDATE turns SET turn = turn", &[]).await.map(|_| ()) })
        });
        let noted = tokio::time::timeout(Duration::from_secs(20), noted).await;
        noted.expect("it does not wait").unwrap();
        join_all(holders.into_iter().map(Holder::release)).await;
    };
    let (waited, ()) = join(waiting, others).await;
    assert!(waited.iter().all(Result::is_ok), "{waited:?}");
}

/// Those who wait for one institution leave connections to the others.
#[tokio::test]
async fn writes_of_other_institutions_do_not_wait_for_those_who_wait_for_one() {
    if !on_postgres() {
        return;
    }
    let world = World::new().await;
    let (db, here) = (&world.app.db, world.institution.id);
    let there = world.neighbor().await.institution.id;
    let holder = Holder::lock(&world, here).await;
    let lock = |institution| {
        db.write::<_, Error>(move |sql| Box::pin(async move { rolls::lock(sql, institution).await }))
    };
    // More than there are connections.
    let many = 3 * world.database.options.connections;
    let waiting = join_all((0..many).map(|_| lock(here)));
    let others = async {
        until_someone_waits(db, 1).await;
        // They would wait for as long as the lock is held.
        for _ in 0..10 {
            let written = tokio::time::timeout(Duration::from_secs(20), lock(there)).await;
            written.expect("it does not wait").unwrap();
        }
        holder.release().await;
    };
    let (waited, ()) = join(waiting, others).await;
    assert!(waited.iter().all(Result::is_ok), "{waited:?}");
    assert_eq!(left_open(db).await, 0);
}

async fn transaction(sql: &mut Sql) -> Result<i64> {
    Ok(sql.one("SELECT txid_current()", &[], |row| row.int(0)).await?.unwrap_or_default())
}

/// Adds a code under the institution's lock, and returns the transaction.
async fn add(db: &Db, institution: InstitutionId, code: String) -> Result<i64> {
    db.write_people(institution, move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            let transaction = transaction(sql).await?;
            sql.defer(INSERT, &row(&code, institution)).await?;
            Ok(transaction)
        })
    })
    .await
}

/// The codes that tests have added.
async fn codes(db: &Db) -> BTreeSet<String> {
    let text = "SELECT code FROM codes WHERE code LIKE 'code-%'";
    db.read().rows(text, &[], |row| row.text(0)).await.unwrap().into_iter().collect()
}

async fn left_open(db: &Db) -> i64 {
    let text = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn writes_that_wait_share_a_commit_and_those_of_other_institutions_do_not() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, here) = (&world.app.db, world.institution.id);
    let there = world.neighbor().await.institution.id;
    let (one, other) = (Holder::lock(&world, here).await, Holder::lock(&world, there).await);
    let institution = |n: usize| if n.is_multiple_of(2) { here } else { there };
    let writes = join_all((0..40).map(|n| add(db, institution(n), format!("code-{n}"))));
    let released = async {
        until_someone_waits(db, 2).await;
        join(one.release(), other.release()).await;
    };
    let (written, ()) = join(writes, released).await;
    let of = |remainder: usize| -> BTreeSet<i64> {
        let its = written.iter().enumerate().filter(|(n, _)| n % 2 == remainder);
        its.map(|(_, transaction)| *transaction.as_ref().unwrap()).collect()
    };
    let (here, there) = (of(0), of(1));
    assert!(here.len() < 20 && there.len() < 20, "{here:?} {there:?}");
    assert!(here.is_disjoint(&there), "{here:?} {there:?}");
    assert_eq!(codes(db).await.len(), 40);
    assert_eq!(left_open(db).await, 0);
}

#[tokio::test]
async fn a_lone_write_is_committed_at_once() {
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let refused = db.write_people::<(), Error>(institution, move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            sql.defer(INSERT, &row("code-1", institution)).await?;
            Err(Error::Conflict)
        })
    });
    assert!(matches!(refused.await, Err(Error::Conflict)));
    let written: Result<()> = db
        .write_people(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                sql.defer(INSERT, &row("code-2", institution)).await
            })
        })
        .await;
    written.unwrap();
    assert_eq!(codes(db).await, BTreeSet::from(["code-2".to_owned()]));
}

/// What happens to a write.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Succeeds,
    DoesNothing,
    Fails,
    Panics,
    /// A deferred write fails, after the job has ended.
    FailsLater,
    IgnoresAnError,
}

use Fate::{DoesNothing, Fails, FailsLater, IgnoresAnError, Panics, Succeeds};

impl Fate {
    /// Is this what the caller of such a write gets?
    fn fits(self, outcome: &Result<()>) -> bool {
        match self {
            Succeeds | DoesNothing => outcome.is_ok(),
            Fails => matches!(outcome, Err(Error::Broken(why)) if why == "on purpose"),
            Panics => matches!(outcome, Err(Error::Broken(why)) if why.contains("panicked")),
            FailsLater => matches!(outcome, Err(Error::Conflict)),
            IgnoresAnError => matches!(outcome, Err(Error::Broken(_))),
        }
    }
}

async fn meet(db: &Db, institution: InstitutionId, fate: Fate, code: String) -> Result<()> {
    db.write_people(institution, move |sql| {
        Box::pin(async move {
            if fate == DoesNothing {
                return Ok(());
            }
            rolls::lock(sql, institution).await?;
            sql.execute(INSERT, &row(&code, institution)).await?;
            match fate {
                Succeeds | DoesNothing => {}
                Fails => return Err(Error::Broken("on purpose".to_owned())),
                Panics => panic!("on purpose"),
                FailsLater => sql.defer(INSERT, &row("taken", institution)).await?,
                IgnoresAnError => {
                    assert!(sql.execute(INSERT, &row("taken", institution)).await.is_err());
                }
            }
            Ok(())
        })
    })
    .await
}

#[tokio::test]
async fn a_write_that_fails_does_not_disturb_the_others() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let taken = vec!["taken".into(), institution.into(), Value::Int(1)];
    execute(db, INSERT, taken).await;
    let rounds = [Succeeds, DoesNothing, Fails, Panics, FailsLater, IgnoresAnError];
    for first in rounds {
        for last in rounds {
            let fates = [
                first,
                Succeeds,
                Fails,
                Succeeds,
                FailsLater,
                FailsLater,
                Succeeds,
                Panics,
                DoesNothing,
                Succeeds,
                IgnoresAnError,
                last,
            ];
            let holder = Holder::lock(&world, institution).await;
            let code = |n: usize| format!("code-{first:?}-{last:?}-{n}");
            let writes =
                join_all(fates.iter().enumerate().map(|(n, fate)| meet(db, institution, *fate, code(n))));
            let (outcomes, ()) = join(writes, holder.release_later(db)).await;
            let found = codes(db).await;
            for (n, (fate, outcome)) in fates.iter().zip(outcomes).enumerate() {
                assert!(fate.fits(&outcome), "{first:?}, {last:?}, {n}: {fate:?} became {outcome:?}");
                assert_eq!(found.contains(&code(n)), *fate == Succeeds, "{first:?}, {last:?}, {n}: {fate:?}");
            }
        }
    }
    assert_eq!(left_open(db).await, 0);
}

/// The first write of a transaction is rolled back with it, and the others to a savepoint.
#[tokio::test]
async fn on_sqlite_a_write_that_fails_does_not_disturb_the_others() {
    let world = World::with(Setup { sqlite: true, ..Setup::default() }).await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let taken = vec!["taken".into(), institution.into(), Value::Int(1)];
    execute(db, INSERT, taken).await;
    for first in [Succeeds, DoesNothing, Fails, Panics, FailsLater] {
        let fates = [first, Succeeds, Fails, FailsLater, Panics, DoesNothing, Succeeds];
        let code = |n: usize| format!("code-{first:?}-{n}");
        // It holds the writer until the others wait. Then it fails, and the next one is the first of a transaction.
        let (release, released) = mpsc::channel();
        let holder = db.write::<(), Error>(move |_| {
            Box::pin(async move {
                released.recv().unwrap();
                Err(Error::Conflict)
            })
        });
        let writes =
            join_all(fates.iter().enumerate().map(|(n, fate)| meet(db, institution, *fate, code(n))));
        let release = async { release.send(()).unwrap() };
        let (held, (outcomes, ())) = join(holder, join(writes, release)).await;
        assert!(matches!(held, Err(Error::Conflict)), "{held:?}");
        let found = codes(db).await;
        for (n, (fate, outcome)) in fates.iter().zip(outcomes).enumerate() {
            assert!(fate.fits(&outcome), "{first:?}, {n}: {fate:?} became {outcome:?}");
            assert_eq!(found.contains(&code(n)), *fate == Succeeds, "{first:?}, {n}: {fate:?}");
        }
    }
}

#[tokio::test]
async fn a_caller_who_goes_away_holds_up_nobody() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let holder = Holder::lock(&world, institution).await;
    let spawned = |code: &str| {
        let (db, code) = (db.clone(), code.to_owned());
        tokio::spawn(async move { add(&db, institution, code).await })
    };
    let begun = spawned("code-begun");
    until_someone_waits(db, 1).await;
    let (stays, goes) = (spawned("code-stays"), spawned("code-goes"));
    // Both are in the queue.
    until_someone_waits(db, 1).await;
    begun.abort();
    goes.abort();
    assert!(begun.await.unwrap_err().is_cancelled() && goes.await.unwrap_err().is_cancelled());
    holder.release().await;
    stays.await.unwrap().unwrap();
    add(db, institution, "code-later".to_owned()).await.unwrap();
    let expected = ["code-begun", "code-later", "code-stays"].map(str::to_owned);
    assert_eq!(codes(db).await, BTreeSet::from(expected), "what has begun is completed");
}

/// More writes than have a place wait two seconds for one, as for a connection, and are refused then.
#[tokio::test]
async fn the_writes_of_an_institution_that_wait_are_limited() {
    const PLACES: usize = 512;
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let holder = Holder::lock(&world, institution).await;
    let writes = (0..PLACES + 40).map(|n| {
        let db = db.clone();
        tokio::spawn(async move { add(&db, institution, format!("code-{n}")).await })
    });
    let writes: Vec<_> = writes.collect();
    until("the last ones are refused", || async {
        writes.iter().filter(|write| write.is_finished()).count() >= 39
    })
    .await;
    // Others have their own queue.
    let there = world.neighbor().await.institution.id;
    add(db, there, "code-there".to_owned()).await.unwrap();
    holder.release().await;
    let mut refused = 0;
    for write in writes {
        match write.await.unwrap() {
            Ok(_) => {}
            Err(Error::Unavailable(why)) if why.contains("too many writes") => refused += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    // One of them is not in the queue any more: it waits for the lock.
    assert_eq!(refused, 39);
    assert_eq!(codes(db).await.len(), PLACES + 1 + 1);
}

#[tokio::test]
async fn if_the_connection_breaks_nothing_is_acknowledged_that_is_lost() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let holder = Holder::lock(&world, institution).await;
    let write = |n: usize| async move {
        let code = format!("code-{n}");
        if n != 5 {
            return add(db, institution, code).await.map(|_| ());
        }
        db.write_people(institution, move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                sql.execute(INSERT, &row(&code, institution)).await?;
                sql.one("SELECT 1 FROM pg_sleep(600)", &[], |_| Ok(())).await.map(|_| ())
            })
        })
        .await
    };
    let writes = join_all((0..10).map(write));
    let broken = async {
        holder.release_later(db).await;
        let text = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity \
                    WHERE datname = current_database() AND wait_event = 'PgSleep'";
        until("its connection is terminated", || async {
            db.read().one(text, &[], |row| row.int(0)).await.unwrap() == Some(1)
        })
        .await;
    };
    let (outcomes, ()) = join(writes, broken).await;
    let found = codes(db).await;
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.is_ok(), found.contains(&format!("code-{n}")), "{n}: {outcome:?}");
        assert!(matches!(outcome, Ok(()) | Err(Error::Unavailable(_))), "{n}: {outcome:?}");
    }
    assert!(outcomes[5].is_err() && outcomes[6..].iter().all(Result::is_ok), "{outcomes:?}");
}

#[tokio::test]
async fn creates_at_once_share_commits_and_are_numbered_without_gaps() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    // The transaction that has inserted a row; `xmin` is that of its savepoint.
    execute(db, "ALTER TABLE participants ADD COLUMN txid BIGINT DEFAULT txid_current()", vec![]).await;
    let holder = Holder::lock(&world, institution).await;
    // One email comes four times.
    let create = |n: usize| {
        let person = json!({ "first_name": "Ana", "email": format!("p{}@x.org", n.min(26)) });
        world.post("/v5/participants", json!({ "name_page_id": world.page.slug, "participant": person }))
    };
    let (answers, ()) = join(join_all((0..30).map(create)), holder.release_later(db)).await;
    let (created, refused): (Vec<Answer>, Vec<Answer>) =
        answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!((created.len(), refused.len()), (27, 3));
    for answer in refused {
        assert_eq!(answer.expect(422)["errors"], json!({ "email": ["has already been taken"] }));
    }
    let text = "SELECT id, page_place FROM participants ORDER BY id";
    let places = db.read().rows(text, &[], |row| Ok((row.int(0)?, row.int(1)?))).await.unwrap();
    assert_eq!(places, (0..27).map(|n| (n, n)).collect::<Vec<_>>());
    for page in [rolls::INSTITUTION, world.page.id] {
        let extent = rolls::extent(&mut db.read(), institution, page).await.unwrap();
        assert_eq!((extent.next_place, extent.members), (27, 27));
    }
    let text = "SELECT COUNT(DISTINCT txid) FROM participants";
    let transactions = db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap();
    assert!(transactions < 27, "{transactions}");
}

/// Whoever finds the key of another write in the same group is answered when that write is durable.
#[tokio::test]
async fn a_key_that_is_used_in_the_same_group_is_found_again() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let db = &world.app.db;
    let holder = Holder::lock(&world, world.institution.id).await;
    let create = |n: usize| {
        let key = if n.is_multiple_of(2) { "same".to_owned() } else { format!("key-{n}") };
        let email = format!("{key}@x.org");
        let person = json!({ "first_name": "Ana", "email": email });
        let request = world.request(Method::POST, "/v5/participants").header("Idempotency-Key", key);
        Answer::of(request.json(&json!({ "name_page_id": world.page.slug, "participant": person })))
    };
    let (answers, ()) = join(join_all((0..24).map(create)), holder.release_later(db)).await;
    let replayed = answers.iter().filter(|answer| !answer.header("idempotency-replayed").is_empty()).count();
    assert_eq!(replayed, 11);
    for answer in answers {
        answer.expect(201);
    }
    let count = db.read().one("SELECT COUNT(*) FROM participants", &[], |row| row.int(0)).await.unwrap();
    assert_eq!(count, Some(13));
}
