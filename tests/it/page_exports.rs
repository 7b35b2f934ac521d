//! Exports of a name page: spreadsheets, archives of recordings, and cards.

use std::io::{Cursor, Read};

use endonym::{
    app::{
        Actor, Error, Links, Missing, Result, audiences,
        page_exports::{self, Format},
        streams::Chunks,
    },
    domain::{
        audience::Audience, language::Language, media::Kind, name_page::NamePageRef, session::PersonId,
    },
};
use serde_json::json;
use zip::ZipArchive;

use crate::{
    pages::SOUND,
    support::{Setup, World, database::execute},
};

/// The file of an export of the world's page.
pub async fn export(world: &World, format: Format) -> Result<Vec<u8>> {
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let (actor, links) = (&Actor::Operator, Links::new("https://names.example.edu"));
    let (institution, language) = (world.institution.id, Language::English);
    let begun = page_exports::export(&world.app, actor, institution, &page, format, &links, language);
    let (mut export, mut file) = (begun.await?, Vec::new());
    while let Some(chunk) = export.next().await? {
        file.extend_from_slice(&chunk);
    }
    assert!(export.next().await?.is_none(), "the end stays the end");
    assert!(export.missing.is_empty(), "{:?}", export.missing);
    Ok(file)
}

async fn text(world: &World, format: Format) -> String {
    String::from_utf8(export(world, format).await.unwrap()).unwrap()
}

/// The headings and the rows of a CSV file.
fn table(file: &str) -> Vec<Vec<String>> {
    let plain = file.strip_prefix('\u{feff}').expect("a byte order mark");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(plain.as_bytes());
    reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

fn archive(file: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let mut archive = ZipArchive::new(Cursor::new(file)).unwrap();
    let read = |at: usize, archive: &mut ZipArchive<Cursor<Vec<u8>>>| {
        let mut file = archive.by_index(at).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        (file.name().unwrap().into_owned(), bytes)
    };
    (0..archive.len()).map(|at| read(at, &mut archive)).collect()
}

/// The part of a spreadsheet that has the cells.
fn sheet(file: Vec<u8>) -> String {
    let parts = archive(file);
    let (_, bytes) = parts.iter().find(|(name, _)| name == "xl/worksheets/sheet1.xml").expect("a sheet");
    String::from_utf8(bytes.clone()).unwrap()
}

async fn add(world: &World, participant: serde_json::Value) -> serde_json::Value {
    world.person_on(&world.page, participant).await
}

async fn pause(world: &World, email: &str) {
    let person = PersonId { institution: world.institution.id, email_key: email.to_owned() };
    audiences::choose(&world.app, &Actor::Operator, person, Audience::Paused).await.unwrap();
}

#[tokio::test]
async fn a_csv_file_has_a_row_for_everybody_with_headings_that_imports_understand() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let ana = add(
        &world,
        json!({ "first_name": "Ana", "last_name": "Lima", "email": "Ana@example.edu", "institution_id": "007",
            "phonetic": "AH-na LEE-ma", "notes": "Two\nlines, \"quoted\"",
            "custom_fields": { "custom_gender_pronouns": "she/her" } }),
    )
    .await;
    let hex = world.give(&ana, Kind::Recording, SOUND).await;
    add(&world, json!({ "first_name": "小龍", "last_name": "李", "email": "li@example.edu" })).await;
    let file = text(&world, Format::Csv).await;
    let rows = table(&file);
    let headings = [
        "email",
        "first_name",
        "last_name",
        "institution_id",
        "phonetic",
        "notes",
        "custom_gender_pronouns",
        "recorded_at",
        "recording_link",
        "name_badge_link",
    ];
    assert_eq!(rows[0], headings);
    let values =
        ["Ana@example.edu", "Ana", "Lima", "007", "AH-na LEE-ma", "Two\nlines, \"quoted\"", "she/her"];
    assert_eq!(rows[1][..7], values);
    let link = format!("https://names.example.edu/audio/{}/recording_{hex}.mp3", world.institution.id);
    assert_eq!(rows[1][8], link);
    assert!(rows[1][9].starts_with("https://names.example.edu/badges/"), "{:?}", rows[1]);
    assert_eq!((rows[2][1].as_str(), rows[2][8].as_str(), rows.len()), ("小龍", "", 3));
}

