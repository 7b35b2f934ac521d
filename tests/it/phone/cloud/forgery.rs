//! Webhooks that are forged, about other calls, or repeated.

use super::*;
use endonym::{app::Actor, telemetry::metrics};

/// A metric of this process: other tests count as well, so this is a lower bound.
fn metric(name: &str) -> f64 {
    let text = metrics::exposition();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0.0, |value| value.trim().parse().unwrap())
}

/// The call is answered, and the first menu plays. Returns the call and the attempt's URL.
async fn answered(scene: &Scene) -> (Call, String) {
    let attempt = scene.call().await;
    let call = scene.last_call();
    scene.vendor.report_status(&call.sid, "in-progress", &[]).await;
    scene.vendor.ask(&scene.last_call(), call.given("Url"), &[]).await.unwrap();
    assert_eq!(scene.listed().await.state, State::InProgress);
    (scene.last_call(), format!("{}/phone/attempts/{}", scene.world.base, attempt))
}

async fn step(scene: &Scene) -> i64 {
    let text = "SELECT step_number FROM call_attempts";
    scene.world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn what_is_not_signed_well_is_refused_and_counted() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    let refused = metric("endonym_phone_callbacks_total{result=\"bad_signature\"}");
    let url = format!("{address}/steps/1");
    let good = scene.vendor.params(&call, &[("Digits", "9")]);
    let other = scene.vendor.params(&call, &[("Digits", "1")]);
    let signed_for_other = vendor_library::sign("t0ken/with+signs", &url, &other).await;
    let with_other_key = vendor_library::sign("12345", &url, &good).await;
    let for_other_address =
        vendor_library::sign("t0ken/with+signs", &format!("{address}/status"), &good).await;
    let bad = [
        None,
        Some(""),
        Some("x"),
        Some(&*signed_for_other),
        Some(&with_other_key),
        Some(&for_other_address),
    ];
    for signature in bad {
        let answer = scene.vendor.send(&url, &good, signature).await;
        assert_eq!(answer.status(), 403, "{signature:?}");
        assert_eq!(answer.text().await.unwrap(), "", "nothing is told");
    }
    assert_eq!(step(&scene).await, 1, "nothing has changed");
    let now = metric("endonym_phone_callbacks_total{result=\"bad_signature\"}");
    assert!(now >= refused + 6.0, "{refused} {now}");
}

#[tokio::test]
async fn a_call_that_is_not_ours_is_refused_and_counted() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    let refused = metric("endonym_phone_callbacks_total{result=\"foreign_call\"}");
    let foreign = format!("CA{}", "f".repeat(32));
    for wrong in [
        ("CallSid", foreign.as_str()),
        ("CallSid", ""),
        ("CallSid", "../x"),
        ("AccountSid", "AC9"),
        ("AccountSid", ""),
    ] {
        let params = scene.vendor.params(&call, &[("Digits", "9"), wrong]);
        for path in ["steps/1", "status", "recording"] {
            let answer = scene.vendor.post(&format!("{address}/{path}"), &params).await;
            assert_eq!(answer.status(), 403, "{wrong:?} {path}");
        }
    }
    let params = scene.vendor.params(&call, &[("Digits", "9")]);
    for unknown in ["1", "0", "-1", "999999999999999999999999", "x"] {
        let url = format!("{}/phone/attempts/{unknown}/steps/1", scene.world.base);
        assert_eq!(scene.vendor.post(&url, &params).await.status(), 403, "{unknown}");
    }
    assert_eq!(step(&scene).await, 1);
    let now = metric("endonym_phone_callbacks_total{result=\"foreign_call\"}");
    assert!(now >= refused + 20.0, "{refused} {now}");
}

#[tokio::test]
async fn a_call_of_another_attempt_is_foreign_even_before_the_first_is_named() {
    let scene = Scene::allowing(Dialect::Twilio, 2).await;
    let first = scene.call().await;
    let first_call = scene.last_call();
    scene.vendor.inner().create = Create::Waits;
    scene.vendor.report_status(&first_call.sid, "busy", &[]).await;
    until("it is tried again", || async { scene.vendor.inner().calls.len() == 2 }).await;
    let second = scene.attempt().await;
    assert_ne!(first, second);
    let url = format!("{}/phone/attempts/{second}/status", scene.world.base);
    let answer = scene.vendor.post(&url, &scene.vendor.params(&first_call, &[("CallStatus", "busy")])).await;
    assert_eq!(answer.status(), 403);
    assert_eq!(scene.listed().await.state, State::Dialing);
}

