//! PostgreSQL with Citus: every table has a placement that its keys permit, no statement needs tables that are on different nodes, and
//! `endonym migrate` distributes. The last runs by `./test-citus`; the others read the schema and the source, and run everywhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use endonym::store::{
    Db,
    citus::{
        self,
        Placement::{ByColumn, ByInstitution, Local, Reference},
        TABLES,
    },
    jobs, migrations, persons, turns,
};
use proc_macro2::{TokenStream, TokenTree};

use super::plans::reads_of_people;
use crate::support::database::{TestDatabase, execute, on_citus, on_postgres, options, through_worker};

async fn column(db: &Db, text: &str) -> Vec<String> {
    db.read().rows(text, &[], |row| row.text(0)).await.unwrap()
}

fn placement(table: &str) -> Option<citus::Placement> {
    TABLES.iter().find(|(name, _)| *name == table).map(|(_, placement)| *placement)
}

#[tokio::test]
async fn every_table_has_a_placement() {
    let database = TestDatabase::on_sqlite().await;
    let text = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: BTreeSet<String> = column(&database.db, text).await.into_iter().collect();
    assert!(tables.len() > 60, "{tables:?}");
    let missing: Vec<_> = tables.iter().filter(|table| placement(table).is_none()).collect();
    assert!(missing.is_empty(), "add to TABLES in src/store/citus.rs, by the rules of ADR 3: {missing:?}");
    let unknown = TABLES.iter().map(|(table, _)| *table).filter(|table| !tables.contains(*table));
    assert_eq!(unknown.collect::<Vec<_>>(), [""; 0], "there are no such tables");
    let names: BTreeSet<_> = TABLES.iter().map(|(table, _)| table).collect();
    assert_eq!(names.len(), TABLES.len(), "each table is there once");
}

/// Citus can keep an index of a sharded table unique only within a shard.
#[tokio::test]
async fn unique_keys_of_sharded_tables_contain_the_column_that_they_are_sharded_by() {
    let database = TestDatabase::on_sqlite().await;
    let text = "SELECT m.name, l.name, i.name FROM sqlite_master m JOIN pragma_index_list(m.name) l \
                JOIN pragma_index_info(l.name) i WHERE m.type = 'table' AND l.\"unique\" = 1";
    let read = |row: &endonym::store::Row<'_>| Ok(((row.text(0)?, row.text(1)?), row.text(2)?));
    let mut keys: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (key, column) in database.db.read().rows(text, &[], read).await.unwrap() {
        keys.entry(key).or_default().push(column);
    }
    assert!(keys.len() > 60, "{keys:?}");
    for ((table, index), columns) in keys {
        let needed = match placement(&table) {
            Some(ByInstitution) => "institution_id",
            Some(ByColumn(column)) => column,
            Some(Reference | Local) | None => continue,
        };
        assert!(
            columns.iter().any(|column| column == needed),
            "{table}: {index} lacks {needed}: {columns:?}"
        );
    }
}

/// A table with a foreign key can be distributed only after the table that it refers to, and only if both may be on one node.
#[tokio::test]
async fn there_are_no_foreign_keys() {
    let database = TestDatabase::on_sqlite().await;
    let text = "SELECT m.name, f.\"table\" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'";
    let read = |row: &endonym::store::Row<'_>| Ok((row.text(0)?, row.text(1)?));
    let found = database.db.read().rows(text, &[], read).await.unwrap();
    assert!(found.is_empty(), "whoever adds one extends the distribution, and ADR 3: {found:?}");
}

/// Every string literal in `src/store`, with the name of its file.
fn literals() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut folders = vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/store")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                read_literals(&path, &mut all);
            }
        }
    }
    all
}

