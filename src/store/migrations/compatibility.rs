//! Nodes are upgraded one after the other, so nodes of the previous version run on the new schema for a while. A migration therefore only
//! adds what they can ignore (expand). What no running version uses any more is removed by a later one (contract). See docs/sql.md.

use super::{MIGRATIONS, statements};

/// The newest migration that is older than this rule.
const BASELINE: usize = 26;

/// In a migration that removes what the version with migration NNNN, and all later ones, do not use.
const CONTRACT: &str = "-- contract: ";

/// The number in the line with `CONTRACT`, if there is one.
fn unused_since(text: &str) -> Option<usize> {
    text.lines().find_map(|line| line.strip_prefix(CONTRACT)).map(|number| {
        let number = number.split_whitespace().next().unwrap_or_default();
        number.trim_end_matches(['.', ',', ':']).parse().expect("the number of a migration")
    })
}

/// Upper case, with single spaces.
fn normalized(statement: &str) -> String {
    statement.to_uppercase().replace('(', " (").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The word after these ones.
fn word_after<'a>(statement: &'a str, words: &str) -> Option<&'a str> {
    statement.split_once(words)?.1.split_whitespace().next()
}

/// The tables that this migration creates. Nodes of the previous version do not know them.
fn new_tables(statements: &[String]) -> Vec<String> {
    statements.iter().filter_map(|one| word_after(one, "CREATE TABLE ").map(str::to_owned)).collect()
}

/// The unique indexes of all migrations, which an `ON CONFLICT` may need.
fn unique_indexes() -> Vec<String> {
    let all = MIGRATIONS.iter().flat_map(|(_, text)| statements(text));
    all.filter_map(|one| word_after(&normalized(&one), "CREATE UNIQUE INDEX ").map(str::to_owned)).collect()
}

/// Why a node of the previous version would fail after this statement.
fn fault(statement: &str, new_tables: &[String], unique_indexes: &[String]) -> Option<&'static str> {
    let is_new = |table: Option<&str>| table.is_some_and(|table| new_tables.iter().any(|new| new == table));
    let has = |words: &str| statement.contains(words);
    if statement.starts_with("DROP TABLE ") {
        return Some("it may read the table");
    }
    if statement.starts_with("DROP INDEX ") {
        let name = word_after(statement, "DROP INDEX ");
        let is_unique = name.is_some_and(|name| unique_indexes.iter().any(|unique| unique == name));
        return is_unique.then_some("its ON CONFLICT may need the index");
    }
    if statement.starts_with("CREATE UNIQUE INDEX ") {
        return (!is_new(word_after(statement, " ON "))).then_some("it may write the same twice");
    }
    if !statement.starts_with("ALTER TABLE ") || is_new(word_after(statement, "ALTER TABLE ")) {
        return None;
    }
    let is_only_addition = [" DROP ", " RENAME ", " ALTER COLUMN "].iter().all(|words| !has(words));
    if !has(" ADD COLUMN ") || !is_only_addition {
        return Some("it knows the table as it was");
    }
    if has(" NOT NULL") && !has(" DEFAULT ") {
        return Some("it inserts rows without the column");
    }
    let is_constrained = [" UNIQUE", " REFERENCES ", " CHECK"].iter().any(|words| has(words));
    is_constrained.then_some("it does not know the constraint")
}

/// What is wrong with a migration.
fn faults(text: &str, unique_indexes: &[String]) -> Vec<String> {
    let statements: Vec<String> = statements(text).iter().map(|one| normalized(one)).collect();
    let new = new_tables(&statements);
    let told = |one: &String| fault(one, &new, unique_indexes).map(|why| format!("{one}: {why}"));
    statements.iter().filter_map(told).collect()
}

#[test]
fn nodes_of_the_previous_version_go_on_after_a_migration() {
    let unique = unique_indexes();
    assert!(unique.contains(&"JOBS_WAITING".to_owned()), "{unique:?}");
    for (number, (name, text)) in (1..).zip(MIGRATIONS).skip(BASELINE) {
        if let Some(since) = unused_since(text) {
            assert!(
                since < number,
                "{name}: a later migration, after a release, removes what this one replaces"
            );
            continue;
        }
        let faults = faults(text, &unique);
        assert!(
            faults.is_empty(),
            "{name}: a node of the previous version would fail:\n{}",
            faults.join("\n")
        );
    }
}

#[test]
fn what_the_previous_version_cannot_ignore_is_found() {
    let unique = ["A_BY_CODE".to_owned()];
    for bad in [
        "DROP TABLE a",
        "ALTER TABLE a RENAME TO b",
        "ALTER TABLE a RENAME COLUMN c TO d",
        "alter table a\n    drop column c",
        "ALTER TABLE a ALTER COLUMN c SET NOT NULL",
        "ALTER TABLE a ADD CONSTRAINT c CHECK (d > 0)",
        "ALTER TABLE a ADD COLUMN c TEXT, DROP COLUMN d",
        "ALTER TABLE a ADD COLUMN c BIGINT NOT NULL",
        "ALTER TABLE a ADD COLUMN c BIGINT NOT NULL DEFAULT 0 CHECK (c > 0)",
        "ALTER TABLE a ADD COLUMN c BIGINT REFERENCES b",
        "CREATE UNIQUE INDEX a_by_c ON a (c)",
        "DROP INDEX a_by_code",
        "CREATE TABLE b (c BIGINT NOT NULL);\nALTER TABLE a DROP COLUMN c",
    ] {
        assert_eq!(faults(bad, &unique).len(), 1, "{bad}");
    }
    for good in [
        "CREATE TABLE b (c BIGINT NOT NULL);\nCREATE UNIQUE INDEX b_by_c ON b(c);\nALTER TABLE b ADD COLUMN d TEXT NOT NULL",
        "ALTER TABLE a ADD COLUMN c BIGINT",
        "ALTER TABLE a ADD COLUMN c BOOLEAN NOT NULL DEFAULT FALSE",
        "CREATE INDEX a_by_c ON a (c) WHERE c IS NOT NULL",
        "DROP INDEX a_by_d",
        "UPDATE a SET c = 1 WHERE d IS NOT NULL",
        "-- DROP TABLE a\nINSERT INTO a (c) VALUES (1)",
    ] {
        assert_eq!(faults(good, &unique), [""; 0], "{good}");
    }
}

#[test]
fn a_migration_that_removes_what_is_unused_says_since_when() {
    assert_eq!(
        unused_since("-- The old column.\n-- contract: 0031.\nALTER TABLE a DROP COLUMN c;"),
        Some(31)
    );
    assert_eq!(unused_since("-- The contract: 31.\nDROP TABLE a;"), None);
}
