//! Authentication of API requests: maps the access token of a request to its institution.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    net::IpAddr,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use super::{App, Error, Result, limiter::LimitKey};
use crate::{
    domain::{
        access::{Access, Action},
        digest::{self, Digest},
        ids::{InstitutionId, TokenId},
        institution::Institution,
        moment::Moment,
    },
    store::{
        self, DataVersion,
        token_days::{self, TokenDay},
        tokens, versions,
    },
};

#[derive(Debug)]
pub struct Caller {
    pub token_id: TokenId,
    pub institution: Arc<Institution>,
    /// What the token permits, and which people it reaches.
    pub access: Access,
    /// The version of the database that this was read from.
    pub version: Option<DataVersion>,
}

impl Caller {
    pub fn check(&self, needs: Action) -> Result<()> {
        Ok(self.access.check(needs)?)
    }
}

/// How long it is not checked whether a token has changed. A revoked token must stop working within a second.
const CACHE_TIME: Duration = Duration::from_millis(400);
/// The same with SQLite, where the check reads memory. Until it is made, no answer is kept that was read after a write.
const SQLITE_CACHE_TIME: Duration = Duration::from_millis(100);
/// How long a token is used without reading it again, if nothing is said to have changed: somebody may have changed the database by hand.
const RELOAD_TIME: Duration = Duration::from_secs(30);

/// How long a token is cached that nobody uses.
const IDLE_TIME: Duration = Duration::from_secs(600);

/// What tells whether tokens have changed.
#[derive(Clone, Copy)]
struct Basis {
    /// With SQLite, the version of the database.
    version: Option<DataVersion>,
    /// With PostgreSQL, the version of all callers, which is one row.
    callers: Option<i64>,
    read_at: Instant,
}

struct CachedToken {
    caller: Arc<Caller>,
    expires_at: Option<Moment>,
    /// When its rows were read.
    loaded_at: Instant,
    /// As of when they are known to be the same.
    basis: Basis,
    /// The same for all that is cached of the token, one after the other, so that no request is lost.
    usage: Arc<Usage>,
}

/// The use of a token that is not yet written to the database.
#[derive(Default)]
struct Usage {
    /// When it was last used, or 0.
    used_at: AtomicI64,
    requests: AtomicU64,
}

impl CachedToken {
    /// Need it not be checked yet?
    fn is_recent(&self, instant: Instant) -> bool {
        let time = if self.basis.version.is_some() { SQLITE_CACHE_TIME } else { CACHE_TIME };
        instant.duration_since(self.basis.read_at) < time
    }

    /// Are its rows the same as when they were read?
    fn is_same_in(&self, basis: Basis, instant: Instant) -> bool {
        match basis.version {
            Some(_) => self.basis.version == basis.version,
            None => {
                self.basis.callers == basis.callers && instant.duration_since(self.loaded_at) < RELOAD_TIME
            }
        }
    }
}

/// The web origins that any institution allows.
struct Origins {
    listed: HashSet<String>,
    loaded_at: Instant,
    basis: Basis,
}

impl Origins {
    fn is_same_in(&self, basis: Basis, instant: Instant) -> bool {
        match basis.version {
            Some(_) => self.basis.version == basis.version,
            None => {
                self.basis.callers == basis.callers && instant.duration_since(self.loaded_at) < RELOAD_TIME
            }
        }
    }
}

/// The maximum number of concurrent lookups of unknown tokens from addresses over their limit of failures.
const MAX_SUSPECTS: usize = 2;

pub struct Callers {
    known: RwLock<HashMap<Digest, Arc<CachedToken>>>,
    /// What was read last, for all tokens. PostgreSQL only.
    basis: Mutex<Option<Basis>>,
    /// Whoever reads it. Others wait for the answer instead of asking too (single flight). In it is the last slow failure, and when it
    /// ended.
    reading: tokio::sync::Mutex<Option<(Instant, store::Error)>>,
    suspects: Semaphore,
    origins: tokio::sync::RwLock<Option<Origins>>,
    /// Tokens that were revoked, whose last requests are not yet written.
    revoked: Mutex<Vec<Arc<CachedToken>>>,
}

