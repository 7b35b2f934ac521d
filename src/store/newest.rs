//! The newest recordings. Those that are paused or held have no time in `participants`, so they are left out.

use std::cmp::Reverse;

use super::{Result, Row, Sql, Value};
use crate::domain::ids::{InstitutionId, NamePageId, ParticipantId};

/// On at most so many pages, the newest recordings of each are read. On more, they are looked for among the newest of the institution.
const PAGES: usize = 20;
const WINDOW: i64 = 1_000;

struct Found {
    id: ParticipantId,
    page: NamePageId,
    recorded_at: i64,
}

fn from_row(row: &Row<'_>) -> Result<Found> {
    Ok(Found { id: row.id(0)?, page: row.id(1)?, recorded_at: row.int(2)? })
}

const OF_INSTITUTION: &str = "SELECT p.id, p.name_page_id, p.recorded_at FROM participants p \
     WHERE p.institution_id = $1 AND p.recorded_at > 0 ORDER BY p.recorded_at DESC, p.id DESC LIMIT $2";
const OF_PAGE: &str = "SELECT p.id, p.name_page_id, p.recorded_at FROM participants p \
     WHERE p.institution_id = $1 AND p.name_page_id = $2 AND p.recorded_at > 0 \
     ORDER BY p.recorded_at DESC, p.id DESC LIMIT $3";

/// Who has recorded last, newest first: in the institution, or on these pages.
pub async fn recorded(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: Option<&[NamePageId]>,
    most: usize,
) -> Result<Vec<ParticipantId>> {
    let count = i64::try_from(most).unwrap_or(i64::MAX);
    let mut found = Vec::new();
    match pages {
        None => found = sql.rows(OF_INSTITUTION, &[institution.into(), count.into()], from_row).await?,
        Some(pages) if pages.len() <= PAGES => {
            for page in pages {
                let params: [Value<'_>; 3] = [institution.into(), (*page).into(), count.into()];
                found.extend(sql.rows(OF_PAGE, &params, from_row).await?);
            }
            found.sort_by_key(|one| Reverse((one.recorded_at, one.id)));
        }
        Some(pages) => {
            found = sql.rows(OF_INSTITUTION, &[institution.into(), WINDOW.into()], from_row).await?;
            found.retain(|one| pages.contains(&one.page));
        }
    }
    Ok(found.into_iter().take(most).map(|one| one.id).collect())
}

/// For the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    vec![
        ("the newest recordings", OF_INSTITUTION.to_owned(), vec![1_i64.into(), 8_i64.into()]),
        (
            "the newest recordings of a page",
            OF_PAGE.to_owned(),
            vec![1_i64.into(), 1_i64.into(), 8_i64.into()],
        ),
    ]
}
