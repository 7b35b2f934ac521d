//! What staff see of a course, and what students see of themselves.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use endonym::{
    app::{Actor, calls, coverage, directory_holds, name_pages},
    domain::{
        countries::Countries,
        media::Kind,
        name_page::{NamePage, NamePageRef},
        quiet_hours::QuietHours,
        session::PersonId,
    },
};
use reqwest::{Response, header};
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, claim, policy, recording::upload_request};
use crate::{
    pages::SOUND,
    support::{Setup, World, database::execute, media::wav_of, until},
};

/// The page of the launched course.
pub async fn page_of_course(platform: &Platform) -> NamePage {
    let all = coverage::all(&platform.world.app, &Actor::Operator, platform.world.institution.id, false)
        .await
        .unwrap();
    all.into_iter().map(|(page, _)| page).find(|page| page.title == "Irish Literature").unwrap()
}

async fn person(platform: &Platform, first: &str, last: &str) -> Value {
    let page = page_of_course(platform).await;
    let email = format!("p{}@example.edu", platform.world.app.ids.hex());
    let person =
        json!({ "first_name": first, "last_name": last, "email": email, "phonetic": format!("say {first}") });
    platform.world.person_on(&page, person).await
}

async fn text_of(platform: &Platform, path: &str, cookie: &str) -> String {
    let answer = platform.get(path, Some(cookie)).await;
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// The names in the order of the page.
fn names(text: &str) -> Vec<&str> {
    text.split("<p class=\"name\"><bdi lang=\"\">")
        .skip(1)
        .map(|rest| rest.split('<').next().unwrap())
        .collect()
}

fn is_closed(answer: &Response) -> bool {
    answer.status() == 403
}

#[tokio::test]
async fn the_list_is_by_last_name_and_can_be_searched_and_filtered() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let empty = text_of(&platform, &session, &cookie).await;
    assert!(empty.contains("There is nobody in this course yet"), "{empty}");
    let ana = person(&platform, "Ana", "Ørsted").await;
    platform.world.give(&ana, Kind::Recording, SOUND).await;
    person(&platform, "Bo", "adams").await;
    person(&platform, "Ánh", "Zhou").await;
    person(&platform, "<b>Eve</b>", "Đặng").await;

    let answer = platform.get(&session, Some(&cookie)).await;
    let headers = policy(&answer);
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "form-action 'self';",
        &format!("frame-ancestors {}", platform.address),
    ] {
        assert!(headers.contains(part), "{part} in {headers}");
    }
    assert!(!headers.contains("unsafe") && answer.headers().get("x-frame-options").is_none());
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let text = answer.text().await.unwrap();
    assert_eq!(names(&text), ["Bo adams", "&#60;b&#62;Eve&#60;/b&#62; Đặng", "Ana Ørsted", "Ánh Zhou"]);
    assert!(text.contains("say Ana") && text.contains("Everybody <span class=\"count\">4</span>"), "{text}");
    assert!(text.contains("Not recorded yet <span class=\"count\">3</span>"), "{text}");
    assert_eq!(text.matches("<audio").count(), 1);

    let found = text_of(&platform, &format!("{session}?q=ANH"), &cookie).await;
    assert_eq!(names(&found), ["Ánh Zhou"]);
    let found = text_of(&platform, &format!("{session}?q=orsted+ana"), &cookie).await;
    assert_eq!(names(&found), ["Ana Ørsted"]);
    person(&platform, "小龍", "李").await;
    for written in ["李小龍", "小龍李", "李小", "小龍 李"] {
        let found = text_of(&platform, &format!("{session}?q={written}"), &cookie).await;
        assert_eq!(names(&found), ["小龍 李"], "{written}");
    }
    let none = text_of(&platform, &format!("{session}?q=%3Cscript%3E"), &cookie).await;
    assert!(none.contains("Nobody here is called <bdi>&lt;script&gt;</bdi>."), "{none}");
    let open = text_of(&platform, &format!("{session}?show=unrecorded"), &cookie).await;
    assert_eq!(names(&open).len(), 4);
    assert!(!open.contains("Ørsted"));
}

