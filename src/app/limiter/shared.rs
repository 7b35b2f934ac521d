//! Counters that all nodes share, in PostgreSQL or Valkey. A node leases permits and spends them from its memory, so most requests do
//! not touch the store.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{LimitKey, circuit::Circuit, local::SHARDS};
use crate::{
    clock::Clock,
    domain::rate_limit::{Claim, Grant, Policy, Quota, Share, Spending},
    store::{Db, rate_limits, valkey::Valkey},
    telemetry::metrics,
};

/// Where the counters are.
pub enum Store {
    Database(Db),
    Valkey(Arc<Valkey>),
}

impl Store {
    async fn claim(&self, key: LimitKey, claim: &Claim) -> Result<Grant, String> {
        let digest = key.digest();
        match self {
            Self::Database(db) => {
                rate_limits::claim(&mut db.read(), &digest, claim).await.map_err(|error| error.to_string())
            }
            Self::Valkey(valkey) => valkey.claim(&digest, claim).await,
        }
    }
}

struct Entry {
    share: Share,
    /// Held while the store is asked, so that concurrent requests of one caller do not lease more than they need.
    turn: Option<Arc<tokio::sync::Mutex<()>>>,
}

pub struct Shared {
    store: Store,
    /// Between how many nodes the ceiling is divided while the store is away.
    nodes: u32,
    clock: Clock,
    circuit: Circuit,
    shards: [Mutex<HashMap<LimitKey, Entry>>; SHARDS],
    hasher: RandomState,
    /// Converts the time of the monotonic clock to microseconds.
    micros: super::Micros,
}

/// Batches of expired rows that are deleted at a time.
const MAX_BATCHES: usize = 20;

impl Shared {
    pub fn new(store: Store, nodes: u32, clock: Clock, micros: super::Micros) -> Self {
        let (circuit, shards, hasher) = (Circuit::default(), Default::default(), RandomState::new());
        Self { store, nodes, clock, circuit, shards, hasher, micros }
    }

    /// Decides about a request.
    pub async fn decide(&self, key: LimitKey, policy: Policy, now: i64, spending: Spending) -> Quota {
        let turn = {
            let mut entries = self.shard(key);
            let entry = entry(&mut entries, key, policy, now);
            match entry.share.spend(policy, now, spending) {
                Some(quota) => return quota,
                None => entry.turn.get_or_insert_default().clone(),
            }
        };
        // Boxed, because every request moves this future, and few ask.
        Box::pin(self.ask(key, policy, spending, &turn)).await
    }

    /// Counts an admitted attempt that has failed. The store learns of it with the lease, or when it is asked next.
    pub fn count(&self, key: LimitKey, policy: Policy, now: i64) -> Quota {
        entry(&mut self.shard(key), key, policy, now).share.count(policy, now)
    }

    /// Has this key reached the ceiling, as far as this node knows?
    pub fn is_past(&self, key: LimitKey, ceiling: u32, now: i64) -> bool {
        self.shard(key).get(&key).is_some_and(|entry| entry.share.is_past(ceiling, now))
    }

    async fn ask(
        &self,
        key: LimitKey,
        policy: Policy,
        spending: Spending,
        turn: &tokio::sync::Mutex<()>,
    ) -> Quota {
        if self.circuit.open_until(self.now()).is_some() {
            return self.decide_without_store(key, policy, spending);
        }
        let _turn = turn.lock().await;
        let (now, wall) = (self.now(), self.clock.now().micros());
        let claim = {
            let mut entries = self.shard(key);
            let share = &mut entry(&mut entries, key, policy, now).share;
            // The request before this one may have brought a lease.
            if let Some(quota) = share.spend(policy, now, spending) {
                return quota;
            }
            let most = if key.is_exact() { 1 } else { policy.largest_lease() };
            share.claim(policy, now, wall, most)
        };
        if !self.circuit.admits(now) {
            return self.decide_without_store(key, policy, spending);
        }
        match self.store.claim(key, &claim).await {
            Ok(grant) => {
                if self.circuit.close() {
                    tracing::info!("the store of rate limits answers again");
                }
                metrics::rate_limit_lease(if grant.permits > 0 { "granted" } else { "refused" });
                entry(&mut self.shard(key), key, policy, now).share.settle(now, &claim, &grant, spending)
            }
            Err(error) => {
                metrics::rate_limit_lease("failed");
                if self.circuit.open(self.now()) {
                    tracing::warn!(
                        %error,
                        "the store of rate limits does not answer: API requests go on with this node's part of the limit, and \
                         sign-ins, reports and the like are refused"
                    );
                }
                self.decide_without_store(key, policy, spending)
            }
        }
    }

    /// Limits that protect secrets and mailboxes fail closed. API limits go on with this node's part.
    fn decide_without_store(&self, key: LimitKey, policy: Policy, spending: Spending) -> Quota {
        let now = self.now();
        let mut entries = self.shard(key);
        let share = &mut entry(&mut entries, key, policy, now).share;
        let quota = if key.is_exact() {
            let until = self.circuit.open_until(now).unwrap_or(now);
            share.refuse(policy, now, until - now)
        } else {
            share.without_store(policy, now, self.nodes, spending)
        };
        metrics::rate_limit_without_store(if quota.retry_after.is_none() { "accepted" } else { "refused" });
        quota
    }

    fn now(&self) -> i64 {
        self.micros.of(self.clock.instant())
    }

    fn shard(&self, key: LimitKey) -> MutexGuard<'_, HashMap<LimitKey, Entry>> {
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops shares and rows whose windows have ended.
    pub async fn remove_expired(&self, now: i64) {
        for shard in &self.shards {
            let mut entries = shard.lock().unwrap_or_else(PoisonError::into_inner);
            entries.retain(|_, entry| !entry.share.is_over(now));
        }
        // Valkey deletes its keys itself.
        let Store::Database(db) = &self.store else { return };
        for _ in 0..MAX_BATCHES {
            match rate_limits::delete_expired(db, self.clock.now()).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot delete expired rate limits");
                    return;
                }
            }
        }
    }
}

fn entry(entries: &mut HashMap<LimitKey, Entry>, key: LimitKey, policy: Policy, now: i64) -> &mut Entry {
    entries.entry(key).or_insert_with(|| Entry { share: Share::new(policy, now), turn: None })
}
