//! Moderation of a name page: held recordings, reports, what managers decide, and what is left of it.

use std::time::Duration;

use endonym::{
    app::{
        Actor, Error, Missing, audiences, consents,
        imports::{self, CallPolicy},
        media as app_media, members,
        moderation::{self, Decision, Entry, Explanation, Listed, Outcome, Report, Reported, Target},
        name_pages,
        own_recordings::Sharing,
        page_exports::Format,
        page_settings, participants, persons, sign_in,
    },
    domain::{
        access::Access,
        audience::Audience,
        client_address::Client,
        email::Email,
        fault::Fault,
        ids::{InstitutionId, ModerationId},
        member::Role,
        moderation::{About, CaseKind, CaseState, Complaint, LONGEST, REASON},
        name_page::{NamePage, NamePageRef},
        page_settings::Moderation,
        participant::Participant,
        session::PersonId,
    },
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    me::Browser,
    own_recordings::{heard, record, start_with_newest},
    page_exports::export,
    support::{
        Answer, World, browser,
        database::execute,
        import::import,
        media::{file, files, wav, wav_of},
        until,
    },
};

const ANA: &str = "ana@example.edu";
const MANAGER: &str = "manager@example.edu";
const DAY: Duration = Duration::from_secs(24 * 3_600);
const BASE: &str = "https://names.example.edu";

