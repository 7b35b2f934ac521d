//! `endonym name-page …`

use serde_json::{Value, json};

use super::keys;
use crate::support::process::{Installation, on_terminal};

fn pages(here: &Installation, institution: &str) -> Vec<Value> {
    let listed = here.json(&["name-page", "list", "--institution", institution, "--json"]);
    assert_eq!(keys(&listed), ["name_pages"]);
    listed["name_pages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn create_answers_with_id_slug_and_codes() {
    let (here, _) = Installation::with_token().await;
    let made =
        here.json(&["name-page", "create", "--institution", "example", "--title", "Class of 2027", "--json"]);
    assert_eq!(keys(&made), ["access_code", "event_code", "id", "slug"]);
    assert_eq!(made["slug"], "class-of-2027");
    assert!(keys(&made).iter().all(|key| made[key].as_str().is_some_and(|text| !text.is_empty())), "{made}");
    assert_ne!(made["event_code"], made["access_code"]);
}

#[tokio::test]
async fn create_takes_slug_access_code_and_version_2() {
    let (here, _) = Installation::with_token().await;
    let words = ["name-page", "create", "--institution", "example", "--title", "Graduación", "--json"];
    let more = ["--slug", "grad-27", "--access-code", "Open#2027", "--allow-v2"];
    let ended = here.run(&[words.as_slice(), &more].concat());
    assert!(ended.stderr.contains("Anyone who knows the access code Open#2027"), "{ended:?}");
    let made = ended.json();
    assert_eq!((&made["slug"], &made["access_code"]), (&json!("grad-27"), &json!("Open#2027")));
    let pages = pages(&here, "example");
    assert_eq!(pages.len(), 2);
    let page = pages.iter().find(|page| page["slug"] == "grad-27").unwrap();
    assert_eq!(page["id"], made["id"]);
    assert_eq!(page["event_code"], made["event_code"]);
    assert_eq!((&page["title"], &page["allow_v2"]), (&json!("Graduación"), &json!(true)));
    let other = pages.iter().find(|page| page["slug"] == "class").unwrap();
    assert_eq!(other["allow_v2"], false, "off unless asked for");
    let table = here.succeed(&["name-page", "list", "--institution", "example"]);
    assert!(table.contains("grad-27") && table.contains("Open#2027"), "{table}");
}

#[tokio::test]
async fn slugs_and_codes_are_unique_across_institutions() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    let create = |words: &[&str]| {
        here.run(
            &[&["name-page", "create", "--institution", "other", "--json", "--title", "Class"], words]
                .concat(),
        )
    };
    let by_itself = create(&[]).json();
    assert_ne!(by_itself["slug"], "class", "a slug made from the title gives way");
    assert!(create(&["--slug", "class"]).refused().contains("slug has already been taken"));
    let class = &pages(&here, "example")[0];
    for key in ["id", "event_code", "access_code"] {
        let taken = class[key].as_str().unwrap().to_lowercase();
        let refused = create(&["--access-code", &taken]).refused();
        assert!(refused.contains("access code has already been taken"), "{key}: {refused}");
    }
    assert!(create(&["--access-code", "CLASS"]).refused().contains("at least 8 characters"));
    assert!(create(&["--slug", "Ünique"]).refused().contains("slug"));
    assert!(create(&["--access-code", "con\u{7}trol"]).refused().contains("access code"));
    assert!(
        here.refuse(&["name-page", "create", "--institution", "other", "--title", " "]).contains("title")
    );
    assert!(here.refuse(&["name-page", "create", "--institution", "other"]).contains("--title"));
    assert!(
        here.refuse(&["name-page", "list", "--institution", "nobody"]).contains("no institution `nobody`")
    );
}

#[tokio::test]
async fn update_opens_a_page_to_version_2_and_closes_it() {
    let (here, _) = Installation::with_token().await;
    let update =
        |more: &[&str]| here.run(&[&["name-page", "update", "--institution", "example"], more].concat());
    let is_open = || pages(&here, "example")[0]["allow_v2"].clone();
    let said = update(&["class", "--allow-v2"]).succeeded();
    assert!(said.contains("answers version 2"), "{said}");
    let code = pages(&here, "example")[0]["access_code"].as_str().unwrap().to_owned();
    for word in [&code, "Anyone", "email addresses", "--institution example class --allow-v2 false"] {
        assert!(said.contains(word), "who can then read what: {word} in {said}");
    }
    assert_eq!(is_open(), true);
    assert!(update(&["CLASS", "--allow-v2", "false"]).succeeded().contains("does not answer version 2"));
    assert_eq!(is_open(), false);
    let said = update(&["nothing", "--allow-v2"]).refused();
    assert!(said.contains("nothing") && said.contains("name-page list"), "{said}");
}

