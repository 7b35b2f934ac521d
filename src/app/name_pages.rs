//! Name pages: created, copied, archived and deleted, and found by any kind of reference. Their settings are in `page_settings.rs`.

use serde_json::{Value as Json, json};

use super::{
    Actor, App, Error, Forbidden, Missing, Result,
    audit::{self, Record},
    calls, exports,
    page_settings::{self, Change},
};
use crate::{
    domain::{
        access::Access,
        audit::{Act, SubjectKind},
        fault::{Fault, Field, SetupFault},
        field_errors::FieldErrors,
        ids::{InstitutionId, JobId, NamePageId},
        institution::Institution,
        job::Job,
        moment::Moment,
        name_page::{NamePage, NamePageRef, access_code_fault, code_key, slug_fault, without_blanks},
        page_settings::PageSettings,
        text::{self, Lines, longest},
    },
    store::{self, Sql, exports::Departing, name_pages, page_settings::Changes, rolls, versions},
};

pub struct New {
    pub title: String,
    pub slug: Option<String>,
    pub access_code: Option<String>,
    pub allow_v2: bool,
}

pub async fn create(app: &App, actor: &Actor, institution: InstitutionId, new: New) -> Result<NamePage> {
    create_with(app, actor, institution, new, Change::default()).await
}

/// Creates a page with these settings. The change has neither a title nor `allow_v2`: they are in `new`.
pub async fn create_with(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
    settings: Change,
) -> Result<NamePage> {
    actor.administer(institution)?;
    let mut errors = FieldErrors::default();
    let settings = page_settings::checked(app, institution, settings, &mut errors).await?;
    made(app, actor, institution, new, (settings, errors), None).await
}

/// A record about a page.
pub(super) fn about(record: Record, page: &NamePage) -> Record {
    record.about(SubjectKind::NamePage, page.id, &page.title)
}

/// What a page is copied from.
struct Original {
    page: NamePageId,
    /// The job that copies its people, if they are wanted.
    people: Option<JobId>,
}

/// Makes a page, if there are no errors yet. The managers of the original manage it, too.
async fn made(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    new: New,
    (settings, mut errors): (Changes, FieldErrors),
    original: Option<Original>,
) -> Result<NamePage> {
    check_title(&new.title, &mut errors);
    let now = app.clock.now();
    let id = app.ids.id(now);
    let slug = match new.slug {
        Some(slug) => slug,
        None => free_slug(&mut app.db.read(), &new.title, id).await?,
    };
    let access_code = match &new.access_code {
        Some(given) => without_blanks(given).into_owned(),
        None => app.ids.access_code(),
    };
    let sql = &mut app.db.read();
    if let Some(fault) = slug_fault(&slug) {
        errors.add(Field::Slug, fault);
    } else if name_pages::code_taken(sql, &slug).await? {
        errors.add(Field::Slug, Fault::Taken);
    }
    if let Some(fault) = access_code_fault(&access_code) {
        errors.add(Field::AccessCode, fault);
    } else if code_key(&access_code) != code_key(&slug) && name_pages::code_taken(sql, &access_code).await? {
        errors.add(Field::AccessCode, Fault::Taken);
    }
    errors.into_result()?;
    let page = NamePage {
        id,
        title: new.title,
        slug,
        event_code: app.ids.event_code(),
        access_code,
        allow_v2: new.allow_v2,
        created_at: now,
    };
    let record = about(Record::new(app, actor, institution, Act::NamePageCreated), &page);
    let made = app
        .db
        .write(move |sql| {
            Box::pin(async move {
                name_pages::insert(sql, institution, &page).await?;
                store::page_settings::update(sql, institution, page.id, &settings).await?;
                let copied_from = original.as_ref().map(|original| original.page.to_string());
                if let Some(Original { page: from, people }) = original {
                    store::page_settings::copy_managers(sql, institution, from, page.id).await?;
                    if let Some(job) = people {
                        let copy = Job::CopyPeople { institution, from, to: page.id };
                        store::jobs::insert(sql, job, &copy, now, now).await?;
                    }
                }
                let settings = store::page_settings::find(sql, institution, page.id).await?;
                let after = page_settings::values(&page, &settings.unwrap_or_default());
                let after = audit::with(after, json!({ "copied_from": copied_from }));
                audit::write(sql, &[record.change(Json::Null, after)]).await?;
                Ok(page)
            })
        })
        .await;
    app.queue.wake();
    made.map_err(|error| match error {
        store::Error::Conflict => Error::invalid(Field::Slug, SetupFault::JustTaken),
        other => other.into(),
    })
}

