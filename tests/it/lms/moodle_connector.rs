//! Behavior that is specific to Moodle. `conformance.rs` covers what all connectors have in common. Tests of an
//! existing course also run against a real Moodle, if there is one: see `docs/testing.md`.

use endonym::{
    domain::roster::{Role, Roster},
    lms::{Access, Connection, Error},
    outbound::{Allowed, Outbound},
};

use super::{
    denied, found, hasty,
    moodle::{Fault, Moodle},
    people::{Avatar, Person},
    unavailable, wanted,
};

fn connection(moodle: &Moodle) -> Connection {
    Connection::new(&hasty(), Access::Moodle { url: moodle.url().into(), token: moodle.token().into() })
}

async fn with_students(many: u64) -> Moodle {
    let moodle = Moodle::start().await;
    moodle.course(2, Some("RH/1"), "Rhetoric & \"Style\"");
    for id in 10..10 + many {
        moodle.enrol(2, Person::student(id, "Ada", &format!("Number{id}")));
    }
    moodle
}

async fn roster(moodle: &Moodle) -> Result<Roster, Error> {
    connection(moodle).roster(&found("2", ""), &[Role::Student]).await
}

/// A Moodle with a course that has students.
struct System {
    outbound: Outbound,
    url: String,
    token: String,
    course: String,
}

/// The fake, and the real Moodle if there is one.
#[allow(clippy::disallowed_methods)]
async fn systems() -> Vec<System> {
    let moodle = with_students(3).await;
    let stand_in = System {
        outbound: hasty(),
        url: moodle.url().into(),
        token: moodle.token().into(),
        course: "2".into(),
    };
    let Ok(url) = std::env::var("ENDONYM_TEST_MOODLE_URL") else { return vec![stand_in] };
    let named = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("{name} is set with the address"));
    let real = System {
        // At the URL that the tester provides.
        outbound: Outbound::new(Allowed::parse("0.0.0.0/0,::/0").unwrap()).unwrap(),
        url,
        token: named("ENDONYM_TEST_MOODLE_TOKEN"),
        course: named("ENDONYM_TEST_MOODLE_COURSE"),
    };
    vec![stand_in, real]
}

#[tokio::test]
async fn what_is_there_is_found_and_what_is_not_is_not() {
    for System { outbound, url, token, course } in systems().await {
        let connection = Connection::new(&outbound, Access::Moodle { url: url.clone(), token });
        let seen = connection.check(&[], &[Role::Student]).await.unwrap();
        assert!(seen.says.contains("who is in the course"), "{seen:?}");
        let course = connection.find(&wanted(&course)).await.unwrap().unwrap();
        assert!(!course.title.is_empty());
        let seen = connection.check(std::slice::from_ref(&course), &[Role::Student]).await.unwrap();
        assert!(seen.says.contains(&format!("who is in the course {}: names ", course.title)), "{seen:?}");
        assert_eq!(
            seen.coverage.map(|(title, counts)| (title, counts.people > 0)),
            Some((course.title.clone(), true))
        );
        for nobody in ["987654321", "no such idnumber", "1", "", "-1", "007"] {
            assert_eq!(connection.find(&wanted(nobody)).await, Ok(None), "{nobody}");
        }
        let roster = connection.roster(&course, &[Role::Student]).await.unwrap();
        assert_eq!(roster.title.as_deref(), Some(course.title.as_str()));
        assert!(!roster.members.is_empty());
        for member in &roster.members {
            assert!(!member.user_id.is_empty() && member.first_name.is_some(), "{member:?}");
        }
        assert_eq!(connection.roster(&found("987654321", ""), &[Role::Student]).await, Err(Error::Missing));

        let stranger = Connection::new(&outbound, Access::Moodle { url, token: "notthetoken".into() });
        for why in [
            denied(stranger.find(&wanted("2")).await),
            denied(stranger.roster(&course, &[Role::Student]).await),
            denied(stranger.check(&[], &[Role::Student]).await),
        ] {
            assert!(why.contains("access token") && !why.contains("notthetoken"), "{why}");
        }
    }
}

