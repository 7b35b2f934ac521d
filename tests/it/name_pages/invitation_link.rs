//! The personal link of an invitation.

use std::time::Duration;

use endonym::{
    app::{Actor, audit, consents, invitations, languages, own_recordings::Sharing},
    domain::{
        audit::Act,
        consent::{self, Via},
        ids::InvitationId,
        invitation::LinkToken,
        language::Language,
        media::Kind,
        session::{How, PersonId},
    },
};
use futures_util::future::join_all;
use reqwest::{Method, header};
use serde_json::Value;

use super::invitations::{by_links, by_mail, count, invite, link, page_ref};
use crate::{
    me::Browser,
    own_recordings::record,
    support::{World, database::execute, media::wav, snapshot},
};

const ADA: &str = "Ada Lovelace <ada@example.edu>";
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3_600);

/// The fields of the form when somebody agrees.
fn agreeing<'a>(first_name: &'a str, last_name: &'a str) -> [(&'a str, &'a str); 5] {
    [
        ("first_name", first_name),
        ("last_name", last_name),
        ("agree", "yes"),
        ("version", consent::BUILT_IN),
        ("language", "en"),
    ]
}

async fn names(world: &World) -> Vec<String> {
    let text = "SELECT first_name, last_name, email FROM participants ORDER BY id";
    let read = |row: &endonym::store::Row<'_>| {
        let [first, last, email] = [row.opt_text(0)?, row.opt_text(1)?, row.opt_text(2)?];
        Ok(format!(
            "{}|{}|{}",
            first.unwrap_or_default(),
            last.unwrap_or_default(),
            email.unwrap_or_default()
        ))
    };
    world.app.db.read().rows(text, &[], read).await.unwrap()
}

async fn everything(world: &World) -> Vec<String> {
    let mut rows = snapshot::rows(world, None).await;
    for row in world.app.db.read().rows("SELECT * FROM invitations", &[], |row| row.record()).await.unwrap() {
        rows.push(Value::Object(row).to_string());
    }
    rows
}

#[tokio::test]
async fn opening_a_link_shows_whom_it_is_for_and_changes_nothing() {
    let world = World::new().await;
    world.person("Secret", "other@example.edu").await;
    invite(&world, "Somebody Else <else@example.edu>", &by_links()).await;
    let ada = link(&world, ADA).await;
    let before = everything(&world).await;
    for method in [Method::HEAD, Method::GET, Method::HEAD, Method::GET] {
        let seen = Browser::new(&world).ask_for(method.clone(), &ada).await.expect(200);
        assert_eq!(seen.headers["x-robots-tag"], "noindex");
        assert_eq!(seen.headers[header::CACHE_CONTROL], "no-store");
        if method == Method::GET {
            let page = seen.body;
            for text in ["Ada Lovelace", "a•••@example.edu", "Example University", "Class of 2027"] {
                assert!(page.contains(text), "{text}: {page}");
            }
            assert!(page.contains("value=\"Ada\"") && page.contains("value=\"Lovelace\""), "{page}");
            for text in ["ada@example.edu", "Secret", "Else", "else@example.edu"] {
                assert!(!page.contains(text), "{text}: {page}");
            }
        }
    }
    assert_eq!(everything(&world).await, before);
}

