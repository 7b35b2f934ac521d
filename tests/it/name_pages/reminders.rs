//! Reminders of invitations: when they come, to whom, and never twice.

use std::{process::Stdio, time::Duration};

use endonym::{
    app::invitations,
    clock::Clock,
    domain::{invitation::MOST_REMINDERS, media::Kind, moment::Moment},
    store::Db,
};
use jiff::tz::TimeZone;

use super::invitations::{by_links, by_mail, count, invite, link};
use crate::{
    mail::{self, FROM, Server},
    support::{Setup, World, database::execute, process::Installation, until},
};

const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);
/// The messages that managers of a page see.
const REMINDED: &str = "outbox WHERE message LIKE '%\"kind\":\"reminder\"%' AND name_page_id IS NOT NULL";

/// A Monday afternoon in New York.
async fn world() -> World {
    let world = World::new().await;
    world.app.clock.set(Moment::parse("2026-03-02T20:00:00Z").unwrap());
    world
}

/// Looks for due reminders every ten minutes for so many days, as a worker does. Returns when each was sent.
async fn wait(world: &World, days: u64) -> Vec<Moment> {
    let mut sent = Vec::new();
    let mut before = count(world, REMINDED).await;
    for _ in 0..days * 24 * 6 {
        world.advance(Duration::from_secs(600));
        invitations::remind_due(&world.app).await.unwrap();
        let now = count(world, REMINDED).await;
        sent.extend((before..now).map(|_| world.app.clock.now()));
        before = now;
    }
    sent
}

/// Moves the clock to a time at which a reminder of everybody is due.
pub async fn to_the_morning(world: &World) {
    mail::until_idle(world).await;
    let text = "SELECT MAX(next_reminder_at) FROM invitations";
    let last = world.app.db.read().one(text, &[], |row| row.opt_int(0)).await.unwrap().flatten();
    world
        .app
        .clock
        .set(Moment::from_micros(last.expect("somebody is to be reminded")).plus(Duration::from_secs(1)));
}

#[tokio::test]
async fn three_reminders_come_in_the_morning_at_least_three_days_apart() {
    let world = world().await;
    let zone = TimeZone::get("America/New_York").unwrap();
    let mut before = world.app.clock.now();
    invite(&world, "ada@example.edu", &by_mail()).await;
    let sent = wait(&world, 30).await;
    assert_eq!(sent.len(), MOST_REMINDERS as usize);
    for at in sent {
        assert!(at.since(before) >= 3 * DAY, "{at:?}");
        let shown = at.shown_in(&zone);
        assert!(("08:00".."10:00").contains(&&shown[11..16]), "{shown}");
        before = at;
    }
    assert_eq!(count(&world, "invitations WHERE next_reminder_at IS NULL AND reminders = 3").await, 1);
    // Whoever is invited again is reminded again.
    world.advance(90 * DAY);
    invite(&world, "ada@example.edu", &by_mail()).await;
    assert_eq!(wait(&world, 20).await.len(), 3);
}

#[tokio::test]
async fn it_is_morning_where_the_recipients_phone_is() {
    let world = world().await;
    world.person("Yui", "yui@example.edu").await;
    execute(&world.app.db, "UPDATE participants SET phone_number = '+81312345678'", vec![]).await;
    invite(&world, "yui@example.edu", &by_mail()).await;
    let zone = TimeZone::get("Asia/Tokyo").unwrap();
    let sent = wait(&world, 14).await;
    assert_eq!(sent.len(), MOST_REMINDERS as usize);
    for at in sent {
        let shown = at.shown_in(&zone);
        assert!(("08:00".."10:00").contains(&&shown[11..16]), "{shown}");
    }
}

#[tokio::test]
async fn who_has_recorded_in_between_is_not_reminded_again() {
    let world = world().await;
    invite(&world, "ada@example.edu", &by_mail()).await;
    assert_eq!(wait(&world, 6).await.len(), 1);
    let ada = world.person("Ada", "ada@example.edu").await;
    assert_eq!(wait(&world, 5).await.len(), 1, "registered is not recorded");
    world.give(&ada, Kind::Recording, b"sound").await;
    assert!(wait(&world, 10).await.is_empty());
    assert_eq!(count(&world, "invitations WHERE next_reminder_at IS NULL").await, 1);
}

