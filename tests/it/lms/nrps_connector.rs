//! Rosters of LTI 1.3 platforms (NRPS). `conformance.rs` covers what all connectors have in common.

use std::{sync::LazyLock, time::Duration};

use endonym::{
    clock::Clock,
    domain::{
        ids::ToolConsumerId,
        roster::{Member, Role, Roster},
    },
    jwt::keys::SigningKey,
    lms::{Access, Connection, CourseRef, Error, Found, LtiAccess, ServiceTokens},
    outbound::Outbound,
};

use super::{
    denied, hasty,
    people::{Avatar, Person},
    platform::{CLIENT, DEPLOYMENTS, Fault, Platform},
    unavailable, wanted,
};

/// Generating a key takes a while.
pub static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::make("k1".into()).unwrap());

pub fn access(platform: &Platform, product: Option<&str>) -> LtiAccess {
    LtiAccess {
        tool_consumer: ToolConsumerId::new(1),
        issuer: platform.url().into(),
        client_id: CLIENT.into(),
        deployments: DEPLOYMENTS.map(str::to_owned).to_vec(),
        token_url: platform.token_url(),
        token_audience: None,
        jwks_url: platform.jwks_url(),
        product: product.map(str::to_owned),
        known_roster: None,
        key: KEY.clone(),
        service_tokens: ServiceTokens::default(),
    }
}

fn connection(outbound: &Outbound, platform: &Platform, product: Option<&str>) -> Connection {
    Connection::new(outbound, Access::Lti(Box::new(access(platform, product))))
}

/// The same, with shared tokens.
fn sharing(
    service_tokens: &ServiceTokens,
    outbound: &Outbound,
    platform: &Platform,
    product: Option<&str>,
) -> Connection {
    let access = LtiAccess { service_tokens: service_tokens.clone(), ..access(platform, product) };
    Connection::new(outbound, Access::Lti(Box::new(access)))
}

async fn with_students(many: u64) -> Platform {
    let platform = Platform::start(&KEY).await;
    platform.course(2, "Rhetoric");
    for id in 1..=many {
        platform.enrol(2, Person::student(id, "Ada", &format!("Number{id}")));
    }
    platform
}

/// The course, as reported by a launch.
fn launched(platform: &Platform) -> Found {
    Found { id: "2".into(), title: "Rhetoric".into(), memberships_url: Some(platform.memberships_url(2)) }
}

async fn roster(platform: &Platform) -> Result<Roster, Error> {
    connection(&hasty(), platform, None).roster(&launched(platform), &[Role::Student]).await
}

#[tokio::test]
async fn a_course_is_found_where_a_launch_has_told_or_where_it_is_known_to_be() {
    let platform = with_students(3).await;
    let (outbound, tokens) = (hasty(), ServiceTokens::default());
    let find = async |product: Option<&str>, course: &CourseRef| {
        sharing(&tokens, &outbound, &platform, product).find(course).await
    };
    let told =
        CourseRef { given: "2".into(), memberships_url: Some(platform.memberships_url(2)), title: None };
    assert_eq!(find(None, &told).await, Ok(Some(launched(&platform))));
    assert!(platform.requests().contains(&"GET /memberships/2?rlid=a%26b&limit=1".to_owned()));

    let canvas = find(Some("canvas"), &wanted("2")).await.unwrap().unwrap();
    let address = format!("{}/api/lti/courses/2/names_and_roles", platform.url());
    assert_eq!(canvas, Found { memberships_url: Some(address), ..launched(&platform) });
    let moodle = find(Some("moodle"), &wanted("2")).await.unwrap().unwrap();
    // Not the first deployment, but the second.
    let address = format!("{}/mod/lti/services.php/CourseSection/2/bindings/5/memberships", platform.url());
    assert_eq!(moodle.memberships_url.as_deref(), Some(address.as_str()));

    for (product, given) in
        [(Some("canvas"), "999"), (Some("moodle"), "999"), (Some("moodle"), "../2"), (None, "2")]
    {
        assert_eq!(find(product, &wanted(given)).await, Ok(None), "{product:?} {given}");
    }
    assert_eq!(platform.tokens_given(), 1, "a token is used as long as it is good");

    // If the stored URL no longer works, the default URL is tried.
    let moved = CourseRef { memberships_url: Some(platform.memberships_url(9)), ..told.clone() };
    assert_eq!(
        find(Some("moodle"), &moved).await.unwrap().unwrap().memberships_url.as_deref(),
        Some(address.as_str())
    );

    // A response that is too large proves that the course exists.
    platform.fault(Fault::Large);
    let large = CourseRef { title: Some("Rhetoric until now".into()), ..told };
    assert_eq!(find(None, &large).await.unwrap().unwrap().title, "Rhetoric until now");
    assert_eq!(find(Some("canvas"), &wanted("2")).await.unwrap().unwrap().title, "2");
    platform.heal();

    // Without a stored URL, the roster is found at the default one.
    let known = Found { memberships_url: None, ..launched(&platform) };
    let moodle = connection(&outbound, &platform, Some("moodle"));
    assert_eq!(moodle.roster(&known, &[Role::Student]).await.unwrap().members.len(), 3);
    let unknown = connection(&outbound, &platform, None);
    assert_eq!(unknown.roster(&known, &[Role::Student]).await, Err(Error::Missing));
}

