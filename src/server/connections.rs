//! Connection limits: in total and per client address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Limits;
use crate::domain::client_address::{TrustedProxies, network};

pub struct ConnectionLimiter {
    all: Arc<Semaphore>,
    per_address: usize,
    trusted: TrustedProxies,
    taken: Arc<PerAddress>,
    rejections: Arc<Semaphore>,
}

/// Connections that are open only to be rejected with a response.
const MAX_REJECTIONS: usize = 64;

#[derive(Default)]
struct PerAddress(Mutex<HashMap<IpAddr, usize>>);

impl PerAddress {
    fn by_address(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of one connection, released on drop.
pub struct ConnectionPermit {
    _free: OwnedSemaphorePermit,
    /// `None` for trusted proxies, which represent many clients.
    counted: Option<(Arc<PerAddress>, IpAddr)>,
}

impl ConnectionLimiter {
    pub fn new(limits: &Limits) -> Self {
        Self {
            all: Arc::new(Semaphore::new(limits.connections)),
            per_address: limits.connections_per_address.unwrap_or(limits.connections.div_ceil(2)),
            trusted: limits.trusted_proxies.clone(),
            taken: Arc::default(),
            rejections: Arc::new(Semaphore::new(MAX_REJECTIONS)),
        }
    }

    /// Waits for a free connection.
    pub async fn free(&self) -> Option<OwnedSemaphorePermit> {
        self.all.clone().acquire_owned().await.ok()
    }

    /// A permit for rejecting a connection with a response.
    pub fn rejection_permit(&self) -> Option<OwnedSemaphorePermit> {
        self.rejections.clone().try_acquire_owned().ok()
    }

    /// `None` if this address has reached its limit.
    pub fn take(&self, free: OwnedSemaphorePermit, peer: IpAddr) -> Option<ConnectionPermit> {
        if self.trusted.contains(peer) {
            return Some(ConnectionPermit { _free: free, counted: None });
        }
        let address = network(peer);
        let mut taken = self.taken.by_address();
        let own = taken.entry(address).or_default();
        if *own >= self.per_address {
            return None;
        }
        *own += 1;
        Some(ConnectionPermit { _free: free, counted: Some((self.taken.clone(), address)) })
    }
}

impl Drop for ConnectionPermit {
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

    fn limiter(
        limits: Limits,
    ) -> (ConnectionLimiter, impl Fn(&ConnectionLimiter, &str) -> Option<ConnectionPermit>) {
        let take = |limiter: &ConnectionLimiter, peer: &str| {
            let free = limiter.all.clone().try_acquire_owned().unwrap();
            limiter.take(free, peer.parse().unwrap())
        };
        (ConnectionLimiter::new(&limits), take)
    }

    #[test]
    fn one_address_has_half_of_the_connections() {
        let (limiter, take) = limiter(Limits { connections: 6, ..Limits::default() });
        let held: Vec<ConnectionPermit> = (0..3).map(|_| take(&limiter, "192.0.2.7").unwrap()).collect();
        assert!(take(&limiter, "192.0.2.7").is_none());
        assert_eq!(limiter.all.available_permits(), 3, "a refused connection holds no permit");
        let other = take(&limiter, "2001:db8::1").unwrap();
        drop(held);
        assert!(take(&limiter, "192.0.2.7").is_some());
        drop(other);
        assert!(limiter.taken.by_address().is_empty(), "addresses without connections are removed");
    }

    #[test]
    fn a_network_of_ipv6_is_one_address_and_a_proxy_is_none() {
        let limits = Limits { connections: 9, connections_per_address: Some(1), ..Limits::default() };
        let (limiter, take) = limiter(limits);
        let _one = take(&limiter, "2001:db8:1:2::1").unwrap();
        assert!(take(&limiter, "2001:db8:1:2:ffff::1").is_none());
        let _other = take(&limiter, "2001:db8:1:3::1").unwrap();
        let _proxies: Vec<ConnectionPermit> = (0..5).map(|_| take(&limiter, "127.0.0.1").unwrap()).collect();
    }
}
