//! `endonym backup` and `endonym restore` while the server handles writes.

use std::{
    collections::BTreeMap,
    ops::Range,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use endonym::{
    app::{
        self, Clock,
        backups::{self, Source},
    },
    blobs,
    store::{migrations, secrets::Secrets},
};
use reqwest::Client;
use rusqlite::Connection;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::support::{
    database::{on_citus, on_postgres},
    media::{file, files, png, wav, wav_of},
    process::{BINARY, CommandOutput, Installation, PATIENCE, Serving},
    s3::S3Server,
};

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

async fn send(serving: &Serving, token: &str, path: &str, body: Value) -> Value {
    let address = format!("{}/api/private{path}", serving.base);
    let answer = client().post(address).header("Authorization", token).json(&body).send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

async fn get(address: &str, token: &str) -> Value {
    let answer = client().get(address).header("Authorization", token).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{address}");
    answer.json().await.unwrap()
}

/// Two institutions with people with and without recordings, legal names, pictures and custom values. One has a report.
async fn furnished(here: &Installation) -> String {
    let token = here.furnish();
    here.succeed(&["institution", "update", "example", "--multiple-recordings", "true"]);
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "pronouns"]);
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Other", "--slug", "other"]);
    let serving = here.serve(&["--demo"]);
    for n in 0..4_u8 {
        let participant = json!({
            "first_name": format!("Ñandú {n}"), "email": format!("p{n}@x.org"), "institution_id": format!("I-{n}"),
            "pronunciation": file(wav_of(1.0, 120.0 + f32::from(n))), "avatar": file(png()),
            "legal_pronunciation": file(wav(0.8)), "legal_first_name": "Ana", "custom_pronouns": "they/them",
        });
        let page = if n == 3 { "other" } else { "class" };
        send(
            &serving,
            &token,
            "/v5/participants",
            json!({ "name_page_id": page, "participant": participant }),
        )
        .await;
    }
    let silent = json!({ "first_name": "Bea", "email": "bea@x.org", "notes": "no recording yet" });
    send(&serving, &token, "/v5/participants", json!({ "name_page_id": "class", "participant": silent }))
        .await;
    let ask = json!({ "export": { "created_after": "2000-01-01T00:00:00Z" } });
    let link = send(&serving, &token, "/v4/exports", ask).await["meta"]["link"].as_str().unwrap().to_owned();
    let made = Instant::now();
    while get(&link, &token).await["export"]["state"] != "completed" {
        assert!(made.elapsed() < PATIENCE, "the report is built");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(serving.stop().await, 0);
    token
}

/// All responses that a token can get over HTTP, with the base URL replaced by `{base}`.
async fn everything(serving: &Serving, token: &str) -> BTreeMap<String, Vec<u8>> {
    let client = client();
    let mut seen = BTreeMap::new();
    let more = "per_page=1000&include=custom_attributes,embeddables,legal_embeddables,name_page";
    let mut found = String::new();
    for path in [
        format!("/api/private/v5/participants?{more}"),
        format!("/api/private/v4/participants?{more}"),
        format!("/api/private/v4/name_pages/class/participants?{more}"),
        "/api/private/v5/participants/latest?tokens=p0@x.org,p3@x.org,I-1".to_owned(),
    ] {
        let address = format!("{}{path}", serving.base);
        let answer = client.get(address).header("Authorization", token).send().await.unwrap();
        // The page is not public.
        assert!(answer.status() == 200 || path.contains("/class/"), "{path}: {}", answer.status());
        let text = answer.text().await.unwrap();
        found.push_str(&text);
        seen.insert(path, text.replace(&serving.base, "{base}").into_bytes());
    }
    let exports = get(&format!("{}/api/private/v4/exports", serving.base), token).await;
    for export in exports["exports"].as_array().unwrap() {
        let id = export["id"].as_str().unwrap();
        let report = get(&format!("{}/api/private/v4/exports/{id}", serving.base), token).await;
        assert!(report["export"]["report"].is_array(), "{report}");
        seen.insert(id.to_owned(), report.to_string().replace(&serving.base, "{base}").into_bytes());
    }
    let mut links: Vec<String> = found
        .split('"')
        .map(|word| word.trim_end_matches('\\'))
        .filter(|word| word.starts_with(&serving.base))
        .filter(|word| {
            ["/audio/", "/photos/", "/badges/", ".mp3", ".jpg"].iter().any(|part| word.contains(part))
        })
        .map(|word| word.replace("\\/", "/"))
        .collect();
    let thumbnails: Vec<String> = links
        .iter()
        .filter(|link| link.ends_with(".jpg"))
        .map(|link| link.replace(".jpg", "_128.jpg"))
        .collect();
    links.extend(thumbnails);
    for link in links {
        let answer = client.get(&link).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{link} is dead");
        let name = link.replace(&serving.base, "{base}");
        let bytes = answer.bytes().await.unwrap();
        let shown = match std::str::from_utf8(&bytes) {
            Ok(text) => text.replace(&serving.base, "{base}").into_bytes(),
            Err(_) => bytes.to_vec(),
        };
        seen.insert(name, shown);
    }
    seen
}

/// Every row of every table.
fn rows(data: &Path) -> BTreeMap<String, Vec<String>> {
    let database = Connection::open(data.join("endonym.sqlite3")).unwrap();
    let mut tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").unwrap();
    let names = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let read = |name: String| {
        let mut all = database.prepare(&format!("SELECT * FROM {name} ORDER BY 1, 2")).unwrap();
        let width = all.column_count();
        let shown = |row: &rusqlite::Row<'_>| {
            Ok((0..width).map(|at| format!("{:?} | ", row.get_ref(at).unwrap())).collect::<String>())
        };
        let rows = all.query_map([], shown).unwrap().map(Result::unwrap).collect();
        (name, rows)
    };
    names.map(|name| read(name.unwrap())).collect()
}

