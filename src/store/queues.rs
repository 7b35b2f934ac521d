//! Writes of an institution that wait for each other (ADR 25): one leader at a time takes them from their queue, together or one by one,
//! until none waits.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::sync::oneshot;

use super::db::{Error, Result};
use crate::domain::ids::InstitutionId;

/// Writes that wait, by institution, and their outcomes. There is an entry while a leader is at work.
pub struct Queues<W, O>(Mutex<HashMap<InstitutionId, VecDeque<Waiting<W, O>>>>);

/// A write that waits for its turn.
pub struct Waiting<W, O> {
    pub write: W,
    pub end: oneshot::Sender<O>,
    /// Set by whoever comes first: the leader who takes it, or the caller who gives up.
    is_decided: Arc<AtomicBool>,
}

impl<W, O> Default for Queues<W, O> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<W, O> Queues<W, O> {
    fn lock(&self) -> MutexGuard<'_, HashMap<InstitutionId, VecDeque<Waiting<W, O>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many writes of an institution wait.
    pub fn len(&self, institution: InstitutionId) -> usize {
        self.lock().get(&institution).map_or(0, VecDeque::len)
    }

    /// Waits for the outcome of a write. If the institution has no leader, `lead` starts one, as a task of its own: if this caller is
    /// canceled, the others go on.
    pub async fn wait(
        self: &Arc<Self>,
        institution: InstitutionId,
        write: W,
        timeout: Duration,
        lead: impl FnOnce(Leader<W, O>),
    ) -> Result<O> {
        let (end, mut ended) = oneshot::channel();
        let is_decided = Arc::new(AtomicBool::new(false));
        if self.add(institution, Waiting { write, end, is_decided: is_decided.clone() }) {
            lead(Leader { queues: self.clone(), institution, is_done: false });
        }
        let outcome = match tokio::time::timeout(timeout, &mut ended).await {
            Ok(outcome) => outcome,
            Err(_) if !is_decided.swap(true, Ordering::Relaxed) => return Err(too_many_writes()),
            Err(_) => ended.await,
        };
        outcome.map_err(|_| Error::Unavailable("the write was abandoned".to_owned()))
    }

    /// Returns whether a leader is needed.
    fn add(&self, institution: InstitutionId, waiting: Waiting<W, O>) -> bool {
        match self.lock().entry(institution) {
            Entry::Vacant(entry) => {
                entry.insert(VecDeque::from([waiting]));
                true
            }
            Entry::Occupied(mut entry) => {
                entry.get_mut().push_back(waiting);
                false
            }
        }
    }
}

pub fn too_many_writes() -> Error {
    Error::Unavailable("too many writes are waiting".to_owned())
}

/// Takes the writes of an institution. If it is dropped early, after a panic or when the runtime ends, whoever waits gets an error, and the
/// next one starts another leader.
pub struct Leader<W, O> {
    queues: Arc<Queues<W, O>>,
    pub institution: InstitutionId,
    /// Nobody waits, and the next one starts another leader.
    is_done: bool,
}

impl<W, O> Leader<W, O> {
    /// Does anybody wait? If not, the leader is done, and must not be asked again.
    pub fn goes_on(&mut self) -> bool {
        let mut all = self.queues.lock();
        if all.get(&self.institution).is_none_or(VecDeque::is_empty) {
            all.remove(&self.institution);
            self.is_done = true;
        }
        !self.is_done
    }

    /// The next write whose caller has neither given up nor gone.
    pub fn next(&self) -> Option<Waiting<W, O>> {
        loop {
            let waiting = self.queues.lock().get_mut(&self.institution)?.pop_front()?;
            if !waiting.is_decided.swap(true, Ordering::Relaxed) && !waiting.end.is_closed() {
                return Some(waiting);
            }
        }
    }

    /// Gives everybody who waits the same outcome.
    pub fn end_all(&self, outcome: impl Fn() -> O) {
        let all = self.queues.lock().get_mut(&self.institution).map(std::mem::take);
        for waiting in all.unwrap_or_default() {
            // Its caller may have gone.
            let _ = waiting.end.send(outcome());
        }
    }
}

