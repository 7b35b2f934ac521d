//! What arrives, and what happens when something does not.

use std::time::Duration;

use endonym::{
    app::{Actor, institutions, outbox},
    domain::{
        email::Email,
        ids::{MessageId, SignInRequestId},
        message::{Message, State},
    },
    mail::{Language, Mailbox, OutgoingMail, Rendered, render},
};

use super::{Server, advance, all, certificate, enqueue, find, mailer, reaches, world};
use crate::support::until;

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(24 * 3_600);

#[tokio::test]
async fn a_message_arrives_with_plain_text_html_and_all_headers() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, Some(world.institution.id), "ana@exämple.org", Message::Test).await;
    let sent = reaches(&world, id, State::Sent, 1).await;
    assert_eq!(sent.answer.as_deref(), Some("250 2.0.0 Accepted as 42"));
    let received = server.received();
    assert_eq!(received.len(), 1);
    let message = &received[0];
    assert_eq!(message["mail_from"], "names@example.edu");
    assert_eq!(message["rcpt_tos"][0], "ana@xn--exmple-cua.org");
    assert_eq!(message["defects"].as_array().unwrap().len(), 0, "{message}");
    assert_eq!(message["from_name"], "Names at Éxample");
    assert_eq!(message["type"], "multipart/alternative");
    let types = ["text/plain", "text/html"];
    for (n, kind) in types.into_iter().enumerate() {
        assert_eq!(message["parts"][n]["type"], kind);
        assert!(message["parts"][n]["content"].as_str().unwrap().contains("this installation can send mail"));
    }
    let headers = &message["headers"];
    assert_eq!(headers["To"], "ana@xn--exmple-cua.org");
    assert_eq!(headers["Subject"], "Test message");
    assert_eq!(headers["Message-ID"], format!("<endonym-{id}@example.edu>"));
    assert_eq!(headers["Auto-Submitted"], "auto-generated");
    assert!(headers["Date"].as_str().unwrap().ends_with(" +0000"), "{headers}");
}

#[tokio::test]
async fn names_and_texts_in_any_script_arrive_unchanged() {
    let server = Server::start(&[]).await;
    let mail = render::SignIn {
        code: "K7PX4MQA".into(),
        link: "https://names.example.edu/sign-in/link/abc".into(),
        email: "用户@例子.中国".into(),
        language: Language::English,
        institution_name: Some("جامعة المثال 🎓".into()),
    };
    let mail = OutgoingMail {
        id: MessageId::new(7),
        to: Email::parse("用户@例子.中国").unwrap(),
        reply_to: Mailbox::parse("Søren, Registrar <registrar@example.edu>"),
        content: render::sign_in(&mail).unwrap(),
        unsubscribe: None,
        date: endonym::domain::moment::Moment::from_micros(1_767_225_600_000_000),
    };
    server.mailer().send(&mail).await.unwrap();
    let message = &server.received()[0];
    assert_eq!(message["rcpt_tos"][0], "用户@xn--fsqu00a.xn--fiqs8s");
    assert_eq!(message["headers"]["Subject"], "Your code to sign in: جامعة المثال 🎓");
    assert_eq!(message["headers"]["Reply-To"], "\"Søren, Registrar\" <registrar@example.edu>");
    assert_eq!(message["headers"]["Date"], "Thu, 01 Jan 2026 00:00:00 +0000");
    let text = message["parts"][0]["content"].as_str().unwrap().replace("\r\n", "\n");
    assert!(text.contains("\u{2068}جامعة المثال 🎓\u{2069}") && text.contains("\n    K7PX4MQA\n"), "{text}");
    let html = message["parts"][1]["content"].as_str().unwrap();
    assert!(
        html.contains("<bdi>\u{2068}جامعة المثال 🎓\u{2069}</bdi>") && html.contains("dir=\"ltr\""),
        "{html}"
    );
}

#[tokio::test]
async fn an_address_that_the_server_cannot_represent_fails_for_good() {
    let server = Server::start(&["--ascii-only"]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, None, "用户@example.org", Message::Test).await;
    let failed = reaches(&world, id, State::Failed, 1).await;
    assert!(failed.answer.as_deref().unwrap().contains("SMTPUTF8"));
    let id = enqueue(&world, None, "ana@example.org", Message::Test).await;
    reaches(&world, id, State::Sent, 1).await;
    assert!(server.received().iter().all(|message| message["ascii"] == true));
}

