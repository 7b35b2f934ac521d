//! `endonym person`: exports or erases everything stored about a person.

use std::{collections::BTreeMap, io::Read, os::unix::fs::PermissionsExt, path::Path};

use endonym::{
    domain::ids::{InstitutionId, NamePageId, ParticipantId},
    store::{self, Db, participants::hidden},
};
use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::support::{
    database::{execute, on_postgres},
    media::{file, files, png, wav_of},
    process::{Installation, Serving, on_terminal},
    until,
};

const EMAIL: &str = "Zoë.Trace@Example.edu";
const NUMBER: &str = "+12025550187";

/// Texts that occur only in this person's data.
const MARKS: [&str; 11] = [
    "zoë.trace@example.edu",
    EMAIL,
    "Zébulon-trace",
    "Tracewell",
    "trace-4711",
    "TRAY-swell",
    "a note with a trace",
    "an older trace",
    NUMBER,
    "trace-in-the-lms",
    "https://lms.example.edu/trace.jpg",
];

struct Client5<'a> {
    serving: &'a Serving,
    token: &'a str,
}

impl Client5<'_> {
    async fn ask(&self, method: Method, path: &str, body: Value) -> Value {
        let client = Client::builder().no_proxy().build().unwrap();
        let address = format!("{}/api/private{path}", self.serving.base);
        let request = client.request(method, address).header("Authorization", self.token);
        let answer = if body.is_null() { request } else { request.json(&body) }.send().await.unwrap();
        let status = answer.status();
        let text = answer.text().await.unwrap();
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or(Value::Null)
    }
}

