//! A course that several tool consumers reach is one course with one page.

use std::time::Duration;

use endonym::{
    app::{Actor, courses, coverage, tool_consumers},
    domain::{
        course::{Course, Sync},
        media::Kind,
        tool_consumer::{LmsKind, ToolConsumer},
    },
};
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, claim, register};
use crate::{
    courses::{connect, patient},
    lms::{canvas::Canvas, moodle::Moodle, people::Person},
    pages::SOUND,
    support::{database::execute, until},
};

const EMAIL: &str = "siobhan@example.edu";
const MEMBERSHIPS: &str = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice";

async fn courses_of(platform: &Platform, consumer: &ToolConsumer) -> Vec<Course> {
    courses::all(&platform.world.app, &Actor::Operator, consumer).await.unwrap()
}

/// Synchronizes a course, and waits until it is done.
async fn synchronize(platform: &Platform, consumer: &ToolConsumer, api_token: &str, id: &str) -> Course {
    let body = json!({ "api_token": api_token, "external_course_ids": [id] });
    platform.world.post("/v5/lti/lms/courses/synchronize", body).await.expect(200);
    let course = async || courses_of(platform, consumer).await.into_iter().find(|one| one.external_id == id);
    until("a course is synchronized", || async {
        course().await.is_some_and(|course| course.sync == Sync::Idle && course.synced_at.is_some())
    })
    .await;
    let course = course().await.unwrap();
    assert_eq!(course.error, None);
    course
}

/// All registrations with this email in the institution.
async fn registrations(platform: &Platform, email: &str) -> Vec<Value> {
    let path = format!("/v5/participants?email_list={email}");
    let found = platform.world.get(&path).await.expect(200);
    found["Response"]["participants"].as_array().unwrap().clone()
}

async fn count(db: &endonym::store::Db, what: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {what}");
    db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn pages(platform: &Platform) -> usize {
    coverage::all(&platform.world.app, &Actor::Operator, platform.world.institution.id, false)
        .await
        .unwrap()
        .len()
}

/// Like Moodle: the context is the course's id, and `sub` is the user's id.
fn from_moodle(user: &str) -> impl FnOnce(&mut Value) {
    let user = user.to_owned();
    move |claims| {
        claims["sub"] = json!(user);
        claims[claim("context")] = json!({ "id": "5", "title": "Rhetoric" });
        claims[claim("tool_platform")] = json!({ "product_family_code": "moodle" });
    }
}

#[tokio::test]
async fn a_course_of_moodle_is_one_whichever_way_comes_first() {
    for services_first in [true, false] {
        let platform = Platform::with(patient()).await;
        platform.world.work(1);
        let moodle = Moodle::start().await;
        moodle.course(5, None, "Rhetoric");
        moodle.enrol(5, Person::student(7, "Siobhán", "Ní Bhriain").email(EMAIL));
        moodle.enrol(5, Person::student(8, "Ana", "Lima"));
        let (services, token) = connect(&platform.world, LmsKind::Moodle, moodle.url(), moodle.token()).await;
        let launches = register(&platform.world, moodle.url(), &platform.address, "tool-2").await;
        let before = pages(&platform).await;
        let launch =
            async || platform.session_by((moodle.url(), "tool-2"), from_moodle("7"), &[LEARNER]).await;
        if services_first {
            synchronize(&platform, &services, &token, "5").await;
        }
        let (own, cookie) = launch().await;
        let form = [("phonetic", "shi-VAWN")];
        let saved = platform.submit(&own, "details", &form, &cookie).await;
        assert_eq!(saved.status(), 303);
        let course = synchronize(&platform, &services, &token, "5").await;
        assert_eq!(pages(&platform).await, before + 1, "services first: {services_first}");
        assert_eq!(courses_of(&platform, &launches).await, [], "it is the web services' course");
        let found = registrations(&platform, EMAIL).await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0]["phonetic_spelling"], "shi-VAWN");
        // The open session stays valid, and a new launch finds the same entry.
        assert!(platform.text_of(&own, &cookie).await.contains("shi-VAWN"));
        let (own, cookie) = launch().await;
        assert!(platform.text_of(&own, &cookie).await.contains("shi-VAWN"));
        let (staff, cookie) =
            platform.session_by((moodle.url(), "tool-2"), from_moodle("1"), &[INSTRUCTOR]).await;
        let text = platform.text_of(&staff, &cookie).await;
        assert!(text.contains("Ana Lima") && text.contains("Synchronized with"), "{text}");
        assert!(text.contains("Synchronize now"), "web services are always there: {text}");
        let asked = platform.submit(&staff, "sync", &[], &cookie).await;
        assert_eq!(asked.status(), 303);
        until("it is synchronized by web services", || async {
            let all = courses_of(&platform, &services).await;
            all[0].sync == Sync::Idle && all[0].synced_at > course.synced_at
        })
        .await;
        // Without the web services, the LTI consumer owns it, with everybody on it.
        tool_consumers::delete(&platform.world.app, &Actor::Operator, services.id).await.unwrap();
        let left = courses_of(&platform, &launches).await;
        assert_eq!((left.len(), left[0].name_page, left[0].id), (1, course.name_page, course.id));
        let (own, cookie) = launch().await;
        assert!(platform.text_of(&own, &cookie).await.contains("shi-VAWN"));
        assert_eq!(pages(&platform).await, before + 1);
    }
}

