//! The list of people and one person: search, filters, editing, deleting and restoring, recording, calling, merging.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, audiences, calls, deleted_people, invitations, members, name_pages,
        own_recordings::Sharing,
        page_settings,
        people_merge::{self, Hindrance},
        people_search, persons,
    },
    domain::{
        address_list::Invitee, audience::Audience, countries::Countries, email::Email, fault::Field,
        media::Kind, member::Role, name_page::NamePageRef, page_settings::Moderation,
        people_query::PeopleQuery, quiet_hours::QuietHours, session::PersonId,
    },
};
use serde_json::json;

use super::{id_of, input, member, member_named};
use crate::{
    me::Browser,
    own_recordings::record,
    pages::SOUND,
    support::{Setup, World, database::execute, media::wav},
};

const OWNER: &str = "owner@example.edu";
const MANAGER: &str = "manager@example.edu";
const DAY: Duration = Duration::from_secs(24 * 3_600);

async fn person(world: &World, first: &str, last: &str, email: &str) {
    world.person_on(&world.page, json!({ "first_name": first, "last_name": last, "email": email })).await;
}

/// The names on the list, in order.
async fn listed(browser: &Browser<'_>, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/console/example/people{query}")).await.expect(200).body;
    let cells = page.split("<th scope=\"row\">").skip(1);
    cells
        .map(|cell| cell.split("<bdi lang=\"\">").nth(1).unwrap().split('<').next().unwrap().to_owned())
        .collect()
}

async fn count(world: &World, from: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {from}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn people_are_found_across_pages_in_any_script() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    person(&world, "Siobhán", "Ní Bhriain", "siobhan@example.edu").await;
    person(&world, "小龍", "李", "li@example.edu").await;
    person(&world, "محمد", "أحمد", "mohammed@example.edu").await;
    world
        .person_on(&choir, json!({ "first_name": "Nguye\u{302}\u{303}n", "email": "anh@example.edu", "institution_id": "S-77" }))
        .await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    assert_eq!(
        listed(&owner, "").await,
        ["Nguye\u{302}\u{303}n", "Siobhán Ní Bhriain", "محمد أحمد", "小龍 李"]
    );
    for (search, name) in [
        ("siobhan", "Siobhán Ní Bhriain"),
        ("BHRIAIN+siob", "Siobhán Ní Bhriain"),
        ("李小龍", "小龍 李"),
        ("xiaolong", "小龍 李"),
        ("احمد", "محمد أحمد"),
        ("mhmd", "محمد أحمد"),
        ("nguyen", "Nguye\u{302}\u{303}n"),
        ("nguyễn", "Nguye\u{302}\u{303}n"),
        ("anh@exam", "Nguye\u{302}\u{303}n"),
        ("s-77", "Nguye\u{302}\u{303}n"),
    ] {
        assert_eq!(listed(&owner, &format!("?q={search}")).await, [name], "{search}");
    }
    let nobody = owner.get("/console/example/people?q=nobody").await.expect(200).body;
    assert!(nobody.contains("Nobody matches") && nobody.contains("value=\"nobody\""));
    assert_eq!(listed(&owner, "?page=choir").await, ["Nguye\u{302}\u{303}n"]);
    owner.get("/console/example/people?page=nowhere").await.expect(404);
    let found =
        people_search::quick(&world.app, &Actor::Operator, world.institution.id, "ngu", 5).await.unwrap();
    assert_eq!(
        (found.len(), found[0].page_slug.as_str(), found[0].email.as_deref()),
        (1, "choir", Some("anh@example.edu"))
    );
    let none =
        people_search::quick(&world.app, &Actor::Operator, world.institution.id, " ", 5).await.unwrap();
    assert!(none.is_empty());
}

