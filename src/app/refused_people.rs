//! People whom a directory has disabled or deleted. They cannot come back by themselves: neither an invitation nor a self-registration
//! lets them in, until the directory enables them, or an admin lets them in here.

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
pub use crate::store::refused_people::Refused;
use crate::{
    domain::{audit::Act, email::email_key, ids::InstitutionId, moment::Moment, session::PersonId},
    store::{Sql, admissions, coverage, invitations, refused_people, rolls, sessions, sign_ins},
};

/// People on one part of the list.
const PER_PAGE: i64 = 100;

/// The people who are refused, in the order of their emails: those behind this one. The second value is true if there are more.
pub async fn list(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    after: &str,
) -> Result<(Vec<Refused>, bool)> {
    actor.administer(institution)?;
    let mut found = refused_people::after(&mut app.db.read(), institution, after, PER_PAGE + 1).await?;
    let most = usize::try_from(PER_PAGE).unwrap_or(usize::MAX);
    let is_more = found.len() > most;
    found.truncate(most);
    Ok((found, is_more))
}

/// Lets somebody in again whom a directory has disabled: they can be invited, and may register. Somebody who is not refused is
/// `Missing::Participant`.
pub async fn readmit(app: &App, actor: &Actor, institution: InstitutionId, email: &str) -> Result<()> {
    actor.administer(institution)?;
    let (person, now) = (PersonId { institution, email_key: email_key(email) }, app.clock.now());
    let record = Record::new(app, actor, institution, Act::PersonReadmitted).of_person(&person);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                if !refused_people::readmit(sql, &person, now).await? {
                    return Err(Error::Missing(Missing::Participant));
                }
                Ok(audit::write(sql, &[record]).await?)
            })
        })
        .await
}

/// A directory has disabled or deleted somebody: they are signed out, and what could let them in is void. Whoever was let in by an admin
/// meanwhile stays in: false. The caller holds the institution's lock. The act of the record does not matter.
pub(super) async fn refuse(
    sql: &mut Sql,
    app: &App,
    person: &PersonId,
    record: &Record,
    now: Moment,
) -> Result<bool> {
    if !refused_people::refuse(sql, person, now).await? {
        return Ok(false);
    }
    // In the order in which a mailed code is spent.
    sign_ins::delete_of(sql, person).await?;
    admissions::delete_all_of(sql, person).await?;
    sessions::delete_all_of(sql, person.institution, &person.email_key).await?;
    let void = invitations::withdraw_all_of(sql, person, now).await?;
    let mut records = Vec::with_capacity(void.len());
    for one in void {
        coverage::invited(sql, person.institution, one.page, -1).await?;
        records.push(super::invitations::about(record.then(&app.ids, Act::InvitationWithdrawn), &one));
    }
    audit::write(sql, &records).await?;
    Ok(true)
}
