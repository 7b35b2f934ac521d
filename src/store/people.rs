//! The people on a name page, with just the columns needed for search and ordering.

use std::collections::HashMap;

use super::{Result, Row, Sql, Value, padded, placeholders};
use crate::domain::{
    directory::Listed,
    ids::{InstitutionId, NamePageId},
    moment::Moment,
};

/// People who are read at a time. With SQLite, that happens on a thread that has others to serve, or with a connection that they need.
const BATCH: usize = 1_000;

/// Everybody on a page, in batches. Callers sort in memory, which gives the same order on both databases.
pub async fn on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Vec<Listed>> {
    let (mut everybody, mut after) = (Vec::new(), -1);
    loop {
        let params = [institution.into(), page.into(), after.into(), (BATCH as i64).into()];
        let batch = sql.rows(ON_PAGE, &params, |row| Ok((listed(row)?, row.int(5)?))).await?;
        let is_last = batch.len() < BATCH;
        after = batch.last().map_or(after, |(_, place)| *place);
        everybody.extend(batch.into_iter().map(|(one, _)| one));
        if is_last {
            return Ok(everybody);
        }
        tokio::task::yield_now().await;
    }
}

fn listed(row: &Row<'_>) -> Result<Listed> {
    Ok(Listed {
        id: row.id(0)?,
        first_name: row.opt_text(1)?,
        last_name: row.opt_text(2)?,
        is_recorded: row.int(3)? > 0,
        is_held: row.bool(4)?,
    })
}

const ON_PAGE: &str = "SELECT p.id, p.first_name, p.last_name, p.recorded_at, p.held, p.page_place FROM participants p \
     WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.page_place > $3 ORDER BY p.page_place LIMIT $4";

/// The people of a page who were registered or changed after `since`. `None` if more than `most` people of the institution were,
/// on whichever page.
pub async fn changed_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    since: Moment,
    most: usize,
) -> Result<Option<Vec<Listed>>> {
    let params = [institution.into(), since.micros().into(), (most as i64 + 1).into()];
    let on_page = |row: &Row<'_>| {
        let is_here = row.id::<NamePageId>(5)? == page;
        if is_here { listed(row).map(Some) } else { Ok(None) }
    };
    let changed = sql.rows(CHANGED, &params, on_page).await?;
    Ok((changed.len() <= most).then(|| changed.into_iter().flatten().collect()))
}

/// There is no index of a page's people by their time of change, and writes would have to maintain it.
const CHANGED: &str = "SELECT p.id, p.first_name, p.last_name, p.recorded_at, p.held, p.name_page_id FROM participants p \
     WHERE p.institution_id = $1 AND p.updated_at > $2 ORDER BY p.updated_at, p.id LIMIT $3";

/// Is the person with this email on the page?
pub async fn is_on_page(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<bool> {
    let params = [institution.into(), page.into(), email_key.into()];
    Ok(sql.one(IS_ON_PAGE, &params, |_| Ok(())).await?.is_some())
}

const IS_ON_PAGE: &str = "SELECT 1 FROM participants p \
     WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.email_key = $3";

/// For each of these emails, the newest picture that came from a learning system.
pub async fn photos(
    sql: &mut Sql,
    institution: InstitutionId,
    emails: &[&str],
) -> Result<HashMap<String, String>> {
    let mut found = HashMap::new();
    for group in padded(emails) {
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.iter().copied().map(Value::from)).collect();
        let read = |row: &Row<'_>| Ok((row.text(0)?, row.text(1)?));
        found.extend(sql.rows(&photos_text(group.len()), &params, read).await?);
    }
    Ok(found)
}

fn photos_text(count: usize) -> String {
    format!(
        "SELECT p.email_key, p.photo FROM participants p JOIN course_members m \
         ON m.institution_id = p.institution_id AND m.participant_id = p.id AND m.photo = p.photo \
         WHERE p.institution_id = $1 AND p.email_key IN ({}) ORDER BY +p.id",
        placeholders(2, count)
    )
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<super::Value<'static>>)> {
    let emails = [vec![1_i64.into()], vec!["a@example.edu".into(); 64]].concat();
    vec![
        (
            "everybody on a page",
            ON_PAGE.to_owned(),
            vec![1_i64.into(), 1_i64.into(), 0_i64.into(), 9_i64.into()],
        ),
        ("changes of an institution", CHANGED.to_owned(), vec![1_i64.into(); 3]),
        (
            "somebody on a page",
            IS_ON_PAGE.to_owned(),
            vec![1_i64.into(), 1_i64.into(), "a@example.edu".into()],
        ),
        ("pictures by email", photos_text(64), emails),
    ]
}