#[tokio::test]
async fn an_id_is_tried_as_id_and_then_as_idnumber() {
    let moodle = with_students(0).await;
    moodle.course(3, Some("2"), "Shadowed");
    moodle.course(4, Some("77"), "By its number");
    let connection = connection(&moodle);
    for (given, id) in [("2", "2"), ("RH/1", "2"), ("77", "4"), (" 4 ", "4")] {
        assert_eq!(connection.find(&wanted(given)).await.unwrap().unwrap().id, id, "{given}");
    }
    assert_eq!(connection.find(&wanted("2")).await.unwrap().unwrap().title, "Rhetoric & \"Style\"");
    let asked = moodle.requests();
    assert!(asked.contains(&"core_course_get_courses_by_field id=77".to_owned()), "{asked:?}");
    assert!(!asked.contains(&"core_course_get_courses_by_field id=RH/1".to_owned()), "{asked:?}");
}

#[tokio::test]
async fn somebody_with_two_roles_is_in_the_roster_of_each() {
    let moodle = with_students(1).await;
    moodle.enrol(2, Person::student(18, "Tia", "Assistant").role("teacher"));
    moodle.enrol(2, Person::student(18, "Tia", "Assistant").role("student"));
    for (role, expected) in [(Role::Student, &["10", "18"][..]), (Role::Assistant, &["18"])] {
        let members = connection(&moodle).roster(&found("2", ""), &[role]).await.unwrap().members;
        let ids: Vec<&str> = members.iter().map(|member| member.user_id.as_str()).collect();
        assert_eq!(ids, expected);
    }
}

#[tokio::test]
async fn pages_are_read_to_their_end_whatever_moves_meanwhile() {
    let moodle = with_students(5_000).await;
    assert_eq!(roster(&moodle).await.unwrap().members.len(), 5_000);
    let pages = moodle.requests().iter().filter(|line| line.contains("limitfrom")).count();
    // The last one is empty.
    assert_eq!(pages, 22);

    let moodle = with_students(600).await;
    moodle.leaves_meanwhile(2, 20);
    let members = roster(&moodle).await.unwrap().members;
    let ids: Vec<u64> = members.iter().map(|member| member.user_id.parse().unwrap()).collect();
    assert_eq!(ids, (10..610).filter(|id| *id != 20).collect::<Vec<_>>());

    moodle.fault(Fault::NoPages);
    assert_eq!(roster(&moodle).await.unwrap().members.len(), 599);
    moodle.fault(Fault::SamePage);
    assert!(unavailable(roster(&moodle).await).contains("inconsistent pagination"));
    for exactly in [249, 250, 251] {
        assert_eq!(roster(&with_students(exactly).await).await.unwrap().members.len(), exactly as usize);
    }
}

#[tokio::test]
async fn a_page_that_is_short_is_not_the_last() {
    let moodle = with_students(600).await;
    // In the middle, at the end, and at the start of a page.
    moodle.unseen([20, 259, 300, 508]);
    let ids: Vec<u64> =
        roster(&moodle).await.unwrap().members.iter().map(|one| one.user_id.parse().unwrap()).collect();
    assert_eq!(ids, (10..610).filter(|id| ![20, 259, 300, 508].contains(id)).collect::<Vec<_>>());
}

