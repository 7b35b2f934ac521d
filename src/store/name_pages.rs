//! Name pages, and the codes by which they are called.

use super::{Result, Row, Sql, Value, courses, institutions, rolls};
use crate::domain::{
    institution::Institution,
    moment::Moment,
    name_page::{NamePage, NamePageRef, code_key},
};

const COLUMNS: &str = "n.id, n.title, n.slug, n.event_code, n.access_code, n.allow_v2, n.created_at";

fn from_row(row: &Row<'_>) -> Result<NamePage> {
    Ok(NamePage {
        id: row.int(0)?,
        title: row.text(1)?,
        slug: row.text(2)?,
        event_code: row.text(3)?,
        access_code: row.text(4)?,
        allow_v2: row.bool(5)?,
        created_at: Moment::from_micros(row.int(6)?),
    })
}

/// A `Conflict` means that its slug or one of its codes is taken.
pub async fn insert(sql: &mut Sql, institution: i64, page: &NamePage) -> Result<()> {
    let text = "INSERT INTO name_pages (institution_id, id, title, slug, event_code, access_code, allow_v2, created_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let params: [Value<'_>; 8] = [
        institution.into(),
        page.id.into(),
        (&page.title).into(),
        (&page.slug).into(),
        (&page.event_code).into(),
        (&page.access_code).into(),
        page.allow_v2.into(),
        page.created_at.micros().into(),
    ];
    sql.execute(text, &params).await?;
    let mut codes: Vec<String> = [&page.id.to_string(), &page.slug, &page.event_code, &page.access_code]
        .map(|code| code_key(code))
        .to_vec();
    codes.sort();
    codes.dedup();
    for code in codes {
        let text = "INSERT INTO codes (code, institution_id, name_page_id) VALUES ($1, $2, $3)";
        sql.execute(text, &[code.into(), institution.into(), page.id.into()]).await?;
    }
    rolls::open(sql, institution, page.id).await
}

/// Is this slug or code in use, by anyone?
pub async fn code_taken(sql: &mut Sql, code: &str) -> Result<bool> {
    let text = "SELECT 1 FROM codes WHERE code = $1";
    Ok(sql.one(text, &[code_key(code).into()], |_| Ok(())).await?.is_some())
}

pub async fn find(sql: &mut Sql, institution: i64, page: &NamePageRef) -> Result<Option<NamePage>> {
    let text = format!(
        "SELECT {COLUMNS} FROM codes c \
         JOIN name_pages n ON n.institution_id = c.institution_id AND n.id = c.name_page_id \
         WHERE c.code = $1 AND c.institution_id = $2"
    );
    sql.one(&text, &[page.key().into(), institution.into()], from_row).await
}

/// What a code of this institution stands for: a page's id, or `rolls::INSTITUTION`.
pub async fn code_owner(sql: &mut Sql, institution: i64, code: &NamePageRef) -> Result<Option<i64>> {
    let text = "SELECT name_page_id FROM codes WHERE code = $1 AND institution_id = $2";
    sql.one(text, &[code.key().into(), institution.into()], |row| row.int(0)).await
}

/// What a code stands for that comes without a token: an institution, and the page's id or `rolls::INSTITUTION`. Only
/// access codes count: slugs and event codes are public. Codes of pages that version 2 is not open to, and of institutions
/// without any that it is open to, stand for nothing.
pub async fn open_code(sql: &mut Sql, code: &NamePageRef) -> Result<Option<(Institution, i64)>> {
    let text = format!(
        // Two questions and not one with OR, for which both databases would read all pages of the institution.
        "SELECT {}, c.name_page_id, p.access_code FROM codes c JOIN institutions i ON i.id = c.institution_id \
         LEFT JOIN name_pages p ON p.institution_id = c.institution_id AND p.id = c.name_page_id \
         WHERE c.code = $1 AND CASE WHEN c.name_page_id = 0 \
         THEN EXISTS (SELECT 1 FROM name_pages n WHERE n.institution_id = c.institution_id AND n.allow_v2 = TRUE) \
         ELSE p.allow_v2 = TRUE END",
        institutions::COLUMNS
    );
    let found = sql
        .one(&text, &[code.key().into()], |row| {
            Ok((institutions::from_row(row, 0)?, row.int(9)?, row.opt_text(10)?))
        })
        .await?;
    // An institution has no other code than its access code.
    Ok(found.and_then(|(institution, page, access_code)| {
        let is_access_code = access_code.is_none_or(|own| code_key(&own) == code.key());
        is_access_code.then_some((institution, page))
    }))
}

