//! Request bodies: limits on size, time and the memory that bodies hold while they are read and processed.

use std::{
    collections::HashMap,
    future::Future,
    net::IpAddr,
    pin::pin,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::{Extensions, StatusCode},
};
use http_body_util::BodyExt;
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

use super::client;
use crate::domain::{client_address::network, ids::InstitutionId};

/// Size, timeout and memory limits of request bodies. The server puts them into the extensions of each request with a
/// body: clones are counted among all cores, and most requests have none.
#[derive(Debug, Clone)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
    /// For authenticated callers.
    authenticated: Arc<Pool>,
    /// For anonymous clients, so that they cannot take memory from authenticated callers.
    anonymous: Arc<Pool>,
}

/// Limits for bodies of anonymous clients.
const ANONYMOUS_BYTES: usize = 1 << 20;
const ANONYMOUS_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of an oversized body is drained, so that the client reads the response.
const MAX_DRAINED: usize = 128 << 20;

impl BodyLimits {
    /// `memory` is for authenticated callers; anonymous clients share another quarter of it.
    pub fn new(bytes: usize, time: Duration, memory: usize) -> Self {
        // One body may exceed the pool, so that half-read bodies cannot deadlock.
        let authenticated = memory.saturating_sub(bytes);
        let anonymous = (memory / 4).saturating_sub(ANONYMOUS_BYTES).max(4 * ANONYMOUS_BYTES);
        Self {
            bytes,
            time,
            authenticated: Arc::new(Pool::new(authenticated, authenticated / 4 * 3)),
            anonymous: Arc::new(Pool::new(anonymous, anonymous / 4)),
        }
    }

    fn of(extensions: &Extensions) -> Self {
        static WITHOUT_BODY: LazyLock<BodyLimits> = LazyLock::new(BodyLimits::default);
        extensions.get::<Self>().unwrap_or(&WITHOUT_BODY).clone()
    }

    fn reserve_for_institution(&self, institution: InstitutionId) -> Reservation {
        Reservation::new(&self.authenticated, Owner::Institution(institution))
    }

    fn reserve_for_client(&self, extensions: &Extensions) -> Reservation {
        Reservation::new(&self.anonymous, Owner::Client(network(client::address(extensions))))
    }
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self::new(32 << 20, Duration::from_secs(60), 96 << 20)
    }
}

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyError {
    /// The connection was lost, or the chunked encoding is malformed.
    Broken,
    TooLarge {
        limit: usize,
    },
    TooSlow,
    /// Timed out waiting for memory.
    NoMemory,
}

impl BodyError {
    /// For HTML faces, which render their own message.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Broken => StatusCode::BAD_REQUEST,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::NoMemory => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// A body with its memory reservation. Keep the reservation as long as the body or anything parsed from it.
#[derive(Debug)]
pub struct BufferedBody {
    pub bytes: Bytes,
    pub reservation: Reservation,
}

/// Reads the body of an authenticated caller.
pub async fn read(
    extensions: &Extensions,
    institution: InstitutionId,
    body: Body,
) -> Result<BufferedBody, BodyError> {
    let limits = BodyLimits::of(extensions);
    let bounds = Bounds::authenticated(&limits, limits.bytes);
    BodyReader::new(body).finish(bounds, limits.reserve_for_institution(institution)).await
}

/// Like `read`, with its own size limit.
pub async fn read_limited(
    most: usize,
    extensions: &Extensions,
    institution: InstitutionId,
    body: Body,
) -> Result<BufferedBody, BodyError> {
    let limits = BodyLimits::of(extensions);
    BodyReader::new(body)
        .finish(Bounds::authenticated(&limits, most), limits.reserve_for_institution(institution))
        .await
}

/// Reads the body of an anonymous client.
pub async fn read_anonymous(
    most: usize,
    extensions: &Extensions,
    body: Body,
) -> Result<BufferedBody, BodyError> {
    let limits = BodyLimits::of(extensions);
    BodyReader::new(body)
        .finish(Bounds::anonymous(&limits, most), limits.reserve_for_client(extensions))
        .await
}

/// Reads a body that may contain the credentials of its caller. When it exceeds the limits for anonymous clients,
/// `identify` gets the bytes read so far and returns the institution of the caller, if it finds one.
pub async fn read_with_credentials<Fut: Future<Output = Option<InstitutionId>>>(
    extensions: &Extensions,
    body: Body,
    identify: impl FnOnce(Vec<u8>) -> Fut,
) -> Result<BufferedBody, BodyError> {
    let limits = BodyLimits::of(extensions);
    let (anonymous, authenticated) =
        (Bounds::anonymous(&limits, limits.bytes), Bounds::authenticated(&limits, limits.bytes));
    let mut reader = BodyReader::new(body);
    let mut reservation = limits.reserve_for_client(extensions);
    let error = match reader.read_to_end(anonymous, &mut reservation).await {
        Ok(()) => return Ok(reader.into_buffered(reservation)),
        Err(error @ (BodyError::TooLarge { .. } | BodyError::TooSlow)) => error,
        Err(error) => return Err(reader.refuse(anonymous, reservation, error).await),
    };
    match identify(reader.bytes.clone()).await {
        Some(institution) => {
            let theirs = limits.reserve_for_institution(institution);
            drop(reservation);
            reader.finish(authenticated, theirs).await
        }
        None => Err(reader.refuse(anonymous, reservation, error).await),
    }
}

/// Drains a body, so that the client reads the response.
pub async fn discard(extensions: &Extensions, body: Body) {
    let limits = BodyLimits::of(extensions);
    BodyReader::new(body).discard(limits.time).await;
}

/// Like `discard`, with the timeout for anonymous clients.
pub async fn discard_anonymous(extensions: &Extensions, body: Body) {
    let limits = BodyLimits::of(extensions);
    BodyReader::new(body).discard(limits.time.min(ANONYMOUS_TIMEOUT)).await;
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    bytes: usize,
    /// For the whole body.
    time: Duration,
    /// For the next chunk: a stalled client must not hold memory for long.
    pause: Duration,
}

impl Bounds {
    fn authenticated(limits: &BodyLimits, most: usize) -> Self {
        Self { bytes: most, time: limits.time, pause: limits.time / 3 }
    }

