//! Lists of name pages with their settings and figures, newest first.

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

/// What a page is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageName {
    pub id: NamePageId,
    pub title: String,
    pub slug: String,
    pub event_code: String,
}

/// The names of all pages that are not archived, or of those of them that are within a list; newest first.
pub async fn names(
    sql: &mut Sql,
    institution: InstitutionId,
    within: Option<&[NamePageId]>,
) -> Result<Vec<PageName>> {
    let text = |these: &str| {
        format!(
            "SELECT n.id, n.title, n.slug, n.event_code FROM name_pages n \
             WHERE n.institution_id = $1 AND n.archived_at IS NULL{these} ORDER BY n.id DESC"
        )
    };
    let read = |row: &Row<'_>| {
        Ok(PageName { id: row.id(0)?, title: row.text(1)?, slug: row.text(2)?, event_code: row.text(3)? })
    };
    let Some(within) = within else {
        return sql.rows(&text(""), &[institution.into()], read).await;
    };
    let mut found = Vec::with_capacity(within.len());
    for group in padded(within) {
        let text = text(&format!(" AND n.id IN ({})", id_values(2, group.len())));
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, read).await?);
    }
    found.sort_by_key(|page| std::cmp::Reverse(page.id));
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