#[tokio::test]
async fn a_large_course_is_shown_in_pages() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    platform.world.crowd(&page_of_course(&platform).await, 0..1_001).await;
    let first = text_of(&platform, &session, &cookie).await;
    assert_eq!(names(&first).len(), 100);
    assert!(first.contains("Page 1 of 11") && first.contains("<span class=\"count\">1001</span>"), "{first}");
    assert!(first.contains("href=\"?page=2\"") && !first.contains("rel=\"prev\""));
    let last = text_of(&platform, &format!("{session}?page=999"), &cookie).await;
    assert_eq!(names(&last).len(), 1);
    assert!(last.contains("href=\"?page=10\"") && !last.contains("rel=\"next\""));
    for odd in ["?page=0", "?page=-1", "?page=x", "?page=2&page=3", "?q=&show=x"] {
        text_of(&platform, &format!("{session}{odd}"), &cookie).await;
    }
}

#[tokio::test]
async fn a_session_is_for_the_browser_that_launched_it_and_not_for_ever() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    person(&platform, "Ana", "Ørsted").await;
    let other = platform.login().await;
    let unknown = format!("/lti/s/{}/", "0".repeat(64));
    for (path, cookie) in [
        (session.as_str(), None),
        (session.as_str(), Some(other.cookie.as_str())),
        (unknown.as_str(), Some(cookie.as_str())),
        ("/lti/s/x/", Some(cookie.as_str())),
    ] {
        let answer = platform.get(path, cookie).await;
        assert!(is_closed(&answer), "{path}");
        let text = answer.text().await.unwrap();
        assert!(text.contains("open it again from your course") && !text.contains("Ørsted"), "{text}");
    }
    // Two frames opened at the same time have each left a cookie.
    let both = format!("{}; {cookie}", other.cookie);
    assert_eq!(platform.get(&session, Some(&both)).await.status(), 200);
    // A missing trailing slash works, too.
    let bare = platform.get(session.trim_end_matches('/'), Some(&cookie)).await;
    assert_eq!(
        (bare.status().as_u16(), bare.headers()["location"].to_str().unwrap()),
        (303, session.as_str())
    );
    platform.world.advance(std::time::Duration::from_secs(8 * 3_600));
    let over = platform.get(&session, Some(&cookie)).await;
    assert!(policy(&over).contains(&platform.address), "the page that says so is seen inside the platform's");
    assert!(is_closed(&over));
}

#[tokio::test]
async fn a_form_that_another_site_sends_does_nothing() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let body = format!("phonetic=x&csrf={}", platform.csrf(&session, &cookie).await);
    let send = async |name: &'static str, value: &str| {
        let request = platform.client.post(format!("{}{session}details", platform.world.base));
        let request = request.header(header::COOKIE, &cookie).header(name, value);
        let kind = "application/x-www-form-urlencoded";
        request.header(header::CONTENT_TYPE, kind).body(body.clone()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send("origin", "https://evil.example").await, 403);
    assert_eq!(send("origin", "null").await, 403);
    assert_eq!(send("sec-fetch-site", "cross-site").await, 403);
    assert_eq!(send("sec-fetch-site", "same-site").await, 403);
    assert!(!text_of(&platform, &session, &cookie).await.contains("value=\"x\""));
    assert_eq!(send("origin", &platform.world.base).await, 303);
    assert_eq!(send("sec-fetch-site", "same-origin").await, 303);
}

