//! Limits within which people are called: limits, hours, countries, and who asked not to be.

use std::time::Duration;

use endonym::{
    app::{
        Actor,
        calls::{self, Rules},
        imports::CallPolicy,
    },
    domain::{
        call::{Outcome, Reason, State},
        countries::Countries,
        email::Email,
        moment::Moment,
        participant::{Draft, Given},
        quiet_hours::QuietHours,
    },
};
use serde_json::json;

use super::records::{ANA, BEN, HELD, all, create, delete, rules, states, take, world};
use crate::{
    store::groups::Holder,
    support::{
        Answer, Neighbor, World,
        database::{execute, on_postgres},
        import::import,
    },
};

#[tokio::test]
async fn nobody_is_called_abroad_where_that_is_not_allowed() {
    let world = world(Rules { countries: Countries::parse("IE,GB").unwrap(), ..rules() }).await;
    create(&world, "ana@x.org", ANA).await;
    assert_eq!(states(&world).await, []);
    create(&world, "ben@x.org", "+353850123456").await;
    assert_eq!(states(&world).await, [State::Scheduled]);
}

#[tokio::test]
async fn whoever_opts_out_is_not_called_again() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    create(&world, "twin@x.org", ANA).await;
    let neighbor = world.neighbor().await;
    let claimed = take(&world).await.unwrap();
    calls::finish(&world.app, &claimed.attempt, Outcome::Canceled(Reason::OptedOut)).await.unwrap();
    assert_eq!(states(&world).await, [State::Canceled, State::Canceled], "the same number waits for nobody");
    create(&world, "late@x.org", ANA).await;
    assert_eq!(states(&world).await.len(), 2, "created, and not called");
    assert_eq!(delete(&world, "late@x.org").await.0, 200, "nothing is pending");
    let why =
        calls::retry(&world.app, &Actor::Operator, all(&world).await[0].id, 1).await.unwrap_err().to_string();
    assert!(why.contains("asked not to be called"), "{why}");
    // They said it to one institution.
    assert_eq!(
        calls::opted_out(&world.app, &Actor::Operator, neighbor.institution.id).await.unwrap().len(),
        0
    );
    let listed = calls::opted_out(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
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
    calls::finish(&world.app, &first.attempt, Outcome::Canceled(Reason::ByOperator)).await.unwrap();
    assert_eq!(take(&world).await.unwrap().number.e164(), ANA);
}

/// Whoever asks: the number may belong to somebody who wants nothing of this.
#[tokio::test]
async fn three_calls_in_a_day_to_one_number_by_all_institutions_together() {
    let world = world(rules()).await;
    let neighbor = world.neighbor().await;
    create_next_door(&world, &neighbor, "eve@x.org", ANA).await;
    for n in 0..4 {
        create(&world, &format!("p{n}@x.org"), ANA).await;
    }
    for _ in 0..3 {
        let claimed = take(&world).await.expect("a call");
        calls::finish(&world.app, &claimed.attempt, Outcome::Canceled(Reason::ByOperator)).await.unwrap();
    }
    assert!(take(&world).await.is_none(), "the number was called three times");
    create(&world, "ben@x.org", BEN).await;
    assert_eq!(take(&world).await.unwrap().number.e164(), BEN, "others are called");
    // Who is deleted and registered again is not forgotten.
    assert_eq!(delete(&world, "p0@x.org").await.0, 200);
    create(&world, "p0@x.org", ANA).await;
    assert!(take(&world).await.is_none());
    world.advance(Duration::from_secs(24 * 3_600 + 1));
    assert_eq!(take(&world).await.expect("a day later").number.e164(), ANA);
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
    calls::finish(&world.app, &first.attempt, Outcome::Canceled(Reason::ByOperator)).await.unwrap();
    let third = take(&world).await.unwrap();
    calls::finish(&world.app, &third.attempt, Outcome::Canceled(Reason::ByOperator)).await.unwrap();
    assert!(take(&world).await.is_none(), "three in a minute");
    world.advance(Duration::from_secs(61));
    assert!(take(&world).await.is_some(), "a minute later");
}

