//! Registering on a name page, and a person's own entry there.
//!
//! Nobody registers with an address that they have not proven: by a mailed code or link (`ask`), by single sign-on or a trusted proxy
//! (`admit`), or by an invitation. The proof leaves an admission, with which a session can be opened before there is an entry. It is
//! removed with the registration, or after a day.

use bytes::Bytes;

use super::{
    Actor, App, Error, Missing, Result, custom_fields,
    name_pages::{self, PublicPage},
    open_mail,
    own_entry::{self, OwnEntry, Owner},
    own_media, own_person,
    own_recordings::{Maker, Sharing},
    participants,
    sign_in::{self, Asker, MailRequest},
};
use crate::{
    domain::{
        access::Access,
        custom_field::{Answers, CustomField, sort_for_pages},
        email::Email,
        fault::{Fault, Field},
        field_errors::FieldErrors,
        language::Language,
        mail_limit::Wait,
        media::Kind,
        moment::Moment,
        name_page::NamePageRef,
        page_settings::{PageState, Register},
        participant::{CustomValues, Draft, Given, LegalNames, Participant, Source},
        registration::{Registrant, is_event_code, may_register},
        session::PersonId,
        sign_in::{ADMISSION_LIFE, ReturnTo},
    },
    store::{self, Sql, admissions, refused_people, rolls},
};

/// The response to somebody who wants to register. It is the same for every address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A message is on its way, if the address may register or is known.
    Accepted,
    /// Too many requests for this address or from this network.
    TooMany(Wait),
    /// Strangers have requested too many messages where everybody may register.
    Later(Wait),
    /// The event code is missing or wrong. That says nothing about the address.
    WrongCode,
}

/// The path of somebody's own entry, where they go after they have proven who they are.
fn own_path(public: &PublicPage) -> Option<ReturnTo> {
    ReturnTo::parse(&format!("/p/{}/own", public.page.slug))
}

/// Requests a message with a code and a link, for somebody who registers or returns. The work does not depend on the address: a job
/// finds out whether it is known, and whether it may register is a part of the request.
pub async fn ask(
    app: &App,
    asker: &Asker,
    public: &PublicPage,
    email: Email,
    code: Option<&str>,
    language: Language,
) -> Result<Answer> {
    let PublicPage { institution, page, settings } = public;
    let is_open = settings.state(app.clock.now()) == PageState::Open;
    if is_open && settings.register == Register::Code && !is_event_code(page, code) {
        // Guesses count as requests do.
        let refusal = sign_in::refusal(app, asker.client).await;
        return Ok(refusal.map_or(Answer::WrongCode, Answer::TooMany));
    }
    let is_known_browser = asker.marks.count_digest(app, email.key())?.is_some();
    if !is_known_browser && let Some(wait) = sign_in::refusal(app, asker.client).await {
        return Ok(Answer::TooMany(wait));
    }
    let may_register = is_open && may_register(page, settings, &email, code);
    if may_register && let Some(wait) = open_mail::refusal(app, public, &email).await? {
        return Ok(Answer::Later(wait));
    }
    let wanted = MailRequest {
        email,
        institution: Some(institution.id),
        language,
        return_to: own_path(public),
        name_page: may_register.then_some(page.id),
    };
    // The client has been counted.
    let counted = Asker { client: None, ..asker.clone() };
    Ok(match sign_in::ask(app, &counted, wanted).await? {
        sign_in::Answer::Accepted => Answer::Accepted,
        sign_in::Answer::TooMany(wait) => Answer::TooMany(wait),
    })
}

/// Admits somebody whose address a provider or proxy has proven, if the page that they return to lets them register. False if not.
pub(super) async fn admit(app: &App, person: &PersonId, email: &Email, return_to: &ReturnTo) -> Result<bool> {
    let Some((slug, code)) = target(return_to) else { return Ok(false) };
    let public = match name_pages::public(app, &slug).await {
        Ok(public) => public,
        Err(Error::Missing(_)) => return Ok(false),
        Err(error) => return Err(error),
    };
    let PublicPage { institution, page, settings } = &public;
    let (now, page_id) = (app.clock.now(), page.id);
    let may_enter = institution.id == person.institution
        && settings.state(now) == PageState::Open
        && may_register(page, settings, email, code.as_deref());
    if !may_enter {
        return Ok(false);
    }
    let (person, email) = (person.clone(), email.as_given().to_owned());
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // A directory that disables them takes this lock, too.
                rolls::lock(sql, person.institution).await?;
                if refused_people::is_refused(sql, &person).await? {
                    return Ok(false);
                }
                admissions::set(sql, &person, page_id, &email, now).await?;
                Ok(true)
            })
        })
        .await
}

