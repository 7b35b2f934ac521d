//! One's own entry on a page: agreeing, recording, writing, a photo.

use std::time::Duration;

use endonym::{
    app::{Actor, name_pages, own_person, page_settings::Change, sign_in},
    domain::{
        media::Origin,
        name_page::NamePageRef,
        page_settings::{Asking, Moderation, Register},
        session::{How, PersonId},
    },
    http::csrf,
};
use serde_json::{Value, json};

use super::{ANA, entry, in_seconds, invite, number, set, set_of};
use crate::{
    me::{Browser, Seen},
    support::{
        World,
        media::{png, wav},
        snapshot::rows,
    },
};

const SLUG: &str = "class-of-2027";
const OWN: &str = "/p/class-of-2027/own";

/// A world with an open page, on which Ana is registered and has agreed to the text about recordings.
async fn world() -> World {
    let world = World::new().await;
    set(&world, Change { register: Some(Register::Open), ..Change::default() }).await;
    world
}

async fn ana(world: &World) -> Browser<'_> {
    let browser = Browser::new(world);
    browser.register(world, SLUG, ANA, "Ana").await;
    browser.agree_on(SLUG).await;
    browser
}

/// Sends a take as the recorder's script does.
async fn send_take(browser: &Browser<'_>, sound: &[u8]) -> (Seen, Value) {
    let (token, base) = (browser.csrf(), browser.base().to_owned());
    let headers = [
        ("accept", "application/json"),
        (csrf::HEADER, token.as_str()),
        ("origin", base.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let path = "/p/class-of-2027/own/recording";
    let seen = browser.post_file(path, ("recording", sound), &[], &headers).await;
    let body = serde_json::from_str(&seen.body).unwrap_or_else(|_| panic!("{}", seen.body));
    (seen, body)
}

async fn origins(world: &World, email: &str) -> Vec<(String, Option<Origin>)> {
    let person = PersonId { institution: world.institution.id, email_key: email.to_owned() };
    let own = own_person::find(&world.app, &Actor::Operator, &person).await.unwrap();
    own.registrations.into_iter().map(|one| (one.entry.page.slug.clone(), one.origin)).collect()
}

#[tokio::test]
async fn a_name_is_recorded_without_javascript_for_all_pages() {
    let world = world().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, ANA, "Ana").await;
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("id=\"consent\"") && !page.body.contains("data-recorder"), "{}", page.body);
    let refused = browser.send_sound(SLUG, &wav(1.0), &[]).await.expect(422);
    assert!(refused.body.contains("id=\"consent\""), "they have to agree first");
    browser.agree_on(SLUG).await;
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("data-recorder") && page.body.contains("data-limit=\"10\""), "{}", page.body);
    assert_eq!(page.headers["permissions-policy"], "microphone=(self)");
    browser.send_sound(SLUG, &wav(1.0), &[]).await.redirects_to("/p/class-of-2027/own?done=recording");
    let mut found = origins(&world, ANA).await;
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let shared = |slug: &str| (slug.to_owned(), Some(Origin::Shared));
    assert_eq!(found, [shared("choir"), shared(SLUG)]);
    let page = browser.get("/p/class-of-2027/own?done=recording").await.expect(200);
    assert!(page.body.contains("Done. Your name is recorded."), "{}", page.body);
    assert!(!page.body.contains("Your recording is saved."), "it is said once: {}", page.body);
    assert!(page.body.contains("href=\"/p/class-of-2027/people\"") && page.body.contains("href=\"/me\""));
    assert!(page.body.contains("src=\"/p/class-of-2027/own/audio\""), "{}", page.body);
    let (status, headers, bytes) = browser.file("/p/class-of-2027/own/audio", &[]).await;
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "audio/mpeg"));
    assert!(headers["cache-control"].to_str().unwrap().contains("no-store") && !bytes.is_empty());
}

#[tokio::test]
async fn a_recording_can_be_for_this_page_only() {
    let world = world().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = ana(&world).await;
    browser
        .send_sound(SLUG, &wav(1.0), &[("only", "1")])
        .await
        .redirects_to("/p/class-of-2027/own?done=recording");
    let mut found = origins(&world, ANA).await;
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(found, [("choir".to_owned(), None), (SLUG.to_owned(), Some(Origin::Page))]);
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("You recorded it for this page only."), "{}", page.body);
    // What an institution has set here is replaced, too: it is their own entry.
    let given = entry(&world, ANA).await.recording.unwrap();
    browser.send_sound(SLUG, &wav(1.5), &[]).await.redirects_to("/p/class-of-2027/own?done=recording");
    assert_ne!(entry(&world, ANA).await.recording.unwrap().hex, given.hex);
}

