//! Consent: people agree to a text before they record their name, or ask to be called, themselves. What institutions set through
//! the API, imports and the command line does not depend on it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result, audiences,
    audit::{self, MediaChange, Record},
    calls::{self, CallChange},
    kept_recordings, media,
    own_entry::Owner,
    own_person,
};
use crate::{
    domain::{
        audience::Audience,
        audit::{Act, SubjectKind, Who},
        call::Reason,
        consent::{self, Consent, ConsentText, Giver, Via},
        email::email_key,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        ids::InstitutionId,
        language::Language,
        media::Kind,
        moment::Moment,
        session::PersonId,
        version::{check_base, version_of},
    },
    store::{self, Sql, consents, institutions, participants, rolls},
};

/// The text in force, and whether somebody has agreed to it.
#[derive(Debug, Clone)]
pub struct ConsentState {
    pub text: ConsentText,
    /// The institution's language.
    pub language: Language,
    pub given: Option<Consent>,
}

pub async fn of_person(app: &App, actor: &Actor, person: &PersonId) -> Result<ConsentState> {
    actor.represent(person)?;
    state(&mut app.db.read(), person.institution, &[Giver::Person(person.clone())]).await
}

/// For somebody who has the person's invitation.
pub(super) async fn of_giver(sql: &mut Sql, person: &PersonId) -> Result<ConsentState> {
    state(sql, person.institution, &[Giver::Person(person.clone())]).await
}

/// For the owner of an entry, who may have no email.
pub async fn of_owner(app: &App, owner: Owner) -> Result<ConsentState> {
    let sql = &mut app.db.read();
    let givers = givers(sql, owner).await?;
    state(sql, owner.institution, &givers).await
}

async fn state(sql: &mut Sql, institution: InstitutionId, givers: &[Giver]) -> Result<ConsentState> {
    let text = current(sql, institution).await?;
    let mut given = None;
    for giver in givers {
        if given.is_none() {
            given = consents::in_force(sql, giver, &text.version).await?;
        }
    }
    let found = institutions::by_id(sql, institution).await?;
    let language = found.and_then(|found| found.language).unwrap_or_default();
    Ok(ConsentState { text, language, given })
}

async fn current(sql: &mut Sql, institution: InstitutionId) -> Result<ConsentText> {
    let newest = consents::newest_text(sql, institution).await?;
    Ok(newest.filter(|text| !text.is_built_in()).unwrap_or_else(ConsentText::built_in))
}

/// Who can have agreed for an entry. The first one does from now on: the person, if their email is known.
async fn givers(sql: &mut Sql, Owner { institution, participant }: Owner) -> Result<Vec<Giver>> {
    let entry = participants::by_ids(sql, institution, &[participant]).await?.pop();
    let entry = entry.ok_or(Error::Missing(Missing::Participant))?;
    let person = entry.email.as_deref().map(|email| PersonId { institution, email_key: email_key(email) });
    let registration = Giver::Registration(institution, participant);
    Ok(person.map(Giver::Person).into_iter().chain([registration]).collect())
}

/// Checks that the owner of an entry has agreed to the text in force. `field` is the input that is rejected otherwise.
pub(super) async fn require(sql: &mut Sql, owner: Owner, field: Field) -> Result<()> {
    let givers = givers(sql, owner).await?;
    match state(sql, owner.institution, &givers).await?.given {
        Some(_) => Ok(()),
        None => Err(Error::invalid(field, Fault::NoConsent)),
    }
}

/// Was the input rejected because consent is missing?
pub fn is_missing(errors: &FieldErrors) -> bool {
    errors.iter().any(|(_, faults)| faults.contains(&Fault::NoConsent))
}

/// Agrees to a version of the text, which was shown in this language. Returns false if another version is in force now.
pub async fn agree(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    version: &str,
    language: Language,
) -> Result<bool> {
    actor.represent(person)?;
    let record = Record::new(app, actor, person.institution, Act::ConsentGiven).of_person(person);
    let (person, version, now) = (person.clone(), version.to_owned(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                own_person::lock_registered(sql, &person).await?;
                agree_in(sql, record, person, Via::SignIn, (&version, language), now).await
            })
        })
        .await
}

