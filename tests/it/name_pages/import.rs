//! `/p/{slug}/import`: what managers do, who may do it, and what files cannot do.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error,
        imports::{self, CallPolicy, Input, Mapping, Recordings, Row, RowContent, Run, Target, Undone},
        members,
        own_recordings::Sharing,
        persons,
    },
    domain::{
        email::Email,
        ids::{ImportId, NamePageId},
        import::{Counts, ImportState},
        member::Role,
        name_page::NamePageRef,
        participant::{Draft, Given},
    },
};
use serde_json::json;

use super::invitations::{by_links, count, invite};
use crate::{
    me::{Browser, Seen},
    own_recordings::record,
    pages::SOUND,
    support::{
        World,
        database::execute,
        media::wav,
        sheets::{ods_of, row, xlsx, xlsx_in_pieces, xlsx_of, zip_of},
        until,
    },
};

const MANAGER: &str = "manager@example.edu";

async fn manager(world: &World) -> Browser<'_> {
    signed_in(world, MANAGER, Role::Manager).await
}

async fn signed_in<'a>(world: &'a World, email: &str, role: Role) -> Browser<'a> {
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let pages = if matches!(role, Role::Manager | Role::Reader) { vec![page] } else { Vec::new() };
    let (institution, address) = (world.institution.id, Email::parse(email).unwrap());
    members::set(&world.app, &Actor::Operator, institution, address, role, pages).await.unwrap();
    let browser = Browser::new(world);
    let mail = browser.mailed("", email).await;
    browser.enter_code(&mail.code).await;
    browser
}

fn path(world: &World) -> String {
    format!("/p/{}/import", world.page.slug)
}

async fn upload(browser: &Browser<'_>, path: &str, file: &[u8]) -> Seen {
    browser.get(path).await.expect(200);
    let csrf = browser.csrf();
    let fields = [("csrf", csrf.as_str())];
    browser.post_file(path, ("file", file), &fields, &[("sec-fetch-site", "same-origin")]).await
}

/// Waits until a job has done its work, and returns the page.
async fn settled(browser: &Browser<'_>, path: &str) -> Seen {
    let busy = ["reloads by itself", "is being imported", "is being undone"];
    until("the import has settled", || async {
        let body = browser.get(path).await.body;
        !busy.iter().any(|text| body.contains(text))
    })
    .await;
    browser.get(path).await.expect(200)
}

/// Imports a file with these two columns, and returns the address of the import.
async fn import(world: &World, browser: &Browser<'_>, file: &[u8]) -> String {
    let address = upload(browser, &path(world), file).await.expect(303).location().to_owned();
    let address = address[address.find("/p/").unwrap()..].to_owned();
    browser.get(&address).await.expect(200);
    let columns = [("line", "1"), ("column-0", "email"), ("column-1", "first_name")];
    browser.post(&address, &columns).await.expect(303);
    settled(browser, &address).await;
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    settled(browser, &address).await;
    address
}

async fn people(world: &World, page: NamePageId) -> Vec<String> {
    let text = format!("SELECT first_name FROM participants WHERE name_page_id = {page} ORDER BY id");
    world.app.db.read().rows(&text, &[], |row| row.text(0)).await.unwrap()
}

/// Otherwise the columns would be guessed, and people imported with other values than somebody has chosen.
#[tokio::test]
async fn an_import_whose_columns_cannot_be_read_is_neither_shown_nor_run() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let address =
        upload(&browser, &path(&world), b"email,first_name\nbea@example.edu,Bea\n").await.expect(303);
    let address = address.location().to_owned();
    let address = &address[address.find("/p/").unwrap()..];
    browser.get(address).await.expect(200);
    browser.post(address, &[("line", "1"), ("column-0", "email"), ("column-1", "")]).await.expect(303);
    execute(&world.app.db, "UPDATE imports SET mapping = 'x', state = 'waiting'", Vec::new()).await;
    browser.get(address).await.expect(503);
    world.work(1);
    let failed = "SELECT COUNT(*) FROM jobs WHERE failures > 0 AND kind = 'run_import'";
    until("the job has failed", || async {
        world.app.db.read().one(failed, &[], |row| row.int(0)).await.unwrap() == Some(1)
    })
    .await;
    assert_eq!(people(&world, world.page.id).await, [""; 0]);
}

