//! Calls as records: when one is scheduled, taken, ended, tried again, and cancelled. Who makes them does not matter here.

use std::time::Duration;

use endonym::{
    app::{
        Error,
        calls::{self, Claimed, Lease, Rules},
    },
    domain::{
        call::{Listed, Outcome, Reason, State},
        countries::Countries,
        quiet_hours::QuietHours,
    },
};
use serde_json::{Value, json};

use crate::support::{
    Setup, World,
    database::execute,
    media::{file, wav},
};

const HELD: Lease = Lease::Held(Duration::from_secs(15));
const ANA: &str = "+12025550123";
const BEN: &str = "+12025550124";

fn rules() -> Rules {
    Rules {
        enabled: true,
        attempts: 3,
        retry_after: Duration::ZERO,
        quiet_hours: QuietHours::OFF,
        ring: Duration::from_secs(30),
        max_at_once: 10,
        max_per_minute: 30,
        max_per_day: 500,
        countries: Countries::default(),
    }
}

async fn world(rules: Rules) -> World {
    World::with(Setup { calling: rules, ..Setup::default() }).await
}

async fn create(world: &World, email: &str, number: &str) -> Value {
    world.person_on(&world.page, json!({ "first_name": "Ana", "email": email, "phone_number": number })).await
}

async fn update(world: &World, email: &str, participant: Value) {
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    world.put(&format!("/v5/participants/{email}"), body).await.expect(200);
}

async fn all(world: &World) -> Vec<Listed> {
    calls::all(&world.app, None, 1_000).await.unwrap()
}

async fn states(world: &World) -> Vec<State> {
    all(world).await.into_iter().rev().map(|call| call.state).collect()
}

async fn take(world: &World) -> Option<Claimed> {
    calls::claim(&world.app, HELD).await.unwrap()
}

async fn delete(world: &World, email: &str) -> (u16, Value) {
    let path = format!("/v5/participants/{email}");
    let answer = world.delete(&path, json!({ "name_page_id": world.page.slug })).await;
    (answer.status.as_u16(), answer.body)
}

#[tokio::test]
async fn a_number_without_a_recording_is_called() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    assert_eq!(states(&world).await, [State::Scheduled]);
    let claimed = take(&world).await.unwrap();
    assert_eq!(claimed.number.e164(), ANA);
    assert_eq!(states(&world).await, [State::Dialing]);
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    assert_eq!(states(&world).await, [State::InProgress]);
    let kept = calls::keep(&world.app, &claimed, wav(1.5)).await.unwrap();
    assert_eq!(kept, Outcome::Recorded);
    let [call] = &all(&world).await[..] else { panic!("one call") };
    assert_eq!((call.state, call.email.as_deref()), (State::Recorded, Some("ana@x.org")));
    assert_eq!(call.attempts.len(), 1);
    assert_eq!((call.attempts[0].state, call.attempts[0].reason), (State::Recorded, None));
    let latest = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    assert!(latest["participants"][0]["recording_link"].is_string(), "{latest}");
}

#[tokio::test]
async fn a_number_with_a_recording_is_not_called() {
    let world = world(rules()).await;
    let person = json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA, "pronunciation": file(wav(1.0)) });
    world.person_on(&world.page, person).await;
    assert_eq!(states(&world).await, []);
    // Later, the same number alone is a wish to say it anew.
    update(&world, "ana@x.org", json!({ "phone_number": ANA })).await;
    assert_eq!(states(&world).await, [State::Scheduled]);
}

#[tokio::test]
async fn a_blank_recording_is_none() {
    let world = world(rules()).await;
    let person =
        json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA, "pronunciation": "" });
    world.person_on(&world.page, person).await;
    assert_eq!(states(&world).await, [State::Scheduled]);
}

#[tokio::test]
async fn nobody_is_called_where_there_is_no_telephony() {
    let world = World::new().await;
    create(&world, "ana@x.org", ANA).await;
    assert_eq!(states(&world).await, []);
    assert_eq!(delete(&world, "ana@x.org").await.0, 200);
}