#[tokio::test]
async fn a_student_sees_themselves_alone_and_changes_what_is_theirs() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    person(&platform, "Ana", "Ørsted").await;
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("<h1><bdi lang=\"\">Siobhán Ní Bhriain</bdi></h1>"), "{text}");
    assert!(!text.contains("Ørsted"), "{text}");
    assert!(text.contains("Others cannot hear your name yet") && !text.contains("Be called"), "{text}");

    let form = [("phonetic", "shi-VAWN"), ("notes", "Irish.\r\nThe h is silent."), ("first_name", "Eve")];
    let saved = platform.submit(&session, "details", &form, &cookie).await;
    assert_eq!(saved.status(), 303);
    let text = text_of(&platform, saved.headers()["location"].to_str().unwrap(), &cookie).await;
    for part in ["Saved.", "value=\"shi-VAWN\"", "Irish.\nThe h is silent.", "Siobhán Ní Bhriain"] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("Eve"), "the name is the learning system's");

    let long = "x".repeat(501);
    let wrong =
        platform.submit(&session, "details", &[("phonetic", &long), ("notes", "kept")], &cookie).await;
    assert_eq!(wrong.status(), 422);
    let text = wrong.text().await.unwrap();
    assert!(text.contains("This is too long. Please use at most \u{2068}500\u{2069} characters."), "{text}");
    assert!(text.contains(&long) && text.contains("kept</textarea>"), "what was typed stays");
    // Nothing changes on an archived page.
    let page = NamePageRef::parse(&page_of_course(&platform).await.slug).unwrap();
    let (app, id) = (&platform.world.app, platform.world.institution.id);
    name_pages::archive(app, &Actor::Operator, id, &page, true).await.unwrap();
    let late = platform.submit(&session, "details", &[("phonetic", "late")], &cookie).await;
    assert_eq!(late.status(), 422);
    assert!(late.text().await.unwrap().contains("This page is archived."));
    assert!(text_of(&platform, &session, &cookie).await.contains("value=\"shi-VAWN\""));
    name_pages::archive(app, &Actor::Operator, id, &page, false).await.unwrap();
    // A student can open nothing else in the session.
    for path in ["sync", "link"] {
        let answer = platform.submit(&session, path, &[("title", "x")], &cookie).await;
        assert!(policy(&answer).contains(&platform.address), "it is seen in its frame");
        assert!(is_closed(&answer), "{path}");
    }
    let (staff, staff_cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    for path in ["details", "recording", "recording/delete", "call", "consent/withdraw", "link"] {
        let answer = platform.submit(&staff, path, &[("phonetic", "x")], &staff_cookie).await;
        assert!(is_closed(&answer), "{path}");
    }
}

/// The field that makes a recording for this course only.
pub const TICKED: &str = "\r\n--b1\r\nContent-Disposition: form-data; name=\"only_here\"\r\n\r\n1";

/// A multipart form with a file, as sent by browsers.
pub async fn upload(platform: &Platform, session: &str, cookie: &str, file: &[u8]) -> Response {
    upload_with(platform, session, cookie, file, "").await
}

/// The same with further fields after the file.
pub async fn upload_with(
    platform: &Platform,
    session: &str,
    cookie: &str,
    file: &[u8],
    more: &str,
) -> Response {
    let token = platform.csrf(session, cookie).await;
    let more = format!("{more}\r\n--b1\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{token}");
    upload_request(platform, session, cookie, file, &more).send().await.unwrap()
}

