//! `endonym institution …`

use serde_json::{Value, json};

use super::keys;
use crate::support::{
    process::{Installation, on_terminal},
    until,
};

#[tokio::test]
async fn create_answers_with_id_slug_and_access_code() {
    let here = Installation::new().await;
    let made = here.json(&["institution", "create", "--name", "Universität Zürich", "--json"]);
    assert_eq!(keys(&made), ["access_code", "id", "slug"]);
    assert_eq!(made["slug"], "universitat-zurich");
    assert!(made["access_code"].as_str().unwrap().len() >= 8);
    assert!(made["id"].is_string(), "a number of this size does not survive every JSON reader");
}

#[tokio::test]
async fn create_takes_slug_zone_and_multiple_recordings() {
    let here = Installation::new().await;
    let words =
        ["institution", "create", "--name", "Example", "--slug", "ex-1", "--time-zone", "Asia/Kathmandu"];
    let made = here.json(&[words.as_slice(), &["--multiple-recordings", "--json"]].concat());
    assert_eq!(made["slug"], "ex-1");
    here.succeed(&["institution", "create", "--name", "Another", "--json"]);
    let listed = here.json(&["institution", "list", "--json"]);
    assert_eq!(keys(&listed), ["institutions"]);
    let all = listed["institutions"].as_array().unwrap();
    assert_eq!(all.len(), 2);
    let found = all.iter().find(|one| one["slug"] == "ex-1").unwrap();
    assert_eq!(found["id"], made["id"]);
    assert_eq!(found["access_code"], made["access_code"]);
    assert_eq!(found["name"], "Example");
    assert_eq!(found["time_zone"], "Asia/Kathmandu");
    assert_eq!(found["multiple_recordings"], true);
    let other = all.iter().find(|one| one["slug"] == "another").unwrap();
    assert_eq!(other["time_zone"], "UTC");
    assert_eq!(other["multiple_recordings"], false);
}

#[tokio::test]
async fn calls_are_made_in_the_language_of_the_institution() {
    let here = Installation::new().await;
    let language =
        || here.json(&["institution", "list", "--json"])["institutions"][0]["phone_language"].clone();
    here.succeed(&["institution", "create", "--name", "Example", "--phone-language", "es-MX"]);
    assert_eq!(language(), "es-MX");
    let update = |words: &[&str]| here.succeed(&[&["institution", "update", "example"], words].concat());
    let table = update(&["--phone-language", "fr"]);
    assert!(table.contains("CALL LANGUAGE") && table.trim_end().ends_with(" fr"), "{table}");
    update(&["--name", "Example College"]);
    assert_eq!(language(), "fr", "it stays where it is not given");
    let update = &["institution", "update", "example", "--phone-language"];
    let said = here.refuse(&[&update[..], &["../fr"]].concat());
    assert!(said.contains("phone language must be a code like fr or es-MX, not `../fr`"), "{said}");
    assert_eq!(language(), "fr");
    here.succeed(&[&update[..], &[""]].concat());
    assert_eq!(language(), json!(null), "the installation's");
}

#[tokio::test]
async fn the_language_of_the_installation_is_not_taken_for_an_institutions() {
    let here = Installation::new().await;
    let run = |words: &[&str]| {
        let done = here.command(words).env("ENDONYM_PHONE_LANGUAGE", "de").output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    };
    run(&["institution", "create", "--name", "Example"]);
    run(&["institution", "update", "example", "--name", "Example College"]);
    let listed = here.json(&["institution", "list", "--json"]);
    assert_eq!(listed["institutions"][0]["phone_language"], json!(null));
}