#[tokio::test]
async fn legal_names_are_columns_where_the_institution_uses_them() {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    add(&world, json!({ "first_name": "Ana", "email": "ana@example.edu", "legal_first_name": "Anastasia" }))
        .await;
    let rows = table(&text(&world, Format::Csv).await);
    let column = rows[0].iter().position(|heading| heading == "legal_first_name").unwrap();
    assert_eq!(rows[1][column], "Anastasia");
}

#[tokio::test]
async fn no_cell_becomes_a_formula_or_a_link() {
    let world = World::new().await;
    let attack = "=HYPERLINK(\"https://evil.example\",\"x\")";
    add(
        &world,
        json!({ "first_name": attack, "last_name": "@SUM(1)", "email": "+a@example.edu", "notes": "-1+1" }),
    )
    .await;
    add(&world, json!({ "first_name": "https://evil.example", "email": "b@example.edu" })).await;
    let rows = table(&text(&world, Format::Csv).await);
    assert_eq!(rows[1][..3], ["'+a@example.edu".to_owned(), format!("'{attack}"), "'@SUM(1)".to_owned()]);
    assert_eq!(rows[1][5], "'-1+1");
    let sheet = sheet(export(&world, Format::Xlsx).await.unwrap());
    assert!(!sheet.contains("<f>") && !sheet.contains("<hyperlink"), "{sheet}");
    assert!(
        sheet.contains("=HYPERLINK(") && sheet.contains("https://evil.example"),
        "they are text\n{sheet}"
    );
}

#[tokio::test]
async fn a_spreadsheet_has_everybody_as_text() {
    let world = World::new().await;
    add(&world, json!({ "first_name": "Ana", "email": "ana@example.edu", "institution_id": "0012" })).await;
    world.crowd(&world.page, 0..1_200).await;
    let sheet = sheet(export(&world, Format::Xlsx).await.unwrap());
    assert_eq!(sheet.matches("<row ").count(), 1_202, "the headings, and more people than one batch");
    assert!(sheet.contains("inlineStr") && sheet.contains(">0012<"), "no number lost its zeros");
    assert!(!sheet.contains("<v>"), "every cell is text");
}

#[tokio::test]
async fn an_archive_has_the_audible_recordings_under_the_peoples_names() {
    let world = World::new().await;
    for (first, last, email) in [
        ("Ana", "Lima", "ana@example.edu"),
        ("Ana", "Lima", "ana2@example.edu"),
        ("小龍", "李", "li@example.edu"),
        ("..", "../../etc/passwd", "evil@example.edu"),
        ("Paula", "Paused", "paula@example.edu"),
    ] {
        let person = add(&world, json!({ "first_name": first, "last_name": last, "email": email })).await;
        world.give(&person, Kind::Recording, SOUND).await;
    }
    add(&world, json!({ "first_name": "No", "last_name": "Recording", "email": "no@example.edu" })).await;
    pause(&world, "paula@example.edu").await;
    let files = archive(export(&world, Format::Zip).await.unwrap());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Lima_Ana.mp3", "Lima_Ana_2.mp3", "李_小龍.mp3", "-..-etc-passwd_.mp3"]);
    assert!(files.iter().all(|(_, bytes)| bytes == SOUND));
    let rows = table(&text(&world, Format::Csv).await);
    let paula = rows.iter().find(|row| row[1] == "Paula").unwrap();
    assert_eq!((paula[6].as_str(), paula[7].as_str()), ("", ""), "no link while nobody may hear it");
    let cards = text(&world, Format::Vcard).await;
    assert_eq!((cards.matches("BEGIN:VCARD").count(), cards.matches("\r\nSOUND;").count()), (6, 4));
}

