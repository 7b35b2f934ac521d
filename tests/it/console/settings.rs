//! `/console/{slug}/settings`

use std::time::Duration;

use endonym::{
    app::{Actor, Error, audiences, consents, institutions, looks, members},
    domain::{
        audience::Audience,
        institution::Institution,
        language::Language,
        member::Role::{Admin, Owner},
        session::PersonId,
    },
    words::Words,
};

use super::{console as path, email_of, member as visitor, only, plain, version};
use crate::{
    me::{Browser, Seen},
    support::{World, media::png},
};

async fn stored(world: &World) -> Institution {
    institutions::find(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap()
}

/// Sends the form of a group, with the version that the page has.
async fn send(world: &World, browser: &Browser<'_>, group: &str, fields: &[(&str, &str)]) -> Seen {
    let action = path(world, &format!("/settings/groups/{group}"));
    let page = browser.get(&path(world, "/settings")).await.expect(200);
    let version = version(&page.body, &action);
    browser.post(&action, &[fields, &[("version", version)]].concat()).await
}

#[tokio::test]
async fn admins_and_owners_see_the_settings() {
    let world = World::new().await;
    only(&world, "/settings", &[Owner, Admin]).await;
    only(&world, "/settings/consent", &[Owner, Admin]).await;
    only(&world, "/settings/delete", &[Owner]).await;
}

#[tokio::test]
async fn the_rate_limit_is_shown_with_its_source_and_only_the_operator_changes_it() {
    let world = World::new().await;
    let (owner, at, app) = (visitor(&world, Owner).await, path(&world, "/settings"), &world.app);
    let page = plain(&owner.get(&at).await.expect(200).body);
    assert!(page.contains("seconds: the default of this installation"), "{page}");
    let change = || institutions::Change { rate_limit: Some(Some(7)), ..Default::default() };
    let person =
        PersonId { institution: world.institution.id, email_key: email_of(&world.institution, Owner) };
    let actor = members::actor_of(app, &person).await.unwrap();
    let refused = institutions::update(app, &actor, &world.institution.slug, change()).await;
    assert!(matches!(refused, Err(Error::Forbidden(_))), "{refused:?}");
    institutions::update(app, &Actor::Operator, &world.institution.slug, change()).await.unwrap();
    let page = plain(&owner.get(&at).await.expect(200).body);
    assert!(page.contains("7 requests in") && page.contains("seconds: set for your institution"), "{page}");
}

#[tokio::test]
async fn every_group_of_settings_can_be_saved() {
    let world = World::new().await;
    let browser = visitor(&world, Admin).await;
    let saved = path(&world, "/settings?done=saved");
    let general = [
        ("name", "Ünïversity"),
        ("time_zone", "Asia/Tokyo"),
        ("page_language", "de"),
        ("phone_language", "fr"),
    ];
    send(&world, &browser, "general", &general).await.redirects_to(&saved);
    send(&world, &browser, "recordings", &[("multiple_recordings", "1")]).await.redirects_to(&saved);
    send(&world, &browser, "badges", &[("notes_on_badge", "1")]).await.redirects_to(&saved);
    let notes = async || {
        institutions::notes_on_badge(&world.app, &Actor::Operator, world.institution.id).await.unwrap()
    };
    assert!(notes().await);
    send(&world, &browser, "badges", &[]).await.redirects_to(&saved);
    assert!(!notes().await);
    let origins = "https://a.example/\r\n\r\nhttps://b.example";
    send(&world, &browser, "origins", &[("origins", origins)]).await.redirects_to(&saved);
    let audience = [("institution", "1"), ("default_audience", "institution")];
    send(&world, &browser, "audiences", &audience).await.redirects_to(&saved);

    let now = stored(&world).await;
    assert_eq!((now.name.as_str(), now.time_zone.iana_name()), ("Ünïversity", Some("Asia/Tokyo")));
    assert_eq!((now.language, now.phone_language.as_deref()), (Some(Language::German), Some("fr")));
    assert!(now.multiple_recordings);
    assert_eq!(now.allowed_origins, ["https://a.example", "https://b.example"]);
    let id = world.institution.id;
    let newest = institutions::starts_with_newest(&world.app, &Actor::Operator, id).await.unwrap();
    assert!(!newest, "it was not ticked");
    let (permitted, default) = audiences::of_institution(&world.app, &Actor::Operator, id).await.unwrap();
    assert_eq!((permitted.words().as_str(), default), ("institution,paused", Audience::Institution));

    // What is left out of the list is forbidden.
    send(&world, &browser, "origins", &[("origins", "https://b.example")]).await.redirects_to(&saved);
    assert_eq!(stored(&world).await.allowed_origins, ["https://b.example"]);
    let page = browser.get(&saved).await.expect(200);
    assert!(page.body.contains("Ünïversity") && page.body.contains("1000000"), "{}", page.body);
}

#[tokio::test]
async fn faults_are_next_to_what_was_typed() {
    let world = World::new().await;
    let browser = visitor(&world, Admin).await;
    for (group, fields, typed, fault) in [
        ("general", &[("name", ""), ("time_zone", "UTC")][..], "", "name-fault"),
        ("general", &[("name", "X"), ("time_zone", "Mars/Base")], "Mars/Base", "time_zone-fault"),
        (
            "general",
            &[("name", "X"), ("time_zone", "UTC"), ("phone_language", "F!")],
            "F!",
            "phone_language-fault",
        ),
        ("origins", &[("origins", "nonsense <b>")], "nonsense &#60;b&#62;", "origins-fault"),
        ("audiences", &[("default_audience", "public")], "", "public-fault"),
        ("audiences", &[("institution", "1"), ("default_audience", "public")], "", "default_audience-fault"),
    ] {
        let seen = send(&world, &browser, group, fields).await.expect(422);
        assert!(seen.body.contains(&format!("id=\"{fault}\"")), "{fault}: {}", seen.body);
        assert!(seen.body.contains(typed), "{typed}: {}", seen.body);
    }
    let now = stored(&world).await;
    assert_eq!((now.name, now.allowed_origins.len()), (world.institution.name.clone(), 0));
    browser.get(&path(&world, "/settings")).await.expect(200);
    browser.post(&path(&world, "/settings/groups/look"), &[]).await.expect(404);
    browser.post(&path(&world, "/settings/groups/other"), &[]).await.expect(404);
}

#[tokio::test]
async fn of_two_people_who_change_the_same_the_second_is_told() {
    let world = World::new().await;
    let (first, second) = (visitor(&world, Admin).await, visitor(&world, Owner).await);
    let action = path(&world, "/settings/groups/general");
    let page = second.get(&path(&world, "/settings")).await.expect(200);
    let old = version(&page.body, &action).to_owned();
    send(&world, &first, "general", &[("name", "Theirs"), ("time_zone", "UTC")]).await.expect(303);

    let fields = [("name", "Mine"), ("time_zone", "Asia/Tokyo")];
    let told = second.post(&action, &[&fields[..], &[("version", old.as_str())]].concat()).await.expect(409);
    assert!(told.body.contains("Theirs") && told.body.contains("value=\"Mine\""), "{}", told.body);
    assert_eq!(stored(&world).await.name, "Theirs");
    // The form that was shown again replaces it.
    let new = version(&told.body, &action).to_owned();
    second.post(&action, &[&fields[..], &[("version", new.as_str())]].concat()).await.expect(303);
    assert_eq!(stored(&world).await.name, "Mine");
}

#[tokio::test]
async fn a_logo_and_a_color_are_set_and_removed() {
    let world = World::new().await;
    let browser = visitor(&world, Admin).await;
    let action = path(&world, "/settings/look");
    let look = async || looks::find(&world.app, world.institution.id).await.unwrap();
    let post = async |file: &[u8], fields: &[(&str, &str)]| {
        let page = browser.get(&path(&world, "/settings")).await.expect(200);
        let (version, csrf) = (version(&page.body, &action).to_owned(), browser.csrf());
        let fields = [fields, &[("version", version.as_str()), ("csrf", csrf.as_str())]].concat();
        let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
        browser.post_file(&action, ("logo", file), &fields, &headers).await
    };
    post(&png(), &[("accent", "#7a1f3d")]).await.expect(303);
    let now = look().await;
    assert!(now.logo.is_some() && now.accent.unwrap().light.to_string() == "#7a1f3d");
    // Without a file, the logo stays.
    post(b"", &[("accent", "")]).await.expect(303);
    let now = look().await;
    assert!(now.logo.is_some() && now.accent.is_none());
    post(b"", &[("accent", ""), ("no_logo", "1")]).await.expect(303);
    assert!(look().await.logo.is_none());

    let light = post(b"", &[("accent", "#ffd200")]).await.expect(422);
    assert!(light.body.contains("value=\"#ffd200\"") && light.body.contains("id=\"accent-fault\""));
    let text = post(b"not a picture", &[("accent", "#7a1f3d")]).await.expect(422);
    assert!(text.body.contains("id=\"logo-fault\"") && text.body.contains("value=\"#7a1f3d\""));
    assert!(look().await.accent.is_none());
    let headers = [("origin", world.base.as_str())];
    browser
        .post_file(&action, ("logo", b""), &[("accent", "#7a1f3d"), ("csrf", "x")], &headers)
        .await
        .expect(403);
}

#[tokio::test]
async fn the_consent_text_is_replaced_and_reset() {
    let world = World::new().await;
    let browser = visitor(&world, Admin).await;
    let at = path(&world, "/settings/consent");
    let text = async || {
        let state = consents::find(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
        (state.text.is_built_in(), state.text.texts)
    };
    let send = async |fields: &[(&str, &str)]| {
        let page = browser.get(&format!("{at}?language=de")).await.expect(200);
        let version = version(&page.body, &at).to_owned();
        browser.post(&at, &[fields, &[("version", version.as_str()), ("language", "de")]].concat()).await
    };
    let empty = send(&[("text", " "), ("do", "save")]).await.expect(422);
    assert!(empty.body.contains("id=\"text-fault\""), "{}", empty.body);
    send(&[("text", "Erster <Absatz>.\r\n\r\nZweiter."), ("do", "save")])
        .await
        .redirects_to(&format!("{at}?language=de&done=saved"));
    assert_eq!(text().await.1["de"], "Erster <Absatz>.\n\nZweiter.");
    let page = browser.get(&format!("{at}?language=de")).await.expect(200);
    assert!(page.body.contains("<p>Zweiter.</p>") && !page.body.contains("<Absatz>"), "{}", page.body);

    let other = [("text", "Mine"), ("language", "de"), ("version", "0"), ("do", "save")];
    let told = browser.post(&at, &other).await.expect(409);
    assert!(told.body.contains("Mine") && told.body.contains("Zweiter."), "{}", told.body);
    send(&[("do", "reset")]).await.redirects_to(&format!("{at}?language=de&done=reset"));
    assert!(text().await.0);
}

/// Adding a language keeps the version of the text.
#[tokio::test]
async fn what_ends_a_consent_text_in_all_languages_notices_a_change_in_any() {
    let world = World::new().await;
    let browser = visitor(&world, Admin).await;
    let at = path(&world, "/settings/consent");
    let set = async |language: Language, text: &str| {
        let id = world.institution.id;
        consents::set(&world.app, &Actor::Operator, id, language, text).await.unwrap()
    };
    let languages = async || {
        let state = consents::find(&world.app, &Actor::Operator, world.institution.id).await.unwrap();
        state.text.texts.into_keys().collect::<Vec<_>>()
    };
    // The versions in the two forms of the page: for a text in this language, and for going back to the built-in text.
    let versions = async |language: &str| {
        let page = browser.get(&format!("{at}?language={language}")).await.expect(200).body;
        let values =
            page.split("name=\"version\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    let send = async |language: &str, version: &str, fields: &[(&str, &str)]| {
        browser.post(&at, &[fields, &[("version", version), ("language", language)]].concat()).await
    };
    set(Language::German, "Deutsch.").await;
    let (german, french) = (versions("de").await, versions("fr").await);
    set(Language::Spanish, "Español.").await;

    // Both would have lost the Spanish text.
    let mine = [("text", "Neu."), ("do", "save")];
    let told = send("de", &german[0], &mine).await.expect(409);
    assert!(told.body.contains("Somebody else has changed") && told.body.contains("Neu."), "{}", told.body);
    for (language, versions, own) in [("de", &german, "Deutsch.</textarea>"), ("fr", &french, "></textarea>")]
    {
        let told = send(language, &versions[1], &[("do", "reset")]).await.expect(409);
        let how = "Theirs is shown above. To replace it, choose “Go back to the built-in text” again.";
        assert!(told.body.contains(how), "{}", told.body);
        assert!(!told.body.contains("Save again"), "that keeps their text: {}", told.body);
        let field = told.body.split("<textarea").nth(1).unwrap().replace(">\n", ">");
        assert!(field.contains(own), "{field}");
    }
    assert_eq!(languages().await, ["de", "es"]);

    // A mistake does not make the form newer than it is.
    let wrong = send("de", &german[0], &[("text", " "), ("do", "save")]).await.expect(422);
    assert_eq!(version(&wrong.body, &at), german[0]);
    // A third language takes nothing from the others.
    send("fr", &french[0], &[("text", "Français."), ("do", "save")]).await.expect(303);
    assert_eq!(languages().await, ["de", "es", "fr"]);
    let (now, german) = (versions("pt").await, versions("de").await);
    send("pt", &now[1], &[("do", "reset")]).await.expect(303);
    assert!(languages().await.is_empty());

    // The text above is nobody's now.
    let alert = |told: &Seen| {
        let alert = told.body.split("role=\"alert\">").nth(1).expect("an alert");
        alert.split('<').next().unwrap().to_owned()
    };
    let told = send("de", &german[1], &[("do", "reset")]).await.expect(409);
    assert_eq!(alert(&told), "The built-in text is in force now.");
    let told = send("de", &german[0], &mine).await.expect(409);
    let how = "Somebody else has gone back to the built-in text while you were writing. It is shown above. ";
    assert_eq!(alert(&told), format!("{how}Save again to replace it."));
    assert!(told.body.contains("Neu.</textarea>"), "{}", told.body);
    send("de", version(&told.body, &at), &mine).await.expect(303);
    assert_eq!(languages().await, ["de"]);
}

#[test]
fn a_sentence_that_names_the_button_has_its_label_in_every_language() {
    for language in Language::ALL {
        let words = Words::new(language);
        let told = words.text("console-settings-consent-not-reset");
        let label = words.text("console-settings-consent-reset");
        assert!(told.contains(&label), "{}: {label} in {told}", language.tag());
    }
}

#[tokio::test]
async fn an_owner_deletes_the_institution_by_its_name() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let (admin, owner) = (visitor(&world, Admin).await, visitor(&world, Owner).await);
    let at = path(&world, "/settings/delete");
    admin.get(&path(&world, "/settings")).await.expect(200);
    admin.post(&at, &[("name", &world.institution.name)]).await.expect(403);
    owner.get(&at).await.expect(200);
    let wrong = owner.post(&at, &[("name", "Another")]).await.expect(422);
    assert!(wrong.body.contains("id=\"name-fault\"") && wrong.body.contains("value=\"Another\""));

    // Not with an old session.
    world.advance(Duration::from_secs(601));
    let asked = owner.post(&at, &[("name", &world.institution.name)]).await.expect(303);
    assert!(asked.location().starts_with("/sign-in?"), "{}", asked.location());
    let fresh = visitor(&world, Owner).await;
    fresh.get(&at).await.expect(200);
    fresh.post(&at, &[("name", &world.institution.name)]).await.redirects_to("/");
    let gone = institutions::find(&world.app, &Actor::Operator, &world.institution.slug).await;
    assert!(matches!(gone, Err(Error::Missing(_))), "{gone:?}");
}