fn page_ref(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

async fn moderate(world: &World, page: &NamePage, moderation: Moderation) {
    let change = page_settings::Change { moderation: Some(moderation), ..Default::default() };
    let (app, id) = (&world.app, world.institution.id);
    page_settings::update(app, &Actor::Operator, id, &page_ref(page), change).await.unwrap();
}

/// A page that holds new recordings, and Ana on it.
async fn world() -> (World, Value) {
    let world = World::new().await;
    moderate(&world, &world.page, Moderation::Hold).await;
    let ana = world.person("Ana", ANA).await;
    (world, ana)
}

async fn queue(world: &World, listed: Listed) -> Vec<Entry> {
    let page = page_ref(&world.page);
    let (app, id) = (&world.app, world.institution.id);
    moderation::queue(app, &Actor::Operator, id, Some(&page), listed, None).await.unwrap().entries
}

async fn only_case(world: &World) -> Target {
    let mut open = queue(world, Listed::Open).await;
    assert_eq!(open.len(), 1);
    let case = open.pop().unwrap().case;
    Target { case: case.id, page: Some(world.page.id), heard: Some(case.hex) }
}

async fn decide(world: &World, target: &Target, decision: Decision) -> endonym::app::Result<Outcome> {
    moderation::decide(&world.app, &Actor::Operator, world.institution.id, target, decision).await
}

fn because(reason: &str) -> Explanation {
    Explanation { reason: reason.to_owned(), base_url: BASE.to_owned() }
}

async fn approve(world: &World, target: &Target) -> Outcome {
    decide(world, target, Decision::Approve).await.unwrap()
}

async fn reject(world: &World, target: &Target) -> Outcome {
    decide(world, target, Decision::Reject(because("There is music."))).await.unwrap()
}

async fn remove(world: &World, target: &Target) -> Outcome {
    decide(world, target, Decision::Remove(because("That is not her."))).await.unwrap()
}

async fn restore(world: &World, target: &Target) -> endonym::app::Result<Outcome> {
    decide(world, target, Decision::Restore).await
}

fn is_done(outcome: &Outcome, state: CaseState) -> bool {
    matches!(outcome, Outcome::Done(case) if case.state == state)
}

/// Ana's record in version 4.
async fn shown(world: &World) -> Value {
    let path = format!("/v4/name_pages/{}/participants/{ANA}", world.page.slug);
    world.get(&path).await.expect(200)["participant"].clone()
}

async fn status(link: &str) -> u16 {
    let none = reqwest::redirect::Policy::none();
    let client = reqwest::Client::builder().no_proxy().redirect(none).build().unwrap();
    client.get(link).send().await.unwrap().status().as_u16()
}

async fn link_of(world: &World, target: &Target) -> String {
    let hex = target.heard.as_deref().unwrap();
    format!("{}/audio/{}/recording_{hex}.mp3", world.base, world.institution.id)
}

async fn number(world: &World, text: &str) -> i64 {
    world.app.db.read().one(text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

async fn nothing_is_left_over(world: &World) {
    let swept = app_media::sweep(&world.app, &Actor::Operator, Duration::ZERO, true).await.unwrap();
    assert_eq!(swept.removed, 0, "{swept:?}");
}

async fn signed_in<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    let life = Duration::from_secs(600);
    let made = sign_in::operator_link(&world.app, &Actor::Operator, institution, email, life, &world.base);
    let browser = Browser::new(world);
    browser.follow(&made.await.unwrap().0).await.redirects_to("/me");
    browser
}

async fn member(world: &World, email: &str, role: Role, pages: &[&NamePage]) {
    let pages = pages.iter().map(|page| page_ref(page)).collect();
    let (app, id, email) = (&world.app, world.institution.id, Email::parse(email).unwrap());
    members::set(app, &Actor::Operator, id, email, role, pages).await.unwrap();
}

async fn manager(world: &World) -> Browser<'_> {
    member(world, MANAGER, Role::Manager, &[&world.page]).await;
    signed_in(world, world.institution.id, MANAGER).await
}

async fn entry(world: &World, person: &Value) -> Participant {
    let token = World::registration_token(person);
    participants::by_token(&world.app, world.institution.id, &token).await.unwrap()
}

async fn report(world: &World, ana: &Value, complaint: Complaint, sentence: &str) -> Reported {
    let public = name_pages::public(&world.app, &world.page.slug).await.unwrap();
    let ana = entry(world, ana).await;
    let report = Report { about: None, complaint, sentence };
    moderation::report(&world.app, &public, &ana, report, None).await.unwrap()
}

/// Long lines of vCards are folded.
fn unfolded(text: &str) -> String {
    text.replace("\r\n ", "")
}

#[tokio::test]
async fn a_held_recording_is_heard_by_nobody_else_and_by_everybody_once_it_is_approved() {
    let (world, ana) = world().await;
    crate::v2::open(&world, &world.page).await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let (code, token) = (&world.page.access_code, &world.token);
    let link = link_of(&world, &target).await;
    let listener = signed_in(&world, world.institution.id, ANA).await;

    let check = async |is_heard: bool| {
        let latest = world.get(&format!("/v5/participants/latest?tokens={ANA}")).await.expect(200);
        let third = format!("/v3/names?auth_token={token}&access_code={code}&email={ANA}");
        let third = Answer::of(world.request_without_token(Method::GET, &third)).await.expect(200);
        let second = format!("/v2/names?access_code={code}&email={ANA}");
        let second = Answer::of(world.request_without_token(Method::GET, &second)).await.expect(200);
        for body in [latest, shown(&world).await, third, second] {
            assert_eq!(body.to_string().contains(&link), is_heard, "{body}");
            assert_eq!(body.to_string().contains("/audio/"), is_heard, "{body}");
        }
        let badge = ana["name_badge_link"].as_str().unwrap();
        let (player, card) = (badge.replace("/badges/", "/players/"), format!("{badge}.vcf"));
        for page in [badge, &player, &card] {
            let text = world.client.get(page).send().await.unwrap().text().await.unwrap();
            assert_eq!(unfolded(&text).contains("/audio/"), is_heard, "{page}: {text}");
        }
        for below in ["", "/rows", "/print"] {
            let page = listener.get(&format!("/p/{}/people{below}", world.page.slug)).await.expect(200);
            assert!(page.body.contains("Ana"), "{below}: {}", page.body);
            let shown = if below == "/print" { "✓" } else { "/audio/" };
            assert_eq!(page.body.contains(shown), is_heard, "{below}: {}", page.body);
        }
        for (format, shown) in [(Format::Csv, "/audio/"), (Format::Vcard, "/audio/"), (Format::Zip, ".mp3")] {
            let file = export(&world, format).await.unwrap();
            let text = String::from_utf8_lossy(&file);
            assert_eq!(unfolded(&text).contains(shown), is_heard, "{format:?}: {text}");
        }
        assert_eq!(status(&link).await, if is_heard { 200 } else { 404 });
    };
    check(false).await;
    let [Entry { case, person, .. }] = &queue(&world, Listed::Open).await[..] else { panic!("one case") };
    assert_eq!(
        (case.kind, case.state, person.email.as_deref()),
        (CaseKind::Held, CaseState::Open, Some(ANA))
    );
    nothing_is_left_over(&world).await;

    let outcome = approve(&world, &target).await;
    assert!(is_done(&outcome, CaseState::Approved), "{outcome:?}");
    check(true).await;
    assert!(queue(&world, Listed::Open).await.is_empty());
    let [Entry { case, .. }] = &queue(&world, Listed::Decided).await[..] else { panic!("one case") };
    assert_eq!((case.decided_by.as_deref(), case.decided_at.is_some()), (Some("operator"), true));
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn the_earlier_recording_is_heard_until_the_new_one_is_approved_and_its_link_leads_on() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    approve(&world, &only_case(&world).await).await;
    let first = shown(&world).await;
    let (old, sound) = (first["recording_link"].as_str().unwrap().to_owned(), heard(&world, &first).await);

    record(&world, &ana, 220.0, Sharing::All).await;
    let target = only_case(&world).await;
    assert_eq!(shown(&world).await, first, "not even the time of the last change");
    assert_eq!((status(&old).await, status(&link_of(&world, &target).await).await), (200, 404));

    approve(&world, &target).await;
    assert_eq!((status(&old).await, status(&link_of(&world, &target).await).await), (302, 200));
    assert_ne!(heard(&world, &shown(&world).await).await, sound);
    assert_eq!(heard(&world, &first).await, heard(&world, &shown(&world).await).await);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn a_new_take_replaces_the_one_in_the_queue_and_is_not_approved_unheard() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let first = only_case(&world).await;
    record(&world, &ana, 220.0, Sharing::All).await;
    let second = only_case(&world).await;
    assert_eq!(first.case, second.case, "one case");
    assert_ne!(first.heard, second.heard);
    assert_eq!(number(&world, "SELECT COUNT(*) FROM media").await, 1);
    nothing_is_left_over(&world).await;

    for outcome in [approve(&world, &first).await, reject(&world, &first).await] {
        assert!(matches!(outcome, Outcome::Newer(_)), "{outcome:?}");
    }
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    assert!(is_done(&approve(&world, &second).await, CaseState::Approved));
}

#[tokio::test]
async fn an_older_take_does_not_replace_what_the_api_has_set_since() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    world.advance(Duration::from_secs(1));
    let change =
        json!({ "name_page_id": world.page.slug, "participant": { "pronunciation": file(wav(1.0)) } });
    world.put(&format!("/v5/participants/{ANA}"), change).await.expect(200);
    let set = shown(&world).await;
    assert!(set["recording_link"].is_string());

    let outcome = approve(&world, &target).await;
    assert!(matches!(outcome, Outcome::Newer(_)), "{outcome:?}");
    assert_eq!(shown(&world).await, set);
    assert_eq!(only_case(&world).await, target, "the take still waits");
    // A newer take is approved as always.
    world.advance(Duration::from_secs(1));
    record(&world, &ana, 220.0, Sharing::ThisPage).await;
    assert!(is_done(&approve(&world, &only_case(&world).await).await, CaseState::Approved));
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn of_two_managers_at_once_the_second_is_told() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let (one, other) = tokio::join!(approve(&world, &target), reject(&world, &target));
    let done = [&one, &other].into_iter().filter(|outcome| matches!(outcome, Outcome::Done(_))).count();
    let told = [&one, &other].into_iter().filter(|outcome| matches!(outcome, Outcome::Decided(_))).count();
    assert_eq!((done, told), (1, 1), "{one:?} {other:?}");
    let is_heard = shown(&world).await["recording_link"].is_string();
    assert_eq!(is_heard, is_done(&one, CaseState::Approved));
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn a_rejection_needs_a_reason_which_the_person_receives_once() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let (app, id) = (&world.app, world.institution.id);
    let long = "x".repeat(LONGEST + 1);
    for (reason, wanted) in [
        ("", Fault::Blank),
        (" \n\u{200b}", Fault::Blank),
        (long.as_str(), Fault::TooLong { most: LONGEST }),
        ("a\0b", Fault::ControlCharacter),
    ] {
        let outcome = decide(&world, &target, Decision::Reject(because(reason))).await;
        let Err(Error::Invalid(errors)) = outcome else { panic!("{reason:?}: {outcome:?}") };
        let found: Vec<_> = errors.iter().collect();
        assert_eq!(found, [(&REASON, &[wanted][..])]);
    }
    assert!(is_done(&reject(&world, &target).await, CaseState::Rejected));
    assert!(matches!(reject(&world, &target).await, Outcome::Decided(_)));
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    assert_eq!(status(&link_of(&world, &target).await).await, 404);
    let sent =
        "SELECT COUNT(*) FROM outbox WHERE message LIKE '%\"rejection\"%' AND name_page_id IS NOT NULL";
    assert_eq!(number(&world, sent).await, 1);
    let mail = moderation::rejection_mail(app, id, target.case).await.unwrap().unwrap();
    assert_eq!((mail.to.key(), mail.name.as_deref()), (ANA, Some("Ana")));
    assert_eq!(mail.reason.as_deref(), Some("There is music."));
    assert_eq!(mail.link, format!("/p/{}/own", world.page.slug));
    // Their own page says it, too, until they record again, and so does the one that the link leads to.
    world.agree(id, ANA).await;
    let own = signed_in(&world, id, ANA).await;
    let paths = ["/me", mail.link.as_str()];
    for path in paths {
        let page = own.get(path).await.expect(200);
        assert!(page.body.contains("There is music."), "{path}: {}", page.body);
    }
    record(&world, &ana, 220.0, Sharing::All).await;
    for path in paths {
        let page = own.get(path).await.expect(200);
        assert!(
            !page.body.contains("There is music.") && page.body.contains("is waiting for approval."),
            "{path}: {}",
            page.body
        );
    }
}

