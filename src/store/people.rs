//! The people on a name page, with just the columns needed for search and ordering.

use std::collections::HashMap;

use super::{Result, Row, Sql, Value, padded, placeholders};
use crate::domain::ids::{InstitutionId, NamePageId, ParticipantId};

#[derive(Debug, Clone)]
pub struct Person {
    pub id: ParticipantId,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub is_recorded: bool,
}

/// Everybody on a page. A course has at most thousands of people, so callers sort in memory, which gives the same order on
/// both databases.
pub async fn on_page(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<Vec<Person>> {
    let read = |row: &Row<'_>| {
        Ok(Person {
            id: row.id(0)?,
            first_name: row.opt_text(1)?,
            last_name: row.opt_text(2)?,
            is_recorded: row.int(3)? > 0,
        })
    };
    sql.rows(ON_PAGE, &[institution.into(), page.into()], read).await
}

const ON_PAGE: &str = "SELECT p.id, p.first_name, p.last_name, p.recorded_at FROM participants p \
     WHERE p.institution_id = $1 AND p.name_page_id = $2 ORDER BY p.page_place";

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
         WHERE p.institution_id = $1 AND p.email_key IN ({}) ORDER BY p.id",
        placeholders(2, count)
    )
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<super::Value<'static>>)> {
    let emails = [vec![1_i64.into()], vec!["a@example.edu".into(); 64]].concat();
    vec![
        ("everybody on a page", ON_PAGE.to_owned(), vec![1_i64.into(), 1_i64.into()]),
        ("pictures by email", photos_text(64), emails),
    ]
}
