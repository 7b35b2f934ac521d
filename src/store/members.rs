//! Members of institutions, and the name pages of managers and readers.

use std::collections::{HashMap, HashSet};

use super::{Error, Result, Row, Sql, Value, name_pages};
use crate::domain::{
    ids::{InstitutionId, NamePageId},
    member::{Member, Role},
    moment::Moment,
    name_page::NamePage,
    session::PersonId,
    sign_in::ADMISSION_LIFE,
};

const COLUMNS: &str = "email_key, email, role, created_at";

/// Without their pages.
fn from_row(institution: InstitutionId, row: &Row<'_>) -> Result<Member> {
    let role = row.text(2)?;
    Ok(Member {
        person: PersonId { institution, email_key: row.text(0)? },
        email: row.text(1)?,
        role: Role::parse(&role)
            .ok_or_else(|| Error::Broken(format!("a member has an unknown role: {role}")))?,
        pages: Vec::new(),
        created_at: Moment::from_micros(row.int(3)?),
    })
}

const FIND: &str =
    "SELECT email_key, email, role, created_at FROM members WHERE institution_id = $1 AND email_key = $2";
const PAGES: &str = "SELECT name_page_id FROM member_pages WHERE institution_id = $1 AND email_key = $2 ORDER BY name_page_id";

pub async fn find(sql: &mut Sql, person: &PersonId) -> Result<Option<Member>> {
    let params = [person.institution.into(), (&person.email_key).into()];
    let found = sql.one(FIND, &params, |row| from_row(person.institution, row)).await?;
    let Some(mut found) = found else { return Ok(None) };
    if !found.role.has_all_pages() {
        found.pages = sql.rows(PAGES, &params, |row| row.id(0)).await?;
    }
    Ok(Some(found))
}