#[tokio::test]
async fn pages_are_followed_and_a_roster_is_never_half() {
    let platform = with_students(5_000).await;
    assert_eq!(roster(&platform).await.unwrap().members.len(), 5_000);
    assert!(platform.requests().contains(&"GET /memberships/2?rlid=a%26b&limit=1000".to_owned()));
    let platform = with_students(250).await;
    platform.fault(Fault::Shifted);
    assert_eq!(roster(&platform).await.unwrap().members.len(), 250);
    platform.fault(Fault::Throttled { times: 3 });
    assert_eq!(roster(&platform).await.unwrap().members.len(), 250);
    platform.fault(Fault::PageGone { page: 2 });
    assert!(unavailable(roster(&platform).await).contains("not there"));
    for status in [401, 403] {
        platform.fault(Fault::Front { status });
        assert!(unavailable(roster(&platform).await).contains(&format!("{status} instead of the platform")));
    }
    platform.fault(Fault::Loop);
    assert!(unavailable(roster(&platform).await).contains("pages without end"));
    let elsewhere = Platform::start(&KEY).await;
    platform.fault(Fault::NextAt(elsewhere.url().to_owned()));
    assert!(unavailable(roster(&platform).await).contains("elsewhere"));
    assert!(elsewhere.requests().is_empty(), "no token goes to another origin");
}

#[tokio::test]
async fn a_token_is_kept_while_it_is_good_and_renewed_once() {
    let platform = with_students(2).await;
    let (outbound, tokens) = (hasty(), ServiceTokens::default());
    let ask = async || sharing(&tokens, &outbound, &platform, Some("moodle")).find(&wanted("2")).await;
    ask().await.unwrap().unwrap();
    platform.forget_tokens();
    ask().await.unwrap().unwrap();
    assert_eq!(platform.tokens_given(), 2);
    platform.fault(Fault::TokenNeverGood);
    let asked = platform.tokens_given();
    denied(sharing(&tokens, &outbound, &platform, Some("canvas")).find(&wanted("2")).await);
    assert_eq!(platform.tokens_given(), asked + 1, "renewed once");
    platform.fault(Fault::Forbidden);
    denied(ask().await);

    platform.forget_tokens();
    for (fault, word) in [
        (Fault::NoToken { status: 400, error: "invalid_scope" }, "invalid_scope"),
        (Fault::NoToken { status: 401, error: "<script>" }, "401"),
    ] {
        platform.fault(fault);
        assert!(
            denied(connection(&hasty(), &platform, Some("moodle")).find(&wanted("2")).await).contains(word)
        );
    }
    platform.fault(Fault::TokenFails { times: usize::MAX });
    unavailable(connection(&hasty(), &platform, Some("moodle")).find(&wanted("2")).await);
    // The second attempt uses a new assertion.
    platform.fault(Fault::TokenFails { times: 1 });
    connection(&hasty(), &platform, Some("moodle")).find(&wanted("2")).await.unwrap().unwrap();
}

#[tokio::test]
async fn many_at_once_fetch_one_token() {
    let platform = with_students(2).await;
    let asking = connection(&hasty(), &platform, Some("canvas"));
    for given in 1..=2 {
        let course = wanted("2");
        let all = futures_util::future::join_all((0..6).map(|_| asking.find(&course))).await;
        assert!(all.iter().all(|found| matches!(found, Ok(Some(_)))), "{all:?}");
        assert_eq!(platform.tokens_given(), given);
        platform.forget_tokens();
    }
}

#[tokio::test]
async fn an_institutions_own_canvas_in_the_cloud_is_known_by_its_rosters_alone() {
    let (platform, cloud) = (with_students(3).await, with_students(1).await);
    let shared = |known_roster: Option<String>| LtiAccess {
        issuer: "https://canvas.instructure.com".into(),
        token_url: "https://sso.canvaslms.com/login/oauth2/token".into(),
        known_roster,
        ..access(&cloud, Some("canvas"))
    };
    let nobody = Connection::new(&hasty(), Access::Lti(Box::new(shared(None))));
    assert_eq!(nobody.find(&wanted("2")).await, Ok(None), "nothing is asked of what all share");
    let picture = format!("{}/jwks", platform.url());
    nobody.photo(&picture).await.unwrap();
    assert!(platform.requests().is_empty());
    let known = LtiAccess { token_url: platform.token_url(), ..shared(Some(platform.memberships_url(2))) };
    // It is asked for, and is no picture.
    Connection::new(&hasty(), Access::Lti(Box::new(known))).photo(&picture).await.unwrap_err();
    assert_eq!(platform.requests(), ["GET /jwks"]);
}

