//! Invitations to a name page, and the managers' page about them.

use std::{collections::BTreeSet, time::Duration};

use endonym::{
    app::{
        Actor, Error, Missing,
        invitations::{self, Cursor, Delivery, Listed, Report, Resent, Terms},
        name_pages, persons, sign_in,
    },
    domain::{
        address_list::{AddressList, MOST_BYTES},
        fault::{Fault, SetupFault},
        ids::{InstitutionId, InvitationId},
        invitation::InvitationState,
        media::Kind,
        name_page::{NamePage, NamePageRef},
    },
};
use serde_json::json;

use super::make_manager;
use crate::{
    me::{Browser, Seen},
    support::{Neighbor, Setup, World, database::execute},
};

const MANAGER: &str = "manager@example.edu";
const BASE: &str = "https://names.example.edu";
const DAY: Duration = Duration::from_secs(24 * 3_600);
const MINUTE: Duration = Duration::from_secs(60);

pub fn page_ref(page: &NamePage) -> NamePageRef {
    NamePageRef::parse(&page.slug).unwrap()
}

pub fn by_mail() -> Terms {
    let (delivery, life) = (Delivery::Mail, 90 * DAY);
    Terms { delivery, reminders: true, language: None, life, base_url: BASE.to_owned() }
}

pub fn by_links() -> Terms {
    Terms { delivery: Delivery::Links, ..by_mail() }
}

pub async fn invite(world: &World, addresses: &str, terms: &Terms) -> Report {
    let list = AddressList::parse(addresses).unwrap().invitees;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    invitations::invite(app, &Actor::Operator, id, &page, list, terms).await.unwrap()
}

/// The path of the personal link of one address.
pub async fn link(world: &World, address: &str) -> String {
    let report = invite(world, address, &by_links()).await;
    report.links[0].1.strip_prefix(BASE).unwrap().to_owned()
}

pub async fn count(world: &World, text: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {text}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

/// The messages that managers of a page see.
const MAILED: &str = "outbox WHERE message LIKE '%\"kind\":\"invitation\"%' AND name_page_id IS NOT NULL";

async fn people(world: &World, state: Option<InvitationState>) -> Vec<Listed> {
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let part = (Cursor::Start, 10_000);
    invitations::all(app, &Actor::Operator, id, &page, state, part).await.unwrap().people
}

async fn state_of(world: &World, email: &str) -> InvitationState {
    let all = people(world, None).await;
    all.iter().find(|one| one.guest.email.as_deref() == Some(email)).expect("they are in the list").state
}

async fn id_of(world: &World, email: &str) -> InvitationId {
    let all = people(world, None).await;
    let one = all.iter().find(|one| one.guest.email.as_deref() == Some(email)).unwrap();
    one.guest.invitation.as_ref().unwrap().id
}

async fn resend(world: &World, email: &str) -> Resent {
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let whose = id_of(world, email).await;
    invitations::resend(app, &Actor::Operator, id, &page, whose, &by_mail()).await.unwrap()
}

async fn mark(world: &World, table: &str, email: &str) {
    let (columns, values) = match table {
        "mail_bounces" => ("answer, bounced_at", "'550', 1"),
        _ => ("created_at", "1"),
    };
    let text =
        format!("INSERT INTO {table} (institution_id, email_key, {columns}) VALUES ($1, $2, {values})");
    execute(&world.app.db, text, vec![world.institution.id.into(), email.to_owned().into()]).await;
}

async fn covered(world: &World) -> i64 {
    let text = "SELECT invited FROM coverage WHERE institution_id = $1 AND name_page_id = $2";
    let params = [world.institution.id.into(), world.page.id.into()];
    world.app.db.read().one(text, &params, |row| row.int(0)).await.unwrap().unwrap_or_default()
}

/// A browser in which the manager of the world's page has signed in.
pub async fn manager(world: &World) -> Browser<'_> {
    make_manager(world, MANAGER).await;
    signed_in(world, world.institution.id, MANAGER).await
}

