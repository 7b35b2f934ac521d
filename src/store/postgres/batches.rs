//! Batched lookups ([ADR 27](../../../docs/adr/0027-batched-lookups.md)): those that wait at the same time on a thread are sent as one
//! statement.
//!
//! A lookup is sent at once if few of its kind are on their way. Otherwise it waits for one of their responses, and is sent together
//! with all that arrived meanwhile. It never joins a statement that was already sent, so it finds whatever was committed before it
//! began.

use std::{
    future::Future,
    ptr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use tokio::{
    sync::{Semaphore, SemaphorePermit, oneshot},
    time::timeout,
};
use tokio_postgres::{Row, types::ToSql};

use super::{Postgres, error, pools};
use crate::{
    store::{
        db::{Error, Result, Value},
        lookup::Lookup,
    },
    tasks,
    telemetry::metrics,
};

/// How many batches of a thread and a kind of lookup are on their way at the same time. With one, the second of two lookups
/// would wait for the first.
const IN_FLIGHT: usize = 2;
/// The most lookups in a batch: the first one waits until the last one is answered.
const MOST: usize = 64;
/// How long a batch waits for the response to an earlier one. A slow statement must not delay all others.
const PATIENCE: Duration = Duration::from_millis(5);

type Params = Vec<Value<'static>>;
/// The lookups of a thread, by kind.
type Queues = Vec<(&'static Lookup, Arc<Queue<Params, Vec<Row>>>)>;

/// The lookups that wait to be sent.
pub struct Lookups {
    /// By number of the thread.
    of_threads: Box<[Mutex<Queues>]>,
}

impl Lookups {
    /// `threads` serve requests, each with a runtime of its own. Without any, every lookup is sent by itself.
    pub fn new(threads: usize) -> Self {
        Self { of_threads: (0..threads).map(|_| Mutex::default()).collect() }
    }

    fn queue(&self, lookup: &'static Lookup) -> Option<Arc<Queue<Params, Vec<Row>>>> {
        let number = pools::this_thread()?.checked_rem(self.of_threads.len())?;
        let mut queues = self.of_threads.get(number)?.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, queue)) = queues.iter().find(|(kind, _)| ptr::eq(*kind, lookup)) {
            return Some(queue.clone());
        }
        let queue = Arc::new(Queue::new(PATIENCE));
        queues.push((lookup, queue.clone()));
        Some(queue)
    }
}

impl Postgres {
    /// The rows of a lookup outside a transaction. They may have one more column than those of `Lookup::one`, at the end.
    pub async fn look_up(
        self: &Arc<Self>,
        lookup: &'static Lookup,
        params: &[Value<'_>],
    ) -> Result<Vec<Row>> {
        let Some(queue) = self.lookups.queue(lookup) else {
            return self.look_up_one(lookup, params).boxed().await;
        };
        let params: Params = params.iter().cloned().map(Value::into_owned).collect();
        let postgres = self.clone();
        queue.ask(params, move |asked| async move { postgres.look_up_all(lookup, &asked).await }).await
    }

    async fn look_up_one(&self, lookup: &'static Lookup, params: &[Value<'_>]) -> Result<Vec<Row>> {
        self.query(lookup.one(), params).await
    }

    /// The rows of each lookup.
    async fn look_up_all(&self, lookup: &'static Lookup, asked: &[Params]) -> Result<Vec<Vec<Row>>> {
        metrics::db_looked_up(asked.len());
        if let [params] = asked {
            return Ok(vec![self.look_up_one(lookup, params).await?]);
        }
        // A parameter that is missing would be NULL, which equals no key.
        let columns: Vec<Vec<Option<&Value<'static>>>> =
            (0..lookup.params()).map(|at| asked.iter().map(|params| params.get(at)).collect()).collect();
        let arrays: Vec<&(dyn ToSql + Sync)> =
            columns.iter().map(|column| column as &(dyn ToSql + Sync)).collect();
        let client = self.reader().await?;
        let connection = client.connection()?;
        let answer =
            async { connection.query(&connection.prepare_cached(lookup.many()).await?, &arrays).await };
        let rows = client.deadline.meet(answer).await?;
        // Return the connection to the pool before the rows are divided.
        drop(client);
        by_place(rows, asked.len())
    }
}

/// The rows of `Lookup::many`, for each of the keys.
fn by_place(rows: Vec<Row>, keys: usize) -> Result<Vec<Vec<Row>>> {
    let mut found: Vec<Vec<Row>> = (0..keys).map(|_| Vec::new()).collect();
    for row in rows {
        let place: i64 = row.try_get(row.len().saturating_sub(1)).map_err(error)?;
        let index = usize::try_from(place).ok().and_then(|place| place.checked_sub(1));
        match index.and_then(|index| found.get_mut(index)) {
            Some(of_key) => of_key.push(row),
            None => return Err(Error::Broken("a row belongs to no lookup of its batch".to_owned())),
        }
    }
    Ok(found)
}

