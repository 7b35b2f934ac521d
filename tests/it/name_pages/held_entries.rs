//! Entries of strangers on pages with moderation: the whole entry waits for approval, and what they change after it does again. Every
//! entry can be reported.

use endonym::{
    app::{
        Actor,
        moderation::{self, Decision, Entry, Explanation, Listed, Outcome, Report, Target},
        name_pages,
        page_settings::Change,
        people_entry,
    },
    domain::{
        moderation::{About, CaseState, Complaint},
        name_page::NamePageRef,
        page_settings::{Listen, Moderation, Register},
        participant::{Draft, Given},
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ANA, entry, make_manager, number, set};
use crate::{
    me::Browser,
    support::{Answer, World, media::png},
};

const SLUG: &str = "class-of-2027";
const MALLORY: &str = "mallory@elsewhere.example";
/// What a stranger enters, and nobody may see.
const SECRET: &str = "Xylophonia";

/// A page that holds, where everybody registers and listens, with version 2 switched on.
async fn world() -> World {
    let world = World::new().await;
    crate::v2::open(&world, &world.page).await;
    hold(&world, Moderation::Hold).await;
    world.person("Ana", ANA).await;
    world
}

async fn hold(world: &World, moderation: Moderation) {
    let (register, listen, moderation) = (Some(Register::Open), Some(Listen::Link), Some(moderation));
    set(world, Change { register, listen, moderation, ..Change::default() }).await;
}

/// A stranger who has registered.
async fn stranger(world: &World) -> Browser<'_> {
    let browser = Browser::new(world);
    browser.register(world, SLUG, MALLORY, SECRET).await;
    browser
}

async fn open_cases(world: &World) -> Vec<Entry> {
    let page = NamePageRef::parse(SLUG);
    let (app, id) = (&world.app, world.institution.id);
    moderation::queue(app, &Actor::Operator, id, page.as_ref(), Listed::Open, None).await.unwrap().entries
}

async fn only_case(world: &World) -> Target {
    let open = open_cases(world).await;
    let [Entry { case, .. }] = &open[..] else { panic!("{} cases", open.len()) };
    assert_eq!(case.about, About::Entry);
    Target { case: case.id, page: Some(world.page.id), heard: Some(case.hex.clone()) }
}

async fn decide(world: &World, target: &Target, decision: Decision) -> Outcome {
    moderation::decide(&world.app, &Actor::Operator, world.institution.id, target, decision).await.unwrap()
}

fn because() -> Explanation {
    Explanation { reason: "Not your name.".to_owned(), base_url: "https://names.example.edu".to_owned() }
}

/// Everything that opens without a token of the institution.
async fn public_texts(world: &World, email: &str) -> Vec<(String, String)> {
    let person = entry(world, email).await;
    let code = &world.page.access_code;
    let badge = format!("/badges/{}/{}", world.institution.id, person.token);
    let paths = [
        format!("/p/{SLUG}/people"),
        format!("/p/{SLUG}/people/rows"),
        format!("/p/{SLUG}/people/print"),
        format!("/p/{SLUG}/people?search={SECRET}"),
        badge.clone(),
        format!("{badge}.vcf"),
        format!("/players/{}/{}", world.institution.id, person.token),
        format!("/api/private/v2/names?access_code={code}"),
        format!("/api/private/v2/names?access_code={code}&email={email}"),
    ];
    let mut all = Vec::new();
    for path in paths {
        let sent = world.client.get(format!("{}{path}", world.base)).send().await.unwrap();
        all.push((path, sent.text().await.unwrap()));
    }
    all
}

async fn is_seen(world: &World, email: &str, text: &str) -> Vec<String> {
    let texts = public_texts(world, email).await;
    // The search repeats what was searched for.
    let shows = |(path, body): &(String, String)| {
        let own = body.replace(&format!("value=\"{SECRET}\""), "");
        !path.contains("search=") && own.contains(text)
    };
    texts.iter().filter(|one| shows(one)).map(|(path, _)| path.clone()).collect()
}

