//! Settings of name pages: reading, changing, copying and archiving them, finding a page by its public names, and what is deleted
//! with pages, people and institutions.

use endonym::{
    app::{
        Actor, Error, Missing, coverage, institutions, name_pages,
        own_entry::Owner,
        own_recordings::{self, Maker, Sharing},
        page_settings::{self, Change},
        participants, persons,
    },
    domain::{
        audit::Who,
        fault::{Fault, Field, SetupFault},
        media::Incoming,
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        page_settings::{Asking, Listen, Moderation, PageSettings, PageState, Register},
    },
    store,
};
use serde_json::{Value, json};

use crate::{
    own_recordings::record,
    support::{
        World,
        database::execute,
        media::{file, wav, wav_of},
    },
};

fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

async fn update(world: &World, change: Change) -> Result<NamePage, Error> {
    let page = reference(&world.page);
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, change).await
}

async fn settings(world: &World) -> PageSettings {
    page_settings::find(&world.app, world.institution.id, world.page.id).await.unwrap()
}

async fn archive(world: &World, archived: bool) {
    let page = reference(&world.page);
    let done = name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &page, archived).await;
    done.unwrap();
}

/// Everything but the title.
fn everything() -> Change {
    Change {
        title: None,
        allow_v2: None,
        description: Some("Say your name.\r\nThank you!\n".into()),
        date: Some("2090-06-01".into()),
        register: Some(Register::Domain),
        domains: Some(vec!["Example.EDU".into(), "*.example.org".into(), " ".into(), "example.edu".into()]),
        listen: Some(Listen::Link),
        moderation: Some(Moderation::Hold),
        closes: Some("2090-05-31T18:00".into()),
        asked: vec![
            ("notes".into(), Asking::Required),
            ("photo".into(), Asking::Off),
            ("degree".into(), Asking::Optional),
            ("custom_house".into(), Asking::Required),
        ],
        asked_by_default: Vec::new(),
        take_seconds: Some(Some(5)),
        delete_after_days: Some(Some(30)),
        base: None,
    }
}

async fn with_fields() -> World {
    let world = World::new().await;
    world.custom_field("degree").await;
    world.custom_field("house").await;
    world
}

fn faults(outcome: Result<NamePage, Error>, field: &Field) -> Vec<Fault> {
    let Err(Error::Invalid(errors)) = outcome else { panic!("{outcome:?}") };
    errors.iter().find(|(given, _)| *given == field).map(|(_, faults)| faults.to_vec()).unwrap_or_default()
}

#[tokio::test]
async fn a_page_starts_with_the_defaults() {
    let world = World::new().await;
    let found = settings(&world).await;
    assert_eq!(found, PageSettings::default());
    assert_eq!((found.register, found.listen), (Register::Invited, Listen::Registered));
    assert_eq!((found.asked.name, found.asked.phonetic), (Asking::Required, Asking::Optional));
    assert_eq!((found.asked.photo, found.asked.notes), (Asking::Optional, Asking::Off));
}