#[tokio::test]
async fn filters_and_orders_are_part_of_the_address() {
    let world = World::new().await;
    world.custom_field("major").await;
    for (first, email) in [("Ana", "a@x.org"), ("Bo", "b@x.org"), ("Cem", "c@x.org"), ("Dua", "d@x.org")] {
        person(&world, first, "Same", email).await;
        world.advance(Duration::from_secs(1));
    }
    let bo = world.get("/v5/participants?email_list=b@x.org").await.expect(200);
    world.give(&bo["Response"]["participants"][0], Kind::Recording, SOUND).await;
    let hold = page_settings::Change { moderation: Some(Moderation::Hold), ..Default::default() };
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, hold).await.unwrap();
    world.agree(world.institution.id, "c@x.org").await;
    let cem = world.get("/v5/participants?email_list=c@x.org").await.expect(200);
    record(&world, &cem["Response"]["participants"][0], 150.0, Sharing::ThisPage).await;
    let change = json!({ "name_page_id": world.page.slug, "participant": {
        "phone_number": "+12025550123", "custom_fields": { "custom_major": "Physics" } } });
    world.advance(Duration::from_secs(1));
    world.put("/v5/participants/d@x.org", change).await.expect(200);
    crate::name_pages::invite(&world, "a@x.org").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Admin, &[]).await;
    for (query, names) in [
        ("", &["Ana Same", "Bo Same", "Cem Same", "Dua Same"][..]),
        ("?recording=recorded", &["Bo Same"]),
        ("?recording=unrecorded", &["Ana Same", "Dua Same"]),
        ("?recording=waiting", &["Cem Same"]),
        ("?recording=paused", &[]),
        ("?invited=yes", &["Ana Same"]),
        ("?invited=no", &["Bo Same", "Cem Same", "Dua Same"]),
        ("?phone=yes", &["Dua Same"]),
        ("?field=major&value=physics", &["Dua Same"]),
        ("?field=major", &["Ana Same", "Bo Same", "Cem Same"]),
        ("?sort=recorded", &["Bo Same"]),
        ("?q=same&recording=waiting", &["Cem Same"]),
    ] {
        assert_eq!(listed(&owner, query).await, names, "{query}");
    }
    assert_eq!(listed(&owner, "?sort=changed").await[0], "Dua Same");
    let page = owner.get("/console/example/people?recording=waiting&sort=changed").await.expect(200).body;
    assert!(page.contains("value=\"waiting\" selected") && page.contains("value=\"changed\" selected"));
}

#[tokio::test]
async fn a_list_has_parts_that_can_be_linked() {
    let world = World::new().await;
    world.crowd(&world.page, 0..230).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    for sort in ["name", "changed"] {
        let (mut all, mut query) = (Vec::new(), format!("?sort={sort}"));
        for part in 0..3 {
            let names = listed(&owner, &query).await;
            assert_eq!(names.len(), if part < 2 { 100 } else { 30 }, "{sort}");
            all.extend(names);
            let page = owner.get(&format!("/console/example/people{query}")).await.expect(200).body;
            let next = page.split("rel=\"next\" href=\"").nth(1).map(|rest| rest.split('"').next().unwrap());
            assert_eq!(next.is_some(), part < 2);
            let Some(next) = next else { break };
            query = next.split("/people").nth(1).unwrap().replace("&amp;", "&").replace("&#38;", "&");
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 230, "{sort}");
    }
}

#[tokio::test]
async fn an_archived_page_is_offered_to_nobody() {
    let world = World::new().await;
    let old = world.page("Class of 1999").await;
    let pages = [&world.page, &old];
    let manager = member_named(&world, &world.institution, "boss@example.edu", Role::Manager, &pages).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    for archived in [false, true] {
        let reference = NamePageRef::parse(&old.slug).unwrap();
        name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &reference, archived)
            .await
            .unwrap();
        for member in [&manager, &owner] {
            let page = member.get("/console/example/people").await.expect(200).body;
            assert_eq!(page.contains("Class of 1999"), !archived, "{page}");
        }
    }
}

