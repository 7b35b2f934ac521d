//! Participants: found, created and changed; how they are listed is `lists`, how they are deleted `persons`.

mod lists;

use std::collections::HashMap;

pub use lists::{Filter, Listing, list};
pub(super) use lists::{best_first, list_in, matching};

use super::{
    App, Error, Missing, Result,
    calls::{self, Wish},
    media::{self, Written},
    name_pages,
};
use crate::{
    domain::{
        custom_field::CustomField,
        field_errors::FieldErrors,
        institution::Institution,
        media::Media,
        moment::Moment,
        name_page::NamePageRef,
        participant::{Changed, CustomValues, Draft, Given, Legal, LegalDraft, Participant},
        text::{self, BLANK, INVALID, TAKEN},
    },
    store::{
        self, Sql, custom_fields,
        participants::{self, By, Key, Record},
        rolls,
    },
};

/// A word that may be an email, a registration's token or an institution's identifier, tried in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    pub as_email: String,
    pub as_given: String,
}

impl Mark {
    pub(super) fn by(&self) -> impl Iterator<Item = (By, &str)> {
        let email = self.as_email.contains('@').then_some((By::Email, self.as_email.as_str()));
        // Tokens have a shape of their own; nothing else needs the look-up.
        let token_like = self.as_given.len() == 32 && self.as_given.bytes().all(|b| b.is_ascii_hexdigit());
        let token = token_like.then_some((By::Token, self.as_given.as_str()));
        [email, token, Some((By::Identifier, self.as_given.as_str()))].into_iter().flatten()
    }
}

/// One participant, in the institution or on one of its pages.
pub async fn find(
    app: &App,
    institution: i64,
    page: Option<&NamePageRef>,
    mark: &Mark,
) -> Result<Participant> {
    let page = match page {
        Some(page) => Some(name_pages::find(app, institution, page).await?.id),
        None => None,
    };
    let sql = &mut app.db.read();
    for (by, key) in mark.by() {
        if let Some(found) = participants::best(sql, institution, page, by, key).await? {
            return Ok(found);
        }
    }
    Err(Error::Missing(Missing::Participant))
}

/// The registration with this token.
pub async fn by_token(app: &App, institution: i64, token: &str) -> Result<Participant> {
    let found = participants::best(&mut app.db.read(), institution, None, By::Token, token).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

/// For each mark the person's registration with the newest recording, else the newest registration.
pub async fn latest(app: &App, institution: i64, marks: &[Mark]) -> Result<Vec<Participant>> {
    let sql = &mut app.db.read();
    if let [mark] = marks
        && let Some((By::Email, key)) = mark.by().next()
        && let Some(found) = participants::best(sql, institution, None, By::Email, key).await?
    {
        return Ok(vec![found]);
    }
    let mut open: Vec<&Mark> = marks.iter().collect();
    let mut best: HashMap<i64, i64> = HashMap::new();
    for by in [By::Email, By::Token, By::Identifier] {
        let wanted = |mark: &&Mark| mark.by().find(|(its, _)| *its == by).map(|(_, key)| key.to_owned());
        let asked: Vec<String> = open.iter().filter_map(wanted).collect();
        let mut found = newest_of_each(sql, institution, by, &asked).await?;
        open.retain(|mark| wanted(mark).is_none_or(|key| !found.contains_key(&key)));
        if by != By::Email {
            // It stands for the person, who may have a newer registration under the same email.
            let emails: Vec<String> = found.values().filter_map(|key| key.email_key.clone()).collect();
            found.retain(|_, key| key.email_key.is_none());
            found.extend(newest_of_each(sql, institution, By::Email, &emails).await?);
        }
        best.extend(found.into_values().map(|key| (key.id, key.recorded_at)));
    }
    let ids = best_first(best.into_iter().collect());
    Ok(participants::by_ids(sql, institution, &ids).await?)
}

async fn newest_of_each(
    sql: &mut Sql,
    institution: i64,
    by: By,
    asked: &[String],
) -> Result<HashMap<String, Key>> {
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let mut newest: HashMap<String, Key> = HashMap::new();
    for key in participants::keys(sql, institution, None, by, &asked, Changed::default()).await? {
        let better =
            newest.get(&key.matched).is_none_or(|old| (old.recorded_at, old.id) < (key.recorded_at, key.id));
        if better {
            newest.insert(key.matched.clone(), key);
        }
    }
    Ok(newest)
}

/// Registers somebody on a page. All that is wrong is told together.
pub async fn create(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    mut draft: Draft,
) -> Result<Participant> {
    let (institution, now, token) = (institution.id, app.clock.now(), app.ids.hex());
    draft.require_for_create();
    if !draft.media.is_empty() {
        // Nobody's sound is processed for a page that is not there.
        name_pages::find(app, institution, &page).await?;
    }
    let (wish, rules, ids) = (Wish::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let brought = media::process(app, &mut draft, now).await?;
    let db = app.db.clone();
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let made = create_in(sql, institution, page, draft, now, token).await?;
                calls::settle(sql, &rules, (institution, made.id), wish, ids, now).await?;
                with_media(sql, institution, made, &new, now).await
            })
        })
        .await
    };
    let person = media::store_and(app, institution, brought, write).await?;
    app.switchboard.wake();
    Ok(person)
}

