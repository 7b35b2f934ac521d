//! What ends with an institution, with a name page and with a person is in lists. These tests read the schema, so that a new table is
//! noticed.

use std::collections::BTreeMap;

use endonym::{
    app::{Actor, institutions},
    store::{Db, Error, Row, name_pages, persons::PERSON_TABLES},
};

use crate::support::{
    World,
    database::{TestDatabase, execute},
};

struct Column {
    name: String,
    kind: String,
}

type Tables = BTreeMap<String, Vec<Column>>;

/// The tables that have this column, with all their columns.
async fn tables_with(db: &Db, column: &str) -> Tables {
    let text = "SELECT t.name, c.name, c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c \
                WHERE t.type = 'table' ORDER BY t.name, c.cid";
    let read = |row: &Row<'_>| Ok((row.text(0)?, Column { name: row.text(1)?, kind: row.text(2)? }));
    let mut tables = Tables::new();
    for (table, found) in db.read().rows(text, &[], read).await.unwrap() {
        tables.entry(table).or_default().push(found);
    }
    tables.retain(|_, columns| columns.iter().any(|found| found.name == column));
    tables
}

/// Adds a row to each table, with these ids and something in all other columns, unless there is such a row.
async fn fill(db: &Db, tables: &Tables, ids: &[(&str, i64)]) {
    for (table, columns) in tables {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let values: Vec<String> = columns.iter().map(|column| value(table, column, ids)).collect();
        let (names, values) = (names.join(", "), values.join(", "));
        let text = format!("INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT DO NOTHING");
        execute(db, text, vec![]).await;
    }
}

fn value(table: &str, column: &Column, ids: &[(&str, i64)]) -> String {
    if let Some((_, id)) = ids.iter().find(|(name, _)| *name == column.name) {
        return id.to_string();
    }
    match column.kind.as_str() {
        "BIGINT" => "987654321".to_owned(),
        "TEXT" => "'x'".to_owned(),
        "BOOLEAN" => "FALSE".to_owned(),
        other => panic!("{table}.{}: docs/sql.md does not have the type {other}", column.name),
    }
}

/// The tables that have a row with this id.
async fn having(db: &Db, tables: &Tables, column: &str, id: i64) -> Vec<String> {
    let mut found = Vec::new();
    for table in tables.keys() {
        let text = format!("SELECT 1 FROM {table} WHERE {column} = {id} LIMIT 1");
        if db.read().one(&text, &[], |_| Ok(())).await.unwrap().is_some() {
            found.push(table.clone());
        }
    }
    found
}

fn names(tables: &Tables) -> Vec<String> {
    tables.keys().cloned().collect()
}

/// Tables whose rows outlive the institution that they name.
const WITHOUT_INSTITUTION: [(&str, &str); 1] =
    [("turns", "the cursor of a lane: the next institution follows, whether this one exists or not")];

#[tokio::test]
async fn a_deleted_institution_leaves_no_row_in_any_table() {
    let world = World::on_sqlite().await;
    let (db, id) = (&world.app.db, world.institution.id.get());
    let tables = tables_with(db, "institution_id").await;
    assert!(tables.len() > 60, "{:?}", names(&tables));
    fill(db, &tables, &[("institution_id", id)]).await;
    assert_eq!(having(db, &tables, "institution_id", id).await, names(&tables), "each has a row");
    institutions::delete(&world.app, &Actor::Operator, &world.institution.slug).await.unwrap();
    assert_eq!(
        having(db, &tables, "institution_id", id).await,
        WITHOUT_INSTITUTION.map(|(table, _)| table),
        "add what is left to `delete_rest` in src/store/institutions.rs (and to `close_access`, if it grants access), \
         or to WITHOUT_INSTITUTION in tests/it/store/tables.rs, with the reason"
    );
}

/// Tables that `name_pages::delete` leaves alone.
const AFTER_DELETION: [(&str, &str); 1] =
    [("exports", "the client that asked for a report finds it until it expires; `export_pages` are deleted")];

