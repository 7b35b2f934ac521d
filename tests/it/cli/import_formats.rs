//! `endonym import` of spreadsheets, OneRoster bundles and ZIP files, honest and hostile, and its undo.

use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{
    media::wav,
    process::{CommandOutput, Installation, peak_memory},
    sheets::{bomb, ods_of, row, xlsx, xlsx_in_pieces, xlsx_of, xlsx_with_styles, zip_of},
};

const START: [&str; 5] = ["import", "--institution", "example", "--name-page", "class"];

fn import(here: &Installation, file: &str, content: impl AsRef<[u8]>, more: &[&str]) -> CommandOutput {
    here.write(file, content);
    here.run(&[&START[..], &[file, "--json"], more].concat())
}

fn undo(here: &Installation) -> CommandOutput {
    here.run(&[&START[..], &["--undo", "--json"]].concat())
}

fn report(ended: &CommandOutput) -> Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"))
}

fn counts(report: &Value) -> [u64; 3] {
    ["created", "updated", "refused"].map(|key| report[key].as_u64().unwrap())
}

/// All people, from version 5.
async fn everybody(here: &Installation, token: &str) -> Vec<Value> {
    let serving = here.serve(&[]);
    let address =
        format!("{}/api/private/v5/participants?per_page=10000&include=custom_attributes", serving.base);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(address).header("Authorization", token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    answer["Response"]["participants"].as_array().unwrap().clone()
}

fn texts(people: &[Value], key: &str) -> Vec<String> {
    people.iter().map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_workbook_with_formulas_dates_and_numbers_comes_in_as_people_would_type_it() {
    let (here, token) = Installation::on_sqlite_with_token();
    let heading = row(3, &["E-Mail", "Vorname", "Nachname", "Matrikelnummer", "Notizen"]);
    let title = row(1, &["Class of 2027"]);
    let ana = r#"<row r="4"><c r="A4" t="str"><f>LOWER("ANA@EXAMPLE.EDU")</f><v>ana@example.edu</v></c><c r="B4" t="s"><v>0</v></c><c r="C4" t="s"><v>1</v></c><c r="D4"><v>1001</v></c><c r="E4" s="1"><v>45943</v></c></row>"#;
    let bea = r#"<row r="6"><c r="A6" t="inlineStr"><is><t>bea@example.edu</t></is></c><c r="B6" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>"#;
    let cy = r#"<row r="7"><c r="A7" t="inlineStr"><is><t>cy@example.edu</t></is></c><c r="B7" t="s"><v>0</v></c><c r="ZZ7" s="1"/></row>"#;
    let strings =
        "<si><t>Ana &amp; Co&#233;</t></si><si><r><t>Li</t></r><r><t>ma</t></r><rPh><t>aid</t></rPh></si>";
    let file = xlsx_of(&[title.as_str(), heading.as_str(), ana, bea, cy].concat(), strings);
    let ended = import(&here, "people.xlsx", &file, &[]);
    let report = report(&ended);
    assert_eq!(counts(&report), [2, 0, 1], "{report}");
    let lines: Vec<u64> =
        report["rows"].as_array().unwrap().iter().map(|row| row["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [4, 6, 7]);
    assert!(report["rows"][1]["reason"].as_str().unwrap().contains("first_name"), "{report}");
    assert!(ended.stderr.contains("leading zeros"), "{}", ended.stderr);
    let people = everybody(&here, &token).await;
    assert_eq!(texts(&people, "email"), ["ana@example.edu", "cy@example.edu"]);
    assert_eq!((&people[0]["first_name"], &people[0]["last_name"]), (&json!("Ana & Coé"), &json!("Lima")));
    assert_eq!((&people[0]["institution_id"], &people[0]["notes"]), (&json!("1001"), &json!("2025-10-13")));
}

#[tokio::test]
async fn an_ods_table_is_read_without_what_it_only_repeats() {
    let (here, token) = Installation::on_sqlite_with_token();
    let cell = |text: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{text}</text:p></table:table-cell>")
    };
    let empty = r#"<table:table-cell table:number-columns-repeated="16384"/>"#;
    let rows = format!(
        "<table:table-row>{}{}{}{empty}</table:table-row>\
         <table:table-row><table:table-cell office:value-type=\"string\"><office:annotation><text:p>a comment</text:p></office:annotation><text:p>ana@example.edu</text:p></table:table-cell>{}\
         <table:table-cell office:value-type=\"float\" office:value=\"42\"><text:p>42,0</text:p></table:table-cell>{empty}</table:table-row>\
         <table:table-row table:number-rows-repeated=\"1048000\">{empty}</table:table-row>",
        cell("courriel"),
        cell("prénom"),
        cell("matricule"),
        cell("A<text:s text:c=\"1\"/>na &amp; x"),
    );
    let report = report(&import(&here, "people.ods", ods_of(&rows), &[]));
    assert_eq!(counts(&report), [1, 0, 0], "{report}");
    let people = everybody(&here, &token).await;
    assert_eq!((&people[0]["first_name"], &people[0]["institution_id"]), (&json!("A na & x"), &json!("42")));
    assert_eq!(people[0]["email"], "ana@example.edu");
}

const USERS: &str = "sourcedId,status,dateLastModified,enabledUser,username,givenName,familyName,preferredGivenName,preferredFamilyName,identifier,email,password,pronouns,metadata.jp.kanaGivenName,metadata.jp.kanaFamilyName\n\
     u1,active,,true,ana,Anastasia,Lima,Ana,,S-1,ana@example.edu,hunter2,she/her,,\n\
     u2,tobedeleted,,true,bea,Bea,Lima,,,S-2,bea@example.edu,hunter2,,,\n\
     u3,,,true,yui,結衣,佐藤,,,S-3,yui@example.edu,hunter2,,ユイ,サトウ\n\
     u4,,,true,tom,Tom,Teacher,,,,tom@example.edu,hunter2,,,\n";
const ENROLLMENTS: &str = "sourcedId,status,dateLastModified,classSourcedId,schoolSourcedId,userSourcedId,role,primary,beginDate,endDate\n\
     e1,,,c1,s1,u3,student,,,\ne2,,,c1,s1,u4,teacher,,,\ne3,,,c2,s1,u1,student,,,\ne4,tobedeleted,,c1,s1,u1,student,,,\n";

fn bundle() -> Vec<u8> {
    zip_of(&[
        ("manifest.csv", b"propertyName,value\noneroster.version,1.2\n"),
        ("users.csv", USERS.as_bytes()),
        ("enrollments.csv", ENROLLMENTS.as_bytes()),
        ("classes.csv", b"sourcedId,status,title\nc1,,One\nc2,,Two\nc3,,Three\n"),
    ])
}

#[tokio::test]
async fn a_oneroster_bundle_brings_all_users_or_one_class() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "gender_pronouns"]);
    let class = report(&import(&here, "roster.zip", bundle(), &["--class", "c1"]));
    assert_eq!(counts(&class), [1, 0, 0], "{class}");
    let people = everybody(&here, &token).await;
    assert_eq!((&people[0]["first_name"], &people[0]["last_name"]), (&json!("結衣"), &json!("佐藤")));
    assert_eq!(people[0]["phonetic_spelling"], "サトウ ユイ");
    let none = import(&here, "roster.zip", bundle(), &["--class", "c9"]).refused();
    assert!(none.contains("c9"), "{none}");
    assert_eq!(counts(&report(&import(&here, "roster.zip", bundle(), &["--class", "c3"]))), [0, 0, 0]);
    let ended = import(&here, "roster.zip", bundle(), &[]);
    let all = report(&ended);
    assert_eq!(
        (counts(&all), &all["skipped"], &all["unchanged"]),
        ([2, 1, 0], &json!(1), &json!(1)),
        "{all}"
    );
    assert_eq!(ended.code, 0, "somebody who is skipped is no error");
    let people = everybody(&here, &token).await;
    assert_eq!(texts(&people, "email"), ["yui@example.edu", "ana@example.edu", "tom@example.edu"]);
    assert_eq!((&people[1]["first_name"], &people[1]["gender_pronouns"]), (&json!("Ana"), &json!("she/her")));
    assert!(!format!("{people:?}{all}").contains("hunter2"));
    let csv = import(&here, "people.csv", "email,first_name\n", &["--class", "c1"]).refused();
    assert!(csv.contains("OneRoster"), "{csv}");
}

