//! `endonym import`

use std::{
    fs::File,
    io::{BufWriter, Write},
    process::Stdio,
    time::Duration,
};

use endonym::domain::participant::TEXT_FIELDS;
use reqwest::Client;
use serde_json::{Value, json};

use super::keys;
use crate::support::process::{CommandOutput, Installation, on_terminal, peak_memory};

fn import(here: &Installation, content: impl AsRef<[u8]>, more: &[&str]) -> CommandOutput {
    here.write("people.csv", content);
    here.run(&[&["import", "--institution", "example", "--name-page", "class", "people.csv"], more].concat())
}

/// The report of an import that may have rejected rows: the JSON object, regardless of the exit code.
fn report(ended: &CommandOutput) -> Value {
    let report: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|e| panic!("{e}: {ended:?}"));
    let refused = report["refused"].as_u64().unwrap();
    assert_eq!(ended.code > 0, refused > 0, "the exit tells whether a row was refused: {ended:?}");
    report
}

fn counts(report: &Value) -> (u64, u64, u64) {
    let count = |key: &str| report[key].as_u64().unwrap();
    (count("created"), count("updated"), count("refused"))
}

/// All people with custom values, from version 5.
async fn everybody(here: &Installation, token: &str) -> Vec<Value> {
    let serving = here.serve(&[]);
    let address =
        format!("{}/api/private/v5/participants?per_page=10000&include=custom_attributes", serving.base);
    let client = Client::builder().no_proxy().build().unwrap();
    let answer = client.get(address).header("Authorization", token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    let people = answer["Response"]["participants"].as_array().unwrap().clone();
    assert_eq!(answer["Response"]["meta"]["total_count"].as_u64().unwrap(), people.len() as u64);
    people
}

#[tokio::test]
async fn all_columns_in_any_order() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "pronouns"]);
    let file = "custom_pronouns,notes,email,phone_number,institution_id,last_name,phonetic,first_name\n\
                she/her,\"Says \"\"hi\"\", often\",Ana@Example.edu,+14155552671,S-1,Lima,AH-na,Ana\n";
    let report = report(&import(&here, file, &["--json"]));
    assert_eq!(keys(&report), ["created", "dry_run", "refused", "rows", "updated"]);
    let rows = json!([{ "line": 2, "email": "Ana@Example.edu", "outcome": "created", "reason": null }]);
    let wanted = json!({ "rows": rows, "created": 1, "updated": 0, "refused": 0, "dry_run": false });
    assert_eq!(report, wanted);
    let people = everybody(&here, &token).await;
    assert_eq!(people.len(), 1);
    let ana = &people[0];
    assert_eq!((&ana["first_name"], &ana["last_name"]), (&json!("Ana"), &json!("Lima")));
    assert_eq!((&ana["email"], &ana["institution_id"]), (&json!("ana@example.edu"), &json!("S-1")));
    assert_eq!((&ana["phonetic_spelling"], &ana["pronouns"]), (&json!("AH-na"), &json!("she/her")));
    assert_eq!(ana["notes"], "Says \"hi\", often");
}