#[tokio::test]
async fn without_json_a_person_reads_what_was_made_and_what_to_do_next() {
    let here = Installation::new().await;
    let said = here.succeed(&["institution", "create", "--name", "Example University"]);
    assert!(said.contains("example-university") && said.contains("endonym token create"), "{said}");
    let table = here.succeed(&["institution", "list"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 2, "{table}");
    assert!(lines[0].starts_with("SLUG") && lines[1].contains("Example University"), "{table}");
}

#[tokio::test]
async fn an_empty_list_is_an_empty_array() {
    let here = Installation::new().await;
    assert_eq!(here.json(&["institution", "list", "--json"]), json!({ "institutions": [] }));
}

#[tokio::test]
async fn what_is_wrong_is_said_in_a_sentence() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example", "--slug", "taken"]);
    let create = |words: &[&str]| here.refuse(&[&["institution", "create", "--json"], words].concat());
    assert!(create(&["--name", "Other", "--slug", "taken"]).contains("slug has already been taken"));
    assert!(create(&["--name", "Other", "--slug", "Not A Slug"]).contains("slug"));
    assert!(create(&["--name", "  "]).contains("name can't be blank"));
    assert!(create(&["--name", "Other", "--time-zone", "Mars/Olympus"]).contains("Mars/Olympus"));
    assert!(create(&["--name", &"x".repeat(201)]).contains("too long"));
    assert!(create(&["--name", "bell\u{7}"]).contains("invalid"));
    let usage = create(&[]);
    assert!(usage.contains("--name") && usage.contains("Usage:"), "a hint helps here: {usage}");
    let listed = here.json(&["institution", "list", "--json"]);
    assert_eq!(listed["institutions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn update_changes_what_is_given_and_nothing_else() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example", "--time-zone", "Europe/Paris"]);
    let before = here.json(&["institution", "list", "--json"])["institutions"][0].clone();
    assert_eq!(before["rate_limit"], json!(null));
    let update =
        |words: &[&str]| here.json(&[&["institution", "update", "example", "--json"], words].concat());
    let mut wanted = before.clone();
    wanted["name"] = json!("Example College");
    assert_eq!(update(&["--name", "Example College"]), wanted);
    wanted["allowed_origins"] = json!(["http://localhost:3000", "https://directory.example.edu"]);
    let origins =
        ["--allow-origin", "https://Directory.example.edu/", "--allow-origin", "http://localhost:3000"];
    assert_eq!(update(&origins), wanted);
    wanted["allowed_origins"] = json!(["https://directory.example.edu"]);
    assert_eq!(update(&["--forbid-origin", "http://localhost:3000"]), wanted);
    wanted["rate_limit"] = json!(50);
    assert_eq!(update(&["--token-rate-limit", "50"]), wanted);
    wanted["multiple_recordings"] = json!(true);
    assert_eq!(update(&["--multiple-recordings"]), wanted, "a ceiling of its own stays");
    wanted["rate_limit"] = json!(null);
    assert_eq!(update(&["--token-rate-limit", "default"]), wanted);
    wanted["multiple_recordings"] = json!(false);
    wanted["time_zone"] = json!("America/New_York");
    assert_eq!(update(&["--multiple-recordings", "false", "--time-zone", "America/New_York"]), wanted);
    assert_eq!(here.json(&["institution", "list", "--json"])["institutions"][0], wanted);
    let refused =
        here.refuse(&["institution", "update", "example", "--allow-origin", "directory.example.edu"]);
    assert!(refused.contains("https://"), "{refused}");
    here.refuse(&["institution", "update", "example", "--token-rate-limit", "many"]);
    here.refuse(&["institution", "update", "nobody", "--name", "X"]);
}

/// Unrelated to the server's setting of the same name.
#[tokio::test]
async fn the_servers_rate_limit_is_not_an_institutions() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    let mut command = here.command(&["institution", "update", "example", "--name", "New name", "--json"]);
    let changed = crate::support::process::CommandOutput::of(command.env("ENDONYM_RATE_LIMIT", "77")).json();
    assert_eq!(changed["rate_limit"], json!(null));
}

#[tokio::test]
async fn delete_asks_first() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    let delete = ["institution", "delete", "example"];
    let refused = here.refuse(&delete);
    assert!(refused.contains("--yes") && refused.contains("example"), "{refused}");
    for typed in ["no\n", "\n", "y\n"] {
        let asked = on_terminal(&here, &delete, typed);
        assert!(asked.code > 0 && asked.stdout.contains("yes"), "{asked:?}");
    }
    let left = here.json(&["institution", "list", "--json"]);
    assert_eq!(left["institutions"].as_array().unwrap().len(), 1);
    let asked = on_terminal(&here, &delete, "yes\n");
    assert_eq!(asked.code, 0, "{asked:?}");
    assert_eq!(here.json(&["institution", "list", "--json"]), json!({ "institutions": [] }));
}

