//! `endonym token …`, and its effect on a running server.

use std::time::Duration;

use endonym::store::Db;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::keys;
use crate::support::{
    database::on_postgres,
    process::{Installation, Serving},
};

/// The status of a small request.
async fn status(serving: &Serving, token: &str) -> u16 {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = format!("{}/api/private/v5/participants", serving.base);
    client.get(address).header("Authorization", token).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn create_shows_the_token_this_once() {
    let (here, _) = Installation::with_token().await;
    let made = here.token("Learning system");
    assert_eq!(keys(&made), ["id", "token"]);
    let token = made["token"].as_str().unwrap();
    // 27 characters out of 62 are 160 bits.
    let secret = token.rsplit('_').next().unwrap();
    assert!(secret.len() >= 27 && secret.bytes().all(|b| b.is_ascii_alphanumeric()), "{token}");
    assert_ne!(here.token("Learning system")["token"], made["token"]);
    let listed = here.succeed(&["token", "list", "--institution", "example", "--json"]);
    assert!(!listed.contains(secret) && listed.contains("Learning system"), "{listed}");
    let table = here.succeed(&["token", "list", "--institution", "example"]);
    assert!(!table.contains(secret) && table.contains(made["id"].as_str().unwrap()), "{table}");
    let said = here.succeed(&["token", "create", "--institution", "example", "--name", "For a person"]);
    assert!(said.contains("shown only now"), "{said}");
}

/// Neither in the files of the database nor in a dump.
#[tokio::test]
async fn only_a_digest_is_stored() {
    let (here, token) = Installation::with_token().await;
    let db = here.database().await;
    let mut sql = db.read();
    let stored = sql.rows("SELECT digest, name FROM tokens", &[], |row| Ok((row.text(0)?, row.text(1)?)));
    let stored = stored.await.unwrap();
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].0.len(), 64, "SHA-256 in hex");
    assert!(!stored[0].0.contains(&token) && stored[0].1 == "tests");
}

#[tokio::test]
async fn list_says_when_tokens_were_made_end_and_were_used() {
    let (here, _) = Installation::with_token().await;
    let words = ["token", "create", "--institution", "example", "--name", "Short", "--expires-in-days", "30"];
    here.succeed(&words);
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    assert_eq!(keys(&listed), ["tokens"]);
    let tokens = listed["tokens"].as_array().unwrap();
    assert_eq!(tokens.len(), 2);
    let wanted = [
        "created_at",
        "created_by",
        "expires_at",
        "id",
        "include_held",
        "last_used_at",
        "maker_left",
        "name",
        "name_pages",
        "newest_only",
        "replaced_by",
        "revoked_at",
        "scope",
    ];
    assert!(tokens.iter().all(|token| keys(token) == wanted));
    assert_eq!((&tokens[0]["name"], &tokens[0]["expires_at"]), (&json!("tests"), &json!(null)));
    assert_eq!(tokens[1]["name"], "Short");
    assert_eq!((&tokens[1]["created_by"], &tokens[1]["maker_left"]), (&json!("operator"), &json!(false)));
    let table = here.succeed(&["token", "list", "--institution", "example"]);
    for word in ["CREATED BY", "operator", "AGE", "0 days", "LAST USED"] {
        assert!(table.contains(word), "{word}\n{table}");
    }
    let day = |key: &str| tokens[1][key].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    assert_eq!(day("expires_at").duration_since(day("created_at")).as_hours(), 30 * 24);
}

#[tokio::test]
async fn a_token_can_be_limited_to_a_scope_and_to_name_pages() {
    let (here, _) = Installation::with_token().await;
    for title in ["Choir", "Chess"] {
        here.succeed(&["name-page", "create", "--institution", "example", "--title", title]);
    }
    let create = |more: &[&str]| {
        let words = ["token", "create", "--institution", "example", "--name", "Plugin"];
        here.succeed(&[words.as_slice(), more].concat())
    };
    let said =
        create(&["--scope", "read", "--allow-page", "CHOIR", "--allow-page", "chess", "--newest-only"]);
    assert!(said.contains("scope read, newest only, name pages: chess, choir"), "{said}");
    assert!(create(&[]).contains("scope all, name pages: all"));
    create(&["--scope", "sync"]);
    create(&["--scope", "write", "--allow-page", "choir", "--allow-page", "choir"]);
    let listed = || here.json(&["token", "list", "--institution", "example", "--json"])["tokens"].clone();
    let shown: Vec<Value> = listed()
        .as_array()
        .unwrap()
        .iter()
        .map(|token| json!([token["scope"], token["name_pages"], token["newest_only"]]))
        .collect();
    let wanted = [
        json!(["all", null, false]),
        json!(["read", ["chess", "choir"], true]),
        json!(["all", null, false]),
        json!(["sync", null, false]),
        json!(["write", ["choir"], false]),
    ];
    assert_eq!(shown, wanted);
    let table = here.succeed(&["token", "list", "--institution", "example"]);
    assert!(table.contains("SCOPE") && table.contains("read, newest only") && table.contains("chess, choir"));
    here.succeed(&["name-page", "delete", "--institution", "example", "choir", "--yes"]);
    assert_eq!(listed()[4]["name_pages"], json!([]), "a page that is deleted leaves the limit as it is");
    assert_eq!(listed()[1]["name_pages"], json!(["chess"]));
}

