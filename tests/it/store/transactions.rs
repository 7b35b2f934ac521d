//! Transactions, whose statements PostgreSQL gets partly together: all of one is applied, or nothing, and none is left open.

use std::time::Duration;

use endonym::{
    domain::ids::{NamePageId, ParticipantId},
    store::{
        Db, Error, Result, Sql, Value,
        participants::{self, Registered, Vacancy},
        rolls,
    },
};

use super::groups::{Holder, are_grouped, until_someone_waits};
use crate::support::{
    World,
    database::{TestDatabase, on_postgres},
};

const INSERT: &str = "INSERT INTO codes (code, institution_id, name_page_id) VALUES ($1, $2, $3)";
const COUNT: &str = "SELECT COUNT(*) FROM codes";

fn row(code: &str) -> [Value<'_>; 3] {
    [code.into(), 1.into(), 1.into()]
}

async fn count(sql: &mut Sql) -> i64 {
    sql.one(COUNT, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// Connections of the pool with an open transaction.
async fn left_open(db: &Db) -> i64 {
    if !on_postgres() {
        return 0;
    }
    let text = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn deferred_writes_are_applied_in_order_and_later_statements_see_them() {
    let database = TestDatabase::new().await;
    let seen = database.db.write::<_, Error>(|sql| {
        Box::pin(async move {
            sql.defer(INSERT, &row("a")).await?;
            sql.defer("UPDATE codes SET code = $1 WHERE code = $2", &["b".into(), "a".into()]).await?;
            let seen = count(sql).await;
            sql.defer(INSERT, &row("c")).await?;
            let changed = sql.execute("UPDATE codes SET name_page_id = 2", &[]).await?;
            sql.defer(INSERT, &row("d")).await?;
            Ok((seen, changed))
        })
    });
    assert_eq!(seen.await.unwrap(), (1, 2));
    let text = "SELECT code FROM codes ORDER BY code";
    let codes = database.db.read().rows(text, &[], |row| row.text(0)).await.unwrap();
    assert_eq!(codes, ["b", "c", "d"]);
    assert_eq!(left_open(&database.db).await, 0);
}

#[tokio::test]
async fn if_a_deferred_write_fails_nothing_is_applied_and_the_caller_knows() {
    let database = TestDatabase::new().await;
    // More often than there are connections.
    for _ in 0..2 * database.options.connections {
        let failed = database.db.write::<(), Error>(|sql| {
            Box::pin(async move {
                sql.defer(INSERT, &row("a")).await?;
                sql.defer(INSERT, &row("a")).await?;
                sql.defer(INSERT, &row("b")).await
            })
        });
        assert!(matches!(failed.await, Err(Error::Conflict)));
        assert_eq!(count(&mut database.db.read()).await, 0);
    }
    assert_eq!(left_open(&database.db).await, 0);
}

/// PostgreSQL gets them together.
#[tokio::test]
async fn a_statement_sees_the_writes_deferred_before_it_and_fails_with_them() {
    let database = TestDatabase::new().await;
    for begins_with_a_read in [false, true] {
        let failed = database.db.write::<(), Error>(move |sql| {
            Box::pin(async move {
                if begins_with_a_read {
                    assert_eq!(count(sql).await, 0);
                }
                sql.defer(INSERT, &row("a")).await?;
                sql.defer(INSERT, &row("b")).await?;
                assert_eq!(count(sql).await, 2);
                sql.defer(INSERT, &row("c")).await?;
                assert_eq!(sql.execute(INSERT, &row("d")).await?, 1);
                assert_eq!(count(sql).await, 4);
                sql.defer(INSERT, &row("a")).await?;
                let read = sql.one("SELECT 1", &[], |row| row.int(0)).await;
                assert!(matches!(read, Err(Error::Conflict)), "{read:?}");
                sql.execute(INSERT, &row("e")).await.map(|_| ())
            })
        });
        assert!(failed.await.is_err());
        assert_eq!(count(&mut database.db.read()).await, 0);
    }
    assert_eq!(left_open(&database.db).await, 0);
}

/// COMMIT must not be sent without the write.
#[tokio::test]
async fn a_deferred_write_that_cannot_be_sent_is_not_left_out() {
    if !on_postgres() {
        return;
    }
    let database = TestDatabase::new().await;
    let failed = database.db.write::<(), Error>(|sql| {
        Box::pin(async move {
            sql.defer(INSERT, &row("a")).await?;
            // A number is no text.
            sql.defer(INSERT, &[7.into(), 1.into(), 1.into()]).await
        })
    });
    assert!(matches!(failed.await, Err(Error::Broken(_))));
    assert_eq!(count(&mut database.db.read()).await, 0);
}

#[tokio::test]
async fn a_transaction_that_begins_with_a_read_is_rolled_back_as_a_whole() {
    let database = TestDatabase::new().await;
    for _ in 0..2 * database.options.connections {
        let failed = database.db.write::<(), Error>(|sql| {
            Box::pin(async move {
                assert_eq!(count(sql).await, 0);
                sql.execute(INSERT, &row("a")).await?;
                sql.defer(INSERT, &row("b")).await?;
                Err(Error::Broken("on purpose".to_owned()))
            })
        });
        assert!(matches!(failed.await, Err(Error::Broken(why)) if why == "on purpose"));
        assert_eq!(count(&mut database.db.read()).await, 0);
    }
    assert_eq!(left_open(&database.db).await, 0);
}

#[tokio::test]
async fn a_read_that_fails_at_the_beginning_fails_the_transaction() {
    let database = TestDatabase::new().await;
    for _ in 0..2 * database.options.connections {
        let failed = database.db.write::<Option<i64>, Error>(|sql| {
            Box::pin(async move { sql.one("SELECT nothing FROM nowhere", &[], |row| row.int(0)).await })
        });
        assert!(failed.await.is_err());
    }
    assert_eq!(left_open(&database.db).await, 0);
    let written: Result<u64> =
        database.db.write(|sql| Box::pin(async move { sql.execute(INSERT, &row("a")).await })).await;
    assert_eq!(written.unwrap(), 1);
}

/// A transaction whose caller has gone goes on, and counts as a writer until it ends.
#[tokio::test]
async fn writes_whose_callers_have_gone_leave_connections_to_readers() {
    if !are_grouped() {
        return;
    }
    let world = World::new().await;
    let (db, institution) = (&world.app.db, world.institution.id);
    let holder = Holder::lock(&world, institution).await;
    let connections = world.database.options.connections;
    for _ in 0..2 * connections {
        let write =
            db.write::<(), Error>(move |sql| Box::pin(async move { rolls::lock(sql, institution).await }));
        let gone = tokio::time::timeout(Duration::from_millis(50), write).await;
        assert!(gone.is_err(), "somebody else has the lock");
    }
    until_someone_waits(db, 1).await;
    let text = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waiting = db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap();
    assert!(waiting.unsigned_abs() as usize <= connections / 2, "{waiting} of {connections}");
    holder.release().await;
    let written: Result<()> =
        db.write(move |sql| Box::pin(async move { rolls::lock(sql, institution).await })).await;
    written.unwrap();
}

#[tokio::test]
async fn a_transaction_may_have_no_statement_or_only_a_deferred_one() {
    let database = TestDatabase::new().await;
    let nothing: Result<i64> = database.db.write(|_| Box::pin(async move { Ok(7) })).await;
    assert_eq!(nothing.unwrap(), 7);
    let refused = database.db.write::<(), Error>(|_| Box::pin(async move { Err(Error::Conflict) }));
    assert!(matches!(refused.await, Err(Error::Conflict)));
    let deferred: Result<()> =
        database.db.write(|sql| Box::pin(async move { sql.defer(INSERT, &row("a")).await })).await;
    deferred.unwrap();
    assert_eq!(count(&mut database.db.read()).await, 1);
    assert_eq!(left_open(&database.db).await, 0);
}

#[tokio::test]
async fn a_page_has_a_place_for_whoever_comes_next() {
    let world = World::new().await;
    let (institution, page) = (world.institution.id, world.page.id);
    let sql = &mut world.app.db.read();
    let id = ParticipantId::new;
    let free = Vacancy { id: id(0), place: 0, registered: Registered::default() };
    let key = Some("ana@x.org");
    assert_eq!(participants::vacancy(sql, institution, page, key).await.unwrap(), Some(free));
    world.person("Ana", "ana@x.org").await;
    let taken = Registered { on_page: true, recorded: false };
    let vacancy = participants::vacancy(sql, institution, page, key).await.unwrap();
    assert_eq!(vacancy, Some(Vacancy { id: id(1), place: 1, registered: taken }));
    let vacancy = participants::vacancy(sql, institution, page, None).await.unwrap();
    assert_eq!(vacancy, Some(Vacancy { id: id(1), place: 1, ..free }));
    let other = world.page("Other").await;
    let vacancy = participants::vacancy(sql, institution, other.id, key).await.unwrap();
    assert_eq!(vacancy, Some(Vacancy { id: id(1), ..free }));
    let gone = NamePageId::new(12_345);
    assert_eq!(participants::vacancy(sql, institution, gone, key).await.unwrap(), None);
}
