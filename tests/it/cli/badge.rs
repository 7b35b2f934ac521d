//! `endonym badge …`

use serde_json::json;

use crate::support::process::Installation;

#[tokio::test]
async fn search_engines_may_list_a_badge_only_when_its_owner_wants_that() {
    let (here, token) = Installation::with_token().await;
    here.write("people.csv", "email,first_name\nana@example.edu,Ana\n");
    here.succeed(&["import", "--institution", "example", "--name-page", "class", "people.csv"]);
    let serving = here.serve(&[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants?email_list=ana@example.edu", serving.base);
    let answer = client.get(address).header("Authorization", token).send().await.unwrap();
    let answer: serde_json::Value = answer.json().await.unwrap();
    let badge = answer["Response"]["participants"][0]["name_badge_link"].as_str().unwrap().to_owned();
    let hidden = async || {
        let page = client.get(&badge).send().await.unwrap();
        let header = page.headers().get("x-robots-tag").is_some();
        let meta = page.text().await.unwrap().contains("noindex");
        assert_eq!(header, meta);
        meta
    };
    let whose = ["--institution", "example", "--name-page", "class", "ANA@example.edu", "--json"];
    assert!(hidden().await);
    let told = here.json(&[&["badge", "list"][..], &whose].concat());
    assert_eq!(told, json!({ "email": "ANA@example.edu", "listed": true }));
    assert!(!hidden().await);
    here.succeed(&[&["badge", "unlist"][..], &whose].concat());
    assert!(hidden().await);
    let nobody = ["badge", "list", "--institution", "example", "--name-page", "class", "bea@example.edu"];
    assert!(here.refuse(&nobody).contains("bea@example.edu is not on that page"));
}