impl Default for Callers {
    fn default() -> Self {
        Self {
            known: RwLock::default(),
            basis: Mutex::default(),
            reading: tokio::sync::Mutex::default(),
            suspects: Semaphore::new(MAX_SUSPECTS),
            origins: tokio::sync::RwLock::default(),
            revoked: Mutex::default(),
        }
    }
}

impl Callers {
    fn fresh_basis(&self, instant: Instant) -> Option<Basis> {
        let last = *self.basis.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|last| instant.duration_since(last.read_at) < CACHE_TIME)
    }

    fn cached(&self, digest: &Digest) -> Option<Arc<CachedToken>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }

    /// Stops using a token that does not exist any more.
    fn forget(&self, digest: &Digest) {
        let gone = self.known.write().unwrap_or_else(PoisonError::into_inner).remove(digest);
        if let Some(gone) = gone {
            self.revoked.lock().unwrap_or_else(PoisonError::into_inner).push(gone);
        }
    }

    /// Keeps what was read of a token.
    fn remember(
        &self,
        digest: Digest,
        (caller, expires_at): (Arc<Caller>, Option<Moment>),
        (loaded_at, basis): (Instant, Basis),
    ) -> Arc<CachedToken> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let usage = known.get(&digest).map(|earlier| earlier.usage.clone()).unwrap_or_default();
        let cached = Arc::new(CachedToken { caller, expires_at, loaded_at, basis, usage });
        known.insert(digest, cached.clone());
        cached
    }
}

/// Authenticates a token sent from this address, and counts the request. Failures are rate-limited by address: over the limit they return
/// `TooManyFailures`. A valid token is accepted regardless of other requests from its address.
pub async fn authenticate(app: &App, token: &str, address: IpAddr) -> Result<Arc<Caller>> {
    let found = if token.is_empty() || token.len() > MAX_TOKEN_BYTES {
        Err(Error::Unauthorized)
    } else {
        find(app, token, Some(address)).await
    };
    if let Err(Error::Unauthorized) = found {
        let (limit_key, most) = (LimitKey::token_guesses(address), Some(app.auth_failures));
        let quota = app.limiter.take(limit_key, most, app.clock.instant()).await;
        if let Some(retry_after) = quota.retry_after {
            return Err(Error::TooManyFailures { retry_after });
        }
    }
    let found = found?;
    found.usage.requests.fetch_add(1, Ordering::Relaxed);
    Ok(found.caller.clone())
}

/// Returns whether any institution allows this web origin: a CORS preflight request does not identify the institution. Anybody can send them, with
/// origins at random, so it is answered from memory. The database is read when what it says may have changed, like tokens, and by one request at a
/// time.
pub async fn allows_origin(app: &App, origin: &str) -> Result<bool> {
    let instant = app.clock.instant();
    let basis = basis(app, instant).await?;
    let known = app.callers.origins.read().await;
    if let Some(known) = known.as_ref().filter(|known| known.is_same_in(basis, instant)) {
        return Ok(known.listed.contains(origin));
    }
    drop(known);
    let mut known = app.callers.origins.write().await;
    if let Some(known) = known.as_ref().filter(|known| known.is_same_in(basis, instant)) {
        return Ok(known.listed.contains(origin));
    }
    let listed: HashSet<String> =
        store::institutions::all_origins(&mut app.db.read()).await?.into_iter().collect();
    let is_listed = listed.contains(origin);
    *known = Some(Origins { listed, loaded_at: instant, basis });
    Ok(is_listed)
}

/// No valid token is longer.
const MAX_TOKEN_BYTES: usize = 500;

/// Like `authenticate`, for a token that is not a request of its own.
pub async fn identify(app: &App, token: &str, address: Option<IpAddr>) -> Result<Arc<Caller>> {
    Ok(find(app, token, address).await?.caller.clone())
}

/// A caller who is known without asking the database.
pub struct KnownCaller {
    token: Arc<CachedToken>,
    now: Moment,
}

impl KnownCaller {
    pub fn caller(&self) -> &Arc<Caller> {
        &self.token.caller
    }

    /// Counts a request, as `authenticate` does.
    pub fn count(&self) {
        self.token.usage.used_at.store(self.now.micros(), Ordering::Relaxed);
        self.token.usage.requests.fetch_add(1, Ordering::Relaxed);
    }
}

