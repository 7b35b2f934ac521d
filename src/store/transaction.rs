//! A unit of work on the database, and the same without its types.

use std::{
    any::Any,
    marker::PhantomData,
    sync::{Arc, Mutex, PoisonError},
};

use futures_util::future::BoxFuture;

use super::db::{Error, Result, Sql};

/// An atomic unit of work: all of it is applied, or nothing. The caller gets the result only after the commit is
/// durable. It must await nothing but `Sql`.
pub trait Transaction<T, E>:
    for<'a> FnOnce(&'a mut Sql) -> BoxFuture<'a, Result<T, E>> + Send + 'static
{
}
impl<T, E, F> Transaction<T, E> for F where
    F: for<'a> FnOnce(&'a mut Sql) -> BoxFuture<'a, Result<T, E>> + Send + 'static
{
}

/// What a write changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Anything that reads may return.
    Data,
    /// Only what no lookup of people shows: counters, times of last use, leases of jobs.
    Bookkeeping,
}

/// A transaction without its types, so that everything around it is compiled once and not for each caller. It keeps its outcome to itself,
/// and answers whether to commit.
pub type Job = Box<dyn for<'a> FnOnce(&'a mut Sql) -> BoxFuture<'a, bool> + Send>;

type Slot = Arc<Mutex<Option<Box<dyn Any + Send>>>>;

/// Where a job leaves its outcome.
pub struct Outcome<T, E>(Slot, PhantomData<fn() -> Result<T, E>>);

/// A job, and where its outcome will be.
pub fn erase<T, E>(transaction: impl Transaction<T, E>) -> (Job, Outcome<T, E>)
where
    T: Send + 'static,
    E: Send + 'static,
{
    let slot = Slot::default();
    let filled = slot.clone();
    let job: Job = Box::new(move |sql| {
        let work = transaction(sql);
        Box::pin(async move {
            let outcome = work.await;
            let commit = outcome.is_ok();
            fill(&filled, Box::new(outcome));
            commit
        })
    });
    (job, Outcome(slot, PhantomData))
}

fn fill(slot: &Slot, outcome: Box<dyn Any + Send>) {
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
}

fn take(slot: &Slot) -> Option<Box<dyn Any + Send>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl<T: 'static, E: From<Error> + 'static> Outcome<T, E> {
    /// The outcome of the job, unless its transaction has failed.
    pub fn after(self, ended: Result<()>) -> Result<T, E> {
        ended?;
        match take(&self.0).map(|outcome| outcome.downcast::<Result<T, E>>()) {
            Some(Ok(outcome)) => *outcome,
            _ => Err(Error::Broken("a job has no outcome".to_owned()).into()),
        }
    }
}