#[tokio::test]
async fn what_was_rejected_or_removed_can_be_restored_unless_there_is_a_newer_recording() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let first = only_case(&world).await;
    reject(&world, &first).await;
    nothing_is_left_over(&world).await;
    assert!(is_done(&restore(&world, &first).await.unwrap(), CaseState::Restored));
    assert_eq!(status(&link_of(&world, &first).await).await, 200);
    let mail = moderation::rejection_mail(&world.app, world.institution.id, first.case).await.unwrap();
    assert!(mail.is_none(), "there is nothing to say any more");
    assert!(matches!(restore(&world, &first).await.unwrap(), Outcome::Decided(_)), "twice");

    // Removed although it was accepted. Rejected twice: each of them can be restored.
    world.advance(Duration::from_secs(1));
    assert!(is_done(&remove(&world, &first).await, CaseState::Removed));
    assert_eq!(status(&link_of(&world, &first).await).await, 404);
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    let told =
        "SELECT COUNT(*) FROM outbox WHERE message LIKE '%\"rejection\"%' AND name_page_id IS NOT NULL";
    assert_eq!(number(&world, told).await, 2, "each decision is told");
    world.advance(Duration::from_secs(1));
    record(&world, &ana, 220.0, Sharing::All).await;
    let second = only_case(&world).await;
    reject(&world, &second).await;
    nothing_is_left_over(&world).await;
    assert!(is_done(&restore(&world, &second).await.unwrap(), CaseState::Restored));
    assert_eq!(status(&link_of(&world, &second).await).await, 200);
    let outcome = restore(&world, &first).await.unwrap();
    assert!(matches!(outcome, Outcome::Newer(_)), "{outcome:?}");
    assert_eq!(status(&link_of(&world, &second).await).await, 200);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn after_thirty_days_bytes_and_rows_are_gone() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    reject(&world, &target).await;
    let kept = files(world.folder.path()).len();
    world.advance(29 * DAY);
    assert_eq!(moderation::purge(&world.app).await.unwrap(), 0);
    assert_eq!(files(world.folder.path()).len(), kept);
    assert_eq!(queue(&world, Listed::Decided).await.len(), 1);
    world.advance(DAY);
    assert_eq!(moderation::purge(&world.app).await.unwrap(), 1);
    assert!(files(world.folder.path()).len() < kept);
    for table in ["media", "moderation"] {
        assert_eq!(number(&world, &format!("SELECT COUNT(*) FROM {table}")).await, 0, "{table}");
    }
    let outcome = restore(&world, &target).await;
    assert!(matches!(outcome, Err(Error::Missing(Missing::Recording))), "{outcome:?}");
}

#[tokio::test]
async fn the_periodic_job_purges_and_what_is_heard_stays() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    approve(&world, &target).await;
    record(&world, &ana, 220.0, Sharing::All).await;
    reject(&world, &only_case(&world).await).await;
    world.work(1);
    until("the job is scheduled", || async {
        number(&world, "SELECT COUNT(*) FROM jobs WHERE kind = 'purge_moderation'").await == 1
    })
    .await;
    world.advance(31 * DAY);
    until("the cases are deleted", || async { number(&world, "SELECT COUNT(*) FROM moderation").await == 0 })
        .await;
    assert_eq!(number(&world, "SELECT COUNT(*) FROM media").await, 1);
    assert_eq!(status(&link_of(&world, &target).await).await, 200);
}

/// Ana has a recording that is heard, one that is held, and one that was rejected.
async fn with_all() -> (World, Value) {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    approve(&world, &only_case(&world).await).await;
    record(&world, &ana, 180.0, Sharing::All).await;
    reject(&world, &only_case(&world).await).await;
    record(&world, &ana, 220.0, Sharing::All).await;
    assert_eq!(number(&world, "SELECT COUNT(*) FROM media").await, 3);
    let sounds = files(world.folder.path()).iter().filter(|name| name.contains("recordings")).count();
    assert_eq!(sounds, 3);
    (world, ana)
}

async fn nothing_is_kept(world: &World) {
    for table in ["media", "moderation", "replaced_recordings"] {
        assert_eq!(number(world, &format!("SELECT COUNT(*) FROM {table}")).await, 0, "{table}");
    }
    let left = files(world.folder.path());
    assert!(!left.iter().any(|name| name.contains("recordings") || name.contains("originals")), "{left:?}");
}

#[tokio::test]
async fn what_its_owner_deletes_is_gone_at_once() {
    let (world, _) = with_all().await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let actor = Actor::Person(person.clone());
    let target = only_case(&world).await;
    endonym::app::own_person::delete_recording(&world.app, &actor, &person, None).await.unwrap();
    nothing_is_kept(&world).await;
    let outcome = decide(&world, &target, Decision::Approve).await;
    assert!(matches!(outcome, Err(Error::Missing(Missing::Recording))), "{outcome:?}");
}