#[tokio::test]
async fn the_recorders_script_gets_json() {
    let world = world().await;
    let browser = ana(&world).await;
    let (seen, body) = send_take(&browser, &wav(1.0)).await;
    assert_eq!(seen.status, 201, "{body}");
    assert_eq!(body["recording"]["link"], "/p/class-of-2027/own/audio");
    for (sound, sentence) in [
        (b"not sound".to_vec(), "This is not a recording that we can read."),
        (Vec::new(), "Please choose a file first."),
    ] {
        let (seen, body) = send_take(&browser, &sound).await;
        assert_eq!(seen.status, 422);
        assert!(body["message"].as_str().unwrap().contains(sentence), "{body}");
    }
}

#[tokio::test]
async fn after_the_closing_time_a_recording_is_refused_with_the_reason() {
    let world = world().await;
    let browser = ana(&world).await;
    set(&world, Change { closes: in_seconds(&world, 60), ..Change::default() }).await;
    world.advance(Duration::from_secs(61));
    let before = rows(&world, None).await;
    let (seen, body) = send_take(&browser, &wav(1.0)).await;
    assert_eq!(seen.status, 422);
    assert!(body["message"].as_str().unwrap().contains("closed"), "{body}");
    browser.send_sound(SLUG, &wav(1.0), &[]).await.expect(422);
    assert_eq!(rows(&world, None).await, before);
    let page = browser.get(OWN).await.expect(200);
    assert!(
        page.body.contains("This page closed on") && !page.body.contains("data-recorder"),
        "{}",
        page.body
    );
    // Their entry can still be corrected, until the page is archived.
    let form = "/p/class-of-2027/own/details";
    browser.post(form, &[("first_name", "Ann")]).await.redirects_to("/p/class-of-2027/own?done=details");
    let reference = NamePageRef::parse(SLUG).unwrap();
    let institution = world.institution.id;
    name_pages::archive(&world.app, &Actor::Operator, institution, &reference, true).await.unwrap();
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("This page is archived.") && !page.body.contains("own/details"));
    browser.post(form, &[("first_name", "Eve")]).await.expect(422);
    assert_eq!(entry(&world, ANA).await.full_name(), "Ann");
}

#[tokio::test]
async fn a_page_has_its_own_limit_of_a_recording() {
    let world = world().await;
    set(&world, Change { take_seconds: Some(Some(4)), ..Change::default() }).await;
    // A page that would take it.
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = ana(&world).await;
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("data-limit=\"4\""), "{}", page.body);
    let (seen, body) = send_take(&browser, &wav(8.0)).await;
    assert_eq!(seen.status, 422, "{body}");
    let sentence = seen.body.replace(['\u{2068}', '\u{2069}'], "");
    assert!(sentence.contains("longer than 4 seconds"), "{sentence}");
    let stored = number(&world, "SELECT COUNT(*) FROM media").await;
    assert_eq!(stored, 0, "what is for all pages is for this one, too");
    let (seen, body) = send_take(&browser, &wav(3.0)).await;
    assert_eq!(seen.status, 201, "{body}");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM media").await, 2);
}

#[tokio::test]
async fn a_held_recording_is_heard_by_its_owner_who_reads_that_it_waits() {
    let world = world().await;
    set(&world, Change { moderation: Some(Moderation::Hold), ..Change::default() }).await;
    let browser = ana(&world).await;
    browser.send_sound(SLUG, &wav(1.0), &[]).await.redirects_to("/p/class-of-2027/own?done=recording");
    assert!(entry(&world, ANA).await.recording.is_none(), "nobody else hears it");
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("It is waiting for approval."), "{}", page.body);
    let (status, _, bytes) = browser.file("/p/class-of-2027/own/audio", &[]).await;
    assert!(status == 200 && !bytes.is_empty());
    // Not by somebody else, signed in or not.
    let bo = Browser::new(&world);
    bo.register(&world, SLUG, "bo@example.edu", "Bo").await;
    assert_eq!(bo.file("/p/class-of-2027/own/audio", &[]).await.0, 404);
    assert_ne!(Browser::new(&world).file("/p/class-of-2027/own/audio", &[]).await.0, 200);
}

