//! `endonym member …`

use serde_json::{Value, json};

use super::keys;
use crate::support::process::Installation;

fn members(here: &Installation) -> Vec<Value> {
    let listed = here.json(&["member", "list", "--institution", "example", "--json"]);
    assert_eq!(keys(&listed), ["members"]);
    listed["members"].as_array().unwrap().clone()
}

#[tokio::test]
async fn add_gives_a_role_and_again_replaces_it() {
    let (here, _) = Installation::with_token().await;
    let add = ["member", "add", "--institution", "example", "--role"];
    let said = here.succeed(&[&add[..], &["owner", "Olga@example.edu"]].concat());
    assert!(said.contains("Olga@example.edu is owner of `example`, with all name pages"), "{said}");
    let made =
        here.json(&[&add[..], &["manager", "--name-page", "class", "max@example.edu", "--json"]].concat());
    assert_eq!(keys(&made), ["email", "name_pages", "role"]);
    assert_eq!((&made["role"], made["name_pages"].as_array().unwrap().len()), (&json!("manager"), 1));
    let listed = members(&here);
    assert_eq!(keys(&listed[0]), ["created_at", "email", "name_pages", "role"]);
    assert_eq!(listed[0]["email"], "max@example.edu");
    assert_eq!((&listed[0]["role"], &listed[0]["name_pages"]), (&json!("manager"), &json!(["class"])));
    assert_eq!((&listed[1]["role"], &listed[1]["name_pages"]), (&json!("owner"), &Value::Null));
    let said = here.succeed(&[&add[..], &["reader", "MAX@example.edu"]].concat());
    assert!(said.contains("MAX@example.edu is reader of `example`, with 0 name pages"), "{said}");
    let listed = members(&here);
    assert_eq!(listed.len(), 2);
    assert_eq!((&listed[0]["role"], &listed[0]["name_pages"]), (&json!("reader"), &json!([])));
    let table = here.succeed(&["member", "list", "--institution", "example"]);
    for word in ["EMAIL", "Olga@example.edu", "owner", "all", "reader", "none"] {
        assert!(table.contains(word), "{word}\n{table}");
    }
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_the_reason() {
    let (here, _) = Installation::with_token().await;
    let add = |words: &[&str]| {
        here.refuse(&[&["member", "add", "--institution", "example", "--role"], words].concat())
    };
    assert!(add(&["boss", "a@example.edu"]).contains("invalid value 'boss'"));
    assert!(add(&["owner", "nobody"]).contains("`nobody` is not an email address"));
    let pages = add(&["reader", "--name-page", "nowhere", "a@example.edu"]);
    assert!(pages.contains("endonym name-page list --institution example"), "{pages}");
    let all = add(&["admin", "--name-page", "class", "a@example.edu"]);
    assert!(all.contains("owners and admins"), "{all}");
    assert!(members(&here).is_empty());
    let nowhere = here.refuse(&["member", "list", "--institution", "nowhere"]);
    assert!(nowhere.contains("no institution `nowhere`"), "{nowhere}");
}

#[tokio::test]
async fn remove_takes_the_role_but_not_from_the_last_owner() {
    let (here, _) = Installation::with_token().await;
    let add = ["member", "add", "--institution", "example", "--role", "owner"];
    here.succeed(&[&add[..], &["olga@example.edu"]].concat());
    let remove = ["member", "remove", "--institution", "example"];
    let last = here.refuse(&[&remove[..], &["olga@example.edu"]].concat());
    assert!(last.contains("make somebody else an owner first"), "{last}");
    here.succeed(&[&add[..], &["oda@example.edu"]].concat());
    here.succeed(&[&remove[..], &["OLGA@example.edu"]].concat());
    let unknown = here.refuse(&[&remove[..], &["olga@example.edu"]].concat());
    assert!(unknown.contains("endonym member list --institution example"), "{unknown}");
    assert_eq!(members(&here).len(), 1);
}

/// A token of the command line belongs to nobody who could leave; `tests/it/members.rs` has those of members.
#[tokio::test]
async fn remove_asks_what_becomes_of_tokens_and_says_so_in_its_help() {
    let (here, _) = Installation::with_token().await;
    for email in ["olga@example.edu", "oda@example.edu"] {
        here.succeed(&["member", "add", "--institution", "example", "--role", "owner", email]);
    }
    let remove = ["member", "remove", "--institution", "example", "oda@example.edu"];
    let made = "UPDATE tokens SET created_by = 'oda@example.edu', maker_key = 'oda@example.edu'";
    let db = here.database().await;
    let made = db.write::<_, endonym::app::Error>(move |sql| {
        Box::pin(async move { Ok(sql.execute(made, &[]).await?) })
    });
    assert_eq!(made.await.unwrap(), 1);
    let refused = here.refuse(&remove);
    for word in ["tests", "0 days old", "never used", "--tokens revoke", "--tokens keep", "token rotate"] {
        assert!(refused.contains(word), "{word}: {refused}");
    }
    let lower = ["member", "add", "--institution", "example", "--role", "reader", "oda@example.edu"];
    assert!(here.refuse(&lower).contains("--tokens revoke"));
    assert!(here.refuse(&[&remove[..], &["--tokens", "maybe"]].concat()).contains("keep, revoke"));
    assert_eq!(members(&here).len(), 2);
    here.succeed(&[&remove[..], &["--tokens", "revoke"]].concat());
    let listed = here.json(&["token", "list", "--institution", "example", "--json"])["tokens"][0].clone();
    assert!(listed["revoked_at"].is_string(), "{listed}");
    assert_eq!((&listed["created_by"], &listed["maker_left"]), (&json!("oda@example.edu"), &json!(true)));
    assert!(
        here.succeed(&["token", "list", "--institution", "example"]).contains("oda@example.edu (has left)")
    );
}
