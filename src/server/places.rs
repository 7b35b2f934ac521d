//! How many connections there may be, in all and from one address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;
use crate::domain::client_address::{TrustedProxies, network};

pub struct Places {
    all: Arc<Semaphore>,
    of_one: usize,
    trusted: TrustedProxies,
    taken: Arc<Taken>,
    telling: Arc<Semaphore>,
}

/// Connections that are open only to say that there are too many.
const TOLD_AT_ONCE: usize = 64;

#[derive(Default)]
struct Taken(Mutex<HashMap<IpAddr, usize>>);

impl Taken {
    fn by_address(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of one connection, free again when this goes.
pub struct Place {
    _free: OwnedSemaphorePermit,
    /// A trusted proxy stands for many clients, and is not counted.
    counted: Option<(Arc<Taken>, IpAddr)>,
}

impl Places {
    pub fn new(limits: &Limits) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limits.connections)),
            of_one: limits.connections_per_address.unwrap_or(limits.connections.div_ceil(2)),
            trusted: limits.trusted_proxies.clone(),
            taken: Arc::default(),
            telling: Arc::new(Semaphore::new(TOLD_AT_ONCE)),
        }
    }

    /// Waits until there is a place for anybody.
    pub async fn free(&self) -> Option<OwnedSemaphorePermit> {
        self.all.clone().acquire_owned().await.ok()
    }

    /// Leave to tell somebody that there is no place.
    pub fn telling(&self) -> Option<OwnedSemaphorePermit> {
        self.telling.clone().try_acquire_owned().ok()
    }

    /// `None` when this address has as many as it may have.
    pub fn take(&self, free: OwnedSemaphorePermit, peer: IpAddr) -> Option<Place> {
        if self.trusted.contains(peer) {
            return Some(Place { _free: free, counted: None });
        }
        let address = network(peer);
        let mut taken = self.taken.by_address();
        let own = taken.entry(address).or_default();
        if *own >= self.of_one {
            return None;
        }
        *own += 1;
        Some(Place { _free: free, counted: Some((self.taken.clone(), address)) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((taken, address)) = &self.counted else { return };
        let mut taken = taken.by_address();
        if let Some(own) = taken.get_mut(address) {
            *own -= 1;
            if *own == 0 {
                taken.remove(address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(limits: Limits) -> (Places, impl Fn(&Places, &str) -> Option<Place>) {
        let take = |places: &Places, peer: &str| {
            let free = places.all.clone().try_acquire_owned().unwrap();
            places.take(free, peer.parse().unwrap())
        };
        (Places::new(&limits), take)
    }

    #[test]
    fn one_address_has_half_of_the_places() {
        let (places, take) = places(Limits { connections: 6, ..Limits::default() });
        let held: Vec<Place> = (0..3).map(|_| take(&places, "192.0.2.7").unwrap()).collect();
        assert!(take(&places, "192.0.2.7").is_none());
        assert_eq!(places.all.available_permits(), 3, "whoever is refused holds nothing");
        let other = take(&places, "2001:db8::1").unwrap();
        drop(held);
        assert!(take(&places, "192.0.2.7").is_some());
        drop(other);
        assert!(places.taken.by_address().is_empty(), "nobody who has left is remembered");
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_proxy_is_none() {
        let limits = Limits { connections: 9, connections_per_address: Some(1), ..Limits::default() };
        let (places, take) = places(limits);
        let _one = take(&places, "2001:db8:1:2::1").unwrap();
        assert!(take(&places, "2001:db8:1:2:ffff::1").is_none());
        let _other = take(&places, "2001:db8:1:3::1").unwrap();
        let _proxies: Vec<Place> = (0..5).map(|_| take(&places, "127.0.0.1").unwrap()).collect();
    }
}
