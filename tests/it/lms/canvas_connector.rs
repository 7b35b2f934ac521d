//! Behavior that is specific to Canvas. `conformance.rs` covers what all connectors have in common.

use std::time::Duration;

use endonym::{
    domain::roster::{Role, Roster},
    lms::{Access, Connection, Error, Found},
    outbound::{Allowed, Limits, Outbound},
};

use super::{
    canvas::{Canvas, Fault, Throttle},
    denied, found, hasty, impatient,
    people::{Avatar, Person},
    unavailable, wanted,
};

fn connection(canvas: &Canvas) -> Connection {
    connection_with(&hasty(), canvas, canvas.token())
}

fn connection_with(outbound: &Outbound, canvas: &Canvas, token: &str) -> Connection {
    Connection::new(outbound, Access::Canvas { url: canvas.url().into(), token: token.into() })
}

/// A course with this many students.
async fn with_students(many: u64) -> Canvas {
    let canvas = Canvas::start().await;
    canvas.course(101, Some("A/1"), "Rhetoric");
    for id in 1..=many {
        canvas.enrol(101, Person::student(id, "Ada", &format!("Number{id}")));
    }
    canvas
}

async fn roster(canvas: &Canvas) -> Result<Roster, Error> {
    connection(canvas).roster(&found("101", "Rhetoric"), &[Role::Student]).await
}

#[tokio::test]
async fn a_course_is_found_by_each_of_its_names() {
    let canvas = with_students(0).await;
    let connection = connection(&canvas);
    for name in ["101", "sis_course_id:A/1", "lti_context_id:context101"] {
        assert_eq!(connection.find(&wanted(name)).await, Ok(Some(found("101", "Rhetoric"))), "{name}");
    }
    assert!(canvas.requests().contains(&"GET /api/v1/courses/sis_course_id:A%2F1".to_owned()));
    for name in ["102", "sis_course_id:B", "sis_integration_id:x"] {
        assert_eq!(connection.find(&wanted(name)).await, Ok(None), "{name}");
    }
    let asked = canvas.requests().len();
    for name in ["", "..", "self", "101/users", "A101"] {
        assert_eq!(connection.find(&wanted(name)).await, Ok(None), "{name}");
    }
    assert_eq!(canvas.requests().len(), asked, "what is no course id is not asked for");
}

#[tokio::test]
async fn pages_are_followed_to_their_end_and_nobody_comes_twice() {
    let canvas = with_students(5_000).await;
    let everybody = roster(&canvas).await.unwrap();
    assert_eq!(everybody.members.len(), 5_000);
    assert_eq!(everybody.members[4_999].last_name.as_deref(), Some("Number5000"));
    // The course, and fifty pages.
    assert_eq!(canvas.requests().len(), 51);

    let canvas = with_students(50).await;
    canvas.most_per_page(20);
    canvas.fault(Fault::Shifted);
    assert_eq!(roster(&canvas).await.unwrap().members, everybody.members[..50]);
    assert_eq!(canvas.requests().len(), 4);
}

#[tokio::test]
async fn a_page_that_cannot_be_read_is_asked_for_again_and_a_roster_is_never_half() {
    let canvas = with_students(250).await;
    canvas.fault(Fault::PageGarbled { page: 3, times: 2 });
    assert_eq!(roster(&canvas).await.unwrap().members.len(), 250);
    canvas.fault(Fault::PageGarbled { page: 3, times: usize::MAX });
    assert!(unavailable(roster(&canvas).await).contains("cannot be read"));
    canvas.fault(Fault::PageGone { page: 2 });
    assert!(unavailable(roster(&canvas).await).contains("not there"), "the course is there, though");
    canvas.fault(Fault::PageGone { page: 1 });
    assert_eq!(roster(&canvas).await, Err(Error::Missing));
    canvas.fault(Fault::BrokenLinks);
    assert!(unavailable(roster(&canvas).await).contains("in a way that cannot be read"));
    canvas.fault(Fault::PageHangs { page: 2 });
    let impatient = connection_with(&impatient(), &canvas, canvas.token());
    let told = impatient.roster(&found("101", ""), &[Role::Student]).await;
    assert!(unavailable(told).contains("no answer in time"));
    canvas.fault(Fault::Loop);
    assert!(unavailable(roster(&canvas).await).contains("pages without end"));
    let elsewhere = Canvas::start().await;
    for origin in [elsewhere.url(), "https://canvas.example.edu", "file://"] {
        canvas.fault(Fault::NextAt(origin.to_owned()));
        assert!(unavailable(roster(&canvas).await).contains("elsewhere"), "{origin}");
    }
    assert_eq!(elsewhere.requests().len(), 0, "no token goes to another origin");
    canvas.heal();
    assert_eq!(roster(&canvas).await.unwrap().members.len(), 250);
}

