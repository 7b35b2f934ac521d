//! Successful launches, step by step.

use endonym::app::{
    Actor, audit,
    lti::{courses, logins},
    tool_consumers,
};
use endonym::domain::{audit::Act, client_address::Client};
use reqwest::header;
use serde_json::json;

use super::{INSTRUCTOR, LEARNER, Login, Platform, claim, policy};

#[tokio::test]
async fn a_login_asks_the_platform_with_all_that_it_wants() {
    let platform = Platform::new().await;
    let answer = platform.login_answer(&platform.login_query(), None).await;
    assert_eq!(answer.status(), 302);
    let cookie = answer.headers()[header::SET_COOKIE].to_str().unwrap().to_owned();
    for word in ["Path=/lti", "HttpOnly", "Secure", "SameSite=None", "Partitioned", "Max-Age="] {
        assert!(cookie.split("; ").any(|part| part.starts_with(word)), "{word} in {cookie}");
    }
    let place = reqwest::Url::parse(answer.headers()[header::LOCATION].to_str().unwrap()).unwrap();
    let asked: Vec<(String, String)> =
        place.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect();
    let login = Login::of(&answer);
    for (key, value) in [
        ("tenant", "1"),
        ("scope", "openid"),
        ("response_type", "id_token"),
        ("response_mode", "form_post"),
        ("prompt", "none"),
        ("client_id", "tool-1"),
        ("redirect_uri", &platform.url("launch")),
        ("login_hint", "u7"),
        ("lti_message_hint", "{\"a\":\"b&c\"}"),
        ("state", &login.state),
        ("nonce", &login.nonce),
    ] {
        assert!(asked.contains(&(key.to_owned(), value.to_owned())), "{key}={value} in {asked:?}");
    }
    // A form works as well, without a client id if the issuer has only one, and the browser keeps its cookie.
    let mut form = platform.login_query();
    form.remove(1);
    let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let again = platform.post(&platform.at("login"), &form, Some(&login.cookie)).await;
    assert_eq!(again.status(), 302);
    let second = Login::of(&again);
    assert_eq!(second.cookie, login.cookie);
    assert_ne!(second.state, login.state);
}

#[tokio::test]
async fn a_frame_without_its_cookie_is_noticed_before_the_platforms_hints_are_spent() {
    let platform = Platform::new().await;
    let visit = async |path: &str, place: &'static str, cookie: Option<&str>| {
        let request = platform.client.get(format!("{}{path}", platform.world.base));
        let request = request.header("sec-fetch-dest", place);
        let request =
            cookie.into_iter().fold(request, |request, cookie| request.header(header::COOKIE, cookie));
        request.send().await.unwrap()
    };
    let url = reqwest::Url::parse_with_params("http://x/lti/login", platform.login_query()).unwrap();
    let login = format!("{}?{}", platform.at("login"), url.query().unwrap());
    let bounced = visit(&login, "iframe", None).await;
    assert_eq!(bounced.status(), 303);
    let cookie = bounced.headers()[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap();
    let again = bounced.headers()[header::LOCATION].to_str().unwrap();
    assert!(
        again.starts_with(&format!("{}?", platform.at("login"))) && again.ends_with("&again=1"),
        "{again}"
    );
    let kept = visit(again, "iframe", Some(cookie)).await;
    assert_eq!(kept.status(), 302);
    assert_eq!(Login::of(&kept).cookie, cookie, "the browser has one value");
    // A form becomes a query on redirect.
    let form = platform.client.post(platform.url("login"));
    let form = form.header("sec-fetch-dest", "iframe").body(url.query().unwrap().to_owned());
    let form = form.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded").send().await.unwrap();
    assert_eq!((form.status().as_u16(), form.headers()[header::LOCATION].to_str().unwrap()), (303, again));

    let lost = visit(again, "iframe", None).await;
    assert_eq!(lost.status(), 403);
    assert!(policy(&lost).contains(&format!("frame-ancestors {}", platform.address)));
    let text = lost.text().await.unwrap();
    let start = format!("href=\"{}?", platform.url("login"));
    let link = text.split(&start).nth(1).unwrap_or_else(|| panic!("{text}")).split('"').next().unwrap();
    let link = format!("{}?{}", platform.at("login"), link.replace("&#38;", "&"));
    assert!(text.contains("target=\"_blank\"") && !link.contains("again"), "{text}");
    // A new window goes to the platform at once, with the unused hints.
    let window = visit(&link, "document", None).await;
    assert_eq!(window.status(), 302);
    assert!(window.headers()[header::LOCATION].to_str().unwrap().contains("lti_message_hint="));
    assert_eq!(visit(again, "document", None).await.status(), 302, "nor is anybody else sent in circles");
}