    fn anonymous(limits: &BodyLimits, most: usize) -> Self {
        let time = limits.time.min(ANONYMOUS_TIMEOUT);
        Self { bytes: most.min(ANONYMOUS_BYTES), time, pause: time }
    }
}

/// A body that is being read.
struct BodyReader {
    body: Body,
    started: Instant,
    bytes: Vec<u8>,
    /// Received, but not yet reserved.
    next: Bytes,
}

impl BodyReader {
    fn new(body: Body) -> Self {
        Self { body, started: Instant::now(), bytes: Vec::new(), next: Bytes::new() }
    }

    /// Reads to the end. After an error it may be called again with other bounds.
    async fn read_to_end(&mut self, bounds: Bounds, reservation: &mut Reservation) -> Result<(), BodyError> {
        let deadline = self.started + bounds.time;
        loop {
            let length = self.bytes.len().saturating_add(self.next.len());
            if length > bounds.bytes {
                return Err(BodyError::TooLarge { limit: bounds.bytes });
            }
            timeout_at(deadline, reservation.grow(length)).await.map_err(|_| BodyError::NoMemory)?;
            self.bytes.extend_from_slice(&std::mem::take(&mut self.next));
            let pause = deadline.min(Instant::now() + bounds.pause);
            match timeout_at(pause, self.body.frame()).await {
                Err(_) => return Err(BodyError::TooSlow),
                Ok(None) => return Ok(()),
                Ok(Some(Err(_))) => return Err(BodyError::Broken),
                Ok(Some(Ok(frame))) => self.next = frame.into_data().unwrap_or_default(),
            }
        }
    }

    async fn finish(
        mut self,
        bounds: Bounds,
        mut reservation: Reservation,
    ) -> Result<BufferedBody, BodyError> {
        match self.read_to_end(bounds, &mut reservation).await {
            Ok(()) => Ok(self.into_buffered(reservation)),
            Err(error) => Err(self.refuse(bounds, reservation, error).await),
        }
    }

    fn into_buffered(self, reservation: Reservation) -> BufferedBody {
        BufferedBody { bytes: self.bytes.into(), reservation }
    }

    async fn refuse(self, bounds: Bounds, reservation: Reservation, error: BodyError) -> BodyError {
        drop(reservation);
        self.discard(bounds.time).await;
        error
    }

