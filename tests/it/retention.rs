//! Retention: recordings are deleted some days after the date of their page, and nobody's before they have been told for 14 days.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, audiences, name_pages, own_recordings::Sharing, page_settings, participants, retention,
    },
    domain::{
        audience::Audience,
        ids::ParticipantId,
        media::{Kind, Media},
        moment::Moment,
        name_page::{NamePage, NamePageRef},
        session::PersonId,
    },
    store::{self, coverage, participants::hidden, rolls},
};
use serde_json::Value;

use crate::{
    mail::running,
    own_recordings::record,
    support::{
        World,
        database::{crowd, execute},
    },
};

/// In the time zone of the tests' institution, this is 2090-07-01, 30 days after the date.
const DELETION: &str = "2090-07-01T04:00:00Z";

fn reference(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

fn set(world: &World, time: &str) {
    world.app.clock.set(Moment::parse(time).unwrap());
}

async fn keep(world: &World, page: &NamePage, date: &str, days: u32) {
    let change = page_settings::Change {
        date: Some(date.into()),
        delete_after_days: Some(Some(days)),
        ..Default::default()
    };
    let institution = world.institution.id;
    page_settings::update(&world.app, &Actor::Operator, institution, &reference(page), change).await.unwrap();
}

/// A world in May 2090. The page's date is June 1, and its recordings are kept for 30 days after that.
async fn world() -> World {
    let world = World::new().await;
    set(&world, "2090-05-01T12:00:00Z");
    keep(&world, &world.page, "2090-06-01", 30).await;
    world
}

async fn run(world: &World) {
    retention::run(&world.app).await.unwrap();
}

/// The address and the date of each announcement that managers of a page see.
async fn told(world: &World) -> Vec<(String, String)> {
    let text = "SELECT email, message FROM outbox WHERE name_page_id IS NOT NULL ORDER BY email, id";
    let read = world.app.db.read().rows(text, &[], |row| Ok((row.text(0)?, row.text(1)?))).await;
    let message = |(email, json): (String, String)| {
        let message: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(message["kind"], "retention");
        assert_eq!(message["base_url"], world.base);
        (email, message["on"].as_str().unwrap().to_owned())
    };
    read.unwrap().into_iter().map(message).collect()
}

fn told_on(emails: &[&str], on: &str) -> Vec<(String, String)> {
    emails.iter().map(|email| ((*email).to_owned(), on.to_owned())).collect()
}

async fn count(world: &World, what: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {what}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn recorded(world: &World, page: &NamePage) -> i64 {
    coverage::of(&mut world.app.db.read(), world.institution.id, page.id).await.unwrap().recorded
}

async fn id_of(world: &World, person: &Value) -> ParticipantId {
    let token = World::registration_token(person);
    participants::by_token(&world.app, world.institution.id, &token).await.unwrap().id
}

#[tokio::test]
async fn people_are_told_14_days_before_their_recordings_are_deleted() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.person("Ben", "ben@x.org").await;
    let hex = world.give(&ana, Kind::Recording, b"how Ana says it").await;
    world.give(&ana, Kind::LegalRecording, b"and her legal name").await;
    world.give(&ana, Kind::Photo, b"and her face").await;
    let link = format!("{}/audio/{}/recording_{hex}.mp3", world.base, world.institution.id);
    let is_heard = async || world.client.get(&link).send().await.unwrap().status() == 200;

    set(&world, "2090-06-17T03:00:00Z");
    run(&world).await;
    assert!(told(&world).await.is_empty());
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    run(&world).await;
    assert_eq!(
        told(&world).await,
        told_on(&["ana@x.org"], "2090-07-01"),
        "once, and only who has a recording"
    );
    set(&world, "2090-07-01T03:00:00Z");
    run(&world).await;
    assert!(is_heard().await && count(&world, "media").await == 3);
    let page = page_settings::find(&world.app, world.institution.id, world.page.id).await.unwrap();
    assert!(page.announced_at.is_some());

    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert!(!is_heard().await);
    assert_eq!(count(&world, "media").await, 1, "the photo stays");
    assert_eq!((count(&world, "participants").await, recorded(&world, &world.page).await), (2, 0));
    assert_eq!(count(&world, "retention_notices").await, 0);
    let left = endonym::app::media::sweep(&world.app, &Actor::Operator, Duration::ZERO, true).await.unwrap();
    assert_eq!(left.removed, 0, "{left:?}");
    run(&world).await;
    assert_eq!(told(&world).await.len(), 1);
}

#[tokio::test]
async fn who_wants_no_mail_is_not_told_and_everybodys_recordings_are_deleted() {
    let world = world().await;
    let other = world.page("Other").await;
    for (name, email) in
        [("Ana", "ana@x.org"), ("Ben", "ben@x.org"), ("Cem", "cem@x.org"), ("Dan", "dan@x.org")]
    {
        let person = world.person(name, email).await;
        world.give(&person, Kind::Recording, b"a name").await;
    }
    let elsewhere = serde_json::json!({ "first_name": "Ana", "email": "ana@x.org" });
    let elsewhere = world.person_on(&other, elsewhere).await;
    world.give(&elsewhere, Kind::Recording, b"a name").await;
    let institution = world.institution.id;
    let opt_out =
        "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, 'ben@x.org', 1)";
    execute(&world.app.db, opt_out, vec![institution.into()]).await;
    let cem = PersonId { institution, email_key: "cem@x.org".into() };
    audiences::choose(&world.app, &Actor::Operator, cem, Audience::Paused).await.unwrap();
    world.without_email("dan@x.org").await;
    // A neighbor's page with the same settings, which has nobody.
    let neighbor = world.neighbor().await;
    let change = page_settings::Change {
        date: Some("2090-06-01".into()),
        delete_after_days: Some(Some(30)),
        ..Default::default()
    };
    let theirs = reference(&neighbor.page);
    page_settings::update(&world.app, &Actor::Operator, neighbor.institution.id, &theirs, change)
        .await
        .unwrap();

    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    assert_eq!(told(&world).await, told_on(&["ana@x.org", "cem@x.org"], "2090-07-01"));
    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!((recorded(&world, &world.page).await, recorded(&world, &other).await), (0, 1));
    assert_eq!(count(&world, "media").await, 1, "only the other page's");
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn a_recording_that_was_made_after_the_announcement_has_14_days_of_its_own() {
    let world = world().await;
    let [ana, ben] = [world.person("Ana", "ana@x.org").await, world.person("Ben", "ben@x.org").await];
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    set(&world, "2090-06-28T12:00:00Z");
    world.give(&ben, Kind::Recording, b"how Ben says it").await;
    run(&world).await;
    let mut wanted = told_on(&["ana@x.org"], "2090-07-01");
    wanted.extend(told_on(&["ben@x.org"], "2090-07-12"));
    assert_eq!(told(&world).await, wanted);
    // Records again: the notice was about the recording before.
    set(&world, "2090-06-30T12:00:00Z");
    world.give(&ana, Kind::Recording, b"how Ana says it now").await;

    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 2, "neither was told about these 14 days ago");
    wanted.insert(1, ("ana@x.org".into(), "2090-07-15".into()));
    assert_eq!(told(&world).await, wanted);
    set(&world, "2090-07-12T13:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 1);
    set(&world, "2090-07-15T07:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 0);
}

#[tokio::test]
async fn another_date_is_announced_anew() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    // Earlier than announced: the 14 days begin again.
    keep(&world, &world.page, "2090-06-01", 20).await;
    set(&world, "2090-06-22T05:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 1);
    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 1, "the first announcement is void");
    let dates: Vec<String> = told(&world).await.into_iter().map(|(_, on)| on).collect();
    assert_eq!(dates, ["2090-07-01", "2090-07-06"]);
    // Later: nothing happens until 14 days before.
    keep(&world, &world.page, "2090-06-01", 90).await;
    set(&world, "2090-07-06T06:00:00Z");
    run(&world).await;
    assert_eq!((recorded(&world, &world.page).await, told(&world).await.len()), (1, 2));
    // Never.
    let keep_all = page_settings::Change { delete_after_days: Some(None), ..Default::default() };
    let page = reference(&world.page);
    page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, keep_all).await.unwrap();
    set(&world, "2095-01-01T00:00:00Z");
    run(&world).await;
    assert_eq!((recorded(&world, &world.page).await, told(&world).await.len()), (1, 2));
}

/// What a manager's decision does.
async fn remove(world: &World, person: &Value) {
    set_aside(world, person, Kind::Removed).await;
}

async fn set_aside(world: &World, person: &Value, kind: Kind) {
    let (institution, id, now) = (world.institution.id, id_of(world, person).await, world.app.clock.now());
    let aside = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            let taken = store::media::take_out(sql, institution, id, Kind::Recording, now).await?;
            let aside = Media { kind, ..taken.unwrap() };
            store::media::set_aside(sql, institution, id, &aside).await
        })
    });
    aside.await.unwrap();
}

