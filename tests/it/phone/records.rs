//! Calls as records: scheduled, claimed, ended, retried, and canceled. How they are made does not matter here.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error,
        calls::{self, Claimed, Lease, Rules},
        persons,
    },
    domain::{
        call::{Listed, Outcome, Reason, State},
        countries::Countries,
        ids::CallId,
        quiet_hours::QuietHours,
    },
};
use serde_json::{Value, json};

use crate::support::{
    Setup, World,
    database::execute,
    media::{file, wav},
};

pub const HELD: Lease = Lease::Held(Duration::from_secs(15));
pub const ANA: &str = "+12025550123";
pub const BEN: &str = "+12025550124";

pub fn rules() -> Rules {
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

pub async fn world(rules: Rules) -> World {
    World::with(Setup { calling: rules, ..Setup::default() }).await
}

pub async fn create(world: &World, email: &str, number: &str) -> Value {
    world.person_on(&world.page, json!({ "first_name": "Ana", "email": email, "phone_number": number })).await
}

pub async fn update(world: &World, email: &str, participant: Value) {
    let body = json!({ "name_page_id": world.page.slug, "participant": participant });
    world.put(&format!("/v5/participants/{email}"), body).await.expect(200);
}

pub async fn all(world: &World) -> Vec<Listed> {
    calls::all(&world.app, &Actor::Operator, None, 1_000).await.unwrap()
}

pub async fn states(world: &World) -> Vec<State> {
    all(world).await.into_iter().rev().map(|call| call.state).collect()
}

pub async fn take(world: &World) -> Option<Claimed> {
    calls::claim(&world.app, HELD).await.unwrap()
}

pub async fn delete(world: &World, email: &str) -> (u16, Value) {
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
async fn on_a_page_with_moderation_what_is_said_waits_and_the_call_is_over() {
    let world = world(rules()).await;
    execute(&world.app.db, "UPDATE name_pages SET moderation = 'hold'", Vec::new()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    assert_eq!(calls::keep(&world.app, &claimed, wav(1.5)).await.unwrap(), Outcome::Recorded);
    assert_eq!(states(&world).await, [State::Recorded]);
    let latest = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    assert_eq!(latest["participants"][0]["recording_link"], Value::Null);
    let text = "SELECT COUNT(*) FROM media WHERE kind = 'held' AND hidden";
    assert_eq!(world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap(), Some(1));
    assert!(take(&world).await.is_none(), "nobody is called again");
}

#[tokio::test]
async fn what_is_said_on_one_call_is_theirs_on_all_of_their_pages_and_ends_their_other_calls() {
    let world = world(rules()).await;
    let person = json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA });
    let (second, given) = (world.page("Second").await, world.page("Given").await);
    create(&world, "ana@x.org", ANA).await;
    world.person_on(&second, person.clone()).await;
    let sent = json!({ "first_name": "Ana", "email": "ana@x.org", "pronunciation": file(wav(1.0)) });
    world.person_on(&given, sent).await;
    let body = json!({ "name_page_id": given.slug, "participant": { "phone_number": ANA } });
    world.put("/v5/participants/ana@x.org", body).await.expect(200);
    create(&world, "ben@x.org", BEN).await;
    assert_eq!(states(&world).await, [State::Scheduled; 4]);
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    calls::keep(&world.app, &claimed, wav(1.5)).await.unwrap();
    // A recording that somebody sent is kept, so the request to record anew stays; and Ben has no recording.
    let ended = [State::Recorded, State::Canceled, State::Scheduled, State::Scheduled];
    assert_eq!(states(&world).await, ended);
    for page in [&world.page, &second] {
        let path = format!("/v4/name_pages/{}/participants/ana@x.org", page.slug);
        let found = world.get(&path).await.expect(200);
        assert!(found["participant"]["recording_link"].is_string(), "{found}");
    }
    // A phone number for a new person requests a call, even if they have a recording.
    let third = world.person_on(&world.page("Third").await, person).await;
    assert!(third["recording_link"].is_string());
    assert_eq!(states(&world).await.last(), Some(&State::Scheduled));
    assert_eq!(states(&world).await.len(), 5);
}

#[tokio::test]
async fn a_number_with_a_recording_is_not_called() {
    let world = world(rules()).await;
    let person = json!({ "first_name": "Ana", "email": "ana@x.org", "phone_number": ANA, "pronunciation": file(wav(1.0)) });
    world.person_on(&world.page, person).await;
    assert_eq!(states(&world).await, []);
    // Later, sending the same number again requests a new recording.
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
    // A call that is to be retried is pending, too.
    assert!(calls::finish(&world.app, &claimed.attempt, Outcome::Failed(Reason::HungUp)).await.unwrap());
    assert_eq!(delete(&world, "ana@x.org").await, (422, refused));
    calls::cancel(&world.app, &Actor::Operator, all(&world).await[0].id).await.unwrap();
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
    assert_eq!(states(&world).await, [State::Canceled, State::Scheduled]);
    let old = &all(&world).await[1];
    assert_eq!(
        (old.attempts[0].state, old.attempts[0].reason),
        (State::Canceled, Some(Reason::NumberChanged))
    );
    assert!(!calls::still_wanted(&world.app, &first.attempt).await.unwrap(), "the line is to be hung up");
    assert!(!calls::finish(&world.app, &first.attempt, Outcome::Busy).await.unwrap(), "it was over before");
    assert_eq!(take(&world).await.unwrap().number.e164(), BEN);
    update(&world, "ana@x.org", json!({ "phone_number": "" })).await;
    assert_eq!(states(&world).await, [State::Canceled, State::Canceled]);
}

#[tokio::test]
async fn a_recording_by_another_way_cancels_what_is_pending() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    update(&world, "ana@x.org", json!({ "pronunciation": file(wav(1.0)) })).await;
    let call = &all(&world).await[0];
    assert_eq!(call.state, State::Canceled);
    assert_eq!(call.attempts[0].reason, Some(Reason::RecordedElsewhere));
    let sent = world.get("/v5/participants/latest?tokens=ana@x.org").await.expect(200);
    // A recording made on the phone at the same time is too late, and does not replace the uploaded one.
    let late = calls::keep(&world.app, &claimed, wav(2.0)).await.unwrap();
    assert_eq!(late.state(), State::Canceled);
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
    assert!(refused(calls::retry(&world.app, &Actor::Operator, id, 1).await).contains("pending already"));
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::NoAnswer).await.unwrap();
    assert_eq!(states(&world).await, [State::NoAnswer]);
    assert!(
        refused(calls::cancel(&world.app, &Actor::Operator, id).await).contains("is over already: no_answer")
    );
    calls::retry(&world.app, &Actor::Operator, id, 1).await.unwrap();
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    calls::keep(&world.app, &claimed, wav(1.0)).await.unwrap();
    assert_eq!(states(&world).await, [State::Recorded]);
    assert_eq!(all(&world).await[0].attempts.len(), 2);
    assert!(refused(calls::retry(&world.app, &Actor::Operator, id, 1).await).contains("a recording already"));
    assert!(matches!(
        calls::retry(&world.app, &Actor::Operator, CallId::new(17), 1).await,
        Err(Error::Missing(_))
    ));
}

