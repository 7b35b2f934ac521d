//! Exports: requested, built by a worker, and available until they expire.

use endonym::app::Actor;
use std::{collections::BTreeSet, io::Read, time::Duration};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{JULY, hex, not_found, path};
use crate::support::{Answer, Setup, World, database::execute, keys, until};

async fn ask(world: &World, filters: Value) -> String {
    let made = world.post("/v4/exports", json!({ "export": filters })).await.expect(202);
    made["export"]["id"].as_str().unwrap().to_owned()
}

async fn state(world: &World, id: &str) -> String {
    let shown = world.get(&format!("/v4/exports/{id}")).await.expect(200);
    shown["export"]["state"].as_str().unwrap().to_owned()
}

/// Waits until an export is done, and returns it with its report.
async fn completed(world: &World, id: &str) -> Value {
    until("the export is completed", || async { state(world, id).await == "completed" }).await;
    world.get(&format!("/v4/exports/{id}")).await.expect(200)["export"].clone()
}

async fn bytes(world: &World, path: &str, encoding: &str) -> (reqwest::header::HeaderMap, Vec<u8>) {
    let request = world.request(Method::GET, path).header("Accept-Encoding", encoding);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    let headers = response.headers().clone();
    (headers, response.bytes().await.unwrap().to_vec())
}