async fn signed_in<'a>(world: &'a World, institution: InstitutionId, email: &str) -> Browser<'a> {
    let made =
        sign_in::operator_link(&world.app, &Actor::Operator, institution, email, DAY, &world.base).await;
    let browser = Browser::new(world);
    browser.follow(&made.unwrap().0).await.redirects_to("/me");
    browser
}

/// Sends the form with the list of addresses.
async fn paste(world: &World, browser: &Browser<'_>, addresses: &str) -> Seen {
    let path = format!("/p/{}/invitations", world.page.slug);
    browser.get(&path).await.expect(200);
    let csrf = browser.csrf();
    let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    let fields = [("csrf", csrf.as_str()), ("reminders", "yes")];
    browser.post_file(&path, ("addresses", addresses.as_bytes()), &fields, &headers).await
}

#[tokio::test]
async fn an_address_is_written_to_once() {
    let world = World::new().await;
    let list = "Ada Lovelace <ada@example.edu>; bea@example.edu";
    let report = invite(&world, list, &by_mail()).await;
    assert_eq!(report, Report { invited: 2, ..Report::default() });
    assert_eq!(count(&world, MAILED).await, 2);
    let report = invite(&world, "ADA@example.edu, cem@example.edu", &by_mail()).await;
    assert_eq!(report, Report { invited: 1, already: 1, ..Report::default() });
    assert_eq!((count(&world, MAILED).await, covered(&world).await), (3, 3));
    let ada = &people(&world, None).await[2];
    assert_eq!((ada.name().as_str(), ada.state), ("Ada Lovelace", InvitationState::Invited));
    assert!(ada.guest.invitation.as_ref().unwrap().next_reminder_at.is_some());
}

#[tokio::test]
async fn links_are_handed_out_without_a_message_and_stay_the_same() {
    let world = World::new().await;
    let first = invite(&world, "ada@example.edu", &by_links()).await;
    assert_eq!((first.invited, first.links.len()), (1, 1));
    let again = invite(&world, "ada@example.edu", &by_links()).await;
    assert_eq!((again.already, &again.links), (1, &first.links));
    assert_eq!(count(&world, "outbox").await, 0);
    assert!(people(&world, None).await[0].guest.invitation.as_ref().unwrap().next_reminder_at.is_none());
    // The message comes later, with the same link.
    assert_eq!(invite(&world, "ada@example.edu", &by_mail()).await.invited, 1);
    assert_eq!(count(&world, MAILED).await, 1);
    let later = invite(&world, "ada@example.edu", &by_links()).await;
    assert_eq!(later.links, first.links);
}

#[tokio::test]
async fn nobody_is_invited_who_has_recorded_or_wants_no_mail_or_cannot_be_reached() {
    let world = World::new().await;
    let ada = world.person("Ada", "ada@example.edu").await;
    world.give(&ada, Kind::Recording, b"sound").await;
    mark(&world, "mail_opt_outs", "bea@example.edu").await;
    mark(&world, "mail_bounces", "cem@example.edu").await;
    let list = "ada@example.edu bea@example.edu cem@example.edu dov@example.edu";
    let report = invite(&world, list, &by_mail()).await;
    let expected = Report { invited: 1, recorded: 1, opted_out: 1, bounced: 1, ..Report::default() };
    assert_eq!(report, expected);
    assert_eq!(count(&world, "invitations").await, 1);
    // Another institution's lists are its own.
    let Neighbor { institution, page, .. } = world.neighbor().await;
    let (app, list) = (&world.app, AddressList::parse("bea@example.edu cem@example.edu").unwrap().invitees);
    let page = page_ref(&page);
    let there = invitations::invite(app, &Actor::Operator, institution.id, &page, list, &by_mail()).await;
    assert_eq!(there.unwrap().invited, 2);
}