/// With a page `second`, other people on `class`, and a person on both pages who has every kind of data. On `second`
/// they have left the course. Returns the ids of the two registrations.
async fn with_person(here: &Installation, asking: &Client5<'_>) -> Vec<ParticipantId> {
    let page = [
        "name-page",
        "create",
        "--institution",
        "example",
        "--title",
        "Second",
        "--slug",
        "second",
        "--json",
    ];
    here.json(&page);
    let crowd = (0..300).map(|n| format!("First{n},Last{n},p{n}@x.org,I{n}\n")).collect::<String>();
    here.import(&format!("first_name,last_name,email,institution_id\n{crowd}"));
    for (page, hertz) in [("class", 140.0), ("second", 190.0)] {
        let person = json!({ "first_name": "Zébulon-trace", "last_name": "Tracewell", "email": EMAIL,
            "institution_id": "trace-4711", "phonetic": "TRAY-swell", "notes": "an older trace ".repeat(500),
            "phone_number": NUMBER, "pronunciation": file(wav_of(1.0, hertz)), "avatar": file(png()) });
        let body = json!({ "name_page_id": page, "participant": person });
        asking.ask(Method::POST, "/v5/participants", body).await;
        let change = json!({ "notes": "a note with a trace ".repeat(400), "pronunciation": file(wav_of(1.0, hertz * 1.5)) });
        let body = json!({ "name_page_id": page, "participant": change });
        asking.ask(Method::PUT, &format!("/v5/participants/{EMAIL}"), body).await;
    }
    let db = here.database().await;
    let text =
        "SELECT id, name_page_id, institution_id FROM participants WHERE last_name = 'Tracewell' ORDER BY id";
    let whose: Vec<(ParticipantId, NamePageId, InstitutionId)> =
        db.read().rows(text, &[], |row| Ok((row.id(0)?, row.id(1)?, row.id(2)?))).await.unwrap();
    for (n, (id, page, institution)) in whose.iter().copied().enumerate() {
        let n = n as i64;
        for text in [
            format!("INSERT INTO courses (institution_id, id, tool_consumer_id, external_id, title, name_page_id, created_at)
                     VALUES ({institution}, {n}, 7, 'c{n}', 'Course', {page}, 1)"),
            format!("INSERT INTO course_members (institution_id, course_id, user_id, participant_id, photo_url)
                     VALUES ({institution}, {n}, 'trace-in-the-lms', {id}, 'https://lms.example.edu/trace.jpg')"),
            format!("INSERT INTO lti_sessions (session_digest, browser_digest, institution_id, tool_consumer_id, participant_id,
                     role, user_digest, expires_at) VALUES ('s{n}', 'b', {institution}, 7, {id}, 'student', 'u', 9000000000000000)"),
            format!("INSERT INTO calls (institution_id, id, participant_id, phone_number, state, attempts_made, attempts_allowed,
                     created_at) VALUES ({institution}, {n} + 5, {id}, '{NUMBER}', 'failed', 1, 1, 1)"),
            format!("INSERT INTO call_attempts (institution_id, id, call_id, phone_number, state, step_number, started_at)
                     VALUES ({institution}, {n} + 5, {n} + 5, '{NUMBER}', 'failed', 0, 1)"),
        ] {
            execute(&db, text, Vec::new()).await;
        }
    }
    let (_, _, institution) = whose[0];
    let opted_out = format!(
        "INSERT INTO do_not_call (institution_id, phone_number, created_at) VALUES ({institution}, '{NUMBER}', 1)"
    );
    execute(&db, opted_out, Vec::new()).await;
    let (id, page, _) = whose[1];
    let left = db.write::<_, store::Error>(move |sql| {
        Box::pin(async move { hidden::hide(sql, institution, page, &[id]).await })
    });
    left.await.unwrap();
    whose.iter().map(|(id, ..)| *id).collect()
}

async fn export(asking: &Client5<'_>) -> String {
    let made =
        asking.ask(Method::POST, "/v4/exports", json!({ "export": { "name_page_id": "class" } })).await;
    let path = format!("/v4/exports/{}", made["export"]["id"].as_str().unwrap());
    until("the report is there", || async {
        asking.ask(Method::GET, &path, Value::Null).await["export"]["state"] == "completed"
    })
    .await;
    path
}

/// The bytes of every file below a folder; reports are decompressed.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let mut bytes = std::fs::read(folder.join(&name)).unwrap_or_default();
        if name.contains("exports/") {
            let mut plain = Vec::new();
            let mut inflate = flate2::read::DeflateDecoder::new(&bytes[..]);
            // A part has no end marker.
            while matches!(inflate.by_ref().take(4_096).read_to_end(&mut plain), Ok(1..)) {}
            bytes = plain;
        }
        (name, bytes)
    };
    files(folder).into_iter().map(read).collect()
}

fn holds(bytes: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(bytes, what).is_some()
}

/// Every row of every table.
async fn rows(db: &Db) -> String {
    let tables = if on_postgres() {
        "SELECT table_name::TEXT FROM information_schema.tables WHERE table_schema = current_schema() \
         AND table_type = 'BASE TABLE'"
    } else {
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    };
    let mut all = String::new();
    for table in db.read().rows(tables, &[], |row| row.text(0)).await.unwrap() {
        let rows = db.read().rows(&format!("SELECT * FROM {table}"), &[], |row| row.record()).await.unwrap();
        rows.into_iter().for_each(|row| all.push_str(&format!("{table}: {}\n", Value::Object(row))));
    }
    all
}

#[tokio::test]
async fn of_somebody_who_is_erased_no_byte_is_left_in_the_database_or_the_data_folder() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let asking = Client5 { serving: &serving, token: &token };
    let ids = with_person(&here, &asking).await;
    let report = export(&asking).await;
    let (db, data) = (here.database().await, here.path("endonym-data"));
    let before = rows(&db).await;
    let media = bytes(&data.join("blobs"));
    let media: Vec<Vec<u8>> = media
        .into_iter()
        .filter(|(name, bytes)| !name.contains("exports/") && bytes.len() > 100)
        .map(|(_, bytes)| bytes[bytes.len() / 2..][..40].to_vec())
        .collect();
    assert!(media.len() >= 8, "two recordings, two originals, two pictures with thumbnails: {}", media.len());
    for mark in MARKS.iter().filter(|mark| **mark != "an older trace") {
        assert!(before.contains(mark), "{mark} was there");
    }
    assert!(bytes(&data).iter().any(|(name, bytes)| name.contains("exports/") && holds(bytes, b"Tracewell")));

    // Spelled differently: in capitals, and in decomposed Unicode.
    let typed = "ZOE\u{308}.TRACE@EXAMPLE.EDU";
    let said = here.succeed(&["person", "delete", typed, "--institution", "example", "--yes"]);
    assert!(said.contains("2 registrations (1 of courses they had left)"), "{said}");
    assert!(said.contains("stored exports no longer contain them") && said.contains("backups"), "{said}");

    let after = rows(&db).await;
    let folder = bytes(&data);
    for mark in MARKS {
        assert!(!after.contains(mark), "{mark} is in {:?}", after.lines().find(|line| line.contains(mark)));
        for (name, bytes) in &folder {
            assert!(!holds(bytes, mark.as_bytes()), "{mark} is in {name}");
        }
    }
    for piece in &media {
        assert!(folder.values().all(|bytes| !holds(bytes, piece)), "a recording or a picture is left");
    }
    for id in ids {
        for column in ["\"participant_id\":", "\"id\":"] {
            let theirs = format!("{column}{id},");
            let people = after.lines().filter(|line| column.len() > 6 || line.contains("participants: "));
            assert!(people.clone().all(|line| !line.contains(&theirs)), "{theirs}");
        }
    }
    let shown = asking.ask(Method::GET, &report, Value::Null).await.to_string();
    assert!(!shown.contains("Tracewell") && shown.contains("First299"), "everybody else is there");
    let listed = asking.ask(Method::GET, "/v5/participants?per_page=1", Value::Null).await;
    assert_eq!(listed["Response"]["meta"]["total_count"], 300);
    // The opt-out is kept, without the number.
    let person = json!({ "first_name": "Zed", "email": EMAIL, "phone_number": NUMBER });
    let opted_out = "SELECT phone_number FROM do_not_call";
    let kept = db.read().one(opted_out, &[], |row| row.text(0)).await.unwrap().unwrap();
    assert!(kept.starts_with("erased:") && kept.len() == 13, "{kept}");
    asking
        .ask(Method::POST, "/v5/participants", json!({ "name_page_id": "class", "participant": person }))
        .await;
    let institution =
        db.read().one("SELECT id FROM institutions", &[], |row| row.id(0)).await.unwrap().unwrap();
    assert!(store::calls::is_opted_out(&mut db.read(), institution, NUMBER).await.unwrap());
    assert!(!store::calls::is_opted_out(&mut db.read(), institution, "+12025550188").await.unwrap());
    here.succeed(&["calls", "opt-in", NUMBER, "--institution", "example"]);
    assert!(!store::calls::is_opted_out(&mut db.read(), institution, NUMBER).await.unwrap());

    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    for mark in MARKS {
        assert!(!log.contains(mark), "{mark} is in the log");
    }
}

