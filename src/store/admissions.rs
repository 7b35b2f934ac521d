//! Who has proven an address and may register on a page with it.

use super::{Result, Sql, Value, expiry};
use crate::domain::{
    ids::{InstitutionId, NamePageId},
    moment::Moment,
    session::PersonId,
};

/// Admits a person, or prolongs their admission. `email` is the address that they have proven.
pub async fn set(sql: &mut Sql, person: &PersonId, page: NamePageId, email: &str, now: Moment) -> Result<()> {
    let text = "INSERT INTO admissions (institution_id, email_key, name_page_id, email, created_at) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (institution_id, email_key, name_page_id) DO UPDATE SET email = $4, created_at = $5";
    let params: [Value<'_>; 5] = [
        person.institution.into(),
        (&person.email_key).into(),
        page.into(),
        email.into(),
        now.micros().into(),
    ];
    sql.execute(text, &params).await.map(|_| ())
}

const FIND: &str = "SELECT email FROM admissions \
     WHERE institution_id = $1 AND email_key = $2 AND name_page_id = $3 AND created_at > $4";

/// The address that a person has proven after `since` to register on this page.
pub async fn find(
    sql: &mut Sql,
    person: &PersonId,
    page: NamePageId,
    since: Moment,
) -> Result<Option<String>> {
    let params: [Value<'_>; 4] =
        [person.institution.into(), (&person.email_key).into(), page.into(), since.micros().into()];
    sql.one(FIND, &params, |row| row.text(0)).await
}

pub async fn delete(sql: &mut Sql, person: &PersonId, page: NamePageId) -> Result<()> {
    let text = "DELETE FROM admissions WHERE institution_id = $1 AND email_key = $2 AND name_page_id = $3";
    let params = [person.institution.into(), (&person.email_key).into(), page.into()];
    sql.execute(text, &params).await.map(|_| ())
}

/// Ends all admissions of a person.
pub async fn delete_all_of(sql: &mut Sql, person: &PersonId) -> Result<()> {
    let text = "DELETE FROM admissions WHERE institution_id = $1 AND email_key = $2";
    sql.execute(text, &[person.institution.into(), (&person.email_key).into()]).await.map(|_| ())
}

/// Ends all admissions to a page. Whoever has asked for a message signs in with it, and is not admitted.
pub async fn delete_all_on(sql: &mut Sql, institution: InstitutionId, page: NamePageId) -> Result<()> {
    // In this order, as whoever signs in: the request, and then the admission.
    for text in [
        "UPDATE sign_in_requests SET name_page_id = NULL WHERE institution_id = $1 AND name_page_id = $2",
        "DELETE FROM admissions WHERE institution_id = $1 AND name_page_id = $2",
    ] {
        sql.execute(text, &[institution.into(), page.into()]).await?;
    }
    Ok(())
}

/// Is there anything for `delete_expired` to delete?
pub async fn any_expired(sql: &mut Sql, before: Moment) -> Result<bool> {
    let text = "SELECT 1 FROM admissions WHERE created_at <= $1 LIMIT 1";
    Ok(sql.one(text, &[before.micros().into()], |_| Ok(())).await?.is_some())
}

pub async fn delete_expired(sql: &mut Sql, before: Moment) -> Result<()> {
    expiry::remove(sql, "admissions", "created_at <= $1", &[before.micros().into()]).await.map(|_| ())
}

const INVITED: &str = "SELECT email FROM invitations WHERE institution_id = $1 AND name_page_id = $2 AND email_key = $3 \
     AND withdrawn_at IS NULL AND expires_at > $4";

/// The address under which a person is invited to a page, if the invitation is still good.
pub async fn invited(
    sql: &mut Sql,
    person: &PersonId,
    page: NamePageId,
    now: Moment,
) -> Result<Option<String>> {
    let params: [Value<'_>; 4] =
        [person.institution.into(), page.into(), (&person.email_key).into(), now.micros().into()];
    sql.one(INVITED, &params, |row| row.text(0)).await
}