#[tokio::test]
async fn a_recording_that_is_gone_is_left_out_and_reported() {
    let world = World::new().await;
    let ana =
        add(&world, json!({ "first_name": "Ana", "last_name": "Lima", "email": "ana@example.edu" })).await;
    world.give(&ana, Kind::Recording, SOUND).await;
    let lost = "0".repeat(32);
    let text = "UPDATE participants SET recording = $1 WHERE institution_id = $2";
    execute(&world.app.db, text, vec![lost.into(), world.institution.id.into()]).await;
    let page = NamePageRef::parse(&world.page.slug).unwrap();
    let (institution, links) = (world.institution.id, &world.app.links);
    let (actor, format) = (&Actor::Operator, Format::Zip);
    let begun = page_exports::export(&world.app, actor, institution, &page, format, links, Language::English);
    let (mut export, mut file) = (begun.await.unwrap(), Vec::new());
    while let Some(chunk) = export.next().await.unwrap() {
        file.extend_from_slice(&chunk);
    }
    assert_eq!(export.missing, ["Lima_Ana.mp3"]);
    assert!(archive(file).is_empty());
}

#[tokio::test]
async fn cards_have_name_pronunciation_pronouns_and_email() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let ana = add(
        &world,
        json!({ "first_name": "Ana", "last_name": "Lima; Silva", "email": "ana@example.edu",
            "phonetic": "AH-na LEE-ma SIL-va", "custom_fields": { "custom_gender_pronouns": "she/her" } }),
    )
    .await;
    world.give(&ana, Kind::Recording, SOUND).await;
    add(&world, json!({ "last_name": "李", "email": "li@example.edu" })).await;
    let file = text(&world, Format::Vcard).await;
    assert!(file.split("\r\n").all(|line| line.len() <= 75 && !line.contains('\n')), "{file}");
    let unfolded = file.replace("\r\n ", "");
    assert_eq!(unfolded.matches("BEGIN:VCARD\r\nVERSION:4.0\r\n").count(), 2);
    assert_eq!(unfolded.matches("END:VCARD\r\n").count(), 2);
    for line in [
        "FN:Ana Lima\\; Silva",
        "N;ALTID=1:Lima\\; Silva;Ana;;;;;",
        "N;ALTID=1;PHONETIC=script;SCRIPT=Latn:LEE-ma SIL-va;AH-na;;;;;",
        "PRONOUNS:she/her",
        "EMAIL:ana@example.edu",
        "NOTE:Say it like this: AH-na LEE-ma SIL-va",
        "FN:李",
        "N:李;;;;",
    ] {
        assert!(unfolded.contains(&format!("\r\n{line}\r\n")), "{line}\n{unfolded}");
    }
    assert_eq!(unfolded.matches("\r\nSOUND;VALUE=uri;MEDIATYPE=audio/mpeg:https://").count(), 1);
}

#[tokio::test]
async fn an_empty_page_is_an_empty_file_of_its_format() {
    let world = World::new().await;
    assert_eq!(table(&text(&world, Format::Csv).await).len(), 1, "only the headings");
    assert_eq!(text(&world, Format::Vcard).await, "");
    assert!(archive(export(&world, Format::Zip).await.unwrap()).is_empty());
    assert_eq!(sheet(export(&world, Format::Xlsx).await.unwrap()).matches("<row ").count(), 1);
}

#[tokio::test]
async fn only_people_of_the_page_are_exported_and_pages_of_others_are_not_found() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let second = world.page("Second").await;
    world.person("Ana", "ana@example.edu").await;
    world.person_on(&second, json!({ "first_name": "Ben", "email": "ben@example.edu" })).await;
    let rows = table(&text(&world, Format::Csv).await);
    assert_eq!((rows.len(), rows[1][0].as_str()), (2, "ana@example.edu"));
    let theirs = NamePageRef::parse(&neighbor.page.slug).unwrap();
    let (institution, links) = (world.institution.id, &world.app.links);
    let (actor, format) = (&Actor::Operator, Format::Csv);
    let refused =
        page_exports::export(&world.app, actor, institution, &theirs, format, links, Language::English).await;
    assert!(matches!(refused.map(drop), Err(Error::Missing(Missing::NamePage))));
}