#[tokio::test]
async fn a_student_uploads_a_recording_and_hears_it() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    for (file, sentence) in [
        (&b""[..], "Please choose a file first."),
        (b"this is no sound", "This is not a recording that we can read. Please choose a WAV"),
    ] {
        let answer = upload(&platform, &session, &cookie, file).await;
        assert_eq!(answer.status(), 422);
        let text = answer.text().await.unwrap();
        assert!(text.contains(sentence), "{text}");
    }
    let answer = upload(&platform, &session, &cookie, SOUND).await;
    assert_eq!(answer.status(), 303);
    let text = text_of(&platform, answer.headers()["location"].to_str().unwrap(), &cookie).await;
    assert!(text.contains("Your recording is saved."), "{text}");
    let link =
        text.split("<audio controls preload=\"none\" src=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(platform.get(link, None).await.status(), 200);
    // Staff can play it, too.
    let (staff, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let path = link.split('?').next().unwrap();
    assert!(text_of(&platform, &staff, &cookie).await.contains(path));
}

#[tokio::test]
async fn a_student_records_for_all_of_their_courses_or_for_one_of_them() {
    let platform = Platform::new().await;
    let logic = |claims: &mut Value| claims[claim("context")] = json!({ "id": "c2", "title": "Logic" });
    let (here, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let (there, there_cookie) = platform.session(logic, &[LEARNER]).await;
    let sound = async |session: &str, cookie: &str| {
        let text = text_of(&platform, session, cookie).await;
        let link =
            text.split("<audio controls preload=\"none\" src=\"").nth(1)?.split('"').next()?.to_owned();
        let answer = platform.get(&link, None).await;
        assert_eq!(answer.status(), 200);
        Some((
            answer.bytes().await.unwrap(),
            text.contains("value=\"1\" aria-describedby=\"only-here-hint\" checked"),
        ))
    };
    let text = text_of(&platform, &here, &cookie).await;
    assert!(text.contains(">Only for this course</label>") && !text.contains("checked"), "{text}");
    assert_eq!(upload(&platform, &here, &cookie, SOUND).await.status(), 303);
    let (first, ticked) = sound(&here, &cookie).await.unwrap();
    assert!(!ticked);
    assert_eq!(sound(&there, &there_cookie).await.unwrap().0, first, "it is heard in the other course, too");

    let other = wav_of(1.2, 220.0);
    assert_eq!(upload_with(&platform, &there, &there_cookie, &other, TICKED).await.status(), 303);
    let (only, ticked) = sound(&there, &there_cookie).await.unwrap();
    assert!(ticked && only != first, "the page says that it is for this course alone");
    assert_eq!(sound(&here, &cookie).await.unwrap().0, first);
    // A third course starts with the recording for all pages.
    let rhetoric = |claims: &mut Value| claims[claim("context")] = json!({ "id": "c3", "title": "Rhetoric" });
    let (third, third_cookie) = platform.session(rhetoric, &[LEARNER]).await;
    assert_eq!(sound(&third, &third_cookie).await.unwrap(), (first.clone(), false));

    assert_eq!(upload(&platform, &there, &there_cookie, &wav_of(1.2, 180.0)).await.status(), 303);
    let (anew, ticked) = sound(&there, &there_cookie).await.unwrap();
    assert!(!ticked && anew != only && anew != first);
    for (session, cookie) in [(&here, &cookie), (&third, &third_cookie)] {
        assert_eq!(sound(session, cookie).await.unwrap().0, anew);
    }
}

#[tokio::test]
async fn a_student_asks_to_be_called_where_there_are_calls() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let platform = Platform::with(Setup { calling, ..Setup::default() }).await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert!(text_of(&platform, &session, &cookie).await.contains("Be called instead"));
    for (number, why) in [
        ("", "enter a phone number"),
        ("12", "not a phone number that we can use"),
        ("call me", "not a phone number that we can use"),
    ] {
        let wrong = platform.submit(&session, "call", &[("phone_number", number)], &cookie).await;
        assert_eq!(wrong.status(), 422, "{number}");
        let text = wrong.text().await.unwrap();
        assert!(text.contains(why), "{text}");
        assert!(text.contains(&format!("value=\"{number}\"")), "{text}");
    }
    let asked = platform.submit(&session, "call", &[("phone_number", "+1 202 555 0123")], &cookie).await;
    assert_eq!(asked.status(), 303, "{}", asked.text().await.unwrap());
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("You will be called at <bdi>+12025550123</bdi>"), "{text}");
}

#[tokio::test]
async fn a_student_is_called_three_times_a_day_and_at_two_numbers_at_most() {
    let calling =
        calls::Rules { enabled: true, attempts: 3, quiet_hours: QuietHours::OFF, ..calls::Rules::nobody() };
    let platform = Platform::with(Setup { calling, ..Setup::default() }).await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let ask_in = async |session: &str, cookie: &str, number: &str| {
        let answer = platform.submit(session, "call", &[("phone_number", number)], cookie).await;
        (answer.status().as_u16(), answer.text().await.unwrap())
    };
    let ask = async |number: &str| ask_in(&session, &cookie, number).await;
    let (one, two, three) = ("+12025550123", "+12025550124", "+12025550125");
    for number in [one, one, two] {
        assert_eq!(ask(number).await.0, 303);
    }
    let (status, text) = ask(three).await;
    assert!(status == 422 && text.contains("called too often today"), "{text}");
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("You will be called at <bdi>+12025550124</bdi>"), "nothing has changed: {text}");
    assert_eq!(ask(one).await.0, 303);
    assert_eq!(ask(two).await.0, 422, "the fourth call");
    assert_eq!(ask(one).await.0, 303, "the one that is to come anyway");
    platform.world.advance(Duration::from_secs(24 * 3_600));
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert_eq!(ask_in(&session, &cookie, three).await.0, 303, "the next day");
}