#[tokio::test]
async fn whoever_withdraws_their_consent_leaves_nothing() {
    let (world, _) = with_all().await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let actor = Actor::Person(person.clone());
    consents::withdraw(&world.app, &actor, &person, consents::Withdrawal::Delete).await.unwrap();
    nothing_is_kept(&world).await;
}

#[tokio::test]
async fn what_the_api_deletes_is_gone_at_once() {
    let (world, _) = with_all().await;
    let link = shown(&world).await["recording_link"].as_str().unwrap().to_owned();
    let hex = link.rsplit_once("recording_").unwrap().1.trim_end_matches(".mp3").to_owned();
    let access = Access::whole(world.institution.id);
    endonym::app::pronunciations::delete(&world.app, &access, ANA.to_owned(), hex).await.unwrap();
    nothing_is_kept(&world).await;

    let (world, _) = with_all().await;
    let body = json!({ "name_page_id": world.page.slug });
    world.delete(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    nothing_is_kept(&world).await;
}

#[tokio::test]
async fn erasing_a_person_and_deleting_a_page_delete_what_is_held_and_removed() {
    let (world, _) = with_all().await;
    let (app, id) = (&world.app, world.institution.id);
    name_pages::delete(app, &Actor::Operator, id, &page_ref(&world.page)).await.unwrap();
    nothing_is_kept(&world).await;

    let (world, _) = with_all().await;
    let (app, id) = (&world.app, world.institution.id);
    let erased = persons::erase(app, &Actor::Operator, id, ANA.to_owned(), persons::Rewrite::Later).await;
    assert!(erased.is_ok(), "{:?}", erased.err());
    nothing_is_kept(&world).await;
}

#[tokio::test]
async fn a_member_who_is_erased_is_forgotten_as_the_one_who_decided() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    reject(&world, &only_case(&world).await).await;
    member(&world, "Manager@Example.edu", Role::Manager, &[&world.page]).await;
    execute(&world.app.db, "UPDATE moderation SET decided_by = 'Manager@Example.edu'", Vec::new()).await;
    let (app, id, later) = (&world.app, world.institution.id, persons::Rewrite::Later);
    persons::erase(app, &Actor::Operator, id, MANAGER.to_owned(), later).await.unwrap();
    let anonymous = "SELECT COUNT(*) FROM moderation WHERE decided_by IS NULL";
    assert_eq!(number(&world, anonymous).await, 1);
}

#[tokio::test]
async fn the_own_copy_has_every_recording_and_not_who_decided() {
    let (world, _) = with_all().await;
    let export = persons::export(&world.app, &Actor::Operator, &world.institution, ANA.to_owned()).await;
    let export = export.unwrap();
    let sounds = export.files.iter().filter(|file| file.name.starts_with("recordings/")).count();
    assert_eq!(sounds, 3);
    let about = export.about.to_string();
    assert!(about.contains("There is music.") && !about.contains("decided_by"), "{about}");
}

#[tokio::test]
async fn a_pause_and_a_return_to_the_course_show_nothing_that_is_held() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let choose = async |audience| {
        audiences::choose(&world.app, &Actor::Operator, person.clone(), audience).await.unwrap();
    };
    choose(Audience::Paused).await;
    choose(Audience::Public).await;
    assert_eq!(status(&link_of(&world, &target).await).await, 404);
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    // It is not approved while it is paused.
    choose(Audience::Paused).await;
    let outcome = approve(&world, &target).await;
    assert!(matches!(outcome, Outcome::Silenced(_)), "{outcome:?}");
    assert_eq!(status(&link_of(&world, &target).await).await, 404);
    choose(Audience::Public).await;
    assert_eq!(status(&link_of(&world, &target).await).await, 404);
    approve(&world, &target).await;
    assert_eq!(status(&link_of(&world, &target).await).await, 200);
}

#[tokio::test]
async fn what_institutions_give_is_not_held_and_copies_of_what_people_made_are() {
    let (world, _) = world().await;
    let given = json!({ "first_name": "Bea", "email": "bea@example.edu", "pronunciation": file(wav(1.0)) });
    assert!(world.person_on(&world.page, given).await["recording_link"].is_string());
    assert!(queue(&world, Listed::Open).await.is_empty());

    // Recorded where nothing is held, and then registered here.
    start_with_newest(&world, true).await;
    let open = world.page("Open").await;
    let cem = json!({ "first_name": "Cem", "email": "cem@example.edu" });
    let there = world.person_on(&open, cem.clone()).await;
    record(&world, &there, 150.0, Sharing::All).await;
    assert_eq!(world.person_on(&world.page, cem).await["recording_link"], Value::Null);
    let dan = endonym::domain::participant::Draft {
        first_name: endonym::domain::participant::Given::Set("Dan".into()),
        email: endonym::domain::participant::Given::Set(Email::parse("dan@example.edu").unwrap()),
        ..Default::default()
    };
    let there = world.person_on(&open, json!({ "first_name": "Dan", "email": "dan@example.edu" })).await;
    record(&world, &there, 170.0, Sharing::All).await;
    let target = (world.institution.id, world.page.id);
    import(&world.app, target, vec![dan], CallPolicy::Nobody, false).await;
    let held: Vec<_> =
        queue(&world, Listed::Open).await.into_iter().map(|one| one.person.full_name()).collect();
    assert_eq!(held, ["Cem", "Dan"]);
    nothing_is_left_over(&world).await;
}

/// Their recording waits for approval, which does not change their entry.
#[tokio::test]
async fn an_import_is_not_undone_after_somebody_whom_it_brought_has_recorded() {
    let (world, _) = world().await;
    let open = world.page("Open").await;
    let draft = |name: &str| endonym::domain::participant::Draft {
        first_name: endonym::domain::participant::Given::Set(name.to_owned()),
        email: endonym::domain::participant::Given::Set(
            Email::parse(&format!("{name}@example.edu")).unwrap(),
        ),
        ..Default::default()
    };
    let undo = async || {
        let (institution, page) = (world.institution.id, world.page.id);
        imports::undo(&world.app, &Actor::Operator, institution, page).await.unwrap()
    };
    let target = (world.institution.id, world.page.id);
    // What comes along with the import does not stand in its way.
    start_with_newest(&world, true).await;
    let cem = world.person_on(&open, json!({ "first_name": "Cem", "email": "cem@example.edu" })).await;
    record(&world, &cem, 150.0, Sharing::All).await;
    world.advance(Duration::from_secs(60));
    import(&world.app, target, vec![draft("cem")], CallPolicy::Nobody, false).await;
    assert_eq!(queue(&world, Listed::Open).await.len(), 1);
    assert!(matches!(undo().await, imports::Undone::Done { deleted: 1, .. }));

    import(&world.app, target, vec![draft("dan")], CallPolicy::Nobody, false).await;
    world.advance(Duration::from_secs(60));
    let path = format!("/v4/name_pages/{}/participants/dan@example.edu", world.page.slug);
    let dan = world.get(&path).await.expect(200)["participant"].clone();
    record(&world, &dan, 170.0, Sharing::All).await;
    assert_eq!(queue(&world, Listed::Open).await.len(), 1);
    let refused = undo().await;
    assert!(matches!(&refused, imports::Undone::Changed(names) if names.len() == 1), "{refused:?}");
    world.get(&path).await.expect(200);
}

