//! Every write of a table pays for each of its indexes.

use std::collections::BTreeMap;

use endonym::store::{Db, Row};

use crate::support::database::{TestDatabase, execute};

#[derive(Default)]
struct Index {
    is_unique: bool,
    columns: Vec<String>,
    /// Which rows are in it, if not all of them.
    condition: Option<String>,
}

impl Index {
    /// Does the other one serve its queries?
    fn is_beginning_of(&self, other: &Self) -> bool {
        !self.is_unique && self.condition == other.condition && other.columns.starts_with(&self.columns)
    }
}

/// All indexes, those of keys too, by table and name.
async fn indexes(db: &Db) -> BTreeMap<(String, String), Index> {
    let text = "SELECT t.name, l.name, l.\"unique\", s.sql, c.name FROM sqlite_master t JOIN pragma_index_list(t.name) l \
                JOIN pragma_index_info(l.name) c LEFT JOIN sqlite_master s ON s.type = 'index' AND s.name = l.name \
                WHERE t.type = 'table' ORDER BY t.name, l.name, c.seqno";
    let read =
        |row: &Row<'_>| Ok(((row.text(0)?, row.text(1)?), row.int(2)? == 1, row.opt_text(3)?, row.text(4)?));
    let mut found: BTreeMap<(String, String), Index> = BTreeMap::new();
    for (key, is_unique, statement, column) in db.read().rows(text, &[], read).await.unwrap() {
        let index = found.entry(key).or_default();
        index.is_unique = is_unique;
        index.columns.push(column);
        index.condition = statement
            .and_then(|statement| statement.split_once(" WHERE ").map(|(_, condition)| condition.to_owned()));
    }
    found
}

async fn superfluous(db: &Db) -> Vec<String> {
    let all = indexes(db).await;
    assert!(all.len() > 150, "{}", all.len());
    let mut found = Vec::new();
    for ((table, name), index) in &all {
        for ((other_table, other_name), other) in &all {
            if table == other_table && name != other_name && index.is_beginning_of(other) {
                found.push(format!("{table}: {name} is the beginning of {other_name}"));
            }
        }
    }
    found
}

#[tokio::test]
async fn no_index_is_the_beginning_of_another_one() {
    let database = TestDatabase::on_sqlite().await;
    assert_eq!(superfluous(&database.db).await, [""; 0]);
    // Such an index would be found.
    execute(&database.db, "CREATE INDEX changes ON participants (institution_id, updated_at)", vec![]).await;
    let expected = ["participants: changes is the beginning of participants_by_update"];
    assert_eq!(superfluous(&database.db).await, expected);
}
