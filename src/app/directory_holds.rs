//! Directory holds (FERPA): people of whom an institution tells the public nothing. A hold belongs to a person, an email in an institution,
//! with all of their registrations, or to a registration without an email. See [ADR 30](../../docs/adr/0030-directory-holds.md).

use bytes::Bytes;
use serde_json::json;

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
};
use crate::{
    blobs::{Key, Shelf},
    domain::{
        access::{Access, Action},
        audit::Act,
        email::email_key,
        fault::{Fault, Field},
        ids::{InstitutionId, NamePageId, ParticipantId},
        moment::Moment,
        participant::Participant,
        session::PersonId,
    },
    store::{self, Sql, audiences, directory_holds, directory_holds::Withheld, persons, rolls},
};

/// Gives a person a hold, or ends it. Takes effect on every node with the commit.
pub async fn set(app: &App, actor: &Actor, person: PersonId, held: bool) -> Result<()> {
    actor.administer(person.institution)?;
    let record = Record::new(app, actor, person.institution, Act::DirectoryHoldSet).of_person(&person);
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let institution = person.institution;
                rolls::lock(sql, institution).await?;
                if ids_of(sql, institution, &person.email_key).await?.is_empty() {
                    return Err(Error::Missing(Missing::Participant));
                }
                if !change(sql, institution, &person.email_key, held, now).await? {
                    return Ok(());
                }
                let (before, after) = (json!({ "directory_hold": !held }), json!({ "directory_hold": held }));
                Ok(audit::write(sql, &[record.change(before, after)]).await?)
            })
        })
        .await
}

/// Gives a person a hold, or ends it, in the transaction of something else. Returns whether it was another.
pub(super) async fn change(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
    held: bool,
    now: Moment,
) -> store::Result<bool> {
    let ids = ids_of(sql, institution, email_key).await?;
    let with_hold = directory_holds::held(sql, institution, &ids).await?;
    let changed: Vec<ParticipantId> = ids.into_iter().filter(|id| with_hold.contains(id) != held).collect();
    if changed.is_empty() {
        return Ok(false);
    }
    directory_holds::set(sql, institution, &changed, held).await?;
    audiences::mark_changed(sql, institution, &changed, now).await?;
    Ok(true)
}

async fn ids_of(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> store::Result<Vec<ParticipantId>> {
    let all = persons::registrations(sql, institution, email_key).await?;
    Ok(all.into_iter().map(|one| one.id).collect())
}

/// Does what a request has said about the hold of somebody, in its transaction. `None`: nothing was said. Whoever reaches only some of
/// a person's name pages can give them a hold, and not end it.
pub(super) async fn settle(
    sql: &mut Sql,
    access: &Access,
    mut person: Participant,
    wanted: Option<bool>,
    now: Moment,
) -> Result<Participant> {
    let Some(held) = wanted.filter(|held| *held != person.directory_hold) else { return Ok(person) };
    let institution = access.institution;
    let ids: Vec<ParticipantId> = match &person.email {
        Some(email) => {
            let all = persons::registrations(sql, institution, &email_key(email)).await?;
            if !held && all.iter().any(|one| !access.reaches(one.page)) {
                return Err(Error::invalid(Field::DirectoryHold, Fault::HeldElsewhere));
            }
            all.into_iter().map(|one| one.id).collect()
        }
        None => vec![person.id],
    };
    directory_holds::set(sql, institution, &ids, held).await?;
    audiences::mark_changed(sql, institution, &ids, now).await?;
    person.directory_hold = held;
    Ok(if held { person.veiled() } else { person.unveiled() })
}

/// A participant as the caller sees them.
pub(super) fn seen_by(access: &Access, person: Participant) -> Participant {
    if access.includes_held() { person.unveiled() } else { person }
}

/// The recording of somebody with a hold who is on this page, for those who teach there. The caller has checked that they do.
pub async fn of_page(app: &App, institution: InstitutionId, page: NamePageId, hex: &str) -> Result<Bytes> {
    let missing = || Error::Missing(Missing::Recording);
    let found = directory_holds::find(&mut app.db.read(), institution, hex).await?;
    found.filter(|found| found.page == page && found.kind.is_sound()).ok_or_else(missing)?;
    let key = Key { shelf: Shelf::Recordings, institution, hex: hex.to_owned() };
    app.blobs.read(&key).await?.ok_or_else(missing)
}

/// Whoever asks for media of somebody with a hold.
#[derive(Debug, Clone)]
pub enum Listener<'a> {
    /// Somebody who has signed in.
    Visitor(&'a Actor),
    /// A client of the API.
    Client(&'a Access),
}

/// The media behind a link that only a hold disables, if they may have it: the person, those who run or hear the name page, and
/// tokens that include people with a hold.
pub async fn media(
    app: &App,
    listener: Listener<'_>,
    institution: InstitutionId,
    hex: &str,
) -> Result<Withheld> {
    let found = directory_holds::find(&mut app.db.read(), institution, hex).await?;
    let found = found.ok_or(Error::Missing(Missing::Recording))?;
    let may = match listener {
        Listener::Visitor(visitor) => {
            let is_own = visitor.person().is_some_and(|person| {
                person.institution == institution && found.email_key.as_ref() == Some(&person.email_key)
            });
            is_own || visitor.hear(institution, found.page).is_ok()
        }
        Listener::Client(access) => {
            access.institution == institution
                && access.includes_held()
                && access.check(Action::Read).is_ok()
                && access.reaches(found.page)
        }
    };
    if may { Ok(found) } else { Err(Error::Missing(Missing::Recording)) }
}