#[tokio::test]
async fn a_held_recording_that_nobody_was_told_about_is_not_deleted_with_an_earlier_one() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.give(&ana, Kind::Recording, b"how Ana says it now").await;
    set_aside(&world, &ana, Kind::Held).await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    // She records again, and the new take waits for approval.
    let late = Moment::parse("2090-06-30T12:00:00Z").unwrap().micros();
    let again = "UPDATE media SET created_at = $1 WHERE kind = 'held'";
    execute(&world.app.db, again, vec![late.into()]).await;

    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!(count(&world, "media").await, 2, "she was told about the earlier one only");
    assert_eq!(told(&world).await.last().unwrap().1, "2090-07-15");
    set(&world, "2090-07-15T07:00:00Z");
    run(&world).await;
    assert_eq!(count(&world, "media").await, 0);
}

#[tokio::test]
async fn removed_recordings_are_deleted_with_the_others() {
    let world = world().await;
    let [ana, ben] = [world.person("Ana", "ana@x.org").await, world.person("Ben", "ben@x.org").await];
    for person in [&ana, &ben] {
        world.give(person, Kind::Recording, b"not a name").await;
        remove(&world, person).await;
    }
    world.give(&ana, Kind::Recording, b"not a name, either").await;
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    assert_eq!(told(&world).await, told_on(&["ana@x.org"], "2090-07-01"), "Ben has only a removed one");
    remove(&world, &ana).await;
    set(&world, "2090-07-01T05:00:00Z");
    world.give(&ana, Kind::Recording, b"how Ana says it").await;

    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 1, "she was told about the removed one only");
    assert_eq!(told(&world).await.len(), 2);
    set(&world, "2090-07-15T07:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 0);
    let of_ana = format!("media WHERE participant_id = {}", id_of(&world, &ana).await);
    assert_eq!(count(&world, &of_ana).await, 0);
}