#[tokio::test]
async fn everybody_without_a_recording_is_invited() {
    let world = World::new().await;
    world.crowd(&world.page, 0..230).await;
    let ada = world.person("Ada", "ada@example.edu").await;
    world.give(&ada, Kind::Recording, b"sound").await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let report = invitations::invite_unrecorded(app, &Actor::Operator, id, &page, &by_mail()).await.unwrap();
    assert_eq!((report.invited, count(&world, MAILED).await, covered(&world).await), (230, 230, 230));
    let report = invitations::invite_unrecorded(app, &Actor::Operator, id, &page, &by_mail()).await.unwrap();
    assert_eq!((report.invited, report.already), (0, 230));
    let p7 =
        people(&world, None).await.into_iter().find(|one| one.guest.email.as_deref() == Some("p7@x.org"));
    assert_eq!(p7.unwrap().state, InvitationState::Registered);
}

/// A proxy does not wait for as long as a large page takes.
#[tokio::test]
async fn everybody_is_invited_in_parts() {
    let world = World::new().await;
    world.crowd(&world.page, 0..330).await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let part = async |after: Option<i64>| {
        let (terms, part) = (by_mail(), (after, Duration::ZERO));
        invitations::invite_unrecorded_part(app, &Actor::Operator, id, &page, &terms, part).await.unwrap()
    };
    let (report, next) = part(None).await;
    assert_eq!((report.invited, count(&world, "invitations").await, covered(&world).await), (100, 100, 100));
    // Whoever begins again invites nobody twice.
    let (report, again) = part(None).await;
    assert_eq!((report.invited, report.already, again), (0, 100, next));
    let (report, next) = part(next).await;
    assert_eq!((report.invited, report.already, covered(&world).await), (100, 0, 200));
    assert_eq!(count(&world, MAILED).await, 200);

    // The page continues there, and has time for the rest.
    let browser = manager(&world).await;
    let path = format!("/p/{}/invitations", world.page.slug);
    browser.get(&path).await.expect(200);
    let (csrf, after) = (browser.csrf(), next.unwrap().to_string());
    let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    let fields = [("csrf", csrf.as_str()), ("whom", "unrecorded"), ("after", after.as_str())];
    let shown = browser.post_file(&path, ("addresses", &b""[..]), &fields, &headers).await.expect(200).body;
    let shown = shown.replace(['\u{2068}', '\u{2069}'], "");
    assert!(shown.contains("Invited: 130"), "{shown}");
    assert!(!shown.contains("Invited before") && !shown.contains("This is not finished"), "{shown}");
    assert_eq!((count(&world, "invitations").await, covered(&world).await), (330, 330));
    assert_eq!(part(Some(i64::MAX)).await, (Report::default(), None));
}

/// The same for a list, which the page sends back with the button that continues.
#[tokio::test]
async fn a_long_list_is_invited_in_parts_and_in_the_language_that_the_manager_has_chosen() {
    let settings = invitations::Settings { part: Duration::ZERO, ..invitations::Settings::default() };
    let world = World::with(Setup { invitations: settings, ..Setup::default() }).await;
    let browser = manager(&world).await;
    let path = format!("/p/{}/invitations", world.page.slug);
    let menu = browser.get(&path).await.expect(200).body;
    assert!(menu.contains("<option value=\"ar\" lang=\"ar\">العربية</option>"), "{menu}");
    let list: String = (0..230).map(|n| format!("Guest {n} <guest{n}@x.org>\r\n")).collect();
    let headers = [("origin", world.base.as_str()), ("sec-fetch-site", "same-origin")];
    let (mut after, mut done) = (String::new(), Vec::new());
    loop {
        let csrf = browser.csrf();
        let fields = [("csrf", csrf.as_str()), ("language", "ar"), ("after", after.as_str())];
        let sent = browser.post_file(&path, ("addresses", list.as_bytes()), &fields, &headers).await;
        let shown = sent.expect(200).body;
        done.push(count(&world, "invitations").await);
        let Some((_, rest)) = shown.split_once("name=\"after\" value=\"") else { break };
        assert!(shown.contains("This is not finished") && shown.contains("guest229@x.org"), "{shown}");
        assert!(shown.contains("<input type=\"hidden\" name=\"language\" value=\"ar\">"), "{shown}");
        after = rest.split('"').next().unwrap().to_owned();
    }
    assert_eq!(done, [100, 200, 230]);
    assert_eq!(count(&world, "invitations WHERE language = 'ar'").await, 230);
    assert_eq!(covered(&world).await, 230);
}

