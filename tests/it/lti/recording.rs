//! The recorder on people's own pages: uploads by script, CSRF tokens, headers, and the page in its own window.

use std::time::Duration;

use endonym::{
    app::{Actor, audiences, consents},
    domain::{audience::Audience, session::PersonId},
};
use reqwest::{RequestBuilder, Response, header};
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, policy};
use crate::{
    pages::SOUND,
    support::{database::execute, media::wav},
};

/// A multipart form with a file, and further fields after it.
pub fn upload_request(
    platform: &Platform,
    session: &str,
    cookie: &str,
    file: &[u8],
    more: &str,
) -> RequestBuilder {
    let head = "--b1\r\nContent-Disposition: form-data; name=\"recording\"; filename=\"me.mp3\"\r\nContent-Type: audio/mpeg\r\n\r\n";
    let body = [head.as_bytes(), file, more.as_bytes(), b"\r\n--b1--\r\n"].concat();
    let request = platform.client.post(format!("{}{session}recording", platform.world.base));
    let request = request.header(header::COOKIE, cookie);
    request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=b1").body(body)
}

/// Sends a take as the recorder does.
async fn send(platform: &Platform, (session, cookie, token): (&str, &str, &str), take: &[u8]) -> Response {
    let request =
        upload_request(platform, session, cookie, take, "").header(header::ACCEPT, "application/json");
    request.header("x-csrf-token", token).send().await.unwrap()
}

#[tokio::test]
async fn the_recorder_is_answered_in_json() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let token = platform.csrf(&session, &cookie).await;
    let own = (session.as_str(), cookie.as_str(), token.as_str());
    let refused = send(&platform, own, b"this is no sound").await;
    assert_eq!(refused.status(), 422);
    let said = refused.json::<Value>().await.unwrap();
    let sentence = said["message"].as_str().unwrap();
    assert!(sentence.starts_with("This is not a recording that we can read."), "{said}");
    assert_eq!(said["field"], "recording");

    let kept = send(&platform, own, SOUND).await;
    assert_eq!(kept.status(), 201);
    assert_eq!(kept.headers()["cache-control"], "no-store");
    let said = kept.json::<Value>().await.unwrap();
    let link = said["recording"]["link"].as_str().unwrap();
    assert_eq!(platform.get(link, None).await.status(), 200);
    assert!(platform.text_of(&session, &cookie).await.contains(link), "the page plays the same");

    let other = platform.login().await.cookie;
    platform.world.advance(Duration::from_secs(8 * 3_600));
    for cookie in [&cookie, &other] {
        let over = send(&platform, (&session, cookie, &token), SOUND).await;
        assert_eq!(over.status(), 403);
        assert_eq!(over.json::<Value>().await.unwrap(), json!({ "message": "Forbidden" }));
    }
}

#[tokio::test]
async fn a_student_agrees_before_the_first_recording() {
    let platform = Platform::new().await;
    let world = &platform.world;
    let (session, cookie) = platform.first_session_in(None, |_| {}, &[LEARNER]).await;
    let text = platform.text_of(&session, &cookie).await;
    assert!(text.contains("never used for voice prints") && !text.contains("data-recorder"), "{text}");
    let token = platform.csrf(&session, &cookie).await;
    let own = (session.as_str(), cookie.as_str(), token.as_str());
    let refused = send(&platform, own, SOUND).await;
    assert_eq!(refused.status(), 422);
    let said = refused.json::<Value>().await.unwrap();
    assert_eq!((&said["field"], &said["code"]), (&json!("recording"), &json!("consent")));
    assert!(said["message"].as_str().unwrap().starts_with("Please agree to the text"), "{said}");
    // A version that is not in force is not agreed to: the page shows the text again.
    let stale = [("version", "0"), ("language", "en")];
    let answer = platform.submit(&session, "consent", &stale, &cookie).await;
    assert_eq!(answer.status(), 303);
    assert_eq!(answer.headers()["location"].to_str().unwrap(), session);
    assert_eq!(send(&platform, own, SOUND).await.status(), 422);
    platform.agree(&session, &cookie).await;
    assert!(platform.text_of(&session, &cookie).await.contains("data-recorder"));
    assert_eq!(send(&platform, own, SOUND).await.status(), 201);
    let all = consents::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(matches!(&all[..], [(who, _)] if who.contains('@')), "of the person: {all:?}");
}

#[tokio::test]
async fn a_student_without_an_email_agrees_for_the_entry() {
    let platform = Platform::new().await;
    let world = &platform.world;
    let nameless = |claims: &mut Value| {
        claims.as_object_mut().unwrap().remove("email");
    };
    let (session, cookie) = platform.session(nameless, &[LEARNER]).await;
    let token = platform.csrf(&session, &cookie).await;
    assert_eq!(send(&platform, (&session, &cookie, &token), SOUND).await.status(), 201);
    let all = consents::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(matches!(&all[..], [(who, _)] if !who.contains('@')), "{all:?}");
}