    /// Drains the rest, up to a limit. Closing the connection with unread data would reset it, and the client could
    /// lose the response.
    async fn discard(mut self, time: Duration) {
        self.bytes = Vec::new();
        let mut left = MAX_DRAINED;
        while left > 0
            && let Ok(Some(Ok(frame))) = timeout_at(self.started + time, self.body.frame()).await
        {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
    }
}

/// Memory for bodies that are being read or processed, which bounds the total for any number of uploads. It is
/// reserved as bytes arrive, so a large `Content-Length` alone reserves nothing.
#[derive(Debug)]
struct Pool {
    total: usize,
    /// The maximum per owner.
    share: usize,
    used: Mutex<Used>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_owner: HashMap<Owner, usize>,
    /// One body may exceed the pool; only its own size limit applies to it.
    over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Institution(InstitutionId),
    Client(IpAddr),
}

/// The first bytes of a body are free, so most requests skip the accounting.
const FREE_BYTES: usize = 16 << 10;
const STEP: usize = 64 << 10;

impl Pool {
    fn new(total: usize, share: usize) -> Self {
        Self { total, share, used: Mutex::default(), freed: Notify::new() }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Memory reserved for one body; released on drop.
#[derive(Debug)]
pub struct Reservation {
    pool: Arc<Pool>,
    owner: Owner,
    bytes: usize,
    is_over: bool,
}

impl Reservation {
    fn new(pool: &Arc<Pool>, owner: Owner) -> Self {
        Self { pool: pool.clone(), owner, bytes: 0, is_over: false }
    }

    /// Waits until a body of this length fits.
    async fn grow(&mut self, length: usize) {
        if length <= FREE_BYTES || length <= self.bytes || self.is_over {
            return;
        }
        let wanted = length.next_multiple_of(STEP);
        let pool = self.pool.clone();
        loop {
            let mut freed = pin!(pool.freed.notified());
            // Register before checking, or a release in between would be missed.
            freed.as_mut().enable();
            if self.try_grow(wanted) {
                return;
            }
            freed.await;
        }
    }

    fn try_grow(&mut self, wanted: usize) -> bool {
        let (pool, more) = (self.pool.clone(), wanted - self.bytes);
        let mut used = pool.used();
        let own = used.by_owner.get(&self.owner).copied().unwrap_or_default();
        if used.all + more <= pool.total && own + more <= pool.share {
            used.all += more;
            used.by_owner.insert(self.owner, own + more);
            self.bytes = wanted;
            true
        } else if used.over {
            false
        } else {
            used.over = true;
            self.is_over = true;
            true
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes == 0 && !self.is_over {
            return;
        }
        let mut used = self.pool.used();
        used.all -= self.bytes;
        if self.is_over {
            used.over = false;
        }
        let left = used.by_owner.get(&self.owner).copied().unwrap_or_default().saturating_sub(self.bytes);
        if left == 0 {
            used.by_owner.remove(&self.owner);
        } else {
            used.by_owner.insert(self.owner, left);
        }
        drop(used);
        self.pool.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const MIB: usize = 1 << 20;

    fn reservation(pool: &Arc<Pool>, institution: i64) -> Reservation {
        Reservation::new(pool, Owner::Institution(InstitutionId::new(institution)))
    }

    fn grows(reservation: &mut Reservation, length: usize) -> bool {
        reservation.grow(length).now_or_never().is_some()
    }

    #[test]
    fn memory_is_taken_as_bytes_arrive_and_given_back() {
        let pool = Arc::new(Pool::new(8 * MIB, 6 * MIB));
        let (mut one, mut other) = (reservation(&pool, 1), reservation(&pool, 2));
        assert!(grows(&mut one, FREE_BYTES));
        assert_eq!(pool.used().all, 0, "most bodies are small");
        assert!(grows(&mut one, FREE_BYTES + 1));
        assert_eq!(pool.used().all, STEP);
        assert!(grows(&mut one, 2 * MIB) && grows(&mut other, MIB));
        assert_eq!(pool.used().all, 3 * MIB);
        drop(one);
        assert_eq!(pool.used().by_owner.values().copied().collect::<Vec<_>>(), [MIB]);
        drop(other);
        assert_eq!(pool.used().all, 0);
        assert!(pool.used().by_owner.is_empty(), "nobody who is done is remembered");
    }

    /// Without this, half-read bodies would deadlock.
    #[test]
    fn one_body_goes_over_and_the_others_wait() {
        let pool = Arc::new(Pool::new(8 * MIB, 6 * MIB));
        let (mut one, mut other, mut third) =
            (reservation(&pool, 1), reservation(&pool, 1), reservation(&pool, 2));
        assert!(grows(&mut one, 3 * MIB) && grows(&mut other, 3 * MIB));
        assert!(grows(&mut one, 4 * MIB), "over its institution's share");
        assert!(grows(&mut one, 32 * MIB), "and on to its end");
        assert!(!grows(&mut other, 4 * MIB), "the next one waits");
        assert!(grows(&mut third, 2 * MIB), "others have their own share");
        drop(one);
        assert!(grows(&mut other, 6 * MIB));
    }

    #[tokio::test]
    async fn a_waiting_reader_is_woken() {
        let pool = Arc::new(Pool::new(2 * MIB, 2 * MIB));
        let (mut one, mut over, mut waiting) =
            (reservation(&pool, 1), reservation(&pool, 2), reservation(&pool, 3));
        one.grow(2 * MIB).await;
        over.grow(MIB).await;
        let waiting = tokio::spawn(async move { waiting.grow(MIB).await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(one);
        tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
    }
}
