//! Mails about name pages: what they look like, who does not get them, and that nobody waits because of them.

use std::time::Duration;

use endonym::{
    app::{
        Actor, bounces,
        invitations::{self, Terms},
        mail_texts, opt_outs,
    },
    domain::{
        address_list::Invitee,
        email::Email,
        ids::{InstitutionId, InvitationId, ParticipantId},
        language::Language,
        mail_text::PageMailKind,
        media::Kind,
        message::{Message, OutboxMessage, State},
        name_page::NamePageRef,
        session::PersonId,
    },
    store::Row,
};
use serde_json::Value;

use super::{Server, advance, all, enqueue, find, paced_mailer, reaches, world};
use crate::{
    pages::SOUND,
    support::{World, until},
};

const SECOND: Duration = Duration::from_secs(1);

/// Invites people, whose local part is also their first name.
async fn invite_in(world: &World, language: Option<Language>, emails: &[&str]) {
    invite_to(world, (world.institution.id, &world.page.slug), language, emails).await;
}

/// The same for a page of any institution.
pub async fn invite_to(
    world: &World,
    (institution, page): (InstitutionId, &str),
    language: Option<Language>,
    emails: &[&str],
) {
    let page = NamePageRef::parse(page).unwrap();
    let invitee = |email: &&str| Invitee {
        email: Email::parse(email).unwrap(),
        first_name: email.split('@').next().map(str::to_owned),
        last_name: None,
    };
    let invitees = emails.iter().map(invitee).collect();
    let terms = Terms { reminders: false, language, ..Terms::of(&world.app) };
    invitations::invite(&world.app, &Actor::Operator, institution, &page, invitees, &terms).await.unwrap();
    world.app.queue.wake();
}

pub async fn invite(world: &World, emails: &[&str]) {
    invite_in(world, None, emails).await;
}

/// The message to this address.
async fn message_to(world: &World, email: &str) -> Option<OutboxMessage> {
    all(world).await.into_iter().find(|message| message.to.as_given() == email)
}

async fn until_received(server: &Server, count: usize) -> Vec<Value> {
    until(&format!("{count} messages"), || async { server.received().len() >= count }).await;
    server.received()
}

fn content(message: &Value, part: usize) -> String {
    message["parts"][part]["content"].as_str().unwrap().replace("\r\n", "\n")
}

/// The link that stops messages.
fn stop_link(message: &Value) -> String {
    let header = message["headers"]["List-Unsubscribe"].as_str().unwrap();
    header.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).expect(header).to_owned()
}

async fn count(world: &World, table: &str) -> i64 {
    let text = format!("SELECT COUNT(*) FROM {table}");
    world.app.db.read().one(&text, &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test]
async fn an_invitation_has_both_forms_the_institutions_name_and_one_click_to_stop() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    invite(&world, &["ana@example.org"]).await;
    let message = &until_received(&server, 1).await[0];
    assert_eq!(message["defects"].as_array().unwrap().len(), 0, "{message}");
    let link = stop_link(message);
    assert!(link.starts_with(&format!("{}/u/", world.base)), "{link}");
    assert!(!link.contains("ana") && !link.contains('@'), "the address is not in the link: {link}");
    assert_eq!(message["headers"]["List-Unsubscribe-Post"], "List-Unsubscribe=One-Click");
    assert!(message["headers"]["Subject"].as_str().unwrap().contains(&world.page.title), "{message}");
    for part in 0..2 {
        let text = content(message, part);
        assert!(text.contains(&world.institution.name), "{text}");
        assert!(text.contains(&format!("{}/i/", world.base)), "{text}");
        assert!(text.contains(&link), "{text}");
        assert!(text.contains("ana"), "{text}");
        assert!(!text.contains('{'), "{text}");
    }
    assert!(content(message, 1).contains("<html lang=\"en\" dir=\"ltr\">"));
    let sent = message_to(&world, "ana@example.org").await.unwrap();
    assert_eq!(sent.message.kind(), "invitation");
    reaches(&world, sent.id, State::Sent, 1).await;
}