#[tokio::test]
async fn a_page_that_fails_does_not_keep_other_institutions_waiting() {
    let world = world().await;
    let neighbor = world.neighbor().await;
    let change = page_settings::Change {
        date: Some("2090-06-01".into()),
        delete_after_days: Some(Some(30)),
        ..Default::default()
    };
    let (institution, page) = (neighbor.institution.id, reference(&neighbor.page));
    page_settings::update(&world.app, &Actor::Operator, institution, &page, change).await.unwrap();
    world.crowd(&world.page, 0..1).await;
    crowd(&world.app.db, institution, neighbor.page.id, 0..1, "", world.app.clock.now()).await;
    let recordings = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at) \
                      SELECT institution_id, 'hex' || id, id, 'recording', 1, FALSE, 1 FROM participants";
    execute(&world.app.db, recordings, Vec::new()).await;
    execute(&world.app.db, "UPDATE coverage SET recorded = 1", Vec::new()).await;
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    let damage = "UPDATE media SET origin = 'unknown' WHERE institution_id = $1";
    execute(&world.app.db, damage, vec![world.institution.id.into()]).await;
    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    let theirs = |id: i64| format!("media WHERE institution_id = {id}");
    assert_eq!(count(&world, &theirs(world.institution.id.get())).await, 1);
    assert_eq!(count(&world, &theirs(institution.get())).await, 0);
}

#[tokio::test]
async fn nobody_waits_for_a_run_that_has_nothing_to_do() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    let writes = async || {
        let revision = rolls::revision(&mut world.app.db.read(), world.institution.id, world.page.id).await;
        revision.unwrap().writes
    };
    for time in ["2090-06-17T05:00:00Z", "2090-07-01T06:00:00Z"] {
        set(&world, time);
        let before = writes().await;
        run(&world).await;
        let after = writes().await;
        assert!(after > before, "{time}");
        run(&world).await;
        assert_eq!(writes().await, after, "{time}: the lock was taken");
    }
    assert_eq!(recorded(&world, &world.page).await, 0);
}

/// The server was down for a year.
#[tokio::test]
async fn nothing_is_deleted_at_once_after_a_long_time() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    set(&world, "2091-08-01T12:00:00Z");
    run(&world).await;
    assert_eq!(told(&world).await, told_on(&["ana@x.org"], "2091-08-15"));
    assert_eq!(recorded(&world, &world.page).await, 1);
    set(&world, "2091-08-15T13:00:00Z");
    run(&world).await;
    assert_eq!(recorded(&world, &world.page).await, 0);
}

#[tokio::test]
async fn archived_pages_and_people_who_left_are_not_forgotten() {
    let world = world().await;
    let [ana, ben] = [world.person("Ana", "ana@x.org").await, world.person("Ben", "ben@x.org").await];
    for person in [&ana, &ben] {
        world.give(person, Kind::Recording, b"a name").await;
    }
    let (institution, page, id) = (world.institution.id, world.page.id, id_of(&world, &ben).await);
    let left = world.app.db.write::<_, store::Error>(move |sql| {
        Box::pin(async move {
            rolls::lock(sql, institution).await?;
            hidden::hide(sql, institution, page, &[id]).await
        })
    });
    left.await.unwrap();
    name_pages::archive(&world.app, &Actor::Operator, institution, &reference(&world.page), true)
        .await
        .unwrap();
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    assert_eq!(count(&world, "retention_notices").await, 2);
    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!((count(&world, "media").await, recorded(&world, &world.page).await), (0, 0));
}

