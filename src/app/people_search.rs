//! Finding people of an institution by what somebody types.

use super::{Actor, App, Result, participants};
use crate::{
    domain::{
        access::Action,
        email::email_key,
        ids::{InstitutionId, NamePageId, ParticipantId},
        participant::{Participant, name_key},
        text,
    },
    store::{self, participants::Names},
};

/// A registration that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub id: ParticipantId,
    pub name: String,
    pub email: Option<String>,
    /// The title of the name page.
    pub page: String,
    pub page_slug: String,
}

/// At most `limit` registrations with this email, identifier, first or last name, on the pages that the actor may read.
pub async fn quick(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    text: &str,
    limit: usize,
) -> Result<Vec<Found>> {
    let access = actor.permit(Action::Read, institution)?;
    let given = text.trim();
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let key = participants::PersonKey {
        as_email: email_key(given),
        as_given: text::nfc(given),
        spelled: given.to_owned(),
    };
    let mut people = participants::latest(app, &access, &[key]).await?;
    let (name, sql) = (name_key(given), &mut app.db.read());
    let start = (NamePageId::new(i64::MIN), ParticipantId::new(i64::MIN));
    let mut ids = Vec::new();
    for names in [Names { first: None, last: Some(&name) }, Names { first: Some(&name), last: None }] {
        let count = i64::try_from(limit).unwrap_or(i64::MAX);
        let found = store::participants::named(sql, institution, None, names, start, count).await?;
        ids.extend(found.into_iter().filter(|one| access.reaches(one.page)).map(|one| one.id));
    }
    people.extend(store::participants::by_ids(sql, institution, &ids).await?);
    people.truncate(limit);
    Ok(people.into_iter().map(found).collect())
}

fn found(one: Participant) -> Found {
    Found {
        id: one.id,
        name: one.full_name(),
        email: one.email,
        page: one.page.title.clone(),
        page_slug: one.page.slug.clone(),
    }
}