#[tokio::test]
async fn every_encoding_is_read_and_headings_are_corrected_by_the_user() {
    let (here, token) = Installation::on_sqlite_with_token();
    let text = "\u{feff}correo;nombre;apellidos\nana@example.edu;Aña;Ωmega\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(counts(&report(&import(&here, "a.csv", utf16, &[]))), [1, 0, 0]);
    let western = b"E-Mail;Vorname;Name\nbea@example.edu;Zo\xeb;M\xfcller\n";
    assert_eq!(counts(&report(&import(&here, "b.csv", western, &[]))), [1, 0, 0]);
    let odd = "Contact,Called\ncy@example.edu,Cy\n";
    let said = import(&here, "c.csv", odd, &[]).refused();
    assert!(said.contains("--column"), "{said}");
    let mapping = ["--column", "Contact=email", "--column", "Called=first_name"];
    assert_eq!(counts(&report(&import(&here, "c.csv", odd, &mapping))), [1, 0, 0]);
    let said = import(&here, "c.csv", odd, &["--column", "Contact=shoe_size"]).refused();
    assert!(said.contains("shoe_size"), "{said}");
    let people = everybody(&here, &token).await;
    assert_eq!(texts(&people, "first_name"), ["Aña", "Zoë", "Cy"]);
    assert_eq!(texts(&people, "last_name"), ["Ωmega", "Müller", ""]);
}

