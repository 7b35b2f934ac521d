//! How fast messages are sent: one pace for all processes that share a database.

use std::{process::Stdio, time::Duration};

use endonym::{
    app::{Actor, jobs},
    clock::Clock,
    domain::{
        job::Lane,
        message::{Message, State},
        moment::Moment,
    },
    store::Db,
};

use super::{
    FROM, Server, advance, enqueue, invite_many, paced_mailer,
    page_mail::{invite, invite_to},
    reaches, world,
};
use crate::support::{database::execute, process::Installation, until};

const MINUTE: Duration = Duration::from_secs(60);

/// The first turn that nobody has reserved.
async fn free(db: &Db) -> Moment {
    let text = "SELECT next_at FROM mail_pace";
    let found = db.read().one(text, &[], |row| row.int(0).map(Moment::from_micros)).await.unwrap();
    found.expect("there is one")
}

#[tokio::test]
async fn two_processes_together_keep_the_pace() {
    let (here, _) = Installation::with_token().await;
    let server = Server::start(&[]).await;
    let url = server.url();
    // One at once, and the next after a minute.
    let mail = ["--mail-url", &url, "--mail-from", FROM, "--mail-per-minute", "1"];
    invite_many(&here, 8, &mail);
    let (db, start) = (here.database().await, Clock::system().now());
    let work = || {
        let mut command = here.command(&[&["work", "--workers", "1"][..], &mail[..]].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap()
    };
    let _processes = [work(), work()];
    until("a message", || async { !server.received().is_empty() }).await;
    // Each of them has two workers for page mails. One has sent the first page mail, and all four wait.
    until("everybody has a turn", || async { free(&db).await >= start.plus(5 * MINUTE) }).await;
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_code_does_not_wait_and_the_next_page_mails_wait_longer_instead() {
    let server = Server::start(&[]).await;
    let world = world(paced_mailer(&server.url(), None, 1).unwrap()).await;
    world.work(1);
    let start = world.app.clock.now();
    let code = enqueue(&world, None, "code@example.org", Message::Test).await;
    reaches(&world, code, State::Sent, 1).await;
    let first = free(&world.app.db).await;
    assert!(first >= start.plus(MINUTE), "the code has taken a turn");
    invite(&world, &["ana@example.org", "bea@example.org"]).await;
    let both = first.plus(2 * MINUTE);
    until("both page mails have a turn", || async { free(&world.app.db).await == both }).await;
    assert_eq!(server.received().len(), 1, "only the code");
    world.advance(MINUTE);
    until("the first page mail", || async { server.received().len() == 2 }).await;
}

#[tokio::test]
async fn a_page_mail_is_sent_later_if_no_turn_can_be_reserved() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    execute(&world.app.db, "DELETE FROM mail_pace", vec![]).await;
    world.work(1);
    invite(&world, &["ana@example.org"]).await;
    until("an attempt has failed", || async {
        let all = jobs::all(&world.app, &Actor::Operator, None, i64::MAX).await.unwrap();
        all.iter().any(|job| job.kind == "send_bulk_mail" && job.error.is_some())
    })
    .await;
    assert_eq!(server.received().len(), 0);
    execute(&world.app.db, "INSERT INTO mail_pace (id, next_at) VALUES (1, 0)", vec![]).await;
    advance(&world, 2 * MINUTE).await;
    until("the page mail", || async { server.received().len() == 1 }).await;
}

#[tokio::test]
async fn many_page_mails_of_one_institution_do_not_delay_the_one_of_another() {
    let server = Server::start(&[]).await;
    let world = world(server.mailer()).await;
    let neighbor = world.neighbor().await;
    let many: Vec<String> = (0..40).map(|n| format!("p{n}@example.org")).collect();
    invite(&world, &many.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let theirs = (neighbor.institution.id, neighbor.page.slug.as_str());
    invite_to(&world, theirs, None, &["zoe@example.com"]).await;
    let mut whose = Vec::new();
    for _ in 0..3 {
        let claimed = jobs::claim(&world.app, MINUTE, &[Lane::BulkMail]).await.unwrap();
        whose.push(claimed.expect("a page mail is due").job.institution());
    }
    let (one, two) = (world.institution.id, neighbor.institution.id);
    assert_eq!(whose, [one, two, one].map(Some));
}