/// Somebody who was just written, with what they brought.
async fn with_media(
    sql: &mut Sql,
    institution: i64,
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

/// The same inside a transaction that does more than this and holds the institution's lock. Nothing is written before
/// everything has been checked, so that an invalid draft leaves the transaction as it was.
pub(super) async fn create_in(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    mut draft: Draft,
    now: Moment,
    token: String,
) -> Result<Participant> {
    draft.require_for_create();
    let mut errors = std::mem::take(&mut draft.errors);
    let email_key = draft.email.set().map(|email| email.key().to_owned());
    if let Some(key) = &email_key
        && participants::email_taken(sql, institution, page, key).await?
    {
        errors.add("email", TAKEN);
    }
    if let Some(identifier) = draft.identifier.set() {
        // Without a usable email it is nobody's own yet.
        let whose = email_key.as_deref().unwrap_or_default();
        if participants::identifier_taken(sql, institution, &text::nfc(identifier), whose).await? {
            errors.add("institution_id", TAKEN);
        }
    }
    let mut custom = CustomValues::default();
    let custom_changed = change_custom(sql, institution, &mut custom, draft.custom, &mut errors).await?;
    errors.into_result()?;
    let email = draft.email.over(None);
    let identifier = draft.identifier.over(None);
    let record = Record {
        id: rolls::join(sql, institution, rolls::INSTITUTION).await?,
        name_page_id: page,
        page_place: rolls::join(sql, institution, page).await?,
        token,
        first_name: draft.first_name.over(None),
        last_name: draft.last_name.over(None),
        email: email.as_ref().map(|email| email.as_given().to_owned()),
        email_key: email.as_ref().map(|email| email.key().to_owned()),
        identifier_key: identifier.as_deref().map(text::nfc),
        identifier,
        phonetic: draft.phonetic.over(None),
        notes: draft.notes.over(None),
        phone_number: draft.phone_number.over(None).map(|number| number.e164().to_owned()),
        legal: change_legal(Legal::default(), draft.legal),
        custom,
        custom_changed_at: custom_changed.then_some(now),
        now,
    };
    participants::insert(sql, institution, &record).await?;
    written(sql, institution, record.id).await
}

/// Changes the fields given and leaves the others.
pub async fn update(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    email_key: String,
    draft: Draft,
) -> Result<Participant> {
    update_whom(app, institution.id, Whom::Registered(page, email_key), draft).await
}

/// The same for somebody who changes their own entry.
pub async fn update_own(app: &App, institution: i64, id: i64, draft: Draft) -> Result<Participant> {
    update_whom(app, institution, Whom::Own(id), draft).await
}

enum Whom {
    /// On a page, by the key of their email.
    Registered(NamePageRef, String),
    /// Themselves.
    Own(i64),
}

impl Whom {
    async fn find(&self, sql: &mut Sql, institution: i64) -> Result<Participant> {
        match self {
            Self::Registered(page, email_key) => {
                let page = page_of(sql, institution, page).await?;
                registered(sql, institution, page, email_key).await
            }
            Self::Own(id) => {
                let found = participants::by_ids(sql, institution, &[*id]).await?.pop();
                found.ok_or(Error::Missing(Missing::Participant))
            }
        }
    }
}

async fn update_whom(app: &App, institution: i64, whom: Whom, draft: Draft) -> Result<Participant> {
    let now = app.clock.now();
    let mut draft = draft.ignore_identity();
    if !draft.media.is_empty() {
        // Nobody's sound is processed for somebody who is not there.
        whom.find(&mut app.db.read(), institution).await?;
    }
    let (wish, rules, ids) = (Wish::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let brought = media::process(app, &mut draft, now).await?;
    let db = app.db.clone();
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = whom.find(sql, institution).await?;
                if matches!(whom, Whom::Own(_)) {
                    calls::check_own(sql, (institution, old.id), &wish, now).await?;
                }
                let changed = update_in(sql, institution, old, draft, now).await?;
                calls::settle(sql, &rules, (institution, changed.id), wish, ids, now).await?;
                with_media(sql, institution, changed, &new, now).await
            })
        })
        .await
    };
    let person = media::store_and(app, institution, brought, write).await?;
    app.switchboard.wake();
    Ok(person)
}