#[tokio::test]
async fn the_button_registers_the_recipient_and_leads_to_the_recorder() {
    let world = World::new().await;
    let ada = link(&world, ADA).await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    let own = format!("/p/{}/own", world.page.slug);
    browser.post(&ada, &agreeing("Augusta Ada", "King")).await.redirects_to(&own);
    assert_eq!(names(&world).await, ["Augusta Ada|King|ada@example.edu"]);
    let session = browser.session().await.unwrap();
    assert_eq!((session.how, session.person.email_key.as_str()), (How::Invitation, "ada@example.edu"));
    let page = browser.get(&own).await.expect(200).body;
    assert!(page.contains("Augusta Ada King"), "{page}");
    assert_eq!(count(&world, "consents").await, 1);
    let noted = "invitations WHERE opened_at IS NOT NULL AND registered_at IS NOT NULL";
    assert_eq!(count(&world, noted).await, 1);
    // The link works again, on another device: the name is not asked for, nor the agreement.
    let phone = Browser::new(&world);
    let page = phone.get(&ada).await.expect(200).body;
    assert!(page.contains("Augusta Ada King") && !page.contains("name=\"first_name\""), "{page}");
    assert!(!page.contains("name=\"agree\""), "{page}");
    phone.post(&ada, &[("first_name", "Somebody"), ("last_name", "Else")]).await.redirects_to(&own);
    assert_eq!(names(&world).await, ["Augusta Ada|King|ada@example.edu"]);
}

#[tokio::test]
async fn an_invitation_is_accepted_as_a_whole_or_not_at_all() {
    let world = World::new().await;
    let ada = link(&world, ADA).await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    let before = everything(&world).await;
    for table in ["sessions", "outsiders", "consents"] {
        execute(&world.app.db, &format!("ALTER TABLE {table} RENAME TO away"), vec![]).await;
        let failed = browser.post(&ada, &agreeing("Ada", "Lovelace")).await;
        execute(&world.app.db, &format!("ALTER TABLE away RENAME TO {table}"), vec![]).await;
        assert!(failed.status.is_server_error(), "{table}: {}", failed.status);
        assert_eq!(everything(&world).await, before, "{table}");
    }
    let accepted =
        join_all((0..3).map(async |_| browser.post(&ada, &agreeing("Ada", "Lovelace")).await)).await;
    assert!(accepted.iter().all(|seen| seen.status == 303));
    assert_eq!(names(&world).await, ["Ada|Lovelace|ada@example.edu"], "once");
}

#[tokio::test]
async fn what_somebody_agrees_to_with_a_link_is_logged_so_and_the_person_is_asked_when_they_sign_in() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    let own = format!("/p/{}/own", world.page.slug);
    let logged = async || {
        let query = audit::Query { act: Some(Act::ConsentGiven), ..Default::default() };
        audit::list(app, &Actor::Operator, id, &query).await.unwrap().entries
    };
    let given = async || {
        let (_, given) = consents::all(app, &Actor::Operator, id).await.unwrap().pop().unwrap();
        given.via
    };
    let ada = link(&world, ADA).await;
    let by_link = Browser::new(&world);
    by_link.get(&ada).await.expect(200);
    by_link.post(&ada, &agreeing("Ada", "Lovelace")).await.redirects_to(&own);
    assert_eq!(logged().await[0].after["via"], "invitation");
    assert_eq!(given().await, Via::Invitation);
    by_link.get(&own).await.expect(200);
    by_link.send_sound(&world.page.slug, &wav(1.0), &[]).await.expect(303);
    // The person signs in: whoever had the link has agreed in their name.
    let signed_in = Browser::new(&world);
    let mail = signed_in.mailed("", "ada@example.edu").await;
    signed_in.enter_code(&mail.code).await.redirects_to("/me");
    assert!(signed_in.get("/me").await.body.contains("action=\"/me/consent\""));
    let refused = signed_in.get(&own).await.expect(200).body;
    assert!(refused.contains(&format!("{own}/consent")), "{refused}");
    signed_in.agree_on(&world.page.slug).await;
    let entries = logged().await;
    assert_eq!((entries.len(), entries[0].after.get("via")), (2, None));
    assert_eq!(given().await, Via::SignIn);
    // Not again: neither at the next sign-in, nor with the link.
    let again = Browser::new(&world);
    let mail = again.mailed("", "ada@example.edu").await;
    again.enter_code(&mail.code).await.redirects_to("/me");
    assert!(!again.get(&own).await.expect(200).body.contains(&format!("{own}/consent\"")));
    let phone = Browser::new(&world);
    assert!(!phone.get(&ada).await.expect(200).body.contains("name=\"agree\""));
    phone.post(&ada, &agreeing("Ada", "Lovelace")).await.redirects_to(&own);
    assert_eq!((given().await, logged().await.len()), (Via::SignIn, 2));
}