pub(super) fn check_title(title: &str, errors: &mut FieldErrors) {
    if text::is_invisible(title) {
        errors.add(Field::Title, Fault::Blank);
    } else if let Some(fault) = text::fault(title, longest::TITLE, Lines::One) {
        errors.add(Field::Title, fault);
    }
}

/// Copies a page with its settings, and without its people. Whoever manages it manages the copy, too.
pub async fn copy(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    title: String,
    slug: Option<String>,
) -> Result<NamePage> {
    let page = managed(app, actor, institution, page).await?.id;
    copied(app, actor, institution, Original { page, people: None }, title, slug).await
}

/// Like `copy`, with the people of the page, and without their recordings. A job copies them (`page_copies.rs`).
pub async fn copy_with_people(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    title: String,
    slug: Option<String>,
) -> Result<NamePage> {
    let page = managed(app, actor, institution, page).await?.id;
    let people = Some(app.ids.id(app.clock.now()));
    copied(app, actor, institution, Original { page, people }, title, slug).await
}

async fn copied(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    original: Original,
    title: String,
    slug: Option<String>,
) -> Result<NamePage> {
    let settings = Changes::copy_of(page_settings::find(app, institution, original.page).await?);
    let new = New { title, slug, access_code: None, allow_v2: false };
    let settings = (settings, FieldErrors::default());
    made(app, actor, institution, new, settings, Some(original)).await
}

/// Archives a page, or takes it out of the archive. An archived page is read-only for people and managers, is not listed, and sends no
/// invitations and reminders. The API, deleting people and retention are not affected.
pub async fn archive(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    archived: bool,
) -> Result<NamePage> {
    let found = managed(app, actor, institution, page).await?;
    let (id, now) = (found.id, app.clock.now());
    let act = if archived { Act::NamePageArchived } else { Act::NamePageUnarchived };
    let record = about(Record::new(app, actor, institution, act), &found);
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                let settings = store::page_settings::find(sql, institution, id).await?;
                let settings = settings.ok_or(Error::Missing(Missing::NamePage))?;
                // The time of the first call is kept.
                if settings.is_archived() != archived {
                    let changes =
                        Changes { archived_at: Some(archived.then_some(now)), ..Changes::default() };
                    store::page_settings::update(sql, institution, id, &changes).await?;
                    audit::write(sql, &[record]).await?;
                }
                Ok(())
            })
        })
        .await?;
    Ok(found)
}

/// A page as its visitors find it.
#[derive(Debug, Clone)]
pub struct PublicPage {
    /// With the allowed origins.
    pub institution: Institution,
    pub page: NamePage,
    pub settings: PageSettings,
}

/// Finds a page of any institution by its slug or event code, which are public; never by its access code.
pub async fn public(app: &App, slug: &str) -> Result<PublicPage> {
    let missing = || Error::Missing(Missing::NamePage);
    let reference = NamePageRef::parse(slug).ok_or_else(missing)?;
    let found = store::page_settings::public(&mut app.db.read(), reference.key()).await?;
    let (institution, page, settings) = found.ok_or_else(missing)?;
    Ok(PublicPage { institution, page, settings })
}

/// Creates a page inside the caller's transaction; the title must be valid. `Invalid` means that a concurrent transaction
/// took the slug; a retry picks another.
pub(super) async fn create_in(
    sql: &mut Sql,
    app: &App,
    institution: InstitutionId,
    title: &str,
    now: Moment,
) -> Result<NamePage> {
    let id = app.ids.id(now);
    let page = NamePage {
        id,
        title: title.to_owned(),
        slug: free_slug(sql, title, id).await?,
        event_code: app.ids.event_code(),
        access_code: app.ids.access_code(),
        allow_v2: false,
        created_at: now,
    };
    match name_pages::insert(sql, institution, &page).await {
        Err(store::Error::Conflict) => Err(Error::invalid(Field::Slug, Fault::Taken)),
        other => Ok(other.map(|()| page)?),
    }
}

/// Derives a slug from the title, and appends the page's id if it is taken.
async fn free_slug(sql: &mut Sql, title: &str, id: NamePageId) -> Result<String> {
    let wanted = text::slug_from(title).unwrap_or_else(|| "page".to_owned());
    let taken = name_pages::code_taken(sql, &wanted).await?;
    Ok(if taken { format!("{wanted}-{id}") } else { wanted })
}