/// Questions that are asked in batches.
struct Queue<Q, A> {
    waiting: Mutex<Vec<Waiting<Q, A>>>,
    turns: Semaphore,
    patience: Duration,
}

struct Waiting<Q, A> {
    question: Q,
    answer: oneshot::Sender<Result<A>>,
}

impl<Q, A> Queue<Q, A> {
    fn new(patience: Duration) -> Self {
        Self { waiting: Mutex::default(), turns: Semaphore::new(IN_FLIGHT), patience }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waiting<Q, A>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether it is the first one of another batch. There is a `NextBatch` for each of them, so nobody is left waiting.
    fn push(&self, one: Waiting<Q, A>) -> bool {
        let mut waiting = self.waiting();
        waiting.push(one);
        waiting.len() % MOST == 1
    }

    fn take(&self) -> Vec<Waiting<Q, A>> {
        let mut waiting = self.waiting();
        let count = waiting.len().min(MOST);
        waiting.drain(..count).collect()
    }

    async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        match self.turns.try_acquire() {
            Ok(turn) => Some(turn),
            Err(_) => timeout(self.patience, self.turns.acquire()).await.ok()?.ok(),
        }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Queue<Q, A> {
    /// `ask_all` returns the answers in the order of the questions.
    async fn ask<F, Answers>(self: &Arc<Self>, question: Q, ask_all: F) -> Result<A>
    where
        F: FnOnce(Vec<Q>) -> Answers + Send + 'static,
        Answers: Future<Output = Result<Vec<A>>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        if self.push(Waiting { question, answer }) {
            // A new task runs after those that are ready, whose questions join the batch. If one of those who asked goes away, the
            // others still get their answers.
            tasks::spawn(NextBatch::new(self.clone()).send(ask_all));
        }
        answered
            .await
            .unwrap_or_else(|_| Err(Error::Unavailable("a batch of lookups was aborted".to_owned())))
    }
}

/// Sends a batch when it is its turn. If its runtime ends before, nobody waits any longer.
struct NextBatch<Q, A> {
    queue: Arc<Queue<Q, A>>,
    is_taken: bool,
}

impl<Q, A> NextBatch<Q, A> {
    fn new(queue: Arc<Queue<Q, A>>) -> Self {
        Self { queue, is_taken: false }
    }

    fn take(&mut self) -> Vec<Waiting<Q, A>> {
        self.is_taken = true;
        self.queue.take()
    }