#[tokio::test]
async fn a_report_says_which_fields_change_and_the_same_file_changes_nothing() {
    let (here, _) = Installation::with_token().await;
    let first =
        "email,first_name,notes,phone_number\nana@example.edu,Ana,Hi,+14155552671\nbea@example.edu,Bea,,\n";
    import(&here, "a.csv", first, &[]).succeeded();
    let same = report(&import(&here, "a.csv", first, &[]));
    assert_eq!((counts(&same), &same["unchanged"]), ([0, 2, 0], &json!(2)));
    let second = "email,first_name,notes,phone_number\nana@example.edu,Anna,Hi,+14155552672\nbea@example.edu,Bea,,\nnone,X,,\n";
    for more in [&["--dry-run"][..], &[]] {
        let report = report(&import(&here, "a.csv", second, more));
        let rows = report["rows"].as_array().unwrap();
        assert_eq!(rows[0]["changed"], json!(["first_name", "phone_number"]), "{report}");
        let outcomes: Vec<&str> = rows.iter().map(|row| row["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["updated", "unchanged", "refused"]);
    }
}

#[tokio::test]
async fn the_last_import_can_be_undone() {
    let (here, token) = Installation::with_token().await;
    assert!(undo(&here).refused().contains("no import"));
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "major"]);
    let first =
        "email,first_name,last_name,custom_major\nana@example.edu,Ana,Lima,Physics\nbea@example.edu,Bea,,\n";
    import(&here, "a.csv", first, &[]).succeeded();
    let before = everybody(&here, &token).await;
    let second = "email,first_name,notes,custom_major\nana@example.edu,Anna,New,Music\nbea@example.edu,Bea,,\ncy@example.edu,Cy,,\n";
    std::fs::create_dir_all(here.path("sounds")).unwrap();
    here.write("sounds/bea@example.edu.wav", wav(1.0));
    here.write("sounds/cy@example.edu.wav", wav(1.0));
    import(&here, "b.csv", second, &["--recordings", "sounds"]).succeeded();
    assert_eq!(everybody(&here, &token).await.len(), 3);
    let undone = report(&undo(&here));
    assert_eq!(undone, json!({ "deleted": 1, "restored": 2, "kept": [] }));
    let after = everybody(&here, &token).await;
    let kept = |people: &[Value]| {
        let keys = ["email", "first_name", "last_name", "notes", "major", "recording_link"];
        people.iter().map(|one| keys.map(|key| one[key].clone())).collect::<Vec<_>>()
    };
    assert_eq!(kept(&after), kept(&before));
    assert!(undo(&here).refused().contains("no import"), "only the last one can be undone, and only once");
    assert_eq!(everybody(&here, &token).await.len(), 2);
}