#[tokio::test]
async fn an_address_that_is_twice_in_a_list_is_invited_once() {
    let world = World::new().await;
    let mut list = AddressList::parse("ada@example.edu").unwrap().invitees;
    list.extend(list.clone());
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let report = invitations::invite(app, &Actor::Operator, id, &page, list, &by_mail()).await.unwrap();
    assert_eq!((report.invited, report.already), (1, 1));
    assert_eq!((count(&world, MAILED).await, covered(&world).await), (1, 1));
}

#[tokio::test]
async fn every_state_is_shown_and_can_be_chosen() {
    let world = World::new().await;
    let list = "a@x.org b@x.org c@x.org d@x.org e@x.org f@x.org";
    invite(&world, list, &by_mail()).await;
    let opened = link(&world, "b@x.org").await;
    assert!(invitations::note_opened(&world.app, opened.strip_prefix("/i/").unwrap()).await.unwrap());
    world.person("C", "c@x.org").await;
    let d = world.person("D", "d@x.org").await;
    world.give(&d, Kind::Recording, b"sound").await;
    mark(&world, "mail_bounces", "e@x.org").await;
    mark(&world, "mail_opt_outs", "f@x.org").await;
    world.person("Never Invited", "g@x.org").await;
    let expected = [
        (InvitationState::Invited, vec!["a@x.org"]),
        (InvitationState::Opened, vec!["b@x.org"]),
        (InvitationState::Registered, vec!["c@x.org", "g@x.org"]),
        (InvitationState::Recorded, vec!["d@x.org"]),
        (InvitationState::Bounced, vec!["e@x.org"]),
        (InvitationState::OptedOut, vec!["f@x.org"]),
    ];
    let browser = manager(&world).await;
    for (state, emails) in expected {
        let found: Vec<String> =
            people(&world, Some(state)).await.into_iter().filter_map(|one| one.guest.email).collect();
        assert_eq!(found, emails, "{state:?}");
        let path = format!("/p/{}/invitations?state={}", world.page.slug, state.word());
        let page = browser.get(&path).await.expect(200).body;
        for letter in ["a", "b", "c", "d", "e", "f", "g"] {
            let email = format!("{letter}@x.org");
            assert_eq!(page.contains(&email), emails.contains(&email.as_str()), "{state:?} {email}");
        }
    }
    assert_eq!(people(&world, None).await.len(), 7);
    // A recording that waits for approval is one: nobody is reminded of it.
    execute(&world.app.db, "UPDATE media SET kind = 'held'", vec![]).await;
    assert_eq!(state_of(&world, "d@x.org").await, InvitationState::Recorded);
}

#[tokio::test]
async fn a_long_list_comes_in_parts_without_gaps_and_repetitions() {
    let world = World::new().await;
    world.crowd(&world.page, 0..40).await;
    let list: String = (20..90).map(|n| format!("p{n}@x.org\n")).collect();
    invite(&world, &list, &by_mail()).await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let (mut at, mut seen, mut parts) = (Cursor::Start, Vec::new(), 0);
    loop {
        let part = invitations::all(app, &Actor::Operator, id, &page, None, (at, 13)).await.unwrap();
        assert!(part.people.len() <= 13);
        seen.extend(part.people.into_iter().filter_map(|one| one.guest.email));
        parts += 1;
        match part.next {
            Some(next) => at = next,
            None => break,
        }
    }
    let different: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((seen.len(), different.len(), parts), (90, 90, 7));
    // The page links to the next part.
    let browser = manager(&world).await;
    let path = format!("/p/{}/invitations", world.page.slug);
    let first = browser.get(&path).await.expect(200).body;
    let next = first.split("rel=\"next\" href=\"").nth(1).expect("a second part").split('"').next().unwrap();
    let second = browser.get(&next.replace("&#38;", "&")).await.expect(200).body;
    assert!(second.contains("p39@x.org") || second.contains("p0@x.org"), "{second}");
    assert!(!second.contains("rel=\"next\""));
}