#[tokio::test]
async fn nobody_is_called_abroad_where_that_is_not_allowed() {
    let world = world(Rules { countries: Countries::parse("IE,GB").unwrap(), ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    assert_eq!(states(&world).await, []);
    create(&world, "ben@x.org", "+353850123456").await;
    assert_eq!(states(&world).await, [State::Scheduled]);
}

#[tokio::test]
async fn whoever_has_a_pending_call_cannot_be_deleted() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let refused = json!({
        "message": "Participant has pending calls",
        "errors": { "first_name": ["Participant has pending calls"] }
    });
    assert_eq!(delete(&world, "ana@x.org").await, (422, refused.clone()));
    let claimed = take(&world).await.unwrap();
    assert_eq!(delete(&world, "ana@x.org").await, (422, refused.clone()));
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    assert_eq!(delete(&world, "ana@x.org").await, (422, refused.clone()));
    // To be tried again is pending too.
    assert!(calls::finish(&world.app, &claimed.attempt, Outcome::Failed(Reason::HungUp)).await.unwrap());
    assert_eq!(delete(&world, "ana@x.org").await, (422, refused));
    calls::cancel(&world.app, all(&world).await[0].id).await.unwrap();
    assert_eq!(delete(&world, "ana@x.org").await.0, 200);
    assert_eq!(states(&world).await, [], "nothing is kept of somebody who is gone");
}

#[tokio::test]
async fn a_new_number_takes_the_place_of_the_old_one() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    update(&world, "ana@x.org", json!({ "phone_number": ANA })).await;
    update(&world, "ana@x.org", json!({ "notes": "Nothing about a number" })).await;
    assert_eq!(states(&world).await, [State::Scheduled], "the same number changes nothing");
    let first = take(&world).await.unwrap();
    update(&world, "ana@x.org", json!({ "phone_number": BEN })).await;
    assert_eq!(states(&world).await, [State::Cancelled, State::Scheduled]);
    let old = &all(&world).await[1];
    assert_eq!(
        (old.attempts[0].state, old.attempts[0].reason),
        (State::Cancelled, Some(Reason::NumberChanged))
    );
    assert!(!calls::still_wanted(&world.app, &first.attempt).await.unwrap(), "the line is to be hung up");
    assert!(!calls::finish(&world.app, &first.attempt, Outcome::Busy).await.unwrap(), "it was over before");
    assert_eq!(take(&world).await.unwrap().number.e164(), BEN);
    update(&world, "ana@x.org", json!({ "phone_number": "" })).await;
    assert_eq!(states(&world).await, [State::Cancelled, State::Cancelled]);
}

#[tokio::test]
async fn a_recording_by_another_way_cancels_what_is_pending() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    update(&world, "ana@x.org", json!({ "pronunciation": file(wav(1.0)) })).await;
    let call = &all(&world).await[0];
    assert_eq!(call.state, State::Cancelled);
    assert_eq!(call.attempts[0].reason, Some(Reason::RecordedElsewhere));
    let sent = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    // What they were just saying on the phone comes too late, and does not replace what they sent.
    let late = calls::keep(&world.app, &claimed, wav(2.0)).await.unwrap();
    assert_eq!(late.state(), State::Cancelled);
    assert_eq!(world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200), sent);
}

#[tokio::test]
async fn three_attempts_at_most_and_the_last_one_tells() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let outcomes = [Outcome::NoAnswer, Outcome::Failed(Reason::NoKey), Outcome::Busy];
    for (at, outcome) in outcomes.into_iter().enumerate() {
        let claimed = take(&world).await.unwrap();
        calls::finish(&world.app, &claimed.attempt, outcome).await.unwrap();
        let expected = if at < 2 { State::Scheduled } else { State::Busy };
        assert_eq!(states(&world).await, [expected]);
    }
    assert!(take(&world).await.is_none());
    let call = &all(&world).await[0];
    let attempts: Vec<_> = call.attempts.iter().map(|attempt| (attempt.state, attempt.reason)).collect();
    assert_eq!(
        attempts,
        [(State::NoAnswer, None), (State::Failed, Some(Reason::NoKey)), (State::Busy, None)]
    );
    assert_eq!(delete(&world, "ana@x.org").await.0, 200, "what is over is not pending");
}

