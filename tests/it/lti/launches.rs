//! Launches that go well, step by step.

use endonym::app::{lti::courses, tool_consumers};
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
        ("redirect_uri", &format!("{}/lti/launch", platform.world.base)),
        ("login_hint", "u7"),
        ("lti_message_hint", "{\"a\":\"b&c\"}"),
        ("state", &login.state),
        ("nonce", &login.nonce),
    ] {
        assert!(asked.contains(&(key.to_owned(), value.to_owned())), "{key}={value} in {asked:?}");
    }
    // A form does as well, without a client where the issuer has but one, and the browser keeps its cookie.
    let mut form = platform.login_query();
    form.remove(1);
    let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let again = platform.post("/lti/login", &form, Some(&login.cookie)).await;
    assert_eq!(again.status(), 302);
    let second = Login::of(&again);
    assert_eq!(second.cookie, login.cookie);
    assert_ne!(second.state, login.state);
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
    // With two of its clients it must say which.
    super::register(&platform.world, &platform.address, &platform.address, "tool-2").await;
    assert_eq!(platform.login_answer(&changed("client_id", None), None).await.status(), 403);
    assert_eq!(platform.login_answer(&platform.login_query(), None).await.status(), 302);
}

#[tokio::test]
async fn a_launch_makes_the_course_once_and_learns_the_product() {
    let platform = Platform::new().await;
    let app = &platform.world.app;
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    let consumer = tool_consumers::find(app, platform.consumer.id).await.unwrap();
    assert_eq!(consumer.product.as_deref(), Some("sakai"));
    let all = endonym::app::courses::all(app, &consumer).await.unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].external_id.as_str(), all[0].title.as_str()), ("c1", "Irish Literature"));
    // The title follows, and a launch that does not say it changes nothing.
    platform
        .session(|claims| claims[claim("context")] = json!({ "id": "c1", "title": "Irish" }), &[INSTRUCTOR])
        .await;
    platform.session(|claims| claims[claim("context")] = json!({ "id": "c1" }), &[LEARNER]).await;
    let all = endonym::app::courses::all(app, &consumer).await.unwrap();
    assert_eq!((all.len(), all[0].title.as_str()), (1, "Irish"));
    assert!(courses::find(app, consumer.institution, all[0].id).await.unwrap().is_some());
}

#[tokio::test]
async fn those_who_neither_teach_nor_learn_get_a_polite_page() {
    let platform = Platform::new().await;
    const MENTOR: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership#Mentor";
    const TEST_USER: &str = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser";
    let elsewhere = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor";
    for roles in [vec![], vec![MENTOR], vec![LEARNER, TEST_USER], vec![elsewhere]] {
        let login = platform.login().await;
        let token = platform.key.sign(&platform.claims(&login, &roles)).unwrap();
        let answer = platform.launch(&login, &token).await;
        assert_eq!(answer.status(), 403);
        let text = answer.text().await.unwrap();
        assert!(text.contains("nothing for you to do here") && !text.contains("Irish Literature"), "{text}");
    }
    // A student whom the platform does not name can have no entry.
    let login = platform.login().await;
    let mut claims = platform.claims(&login, &[LEARNER]);
    claims["sub"] = serde_json::Value::Null;
    let answer = platform.launch(&login, &platform.key.sign(&claims).unwrap()).await;
    assert_eq!(answer.status(), 403);
}