#[tokio::test]
async fn two_students_with_one_email_have_an_entry_each() {
    let platform = Platform::new().await;
    let (first, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    platform.submit(&first, "details", &[("notes", "a secret of u7")], &cookie).await;
    let twin = |claims: &mut Value| {
        claims["sub"] = json!("u8");
        claims["given_name"] = json!("Aoife");
    };
    let (second, cookie) = platform.session(twin, &[LEARNER]).await;
    let text = text_of(&platform, &second, &cookie).await;
    assert!(text.contains("Aoife") && !text.contains("a secret of u7"), "{text}");
}

#[tokio::test]
async fn a_student_who_was_registered_by_the_same_email_finds_that_entry() {
    let platform = Platform::new().await;
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    let page = page_of_course(&platform).await;
    let known =
        json!({ "first_name": "Sheevaun", "email": "Siobhan@example.edu", "phonetic": "already here" });
    platform.world.person_on(&page, known).await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("already here") && text.contains("Siobhán Ní Bhriain"), "{text}");
    let nameless = |claims: &mut Value| {
        claims["sub"] = json!("u9");
        for key in ["given_name", "family_name", "email"] {
            claims[key] = Value::Null;
        }
        claims["name"] = json!("Madonna");
        claims[claim("lis")] = Value::Null;
    };
    let (session, cookie) = platform.session(nameless, &[LEARNER]).await;
    assert!(text_of(&platform, &session, &cookie).await.contains("Madonna"));
}

#[tokio::test]
async fn a_deep_link_needs_a_title() {
    let platform = Platform::new().await;
    let ask = |claims: &mut Value| {
        claims[claim("message_type")] = json!("LtiDeepLinkingRequest");
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"] =
            json!({ "deep_link_return_url": "https://lms.example.edu/dl?x=1", "data": "d" });
    };
    let (session, cookie) = platform.session(ask, &[INSTRUCTOR]).await;
    assert!(text_of(&platform, &session, &cookie).await.contains("Names and how they are said"));
    let answer = platform.submit(&session, "link", &[("title", " ")], &cookie).await;
    assert_eq!(answer.status(), 422);
    assert!(answer.text().await.unwrap().contains("Please fill this in."));
    let answer = platform.submit(&session, "link", &[("title", "Names")], &cookie).await;
    assert_eq!(answer.status(), 200);
    let forms = format!("form-action 'self' https://lms.example.edu {};", platform.address);
    assert!(policy(&answer).contains(&forms), "{}", policy(&answer));
    let answer = platform.submit(&session, "link", &[("cancel", "1")], &cookie).await;
    let text = answer.text().await.unwrap();
    let token = text.split("name=\"JWT\" value=\"").nth(1).unwrap_or_else(|| panic!("{text}"));
    let claims = BASE64.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(claims["https://purl.imsglobal.org/spec/lti-dl/claim/content_items"], json!([]));
    // Content developers add links, and see nobody.
    const DEVELOPER: &str = "http://purl.imsglobal.org/vocab/lis/v2/membership#ContentDeveloper";
    platform.session(ask, &[DEVELOPER]).await;
    // Unsafe return URLs are rejected.
    for elsewhere in
        ["http://10.0.0.1/dl", "javascript:alert(1)", "http://lms.example.edu/dl", "https://a b/dl"]
    {
        let login = platform.login().await;
        let mut claims = platform.claims(&login, &[INSTRUCTOR]);
        ask(&mut claims);
        claims["https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings"]["deep_link_return_url"] =
            json!(elsewhere);
        let answer = platform.launch(&login, &platform.key.sign(&claims).unwrap()).await;
        assert_eq!(answer.status(), 403, "{elsewhere}");
    }
}

