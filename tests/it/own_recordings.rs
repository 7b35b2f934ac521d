//! Recordings that people make themselves apply to all of their pages, unless they are made for one page.

use endonym::{
    app::{
        Actor, Error, consents,
        imports::{CallPolicy, Outcome},
        institutions,
        media::{reprocess, sweep},
        own_entry::Owner,
        own_recordings::{self, Maker, Sharing},
        page_settings, participants,
    },
    domain::{
        audit::Who,
        consent,
        email::Email,
        fault::Fault,
        ids::ParticipantId,
        language::Language,
        media::{Incoming, MediaFault},
        name_page::{NamePage, NamePageRef},
        participant::{Draft, Given},
    },
};
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{
    Answer, Setup, World,
    import::import,
    media::{file, files, png, wav, wav_of},
    s3::S3Server,
    until,
};

const ANA: &str = "ana@x.org";

fn ana() -> Value {
    json!({ "first_name": "Ana", "email": ANA })
}

/// Agrees to the text about recordings, and records a name, as this registration's owner.
pub async fn record(world: &World, person: &Value, hertz: f32, sharing: Sharing) {
    let (app, institution) = (&world.app, world.institution.id);
    let token = World::registration_token(person);
    let participant = participants::by_token(app, institution, &token).await.unwrap().id;
    let owner = Owner { institution, participant };
    assert!(
        consents::agree_as_owner(app, owner, owner.in_lti(), consent::BUILT_IN, Language::English)
            .await
            .unwrap()
    );
    let sound = Incoming::Bytes(wav_of(1.0, hertz));
    own_recordings::record(app, (institution, participant), Who::SYSTEM, sound, sharing, Maker::Owner)
        .await
        .unwrap();
}

/// Whether new registrations start with the person's newest recording.
pub async fn start_with_newest(world: &World, wanted: bool) {
    let change = institutions::Change { starts_with_newest: Some(wanted), ..Default::default() };
    institutions::update(&world.app, &Actor::Operator, &world.institution.slug, change).await.unwrap();
}

/// A person's registration on a page, as it is now.
async fn on(world: &World, page: &NamePage) -> Value {
    let path = format!("/v4/name_pages/{}/participants/{ANA}", page.slug);
    world.get(&path).await.expect(200)["participant"].clone()
}

/// The audio there; `None` without a recording.
pub async fn heard(world: &World, person: &Value) -> Vec<u8> {
    let Some(link) = person["recording_link"].as_str() else { return Vec::new() };
    let answer = world.client.get(link).send().await.unwrap();
    assert_eq!(answer.status(), 200, "{link}");
    answer.bytes().await.unwrap().to_vec()
}

async fn nothing_is_left_over(world: &World) {
    let swept = sweep(&world.app, &Actor::Operator, std::time::Duration::ZERO, true).await.unwrap();
    assert_eq!(swept.removed, 0, "{swept:?}");
}