/// The caller of a token that was read from this version of the database, which is the current one.
pub fn known(app: &App, token: &str, version: DataVersion) -> Option<KnownCaller> {
    if token.is_empty() || token.len() > MAX_TOKEN_BYTES {
        return None;
    }
    let (token, now) = (app.callers.cached(&digest::of(token))?, app.clock.now());
    let is_valid = token.caller.version == Some(version) && token.expires_at.is_none_or(|end| end > now);
    // Before it looks idle, `find` renews it.
    let is_recent = app.clock.instant().duration_since(token.basis.read_at) < IDLE_TIME / 2;
    (is_valid && is_recent).then_some(KnownCaller { token, now })
}

async fn find(app: &App, token: &str, address: Option<IpAddr>) -> Result<Arc<CachedToken>> {
    let digest = digest::of(token);
    let (now, instant) = (app.clock.now(), app.clock.instant());
    let known = match app.callers.cached(&digest) {
        Some(known) if known.is_recent(instant) => known,
        None => {
            let _turn = suspect(app, address, instant).await;
            look_up(app, digest, instant, None).await?
        }
        earlier => look_up(app, digest, instant, earlier.as_ref()).await?,
    };
    if known.expires_at.is_some_and(|end| end <= now) {
        return Err(Error::Unauthorized);
    }
    known.usage.used_at.store(now.micros(), Ordering::Relaxed);
    Ok(known)
}

/// Throttles lookups of uncached tokens from an address over its limit of failures, so that guessing tokens puts little load
/// on the database. Cached tokens never wait here.
async fn suspect(
    app: &App,
    address: Option<IpAddr>,
    instant: Instant,
) -> Option<tokio::sync::SemaphorePermit<'_>> {
    let limit_key = LimitKey::token_guesses(address?);
    if !app.limiter.is_past(limit_key, app.auth_failures, instant) {
        return None;
    }
    tokio::time::timeout(SUSPECT_WAIT, app.callers.suspects.acquire()).await.ok()?.ok()
}

/// A client with a valid token may share the address, so the lookup proceeds after this timeout anyway.
const SUSPECT_WAIT: Duration = Duration::from_millis(500);

/// A read that fails after so long fails for all who wait for it. If each of them tried again, they would wait one after the other for a
/// database that does not respond.
const SLOW_FAILURE: Duration = Duration::from_millis(500);

/// Reads what tells whether tokens have changed. PostgreSQL is asked for one row, and not for each token.
async fn basis(app: &App, instant: Instant) -> Result<Basis> {
    let version = app.db.version();
    if version.is_some() {
        return Ok(Basis { version, callers: None, read_at: instant });
    }
    if let Some(last) = app.callers.fresh_basis(instant) {
        return Ok(last);
    }
    let mut failed = app.callers.reading.lock().await;
    if let Some(last) = app.callers.fresh_basis(instant) {
        return Ok(last);
    }
    if let Some((_, error)) = failed.as_ref().filter(|(at, _)| *at > instant) {
        return Err(error.clone().into());
    }
    let began = app.clock.instant();
    let read = versions::of_callers(&mut app.db.read()).await;
    if let Err(error) = &read {
        let ended = app.clock.instant();
        let is_slow = ended.saturating_duration_since(began) >= SLOW_FAILURE;
        *failed = is_slow.then(|| (ended, error.clone()));
    }
    let basis = Basis { version, callers: Some(read?), read_at: instant };
    *app.callers.basis.lock().unwrap_or_else(PoisonError::into_inner) = Some(basis);
    Ok(basis)
}

/// Unknown tokens are not cached (no negative caching), so that a new token works immediately.
async fn look_up(
    app: &App,
    digest: Digest,
    instant: Instant,
    earlier: Option<&Arc<CachedToken>>,
) -> Result<Arc<CachedToken>> {
    // Before the token is read: what is read may be newer, but never older.
    let basis = basis(app, instant).await?;
    let unchanged = earlier.filter(|earlier| earlier.is_same_in(basis, instant));
    if let (Some(earlier), None) = (unchanged, basis.version) {
        // What was read for all tokens says so: nothing has to be kept for each of them.
        return Ok(earlier.clone());
    }
    let (caller, expires_at, loaded_at) = match unchanged {
        Some(earlier) => (earlier.caller.clone(), earlier.expires_at, earlier.loaded_at),
        None => {
            let hex = digest::hex(&digest);
            let found = tokens::by_digest(&mut app.db.read(), &hex).await?;
            let found = found.filter(|found| found.digest.as_bytes().ct_eq(hex.as_bytes()).into());
            let Some(found) = found else {
                app.callers.forget(&digest);
                return Err(Error::Unauthorized);
            };
            let institution = Arc::new(found.institution);
            let (token_id, access, version) = (found.token_id, found.access, basis.version);
            (Arc::new(Caller { token_id, institution, access, version }), found.expires_at, instant)
        }
    };
    Ok(app.callers.remember(digest, (caller, expires_at), (loaded_at, basis)))
}