#[tokio::test]
async fn the_same_number_at_another_moodle_is_another_course() {
    let platform = Platform::with(patient()).await;
    platform.world.work(1);
    let moodle = Moodle::start().await;
    moodle.course(5, None, "Rhetoric");
    moodle.enrol(5, Person::student(7, "Ana", "Lima"));
    let (services, token) = connect(&platform.world, LmsKind::Moodle, moodle.url(), moodle.token()).await;
    synchronize(&platform, &services, &token, "5").await;
    let elsewhere = "https://other.example.edu";
    register(&platform.world, elsewhere, &platform.address, "tool-2").await;
    let (own, cookie) = platform.session_by((elsewhere, "tool-2"), from_moodle("7"), &[LEARNER]).await;
    let text = platform.text_of(&own, &cookie).await;
    assert!(text.contains("Siobhán") && !text.contains("Ana"), "user 7 is somebody else there: {text}");
}

/// A launch of course 101, whose custom parameter for the course id is `said`.
fn from_canvas(host: &str, said: &str) -> impl FnOnce(&mut Value) {
    let ids = json!({ "canvas_api_domain": host, "canvas_course_id": said, "canvas_user_id": "2" });
    let roster = format!("http://{host}/api/lti/courses/101/names_and_roles");
    move |claims| {
        claims[MEMBERSHIPS] = json!({ "context_memberships_url": roster });
        claims["sub"] = json!("86157096-483b");
        claims[claim("context")] =
            json!({ "id": "4dde05e8ca1973bcca9bffc13e1548820eee93a3", "title": "Rhetoric" });
        claims[claim("tool_platform")] = json!({ "product_family_code": "canvas" });
        claims[claim("custom")] = ids;
    }
}

