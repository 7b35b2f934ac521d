//! Name pages and their codes.

use std::sync::LazyLock;

use super::{
    Result, Row, Sql, Value, admissions, citus, courses, coverage, id_values, institutions,
    lookup::{Lookup, Param},
    padded, persons, retention,
    rolls::{self, Extent},
};
use crate::domain::{
    coverage::Coverage,
    ids::{InstitutionId, NamePageId},
    institution::Institution,
    moment::Moment,
    name_page::{NamePage, NamePageRef, code_key},
};

pub(super) const COLUMNS: [&str; 7] =
    ["n.id", "n.title", "n.slug", "n.event_code", "n.access_code", "n.allow_v2", "n.created_at"];

/// Reads `COLUMNS`, which come first.
pub(super) fn from_row(row: &Row<'_>) -> Result<NamePage> {
    Ok(NamePage {
        id: row.id(0)?,
        title: row.text(1)?,
        slug: row.text(2)?,
        event_code: row.text(3)?,
        access_code: row.text(4)?,
        allow_v2: row.bool(5)?,
        created_at: Moment::from_micros(row.int(6)?),
    })
}

/// Returns `Conflict` if the slug or one of the codes is taken.
pub async fn insert(sql: &mut Sql, institution: InstitutionId, page: &NamePage) -> Result<()> {
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
    rolls::open(sql, institution, page.id).await?;
    coverage::open(sql, institution, page.id).await
}

/// Is this slug or code in use by any institution?
pub async fn code_taken(sql: &mut Sql, code: &str) -> Result<bool> {
    let text = "SELECT 1 FROM codes WHERE code = $1";
    Ok(sql.one(text, &[code_key(code).into()], |_| Ok(())).await?.is_some())
}

pub async fn find(sql: &mut Sql, institution: InstitutionId, page: &NamePageRef) -> Result<Option<NamePage>> {
    if !sql.is_citus() {
        return sql.look_up_one(&FIND, &[page.key().into(), institution.into()], from_row).await;
    }
    // Citus plans a join each time. Of statements on one table it keeps the plans.
    let Some(id) = code_owner(sql, institution, page).await? else {
        return Ok(None);
    };
    by_id(sql, institution, id).await
}

pub async fn by_id(sql: &mut Sql, institution: InstitutionId, id: NamePageId) -> Result<Option<NamePage>> {
    let text =
        format!("SELECT {} FROM name_pages n WHERE n.institution_id = $1 AND n.id = $2", COLUMNS.join(", "));
    sql.one(&text, &[institution.into(), id.into()], from_row).await
}

/// Those of these pages that exist; archived ones, too.
pub async fn by_ids(
    sql: &mut Sql,
    institution: InstitutionId,
    pages: &[NamePageId],
) -> Result<Vec<NamePage>> {
    let mut found = Vec::with_capacity(pages.len());
    for group in padded(pages) {
        let text = format!(
            "SELECT {} FROM name_pages n WHERE n.institution_id = $1 AND n.id IN ({})",
            COLUMNS.join(", "),
            id_values(2, group.len())
        );
        let params: Vec<Value<'_>> =
            [institution.into()].into_iter().chain(group.into_iter().map(Value::from)).collect();
        found.extend(sql.rows(&text, &params, from_row).await?);
    }
    Ok(found)
}

static FIND: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        "SELECT {} FROM codes c \
         JOIN name_pages n ON n.institution_id = c.institution_id AND n.id = c.name_page_id \
         WHERE c.code = $1 AND c.institution_id = $2",
        COLUMNS.join(", ")
    );
    Lookup::new(text, &[Param::Text, Param::Int])
});

