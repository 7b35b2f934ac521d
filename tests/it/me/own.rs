//! A person's own page: `/me` and what its forms and the recorder send.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, Forbidden, Missing, audiences, calls,
        imports::CallPolicy,
        name_pages,
        own_person::{self, OwnPerson},
        participants, persons, sign_in,
    },
    domain::{
        access::Access,
        audience::Audience,
        countries::Countries,
        email::Email,
        ids::InstitutionId,
        media::Origin,
        name_page::NamePageRef,
        participant::{Draft, Given},
        quiet_hours::QuietHours,
        session::PersonId,
    },
};
use serde_json::{Value, json};

use super::{Browser, Seen};
use crate::support::{
    Answer, Setup, World,
    database::execute,
    import::import,
    media::{wav, wav_of},
};

pub const ANA: &str = "ana@example.edu";
pub const JSON: [(&str, &str); 1] = [("accept", "application/json")];

pub async fn world() -> World {
    let world = World::new().await;
    world.person("Ana", ANA).await;
    world
}

pub async fn link(world: &World, institution: InstitutionId, email: &str) -> String {
    let life = Duration::from_secs(600);
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, email, life, &world.base);
    made.await.unwrap().0
}

/// Signed in, and has agreed to the text about recordings.
pub async fn signed_in<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    world.agree(institution, email).await;
    new_here(world, institution, email).await
}

/// Signed in.
pub async fn new_here<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    let browser = Browser::new(world);
    browser.follow(&link(world, institution, email).await).await.redirects_to("/me");
    browser.get("/me").await.expect(200);
    browser
}

pub async fn ana(world: &World) -> Browser<'_> {
    signed_in(world, world.institution.id, ANA).await
}

pub fn person(world: &World, email: &str) -> PersonId {
    PersonId { institution: world.institution.id, email_key: email.to_owned() }
}

pub async fn stored(world: &World, institution: InstitutionId) -> OwnPerson {
    let person = PersonId { institution, email_key: ANA.to_owned() };
    own_person::find(&world.app, &Actor::Operator, &person).await.unwrap()
}

/// The origins of Ana's recordings, by page.
pub(super) async fn origins(world: &World) -> Vec<Option<Origin>> {
    stored(world, world.institution.id).await.registrations.iter().map(|one| one.origin).collect()
}

impl Browser<'_> {
    /// Sends a recording with these fields and headers, and nothing else.
    pub async fn upload_bare(&self, sound: &[u8], fields: &[(&str, &str)], headers: &[(&str, &str)]) -> Seen {
        self.post_file("/me/recording", ("recording", sound), fields, headers).await
    }

    /// Sends the file form.
    pub(super) async fn upload(&self, sound: &[u8], page: &str) -> Seen {
        let csrf = self.csrf();
        self.upload_bare(sound, &[("csrf", &csrf), ("page", page)], &[]).await
    }

    /// Sends a take as the recorder does.
    pub async fn take(&self, sound: &[u8], page: &str) -> Seen {
        let csrf = self.csrf();
        let headers = [JSON[0], ("x-csrf-token", csrf.as_str()), ("sec-fetch-site", "same-origin")];
        self.upload_bare(sound, &[("page", page)], &headers).await
    }

    /// A request of a script, without a body.
    pub async fn ask_as_script(&self, path: &str) -> Seen {
        let request = self.client.post(format!("{}{path}", self.base));
        self.send(request.header("accept", "application/json").header("x-csrf-token", self.csrf())).await
    }
}

pub fn parsed(seen: &Seen) -> Value {
    serde_json::from_str(&seen.body).unwrap_or_else(|error| panic!("{error}: {}", seen.body))
}

