//! Connection pools: one that all tasks share, and a small one for reads of each thread that serves requests.
//!
//! The task of a connection runs on the thread that opened it. A statement of another thread wakes that thread, and the response
//! wakes this one again, which costs more than the rest of a lookup. So a thread reads through connections of its own.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Status, TimeoutType, Timeouts,
};
use tokio::{
    runtime::{Handle, RuntimeFlavor},
    sync::Semaphore,
    time::{Instant, sleep, timeout_at},
};
use tokio_postgres::{Config, error::SqlState};

use super::{hosts::Hosts, values::with_sources};
use crate::store::db::{Error, Result};

/// How long to wait for a free connection of the shared pool, or for the server to accept another one.
pub const WAIT: Duration = Duration::from_secs(2);
/// How long to wait for a free connection of the thread. Slow statements may hold them all.
const WAIT_FOR_OWN: Duration = Duration::from_millis(5);
/// The first and the longest pause between two attempts while the server accepts no more connections.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

pub struct Pools {
    shared: Pool,
    /// By number of the thread; empty if there are too few connections.
    of_threads: Box<[Pool]>,
    /// While the server accepts no more connections, one task at a time retries. The others wait for their turn.
    turn: Semaphore,
}

impl Pools {
    /// `connections` is for all, of which `watchers` are used elsewhere. `threads` serve requests, each with a runtime of its own.
    /// `connect` is the connection timeout, and `statement` that of a statement.
    pub fn new(
        hosts: &Hosts,
        (connections, watchers): (usize, usize),
        threads: usize,
        connect: Duration,
        statement: Duration,
    ) -> Result<Self> {
        let pool = |size, wait| {
            let fast = ManagerConfig { recycling_method: RecyclingMethod::Fast };
            // The hosts have the configuration.
            Pool::builder(Manager::from_connect(Config::new(), hosts.clone(), fast))
                .max_size(size)
                .runtime(Runtime::Tokio1)
                .timeouts(Timeouts { wait: Some(wait), create: Some(connect), recycle: Some(connect) })
                .build()
                .map_err(|e| Error::Broken(e.to_string()))
        };
        let shares = Shares::of(connections, watchers, threads);
        let own = (0..threads).filter(|_| shares.per_thread > 0);
        Ok(Self {
            shared: pool(shares.shared, WAIT.min(statement))?,
            of_threads: own.map(|_| pool(shares.per_thread, WAIT_FOR_OWN)).collect::<Result<_>>()?,
            turn: Semaphore::new(1),
        })
    }

    /// Its connections are for transactions, streams and background tasks.
    pub fn shared(&self) -> &Pool {
        &self.shared
    }

    /// For a transaction or a stream.
    pub async fn client(&self) -> Result<Object> {
        self.take(None).await
    }

    /// For one statement outside a transaction.
    pub async fn reader(&self) -> Result<Object> {
        self.take(self.of_this_thread()).await
    }

    /// While the server has no connections left, waits until one of ours comes free, or somebody else closes one.
    async fn take(&self, own: Option<&Pool>) -> Result<Object> {
        let started = Instant::now();
        let full = match self.try_to_take(own).await {
            Err(PoolError::Backend(error)) if is_full(&error) => error,
            taken => return taken.map_err(unavailable),
        };
        let retried = async {
            let _turn = self.turn.acquire().await;
            let mut pause = FIRST_PAUSE;
            loop {
                match self.try_to_take(own).await {
                    Err(PoolError::Backend(error)) if is_full(&error) => {}
                    taken => return taken.map_err(unavailable),
                }
                sleep(pause).await;
                pause = LONGEST_PAUSE.min(pause * 2);
            }
        };
        let end = started + self.shared.timeouts().wait.unwrap_or(WAIT);
        timeout_at(end, retried).await.unwrap_or_else(|_| Err(unavailable(PoolError::Backend(full))))
    }

    async fn try_to_take(&self, own: Option<&Pool>) -> std::result::Result<Object, PoolError> {
        if let Some(own) = own {
            match own.get().await {
                // All are in use, or the server accepts no more connections: the shared pool may have one.
                Err(PoolError::Timeout(TimeoutType::Wait) | PoolError::Backend(_)) => {}
                taken => return taken,
            }
        }
        self.shared.get().await
    }

    fn of_this_thread(&self) -> Option<&Pool> {
        self.of_threads.get(this_thread()?.checked_rem(self.of_threads.len())?)
    }

    /// Of all pools together.
    pub fn status(&self) -> Status {
        self.of_threads.iter().map(Pool::status).fold(self.shared.status(), |sum, one| Status {
            max_size: sum.max_size + one.max_size,
            size: sum.size + one.size,
            available: sum.available + one.available,
            waiting: sum.waiting + one.waiting,
        })
    }
}

/// The number of this thread, if it has a runtime of its own: tasks of other runtimes move between threads.
pub fn this_thread() -> Option<usize> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: usize = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    let is_alone = Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread;
    is_alone.then(|| NUMBER.with(|number| *number))
}

fn is_full(error: &tokio_postgres::Error) -> bool {
    error.code() == Some(&SqlState::TOO_MANY_CONNECTIONS)
}

pub fn unavailable(error: PoolError) -> Error {
    Error::Unavailable(with_sources(&error))
}

/// How connections are divided: up to a third is for the threads, and at least two are shared. Watchers have their own.
#[derive(Debug, PartialEq)]
struct Shares {
    shared: usize,
    per_thread: usize,
}

impl Shares {
    fn of(connections: usize, watchers: usize, threads: usize) -> Self {
        let connections = connections.max(2 + watchers);
        let for_threads = (connections / 3).min(connections - watchers - 2);
        let per_thread = for_threads.checked_div(threads).unwrap_or(0);
        Self { shared: connections - watchers - per_thread * threads, per_thread }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_up_to_a_third_of_the_connections() {
        for (connections, watchers, threads, shared, per_thread) in [
            (24, 0, 2, 16, 4),
            (16, 0, 2, 12, 2),
            (16, 0, 4, 12, 1),
            (3, 0, 1, 2, 1),
            // Too few for a share of each thread.
            (16, 0, 8, 16, 0),
            (4, 0, 2, 4, 0),
            // A command, or a worker.
            (24, 0, 0, 24, 0),
            (0, 0, 2, 2, 0),
            // Several hosts: three for each thread are enough, too.
            (6, 1, 2, 3, 1),
            (24, 1, 8, 15, 1),
            (3, 1, 1, 2, 0),
            (0, 1, 0, 2, 0),
        ] {
            assert_eq!(
                Shares::of(connections, watchers, threads),
                Shares { shared, per_thread },
                "{connections}, {watchers}, {threads}"
            );
        }
    }
}
