//! Limits streamed responses. Each holds memory until its client has read it, so their number is limited, in total
//! and per institution. If all slots are taken, institutions take turns.

use std::{
    collections::HashMap,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    Error, Result,
    slots::{self, Slots},
};
use crate::domain::ids::InstitutionId;

/// A file that is made while it is sent.
pub trait Chunks: Send + 'static {
    /// The next chunk; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>>> + Send;
}

#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Over all institutions.
    pub at_once: usize,
    pub per_institution: usize,
    /// How long a request waits for a slot before it is refused.
    pub wait: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self { at_once: 256, per_institution: 64, wait: Duration::from_secs(5) }
    }
}

pub struct Streams {
    per_institution: usize,
    wait: Duration,
    all: Slots,
    institutions: Mutex<HashMap<InstitutionId, Arc<Semaphore>>>,
}

/// A permit for one streamed response, released on drop.
pub struct Slot {
    _of_institution: OwnedSemaphorePermit,
    _of_all: slots::Slot,
}

impl Streams {
    pub fn new(settings: Settings) -> Self {
        let at_once = settings.at_once.clamp(2, Semaphore::MAX_PERMITS);
        Self {
            per_institution: settings.per_institution.clamp(1, at_once - 1),
            wait: settings.wait,
            all: Slots::new(at_once),
            institutions: Mutex::default(),
        }
    }

    pub async fn slot(&self, institution: InstitutionId) -> Result<Slot> {
        let own = {
            let mut institutions = self.institutions.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Semaphore::new(self.per_institution));
            institutions.entry(institution).or_insert_with(new).clone()
        };
        let both = async {
            // The institution's permit first: waiting for it takes nothing from others.
            let of_institution = own.acquire_owned().await.ok()?;
            let of_all = self.all.take(institution).await;
            Some(Slot { _of_institution: of_institution, _of_all: of_all })
        };
        tokio::time::timeout(self.wait, both).await.ok().flatten().ok_or(Error::TooManyStreams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_institution_never_has_all_slots_and_a_slot_given_back_is_taken_again() {
        let wait = Duration::from_millis(50);
        let streams = Streams::new(Settings { at_once: 4, per_institution: 100, wait });
        let mut first = Vec::new();
        for _ in 0..3 {
            first.push(streams.slot(InstitutionId::new(1)).await.expect("a slot"));
        }
        assert!(matches!(streams.slot(InstitutionId::new(1)).await, Err(Error::TooManyStreams)));
        let second = streams.slot(InstitutionId::new(2)).await.expect("one is left to others");
        assert!(
            matches!(streams.slot(InstitutionId::new(3)).await, Err(Error::TooManyStreams)),
            "all are taken"
        );
        first.pop();
        let _third = streams.slot(InstitutionId::new(3)).await.expect("one has come free");
        drop(second);
        assert!(streams.slot(InstitutionId::new(1)).await.is_ok());
    }

    #[tokio::test]
    async fn many_waiting_lists_of_one_institution_delay_another_by_one() {
        use futures_util::FutureExt;

        let streams =
            Streams::new(Settings { at_once: 4, per_institution: 3, wait: Duration::from_secs(60) });
        let [one, two, three] = [1, 2, 3].map(InstitutionId::new);
        let mut held = Vec::new();
        for institution in [one, one, one, three] {
            held.push(streams.slot(institution).await.expect("a slot"));
        }
        let mut many: Vec<_> = (0..2).map(|_| Box::pin(streams.slot(three))).collect();
        let mut single = Box::pin(streams.slot(two));
        for waiting in &mut many {
            assert!(waiting.now_or_never().is_none(), "all slots are taken");
        }
        assert!((&mut single).now_or_never().is_none());
        held.pop();
        // The list of institution 3 came first.
        held.push(many.remove(0).now_or_never().expect("a slot").expect("a slot"));
        held.pop();
        assert!(many.remove(0).now_or_never().is_none(), "it has had its turn");
        assert!(single.now_or_never().is_some_and(|slot| slot.is_ok()));
    }
}
