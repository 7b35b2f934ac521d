//! PostgreSQL: the connections of a thread that serves requests. The runtime of a test is such a thread.

use std::time::Duration;

use endonym::store::{Db, Result};

use crate::support::{
    database::{TestDatabase, on_postgres},
    process::PATIENCE,
};

const SLOW: &str = "SELECT CAST(1 AS BIGINT) FROM pg_sleep(600)";
const QUICK: &str = "SELECT CAST(2 AS BIGINT)";

async fn read(db: &Db, text: &str) -> Result<Option<i64>> {
    db.read().one(text, &[], |row| row.int(0)).await
}

#[tokio::test]
async fn while_slow_statements_hold_them_all_the_shared_ones_are_used() {
    if !on_postgres() {
        return;
    }
    let database = TestDatabase::new().await;
    let db = &database.db;
    tokio::select! {
        _ = futures_util::future::join(read(db, SLOW), read(db, SLOW)) => panic!("slow reads are slow"),
        quick = async {
            // The others have begun.
            tokio::time::sleep(Duration::from_millis(50)).await;
            read(db, QUICK).await
        } => assert_eq!(quick.unwrap(), Some(2)),
    }
}

#[tokio::test]
async fn a_statement_whose_reader_has_gone_delays_no_other() {
    if !on_postgres() {
        return;
    }
    let database = TestDatabase::new().await;
    for _ in 0..database.options.connections {
        let gone = tokio::time::timeout(Duration::from_millis(50), read(&database.db, SLOW)).await;
        assert!(gone.is_err(), "slow reads are slow");
        let quick = tokio::time::timeout(PATIENCE / 4, read(&database.db, QUICK)).await;
        assert_eq!(quick.expect("nobody waits for the slow one").unwrap(), Some(2));
    }
}