#[tokio::test]
async fn a_manager_maps_checks_imports_and_undoes() {
    let world = World::new().await;
    world.work(1);
    world.person("Ana", "ana@example.edu").await;
    let browser = manager(&world).await;
    let file = xlsx(&[
        &["Contact", "Vorname", "Shoe size"],
        &["ana@example.edu", "Anna", "38"],
        &["bea@example.edu", "Bea", "39"],
        &["nonsense", "Cy", "40"],
    ]);
    let sent = upload(&browser, &path(&world), &file).await.expect(303);
    let address = sent.location().to_owned();
    let address = &address[address.find("/p/").unwrap()..];
    let page = browser.get(address).await.expect(200);
    assert!(page.body.contains("Contact") && page.body.contains("bea@example.edu"), "{}", page.body);
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    // Nobody knows what `Contact` is, so the dry run fails until somebody says it.
    let columns = [("line", "1"), ("column-0", ""), ("column-1", "first_name"), ("column-2", "")];
    browser.post(address, &columns).await.expect(303);
    let page = settled(&browser, address).await;
    assert!(page.body.contains("which column is the email"), "{}", page.body);
    let columns = [("line", "1"), ("column-0", "email"), ("column-1", "first_name"), ("column-2", "")];
    browser.post(address, &columns).await.expect(303);
    let page = settled(&browser, address).await;
    for text in ["New: ", "Changed: ", "Rejected: ", "Nothing has changed yet", "Email"] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    let page = settled(&browser, address).await;
    assert!(page.body.contains("The file has been imported"), "{}", page.body);
    assert_eq!(people(&world, world.page.id).await, ["Anna", "Bea"]);
    // A second press does nothing.
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    invite(&world, "ana@example.edu bea@example.edu", &by_links()).await;
    browser.get(address).await.expect(200);
    browser.post(&format!("{address}/undo"), &[]).await.expect(303);
    let page = settled(&browser, address).await;
    assert!(page.body.contains("The import has been undone"), "{}", page.body);
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    // Whoever should not be on the page is not invited to it any more.
    assert_eq!(count(&world, "invitations WHERE email_key = 'ana@example.edu'").await, 1);
    assert_eq!(count(&world, "invitations").await, 1);
    browser.get(&path(&world)).await.expect(200);
    let again = browser.post(&format!("{address}/undo"), &[]).await.expect(409);
    assert!(again.body.contains("no import that could be undone"), "{}", again.body);
}

#[tokio::test]
async fn an_import_is_not_undone_after_a_day_or_after_a_change() {
    let world = World::new().await;
    world.work(1);
    let browser = manager(&world).await;
    let file = b"email,first_name\nana@example.edu,Ana\n";
    let address = import(&world, &browser, file).await;
    world.changed_at("ana@example.edu", world.app.clock.now().micros() + 5_000_000).await;
    let refused = browser.post(&format!("{address}/undo"), &[]).await.expect(409);
    assert!(
        refused.body.contains("have been changed since") && refused.body.contains("Ana"),
        "{}",
        refused.body
    );
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    world.advance(Duration::from_secs(25 * 3_600));
    let (_, is_undoable) =
        imports::last(&world.app, &Actor::Operator, world.institution.id, world.page.id).await.unwrap();
    assert!(!is_undoable);
}

#[tokio::test]
async fn managers_import_no_recordings_from_pages_that_are_not_theirs() {
    let world = World::new().await;
    world.work(1);
    let choir = world.page("Choir").await;
    for email in ["ana@example.edu", "bea@example.edu"] {
        let person = world.person_on(&choir, json!({ "first_name": "Singer", "email": email })).await;
        record(&world, &person, 440.0, Sharing::All).await;
    }
    let text = format!(
        "SELECT p.first_name FROM media m JOIN participants p ON p.institution_id = m.institution_id \
         AND p.id = m.participant_id WHERE p.name_page_id = {}",
        world.page.id
    );
    let recorded = async || world.app.db.read().rows(&text, &[], |row| row.text(0)).await.unwrap();
    let manager = manager(&world).await;
    import(&world, &manager, b"email,first_name\nana@example.edu,Ana\n").await;
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    assert_eq!(recorded().await, [""; 0]);
    let owner = signed_in(&world, "owner@example.edu", Role::Owner).await;
    import(&world, &owner, b"email,first_name\nbea@example.edu,Bea\n").await;
    assert_eq!(people(&world, world.page.id).await, ["Ana", "Bea"]);
    assert_eq!(recorded().await, ["Bea"]);
}

