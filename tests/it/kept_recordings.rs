//! What happens to a recording that its owner has made when somebody else replaces it, and to whom a changed address is told.

use std::time::Duration;

use endonym::{
    app::{
        Actor, audiences, audit, consents, kept_recordings,
        media::sweep,
        own_recordings,
        own_recordings::{Maker, Sharing},
        page_settings, persons,
    },
    domain::{
        audience::Audience,
        audit::{Act, Who, WhoKind},
        ids::ParticipantId,
        media::Incoming,
        name_page::NamePageRef,
        page_settings::Moderation,
        session::{How, PersonId},
    },
};
use serde_json::{Value, json};

use crate::{
    me::Browser,
    own_recordings::{heard, record},
    scim::Directory,
    support::{
        World,
        media::{file, wav_of},
    },
};

const ANA: &str = "ana@x.org";
const DAY: Duration = Duration::from_secs(24 * 3_600);

fn ana(world: &World) -> PersonId {
    PersonId { institution: world.institution.id, email_key: ANA.into() }
}

async fn count(world: &World, text: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {text}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// How many mails warn this address.
async fn warned(world: &World, email: &str) -> i64 {
    count(world, &format!("outbox WHERE email_key = '{email}' AND message LIKE '%\"kind\":\"warning\"%'"))
        .await
}

async fn on_page(world: &World) -> Value {
    let path = format!("/v4/name_pages/{}/participants/{ANA}", world.page.slug);
    world.get(&path).await.expect(200)["participant"].clone()
}

/// A client of the API sends a recording for Ana.
async fn uploaded(world: &World, hertz: f32) {
    let body = json!({
        "name_page_id": world.page.slug,
        "participant": { "pronunciation": file(wav_of(0.9, hertz)) },
    });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
}

async fn signed_in(world: &World) -> Browser<'_> {
    let browser = Browser::new(world);
    let opened = endonym::app::sessions::open(&world.app, ana(world), How::Mail, &[]).await.unwrap();
    browser.set_cookie("endonym", opened.secret.as_str());
    browser
}

async fn no_file_is_left_over(world: &World) {
    let swept = sweep(&world.app, &Actor::Operator, Duration::ZERO, true).await.unwrap();
    assert_eq!(swept.removed, 0, "{swept:?}");
}

/// The value of the hidden input that says which recording is put back.
async fn offered(browser: &Browser<'_>) -> Option<String> {
    let page = browser.get("/me").await.expect(200).body;
    let rest = page.split("name=\"recording\" value=\"").nth(1)?.to_owned();
    rest.split('"').next().map(str::to_owned)
}

#[tokio::test]
async fn what_an_upload_replaces_is_kept_and_its_owner_is_told_and_puts_it_back() {
    let world = World::new().await;
    let person = world.person("Ana", ANA).await;
    uploaded(&world, 120.0).await;
    uploaded(&world, 130.0).await;
    assert_eq!(
        (count(&world, "kept_recordings").await, warned(&world, ANA).await),
        (0, 0),
        "nightly uploads"
    );
    // What the institution has given is replaced by what its owner records for this page.
    record(&world, &person, 150.0, Sharing::ThisPage).await;
    let own = on_page(&world).await;
    let sound = heard(&world, &own).await;
    uploaded(&world, 140.0).await;
    let replaced = on_page(&world).await;
    assert_ne!(heard(&world, &replaced).await, sound);
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (1, 1));
    // The old link leads to the new recording.
    assert_ne!(heard(&world, &own).await, sound);
    uploaded(&world, 145.0).await;
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (1, 1), "only once");
    no_file_is_left_over(&world).await;

    let browser = signed_in(&world).await;
    let kept = offered(&browser).await.expect("a button");
    browser.post("/me/kept", &[("recording", "0")]).await.redirects_to("/me?done=kept");
    assert_ne!(heard(&world, &on_page(&world).await).await, sound);
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    assert_eq!(heard(&world, &on_page(&world).await).await, sound);
    assert_eq!(heard(&world, &own).await, sound, "its old link leads to it");
    assert_eq!((count(&world, "kept_recordings").await, offered(&browser).await), (0, None));
    no_file_is_left_over(&world).await;
    // Again, and somebody who has paused stays so.
    uploaded(&world, 155.0).await;
    assert_eq!(warned(&world, ANA).await, 2);
    audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Paused).await.unwrap();
    let kept = offered(&browser).await.expect("a button");
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    assert!(on_page(&world).await["recording_link"].is_null());
    assert_eq!(count(&world, "media WHERE NOT hidden").await, 0);
    let query = audit::Query { act: Some(Act::RecordingReplaced), ..Default::default() };
    let log = audit::list(&world.app, &Actor::Operator, world.institution.id, &query).await.unwrap();
    assert!(log.entries.iter().any(|entry| entry.who.kind == WhoKind::Person), "who has put it back");
}

