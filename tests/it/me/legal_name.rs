//! The legal name on a person's own pages, where the institution uses legal names.

use endonym::{
    app::{
        Actor, Error, Missing, audiences,
        consents::{self, Withdrawal},
        own_media,
    },
    blobs::Delivery,
    domain::{audience::Audience, media::Kind},
};
use serde_json::{Value, json};

use super::{
    Browser, Seen,
    own::{ANA, JSON, ana, new_here, parsed, person, signed_in, world},
};
use crate::{
    pages::browser::axe,
    support::{
        Answer, Setup, World, browser,
        media::{wav, wav_of},
    },
};

const PATHS: [&str; 2] = ["/me/legal-name/recording", "/me/legal-name/recording/delete"];

async fn with_legal_names() -> World {
    let world = World::with(Setup { multiple_recordings: true, ..Setup::default() }).await;
    let legal = json!({
        "first_name": "Ana", "email": ANA, "legal_first_name": "Анна", "legal_middle_name": "<b>",
        "legal_last_name": "Петрова", "legal_phonetic": "AHN-na",
    });
    let page = world.page.clone();
    world.person_on(&page, legal).await;
    world
}

/// The links to Ana's legal recordings, by page.
async fn links(world: &World) -> Vec<Value> {
    let found = world.get(&format!("/v5/participants/search?email_list={ANA}")).await.expect(200);
    let all = found["Response"]["participants"].as_array().unwrap().clone();
    all.iter().map(|one| one["legal_recording_url"].clone()).collect()
}

impl Browser<'_> {
    async fn record_legal(&self, sound: &[u8], is_script: bool) -> Seen {
        let csrf = self.csrf();
        let (path, file) = (PATHS[0], ("recording", sound));
        if !is_script {
            return self.post_file(path, file, &[("csrf", &csrf)], &[]).await;
        }
        let headers = [JSON[0], ("x-csrf-token", csrf.as_str()), ("sec-fetch-site", "same-origin")];
        self.post_file(path, file, &[], &headers).await
    }
}

#[tokio::test]
async fn it_is_not_offered_where_the_institution_does_not_use_legal_names() {
    let world = world().await;
    let browser = ana(&world).await;
    assert!(!browser.get("/me").await.body.contains("legal"));
    browser.get("/me/legal-name").await.expect(404);
    browser.get(&format!("/me/legal-name/audio?page={}", world.page.slug)).await.expect(404);
    browser.get("/me").await.expect(200);
    browser.record_legal(&wav(1.0), false).await.expect(404);
    browser.record_legal(&wav(1.0), true).await.expect(404);
    let (whose, slug) = (person(&world, ANA), &world.page.slug);
    let found = own_media::sound(&world.app, &Actor::Operator, &whose, slug, Kind::LegalRecording).await;
    assert!(matches!(found, Err(Error::Missing(Missing::Recording))));
}

#[tokio::test]
async fn the_legal_name_is_recorded_for_all_pages_heard_and_deleted() {
    let world = with_legal_names().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = ana(&world).await;
    assert!(browser.get("/me").await.body.contains("href=\"/me/legal-name\""));
    let page = browser.get("/me/legal-name").await.expect(200);
    for text in [
        "<bdi lang=\"\">Анна &#60;b&#62; Петрова</bdi>",
        "AHN-na",
        "Your institution has not entered a legal name for you.",
        "It is not recorded yet.",
        "Record my name",
        "say your legal name the way it should be said",
        "One recording is used on all of these pages.",
    ] {
        assert!(page.body.contains(text), "{text} in {}", page.body);
    }
    assert_eq!(page.headers["permissions-policy"], "microphone=(self)");
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("media-src 'self' blob:;") && !policy.contains("img-src 'self' data: blob:"));

    let answer = parsed(&browser.record_legal(&wav(1.0), true).await.expect(201));
    let link = answer["recording"]["link"].as_str().unwrap().to_owned();
    assert!(links(&world).await.iter().all(Value::is_string), "on both pages");
    browser.get(&link).await.expect(200);
    let page = browser.get("/me/legal-name").await.expect(200).body;
    let says =
        page.contains("Delete the recording of my legal name") && !page.contains("Delete my recording");
    assert!(says, "{page}");
    for slug in [&world.page.slug, &choir.slug] {
        let path = format!("/me/legal-name/audio?page={slug}");
        assert!(page.contains(&format!("src=\"{path}\"")), "{page}");
        let (status, headers, sound) = browser.file(&path, &[]).await;
        assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "audio/mpeg"));
        assert_eq!(browser.file(&path, &[("range", "bytes=-3")]).await.2, &sound[sound.len() - 3..]);
    }
    // The recording of the preferred name is another one.
    let own = format!("/me/recording/audio?page={}", world.page.slug);
    browser.get(&own).await.expect(404);

    // While paused, only the owner hears it.
    audiences::choose(&world.app, &Actor::Operator, person(&world, ANA), Audience::Paused).await.unwrap();
    browser.get(&link).await.expect(404);
    let path = format!("/me/legal-name/audio?page={}", world.page.slug);
    let before = browser.file(&path, &[]).await.2;
    let page = browser.get("/me/legal-name").await.expect(200).body;
    assert!(page.contains(&path) && page.contains("nobody can hear it for now"), "{page}");
    browser.record_legal(&wav_of(1.0, 180.0), false).await.redirects_to("/me/legal-name?done=recording");
    assert_ne!(browser.file(&path, &[]).await.2, before);
    assert_eq!(links(&world).await, [Value::Null, Value::Null]);
    audiences::choose(&world.app, &Actor::Operator, person(&world, ANA), Audience::Public).await.unwrap();
    assert!(links(&world).await.iter().all(Value::is_string));

    browser.get("/me/legal-name").await.expect(200);
    browser.post(PATHS[1], &[]).await.redirects_to("/me/legal-name?done=deleted");
    assert_eq!(links(&world).await, [Value::Null, Value::Null]);
    browser.get(&path).await.expect(404);
    let page = browser.get("/me/legal-name?done=deleted").await.expect(200).body;
    assert!(page.contains("Your recording is deleted.") && !page.contains("<audio"), "{page}");
}

