//! `endonym custom-field …`

use serde_json::json;

use super::keys;
use crate::support::process::{Installation, on_terminal};

#[tokio::test]
async fn create_answers_with_name_and_import_key() {
    let (here, _) = Installation::with_token().await;
    let words = ["custom-field", "create", "--institution", "example", "--name", "gender_pronouns", "--json"];
    let made = here.json(&words);
    assert_eq!(made, json!({ "name": "gender_pronouns", "import_key": "custom_gender_pronouns" }));
    let labelled =
        ["custom-field", "create", "--institution", "example", "--name", "major", "--label", "Hauptfach"];
    here.succeed(&labelled);
    let listed = here.json(&["custom-field", "list", "--institution", "example", "--json"]);
    assert_eq!(keys(&listed), ["custom_fields"]);
    let wanted = json!([
        { "name": "gender_pronouns", "label": "gender pronouns", "import_key": "custom_gender_pronouns", "editable": false,
          "kind": "text", "options": [], "asked": "off", "on_badge": false },
        { "name": "major", "label": "Hauptfach", "import_key": "custom_major", "editable": false,
          "kind": "text", "options": [], "asked": "off", "on_badge": false },
    ]);
    assert_eq!(listed["custom_fields"], wanted);
    let table = here.succeed(&["custom-field", "list", "--institution", "example"]);
    assert!(table.contains("Hauptfach") && table.contains("custom_major"), "{table}");
}

#[tokio::test]
async fn a_field_that_people_may_edit_is_created_or_updated() {
    let (here, _) = Installation::with_token().await;
    fn field<'a>(words: &[&'a str]) -> Vec<&'a str> {
        [&["custom-field"], words, &["--institution", "example"]].concat()
    }
    here.succeed(&field(&["create", "--name", "gender_pronouns", "--editable"]));
    here.succeed(&field(&["create", "--name", "major"]));
    let editable = || {
        let listed = here.json(&field(&["list", "--json"]));
        let all = listed["custom_fields"].as_array().unwrap().clone();
        all.iter().map(|one| one["editable"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(editable(), [true, false]);
    let updated = here.json(&field(&["update", "major", "--editable", "true", "--json"]));
    let wanted = json!({ "name": "major", "label": "major", "import_key": "custom_major", "editable": true,
                         "kind": "text", "options": [], "asked": "off", "on_badge": false });
    assert_eq!(updated, wanted);
    let table =
        here.succeed(&field(&["update", "gender_pronouns", "--editable", "false", "--label", "Pronouns"]));
    assert!(table.contains("EDITABLE") && table.contains("Pronouns"), "{table}");
    assert_eq!(editable(), [false, true]);
    let updated = here.json(&field(&["update", "major", "--on-badge", "true", "--json"]));
    assert_eq!(updated["on_badge"], json!(true));
    // What is not given stays.
    let updated = here.json(&field(&["update", "major", "--label", "Hauptfach", "--json"]));
    let shown = ["label", "editable", "on_badge"].map(|key| &updated[key]);
    assert_eq!(shown, [&json!("Hauptfach"), &json!(true), &json!(true)]);
    let updated = here.json(&field(&["update", "major", "--on-badge", "false", "--json"]));
    assert_eq!(updated["on_badge"], json!(false));
    assert!(here.refuse(&field(&["update", "degree"])).contains("no custom field `degree`"));
    let long = "x".repeat(1_000);
    assert!(here.refuse(&field(&["update", "major", "--label", &long])).contains("label"));
}

#[tokio::test]
async fn a_field_has_a_kind_and_options() {
    let (here, _) = Installation::with_token().await;
    fn field<'a>(words: &[&'a str]) -> Vec<&'a str> {
        [&["custom-field"], words, &["--institution", "example"]].concat()
    }
    let create = ["create", "--name", "voice", "--kind", "choice", "--option", "Alto", "--option", "Bass"];
    here.succeed(&field(&[&create[..], &["--asked", "required"]].concat()));
    let shown = |words: &[&str]| {
        let shown = here.json(&field(words));
        (shown["kind"].clone(), shown["options"].clone(), shown["asked"].clone())
    };
    let wanted = (json!("choice"), json!(["Alto", "Bass"]), json!("required"));
    assert_eq!(shown(&["update", "voice", "--json"]), wanted, "what is not given stays");
    let changed = shown(&["update", "voice", "--kind", "choices", "--option", "Tenor", "--json"]);
    assert_eq!(changed, (json!("choices"), json!(["Tenor"]), json!("required")));
    let changed = shown(&["update", "voice", "--kind", "yes_no", "--asked", "off", "--json"]);
    assert_eq!(changed, (json!("yes_no"), json!([]), json!("off")), "only choices have options");
    assert!(here.refuse(&field(&["update", "voice", "--kind", "choice"])).contains("options"));
    let semicolon = ["update", "voice", "--kind", "choice", "--option", "a; b"];
    assert!(here.refuse(&field(&semicolon)).contains("semicolon"));
    assert!(here.refuse(&field(&["create", "--name", "x", "--kind", "date"])).contains("long_text"));
}