#[tokio::test]
async fn every_setting_is_kept_and_can_be_cleared() {
    let world = with_fields().await;
    let changed =
        update(&world, Change { title: Some("Class of 2090".into()), ..everything() }).await.unwrap();
    assert_eq!((changed.title.as_str(), &changed.slug), ("Class of 2090", &world.page.slug));
    let found = settings(&world).await;
    assert_eq!(found.description.as_deref(), Some("Say your name.\nThank you!"));
    assert_eq!(found.date.unwrap().to_string(), "2090-06-01");
    let domains: Vec<String> = found.domains.iter().map(ToString::to_string).collect();
    assert_eq!(
        (found.register, domains),
        (Register::Domain, vec!["example.edu".into(), "*.example.org".into()])
    );
    assert_eq!((found.listen, found.moderation), (Listen::Link, Moderation::Hold));
    // In New York.
    assert_eq!(found.closes_at, Moment::parse("2090-05-31T22:00:00Z"));
    assert_eq!((found.asked.notes, found.asked.photo), (Asking::Required, Asking::Off));
    assert_eq!(found.asked.name, Asking::Required, "not mentioned");
    assert_eq!(
        (found.asked.custom["degree"], found.asked.custom["house"]),
        (Asking::Optional, Asking::Required)
    );
    assert_eq!((found.take_seconds, found.delete_after_days), (Some(5), Some(30)));
    assert_eq!(page_settings::take_seconds(&world.app, &found), 5);
    // No change changes nothing.
    update(&world, Change::default()).await.unwrap();
    assert_eq!(settings(&world).await, found);
    let cleared = Change {
        description: Some(" ".into()),
        date: Some(String::new()),
        register: Some(Register::Open),
        domains: Some(Vec::new()),
        closes: Some("never".into()),
        take_seconds: Some(None),
        delete_after_days: Some(None),
        ..Change::default()
    };
    update(&world, cleared).await.unwrap();
    let found = settings(&world).await;
    assert_eq!((found.description, found.date, found.closes_at), (None, None, None));
    assert_eq!((found.domains, found.take_seconds, found.delete_after_days), (Vec::new(), None, None));
}

#[tokio::test]
async fn a_wrong_setting_is_refused_and_changes_nothing() {
    let world = with_fields().await;
    update(&world, everything()).await.unwrap();
    let before = settings(&world).await;
    let wrong = Change { title: Some("\u{200b}".into()), ..Change::default() };
    assert_eq!(faults(update(&world, wrong).await, &Field::Title), [Fault::Blank]);
    let text = |description: String| Change { description: Some(description), ..Change::default() };
    assert_eq!(
        faults(update(&world, text("x".repeat(10_001))).await, &Field::Description),
        [Fault::TooLong { most: 10_000 }]
    );
    assert_eq!(
        faults(update(&world, text("bell \u{7}".into())).await, &Field::Description),
        [Fault::ControlCharacter]
    );
    let wrong = Change { date: Some("31.05.2090".into()), ..Change::default() };
    assert!(
        faults(update(&world, wrong).await, &Field::Date)
            .contains(&SetupFault::NotADate("31.05.2090".into()).into())
    );
    let wrong = Change { closes: Some("tomorrow".into()), ..Change::default() };
    let fault = SetupFault::NotAClosingTime("tomorrow".into());
    assert_eq!(faults(update(&world, wrong).await, &Field::ClosingTime), [Fault::from(fault)]);
    for domain in ["@", "exa mple.edu", "*", "*.", "a@example.edu", "*.*.example.edu", "https://example.edu"]
    {
        let wrong = Change { domains: Some(vec![domain.into()]), ..Change::default() };
        let found = faults(update(&world, wrong).await, &Field::Domains);
        assert!(found.contains(&SetupFault::NotADomain(domain.into()).into()), "{domain}: {found:?}");
    }
    let many = (0..101).map(|number| format!("d{number}.example")).collect();
    let wrong = Change { domains: Some(many), ..Change::default() };
    assert_eq!(faults(update(&world, wrong).await, &Field::Domains), [Fault::TooManyEntries { most: 100 }]);
    let wrong = Change { domains: Some(Vec::new()), ..Change::default() };
    assert_eq!(
        faults(update(&world, wrong).await, &Field::Domains),
        [Fault::from(SetupFault::PageDomainsNeeded)],
        "people register by their domain"
    );
    for field in ["email", "custom_", "custom_none", "Name", ""] {
        let wrong = Change { asked: vec![(field.into(), Asking::Optional)], ..Change::default() };
        let fault = SetupFault::UnknownField(field.into());
        assert_eq!(faults(update(&world, wrong).await, &Field::AskedFields), [Fault::from(fault)]);
    }
    for seconds in [0, 2, 1_000_000] {
        let wrong = Change { take_seconds: Some(Some(seconds)), ..Change::default() };
        assert_eq!(faults(update(&world, wrong).await, &Field::TakeSeconds).len(), 1, "{seconds}");
    }
    // One fault is enough to refuse everything.
    let mixed = Change { listen: Some(Listen::Managers), date: Some("x".into()), ..Change::default() };
    assert!(update(&world, mixed).await.is_err());
    assert_eq!(settings(&world).await, before);
    // A new page is checked in the same way, and not made.
    let new = name_pages::New { title: "New".into(), slug: None, access_code: None, allow_v2: false };
    let wrong = Change { register: Some(Register::Domain), ..Change::default() };
    let made = name_pages::create_with(&world.app, &Actor::Operator, world.institution.id, new, wrong).await;
    assert_eq!(faults(made, &Field::Domains), [Fault::from(SetupFault::PageDomainsNeeded)]);
    let all = coverage::all(&world.app, &Actor::Operator, world.institution.id, false).await.unwrap();
    assert_eq!(all.len(), 1);
}

