//! The people of a course, as much of them as is needed to choose and order them.

use super::{Result, Row, Sql};

#[derive(Debug, Clone)]
pub struct Person {
    pub id: i64,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
    pub is_recorded: bool,
}

/// Everybody on a page. A course has thousands of people at most, so that they are ordered by whoever shows them, in the
/// same way on both databases.
pub async fn on_page(sql: &mut Sql, institution: i64, page: i64) -> Result<Vec<Person>> {
    let read = |row: &Row<'_>| {
        Ok(Person {
            id: row.int(0)?,
            first_name: row.opt_text(1)?,
            last_name: row.opt_text(2)?,
            is_recorded: row.int(3)? > 0,
        })
    };
    sql.rows(ON_PAGE, &[institution.into(), page.into()], read).await
}

const ON_PAGE: &str = "SELECT p.id, p.first_name, p.last_name, p.recorded_at FROM participants p \
     WHERE p.institution_id = $1 AND p.name_page_id = $2 ORDER BY p.page_place";

/// For the test that looks at the databases' plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<super::Value<'static>>)> {
    vec![("everybody on a page", ON_PAGE.to_owned(), vec![1_i64.into(), 1_i64.into()])]
}