#[tokio::test]
async fn the_page_needs_a_session_and_shows_every_registration() {
    let world = world().await;
    let choir = world.page("Choir & Band").await;
    world.person_on(&choir, json!({ "first_name": "Anna <b>", "email": ANA })).await;
    world.person("Bea", "bea@example.edu").await;
    Browser::new(&world).get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    let page = ana(&world).await.get("/me").await.expect(200);
    for text in [
        "Anna &#60;b&#62;",
        "Choir &#38; Band",
        &world.page.title,
        "Others cannot hear your name yet.",
        ">Name badge</a>",
    ] {
        assert!(page.body.contains(text), "{text} in {}", page.body);
    }
    for text in
        ["<legend>Who may hear it</legend>", "Anyone with the link", "My institution", "Nobody for now"]
    {
        assert!(page.body.contains(text), "{text}");
    }
    assert!(!page.body.contains("Bea") && !page.body.contains("id=\"call\""), "{}", page.body);
    let header = |name: &str| page.headers[name].to_str().unwrap();
    assert_eq!(header("permissions-policy"), "microphone=(self)");
    assert_eq!((header("cache-control"), header("referrer-policy")), ("no-store", "same-origin"));
    let policy = header("content-security-policy");
    for source in
        ["script-src 'self';", "connect-src 'self';", "media-src 'self' blob:;", "form-action 'self'"]
    {
        assert!(policy.contains(source), "{source} in {policy}");
    }
}

#[tokio::test]
async fn a_take_is_stored_for_all_pages_or_for_one() {
    let world = world().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = ana(&world).await;
    let answer = browser.take(&wav(1.0), "").await.expect(201);
    let link = parsed(&answer)["recording"]["link"].as_str().unwrap().to_owned();
    assert!(link.starts_with("/audio/"), "{link}");
    let sound = browser.get(&link).await.expect(200);
    assert_eq!(sound.headers["content-type"], "audio/mpeg");
    assert_eq!(origins(&world).await, [Some(Origin::Shared); 2]);
    let page = browser.get("/me").await.expect(200).body;
    assert!(page.contains(&format!("src=\"{link}\"")), "{page}");
    // Another one for the choir, by the file form.
    browser.upload(&wav_of(1.0, 180.0), &choir.slug).await.redirects_to("/me?done=recording");
    assert_eq!(origins(&world).await, [Some(Origin::Shared), Some(Origin::Page)]);
    let page = browser.get("/me?done=recording").await.expect(200).body;
    assert!(page.contains("Your recording is saved.") && page.contains("for this page only"), "{page}");
    // The one for all pages leaves it alone.
    let before = stored(&world, world.institution.id).await.registrations;
    browser.take(&wav_of(1.0, 160.0), "").await.expect(201);
    let after = stored(&world, world.institution.id).await.registrations;
    let hex = |all: &[own_person::OwnRegistration], at: usize| all[at].entry.recording.clone().unwrap().hex;
    assert_ne!(hex(&before, 0), hex(&after, 0));
    assert_eq!(hex(&before, 1), hex(&after, 1));
    // Deleted there, then everywhere.
    browser.post("/me/recording/delete", &[("page", &choir.slug)]).await.redirects_to("/me?done=deleted");
    assert_eq!(origins(&world).await, [Some(Origin::Shared), None]);
    browser.post("/me/recording/delete", &[]).await.redirects_to("/me?done=deleted");
    browser.get(&link).await.expect(404);
    assert_eq!(origins(&world).await, [None, None]);
    let page = browser.get("/me?done=deleted").await.expect(200).body;
    assert!(page.contains("Your recording is deleted.") && !page.contains("<audio"), "{page}");
}

