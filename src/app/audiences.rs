//! Who may hear a person's recordings.

use std::collections::HashSet;

use serde_json::json;

use super::{
    Actor, App, Error, Result,
    audit::{self, Record},
    own_person,
};
use crate::{
    domain::{
        audience::{Audience, Permitted},
        audit::Act,
        email::email_key,
        fault::{Fault, Field},
        ids::{InstitutionId, ParticipantId},
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
    let chosen = match audiences::chosen(sql, institution, email_key).await? {
        Some(chosen) => chosen,
        None => match audiences::registered_at(sql, institution, email_key).await? {
            Some(first) => audiences::default_at(sql, institution, first).await?,
            None => Audience::default(),
        },
    };
    Ok(AudienceChoice { audience: permitted.narrow(chosen), permitted })
}

/// The audience of one registration. Without an email, nobody can have chosen one.
pub(super) async fn of_registration(
    sql: &mut Sql,
    institution: InstitutionId,
    email_key: Option<&str>,
    id: ParticipantId,
) -> Result<Audience> {
    if let Some(email_key) = email_key {
        return Ok(find_in(sql, institution, email_key).await?.audience);
    }
    let permitted = audiences::permitted(sql, institution).await?;
    let default = match audiences::created_at(sql, institution, id).await? {
        Some(created_at) => audiences::default_at(sql, institution, created_at).await?,
        None => Audience::default(),
    };
    Ok(permitted.narrow(default))
}

/// Those of these people whom only people of the institution may hear.
pub(super) async fn institution_only(
    sql: &mut Sql,
    institution: InstitutionId,
    people: &[&Participant],
) -> Result<HashSet<ParticipantId>> {
    let recorded = people.iter().filter(|one| one.recording.is_some());
    let ids: Vec<ParticipantId> = recorded.map(|one| one.id).collect();
    let permitted = audiences::permitted(sql, institution).await?;
    let chosen = audiences::chosen_by(sql, institution, &ids).await?;
    let has_defaults = audiences::has_defaults(sql, institution).await?;
    let mut found = HashSet::new();
    for one in people.iter().filter(|one| one.recording.is_some()) {
        let audience = match chosen.get(&one.id) {
            Some(chosen) => permitted.narrow(*chosen),
            // Rare: institutions seldom set a default, and never have many.
            None if has_defaults => {
                let email_key = one.email.as_deref().map(email_key);
                of_registration(sql, institution, email_key.as_deref(), one.id).await?
            }
            None => permitted.narrow(Audience::default()),
        };
        if audience != Audience::Public {
            found.insert(one.id);
        }
    }
    Ok(found)
}

/// Chooses who may hear a person, on all of their pages. Takes effect on every node with the commit.
pub async fn choose(app: &App, actor: &Actor, person: PersonId, audience: Audience) -> Result<()> {
    actor.represent(&person)?;
    let record = Record::new(app, actor, person.institution, Act::AudienceChosen).of_person(&person);
    let now = app.clock.now();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let institution = person.institution;
                let all = own_person::lock_registered(sql, &person).await?;
                let permitted = audiences::permitted(sql, institution).await?;
                if !permitted.includes(audience) {
                    return Err(Error::invalid(Field::Audience, Fault::NotIncluded));
                }
                let before = audiences::chosen(sql, institution, &person.email_key).await?;
                audiences::choose(sql, &person, audience, now).await?;
                let ids: Vec<ParticipantId> = all.iter().map(|one| one.id).collect();
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
                audit::write_change(sql, record.change(values(before), values(Some(audience)))).await
            })
        })
        .await
}