#[tokio::test]
async fn roles_that_nobody_knows_are_noted_and_an_empty_course_is_empty() {
    let moodle = with_students(0).await;
    assert_eq!(
        roster(&moodle).await.unwrap(),
        Roster { title: Some("Rhetoric & \"Style\"".into()), ..Roster::default() }
    );
    // A Moodle that hides its students looks like one that has none.
    moodle.enrol(2, Person::student(17, "Tom", "Teacher").role("editingteacher"));
    let note = roster(&moodle).await.unwrap().note.unwrap();
    assert!(note.contains("1 teacher") && note.contains("moodle/user:viewdetails"), "{note}");
    let says = connection(&moodle).check(&[], &[Role::Student]).await.unwrap().says;
    assert!(says.contains("1 teacher") && says.contains("moodle/user:viewdetails"), "{says}");
    moodle.enrol(2, Person::student(18, "Lea", "Learner").role("learner"));
    let note = "nobody has the role student; Moodle's roles here are: learner";
    assert_eq!(roster(&moodle).await.unwrap().note.as_deref(), Some(note));
    moodle.enrol(2, Person::student(19, "Stu", "Dent"));
    assert_eq!(roster(&moodle).await.unwrap().note, None);
    moodle.remove_course(2);
    let seen = connection(&moodle).check(&[], &[Role::Student]).await.unwrap();
    assert!(seen.says.contains("no course was read") && seen.coverage.is_none(), "{seen:?}");
}

#[tokio::test]
async fn a_page_with_an_exception_is_asked_for_again_and_a_roster_is_never_half() {
    let moodle = with_students(700).await;
    moodle.fault(Fault::PageFails { page: 3, times: 2 });
    assert_eq!(roster(&moodle).await.unwrap().members.len(), 700);
    moodle.fault(Fault::PageFails { page: 3, times: usize::MAX });
    assert!(unavailable(roster(&moodle).await).contains("dmlreadexception"));
}

#[tokio::test]
async fn what_is_broken_may_work_later_and_what_is_refused_is_told() {
    let moodle = with_students(1).await;
    let elsewhere = Moodle::start().await;
    let question = async |fault: Fault| {
        moodle.fault(fault);
        connection(&moodle).find(&wanted("2")).await
    };
    let redirect = Fault::Redirect(format!("{}/webservice/rest/server.php", elsewhere.url()));
    unavailable(question(redirect).await);
    assert!(elsewhere.requests().is_empty());
    for fault in [Fault::Fails { status: 503, times: 1 }, Fault::Fails { status: 429, times: 2 }] {
        assert!(question(fault).await.unwrap().is_some());
    }
    assert!(denied(question(Fault::TokenDead).await).contains("access token"));
    assert!(denied(question(Fault::NoPermission).await).contains("core_course_get_courses_by_field"));
    assert!(denied(connection(&moodle).check(&[], &[Role::Student]).await).contains("add it to the service"));
    assert!(denied(question(Fault::Disabled).await).contains("REST protocol"));
}

#[tokio::test]
async fn photos_need_the_token_which_goes_to_moodle_alone() {
    let (moodle, elsewhere) = (with_students(0).await, Moodle::start().await);
    let picture = b"\x89PNG and so on".to_vec();
    let file = "webservice/pluginfile.php/10/user/icon/boost/f1?rev=7";
    let foreign = format!("{}/{file}", elsewhere.url());
    for (id, avatar) in [
        (10, Avatar::Own(picture.clone())),
        (11, Avatar::Default),
        (12, Avatar::None),
        (13, Avatar::At(foreign.clone())),
    ] {
        moodle.enrol(2, Person::student(id, "Ada", "Own").avatar(avatar));
    }
    let members = roster(&moodle).await.unwrap().members;
    let urls: Vec<Option<&str>> = members.iter().map(|member| member.photo_url.as_deref()).collect();
    let own = format!("{}/{file}", moodle.url());
    assert_eq!(urls, [Some(own.as_str()), None, None, Some(foreign.as_str())]);
    let connection = connection(&moodle);
    assert_eq!(connection.photo(&own).await.unwrap().unwrap(), picture);
    // The URL that browsers use.
    let bare = own.replace("/webservice/", "/");
    assert_eq!(connection.photo(&bare).await.unwrap().unwrap(), picture);
    assert_eq!(connection.photo(&own.replace("/10/", "/99/")).await, Ok(None));
    assert_eq!(connection.photo(&foreign).await, Ok(None));
    assert!(elsewhere.requests().is_empty());
    // Outside of Moodle, on the same host.
    let beside = format!("{}/webservice/pluginfile.php/10/x", moodle.origin());
    assert_eq!(connection.photo(&beside).await, Ok(None));
    let shown: Vec<String> =
        moodle.requests().into_iter().filter(|line| line.contains(moodle.token())).collect();
    assert!(shown.iter().all(|line| line.starts_with("GET /moodle/webservice/pluginfile.php/")), "{shown:?}");
    // What somebody may mend is no answer: an invalid token, and a service that does not permit downloading files.
    let access = Access::Moodle { url: moodle.url().into(), token: "wrong".into() };
    assert!(matches!(Connection::new(&hasty(), access).photo(&own).await, Err(Error::Unavailable(_))));
    moodle.lacks("downloadfiles");
    assert!(matches!(connection.photo(&own).await, Err(Error::Unavailable(_))));
    let checked = connection.check(&[], &[Role::Student]).await.unwrap();
    assert!(checked.says.contains("tick Can download files"), "{}", checked.says);
}

