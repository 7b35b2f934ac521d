//! Rate limits that nodes share (ADR 24), when their store crashes or hangs.

use std::sync::Arc;

use endonym::{
    app::{
        Clock,
        limiter::{Leases, Sharing},
    },
    store::{
        Db, Options, migrations, rate_limits,
        valkey::{DEADLINE, Valkey},
    },
};
use tokio::time::Instant;

use super::limits::{Nodes, RETRIED, is_accepted, policy, sign_ins, token};
use crate::support::{
    database::{TestDatabase, on_citus, on_postgres},
    postgres::PostgresServer,
    process::PATIENCE,
    until,
    valkey::ValkeyServer,
};

/// Lets time pass until a node has found its store again.
async fn is_back(nodes: &Nodes, node: u8) {
    until("the store is back", || async {
        nodes.clock.advance(RETRIED);
        is_accepted(&nodes.take(node.into(), sign_ins(node)).await)
    })
    .await;
}

#[tokio::test]
async fn when_postgresql_crashes_it_learns_from_the_nodes_what_was_used() {
    if !on_postgres() || on_citus() {
        return;
    }
    let (database, mut server) = (TestDatabase::on_sqlite().await, PostgresServer::start().await);
    let options = Options { url: Some(server.url.clone()), ..database.options.clone() };
    let mut all = Vec::new();
    for _ in 0..3 {
        let db = Db::open(&options).await.unwrap();
        migrations::migrate(&db).await.unwrap();
        all.push(Sharing { leases: Leases::Database(db), nodes: 3 });
    }
    let nodes = Nodes::new(policy(1_000), all);
    let (mut accepted, mut shown) = (0, [u32::MAX; 3]);
    let mut take = async |node: usize| {
        let quota = nodes.take(node, token(1)).await;
        assert!(quota.remaining <= shown[node], "it rises from {} to {}", shown[node], quota.remaining);
        shown[node] = quota.remaining;
        accepted += u32::from(is_accepted(&quota));
    };
    for request in 0..600 {
        take(request % 2).await;
    }
    server.crash();
    for request in 0..100 {
        take(request % 2).await;
    }
    server.restart().await;
    for node in 0..3 {
        is_back(&nodes, node).await;
    }
    // The third node has not seen this caller, so it begins a window.
    take(2).await;
    for request in 0..900 {
        take(request % 3).await;
    }
    // Each of the two may have missed leases of the other.
    assert!((960..=1_080).contains(&accepted), "{accepted}");
}

#[tokio::test]
async fn a_store_that_hangs_delays_few_requests_and_is_told_once_what_it_missed() {
    let server = ValkeyServer::start();
    let valkey = Valkey::new(&server.url(), DEADLINE).unwrap();
    let nodes = Nodes::new(policy(300), [Sharing { leases: Leases::Valkey(Arc::new(valkey)), nodes: 3 }]);
    // The first connection may take longer than the deadline on a busy machine.
    is_back(&nodes, 0).await;
    let mut accepted = nodes.take_in_turn(token(1), 1).await;

    server.freeze();
    let frozen = Instant::now();
    let alone = nodes.take_in_turn(token(1), 60).await;
    assert_eq!(alone, 60, "less than a third");
    accepted += alone;
    assert!(!is_accepted(&nodes.take(0, sign_ins(1)).await));
    assert!(frozen.elapsed() < PATIENCE / 2, "{:?}", frozen.elapsed());

    server.thaw();
    is_back(&nodes, 0).await;
    accepted += nodes.take_in_turn(token(1), 400).await;
    // Leases of six that were given out and not received are lost.
    assert!((240..=300).contains(&accepted), "{accepted}");
}

#[tokio::test]
async fn the_clocks_of_stores_can_be_read() {
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    let mut times = vec![Valkey::new(&server.url(), PATIENCE).unwrap().time().await.unwrap()];
    if on_postgres() {
        times.push(rate_limits::time(&database.db).await.unwrap());
    }
    let now = Clock::system().now().micros();
    assert!(times.iter().all(|time| (now - time).abs() < 60_000_000), "{times:?} at {now}");
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_costs_no_sign_in() {
    let mut server = ValkeyServer::start();
    let valkey = Valkey::new(&server.url(), PATIENCE).unwrap();
    let nodes = Nodes::new(policy(10), [Sharing { leases: Leases::Valkey(Arc::new(valkey)), nodes: 3 }]);
    for _ in 0..3 {
        assert!(is_accepted(&nodes.take(0, sign_ins(1)).await));
        server.kill();
        server.restart();
    }
    assert!(is_accepted(&nodes.take(0, sign_ins(1)).await));
}
