//! One suite of scenarios, run against the fake of each learning system. Behavior that is specific to one system (its
//! ids, paging, error messages) is tested in that connector's own file.

use endonym::{
    domain::roster::{Member, Role, Roster},
    lms::{Access, Connection, CourseRef, Error, Found},
    outbound::Outbound,
};

use super::{
    canvas::{Canvas, Fault as CanvasFault},
    denied, found, hasty, impatient,
    moodle::{Fault as MoodleFault, Moodle},
    nrps_connector,
    people::{Avatar, Person, five_scripts},
    platform::{Fault as LtiFault, Platform, Words},
    unavailable,
};

/// Every fake has this course.
const COURSE: u64 = 2;

/// Each scenario becomes a test of each system: `conformance::moodle::SCENARIO`.
macro_rules! suite {
    ([$($system:ident)*] $scenarios:tt) => { $(suite!($system $scenarios);)* };
    ($system:ident { $($scenario:ident)* }) => {
        mod $system {
            $(
                #[tokio::test]
                async fn $scenario() {
                    super::$scenario(super::System::$system().await).await;
                }
            )*
        }
    };
}

suite! {
    [canvas moodle lti_with_short_roles lti_with_full_roles] {
        a_course_is_found_by_its_id_and_a_missing_one_is_missing
        a_roster_is_everybody_with_one_of_the_roles
        each_roster_is_what_is_there_then
        a_page_that_fails_is_requested_again_and_a_roster_is_never_half
        an_outage_may_pass
        a_refusal_is_not_an_outage
        a_check_counts_what_comes_through
        pictures_are_fetched_from_the_system_alone
    }
}

enum System {
    Canvas(Canvas),
    Moodle(Moodle),
    Lti(Platform),
}

/// Failures that all of them can simulate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Hang,
    /// Every response has this status and an HTML body.
    Status(u16),
    /// Every page of a roster, from this one on, fails this many times.
    PageFails {
        page: usize,
        times: usize,
    },
    /// HTML with status 200.
    Maintenance,
    Refused,
}

/// Calls the same method of each fake.
macro_rules! each {
    ($system:expr, $stand_in:ident => $call:expr) => {
        match $system {
            System::Canvas($stand_in) => $call,
            System::Moodle($stand_in) => $call,
            System::Lti($stand_in) => $call,
        }
    };
}

impl System {
    async fn canvas() -> Self {
        Self::Canvas(Canvas::start().await).furnished()
    }

    async fn moodle() -> Self {
        Self::Moodle(Moodle::start().await).furnished()
    }

    async fn lti_with_short_roles() -> Self {
        Self::lti(Words::Short).await
    }

    async fn lti_with_full_roles() -> Self {
        Self::lti(Words::Full).await
    }

    async fn lti(words: Words) -> Self {
        let platform = Platform::start(&nrps_connector::KEY).await;
        platform.words(words);
        Self::Lti(platform).furnished()
    }

    /// Another installation of the same system.
    async fn another(&self) -> Self {
        match self {
            Self::Canvas(_) => Self::canvas().await,
            Self::Moodle(_) => Self::moodle().await,
            Self::Lti(_) => Self::lti_with_short_roles().await,
        }
    }

    fn furnished(self) -> Self {
        self.titled("Rhetoric");
        self
    }

    fn titled(&self, title: &str) {
        match self {
            Self::Canvas(canvas) => canvas.course(COURSE, None, title),
            Self::Moodle(moodle) => moodle.course(COURSE, None, title),
            Self::Lti(platform) => platform.course(COURSE, title),
        }
    }

    fn enrol(&self, person: Person) {
        each!(self, system => system.enrol(COURSE, person));
    }

    fn enrol_students(&self, many: u64) {
        for id in 1..=many {
            self.enrol(Person::student(id, "Ada", &format!("Number{id}")));
        }
    }