#[tokio::test]
async fn a_withdrawn_link_is_void_and_another_invitation_brings_another_link() {
    let world = World::new().await;
    let (ada, bea) = (link(&world, "ada@example.edu").await, link(&world, "bea@example.edu").await);
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let whose = id_of(&world, "ada@example.edu").await;
    for _ in 0..2 {
        invitations::withdraw(app, &Actor::Operator, id, &page, whose).await.unwrap();
    }
    assert_eq!(covered(&world).await, 1);
    Browser::new(&world).get(&ada).await.expect(404);
    Browser::new(&world).get(&bea).await.expect(200);
    let new = link(&world, "ada@example.edu").await;
    assert_ne!(new, ada);
    assert_eq!(covered(&world).await, 2);
    Browser::new(&world).get(&ada).await.expect(404);
    Browser::new(&world).get(&new).await.expect(200);
    // Sending it again does the same, and gives a rejected address another chance.
    mark(&world, "mail_bounces", "ada@example.edu").await;
    world.advance(MINUTE);
    assert_eq!(resend(&world, "ada@example.edu").await, Resent::Sent);
    assert_eq!(state_of(&world, "ada@example.edu").await, InvitationState::Invited);
    assert_eq!((count(&world, MAILED).await, covered(&world).await), (1, 2));
    Browser::new(&world).get(&new).await.expect(404);
    mark(&world, "mail_opt_outs", "ada@example.edu").await;
    assert_eq!(resend(&world, "ada@example.edu").await, Resent::Unwanted);
}

#[tokio::test]
async fn sending_again_twice_at_once_sends_one_message_and_keeps_reminders_off() {
    let world = World::new().await;
    invite(&world, "ada@example.edu", &Terms { reminders: false, ..by_mail() }).await;
    invite(&world, "bea@example.edu", &by_mail()).await;
    for email in ["ada@example.edu", "bea@example.edu"] {
        assert_eq!(resend(&world, email).await, Resent::Sent);
        assert_eq!(resend(&world, email).await, Resent::JustSent);
    }
    assert_eq!(
        (count(&world, MAILED).await, count(&world, "invitations WHERE generation = 2").await),
        (4, 2)
    );
    let reminded = "invitations WHERE next_reminder_at IS NOT NULL";
    assert_eq!(count(&world, &format!("{reminded} AND email_key = 'bea@example.edu'")).await, 1);
    assert_eq!(count(&world, reminded).await, 1);
    world.advance(MINUTE);
    assert_eq!(resend(&world, "ada@example.edu").await, Resent::Sent);
    assert_eq!(count(&world, reminded).await, 1);
}

#[tokio::test]
async fn whoever_has_not_got_the_message_is_invited_again() {
    let world = World::new().await;
    let ada = "ada@example.edu";
    let again = async || invite(&world, ada, &by_mail()).await.invited;
    let set = async |state: &str| {
        let text = format!("UPDATE outbox SET state = '{state}'");
        execute(&world.app.db, text, vec![]).await;
    };
    assert_eq!((again().await, again().await), (1, 0));
    // It may have arrived.
    for state in ["sending", "sent", "unconfirmed"] {
        set(state).await;
        assert_eq!(again().await, 0, "{state}");
    }
    let mut messages = 1;
    for state in ["failed", "expired"] {
        set(state).await;
        assert_eq!((again().await, again().await), (1, 0), "{state}");
        messages += 1;
        assert_eq!(count(&world, MAILED).await, messages, "{state}");
    }
    // No worker was there in time: first it has expired, later it is deleted.
    world.advance(2 * DAY);
    assert_eq!((again().await, again().await), (1, 0));
    execute(&world.app.db, "DELETE FROM outbox", vec![]).await;
    assert_eq!((again().await, again().await), (1, 0));
    // What became of old messages is unknown.
    execute(&world.app.db, "DELETE FROM outbox", vec![]).await;
    world.advance(30 * DAY);
    assert_eq!(again().await, 0);
    assert_eq!(count(&world, "invitations WHERE generation = 5").await, 1);
}