#[tokio::test]
async fn a_refused_recording_is_explained_next_to_the_form() {
    let world = world().await;
    let browser = ana(&world).await;
    let mut silence = wav(1.0);
    silence[44..].fill(0);
    let large = vec![0; world.app.studio.settings.sound.bytes + (1 << 20)];
    for (sound, page, status, sentence) in [
        (&b"not a sound"[..], "", 422, "This is not a recording that we can read."),
        (&silence, "", 422, "We cannot hear anything in this recording."),
        (&wav(0.1), "", 422, "This recording is too short."),
        (&wav(31.0), "", 422, "This recording is longer than"),
        (b"", "", 422, "Please choose a file first."),
        (&wav(1.0), "nowhere", 422, "You are not on this page anymore."),
        (&large, "", 413, "This file is too large"),
    ] {
        let answer = browser.take(sound, page).await.expect(status);
        let answer = parsed(&answer);
        assert_eq!(answer["field"], "recording");
        assert!(answer["message"].as_str().unwrap().starts_with(sentence), "{answer}");
        let shown = browser.upload(sound, page).await.expect(status).body;
        assert!(shown.contains(sentence) && shown.contains("aria-invalid=\"true\""), "{sentence}: {shown}");
    }
    assert_eq!(origins(&world).await, [None]);
}

#[tokio::test]
async fn only_forms_and_scripts_of_the_own_session_are_accepted() {
    let world = world().await;
    let (browser, other) = (ana(&world).await, ana(&world).await);
    let (own, foreign) = (browser.csrf(), other.csrf());
    assert_ne!(own, foreign);
    let sound = wav(1.0);
    for (fields, headers) in [
        (&[][..], &[][..]),
        (&[("csrf", foreign.as_str())], &[]),
        (&[], &[("x-csrf-token", foreign.as_str())]),
        (&[("csrf", own.as_str())], &[("x-csrf-token", foreign.as_str())]),
        (&[("csrf", own.as_str())], &[("sec-fetch-site", "cross-site")]),
        (&[("csrf", own.as_str())], &[("origin", "https://evil.example")]),
    ] {
        browser.upload_bare(&sound, fields, headers).await.expect(403);
        let as_script = [headers, &JSON].concat();
        let answer = browser.upload_bare(&sound, fields, &as_script).await.expect(403);
        assert!(parsed(&answer)["message"].is_string());
    }
    let paths = [
        "/me/recording/delete",
        "/me/handover",
        "/me/audience",
        "/me/details",
        "/me/call",
        "/me/consent",
        "/me/consent/withdraw",
        "/me/search-engines",
        "/me/language",
        "/me/delete",
        "/sign-out",
    ];
    for path in paths {
        let fields = [("audience", "paused"), ("page", world.page.slug.as_str()), ("notes", "x")];
        browser.post_bare(path, &fields, &[]).await.expect(403);
        browser.post_bare(path, &[&fields[..], &[("csrf", &foreign)]].concat(), &[]).await.expect(403);
        let cross = [("origin", "https://evil.example")];
        browser.post_bare(path, &[&fields[..], &[("csrf", &own)]].concat(), &cross).await.expect(403);
        Browser::new(&world).post_bare(path, &[("csrf", &own)], &[]).await.redirects_to("/sign-in");
    }
    let stranger = Browser::new(&world);
    stranger.upload_bare(&sound, &[("csrf", &own)], &[]).await.redirects_to("/sign-in");
    let answer = stranger.upload_bare(&sound, &[("csrf", &own)], &JSON).await.expect(401);
    assert!(parsed(&answer)["message"].as_str().unwrap().starts_with("Your session is over"));
    assert_eq!(origins(&world).await, [None]);
    assert_eq!(stored(&world, world.institution.id).await.registrations[0].entry.notes, None);
    assert!(browser.session().await.is_some());
}