#[tokio::test]
async fn whoever_sits_at_a_browser_next_ends_what_others_have_opened_there() {
    let platform = Platform::new().await;
    let (teacher, cookie) = platform.session(|claims| claims["sub"] = json!("teacher"), &[INSTRUCTOR]).await;
    let elsewhere = platform.session(|claims| claims["sub"] = json!("teacher"), &[INSTRUCTOR]).await;
    let (first, _) = platform.session_in(Some(&cookie), |_| {}, &[LEARNER]).await;
    let (second, _) = platform.session_in(Some(&cookie), |_| {}, &[LEARNER]).await;
    let closed = platform.get(&teacher, Some(&cookie)).await;
    assert!(is_closed(&closed) && policy(&closed).contains(&platform.address));
    for (session, cookie) in [(&first, &cookie), (&second, &cookie), (&elsewhere.0, &elsewhere.1)] {
        text_of(&platform, session, cookie).await;
    }
    // An entry that the learning system has reassigned is no longer theirs.
    execute(&platform.world.app.db, "UPDATE course_members SET user_id = 'u8'", vec![]).await;
    assert!(is_closed(&platform.get(&first, Some(&cookie)).await));
    let details = platform.submit(&second, "details", &[("notes", "x")], &cookie).await;
    assert!(is_closed(&details));
}

#[tokio::test]
async fn a_page_that_is_gone_closes_its_sessions() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let world: &World = &platform.world;
    endonym::app::tool_consumers::delete(&world.app, &Actor::Operator, platform.consumer.id).await.unwrap();
    assert!(is_closed(&platform.get(&session, Some(&cookie)).await));
}

#[tokio::test]
async fn a_list_that_cannot_be_fetched_says_why() {
    let platform = Platform::new().await;
    let roster = json!({ "context_memberships_url": format!("{}/nowhere", platform.address) });
    let with_roster = |claims: &mut Value| {
        claims["https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"] = roster.clone()
    };
    let (session, cookie) = platform.session(with_roster, &[INSTRUCTOR]).await;
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("The list is being fetched") && text.contains("data-wait"), "{text}");
    assert!(!text.contains("Synchronize now"), "it is under way: {text}");
    platform.world.work(1);
    until("the page says that it did not work", || async {
        text_of(&platform, &session, &cookie).await.contains("The list could not be fetched: ")
    })
    .await;
    // If the roster is not available, the page does not offer to fetch it.
    let nowhere = |claims: &mut Value| claims[claim("context")] = json!({ "id": "c2", "title": "Other" });
    let (other, other_cookie) = platform.session(nowhere, &[INSTRUCTOR]).await;
    assert!(!text_of(&platform, &other, &other_cookie).await.contains("Synchronize now"));
    // A second launch does not restart a synchronization that is being retried.
    let (session, cookie) = platform.session(with_roster, &[INSTRUCTOR]).await;
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains("The list could not be fetched: ") && text.contains("Synchronize now"), "{text}");
}

#[tokio::test]
async fn a_page_says_what_is_to_be_known_of_its_list_and_when_that_was() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let at = 1_794_000_000_000_000_i64;
    let text = "UPDATE courses SET synced_at = $1, note = '3 <kept> without names'";
    execute(&platform.world.app.db, text, vec![at.into()]).await;
    execute(&platform.world.app.db, "UPDATE institutions SET time_zone = 'Europe/Vienna'", vec![]).await;
    let text = text_of(&platform, &session, &cookie).await;
    // What is wrong is for administrators, in English. Whoever teaches is told that something is.
    assert!(text.contains("Not everything came along") && !text.contains("without names"), "{text}");
    let time = "<time datetime=\"2026-11-06T22:20:00+01:00\">6 November 2026, 22:20 CET</time>";
    assert!(text.contains(time), "{text}");
}

#[tokio::test]
async fn a_page_that_waits_is_told_when_a_synchronization_has_ended() {
    let platform = Platform::new().await;
    let roster = json!({ "context_memberships_url": format!("{}/nowhere", platform.address) });
    let with_roster = |claims: &mut Value| {
        claims["https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"] = roster.clone()
    };
    let (session, cookie) = platform.session(with_roster, &[INSTRUCTOR]).await;
    let state = format!("{session}state");
    let answer = platform.get(&state, Some(&cookie)).await;
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert_eq!(answer.json::<Value>().await.unwrap(), json!({ "running": true }));
    platform.world.work(1);
    until("it is told that it has ended", || async {
        platform.get(&state, Some(&cookie)).await.json::<Value>().await.unwrap()
            == json!({ "running": false })
    })
    .await;
    // Nobody else sees any of this.
    assert_eq!(platform.get(&state, None).await.status(), 403);
    let (own, own_cookie) = platform.session(|claims| claims["sub"] = json!("u9"), &[LEARNER]).await;
    assert_eq!(platform.get(&format!("{own}state"), Some(&own_cookie)).await.status(), 403);
}