async fn status(world: &World, path: &str) -> u16 {
    world.client.get(format!("{}{path}", world.base)).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn the_whole_entry_of_a_stranger_waits_and_so_does_what_they_change_later() {
    let world = world().await;
    let browser = stranger(&world).await;
    assert_eq!(is_seen(&world, MALLORY, SECRET).await, Vec::<String>::new());
    assert!(!is_seen(&world, ANA, "Ana").await.is_empty(), "the others are there");
    let token = entry(&world, MALLORY).await.token;
    for path in ["/badges", "/players"] {
        assert_eq!(status(&world, &format!("{path}/{}/{token}", world.institution.id)).await, 404, "{path}");
    }
    // A token of the institution reads everything.
    let read = world.get(&format!("/v5/participants?email_list={MALLORY}")).await.expect(200);
    assert!(read.to_string().contains(SECRET), "{read}");
    let own = browser.get(&format!("/p/{SLUG}/own")).await.expect(200).body;
    assert!(own.contains("Your entry is waiting for approval."), "{own}");
    let me = browser.get("/me").await.expect(200).body;
    assert!(me.contains("Your entry is waiting for approval."), "{me}");

    let first = only_case(&world).await;
    assert!(matches!(decide(&world, &first, Decision::Approve).await, Outcome::Done(_)));
    assert!(open_cases(&world).await.is_empty());
    assert!(is_seen(&world, MALLORY, SECRET).await.len() >= 5);
    let own = browser.get(&format!("/p/{SLUG}/own")).await.expect(200).body;
    assert!(!own.contains("waiting for approval"), "{own}");

    // The same again is no change.
    let details = format!("/p/{SLUG}/own/details");
    browser.post(&details, &[("first_name", SECRET)]).await.expect(303);
    assert!(open_cases(&world).await.is_empty());
    browser.post(&details, &[("first_name", SECRET), ("phonetic", "zy-lo")]).await.expect(303);
    assert_eq!(is_seen(&world, MALLORY, "zy-lo").await, Vec::<String>::new());
    let seen = only_case(&world).await;
    browser.post(&details, &[("first_name", SECRET), ("phonetic", "zy-lo-fo")]).await.expect(303);
    assert!(matches!(decide(&world, &seen, Decision::Approve).await, Outcome::Newer(_)), "unseen");
    assert_eq!(is_seen(&world, MALLORY, "zy-lo").await, Vec::<String>::new());
    decide(&world, &only_case(&world).await, Decision::Approve).await;
    assert!(!is_seen(&world, MALLORY, "zy-lo-fo").await.is_empty());
}

#[tokio::test]
async fn the_link_of_a_strangers_photo_is_dead_until_a_manager_has_approved_it() {
    let world = world().await;
    let browser = stranger(&world).await;
    decide(&world, &only_case(&world).await, Decision::Approve).await;
    browser.get("/me").await.expect(200);
    let csrf = browser.csrf();
    let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    let sent = browser.post_file("/me/photo", ("photo", &png()), &[("csrf", &csrf)], &headers).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let hex = entry(&world, MALLORY).await.photo.unwrap();
    let links = ["", "_128"].map(|size| format!("/photos/{}/photo_{hex}{size}.jpg", world.institution.id));
    for link in &links {
        assert_eq!(status(&world, link).await, 404, "{link}");
    }
    // The person and the managers see it.
    assert_eq!(browser.file("/me/photo", &[]).await.0, 200);
    assert_eq!(browser.file(&format!("/p/{SLUG}/own/photo"), &[]).await.0, 200);
    make_manager(&world, "manager@example.edu").await;
    let case = only_case(&world).await;
    let actor = Actor::Operator;
    let (app, id) = (&world.app, world.institution.id);
    let picture = moderation::picture(app, &actor, id, Some(world.page.id), case.case).await.unwrap();
    assert!(picture.starts_with(b"\xff\xd8"));
    assert!(moderation::sound(app, &actor, id, Some(world.page.id), case.case).await.is_err());
    assert_eq!(browser.file(&format!("/p/{SLUG}/moderation/{}/photo", case.case), &[]).await.0, 404);
    decide(&world, &case, Decision::Approve).await;
    for link in &links {
        assert_eq!(status(&world, link).await, 200, "{link}");
    }
}

#[tokio::test]
async fn people_whom_the_institution_knows_do_not_wait() {
    let world = world().await;
    // Somebody whose address belongs to the page.
    let domains = Some(vec!["example.edu".to_owned()]);
    set(&world, Change { domains, ..Change::default() }).await;
    let browser = Browser::new(&world);
    browser.register(&world, SLUG, "bo@example.edu", "Bo").await;
    assert!(open_cases(&world).await.is_empty());
    assert!(!is_seen(&world, "bo@example.edu", "Bo").await.is_empty());
    // Nor where nothing is held.
    hold(&world, Moderation::Off).await;
    stranger(&world).await;
    assert!(open_cases(&world).await.is_empty());
    assert!(!is_seen(&world, MALLORY, SECRET).await.is_empty());
    // What an API client changes is the institution's word.
    hold(&world, Moderation::Hold).await;
    let id = entry(&world, MALLORY).await.id;
    let draft = Draft { phonetic: Given::Set("zy-lo".to_owned()), ..Draft::default() };
    let version =
        people_entry::find(&world.app, &Actor::Operator, world.institution.id, id).await.unwrap().version;
    people_entry::update(&world.app, &Actor::Operator, world.institution.id, (id, version), draft)
        .await
        .unwrap();
    assert!(open_cases(&world).await.is_empty());
}

#[tokio::test]
async fn a_rejected_entry_stays_hidden_its_owner_reads_why_and_a_change_waits_again() {
    let world = world().await;
    let browser = stranger(&world).await;
    let case = only_case(&world).await;
    decide(&world, &case, Decision::Reject(because())).await;
    assert_eq!(is_seen(&world, MALLORY, SECRET).await, Vec::<String>::new());
    let own = browser.get(&format!("/p/{SLUG}/own")).await.expect(200).body;
    assert!(own.contains("Your entry was not accepted.") && own.contains("Not your name."), "{own}");
    assert_eq!(number(&world, "SELECT COUNT(*) FROM outbox WHERE message LIKE '%entry_rejection%'").await, 1);
    // It is not forgotten while the entry is hidden.
    world.advance(std::time::Duration::from_secs(40 * 24 * 3_600));
    moderation::purge(&world.app).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM entry_cases WHERE state = 'rejected'").await, 1);
    let browser = Browser::new(&world);
    browser.prove(&world, SLUG, MALLORY, None).await.expect(200);
    browser.post(&format!("/p/{SLUG}/own/details"), &[("first_name", "Mal")]).await.expect(303);
    let changed = only_case(&world).await;
    assert_eq!(number(&world, "SELECT COUNT(*) FROM entry_cases").await, 1, "one case");
    decide(&world, &changed, Decision::Approve).await;
    assert!(!is_seen(&world, MALLORY, "Mal").await.is_empty());
    // An approval by mistake is taken back, and that, too.
    decide(&world, &changed, Decision::Remove(because())).await;
    assert_eq!(is_seen(&world, MALLORY, "Mal").await, Vec::<String>::new());
    let restored = decide(&world, &changed, Decision::Restore).await;
    assert!(matches!(restored, Outcome::Done(case) if case.state == CaseState::Restored));
    assert!(!is_seen(&world, MALLORY, "Mal").await.is_empty());
}

#[tokio::test]
async fn every_entry_can_be_reported_and_removed() {
    let world = world().await;
    let public = name_pages::public(&world.app, SLUG).await.unwrap();
    let page = world.client.get(format!("{}/p/{SLUG}/people", world.base)).send().await.unwrap();
    let page = page.text().await.unwrap();
    // Without a recording, too.
    let form = page.split('"').find(|part| part.ends_with("/report")).expect("a link").to_owned();
    assert_eq!(status(&world, &form).await, 200);
    let ana = entry(&world, ANA).await;
    for sentence in ["Rude", "Very rude"] {
        let report = Report { about: None, complaint: Complaint::Offensive, sentence };
        moderation::report(&world.app, &public, &ana, report, None).await.unwrap();
    }
    let case = only_case(&world).await;
    let [Entry { case: found, .. }] = &open_cases(&world).await[..] else { panic!("one case") };
    assert_eq!((found.reports, found.sentence.as_deref()), (2, Some("Rude\nVery rude")));
    decide(&world, &case, Decision::Remove(because())).await;
    assert_eq!(is_seen(&world, ANA, "Ana").await, Vec::<String>::new());
    // A hidden entry is not reported again, and asked for nothing.
    let report = Report { about: Some(About::Entry), complaint: Complaint::Offensive, sentence: "x" };
    assert!(moderation::report(&world.app, &public, &entry(&world, ANA).await, report, None).await.is_err());
    assert_eq!(status(&world, &form).await, 404);
    decide(&world, &case, Decision::Restore).await;
    assert!(!is_seen(&world, ANA, "Ana").await.is_empty());
}

#[tokio::test]
async fn held_entries_follow_merges_and_copies_and_are_erased() {
    let world = world().await;
    stranger(&world).await;
    let held = entry(&world, MALLORY).await;
    let copy = endonym::app::page_copies::PeopleCopy {
        institution: world.institution.id,
        from: world.page.id,
        to: world.page("Choir").await.id,
    };
    endonym::app::page_copies::run(&world.app, copy).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM participants WHERE held").await, 2);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM entry_cases WHERE state = 'open'").await, 2);
    let (own, other) = (entry(&world, ANA).await.id, held.id);
    let (id, page) = (world.institution.id, world.page.id);
    let now = world.app.clock.now();
    world
        .app
        .db
        .write::<_, endonym::store::Error>(move |sql| {
            Box::pin(async move {
                endonym::store::moderation::merge_entries(sql, id, (own, other), page, now).await
            })
        })
        .await
        .unwrap();
    assert!(entry(&world, ANA).await.is_held, "nobody has approved what she got");
    let of_ana = format!("SELECT COUNT(*) FROM entry_cases WHERE participant_id = {own}");
    assert_eq!(number(&world, &of_ana).await, 1);
    for email in [ANA, MALLORY] {
        let later = endonym::app::persons::Rewrite::Later;
        endonym::app::persons::erase(&world.app, &Actor::Operator, id, email.to_owned(), later)
            .await
            .unwrap();
    }
    assert_eq!(number(&world, "SELECT COUNT(*) FROM entry_cases").await, 0);
}