/// The pages that version 2 is open to and that have people, with how many.
pub async fn open_pages(sql: &mut Sql, institution: i64) -> Result<Vec<(i64, i64)>> {
    let text = "SELECT n.id, r.members FROM name_pages n \
         JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         WHERE n.institution_id = $1 AND n.allow_v2 = TRUE AND r.members > 0 ORDER BY n.id";
    sql.rows(text, &[institution.into()], |row| Ok((row.int(0)?, row.int(1)?))).await
}

pub async fn all(sql: &mut Sql, institution: i64) -> Result<Vec<NamePage>> {
    let text = format!("SELECT {COLUMNS} FROM name_pages n WHERE n.institution_id = $1 ORDER BY n.id");
    sql.rows(&text, &[institution.into()], from_row).await
}

pub async fn allow_v2(sql: &mut Sql, institution: i64, page: i64, allow: bool) -> Result<()> {
    let text = "UPDATE name_pages SET allow_v2 = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[allow.into(), institution.into(), page.into()]).await.map(|_| ())
}

pub async fn set_title(sql: &mut Sql, institution: i64, page: i64, title: &str) -> Result<()> {
    let text = "UPDATE name_pages SET title = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[title.into(), institution.into(), page.into()]).await.map(|_| ())
}

/// A page whose people are on another by now: whatever named the one names the other.
pub async fn absorb(sql: &mut Sql, institution: i64, gone: i64, into: i64) -> Result<()> {
    for text in [
        "UPDATE codes SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE exports SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
    ] {
        sql.execute(text, &[into.into(), institution.into(), gone.into()]).await?;
    }
    // What is limited to both pages has the one that stays already.
    for (table, whose) in [("token_pages", "token_id"), ("export_pages", "export_id")] {
        let text = format!(
            "UPDATE {table} SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3 AND NOT EXISTS \
             (SELECT 1 FROM {table} o WHERE o.institution_id = $2 AND o.{whose} = {table}.{whose} AND o.name_page_id = $1)"
        );
        sql.execute(&text, &[into.into(), institution.into(), gone.into()]).await?;
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND name_page_id = $2");
        sql.execute(&text, &[institution.into(), gone.into()]).await?;
    }
    let text = "DELETE FROM name_pages WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), gone.into()]).await?;
    rolls::close(sql, institution, gone).await
}

/// The page with its people, those who are hidden among them, and with the course that it is of: when that is synchronised
/// again, it gets a new page. The caller holds the institution's lock.
pub async fn delete(sql: &mut Sql, institution: i64, page: i64) -> Result<u64> {
    let here = [Value::from(institution), Value::from(page)];
    let text =
        "SELECT id FROM participants WHERE institution_id = $1 AND name_page_id = $2 ORDER BY page_place";
    let people = sql.rows(text, &here, |row| row.int(0)).await?;
    sql.forget();
    courses::delete_all(sql, institution, ("name_page_id", page)).await?;
    for text in [
        "DELETE FROM participants WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM hidden_participants WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM codes WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM token_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM export_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM name_pages WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &here).await?;
    }
    rolls::leave(sql, institution, rolls::INSTITUTION, &people).await?;
    rolls::close(sql, institution, page).await?;
    Ok(people.len() as u64)
}