#[tokio::test]
async fn a_manager_has_the_people_of_their_pages_and_nobody_else_is_there() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    world.person_on(&choir, json!({ "first_name": "Bo", "email": "bo@example.edu" })).await;
    world.person_on(&choir, json!({ "first_name": "Ana elsewhere", "email": "ana@example.edu" })).await;
    let (own, other) = (id_on(&world, &world.page).await, id_on(&world, &choir).await);
    let manager =
        member_named(&world, &world.institution, "boss@example.edu", Role::Manager, &[&world.page]).await;
    assert_eq!(listed(&manager, "").await, ["Ana Lima"]);
    assert_eq!(listed(&manager, "?q=bo").await, [""; 0]);
    manager.get("/console/example/people?page=choir").await.expect(404);
    let page = manager.get(&format!("/console/example/people/{own}")).await.expect(200).body;
    assert!(!page.contains("Choir"), "entries on other pages are not shown");
    for below in ["", "/edit", "/record", "/delete"] {
        manager.get(&format!("/console/example/people/{own}{below}")).await.expect(200);
        manager.get(&format!("/console/example/people/{other}{below}")).await.expect(404);
        manager.get(&format!("/console/example/people/nobody{below}")).await.expect(404);
    }
    manager.get(&format!("/console/example/people/{other}/audio/00")).await.expect(404);
    manager.get(&format!("/console/example/people/merge?keep={own}&other={other}")).await.expect(404);
    manager.get(&format!("/console/example/people/bulk?action=delete&id={own}&id={other}")).await.expect(404);
    let (own, other, choir) = (own.to_string(), other.to_string(), choir.id.to_string());
    for (path, fields) in [
        (format!("{other}/edit"), vec![("first_name", "X"), ("version", "1")]),
        (format!("{other}/delete"), vec![]),
        (format!("{other}/call"), vec![]),
        (format!("deleted/{other}/restore"), vec![]),
        ("merge".to_owned(), vec![("keep", own.as_str()), ("other", &other)]),
        ("bulk".to_owned(), vec![("action", "tag"), ("tag", "1"), ("ids", &other)]),
        ("bulk".to_owned(), vec![("action", "move"), ("to", &choir), ("ids", &own)]),
        ("bulk/delete".to_owned(), vec![("ids", &other), ("number", "1")]),
        ("tasks/1/undo".to_owned(), vec![]),
    ] {
        manager.post(&format!("/console/example/people/{path}"), &fields).await.expect(404);
    }
    assert_eq!(count(&world, "participants").await, 3);
    // Readers listen, and others find nothing.
    let reader =
        member_named(&world, &world.institution, "reader@example.edu", Role::Reader, &[&world.page]).await;
    reader.get("/console/example/people").await.expect(403);
    let neighbor = world.neighbor().await;
    let there = format!("/console/{}/people/{own}", neighbor.institution.slug);
    manager.get(&there).await.expect(404);
}

async fn id_on(world: &World, page: &endonym::domain::name_page::NamePage) -> i64 {
    let text = "SELECT MIN(id) FROM participants WHERE name_page_id = $1";
    world.app.db.read().one(text, &[page.id.into()], |row| row.int(0)).await.unwrap().unwrap()
}

const EVIL: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";

#[tokio::test]
async fn whatever_people_are_called_is_shown_as_text() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    world.editable_field("major", EVIL).await;
    let evil = json!({ "first_name": EVIL, "last_name": EVIL, "email": "eve@example.edu", "institution_id": EVIL,
        "phonetic": EVIL, "notes": EVIL, "legal_first_name": EVIL, "legal_notes": EVIL,
        "custom_fields": { "custom_major": EVIL } });
    world.person_on(&world.page, evil).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let id = id_of(&world, "eve@example.edu").await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    let other = id_of(&world, "ana@example.edu").await;
    let evil = form_urlencoded::byte_serialize(EVIL.as_bytes()).collect::<String>();
    for path in [
        String::new(),
        format!("?q={evil}&value={evil}"),
        format!("/{id}"),
        format!("/{id}/edit"),
        format!("/{id}/record"),
        format!("/{id}/delete"),
        format!("/bulk?action=tag&id={id}&tag_value={evil}"),
        format!("/bulk?action=delete&all=1&q={evil}&number={evil}"),
        format!("/merge?keep={other}&other={id}"),
    ] {
        let page = owner.get(&format!("/console/example/people{path}")).await;
        assert!(
            !page.body.contains("<script>alert") && !page.body.contains("<img src=x"),
            "{path}: {}",
            page.body
        );
    }
    owner.get(&format!("/console/example/people/{id}/delete")).await.expect(200);
    owner.post(&format!("/console/example/people/{id}/delete"), &[]).await.expect(303);
    let page = owner.get("/console/example/people/deleted").await.expect(200).body;
    assert!(page.contains("&#60;script") || page.contains("&lt;script"), "{page}");
    assert!(!page.contains("<script>alert"));
}

