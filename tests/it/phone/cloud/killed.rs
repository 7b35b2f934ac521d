//! The real binary, killed in the middle of a call by a cloud provider, behind a proxy with the public URL.

use super::*;
use crate::support::process::{Installation, Serving};

const PUBLIC: &str = "https://names.example.edu/endonym";

fn serve(here: &Installation, vendor: &Vendor) -> Serving {
    let url = vendor.phone_url();
    let words =
        ["--phone-url", &url, "--phone-callback-url", PUBLIC, "--phone-quiet-hours", "off", "--workers", "2"];
    let serving = here.serve(&words);
    *vendor.reroute.lock().unwrap() = Some((PUBLIC.to_owned(), serving.base.clone()));
    serving
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation_goes_on_when_its_process_is_killed() {
    let (here, token) = Installation::with_token().await;
    let vendor = Vendor::start(Dialect::Twilio).await;
    vendor.next_person(Person::Answers(vec![Presses('1'), Act::Waits]));
    let first = serve(&here, &vendor);
    let person = json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA });
    let body = json!({ "name_page_id": "class", "participant": person });
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}/api/private/v5/participants", first.base));
    assert_eq!(request.header("Authorization", &token).json(&body).send().await.unwrap().status(), 201);
    let asked =
        || async { vendor.inner().said.last().is_some_and(|said| said.ends_with("say-your-name.wav")) };
    until("they are to say their name", asked).await;
    let log = first.log();
    first.kill();

    let second = serve(&here, &vendor);
    let call = vendor.inner().calls[0].clone();
    let address = call.given("StatusCallback").replace("/status", "");
    assert!(address.starts_with(PUBLIC), "{address}");
    let (_, url) = vendor.record(&call.sid, wav(1.0));
    let said = [("RecordingUrl", url.as_str()), ("RecordingDuration", "1"), ("Digits", "#")];
    let review = vendor.ask(&call, &format!("{address}/steps/2"), &said).await.unwrap();
    let end = vendor.ask(&call, review[0].attribute("action"), &[("Digits", "1")]).await.unwrap();
    assert_eq!(end.last().unwrap().verb, "Hangup");
    vendor.report_status(&call.sid, "completed", &[]).await;
    let state = || here.json(&["calls", "list", "--json"])["calls"][0].clone();
    until("it is theirs", || async { state()["state"] == "recorded" }).await;
    assert_eq!(state()["attempts"].as_array().unwrap().len(), 1, "it is one and the same attempt");
    until("it is removed there", || async { vendor.inner().recordings.values().all(|one| one.deleted) })
        .await;
    assert_eq!(vendor.inner().calls.len(), 1, "nobody was called twice");
    assert_eq!(vendor.inner().problems, Vec::<String>::new());
    for secret in ["t0ken", ANA] {
        assert!(!log.contains(secret) && !second.log().contains(secret), "{secret} is in the log");
    }
    assert_eq!(second.stop().await, 0);
}