#[tokio::test]
async fn the_next_attempt_waits() {
    let world = world(Rules { retry_after: Duration::from_secs(3_600), ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::NoAnswer).await.unwrap();
    assert!(take(&world).await.is_none());
    let due = all(&world).await[0].run_at.unwrap().since(world.app.clock.now());
    assert!(due > Duration::from_secs(3_500) && due <= Duration::from_secs(3_600), "{due:?}");
    world.advance(due);
    assert!(take(&world).await.is_some());
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
async fn a_page_goes_with_its_calls() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    let page = endonym::domain::name_page::NamePageRef::parse(&world.page.slug).unwrap();
    endonym::app::name_pages::delete(&world.app, &Actor::Operator, world.institution.id, &page)
        .await
        .unwrap();
    assert_eq!(states(&world).await, []);
    assert!(!calls::still_wanted(&world.app, &claimed.attempt).await.unwrap());
    assert!(!calls::finish(&world.app, &claimed.attempt, Outcome::Busy).await.unwrap());
}

#[tokio::test]
async fn an_answer_that_was_not_written_down_costs_no_recording() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    assert_eq!(calls::keep(&world.app, &claimed, wav(1.5)).await.unwrap(), Outcome::Recorded);
    assert_eq!(states(&world).await, [State::Recorded]);
}

#[tokio::test]
async fn nobody_is_called_again_at_a_number_that_was_theirs() {
    let world = world(Rules { attempts: 1, ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    let old = all(&world).await[0].id;
    update(&world, "ana@x.org", json!({ "phone_number": BEN })).await;
    calls::cancel_pending(&world.app, &Actor::Operator, None).await.unwrap();
    let why = calls::retry(&world.app, &Actor::Operator, old, 1).await.unwrap_err().to_string();
    assert!(why.contains("no longer theirs"), "{why}");
    calls::retry(&world.app, &Actor::Operator, all(&world).await[0].id, 1).await.unwrap();
}

#[tokio::test]
async fn only_a_process_that_says_nothing_is_taken_for_dead() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let silent = calls::claim(&world.app, Lease::Held(Duration::ZERO)).await.unwrap().unwrap().attempt;
    assert_eq!(calls::overdue(&world.app).await.unwrap().len(), 1);
    // The vendor responds after all, between the check and the end.
    assert!(calls::renew(&world.app, &silent, Duration::from_secs(15)).await.unwrap());
    assert!(!calls::interrupt(&world.app, &silent).await.unwrap());
    assert!(calls::renew(&world.app, &silent, Duration::ZERO).await.unwrap());
    assert!(calls::interrupt(&world.app, &silent).await.unwrap());
    assert_eq!(states(&world).await, [State::Scheduled]);
    assert_eq!(all(&world).await[0].attempts[0].reason, Some(Reason::Interrupted));
}

#[tokio::test]
async fn somebody_who_is_erased_while_they_are_called_does_not_come_back_by_the_call() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::answered(&world.app, &claimed.attempt).await.unwrap();
    assert_eq!(delete(&world, "ana@x.org").await.0, 422, "version 5 waits for the call");
    persons::erase(
        &world.app,
        &Actor::Operator,
        world.institution.id,
        "ana@x.org".into(),
        persons::Rewrite::Now,
    )
    .await
    .unwrap();
    assert!(!calls::still_wanted(&world.app, &claimed.attempt).await.unwrap(), "the line is hung up");
    // Both at once: they keep a recording, and opt out of further calls.
    let kept = calls::keep(&world.app, &claimed, wav(1.5)).await.unwrap();
    assert_eq!(kept, Outcome::Canceled(Reason::ByOperator));
    calls::opt_out(&world.app, &claimed.attempt).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::Canceled(Reason::OptedOut)).await.unwrap();
    assert_eq!(all(&world).await.len(), 0);
    let files = crate::support::media::files(world.folder.path());
    assert!(files.iter().all(|name| !name.starts_with("blobs/")), "{files:?}");
    let opted_out = calls::opted_out(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    assert!(matches!(&opted_out[..], [(kept, _)] if !kept.contains(ANA)), "{opted_out:?}");
    create(&world, "ana@x.org", ANA).await;
    assert_eq!(all(&world).await.len(), 0, "and they are not called");
}