#[tokio::test]
async fn delete_takes_every_name_of_a_page() {
    let (here, _) = Installation::with_token().await;
    for key in ["id", "slug", "event_code", "access_code"] {
        let words = ["name-page", "create", "--institution", "example", "--title", "Goes", "--json"];
        let reference = here.json(&words)[key].as_str().unwrap().to_uppercase();
        let delete = ["name-page", "delete", "--institution", "example", &reference];
        let refused = here.refuse(&delete);
        assert!(refused.contains("--yes"), "{refused}");
        assert_eq!(pages(&here, "example").len(), 2, "nothing happens without --yes");
        here.succeed(&[delete.as_slice(), &["--yes"]].concat());
        assert_eq!(pages(&here, "example").len(), 1, "{key}");
        let again = here.refuse(&[delete.as_slice(), &["--yes"]].concat());
        assert!(again.contains("no name page") && again.contains("name-page list"), "{again}");
    }
}

#[tokio::test]
async fn delete_asks_on_a_terminal_and_takes_the_people_too() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Other", "--slug", "other"]);
    here.import("first_name,email\nAna,ana@example.edu\nBea,bea@example.edu\n");
    assert_eq!(pages(&here, "example")[0]["participants"], 2);
    let delete = ["name-page", "delete", "--institution", "example", "class"];
    let kept = on_terminal(&here, &delete, "no\n");
    assert!(kept.code > 0 && kept.stdout.contains("Class"), "{kept:?}");
    assert_eq!(pages(&here, "example").len(), 2);
    let gone = on_terminal(&here, &delete, "yes\n");
    assert!(gone.code == 0 && gone.stdout.contains("2 people"), "{gone:?}");
    let serving = here.serve(&[]);
    let address = format!("{}/api/private/v5/participants", serving.base);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(address).header("Authorization", token).send().await.unwrap();
    let answer: Value = answer.json().await.unwrap();
    assert_eq!(answer["Response"]["participants"], json!([]));
    assert_eq!(answer["Response"]["meta"]["total_count"], 0);
}

#[tokio::test]
async fn a_code_may_be_written_with_blanks_when_it_is_set_and_when_a_page_is_named() {
    let (here, _) = Installation::with_token().await;
    let words = ["name-page", "create", "--institution", "example", "--title", "Graduation", "--json"];
    let made = here.json(&[words.as_slice(), &["--access-code", " r99e JJFY\u{a0}"]].concat());
    assert_eq!(made["access_code"], "r99eJJFY");
    let taken = here.refuse(&[words.as_slice(), &["--access-code", "R99E jj FY"]].concat());
    assert!(taken.contains("access code has already been taken"), "{taken}");
    let blank = here.refuse(&[words.as_slice(), &["--access-code", "  "]].concat());
    assert!(blank.contains("must be visible characters"), "{blank}");
    here.succeed(&["name-page", "update", "--institution", "example", "R99E JJFY", "--allow-v2"]);
    let page = pages(&here, "example").into_iter().find(|page| page["id"] == made["id"]).unwrap();
    assert_eq!(page["allow_v2"], true);
}

#[tokio::test]
async fn another_institutions_page_is_no_page() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    let refused = here.refuse(&["name-page", "delete", "--institution", "other", "class", "--yes"]);
    assert!(refused.contains("no name page `class`"), "{refused}");
    assert_eq!(pages(&here, "example").len(), 1);
}

