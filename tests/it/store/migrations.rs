//! Databases of older versions are migrated with all their data.

use endonym::{
    domain::{
        access::{Action, TokenScope},
        ids::{ExportId, InstitutionId, TokenId},
    },
    store::{Db, Error, exports, migrations, tokens},
};

use crate::support::database::{execute, options};

/// The first six migrations.
const OLDEST: [&str; 6] = [
    include_str!("../../../migrations/0001_foundation.sql"),
    include_str!("../../../migrations/0002_media.sql"),
    include_str!("../../../migrations/0003_names.sql"),
    include_str!("../../../migrations/0004_jobs_and_exports.sql"),
    include_str!("../../../migrations/0005_calls.sql"),
    include_str!("../../../migrations/0006_courses.sql"),
];

/// Runs the first migrations, like a version that had no others.
async fn older(db: &Db, texts: &[&str]) {
    execute(db, "CREATE TABLE migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)", vec![])
        .await;
    for (number, text) in (1_i64..).zip(texts) {
        let lines: String =
            text.lines().filter(|line| !line.starts_with("--")).map(|line| format!("{line}\n")).collect();
        for statement in lines.split(';').filter(|statement| !statement.trim().is_empty()) {
            execute(db, statement, vec![]).await;
        }
        execute(db, "INSERT INTO migrations (number, name) VALUES ($1, 'older')", vec![number.into()]).await;
    }
}

#[tokio::test]
async fn people_from_before_names_had_keys_are_given_theirs() {
    let (options, _folder) = options().await;
    let db = Db::open(&options).await.unwrap();
    older(&db, &OLDEST[..2]).await;
    // More than one batch of the backfill, in two institutions.
    db.write::<_, Error>(|sql| {
        Box::pin(async move {
            for n in 0..2_300_i64 {
                let text = "INSERT INTO participants (institution_id, id, name_page_id, page_place, token, first_name, last_name, \
                     recorded_at, legal_recorded_at, created_at, updated_at) VALUES ($1, $2, 7, $2, $3, $4, $5, 0, 0, 0, 0)";
                let last = (n % 2 == 0).then(|| " O\u{308}ZDEMI\u{307}R ".to_owned());
                let params = [(n % 2 + 1).into(), n.into(), format!("token{n}").into(), format!("PERSON {n}").into(), last.into()];
                sql.execute(text, &params).await?;
            }
            Ok(())
        })
    })
    .await
    .unwrap();
    assert_eq!(migrations::migrate(&db).await.unwrap(), migrations::NEWEST);
    let text = "SELECT id, first_name, first_name_key, last_name_key FROM participants ORDER BY id";
    let people = db
        .read()
        .rows(text, &[], |row| Ok((row.int(0)?, row.text(1)?, row.opt_text(2)?, row.opt_text(3)?)))
        .await
        .unwrap();
    assert_eq!(people.len(), 2_300);
    for (n, first_name, first_name_key, last_name_key) in people {
        assert_eq!(first_name, format!("PERSON {n}"), "what was given stays");
        assert_eq!(first_name_key, Some(format!("person {n}")));
        let folded = endonym::domain::participant::name_key("O\u{308}ZDEMI\u{307}R");
        assert_eq!(last_name_key, (n % 2 == 0).then_some(folded), "{n}");
    }
    assert_eq!(migrations::migrate(&db).await.unwrap(), migrations::NEWEST, "and once is enough");
}

#[tokio::test]
async fn tokens_from_before_there_were_scopes_may_do_everything() {
    let (options, _folder) = options().await;
    let db = Db::open(&options).await.unwrap();
    older(&db, &OLDEST).await;
    for text in [
        "INSERT INTO institutions (id, slug, name, access_code, time_zone, multiple_recordings, created_at) \
         VALUES (7, 'example', 'Example', 'CODE', 'UTC', FALSE, 0)",
        "INSERT INTO tokens (institution_id, id, name, digest, created_at) VALUES (7, 9, 'Old', 'digest', 0)",
        "INSERT INTO exports (institution_id, id, created_at, expires_at, state) VALUES (7, 8, 0, 0, 'initial')",
    ] {
        execute(&db, text, vec![]).await;
    }
    assert_eq!(migrations::migrate(&db).await.unwrap(), migrations::NEWEST);
    let institution = InstitutionId::new(7);
    let found = tokens::by_digest(&mut db.read(), "digest").await.unwrap().unwrap();
    assert_eq!(found.token_id, TokenId::new(9));
    let may = [Action::Read, Action::Write, Action::Sync].map(|action| found.access.check(action));
    assert_eq!(may, [Ok(()); 3]);
    assert_eq!(
        (found.access.institution, found.access.pages(), found.access.newest_only),
        (institution, None, false)
    );
    let listed = tokens::all(&mut db.read(), institution).await.unwrap();
    assert_eq!((listed[0].scope, &listed[0].pages), (TokenScope::All, &None));
    let export = exports::find(&mut db.read(), institution, ExportId::new(8)).await.unwrap().unwrap();
    assert!(!export.pages_limited);
}

#[tokio::test]
async fn of_older_recordings_those_of_calls_and_copies_are_known_and_the_others_were_given() {
    let (options, _folder) = options().await;
    let db = Db::open(&options).await.unwrap();
    older(&db, &OLDEST).await;
    let recording = "INSERT INTO media (institution_id, hex, participant_id, kind, bytes, duration_ms, peaks, original, created_at) \
         VALUES ($1, $2, $3, $4, 7, 1, 'ff', FALSE, $5)";
    // Person 1 was recorded on a call; 2 was recorded on a call and then got another recording; 3 is a copy of 1 in a
    // course, and 4 has the same date by chance, on a page without a course; 5 has a picture.
    let calls_at = 5_000_000_i64;
    for (person, kind, created_at) in [
        (1_i64, "recording", calls_at),
        (2, "recording", calls_at + 9_000_000),
        (3, "recording", calls_at),
        (4, "recording", calls_at),
        (5, "photo", calls_at),
    ] {
        let params =
            vec![1_i64.into(), format!("hex{person}").into(), person.into(), kind.into(), created_at.into()];
        execute(&db, recording, params).await;
    }
    for person in [1_i64, 2] {
        let call = "INSERT INTO calls (institution_id, id, participant_id, phone_number, state, attempts_made, attempts_allowed, created_at) \
             VALUES (1, $1, $2, '+12025550123', 'recorded', 1, 3, 0)";
        execute(&db, call, vec![(person + 10).into(), person.into()]).await;
        let attempt = "INSERT INTO call_attempts (institution_id, id, call_id, phone_number, state, step_number, started_at, ended_at) \
             VALUES (1, $1, $2, '+12025550123', 'recorded', 0, 0, $3)";
        execute(&db, attempt, vec![(person + 20).into(), (person + 10).into(), (calls_at + 1_000).into()])
            .await;
    }
    let member = "INSERT INTO course_members (institution_id, course_id, user_id, participant_id) VALUES (1, 1, 'u', 3)";
    execute(&db, member, vec![]).await;
    migrations::migrate(&db).await.unwrap();
    let text = "SELECT participant_id, origin FROM media ORDER BY participant_id";
    let origins = db.read().rows(text, &[], |row| Ok((row.int(0)?, row.text(1)?))).await.unwrap();
    let origins: Vec<(i64, &str)> =
        origins.iter().map(|(person, origin)| (*person, origin.as_str())).collect();
    assert_eq!(origins, [(1, "shared"), (2, "given"), (3, "copied"), (4, "given"), (5, "given")]);
}
