//! Schema migrations. One set for both databases; a released file is never edited.

use super::{Db, Error, Result, Sql, participants};

/// In order; the version of a migration is its position, counted from 1.
const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_foundation", include_str!("../../migrations/0001_foundation.sql")),
    ("0002_media", include_str!("../../migrations/0002_media.sql")),
    (NAMES, include_str!("../../migrations/0003_names.sql")),
    ("0004_jobs_and_exports", include_str!("../../migrations/0004_jobs_and_exports.sql")),
    ("0005_calls", include_str!("../../migrations/0005_calls.sql")),
    ("0006_courses", include_str!("../../migrations/0006_courses.sql")),
    ("0007_token_scopes", include_str!("../../migrations/0007_token_scopes.sql")),
    ("0008_replaced_recordings", include_str!("../../migrations/0008_replaced_recordings.sql")),
    ("0009_own_recordings", include_str!("../../migrations/0009_own_recordings.sql")),
    ("0010_course_schedule", include_str!("../../migrations/0010_course_schedule.sql")),
    ("0011_lti_courses", include_str!("../../migrations/0011_lti_courses.sql")),
    ("0012_persons", include_str!("../../migrations/0012_persons.sql")),
    ("0013_outbox", include_str!("../../migrations/0013_outbox.sql")),
    ("0014_sso", include_str!("../../migrations/0014_sso.sql")),
    ("0015_plays", include_str!("../../migrations/0015_plays.sql")),
    ("0016_consents", include_str!("../../migrations/0016_consents.sql")),
    ("0017_jobs_by_kind", include_str!("../../migrations/0017_jobs_by_kind.sql")),
    ("0018_lti_language", include_str!("../../migrations/0018_lti_language.sql")),
    ("0019_name_pages", include_str!("../../migrations/0019_name_pages.sql")),
    ("0020_outsiders", include_str!("../../migrations/0020_outsiders.sql")),
    ("0021_mail_pace", include_str!("../../migrations/0021_mail_pace.sql")),
    (RATE_LIMITS, include_str!("../../migrations/0024_rate_limits.sql")),
];

/// Needs more than SQL: see `participants::fill_name_keys`.
const NAMES: &str = "0003_names";

/// Not worth a flush to disk, nor a wait for a standby. SQLite has no such tables, and does not use this one.
const RATE_LIMITS: &str = "0024_rate_limits";

pub const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The schema version of the database.
pub async fn version(db: &Db) -> Result<i64> {
    // The table does not exist in a new database, and the two databases report that differently.
    let exists = match db {
        Db::Sqlite(_) => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'migrations'",
        Db::Postgres(_) => "SELECT COUNT(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('migrations')",
    };
    let mut sql = db.read();
    if sql.one(exists, &[], |row| row.int(0)).await? == Some(0) {
        return Ok(0);
    }
    recorded(&mut sql).await
}

async fn recorded(sql: &mut Sql) -> Result<i64> {
    let newest = sql.one("SELECT MAX(number) FROM migrations", &[], |row| row.opt_int(0)).await?;
    Ok(newest.flatten().unwrap_or(0))
}

/// Runs pending migrations in one transaction. Safe to run concurrently.
pub async fn migrate(db: &Db) -> Result<i64> {
    let postgres = matches!(db, Db::Postgres(_));
    db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            if postgres {
                // An advisory lock over the whole cluster; SQLite has a single writer anyway.
                sql.allow_long_statements().await?;
                sql.script("SELECT pg_advisory_xact_lock(7223340218)").await?;
            }
            sql.script("CREATE TABLE IF NOT EXISTS migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
                .await?;
            let had = recorded(sql).await?;
            if had > NEWEST {
                return Err(Error::Broken(format!(
                    "the database is at version {had}, and this binary knows only up to {NEWEST}: use a newer endonym"
                )));
            }
            for (number, (name, text)) in (1..).zip(MIGRATIONS) {
                if number > had {
                    sql.script(text).await?;
                    if *name == NAMES {
                        participants::fill_name_keys(sql).await?;
                    }
                    if postgres && *name == RATE_LIMITS {
                        sql.script("ALTER TABLE rate_limits SET UNLOGGED").await?;
                    }
                    sql.execute("INSERT INTO migrations (number, name) VALUES ($1, $2)", &[number.into(), (*name).into()])
                        .await?;
                }
            }
            Ok(NEWEST)
        })
    })
    .await
}