/// The page that a path leads to, and the event code in its query.
fn target(return_to: &ReturnTo) -> Option<(String, Option<String>)> {
    let path = return_to.as_str().strip_prefix("/p/")?;
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let slug = path.split('/').next().filter(|slug| !slug.is_empty())?;
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let code = pairs.find(|(name, _)| name == "code").map(|(_, value)| value.into_owned());
    Some((slug.to_owned(), code))
}

/// Removes admissions of people who never registered.
pub async fn remove_expired(app: &App) -> Result<()> {
    let before = app.clock.now().minus(ADMISSION_LIFE);
    // The read is cheap, and avoids occupying the database's single writer.
    if !admissions::any_expired(&mut app.db.read(), before).await? {
        return Ok(());
    }
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move { Ok(admissions::delete_expired(sql, before).await?) })
        })
        .await
}

/// What people say about themselves when they register, and change later.
pub struct PageDetails {
    texts: Draft,
    answers: Answers,
}

impl PageDetails {
    pub fn read(source: &impl Source) -> Self {
        Self { texts: Draft::read(source, LegalNames::Ignored), answers: Answers::read(source) }
    }

    /// Ignores what the page does not ask for, and reports what it requires and does not get. `fields` are those that it asks for.
    /// Without an entry, what is absent is missing. The `institution_id` is always ignored: people could claim those of others, or find
    /// out which ones are in use.
    fn checked(self, public: &PublicPage, fields: &[CustomField], entry: Option<&Participant>) -> Draft {
        let (asked, is_new) = (&public.settings.asked, entry.is_none());
        let Draft { first_name, last_name, phonetic, notes, mut errors, .. } = self.texts;
        // Where people are invited, the institution says what their names are.
        let has_names = is_new || changes_names(public);
        errors.retain(|field| match field {
            Field::FirstName | Field::LastName => has_names,
            Field::Phonetic => asked.phonetic.is_asked(),
            Field::Notes => asked.notes.is_asked(),
            _ => false,
        });
        let mut draft = Draft::default();
        if has_names {
            (draft.first_name, draft.last_name) = (first_name, last_name);
        }
        if asked.phonetic.is_asked() {
            draft.phonetic = phonetic;
        }
        if asked.notes.is_asked() {
            draft.notes = notes;
        }
        let nothing = CustomValues::default();
        let stored = entry.map_or(&nothing, |entry| &entry.custom);
        draft.custom = self.answers.given(fields, stored, &mut errors);
        let required =
            [(Field::Phonetic, asked.phonetic, &draft.phonetic), (Field::Notes, asked.notes, &draft.notes)];
        for (field, asking, given) in required {
            if asking.is_required() && is_lacking(given, is_new) && !errors.has(&field) {
                errors.add(field, Fault::Blank);
            }
        }
        for field in fields.iter().filter(|field| asked.of(field).is_required()) {
            let key = field.import_key();
            let given = draft.custom.iter().find(|(sent, _)| *sent == key).map(|(_, given)| given);
            let is_lacking = is_lacking(given.unwrap_or(&Given::Absent), is_new);
            if is_lacking && !errors.has(&Field::Custom(key.clone())) {
                let fault = if field.kind.is_text() { Fault::Blank } else { Fault::NotIncluded };
                errors.add(Field::Custom(key), fault);
            }
        }
        draft.errors = errors;
        draft
    }
}

/// Whether people may change their names on this page. The names of invited people come from the institution.
pub fn changes_names(public: &PublicPage) -> bool {
    public.settings.asked.name.is_asked() && public.settings.register != Register::Invited
}

fn is_lacking(given: &Given<String>, is_new: bool) -> bool {
    match given {
        Given::Set(_) => false,
        Given::Clear => true,
        Given::Absent => is_new,
    }
}

/// The custom fields that a page asks for, in the order of pages.
pub async fn asked_fields(app: &App, public: &PublicPage) -> Result<Vec<CustomField>> {
    let mut fields = custom_fields::all(app, &Access::of_visitor(public.institution.id)).await?;
    fields.retain(|field| public.settings.asked.of(field).is_asked());
    sort_for_pages(&mut fields);
    Ok(fields)
}