#[tokio::test]
async fn updates_at_the_same_time_keep_each_others_settings() {
    let world = World::new().await;
    let all = [
        Change { listen: Some(Listen::Link), ..Change::default() },
        Change { description: Some("Hello".into()), ..Change::default() },
        Change { asked: vec![("notes".into(), Asking::Optional)], ..Change::default() },
        Change { asked: vec![("photo".into(), Asking::Off)], ..Change::default() },
        Change { title: Some("Renamed".into()), ..Change::default() },
    ];
    for outcome in futures_util::future::join_all(all.map(|change| update(&world, change))).await {
        outcome.unwrap();
    }
    let found = settings(&world).await;
    assert_eq!((found.listen, found.description.as_deref()), (Listen::Link, Some("Hello")));
    assert_eq!((found.asked.notes, found.asked.photo), (Asking::Optional, Asking::Off));
    let page = name_pages::public(&world.app, &world.page.slug).await.unwrap();
    assert_eq!(page.page.title, "Renamed");
}

#[tokio::test]
async fn a_page_is_found_by_its_slug_and_event_code_and_never_by_its_access_code() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let origin =
        institutions::Change { allow_origins: vec!["https://a.example".into()], ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, origin).await.unwrap();
    for code in [&world.page.slug, &world.page.slug.to_uppercase(), &world.page.event_code.to_lowercase()] {
        let found = name_pages::public(&world.app, code).await.unwrap();
        assert_eq!((found.page.id, found.institution.id), (world.page.id, world.institution.id), "{code}");
        assert_eq!(found.institution.allowed_origins, ["https://a.example"]);
    }
    let theirs = name_pages::public(&world.app, &neighbor.page.slug).await.unwrap();
    assert_eq!(theirs.institution.id, neighbor.institution.id);
    let id = world.page.id.to_string();
    let long = "x".repeat(100_000);
    let secret = [world.page.access_code.as_str(), &id, &world.institution.access_code];
    for code in secret.into_iter().chain([long.as_str(), "", " ", "none", "%", "'"]) {
        let found = name_pages::public(&world.app, code).await;
        assert!(matches!(found, Err(Error::Missing(Missing::NamePage))), "{code:?}");
    }
}

