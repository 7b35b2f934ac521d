//! Group commit: writes of an institution that wait at the same time share a transaction and its COMMIT, which waits for the disk
//! (ADR 25). They could not run at the same time anyway: each takes the institution's lock first.
//!
//! Deadlocks: all jobs of a transaction are of one institution, and a job that comes here takes no lock before `rolls::lock` or
//! `rolls::lock_for_new`. So of the transactions of an institution, on all nodes, one at a time has locks. Jobs of other
//! institutions, whose locks might be taken in another order, never join.

use std::{
    collections::HashMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    time::Instant,
};

use super::{Client, OpenTransaction, Postgres, no_connection, pipeline, pools::WAIT};
use crate::{
    domain::ids::InstitutionId,
    store::{
        audit_seals,
        db::{Error, Handle, Result, Sql},
        queues::{self, Queues, Waiting, too_many_writes},
        transaction::{Effect, Job},
    },
    tasks,
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
    waiting: Arc<Queues<Write, Result<()>>>,
    places: Mutex<HashMap<InstitutionId, Arc<Semaphore>>>,
}

struct Write {
    job: Job,
    gauge: GaugeGuard,
    place: OwnedSemaphorePermit,
}

type Leader = queues::Leader<Write, Result<()>>;

impl Groups {
    /// A place in the queue of the institution.
    async fn place(&self, institution: InstitutionId, wait: Duration) -> Result<OwnedSemaphorePermit> {
        let places = {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            places.entry(institution).or_insert_with(|| Arc::new(Semaphore::new(MOST_WAITING))).clone()
        };
        let place = tokio::time::timeout(wait, places.acquire_owned()).await;
        place.ok().and_then(|place| place.ok()).ok_or_else(too_many_writes)
    }
}

impl Postgres {
    /// `write` together with other writes of the institution.
    pub(super) async fn transact_in_group(
        self: &Arc<Self>,
        institution: InstitutionId,
        job: Job,
    ) -> Result<()> {
        let gauge = metrics::db_write_waiting();
        let place = self.groups.place(institution, WAIT.min(self.timeout)).await?;
        let write = Write { job, gauge, place };
        let lead = |leader| drop(tasks::spawn(self.clone().lead(leader)));
        self.groups.waiting.wait(institution, write, self.timeout, lead).await?
    }

    async fn lead(self: Arc<Self>, mut leader: Leader) {
        while leader.goes_on() {
            self.run_group(&leader).await;
        }
    }

    async fn run_group(&self, leader: &Leader) {
        let (_permit, client) = match self.writer(Effect::Data).await {
            Ok(taken) => taken,
            // What keeps a group from starting keeps all that wait.
            Err(error) => return leader.end_all(|| Err(error.clone())),
        };
        let mut group = Group::new(client.in_transaction(self.begin.clone()));
        while group.takes_more()
            && let Some(write) = leader.next()
        {
            group.run(write).await;
        }
        group.end(self).await;
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
    /// How many entries of the audit log there were before the last one.
    entries: usize,
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
        Self { open, members: Vec::new(), size: 0, first_ran: None, succeeded: 0, entries: 0, broken: None }
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

    async fn run(
        &mut self,
        Waiting { write: Write { job, gauge, place }, end, .. }: Waiting<Write, Result<()>>,
    ) {
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
        self.entries = self.sql()?.unsealed.len();
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
        let entries = self.entries;
        if let Ok(sql) = self.sql() {
            sql.unsealed.cut(entries);
        }
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
        if self.succeeded == 0 {
            return Ok(());
        }
        audit_seals::seal(self.sql()?).await?;
        pipeline::commit(self.client()?).await
    }

    /// Commits, and then tells all.
    async fn end(mut self, postgres: &Postgres) {
        let committed = self.commit().await;
        if committed.is_ok() {
            if self.succeeded > 0 {
                metrics::db_committed(self.succeeded);
            }
            postgres.count_rows(self.open.0.as_ref().map_or(0, |sql| sql.changed_rows));
            self.open.close();
        }
        for Member { end, result } in self.members {
            // Its caller may have gone.
            let _ = end.send(committed.clone().and(result));
        }
    }
}
