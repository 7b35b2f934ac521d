//! Participants: lookups, and what creating (`create`) and changing them (`update`) share. For lists see `lists`, for deletion see `persons`.

mod arrivals;
mod create;
mod lists;
mod update;

use std::collections::HashMap;

pub use arrivals::Arrivals;
pub use create::{create, create_once};
pub(super) use create::{create_as, create_named, start};
pub use lists::{Filter, Listing, list};
pub(super) use lists::{best_first, list_in, matching, sort_best_first};
pub(super) use update::{SeenEntry, update_entry, update_in, update_own};
pub use update::{list_badge, update};

use super::{
    App, Error, Missing, Result, directory_holds,
    media::{self, Written},
    name_pages,
};
use crate::{
    domain::{
        access::{Access, Action, SearchScope},
        custom_field::CustomField,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::{CustomFieldId, InstitutionId, NamePageId, ParticipantId},
        media::Media,
        moment::Moment,
        name_page::NamePageRef,
        participant::{CustomValues, Given, Participant},
    },
    store::{
        Sql, custom_fields,
        participants::{self, Key, KeyFilter, KeyKind},
    },
};

/// A key that may be an email, a registration's token or an institution's identifier, tried in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PersonKey {
    pub as_email: String,
    pub as_given: String,
    /// As spelled in the request. If it is an email, the response shows it this way.
    pub spelled: String,
}

impl PersonKey {
    pub(super) fn by(&self) -> impl Iterator<Item = (KeyKind, &str)> {
        let email = self.as_email.contains('@').then_some((KeyKind::Email, self.as_email.as_str()));
        // Skip the lookup for anything that does not have the format of a token.
        let token_like = self.as_given.len() == 32 && self.as_given.bytes().all(|b| b.is_ascii_hexdigit());
        let token = token_like.then_some((KeyKind::Token, self.as_given.as_str()));
        [email, token, Some((KeyKind::Identifier, self.as_given.as_str()))].into_iter().flatten()
    }
}

/// Finds one participant, on one page or anywhere within the caller's reach.
pub async fn find(
    app: &App,
    access: &Access,
    page: Option<&NamePageRef>,
    person_key: &PersonKey,
) -> Result<Participant> {
    access.check(Action::Read)?;
    let page = match page {
        Some(page) => Some(name_pages::permitted(app, access, page).await?),
        None => None,
    };
    let (sql, institution) = (&mut app.db.read(), access.institution);
    for (by, key) in person_key.by() {
        let found = match &page {
            Some(page) => participants::best_on_page(sql, institution, page, by, key).await?,
            None => participants::best(sql, institution, access.within(), by, key).await?,
        };
        if let Some(found) = found {
            return Ok(directory_holds::seen_by(access, found));
        }
    }
    Err(Error::Missing(Missing::Participant))
}

/// Finds the registration with this token, for public links: nobody with a directory hold has any.
pub async fn by_token(app: &App, institution: InstitutionId, token: &str) -> Result<Participant> {
    let sql = &mut app.db.read();
    let found = participants::best(sql, institution, SearchScope::Institution, KeyKind::Token, token).await?;
    found.filter(|one| !one.directory_hold).ok_or(Error::Missing(Missing::Participant))
}

/// Returns for each key the person's registration with the newest recording, or else their newest registration.
pub async fn latest(app: &App, access: &Access, person_keys: &[PersonKey]) -> Result<Vec<Participant>> {
    access.check(Action::Read)?;
    let (institution, within) = (access.institution, access.within());
    let sql = &mut app.db.read();
    if let [person_key] = person_keys
        && let Some((KeyKind::Email, key)) = person_key.by().next()
        && let Some(found) = participants::best(sql, institution, within, KeyKind::Email, key).await?
    {
        return Ok(vec![directory_holds::seen_by(access, found)]);
    }
    let mut open: Vec<&PersonKey> = person_keys.iter().collect();
    let mut best: HashMap<ParticipantId, i64> = HashMap::new();
    for by in [KeyKind::Email, KeyKind::Token, KeyKind::Identifier] {
        let wanted = |person_key: &&PersonKey| {
            person_key.by().find(|(its, _)| *its == by).map(|(_, key)| key.to_owned())
        };
        let keys: Vec<String> = open.iter().filter_map(wanted).collect();
        let mut found = newest_of_each(sql, institution, within, by, &keys).await?;
        open.retain(|person_key| wanted(person_key).is_none_or(|key| !found.contains_key(&key)));
        if by != KeyKind::Email {
            // The key identifies the person, who may have a newer registration under the same email.
            let emails: Vec<String> = found.values().filter_map(|key| key.email_key.clone()).collect();
            found.retain(|_, key| key.email_key.is_none());
            found.extend(newest_of_each(sql, institution, within, KeyKind::Email, &emails).await?);
        }
        best.extend(found.into_values().map(|key| (key.id, key.recorded_at)));
    }
    let ids = best_first(best.into_iter().collect());
    let people = participants::by_ids(sql, institution, &ids).await?;
    Ok(people.into_iter().map(|person| directory_holds::seen_by(access, person)).collect())
}