#[tokio::test]
async fn export_writes_everybody_to_a_new_file() {
    let (here, _) = Installation::with_token().await;
    here.import("email,first_name,last_name\nana@example.edu,=Ana,Lima;=1\n");
    let export = ["name-page", "export", "class", "--institution", "example", "--base-url"];
    for (format, start) in
        [("csv", &b"\xef\xbb\xbf\"email\","[..]), ("vcard", &b"BEGIN:VCARD\r\n"[..]), ("xlsx", &b"PK"[..])]
    {
        let out = here.path(&format!("class.{format}"));
        let words =
            ["https://names.example.edu", "--format", format, "--out", out.to_str().unwrap(), "--json"];
        let told = here.json(&[&export[..], &words].concat());
        assert_eq!(keys(&told), ["bytes", "missing", "out"]);
        let file = std::fs::read(&out).unwrap();
        assert!(file.starts_with(start), "{format}: {file:?}");
        assert_eq!(told["bytes"], file.len());
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&out).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "it has personal data");
    }
    let csv = std::fs::read_to_string(here.path("class.csv")).unwrap();
    assert!(csv.contains(r#""ana@example.edu","'=Ana","Lima;'=1","#), "{csv}");
    assert!(csv.contains(r#","https://names.example.edu/badges/"#), "{csv}");
    let zip = here.path("class.zip");
    let zip = ["https://names.example.edu", "--format", "zip", "--out", zip.to_str().unwrap()];
    assert!(here.succeed(&[&export[..], &zip].concat()).contains("class.zip: "));
    assert!(here.refuse(&[&export[..], &zip].concat()).contains("cannot write"), "it exists");
    let unknown =
        ["name-page", "export", "nowhere", "--institution", "example", "--format", "csv", "--out", "x"];
    assert!(here.refuse(&unknown).contains("endonym name-page list --institution example"));
    let unknown =
        ["name-page", "export", "class", "--institution", "example", "--format", "pdf", "--out", "x"];
    assert!(here.refuse(&unknown).contains("invalid value 'pdf'"));
}

/// What `show` says about a page.
fn shown(here: &Installation, page: &str) -> Value {
    here.json(&["name-page", "show", "--institution", "example", page, "--json"])
}

#[tokio::test]
async fn update_sets_and_clears_every_setting() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["institution", "update", "example", "--time-zone", "Europe/Berlin"]);
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "degree"]);
    let update = |more: &[&str]| {
        here.run(&[&["name-page", "update", "--institution", "example", "class"], more].concat())
    };
    let said = update(&[
        "--title",
        "Class of 2027",
        "--description",
        "Please say your name.",
        "--date",
        "2027-06-01",
        "--register",
        "domain",
        "--domains",
        "example.edu,*.example.org",
        "--listen",
        "link",
        "--moderation",
        "hold",
        "--closes",
        "2027-05-31T18:00",
        "--ask",
        "notes=required",
        "--ask",
        "degree=optional",
        "--take-seconds",
        "5",
        "--delete-after-days",
        "30",
    ])
    .succeeded();
    assert!(said.contains("Class of 2027") && said.contains("/p/class"), "{said}");
    let page = shown(&here, "class");
    for (key, wanted) in [
        ("title", json!("Class of 2027")),
        ("description", json!("Please say your name.")),
        ("date", json!("2027-06-01")),
        ("register", json!("domain")),
        ("domains", json!(["example.edu", "*.example.org"])),
        ("listen", json!("link")),
        ("moderation", json!("hold")),
        ("closes_at", json!("2027-05-31T18:00:00.000+02:00")),
        ("take_seconds", json!(5)),
        ("delete_after_days", json!(30)),
        ("deletes_at", json!("2027-07-01T00:00:00.000+02:00")),
        ("archived_at", Value::Null),
        ("allow_v2", json!(false)),
        ("participants", json!(0)),
        ("recorded", json!(0)),
    ] {
        assert_eq!(page[key], wanted, "{key}");
    }
    let asked = &page["asked"];
    assert_eq!((&asked["notes"], &asked["custom_degree"]), (&json!("required"), &json!("optional")));
    assert_eq!(asked["name"], "required");
    update(&["--closes", "never", "--description", "", "--take-seconds", "", "--delete-after-days", ""])
        .succeeded();
    update(&["--register", "open", "--domains", "", "--date", ""]).succeeded();
    let page = shown(&here, "class");
    for key in ["closes_at", "description", "take_seconds", "delete_after_days", "date", "deletes_at"] {
        assert_eq!(page[key], Value::Null, "{key}");
    }
    assert_eq!((&page["domains"], &page["listen"]), (&json!([]), &json!("link")));
    // Together with version 2.
    let said = update(&["--allow-v2", "--listen", "managers"]).succeeded();
    assert!(said.contains("answers version 2") && said.contains("managers"), "{said}");
    let changed = update(&["--allow-v2", "false", "--json"]).json();
    assert_eq!((&changed["allow_v2"], &changed["listen"]), (&json!(false), &json!("managers")));
}

