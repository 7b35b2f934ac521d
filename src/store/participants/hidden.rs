//! People who have left a course. Their rows move to a table that nothing else asks, and back. The caller holds the
//! institution's lock.

use super::*;
use crate::store::{media, rolls};

/// Takes people of one page out of every list, look-up and count; links to what they have are dead.
pub async fn hide(sql: &mut Sql, institution: i64, page: i64, ids: &[i64]) -> Result<()> {
    let (ids, places) = moved(sql, institution, page, ids, ("participants", "hidden_participants")).await?;
    rolls::leave(sql, institution, rolls::INSTITUTION, &ids).await?;
    rolls::leave(sql, institution, page, &places).await?;
    media::hide(sql, institution, &ids, true).await
}

/// They are back, in the places that they had, with everything that they had.
pub async fn show(sql: &mut Sql, institution: i64, page: i64, ids: &[i64], now: Moment) -> Result<()> {
    let (ids, places) = moved(sql, institution, page, ids, ("hidden_participants", "participants")).await?;
    rolls::rejoin(sql, institution, rolls::INSTITUTION, &ids).await?;
    rolls::rejoin(sql, institution, page, &places).await?;
    media::hide(sql, institution, &ids, false).await?;
    // Whoever asks for what has changed since then hears of them.
    for group in padded(&ids) {
        let text = format!(
            "UPDATE participants SET updated_at = $1 WHERE institution_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let params: Vec<Value<'_>> =
            [now.micros(), institution].into_iter().chain(group).map(Value::from).collect();
        sql.execute(&text, &params).await?;
    }
    Ok(())
}

/// Those of one page whom a key names.
pub async fn on_page(sql: &mut Sql, institution: i64, page: i64, by: By, key: &str) -> Result<Vec<i64>> {
    let text = format!(
        "SELECT id FROM hidden_participants WHERE institution_id = $1 AND {} = $2 AND name_page_id = $3 ORDER BY id",
        by.column()
    );
    sql.rows(&text, &[institution.into(), key.into(), page.into()], |row| row.int(0)).await
}

/// They do not come back. Their places stay empty.
pub async fn delete(sql: &mut Sql, institution: i64, id: i64) -> Result<()> {
    sql.forget();
    let text = "DELETE FROM hidden_participants WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), id.into()]).await.map(|_| ())
}

/// Says who was there to be moved, and their places on the page.
async fn moved(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    ids: &[i64],
    (from, to): (&str, &str),
) -> Result<(Vec<i64>, Vec<i64>)> {
    // A row moves whole.
    let columns = columns::all().join(", ");
    let (mut moved, mut places) = (Vec::with_capacity(ids.len()), Vec::with_capacity(ids.len()));
    for group in padded(ids) {
        let these = format!(
            "FROM {from} WHERE institution_id = $1 AND name_page_id = $2 AND id IN ({})",
            placeholders(3, group.len())
        );
        let params: Vec<Value<'_>> = [institution, page].into_iter().chain(group).map(Value::from).collect();
        sql.execute(&format!("INSERT INTO {to} ({columns}) SELECT {columns} {these}"), &params).await?;
        let text = format!("DELETE {these} RETURNING id, page_place");
        for (id, place) in sql.rows(&text, &params, |row| Ok((row.int(0)?, row.int(1)?))).await? {
            moved.push(id);
            places.push(place);
        }
    }
    Ok((moved, places))
}
