//! Counters of rate limits that all nodes share, in Valkey or Redis.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult, Script, aio::MultiplexedConnection};
use tokio::{runtime::Handle, time::timeout};

use super::{rate_limits::Failure, without_password};
use crate::domain::rate_limit::{Claim, Counter, Grant, LEASES_OF_REST, Policy};

/// How long an answer may take: requests wait for it.
pub const DEADLINE: Duration = Duration::from_millis(200);
/// How long it may take when nobody waits but an operator.
pub const PATIENT_DEADLINE: Duration = Duration::from_secs(5);
/// How long connecting may take at least, with TLS and the password.
const CONNECT: Duration = Duration::from_secs(1);
/// How long a key is kept after its window, in microseconds, because clocks differ.
const RETENTION: i64 = 60_000_000;

/// Does what `Counter::claim` does. Scripts run one at a time. Numbers are written as whole ones: Lua would round large ones.
const CLAIM: &str = "
local now, start, known, owed = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local ceiling, most, shrink = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local window, throttle = tonumber(ARGV[8]), tonumber(ARGV[9])
local row = redis.call('HMGET', KEYS[1], 'start', 'used', 'last')
local s, used, last = tonumber(row[1] or ''), tonumber(row[2] or ''), tonumber(row[3] or '')
if not (s and used and last) or s >= now + window then
  s, used, last = start, known, now
elseif s + window <= now then
  s, used, last = math.max(start, s + window), known, now
elseif known > 0 and start <= s and start + window > s then
  used = start == s and math.max(used, known) or used + known
  s = start
end
used = used + owed
local granted = 0
if used < ceiling then
  granted = math.max(1, math.min(most, math.floor((ceiling - used) / shrink)))
elseif now - last >= throttle then
  granted = 1
end
if granted > 0 then
  used = used + granted
  last = now
end
local whole = function(number) return string.format('%.0f', number) end
redis.call('HSET', KEYS[1], 'start', whole(s), 'used', whole(used), 'last', whole(last))
redis.call('PEXPIRE', KEYS[1], ARGV[10])
return {granted, s, used, last}
";

/// A server, with one connection that all requests share.
pub struct Valkey {
    client: Client,
    script: Script,
    deadline: Duration,
    kept: Mutex<Kept>,
    /// Held while connecting.
    turn: tokio::sync::Mutex<()>,
    /// The runtime of the connection: those of requests are busy with them.
    runtime: Option<Handle>,
    /// The URL without its password.
    shown: String,
}

#[derive(Default)]
struct Kept {
    connection: Option<MultiplexedConnection>,
    /// The number of connections that were made.
    number: u64,
}

/// A connection, and its number.
struct Numbered {
    connection: MultiplexedConnection,
    number: u64,
    is_new: bool,
}

