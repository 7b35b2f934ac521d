//! Schema migrations. One set for both databases; a released file is never edited.

#[cfg(test)]
mod compatibility;

use super::{Db, Error, Result, Sql, citus, participants};

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
    ("0022_turns", include_str!("../../migrations/0022_turns.sql")),
    ("0023_idempotency_keys", include_str!("../../migrations/0023_idempotency_keys.sql")),
    (RATE_LIMITS, include_str!("../../migrations/0024_rate_limits.sql")),
    ("0025_citus_keys", include_str!("../../migrations/0025_citus_keys.sql")),
    ("0026_versions", include_str!("../../migrations/0026_versions.sql")),
    ("0027_deferred", include_str!("../../migrations/0027_deferred.sql")),
    ("0028_scim", include_str!("../../migrations/0028_scim.sql")),
    ("0029_audit", include_str!("../../migrations/0029_audit.sql")),
    ("0030_console", include_str!("../../migrations/0030_console.sql")),
    (CONSOLE_PEOPLE, include_str!("../../migrations/0031_console_people.sql")),
    ("0032_custom_field_kinds", include_str!("../../migrations/0032_custom_field_kinds.sql")),
    ("0033_token_days", include_str!("../../migrations/0033_token_days.sql")),
    ("0035_group_roles", include_str!("../../migrations/0035_group_roles.sql")),
    ("0036_scim_emails", include_str!("../../migrations/0036_scim_emails.sql")),
    ("0037_console_work", include_str!("../../migrations/0037_console_work.sql")),
    ("0038_console_lists", include_str!("../../migrations/0038_console_lists.sql")),
    ("0039_superfluous_indexes", include_str!("../../migrations/0039_superfluous_indexes.sql")),
    ("0040_sso_redirects", include_str!("../../migrations/0040_sso_redirects.sql")),
    ("0041_consents_by_invitation", include_str!("../../migrations/0041_consents_by_invitation.sql")),
    ("0042_refused_people", include_str!("../../migrations/0042_refused_people.sql")),
    ("0043_sign_in_rules", include_str!("../../migrations/0043_sign_in_rules.sql")),
    ("0044_token_makers", include_str!("../../migrations/0044_token_makers.sql")),
    ("0045_link_secrets", include_str!("../../migrations/0045_link_secrets.sql")),
    ("0046_badges", include_str!("../../migrations/0046_badges.sql")),
    ("0047_audience_before_pause", include_str!("../../migrations/0047_audience_before_pause.sql")),
    ("0048_calls_to_numbers", include_str!("../../migrations/0048_calls_to_numbers.sql")),
    ("0049_mail_fairness", include_str!("../../migrations/0049_mail_fairness.sql")),
    ("0050_audit_chain", include_str!("../../migrations/0050_audit_chain.sql")),
    ("0051_kept_recordings", include_str!("../../migrations/0051_kept_recordings.sql")),
    ("0052_held_entries", include_str!("../../migrations/0052_held_entries.sql")),
    ("0053_import_rows", include_str!("../../migrations/0053_import_rows.sql")),
    ("0054_lti_registrations", include_str!("../../migrations/0054_lti_registrations.sql")),
    ("0055_directory_holds", include_str!("../../migrations/0055_directory_holds.sql")),
];

/// Needs more than SQL: see `participants::fill_name_keys`.
const NAMES: &str = "0003_names";

/// Not worth a flush to disk, nor a wait for a standby. SQLite has no such tables, and does not use this one.
const RATE_LIMITS: &str = "0024_rate_limits";

/// Its texts are read in ranges of their beginnings, which other collations than that of bytes do not have.
const CONSOLE_PEOPLE: &str = "0031_console_people";

pub const NEWEST: i64 = MIGRATIONS.len() as i64;

/// The name of a version: that of its last migration, whose number may be another one. Newer ones are not known here.
pub fn name(version: i64) -> &'static str {
    let place = usize::try_from(version).ok().and_then(|version| version.checked_sub(1));
    place.and_then(|place| MIGRATIONS.get(place)).map_or("-", |(name, _)| *name)
}

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

