//! Limits streamed responses. Each holds memory until its client has read it, so their number is limited, in total
//! and per institution. If all slots are taken, institutions take turns.

use std::{
    collections::HashMap,
    future::Future,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    Error, Result,
    slots::{self, Slots},
};
use crate::domain::{
    client_address::{Client, network},
    ids::InstitutionId,
};

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
    /// Those that hold a slot or wait for one.
    clients: Mutex<HashMap<(InstitutionId, IpAddr), Arc<Semaphore>>>,
}

/// A client that anybody can be has at most this part of the slots of an institution.
const CLIENTS: usize = 4;

/// A permit for one streamed response, released on drop.
pub struct Slot {
    _of_client: Option<OwnedSemaphorePermit>,
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
            clients: Mutex::default(),
        }
    }

    pub async fn slot(&self, institution: InstitutionId) -> Result<Slot> {
        self.slot_within(institution, None).await
    }

    /// The same for visitors without a session: no address takes the slots of all others, however slowly it reads.
    pub async fn slot_for(&self, institution: InstitutionId, client: Client) -> Result<Slot> {
        let share = match client.is_proxy {
            // Many may be behind it, but not all.
            true => self.per_institution - 1,
            false => self.per_institution / CLIENTS,
        };
        let share = {
            let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
            clients.retain(|_, share| Arc::strong_count(share) > 1);
            let new = || Arc::new(Semaphore::new(share.max(1)));
            clients.entry((institution, network(client.address))).or_insert_with(new).clone()
        };
        self.slot_within(institution, Some(share)).await
    }

    async fn slot_within(&self, institution: InstitutionId, share: Option<Arc<Semaphore>>) -> Result<Slot> {
        let own = {
            let mut institutions = self.institutions.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Semaphore::new(self.per_institution));
            institutions.entry(institution).or_insert_with(new).clone()
        };
        let both = async {
            // The client's permit first, and then the institution's: waiting for them takes nothing from others.
            let of_client = match share {
                Some(share) => Some(share.acquire_owned().await.ok()?),
                None => None,
            };
            let of_institution = own.acquire_owned().await.ok()?;
            let of_all = self.all.take(institution).await;
            Some(Slot { _of_client: of_client, _of_institution: of_institution, _of_all: of_all })
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
    async fn one_client_takes_no_more_than_its_share() {
        let streams =
            Streams::new(Settings { at_once: 32, per_institution: 8, wait: Duration::from_millis(50) });
        let client = |address: &str, is_proxy| {
            let address: IpAddr = address.parse().unwrap();
            Client { address, peer: address, is_proxy }
        };
        let one = InstitutionId::new(1);
        let mut held = Vec::new();
        for address in ["2001:db8::1", "2001:db8::2"] {
            held.push(streams.slot_for(one, client(address, false)).await.expect("a slot"));
        }
        let refused = streams.slot_for(one, client("2001:db8::3", false)).await;
        assert!(matches!(refused, Err(Error::TooManyStreams)), "a network of IPv6 is one client");
        let elsewhere = streams.slot_for(InstitutionId::new(2), client("2001:db8::3", false)).await;
        drop(elsewhere.expect("each institution has shares of its own"));
        held.push(streams.slot_for(one, client("192.0.2.1", false)).await.expect("others have theirs"));
        held.clear();
        for _ in 0..7 {
            held.push(streams.slot_for(one, client("127.0.0.1", true)).await.expect("many clients"));
        }
        assert!(streams.slot_for(one, client("127.0.0.1", true)).await.is_err());
        held.push(streams.slot_for(one, client("192.0.2.1", false)).await.expect("one is left"));
        drop(held);
        assert!(streams.slot_for(one, client("127.0.0.1", true)).await.is_ok());
        assert_eq!(streams.clients.lock().unwrap().len(), 1, "idle clients are forgotten");
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