/// Ana's own recording is replaced by an upload.
async fn replaced(world: &World) {
    let person = world.person("Ana", ANA).await;
    record(world, &person, 150.0, Sharing::All).await;
    uploaded(world, 140.0).await;
    assert_eq!(count(world, "kept_recordings").await, 1);
    assert_eq!(count(world, "media WHERE kind LIKE 'removed%'").await, 1);
}

#[tokio::test]
async fn what_is_kept_is_put_back_also_after_its_owner_has_chosen_to_be_heard_by_fewer_people() {
    let world = World::new().await;
    let person = world.person("Ana", ANA).await;
    record(&world, &person, 150.0, Sharing::All).await;
    let own = on_page(&world).await;
    let sound = heard(&world, &own).await;
    uploaded(&world, 140.0).await;
    audiences::choose(&world.app, &Actor::Operator, ana(&world), Audience::Institution).await.unwrap();
    let browser = signed_in(&world).await;
    let kept = offered(&browser).await.expect("a button");
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    let back = on_page(&world).await;
    assert_eq!(heard(&world, &back).await, sound);
    assert_ne!(back["recording_link"], own["recording_link"], "anybody may have the old link");
    let old = own["recording_link"].as_str().unwrap();
    assert_eq!(world.client.get(old).send().await.unwrap().status(), 404);
    no_file_is_left_over(&world).await;
}

async fn nothing_is_kept(world: &World) {
    assert_eq!(count(world, "kept_recordings").await, 0);
    assert_eq!(count(world, "media WHERE kind LIKE 'removed%'").await, 0);
    no_file_is_left_over(world).await;
}

#[tokio::test]
async fn what_is_kept_ends_after_30_days_with_the_consent_and_with_the_person() {
    let world = World::new().await;
    replaced(&world).await;
    world.advance(29 * DAY);
    assert_eq!(kept_recordings::purge(&world.app).await.unwrap(), 0);
    world.advance(2 * DAY);
    assert_eq!(kept_recordings::purge(&world.app).await.unwrap(), 1);
    nothing_is_kept(&world).await;
    for then in [consents::Withdrawal::Pause, consents::Withdrawal::Delete] {
        let world = World::new().await;
        replaced(&world).await;
        consents::withdraw(&world.app, &Actor::Operator, &ana(&world), then).await.unwrap();
        nothing_is_kept(&world).await;
    }
    let world = World::new().await;
    replaced(&world).await;
    let (app, id) = (&world.app, world.institution.id);
    persons::erase(app, &Actor::Operator, id, ANA.into(), persons::Rewrite::Later).await.unwrap();
    nothing_is_kept(&world).await;
}

