//! Institutions (tenants). The operator creates them, admins change them, and owners delete them.

pub mod settings;

use std::time::Duration;

use jiff::tz::TimeZone;

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Missing, Result,
    audit::{self, Record},
    calls, jobs, looks,
    sessions::Secret,
};
use crate::{
    domain::{
        audience::{Audience, Permitted},
        audit::{Act, SubjectKind, chain::LEAST_DAYS},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::InstitutionId,
        ids::ParticipantId,
        institution::{Institution, parse_language, parse_origin},
        job::Job,
        language::Language,
        name_page::slug_fault,
        session::PersonId,
        sso::SsoOnly,
        text::{self, Lines, longest},
    },
    store::{
        self, Sql, audiences,
        institutions::{self, Changes},
        versions,
    },
};

pub use settings::Settings;

pub struct New {
    pub name: String,
    pub slug: Option<String>,
    pub time_zone: String,
    pub multiple_recordings: bool,
    /// Empty for the installation's default.
    pub phone_language: String,
}

pub async fn create(app: &App, actor: &Actor, new: New) -> Result<Institution> {
    actor.operate()?;
    let mut errors = FieldErrors::default();
    check_name(&new.name, &mut errors);
    let zone = check_zone(&new.time_zone, &mut errors);
    let phone_language = check_language(&new.phone_language, &mut errors);
    let now = app.clock.now();
    let id = app.ids.id(now);
    let slug = new.slug.or_else(|| text::slug_from(&new.name)).unwrap_or_else(|| format!("institution-{id}"));
    if let Some(fault) = slug_fault(&slug) {
        errors.add(Field::Slug, fault);
    } else if institutions::by_slug(&mut app.db.read(), &slug).await?.is_some() {
        errors.add(Field::Slug, Fault::Taken);
    }
    errors.into_result()?;
    let institution = Institution {
        id,
        slug,
        name: new.name,
        access_code: app.ids.access_code(),
        time_zone: zone.unwrap_or(TimeZone::UTC),
        multiple_recordings: new.multiple_recordings,
        rate_limit: None,
        allowed_origins: Vec::new(),
        phone_language,
        language: None,
        created_at: now,
    };
    let (time_zone, link_secret) = (new.time_zone, Secret::generate(app));
    let record = about(Record::new(app, actor, id, Act::InstitutionCreated), &institution);
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                institutions::insert(sql, &institution, &time_zone).await?;
                institutions::set_link_secret(sql, id, link_secret.as_str()).await?;
                audit::write(sql, &[record.change(Json::Null, values(&institution))]).await?;
                Ok::<_, store::Error>(institution)
            })
        })
        .await;
    made.map_err(|error| match error {
        store::Error::Conflict => Error::invalid(Field::Slug, Fault::Taken),
        other => other.into(),
    })
}

fn about(record: Record, institution: &Institution) -> Record {
    record.about(SubjectKind::Institution, institution.id, &institution.name)
}

fn values(institution: &Institution) -> Json {
    json!({
        "name": institution.name,
        "slug": institution.slug,
        "time_zone": institution.time_zone.iana_name(),
        "multiple_recordings": institution.multiple_recordings,
        "rate_limit": institution.rate_limit,
        "allowed_origins": institution.allowed_origins,
        "phone_language": institution.phone_language,
        "language": institution.language.map(Language::tag),
    })
}

pub async fn find(app: &App, actor: &Actor, slug: &str) -> Result<Institution> {
    let found = institutions::by_slug(&mut app.db.read(), slug).await?;
    let found = found.ok_or(Error::Missing(Missing::Institution))?;
    actor.administer(found.id)?;
    Ok(found)
}