pub async fn find(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<NamePage> {
    actor.administer(institution)?;
    name_pages::find(&mut app.db.read(), institution, page).await?.ok_or(Error::Missing(Missing::NamePage))
}

/// Finds a page and checks that the actor manages it. A page that does not exist looks like one that they do not manage.
pub(super) async fn managed(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
) -> Result<NamePage> {
    actor.managed(institution)?;
    let Some(found) = name_pages::find(&mut app.db.read(), institution, page).await? else {
        actor.administer(institution)?;
        return Err(Error::Missing(Missing::NamePage));
    };
    actor.manage(institution, found.id)?;
    Ok(found)
}

/// Finds a page and checks that the caller's token, which may be limited to other pages, reaches it.
pub(super) async fn permitted(app: &App, access: &Access, page: &NamePageRef) -> Result<NamePage> {
    permitted_in(&mut app.db.read(), access, page).await
}

pub(super) async fn permitted_in(sql: &mut Sql, access: &Access, page: &NamePageRef) -> Result<NamePage> {
    let found = name_pages::find(sql, access.institution, page).await?;
    let found = found.ok_or(Error::Missing(Missing::NamePage))?;
    check(access, found.id)?;
    Ok(found)
}

/// `permitted` with the extent of the page's roll.
pub(super) async fn permitted_with_roll(
    app: &App,
    access: &Access,
    page: &NamePageRef,
) -> Result<(NamePage, rolls::Extent)> {
    let found = name_pages::find_with_roll(&mut app.db.read(), access.institution, page).await?;
    let found = found.ok_or(Error::Missing(Missing::NamePage))?;
    check(access, found.0.id)?;
    Ok(found)
}

/// Checks that the caller reaches this page of the institution.
pub(super) fn check(access: &Access, page: NamePageId) -> Result<()> {
    if access.reaches(page) { Ok(()) } else { Err(Error::Forbidden(Forbidden::NamePage)) }
}

/// Sets whether the page is available through version 2 of the API, which needs no token.
pub async fn allow_v2(
    app: &App,
    actor: &Actor,
    institution: InstitutionId,
    page: &NamePageRef,
    allow: bool,
) -> Result<NamePage> {
    let found = find(app, actor, institution, page).await?;
    let id = found.id;
    let record = about(Record::new(app, actor, institution, Act::NamePageUpdated), &found);
    let record = record.change(json!({ "allow_v2": found.allow_v2 }), json!({ "allow_v2": allow }));
    app.db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                name_pages::allow_v2(sql, institution, id, allow).await?;
                audit::write_change(sql, record).await
            })
        })
        .await?;
    Ok(NamePage { allow_v2: allow, ..found })
}

/// Deletes a page with everybody registered there. Returns how many they were.
pub async fn delete(app: &App, actor: &Actor, institution: InstitutionId, page: &NamePageRef) -> Result<u64> {
    let page = find(app, actor, institution, page).await?;
    let (id, now) = (page.id, app.clock.now());
    let record = about(Record::new(app, actor, institution, Act::NamePageDeleted), &page);
    let job = app.ids.id(now);
    let owned_app = app.clone();
    let (people, gone) = app
        .db
        .write::<_, Error>(move |sql| {
            Box::pin(async move {
                rolls::lock(sql, institution).await?;
                // Mostly one statement per table, regardless of the number of people, so each may take long.
                sql.allow_long_statements().await?;
                exports::leave(sql, job, institution, Departing::OnPage(id), now).await?;
                calls::cancel_all(sql, &owned_app.ids, institution, Some(id), now).await?;
                store::calls::delete_on_page(sql, institution, id).await?;
                let gone = store::media::delete_on_page(sql, institution, id).await?;
                store::imports::delete_on_page(sql, institution, id).await?;
                let people = name_pages::delete(sql, institution, id).await?;
                store::persons::delete_all_unregistered(sql, institution).await?;
                let before = json!({ "title": page.title, "slug": page.slug, "people": people });
                audit::write(sql, &[record.change(before, Json::Null)]).await?;
                versions::callers_changed(sql).await?;
                Ok((people, gone))
            })
        })
        .await?;
    super::media::discard(app, institution, &gone).await;
    Ok(people)
}