/// A page with the extent of its roll.
pub async fn find_with_roll(
    sql: &mut Sql,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<Option<(NamePage, Extent)>> {
    if !sql.is_citus() {
        let params = [page.key().into(), institution.into()];
        return sql.look_up_one(&FIND_WITH_ROLL, &params, with_extent).await;
    }
    match code_owner(sql, institution, page).await? {
        Some(id) => by_id_with_roll(sql, institution, id).await,
        None => Ok(None),
    }
}

/// Reads `COLUMNS`, and those of the roll, if there is one.
fn with_extent(row: &Row<'_>) -> Result<(NamePage, Extent)> {
    let count = |column: usize| row.opt_int(column).map(Option::unwrap_or_default);
    let (next_place, members) = (count(COLUMNS.len())?, count(COLUMNS.len() + 1)?);
    Ok((from_row(row)?, Extent { next_place, members }))
}

static FIND_WITH_ROLL: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        "SELECT {}, r.next_place, r.members FROM codes c \
         JOIN name_pages n ON n.institution_id = c.institution_id AND n.id = c.name_page_id \
         LEFT JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         WHERE c.code = $1 AND c.institution_id = $2",
        COLUMNS.join(", ")
    );
    Lookup::new(text, &[Param::Text, Param::Int])
});

/// `find_with_roll` of a page whose id is known.
pub async fn by_id_with_roll(
    sql: &mut Sql,
    institution: InstitutionId,
    id: NamePageId,
) -> Result<Option<(NamePage, Extent)>> {
    if !sql.is_citus() {
        return sql.look_up_one(&BY_ID_WITH_ROLL, &[institution.into(), id.into()], with_extent).await;
    }
    let Some(found) = by_id(sql, institution, id).await? else {
        return Ok(None);
    };
    let extent = rolls::extent(sql, institution, id).await?;
    Ok(Some((found, extent)))
}

static BY_ID_WITH_ROLL: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        "SELECT {}, r.next_place, r.members FROM name_pages n \
         LEFT JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         WHERE n.institution_id = $1 AND n.id = $2",
        COLUMNS.join(", ")
    );
    Lookup::new(text, &[Param::Int, Param::Int])
});

/// Sample queries for the test that checks query plans.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let params = || vec![Value::from("slug7".to_owned()), Value::Int(1)];
    vec![
        ("a page with its roll, by id", BY_ID_WITH_ROLL.one().to_owned(), vec![Value::Int(1), Value::Int(7)]),
        ("a page", FIND.one().to_owned(), params()),
        ("a page with its roll", FIND_WITH_ROLL.one().to_owned(), params()),
    ]
}

/// Resolves a code of this institution to a page id, or to `rolls::INSTITUTION`.
pub async fn code_owner(
    sql: &mut Sql,
    institution: InstitutionId,
    code: &NamePageRef,
) -> Result<Option<NamePageId>> {
    sql.look_up_one(&CODE_OWNER, &[code.key().into(), institution.into()], |row| row.id(0)).await
}

static CODE_OWNER: LazyLock<Lookup> = LazyLock::new(|| {
    let text = "SELECT name_page_id FROM codes WHERE code = $1 AND institution_id = $2";
    Lookup::new(text.to_owned(), &[Param::Text, Param::Int])
});

/// The institution and the page of a code, which may be of any institution.
pub(super) async fn owner_of_code(sql: &mut Sql, key: &str) -> Result<Option<(Institution, NamePageId)>> {
    let text = format!(
        "SELECT c.name_page_id, {} FROM codes c JOIN institutions i ON i.id = c.institution_id WHERE c.code = $1",
        institutions::COLUMNS
    );
    sql.one(&text, &[key.into()], |row| Ok((institutions::from_row(row, 1)?, row.id(0)?))).await
}

/// Resolves a code that is used without a token to an institution and a page id or `rolls::INSTITUTION`. Only access codes are
/// accepted: slugs and event codes are public. Codes of pages that do not allow API version 2, and of institutions without
/// such a page, are rejected.
pub async fn open_code(sql: &mut Sql, code: &NamePageRef) -> Result<Option<(Institution, NamePageId)>> {
    if sql.is_citus() {
        return open_code_in_steps(sql, code).await;
    }
    let found = sql
        .look_up_one(&OPEN_CODE, &[code.key().into()], |row| {
            Ok((institutions::from_row(row, 2)?, row.id(0)?, row.opt_text(1)?))
        })
        .await?;
    // For an institution, the only code is its access code.
    Ok(found.and_then(|(institution, page, access_code)| {
        let is_access_code = access_code.is_none_or(|own| code_key(&own) == code.key());
        is_access_code.then_some((institution, page))
    }))
}