#[tokio::test]
async fn what_moodle_writes_as_it_stands_in_a_page_is_read_so() {
    let platform = with_students(0).await;
    platform.course(2, "R&amp;D");
    platform.enrol(2, Person::student(1, "Ada", "O&#039;Hara").identifier("a&amp;b"));
    let known = Found { memberships_url: None, ..launched(&platform) };
    for (product, title, last, identifier) in
        [("moodle", "R&D", "O'Hara", "a&b"), ("canvas", "R&amp;D", "O&#039;Hara", "a&amp;b")]
    {
        let roster =
            connection(&hasty(), &platform, Some(product)).roster(&known, &[Role::Student]).await.unwrap();
        assert_eq!(roster.title.as_deref(), Some(title));
        let one = &roster.members[0];
        assert_eq!((one.last_name.as_deref(), one.identifier.as_deref()), (Some(last), Some(identifier)));
    }
}

#[tokio::test]
async fn a_token_is_not_used_to_its_last_minute() {
    let platform = with_students(1).await;
    platform.expires_in(200);
    let clock = Clock::adjustable();
    let connection = connection(&hasty().with_clock(clock.clone()), &platform, Some("moodle"));
    for (seconds, given) in [(0, 1), (130, 1), (15, 2), (5, 2)] {
        clock.advance(Duration::from_secs(seconds));
        connection.find(&wanted("2")).await.unwrap().unwrap();
        assert_eq!(platform.tokens_given(), given, "{seconds} s later");
    }
}

#[tokio::test]
async fn an_assertion_is_for_whom_the_platform_wants() {
    let platform = with_students(1).await;
    platform.audience("https://api.brightspace.example/auth/token");
    let plain = connection(&hasty(), &platform, Some("moodle"));
    assert!(denied(plain.find(&wanted("2")).await).contains("invalid_client"));
    let told = LtiAccess {
        token_audience: Some("https://api.brightspace.example/auth/token".into()),
        ..access(&platform, Some("moodle"))
    };
    let told = Connection::new(&hasty(), Access::Lti(Box::new(told)));
    assert!(told.find(&wanted("2")).await.unwrap().is_some());
    let check = async |known: &[Found]| told.check(known, &[Role::Student]).await;
    let checked = check(&[]).await.unwrap().says;
    assert!(checked.contains("service tokens") && checked.contains("its keys (1)"), "{checked}");
    assert!(checked.contains("no course was read"), "{checked}");
    let checked = check(&[launched(&platform)]).await.unwrap().says;
    assert!(
        checked.ends_with("Rhetoric: names 1 of 1, emails 1 of 1, ids 1 of 1, pictures 0 of 1"),
        "{checked}"
    );
    platform.fault(Fault::NoToken { status: 400, error: "invalid_client" });
    denied(check(&[]).await);
}

#[tokio::test]
async fn pictures_come_from_the_platform_alone() {
    let (platform, elsewhere) = (with_students(0).await, Platform::start(&KEY).await);
    let own = format!("{}/jwks", platform.url());
    let foreign = format!("{}/jwks", elsewhere.url());
    platform.enrol(2, Person::student(1, "Ada", "Own").avatar(Avatar::At(own.clone())));
    let default = format!("{}/theme/image.php/u/f1", platform.url());
    platform.enrol(2, Person::student(2, "Ada", "Default").avatar(Avatar::At(default)));
    let members = roster(&platform).await.unwrap().members;
    assert_eq!(members[0].photo_url.as_deref(), Some(own.as_str()));
    assert_eq!(members[1].photo_url, None);
    let connection = connection(&hasty(), &platform, None);
    // It is fetched, and is not a picture. There may be one another time.
    assert!(matches!(connection.photo(&own).await, Err(Error::Unavailable(_))));
    assert_eq!(connection.photo(&foreign).await, Ok(None));
    assert_eq!(platform.requests().last().unwrap(), "GET /jwks");
    assert!(elsewhere.requests().is_empty());
}

#[tokio::test]
async fn a_platform_that_shares_no_names_is_told_of_with_the_remedy() {
    let platform = with_students(2).await;
    assert_eq!(roster(&platform).await.unwrap().note, None);
    platform.shares_nothing();
    let roster = roster(&platform).await.unwrap();
    let note = roster.note.unwrap();
    assert!(note.starts_with("2 of 2 people came without a name"), "{note}");
    assert!(note.contains("Share launcher's name with tool > Always"), "{note}");
    assert_eq!(roster.members[0], Member { user_id: "1".into(), ..Member::default() });
    let seen = connection(&hasty(), &platform, None).check(&[launched(&platform)], &[Role::Student]).await;
    assert!(seen.unwrap().says.ends_with("names 0 of 2, emails 0 of 2, ids 0 of 2, pictures 0 of 2"));
}