#[tokio::test]
async fn a_copy_has_the_settings_and_the_managers_and_nobody_else() {
    let world = with_fields().await;
    let ana = world.person("Ana", "ana@x.org").await;
    record(&world, &ana, 150.0, Sharing::ThisPage).await;
    update(&world, everything()).await.unwrap();
    let institution = world.institution.id;
    let member =
        "INSERT INTO members (institution_id, email_key, email, role, created_at) VALUES ($1, $2, $2, $3, 1)";
    let given = "INSERT INTO member_pages (institution_id, email_key, name_page_id) VALUES ($1, $2, $3)";
    for (email, role) in [("m@x.org", "manager"), ("r@x.org", "reader")] {
        execute(&world.app.db, member, vec![institution.into(), email.into(), role.into()]).await;
        execute(&world.app.db, given, vec![institution.into(), email.into(), world.page.id.into()]).await;
    }
    archive(&world, true).await;
    let (app, page) = (&world.app, reference(&world.page));
    let copy = async |title: &str, slug: Option<&str>| {
        let slug = slug.map(str::to_owned);
        name_pages::copy(app, &Actor::Operator, institution, &page, title.into(), slug).await
    };
    let made = copy("Class of 2091", Some("class-of-2091")).await.unwrap();
    assert_eq!((made.title.as_str(), made.slug.as_str()), ("Class of 2091", "class-of-2091"));
    assert!(made.event_code != world.page.event_code && made.access_code != world.page.access_code);
    let original = settings(&world).await;
    let copied = page_settings::find(app, institution, made.id).await.unwrap();
    assert_eq!(copied, PageSettings { archived_at: None, announced_at: None, ..original });
    let figures = coverage::of(app, &Actor::Operator, institution, &reference(&made)).await.unwrap();
    assert_eq!((figures.registered, figures.recorded, figures.invited), (0, 0, 0));
    let text = "SELECT email_key FROM member_pages WHERE name_page_id = $1";
    let managers = app.db.read().rows(text, &[made.id.into()], |row| row.text(0)).await.unwrap();
    assert_eq!(managers, ["m@x.org"]);
    assert_eq!(faults(copy("Again", Some("class-of-2091")).await, &Field::Slug), [Fault::Taken]);
    assert_eq!(faults(copy(" ", None).await, &Field::Title), [Fault::Blank]);
    let neighbor = world.neighbor().await;
    let foreign =
        name_pages::copy(app, &Actor::Operator, neighbor.institution.id, &page, "Foreign".into(), None).await;
    assert!(matches!(foreign, Err(Error::Missing(Missing::NamePage))));
}

#[tokio::test]
async fn an_archived_page_is_read_only_and_not_listed_and_the_api_goes_on() {
    let world = World::new().await;
    let ana = world.person("Ana", "ana@x.org").await;
    let listed = async |archived: bool| {
        let all = coverage::all(&world.app, &Actor::Operator, world.institution.id, archived).await.unwrap();
        all.into_iter().map(|(page, _)| page.slug).collect::<Vec<_>>()
    };
    archive(&world, true).await;
    let since = settings(&world).await.archived_at.unwrap();
    world.advance(std::time::Duration::from_secs(60));
    archive(&world, true).await;
    assert_eq!(settings(&world).await.archived_at, Some(since), "twice is once");
    assert_eq!((listed(false).await, listed(true).await), (Vec::new(), vec![world.page.slug.clone()]));
    assert_eq!(settings(&world).await.state(world.app.clock.now()), PageState::Archived);
    let refused = update(&world, Change { listen: Some(Listen::Link), ..Change::default() }).await;
    assert_eq!(faults(refused, &Field::NamePage), [Fault::from(SetupFault::Archived)]);
    assert!(name_pages::public(&world.app, &world.page.slug).await.unwrap().settings.is_archived());

    // The contract knows no archive.
    world.person("Ben", "ben@x.org").await;
    let change =
        json!({ "name_page_id": world.page.slug, "participant": { "pronunciation": file(wav(0.9)) } });
    world.put("/v5/participants/ana@x.org", change).await.expect(200);
    let path = format!("/v4/name_pages/{}/participants", world.page.slug);
    assert_eq!(world.get(&path).await.expect(200)["participants"].as_array().unwrap().len(), 2);
    // What people record themselves is not taken.
    assert_eq!(own_fault(&world, &ana, Sharing::All).await, Some(Fault::Closed));

    archive(&world, false).await;
    assert_eq!((listed(false).await, listed(true).await), (vec![world.page.slug.clone()], Vec::new()));
    assert_eq!(own_fault(&world, &ana, Sharing::ThisPage).await, None);
    update(&world, Change { listen: Some(Listen::Link), ..Change::default() }).await.unwrap();
}

