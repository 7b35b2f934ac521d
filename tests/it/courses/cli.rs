//! `endonym tool-consumer …` and `endonym course …`, with the real binary.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    lms::{
        canvas::{Canvas, Fault},
        people::Person,
    },
    support::{
        keys,
        process::{CommandOutput, Installation},
    },
};

const ALLOW: [&str; 2] = ["--outbound-allow", "127.0.0.0/8"];

struct Office {
    here: Installation,
    canvas: Canvas,
}

impl Office {
    async fn new() -> Self {
        let (here, _) = Installation::with_token().await;
        let canvas = Canvas::start().await;
        canvas.course(101, Some("RHE-1"), "Rhetoric");
        canvas.enrol(101, Person::student(1, "Ana", "Lima"));
        Self { here, canvas }
    }

    fn command(&self, words: &[&str]) -> Command {
        self.here.command(&[words, &ALLOW].concat())
    }

    fn run(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::of(&mut self.command(words))
    }

    fn create(&self, words: &[&str]) -> Vec<String> {
        let create = ["tool-consumer", "create", "--institution", "example", "--name", "Campus"];
        create.iter().chain(words).map(|word| (*word).to_owned()).collect()
    }

    /// Its id and `api_token`.
    fn connect(&self) -> Value {
        let words =
            self.create(&["--lms", "canvas", "--url", self.canvas.url(), "--access-token", "-", "--json"]);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = self.command(&words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{}", self.canvas.token()).unwrap();
        CommandOutput::from(child.wait_with_output().unwrap()).json()
    }

    fn refused(&self, words: &[&str]) -> String {
        let words = self.create(words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.here.refuse(&words)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_learning_system_is_connected_tried_listed_switched_and_forgotten() {
    let office = Office::new().await;
    let made = office.connect();
    assert_eq!(keys(&made), ["api_token", "id"]);
    let id = made["id"].as_str().unwrap();
    office.run(&["tool-consumer", "test", id]).succeeded();
    let listed = office.run(&["tool-consumer", "list", "--institution", "example", "--json"]).json();
    let one = &listed["tool_consumers"][0];
    assert_eq!((&one["id"], &one["lms"], &one["enabled"]), (&made["id"], &json!("canvas"), &json!(true)));
    assert_eq!((&one["roles"], &one["institution"]), (&json!(["student"]), &json!("example")));
    let said = listed.to_string() + &office.run(&["tool-consumer", "list"]).succeeded();
    assert!(!said.contains(office.canvas.token()) && !said.contains(made["api_token"].as_str().unwrap()));
    let update = ["tool-consumer", "update", id, "--roles", "student,teacher", "--name", "Canvas", "--json"];
    let changed = office.run(&update).json();
    assert_eq!(changed["tool_consumers"][0]["roles"], json!(["student", "teacher"]));
    office.run(&["tool-consumer", "disable", id]).succeeded();
    assert!(office.run(&["course", "sync", "--tool-consumer", id, "101"]).refused().contains("disabled"));
    office.run(&["tool-consumer", "enable", id]).succeeded();

    office.canvas.fault(Fault::TokenDead);
    let said = office.run(&["tool-consumer", "test", id]).refused();
    assert!(!said.contains(office.canvas.token()), "{said}");
    office.canvas.heal();
    // Credentials cannot be decrypted with another key, and `doctor` reports that too.
    let other = ["--secret-key", "another key that is long enough for it"];
    let said = office.run(&[&["tool-consumer", "test", id][..], &other].concat()).refused();
    assert!(said.contains("ENDONYM_SECRET_KEY"), "{said}");
    let doctor = |words: &[&str]| {
        let ended = office.run(&[&["doctor", "--listen", "127.0.0.1:0", "--json"], words].concat());
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        let parts = report["parts"].as_array().unwrap();
        parts.iter().find(|part| part["part"] == "secrets").unwrap()["works"].clone()
    };
    assert_eq!((doctor(&[]), doctor(&other)), (json!(true), json!(false)));

    office.run(&["tool-consumer", "delete", id, "--yes"]).succeeded();
    assert!(office.run(&["tool-consumer", "test", id]).refused().contains("no tool consumer"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_whose_addresses_nobody_may_reach_any_more_can_be_disabled() {
    let office = Office::new().await;
    let url = office.canvas.url().to_owned();
    let addresses = ["--auth-url", &url, "--token-url", &url, "--jwks-url", &url, "--json"];
    let lti = ["--lms", "lti", "--url", &url, "--client-id", "c1"];
    let words = office.create(&[&lti[..], &addresses].concat());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let made = office.run(&words).json();
    let id = made["id"].as_str().unwrap();
    // The network is no longer allowed.
    office.here.run(&["tool-consumer", "disable", id]).succeeded();
    let listed = office.here.json(&["tool-consumer", "list", "--json"]);
    assert_eq!(listed["tool_consumers"][0]["enabled"], false);
    let said = office.here.refuse(&["tool-consumer", "update", id, "--token-url", &url]);
    assert!(said.contains("token url uses plain http"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deployments_and_frames_come_to_those_there_are_and_go_one_by_one() {
    let office = Office::new().await;
    let at = |path: &str| format!("{}{path}", office.canvas.url());
    let (auth, token, keys) = (at("/auth"), at("/token"), at("/jwks"));
    let words = [
        "--lms",
        "lti",
        "--url",
        office.canvas.url(),
        "--client-id",
        "c1",
        "--deployment-id",
        "d1",
        "--auth-url",
        &auth,
        "--token-url",
        &token,
        "--jwks-url",
        &keys,
        "--frame-ancestor",
        "https://A.example.edu/",
        "--json",
    ];
    let words = office.create(&words);
    let made = office.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).json();
    let id = made["id"].as_str().unwrap();
    let update = |words: &[&str]| office.run(&[&["tool-consumer", "update", id, "--json"], words].concat());
    let now = |words: &[&str]| {
        let one = update(words).json()["tool_consumers"][0].take();
        (one["deployment_ids"].clone(), one["frame_ancestors"].clone())
    };
    let (one, both) =
        (json!(["https://a.example.edu"]), json!(["https://a.example.edu", "https://*.b.example"]));
    assert_eq!(now(&["--deployment-id", "d2", "--deployment-id", "d1"]), (json!(["d1", "d2"]), one.clone()));
    assert_eq!(now(&["--frame-ancestor", "https://*.B.example"]), (json!(["d1", "d2"]), both.clone()));
    assert_eq!(now(&["--remove-deployment-id", "d1"]), (json!(["d2"]), both));
    assert_eq!(now(&["--remove-frame-ancestor", "https://*.b.example"]), (json!(["d2"]), one));
    for (words, sentence) in [
        (["--remove-deployment-id", "d1"], "is not one of those there are"),
        (["--remove-frame-ancestor", "https://c.example"], "is not one of those there are"),
        (["--frame-ancestor", "canvas.example.edu"], "must be an origin"),
        (["--frame-ancestor", "*"], "must be an origin"),
    ] {
        let said = update(&words).refused();
        assert!(said.contains(sentence), "{words:?}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn courses_are_synchronized_here_and_now_and_listed() {
    let office = Office::new().await;
    let made = office.connect();
    let id = made["id"].as_str().unwrap();
    let sync = ["course", "sync", "--tool-consumer", id];
    let told = office.run(&[&sync[..], &["sis_course_id:RHE-1", "--json"]].concat()).json();
    assert_eq!(told["courses"][0]["synchronised"], true, "{told}");
    assert_eq!((&told["courses"][0]["external_id"], &told["unknown"]), (&json!("101"), &json!([])));
    let pages = office.here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let page =
        pages["name_pages"].as_array().unwrap().iter().find(|page| page["title"] == "Rhetoric").unwrap();
    assert_eq!(page["participants"], 1);
    let list = ["course", "list", "--tool-consumer", id];
    let listed = office.run(&[&list[..], &["--json"]].concat()).json();
    assert_eq!(
        keys(&listed["courses"][0]),
        ["error", "external_id", "id", "name_page_id", "next_sync_at", "note", "state", "synced_at", "title"]
    );
    assert_eq!(listed["courses"][0]["state"], "synchronised");
    // Without ids, all known courses.
    office.canvas.enrol(101, Person::student(2, "Ben", "Okri"));
    assert!(office.run(&sync).succeeded().contains("101 (Rhetoric): synchronized"));
    let ended = office.run(&[&sync[..], &["101", "999"]].concat());
    assert!(ended.code > 0 && ended.stdout.contains("999: not found in the learning system"), "{ended:?}");
    office.canvas.fault(Fault::NoPermission);
    let refused = office.run(&sync).refused();
    assert!(!refused.contains(office.canvas.token()), "{refused}");
    let refused = office.run(&[&sync[..], &["101", "102"]].concat()).refused();
    assert!(refused.contains("course 101: Canvas accepts the access token"), "{refused}");
    office.canvas.fault(Fault::PageFails { page: 1, times: usize::MAX });
    let ended = office.run(&sync);
    assert!(ended.code > 0 && ended.stdout.contains("failed: "), "{ended:?}");
    assert!(office.run(&list).succeeded().contains("will be tried again"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_roster_that_was_held_back_is_listed_and_confirmed() {
    let office = Office::new().await;
    let made = office.connect();
    let id = made["id"].as_str().unwrap();
    let sync = ["course", "sync", "--tool-consumer", id];
    let list = ["course", "list", "--tool-consumer", id];
    office.run(&[&sync[..], &["101"]].concat()).succeeded();
    office.canvas.drop_person(101, 1);
    let ended = office.run(&sync);
    assert!(ended.code > 0 && ended.stdout.contains("--accept-empty"), "{ended:?}");
    assert!(office.run(&list).succeeded().contains("has lost everybody who was on it (1)"));
    let told = office.run(&[&sync[..], &["--accept-empty", "--json"]].concat()).json();
    assert_eq!(told["courses"][0]["synchronised"], true, "{told}");
    assert_eq!(office.run(&[&list[..], &["--json"]].concat()).json()["courses"][0]["error"], Value::Null);
    office.canvas.remove_course(101);
    let ended = office.run(&sync);
    assert!(ended.stdout.contains("101: not found in the learning system, or not visible"), "{ended:?}");
    assert!(office.run(&list).succeeded().contains("Canvas does not show this course"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_test_says_what_comes_through_and_a_schedule_is_kept() {
    let office = Office::new().await;
    office.canvas.enrol(101, Person::student(2, "Ben", "Okri").without_email());
    let made = office.connect();
    let id = made["id"].as_str().unwrap();
    let told = office.run(&["tool-consumer", "test", id]).succeeded();
    assert!(told.contains("names 2 of 2, emails 1 of 2, ids 2 of 2, pictures 0 of 2"), "{told}");
    let told = office.run(&["tool-consumer", "test", id, "--json"]).json();
    let course = json!({
        "title": "Rhetoric", "people": 2, "names": 2, "last_names": 2, "emails": 1, "identifiers": 2, "pictures": 0,
    });
    assert_eq!((&told["works"], &told["course"]), (&json!(true), &course));
    office.canvas.fault(Fault::TokenDead);
    let ended = office.run(&["tool-consumer", "test", id, "--json"]);
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code > 0, &told["works"], &told["course"]), (true, &json!(false), &Value::Null));

    let schedule = |id: &str| {
        let listed = office.run(&["tool-consumer", "list", "--json"]).json();
        let all = listed["tool_consumers"].as_array().unwrap().clone();
        all.into_iter().find(|one| one["id"] == id).unwrap()["sync_schedule"].clone()
    };
    assert_eq!(schedule(id), "nightly");
    office.run(&["tool-consumer", "update", id, "--sync-schedule", "hourly"]).succeeded();
    assert_eq!(schedule(id), "hourly");
    office.run(&["tool-consumer", "update", id, "--name", "Canvas"]).succeeded();
    assert_eq!(schedule(id), "hourly", "what is not given stays");
    let url = office.canvas.url().to_owned();
    let words = ["--lms", "canvas", "--url", &url, "--access-token", "x", "--sync-schedule", "off", "--json"];
    let words = office.create(&words);
    let other = office.run(&words.iter().map(String::as_str).collect::<Vec<_>>()).json();
    assert_eq!(schedule(other["id"].as_str().unwrap()), "off");
    office.run(&["tool-consumer", "update", id, "--sync-schedule", "weekly"]).refused();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_connected_is_said_in_a_sentence_and_not_kept() {
    let office = Office::new().await;
    let url = office.canvas.url().to_owned();
    // This network is not allowed here.
    let said = office.refused(&["--lms", "canvas", "--url", &url, "--access-token", "x"]);
    assert!(said.contains("url uses plain http, which is only allowed to networks named in"), "{said}");
    let public = ["--lms", "canvas", "--url", "https://192.0.2.1"];
    assert!(office.refused(&public).contains("access token can't be blank"));
    let said = office.refused(&[&public[..], &["--access-token", "x", "--roles", "king"]].concat());
    assert!(said.contains("king") && said.contains("teacher"), "{said}");
    office.refused(&["--lms", "fax", "--url", "https://x.example", "--access-token", "x"]);
    assert!(office.refused(&["--lms", "lti", "--url", "https://x.example"]).contains("client id"));
    // An issuer whose configuration cannot be fetched, without the URLs in its place.
    let lti = office.create(&["--lms", "lti", "--url", &url, "--client-id", "c1"]);
    let lti: Vec<&str> = lti.iter().map(String::as_str).collect();
    assert!(office.run(&lti).refused().contains("--token-url"));
    let secret = ["--lms", "lti", "--url", "https://me:s3cret@192.0.2.1", "--client-id", "c1"];
    let said = office.refused(&secret);
    assert!(
        said.contains("url must not contain a user name or password") && !said.contains("s3cret"),
        "{said}"
    );
    assert_eq!(office.here.json(&["tool-consumer", "list", "--json"]), json!({ "tool_consumers": [] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_joins_two_courses() {
    let mut office = Office::new().await;
    let first = office.connect()["id"].as_str().unwrap().to_owned();
    office.run(&["course", "sync", "--tool-consumer", &first, "101"]).succeeded();
    office.canvas = Canvas::start().await;
    office.canvas.course(7, None, "Rhetoric, elsewhere");
    office
        .canvas
        .enrol(7, Person::student(31, "Ana", "Lima").email("person1@example.edu").without_identifier());
    office.canvas.enrol(7, Person::student(32, "Ben", "Okri"));
    let second = office.connect()["id"].as_str().unwrap().to_owned();
    office.run(&["course", "sync", "--tool-consumer", &second, "7"]).succeeded();
    let id = |consumer: &str| {
        let listed = office.run(&["course", "list", "--tool-consumer", consumer, "--json"]).json();
        listed["courses"][0]["id"].as_str().unwrap().to_owned()
    };
    let (kept, other) = (id(&first), id(&second));
    assert!(office.run(&["course", "list", "--tool-consumer", &first]).succeeded().contains(&kept));
    let join = |one: &str, two: &str| {
        office.run(&["course", "join", one, two, "--institution", "example", "--json"])
    };
    for unknown in ["1", "x", "-"] {
        assert!(join(&kept, unknown).refused().contains("endonym course list"), "{unknown}");
    }
    assert!(join(&kept, &kept).refused().contains("one tool consumer"));
    assert_eq!(join(&kept, &other).json(), json!({ "id": kept, "moved": 1, "joined": 1 }));
    assert!(join(&kept, &other).refused().contains(&other), "twice is once too often");
    assert_eq!(id(&second), kept, "the other way leads to it");
    let pages = office.here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let pages: Vec<&Value> = pages["name_pages"].as_array().unwrap().iter().collect();
    assert!(!pages.iter().any(|page| page["title"] == "Rhetoric, elsewhere"), "{pages:?}");
    let page = pages.iter().find(|page| page["title"] == "Rhetoric").unwrap();
    assert_eq!(page["participants"], 2);
}
