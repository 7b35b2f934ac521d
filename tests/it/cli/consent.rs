//! `endonym consent …`

use std::{collections::BTreeMap, sync::Mutex};

use serde_json::json;

use super::keys;
use crate::support::process::Installation;

#[tokio::test]
async fn an_institution_has_its_own_text_and_can_go_back() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    let of = ["--institution", "example"];
    let run = |words: &[&str]| here.json(&[&["consent"], words, &of, &["--json"]].concat());
    let shown = run(&["show"]);
    assert_eq!((&shown["version"], &shown["built_in"]), (&json!("endonym-1"), &json!(true)));
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.starts_with("Example keeps a recording of your name") && text.contains("voice prints"),
        "{text}"
    );
    assert!(run(&["show", "--language", "de"])["text"].as_str().unwrap().contains("Stimmabdrücke"));

    here.write("en.txt", "\u{feff}We record you.\r\n\r\nThank you.\r\n");
    here.write("de.txt", "Wir nehmen auf.");
    let set = run(&["set", "--file", "en.txt"]);
    assert_eq!(set, json!({ "version": "1", "languages": ["en"], "built_in": false }));
    let set = run(&["set", "--file", "de.txt", "--language", "de"]);
    assert_eq!(set, json!({ "version": "1", "languages": ["de", "en"], "built_in": false }));
    assert_eq!(run(&["show"])["text"], "We record you.\n\nThank you.");
    assert_eq!(run(&["show", "--language", "fr"])["language"], "en");
    assert_eq!(run(&["set", "--file", "de.txt"])["version"], "2", "another English text");
    let plain = here.succeed(&[&["consent", "show"][..], &of].concat());
    assert_eq!(plain, "Wir nehmen auf.\n");
    assert_eq!(run(&["reset"])["version"], "endonym-1");
    let listed = run(&["list"]);
    assert_eq!(keys(&listed), ["consents", "versions"]);
    assert_eq!(listed, json!({ "consents": [], "versions": [] }));
}

#[tokio::test]
async fn a_text_must_be_readable() {
    let here = Installation::new().await;
    here.succeed(&["institution", "create", "--name", "Example"]);
    here.write("latin.txt", b"caf\xe9");
    here.write("blank.txt", " \n");
    here.write("long.txt", "x".repeat(20_001));
    here.write("fine.txt", "We record you.");
    for (words, said) in [
        (&["--file", "latin.txt"][..], "is not UTF-8 text"),
        (&["--file", "blank.txt"], "consent text can't be blank"),
        (&["--file", "long.txt"], "consent text is too long"),
        (&["--file", "nowhere.txt"], "cannot read nowhere.txt"),
        (&["--file", "fine.txt", "--language", "tlh"], "must be one of en, es, fr, de, pt, zh, ar"),
    ] {
        let refused = here.refuse(&[&["consent", "set", "--institution", "example"], words].concat());
        assert!(refused.contains(said), "{refused}");
    }
}

#[tokio::test]
async fn the_list_says_who_has_agreed_to_what() {
    let (here, _) = Installation::with_token().await;
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\n");
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    let serving = here.serve(&[]);
    let link = here.json(&["sign-in-link", "--institution", "example", "ana@example.edu", "--json"]);
    let path = link["link"].as_str().unwrap().split_once("/sign-in/").unwrap().1.to_owned();
    let none = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
    let jar = Mutex::new(BTreeMap::new());
    let send = async |request: reqwest::RequestBuilder| {
        let cookies: Vec<String> =
            jar.lock().unwrap().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let answer = request.header("cookie", cookies.join("; ")).send().await.unwrap();
        for line in answer.headers().get_all("set-cookie") {
            let (name, value) = line.to_str().unwrap().split(';').next().unwrap().split_once('=').unwrap();
            jar.lock().unwrap().insert(name.to_owned(), value.to_owned());
        }
        (answer.status(), answer.text().await.unwrap())
    };
    let get = async |path: &str| send(client.get(format!("{}{path}", serving.base))).await.1;
    let csrf = |body: &str| {
        body.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let post = async |path: &str, fields: &[(&str, &str)]| {
        let body: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = client.post(format!("{}{path}", serving.base)).body(body);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        send(request).await.0
    };
    let link = format!("/sign-in/{path}");
    let token = csrf(&get(&link).await);
    assert_eq!(post(&link, &[("csrf", &token)]).await, 303);
    let token = csrf(&get("/me").await);
    let fields = [("csrf", token.as_str()), ("version", "endonym-1"), ("language", "fr")];
    assert_eq!(post("/me/consent", &fields).await, 303);
    let list = || here.json(&["consent", "list", "--institution", "example", "--json"]);
    let listed = list();
    assert_eq!(listed["versions"], json!([{ "version": "endonym-1", "agreed": 1, "withdrawn": 0 }]));
    let one = &listed["consents"][0];
    assert_eq!((&one["email"], &one["language"]), (&json!("ana@example.edu"), &json!("fr")));
    assert!(one["consented_at"].is_string() && one["withdrawn_at"].is_null(), "{one}");
    assert_eq!(post("/me/consent/withdraw", &[("csrf", &token), ("then", "delete")]).await, 303);
    assert_eq!(list()["versions"], json!([{ "version": "endonym-1", "agreed": 0, "withdrawn": 1 }]));
    let table = here.succeed(&["consent", "list", "--institution", "example"]);
    assert!(table.contains("ana@example.edu") && table.contains("0 agreed, 1 withdrawn"), "{table}");
}