/// Also after a deletion by version 5: deleted data is overwritten, and SQLite's write-ahead log is truncated shortly
/// after.
#[tokio::test]
async fn of_somebody_whom_version_5_deletes_no_byte_is_left_in_a_sqlite_database() {
    let here = Installation::on_sqlite();
    let token = here.furnish();
    let serving = here.serve(&[]);
    let asking = Client5 { serving: &serving, token: &token };
    with_person(&here, &asking).await;
    let data = here.path("endonym-data");
    let left = || {
        let folder = bytes(&data);
        let found = MARKS.iter().filter(|mark| folder.values().any(|bytes| holds(bytes, mark.as_bytes())));
        // The opt-out belongs to the number, not to the registration.
        found.filter(|mark| **mark != NUMBER).copied().collect::<Vec<_>>()
    };
    assert_ne!(left(), [""; 0]);
    for page in ["class", "second"] {
        let path = format!("/v5/participants/{EMAIL}");
        asking.ask(Method::DELETE, &path, json!({ "name_page_id": page })).await;
    }
    until("nothing is left", || async { left().is_empty() }).await;
}

#[tokio::test]
async fn an_export_holds_every_row_and_every_file_and_can_be_opened() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let asking = Client5 { serving: &serving, token: &token };
    with_person(&here, &asking).await;
    let out = here.path("zoe.zip");
    let words = [
        "person",
        "export",
        "zoë.trace@example.edu",
        "--institution",
        "example",
        "--out",
        out.to_str().unwrap(),
    ];
    let said = here.succeed(&words);
    assert!(said.contains("2 registrations and 8 files"), "{said}");
    assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(here.refuse(&words).contains("exists"), "nothing is written over");

    let tested = std::process::Command::new("python3").args(["-m", "zipfile", "-t"]).arg(&out).output();
    assert!(tested.unwrap().status.success(), "another program opens it");
    let mut zip = zip::ZipArchive::new(std::fs::File::open(&out).unwrap()).unwrap();
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap_or_else(|_| panic!("{name}")).read_to_end(&mut bytes).unwrap();
        bytes
    };
    let about: Value = serde_json::from_slice(&read("person.json")).unwrap();
    let text = about.to_string();
    for mark in MARKS.iter().filter(|mark| **mark != "an older trace") {
        assert!(text.contains(mark), "{mark} is in it");
    }
    let [first, second] = &about["registrations"].as_array().unwrap()[..] else { panic!("{about}") };
    assert_eq!((&first["left_the_course"], &second["left_the_course"]), (&json!(false), &json!(true)));
    assert_eq!(second["name_page"], json!({ "title": "Second", "slug": "second" }));
    assert_eq!(first["participant"]["badge_listed"], false);
    assert!(first["participant"]["created_at"].as_str().unwrap().starts_with("20"), "{first}");
    assert_eq!(about["do_not_call"], json!([NUMBER]));
    for one in [first, second] {
        for table in ["calls", "call_attempts", "course_members", "lti_sessions"] {
            assert_eq!(one[table].as_array().unwrap().len(), 1, "{table}");
        }
        let hex = |kind: &str| {
            let media = one["media"].as_array().unwrap();
            media.iter().find(|row| row["kind"] == kind).unwrap()["hex"].as_str().unwrap().to_owned()
        };
        let (recording, photo) = (hex("recording"), hex("photo"));
        assert!(read(&format!("originals/original_{recording}")).starts_with(b"RIFF"));
        assert!(read(&format!("recordings/recording_{recording}.mp3")).len() > 1_000);
        for name in [format!("photos/photo_{photo}.jpg"), format!("photos/photo_{photo}_128.jpg")] {
            assert!(read(&name).starts_with(&[0xff, 0xd8]), "{name}");
        }
    }
}

#[tokio::test]
async fn an_erasure_is_asked_for_and_names_who_is_not_there() {
    let (here, _) = Installation::with_token().await;
    here.import("first_name,email\nAna,ana@x.org\n");
    let words = ["person", "delete", "ana@x.org", "--institution", "example"];
    let there =
        || here.run(&["person", "export", "ana@x.org", "--institution", "example", "--out", "/dev/null/x"]);
    assert!(here.refuse(&words).contains("Pass --yes"));
    assert!(!there().stderr.contains("nobody"));
    assert_ne!(on_terminal(&here, &words, "no\n").code, 0);
    assert!(!there().stderr.contains("nobody"));
    let erased = on_terminal(&here, &words, "yes\n");
    assert!(erased.code == 0 && erased.stdout.contains("erased ana@x.org"), "{erased:?}");
    for words in [&words[..], &[&words[..], &["--yes"]].concat()] {
        assert!(here.refuse(words).contains("nobody in `example` has the email ana@x.org"));
    }
    assert!(there().stderr.contains("nobody"), "{}", there().stderr);
    assert!(
        here.refuse(&["person", "delete", "a@x.org", "--institution", "none", "--yes"])
            .contains("institution list")
    );
}