#[tokio::test]
async fn nobody_is_reminded_who_does_not_want_it_or_cannot_be_reached() {
    let world = world().await;
    invite(&world, "a@x.org b@x.org c@x.org d@x.org", &by_mail()).await;
    invite(&world, "e@x.org", &endonym::app::invitations::Terms { reminders: false, ..by_mail() }).await;
    link(&world, "f@x.org").await;
    assert_eq!(count(&world, "invitations WHERE next_reminder_at IS NOT NULL").await, 4);
    let id = world.institution.id;
    for text in [
        "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, 'a@x.org', 1)",
        "INSERT INTO mail_bounces (institution_id, email_key, answer, bounced_at) VALUES ($1, 'b@x.org', '550', 1)",
        "UPDATE invitations SET withdrawn_at = 1 WHERE institution_id = $1 AND email_key = 'c@x.org'",
        "UPDATE invitations SET expires_at = created_at + 1 WHERE institution_id = $1 AND email_key = 'd@x.org'",
    ] {
        assert_eq!(execute(&world.app.db, text, vec![id.into()]).await, 1, "{text}");
    }
    assert!(wait(&world, 12).await.is_empty());
    // The first two may change their minds, and get another address.
    assert_eq!(count(&world, "invitations WHERE next_reminder_at IS NOT NULL").await, 2);
    for table in ["mail_opt_outs", "mail_bounces"] {
        execute(&world.app.db, format!("DELETE FROM {table}"), vec![]).await;
    }
    assert_eq!(wait(&world, 2).await.len(), 2);
}

#[tokio::test]
async fn whose_recording_is_rejected_is_reminded_again() {
    let world = world().await;
    invite(&world, "ada@example.edu", &by_mail()).await;
    let ada = world.person("Ada", "ada@example.edu").await;
    world.give(&ada, Kind::Recording, b"sound").await;
    execute(&world.app.db, "UPDATE media SET kind = 'held'", vec![]).await;
    assert!(wait(&world, 6).await.is_empty());
    execute(&world.app.db, "DELETE FROM media", vec![]).await;
    assert_eq!(wait(&world, 2).await.len(), 1);
}

#[tokio::test]
async fn a_page_that_is_closed_or_archived_reminds_nobody_until_it_is_open_again() {
    let world = world().await;
    invite(&world, "ada@example.edu", &by_mail()).await;
    for column in ["closes_at", "archived_at"] {
        let closed = world.app.clock.now().micros();
        execute(&world.app.db, format!("UPDATE name_pages SET {column} = $1"), vec![closed.into()]).await;
        assert!(wait(&world, 6).await.is_empty(), "{column}");
        execute(&world.app.db, format!("UPDATE name_pages SET {column} = NULL"), vec![]).await;
        assert_eq!(wait(&world, 2).await.len(), 1, "{column}");
    }
}

#[tokio::test]
async fn a_worker_that_was_away_does_not_remind_in_the_evening() {
    let world = world().await;
    invite(&world, "ada@example.edu", &by_mail()).await;
    to_the_morning(&world).await;
    world.advance(8 * HOUR);
    invitations::remind_due(&world.app).await.unwrap();
    assert_eq!(count(&world, REMINDED).await, 0);
    let sent = wait(&world, 1).await;
    assert_eq!(sent.len(), 1);
}