#[tokio::test]
async fn an_entry_is_edited_and_faults_keep_what_was_typed() {
    let world = World::new().await;
    world.custom_field("major").await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let id = id_of(&world, "ana@example.edu").await;
    let path = format!("/console/example/people/{id}/edit");
    let page = owner.get(&path).await.expect(200).body;
    let version = input(&page, "version");
    let wrong = "x".repeat(300);
    let fields = [
        ("version", version.as_str()),
        ("first_name", &wrong),
        ("last_name", "Limaz"),
        ("custom_major", "Physics"),
    ];
    let again = owner.post(&path, &fields).await.expect(422).body;
    assert!(again.contains(&format!("value=\"{wrong}\"")) && again.contains("value=\"Limaz\""), "{again}");
    assert!(again.contains("id=\"first_name-fault\"") && again.contains("too long"));
    let fields = [
        ("version", version.as_str()),
        ("first_name", "Anna"),
        ("last_name", "Limaz"),
        ("custom_major", "Physics"),
        ("notes", "One\r\nTwo"),
    ];
    owner.post(&path, &fields).await.redirects_to(&format!("/console/example/people/{id}?done=saved"));
    let page = owner.get(&format!("/console/example/people/{id}")).await.expect(200).body;
    for text in ["Anna Limaz", "Physics", "One\nTwo", "ana@example.edu"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Nobody can change who it is.
    let page = owner.get(&path).await.expect(200).body;
    let fields =
        [("version", &*input(&page, "version")), ("first_name", "Anna"), ("email", "eve@example.edu")];
    owner.post(&path, &fields).await.expect(303);
    assert_eq!(id_of(&world, "ana@example.edu").await, id);
    // Without any name, it is refused.
    let page = owner.get(&path).await.expect(200).body;
    let fields = [("version", &*input(&page, "version")), ("first_name", ""), ("last_name", "")];
    let refused = owner.post(&path, &fields).await.expect(422).body;
    assert!(refused.contains("first_name-fault"), "{refused}");
}

#[tokio::test]
async fn the_page_of_a_person_shows_who_changed_the_entry() {
    let world = World::new().await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    let id = id_of(&world, "ana@example.edu").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let manager = member(&world, Role::Manager).await;
    let path = format!("/console/example/people/{id}");
    for (browser, sees_log) in [(owner, true), (manager, false)] {
        let page = browser.get(&path).await.expect(200).body;
        let history = page.split_once("id=\"history-title\"").expect("a history").1;
        assert!(history.contains("<li>Person registered"), "{history}");
        assert!(history.contains("first_name") && history.contains("(access token)"), "{history}");
        assert_eq!(
            history.contains("/console/example/audit?person=ana%40example.edu"),
            sees_log,
            "{history}"
        );
    }
}

#[tokio::test]
async fn of_two_who_edit_an_entry_the_second_is_told_and_nothing_is_lost() {
    let world = World::new().await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    let (one, two) = (
        member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await,
        member_named(&world, &world.institution, "boss@example.edu", Role::Manager, &[&world.page]).await,
    );
    let path = format!("/console/example/people/{}/edit", id_of(&world, "ana@example.edu").await);
    let (first, second) = (one.get(&path).await.expect(200).body, two.get(&path).await.expect(200).body);
    world.advance(Duration::from_secs(1));
    let fields = [
        ("version", &*input(&first, "version")),
        ("was_first_name", "Ana"),
        ("was_last_name", "Lima"),
        ("was_phonetic", ""),
        ("first_name", "Anna"),
        ("last_name", "Lima"),
        ("phonetic", "AH-na"),
    ];
    one.post(&path, &fields).await.expect(303);
    let mine = [
        ("was_first_name", "Ana"),
        ("was_last_name", "Lima"),
        ("was_phonetic", ""),
        ("first_name", "Anita"),
        ("last_name", "Lima"),
        ("phonetic", ""),
    ];
    let version = input(&second, "version");
    let fields = [&[("version", version.as_str())], &mine[..]].concat();
    let told = two.post(&path, &fields).await.expect(422).body;
    assert!(told.contains("Somebody else has changed this entry"), "{told}");
    assert!(
        told.contains("value=\"Anita\"") && told.contains("<bdi>Anna</bdi>"),
        "both names are there: {told}"
    );
    assert!(told.contains("name=\"phonetic\" value=\"AH-na\""), "what was not touched follows: {told}");
    let fields = [
        ("version", &*input(&told, "version")),
        ("was_first_name", "Anna"),
        ("was_last_name", "Lima"),
        ("was_phonetic", "AH-na"),
        ("first_name", "Anita"),
        ("last_name", "Lima"),
        ("phonetic", "AH-na"),
    ];
    two.post(&path, &fields).await.expect(303);
    assert_eq!(listed(&one, "").await, ["Anita Lima"]);
}

#[tokio::test]
async fn a_deleted_entry_can_be_restored_for_thirty_days_and_then_is_gone() {
    let world = World::new().await;
    let ana = world.person("Ana", "ana@example.edu").await;
    let hex = world.give(&ana, Kind::Recording, SOUND).await;
    crate::name_pages::invite(&world, "ana@example.edu").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let id = id_of(&world, "ana@example.edu").await;
    let (path, audio) = (
        format!("/console/example/people/{id}"),
        format!("/audio/{}/recording_{hex}.mp3", world.institution.id),
    );
    owner.get(&format!("{path}/delete")).await.expect(200);
    owner
        .post(&format!("{path}/delete"), &[])
        .await
        .redirects_to(&format!("/console/example/people?done=deleted&deleted={id}"));
    let page =
        owner.get(&format!("/console/example/people?done=deleted&deleted={id}")).await.expect(200).body;
    assert!(page.contains(&format!("/people/deleted/{id}/restore")), "there is a way to undo it: {page}");
    assert_eq!(listed(&owner, "").await, [""; 0]);
    owner.get(&path).await.expect(404);
    owner.get(&audio).await.expect(404);
    assert_eq!(count(&world, "invitations WHERE withdrawn_at IS NULL").await, 0);
    let page = owner.get("/console/example/people/deleted").await.expect(200).body;
    assert!(page.contains("ana@example.edu") && page.contains(OWNER));
    owner
        .post(&format!("/console/example/people/deleted/{id}/restore"), &[])
        .await
        .redirects_to(&format!("{path}?done=restored"));
    owner.get(&audio).await.expect(200);
    assert_eq!(count(&world, "invitations WHERE withdrawn_at IS NULL").await, 1);
    assert_eq!(count(&world, "deleted_people").await, 0);
    // Twice, there is nothing to restore.
    owner.post(&format!("/console/example/people/deleted/{id}/restore"), &[]).await.expect(404);

    owner.get(&format!("{path}/delete")).await.expect(200);
    owner.post(&format!("{path}/delete"), &[]).await.expect(303);
    world.advance(29 * DAY);
    assert_eq!(deleted_people::purge(&world.app).await.unwrap(), 0);
    world.advance(2 * DAY);
    assert_eq!(deleted_people::purge(&world.app).await.unwrap(), 1);
    for table in ["participants", "hidden_participants", "media", "deleted_people", "invitations"] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn whoever_is_invited_again_keeps_the_invitation_when_the_old_entry_is_gone_for_good() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let invite = async || {
        let email = Email::parse("ana@example.edu").unwrap();
        let guests = vec![Invitee { email, first_name: None, last_name: None }];
        invitations::invite(app, operator, institution, &page, guests, &invitations::Terms::of(app))
            .await
            .unwrap()
            .invited
    };
    assert_eq!(invite().await, 1);
    let id = id_of(&world, "ana@example.edu").await;
    deleted_people::delete(app, operator, institution, id).await.unwrap();
    assert_eq!(count(&world, "invitations WHERE withdrawn_at IS NULL").await, 0);
    world.advance(10 * DAY);
    assert_eq!(invite().await, 1);
    world.advance(21 * DAY);
    assert_eq!(deleted_people::purge(app).await.unwrap(), 1);
    assert_eq!(count(&world, "hidden_participants").await, 0);
    assert_eq!(count(&world, "invitations WHERE withdrawn_at IS NULL").await, 1);
    assert_eq!(count(&world, "coverage WHERE invited = 1").await, 1);
}

#[tokio::test]
async fn a_manager_of_very_many_pages_sees_everybody_who_was_deleted() {
    const MANAGER: &str = "manager@example.edu";
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let manager = member_named(&world, &world.institution, MANAGER, Role::Manager, &[&world.page]).await;
    // The groups of a directory may give them more pages than an owner can. These come before the one with Ana.
    for page in -600_i64..-300 {
        let text = "INSERT INTO member_pages (institution_id, email_key, name_page_id) VALUES ($1, $2, $3)";
        execute(&world.app.db, text, vec![world.institution.id.into(), MANAGER.into(), page.into()]).await;
    }
    let id = id_of(&world, "ana@example.edu").await;
    deleted_people::delete(&world.app, &Actor::Operator, world.institution.id, id).await.unwrap();
    let page = manager.get("/console/example/people/deleted").await.expect(200).body;
    assert!(page.contains("ana@example.edu"), "{page}");
}

#[tokio::test]
async fn nobody_is_restored_in_place_of_somebody_else_and_an_erasure_is_final() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let id = id_of(&world, "ana@example.edu").await;
    owner.get("/console/example/people").await.expect(200);
    owner.post(&format!("/console/example/people/{id}/delete"), &[]).await.expect(303);
    world.person("Ana again", "ana@example.edu").await;
    let taken =
        owner.post(&format!("/console/example/people/deleted/{id}/restore"), &[]).await.expect(422).body;
    assert!(taken.contains("somebody with the same email"), "{taken}");
    let (app, operator, institution) = (&world.app, &Actor::Operator, world.institution.id);
    persons::erase(app, operator, institution, "ana@example.edu".into(), persons::Rewrite::Later)
        .await
        .unwrap();
    for table in ["participants", "hidden_participants", "deleted_people", "people_words", "people_names"] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
    owner.get("/console/example/people").await.expect(200);
    owner.post(&format!("/console/example/people/deleted/{id}/restore"), &[]).await.expect(404);
}