    /// Each system has its own names for teachers and assistants.
    fn staff_words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Moodle(_) => ("editingteacher", "teacher"),
            Self::Canvas(_) | Self::Lti(_) => ("teacher", "ta"),
        }
    }

    fn suffer(&self, trouble: Trouble) {
        const ALWAYS: usize = usize::MAX;
        match self {
            Self::Canvas(canvas) => canvas.fault(match trouble {
                Trouble::Hang => CanvasFault::Hang,
                // Not in the format of Canvas.
                Trouble::Status(status @ 400..=499) => CanvasFault::Front { status },
                Trouble::Status(status) => CanvasFault::Fails { status, times: ALWAYS },
                Trouble::PageFails { page, times } => CanvasFault::PageFails { page, times },
                Trouble::Maintenance => CanvasFault::Maintenance,
                Trouble::Refused => CanvasFault::NoPermission,
            }),
            Self::Moodle(moodle) => moodle.fault(match trouble {
                Trouble::Hang => MoodleFault::Hang,
                Trouble::Status(status) => MoodleFault::Fails { status, times: ALWAYS },
                Trouble::PageFails { page, times } => MoodleFault::PageBreaks { page, times },
                Trouble::Maintenance => MoodleFault::Maintenance,
                Trouble::Refused => MoodleFault::NoPermission,
            }),
            Self::Lti(platform) => platform.fault(match trouble {
                Trouble::Hang => LtiFault::Hang,
                Trouble::Status(status) => LtiFault::Front { status },
                Trouble::PageFails { page, times } => LtiFault::PageFails { page, times },
                Trouble::Maintenance => LtiFault::Maintenance,
                Trouble::Refused => LtiFault::Forbidden,
            }),
        }
    }

    fn heal(&self) {
        each!(self, system => system.heal());
    }

    fn connection(&self, outbound: &Outbound) -> Connection {
        let access = match self {
            Self::Canvas(canvas) => Access::Canvas { url: canvas.url().into(), token: canvas.token().into() },
            Self::Moodle(moodle) => Access::Moodle { url: moodle.url().into(), token: moodle.token().into() },
            Self::Lti(platform) => Access::Lti(Box::new(nrps_connector::access(platform, None))),
        };
        Connection::new(outbound, access)
    }

    /// The roster URL from a launch; Canvas and Moodle need none.
    fn memberships_url(&self, course: u64) -> Option<String> {
        match self {
            Self::Lti(platform) => Some(platform.memberships_url(course)),
            Self::Canvas(_) | Self::Moodle(_) => None,
        }
    }

    fn course(&self, id: u64) -> Found {
        Found { memberships_url: self.memberships_url(id), ..found(&id.to_string(), "Rhetoric") }
    }

    async fn find(&self, outbound: &Outbound, id: u64) -> Result<Option<Found>, Error> {
        let wanted =
            CourseRef { given: id.to_string(), memberships_url: self.memberships_url(id), title: None };
        self.connection(outbound).find(&wanted).await
    }

    async fn roster_of(&self, outbound: &Outbound, roles: &[Role]) -> Result<Roster, Error> {
        self.connection(outbound).roster(&self.course(COURSE), roles).await
    }

    async fn roster(&self) -> Result<Roster, Error> {
        self.roster_of(&hasty(), &[Role::Student]).await
    }

    async fn ids(&self, roles: &[Role]) -> Vec<String> {
        let members = self.roster_of(&hasty(), roles).await.unwrap().members;
        members.into_iter().map(|member| member.user_id).collect()
    }
}

async fn a_course_is_found_by_its_id_and_a_missing_one_is_missing(system: System) {
    let outbound = hasty();
    assert_eq!(system.find(&outbound, COURSE).await, Ok(Some(system.course(COURSE))));
    assert_eq!(system.find(&outbound, 999).await, Ok(None));
    let gone = system.connection(&outbound).roster(&system.course(999), &[Role::Student]).await;
    assert_eq!(gone, Err(Error::Missing));
}

async fn a_roster_is_everybody_with_one_of_the_roles(system: System) {
    for person in five_scripts(1) {
        system.enrol(person);
    }
    let (teacher, assistant) = system.staff_words();
    system.enrol(Person::student(6, "Sukarno", "").without_email().without_identifier());
    system.enrol(Person::student(7, "Gone", "Away").inactive());
    system.enrol(Person::student(8, "Tom", "Teacher").role(teacher));
    system.enrol(Person::student(9, "Tia", "Assistant").role(assistant));
    // Enrolled in two sections.
    system.enrol(Person::student(1, "Siobhán", "Ní Dhomhnaill"));

    let roster = system.roster().await.unwrap();
    assert_eq!(roster.title.as_deref(), Some("Rhetoric"));
    let named = five_scripts(1).into_iter().map(|person| Member {
        user_id: person.id.to_string(),
        first_name: Some(person.first),
        last_name: Some(person.last),
        email: person.email,
        identifier: person.identifier,
        photo_url: None,
    });
    let with_one_name = Member {
        user_id: "6".into(),
        first_name: Some("Sukarno".into()),
        last_name: Some(String::new()),
        ..Member::default()
    };
    assert_eq!(roster.members, named.chain([with_one_name]).collect::<Vec<_>>());

    assert_eq!(system.ids(&[Role::Teacher]).await, ["8"]);
    assert_eq!(system.ids(&[Role::Assistant]).await, ["9"]);
    assert_eq!(system.ids(&[Role::Teacher, Role::Assistant]).await, ["8", "9"]);
}