#[tokio::test]
async fn separators_marks_and_spellings_of_headings() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "pronouns"]);
    let files: [&str; 6] = [
        "\u{feff}email,first_name,custom_pronouns\na@example.edu,A,she\n",
        "\u{feff}\"email\";\"first_name\";\"custom_pronouns\"\n\"b@example.edu\";\"B\";\"she\"\n",
        "email\tfirst_name\tcustom_pronouns\nc@example.edu\tC\tshe\n",
        "EMAIL, First_Name ,Custom_Pronouns\r\n d@example.edu , D , she \r\n",
        "Email;First Name;Custom Pronouns\ne@example.edu;E;she",
        "first-name,E-mail,email,custom_pronouns\nF,ignored,f@example.edu,she\n\n\n",
    ];
    for file in files {
        let ended = import(&here, file, &["--json"]);
        assert_eq!(counts(&report(&ended)), (1, 0, 0), "{file:?}: {ended:?}");
    }
    let people = everybody(&here, &token).await;
    let names: Vec<&str> = people.iter().map(|one| one["first_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["A", "B", "C", "D", "E", "F"]);
    assert!(people.iter().all(|one| one["pronouns"] == "she"), "{people:?}");
}

#[tokio::test]
async fn a_column_that_nobody_knows_is_said_and_passed_over() {
    let (here, token) = Installation::on_sqlite_with_token();
    let ended = import(&here, "email,shoe size,first_name\nana@example.edu,38,Ana\n", &["--json"]);
    assert_eq!(counts(&report(&ended)), (1, 0, 0));
    assert!(ended.stderr.contains("`shoe size`"), "{}", ended.stderr);
    assert_eq!(everybody(&here, &token).await[0]["first_name"], "Ana");
}

#[tokio::test]
async fn files_that_are_no_list_of_people_are_refused_whole() {
    let (here, token) = Installation::on_sqlite_with_token();
    let refused = |content: &[u8]| import(&here, content, &["--json"]).refused();
    assert!(refused(b"first_name,last_name\nAna,Lima\n").contains("`email`"));
    assert!(refused(b"email,notes\nana@example.edu,hello\n").contains("first_name"));
    assert!(refused(b"").contains("first line"));
    assert!(refused(b"ana@example.edu,Ana\nbea@example.edu,Bea\n").contains("first line"));
    assert!(refused(b"email,first_name,email\na@example.edu,A,b@example.edu\n").contains("duplicate column"));
    let said = refused(b"email,first_name,custom_shoe_size\na@example.edu,A,38\n");
    assert!(said.contains("custom-field create") && said.contains("shoe_size"), "{said}");
    assert!(refused(b"%PDF-1.7\n").contains("PDF"));
    assert!(refused(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1").contains("XLS"));
    let elsewhere = |words: &[&str]| here.refuse(&[&["import", "--json"], words].concat());
    assert!(
        elsewhere(&["--institution", "example", "--name-page", "class", "nowhere.csv"])
            .contains("nowhere.csv")
    );
    assert!(elsewhere(&["--institution", "example", "--name-page", "class", "."]).contains("cannot read"));
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\n");
    assert!(elsewhere(&["--institution", "example", "--name-page", "none", "people.csv"]).contains("`none`"));
    assert!(
        elsewhere(&["--institution", "nobody", "--name-page", "class", "people.csv"]).contains("`nobody`")
    );
    assert_eq!(everybody(&here, &token).await.len(), 0);
}

/// Each rejected row is reported with its line number, as shown by editors; the others are imported.
#[tokio::test]
async fn a_row_that_is_wrong_does_not_stop_the_others() {
    let (here, token) = Installation::with_token().await;
    let mut file = b"email,first_name,institution_id,phone_number,notes\n".to_vec();
    for row in [
        // A character beyond ASCII shows that the file is UTF-8.
        "one@example.edu,One,S-1,,né",
        "no address,Two,,,",
        "three@example.edu,,,,",
        ",Four,,,",
        "five@example.edu,Five,S-1,,",
        "six@example.edu,Six,,12,",
        "seven@example.edu,Seven,,,\"two\nlines\"",
    ] {
        file.extend_from_slice(row.as_bytes());
        file.push(b'\n');
    }
    // Line 10, because the note before contains a line break.
    file.extend_from_slice(b"nine@example.edu,N\xef\xbfne,,,\n");
    file.extend_from_slice("ten@example.edu,bell\u{7},,,\n".as_bytes());
    file.extend_from_slice(b"eleven@example.edu,Eleven\n");
    let ended = import(&here, &file, &["--json"]);
    let report = report(&ended);
    let rows = report["rows"].as_array().unwrap();
    let told: Vec<(u64, &str)> =
        rows.iter().map(|row| (row["line"].as_u64().unwrap(), row["outcome"].as_str().unwrap())).collect();
    let wanted = [
        (2, "created"),
        (3, "refused"),
        (4, "refused"),
        (5, "refused"),
        (6, "refused"),
        (7, "refused"),
        (8, "created"),
        (10, "refused"),
        (11, "refused"),
        (12, "created"),
    ];
    assert_eq!(told, wanted);
    assert_eq!(counts(&report), (3, 0, 7));
    let why = |line: u64| {
        let row = rows.iter().find(|row| row["line"] == line).unwrap();
        row["reason"].as_str().unwrap().to_owned()
    };
    assert_eq!(why(3), "email is invalid");
    assert_eq!(why(4), "first_name can't be blank");
    assert_eq!(why(5), "email can't be blank");
    assert_eq!(why(6), "institution_id has already been taken");
    assert_eq!(why(7), "phone_number is not a valid phone number with a country code, like +12025550123");
    assert!(why(10).contains("UTF-8"), "{}", why(10));
    assert_eq!(why(11), "first_name is invalid: it contains a control character");
    let people = everybody(&here, &token).await;
    let names: Vec<&str> = people.iter().map(|one| one["first_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["One", "Seven", "Eleven"]);
    assert_eq!(people[1]["notes"], "two\nlines");
}

#[tokio::test]
async fn a_person_reads_one_line_for_each_row_and_a_sum() {
    let (here, _) = Installation::on_sqlite_with_token();
    let ended = import(&here, "email,first_name\nana@example.edu,Ana\nnonsense,Bea\n", &[]);
    assert!(ended.code > 0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].contains("line 2") && lines[0].contains("ana@example.edu"));
    assert!(lines[1].contains("line 3") && lines[1].contains("email is invalid"));
    assert!(lines[2].contains("1 created") && lines[2].contains("1 refused"));
}

/// Windows ends lines with CR LF, old Macs with CR.
#[tokio::test]
async fn lines_are_counted_as_editors_count_them() {
    let (here, _) = Installation::on_sqlite_with_token();
    let lines = |file: &str| {
        let report = report(&import(&here, file, &["--json", "--dry-run"]));
        let rows = report["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| row["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(lines("email,first_name\na@x.org,A\nb@x.org,B\nc@x.org,C\n"), [2, 3, 4]);
    assert_eq!(lines("email,first_name\r\na@x.org,A\r\nb@x.org,B\r\nc@x.org,C\r\n"), [2, 3, 4]);
    assert_eq!(lines("email,first_name\na@x.org,A\n\n\nb@x.org,B\n,,\nc@x.org,C\n"), [2, 5, 7]);
    assert_eq!(lines("email,first_name\r\na@x.org,\"A\r\nA\"\r\nb@x.org,B\r\n"), [2, 4]);
}

#[tokio::test]
async fn who_is_there_already_is_updated_and_empty_cells_change_nothing() {
    let (here, token) = Installation::with_token().await;
    for field in ["pronouns", "major"] {
        here.succeed(&["custom-field", "create", "--institution", "example", "--name", field]);
    }
    let first = "email,first_name,last_name,notes,institution_id,custom_pronouns,custom_major\n\
                 Ana@example.edu,Ana,Lima,Hello,S-1,she,Physics\n\
                 bea@example.edu,Bea,,,,,\n";
    assert_eq!(counts(&report(&import(&here, first, &["--json"]))), (2, 0, 0));
    let second = "email,first_name,notes,custom_pronouns,institution_id\n\
                  ANA@EXAMPLE.EDU,Anna,,they,S-99\n\
                  cea@example.edu,Cea,,,\n\
                  bea@example.edu,,New,,\n";
    let report = report(&import(&here, second, &["--json"]));
    assert_eq!(counts(&report), (1, 2, 0), "{report}");
    let people = everybody(&here, &token).await;
    assert_eq!(people.len(), 3);
    let ana = &people[0];
    assert_eq!((&ana["first_name"], &ana["last_name"]), (&json!("Anna"), &json!("Lima")));
    assert_eq!((&ana["notes"], &ana["pronouns"]), (&json!("Hello"), &json!("they")));
    assert_eq!(ana["major"], "Physics", "custom values are merged");
    assert_eq!(ana["email"], "ana@example.edu", "an update never changes who somebody is");
    assert_eq!(ana["institution_id"], "S-1");
    assert_eq!((&people[1]["first_name"], &people[1]["notes"]), (&json!("Bea"), &json!("New")));
}

#[tokio::test]
async fn a_dry_run_tells_the_same_and_changes_nothing() {
    let (here, token) = Installation::with_token().await;
    import(&here, "email,first_name\nana@example.edu,Ana\n", &[]).succeeded();
    let file =
        "email,first_name\nana@example.edu,Anna\nbea@example.edu,Bea\nnonsense,X\nbea@example.edu,Bee\n";
    let dry = report(&import(&here, file, &["--json", "--dry-run"]));
    assert_eq!(dry["dry_run"], true);
    assert_eq!(counts(&dry), (1, 2, 1));
    let people = everybody(&here, &token).await;
    assert_eq!((people.len(), &people[0]["first_name"]), (1, &json!("Ana")));
    let said = import(&here, "email,first_name\nbea@example.edu,Bea\n", &["--dry-run"]).succeeded();
    assert!(said.contains("dry run"), "{said}");
    let wet = report(&import(&here, file, &["--json"]));
    assert_eq!(wet["rows"], dry["rows"]);
    let people = everybody(&here, &token).await;
    assert_eq!(
        (people.len(), &people[0]["first_name"], &people[1]["first_name"]),
        (2, &json!("Anna"), &json!("Bee"))
    );
}

/// A person's second row updates the first, regardless of the distance.
#[tokio::test]
async fn a_dry_run_of_a_long_file_tells_the_same() {
    let (here, _) = Installation::with_token().await;
    let rows: String = (0..600).map(|i| format!("p{}@example.edu,P\n", i % 550)).collect();
    let file = format!("email,first_name\n{rows}");
    let dry = report(&import(&here, &file, &["--json", "--dry-run"]));
    let wet = report(&import(&here, &file, &["--json"]));
    assert_eq!(counts(&wet), (550, 50, 0));
    assert_eq!(counts(&dry), counts(&wet));
}

#[tokio::test]
async fn legal_names_come_in_where_the_institution_may_have_them() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["institution", "update", "example", "--multiple-recordings"]);
    let file = "email,first_name,legal_first_name,legal_notes\nana@example.edu,Ana,Anastasia,Since 2020\n";
    assert_eq!(counts(&report(&import(&here, file, &["--json"]))), (1, 0, 0));
    let ana = &everybody(&here, &token).await[0];
    assert_eq!((&ana["legal_first_name"], &ana["legal_notes"]), (&json!("Anastasia"), &json!("Since 2020")));
}

#[tokio::test]
async fn every_text_field_is_a_column_and_the_help_names_it() {
    let (here, token) = Installation::on_sqlite_with_token();
    here.succeed(&["institution", "update", "example", "--multiple-recordings"]);
    let help = here.succeed(&["import", "--help"]);
    let (mut headings, mut cells) = (vec!["email"], vec!["ana@example.edu".to_owned()]);
    for field in &TEXT_FIELDS {
        assert!(help.contains(if field.is_legal { "legal_" } else { field.key }), "{}: {help}", field.key);
        headings.push(field.key);
        cells.push(format!("a {}", field.column));
    }
    let ended = import(&here, format!("{}\n{}\n", headings.join(","), cells.join(",")), &["--json"]);
    assert_eq!(ended.stderr, "");
    assert_eq!(counts(&report(&ended)), (1, 0, 0));
    let ana = &everybody(&here, &token).await[0];
    for cell in cells {
        assert!(ana.as_object().unwrap().values().any(|value| *value == cell), "{cell}: {ana}");
    }
}

#[tokio::test]
async fn a_progress_bar_on_a_terminal_and_none_elsewhere() {
    let (here, _) = Installation::on_sqlite_with_token();
    let rows: String = (0..600).map(|i| format!("p{i}@example.edu,P\n")).collect();
    let file = format!("email,first_name\n{rows}");
    let ended = import(&here, &file, &["--dry-run"]);
    assert!(ended.stderr.is_empty(), "{}", ended.stderr);
    let words = ["import", "--institution", "example", "--name-page", "class", "people.csv", "--dry-run"];
    let shown = on_terminal(&here, &words, "");
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains('%') && shown.stdout.contains("600 created"), "no bar was seen");
}

#[tokio::test]
async fn imports_while_the_server_runs() {
    let (here, token) = Installation::with_token().await;
    // A request waits for a transaction of an import, which may take long on a slow machine.
    let serving = here.serve(&["--database-timeout-seconds", "60"]);
    let client = Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants", serving.base);
    let start = |file: &str, first: usize| {
        let rows: String = (first..first + 700).map(|i| format!("p{i}@example.edu,P\n")).collect();
        let path = here.write(file, format!("email,first_name\n{rows}"));
        let words = ["import", "--institution", "example", "--name-page", "class", path.to_str().unwrap()];
        here.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut children = [start("a.csv", 0), start("b.csv", 10_000)];
    let mut made = 0;
    // The service is in use during the import.
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        let body = json!({ "name_page_id": "class", "participant": { "first_name": "Q", "email": format!("q{made}@example.edu") } });
        let answer = client.post(&address).header("Authorization", &token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), 201);
        made += 1;
    }
    for child in children {
        CommandOutput::from(child.wait_with_output().unwrap()).succeeded();
    }
    assert!(made > 0);
    let answer = client.get(&address).header("Authorization", &token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["Response"]["meta"]["total_count"], 1_400 + made);
}

/// A file that is three times as long needs hardly more memory. The shorter one fills the database's cache; the file is
/// read by the same code on both databases.
#[tokio::test]
async fn a_long_file_streams_through_bounded_memory() {
    let (here, _) = Installation::on_sqlite_with_token();
    let note = "A note that is long. ".repeat(430);
    // The size of a file of so many rows, and the memory that its import takes at most, in kilobytes.
    let measure = async |rows: std::ops::Range<usize>| {
        let mut file = BufWriter::new(File::create(here.path("people.csv")).unwrap());
        writeln!(file, "email,first_name,last_name,institution_id,notes").unwrap();
        for i in rows {
            writeln!(file, "person{i}@example.edu,Person,Number {i},S-{i},{note}").unwrap();
        }
        let size = file.into_inner().unwrap().metadata().unwrap().len() / 1024;
        let words = ["import", "--institution", "example", "--name-page", "class", "people.csv"];
        let mut child = here.command(&words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak.max(peak_memory(child.id()).unwrap_or(0));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let ended = CommandOutput::from(child.wait_with_output().unwrap());
        assert_eq!(ended.code, 0, "{ended:?}");
        (size, peak)
    };
    let (short, before) = measure(0..2_000).await;
    let (long, peak) = measure(2_000..8_000).await;
    let grown = peak.saturating_sub(before);
    println!("{short} kB: {before} kB at most; {long} kB: {peak} kB");
    assert!(before > 0 && grown * 2 < long - short, "{grown} kB more for {long} kB instead of {short} kB");
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 8_000);
}