#[tokio::test]
async fn two_entries_of_one_person_are_merged() {
    let world = World::new().await;
    world.custom_field("major").await;
    let choir = world.page("Choir").await;
    world
        .person_on(&world.page, json!({ "first_name": "Ana", "email": "ana@example.edu", "notes": "One" }))
        .await;
    let other = json!({ "first_name": "Anna", "last_name": "Lima", "email": "anna@example.edu", "phonetic": "AH-na",
        "institution_id": "S1", "notes": "Two", "custom_fields": { "custom_major": "Physics" } });
    let other = world.person_on(&choir, other).await;
    let hex = world.give(&other, Kind::Recording, SOUND).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let (kept, gone) = (id_of(&world, "ana@example.edu").await, id_of(&world, "anna@example.edu").await);
    owner
        .get(&format!("/console/example/people/bulk?action=merge&id={kept}&id={gone}"))
        .await
        .redirects_to(&format!("/console/example/people/merge?keep={kept}&other={gone}"));
    owner.get(&format!("/console/example/people/bulk?action=merge&id={kept}")).await.expect(422);
    let path = "/console/example/people/merge";
    let page = owner.get(&format!("{path}?keep={kept}&other={gone}")).await.expect(200).body;
    assert!(
        page.contains("<strong><bdi>AH-na</bdi></strong>") && page.contains("anna@example.edu"),
        "{page}"
    );
    let (keep, other) = (kept.to_string(), gone.to_string());
    let versions = [input(&page, "keep_version"), input(&page, "other_version")];
    let fields = |keep_version| {
        [
            ("keep", keep.as_str()),
            ("other", &other),
            ("keep_version", keep_version),
            ("other_version", &versions[1]),
        ]
    };
    let told = owner.post(path, &fields("1")).await.expect(422).body;
    assert!(told.contains("changed in the meantime"), "{told}");
    owner
        .post(path, &fields(&versions[0]))
        .await
        .redirects_to(&format!("/console/example/people/{kept}?done=merged"));
    let page = owner.get(&format!("/console/example/people/{kept}")).await.expect(200).body;
    for text in ["Ana Lima", "AH-na", "One\nTwo", "Physics", "S1", "ana@example.edu"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    owner.get(&format!("/audio/{}/recording_{hex}.mp3", world.institution.id)).await.expect(200);
    owner.get(&format!("/console/example/people/{gone}")).await.expect(404);
    assert_eq!(count(&world, "participants").await, 1);
    assert_eq!(
        count(&world, "coverage WHERE recorded = 1").await,
        1,
        "the recording counts on the kept page"
    );
    assert_eq!(count(&world, "rolls WHERE members = 1").await, 2, "the institution and one page");
}

/// Two people, on two pages: whoever merges them makes one of them the owner of the other one's voice.
#[tokio::test]
async fn entries_of_different_addresses_are_merged_by_admins_only_and_never_a_paused_one() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    let anna = world.person_on(&choir, json!({ "first_name": "Anna", "email": "anna@example.edu" })).await;
    let hex = world.give(&anna, Kind::Recording, SOUND).await;
    let (kept, gone) = (id_of(&world, "ana@example.edu").await, id_of(&world, "anna@example.edu").await);
    let (app, id) = (&world.app, world.institution.id);
    let of = |email: &str| PersonId { institution: id, email_key: email.to_owned() };
    let merge = async |actor: &Actor| {
        let view = people_merge::preview(app, actor, id, (kept, gone)).await.unwrap();
        let merged = people_merge::merge(app, actor, id, (kept, gone), view.versions).await;
        (view.hindrance, merged)
    };
    member_named(&world, &world.institution, MANAGER, Role::Manager, &[&world.page, &choir]).await;
    let manager = members::actor_of(app, &of(MANAGER)).await.unwrap();
    let (hindrance, merged) = merge(&manager).await;
    assert_eq!(hindrance, Some(Hindrance::NeedsAdministrator));
    assert!(matches!(merged, Err(Error::Forbidden(_))), "{merged:?}");
    audiences::choose(app, &Actor::Operator, of("anna@example.edu"), Audience::Paused).await.unwrap();
    let (hindrance, merged) = merge(&Actor::Operator).await;
    assert_eq!(hindrance, Some(Hindrance::Paused));
    assert!(matches!(&merged, Err(Error::Invalid(errors)) if errors.has(&Field::Audience)), "{merged:?}");
    assert_eq!(count(&world, "participants").await, 2);
    assert_eq!(count(&world, "outbox").await, 0, "nobody is told");

    // The strictest audience wins, and both are told.
    audiences::choose(app, &Actor::Operator, of("anna@example.edu"), Audience::Institution).await.unwrap();
    let (hindrance, merged) = merge(&Actor::Operator).await;
    assert_eq!((hindrance, merged.is_ok()), (None, true), "{merged:?}");
    let chosen = audiences::find(app, &Actor::Operator, &of("ana@example.edu")).await.unwrap();
    assert_eq!(chosen.audience, Audience::Institution);
    for (email, about) in [("ana@example.edu", "merged_into_own"), ("anna@example.edu", "merged_into_other")]
    {
        let from = format!("outbox WHERE email_key = '{email}' AND message LIKE '%{about}%'");
        assert_eq!(count(&world, &from).await, 1, "{email}");
    }
    // The link that was public until then is no longer the recording's.
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    owner.get(&format!("/audio/{id}/recording_{hex}.mp3")).await.expect(404);
    assert_eq!(count(&world, "participants WHERE recording IS NOT NULL").await, 1);
}