#[tokio::test]
async fn who_has_paused_hears_their_own_recording_and_is_not_asked_for_a_first_one() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let token = platform.csrf(&session, &cookie).await;
    let own = (session.as_str(), cookie.as_str(), token.as_str());
    assert_eq!(send(&platform, own, SOUND).await.status(), 201);
    let audio = format!("{session}recording/audio");
    let heard = async || {
        let answer = platform.get(&audio, Some(&cookie)).await;
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "audio/mpeg");
        answer.bytes().await.unwrap()
    };
    let before = heard().await;
    let institution = platform.world.institution.id;
    let person = PersonId { institution, email_key: "siobhan@example.edu".to_owned() };
    audiences::choose(&platform.world.app, &Actor::Operator, person, Audience::Paused).await.unwrap();
    let page = platform.text_of(&session, &cookie).await;
    assert!(page.contains("Your recording is kept, and nobody can hear it for now."), "{page}");
    assert!(!page.contains("Others cannot hear your name yet"), "{page}");
    assert!(page.contains("src=\"recording/audio\"") && !page.contains("/audio/"), "{page}");
    assert_eq!(heard().await, before);
    // Another take is stored, and heard by its owner alone.
    let kept = send(&platform, own, &wav(1.0)).await.json::<Value>().await.unwrap();
    assert_eq!(kept, json!({ "recording": { "link": "recording/audio" } }));
    assert_ne!(heard().await, before);
    let other = platform.login().await.cookie;
    for cookie in [None, Some(other.as_str())] {
        assert_eq!(platform.get(&audio, cookie).await.status(), 403);
    }
}