static OPEN_CODE: LazyLock<Lookup> = LazyLock::new(|| {
    let text = format!(
        // CASE instead of OR: with OR, both databases would scan all pages of the institution.
        "SELECT c.name_page_id, p.access_code, {} FROM codes c JOIN institutions i ON i.id = c.institution_id \
         LEFT JOIN name_pages p ON p.institution_id = c.institution_id AND p.id = c.name_page_id \
         WHERE c.code = $1 AND CASE WHEN c.name_page_id = 0 \
         THEN EXISTS (SELECT 1 FROM name_pages n WHERE n.institution_id = c.institution_id AND n.allow_v2 = TRUE) \
         ELSE p.allow_v2 = TRUE END",
        institutions::COLUMNS
    );
    Lookup::new(text, &[Param::Text])
});

/// The same with a statement for each step: in one, Citus would look for the page on every node.
async fn open_code_in_steps(sql: &mut Sql, code: &NamePageRef) -> Result<Option<(Institution, NamePageId)>> {
    let Some((institution, page)) = owner_of_code(sql, code.key()).await? else {
        return Ok(None);
    };
    let is_open = if page == rolls::INSTITUTION {
        let text = "SELECT 1 FROM name_pages WHERE institution_id = $1 AND allow_v2 = TRUE LIMIT 1";
        sql.one(text, &[institution.id.into()], |_| Ok(())).await?.is_some()
    } else {
        let text =
            "SELECT access_code FROM name_pages WHERE institution_id = $1 AND id = $2 AND allow_v2 = TRUE";
        let own = sql.one(text, &[institution.id.into(), page.into()], |row| row.text(0)).await?;
        own.is_some_and(|own| code_key(&own) == code.key())
    };
    Ok(is_open.then_some((institution, page)))
}