#[tokio::test]
async fn logins_fill_nothing() {
    let platform = Platform::new().await;
    let app = &platform.world.app;
    let with_hint = |length: usize| {
        let mut query = platform.login_query();
        query[4].1 = "x".repeat(length);
        query
    };
    assert_eq!(platform.login_answer(&with_hint(16 << 10), None).await.status(), 400);
    // The login works, but its query is not stored: without a cookie, the error page has no link.
    let login = Login::of(&platform.login_answer(&with_hint(15 << 10), None).await);
    let answer = platform.send_launch(&[("id_token", "x.y.z"), ("state", &login.state)], None).await;
    let text = answer.text().await.unwrap();
    assert!(
        text.contains("open it again from your course") && !text.contains("a window of its own"),
        "{text}"
    );

    let visit = async |client: &'static str| {
        let url = platform.url("login");
        let url = reqwest::Url::parse_with_params(&url, platform.login_query()).unwrap();
        let request = platform.client.get(url).header("x-forwarded-for", client);
        request.send().await.unwrap().status().as_u16()
    };
    let address = "192.0.2.7".parse().unwrap();
    let client = Client { address, peer: address, is_proxy: false };
    for _ in 0..600 {
        assert!(logins::admits(app, client).await);
    }
    assert_eq!(visit("192.0.2.7").await, 429);
    assert_eq!(visit("192.0.2.8, 192.0.2.7").await, 429, "what the proxy says, and not what its client does");
    assert_eq!(visit("192.0.2.7, 192.0.2.8").await, 302);

    // An hour after its expiry, a login is deleted.
    platform.world.advance(std::time::Duration::from_secs(2 * 3_600));
    platform.login().await;
    assert_eq!(crate::support::database::execute(&app.db, "DELETE FROM lti_logins", vec![]).await, 1);
}

#[tokio::test]
async fn a_login_that_cannot_lead_anywhere_is_refused() {
    let platform = Platform::new().await;
    let changed = |key: &str, value: Option<&str>| {
        let mut query = platform.login_query();
        query.retain(|(name, _)| *name != key);
        query.extend(
            value.map(|value| (if key == "iss" { "iss" } else { "target_link_uri" }, value.to_owned())),
        );
        query
    };
    for (query, status) in [
        (changed("iss", None), 400),
        (changed("login_hint", None), 400),
        (changed("target_link_uri", None), 400),
        (changed("iss", Some("https://unknown.example")), 403),
        (changed("target_link_uri", Some("https://evil.example/lti/launch")), 400),
    ] {
        let answer = platform.login_answer(&query, None).await;
        assert_eq!(answer.status(), status, "{query:?}");
        assert!(answer.headers().get(header::SET_COOKIE).is_none());
        assert!(
            !policy(&answer).contains("frame-ancestors http")
                || query.iter().any(|(_, v)| v.contains("evil"))
        );
    }
    // If the issuer has two clients, the client id is required.
    super::register(&platform.world, &platform.address, &platform.address, "tool-2").await;
    assert_eq!(platform.login_answer(&changed("client_id", None), None).await.status(), 403);
    assert_eq!(platform.login_answer(&platform.login_query(), None).await.status(), 302);
}