#[tokio::test]
async fn an_operator_may_have_it_made_again() {
    let world = world(Rules { attempts: 1, ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    let id = all(&world).await[0].id;
    let refused = |error: Result<(), Error>| error.unwrap_err().to_string();
    assert!(refused(calls::retry(&world.app, id, 1).await).contains("pending already"));
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::NoAnswer).await.unwrap();
    assert_eq!(states(&world).await, [State::NoAnswer]);
    assert!(refused(calls::cancel(&world.app, id).await).contains("is over already: no_answer"));
    calls::retry(&world.app, id, 1).await.unwrap();
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    calls::keep(&world.app, &claimed, wav(1.0)).await.unwrap();
    assert_eq!(states(&world).await, [State::Recorded]);
    assert_eq!(all(&world).await[0].attempts.len(), 2);
    assert!(refused(calls::retry(&world.app, id, 1).await).contains("a recording already"));
    assert!(matches!(calls::retry(&world.app, 17, 1).await, Err(Error::Missing(_))));
}

#[tokio::test]
async fn the_next_attempt_waits() {
    let world = world(Rules { retry_after: Duration::from_secs(3_600), ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::NoAnswer).await.unwrap();
    assert!(take(&world).await.is_none());
    let due = all(&world).await[0].run_at.unwrap().since(world.app.clock.now());
    assert!(due > Duration::from_secs(3_590) && due <= Duration::from_secs(3_600), "{due:?}");
}

#[tokio::test]
async fn sound_that_cannot_be_used_is_a_failed_attempt() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    let outcome = calls::keep(&world.app, &claimed, b"no sound at all".to_vec()).await.unwrap();
    assert_eq!(outcome, Outcome::Failed(Reason::Unusable));
    assert_eq!(states(&world).await, [State::Scheduled]);
}

#[tokio::test]
async fn whoever_opts_out_is_not_called_again() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    create(&world, "twin@x.org", ANA).await;
    let neighbour = world.neighbour().await;
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::Cancelled(Reason::OptedOut)).await.unwrap();
    assert_eq!(
        states(&world).await,
        [State::Cancelled, State::Cancelled],
        "the same number waits for nobody"
    );
    create(&world, "late@x.org", ANA).await;
    assert_eq!(states(&world).await.len(), 2, "created, and not called");
    assert_eq!(delete(&world, "late@x.org").await.0, 200, "nothing is pending");
    let why = calls::retry(&world.app, all(&world).await[0].id, 1).await.unwrap_err().to_string();
    assert!(why.contains("asked not to be called"), "{why}");
    // They said it to one institution.
    assert_eq!(calls::opted_out(&world.app, neighbour.institution.id).await.unwrap().len(), 0);
    let listed = calls::opted_out(&world.app, world.institution.id).await.unwrap();
    assert_eq!(listed[0].0, ANA);
}

#[tokio::test]
async fn never_two_calls_to_one_number_at_a_time() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    create(&world, "twin@x.org", ANA).await;
    create(&world, "ben@x.org", BEN).await;
    let first = take(&world).await.unwrap();
    let second = take(&world).await.unwrap();
    assert_eq!((first.number.e164(), second.number.e164()), (ANA, BEN));
    assert!(take(&world).await.is_none());
    calls::finish(&world.app, &first.attempt, Outcome::Cancelled(Reason::ByOperator)).await.unwrap();
    assert_eq!(take(&world).await.unwrap().number.e164(), ANA);
}

#[tokio::test]
async fn so_many_at_once_and_in_a_minute() {
    let world = world(Rules { max_at_once: 2, max_per_minute: 3, ..rules() }).await;
    for n in 0..5 {
        create(&world, &format!("p{n}@x.org"), &format!("+1202555012{n}")).await;
    }
    let first = take(&world).await.unwrap();
    assert!(take(&world).await.is_some());
    assert!(take(&world).await.is_none(), "two at once");
    calls::finish(&world.app, &first.attempt, Outcome::Cancelled(Reason::ByOperator)).await.unwrap();
    let third = take(&world).await.unwrap();
    calls::finish(&world.app, &third.attempt, Outcome::Cancelled(Reason::ByOperator)).await.unwrap();
    assert!(take(&world).await.is_none(), "three in a minute");
    execute(&world.app.db, "UPDATE call_attempts SET started_at = started_at - 61000000", vec![]).await;
    assert!(take(&world).await.is_some(), "a minute later");
}

