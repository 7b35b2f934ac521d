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
    own_recordings::{self, Attempts, Copies},
};
use crate::{
    domain::{
        access::{Access, Within},
        custom_field::CustomField,
        field_errors::FieldErrors,
        media::{Kind, Media},
        moment::Moment,
        name_page::NamePageRef,
        own_recording::{Registration, Start},
        participant::{Changed, CustomValues, Draft, Given, Participant},
        text::{self, BLANK, INVALID, TAKEN},
    },
    store::{
        self, Sql, custom_fields,
        participants::{self, By, Key, Record, Registered},
        rolls,
    },
};

/// A word that may be an email, a registration's token or an institution's identifier, tried in that order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mark {
    pub as_email: String,
    pub as_given: String,
    /// As the request spelled it. If it is an email, the response shows it this way.
    pub spelled: String,
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

/// One participant, anywhere that the caller reaches or on one page.
pub async fn find(
    app: &App,
    access: &Access,
    page: Option<&NamePageRef>,
    mark: &Mark,
) -> Result<Participant> {
    let within = match page {
        Some(page) => Within::Page(name_pages::permitted(app, access, page).await?.id),
        None => access.within(),
    };
    let sql = &mut app.db.read();
    for (by, key) in mark.by() {
        if let Some(found) = participants::best(sql, access.institution, within, by, key).await? {
            return Ok(found);
        }
    }
    Err(Error::Missing(Missing::Participant))
}

