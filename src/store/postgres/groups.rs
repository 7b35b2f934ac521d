//! Group commit: writes of an institution that wait at the same time share a transaction and its COMMIT, which waits for the disk
//! (ADR 25). They could not run at the same time anyway: each takes the institution's lock first.
//!
//! Deadlocks: all jobs of a transaction are of one institution, and a job that comes here takes no lock before `rolls::lock` or
//! `rolls::lock_for_new`. So of the transactions of an institution, on all nodes, one at a time has locks. Jobs of other
//! institutions, whose locks might be taken in another order, never join.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::Instant,
};

use super::{Client, Job, OpenTransaction, Postgres, no_connection, pipeline, pools::WAIT, too_many_writes};
use crate::{
    domain::ids::InstitutionId,
    store::db::{Error, Handle, Result, Sql},
    telemetry::metrics::{self, GaugeGuard},
};

/// How many writes share a commit. PostgreSQL keeps the ids of 64 savepoints of a transaction in shared memory; with more, all
/// sessions are slower.
const MOST: usize = 32;
/// How long a group takes in further writes after the first one, which waits for them.
const LONGEST: Duration = Duration::from_millis(100);
/// How many writes of an institution wait on a node. The others wait for a place among them, as for a connection of the pool.
const MOST_WAITING: usize = 512;

#[derive(Default)]
pub struct Groups {
    /// The writes that wait, by institution. There is an entry while a leader is at work.
    waiting: Mutex<HashMap<InstitutionId, VecDeque<Waiting>>>,
    places: Mutex<HashMap<InstitutionId, Arc<Semaphore>>>,
}

/// A write that waits for its turn.
struct Waiting {
    job: Job,
    /// Set by whoever comes first: the leader who starts it, or the caller who gives up.
    is_decided: Arc<AtomicBool>,
    end: oneshot::Sender<Result<()>>,
    gauge: GaugeGuard,
    place: OwnedSemaphorePermit,
}

impl Waiting {
    /// False if its caller has given up or has gone.
    fn starts(&self) -> bool {
        !self.is_decided.swap(true, Ordering::Relaxed) && !self.end.is_closed()
    }
}

impl Groups {
    fn lock(&self) -> MutexGuard<'_, HashMap<InstitutionId, VecDeque<Waiting>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place in the queue of the institution.
    async fn place(&self, institution: InstitutionId, wait: Duration) -> Result<OwnedSemaphorePermit> {
        let places = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.entry(institution).or_insert_with(|| Arc::new(Semaphore::new(MOST_WAITING))).clone()
        };
        let place = tokio::time::timeout(wait, places.acquire_owned()).await;
        place.ok().and_then(|place| place.ok()).ok_or_else(too_many_writes)
    }

    /// Returns whether a leader is needed.
    fn add(&self, institution: InstitutionId, write: Waiting) -> bool {
        match self.lock().entry(institution) {
            Entry::Vacant(entry) => {
                entry.insert(VecDeque::from([write]));
                true
            }
            Entry::Occupied(mut entry) => {
                entry.get_mut().push_back(write);
                false
            }
        }
    }

    fn next(&self, institution: InstitutionId) -> Option<Waiting> {
        self.lock().get_mut(&institution)?.pop_front()
    }

    /// Does anybody wait? If not, the next one needs a leader.
    fn are_waiting(&self, institution: InstitutionId) -> bool {
        let mut waiting = self.lock();
        if waiting.get(&institution).is_some_and(|queue| !queue.is_empty()) {
            return true;
        }
        waiting.remove(&institution);
        false
    }

    fn remove(&self, institution: InstitutionId) -> VecDeque<Waiting> {
        self.lock().remove(&institution).unwrap_or_default()
    }

    /// What keeps a group from starting keeps all that wait.
    fn refuse(&self, institution: InstitutionId, error: &Error) {
        let refused = self.lock().get_mut(&institution).map(std::mem::take).unwrap_or_default();
        for write in refused {
            let _ = write.end.send(Err(error.clone()));
        }
    }
}

impl Postgres {
    /// `transact` together with other writes of the institution.
    pub(super) async fn transact_in_group(
        self: &Arc<Self>,
        institution: InstitutionId,
        job: Job,
    ) -> Result<()> {
        let gauge = metrics::db_write_waiting();
        let place = self.groups.place(institution, WAIT.min(self.timeout)).await?;
        let (end, mut ended) = oneshot::channel();
        let is_decided = Arc::new(AtomicBool::new(false));
        let write = Waiting { job, is_decided: is_decided.clone(), end, gauge, place };
        if self.groups.add(institution, write) {
            // A separate task: if the caller is canceled, the others go on, and no transaction is left open.
            tokio::spawn(Leader { postgres: self.clone(), institution, is_done: false }.lead());
        }
        let answer = match tokio::time::timeout(self.timeout, &mut ended).await {
            Ok(answer) => answer,
            Err(_) if !is_decided.swap(true, Ordering::Relaxed) => return Err(too_many_writes()),
            Err(_) => ended.await,
        };
        answer.unwrap_or_else(|_| Err(Error::Unavailable("the write was abandoned".to_owned())))
    }
}

/// Runs the writes of an institution until none waits.
struct Leader {
    postgres: Arc<Postgres>,
    institution: InstitutionId,
    /// Nobody waits, and the next one starts another leader.
    is_done: bool,
}

impl Leader {
    async fn lead(mut self) {
        while self.goes_on() {
            self.run_group().await;
        }
    }