#[tokio::test]
async fn a_picture_that_web_services_gave_shows_where_lti_has_none() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let world = &platform.world;
    let (here, elsewhere) = (page_of_course(&platform).await, world.page("Rhetoric").await);
    let who = |email: &str| json!({ "first_name": "Ana", "last_name": "Lima", "email": email });
    for email in ["ana@example.edu", "ben@example.edu"] {
        world.person_on(&here, who(email)).await;
    }
    let mut photos = Vec::new();
    for email in ["ana@example.edu", "ben@example.edu"] {
        let person = world.person_on(&elsewhere, who(email)).await;
        photos.push(world.give(&person, Kind::Photo, b"a face").await);
    }
    // The first was copied from a learning system; the second was uploaded to that page only.
    let text = "INSERT INTO course_members (institution_id, course_id, user_id, participant_id, photo) \
                SELECT institution_id, 1, 'x', id, photo FROM participants WHERE photo = $1";
    execute(&world.app.db, text, vec![photos[0].clone().into()]).await;
    let text = text_of(&platform, &session, &cookie).await;
    assert!(text.contains(&format!("{}_128.jpg", photos[0])), "{text}");
    assert!(!text.contains(&photos[1]), "{text}");
}

#[tokio::test]
async fn pages_are_light_in_a_frame_unless_the_platform_says_otherwise() {
    let platform = Platform::new().await;
    let theme = async |session: &str, cookie: &str, place: &'static str| {
        let request = platform.client.get(format!("{}{session}", platform.world.base));
        let request = request.header(header::COOKIE, cookie).header("sec-fetch-dest", place);
        let text = request.send().await.unwrap().text().await.unwrap();
        text.split("data-theme=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    assert_eq!(theme(&session, &cookie, "iframe").await, "light");
    assert_eq!(theme(&session, &cookie, "document").await, "system");
    let dark = |claims: &mut Value| claims[claim("custom")] = json!({ "theme": "dark" });
    let (session, cookie) = platform.session(dark, &[LEARNER]).await;
    assert_eq!(theme(&session, &cookie, "iframe").await, "dark");
}

/// The cookie of a session inside a learning system is not sent with the link of a recording.
#[tokio::test]
async fn a_teacher_hears_somebody_with_a_directory_hold_through_their_session_alone() {
    let platform = Platform::new().await;
    let (session, cookie) = platform.session(|_| {}, &[INSTRUCTOR]).await;
    let ana = person(&platform, "Ana", "Lima").await;
    platform.world.give(&ana, Kind::Recording, SOUND).await;
    let world = &platform.world;
    let person =
        PersonId { institution: world.institution.id, email_key: ana["email"].as_str().unwrap().to_owned() };
    directory_holds::set(&world.app, &Actor::Operator, person, true).await.unwrap();
    let listed = text_of(&platform, &session, &cookie).await;
    assert!(listed.contains("Ana") && !listed.contains("/audio/"), "{listed}");
    let (_, rest) = listed.split_once("recordings/").expect("a link below the session");
    let sound = format!("{session}recordings/{}", rest.split('"').next().unwrap());
    let heard = platform.get(&sound, Some(&cookie)).await;
    assert_eq!(
        (heard.status().as_u16(), &heard.headers()["cache-control"]),
        (200, &"private, no-store".parse().unwrap())
    );
    assert_eq!(heard.bytes().await.unwrap(), SOUND);
    // A student of the same course, a browser without the session, and another recording.
    let (own, own_cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let by_student = sound.replace(&session, &own);
    for (path, cookie) in [(&by_student, Some(own_cookie.as_str())), (&sound, None)] {
        assert!(!platform.get(path, cookie).await.status().is_success(), "{path}");
    }
    let other = format!("{session}recordings/{}", "0".repeat(32));
    assert_eq!(platform.get(&other, Some(&cookie)).await.status(), 404);
}