#[tokio::test]
async fn so_many_in_a_day_for_each_institution() {
    let world = world(Rules { max_per_day: 1, ..rules() }).await;
    let neighbor = world.neighbor().await;
    create(&world, "ana@x.org", ANA).await;
    create(&world, "ben@x.org", BEN).await;
    create_next_door(&world, &neighbor, "eve@x.org", "+12025550129").await;
    assert!(take(&world).await.is_some());
    assert_eq!(take(&world).await.unwrap().number.e164(), "+12025550129", "others have a day of their own");
    assert!(take(&world).await.is_none());
    let waiting = all(&world).await.into_iter().find(|call| call.state == State::Scheduled).unwrap();
    let due = waiting.run_at.unwrap().since(world.app.clock.now());
    assert!(due > Duration::from_secs(86_000) && due <= Duration::from_secs(86_400), "{due:?}");
    world.advance(due);
    assert!(take(&world).await.is_some(), "a day later");
}

async fn create_next_door(world: &World, neighbor: &Neighbor, email: &str, number: &str) {
    let participant = json!({ "first_name": "Eve", "email": email, "phone_number": number });
    let body = json!({ "name_page_id": neighbor.page.slug, "participant": participant });
    let request = world.request_as(&neighbor.token, reqwest::Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
}

#[tokio::test]
async fn many_calls_of_one_institution_delay_another_by_one() {
    let world = world(Rules { max_at_once: 100, max_per_minute: 100, ..rules() }).await;
    let neighbor = world.neighbor().await;
    for n in 0..20 {
        create(&world, &format!("p{n}@x.org"), &format!("+120255501{n:02}")).await;
    }
    let (one, two) = (world.institution.id, neighbor.institution.id);
    let whose = async || take(&world).await.map(|claimed| claimed.attempt.institution);
    assert_eq!([whose().await, whose().await, whose().await], [Some(one); 3]);
    for n in 0..2 {
        create_next_door(&world, &neighbor, &format!("e{n}@x.org"), &format!("+1202555018{n}")).await;
    }
    let next = [whose().await, whose().await, whose().await, whose().await];
    assert_eq!(next, [two, one, two, one].map(Some));
}

#[tokio::test]
async fn calls_that_are_put_off_delay_nobody_else() {
    let world = world(Rules { max_at_once: 100, max_per_day: 3, ..rules() }).await;
    let neighbor = world.neighbor().await;
    // More than are looked at in one go.
    for n in 0..60 {
        create(&world, &format!("p{n}@x.org"), &format!("+120255501{n:02}")).await;
    }
    for _ in 0..3 {
        assert_eq!(take(&world).await.unwrap().attempt.institution, world.institution.id);
    }
    // The first institution has reached its daily limit, and it is its turn again once the other one was served.
    for n in 0..2 {
        create_next_door(&world, &neighbor, &format!("e{n}@x.org"), &format!("+1202555018{n}")).await;
        assert_eq!(take(&world).await.unwrap().attempt.institution, neighbor.institution.id);
    }
}

#[tokio::test]
async fn nobody_is_called_in_their_quiet_hours() {
    let quiet = QuietHours::parse("21:00-09:00").unwrap();
    let world = world(Rules { quiet_hours: quiet, ..rules() }).await;
    // Half past eleven in the evening in the number's time zone.
    world.app.clock.set(Moment::parse("2030-01-15T23:30:00-05:00").unwrap());
    create(&world, "ana@x.org", ANA).await;
    assert!(take(&world).await.is_none());
    let morning = Moment::parse("2030-01-16T09:00:00-05:00").unwrap();
    assert_eq!(all(&world).await[0].run_at, Some(morning));
    // Quiet hours may have changed since scheduling: they are checked again before each call.
    execute(&world.app.db, "UPDATE calls SET run_at = 0", vec![]).await;
    assert!(take(&world).await.is_none());
    assert_eq!(all(&world).await[0].run_at, Some(morning));
    world.advance(morning.since(world.app.clock.now()));
    assert!(take(&world).await.is_some(), "it is morning");
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
async fn whoever_pressed_9_is_listed_whatever_else_has_ended_the_call() {
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let claimed = take(&world).await.unwrap();
    calls::cancel(&world.app, &Actor::Operator, all(&world).await[0].id).await.unwrap();
    let outcome = Outcome::Canceled(Reason::OptedOut);
    assert!(!calls::finish(&world.app, &claimed.attempt, outcome).await.unwrap(), "it was over before");
    assert_eq!(calls::opted_out(&world.app, &Actor::Operator, world.institution.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn nobody_is_called_at_the_price_of_more_than_a_call() {
    let world = world(rules()).await;
    for (n, number) in ["+19002345678", "+979123456789", "+449098790000"].into_iter().enumerate() {
        create(&world, &format!("p{n}@x.org"), number).await;
    }
    assert_eq!(states(&world).await, []);
}

#[tokio::test]
async fn whoever_deletes_people_and_makes_them_anew_calls_no_more_for_it() {
    let world = world(Rules { max_per_day: 1, ..rules() }).await;
    let mut made = 0;
    for n in 0..3 {
        let email = format!("p{n}@x.org");
        create(&world, &email, &format!("+1202555012{n}")).await;
        if let Some(claimed) = take(&world).await {
            made += 1;
            assert_eq!(delete(&world, &email).await.0, 422);
            let outcome = Outcome::Canceled(Reason::ByOperator);
            calls::finish(&world.app, &claimed.attempt, outcome).await.unwrap();
            assert_eq!(delete(&world, &email).await.0, 200);
        }
    }
    assert_eq!(made, 1);
    // No personal data is left, and after a day nothing at all.
    let whose =
        "UPDATE call_attempts SET started_at = started_at - 86500000000 WHERE LENGTH(phone_number) = 4";
    assert_eq!(execute(&world.app.db, whose, vec![]).await, 1);
    execute(&world.app.db, "UPDATE calls SET run_at = 0 WHERE run_at IS NOT NULL", vec![]).await;
    assert!(take(&world).await.is_some());
    assert_eq!(execute(&world.app.db, "DELETE FROM call_attempts WHERE phone_number = ''", vec![]).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn takers_and_writers_do_not_wait_for_each_other_for_ever() {
    let world = world(Rules { max_per_day: 0, max_at_once: 100, max_per_minute: 1_000, ..rules() }).await;
    for n in 0..10 {
        create(&world, &format!("p{n}@x.org"), &format!("+1202555012{n}")).await;
    }
    let draft = |n: u64| Draft {
        first_name: Given::Set("Ana".to_owned()),
        email: Given::Set(Email::parse(&format!("p{n}@x.org")).unwrap()),
        phone_number: Given::Clear,
        ..Draft::default()
    };
    for _ in 0..20 {
        // The latest ones are due first.
        let due = "UPDATE calls SET run_at = 1000000 - (id % 1000000), state = 'scheduled'";
        execute(&world.app.db, due, vec![]).await;
        let app = world.app.clone();
        let taking = tokio::spawn(async move { calls::claim(&app, HELD).await.map(|_| ()) });
        let (app, here) = (world.app.clone(), (world.institution.id, world.page.id));
        let drafts = (0..10).map(draft).collect();
        let writing =
            tokio::spawn(async move { import(&app, here, drafts, CallPolicy::WithNumber, false).await });
        taking.await.unwrap().unwrap();
        writing.await.unwrap();
    }
}

/// Otherwise the calls of all institutions would wait for whoever deletes a page, which may take minutes.
#[tokio::test]
async fn a_call_that_somebody_has_locked_delays_no_other() {
    if !on_postgres() {
        return;
    }
    let world = world(rules()).await;
    create(&world, "ana@x.org", ANA).await;
    let holder = Holder::lock(&world, world.institution.id).await;
    holder.execute("UPDATE calls SET state = state").await;
    create_next_door(&world, &world.neighbor().await, "ben@x.org", BEN).await;
    let taken = tokio::time::timeout(Duration::from_secs(20), take(&world)).await;
    let taken = taken.expect("nobody waits").expect("a call of the other institution");
    assert_eq!(taken.number.e164(), BEN);
    holder.release().await;
    assert_eq!(take(&world).await.unwrap().number.e164(), ANA);
}
