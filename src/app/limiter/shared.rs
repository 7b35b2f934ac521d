//! Counters that all nodes share, in PostgreSQL or Valkey. A node leases permits and spends them from its memory, so most requests do
//! not touch the store.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::time::timeout;

use super::{LimitKey, local::SHARDS};
use crate::{
    clock::Clock,
    domain::{
        circuit::{Circuit, Outcome, Permit, Rules, State},
        rate_limit::{Claim, Grant, Policy, Quota, Share, Spending},
    },
    store::{
        Db,
        rate_limits::{self, Failure},
        valkey::Valkey,
    },
    tasks,
    telemetry::metrics,
};

/// Where the counters are.
pub enum Store {
    Database(Db),
    Valkey(Arc<Valkey>),
}

impl Store {
    async fn claim(&self, key: LimitKey, claim: &Claim) -> Result<Grant, Failure> {
        let digest = key.digest();
        match self {
            Self::Database(db) => {
                let mut sql = db.read();
                match timeout(DEADLINE, rate_limits::claim(&mut sql, &digest, claim)).await {
                    Ok(answer) => {
                        answer.map_err(|error| Failure { why: error.to_string(), is_unanswered: false })
                    }
                    Err(_) => Err(Failure::unanswered()),
                }
            }
            Self::Valkey(valkey) => valkey.claim(&digest, claim).await,
        }
    }

    /// The time by its clock, in microseconds.
    async fn time(&self) -> Result<i64, String> {
        match self {
            Self::Database(db) => rate_limits::time(db).await.map_err(|error| error.to_string()),
            Self::Valkey(valkey) => valkey.time().await,
        }
    }
}

/// How long PostgreSQL may take for a claim, as long as requests wait for a connection. Valkey has its own deadline.
const DEADLINE: Duration = Duration::from_secs(2);
/// How long a request waits for others of the same caller, which ask before it.
const LONGEST_TURN: Duration = Duration::from_secs(2);
/// After a failure, one request at a time tries the store again: one that hangs delays one request, and not all.
const RULES: Rules = Rules {
    failures: 1,
    timeouts: 1,
    pause: Duration::from_millis(250),
    longest_pause: Duration::from_secs(5),
    longest_probe: Duration::from_secs(5),
};
/// By how much the clocks of nodes may differ, in microseconds.
const LARGEST_DIFFERENCE: i64 = 1_000_000;

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
    circuit: Mutex<Circuit>,
    shards: [Mutex<HashMap<LimitKey, Entry>>; SHARDS],
    hasher: RandomState,
    /// Converts the time of the monotonic clock to microseconds.
    micros: super::Micros,
    /// The clocks of the store and of this node differ.
    is_clock_wrong: AtomicBool,
}

/// Batches of expired rows that are deleted at a time.
const MAX_BATCHES: usize = 20;

impl Shared {
    pub fn new(store: Store, nodes: u32, clock: Clock, micros: super::Micros) -> Self {
        let circuit = Mutex::new(Circuit::new(RULES));
        let (shards, hasher) = (Default::default(), RandomState::new());
        let is_clock_wrong = AtomicBool::new(false);
        Self { store, nodes, clock, circuit, shards, hasher, micros, is_clock_wrong }
    }

    /// Decides about a request.
    pub async fn decide(
        self: &Arc<Self>,
        key: LimitKey,
        policy: Policy,
        now: i64,
        spending: Spending,
    ) -> Quota {
        let turn = {
            let mut entries = self.shard(key);
            let entry = entry(&mut entries, key, policy, now);
            match entry.share.spend(policy, now, spending) {
                Some(quota) => return quota,
                None => entry.turn.get_or_insert_default().clone(),
            }
        };
        // Boxed, because every request moves this future, and few ask.
        Box::pin(self.ask(key, policy, spending, turn)).await
    }

    /// Counts an admitted attempt that has failed. The store learns of it with the lease, or when it is asked next.
    pub fn count(&self, key: LimitKey, policy: Policy, now: i64) -> Quota {
        entry(&mut self.shard(key), key, policy, now).share.count(policy, now)
    }

    /// Has this key reached the ceiling, as far as this node knows? What would be refused without the store has.
    pub fn is_past(&self, key: LimitKey, ceiling: u32, now: i64) -> bool {
        if key.is_fail_closed() && self.circuit().open_until(now).is_some() {
            return true;
        }
        self.shard(key).get(&key).is_some_and(|entry| entry.share.is_past(ceiling, now))
    }