#[tokio::test]
async fn what_is_wrong_is_said_in_a_sentence() {
    let (here, _) = Installation::with_token().await;
    let create = |name: &str| {
        here.run(&["custom-field", "create", "--institution", "example", "--json", "--name", name])
    };
    create("major").succeeded();
    assert!(create("major").refused().contains("already been taken"));
    // The custom field would be shadowed by a built-in key.
    for name in
        ["email", "first_name", "notes", "photo", "recording_link", "legal_first_name", "custom_objects"]
    {
        assert!(create(name).refused().contains("reserved"), "{name}");
    }
    for name in ["", "Major", "two words", "2nd", "é"] {
        assert!(create(name).refused().contains("name"), "{name}");
    }
    assert!(here.refuse(&["custom-field", "list", "--institution", "nobody"]).contains("`nobody`"));
    assert!(here.refuse(&["custom-field", "create", "--institution", "example"]).contains("--name"));
}

#[tokio::test]
async fn two_institutions_may_have_the_same_field() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    for institution in ["example", "other"] {
        here.succeed(&["custom-field", "create", "--institution", institution, "--name", "major"]);
    }
    here.succeed(&["custom-field", "delete", "--institution", "other", "major", "--yes"]);
    let left = here.json(&["custom-field", "list", "--institution", "example", "--json"]);
    assert_eq!(left["custom_fields"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn delete_asks_first() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "major"]);
    let delete = ["custom-field", "delete", "--institution", "example", "major"];
    let fields = || {
        here.json(&["custom-field", "list", "--institution", "example", "--json"])["custom_fields"].clone()
    };
    assert!(here.refuse(&delete).contains("--yes"));
    assert!(on_terminal(&here, &delete, "no\n").code > 0);
    assert_eq!(fields().as_array().unwrap().len(), 1);
    assert_eq!(on_terminal(&here, &delete, "yes\n").code, 0);
    assert_eq!(fields(), json!([]));
    let again = here.refuse(&[delete.as_slice(), &["--yes"]].concat());
    assert!(again.contains("no custom field `major`"), "{again}");
}

/// A new field of the same name starts empty.
#[tokio::test]
async fn a_deleted_field_takes_its_values_along() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "major"]);
    here.import("first_name,email,custom_major\nAna,ana@example.edu,Physics\n");
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let shown = || async {
        let address =
            format!("{}/api/private/v4/participants/ana@example.edu?include=custom_attributes", serving.base);
        let answer = client.get(address).header("Authorization", &token).send().await.unwrap();
        answer.json::<serde_json::Value>().await.unwrap()["participant"]["custom_objects"].clone()
    };
    assert_eq!(shown().await, json!({ "major": "Physics" }));
    here.succeed(&["custom-field", "delete", "--institution", "example", "major", "--yes"]);
    assert_eq!(shown().await, json!({}));
    here.succeed(&["custom-field", "create", "--institution", "example", "--name", "major"]);
    assert_ne!(shown().await["major"], "Physics");
}