#[tokio::test]
async fn a_course_of_canvas_is_one_by_the_ids_that_canvas_fills_in() {
    let platform = Platform::with(patient()).await;
    platform.world.work(1);
    let canvas = Canvas::start().await;
    canvas.course(101, None, "Rhetoric");
    canvas.enrol(101, Person::student(1, "Siobhan", "Ni Bhriain").email(EMAIL));
    canvas.enrol(101, Person::student(2, "Ben", "Okri"));
    let (services, token) = connect(&platform.world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
    register(&platform.world, canvas.url(), &platform.address, "tool-2").await;
    let host = canvas.url().trim_start_matches("http://");
    let launch = async |host: &str| {
        platform.session_by((canvas.url(), "tool-2"), from_canvas(host, "101"), &[LEARNER]).await
    };
    let before = pages(&platform).await;
    synchronize(&platform, &services, &token, "101").await;
    let (own, cookie) = launch(host).await;
    let text = platform.text_of(&own, &cookie).await;
    assert!(text.contains("Siobhan Ni Bhriain"), "the entry that the roster has made: {text}");
    assert_eq!(pages(&platform).await, before + 1);
    // A platform that claims another one's ids gets its own course.
    let liar = "https://liar.example.edu";
    register(&platform.world, liar, &platform.address, "tool-3").await;
    let (own, cookie) = platform.session_by((liar, "tool-3"), from_canvas(host, "101"), &[LEARNER]).await;
    assert!(!platform.text_of(&own, &cookie).await.contains("Siobhan Ni"));
    assert_eq!(pages(&platform).await, before + 2);
}

#[tokio::test]
async fn what_a_link_says_of_its_course_and_user_opens_nobody_elses() {
    let platform = Platform::with(patient()).await;
    platform.world.work(1);
    let canvas = Canvas::start().await;
    canvas.course(102, None, "Logic");
    canvas.enrol(102, Person::student(1, "Siobhan", "Ni Bhriain").email(EMAIL));
    canvas.enrol(102, Person::student(2, "Ben", "Okri"));
    let (services, token) = connect(&platform.world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
    let launches = register(&platform.world, canvas.url(), &platform.address, "tool-2").await;
    synchronize(&platform, &services, &token, "102").await;
    let before = pages(&platform).await;
    let host = canvas.url().trim_start_matches("http://");
    let launch = from_canvas(host, "102");
    let (staff, cookie) = platform.session_by((canvas.url(), "tool-2"), launch, &[INSTRUCTOR]).await;
    let text = platform.text_of(&staff, &cookie).await;
    assert!(text.contains("Rhetoric") && !text.contains("Okri"), "{text}");
    assert_eq!(pages(&platform).await, before + 1);
    assert_eq!(courses_of(&platform, &launches).await.len(), 1, "a course of its own");
}

#[tokio::test]
async fn a_course_from_before_there_were_keys_is_found_by_a_launch() {
    let platform = Platform::with(patient()).await;
    platform.world.work(1);
    let moodle = Moodle::start().await;
    moodle.course(5, None, "Rhetoric");
    moodle.enrol(5, Person::student(7, "Siobhán", "Ní Bhriain").email(EMAIL));
    let (services, token) = connect(&platform.world, LmsKind::Moodle, moodle.url(), moodle.token()).await;
    let launches = register(&platform.world, moodle.url(), &platform.address, "tool-2").await;
    synchronize(&platform, &services, &token, "5").await;
    execute(&platform.world.app.db, "UPDATE courses SET platform_key = NULL", vec![]).await;
    let before = pages(&platform).await;
    platform.session_by((moodle.url(), "tool-2"), from_moodle("7"), &[LEARNER]).await;
    assert_eq!(pages(&platform).await, before);
    assert_eq!(courses_of(&platform, &launches).await, []);
    assert_eq!(registrations(&platform, EMAIL).await.len(), 1);
}

#[tokio::test]
async fn a_schedule_gives_courses_from_before_there_were_keys_theirs() {
    let platform = Platform::with(patient()).await;
    platform.world.work(1);
    let canvas = Canvas::start().await;
    canvas.course(101, None, "Rhetoric");
    let (services, token) = connect(&platform.world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
    let course = synchronize(&platform, &services, &token, "101").await;
    let app = &platform.world.app;
    execute(&app.db, "UPDATE courses SET platform_key = NULL", vec![]).await;
    courses::run_due(app).await.unwrap();
    platform.world.advance(Duration::from_secs(2 * 24 * 3_600));
    courses::run_due(app).await.unwrap();
    let again = courses_of(&platform, &services).await.remove(0);
    assert!(course.platform_key.is_some());
    assert_eq!(again.platform_key, course.platform_key);
}

#[tokio::test]
async fn two_accounts_with_one_email_both_get_in_when_one_has_a_recording_elsewhere() {
    let platform = Platform::with(patient()).await;
    let second = |course: &'static str| {
        move |claims: &mut Value| {
            claims["sub"] = json!("u9");
            claims["given_name"] = json!("Second");
            claims[claim("lis")] = Value::Null;
            claims[claim("context")] = json!({ "id": course, "title": "Irish Literature" });
        }
    };
    platform.session(second("c2"), &[LEARNER]).await;
    let there = registrations(&platform, EMAIL).await;
    assert_eq!(there.len(), 1, "{there:?}");
    platform.world.give(&there[0], Kind::Recording, SOUND).await;
    let (first, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert!(platform.text_of(&first, &cookie).await.contains("Siobhán"));
    let (own, cookie) = platform.session(second("c1"), &[LEARNER]).await;
    let text = platform.text_of(&own, &cookie).await;
    assert!(text.contains("Second") && text.contains("<audio"), "with what they have recorded: {text}");
}

#[tokio::test]
async fn of_two_registrations_the_one_that_is_left_takes_the_course_over() {
    let platform = Platform::with(patient()).await;
    let app = &platform.world.app;
    let second = register(&platform.world, &platform.address, &platform.address, "tool-2").await;
    let launch = async |roster: bool| {
        let told = format!("{}/roster", platform.address);
        let change = move |claims: &mut Value| {
            if roster {
                claims[MEMBERSHIPS] = json!({ "context_memberships_url": told });
            }
        };
        platform.session_by((&platform.address, "tool-2"), change, &[INSTRUCTOR]).await
    };
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    launch(false).await;
    let course = courses_of(&platform, &platform.consumer).await.remove(0);
    let change = tool_consumers::Change { enabled: Some(false), ..Default::default() };
    tool_consumers::update(app, &Actor::Operator, platform.consumer.id, change).await.unwrap();
    let (staff, cookie) = launch(false).await;
    assert!(!platform.text_of(&staff, &cookie).await.contains("Synchronize now"), "nobody could do it");
    launch(true).await;
    let taken = courses_of(&platform, &second).await;
    assert_eq!((taken.len(), taken[0].id, taken[0].sync), (1, course.id, Sync::Running));
    assert_eq!(courses_of(&platform, &platform.consumer).await, []);
}

#[tokio::test]
async fn two_people_with_one_number_in_two_systems_stay_two_when_a_course_is_handed_over() {
    let platform = Platform::with(patient()).await;
    let app = &platform.world.app;
    platform.world.work(1);
    let canvas = Canvas::start().await;
    canvas.course(101, None, "Rhetoric");
    canvas.enrol(101, Person::student(99, "Ben", "Okri"));
    let (services, token) = connect(&platform.world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
    let kept = synchronize(&platform, &services, &token, "101").await;
    let launch = async || platform.session(|claims| claims["sub"] = json!("99"), &[LEARNER]).await;
    launch().await;
    let gone = courses_of(&platform, &platform.consumer).await.remove(0);
    let merged =
        courses::merge(app, &Actor::Operator, platform.world.institution.id, kept.id, gone.id).await.unwrap();
    assert_eq!((merged.moved, merged.joined), (1, 0));
    // Each of them has taught here as well.
    for user in ["99".to_owned(), format!("{}:99", platform.consumer.id)] {
        let text = format!(
            "INSERT INTO course_staff (institution_id, course_id, user_id, seen_at) VALUES ({}, {}, '{user}', 1)",
            platform.world.institution.id, kept.id
        );
        execute(&app.db, &text, vec![]).await;
    }
    tool_consumers::delete(app, &Actor::Operator, services.id).await.unwrap();
    let left = courses_of(&platform, &platform.consumer).await;
    assert_eq!((left.len(), left[0].id), (1, kept.id));
    let (own, cookie) = launch().await;
    assert!(platform.text_of(&own, &cookie).await.contains("Siobhán"));
    for table in ["course_members", "course_staff"] {
        let marked = format!("{table} WHERE user_id = '{}:99'", services.id);
        let plain = format!("{table} WHERE user_id = '99'");
        assert_eq!((count(&app.db, &marked).await, count(&app.db, &plain).await), (1, 1), "{table}");
    }
}

#[tokio::test]
async fn two_courses_are_joined_by_hand_and_nothing_is_lost() {
    let platform = Platform::with(patient()).await;
    let app = &platform.world.app;
    platform.world.work(1);
    let canvas = Canvas::start().await;
    canvas.course(101, None, "Rhetoric");
    canvas.course(102, None, "Logic");
    canvas.enrol(101, Person::student(1, "Siobhan", "Ni Bhriain").email(EMAIL).without_identifier());
    canvas.enrol(101, Person::student(2, "Ben", "Okri"));
    let (services, token) = connect(&platform.world, LmsKind::Canvas, canvas.url(), canvas.token()).await;
    let kept = synchronize(&platform, &services, &token, "101").await;
    let second = synchronize(&platform, &services, &token, "102").await;
    // Reached by LTI: herself, with a recording, and a person who is not on the roster.
    let (own, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let notes = [("notes", "Irish"), ("phonetic", "shi-VAWN")];
    assert_eq!(platform.submit(&own, "details", &notes, &cookie).await.status(), 303);
    platform
        .session(
            |claims| {
                claims["sub"] = json!("u8");
                claims["email"] = json!("cy@example.edu");
                claims["given_name"] = json!("Cy");
                claims[claim("lis")] = Value::Null;
            },
            &[LEARNER],
        )
        .await;
    let gone = courses_of(&platform, &platform.consumer).await.remove(0);
    let old_page = coverage::all(app, &Actor::Operator, platform.world.institution.id, false).await.unwrap();
    let old_page = old_page.into_iter().map(|(page, _)| page).find(|page| page.id == gone.name_page).unwrap();
    let by_lti = |all: &[Value]| all.iter().find(|one| one["event_slug"] == old_page.slug).unwrap().clone();
    let hex =
        platform.world.give(&by_lti(&registrations(&platform, EMAIL).await), Kind::Recording, SOUND).await;

    let institution = platform.world.institution.id;
    assert!(
        courses::merge(app, &Actor::Operator, institution, kept.id, second.id).await.is_err(),
        "two of one system are two"
    );
    assert!(courses::merge(app, &Actor::Operator, institution, kept.id, kept.id).await.is_err());
    let neighbor = platform.world.neighbor().await;
    assert!(
        courses::merge(app, &Actor::Operator, neighbor.institution.id, kept.id, gone.id).await.is_err(),
        "not theirs"
    );
    // Some tokens are for the one page, some for both.
    for (token, page) in [(1, gone.name_page), (2, gone.name_page), (2, kept.name_page)] {
        let text = format!(
            "INSERT INTO token_pages (institution_id, token_id, name_page_id) VALUES ({institution}, {token}, {page})"
        );
        execute(&app.db, &text, vec![]).await;
    }
    let merged = courses::merge(app, &Actor::Operator, institution, kept.id, gone.id).await.unwrap();
    crate::store::coverage::check(&app.db).await;
    let on_page = format!("token_pages WHERE name_page_id = {}", kept.name_page);
    assert_eq!((count(&app.db, &on_page).await, count(&app.db, "token_pages").await), (2, 2));
    assert_eq!((merged.moved, merged.joined), (1, 1));
    let found = registrations(&platform, EMAIL).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0]["recording_link"].as_str().unwrap().contains(&hex), "{found:?}");
    assert_eq!((&found[0]["phonetic_spelling"], &found[0]["notes"]), (&json!("shi-VAWN"), &json!("Irish")));
    assert_eq!(found[0]["institution_id"], "S7", "what only one of the two entries had");
    let link = found[0]["recording_link"].as_str().unwrap();
    assert_eq!(platform.world.client.get(link).send().await.unwrap().status(), 200);
    // Every reference to the deleted page now points to the remaining one.
    for name in [&old_page.slug, &old_page.access_code, &old_page.event_code, &old_page.id.to_string()] {
        let list = platform.world.get(&format!("/v4/name_pages/{name}/participants")).await.expect(200);
        assert_eq!(list["meta"]["total_count"], 3, "{name}");
    }
    // Launches lead to the same course and to the existing entries.
    let (own, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let text = platform.text_of(&own, &cookie).await;
    assert!(text.contains("shi-VAWN") && text.contains(&hex) && text.contains("Rhetoric"), "{text}");
    let again = synchronize(&platform, &services, &token, "101").await;
    assert_eq!(again.id, kept.id);
    assert_eq!(registrations(&platform, EMAIL).await.len(), 1);
    assert!(
        platform.text_of(&own, &cookie).await.contains(&hex),
        "she is who she was after a synchronization"
    );
    let ids = platform.world.get("/v5/participants?email_list=cy@example.edu").await.expect(200);
    assert_eq!(ids["Response"]["participants"], json!([]), "whom no roster has leaves, as from any course");
    let (own, cookie) = platform
        .session(
            |claims| {
                claims["sub"] = json!("u8");
                claims["email"] = json!("cy@example.edu");
            },
            &[LEARNER],
        )
        .await;
    assert!(platform.text_of(&own, &cookie).await.contains("Cy"), "and comes back");
}
