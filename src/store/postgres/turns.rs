//! Turns to write. Writes of one institution wait for each other inside PostgreSQL, each with a connection. Without a bound, those of one
//! institution would take all turns while its lock is held, and the writes of all others would wait until they give up.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Postgres, client::Client, too_many_writes};
use crate::{
    domain::ids::InstitutionId,
    store::{db::Result, transaction::Effect},
};

/// How many turns each institution has at a time.
pub struct Shares {
    each: usize,
    /// Of those who have one or wait for it.
    taken: Mutex<HashMap<InstitutionId, Arc<Semaphore>>>,
}

impl Shares {
    /// Half of all turns.
    pub fn of(turns: usize) -> Self {
        Self { each: (turns / 2).max(1), taken: Mutex::default() }
    }

    fn share(&self, institution: InstitutionId) -> Arc<Semaphore> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = taken.get(&institution) {
            return share.clone();
        }
        taken.retain(|_, share| Arc::strong_count(share) > 1);
        let share = Arc::new(Semaphore::new(self.each));
        taken.insert(institution, share.clone());
        share
    }
}

/// The turn of a transaction.
pub struct Turn {
    postgres: Arc<Postgres>,
    effect: Effect,
    permit: Option<OwnedSemaphorePermit>,
    /// Of the institution that it locks.
    share: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// Waits for a turn, and for a connection.
    pub async fn wait(postgres: Arc<Postgres>, effect: Effect) -> Result<(Self, Client)> {
        let (permit, client) = postgres.writer(effect).await?;
        Ok((Self { postgres, effect, permit, share: None }, client))
    }

    /// To be called before an institution is locked. If its share is taken, the turn and the connection are given back until one of the others
    /// has ended: nothing was sent yet. A transaction that has begun keeps them, because it may hold what others wait for.
    pub async fn enter(&mut self, client: &mut Client, institution: InstitutionId) -> Result<()> {
        if self.share.is_some() {
            return Ok(());
        }
        let share = self.postgres.shares.share(institution);
        if let Ok(free) = share.clone().try_acquire_owned() {
            self.share = Some(free);
            return Ok(());
        }
        if !client.progress.is_untouched() {
            return Ok(());
        }
        drop((client.connection.take(), self.permit.take()));
        let free = tokio::time::timeout(self.postgres.timeout, share.acquire_owned()).await;
        self.share = free.map_err(|_| too_many_writes())?.ok();
        let (permit, mut fresh) = self.postgres.writer(self.effect).await?;
        (self.permit, client.connection) = (permit, fresh.connection.take());
        Ok(())
    }
}