#[tokio::test]
async fn what_a_capability_hides_is_told_with_its_remedy() {
    let moodle = with_students(2).await;
    let question = async || connection(&moodle).roster(&found("2", ""), &[Role::Student]).await;
    for (capability, words) in [
        ("webservice/rest:use", &["accessexception", "webservice/rest:use", "External services"][..]),
        ("moodle/course:view", &["errorcoursecontextnotvalid", "moodle/course:view,"]),
        ("moodle/course:enrolreview", &["nopermissions", "moodle/course:enrolreview"]),
        ("moodle/user:viewdetails", &["roles", "moodle/user:viewdetails"]),
    ] {
        moodle.lacks(capability);
        let why = denied(question().await);
        assert!(words.iter().all(|word| why.contains(word)), "{capability}: {why}");
        denied(connection(&moodle).check(&[found("2", "")], &[Role::Student]).await);
        moodle.grants(capability);
        assert_eq!(question().await.unwrap().members.len(), 2);
    }
    // Users with public roles are listed; the others are mentioned in a note.
    moodle.enrol(2, Person::student(50, "Tom", "Teacher").role("editingteacher"));
    moodle.hide_course(2);
    assert_eq!(question().await.unwrap().members.len(), 2);
    moodle.lacks("moodle/course:viewhiddencourses");
    assert_eq!(question().await, Err(Error::Missing));
    assert_eq!(connection(&moodle).find(&wanted("2")).await, Ok(None));
    assert!(connection(&moodle).why_missing().contains("moodle/course:viewhiddencourses"));
}

#[tokio::test]
async fn what_is_not_told_is_not_made_up_and_an_operator_is_told_what_comes_through() {
    let moodle = with_students(3).await;
    moodle.enrol(2, Person::student(40, "Tom", "Teacher").role("editingteacher"));
    moodle.change(2, 11, |person| person.avatar = Avatar::Own(b"x".to_vec()));
    moodle.course(3, None, "Empty");
    let says =
        async || connection(&moodle).check(&[found("3", "Empty")], &[Role::Student]).await.unwrap().says;
    assert!(says().await.ends_with(
        "who is in the course Rhetoric & \"Style\": names 3 of 3, emails 3 of 3, ids 3 of 3, pictures 1 of 3"
    ));
    moodle.lacks("moodle/site:viewfullnames");
    moodle.lacks("moodle/user:viewalldetails");
    moodle.lacks("moodle/course:useremail");
    let without = "names 3 of 3 (last names 0 of 3), emails 0 of 3, ids 0 of 3, pictures 1 of 3";
    assert!(says().await.ends_with(without), "{}", says().await);
    let first = roster(&moodle).await.unwrap().members.remove(0);
    let told = (first.first_name.as_deref(), first.last_name, first.email, first.identifier);
    assert_eq!(told, (Some("Ada"), None, None, None));
}