    async fn send<F, Answers>(mut self, ask_all: F)
    where
        F: FnOnce(Vec<Q>) -> Answers,
        Answers: Future<Output = Result<Vec<A>>>,
    {
        let queue = self.queue.clone();
        let turn = queue.turn().await;
        let waiting = self.take().into_iter().filter(|one| !one.answer.is_closed());
        let (questions, answers): (Vec<Q>, Vec<oneshot::Sender<Result<A>>>) =
            waiting.map(|one| (one.question, one.answer)).unzip();
        if questions.is_empty() {
            return;
        }
        let answered = ask_all(questions).await;
        // The next batch is sent first, and answered while these answers are used.
        drop(turn);
        match answered {
            Ok(all) => {
                for (answer, one) in answers.into_iter().zip(all) {
                    // Whoever asked may have gone.
                    let _ = answer.send(Ok(one));
                }
            }
            Err(error) => {
                for answer in answers {
                    let _ = answer.send(Err(error.clone()));
                }
            }
        }
    }
}

impl<Q, A> Drop for NextBatch<Q, A> {
    fn drop(&mut self) {
        if !self.is_taken {
            drop(self.queue.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use futures_util::{
        FutureExt,
        future::{join_all, try_join_all},
    };

    use super::*;

    /// Longer than any test.
    const LONG: Duration = Duration::from_secs(3_600);

    /// Doubles numbers, when the gate opens.
    #[derive(Clone)]
    struct Server {
        queue: Arc<Queue<u32, u32>>,
        gate: Arc<Semaphore>,
        /// How many numbers each batch had.
        batches: Arc<Mutex<Vec<usize>>>,
    }

    impl Server {
        fn new(patience: Duration) -> Self {
            let gate = Arc::new(Semaphore::new(0));
            Self { queue: Arc::new(Queue::new(patience)), gate, batches: Arc::default() }
        }

        fn open(&self) {
            self.gate.close();
        }

        fn batches(&self) -> Vec<usize> {
            self.batches.lock().unwrap().clone()
        }

        async fn double(&self, number: u32) -> Result<u32> {
            let (gate, batches) = (self.gate.clone(), self.batches.clone());
            let ask_all = move |numbers: Vec<u32>| async move {
                batches.lock().unwrap().push(numbers.len());
                // Closed is open.
                let _ = gate.acquire().await;
                if numbers.contains(&0) {
                    return Err(Error::Conflict);
                }
                Ok(numbers.into_iter().map(|number| number * 2).collect::<Vec<_>>())
            };
            self.queue.ask(number, ask_all).await
        }

        /// Asks in a task of its own, and lets it ask.
        async fn spawn(
            &self,
            numbers: impl IntoIterator<Item = u32>,
        ) -> tokio::task::JoinHandle<Vec<Result<u32>>> {
            let (server, numbers): (_, Vec<u32>) = (self.clone(), numbers.into_iter().collect());
            let asking = tasks::spawn(async move {
                join_all(numbers.into_iter().map(|number| server.double(number))).await
            });
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            asking
        }
    }

    #[tokio::test]
    async fn the_first_are_sent_at_once_and_those_who_wait_together() {
        let server = Server::new(LONG);
        let first = server.spawn([1]).await;
        let second = server.spawn([2]).await;
        assert_eq!(server.batches(), [1, 1]);
        let third = server.spawn(3..10).await;
        let fourth = server.spawn(10..20).await;
        assert_eq!(server.batches(), [1, 1], "a batch waits for a response to one of those before it");
        server.open();
        let mut answers = Vec::new();
        for asking in [first, second, third, fourth] {
            answers.extend(asking.await.unwrap().into_iter().map(Result::unwrap));
        }
        assert_eq!(answers, (1..20).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(server.batches(), [1, 1, 17]);
    }

    #[tokio::test]
    async fn those_who_ask_in_the_same_turn_of_the_runtime_are_one_batch() {
        let server = Server::new(LONG);
        server.open();
        let answers = try_join_all((1..=40).map(|number| server.double(number))).await.unwrap();
        assert_eq!(answers, (1..=40).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(server.batches(), [40]);
    }

    #[tokio::test]
    async fn a_batch_has_a_limit_and_nobody_is_left_waiting() {
        let server = Server::new(LONG);
        let mut asking = vec![server.spawn([1]).await, server.spawn([2]).await];
        for part in 0..5 {
            asking.push(server.spawn(part * 60 + 3..part * 60 + 63).await);
        }
        server.open();
        let mut answers = Vec::new();
        for asking in asking {
            answers.extend(asking.await.unwrap().into_iter().map(Result::unwrap));
        }
        assert_eq!(answers, (1..303).map(|number| number * 2).collect::<Vec<_>>());
        assert_eq!(server.batches(), [1, 1, MOST, MOST, MOST, MOST, 300 - 4 * MOST]);
        assert_eq!(server.double(7).await.unwrap(), 14);
    }

    #[tokio::test]
    async fn an_error_is_that_of_the_whole_batch_and_of_no_other() {
        let server = Server::new(LONG);
        server.open();
        let answers = join_all([0, 1, 2].map(|number| server.double(number))).await;
        assert!(answers.iter().all(|answer| matches!(answer, Err(Error::Conflict))), "{answers:?}");
        assert_eq!(server.double(3).await.unwrap(), 6);
    }

    #[tokio::test]
    async fn whoever_goes_away_takes_nobody_along() {
        let server = Server::new(LONG);
        let gone = server.spawn([1]).await;
        let held = server.spawn([2]).await;
        // The first one of a batch, which has started its task.
        let first = server.spawn([3]).await;
        let others = server.spawn([4, 5]).await;
        for asking in [gone, first] {
            asking.abort();
            assert!(asking.await.unwrap_err().is_cancelled());
        }
        server.open();
        assert_eq!(held.await.unwrap().into_iter().map(Result::unwrap).collect::<Vec<_>>(), [4]);
        assert_eq!(others.await.unwrap().into_iter().map(Result::unwrap).collect::<Vec<_>>(), [8, 10]);
        assert_eq!(server.batches(), [1, 1, 2], "nothing is asked for those who have gone");
    }

    #[tokio::test]
    async fn a_slow_batch_does_not_delay_others_for_long() {
        let server = Server::new(Duration::from_millis(1));
        let slow: Vec<_> = [server.spawn([1]).await, server.spawn([2]).await].into();
        // The gate is closed, so no response arrives.
        let third = server.spawn([3]).await;
        let sent = async {
            while server.batches().len() < 3 {
                tokio::task::yield_now().await;
            }
        };
        timeout(Duration::from_secs(60), sent).await.expect("it is sent without a response to the others");
        server.open();
        for asking in slow.into_iter().chain(iter::once(third)) {
            assert!(asking.await.unwrap().iter().all(Result::is_ok));
        }
    }

    /// Two threads may share a queue, and the runtime of one of them may end.
    #[test]
    fn when_a_runtime_ends_the_next_one_is_answered() {
        let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let server = Server::new(LONG);
        server.open();
        let first = runtime();
        // Its batch has a task, which never runs.
        first.block_on(async { assert!(server.double(1).now_or_never().is_none()) });
        drop(first);
        let answer = runtime().block_on(async { timeout(Duration::from_secs(60), server.double(2)).await });
        assert_eq!(answer.expect("it is sent").unwrap(), 4);
    }
}
