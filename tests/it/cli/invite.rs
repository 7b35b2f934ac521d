//! `endonym invite` and `endonym invitation …`

use serde_json::Value;

use super::keys;
use crate::support::process::Installation;

const WHERE: [&str; 4] = ["--institution", "example", "--name-page", "class"];
const MAIL: [&str; 4] = ["--mail-url", "smtp://127.0.0.1:9", "--mail-from", "names@example.edu"];

fn invite(more: &[&str]) -> Vec<String> {
    [&["invite"][..], &WHERE, more].concat().into_iter().map(str::to_owned).collect()
}

fn words(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

fn list(here: &Installation, more: &[&str]) -> Vec<Value> {
    let all = [&["invitation", "list"][..], &WHERE, &["--json"], more].concat();
    here.json(&all)["people"].as_array().unwrap().clone()
}

#[tokio::test]
async fn links_are_printed_for_a_mail_merge() {
    let (here, _) = Installation::with_token().await;
    let serving = here.serve(&[]);
    let command =
        invite(&["--csv", "--base-url", &serving.base, "Ada Lovelace <ada@example.edu>", "bea@example.edu"]);
    let printed = here.succeed(&words(&command));
    let mut rows = csv::Reader::from_reader(printed.as_bytes());
    assert_eq!(rows.headers().unwrap().iter().collect::<Vec<_>>(), ["email", "link"]);
    let rows: Vec<(String, String)> = rows.deserialize().map(Result::unwrap).collect();
    assert_eq!(
        rows.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
        ["ada@example.edu", "bea@example.edu"]
    );
    for (_, link) in &rows {
        assert!(link.starts_with(&format!("{}/i/", serving.base)), "{link}");
    }
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let page = client.get(&rows[0].1).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.text().await.unwrap().contains("Ada Lovelace"));
    // The same links again, and no message.
    assert_eq!(here.succeed(&words(&command)), printed);
    assert_eq!(here.json(&["mail", "list", "--json"])["messages"].as_array().unwrap().len(), 0);
    // The log names the route, and never a link.
    assert_eq!(serving.stop().await, 0);
    let log = std::fs::read_to_string(here.path("serve.log")).unwrap();
    assert!(log.contains("/i/{token}"), "{log}");
    assert!(!log.contains(rows[0].1.rsplit('/').next().unwrap()));
}

#[tokio::test]
async fn without_a_mail_server_the_remedy_is_told() {
    let (here, _) = Installation::with_token().await;
    let refused = here.refuse(&words(&invite(&["ada@example.edu"])));
    assert!(refused.contains("--mail-url") && refused.contains("--csv"), "{refused}");
    assert!(list(&here, &[]).is_empty());
}

#[tokio::test]
async fn messages_are_queued_once_and_counted() {
    let (here, _) = Installation::with_token().await;
    let command = invite(&[&MAIL[..], &["--json", "ada@example.edu", "ADA@example.edu"]].concat());
    let told = here.json(&words(&command));
    let expected = ["already", "bounced", "duplicates", "invited", "opted_out", "recorded", "unread"];
    assert_eq!(keys(&told), expected);
    assert_eq!((&told["invited"], &told["duplicates"]), (&Value::from(1), &Value::from(1)));
    let again = here.json(&words(&command));
    assert_eq!((&again["invited"], &again["already"]), (&Value::from(0), &Value::from(1)));
    let messages = here.json(&["mail", "list", "--json"]);
    assert_eq!(messages["messages"].as_array().unwrap().len(), 1);
    assert_eq!(messages["messages"][0]["kind"], "invitation");
    let none = invite(&[&MAIL[..], &["--no-reminders", "bea@example.edu"]].concat());
    here.succeed(&words(&none));
    let people = list(&here, &[]);
    let reminder = |email: &str| {
        let one = people.iter().find(|one| one["email"] == email).unwrap();
        one["invitation"]["next_reminder_at"].clone()
    };
    assert!(reminder("ada@example.edu").is_string() && reminder("bea@example.edu").is_null());
}

#[tokio::test]
async fn everybody_without_a_recording_can_be_invited() {
    let (here, _) = Installation::with_token().await;
    here.import("email,first_name\nana@example.edu,Ana\nbea@example.edu,Bea\n");
    let printed = here.succeed(&words(&invite(&["--csv", "--all-unrecorded"])));
    assert_eq!(printed.lines().count(), 3, "{printed}");
    let people = list(&here, &["--state", "registered"]);
    assert_eq!(people.len(), 2);
    assert!(list(&here, &["--state", "invited"]).is_empty());
}