#[tokio::test]
async fn so_many_in_a_day_for_each_institution() {
    let world = world(Rules { max_per_day: 1, ..rules() }).await;
    let neighbour = world.neighbour().await;
    create(&world, "ana@x.org", ANA).await;
    create(&world, "ben@x.org", BEN).await;
    let body = json!({
        "name_page_id": neighbour.page.slug,
        "participant": { "first_name": "Eve", "email": "eve@x.org", "phone_number": "+12025550129" }
    });
    let request = world.request_as(&neighbour.token, reqwest::Method::POST, "/v5/participants").json(&body);
    crate::support::Answer::of(request).await.expect(201);
    assert!(take(&world).await.is_some());
    assert_eq!(take(&world).await.unwrap().number.e164(), "+12025550129", "others have a day of their own");
    assert!(take(&world).await.is_none());
    let waiting = all(&world).await.into_iter().find(|call| call.state == State::Scheduled).unwrap();
    let due = waiting.run_at.unwrap().since(world.app.clock.now());
    assert!(due > Duration::from_secs(86_000) && due <= Duration::from_secs(86_400), "{due:?}");
}

#[tokio::test]
async fn nobody_is_called_in_their_quiet_hours() {
    // Quiet for all but one minute that is hours away, wherever the number is.
    let zone = jiff::tz::TimeZone::get("America/New_York").unwrap();
    let shown = endonym::app::Clock.now().shown_in(&zone);
    let hour: u32 = shown[11..13].parse().unwrap();
    let (from, to) = ((hour + 23) % 24, (hour + 3) % 24);
    let quiet = QuietHours::parse(&format!("{from:02}:00-{to:02}:00")).unwrap();
    let world = world(Rules { quiet_hours: quiet, ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    assert!(take(&world).await.is_none());
    let due = all(&world).await[0].run_at.unwrap().since(world.app.clock.now());
    assert!(due > Duration::from_secs(2 * 3_600 - 5) && due <= Duration::from_secs(3 * 3_600), "{due:?}");
    // Hours may have changed since it was scheduled: they are looked at again before anybody is called.
    execute(&world.app.db, "UPDATE calls SET run_at = 0", vec![]).await;
    assert!(take(&world).await.is_none());
    assert!(
        all(&world).await[0].run_at.unwrap().since(world.app.clock.now())
            > Duration::from_secs(2 * 3_600 - 5)
    );
}

#[tokio::test]
async fn an_attempt_ends_once() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    let both = tokio::join!(
        calls::keep(&world.app, &claimed, wav(1.0)),
        calls::finish(&world.app, &claimed.attempt, Outcome::Failed(Reason::HungUp))
    );
    let (kept, finished) = (both.0.unwrap(), both.1.unwrap());
    assert_ne!(kept == Outcome::Recorded, finished, "one of them has ended it, and the other has not");
    assert_eq!(all(&world).await[0].attempts.len(), 1);
}

#[tokio::test]
async fn many_who_take_calls_at_once_take_each_once() {
    let world = world(Rules { max_at_once: 6, ..rules() }).await;
    for n in 0..9 {
        create(&world, &format!("p{n}@x.org"), &format!("+1202555012{n}")).await;
    }
    let takers = (0..12).map(|_| {
        let app = world.app.clone();
        tokio::spawn(async move { calls::claim(&app, HELD).await.unwrap() })
    });
    let mut taken = Vec::new();
    for taker in takers {
        taken.extend(taker.await.unwrap().map(|claimed| claimed.number.e164().to_owned()));
    }
    taken.sort();
    taken.dedup();
    assert_eq!(taken.len(), 6);
    assert_eq!(states(&world).await.iter().filter(|state| **state == State::Dialing).count(), 6);
}

#[tokio::test]
async fn a_page_goes_with_its_calls() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    let page = endonym::domain::name_page::NamePageRef::parse(&world.page.slug).unwrap();
    endonym::app::name_pages::delete(&world.app, world.institution.id, &page).await.unwrap();
    assert_eq!(states(&world).await, []);
    assert!(!calls::still_wanted(&world.app, &claimed.attempt).await.unwrap());
    assert!(!calls::finish(&world.app, &claimed.attempt, Outcome::Busy).await.unwrap());
}
