//! The audit log: every change has an entry that tells who, what, when and from where; it can be searched and exported, it forgets people
//! who are erased, and it ends when the institution says.

mod chain;
mod console;
mod sign_ins;

use std::{collections::BTreeSet, time::Duration};

use endonym::{
    app::{
        Actor, audit, institutions, invitations, members, name_pages, opt_outs, own_person, persons,
        streams::Chunks, tokens,
    },
    domain::{
        audit::{Act, Entry, SubjectKind, WhoKind},
        email::Email,
        ids::InstitutionId,
        member::Role,
        session::PersonId,
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    scopes::{Scene, cases},
    support::{
        Answer, World,
        database::execute,
        media::{file, wav},
        process::Installation,
    },
};

const ANA: &str = "ana@example.edu";

async fn entries(world: &World, query: audit::Query) -> Vec<Entry> {
    entries_of(world, world.institution.id, query).await
}

async fn entries_of(world: &World, institution: InstitutionId, query: audit::Query) -> Vec<Entry> {
    audit::list(&world.app, &Actor::Operator, institution, &query).await.unwrap().entries
}

/// The newest entry of this kind.
async fn newest(world: &World, act: Act) -> Entry {
    let query = audit::Query { act: Some(act), ..Default::default() };
    entries(world, query).await.into_iter().next().unwrap_or_else(|| panic!("no {}", act.word()))
}

async fn count(world: &World) -> i64 {
    let counted = world.app.db.read().one("SELECT COUNT(*) FROM audit", &[], |row| row.int(0)).await;
    counted.unwrap().unwrap()
}

/// Everything that is stored in the log.
async fn rows(world: &World) -> String {
    let rows = world.app.db.read().rows("SELECT * FROM audit", &[], |row| row.record()).await.unwrap();
    rows.into_iter().map(|row| format!("{}\n", Value::Object(row))).collect()
}

fn values(values: &serde_json::Map<String, Value>) -> Value {
    Value::Object(values.clone())
}

async fn update(world: &World, participant: Value) -> Answer {
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    world.put(&format!("/v5/participants/{ANA}"), body).await
}

#[tokio::test]
async fn what_an_api_client_does_is_there_with_the_values_before_and_after() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let made = newest(&world, Act::ParticipantCreated).await;
    assert_eq!((made.who.kind, made.who.name()), (WhoKind::Token, "tests"));
    assert!(made.who.id.is_some(), "the token");
    assert_eq!(made.origin.as_deref(), Some("127.0.0.0/24"), "a network, and not the address");
    assert_eq!((&*made.subject.kind, made.subject.label.as_str()), ("participant", "Ana, Class of 2027"));
    assert_eq!(made.person.as_deref(), Some(ANA));
    assert!(made.before.is_empty());
    assert_eq!(values(&made.after), json!({ "email": ANA, "first_name": "Ana" }));

    update(&world, json!({ "last_name": "Silva", "first_name": "Anna" })).await.expect(200);
    let changed = newest(&world, Act::ParticipantUpdated).await;
    assert_eq!(values(&changed.before), json!({ "first_name": "Ana" }));
    assert_eq!(values(&changed.after), json!({ "first_name": "Anna", "last_name": "Silva" }));
    let before = count(&world).await;
    update(&world, json!({ "first_name": "Anna" })).await.expect(200);
    assert_eq!(count(&world).await, before, "nothing has changed, and nothing is written every night");

    update(&world, json!({ "phone_number": "+12025550123" })).await.expect(200);
    let called = newest(&world, Act::ParticipantUpdated).await;
    assert_eq!(values(&called.after), json!({ "phone_number": "+********123" }));

    let body = json!({ "name_page_id": world.page.slug });
    world.delete(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    let gone = newest(&world, Act::ParticipantDeleted).await;
    assert_eq!((gone.who.name(), &gone.subject.id), ("tests", &made.subject.id));
    // It was her last registration: that she was deleted is kept, and nothing about her.
    for entry in [gone, newest(&world, Act::ParticipantCreated).await] {
        assert!(entry.before.is_empty() && entry.after.is_empty(), "{entry:?}");
        assert_eq!((entry.person, entry.subject.label.as_str()), (None, ""));
    }
}

#[tokio::test]
async fn the_network_of_a_client_behind_a_proxy_is_told() {
    let world = World::new().await;
    let body =
        json!({ "name_page_id": world.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request(Method::POST, "/v5/participants").json(&body);
    Answer::of(request.header("x-forwarded-for", "2001:db8:1:2::9")).await.expect(201);
    assert_eq!(newest(&world, Act::ParticipantCreated).await.origin.as_deref(), Some("2001:db8:1::/48"));
    assert!(!rows(&world).await.contains("2001:db8:1:2"), "not the address");
}

#[tokio::test]
async fn each_institution_has_its_own_log_and_only_its_administrators_read_it() {
    let world = World::new().await;
    let there = world.neighbor().await;
    world.person("Ana", ANA).await;
    let theirs = entries_of(&world, there.institution.id, audit::Query::default()).await;
    assert!(!theirs.is_empty() && theirs.iter().all(|entry| entry.institution == there.institution.id));
    assert!(theirs.iter().all(|entry| entry.person.is_none()), "{theirs:?}");
    let id = world.institution.id;
    for (role, may) in
        [(Role::Owner, true), (Role::Admin, true), (Role::Manager, false), (Role::Reader, false)]
    {
        let email = Email::parse(&format!("{}@example.edu", role.word())).unwrap();
        let member = members::set(&world.app, &Actor::Operator, id, email, role, Vec::new()).await.unwrap();
        let actor = members::actor_of(&world.app, &member.person).await.unwrap();
        let listed = audit::list(&world.app, &actor, id, &audit::Query::default()).await;
        assert_eq!(listed.is_ok(), may, "{role:?}");
        let elsewhere = audit::list(&world.app, &actor, there.institution.id, &audit::Query::default()).await;
        assert!(elsewhere.is_err(), "{role:?}");
    }
}

#[tokio::test]
async fn it_is_searched_by_every_part_and_read_page_by_page() {
    let world = World::new().await;
    for (first_name, email) in [("José", "jose@example.edu"), ("Ana", ANA)] {
        world.person(first_name, email).await;
        world.advance(Duration::from_secs(60));
    }
    let found = async |query: audit::Query| -> Vec<String> {
        entries(&world, query).await.into_iter().filter_map(|entry| entry.person).collect()
    };
    let search = |text: &str| audit::Query { search: text.into(), ..Default::default() };
    assert_eq!(found(search("jose")).await, ["jose@example.edu"]);
    assert_eq!(found(search("JOSÉ")).await, ["jose@example.edu"]);
    assert_eq!(found(search("nobody")).await, [""; 0]);
    assert_eq!(
        found(audit::Query { person: Some("ANA@example.edu".into()), ..Default::default() }).await,
        [ANA]
    );
    let by = |who: &str| audit::Query { who: Some(who.into()), ..Default::default() };
    assert_eq!(found(by("token")).await, [ANA, "jose@example.edu"], "the newest first");
    assert_eq!(found(by("Test")).await.len(), 2, "by the name of the token");
    assert_eq!(found(by("operator")).await, [""; 0]);
    let made = newest(&world, Act::ParticipantCreated).await;
    let subject = Some((SubjectKind::Participant, made.subject.id.clone()));
    assert_eq!(found(audit::Query { subject, ..Default::default() }).await, [ANA]);
    assert_eq!(found(audit::Query { from: Some(made.at), ..Default::default() }).await, [ANA]);
    let earlier =
        audit::Query { to: Some(made.at), act: Some(Act::ParticipantCreated), ..Default::default() };
    assert_eq!(found(earlier).await, ["jose@example.edu"]);

    // More than a page, and more than a window of a search.
    let many = "WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 12000) \
         INSERT INTO audit (institution_id, created_at, id, act, who_kind, subject_kind, subject_id, subject_label) \
         SELECT CAST($1 AS BIGINT), i, i, 'job.retried', 'operator', 'job', '1', CASE WHEN i = 3 THEN 'needle' ELSE 'straw' END FROM n";
    execute(&world.app.db, many, vec![world.institution.id.into()]).await;
    let (mut query, mut pages, mut labels) = (search("needle"), 0, Vec::new());
    loop {
        let page = audit::list(&world.app, &Actor::Operator, world.institution.id, &query).await.unwrap();
        labels.extend(page.entries.into_iter().map(|entry| entry.subject.label));
        pages += 1;
        match page.next {
            Some(next) => query.cursor = Some(next.to_string().parse().unwrap()),
            None => break,
        }
    }
    assert_eq!(labels, ["needle"]);
    assert!(pages > 1, "no page searches the whole log");
}

#[tokio::test]
async fn it_is_exported_and_the_export_is_in_it() {
    let world = World::new().await;
    world.person("=Ana", ANA).await;
    let mut files = Vec::new();
    for format in audit::Format::ALL {
        let (app, id) = (&world.app, world.institution.id);
        let mut export =
            audit::export(app, &Actor::Operator, id, audit::Query::default(), format).await.unwrap();
        let mut bytes = Vec::new();
        while let Some(chunk) = export.next().await.unwrap() {
            bytes.extend_from_slice(&chunk);
        }
        files.push(String::from_utf8(bytes).unwrap());
    }
    let [table, lines] = &files[..] else { panic!("{files:?}") };
    let mut reader = csv::Reader::from_reader(table.trim_start_matches('\u{feff}').as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let created = rows.iter().find(|row| &row[1] == "participant.created").unwrap();
    assert_eq!((&created[3], &created[8]), ("tests", "'=Ana, Class of 2027"), "no formula");
    let last: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(last["act"], "audit.exported");
    assert_eq!(last["who"]["kind"], "operator");
    assert_eq!(lines.lines().count(), rows.len() + 1, "the second export knows of both");
}

/// Functions of the table that change nothing.
const READS: &[&str] = &[
    "sso::connections::test",
    "outbox::search",
    "opt_outs::behind",
    "jobs::of_institution",
    "imports::newest",
    "bounces::behind",
    "audiences::of_institution",
    "audiences::find",
    "audit::chain::verify",
    "audit::log::find",
    "audit::log::list",
    "audit::log::of_person",
    "badges::is_listed",
    "bounces::all",
    "calls::all",
    "calls::board::board",
    "calls::board::opted_out_after",
    "calls::opted_out",
    "consents::all",
    "consents::find",
    "consents::of_person",
    "courses::aliased",
    "courses::all",
    "courses::consumer",
    "courses::figures",
    "courses::find",
    "courses::is_known_word",
    "courses::listed",
    "coverage::all",
    "coverage::history",
    "coverage::of",
    "custom_fields::all",
    "custom_fields::find",
    "custom_fields::pages",
    "custom_fields::usage",
    "deleted_people::recent",
    "doctor::examine",
    "exports::find",
    "exports::list",
    "imports::last",
    "imports::options",
    "imports::uploads::find_upload",
    "imports::uploads::report_part",
    "installation::institutions",
    "installation::state",
    "institutions::all",
    "institutions::audit_days",
    "institutions::find",
    "institutions::notes_on_badge",
    "institutions::settings::find",
    "institutions::starts_with_newest",
    "invitations::list::all",
    "jobs::all",
    "languages::find",
    "listening::check",
    "listening::list",
    "listening::reportable",
    "mail_texts::all",
    "mail_texts::find",
    "mail_texts::preview",
    "members::all",
    "members::list",
    "members::own_pages",
    "moderation::queue",
    "moderation::picture",
    "moderation::sound",
    "name_pages::find",
    "names::reach",
    "names::everybody",
    "names::find",
    "names::search",
    "outbox::all",
    "overview::attention",
    "overview::newest",
    "own_media::find_legal_name",
    "own_media::picture",
    "own_media::sound",
    "own_person::find",
    "page_lists::existing",
    "page_lists::list",
    "page_lists::quick",
    "page_settings::managed",
    "participants::find",
    "participants::latest",
    "participants::lists::list",
    "people_search::choices",
    "people_search::list",
    "people_search::quick",
    "persons::find",
    "play_all::begin",
    "plays::heard",
    "progress::of",
    "pronunciations::search",
    "recording_requests::are_welcome",
    "registrations::find",
    "registrations::refusal",
    "registrations::sound",
    "scim::connections::all",
    "scim::connections::overview",
    "scim::groups::list",
    "scim::groups::summaries",
    "scim::users::list",
    "sign_in::handover_state",
    "sso::connections::all",
    "sso::connections::check",
    "sso::connections::check_client",
    "sso::connections::find",
    "sso::groups::mapping",
    "sso::registration",
    "start::steps",
    "tokens::all",
    "tokens::expiring",
    "tokens::made_by",
    "tokens::requests",
    "tokens::requests_by_day",
    "tool_consumers::all",
    "tool_consumers::check",
    "tool_consumers::check_new",
    "tool_consumers::check_steps",
    "tool_consumers::find",
    "kept_recordings::of_person",
    "refused_people::list",
    "sso::connections::offered",
];

/// Functions that change nothing, either. The table makes something for them first, and that leaves an entry.
const PREPARED_READS: &[&str] = &[
    "people_entry::find",
    "people_entry::sound",
    "people_merge::preview",
    "people_tasks::find",
    "people_tasks::preview",
    "scim::groups::find",
    "scim::groups::named",
    "scim::groups::summary",
    "scim::users::find",
    "tokens::find",
];

/// Functions whose changes are not in the log, for these reasons.
const NOT_LOGGED: &[(&str, &[&str])] = &[
    ("the log is deleted with the institution", &["institutions::delete"]),
    ("they belong to no institution", &["media::sweep", "operators::link", "secrets::rotate"]),
    ("it only hides a hint", &["start::dismiss"]),
    ("whoever asks or reports stays unknown", &["listening::ask", "listening::report"]),
    ("signing in changes nothing", &["sign_in::handover", "sign_in::handover_recorded"]),
    ("nothing is imported yet", &["imports::uploads::upload", "imports::uploads::check_upload"]),
];

/// Functions that have nothing to change in the scene. Other tests have what they change.
const NOTHING_TO_DO: &[&str] = &[
    "opt_outs::remove",
    "bounces::clear",
    "bounces::clear_all",
    "calls::board::test",
    "calls::opt_in",
    "courses::merge::merge",
    "courses::synchronize",
    "courses::synchronize_all",
    "courses::synchronize_with",
    "custom_fields::reorder",
    "imports::finish",
    "imports::people",
    "imports::recordings::recordings",
    "imports::rows",
    "imports::undo::start_undo",
    "imports::undo::undo",
    "imports::uploads::import_upload",
    "invitations::inviting::invite_part",
    "invitations::inviting::invite_unrecorded_part",
    "kept_recordings::put_back",
    "moderation::decisions::decide",
    "name_pages::archive",
    "outbox::retry",
    "own_media::delete_legal_recording",
    "own_media::record_legal_name",
    "own_person::call",
    "people_entry::call",
    "pronunciations::delete",
    "registrations::register",
    "tool_consumers::issuers::confirm",
    "tool_consumers::issuers::prove",
    "tool_consumers::issuers::renew",
];

#[tokio::test]
async fn every_use_case_that_changes_something_leaves_an_entry() {
    let scene = Scene::new().await;
    let (mut recorded, mut all) = (BTreeSet::new(), BTreeSet::new());
    for case in cases() {
        let before = count(&scene.world).await;
        // Some fail on what the scene does not have.
        let _ = (case.run)(&scene, &Actor::Operator).await;
        all.insert(case.name);
        if count(&scene.world).await > before {
            recorded.insert(case.name);
        }
    }
    let unlogged = NOT_LOGGED.iter().flat_map(|(_, names)| *names);
    let exempt = READS.iter().chain(PREPARED_READS).chain(unlogged).chain(NOTHING_TO_DO);
    let exempt: BTreeSet<&str> = exempt.copied().collect();
    let unknown: Vec<_> = exempt.difference(&all).collect();
    assert!(unknown.is_empty(), "there are no such use cases: {unknown:?}");
    let missing: Vec<_> = all.difference(&recorded).filter(|name| !exempt.contains(*name)).collect();
    assert!(missing.is_empty(), "they change something, and leave no entry: {missing:?}");
    let reads: Vec<_> = READS.iter().filter(|name| recorded.contains(*name)).collect();
    assert!(reads.is_empty(), "they read, and leave an entry: {reads:?}");
}

#[tokio::test]
async fn what_the_scene_of_use_cases_lacks_leaves_entries_too() {
    let world = World::new().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    world.person("Ana", ANA).await;
    let person = PersonId { institution: id, email_key: ANA.into() };
    let path = |link: String| link.rsplit('/').next().unwrap().to_owned();
    let token = path(opt_outs::link(app, "", &person).unwrap());
    opt_outs::opt_out(app, &token).await.unwrap();
    let stopped = newest(&world, Act::MailOptedOut).await;
    assert_eq!((stopped.who.kind, stopped.who.name()), (WhoKind::Person, ANA));
    opt_outs::opt_in(app, &token).await.unwrap();
    newest(&world, Act::MailOptedIn).await;
    opt_outs::opt_in(app, &token).await.unwrap();
    let again = audit::Query { act: Some(Act::MailOptedIn), ..Default::default() };
    assert_eq!(entries(&world, again).await.len(), 1, "the second time, nothing has changed");

    let page = endonym::domain::name_page::NamePageRef::parse(&world.page.slug).unwrap();
    name_pages::archive(app, operator, id, &page, true).await.unwrap();
    name_pages::archive(app, operator, id, &page, false).await.unwrap();
    assert_eq!(newest(&world, Act::NamePageUnarchived).await.subject.label, "Class of 2027");
    let guests = vec![endonym::domain::address_list::Invitee {
        email: Email::parse("ida@x.org").unwrap(),
        first_name: None,
        last_name: None,
    }];
    invitations::invite(app, operator, id, &page, guests, &invitations::Terms::of(app)).await.unwrap();
    let invited = newest(&world, Act::InvitationsSent).await;
    assert_eq!(
        values(&invited.after),
        json!({ "invited": 1 }),
        "the addresses are in the list of invitations"
    );
}

#[tokio::test]
async fn a_persons_own_recording_is_in_it_without_the_sound() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    world.agree(world.institution.id, ANA).await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.into() };
    let actor = Actor::Person(person.clone());
    own_person::record(&world.app, &actor, &person, wav(1.0), None).await.unwrap();
    let recorded = newest(&world, Act::RecordingReplaced).await;
    assert_eq!((recorded.who.kind, recorded.who.name()), (WhoKind::Person, ANA));
    let name = recorded.after["recording"].as_str().unwrap();
    assert_eq!((name.len(), name.starts_with("recording_")), ("recording_".len() + 8, true), "{name}");
}

#[tokio::test]
async fn no_secret_and_no_sound_is_in_it() {
    let world = World::new().await;
    let sound = file(wav(1.0));
    world.person("Ana", ANA).await;
    update(&world, json!({ "pronunciation": sound })).await.expect(200);
    let changed = newest(&world, Act::ParticipantUpdated).await;
    assert!(changed.after["recording"].as_str().unwrap().starts_with("recording_"), "{changed:?}");
    let sound = sound.to_string();
    let scene = Scene::new().await;
    // The last one deletes the log.
    for case in cases().into_iter().filter(|case| case.name != "institutions::delete") {
        let _ = (case.run)(&scene, &Actor::Operator).await;
    }
    let (_, made) =
        tokens::create(&world.app, &Actor::Operator, world.institution.id, "x".into(), None).await.unwrap();
    let log = rows(&world).await;
    for secret in [made.as_str(), world.token.as_str(), &sound[100..160], world.page.access_code.as_str()] {
        assert!(!log.contains(secret), "{secret}");
    }
    // JSON in JSON.
    let log = rows(&scene.world).await.replace('\\', "");
    assert!(log.contains("\"client_secret\":\"(hidden)\""), "{log}");
    assert!(!log.contains(":\"secret\"") && !log.contains(&scene.world.token), "{log}");
    let longest = log.split(|c: char| !c.is_ascii_alphanumeric() && c != '+' && c != '/').map(str::len).max();
    assert!(longest.unwrap_or_default() < 60, "base64 has long words");
}

#[tokio::test]
async fn of_somebody_who_is_erased_nothing_is_left_but_that_something_was_done() {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.into() };
    let owner = Email::parse(ANA).unwrap();
    members::set(&world.app, &Actor::Operator, world.institution.id, owner, Role::Admin, Vec::new())
        .await
        .unwrap();
    let admin = members::actor_of(&world.app, &person).await.unwrap();
    tokens::create(&world.app, &admin, world.institution.id, "hers".into(), None).await.unwrap();
    update(&world, json!({ "last_name": "Unmistakable" })).await.expect(200);
    let before = count(&world).await;
    let (app, id, rewrite) = (&world.app, world.institution.id, persons::Rewrite::Later);
    persons::erase(app, &admin, id, ANA.into(), rewrite).await.unwrap();
    assert_eq!(count(&world).await, before + 1);
    let log = rows(&world).await;
    assert!(!log.contains("ana@") && !log.contains("Unmistakable") && !log.contains("Ana,"), "{log}");
    let erased = newest(&world, Act::PersonErased).await;
    assert_eq!((erased.who.kind, erased.who.name(), erased.person), (WhoKind::Member, "", None));
    let hers = audit::Query { search: "hers".into(), ..Default::default() };
    assert_eq!(entries(&world, hers).await[0].who.name(), "", "what she did stays, without her name");
}

#[tokio::test]
async fn entries_are_kept_for_thirty_days_at_least() {
    let world = World::new().await;
    for days in [0, 1, 29, 36_501] {
        let change = institutions::Change { audit_days: Some(Some(days)), ..Default::default() };
        let changed = institutions::update(&world.app, &Actor::Operator, "example", change).await;
        assert!(changed.is_err(), "{days}");
    }
    let there = world.neighbor().await;
    let change = institutions::Change { audit_days: Some(Some(30)), ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, "example", change).await.unwrap();
    world.advance(Duration::from_secs(3_600));
    world.person("Ana", ANA).await;
    world.advance(Duration::from_secs(31 * 24 * 3_600));
    assert_eq!(audit::delete_expired(&world.app).await.unwrap(), 1);
    assert!(!entries_of(&world, there.institution.id, audit::Query::default()).await.is_empty());
    world.advance(Duration::from_secs(730 * 24 * 3_600));
    audit::delete_expired(&world.app).await.unwrap();
    assert!(entries_of(&world, there.institution.id, audit::Query::default()).await.is_empty());
}

#[tokio::test]
async fn commands_are_in_it_as_the_operator_in_the_shell() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["member", "add", "--institution", "example", "--role", "owner", "olga@example.edu"]);
    let listed = here.json(&["audit", "list", "--institution", "example", "--json"]);
    let first = &listed["entries"][0];
    assert_eq!((&first["act"], &first["origin"]), (&json!("member.set"), &json!("shell")), "{listed}");
    assert_eq!((&first["who"]["kind"], &first["person"]), (&json!("operator"), &json!("olga@example.edu")));
    assert_eq!(first["after"]["role"], "owner");
    let table =
        here.succeed(&["audit", "list", "--institution", "example", "--search", "OLGA", "--most", "1"]);
    assert!(table.contains("operator") && table.contains("member.set") && table.contains("shell"), "{table}");
    let none = here.json(&["audit", "list", "--institution", "example", "--since", "2100-01-01", "--json"]);
    assert_eq!(none["entries"], json!([]));
    let wrong = here.refuse(&["audit", "list", "--institution", "example", "--since", "soon"]);
    assert!(wrong.contains("2026-07-01"), "{wrong}");
    let wrong = here.refuse(&["audit", "list", "--institution", "example", "--act", "nothing"]);
    assert!(wrong.contains("docs/audit.md"), "{wrong}");

    let out = here.path("audit.csv");
    let written =
        here.succeed(&["audit", "export", "--institution", "example", "--out", out.to_str().unwrap()]);
    assert!(written.contains("audit.csv"), "{written}");
    let file = std::fs::read_to_string(&out).unwrap();
    assert!(file.contains("member.set") && file.contains("token.created"), "{file}");
    let shown = here.json(&["institution", "update", "example", "--audit-days", "forever", "--json"]);
    assert_eq!(shown["audit_days"], Value::Null);
}