#[tokio::test]
async fn a_recording_for_all_pages_is_held_only_where_the_page_wants_it() {
    let (world, ana) = world().await;
    let open = world.page("Open").await;
    world.person_on(&open, json!({ "first_name": "Ana", "email": ANA })).await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let path = format!("/v4/name_pages/{}/participants/{ANA}", open.slug);
    let there = world.get(&path).await.expect(200)["participant"].clone();
    assert!(there["recording_link"].is_string());
    assert_eq!(shown(&world).await["recording_link"], Value::Null);

    // What is made for this page only stays, even while it waits.
    record(&world, &ana, 180.0, Sharing::ThisPage).await;
    let only_here = only_case(&world).await;
    record(&world, &there, 220.0, Sharing::All).await;
    assert_eq!(only_case(&world).await, only_here);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn without_moderation_nothing_new_is_held_and_what_is_held_stays_in_the_queue() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    moderate(&world, &world.page, Moderation::Off).await;
    let target = only_case(&world).await;
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    let bea = world.person("Bea", "bea@example.edu").await;
    record(&world, &bea, 180.0, Sharing::All).await;
    assert_eq!(queue(&world, Listed::Open).await.len(), 1);
    assert!(is_done(&approve(&world, &target).await, CaseState::Approved));
}

#[tokio::test]
async fn reports_of_a_kind_are_one_case_that_a_manager_dismisses_or_follows() {
    let (world, _) = world().await;
    let given = json!({ "first_name": "Bea", "email": "bea@example.edu", "pronunciation": file(wav(1.0)) });
    let bea = world.person_on(&world.page, given).await;
    for sentence in ["That is Bea Lima.", "That is Bea Lima.", "Somebody\nelse", ""] {
        assert_eq!(report(&world, &bea, Complaint::WrongPerson, sentence).await, Reported::Accepted);
    }
    report(&world, &bea, Complaint::Offensive, "Rude").await;
    let open = queue(&world, Listed::Open).await;
    let told: Vec<_> =
        open.iter().map(|one| (one.case.complaint, one.case.reports, one.case.sentence.as_deref())).collect();
    assert_eq!(
        told,
        [
            (Some(Complaint::WrongPerson), 4, Some("That is Bea Lima.\nSomebody else")),
            (Some(Complaint::Offensive), 1, Some("Rude")),
        ]
    );
    let target = |at: usize| Target { case: open[at].case.id, page: Some(world.page.id), heard: None };
    let outcome = decide(&world, &target(0), Decision::Dismiss).await.unwrap();
    assert!(is_done(&outcome, CaseState::Dismissed));
    assert!(matches!(approve(&world, &target(1)).await, Outcome::Decided(_)), "it is not held");
    report(&world, &bea, Complaint::WrongPerson, "Still").await;
    let link = bea["recording_link"].as_str().unwrap();
    assert!(is_done(&remove(&world, &target(1)).await, CaseState::Removed));
    assert_eq!(status(link).await, 404);
    assert!(queue(&world, Listed::Open).await.is_empty(), "the other report is settled, too");
    assert!(is_done(&restore(&world, &target(1)).await.unwrap(), CaseState::Restored));
    assert_eq!(status(link).await, 200);
    assert!(queue(&world, Listed::Decided).await.iter().all(|one| !one.case.can_be_restored()));
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn only_recordings_of_this_page_that_are_heard_can_be_reported_and_not_without_end() {
    let (world, ana) = world().await;
    let other = world.page("Other").await;
    let there = json!({ "first_name": "Bea", "email": "bea@example.edu", "pronunciation": file(wav(1.0)) });
    let there = world.person_on(&other, there).await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let public = name_pages::public(&world.app, &world.page.slug).await.unwrap();
    let sent = async |person: &Value, sentence: &str, client: Option<Client>| {
        let person = entry(&world, person).await;
        let about = Some(About::Recording);
        let report = Report { about, complaint: Complaint::Offensive, sentence };
        moderation::report(&world.app, &public, &person, report, client).await
    };
    for person in [&there, &ana] {
        let outcome = sent(person, "Rude", None).await;
        assert!(matches!(outcome, Err(Error::Missing(_))), "{person}: {outcome:?}");
    }
    approve(&world, &only_case(&world).await).await;
    let outcome = sent(&ana, &"x".repeat(LONGEST + 1), None).await;
    assert!(matches!(outcome, Err(Error::Invalid(_))), "{outcome:?}");
    let address = "203.0.113.7".parse().unwrap();
    let client = Some(Client { address, peer: address, is_proxy: false });
    for _ in 0..20 {
        assert_eq!(sent(&ana, "Rude", client).await.unwrap(), Reported::Accepted);
    }
    assert!(matches!(sent(&ana, "Rude", client).await.unwrap(), Reported::TooMany { .. }));
    assert_eq!(queue(&world, Listed::Open).await[0].case.reports, 20);
    // A report about a recording that was replaced is not asked about any more.
    world.advance(Duration::from_secs(1));
    let body = json!({ "name_page_id": world.page.slug, "participant": { "pronunciation": file(wav_of(1.0, 99.0)) } });
    world.put(&format!("/v5/participants/{ANA}"), body).await.expect(200);
    assert!(queue(&world, Listed::Open).await.is_empty());
    moderation::purge(&world.app).await.unwrap();
    assert_eq!(number(&world, "SELECT COUNT(*) FROM moderation WHERE state = 'open'").await, 0);
}

#[tokio::test]
async fn managers_of_the_page_work_in_it_and_nobody_else_finds_it() {
    let (world, ana) = world().await;
    let neighbor = world.neighbor().await;
    let other = world.page("Other").await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let path = format!("/p/{}/moderation", world.page.slug);
    let (case, audio) = (format!("{path}/{}", target.case), format!("{path}/{}/audio", target.case));

    let visitor = Browser::new(&world);
    let asked = visitor.get(&path).await;
    assert!(asked.status == 303 && asked.location().starts_with("/sign-in?"), "{asked:?}");
    member(&world, "reader@example.edu", Role::Reader, &[&world.page]).await;
    member(&world, "elsewhere@example.edu", Role::Manager, &[&other]).await;
    for email in ["reader@example.edu", "elsewhere@example.edu", ANA] {
        let browser = signed_in(&world, world.institution.id, email).await;
        for path in [&path, &audio] {
            browser.get(path).await.expect(404);
        }
        browser.get("/me").await;
        browser.post(&case, &[("decision", "approve")]).await.expect(404);
    }
    // The manager of another page does not reach the case through their own page either.
    let elsewhere = signed_in(&world, world.institution.id, "elsewhere@example.edu").await;
    let own = format!("/p/{}/moderation", other.slug);
    elsewhere.get(&own).await.expect(200);
    elsewhere.get(&format!("{own}/{}/audio", target.case)).await.expect(404);
    elsewhere.post(&format!("{own}/{}", target.case), &[("decision", "approve")]).await.expect(404);
    let boss = Email::parse("boss@example.edu").unwrap();
    let id = neighbor.institution.id;
    members::set(&world.app, &Actor::Operator, id, boss, Role::Owner, Vec::new()).await.unwrap();
    let stranger = signed_in(&world, id, "boss@example.edu").await;
    assert_ne!(stranger.get(&path).await.status, 200);
    assert_ne!(stranger.get(&audio).await.status, 200);
    assert_eq!(shown(&world).await["recording_link"], Value::Null);

    let browser = manager(&world).await;
    let page = browser.get(&path).await.expect(200);
    assert!(page.body.contains("Ana") && page.body.contains(&audio), "{}", page.body);
    assert!(!page.body.contains(ANA), "no email: {}", page.body);
    assert!(page.body.contains("<p class=\"when\">Waiting for approval since <bdi>20"), "{}", page.body);
    assert_eq!(page.headers["x-robots-tag"], "noindex");
    let (status, headers, bytes) = browser.file(&audio, &[]).await;
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (200, "audio/mpeg"));
    assert!(headers["cache-control"].to_str().unwrap().contains("no-store"));
    let (status, headers, part) = browser.file(&audio, &[("range", "bytes=2-5")]).await;
    assert_eq!((status, &part[..]), (206, &bytes[2..6]));
    assert_eq!(headers["content-range"], format!("bytes 2-5/{}", bytes.len()).as_str());

    let heard = target.heard.as_deref().unwrap();
    browser
        .post(&case, &[("decision", "approve"), ("heard", heard)])
        .await
        .redirects_to(&format!("{path}?done=approve"));
    let page = browser.get(&format!("{path}?done=approve")).await.expect(200);
    assert!(page.body.contains("The recording can be heard now."), "{}", page.body);
    assert!(shown(&world).await["recording_link"].is_string());
    browser
        .post(&case, &[("decision", "approve"), ("heard", heard)])
        .await
        .redirects_to(&format!("{path}?done=decided"));
    let decided = browser.get(&format!("{path}?list=decided")).await.expect(200);
    assert!(decided.body.contains(MANAGER), "who has decided: {}", decided.body);
}