#[tokio::test]
async fn a_request_to_slow_down_is_heeded_in_both_its_forms() {
    for how in [Throttle::Words, Throttle::TooMany] {
        let canvas = with_students(3).await;
        canvas.fault(Fault::Throttled { how, times: 2 });
        assert!(connection(&canvas).find(&wanted("101")).await.unwrap().is_some());
        canvas.fault(Fault::Throttled { how, times: 5 });
        assert_eq!(roster(&canvas).await.unwrap().members.len(), 3);
        canvas.fault(Fault::Throttled { how, times: usize::MAX });
        assert!(unavailable(roster(&canvas).await).contains("slow down"));
    }
}

#[tokio::test]
async fn a_wait_that_nobody_would_wait_for_is_told_at_once() {
    let canvas = with_students(1).await;
    canvas.fault(Fault::Throttled { how: Throttle::AnHour, times: usize::MAX });
    for told in
        [connection(&canvas).find(&wanted("101")).await.map(|_| Roster::default()), roster(&canvas).await]
    {
        assert!(unavailable(told).contains("slow down, for 3600 seconds"));
    }
    assert_eq!(canvas.requests().len(), 2);
}

#[tokio::test]
async fn a_dead_token_and_a_weak_one_are_told_apart() {
    let canvas = with_students(1).await;
    canvas.fault(Fault::TokenDead);
    assert!(denied(connection(&canvas).find(&wanted("101")).await).contains("expired or was deleted"));
    canvas.fault(Fault::NoPermission);
    assert!(
        denied(connection(&canvas).find(&wanted("101")).await).contains("does not let its user see this")
    );
    canvas.heal();
    let wrong = connection_with(&hasty(), &canvas, "wrong\ntoken");
    let why = denied(wrong.find(&wanted("101")).await);
    assert!(!why.contains("wrong"), "{why}");
}

#[tokio::test]
async fn what_is_broken_may_work_later() {
    let canvas = with_students(1).await;
    canvas.fault(Fault::Redirect("https://canvas.example.edu/login".to_owned()));
    unavailable(connection(&canvas).find(&wanted("101")).await);
    canvas.fault(Fault::Fails { status: 502, times: 1 });
    assert_eq!(connection(&canvas).find(&wanted("101")).await, Ok(Some(found("101", "Rhetoric"))));

    let nobody = Access::Canvas { url: "http://127.0.0.1:1".into(), token: "t".into() };
    let told = Connection::new(&hasty(), nobody).find(&wanted("101")).await;
    assert!(matches!(told, Err(Error::Unavailable(_))), "{told:?}");
}

#[tokio::test]
async fn an_answer_in_time_is_all_that_somebody_waits_for() {
    let canvas = with_students(1).await;
    const MINUTE: Duration = Duration::from_secs(60);
    let limits = Limits { request: MINUTE, question: Duration::from_millis(200), pause: MINUTE };
    let outbound = Outbound::with_limits(Allowed::parse("127.0.0.0/8").unwrap(), limits).unwrap();
    let asked = connection_with(&outbound, &canvas, canvas.token());
    for fault in [Fault::Hang, Fault::Fails { status: 500, times: 1 }] {
        canvas.fault(fault);
        let told = tokio::time::timeout(MINUTE / 2, asked.find(&wanted("101"))).await.unwrap();
        assert!(matches!(told, Err(Error::Unavailable(_))), "{told:?}");
    }
}

