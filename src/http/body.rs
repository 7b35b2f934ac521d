//! Bodies of requests: how much of them is read, for how long, and the memory that they take meanwhile.

use std::{
    collections::HashMap,
    future::Future,
    net::IpAddr,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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

/// How much a request may bring, and how long that may take. Put into each request by the server.
#[derive(Debug, Clone)]
pub struct BodyLimits {
    pub bytes: usize,
    pub time: Duration,
    /// For callers whom we know.
    known: Arc<Pool>,
    /// For everybody else, who must not take room from them.
    unknown: Arc<Pool>,
}

/// The most that is read for a caller whom we do not know, and for how long.
const UNKNOWN_BYTES: usize = 1 << 20;
const UNKNOWN_TIME: Duration = Duration::from_secs(10);
/// What is read of a body that is too large, so that its sender gets to read the answer.
const MOST_DISCARDED: usize = 128 << 20;

impl BodyLimits {
    /// `memory` is for callers whom we know; for others there is a quarter of it on top.
    pub fn new(bytes: usize, time: Duration, memory: usize) -> Self {
        // One body may go over, which keeps those that are half read from waiting for one another.
        let known = memory.saturating_sub(bytes);
        let unknown = (memory / 4).saturating_sub(UNKNOWN_BYTES).max(4 * UNKNOWN_BYTES);
        Self {
            bytes,
            time,
            known: Arc::new(Pool::new(known, known / 4 * 3)),
            unknown: Arc::new(Pool::new(unknown, unknown / 4)),
        }
    }

    fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    fn known_room(&self, institution: InstitutionId) -> Room {
        Room::new(&self.known, Owner::Institution(institution))
    }

    fn unknown_room(&self, extensions: &Extensions) -> Room {
        Room::new(&self.unknown, Owner::Client(network(client::address(extensions))))
    }
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self::new(32 << 20, Duration::from_secs(60), 96 << 20)
    }
}

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The connection was lost, or a chunk is malformed.
    Broken,
    TooLarge {
        limit: usize,
    },
    TooSlow,
    /// No memory came free in time.
    NoRoom,
}