#[tokio::test]
async fn delete_takes_everything_with_it() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "pronouns"]);
    let rows: String = (0..20).map(|i| format!("P{i},p{i}@example.edu,she\n")).collect();
    here.import(&format!("first_name,email,custom_pronouns\n{rows}"));
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let list = || {
        let address = format!("{}/api/private/v5/participants", serving.base);
        client.get(address).header("Authorization", &token).send()
    };
    assert_eq!(list().await.unwrap().status(), 200);
    here.succeed(&["institution", "delete", "example", "--yes"]);
    until("the token is dead", || async { list().await.unwrap().status() == 401 }).await;
    assert!(here.refuse(&["institution", "delete", "example", "--yes"]).contains("no institution `example`"));
    // Slug and codes are free again, and the new institution contains no data of the old one.
    here.succeed(&["institution", "create", "--name", "Example University", "--slug", "example"]);
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Class", "--slug", "class"]);
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    assert_eq!(pages["name_pages"][0]["participants"], 0);
    let fields = here.json(&["custom-field", "list", "--institution", "example", "--json"]);
    assert_eq!(fields, json!({ "custom_fields": [] }));
    assert_eq!(here.json(&["token", "list", "--institution", "example", "--json"]), json!({ "tokens": [] }));
}

#[tokio::test]
async fn pages_have_a_language_and_new_registrations_may_start_without_a_recording() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    let set =
        |institution: &Value| (institution["language"].clone(), institution["starts_with_newest"].clone());
    let listed = || set(&here.json(&["institution", "list", "--json"])["institutions"][0]);
    assert_eq!(listed(), (json!(null), json!(true)));
    let update =
        |words: &[&str]| here.json(&[&["institution", "update", "example"], words, &["--json"]].concat());
    let changed = update(&["--language", "fr", "--starts-with-newest", "off"]);
    assert_eq!(set(&changed), (json!("fr"), json!(false)));
    update(&["--name", "Example College"]);
    assert_eq!(listed(), (json!("fr"), json!(false)), "they stay where they are not given");
    let refuse = |words: &[&str]| here.refuse(&[&["institution", "update", "example"], words].concat());
    let said = refuse(&["--language", "tlh"]);
    assert!(said.contains("language must be one of en, es, fr, de, pt, zh, ar, not `tlh`"), "{said}");
    assert!(refuse(&["--starts-with-newest", "maybe"]).contains("use `on` or `off`"));
    assert_eq!(set(&update(&["--language", "", "--starts-with-newest", "on"])), (json!(null), json!(true)));
}

#[tokio::test]
async fn notes_are_on_badges_only_if_an_admin_says_so() {
    let here = Installation::new().await;
    let made = here.json(&["institution", "create", "--name", "Example", "--json"]);
    assert!(made["slug"] == "example", "{made}");
    let update =
        |words: &[&str]| here.json(&[&["institution", "update", "example"], words, &["--json"]].concat());
    let notes = |shown: Value| shown["notes_on_badge"].clone();
    assert_eq!(notes(update(&["--name", "Example College"])), json!(false));
    assert_eq!(notes(update(&["--notes-on-badge", "true"])), json!(true));
    assert_eq!(notes(update(&["--name", "Example"])), json!(true), "it stays where it is not given");
    assert_eq!(notes(update(&["--notes-on-badge", "false"])), json!(false));
}

#[tokio::test]
async fn an_accent_color_must_be_readable_and_a_logo_a_picture() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    let update = ["institution", "update", "example"];
    let refused = |words: &[&str]| here.refuse(&[&update[..], words].concat());
    let look = |words: &[&str]| {
        let changed = here.json(&[&update[..], &["--json"], words].concat());
        (changed["accent"].clone(), changed["logo"].clone())
    };
    assert_eq!(look(&["--accent", "#7A1F3D"]), (json!("#7a1f3d"), json!(false)));
    let said = refused(&["--accent", "#ffd200"]);
    assert!(
        said.contains("#ffd200 is too light") && said.contains("1.2:1") && said.contains("4.5:1"),
        "{said}"
    );
    let nearest = &said.split("darker shade is ").nth(1).unwrap()[.."#rrggbb".len()];
    assert_eq!(look(&["--accent", nearest]).0, nearest);
    let said = refused(&["--accent", "crimson"]);
    assert!(said.contains("accent color must be six hex digits, like #7a1f3d, not `crimson`"), "{said}");

    here.write("logo.png", crate::support::media::png());
    assert_eq!(look(&["--logo", "logo.png"]), (json!(nearest), json!(true)));
    here.write("logo.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    let said = refused(&["--logo", "logo.svg", "--accent", "none"]);
    assert!(said.contains("logo is invalid: this is an SVG drawing"), "{said}");
    assert!(refused(&["--logo", "nowhere.png"]).contains("cannot read nowhere.png"));
    assert_eq!(look(&["--name", "Other"]), (json!(nearest), json!(true)), "a refused change changes nothing");
    assert_eq!(look(&["--accent", "none", "--logo", "none"]), (json!(null), json!(false)));
}