/// `agree` inside the caller's transaction, which holds the institution's lock. The person is registered.
pub(super) async fn agree_in(
    sql: &mut Sql,
    record: Record,
    person: PersonId,
    via: Via,
    (version, language): (&str, Language),
    now: Moment,
) -> Result<bool> {
    if current(sql, person.institution).await?.version != version {
        return Ok(false);
    }
    consents::agree(sql, &Giver::Person(person), via, version, language, now).await?;
    let mut after = Map::from_iter([("version".to_owned(), version.into())]);
    if let Some(word) = via.word() {
        after.insert("via".to_owned(), word.into());
    }
    audit::write(sql, &[record.change(Json::Null, Json::Object(after))]).await?;
    Ok(true)
}

/// The owner of an entry has come from a learning system: what somebody has agreed to with their invitation counts no longer.
pub(super) async fn ask_again(app: &App, owner: Owner) -> Result<()> {
    let sql = &mut app.db.read();
    let Some(Giver::Person(person)) = givers(sql, owner).await?.into_iter().next() else { return Ok(()) };
    // The read avoids occupying the database's single writer at each launch.
    if !consents::any_by_invitation(sql, &person).await? {
        return Ok(());
    }
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, person.institution).await?;
                Ok(consents::ask_again(sql, &person).await?)
            })
        })
        .await
}

/// Like `agree`, for the owner of an entry.
pub async fn agree_as_owner(
    app: &App,
    owner: Owner,
    who: Who,
    version: &str,
    language: Language,
) -> Result<bool> {
    let record = Record::by(app, who, owner.institution, Act::ConsentGiven);
    let (version, now) = (version.to_owned(), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, owner.institution).await?;
                let giver = givers(sql, owner).await?.into_iter().next();
                if current(sql, owner.institution).await?.version != version {
                    return Ok(false);
                }
                if let Some(giver) = giver {
                    consents::agree(sql, &giver, Via::SignIn, &version, language, now).await?;
                    let record = match &giver {
                        Giver::Person(person) => record.of_person(person),
                        Giver::Registration(_, id) => record.about(SubjectKind::Participant, id, ""),
                    };
                    audit::write(sql, &[record.change(Json::Null, json!({ "version": version }))]).await?;
                }
                Ok(true)
            })
        })
        .await
}

/// What happens to the recordings of a person who withdraws their consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withdrawal {
    /// They are kept, and nobody can hear them.
    Pause,
    Delete,
}

/// Withdraws a person's consent, and cancels their pending calls.
pub async fn withdraw(app: &App, actor: &Actor, person: &PersonId, then: Withdrawal) -> Result<()> {
    withdraw_by(app, actor.who(), actor, person, then).await
}

/// `withdraw` with somebody else in the audit log: a person in a learning system acts as the one with their email.
pub(super) async fn withdraw_by(
    app: &App,
    who: Who,
    actor: &Actor,
    person: &PersonId,
    then: Withdrawal,
) -> Result<()> {
    actor.represent(person)?;
    if then == Withdrawal::Pause {
        audiences::choose(app, actor, person.clone(), Audience::Paused).await?;
    }
    let record = Record::by(app, who, person.institution, Act::ConsentWithdrawn).of_person(person);
    let (institution, person, now, owned_app) =
        (person.institution, person.clone(), app.clock.now(), app.clone());
    let gone = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let all = own_person::lock_registered(sql, &person).await?;
                consents::withdraw(sql, &Giver::Person(person), now).await?;
                let (mut gone, mut changes) = (Vec::new(), Vec::new());
                for one in all {
                    consents::withdraw(sql, &Giver::Registration(institution, one.id), now).await?;
                    let (rules, ids) = (&owned_app.calling, calls::Ids::new(&owned_app, now));
                    let cancel = CallChange::Cancel(Reason::OptedOut);
                    calls::settle(sql, rules, (institution, one.id), cancel, ids, now).await?;
                    // What they could put back is not paused with the rest: it is gone.
                    gone.extend(kept_recordings::forget(sql, institution, one.id).await?);
                    if then == Withdrawal::Delete {
                        for kind in [Kind::Recording, Kind::LegalRecording] {
                            let old = store::media::detach(sql, institution, one.id, kind, now).await?;
                            changes.extend(MediaChange::deleted(one.id, &old));
                            gone.extend(old);
                        }
                    }
                }
                audit::write(sql, std::slice::from_ref(&record)).await?;
                audit::write_media(sql, &record, &owned_app.ids, &changes).await?;
                Ok(gone)
            })
        })
        .await?;
    app.queue.wake();
    media::discard(app, institution, &gone).await;
    Ok(())
}

