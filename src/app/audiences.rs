//! Who may hear a person's recordings.

use std::collections::HashMap;

use serde_json::json;

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
    media, own_person,
    own_recordings::{self, Attempts},
    renewed_links::{self, Copies, Renewed},
};
use crate::{
    domain::{
        audience::{Audience, Permitted},
        audit::Act,
        fault::{Fault, Field},
        ids::{InstitutionId, ParticipantId},
        moment::Moment,
        participant::Participant,
        session::PersonId,
    },
    store::{Sql, audiences},
};

/// What a person has chosen, and what they may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AudienceChoice {
    pub audience: Audience,
    pub permitted: Permitted,
}

/// What an institution permits, and the audience of people who are registered now.
pub async fn of_institution(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
) -> Result<(Permitted, Audience)> {
    actor.administer(institution)?;
    let sql = &mut app.db.read();
    let permitted = audiences::permitted(sql, institution).await?;
    let default = audiences::default_at(sql, institution, app.clock.now()).await?;
    Ok((permitted, permitted.narrow(default)))
}

pub async fn find(app: &App, actor: &Actor, person: &PersonId) -> Result<AudienceChoice> {
    actor.represent(person)?;
    find_in(&mut app.db.read(), person.institution, &person.email_key).await
}

pub(super) async fn find_in(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: &str,
) -> Result<AudienceChoice> {
    let permitted = audiences::permitted(sql, institution).await?;
    let chosen = chosen_in(sql, institution, email_key).await?;
    Ok(AudienceChoice { audience: permitted.narrow(chosen), permitted })
}

/// What a person has chosen, or else started with, whatever the institution permits now.
async fn chosen_in(sql: &mut Sql, institution: InstitutionId, email_key: &str) -> Result<Audience> {
    Ok(match audiences::chosen(sql, institution, email_key).await? {
        Some(chosen) => chosen,
        None => match audiences::registered_at(sql, institution, email_key).await? {
            Some(first) => audiences::default_at(sql, institution, first).await?,
            None => Audience::default(),
        },
    })
}

pub(super) async fn permits_public(sql: &mut Sql, institution: InstitutionId) -> Result<bool> {
    Ok(audiences::permitted(sql, institution).await?.includes(Audience::Public))
}