#[tokio::test]
async fn two_managers_at_once_invite_everybody_once() {
    let world = World::new().await;
    let list: String = (0..150).map(|n| format!("p{n}@x.org\n")).collect();
    let terms = by_mail();
    let reports = futures_util::future::join_all((0..6).map(|_| invite(&world, &list, &terms))).await;
    assert_eq!(reports.iter().map(|report| report.invited).sum::<u64>(), 150);
    assert_eq!(reports.iter().map(|report| report.already).sum::<u64>(), 750);
    assert_eq!((count(&world, "invitations").await, count(&world, MAILED).await), (150, 150));
    assert_eq!(covered(&world).await, 150);
}

#[tokio::test]
async fn nobody_is_invited_to_a_page_that_is_closed_or_archived() {
    let world = World::new().await;
    let (app, id, page) = (&world.app, world.institution.id, page_ref(&world.page));
    let now = app.clock.now().micros();
    for (column, fault) in [("closes_at", Fault::Closed), ("archived_at", SetupFault::Archived.into())] {
        execute(&app.db, format!("UPDATE name_pages SET {column} = $1"), vec![now.into()]).await;
        let list = AddressList::parse("ada@example.edu").unwrap().invitees;
        let refused = invitations::invite(app, &Actor::Operator, id, &page, list, &by_mail()).await;
        let Err(Error::Invalid(errors)) = refused else { panic!("{refused:?}") };
        let faults: Vec<&Fault> = errors.iter().flat_map(|(_, faults)| faults).collect();
        assert_eq!(faults, [&fault]);
    }
    let browser = manager(&world).await;
    let page = paste(&world, &browser, "ada@example.edu").await.expect(422).body;
    assert!(page.contains("archived") && page.contains("ada@example.edu"), "{page}");
    assert_eq!(count(&world, "invitations").await, 0);
}

#[tokio::test]
async fn another_institution_reaches_no_invitation() {
    let world = World::new().await;
    let ada = link(&world, "ada@example.edu").await;
    let whose = id_of(&world, "ada@example.edu").await;
    let Neighbor { institution, page, .. } = world.neighbor().await;
    let (app, there) = (&world.app, page_ref(&page));
    let withdrawn = invitations::withdraw(app, &Actor::Operator, institution.id, &there, whose).await;
    assert!(matches!(withdrawn, Err(Error::Missing(Missing::Invitation))), "{withdrawn:?}");
    let sent = invitations::resend(app, &Actor::Operator, institution.id, &there, whose, &by_mail()).await;
    assert!(matches!(sent, Err(Error::Missing(Missing::Invitation))), "{sent:?}");
    let here = page_ref(&world.page);
    let strange = invitations::withdraw(app, &Actor::Operator, institution.id, &here, whose).await;
    assert!(matches!(strange, Err(Error::Missing(Missing::NamePage))), "{strange:?}");
    // Nor does another page of the same institution.
    let other = page_ref(&world.page("Choir").await);
    let strange = invitations::withdraw(app, &Actor::Operator, world.institution.id, &other, whose).await;
    assert!(matches!(strange, Err(Error::Missing(Missing::Invitation))), "{strange:?}");
    Browser::new(&world).get(&ada).await.expect(200);
}

