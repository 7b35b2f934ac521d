//! `endonym calls`, and the calls that `import --call` schedules.

use serde_json::{Value, json};

use super::keys;
use crate::support::process::Installation;

/// An unreachable trunk. It is not used: there are no workers here.
const TRUNK: &str = "sip://127.0.0.1:9?from=%2B12025550100";
const PEOPLE: &str = "first_name,email,phone_number\nAna,ana@x.org,+12025550123\nBen,ben@x.org,\n";

fn calls(here: &Installation) -> Vec<Value> {
    here.json(&["calls", "list", "--json"])["calls"].as_array().unwrap().clone()
}

fn import(here: &Installation, more: &[&str]) -> Value {
    let file = here.write("people.csv", PEOPLE);
    let words =
        ["import", "--institution", "example", "--name-page", "class", file.to_str().unwrap(), "--json"];
    here.json(&[&words[..], more].concat())
}

#[tokio::test]
async fn an_import_calls_nobody_unless_told() {
    let (here, _) = Installation::with_token().await;
    import(&here, &["--phone-url", TRUNK]);
    assert_eq!(calls(&here), Vec::<Value>::new());
    assert!(
        here.refuse(&["import", "--institution", "example", "--name-page", "class", "x.csv", "--call"])
            .contains("no telephony is configured")
    );
    import(&here, &["--phone-url", TRUNK, "--call", "--dry-run"]);
    assert_eq!(calls(&here), Vec::<Value>::new(), "a dry run calls nobody");
    import(&here, &["--phone-url", TRUNK, "--call"]);
    let [call] = &calls(&here)[..] else { panic!("one call") };
    assert_eq!(keys(call), ["attempts", "email", "id", "state"]);
    assert_eq!((&call["email"], &call["state"]), (&json!("ana@x.org"), &json!("scheduled")));
    assert_eq!(call["attempts"], json!([]));
    import(&here, &["--phone-url", TRUNK, "--call"]);
    assert_eq!(calls(&here).len(), 1, "one pending call is enough");
}

#[tokio::test]
async fn all_calls_are_listed_unless_fewer_are_wanted() {
    let (here, _) = Installation::with_token().await;
    let people = (0..1_005).map(|at| format!("Ana,ana{at}@x.org,+1202555{at:04}\n"));
    let file =
        here.write("many.csv", format!("first_name,email,phone_number\n{}", people.collect::<String>()));
    let words = ["import", "--institution", "example", "--name-page", "class", file.to_str().unwrap()];
    here.succeed(&[&words[..], &["--phone-url", TRUNK, "--call"]].concat());
    assert_eq!(calls(&here).len(), 1_005);
    let two = here.json(&["calls", "list", "--most", "2", "--json"]);
    assert_eq!(two["calls"].as_array().unwrap()[..], calls(&here)[..2]);
}

#[tokio::test]
async fn a_call_is_canceled_and_made_again() {
    let (here, _) = Installation::with_token().await;
    import(&here, &["--phone-url", TRUNK, "--call"]);
    let id = calls(&here)[0]["id"].as_str().unwrap().to_owned();
    let table = here.succeed(&["calls", "list", "--institution", "example"]);
    assert!(table.contains(&id) && table.contains("ana@x.org") && table.contains("+12025550123"), "{table}");
    assert!(here.refuse(&["calls", "list", "--institution", "elsewhere"]).contains("institution list"));
    assert_eq!(here.json(&["calls", "cancel", &id, "--json"]), json!({ "cancelled": id }));
    assert_eq!(calls(&here)[0]["state"], "cancelled");
    assert!(here.refuse(&["calls", "cancel", &id]).contains("is over already"));
    assert_eq!(here.json(&["calls", "retry", &id, "--json"]), json!({ "scheduled": id }));
    assert_eq!(calls(&here)[0]["state"], "scheduled");
    assert!(here.refuse(&["calls", "retry", &id]).contains("is pending already"));
    for wrong in ["7", "x", ""] {
        assert!(here.refuse(&["calls", "cancel", wrong]).contains("endonym calls list"));
        assert!(here.refuse(&["calls", "retry", wrong]).contains("endonym calls list"));
    }
}

#[tokio::test]
async fn calls_that_nobody_makes_any_more_are_told_of_and_canceled_together() {
    let (here, _) = Installation::with_token().await;
    import(&here, &["--phone-url", TRUNK, "--call"]);
    let serving = here.serve(&[]);
    assert!(serving.greeting.contains("numbers are stored and nobody is called"), "{}", serving.greeting);
    assert!(serving.greeting.contains("nobody makes: 1"), "{}", serving.greeting);
    assert!(here.refuse(&["calls", "cancel"]).contains("<ID>"));
    let elsewhere = ["calls", "cancel", "--all", "--institution", "elsewhere"];
    assert!(here.refuse(&elsewhere).contains("institution list"));
    assert_eq!(here.json(&["calls", "cancel", "--all", "--json"]), json!({ "cancelled": "1" }));
    assert_eq!(calls(&here)[0]["state"], "cancelled");
}

#[tokio::test]
async fn whoever_asked_not_to_be_called_may_change_their_mind() {
    let (here, _) = Installation::with_token().await;
    let whose = ["--institution", "example"];
    assert_eq!(
        here.json(&[&["calls", "opt-outs", "--json"][..], &whose].concat()),
        json!({ "opt_outs": [] })
    );
    let never = here.refuse(&[&["calls", "opt-in", "+1 202 555 0123"][..], &whose].concat());
    assert!(never.contains("+12025550123 has not opted out of calls"), "{never}");
    assert!(here.refuse(&[&["calls", "opt-in", "123"][..], &whose].concat()).contains("+12025550123"));
    let listed = "INSERT INTO do_not_call (institution_id, phone_number, created_at) \
                  SELECT id, '+12025550123', 0 FROM institutions";
    crate::support::database::execute(&here.database().await, listed, Vec::new()).await;
    import(&here, &["--phone-url", TRUNK, "--call"]);
    assert_eq!(calls(&here), Vec::<Value>::new());
    assert!(here.succeed(&[&["calls", "opt-outs"][..], &whose].concat()).contains("+12025550123"));
    here.succeed(&[&["calls", "opt-in", "+12025550123"][..], &whose].concat());
    import(&here, &["--phone-url", TRUNK, "--call"]);
    assert_eq!(calls(&here).len(), 1);
}

#[tokio::test]
async fn settings_that_are_wrong_are_said_at_the_start() {
    let here = Installation::new().await;
    for (words, says) in [
        (["--phone-url", "tel:+12025550123"], "must start with sip://"),
        (["--phone-url", "sip://u:s3cret@host?from=1&transport=pigeon"], "udp, tcp or tls"),
        (["--phone-quiet-hours", "late"], "quiet"),
        (["--phone-countries", "Atlantis"], "Atlantis"),
        (["--phone-attempts", "0"], "phone-attempts"),
        (["--phone-callback-url", "names.example.edu"], "callback URL"),
    ] {
        let refused = here.refuse(&[&["serve", "--listen", "127.0.0.1:0"][..], &words].concat());
        assert!(refused.contains(says) && !refused.contains("s3cret"), "{refused}");
    }
}