#[tokio::test]
async fn a_deleted_name_page_leaves_no_row_in_any_table() {
    let world = World::on_sqlite().await;
    let (db, institution, page) = (&world.app.db, world.institution.id, world.page.id);
    let tables = tables_with(db, "name_page_id").await;
    assert!(tables.len() > 15, "{:?}", names(&tables));
    fill(db, &tables, &[("institution_id", institution.get()), ("name_page_id", page.get())]).await;
    assert_eq!(having(db, &tables, "name_page_id", page.get()).await, names(&tables), "each has a row");
    let deletion = db.write::<_, Error>(move |sql| {
        Box::pin(async move { name_pages::delete(sql, institution, page).await })
    });
    assert_eq!(deletion.await.unwrap(), 1, "the person");
    assert_eq!(
        having(db, &tables, "name_page_id", page.get()).await,
        AFTER_DELETION.map(|(table, _)| table),
        "add what is left to `delete` in src/store/name_pages.rs, or to AFTER_DELETION in tests/it/store/tables.rs, \
         with the reason"
    );
}

/// Tables that `name_pages::absorb` leaves alone: whoever merges two courses calls it after everybody has been moved.
const AFTER_MERGER: [(&str, &str); 4] = [
    ("courses", "`courses::delete` comes first"),
    ("hidden_participants", "they are moved one by one"),
    ("participants", "they are moved one by one"),
    ("people_names", "the index of those who were moved is written again"),
];

#[tokio::test]
async fn a_name_page_that_is_merged_into_another_leaves_no_row_in_any_table() {
    let world = World::on_sqlite().await;
    let (db, institution, gone) = (&world.app.db, world.institution.id, world.page.id);
    let kept = world.page("Choir").await.id;
    let tables = tables_with(db, "name_page_id").await;
    fill(db, &tables, &[("institution_id", institution.get()), ("name_page_id", gone.get())]).await;
    assert_eq!(having(db, &tables, "name_page_id", gone.get()).await, names(&tables), "each has a row");
    let merger = db.write::<_, Error>(move |sql| {
        Box::pin(async move { name_pages::absorb(sql, institution, gone, kept).await })
    });
    merger.await.unwrap();
    assert_eq!(
        having(db, &tables, "name_page_id", gone.get()).await,
        AFTER_MERGER.map(|(table, _)| table),
        "add what is left to `absorb` in src/store/name_pages.rs, or to AFTER_MERGER in tests/it/store/tables.rs, \
         with the reason"
    );
}

/// Tables with `email_key` that are exported and erased by other means than `PERSON_TABLES`.
const OTHERWISE: [(&str, &str); 4] = [
    ("audit", "entries stay, without the person: `audit::forget_person`"),
    ("hidden_participants", "registrations: `persons::registrations`"),
    ("outbox", "messages of the installation too, which have another institution: src/store/outbox.rs"),
    ("participants", "registrations: `persons::registrations`"),
];

#[tokio::test]
async fn every_table_that_names_an_email_is_known_to_exports_and_erasures() {
    let database = TestDatabase::on_sqlite().await;
    let tables = names(&tables_with(&database.db, "email_key").await);
    let otherwise = OTHERWISE.map(|(table, _)| table);
    let missing: Vec<&String> = tables
        .iter()
        .filter(|table| !PERSON_TABLES.contains(&table.as_str()) && !otherwise.contains(&table.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "add to PERSON_TABLES in src/store/persons.rs (and to OF_REGISTERED, if the rows end with the last registration), \
         or to OTHERWISE in tests/it/store/tables.rs, with the reason: {missing:?}"
    );
    let named = PERSON_TABLES.into_iter().chain(otherwise);
    let unknown: Vec<&str> = named.filter(|name| !tables.iter().any(|table| table == name)).collect();
    assert_eq!(unknown, [""; 0], "these tables have no email_key");
    assert_eq!(tables.len(), PERSON_TABLES.len() + otherwise.len(), "a table is in one of the lists");
}