fn read_literals(path: &Path, all: &mut Vec<(String, String)>) {
    let source: TokenStream = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut streams = vec![source];
    while let Some(stream) = streams.pop() {
        for tree in stream {
            match tree {
                TokenTree::Group(group) => streams.push(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                        all.push((name.clone(), text.value()));
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

/// The tables that a piece of SQL reads or writes.
fn tables_in(text: &str) -> BTreeSet<&str> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let verbs = ["FROM", "JOIN", "INTO", "UPDATE"];
    let named = words.windows(2).filter(|pair| verbs.contains(&pair[0])).map(|pair| pair[1]);
    named.filter(|name| placement(name).is_some()).collect()
}

/// Why Citus would refuse to run this in one statement, or would ask every node.
fn conflict(text: &str) -> Option<String> {
    let tables = tables_in(text);
    let placed = |wanted: fn(citus::Placement) -> bool| {
        tables.iter().copied().filter(|table| placement(table).is_some_and(wanted)).collect::<Vec<_>>()
    };
    let by_institution = placed(|placement| placement == ByInstitution);
    let by_column = placed(|placement| matches!(placement, ByColumn(_)));
    let local = placed(|placement| placement == Local);
    let kinds = [!by_institution.is_empty(), !by_column.is_empty(), !local.is_empty()];
    let is_mixed = kinds.into_iter().filter(|kind| *kind).count() > 1 || by_column.len() > 1;
    is_mixed.then(|| format!("{by_institution:?}, {by_column:?} and {local:?} are not on the same node"))
}

/// Parts of statements that run only on other databases, where they are better than two statements.
const NOT_ON_CITUS: [&str; 3] = [
    "j.failures FROM courses c LEFT JOIN jobs j ON",
    "THEN 1 ELSE 0 END), 0) FROM courses c JOIN jobs j ON",
    "p.email FROM calls c JOIN institutions i ON",
];

/// As far as a literal shows, and the statements whose plans are tested.
#[test]
fn no_statement_joins_tables_that_are_on_different_nodes() {
    let mut all = literals();
    assert!(all.iter().filter(|(_, text)| !tables_in(text).is_empty()).count() > 400);
    let planned = [reads_of_people(), jobs::statements(), turns::statements()].concat();
    all.extend(planned.into_iter().map(|(what, text, _)| (what.to_owned(), text)));
    let persons = persons::statements_on_citus();
    assert!(!persons.is_empty());
    all.extend(persons.into_iter().map(|(table, text)| (table.to_owned(), text)));
    let (others, faults): (Vec<String>, Vec<String>) = all
        .iter()
        .filter_map(|(file, text)| Some(format!("{file}: {}\n  {text}", conflict(text)?)))
        .partition(|fault| NOT_ON_CITUS.iter().any(|part| fault.contains(part)));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(others.len(), NOT_ON_CITUS.len(), "each of these is there once:\n{}", others.join("\n"));
}

/// Citus inserts values, or the result of a query, and refuses to insert values with subqueries in them.
fn has_subquery_among_values(text: &str) -> bool {
    let is_insert = text.contains("INSERT INTO ");
    is_insert && text.split_once(" VALUES ").is_some_and(|(_, values)| values.contains("(SELECT "))
}

#[test]
fn values_that_are_inserted_contain_no_subqueries() {
    let all = literals();
    let faults: Vec<_> = all.iter().filter(|(_, text)| has_subquery_among_values(text)).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

/// Citus writes the statement anew, and drops the column list of a common table expression that selects.
fn names_columns_of_cte(text: &str) -> bool {
    [") AS (SELECT ", ") AS MATERIALIZED (SELECT ", ") AS ({"].iter().any(|list| text.contains(list))
}

#[test]
fn columns_of_a_common_table_expression_are_named_where_they_are_selected() {
    assert!(names_columns_of_cte("WITH due(kind, run_at) AS (SELECT 'call', 1) SELECT kind FROM due"));
    assert!(!names_columns_of_cte("WITH due AS (SELECT 'call' AS kind, 1 AS run_at) SELECT kind FROM due"));
    let mut all = literals();
    all.extend(turns::statements().into_iter().map(|(what, text, _)| (what.to_owned(), text)));
    let faults: Vec<_> = all.iter().filter(|(_, text)| names_columns_of_cte(text)).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

/// Scalar subqueries on shards that compare the institution with a column of the outer query: Citus looks for a parameter. It
/// understands `EXISTS` and `IN`, which are joins. Tables of the coordinator are not searched by a shard.
fn correlated(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices("(SELECT ") {
        if text[..start].trim_end().ends_with("EXISTS") || text[..start].trim_end().ends_with(" IN") {
            continue;
        }
        let mut depth = 0;
        let end = text[start..].find(|c: char| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let subquery = &text[start..end.map_or(text.len(), |end| start + end)];
        // Tables on the coordinator have no shards.
        let tables = tables_in(subquery);
        if !tables.is_empty() && tables.into_iter().all(|table| placement(table) == Some(Local)) {
            continue;
        }
        let is_by_parameter =
            subquery.contains("institution_id = $") || subquery.contains("institution_id = {");
        let tables = tables_in(subquery);
        let is_local = !tables.is_empty() && tables.iter().all(|table| placement(table) == Some(Local));
        if subquery.contains("institution_id = ") && !is_by_parameter && !is_local {
            found.push(subquery);
        }
    }
    found
}

#[test]
fn subqueries_name_the_institution_by_a_parameter() {
    let faults: Vec<String> = literals()
        .iter()
        .flat_map(|(file, text)| correlated(text).into_iter().map(move |found| format!("{file}: {found}")))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A test of the tests.
#[test]
fn faults_are_seen() {
    for text in [
        "SELECT c.id FROM courses c LEFT JOIN jobs j ON j.id = c.job_id",
        "DELETE FROM sessions WHERE digest IN (SELECT s.session_digest FROM lti_sessions s)",
        "DELETE FROM sessions WHERE email_key IN (SELECT p.email_key FROM participants p)",
    ] {
        assert!(conflict(text).is_some(), "{text}");
    }
    for text in [
        "SELECT c.id FROM calls c JOIN institutions i ON i.id = c.institution_id JOIN call_attempts a ON a.call_id = c.id",
        "SELECT 1 FROM media m JOIN participants p ON p.institution_id = m.institution_id JOIN codes c ON c.code = p.token",
    ] {
        assert_eq!(conflict(text), None, "{text}");
    }
    let outer = "SELECT COALESCE((SELECT 1 FROM media m WHERE m.institution_id = p.institution_id LIMIT 1), 0) FROM participants p";
    assert_eq!(correlated(outer).len(), 1);
    assert!(correlated(&outer.replace("= p.institution_id", "= $1")).is_empty());
    let local =
        "SELECT (SELECT j.run_at FROM jobs j WHERE j.institution_id = w.institution_id LIMIT 1) FROM walk w";
    assert!(correlated(local).is_empty());
    let joined = "SELECT 1 FROM imports i WHERE EXISTS (SELECT 1 FROM media m WHERE m.institution_id = i.institution_id)";
    assert!(correlated(joined).is_empty());
    let local = "SELECT (SELECT j.run_at FROM jobs j WHERE j.institution_id = w.institution_id LIMIT 1) FROM waiting w";
    assert!(correlated(local).is_empty());
    assert_eq!(correlated(&local.replace("jobs", "outbox")).len(), 1);
    let value = "INSERT INTO turns (lane, turn) VALUES ($1, (SELECT MAX(turn) FROM turns))";
    assert!(has_subquery_among_values(value));
    assert!(!has_subquery_among_values("INSERT INTO turns (lane, turn) SELECT $1, MAX(turn) FROM turns"));
}

/// Forced generic plans make PostgreSQL faster, and Citus fail.
#[tokio::test]
async fn plans_are_generic_on_postgres_and_not_on_citus() {
    if !on_postgres() {
        return;
    }
    let database = TestDatabase::new().await;
    assert_eq!(database.db.is_citus(), on_citus());
    let wanted = if on_citus() { "auto" } else { "force_generic_plan" };
    assert_eq!(column(&database.db, "SHOW plan_cache_mode").await, [wanted]);
    assert_eq!(column(&database.db, "SHOW random_page_cost").await, ["1.1"]);
}

/// On the coordinator and on workers.
#[tokio::test]
async fn all_tables_are_where_they_should_be() {
    if !on_citus() {
        return;
    }
    let database = TestDatabase::new().await;
    assert_eq!(citus::misplaced(&database.db).await.unwrap(), [""; 0]);
}

/// Tables that it created would be in the way of those of the coordinator.
#[tokio::test]
async fn a_worker_refuses_to_migrate() {
    if !on_citus() {
        return;
    }
    let (mut options, _folder) = options().await;
    options.url = options.url.map(|url| through_worker(&url));
    let db = Db::open(&options).await.unwrap();
    let error = migrations::migrate(&db).await.unwrap_err();
    assert!(error.to_string().contains("URL of the coordinator"), "{error}");
    assert_eq!(migrations::version(&db).await.unwrap(), 0, "nothing was created");
}

#[tokio::test]
async fn a_migration_that_was_interrupted_goes_on_where_it_was() {
    if !on_citus() {
        return;
    }
    let (options, _folder) = options().await;
    let db = Db::open(&options).await.unwrap();
    assert_eq!(citus::misplaced(&db).await.unwrap().len(), TABLES.len(), "there are none");
    migrations::migrate(&db).await.unwrap();
    for table in ["plays", "jobs", "sessions"] {
        execute(&db, format!("SELECT undistribute_table('{table}')"), vec![]).await;
    }
    let session = "INSERT INTO sessions (digest, institution_id, email_key, how, created_at, last_used_at, expires_at) \
                   VALUES ('d', 1, 'a@example.edu', 'mail', 0, 0, 0)";
    execute(&db, session, vec![]).await;
    assert_eq!(citus::misplaced(&db).await.unwrap(), ["plays", "sessions", "jobs"]);
    assert_eq!(migrations::migrate(&db).await.unwrap(), migrations::NEWEST);
    assert_eq!(citus::misplaced(&db).await.unwrap(), [""; 0]);
    assert_eq!(column(&db, "SELECT digest FROM sessions").await, ["d"]);
    let left = "SELECT relname::text FROM pg_class WHERE relname = 'sessions' AND pg_relation_size(oid) > 0";
    assert_eq!(column(&db, left).await, [""; 0], "no copy is left on the coordinator");
}