/// The entries of one person need nobody's permission, and what is paused stays so.
#[tokio::test]
async fn the_strictest_audience_of_merged_entries_wins() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    let of = |email: &str| PersonId { institution: id, email_key: email.to_owned() };
    for (own, other, expected) in [
        (Audience::Public, Audience::Institution, Audience::Institution),
        (Audience::Institution, Audience::Public, Audience::Institution),
        (Audience::Paused, Audience::Public, Audience::Paused),
        (Audience::Public, Audience::Public, Audience::Public),
    ] {
        let [one, two] =
            [own, other].map(|audience| format!("{}-{}@x.org", audience.word(), expected.word()));
        let (one, two) = (format!("a-{one}"), format!("b-{two}"));
        let page = world.page(&format!("{one} {two}")).await;
        person(&world, "Ana", "A", &one).await;
        world.person_on(&page, json!({ "first_name": "Anna", "email": two.as_str() })).await;
        for (email, audience) in [(&one, own), (&two, other)] {
            audiences::choose(app, &Actor::Operator, of(email), audience).await.unwrap();
        }
        let ids = (id_of(&world, &one).await, id_of(&world, &two).await);
        let view = people_merge::preview(app, &Actor::Operator, id, ids).await.unwrap();
        people_merge::merge(app, &Actor::Operator, id, ids, view.versions).await.unwrap();
        let chosen = audiences::find(app, &Actor::Operator, &of(&one)).await.unwrap();
        assert_eq!(chosen.audience, expected, "{own:?} {other:?}");
    }
}