/// The work is cut off again and again, in the middle of telling and of deleting.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn what_is_interrupted_is_continued_and_nobody_is_told_twice() {
    const PEOPLE: usize = 450;
    let world = world().await;
    world.crowd(&world.page, 0..PEOPLE).await;
    let recordings = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at) \
                      SELECT institution_id, 'hex' || id, id, 'recording', 1, FALSE, 1 FROM participants";
    execute(&world.app.db, recordings, Vec::new()).await;
    let counters = "UPDATE coverage SET recorded = 450 WHERE name_page_id = $1";
    execute(&world.app.db, counters, vec![world.page.id.into()]).await;
    let interrupted = async |times: u64| {
        for millis in 0..times {
            let work = retention::run(&world.app);
            if let Ok(done) = tokio::time::timeout(Duration::from_millis(millis), work).await {
                done.unwrap();
            }
        }
    };
    set(&world, "2090-06-17T05:00:00Z");
    interrupted(12).await;
    // At the same time, as two workers would.
    let (first, second) = tokio::join!(retention::run(&world.app), retention::run(&world.app));
    first.and(second).unwrap();
    let all = told(&world).await;
    assert_eq!(all.len(), PEOPLE);
    assert!(all.iter().all(|(_, on)| on == "2090-07-01"));
    assert_eq!(count(&world, "(SELECT DISTINCT email FROM outbox) AS emails").await, PEOPLE as i64);
    set(&world, "2090-07-01T06:00:00Z");
    interrupted(12).await;
    let (first, second) = tokio::join!(retention::run(&world.app), retention::run(&world.app));
    first.and(second).unwrap();
    assert_eq!((count(&world, "media").await, count(&world, "retention_notices").await), (0, 0));
    assert_eq!(told(&world).await.len(), PEOPLE);
    crate::store::coverage::check(&world.app.db).await;
}

#[tokio::test]
async fn workers_do_it_by_themselves() {
    let world = world().await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.give(&ana, Kind::Recording, b"how Ana says it").await;
    set(&world, "2090-06-17T05:00:00Z");
    world.work(1);
    // The first run is an hour after the workers have started.
    crate::support::until("somebody is told", || async {
        // A worker that has a lease would lose it.
        if running(&world).await == 0 {
            world.advance(Duration::from_secs(600));
        }
        count(&world, "retention_notices").await == 1
    })
    .await;
    assert_eq!(recorded(&world, &world.page).await, 1);
}

#[tokio::test]
async fn a_recording_for_all_pages_stays_on_those_that_keep_it() {
    let world = world().await;
    let other = world.page("Other").await;
    let ana = world.person("Ana", "ana@x.org").await;
    world.person_on(&other, serde_json::json!({ "first_name": "Ana", "email": "ana@x.org" })).await;
    record(&world, &ana, 150.0, Sharing::All).await;
    assert_eq!((recorded(&world, &world.page).await, recorded(&world, &other).await), (1, 1));
    set(&world, "2090-06-17T05:00:00Z");
    run(&world).await;
    assert!(Moment::parse(DELETION).unwrap() > world.app.clock.now());
    set(&world, "2090-07-01T06:00:00Z");
    run(&world).await;
    assert_eq!((recorded(&world, &world.page).await, recorded(&world, &other).await), (0, 1));
}

#[tokio::test]
async fn days_need_a_date_and_a_sensible_number() {
    let world = World::new().await;
    let page = reference(&world.page);
    let update = async |date: Option<&str>, days: Option<Option<u32>>| {
        let change = page_settings::Change {
            date: date.map(str::to_owned),
            delete_after_days: days,
            ..Default::default()
        };
        page_settings::update(&world.app, &Actor::Operator, world.institution.id, &page, change).await
    };
    assert!(matches!(update(None, Some(Some(30))).await, Err(Error::Invalid(_))), "no date");
    for days in [0, 3_651, u32::MAX] {
        assert!(
            matches!(update(Some("2090-06-01"), Some(Some(days))).await, Err(Error::Invalid(_))),
            "{days}"
        );
    }
    update(Some("2090-06-01"), Some(Some(3_650))).await.unwrap();
    assert!(matches!(update(Some(""), None).await, Err(Error::Invalid(_))), "the date is needed");
    update(Some(""), Some(None)).await.unwrap();
}