#[tokio::test]
async fn starttls_and_an_account_protect_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(folder.path());
    let options = [
        "--certificate",
        certificate.to_str().unwrap(),
        key.to_str().unwrap(),
        "--account",
        "names@x",
        "p:/é",
    ];
    let server = Server::start(&options).await;
    let url = |password: &str| format!("smtp://names%40x:{password}@localhost:{}", server.port);
    let mail = |n| OutgoingMail {
        id: MessageId::new(n),
        to: Email::parse("ana@example.org").unwrap(),
        reply_to: None,
        content: Rendered { subject: "S".into(), text: "T".into(), html: "H".into() },
        unsubscribe: None,
        date: endonym::domain::moment::Moment::from_micros(0),
    };
    let trusted = mailer(&url("p%3A%2F%C3%A9"), Some(certificate.clone())).unwrap();
    assert!(trusted.check().await.unwrap().starts_with("250 "));
    // The second one over the same connection.
    trusted.send(&mail(1)).await.unwrap();
    trusted.send(&mail(2)).await.unwrap();
    let received = server.received();
    assert_eq!(received.len(), 2);
    assert!(received.iter().all(|one| one["encrypted"] == true && one["user"] == "names@x"), "{received:?}");

    let why = mailer(&url("wrong"), Some(certificate.clone())).unwrap().send(&mail(3)).await.unwrap_err();
    assert!(why.contains("authentication as `names@x`") && why.contains("535"), "{why}");
    assert!(!why.contains("wrong"), "{why}");
    let other = tempfile::tempdir().unwrap();
    let (other, _) = super::certificate(other.path());
    let other = std::fs::read(other).unwrap();
    let wrong_ca = folder.path().join("other.pem");
    std::fs::write(&wrong_ca, other).unwrap();
    let why = mailer(&url("p%3A%2F%C3%A9"), Some(wrong_ca)).unwrap().send(&mail(4)).await.unwrap_err();
    assert!(why.contains("TLS with localhost"), "{why}");
    assert_eq!(server.received().len(), 2, "nothing was sent over a connection that is not trusted");
}

#[tokio::test]
async fn a_server_without_starttls_gets_nothing_where_it_is_required() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, _) = certificate(folder.path());
    let server = Server::start(&[]).await;
    let why = mailer(&server.url(), Some(certificate)).unwrap().check().await.unwrap_err();
    assert!(why.contains("does not offer STARTTLS"), "{why}");
}

#[tokio::test]
async fn smtps_is_encrypted_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = certificate(folder.path());
    let options = ["--certificate", certificate.to_str().unwrap(), key.to_str().unwrap(), "--wrapped"];
    let server = Server::start(&options).await;
    let url = format!("smtps://localhost:{}", server.port);
    let world = world(mailer(&url, Some(certificate)).unwrap()).await;
    world.work(1);
    let id = enqueue(&world, None, "ana@example.org", Message::Test).await;
    reaches(&world, id, State::Sent, 1).await;
    assert_eq!(server.received()[0]["encrypted"], true);
}

#[tokio::test]
async fn a_temporary_refusal_is_retried_with_backoff() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, None, "greylisted@example.org", Message::Test).await;
    let deferred = reaches(&world, id, State::Queued, 1).await;
    assert_eq!(deferred.answer.as_deref(), Some("451 4.7.1 Greylisted, try again later"));
    advance(&world, 2 * SECOND).await;
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(find(&world, id).await.attempts, 1, "the first retry comes after five seconds");
    advance(&world, 6 * SECOND).await;
    reaches(&world, id, State::Queued, 2).await;
    advance(&world, 15 * SECOND).await;
    reaches(&world, id, State::Sent, 3).await;
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_refusal_after_the_content_is_retried_under_the_same_message_id() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, None, "full@example.org", Message::Test).await;
    let deferred = reaches(&world, id, State::Queued, 1).await;
    assert_eq!(deferred.answer.as_deref(), Some("452 4.2.2 The mailbox is full"));
    advance(&world, 8 * SECOND).await;
    reaches(&world, id, State::Sent, 2).await;
    let received = server.received();
    let accepted: Vec<bool> = received.iter().map(|one| one["accepted"] == true).collect();
    assert_eq!(accepted, [false, true]);
    assert_eq!(received[0]["headers"]["Message-ID"], received[1]["headers"]["Message-ID"]);
}

