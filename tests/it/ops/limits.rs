//! Rate limits that several nodes share (ADR 24), in PostgreSQL and in a real Valkey or Redis.

use std::{
    net::{IpAddr, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use endonym::{
    app::{
        Clock,
        limiter::{Leases, LimitKey, Limiter, Policy, Quota, Sharing},
        sessions::Secret,
        sign_in::{self, Answer, Asker, MailRequest, Settings},
        sign_in_marks::Marks,
    },
    domain::{client_address::Client, email::Email, ids::TokenId, language::Language, mail_limit},
    store::{Db, Options, valkey::Valkey},
    telemetry::metrics,
};
use futures_util::future::join_all;

use super::exposition::Exposition;
use crate::support::{
    Setup, World,
    database::{TestDatabase, on_postgres},
    node::Node,
    process::PATIENCE,
    proxy::Proxy,
    until,
    valkey::ValkeyServer,
};

const QUARTER: Duration = Duration::from_secs(900);
const LONG: Duration = Duration::from_secs(300);
/// Longer than any wait between two attempts to reach a store that is away.
pub(super) const RETRIED: Duration = Duration::from_secs(6);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Local,
    Database,
    Valkey,
}

/// Those that this run can test and that nodes share.
fn shared_kinds() -> Vec<Kind> {
    if on_postgres() { vec![Kind::Database, Kind::Valkey] } else { vec![Kind::Valkey] }
}

/// What one more node has. It has its own connection, and is as patient as a slow machine needs.
fn sharing(kind: Kind, db: &Db, server: &ValkeyServer) -> Sharing {
    let leases = match kind {
        Kind::Local => Leases::Local,
        Kind::Database => Leases::Database(db.clone()),
        Kind::Valkey => Leases::Valkey(Arc::new(Valkey::new(&server.url(), PATIENCE).unwrap())),
    };
    Sharing { leases, nodes: 3 }
}

pub(super) fn policy(ceiling: u32) -> Policy {
    Policy { ceiling, window: QUARTER, throttle: QUARTER }
}

pub(super) fn token(id: i64) -> LimitKey {
    LimitKey::Token(TokenId::new(id))
}

pub(super) fn sign_ins(last: u8) -> LimitKey {
    LimitKey::sign_ins(IpAddr::from([192, 0, 2, last]))
}

pub(super) fn is_accepted(quota: &Quota) -> bool {
    quota.retry_after.is_none()
}

/// Nodes with one store and one clock.
pub(super) struct Nodes {
    nodes: Vec<Limiter>,
    pub(super) clock: Clock,
    policy: Policy,
}

impl Nodes {
    pub(super) fn new(policy: Policy, all: impl IntoIterator<Item = Sharing>) -> Self {
        let clock = Clock::adjustable();
        let nodes = all.into_iter().map(|sharing| Limiter::new(policy, sharing, clock.clone())).collect();
        Self { nodes, clock, policy }
    }

    fn three(policy: Policy, kind: Kind, db: &Db, server: &ValkeyServer) -> Self {
        Self::new(policy, (0..3).map(|_| sharing(kind, db, server)))
    }

    pub(super) async fn take(&self, node: usize, key: LimitKey) -> Quota {
        self.nodes[node].take_with_policy(key, self.policy, self.clock.instant()).await
    }

    /// Takes from one node after the other. Returns how many were accepted.
    pub(super) async fn take_in_turn(&self, key: LimitKey, times: usize) -> u32 {
        let mut accepted = 0;
        for time in 0..times {
            accepted += u32::from(is_accepted(&self.take(time % self.nodes.len(), key).await));
        }
        accepted
    }
}

enum Step {
    /// Takes, of which some are accepted; what is left after the last one.
    Take {
        times: u32,
        accepted: u32,
        left: u32,
    },
    Wait(Duration),
}

use Step::{Take, Wait};

#[tokio::test]
async fn a_node_alone_gets_the_same_answers_whoever_counts() {
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    let limit = |ceiling| Policy { ceiling, window: QUARTER, throttle: LONG };
    let table = [
        (
            limit(3),
            vec![
                Take { times: 1, accepted: 1, left: 2 },
                Take { times: 2, accepted: 2, left: 0 },
                Take { times: 4, accepted: 0, left: 0 },
                Wait(LONG),
                Take { times: 3, accepted: 1, left: 0 },
                Wait(LONG),
                Take { times: 3, accepted: 1, left: 0 },
                Wait(LONG),
                Take { times: 1, accepted: 1, left: 2 },
            ],
        ),
        (
            limit(0),
            vec![
                Take { times: 2, accepted: 0, left: 0 },
                Wait(LONG),
                Take { times: 2, accepted: 1, left: 0 },
            ],
        ),
        (
            limit(100),
            vec![Take { times: 99, accepted: 99, left: 1 }, Take { times: 9, accepted: 1, left: 0 }],
        ),
        (
            limit(1_000),
            vec![
                Take { times: 500, accepted: 500, left: 500 },
                Take { times: 510, accepted: 500, left: 0 },
                Wait(QUARTER),
                Take { times: 10, accepted: 10, left: 990 },
            ],
        ),
        (
            Policy { ceiling: 2, window: QUARTER, throttle: QUARTER },
            vec![
                Take { times: 5, accepted: 2, left: 0 },
                Wait(QUARTER),
                Take { times: 5, accepted: 2, left: 0 },
            ],
        ),
    ];
    for kind in [vec![Kind::Local], shared_kinds()].concat() {
        for (row, (policy, steps)) in (0_u8..).zip(&table) {
            for key in [token(row.into()), sign_ins(row)] {
                let node = Nodes::new(*policy, [sharing(kind, &database.db, &server)]);
                for (number, step) in steps.iter().enumerate() {
                    let at = format!("{kind:?}, {key:?}, step {number} of row {row}");
                    match step {
                        Wait(time) => node.clock.advance(*time),
                        Take { times, accepted, left } => {
                            let (mut passed, mut last) = (0, None);
                            for _ in 0..*times {
                                let quota = node.take(0, key).await;
                                passed += u32::from(is_accepted(&quota));
                                assert_eq!(quota.limit, policy.ceiling, "{at}");
                                assert!(quota.reset_seconds <= QUARTER.as_secs(), "{at}");
                                last = Some(quota.remaining);
                            }
                            assert_eq!((passed, last), (*accepted, Some(*left)), "{at}");
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test]
async fn of_many_requests_at_three_nodes_no_more_than_the_ceiling_pass_and_hardly_fewer() {
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    for kind in shared_kinds() {
        let nodes = Nodes::three(policy(1_000), kind, &database.db, &server);
        let clients = (0..30_usize).map(|client| {
            let nodes = &nodes;
            async move {
                let mut accepted = 0;
                for request in 0..50 {
                    accepted += u32::from(is_accepted(&nodes.take((client + request) % 3, token(1)).await));
                }
                accepted
            }
        });
        let accepted: u32 = join_all(clients).await.into_iter().sum();
        assert!((950..=1_000).contains(&accepted), "{kind:?}: {accepted}");

        // One after the other, and more at one of them.
        let (mut shown, mut accepted) = ([u32::MAX; 3], 0);
        for request in 0..1_400 {
            let node = [0, 1, 0, 2, 0, 0][request % 6];
            let quota = nodes.take(node, token(2)).await;
            assert!(quota.remaining <= shown[node], "{kind:?}: it rises from {}", shown[node]);
            shown[node] = quota.remaining;
            accepted += u32::from(is_accepted(&quota));
        }
        assert!((950..=1_000).contains(&accepted), "{kind:?}: {accepted}");
        assert_eq!(shown, [0; 3]);
    }
}

#[tokio::test]
async fn requests_that_come_at_once_lease_what_they_need() {
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    for kind in shared_kinds() {
        let nodes = Nodes::three(policy(1_000), kind, &database.db, &server);
        let takes = join_all((0..100).map(|_| nodes.take(0, token(1)))).await;
        assert!(takes.iter().all(is_accepted));
        let left = nodes.take(1, token(1)).await.remaining;
        assert!((879..=899).contains(&left), "{kind:?}: {left}");
    }
}

#[tokio::test]
async fn sign_ins_are_counted_one_by_one_over_all_nodes() {
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    for kind in shared_kinds() {
        let nodes = Nodes::three(policy(100), kind, &database.db, &server);
        let takes = (0..180_usize).map(|request| nodes.take(request % 3, sign_ins(1)));
        let accepted = join_all(takes).await.iter().filter(|quota| is_accepted(quota)).count();
        assert_eq!(accepted, 100, "{kind:?}");
        assert_eq!(nodes.take_in_turn(sign_ins(2), 3).await, 3, "another network");
    }
}

#[tokio::test]
async fn a_lease_is_spent_without_the_store() {
    let (database, mut server) = (TestDatabase::on_sqlite().await, ValkeyServer::start());
    let nodes = Nodes::three(policy(1_000), Kind::Valkey, &database.db, &server);
    assert_eq!(nodes.take(0, token(1)).await.remaining, 999);
    server.kill();
    for left in (980..999).rev() {
        assert_eq!(nodes.take(0, token(1)).await.remaining, left);
    }
    assert_eq!(nodes.take(0, token(1)).await.remaining, 980 / 3 - 1, "now it notices");
    assert_eq!(nodes.take(1, token(1)).await.remaining, 1_000 / 3 - 1, "this one knows nothing");
}

#[tokio::test]
async fn when_valkey_is_killed_nodes_go_on_with_their_parts_and_lease_again_when_it_is_back() {
    let (database, mut server) = (TestDatabase::on_sqlite().await, ValkeyServer::start());
    let nodes = Nodes::three(policy(300), Kind::Valkey, &database.db, &server);
    let without_store =
        || Exposition::read(&metrics::exposition()).sum("endonym_rate_limit_without_store_total", &[]);
    let before = without_store();
    let mut accepted = nodes.take_in_turn(token(1), 90).await;
    assert_eq!(accepted, 90);
    assert_eq!(nodes.take_in_turn(sign_ins(1), 3).await, 3);
    let guesses = LimitKey::token_guesses(IpAddr::from([192, 0, 2, 1]));
    let is_suspect = || nodes.nodes[0].is_past(guesses, 1_000, nodes.clock.instant());
    assert!(!is_suspect());

    server.kill();
    let alone = nodes.take_in_turn(token(1), 600).await;
    assert!((180..=220).contains(&alone), "{alone}");
    accepted += alone;
    assert_eq!(nodes.take_in_turn(sign_ins(1), 6).await, 0, "sign-ins are refused");
    assert_eq!(nodes.take_in_turn(sign_ins(2), 6).await, 0);
    until("unknown tokens wait", || async {
        // It fails again, if it is due.
        nodes.take(0, sign_ins(2)).await;
        is_suspect()
    })
    .await;
    assert!(without_store() >= before + 500.0);

    // It comes back empty, and learns from the nodes what was used.
    server.restart();
    nodes.clock.advance(RETRIED);
    assert_eq!(nodes.take_in_turn(sign_ins(2), 6).await, 6, "sign-ins are accepted");
    accepted += nodes.take_in_turn(token(1), 600).await;
    // Each node missed up to two leases of six when it last asked.
    assert!((285..=300 + 3 * 12).contains(&accepted), "{accepted}");
    nodes.clock.advance(QUARTER);
    assert_eq!(nodes.take(0, token(1)).await.remaining, 299, "the next window is shared");
    assert!(nodes.take(1, token(1)).await.remaining < 299);
}

#[tokio::test]
async fn when_postgresql_is_cut_off_a_node_goes_on_with_its_part_and_then_leases_again() {
    if !on_postgres() {
        return;
    }
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    let url = reqwest::Url::parse(database.options.url.as_ref().unwrap()).unwrap();
    let place = (url.host_str().unwrap(), url.port().unwrap_or(5_432));
    let proxy = Proxy::start(place.to_socket_addrs().unwrap().next().unwrap()).await;
    let mut through_proxy = url.clone();
    let port = proxy.base.rsplit(':').next().unwrap().parse().unwrap();
    through_proxy.set_host(Some("127.0.0.1")).unwrap();
    through_proxy.set_port(Some(port)).unwrap();
    let options = Options { url: Some(through_proxy.to_string()), ..database.options.clone() };
    let cut_off = Db::open(&options).await.unwrap();
    let all = [&cut_off, &database.db].map(|db| sharing(Kind::Database, db, &server));
    let nodes = Nodes::new(policy(100), all);
    let mut accepted = nodes.take_in_turn(token(1), 20).await;
    assert_eq!(accepted, 20);

    proxy.cut_after(0);
    let mut alone = 0;
    for _ in 0..60 {
        alone += u32::from(is_accepted(&nodes.take(0, token(1)).await));
    }
    assert!((20..=30).contains(&alone), "a third of 80: {alone}");
    assert!(!is_accepted(&nodes.take(0, sign_ins(1)).await));
    for _ in 0..30 {
        assert!(is_accepted(&nodes.take(1, token(1)).await), "the other node has its database");
    }
    assert!(is_accepted(&nodes.take(1, sign_ins(1)).await));
    accepted += alone + 30;

    proxy.mend();
    nodes.clock.advance(RETRIED);
    assert!(is_accepted(&nodes.take(0, sign_ins(1)).await));
    accepted += nodes.take_in_turn(token(1), 200).await;
    assert!((95..=100).contains(&accepted), "the store was told of what it had missed: {accepted}");
}

#[tokio::test]
async fn a_client_that_spreads_its_requests_over_three_nodes_gets_no_more() {
    let server = ValkeyServer::start();
    for kind in shared_kinds() {
        let setup = |db: &Db| Setup {
            rate_limit: policy(300),
            sharing: Some(sharing(kind, db, &server)),
            ..Setup::default()
        };
        let world = World::with(Setup { rate_limit: policy(300), ..Setup::default() }).await;
        let mut nodes = Vec::new();
        for _ in 0..3 {
            nodes.push(Node::start(&world, setup(&world.app.db)).await);
        }
        let (mut shown, mut passed) = ([u64::MAX; 3], 0);
        let get = async |node: usize| {
            let url = format!("{}/api/private/v5/participants", nodes[node].base);
            world.client.get(url).header("Authorization", &world.token).send().await.unwrap()
        };
        for request in 0..420 {
            let node = request % 3;
            let answer = get(node).await;
            assert_eq!(number(&answer, "Nc-Rate-Limit-Limit"), 300);
            assert!((800..=900).contains(&number(&answer, "Nc-Rate-Limit-Reset")));
            let left = number(&answer, "Nc-Rate-Limit-Remaining");
            assert!(left <= shown[node], "{kind:?}: it rises from {} to {left}", shown[node]);
            shown[node] = left;
            match answer.status().as_u16() {
                200 => passed += 1,
                status => assert_eq!(status, 429),
            }
        }
        assert!((295..=300).contains(&passed), "{kind:?}: {passed}");
        for (wait, status, left) in [(0, 429, 800..=900), (600, 429, 200..=300), (300, 200, 800..=900)] {
            world.advance(Duration::from_secs(wait));
            for node in 0..3 {
                let answer = get(node).await;
                assert_eq!(answer.status(), status, "{kind:?} after {wait} seconds");
                assert!(left.contains(&number(&answer, "Nc-Rate-Limit-Reset")), "{answer:?}");
                if status == 429 {
                    assert!(left.contains(&number(&answer, "Retry-After")), "{answer:?}");
                }
            }
        }
    }
}

fn number(answer: &reqwest::Response, header: &str) -> u64 {
    answer.headers()[header].to_str().unwrap().parse().unwrap()
}

async fn ask(node: &Node, email: String) -> Answer {
    let address = IpAddr::from([192, 0, 2, 7]);
    let client = Client { address, peer: address, is_proxy: false };
    let wanted = MailRequest {
        email: Email::parse(&email).unwrap(),
        institution: None,
        language: Language::English,
        return_to: None,
        name_page: None,
    };
    let browser = Secret::generate(&node.app);
    let asker = Asker { client: Some(client), browser, marks: Marks::default() };
    sign_in::ask(&node.app, &asker, wanted).await.unwrap()
}

#[tokio::test]
async fn the_sign_in_limit_holds_over_two_nodes_and_refuses_without_its_store() {
    let mut server = ValkeyServer::start();
    for kind in shared_kinds() {
        let world = World::new().await;
        let setup = || Setup {
            sign_in: Settings { limit: 5, ..Settings::default() },
            sharing: Some(sharing(kind, &world.app.db, &server)),
            ..Setup::default()
        };
        let nodes = [Node::start(&world, setup()).await, Node::start(&world, setup()).await];
        let asked = (0..24_usize).map(|n| ask(&nodes[n % 2], format!("p{n}@example.edu")));
        let answers = join_all(asked).await;
        assert_eq!(answers.iter().filter(|answer| **answer == Answer::Accepted).count(), 5, "{kind:?}");
        if kind == Kind::Valkey {
            world.advance(QUARTER);
            assert_eq!(ask(&nodes[0], "q0@example.edu".into()).await, Answer::Accepted);
            server.kill();
            for (n, node) in nodes.iter().enumerate() {
                let answer = ask(node, format!("r{n}@example.edu")).await;
                assert_eq!(answer, Answer::TooMany(mail_limit::Wait { seconds: 1 }), "it may be back soon");
            }
            server.restart();
            world.advance(RETRIED);
            assert_eq!(ask(&nodes[1], "s@example.edu".into()).await, Answer::Accepted);
        }
    }
}

#[tokio::test]
async fn rows_of_windows_that_are_over_are_deleted_and_show_no_address() {
    if !on_postgres() {
        return;
    }
    let (database, server) = (TestDatabase::new().await, ValkeyServer::start());
    let nodes = Nodes::three(policy(10), Kind::Database, &database.db, &server);
    for last in 0..5 {
        nodes.take(0, sign_ins(last)).await;
    }
    let digests = async || {
        let text = "SELECT digest FROM rate_limits ORDER BY digest";
        database.db.read().rows(text, &[], |row| row.text(0)).await.unwrap()
    };
    let remove = async || nodes.nodes[1].remove_expired(nodes.clock.instant()).await;
    remove().await;
    let all = digests().await;
    assert_eq!(all.len(), 5, "the windows are not over");
    assert!(all.iter().all(|digest| !digest.contains("192.0.2")), "{all:?}");
    nodes.clock.advance(QUARTER + Duration::from_secs(61));
    nodes.take(0, sign_ins(9)).await;
    remove().await;
    assert_eq!(digests().await.len(), 1, "the newest");
}