/// Merging deletes an entry.
#[tokio::test]
async fn whoever_merges_entries_has_signed_in_just_now() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    person(&world, "Ana", "Lima", "ana@example.edu").await;
    world.person_on(&choir, json!({ "first_name": "Anna", "email": "anna@example.edu" })).await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let (kept, gone) = (id_of(&world, "ana@example.edu").await, id_of(&world, "anna@example.edu").await);
    let path = "/console/example/people/merge";
    let asked = format!("{path}?keep={kept}&other={gone}");
    let page = owner.get(&asked).await.expect(200).body;
    let (keep, other) = (kept.to_string(), gone.to_string());
    let versions = [input(&page, "keep_version"), input(&page, "other_version")];
    let fields = [
        ("keep", keep.as_str()),
        ("other", &other),
        ("keep_version", &versions[0]),
        ("other_version", &versions[1]),
    ];
    world.advance(Duration::from_secs(11 * 60));
    for seen in [owner.post(path, &fields).await, owner.get(&asked).await] {
        assert_eq!(seen.status, 303, "{}", seen.body);
        assert!(seen.location().contains("why=again"), "{}", seen.location());
    }
    assert_eq!(count(&world, "participants").await, 2);
}

#[tokio::test]
async fn somebody_can_be_recorded_and_called() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let world = World::with(Setup { calling, ..Setup::default() }).await;
    world.person("Ana", "ana@example.edu").await;
    let owner = member_named(&world, &world.institution, OWNER, Role::Owner, &[]).await;
    let id = id_of(&world, "ana@example.edu").await;
    let path = format!("/console/example/people/{id}");
    let page = owner.get(&format!("{path}/edit")).await.expect(200).body;
    let number = "+12025550123";
    let fields = [
        ("version", &*input(&page, "version")),
        ("first_name", "Ana"),
        ("was_phone_number", ""),
        ("phone_number", number),
    ];
    owner.post(&format!("{path}/edit"), &fields).await.expect(303);
    assert_eq!(count(&world, "calls").await, 0, "a new number alone is not called");
    owner.get(&path).await.expect(200);
    owner.post(&format!("{path}/call"), &[]).await.redirects_to(&format!("{path}?done=called"));
    assert_eq!(count(&world, "calls WHERE state = 'scheduled'").await, 1);
    assert!(owner.get(&path).await.expect(200).body.contains(number));

    owner.get(&format!("{path}/record")).await.expect(200);
    let (csrf, base) = (owner.csrf(), owner.base().to_owned());
    let headers = [("origin", base.as_str()), ("sec-fetch-site", "same-origin")];
    let fields = [("csrf", csrf.as_str()), ("kind", "recording")];
    let refused = owner
        .post_file(&format!("{path}/record"), ("recording", &b"noise"[..]), &fields, &headers)
        .await
        .expect(422);
    assert!(refused.body.contains("recorder-fault"), "{}", refused.body);
    let forged =
        owner.post_file(&format!("{path}/record"), ("recording", &wav(1.0)[..]), &[], &headers).await;
    forged.expect(403);
    let sent =
        owner.post_file(&format!("{path}/record"), ("recording", &wav(1.0)[..]), &fields, &headers).await;
    sent.redirects_to(&format!("{path}?done=recorded"));
    assert_eq!(
        count(&world, "calls WHERE state = 'scheduled'").await,
        0,
        "there is no need to call any more"
    );
    let page = owner.get(&path).await.expect(200).body;
    let audio =
        page.split("src=\"").find(|rest| rest.contains("/audio/")).unwrap().split('"').next().unwrap();
    let (status, _, bytes) = owner.file(audio, &[]).await;
    assert!(status == 200 && !bytes.is_empty());
    owner.get(&format!("{path}/audio/{}", "0".repeat(32))).await.expect(404);
}