#[tokio::test]
async fn a_form_needs_the_token_of_its_browser() {
    let platform = Platform::new().await;
    let (own, own_cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let (staff, staff_cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let foreign = platform.csrf(&staff, &staff_cookie).await;
    assert_eq!(foreign.len(), 64);
    for (session, cookie, action) in [
        (&own, &own_cookie, "details"),
        (&own, &own_cookie, "call"),
        (&own, &own_cookie, "consent"),
        (&own, &own_cookie, "consent/withdraw"),
        (&own, &own_cookie, "recording/delete"),
        (&staff, &staff_cookie, "me"),
        (&staff, &staff_cookie, "sync"),
        (&staff, &staff_cookie, "link"),
    ] {
        let others = if session == &own { foreign.clone() } else { platform.csrf(&own, &own_cookie).await };
        for form in [vec![], vec![("csrf", "")], vec![("csrf", others.as_str())]] {
            let form = [form, vec![("phonetic", "forged")]].concat();
            let answer = platform.post(&format!("{session}{action}"), &form, Some(cookie)).await;
            assert_eq!(answer.status(), 403, "{action} with {form:?}");
            assert!(policy(&answer).contains(&platform.address), "the page is seen inside the platform's");
            assert!(answer.text().await.unwrap().contains("open it again from your course"));
        }
    }
    assert!(!platform.text_of(&own, &own_cookie).await.contains("forged"));
    assert!(platform.text_of(&staff, &staff_cookie).await.contains("Add your own name"), "nothing was added");

    let file = upload_request(&platform, &own, &own_cookie, SOUND, "").send().await.unwrap();
    assert_eq!(file.status(), 403);
    for token in ["", &foreign] {
        let take = send(&platform, (&own, &own_cookie, token), SOUND).await;
        assert_eq!(take.status(), 403);
        assert_eq!(take.json::<Value>().await.unwrap(), json!({ "message": "Forbidden" }));
    }
    assert!(platform.text_of(&own, &own_cookie).await.contains("Others cannot hear your name yet"));
}

#[tokio::test]
async fn only_a_page_that_records_may_use_the_microphone_and_play_takes() {
    let platform = Platform::new().await;
    let (own, own_cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let (staff, staff_cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let made = platform.submit(&staff, "me", &[], &staff_cookie).await;
    assert_eq!(made.status(), 303);
    platform.agree(&staff, &staff_cookie).await;
    let me = format!("{staff}me");
    let nowhere = format!("/lti/s/{}/", "0".repeat(64));
    for (path, cookie, records) in [
        (&own, &own_cookie, true),
        (&me, &staff_cookie, true),
        (&staff, &staff_cookie, false),
        (&nowhere, &own_cookie, false),
    ] {
        let answer = platform.get(path, Some(cookie)).await;
        let wanted = if records { "microphone=(self)" } else { "microphone=()" };
        assert_eq!(answer.headers()["permissions-policy"], wanted, "{path}");
        assert_eq!(
            policy(&answer).contains("media-src 'self' blob:;"),
            records,
            "{path}: {}",
            policy(&answer)
        );
        assert_eq!(policy(&answer).matches("blob:").count(), usize::from(records), "{path}");
        assert_eq!(answer.headers()["referrer-policy"], "same-origin", "{path}");
        assert_eq!(answer.text().await.unwrap().contains("data-recorder"), records, "{path}");
    }
}

/// The link to the page in its own window.
async fn window(platform: &Platform, session: &str, page: &str, cookie: &str) -> String {
    let text = platform.text_of(&format!("{session}{page}"), cookie).await;
    let link = text.split("href=\"window?").nth(1).unwrap().split('"').next().unwrap();
    format!("{session}window?{link}")
}

#[tokio::test]
async fn a_page_opens_in_its_own_window_in_one_browser() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let link = window(&platform, &session, "", &cookie).await;
    // Another site cannot make a visitor open it.
    let request = platform.client.get(format!("{}{link}", platform.world.base));
    assert_eq!(request.header("sec-fetch-site", "cross-site").send().await.unwrap().status(), 403);

    let opened = platform.get(&link, None).await;
    assert_eq!(opened.status(), 303);
    let page = opened.headers()["location"].to_str().unwrap().to_owned();
    let tab = opened.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    assert!(page != session && tab != cookie, "{page} {tab}");
    assert!(platform.text_of(&page, &tab).await.contains("Siobhán Ní Bhriain"));
    assert_eq!(platform.get(&page, Some(&cookie)).await.status(), 403, "it is bound to the tab's cookie");
    let saved = platform.submit(&page, "details", &[("phonetic", "shi-VAWN")], &tab).await;
    assert_eq!(saved.status(), 303);
    assert!(platform.text_of(&session, &cookie).await.contains("shi-VAWN"), "the frame still works");

    let again = platform.get(&link, Some(&tab)).await;
    assert_eq!(again.headers()["location"].to_str().unwrap(), page);
    assert_eq!(platform.get(&link, None).await.status(), 403, "another browser");
    let (other, other_cookie) = platform.session(|claims| claims["sub"] = json!("u9"), &[LEARNER]).await;
    let key = link.split('?').nth(1).unwrap();
    assert_eq!(platform.get(&format!("{other}window?{key}"), Some(&other_cookie)).await.status(), 403);
    assert_eq!(platform.get(&format!("{session}window"), Some(&cookie)).await.status(), 403);

    let late = window(&platform, &session, "", &cookie).await;
    platform.world.advance(Duration::from_secs(3_600));
    assert_eq!(platform.get(&page, Some(&tab)).await.status(), 403, "a window is for an hour");
    assert!(platform.text_of(&session, &cookie).await.contains("shi-VAWN"));
    platform.world.advance(Duration::from_secs(7 * 3_600));
    assert_eq!(platform.get(&late, None).await.status(), 403, "the session is over");
}

#[tokio::test]
async fn a_teacher_s_window_shows_their_own_entry() {
    let platform = Platform::new().await;
    let (staff, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    assert_eq!(platform.submit(&staff, "me", &[], &cookie).await.status(), 303);
    platform.agree(&staff, &cookie).await;
    let opened = platform.get(&window(&platform, &staff, "me", &cookie).await, None).await;
    let page = opened.headers()["location"].to_str().unwrap();
    assert!(page.ends_with("/me"), "{page}");
    let tab = opened.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    assert!(platform.text_of(page, tab).await.contains("Rosa Klein"));
}

#[tokio::test]
async fn plays_in_a_course_are_counted_and_those_of_the_own_recording_are_not() {
    let platform = Platform::new().await;
    let (own, own_cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let token = platform.csrf(&own, &own_cookie).await;
    let kept = send(&platform, (&own, &own_cookie, &token), SOUND).await;
    let link = kept.json::<Value>().await.unwrap()["recording"]["link"].as_str().unwrap().to_owned();
    let (staff, staff_cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let list = platform.text_of(&staff, &staff_cookie).await;
    let (_, rest) = list.split_once("preload=\"none\" src=\"").expect("a recording");
    for played in [link.as_str(), rest.split('"').next().unwrap()] {
        assert_eq!(platform.get(played, None).await.status(), 200, "{played}");
    }
    let app = &platform.world.app;
    endonym::app::plays::flush(app).await.unwrap();
    let read = |row: &endonym::store::Row<'_>| Ok((row.text(0)?, row.int(1)?));
    let counted = app.db.read().rows("SELECT source, times FROM plays", &[], read).await.unwrap();
    assert_eq!(counted, [("lti".to_owned(), 1)]);
}

#[tokio::test]
async fn on_a_page_with_moderation_a_student_hears_what_waits_and_others_do_not() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let token = platform.csrf(&session, &cookie).await;
    execute(&platform.world.app.db, "UPDATE name_pages SET moderation = 'hold'", Vec::new()).await;
    let kept = send(&platform, (&session, &cookie, &token), SOUND).await;
    assert_eq!(kept.status(), 201);
    assert_eq!(kept.json::<Value>().await.unwrap()["recording"]["link"], "recording/audio");
    let page = platform.text_of(&session, &cookie).await;
    assert!(page.contains("Your recording is waiting for approval.") && !page.contains("/audio/"), "{page}");
    let audio = platform.get(&format!("{session}recording/audio"), Some(&cookie)).await;
    assert_eq!(audio.status(), 200);
    let (teacher, cookie) = platform.session(|claims| claims["sub"] = json!("teacher"), &[INSTRUCTOR]).await;
    let class = platform.text_of(&teacher, &cookie).await;
    assert!(!class.contains("/audio/"), "{class}");
}