#[tokio::test]
async fn several_workers_at_once_remind_everybody_once() {
    let world = world().await;
    let list: String = (0..350).map(|n| format!("p{n}@x.org\n")).collect();
    invite(&world, &list, &by_mail()).await;
    to_the_morning(&world).await;
    // All of them are due at once, as after a pause of the workers.
    let done = futures_util::future::join_all((0..5).map(|_| invitations::remind_due(&world.app))).await;
    done.into_iter().for_each(|done| done.unwrap());
    assert_eq!(count(&world, REMINDED).await, 350);
    assert_eq!(count(&world, "invitations WHERE reminders = 1").await, 350);
    invitations::remind_due(&world.app).await.unwrap();
    assert_eq!(count(&world, REMINDED).await, 350);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reminders_and_invitations_do_not_wait_for_each_other_for_ever() {
    let world = world().await;
    let list: String = (0..60).map(|n| format!("p{n}@x.org\n")).collect();
    invite(&world, &list, &by_mail()).await;
    for _ in 0..10 {
        // All of them are to be invited again. The latest ones are due first.
        let expired = "UPDATE invitations SET expires_at = 1, next_reminder_at = 1000000 - (id % 1000000)";
        assert_eq!(execute(&world.app.db, expired, vec![]).await, 60);
        let terms = by_mail();
        let both = tokio::join!(invitations::remind_due(&world.app), invite(&world, &list, &terms));
        both.0.unwrap();
        assert_eq!(both.1.invited, 60);
    }
}

#[tokio::test]
async fn everybody_has_a_time_of_their_own() {
    let world = world().await;
    let list: String = (0..500).map(|n| format!("p{n}@x.org\n")).collect();
    invite(&world, &list, &by_mail()).await;
    let read = "SELECT COUNT(DISTINCT next_reminder_at / 60000000) FROM invitations";
    let minutes = world.app.db.read().one(read, &[], |row| row.int(0)).await.unwrap().unwrap();
    assert!(minutes > 60, "{minutes}");
}

#[tokio::test]
async fn a_worker_sends_the_invitation_and_the_reminder_to_a_real_mail_server() {
    let server = Server::start(&[]).await;
    let world = World::with(Setup { mail: server.mailer(), ..Setup::default() }).await;
    world.app.clock.set(Moment::parse("2026-03-02T20:00:00Z").unwrap());
    world.work(1);
    invite(&world, "Ada Lovelace <ada@example.edu>", &by_mail()).await;
    until("the invitation arrives", || async { server.received().len() == 1 }).await;
    to_the_morning(&world).await;
    until("the reminder arrives", || async { server.received().len() == 2 }).await;
    let path = link(&world, "ada@example.edu").await;
    for message in server.received() {
        assert_eq!(message["rcpt_tos"][0], "ada@example.edu");
        let whole = message.to_string();
        assert!(whole.contains(&path) && whole.contains("Class of 2027"), "{whole}");
        assert!(whole.contains("Example University"), "{whole}");
    }
    assert_eq!(mail::all(&world).await.len(), 2);
    // There is one job, however many workers start.
    world.work(1);
    assert_eq!(count(&world, "jobs WHERE kind = 'send_reminders'").await, 1);
}

/// A zone in which it is after eight in the morning, for at least an hour.
fn zone_of_morning() -> String {
    let minutes = Clock::system().now().micros() / 60_000_000;
    let hour = minutes.div_euclid(60).rem_euclid(24);
    // The sign is the other way round in these names.
    match (8 - hour).rem_euclid(24) {
        ahead @ 0..=14 => format!("Etc/GMT-{ahead}"),
        ahead => format!("Etc/GMT+{}", 24 - ahead),
    }
}

async fn number(db: &Db, text: &str) -> i64 {
    db.read().one(&format!("SELECT COUNT(*) FROM {text}"), &[], |row| row.int(0)).await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_killed_in_the_middle_remind_nobody_twice_and_forget_nobody() {
    const PEOPLE: i64 = 1_200;
    let here = Installation::new().await;
    let zone = zone_of_morning();
    let created = ["institution", "create", "--name", "Example", "--slug", "example", "--time-zone", &zone];
    here.succeed(&created);
    here.succeed(&["name-page", "create", "--institution", "example", "--title", "Class", "--slug", "class"]);
    let list: String = (0..PEOPLE).map(|n| format!("p{n}@x.org\n")).collect();
    let file = here.write("list.txt", list);
    let whom =
        ["invite", "--institution", "example", "--name-page", "class", "--file", file.to_str().unwrap()];
    let mail = ["--mail-url", "smtp://127.0.0.1:9", "--mail-from", FROM];
    here.succeed(&[&whom[..], &mail].concat());
    let db = here.database().await;
    let old = Clock::system().now().minus(5 * DAY).micros();
    execute(&db, "DELETE FROM jobs", vec![]).await;
    execute(&db, "UPDATE invitations SET created_at = $1, next_reminder_at = $1", vec![old.into()]).await;
    // Without mail settings, nothing is sent, and only the reminders are written.
    let work = || {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(here.path("work.log")).unwrap();
        let words = ["work", "--workers", "2", "--job-lease-seconds", "1"];
        here.command(&words).stdout(Stdio::null()).stderr(log).spawn().unwrap()
    };
    let reminded = "invitations WHERE reminders > 0";
    // The first run of a periodic job is a minute after somebody enqueues it.
    let mut worker = work();
    while number(&db, "jobs WHERE kind = 'send_reminders'").await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.kill().unwrap();
    worker.wait().unwrap();
    let now = "UPDATE jobs SET run_at = 0 WHERE kind = 'send_reminders' AND state = 'waiting'";
    for _ in 0..3 {
        execute(&db, now, vec![]).await;
        let before = number(&db, reminded).await;
        let mut workers = [work(), work()];
        let waiting = async {
            while number(&db, reminded).await == before && before < PEOPLE {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), waiting).await.expect("a worker reminds somebody");
        for worker in &mut workers {
            worker.kill().unwrap();
            worker.wait().unwrap();
        }
        assert_eq!(number(&db, reminded).await, number(&db, REMINDED).await, "both or none");
    }
    execute(&db, now, vec![]).await;
    let mut workers = [work(), work()];
    let finished = async {
        while number(&db, reminded).await < PEOPLE {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let finished = tokio::time::timeout(Duration::from_secs(90), finished).await;
    for worker in &mut workers {
        worker.kill().unwrap();
        worker.wait().unwrap();
    }
    let log = std::fs::read_to_string(here.path("work.log")).unwrap();
    assert!(finished.is_ok(), "{log}");
    assert_eq!(number(&db, "invitations WHERE reminders = 1").await, PEOPLE);
    assert_eq!(number(&db, REMINDED).await, PEOPLE);
}

#[tokio::test]
async fn links_that_were_handed_out_are_not_followed_by_mail() {
    let world = world().await;
    invite(&world, "ada@example.edu", &by_links()).await;
    assert!(wait(&world, 8).await.is_empty());
    assert_eq!(count(&world, "outbox").await, 0);
}
