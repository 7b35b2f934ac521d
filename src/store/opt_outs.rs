//! People who want no messages of an institution, except to sign in.

use super::{Result, Sql, Value, own_list, placeholders};
use crate::domain::{
    ids::{InstitutionId, NamePageId},
    moment::Moment,
    session::PersonId,
};

/// The condition that somebody with the address of the row `of` is registered on, or invited to, one of these pages, whose parameters it
/// adds. `$1` is the institution. These are scalar subqueries, as in `invitations/guests.rs`.
pub(super) fn on_pages(of: &str, pages: Option<&[NamePageId]>, params: &mut Vec<Value<'_>>) -> String {
    let Some(pages) = pages.map(own_list) else { return String::new() };
    let list = placeholders(params.len() + 1, pages.len());
    params.extend(pages.into_iter().map(Value::from));
    format!(
        " AND ((SELECT p.id FROM participants p WHERE p.institution_id = $1 AND p.email_key = {of}.email_key \
         AND p.name_page_id IN ({list}) LIMIT 1) IS NOT NULL \
         OR (SELECT i.id FROM invitations i WHERE i.institution_id = $1 AND i.email_key = {of}.email_key \
         AND i.name_page_id IN ({list}) LIMIT 1) IS NOT NULL)"
    )
}

pub async fn exists(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<bool> {
    let text = "SELECT 1 FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2";
    Ok(sql.one(text, &[institution.into(), email_key.into()], |_| Ok(())).await?.is_some())
}

pub async fn insert(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<()> {
    let text = "INSERT INTO mail_opt_outs (institution_id, email_key, created_at) VALUES ($1, $2, $3) \
                ON CONFLICT (institution_id, email_key) DO NOTHING";
    let params: [Value<'_>; 3] = [person.institution.into(), (&person.email_key).into(), now.micros().into()];
    sql.execute(text, &params).await.map(|_| ())
}

pub async fn delete(sql: &mut Sql, person: &PersonId) -> Result<()> {
    let text = "DELETE FROM mail_opt_outs WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[person.institution.into(), (&person.email_key).into()]).await.map(|_| ())
}

/// People of an institution, in alphabetical order, behind this one. With pages, only those of these pages.
pub async fn behind(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    behind: &str,
    most: i64,
) -> Result<Vec<(String, Moment)>> {
    let mut params: Vec<Value<'_>> = vec![institution.into(), behind.into()];
    let on_pages = on_pages("o", pages, &mut params);
    params.push(most.into());
    let text = behind_text(&on_pages, params.len());
    sql.rows(&text, &params, |row| Ok((row.text(0)?, Moment::from_micros(row.int(1)?)))).await
}

fn behind_text(on_pages: &str, last: usize) -> String {
    format!(
        "SELECT o.email_key, o.created_at FROM mail_opt_outs o WHERE o.institution_id = $1 AND o.email_key > $2{on_pages} \
         ORDER BY o.email_key LIMIT ${last}"
    )
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let mut params: Vec<Value<'static>> = vec![1_i64.into(), "a@example.edu".into()];
    let on_pages = on_pages("o", Some(&[NamePageId::new(1), NamePageId::new(2)]), &mut params);
    params.push(50_i64.into());
    vec![("people of some pages who want no messages", behind_text(&on_pages, params.len()), params)]
}
