//! Rate limiting: a fixed number of requests per window, then one per throttle interval until the window ends. The rules are in
//! `domain/rate_limit.rs`. A single process counts in its memory; nodes share counters (ADR 24).

mod local;
mod shared;

use std::{net::IpAddr, sync::Arc, time::Instant};

use self::{
    local::Memory,
    shared::{Shared, Store},
};
pub use crate::domain::rate_limit::{Policy, Quota};
use crate::{
    clock::Clock,
    domain::{
        client_address::network,
        digest::{self, Digest},
        ids::{CourseId, InstitutionId, NamePageId, ScimConnectionId, TokenId},
        rate_limit::{Counter, Spending},
    },
    store::{Db, valkey::Valkey},
};

/// The key under which requests are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LimitKey {
    /// Versions 5, 4 and 3.
    Token(TokenId),
    /// Directories.
    Scim(ScimConnectionId),
    /// Version 2, where callers have only the code of a page; 0 is the institution's own code.
    PageCode {
        institution: InstitutionId,
        page: NamePageId,
    },
    /// Version 2 requests with an unknown code.
    CodeGuesses(IpAddr),
    /// Requests of versions 5, 4 and 3 with an unknown token.
    TokenGuesses(IpAddr),
    /// LTI launches.
    Launches(IpAddr),
    /// Requests for sign-in mails.
    SignIns(IpAddr),
    /// Mail to a mailbox, to a domain, and in all, requested by strangers where everybody may register.
    OpenMailbox(Digest),
    OpenDomain {
        institution: InstitutionId,
        domain: Digest,
    },
    OpenPages(InstitutionId),
    /// Sign-ins that start at an institution's provider.
    SsoSignIns(IpAddr),
    /// Refused sign-ins that are recorded for an institution, from one network or from all.
    RefusedSignIns {
        institution: InstitutionId,
        network: Option<IpAddr>,
    },
    /// Complaints about recordings.
    Reports(IpAddr),
    /// Requests for a recording by listeners.
    RecordingRequests(IpAddr),
    /// The same on one page, by visitors without a session.
    PageRecordingRequests {
        institution: InstitutionId,
        page: NamePageId,
    },
    /// Launches that trigger a roster fetch of a course.
    RosterFetches(CourseId),
}

impl LimitKey {
    /// A client usually controls a whole IPv6 /64, so it counts as one address.
    pub fn code_guesses(address: IpAddr) -> Self {
        Self::CodeGuesses(network(address))
    }

    pub fn token_guesses(address: IpAddr) -> Self {
        Self::TokenGuesses(network(address))
    }

    pub fn launches(address: IpAddr) -> Self {
        Self::Launches(network(address))
    }

    pub fn sign_ins(address: IpAddr) -> Self {
        Self::SignIns(network(address))
    }

    pub fn sso_sign_ins(address: IpAddr) -> Self {
        Self::SsoSignIns(network(address))
    }

    pub fn reports(address: IpAddr) -> Self {
        Self::Reports(network(address))
    }

    pub fn recording_requests(address: IpAddr) -> Self {
        Self::RecordingRequests(network(address))
    }

    /// Limits that protect secrets, mailboxes and moderators refuse while the store is away. The others go on with a part of the
    /// ceiling.
    const fn is_fail_closed(self) -> bool {
        match self {
            Self::TokenGuesses(_)
            | Self::SignIns(_)
            | Self::OpenMailbox(_)
            | Self::OpenDomain { .. }
            | Self::OpenPages(_)
            | Self::SsoSignIns(_)
            | Self::Reports(_)
            | Self::RecordingRequests(_)
            | Self::PageRecordingRequests { .. } => true,
            Self::Token(_)
            | Self::Scim(_)
            | Self::PageCode { .. }
            | Self::CodeGuesses(_)
            | Self::Launches(_)
            | Self::RefusedSignIns { .. }
            | Self::RosterFetches(_) => false,
        }
    }

    /// The largest number of permits that a node leases at a time. Those that cost others something are counted one by one.
    fn largest_lease(self, policy: Policy) -> i64 {
        match self {
            Self::SignIns(_)
            | Self::OpenMailbox(_)
            | Self::OpenDomain { .. }
            | Self::OpenPages(_)
            | Self::Reports(_)
            | Self::RecordingRequests(_)
            | Self::PageRecordingRequests { .. } => 1,
            Self::Token(_)
            | Self::Scim(_)
            | Self::PageCode { .. }
            | Self::CodeGuesses(_)
            | Self::TokenGuesses(_)
            | Self::Launches(_)
            | Self::SsoSignIns(_)
            | Self::RefusedSignIns { .. }
            | Self::RosterFetches(_) => policy.largest_lease(),
        }
    }

