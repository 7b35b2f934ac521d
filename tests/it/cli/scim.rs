//! `endonym scim …`

use serde_json::{Value, json};

use super::keys;
use crate::support::process::Installation;

#[tokio::test]
async fn a_connection_is_created_listed_and_revoked() {
    let (here, _) = Installation::with_token().await;
    let create = ["scim", "create", "--institution", "example", "--name", "Entra"];
    let made = here.json(&[&create[..], &["--json"]].concat());
    assert_eq!(keys(&made), ["id", "path", "token"]);
    assert_eq!(made["path"], "/scim/v2/example");
    assert!(made["token"].as_str().unwrap().starts_with("endonym_"));
    let said = here.succeed(&[&create[..], &["--pages-from-groups"]].concat());
    assert!(said.contains("/scim/v2/example") && said.contains("endonym_"), "{said}");
    let listed = || here.json(&["scim", "list", "--institution", "example", "--json"])["connections"].clone();
    let all = listed();
    let columns = ["created_at", "id", "last_used_at", "name", "pages_from_groups", "revoked_at"];
    assert_eq!(keys(&all[0]), columns);
    assert_eq!(
        (&all[0]["name"], &all[0]["pages_from_groups"], &all[1]["pages_from_groups"]),
        (&json!("Entra"), &json!(false), &json!(true))
    );
    let revoke = ["scim", "revoke", "--institution", "example", made["id"].as_str().unwrap()];
    assert!(here.succeed(&revoke).contains("Revoked connection"));
    assert_ne!(listed()[0]["revoked_at"], Value::Null);
    assert!(here.refuse(&revoke).contains("endonym scim list --institution example"));
    let table = here.succeed(&["scim", "list", "--institution", "example"]);
    assert!(table.contains("PAGES FROM GROUPS") && table.contains("Entra"), "{table}");
}

#[tokio::test]
async fn what_cannot_be_mapped_is_refused_with_the_reason() {
    let (here, _) = Installation::with_token().await;
    let map = |words: &[&str]| {
        here.refuse(&[&["scim", "map", "--institution", "example", "--group", "Choir"], words].concat())
    };
    assert!(map(&["--name-page", "class"]).contains("endonym scim groups --institution example"));
    assert!(map(&[]).contains("--name-page, --role or --none"));
    assert!(map(&["--name-page", "class", "--name-page", "other"]).contains("one name page"));
    assert!(map(&["--role", "boss"]).contains("invalid value 'boss'"));
    assert!(map(&["--none", "--role", "owner"]).contains("cannot be used with"));
    let groups = here.json(&["scim", "groups", "--institution", "example", "--json"]);
    assert_eq!(groups, json!({ "groups": [] }));
}