#[tokio::test]
async fn a_repeated_webhook_changes_nothing_and_gets_the_same_answer() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    let repeated = metric("endonym_phone_callbacks_total{result=\"repeated\"}");
    let (url, params) = (format!("{address}/steps/1"), scene.vendor.params(&call, &[("Digits", "1")]));
    let first = scene.vendor.post(&url, &params).await.text().await.unwrap();
    assert!(first.contains("<Record"), "{first}");
    for _ in 0..3 {
        let again = scene.vendor.post(&url, &params).await;
        assert_eq!(again.status(), 200);
        assert_eq!(again.text().await.unwrap(), first);
    }
    // Nor is a step valid that has not been reached yet.
    let ahead = scene.vendor.post(&format!("{address}/steps/7"), &params).await;
    assert_eq!((ahead.status().as_u16(), ahead.text().await.unwrap()), (200, first));
    assert_eq!(step(&scene).await, 2);
    let now = metric("endonym_phone_callbacks_total{result=\"repeated\"}");
    assert!(now >= repeated + 4.0, "{repeated} {now}");
}

#[tokio::test]
async fn after_the_end_there_is_nothing_more_to_say() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    scene.vendor.report_status(&call.sid, "completed", &[]).await;
    assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::HungUp)));
    let params = scene.vendor.params(&call, &[("Digits", "1")]);
    let answer = scene.vendor.post(&format!("{address}/steps/1"), &params).await;
    assert_eq!(answer.status(), 200);
    assert!(answer.text().await.unwrap().ends_with("<Response><Hangup/></Response>"));
    assert_eq!(how(&scene.settled().await), (State::Failed, Some(Reason::HungUp)));
    // A recording that becomes known only now is deleted at once.
    let (sid, url) = scene.vendor.record(&call.sid, wav(0.5));
    let late = [("RecordingSid", sid.as_str()), ("RecordingUrl", &url), ("RecordingStatus", "completed")];
    let answer = scene.vendor.post(&format!("{address}/recording"), &scene.vendor.params(&call, &late)).await;
    assert!(answer.status().is_success());
    until("it is removed", || async { scene.deleted() == (1, 1) }).await;
}

#[tokio::test]
async fn statuses_may_come_twice_and_in_any_order() {
    let scene = Scene::new().await;
    scene.call().await;
    let call = scene.last_call();
    for status in ["no-answer", "ringing", "initiated", "no-answer", "in-progress", "completed", "busy"] {
        scene.vendor.report_status(&call.sid, status, &[]).await;
        assert_eq!(scene.listed().await.state, State::NoAnswer, "{status}");
    }
    let scene = Scene::new().await;
    let (call, _) = answered(&scene).await;
    for status in ["ringing", "queued", "in-progress"] {
        scene.vendor.report_status(&call.sid, status, &[]).await;
        assert_eq!(scene.listed().await.state, State::InProgress, "{status}");
    }
}

#[tokio::test]
async fn other_methods_and_huge_bodies_are_refused() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    let url = format!("{address}/steps/1");
    let signature = vendor_library::sign("t0ken/with+signs", &url, &[]).await;
    let asked = scene.world.client.get(&url).header("X-Twilio-Signature", &signature);
    assert_eq!(asked.send().await.unwrap().status(), 405);
    let params = scene.vendor.params(&call, &[("Digits", "9"), ("More", &"x".repeat(1 << 20))]);
    assert_eq!(scene.vendor.post(&url, &params).await.status(), 413);
    assert_eq!(step(&scene).await, 1);
}

#[tokio::test]
async fn what_people_say_about_themselves_is_signed_letter_by_letter() {
    let scene = Scene::new().await;
    let (call, address) = answered(&scene).await;
    let odd = [
        ("CallerName", "Siobhán & Söhne + 100%"),
        ("Empty", ""),
        ("Many", "b"),
        ("Many", "a"),
        ("Many", "b"),
    ];
    let params = scene.vendor.params(&call, &odd);
    let answer = scene.vendor.post(&format!("{address}/status"), &params).await;
    assert!(answer.status().is_success(), "{}", answer.status());
    let with_query = scene.vendor.post(&format!("{address}/status?a=1&b=%C3%A9"), &params).await;
    assert!(with_query.status().is_success(), "{}", with_query.status());
}