#[tokio::test]
async fn nobody_else_can_touch_a_persons_entries() {
    let world = world().await;
    world.person("Bea", "bea@example.edu").await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    // The same email in another institution is another person.
    let there = world.neighbor().await;
    let body =
        json!({ "name_page_id": there.page.slug, "participant": { "first_name": "Ana", "email": ANA } });
    let request = world.request_as(&there.token, reqwest::Method::POST, "/v5/participants").json(&body);
    Answer::of(request).await.expect(201);
    let other = signed_in(&world, there.institution.id, ANA).await;
    other.take(&wav(1.0), "").await.expect(201);
    assert_eq!(origins(&world).await, [None; 2]);
    other.take(&wav(1.0), &choir.slug).await.expect(422);
    let handover = parsed(&ana(&world).await.ask_as_script("/me/handover").await.expect(201));
    let path = format!("/me/handover/{}", handover["id"].as_str().unwrap());
    other.get(&path).await.expect(404);
    for slug in [&choir.slug, &world.page.slug] {
        other.get(&format!("/me/recording/audio?page={slug}")).await.expect(404);
    }
    // The use cases themselves check the person.
    let (whose, app) = (person(&world, ANA), &world.app);
    let bea = Actor::Person(person(&world, "bea@example.edu"));
    let neighbor = Actor::Person(PersonId { institution: there.institution.id, email_key: ANA.to_owned() });
    let forbidden = |error: Error| matches!(error, Error::Forbidden(Forbidden::Administration));
    let missing = |error: Error| matches!(error, Error::Missing(Missing::Institution));
    assert!(own_person::find(app, &bea, &whose).await.is_err_and(forbidden));
    assert!(own_person::find(app, &neighbor, &whose).await.is_err_and(missing));
    assert!(own_person::record(app, &bea, &whose, wav(1.0), None).await.is_err_and(forbidden));
    assert!(own_person::record(app, &neighbor, &whose, wav(1.0), None).await.is_err_and(missing));
    assert!(own_person::delete_recording(app, &bea, &whose, None).await.is_err_and(forbidden));
    assert!(own_person::call(app, &neighbor, &whose, "+12025550123").await.is_err_and(missing));
    assert_eq!(origins(&world).await, [None; 2]);
}

#[tokio::test]
async fn a_person_chooses_who_may_hear_the_recording() {
    let world = world().await;
    let browser = ana(&world).await;
    let answer = browser.take(&wav(1.0), "").await.expect(201);
    let link = parsed(&answer)["recording"]["link"].as_str().unwrap().to_owned();
    browser.post("/me/audience", &[("audience", "paused")]).await.redirects_to("/me?done=audience");
    browser.get(&link).await.expect(404);
    let page = browser.get("/me").await.expect(200).body;
    assert!(page.contains("nobody can hear it for now") && !page.contains("/audio/"), "{page}");
    // Only the owner hears it, in the session.
    let own = format!("/me/recording/audio?page={}", world.page.slug);
    assert!(page.contains(&format!("src=\"{own}\"")), "{page}");
    let (status, headers, sound) = browser.file(&own, &[]).await;
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "audio/mpeg"));
    assert_eq!(headers["cache-control"], "private, no-store");
    let (status, headers, part) = browser.file(&own, &[("range", "bytes=0-1")]).await;
    assert_eq!((status, part.as_slice()), (206, &sound[..2]));
    assert_eq!(headers["content-range"], format!("bytes 0-1/{}", sound.len()));
    Browser::new(&world).get(&own).await.expect(303);
    for nowhere in ["/me/recording/audio?page=nowhere", "/me/recording/audio"] {
        browser.get(nowhere).await.expect(404);
    }
    let chosen =
        async || audiences::find(&world.app, &Actor::Operator, &person(&world, ANA)).await.unwrap().audience;
    assert_eq!(chosen().await, Audience::Paused);
    // A recording that is made now is kept, and has no link yet.
    let answer = browser.take(&wav_of(1.0, 170.0), "").await.expect(201);
    assert_eq!(parsed(&answer), json!({ "recording": { "link": null } }));
    browser.post("/me/audience", &[("audience", "institution")]).await.redirects_to("/me?done=audience");
    assert_eq!(chosen().await, Audience::Institution);
    assert!(browser.get("/me").await.body.contains("<audio"));
    for wrong in ["everybody", ""] {
        let page = browser.post("/me/audience", &[("audience", wrong)]).await.expect(422).body;
        assert!(page.contains("does not offer this choice"), "{page}");
    }
    assert_eq!(chosen().await, Audience::Institution);
}