#[tokio::test]
async fn a_manager_pastes_a_list_and_sees_what_was_not_understood() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let list = "Ada Lovelace <ada@example.edu>\r\n\"Hopper, Grace\" <grace@example.edu>, nonsense; <b>x@</b>";
    let page = paste(&world, &browser, list).await.expect(200).body;
    assert!(page.contains("Ada Lovelace") && page.contains("Grace Hopper"), "{page}");
    assert!(page.contains("nonsense") && !page.contains("<b>"), "{page}");
    // Without mail, the links are for copying.
    assert_eq!((count(&world, "invitations").await, count(&world, "outbox").await), (2, 0));
    assert!(page.contains(&format!("value=\"{}/i/", world.base)), "{page}");
    let whose = id_of(&world, "ada@example.edu").await;
    let path = format!("/p/{}/invitations", world.page.slug);
    browser
        .post(&format!("{path}/{whose}/withdraw"), &[])
        .await
        .redirects_to(&format!("{path}?done=withdrawn"));
    assert!(people(&world, None).await.iter().any(Listed::is_withdrawn));
    browser.get(&format!("{path}?done=withdrawn")).await.expect(200);
    browser.post(&format!("{path}/{whose}/again"), &[]).await.redirects_to(&format!("{path}?done=again"));
    assert!(!people(&world, None).await.iter().any(Listed::is_withdrawn));
    // A double click.
    let twice = format!("{path}?done=just-again");
    browser.post(&format!("{path}/{whose}/again"), &[]).await.redirects_to(&twice);
    let page = browser.get(&twice).await.expect(200);
    assert!(page.body.contains("less than a minute ago"), "{}", page.body);
    for odd in ["1", "x", "-1", "99999999999999999999"] {
        browser.post(&format!("{path}/{odd}/withdraw"), &[]).await.expect(404);
        browser.post(&format!("{path}/{odd}/again"), &[]).await.expect(404);
    }
}

#[tokio::test]
async fn without_mail_a_manager_downloads_the_links_of_those_who_have_not_recorded() {
    let world = World::new().await;
    let browser = manager(&world).await;
    let list = "Ada Lovelace <ada@example.edu>, bea@example.edu, cem@example.edu, dov@example.edu";
    let page = paste(&world, &browser, list).await.expect(200).body;
    let path = format!("/p/{}/invitations/links.csv", world.page.slug);
    assert!(page.contains(&format!("href=\"{path}\"")), "{page}");
    assert!(!page.contains("in the message"), "there is none: {page}");
    let bea = world.person("Bea", "bea@example.edu").await;
    world.give(&bea, Kind::Recording, b"sound").await;
    mark(&world, "mail_opt_outs", "cem@example.edu").await;
    let (app, here, whose) = (&world.app, page_ref(&world.page), id_of(&world, "dov@example.edu").await);
    invitations::withdraw(app, &Actor::Operator, world.institution.id, &here, whose).await.unwrap();
    world.person("Uninvited", "eve@example.edu").await;
    let file = browser.get(&path).await.expect(200);
    assert!(file.headers["content-type"].to_str().unwrap().starts_with("text/csv"));
    assert_eq!(file.headers["cache-control"], "no-store");
    let ada = people(&world, Some(InvitationState::Invited)).await;
    let ada = ada.iter().find_map(|one| one.link.clone()).unwrap();
    let expected =
        format!("\u{feff}\"email\",\"name\",\"link\"\r\n\"ada@example.edu\",\"Ada Lovelace\",\"{ada}\"\r\n");
    assert_eq!(file.body, expected);
}

#[tokio::test]
async fn the_file_of_links_has_everybody_once_and_is_for_managers() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let many: String = (0..1_001).map(|n| format!("p{n}@x.org\n")).collect();
    invite(&world, &format!("{many}=cmd!A0@x.org"), &by_links()).await;
    let path = format!("/p/{}/invitations/links.csv", world.page.slug);
    let file = manager(&world).await.get(&path).await.expect(200).body;
    let found: BTreeSet<&str> = file.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!((file.lines().count(), found.len()), (1_003, 1_002));
    assert!(found.contains("\"'=cmd!A0@x.org\""), "a formula would be evaluated");
    let sent = Browser::new(&world).get(&path).await.expect(303);
    assert!(sent.location().starts_with("/sign-in?"), "{}", sent.location());
    let ana = signed_in(&world, world.institution.id, "ana@example.edu").await;
    assert!(!ana.get(&path).await.expect(404).body.contains("x.org"));
}