#[tokio::test]
async fn files_and_reports_do_not_mention_somebody_who_was_erased() {
    let world = World::new().await;
    world.work(1);
    world.person("Ana", "ana@example.edu").await;
    let browser = manager(&world).await;
    let file = b"email,first_name\nana@example.edu,Anna\nbo@example.edu,Bo\n";
    let address = upload(&browser, &path(&world), file).await.expect(303).location().to_owned();
    let address = &address[address.find("/p/").unwrap()..];
    browser.get(address).await.expect(200);
    let columns = [("line", "1"), ("column-0", "email"), ("column-1", "first_name")];
    browser.post(address, &columns).await.expect(303);
    settled(&browser, address).await;
    let count =
        async |text: &str| world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap();
    let (reports, files) = (
        "SELECT COUNT(*) FROM imports WHERE report LIKE '%ana@example.edu%' OR beginning LIKE '%ana@example.edu%'",
        "SELECT COUNT(*) FROM import_files",
    );
    // The file and the whole report.
    assert_eq!((count(reports).await, count(files).await), (1, 2));
    let (institution, ana) = (world.institution.id, "ana@example.edu".to_owned());
    persons::erase(&world.app, &Actor::Operator, institution, ana, persons::Rewrite::Later).await.unwrap();
    // Only her row has left the file.
    assert_eq!((count(reports).await, count(files).await), (0, 1));
    let page = browser.get(address).await.expect(200);
    assert!(page.body.contains("One row has left this file"), "{}", page.body);
    assert!(page.body.contains("bo@example.edu") && !page.body.contains("ana@example.edu"), "{}", page.body);
    browser.post(address, &columns).await.expect(303);
    settled(&browser, address).await;
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    settled(&browser, address).await;
    assert_eq!(people(&world, world.page.id).await, ["Bo"]);
}

#[tokio::test]
async fn a_report_does_not_mention_somebody_who_was_erased_while_it_was_made() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let (app, here) = (&world.app, (world.institution.id, world.page.id));
    // So many that the first ones are read long before the last ones.
    let others: String = (0..40_000).map(|n| format!("p{n}@example.edu,P{n}\n")).collect();
    let file = format!("email,first_name\nana@example.edu,Anna\n{others}").into_bytes();
    let id = imports::upload(app, &Actor::Operator, here, "upload", file).await.unwrap().unwrap();
    imports::check_upload(app, &Actor::Operator, here, id, Mapping::default()).await.unwrap();
    let erase = async {
        until("her row was read", || async { count(&world, "imports WHERE rows_done > 0").await == 1 }).await;
        let ana = "ana@example.edu".to_owned();
        persons::erase(app, &Actor::Operator, here.0, ana, persons::Rewrite::Later).await.unwrap();
    };
    let (done, ()) = tokio::join!(imports::run(app, here.0, id), erase);
    done.unwrap();
    assert_eq!(last_counts(&world).await.0, ImportState::Checked);
    assert_eq!(count(&world, "imports WHERE report IS NULL").await, 1);
    assert_eq!(count(&world, "import_files WHERE number < 0").await, 0, "nor the whole report");
    assert_eq!(count(&world, "imports WHERE rows_removed = 1").await, 1, "her row has left the file");
}

#[tokio::test]
async fn the_page_of_an_upload_does_not_read_the_file_again_and_few_files_wait() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let file = format!("email,first_name\nana@example.edu,{}\n", "x".repeat(1_000));
    let mut address = String::new();
    for _ in 0..20 {
        let sent = upload(&browser, &path(&world), file.as_bytes()).await.expect(303);
        address = sent.location()[sent.location().find("/p/").unwrap()..].to_owned();
    }
    let refused = upload(&browser, &path(&world), file.as_bytes()).await.expect(422);
    assert!(refused.body.contains("Too many files are waiting"), "{}", refused.body);
    let damage = "UPDATE import_files SET bytes = 'AAAA'";
    execute(&world.app.db, damage, Vec::new()).await;
    let seen = browser.get(&address).await.expect(200);
    assert!(seen.body.contains("ana@example.edu") && !seen.body.contains("cannot be read"), "{}", seen.body);
    assert!(seen.body.contains(&"x".repeat(200)) && !seen.body.contains(&"x".repeat(201)));
    // After a day, files are deleted.
    world.advance(Duration::from_secs(25 * 3_600));
    let browser = manager(&world).await;
    upload(&browser, &path(&world), file.as_bytes()).await.expect(303);
    browser.get(&address).await.expect(404);
}

#[tokio::test]
async fn a_zip_file_of_recordings_is_imported() {
    let world = World::new().await;
    world.work(1);
    world.person("Ana", "ana@example.edu").await;
    let browser = manager(&world).await;
    let file = zip_of(&[("ana@example.edu.wav", &wav(1.0)), ("nobody@example.edu.wav", &wav(1.0))]);
    let address = upload(&browser, &path(&world), &file).await.expect(303).location().to_owned();
    let address = &address[address.find("/p/").unwrap()..];
    let page = browser.get(address).await.expect(200);
    assert!(page.body.contains("Recordings in this file"), "{}", page.body);
    browser.post(address, &[]).await.expect(303);
    let page = settled(&browser, address).await;
    assert!(page.body.contains("Nobody on this page has this email"), "{}", page.body);
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    settled(&browser, address).await;
    let recorded = "SELECT COUNT(*) FROM participants WHERE recording IS NOT NULL";
    let count = world.app.db.read().one(recorded, &[], |row| row.int(0)).await.unwrap();
    assert_eq!(count, Some(1));
}