#[tokio::test]
async fn a_recording_on_the_phone_arrives_at_the_first_page() {
    let world = world().await;
    let browser = ana(&world).await;
    let made = parsed(&browser.ask_as_script("/me/handover").await.expect(201));
    assert!(made["svg"].as_str().unwrap().starts_with("<svg"), "{made}");
    let path = format!("/me/handover/{}", made["id"].as_str().unwrap());
    let state = async || parsed(&browser.get(&path).await.expect(200))["state"].clone();
    assert_eq!(state().await, "waiting");
    let phone = Browser::new(&world);
    phone.follow(made["link"].as_str().unwrap()).await.redirects_to("/me");
    phone.get("/me").await.expect(200);
    assert_eq!(state().await, "waiting");
    phone.take(&wav(1.0), "").await.expect(201);
    assert_eq!(state().await, "arrived");
    browser.get("/me/handover/x").await.expect(404);
    // Without JavaScript, the code is on a page.
    let page = browser.post("/me/handover", &[]).await.expect(200).body;
    assert!(page.contains("<svg") && page.contains("/sign-in/link/"), "{page}");
    let unused = parsed(&browser.ask_as_script("/me/handover").await.expect(201));
    world.advance(Duration::from_secs(601));
    let path = format!("/me/handover/{}", unused["id"].as_str().unwrap());
    assert_eq!(parsed(&browser.get(&path).await.expect(200)), json!({ "state": "expired" }));
}

#[tokio::test]
async fn details_are_changed_on_one_page() {
    let world = world().await;
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    let browser = ana(&world).await;
    let fields = [("page", choir.slug.as_str()), ("phonetic", "AH-na"), ("notes", "One\r\ntwo")];
    browser.post("/me/details", &fields).await.redirects_to("/me?done=details");
    let all = stored(&world, world.institution.id).await.registrations;
    let details: Vec<_> =
        all.iter().map(|one| (one.entry.phonetic.as_deref(), one.entry.notes.as_deref())).collect();
    assert_eq!(details, [(None, None), (Some("AH-na"), Some("One\ntwo"))]);
    let long = "x".repeat(20_000);
    let fields = [("page", choir.slug.as_str()), ("phonetic", "AH-nna"), ("notes", &long)];
    let page = browser.post("/me/details", &fields).await.expect(422).body;
    assert!(page.contains("This is too long.") && page.contains("AH-nna"), "the input is kept");
    let fields = [("page", "nowhere"), ("notes", "x")];
    browser.post("/me/details", &fields).await.expect(404);
    browser.post("/me/call", &[("phone_number", "+12025550123")]).await.expect(404);
}

#[tokio::test]
async fn details_on_an_archived_page_stay_as_they_are() {
    let world = world().await;
    let browser = ana(&world).await;
    let reference = NamePageRef::parse(&world.page.slug).unwrap();
    name_pages::archive(&world.app, &Actor::Operator, world.institution.id, &reference, true).await.unwrap();
    let fields = [("page", world.page.slug.as_str()), ("phonetic", "AH-na"), ("notes", "new")];
    let page = browser.post("/me/details", &fields).await.expect(422).body;
    assert!(page.contains("This page is archived."), "{page}");
    let [one] = &stored(&world, world.institution.id).await.registrations[..] else { panic!("one entry") };
    assert_eq!((&one.entry.phonetic, &one.entry.notes), (&None, &None));
}