    fn goes_on(&mut self) -> bool {
        self.is_done = !self.postgres.groups.are_waiting(self.institution);
        !self.is_done
    }

    async fn run_group(&self) {
        let (postgres, institution) = (&*self.postgres, self.institution);
        let (_permit, client) = match postgres.writer().await {
            Ok(taken) => taken,
            Err(error) => return postgres.groups.refuse(institution, &error),
        };
        let mut group = Group::new(client.in_transaction(postgres.begin.clone()));
        while group.takes_more()
            && let Some(write) = postgres.groups.next(institution)
        {
            if write.starts() {
                group.run(write).await;
            }
        }
        group.end(postgres).await;
    }
}

impl Drop for Leader {
    /// After a panic, or when the runtime ends: whoever waits gets an error, and the next one starts another leader.
    fn drop(&mut self) {
        if !self.is_done {
            drop(self.postgres.groups.remove(self.institution));
        }
    }
}

/// A transaction and the writes that it is for.
struct Group {
    open: OpenTransaction,
    /// Those that have run and wait for the commit.
    members: Vec<Member>,
    /// How many have run.
    size: usize,
    /// When the first one had run, which may have waited long for the institution's lock.
    first_ran: Option<Instant>,
    /// How many are to be committed.
    succeeded: usize,
    /// Why none can be committed.
    broken: Option<Error>,
}

struct Member {
    end: oneshot::Sender<Result<()>>,
    result: Result<()>,
}

impl Group {
    fn new(client: Client) -> Self {
        let open = OpenTransaction(Some(Sql::new(Handle::Postgres(client))));
        Self { open, members: Vec::new(), size: 0, first_ran: None, succeeded: 0, broken: None }
    }

    fn takes_more(&self) -> bool {
        let is_late = self.first_ran.is_some_and(|then| then.elapsed() >= LONGEST);
        self.broken.is_none() && self.size < MOST && !is_late
    }

    fn sql(&mut self) -> Result<&mut Sql> {
        self.open.0.as_mut().ok_or_else(no_connection)
    }

    fn client(&mut self) -> Result<&mut Client> {
        match &mut self.sql()?.handle {
            Handle::Postgres(client) => Ok(client),
            Handle::Pool(_) | Handle::Sqlite(_) => Err(no_connection()),
        }
    }

    async fn run(&mut self, Waiting { job, end, gauge, place, .. }: Waiting) {
        drop((gauge, place));
        self.size += 1;
        // The write before is known to be complete when the next one reads.
        self.complete().await;
        let outcome = match self.ready() {
            Ok(sql) => AssertUnwindSafe(job(sql)).catch_unwind().await,
            Err(error) => {
                let _ = end.send(Err(error));
                return;
            }
        };
        self.first_ran.get_or_insert_with(Instant::now);
        let result = match outcome {
            // Has it ignored an error? PostgreSQL would roll back instead of committing.
            Ok(true) => self.client().and_then(|client| pipeline::check(client)),
            // It has failed, and its caller knows why.
            Ok(false) => Ok(()),
            Err(_) => Err(Error::Broken("a job panicked".to_owned())),
        };
        if matches!(outcome, Ok(true)) && result.is_ok() {
            self.succeeded += 1;
        } else {
            self.roll_back().await;
            // Otherwise it may have failed because of what others have written, and that must be durable first.
            if self.succeeded == 0 {
                let _ = end.send(result);
                return;
            }
        }
        self.members.push(Member { end, result });
    }

    /// For the next write: in a transaction that is intact.
    fn ready(&mut self) -> Result<&mut Sql> {
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        pipeline::next_job(self.client()?);
        self.sql()
    }

    /// Sends what the last write has deferred. If that fails, so does this write, and only this one.
    async fn complete(&mut self) {
        if self.succeeded == 0 || self.broken.is_some() {
            return;
        }
        let sent = match self.client() {
            Ok(client) => pipeline::send_deferred(client).await,
            Err(error) => Err(error),
        };
        if let Err(error) = sent {
            self.roll_back().await;
            self.succeeded -= 1;
            if let Some(last) = self.members.last_mut() {
                last.result = Err(error);
            }
        }
    }

    /// Rolls back the last write.
    async fn roll_back(&mut self) {
        let rolled_back = match self.client() {
            Ok(client) => pipeline::roll_back(client).await,
            Err(error) => Err(error),
        };
        if let Err(error) = rolled_back {
            self.broken = Some(error);
        }
    }

    async fn commit(&mut self) -> Result<()> {
        // A lone write is sent together with COMMIT. Among several, a failed one must not roll back the others.
        if self.succeeded > 1 {
            self.complete().await;
        }
        if let Some(error) = &self.broken {
            return Err(error.clone());
        }
        // Whatever has failed was rolled back.
        if self.succeeded == 0 { Ok(()) } else { pipeline::commit(self.client()?).await }
    }

    /// Commits, and then tells all.
    async fn end(mut self, postgres: &Postgres) {
        let committed = self.commit().await;
        if committed.is_ok() {
            if self.succeeded > 0 {
                metrics::db_committed(self.succeeded);
            }
            postgres.count_statements(self.open.0.as_ref().map_or(0, |sql| sql.executed));
            self.open.close();
        }
        for Member { end, result } in self.members {
            // Its caller may have gone.
            let _ = end.send(committed.clone().and(result));
        }
    }
}