#[tokio::test]
async fn managers_do_not_hear_a_paused_recording_through_its_cases() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let approved = only_case(&world).await;
    approve(&world, &approved).await;
    report(&world, &ana, Complaint::Offensive, "Rude").await;
    let reported = only_case(&world).await;
    let (browser, path) = (manager(&world).await, format!("/p/{}/moderation", world.page.slug));
    let audio = [&approved, &reported].map(|target| format!("{path}/{}/audio", target.case));
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    for (audience, expected) in
        [(Audience::Public, 200), (Audience::Paused, 404), (Audience::Institution, 200)]
    {
        audiences::choose(&world.app, &Actor::Operator, person.clone(), audience).await.unwrap();
        for address in &audio {
            assert_eq!(browser.file(address, &[]).await.0, expected, "{address} {audience:?}");
        }
        let page = browser.get(&path).await.expect(200).body;
        assert_eq!(page.contains(&audio[1]), expected == 200, "{audience:?}: {page}");
    }
}

/// Pausing and withdrawing consent beat moderation, whatever the case is.
#[tokio::test]
async fn managers_neither_hear_nor_approve_what_its_owner_has_silenced() {
    let (world, ana) = world().await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let (app, operator) = (&world.app, Actor::Operator);
    record(&world, &ana, 150.0, Sharing::All).await;
    let rejected = only_case(&world).await;
    reject(&world, &rejected).await;
    record(&world, &ana, 220.0, Sharing::All).await;
    let held = only_case(&world).await;
    let (browser, path) = (manager(&world).await, format!("/p/{}/moderation", world.page.slug));
    let audio = [&rejected, &held].map(|target| format!("{path}/{}/audio", target.case));
    let token = World::registration_token(&ana);
    let id = participants::by_token(app, world.institution.id, &token).await.unwrap().id;
    let owner = signed_in(&world, world.institution.id, ANA).await;
    let check = async |is_silent: bool| {
        for address in &audio {
            let expected = if is_silent { 404 } else { 200 };
            assert_eq!(browser.file(address, &[]).await.0, expected, "{address}");
            let in_console = endonym::app::people_entry::sound(
                app,
                &operator,
                world.institution.id,
                id,
                held.heard.as_deref().unwrap(),
            );
            assert_eq!(in_console.await.is_err(), is_silent);
        }
        let page = browser.get(&path).await.expect(200).body;
        assert_eq!(page.contains("has paused their recordings"), is_silent, "{page}");
        assert_eq!(page.contains("value=\"approve\""), !is_silent, "{page}");
        if is_silent {
            for outcome in [approve(&world, &held).await, restore(&world, &rejected).await.unwrap()] {
                assert!(matches!(outcome, Outcome::Silenced(_)), "{outcome:?}");
            }
            assert_eq!(only_case(&world).await, held, "it still waits");
        }
        let audio = format!("/me/recording/audio?page={}", world.page.slug);
        assert_eq!(owner.file(&audio, &[]).await.0, 200, "the owner hears it");
    };
    check(false).await;
    audiences::choose(app, &operator, person.clone(), Audience::Paused).await.unwrap();
    check(true).await;
    audiences::choose(app, &operator, person.clone(), Audience::Public).await.unwrap();
    check(false).await;
    // Withdrawn, and then no longer paused: they have not agreed again.
    world.agree(world.institution.id, ANA).await;
    consents::withdraw(app, &operator, &person, consents::Withdrawal::Pause).await.unwrap();
    check(true).await;
    audiences::choose(app, &operator, person.clone(), Audience::Public).await.unwrap();
    check(true).await;
    world.agree(world.institution.id, ANA).await;
    check(false).await;
    assert!(is_done(&approve(&world, &held).await, CaseState::Approved));
}