fn bytes_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    files(folder).into_iter().map(|name| (name.clone(), std::fs::read(folder.join(name)).unwrap())).collect()
}

/// A new installation, restored from a backup.
fn restored(backup: &Path) -> Installation {
    let there = Installation::on_sqlite();
    there.succeed(&["restore", backup.to_str().unwrap()]);
    there
}

#[tokio::test]
async fn what_is_restored_is_the_same_in_every_byte() {
    let here = Installation::on_sqlite();
    let token = furnished(&here).await;
    std::fs::create_dir(here.path("endonym-data/keys")).unwrap();
    here.write("endonym-data/keys/secret", [7, 255, 0]);
    here.write("endonym-data/blobs/recordings/.part-1-2", "an upload under way");
    let told = here.json(&["backup", "saved", "--json"]);
    assert_eq!(told["missing"], json!([]));
    assert_eq!(told["migration"], migrations::NEWEST);
    assert_eq!(told["folder"], "saved");

    let saved = here.path("saved");
    let summed =
        Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(&saved).status();
    assert!(summed.unwrap().success(), "any tool can check it");
    let mut sum = 0;
    let names = files(&saved);
    for name in &names {
        let metadata = saved.join(name).metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{name}");
        assert_eq!(
            saved.join(name).parent().unwrap().metadata().unwrap().permissions().mode() & 0o777,
            0o700
        );
        if !matches!(name.as_str(), "manifest.json" | "SHA256SUMS") {
            sum += metadata.len();
        }
    }
    assert_eq!((told["files"].as_u64(), told["bytes"].as_u64()), (Some(names.len() as u64 - 2), Some(sum)));
    assert!(
        !names.iter().any(|name| name.contains(".part-") || name.contains("-wal") || name.contains("lock"))
    );

    let there = Installation::on_sqlite();
    let told = there.json(&["restore", saved.to_str().unwrap(), "--json"]);
    assert_eq!(told["data_dir"], "./endonym-data");
    assert_eq!(rows(&here.path("endonym-data")), rows(&there.path("endonym-data")));
    std::fs::remove_file(here.path("endonym-data/blobs/recordings/.part-1-2")).unwrap();
    assert_eq!(bytes_below(&here.path("endonym-data/blobs")), bytes_below(&there.path("endonym-data/blobs")));
    for name in ["demo-token", "keys/secret"] {
        let read = |data: &Installation| std::fs::read(data.path("endonym-data").join(name)).unwrap();
        assert_eq!(read(&here), read(&there), "{name}");
    }
    let left = files(&there.path("endonym-data"));
    let left: Vec<&String> = left.iter().filter(|name| name.contains("restor")).collect();
    assert!(left.is_empty(), "{left:?}");

    let (old, new) = (here.serve(&["--demo"]), there.serve(&["--demo"]));
    for token in [token, std::fs::read_to_string(here.path("endonym-data/demo-token")).unwrap()] {
        let (before, after) = (everything(&old, &token).await, everything(&new, &token).await);
        assert_eq!(before, after);
        assert!(before.keys().any(|name| name.ends_with(".mp3")), "{:?}", before.keys());
    }
}