impl<W, O> Drop for Leader<W, O> {
    fn drop(&mut self) {
        if !self.is_done {
            let abandoned = self.queues.lock().remove(&self.institution);
            // Without the lock: a write may hold whatever its caller has given it.
            drop(abandoned);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const HERE: InstitutionId = InstitutionId::new(1);
    const ELSEWHERE: InstitutionId = InstitutionId::new(2);
    const LONG: Duration = Duration::from_secs(60);

    type Doubled = Queues<u32, u32>;

    async fn lead(mut leader: Leader<u32, u32>) {
        while leader.goes_on() {
            tokio::task::yield_now().await;
            while let Some(waiting) = leader.next() {
                let _ = waiting.end.send(waiting.write * 2);
            }
        }
    }

    async fn double(queues: &Arc<Doubled>, number: u32) -> Result<u32> {
        queues.wait(HERE, number, LONG, |leader| drop(tokio::spawn(lead(leader)))).await
    }

    /// A caller of an institution whose leader is at work.
    async fn follow(queues: &Arc<Doubled>, number: u32, timeout: Duration) -> Result<u32> {
        queues.wait(HERE, number, timeout, |_| panic!("a second leader")).await
    }

    /// A leader who does nothing yet, and the caller of the first write.
    async fn stuck() -> (Arc<Doubled>, Leader<u32, u32>, tokio::task::JoinHandle<Result<u32>>) {
        let queues = Arc::new(Doubled::default());
        let (hand, leader) = oneshot::channel();
        let first = tokio::spawn({
            let queues = queues.clone();
            async move { queues.wait(HERE, 1, LONG, |leader| drop(hand.send(leader))).await }
        });
        (queues, leader.await.unwrap(), first)
    }

    #[tokio::test]
    async fn everybody_gets_their_own_outcome_and_the_queue_is_gone() {
        let queues = Arc::new(Doubled::default());
        let all = futures_util::future::join_all((0..50).map(|number| double(&queues, number))).await;
        let doubled: Vec<u32> = all.into_iter().map(Result::unwrap).collect();
        assert_eq!(doubled, (0..50).map(|number| number * 2).collect::<Vec<_>>());
        tokio::task::yield_now().await;
        assert!(queues.lock().is_empty());
        assert_eq!(double(&queues, 4).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn each_institution_has_a_leader() {
        let (queues, leader, _first) = stuck().await;
        assert_eq!((queues.len(HERE), queues.len(ELSEWHERE)), (1, 0));
        let elsewhere = queues.wait(ELSEWHERE, 5, LONG, |leader| drop(tokio::spawn(lead(leader))));
        assert_eq!(elsewhere.await.unwrap(), 10);
        drop(leader);
    }

    #[tokio::test]
    async fn who_gives_up_is_not_taken_and_who_is_taken_does_not_give_up() {
        let (queues, leader, _first) = stuck().await;
        drop(leader.next());
        let given_up = follow(&queues, 2, Duration::ZERO).await;
        assert!(matches!(given_up, Err(Error::Unavailable(why)) if why.contains("too many")));
        assert!(leader.next().is_none());
        let mut third = std::pin::pin!(follow(&queues, 3, Duration::from_millis(1)));
        assert!(third.as_mut().now_or_never().is_none());
        let taken = leader.next().unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(third.as_mut().now_or_never().is_none());
        taken.end.send(6).unwrap();
        assert_eq!(third.await.unwrap(), 6);
    }

    #[tokio::test]
    async fn one_outcome_for_all_and_the_leader_goes_on() {
        let (queues, mut leader, first) = stuck().await;
        leader.end_all(|| 7);
        assert_eq!(first.await.unwrap().unwrap(), 7);
        let third = follow(&queues, 3, LONG);
        let next = async {
            tokio::task::yield_now().await;
            assert!(leader.goes_on());
            leader.next().unwrap().end.send(9).unwrap();
        };
        assert_eq!(tokio::join!(third, next).0.unwrap(), 9);
    }

    #[tokio::test]
    async fn without_its_leader_the_queue_is_abandoned_and_the_next_one_leads() {
        let (queues, leader, first) = stuck().await;
        drop(leader);
        assert!(matches!(first.await.unwrap(), Err(Error::Unavailable(why)) if why.contains("abandoned")));
        assert_eq!(double(&queues, 6).await.unwrap(), 12);
    }
}