#[tokio::test]
async fn only_managers_of_the_page_find_it() {
    let world = World::new().await;
    let stranger = Browser::new(&world);
    let seen = stranger.get(&path(&world)).await.expect(303);
    assert!(seen.location().contains("/sign-in"), "{}", seen.location());
    let reader = signed_in(&world, "reader@example.edu", Role::Reader).await;
    reader.get(&path(&world)).await.expect(404);
    world.person("Ana", "ana@example.edu").await;
    let person = Browser::new(&world);
    let mail = person.mailed("", "ana@example.edu").await;
    person.enter_code(&mail.code).await;
    person.get(&path(&world)).await.expect(404);
    // A manager of this page finds no import of another one.
    let browser = manager(&world).await;
    let address =
        upload(&browser, &path(&world), b"email,first_name\n").await.expect(303).location().to_owned();
    let id = address.rsplit('/').next().unwrap();
    let other = world.page("Other").await;
    browser.get(&format!("/p/{}/import/{id}", other.slug)).await.expect(404);
    let owner = signed_in(&world, "owner@example.edu", Role::Owner).await;
    owner.get(&format!("/p/{}/import", other.slug)).await.expect(200);
    owner.get(&format!("/p/{}/import/{id}", other.slug)).await.expect(404);
    owner.get(&format!("/p/{}/import/x", world.page.slug)).await.expect(404);
}