#[tokio::test]
async fn somebody_who_is_registered_keeps_their_name() {
    let world = World::new().await;
    world.person("Ada", "ADA@example.edu").await;
    // As if they had registered themselves where everybody can.
    let text =
        "INSERT INTO outsiders (institution_id, participant_id) SELECT institution_id, id FROM participants";
    execute(&world.app.db, text, vec![]).await;
    let ada = link(&world, "Wrong Name <ada@example.edu>").await;
    let browser = Browser::new(&world);
    let page = browser.get(&ada).await.expect(200).body;
    assert!(page.contains("Ada") && !page.contains("Wrong"), "{page}");
    browser.post(&ada, &agreeing("Wrong", "Name")).await.expect(303);
    assert_eq!(names(&world).await, ["Ada||ADA@example.edu"]);
    assert_eq!(count(&world, "outsiders").await, 0, "the institution has invited them");
}

#[tokio::test]
async fn without_a_name_or_an_agreement_nothing_happens() {
    let world = World::new().await;
    let ada = link(&world, "ada@example.edu").await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    let before = everything(&world).await;
    let refused = browser.post(&ada, &[("first_name", "Ada"), ("last_name", "")]).await.expect(422).body;
    assert!(refused.contains("value=\"Ada\"") && refused.contains("agree-fault"), "{refused}");
    let focused = refused.lines().find(|line| line.contains(" autofocus")).unwrap();
    assert!(focused.contains("id=\"agree\""), "{focused}");
    let [_, _, _, version, language] = agreeing("", "");
    let unticked = browser.post(&ada, &[("first_name", "Ada"), version, language]).await.expect(422).body;
    assert!(unticked.contains("agree-fault"), "{unticked}");
    let old = [("first_name", "Ada"), ("agree", "yes"), ("version", "endonym-0"), language];
    browser.post(&ada, &old).await.expect(422);
    for name in ["", " ", "\u{200b}"] {
        let refused = browser.post(&ada, &agreeing(name, "")).await.expect(422).body;
        assert!(refused.contains("name-fault"), "{refused}");
    }
    let long = "a".repeat(201);
    assert!(browser.post(&ada, &agreeing(&long, "")).await.expect(422).body.contains("name-fault"));
    browser.post(&ada, &agreeing("A\u{7}da", "")).await.expect(422);
    assert_eq!(everything(&world).await, before);
    assert!(browser.session().await.is_none());
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let world = World::new().await;
    let ada = link(&world, "ada@example.edu").await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    let before = everything(&world).await;
    for path in [ada.clone(), format!("{ada}/opened")] {
        browser.post_bare(&path, &agreeing("Ada", ""), &[]).await.expect(403);
        let csrf = browser.csrf();
        let foreign = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")];
        browser.post_bare(&path, &[("csrf", &csrf), ("first_name", "Ada")], &foreign).await.expect(403);
        // Another visitor's token.
        Browser::new(&world).post_bare(&path, &[("csrf", &csrf)], &[]).await.expect(403);
    }
    assert_eq!(everything(&world).await, before);
}

#[tokio::test]
async fn a_script_notes_that_it_was_opened_once() {
    let world = World::new().await;
    let ada = link(&world, "ada@example.edu").await;
    let browser = Browser::new(&world);
    let page = browser.get(&ada).await.expect(200).body;
    assert!(
        page.contains(&format!("data-opened=\"{ada}/opened\"")) && page.contains("/invitation.js"),
        "{page}"
    );
    assert_eq!(count(&world, "invitations WHERE opened_at IS NOT NULL").await, 0);
    browser.post(&format!("{ada}/opened"), &[]).await.expect(200);
    let opened = "SELECT opened_at FROM invitations";
    let read = async || world.app.db.read().one(opened, &[], |row| row.opt_int(0)).await.unwrap().unwrap();
    let first = read().await;
    assert!(first.is_some());
    world.advance(MINUTE);
    browser.post(&format!("{ada}/opened"), &[]).await.expect(200);
    assert_eq!(read().await, first);
    browser.post("/i/1-00000000000000000000000000000000/opened", &[]).await.expect(404);
}