#[tokio::test]
async fn a_launch_makes_the_course_once_and_learns_the_product() {
    let platform = Platform::new().await;
    let app = &platform.world.app;
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    let consumer = tool_consumers::find(app, &Actor::Operator, platform.consumer.id).await.unwrap();
    assert_eq!(consumer.product.as_deref(), Some("sakai"));
    let all = endonym::app::courses::all(app, &Actor::Operator, &consumer).await.unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].external_id.as_str(), all[0].title.as_str()), ("c1", "Irish Literature"));
    // The title is updated, and a launch without a title does not change it.
    platform
        .session(|claims| claims[claim("context")] = json!({ "id": "c1", "title": "Irish" }), &[INSTRUCTOR])
        .await;
    platform.session(|claims| claims[claim("context")] = json!({ "id": "c1" }), &[LEARNER]).await;
    let all = endonym::app::courses::all(app, &Actor::Operator, &consumer).await.unwrap();
    assert_eq!((all.len(), all[0].title.as_str()), (1, "Irish"));
    assert!(courses::find(app, consumer.institution, all[0].id).await.unwrap().is_some());
}

#[tokio::test]
async fn those_who_neither_teach_nor_learn_get_a_polite_page() {
    let platform = Platform::new().await;
    const MENTOR: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership#Mentor";
    let elsewhere = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor";
    for roles in [vec![], vec![MENTOR], vec![elsewhere]] {
        let login = platform.login().await;
        let token = platform.key.sign(&platform.claims(&login, &roles)).unwrap();
        let answer = platform.launch(&login, &token).await;
        assert_eq!(answer.status(), 403);
        let text = answer.text().await.unwrap();
        assert!(text.contains("nothing for you to do here") && !text.contains("Irish Literature"), "{text}");
    }
    // A student without a user id cannot have an entry.
    let login = platform.login().await;
    let mut claims = platform.claims(&login, &[LEARNER]);
    claims["sub"] = serde_json::Value::Null;
    let answer = platform.launch(&login, &platform.key.sign(&claims).unwrap()).await;
    assert_eq!(answer.status(), 403);
}

#[tokio::test]
async fn a_launch_has_a_list_that_is_older_than_an_hour_fetched_anew() {
    let platform = Platform::new().await;
    let roster = json!({ "context_memberships_url": format!("{}/roster", platform.address) });
    let with_roster = |claims: &mut serde_json::Value| {
        claims["https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"] = roster.clone()
    };
    let app = &platform.world.app;
    let waiting = async || {
        let text = "SELECT COUNT(*) FROM jobs WHERE kind = 'sync_course'";
        app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
    };
    platform.session(with_roster, &[INSTRUCTOR]).await;
    assert_eq!(waiting().await, 1, "the first one at once");
    crate::support::database::execute(&app.db, "DELETE FROM jobs", vec![]).await;
    let synced = "UPDATE courses SET synced_at = $1, job_id = NULL";
    crate::support::database::execute(&app.db, synced, vec![app.clock.now().micros().into()]).await;
    for (minutes, jobs) in [(59, 0), (2, 1)] {
        platform.world.advance(std::time::Duration::from_secs(minutes * 60));
        platform.session(with_roster, &[INSTRUCTOR]).await;
        assert_eq!(waiting().await, jobs, "{minutes} minutes later");
    }
}

#[tokio::test]
async fn launches_and_refused_ones_are_in_the_audit_log() {
    let platform = Platform::new().await;
    let (app, id) = (&platform.world.app, platform.world.institution.id);
    let all = async |act: Act| {
        let query = audit::Query { act: Some(act), ..Default::default() };
        audit::list(app, &Actor::Operator, id, &query).await.unwrap().entries
    };
    platform.session(|_| {}, &[LEARNER]).await;
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    let entries = all(Act::SignInSucceeded).await;
    let roles: Vec<_> =
        entries.iter().map(|one| (one.after["via"].clone(), one.after["role"].clone())).collect();
    assert_eq!(roles, [(json!("lti"), json!("staff")), (json!("lti"), json!("student"))]);
    assert!(entries[1].who.id.is_some() && entries[1].origin.is_some(), "{entries:?}");
    assert!(all(Act::SignInFailed).await.is_empty());
    let login = platform.login().await;
    platform.launch(&login, "not a token").await;
    crate::support::until("it is recorded", async || all(Act::SignInFailed).await.len() == 1).await;
    assert_eq!(all(Act::SignInFailed).await[0].after["via"], "lti");
}