#[tokio::test]
async fn a_code_and_a_test_have_no_link_to_stop_them() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let institution = world.institution.id;
    enqueue(&world, Some(institution), "ana@example.org", Message::Test).await;
    let (kind, language) = (PageMailKind::Reminder, Language::Arabic);
    let to = Email::parse("admin@example.org").unwrap();
    mail_texts::send_test(&world.app, &Actor::Operator, institution, kind, language, to).await.unwrap();
    let received = until_received(&server, 2).await;
    assert!(received.iter().all(|one| one["headers"].get("List-Unsubscribe").is_none()), "{received:?}");
    let sample = received.iter().find(|one| one["rcpt_tos"][0] == "admin@example.org").unwrap();
    assert!(content(sample, 1).contains("<html lang=\"ar\" dir=\"rtl\">"), "{sample}");
    assert!(content(sample, 0).contains("\u{2068}Ada Lovelace\u{2069}"), "{sample}");
}

#[tokio::test]
async fn an_institutions_own_text_is_used_in_its_language_alone() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let (app, actor, institution) = (&world.app, &Actor::Operator, world.institution.id);
    let (kind, german) = (PageMailKind::Invitation, Language::German);
    let text = "Moin {name},\n<script>alert(1)</script> & {page}\n\n{link}\n\nBis {closes}.";
    mail_texts::set(app, actor, institution, kind, german, "Für {page}", text).await.unwrap();
    invite_in(&world, Some(german), &["ana@example.org"]).await;
    invite_in(&world, Some(Language::French), &["bea@example.org"]).await;
    world.work(1);
    let received = until_received(&server, 2).await;
    let to = |email: &str| received.iter().find(|one| one["rcpt_tos"][0] == email).unwrap();
    let german = to("ana@example.org");
    assert_eq!(german["headers"]["Subject"], format!("Für {}", world.page.title));
    let (plain, html) = (content(german, 0), content(german, 1));
    assert!(plain.contains("Moin \u{2068}ana\u{2069},\n<script>alert(1)</script> & "), "{plain}");
    assert!(!plain.contains("Bis"), "the page does not close: {plain}");
    assert!(html.contains("Moin <bdi>\u{2068}ana\u{2069}</bdi>,<br>") && !html.contains("<script"), "{html}");
    assert!(content(to("bea@example.org"), 0).contains("Bonjour \u{2068}bea\u{2069},"));
}

#[tokio::test]
async fn who_has_opted_out_gets_no_page_mails_and_still_gets_what_they_request() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let institution = world.institution.id;
    let person = PersonId { institution, email_key: "ana@example.org".into() };
    let link = opt_outs::link(&world.app, &world.base, &person).unwrap();
    let token = link.rsplit('/').next().unwrap();

    // Enqueued before.
    invite(&world, &["ana@example.org", "bea@example.org"]).await;
    assert_eq!(all(&world).await.len(), 2);
    assert!(opt_outs::opt_out(&world.app, token).await.unwrap());
    world.work(1);
    until("only Bea has a message", || async { all(&world).await.len() == 1 }).await;
    until_received(&server, 1).await;

    // Enqueued after.
    let later =
        Message::Reminder { invitation: InvitationId::new(1), number: 1, base_url: world.base.clone() };
    enqueue(&world, Some(institution), "Ana@Example.org", later).await;
    assert_eq!(all(&world).await.len(), 1, "it is not even enqueued");
    let test = enqueue(&world, Some(institution), "ana@example.org", Message::Test).await;
    reaches(&world, test, State::Sent, 1).await;
    let to: Vec<Value> = server.received().iter().map(|one| one["rcpt_tos"][0].clone()).collect();
    assert_eq!(to, ["bea@example.org", "ana@example.org"]);
}