    async fn ask(
        self: &Arc<Self>,
        key: LimitKey,
        policy: Policy,
        spending: Spending,
        turn: Arc<tokio::sync::Mutex<()>>,
    ) -> Quota {
        if self.circuit().open_until(self.now()).is_some() {
            return self.decide_without_store(key, policy, spending);
        }
        let Ok(turn) = timeout(LONGEST_TURN, turn.lock_owned()).await else {
            return self.decide_without_store(key, policy, spending);
        };
        // A task: if the client goes away, what it has leased remains for the next one.
        let shared = self.clone();
        let asked = tasks::spawn(async move {
            let _turn = turn;
            shared.claim(key, policy, spending).await
        });
        // It fails if the runtime is shutting down.
        asked.await.unwrap_or_else(|_| self.decide_without_store(key, policy, spending))
    }

    async fn claim(&self, key: LimitKey, policy: Policy, spending: Spending) -> Quota {
        let (now, wall) = (self.now(), self.clock.now().micros());
        let claim = {
            let mut entries = self.shard(key);
            let share = &mut entry(&mut entries, key, policy, now).share;
            // The request before this one may have brought a lease.
            if let Some(quota) = share.spend(policy, now, spending) {
                return quota;
            }
            share.claim(policy, now, wall, key.largest_lease(policy))
        };
        let admitted = self.circuit().admit(now);
        let Some(permit) = admitted else { return self.decide_without_store(key, policy, spending) };
        match self.store.claim(key, &claim).await {
            Ok(grant) => {
                if self.record(permit, Outcome::Answered) == (State::HalfOpen, State::Closed) {
                    tracing::info!("the store of rate limits answers again");
                }
                metrics::rate_limit_lease(if grant.permits > 0 { "granted" } else { "refused" });
                entry(&mut self.shard(key), key, policy, now).share.settle(now, &claim, &grant, spending)
            }
            Err(Failure { why, is_unanswered }) => {
                metrics::rate_limit_lease("failed");
                if is_unanswered {
                    entry(&mut self.shard(key), key, policy, now).share.assume_told(&claim);
                }
                let outcome = if is_unanswered { Outcome::TimedOut } else { Outcome::Failed };
                if self.record(permit, outcome) == (State::Closed, State::Open) {
                    tracing::warn!(
                        error = %why,
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
        let quota = if key.is_fail_closed() {
            let until = self.circuit().open_until(now).unwrap_or(now);
            share.refuse(policy, now, until - now)
        } else {
            share.without_store(policy, now, self.nodes, spending)
        };
        metrics::rate_limit_without_store(if quota.retry_after.is_none() { "accepted" } else { "refused" });
        quota
    }

    /// Returns the states before and after.
    fn record(&self, permit: Permit, outcome: Outcome) -> (State, State) {
        let now = self.now();
        let mut circuit = self.circuit();
        let before = circuit.state();
        circuit.record(permit, outcome, now);
        (before, circuit.state())
    }

    fn circuit(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> i64 {
        self.micros.of(self.clock.instant())
    }

    fn shard(&self, key: LimitKey) -> MutexGuard<'_, HashMap<LimitKey, Entry>> {
        let shard = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nodes whose clocks differ by the length of a window end each other's windows. The store's clock stands for those of other nodes.
    async fn compare_clocks(&self) {
        let before = self.clock.now().micros();
        // A store that is away is reported elsewhere.
        let Ok(Ok(time)) = timeout(DEADLINE, self.store.time()).await else { return };
        let after = self.clock.now().micros();
        let difference = before.saturating_sub(time).max(time.saturating_sub(after));
        let is_wrong = difference > LARGEST_DIFFERENCE;
        let was_wrong = self.is_clock_wrong.swap(is_wrong, Ordering::Relaxed);
        if is_wrong && !was_wrong {
            let seconds = difference / 1_000_000;
            tracing::warn!(
                seconds,
                "the clocks of this node and of the store of rate limits differ: synchronize the clocks of all nodes"
            );
        }
    }

    /// Drops shares and rows whose windows have ended.
    pub async fn remove_expired(&self, now: i64) {
        for shard in &self.shards {
            let mut entries = shard.lock().unwrap_or_else(PoisonError::into_inner);
            entries.retain(|_, entry| !entry.share.is_over(now));
        }
        self.compare_clocks().await;
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