/// Whoever may not see the queue does not learn which pages there are.
#[tokio::test]
async fn a_queue_tells_nobody_else_which_pages_exist() {
    let (world, _) = world().await;
    let there = world.neighbor().await;
    member(&world, "reader@example.edu", Role::Reader, &[&world.page]).await;
    let reader = PersonId { institution: world.institution.id, email_key: "reader@example.edu".into() };
    let reader = members::actor_of(&world.app, &reader).await.unwrap();
    let nowhere = NamePageRef::parse("nowhere").unwrap();
    for (institution, actor) in [(world.institution.id, &reader), (there.institution.id, &reader)] {
        let ask = async |page: &NamePageRef| {
            let found =
                moderation::queue(&world.app, actor, institution, Some(page), Listed::Open, None).await;
            format!("{:?}", found.err().expect("an error"))
        };
        let known = if institution == there.institution.id { &there.page } else { &world.page };
        assert_eq!(ask(&nowhere).await, ask(&page_ref(known)).await, "{institution}");
    }
}

#[tokio::test]
async fn the_page_says_what_is_missing_and_survives_nonsense() {
    let (world, ana) = world().await;
    let browser = manager(&world).await;
    let path = format!("/p/{}/moderation", world.page.slug);
    assert!(browser.get(&path).await.expect(200).body.contains("There is nothing to decide."));
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    let case = format!("{path}/{}", target.case);
    browser.get(&path).await.expect(200);
    let refused = browser.post(&case, &[("decision", "reject"), ("reason", " ")]).await.expect(422);
    assert!(refused.body.contains("Please write a reason."), "{}", refused.body);
    let typed = format!("<b>{}", "y".repeat(LONGEST));
    let refused = browser.post(&case, &[("decision", "reject"), ("reason", &typed)]).await.expect(422);
    assert!(refused.body.contains("&#60;b&#62;yyy"), "what was typed is kept: {}", refused.body);
    browser.post(&case, &[("decision", "explode")]).await.expect(400);
    browser.post(&case, &[]).await.expect(400);
    for id in ["0", "-1", "99999999999999999999", "x"] {
        browser.post(&format!("{path}/{id}"), &[("decision", "approve")]).await.expect(404);
        browser.get(&format!("{path}/{id}/audio")).await.expect(404);
    }
    for query in ["after=x", "after=-9223372036854775808", "list=decided&after=1", "done=%3Cscript%3E"] {
        browser.get(&format!("{path}?{query}")).await.expect(200);
    }
    // Without the token of the form, nothing happens.
    browser.post_bare(&case, &[("decision", "approve")], &[]).await.expect(403);
    let reason = "Zu leise.\nBitte noch einmal.";
    browser
        .post(&case, &[("decision", "reject"), ("reason", reason)])
        .await
        .redirects_to(&format!("{path}?done=reject"));
    let fields = [("decision", "restore"), ("list", "decided")];
    browser.post(&case, &fields).await.redirects_to(&format!("{path}?done=restore&list=decided"));
    let person = PersonId { institution: world.institution.id, email_key: ANA.to_owned() };
    let actor = Actor::Person(person.clone());
    record(&world, &ana, 220.0, Sharing::All).await;
    let next = only_case(&world).await;
    endonym::app::own_person::delete_recording(&world.app, &actor, &person, None).await.unwrap();
    let gone = browser.post(&format!("{path}/{}", next.case), &[("decision", "approve")]).await.expect(404);
    assert!(gone.body.contains("This recording no longer exists."), "{}", gone.body);
}

#[tokio::test]
async fn a_long_queue_is_shown_in_parts() {
    let (world, _) = world().await;
    world.crowd(&world.page, 0..60).await;
    let text = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, original, created_at, hidden) \
         SELECT institution_id, token, id, 'held', 1, FALSE, 1, TRUE FROM participants WHERE email_key <> $1";
    execute(&world.app.db, text, vec![ANA.into()]).await;
    let text = "INSERT INTO moderation (institution_id, id, name_page_id, participant_id, kind, hex, state, created_at) \
         SELECT institution_id, id + 1000, name_page_id, id, 'held', token, 'open', 1 FROM participants WHERE email_key <> $1";
    execute(&world.app.db, text, vec![ANA.into()]).await;
    let page = page_ref(&world.page);
    let (app, id) = (&world.app, world.institution.id);
    let (mut seen, mut behind) = (Vec::<ModerationId>::new(), None);
    loop {
        let part =
            moderation::queue(app, &Actor::Operator, id, Some(&page), Listed::Open, behind).await.unwrap();
        assert!(part.entries.len() <= moderation::PER_PAGE);
        seen.extend(part.entries.iter().map(|one| one.case.id));
        behind = part.next;
        if behind.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 60);
    assert!(seen.is_sorted());
}