#[tokio::test]
async fn an_address_that_does_not_exist_is_marked_and_gets_no_more_page_mails() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let (app, institution) = (&world.app, world.institution.id);
    invite(&world, &["unknown@example.org"]).await;
    let id = message_to(&world, "unknown@example.org").await.unwrap().id;
    let failed = reaches(&world, id, State::Failed, 1).await;
    assert_eq!(failed.answer.as_deref(), Some("550 5.1.1 There is no such mailbox"));
    let marked = bounces::all(app, &Actor::Operator, Some(institution), 10).await.unwrap();
    assert_eq!(marked.len(), 1);
    assert_eq!(
        (marked[0].email.as_str(), marked[0].answer.as_str()),
        ("unknown@example.org", "550 5.1.1 There is no such mailbox")
    );

    let again =
        || Message::Reminder { invitation: InvitationId::new(1), number: 1, base_url: world.base.clone() };
    enqueue(&world, Some(institution), "Unknown@example.org", again()).await;
    assert_eq!(all(&world).await.len(), 1, "a page mail is not enqueued");
    let test = enqueue(&world, Some(institution), "unknown@example.org", Message::Test).await;
    reaches(&world, test, State::Failed, 1).await;

    assert!(bounces::clear(app, &Actor::Operator, institution, "UNKNOWN@example.org").await.unwrap());
    assert!(!bounces::clear(app, &Actor::Operator, institution, "unknown@example.org").await.unwrap());
    enqueue(&world, Some(institution), "unknown@example.org", again()).await;
    // Nothing is known about this invitation, so the message is dropped when it is to be sent.
    until("the message is gone", || async { all(&world).await.len() == 2 }).await;
}

#[tokio::test]
async fn a_rejected_content_or_a_delay_says_nothing_about_the_address() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    invite(&world, &["spam@example.org", "greylisted@example.org", "full@example.org"]).await;
    let of = |email: &'static str| {
        let world = &world;
        async move { message_to(world, email).await.unwrap().id }
    };
    let (spam, delayed, full) =
        (of("spam@example.org").await, of("greylisted@example.org").await, of("full@example.org").await);
    reaches(&world, spam, State::Failed, 1).await;
    reaches(&world, delayed, State::Queued, 1).await;
    reaches(&world, full, State::Queued, 1).await;
    assert_eq!(count(&world, "mail_bounces").await, 0);
    // Page mails back off for longer than codes.
    advance(&world, 30 * SECOND).await;
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(find(&world, full).await.attempts, 1);
    advance(&world, 70 * SECOND).await;
    reaches(&world, full, State::Sent, 2).await;
    reaches(&world, delayed, State::Queued, 2).await;
    advance(&world, 200 * SECOND).await;
    reaches(&world, delayed, State::Sent, 3).await;
}

#[tokio::test]
async fn a_code_that_arrives_clears_the_mark_of_its_address() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let institution = world.institution.id;
    let mark =
        "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, $2, '550', 1)";
    let params = vec![institution.into(), "ana@example.org".into()];
    crate::support::database::execute(&world.app.db, mark, params).await;
    let test = enqueue(&world, Some(institution), "ana@example.org", Message::Test).await;
    reaches(&world, test, State::Sent, 1).await;
    assert_eq!(count(&world, "mail_bounces").await, 0);
}

#[tokio::test]
async fn bulk_messages_are_paced_and_delay_nobody() {
    let server = Server::start(&[]).await;
    // One at once, and the next after a minute.
    let world = world(paced_mailer(&server.url(), None, 1).unwrap()).await;
    world.work(1);
    let emails: Vec<String> = (0..20).map(|n| format!("p{n}@example.org")).collect();
    invite(&world, &emails.iter().map(String::as_str).collect::<Vec<_>>()).await;
    until_received(&server, 1).await;
    for n in 0..5 {
        let code = enqueue(&world, None, &format!("code{n}@example.org"), Message::Test).await;
        reaches(&world, code, State::Sent, 1).await;
    }
    let is_bulk = |one: &Value| one["rcpt_tos"][0].as_str().unwrap().starts_with('p');
    assert_eq!(server.received().iter().filter(|one| is_bulk(one)).count(), 1);
    world.advance(61 * SECOND);
    until("the next one", || async { server.received().iter().filter(|one| is_bulk(one)).count() == 2 })
        .await;
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(server.received().len(), 2 + 5);
}