/// The registration with the newest recording for each of these keys.
pub(super) async fn newest_of_each(
    sql: &mut Sql,
    institution: InstitutionId,
    within: SearchScope<'_>,
    by: KeyKind,
    keys: &[String],
) -> Result<HashMap<String, Key>> {
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut newest: HashMap<String, Key> = HashMap::new();
    let filter = KeyFilter::new(within, by, &keys);
    for key in participants::keys(sql, institution, filter).await? {
        let better =
            newest.get(&key.matched).is_none_or(|old| (old.recorded_at, old.id) < (key.recorded_at, key.id));
        if better {
            newest.insert(key.matched.clone(), key);
        }
    }
    Ok(newest)
}

/// Attaches new media to a participant, and returns the participant and the replaced media.
async fn with_media(
    sql: &mut Sql,
    institution: InstitutionId,
    person: Participant,
    new: &[Media],
    now: Moment,
) -> Result<Written> {
    if new.is_empty() {
        return Ok((person, Vec::new()));
    }
    let replaced = media::attach(sql, institution, person.id, new, now).await?;
    Ok((written(sql, institution, person.id).await?, replaced))
}

pub(super) async fn page_of(sql: &mut Sql, access: &Access, page: &NamePageRef) -> Result<NamePageId> {
    Ok(name_pages::permitted_in(sql, access, page).await?.id)
}

pub(super) async fn registered(
    sql: &mut Sql,
    institution: InstitutionId,
    page: NamePageId,
    email_key: &str,
) -> Result<Participant> {
    let found =
        participants::best(sql, institution, SearchScope::Page(page), KeyKind::Email, email_key).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

async fn written(sql: &mut Sql, institution: InstitutionId, id: ParticipantId) -> Result<Participant> {
    let written = participants::by_ids(sql, institution, &[id]).await?.pop();
    written.ok_or_else(|| Error::Internal("a participant is gone after being written".to_owned()))
}

/// Applies each key. Returns whether any value changed, and the fields, if there are keys. An unknown key is an error on that key.
async fn change_custom(
    sql: &mut Sql,
    institution: InstitutionId,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> Result<(bool, Vec<CustomField>)> {
    if given.is_empty() {
        return Ok((false, Vec::new()));
    }
    let fields = custom_fields::all(sql, institution).await?;
    Ok((apply_custom(&custom_ids(&fields), values, given, errors), fields))
}

/// The custom fields by their keys in requests.
pub(super) fn custom_ids(fields: &[CustomField]) -> HashMap<String, CustomFieldId> {
    fields.iter().map(|field| (field.import_key(), field.id)).collect()
}

/// See `change_custom`.
pub(super) fn apply_custom(
    ids: &HashMap<String, CustomFieldId>,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> bool {
    if given.is_empty() {
        return false;
    }
    let before = values.clone();
    for (key, value) in given {
        let Some(id) = ids.get(&key) else {
            let field = Field::Custom(key);
            if !errors.has(&field) {
                errors.add(field, Fault::Invalid);
            }
            continue;
        };
        match value {
            Given::Absent => {}
            Given::Clear => {
                values.0.remove(id);
            }
            Given::Set(value) => {
                values.0.insert(*id, value);
            }
        }
    }
    *values != before
}