/// The institution to whose public pages anybody comes. Until they have signed in, they act as `Actor::Visitor`.
pub async fn public(app: &App, slug: &str) -> Result<Institution> {
    let found = institutions::by_slug(&mut app.db.read(), slug).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

pub async fn all(app: &App, actor: &Actor) -> Result<Vec<Institution>> {
    actor.operate()?;
    Ok(institutions::all(&mut app.db.read()).await?)
}

/// A hundred years.
const MOST_AUDIT_DAYS: u32 = 36_500;

/// `None` or an empty list leaves the value unchanged.
#[derive(Debug, Default)]
pub struct Change {
    pub name: Option<String>,
    pub time_zone: Option<String>,
    pub multiple_recordings: Option<bool>,
    /// `Some(None)` resets to the installation's default limit.
    pub rate_limit: Option<Option<u32>>,
    pub allow_origins: Vec<String>,
    pub forbid_origins: Vec<String>,
    /// An empty string resets to the installation's default.
    pub phone_language: Option<String>,
    /// The audiences that people may choose, separated by commas.
    pub audiences: Option<String>,
    /// The audience of people who are registered from now on.
    pub default_audience: Option<String>,
    /// The language of its pages for visitors who prefer none of ours. An empty string resets it to English.
    pub language: Option<String>,
    /// Whether new registrations start with the person's newest recording.
    pub starts_with_newest: Option<bool>,
    /// Whether badges show notes.
    pub notes_on_badge: Option<bool>,
    /// How many days entries of the audit log are kept; `Some(None)` keeps them forever.
    pub audit_days: Option<Option<u32>>,
    /// Who must sign in through the provider: a word of `SsoOnly`. The sessions of those who did not end.
    pub sso_only: Option<String>,
    pub look: looks::Change,
    /// What whoever changes something has seen. If a setting that is replaced differs by now, nothing is changed:
    /// `SetupFault::Outdated`.
    pub based_on: Option<Settings>,
}

/// Do new registrations start with the person's newest recording?
pub async fn starts_with_newest(app: &App, actor: &Actor, id: InstitutionId) -> Result<bool> {
    actor.administer(id)?;
    let found = institutions::starts_with_newest(&mut app.db.read(), id).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

/// Do badges show notes?
pub async fn notes_on_badge(app: &App, actor: &Actor, id: InstitutionId) -> Result<bool> {
    actor.administer(id)?;
    let found = institutions::notes_on_badge(&mut app.db.read(), id).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

/// How many days entries of the audit log are kept; `None` for ever.
pub async fn audit_days(app: &App, actor: &Actor, id: InstitutionId) -> Result<Option<i64>> {
    actor.administer(id)?;
    let found = store::audit::retention(&mut app.db.read(), id).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

pub async fn update(app: &App, actor: &Actor, slug: &str, mut change: Change) -> Result<Institution> {
    let id = find(app, actor, slug).await?.id;
    // Otherwise an admin could delete the traces of what they did.
    if change.audit_days.is_some() {
        actor.own(id)?;
    }
    if change.sso_only.is_some() {
        actor.own(id)?;
    }
    // It protects the installation from its institutions.
    if change.rate_limit.is_some() {
        actor.operate()?;
    }
    let names = change.names();
    let seen = change.based_on.take().map(|seen| seen.values_of(&names));
    let look = looks::checked(app, id, std::mem::take(&mut change.look)).await?;
    let (permitted, default_audience) = (change.audiences.clone(), change.default_audience.clone());
    let (permitted, default_audience) = checked_audiences(permitted, default_audience)?;
    let (changes, now) = (checked(change)?, app.clock.now());
    // The operator can always let somebody in with a link.
    let needs_way_in = actor.operate().is_err() && changes.sso_only.is_some_and(|only| only != SsoOnly::Off);
    let has_proxy = app.sign_in.proxy.as_ref().is_some_and(|proxy| proxy.institution == slug);
    let (slug, record) = (slug.to_owned(), Record::new(app, actor, id, Act::SettingsUpdated));
    let (renewal, renewal_id) = (Job::RenewLinks { institution: id }, app.ids.id(now));
    let changed = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                let missing = || Error::Missing(Missing::Institution);
                // Take the institution's lock first, as in `delete`, to avoid a deadlock.
                store::rolls::lock(sql, id).await?;
                let before = settings::find_in(sql, id, &slug, now).await?.ok_or_else(missing)?;
                if seen.is_some_and(|seen| seen != before.values_of(&names)) {
                    return Err(Error::invalid(Field::Version, SetupFault::Outdated));
                }
                if needs_way_in && !has_proxy && !store::sso::has_any(sql, id).await? {
                    return Err(Error::invalid(Field::Parameter("sso_only"), SetupFault::ConnectionNeeded));
                }
                institutions::update(sql, id, &changes).await?;
                if changes.sso_only.is_some() {
                    end_mailed(sql, id).await?;
                }
                looks::update(sql, id, &look).await?;
                if let Some(permitted) = permitted {
                    audiences::permit(sql, id, permitted).await?;
                    if before.permitted.includes(Audience::Public) && !permitted.includes(Audience::Public) {
                        jobs::enqueue(sql, renewal_id, &renewal, now, now).await?;
                    }
                }
                if let Some(audience) = default_audience {
                    if !audiences::permitted(sql, id).await?.includes(audience) {
                        return Err(Error::invalid(Field::Audience, Fault::NotIncluded));
                    }
                    audiences::set_default(sql, id, audience, now).await?;
                }
                let after = settings::find_in(sql, id, &slug, now).await?.ok_or_else(missing)?;
                let default = default_audience.map(Audience::word);
                let values = audit::with(after.logged(), json!({ "default_audience": default }));
                let record = about(record, &after.institution).change(before.logged(), values);
                audit::write_change(sql, record).await?;
                versions::callers_changed(sql).await?;
                Ok(after.institution)
            })
        })
        .await?;
    app.queue.wake();
    Ok(changed)
}