#[tokio::test]
async fn what_people_write_is_changed_on_this_page() {
    let world = world().await;
    world.editable_field("gender_pronouns", "Pronouns").await;
    world.editable_field("degree", "Degree").await;
    let asked = vec![("phonetic".to_owned(), Asking::Required), ("notes".to_owned(), Asking::Optional)];
    set(&world, Change { asked, ..Change::default() }).await;
    let browser = Browser::new(&world);
    browser.prove(&world, SLUG, ANA, None).await.redirects_to("/p/class-of-2027/register");
    browser.get("/p/class-of-2027/register").await.expect(200);
    let fields = [("first_name", "Ana"), ("phonetic", "AH-na")];
    browser
        .post("/p/class-of-2027/register", &fields)
        .await
        .redirects_to("/p/class-of-2027/own?done=registered");
    browser.get(OWN).await.expect(200);
    let form = "/p/class-of-2027/own/details";
    let fields = [
        ("first_name", "Ana Sofía"),
        ("last_name", "محمد"),
        ("phonetic", "AH-na so-FEE-ah"),
        ("custom_gender_pronouns", "she/her"),
        ("custom_degree", "not asked for"),
        ("notes", "Two\r\nlines"),
        ("email", "eve@example.edu"),
        ("institution_id", "S-9"),
    ];
    browser.post(form, &fields).await.redirects_to("/p/class-of-2027/own?done=details");
    let found = entry(&world, ANA).await;
    assert_eq!((found.full_name().as_str(), found.notes.as_deref()), ("Ana Sofía محمد", Some("Two\nlines")));
    assert_eq!(found.custom.0.values().collect::<Vec<_>>(), ["she/her"]);
    assert_eq!((found.email.as_deref(), found.identifier), (Some(ANA), None));
    let shown = browser.get("/p/class-of-2027/own?done=details").await.expect(200);
    assert!(shown.body.contains("value=\"she/her\"") && shown.body.contains("Your changes are saved."));
    for (fields, sentence) in [
        (&[("first_name", ""), ("last_name", ""), ("phonetic", "x")][..], "Please enter your name."),
        (&[("first_name", "Ana"), ("phonetic", "")], "Please fill this in."),
    ] {
        let seen = browser.post(form, fields).await.expect(422);
        assert!(seen.body.contains(sentence), "{fields:?}: {}", seen.body);
    }
    assert_eq!(entry(&world, ANA).await.full_name(), "Ana Sofía محمد");
}

#[tokio::test]
async fn a_field_that_is_not_editable_is_answered_once() {
    let world = world().await;
    world.custom_field("college").await;
    let browser = ana(&world).await;
    set(&world, Change { asked: vec![("custom_college".into(), Asking::Required)], ..Change::default() })
        .await;
    let missing = "<li><bdi>college</bdi></li>";
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("name=\"custom_college\"") && page.body.contains(missing), "{}", page.body);
    let send = async |college: &str| {
        let fields = [("first_name", "Ana"), ("custom_college", college)];
        browser.post("/p/class-of-2027/own/details", &fields).await
    };
    assert!(send("").await.expect(422).body.contains("Please fill this in."));
    send("Arts").await.redirects_to("/p/class-of-2027/own?done=details");
    // From now on, only the institution changes it.
    let page = browser.get(OWN).await.expect(200);
    assert!(!page.body.contains("name=\"custom_college\"") && !page.body.contains(missing), "{}", page.body);
    let shown = "<dt><bdi>college</bdi></dt><dd><bdi>Arts</bdi></dd>";
    assert!(page.body.contains(shown), "{}", page.body);
    for forged in ["Law", ""] {
        send(forged).await.redirects_to("/p/class-of-2027/own?done=details");
        assert_eq!(entry(&world, ANA).await.custom.0.values().collect::<Vec<_>>(), ["Arts"], "{forged}");
    }
}

#[tokio::test]
async fn the_names_of_invited_people_are_the_institutions() {
    let world = World::new().await;
    invite(&world, ANA).await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, ANA, "Ana").await;
    let page = browser.get(OWN).await.expect(200);
    assert!(!page.body.contains("name=\"first_name\"") && page.body.contains("name=\"phonetic\""));
    let fields = [("first_name", "Eve"), ("phonetic", "AH-na")];
    browser
        .post("/p/class-of-2027/own/details", &fields)
        .await
        .redirects_to("/p/class-of-2027/own?done=details");
    let found = entry(&world, ANA).await;
    assert_eq!((found.full_name().as_str(), found.phonetic.as_deref()), ("Ana", Some("AH-na")));
}

#[tokio::test]
async fn a_photo_that_is_required_is_asked_for_until_it_is_there() {
    let world = world().await;
    set(&world, Change { asked: vec![("photo".into(), Asking::Required)], ..Change::default() }).await;
    let browser = ana(&world).await;
    let missing = "<li><bdi>A photo</bdi></li>";
    assert!(browser.get(OWN).await.expect(200).body.contains(missing));
    let send = async |file: &[u8]| {
        let (csrf, base) = (browser.csrf(), browser.base().to_owned());
        let headers = [("origin", base.as_str()), ("sec-fetch-site", "same-origin")];
        let fields = [("csrf", csrf.as_str())];
        browser.post_file("/p/class-of-2027/own/photo", ("photo", file), &fields, &headers).await
    };
    for bad in [&b""[..], b"GIF89a nothing"] {
        let seen = send(bad).await.expect(422);
        assert!(seen.body.contains("id=\"photo-fault\""), "{}", seen.body);
    }
    send(&png()).await.redirects_to("/p/class-of-2027/own?done=photo");
    let page = browser.get(OWN).await.expect(200);
    assert!(!page.body.contains(missing) && page.body.contains("class=\"portrait\""), "{}", page.body);
    assert!(entry(&world, ANA).await.photo.is_some());
}