/// Pages that allow API version 2 and have members, with the number of members.
pub async fn open_pages(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<(NamePageId, i64)>> {
    let text = "SELECT n.id, r.members FROM name_pages n \
         JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         WHERE n.institution_id = $1 AND n.allow_v2 = TRUE AND r.members > 0 ORDER BY n.id";
    sql.rows(text, &[institution.into()], |row| Ok((row.id(0)?, row.int(1)?))).await
}

/// The pages whose access codes are shorter than this and open API version 2: the slugs of their institutions, and their own.
pub async fn short_open_codes(sql: &mut Sql, shortest: usize) -> Result<Vec<(String, String)>> {
    let text = "SELECT i.slug, n.slug FROM name_pages n JOIN institutions i ON i.id = n.institution_id \
                WHERE n.allow_v2 = TRUE AND LENGTH(n.access_code) < CAST($1 AS BIGINT) ORDER BY i.slug, n.slug";
    let shortest = i64::try_from(shortest).unwrap_or(i64::MAX);
    sql.rows(text, &[shortest.into()], |row| Ok((row.text(0)?, row.text(1)?))).await
}

/// All pages with their figures: those that are archived, or the others.
pub async fn all(
    sql: &mut Sql,
    institution: InstitutionId,
    archived: bool,
) -> Result<Vec<(NamePage, Coverage)>> {
    let text = format!(
        "SELECT {}, r.members, c.recorded, c.invited FROM name_pages n \
         LEFT JOIN rolls r ON r.institution_id = n.institution_id AND r.name_page_id = n.id \
         LEFT JOIN coverage c ON c.institution_id = n.institution_id AND c.name_page_id = n.id \
         WHERE n.institution_id = $1 AND n.archived_at IS {}NULL ORDER BY n.id",
        COLUMNS.join(", "),
        if archived { "NOT " } else { "" }
    );
    let read = |row: &Row<'_>| Ok((from_row(row)?, coverage::from_row(row, COLUMNS.len())?));
    sql.rows(&text, &[institution.into()], read).await
}

pub async fn allow_v2(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    allow: bool,
) -> Result<()> {
    let text = "UPDATE name_pages SET allow_v2 = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[allow.into(), institution.into(), page.into()]).await.map(|_| ())
}

pub async fn set_title(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    title: &str,
) -> Result<()> {
    let text = "UPDATE name_pages SET title = $1 WHERE institution_id = $2 AND id = $3";
    sql.execute(text, &[title.into(), institution.into(), page.into()]).await.map(|_| ())
}

/// Merges a page into another, after its people were moved: its codes and all references now point to the other page.
pub async fn absorb(
    sql: &mut Sql,
    institution: InstitutionId,
    gone: NamePageId,
    into: NamePageId,
) -> Result<()> {
    for text in [
        "UPDATE codes SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE exports SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE moderation SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE entry_cases SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE imports SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE outbox SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
        "UPDATE sign_in_requests SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3",
    ] {
        sql.execute(text, &[into.into(), institution.into(), gone.into()]).await?;
    }
    // Skip rows that already refer to the remaining page.
    for (table, whose) in [
        ("token_pages", "token_id"),
        ("export_pages", "export_id"),
        ("member_pages", "email_key"),
        ("admissions", "email_key"),
        ("invitations", "email_key"),
        ("scim_group_pages", "group_id"),
    ] {
        let text = format!(
            "UPDATE {table} SET name_page_id = $1 WHERE institution_id = $2 AND name_page_id = $3 AND NOT EXISTS \
             (SELECT 1 FROM {table} o WHERE o.institution_id = $2 AND o.{whose} = {table}.{whose} AND o.name_page_id = $1)"
        );
        sql.execute(&text, &[into.into(), institution.into(), gone.into()]).await?;
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND name_page_id = $2");
        sql.execute(&text, &[institution.into(), gone.into()]).await?;
    }
    // Whoever was told about one page may not know about the other.
    retention::forget_page(sql, institution, gone).await?;
    let text = "DELETE FROM name_pages WHERE institution_id = $1 AND id = $2";
    sql.execute(text, &[institution.into(), gone.into()]).await?;
    coverage::close(sql, institution, gone).await?;
    coverage::count_invited(sql, institution, into).await?;
    rolls::close(sql, institution, gone).await
}

/// Deletes the page with its people, including hidden ones, and its course. If that course is synchronized again, it gets a
/// new page. The caller holds the institution's lock.
pub async fn delete(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<u64> {
    let here = [Value::from(institution), Value::from(page)];
    let text =
        "SELECT id FROM participants WHERE institution_id = $1 AND name_page_id = $2 ORDER BY page_place";
    let people = sql.rows(text, &here, |row| row.int(0)).await?;
    sql.scrub_wal();
    courses::delete_all(sql, institution, ("name_page_id", page.get())).await?;
    let text = "DELETE FROM import_changes WHERE institution_id = $1 AND import_id IN \
                (SELECT i.id FROM imports i WHERE i.institution_id = $1 AND i.name_page_id = $2)";
    sql.execute(text, &here).await?;
    // Also of people who came from another page. Sessions, which are on other nodes of Citus, end when they find no entry.
    for table in persons::alone().filter(|table| citus::is_by_institution(table)) {
        let text = format!(
            "DELETE FROM {table} WHERE institution_id = $1 AND participant_id IN \
             (SELECT id FROM participants WHERE institution_id = $1 AND name_page_id = $2 \
             UNION ALL SELECT id FROM hidden_participants WHERE institution_id = $1 AND name_page_id = $2)"
        );
        sql.execute(&text, &here).await?;
    }
    for text in [
        "DELETE FROM participants WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM hidden_participants WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM invitations WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM codes WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM token_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM export_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM member_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM scim_group_pages WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM moderation WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM entry_cases WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM imports WHERE institution_id = $1 AND name_page_id = $2",
        "UPDATE outbox SET name_page_id = NULL WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM name_pages WHERE institution_id = $1 AND id = $2",
    ] {
        sql.execute(text, &here).await?;
    }
    admissions::delete_all_on(sql, institution, page).await?;
    retention::forget_page(sql, institution, page).await?;
    coverage::close(sql, institution, page).await?;
    rolls::leave(sql, institution, rolls::INSTITUTION, &people).await?;
    rolls::close(sql, institution, page).await?;
    Ok(people.len() as u64)
}
