//! What people agree to before they record.

use endonym::{
    app::{Actor, audiences, calls, consents},
    domain::{
        audience::Audience, consent, countries::Countries, language::Language, media::Kind,
        quiet_hours::QuietHours, session::PersonId,
    },
};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;

use super::{
    Browser,
    own::{ANA, ana, new_here, origins, parsed, person, stored, world},
};
use crate::support::{
    Answer, Setup, World,
    media::{file, wav},
};

/// The hidden inputs of the form to agree with.
async fn shown(browser: &Browser<'_>) -> (String, String) {
    let page = browser.get("/me").await.expect(200).body;
    let form = page.split("action=\"/me/consent\"").nth(1).expect("the form to agree with");
    let value = |name: &str| {
        let rest = form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    (value("version"), value("language"))
}

async fn agree(browser: &Browser<'_>) {
    let (version, language) = shown(browser).await;
    let fields = [("version", version.as_str()), ("language", language.as_str())];
    browser.post("/me/consent", &fields).await.redirects_to("/me?done=consent");
}

async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn nobody_records_before_they_agree() {
    let world = world().await;
    let browser = new_here(&world, world.institution.id, ANA).await;
    let page = browser.get("/me").await.expect(200).body;
    assert!(
        page.contains("never used for voice prints") && page.contains("never to train software"),
        "{page}"
    );
    assert!(page.contains("I agree") && !page.contains("data-recorder"), "{page}");
    let answer = parsed(&browser.take(&wav(1.0), "").await.expect(422));
    assert_eq!((&answer["field"], &answer["code"]), (&json!("recording"), &json!("consent")));
    let sentence = answer["message"].as_str().unwrap();
    assert!(sentence.starts_with("Please agree to the text about recordings first."), "{sentence}");
    // Without JavaScript, the page says it next to the text.
    let page = browser.upload(&wav(1.0), "").await.expect(422).body;
    assert!(page.contains(sentence) && page.contains("I agree"), "{page}");
    assert_eq!(origins(&world).await, [None]);

    agree(&browser).await;
    let page = browser.get("/me?done=consent").await.expect(200).body;
    assert!(page.contains("You can record your name now.") && page.contains("data-recorder"), "{page}");
    assert!(page.contains("You agreed on"), "{page}");
    browser.take(&wav(1.0), "").await.expect(201);
    let all = consents::all(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
    let [(who, given)] = &all[..] else { panic!("{all:?}") };
    assert_eq!(
        (who.as_str(), given.version.as_str(), given.language),
        (ANA, consent::BUILT_IN, Language::English)
    );
    assert!(world.app.clock.now().since(given.consented_at).as_secs() < 60);
}

#[tokio::test]
async fn the_phone_that_scanned_the_code_shows_the_text_too() {
    let world = world().await;
    let browser = new_here(&world, world.institution.id, ANA).await;
    let made = parsed(&browser.ask_as_script("/me/handover").await.expect(201));
    let phone = Browser::new(&world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to("/me");
    phone.get("/me").await.expect(200);
    phone.take(&wav(1.0), "").await.expect(422);
    agree(&phone).await;
    phone.take(&wav(1.0), "").await.expect(201);
    assert!(browser.get("/me").await.body.contains("data-recorder"), "agreed once, on all devices");
}

#[tokio::test]
async fn clients_of_the_api_do_not_depend_on_consent() {
    let world = world().await;
    let person = json!({ "first_name": "Bea", "email": "bea@example.edu", "pronunciation": file(wav(1.0)) });
    let made = world.person_on(&world.page, person).await;
    assert!(made["recording_link"].is_string(), "{made}");
}

#[tokio::test]
async fn a_new_text_is_asked_for_before_the_next_recording_and_leaves_the_old_ones_alone() {
    let world = world().await;
    let (app, id, operator) = (&world.app, world.institution.id, &Actor::Operator);
    let browser = ana(&world).await;
    browser.take(&wav(1.0), "").await.expect(201);
    let set = async |language: Language, text: &str| {
        consents::set(app, operator, id, language, text).await.unwrap().version
    };
    assert_eq!(set(Language::English, "We record <you>.\n\nYou may say no.").await, "1");
    let page = browser.get("/me").await.expect(200).body;
    assert!(
        page.contains("<p>We record &#60;you&#62;.</p>") && page.contains("<p>You may say no.</p>"),
        "{page}"
    );
    assert!(page.contains("<audio"), "the recording is still there: {page}");
    // A take that was made while the text changed is refused, and not lost: it can be sent again.
    browser.take(&wav(1.2), "").await.expect(422);
    agree(&browser).await;
    browser.take(&wav(1.2), "").await.expect(201);

    // A translation asks nobody again, and is shown to those who read it.
    assert_eq!(set(Language::German, "Wir nehmen auf.").await, "1");
    assert_eq!(set(Language::German, "Wir nehmen auf.").await, "1", "nothing has changed");
    browser.take(&wav(1.3), "").await.expect(201);
    let page = browser.get("/me?lang=de").await.expect(200).body;
    assert!(page.contains("Wir nehmen auf."), "{page}");
    assert!(
        browser.get("/me?lang=fr").await.body.contains("You may say no."),
        "in the institution's language"
    );

    // Another text is another version, in its own language only.
    assert_eq!(set(Language::German, "Wir nehmen Sie auf.").await, "2");
    let (version, language) = shown(&browser).await;
    assert_eq!((version.as_str(), language.as_str()), ("2", "de"));
    let stale = [("version", "1"), ("language", "en")];
    browser.post("/me/consent", &stale).await.redirects_to("/me#consent");
    browser.take(&wav(1.4), "").await.expect(422);
    agree(&browser).await;
    browser.take(&wav(1.4), "").await.expect(201);

    // Back to the built-in text, to which Ana has agreed already.
    let built_in = consents::reset(app, operator, id).await.unwrap();
    assert!(built_in.is_built_in());
    consents::reset(app, operator, id).await.unwrap();
    browser.take(&wav(1.5), "").await.expect(201);
    assert_eq!(set(Language::German, "Wir nehmen Sie auf.").await, "4", "no number is used twice");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM consents").await, 3);
}

#[tokio::test]
async fn consent_is_a_persons_own_and_of_one_institution() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    agree(&new_here(&world, world.institution.id, ANA).await).await;
    for (institution, email) in [(there.institution.id, ANA), (world.institution.id, "bea@example.edu")] {
        let other = new_here(&world, institution, email).await;
        other.take(&wav(1.0), "").await.expect(422);
    }
    let own = person(&world, ANA);
    let neighbor = Actor::Person(PersonId { institution: there.institution.id, email_key: ANA.to_owned() });
    let bea = Actor::Person(person(&world, "bea@example.edu"));
    for other in [&neighbor, &bea] {
        let (version, language) = (consent::BUILT_IN, Language::English);
        assert!(consents::of_person(&world.app, other, &own).await.is_err());
        assert!(consents::agree(&world.app, other, &own, version, language).await.is_err());
        assert!(consents::withdraw(&world.app, other, &own, consents::Withdrawal::Delete).await.is_err());
        assert!(consents::set(&world.app, other, own.institution, language, "x").await.is_err());
    }
}

#[tokio::test]
async fn agreeing_twice_at_once_is_one_consent() {
    let world = world().await;
    let browser = new_here(&world, world.institution.id, ANA).await;
    let (version, language) = shown(&browser).await;
    let fields = [("version", version.as_str()), ("language", language.as_str())];
    for seen in join_all((0..4).map(|_| browser.post("/me/consent", &fields))).await {
        seen.redirects_to("/me?done=consent");
    }
    assert_eq!(number(&world, "SELECT COUNT(*) FROM consents").await, 1);
}

#[tokio::test]
async fn who_withdraws_pauses_or_deletes_the_recordings() {
    let world = world().await;
    let browser = ana(&world).await;
    let answer = browser.take(&wav(1.0), "").await.expect(201);
    let link = parsed(&answer)["recording"]["link"].as_str().unwrap().to_owned();
    let withdraw = async |then: &str| browser.post("/me/consent/withdraw", &[("then", then)]).await;
    withdraw("shred").await.expect(422);
    withdraw("pause").await.redirects_to("/me?done=withdrawn");
    browser.get(&link).await.expect(404);
    let chosen = audiences::find(&world.app, &Actor::Operator, &person(&world, ANA)).await.unwrap();
    assert_eq!(chosen.audience, Audience::Paused);
    assert!(stored(&world, world.institution.id).await.registrations[0].is_paused(), "it is kept");
    browser.take(&wav(1.0), "").await.expect(422);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM consents WHERE withdrawn_at IS NOT NULL").await, 1);

    agree(&browser).await;
    assert_eq!(number(&world, "SELECT COUNT(*) FROM consents WHERE withdrawn_at IS NULL").await, 1);
    browser.post("/me/audience", &[("audience", "public")]).await.redirects_to("/me?done=audience");
    browser.get(&link).await.expect(200);
    withdraw("delete").await.redirects_to("/me?done=withdrawn");
    browser.get(&link).await.expect(404);
    assert_eq!(origins(&world).await, [None]);
    let page = browser.get("/me?done=withdrawn").await.expect(200).body;
    assert!(page.contains("You have withdrawn your agreement.") && page.contains("I agree"), "{page}");
}

#[tokio::test]
async fn who_withdraws_while_a_take_is_on_its_way_has_no_recording_afterwards() {
    let world = world().await;
    let browser = ana(&world).await;
    let (sound, fields) = (wav(1.0), [("then", "delete")]);
    for _ in 0..4 {
        let withdraw = browser.post("/me/consent/withdraw", &fields);
        let (taken, withdrawn) = tokio::join!(browser.take(&sound, ""), withdraw);
        withdrawn.redirects_to("/me?done=withdrawn");
        assert!([201, 422].contains(&taken.status.as_u16()), "{}", taken.body);
        assert_eq!(origins(&world).await, [None]);
        world.agree(world.institution.id, ANA).await;
    }
}

#[tokio::test]
async fn a_call_needs_consent_and_is_canceled_when_it_is_withdrawn() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let world = World::with(Setup { calling, ..Setup::default() }).await;
    let made = world.person("Ana", ANA).await;
    let browser = new_here(&world, world.institution.id, ANA).await;
    assert!(!browser.get("/me").await.body.contains("id=\"call\""));
    let number = [("phone_number", "+12025550123")];
    let page = browser.post("/me/call", &number).await.expect(422).body;
    assert!(page.contains("Please agree to the text about recordings first."), "{page}");
    assert!(!stored(&world, world.institution.id).await.is_called);
    agree(&browser).await;
    browser.post("/me/call", &number).await.redirects_to("/me?done=call");
    assert!(stored(&world, world.institution.id).await.is_called);
    world.give(&made, Kind::LegalRecording, b"the sound of a legal name").await;
    browser.post("/me/consent/withdraw", &[("then", "delete")]).await.redirects_to("/me?done=withdrawn");
    let own = stored(&world, world.institution.id).await;
    assert!(!own.is_called && own.registrations[0].entry.legal.recording.is_none());
}