/// The text in force, with the institution's language.
pub async fn find(app: &App, actor: &Actor, institution: InstitutionId) -> Result<ConsentState> {
    actor.administer(institution)?;
    state(&mut app.db.read(), institution, &[]).await
}

/// Sets the institution's text in one language. A language that the text in force lacks is added to it: a translation asks nobody
/// again. A different text begins a new version, in this language only.
pub async fn set(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    language: Language,
    text: &str,
) -> Result<ConsentText> {
    replace(app, actor, institution, Some((language, text)), None).await
}

/// Goes back to the text that comes with the software. Earlier versions are kept: people have agreed to them.
pub async fn reset(app: &App, actor: &Actor, institution: InstitutionId) -> Result<ConsentText> {
    replace(app, actor, institution, None, None).await
}

/// Identifies what a text in this language replaces or, without a language, what `reset` does: the texts in all languages. A
/// language that the version lacks replaces none of them.
pub fn seen(text: &ConsentText, language: Option<Language>) -> String {
    let is_added = language.is_some_and(|language| !text.texts.contains_key(language.tag()));
    let replaced = (!is_added).then_some(&text.texts);
    version_of(&(&text.version, replaced))
}

/// `set`, or `reset` without a text. `base` is what was seen of what it replaces (`seen`): if that is something else by now, nothing is
/// changed (`SetupFault::Outdated`).
pub async fn replace(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: Option<(Language, &str)>,
    base: Option<String>,
) -> Result<ConsentText> {
    actor.administer(institution)?;
    let new = new.map(|(language, text)| {
        (language, text.trim_start_matches('\u{feff}').replace("\r\n", "\n").trim().to_owned())
    });
    if let Some(fault) = new.as_ref().and_then(|(_, text)| consent::text_fault(text)) {
        return Err(Error::invalid(Field::ConsentText, fault));
    }
    let act = if new.is_some() { Act::ConsentTextSet } else { Act::ConsentTextReset };
    let (record, now) = (Record::new(app, actor, institution, act), app.clock.now());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let old = current(sql, institution).await?;
                let language = new.as_ref().map(|(language, _)| *language);
                check_base(base.as_deref(), &seen(&old, language))?;
                match new {
                    Some(new) => set_in(sql, record, (institution, old), new, now).await,
                    None => reset_in(sql, record, (institution, old), now).await,
                }
            })
        })
        .await
}

async fn set_in(
    sql: &mut Sql,
    record: Record,
    (institution, old): (InstitutionId, ConsentText),
    (language, text): (Language, String),
    now: Moment,
) -> Result<ConsentText> {
    let (mut new, tag) = (old, language.tag().to_owned());
    if new.texts.get(&tag) == Some(&text) {
        return Ok(new);
    }
    if new.is_built_in() || new.texts.contains_key(&tag) {
        new = ConsentText { version: next_version(sql, institution).await?, texts: BTreeMap::new() };
    }
    let after = json!({ "language": tag, "version": new.version, "text": text });
    new.texts.insert(tag, text);
    consents::put_text(sql, institution, &new, now).await?;
    audit::write(sql, &[record.change(Json::Null, after)]).await?;
    Ok(new)
}

async fn reset_in(
    sql: &mut Sql,
    record: Record,
    (institution, old): (InstitutionId, ConsentText),
    now: Moment,
) -> Result<ConsentText> {
    if !old.is_built_in() {
        let none = ConsentText { version: next_version(sql, institution).await?, texts: BTreeMap::new() };
        consents::put_text(sql, institution, &none, now).await?;
        audit::write(sql, &[record]).await?;
    }
    Ok(ConsentText::built_in())
}

/// The institution's versions are numbered.
async fn next_version(sql: &mut Sql, institution: InstitutionId) -> Result<String> {
    Ok((consents::count_texts(sql, institution).await? + 1).to_string())
}

/// All consents, with the email of the person, or the number of a registration without one.
pub async fn all(app: &App, actor: &Actor, institution: InstitutionId) -> Result<Vec<(String, Consent)>> {
    actor.administer(institution)?;
    Ok(consents::all(&mut app.db.read(), institution).await?)
}