#[tokio::test]
async fn without_consent_it_is_shown_and_deleted_but_not_recorded() {
    let world = with_legal_names().await;
    let browser = ana(&world).await;
    browser.record_legal(&wav(1.0), true).await.expect(201);
    let whose = person(&world, ANA);
    consents::withdraw(&world.app, &Actor::Operator, &whose, Withdrawal::Pause).await.unwrap();
    let page = browser.get("/me/legal-name").await.expect(200).body;
    let link = "<a href=\"/me#consent\">To record it, please agree to the text about recordings first.</a>";
    for text in ["Петрова", "<audio", link, PATHS[1]] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains("data-recorder"), "{page}");
    let page = browser.record_legal(&wav(1.0), false).await.expect(422).body;
    assert!(page.contains("Please agree to the text about recordings first."), "{page}");
    browser.post(PATHS[1], &[]).await.redirects_to("/me/legal-name?done=deleted");
    let page = browser.get("/me/legal-name").await.expect(200).body;
    assert!(page.contains("It is not recorded yet.") && !page.contains("<audio"), "{page}");
}

#[tokio::test]
async fn takes_that_the_store_hands_out_itself_are_allowed_before_there_is_one() {
    let url = "s3://bucket?endpoint=http://s3.example.test:9000&region=x&access_key_id=a&secret_access_key=b";
    let (blobs_url, delivery) = (Some(url.into()), Delivery::Redirect);
    let setup = Setup { blobs_url, delivery, multiple_recordings: true, ..Setup::default() };
    let world = World::with(setup).await;
    world.person("Ana", ANA).await;
    let browser = new_here(&world, world.institution.id, ANA).await;
    for path in ["/me", "/me/legal-name"] {
        let page = browser.get(path).await.expect(200);
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("media-src 'self' blob: http://s3.example.test:9000; "), "{path}: {policy}");
    }
}

#[tokio::test]
async fn refusals_are_sentences_and_forged_forms_change_nothing() {
    let world = with_legal_names().await;
    let (browser, other) = (ana(&world).await, ana(&world).await);
    let large = vec![0; world.app.studio.settings.sound.bytes + (1 << 20)];
    for (sound, status, sentence) in [
        (&b"not a sound"[..], 422, "This is not a recording that we can read."),
        (&wav(0.1), 422, "This recording is too short."),
        (b"", 422, "Please choose a file first."),
        (&large, 413, "This file is too large"),
    ] {
        let answer = parsed(&browser.record_legal(sound, true).await.expect(status));
        assert!(answer["message"].as_str().unwrap().starts_with(sentence), "{answer}");
        let page = browser.record_legal(sound, false).await.expect(status).body;
        assert!(page.contains(sentence) && page.contains("aria-invalid=\"true\""), "{page}");
    }
    let (own, foreign) = (browser.csrf(), other.csrf());
    for (fields, headers) in [
        (&[][..], &[][..]),
        (&[("csrf", foreign.as_str())], &[]),
        (&[("csrf", own.as_str())], &[("origin", "https://evil.example")]),
    ] {
        browser.post_file(PATHS[0], ("recording", &wav(1.0)), fields, headers).await.expect(403);
        browser.post_bare(PATHS[1], fields, headers).await.expect(403);
    }
    for path in PATHS {
        Browser::new(&world).post_bare(path, &[("csrf", &own)], &[]).await.redirects_to("/sign-in");
    }
    Browser::new(&world).get("/me/legal-name").await.redirects_to("/sign-in?return_to=%2Fme%2Flegal-name");
    assert_eq!(links(&world).await, [Value::Null]);
}

#[tokio::test]
async fn nobody_else_hears_or_changes_it() {
    let world = with_legal_names().await;
    world.person("Bea", "bea@example.edu").await;
    ana(&world).await.record_legal(&wav(1.0), true).await.expect(201);
    let before = links(&world).await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, reqwest::Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let path = format!("/me/legal-name/audio?page={}", world.page.slug);
    let neighbor = signed_in(&world, there.institution.id, ANA).await;
    neighbor.get(&path).await.expect(404);
    let bea = signed_in(&world, world.institution.id, "bea@example.edu").await;
    bea.get(&path).await.expect(404);
    bea.get("/me/legal-name").await.expect(200);
    bea.record_legal(&wav(1.0), true).await.expect(201);
    bea.post(PATHS[1], &[]).await.redirects_to("/me/legal-name?done=deleted");
    assert_eq!(links(&world).await, before);
}

#[tokio::test]
async fn the_page_is_accessible() {
    let world = World::with(Setup { multiple_recordings: true, sqlite: true, ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    ana(&world).await.record_legal(&wav(1.0), true).await.expect(201);
    let browser = browser::Browser::start().await;
    browser.go(&super::own::link(&world, world.institution.id, ANA).await).await;
    browser.click("main button").await;
    browser.until("location.pathname === '/me'").await;
    for scheme in ["light", "dark"] {
        browser.prefer(scheme).await;
        for language in ["en", "ar"] {
            browser.go(&format!("{}/me/legal-name?lang={language}", world.base)).await;
            browser.until("document.querySelector('[data-recorder]').dataset.state === 'ready'").await;
            assert_eq!(browser.faults(&axe()).await, [""; 0], "{scheme} {language}");
        }
    }
    assert_eq!(browser.complaints().await, [""; 0]);
}