/// Ends the sessions of those who have signed in by mail, and must sign in through the provider.
async fn end_mailed(sql: &mut Sql, institution: InstitutionId) -> Result<()> {
    for email_key in store::sessions::mailed(sql, institution).await? {
        let person = PersonId { institution, email_key };
        if !store::sign_ins::may_use_mail(sql, &person).await? {
            store::sessions::delete_mailed(sql, &person).await?;
        }
    }
    Ok(())
}

/// Who must sign in through the provider of this institution.
pub async fn sso_only(app: &App, id: InstitutionId) -> Result<SsoOnly> {
    let found = institutions::sso_only(&mut app.db.read(), id).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

fn checked_audiences(
    permitted: Option<String>,
    default_audience: Option<String>,
) -> Result<(Option<Permitted>, Option<Audience>)> {
    let invalid = || Error::invalid(Field::Audience, Fault::Invalid);
    let permitted = permitted.map(|words| Permitted::parse(&words).ok_or_else(invalid)).transpose()?;
    let default_audience = default_audience
        .map(|word| Audience::parse(&word).filter(|audience| audience.can_be_default()).ok_or_else(invalid))
        .transpose()?;
    Ok((permitted, default_audience))
}

fn checked(change: Change) -> Result<Changes> {
    let mut errors = FieldErrors::default();
    if let Some(name) = &change.name {
        check_name(name, &mut errors);
    }
    let time_zone = change.time_zone.and_then(|zone| check_zone(&zone, &mut errors));
    let phone_language = change.phone_language.map(|language| check_language(&language, &mut errors));
    let language = change.language.map(|given| check_page_language(&given, &mut errors));
    if change.audit_days.flatten().is_some_and(|days| !(LEAST_DAYS..=MOST_AUDIT_DAYS).contains(&days)) {
        errors.add(
            Field::AuditDays,
            SetupFault::OutOfRange { least: LEAST_DAYS.into(), most: MOST_AUDIT_DAYS.into() },
        );
    }
    let sso_only = change.sso_only.and_then(|word| {
        let parsed = SsoOnly::parse(&word);
        if parsed.is_none() {
            errors.add(Field::Parameter("sso_only"), Fault::NotIncluded);
        }
        parsed
    });
    let mut origin = |given: &String| {
        let parsed = parse_origin(given);
        if parsed.is_none() {
            errors.add(Field::Origin, SetupFault::NotAnOrigin(given.clone()));
        }
        parsed
    };
    let allow_origins = change.allow_origins.iter().filter_map(&mut origin).collect();
    let forbid_origins = change.forbid_origins.iter().filter_map(&mut origin).collect();
    errors.into_result()?;
    Ok(Changes {
        name: change.name,
        time_zone: time_zone.map(|zone| zone.iana_name().unwrap_or("UTC").to_owned()),
        multiple_recordings: change.multiple_recordings,
        rate_limit: change.rate_limit,
        phone_language,
        language,
        starts_with_newest: change.starts_with_newest,
        notes_on_badge: change.notes_on_badge,
        audit_days: change.audit_days,
        sso_only,
        allow_origins,
        forbid_origins,
    })
}

/// The result lacks the allowed origins.
pub async fn by_id(app: &App, id: InstitutionId) -> Result<Institution> {
    let found = institutions::by_id(&mut app.db.read(), id).await?;
    found.ok_or(Error::Missing(Missing::Institution))
}

/// The only institution of the installation, for pages that name none; `None` if there are several. The result lacks the allowed
/// origins.
pub async fn only(app: &App) -> Result<Option<Institution>> {
    Ok(institutions::only(&mut app.db.read()).await?)
}

const PEOPLE_BATCH: i64 = 5_000;

/// A job goes on with a deletion that is not complete by then.
const TAKEN_OVER_AFTER: Duration = Duration::from_secs(10 * 60);

/// Deletes an institution with all of its data. If interrupted, calling it again continues, and so does a job.
pub async fn delete(app: &App, actor: &Actor, slug: &str) -> Result<()> {
    let id = find(app, actor, slug).await?.id;
    actor.own(id)?;
    delete_all_of(app, id).await
}

/// Works in batches, so that deleting a large institution does not block other writers.
pub(super) async fn delete_all_of(app: &App, id: InstitutionId) -> Result<()> {
    let (now, owned_app) = (app.clock.now(), app.clone());
    let (rest, rest_id) = (Job::DeleteInstitution { institution: id }, app.ids.id(now));
    let done_rest = rest.clone();
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                store::rolls::lock(sql, id).await?;
                institutions::close_access(sql, id).await?;
                jobs::enqueue(sql, rest_id, &rest, now.plus(TAKEN_OVER_AFTER), now).await?;
                calls::cancel_all(sql, &owned_app.ids, id, None, now).await?;
                Ok(versions::callers_changed(sql).await?)
            })
        })
        .await?;
    let end = institutions::people_end(&mut app.db.read(), id).await?;
    let mut done = 0;
    while done < end {
        done += PEOPLE_BATCH;
        let up_to = ParticipantId::new(done);
        let gone = app
            .db
            .write::<_, Error>(move |sql| {
                Box::pin(async move {
                    // An import may be under way.
                    store::rolls::lock(sql, id).await?;
                    let gone = store::media::delete_up_to(sql, id, up_to).await?;
                    institutions::delete_people(sql, id, up_to).await?;
                    Ok(gone)
                })
            })
            .await?;
        super::media::discard(app, id, &gone).await;
    }
    let reports = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                // Take locks in the same order as others do: webhooks about a call enqueue jobs, and workers that have a job change the
                // rest.
                store::rolls::lock(sql, id).await?;
                sql.allow_long_statements().await?;
                store::calls::delete_all(sql, id).await?;
                store::jobs::delete_all(sql, id).await?;
                store::jobs::cancel(sql, &done_rest).await?;
                let reports = store::exports::delete_all_parts(sql, id).await?;
                institutions::delete_rest(sql, id).await?;
                versions::callers_changed(sql).await?;
                Ok(reports)
            })
        })
        .await?;
    super::exports::discard(app, id, &reports).await;
    Ok(())
}