/// Records as the owner of an entry. Returns why it was refused.
async fn own_fault(world: &World, person: &Value, sharing: Sharing) -> Option<Fault> {
    let (app, institution) = (&world.app, world.institution.id);
    let token = World::registration_token(person);
    let participant = participants::by_token(app, institution, &token).await.unwrap().id;
    let owner = Owner { institution, participant };
    let version = endonym::domain::consent::BUILT_IN;
    let language = endonym::domain::language::Language::English;
    assert!(
        endonym::app::consents::agree_as_owner(app, owner, owner.in_lti(), version, language).await.unwrap()
    );
    let sound = Incoming::Bytes(wav_of(1.0, 200.0));
    match own_recordings::record(app, (institution, participant), Who::SYSTEM, sound, sharing, Maker::Owner)
        .await
    {
        Ok(()) => None,
        Err(Error::Invalid(errors)) => errors.iter().find_map(|(_, faults)| faults.first().cloned()),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_closed_page_keeps_its_recordings_and_others_get_the_new_one() {
    let world = World::new().await;
    let open = world.page("Open").await;
    let here = world.person("Ana", "ana@x.org").await;
    let there = world.person_on(&open, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    record(&world, &here, 150.0, Sharing::All).await;
    let link = async |page: &NamePage| {
        let path = format!("/v4/name_pages/{}/participants/ana@x.org", page.slug);
        world.get(&path).await.expect(200)["participant"]["recording_link"].clone()
    };
    let before = (link(&world.page).await, link(&open).await);
    let past = world.app.clock.now().minus(std::time::Duration::from_secs(60));
    let closes = past.shown_in(&jiff::tz::TimeZone::UTC);
    update(&world, Change { closes: Some(closes), ..Change::default() }).await.unwrap();
    assert_eq!(settings(&world).await.state(world.app.clock.now()), PageState::Closed);
    assert_eq!(own_fault(&world, &here, Sharing::ThisPage).await, Some(Fault::Closed));
    assert_eq!((link(&world.page).await, link(&open).await), before);
    // From either page: the closed one keeps what it has.
    for person in [&here, &there] {
        assert_eq!(own_fault(&world, person, Sharing::All).await, None);
    }
    assert_eq!(link(&world.page).await, before.0);
    assert_ne!(link(&open).await, before.1);
}

/// One row in each table of a page's or person's data.
async fn furnish(world: &World, page: &NamePage, email: &str, number: i64) {
    let (institution, page) = (world.institution.id, page.id);
    let found =
        "SELECT id FROM participants WHERE institution_id = $1 AND name_page_id = $2 AND email_key = $3";
    let keys = [institution.into(), page.into(), email.into()];
    let id = world.app.db.read().one(found, &keys, |row| row.int(0)).await.unwrap().expect("a registration");
    for text in [
        format!(
            "INSERT INTO members (institution_id, email_key, email, role, created_at) VALUES ({institution}, '{email}', '{email}', 'manager', 1) ON CONFLICT DO NOTHING"
        ),
        format!(
            "INSERT INTO member_pages (institution_id, email_key, name_page_id) VALUES ({institution}, '{email}', {page})"
        ),
        format!(
            "INSERT INTO admissions (institution_id, email_key, name_page_id, email, created_at) VALUES ({institution}, '{email}', {page}, '{email}', 1)"
        ),
        format!(
            "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, generation, created_at, expires_at) \
             VALUES ({institution}, {number}, {page}, '{email}', '{email}', 1, 1, 2)"
        ),
        format!(
            "UPDATE coverage SET invited = invited + 1 WHERE institution_id = {institution} AND name_page_id = {page}"
        ),
        format!(
            "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ({institution}, '{email}', 1) ON CONFLICT DO NOTHING"
        ),
        format!(
            "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ({institution}, '{email}', 'gone', 1) ON CONFLICT DO NOTHING"
        ),
        format!(
            "INSERT INTO recording_requests (institution_id, email_key, requested_at) VALUES ({institution}, '{email}', 1) ON CONFLICT DO NOTHING"
        ),
        format!(
            "INSERT INTO mail_texts (institution_id, message, language, subject, text, changed_at) VALUES ({institution}, 'invitation', 'en', 'Hello', 'Text', 1) ON CONFLICT DO NOTHING"
        ),
        format!(
            "INSERT INTO moderation (institution_id, id, name_page_id, participant_id, kind, hex, state, created_at) \
             VALUES ({institution}, {number}, {page}, {id}, 'report', 'hex', 'open', 1)"
        ),
        format!(
            "INSERT INTO imports (institution_id, id, name_page_id, state, file_name, mapping, starts_with_newest, rows_done, created, updated, unchanged, refused, created_at) \
             VALUES ({institution}, {number}, {page}, 'done', 'people.csv', '{{}}', FALSE, 1, 1, 0, 0, 0, 1)"
        ),
        format!(
            "INSERT INTO import_changes (institution_id, import_id, participant_id, changed_at) VALUES ({institution}, {number}, {id}, 1)"
        ),
        format!("INSERT INTO outsiders (institution_id, participant_id) VALUES ({institution}, {id})"),
        format!(
            "INSERT INTO retention_notices (institution_id, participant_id, name_page_id, announced_at) VALUES ({institution}, {id}, {page}, 1)"
        ),
    ] {
        execute(&world.app.db, text, Vec::new()).await;
    }
}

const OF_PAGE: [&str; 9] = [
    "outsiders",
    "member_pages",
    "admissions",
    "invitations",
    "moderation",
    "imports",
    "import_changes",
    "retention_notices",
    "coverage",
];
const OF_PERSON: [&str; 11] = [
    "outsiders",
    "members",
    "member_pages",
    "admissions",
    "invitations",
    "mail_opt_outs",
    "mail_bounces",
    "recording_requests",
    "moderation",
    "import_changes",
    "retention_notices",
];
const OF_INSTITUTION: [&str; 15] = [
    "outsiders",
    "members",
    "member_pages",
    "coverage",
    "admissions",
    "invitations",
    "mail_opt_outs",
    "mail_bounces",
    "recording_requests",
    "mail_texts",
    "moderation",
    "imports",
    "import_changes",
    "retention_notices",
    "name_pages",
];

async fn count(world: &World, table: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_deleted_page_leaves_nothing_behind_and_others_stay() {
    let world = World::new().await;
    let other = world.page("Other").await;
    for (number, page) in [(1, &world.page), (2, &other)] {
        world.person_on(page, json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
        furnish(&world, page, "ana@x.org", number).await;
    }
    let page = reference(&world.page);
    name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page).await.unwrap();
    for table in OF_PAGE {
        assert_eq!(count(&world, table).await, 1, "{table}");
    }
    assert_eq!(count(&world, "members").await, 1, "members stay");
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn a_deleted_institution_leaves_nothing_behind() {
    let world = World::new().await;
    world.neighbor().await;
    world.person("Ana", "ana@x.org").await;
    furnish(&world, &world.page, "ana@x.org", 1).await;
    for table in OF_INSTITUTION {
        assert!(count(&world, table).await > 0, "{table}");
    }
    institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    for table in OF_INSTITUTION {
        let own = format!("{table} WHERE institution_id = {}", world.institution.id);
        assert_eq!(count(&world, &own).await, 0, "{table}");
    }
    assert_eq!(
        (count(&world, "name_pages").await, count(&world, "coverage").await),
        (1, 1),
        "the neighbor's"
    );
}

#[tokio::test]
async fn an_erased_person_leaves_nothing_behind_and_can_have_a_copy_before() {
    let world = World::new().await;
    for (number, (name, email)) in (1..).zip([("Ana", "ana@x.org"), ("Ben", "ben@x.org")]) {
        world.person(name, email).await;
        furnish(&world, &world.page, email, number).await;
    }
    let institution = world.institution.id;
    let copy =
        persons::export(&world.app, &Actor::Operator, &world.institution, "ana@x.org".into()).await.unwrap();
    for table in [
        "members",
        "member_pages",
        "admissions",
        "invitations",
        "mail_opt_outs",
        "mail_bounces",
        "recording_requests",
    ] {
        assert_eq!(copy.about["person"][table].as_array().map(Vec::len), Some(1), "{table}");
    }
    for table in ["moderation", "import_changes", "outsiders", "retention_notices"] {
        assert_eq!(copy.about["registrations"][0][table].as_array().map(Vec::len), Some(1), "{table}");
    }
    assert!(!copy.about.to_string().contains("ben@x.org"));
    let later = persons::Rewrite::Later;
    persons::erase(&world.app, &Actor::Operator, institution, "ana@x.org".into(), later).await.unwrap();
    for table in OF_PERSON {
        assert_eq!(count(&world, table).await, 1, "{table}");
    }
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn somebody_who_is_only_invited_can_have_a_copy_and_be_erased() {
    let world = World::new().await;
    let (app, institution) = (&world.app, world.institution.id);
    let invite = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, generation, created_at, expires_at) \
                  VALUES ($1, 1, $2, 'cy@x.org', 'cy@x.org', 1, 1, 2)";
    execute(&app.db, invite, vec![institution.into(), world.page.id.into()]).await;
    execute(&app.db, "UPDATE coverage SET invited = 1", Vec::new()).await;
    let copy = persons::export(app, &Actor::Operator, &world.institution, "cy@x.org".into()).await.unwrap();
    assert_eq!(copy.about["person"]["invitations"][0]["email"], "cy@x.org");
    assert_eq!(copy.about["registrations"], json!([]));
    let later = || persons::Rewrite::Later;
    let erased =
        persons::erase(app, &Actor::Operator, institution, "cy@x.org".into(), later()).await.unwrap();
    assert_eq!((erased.registrations, count(&world, "invitations").await), (0, 0));
    crate::store::coverage::check(&app.db).await;
    let again = persons::erase(app, &Actor::Operator, institution, "cy@x.org".into(), later()).await;
    assert!(matches!(again, Err(Error::Missing(Missing::Participant))));
}

/// Deleting registrations ends sessions, but not those of members and of people who are about to register.
#[tokio::test]
async fn members_and_invited_people_stay_known_when_registrations_are_deleted() {
    let world = World::new().await;
    let institution = world.institution.id;
    for (name, email) in [("Ana", "ana@x.org"), ("Ben", "ben@x.org")] {
        world.person(name, email).await;
    }
    let member = "INSERT INTO members (institution_id, email_key, email, role, created_at) VALUES ($1, 'ana@x.org', 'ana@x.org', 'owner', 1)";
    execute(&world.app.db, member, vec![institution.into()]).await;
    let chosen = "INSERT INTO persons (institution_id, email_key, created_at) VALUES ($1, $2, 1) ON CONFLICT DO NOTHING";
    for email in ["ana@x.org", "ben@x.org", "cy@x.org"] {
        execute(&world.app.db, chosen, vec![institution.into(), email.into()]).await;
    }
    let admitted = "INSERT INTO admissions (institution_id, email_key, name_page_id, email, created_at) VALUES ($1, 'cy@x.org', $2, 'cy@x.org', 1)";
    let other = world.page("Other").await;
    execute(&world.app.db, admitted, vec![institution.into(), other.id.into()]).await;
    let known = async || {
        let text = "SELECT email_key FROM persons ORDER BY email_key";
        world.app.db.read().rows(text, &[], |row| row.text(0)).await.unwrap()
    };
    let body = || json!({ "name_page_id": world.page.slug });
    for email in ["ana@x.org", "ben@x.org"] {
        world.delete(&format!("/v5/participants/{email}"), body()).await.expect(200);
    }
    assert_eq!(known().await, ["ana@x.org", "cy@x.org"]);
    let page = reference(&world.page);
    name_pages::delete(&world.app, &Actor::Operator, institution, &page).await.unwrap();
    assert_eq!(known().await, ["ana@x.org", "cy@x.org"]);
    let settings = store::page_settings::find(&mut world.app.db.read(), institution, world.page.id).await;
    assert_eq!(settings.unwrap(), None);
}