#[tokio::test]
async fn the_command_line_and_the_console_list_entries() {
    let world = world().await;
    stranger(&world).await;
    make_manager(&world, "manager@example.edu").await;
    let manager = crate::console::member_with(&world, endonym::domain::member::Role::Admin, &[]).await;
    let path = format!("/console/{}/moderation", world.institution.slug);
    let page = manager.get(&path).await.expect(200).body;
    assert!(page.contains(SECRET) && page.contains("This is about the whole entry"), "{page}");
    let case = only_case(&world).await;
    let heard = case.heard.clone().unwrap();
    let fields = [("decision", "approve"), ("heard", heard.as_str())];
    let done = format!("{path}?done=approve&about=entry");
    manager.post(&format!("{path}/{}", case.case), &fields).await.redirects_to(&done);
    let told = manager.get(&done).await.expect(200).body;
    assert!(told.contains("Others can see the entry now."), "{told}");
    let third = format!(
        "/v3/names?auth_token={}&access_code={}&email={MALLORY}",
        world.token, world.page.access_code
    );
    let third = Answer::of(world.request_without_token(Method::GET, &third)).await.expect(200);
    assert_eq!(third["data"].as_array().map(Vec::len), Some(1), "{third}");
    assert_ne!(third["data"], json!([Value::Null]));
}
