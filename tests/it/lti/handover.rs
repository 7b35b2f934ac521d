//! "Continue on your phone", from a page inside a learning system.

use reqwest::{Response, header};
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform};
use crate::{me::Browser, support::media::wav};

async fn create(platform: &Platform, session: &str, cookie: &str, token: &str) -> Response {
    let request = platform.client.post(format!("{}{session}handover", platform.world.base));
    let request = request.header(header::COOKIE, cookie).header(header::ACCEPT, "application/json");
    request.header("x-csrf-token", token).send().await.unwrap()
}

#[tokio::test]
async fn a_student_continues_on_the_phone_and_the_first_page_notices() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert!(platform.text_of(&session, &cookie).await.contains("data-handover=\"handover\""));
    let token = platform.csrf(&session, &cookie).await;
    assert_eq!(create(&platform, &session, &cookie, "0a").await.status(), 403);
    let made = create(&platform, &session, &cookie, &token).await;
    assert_eq!(made.status(), 201);
    let made: Value = made.json().await.unwrap();
    assert!(made["svg"].as_str().unwrap().starts_with("<svg"), "{made}");
    let path = format!("{session}handover/{}", made["id"].as_str().unwrap());
    let state = async || -> Value {
        let answer = platform.get(&path, Some(&cookie)).await;
        assert_eq!(answer.status(), 200);
        answer.json().await.unwrap()
    };
    assert_eq!(state().await, json!({ "state": "waiting" }));

    let phone = Browser::new(&platform.world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to("/me");
    phone.get("/me").await.expect(200);
    phone.take(&wav(1.0), "").await.expect(201);
    // That is all that the phone may do.
    phone.post("/me/audience", &[("audience", "paused")]).await.expect(403);
    assert_eq!(state().await, json!({ "state": "arrived" }));
    assert!(platform.text_of(&session, &cookie).await.contains("<audio"));

    // Nobody else's session knows of it, and a link that is unknown has expired.
    let (other, other_cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let id = made["id"].as_str().unwrap();
    assert_eq!(platform.get(&format!("{other}handover/{id}"), Some(&other_cookie)).await.status(), 404);
    assert_eq!(platform.get(&format!("{session}handover/1"), Some(&cookie)).await.status(), 404);
    assert_eq!(platform.get(&path, None).await.status(), 403);
}

#[tokio::test]
async fn without_an_email_there_is_no_own_page_to_continue_on() {
    let platform = Platform::new().await;
    let nameless = |claims: &mut Value| {
        claims.as_object_mut().unwrap().remove("email");
    };
    let (session, cookie) = platform.session(nameless, &[LEARNER]).await;
    assert!(!platform.text_of(&session, &cookie).await.contains("data-handover"));
    let token = platform.csrf(&session, &cookie).await;
    assert_eq!(create(&platform, &session, &cookie, &token).await.status(), 404);
}