#[tokio::test]
async fn photos_come_from_canvas_itself_and_from_nowhere_else() {
    let (canvas, elsewhere) = (with_students(0).await, Canvas::start().await);
    let picture = b"\x89PNG and so on".to_vec();
    let foreign = format!("{}/images/thumbnails/4/aBc", elsewhere.url());
    for (id, avatar) in [
        (1, Avatar::Own(picture.clone())),
        (2, Avatar::Default),
        (3, Avatar::None),
        (4, Avatar::At(foreign.clone())),
    ] {
        canvas.enrol(101, Person::student(id, "Ada", "Own").avatar(avatar));
    }
    let members = roster(&canvas).await.unwrap().members;
    let urls: Vec<Option<&str>> = members.iter().map(|member| member.photo_url.as_deref()).collect();
    let own = format!("{}/images/thumbnails/1/aBc", canvas.url());
    assert_eq!(urls, [Some(own.as_str()), None, None, Some(foreign.as_str())]);

    let connection = connection(&canvas);
    assert_eq!(connection.photo(&own).await.unwrap().unwrap(), picture);
    assert_eq!(connection.photo(&foreign).await, Ok(None));
    assert_eq!(connection.photo(&format!("{}/images/thumbnails/9/aBc", canvas.url())).await, Ok(None));
    assert_eq!(elsewhere.requests().len(), 0);
    canvas.fault(Fault::Redirect(foreign.clone()));
    assert!(matches!(connection.photo(&own).await, Err(Error::Unavailable(_))), "it is asked for again");
    canvas.fault(Fault::Fails { status: 500, times: 1 });
    assert!(matches!(connection.photo(&own).await, Err(Error::Unavailable(_))));
    assert_eq!(elsewhere.requests().len(), 0);
    assert_eq!(canvas.tokens_shown_to_pictures(), 0);
}

#[tokio::test]
async fn an_operator_is_told_what_was_seen() {
    let canvas = with_students(1).await;
    let connection = connection(&canvas);
    let check = async |known: &[Found]| connection.check(known, &[Role::Student]).await;
    let told = check(&[]).await.unwrap();
    assert!(told.says.contains("Rosa Registrar"), "{told:?}");
    let counts = "who is in the course Rhetoric: names 1 of 1, emails 1 of 1, ids 1 of 1, pictures 0 of 1";
    assert!(told.says.ends_with(counts), "{told:?}");
    canvas.course(102, None, "Rhe\u{1b}[31mtoric");
    let strange = found("102", "Rhe\u{1b}[31mtoric");
    // An empty course proves nothing: the next one is read.
    assert!(check(std::slice::from_ref(&strange)).await.unwrap().says.contains("course Rhetoric: names"));
    canvas.enrol(102, Person::student(7, "Zoe", "Zed").without_email());
    let told = check(&[strange]).await.unwrap();
    assert!(told.says.contains("course Rhe[31mtoric: names 1 of 1, emails 0 of 1"), "{told:?}");
    assert_eq!(told.coverage.map(|(_, counts)| (counts.people, counts.emails)), Some((1, 0)));
    // A deleted course is not a failure.
    assert!(check(&[found("999", "Gone")]).await.unwrap().says.contains("course Rhetoric"));
    canvas.fault(Fault::Front { status: 404 });
    let told = check(&[]).await.unwrap_err().to_string();
    assert_eq!(told, "there is no Canvas API at this address: --url must be Canvas's root");
    canvas.fault(Fault::TokenDead);
    assert!(matches!(check(&[]).await, Err(Error::Denied(_))));
    canvas.heal();
    canvas.remove_course(101);
    canvas.remove_course(102);
    let told = check(&[]).await.unwrap();
    assert!(told.says.contains("no course was read") && told.coverage.is_none(), "{told:?}");
}