#[tokio::test]
async fn what_somebody_records_is_theirs_on_all_of_their_pages_and_what_they_were_given_stays() {
    let world = World::new().await;
    let neighbor = world.neighbor().await;
    let [second, given, third] =
        [world.page("Second").await, world.page("Given").await, world.page("Third").await];
    let here = world.person_on(&world.page, ana()).await;
    for page in [&second, &third] {
        world.person_on(page, ana()).await;
    }
    let bea = world.person("Bea", "bea@x.org").await;
    let there = json!({ "name_page_id": neighbor.page.slug, "participant": ana() });
    let theirs = world.request_as(&neighbor.token, reqwest::Method::POST, "/v5/participants").json(&there);
    Answer::of(theirs).await.expect(201);
    let sent = json!({ "first_name": "Ana", "email": "ANA@x.org", "pronunciation": file(wav(0.9)) });
    world.person_on(&given, sent).await;
    let was_given = on(&world, &given).await;

    record(&world, &here, 150.0, Sharing::All).await;
    let first: Vec<Value> =
        [on(&world, &world.page).await, on(&world, &second).await, on(&world, &third).await].into();
    let sound = heard(&world, &first[0]).await;
    for one in &first {
        assert_eq!(heard(&world, one).await, sound);
    }
    assert_ne!(first[0]["recording_link"], first[1]["recording_link"], "each page has a link of its own");
    assert_eq!(on(&world, &given).await, was_given);
    assert_ne!(heard(&world, &was_given).await, sound);

    // Again, from another page: the old recording is replaced everywhere, and the old links redirect to the new one.
    record(&world, &first[1], 220.0, Sharing::All).await;
    let anew = heard(&world, &on(&world, &world.page).await).await;
    assert_ne!(anew, sound);
    for one in &first {
        assert_eq!(heard(&world, one).await, anew);
    }
    assert_eq!(on(&world, &given).await, was_given);
    assert_eq!(
        world.get("/v4/participants/bea@x.org").await.expect(200)["participant"]["recording_link"],
        bea["recording_link"]
    );
    let path = "/v4/participants/ana@x.org";
    let theirs = Answer::of(world.request_as(&neighbor.token, reqwest::Method::GET, path)).await.expect(200);
    assert_eq!(
        theirs["participant"]["recording_link"],
        Value::Null,
        "another institution's is another person"
    );
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn where_the_institution_does_not_want_it_a_new_registration_starts_without_a_recording() {
    let world = World::new().await;
    let [created, imported, later] =
        [world.page("Created").await, world.page("Imported").await, world.page("Later").await];
    let here = world.person_on(&world.page, ana()).await;
    record(&world, &here, 150.0, Sharing::All).await;
    start_with_newest(&world, false).await;
    assert_eq!(world.person_on(&created, ana()).await["recording_link"], Value::Null);
    let draft = Draft {
        first_name: Given::Set("Ana".into()),
        email: Given::Set(Email::parse(ANA).unwrap()),
        ..Draft::default()
    };
    let target = (world.institution.id, imported.id);
    import(&world.app, target, vec![draft], CallPolicy::Nobody, false).await;
    assert_eq!(on(&world, &imported).await["recording_link"], Value::Null);
    start_with_newest(&world, true).await;
    let sound = heard(&world, &on(&world, &world.page).await).await;
    assert_eq!(heard(&world, &world.person_on(&later, ana()).await).await, sound);
    assert_eq!(on(&world, &created).await["recording_link"], Value::Null, "only new registrations");
    // What the person records next is still for all of their pages.
    record(&world, &here, 220.0, Sharing::All).await;
    let anew = heard(&world, &on(&world, &world.page).await).await;
    assert_eq!(heard(&world, &on(&world, &created).await).await, anew);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn a_recording_for_one_page_is_heard_there_alone_until_it_is_replaced_by_one_for_all() {
    let world = World::new().await;
    let second = world.page("Second").await;
    let here = world.person_on(&world.page, ana()).await;
    let there = world.person_on(&second, ana()).await;
    record(&world, &there, 150.0, Sharing::ThisPage).await;
    let only = heard(&world, &on(&world, &second).await).await;
    assert!(!only.is_empty());
    assert_eq!(on(&world, &world.page).await["recording_link"], Value::Null);

    record(&world, &here, 180.0, Sharing::All).await;
    assert_eq!(heard(&world, &on(&world, &second).await).await, only, "that page has its own");
    let shared = heard(&world, &on(&world, &world.page).await).await;
    assert_ne!(shared, only);

    record(&world, &there, 210.0, Sharing::All).await;
    let anew = heard(&world, &on(&world, &second).await).await;
    assert_eq!(heard(&world, &on(&world, &world.page).await).await, anew);
    assert!(anew != only && anew != shared);
    // A recording for one page is not copied to new registrations.
    record(&world, &there, 240.0, Sharing::ThisPage).await;
    let third = world.page("Third").await;
    let new = world.person_on(&third, ana()).await;
    assert_eq!(heard(&world, &new).await, anew);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn whoever_is_registered_later_starts_with_what_they_have_recorded() {
    let world = World::new().await;
    let here = world.person_on(&world.page, ana()).await;
    record(&world, &here, 150.0, Sharing::All).await;
    let sound = heard(&world, &on(&world, &world.page).await).await;
    let [v5, v4, imported, given] = [
        world.page("v5").await,
        world.page("v4").await,
        world.page("imported").await,
        world.page("given").await,
    ];

    let made = world.person_on(&v5, json!({ "first_name": "Ana", "email": "Ana@X.org" })).await;
    assert_eq!(heard(&world, &made).await, sound, "the answer says so");
    assert_ne!(made["recording_link"], on(&world, &world.page).await["recording_link"]);
    let body = json!({ "participant": ana() });
    let made = world.post(&format!("/v4/name_pages/{}/participants", v4.slug), body).await.expect(201);
    assert_eq!(heard(&world, &made["participant"]).await, sound);

    let draft = |email: &str| Draft {
        first_name: Given::Set("Ana".into()),
        email: Given::Set(Email::parse(email).unwrap()),
        ..Draft::default()
    };
    let group = async |rehearse| {
        let drafts = vec![draft("new@x.org"), draft(ANA)];
        import(&world.app, (world.institution.id, imported.id), drafts, CallPolicy::Nobody, rehearse).await
    };
    let created = [Outcome::Created, Outcome::Created];
    assert_eq!(group(true).await, created, "a dry run");
    assert_eq!(group(false).await, created);
    assert_eq!(heard(&world, &on(&world, &imported).await).await, sound);

    // A registration that is created with a recording keeps its own.
    let sent = json!({ "first_name": "Ana", "email": ANA, "pronunciation": file(wav(0.9)) });
    let made = world.person_on(&given, sent).await;
    let was_given = heard(&world, &made).await;
    assert_ne!(was_given, sound);
    record(&world, &here, 220.0, Sharing::All).await;
    let anew = heard(&world, &on(&world, &world.page).await).await;
    for page in [&v5, &v4, &imported] {
        assert_eq!(heard(&world, &on(&world, page).await).await, anew, "{}", page.title);
    }
    assert_eq!(heard(&world, &on(&world, &given).await).await, was_given);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn what_a_registration_was_given_is_nothing_that_others_start_with() {
    let world = World::new().await;
    let sent = json!({ "first_name": "Ana", "email": ANA, "pronunciation": file(wav(0.9)) });
    world.person_on(&world.page, sent).await;
    let made = world.person_on(&world.page("Second").await, ana()).await;
    assert_eq!(made["recording_link"], Value::Null);
}

#[tokio::test]
async fn deleting_a_recording_or_a_registration_silences_that_one_alone() {
    let world = World::new().await;
    let [second, third] = [world.page("Second").await, world.page("Third").await];
    let here = world.person_on(&world.page, ana()).await;
    for page in [&second, &third] {
        world.person_on(page, ana()).await;
    }
    record(&world, &here, 150.0, Sharing::All).await;
    let sound = heard(&world, &on(&world, &third).await).await;
    let there = world.get(&format!("/v5/participants?email_list={ANA}")).await.expect(200);
    let there = there["Response"]["participants"].as_array().unwrap().clone();
    let there = there.iter().find(|one| one["event_title"] == "Second").unwrap();
    let id = there["recording_id"].as_str().unwrap();
    world.delete(&format!("/v5/participants/{ANA}/pronunciations/{id}"), json!({})).await.expect(200);
    assert_eq!(on(&world, &second).await["recording_link"], Value::Null);
    world
        .delete(&format!("/v5/participants/{ANA}"), json!({ "name_page_id": world.page.slug }))
        .await
        .expect(200);
    assert_eq!(heard(&world, &on(&world, &third).await).await, sound);
    nothing_is_left_over(&world).await;
    // A deleted recording stays deleted, until they record again.
    record(&world, &on(&world, &third).await, 200.0, Sharing::All).await;
    assert!(on(&world, &second).await["recording_link"].is_string());
}

#[tokio::test]
async fn a_page_gets_no_recording_that_is_too_long_for_it() {
    let world = World::new().await;
    let (app, institution) = (&world.app, world.institution.id);
    let brief = world.page("Brief").await;
    let limit = async |page: &NamePage| {
        let change = page_settings::Change { take_seconds: Some(Some(4)), ..Default::default() };
        let page = NamePageRef::parse(&page.slug).unwrap();
        page_settings::update(app, &Actor::Operator, institution, &page, change).await.unwrap();
    };
    let here = world.person_on(&world.page, ana()).await;
    let there = world.person_on(&brief, ana()).await;
    limit(&brief).await;
    record(&world, &here, 150.0, Sharing::All).await;
    let short = heard(&world, &on(&world, &brief).await).await;
    assert!(!short.is_empty());
    let made = async |person: &Value, sharing: Sharing, maker: Maker| {
        let token = World::registration_token(person);
        let participant = participants::by_token(app, institution, &token).await.unwrap().id;
        let sound = Incoming::Bytes(wav(8.0));
        own_recordings::record(app, (institution, participant), Who::SYSTEM, sound, sharing, maker).await
    };
    let long = async |person: &Value, sharing: Sharing| made(person, sharing, Maker::Owner).await;
    // Whichever page it is made on, those that take it get it.
    for person in [&here, &there] {
        long(person, Sharing::All).await.unwrap();
        assert_ne!(heard(&world, &on(&world, &world.page).await).await, short);
        assert_eq!(heard(&world, &on(&world, &brief).await).await, short);
    }
    let before = heard(&world, &on(&world, &world.page).await).await;
    let is_too_long = |refused: Result<(), Error>| {
        let Err(Error::Invalid(errors)) = refused else { panic!("{refused:?}") };
        errors.iter().all(|(_, faults)| matches!(faults, [Fault::Media(MediaFault::Sound(_))]))
    };
    assert!(is_too_long(long(&there, Sharing::ThisPage).await));
    assert!(is_too_long(made(&there, Sharing::All, Maker::OnPage).await), "who records there wants it there");
    limit(&world.page).await;
    assert!(is_too_long(long(&here, Sharing::All).await));
    assert_eq!(heard(&world, &on(&world, &world.page).await).await, before);
    assert_eq!(heard(&world, &on(&world, &brief).await).await, short);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn a_file_that_is_no_sound_changes_nothing_anywhere() {
    let world = World::new().await;
    let here = world.person_on(&world.page, ana()).await;
    let token = World::registration_token(&here);
    let owner = participants::by_token(&world.app, world.institution.id, &token).await.unwrap();
    let whose = (world.institution.id, owner.id);
    let noise = Incoming::Bytes(b"no sound at all".to_vec());
    let refused = own_recordings::record(&world.app, whose, Who::SYSTEM, noise, Sharing::All, Maker::Owner)
        .await
        .unwrap_err();
    assert!(matches!(refused, endonym::app::Error::Invalid(_)), "{refused}");
    let nobody = (world.institution.id, ParticipantId::new(owner.id.get() + 1));
    let sound = Incoming::Bytes(wav(1.0));
    let missing = own_recordings::record(&world.app, nobody, Who::SYSTEM, sound, Sharing::All, Maker::Owner)
        .await
        .unwrap_err();
    assert!(matches!(missing, endonym::app::Error::Missing(_)), "{missing}");
    // Nor does a sound of somebody who has not agreed, or has withdrawn while it was processed.
    let sound = Incoming::Bytes(wav(1.0));
    let refused = own_recordings::record(&world.app, whose, Who::SYSTEM, sound, Sharing::All, Maker::Owner)
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, endonym::app::Error::Invalid(errors) if consents::is_missing(errors)),
        "{refused}"
    );
    assert_eq!(on(&world, &world.page).await["recording_link"], Value::Null);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn what_is_processed_again_stays_whose_it_was() {
    let world = World::new().await;
    let [second, given] = [world.page("Second").await, world.page("Given").await];
    let here = world.person_on(&world.page, ana()).await;
    let there = world.person_on(&second, ana()).await;
    let sent = json!({ "first_name": "Ana", "email": ANA, "pronunciation": file(wav(0.9)) });
    world.person_on(&given, sent).await;
    record(&world, &here, 150.0, Sharing::All).await;
    record(&world, &there, 180.0, Sharing::ThisPage).await;
    let origins = async || {
        let text = "SELECT hex, origin FROM media ORDER BY participant_id";
        let rows = world.app.db.read().rows(text, &[], |row| Ok((row.text(0)?, row.text(1)?))).await.unwrap();
        rows.into_iter().unzip::<String, String, Vec<_>, Vec<_>>()
    };
    let (before, words) = origins().await;
    assert_eq!(words, ["shared", "page", "given"]);
    reprocess(&world.app, &Actor::Operator, world.institution.id, |_, why| assert_eq!(why, None))
        .await
        .unwrap();
    let (after, still) = origins().await;
    assert_eq!(still, words);
    assert!(after.iter().all(|hex| !before.contains(hex)));
}

#[tokio::test]
async fn of_several_takes_at_once_one_is_heard_everywhere() {
    let world = World::new().await;
    let mut pages = vec![world.page.clone()];
    for n in 0..3 {
        pages.push(world.page(&format!("Page {n}")).await);
    }
    let mut people = Vec::new();
    for page in &pages {
        people.push(world.person_on(page, ana()).await);
    }
    let takes =
        (0..).zip(&people).map(|(n, person)| record(&world, person, 140.0 + 30.0 * n as f32, Sharing::All));
    join_all(takes).await;
    let sound = heard(&world, &on(&world, &pages[0]).await).await;
    assert!(!sound.is_empty());
    for page in &pages {
        assert_eq!(heard(&world, &on(&world, page).await).await, sound, "{}", page.title);
    }
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn whoever_is_registered_while_they_record_has_the_new_recording() {
    let world = World::new().await;
    let here = world.person_on(&world.page, ana()).await;
    record(&world, &here, 150.0, Sharing::All).await;
    let mut pages = Vec::new();
    for n in 0..12 {
        pages.push(world.page(&format!("Page {n}")).await);
    }
    let registering = join_all(pages.iter().map(|page| world.person_on(page, ana())));
    tokio::join!(record(&world, &here, 220.0, Sharing::All), registering);
    let sound = heard(&world, &on(&world, &world.page).await).await;
    for page in &pages {
        assert_eq!(heard(&world, &on(&world, page).await).await, sound, "{}", page.title);
    }
    nothing_is_left_over(&world).await;
}

/// The first try does not know that their recording has to be copied. Its files are removed, and on S3 that may take until after the second try.
#[tokio::test]
async fn what_a_retry_stores_is_not_removed_with_what_the_first_try_stored() {
    let server = S3Server::new().await;
    let blobs_timeout = std::time::Duration::from_secs(50);
    let setup =
        Setup { blobs_url: Some(server.url()), blobs_timeout, multiple_recordings: true, ..Setup::default() };
    let world = World::with(setup).await;
    start_with_newest(&world, true).await;
    let first = world.person_on(&world.page, ana()).await;
    record(&world, &first, 330.0, Sharing::All).await;
    let kept = || files(&server.bucket());
    until("nothing else is removed", || async { kept().len() == 2 }).await;
    server.hold_removals(true);
    let choir = world.page("Choir").await;
    let more = json!({ "avatar": file(png()), "legal_pronunciation": file(wav_of(1.0, 550.0)) });
    let mut participant = ana();
    participant.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let there = world.person_on(&choir, participant).await;
    server.hold_removals(false);
    // Their recording twice, the legal one, and the two sizes of the photo. Recordings have their originals.
    until("the files of the first try are gone", || async { kept().len() == 8 }).await;
    for link in ["photo", "recording_link", "legal_recording_url"] {
        let link = there[link].as_str().unwrap_or_else(|| panic!("{link}: {there}"));
        assert_eq!(world.client.get(link).send().await.unwrap().status(), 200, "{link}");
    }
    nothing_is_left_over(&world).await;
}