/// What the list shows is exact also if it is answered by the index.
#[tokio::test]
async fn a_large_institution_is_searched_by_its_index() {
    let world = World::new().await;
    world.crowd(&world.page, 0..5_400).await;
    person(&world, "Zoë", "Aaronson", "zoe@example.edu").await;
    let (app, institution) = (&world.app, world.institution.id);
    let list = async |query: PeopleQuery| {
        people_search::list(app, &Actor::Operator, institution, &query).await.unwrap()
    };
    let by_name = list(PeopleQuery::default()).await;
    assert!(by_name.is_building, "the index is empty");
    let exact = list(PeopleQuery { search: "zoe@example.edu".into(), ..Default::default() }).await;
    assert_eq!(exact.people.len(), 1, "whole addresses are found at once");
    world.advance(Duration::from_secs(60));
    endonym::app::people_index::run(app, institution).await.unwrap();
    let by_name = list(PeopleQuery::default()).await;
    assert_eq!(
        (by_name.people[0].name.as_str(), by_name.people.len(), by_name.is_building),
        ("Zoë Aaronson", 100, false)
    );
    let next = list(PeopleQuery { after: by_name.next, ..Default::default() }).await;
    assert!(next.people.iter().all(|one| by_name.people.iter().all(|other| other.id != one.id)));
    let found = list(PeopleQuery { search: "p5399".into(), ..Default::default() }).await;
    assert_eq!((found.people.len(), found.count, found.cut), (1, Some(1), None));
    let many = list(PeopleQuery { search: "p".into(), ..Default::default() }).await;
    assert!(many.cut.is_some() && many.people.len() == 100, "{:?}", many.cut);
    let none = list(PeopleQuery { has_phone: Some(true), ..Default::default() }).await;
    assert_eq!(none.people.len(), 0);
    // A change is found with the next search.
    let change = json!({ "name_page_id": world.page.slug, "participant": { "last_name": "Übermut" } });
    world.put("/v5/participants/zoe@example.edu", change).await.expect(200);
    let found = list(PeopleQuery { search: "uber zo".into(), ..Default::default() }).await;
    assert_eq!((found.people.len(), found.is_building), (1, false));
    let old = list(PeopleQuery { search: "aaron".into(), ..Default::default() }).await;
    assert_eq!(old.people.len(), 0);
}