#[tokio::test]
async fn whoever_opens_a_learning_system_with_an_address_replaces_nothing_unnoticed() {
    let world = World::new().await;
    let person = world.person("Ana", ANA).await;
    let second = world.page("Second").await;
    world.person_on(&second, json!({ "first_name": "Ana", "email": ANA })).await;
    record(&world, &person, 150.0, Sharing::All).await;
    let sound = heard(&world, &on_page(&world).await).await;
    let in_lti = async |hertz: f32| {
        let participant = ParticipantId::new(0);
        let (who, maker) = (Who::numbered(WhoKind::Lti, participant), Maker::Owner);
        let sound = Incoming::Bytes(wav_of(1.0, hertz));
        let whose = (world.institution.id, participant);
        own_recordings::record(&world.app, whose, who, sound, Sharing::All, maker).await.unwrap();
    };
    in_lti(170.0).await;
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (2, 1), "one mail");
    // The same user again owns what they have replaced it with.
    in_lti(180.0).await;
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (2, 1));
    no_file_is_left_over(&world).await;
    // One press puts back both.
    let browser = signed_in(&world).await;
    let kept = offered(&browser).await.unwrap();
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    assert_eq!(heard(&world, &on_page(&world).await).await, sound);
    assert_eq!((count(&world, "kept_recordings").await, offered(&browser).await), (0, None));
    // From now on, it is the person's again.
    in_lti(190.0).await;
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (2, 2));
    // Whoever has signed in replaces what is theirs.
    record(&world, &person, 200.0, Sharing::All).await;
    assert_eq!((count(&world, "kept_recordings").await, warned(&world, ANA).await), (2, 2));
}

#[tokio::test]
async fn where_recordings_are_held_one_that_is_put_back_waits_for_approval() {
    let world = World::new().await;
    replaced(&world).await;
    let given = heard(&world, &on_page(&world).await).await;
    let change = page_settings::Change { moderation: Some(Moderation::Hold), ..Default::default() };
    let (app, page) = (&world.app, NamePageRef::parse(&world.page.slug).unwrap());
    page_settings::update(app, &Actor::Operator, world.institution.id, &page, change).await.unwrap();
    let browser = signed_in(&world).await;
    let kept = offered(&browser).await.unwrap();
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    assert_eq!(heard(&world, &on_page(&world).await).await, given, "a manager may have replaced it");
    assert_eq!((count(&world, "media WHERE kind = 'held'").await, offered(&browser).await), (1, None));
    no_file_is_left_over(&world).await;
}

#[tokio::test]
async fn nobody_puts_back_a_recording_of_somebody_else() {
    let world = World::new().await;
    replaced(&world).await;
    world.person("Ben", "ben@x.org").await;
    let ben = PersonId { institution: world.institution.id, email_key: "ben@x.org".into() };
    let browser = Browser::new(&world);
    let opened = endonym::app::sessions::open(&world.app, ben, How::Mail, &[]).await.unwrap();
    browser.set_cookie("endonym", opened.secret.as_str());
    assert_eq!(offered(&browser).await, None);
    let kept = offered(&signed_in(&world).await).await.unwrap();
    browser.post("/me/kept", &[("recording", &kept)]).await.redirects_to("/me?done=kept");
    assert_eq!(count(&world, "kept_recordings").await, 1);
}

#[tokio::test]
async fn both_addresses_are_told_that_a_directory_has_changed_one_for_the_other() {
    let world = World::new().await;
    let directory = Directory::new(&world).await;
    let user = directory.user("Ana", "Lima", ANA).await;
    let choir = directory.group("Choir", &[&user]).await;
    directory.map_to(&choir, &world.page).await;
    let second = directory.group("Second", &[&user]).await;
    directory.map_to(&second, &world.page("Second").await).await;
    let path = "emails[type eq \"work\"].value";
    let moved = json!([{ "op": "replace", "path": path, "value": "silva@x.org" }]);
    directory.patch(&format!("/Users/{user}"), moved).await.expect(200);
    assert_eq!((warned(&world, ANA).await, warned(&world, "silva@x.org").await), (1, 1), "once each");
    for email in [ANA, "silva@x.org"] {
        let query = audit::Query {
            act: Some(Act::ParticipantUpdated),
            person: Some(email.into()),
            ..Default::default()
        };
        let log = audit::list(&world.app, &Actor::Operator, world.institution.id, &query).await.unwrap();
        assert_eq!(log.entries.len(), 2, "{email}");
        assert_eq!(log.entries[0].after["email"], "silva@x.org");
    }
    // A name is no address.
    let renamed = json!([{ "op": "replace", "path": "name.givenName", "value": "Anna" }]);
    directory.patch(&format!("/Users/{user}"), renamed).await.expect(200);
    assert_eq!(count(&world, "outbox").await, 2);
}