/// Whether somebody who is registered can fill in this custom field. One that is not `editable` is only answered: when it has a value,
/// the institution changes it.
pub fn may_fill_in(field: &CustomField, entry: &Participant) -> bool {
    field.editable || !entry.custom.0.contains_key(&field.id)
}

/// What is wrong with the details of somebody who registers.
pub async fn faults(app: &App, public: &PublicPage, details: PageDetails) -> Result<FieldErrors> {
    let fields = asked_fields(app, public).await?;
    let mut draft = details.checked(public, &fields, None);
    draft.require_for_create();
    // They do not type it.
    draft.errors.retain(|field| *field != Field::Email);
    Ok(draft.errors)
}

/// What came of registering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// They have an entry, from now on or already.
    Registered,
    /// The page is closed or archived.
    Closed,
    /// The page is for others.
    NotPermitted,
    /// The event code is missing or wrong.
    WrongCode,
}

/// Registers a person with the address that they have proven. Whoever is registered keeps their entry as it is. `is_vouched`: the
/// institution has said who they are (`Session::is_vouched`).
pub async fn register(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
    is_vouched: bool,
    code: Option<&str>,
    details: PageDetails,
) -> Result<Outcome> {
    actor.represent(person)?;
    let (institution, page) = (person.institution, public.page.id);
    if entry(app, person, public).await?.is_some() {
        return Ok(Outcome::Registered);
    }
    let (email, is_welcome) = match permission(app, actor, person, public, code).await? {
        Permission::Granted { email, is_welcome } => (email, is_welcome),
        Permission::Refused(outcome) => return Ok(outcome),
    };
    let registrant = Registrant::of(&public.settings, &email, is_welcome || is_vouched);
    let fields = asked_fields(app, public).await?;
    let mut draft = details.checked(public, &fields, None);
    draft.email = Given::Set(email);
    let page_ref = NamePageRef::parse(&public.page.slug).ok_or(Error::Missing(Missing::NamePage))?;
    let access = Access::whole(institution).by(actor.who());
    match participants::create_as(app, &access, page_ref, draft, registrant, None).await {
        Ok(_) => {}
        // They have sent the form twice at once, and the other one was first.
        Err(Error::Invalid(errors)) if errors.has(&Field::Email) => {}
        Err(error) => return Err(error),
    }
    let person = person.clone();
    let deleted = app.db.write::<_, Error>(move |sql| {
        Box::pin(async move { Ok(admissions::delete(sql, &person, page).await?) })
    });
    if let Err(error) = deleted.await {
        // They are registered. The admission ends by itself.
        tracing::warn!(%error, "the admission of somebody who has registered could not be deleted");
    }
    Ok(Outcome::Registered)
}

/// Why this person may not register now. `None` if they may.
pub async fn refusal(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
    code: Option<&str>,
) -> Result<Option<Outcome>> {
    actor.represent(person)?;
    Ok(match permission(app, actor, person, public, code).await? {
        Permission::Granted { .. } => None,
        Permission::Refused(outcome) => Some(outcome),
    })
}

enum Permission {
    Granted {
        /// The address to register with.
        email: Email,
        /// They are invited, or run the page.
        is_welcome: bool,
    },
    Refused(Outcome),
}

async fn permission(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
    code: Option<&str>,
) -> Result<Permission> {
    let PublicPage { institution, page, settings } = public;
    let now = app.clock.now();
    if institution.id != person.institution {
        return Err(Error::Missing(Missing::NamePage));
    }
    if settings.state(now) != PageState::Open {
        return Ok(Permission::Refused(Outcome::Closed));
    }
    let sql = &mut app.db.read();
    if refused_people::is_refused(sql, person).await? {
        return Ok(Permission::Refused(Outcome::NotPermitted));
    }
    let invited = admissions::invited(sql, person, page.id, now).await?.as_deref().and_then(Email::parse);
    let admitted = admissions::find(sql, person, page.id, now.minus(ADMISSION_LIFE)).await?;
    // An admission ends when the rule changes (`page_settings::update`), and may date from when the page had other domains.
    let admitted = admitted.as_deref().and_then(Email::parse).filter(|email| match settings.register {
        Register::Invited => false,
        Register::Domain => settings.has_domain_of(email),
        Register::Code | Register::Open => true,
    });
    let is_welcome = invited.is_some() || actor.manage(institution.id, page.id).is_ok();
    let is_admitted = admitted.is_some();
    let email = match admitted.or(invited) {
        Some(email) => Some(email),
        None => known_email(sql, person, now).await?,
    };
    let Some(email) = email else { return Ok(Permission::Refused(Outcome::NotPermitted)) };
    Ok(if is_welcome || is_admitted || may_register(page, settings, &email, code) {
        Permission::Granted { email, is_welcome }
    } else if settings.register == Register::Code {
        Permission::Refused(Outcome::WrongCode)
    } else {
        Permission::Refused(Outcome::NotPermitted)
    })
}