    /// The name of its counter in a shared store, which does not show addresses.
    fn digest(self) -> String {
        let text = match self {
            Self::Token(token) => format!("token {token}"),
            Self::Scim(connection) => format!("scim {connection}"),
            Self::PageCode { institution, page } => format!("page {institution} {page}"),
            Self::CodeGuesses(address) => format!("address {address}"),
            Self::TokenGuesses(address) => format!("failures {address}"),
            Self::Launches(address) => format!("launches {address}"),
            Self::SignIns(address) => format!("sign-ins {address}"),
            Self::OpenMailbox(mailbox) => format!("open-mailbox {}", digest::hex(&mailbox)),
            Self::OpenDomain { institution, domain } => {
                format!("open-domain {institution} {}", digest::hex(&domain))
            }
            Self::OpenPages(institution) => format!("open-pages {institution}"),
            Self::SsoSignIns(address) => format!("sso {address}"),
            Self::RefusedSignIns { institution, network: Some(network) } => {
                format!("refused {institution} {network}")
            }
            Self::RefusedSignIns { institution, network: None } => format!("refused {institution}"),
            Self::Reports(address) => format!("reports {address}"),
            Self::RecordingRequests(address) => format!("asks {address}"),
            Self::PageRecordingRequests { institution, page } => format!("page-asks {institution} {page}"),
            Self::RosterFetches(course) => format!("course {course}"),
        };
        digest::hex(&digest::of(&format!("rate-limit {text}")))
    }
}

/// Where requests are counted.
#[derive(Clone)]
pub enum Leases {
    /// In the memory of this process.
    Local,
    /// In PostgreSQL, by all nodes together.
    Database(Db),
    /// In Valkey or Redis, by all nodes together.
    Valkey(Arc<Valkey>),
}

/// How nodes share their limits.
#[derive(Clone)]
pub struct Sharing {
    pub leases: Leases,
    /// Between how many nodes a limit is divided while the store is away.
    pub nodes: u32,
}

/// The default of `Sharing::nodes`.
pub const NODES: u32 = 3;

impl Sharing {
    /// Each process counts by itself.
    pub const fn local() -> Self {
        Self { leases: Leases::Local, nodes: 1 }
    }

    /// Several nodes can share a PostgreSQL database. SQLite has one process.
    pub fn in_database(db: &Db) -> Self {
        match db {
            Db::Sqlite(_) => Self::local(),
            Db::Postgres(_) => Self { leases: Leases::Database(db.clone()), nodes: NODES },
        }
    }
}

/// The time of the monotonic clock in microseconds, since the start of the process.
#[derive(Clone, Copy)]
struct Micros(Instant);

impl Micros {
    fn of(self, now: Instant) -> i64 {
        i64::try_from(now.saturating_duration_since(self.0).as_micros()).unwrap_or(i64::MAX)
    }
}

enum Buckets {
    Memory(Box<Memory>),
    Shared(Arc<Shared>),
}

pub struct Limiter {
    policy: Policy,
    buckets: Buckets,
    micros: Micros,
}

impl Limiter {
    pub fn new(policy: Policy, sharing: Sharing, clock: Clock) -> Self {
        let micros = Micros(clock.instant());
        let shared = |store| Buckets::Shared(Arc::new(Shared::new(store, sharing.nodes, clock, micros)));
        let buckets = match sharing.leases {
            Leases::Local => Buckets::Memory(Box::default()),
            Leases::Database(db) => shared(Store::Database(db)),
            Leases::Valkey(valkey) => shared(Store::Valkey(valkey)),
        };
        Self { policy, buckets, micros }
    }

    /// What applies to institutions without a ceiling of their own.
    pub const fn policy(&self) -> Policy {
        self.policy
    }

    /// Counts one request.
    pub async fn take(&self, key: LimitKey, own_ceiling: Option<u32>, now: Instant) -> Quota {
        self.take_with_policy(key, self.policy_with(own_ceiling), now).await
    }

    /// Like `take`, unless it would have to wait for a store that nodes share.
    pub fn take_at_once(&self, key: LimitKey, own_ceiling: Option<u32>, now: Instant) -> Option<Quota> {
        let Buckets::Memory(memory) = &self.buckets else { return None };
        Some(memory.with(key, self.policy_with(own_ceiling), self.micros.of(now), Counter::take))
    }