#[tokio::test]
async fn files_that_cannot_be_imported_are_refused_with_a_sentence() {
    let world = World::new().await;
    let browser = manager(&world).await;
    for (file, text) in [
        (&b""[..], "choose a file first"),
        (b"%PDF-1.7", "save it as XLSX"),
        (b"PK\x03\x04 damaged", "cannot be read"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as XLSX"),
    ] {
        let seen = upload(&browser, &path(&world), file).await.expect(422);
        assert!(seen.body.contains(text), "{text}: {}", seen.body);
    }
    let large = vec![b'x'; 21 << 20];
    let seen = upload(&browser, &path(&world), &large).await.expect(413);
    assert!(seen.body.contains("too large"), "{}", seen.body);
    // Without the token of the form, nothing is stored.
    let forged = browser.post_file(&path(&world), ("file", b"email,first_name\n"), &[], &[]).await;
    forged.expect(403);
    let count = world.app.db.read().one("SELECT COUNT(*) FROM imports", &[], |row| row.int(0)).await.unwrap();
    assert_eq!(count, Some(0));
}

/// Uploads and checks a file, without a browser and a worker.
async fn checked(world: &World, file: &[u8]) -> ImportId {
    let (app, here) = (&world.app, (world.institution.id, world.page.id));
    let id = imports::upload(app, &Actor::Operator, here, "upload", file.to_vec()).await.unwrap().unwrap();
    imports::check_upload(app, &Actor::Operator, here, id, Mapping::default()).await.unwrap();
    imports::run(app, here.0, id).await.unwrap();
    id
}

/// Says that a file is to be imported. `imports::run` does it.
async fn wanted(world: &World, id: ImportId) {
    let here = (world.institution.id, world.page.id);
    imports::import_upload(&world.app, &Actor::Operator, here, id).await.unwrap();
}

/// A megabyte that unpacks to 45 million rows in which there is nothing, and what else a few bytes can mean. Reading ends at the limit, and
/// not at the end of the file.
#[tokio::test]
async fn what_means_nothing_is_not_read_to_its_end() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let pieces = |row: &str, count: usize| {
        let piece = row.repeat(100_000);
        xlsx_in_pieces(std::iter::repeat_n(piece, count / 100_000), "")
    };
    let rows = pieces("<row/>", 45_000_000);
    assert!(rows.len() < 1_500_000, "{}", rows.len());
    let cells = pieces("<row><c/><c/><c/><c/></row>", 900_000);
    let head = row(1, &["email", "first_name"]);
    let behind = {
        let rows = std::iter::once(head.clone()).chain(std::iter::repeat_n("<row/>".repeat(100_000), 20));
        xlsx_in_pieces(rows, "")
    };
    for (what, file) in [("rows", rows), ("cells", cells)] {
        let page = upload(&browser, &path(&world), &file).await.expect(303).location().to_owned();
        let page = browser.get(&page[page.find("/p/").unwrap()..]).await.expect(200);
        let is_told = ["This file has too many rows", "This file is too large"]
            .iter()
            .any(|text| page.body.contains(text));
        assert!(is_told, "{what}: {}", page.body);
    }
    // Each names a text of 39,000 characters, or blanks.
    let long = format!("<si><t>{}</t></si>", "x".repeat(39_000));
    let named = format!("{head}<row>{}</row>", r#"<c r="A2" t="s"><v>0</v></c>"#.repeat(20_000));
    let blanks =
        r#"<table:table-cell><text:p><text:s text:c="39000"/></text:p></table:table-cell>"#.repeat(20_000);
    let blanks = ods_of(&format!("<table:table-row>{blanks}</table:table-row>"));
    let cell = |text: &str| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>");
    let repeated = ods_of(&format!(
        "<table:table-row>{}{}</table:table-row><table:table-row table:number-rows-repeated=\"100000\">{}</table:table-row>",
        cell("email"),
        cell("first_name"),
        cell(&"x".repeat(30_000)),
    ));
    for (failed, file) in (1..).zip([xlsx_of(&named, &long), blanks, repeated]) {
        checked(&world, &file).await;
        assert_eq!(count(&world, "imports WHERE state = 'failed' AND fault = 'large'").await, failed);
    }
    // The same behind its beginning, where the check finds it.
    checked(&world, &behind).await;
    assert_eq!(count(&world, "imports WHERE state = 'failed' AND fault = 'many'").await, 1);
    assert_eq!(count(&world, "participants").await, 0);
}

/// An upload looks at the beginning of a file only. What comes behind it is found by the check, before anything is imported.
#[tokio::test]
async fn a_file_that_breaks_behind_its_beginning_fails_its_check_and_brings_nobody() {
    let world = World::new().await;
    let person = |number: usize| row(number, &[&format!("p{number}@example.edu"), "P"]);
    let people: String = (2..1_000).map(person).collect();
    let sheet = format!("{}{people}", row(1, &["email", "first_name"]));
    let mut declared = xlsx(&[&["email", "first_name"], &["ana@example.edu", "Ana"]]);
    let entries = declared.windows(4).enumerate().filter(|(_, bytes)| *bytes == b"PK\x01\x02");
    // The size that an entry of the directory declares is at offset 24.
    for at in entries.map(|(at, _)| at + 24).collect::<Vec<_>>() {
        declared[at..at + 4].copy_from_slice(&(1_u32 << 30).to_le_bytes());
    }
    let (app, here) = (&world.app, (world.institution.id, world.page.id));
    let refused = imports::upload(app, &Actor::Operator, here, "upload", declared).await.unwrap();
    assert!(refused.is_err(), "{refused:?}");
    let wide = format!("email,first_name\n{}{}", "ana@example.edu,Ana\n".repeat(1_000), "x,".repeat(300));
    let files = [
        xlsx_of(&format!("{sheet}<row r=\"1\"></row>"), ""),
        xlsx_of(&format!("{sheet}{}", "<a>".repeat(100_000)), ""),
        wide.into_bytes(),
    ];
    for (failed, file) in (1..).zip(files) {
        let id = checked(&world, &file).await;
        assert_eq!(count(&world, "imports WHERE state = 'failed'").await, failed);
        // Whoever asks for it all the same gets nothing.
        wanted(&world, id).await;
        imports::run(&world.app, world.institution.id, id).await.unwrap();
        assert_eq!(count(&world, "imports WHERE state = 'failed'").await, failed);
        assert_eq!(count(&world, "participants").await, 0);
    }
}

async fn undo(world: &World) -> Undone {
    imports::undo(&world.app, &Actor::Operator, world.institution.id, world.page.id).await.unwrap()
}

#[tokio::test]
async fn the_day_for_undoing_begins_with_the_import_and_a_busy_import_is_not_forgotten() {
    let world = World::new().await;
    let hours = |hours: u64| Duration::from_secs(hours * 3_600);
    let id = checked(&world, b"email,first_name\nana@example.edu,Ana\n").await;
    world.advance(hours(23));
    wanted(&world, id).await;
    // The queue is long.
    world.advance(hours(2));
    imports::remove_old(&world.app).await.unwrap();
    imports::run(&world.app, world.institution.id, id).await.unwrap();
    assert_eq!(people(&world, world.page.id).await, ["Ana"]);
    world.advance(hours(23));
    imports::remove_old(&world.app).await.unwrap();
    let undone = undo(&world).await;
    assert!(matches!(undone, Undone::Done { deleted: 1, .. }), "{undone:?}");
    world.advance(hours(2));
    imports::remove_old(&world.app).await.unwrap();
    for table in ["imports", "import_changes", "import_files"] {
        assert_eq!(count(&world, table).await, 0, "{table}");
    }
}

#[tokio::test]
async fn whoever_uploads_a_file_removes_old_ones_of_the_institution_alone() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let file = b"email,first_name\nana@example.edu,Ana\n";
    let (here, there) = ((world.institution.id, world.page.id), (neighbor.institution.id, neighbor.page.id));
    let upload = async |place| {
        imports::upload(&world.app, &Actor::Operator, place, "upload", file.to_vec()).await.unwrap().unwrap()
    };
    let (old, theirs) = (upload(here).await, upload(there).await);
    world.advance(Duration::from_secs(25 * 3_600));
    upload(here).await;
    assert_eq!(count(&world, &format!("imports WHERE id = {old}")).await, 0);
    assert_eq!(count(&world, &format!("imports WHERE id = {theirs}")).await, 1, "its lock may be held");
    imports::remove_old(&world.app).await.unwrap();
    assert_eq!(count(&world, "imports").await, 1);
}