#[tokio::test]
async fn what_was_said_is_there_for_the_call_alone() {
    let scene = Scene::new().await;
    let name = wav(1.0);
    scene.vendor.next_person(Person::Answers(vec![Presses('1'), Says(name.clone()), Act::Waits]));
    scene.call().await;
    until("they listen", || async { scene.said().last().is_some_and(|said| said == "review") }).await;
    let said = scene.vendor.inner().said.clone();
    let address = said.iter().find(|said| said.contains("/takes/")).unwrap();
    let get = |address: String| async { scene.world.client.get(address).send().await.unwrap() };
    let answer = get(address.clone()).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["cache-control"]),
        (200, &"no-store".parse().unwrap())
    );
    assert_eq!(answer.bytes().await.unwrap(), name);
    for other in [
        address.replace("/takes/RE0", "/takes/RE1"),
        address.replace(".wav", ""),
        address.replace("attempts/", "attempts/1"),
    ] {
        assert_eq!(get(other.clone()).await.status(), 404, "{other}");
    }
    calls::cancel(&scene.world.app, &Actor::Operator, scene.listed().await.id).await.unwrap();
    assert_eq!(get(address.clone()).await.status(), 404, "the call is over");
}

#[tokio::test]
async fn prompts_are_served_and_nothing_beside_them() {
    let scene = Scene::new().await;
    let get = |path: &str| {
        let address = format!("{}/phone/prompts/{path}", scene.world.base);
        async { scene.world.client.get(address).send().await.unwrap() }
    };
    let invite = get("en/invite.wav").await;
    assert_eq!(
        (invite.status().as_u16(), &invite.headers()["content-type"]),
        (200, &"audio/wav".parse().unwrap())
    );
    assert!(invite.bytes().await.unwrap().starts_with(b"RIFF"));
    for other in [
        "en/invite",
        "en/nothing.wav",
        "xx/invite.wav",
        "..%2Fen/invite.wav",
        "en/institutions/example.wav",
        "en/institutions/..%2F..%2Fx.wav",
    ] {
        assert_eq!(get(other).await.status(), 404, "{other}");
    }
}

/// They have recorded their name, and hear it again.
async fn at_review(scene: &Scene) -> (Call, String) {
    let (call, address) = answered(scene).await;
    let keyed = scene.vendor.params(&call, &[("Digits", "1")]);
    scene.vendor.post(&format!("{address}/steps/1"), &keyed).await;
    let (_, url) = scene.vendor.record(&call.sid, wav(1.0));
    let said =
        scene.vendor.params(&call, &[("RecordingUrl", &url), ("RecordingDuration", "1"), ("Digits", "#")]);
    let review = scene.vendor.post(&format!("{address}/steps/2"), &said).await.text().await.unwrap();
    assert!(review.contains("review.wav"), "{review}");
    (call, address)
}

#[tokio::test]
async fn what_is_kept_counts_though_the_hang_up_is_told_first() {
    let scene = Scene::new().await;
    let (call, address) = at_review(&scene).await;
    scene.vendor.report_status(&call.sid, "completed", &[]).await;
    let kept = scene.vendor.params(&scene.last_call(), &[("Digits", "1")]);
    scene.vendor.post(&format!("{address}/steps/3"), &kept).await;
    assert_eq!(how(&scene.settled().await), (State::Recorded, None));
}

#[tokio::test]
async fn a_9_counts_though_the_hang_up_is_told_first() {
    for at_the_end in [false, true] {
        let scene = Scene::new().await;
        let ((call, address), step) =
            if at_the_end { (at_review(&scene).await, 3) } else { (answered(&scene).await, 1) };
        scene.vendor.report_status(&call.sid, "completed", &[]).await;
        let nine = scene.vendor.params(&scene.last_call(), &[("Digits", "9")]);
        scene.vendor.post(&format!("{address}/steps/{step}"), &nine).await;
        let listed =
            endonym::app::calls::opted_out(&scene.world.app, &Actor::Operator, scene.world.institution.id)
                .await
                .unwrap();
        assert_eq!(listed.len(), 1, "at the end: {at_the_end}");
    }
}