impl Valkey {
    /// Does not connect yet: a server that is away must not keep this one from starting. The error message does not contain secrets.
    pub fn new(url: &str, deadline: Duration) -> Result<Self, String> {
        if !["redis://", "rediss://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(
                "the URL of rate limits must look like redis://user:password@host:6379/0, or rediss://… for TLS"
                    .to_owned(),
            );
        }
        // Two providers are linked, and rustls does not choose. It may already be installed.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let client = Client::open(url).map_err(|error| format!("invalid URL of rate limits: {error}"))?;
        Ok(Self {
            client,
            script: Script::new(CLAIM),
            deadline,
            kept: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            runtime: Handle::try_current().ok(),
            shown: without_password(url),
        })
    }

    /// The URL without its password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    pub async fn claim(&self, digest: &str, claim: &Claim) -> Result<Grant, Failure> {
        // The connection that was used last.
        let mut number = None;
        let answer =
            timeout(self.deadline + self.longest_connect(), self.run(digest, claim, &mut number)).await;
        let failed = |why: String| Failure { why, is_unanswered: false };
        let answer: Result<[i64; 4], Failure> = match answer {
            Ok(Ok(answer)) => {
                answer.try_into().map_err(|_| failed("it answers something unexpected".to_owned()))
            }
            Ok(Err(error)) => {
                Err(Failure { why: error.to_string(), is_unanswered: number.is_some() && error.is_timeout() })
            }
            Err(_) if number.is_some() => Err(Failure::unanswered()),
            Err(_) => Err(failed("it does not accept a connection in time".to_owned())),
        };
        if let (Err(_), Some(number)) = (&answer, number) {
            // The next claim connects again. After a failover, the old server may still accept connections.
            self.forget(number);
        }
        let [permits, start, used, last] = answer?;
        Ok(Grant { permits, counter: Counter { start, used, last } })
    }

    /// Connects, authenticates, and runs the script.
    pub async fn check(&self) -> Result<(), String> {
        let policy = Policy { ceiling: 1, window: Duration::from_secs(1), throttle: Duration::ZERO };
        self.claim("check", &Claim::single(policy, 0)).await.map(|_| ()).map_err(|failure| failure.why)
    }

    /// The time by the server's clock, in microseconds.
    pub async fn time(&self) -> Result<i64, String> {
        let mut connection = self.connection().await.map_err(|error| error.to_string())?.connection;
        let answer: RedisResult<(i64, i64)> = redis::cmd("TIME").query_async(&mut connection).await;
        let (seconds, micros) = answer.map_err(|error| error.to_string())?;
        Ok(seconds.saturating_mul(1_000_000).saturating_add(micros))
    }

    /// Runs the script. A kept connection may have been closed since it was used last; then it runs it on a new one.
    async fn run(&self, digest: &str, claim: &Claim, number: &mut Option<u64>) -> RedisResult<Vec<i64>> {
        let first = self.connection().await?;
        *number = Some(first.number);
        match self.invoke(first.connection, digest, claim).await {
            Err(error) if !first.is_new && error.is_connection_dropped() => {
                self.forget(first.number);
                *number = None;
                let second = self.connection().await?;
                *number = Some(second.number);
                self.invoke(second.connection, digest, claim).await
            }
            answer => answer,
        }
    }

    /// Runs the script by its digest; its text is sent if the server does not have it cached.
    async fn invoke(
        &self,
        mut connection: MultiplexedConnection,
        digest: &str,
        claim: &Claim,
    ) -> RedisResult<Vec<i64>> {
        let (window, throttle) = (claim.policy.window_micros(), claim.policy.throttle_micros());
        let mut call = self.script.prepare_invoke();
        call.key(format!("endonym:limit:{digest}"));
        for number in [claim.now, claim.start, claim.known, claim.owed] {
            call.arg(number);
        }
        for number in [i64::from(claim.policy.ceiling), claim.most, LEASES_OF_REST, window, throttle] {
            call.arg(number);
        }
        call.arg(window.saturating_add(RETENTION) / 1_000);
        call.invoke_async(&mut connection).await
    }

    async fn connection(&self) -> RedisResult<Numbered> {
        if let Some(kept) = self.kept_connection() {
            return Ok(kept);
        }
        let _turn = self.turn.lock().await;
        // Another request may have connected.
        if let Some(kept) = self.kept_connection() {
            return Ok(kept);
        }
        let connection = self.connect().await?;
        let mut kept = self.kept();
        kept.number += 1;
        kept.connection = Some(connection.clone());
        Ok(Numbered { connection, number: kept.number, is_new: true })
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.longest_connect()))
            .set_response_timeout(Some(self.deadline));
        let client = self.client.clone();
        let connecting = async move { client.get_multiplexed_async_connection_with_config(&config).await };
        match &self.runtime {
            Some(runtime) => {
                runtime.spawn(connecting.boxed()).await.unwrap_or_else(|error| Err(stopped(&error)))
            }
            None => connecting.await,
        }
    }

    fn longest_connect(&self) -> Duration {
        CONNECT.max(self.deadline)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_connection(&self) -> Option<Numbered> {
        let kept = self.kept();
        let connection = kept.connection.clone()?;
        Some(Numbered { connection, number: kept.number, is_new: false })
    }

    /// Closes a connection, if it is still the one that is kept.
    fn forget(&self, number: u64) {
        let mut kept = self.kept();
        if kept.number == number {
            kept.connection = None;
        }
    }
}

/// The runtime is shutting down.
fn stopped(error: &tokio::task::JoinError) -> RedisError {
    std::io::Error::other(error.to_string()).into()
}