/// Those of these people who are heard by everybody as far as it is up to them, and not to the institution.
pub(super) async fn narrowed(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<Vec<ParticipantId>> {
    if permits_public(sql, institution).await? {
        return Ok(Vec::new());
    }
    let chosen = chosen_by_all(sql, institution, people).await?;
    Ok(chosen.into_iter().filter(|(_, chosen)| *chosen == Audience::Public).map(|(id, _)| id).collect())
}

/// The audience of a registration.
pub(super) async fn of_one(
    sql: &mut Sql,
    institution: InstitutionId,
    person: &Participant,
) -> Result<Audience> {
    let found = of_all(sql, institution, &[person]).await?;
    // It is never missing, and nothing would be opened if it were.
    Ok(found.get(&person.id).copied().unwrap_or(Audience::Institution))
}

/// The stricter one of the audiences of two entries that are about to be merged.
pub(super) async fn strictest(
    sql: &mut Sql,
    institution: InstitutionId,
    email_keys: [Option<&str>; 2],
) -> Result<Audience> {
    let mut strictest = Audience::Public;
    for email_key in email_keys.into_iter().flatten() {
        let audience = find_in(sql, institution, email_key).await?.audience;
        if audience.strictness() > strictest.strictness() {
            strictest = audience;
        }
    }
    Ok(strictest)
}

/// Two entries were merged: nobody may hear more than was permitted for the stricter one (`strictest`). Without an email, there is
/// nobody who has an audience. Returns whether it was changed.
pub(super) async fn keep_strictest(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: Option<&str>,
    strictest: Audience,
    now: Moment,
) -> Result<bool> {
    let Some(email_key) = email_key else { return Ok(false) };
    let own = find_in(sql, institution, email_key).await?.audience;
    if own.strictness() >= strictest.strictness() {
        return Ok(false);
    }
    let person = PersonId { institution, email_key: email_key.to_owned() };
    let before_pause = (strictest == Audience::Paused).then_some(own);
    audiences::choose(sql, &person, strictest, before_pause, now).await?;
    let ids = own_person::ids_of(sql, institution, email_key).await?;
    if strictest == Audience::Paused {
        audiences::pause(sql, institution, &ids).await?;
    }
    audiences::mark_changed(sql, institution, &ids, now).await?;
    Ok(true)
}

/// The audiences of these registrations, on one page or on several.
pub(super) async fn of_all(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashMap<ParticipantId, Audience>> {
    let permitted = audiences::permitted(sql, institution).await?;
    let chosen = chosen_by_all(sql, institution, people).await?;
    Ok(chosen.into_iter().map(|(id, chosen)| (id, permitted.narrow(chosen))).collect())
}

/// What their owners have chosen, or else started with, whatever the institution permits now.
async fn chosen_by_all(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashMap<ParticipantId, Audience>> {
    let ids: Vec<ParticipantId> = people.iter().map(|one| one.id).collect();
    let mut chosen = audiences::chosen_by(sql, institution, &ids).await?;
    chosen.extend(chosen_without_email(sql, institution, people).await?);
    let defaults = audiences::defaults(sql, institution).await?;
    let undecided: Vec<ParticipantId> =
        ids.iter().copied().filter(|id| !defaults.is_empty() && !chosen.contains_key(id)).collect();
    let registered = audiences::first_registered(sql, institution, &undecided).await?;
    let default_of = |id: &ParticipantId| {
        let at = registered.get(id)?;
        let last = defaults.iter().rev().find(|(since, _)| since <= at);
        last.map(|(_, audience)| *audience)
    };
    let choice =
        |id: &ParticipantId| (*id, chosen.get(id).copied().or_else(|| default_of(id)).unwrap_or_default());
    Ok(ids.iter().map(choice).collect())
}

/// Who has no email chooses nothing there. If it is known whose registration it is, it has the strictest of that person's choices.
async fn chosen_without_email(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashMap<ParticipantId, Audience>> {
    let without_email = people.iter().filter(|one| one.email.is_none());
    let without_email: Vec<ParticipantId> = without_email.map(|one| one.id).collect();
    let deciding = own_recordings::deciding(sql, institution, &without_email).await?;
    let deciders: Vec<ParticipantId> = deciding.values().flatten().copied().collect();
    let chosen = audiences::chosen_by(sql, institution, &deciders).await?;
    let strictest = |deciders: &Vec<ParticipantId>| {
        deciders.iter().filter_map(|id| chosen.get(id)).copied().max_by_key(|audience| audience.strictness())
    };
    Ok(deciding.iter().filter_map(|(id, deciders)| Some((*id, strictest(deciders)?))).collect())
}

/// Chooses who may hear a person, on all of their pages. Takes effect on every node with the commit. Recordings that anybody could play
/// get new links when they are for people of the institution only.
pub async fn choose(app: &App, actor: &Actor, person: PersonId, audience: Audience) -> Result<()> {
    actor.represent(&person)?;
    let record = Record::new(app, actor, person.institution, Act::AudienceChosen).of_person(&person);
    let mut attempts = Attempts::default();
    loop {
        let copies = copies(app, &person, audience).await?;
        let made = copies.files();
        let written = write_choice(app, &person, audience, (record.clone(), copies)).await;
        let written = written.map(|Renewed { gone, used }| (gone, used));
        match own_recordings::settle(app, person.institution, made, written).await {
            Err(error) => attempts.again(error)?,
            Ok(gone) => {
                media::discard(app, person.institution, &gone).await;
                return Ok(());
            }
        }
    }
}

/// Whether links that anybody could get are to be renewed with this choice.
async fn is_narrowed(sql: &mut Sql, person: &PersonId, audience: Audience) -> Result<bool> {
    if audience != Audience::Institution {
        return Ok(false);
    }
    Ok(until_pause(sql, person).await? == Audience::Public)
}

/// What holds now or, for somebody who has paused, what held until then. If nobody knows, it was the widest.
async fn until_pause(sql: &mut Sql, person: &PersonId) -> Result<Audience> {
    let (institution, email_key) = (person.institution, person.email_key.as_str());
    match chosen_in(sql, institution, email_key).await? {
        Audience::Paused => {
            Ok(audiences::before_pause(sql, institution, email_key).await?.unwrap_or(Audience::Public))
        }
        audience => Ok(audience),
    }
}

async fn copies(app: &App, person: &PersonId, audience: Audience) -> Result<Copies> {
    let sql = &mut app.db.read();
    if !is_narrowed(sql, person, audience).await? {
        return Ok(Copies::default());
    }
    let people = own_person::ids_of(sql, person.institution, &person.email_key).await?;
    renewed_links::prepare(app, person.institution, &people).await
}

async fn write_choice(
    app: &App,
    person: &PersonId,
    audience: Audience,
    (record, copies): (Record, Copies),
) -> Result<Renewed> {
    let (person, now) = (person.clone(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let institution = person.institution;
                let all = own_person::lock_registered(sql, &person).await?;
                let permitted = audiences::permitted(sql, institution).await?;
                if !permitted.includes(audience) {
                    return Err(Error::invalid(Field::Audience, Fault::NotIncluded));
                }
                let ids: Vec<ParticipantId> = all.iter().map(|one| one.id).collect();
                let renewed = match is_narrowed(sql, &person, audience).await? {
                    true => renewed_links::renew(sql, institution, &ids, &copies, now).await?,
                    false => Renewed::default(),
                };
                let before = audiences::chosen(sql, institution, &person.email_key).await?;
                let before_pause = match audience {
                    Audience::Paused => Some(until_pause(sql, &person).await?),
                    Audience::Public | Audience::Institution => None,
                };
                audiences::choose(sql, &person, audience, before_pause, now).await?;
                let changed = match audience {
                    Audience::Paused => {
                        audiences::pause(sql, institution, &ids).await?;
                        ids
                    }
                    Audience::Public | Audience::Institution => {
                        audiences::resume(sql, institution, &ids).await?
                    }
                };
                audiences::mark_changed(sql, institution, &changed, now).await?;
                let values = |audience: Option<Audience>| json!({ "audience": audience.map(Audience::word) });
                audit::write_change(sql, record.change(values(before), values(Some(audience)))).await?;
                Ok(renewed)
            })
        })
        .await
}