#[tokio::test]
async fn an_import_is_not_undone_after_somebody_has_changed_what_it_brought() {
    let (here, token) = Installation::with_token().await;
    import(&here, "a.csv", "email,first_name\nana@example.edu,Ana\nbea@example.edu,Bea\n", &[]).succeeded();
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants/bea@example.edu", serving.base);
    let body = json!({ "name_page_id": "class", "participant": { "notes": "Mine" } });
    let answer = client.put(address).header("Authorization", &token).json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{answer:?}");
    drop(serving);
    let said = undo(&here).refused();
    assert!(said.contains("Bea") && said.contains("bea@example.edu") && !said.contains("ana@"), "{said}");
    assert_eq!(everybody(&here, &token).await.len(), 2, "all or nothing");
}

#[tokio::test]
async fn an_import_that_replaced_recordings_is_not_undone() {
    let (here, _) = Installation::with_token().await;
    import(&here, "a.csv", "email,first_name\nana@example.edu,Ana\n", &[]).succeeded();
    let sounds =
        || zip_of(&[("names/ana@example.edu.wav", &wav(1.0)), ("__MACOSX/._ana", b"x"), ("names/.DS", b"x")]);
    here.write("sounds.zip", sounds());
    let words = [&START[..], &["--recordings", "sounds.zip", "--json"]].concat();
    let first = report(&here.run(&words));
    assert_eq!(
        (&first["recordings_stored"], first["recordings"].as_array().unwrap().len()),
        (&json!(1), 1),
        "{first}"
    );
    here.run(&words).succeeded();
    assert!(undo(&here).refused().contains("replaced recordings"));
}

#[tokio::test]
async fn people_and_recordings_are_not_mixed_up() {
    let (here, token) = Installation::on_sqlite_with_token();
    let sounds = zip_of(&[("ana@example.edu.wav", &wav(1.0))]);
    assert!(import(&here, "sounds.zip", sounds, &[]).refused().contains("--recordings"));
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\n");
    let said = here.refuse(&[&START[..], &["--recordings", "people.csv"]].concat());
    assert!(said.contains("ZIP"), "{said}");
    assert_eq!(everybody(&here, &token).await.len(), 0);
}

/// Runs an import. Returns how it ended, and the most memory that it needed, in megabytes.
async fn measured(here: &Installation, more: &[&str]) -> (CommandOutput, u64) {
    let words = [&START[..], more].concat();
    let mut child = here.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    (CommandOutput::from(child.wait_with_output().unwrap()), peak >> 10)
}

/// The same for a file that must be refused. Returns what was said.
async fn hostile(here: &Installation, file: &str) -> (String, u64) {
    let (ended, megabytes) = measured(here, &[file]).await;
    assert!(ended.code > 0, "{file}: {ended:?}");
    (ended.stderr, megabytes)
}