/// Runs pending migrations. Safe to run concurrently, and again after it was interrupted.
pub async fn migrate(db: &Db) -> Result<i64> {
    if !db.is_citus() {
        return run(db, MIGRATIONS.len()).await;
    }
    let version = version(db).await?;
    check_known(version)?;
    if version < NEWEST {
        // Tables that a worker creates are its own, and are in the way of those that the coordinator creates.
        citus::check_coordinator(db).await?;
        while run(db, 1).await? < NEWEST {}
    }
    citus::distribute(db).await?;
    Ok(NEWEST)
}

/// Runs at most `count` pending migrations in one transaction. Returns the version of the database.
async fn run(db: &Db, count: usize) -> Result<i64> {
    let is_citus = db.is_citus();
    db.write::<_, Error>(move |sql| {
        Box::pin(async move {
            lock(sql).await?;
            sql.script("CREATE TABLE IF NOT EXISTS migrations (number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
                .await?;
            let mut version = recorded(sql).await?;
            check_known(version)?;
            let pending = (1..).zip(MIGRATIONS).filter(|(number, _)| *number > version).take(count);
            for (number, (name, text)) in pending.collect::<Vec<_>>() {
                if is_citus {
                    for statement in statements(text) {
                        sql.script(&statement).await?;
                    }
                } else {
                    sql.script(text).await?;
                }
                if sql.is_postgres() && *name == RATE_LIMITS {
                    sql.script("ALTER TABLE rate_limits SET UNLOGGED").await?;
                }
                if sql.is_postgres() && *name == CONSOLE_PEOPLE {
                    sql.script("ALTER TABLE people_words ALTER COLUMN word TYPE TEXT COLLATE \"C\"").await?;
                    sql.script("ALTER TABLE people_names ALTER COLUMN name_key TYPE TEXT COLLATE \"C\"").await?;
                }
                if *name == NAMES {
                    participants::fill_name_keys(sql).await?;
                }
                sql.execute("INSERT INTO migrations (number, name) VALUES ($1, $2)", &[number.into(), (*name).into()])
                    .await?;
                version = number;
            }
            Ok(version)
        })
    })
    .await
}

fn check_known(version: i64) -> Result<()> {
    if version <= NEWEST {
        return Ok(());
    }
    Err(Error::Broken(format!(
        "the database is at version {version}, and this binary knows only up to {NEWEST}: use a newer endonym"
    )))
}

/// Waits until nobody else migrates, until the end of the transaction. SQLite has a single writer anyway.
pub(super) async fn lock(sql: &mut Sql) -> Result<()> {
    if !sql.is_postgres() {
        return Ok(());
    }
    sql.allow_long_statements().await?;
    sql.script("SELECT pg_advisory_xact_lock(7223340218)").await?;
    if sql.is_citus() {
        // Several changes of the schema in one transaction need one connection to each node.
        sql.script("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'").await?;
    }
    Ok(())
}

/// The statements of a migration. Citus sends the text of a change of the schema to other nodes, which accept one statement.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("--"));
    let code = lines.collect::<Vec<_>>().join("\n");
    code.split(';').map(|statement| statement.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_migration_consists_of_whole_statements() {
        const VERBS: [&str; 7] = ["CREATE ", "ALTER ", "INSERT ", "UPDATE ", "DELETE ", "DROP ", "WITH "];
        for (name, text) in MIGRATIONS {
            let all = statements(text);
            assert!(!all.is_empty(), "{name}");
            for one in all {
                assert!(VERBS.iter().any(|verb| one.starts_with(verb)), "{name}: {one}");
                let count = |wanted: char| one.chars().filter(|found| *found == wanted).count();
                assert_eq!(count('('), count(')'), "{name}: {one}");
                assert_eq!(count('\'') % 2, 0, "{name}: {one}");
                assert!(!one.contains("--"), "{name}: a comment is on lines of its own: {one}");
            }
        }
    }

    #[test]
    fn comments_may_contain_semicolons() {
        let text = "-- One; two.\nCREATE TABLE a (\n    id BIGINT\n);\n\n-- Three;\nDROP TABLE b;\n";
        assert_eq!(statements(text), ["CREATE TABLE a (\n    id BIGINT\n)", "DROP TABLE b"]);
    }
}