/// Decompressed as a single gzip stream.
fn unzipped(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

fn names(report: &Value) -> Vec<&str> {
    report.as_array().unwrap().iter().map(|person| person["first_name"].as_str().unwrap()).collect()
}

/// Reports have a part for every thirty of the people of `crowd`.
pub async fn world_of_small_parts() -> World {
    World::with(Setup { export_part_bytes: 64 << 10, ..Setup::default() }).await
}

/// So many people with long notes.
pub async fn crowd(world: &World, count: usize) {
    world.crowd_with_notes(&world.page, 0..count, &"a word and another ".repeat(100)).await;
}

async fn count_parts(world: &World) -> i64 {
    let parts = "SELECT COUNT(*) FROM export_parts";
    world.app.db.read().one(parts, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn an_export_is_asked_for_waits_is_built_and_has_a_report() {
    let world = World::new().await;
    world.person("Siobhán", "siobhan@x.org").await;

    let answer = world.post("/v4/exports", json!({ "export": { "name_page_id": world.page.slug } })).await;
    let made = answer.expect(202);
    assert_eq!(keys(&made), ["export", "meta"]);
    assert_eq!(keys(&made["export"]), ["created_at", "expires_at", "id", "name_page_id", "state"]);
    assert_eq!(made["export"]["state"], "initial");
    assert_eq!(made["export"]["name_page_id"], world.page.slug);
    let id = made["export"]["id"].as_str().unwrap();
    assert_eq!(made["meta"]["link"], format!("{}/api/private/v4/exports/{id}", world.base));

    let waiting = world.get(path(&made["meta"]["link"])).await.expect(200);
    assert_eq!(waiting, json!({ "export": made["export"] }), "no report yet");

    world.work(1);
    let done = completed(&world, id).await;
    assert_eq!(done["report"].as_array().unwrap().len(), 1);
    let mut as_before = done.clone();
    as_before.as_object_mut().unwrap().remove("report");
    as_before["state"] = json!("initial");
    assert_eq!(as_before, made["export"], "nothing else has changed");
}

#[tokio::test]
async fn a_report_has_the_full_read_shape_with_custom_attributes() {
    let world = World::new().await;
    world.custom_field("gender_pronouns").await;
    let other = world.page("Another page").await;
    for (page, email) in [(&world.page, "a@x.org"), (&world.page, "b@x.org"), (&other, "a@x.org")] {
        let person = json!({
            "first_name": "Ana", "last_name": "\"Ō̂\" \\ ☂ <b>", "email": email, "notes": "one\ntwo",
            "custom_fields": { "custom_gender_pronouns": "she/her" },
        });
        world.person_on(page, person).await;
    }
    world.record(&world.page, "a@x.org", &hex('a'), JULY).await;
    world.work(1);

    let id = ask(&world, json!({ "created_after": "2000-01-01T00:00:00Z" })).await;
    let report = completed(&world, &id).await["report"].clone();
    let listed = world.get("/v4/participants?include=custom_attributes&per_page=100").await.expect(200);
    assert_eq!(report, listed["participants"]);
    assert_eq!(report.as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn filters_act_together_and_are_echoed() {
    let world = World::new().await;
    let other = world.page("Another page").await;
    for (page, name) in [(&world.page, "old"), (&world.page, "new"), (&other, "new elsewhere")] {
        let email = format!("{}@x.org", name.replace(' ', "-"));
        world.person_on(page, json!({ "first_name": name, "email": email })).await;
    }
    let text = "UPDATE participants SET created_at = $1, updated_at = $1 WHERE email_key = 'old@x.org'";
    execute(&world.app.db, text, vec![JULY.into()]).await;
    world.work(2);

    for (filters, wanted) in [
        (json!({ "name_page_id": world.page.access_code }), vec!["old", "new"]),
        (json!({ "created_after": "2026-07-01T12:00:00Z" }), vec!["new", "new elsewhere"]),
        (json!({ "created_after": "2026-07-01T11:59:59.999Z" }), vec!["old", "new", "new elsewhere"]),
        (json!({ "updated_after": "2026-07-01T12:00:00Z", "name_page_id": world.page.id }), vec!["new"]),
        (json!({ "updated_after": "2026-07-01T12:00:00Z", "created_after": "2999-01-01T00:00:00Z" }), vec![]),
        (
            json!({ "updated_after": "2026-07-01T13:59:59+02:00", "created_after": null, "name_page_id": "" }),
            vec!["old", "new", "new elsewhere"],
        ),
    ] {
        let id = ask(&world, filters.clone()).await;
        let done = completed(&world, &id).await;
        assert_eq!(names(&done["report"]), wanted, "{filters}");
        for (name, value) in filters.as_object().unwrap() {
            match value {
                Value::Null => assert_eq!(done.get(name), None),
                Value::String(text) if text.is_empty() => assert_eq!(done.get(name), None),
                Value::Number(number) => assert_eq!(done[name], number.to_string()),
                Value::String(page) if name == "name_page_id" => assert_eq!(done[name], *page, "as given"),
                _ => assert!(
                    done[name].as_str().unwrap().ends_with("-04:00")
                        || done[name].as_str().unwrap().ends_with("-05:00"),
                    "{done}"
                ),
            }
        }
    }
}

#[tokio::test]
async fn without_any_filter_each_of_the_three_cannot_be_blank() {
    let world = World::new().await;
    let blank = json!(["can't be blank"]);
    let wanted = json!({
        "message": "Validation error",
        "errors": { "created_after": blank, "updated_after": blank, "name_page_id": blank },
    });
    for body in [
        json!({ "export": {} }),
        json!({}),
        json!({ "export": null }),
        json!({ "export": { "updated_after": "", "created_after": null, "name_page_id": "  " } }),
        json!({ "export": { "unknown": 1 } }),
    ] {
        assert_eq!(world.post("/v4/exports", body.clone()).await.expect(422), wanted, "{body}");
    }
    assert_eq!(world.get("/v4/exports").await.expect(200)["meta"]["total_count"], 0, "nothing was made");
}

#[tokio::test]
async fn errors_of_an_export_come_together_by_field() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let time = "is invalid: it must be an ISO-8601 time with a zone, like 2026-01-31T12:00:00Z";
    for page in [json!("nowhere"), json!(neighbor.page.slug), json!(7), json!(["x"]), json!({}), json!(true)]
    {
        let export =
            json!({ "created_after": "yesterday", "updated_after": "2026-07-01", "name_page_id": page });
        let answer = world.post("/v4/exports", json!({ "export": export })).await.expect(422);
        let errors =
            json!({ "created_after": [time], "updated_after": [time], "name_page_id": ["is not found"] });
        assert_eq!(answer, json!({ "message": "Validation error", "errors": errors }), "{page}");
    }
    for body in ["", "[]", "\"x\"", "{", "{\"export\":[]}", "{\"export\":\"x\"}"] {
        let request = world.request(Method::POST, "/v4/exports").body(body);
        let answer = crate::support::Answer::of(request).await;
        assert_eq!(answer.expect(400), json!({ "message": "Bad Request" }), "{body}");
    }
}

#[tokio::test]
async fn a_cache_is_told_of_everything_that_an_answer_depends_on() {
    let world = World::new().await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    completed(&world, &id).await;
    let request = world.request(Method::GET, &format!("/v4/exports/{id}")).header("Origin", "https://x.org");
    let answer = crate::support::Answer::of(request).await;
    let vary: Vec<_> = answer.headers.get_all("vary").iter().collect();
    assert_eq!(vary, ["Accept-Encoding", "Origin"]);
    let head = world.request(Method::HEAD, &format!("/v4/exports/{id}")).send().await.unwrap();
    assert_eq!((head.status(), head.text().await.unwrap()), (StatusCode::OK, String::new()));
}

#[tokio::test]
async fn an_export_of_nobody_is_an_empty_report() {
    let world = World::new().await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    assert_eq!(completed(&world, &id).await["report"], json!([]));
    let (_, zipped) = bytes(&world, &format!("/v4/exports/{id}"), "gzip").await;
    assert_eq!(serde_json::from_str::<Value>(&unzipped(&zipped)).unwrap()["export"]["report"], json!([]));
    let (_, lines) = bytes(&world, &format!("/v4/exports/{id}.ndjson"), "identity").await;
    assert_eq!(lines, b"");
    let (_, sheet) = bytes(&world, &format!("/v4/exports/{id}.csv"), "identity").await;
    assert_eq!(String::from_utf8(sheet).unwrap().lines().count(), 1, "the heading alone");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_of_many_parts_is_whole_in_every_form() {
    let world = world_of_small_parts().await;
    crowd(&world, 1_200).await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    let report = completed(&world, &id).await["report"].clone();
    let wanted: Vec<String> = (0..1_200).map(|number| format!("P{number}")).collect();
    assert_eq!(names(&report), wanted);
    let files = std::fs::read_dir(world.folder.path().join("blobs/exports")).unwrap().count();
    assert_eq!(files, 1, "one institution");
    assert!(count_parts(&world).await > 12);

    let (headers, zipped) = bytes(&world, &format!("/v4/exports/{id}"), "br, gzip;q=0.8").await;
    assert_eq!(
        (&headers["content-encoding"], &headers["vary"]),
        (&"gzip".parse().unwrap(), &"Accept-Encoding".parse().unwrap())
    );
    assert_eq!(headers["content-type"], "application/json; charset=utf-8");
    let text = unzipped(&zipped);
    assert!(zipped.len() * 5 < text.len(), "{} of {}", zipped.len(), text.len());
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["export"]["report"], report);

    for encoding in ["gzip", "identity"] {
        let read = |bytes: Vec<u8>| {
            if encoding == "gzip" { unzipped(&bytes) } else { String::from_utf8(bytes).unwrap() }
        };
        let (headers, lines) = bytes(&world, &format!("/v4/exports/{id}.ndjson"), encoding).await;
        assert_eq!(headers["content-type"], "application/x-ndjson; charset=utf-8");
        let lines: Vec<Value> = read(lines).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(json!(lines), report, "{encoding}");
        let (headers, sheet) = bytes(&world, &format!("/v4/exports/{id}.csv"), encoding).await;
        assert_eq!(headers["content-type"], "text/csv; charset=utf-8; header=present");
        let sheet = read(sheet);
        let mut reader = csv::Reader::from_reader(sheet.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.iter().map(|row| &row[0]).collect::<Vec<_>>(), wanted, "{encoding}");
    }
}

#[tokio::test]
async fn a_csv_has_a_column_for_each_field_and_no_formulas() {
    let world = World::new().await;
    for field in ["gender_pronouns", "cohort"] {
        world.custom_field(field).await;
    }
    let person = json!({
        "first_name": "=HYPERLINK(\"http://x\")", "last_name": "+1", "email": "a@x.org", "institution_id": "@A1",
        "notes": "-two\nlines, \"quoted\"", "phonetic": "ah-NA",
        "custom_fields": { "custom_gender_pronouns": "=she", "custom_cohort": "2027" },
    });
    world.person_on(&world.page, person).await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    completed(&world, &id).await;
    // A custom field that is created later is not in the report.
    world.custom_field("shoe_size").await;

    let (headers, sheet) = bytes(&world, &format!("/v4/exports/{id}.csv"), "identity").await;
    assert_eq!(headers["content-disposition"], format!("attachment; filename=\"export-{id}.csv\""));
    let plain = std::str::from_utf8(&sheet).unwrap();
    assert!(plain.starts_with("\"first_name\",\"last_name\",\"email\","), "every cell is quoted: {plain}");
    assert!(
        plain.contains("\r\n\"'=HYPERLINK(\"\"http://x\"\")\",\"'+1\",\"a@x.org\",\"\","),
        "empty ones too: {plain}"
    );
    let mut reader = csv::Reader::from_reader(sheet.as_slice());
    let headings: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let wanted = [
        "first_name",
        "last_name",
        "email",
        "recording_link",
        "event_title",
        "event_slug",
        "event_access_code",
        "institution_id",
        "photo",
        "name_badge_link",
        "phonetic_spelling",
        "notes",
        "custom_cohort",
        "custom_gender_pronouns",
    ];
    assert_eq!(headings, wanted);
    let row = reader.records().next().unwrap().unwrap();
    let cell = |name: &str| &row[headings.iter().position(|heading| heading == name).unwrap()];
    assert_eq!(cell("first_name"), "'=HYPERLINK(\"http://x\")");
    assert_eq!((cell("last_name"), cell("institution_id")), ("'+1", "'@A1"));
    assert_eq!(cell("notes"), "'-two\nlines, \"quoted\"");
    assert_eq!((cell("custom_gender_pronouns"), cell("custom_cohort")), ("'=she", "2027"));
    assert_eq!((cell("recording_link"), cell("email"), cell("phonetic_spelling")), ("", "a@x.org", "ah-NA"));
    assert!(cell("name_badge_link").starts_with(&world.base));
}

#[tokio::test]
async fn until_a_report_is_there_its_other_forms_are_not_found() {
    let world = World::new().await;
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    for ending in ["csv", "ndjson"] {
        let answer = world.get(&format!("/v4/exports/{id}.{ending}")).await;
        assert_eq!(answer.expect(404), not_found());
    }
    for unknown in [
        "1",
        "0",
        "x",
        "-1",
        "99999999999999999999999",
        "1.csv",
        "1.xlsx",
        "%20",
        &format!("+{id}"),
        &format!("%2B{id}"),
        &format!("{id}.xml"),
    ] {
        let answer = world.get(&format!("/v4/exports/{unknown}")).await;
        assert_eq!(answer.expect(404), not_found(), "{unknown}");
    }
}

#[tokio::test]
async fn exports_are_listed_newest_first_page_by_page_without_reports() {
    let world = World::new().await;
    world.work(1);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(ask(&world, json!({ "name_page_id": world.page.slug })).await);
    }
    for id in &ids {
        completed(&world, id).await;
    }
    ids.reverse();
    let first = world.get("/v4/exports?per_page=2").await.expect(200);
    assert_eq!(first["meta"]["total_count"], 5);
    assert_eq!(first["meta"]["total_pages"], 3);
    assert_eq!(first["meta"]["count"], 2);
    let mut seen = Vec::new();
    let mut next = first;
    loop {
        for export in next["exports"].as_array().unwrap() {
            assert_eq!(export.get("report"), None);
            assert_eq!(export["state"], "completed");
            seen.push(export["id"].as_str().unwrap().to_owned());
        }
        if next["meta"].get("next_page_url").is_none() {
            break;
        }
        next = world.get(path(&next["meta"]["next_page_url"])).await.expect(200);
    }
    assert_eq!(seen, ids);
    world.get("/v4/exports?page=0").await.expect(422);
    assert_eq!(world.get("/v4/exports?page=9").await.expect(200)["exports"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_of_many_parts_loses_a_whole_page_at_once() {
    let world = world_of_small_parts().await;
    crowd(&world, 1_500).await;
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    work_once(&world).await;
    assert!(count_parts(&world).await > 12);
    let page = endonym::domain::name_page::NamePageRef::parse(&world.page.slug).unwrap();
    endonym::app::name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page)
        .await
        .unwrap();
    assert_eq!(completed(&world, &id).await["report"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_is_over_while_it_is_read_is_cut_and_never_looks_whole() {
    let world = world_of_small_parts().await;
    // Ten megabytes: several times what the kernel and the client buffer.
    crowd(&world, 5_000).await;
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    work_once(&world).await;
    // Not compressed: it is so short that all of it is sent at once.
    for (name, encoding) in [(id.clone(), "identity"), (format!("{id}.csv"), "identity")] {
        execute(&world.app.db, "UPDATE exports SET state = 'completed'", Vec::new()).await;
        let request =
            world.request(Method::GET, &format!("/v4/exports/{name}")).header("Accept-Encoding", encoding);
        let mut response = request.send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.chunk().await.unwrap().is_some());
        // As if it had expired; the rows stay for the next run.
        execute(&world.app.db, "UPDATE exports SET state = 'expired'", Vec::new()).await;
        execute(&world.app.db, "UPDATE export_parts SET export_id = -export_id", Vec::new()).await;
        let ended = loop {
            match response.chunk().await {
                Ok(Some(_)) => {}
                Ok(None) => break "whole",
                Err(_) => break "cut",
            }
        };
        assert_eq!(ended, "cut", "{name} {encoding}");
        execute(&world.app.db, "UPDATE export_parts SET export_id = -export_id", Vec::new()).await;
    }
}

#[tokio::test]
async fn an_institution_that_goes_takes_its_exports_its_jobs_and_their_bytes_with_it() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.person("Ana", "a@x.org").await;
    ask(&world, json!({ "name_page_id": world.page.slug })).await;
    work_once(&world).await;
    ask(&world, json!({ "name_page_id": world.page.slug })).await;
    let body = json!({ "export": { "name_page_id": neighbor.page.slug } });
    let theirs = world.request_as(&neighbor.token, Method::POST, "/v4/exports").json(&body);
    crate::support::Answer::of(theirs).await.expect(202);
    assert_eq!(files(&world).len(), 1);

    endonym::app::institutions::delete(&world.app, &Actor::Operator, "example").await.unwrap();
    assert_eq!(files(&world).len(), 0);
    for (table, left) in
        [("exports", 1), ("export_parts", 0), ("jobs WHERE kind = 'build_export'", 1), ("departures", 0)]
    {
        let text = format!("SELECT COUNT(*) FROM {table}");
        let count = world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap();
        assert_eq!(count, Some(left), "{table}");
    }
}

#[tokio::test]
async fn another_institutions_export_is_not_found() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    completed(&world, &id).await;
    for name in [id.clone(), format!("{id}.csv"), format!("{id}.ndjson")] {
        let request = world.request_as(&neighbor.token, Method::GET, &format!("/v4/exports/{name}"));
        assert_eq!(crate::support::Answer::of(request).await.expect(404), not_found());
    }
    let request = world.request_as(&neighbor.token, Method::GET, "/v4/exports");
    assert_eq!(crate::support::Answer::of(request).await.expect(200)["exports"], json!([]));
}

#[tokio::test]
async fn an_export_is_over_at_its_time_and_its_report_is_removed() {
    let week = Duration::from_secs(7 * 24 * 3_600);
    let world = World::with(Setup { export_life: week, ..Setup::default() }).await;
    world.person("Ana", "a@x.org").await;
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    work_once(&world).await;
    assert_eq!(names(&completed(&world, &id).await["report"]), ["Ana"]);
    world.advance(week);
    assert_eq!(state(&world, &id).await, "expired");
    let over = world.get(&format!("/v4/exports/{id}")).await.expect(200);
    assert_eq!(over["export"].get("report"), None);
    assert_eq!(world.get("/v4/exports").await.expect(200)["exports"][0]["state"], "expired");
    world.get(&format!("/v4/exports/{id}.csv")).await.expect(404);
    assert_eq!(files(&world).len(), 1, "the bytes are still there");

    endonym::app::exports::expire(&world.app).await.unwrap();
    assert_eq!(files(&world), BTreeSet::new());
    assert_eq!(state(&world, &id).await, "expired");
}

/// The parts of reports on disk.
fn files(world: &World) -> BTreeSet<std::path::PathBuf> {
    fn walk(folder: &std::path::Path, into: &mut BTreeSet<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, into) } else { assert!(into.insert(path)) }
        }
    }
    let mut found = BTreeSet::new();
    walk(&world.folder.path().join("blobs/exports"), &mut found);
    found
}

#[tokio::test]
async fn whoever_is_deleted_is_gone_from_kept_reports_at_once_and_then_from_their_bytes() {
    let world = World::new().await;
    let other = world.page("Another page").await;
    for (page, name) in [(&world.page, "stays"), (&world.page, "goes"), (&other, "elsewhere")] {
        let email = format!("{name}@x.org");
        world.person_on(page, json!({ "first_name": name, "email": email })).await;
    }
    // Their name equals another person's email: only ids count, not contents.
    let badge =
        world.get("/v4/participants/goes@x.org").await.expect(200)["participant"]["name_badge_link"].clone();
    world.person_on(&world.page, json!({ "first_name": badge, "email": "imitator@x.org" })).await;
    // Nobody has been removed from the stored bytes yet.
    let export = json!({ "created_after": "2000-01-01T00:00:00Z" });
    let id = ask(&world, export).await;
    work_once(&world).await;
    assert_eq!(completed(&world, &id).await["report"].as_array().unwrap().len(), 4);
    let before = files(&world);

    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/goes@x.org", body).await.expect(200);
    let all_forms = async |wanted: &[&str]| {
        let shown = completed(&world, &id).await["report"].clone();
        assert_eq!(names(&shown), wanted);
        let (_, zipped) = bytes(&world, &format!("/v4/exports/{id}"), "gzip").await;
        let read: Value = serde_json::from_str(&unzipped(&zipped)).unwrap();
        assert_eq!(read["export"]["report"], shown);
        let (_, lines) = bytes(&world, &format!("/v4/exports/{id}.ndjson"), "gzip").await;
        assert_eq!(unzipped(&lines).lines().count(), wanted.len());
        let (_, sheet) = bytes(&world, &format!("/v4/exports/{id}.csv"), "identity").await;
        assert!(!String::from_utf8(sheet).unwrap().contains("goes@x.org"));
    };
    let badge = badge.as_str().unwrap();
    all_forms(&["stays", "elsewhere", badge]).await;
    assert_eq!(files(&world), before, "the bytes are as they were");

    world.work(1);
    until("the bytes are written anew", || async { files(&world).is_disjoint(&before) }).await;
    all_forms(&["stays", "elsewhere", badge]).await;
    let none = "SELECT COUNT(*) FROM departures";
    until("nobody is waited for any more", || async {
        world.app.db.read().one(none, &[], |row| row.int(0)).await.unwrap() == Some(0)
    })
    .await;

    // A whole page is deleted, and then everybody.
    let named = |page: &endonym::domain::name_page::NamePage| {
        endonym::domain::name_page::NamePageRef::parse(&page.slug).unwrap()
    };
    let app = &world.app;
    endonym::app::name_pages::delete(app, &Actor::Operator, world.institution.id, &named(&world.page))
        .await
        .unwrap();
    all_forms(&["elsewhere"]).await;
    endonym::app::name_pages::delete(app, &Actor::Operator, world.institution.id, &named(&other))
        .await
        .unwrap();
    all_forms(&[]).await;
    until("no bytes are left", || async { files(&world).is_empty() }).await;
    all_forms(&[]).await;
}

/// Runs the one pending job, and nothing more.
pub async fn work_once(world: &World) {
    let stop = tokio_util::sync::CancellationToken::new();
    let settings = endonym::jobs::Settings {
        workers: 1,
        lease: Duration::from_secs(30),
        grace: Duration::from_secs(30),
        sweep_every: Duration::ZERO,
        orphans_older_than: Duration::ZERO,
        report_format: endonym::site::report_format,
    };
    let working = tokio::spawn(endonym::jobs::run(world.app.clone(), settings, stop.clone()));
    let waiting = "SELECT COUNT(*) FROM jobs WHERE kind = 'build_export'";
    until("the job is done", || async {
        world.app.db.read().one(waiting, &[], |row| row.int(0)).await.unwrap() == Some(0)
    })
    .await;
    stop.cancel();
    working.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_is_a_picture_of_one_moment() {
    let world = world_of_small_parts().await;
    crowd(&world, 800).await;
    // In every moment all notes are the same.
    let change = "UPDATE participants SET phonetic = $1 WHERE institution_id = $2";
    let turn = async |number: i64| {
        let params = vec![format!("turn {number}").into(), world.institution.id.into()];
        execute(&world.app.db, change, params).await;
    };
    turn(0).await;
    world.work(1);
    for round in 0..2_i64 {
        let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
        let mut number = round * 1_000;
        while state(&world, &id).await != "completed" {
            number += 1;
            turn(number).await;
        }
        let report = completed(&world, &id).await["report"].clone();
        let turns: BTreeSet<&str> = report
            .as_array()
            .unwrap()
            .iter()
            .map(|person| person["phonetic_spelling"].as_str().unwrap())
            .collect();
        assert_eq!((turns.len(), report.as_array().unwrap().len()), (1, 800), "{turns:?}");
    }
}

#[tokio::test]
async fn exports_work_with_blobs_on_s3() {
    let s3 = crate::support::s3::S3Server::new().await;
    let world = World::with(Setup { blobs_url: Some(s3.url()), ..Setup::default() }).await;
    world.person("Ana", "a@x.org").await;
    world.work(1);
    let id = ask(&world, json!({ "name_page_id": world.page.slug })).await;
    assert_eq!(names(&completed(&world, &id).await["report"]), ["Ana"]);
}

#[tokio::test]
async fn so_many_exports_of_an_institution_may_wait_and_one_more_is_told_when_to_come_back() {
    let world = World::with(Setup { exports_waiting: 3, ..Setup::default() }).await;
    let neighbor = world.neighbor().await;
    world.person("Ana", "ana@x.org").await;
    let body = json!({ "export": { "name_page_id": world.page.slug } });
    let asked = (0..8).map(|_| world.post("/v4/exports", body.clone()));
    let answers = futures_util::future::join_all(asked).await;
    let taken = answers.iter().filter(|answer| answer.status == 202).count();
    assert_eq!(taken, 3, "exactly so many, also of those who come at once");
    for refused in answers.into_iter().filter(|answer| answer.status != 202) {
        assert!(refused.header("Retry-After").parse::<u64>().unwrap() > 0);
        let message = "Too Many Requests: 3 exports are waiting to be built already";
        assert_eq!(refused.expect(429), json!({ "message": message }));
    }
    let listed = world.get("/v4/exports").await.expect(200);
    assert_eq!(listed["meta"]["total_count"], 3);
    let theirs = json!({ "export": { "name_page_id": neighbor.page.slug } });
    let request = world.request_as(&neighbor.token, Method::POST, "/v4/exports").json(&theirs);
    Answer::of(request).await.expect(202);
    world.work(1);
    let ids: Vec<&str> =
        listed["exports"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for id in ids {
        completed(&world, id).await;
    }
    world.post("/v4/exports", body).await.expect(202);
}
