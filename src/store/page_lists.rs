//! Lists of name pages with their settings and figures, newest first.

use std::collections::HashMap;

use super::{Result, Row, Sql, Value, coverage, id_values, name_pages, padded, page_settings, placeholders};
use crate::domain::{
    coverage::Coverage,
    ids::{InstitutionId, NamePageId},
    moment::Moment,
    name_page::NamePage,
    page_settings::{PageSettings, PageState},
};

/// Which pages are listed.
#[derive(Debug, Clone, Copy)]
pub struct Chosen<'a> {
    /// `None` for all pages of the institution.
    pub within: Option<&'a [NamePageId]>,
    /// `None` for open and closed ones.
    pub state: Option<PageState>,
    /// The time at which pages are open or closed.
    pub now: Moment,
}

pub type ListedPage = (NamePage, PageSettings, Coverage);

/// Pages that are older than this one, newest first.
pub async fn older(
    sql: &mut Sql,
    institution: InstitutionId,
    chosen: Chosen<'_>,
    than: NamePageId,
    count: i64,
) -> Result<Vec<ListedPage>> {
    let read = |row: &Row<'_>| {
        let (first, then) =
            (name_pages::COLUMNS.len(), name_pages::COLUMNS.len() + page_settings::COLUMNS.len());
        Ok((name_pages::from_row(row)?, page_settings::from_row(row, first)?, coverage::from_row(row, then)?))
    };
    let Some(within) = chosen.within else {
        let mut params: Vec<Value<'_>> = vec![institution.into(), than.into()];
        let text = older_text(chosen, None, &mut params, count);
        return sql.rows(&text, &params, read).await;
    };
    let mut found = Vec::new();
    for group in padded(within) {
        let mut params: Vec<Value<'_>> = vec![institution.into(), than.into()];
        let these = placeholders(3, group.len());
        params.extend(group.into_iter().map(Value::from));
        let text = older_text(chosen, Some(&these), &mut params, count);
        found.extend(sql.rows(&text, &params, read).await?);
    }
    found.sort_by_key(|(page, ..)| std::cmp::Reverse(page.id));
    found.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    Ok(found)
}

fn older_text(chosen: Chosen<'_>, these: Option<&str>, params: &mut Vec<Value<'_>>, count: i64) -> String {
    let mut text = format!(
        "SELECT {}, {}, r.members, c.recorded, c.invited FROM name_pages n \
         LEFT JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         LEFT JOIN coverage c ON c.institution_id = n.institution_id AND c.name_page_id = n.id \
         WHERE n.institution_id = $1 AND n.id < $2",
        name_pages::COLUMNS.join(", "),
        page_settings::COLUMNS.join(", ")
    );
    if let Some(these) = these {
        text.push_str(&format!(" AND n.id IN ({these})"));
    }
    let mut bound = |value: i64| {
        params.push(value.into());
        params.len()
    };
    match chosen.state {
        Some(PageState::Archived) => text.push_str(" AND n.archived_at IS NOT NULL"),
        Some(PageState::Open) => {
            let now = bound(chosen.now.micros());
            text.push_str(&format!(
                " AND n.archived_at IS NULL AND (n.closes_at IS NULL OR n.closes_at > ${now})"
            ));
        }
        Some(PageState::Closed) => {
            let now = bound(chosen.now.micros());
            text.push_str(&format!(" AND n.archived_at IS NULL AND n.closes_at <= ${now}"));
        }
        None => text.push_str(" AND n.archived_at IS NULL"),
    }
    let limit = bound(count);
    text.push_str(&format!(" ORDER BY n.id DESC LIMIT ${limit}"));
    text
}

/// What a page is called, and found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageName {
    pub id: NamePageId,
    pub title: String,
    pub slug: String,
    pub event_code: String,
}

impl From<NamePage> for PageName {
    fn from(page: NamePage) -> Self {
        let NamePage { id, title, slug, event_code, .. } = page;
        Self { id, title, slug, event_code }
    }
}

const NAMES: &str =
    "SELECT n.id, n.title, n.slug, n.event_code FROM name_pages n WHERE n.institution_id = $1";
const UNARCHIVED: &str = " AND n.archived_at IS NULL";

fn name(row: &Row<'_>) -> Result<PageName> {
    Ok(PageName { id: row.id(0)?, title: row.text(1)?, slug: row.text(2)?, event_code: row.text(3)? })
}

/// The names of all pages that are not archived, or of those of them that are within a list; newest first.
pub async fn names(
    sql: &mut Sql,
    institution: InstitutionId,
    within: Option<&[NamePageId]>,
) -> Result<Vec<PageName>> {
    let Some(within) = within else {
        let text = format!("{NAMES}{UNARCHIVED} ORDER BY n.id DESC");
        return sql.rows(&text, &[institution.into()], name).await;
    };
    let mut found = names_among(sql, institution, within, UNARCHIVED).await?;
    found.sort_by_key(|page| std::cmp::Reverse(page.id));
    Ok(found)
}

/// The names of these pages, archived or not.
pub async fn names_of(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
) -> Result<HashMap<NamePageId, PageName>> {
    let found = names_among(sql, institution, pages, "").await?;
    Ok(found.into_iter().map(|page| (page.id, page)).collect())
}

async fn names_among(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
    condition: &str,
) -> Result<Vec<PageName>> {
    let mut found = Vec::with_capacity(pages.len());
    for group in padded(pages) {
        let text = format!("{NAMES} AND n.id IN ({}){condition}", id_values(2, group.len()));
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, name).await?);
    }
    Ok(found)
}

/// Those of the institution's pages that are not archived and say themselves how they ask for a custom field, newest first.
pub async fn asking(
    sql: &mut Sql,
    institution: InstitutionId,
    field: &str,
) -> Result<Vec<(NamePage, PageSettings)>> {
    let text = format!(
        "SELECT {}, {} FROM name_pages n WHERE n.institution_id = $1 AND n.archived_at IS NULL AND n.asked <> '{{}}' ORDER BY n.id DESC",
        name_pages::COLUMNS.join(", "),
        page_settings::COLUMNS.join(", ")
    );
    let read = |row: &Row<'_>| {
        Ok((name_pages::from_row(row)?, page_settings::from_row(row, name_pages::COLUMNS.len())?))
    };
    let mut found = sql.rows(&text, &[institution.into()], read).await?;
    found.retain(|(_, settings)| settings.asked.custom.contains_key(field));
    Ok(found)
}