#[tokio::test]
async fn a_scope_or_a_page_that_there_is_not_makes_no_token() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    here.succeed(&["name-page", "create", "--institution", "other", "--title", "Theirs", "--slug", "theirs"]);
    let refused = |more: &[&str]| {
        let words = ["token", "create", "--institution", "example", "--name", "x"];
        here.refuse(&[words.as_slice(), more].concat())
    };
    for scope in ["admin", "", "READ", "read,write"] {
        let said = refused(&["--scope", scope]);
        assert!(said.contains("read, write, sync, all"), "{said}");
    }
    for page in ["nothing", "theirs"] {
        let said = refused(&["--allow-page", "class", "--allow-page", page]);
        assert!(
            said.contains(&format!("no name page `{page}`")) && said.contains("name-page list"),
            "{said}"
        );
    }
    assert!(refused(&["--allow-page", " "]).contains("must not be blank"));
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    assert_eq!(listed["tokens"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_wrong_is_said_in_a_sentence() {
    let (here, _) = Installation::with_token().await;
    let create = |words: &[&str]| here.refuse(&[&["token", "create", "--json"], words].concat());
    assert!(create(&["--institution", "nobody", "--name", "x"]).contains("no institution `nobody`"));
    assert!(create(&["--institution", "example", "--name", " "]).contains("name can't be blank"));
    assert!(create(&["--institution", "example"]).contains("--name"));
    for days in ["0", "-1", "soon", "99999999"] {
        create(&["--institution", "example", "--name", "x", "--expires-in-days", days]);
    }
    assert!(here.refuse(&["token", "list", "--institution", "nobody"]).contains("no institution `nobody`"));
    for id in ["1", "abc", "99999999999999999999999"] {
        let refused = here.refuse(&["token", "revoke", "--institution", "example", id]);
        assert!(refused.contains(id) && refused.contains("endonym token list"), "{refused}");
    }
}

#[tokio::test]
async fn revoke_has_effect_within_a_second() {
    let (here, keeps) = Installation::with_token().await;
    let made = here.token("goes");
    let (id, goes) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    let serving = here.serve(&[]);
    assert_eq!(status(&serving, goes).await, 200);
    here.succeed(&["token", "revoke", "--institution", "example", id]);
    let revoked = Instant::now();
    // Polls all the time, so that the server's cache is always fresh. However long an answer takes, a request
    // that is sent after a second is refused.
    loop {
        let sent_after = revoked.elapsed();
        if status(&serving, goes).await != 200 {
            break;
        }
        assert!(sent_after < Duration::from_secs(1), "still works after {sent_after:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(status(&serving, goes).await, 401);
    assert_eq!(status(&serving, &keeps).await, 200);
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    let listed = listed["tokens"].as_array().unwrap().iter().find(|token| token["id"] == id).unwrap();
    assert!(listed["revoked_at"].is_string());
    let again = here.refuse(&["token", "revoke", "--institution", "example", id]);
    assert!(again.contains("no active token"), "{again}");
}

#[tokio::test]
async fn another_institution_cannot_revoke_it() {
    let (here, token) = Installation::with_token().await;
    here.succeed(&["institution", "create", "--name", "Other"]);
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    let id = listed["tokens"][0]["id"].as_str().unwrap();
    here.refuse(&["token", "revoke", "--institution", "other", id]);
    assert_eq!(status(&here.serve(&[]), &token).await, 200);
}

/// The last-used time is written by periodic housekeeping, and when the server stops.
#[tokio::test]
async fn the_last_use_is_known_and_costs_no_write_per_request() {
    let (here, token) = Installation::with_token().await;
    let serving = here.serve(&["--rate-limit", "10000"]);
    let db = here.database().await;
    let (mut writes, mut last) = (0, changes(&db).await);
    for _ in 0..30 {
        assert_eq!(status(&serving, &token).await, 200);
        let now = changes(&db).await;
        writes += i64::from(now != last);
        last = now;
    }
    assert!(writes <= 2, "{writes} of 30 requests wrote something");
    let now = endonym::app::Clock::system().now().micros();
    assert_eq!(serving.stop().await, 0);
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    let used = listed["tokens"][0]["last_used_at"].as_str().expect("it was used").to_owned();
    let used = used.parse::<jiff::Timestamp>().unwrap().as_microsecond();
    assert!((used - now).abs() < 60_000_000, "{used} {now}");
}

/// A checksum that changes with any change of the tokens.
async fn changes(db: &Db) -> i64 {
    let text = if on_postgres() {
        "SELECT SUM(xmin::TEXT::BIGINT)::BIGINT FROM tokens"
    } else {
        "PRAGMA data_version"
    };
    db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn rotate_prints_a_new_token_and_lets_the_old_one_expire() {
    let (here, _) = Installation::with_token().await;
    let made = here.token("Portal");
    let id = made["id"].as_str().unwrap();
    let words = ["token", "rotate", "--institution", "example", "--overlap-hours", "2", "--json", id];
    let new = here.json(&words);
    assert_eq!(keys(&new), ["id", "token"]);
    assert!(new["id"] != made["id"] && new["token"] != made["token"]);
    let listed = here.json(&["token", "list", "--institution", "example", "--json"]);
    let old = listed["tokens"].as_array().unwrap().iter().find(|token| token["id"] == made["id"]).unwrap();
    assert_eq!(old["replaced_by"], new["id"]);
    assert!(old["expires_at"].is_string() && old["revoked_at"].is_null(), "{old}");
    let again = here.refuse(&words);
    assert!(again.contains("no active token"), "{again}");
}