#[tokio::test]
async fn update_refuses_what_it_does_not_understand() {
    let (here, _) = Installation::with_token().await;
    for (words, reason) in [
        (&["--register", "everybody"][..], "invited"),
        (&["--listen", "127.0.0.1:80"], "managers"),
        (&["--moderation", "on"], "hold"),
        (&["--closes", "soon"], "2027-05-31T18:00"),
        (&["--date", "1 June"], "2027-05-31"),
        (&["--ask", "notes"], "FIELD=HOW"),
        (&["--ask", "notes=sometimes"], "optional"),
        (&["--ask", "shoe_size=required"], "shoe_size"),
        (&["--domains", "not a domain"], "example.edu"),
        (&["--register", "domain"], "domains must be set"),
        (&["--delete-after-days", "30"], "date must be set"),
        (&["--delete-after-days=-1"], "--delete-after-days must be a number"),
        (&["--take-seconds", "one"], "--take-seconds"),
        (&["--take-seconds", "0"], "between 3 and"),
        (&["--title", " "], "title can't be blank"),
        (&[], "nothing to change"),
    ] {
        let said =
            here.refuse(&[&["name-page", "update", "--institution", "example", "class"], words].concat());
        assert!(said.contains(reason), "{words:?}: {said}");
    }
    let page = shown(&here, "class");
    assert_eq!((&page["register"], &page["listen"]), (&json!("invited"), &json!("registered")));
    let said = here.refuse(&["name-page", "show", "--institution", "example", "nothing"]);
    assert!(said.contains("no name page `nothing`"), "{said}");
}

/// `--listen` is a setting of the server, too.
#[tokio::test]
async fn settings_of_the_server_do_not_become_settings_of_a_page() {
    let (here, _) = Installation::with_token().await;
    let words = ["name-page", "update", "--institution", "example", "class", "--moderation", "hold"];
    let mut command = here.command(&words);
    command.env("ENDONYM_LISTEN", "127.0.0.1:1").env("ENDONYM_DATE", "2027-01-01");
    assert!(command.output().unwrap().status.success());
    let page = shown(&here, "class");
    assert_eq!((&page["listen"], &page["date"]), (&json!("registered"), &Value::Null));
}

#[tokio::test]
async fn create_takes_settings_too() {
    let (here, _) = Installation::with_token().await;
    let words = ["name-page", "create", "--institution", "example", "--title", "Choir", "--json"];
    here.json(&[words.as_slice(), &["--register", "open", "--ask", "phonetic=off"]].concat());
    let page = shown(&here, "choir");
    assert_eq!((&page["register"], &page["asked"]["phonetic"]), (&json!("open"), &json!("off")));
    let said = here.refuse(&[words.as_slice(), &["--slug", "second", "--register", "domain"]].concat());
    assert!(said.contains("domains"), "{said}");
    assert_eq!(pages(&here, "example").len(), 2);
}

#[tokio::test]
async fn copy_and_archive() {
    let (here, _) = Installation::with_token().await;
    here.import("first_name,email\nAna,ana@example.edu\n");
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--register", "open"]);
    let copy = ["name-page", "copy", "--institution", "example", "class", "--title", "Next class"];
    let made = here.json(&[copy.as_slice(), &["--slug", "next", "--json"]].concat());
    assert_eq!(
        (keys(&made), &made["slug"]),
        (vec!["access_code", "event_code", "id", "slug"], &json!("next"))
    );
    let page = shown(&here, "next");
    assert_eq!((&page["register"], &page["participants"]), (&json!("open"), &json!(0)));
    assert!(here.refuse(&[copy.as_slice(), &["--slug", "next"]].concat()).contains("already been taken"));

    let archive = ["name-page", "archive", "--institution", "example", "class"];
    assert!(here.succeed(&archive).contains("is archived"));
    let slugs = |more: &[&str]| {
        let listed =
            here.json(&[&["name-page", "list", "--institution", "example", "--json"], more].concat());
        let slug = |page: &Value| page["slug"].as_str().unwrap().to_owned();
        listed["name_pages"].as_array().unwrap().iter().map(slug).collect::<Vec<_>>()
    };
    assert_eq!((slugs(&[]), slugs(&["--archived"])), (vec!["next".to_owned()], vec!["class".to_owned()]));
    let said = here.refuse(&["name-page", "update", "--institution", "example", "class", "--listen", "link"]);
    assert!(said.contains("is archived"), "{said}");
    assert!(here.succeed(&[archive.as_slice(), &["--undo"]].concat()).contains("not archived any more"));
    assert_eq!(slugs(&[]).len(), 2);
    let said = here.refuse(&["name-page", "archive", "--institution", "example", "nothing"]);
    assert!(said.contains("no name page `nothing`"), "{said}");
}