#[tokio::test]
async fn many_messages_share_connections_and_none_is_sent_twice() {
    let server = Server::start(&[]).await;
    let world = world(paced_mailer(&server.url(), None, 1_000_000).unwrap()).await;
    let emails: Vec<String> = (0..60).map(|n| format!("p{n}@example.org")).collect();
    let emails: Vec<&str> = emails.iter().map(String::as_str).collect();
    invite(&world, &emails).await;
    // The same people again, at the same time as the workers of two processes.
    world.work(1);
    world.work(1);
    invite(&world, &emails).await;
    until("all are sent", || async { all(&world).await.iter().all(|message| message.state == State::Sent) })
        .await;
    let mut to: Vec<String> =
        server.received().iter().map(|one| one["rcpt_tos"][0].as_str().unwrap().to_owned()).collect();
    to.sort();
    let mut expected: Vec<String> = emails.iter().map(|email| (*email).to_owned()).collect();
    expected.sort();
    assert_eq!(to, expected);
    let connections: std::collections::BTreeSet<i64> =
        server.received().iter().map(|one| one["connection"].as_i64().unwrap()).collect();
    // Two workers of each kind in each of two groups.
    assert!(connections.len() <= 8, "{connections:?}");
}

#[tokio::test]
async fn only_people_with_a_recording_are_told_that_it_will_be_deleted() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let ana = world.person("Ana", "ana@example.org").await;
    let bo = world.person("Bo", "bo@example.org").await;
    let cem = world.person("Cem", "cem@example.org").await;
    let dan = world.person("Dan", "dan@example.org").await;
    world.give(&ana, Kind::Recording, SOUND).await;
    world.give(&bo, Kind::Photo, b"his face").await;
    // Only what waits for approval, and only the legal name.
    let held = world.give(&cem, Kind::Recording, SOUND).await;
    let hold = "UPDATE media SET kind = 'held', hidden = TRUE WHERE hex = $1";
    crate::support::database::execute(&world.app.db, hold, vec![held.into()]).await;
    world.give(&dan, Kind::LegalRecording, SOUND).await;
    let text = "SELECT id, email FROM participants ORDER BY id";
    let read = |row: &Row<'_>| Ok((row.id::<ParticipantId>(0)?, row.text(1)?));
    for (participant, email) in world.app.db.read().rows(text, &[], read).await.unwrap() {
        let (on, base_url) = ("2027-01-31".to_owned(), world.base.clone());
        let message = Message::Retention { participant, on, base_url };
        enqueue(&world, Some(world.institution.id), &email, message).await;
    }
    world.work(1);
    until("Bo's message is gone", || async { all(&world).await.len() == 3 }).await;
    let received = until_received(&server, 3).await;
    let mut to: Vec<&str> = received.iter().map(|one| one["rcpt_tos"][0].as_str().unwrap()).collect();
    to.sort_unstable();
    assert_eq!(to, ["ana@example.org", "cem@example.org", "dan@example.org"]);
    let to_ana = received.iter().find(|one| one["rcpt_tos"][0] == "ana@example.org").unwrap();
    let text = content(to_ana, 0);
    let link = format!("\n{}/p/{}/own\n", world.base, world.page.slug);
    assert!(text.contains("\u{2068}2027-01-31\u{2069}") && text.contains(&link), "{text}");
}

#[tokio::test]
async fn a_withdrawn_invitation_is_not_sent() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    invite(&world, &["ana@example.org"]).await;
    let withdraw = "UPDATE invitations SET withdrawn_at = 1";
    crate::support::database::execute(&world.app.db, withdraw, Vec::new()).await;
    world.work(1);
    until("the message is gone", || async { all(&world).await.is_empty() }).await;
    assert!(server.received().is_empty());
}