/// Use of a token that is about to be written.
struct Taken {
    token: Arc<CachedToken>,
    at: i64,
    requests: u64,
}

impl Taken {
    /// `None` if the token was not used.
    fn take(token: &Arc<CachedToken>, now: Moment) -> Option<Self> {
        let requests = token.usage.requests.swap(0, Ordering::Relaxed);
        match token.usage.used_at.swap(0, Ordering::Relaxed) {
            0 if requests == 0 => None,
            // The request that is counted here has set the time that was taken before.
            0 => Some(Self { token: token.clone(), at: now.micros(), requests }),
            at => Some(Self { token: token.clone(), at, requests }),
        }
    }

    fn put_back(&self) {
        self.token.usage.used_at.fetch_max(self.at, Ordering::Relaxed);
        self.token.usage.requests.fetch_add(self.requests, Ordering::Relaxed);
    }

    fn key(&self) -> (InstitutionId, TokenId) {
        (self.token.caller.institution.id, self.token.caller.token_id)
    }
}

impl Callers {
    /// Takes the use of all tokens, and evicts idle tokens from the cache. Also returns the revoked tokens among them.
    fn take_usage(&self, now: Moment, instant: Instant) -> (Vec<Taken>, Vec<Arc<CachedToken>>) {
        let mut taken = Vec::new();
        self.known.write().unwrap_or_else(PoisonError::into_inner).retain(|_, known| {
            let used = Taken::take(known, now);
            let is_used = used.is_some();
            taken.extend(used);
            is_used || instant.duration_since(known.basis.read_at) < IDLE_TIME
        });
        let revoked = std::mem::take(&mut *self.revoked.lock().unwrap_or_else(PoisonError::into_inner));
        taken.extend(revoked.iter().filter_map(|token| Taken::take(token, now)));
        (taken, revoked)
    }
}

/// The requests by token and day, sorted. A request is counted for the day of the last one, which is at most some seconds later.
fn by_day(taken: &[Taken]) -> Vec<TokenDay> {
    let mut days: BTreeMap<_, u64> = BTreeMap::new();
    for one in taken.iter().filter(|one| one.requests > 0) {
        let day = Moment::from_micros(one.at).date_in(&one.token.caller.institution.time_zone);
        let (institution, token) = one.key();
        *days.entry((institution, token, day)).or_default() += one.requests;
    }
    let counted = |((institution, token, day), requests)| TokenDay { institution, token, day, requests };
    days.into_iter().map(counted).collect()
}

/// Writes when tokens were last used, and how often, in one transaction.
pub async fn store_usage(app: &App) -> Result<()> {
    let (taken, revoked) = app.callers.take_usage(app.clock.now(), app.clock.instant());
    if taken.is_empty() {
        return Ok(());
    }
    let last_use = |one: &Taken| {
        let (institution, token) = one.key();
        (institution, token, Moment::from_micros(one.at))
    };
    let mut used: Vec<_> = taken.iter().map(last_use).collect();
    // So that processes that write the same tokens lock them in the same order.
    used.sort_unstable_by_key(|(institution, token, _)| (*institution, *token));
    let mut days = by_day(&taken);
    let stored: Result<()> = app
        .db
        .write_bookkeeping(move |sql| {
            Box::pin(async move {
                // Of an institution that was deleted in the meantime, nothing is kept.
                let there: HashSet<_> = tokens::used(sql, &used).await?.into_iter().collect();
                days.retain(|one| there.contains(&(one.institution, one.token)));
                Ok(token_days::add(sql, &days).await?)
            })
        })
        .await;
    if stored.is_err() {
        // The next time.
        taken.iter().for_each(Taken::put_back);
        app.callers.revoked.lock().unwrap_or_else(PoisonError::into_inner).extend(revoked);
    }
    stored
}