#[tokio::test]
async fn a_link_that_was_never_made_and_one_that_is_over_look_the_same() {
    let world = World::new().await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let ada = link(&world, "ada@example.edu").await;
    let token = LinkToken::parse(ada.strip_prefix("/i/").unwrap()).unwrap();
    let other = link(&world, "bea@example.edu").await;
    let stolen = LinkToken::parse(other.strip_prefix("/i/").unwrap()).unwrap().proof;
    let forged = LinkToken { id: token.id, proof: stolen };
    let never = LinkToken { id: InvitationId::new(7), proof: "0".repeat(32) };
    let mut over = vec![format!("/i/{forged}"), format!("/i/{never}"), "/i/x".to_owned(), format!("{ada}0")];
    over.push(ada.to_uppercase().replace("/I/", "/i/"));
    invitations::withdraw(app, &Actor::Operator, id, &page, token.id).await.unwrap();
    over.push(ada.clone());
    let renewed = link(&world, "ada@example.edu").await;
    over.push(ada);
    Browser::new(&world).get(&renewed).await.expect(200);
    world.advance(89 * DAY);
    Browser::new(&world).get(&renewed).await.expect(200);
    world.advance(DAY);
    over.push(renewed);
    let mut bodies = Vec::new();
    for path in &over {
        let browser = Browser::new(&world);
        let seen = browser.get(path).await.expect(404);
        bodies.push(seen.body.replace(&browser.csrf(), ""));
        browser.get("/sign-in").await.expect(200);
        browser.post(path, &agreeing("Ada", "")).await.expect(404);
        browser.post(&format!("{path}/opened"), &[]).await.expect(404);
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert!(bodies[0].contains("href=\"/sign-in\""), "they can sign in: {}", bodies[0]);
    assert!(names(&world).await.is_empty());
}

#[tokio::test]
async fn the_proof_decides_between_institutions_with_the_same_id() {
    let world = World::new().await;
    let ada = link(&world, ADA).await;
    let neighbor = world.neighbor().await;
    // A copy of the row in the other institution.
    let copy = "INSERT INTO invitations (institution_id, id, name_page_id, email, email_key, first_name, generation, base_url, \
                created_at, expires_at) SELECT $1, id, $2, 'eve@example.edu', 'eve@example.edu', 'Eve', generation, base_url, \
                created_at, expires_at FROM invitations";
    execute(&world.app.db, copy, vec![neighbor.institution.id.into(), neighbor.page.id.into()]).await;
    let page = Browser::new(&world).get(&ada).await.expect(200).body;
    assert!(page.contains("Ada Lovelace") && !page.contains("Eve"), "{page}");
}

#[tokio::test]
async fn a_session_of_an_invitation_only_records() {
    let world = World::new().await;
    let other = world.page("Choir").await;
    let person = serde_json::json!({ "first_name": "Ada", "email": "ada@example.edu", "notes": "Private" });
    world.person_on(&other, person).await;
    let ada = link(&world, ADA).await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    browser.post(&ada, &agreeing("Ada", "Lovelace")).await.expect(303);
    let own = format!("/p/{}/own", world.page.slug);
    browser.get(&own).await.expect(200);
    for path in ["/me", "/me/delete", "/me/copy", "/me/legal-name"] {
        let seen = browser.get(path).await.expect(403);
        assert!(!seen.body.contains("Private") && !seen.body.contains("Choir"), "{}", seen.body);
    }
    browser.get(&own).await.expect(200);
    for path in ["/me/delete", "/me/handover", "/me/audience", "/me/details", "/me/search-engines"] {
        browser.post(path, &[]).await.expect(403);
    }
    let csrf = browser.csrf();
    let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    let sound = wav(1.0);
    let sent = browser.post_file("/me/recording", ("recording", &sound), &[("csrf", &csrf)], &headers).await;
    sent.expect(403);
    // Nor does a form that cannot be read show the other pages.
    for path in ["/me/recording", "/me/legal-name/recording", "/me/photo"] {
        let seen = browser.post_bare(path, &[], &headers).await.expect(403);
        assert!(!seen.body.contains("Private") && !seen.body.contains("Choir"), "{path}: {}", seen.body);
    }
    assert_eq!(count(&world, "media").await, 0);
    // It records for the page of the invitation alone, whatever the form says.
    let page = browser.get(&own).await.expect(200).body;
    assert!(page.contains("id=\"recorder\"") && !page.contains("name=\"only\""), "{page}");
    assert!(!page.contains("ada@example.edu") && !page.contains("data-who=\"\""), "{page}");
    let path = format!("{own}/recording");
    let sent = browser.post_file(&path, ("recording", &sound), &[("csrf", &csrf)], &headers).await;
    sent.redirects_to(&format!("{own}?done=recording"));
    let here = format!(
        "media m JOIN participants p ON p.institution_id = m.institution_id AND p.id = m.participant_id \
         WHERE m.kind = 'recording' AND p.name_page_id = {}",
        world.page.id
    );
    assert_eq!((count(&world, &here).await, count(&world, "media").await), (1, 1));
    // It is over after an hour, however often it is used.
    world.advance(59 * MINUTE);
    browser.get(&own).await.expect(200);
    world.advance(MINUTE);
    assert!(browser.session().await.is_none());
}

#[tokio::test]
async fn an_invitation_brings_no_recording_from_another_page() {
    let world = World::new().await;
    let choir = world.page("Choir").await;
    let person = serde_json::json!({ "first_name": "Ada", "email": "ada@example.edu" });
    let person = world.person_on(&choir, person).await;
    record(&world, &person, 440.0, Sharing::All).await;
    let ada = link(&world, ADA).await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    browser.post(&ada, &agreeing("Ada", "Lovelace")).await.expect(303);
    assert_eq!(names(&world).await, ["Ada||ada@example.edu", "Ada|Lovelace|ada@example.edu"]);
    assert_eq!(count(&world, "media").await, 1, "whoever has the link did not get to hear it");
}

#[tokio::test]
async fn a_session_is_for_the_pages_that_invite() {
    let world = World::new().await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let other = world.page("Choir").await;
    let ada = link(&world, ADA).await;
    let token = LinkToken::parse(ada.strip_prefix("/i/").unwrap()).unwrap();
    let person = PersonId { institution: id, email_key: "ada@example.edu".into() };
    assert!(invitations::admits(app, &person, world.page.id).await.unwrap());
    assert!(!invitations::admits(app, &person, other.id).await.unwrap());
    let stranger = PersonId { institution: id, email_key: "eve@example.edu".into() };
    assert!(!invitations::admits(app, &stranger, world.page.id).await.unwrap());
    invitations::withdraw(app, &Actor::Operator, id, &page, token.id).await.unwrap();
    assert!(!invitations::admits(app, &person, world.page.id).await.unwrap());
}

#[tokio::test]
async fn the_page_speaks_the_language_of_the_recipient() {
    let world = World::new().await;
    let german = endonym::app::invitations::Terms { language: Some(Language::German), ..by_links() };
    invite(&world, "ada@example.edu", &german).await;
    let ada = link(&world, "ada@example.edu").await;
    let lang = |page: &str| page.split("<html lang=\"").nth(1).unwrap()[..2].to_owned();
    let mut browser = Browser::new(&world);
    browser.headers.push(("accept-language", "fr".into()));
    assert_eq!(lang(&browser.get(&ada).await.expect(200).body), "de");
    // What the person has chosen before comes first, and the menu before everything.
    world.person("Ada", "ada@example.edu").await;
    let person = PersonId { institution: world.institution.id, email_key: "ada@example.edu".into() };
    languages::choose(&world.app, &Actor::Operator, person, Language::Arabic).await.unwrap();
    let page = browser.get(&ada).await.expect(200).body;
    assert_eq!(lang(&page), "ar");
    assert!(page.contains("dir=\"rtl\""));
    browser.post("/language", &[("language", "es"), ("return_to", &ada)]).await.redirects_to(&ada);
    assert_eq!(lang(&browser.get(&ada).await.expect(200).body), "es");
    // Without any of them, the browser's.
    let bea = link(&world, "bea@example.edu").await;
    let mut browser = Browser::new(&world);
    browser.headers.push(("accept-language", "fr".into()));
    assert_eq!(lang(&browser.get(&bea).await.expect(200).body), "fr");
}

#[tokio::test]
async fn a_closed_page_says_so_and_takes_nobody() {
    let world = World::new().await;
    let ada = link(&world, ADA).await;
    let browser = Browser::new(&world);
    browser.get(&ada).await.expect(200);
    let now = world.app.clock.now().micros();
    execute(&world.app.db, "UPDATE name_pages SET closes_at = $1", vec![now.into()]).await;
    let page = browser.get(&ada).await.expect(200).body;
    assert!(!page.contains("name=\"first_name\""), "{page}");
    let fresh = Browser::new(&world);
    fresh.get("/sign-in").await.expect(200);
    fresh.post(&ada, &agreeing("Ada", "")).await;
    assert!(names(&world).await.is_empty());
}

#[tokio::test]
async fn a_page_mail_is_of_no_use_once_its_recipient_has_recorded_or_is_out_of_reach() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    invite(&world, ADA, &by_mail()).await;
    let ada = link(&world, ADA).await;
    let token = LinkToken::parse(ada.strip_prefix("/i/").unwrap()).unwrap();
    let mail = async |generation| invitations::mail(app, id, token.id, generation).await.unwrap();
    let found = mail(Some(1)).await.unwrap();
    assert_eq!((found.path, found.name.as_deref()), (ada, Some("Ada Lovelace")));
    assert_eq!((found.page_title.as_str(), found.language), ("Class of 2027", Language::English));
    assert_eq!(found.to.as_given(), "ada@example.edu");
    assert!(mail(None).await.is_some() && mail(Some(2)).await.is_none());
    let neighbor = world.neighbor().await.institution.id;
    assert!(invitations::mail(app, neighbor, token.id, None).await.unwrap().is_none());
    for (on, off) in [
        (
            "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) SELECT institution_id, email_key, 1 FROM invitations",
            "DELETE FROM mail_opt_outs",
        ),
        (
            "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) SELECT institution_id, email_key, '550', 1 FROM invitations",
            "DELETE FROM mail_bounces",
        ),
        ("UPDATE name_pages SET archived_at = 1", "UPDATE name_pages SET archived_at = NULL"),
        ("UPDATE name_pages SET closes_at = 1", "UPDATE name_pages SET closes_at = NULL"),
        ("UPDATE invitations SET withdrawn_at = 1", "UPDATE invitations SET withdrawn_at = NULL"),
    ] {
        execute(&app.db, on, vec![]).await;
        assert!(mail(Some(1)).await.is_none(), "{on}");
        execute(&app.db, off, vec![]).await;
        assert!(mail(Some(1)).await.is_some(), "{off}");
    }
    let person = world.person("Ada", "ada@example.edu").await;
    assert!(mail(Some(1)).await.is_some(), "registered is not recorded");
    world.give(&person, Kind::Recording, b"sound").await;
    assert!(mail(Some(1)).await.is_none());
}