#[tokio::test]
async fn a_permanent_refusal_is_final_and_says_what_the_server_said() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    for (to, answer) in [
        ("unknown@example.org", "550 5.1.1 There is no such mailbox"),
        ("spam@example.org", "554 5.7.1 This looks like spam"),
    ] {
        let id = enqueue(&world, None, to, Message::Test).await;
        let failed = reaches(&world, id, State::Failed, 1).await;
        assert_eq!(failed.answer.as_deref(), Some(answer));
    }
    advance(&world, DAY).await;
    tokio::time::sleep(SECOND / 2).await;
    assert!(all(&world).await.iter().all(|one| one.attempts == 1 && one.state == State::Failed));
}

#[tokio::test]
async fn a_lost_answer_is_not_followed_by_a_second_message() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, None, "cut@example.org", Message::Test).await;
    reaches(&world, id, State::Unconfirmed, 1).await;
    advance(&world, DAY).await;
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(server.received().len(), 1, "it arrived, and was not sent again");

    assert!(
        outbox::retry(&world.app, &Actor::Operator, None, id).await.unwrap(),
        "an operator may send it again"
    );
    reaches(&world, id, State::Unconfirmed, 2).await;
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn a_server_that_is_down_is_tried_until_the_message_expires() {
    let mut server = Server::start(&[]).await;
    server.kill();
    let world = world(server.mailer()).await;
    world.work(1);
    let id = enqueue(&world, None, "ana@example.org", Message::Test).await;
    let deferred = reaches(&world, id, State::Queued, 1).await;
    assert!(deferred.answer.as_deref().unwrap().contains("refused"));
    advance(&world, DAY).await;
    let deferred = reaches(&world, id, State::Queued, 2).await;
    assert!(deferred.answer.is_some());
    advance(&world, DAY).await;
    let expired = reaches(&world, id, State::Expired, 2).await;
    assert!(expired.answer.as_deref().unwrap().contains("refused"), "the reason is kept");
    assert!(outbox::retry(&world.app, &Actor::Operator, None, id).await.unwrap());
    reaches(&world, id, State::Queued, 3).await;
}

#[tokio::test]
async fn a_sign_in_message_expires_with_its_code_and_is_enqueued_once() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let message = |n| Message::SignIn { request: SignInRequestId::new(n), base_url: world.base.clone() };
    let id = enqueue(&world, None, "ana@example.org", message(1)).await;
    enqueue(&world, None, "ana@example.org", message(1)).await;
    assert_eq!(all(&world).await.len(), 1);
    enqueue(&world, None, "ana@example.org", message(2)).await;
    assert_eq!(all(&world).await.len(), 2);
    world.advance(601 * SECOND);
    world.work(1);
    reaches(&world, id, State::Expired, 0).await;
    assert_eq!(server.received().len(), 0);
}

#[tokio::test]
async fn messages_go_with_their_institution_and_after_thirty_days() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let neighbor = world.neighbor().await;
    enqueue(&world, Some(neighbor.institution.id), "ana@example.org", Message::Test).await;
    let kept = enqueue(&world, Some(world.institution.id), "ana@example.org", Message::Test).await;
    institutions::delete(&world.app, &Actor::Operator, &neighbor.institution.slug).await.unwrap();
    let left: Vec<MessageId> = all(&world).await.iter().map(|message| message.id).collect();
    assert_eq!(left, [kept]);

    world.work(1);
    reaches(&world, kept, State::Sent, 1).await;
    advance(&world, 29 * DAY).await;
    outbox::remove_old(&world.app).await.unwrap();
    assert_eq!(all(&world).await.len(), 1);
    advance(&world, 2 * DAY).await;
    until("the periodic job removes it", || async { all(&world).await.is_empty() }).await;
    assert_eq!(server.received().len(), 1);
}