#[tokio::test]
async fn the_owner_hears_what_is_held_and_reads_that_it_waits() {
    let (world, ana) = world().await;
    let id = world.institution.id;
    world.agree(id, ANA).await;
    let browser = signed_in(&world, id, ANA).await;
    browser.get("/me").await.expect(200);
    let csrf = browser.csrf();
    let headers =
        [("accept", "application/json"), ("x-csrf-token", csrf.as_str()), ("sec-fetch-site", "same-origin")];
    let take = wav(1.0);
    let kept = browser.post_file("/me/recording", ("recording", &take[..]), &[("page", "")], &headers).await;
    assert_eq!(kept.status, 201, "{}", kept.body);
    assert!(!kept.body.contains("/audio/"), "no public link: {}", kept.body);
    let page = browser.get("/me").await.expect(200);
    assert!(page.body.contains("Your recording is waiting for approval."), "{}", page.body);
    assert!(!page.body.contains("nobody can hear it for now"), "it is not paused");
    let audio = format!("/me/recording/audio?page={}", world.page.slug);
    let (status, _, first) = browser.file(&audio, &[]).await;
    assert_eq!(status, 200);
    approve(&world, &only_case(&world).await).await;
    record(&world, &ana, 220.0, Sharing::All).await;
    for path in ["/me".to_owned(), format!("/p/{}/own", world.page.slug)] {
        let page = browser.get(&path).await.expect(200);
        assert!(page.body.contains("others hear the earlier one"), "{path}: {}", page.body);
    }
    let (status, _, second) = browser.file(&audio, &[]).await;
    assert_eq!(status, 200);
    assert_ne!(first, second, "the newest one");
    let found = participants::by_token(&world.app, id, &World::registration_token(&ana)).await.unwrap();
    assert!(found.recording.is_some());
}

#[tokio::test]
async fn recordings_of_a_page_with_original_uploads_can_be_processed_again_without_being_shown() {
    let (world, ana) = world().await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let target = only_case(&world).await;
    app_media::reprocess(&world.app, &Actor::Operator, world.institution.id, |_, _| ()).await.unwrap();
    assert_eq!(only_case(&world).await, target);
    assert_eq!(shown(&world).await["recording_link"], Value::Null);
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn a_recording_that_is_restored_for_fewer_people_has_a_link_that_nobody_had() {
    let (world, ana) = world().await;
    moderate(&world, &world.page, Moderation::Off).await;
    record(&world, &ana, 150.0, Sharing::All).await;
    let old = shown(&world).await["recording_link"].as_str().unwrap().to_owned();
    report(&world, &ana, Complaint::Offensive, "Rude").await;
    let target = only_case(&world).await;
    remove(&world, &target).await;
    let person = PersonId { institution: world.institution.id, email_key: ANA.into() };
    audiences::choose(&world.app, &Actor::Operator, person, Audience::Institution).await.unwrap();
    let removed = queue(&world, Listed::Decided).await.pop().unwrap().case;
    assert!(!old.contains(&removed.hex), "the case knows the new link");
    let target = Target { case: removed.id, page: Some(world.page.id), heard: None };
    restore(&world, &target).await.unwrap();
    let new = shown(&world).await["recording_link"].as_str().unwrap().to_owned();
    assert_eq!((status(&old).await, status(&new).await), (404, 200));
    nothing_is_left_over(&world).await;
}

#[tokio::test]
async fn when_two_entries_of_a_person_are_merged_the_newer_take_waits_and_what_was_rejected_stays() {
    let (world, ana) = world().await;
    let bea = world.person("Bea", "bea@example.edu").await;
    record(&world, &bea, 150.0, Sharing::All).await;
    let rejected = only_case(&world).await;
    reject(&world, &rejected).await;
    record(&world, &ana, 180.0, Sharing::All).await;
    let older = only_case(&world).await;
    world.advance(Duration::from_secs(1));
    record(&world, &bea, 220.0, Sharing::All).await;
    let id = world.institution.id;
    let find = async |person: &Value| {
        participants::by_token(&world.app, id, &World::registration_token(person)).await.unwrap().id
    };
    let (own, other) = (find(&ana).await, find(&bea).await);
    let gone = world
        .app
        .db
        .write::<_, endonym::store::Error>(move |sql| {
            Box::pin(async move { endonym::store::moderation::merge(sql, id, (own, other)).await })
        })
        .await
        .unwrap();
    assert_eq!(gone.map(|media| media.hex), older.heard);
    let [Entry { case, person, .. }] = &queue(&world, Listed::Open).await[..] else { panic!("one case") };
    assert_eq!((person.id, case.participant), (own, own));
    assert_ne!(Some(case.hex.clone()), older.heard);
    let newer = Target { case: case.id, page: Some(world.page.id), heard: Some(case.hex.clone()) };
    assert!(is_done(&restore(&world, &rejected).await.unwrap(), CaseState::Restored));
    assert!(shown(&world).await["recording_link"].is_string());
    assert!(is_done(&approve(&world, &newer).await, CaseState::Approved));
    assert_eq!(status(&link_of(&world, &newer).await).await, 200);
}

const TAB: &str = "\u{e004}";
const DOWN: &str = "\u{e015}";

#[tokio::test]
async fn the_queue_is_worked_through_with_the_keyboard() {
    let world = World::on_sqlite().await;
    moderate(&world, &world.page, Moderation::Hold).await;
    for (name, email) in [("Ana", ANA), ("Bea", "bea@example.edu")] {
        let person = world.person(name, email).await;
        record(&world, &person, 150.0, Sharing::All).await;
    }
    member(&world, MANAGER, Role::Manager, &[&world.page]).await;
    let (app, id, life) = (&world.app, world.institution.id, Duration::from_secs(600));
    let link = sign_in::operator_link(app, &Actor::Operator, id, MANAGER, life, &world.base).await.unwrap().0;
    let browser = browser::Browser::start().await;
    browser.go(&link).await;
    browser.click("main form button").await;
    browser.until("location.pathname === '/me'").await;
    browser.go(&format!("{}/p/{}/moderation", world.base, world.page.slug)).await;
    let is_on =
        |at: usize| format!("document.activeElement === document.querySelectorAll('[data-case]')[{at}]");
    for _ in 0..60 {
        if browser.value(&is_on(0)).await == true {
            break;
        }
        browser.press(TAB).await;
    }
    assert_eq!(browser.value(&is_on(0)).await, true, "Tab leads to the first case");
    browser.press(" ").await;
    browser.until("document.querySelector('[data-case] audio').currentTime > 0").await;
    browser.press(DOWN).await;
    browser.until(&is_on(1)).await;
    browser.press("r").await;
    browser.until("document.activeElement.tagName === 'TEXTAREA'").await;
    // Letters that are typed are no commands.
    browser.press("a").await;
    browser.until("document.activeElement.value === 'a'").await;
    assert_eq!(queue(&world, Listed::Open).await.len(), 2);
    browser.value("document.querySelectorAll('[data-case]')[1].focus()").await;
    browser.press("a").await;
    browser.until("location.search === '?done=approve'").await;
    let left = queue(&world, Listed::Open).await;
    let left: Vec<_> = left.iter().map(|one| one.person.full_name()).collect();
    assert_eq!(left, ["Ana"]);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