#[tokio::test]
async fn a_list_that_is_empty_or_too_long_is_refused() {
    let world = World::new().await;
    let browser = manager(&world).await;
    paste(&world, &browser, " \n ,;").await.expect(422);
    paste(&world, &browser, "nonsense").await.expect(422);
    let many: String = (0..20_001).map(|n| format!("p{n}@x.org\n")).collect();
    assert!(paste(&world, &browser, &many).await.expect(422).body.contains("20000"));
    let huge = "a".repeat(MOST_BYTES + (128 << 10));
    let status = paste(&world, &browser, &huge).await.status.as_u16();
    assert_eq!(status, 413);
    assert_eq!(count(&world, "invitations").await, 0);
}

#[tokio::test]
async fn only_managers_of_the_page_see_and_send_invitations() {
    let world = World::new().await;
    world.person("Ana", "ana@example.edu").await;
    let path = format!("/p/{}/invitations", world.page.slug);
    let whose = {
        link(&world, "ada@example.edu").await;
        id_of(&world, "ada@example.edu").await
    };
    let visitor = Browser::new(&world);
    let sent = visitor.get(&path).await.expect(303);
    assert!(sent.location().starts_with("/sign-in?"), "{}", sent.location());
    let ana = signed_in(&world, world.institution.id, "ana@example.edu").await;
    ana.get(&path).await.expect(404);
    ana.get("/me").await.expect(200);
    for below in ["", &format!("/{whose}/withdraw"), &format!("/{whose}/again")] {
        ana.post(&format!("{path}{below}"), &[("addresses", "x@x.org")]).await.expect(404);
        visitor.post(&format!("{path}{below}"), &[]).await.expect(303);
    }
    // A manager's form of another site.
    let browser = manager(&world).await;
    browser.get(&path).await.expect(200);
    for below in [format!("/{whose}/withdraw"), format!("/{whose}/again")] {
        browser.post_bare(&format!("{path}{below}"), &[("csrf", "0")], &[]).await.expect(403);
        let csrf = browser.csrf();
        let foreign = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")];
        browser.post_bare(&format!("{path}{below}"), &[("csrf", &csrf)], &foreign).await.expect(403);
    }
    let file = ("addresses", &b"x@x.org"[..]);
    browser.post_file(&path, file, &[("csrf", "0")], &[]).await.expect(403);
    assert_eq!(count(&world, "invitations WHERE withdrawn_at IS NULL AND generation = 1").await, 1);
    assert_eq!(count(&world, "invitations").await, 1);
}

#[tokio::test]
async fn an_invitation_goes_with_the_person_the_registration_and_the_page() {
    let world = World::new().await;
    let (app, id) = (&world.app, world.institution.id);
    invite(&world, "ada@example.edu bea@example.edu cem@example.edu", &by_mail()).await;
    for email in ["ada@example.edu", "bea@example.edu"] {
        world.person("Somebody", email).await;
    }
    // By the API, from the page.
    let body = json!({ "name_page_id": world.page.slug });
    world.delete("/v5/participants/ada@example.edu", body).await.expect(200);
    assert_eq!((count(&world, "invitations").await, covered(&world).await), (2, 2));
    // Somebody else's deletion leaves those alone who have not registered.
    persons::erase(app, &Actor::Operator, id, "bea@example.edu".into(), persons::Rewrite::Later)
        .await
        .unwrap();
    assert_eq!((count(&world, "invitations").await, covered(&world).await), (1, 1));
    assert_eq!(state_of(&world, "cem@example.edu").await, InvitationState::Invited);
    name_pages::delete(app, &Actor::Operator, id, &page_ref(&world.page)).await.unwrap();
    assert_eq!(count(&world, "invitations").await, 0);
}