    fn policy_with(&self, own_ceiling: Option<u32>) -> Policy {
        Policy { ceiling: own_ceiling.unwrap_or(self.policy.ceiling), ..self.policy }
    }

    /// Like `take`, with a policy of the caller's own.
    pub async fn take_with_policy(&self, key: LimitKey, policy: Policy, now: Instant) -> Quota {
        let now = self.micros.of(now);
        match &self.buckets {
            Buckets::Memory(memory) => memory.with(key, policy, now, Counter::take),
            Buckets::Shared(shared) => shared.decide(key, policy, now, Spending::Request).await,
        }
    }

    /// Checks an attempt that is counted only if it fails. Above the ceiling, accepts one attempt per throttle
    /// interval.
    pub async fn admit(&self, key: LimitKey, now: Instant) -> Quota {
        let policy = self.policy_of_attempts();
        let now = self.micros.of(now);
        match &self.buckets {
            Buckets::Memory(memory) => memory.with(key, policy, now, Counter::admit),
            Buckets::Shared(shared) => shared.decide(key, policy, now, Spending::Attempt).await,
        }
    }

    /// Like `admit`, unless it would have to wait for a store that nodes share.
    pub fn admit_at_once(&self, key: LimitKey, now: Instant) -> Option<Quota> {
        let Buckets::Memory(memory) = &self.buckets else { return None };
        Some(memory.with(key, self.policy_of_attempts(), self.micros.of(now), Counter::admit))
    }

    /// A client without failures is never over the limit.
    fn policy_of_attempts(&self) -> Policy {
        Policy { ceiling: self.policy.ceiling.max(1), ..self.policy }
    }

    /// Counts an admitted attempt that failed.
    pub fn count(&self, key: LimitKey, now: Instant) -> Quota {
        let now = self.micros.of(now);
        match &self.buckets {
            Buckets::Memory(memory) => memory.with(key, self.policy, now, Counter::count),
            Buckets::Shared(shared) => shared.count(key, self.policy, now),
        }
    }

    /// Has this key reached the ceiling in the current window, as far as this process knows?
    pub fn is_past(&self, key: LimitKey, ceiling: u32, now: Instant) -> bool {
        let now = self.micros.of(now);
        match &self.buckets {
            Buckets::Memory(memory) => memory.is_past(key, Policy { ceiling, ..self.policy }, now),
            Buckets::Shared(shared) => shared.is_past(key, ceiling, now),
        }
    }

    /// Drops expired buckets.
    pub async fn remove_expired(&self, now: Instant) {
        let now = self.micros.of(now);
        match &self.buckets {
            Buckets::Memory(memory) => memory.remove_expired(now),
            Buckets::Shared(shared) => shared.remove_expired(now).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn an_address_is_one_client_and_so_is_a_network_of_ipv6() {
        let key = |text: &str| LimitKey::code_guesses(text.parse().unwrap());
        assert_eq!(key("2001:db8:1:2::1"), key("2001:db8:1:2:ffff::9"));
        assert_ne!(key("2001:db8:1:2::1"), key("2001:db8:1:3::1"));
        assert_eq!(key("::ffff:192.0.2.7"), key("192.0.2.7"));
        assert_ne!(key("192.0.2.7"), key("192.0.2.8"));
    }

    #[test]
    fn each_key_has_its_own_digest_that_does_not_show_it() {
        let address: IpAddr = "192.0.2.7".parse().unwrap();
        let (institution, page) = (InstitutionId::new(1), NamePageId::new(2));
        let keys = [
            LimitKey::Token(TokenId::new(1)),
            LimitKey::Token(TokenId::new(2)),
            LimitKey::Scim(ScimConnectionId::new(1)),
            LimitKey::PageCode { institution, page },
            LimitKey::PageRecordingRequests { institution, page },
            LimitKey::RosterFetches(CourseId::new(1)),
            LimitKey::code_guesses(address),
            LimitKey::token_guesses(address),
            LimitKey::launches(address),
            LimitKey::sign_ins(address),
            LimitKey::sso_sign_ins(address),
            LimitKey::reports(address),
            LimitKey::recording_requests(address),
            LimitKey::OpenMailbox(digest::of("1")),
            LimitKey::OpenDomain { institution, domain: digest::of("1") },
            LimitKey::OpenPages(institution),
        ];
        let digests: HashSet<String> = keys.iter().map(|key| key.digest()).collect();
        assert_eq!(digests.len(), keys.len());
        assert!(digests.iter().all(|digest| digest.len() == 64 && !digest.contains('.')));
    }
}