fn check_name(name: &str, errors: &mut FieldErrors) {
    if text::is_invisible(name) {
        errors.add(Field::Name, Fault::Blank);
    } else if let Some(fault) = text::fault(name, longest::TITLE, Lines::One) {
        errors.add(Field::Name, fault);
    }
}

fn check_zone(given: &str, errors: &mut FieldErrors) -> Option<TimeZone> {
    let zone = TimeZone::get(given).ok();
    if zone.is_none() {
        errors.add(Field::TimeZone, SetupFault::UnknownTimeZone(given.to_owned()));
    }
    zone
}

/// `None` for the installation's default.
fn check_language(given: &str, errors: &mut FieldErrors) -> Option<String> {
    let language = parse_language(given);
    if language.is_none() && !text::is_blank(given) {
        errors.add(Field::PhoneLanguage, SetupFault::UnknownLanguage(given.to_owned()));
    }
    language
}

/// A language that the pages are translated to; `None` for the default.
fn check_page_language(given: &str, errors: &mut FieldErrors) -> Option<Language> {
    let language = Language::ALL.into_iter().find(|language| language.tag() == given.trim());
    if language.is_none() && !text::is_blank(given) {
        errors.add(Field::Language, SetupFault::UntranslatedLanguage(given.to_owned()));
    }
    language
}