/// Each of these files would need gigabytes if it were believed.
#[tokio::test]
async fn hostile_files_are_refused_in_little_memory_and_bring_nothing() {
    let (here, _) = Installation::on_sqlite_with_token();
    let head = row(1, &["email", "first_name"]);
    let person = |number: usize| row(number, &[&format!("p{number}@example.edu"), "P"]);
    // Some that would fill the memory, and then empty ones, which are read quickly, until they are too many.
    let many_cells = {
        let full = format!("<c t=\"str\"><v>{}</v></c>", "x".repeat(600)).repeat(100);
        let [full, empty] = [full, "<c/>".repeat(1_000)].map(|cells| format!("<row>{cells}</row>"));
        let rows = std::iter::repeat_n(full, 3_000).chain(std::iter::repeat_n(empty, 3_800));
        xlsx_in_pieces(std::iter::once(head.clone()).chain(rows), "")
    };
    let short_row = |number: usize| {
        format!(r#"<row><c t="str"><v>p{number}@example.edu</v></c><c t="str"><v>P</v></c></row>"#)
    };
    let many_rows: String = (2..=200_100).map(short_row).collect();
    let long_text = "x".repeat(40 << 20);
    let pieces = "<r><t>xxxxxxxx</t></r>".repeat(1 << 13);
    let nested = "<a>".repeat(1 << 20);
    let strings = "<si/>".repeat(1_000_100);
    let styles = format!("<cellXfs>{}</cellXfs>", r#"<xf numFmtId="x"/>"#.repeat(70_000));
    let formats: String =
        (0..70_000).map(|id| format!(r#"<numFmt numFmtId="{id}" formatCode="d"/>"#)).collect();
    let cell = "<table:table-cell><text:p>x</text:p></table:table-cell>";
    let files: Vec<(&str, Vec<u8>, &str)> = vec![
        ("cells.xlsx", many_cells, "more than"),
        ("rows.xlsx", xlsx_of(&format!("{head}{many_rows}"), ""), "more than"),
        (
            "text.xlsx",
            xlsx_of(
                &format!("{head}<row r=\"2\"><c t=\"inlineStr\"><is><t>{long_text}</t></is></c></row>"),
                "",
            ),
            "very long text",
        ),
        ("nested.xlsx", xlsx_of(&nested, ""), "nested"),
        ("strings.xlsx", xlsx_of(&head, &strings), "different texts"),
        ("styles.xlsx", xlsx_with_styles(&styles), "more than 65536 styles"),
        ("formats.xlsx", xlsx_with_styles(&formats), "more than 65536 styles"),
        ("comment.xlsx", xlsx_of(&format!("{head}<!-- x -->"), ""), "comments or definitions"),
        ("cut.xlsx", xlsx_of(&head, "").split_last_chunk::<100>().unwrap().0.to_vec(), "damaged"),
        ("order.xlsx", xlsx_of(&format!("{head}{}{}", person(3), person(2)), ""), "order"),
        ("bomb.zip", bomb("users.csv", 520), "larger than"),
        (
            "repeated.ods",
            ods_of(&format!(
                "<table:table-row table:number-rows-repeated=\"1000000000\">{cell}</table:table-row>"
            )),
            "first line",
        ),
        (
            "wide.ods",
            ods_of(
                "<table:table-row><table:table-cell table:number-columns-repeated=\"1000000000\"><text:p>x</text:p></table:table-cell></table:table-row>",
            ),
            "columns",
        ),
    ];
    drop((many_rows, long_text, strings));
    for (name, bytes, why) in files {
        here.write(name, bytes);
        let (said, megabytes) = hostile(&here, name).await;
        println!("{name}: {megabytes} MB: {said}");
        assert!(said.contains(why), "{name}: {said}");
        assert!(megabytes <= 150, "{name}: {megabytes} MB");
    }
    // A cell in many pieces is too long, which only its own row suffers from.
    let file = xlsx_of(&format!("{head}<row r=\"2\"><c t=\"inlineStr\"><is>{pieces}</is></c></row>"), "");
    let refused = import(&here, "pieces.xlsx", file, &[]);
    assert_eq!(counts(&report(&refused)), [0, 0, 1], "{refused:?}");
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 0);
}

/// A file with the name of a recording, which is none and would fill the memory.
#[tokio::test]
async fn a_recording_that_unpacks_to_hundreds_of_megabytes_is_refused_in_little_memory() {
    let here = Installation::on_sqlite();
    here.furnish();
    import(&here, "a.csv", "email,first_name\nana@example.edu,Ana\n", &[]).succeeded();
    here.write("bomb.zip", bomb("names/ana@example.edu.wav", 300));
    let (ended, megabytes) = measured(&here, &["--recordings", "bomb.zip", "--json"]).await;
    let report = report(&ended);
    let counts = ["recordings_stored", "recordings_refused"].map(|key| report[key].as_u64().unwrap());
    assert_eq!(counts, [0, 1], "{report}");
    assert!(megabytes <= 150, "{megabytes} MB");
}

/// A file says that it unpacks to more than it does, or the other way round.
#[tokio::test]
async fn declared_sizes_are_not_believed() {
    let (here, _) = Installation::on_sqlite_with_token();
    let people = xlsx(&[&["email", "first_name"], &["ana@example.edu", "Ana"]]);
    // The uncompressed sizes in the central directory are at offset 24 of each entry.
    let entries: Vec<usize> = people
        .windows(4)
        .enumerate()
        .filter(|(_, bytes)| *bytes == b"PK\x01\x02")
        .map(|(at, _)| at)
        .collect();
    let declared = |size: u32| {
        let mut file = people.clone();
        for at in &entries {
            file[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
        }
        file
    };
    here.write("large.xlsx", declared(1 << 30));
    let (said, megabytes) = hostile(&here, "large.xlsx").await;
    assert!(said.contains("larger than") && megabytes <= 150, "{megabytes} MB: {said}");
    // A file with more entries than anybody needs, of which only the end says so.
    let mut crowded = File::create(here.path("crowded.zip")).unwrap();
    crowded.write_all(b"PK\x03\x04").unwrap();
    crowded.seek(SeekFrom::Start(1 << 20)).unwrap();
    crowded.write_all(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0").unwrap();
    drop(crowded);
    let (said, _) = hostile(&here, "crowded.zip").await;
    assert!(said.contains("files"), "{said}");
    // The same with a second end, which has one entry where nothing is. All entries have the same name.
    let mut two_ends = b"PK\x03\x04".to_vec();
    let entry: [u8; 46] = std::array::from_fn(|at| b"PK\x01\x02".get(at).copied().unwrap_or(0));
    (0..20_001).for_each(|_| two_ends.extend(entry));
    for (entries, start, comment) in [(20_001_u16, 4_u32, 22_u16), (1, u32::MAX - 1, 0)] {
        two_ends.extend(b"PK\x05\x06\0\0\0\0");
        two_ends.extend([entries.to_le_bytes(), entries.to_le_bytes()].concat());
        two_ends.extend((u32::from(entries) * 46).to_le_bytes());
        two_ends.extend(start.to_le_bytes());
        two_ends.extend(comment.to_le_bytes());
    }
    here.write("two-ends.zip", two_ends);
    let (said, _) = hostile(&here, "two-ends.zip").await;
    assert!(said.contains("more than 20000 files"), "{said}");
    import(&here, "people.xlsx", &people, &[]).succeeded();
}

#[tokio::test]
async fn nothing_of_a_file_that_breaks_at_its_end_is_imported() {
    let (here, token) = Installation::with_token().await;
    let head = row(1, &["email", "first_name"]);
    let people: String =
        (2..3_000).map(|number| row(number, &[&format!("p{number}@example.edu"), "P"])).collect();
    let file = xlsx_of(&format!("{head}{people}<row r=\"1\"></row>"), "");
    assert!(import(&here, "late.xlsx", file, &[]).refused().contains("damaged"));
    let mut csv = String::from("email,first_name\n");
    (0..3_000).for_each(|number| csv.push_str(&format!("q{number}@example.edu,Q\n")));
    csv.push_str(&"x,".repeat(300));
    assert!(import(&here, "late.csv", csv, &[]).refused().contains("columns"));
    assert_eq!(everybody(&here, &token).await.len(), 0);
}

#[tokio::test]
async fn nothing_is_imported_into_an_archived_page() {
    let (here, _) = Installation::with_token().await;
    import(&here, "a.csv", "email,first_name\nana@example.edu,Ana\n", &[]).succeeded();
    here.succeed(&["name-page", "archive", "class", "--institution", "example"]);
    let refused = import(&here, "b.csv", "email,first_name\nbea@example.edu,Bea\n", &[]).refused();
    assert!(refused.contains("archived"), "{refused}");
    assert!(undo(&here).refused().contains("archived"));
}