/// All members of an institution, by email.
pub async fn all(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<Member>> {
    let text = "SELECT email_key, name_page_id FROM member_pages WHERE institution_id = $1 ORDER BY email_key, name_page_id";
    let mut pages: HashMap<String, Vec<NamePageId>> = HashMap::new();
    for (email_key, page) in
        sql.rows(text, &[institution.into()], |row| Ok((row.text(0)?, row.id(1)?))).await?
    {
        pages.entry(email_key).or_default().push(page);
    }
    let text = format!("SELECT {COLUMNS} FROM members WHERE institution_id = $1 ORDER BY email_key");
    let mut all = sql.rows(&text, &[institution.into()], |row| from_row(institution, row)).await?;
    for member in all.iter_mut().filter(|member| !member.role.has_all_pages()) {
        member.pages = pages.remove(&member.person.email_key).unwrap_or_default();
    }
    Ok(all)
}

/// Members behind this key, by email, without their pages.
pub async fn behind(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    most: i64,
) -> Result<Vec<Member>> {
    let text = format!(
        "SELECT {COLUMNS} FROM members WHERE institution_id = $1 AND email_key > $2 ORDER BY email_key LIMIT $3"
    );
    let params: [Value<'_>; 3] = [institution.into(), email_key.into(), most.into()];
    sql.rows(&text, &params, |row| from_row(institution, row)).await
}

/// The titles of the pages of managers and readers from one key to another, by key.
pub async fn titles(
    sql: &mut Sql,
    institution: InstitutionId,
    (first, last): (&str, &str),
) -> Result<HashMap<String, Vec<String>>> {
    let text = "SELECT m.email_key, n.title FROM member_pages m \
         JOIN name_pages n ON n.institution_id = m.institution_id AND n.id = m.name_page_id \
         WHERE m.institution_id = $1 AND m.email_key >= $2 AND m.email_key <= $3 ORDER BY m.email_key, n.id";
    let params: [Value<'_>; 3] = [institution.into(), first.into(), last.into()];
    let mut titles: HashMap<String, Vec<String>> = HashMap::new();
    for (email_key, title) in sql.rows(text, &params, |row| Ok((row.text(0)?, row.text(1)?))).await? {
        titles.entry(email_key).or_default().push(title);
    }
    Ok(titles)
}

/// How many owners an institution has. For a decision, the caller holds its lock.
pub async fn owners(sql: &mut Sql, institution: InstitutionId) -> Result<i64> {
    let text = "SELECT COUNT(*) FROM members WHERE institution_id = $1 AND role = $2";
    let params: [Value<'_>; 2] = [institution.into(), Role::Owner.word().into()];
    Ok(sql.one(text, &params, |row| row.int(0)).await?.unwrap_or(0))
}

/// The keys of the owners and admins.
pub async fn administrators(sql: &mut Sql, institution: InstitutionId) -> Result<HashSet<String>> {
    let text = "SELECT email_key FROM members WHERE institution_id = $1 AND role IN ($2, $3)";
    let params: [Value<'_>; 3] = [institution.into(), Role::Owner.word().into(), Role::Admin.word().into()];
    Ok(sql.rows(text, &params, |row| row.text(0)).await?.into_iter().collect())
}

/// Owners who lose the role when there is another one. They have no pages of their own.
pub async fn leaving(sql: &mut Sql, institution: InstitutionId) -> Result<Vec<Member>> {
    let text = format!(
        "SELECT {COLUMNS} FROM members WHERE institution_id = $1 AND leaving = TRUE ORDER BY email_key"
    );
    sql.rows(&text, &[institution.into()], |row| from_row(institution, row)).await
}

pub async fn set_leaving(sql: &mut Sql, person: &PersonId, leaving: bool) -> Result<()> {
    let text = "UPDATE members SET leaving = $1 WHERE institution_id = $2 AND email_key = $3";
    let params: [Value<'_>; 3] = [leaving.into(), person.institution.into(), (&person.email_key).into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Inserts a member, or replaces address, role and pages. From then on the role is one that was given by hand (see
/// `sso_groups::mark`).
pub async fn set(sql: &mut Sql, member: &Member) -> Result<()> {
    let Member { person: PersonId { institution, email_key }, email, role, pages, created_at } = member;
    let text = "INSERT INTO members (institution_id, email_key, email, role, created_at) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (institution_id, email_key) DO UPDATE SET email = $3, role = $4, source = 'hand', connection_id = NULL, \
                leaving = FALSE";
    let params: [Value<'_>; 5] = [
        (*institution).into(),
        email_key.into(),
        email.into(),
        role.word().into(),
        created_at.micros().into(),
    ];
    sql.execute(text, &params).await?;
    let text = "DELETE FROM member_pages WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[(*institution).into(), email_key.into()]).await?;
    for page in pages {
        let text = "INSERT INTO member_pages (institution_id, email_key, name_page_id) VALUES ($1, $2, $3)";
        sql.execute(text, &[(*institution).into(), email_key.into(), (*page).into()]).await?;
    }
    Ok(())
}

/// False if there is no such member.
pub async fn delete(sql: &mut Sql, person: &PersonId) -> Result<bool> {
    let mut gone = 0;
    for table in ["member_pages", "members"] {
        let text = format!("DELETE FROM {table} WHERE institution_id = $1 AND email_key = $2");
        gone = sql.execute(&text, &[person.institution.into(), (&person.email_key).into()]).await?;
    }
    Ok(gone == 1)
}

/// The newest pages of an institution that are not archived.
pub async fn newest_pages(sql: &mut Sql, institution: InstitutionId, most: i64) -> Result<Vec<NamePage>> {
    let text = format!(
        "SELECT {} FROM name_pages n WHERE n.institution_id = $1 AND n.archived_at IS NULL ORDER BY n.id DESC LIMIT $2",
        name_pages::COLUMNS.join(", ")
    );
    sql.rows(&text, &[institution.into(), most.into()], name_pages::from_row).await
}

/// The newest pages of a manager or reader that are not archived.
pub async fn pages_of(sql: &mut Sql, person: &PersonId, most: i64) -> Result<Vec<NamePage>> {
    let text = format!(
        "SELECT {} FROM member_pages m \
         JOIN name_pages n ON n.institution_id = m.institution_id AND n.id = m.name_page_id \
         WHERE m.institution_id = $1 AND m.email_key = $2 AND n.archived_at IS NULL ORDER BY n.id DESC LIMIT $3",
        name_pages::COLUMNS.join(", ")
    );
    let params: [Value<'_>; 3] = [person.institution.into(), (&person.email_key).into(), most.into()];
    sql.rows(&text, &params, name_pages::from_row).await
}

/// Pages on which somebody may register, and has not: those of their invitations and admissions. Both tables are found by
/// the email, of which each has few rows.
pub async fn open_to(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<Vec<NamePage>> {
    let text = format!(
        "SELECT {} FROM name_pages n WHERE n.institution_id = $1 AND n.archived_at IS NULL AND n.id IN \
         (SELECT v.name_page_id FROM invitations v WHERE v.institution_id = $1 AND v.email_key = $2 \
         AND v.withdrawn_at IS NULL AND v.expires_at > $3 \
         UNION SELECT a.name_page_id FROM admissions a WHERE a.institution_id = $1 AND a.email_key = $2 \
         AND a.created_at > $4) \
         AND n.id NOT IN (SELECT p.name_page_id FROM participants p WHERE p.institution_id = $1 AND p.email_key = $2) \
         ORDER BY n.id DESC LIMIT 100",
        name_pages::COLUMNS.join(", ")
    );
    let params: [Value<'_>; 4] = [
        person.institution.into(),
        (&person.email_key).into(),
        now.micros().into(),
        now.minus(ADMISSION_LIFE).micros().into(),
    ];
    sql.rows(&text, &params, name_pages::from_row).await
}

/// Columns with the signature of whoever did something: the email of a member, or another word. With what they get when the member is
/// erased.
const SIGNED: [(&str, &str, &str); 4] = [
    ("moderation", "decided_by", "NULL"),
    ("entry_cases", "decided_by", "NULL"),
    ("deleted_people", "deleted_by", "''"),
    ("people_tasks", "created_by", "''"),
];

/// Forgets what a member has signed. They may have signed with another spelling of the address.
pub async fn forget(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    email: Option<&str>,
) -> Result<()> {
    for (table, column, nobody) in SIGNED {
        let text = format!(
            "UPDATE {table} SET {column} = {nobody} WHERE institution_id = $1 AND (LOWER({column}) = $2 OR {column} = $3)"
        );
        sql.execute(&text, &[institution.into(), email_key.into(), email.into()]).await?;
    }
    Ok(())
}