/// Records names in a loop until it is stopped.
async fn storm(base: String, token: String, who: usize, stop: Arc<AtomicBool>, recorded: Arc<AtomicU64>) {
    let client = client();
    let address = format!("{base}/api/private/v5/participants");
    let email = format!("storm{who}@x.org");
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let participant = json!({ "first_name": "Ana", "email": email, "pronunciation": file(wav(0.5)), "avatar": file(png()) });
        let body = json!({ "name_page_id": "class", "participant": participant });
        let request =
            if n % 7 == 0 { client.post(&address) } else { client.put(format!("{address}/{email}")) };
        let answer = request.header("Authorization", &token).json(&body).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.status());
        recorded.fetch_add(1, Ordering::Relaxed);
        if n % 7 == 6 {
            let body = json!({ "name_page_id": "class" });
            let gone =
                client.delete(format!("{address}/{email}")).header("Authorization", &token).json(&body);
            assert!(gone.send().await.unwrap().status().is_success());
        }
        // Without a pause, the storm takes the processor from the tests beside it.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn backups_beside_a_storm_of_uploads_have_no_dead_link() {
    let here = Arc::new(Installation::on_sqlite());
    let token = furnished(&here).await;
    let serving = here.serve(&["--rate-limit", "100000000", "--log", "error"]);
    let (stop, recorded) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let senders: Vec<_> = (0..4)
        .map(|who| {
            tokio::spawn(storm(serving.base.clone(), token.clone(), who, stop.clone(), recorded.clone()))
        })
        .collect();
    for round in 0..4 {
        let before = recorded.load(Ordering::Relaxed);
        while recorded.load(Ordering::Relaxed) < before + 5 {
            assert!(senders.iter().all(|sender| !sender.is_finished()));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let here = here.clone();
        let told =
            tokio::task::spawn_blocking(move || here.json(&["backup", &format!("saved{round}"), "--json"]));
        assert_eq!(told.await.unwrap()["missing"], json!([]));
    }
    stop.store(true, Ordering::Relaxed);
    for sender in senders {
        sender.await.unwrap();
    }
    for round in 0..4 {
        let there = restored(&here.path(&format!("saved{round}")));
        let serving = there.serve(&["--log", "error"]);
        // Each link must play.
        let seen = everything(&serving, &token).await;
        let pronounced = seen.keys().filter(|name| name.ends_with(".mp3")).count();
        assert!(pronounced >= 8, "{pronounced}");
    }
}

/// The key would decrypt the secrets in the database next to it.
#[tokio::test]
async fn the_secret_key_is_in_no_backup() {
    let here = Installation::on_sqlite();
    here.furnish();
    let moodle = ["--lms", "moodle", "--url", "https://moodle.example.edu", "--access-token", "x"];
    let create = ["tool-consumer", "create", "--institution", "example", "--name", "Moodle"];
    here.succeed(&[&create[..], &moodle].concat());
    here.write("endonym-data/note.txt", "kept");
    let key = std::fs::metadata(here.path("endonym-data/secret.key")).unwrap();
    assert_eq!(key.mode() & 0o777, 0o600);
    here.succeed(&["backup", "saved"]);
    assert!(here.path("saved/files/note.txt").exists() && !here.path("saved/files/secret.key").exists());
}

#[tokio::test]
async fn a_backup_wants_a_new_or_an_empty_folder_outside_of_the_data() {
    let here = Installation::on_sqlite();
    let said = here.refuse(&["backup", "saved"]);
    assert!(said.contains("no database"), "{said}");
    assert!(!here.path("endonym-data").exists() && !here.path("saved").exists(), "nothing is made");
    here.furnish();
    here.write("file", "not a folder");
    assert!(here.refuse(&["backup", "file"]).contains("file"));
    std::fs::create_dir_all(here.path("full")).unwrap();
    here.write("full/notes.txt", "mine");
    let said = here.refuse(&["backup", "full"]);
    assert!(said.contains("is not empty"), "{said}");
    assert_eq!(files(&here.path("full")), ["notes.txt"]);
    for inside in ["endonym-data/saved", "endonym-data/blobs/saved", "endonym-data"] {
        let said = here.refuse(&["backup", inside]);
        assert!(said.contains("choose another folder"), "{inside}: {said}");
        assert!(!here.path("endonym-data/saved").exists());
    }
    std::fs::create_dir(here.path("empty")).unwrap();
    here.succeed(&["backup", "empty"]);
    let said = here.refuse(&["backup", "empty"]);
    assert!(said.contains("not empty") && said.contains("partial backup"), "{said}");
    here.succeed(&["backup", "a/new/one"]);
}