#[tokio::test]
async fn a_person_asks_to_be_called_where_there_are_calls() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let world = World::with(Setup { calling, ..Setup::default() }).await;
    world.person("Ana", ANA).await;
    let browser = ana(&world).await;
    assert!(browser.get("/me").await.body.contains("href=\"#call\">Be called instead"));
    let page = browser.post("/me/call", &[("phone_number", "call me")]).await.expect(422).body;
    assert!(page.contains("This is not a phone number") && page.contains("value=\"call me\""), "{page}");
    browser.post("/me/call", &[("phone_number", "+1 202 555 0123")]).await.redirects_to("/me?done=call");
    let page = browser.get("/me").await.body;
    assert!(page.contains("You will be called soon.") && page.contains("value=\"+12025550123\""), "{page}");
    // A recording that is made here cancels the call.
    browser.take(&wav(1.0), "").await.expect(201);
    assert!(!stored(&world, world.institution.id).await.is_called);
}

/// Otherwise anybody could have any number called, as often as they have addresses.
#[tokio::test]
async fn whoever_only_registered_where_everybody_can_asks_for_no_call() {
    let calling = calls::Rules {
        enabled: true,
        attempts: 3,
        quiet_hours: QuietHours::OFF,
        countries: Countries::default(),
        ..calls::Rules::nobody()
    };
    let world = World::with(Setup { calling, ..Setup::default() }).await;
    let made = world.person("Ana", ANA).await;
    let token = World::registration_token(&made);
    let id = participants::by_token(&world.app, world.institution.id, &token).await.unwrap().id;
    let mark = || {
        let text = "INSERT INTO outsiders (institution_id, participant_id) VALUES ($1, $2)";
        execute(&world.app.db, text, vec![world.institution.id.into(), id.into()])
    };
    mark().await;
    let browser = ana(&world).await;
    let call = async || browser.post("/me/call", &[("phone_number", "+1 202 555 0123")]).await;
    let called = async || {
        let text = "SELECT COUNT(*) FROM calls";
        world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
    };
    assert!(!browser.get("/me").await.expect(200).body.contains("#call"));
    call().await.expect(404);
    assert_eq!(called().await, 0);
    // On another page of the institution, somebody vouches for them.
    let choir = world.page("Choir").await;
    world.person_on(&choir, json!({ "first_name": "Ana", "email": ANA })).await;
    assert!(browser.get("/me").await.expect(200).body.contains("#call"));
    let body = json!({ "name_page_id": choir.slug });
    world.delete(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    call().await.expect(404);
    // So does whoever imports them on the page where they are.
    let imported = Draft {
        email: Given::Set(Email::parse(ANA).unwrap()),
        first_name: Given::Set("Ana".into()),
        ..Draft::default()
    };
    let here = (world.institution.id, world.page.id);
    import(&world.app, here, vec![imported], CallPolicy::Nobody, false).await;
    call().await.redirects_to("/me?done=call");
    assert_eq!(called().await, 1);
}

#[tokio::test]
async fn a_person_without_registrations_is_signed_out() {
    let world = world().await;
    let (browser, script) = (ana(&world).await, ana(&world).await);
    // A learning system has taken the email away.
    world.without_email(ANA).await;
    script.take(&wav(1.0), "").await.expect(401);
    let page = browser.get("/me").await.expect(410).body;
    assert!(page.contains("You are signed out"), "{page}");
    assert_eq!(browser.cookie("endonym"), None);
    browser.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
    assert!(persons::find(&world.app, &Actor::Operator, world.institution.id, ANA).await.is_err());
}

#[tokio::test]
async fn sessions_end_with_the_last_registration() {
    let world = world().await;
    let (browser, script) = (ana(&world).await, ana(&world).await);
    let [as_email, as_given, spelled] = [(); 3].map(|()| ANA.to_owned());
    let key = participants::PersonKey { as_email, as_given, spelled };
    let (page, access) = (NamePageRef::parse(&world.page.slug).unwrap(), Access::whole(world.institution.id));
    persons::delete_from_page(&world.app, &access, page, key).await.unwrap();
    script.take(&wav(1.0), "").await.expect(401);
    browser.get("/me").await.redirects_to("/sign-in?return_to=%2Fme");
}