/// The same inside a transaction, as with `create_in`.
pub(super) async fn update_in(
    sql: &mut Sql,
    institution: i64,
    old: Participant,
    draft: Draft,
    now: Moment,
) -> Result<Participant> {
    let draft = draft.ignore_identity();
    let mut errors = draft.errors;
    let mut custom = old.custom;
    let custom_changed = change_custom(sql, institution, &mut custom, draft.custom, &mut errors).await?;
    let first_name = draft.first_name.over(old.first_name);
    let last_name = draft.last_name.over(old.last_name);
    if first_name.is_none() && last_name.is_none() && !errors.has("first_name") {
        errors.add("first_name", BLANK);
    }
    errors.into_result()?;
    let phonetic = draft.phonetic.over(old.phonetic);
    let notes = draft.notes.over(old.notes);
    let change = participants::Change {
        first_name: first_name.as_deref(),
        last_name: last_name.as_deref(),
        phonetic: phonetic.as_deref(),
        notes: notes.as_deref(),
        phone_number: match &draft.phone_number {
            Given::Absent => None,
            Given::Clear => Some(None),
            Given::Set(number) => Some(Some(number.e164())),
        },
        legal: &change_legal(old.legal, draft.legal),
        custom: &custom,
        custom_changed_at: if custom_changed { Some(now) } else { old.custom_changed_at },
        now,
    };
    participants::update(sql, institution, old.id, &change).await?;
    written(sql, institution, old.id).await
}

/// May search engines list somebody's badge? Their own affair; at first nobody's is.
pub async fn list_badge(
    app: &App,
    institution: &Institution,
    page: NamePageRef,
    email_key: String,
    listed: bool,
) -> Result<()> {
    let institution = institution.id;
    app.db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, institution, &page).await?;
                let person = registered(sql, institution, page, &email_key).await?;
                Ok(participants::list_badge(sql, institution, person.id, listed).await?)
            })
        })
        .await
}

pub(super) async fn page_of(sql: &mut Sql, institution: i64, page: &NamePageRef) -> Result<i64> {
    let page = store::name_pages::find(sql, institution, page).await?;
    Ok(page.ok_or(Error::Missing(Missing::NamePage))?.id)
}

pub(super) async fn registered(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    email_key: &str,
) -> Result<Participant> {
    let found = participants::best(sql, institution, Some(page), By::Email, email_key).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

async fn written(sql: &mut Sql, institution: i64, id: i64) -> Result<Participant> {
    let written = participants::by_ids(sql, institution, &[id]).await?.pop();
    written.ok_or_else(|| Error::Internal("a participant is gone after being written".to_owned()))
}

fn change_legal(old: Legal, draft: LegalDraft) -> Legal {
    Legal {
        first_name: draft.first_name.over(old.first_name),
        last_name: draft.last_name.over(old.last_name),
        middle_name: draft.middle_name.over(old.middle_name),
        phonetic: draft.phonetic.over(old.phonetic),
        notes: draft.notes.over(old.notes),
        recording: old.recording,
    }
}

/// Key by key; says whether anything is different afterwards. An unknown key is an error under that key.
async fn change_custom(
    sql: &mut Sql,
    institution: i64,
    values: &mut CustomValues,
    given: Vec<(String, Given<String>)>,
    errors: &mut FieldErrors,
) -> Result<bool> {
    if given.is_empty() {
        return Ok(false);
    }
    let fields: Vec<CustomField> = custom_fields::all(sql, institution).await?;
    let before = values.clone();
    for (key, value) in given {
        let Some(field) = fields.iter().find(|field| field.has_import_key(&key)) else {
            if !errors.has(&key) {
                errors.add(key, INVALID);
            }
            continue;
        };
        match value {
            Given::Absent => {}
            Given::Clear => {
                values.0.remove(&field.id);
            }
            Given::Set(value) => {
                values.0.insert(field.id, value);
            }
        }
    }
    Ok(*values != before)
}