impl Fault {
    /// For pages, which have words of their own.
    pub fn status(self) -> StatusCode {
        match self {
            Self::Broken => StatusCode::BAD_REQUEST,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

/// A body, and its share of the memory, to be kept as long as the body or what was made of it is.
#[derive(Debug)]
pub struct Whole {
    pub bytes: Bytes,
    pub room: Room,
}

/// The body of a caller whom we know.
pub async fn read(extensions: &Extensions, institution: InstitutionId, body: Body) -> Result<Whole, Fault> {
    let limits = BodyLimits::of(extensions);
    let bounds = Bounds::known(&limits, limits.bytes);
    Reading::new(body).end(bounds, limits.known_room(institution)).await
}

/// The same with a limit of its own.
pub async fn read_at_most(
    most: usize,
    extensions: &Extensions,
    institution: InstitutionId,
    body: Body,
) -> Result<Whole, Fault> {
    let limits = BodyLimits::of(extensions);
    Reading::new(body).end(Bounds::known(&limits, most), limits.known_room(institution)).await
}

/// The body of somebody whom we do not know.
pub async fn read_unknown(most: usize, extensions: &Extensions, body: Body) -> Result<Whole, Fault> {
    let limits = BodyLimits::of(extensions);
    Reading::new(body).end(Bounds::unknown(&limits, most), limits.unknown_room(extensions)).await
}

/// A body that says who sends it. Where more comes than is read for anybody, `know` looks at what is there so far; it
/// gives the institution of a caller whom it knows.
pub async fn read_introduced<Fut: Future<Output = Option<InstitutionId>>>(
    extensions: &Extensions,
    body: Body,
    know: impl FnOnce(Vec<u8>) -> Fut,
) -> Result<Whole, Fault> {
    let limits = BodyLimits::of(extensions);
    let (unknown, known) = (Bounds::unknown(&limits, limits.bytes), Bounds::known(&limits, limits.bytes));
    let mut reading = Reading::new(body);
    let mut room = limits.unknown_room(extensions);
    let fault = match reading.on(unknown, &mut room).await {
        Ok(()) => return Ok(reading.whole(room)),
        Err(fault @ (Fault::TooLarge { .. } | Fault::TooSlow)) => fault,
        Err(fault) => return Err(reading.refuse(unknown, room, fault).await),
    };
    match know(reading.bytes.clone()).await {
        Some(institution) => {
            let theirs = limits.known_room(institution);
            drop(room);
            reading.end(known, theirs).await
        }
        None => Err(reading.refuse(unknown, room, fault).await),
    }
}

/// Reads a body that nobody will look at, so that its sender gets to read the answer.
pub async fn discard(extensions: &Extensions, body: Body) {
    let limits = BodyLimits::of(extensions);
    Reading::new(body).discard(limits.time).await;
}

/// The same for somebody whom we do not know.
pub async fn discard_unknown(extensions: &Extensions, body: Body) {
    let limits = BodyLimits::of(extensions);
    Reading::new(body).discard(limits.time.min(UNKNOWN_TIME)).await;
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    bytes: usize,
    /// For all of it.
    time: Duration,
    /// For the next piece of it: whoever stops sending does not keep memory from others for long.
    pause: Duration,
}

impl Bounds {
    fn known(limits: &BodyLimits, most: usize) -> Self {
        Self { bytes: most, time: limits.time, pause: limits.time / 3 }
    }

    fn unknown(limits: &BodyLimits, most: usize) -> Self {
        let time = limits.time.min(UNKNOWN_TIME);
        Self { bytes: most.min(UNKNOWN_BYTES), time, pause: time }
    }
}

/// A body on its way in.
struct Reading {
    body: Body,
    started: Instant,
    bytes: Vec<u8>,
    /// Has come, and is not counted yet.
    next: Bytes,
}

impl Reading {
    fn new(body: Body) -> Self {
        Self { body, started: Instant::now(), bytes: Vec::new(), next: Bytes::new() }
    }

    /// Reads to the end. After a fault it can be tried again, with other bounds.
    async fn on(&mut self, bounds: Bounds, room: &mut Room) -> Result<(), Fault> {
        let deadline = self.started + bounds.time;
        loop {
            let length = self.bytes.len().saturating_add(self.next.len());
            if length > bounds.bytes {
                return Err(Fault::TooLarge { limit: bounds.bytes });
            }
            timeout_at(deadline, room.grow(length)).await.map_err(|_| Fault::NoRoom)?;
            self.bytes.extend_from_slice(&std::mem::take(&mut self.next));
            let pause = deadline.min(Instant::now() + bounds.pause);
            match timeout_at(pause, self.body.frame()).await {
                Err(_) => return Err(Fault::TooSlow),
                Ok(None) => return Ok(()),
                Ok(Some(Err(_))) => return Err(Fault::Broken),
                Ok(Some(Ok(frame))) => self.next = frame.into_data().unwrap_or_default(),
            }
        }
    }

    async fn end(mut self, bounds: Bounds, mut room: Room) -> Result<Whole, Fault> {
        match self.on(bounds, &mut room).await {
            Ok(()) => Ok(self.whole(room)),
            Err(fault) => Err(self.refuse(bounds, room, fault).await),
        }
    }

    fn whole(self, room: Room) -> Whole {
        Whole { bytes: self.bytes.into(), room }
    }

    async fn refuse(self, bounds: Bounds, room: Room, fault: Fault) -> Fault {
        drop(room);
        self.discard(bounds.time).await;
        fault
    }

    /// Reads what is left, within reason: closing the connection on it would keep the client from reading the answer.
    async fn discard(mut self, time: Duration) {
        self.bytes = Vec::new();
        let mut left = MOST_DISCARDED;
        while left > 0
            && let Ok(Some(Ok(frame))) = timeout_at(self.started + time, self.body.frame()).await
        {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
        }
    }
}

/// Memory for bodies that are being read or worked on: ten thousand uploads at once must not need the memory of ten
/// thousand. It is taken as bytes arrive, so whoever has announced much and sent little keeps little from others.
#[derive(Debug)]
struct Pool {
    total: usize,
    /// The most that one owner may have of it.
    share: usize,
    used: Mutex<Used>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_owner: HashMap<Owner, usize>,
    /// One body goes over, and is bounded by its own limit.
    over: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Institution(InstitutionId),
    Client(IpAddr),
}

/// The beginning of a body is not counted, which spares most requests this.
const NOT_COUNTED: usize = 16 << 10;
const STEP: usize = 64 << 10;

impl Pool {
    fn new(total: usize, share: usize) -> Self {
        Self { total, share, used: Mutex::default(), freed: Notify::new() }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The memory of one body, free again when this goes.
#[derive(Debug)]
pub struct Room {
    pool: Arc<Pool>,
    owner: Owner,
    bytes: usize,
    is_over: bool,
}

impl Room {
    fn new(pool: &Arc<Pool>, owner: Owner) -> Self {
        Self { pool: pool.clone(), owner, bytes: 0, is_over: false }
    }

    /// Waits until there is room for a body of that length.
    async fn grow(&mut self, length: usize) {
        if length <= NOT_COUNTED || length <= self.bytes || self.is_over {
            return;
        }
        let wanted = length.next_multiple_of(STEP);
        let pool = self.pool.clone();
        loop {
            let mut freed = pin!(pool.freed.notified());
            // Before looking, so that nothing is missed that is freed in between.
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

impl Drop for Room {
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

    fn room(pool: &Arc<Pool>, institution: i64) -> Room {
        Room::new(pool, Owner::Institution(InstitutionId::new(institution)))
    }

    fn grows(room: &mut Room, length: usize) -> bool {
        room.grow(length).now_or_never().is_some()
    }

    #[test]
    fn memory_is_taken_as_bytes_arrive_and_given_back() {
        let pool = Arc::new(Pool::new(8 * MIB, 6 * MIB));
        let (mut one, mut other) = (room(&pool, 1), room(&pool, 2));
        assert!(grows(&mut one, NOT_COUNTED));
        assert_eq!(pool.used().all, 0, "most bodies are small");
        assert!(grows(&mut one, NOT_COUNTED + 1));
        assert_eq!(pool.used().all, STEP);
        assert!(grows(&mut one, 2 * MIB) && grows(&mut other, MIB));
        assert_eq!(pool.used().all, 3 * MIB);
        drop(one);
        assert_eq!(pool.used().by_owner.values().copied().collect::<Vec<_>>(), [MIB]);
        drop(other);
        assert_eq!(pool.used().all, 0);
        assert!(pool.used().by_owner.is_empty(), "nobody who is done is remembered");
    }

    /// Bodies that are half read would otherwise wait for one another for ever.
    #[test]
    fn one_body_goes_over_and_the_others_wait() {
        let pool = Arc::new(Pool::new(8 * MIB, 6 * MIB));
        let (mut one, mut other, mut third) = (room(&pool, 1), room(&pool, 1), room(&pool, 2));
        assert!(grows(&mut one, 3 * MIB) && grows(&mut other, 3 * MIB));
        assert!(grows(&mut one, 4 * MIB), "over its institution's share");
        assert!(grows(&mut one, 32 * MIB), "and on to its end");
        assert!(!grows(&mut other, 4 * MIB), "the next one waits");
        assert!(grows(&mut third, 2 * MIB), "others have room of their own");
        drop(one);
        assert!(grows(&mut other, 6 * MIB));
    }

    #[tokio::test]
    async fn whoever_waits_is_woken() {
        let pool = Arc::new(Pool::new(2 * MIB, 2 * MIB));
        let (mut one, mut over, mut waiting) = (room(&pool, 1), room(&pool, 2), room(&pool, 3));
        one.grow(2 * MIB).await;
        over.grow(MIB).await;
        let waiting = tokio::spawn(async move { waiting.grow(MIB).await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(one);
        tokio::time::timeout(Duration::from_secs(10), waiting).await.unwrap().unwrap();
    }
}