/// The registration with this token.
pub async fn by_token(app: &App, institution: i64, token: &str) -> Result<Participant> {
    let sql = &mut app.db.read();
    let found = participants::best(sql, institution, Within::Institution, By::Token, token).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

/// For each mark the person's registration with the newest recording, else the newest registration.
pub async fn latest(app: &App, access: &Access, marks: &[Mark]) -> Result<Vec<Participant>> {
    let (institution, within) = (access.institution, access.within());
    let sql = &mut app.db.read();
    if let [mark] = marks
        && let Some((By::Email, key)) = mark.by().next()
        && let Some(found) = participants::best(sql, institution, within, By::Email, key).await?
    {
        return Ok(vec![found]);
    }
    let mut open: Vec<&Mark> = marks.iter().collect();
    let mut best: HashMap<i64, i64> = HashMap::new();
    for by in [By::Email, By::Token, By::Identifier] {
        let wanted = |mark: &&Mark| mark.by().find(|(its, _)| *its == by).map(|(_, key)| key.to_owned());
        let asked: Vec<String> = open.iter().filter_map(wanted).collect();
        let mut found = newest_of_each(sql, institution, within, by, &asked).await?;
        open.retain(|mark| wanted(mark).is_none_or(|key| !found.contains_key(&key)));
        if by != By::Email {
            // It stands for the person, who may have a newer registration under the same email.
            let emails: Vec<String> = found.values().filter_map(|key| key.email_key.clone()).collect();
            found.retain(|_, key| key.email_key.is_none());
            found.extend(newest_of_each(sql, institution, within, By::Email, &emails).await?);
        }
        best.extend(found.into_values().map(|key| (key.id, key.recorded_at)));
    }
    let ids = best_first(best.into_iter().collect());
    Ok(participants::by_ids(sql, institution, &ids).await?)
}

async fn newest_of_each(
    sql: &mut Sql,
    institution: i64,
    within: Within<'_>,
    by: By,
    asked: &[String],
) -> Result<HashMap<String, Key>> {
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let mut newest: HashMap<String, Key> = HashMap::new();
    for key in participants::keys(sql, institution, within, by, &asked, Changed::default()).await? {
        let better =
            newest.get(&key.matched).is_none_or(|old| (old.recorded_at, old.id) < (key.recorded_at, key.id));
        if better {
            newest.insert(key.matched.clone(), key);
        }
    }
    Ok(newest)
}

/// Registers somebody on a page. All that is wrong is told together.
pub async fn create(app: &App, access: &Access, page: NamePageRef, mut draft: Draft) -> Result<Participant> {
    let (institution, now, token) = (access.institution, app.clock.now(), app.ids.hex());
    let access = access.clone();
    draft.require_for_create();
    if !draft.media.is_empty() {
        // Nobody's sound is processed for a page that is not there.
        name_pages::permitted(app, &access, &page).await?;
    }
    let (wish, rules, ids) = (Wish::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let brought = media::process(app, &mut draft, now).await?;
    let asked = [(0, Registration::of(&draft))];
    // Most are new to the institution, or bring a recording: only when one is needed it is copied, and then all begins anew.
    let (mut copies, mut attempts) = (Copies::new(), Attempts::default());
    let person = loop {
        let made = own_recordings::files(&copies);
        let (db, rules, wish, token) = (app.db.clone(), rules.clone(), wish.clone(), token.clone());
        let (access, page, draft) = (access.clone(), page.clone(), draft.clone());
        let write = move |mut new: Vec<Media>| async move {
            db.write(move |sql| {
                Box::pin(async move {
                    rolls::lock(sql, institution).await?;
                    let page = page_of(sql, &access, &page).await?;
                    let Created { person, recorded } =
                        create_in(sql, institution, page, draft, now, token).await?;
                    calls::settle(sql, &rules, (institution, person.id), wish, ids, now).await?;
                    // A token that is limited to pages must not reach what was recorded on others.
                    let starts = recorded && access.pages().is_none();
                    if starts && !new.iter().any(|one| one.kind == Kind::Recording) {
                        new.extend(start(sql, institution, person.id, 0, &copies).await?);
                    }
                    with_media(sql, institution, person, &new, now).await
                })
            })
            .await
        };
        let written = media::store_and(app, institution, brought.clone(), write).await;
        let written = written.map(|person| {
            let used = person.recording.iter().map(|recording| recording.hex.clone()).collect();
            (person, used)
        });
        match own_recordings::settle(app, institution, made, written).await {
            Err(error) => {
                attempts.again(error)?;
                copies = own_recordings::prepare(app, institution, &asked, Start::Shared).await?;
            }
            Ok(person) => break person,
        }
    };
    app.switchboard.wake();
    Ok(person)
}

/// What somebody who was just registered starts with, when the same email has a recording elsewhere. `place` is theirs among
/// the copies.
pub(super) async fn start(
    sql: &mut Sql,
    institution: i64,
    id: i64,
    place: usize,
    copies: &Copies,
) -> Result<Option<Media>> {
    let Some(own) = store::own_recordings::find(sql, institution, id).await? else { return Ok(None) };
    let mut started = own_recordings::start(sql, institution, &[(place, own)], Start::Shared, copies).await?;
    Ok(started.remove(&place).map(|started| started.media))
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

/// Somebody who was just registered.
pub(super) struct Created {
    pub person: Participant,
    /// Does the same email have a recording elsewhere?
    pub recorded: bool,
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
) -> Result<Created> {
    draft.require_for_create();
    let mut errors = std::mem::take(&mut draft.errors);
    let email_key = draft.email.set().map(|email| email.key().to_owned());
    let registered = match &email_key {
        Some(key) => participants::registered(sql, institution, page, key).await?,
        None => Registered::default(),
    };
    if registered.on_page {
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
    let custom_changed =
        change_custom(sql, institution, &mut custom, std::mem::take(&mut draft.custom), &mut errors).await?;
    errors.into_result()?;
    let id = rolls::join(sql, institution, rolls::INSTITUTION).await?;
    let place = rolls::join(sql, institution, page).await?;
    let mut person = Participant::new(id, place, token);
    person.take_texts(&mut draft);
    person.email = draft.email.set().map(|email| email.as_given().to_owned());
    person.custom = custom;
    person.custom_changed_at = custom_changed.then_some(now);
    let record = Record {
        name_page_id: page,
        email_key,
        identifier_key: person.identifier.as_deref().map(text::nfc),
        phone_number: draft.phone_number.set().map(|number| number.e164().to_owned()),
        person,
        now,
    };
    participants::insert(sql, institution, &record).await?;
    let person = written(sql, institution, id).await?;
    Ok(Created { person, recorded: registered.recorded })
}

/// Changes the fields given and leaves the others.
pub async fn update(
    app: &App,
    access: &Access,
    page: NamePageRef,
    email_key: String,
    draft: Draft,
) -> Result<Participant> {
    update_whom(app, access.clone(), Whom::Registered(page, email_key), draft).await
}

/// The same for somebody who changes their own entry.
pub async fn update_own(app: &App, institution: i64, id: i64, draft: Draft) -> Result<Participant> {
    update_whom(app, Access::whole(institution), Whom::Own(id), draft).await
}

enum Whom {
    /// On a page, by the key of their email.
    Registered(NamePageRef, String),
    /// Themselves.
    Own(i64),
}

impl Whom {
    async fn find(&self, sql: &mut Sql, access: &Access) -> Result<Participant> {
        match self {
            Self::Registered(page, email_key) => {
                let page = page_of(sql, access, page).await?;
                registered(sql, access.institution, page, email_key).await
            }
            Self::Own(id) => {
                let found = participants::by_ids(sql, access.institution, &[*id]).await?.pop();
                found.ok_or(Error::Missing(Missing::Participant))
            }
        }
    }
}

async fn update_whom(app: &App, access: Access, whom: Whom, draft: Draft) -> Result<Participant> {
    let (institution, now) = (access.institution, app.clock.now());
    let mut draft = draft.ignore_identity();
    if !draft.media.is_empty() {
        // Nobody's sound is processed for somebody who is not there.
        whom.find(&mut app.db.read(), &access).await?;
    }
    let (wish, rules, ids) = (Wish::of(&draft), app.calling.clone(), calls::Ids::new(app, now));
    let brought = media::process(app, &mut draft, now).await?;
    let db = app.db.clone();
    let write = move |new: Vec<Media>| async move {
        db.write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = whom.find(sql, &access).await?;
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
    let mut draft = draft.ignore_identity();
    let mut errors = std::mem::take(&mut draft.errors);
    let mut person = old;
    let given = std::mem::take(&mut draft.custom);
    if change_custom(sql, institution, &mut person.custom, given, &mut errors).await? {
        person.custom_changed_at = Some(now);
    }
    person.take_texts(&mut draft);
    if person.first_name.is_none() && person.last_name.is_none() && !errors.has("first_name") {
        errors.add("first_name", BLANK);
    }
    errors.into_result()?;
    let phone_number = match &draft.phone_number {
        Given::Absent => None,
        Given::Clear => Some(None),
        Given::Set(number) => Some(Some(number.e164())),
    };
    participants::update(sql, institution, &person, phone_number, now).await?;
    written(sql, institution, person.id).await
}

/// May search engines list somebody's badge? Their own affair; at first nobody's is.
pub async fn list_badge(
    app: &App,
    institution: i64,
    page: NamePageRef,
    email_key: String,
    listed: bool,
) -> Result<()> {
    app.db
        .write(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let page = page_of(sql, &Access::whole(institution), &page).await?;
                let person = registered(sql, institution, page, &email_key).await?;
                Ok(participants::list_badge(sql, institution, person.id, listed).await?)
            })
        })
        .await
}

pub(super) async fn page_of(sql: &mut Sql, access: &Access, page: &NamePageRef) -> Result<i64> {
    Ok(name_pages::permitted_in(sql, access, page).await?.id)
}

pub(super) async fn registered(
    sql: &mut Sql,
    institution: i64,
    page: i64,
    email_key: &str,
) -> Result<Participant> {
    let found = participants::best(sql, institution, Within::Page(page), By::Email, email_key).await?;
    found.ok_or(Error::Missing(Missing::Participant))
}

async fn written(sql: &mut Sql, institution: i64, id: i64) -> Result<Participant> {
    let written = participants::by_ids(sql, institution, &[id]).await?.pop();
    written.ok_or_else(|| Error::Internal("a participant is gone after being written".to_owned()))
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
    let ids: HashMap<String, i64> = fields.iter().map(|field| (field.import_key(), field.id)).collect();
    let before = values.clone();
    for (key, value) in given {
        let Some(id) = ids.get(&key) else {
            if !errors.has(&key) {
                errors.add(key, INVALID);
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
    Ok(*values != before)
}
