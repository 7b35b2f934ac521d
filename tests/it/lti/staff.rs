//! Staff are not among the students, whatever the roster says, and may have their own entry.

use endonym::domain::media::Kind;
use serde_json::{Value, json};

use super::{INSTRUCTOR, LEARNER, Platform, claim, library::Library, policy};
use crate::{
    pages::SOUND,
    support::{World, until},
};

/// The names on the lists of students and of staff.
fn lists(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (students, staff) = text.split_once("Teaching this course").unwrap_or((text, ""));
    (names(students), names(staff))
}

fn names(text: &str) -> Vec<&str> {
    let parts = text.split("<p class=\"name\"><bdi lang=\"\">").skip(1);
    parts.map(|rest| rest.split('<').next().unwrap()).collect()
}

#[tokio::test]
async fn who_teaches_by_their_launch_is_no_student_whatever_the_roster_calls_them() {
    let library = Library::start(World::new().await).await;
    library.world.work(1);
    let teacher = library.launch("user=teacher").await;
    library.synchronized().await;
    let students = async || {
        let (_, text) = library.page(&teacher.path, &teacher.cookie).await;
        lists(&text).0.into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(students().await.len(), 4, "the roster calls Ana a learner");
    // She is staff: the platform says so in her own launch.
    let ana = library.launch("user=ana&role=Instructor").await;
    assert!(ana.text.contains("Names of the World"), "{}", ana.text);
    assert_eq!(students().await, ["Siobhán Ní Bhriain", "محمد الأمين", "小龍 李"]);
    let before = library.state().await;
    library.synchronize(&teacher).await;
    until("it has been synchronized again", || async { library.state().await > before }).await;
    assert_eq!(students().await.len(), 3, "nor does a synchronization bring her back");
    // Moodle's “switch role”: the same person, as a learner.
    let preview = library.launch("user=ana").await;
    assert_eq!(preview.status, 200);
    assert!(preview.text.contains("looking at this as a student"), "{}", preview.text);
    assert_eq!(students().await.len(), 3, "a preview joins nothing");
}

#[tokio::test]
async fn a_preview_as_canvas_test_student_joins_nothing() {
    const TEST_USER: &str = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser";
    let platform = Platform::new().await;
    let login = platform.login().await;
    let token = platform.key.sign(&platform.claims(&login, &[LEARNER, TEST_USER])).unwrap();
    let answer = platform.launch(&login, &token).await;
    assert_eq!(answer.status(), 200);
    assert!(policy(&answer).contains(&format!("frame-ancestors {}", platform.address)));
    assert!(answer.text().await.unwrap().contains("looking at this as a student"));
    let everybody = platform.world.get("/v5/participants").await.expect(200);
    assert_eq!(everybody["Response"]["participants"], json!([]));
}

#[tokio::test]
async fn whoever_previewed_before_they_taught_leaves_the_students_and_keeps_what_they_said() {
    let platform = Platform::new().await;
    let (own, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    let form = [("phonetic", "shi-VAWN")];
    assert_eq!(platform.submit(&own, "details", &form, &cookie).await.status(), 303);
    let (staff, cookie) = platform.session(|claims| claims["sub"] = json!("u7"), &[INSTRUCTOR]).await;
    let text = platform.text_of(&staff, &cookie).await;
    assert_eq!(lists(&text), (vec![], vec!["Siobhán Ní Bhriain"]), "{text}");
    assert!(text.contains("Everybody <span class=\"count\">0</span>"), "{text}");
    // As a student they see that entry.
    let (own, cookie) = platform.session(|_| {}, &[LEARNER]).await;
    assert!(platform.text_of(&own, &cookie).await.contains("shi-VAWN"));
}

#[tokio::test]
async fn a_teacher_has_an_entry_of_their_own_that_no_synchronization_touches() {
    let library = Library::start(World::new().await).await;
    library.world.work(1);
    let teacher = library.launch("user=teacher").await;
    library.synchronized().await;
    assert!(teacher.text.contains("Add your own name"), "{}", teacher.text);
    let found = async || {
        let path = "/v5/participants?email_list=rosa@example.edu";
        library.world.get(path).await.expect(200)["Response"]["participants"].as_array().unwrap().clone()
    };
    assert_eq!(found().await, Vec::<Value>::new(), "nobody has asked for one");
    // Before that, they have nothing to change.
    assert_eq!(library.post(&teacher, "details", "phonetic=x").await.status(), 403);
    let made = library.post(&teacher, "me", "").await;
    assert_eq!(made.status(), 303);
    assert_eq!(made.headers()["location"], format!("{}me", teacher.path));
    let twice = library.post(&teacher, "me", "").await;
    assert_eq!(twice.status(), 303, "twice is once");
    assert_eq!(found().await.len(), 1);
    let own = format!("{}me", teacher.path);
    let (_, text) = library.page(&own, &teacher.cookie).await;
    assert!(text.contains("<h1><bdi lang=\"\">Rosa Klein</bdi></h1>"), "{text}");
    let saved = library.post(&teacher, "details", "phonetic=ROH-za&notes=").await;
    assert_eq!(saved.headers()["location"], format!("{}me?done=details", teacher.path));
    library.world.give(&found().await[0], Kind::Recording, SOUND).await;
    let check = async || {
        let (_, text) = library.page(&teacher.path, &teacher.cookie).await;
        let (students, staff) = lists(&text);
        assert_eq!((students.len(), staff), (4, vec!["Rosa Klein"]), "{text}");
        assert!(text.contains("Everybody <span class=\"count\">4</span>"), "{text}");
        assert!(text.contains("ROH-za") && text.contains("Change your own entry"), "{text}");
        assert!(!text.contains("Add your own name"), "{text}");
    };
    check().await;
    let before = library.state().await;
    library.synchronize(&teacher).await;
    until("it has been synchronized again", || async { library.state().await > before }).await;
    check().await;
    assert!(found().await[0]["recording_link"].is_string(), "the API has it as any registration");
    // Another launch finds the entry, and other staff cannot change it.
    let again = library.launch("user=teacher").await;
    assert!(again.text.contains("Change your own entry"), "{}", again.text);
    let other = library.launch("user=ana&role=Instructor").await;
    assert!(!other.text.contains("Change your own entry") && other.text.contains("ROH-za"), "{}", other.text);
    assert_eq!(library.post(&other, "details", "phonetic=x").await.status(), 403);
}

#[tokio::test]
async fn what_is_kept_of_a_teacher_cannot_be_read_in_the_database() {
    let platform = Platform::new().await;
    platform.session(|_| {}, &[INSTRUCTOR]).await;
    let text = "SELECT person FROM lti_sessions";
    let kept = platform.world.app.db.read().one(text, &[], |row| row.text(0)).await.unwrap().unwrap();
    assert!(kept.starts_with("v2:") && !kept.contains("Rosa"), "{kept}");
}

#[tokio::test]
async fn an_anonymous_teacher_sees_the_course_and_is_offered_no_entry() {
    let platform = Platform::new().await;
    let anonymous = |claims: &mut Value| {
        claims["sub"] = Value::Null;
        claims[claim("lis")] = Value::Null;
    };
    let (staff, cookie) = platform.session(anonymous, &[INSTRUCTOR]).await;
    let text = platform.text_of(&staff, &cookie).await;
    assert!(!text.contains("Add your own name"), "{text}");
    assert_eq!(platform.submit(&staff, "me", &[], &cookie).await.status(), 403);
}