/// The address as the institution knows it.
async fn known_email(sql: &mut Sql, person: &PersonId, now: Moment) -> Result<Option<Email>> {
    let known = store::sign_ins::known(sql, &person.email_key, now).await?;
    let here = known.into_iter().find(|one| one.institution.id == person.institution);
    Ok(here.and_then(|one| Email::parse(&one.email)))
}

/// The person's own entry. `None` if they are not registered on the page.
pub async fn find(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
) -> Result<Option<OwnEntry>> {
    actor.represent(person)?;
    let Some(owner) = entry(app, person, public).await? else { return Ok(None) };
    own_entry::find(app, owner).await.map(Some)
}

async fn entry(app: &App, person: &PersonId, public: &PublicPage) -> Result<Option<Owner>> {
    if public.institution.id != person.institution {
        return Err(Error::Missing(Missing::NamePage));
    }
    match own_person::owner(app, person, Some(&public.page.slug)).await {
        Ok(owner) => Ok(Some(owner)),
        Err(Error::Missing(Missing::NamePage | Missing::Participant)) => Ok(None),
        Err(error) => Err(error),
    }
}

async fn registered(app: &App, person: &PersonId, public: &PublicPage) -> Result<Owner> {
    entry(app, person, public).await?.ok_or(Error::Missing(Missing::Participant))
}

/// Changes what the person says about themselves on this page.
pub async fn change(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
    details: PageDetails,
) -> Result<()> {
    actor.represent(person)?;
    let owner = registered(app, person, public).await?;
    if public.settings.is_archived() {
        return Err(Error::invalid(Field::FirstName, Fault::Closed));
    }
    // Not in the transaction of the update: of two answers that somebody sends at the same moment, the later one is kept.
    let entry = own_entry::entry(&mut app.db.read(), owner).await?;
    let mut fields = asked_fields(app, public).await?;
    fields.retain(|field| may_fill_in(field, &entry));
    let draft = details.checked(public, &fields, Some(&entry));
    participants::update_own(app, owner, actor.who(), draft).await.map(|_| ())
}

/// Stores a recording, for all of the person's pages or for this one only. After the closing time it is rejected with `Fault::Closed`.
/// One that is too long for this page is rejected, too.
pub async fn record(
    app: &App,
    actor: &Actor,
    person: &PersonId,
    public: &PublicPage,
    sound: Vec<u8>,
    sharing: Sharing,
) -> Result<()> {
    actor.represent(person)?;
    let owner = registered(app, person, public).await?;
    if public.settings.state(app.clock.now()) != PageState::Open {
        return Err(Error::invalid(Field::Recording, Fault::Closed));
    }
    own_entry::record_by(app, owner, actor.who(), sound, sharing, Maker::OnPage).await
}

/// The MP3 file of the person's newest recording on this page, even while nobody else may hear it.
pub async fn sound(app: &App, actor: &Actor, person: &PersonId, public: &PublicPage) -> Result<Bytes> {
    actor.represent(person)?;
    own_media::sound(app, actor, person, &public.page.slug, Kind::Recording).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_found_in_the_way_back() {
        let found = |path: &str| target(&ReturnTo::parse(path).unwrap());
        let page = |slug: &str, code: Option<&str>| Some((slug.to_owned(), code.map(str::to_owned)));
        assert_eq!(found("/p/class-of-2027"), page("class-of-2027", None));
        assert_eq!(found("/p/choir/own?lang=de&code=R99E+JJFY"), page("choir", Some("R99E JJFY")));
        assert_eq!(found("/p/choir?code="), page("choir", Some("")));
        for other in ["/me", "/p/", "/p", "/p//own", "/people/x", "/sign-in?return_to=/p/choir"] {
            assert_eq!(found(other), None, "{other}");
        }
    }
}