/// It is done every minute.
#[tokio::test]
async fn looking_for_old_imports_does_not_wait_for_the_writer_of_the_database() {
    let world = World::on_sqlite().await;
    checked(&world, b"email,first_name\nana@example.edu,Ana\n").await;
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (start, started) = tokio::sync::oneshot::channel();
    let app = world.app.clone();
    let writing = tokio::spawn(async move {
        let write = app.db.write::<_, Error>(move |_| {
            Box::pin(async move {
                start.send(()).unwrap();
                let _ = released.recv();
                Ok(())
            })
        });
        write.await
    });
    started.await.unwrap();
    imports::remove_old(&world.app).await.unwrap();
    assert!(!writing.is_finished());
    release.send(()).unwrap();
    writing.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_undo_goes_on_after_a_restart_and_names_whom_somebody_has_changed_meanwhile() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let rows: String = (0..300).map(|n| format!("p{n}@example.edu,P{n}\n")).collect();
    let id = checked(&world, format!("email,first_name\n{rows}").as_bytes()).await;
    wanted(&world, id).await;
    imports::run(&world.app, world.institution.id, id).await.unwrap();
    execute(&world.app.db, "DELETE FROM jobs", Vec::new()).await;
    let address = format!("{}/{id}", path(&world));
    browser.get(&address).await.expect(200);
    browser.post(&format!("{address}/undo"), &[]).await.expect(303);
    // Nobody works yet. A second press would not start it twice.
    let page = browser.get(&address).await.expect(200);
    assert!(page.body.contains("is being undone"), "{}", page.body);
    assert!(page.body.contains(r#"value="0" max="300""#), "{}", page.body);
    assert!(!page.body.contains("Undo the import"), "{}", page.body);
    assert_eq!(people(&world, world.page.id).await.len(), 300);
    browser.post(&format!("{address}/undo"), &[]).await.expect(303);
    assert_eq!(count(&world, "jobs").await, 1);
    world.changed_at("p7@example.edu", world.app.clock.now().micros() + 5_000_000).await;
    world.work(1);
    let page = settled(&browser, &address).await;
    assert!(page.body.contains("except for these people") && page.body.contains("P7"), "{}", page.body);
    assert_eq!(people(&world, world.page.id).await, ["P7"]);
}

/// A command undoes an import itself, and may be killed.
#[tokio::test]
async fn a_job_would_complete_an_undo_that_is_interrupted() {
    let world = World::new().await;
    let id = checked(&world, b"email,first_name\nana@example.edu,Ana\n").await;
    wanted(&world, id).await;
    imports::run(&world.app, world.institution.id, id).await.unwrap();
    execute(&world.app.db, "DELETE FROM jobs", Vec::new()).await;
    assert!(matches!(undo(&world).await, Undone::Done { deleted: 1, .. }));
    assert_eq!(count(&world, "jobs WHERE kind = 'run_import'").await, 1);
}

/// A row of a file.
fn ana() -> Row {
    let draft = Draft {
        first_name: Given::Set("Ana".to_owned()),
        email: Given::Set(Email::parse("ana@example.edu").unwrap()),
        ..Draft::default()
    };
    let content = RowContent::Draft(Box::new(draft));
    Row { line: 2, email: "ana@example.edu".to_owned(), size: 0, content }
}

#[tokio::test]
async fn a_dry_run_shows_how_far_it_is() {
    let world = World::new().await;
    let (app, here) = (&world.app, (world.institution.id, world.page.id));
    let file = b"email,first_name\nana@example.edu,Ana\n".to_vec();
    let id = imports::upload(app, &Actor::Operator, here, "upload", file).await.unwrap().unwrap();
    imports::check_upload(app, &Actor::Operator, here, id, Mapping::default()).await.unwrap();
    let run = Run { target: Target::Check(id), ..running(&world, id) };
    imports::rows(app, &Actor::Operator, run, vec![ana()]).await.unwrap();
    let counts = Counts { done: 1, created: 1, ..Counts::default() };
    assert_eq!(last_counts(&world).await, (ImportState::Checking, counts));
    assert_eq!(people(&world, world.page.id).await, [""; 0]);
}

fn running(world: &World, id: ImportId) -> Run {
    Run {
        institution: world.institution.id,
        page: world.page.id,
        target: Target::Import(id),
        calling: CallPolicy::Nobody,
        starts_with_newest: false,
        rows_done: 0,
    }
}

/// Imports recordings as the command does, but does not finish.
async fn bring(world: &World, id: ImportId, files: &[(&str, &[u8])]) -> Result<(), Error> {
    let files = Recordings::in_zip(&Input::Bytes(zip_of(files).into())).unwrap();
    let run = running(world, id);
    imports::recordings(&world.app, &Actor::Operator, run, &files, &|_| false, &mut |_, _| ()).await
}

async fn begun(world: &World) -> ImportId {
    let here = (world.institution.id, world.page.id);
    imports::begin(&world.app, &Actor::Operator, here, "names.zip", 2).await.unwrap()
}

async fn last_counts(world: &World) -> (ImportState, Counts) {
    let (institution, page) = (world.institution.id, world.page.id);
    let (last, _) = imports::last(&world.app, &Actor::Operator, institution, page).await.unwrap();
    let last = last.unwrap();
    (last.state, last.counts)
}

#[tokio::test]
async fn an_interrupted_import_of_recordings_has_counted_them_and_can_be_undone() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let id = begun(&world).await;
    let sound = wav(1.0);
    let files: [(&str, &[u8]); 2] = [("ana@example.edu.wav", &sound), ("nobody@example.edu.wav", &sound)];
    bring(&world, id, &files).await.unwrap();
    let counts = Counts { done: 2, updated: 1, refused: 1, ..Counts::default() };
    assert_eq!(last_counts(&world).await, (ImportState::Running, counts));
    execute(&world.app.db, "UPDATE imports SET state = 'failed'", Vec::new()).await;
    let undone = undo(&world).await;
    assert!(matches!(undone, Undone::Done { restored: 1, .. }), "{undone:?}");
    assert_eq!(count(&world, "media").await, 0);
    // It does not run any more.
    let stopped = bring(&world, id, &files).await;
    assert!(matches!(stopped, Err(Error::Unavailable(_))), "{stopped:?}");
    assert_eq!(count(&world, "media").await, 0);
}

#[tokio::test]
async fn a_recording_is_not_stored_without_what_is_needed_to_undo_it() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let id = begun(&world).await;
    let sound = wav(1.0);
    let rename = |from: &str, to: &str| format!("ALTER TABLE import_changes RENAME COLUMN {from} TO {to}");
    execute(&world.app.db, rename("changed_at", "renamed"), Vec::new()).await;
    bring(&world, id, &[("ana@example.edu.wav", &sound)]).await.unwrap_err();
    assert_eq!(count(&world, "media").await, 0);
    execute(&world.app.db, rename("renamed", "changed_at"), Vec::new()).await;
    // A second attempt does not take its own recording for one that was there before.
    for _ in 0..2 {
        bring(&world, id, &[("ana@example.edu.wav", &sound)]).await.unwrap();
    }
    assert_eq!(count(&world, "media").await, 1);
    let undone = undo(&world).await;
    assert!(matches!(undone, Undone::Done { restored: 1, .. }), "{undone:?}");
}

