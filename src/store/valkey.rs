//! Counters of rate limits that all nodes share, in Valkey or Redis.

use std::time::Duration;

use redis::{AsyncConnectionConfig, Client, RedisResult, Script, aio::MultiplexedConnection};
use tokio::sync::Mutex;

use super::without_password;
use crate::domain::rate_limit::{Claim, Counter, Grant, LEASES_OF_REST, Policy};

/// How long an answer may take: requests wait for it.
pub const DEADLINE: Duration = Duration::from_millis(200);
/// How long connecting may take, with TLS and the password.
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
if not (s and used and last) or s + window <= now or s >= now + window then
  s, used, last = start, known, now
elseif s == start then
  used = math.max(used, known)
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
    connection: Mutex<Option<MultiplexedConnection>>,
    /// The URL without its password.
    shown: String,
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
        let (script, connection) = (Script::new(CLAIM), Mutex::new(None));
        Ok(Self { client, script, deadline, connection, shown: without_password(url) })
    }

    /// The URL without its password.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    pub async fn claim(&self, digest: &str, claim: &Claim) -> Result<Grant, String> {
        let answer = tokio::time::timeout(self.deadline + CONNECT, self.run(digest, claim)).await;
        let answer = match answer {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(_) => Err("it did not answer in time".to_owned()),
        };
        if answer.is_err() {
            // The next claim connects again. After a failover, the old server may still accept connections.
            *self.connection.lock().await = None;
        }
        let answer: [i64; 4] =
            answer?.try_into().map_err(|_| "it answers something unexpected".to_owned())?;
        let [permits, start, used, last] = answer;
        Ok(Grant { permits, counter: Counter { start, used, last } })
    }

    /// Connects, authenticates, and runs the script.
    pub async fn check(&self) -> Result<(), String> {
        let policy = Policy { ceiling: 1, window: Duration::from_secs(1), throttle: Duration::ZERO };
        self.claim("check", &Claim::single(policy, 0)).await.map(|_| ())
    }

    /// Runs the script by its digest; the server gets its text when it does not have it.
    async fn run(&self, digest: &str, claim: &Claim) -> RedisResult<Vec<i64>> {
        let mut connection = self.connection().await?;
        let (window, throttle) = (claim.policy.window_micros(), claim.policy.throttle_micros());
        let mut call = self.script.prepare_invoke();
        // Braces: in a cluster, they say what the slot depends on.
        call.key(format!("endonym:limit:{{{digest}}}"));
        for number in [claim.now, claim.start, claim.known, claim.owed] {
            call.arg(number);
        }
        for number in [i64::from(claim.policy.ceiling), claim.most, LEASES_OF_REST, window, throttle] {
            call.arg(number);
        }
        call.arg(window.saturating_add(RETENTION) / 1_000);
        call.invoke_async(&mut connection).await
    }

    async fn connection(&self) -> RedisResult<MultiplexedConnection> {
        let mut kept = self.connection.lock().await;
        if let Some(connection) = &*kept {
            return Ok(connection.clone());
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(self.deadline));
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await?;
        Ok(kept.insert(connection).clone())
    }
}