#[tokio::test]
async fn a_device_that_was_let_in_by_a_qr_code_only_records() {
    let world = world().await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    ana(&world).await;
    let link = sign_in::handover(&world.app, &Actor::Operator, &person, How::Mail, None).await.unwrap().link;
    let phone = Browser::new(&world);
    phone.follow(&link).await.redirects_to("/me");
    let page = phone.get(OWN).await.expect(200);
    assert!(page.body.contains("data-recorder") && !page.body.contains("own/details"), "{}", page.body);
    phone.post("/p/class-of-2027/own/details", &[("first_name", "Eve")]).await.expect(403);
    phone.post("/p/class-of-2027/register", &[("first_name", "Eve")]).await.expect(403);
    phone.get(OWN).await.expect(200);
    phone.send_sound(SLUG, &wav(1.0), &[]).await.redirects_to("/p/class-of-2027/own?done=recording");
    assert!(entry(&world, ANA).await.recording.is_some());
}

#[tokio::test]
async fn the_phone_continues_on_this_page_and_the_recording_arrives_at_the_first_one() {
    let world = world().await;
    let browser = ana(&world).await;
    let page = browser.get(OWN).await.expect(200);
    assert!(page.body.contains("data-handover=\"/p/class-of-2027/own/handover\""), "{}", page.body);
    assert!(!page.body.contains("/me/handover"), "{}", page.body);
    let path = "/p/class-of-2027/own/handover";
    let parsed = |seen: Seen| serde_json::from_str::<Value>(&seen.body).unwrap();
    let made = parsed(browser.ask_as_script(path).await.expect(201));
    assert!(made["svg"].as_str().unwrap().starts_with("<svg"), "{made}");
    let state_path = format!("{path}/{}", made["id"].as_str().unwrap());
    let state = async || parsed(browser.get(&state_path).await.expect(200))["state"].clone();
    assert_eq!(state().await, "waiting");
    let phone = Browser::new(&world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to(OWN);
    let there = phone.get(OWN).await.expect(200);
    assert!(there.body.contains("data-recorder") && !there.body.contains("own/handover"), "{}", there.body);
    phone.send_sound(SLUG, &wav(1.0), &[]).await.redirects_to("/p/class-of-2027/own?done=recording");
    assert_eq!(state().await, "arrived");
    // It is not handed over again, nor is its state shown to others.
    phone.post(path, &[]).await.expect(403);
    let bo = Browser::new(&world);
    bo.register(&world, SLUG, "bo@example.edu", "Bo").await;
    bo.get(&state_path).await.expect(404);
    Browser::new(&world).get(&state_path).await.expect(401);
    // Without JavaScript, the code is on a page that leads back.
    browser.get(OWN).await.expect(200);
    let page = browser.post(path, &[]).await.expect(200).body;
    assert!(page.contains("<svg") && page.contains("href=\"/p/class-of-2027/own\""), "{page}");
}

#[tokio::test]
async fn nobody_reaches_the_entry_of_somebody_else() {
    let world = world().await;
    let there = world.neighbor().await;
    set_of(
        &world,
        there.institution.id,
        &there.page,
        Change { register: Some(Register::Open), ..Change::default() },
    )
    .await;
    ana(&world).await;
    // The same email in another institution.
    let stranger = Browser::new(&world);
    stranger.register(&world, &there.page.slug, ANA, "Other Ana").await;
    let before = rows(&world, Some(world.institution.id)).await;
    stranger.get(OWN).await.redirects_to("/p/class-of-2027");
    stranger.get(&format!("/p/{}/own", there.page.slug)).await.expect(200);
    stranger.send_sound(SLUG, &wav(1.0), &[]).await.expect(404);
    for (path, fields) in [
        ("/p/class-of-2027/own/details", &[("first_name", "Eve")][..]),
        ("/p/class-of-2027/own/consent", &[("version", "endonym-1"), ("language", "en")]),
        ("/p/class-of-2027/register", &[("first_name", "Eve")]),
    ] {
        // Their session is of no use here: the form of a visitor needs a visitor's token.
        let status = stranger.post(path, fields).await.status.as_u16();
        assert!(matches!(status, 303 | 403), "{path}: {status}");
    }
    assert_eq!(rows(&world, Some(world.institution.id)).await, before);
    // Somebody without a session.
    let visitor = Browser::new(&world);
    visitor.get(OWN).await.redirects_to("/p/class-of-2027");
    visitor.get("/p/class-of-2027/own?code=R99E").await.redirects_to("/p/class-of-2027?code=R99E");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM media").await, 0);
}