#[tokio::test]
async fn an_import_that_goes_on_after_an_interruption_counts_every_row_once() {
    let world = World::new().await;
    let file = b"email,first_name\nana@example.edu,Ana\nnonsense,Bea\ncy@example.edu,Cy\n";
    let id = checked(&world, file).await;
    wanted(&world, id).await;
    // Killed after the first row.
    let killed = "UPDATE imports SET state = 'running', rows_done = 0, created = 0, refused = 0";
    execute(&world.app.db, killed, Vec::new()).await;
    imports::rows(&world.app, &Actor::Operator, running(&world, id), vec![ana()]).await.unwrap();
    imports::run(&world.app, world.institution.id, id).await.unwrap();
    assert_eq!(people(&world, world.page.id).await, ["Ana", "Cy"]);
    let counts = Counts { done: 3, created: 2, refused: 1, ..Counts::default() };
    assert_eq!(last_counts(&world).await, (ImportState::Done, counts));
}

#[tokio::test]
async fn managers_choose_a_class_of_a_oneroster_bundle() {
    let world = World::new().await;
    world.work(1);
    let browser = manager(&world).await;
    let bundle = zip_of(&[
        ("manifest.csv", b"propertyName,value\noneroster.version,1.2\n"),
        (
            "users.csv",
            b"sourcedId,givenName,familyName,email\nu1,Ana,Lima,ana@example.edu\nu2,Bea,Lima,bea@example.edu\n",
        ),
        ("enrollments.csv", b"sourcedId,classSourcedId,userSourcedId,role\ne1,c1,u1,student\ne2,c2,u2,student\n"),
        ("classes.csv", b"sourcedId,status,title\nc1,,Latin\nc2,,Greek\nc3,tobedeleted,Hebrew\n"),
    ]);
    let address = upload(&browser, &path(&world), &bundle).await.expect(303).location().to_owned();
    let address = &address[address.find("/p/").unwrap()..];
    let page = browser.get(address).await.expect(200);
    for text in ["All classes", "Latin (c1)", "Greek (c2)"] {
        assert!(page.body.contains(text), "{text}: {}", page.body);
    }
    assert!(!page.body.contains("Hebrew"), "{}", page.body);
    browser.post(address, &[("class", "c2")]).await.expect(303);
    let page = settled(&browser, address).await;
    assert!(page.body.contains(r#"<option value="c2" selected>"#), "{}", page.body);
    browser.post(&format!("{address}/run"), &[]).await.expect(303);
    settled(&browser, address).await;
    assert_eq!(people(&world, world.page.id).await, ["Bea"]);
}

#[tokio::test]
async fn the_report_of_a_long_file_is_downloaded_as_a_whole() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let people: String = (0..3_000).map(|n| format!("p{n}@example.edu,P{n}\n")).collect();
    let refused: String = (0..500).map(|n| format!("=x{n},Cy\n")).collect();
    let id = checked(&world, format!("email,first_name\n{people}{refused}").as_bytes()).await;
    let address = format!("{}/{id}", path(&world));
    let page = browser.get(&address).await.expect(200);
    assert!(page.body.contains(&format!("{address}/report.csv")), "{}", page.body);
    assert!(!page.body.contains("p2999@example.edu") && !page.body.contains("=x499"));
    let report = browser.get(&format!("{address}/report.csv")).await.expect(200);
    assert!(report.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
    let lines: Vec<&str> = report.body.trim_end().split("\r\n").collect();
    let headings = lines[0].trim_start_matches('\u{feff}');
    assert_eq!((lines.len(), headings), (3_501, r#""Row","Who","Result","Details""#));
    assert_eq!(lines[3_000], r#""3001","p2999@example.edu","New","""#);
    assert!(lines[3_500].starts_with(r#""3501","'=x499","Rejected","Email "#), "{}", lines[3_500]);
    let reader = signed_in(&world, "reader@example.edu", Role::Reader).await;
    reader.get(&format!("{address}/report.csv")).await.expect(404);
    // The next dry run replaces it.
    let parts = count(&world, "import_files WHERE number < 0").await;
    assert!(parts > 1, "{parts}");
    let here = (world.institution.id, world.page.id);
    imports::check_upload(&world.app, &Actor::Operator, here, id, Mapping::default()).await.unwrap();
    imports::run(&world.app, here.0, id).await.unwrap();
    assert_eq!(count(&world, "import_files WHERE number < 0").await, parts);
}

/// An MP3 or a letter looks like a CSV file with strange columns.
#[tokio::test]
async fn a_file_that_is_no_table_is_refused_in_a_sentence() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let letter: &[u8] = b"Dear all,\nplease find the list attached.\n\nBest wishes\n";
    let sound = wav(1.0);
    let files: [&[u8]; 6] = [SOUND, &sound, letter, b"x", b"\xff\xfe\x00", b"\0rows 1\n{}"];
    for file in files {
        let refused = upload(&browser, &path(&world), file).await.expect(422);
        assert!(refused.body.contains("class=\"fault\" role=\"alert\""), "{}", refused.body);
        assert_eq!(count(&world, "imports").await, 0);
    }
    // Headings that nobody knows are mapped by the manager, and a table may be empty.
    for file in ["Kontakt;Wer\nana@example.edu;Ana\n", "email,first_name\n"] {
        upload(&browser, &path(&world), file.as_bytes()).await.expect(303);
    }
}

#[tokio::test]
async fn undoing_asks_and_says_which_import_and_undoes_no_other_one() {
    let world = World::new().await;
    world.work(1);
    let browser = manager(&world).await;
    let mut addresses = Vec::new();
    for (at, email) in ["ana@example.edu", "bo@example.edu"].into_iter().enumerate() {
        let file = format!("email,first_name\n{email},P{at}\n");
        let address =
            upload(&browser, &path(&world), file.as_bytes()).await.expect(303).location().to_owned();
        let address = address[address.find("/p/").unwrap()..].to_owned();
        let columns = [("line", "1"), ("column-0", "email"), ("column-1", "first_name")];
        browser.post(&address, &columns).await.expect(303);
        settled(&browser, &address).await;
        browser.post(&format!("{address}/run"), &[]).await.expect(303);
        settled(&browser, &address).await;
        addresses.push(address);
    }
    let page = browser.get(&addresses[1]).await.expect(200).body;
    for text in ["<details>", "Undo the import of", "People added", "Yes, undo this import"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    // Whoever looks at an older one does not undo the newer one.
    let refused = browser.post(&format!("{}/undo", addresses[0]), &[]).await.expect(409).body;
    assert!(refused.contains("There is no import that could be undone."), "{refused}");
    assert_eq!(people(&world, world.page.id).await.len(), 2);
    browser.post(&format!("{}/undo", addresses[1]), &[]).await.expect(303);
    settled(&browser, &addresses[1]).await;
    assert_eq!(people(&world, world.page.id).await, ["P0"]);
}