async fn each_roster_is_what_is_there_then(system: System) {
    system.enrol_students(2);
    system.suffer(Trouble::Refused);
    system.heal();
    let before = system.roster().await.unwrap();
    let [first, second] = before.members.as_slice() else { panic!("{before:?}") };
    system.titled("Rhetoric II");
    let (leaves, stays) = (first.user_id.parse().unwrap(), second.user_id.parse().unwrap());
    each!(&system, system => system.drop_person(COURSE, leaves));
    each!(&system, system => system.change(COURSE, stays, |person| {
        *person = person.clone().email("ada@example.edu").identifier("N7");
        "Augusta".clone_into(&mut person.first);
    }));
    let after = system.roster().await.unwrap();
    assert_eq!(after.title.as_deref(), Some("Rhetoric II"));
    let expected = Member {
        first_name: Some("Augusta".into()),
        email: Some("ada@example.edu".into()),
        identifier: Some("N7".into()),
        ..second.clone()
    };
    assert_eq!(after.members, [expected]);
    each!(&system, system => system.remove_course(COURSE));
    assert_eq!(system.roster().await, Err(Error::Missing));
}

async fn a_page_that_fails_is_requested_again_and_a_roster_is_never_half(system: System) {
    system.enrol_students(700);
    system.suffer(Trouble::PageFails { page: 3, times: 2 });
    assert_eq!(system.roster().await.unwrap().members.len(), 700);
    system.suffer(Trouble::PageFails { page: 3, times: usize::MAX });
    assert!(unavailable(system.roster().await).contains("answers 500"));
    system.heal();
    assert_eq!(system.roster().await.unwrap().members.len(), 700);
}

async fn an_outage_may_pass(system: System) {
    system.enrol_students(1);
    let statuses = [401, 403, 404, 429, 500, 503].map(Trouble::Status);
    for trouble in [Trouble::Hang, Trouble::Maintenance].into_iter().chain(statuses) {
        // Some platforms respond to unknown URLs with an HTML page.
        if matches!(system, System::Lti(_)) && trouble == Trouble::Status(404) {
            continue;
        }
        let outbound = if trouble == Trouble::Hang { impatient() } else { hasty() };
        system.suffer(trouble);
        let told = system.find(&outbound, COURSE).await;
        assert!(matches!(told, Err(Error::Unavailable(_))), "{trouble:?}: {told:?}");
        let told = system.roster_of(&outbound, &[Role::Student]).await;
        assert!(matches!(told, Err(Error::Unavailable(_))), "{trouble:?}: {told:?}");
        system.heal();
        assert_eq!(system.roster().await.unwrap().members.len(), 1, "after {trouble:?}");
    }
}

async fn a_refusal_is_not_an_outage(system: System) {
    system.enrol_students(1);
    system.suffer(Trouble::Refused);
    denied(system.find(&hasty(), COURSE).await);
    denied(system.roster().await);
    system.heal();
    assert_eq!(system.roster().await.unwrap().members.len(), 1);
}

async fn a_check_counts_what_comes_through(system: System) {
    system.enrol_students(2);
    system.enrol(Person::student(3, "Zoe", "Zed").without_email().without_identifier());
    let course = [system.course(COURSE)];
    let checked = system.connection(&hasty()).check(&course, &[Role::Student]).await.unwrap();
    let counts = "the course Rhetoric: names 3 of 3, emails 2 of 3, ids 2 of 3, pictures 0 of 3";
    assert!(checked.says.ends_with(counts), "{checked:?}");
    let (title, counted) = checked.coverage.unwrap();
    assert_eq!((title.as_str(), counted.people, counted.emails), ("Rhetoric", 3, 2));
    each!(&system, system => system.remove_course(COURSE));
    let checked = system.connection(&hasty()).check(&[], &[Role::Student]).await.unwrap();
    assert!(checked.says.contains("no course was read") && checked.coverage.is_none(), "{checked:?}");
}

async fn pictures_are_fetched_from_the_system_alone(system: System) {
    let elsewhere = system.another().await;
    let foreign = each!(&elsewhere, other => format!("{}/images/thumbnails/4/aBc", other.url()));
    system.enrol(Person::student(1, "Ada", "Elsewhere").avatar(Avatar::At(foreign.clone())));
    system.enrol(Person::student(2, "Ada", "None").avatar(Avatar::None));
    let members = system.roster().await.unwrap().members;
    assert_eq!(members[0].photo_url.as_deref(), Some(foreign.as_str()));
    assert_eq!(members[1].photo_url, None);
    let connection = system.connection(&hasty());
    for address in [foreign.as_str(), "data:image/png;base64,AAAA", "http://[", "file:///etc/passwd"] {
        assert_eq!(connection.photo(address).await, Ok(None), "{address}");
    }
    assert!(each!(&elsewhere, other => other.requests()).is_empty());
}