#[tokio::test]
async fn a_file_is_read_and_what_is_not_understood_is_named() {
    let (here, _) = Installation::with_token().await;
    let file =
        here.write("list.txt", "Lovelace, Ada <ada@example.edu>;nonsense\n\"Hopper\" <grace@example.edu>");
    let output = here.run(&words(&invite(&["--csv", "--file", file.to_str().unwrap()])));
    let told = &output.stdout;
    for email in ["ada@example.edu", "grace@example.edu"] {
        assert!(told.contains(&format!("\"{email}\",\"http")), "{told}");
    }
    assert!(output.stderr.contains("nonsense: not an email address"), "{output:?}");
    // The rest is invited, and a script notices.
    assert_eq!(output.code, 1);
    assert_eq!(list(&here, &[]).len(), 2);
    let huge = here.write("huge.txt", vec![b'a'; (2 << 20) + 1]);
    let refused = here.refuse(&words(&invite(&["--csv", "--file", huge.to_str().unwrap()])));
    assert!(refused.contains("2 MB"), "{refused}");
    let long: String = (0..20_001).map(|n| format!("p{n}@x.org\n")).collect();
    let long = here.write("long.txt", long);
    let refused = here.refuse(&words(&invite(&["--csv", "--file", long.to_str().unwrap()])));
    assert!(refused.contains("20000"), "{refused}");
    let latin = here.write("latin.txt", [b'a', 0xe9, b'@']);
    assert!(here.refuse(&words(&invite(&["--csv", "--file", latin.to_str().unwrap()]))).contains("UTF-8"));
    assert!(here.refuse(&words(&invite(&["--csv", "--file", "no-such-file"]))).contains("no-such-file"));
    assert_eq!(list(&here, &[]).len(), 2);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused() {
    let (here, _) = Installation::with_token().await;
    here.refuse(&words(&invite(&["--csv"])));
    here.refuse(&words(&invite(&["--csv", "--all-unrecorded", "ada@example.edu"])));
    let unknown =
        ["invite", "--institution", "example", "--name-page", "no-such", "--csv", "ada@example.edu"];
    assert!(here.refuse(&unknown).contains("endonym name-page list"));
    let unknown = ["invite", "--institution", "no-such", "--name-page", "class", "--csv", "ada@example.edu"];
    assert!(here.refuse(&unknown).contains("no-such"));
    let odd = invite(&["--csv", "--language", "tlh", "ada@example.edu"]);
    assert!(here.refuse(&words(&odd)).contains("tlh"));
    here.refuse(&words(&invite(&["--csv", "--invitation-days", "0", "ada@example.edu"])));
    assert!(list(&here, &[]).is_empty());
}

#[tokio::test]
async fn an_invitation_is_withdrawn_and_its_days_are_a_setting() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&words(&invite(&["--csv", "--invitation-days", "7", "ada@example.edu"])));
    let one = &list(&here, &[])[0];
    assert_eq!((&one["state"], &one["link"]), (&Value::from("invited"), &Value::from("valid")));
    let day = |key: &str| -> jiff::Timestamp { one["invitation"][key].as_str().unwrap().parse().unwrap() };
    let hours = (day("expires_at") - day("created_at")).total(jiff::Unit::Hour).unwrap();
    assert!((hours - 168.0).abs() < 0.01, "{hours}");
    let id = one["invitation"]["id"].as_str().unwrap().to_owned();
    let withdraw = |id: &str| {
        let all = [&["invitation", "withdraw"][..], &WHERE, &[id]].concat();
        here.run(&all)
    };
    withdraw(&id).succeeded();
    assert_eq!(list(&here, &[])[0]["link"], "withdrawn");
    assert!(withdraw("7").refused().contains("endonym invitation list"));
    assert!(withdraw("x").refused().contains("endonym invitation list"));
    let table = here.succeed(&[&["invitation", "list"][..], &WHERE].concat());
    assert!(table.contains("ada@example.edu") && table.contains("withdrawn"), "{table}");
}

#[tokio::test]
async fn invitations_are_sent_again_to_addresses() {
    let (here, _) = Installation::with_token().await;
    here.succeed(&words(&invite(&[&MAIL[..], &["ada@example.edu", "bea@example.edu"]].concat())));
    let resend = |more: &[&str]| here.run(&[&["invitation", "resend"][..], &WHERE, more].concat());
    assert!(resend(&["ada@example.edu"]).refused().contains("--mail-url"));
    let ada = [&MAIL[..], &["ADA@example.edu"]].concat();
    assert!(resend(&ada).succeeded().contains("Sent again: 1"));
    assert!(resend(&ada).succeeded().contains("Sent again less than a minute ago: 1"));
    assert_eq!(here.json(&["mail", "list", "--json"])["messages"].as_array().unwrap().len(), 3);
    let others = resend(&[&MAIL[..], &["--json", "bea@example.edu", "cem@example.edu", "nonsense"]].concat());
    assert_eq!(others.code, 1, "a script notices");
    let told: Value = serde_json::from_str(&others.stdout).unwrap();
    assert_eq!(keys(&told), ["just_sent", "not_invited", "sent", "unwanted"]);
    assert_eq!(told["sent"], 1);
    assert_eq!(told["not_invited"], serde_json::json!(["cem@example.edu", "nonsense"]));
    assert!(others.stderr.contains("cem@example.edu"), "{others:?}");
}

#[tokio::test]
async fn an_address_is_no_formula_in_the_file() {
    let (here, _) = Installation::with_token().await;
    let printed = here.succeed(&words(&invite(&["--csv", "--file", "-"])));
    assert_eq!(printed, "\"email\",\"link\"\r\n");
    let file = here.write("list.txt", "=1+1|@x.org\n=cmd!A0@x.org");
    let output = here.run(&words(&invite(&["--csv", "--file", file.to_str().unwrap()])));
    assert!(output.stdout.contains("\"'=cmd!A0@x.org\",\"http"), "{output:?}");
}