#[tokio::test]
async fn a_backup_that_is_damaged_or_cut_short_is_refused_and_nothing_is_touched() {
    let here = Installation::on_sqlite();
    furnished(&here).await;
    here.succeed(&["backup", "saved"]);
    let names = files(&here.path("saved"));
    let a_recording = names.iter().find(|name| name.ends_with(".mp3")).unwrap().as_str();
    let manifest = |change: fn(&mut Value)| {
        let mut all: Value =
            serde_json::from_slice(&std::fs::read(here.path("saved/manifest.json")).unwrap()).unwrap();
        change(&mut all);
        all.to_string().into_bytes()
    };
    let flipped = |name: &str| {
        let mut bytes = std::fs::read(here.path("saved").join(name)).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        bytes
    };
    let shortened = |name: &str| {
        let bytes = std::fs::read(here.path("saved").join(name)).unwrap();
        bytes[..bytes.len() - 1].to_vec()
    };
    let cases: Vec<(&str, Option<Vec<u8>>, &str)> = vec![
        ("manifest.json", None, "not a complete backup"),
        ("manifest.json", Some(b"{".to_vec()), "damaged"),
        ("manifest.json", Some(b"[]".to_vec()), "damaged"),
        ("manifest.json", Some(manifest(|all| all["format"] = json!(2))), "newer"),
        ("manifest.json", Some(manifest(|all| all["migration"] = json!(migrations::NEWEST + 1))), "newer"),
        ("manifest.json", Some(manifest(|all| all["bytes"] = json!(1))), "damaged"),
        ("SHA256SUMS", None, "SHA256SUMS"),
        ("SHA256SUMS", Some(shortened("SHA256SUMS")), "damaged"),
        ("endonym.sqlite3", None, "endonym.sqlite3"),
        ("endonym.sqlite3", Some(flipped("endonym.sqlite3")), "damaged"),
        (a_recording, None, a_recording),
        (a_recording, Some(flipped(a_recording)), "damaged"),
        (a_recording, Some(Vec::new()), "damaged"),
        ("files/demo-token", Some(b"another".to_vec()), "damaged"),
    ];
    let full = Installation::on_sqlite();
    full.furnish();
    let before = (rows(&full.path("endonym-data")), files(&full.path("endonym-data")));
    for (name, content, why) in cases {
        let path = here.path("saved").join(name);
        let good = std::fs::read(&path).unwrap();
        match content {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let there = Installation::on_sqlite();
        let said = there.refuse(&["restore", here.path("saved").to_str().unwrap()]);
        assert!(said.contains(why), "{name}: {said}");
        assert!(!there.path("endonym-data").exists(), "{name}");
        full.refuse(&["restore", here.path("saved").to_str().unwrap(), "--yes"]);
        assert_eq!(before, (rows(&full.path("endonym-data")), files(&full.path("endonym-data"))), "{name}");
        std::fs::write(&path, good).unwrap();
    }
    // A list with a path outside of the folder, and a matching manifest.
    for name in
        ["files/../../outside", "/etc/passwd", "endonym.sqlite3/x", "blobs/recordings/1/zz/nothing.mp3"]
    {
        let list = std::fs::read_to_string(here.path("saved/SHA256SUMS")).unwrap();
        let there = copy_of(&here.path("saved"));
        std::fs::write(there.path().join("SHA256SUMS"), format!("{list}{:064}  {name}\n", 0)).unwrap();
        agree(there.path());
        let said = Installation::on_sqlite().refuse(&["restore", there.path().to_str().unwrap()]);
        assert!(said.contains("is not a valid path"), "{name}: {said}");
    }
    restored(&here.path("saved"));
}

fn copy_of(backup: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-a").arg(backup.join(".")).arg(copy.path()).status();
    assert!(copied.unwrap().success());
    copy
}

/// Updates the manifest to match the list.
fn agree(backup: &Path) {
    let list = std::fs::read(backup.join("SHA256SUMS")).unwrap();
    let digest: String = Sha256::digest(&list).iter().map(|byte| format!("{byte:02x}")).collect();
    let path = backup.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["list"] = json!(digest);
    let names: Vec<String> = String::from_utf8(list)
        .unwrap()
        .lines()
        .map(|line| line.split_once("  ").unwrap().1.to_owned())
        .collect();
    manifest["files"] = json!(names.len());
    let sizes =
        names.iter().filter_map(|name| backup.join(name).metadata().ok()).map(|metadata| metadata.len());
    manifest["bytes"] = json!(sizes.sum::<u64>());
    std::fs::write(path, manifest.to_string()).unwrap();
}

#[tokio::test]
async fn a_data_folder_in_use_or_not_empty_is_left_alone() {
    let here = Installation::on_sqlite();
    here.furnish();
    here.succeed(&["backup", "saved"]);
    let backup = here.path("saved").to_str().unwrap().to_owned();

    let there = Installation::on_sqlite();
    there.succeed(&["institution", "create", "--name", "Theirs", "--slug", "theirs"]);
    let slugs = || {
        let list = there.json(&["institution", "list", "--json"]);
        list["institutions"].as_array().unwrap().iter().map(|one| one["slug"].clone()).collect::<Vec<_>>()
    };
    let said = there.refuse(&["restore", &backup]);
    assert!(said.contains("is not empty") && said.contains("--yes"), "{said}");
    let serving = there.serve(&[]);
    let said = there.refuse(&["restore", &backup, "--yes"]);
    assert!(said.contains("in use"), "{said}");
    assert_eq!(slugs(), ["theirs"]);
    // The lock of a killed process is released.
    serving.kill();
    there.succeed(&["restore", &backup, "--yes"]);
    assert_eq!(slugs(), ["example"], "what was in the log of the old database does not come back");
    assert_eq!(there.serve(&[]).stop().await, 0);

    // Any existing file counts as somebody's data.
    let third = Installation::on_sqlite();
    std::fs::create_dir(third.path("endonym-data")).unwrap();
    third.write("endonym-data/notes.txt", "mine");
    assert!(third.refuse(&["restore", &backup]).contains("is not empty"));
    third.succeed(&["restore", &backup, "--yes"]);
    assert!(third.path("endonym-data/notes.txt").exists(), "what a backup does not have is not removed");
    // An empty folder is allowed.
    let fourth = Installation::on_sqlite();
    std::fs::create_dir(fourth.path("endonym-data")).unwrap();
    fourth.succeed(&["restore", &backup]);
}

/// A program that ignores our lock, like an older version or `sqlite3`.
#[tokio::test]
async fn a_database_that_another_program_has_open_is_left_alone() {
    let here = Installation::on_sqlite();
    here.furnish();
    here.succeed(&["backup", "saved"]);
    let other = Connection::open(here.path("endonym-data/endonym.sqlite3")).unwrap();
    other.execute_batch("BEGIN; SELECT COUNT(*) FROM institutions").unwrap();
    here.refuse(&["restore", "saved", "--yes"]);
    drop(other);
    here.succeed(&["restore", "saved", "--yes"]);
}

#[tokio::test]
async fn a_database_that_cannot_be_read_is_replaced_and_kept() {
    let here = Installation::on_sqlite();
    let token = furnished(&here).await;
    here.succeed(&["backup", "saved"]);
    here.write(
        "endonym-data/endonym.sqlite3",
        "this is no database, and somebody's only copy of something".repeat(99),
    );
    let told = here.run(&["restore", "saved", "--yes"]);
    assert!(told.code == 0 && told.stderr.contains("endonym.sqlite3.damaged"), "{told:?}");
    assert!(here.path("endonym-data/endonym.sqlite3.damaged").exists());
    everything(&here.serve(&[]), &token).await;
}

#[tokio::test]
async fn a_backup_of_an_older_version_is_brought_up_to_date() {
    let here = Installation::on_sqlite();
    here.furnish();
    here.succeed(&["backup", "saved"]);
    let path = here.path("saved/endonym.sqlite3");
    std::fs::remove_file(&path).unwrap();
    let old = Connection::open(&path).unwrap();
    old.execute_batch(include_str!("../../../migrations/0001_foundation.sql")).unwrap();
    old.execute_batch(
        "CREATE TABLE migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL);
         INSERT INTO migrations VALUES (1, '0001_foundation');
         INSERT INTO institutions VALUES (7, 'old', 'Old College', 'oldcode', 'UTC', 0, NULL, 0);",
    )
    .unwrap();
    drop(old);
    let digest: String =
        Sha256::digest(std::fs::read(&path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
    let list = std::fs::read_to_string(here.path("saved/SHA256SUMS")).unwrap();
    let others =
        list.lines().filter(|line| !line.ends_with("  endonym.sqlite3")).map(|line| format!("{line}\n"));
    let list: String = others.chain([format!("{digest}  endonym.sqlite3\n")]).collect();
    here.write("saved/SHA256SUMS", list);
    agree(&here.path("saved"));
    let there = Installation::on_sqlite();
    let told = there.json(&["restore", here.path("saved").to_str().unwrap(), "--json"]);
    assert_eq!(told["migration"], migrations::NEWEST);
    assert_eq!(there.json(&["institution", "list", "--json"])["institutions"][0]["slug"], "old");

    // A backup of an outdated database would need an older binary to restore it.
    std::fs::copy(&path, there.path("endonym-data/endonym.sqlite3")).unwrap();
    let said = there.refuse(&["backup", "saved"]);
    assert!(said.contains("version 1") && said.contains("endonym migrate"), "{said}");
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_told_and_the_rest_is_saved() {
    let here = Installation::on_sqlite();
    furnished(&here).await;
    let blobs = here.path("endonym-data/blobs");
    let lost = files(&blobs).into_iter().find(|name| name.ends_with(".mp3")).unwrap();
    std::fs::remove_file(blobs.join(&lost)).unwrap();
    let ended = here.run(&["backup", "saved", "--json"]);
    assert!(ended.code > 0 && ended.stderr.contains(&lost), "{ended:?}");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["missing"], json!([format!("blobs/{lost}")]));
    let there = restored(&here.path("saved"));
    assert_eq!(rows(&here.path("endonym-data")), rows(&there.path("endonym-data")));
}

/// Fake recordings, which are fast to create: the bytes, then the rows.
struct Crowd {
    database: Connection,
    institution: i64,
    folder: PathBuf,
}

impl Crowd {
    fn of(here: &Installation) -> Self {
        let database = Connection::open(here.path("endonym-data/endonym.sqlite3")).unwrap();
        let institution = database.query_row("SELECT id FROM institutions", [], |row| row.get(0)).unwrap();
        let folder = here.path(&format!("endonym-data/blobs/recordings/{institution}/00"));
        std::fs::create_dir_all(&folder).unwrap();
        Self { database, institution, folder }
    }

    fn path(&self, number: i64) -> PathBuf {
        self.folder.join(format!("{number:032x}.mp3"))
    }

    fn add(&self, numbers: Range<i64>) {
        self.database.execute_batch("BEGIN").unwrap();
        for number in numbers {
            std::fs::write(self.path(number), format!("sound {number}").repeat(500)).unwrap();
            let text = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at) \
                        VALUES (?1, ?2, ?3, 'recording', 1, FALSE, 0)";
            let values = (self.institution, format!("{number:032x}"), 1_000 + number);
            self.database.execute(text, values).unwrap();
        }
        self.database.execute_batch("COMMIT").unwrap();
    }

    fn remove(&self, number: i64) {
        self.database.execute("DELETE FROM media WHERE hex = ?1", [format!("{number:032x}")]).unwrap();
        std::fs::remove_file(self.path(number)).unwrap();
    }
}

/// Files added during the copy are copied too. If some of them are deleted before they are copied, the backup takes a
/// new snapshot.
#[tokio::test]
async fn what_is_replaced_while_a_backup_is_taken_is_no_dead_link_in_it() {
    let here = Installation::on_sqlite();
    here.furnish();
    let crowd = Crowd::of(&here);
    crowd.add(100..120);
    let (db, data_dir, database) =
        (here.database().await, here.path("endonym-data"), here.path("endonym-data/endonym.sqlite3"));
    let options = blobs::Options {
        url: None,
        data_dir: data_dir.clone(),
        delivery: blobs::Delivery::Stream,
        timeout: PATIENCE,
        clock: Clock::system(),
    };
    let blobs = blobs::Blobs::open(&options).unwrap();
    let secrets = Secrets::new(None, &data_dir);
    let source = Source {
        db: &db,
        database: &database,
        blobs: &blobs,
        data_dir: &data_dir,
        secrets: &secrets,
        with_secrets: false,
    };
    // Each hook is called once: when the last of the first twenty files is copied, and when the first of the next is.
    // Files are copied in order, so added files come later in the order, and deleted ones have not been copied yet.
    let told = |_: &str, files: u64| match files {
        20 if !crowd.path(0).exists() => crowd.add(0..80),
        21 if crowd.path(79).exists() => crowd.remove(79),
        _ => {}
    };
    let manifest = backups::take(&source, &here.path("saved"), &app::Clock::system(), &told).await.unwrap();
    assert_eq!(manifest.missing, [""; 0]);
    assert_eq!(manifest.files, 99 + 1, "all but one, and the database");
    assert!(!crowd.path(79).exists());
    let there = restored(&here.path("saved"));
    assert_eq!(rows(&there.path("endonym-data")), rows(&data_dir));
}

/// Starts a command and kills it as soon as a condition holds. Returns whether it was still running.
fn killed_when(mut command: Command, come_to_pass: impl Fn() -> bool) -> bool {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    while !come_to_pass() && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_micros(200));
    }
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

#[tokio::test]
async fn a_backup_that_was_killed_is_none() {
    let here = Installation::on_sqlite();
    here.furnish();
    Crowd::of(&here).add(0..400);
    let mut killed = 0;
    let moments = ["SHA256SUMS", "blobs/recordings", "endonym.sqlite3", ".manifest.json"];
    // On a busy machine, the process may be over before it is killed.
    for (round, name) in moments.iter().cycle().enumerate().take(40) {
        if round >= moments.len() && killed >= 2 {
            break;
        }
        let folder = format!("saved{round}");
        let seen = here.path(&folder).join(name);
        killed += usize::from(killed_when(here.command(&["backup", &folder]), || seen.exists()));
        let there = Installation::on_sqlite();
        if here.path(&folder).join("manifest.json").exists() {
            there.succeed(&["restore", here.path(&folder).to_str().unwrap()]);
            continue;
        }
        let said = there.refuse(&["restore", here.path(&folder).to_str().unwrap()]);
        assert!(said.contains("not a complete backup"), "{said}");
        let said = here.refuse(&["backup", &folder]);
        assert!(said.contains("not empty") && said.contains("partial backup"), "{said}");
    }
    assert!(killed >= 2, "{killed} were killed in the middle");
    here.succeed(&["backup", "whole"]);
}

#[tokio::test]
async fn a_restore_that_was_killed_leaves_the_old_data_or_the_new() {
    let new = Installation::on_sqlite();
    new.furnish();
    Crowd::of(&new).add(0..300);
    new.write("endonym-data/demo-token", "new");
    new.succeed(&["backup", "saved"]);
    let backup = new.path("saved").to_str().unwrap().to_owned();
    let (mut killed, mut kept) = (0, 0);
    // On a busy machine, the process may be over before it is killed.
    for round in 0..40 {
        if round >= 4 && killed >= 4 && kept >= 2 {
            break;
        }
        let here = Installation::on_sqlite();
        here.succeed(&["institution", "create", "--name", "Old", "--slug", "old"]);
        here.write("endonym-data/demo-token", "old");
        let data = here.path("endonym-data");
        let inode = |path: &Path| path.metadata().map_or(0, |metadata| metadata.ino());
        let before = inode(&data.join("endonym.sqlite3"));
        let reached = || match round % 4 {
            0 => data.join("endonym.sqlite3.restoring/endonym.sqlite3").exists(),
            1 => data.join("blobs/recordings").exists(),
            2 => data.join(".restored-files/demo-token").exists(),
            _ => inode(&data.join("endonym.sqlite3")) != before,
        };
        killed += usize::from(killed_when(here.command(&["restore", &backup, "--yes"]), reached));
        let list = here.json(&["institution", "list", "--json"]);
        let slug = list["institutions"][0]["slug"].as_str().unwrap().to_owned();
        let token = std::fs::read_to_string(data.join("demo-token")).unwrap();
        match slug.as_str() {
            "old" => {
                assert_eq!(token, "old");
                kept += 1;
            }
            _ => {
                assert_eq!((slug.as_str(), token.as_str()), ("example", "new"));
                assert_eq!(bytes_below(&data.join("blobs")), bytes_below(&new.path("endonym-data/blobs")));
            }
        }
        assert_eq!(list["institutions"].as_array().unwrap().len(), 1);
        here.succeed(&["restore", &backup, "--yes"]);
        assert_eq!(rows(&data), rows(&new.path("endonym-data")));
        assert!(files(&data).iter().all(|name| !name.contains("restor")), "{:?}", files(&data));
    }
    assert!(killed >= 4 && kept >= 2, "{killed} were killed in the middle, {kept} before the end");
}

/// The rename of the database is the commit point; the next process that starts moves the remaining files.
#[tokio::test]
async fn whoever_comes_next_finishes_a_restore_that_was_cut_short() {
    let here = Installation::on_sqlite();
    here.furnish();
    here.write("endonym-data/demo-token", "old");
    std::fs::create_dir_all(here.path("endonym-data/.restored-files/keys")).unwrap();
    here.write("endonym-data/.restored-files/demo-token", "new");
    here.write("endonym-data/.restored-files/keys/secret", "new");
    std::fs::create_dir(here.path("endonym-data/endonym.sqlite3.restoring")).unwrap();
    here.write("endonym-data/endonym.sqlite3.restoring/endonym.sqlite3", "not there yet");
    here.succeed(&["institution", "list"]);
    assert_eq!(std::fs::read(here.path("endonym-data/demo-token")).unwrap(), b"old");
    std::fs::remove_file(here.path("endonym-data/endonym.sqlite3.restoring/endonym.sqlite3")).unwrap();
    here.succeed(&["institution", "list"]);
    assert_eq!(std::fs::read(here.path("endonym-data/demo-token")).unwrap(), b"new");
    assert_eq!(std::fs::read(here.path("endonym-data/keys/secret")).unwrap(), b"new");
    assert!(!here.path("endonym-data/.restored-files").exists());
    assert!(!here.path("endonym-data/endonym.sqlite3.restoring").exists());
}

#[tokio::test]
async fn what_is_in_the_way_is_said_before_anything_is_changed() {
    let here = Installation::on_sqlite();
    here.furnish();
    std::fs::create_dir(here.path("endonym-data/keys")).unwrap();
    here.write("endonym-data/keys/secret", "new");
    here.write("endonym-data/plain", "new");
    here.succeed(&["backup", "saved"]);
    for (file, folder) in [("keys", "other"), ("other", "plain")] {
        let there = Installation::on_sqlite();
        there.succeed(&["institution", "create", "--name", "Theirs", "--slug", "theirs"]);
        there.write(&format!("endonym-data/{file}"), "a file");
        std::fs::create_dir(there.path("endonym-data").join(folder)).unwrap();
        let before = rows(&there.path("endonym-data"));
        let said = there.refuse(&["restore", here.path("saved").to_str().unwrap(), "--yes"]);
        assert!(said.contains("is in the way"), "{said}");
        assert_eq!(before, rows(&there.path("endonym-data")));
        there.succeed(&["institution", "list"]);
    }
}

/// A file size limit behaves like a full disk.
#[tokio::test]
async fn when_there_is_no_room_it_is_said_and_nothing_is_lost() {
    let here = Installation::on_sqlite();
    let token = furnished(&here).await;
    let limited = |words: &str| {
        let line = format!("trap '' XFSZ; ulimit -f 100; exec {BINARY} {words}");
        CommandOutput::of(Command::new("bash").args(["-c", &line]).current_dir(here.folder.path()))
    };
    let said = limited("backup saved").refused();
    assert!(said.contains("too large") || said.contains("full") || said.contains("I/O"), "{said}");
    assert!(!here.path("saved").exists(), "{:?}", files(&here.path("saved")));
    here.succeed(&["backup", "saved"]);
    let before = rows(&here.path("endonym-data"));
    let said = limited("restore saved --yes").refused();
    assert!(said.contains("too large") || said.contains("full") || said.contains("I/O"), "{said}");
    assert_eq!(before, rows(&here.path("endonym-data")));
    everything(&here.serve(&[]), &token).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_on_s3_are_backed_up_and_restored_too() {
    let (first, second) = (S3Server::new().await, S3Server::new().await);
    let (from, to) = (first.url(), second.url());
    let here = Arc::new(Installation::on_sqlite());
    let token = here.furnish();
    let serving = here.serve(&["--blobs-url", &from]);
    let participant = json!({ "first_name": "Ana", "email": "p0@x.org", "pronunciation": file(wav(1.0)), "avatar": file(png()) });
    send(
        &serving,
        &token,
        "/v5/participants",
        json!({ "name_page_id": "class", "participant": participant }),
    )
    .await;
    let inside = here.clone();
    let told = tokio::task::spawn_blocking(move || {
        inside.json(&["backup", "saved", "--json", "--blobs-url", &from])
    });
    let told = told.await.unwrap();
    assert_eq!((&told["missing"], &told["files"]), (&json!([]), &json!(5)), "four files and the database");
    let saved = here.path("saved");
    assert_eq!(bytes_below(&saved.join("blobs")), bytes_below(&first.bucket()));
    let there = Arc::new(Installation::on_sqlite());
    let (inside, url) = (there.clone(), to.clone());
    let restoring = tokio::task::spawn_blocking(move || {
        inside.json(&["restore", saved.to_str().unwrap(), "--json", "--blobs-url", &url])
    });
    restoring.await.unwrap();
    assert_eq!(bytes_below(&first.bucket()), bytes_below(&second.bucket()));
    assert!(!there.path("endonym-data/blobs").exists());
    let restored = there.serve(&["--blobs-url", &to]);
    assert_eq!(everything(&serving, &token).await, everything(&restored, &token).await);

    // An unreachable server, and a wrong key.
    for url in [first.url_with_a_wrong_secret(), first.url().replace(&first.endpoint, "http://127.0.0.1:1")] {
        let inside = here.clone();
        let said =
            tokio::task::spawn_blocking(move || inside.refuse(&["backup", "again", "--blobs-url", &url]));
        let said = said.await.unwrap();
        assert!(!said.contains("guessed") && !said.contains("test-secret"), "{said}");
        assert!(!here.path("again").exists());
    }
}

#[tokio::test]
async fn for_postgres_it_says_what_to_use() {
    let here = Installation::on_sqlite();
    let url = "postgres://endonym:very-secret@db.example.edu/names?sslmode=require";
    for (command, tool) in [("backup", "pg_dump"), ("restore", "pg_restore")] {
        for store in [
            "",
            "s3://bucket/prefix?endpoint=http://127.0.0.1:1&region=x&access_key_id=a&secret_access_key=very-secret",
        ] {
            let said = here.refuse(&[command, "saved", "--database-url", url, "--blobs-url", store]);
            assert!(
                said.contains(tool)
                    && said.contains("postgres://endonym@db.example.edu/names?sslmode=require")
            );
            assert!(!said.contains("very-secret"), "{said}");
            let copied = if store.is_empty() { "cp -au" } else { "aws s3 sync" };
            assert!(said.find(copied).unwrap() < said.find(tool).unwrap(), "bytes before rows: {said}");
        }
    }
    for command in ["backup", "restore"] {
        let mut command_line = here.bare();
        command_line.args([command, "saved", "--database-url", url]);
        let ended = CommandOutput::of(command_line.env("ENDONYM_DATABASE_CA_FILE", "/etc/ca.pem"));
        let expected = "names?sslmode=require&sslrootcert=/etc/ca.pem'";
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    }
    assert!(!here.path("saved").exists() && !here.path("endonym-data").exists());
}

/// Runs the printed commands as they are.
#[tokio::test]
async fn the_commands_for_postgres_work_when_pasted() {
    if !on_postgres() {
        return;
    }
    let (here, there) = (Installation::new().await, Installation::untouched().await);
    let token = furnished(&here).await;
    let paste = |at: &Installation, said: &str| {
        let lines: String =
            said.lines().filter(|line| line.starts_with("  ")).map(|line| format!("{line}\n")).collect();
        let migrate = format!("{BINARY} migrate --database-url {}", at.database_url.as_ref().unwrap());
        let lines = lines.replace("endonym migrate", &migrate);
        let lines = if on_citus() {
            assert!(said.contains("restore") || said.contains("add --table='public.*' to pg_dump"), "{said}");
            lines.replace("pg_dump ", "pg_dump --table='public.*' ")
        } else {
            lines
        };
        CommandOutput::of(Command::new("sh").args(["-e", "-c", &lines]).current_dir(at.folder.path()))
            .succeeded();
    };
    paste(&here, &here.refuse(&["backup", "saved"]));
    std::fs::rename(here.path("saved"), there.path("saved")).unwrap();
    paste(&there, &there.refuse(&["restore", "saved"]));
    let (old, new) = (here.serve(&[]), there.serve(&[]));
    assert_eq!(everything(&old, &token).await, everything(&new, &token).await);
}
